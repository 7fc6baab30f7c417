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
//! *stacked* tile all vectors are layers of the same 32 Co's, so their counts are added
//! before they are weighed; in a *spread* tile every vector has weights of its own.

use super::lists::Queue;
use super::simd::{Block, Kernels, SLOTS};

/// The largest number of vectors that are walked together: as many as AVX-512 can keep in
/// registers beside their sums.
pub(crate) const MAX_TILE: usize = 8;

/// Number of line planes of a vector.
pub(crate) const LINES: usize = 64;

/// A whole layer is used while at least this many of its 32 slots hold something.
const LAYER_MIN: usize = 22;

/// From how many layers on they are stacked.
const STACK_MIN: usize = 4;

/// Which Co's the slots of a vector count.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Slot `s` counts Co `32 * block + s` of the chunk.
    Layer(usize),
    /// Slot `s` counts Co `map[s]` of the chunk; unused slots repeat the last one.
    Rest(Box<[u16; SLOTS]>),
}

/// Some vectors that are walked together.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    /// The first vector.
    pub first: usize,
    /// Number of vectors.
    pub vectors: usize,
    /// One source for a stacked tile, else one per vector.
    pub sources: Vec<Source>,
}

impl Tile {
    /// Number of blocks that one column set of the tree owns in the tile's counts.
    pub fn width(&self) -> usize {
        self.sources.len()
    }

    /// Whether all vectors count the same Co's.
    pub fn is_stacked(&self) -> bool {
        self.sources.len() != self.vectors
    }
}

/// The placements of a queue whose Co is in one range, as bit planes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// For each vector, its [`LINES`] planes.
    planes: Vec<Block>,
    pub tiles: Vec<Tile>,
}

impl Layout {
    /// The planes of a tile's vectors.
    pub fn planes(&self, tile: &Tile) -> &[Block] {
        &self.planes[tile.first * LINES..][..tile.vectors * LINES]
    }

    /// Lays out the placements of `queue` whose Co number is in `chunk`.
    pub fn build(&mut self, queue: &Queue, chunk: std::ops::Range<usize>, kernels: &Kernels) {
        self.planes.clear();
        self.tiles.clear();
        let count = |co: usize| (queue.starts[co + 1] - queue.starts[co]) as usize;
        let slots_of = |co: usize| count(co).div_ceil(16);
        let mut spread: Vec<(usize, Source)> = Vec::new();
        let mut rest: Vec<(u16, usize)> = Vec::new();
        for (block, base) in chunk.clone().step_by(SLOTS).enumerate() {
            let cos = base..(base + SLOTS).min(chunk.end);
            let mut layers = 0;
            let wanting = |layers| cos.clone().filter(|&co| slots_of(co) > layers).count();
            while wanting(layers) >= LAYER_MIN.min(cos.len()) && wanting(layers) > 0 {
                layers += 1;
            }
            let first = self.planes.len() / LINES;
            for layer in 0..layers {
                self.push_vector(queue, kernels, cos.clone().map(|co| (co, layer)));
            }
            if layers >= STACK_MIN {
                let pieces = layers.div_ceil(MAX_TILE);
                let (mut at, mut left) = (first, layers);
                for piece in 0..pieces {
                    let vectors = left.div_ceil(pieces - piece);
                    self.tiles.push(Tile {
                        first: at,
                        vectors,
                        sources: vec![Source::Layer(block)],
                    });
                    at += vectors;
                    left -= vectors;
                }
            } else {
                spread.extend((first..first + layers).map(|vector| (vector, Source::Layer(block))));
            }
            for co in cos {
                let local = (co - chunk.start) as u16;
                rest.extend((layers..slots_of(co)).map(|layer| (local, layer)));
            }
        }
        for slots in rest.chunks(SLOTS) {
            let vector = self.planes.len() / LINES;
            self.push_vector(
                queue,
                kernels,
                slots
                    .iter()
                    .map(|&(local, layer)| (chunk.start + local as usize, layer)),
            );
            let last = slots[slots.len() - 1].0;
            let map = std::array::from_fn(|slot| slots.get(slot).map_or(last, |&(local, _)| local));
            spread.push((vector, Source::Rest(Box::new(map))));
        }
        self.add_spread_tiles(spread);
    }

    /// Groups vectors with weights of their own into tiles. The planes of a tile must be
    /// neighbours, so they are moved where stacked tiles stand between them.
    fn add_spread_tiles(&mut self, spread: Vec<(usize, Source)>) {
        if self.tiles.is_empty() {
            let pieces = spread.len().div_ceil(MAX_TILE);
            let mut left = spread.len();
            let mut spread = spread.into_iter().peekable();
            for piece in 0..pieces {
                let vectors = left.div_ceil(pieces - piece);
                let first = spread.peek().map_or(0, |&(vector, _)| vector);
                let sources = spread
                    .by_ref()
                    .take(vectors)
                    .map(|(_, source)| source)
                    .collect();
                self.tiles.push(Tile {
                    first,
                    vectors,
                    sources,
                });
                left -= vectors;
            }
        } else {
            for pieces in spread.chunk_by(|x, y| x.0 + 1 == y.0) {
                for piece in pieces.chunks(MAX_TILE) {
                    let sources = piece.iter().map(|(_, source)| source.clone()).collect();
                    self.tiles.push(Tile {
                        first: piece[0].0,
                        vectors: piece.len(),
                        sources,
                    });
                }
            }
        }
    }

    /// Appends the planes of one vector whose slots are given as (Co, layer).
    fn push_vector(
        &mut self,
        queue: &Queue,
        kernels: &Kernels,
        slots: impl Iterator<Item = (usize, usize)>,
    ) {
        // A bit nobody owns uses every line, so it never survives a step. Word `t` of lane
        // `l` belongs to bit `t` of lane `l`; transposing each lane's 64 words gives planes.
        let mut words = [Block([u64::MAX; 8]); LINES];
        for (slot, (co, layer)) in slots.enumerate() {
            let end = queue.starts[co + 1] as usize;
            let start = (queue.starts[co] as usize + 16 * layer).min(end);
            for (bit, &lines) in queue.lines[start..end.min(start + 16)].iter().enumerate() {
                words[slot % 4 * 16 + bit].0[slot / 4] = lines;
            }
        }
        kernels.transpose(&mut words);
        self.planes.extend_from_slice(&words);
    }
}
