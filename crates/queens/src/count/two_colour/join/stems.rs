//! Gathering by scan, stem by stem.
//!
//! Long scan lists are sifted before they are scanned. A stem is the queens in the first levels
//! of a tree, and for each stem only the placements that it leaves are laid out in bits. A step
//! of a stem keeps about three in ten, so the bits to scan per end shrink by as much. The trees
//! of neighbouring inner row sets have the same stems, so one layout serves a whole *group* of
//! row sets:
//!
//! ```text
//!   stem (9,3)     sift the list, lay it out     walk part (9,3) of tree 0, of tree 1, ..
//!   stem (9,4)     sift the list, lay it out     walk part (9,4) of tree 0, of tree 2, ..
//! ```
//!
//! Without stems there are one or a few parts, and one layout of the whole list.

use super::super::sets::Set;
use super::super::simd::{Bits512, Instructions, Kernel, SLOTS, Vector};
use super::super::walk_tree::{MAX_STEM, TreePart, WalkTree};
use super::histogram::bundle_rows;
use super::inputs::{Context, Inner, Outer};
use super::planes::{BitPlanes, BundleSlots};
use super::scan::{PartWalk, Scratch, gather};
use super::sift::Survivors;
use std::ops::Range;

/// Memory that one join after the other reuses.
#[derive(Debug, Default)]
pub(crate) struct StemScan {
    /// For each level of the current stem, what its steps so far leave of the list.
    survivors: Vec<Survivors>,
    planes: BitPlanes,
    /// The weights of a bundle's rest, in the order of its slots.
    rest_weights: Vec<Bits512>,
}

/// The steps of a stem.
type StemSteps = [u8; MAX_STEM];

impl StemScan {
    /// The sum over the pairs of an outer row set with the `inners`, for the `odd_cols` of one
    /// chunk, or `None` when stopped. `weights` has a row per `even_index` for each inner row
    /// set.
    pub fn gather(
        &mut self,
        context: &Context,
        outer: Outer,
        inners: &[Inner],
        chunk: &Range<usize>,
        weights: &[Vec<Bits512>],
        scratch: &mut Scratch,
    ) -> Option<u64> {
        let mut total = 0u64;
        for group in groups(inners) {
            let mut next_parts = vec![0; group.len()];
            let mut last = None;
            while let Some(stem) = next_stem(&inners[group.clone()], &next_parts) {
                if context.is_stopped() {
                    return None;
                }
                let tree = inners[group.start].gather_tree;
                self.lay_out(context, outer, chunk, tree, stem, last);
                last = Some(stem);
                for (k, next_part) in group.clone().zip(&mut next_parts) {
                    let inner = &inners[k];
                    let part = match inner.gather_tree.parts.get(*next_part) {
                        Some(part) if part.stem == stem => part,
                        _ => continue,
                    };
                    *next_part += 1;
                    if chunk.start >= inner.visits.odd_limit as usize {
                        continue;
                    }
                    let sum = self
                        .walk_part(context, inner, part, &weights[k], scratch)
                        .checked_mul(inner.weight)
                        .and_then(|sum| total.checked_add(sum));
                    total = sum.expect("the count of one unit fits 64 bits");
                }
            }
        }
        Some(total)
    }

    /// Sifts the list by a stem and lays out what it leaves. `last` is the stem before; the two
    /// may share their first steps.
    fn lay_out(
        &mut self,
        context: &Context,
        outer: Outer,
        chunk: &Range<usize>,
        tree: &WalkTree,
        stem: StemSteps,
        last: Option<StemSteps>,
    ) {
        let list = outer.gather_list;
        let range = list.range(chunk.clone());
        let (mut lines, mut indices) = (&list.lines[range.clone()], &list.indices[range]);
        self.survivors.resize_with(MAX_STEM, Survivors::default);
        let unchanged = last.map_or(0, |last| {
            let same = |&level: &usize| last[level] == stem[level];
            (0..tree.stem_levels).take_while(same).count()
        });
        let steps = stem[..tree.stem_levels].iter().enumerate();
        for (level, &step) in steps.skip(unchanged) {
            let taken = tree.step_lines[step as usize];
            let (above, below) = self.survivors.split_at_mut(level);
            let (lines, indices) = match above.last() {
                Some(above) => (above.lines(), above.indices()),
                None => (lines, indices),
            };
            below[0].sift(lines, indices, taken, context.instructions);
        }
        if let Some(level) = tree.stem_levels.checked_sub(1) {
            let left = &self.survivors[level];
            (lines, indices) = (left.lines(), left.indices());
        }
        self.planes
            .build(lines, indices, chunk.clone(), context.instructions);
    }

