//! One row set: the sum of `black * white` over its column sets.
//!
//! For fixed rows each colour is a matrix of counts by (Ce, Co). The colour with fewer
//! queens is cheaper to visit per placement and is *stored*: its tree is walked and the
//! counts are kept in a histogram. The other colour *gathers*: its tree is walked too, but
//! every count is multiplied with the stored one at once and only the sum is kept.
//!
//! The Co's are taken in chunks, so that the histogram stays small: what is in memory at
//! one time is one chunk of one row set, whatever `n` is.

use super::class::{Class, EvenRows};
use super::kernel::Scratch;
use super::layout::Layout;
use super::lists::{Queue, Tree};
use super::simd::{Block, Kernels, SLOTS};
use super::split::{SmallBoard, full};

/// The two small boards of one colour, as a class and a row set use them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colour {
    tree_board: SmallBoard,
    queue_board: SmallBoard,
    /// Applied to the even columns of a placement to get the Ce of its class.
    tree_flip: u32,
    /// Applied to the odd columns of a placement to get the Co of its class.
    queue_flip: u32,
    black: bool,
}

impl Colour {
    /// The tree's board has even columns and is A or F; the queue's is B or D.
    pub fn new(class: &Class, black: bool) -> Colour {
        let split = class.split;
        if black {
            Colour {
                tree_board: split.a(),
                queue_board: split.b(),
                tree_flip: 0,
                queue_flip: 0,
                black,
            }
        } else {
            Colour {
                tree_board: split.f(),
                queue_board: split.d(),
                tree_flip: full(split.even),
                queue_flip: full(split.odd),
                black,
            }
        }
    }

    /// The colour that gathers and the colour that is stored.
    pub fn roles(class: &Class) -> (Colour, Colour) {
        let black_gathers = class.a + class.b >= 2 * class.c;
        (
            Colour::new(class, black_gathers),
            Colour::new(class, !black_gathers),
        )
    }

    /// Whether the tree depends on the even rows (and the queue on the odd rows).
    pub fn tree_is_even(&self) -> bool {
        self.black
    }

    /// The board of the tree, its rows for the row set (RE, RO), and what to apply to the
    /// columns of a placement to get a Ce.
    pub fn tree_side(&self, class: &Class, rows: (u32, u32)) -> (SmallBoard, u32, u32) {
        let (even, odd) = rows;
        let rows = if self.black {
            even
        } else {
            full(class.split.odd) ^ odd
        };
        (self.tree_board, rows, self.tree_flip)
    }

    /// The same for the queue, whose columns make a Co.
    pub fn queue_side(&self, class: &Class, rows: (u32, u32)) -> (SmallBoard, u32, u32) {
        let (even, odd) = rows;
        let rows = if self.black {
            odd
        } else {
            full(class.split.even) ^ even
        };
        (self.queue_board, rows, self.queue_flip)
    }

    /// Builds the tree for the row set of its board.
    pub fn build_tree(&self, class: &Class, rows: (u32, u32), ce_limit: u32, tree: &mut Tree) {
        let (board, rows, flip) = self.tree_side(class, rows);
        tree.build(board, rows, flip, class.ce_numbers(), ce_limit);
    }

    /// Builds the queue for the row set of its board.
    pub fn build_queue(&self, class: &Class, rows: (u32, u32), co_limit: u32, queue: &mut Queue) {
        let (board, rows, flip) = self.queue_side(class, rows);
        queue.build(board, rows, flip, class.co_numbers(), co_limit);
    }
}

/// One colour of one row set, ready to be walked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    pub tree: &'a Tree,
    /// One layout per chunk of Co's.
    pub layouts: &'a [Layout],
}

/// Memory used for one row set after the other.
#[derive(Debug, Default)]
pub(crate) struct Work {
    scratch: Scratch,
    counts: Vec<Block>,
    dense: Vec<u32>,
    weights: Vec<u16>,
    tile_weights: Vec<Block>,
}

/// How many Co's a chunk has: all of them while their histogram stays small.
pub(crate) fn chunk_size(class: &Class) -> usize {
    const HISTOGRAM_BYTES: usize = 1 << 20;
    let rows = class.ce_count().max(1) as usize;
    let wide = (HISTOGRAM_BYTES / (4 * rows)).max(SLOTS);
    (wide / SLOTS * SLOTS)
        .min((class.co_count() as usize).next_multiple_of(SLOTS))
        .max(SLOTS)
}

