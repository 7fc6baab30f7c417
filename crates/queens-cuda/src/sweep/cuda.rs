//! A CUDA card that sweeps.
//!
//! It has one stream, so that everything is done in the order in which it is asked for. It has one
//! piece of memory, nearly all that is free on the card; black's tables take most of it.

use super::machine::Machine;
use crate::driver::{Device, failed, settle, wait};
use crate::interface::{
    CohortMemory, FEWEST_FREE, JoinLaunch, LANES, MOST_FREE, MOST_SWEEP_THREADS, SLOT_MULTIPLE,
    SweepFixed, SweepLaunch,
};
use crate::loaded::{free_memory, load_entries, open_card};
use crate::{Error, kernel};
use cudarc::driver::result::{memcpy_dtoh_sync, memcpy_htod_async};
use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg,
};
use std::sync::Arc;

/// The lowest compute capability whose tensor cores multiply bits.
const LOWEST_ARCH: u32 = 80;

/// Memory that is left to others, in bytes.
const LEFT_FREE: u64 = 1 << 30;

/// The most partial placements of a level that a block has room for, 200 megabytes. For N = 28 a
/// level has a million or less on average, but its longest list can have 25 times as many as the
/// others.
const MOST_SCRATCH: u64 = 3 << 23;

/// One part in this many of the memory may be room for partial placements.
const SCRATCH_SHARE: u64 = 3;

/// The most lists of two levels: sets of six and of seven out of 14 columns.
const LISTS: usize = 3003 + 3432;

/// Threads that join the tables of one row set.
const JOIN_THREADS: u32 = 256;

// SAFETY: structures of plain numbers without padding, as their derives check; a test compares them
// with the kernel's parameters.
unsafe impl DeviceRepr for SweepLaunch {}
// SAFETY: as above.
unsafe impl DeviceRepr for JoinLaunch {}

/// How many threads a block with this much shared memory has: as many as it may have, as long as
/// their cohorts fit beside the ends of two levels' lists.
fn threads(shared_per_block: u32) -> u32 {
    let ends = LISTS * size_of::<u32>();
    let rest = (shared_per_block as usize).saturating_sub(size_of::<SweepFixed>() + ends);
    let warps = (rest / size_of::<CohortMemory>()) as u32;
    (warps.max(1) * LANES).min(MOST_SWEEP_THREADS)
}

/// A CUDA card with the sweeping kernel loaded.
pub struct SweepCard {
    device: Device,
    stream: Arc<CudaStream>,
    /// One for each number of free columns.
    sweeps: Vec<CudaFunction>,
    join: CudaFunction,
    memory: CudaSlice<u8>,
    threads: u32,
    scratch_room: u32,
}

impl SweepCard {
    /// Opens a card, loads the kernel, and reserves its free memory.
    ///
    /// # Errors
    ///
    /// [`Error::CannotSweep`], [`Error::TooLittleMemory`], an error of the compiler or the driver.
    pub fn open(device: Device) -> Result<SweepCard, Error> {
        if device.arch < LOWEST_ARCH {
            return Err(Error::CannotSweep {
                device: device.number,
                name: device.name,
                major: device.arch / 10,
                minor: device.arch % 10,
            });
        }
        let (device, context) = open_card(device)?;
        let number = device.number;
        let names = (FEWEST_FREE..=MOST_FREE).map(|free| format!("sweep_{free}"));
        let names: Vec<String> = names.chain(["join_all".to_owned()]).collect();
        let mut sweeps = load_entries(&device, &context, &kernel::sweep_source(), &names)?;
        let join = sweeps.pop().expect("there are several entries");
        let stream = context
            .new_stream()
            .map_err(failed(number, "reserving a stream"))?;
        let free = free_memory(&device, &context)?;
        let bytes = free.saturating_sub(LEFT_FREE).max(free / 2);
        // SAFETY: every array is copied to it or written by a kernel before it is read.
        let memory = unsafe { stream.alloc(bytes as usize) }
            .map_err(failed(number, "reserving memory for tables"))?;
        let threads = threads(device.shared_per_block);
        let halves = 2 * u64::from(device.multiprocessors);
        let scratch = (bytes / SCRATCH_SHARE / 8 / halves).min(MOST_SCRATCH);
        // Both halves of a block's scratch begin where a slot may.
        let scratch = scratch / u64::from(SLOT_MULTIPLE) * u64::from(SLOT_MULTIPLE);
        Ok(SweepCard {
            threads,
            scratch_room: scratch as u32,
            device,
            stream,
            sweeps,
            join,
            memory,
        })
    }

    /// The card's description.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Starts an entry of the kernel.
    fn start(
        &self,
        entry: &CudaFunction,
        launch: &impl DeviceRepr,
        config: LaunchConfig,
    ) -> Result<(), Error> {
        // SAFETY: the places in the launch were taken from this card's memory, each with room for
        // what the kernel writes there.
        unsafe { self.stream.launch_builder(entry).arg(launch).launch(config) }
            .map_err(failed(self.device.number, "starting the kernel"))?;
        Ok(())
    }
}

impl Drop for SweepCard {
    /// Waits, so that nothing uses the memory when it is freed.
    fn drop(&mut self) {
        settle(&self.stream);
    }
}

impl Machine for SweepCard {
    fn number(&self) -> usize {
        self.device.number
    }

    fn memory(&self) -> (u64, u64) {
        let (address, _) = self.memory.device_ptr(&self.stream);
        (address, self.memory.len() as u64)
    }

    fn blocks(&self) -> (u32, u32) {
        (self.device.multiprocessors, self.threads)
    }

    fn scratch_room(&self) -> u32 {
        self.scratch_room
    }

    fn upload(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        let number = self.device.number;
        self.stream
            .context()
            .bind_to_thread()
            .map_err(failed(number, "using the card"))?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the place is in this card's memory. The bytes are ordinary memory, which the driver
        // has read when this returns.
        unsafe { memcpy_htod_async(address, bytes, self.stream.cu_stream()) }
            .map_err(failed(number, "copying lists to it"))
    }

    fn download(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let number = self.device.number;
        wait(number, "sweeping", &self.stream)?;
        // SAFETY: the place is in this card's memory, and nothing uses it now.
        unsafe { memcpy_dtoh_sync(bytes, address) }.map_err(failed(number, "copying sums from it"))
    }

    fn sweep(&self, free: u32, launch: &SweepLaunch, shared_bytes: u32) -> Result<(), Error> {
        let (blocks, threads) = self.blocks();
        let config = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: shared_bytes,
        };
        self.start(&self.sweeps[(free - FEWEST_FREE) as usize], launch, config)
    }

    fn join(&self, launch: &JoinLaunch, row_sets: u32) -> Result<(), Error> {
        let config = LaunchConfig {
            grid_dim: (row_sets, 1, 1),
            block_dim: (JOIN_THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        self.start(&self.join, launch, config)
    }
}
