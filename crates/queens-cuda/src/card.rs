//! A card: something that counts batches. One is CUDA's; tests bring others.
//!
//! A card hands out [`Stream`]s, one for each host thread that feeds it. A thread prepares
//! the lists of its next batch while the kernels of other threads' streams run, so the card
//! has several batches in flight and the copies of one overlap the kernels of another.
//!
//! Every driver call is checked; an error names the card and what was being done.

use crate::batch::{Addresses, Batch, Cell, Gather, Launch, MOST_PLACEMENTS, Plan, Shape};
use crate::driver::{Device, reason};
use crate::{Error, compile};
use cudarc::driver::sys::{CUfunction_attribute, CUresult};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError,
    LaunchConfig, PinnedHostSlice, PushKernelArg,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
}

/// One thread's way to give a card work.
pub trait Stream {
    /// Counts a batch: one sum per job.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] once `stop` is true, or what went wrong on the card.
    fn count(&mut self, batch: &Batch, stop: &AtomicBool) -> Result<Vec<u64>, Error>;
}

/// A launch is meant to take about this long; a display on the same card stays smooth, and
/// nobody waits for a Ctrl-C.
const LAUNCH_SECONDS: f64 = 0.05;

/// The least free memory to begin with, in bytes.
const LEAST_MEMORY: u64 = 256 << 20;

/// A CUDA card with the kernel loaded.
pub struct CudaCard {
    device: Device,
    context: Arc<CudaContext>,
    /// Storing with a tile in shared memory or not, then gathering by scanning and by
    /// filtering; each with narrow cells and with wide ones.
    kernels: [[CudaFunction; 2]; 4],
    gather: Gather,
}

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
        // before its buffers are read or freed, so nothing has to be tracked.
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
        Ok(CudaCard {
            kernels: [
                [load("store_in_shared_16")?, load("store_in_shared_32")?],
                [load("store_in_global_16")?, load("store_in_global_32")?],
                [load("gather_16")?, load("gather_32")?],
                [load("filter_16")?, load("filter_32")?],
            ],
            context,
            device,
            gather: Gather::default(),
        })
    }

    /// The same card, gathering this way.
    #[must_use]
    pub fn gathering(self, gather: Gather) -> CudaCard {
        CudaCard { gather, ..self }
    }

    /// The kernels that store and gather.
    fn kernels(&self, plan: &Plan, gather: Gather) -> [&CudaFunction; 2] {
        let [in_shared, in_global, scan, filter] = &self.kernels;
        let store = if plan.tile_in_shared {
            in_shared
        } else {
            in_global
        };
        let gather = match gather {
            Gather::Scan => scan,
            Gather::Filter => filter,
        };
        let wide = usize::from(plan.cell == Cell::Wide);
        [&store[wide], &gather[wide]]
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
        // Two warp instructions per cycle and multiprocessor: half of what it could do.
        let per_second =
            2.0 * 1000.0 * f64::from(device.clock_khz) * f64::from(device.multiprocessors);
        Shape {
            multiprocessors: device.multiprocessors,
            threads_per_multiprocessor: device.threads_per_multiprocessor,
            shared_per_multiprocessor: device.shared_per_multiprocessor,
            shared_per_block: device.shared_per_block,
            launch_cost: LAUNCH_SECONDS * per_second,
            gather: self.gather,
            most_placements: MOST_PLACEMENTS,
        }
    }

    fn stream(&self) -> Result<Box<dyn Stream + '_>, Error> {
        let stream = self
            .context
            .new_stream()
            .map_err(failed(self.device.number, "making a stream"))?;
        Ok(Box::new(CudaStreamOf {
            card: self,
            stream,
            staging: None,
            words: None,
            sums: None,
            tiles: None,
            sifted: None,
            tables: None,
        }))
    }
}

/// A stream with the buffers it uses again and again.
struct CudaStreamOf<'a> {
    card: &'a CudaCard,
    stream: Arc<CudaStream>,
    staging: Option<PinnedHostSlice<u64>>,
    words: Option<CudaSlice<u64>>,
    sums: Option<CudaSlice<u64>>,
    tiles: Option<CudaSlice<u64>>,
    sifted: Option<CudaSlice<u64>>,
    tables: Option<CudaSlice<u64>>,
}

impl Stream for CudaStreamOf<'_> {
    fn count(&mut self, batch: &Batch, stop: &AtomicBool) -> Result<Vec<u64>, Error> {
        // Cells of 32 bits only where 16 were too few.
        match self.count_with(batch, Cell::Narrow, stop)? {
            Some(sums) => Ok(sums),
            None => {
                let sums = self.count_with(batch, Cell::Wide, stop)?;
                Ok(sums.expect("32-bit cells hold every count that a batch takes"))
            }
        }
    }
}

