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

use super::layout::{LINES, Source};
use super::lists::{End, Part, Tree};
use super::simd::{Block, SLOTS, Vector};

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

/// Computes the planes of all steps of `tree` for the vectors in `planes`.
#[inline(always)]
unsafe fn prepare<V: Vector>(tree: &Tree, planes: &[Block], scratch: &mut Scratch) {
    let vectors = planes.len() / LINES;
    // SAFETY: line numbers are below LINES, so every plane read is inside `planes`; each
    // output has one block per line set and vector. The caller vouches for the rest.
    unsafe {
        let ones = V::load(&Block([u64::MAX; 8]));
        let plane =
            |vector: usize, line: u32| V::load(planes.as_ptr().add(vector * LINES + line as usize));
        let survivors = |vector: usize, lines: u64| {
            let mut left = lines;
            // No placement uses both of the last diagonal and the last anti-diagonal, so
            // exactly the bits that nobody owns are taken away here.
            let mut out = ones.without(plane(vector, 31).and(plane(vector, 63)), V::zero());
            while left != 0 {
                let first = left.trailing_zeros();
                let last = 63 - left.leading_zeros();
                out = out.without(plane(vector, first), plane(vector, last));
                left &= !(1 << first | 1 << last);
            }
            out
        };
        for (lines, out) in [
            (&tree.step_lines, &mut scratch.steps),
            (&tree.end_lines, &mut scratch.ends),
        ] {
            out.clear();
            out.resize(lines.len() * vectors, Block::default());
            for (step, &lines) in lines.iter().enumerate() {
                for vector in 0..vectors {
                    survivors(vector, lines).store(out.as_mut_ptr().add(step * vectors + vector));
                }
            }
        }
    }
    scratch.levels.clear();
    scratch
        .levels
        .resize((tree.depth + 1) * vectors, Block([u64::MAX; 8]));
}

/// Calls `at_end` for every end of the tree with the end and the survivors of its prefix.
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
    stacked: bool,
    counts: &mut [Block],
    scratch: &mut Scratch,
) {
    #[inline(always)]
    unsafe fn fixed<V: Vector, const G: usize, const STACKED: bool>(
        tree: &Tree,
        part: &Part,
        counts: *mut Block,
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
                    let width = if STACKED { 1 } else { G };
                    let row = counts.add(end.cols as usize * width);
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
        let counts = counts.as_mut_ptr();
        macro_rules! by_size {
            ($($g:literal)*) => {
                match (planes.len() / LINES, stacked) {
                    $(($g, true) => fixed::<V, $g, true>(tree, part, counts, scratch),
                      ($g, false) => fixed::<V, $g, false>(tree, part, counts, scratch),)*
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
    planes: &[Block],
    stacked: bool,
    weights: &[Block],
    scratch: &mut Scratch,
) -> u64 {
    #[inline(always)]
    unsafe fn fixed<V: Vector, const G: usize, const STACKED: bool>(
        tree: &Tree,
        weights: *const Block,
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
                &tree.whole(),
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
                    let width = if STACKED { 1 } else { G };
                    let row = weights.add(end.cols as usize * width);
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
        let weights = weights.as_ptr();
        macro_rules! by_size {
            ($($g:literal)*) => {
                match (planes.len() / LINES, stacked) {
                    $(($g, true) => fixed::<V, $g, true>(tree, weights, scratch),
                      ($g, false) => fixed::<V, $g, false>(tree, weights, scratch),)*
                    _ => unreachable!("tiles have 1 to MAX_TILE vectors"),
                }
            };
        }
        by_size!(1 2 3 4 5 6 7 8)
    }
}

/// Adds a tile's counts to the histogram: `rows` rows of `width` sums each.
#[inline(always)]
pub(crate) fn combine(sources: &[Source], counts: &[Block], rows: usize, dense: &mut [u32]) {
    let width = dense.len() / rows;
    for (counts, dense) in counts
        .chunks_exact(sources.len())
        .zip(dense.chunks_exact_mut(width))
    {
        for (source, count) in sources.iter().zip(counts) {
            match source {
                Source::Layer(block) => {
                    let dense = &mut dense[block * SLOTS..][..SLOTS];
                    for (sum, &count) in dense.iter_mut().zip(count.slots()) {
                        *sum += count as u32;
                    }
                }
                Source::Rest(map) => {
                    for (&to, &count) in map.iter().zip(count.slots()) {
                        dense[to as usize] += count as u32;
                    }
                }
            }
        }
    }
}

/// Lays out dense weights for a tile: the reverse of [`combine`].
#[inline(always)]
pub(crate) fn expand(sources: &[Source], dense: &[u16], rows: usize, weights: &mut [Block]) {
    let width = dense.len() / rows;
    for (weights, dense) in weights
        .chunks_exact_mut(sources.len())
        .zip(dense.chunks_exact(width))
    {
        for (source, weight) in sources.iter().zip(weights) {
            let slots = weight.slots_mut();
            match source {
                Source::Layer(block) => slots.copy_from_slice(&dense[block * SLOTS..][..SLOTS]),
                Source::Rest(map) => {
                    for (slot, &from) in slots.iter_mut().zip(map.iter()) {
                        *slot = dense[from as usize];
                    }
                }
            }
        }
    }
}
