//! What counts blocks: a GPU.

use std::sync::atomic::AtomicBool;

use queens_cuda::{Choice, Sweeper};

use crate::device::DeviceError;
use crate::process;

/// Something that counts all units of a block at once.
pub trait BlockCounter: Send {
    /// Its name in the ledger.
    fn name(&self) -> &str;

    /// Whether it can count blocks of this class on boards of size `n`.
    fn can_count(&self, n: u32, black_queens: u32) -> bool;

    /// Counts blocks as long as `next` has one. Each block is named by its first unit. It may ask
    /// for the next block before it is done with the last. Calls `done` for each block, in order,
    /// with the counts of its units in the order of their numbers, or with `None` if it cannot
    /// count the block. Ends soon after `stop` becomes true.
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

/// Opens the first of the chosen cards, to sweep boards of size `n`.
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
    // The same card has another name when it counts units, because it runs different code.
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
