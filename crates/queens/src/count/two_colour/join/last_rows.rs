//! The last two rows of a filter: from free squares to placements.
//!
//! Two rows before the end a filter has a short list of scanned placements, each of which fits
//! the walked queens so far. For each of them, two shifts per row give the free squares of the
//! last two rows. [`Pile::screen`] keeps those with a free square in both rows; each becomes an
//! *entry* of the pile:
//!
//! ```text
//!   free   [ free squares of the last row : 16 | of the row before : 16 ]
//!   ids    [ columns of the walked queens : 16 | odd_index         : 16 ]
//! ```
//!
//! [`Pile::unfold`] makes placements of the entries, 16 entries at a time. An entry gives its
//! first placement. What is left of it goes to another pile, as up to two entries, and that
//! pile is unfolded next:
//!
//! ```text
//!   row before   . 1 . 1 .       first placement   . Q . . .     left over
//!   last row     1 . . 1 1                         . . . Q .     . Q . . .   . . . 1 .
//!                                                                . . . . 1   1 . . 1 1
//! ```
//!
//! A placement that is found is a *leaf*: `[ odd_index : 16 | all its columns : 16 ]`.

use super::super::packing::Packing;
use super::super::simd::Vector;
use super::super::split::SmallBoard;
use super::sift::{LANES, PackedList, within};

/// The last two rows of the walked side, for walked queens above them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastRows {
    pub rows: [u32; 2],
    /// Their squares that the walked queens above leave free.
    pub free: [u32; 2],
    /// The columns of the queens above.
    pub cols: u32,
}

/// Walked placements without their last two queens, each with a scanned placement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pile {
    free: Vec<u32>,
    ids: Vec<u32>,
    pub length: usize,
}

impl Pile {
    fn make_room(&mut self, length: usize) {
        if self.free.len() < length + LANES {
            self.free.resize(length + LANES, 0);
            self.ids.resize(length + LANES, 0);
        }
    }

    /// Puts on the pile those of the first `length` placements that leave a free square in
    /// both last rows.
    ///
    /// # Safety
    ///
    /// The instruction set of `V` must be available.
    #[inline(always)]
    pub unsafe fn screen<V: Vector>(
        &mut self,
        from: &PackedList,
        length: usize,
        last: LastRows,
        board: SmallBoard,
        packing: Packing,
    ) {
        debug_assert!(length <= from.length);
        self.make_room(self.length + length);
        let LastRows { rows, free, cols } = last;
        // SAFETY: reads and writes begin within the list and the pile and go at most a vector
        // beyond, for which both have room.
        unsafe {
            let squares = free.map(|free| V::splat32(free));
            let cols = V::splat32(cols << 16);
            let (free_out, ids_out) = (self.free.as_mut_ptr(), self.ids.as_mut_ptr());
            let mut kept = self.length;
            for at in (0..length).step_by(LANES) {
                let diags = V::load32(from.diags.as_ptr().add(at));
                let antis = V::load32(from.antis.as_ptr().add(at));
                let left = |k: usize| {
                    let diags = diags.shr32(board.diag_offset - rows[k]);
                    squares[k].without(diags, antis.shr32(board.anti_offset + rows[k]))
                };
                let (first, second) = (left(0), left(1));
                let mask = first.nonzero32() & second.nonzero32() & within(at, length);
                let low = diags.shr32(packing.above_lines);
                let high = antis.shr32(packing.above_lines).shl32(packing.low_bits);
                first
                    .or(second.shl32(16))
                    .compress32(mask, free_out.add(kept));
                cols.or(low).or(high).compress32(mask, ids_out.add(kept));
                kept += mask.count_ones() as usize;
            }
            self.length = kept;
        }
    }

    /// Empties the pile into `leaves`. The last two rows are `distance` apart; `other` is
    /// another pile, empty before and after.
    ///
    /// What is left over goes to the other pile, not back to this one: there a vector would have
    /// to wait for the stores of the one before.
    ///
    /// # Safety
    ///
    /// The instruction set of `V` must be available.
    #[inline(always)]
    pub unsafe fn unfold<V: Vector>(
        &mut self,
        distance: u32,
        other: &mut Pile,
        leaves: &mut Vec<u32>,
    ) {
        leaves.clear();
        let pile = self;
        // SAFETY: the other pile has room for what comes from a pile, and the leaves for a
        // vector more.
        unsafe {
            let low = V::splat32(0xffff);
            while pile.length > 0 {
                leaves.reserve(pile.length + LANES);
                other.make_room(2 * pile.length);
                let found_out = leaves.as_mut_ptr();
                let (free_out, ids_out) = (other.free.as_mut_ptr(), other.ids.as_mut_ptr());
                let (mut found, mut left) = (leaves.len(), 0);
                for at in (0..pile.length).step_by(LANES) {
                    let valid = within(at, pile.length);
                    let both = V::load32(pile.free.as_ptr().add(at));
                    let id = V::load32(pile.ids.as_ptr().add(at));
                    let (first, second) = (both.and(low), both.shr32(16));
                    let x = first.lowest32();
                    let lines = x.shl32(distance).or(x.shr32(distance));
                    let seconds = second.without(x, lines);
                    let y = seconds.lowest32();

                    let mask = seconds.nonzero32() & valid;
                    let leaf = id.shr32(16).or(id.shl32(16)).or(x).or(y);
                    leaf.compress32(mask, found_out.add(found));
                    found += mask.count_ones() as usize;

                    // The same square of the first row with more of the second ...
                    let more = seconds.xor(y);
                    let mask = more.nonzero32() & valid;
                    let more = more.shl32(16).or(x);
                    more.compress32(mask, free_out.add(left));
                    id.compress32(mask, ids_out.add(left));
                    left += mask.count_ones() as usize;
                    // ... and more squares of the first row with all of the second.
                    let more = first.xor(x);
                    let mask = more.nonzero32() & valid;
                    both.xor(x).compress32(mask, free_out.add(left));
                    id.compress32(mask, ids_out.add(left));
                    left += mask.count_ones() as usize;
                }
                leaves.set_len(found);
                other.length = left;
                std::mem::swap(pile, other);
            }
        }
    }
}
