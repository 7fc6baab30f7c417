//! Cores: few sets of rows from which all wanted row sets are two rows away.
//!
//! A *core* is all rows of a row set but two, and some *open* rows in which the last two queens
//! may stand. One core serves every row set that it makes with two of its open rows:
//!
//! ```text
//!   rows         0 1 2 3 4 5 6 7         C  a row of the core
//!   core         C . C o o o . C         o  an open row
//!   serves       C   C x x     C   and   C   C x   x   C   and   C   C   x x   C
//! ```
//!
//! Whatever is done for a core is done once for all of its row sets, so few cores are wanted.
//! They are chosen greedily: always the one that serves most of the row sets that are left.

use super::super::sets::Set;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most open rows of a core: as many as a matrix of the tensor cores has columns.
pub const MOST_OPEN: usize = 8;

/// The rows that are filled first, and those that the last two queens share.
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

/// Cores that serve each of some row sets exactly once. All have as many `queens`, at least two, in
/// a board with `rows` rows; `number` tells the number of a row set that is wanted.
pub(crate) fn cover(rows: u32, queens: u32, number: impl Fn(Set) -> Option<u16>) -> Vec<Core> {
    let mut left: Vec<Option<u16>> = (0..1 << rows)
        .map(|word| Some(Set(word)).filter(|set| set.len() == queens))
        .map(|set| set.and_then(&number))
        .collect();
    let mut candidates = Vec::new();
    for core in Set::all(rows, queens - 2) {
        let outside = core.complement(rows);
        let size = outside.len().min(MOST_OPEN as u32);
        let open = Set::all(rows, size).filter(|&open| open & core == Set::EMPTY);
        candidates.extend(open.map(|open| Candidate { core, open }));
    }
    let mut queue: BinaryHeap<(usize, Reverse<usize>)> = candidates
        .iter()
        .enumerate()
        .map(|(place, candidate)| (candidate.gain(&left), Reverse(place)))
        .collect();
    let mut cores = Vec::new();
    while let Some((gain, Reverse(place))) = queue.pop() {
        let candidate = &candidates[place];
        let now = candidate.gain(&left);
        if now == 0 {
            continue;
        }
        // Others have served some of its row sets since it was put there.
        if now < gain {
            queue.push((now, Reverse(place)));
            continue;
        }
        cores.push(candidate.take(&mut left));
    }
    cores
}

/// A core that may be chosen.
struct Candidate {
    core: Set,
    open: Set,
}

impl Candidate {
    /// The row sets that it could serve, and the places of their last rows.
    fn row_sets(&self) -> impl Iterator<Item = (Set, [u8; 2])> {
        let core = self.core;
        let open = || self.open.into_iter().zip(0u8..);
        open().flat_map(move |(row, first)| {
            let later = open().skip(usize::from(first) + 1);
            later.map(move |(other, second)| (core.with(row).with(other), [first, second]))
        })
    }

    /// How many of the row sets that are left it would serve.
    fn gain(&self, left: &[Option<u16>]) -> usize {
        let wanted = |(set, _): &(Set, _)| left[set.place()].is_some();
        self.row_sets().filter(wanted).count()
    }

    /// Makes it a core that serves what is left.
    fn take(&self, left: &mut [Option<u16>]) -> Core {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The row set of a target.
    fn row_set(core: &Core, target: &Target) -> Set {
        let last = target
            .open
            .map(|place| u32::from(core.open[usize::from(place)]));
        let rows = core.rows.iter().map(|&row| u32::from(row));
        rows.chain(last).fold(Set::EMPTY, Set::with)
    }

    #[test]
    fn every_wanted_row_set_is_served_once_and_no_other() {
        for (rows, queens) in [(2, 2), (6, 3), (7, 4), (9, 2), (10, 5), (11, 3), (12, 7)] {
            for share in [1, 2, 5] {
                let wanted: Vec<Set> = Set::all(rows, queens).step_by(share).collect();
                let number = |set| wanted.binary_search(&set).ok().map(|place| place as u16);
                let mut served = Vec::new();
                for core in cover(rows, queens, number) {
                    assert!(core.open.len() <= MOST_OPEN && core.rows.is_sorted());
                    for target in &core.targets {
                        assert!(target.open[0] < target.open[1]);
                        let set = row_set(&core, target);
                        assert_eq!(Some(target.row_set), number(set));
                        served.push(set);
                    }
                }
                served.sort_unstable();
                assert_eq!(served, wanted, "{queens} of {rows} rows, one in {share}");
            }
        }
    }

    #[test]
    fn a_core_serves_many_row_sets() {
        let number = |set: Set| Some(set.0 as u16);
        for (queens, most) in [(5, 101), (6, 177), (7, 220), (8, 210), (9, 175)] {
            let cores = cover(14, queens, number).len();
            assert!(cores <= most, "{queens} of 14 rows: {cores} cores");
        }
    }
}
