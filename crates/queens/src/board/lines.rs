//! The O(n) representation of the NPTEL lecture: which lines are attacked.
//!
//! A square lies on one row, one column and two diagonals, and it is attacked exactly
//! when one of those four lines holds a queen. So four arrays of flags say all that the
//! n^2 grid of [`super::first_attacker`] says, in O(n) space: `row[i]`, `col[j]`,
//! `NWtoSE[j - i]` and `SWtoNE[j + i]`. The lecture indexes `NWtoSE` from `-(n-1)` to
//! `n-1`; the array here is the same one, moved up by `n - 1`.
//!
//! ```text
//!  . Q . .      row 1 1 0 0    NWtoSE  -3 .. 3   0 0 0 0 1 1 0     (1: 1-0,  2: 3-1)
//!  . . . Q      col 0 1 0 1    SWtoNE   0 .. 6   0 1 0 0 1 0 0     (1: 1+0,  4: 3+1)
//! ```
//!
//! Every operation is O(1): four flags are read, or four are written. `row` is always 0
//! in the row being tried; it is kept because the lecture keeps it.

use super::{Representation, SearchBoard};
use crate::search::Search;

/// A board that keeps a flag per row, column and diagonal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    n: usize,
    queens: Vec<i16>,
    row: Vec<u8>,
    col: Vec<u8>,
    nw_to_se: Vec<u8>,
    sw_to_ne: Vec<u8>,
}

impl Lines {
    /// `row[i]`: 1 when row `i` holds a queen.
    pub fn row(&self) -> &[u8] {
        &self.row
    }

    /// `col[j]`: 1 when column `j` holds a queen.
    pub fn col(&self) -> &[u8] {
        &self.col
    }

    /// `NWtoSE`, from `col - row = -(n - 1)` at index 0 to `n - 1` at the end.
    ///
    /// ```
    /// use queens::board::{SearchBoard, Lines};
    ///
    /// let mut board = Lines::new(4);
    /// board.place(0, 1);
    /// board.place(1, 3);
    /// assert_eq!(board.nw_to_se(), [0, 0, 0, 0, 1, 1, 0]);
    /// assert_eq!(board.sw_to_ne(), [0, 1, 0, 0, 1, 0, 0]);
    /// ```
    pub fn nw_to_se(&self) -> &[u8] {
        &self.nw_to_se
    }

    /// `SWtoNE`, indexed by `col + row`.
    pub fn sw_to_ne(&self) -> &[u8] {
        &self.sw_to_ne
    }

    fn set(&mut self, row: usize, col: usize, flag: u8) {
        self.row[row] = flag;
        self.col[col] = flag;
        self.nw_to_se[col + self.n - 1 - row] = flag;
        self.sw_to_ne[col + row] = flag;
    }
}

impl SearchBoard for Lines {
    fn new(n: usize) -> Self {
        Representation::Lines.assert_holds(n);
        let diagonals = (2 * n).saturating_sub(1);
        Lines {
            n,
            queens: vec![-1; n],
            row: vec![0; n],
            col: vec![0; n],
            nw_to_se: vec![0; diagonals],
            sw_to_ne: vec![0; diagonals],
        }
    }

    fn n(&self) -> usize {
        self.n
    }

    fn queen(&self, row: usize) -> Option<usize> {
        usize::try_from(self.queens[row]).ok()
    }

    fn is_free(&self, row: usize, col: usize) -> bool {
        let diag = self.nw_to_se[col + self.n - 1 - row];
        self.row[row] | self.col[col] | diag | self.sw_to_ne[col + row] == 0
    }

    fn place(&mut self, row: usize, col: usize) {
        self.queens[row] = col as i16;
        self.set(row, col, 1);
    }

    fn remove(&mut self, row: usize, col: usize) {
        self.queens[row] = -1;
        self.set(row, col, 0);
    }
}

impl Search for Lines {}
