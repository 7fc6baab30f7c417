//! The grid `B` of the CSE 15 assignment: how many queens above attack each square.
//!
//! `B` is an `(n + 1)` by `(n + 1)` array of integers, numbered from 1 as the assignment
//! numbers the chessboard. `B[i][j]` is 1 for a queen, 0 for a square that is empty and
//! safe, and `-k` for one attacked by `k` queens lying above it. Column 0, which is no
//! part of the chessboard, holds the solution: `B[i][0]` is the column of row `i`'s queen,
//! or 0.
//!
//! ```text
//!        1  2  3  4
//!   2 |  .  Q  .  .        placeQueen(1, 2) and placeQueen(2, 4): (3, 4) is attacked
//!   4 | -1 -1 -1  Q        by both queens, so one removeQueen leaves it at -1,
//!   0 |  . -1 -1 -2        still refused; that is why a count is kept and not a flag
//!   0 |  . -2  . -1
//! ```
//!
//! Asking is one load; placing and removing walk three lines below the queen, O(n).

use super::{Representation, SearchBoard};
use crate::search::Search;

/// A board that counts the attackers of each square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttackCount {
    n: usize,
    b: Vec<i32>,
}

impl AttackCount {
    /// `B[i][j]` with the assignment's own numbering: rows and columns from 1, column 0 for the
    /// solution. Row 0 exists and stays 0.
    ///
    /// ```
    /// use queens::board::{AttackCount, SearchBoard};
    ///
    /// let mut board = AttackCount::new(4);
    /// board.place(0, 1);
    /// board.place(1, 3);
    /// assert_eq!(board.b(2, 0), 4); // row 2 of the assignment has its queen in column 4
    /// assert_eq!(board.b(2, 4), 1);
    /// assert_eq!(board.b(3, 4), -2);
    /// ```
    #[inline]
    pub fn b(&self, i: usize, j: usize) -> i32 {
        self.b[i * (self.n + 1) + j]
    }

    /// `placeQueen` of the assignment, 1-based.
    #[inline]
    pub fn place_queen(&mut self, i: usize, j: usize) {
        *self.at(i, j) += 1;
        *self.at(i, 0) = j as i32;
        self.add_below(i, j, -1);
    }

    /// `removeQueen` of the assignment, 1-based: undoes all that `place_queen` did.
    #[inline]
    pub fn remove_queen(&mut self, i: usize, j: usize) {
        *self.at(i, j) -= 1;
        *self.at(i, 0) = 0;
        self.add_below(i, j, 1);
    }

    #[inline]
    fn at(&mut self, i: usize, j: usize) -> &mut i32 {
        &mut self.b[i * (self.n + 1) + j]
    }

    /// Adds to every square below `(i, j)` that a queen there attacks.
    #[inline]
    fn add_below(&mut self, i: usize, j: usize, change: i32) {
        for (k, row) in self.b.chunks_exact_mut(self.n + 1).enumerate().skip(i + 1) {
            let down = k - i;
            row[j] += change;
            // Column 0 is not a square, so the diagonal that falls to the left ends at 1.
            if j > down {
                row[j - down] += change;
            }
            if let Some(square) = row.get_mut(j + down) {
                *square += change;
            }
        }
    }
}

impl AttackCount {
    /// Marks the squares beside and above a queen that she attacks, rows and columns from 0: for a
    /// given queen, whose row the search has not reached.
    pub(crate) fn mark_beside_and_above(&mut self, row: usize, col: usize) {
        let n = self.n;
        for (above, squares) in self.b.chunks_exact_mut(n + 1).skip(1).enumerate().take(row) {
            let up = row - above;
            for attacked in [Some(col), col.checked_sub(up), Some(col + up)] {
                if let Some(attacked) = attacked.filter(|&attacked| attacked < n) {
                    squares[attacked + 1] -= 1;
                }
            }
        }
        for beside in (0..n).filter(|&beside| beside != col) {
            *self.at(row + 1, beside + 1) -= 1;
        }
    }
}

impl SearchBoard for AttackCount {
    fn new(n: usize) -> Self {
        Representation::AttackCount.assert_holds(n);
        AttackCount {
            n,
            b: vec![0; (n + 1) * (n + 1)],
        }
    }

    fn n(&self) -> usize {
        self.n
    }

    #[inline]
    fn queen(&self, row: usize) -> Option<usize> {
        (self.b(row + 1, 0) as usize).checked_sub(1)
    }

    #[inline]
    fn is_free(&self, row: usize, col: usize) -> bool {
        self.b(row + 1, col + 1) == 0
    }

    #[inline]
    fn place(&mut self, row: usize, col: usize) {
        self.place_queen(row + 1, col + 1);
    }

    #[inline]
    fn remove(&mut self, row: usize, col: usize) {
        self.remove_queen(row + 1, col + 1);
    }
}

impl Search for AttackCount {}
