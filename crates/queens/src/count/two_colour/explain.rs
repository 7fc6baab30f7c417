//! The two-colour idea on boards small enough to look at.
//!
//! A queen's diagonals stay on one colour, so white queens (row + column even) and black
//! ones meet only in rows and columns. Give the white queens a set of rows: they can use
//! many sets of columns, each in some number of ways, which makes a histogram over column
//! sets. The black queens get the other rows, and their histogram is read at the other
//! columns. Where the two meet, the numbers multiply, and the products of all row sets add
//! up to the count:
//!
//! ```text
//!  . . Q .      white rows {0, 3}     columns of white   white   black   product
//!  Q . . .                            {0, 1}                 1       0         0
//!  . . . Q                            {1, 2}                 1       1         1
//!  . Q . .                            {2, 3}                 1       0         0
//!
//!  1 solution from these rows and 1 from white rows {1, 2}: the 2 solutions for n = 4
//! ```
//!
//! The engine [`two-colour-plain`](crate::count::two_colour_plain) adds these products up and
//! keeps none. Here the same search makes lists, so that a page can show them.

use super::super::two_colour_plain::each_placement;
use std::collections::BTreeMap;

pub use super::super::two_colour_plain::Colour;

/// The largest board to explain: larger ones take long and fit no picture.
pub const LARGEST_N: usize = 12;

/// All placements of one colour: a queen in each of `rows` (bit `r` for row `r`) on a
/// square of that colour, none sharing a column or a diagonal, as `(row, col)` pairs.
///
/// ```
/// use queens::count::two_colour::explain::{Colour, placements};
///
/// let white = placements(4, 0b1001, Colour::White);
/// assert_eq!(white, [vec![(0, 0), (3, 1)], vec![(0, 2), (3, 1)], vec![(0, 2), (3, 3)]]);
/// ```
///
/// # Panics
///
/// When `n` is above [`LARGEST_N`].
pub fn placements(n: usize, rows: u32, colour: Colour) -> Vec<Vec<(usize, usize)>> {
    assert!(n <= LARGEST_N, "explanations end at n = {LARGEST_N}");
    let mut found = Vec::new();
    each_placement(n, rows, colour, |_, queens| {
        let rows = (0..n).filter(|row| rows >> row & 1 == 1);
        found.push(rows.map(|row| (row, usize::from(queens[row]))).collect());
    });
    found
}

/// One column set of the white queens, and what the two histograms have there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bar {
    /// The columns of the white queens; the black ones have all others.
    pub cols: u32,
    /// How many white placements use exactly these columns.
    pub white: u64,
    /// How many black placements use exactly the others.
    pub black: u64,
}

impl Bar {
    /// The solutions that this bar stands for.
    pub fn product(self) -> u64 {
        self.white * self.black
    }
}

/// The two histograms of one split: white queens have `rows`, black ones the other rows.
/// Bars where both are 0 are left out; the rest come by rising column set.
///
/// ```
/// use queens::count::two_colour::explain::{Bar, histograms};
///
/// let bars = histograms(4, 0b1001);
/// let meeting: Vec<_> = bars.into_iter().filter(|bar| bar.product() > 0).collect();
/// assert_eq!(meeting, [Bar { cols: 0b0110, white: 1, black: 1 }]);
/// ```
///
/// # Panics
///
/// When `n` is above [`LARGEST_N`].
pub fn histograms(n: usize, rows: u32) -> Vec<Bar> {
    assert!(n <= LARGEST_N, "explanations end at n = {LARGEST_N}");
    let full = (1u32 << n) - 1;
    let mut bars: BTreeMap<u32, Bar> = BTreeMap::new();
    let mut add = |cols: u32, white: u64, black: u64| {
        let bar = bars.entry(cols).or_insert(Bar {
            cols,
            white: 0,
            black: 0,
        });
        bar.white += white;
        bar.black += black;
    };
    each_placement(n, rows, Colour::White, |cols, _| add(cols, 1, 0));
    let other_rows = full & !rows;
    each_placement(n, other_rows, Colour::Black, |cols, _| {
        add(full & !cols, 0, 1);
    });
    bars.into_values().collect()
}

/// Every split of the rows that contributes, with the solutions it stands for. They add
/// up to the count.
///
/// ```
/// use queens::count::two_colour::explain::splits;
///
/// assert_eq!(splits(4), [(0b0110, 1), (0b1001, 1)]);
/// assert_eq!(splits(8).iter().map(|(_, solutions)| solutions).sum::<u64>(), 92);
/// ```
///
/// # Panics
///
/// When `n` is above [`LARGEST_N`].
pub fn splits(n: usize) -> Vec<(u32, u64)> {
    (0..1u32 << n)
        .map(|rows| {
            let solutions = histograms(n, rows).into_iter().map(Bar::product).sum();
            (rows, solutions)
        })
        .filter(|&(_, solutions)| solutions > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solutions;

    #[test]
    fn every_split_counts_the_solutions_whose_white_queens_have_those_rows() {
        for n in 1..=8 {
            let mut expected: BTreeMap<u32, u64> = BTreeMap::new();
            for cols in solutions(n) {
                let rows = (0..n)
                    .filter(|&row| Colour::of(row, cols[row]) == Colour::White)
                    .fold(0, |set, row| set | 1 << row);
                *expected.entry(rows).or_default() += 1;
            }
            assert_eq!(splits(n), expected.into_iter().collect::<Vec<_>>());
        }
    }
}
