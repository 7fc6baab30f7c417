//! The board as `n * n` bits, 64 squares to a word.
//!
//! The second choice of the recitation on bit vectors ("array of n^2 bits?"): the same
//! picture as [`super::byte_grid`] in an eighth of the memory. An 8 by 8 board is a
//! single word, the bitboard of chess programs. Square `(row, col)` is bit
//! `row * n + col`, counted from the lowest bit of the first word.
//!
//! ```text
//!  . Q . .      bits  0.. 3   0 1 0 0
//!  . . . Q            4.. 7   0 0 0 1      one word: 0b1000_0010
//!  . . . .            8..11   0 0 0 0
//!  . . . .           12..15   0 0 0 0
//! ```
//!
//! The questions are the same and are asked square by square, so each load also pays for
//! a shift and a mask. That is the price of packing without using whole words at once,
//! which is what [`super::bitmask`] does.

use super::{Representation, SearchBoard};
use crate::search::Search;

/// A board that keeps a bit per square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitGrid {
    n: usize,
    words: Vec<u64>,
}

impl BitGrid {
    /// Whether a queen stands on this square.
    #[inline]
    pub fn bit(&self, row: usize, col: usize) -> bool {
        let index = row * self.n + col;
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// The packed squares, row by row, lowest bit first.
    ///
    /// ```
    /// use queens::board::{BitGrid, SearchBoard};
    ///
    /// let mut board = BitGrid::new(4);
    /// board.place(0, 1);
    /// board.place(1, 3);
    /// assert_eq!(board.words(), [0b1000_0010]);
    /// ```
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl SearchBoard for BitGrid {
    fn new(n: usize) -> Self {
        Representation::BitGrid.assert_holds(n);
        BitGrid {
            n,
            words: vec![0; (n * n).div_ceil(64)],
        }
    }

    fn n(&self) -> usize {
        self.n
    }

    #[inline]
    fn queen(&self, row: usize) -> Option<usize> {
        (0..self.n).find(|&col| self.bit(row, col))
    }

    #[inline]
    fn is_free(&self, row: usize, col: usize) -> bool {
        (1..=row).all(|up| {
            let above = row - up;
            !(self.bit(above, col)
                || (col >= up && self.bit(above, col - up))
                || (col + up < self.n && self.bit(above, col + up)))
        })
    }

    #[inline]
    fn place(&mut self, row: usize, col: usize) {
        let index = row * self.n + col;
        self.words[index / 64] |= 1 << (index % 64);
    }

    #[inline]
    fn remove(&mut self, row: usize, col: usize) {
        let index = row * self.n + col;
        self.words[index / 64] &= !(1 << (index % 64));
    }
}

impl Search for BitGrid {}
