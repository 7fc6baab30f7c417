//! The stored colour: a histogram by (`even_index`, `odd_index`), and its weights.
//!
//! The stored colour is counted once per pair of row sets and chunk of `odd_cols`, by the scan
//! of its tree. The gathering colour does not need the counts but *weights*. A weight is a count
//! times the number of column sets that its column set stands for, or 0 if that is not visited.
//! Weights are 16-bit slots, 32 to a vector:
//!
//! ```text
//!   row per even_index      odd_index 0    1    2   ..  31 | 32 ..        chunk
//!     0                           [   4    0    7   ..   2 |  1 .. ]
//!     1                           [   1    3    0   ..   0 |  5 .. ]
//! ```
//!
//! A count that does not fit is weighed a *digit* of 13 bits at a time, and the other colour
//! gathers once per digit.

use super::super::cost::Join;
use super::super::simd::{Bits512, Instructions, SLOTS};
use super::super::symmetry::{Class, Visits};
use super::super::walk_tree::WalkTree;
use super::filter;
use super::inputs::{Context, Inner};
use super::planes::{BitPlanes, Bundle, BundleSlots, MAX_BUNDLE};
use super::scan::{PartWalk, RowAddress, Scratch, fill};
use std::ops::Range;

/// Stored counts are weighed this many bits at a time, so that with the largest column
/// weight, 4, a weight fits a signed 16-bit slot. One digit is enough below n = 30.
pub(crate) const DIGIT_BITS: u32 = 13;

/// The largest factor of a digit.
const MOST_FACTOR: u16 = 4;
const _: () = assert!((MOST_FACTOR as u32) << DIGIT_BITS == 1 << 15);

/// The column sets of one chunk that one pair of row sets visits.
pub(crate) struct VisitedChunk<'a> {
    class: &'a Class,
    join: Join,
    visits: Visits,
    /// How many indices of the chunk are visited.
    visited: usize,
    /// How many of them are of lower rank than the row set.
    doubled: usize,
}

impl<'a> VisitedChunk<'a> {
    /// What a pair visits of a chunk.
    pub fn new(context: &Context<'a>, inner: &Inner, chunk: &Range<usize>) -> VisitedChunk<'a> {
        let size = context.strategy.chunk;
        let local = |index: u32| (index as usize).saturating_sub(chunk.start).min(size);
        VisitedChunk {
            class: context.class,
            join: context.strategy.join,
            visits: inner.visits,
            visited: local(inner.visits.odd_limit),
            doubled: local(inner.visits.doubled),
        }
    }

    /// The factor of a count in the row of an `even_index`: for the indices of lower rank than
    /// the row set, or for the others.
    fn weight(&self, even_index: u32, lower: bool) -> u16 {
        let weight = match self.join {
            Join::Filter => filter::column_weight(self.class, &self.visits, even_index, lower),
            Join::Scan => self.class.column_weight(&self.visits, even_index, lower),
        };
        weight as u16
    }
}

/// Where a bundle finds its rows: in the histogram of the whole chunk or, for the rest, in a
/// histogram of its own.
pub(crate) fn bundle_rows(bundle: &Bundle, stride: usize) -> RowAddress {
    match &bundle.slots {
        BundleSlots::Layers(first) => RowAddress {
            first: *first,
            stride,
            stacked: false,
        },
        BundleSlots::Stack(block) => RowAddress {
            first: *block,
            stride,
            stacked: true,
        },
        BundleSlots::Rest(maps) => RowAddress {
            first: 0,
            stride: maps.len(),
            stacked: false,
        },
    }
}

/// The stored colour's counts of one pair and chunk, a row per `even_index`.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// The counts as 16-bit slots, if none can exceed 16 bits; else empty.
    narrow: Vec<Bits512>,
    /// The counts, if some might exceed 16 bits; else empty.
    wide: Vec<u32>,
    /// The counts of one bundle and part, before they are added.
    bundle: Vec<Bits512>,
    rows: usize,
    stride: usize,
}

