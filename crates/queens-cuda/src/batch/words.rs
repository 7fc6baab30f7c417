//! The block of memory of a batch: arrays of plain numbers, one behind the other.

use zerocopy::{Immutable, IntoBytes};

/// Bytes of a word.
const WORD: usize = size_of::<u64>();

/// Arrays of plain numbers in 8-byte words.
#[derive(Default)]
pub(crate) struct Words(Vec<u64>);

impl Words {
    /// All words.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    /// Drops the words from this place on.
    pub fn truncate(&mut self, end: usize) {
        self.0.truncate(end);
    }

    /// Appends an array and returns its place, a multiple of 16 bytes.
    pub fn push<T: IntoBytes + Immutable>(&mut self, array: &[T]) -> u32 {
        let place = self.0.len().next_multiple_of(2);
        self.0.resize(place, 0);
        let (words, rest) = array.as_bytes().as_chunks::<WORD>();
        self.0
            .extend(words.iter().map(|&bytes| u64::from_ne_bytes(bytes)));
        if !rest.is_empty() {
            let mut last = [0; WORD];
            last[..rest.len()].copy_from_slice(rest);
            self.0.push(u64::from_ne_bytes(last));
        }
        place as u32
    }

    /// One number of an array of 32-bit numbers at this place.
    pub fn get_u32(&self, place: u32, index: u32) -> u32 {
        let word = self.0[(place + index / 2) as usize];
        word.as_bytes()[4 * (index as usize % 2)..][..4]
            .try_into()
            .map_or(0, u32::from_ne_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_begin_at_even_places_and_read_back() {
        let mut words = Words::default();
        assert_eq!(words.push(&[1u8, 2, 3]), 0);
        assert_eq!(words.push(&[7u32, 8, 9]), 2);
        assert_eq!(words.push::<u64>(&[]), 4);
        assert_eq!(words.push(&[5u64]), 4);
        assert_eq!(words.as_slice()[0].as_bytes(), [1, 2, 3, 0, 0, 0, 0, 0]);
        let numbers = [0, 1, 2].map(|index| words.get_u32(2, index));
        assert_eq!(numbers, [7, 8, 9]);
        assert_eq!(words.as_slice()[4], 5);
        words.truncate(1);
        assert_eq!(words.as_slice().len(), 1);
    }
}
