//! The scanned side laid out in bits: which placement of a scan list owns which bit.
//!
//! Every `odd_index` owns some 16-bit *slots*. A slot holds up to 16 placements with that
//! index, one bit each, and a vector is 32 slots. For every line a *bit plane* says which
//! placements use it. So an AND-NOT gives the placements that survive a queen, and one
//! population count per slot says how many survive per index.
//!
//! ```text
//!   odd_index   0    1    2   ..  31        layer 0: slots 0..31, indices 0..31
//!   vector 0  [16b][16b][16b] .. [16b]      layer 1: the same indices, if most need it
//!   vector 1  [16b][16b][   ] .. [16b]
//!   vector 2  [ 0,   4,   4,   9   ..]      rest: what is left, packed, with a map
//! ```
//!
//! Thirty-two neighbouring indices are a *column block*. A *layer* is a vector with one slot for
//! each of them, so an index with many placements has slots in several layers. Slots that are in
//! no layer are the *rest*: they are packed into vectors, and a map says which index each counts.
//!
//! A *bundle* is up to [`MAX_BUNDLE`] vectors that are walked together. In a *stack* all its
//! vectors are layers of one column block, so their counts are added before they are weighed.

use super::super::simd::{Bits512, Instructions, Kernel, SLOTS, Vector};
use std::ops::Range;

/// The largest number of vectors that are walked together: as many as AVX-512 can keep in
/// registers beside their sums.
pub(crate) const MAX_BUNDLE: usize = 8;

/// Number of bit planes of a vector: one per line.
pub(crate) const LINES: usize = 64;

/// A column block gets another layer while at least this many of its 32 slots hold something.
const LAYER_MIN: usize = 16;

/// From this many layers on, a column block is stacked.
const STACK_MIN: usize = 4;

/// Which indices of the chunk a bundle's vectors count.
#[derive(Clone, Debug)]
pub(crate) enum BundleSlots {
    /// Vector `g` counts column block `first + g`.
    Layers(usize),
    /// All vectors count one column block.
    Stack(usize),
    /// Slot `s` of vector `g` counts the index in slot `s` of `maps[g]`. These indices rise;
    /// slots without an owner repeat the last one.
    Rest(Vec<Bits512>),
}

/// Some vectors that are walked together.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    /// The vectors.
    pub vectors: Range<usize>,
    pub slots: BundleSlots,
}

/// The placements of a scan list whose indices are in one range, as bit planes.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitPlanes {
    /// For each vector, its [`LINES`] planes.
    planes: Vec<Bits512>,
    pub bundles: Vec<Bundle>,
    /// The largest number of placements with one index.
    pub most: u32,
    /// Where the placements of each index begin.
    starts: Vec<u32>,
}

impl BitPlanes {
    /// The planes of a bundle's vectors.
    pub fn planes(&self, bundle: &Bundle) -> &[Bits512] {
        &self.planes[bundle.vectors.start * LINES..bundle.vectors.end * LINES]
    }

    /// Gives back memory beyond what is used.
    pub fn shrink(&mut self) {
        self.planes.shrink_to_fit();
        self.starts = Vec::new();
    }

    /// Lays out placements, given by their lines and by their indices, which rise and are in
    /// `chunk`.
    pub fn build(
        &mut self,
        lines: &[u64],
        indices: &[u32],
        chunk: Range<usize>,
        instructions: Instructions,
    ) {
        self.planes.clear();
        self.bundles.clear();
        self.find_starts(indices, &chunk);
        let starts = std::mem::take(&mut self.starts);
        let source = Source::new(lines, &starts, chunk.len(), instructions);
        self.lay_stacks(&source);
        self.lay_layers(&source);
        self.lay_rest(&source);
        self.starts = starts;
    }

    /// Counts the placements of each index and finds where they begin.
    fn find_starts(&mut self, indices: &[u32], chunk: &Range<usize>) {
        assert!(u32::try_from(indices.len()).is_ok(), "places fit 32 bits");
        self.starts.clear();
        self.starts.resize(chunk.len() + 1, 0);
        for &index in indices {
            self.starts[index as usize - chunk.start + 1] += 1;
        }
        self.most = self.starts.iter().copied().max().unwrap_or(0);
        for index in 0..chunk.len() {
            self.starts[index + 1] += self.starts[index];
        }
    }