impl Histogram {
    /// Counts the stored colour of one pair for a chunk of that size.
    pub fn count(
        &mut self,
        tree: &WalkTree,
        planes: &BitPlanes,
        chunk: usize,
        instructions: Instructions,
        scratch: &mut Scratch,
    ) {
        self.rows = tree.index_limit;
        self.stride = chunk / SLOTS;
        self.narrow.clear();
        self.wide.clear();
        let fits = u64::from(tree.most_ends) * u64::from(planes.most) <= u64::from(u16::MAX);
        match fits {
            true => self
                .narrow
                .resize(self.rows * self.stride, Bits512::default()),
            false => self.wide.resize(self.rows * chunk, 0),
        }
        for bundle in &planes.bundles {
            let of_bundle = planes.planes(bundle);
            for part in &tree.parts {
                let walk = |rows: RowAddress| PartWalk {
                    tree,
                    part,
                    planes: of_bundle,
                    rows,
                };
                if fits && !matches!(bundle.slots, BundleSlots::Rest(_)) {
                    let rows = bundle_rows(bundle, self.stride);
                    fill(instructions, walk(rows), &mut self.narrow, scratch);
                } else {
                    let stacked = matches!(bundle.slots, BundleSlots::Stack(_));
                    let width = if stacked { 1 } else { bundle.vectors.len() };
                    let rows = RowAddress {
                        first: 0,
                        stride: width,
                        stacked,
                    };
                    self.bundle.clear();
                    self.bundle.resize(self.rows * width, Bits512::default());
                    fill(instructions, walk(rows), &mut self.bundle, scratch);
                    self.add_bundle(&bundle.slots, width);
                }
            }
        }
    }

    /// Adds a bundle's own counts.
    fn add_bundle(&mut self, slots: &BundleSlots, width: usize) {
        let mut layers = [Bits512::default(); MAX_BUNDLE];
        let maps = match slots {
            BundleSlots::Rest(maps) => &maps[..],
            BundleSlots::Layers(first) | BundleSlots::Stack(first) => {
                for (map, block) in layers.iter_mut().zip(*first..) {
                    for (slot, odd_index) in map.slots_mut().iter_mut().enumerate() {
                        *odd_index = (block * SLOTS + slot) as u16;
                    }
                }
                &layers[..width]
            }
        };
        for (row, counts) in self.bundle.chunks_exact(width).enumerate() {
            for (map, counts) in maps.iter().zip(counts) {
                for (&odd_index, &count) in map.slots().iter().zip(counts.slots()) {
                    let odd_index = odd_index as usize;
                    if self.wide.is_empty() {
                        let block = &mut self.narrow[row * self.stride + odd_index / SLOTS];
                        block.slots_mut()[odd_index % SLOTS] += count;
                    } else {
                        let cell = &mut self.wide[row * self.stride * SLOTS + odd_index];
                        let sum = cell.checked_add(u32::from(count));
                        *cell = sum.expect("a count fits 32 bits");
                    }
                }
            }
        }
    }

    /// Turns the digit of the counts at `shift` into weights, in `rows` rows. Returns the
    /// largest visited count.
    pub fn weigh(
        &self,
        visited: &VisitedChunk,
        rows: usize,
        shift: u32,
        weights: &mut Vec<Bits512>,
    ) -> u32 {
        weights.clear();
        weights.resize(rows * self.stride, Bits512::default());
        let mut most = 0;
        let digit = |count: u32| ((count >> shift) & ((1 << DIGIT_BITS) - 1)) as u16;
        let rows = (visited.visits.even_limit as usize)
            .min(rows)
            .min(self.rows);
        let weights = weights.chunks_exact_mut(self.stride).take(rows);
        for (even_index, weights) in weights.enumerate() {
            let factors = [true, false].map(|lower| visited.weight(even_index as u32, lower));
            assert!(
                factors.iter().all(|&factor| factor <= MOST_FACTOR),
                "a digit with its factor is a signed number of 16 bits"
            );
            let blocks = visited.visited.div_ceil(SLOTS);
            for (block, out) in weights.iter_mut().enumerate().take(blocks) {
                let here = (visited.visited - block * SLOTS).min(SLOTS);
                let doubled = visited.doubled.saturating_sub(block * SLOTS).min(here);
                let out = out.slots_mut();
                let place = even_index * self.stride + block;
                if self.wide.is_empty() {
                    let counts = self.narrow[place].slots();
                    let mut largest = 0;
                    for slot in 0..here {
                        largest = largest.max(counts[slot]);
                        out[slot] = digit(u32::from(counts[slot]));
                    }
                    most = most.max(u32::from(largest));
                } else {
                    let counts = &self.wide[place * SLOTS..][..SLOTS];
                    for slot in 0..here {
                        most = most.max(counts[slot]);
                        out[slot] = digit(counts[slot]);
                    }
                }
                let (lower, rest) = out[..here].split_at_mut(doubled);
                for (slots, factor) in [lower, rest].into_iter().zip(factors) {
                    if factor > 1 {
                        slots.iter_mut().for_each(|slot| *slot *= factor);
                    }
                }
            }
        }
        most
    }
}
