//! Counts blocks of units on a card.

use super::blocks::count_block;
use super::cuda::SweepCard;
use super::self_test::self_test;
use crate::Error;
use crate::driver::Device;
use crate::lists::Block;
use std::sync::atomic::AtomicBool;

/// Counts blocks of units of one board on one card: all units that have the same even row sets at
/// once, which takes far less than counting each of them.
pub struct Sweeper {
    card: SweepCard,
    n: usize,
}

impl Sweeper {
    /// Opens a card and tests it.
    ///
    /// # Errors
    ///
    /// Every way of having no such card, no compiler, or a card that cannot sweep or fails its
    /// self-test.
    pub fn on(device: Device, n: u32, stop: &AtomicBool) -> Result<Sweeper, Error> {
        let card = SweepCard::open(device)?;
        self_test(&card, stop)?;
        Ok(Sweeper {
            card,
            n: n as usize,
        })
    }

    /// The card's description.
    pub fn device(&self) -> &Device {
        self.card.device()
    }

    /// Counts all units of the block that a unit is of, in the order of their numbers. `None` where
    /// the block cannot be swept: it has too few queens, or its counts do not fit. Its units are to
    /// be counted one by one then.
    ///
    /// # Errors
    ///
    /// [`Error::TooLittleMemory`], [`Error::Stopped`], or an error of the card.
    pub fn count(&self, unit: u64, stop: &AtomicBool) -> Result<Option<Vec<u64>>, Error> {
        match Block::of(self.n, unit) {
            Some(block) => count_block(&self.card, block, stop),
            None => Ok(None),
        }
    }
}
