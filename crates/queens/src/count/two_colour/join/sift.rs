//! Sifting: keep the scanned placements that use none of some lines.
//!
//! A queen of the walked side takes two lines. About three in ten scanned placements use neither,
//! and the next queen sifts the list of these:
//!
//! ```text
//!   lines taken       . . 1 . . . 1 .
//!   placements        1 . . . . 1 . .  kept       lists stay sorted by odd_index,
//!                     . . 1 1 . . . .             because those that are kept
//!                     . 1 . . 1 . . .  kept       keep their order
//! ```
//!
//! There are two kinds of lists. [`Survivors`] have whole words of lines and any number of
//! indices; bit planes are made from them. A [`PackedList`] is for filters. It has the index
//! beside the lines, in two arrays of half words, so that a vector holds 16 placements.

use super::super::packing::Packing;
use super::super::scan_list::ScanList;
use super::super::simd::{Instructions, Kernel, Vector};
use std::ops::Range;

/// 32-bit lanes of a vector.
pub(crate) const LANES: usize = 16;

/// What is left of a scan list after some queens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survivors {
    /// The lines of the placements left, and room behind them that may be overwritten.
    lines: Vec<u64>,
    /// Their indices, in the same order.
    indices: Vec<u32>,
    /// How many are left.
    length: usize,
}

impl Survivors {
    /// The lines of the placements left.
    pub fn lines(&self) -> &[u64] {
        &self.lines[..self.length]
    }

    /// The indices of the placements left.
    pub fn indices(&self) -> &[u32] {
        &self.indices[..self.length]
    }

    /// Keeps the placements that use none of the lines `taken`.
    pub fn sift(&mut self, lines: &[u64], indices: &[u32], taken: u64, instructions: Instructions) {
        assert_eq!(lines.len(), indices.len());
        // Vectors write up to eight places beyond what they keep.
        let room = lines.len() + 8;
        self.lines.resize(room.max(self.lines.len()), 0);
        self.indices.resize(room.max(self.indices.len()), 0);
        instructions.run(SiftWords {
            lines,
            indices,
            taken,
            to: self,
        });
    }
}

/// The kernel of [`Survivors::sift`], which makes the room.
struct SiftWords<'a> {
    lines: &'a [u64],
    indices: &'a [u32],
    taken: u64,
    to: &'a mut Survivors,
}

impl Kernel for SiftWords<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector>(self) {
        let SiftWords {
            lines,
            indices,
            taken,
            to,
        } = self;
        let (lines_out, indices_out) = (to.lines.as_mut_ptr(), to.indices.as_mut_ptr());
        let mut kept = 0;
        // SAFETY: at most `lines.len()` are kept, and both outputs have room for eight more.
        unsafe {
            for at in (0..lines.len() & !7).step_by(8) {
                let (lines, indices) = (lines.as_ptr().add(at), indices.as_ptr().add(at));
                let (lines_out, indices_out) = (lines_out.add(kept), indices_out.add(kept));
                kept += V::sift8(lines, indices, taken, lines_out, indices_out);
            }
            for at in lines.len() & !7..lines.len() {
                *lines_out.add(kept) = lines[at];
                *indices_out.add(kept) = indices[at];
                kept += usize::from(lines[at] & taken == 0);
            }
        }
        to.length = kept;
    }
}

/// Some scanned placements by rising index, as two arrays: diagonals and anti-diagonals, each
/// with a part of the index above them. There is room for one more vector.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedList {
    pub diags: Vec<u32>,
    pub antis: Vec<u32>,
    pub length: usize,
}

impl PackedList {
    fn make_room(&mut self, length: usize) {
        if self.diags.len() < length + LANES {
            self.diags.resize(length + LANES, 0);
            self.antis.resize(length + LANES, 0);
        }
    }

    /// Takes the placements whose indices are in a chunk; they are numbered from its start.
    pub fn fill(&mut self, list: &ScanList, chunk: &Range<usize>, packing: Packing) {
        let length = list.range(chunk.clone()).len();
        self.make_room(length);
        self.length = length;
        let mut k = 0;
        for (local, index) in (0..).zip(chunk.clone()) {
            let (low, high) = packing.halves(local);
            for &lines in &list.lines[list.range(index..index + 1)] {
                self.diags[k] = lines as u32 | low;
                self.antis[k] = (lines >> 32) as u32 | high;
                k += 1;
            }
        }
    }

