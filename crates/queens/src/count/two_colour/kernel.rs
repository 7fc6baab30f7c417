//! The counting loops, written once for every instruction set.
//!
//! [`walk`] visits the tree of one side and keeps, for every level, the bits of the other
//! side's placements that survive: one AND per step and vector. At an end it hands the
//! survivors on. [`fill`] adds the counts per Co to a histogram, row by row of Ce; the
//! opposite colour then *gathers*: [`gather`] multiplies its counts with that histogram and
//! keeps only a sum. That is three vector instructions per end and vector on AVX-512: and
//! with the end's plane, count per slot, multiply and add.
//!
//! Everything here is `inline(always)` and generic; the instruction-set files instantiate
//! it inside functions that have the instructions enabled.

use super::layout::LINES;
use super::lists::{End, Part, Sifted, Tree};
use super::simd::{Block, Vector};

/// Transposes the 64 by 64 bits of each 64-bit lane.
///
/// # Safety
///
/// The instruction set of `V` must be available.
#[inline(always)]
pub(crate) unsafe fn transpose<V: Vector>(words: &mut [Block; LINES]) {
    #[inline(always)]
    unsafe fn exchange<V: Vector, const BITS: i32>(words: &mut [Block; LINES], mask: u64) {
        let step = BITS as usize;
        // SAFETY: indices stay below LINES; the caller vouches for the instructions.
        unsafe {
            let mask = V::load(&Block([mask; 8]));
            let words = words.as_mut_ptr();
            for k in (0..LINES).filter(|k| k & step == 0) {
                let low = V::load(words.add(k));
                let high = V::load(words.add(k | step));
                let change = low.shr::<BITS>().xor(high).and(mask);
                high.xor(change).store(words.add(k | step));
                low.xor(change.shl::<BITS>()).store(words.add(k));
            }
        }
    }
    // SAFETY: passed on to the caller.
    unsafe {
        exchange::<V, 32>(words, 0x0000_0000_ffff_ffff);
        exchange::<V, 16>(words, 0x0000_ffff_0000_ffff);
        exchange::<V, 8>(words, 0x00ff_00ff_00ff_00ff);
        exchange::<V, 4>(words, 0x0f0f_0f0f_0f0f_0f0f);
        exchange::<V, 2>(words, 0x3333_3333_3333_3333);
        exchange::<V, 1>(words, 0x5555_5555_5555_5555);
    }
}

/// Memory that a walk needs beside its inputs; kept to be used again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// For each prefix step, the bits that survive it: one block per vector of the tile.
    steps: Vec<Block>,
    /// The same for each end step.
    ends: Vec<Block>,
    /// The survivors at each level.
    levels: Vec<Block>,
}

/// How a walk addresses its rows of counts or weights: the row of a Ce begins at block
/// `first + stride * ce` and has a block per vector, or one for all if they are stacked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub first: usize,
    pub stride: usize,
    pub stacked: bool,
}

impl Rows {
    /// Whether rows for `cols` Ce's of `vectors` vectors lie within `blocks` blocks.
    pub fn fit(&self, cols: usize, vectors: usize, blocks: usize) -> bool {
        let width = if self.stacked { 1 } else { vectors };
        cols == 0 || self.first + self.stride * (cols - 1) + width <= blocks
    }
}

/// Computes the planes of all steps of `tree` below its stem for the vectors in `planes`.
#[inline(always)]
unsafe fn prepare<V: Vector>(tree: &Tree, planes: &[Block], scratch: &mut Scratch) {
    let vectors = planes.len() / LINES;
    let room = |blocks: &mut Vec<Block>, steps: usize| {
        blocks.resize((steps * vectors).max(blocks.len()), Block::default());
    };
    room(&mut scratch.steps, tree.step_lines.len());
    room(&mut scratch.ends, tree.end_steps.len());
    scratch.levels.clear();
    scratch
        .levels
        .resize((tree.depth + 1) * vectors, Block([u64::MAX; 8]));
    // SAFETY: line numbers are below LINES, so every plane read is inside `planes`; the
    // outputs have a block for every step and vector. The caller vouches for the rest.
    unsafe {
        let ones = V::load(&Block([u64::MAX; 8]));
        let steps = scratch.steps.as_mut_ptr();
        for step in tree.stem * tree.cols..tree.step_lines.len() {
            let lines = *tree.step_lines.get_unchecked(step);
            for vector in 0..vectors {
                let planes = planes.as_ptr().add(vector * LINES);
                let plane = |line: u32| V::load(planes.add(line as usize));
                let survivors = if lines == 0 {
                    // No placement uses both of the last diagonal and the last
                    // anti-diagonal: only bits that nobody owns are taken away.
                    ones.without(plane(31).and(plane(63)), V::zero())
                } else {
                    ones.without(
                        plane(lines.trailing_zeros()),
                        plane(63 - lines.leading_zeros()),
                    )
                };
                survivors.store(steps.add(step * vectors + vector));
            }
        }
        let ends = scratch.ends.as_mut_ptr();
        for (end, &[first, second]) in tree.end_steps.iter().enumerate() {
            for vector in 0..vectors {
                let plane = |step: u16| V::load(steps.add(step as usize * vectors + vector));
                plane(first)
                    .and(plane(second))
                    .store(ends.add(end * vectors + vector));
            }
        }
    }
}

