//! The scan: a tree is walked over bit planes, and every end counts its survivors.
//!
//! Each level of the walk holds the bits of the scanned placements that survive the queens so
//! far. A step is one AND per vector, with the placements that use neither of the step's two
//! lines. At an end the survivors are counted, 16 bits to an index. Here is one vector with
//! three slots, cut short:
//!
//! ```text
//!   before the step    1011  1110  1000       a bit per scanned placement
//!   the step leaves    0101  1010  1111       not on its two lines
//!   and                0001  1010  1000       kept for the steps below
//!   count               1     2     1         one number per odd_index
//! ```
//!
//! [`fill`] adds the counts to a histogram, in the row of the end's `even_index`. [`gather`]
//! multiplies them with that row and keeps only the sum. On AVX-512 these are three instructions
//! per end and vector: AND, count, multiply-add. The scalar twin in `twin.rs` does the same in
//! two loops, and a test compares them.

use super::super::simd::{Bits512, Instructions, Kernel, Vector};
use super::super::walk_tree::{End, TreePart, WalkTree};
use super::planes::LINES;

/// Memory that a walk needs beside its inputs; kept for the next walk.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// For each prefix step, the bits that survive it: 512 per vector of the bundle.
    steps: Vec<Bits512>,
    /// The same for each end step.
    ends: Vec<Bits512>,
    /// The survivors at each level.
    levels: Vec<Bits512>,
}

/// Where the rows of a histogram are. The row of an `even_index` begins at
/// `first + stride * even_index`. It has 512 bits for each vector of a bundle, or 512 bits for
/// all of them if they are stacked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowAddress {
    pub first: usize,
    pub stride: usize,
    pub stacked: bool,
}

impl RowAddress {
    /// Whether that many rows for that many vectors lie within a histogram of `length`.
    fn fits(&self, rows: usize, vectors: usize, length: usize) -> bool {
        let width = if self.stacked { 1 } else { vectors };
        rows == 0 || self.first + self.stride * (rows - 1) + width <= length
    }
}

/// One part of a tree, to be walked over the planes of one bundle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartWalk<'a> {
    pub tree: &'a WalkTree,
    pub part: &'a TreePart,
    /// The planes of the bundle's vectors.
    pub planes: &'a [Bits512],
    /// Where the bundle's rows of counts or weights are.
    pub rows: RowAddress,
}

impl PartWalk<'_> {
    /// Number of vectors of the bundle.
    fn vectors(&self) -> usize {
        self.planes.len() / LINES
    }

    /// Checks that every row that an end can name, all below the tree's limit, is there.
    fn check_rows(&self, length: usize) {
        let rows = self.tree.index_limit;
        assert!(self.rows.fits(rows, self.vectors(), length));
    }
}

/// Adds to `counts`, for every end of the part, how many placements survive in each slot.
///
/// A stacked bundle has one vector of counts per row; any other bundle has one for each of its
/// vectors.
pub(crate) fn fill(
    instructions: Instructions,
    walk: PartWalk,
    counts: &mut [Bits512],
    scratch: &mut Scratch,
) {
    walk.check_rows(counts.len());
    instructions.run(Fill {
        walk,
        counts,
        scratch,
    });
}

/// Sums, over every end of the part and every slot, the number of surviving placements
/// times the slot's weight in the row of the end.
///
/// Weights are at most 2^15 - 1. So a lane of the sum grows by at most
/// `2 * (16 * 8) * (2^15 - 1) < 2^23` per end. A prefix has at most 240 ends, so the lanes never
/// overflow if they are emptied before every prefix that could take them past 2^31. All 16 lanes
/// of eight vectors grow by less than 2^30 per end, so with fewer than 2^32 ends the whole sum
/// stays within 64 bits.
pub(crate) fn gather(
    instructions: Instructions,
    walk: PartWalk,
    weights: &[Bits512],
    scratch: &mut Scratch,
) -> u64 {
    walk.check_rows(weights.len());
    assert!(u32::try_from(walk.tree.ends.len()).is_ok());
    instructions.run(Gather {
        walk,
        weights,
        scratch,
    })
}

/// The kernel of [`fill`], which checks its rows.
struct Fill<'a> {
    walk: PartWalk<'a>,
    counts: &'a mut [Bits512],
    scratch: &'a mut Scratch,
}

/// The kernel of [`gather`], which checks its rows.
struct Gather<'a> {
    walk: PartWalk<'a>,
    weights: &'a [Bits512],
    scratch: &'a mut Scratch,
}

/// Calls a function that is compiled once for each number of vectors, stacked or not.
macro_rules! by_size {
    ($walk:ident, $function:ident::<$vector:ident>($($argument:expr),*)) => {
        by_size!(@ $walk, $function::<$vector>, ($($argument),*), 1 2 3 4 5 6 7 8)
    };
    (@ $walk:ident, $function:ident::<$vector:ident>, $arguments:tt, $($g:literal)*) => {
        match ($walk.vectors(), $walk.rows.stacked) {
            $(
                ($g, true) => by_size!(@call $function::<$vector, $g, true> $arguments),
                ($g, false) => by_size!(@call $function::<$vector, $g, false> $arguments),
            )*
            _ => unreachable!("bundles have 1 to MAX_BUNDLE vectors"),
        }
    };
    (@call $function:ident::<$vector:ident, $g:literal, $stacked:literal>
        ($($argument:expr),*)) => {
        $function::<$vector, $g, $stacked>($($argument),*)
    };
}