impl CudaStreamOf<'_> {
    /// Counts a batch with cells of this size; `None` where one was too small.
    fn count_with(
        &mut self,
        batch: &Batch,
        cell: Cell,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<u64>>, Error> {
        let number = self.card.device.number;
        let plan = batch.plan(&self.card.shape(), cell);
        let length = batch.words().len();
        self.context_is_current()?;
        // The flags come after the batch, two to a word.
        let end = length + batch.flags().div_ceil(2);
        let staging = self.staging(end)?;
        let host = staging
            .as_mut_slice()
            .map_err(failed(number, "using pinned memory"))?;
        host[..length].copy_from_slice(batch.words());
        host[length..end].fill(0);
        self.reserve(end, batch.sums(), &plan)?;
        let (Some(staging), Some(words), Some(sums)) = (&self.staging, &mut self.words, &self.sums)
        else {
            unreachable!("reserved above");
        };
        // The staging buffer may be longer than this batch.
        let host = staging
            .as_slice()
            .map_err(failed(number, "using pinned memory"))?;
        self.stream
            .memcpy_htod(&host[..end], &mut words.slice_mut(..end))
            .map_err(failed(number, "copying lists to it"))?;
        let Some(words) = &self.words else {
            unreachable!("reserved above");
        };
        let address = |slice: &CudaSlice<u64>| slice.device_ptr(&self.stream).0;
        let optional = |slice: &Option<CudaSlice<u64>>| slice.as_ref().map_or(0, address);
        let addresses = Addresses {
            words: address(words),
            sums: address(sums),
            tiles: optional(&self.tiles),
            sifted: optional(&self.sifted),
            tables: optional(&self.tables),
            flags: address(words) + 8 * length as u64,
        };
        let [store, gather] = self.card.kernels(&plan, batch.gathers());
        for (i, wave) in batch.waves().iter().enumerate() {
            if i > 0 {
                self.wait()?;
            }
            if stop.load(Ordering::Relaxed) {
                self.wait()?;
                return Err(Error::Stopped { share: 0.0 });
            }
            for (kernel, config, jobs, launch) in [
                (
                    store,
                    plan.store,
                    &wave.store,
                    batch.store(wave, &addresses),
                ),
                (
                    gather,
                    plan.gather,
                    &wave.gather,
                    batch.gather(wave, &addresses),
                ),
            ] {
                if jobs.is_empty() {
                    continue;
                }
                let config = LaunchConfig {
                    grid_dim: (config.blocks.min(jobs.end - jobs.start), 1, 1),
                    block_dim: (config.threads, 1, 1),
                    shared_mem_bytes: config.shared_bytes,
                };
                // SAFETY: the kernel reads the batch at the places that `Batch` laid out, and
                // writes what was reserved for as many jobs and blocks.
                unsafe {
                    self.stream
                        .launch_builder(kernel)
                        .arg(&launch)
                        .launch(config)
                }
                .map_err(failed(number, "starting the kernel"))?;
            }
        }
        let mut counts = vec![0; batch.sums()];
        let mut flag = [0];
        self.stream
            .memcpy_dtoh(&sums.slice(..batch.sums()), &mut counts)
            .map_err(failed(number, "copying counts from it"))?;
        self.stream
            .memcpy_dtoh(&words.slice(length..=length), &mut flag)
            .map_err(failed(number, "copying counts from it"))?;
        self.wait()?;
        // The lower half of the first word is the first flag.
        match flag[0] as u32 {
            0 => Ok(Some(counts)),
            1 => Ok(None),
            _ => Err(Error::Driver {
                device: number,
                doing: "filtering lists",
                reason: "a list was longer than its room".into(),
            }),
        }
    }

    fn context_is_current(&self) -> Result<(), Error> {
        let number = self.card.device.number;
        self.card
            .context
            .bind_to_thread()
            .map_err(failed(number, "using the card"))
    }

    fn wait(&self) -> Result<(), Error> {
        self.stream
            .synchronize()
            .map_err(failed(self.card.device.number, "running the kernel"))
    }

    /// Pinned host memory of at least this many words.
    fn staging(&mut self, words: usize) -> Result<&mut PinnedHostSlice<u64>, Error> {
        let number = self.card.device.number;
        if self
            .staging
            .as_ref()
            .is_none_or(|staging| staging.len() < words)
        {
            self.staging = None;
            // SAFETY: the memory is written before it is read.
            let staging = unsafe {
                self.card
                    .context
                    .alloc_pinned_with_flags(words.next_power_of_two(), 0)
            }
            .map_err(failed(number, "reserving pinned memory"))?;
            self.staging = Some(staging);
        }
        Ok(self.staging.as_mut().expect("made above"))
    }

    /// Memory on the card for this many words of lists, sums, and what a plan needs.
    fn reserve(&mut self, words: usize, sums: usize, plan: &Plan) -> Result<(), Error> {
        let (card, stream) = (self.card, &self.stream);
        let grow = |slot: &mut Option<CudaSlice<u64>>, words: usize| {
            if words == 0 || slot.as_ref().is_some_and(|slice| slice.len() >= words) {
                return Ok(());
            }
            *slot = None;
            let words = words.next_power_of_two();
            // SAFETY: the lists are copied to it and the sums written by the kernel before
            // they are read; the kernel clears its tables.
            match unsafe { stream.alloc(words) } {
                Ok(slice) => {
                    *slot = Some(slice);
                    Ok(())
                }
                Err(error) if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    let free = card.context.mem_get_info().map_or(0, |(free, _)| free);
                    Err(Error::TooLittleMemory {
                        device: card.device.number,
                        needed: (words as u64 * 8) >> 20,
                        free: free as u64 >> 20,
                    })
                }
                Err(error) => Err(failed(card.device.number, "reserving memory")(error)),
            }
        };
        grow(&mut self.words, words)?;
        grow(&mut self.sums, sums.max(1))?;
        grow(&mut self.tiles, plan.tile_bytes.div_ceil(8) as usize)?;
        grow(&mut self.sifted, plan.sifted_bytes.div_ceil(8) as usize)?;
        grow(&mut self.tables, plan.table_bytes.div_ceil(8) as usize)
    }
}

/// Turns a driver's error into one line that says which card and what was being done.
fn failed(device: usize, doing: &'static str) -> impl Fn(DriverError) -> Error {
    move |error| Error::Driver {
        device,
        doing,
        reason: reason(error),
    }
}