/// Calls `at_end` for every end of a part of the tree with the end and the survivors of its
/// prefix. The levels of the stem are taken as done.
#[inline(always)]
unsafe fn walk<V: Vector, const G: usize>(
    tree: &Tree,
    part: &Part,
    scratch: &mut Scratch,
    mut at_prefix: impl FnMut(usize),
    mut at_end: impl FnMut(&[V; G], *const Block, End),
) {
    // SAFETY: `prepare` sized the planes for every step number in the tree; `steps` holds
    // `depth - from` numbers and `ends` the announced number of ends for every prefix.
    unsafe {
        let (planes, end_planes) = (scratch.steps.as_ptr(), scratch.ends.as_ptr());
        let levels = scratch.levels.as_mut_ptr();
        let mut steps = tree.steps.as_ptr().add(part.steps);
        let mut ends = tree.ends.as_ptr().add(part.ends);
        for prefix in &tree.prefixes[part.prefixes.clone()] {
            let mut level = prefix.from as usize;
            let mut alive = [V::zero(); G];
            for (g, alive) in alive.iter_mut().enumerate() {
                *alive = V::load(levels.add(level * G + g));
            }
            while level < tree.depth {
                let plane = planes.add(*steps as usize * G);
                steps = steps.add(1);
                level += 1;
                for (g, alive) in alive.iter_mut().enumerate() {
                    *alive = alive.and(V::load(plane.add(g)));
                    alive.store(levels.add(level * G + g));
                }
            }
            at_prefix(prefix.ends as usize);
            for _ in 0..prefix.ends {
                let end = *ends;
                ends = ends.add(1);
                at_end(&alive, end_planes.add(end.step as usize * G), end);
            }
        }
    }
}

/// Adds to `counts`, for every Ce of a part of the tree, how many placements survive in each slot.
///
/// A stacked tile has one block of counts per Ce, a spread tile one per vector.
///
/// # Safety
///
/// The instruction set of `V` must be available, and `counts` must have a row for every Ce
/// that the tree's ends name.
#[inline(always)]
pub(crate) unsafe fn fill<V: Vector>(
    tree: &Tree,
    part: &Part,
    planes: &[Block],
    rows: Rows,
    counts: &mut [Block],
    scratch: &mut Scratch,
) {
    #[inline(always)]
    unsafe fn fixed<V: Vector, const G: usize, const STACKED: bool>(
        tree: &Tree,
        part: &Part,
        counts: *mut Block,
        stride: usize,
        scratch: &mut Scratch,
    ) {
        // SAFETY: passed on to the caller of `fill`.
        unsafe {
            walk::<V, G>(
                tree,
                part,
                scratch,
                |_| {},
                |alive, planes, end| {
                    let row = counts.add(end.cols as usize * stride);
                    if STACKED {
                        let mut sum = V::load(row);
                        for (g, alive) in alive.iter().enumerate() {
                            sum = sum.add16(alive.and(V::load(planes.add(g))).popcount16());
                        }
                        sum.store(row);
                    } else {
                        for (g, alive) in alive.iter().enumerate() {
                            let count = alive.and(V::load(planes.add(g))).popcount16();
                            V::load(row.add(g)).add16(count).store(row.add(g));
                        }
                    }
                },
            );
        }
    }
    // SAFETY: passed on to the caller.
    unsafe {
        prepare::<V>(tree, planes, scratch);
        let counts = counts.as_mut_ptr().add(rows.first);
        macro_rules! by_size {
            ($($g:literal)*) => {
                match (planes.len() / LINES, rows.stacked) {
                    $(($g, true) => fixed::<V, $g, true>(tree, part, counts, rows.stride, scratch),
                      ($g, false) => fixed::<V, $g, false>(tree, part, counts, rows.stride, scratch),)*
                    _ => unreachable!("tiles have 1 to MAX_TILE vectors"),
                }
            };
        }
        by_size!(1 2 3 4 5 6 7 8)
    }
}

