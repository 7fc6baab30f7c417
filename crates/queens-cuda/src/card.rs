//! A card: something that counts batches. One is CUDA's; tests bring others.
//!
//! A card hands out [`Stream`]s, one for each host thread that feeds it. A thread prepares
//! the lists of its next batch while the kernels of other threads' batches run. A few batches
//! are in flight at a time, each in a *slot* with its memory on the card, so the copies of one
//! overlap the kernels of another.
//!
//! Every driver call is checked; an error names the card and what was being done.

use crate::batch::{Addresses, Batch, Cell, Launch, Shape, Tuning, Wave, Way};
use crate::driver::{Device, failed, settle, wait};
use crate::fleet::lock;
use crate::kept::KeptLists;
use crate::pinned::Pinned;
use crate::{Error, compile};
use cudarc::driver::result::{memcpy_dtoh_async, memcpy_htod_async};
use cudarc::driver::sys::{CUfunction_attribute, CUresult};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr,
    DriverError, LaunchConfig, PushKernelArg,
};
use queens::count::two_colour::device_lists::Upload;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

/// Something that counts batches.
pub trait Card: Send + Sync {
    /// How people call it, such as `GPU 0 (NVIDIA H200)`.
    fn name(&self) -> String;

    /// What plans have to know of it.
    fn shape(&self) -> Shape;

    /// A way to give it work, for one thread.
    ///
    /// # Errors
    ///
    /// Whatever keeps the card from working.
    fn stream(&self) -> Result<Box<dyn Stream + '_>, Error>;

    /// Memory for lists of a board that many batches need, for one count at a time: `None` where
    /// the card has none, another count has it, or it would not pay.
    fn keeper(&self, _n: u32) -> Option<Box<dyn Upload + '_>> {
        None
    }
}

/// One thread's way to give a card work.
pub trait Stream {
    /// Seals a batch and counts it: one sum per job.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] once `stop` is true, or what went wrong on the card.
    fn count(&mut self, batch: &mut Batch, stop: &AtomicBool) -> Result<Vec<u64>, Error>;
}

/// A launch is meant to take about this long; a display on the same card stays smooth, and
/// nobody waits for a Ctrl-C.
const LAUNCH_SECONDS: f64 = 0.05;

/// What a multiprocessor does in a cycle, in the units of `Units::cost`: n = 20, 22 and 24 took an
/// H200 a second for 3.3e11 to 4.7e11 of them.
const COST_PER_CYCLE: f64 = 1.5;

/// Words of the card's memory that a slot begins with, for lists and for scratch, and for sums.
const FIRST_WORDS: usize = 2 << 20;
const FIRST_SUMS: usize = 128 << 10;

/// The boards of which a card keeps lists. On smaller ones few lists are needed twice; beyond them
/// there are too many, and counting takes much longer than copying.
pub const KEPT_BOARDS: RangeInclusive<u32> = 18..=22;

/// Words of pinned memory for a slot's batch, and then for its sums. Where they are longer,
/// copying is not what takes time.
const SLOT_WORDS: usize = 128 << 10;

/// The least free memory to begin with, in bytes.
const LEAST_MEMORY: u64 = 256 << 20;

const RUNNING: &str = "running the kernel";

/// A CUDA card with the kernel loaded.
pub struct CudaCard {
    device: Device,
    context: Arc<CudaContext>,
    /// Gathering by scanning, by unfolding on even boards and on odd ones; each with narrow
    /// cells and with wide ones.
    kernels: [[CudaFunction; 2]; 3],
    tuning: Tuning,
    slots: Mutex<Slots>,
    /// A slot came back.
    changed: Condvar,
    /// Whether it counts alone: lists that it kept would be of no use to another card.
    alone: bool,
    /// Where lists are kept, once a count wants it and if the card has room.
    kept: OnceLock<Option<KeptLists>>,
}

/// The buffers of batches in flight.
#[derive(Default)]
struct Slots {
    /// Those that nobody uses now.
    idle: Vec<Buffers>,
    /// How many there are in all.
    made: usize,
}

/// The most batches in flight: one that is copied to the card, one that runs, one that fills
/// the gaps when the other ends, and one that waits.
const MOST_SLOTS: usize = 4;

// SAFETY: a structure of plain numbers, laid out as the kernel's parameter is.
unsafe impl DeviceRepr for Launch {}

impl CudaCard {
    /// Opens a card and loads the kernel, compiling it where it is not in the cache.
    ///
    /// # Errors
    ///
    /// [`Error::TooOld`], [`Error::TooLittleMemory`], an error of the compiler or the driver.
    pub fn open(device: Device) -> Result<CudaCard, Error> {
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
        // before its buffers are read or freed, so nothing has to be tracked. Of the lists that
        // are kept, streams are told by events.
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
        let card = CudaCard {
            kernels: [
                [load("scan_16")?, load("scan_32")?],
                [load("unfold_16")?, load("unfold_32")?],
                [load("unfold_odd_16")?, load("unfold_odd_32")?],
            ],
            device,
            tuning: Tuning::default(),
            slots: Mutex::default(),
            changed: Condvar::new(),
            alone: true,
            kept: OnceLock::new(),
            context,
        };
        card.make_slots()?;
        Ok(card)
    }