/// One row set's sum of `black * white` over its column sets, with their weights.
pub(crate) fn count_pair(
    class: &Class,
    rows: &EvenRows,
    gather: Side,
    store: Side,
    kernels: &Kernels,
    work: &mut Work,
) -> u64 {
    let chunk = chunk_size(class);
    let mut total = 0u64;
    let layouts = gather.layouts.iter().zip(store.layouts);
    for (first_co, (gather_layout, store_layout)) in (0..).step_by(chunk).zip(layouts) {
        if first_co >= rows.co_limit as usize {
            break;
        }
        work.store(store.tree, store_layout, chunk, kernels);
        let seen = Seen::new(class, rows, first_co, chunk);
        let most = work.largest_count(&seen);
        let mut shift = 0;
        while most >> shift != 0 {
            work.weigh(&seen, gather.tree.cols_limit, shift);
            let sum = work.gather(gather.tree, gather_layout, kernels);
            let sum = sum
                .checked_mul(1 << shift)
                .and_then(|sum| total.checked_add(sum));
            total = sum.expect("the count of one row set fits 64 bits");
            shift += DIGIT_BITS;
        }
    }
    total
}

/// Stored counts are weighed this many bits at a time, so that with the largest column
/// weight, 4, a weight fits a signed 16-bit slot. One digit is enough below n = 30.
const DIGIT_BITS: u32 = 13;

/// The column sets of one chunk as one row set sees them.
struct Seen<'a> {
    class: &'a Class,
    rows: &'a EvenRows,
    /// Co's of the chunk that are visited.
    visited: usize,
    /// Co's of the chunk whose rank is below the row set's.
    below: usize,
    chunk: usize,
}

impl<'a> Seen<'a> {
    fn new(class: &'a Class, rows: &'a EvenRows, first_co: usize, chunk: usize) -> Seen<'a> {
        let local = |co: u32| (co as usize).saturating_sub(first_co).min(chunk);
        let (visited, below) = (local(rows.co_limit), local(class.last_co(rows)));
        Seen {
            class,
            rows,
            visited,
            below,
            chunk,
        }
    }

    fn ce_rows(&self) -> usize {
        self.rows.ce_limit as usize
    }
}

impl Work {
    /// Walks the stored colour and leaves its counts in `dense`, a row per Ce.
    fn store(&mut self, tree: &Tree, layout: &Layout, chunk: usize, kernels: &Kernels) {
        let rows = tree.cols_limit;
        self.dense.clear();
        self.dense.resize(rows * chunk, 0);
        for tile in &layout.tiles {
            for part in &tree.parts {
                self.counts.clear();
                self.counts.resize(rows * tile.width(), Block::default());
                let planes = layout.planes(tile);
                kernels.fill(
                    tree,
                    part,
                    planes,
                    tile.is_stacked(),
                    &mut self.counts,
                    &mut self.scratch,
                );
                kernels.combine(&tile.sources, &self.counts, rows, &mut self.dense);
            }
        }
    }

    /// The largest stored count that is visited.
    fn largest_count(&self, seen: &Seen) -> u32 {
        let rows = self.dense.chunks_exact(seen.chunk).take(seen.ce_rows());
        rows.flat_map(|row| &row[..seen.visited])
            .copied()
            .max()
            .unwrap_or(0)
    }

    /// Turns the digit of the stored counts at `shift` into weights, a row per Ce; rows that
    /// are not visited have weight 0.
    fn weigh(&mut self, seen: &Seen, ce_rows: usize, shift: u32) {
        self.weights.clear();
        self.weights.resize(ce_rows * seen.chunk, 0);
        let rows = self
            .weights
            .chunks_exact_mut(seen.chunk)
            .zip(self.dense.chunks_exact(seen.chunk));
        for (ce, (weights, counts)) in (0..seen.rows.ce_limit).zip(rows) {
            let digit = |count: u32| ((count >> shift) & ((1 << DIGIT_BITS) - 1)) as u16;
            let weight = seen.class.column_weight(seen.rows, ce) as u16;
            for (out, &count) in weights[..seen.below].iter_mut().zip(counts) {
                *out = digit(count) * weight;
            }
            for co in seen.below..seen.visited {
                weights[co] = digit(counts[co]);
            }
        }
    }

    /// Walks the gathering colour and sums its counts times the weights.
    fn gather(&mut self, tree: &Tree, layout: &Layout, kernels: &Kernels) -> u64 {
        let rows = tree.cols_limit;
        let mut total = 0;
        for tile in &layout.tiles {
            self.tile_weights.clear();
            self.tile_weights
                .resize(rows * tile.width(), Block::default());
            kernels.expand(&tile.sources, &self.weights, rows, &mut self.tile_weights);
            let planes = layout.planes(tile);
            let stacked = tile.is_stacked();
            total += kernels.gather(tree, planes, stacked, &self.tile_weights, &mut self.scratch);
        }
        total
    }
}
