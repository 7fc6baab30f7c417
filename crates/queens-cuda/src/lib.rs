//! The GPU engine: two-colour counting on CUDA cards.
//!
//! The work units are those of the library's `two_colour` engine, and a unit's count is the
//! same number on either. Nothing of CUDA is needed to build this crate or to start a program
//! that uses it: the driver and the run-time compiler are looked for when [`devices`] or
//! [`GpuCounter::new`] is called, and their absence is an ordinary [`Error`].
//!
//! | file | what it does |
//! |---|---|
//! | `kernel.cu` | the kernel, which explains itself |
//! | `compile.rs` | compiles it for a card, and keeps the result on disk |
//! | `driver.rs` | finds the driver, the cards and the compiler |
//! | `batch.rs` | lays the lists of some units out in one block of memory |
//! | `card.rs` | copies a batch to a card, launches the kernel, fetches the sums |
//! | `kept.rs` | lists that a card keeps during a count |
//! | `pinned.rs` | memory that a card reads by itself |
//! | `memory.rs` | how many threads the host has memory for |
//! | `fleet.rs` | shares units out among cards and feeds them; verification |
//! | `self_test.rs` | what a card must get right before it may count |
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
#[doc(hidden)]
pub mod compile;
mod driver;
mod error;
#[doc(hidden)]
pub mod fleet;
mod kept;
mod memory;
mod pinned;
#[doc(hidden)]
pub mod self_test;

pub use driver::{Device, LOWEST_ARCH, devices};
pub use error::{Error, SIZES};
pub use fleet::Verify;
pub use memory::most_threads;

use card::{Card, CudaCard};
use fleet::Run;
use queens::count::two_colour::Units;
use std::sync::atomic::AtomicBool;

/// Counts units of one board on one card or several.
pub struct GpuCounter {
    cards: Vec<CudaCard>,
    units: Units,
    threads: usize,
}

impl GpuCounter {
    /// A counter on one card. The kernel is compiled if need be, and the card tested.
    ///
    /// # Errors
    ///
    /// Every way of having no such card, no compiler, or a card that fails its self-test.
    pub fn new(device: usize, n: u32) -> Result<GpuCounter, Error> {
        let devices = devices()?;
        let count = devices.len();
        let device = devices
            .into_iter()
            .nth(device)
            .ok_or(Error::NoSuchDevice { device, count })?;
        GpuCounter::on(vec![device], n, &AtomicBool::new(false))
    }

    /// A counter on all cards that can be used.
    ///
    /// # Errors
    ///
    /// As [`GpuCounter::new`]; a card that is too old is an error only where it is the last.
    pub fn on_all(n: u32) -> Result<GpuCounter, Error> {
        let devices = devices()?;
        let usable: Vec<Device> = devices.iter().filter(|d| d.is_usable()).cloned().collect();
        let devices = if usable.is_empty() { devices } else { usable };
        GpuCounter::on(devices, n, &AtomicBool::new(false))
    }

    /// A counter on the given cards.
    ///
    /// # Errors
    ///
    /// As [`GpuCounter::new`], and [`Error::Stopped`] when `stop` becomes true.
    pub fn on(devices: Vec<Device>, n: u32, stop: &AtomicBool) -> Result<GpuCounter, Error> {
        GpuCounter::tuned(devices, n, batch::Tuning::default(), stop)
    }

    /// The same with other choices of what changes nothing but speed, for whoever measures.
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

    /// Lets this many host threads prepare lists and verify; all cores unless told, or as many as
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

    /// The count of each of the units, in their order.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchUnit`], [`Error::Stopped`], or the error of the last card that failed.
    pub fn count(&self, units: &[u64], stop: &AtomicBool) -> Result<Vec<u64>, Error> {
        self.count_with(units, stop, None, &|_| {}, &|_| {})
    }

    /// The same, with the share of the work done, lines about cards that fail, and a share
    /// of the units counted again on the CPU.
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