    /// The same card with other choices.
    #[must_use]
    pub fn tuned(self, tuning: Tuning) -> CudaCard {
        CudaCard { tuning, ..self }
    }

    /// The same card, which counts alone or among others.
    #[must_use]
    pub fn alone(self, alone: bool) -> CudaCard {
        CudaCard { alone, ..self }
    }

    fn kernel(&self, wave: &Wave, cell: Cell) -> &CudaFunction {
        let [scan, unfold, unfold_odd] = &self.kernels;
        let kernels = match (wave.gather, wave.odd) {
            (Way::Scan, _) => scan,
            (Way::Unfold, false) => unfold,
            (Way::Unfold, true) => unfold_odd,
        };
        &kernels[usize::from(cell == Cell::Wide)]
    }

    /// The card's description.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl Card for CudaCard {
    fn name(&self) -> String {
        format!("GPU {} ({})", self.device.number, self.device.name)
    }

    fn shape(&self) -> Shape {
        let device = &self.device;
        let per_second = COST_PER_CYCLE
            * 1000.0
            * f64::from(device.clock_khz)
            * f64::from(device.multiprocessors);
        Shape {
            multiprocessors: device.multiprocessors,
            threads_per_multiprocessor: device.threads_per_multiprocessor,
            shared_per_multiprocessor: device.shared_per_multiprocessor,
            shared_per_block: device.shared_per_block,
            launch_cost: LAUNCH_SECONDS * per_second,
            tuning: self.tuning,
        }
    }

    fn stream(&self) -> Result<Box<dyn Stream + '_>, Error> {
        Ok(Box::new(CudaStreamOf(self)))
    }

    fn keeper(&self, n: u32) -> Option<Box<dyn Upload + '_>> {
        if !self.alone || !KEPT_BOARDS.contains(&n) {
            return None;
        }
        // The first to ask is the self-test.
        let make = || KeptLists::new(self.device.number, &self.context);
        let kept = self.kept.get_or_init(|| make().ok().flatten());
        let keeper = kept.as_ref()?.keeper()?;
        Some(Box::new(keeper))
    }
}

impl CudaCard {
    /// Makes the slots, so that a count finds them. Where the card has no room for all, there are
    /// fewer, and one at least, with as little memory as its batches need.
    fn make_slots(&self) -> Result<(), Error> {
        let mut slots = lock(&self.slots);
        let reserve_first = |buffers: &mut Buffers| {
            let reserved = buffers.reserve(self, FIRST_WORDS, FIRST_SUMS, FIRST_WORDS);
            reserved.is_ok()
        };
        let mut buffers = self.new_slot()?;
        reserve_first(&mut buffers);
        slots.idle.push(buffers);
        while slots.idle.len() < MOST_SLOTS
            && let Ok(mut buffers) = self.new_slot()
            && reserve_first(&mut buffers)
        {
            slots.idle.push(buffers);
        }
        slots.made = slots.idle.len();
        Ok(())
    }

    fn new_slot(&self) -> Result<Buffers, Error> {
        let make = || {
            Ok(Buffers {
                stream: self.context.new_stream()?,
                event: self.context.new_event(None)?,
                pinned: Pinned::new(&self.context, SLOT_WORDS)?,
                words: None,
                sums: None,
                scratch: None,
            })
        };
        make().map_err(failed(
            self.device.number,
            "reserving a stream and memory for it",
        ))
    }

    /// Waits for a slot.
    fn take_slot(&self) -> Buffers {
        let mut slots = lock(&self.slots);
        loop {
            if let Some(buffers) = slots.idle.pop() {
                return buffers;
            }
            slots = self
                .changed
                .wait(slots)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    /// Counts a sealed batch in a slot; `None` where its cells were too small. Without memory
    /// for so many slots, there are fewer.
    fn count(&self, batch: &Batch, stop: &AtomicBool) -> Result<Option<Vec<u64>>, Error> {
        loop {
            let mut buffers = self.take_slot();
            let result = buffers.count(self, batch, stop);
            let mut slots = lock(&self.slots);
            match result {
                Err(Error::TooLittleMemory { .. }) if slots.made > 1 => {
                    slots.made -= 1;
                    drop(slots);
                    drop(buffers);
                    self.changed.notify_all();
                }
                result => {
                    slots.idle.push(buffers);
                    drop(slots);
                    self.changed.notify_one();
                    return result;
                }
            }
        }
    }
}

/// A stream of the driver with the memory it uses again and again.
struct Buffers {
    stream: Arc<CudaStream>,
    /// What the stream waits for.
    event: CudaEvent,
    /// [`SLOT_WORDS`] words.
    pinned: Pinned,
    words: Option<CudaSlice<u64>>,
    sums: Option<CudaSlice<u64>>,
    scratch: Option<CudaSlice<u64>>,
}

impl Drop for Buffers {
    /// Nothing is copied to or from memory that is freed.
    fn drop(&mut self) {
        settle(&self.stream);
    }
}

/// One thread's way to a card; it has a slot only while it counts.
struct CudaStreamOf<'a>(&'a CudaCard);

impl Stream for CudaStreamOf<'_> {
    fn count(&mut self, batch: &mut Batch, stop: &AtomicBool) -> Result<Vec<u64>, Error> {
        // Cells of 32 bits only where 16 were too few.
        for cell in [Cell::Narrow, Cell::Wide] {
            batch.seal(cell)?;
            if let Some(sums) = self.0.count(batch, stop)? {
                return Ok(sums);
            }
        }
        unreachable!("32-bit cells hold every count that a batch takes")
    }
}

