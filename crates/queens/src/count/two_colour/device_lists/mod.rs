//! The lists of a unit as arrays of plain numbers, for a device that counts from them.
//!
//! **For `queens-cuda` only.** No other program needs this module, nor [`sweep`](super::sweep). Its
//! contract: a program that counts every [`RowPair`] of a [`UnitLists`] from these arrays, as they
//! are documented here, gets the count of the unit. The tests of this file do it in sixty lines.
//! The names and the layout may change with every release.
//!
//! The GPU counts the same units as the CPU, from the same lists in another shape. Many warps
//! (groups of 32 threads) work at once, so nothing may depend on what was visited before. So all
//! walked placements that begin with the same queens, the *stem*, stand side by side. Each is one
//! word with its other squares and its `even_index`, written in a [`WordFormat`]:
//!
//! ```text
//!   cols = 10, five rows left: one alone, two pairs
//!
//!   bit 31              20 19      16 15           8 7            0
//!   [ even_index           | column   | j1 * 10 + j2 | j1 * 10 + j2 ]
//!                            alone      first pair     last pair
//! ```
//!
//! [`ListBuilder::build`] gives everything that one unit needs. White's walk and black's scan
//! list depend on the even rows; white's scan list and black's walk depend on the odd rows. So
//! each even or odd row set has one walk and one scan list ([`RowSetLists`]).
//!
//! A row set is in many units, and each unit visits its own prefix of the column sets. The lists
//! of a row set are whole, so that they serve all these units: the placements of a stem are sorted
//! by `even_index`, and whoever visits them stops at the unit's limit. So a row set's lists are
//! made once and stay in a [`ListCache`], which several builders share. An [`Upload`] can keep the
//! long ones in the memory of a card.

mod scan;
mod walk;

mod cache;
mod unit;

mod builder;

