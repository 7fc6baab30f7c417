//! The scanned side of a colour: placements sorted by their columns.
//!
//! A colour has two small boards. Its placements on the one with odd columns are *scanned*: they
//! stand in a list. For queens on the other board, the engine then asks how many placements of
//! the list fit, for each set of odd columns. So the list is sorted by `odd_index`, the number
//! of the columns, and keeps only the lines of a placement:
//!
//! ```text
//!   odd_index     0          1    2             3
//!   lines       [ a  b  c ][ d ][           ][ e  f .. ]
//!   starts        0          3    4             4
//! ```
//!
//! Placements are counted as they are found and then put in their places: two passes over
//! placements, and none over pairs of them.

use super::placements::{Each, Side};
use super::sets::Lines;
use std::ops::Range;

/// A list keeps the memory it was built in for up to this many placements, a megabyte.
const MOST_FOUND: usize = 1 << 16;

/// The placements of one small board with given rows, sorted by the index of their columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScanList {
    /// The lines of each placement.
    pub lines: Vec<u64>,
    /// `lines[starts[i]..starts[i + 1]]` have index `i`.
    pub starts: Vec<u32>,
    /// The index of each placement, once [`ScanList::note_indices`] has noted them.
    pub indices: Vec<u32>,
    /// While it is built: the placements as they are found, each with its index.
    found: Vec<(Lines, u16)>,
}

impl ScanList {
    /// Where the placements with these indices stand.
    pub fn range(&self, indices: Range<usize>) -> Range<usize> {
        self.starts[indices.start] as usize..self.starts[indices.end] as usize
    }

    /// Lists all placements of a side whose columns have an index below its limit.
    pub fn build(&mut self, side: &Side) {
        let rows: Vec<u32> = side.rows.into_iter().collect();
        let limit = side.limit as usize;
        let ScanList {
            lines,
            starts,
            indices,
            found,
        } = self;
        found.clear();
        indices.clear();
        starts.clear();
        starts.resize(limit + 1, 0);
        side.search(
            &rows,
            &mut Each(|cols, placement| {
                let index = side.index(cols);
                if u32::from(index) < side.limit {
                    starts[index as usize + 1] += 1;
                    found.push((placement, index));
                }
            }),
        );
        assert!(u32::try_from(found.len()).is_ok(), "places fit 32 bits");
        for index in 0..limit {
            starts[index + 1] += starts[index];
        }
        lines.clear();
        lines.resize(found.len(), 0);
        // Each start moves on as its places fill; they are shifted back below.
        for &(placement, index) in found.iter() {
            let at = &mut starts[index as usize];
            lines[*at as usize] = placement.0;
            *at += 1;
        }
        starts.copy_within(0..limit, 1);
        starts[0] = 0;
        // Short lists keep this memory: to find it again would take longer than the search.
        if found.len() > MOST_FOUND {
            *found = Vec::new();
        }
    }

    /// Notes the index of each placement.
    pub fn note_indices(&mut self) {
        self.indices.clear();
        self.indices.reserve_exact(self.lines.len());
        for (index, range) in self.starts.windows(2).enumerate() {
            self.indices.resize(range[1] as usize, index as u32);
        }
    }
}
