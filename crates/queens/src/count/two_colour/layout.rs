//! The scanned side laid out in bits: which placement of a queue owns which bit.
//!
//! Every column set Co owns some 16-bit *slots*; a slot holds up to 16 placements with
//! that Co, one bit each, and a vector is 32 slots. For every line there is a bit plane
//! that says which placements use it. The placements that survive a step of the tree are
//! then an AND-NOT away, and how many survive per Co is one 16-bit population count.
//!
//! ```text
//!   Co number   0    1    2   ..  31        layer 0: slots 0..31, Co's 0..31
//!   vector 0  [16b][16b][16b] .. [16b]      layer 1: the same Co's, if most need it
//!   vector 1  [16b][16b][   ] .. [16b]
//!   vector 2  [Co 0, Co 4, Co 4, Co 9 ..]   rest: what is left, packed, with a map
//! ```
//!
//! Vectors are grouped into *tiles* of at most [`MAX_TILE`] vectors, walked together. In a
//! *stack* all vectors are layers of the same 32 Co's, so their counts are added before
//! they are weighed.

use super::simd::{Block, Kernels, SLOTS};
use std::ops::Range;

/// The largest number of vectors that are walked together: as many as AVX-512 can keep in
/// registers beside their sums.
pub(crate) const MAX_TILE: usize = 8;

/// Number of line planes of a vector.
pub(crate) const LINES: usize = 64;

/// A whole layer is used while at least this many of its 32 slots hold something.
const LAYER_MIN: usize = 16;

/// From how many layers on they are stacked.
const STACK_MIN: usize = 4;

/// Which Co's of the chunk the vectors of a tile count.
#[derive(Clone, Debug)]
pub(crate) enum Slots {
    /// Vector `g` counts the Co's of block `first + g`.
    Layers(usize),
    /// All vectors count the Co's of one block.
    Stack(usize),
    /// Slot `s` of vector `g` counts the Co in slot `s` of `maps[g]`, rising; slots nobody
    /// owns repeat the last.
    Rest(Vec<Block>),
}

/// Some vectors that are walked together.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    /// The vectors.
    pub vectors: Range<usize>,
    pub slots: Slots,
}

/// Placements of a queue whose Co is in one range, as bit planes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// For each vector, its [`LINES`] planes.
    planes: Vec<Block>,
    pub tiles: Vec<Tile>,
    /// The largest number of placements with one Co.
    pub most: u32,
    /// Where the placements of each Co begin.
    starts: Vec<u32>,
}

impl Layout {
    /// The planes of a tile's vectors.
    pub fn planes(&self, tile: &Tile) -> &[Block] {
        &self.planes[tile.vectors.start * LINES..tile.vectors.end * LINES]
    }

    /// Gives back memory beyond what is used.
    pub fn shrink(&mut self) {
        self.planes.shrink_to_fit();
        self.starts = Vec::new();
    }

