//! The board as `n * n` bytes: 1 where a queen stands, 0 elsewhere.
//!
//! This is the first choice in the recitation on bit vectors ("array of n^2 bytes?") and
//! the two-dimensional `board[i][j]` of the NPTEL lecture. It is the picture of the board
//! and nothing more, so nobody has noted which squares are attacked: a free square is
//! found by walking from it upwards along the column and both diagonals until the edge.
//!
//! ```text
//!  . Q . .      0 1 0 0
//!  . . . Q      0 0 0 1      is (2, 0) free? look at (1, 0) (0, 0), then (1, 1) (0, 2);
//!  ? . . .      0 0 0 0      all are 0, so it is
//!  . . . .      0 0 0 0
//! ```
//!
//! Placing and removing cost one store each; the question costs up to `3n` loads.

use super::{Representation, SearchBoard};
use crate::search::Search;

/// A board that keeps a byte per square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteGrid {
    n: usize,
    squares: Vec<u8>,
}

impl ByteGrid {
    /// The bytes of one row: 1 for a queen, 0 for no queen.
    ///
    /// ```
    /// use queens::board::{SearchBoard, ByteGrid};
    ///
    /// let mut board = ByteGrid::new(4);
    /// board.place(0, 1);
    /// assert_eq!(board.row(0), [0, 1, 0, 0]);
    /// ```
    #[inline]
    pub fn row(&self, row: usize) -> &[u8] {
        &self.squares[row * self.n..][..self.n]
    }
}

impl SearchBoard for ByteGrid {
    fn new(n: usize) -> Self {
        Representation::ByteGrid.assert_holds(n);
        ByteGrid {
            n,
            squares: vec![0; n * n],
        }
    }

    fn n(&self) -> usize {
        self.n
    }

    #[inline]
    fn queen(&self, row: usize) -> Option<usize> {
        self.row(row).iter().position(|&square| square == 1)
    }

    #[inline]
    fn is_free(&self, row: usize, col: usize) -> bool {
        (1..=row).all(|up| {
            let above = self.row(row - up);
            let left = col.checked_sub(up).map_or(0, |left| above[left]);
            let right = above.get(col + up).copied().unwrap_or(0);
            above[col] | left | right == 0
        })
    }

    #[inline]
    fn place(&mut self, row: usize, col: usize) {
        self.squares[row * self.n + col] = 1;
    }

    #[inline]
    fn remove(&mut self, row: usize, col: usize) {
        self.squares[row * self.n + col] = 0;
    }
}

impl Search for ByteGrid {}
