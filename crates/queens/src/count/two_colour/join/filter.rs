//! The filter: for the classes where next to nothing survives.
//!
//! Where the gathering colour has many queens, at most one scanned placement in ten thousand
//! survives a walked placement. Scanning bits for so few is a waste. Here the prefixes of the
//! walked side are walked depth first, and every queen *sifts* the scan list. So the lists are
//! short before there are many prefixes. Inner row sets that begin with the same rows share the
//! steps in those rows, because the walk follows a trie of all of them:
//!
//! ```text
//!   rows 9 8 7 | 5 4     all --sift (9,j)--> 3 in 10 --sift (8,j)--> 1 in 10 ...
//!        9 8 7 | 5 3     these two share every list before the bar
//! ```
//!
//! Two rows before the end, sifting stops: what is left is unfolded into placements
//! ([`super::last_rows`]), and each looks up its weight in the histogram. So the cost is a few
//! instructions per 16 entries of the lists and a few per surviving placement, however many
//! walked placements there are. The scalar twin in `twin.rs` is two loops.
//!
//! **Odd n.** The left-right mirror image of every solution is counted, too. The scan leaves out
//! one of two mirrored column sets, but a walk by prefixes learns the column set too late. So
//! here the queen of the first row stays in the left half or in the middle column. With her in
//! the middle, every placement is met beside its mirror image. A placement whose `even_cols` are
//! not visited looks up the weights of the reversed column set, with its `odd_cols` reversed
//! too.

use super::super::cost::{LAST_ROWS, most_filtered_indices};
use super::super::packing::Packing;
use super::super::sets::{Lines, Set};
use super::super::simd::{Bits512, Kernel, SLOTS, Vector};
use super::super::split::SmallBoard;
use super::super::symmetry::{Class, NO_INDEX, Visits};
use super::inputs::{Context, Inner, Outer};
use super::last_rows::{LastRows, Pile};
use super::sift::PackedList;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// A pile is unfolded when it has this many entries.
const FULL_PILE: usize = 2048;

/// Memory that one join after the other reuses.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    trie: Trie,
    /// The lists after each step.
    lists: Vec<PackedList>,
    levels: Vec<Level>,
    leaves: Leaves,
}

/// The inner row sets, sorted so that those that begin with the same rows are side by side.
#[derive(Debug, Default)]
struct Trie {
    targets: Vec<Target>,
    /// For each level and target, the next target that differs in the rows up to that level.
    group_ends: Vec<Vec<usize>>,
}

/// One inner row set and what was found for it.
#[derive(Debug, Default)]
struct Target {
    /// Its place among the inner row sets.
    inner: usize,
    /// Its rows, from the last up.
    rows: Vec<u32>,
    /// No visited set of columns is above this one, as a binary number.
    last_cols: u32,
    /// Only indices of the chunk below this are visited.
    odd_limit: u32,
    pile: Pile,
    sum: u64,
}

/// A level of the walk: the queens above it, and where to go on.
#[derive(Clone, Debug, Default)]
struct Level {
    cols: Set,
    lines: Lines,
    /// The targets that share the rows so far.
    group: Range<usize>,
    /// Those of them that are being visited, which share the next row too; that row, and its
    /// columns still to try.
    same: Range<usize>,
    row: u32,
    columns: u32,
    /// How many placements of the list they need.
    length: usize,
}

/// Where leaves find their weights, and memory for unfolding.
#[derive(Debug, Default)]
struct Leaves {
    other: Pile,
    found: Vec<u32>,
    /// From the columns of a placement to where its row of weights begins; [`REVERSED`] marks
    /// the row of the reversed column set.
    weight_rows: Vec<u32>,
}

/// Marks that the weights to look up are those of the reversed column set.
const REVERSED: u32 = 1 << 31;

/// The weights of some inner row sets in one chunk: for each of them `rows` rows, one per
/// `even_index`, and a row of zeros, all of them `stride` vectors long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterWeights<'a> {
    pub of_inner: &'a [Vec<Bits512>],
    pub rows: usize,
    pub stride: usize,
}

/// What stays the same for a whole walk.
struct TrieWalk<'a> {
    board: SmallBoard,
    queens: usize,
    packing: Packing,
    /// The columns of the first row that are tried.
    first_columns: u32,
    /// Indices of the chunk below this stand in a pair with their reverse.
    odd_pairs: u32,
    weights: &'a [Vec<Bits512>],
    stop: &'a AtomicBool,
}

