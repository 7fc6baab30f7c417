//! The scanned side for a device: a word of lines per placement, with some bits of its index.

use super::super::packing::Packing;
use super::super::scan_list::ScanList;

/// How many bits of an `odd_index` are packed beside the lines of a placement: six, or as many
/// as fit.
pub fn packed_bits(n: usize) -> u32 {
    packing(n).bits().min(6)
}

/// The number of diagonals of a colour; it has as many anti-diagonals.
pub fn diagonals(n: usize) -> u32 {
    packing(n).above_lines
}

/// The low bits of an `odd_index` as they stand in a word of lines: above the diagonals and, if
/// there is no more room, above the anti-diagonals.
pub fn packed_index(n: usize, odd_index: u32) -> u64 {
    packing(n).word(odd_index & ((1 << packed_bits(n)) - 1))
}

fn packing(n: usize) -> Packing {
    Packing::new(n.div_ceil(2) as u32)
}

/// When a scan list is uploaded, about this many of its lists stay here.
const SAMPLED: usize = 16;

/// The scanned placements of one small board with given rows, sorted by `odd_index`.
#[derive(Clone, Debug, Default)]
pub struct DeviceScan {
    /// The lines of each placement, numbered as in [`DeviceWalk::squares`], and its
    /// [`packed_index`].
    ///
    /// [`DeviceWalk::squares`]: super::DeviceWalk::squares
    pub lines: Vec<u64>,
    /// `lines[starts[i]..starts[i + 1]]` have `odd_index` `i`.
    pub starts: Vec<u32>,
    /// The largest number of placements with one `odd_index`.
    pub longest: u32,
    /// If all lists are uploaded, some of them, one after the other, and how long each is.
    sample: Vec<u64>,
    sample_lengths: Vec<u32>,
}

impl DeviceScan {
    /// Copies a list, with the low bits of the indices beside the lines.
    pub(super) fn copy(&mut self, n: usize, list: &ScanList) {
        self.starts.clone_from(&list.starts);
        self.lines.reserve_exact(list.lines.len());
        for (range, odd_index) in list.starts.windows(2).zip(0..) {
            let packed = packed_index(n, odd_index);
            let lines = &list.lines[range[0] as usize..range[1] as usize];
            self.lines.extend(lines.iter().map(|lines| lines | packed));
            self.longest = self.longest.max(range[1] - range[0]);
        }
    }

    /// The lists of about `number` indices, or of fewer if the lines are uploaded.
    pub fn sample_lists(&self, number: usize) -> impl Iterator<Item = &[u64]> {
        let starts = match self.sample_lengths.is_empty() {
            true => self.starts.as_slice(),
            false => &[],
        };
        let step = starts.len() / number + 1;
        let list = |range: &[u32]| &self.lines[range[0] as usize..range[1] as usize];
        let here = starts.windows(2).step_by(step).map(list);
        let mut rest = self.sample.as_slice();
        let sampled = self.sample_lengths.iter().map(move |&length| {
            let list;
            (list, rest) = rest.split_at(length as usize);
            list
        });
        here.chain(sampled)
    }

    /// Keeps only a sample of the lists, and returns the memory of the whole.
    pub(super) fn thin_out(&mut self) -> Vec<u64> {
        let mut sample = Vec::new();
        let mut lengths = Vec::new();
        for list in self.sample_lists(SAMPLED) {
            sample.extend(list);
            lengths.push(list.len() as u32);
        }
        (self.sample, self.sample_lengths) = (sample, lengths);
        std::mem::take(&mut self.lines)
    }
}
