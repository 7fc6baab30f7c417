//! Cores: few sets of rows from which all wanted row sets are two rows away.
//!
//! A *core* has all rows of a row set but two, and some *open* rows in which the last two queens
//! may stand. It serves every row set that consists of its rows and two of its open rows:
//!
//! ```text
//!   rows         0 1 2 3 4 5 6 7         C  a row of the core
//!   core         C . C o o o . C         o  an open row
//!   serves       C   C x x     C   and   C   C x   x   C   and   C   C   x x   C
//! ```
//!
//! Work for a core is done once for all of its row sets, so the fewer cores the better. For each of
//! some permutations of the rows, a search chooses cores ([`search`], [`orbits`]), and the best
//! answer is taken. For seven of 14 rows, 184 cores serve all 3,432 row sets. A greedy choice would
//! need 220. A core serves at most 28 row sets, so there must be at least 123.

mod cores;
mod search;

mod orbits;

use super::super::sets::Set;
use cores::Candidate;
pub use cores::{Core, MOST_OPEN, Target};
use orbits::Permutation;

/// The permutations to try, by the lengths of their cycles.
const CYCLES: [&[u32]; 6] = [
    &[2, 2],
    &[3, 3],
    &[4, 4],
    &[4, 2, 2],
    &[3, 3, 3],
    &[3, 3, 3, 3],
];

/// How much work the search for each permutation may take per wanted row set. All six together take
/// nearly a second for 3,432 row sets (AMD EPYC, Zen 4, 2026-11-18). Twice the work saves 4 % of the
/// cores there, half of it costs 3 %.
const WORK: u64 = 50_000;

/// Cores that can serve some row sets. Which core serves which row set is not yet settled.
#[derive(Clone, Debug)]
pub(crate) struct Cover {
    rows: u32,
    cores: Vec<Candidate>,
}

impl Cover {
    /// A cover of the row sets that are `wanted`. They have `queens` queens, at least two, on a board
    /// with `rows` rows; `wanted` has one entry for every set of rows.
    pub fn new(rows: u32, queens: u32, wanted: &[bool]) -> Cover {
        let work = WORK * wanted.iter().filter(|&&wanted| wanted).count() as u64;
        let mut candidates = Vec::new();
        for core in Set::all(rows, queens - 2) {
            let outside = core.complement(rows);
            let size = outside.len().min(MOST_OPEN as u32);
            let open = Set::all(rows, size).filter(|&open| open & core == Set::EMPTY);
            candidates.extend(open.map(|open| Candidate { core, open }));
        }
        let answer = |permutation: Permutation| {
            let (orbits, choices, members) = permutation.choices(&candidates, wanted);
            let chosen = search::few(orbits, &choices, work);
            let cores = chosen
                .into_iter()
                .flat_map(|choice| members[choice].clone());
            needed(cores.collect(), wanted)
        };
        // On boards with few rows there are few cores, and no permutation is needed.
        let cycles = CYCLES.iter().copied().filter(|_| rows >= 8);
        let cycles = cycles.chain(Some(&[][..]).filter(|_| rows < 8));
        let answers = cycles.filter_map(|cycles| Permutation::new(rows, cycles).map(answer));
        Cover {
            rows,
            cores: answers.min_by_key(Vec::len).unwrap_or_default(),
        }
    }

    /// The cores. Each row set that has a `number` goes to one of them, and cores without any are left
    /// out.
    pub fn cores(&self, number: impl Fn(Set) -> Option<u16>) -> Vec<Core> {
        let mut left: Vec<Option<u16>> =
            (0..1 << self.rows).map(|word| number(Set(word))).collect();
        let cores = self.cores.iter().map(|core| core.take(&mut left));
        cores.filter(|core| !core.targets.is_empty()).collect()
    }
}

/// Leaves out cores whose wanted row sets other cores all serve.
fn needed(mut cores: Vec<Candidate>, wanted: &[bool]) -> Vec<Candidate> {
    let mut served = vec![0u32; wanted.len()];
    for (set, _) in cores.iter().flat_map(Candidate::row_sets) {
        served[set.place()] += 1;
    }
    for place in (0..cores.len()).rev() {
        let mut sets = cores[place].row_sets();
        if sets.all(|(set, _)| !wanted[set.place()] || served[set.place()] > 1) {
            let core = cores.remove(place);
            for (set, _) in core.row_sets() {
                served[set.place()] -= 1;
            }
        }
    }
    cores
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

    /// A cover of these row sets.
    fn cover(rows: u32, sets: &[Set]) -> Cover {
        let mut wanted = vec![false; 1 << rows];
        for set in sets {
            wanted[set.place()] = true;
        }
        Cover::new(rows, sets[0].len(), &wanted)
    }

    #[test]
    fn every_wanted_row_set_is_served_once_and_no_other() {
        for (rows, queens) in [(2, 2), (6, 3), (7, 4), (9, 2), (10, 5), (11, 3), (12, 7)] {
            for share in [1, 2, 5] {
                let wanted: Vec<Set> = Set::all(rows, queens).step_by(share).collect();
                let cover = cover(rows, &wanted);
                // All of them, and then the first half.
                for end in [wanted.len(), wanted.len().div_ceil(2)] {
                    let wanted = &wanted[..end];
                    let number = |set| wanted.binary_search(&set).ok().map(|place| place as u16);
                    let mut served = Vec::new();
                    for core in cover.cores(number) {
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
    }

    #[test]
    fn a_core_serves_many_row_sets() {
        // The work is measured in changes of scores, so this is the same on every machine.
        for (queens, cores) in [(5, 84), (6, 137), (9, 140)] {
            let all: Vec<Set> = Set::all(14, queens).collect();
            let found = cover(14, &all).cores(|set| Some(set.0 as u16)).len();
            assert_eq!(found, cores, "{queens} of 14 rows");
        }
    }
}