    /// Walks one part of a tree over what was laid out.
    fn walk_part(
        &mut self,
        context: &Context,
        inner: &Inner,
        part: &TreePart,
        weights: &[Bits512],
        scratch: &mut Scratch,
    ) -> u64 {
        let tree = inner.gather_tree;
        let stride = context.strategy.chunk / SLOTS;
        let rows = rows_below(context, tree, part.stem);
        let mut sum = 0u64;
        for bundle in &self.planes.bundles {
            let weights = match &bundle.slots {
                BundleSlots::Rest(maps) => {
                    let rest = &mut self.rest_weights;
                    let length = tree.index_limit * maps.len();
                    rest.resize(length.max(rest.len()), Bits512::default());
                    let picked = PickedRows {
                        maps,
                        stride,
                        rows: &rows,
                    };
                    picked.pick(context.instructions, weights, rest);
                    &self.rest_weights
                }
                _ => weights,
            };
            let walk = PartWalk {
                tree,
                part,
                planes: self.planes.planes(bundle),
                rows: bundle_rows(bundle, stride),
            };
            sum = sum
                .checked_add(gather(context.instructions, walk, weights, scratch))
                .expect("the count of one unit fits 64 bits");
        }
        sum
    }
}

/// Neighbouring inner row sets whose trees have the same stems.
fn groups(inners: &[Inner]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (k, inner) in inners.iter().enumerate() {
        let stem_lines = inner.gather_tree.stem_lines();
        match groups.last_mut() {
            Some(group) if inners[group.start].gather_tree.stem_lines() == stem_lines => {
                group.end = k + 1
            }
            _ => groups.push(k..k + 1),
        }
    }
    groups
}

/// The next stem of any of the trees, each of which lists its stems in the order of the search.
fn next_stem(inners: &[Inner], next_parts: &[usize]) -> Option<StemSteps> {
    let next = inners.iter().zip(next_parts);
    let parts = next.filter_map(|(inner, &part)| inner.gather_tree.parts.get(part));
    parts.map(|part| part.stem).min()
}

/// The only rows of weights that ends below a stem can name: those whose columns include the
/// columns of the stem.
fn rows_below(context: &Context, tree: &WalkTree, stem: StemSteps) -> Vec<u16> {
    let columns = stem[..tree.stem_levels].iter();
    let stem_cols = columns.fold(Set::EMPTY, |cols, &step| {
        cols.with((step as usize % tree.cols) as u32)
    });
    let complement = context.strategy.gather.walk_complement;
    let has_stem = |set: Set| (set ^ complement).0 & stem_cols.0 == stem_cols.0;
    let sets = context.class.even_cols().iter().take(tree.index_limit);
    sets.enumerate()
        .filter(|&(_, &set)| has_stem(set))
        .map(|(even_index, _)| even_index as u16)
        .collect()
}

/// Which slots of which rows of a histogram a bundle's rest needs.
struct PickedRows<'a> {
    /// The index that each slot counts.
    maps: &'a [Bits512],
    /// Length of a row of the histogram.
    stride: usize,
    rows: &'a [u16],
}

impl PickedRows<'_> {
    /// Copies the slots that the maps name, row by row.
    fn pick(&self, instructions: Instructions, from: &[Bits512], to: &mut [Bits512]) {
        let places = self.maps.iter().flat_map(Bits512::slots);
        let last_place = places.copied().max().unwrap_or(0) as usize;
        let last_row = self.rows.iter().copied().max().unwrap_or(0) as usize;
        assert!(last_place < self.stride * SLOTS && (last_row + 1) * self.stride <= from.len());
        assert!((last_row + 1) * self.maps.len() <= to.len());
        instructions.run(Pick {
            picked: self,
            from,
            to,
        });
    }
}

/// The kernel of [`PickedRows::pick`], which checks the places.
struct Pick<'a> {
    picked: &'a PickedRows<'a>,
    from: &'a [Bits512],
    to: &'a mut [Bits512],
}

impl Kernel for Pick<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector>(self) {
        let PickedRows { maps, stride, rows } = *self.picked;
        // SAFETY: every place was checked; the caller vouches for the instructions.
        unsafe {
            for &row in rows {
                let from = self.from.as_ptr().add(row as usize * stride);
                for (g, map) in maps.iter().enumerate() {
                    let picked = V::pick16(from, map);
                    picked.store(self.to.as_mut_ptr().add(row as usize * maps.len() + g));
                }
            }
        }
    }
}
