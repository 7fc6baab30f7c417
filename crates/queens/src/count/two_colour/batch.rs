//! One row set of one parity with several of the other: sums of `black * white`.
//!
//! For fixed rows each colour is a matrix of counts by (Ce, Co). The colour with fewer
//! queens is cheaper to visit per placement and is *stored*: its tree is walked and the
//! counts are kept in a histogram. The other colour *gathers*: its tree is walked too, but
//! every count is multiplied with the stored one at once and only the sum is kept.
//!
//! The gathering colour's queue depends on the *outer* rows only, its tree on the *inner*
//! rows. Where queues are long, they are *sifted*: for each stem (the choices in the first
//! levels of the trees) only the placements that the stem does not attack are laid out. A
//! step keeps about a third, so the bits to scan per end shrink by the stem's steps. Inner
//! row sets that are neighbours share their stems, so one layout serves them all.
//!
//! Where hardly anything survives, the gathering colour is *filtered* instead: no tree is
//! built, and the queue is sifted at every queen (`filter`).
//!
//! The Co's are taken in chunks, so that the histograms stay small: what is in memory of them
//! at one time is one chunk, whatever `n` is.

use super::class::{Class, Visits};
use super::filter::{self, Filter};
use super::kernel::{Rows, Scratch};
use super::layout::{Layout, MAX_TILE, Slots, Tile};
use super::lists::{MAX_STEM, Queue, Sifted, Tree};
use super::simd::{Block, Kernels, SLOTS};
use super::split::{SmallBoard, full};
use super::units::mean_length;
use std::sync::atomic::{AtomicBool, Ordering};

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
        let black_gathers = class.a + class.b > 2 * class.c;
        (
            Colour::new(class, black_gathers),
            Colour::new(class, !black_gathers),
        )
    }

    /// The board of the tree, and what to apply to the columns of a placement to get a Ce.
    pub fn tree_board_and_flip(&self) -> (SmallBoard, u32) {
        (self.tree_board, self.tree_flip)
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
    pub fn build_tree(
        &self,
        class: &Class,
        rows: (u32, u32),
        ce_limit: u32,
        stem: usize,
        tree: &mut Tree,
    ) {
        let (board, rows, flip) = self.tree_side(class, rows);
        tree.build(board, rows, flip, class.ce_numbers(), ce_limit, stem);
    }

    /// Builds the queue for the row set of its board.
    pub fn build_queue(&self, class: &Class, rows: (u32, u32), co_limit: u32, queue: &mut Queue) {
        let (board, rows, flip) = self.queue_side(class, rows);
        queue.build(board, rows, flip, class.co_numbers(), co_limit);
    }
}

/// How a class is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub gather: Colour,
    pub store: Colour,
    /// How many Co's are taken at a time.
    pub chunk: usize,
    /// How many levels of the gathering trees are a stem.
    pub stem: usize,
    /// Whether the gathering colour is filtered instead of scanned.
    pub filter: bool,
    gather_lengths: Lengths,
    store_lengths: Lengths,
}

impl Plan {
    pub fn new(class: &Class) -> Plan {
        let (gather, store) = Colour::roles(class);
        let gather_lengths = Lengths::new(class, &gather);
        let filter = filter_pays(class, &gather);
        Plan {
            gather,
            store,
            chunk: chunk_size(class, filter),
            stem: stem_levels(gather_lengths.queue / f64::from(class.co_count().max(1))),
            filter,
            gather_lengths,
            store_lengths: Lengths::new(class, &store),
        }
    }

    /// The same with the gathering colour scanned, whatever pays.
    #[cfg(test)]
    pub fn scanning(self, class: &Class) -> Plan {
        Plan {
            filter: false,
            chunk: chunk_size(class, false),
            ..self
        }
    }