    /// How many have an index below this.
    pub fn below(&self, index: u32, packing: Packing) -> usize {
        let is_below = |k: usize| packing.index(self.diags[k], self.antis[k]) < index;
        let (mut low, mut high) = (0, self.length);
        if high > 0 && is_below(high - 1) {
            return high;
        }
        while low < high {
            let middle = (low + high) / 2;
            match is_below(middle) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// Keeps those of the first `length` placements of another list that use none of the lines
    /// `taken`.
    ///
    /// # Safety
    ///
    /// The instruction set of `V` must be available.
    #[inline(always)]
    pub unsafe fn sift<V: Vector>(&mut self, from: &PackedList, length: usize, taken: u64) {
        debug_assert!(length <= from.length);
        self.make_room(length);
        // SAFETY: reads and writes begin within the lists and go at most a vector beyond, for
        // which both have room; what is kept is never more than what was read.
        unsafe {
            let diags_taken = V::splat32(taken as u32);
            let antis_taken = V::splat32((taken >> 32) as u32);
            let (diags_out, antis_out) = (self.diags.as_mut_ptr(), self.antis.as_mut_ptr());
            let mut kept = 0;
            for at in (0..length).step_by(LANES) {
                let diags = V::load32(from.diags.as_ptr().add(at));
                let antis = V::load32(from.antis.as_ptr().add(at));
                let hit = diags.and(diags_taken).or(antis.and(antis_taken));
                let mask = !hit.nonzero32() & within(at, length);
                diags.compress32(mask, diags_out.add(kept));
                antis.compress32(mask, antis_out.add(kept));
                kept += mask.count_ones() as usize;
            }
            self.length = kept;
        }
    }
}

/// Which lanes of a vector at `at` are within a list of this length.
#[inline(always)]
pub(crate) fn within(at: usize, length: usize) -> u16 {
    let left = (length - at).min(LANES);
    ((1u32 << left) - 1) as u16
}

#[cfg(test)]
mod tests {
    use super::super::super::simd::Simd;
    use super::*;

    struct SiftPacked<'a>(&'a PackedList, u64, &'a mut PackedList);

    impl Kernel for SiftPacked<'_> {
        type Output = ();

        #[inline(always)]
        unsafe fn run<V: Vector>(self) {
            // SAFETY: passed on to the caller.
            unsafe { self.2.sift::<V>(self.0, self.0.length, self.1) }
        }
    }

    /// Both lists, of every length around a vector's, in every instruction set.
    #[test]
    fn sifting_keeps_what_uses_no_line_in_its_order() {
        let packing = Packing::new(10);
        let mut state = 7u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 20
        };
        for length in 0..70 {
            let lines: Vec<u64> = (0..length)
                .map(|_| (random() & random() & 0xfffff) | (random() & random() & 0xfffff) << 32)
                .collect();
            let indices: Vec<u32> = (0..length).map(|k| k / 3).collect();
            let taken = 1 << (random() % 20) | 1 << (32 + random() % 20);
            let expected: Vec<(u64, u32)> = lines
                .iter()
                .copied()
                .zip(indices.iter().copied())
                .filter(|(lines, _)| lines & taken == 0)
                .collect();
            let mut packed = PackedList::default();
            packed.make_room(lines.len());
            packed.length = lines.len();
            for (k, (&lines, &index)) in lines.iter().zip(&indices).enumerate() {
                let word = lines | packing.word(index);
                (packed.diags[k], packed.antis[k]) = (word as u32, (word >> 32) as u32);
            }
            for simd in Simd::ALL {
                let Some(instructions) = Instructions::new(simd) else {
                    println!("skipped: this processor has no {}", simd.name());
                    continue;
                };
                let mut left = Survivors::default();
                left.sift(&lines, &indices, taken, instructions);
                let found: Vec<(u64, u32)> = left
                    .lines()
                    .iter()
                    .copied()
                    .zip(left.indices().iter().copied())
                    .collect();
                assert_eq!(found, expected, "{}", simd.name());

                let mut left = PackedList::default();
                instructions.run(SiftPacked(&packed, taken, &mut left));
                let found = (0..left.length).map(|k| {
                    let (diags, antis) = (left.diags[k], left.antis[k]);
                    let word = u64::from(diags) | u64::from(antis) << 32;
                    let index = packing.index(diags, antis);
                    (word & !packing.word(u32::MAX), index)
                });
                assert_eq!(found.collect::<Vec<_>>(), expected, "{}", simd.name());
            }
        }
    }
}
