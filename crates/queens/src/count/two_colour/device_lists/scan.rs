//! The scanned side for a device: a word of lines per placement, with some bits of its index.

use super::super::packing::Packing;
use super::super::scan_list::ScanList;

/// How many bits of an `odd_index` travel beside the lines of a placement: six, or what has
/// room.
pub fn packed_bits(n: usize) -> u32 {
    packing(n).bits().min(6)
}

/// The number of diagonals of a colour, which is that of its anti-diagonals.
pub fn diagonals(n: usize) -> u32 {
    packing(n).above_lines
}

/// The low bits of an `odd_index`, above the diagonals and, what has no room there, above the
/// anti-diagonals.
pub fn packed_index(n: usize, odd_index: u32) -> u64 {
    packing(n).word(odd_index & ((1 << packed_bits(n)) - 1))
}

fn packing(n: usize) -> Packing {
    Packing::new(n.div_ceil(2) as u32)
}

/// About how many lists of a scan list stay here where the others are uploaded.
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
    /// The most placements that one `odd_index` has.
    pub longest: u32,
    /// Some of the lists, one after the other, and how long each is, where all are uploaded.
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

    /// The lists of some indices, about `number` of them or, where the lines are uploaded,
    /// fewer.
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

    /// Leaves only some of the lists here, and returns the memory of the others.
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
