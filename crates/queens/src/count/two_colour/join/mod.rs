//! The join: sums of `white * black` over the column sets of some pairs of row sets.
//!
//! For fixed rows each colour is a matrix of counts. `two-colour-plain` writes down white's, a
//! cell for every set of columns, and looks up what each black placement finds there. Here the
//! stored matrix is made in chunks of its columns, so that it stays small for every `n`. The
//! other colour's counts come up 32 at a time, and are multiplied with the stored ones and
//! summed at once. The files, in the order to read them (each uses only files above it):
//!
//! | file | adds |
//! |---|---|
//! | `planes` | the scanned side as bit planes |
//! | `inputs` | what a join is handed |
//! | `scan` | the walk of a tree over bit planes: counts survivors 512 bits at a time |
//! | `sift` | lists without the placements that use some lines |
//! | `last_rows` | the last two rows of a filter, unfolded |
//! | `filter` | the list sifted at every queen, for classes where hardly anything survives |
//! | `histogram` | the stored colour and its weights |
//! | `stems` | the scan of a list that the first queens have sifted |
//! | `twin` | for tests: what scan and filter must give, in two loops |

mod filter;
mod histogram;
mod inputs;
mod last_rows;
mod planes;
mod scan;
mod sift;
mod stems;
#[cfg(test)]
mod twin;

pub(crate) use filter::{column_weight as filter_weight, even_index_of, last_cols};
pub(crate) use inputs::{Context, Inner, Outer};
pub(crate) use planes::BitPlanes;

use super::cost::Join;
use super::simd::{Bits512, SLOTS};
use filter::{Filter, FilterWeights};
use histogram::{DIGIT_BITS, Histogram, VisitedChunk};
use scan::Scratch;
use std::ops::Range;
use stems::StemScan;

/// Memory that one join after the other reuses.
#[derive(Debug, Default)]
pub(crate) struct JoinMemory {
    scratch: Scratch,
    histogram: Histogram,
    /// For each inner row set the stored counts times their weights, a row per `even_index`.
    weights: Vec<Vec<Bits512>>,
    stems: StemScan,
    filter: Filter,
}

impl JoinMemory {
    /// The weighted sum over the pairs of an outer row set with the inner ones, or `None`
    /// when stopped.
    pub fn count(&mut self, context: &Context, outer: Outer, inners: &[Inner]) -> Option<u64> {
        let mut total = 0u64;
        let odd_limit = inners.iter().map(|inner| inner.visits.odd_limit).max()? as usize;
        let size = context.strategy.chunk;
        for first in (0..odd_limit).step_by(size) {
            let chunk = first..(first + size).min(odd_limit);
            let mut shift = 0;
            loop {
                let most = self.store(context, outer, inners, &chunk, shift)?;
                if most >> shift != 0 {
                    let sum = self
                        .gather(context, outer, inners, &chunk)?
                        .checked_mul(1 << shift)
                        .and_then(|sum| total.checked_add(sum));
                    total = sum.expect("the count of one unit fits 64 bits");
                }
                shift += DIGIT_BITS;
                if most >> shift == 0 {
                    break;
                }
            }
        }
        Some(total)
    }

    /// Makes the weights of one digit of the stored counts; returns the largest count, or `None`
    /// when stopped.
    fn store(
        &mut self,
        context: &Context,
        outer: Outer,
        inners: &[Inner],
        chunk: &Range<usize>,
        shift: u32,
    ) -> Option<u32> {
        let size = context.strategy.chunk;
        let even_limit = most_rows(inners);
        let mut most = 0;
        self.weights.resize_with(inners.len(), Vec::new);
        for (inner, weights) in inners.iter().zip(&mut self.weights) {
            if context.is_stopped() {
                return None;
            }
            let planes = &inner.store_planes[chunk.start / size];
            let (instructions, scratch) = (context.instructions, &mut self.scratch);
            self.histogram
                .count(outer.store_tree, planes, size, instructions, scratch);
            // A filter needs a row of zeros, for columns that are not visited.
            let rows = match context.strategy.join {
                Join::Filter => even_limit + 1,
                Join::Scan => inner.even_limit as usize,
            };
            let visited = VisitedChunk::new(context, inner, chunk);
            most = most.max(self.histogram.weigh(&visited, rows, shift, weights));
        }
        Some(most)
    }

    /// The sum of the gathering colour's counts times these weights.
    fn gather(
        &mut self,
        context: &Context,
        outer: Outer,
        inners: &[Inner],
        chunk: &Range<usize>,
    ) -> Option<u64> {
        match context.strategy.join {
            Join::Scan => self.stems.gather(
                context,
                outer,
                inners,
                chunk,
                &self.weights,
                &mut self.scratch,
            ),
            Join::Filter => {
                let weights = FilterWeights {
                    of_inner: &self.weights,
                    rows: most_rows(inners),
                    stride: context.strategy.chunk / SLOTS,
                };
                self.filter.gather(context, outer, inners, chunk, weights)
            }
        }
    }
}

/// The largest number of `even_cols` of some inner row sets.
fn most_rows(inners: &[Inner]) -> usize {
    let limits = inners.iter().map(|inner| inner.even_limit);
    limits.max().unwrap_or(0) as usize
}