    /// Makes a stack of each column block with many layers.
    fn lay_stacks(&mut self, source: &Source) {
        let blocks = source.blocks.iter().zip(&source.layers).enumerate();
        for (block, (indices, &layers)) in blocks.filter(|(_, (_, layers))| **layers >= STACK_MIN) {
            let first = self.vectors();
            for layer in 0..layers {
                self.push(source, &mut indices.clone().map(|index| (index, layer)));
            }
            for vectors in pieces(first..first + layers) {
                self.bundles.push(Bundle {
                    vectors,
                    slots: BundleSlots::Stack(block),
                });
            }
        }
    }

    /// For column blocks with few layers, bundles the same layer of neighbouring blocks.
    fn lay_layers(&mut self, source: &Source) {
        for layer in 0..STACK_MIN - 1 {
            let has_layer =
                |&block: &usize| source.layers[block] > layer && source.layers[block] < STACK_MIN;
            let blocks: Vec<usize> = (0..source.blocks.len()).filter(has_layer).collect();
            for run in blocks.chunk_by(|x, y| x + 1 == *y) {
                let first = self.vectors();
                for &block in run {
                    let indices = source.blocks[block].clone();
                    self.push(source, &mut indices.map(|index| (index, layer)));
                }
                for vectors in pieces(first..first + run.len()) {
                    let slots = BundleSlots::Layers(run[0] + vectors.start - first);
                    self.bundles.push(Bundle { vectors, slots });
                }
            }
        }
    }

    /// Packs the slots that are in no layer.
    fn lay_rest(&mut self, source: &Source) {
        let rest: Vec<(usize, usize)> = source
            .blocks
            .iter()
            .zip(&source.layers)
            .flat_map(|(indices, &layers)| indices.clone().map(move |index| (index, layers)))
            .flat_map(|(index, layers)| (layers..source.slots(index)).map(move |l| (index, l)))
            .collect();
        let first = self.vectors();
        for slots in rest.chunks(SLOTS) {
            self.push(source, &mut slots.iter().copied());
        }
        for vectors in pieces(first..self.vectors()) {
            let maps = rest[(vectors.start - first) * SLOTS..]
                .chunks(SLOTS)
                .take(vectors.len())
                .map(map_of)
                .collect();
            self.bundles.push(Bundle {
                vectors,
                slots: BundleSlots::Rest(maps),
            });
        }
    }

    /// Number of vectors so far.
    fn vectors(&self) -> usize {
        self.planes.len() / LINES
    }

    /// Appends the planes of one vector whose slots are given as (index, layer).
    fn push(&mut self, source: &Source, slots: &mut dyn Iterator<Item = (usize, usize)>) {
        // A bit without an owner uses every line, so it never survives a step. At first word `w` of
        // `words[t]` has the lines of the placement that owns bit `t` of word `w`. Transposing the
        // 64 by 64 bits of each word makes them planes.
        let mut words = [Bits512([u64::MAX; 8]); LINES];
        for (slot, (index, layer)) in slots.enumerate() {
            for (bit, &lines) in source.of_slot(index, layer).iter().enumerate() {
                words[slot % 4 * 16 + bit].0[slot / 4] = lines;
            }
        }
        source.instructions.run(Transpose(&mut words));
        self.planes.extend_from_slice(&words);
    }
}

/// The placements to lay out, and how many layers each column block gets.
struct Source<'a> {
    lines: &'a [u64],
    starts: &'a [u32],
    /// The indices of each column block.
    blocks: Vec<Range<usize>>,
    layers: Vec<usize>,
    instructions: Instructions,
}

impl<'a> Source<'a> {
    fn new(
        lines: &'a [u64],
        starts: &'a [u32],
        chunk: usize,
        instructions: Instructions,
    ) -> Source<'a> {
        let mut source = Source {
            lines,
            starts,
            blocks: (0..chunk)
                .step_by(SLOTS)
                .map(|first| first..(first + SLOTS).min(chunk))
                .collect(),
            layers: Vec::new(),
            instructions,
        };
        let layers = |indices: &Range<usize>| {
            let wanting = |layer: usize| {
                let indices = indices.clone();
                indices.filter(|&index| source.slots(index) > layer).count()
            };
            (0..)
                .take_while(|&layer| wanting(layer) >= LAYER_MIN.min(indices.len()))
                .count()
        };
        source.layers = source.blocks.iter().map(layers).collect();
        source
    }

    /// How many slots an index needs.
    fn slots(&self, index: usize) -> usize {
        (self.starts[index + 1] - self.starts[index]).div_ceil(16) as usize
    }

    /// The lines of the placements in one slot.
    fn of_slot(&self, index: usize, layer: usize) -> &'a [u64] {
        let end = self.starts[index + 1] as usize;
        let start = (self.starts[index] as usize + 16 * layer).min(end);
        &self.lines[start..end.min(start + 16)]
    }
}