    /// Roughly the memory that one thread takes beside what all share, for units of so many
    /// inner row sets.
    pub fn thread_bytes(&self, class: &Class, inners: u32) -> f64 {
        const REST: f64 = 2e6;
        let (ce, co) = (f64::from(class.ce_count()), f64::from(class.co_count()));
        let chunk = (self.chunk as f64).min(co + SLOTS as f64);
        // A row set's list may be half as long again as the mean of all.
        let queue = 1.5 * self.gather_lengths.queue;
        // Lines, Co's and what is sifted from them, all of it for a chunk only if filtered.
        let lists = match self.filter {
            true => queue * (8.0 + 14.0 * chunk / co),
            false => queue * 18.0,
        };
        f64::from(inners + 2) * ce * 2.0 * chunk + lists + REST
    }

    /// The expected cost of one pair of row sets whose column sets are all visited, in
    /// cycles of a Zen 4 core with AVX-512.
    pub fn pair_cost(&self, class: &Class) -> f64 {
        // Measured: cycles per end and vector, and per end or list entry beside.
        const GATHER: f64 = 2.7;
        const STORE: f64 = 3.3;
        const END: f64 = 8.0;
        // A step of a stem leaves about this share of a queue.
        const KEPT: f64 = 0.3;
        let (ce, co) = (f64::from(class.ce_count()), f64::from(class.co_count()));
        let vectors = |placements: f64| (1.3 * placements / 512.0).max(co / SLOTS as f64);
        let (gather, store) = (self.gather_lengths, self.store_lengths);
        let sifted = vectors(gather.queue * KEPT.powi(self.stem as i32));
        gather.tree * (sifted * GATHER + END)
            + store.tree * (vectors(store.queue) * STORE + END)
            + ce * co
            + 1000.0
    }
}

/// The mean lengths of one colour's lists.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    tree: f64,
    queue: f64,
}

impl Lengths {
    fn new(class: &Class, colour: &Colour) -> Lengths {
        let split = class.split;
        let (tree, queue) = if colour.black {
            ((split.even, class.a), (split.odd, class.b))
        } else {
            ((split.odd, class.c), (split.even, class.c))
        };
        Lengths {
            tree: mean_length(colour.tree_board, tree.0, tree.1),
            queue: mean_length(colour.queue_board, queue.0, queue.1),
        }
    }
}

/// How many levels pay as a stem when a Co has so many placements in the queue.
///
/// A level keeps 30 % of a queue and costs a layout per step, so it pays down to about
/// one slot per Co. Measured on a Zen 4 core (AMD EPYC, 2026-11-15), in seconds for the
/// whole class, with 0, 1 and 2 levels: n = 20, five queens to a board (24 placements per
/// Co) 2.7, 2.9, 4.9; six (63) 5.0, 4.3, 6.1; seven (143) 3.5, 2.5, 2.4; n = 22, six (80)
/// 196, 146, 158; seven (213) 208, 117, 92.
fn stem_levels(placements_per_co: f64) -> usize {
    let levels = (placements_per_co / 14.0).ln() / 3.4f64.ln();
    levels.clamp(0.0, MAX_STEM as f64) as usize
}

/// Whether filtering beats scanning: where the gathering colour holds most of the queens, so
/// that hardly any of its placements survive.
///
/// Measured on a Zen 4 core (AMD EPYC, 2026-11-15), in seconds for the whole class, scanned
/// and filtered, with the share of the queens that gather: n = 17, 65 % 0.025, 0.041; 71 %
/// 0.019, 0.012; n = 19, 58 % 0.65, 0.94; 63 % 0.61, 0.42; n = 20, 50 % 2.5, 11; 60 % 4.3,
/// 3.2; 70 % 2.1, 0.75; n = 22, 55 % 141, 257; 64 % 66, 29; n = 24, 58 % about 3 to 2.
fn filter_pays(class: &Class, gather: &Colour) -> bool {
    let (tree, all) = match gather.black {
        true => (class.a, class.a + class.b),
        false => (class.c, 2 * class.c),
    };
    let n = class.split.n;
    let least = if n < 18 { 68 } else { 58 };
    // And where the Co's of the smallest chunk can be told apart.
    let fits = filter::most_cos(class.split.even) >= SLOTS;
    tree > filter::LAST_ROWS as u32 && 100 * all >= least * n && fits
}