impl Buffers {
    /// Counts a sealed batch; `None` where its cells were too small.
    fn count(
        &mut self,
        card: &CudaCard,
        batch: &Batch,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<u64>>, Error> {
        let mut sums = vec![0; batch.jobs()];
        // Two to a word.
        let mut flags = vec![0; batch.flags().div_ceil(2)];
        let result = self.run(card, batch, &mut sums, &mut flags, stop);
        if result.is_err() {
            // Neither they nor the next batch may meet what is still being copied.
            settle(&self.stream);
        }
        result?;
        // The lower half of the first word is the first flag.
        match flags[0] as u32 {
            0 => Ok(Some(sums)),
            1 if batch.cell() == Cell::Narrow => Ok(None),
            _ => Err(Error::Driver {
                device: card.device.number,
                doing: "storing counts",
                reason: "a count does not fit 32 bits".into(),
            }),
        }
    }

    /// Runs the kernel for a sealed batch. The flags are 0 to begin with.
    fn run(
        &mut self,
        card: &CudaCard,
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
        let kept = match batch.has_kept() {
            true => card.kept.get().and_then(Option::as_ref),
            false => None,
        };
        let address = |slice: &CudaSlice<u64>| slice.device_ptr(&self.stream).0;
        let address_of = |slice: &Option<CudaSlice<u64>>| slice.as_ref().map_or(0, address);
        let addresses = Addresses {
            words: address_of(&self.words),
            kept: kept.map_or(0, KeptLists::address),
            sums: address_of(&self.sums),
            scratch: address_of(&self.scratch),
            flags: address_of(&self.words) + 8 * length as u64,
        };
        self.send(0, batch.words(), addresses.words)
            .and_then(|()| self.send(length, flags, addresses.flags))
            .map_err(failed(number, "copying lists to it"))?;
        if let Some(kept) = kept {
            kept.send_before(&self.stream, &self.event)?;
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
            // SAFETY: the kernel reads the batch at the places that `Batch` laid out, and
            // writes what was reserved for as many jobs and blocks.
            unsafe {
                self.stream
                    .launch_builder(card.kernel(wave, batch.cell()))
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

    /// Begins to copy words to an address of the card, through pinned memory from this place on
    /// if they fit.
    fn send(&self, place: usize, words: &[u64], to: u64) -> Result<(), DriverError> {
        if words.is_empty() {
            return Ok(());
        }
        // SAFETY: nothing is being copied from this place, as the slot is this thread's and its
        // stream was waited for. The card's memory was reserved. Ordinary memory lives until the
        // stream is waited for once more, at the end of `Buffers::run` or, after an error, of
        // `Buffers::count`.
        unsafe {
            let from = match place + words.len() <= SLOT_WORDS {
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

    /// Begins to copy words from an address of the card, in the same way. They are there when
    /// the stream has been waited for and [`Buffers::fetched`] was called.
    fn fetch(&self, place: usize, words: &mut [u64], from: u64) -> Result<(), DriverError> {
        if words.is_empty() {
            return Ok(());
        }
        // SAFETY: what was sent from this place is on the card before. Ordinary memory lives as
        // above.
        unsafe {
            let to = match place + words.len() <= SLOT_WORDS {
                true => std::slice::from_raw_parts_mut(self.pinned.words.add(place), words.len()),
                false => words,
            };
            memcpy_dtoh_async(to, from, self.stream.cu_stream())
        }
    }

    /// See above.
    fn fetched(&self, place: usize, words: &mut [u64]) {
        if place + words.len() <= SLOT_WORDS {
            // SAFETY: the card has written them, and is done.
            unsafe {
                let from = self.pinned.words.add(place);
                std::ptr::copy_nonoverlapping(from, words.as_mut_ptr(), words.len());
            }
        }
    }

    /// Memory for this many words of lists, of sums and of scratch.
    fn reserve(
        &mut self,
        card: &CudaCard,
        words: usize,
        sums: usize,
        scratch: usize,
    ) -> Result<(), Error> {
        let number = card.device.number;
        let stream = &self.stream;
        let grow = |slot: &mut Option<CudaSlice<u64>>, words: usize| {
            if words == 0 || slot.as_ref().is_some_and(|slice| slice.len() >= words) {
                return Ok(());
            }
            *slot = None;
            let words = words.next_power_of_two();
            // SAFETY: the lists are copied to it and the sums written by the kernel before
            // they are read; of the scratch the kernel reads only what it has written.
            match unsafe { stream.alloc(words) } {
                Ok(slice) => {
                    *slot = Some(slice);
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
