//! `two-colour-plain`: black and white queens counted separately, the identity and nothing else.
//!
//! A diagonal never leaves its colour: one step along it changes row and column by one each,
//! so row + column stays even, or odd. Call the squares with an even sum white, the others
//! black. **A white queen and a black one never meet on a diagonal**, only in a row or a
//! column. So if the white queens of a solution stand in the rows R and the columns C, the
//! black ones stand in the other rows and the other columns, and *any* such black placement
//! fits *any* such white one:
//!
//! ```text
//! Q(n) = sum over R and C of  white(R, C) * black(not R, not C)
//! ```
//!
//! where `white(R, C)` counts the ways to put queens on white squares, one in each row of R
//! and one in each column of C, no two on a diagonal. For n = 4 and R = {0, 3}:
//!
//! ```text
//!   R = {0, 3}         columns C     white(R, C)   black(not R, not C)   product
//!   w . w .            {0, 1}             1                 0               0
//!   b . b .            {1, 2}             1                 1               1
//!   . b . b            {2, 3}             1                 0               0
//!   . w . w
//! ```
//!
//! The other solution comes from R = {1, 2}. This file does just that: for every R it makes a
//! histogram of the white placements by C, one cell per set of columns, and then looks up what
//! every black placement finds there. No pair of a white and a black placement is ever made,
//! and no solution either: a count is a sum of products.
//!
//! The backtrackers below this rung visit every solution. Here a white placement is visited
//! once for all black placements that go with it. At n = 16 there are 3.4e8 placements of either
//! colour, where `bitmask` has 1.1e9 nodes. From n = 14 to 16 the placements grow 23-fold, the
//! nodes 42-fold. The next rung, [`two-colour`](super::two_colour), computes the same sum with
//! symmetry, vectors and threads.

use super::{CountError, Job};

/// The largest board: a histogram has a cell for every set of columns, 4 MB here.
pub const LARGEST_N: usize = 20;

/// One of the two colours of squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Squares with an even sum of row and column.
    White,
    /// Squares with an odd sum.
    Black,
}

impl Colour {
    /// The colour of a square.
    pub fn of(row: usize, col: usize) -> Colour {
        match (row + col).is_multiple_of(2) {
            true => Colour::White,
            false => Colour::Black,
        }
    }

    /// The columns of a row whose squares have this colour, as bits.
    fn cols(self, n: usize, row: usize) -> u32 {
        let cols = (0..n).filter(|&col| Colour::of(row, col) == self);
        cols.fold(0, |set, col| set | 1 << col)
    }
}

/// All columns, or all rows, as bits.
fn all(n: usize) -> u32 {
    ((1u64 << n) - 1) as u32
}

/// A search for the placements of one colour in given rows. It works like the `bitmask` engine:
/// the diagonals of the queens so far move one column per row.
struct Search {
    /// For each row the columns that its queen may take; `None` for rows without a queen.
    rows: Vec<Option<u32>>,
    /// The column of each row's queen.
    queens: Vec<u8>,
}

impl Search {
    fn new(n: usize, rows: u32, colour: Colour) -> Search {
        let holds = |row: usize| rows >> row & 1 == 1;
        let squares = |row| holds(row).then(|| colour.cols(n, row));
        Search {
            rows: (0..n).map(squares).collect(),
            queens: vec![0; n],
        }
    }

    /// Calls `found` for every placement with the set of its columns and the column of each
    /// row's queen.
    fn run(&mut self, row: usize, attacked: Attacked, found: &mut impl FnMut(u32, &[u8])) {
        let Some(&squares) = self.rows.get(row) else {
            return found(attacked.cols, &self.queens);
        };
        let Some(squares) = squares else {
            return self.run(row + 1, attacked.next_row(0), found);
        };
        let mut free = squares & !(attacked.cols | attacked.diag | attacked.anti);
        while free != 0 {
            let bit = free & free.wrapping_neg();
            free ^= bit;
            self.queens[row] = bit.trailing_zeros() as u8;
            self.run(row + 1, attacked.next_row(bit), found);
        }
    }
}

/// The columns of a row that the queens above attack: straight down and along both diagonals.
#[derive(Clone, Copy, Default)]
struct Attacked {
    cols: u32,
    diag: u32,
    anti: u32,
}

impl Attacked {
    /// The same for the row below, with a queen on `bit` in this row; 0 is no queen.
    fn next_row(self, bit: u32) -> Attacked {
        Attacked {
            cols: self.cols | bit,
            diag: (self.diag | bit) << 1,
            anti: (self.anti | bit) >> 1,
        }
    }
}