/// How many Co's a chunk has: all of them while their histogram stays small. A filter looks
/// weights up one by one, in many histograms, and wants them smaller.
fn chunk_size(class: &Class, filter: bool) -> usize {
    let histogram_bytes = if filter { 1 << 18 } else { 1 << 20 };
    let rows = class.ce_count().max(1) as usize;
    let wide = (histogram_bytes / (2 * rows)).max(SLOTS);
    let wide = match filter {
        true => wide.min(filter::most_cos(class.split.even)),
        false => wide,
    };
    (wide / SLOTS * SLOTS)
        .min((class.co_count() as usize).next_multiple_of(SLOTS))
        .max(SLOTS)
}

/// The lists of one outer row set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outer<'a> {
    pub gather_queue: &'a Queue,
    pub store_tree: &'a Tree,
}

/// The lists of one inner row set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inner<'a> {
    /// The column sets that the pair visits.
    pub visits: Visits,
    /// How many row sets the pair stands for.
    pub weight: u64,
    /// The rows of the gathering tree's board.
    pub tree_rows: u32,
    /// How many Ce's the gathering tree has.
    pub ce_limit: u32,
    /// The gathering tree; empty where it is filtered.
    pub gather_tree: &'a Tree,
    /// The stored colour, a layout per chunk.
    pub store_layouts: &'a [Layout],
}

/// Memory used for one batch after the other.
#[derive(Debug, Default)]
pub(crate) struct Work {
    scratch: Scratch,
    store: Store,
    /// For each inner row set the stored counts with their weights, a row per Ce.
    weights: Vec<Vec<Block>>,
    rest_weights: Vec<Block>,
    sifted: Vec<Sifted>,
    layout: Layout,
    filter: Filter,
}

/// The weighted sum over some pairs of row sets, or `None` when stopped.
pub(crate) fn count_batch(
    class: &Class,
    plan: &Plan,
    outer: Outer,
    inners: &[Inner],
    kernels: &Kernels,
    work: &mut Work,
    stop: &AtomicBool,
) -> Option<u64> {
    let mut total = 0u64;
    let ce_limit = inners.iter().map(|inner| inner.ce_limit).max()? as usize;
    let co_limit = inners.iter().map(|inner| inner.visits.co_limit).max()? as usize;
    for first_co in (0..co_limit).step_by(plan.chunk) {
        let chunk = first_co..(first_co + plan.chunk).min(co_limit);
        let mut shift = 0;
        loop {
            let mut most = 0;
            work.weights.resize_with(inners.len(), Vec::new);
            for (inner, weights) in inners.iter().zip(&mut work.weights) {
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
                let seen = Seen::new(class, inner, &chunk, plan);
                let layout = &inner.store_layouts[first_co / plan.chunk];
                work.store.count(
                    outer.store_tree,
                    layout,
                    plan.chunk,
                    kernels,
                    &mut work.scratch,
                );
                // A filter wants a row of zeros, for a Ce that is not visited.
                let ce_rows = match plan.filter {
                    true => ce_limit + 1,
                    false => inner.ce_limit as usize,
                };
                most = most.max(work.store.weigh(&seen, ce_rows, shift, weights));
            }
            if most >> shift != 0 {
                let add = |total: u64, sum: u64| {
                    let sum = sum
                        .checked_mul(1 << shift)
                        .and_then(|sum| total.checked_add(sum));
                    sum.expect("the count of one unit fits 64 bits")
                };
                if plan.filter {
                    let sum = work.filter.gather(
                        class,
                        &plan.gather,
                        outer.gather_queue,
                        &chunk,
                        inners,
                        &work.weights,
                        (ce_limit, plan.chunk / SLOTS),
                        kernels,
                        stop,
                    )?;
                    total = add(total, sum);
                } else {
                    for group in groups(inners) {
                        let sum =
                            work.gather(class, plan, outer, inners, group, &chunk, kernels, stop)?;
                        total = add(total, sum);
                    }
                }
            }
            shift += DIGIT_BITS;
            if most >> shift == 0 {
                break;
            }
        }
    }
    Some(total)
}

