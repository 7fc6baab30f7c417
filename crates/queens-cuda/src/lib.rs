//! The GPU engine: two-colour counting on CUDA cards.
//!
//! The work units are those of the library's `two_colour` engine, and a unit's count is the same
//! number on either. Nothing of CUDA is needed to build this crate or to start a program that uses
//! it. [`devices`] and [`GpuCounter::new`] look for the driver and the run-time compiler, and
//! report their absence as an ordinary [`Error`].
//!
//! The files, in the order in which they may use each other:
//!
//! | file | what it does |
//! |---|---|
//! | `error.rs` | what can go wrong, each as one line |
//! | `lock.rs` | takes a lock |
//! | `lists.rs` | what the library prepares for a device |
//! | `interface.rs` | constants and structures that Rust and CUDA share |
//! | `kernel/` | the kernel, in parts |
//! | `driver.rs` | finds the driver, the cards and the compiler |
//! | `choice.rs` | reads `--device`, and finds the cards that it means |
//! | `host_memory.rs` | how many threads the host has memory for |
//! | `compile.rs` | compiles the kernel for a card, and keeps the result on disk |
//! | `batch/` | lays the lists of some units out in one block of memory |
//! | `card.rs` | what a card is: something that counts batches |
//! | `loaded.rs` | opens a CUDA card, and loads a kernel |
//! | `pinned.rs` | memory of the host that a card reads directly |
//! | `resident.rs` | lists that stay on a card during a count |
//! | `flight.rs` | one batch in flight: copies it, launches the kernel, fetches the sums |
//! | `cuda.rs` | a CUDA card, with several batches in flight |
//! | `fleet/` | distributes units among cards and feeds the cards; verifies counts |
//! | `self_test.rs` | what a card must get right before it may count |
//! | `sweep/` | counts an even row set with all odd ones |
//!
//! ```no_run
//! use queens_cuda::GpuCounter;
//! use std::sync::atomic::AtomicBool;
//!
//! let counter = GpuCounter::new(0, 18)?;
//! let units: Vec<u64> = (0..counter.units().len()).collect();
//! let counts = counter.count(&units, &AtomicBool::new(false))?;
//! assert_eq!(counts.iter().sum::<u64>(), 666_090_624);
//! # Ok::<(), queens_cuda::Error>(())
//! ```

#[doc(hidden)]
pub mod batch;
#[doc(hidden)]
pub mod card;
mod choice;
#[doc(hidden)]
pub mod compile;
#[doc(hidden)]
pub mod cuda;
mod driver;
mod error;
#[doc(hidden)]
pub mod fleet;
mod flight;
mod host_memory;
#[doc(hidden)]
pub mod interface;
#[doc(hidden)]
pub mod kernel;
#[doc(hidden)]
pub mod lists;
mod loaded;
mod lock;
mod pinned;
mod resident;
#[doc(hidden)]
pub mod self_test;
#[doc(hidden)]
pub mod sweep;

pub use choice::{Choice, WORTH_A_GPU, chosen};
pub use driver::{Device, LOWEST_ARCH, devices};
pub use error::{Error, SIZES};
pub use fleet::Verify;
pub use host_memory::most_threads;
pub use sweep::Sweeper;

use card::Card;
use cuda::CudaCard;
use fleet::Run;
use queens::count::two_colour::Units;
use std::sync::atomic::AtomicBool;

/// Counts units of one board on one or several cards.
pub struct GpuCounter {
    cards: Vec<CudaCard>,
    units: Units,
    threads: usize,
}

impl GpuCounter {
    /// A counter on one card. Compiles the kernel if necessary, and tests the card.
    ///
    /// # Errors
    ///
    /// Every way of having no such card, no compiler, or a card that fails its self-test.
    pub fn new(device: usize, n: u32) -> Result<GpuCounter, Error> {
        let cards = chosen(&[Choice::Gpu(Some(device))], n)?;
        GpuCounter::on(cards, n, &AtomicBool::new(false))
    }

    /// A counter on all cards that can be used.
    ///
    /// # Errors
    ///
    /// As [`GpuCounter::new`]; a card that is too old is an error only if all cards are.
    pub fn on_all(n: u32) -> Result<GpuCounter, Error> {
        let cards = chosen(&[Choice::Gpu(None)], n)?;
        GpuCounter::on(cards, n, &AtomicBool::new(false))
    }

