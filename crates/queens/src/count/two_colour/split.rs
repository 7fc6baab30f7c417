//! The geometry of the split: four half-size boards, their lines, and the classes.
//!
//! Even rows E and odd rows O, even columns e and odd columns o cut the board into four
//! small ones. Black squares (row + column even) are `E x e` and `O x o`, white squares
//! are `E x o` and `O x e`. In half-size coordinates `(i, j)` a queen's two diagonals
//! become two small numbers, and only boards of one colour share them:
//!
//! ```text
//!   . 0 . 1      A = E x e (.)   black   anti i+j     diagonal j-i
//!   2 . 3 .      B = O x o (.)   black   anti i+j+1   diagonal j-i
//!   . 0 . 1      D = E x o (0 1) white   anti i+j     diagonal j-i
//!   2 . 3 .      F = O x e (2 3) white   anti i+j     diagonal j-i-1
//! ```
//!
//! A *class* `c` fixes how many queens every small board holds: D and F hold `c`, A holds
//! `hE - c` and B holds `hO - c`. Sets of rows or columns of a small board are bits of a
//! `u32`; the lines a placement occupies are bits of a `u64`, diagonals in the low half.

/// One of the four half-size boards: where its diagonals start in the line numbering.
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
    /// The two lines through square `(i, j)`, as bits.
    #[inline(always)]
    pub fn lines(self, i: u32, j: u32) -> u64 {
        // Both grow with the column, so the lines of a row's first square are enough.
        ((1 << (self.diag_offset - i)) | (1 << (32 + i + self.anti_offset))) << j
    }

    /// The columns of row `i` that the `lines` attack.
    #[inline(always)]
    pub fn attacked(self, i: u32, lines: u64) -> u32 {
        (lines as u32 >> (self.diag_offset - i)) | ((lines >> 32) as u32 >> (self.anti_offset + i))
    }

    /// The columns of row `i` that are not among `cols` and that the `lines` do not attack.
    #[inline(always)]
    pub fn free(self, i: u32, cols: u32, lines: u64) -> u32 {
        self.all_cols() & !(cols | self.attacked(i, lines))
    }

    /// The set of all columns.
    #[inline(always)]
    pub fn all_cols(self) -> u32 {
        full(self.cols)
    }
}

/// The set `{0, .., size - 1}`.
#[inline(always)]
pub(crate) fn full(size: u32) -> u32 {
    ((1u64 << size) - 1) as u32
}

/// The set mirrored within `size` elements: element `i` becomes `size - 1 - i`.
pub(crate) fn reverse(set: u32, size: u32) -> u32 {
    if size == 0 {
        0
    } else {
        set.reverse_bits() >> (32 - size)
    }
}

/// The four half-size boards of one `n`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    /// Size of the whole board.
    pub n: u32,
    /// Number of even rows (and of even columns): `ceil(n / 2)`.
    pub even: u32,
    /// Number of odd rows (and of odd columns): `floor(n / 2)`.
    pub odd: u32,
}

impl Split {
    pub fn new(n: u32) -> Split {
        Split {
            n,
            even: n.div_ceil(2),
            odd: n / 2,
        }
    }

    /// Black, even rows and even columns.
    pub fn a(self) -> SmallBoard {
        SmallBoard {
            cols: self.even,
            diag_offset: self.even - 1,
            anti_offset: 0,
        }
    }

    /// Black, odd rows and odd columns.
    pub fn b(self) -> SmallBoard {
        SmallBoard {
            cols: self.odd,
            diag_offset: self.even - 1,
            anti_offset: 1,
        }
    }

    /// White, even rows and odd columns.
    pub fn d(self) -> SmallBoard {
        SmallBoard {
            cols: self.odd,
            diag_offset: self.even,
            anti_offset: 0,
        }
    }

    /// White, odd rows and even columns.
    pub fn f(self) -> SmallBoard {
        SmallBoard {
            cols: self.even,
            diag_offset: self.even - 1,
            anti_offset: 0,
        }
    }

    /// The classes that are visited. For even `n` class `c` and class `n/2 - c` are each
    /// other's mirror image, so only the half with `c <= n/2 - c` is.
    pub fn classes(self) -> std::ops::RangeInclusive<u32> {
        if self.n.is_multiple_of(2) {
            0..=self.odd / 2
        } else {
            0..=self.odd
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
                (split.a(), 0, 0),
                (split.b(), 1, 1),
                (split.d(), 0, 1),
                (split.f(), 1, 0),
            ];
            let mut squares = Vec::new();
            for (board, row0, col0) in boards {
                for row in (row0..n).step_by(2) {
                    for col in (col0..n).step_by(2) {
                        let lines = board.lines(row / 2, col / 2);
                        assert_eq!(lines.count_ones(), 2);
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
                        assert_eq!(l1 & l2 != 0, whole, "n={n} ({r1},{c1}) ({r2},{c2})");
                    }
                }
            }
        }
    }

    #[test]
    fn reversing_a_set_twice_gives_it_back() {
        for size in 0..=16 {
            for set in 0..=full(size).min(4095) {
                assert_eq!(reverse(reverse(set, size), size), set);
            }
        }
    }
}