/// Neighbouring inner row sets whose trees have the same stems.
fn groups(inners: &[Inner]) -> Vec<std::ops::Range<usize>> {
    fn stem_lines<'a>(inner: &Inner<'a>) -> &'a [u64] {
        let tree = inner.gather_tree;
        &tree.step_lines[..tree.stem * tree.cols]
    }
    let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
    for (k, inner) in inners.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if stem_lines(&inners[group.start]) == stem_lines(inner) => {
                group.end = k + 1
            }
            _ => groups.push(k..k + 1),
        }
    }
    groups
}

impl Work {
    /// Walks the gathering colour for some inner row sets that share their stems.
    #[allow(clippy::too_many_arguments)]
    fn gather(
        &mut self,
        class: &Class,
        plan: &Plan,
        outer: Outer,
        inners: &[Inner],
        group: std::ops::Range<usize>,
        chunk: &std::ops::Range<usize>,
        kernels: &Kernels,
        stop: &AtomicBool,
    ) -> Option<u64> {
        let queue = outer.gather_queue;
        let range = queue.range(chunk.clone());
        let (lines, cols) = (&queue.lines[range.clone()], &queue.cols[range]);
        let first_tree = inners[group.start].gather_tree;
        let stem = first_tree.stem;
        self.sifted.resize_with(MAX_STEM, Sifted::default);
        let mut total = 0u64;
        let mut next_part = vec![0; group.len()];
        let mut last_stem = None;
        loop {
            // All trees list their stems in the order of the search; take the next of any.
            let heads = group.clone().zip(&next_part);
            let heads = heads.filter_map(|(k, &part)| inners[k].gather_tree.parts.get(part));
            let Some(key) = heads.map(|part| part.stem).min() else {
                break;
            };
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let unchanged =
                |last: [u8; MAX_STEM]| (0..stem).take_while(|&l| last[l] == key[l]).count();
            for (level, &step) in key[..stem]
                .iter()
                .enumerate()
                .skip(last_stem.map_or(0, unchanged))
            {
                let taken = first_tree.step_lines[step as usize];
                let (above, below) = self.sifted.split_at_mut(level);
                let (lines, cols) = above
                    .last()
                    .map_or((lines, cols), |above| (above.lines(), above.cols()));
                kernels.sift(lines, cols, taken, &mut below[0]);
            }
            last_stem = Some(key);
            let stem_cols =
                (0..stem).fold(0, |cols, l| cols | 1 << (key[l] as usize % first_tree.cols));
            let (lines, cols) = match stem {
                0 => (lines, cols),
                _ => (self.sifted[stem - 1].lines(), self.sifted[stem - 1].cols()),
            };
            self.layout.build(lines, cols, chunk.clone(), kernels);
            for (k, next) in group.clone().zip(&mut next_part) {
                let inner = &inners[k];
                let Some(part) = inner.gather_tree.parts.get(*next) else {
                    continue;
                };
                if part.stem != key {
                    continue;
                }
                *next += 1;
                if chunk.start >= inner.visits.co_limit as usize {
                    continue;
                }
                let stride = plan.chunk / SLOTS;
                let weights = &self.weights[k];
                // The only rows that ends below this stem can name.
                let limit = inner.gather_tree.cols_limit as u32;
                let ce_rows: Vec<u16> = class
                    .ce_sets()
                    .iter()
                    .take(limit as usize)
                    .enumerate()
                    .filter(|&(_, &set)| (set ^ plan.gather.tree_flip) & stem_cols == stem_cols)
                    .map(|(ce, _)| ce as u16)
                    .collect();
                let mut sum = 0u64;
                for tile in &self.layout.tiles {
                    let rows = tile_rows(tile, stride);
                    let weights = match &tile.slots {
                        Slots::Rest(maps) => {
                            let rest = &mut self.rest_weights;
                            let blocks = inner.gather_tree.cols_limit * maps.len();
                            rest.resize(blocks.max(rest.len()), Block::default());
                            kernels.expand(maps, weights, stride, &ce_rows, rest);
                            &self.rest_weights
                        }
                        _ => weights,
                    };
                    let planes = self.layout.planes(tile);
                    let tree = inner.gather_tree;
                    sum += kernels.gather(tree, part, planes, rows, weights, &mut self.scratch);
                }
                let sum = sum
                    .checked_mul(inner.weight)
                    .and_then(|sum| total.checked_add(sum));
                total = sum.expect("the count of one unit fits 64 bits");
            }
        }
        Some(total)
    }
}

