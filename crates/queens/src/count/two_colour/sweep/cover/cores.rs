//! What a core is, before and after it is chosen.

use super::super::super::sets::Set;

/// The most open rows of a core: as many as a matrix of the tensor cores has columns.
pub const MOST_OPEN: usize = 8;

/// The rows that are filled first, and the rows that are open to the last two queens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// The rows that are filled first, from the lowest on.
    pub rows: Vec<u8>,
    /// The open rows, from the lowest on; at most [`MOST_OPEN`].
    pub open: Vec<u8>,
    /// The row sets that it serves.
    pub targets: Vec<Target>,
}

/// A row set that a core serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The places of its last two rows in [`Core::open`], the smaller one first.
    pub open: [u8; 2],
    /// The number of the row set.
    pub row_set: u16,
}

/// A core that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    pub core: Set,
    pub open: Set,
}

impl Candidate {
    /// The row sets that it could serve, and the places of their last two rows in [`Core::open`].
    pub fn row_sets(&self) -> impl Iterator<Item = (Set, [u8; 2])> + use<> {
        let Candidate { core, open } = *self;
        let open = move || open.into_iter().zip(0u8..);
        open().flat_map(move |(row, first)| {
            let later = open().skip(usize::from(first) + 1);
            later.map(move |(other, second)| (core.with(row).with(other), [first, second]))
        })
    }

    /// Makes it a core that serves all its row sets that are still in `left`, and takes them out.
    pub fn take(&self, left: &mut [Option<u16>]) -> Core {
        let elements = |set: Set| set.into_iter().map(|row| row as u8).collect();
        let targets = self.row_sets().filter_map(|(set, open)| {
            let row_set = left[set.place()].take()?;
            Some(Target { open, row_set })
        });
        Core {
            targets: targets.collect(),
            rows: elements(self.core),
            open: elements(self.open),
        }
    }
}
