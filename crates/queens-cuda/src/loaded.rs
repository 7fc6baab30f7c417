//! A card with the kernel loaded: what every batch on it shares.

use crate::batch::{Cell, Join, Wave};
use crate::driver::{Device, failed};
use crate::{Error, compile};
use cudarc::driver::sys::CUfunction_attribute;
use cudarc::driver::{CudaContext, CudaFunction};
use std::sync::Arc;

/// The least free memory to begin with, in bytes.
const LEAST_MEMORY: u64 = 256 << 20;

/// The kernel on a card.
pub(crate) struct Loaded {
    pub device: Device,
    pub context: Arc<CudaContext>,
    /// Gathering by scanning, by unfolding on even boards and on odd ones; each with narrow
    /// cells and with wide ones.
    entries: [[CudaFunction; 2]; 3],
}

impl Loaded {
    /// Opens a card and loads the kernel, compiling it where it is not in the cache.
    ///
    /// # Errors
    ///
    /// [`Error::TooOld`], [`Error::TooLittleMemory`], an error of the compiler or the driver.
    pub fn open(device: Device) -> Result<Loaded, Error> {
        let device = device.check()?;
        let number = device.number;
        let context = CudaContext::new(number).map_err(failed(number, "opening the card"))?;
        let (free, _) = context
            .mem_get_info()
            .map_err(failed(number, "asking for its free memory"))?;
        if (free as u64) < LEAST_MEMORY {
            return Err(Error::TooLittleMemory {
                device: number,
                needed: LEAST_MEMORY >> 20,
                free: free as u64 >> 20,
            });
        }
        // Threads that wait for a kernel leave their core to those that prepare lists.
        context
            .set_blocking_synchronize()
            .map_err(failed(number, "choosing how to wait"))?;
        // SAFETY: every buffer is used by one stream only, and that stream is synchronised
        // before its buffers are read or freed, so nothing has to be tracked. Streams wait for
        // resident lists by events.
        unsafe { context.disable_event_tracking() };
        let image = compile::image(device.arch)?;
        let module = context
            .load_module(cudarc::nvrtc::Ptx::from_binary(image))
            .map_err(failed(number, "loading the kernel"))?;
        let load = |name| {
            let function = module
                .load_function(name)
                .map_err(failed(number, "finding the kernel"))?;
            function
                .set_attribute(
                    CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    device.shared_per_block as i32,
                )
                .map_err(failed(number, "reserving shared memory"))?;
            Ok(function)
        };
        Ok(Loaded {
            entries: [
                [load("scan_16")?, load("scan_32")?],
                [load("unfold_16")?, load("unfold_32")?],
                [load("unfold_odd_16")?, load("unfold_odd_32")?],
            ],
            device,
            context,
        })
    }

    /// The entry of the kernel for a wave.
    pub fn entry(&self, wave: &Wave, cell: Cell) -> &CudaFunction {
        let [scan, unfold, unfold_odd] = &self.entries;
        let entries = match (wave.gather, wave.odd) {
            (Join::Scan, _) => scan,
            (Join::Unfold, false) => unfold,
            (Join::Unfold, true) => unfold_odd,
        };
        &entries[usize::from(cell == Cell::Wide)]
    }
}