impl Filter {
    /// The sum over the pairs of an outer row set with the `inners`, for the `odd_cols` of one
    /// chunk, or `None` when stopped.
    pub fn gather(
        &mut self,
        context: &Context,
        outer: Outer,
        inners: &[Inner],
        chunk: &Range<usize>,
        weights: FilterWeights,
    ) -> Option<u64> {
        let Context { class, .. } = *context;
        let board = context.strategy.gather.walk_board;
        weights.check(
            inners.len(),
            chunk.len(),
            most_filtered_indices(class.split),
        );
        let packing = Packing::new(class.split.even);
        let complement = context.strategy.gather.walk_complement;
        self.leaves.find_rows(class, board, complement, weights);
        self.trie.build(class, complement, chunk, inners);
        let queens = self.trie.targets[0].rows.len();
        self.lists.resize_with(queens, PackedList::default);
        self.levels.resize_with(queens, Level::default);
        self.lists[0].fill(outer.gather_list, chunk, packing);
        let mut total = 0u64;
        for (first_columns, times) in first_columns(class, board) {
            let walk = TrieWalk {
                board,
                queens,
                packing,
                first_columns,
                odd_pairs: class.odd_pairs().saturating_sub(chunk.start as u32),
                weights: weights.of_inner,
                stop: context.stop,
            };
            let filter = &mut *self;
            context.instructions.run(RunWalk { filter, walk })?;
            for target in &mut self.trie.targets {
                let sum = std::mem::take(&mut target.sum)
                    .checked_mul(times * inners[target.inner].weight)
                    .and_then(|sum| total.checked_add(sum));
                total = sum.expect("the count of one unit fits 64 bits");
            }
        }
        assert!(
            total.is_multiple_of(2),
            "every placement is met beside its mirror image"
        );
        Some(total / 2)
    }
}

/// Which columns the queen of the first row tries, with a factor for what is found there; in the
/// end all sums are halved. For even `n` these are all columns, with the factor 2. For odd `n`
/// the weights are doubled already, see [`column_weight`]. There the left half has the factor 2,
/// for itself and its mirror image; the middle column, where both images are met, has 1.
fn first_columns(class: &Class, board: SmallBoard) -> impl Iterator<Item = (u32, u64)> {
    let all = board.all_cols().0;
    let middle = match board.cols % 2 {
        1 => 1 << (board.cols / 2),
        _ => 0,
    };
    let columns = match class.split.is_odd() {
        true => [(Set::full(board.cols / 2).0, 2), (middle, 1)],
        false => [(all, 2), (0, 2)],
    };
    columns.into_iter().filter(|&(columns, _)| columns != 0)
}

impl FilterWeights<'_> {
    /// Checks what the walk relies on: every row and every index has a place.
    fn check(&self, inners: usize, chunk: usize, most_indices: usize) {
        assert!(chunk <= self.stride * SLOTS && chunk <= most_indices);
        assert!(self.of_inner.len() == inners);
        let length = (self.rows + 1) * self.stride;
        assert!(self.of_inner.iter().all(|rows| rows.len() == length));
    }
}

impl Leaves {
    /// Notes for every set of columns where its row of weights begins.
    fn find_rows(
        &mut self,
        class: &Class,
        board: SmallBoard,
        complement: Set,
        weights: FilterWeights,
    ) {
        let rows = (0..1 << board.cols).map(|cols: u32| {
            let (even_index, reversed) = even_index_of(class, Set(cols) ^ complement);
            let row = usize::from(even_index).min(weights.rows) * weights.stride * SLOTS;
            row as u32 | if reversed { REVERSED } else { 0 }
        });
        self.weight_rows.clear();
        self.weight_rows.extend(rows);
    }

    /// The sum of the weights of the leaves that were found. There are fewer than 2^48, of 16
    /// bits each, so the sum fits 64 bits.
    ///
    /// # Safety
    ///
    /// The weights must be those that [`Leaves::find_rows`] was given, and every leaf's index
    /// must be in the chunk.
    #[inline(always)]
    unsafe fn sum(&self, weights: &[Bits512], odd_pairs: u32) -> u64 {
        let weights = Bits512::slots_of(weights);
        let mut sum = 0u64;
        for &leaf in &self.found {
            let (cols, odd_index) = (leaf & 0xffff, leaf >> 16);
            // SAFETY: every set of columns has a row, and every index a place in it.
            unsafe {
                let row = *self.weight_rows.get_unchecked(cols as usize);
                // A set and its reverse differ in the last bit of their indices.
                let reversed = (row / REVERSED) & u32::from(odd_index < odd_pairs);
                let place = (row & !REVERSED) + (odd_index ^ reversed);
                sum += u64::from(*weights.get_unchecked(place as usize));
            }
        }
        sum
    }
}

