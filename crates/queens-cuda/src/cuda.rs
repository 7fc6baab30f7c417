//! A CUDA card.
//!
//! A few batches are in flight at a time, each in a *slot*: one is copied to the card while the
//! kernel of another runs. Threads that bring a batch wait for a slot.

use crate::Error;
use crate::batch::{Batch, Shape, Tuning};
use crate::card::Card;
use crate::driver::Device;
use crate::lists::Upload;
use crate::loaded::Loaded;
use crate::lock::lock;
use crate::resident::ResidentLists;
use crate::slot::Slot;
use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;
use std::sync::{Condvar, Mutex, OnceLock};

/// A launch is meant to take about this long; a display on the same card stays smooth, and
/// nobody waits for a Ctrl-C.
const LAUNCH_SECONDS: f64 = 0.05;

/// What a multiprocessor does in a cycle, in the units of `Units::cost`: n = 20, 22 and 24 took an
/// H200 (2026-11-16) a second for 3.3e11 to 4.7e11 of them.
const COST_PER_CYCLE: f64 = 1.5;

/// The boards whose lists stay on the card. On smaller ones few lists are needed twice; beyond them
/// there are too many, and counting takes much longer than copying.
pub const RESIDENT_BOARDS: RangeInclusive<u32> = 18..=22;

/// The most batches in flight: one that is copied to the card, one that runs, one that fills
/// the gaps when the other ends, and one that waits.
const MOST_SLOTS: usize = 4;

/// A CUDA card with the kernel loaded.
pub struct CudaCard {
    loaded: Loaded,
    tuning: Tuning,
    slots: Mutex<Slots>,
    /// A slot came back.
    changed: Condvar,
    /// Whether it counts alone: its resident lists would be of no use to another card.
    alone: bool,
    /// The resident lists, once a count wants them and if the card has room.
    resident: OnceLock<Option<ResidentLists>>,
}

/// The slots for batches in flight.
#[derive(Default)]
struct Slots {
    /// Those that nobody uses now.
    idle: Vec<Slot>,
    /// How many there are in all.
    made: usize,
}

impl CudaCard {
    /// Opens a card and loads the kernel, compiling it where it is not in the cache.
    ///
    /// # Errors
    ///
    /// [`Error::TooOld`], [`Error::TooLittleMemory`], an error of the compiler or the driver.
    pub fn open(device: Device) -> Result<CudaCard, Error> {
        let card = CudaCard {
            loaded: Loaded::open(device)?,
            tuning: Tuning::default(),
            slots: Mutex::default(),
            changed: Condvar::new(),
            alone: true,
            resident: OnceLock::new(),
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

    /// The card's description.
    pub fn device(&self) -> &Device {
        &self.loaded.device
    }

    /// Makes the slots, so that a count finds them. Where the card has no room for all, there are
    /// fewer, and one at least, with as little memory as its batches need.
    fn make_slots(&self) -> Result<(), Error> {
        let mut slots = lock(&self.slots);
        let mut slot = Slot::new(&self.loaded)?;
        let _ = slot.reserve_first(&self.loaded);
        slots.idle.push(slot);
        while slots.idle.len() < MOST_SLOTS
            && let Ok(mut slot) = Slot::new(&self.loaded)
            && slot.reserve_first(&self.loaded).is_ok()
        {
            slots.idle.push(slot);
        }
        slots.made = slots.idle.len();
        Ok(())
    }

    /// Waits for a slot.
    fn take_slot(&self) -> Slot {
        let mut slots = lock(&self.slots);
        loop {
            if let Some(slot) = slots.idle.pop() {
                return slot;
            }
            slots = self
                .changed
                .wait(slots)
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

    /// Runs a batch in a slot. Without memory for all slots, there are fewer.
    fn run(&self, batch: &Batch, stop: &AtomicBool) -> Result<(Vec<u64>, u32), Error> {
        loop {
            let mut slot = self.take_slot();
            let resident = self.resident.get().and_then(Option::as_ref);
            let result = slot.run(&self.loaded, resident, batch, stop);
            let mut slots = lock(&self.slots);
            match result {
                Err(Error::TooLittleMemory { .. }) if slots.made > 1 => {
                    slots.made -= 1;
                    drop(slots);
                    drop(slot);
                    self.changed.notify_all();
                }
                result => {
                    slots.idle.push(slot);
                    drop(slots);
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
        // The first to ask is the self-test.
        let make = || ResidentLists::new(self.device().number, &self.loaded.context);
        let resident = self.resident.get_or_init(|| make().ok().flatten());
        let uploader = resident.as_ref()?.uploader()?;
        Some(Box::new(uploader))
    }
}
