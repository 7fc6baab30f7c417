//! The attack grid of the NPTEL lecture: the earliest queen that attacks each square.
//!
//! `attack[i][j]` is -1 for a free square and otherwise the number of the queen that
//! attacked it first. Queens are numbered by their rows, so the square a queen stands on
//! carries her own number. A new queen marks only squares that were free, and so undoing
//! her is easy: squares with her number become free, all others are still attacked by
//! earlier queens.
//!
//! ```text
//!  . Q . .       0  0  0  0
//!  . . . Q       0  0  0  1      (2, 3) was attacked by queen 0 first, so removing
//!  . . . .      -1  0  1  0      queen 1 frees (2, 2) and (3, 3) and leaves it alone
//!  . . . .      -1  0 -1  1
//! ```
//!
//! One number per square does what the count of [`super::attack_count`] does, and it
//! names the culprit. Space n^2, asking O(1), each update one scan of the queen's row,
//! column and two diagonals: O(n). The lecture's list `board[i] = j` is kept beside it.

use super::{Representation, SearchBoard};
use crate::line::Attack;
use crate::placement::Square;
use crate::search::Search;

/// A board that remembers the earliest attacker of each square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstAttacker {
    n: usize,
    attack: Vec<i16>,
    queens: Vec<i16>,
}

/// The entry of a square that nobody attacks, and of a row without a queen.
const NOBODY: i16 = -1;

impl FirstAttacker {
    /// `attack[row][col]`: the earliest queen attacking the square, or -1.
    ///
    /// ```
    /// use queens::board::{SearchBoard, FirstAttacker};
    ///
    /// let mut board = FirstAttacker::new(4);
    /// board.place(0, 1);
    /// board.place(1, 3);
    /// assert_eq!((board.earliest(2, 0), board.earliest(2, 2), board.earliest(2, 3)), (-1, 1, 0));
    /// ```
    #[inline]
    pub fn earliest(&self, row: usize, col: usize) -> i16 {
        self.attack[row * self.n + col]
    }

    /// Changes every square in reach of `(row, col)` that carries `from`.
    #[inline]
    fn relabel(&mut self, row: usize, col: usize, from: i16, to: i16) {
        let n = self.n;
        let mut change = |square: &mut i16| {
            if *square == from {
                *square = to;
            }
        };
        for (other, squares) in self.attack.chunks_exact_mut(n).enumerate() {
            if other == row {
                squares.iter_mut().for_each(&mut change);
                continue;
            }
            let away = row.abs_diff(other);
            change(&mut squares[col]);
            if col >= away {
                change(&mut squares[col - away]);
            }
            if col + away < n {
                change(&mut squares[col + away]);
            }
        }
    }
}

impl SearchBoard for FirstAttacker {
    fn new(n: usize) -> Self {
        Representation::FirstAttacker.assert_holds(n);
        FirstAttacker {
            n,
            attack: vec![NOBODY; n * n],
            queens: vec![NOBODY; n],
        }
    }

    fn n(&self) -> usize {
        self.n
    }

    #[inline]
    fn queen(&self, row: usize) -> Option<usize> {
        usize::try_from(self.queens[row]).ok()
    }

    #[inline]
    fn is_free(&self, row: usize, col: usize) -> bool {
        self.earliest(row, col) == NOBODY
    }

    #[inline]
    fn place(&mut self, row: usize, col: usize) {
        self.queens[row] = col as i16;
        self.relabel(row, col, NOBODY, row as i16);
    }

    #[inline]
    fn remove(&mut self, row: usize, col: usize) {
        self.queens[row] = NOBODY;
        self.relabel(row, col, row as i16, NOBODY);
    }

    fn attack(&self, row: usize, col: usize) -> Option<Attack> {
        // The grid also marks squares above and beside a queen; the search wants attackers from the
        // rows above only.
        let queen = usize::try_from(self.earliest(row, col))
            .ok()
            .filter(|&queen| queen < row)?;
        Attack::between(
            Square::new(queen, self.queen(queen)?),
            Square::new(row, col),
        )
    }
}

impl Search for FirstAttacker {}
