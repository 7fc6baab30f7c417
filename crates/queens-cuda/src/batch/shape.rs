//! What a card can hold, and how the classes of a board are counted on it.
//!
//! A class is all row sets with the same number of black queens on each black board. Its stored
//! colour is the one with fewer queens, or white if both have as many; the other is its gathering
//! colour. Each of them *joins* the tile by scanning or by unfolding. The choice depends on the
//! class and on the card's shared memory: scanning is for many survivors and many lists, unfolding
//! for few.

use super::shared_memory::{
    Cell, FIXED_BYTES, LONG_LIST, table_bytes, table_room, tile_bytes, unfold_bytes,
};
use crate::interface::{MOST_LISTS, MOST_PAIRS, MOST_STEM_ROWS};
use crate::lists::{self, WordFormat};

/// The fewest threads of a block.
pub(crate) const LEAST_THREADS: u32 = 256;

/// How a colour meets the tile, to fill it or to gather from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// The block scans placements as bits.
    Scan,
    /// Warps unfold the placements that are left, queen by queen.
    Unfold,
}

/// What a batch must know of a card.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Threads that one multiprocessor can hold.
    pub threads_per_multiprocessor: u32,
    /// Shared memory of one multiprocessor, in bytes.
    pub shared_per_multiprocessor: u32,
    /// Shared memory that one block can have, in bytes.
    pub shared_per_block: u32,
    /// The most work of one launch, in the units of [`queens::count::two_colour::Units::cost`].
    pub launch_cost: f64,
    /// Choices that may be changed.
    pub tuning: Tuning,
}

/// Choices that change nothing but speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// A gathering colour scans if its queens are at most this share of the rows of its board.
    pub scan_share: f64,
    /// A stored colour unfolds if the other does and its own queens are at least this share.
    pub store_share: f64,
    /// The most lists of a job, a power of two.
    pub width: u32,
    /// The most pairs of a job.
    pub pairs: u32,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            scan_share: 0.5,
            store_share: 0.5,
            width: MOST_LISTS,
            pairs: MOST_PAIRS,
        }
    }
}

impl Shape {
    /// How the gathering colour of this class joins.
    pub fn gather(&self, n: u32, black_queens: u32) -> Join {
        let even = n.div_ceil(2);
        let (_, queens) = queens(n, black_queens);
        let share = f64::from(queens) / f64::from(even);
        // On large boards a tile has room for few lists, and scanning is for many.
        let scans = share <= self.tuning.scan_share && even <= 12;
        // A block with the fewest threads and a narrow tile.
        let least = tile_bytes(binomial(even, queens), 4, Cell::Narrow)
            + unfold_bytes(LEAST_THREADS, queens, even, 2)
            + FIXED_BYTES
            + table_bytes(table_room(2 * LONG_LIST));
        match scans || queens < 4 || least > self.shared_per_block {
            true => Join::Scan,
            false => Join::Unfold,
        }
    }

    /// How the stored colour of this class joins.
    pub fn store(&self, n: u32, black_queens: u32) -> Join {
        let (queens, _) = queens(n, black_queens);
        let share = f64::from(queens) / f64::from(n.div_ceil(2));
        let gather = self.gather(n, black_queens);
        match gather == Join::Unfold && queens >= 4 && share >= self.tuning.store_share {
            true => Join::Unfold,
            false => Join::Scan,
        }
    }

    /// Whether a card can count this class from lists with masks for `mask_pairs` pairs of rows. A
    /// small card that has no room to unfold scans, but scanning is for few rows.
    pub fn can_count(&self, n: u32, black_queens: u32, mask_pairs: u32) -> bool {
        let (storing, gathering) = queens(n, black_queens);
        let fits = |join: Join, rows: u32| {
            let stem_rows = WordFormat::of(rows, n.div_ceil(2), mask_pairs).stem_rows;
            join == Join::Unfold || stem_rows <= MOST_STEM_ROWS
        };
        fits(self.store(n, black_queens), storing) && fits(self.gather(n, black_queens), gathering)
    }

    /// For how many pairs of rows a card has room for masks beside a tile.
    pub fn mask_pairs_that_fit(shared_per_block: u32, n: u32) -> u32 {
        match (shared_per_block >> 10, n) {
            (160.., _) => 2,
            (96.., ..=26) => 1,
            _ => 0,
        }
    }

    /// The classes whose gathering colour unfolds, and so needs no placements of its walk.
    pub fn unfolded(&self, n: u32) -> Vec<u32> {
        let classes = 0..=n / 2;
        classes
            .filter(|&black_queens| self.gather(n, black_queens) == Join::Unfold)
            .collect()
    }
}

/// How many queens the stored and the gathering colour have on their boards with even columns.
pub(crate) fn queens(n: u32, black_queens: u32) -> (u32, u32) {
    lists::walked_queens(n as usize, black_queens)
}

pub(crate) fn binomial(n: u32, k: u32) -> u32 {
    (1..=k).fold(1, |product, i| product * (n + 1 - i) / i)
}
