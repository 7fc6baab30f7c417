//! What counts blocks: a GPU.

use std::sync::atomic::AtomicBool;

use queens_cuda::{Choice, Sweeper};

use crate::device::DeviceError;
use crate::process;

/// Something that counts all units of a block at once.
pub trait BlockCounter: Send {
    /// The name for the ledger.
    fn name(&self) -> &str;

    /// Whether it can count blocks of a class at all, on boards of size `n`.
    fn can_count(&self, n: u32, black_queens: u32) -> bool;

    /// Counts blocks as long as `next` has one, each named by its first unit; it may ask for the next
    /// before it is done with the last. `done` hears of each, in their order: the counts of its units
    /// in the order of their numbers, or `None` where it cannot count them. Ends soon after `stop`
    /// becomes true.
    ///
    /// # Errors
    ///
    /// When the device failed.
    fn count(
        &mut self,
        next: &mut (dyn FnMut() -> Option<u64> + Send),
        stop: &AtomicBool,
        done: &mut dyn FnMut(u64, Option<Vec<u64>>),
    ) -> Result<(), DeviceError>;
}

/// A GPU that sweeps.
struct Gpu {
    name: String,
    sweeper: Sweeper,
}

/// Opens the first of the cards asked for, to sweep boards of size `n`.
///
/// # Errors
///
/// When there is no such card, or it cannot sweep.
pub fn open(
    choices: &[Choice],
    n: u32,
    stop: &AtomicBool,
) -> Result<Box<dyn BlockCounter>, DeviceError> {
    let wrong = |error: queens_cuda::Error| DeviceError(error.to_string());
    let card = queens_cuda::chosen(choices, n).map_err(wrong)?;
    let none = || DeviceError("no GPU was asked for, and only GPUs sweep".to_owned());
    let card = card.into_iter().next().ok_or_else(none)?;
    // Another name than that of the same card when it counts units: the code is another.
    let name = format!("{}/gpu{}-sweep {}", process::host(), card.number, card.name);
    let sweeper = Sweeper::on(card, n, stop).map_err(wrong)?;
    Ok(Box::new(Gpu { name, sweeper }))
}

impl BlockCounter for Gpu {
    fn name(&self) -> &str {
        &self.name
    }

    fn can_count(&self, n: u32, black_queens: u32) -> bool {
        Sweeper::can_count(n as usize, black_queens)
    }

    fn count(
        &mut self,
        next: &mut (dyn FnMut() -> Option<u64> + Send),
        stop: &AtomicBool,
        done: &mut dyn FnMut(u64, Option<Vec<u64>>),
    ) -> Result<(), DeviceError> {
        match self.sweeper.count(next, stop, done) {
            Ok(()) | Err(queens_cuda::Error::Stopped { .. }) => Ok(()),
            Err(error) => Err(DeviceError(error.to_string())),
        }
    }
}