pub use super::allowed::Parity;
pub use builder::{LARGEST_N, ListBuilder};
pub use cache::{ListCache, RowSetLists, Upload, Uploaded};
pub use scan::{DeviceScan, diagonals, packed_bits, packed_index};
pub use unit::{
    ColumnWeights, NO_INDEX, REVERSED, RowPair, RowSetBlock, UnitLists, VisitedColumns, blocks,
    row_sets, walked_queens,
};
pub use walk::{DeviceWalk, MOST_STEM_ROWS, NO_PLACEMENT, STEM_MULTIPLE, Stem, WordFormat};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::two_colour::count_unit;
    use std::sync::Mutex;

    /// A count straight from the lists, with nothing but their documentation in hand.
    fn count(lists: &UnitLists) -> u64 {
        let histogram = |walk: &DeviceWalk, scan: &DeviceScan, even_limit: u32, odd_limit: u32| {
            let mut cells = vec![0u64; (even_limit * odd_limit) as usize];
            let square = |level: u32, j: u32| walk.squares[(level * walk.cols + j) as usize];
            for stems in walk.stems.windows(2) {
                let range = stems[0].first as usize..stems[1].first as usize;
                for &placement in &walk.placements[range] {
                    let even_index = placement >> walk.format.index_shift();
                    if even_index >= even_limit {
                        break;
                    }
                    let column = |level: u32| {
                        if level < walk.format.stem_rows {
                            return stems[0].path >> (4 * level) & 15;
                        }
                        let (shift, times) = walk.format.place(walk.rows, walk.cols, level);
                        let byte = placement >> shift & 0xff;
                        let single = level - walk.format.stem_rows < walk.format.singles;
                        match (single, times) {
                            (true, _) => byte & 15,
                            (_, 1) => byte % walk.cols,
                            _ => byte / walk.cols,
                        }
                    };
                    let p = (0..walk.rows).fold(0, |p, level| p | square(level, column(level)));
                    for odd_index in 0..odd_limit {
                        let starts = &scan.starts[odd_index as usize..];
                        let of_index = &scan.lines[starts[0] as usize..starts[1] as usize];
                        let survivors = of_index.iter().filter(|&&q| q & p == 0).count();
                        cells[(even_index * odd_limit + odd_index) as usize] += survivors as u64;
                    }
                }
            }
            cells
        };
        let mut total = 0;
        for pair in &lists.pairs {
            let visited = &lists.visited[pair.even as usize];
            let (even, odd) = (
                &lists.even[pair.even as usize],
                &lists.odd[pair.odd as usize],
            );
            let white = histogram(&even.walk, &odd.scan, visited.even_limit, pair.odd_limit);
            let black = histogram(&odd.walk, &even.scan, visited.even_limit, pair.odd_limit);
            for even_index in 0..visited.even_limit {
                for odd_index in 0..pair.odd_limit {
                    let cell = (even_index * pair.odd_limit + odd_index) as usize;
                    let weights = match odd_index < pair.doubled {
                        true => &visited.scan_weights.doubled,
                        false => &visited.scan_weights.rest,
                    };
                    let weight = u64::from(*weights.get(even_index as usize).unwrap_or(&1));
                    total += pair.weight * weight * white[cell] * black[cell];
                }
            }
        }
        total
    }

    #[test]
    fn device_lists_give_the_count_of_every_unit() {
        for (n, mask_pairs) in (1..=11).flat_map(|n| [(n, 0), (n, 1), (n, 2)]) {
            let mut builder = ListBuilder::new(n).unwrap().with_mask_pairs(mask_pairs);
            let mut lists = UnitLists::default();
            for unit in 0..builder.units().len() {
                assert!(builder.build(unit, &mut lists));
                assert_eq!(
                    Some(count(&lists)),
                    count_unit(n, unit),
                    "n={n} unit={unit} pairs={mask_pairs}"
                );
            }
            assert!(!builder.build(builder.units().len(), &mut lists));
        }
    }

    type PlacementsAndLines = (Vec<u32>, Vec<u64>);

    /// Keeps two of every three row sets.
    #[derive(Default)]
    struct Shelf(Mutex<Vec<Option<PlacementsAndLines>>>);

    impl Upload for Shelf {
        fn upload(&self, placements: &[u32], lines: &[u64]) -> Option<Uploaded> {
            let mut shelf = self.0.lock().unwrap();
            let place = shelf.len() as u32;
            let has_room = place % 3 < 2;
            shelf.push(has_room.then(|| (placements.to_vec(), lines.to_vec())));
            has_room.then_some(Uploaded {
                placements: place,
                lines: place,
            })
        }
    }

    #[test]
    fn lists_that_are_kept_elsewhere_are_the_same_and_not_here() {
        for n in 8..=15 {
            let shelf = Shelf::default();
            let mut plain = ListBuilder::new(n).unwrap();
            let mut builder = ListBuilder::new(n).unwrap().uploading_to(Some(&shelf));
            let (mut expected, mut lists) = (UnitLists::default(), UnitLists::default());
            let mut number = 0;
            for unit in 0..plain.units().len() {
                assert!(plain.build(unit, &mut expected) && builder.build(unit, &mut lists));
                let sets = lists.even.iter().chain(&lists.odd);
                for (set, whole) in sets.zip(expected.even.iter().chain(&expected.odd)) {
                    let shelf = shelf.0.lock().unwrap();
                    let (placements, lines) = match set.uploaded {
                        None => (&set.walk.placements, &set.scan.lines),
                        Some(uploaded) => {
                            number += 1;
                            assert!(set.walk.placements.is_empty() && set.scan.lines.is_empty());
                            let (placements, lines) =
                                shelf[uploaded.lines as usize].as_ref().unwrap();
                            (placements, lines)
                        }
                    };
                    assert_eq!(placements, &whole.walk.placements, "n={n} unit={unit}");
                    assert_eq!(lines, &whole.scan.lines, "n={n} unit={unit}");
                    assert_eq!(set.scan.starts, whole.scan.starts);
                    // What stays on the host is a sample of the lists in the whole scan list.
                    let mut lists = whole.scan.starts.windows(2);
                    for some in set.scan.sample_lists(64) {
                        let is_some = |range: &[u32]| {
                            let list = &whole.scan.lines[range[0] as usize..range[1] as usize];
                            list == some
                        };
                        assert!(lists.any(is_some), "n={n} unit={unit}");
                    }
                }
            }
            assert!(number > 0);
        }
    }

    #[test]
    fn placements_of_a_stem_are_sorted_and_filled_up() {
        let mut builder = ListBuilder::new(14).unwrap();
        let mut lists = UnitLists::default();
        for unit in [0, builder.units().len() / 2] {
            builder.build(unit, &mut lists);
            for walk in lists.even.iter().chain(&lists.odd).map(|set| &set.walk) {
                for stems in walk.stems.windows(2) {
                    let of = &walk.placements[stems[0].first as usize..stems[1].first as usize];
                    assert_eq!(of.len() % STEM_MULTIPLE, 0);
                    assert!(of.is_sorted());
                    assert_ne!(of[0], NO_PLACEMENT);
                }
                let listed = walk
                    .placements
                    .iter()
                    .filter(|&&p| p != NO_PLACEMENT)
                    .count();
                assert_eq!(listed as u64, walk.count);
            }
        }
    }
}
