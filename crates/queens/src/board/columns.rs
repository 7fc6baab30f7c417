//! The board as one column number per row.
//!
//! There is exactly one queen in a row, so a row needs no more than the number of its
//! column: the n-tuple of BACS2063 chapter 6 and its array `queensInRow`, "array of n
//! bytes?" in the recitation, the single list of the NPTEL lecture. Two queens `(i, j)`
//! and `(k, l)` share a diagonal when `|j - l| = |i - k|`, so a square is tested against
//! every queen above it:
//!
//! ```text
//!  . Q . .      1      (2, 2)?  row 0: |2 - 1| = 1, |2 - 0| = 2, no attack
//!  . . . Q      3               row 1: |2 - 3| = 1, |2 - 1| = 1, a diagonal: refused
//!  . . ? .
//! ```
//!
//! At most `row` comparisons per square, and undoing costs nothing but forgetting the
//! last number.

use super::{Representation, SearchBoard};
use crate::search::Search;

/// A board that keeps a column per row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    n: usize,
    queens_in_row: Vec<u8>,
}

impl Columns {
    /// The columns of the queens placed so far, from row 0: the partial solution.
    ///
    /// ```
    /// use queens::board::{SearchBoard, Columns};
    ///
    /// let mut board = Columns::new(4);
    /// board.place(0, 1);
    /// board.place(1, 3);
    /// assert_eq!(board.queens_in_row(), [1, 3]);
    /// ```
    pub fn queens_in_row(&self) -> &[u8] {
        &self.queens_in_row
    }
}

impl SearchBoard for Columns {
    fn new(n: usize) -> Self {
        Representation::Columns.assert_holds(n);
        Columns {
            n,
            queens_in_row: Vec::with_capacity(n),
        }
    }

    fn n(&self) -> usize {
        self.n
    }

    #[inline]
    fn queen(&self, row: usize) -> Option<usize> {
        self.queens_in_row.get(row).map(|&col| col as usize)
    }

    #[inline]
    fn is_free(&self, row: usize, col: usize) -> bool {
        self.queens_in_row[..row]
            .iter()
            .enumerate()
            .all(|(above, &queen)| {
                let apart = col.abs_diff(queen as usize);
                apart != 0 && apart != row - above
            })
    }

    #[inline]
    fn place(&mut self, row: usize, col: usize) {
        debug_assert_eq!(row, self.queens_in_row.len());
        self.queens_in_row.push(col as u8);
    }

    #[inline]
    fn remove(&mut self, row: usize, col: usize) {
        let removed = self.queens_in_row.pop();
        debug_assert_eq!((self.queens_in_row.len(), removed), (row, Some(col as u8)));
    }

    fn copy_cols(&self, cols: &mut [usize]) {
        for (to, &col) in cols.iter_mut().zip(&self.queens_in_row) {
            *to = col.into();
        }
    }
}

impl Search for Columns {}
