//! A flight: memory for one batch, on the card and on the way there.
//!
//! A batch and its flags go to the card through pinned memory, the kernel runs wave by wave, and
//! the sums come back the same way. Each flight has its own stream of the driver, so the copies of
//! one flight overlap the kernels of another.
//!
//! Every driver call is checked; an error names the card and what it was doing.

use crate::Error;
use crate::batch::{Addresses, Batch};
use crate::driver::{failed, settle, wait};
use crate::interface::Launch;
use crate::loaded::Loaded;
use crate::pinned::Pinned;
use crate::resident::ResidentLists;
use cudarc::driver::result::{memcpy_dtoh_async, memcpy_htod_async};
use cudarc::driver::sys::CUresult;
use cudarc::driver::{
    CudaEvent, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, LaunchConfig,
    PushKernelArg,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Words of the card's memory that a flight begins with: for lists and for scratch, and for sums.
const FIRST_WORDS: usize = 2 << 20;
const FIRST_SUMS: usize = 128 << 10;

/// Words of pinned memory for a flight's batch, and then for its sums. If they are longer, copying
/// is not what takes time.
const FLIGHT_WORDS: usize = 128 << 10;

const RUNNING: &str = "running the kernel";

// SAFETY: a structure of plain numbers without padding, as its derives check; a test compares it
// with the kernel's parameter.
unsafe impl DeviceRepr for Launch {}

/// A stream of the driver with the memory it uses again and again.
pub(crate) struct Flight {
    stream: Arc<CudaStream>,
    /// Lets the stream wait for resident lists.
    event: CudaEvent,
    /// [`FLIGHT_WORDS`] words.
    pinned: Pinned,
    words: Option<CudaSlice<u64>>,
    sums: Option<CudaSlice<u64>>,
    scratch: Option<CudaSlice<u64>>,
}

impl Drop for Flight {
    /// Waits, so that nothing is copied to or from memory that is freed.
    fn drop(&mut self) {
        settle(&self.stream);
    }
}

impl Flight {
    /// A flight without memory on the card.
    pub fn new(card: &Loaded) -> Result<Flight, Error> {
        let make = || {
            Ok(Flight {
                stream: card.context.new_stream()?,
                event: card.context.new_event(None)?,
                pinned: Pinned::new(&card.context, FLIGHT_WORDS)?,
                words: None,
                sums: None,
                scratch: None,
            })
        };
        make().map_err(failed(
            card.device.number,
            "reserving a stream and memory for it",
        ))
    }

    /// Reserves the memory that most batches need.
    pub fn reserve_first(&mut self, card: &Loaded) -> Result<(), Error> {
        self.reserve(card, FIRST_WORDS, FIRST_SUMS, FIRST_WORDS)
    }

    /// Runs the kernel for a sealed batch, and returns one sum for each job and the flag.
    pub fn run(
        &mut self,
        card: &Loaded,
        resident: Option<&ResidentLists>,
        batch: &Batch,
        stop: &AtomicBool,
    ) -> Result<(Vec<u64>, u32), Error> {
        let mut sums = vec![0; batch.jobs()];
        // Two to a word.
        let mut flags = vec![0; batch.flags().div_ceil(2)];
        let result = self.launch(card, resident, batch, &mut sums, &mut flags, stop);
        if result.is_err() {
            // Copies that still run must touch neither these vectors nor the next batch.
            settle(&self.stream);
        }
        result?;
        // The lower half of the first word is the first flag.
        Ok((sums, flags[0] as u32))
    }

    /// Copies a batch, runs its waves and fetches the results. The flags are 0 to begin with.
    fn launch(
        &mut self,
        card: &Loaded,
        resident: Option<&ResidentLists>,
        batch: &Batch,
        sums: &mut [u64],
        flags: &mut [u64],
        stop: &AtomicBool,
    ) -> Result<(), Error> {
        let number = card.device.number;
        card.context
            .bind_to_thread()
            .map_err(failed(number, "using the card"))?;
        let length = batch.words().len();
        // The flags come after the batch.
        let end = length + flags.len();
        let scratch = batch.scratch_bytes().div_ceil(8) as usize;
        self.reserve(card, end, batch.jobs().max(1), scratch)?;
        let resident = resident.filter(|_| batch.has_resident());
        let address = |slice: &CudaSlice<u64>| slice.device_ptr(&self.stream).0;
        let address_of = |slice: &Option<CudaSlice<u64>>| slice.as_ref().map_or(0, address);
        let addresses = Addresses {
            words: address_of(&self.words),
            resident: resident.map_or(0, ResidentLists::address),
            sums: address_of(&self.sums),
            scratch: address_of(&self.scratch),
            flags: address_of(&self.words) + 8 * length as u64,
        };
        self.send(0, batch.words(), addresses.words)
            .and_then(|()| self.send(length, flags, addresses.flags))
            .map_err(failed(number, "copying lists to it"))?;
        if let Some(resident) = resident {
            resident.send_before(&self.stream, &self.event)?;
        }
        for (i, wave) in batch.waves().iter().enumerate() {
            // One wave waits while another runs, no more.
            if i > 1 {
                wait(number, RUNNING, &self.stream)?;
            }
            if stop.load(Ordering::Relaxed) {
                wait(number, RUNNING, &self.stream)?;
                return Err(Error::Stopped { share: 0.0 });
            }
            let config = LaunchConfig {
                grid_dim: (wave.config.blocks, 1, 1),
                block_dim: (wave.config.threads, 1, 1),
                shared_mem_bytes: wave.config.shared_bytes,
            };
            let launch = batch.launch(wave, &addresses);
            // SAFETY: the kernel reads the batch at the places that `Batch` laid out, and writes to
            // memory that was reserved for this many jobs and blocks.
            unsafe {
                self.stream
                    .launch_builder(card.entry(wave, batch.cell()))
                    .arg(&launch)
                    .launch(config)
            }
            .map_err(failed(number, "starting the kernel"))?;
        }
        self.fetch(0, &mut flags[..1], addresses.flags)
            .and_then(|()| self.fetch(1, sums, addresses.sums))
            .map_err(failed(number, "copying counts from it"))?;
        wait(number, RUNNING, &self.stream)?;
        self.fetched(0, &mut flags[..1]);
        self.fetched(1, sums);
        Ok(())
    }

    /// Starts copying words to an address of the card. They go through pinned memory, from this
    /// place on, if they fit.
    fn send(&self, place: usize, words: &[u64], to: u64) -> Result<(), DriverError> {
        if words.is_empty() {
            return Ok(());
        }
        // SAFETY: nothing is being copied from this place, because the flight belongs to this
        // thread and its stream was waited for. The card's memory was reserved. Ordinary memory
        // lives until the stream is waited for again, at the end of `Flight::launch` or, after an
        // error, of `Flight::run`.
        unsafe {
            let from = match place + words.len() <= FLIGHT_WORDS {
                true => {
                    let from = self.pinned.words.add(place);
                    std::ptr::copy_nonoverlapping(words.as_ptr(), from, words.len());
                    std::slice::from_raw_parts(from, words.len())
                }
                false => words,
            };
            memcpy_htod_async(to, from, self.stream.cu_stream())
        }
    }

    /// Starts copying words from an address of the card, in the same way. They have arrived once
    /// the stream has been waited for and [`Flight::fetched`] was called.
    fn fetch(&self, place: usize, words: &mut [u64], from: u64) -> Result<(), DriverError> {
        if words.is_empty() {
            return Ok(());
        }
        // SAFETY: words that were sent from this place reach the card before. Ordinary memory lives
        // as above.
        unsafe {
            let to = match place + words.len() <= FLIGHT_WORDS {
                true => std::slice::from_raw_parts_mut(self.pinned.words.add(place), words.len()),
                false => words,
            };
            memcpy_dtoh_async(to, from, self.stream.cu_stream())
        }
    }

    /// Copies fetched words out of pinned memory.
    fn fetched(&self, place: usize, words: &mut [u64]) {
        if place + words.len() <= FLIGHT_WORDS {
            // SAFETY: the card has written them, and is done.
            unsafe {
                let from = self.pinned.words.add(place);
                std::ptr::copy_nonoverlapping(from, words.as_mut_ptr(), words.len());
            }
        }
    }

    /// Reserves memory for this many words of lists, of sums and of scratch.
    fn reserve(
        &mut self,
        card: &Loaded,
        words: usize,
        sums: usize,
        scratch: usize,
    ) -> Result<(), Error> {
        let number = card.device.number;
        let stream = &self.stream;
        let grow = |flight: &mut Option<CudaSlice<u64>>, words: usize| {
            if words == 0 || flight.as_ref().is_some_and(|slice| slice.len() >= words) {
                return Ok(());
            }
            *flight = None;
            let words = words.next_power_of_two();
            // SAFETY: the lists are copied to it, and the kernel writes the sums, before they are
            // read. Of the scratch the kernel reads only words that it has written.
            match unsafe { stream.alloc(words) } {
                Ok(slice) => {
                    *flight = Some(slice);
                    Ok(())
                }
                Err(error) if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    let free = card.context.mem_get_info().map_or(0, |(free, _)| free);
                    Err(Error::TooLittleMemory {
                        device: number,
                        needed: (words as u64 * 8) >> 20,
                        free: free as u64 >> 20,
                    })
                }
                Err(error) => Err(failed(number, "reserving memory")(error)),
            }
        };
        grow(&mut self.words, words)?;
        grow(&mut self.sums, sums)?;
        grow(&mut self.scratch, scratch)
    }
}