impl Trie {
    /// Makes each inner row set a target, and sorts them so that those that begin with the same
    /// rows stand together.
    fn build(&mut self, class: &Class, complement: Set, chunk: &Range<usize>, inners: &[Inner]) {
        let targets = &mut self.targets;
        targets.resize_with(inners.len(), Target::default);
        for (place, (target, inner)) in targets.iter_mut().zip(inners).enumerate() {
            target.inner = place;
            target.rows.clear();
            target.rows.extend(inner.walk_rows);
            target.rows.reverse();
            target.last_cols = last_cols(class, complement, inner.even_limit);
            let visited = (inner.visits.odd_limit as usize).min(chunk.end);
            target.odd_limit = visited.saturating_sub(chunk.start) as u32;
            (target.sum, target.pile.length) = (0, 0);
        }
        targets.sort_unstable_by(|x, y| y.rows.cmp(&x.rows));
        let queens = targets[0].rows.len();
        assert!(queens > LAST_ROWS);
        self.group_ends.resize_with(queens, Vec::new);
        for (level, ends) in self.group_ends.iter_mut().enumerate() {
            ends.clear();
            ends.resize(targets.len(), targets.len());
            for k in (1..targets.len()).rev() {
                let same = targets[k - 1].rows[..=level] == targets[k].rows[..=level];
                ends[k - 1] = if same { ends[k] } else { k };
            }
        }
    }
}

/// The factor of a stored count in the row of an `even_index`, where the gathering colour is
/// filtered. For odd `n` the reverse of a column set is met too, and all sums are doubled.
pub(crate) fn column_weight(class: &Class, visits: &Visits, even_index: u32, lower: bool) -> u32 {
    match class.split.is_odd() {
        true => 2 * class.transposed_weight(visits, even_index, lower),
        false => class.column_weight(visits, even_index, lower),
    }
}

/// The index of a set of even columns and `false`; for odd `n`, if the set has none, the index of
/// its reverse and `true`.
pub(crate) fn even_index_of(class: &Class, set: Set) -> (u16, bool) {
    let index = |set: Set| class.even_indices()[set.place()];
    match (index(set), class.split.is_odd()) {
        (NO_INDEX, true) => (index(set.reverse(class.split.even)), true),
        (even_index, _) => (even_index, false),
    }
}

/// The largest visited set of columns of a gathering placement, as a binary number. For odd `n`
/// the reverse of a visited set is met too, so there is no bound.
pub(crate) fn last_cols(class: &Class, complement: Set, even_limit: u32) -> u32 {
    let visited = &class.even_cols()[..even_limit as usize];
    let cols = visited.iter().map(|&set| (set ^ complement).0);
    match class.split.is_odd() {
        true => u32::MAX,
        false => cols.max().unwrap_or(0),
    }
}

/// The squares of a row that are free beside `cols` and `lines`, without those that would make
/// the columns, as a binary number, exceed `last_cols`.
#[inline(always)]
fn free(board: SmallBoard, row: u32, cols: Set, lines: Lines, last_cols: u32) -> u32 {
    if cols.0 > last_cols {
        return 0;
    }
    // A column above the highest bit of the difference would exceed it.
    let small = ((2u64 << (last_cols - cols.0).max(1).ilog2()) - 1) as u32;
    small & board.free(row, cols, lines).0
}

/// The kernel of [`Filter::gather`], which sets the filter up and checks the weights: walks the
/// trie of the targets' prefixes and sums the weights of all placements.
struct RunWalk<'a> {
    filter: &'a mut Filter,
    walk: TrieWalk<'a>,
}

