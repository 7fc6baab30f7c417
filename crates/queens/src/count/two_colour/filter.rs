//! Gathering by filtering: for the classes where next to nothing survives.
//!
//! Where the gathering colour has many queens, a placement `p` of its tree leaves alive one
//! `q` in ten thousand or less. To scan bits for those is waste. Here the tree's prefixes
//! are walked depth first and every step *sifts* the list of `q`s, so that the lists are
//! short before there are many prefixes. Row sets that begin with the same rows share the
//! steps in those rows: the walk is over a trie of the row sets, not over one of them.
//!
//! ```text
//!   rows 9 8 7 | 5 4     all q's --sift (9,j)--> a third --sift (8,j)--> a tenth ...
//!        9 8 7 | 5 3     these two share every list before the bar
//! ```
//!
//! Two rows before the end nothing is sifted any more. For every `q` that is left, the free
//! squares of both rows are two shifts away (`screen`); most have none in one of them. The
//! others are unfolded into placements, 16 at a time (`unfold`), and each looks its weight
//! up. So the cost is a few instructions per 16 entries of the lists and a few per surviving
//! placement, however many `p`s there are.
//!
//! **Odd n.** Every solution has its mirror image, left and right, among those counted. The
//! scan leaves out column sets; a walk by prefixes cannot know these in time, so here the
//! queen of the first row stays in the left half, or in the middle column, where every
//! placement is then met beside its mirror image. A column set that is not visited looks up
//! the weights of its reverse, with the Co reversed too.

use super::batch::{Colour, Inner};
use super::class::{Class, NONE, Visits};
use super::lists::{Queue, elements};
use super::simd::{Block, Kernels, SLOTS, Vector};
use super::split::{SmallBoard, full, reverse};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// The rows of a tree that are screened and unfolded instead of sifted.
pub(crate) const LAST_ROWS: usize = 2;

/// A pile is unfolded when it has this many entries.
const FULL_PILE: usize = 2048;

/// 32-bit lanes of a vector.
const LANES: usize = 16;

/// Memory used for one batch after the other.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    /// The lists after each step.
    lists: Vec<List>,
    targets: Vec<Target>,
    /// For each level and target, the first target beyond it that differs in the rows so far.
    group_ends: Vec<Vec<usize>>,
    levels: Vec<Level>,
    other: Pile,
    leaves: Vec<u32>,
    /// From the columns of a placement to where its row of weights begins.
    weight_rows: Vec<u32>,
}

/// How the Co of a `q` is packed beside its lines.
#[derive(Clone, Copy, Debug)]
struct Packing {
    /// The first bit above the diagonals, and above the anti-diagonals.
    above_lines: u32,
    /// How many bits of a Co go above the diagonals; the others go above the anti-diagonals.
    low_bits: u32,
}

impl Packing {
    /// Lines are numbered below twice the number of even rows.
    fn new(even: u32) -> Packing {
        Packing {
            above_lines: 2 * even,
            low_bits: 32 - 2 * even,
        }
    }
}

/// The most Co's of a chunk that a filter can tell apart: 256 for n = 28, too few beyond. An
/// entry of a pile has 16 bits for a Co.
pub(crate) fn most_cos(even: u32) -> usize {
    1 << (2 * Packing::new(even).low_bits).min(16)
}

/// Some `q`s by rising Co, as two arrays, so that 16 go to a vector: their diagonals and
/// their anti-diagonals, each with a part of the Co above. There is room for a vector more.
#[derive(Clone, Debug, Default)]
struct List {
    diag: Vec<u32>,
    anti: Vec<u32>,
    length: usize,
}

impl List {
    fn make_room(&mut self, length: usize) {
        if self.diag.len() < length + LANES {
            self.diag.resize(length + LANES, 0);
            self.anti.resize(length + LANES, 0);
        }
    }

    /// The `q`s whose Co's are in a chunk.
    fn fill(&mut self, queue: &Queue, chunk: &Range<usize>, packing: Packing) {
        let length = queue.range(chunk.clone()).len();
        self.make_room(length);
        self.length = length;
        let Packing {
            above_lines,
            low_bits,
        } = packing;
        let mut k = 0;
        for (local, co) in (0..).zip(chunk.clone()) {
            let (low, high) = (local << above_lines, local >> low_bits << above_lines);
            for &lines in &queue.lines[queue.range(co..co + 1)] {
                self.diag[k] = lines as u32 | low;
                self.anti[k] = (lines >> 32) as u32 | high;
                k += 1;
            }
        }
    }