/// Sums, over every Ce of the tree and every slot, the number of surviving placements
/// times the slot's weight for that Ce.
///
/// Weights are at most 2^15 - 1. A lane of the sum then grows by at most
/// `2 * (16 * 8) * (2^15 - 1) < 2^23` per end, and a prefix has at most 240 ends, so sums
/// that are emptied before every prefix that could make them pass 2^31 never overflow.
///
/// # Safety
///
/// The instruction set of `V` must be available, and `weights` must have a row for every
/// Ce that the tree's ends name.
#[inline(always)]
pub(crate) unsafe fn gather<V: Vector>(
    tree: &Tree,
    part: &Part,
    planes: &[Block],
    rows: Rows,
    weights: &[Block],
    scratch: &mut Scratch,
) -> u64 {
    #[inline(always)]
    unsafe fn fixed<V: Vector, const G: usize, const STACKED: bool>(
        tree: &Tree,
        part: &Part,
        weights: *const Block,
        stride: usize,
        scratch: &mut Scratch,
    ) -> u64 {
        const MOST_ENDS: usize = 255;
        // SAFETY: passed on to the caller of `gather`.
        unsafe {
            let mut total = 0u64;
            let mut since = 0;
            let sums = std::cell::Cell::new([V::zero(); G]);
            walk::<V, G>(
                tree,
                part,
                scratch,
                |ends| {
                    since += ends;
                    if since > MOST_ENDS {
                        since = ends;
                        for sum in sums.replace([V::zero(); G]) {
                            total += sum.sum32() as u64;
                        }
                    }
                },
                |alive, planes, end| {
                    let row = weights.add(end.cols as usize * stride);
                    let mut sum = sums.get();
                    if STACKED {
                        let mut count = V::zero();
                        for (g, alive) in alive.iter().enumerate() {
                            count = count.add16(alive.and(V::load(planes.add(g))).popcount16());
                        }
                        sum[0] = sum[0].add_products(count, V::load(row));
                    } else {
                        for (g, alive) in alive.iter().enumerate() {
                            let count = alive.and(V::load(planes.add(g))).popcount16();
                            sum[g] = sum[g].add_products(count, V::load(row.add(g)));
                        }
                    }
                    sums.set(sum);
                },
            );
            for sum in sums.get() {
                total += sum.sum32() as u64;
            }
            total
        }
    }
    // SAFETY: passed on to the caller.
    unsafe {
        prepare::<V>(tree, planes, scratch);
        let weights = weights.as_ptr().add(rows.first);
        macro_rules! by_size {
            ($($g:literal)*) => {
                match (planes.len() / LINES, rows.stacked) {
                    $(($g, true) => fixed::<V, $g, true>(tree, part, weights, rows.stride, scratch),
                      ($g, false) => fixed::<V, $g, false>(tree, part, weights, rows.stride, scratch),)*
                    _ => unreachable!("tiles have 1 to MAX_TILE vectors"),
                }
            };
        }
        by_size!(1 2 3 4 5 6 7 8)
    }
}

/// Keeps of some placements those that use none of the lines `taken`, in their order.
///
/// # Safety
///
/// The instruction set of `V` must be available.
#[inline(always)]
pub(crate) unsafe fn sift<V: Vector>(lines: &[u64], cols: &[u32], taken: u64, to: &mut Sifted) {
    assert_eq!(lines.len(), cols.len());
    // Vectors write up to eight places beyond what they keep.
    let room = lines.len() + 8;
    to.lines.resize(room.max(to.lines.len()), 0);
    to.cols.resize(room.max(to.cols.len()), 0);
    let (lines_out, cols_out) = (to.lines.as_mut_ptr(), to.cols.as_mut_ptr());
    let mut kept = 0;
    // SAFETY: at most `lines.len()` are kept, and both outputs have room for eight more.
    unsafe {
        for at in (0..lines.len() & !7).step_by(8) {
            let (lines, cols) = (lines.as_ptr().add(at), cols.as_ptr().add(at));
            kept += V::sift8(lines, cols, taken, lines_out.add(kept), cols_out.add(kept));
        }
        for at in lines.len() & !7..lines.len() {
            *lines_out.add(kept) = lines[at];
            *cols_out.add(kept) = cols[at];
            kept += usize::from(lines[at] & taken == 0);
        }
    }
    to.length = kept;
}

/// Copies, row by row, the slots of `from` that `maps` names.
///
/// # Safety
///
/// The instruction set of `V` must be available, every place in `maps` must be within a row
/// of `stride` blocks, and there must be room in `to` for the named `rows` of `from`.
#[inline(always)]
pub(crate) unsafe fn expand<V: Vector>(
    maps: &[Block],
    from: &[Block],
    stride: usize,
    rows: &[u16],
    to: &mut [Block],
) {
    // SAFETY: passed on to the caller.
    unsafe {
        for &row in rows {
            let from = from.as_ptr().add(row as usize * stride);
            for (g, map) in maps.iter().enumerate() {
                let picked = V::pick16(from, map);
                picked.store(to.as_mut_ptr().add(row as usize * maps.len() + g));
            }
        }
    }
}
