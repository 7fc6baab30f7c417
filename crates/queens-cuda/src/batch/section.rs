//! A section of a batch: its units of one class, and how the kernel is launched for them.
//!
//! The classes of a board differ in everything that a launch depends on: how the colours join, how
//! large a tile is, how long the lists are. So each class is a section, with its own tile width,
//! its own number of first queens and its own size of blocks. A small model of the time that a list
//! takes chooses them.

use super::shape::{Join, LEAST_THREADS, Shape};
use super::shared_memory::{
    Cell, FIXED_BYTES, LONG_LIST, scan_bytes, table_bytes, table_room, tile_bytes, unfold_bytes,
};
use crate::interface::{MOST_LEFT, MOST_PAIRS, MOST_THREADS};
use crate::lists::{self, DeviceScan, DeviceWalk, UnitLists, WordFormat};
use std::ops::Range;

/// The most rows of a walk with one first queen: hers, and the rows that are unfolded.
const MOST_ROWS_WITH_ONE: u32 = MOST_LEFT + 1;

/// The registers suffice for one in this many of the threads that a multiprocessor can hold.
const REGISTERS_SHARE: u32 = 2;

/// How the kernel is launched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that run at once.
    pub blocks: u32,
    /// Shared memory of a block in bytes.
    pub shared_bytes: u32,
}

/// The units of one class.
pub(crate) struct Section {
    pub black_queens: u32,
    pub store: Join,
    pub gather: Join,
    /// Its groups of pairs in the batch.
    pub groups: Range<usize>,
    /// The work in it.
    pub cost: f64,
    /// Rows and columns of the board whose walks are stored, and of the one whose walks gather.
    pub boards: [(u32, u32); 2],
    /// Masks for this many pairs of rows.
    pub mask_pairs: u32,
    /// Queens that are chosen before placements are unfolded.
    pub first_queens: u32,
    /// Cells in a row of the tile.
    pub width: u32,
    /// The most cells for which overflow was ruled out.
    pub most_width: u32,
    /// Words of 32 placements that a list becomes after sifting, on average.
    pub words_per_list: f64,
    /// The most even indices that any pair visits.
    pub even_count: u32,
    /// Places of the tables of even indices, as in `Launch`.
    pub even_index_of: u32,
    pub stored_even_index_of: u32,
    pub odd_pairs: u32,
    /// Rooms, as in `Launch`.
    pub square_masks: u32,
    pub list_room: u32,
    pub table_room: u32,
    pub scratch_room: u32,
    pub config: Config,
}

impl Section {
    /// The rounds of a job, and the most lists of a job: as many as there is room for, or somewhat
    /// fewer if that saves a round in which most lanes would have nothing to do.
    pub fn lists(&self) -> (u32, u32) {
        if (self.store, self.gather) == (Join::Unfold, Join::Unfold) {
            return (1, self.width);
        }
        let of_rounds = |rounds: u32| {
            // Some stems leave more than the average.
            let words = if self.words_per_list > 1.0 {
                1.06 * self.words_per_list
            } else {
                1.0
            };
            let lists = (32.0 * f64::from(rounds) / words) as u32;
            // An even number of odd indices for each of several pairs, or for one.
            let step = match self.gather {
                Join::Unfold => self.width.min(2 * MOST_PAIRS),
                Join::Scan => 2,
            };
            (rounds, lists / step * step)
        };
        let cost = |&(rounds, lists): &(u32, u32)| {
            let ends = match self.gather {
                Join::Scan => 1.0,
                Join::Unfold => lanes_idle(lists),
            };
            ends * f64::from(10 * rounds + 1) / f64::from(lists)
        };
        let best = (1..=64)
            .map(of_rounds)
            .filter(|&(_, lists)| lists > 0)
            .map(|(rounds, lists)| (rounds, lists.min(self.width)))
            .min_by(|x, y| cost(x).total_cmp(&cost(y)));
        best.unwrap_or((1, 1))
    }

