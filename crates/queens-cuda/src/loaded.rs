//! A card with the kernel loaded, which all batches on the card share.

use crate::batch::{Cell, Join, Wave};
use crate::driver::{Device, failed};
use crate::{Error, compile, kernel};
use cudarc::driver::sys::CUfunction_attribute;
use cudarc::driver::{CudaContext, CudaFunction};
use std::sync::Arc;

/// The least free memory of a card that is opened, in bytes.
const LEAST_MEMORY: u64 = 256 << 20;

/// The kernel on a card.
pub(crate) struct Loaded {
    pub device: Device,
    pub context: Arc<CudaContext>,
    /// The entries that gather by scanning, by unfolding on even boards, and by unfolding on odd
    /// boards; each with narrow cells and with wide ones.
    entries: Vec<CudaFunction>,
}

/// Opens a card that can be used and has some memory left.
///
/// # Errors
///
/// [`Error::TooOld`], [`Error::TooLittleMemory`], an error of the driver.
pub(crate) fn open_card(device: Device) -> Result<(Device, Arc<CudaContext>), Error> {
    let device = device.check()?;
    let number = device.number;
    let context = CudaContext::new(number).map_err(failed(number, "opening the card"))?;
    let free = free_memory(&device, &context)?;
    if free < LEAST_MEMORY {
        return Err(Error::TooLittleMemory {
            device: number,
            needed: LEAST_MEMORY >> 20,
            free: free >> 20,
        });
    }
    // Threads that wait for a kernel leave their core to threads that prepare lists.
    context
        .set_blocking_synchronize()
        .map_err(failed(number, "choosing how to wait"))?;
    // SAFETY: only one stream uses each buffer, and that stream is synchronised before its
    // buffers are read or freed, so nothing has to be tracked. Streams wait for resident lists by
    // events.
    unsafe { context.disable_event_tracking() };
    Ok((device, context))
}

/// The free memory of a card, in bytes.
pub(crate) fn free_memory(device: &Device, context: &CudaContext) -> Result<u64, Error> {
    let (free, _) = context
        .mem_get_info()
        .map_err(failed(device.number, "asking for its free memory"))?;
    Ok(free as u64)
}

/// Loads a kernel and finds the entries with these names, and lets them use all shared memory.
pub(crate) fn load_entries(
    device: &Device,
    context: &Arc<CudaContext>,
    source: &str,
    names: &[String],
) -> Result<Vec<CudaFunction>, Error> {
    let number = device.number;
    let image = compile::image(source, device.arch)?;
    let module = context
        .load_module(cudarc::nvrtc::Ptx::from_binary(image))
        .map_err(failed(number, "loading the kernel"))?;
    let load = |name: &String| {
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
    names.iter().map(load).collect()
}

impl Loaded {
    /// Opens a card and loads the kernel, compiling it if it is not in the cache.
    ///
    /// # Errors
    ///
    /// [`Error::TooOld`], [`Error::TooLittleMemory`], an error of the compiler or the driver.
    pub fn open(device: Device) -> Result<Loaded, Error> {
        let (device, context) = open_card(device)?;
        let names = ["scan", "unfold", "unfold_odd"];
        let names: Vec<String> = names
            .iter()
            .flat_map(|name| [format!("{name}_16"), format!("{name}_32")])
            .collect();
        let entries = load_entries(&device, &context, &kernel::source(), &names)?;
        Ok(Loaded {
            entries,
            device,
            context,
        })
    }

    /// The entry of the kernel for a wave.
    pub fn entry(&self, wave: &Wave, cell: Cell) -> &CudaFunction {
        let first = match (wave.gather, wave.odd) {
            (Join::Scan, _) => 0,
            (Join::Unfold, false) => 2,
            (Join::Unfold, true) => 4,
        };
        &self.entries[first + usize::from(cell == Cell::Wide)]
    }
}