/// Calls `found` for every placement of one colour: a queen in each of `rows` (bit `r` for row
/// `r`) on a square of that colour, no two sharing a column or a diagonal. `found` gets the set
/// of their columns, as bits, and the column of each row's queen (0 for a row without one).
///
/// ```
/// use queens::count::two_colour_plain::{Colour, each_placement};
///
/// let mut white = Vec::new();
/// each_placement(4, 0b1001, Colour::White, |cols, _| white.push(cols));
/// assert_eq!(white, [0b0011, 0b0110, 0b1100]);
/// ```
///
/// # Panics
///
/// When `n` is above [`LARGEST_N`].
pub fn each_placement(n: usize, rows: u32, colour: Colour, mut found: impl FnMut(u32, &[u8])) {
    assert!(
        n <= LARGEST_N,
        "the boards of this file end at n = {LARGEST_N}"
    );
    Search::new(n, rows, colour).run(0, Attacked::default(), &mut found);
}

/// A histogram of white placements by their columns, in which black placements look up theirs.
struct Histogram {
    n: usize,
    /// How many white placements have each set of columns.
    counts: Vec<u32>,
    /// The sets whose count is not zero.
    used: Vec<u32>,
}

impl Histogram {
    /// The solutions whose white queens have exactly these rows.
    fn solutions(&mut self, white_rows: u32) -> u64 {
        let Histogram { n, counts, used } = self;
        let everything = all(*n);
        each_placement(*n, white_rows, Colour::White, |cols, _| {
            let count = &mut counts[cols as usize];
            if *count == 0 {
                used.push(cols);
            }
            *count += 1;
        });
        let mut sum = 0;
        if !used.is_empty() {
            each_placement(*n, everything & !white_rows, Colour::Black, |cols, _| {
                sum += u64::from(counts[(everything & !cols) as usize]);
            });
        }
        for cols in used.drain(..) {
            counts[cols as usize] = 0;
        }
        sum
    }
}

/// Counts the solutions for a job: the sum over all sets of rows.
pub(super) fn count(job: &Job<'_>) -> Result<u128, CountError> {
    let sets = 1u64 << job.n;
    let mut histogram = Histogram {
        n: job.n,
        counts: vec![0; 1 << job.n],
        used: Vec::new(),
    };
    let mut total = 0u128;
    for rows in 0..sets {
        let share = rows as f64 / sets as f64;
        if job.is_stopped() {
            return Err(CountError::Stopped { share });
        }
        if rows.is_multiple_of(256) {
            job.report(share);
        }
        total += u128::from(histogram.solutions(rows as u32));
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::super::{Count, Engine};
    use super::*;
    use crate::known::known;

    #[test]
    fn sums_of_products_are_the_published_counts() {
        for n in 0..=12 {
            let counted = Count::new(n).engine(Engine::TwoColourPlain).run();
            assert_eq!(counted, Ok(known(n).unwrap().all), "n={n}");
        }
    }

    #[test]
    fn two_queens_of_different_colour_never_share_a_diagonal() {
        for n in 1..=8usize {
            for a in 0..n * n {
                for b in 0..n * n {
                    let ((r, c), (s, d)) = ((a / n, a % n), (b / n, b % n));
                    if Colour::of(r, c) != Colour::of(s, d) {
                        assert_ne!(r.abs_diff(s), c.abs_diff(d));
                    }
                }
            }
        }
    }

    /// Every placement found is valid, and there are as many as trying all squares finds.
    #[test]
    fn the_search_finds_what_trying_all_squares_finds() {
        fn tried(n: usize, rows: &[usize], colour: Colour, at: &mut Vec<(usize, usize)>) -> usize {
            let Some((&row, rest)) = rows.split_first() else {
                return 1;
            };
            let mut found = 0;
            for col in (0..n).filter(|&col| Colour::of(row, col) == colour) {
                let meets = |&(r, c): &(usize, usize)| c == col || c.abs_diff(col) == row - r;
                if !at.iter().any(meets) {
                    at.push((row, col));
                    found += tried(n, rest, colour, at);
                    at.pop();
                }
            }
            found
        }
        for n in 0..=6 {
            for rows in 0..1 << n {
                for colour in [Colour::White, Colour::Black] {
                    let list: Vec<usize> = (0..n).filter(|row| rows >> row & 1 == 1).collect();
                    let mut found = 0;
                    each_placement(n, rows, colour, |cols, queens| {
                        let set = list.iter().fold(0u32, |set, &row| set | 1 << queens[row]);
                        assert_eq!((set, set.count_ones()), (cols, rows.count_ones()));
                        found += 1;
                    });
                    assert_eq!(found, tried(n, &list, colour, &mut Vec::new()), "n={n}");
                }
            }
        }
    }
}