    /// Chooses the width of a tile and the size of blocks.
    pub fn choose(&mut self, shape: &Shape, n: u32, cell: Cell) {
        let most = shape.tuning.width.min(1 << lists::packed_bits(n as usize));
        let most = most.min(self.most_width);
        let mut best = (0, 0, f64::INFINITY, Config::default());
        let widths = [64, 32, 16, 8, 4, 2]
            .into_iter()
            .filter(|&width| width <= most);
        for (width, first_queens) in widths.flat_map(|width| [(width, 1), (width, 2)]) {
            (self.width, self.first_queens) = (width, first_queens);
            let config = self.config(shape, n, cell);
            // Unfolding has 16 bits for the place of a cell, and room for MOST_LEFT levels.
            let unfolds = self.gather == Join::Unfold;
            let too_large = unfolds && (self.even_count + 1) * width > 1 << 16
                || unfolds && first_queens == 1 && self.boards[1].0 > MOST_ROWS_WITH_ONE;
            if config.blocks == 0 || too_large {
                continue;
            }
            // A round of scanning takes as long for few words as for many; unfolding does not mind.
            // More threads hide more waiting, up to a point. One first queen is better than two.
            let (rounds, lists) = self.lists();
            let rounds_per_list = f64::from(32 * rounds) / f64::from(lists);
            let ends = lanes_idle(width);
            let work = match (self.store, self.gather) {
                (_, Join::Scan) => rounds_per_list,
                (Join::Scan, Join::Unfold) => {
                    0.3 * rounds_per_list + 0.7 * ends * self.words_per_list.max(1.0)
                }
                (Join::Unfold, Join::Unfold) => ends,
            };
            let threads = config.threads * config.blocks / shape.multiprocessors;
            let cost =
                work / f64::from(threads).powf(0.7) * if first_queens > 1 { 1.02 } else { 1.0 };
            if cost < best.2 {
                best = (width, first_queens, cost, config);
            }
        }
        (self.width, self.first_queens, self.config) = (best.0.max(2), best.1, best.3);
        self.square_masks = self.masks().0;
    }

    /// The boards that are scanned: columns, and how their placements are written down.
    fn scanned(&self) -> impl Iterator<Item = (u32, WordFormat)> {
        let boards = match (self.store, self.gather) {
            (_, Join::Scan) => &self.boards[..],
            (Join::Scan, Join::Unfold) => &self.boards[..1],
            (Join::Unfold, Join::Unfold) => &[],
        };
        let format = |rows, cols| WordFormat::of(rows, cols, self.mask_pairs);
        boards
            .iter()
            .map(move |&(rows, cols)| (cols, format(rows, cols)))
    }

    /// Levels of the stems of walks that are scanned.
    pub fn stem_rows(&self) -> u32 {
        let rows = self.scanned().map(|(_, format)| format.stem_rows);
        rows.max().unwrap_or(0)
    }

    /// Masks of squares and of pairs of squares that scanning needs.
    fn masks(&self) -> (u32, u32) {
        let of = |(cols, format): (u32, WordFormat)| {
            let left = format.singles + 2 * format.pairs;
            ((left * cols).max(1), format.pairs * cols * cols)
        };
        let masks = self.scanned().map(of);
        masks.fold((0, 0), |x, y| (x.0.max(y.0), x.1.max(y.1)))
    }

    /// The best size of blocks for the present width; no blocks if none fits.
    fn config(&self, shape: &Shape, n: u32, cell: Cell) -> Config {
        let config = |threads: u32| {
            let (squares, pairs) = self.masks();
            let scan = scan_bytes(squares, pairs, lists::diagonals(n as usize));
            // The gathering colour has more rows.
            let (rows, cols) = self.boards[1];
            let unfold = match self.gather {
                Join::Scan => 0,
                Join::Unfold => unfold_bytes(threads, rows, cols, self.first_queens),
            };
            let tile = tile_bytes(self.even_count, self.width, cell);
            Config {
                threads,
                blocks: 0,
                shared_bytes: FIXED_BYTES + tile + scan.max(unfold),
            }
        };
        // As many threads as registers and shared memory allow, in several small blocks rather
        // than one large one.
        let most = shape.threads_per_multiprocessor / REGISTERS_SHARE;
        let mut best = Config::default();
        for threads in (LEAST_THREADS..=MOST_THREADS).step_by(128) {
            let config = config(threads.min(most));
            // In addition there is the table of words, and 1 KiB for the system.
            let bytes = config.shared_bytes + table_bytes(table_room(2 * LONG_LIST));
            let blocks = shape.shared_per_multiprocessor / (bytes + 1024);
            let blocks = blocks.min(most / config.threads);
            if blocks > 0
                && bytes <= shape.shared_per_block
                && blocks * config.threads > best.blocks * best.threads
            {
                best = Config { blocks, ..config };
            }
        }
        Config {
            blocks: best.blocks * shape.multiprocessors,
            ..best
        }
    }