impl Kernel for RunWalk<'_> {
    type Output = Option<()>;

    #[inline(always)]
    unsafe fn run<V: Vector>(self) -> Option<()> {
        let RunWalk { filter, walk } = self;
        let mut depth = 0;
        filter.levels[0] = Level {
            group: 0..filter.trie.targets.len(),
            ..Level::default()
        };
        loop {
            let level = &mut filter.levels[depth];
            if level.columns == 0 {
                if level.same.end == level.group.end {
                    if depth == 0 {
                        break;
                    }
                    depth -= 1;
                    continue;
                }
                if walk.stop.load(Ordering::Relaxed) {
                    return None;
                }
                level.next_row(depth, &filter.trie, &filter.lists[depth], &walk);
                continue;
            }
            let j = level.columns.trailing_zeros();
            level.columns &= level.columns - 1;
            let taken = walk.board.lines(level.row, j);
            let (cols, lines) = (level.cols.with(j), level.lines | taken);
            let (length, same) = (level.length, level.same.clone());
            let (above, below) = filter.lists.split_at_mut(depth + 1);
            let list = &mut below[0];
            // SAFETY: the caller vouches for the instructions.
            unsafe { list.sift::<V>(&above[depth], length, taken.0) };
            if list.length == 0 {
                continue;
            }
            if depth + 1 + LAST_ROWS < walk.queens {
                depth += 1;
                filter.levels[depth] = Level {
                    cols,
                    lines,
                    same: same.start..same.start,
                    group: same,
                    ..Level::default()
                };
                continue;
            }
            for target in &mut filter.trie.targets[same] {
                // SAFETY: the caller vouches for the instructions, the maker for the weights.
                unsafe { target.meet::<V>(&walk, list, cols, lines, &mut filter.leaves) };
            }
        }
        for target in &mut filter.trie.targets {
            // SAFETY: as above.
            unsafe { target.unfold::<V>(&walk, &mut filter.leaves) };
        }
        Some(())
    }
}

impl Level {
    /// Goes on to the next targets that share one more row.
    #[inline(always)]
    fn next_row(&mut self, depth: usize, trie: &Trie, list: &PackedList, walk: &TrieWalk) {
        let first = self.same.end;
        self.same = first..trie.group_ends[depth][first].min(self.group.end);
        let (mut last_cols, mut odd_limit) = (0, 0);
        for target in &trie.targets[self.same.clone()] {
            last_cols = last_cols.max(target.last_cols);
            odd_limit = odd_limit.max(target.odd_limit);
        }
        self.row = trie.targets[first].rows[depth];
        self.columns = free(walk.board, self.row, self.cols, self.lines, last_cols);
        if depth == 0 {
            self.columns &= walk.first_columns;
        }
        self.length = list.below(odd_limit, walk.packing);
    }
}

impl Target {
    /// Puts the scanned placements that fit a prefix on the pile.
    ///
    /// # Safety
    ///
    /// As for [`Target::unfold`].
    #[inline(always)]
    unsafe fn meet<V: Vector>(
        &mut self,
        walk: &TrieWalk,
        list: &PackedList,
        cols: Set,
        lines: Lines,
        leaves: &mut Leaves,
    ) {
        let last = walk.queens - LAST_ROWS;
        let rows = [self.rows[last], self.rows[last + 1]];
        let free = rows.map(|row| free(walk.board, row, cols, lines, self.last_cols));
        if free[0] == 0 || free[1] == 0 {
            return;
        }
        let length = list.below(self.odd_limit, walk.packing);
        let cols = cols.0;
        let last = LastRows { rows, free, cols };
        // SAFETY: passed on to the caller.
        unsafe {
            self.pile
                .screen::<V>(list, length, last, walk.board, walk.packing);
            if self.pile.length >= FULL_PILE {
                self.unfold::<V>(walk, leaves);
            }
        }
    }

    /// Empties the pile and adds up the weights of its placements.
    ///
    /// # Safety
    ///
    /// The instruction set of `V` must be available, and `leaves` must know the walk's weights.
    #[inline(always)]
    unsafe fn unfold<V: Vector>(&mut self, walk: &TrieWalk, leaves: &mut Leaves) {
        let last = self.rows.len() - LAST_ROWS;
        let distance = self.rows[last] - self.rows[last + 1];
        // SAFETY: passed on to the caller.
        unsafe {
            self.pile
                .unfold::<V>(distance, &mut leaves.other, &mut leaves.found);
            let sum = leaves.sum(&walk.weights[self.inner], walk.odd_pairs);
            let sum = self.sum.checked_add(sum);
            self.sum = sum.expect("the count of one unit fits 64 bits");
        }
    }
}