    /// Lays out placements given by their lines and, rising, their Co's, which are in
    /// `chunk`.
    pub fn build(&mut self, lines: &[u64], cos: &[u32], chunk: Range<usize>, kernels: &Kernels) {
        self.planes.clear();
        self.tiles.clear();
        self.starts.clear();
        self.starts.resize(chunk.len() + 1, 0);
        for &co in cos {
            self.starts[co as usize - chunk.start + 1] += 1;
        }
        self.most = self.starts.iter().copied().max().unwrap_or(0);
        for co in 0..chunk.len() {
            self.starts[co + 1] += self.starts[co];
        }
        let starts = std::mem::take(&mut self.starts);
        let slots = |co: usize| (starts[co + 1] - starts[co]).div_ceil(16) as usize;
        let blocks: Vec<Range<usize>> = (0..chunk.len())
            .step_by(SLOTS)
            .map(|first| first..(first + SLOTS).min(chunk.len()))
            .collect();
        let layers: Vec<usize> = blocks
            .iter()
            .map(|cos| {
                let wanting = |layer: usize| cos.clone().filter(|&co| slots(co) > layer).count();
                (0..)
                    .take_while(|&layer| wanting(layer) >= LAYER_MIN.min(cos.len()))
                    .count()
            })
            .collect();
        let mut push = |slots: &mut dyn Iterator<Item = (usize, usize)>| {
            push_vector(&mut self.planes, lines, &starts, kernels, slots);
            self.planes.len() / LINES - 1
        };

        for (block, cos) in blocks
            .iter()
            .enumerate()
            .filter(|&(block, _)| layers[block] >= STACK_MIN)
        {
            let first = (0..layers[block])
                .map(|layer| push(&mut cos.clone().map(|co| (co, layer))))
                .min()
                .unwrap_or(0);
            for vectors in pieces(first..first + layers[block]) {
                self.tiles.push(Tile {
                    vectors,
                    slots: Slots::Stack(block),
                });
            }
        }
        for layer in 0..STACK_MIN - 1 {
            let with_layer = |&block: &usize| layers[block] > layer && layers[block] < STACK_MIN;
            let with_layer: Vec<usize> = (0..blocks.len()).filter(with_layer).collect();
            for run in with_layer.chunk_by(|x, y| x + 1 == *y) {
                let first = run
                    .iter()
                    .map(|&block| push(&mut blocks[block].clone().map(|co| (co, layer))))
                    .min()
                    .unwrap_or(0);
                for vectors in pieces(first..first + run.len()) {
                    let slots = Slots::Layers(run[0] + vectors.start - first);
                    self.tiles.push(Tile { vectors, slots });
                }
            }
        }
        let rest: Vec<(usize, usize)> = blocks
            .iter()
            .zip(&layers)
            .flat_map(|(cos, &layers)| cos.clone().map(move |co| (co, layers)))
            .flat_map(|(co, layers)| (layers..slots(co)).map(move |layer| (co, layer)))
            .collect();
        let vectors: Vec<usize> = rest
            .chunks(SLOTS)
            .map(|slots| push(&mut slots.iter().copied()))
            .collect();
        let first = vectors.first().copied().unwrap_or(0);
        for vectors in pieces(first..first + vectors.len()) {
            let maps = rest[(vectors.start - first) * SLOTS..]
                .chunks(SLOTS)
                .take(vectors.len())
                .map(|slots| {
                    let mut map = Block::default();
                    for (slot, co) in map.slots_mut().iter_mut().enumerate() {
                        *co = slots[slot.min(slots.len() - 1)].0 as u16;
                    }
                    map
                })
                .collect();
            self.tiles.push(Tile {
                vectors,
                slots: Slots::Rest(maps),
            });
        }
        self.starts = starts;
    }
}

/// Cuts a range of vectors into tiles of like size.
fn pieces(vectors: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let count = vectors.len().div_ceil(MAX_TILE);
    let cut = move |piece: usize| vectors.start + vectors.len() * piece / count.max(1);
    (0..count).map(move |piece| cut(piece)..cut(piece + 1))
}

/// Appends the planes of one vector whose slots are given as (Co, layer).
fn push_vector(
    planes: &mut Vec<Block>,
    lines: &[u64],
    starts: &[u32],
    kernels: &Kernels,
    slots: &mut dyn Iterator<Item = (usize, usize)>,
) {
    // A bit nobody owns uses every line, so it never survives a step. Word `t` of lane `l`
    // belongs to bit `t` of lane `l`; transposing each lane's 64 words gives planes.
    let mut words = [Block([u64::MAX; 8]); LINES];
    for (slot, (co, layer)) in slots.enumerate() {
        let end = starts[co + 1] as usize;
        let start = (starts[co] as usize + 16 * layer).min(end);
        for (bit, &lines) in lines[start..end.min(start + 16)].iter().enumerate() {
            words[slot % 4 * 16 + bit].0[slot / 4] = lines;
        }
    }
    kernels.transpose(&mut words);
    planes.extend_from_slice(&words);
}