    /// A counter on the given cards.
    ///
    /// # Errors
    ///
    /// As [`GpuCounter::new`], [`Error::NoDevice`] without a card, and [`Error::Stopped`] when `stop`
    /// becomes true.
    pub fn on(devices: Vec<Device>, n: u32, stop: &AtomicBool) -> Result<GpuCounter, Error> {
        GpuCounter::tuned(devices, n, batch::Tuning::default(), stop)
    }

    /// The counter that a choice means for a board of size `n`, tested and ready; `None` means
    /// the CPU. If no GPU was asked for by name, a GPU that fails is no error: `warn` is told why
    /// the CPU counts, unless there is simply no GPU.
    ///
    /// # Errors
    ///
    /// As [`GpuCounter::on`], if a GPU was asked for by name, and [`Error::Stopped`].
    pub fn chosen(
        choice: Choice,
        n: usize,
        threads: usize,
        stop: &AtomicBool,
        warn: &dyn Fn(&str),
    ) -> Result<Option<GpuCounter>, Error> {
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        if !choice.takes_a_gpu(n) {
            return Ok(None);
        }
        // The size first: the message about it is the same on every machine.
        let opened = match SIZES.contains(&n) {
            true => chosen(&[choice], n).and_then(|cards| GpuCounter::on(cards, n, stop)),
            false => Err(Error::OutOfRange { n }),
        };
        match opened {
            Ok(counter) => Ok(Some(counter.threads(threads))),
            Err(error @ Error::Stopped { .. }) => Err(error),
            Err(error) if choice.names_a_gpu() => Err(error),
            Err(Error::NoDriver | Error::NoDevice) => Ok(None),
            Err(error) => {
                warn(&format!("{error}; counting on the CPU"));
                Ok(None)
            }
        }
    }

    /// [`GpuCounter::on`] with other choices that change nothing but speed, for measurements.
    ///
    /// # Errors
    ///
    /// As [`GpuCounter::on`].
    #[doc(hidden)]
    pub fn tuned(
        devices: Vec<Device>,
        n: u32,
        tuning: batch::Tuning,
        stop: &AtomicBool,
    ) -> Result<GpuCounter, Error> {
        let units = queens::count::two_colour::units(n as usize)
            .filter(|_| SIZES.contains(&n))
            .ok_or(Error::OutOfRange { n })?;
        if devices.is_empty() {
            return Err(Error::NoDevice);
        }
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        let threads = threads.min(most_threads(n));
        let alone = devices.len() == 1;
        let cards = devices
            .into_iter()
            .map(|device| {
                let card = CudaCard::open(device)?.tuned(tuning).alone(alone);
                self_test::self_test(&card, n, threads, stop)?;
                Ok(card)
            })
            .collect::<Result<_, Error>>()?;
        Ok(GpuCounter {
            cards,
            units,
            threads,
        })
    }

    /// Lets this many host threads prepare lists and verify. The default is all cores, but at most
    /// [`most_threads`].
    #[must_use]
    pub fn threads(mut self, threads: usize) -> GpuCounter {
        self.threads = threads.max(1);
        self
    }

    /// The units of the board.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// The cards.
    pub fn devices(&self) -> impl Iterator<Item = &Device> {
        self.cards.iter().map(CudaCard::device)
    }

    /// The count of each unit, in the order given.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchUnit`], [`Error::Stopped`], or the error of the last card that failed.
    pub fn count(&self, units: &[u64], stop: &AtomicBool) -> Result<Vec<u64>, Error> {
        self.count_with(units, stop, None, &|_| {}, &|_| {})
    }

    /// The same, but reports the share of the work done and warns about cards that fail, and counts
    /// a share of the units again on the CPU.
    ///
    /// # Errors
    ///
    /// As [`GpuCounter::count`], and [`Error::Differs`].
    pub fn count_with(
        &self,
        units: &[u64],
        stop: &AtomicBool,
        verify: Option<Verify>,
        progress: &dyn Fn(f64),
        warn: &(dyn Fn(&str) + Sync),
    ) -> Result<Vec<u64>, Error> {
        let cards: Vec<&dyn Card> = self.cards.iter().map(|card| card as &dyn Card).collect();
        let run = Run {
            threads: self.threads,
            stop,
            progress,
            warn,
            verify,
        };
        fleet::count_of(&cards, &self.units, units, &run)
    }
}