/// Where a tile finds its rows: in the matrix of the whole chunk, or, for the rest, in a
/// matrix of its own.
fn tile_rows(tile: &Tile, stride: usize) -> Rows {
    match &tile.slots {
        Slots::Layers(first) => Rows {
            first: *first,
            stride,
            stacked: false,
        },
        Slots::Stack(block) => Rows {
            first: *block,
            stride,
            stacked: true,
        },
        Slots::Rest(maps) => Rows {
            first: 0,
            stride: maps.len(),
            stacked: false,
        },
    }
}

/// Stored counts are weighed this many bits at a time, so that with the largest column
/// weight, 4, a weight fits a signed 16-bit slot. One digit is enough below n = 30.
const DIGIT_BITS: u32 = 13;

/// The column sets of one chunk as one row set sees them.
struct Seen<'a> {
    class: &'a Class,
    visits: Visits,
    /// Co's of the chunk that are visited.
    visited: usize,
    /// Co's of the chunk whose rank is below the row set's.
    below: usize,
    filter: bool,
}

impl<'a> Seen<'a> {
    fn new(
        class: &'a Class,
        inner: &Inner,
        chunk: &std::ops::Range<usize>,
        plan: &Plan,
    ) -> Seen<'a> {
        let local = |co: u32| (co as usize).saturating_sub(chunk.start).min(plan.chunk);
        let visits = inner.visits;
        Seen {
            class,
            visits,
            visited: local(visits.co_limit),
            below: local(visits.last_co),
            filter: plan.filter,
        }
    }

    /// What a count of this Ce is multiplied with, for the Co's below the row set's rank or for
    /// the others.
    fn weight(&self, ce: u32, below: bool) -> u16 {
        match self.filter {
            true => filter::column_weight(self.class, &self.visits, ce, below) as u16,
            false => self.class.column_weight(&self.visits, ce, below) as u16,
        }
    }
}

/// The stored colour's counts of one pair and chunk, a row per Ce.
#[derive(Debug, Default)]
struct Store {
    /// The sums as 16-bit slots, where none can pass 16 bits.
    narrow: Vec<Block>,
    /// The sums, where some might; else empty.
    wide: Vec<u32>,
    counts: Vec<Block>,
    rows: usize,
    stride: usize,
}

