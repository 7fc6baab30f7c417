//! Pinned memory, which cannot be swapped out.
//!
//! The driver copies ordinary memory twice: first to its own pinned memory, for one thread at a
//! time. A thread that fetches a result to ordinary memory waits inside the driver until it is
//! there. With pinned memory nobody waits. But it takes long to reserve, so that is done before a
//! card counts: when the card is opened, and for resident lists in its self-test.

use cudarc::driver::result::{free_host, malloc_host};
use cudarc::driver::{CudaContext, DriverError};
use std::sync::Arc;

/// Memory of this machine that a card reads and writes directly.
pub(crate) struct Pinned {
    /// The first of its words.
    pub words: *mut u64,
    context: Arc<CudaContext>,
}

impl Pinned {
    /// Memory for this many words, with anything in them.
    pub fn new(context: &Arc<CudaContext>, words: usize) -> Result<Pinned, DriverError> {
        context.bind_to_thread()?;
        // SAFETY: freed once, when this is dropped.
        let words = unsafe { malloc_host(8 * words, 0) }?.cast();
        let context = context.clone();
        Ok(Pinned { words, context })
    }
}

// SAFETY: it is only memory; its owner makes sure that nobody writes where others read.
unsafe impl Send for Pinned {}
// SAFETY: as above.
unsafe impl Sync for Pinned {}

impl Drop for Pinned {
    fn drop(&mut self) {
        // If this fails, nothing can be done, and it does not matter for the next call.
        let _ = self.context.bind_to_thread();
        // SAFETY: it was reserved by the driver, and is freed once.
        let _ = unsafe { free_host(self.words.cast()) };
    }
}
