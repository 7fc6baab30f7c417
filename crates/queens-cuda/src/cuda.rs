//! A CUDA card.
//!
//! A few batches are in flight at a time: one is copied to the card while the kernel of another runs.
//! A thread that brings a batch waits for a *flight*, which is memory for one batch.

use crate::Error;
use crate::batch::{Batch, Shape, Tuning};
use crate::card::Card;
use crate::driver::Device;
use crate::flight::Flight;
use crate::lists::Upload;
use crate::loaded::Loaded;
use crate::lock::lock;
use crate::resident::ResidentLists;
use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;
use std::sync::{Condvar, Mutex, OnceLock};

/// A launch should take about this long, so that a display on the same card stays smooth and nobody
/// waits for a Ctrl-C.
const LAUNCH_SECONDS: f64 = 0.05;

/// How much work a multiprocessor does in a cycle, in the units of `Units::cost`. With n = 20, 22
/// and 24 an H200 did 3.3e11 to 4.7e11 of these in a second (2026-11-16).
const COST_PER_CYCLE: f64 = 1.5;

/// The boards whose lists stay on the card. On smaller boards few lists are needed twice; larger
/// boards have too many lists, and counting takes much longer than copying.
pub const RESIDENT_BOARDS: RangeInclusive<u32> = 18..=22;

/// The most batches in flight: one that is copied to the card, one that runs, one that fills
/// the gaps when the other ends, and one that waits.
const MOST_FLIGHTS: usize = 4;

/// A CUDA card with the kernel loaded.
pub struct CudaCard {
    loaded: Loaded,
    tuning: Tuning,
    flights: Mutex<Flights>,
    /// Signals that a flight came back.
    changed: Condvar,
    /// Whether it counts alone. Only then are lists resident, because another card could not use
    /// them.
    alone: bool,
    /// The resident lists, once a count wants them and if the card has room.
    resident: OnceLock<Option<ResidentLists>>,
}

/// The flights of a card.
#[derive(Default)]
struct Flights {
    /// The flights that nobody uses now.
    idle: Vec<Flight>,
    /// How many there are in all.
    made: usize,
}

impl CudaCard {
    /// Opens a card and loads the kernel, compiling it if it is not in the cache.
    ///
    /// # Errors
    ///
    /// [`Error::TooOld`], [`Error::TooLittleMemory`], an error of the compiler or the driver.
    pub fn open(device: Device) -> Result<CudaCard, Error> {
        let card = CudaCard {
            loaded: Loaded::open(device)?,
            tuning: Tuning::default(),
            flights: Mutex::default(),
            changed: Condvar::new(),
            alone: true,
            resident: OnceLock::new(),
        };
        card.make_flights()?;
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

    /// The card's description.
    pub fn device(&self) -> &Device {
        &self.loaded.device
    }

    /// Makes the flights, so that a count finds them. If the card has no room for all, there are
    /// fewer, but at least one, with only as much memory as its batches need.
    fn make_flights(&self) -> Result<(), Error> {
        let mut flights = lock(&self.flights);
        let mut flight = Flight::new(&self.loaded)?;
        let _ = flight.reserve_first(&self.loaded);
        flights.idle.push(flight);
        while flights.idle.len() < MOST_FLIGHTS
            && let Ok(mut flight) = Flight::new(&self.loaded)
            && flight.reserve_first(&self.loaded).is_ok()
        {
            flights.idle.push(flight);
        }
        flights.made = flights.idle.len();
        Ok(())
    }

    /// Waits for a flight.
    fn take_flight(&self) -> Flight {
        let mut flights = lock(&self.flights);
        loop {
            if let Some(flight) = flights.idle.pop() {
                return flight;
            }
            flights = self
                .changed
                .wait(flights)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

impl Card for CudaCard {
    fn name(&self) -> String {
        let device = self.device();
        format!("GPU {} ({})", device.number, device.name)
    }

    fn shape(&self) -> Shape {
        let device = self.device();
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

    /// Runs a batch in a flight. If memory is short, gives up a flight and tries again.
    fn run(&self, batch: &Batch, stop: &AtomicBool) -> Result<(Vec<u64>, u32), Error> {
        loop {
            let mut flight = self.take_flight();
            let resident = self.resident.get().and_then(Option::as_ref);
            let result = flight.run(&self.loaded, resident, batch, stop);
            let mut flights = lock(&self.flights);
            match result {
                Err(Error::TooLittleMemory { .. }) if flights.made > 1 => {
                    flights.made -= 1;
                    drop(flights);
                    drop(flight);
                    self.changed.notify_all();
                }
                result => {
                    flights.idle.push(flight);
                    drop(flights);
                    self.changed.notify_one();
                    return result;
                }
            }
        }
    }

    fn uploader(&self, n: u32) -> Option<Box<dyn Upload + '_>> {
        if !self.alone || !RESIDENT_BOARDS.contains(&n) {
            return None;
        }
        // The self-test is the first to ask.
        let make = || ResidentLists::new(self.device().number, &self.loaded.context);
        let resident = self.resident.get_or_init(|| make().ok().flatten());
        let uploader = resident.as_ref()?.uploader()?;
        Some(Box::new(uploader))
    }
}
