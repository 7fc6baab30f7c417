//! Sets of rows or columns, and sets of lines, as bits.
//!
//! Every set in this folder has at most 16 elements (32 in `allowed`, which knows the whole
//! board). So a set is a word, and a set operation is one instruction. A [`Set`] holds rows or
//! columns; element 0 is the lowest bit. A picture shows it like the board, with element 0 at
//! the left:
//!
//! ```text
//!   {0, 3} of 5        1 . . 1 .        the word 0b01001
//!   its complement     . 1 1 . 1        0b10110
//!   its reverse        . 1 . . 1        0b10010: element i becomes 4 - i
//! ```
//!
//! [`Lines`] holds the diagonals and the anti-diagonals that some queens use, numbered by
//! [`SmallBoard`](super::split::SmallBoard): diagonals in the low half of a `u64`,
//! anti-diagonals in the high half. Two placements of one colour fit together exactly when
//! their lines have no bit in common.

use std::ops::{BitAnd, BitOr, BitXor};

/// Some rows or some columns, usually of a small board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Set(pub u32);

impl Set {
    /// No element.
    pub const EMPTY: Set = Set(0);

    /// The set `{0, .., size - 1}`.
    #[inline(always)]
    pub fn full(size: u32) -> Set {
        Set(((1u64 << size) - 1) as u32)
    }

    /// The set with one more element.
    #[inline(always)]
    pub fn with(self, element: u32) -> Set {
        Set(self.0 | 1 << element)
    }

    /// Whether the element is in the set.
    pub fn contains(self, element: u32) -> bool {
        self.0 >> element & 1 == 1
    }

    /// Number of elements.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has no element.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The elements below `size` that are not in the set.
    pub fn complement(self, size: u32) -> Set {
        Set::full(size) ^ self
    }

    /// The set mirrored within `size` elements: element `i` becomes `size - 1 - i`.
    pub fn reverse(self, size: u32) -> Set {
        match size {
            0 => Set::EMPTY,
            _ => Set(self.0.reverse_bits() >> (32 - size)),
        }
    }

    /// The place of the set in a table of all sets.
    #[inline(always)]
    pub fn place(self) -> usize {
        self.0 as usize
    }

    /// All sets of `size` elements out of `of`, in rising order of their words.
    pub fn all(of: u32, size: u32) -> impl Iterator<Item = Set> + Clone {
        let words = 0..=Set::full(of).0;
        words.map(Set).filter(move |set| set.len() == size)
    }
}

impl BitXor for Set {
    type Output = Set;

    #[inline(always)]
    fn bitxor(self, other: Set) -> Set {
        Set(self.0 ^ other.0)
    }
}

impl BitOr for Set {
    type Output = Set;

    #[inline(always)]
    fn bitor(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }
}

impl BitAnd for Set {
    type Output = Set;

    #[inline(always)]
    fn bitand(self, other: Set) -> Set {
        Set(self.0 & other.0)
    }
}

impl IntoIterator for Set {
    type Item = u32;
    type IntoIter = Elements;

    #[inline(always)]
    fn into_iter(self) -> Elements {
        Elements(self.0)
    }
}

/// The elements of a set, in rising order.
#[derive(Clone, Debug)]
pub(crate) struct Elements(u32);

impl Iterator for Elements {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let element = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(element)
    }
}

/// The diagonals (low half) and anti-diagonals (high half) that some queens of one colour use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines(pub u64);

impl Lines {
    /// The lines of no queen.
    pub const NONE: Lines = Lines(0);

    /// The diagonals.
    #[inline(always)]
    pub fn diags(self) -> u32 {
        self.0 as u32
    }

    /// The anti-diagonals.
    #[inline(always)]
    pub fn antis(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Whether a queen of one and a queen of the other share a line.
    #[cfg(test)]
    pub fn meet(self, other: Lines) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Lines {
    type Output = Lines;

    #[inline(always)]
    fn bitor(self, other: Lines) -> Lines {
        Lines(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversing_and_complementing_twice_gives_a_set_back() {
        for size in 0..=16 {
            for set in (0..=Set::full(size).0.min(4095)).map(Set) {
                assert_eq!(set.reverse(size).reverse(size), set);
                assert_eq!(set.complement(size).complement(size), set);
            }
        }
    }

    #[test]
    fn a_set_is_its_elements() {
        for set in (0..1 << 10).map(Set) {
            let elements: Vec<u32> = set.into_iter().collect();
            assert!(elements.is_sorted() && elements.len() as u32 == set.len());
            assert!(elements.iter().all(|&element| set.contains(element)));
            assert_eq!(elements.into_iter().fold(Set::EMPTY, Set::with), set);
        }
    }
}
