//! A card: something that counts batches. CUDA has one; tests have others.

use crate::Error;
use crate::batch::{Batch, Cell, Shape};
use crate::lists::Upload;
use std::sync::atomic::AtomicBool;

/// Something that counts batches, for several threads at once.
pub trait Card: Send + Sync {
    /// Its name for people, such as `GPU 0 (NVIDIA H200)`.
    fn name(&self) -> String;

    /// What batches must know of it.
    fn shape(&self) -> Shape;

    /// Runs the kernel for a sealed batch. Returns one sum for each job, and the flag, which is 0
    /// if all counts fit their cells.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] once `stop` is true, or what went wrong on the card.
    fn run(&self, batch: &Batch, stop: &AtomicBool) -> Result<(Vec<u64>, u32), Error>;

    /// Memory for lists of a board that many batches need, for one count at a time. `None` if the
    /// card has none, another count has it, or it would not pay.
    fn uploader(&self, _n: u32) -> Option<Box<dyn Upload + '_>> {
        None
    }

    /// Seals a batch and counts it: one sum for each job. Tiles have narrow cells first, and wide
    /// ones only if a count does not fit.
    ///
    /// # Errors
    ///
    /// As [`Card::run`], and [`Error::CellOverflow`] if a count does not fit a wide cell either.
    fn count(&self, batch: &mut Batch, stop: &AtomicBool) -> Result<Vec<u64>, Error> {
        for cell in [Cell::Narrow, Cell::Wide] {
            batch.seal(cell)?;
            let (sums, flag) = self.run(batch, stop)?;
            if flag == 0 {
                return Ok(sums);
            }
        }
        Err(Error::CellOverflow { card: self.name() })
    }
}
