//! Places in the memory of a card, one after the other.

/// Every array begins at a multiple of this many bytes.
const ALIGNMENT: u64 = 256;

/// A region of memory that is handed out piece by piece, from its beginning on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    next: u64,
    end: u64,
}

impl Region {
    /// A region that begins at an address and has this many bytes.
    pub fn new(address: u64, bytes: u64) -> Region {
        Region {
            next: address,
            end: address.saturating_add(bytes),
        }
    }

    /// Takes this many bytes and returns their address, even if the region does not have them.
    pub fn take(&mut self, bytes: u64) -> u64 {
        let address = self.next;
        self.next = self.next.saturating_add(bytes.next_multiple_of(ALIGNMENT));
        address
    }

    /// How many of the bytes taken the region does not have.
    pub fn missing(&self) -> u64 {
        self.next.saturating_sub(self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_do_not_overlap_and_what_is_missing_is_known() {
        let mut region = Region::new(1024, 1024);
        assert_eq!(region.take(1), 1024);
        assert_eq!(region.take(257), 1280);
        assert_eq!(region.take(256), 1792);
        assert_eq!(region.missing(), 0);
        region.take(1);
        assert_eq!(region.missing(), 256);
        region.take(u64::MAX / 2);
        assert!(region.missing() > 1 << 60);
    }
}