    /// One line about how the class is counted.
    pub fn describe(&self) -> String {
        let Config {
            threads,
            blocks,
            shared_bytes,
        } = self.config;
        format!(
            "{} black queens: {:?}, {:?} after {}, {} of {} lists, {:.2} words each, {blocks} \
             blocks of {threads} threads with {} KiB, lists of {} at most",
            self.black_queens,
            self.store,
            self.gather,
            self.first_queens,
            self.lists().1,
            self.width,
            self.words_per_list,
            shared_bytes >> 10,
            self.list_room,
        )
    }
}

/// How much longer unfolding takes for a job of this many lists than for a long one: the fewer
/// placements a job has, the more lanes idle at its end.
fn lanes_idle(lists: u32) -> f64 {
    1.0 + 3.0 / f64::from(lists)
}

/// The most even indices that any row set of these lists visits.
pub(crate) fn visited(lists: &UnitLists) -> u32 {
    let limits = lists.visited.iter().map(|columns| columns.even_limit);
    limits.max().unwrap_or(0)
}

/// How many words of 32 placements a list becomes below a stem, from a sample of stems and lists.
pub(crate) fn words_per_list(walk: &DeviceWalk, scan: &DeviceScan) -> f64 {
    let (mut words, mut lists) = (0, 0);
    let stems = &walk.stems[..walk.stems.len().saturating_sub(1)];
    for stem in stems.iter().step_by(stems.len() / 4 + 1) {
        let level = |level: u32| {
            let j = stem.path >> (4 * level) & 15;
            walk.squares[(level * walk.cols + j) as usize]
        };
        let lines = (0..walk.format.stem_rows).fold(0, |lines, l| lines | level(l));
        for list in scan.sample_lists(64) {
            let left = list.iter().filter(|&&own| own & lines == 0).count();
            words += left.div_ceil(32);
            lists += 1;
        }
    }
    f64::from(words as u32) / f64::from(lists.max(1))
}

#[cfg(test)]
mod tests {
    use super::super::shape::{Tuning, binomial, queens};
    use super::*;
    use crate::interface::MOST_LISTS;

    /// A section for a class, with as many even indices as possible.
    fn section(n: u32, black_queens: u32, shape: &Shape) -> Section {
        let even = n.div_ceil(2);
        let (storing, gathering) = queens(n, black_queens);
        Section {
            black_queens,
            store: shape.store(n, black_queens),
            gather: shape.gather(n, black_queens),
            groups: 0..0,
            cost: 0.0,
            boards: [(storing, even), (gathering, even)],
            mask_pairs: Shape::mask_pairs_that_fit(shape.shared_per_block, n),
            first_queens: 2,
            width: 0,
            most_width: MOST_LISTS,
            words_per_list: 1.0,
            even_count: binomial(even, gathering),
            even_index_of: 0,
            stored_even_index_of: 0,
            odd_pairs: 0,
            square_masks: 0,
            list_room: 0,
            table_room: 0,
            scratch_room: 0,
            config: Config::default(),
        }
    }

    #[test]
    fn every_class_of_every_board_fits_cards_from_turing_on() {
        for kib in [64, 99, 163, 227] {
            for n in crate::SIZES {
                let shared_per_block = kib << 10;
                let shape = Shape {
                    multiprocessors: 40,
                    threads_per_multiprocessor: 1024,
                    shared_per_multiprocessor: shared_per_block + 1024,
                    shared_per_block,
                    launch_cost: 1e9,
                    tuning: Tuning::default(),
                };
                let mask_pairs = Shape::mask_pairs_that_fit(shared_per_block, n);
                let can_count = (0..=n / 2).all(|class| shape.can_count(n, class, mask_pairs));
                // The largest boards are for larger cards.
                let largest = match kib {
                    64 => 24,
                    99 => 28,
                    _ => 30,
                };
                assert_eq!(can_count, n <= largest, "{kib} KiB, n = {n}");
                if !can_count {
                    continue;
                }
                let cells = [Cell::Narrow, Cell::Wide];
                for (class, cell) in (0..=n / 2).flat_map(|class| cells.map(|cell| (class, cell))) {
                    let mut section = section(n, class, &shape);
                    section.choose(&shape, n, cell);
                    let config = section.config;
                    let bytes = config.shared_bytes + table_bytes(table_room(2 * LONG_LIST));
                    let of = format!("{kib} KiB, n = {n}, {class} black queens, {cell:?}");
                    assert!(config.blocks >= 40, "{of}");
                    assert!(bytes <= shared_per_block, "{of}");
                    assert!(section.width >= 2, "{of}");
                }
            }
        }
    }
}
