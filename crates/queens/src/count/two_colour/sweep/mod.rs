//! Sweeps: one even row set counted with all odd row sets at once.
//!
//! **For `queens-cuda` only**, like [`device_lists`](super::device_lists): the names and the layout
//! may change with every release.
//!
//! The other ways to count take each pair of an even and an odd row set by itself. They visit every
//! placement of either colour: on large boards some hundreds for a cell. But odd row sets that have
//! all rows but two in common have most of their queens in common, too. A sweep places those queens
//! once. Then one product of matrices counts the last two queens of very many placements, for many
//! row sets.
//!
//! 1. Each colour has a board with even rows, *listed*, and one with odd rows, *swept*
//!    ([`SweptColour`]). Take the listed placements of one column set.
//! 2. Take a [`Core`]: all rows of a row set of the swept board but two. Beside each listed
//!    placement, place queens in the rows of the core, row by row. Partial placements in the same
//!    columns are kept together ([`Levels`]). At the end, those in the same columns are a *cohort*.
//!    Only the lines of a partial placement are kept, and they include those of the listed queens.
//! 3. The last two queens stand on two squares of the core's *open* rows, say `s` and `t`. In how
//!    many placements of the cohort are both free? Give each square a row of bits, one for each
//!    placement, that says whether the square is free. The answer is the number of ones that `s` and
//!    `t` have in common: one element of the product of a matrix of bits with its transpose.
//!
//!    ```text
//!      placements of a cohort      s is free       1 0 1 1 0 0 1
//!                                  t is free       1 1 0 1 0 0 1     3 in common
//!    ```
//!
//!    If `s` and `t` do not attack each other, this number is added to one cell of the table of the
//!    listed columns. Its row set is the core with the rows of `s` and `t`; its columns are the
//!    cohort's with those of `s` and `t`.
//! 4. When both colours have their tables, multiply them cell by cell. The sum of a row set is the
//!    sum of its products ([`Sweep`]).
//!
//! With 7 queens on the swept board, a cell of a table is the sum of 21 elements. So the work is no
//! longer to visit placements, but to make cohorts and multiply their matrices.
//!
//! # Files
//!
//! In the order to read them; each uses only files above it.
//!
//! | file | what it has |
//! |---|---|
//! | `cover` | cores that serve all odd row sets, and the search for few of them |
//! | `levels` | column sets, level by level |
//! | `colour` | one colour: what is listed, what is swept |
//! | `block` | the units that are counted together, and their sums |

mod cover;
mod levels;

mod colour;

mod block;

pub use super::device_lists::NO_INDEX;
pub use block::{Block, OddRowSet, Sweep};
pub use colour::SweptColour;
pub use cover::{Core, MOST_OPEN, Target};
pub use levels::Levels;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::two_colour::{count_unit, units};

    /// The lines of a square of the swept board.
    fn lines(colour: &SweptColour, row: u8, col: u32) -> u64 {
        let diag = col + colour.diag_offset - u32::from(row);
        let anti = col + colour.anti_offset + u32::from(row);
        1 << diag | 1 << (32 + anti)
    }

    /// Places a queen in each of `rows` beside others and calls `found` with the columns and lines of
    /// all.
    fn place(
        colour: &SweptColour,
        rows: &[u8],
        columns: u32,
        held: u64,
        found: &mut dyn FnMut(u32, u64),
    ) {
        let [row, rest @ ..] = rows else {
            return found(columns, held);
        };
        for col in (0..colour.cols).filter(|col| columns >> col & 1 == 0) {
            let square = lines(colour, *row, col);
            if held & square == 0 {
                place(colour, rest, columns | 1 << col, held | square, found);
            }
        }
    }

    /// The tables of a colour, by listed index, row set and swept index: visits every placement.
    fn tables(colour: &SweptColour, row_sets: usize) -> Vec<Vec<Vec<u64>>> {
        let listed = colour.starts.windows(2);
        let table = |range: &[u32]| {
            let mut table = vec![vec![0; colour.indices as usize]; row_sets];
            for &held in &colour.lines[range[0] as usize..range[1] as usize] {
                for core in &colour.cores {
                    place(colour, &core.rows, 0, held, &mut |columns, held| {
                        let size = columns.count_ones() as usize;
                        let cohort = colour.levels.sets[size].binary_search(&(columns as u16));
                        for target in &core.targets {
                            let last = target.open.map(|open| core.open[usize::from(open)]);
                            place(colour, &last, columns, held, &mut |columns, _| {
                                let index = colour.index_of[columns as usize];
                                if index != NO_INDEX {
                                    assert!(cohort.is_ok(), "every cohort is in its level");
                                    table[usize::from(target.row_set)][usize::from(index)] += 1;
                                }
                            });
                        }
                    });
                }
            }
            table
        };
        listed.map(table).collect()
    }

    /// The sums of a sweep, from nothing but its documentation.
    fn sums(sweep: &Sweep) -> Vec<u64> {
        let row_sets = sweep.odd_rows.len();
        let (white, black) = (
            tables(&sweep.white, row_sets),
            tables(&sweep.black, row_sets),
        );
        let sum = |(r, odd_rows): (usize, &OddRowSet)| {
            let mut sum = 0;
            for (e, white) in white.iter().enumerate() {
                for o in 0..odd_rows.odd_limit as usize {
                    let weights = match o < odd_rows.doubled as usize {
                        true => &sweep.weights.doubled,
                        false => &sweep.weights.rest,
                    };
                    let weight = u64::from(*weights.get(e).unwrap_or(&1));
                    sum += weight * white[r][o] * black[o][r][e];
                }
            }
            sum
        };
        sweep.odd_rows.iter().enumerate().map(sum).collect()
    }

    #[test]
    fn sweeps_give_the_count_of_every_unit_of_a_block() {
        let mut swept = 0;
        for n in 6..=14 {
            let mut unit = 0;
            while unit < units(n).unwrap().len() {
                let Some(mut block) = Block::of(n, unit) else {
                    unit += 1;
                    continue;
                };
                assert_eq!(block.numbers().start, unit);
                for row in 0..block.rows() {
                    assert_eq!(block.counts(), None);
                    let sweep = block.sweep(row).unwrap();
                    block.add(&sweep, &sums(&sweep));
                }
                assert!(block.sweep(block.rows()).is_none());
                let expected = block.numbers().map(|unit| count_unit(n, unit));
                let expected: Option<Vec<u64>> = expected.collect();
                assert_eq!(block.counts(), expected, "n={n} unit={unit}");
                swept += block.numbers().end - unit;
                unit = block.numbers().end;
            }
        }
        assert!(swept > 10, "{swept} units were swept");
    }

    #[test]
    fn a_block_without_enough_queens_cannot_be_swept() {
        assert!(Block::of(8, 0).is_none());
        assert!(Block::of(8, 1_000).is_none());
        assert!(Block::of(33, 0).is_none());
    }
}
