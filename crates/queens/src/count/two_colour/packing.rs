//! The index of a column set beside the lines of a placement, in one word.
//!
//! On a board with `even` even rows a colour has `2 even` diagonals and as many anti-diagonals.
//! So up to `n = 30` both halves of a word of lines have spare bits above them. These hold the
//! low bits of the placement's `odd_index`, and a list needs only one array:
//!
//! ```text
//!   n = 20       bit 31          20 19              0
//!   diagonals      [ index 0..11 | d19 ..        d0 ]   low half
//!   anti-diag.     [ index 12..  | a19 ..        a0 ]   high half
//! ```
//!
//! The index does not disturb tests of lines, because no square uses these bits.

/// Where an index is packed on boards of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    /// The first bit above the diagonals, and above the anti-diagonals.
    pub above_lines: u32,
    /// How many bits of an index go above the diagonals; the others go above the
    /// anti-diagonals.
    pub low_bits: u32,
}

impl Packing {
    /// The packing for boards with this many even rows.
    pub fn new(even: u32) -> Packing {
        Packing {
            above_lines: 2 * even,
            low_bits: 32 - 2 * even,
        }
    }

    /// How many bits of an index fit.
    pub fn bits(self) -> u32 {
        2 * self.low_bits
    }

    /// The part of an index that goes above the diagonals, and the part that goes above the
    /// anti-diagonals.
    #[inline(always)]
    pub fn halves(self, index: u32) -> (u32, u32) {
        let high = index >> self.low_bits;
        (index << self.above_lines, high << self.above_lines)
    }

    /// Both parts as they stand in a word of lines.
    #[inline(always)]
    pub fn word(self, index: u32) -> u64 {
        let (low, high) = self.halves(index);
        u64::from(low) | u64::from(high) << 32
    }

    /// The index that was packed above these diagonals and anti-diagonals.
    #[inline(always)]
    pub fn index(self, diags: u32, antis: u32) -> u32 {
        diags >> self.above_lines | antis >> self.above_lines << self.low_bits
    }
}

#[cfg(test)]
mod tests {
    use super::super::split::Split;
    use super::*;

    #[test]
    fn an_index_comes_back_and_touches_no_line() {
        for n in 1..=30 {
            let split = Split::new(n);
            let packing = Packing::new(split.even);
            let boards = [split.even_even(), split.odd_odd()];
            let black = [split.even_odd(), split.odd_even()];
            let mut lines = 0;
            for board in boards.into_iter().chain(black) {
                for (i, j) in (0..n / 2).flat_map(|i| (0..board.cols).map(move |j| (i, j))) {
                    lines |= board.lines(i, j).0;
                }
            }
            for index in 0..1u32 << packing.bits().min(10) {
                let word = packing.word(index);
                assert_eq!(word & lines, 0, "n={n} index={index}");
                assert_eq!(packing.index(word as u32, (word >> 32) as u32), index);
            }
        }
    }
}