impl Store {
    /// Walks the stored colour.
    fn count(
        &mut self,
        tree: &Tree,
        layout: &Layout,
        chunk: usize,
        kernels: &Kernels,
        scratch: &mut Scratch,
    ) {
        self.rows = tree.cols_limit;
        self.stride = chunk / SLOTS;
        self.narrow.clear();
        self.wide.clear();
        let fits = tree.most_ends as u64 * layout.most as u64 <= u16::MAX as u64;
        if fits {
            self.narrow
                .resize(self.rows * self.stride, Block::default());
        } else {
            self.wide.resize(self.rows * chunk, 0);
        }
        for tile in &layout.tiles {
            let planes = layout.planes(tile);
            for part in &tree.parts {
                if fits && !matches!(tile.slots, Slots::Rest(_)) {
                    let rows = tile_rows(tile, self.stride);
                    kernels.fill(tree, part, planes, rows, &mut self.narrow, scratch);
                } else {
                    let stacked = matches!(tile.slots, Slots::Stack(_));
                    let width = if stacked { 1 } else { tile.vectors.len() };
                    let rows = Rows {
                        first: 0,
                        stride: width,
                        stacked,
                    };
                    self.counts.clear();
                    self.counts.resize(self.rows * width, Block::default());
                    kernels.fill(tree, part, planes, rows, &mut self.counts, scratch);
                    self.add(&tile.slots, width);
                }
            }
        }
    }

    /// Adds a tile's own counts to the sums.
    fn add(&mut self, slots: &Slots, width: usize) {
        let mut layers = [Block::default(); MAX_TILE];
        let maps = match slots {
            Slots::Rest(maps) => &maps[..],
            Slots::Layers(first) | Slots::Stack(first) => {
                for (map, block) in layers.iter_mut().zip(*first..) {
                    for (slot, co) in map.slots_mut().iter_mut().enumerate() {
                        *co = (block * SLOTS + slot) as u16;
                    }
                }
                &layers[..width]
            }
        };
        for (row, counts) in self.counts.chunks_exact(width).enumerate() {
            for (map, counts) in maps.iter().zip(counts) {
                for (&co, &count) in map.slots().iter().zip(counts.slots()) {
                    let co = co as usize;
                    if self.wide.is_empty() {
                        let block = &mut self.narrow[row * self.stride + co / SLOTS];
                        block.slots_mut()[co % SLOTS] += count;
                    } else {
                        self.wide[row * self.stride * SLOTS + co] += u32::from(count);
                    }
                }
            }
        }
    }

    /// Turns the digit of the counts at `shift` into weights, a row per Ce; rows and Co's
    /// that are not visited have weight 0. Returns the largest count that is visited.
    fn weigh(&self, seen: &Seen, ce_rows: usize, shift: u32, weights: &mut Vec<Block>) -> u32 {
        weights.clear();
        weights.resize(ce_rows * self.stride, Block::default());
        let mut most = 0;
        let digit = |count: u32| ((count >> shift) & ((1 << DIGIT_BITS) - 1)) as u16;
        let rows = (seen.visits.ce_limit as usize).min(ce_rows).min(self.rows);
        for (ce, weights) in weights.chunks_exact_mut(self.stride).take(rows).enumerate() {
            let weights_of = [true, false].map(|below| seen.weight(ce as u32, below));
            for (block, out) in weights
                .iter_mut()
                .enumerate()
                .take(seen.visited.div_ceil(SLOTS))
            {
                let visited = (seen.visited - block * SLOTS).min(SLOTS);
                let below = seen.below.saturating_sub(block * SLOTS).min(visited);
                let out = out.slots_mut();
                if self.wide.is_empty() {
                    let counts = self.narrow[ce * self.stride + block].slots();
                    let mut largest = 0;
                    for slot in 0..visited {
                        largest = largest.max(counts[slot]);
                        out[slot] = digit(u32::from(counts[slot]));
                    }
                    most = most.max(u32::from(largest));
                } else {
                    let counts = &self.wide[(ce * self.stride + block) * SLOTS..][..SLOTS];
                    for slot in 0..visited {
                        most = most.max(counts[slot]);
                        out[slot] = digit(counts[slot]);
                    }
                }
                let (out, rest) = out[..visited].split_at_mut(below);
                for (slots, weight) in [out, rest].into_iter().zip(weights_of) {
                    if weight > 1 {
                        slots.iter_mut().for_each(|slot| *slot *= weight);
                    }
                }
            }
        }
        most
    }
}
