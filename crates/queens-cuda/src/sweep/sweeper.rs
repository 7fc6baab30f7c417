//! Counts blocks of units on a card.

use super::blocks::count_blocks;
use super::cuda::SweepCard;
use super::self_test::self_test;
use super::tables::leaves_free;
use crate::Error;
use crate::driver::Device;
use crate::lists::Block;
use std::sync::atomic::AtomicBool;

/// Counts blocks of units of one board on one card. All units with the same even row sets are
/// counted at once, which takes far less than counting each of them.
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

    /// Whether blocks with this many black queens on each black board can be swept at all.
    pub fn can_count(n: usize, black_queens: u32) -> bool {
        let (even, odd) = (n.div_ceil(2) as u32, n as u32 / 2);
        let swept = [
            (odd, odd.saturating_sub(black_queens)),
            (even, black_queens),
        ];
        swept
            .into_iter()
            .all(|(cols, queens)| queens >= 2 && leaves_free(cols, queens - 2).is_some())
    }

    /// Counts blocks as long as `next` names one, by any of its units. For each block, in order,
    /// `done` gets the number of its first unit and the counts of all its units, in the order of
    /// their numbers. It gets `None` if the block cannot be swept: it has too few queens, its counts
    /// do not fit, or even the smallest portion of its partial placements does not. Then its units
    /// must be counted one by one.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`], [`Error::NoSuchUnit`], or an error of the card.
    pub fn count(
        &self,
        mut next: impl FnMut() -> Option<u64> + Send,
        stop: &AtomicBool,
        done: impl FnMut(u64, Option<Vec<u64>>),
    ) -> Result<(), Error> {
        let n = self.n;
        let mut missing = None;
        let blocks = || {
            let unit = next()?;
            let block = Block::of(n, unit);
            missing = missing.or(block.is_none().then_some(unit));
            block
        };
        count_blocks(&self.card, blocks, stop, done)?;
        match missing {
            Some(unit) => Err(Error::NoSuchUnit { n: n as u32, unit }),
            None => Ok(()),
        }
    }
}