    /// How many have a Co below this.
    fn below(&self, co: u32, packing: Packing) -> usize {
        let Packing {
            above_lines,
            low_bits,
        } = packing;
        let co_of =
            |k: usize| self.diag[k] >> above_lines | self.anti[k] >> above_lines << low_bits;
        let (mut low, mut high) = (0, self.length);
        if high > 0 && co_of(high - 1) < co {
            return high;
        }
        while low < high {
            let middle = (low + high) / 2;
            match co_of(middle) < co {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

/// One inner row set and what was found for it.
#[derive(Debug, Default)]
struct Target {
    /// Its number among the inner row sets.
    inner: usize,
    /// Its rows, from the last on.
    rows: Vec<u32>,
    /// No column set above this one, as a number, is visited.
    last_cols: u32,
    /// No Co of the chunk from here on is visited.
    co_limit: u32,
    pile: Pile,
    sum: u64,
}

/// Placements of one row set but for its two last rows, each with a `q`: the free squares of
/// the two rows, 16 bits each, and the columns of the others above the Co of the `q`.
#[derive(Clone, Debug, Default)]
struct Pile {
    free: Vec<u32>,
    ids: Vec<u32>,
    length: usize,
}

impl Pile {
    fn make_room(&mut self, length: usize) {
        if self.free.len() < length + LANES {
            self.free.resize(length + LANES, 0);
            self.ids.resize(length + LANES, 0);
        }
    }
}

/// A prefix on the way: its queens so far, and where it goes on.
#[derive(Clone, Debug, Default)]
struct Level {
    cols: u32,
    lines: u64,
    /// The targets that share the rows so far.
    group: Range<usize>,
    /// Those of them that share the next row too and are being visited, that row, and its
    /// columns that are still to be tried.
    same: Range<usize>,
    row: u32,
    columns: u32,
    /// How much of the list they want.
    length: usize,
}

/// What stays the same for a whole walk.
pub(crate) struct Walk<'a> {
    board: SmallBoard,
    queens: usize,
    packing: Packing,
    /// The columns of the first row that are tried.
    first_columns: u32,
    /// Co's of the chunk that stand beside their reverse.
    co_pairs: u32,
    /// For each inner row set, a row of weights per Ce, and one of zeros.
    weights: &'a [Vec<Block>],
    stop: &'a AtomicBool,
}

impl Filter {
    /// The sum over some pairs of row sets and one chunk of Co's, or `None` when stopped.
    /// `weights` has, for each inner row set, `ce_rows` rows of `stride` blocks and a row of
    /// zeros.
    #[allow(clippy::too_many_arguments)]
    pub fn gather(
        &mut self,
        class: &Class,
        colour: &Colour,
        queue: &Queue,
        chunk: &Range<usize>,
        inners: &[Inner],
        weights: &[Vec<Block>],
        (ce_rows, stride): (usize, usize),
        kernels: &Kernels,
        stop: &AtomicBool,
    ) -> Option<u64> {
        let (board, flip) = colour.tree_board_and_flip();
        let packing = Packing::new(class.split.even);
        assert!(chunk.len() <= stride * SLOTS && chunk.len() <= most_cos(class.split.even));
        assert!(weights.len() == inners.len());
        let blocks = (ce_rows + 1) * stride;
        assert!(weights.iter().all(|rows| rows.len() == blocks));
        self.find_weights(class, board, flip, ce_rows, stride * SLOTS);
        self.aim(class, flip, chunk, inners);
        self.lists[0].fill(queue, chunk, packing);
        let odd = class.split.n % 2 == 1;
        let middle = if odd && board.cols % 2 == 1 {
            1 << (board.cols / 2)
        } else {
            0
        };
        let left = if odd {
            full(board.cols / 2)
        } else {
            board.all_cols()
        };
        let mut total = 0u64;
        for (first_columns, times) in [(left, 2), (middle, 1)] {
            if first_columns == 0 {
                continue;
            }
            let walk = Walk {
                board,
                queens: self.targets[0].rows.len(),
                packing,
                first_columns,
                co_pairs: class.co_pairs().saturating_sub(chunk.start as u32),
                weights,
                stop,
            };
            // SAFETY: every set of the board's columns has a row of weights, and every Co of
            // the chunk a place in it, as was checked.
            unsafe { kernels.filter(self, &walk)? };
            for target in &mut self.targets {
                // Of the sums of odd n only the half counts; see `column_weight`.
                let times = if odd { times } else { 2 };
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

    /// Notes for every set of columns where its row of weights begins, and in the highest bit
    /// whether that is the row of its reverse.
    fn find_weights(
        &mut self,
        class: &Class,
        board: SmallBoard,
        flip: u32,
        ce_rows: usize,
        stride: usize,
    ) {
        let rows = (0..1 << board.cols).map(|cols: u32| {
            let (ce, turned) = ce_of(class, cols ^ flip);
            let row = usize::from(ce).min(ce_rows) * stride;
            row as u32 | if turned { TURNED } else { 0 }
        });
        self.weight_rows.clear();
        self.weight_rows.extend(rows);
    }

    /// Makes the inner row sets targets, in an order in which those that begin with the same
    /// rows stand together.
    fn aim(&mut self, class: &Class, flip: u32, chunk: &Range<usize>, inners: &[Inner]) {
        self.targets.resize_with(inners.len(), Target::default);
        for (number, (target, inner)) in self.targets.iter_mut().zip(inners).enumerate() {
            target.inner = number;
            target.rows.clear();
            target.rows.extend(elements(inner.tree_rows));
            target.rows.reverse();
            target.last_cols = last_cols(class, flip, inner.ce_limit);
            let visited = (inner.visits.co_limit as usize).min(chunk.end);
            target.co_limit = visited.saturating_sub(chunk.start) as u32;
            (target.sum, target.pile.length) = (0, 0);
        }
        self.targets.sort_unstable_by(|x, y| y.rows.cmp(&x.rows));
        let queens = self.targets[0].rows.len();
        assert!(queens > LAST_ROWS);
        self.group_ends.resize_with(queens, Vec::new);
        for (level, ends) in self.group_ends.iter_mut().enumerate() {
            ends.clear();
            ends.resize(self.targets.len(), self.targets.len());
            for k in (1..self.targets.len()).rev() {
                let same = self.targets[k - 1].rows[..=level] == self.targets[k].rows[..=level];
                ends[k - 1] = if same { ends[k] } else { k };
            }
        }
        self.lists.resize_with(queens, List::default);
        self.levels.resize_with(queens, Level::default);
    }
}

/// What a count of the stored colour is multiplied with for this Ce. For odd `n` the reverse
/// of a Ce is met too, and all sums are double.
pub(crate) fn column_weight(class: &Class, visits: &Visits, ce: u32, below: bool) -> u32 {
    match class.split.n % 2 {
        0 => class.column_weight(visits, ce, below),
        _ => 2 * class.transposed_weight(visits, ce, below),
    }
}

/// The Ce of a set of even columns or else, where there is none for odd `n`, that of its
/// reverse, and whether it is that.
pub(crate) fn ce_of(class: &Class, set: u32) -> (u16, bool) {
    let number = |set: u32| class.ce_numbers()[set as usize];
    match (number(set), class.split.n % 2) {
        (NONE, 1) => (number(reverse(set, class.split.even)), true),
        (ce, _) => (ce, false),
    }
}

/// No set of columns of a gathering placement above this one, as a number, has a Ce below the
/// limit, or is the reverse of one that has.
pub(crate) fn last_cols(class: &Class, flip: u32, ce_limit: u32) -> u32 {
    let visited = &class.ce_sets()[..ce_limit as usize];
    match class.split.n % 2 {
        0 => visited.iter().map(|set| set ^ flip).max().unwrap_or(0),
        _ => u32::MAX,
    }
}

/// Marks that the weights to look up are those of the reversed column set.
const TURNED: u32 = 1 << 31;

/// The squares of a row that are free beside `cols` and `lines` and keep the columns, as a
/// number, from passing `last_cols`.
#[inline(always)]
fn free(board: SmallBoard, row: u32, cols: u32, lines: u64, last_cols: u32) -> u32 {
    if cols > last_cols {
        return 0;
    }
    let small = ((2u64 << (last_cols - cols).max(1).ilog2()) - 1) as u32;
    board.all_cols() & small & !(cols | board.attacked(row, lines))
}

/// Walks the trie of the targets' prefixes and sums the weights of all placements.
///
/// # Safety
///
/// The instruction set of `V` must be available, and the filter must be set up as
/// [`Filter::gather`] does.
#[inline(always)]
pub(crate) unsafe fn walk<V: Vector>(filter: &mut Filter, walk: &Walk) -> Option<()> {
    let Filter {
        lists,
        targets,
        group_ends,
        levels,
        other,
        leaves,
        weight_rows,
    } = filter;
    let mut depth = 0;
    levels[0] = Level {
        group: 0..targets.len(),
        ..Level::default()
    };
    loop {
        let level = &mut levels[depth];
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
            // The targets that share one more row.
            let first = level.same.end;
            level.same = first..group_ends[depth][first].min(level.group.end);
            let (mut last_cols, mut co_limit) = (0, 0);
            for target in &targets[level.same.clone()] {
                last_cols = last_cols.max(target.last_cols);
                co_limit = co_limit.max(target.co_limit);
            }
            level.row = targets[first].rows[depth];
            level.columns = free(walk.board, level.row, level.cols, level.lines, last_cols);
            if depth == 0 {
                level.columns &= walk.first_columns;
            }
            level.length = lists[depth].below(co_limit, walk.packing);
            continue;
        }
        let j = level.columns.trailing_zeros();
        level.columns &= level.columns - 1;
        let taken = walk.board.lines(level.row, j);
        let (cols, lines) = (level.cols | 1 << j, level.lines | taken);
        let (length, same) = (level.length, level.same.clone());
        let (above, below) = lists.split_at_mut(depth + 1);
        let list = &mut below[0];
        // SAFETY: the caller vouches for the instructions, and for the weights.
        unsafe {
            sift::<V>(&above[depth], length, taken, list);
            if list.length == 0 {
                continue;
            }
            depth += 1;
            if depth + LAST_ROWS < walk.queens {
                levels[depth] = Level {
                    cols,
                    lines,
                    same: same.start..same.start,
                    group: same,
                    ..Level::default()
                };
                continue;
            }
            for target in &mut targets[same] {
                let rows = [target.rows[depth], target.rows[depth + 1]];
                let free = rows.map(|row| free(walk.board, row, cols, lines, target.last_cols));
                if free[0] == 0 || free[1] == 0 {
                    continue;
                }
                let length = list.below(target.co_limit, walk.packing);
                screen::<V>(walk, list, length, rows, free, cols, &mut target.pile);
                if target.pile.length >= FULL_PILE {
                    unfold::<V>(walk, target, other, leaves, weight_rows);
                }
            }
            depth -= 1;
        }
    }
    for target in targets {
        // SAFETY: as above.
        unsafe { unfold::<V>(walk, target, other, leaves, weight_rows) };
    }
    Some(())
}

/// The lanes of a vector at `at` that are within a list.
#[inline(always)]
fn within(at: usize, length: usize) -> u16 {
    let left = (length - at).min(LANES);
    ((1u32 << left) - 1) as u16
}

/// Keeps of the first `length` `q`s those that use none of the lines `taken`.
#[inline(always)]
unsafe fn sift<V: Vector>(from: &List, length: usize, taken: u64, to: &mut List) {
    to.make_room(length);
    // SAFETY: reads and writes begin within the lists and go at most a vector beyond, for
    // which both have room; what is kept is never more than what was read.
    unsafe {
        let diag_taken = V::splat32(taken as u32);
        let anti_taken = V::splat32((taken >> 32) as u32);
        let (diag_out, anti_out) = (to.diag.as_mut_ptr(), to.anti.as_mut_ptr());
        let mut kept = 0;
        for at in (0..length).step_by(LANES) {
            let diag = V::load32(from.diag.as_ptr().add(at));
            let anti = V::load32(from.anti.as_ptr().add(at));
            let hit = diag.and(diag_taken).or(anti.and(anti_taken));
            let mask = !hit.nonzero32() & within(at, length);
            diag.compress32(mask, diag_out.add(kept));
            anti.compress32(mask, anti_out.add(kept));
            kept += mask.count_ones() as usize;
        }
        to.length = kept;
    }
}

/// Puts on the pile those of the first `length` `q`s that leave one of the `free` squares of
/// both last rows, with the columns `cols` of the placement that comes to these rows.
#[inline(always)]
unsafe fn screen<V: Vector>(
    walk: &Walk,
    from: &List,
    length: usize,
    rows: [u32; 2],
    free: [u32; 2],
    cols: u32,
    to: &mut Pile,
) {
    to.make_room(to.length + length);
    let Walk { board, packing, .. } = walk;
    // SAFETY: as for `sift`.
    unsafe {
        let squares = free.map(|free| V::splat32(free));
        let cols = V::splat32(cols << 16);
        let (free_out, ids_out) = (to.free.as_mut_ptr(), to.ids.as_mut_ptr());
        let mut kept = to.length;
        for at in (0..length).step_by(LANES) {
            let diag = V::load32(from.diag.as_ptr().add(at));
            let anti = V::load32(from.anti.as_ptr().add(at));
            let left = |k: usize| {
                let diag = diag.shr32(board.diag_offset - rows[k]);
                squares[k].without(diag, anti.shr32(board.anti_offset + rows[k]))
            };
            let (first, second) = (left(0), left(1));
            let mask = first.nonzero32() & second.nonzero32() & within(at, length);
            let low = diag.shr32(packing.above_lines);
            let high = anti.shr32(packing.above_lines).shl32(packing.low_bits);
            first
                .or(second.shl32(16))
                .compress32(mask, free_out.add(kept));
            cols.or(low).or(high).compress32(mask, ids_out.add(kept));
            kept += mask.count_ones() as usize;
        }
        to.length = kept;
    }
}

/// Empties the pile into its placements and sums their weights.
///
/// An entry gives its first placement; what it has beside, more squares in the second row
/// for the same square of the first, or more squares in the first, goes to another pile, and
/// so on with that one. (Putting it back on the same pile made every vector wait for the
/// stores of the one before, a quarter of the whole time.)
#[inline(always)]
unsafe fn unfold<V: Vector>(
    walk: &Walk,
    target: &mut Target,
    other: &mut Pile,
    leaves: &mut Vec<u32>,
    weight_rows: &[u32],
) {
    let last = target.rows.len() - LAST_ROWS;
    let distance = target.rows[last] - target.rows[last + 1];
    leaves.clear();
    // SAFETY: the other pile has room for what comes from a pile, and the leaves for a vector
    // more; the caller vouches for the places of the weights.
    unsafe {
        let low = V::splat32(0xffff);
        let pile = &mut target.pile;
        while pile.length > 0 {
            leaves.reserve(pile.length + LANES);
            other.make_room(2 * pile.length);
            let found_out = leaves.as_mut_ptr();
            let (free_out, ids_out) = (other.free.as_mut_ptr(), other.ids.as_mut_ptr());
            let (mut found, mut left) = (leaves.len(), 0);
            for at in (0..pile.length).step_by(LANES) {
                let valid = within(at, pile.length);
                let both = V::load32(pile.free.as_ptr().add(at));
                let id = V::load32(pile.ids.as_ptr().add(at));
                let (first, second) = (both.and(low), both.shr32(16));
                let x = first.lowest32();
                let lines = x.shl32(distance).or(x.shr32(distance));
                let seconds = second.without(x, lines);
                let y = seconds.lowest32();

                let mask = seconds.nonzero32() & valid;
                let leaf = id.shr32(16).or(id.shl32(16)).or(x).or(y);
                leaf.compress32(mask, found_out.add(found));
                found += mask.count_ones() as usize;

                let more = seconds.xor(y);
                let mask = more.nonzero32() & valid;
                let more = more.shl32(16).or(x);
                more.compress32(mask, free_out.add(left));
                id.compress32(mask, ids_out.add(left));
                left += mask.count_ones() as usize;
                let more = first.xor(x);
                let mask = more.nonzero32() & valid;
                both.xor(x).compress32(mask, free_out.add(left));
                id.compress32(mask, ids_out.add(left));
                left += mask.count_ones() as usize;
            }
            leaves.set_len(found);
            other.length = left;
            std::mem::swap(pile, other);
        }
        let weights = Block::slots_of(&walk.weights[target.inner]);
        let mut sum = 0u64;
        for &leaf in leaves.iter() {
            let (row, co) = (
                *weight_rows.get_unchecked((leaf & 0xffff) as usize),
                leaf >> 16,
            );
            let turned = (row / TURNED) & u32::from(co < walk.co_pairs);
            let place = (row & !TURNED) + (co ^ turned);
            sum += u64::from(*weights.get_unchecked(place as usize));
        }
        target.sum += sum;
    }
}
