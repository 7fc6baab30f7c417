//! The four small boards that parity cuts a board into, and their lines.
//!
//! A small board is named by the parity of its rows, then of its columns. White squares (row +
//! column even) are on `even_even` and `odd_odd`, black ones on `even_odd` and `odd_even`:
//!
//! ```text
//!            0  1  2  3  4
//!       0   ee eo ee eo ee        ee  even_even   white   3 x 3
//!       1   oe oo oe oo oe        oo  odd_odd     white   2 x 2
//!       2   ee eo ee eo ee        eo  even_odd    black   3 x 2
//!       3   oe oo oe oo oe        oe  odd_even    black   2 x 3
//!       4   ee eo ee eo ee
//! ```
//!
//! Square `(i, j)` of a small board is square `(2 i, 2 j)` of the whole board, plus one where the
//! parity is odd. Number the diagonals of a small board by `j - i` and its anti-diagonals by
//! `i + j`, and add 1 to the anti-diagonals of `odd_odd` and to the diagonals of `even_odd`. Then
//! two squares of one colour are on one line of the whole board exactly when their numbers agree.
//! So the lines of a colour are two small ranges of numbers, which [`Lines`] holds as bits (here
//! the diagonals begin at 0):
//!
//! ```text
//!   n = 5       diagonal of ee     anti of ee     diagonal of oo     anti of oo
//!                   2 3 4             0 1 2             2 3              1 2
//!                   1 2 3             1 2 3             1 2              2 3
//!                   0 1 2             2 3 4
//! ```
//!
//! One number fixes how many queens each small board holds. Say `even_odd` holds
//! `black_queens`. The other even rows have their queens on `even_even`, one to an even column.
//! That leaves `black_queens` even columns, which get theirs from `odd_even`. The odd rows that
//! are left have their queens on `odd_odd`.

use super::sets::{Lines, Set};

/// One of the four small boards: where its lines begin in the numbering of its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SmallBoard {
    /// Number of columns.
    pub cols: u32,
    /// Added to `j - i` to number the diagonals.
    pub diag_offset: u32,
    /// Added to `i + j` to number the anti-diagonals.
    pub anti_offset: u32,
}

impl SmallBoard {
    /// The two lines through square `(i, j)`.
    #[inline(always)]
    pub fn lines(self, i: u32, j: u32) -> Lines {
        // Both numbers grow with the column: shift the lines of the row's first square.
        Lines(((1 << (self.diag_offset - i)) | (1 << (32 + i + self.anti_offset))) << j)
    }

    /// The columns in which `lines` cross row `i`, and perhaps some beyond the board.
    #[inline(always)]
    pub fn attacked(self, i: u32, lines: Lines) -> u32 {
        (lines.diags() >> (self.diag_offset - i)) | (lines.antis() >> (self.anti_offset + i))
    }

    /// The columns of row `i` that are not in `cols` and that no line crosses.
    #[inline(always)]
    pub fn free(self, i: u32, cols: Set, lines: Lines) -> Set {
        Set(self.all_cols().0 & !(cols.0 | self.attacked(i, lines)))
    }

    /// All columns.
    #[inline(always)]
    pub fn all_cols(self) -> Set {
        Set::full(self.cols)
    }
}

/// A board cut into its four small boards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    /// Size of the whole board.
    pub n: u32,
    /// Number of even rows, and of even columns: `ceil(n / 2)`.
    pub even: u32,
    /// Number of odd rows, and of odd columns: `floor(n / 2)`.
    pub odd: u32,
}

impl Split {
    /// Cuts a board of size `n`.
    pub fn new(n: u32) -> Split {
        Split {
            n,
            even: n.div_ceil(2),
            odd: n / 2,
        }
    }

    /// Whether `n` is odd.
    #[inline(always)]
    pub fn is_odd(self) -> bool {
        self.n % 2 == 1
    }

    /// White, even rows and even columns.
    pub fn even_even(self) -> SmallBoard {
        SmallBoard {
            cols: self.even,
            diag_offset: self.even - 1,
            anti_offset: 0,
        }
    }

    /// White, odd rows and odd columns.
    pub fn odd_odd(self) -> SmallBoard {
        SmallBoard {
            cols: self.odd,
            diag_offset: self.even - 1,
            anti_offset: 1,
        }
    }

    /// Black, even rows and odd columns.
    pub fn even_odd(self) -> SmallBoard {
        SmallBoard {
            cols: self.odd,
            diag_offset: self.even,
            anti_offset: 0,
        }
    }

    /// Black, odd rows and even columns.
    pub fn odd_even(self) -> SmallBoard {
        SmallBoard {
            cols: self.even,
            diag_offset: self.even - 1,
            anti_offset: 0,
        }
    }

    /// The numbers of black queens whose classes are visited. For even `n` the classes of `b`
    /// and of `n/2 - b` are each other's mirror image, so only that of the smaller number is.
    pub fn classes(self) -> std::ops::RangeInclusive<u32> {
        match self.is_odd() {
            true => 0..=self.odd,
            false => 0..=self.odd / 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two squares of one colour share a numbered line exactly when they share a
    /// diagonal of the whole board.
    #[test]
    fn numbered_lines_are_the_diagonals_of_the_whole_board() {
        for n in 1..=32 {
            let split = Split::new(n);
            let boards = [
                (split.even_even(), 0, 0),
                (split.odd_odd(), 1, 1),
                (split.even_odd(), 0, 1),
                (split.odd_even(), 1, 0),
            ];
            let mut squares = Vec::new();
            for (board, row0, col0) in boards {
                for row in (row0..n).step_by(2) {
                    for col in (col0..n).step_by(2) {
                        let lines = board.lines(row / 2, col / 2);
                        assert_eq!(lines.0.count_ones(), 2);
                        let attacked = board.attacked(row / 2, lines);
                        assert_ne!(attacked & (1 << (col / 2)), 0, "a square attacks itself");
                        squares.push((row, col, lines));
                    }
                }
            }
            for &(r1, c1, l1) in &squares {
                for &(r2, c2, l2) in &squares {
                    if (r1 + c1) % 2 == (r2 + c2) % 2 {
                        let whole = r1 + c2 == r2 + c1 || r1 + c1 == r2 + c2;
                        assert_eq!(l1.meet(l2), whole, "n={n} ({r1},{c1}) ({r2},{c2})");
                    }
                }
            }
        }
    }
}