impl Kernel for Fill<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector>(self) {
        let Fill {
            walk,
            counts,
            scratch,
        } = self;
        // SAFETY: the caller vouches for the instructions; `fill` has checked the rows.
        unsafe {
            prepare::<V>(walk.tree, walk.planes, scratch);
            let counts = counts.as_mut_ptr().add(walk.rows.first);
            by_size!(walk, fill_vectors::<V>(walk, counts, scratch))
        }
    }
}

impl Kernel for Gather<'_> {
    type Output = u64;

    #[inline(always)]
    unsafe fn run<V: Vector>(self) -> u64 {
        let Gather {
            walk,
            weights,
            scratch,
        } = self;
        // SAFETY: the caller vouches for the instructions; `gather` has checked the rows.
        unsafe {
            prepare::<V>(walk.tree, walk.planes, scratch);
            let weights = weights.as_ptr().add(walk.rows.first);
            by_size!(walk, gather_vectors::<V>(walk, weights, scratch))
        }
    }
}

/// For every step of `tree` below its stem, computes the bits of `planes` that survive it.
#[inline(always)]
unsafe fn prepare<V: Vector>(tree: &WalkTree, planes: &[Bits512], scratch: &mut Scratch) {
    let vectors = planes.len() / LINES;
    let room = |bits: &mut Vec<Bits512>, steps: usize| {
        bits.resize((steps * vectors).max(bits.len()), Bits512::default());
    };
    room(&mut scratch.steps, tree.step_lines.len());
    room(&mut scratch.ends, tree.end_steps.len());
    scratch.levels.clear();
    scratch
        .levels
        .resize((tree.depth + 1) * vectors, Bits512([u64::MAX; 8]));
    // SAFETY: line numbers are below LINES, so every plane read is inside `planes`; the
    // outputs have a place for every step and vector. The caller vouches for the rest.
    unsafe {
        let ones = V::load(&Bits512([u64::MAX; 8]));
        let steps = scratch.steps.as_mut_ptr();
        for step in tree.stem_levels * tree.cols..tree.step_lines.len() {
            let lines = *tree.step_lines.get_unchecked(step);
            for vector in 0..vectors {
                let planes = planes.as_ptr().add(vector * LINES);
                let plane = |line: u32| V::load(planes.add(line as usize));
                let survivors = if lines == 0 {
                    // No placement uses both the last diagonal and the last
                    // anti-diagonal, so this removes only bits without an owner.
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
                let survivors = |step: u16| V::load(steps.add(step as usize * vectors + vector));
                survivors(first)
                    .and(survivors(second))
                    .store(ends.add(end * vectors + vector));
            }
        }
    }
}

/// Walks a part of a tree over `G` vectors. Calls `at_prefix` for every prefix with the number
/// of its ends. Calls `at_end` for every end with the survivors of its prefix, the bits that
/// survive its step, and the end. The walk begins below the stem.
#[inline(always)]
unsafe fn walk_ends<V: Vector, const G: usize>(
    walk: PartWalk,
    scratch: &mut Scratch,
    mut at_prefix: impl FnMut(usize),
    mut at_end: impl FnMut(&[V; G], *const Bits512, End),
) {
    let PartWalk { tree, part, .. } = walk;
    // SAFETY: `prepare` made room for every step number in the tree; `steps` holds
    // `depth - from` numbers and `ends` the announced number of ends for every prefix.
    unsafe {
        let (step_planes, end_planes) = (scratch.steps.as_ptr(), scratch.ends.as_ptr());
        let levels = scratch.levels.as_mut_ptr();
        let mut steps = tree.steps.as_ptr().add(part.first_step);
        let mut ends = tree.ends.as_ptr().add(part.first_end);
        for prefix in &tree.prefixes[part.prefixes.clone()] {
            let mut level = prefix.from as usize;
            let mut alive = [V::zero(); G];
            for (g, alive) in alive.iter_mut().enumerate() {
                *alive = V::load(levels.add(level * G + g));
            }
            while level < tree.depth {
                let plane = step_planes.add(*steps as usize * G);
                steps = steps.add(1);
                level += 1;
                for (g, alive) in alive.iter_mut().enumerate() {
                    *alive = alive.and(V::load(plane.add(g)));
                    alive.store(levels.add(level * G + g));
                }
            }
            at_prefix(prefix.end_count as usize);
            for _ in 0..prefix.end_count {
                let end = *ends;
                ends = ends.add(1);
                at_end(&alive, end_planes.add(end.step as usize * G), end);
            }
        }
    }
}

/// [`fill`] for `G` vectors.
#[inline(always)]
unsafe fn fill_vectors<V: Vector, const G: usize, const STACKED: bool>(
    walk: PartWalk,
    counts: *mut Bits512,
    scratch: &mut Scratch,
) {
    let stride = walk.rows.stride;
    // SAFETY: passed on to the caller.
    unsafe {
        walk_ends::<V, G>(
            walk,
            scratch,
            |_| {},
            |alive, planes, end| {
                let row = counts.add(end.index as usize * stride);
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

/// [`gather`] for `G` vectors.
#[inline(always)]
unsafe fn gather_vectors<V: Vector, const G: usize, const STACKED: bool>(
    walk: PartWalk,
    weights: *const Bits512,
    scratch: &mut Scratch,
) -> u64 {
    const MOST_ENDS: usize = 255;
    const { assert!(MOST_ENDS * 2 * (16 * 8) * i16::MAX as usize <= i32::MAX as usize) };
    let stride = walk.rows.stride;
    // SAFETY: passed on to the caller.
    unsafe {
        let mut total = 0u64;
        let mut since = 0;
        let sums = std::cell::Cell::new([V::zero(); G]);
        walk_ends::<V, G>(
            walk,
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
                let row = weights.add(end.index as usize * stride);
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