/// The index that each slot of a vector counts.
fn map_of(slots: &[(usize, usize)]) -> Bits512 {
    let mut map = Bits512::default();
    for (slot, index) in map.slots_mut().iter_mut().enumerate() {
        *index = slots[slot.min(slots.len() - 1)].0 as u16;
    }
    map
}

/// Cuts a range of vectors into bundles of about the same size.
fn pieces(vectors: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let count = vectors.len().div_ceil(MAX_BUNDLE);
    let cut = move |piece: usize| vectors.start + vectors.len() * piece / count.max(1);
    (0..count).map(move |piece| cut(piece)..cut(piece + 1))
}

/// Transposes the 64 by 64 bits of each 64-bit word of the vectors: from a word of lines per
/// placement to a word of placements per line.
///
/// The two blocks of bits off the main diagonal change places: first blocks of half the size,
/// then of a quarter, down to single bits:
///
/// ```text
///   1 2 3 4      1 2 9 A      1 5 9 D
///   5 6 7 8  ->  5 6 D E  ->  2 6 A E
///   9 A B C      3 4 B C      3 7 B F
///   D E F G      7 8 F G      4 8 C G
/// ```
struct Transpose<'a>(&'a mut [Bits512; LINES]);

impl Kernel for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector>(self) {
        // SAFETY: passed on to the caller.
        unsafe {
            exchange::<V, 32>(self.0, 0x0000_0000_ffff_ffff);
            exchange::<V, 16>(self.0, 0x0000_ffff_0000_ffff);
            exchange::<V, 8>(self.0, 0x00ff_00ff_00ff_00ff);
            exchange::<V, 4>(self.0, 0x0f0f_0f0f_0f0f_0f0f);
            exchange::<V, 2>(self.0, 0x3333_3333_3333_3333);
            exchange::<V, 1>(self.0, 0x5555_5555_5555_5555);
        }
    }
}

/// Exchanges the blocks of `BITS` by `BITS` bits off the main diagonal.
#[inline(always)]
unsafe fn exchange<V: Vector, const BITS: i32>(words: &mut [Bits512; LINES], mask: u64) {
    let step = BITS as usize;
    // SAFETY: indices stay below LINES; the caller vouches for the instructions.
    unsafe {
        let mask = V::load(&Bits512([mask; 8]));
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

#[cfg(test)]
mod tests {
    use super::super::super::simd::Simd;
    use super::*;

    /// Every placement owns one bit of a slot of its index, in every instruction set.
    #[test]
    fn planes_hold_every_placement_once() {
        // Few, many and no placements per index, a chunk that ends inside a column block.
        let lengths = (0..75).map(|index| [3, 0, 17, 40, 1, 90, 16][index * index % 7]);
        let mut state = 1u64;
        let (mut lines, mut indices) = (Vec::new(), Vec::new());
        for (index, length) in lengths.enumerate() {
            for _ in 0..length {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                lines.push(state & !(1 << 31 | 1 << 63));
                indices.push(100 + index as u32);
            }
        }
        for simd in Simd::ALL {
            let Some(instructions) = Instructions::new(simd) else {
                println!("skipped: this processor has no {}", simd.name());
                continue;
            };
            let mut planes = BitPlanes::default();
            planes.build(&lines, &indices, 100..175, instructions);
            let mut found = Vec::new();
            for bundle in &planes.bundles {
                for (g, of_vector) in planes.planes(bundle).chunks(LINES).enumerate() {
                    for bit in 0..512 {
                        let has = |line: usize| of_vector[line].0[bit / 64] >> (bit % 64) & 1;
                        let placement = (0..LINES).fold(0, |word, line| word | has(line) << line);
                        if placement != u64::MAX {
                            let slot = bit / 16;
                            let index = match &bundle.slots {
                                BundleSlots::Layers(first) => (first + g) * SLOTS + slot,
                                BundleSlots::Stack(block) => block * SLOTS + slot,
                                BundleSlots::Rest(maps) => maps[g].slots()[slot].into(),
                            };
                            found.push((100 + index as u32, placement));
                        }
                    }
                }
            }
            let mut expected: Vec<_> = indices.iter().copied().zip(lines.clone()).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{}", simd.name());
        }
    }
}
