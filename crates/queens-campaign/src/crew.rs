//! A crew: one thread per device, and a pool of units for all of them.
//!
//! Whoever leads the crew puts units into the pool and hears of every unit that is
//! counted; which device takes which unit does not matter. A device that fails, or
//! whose code panics, is reported with the unit it held and gets no more units;
//! the others go on. The leader may be a plain thread or an asynchronous task: it
//! says at the start how it wants to be told.
//!
//! Stopping is cooperative: [`Crew::halt`] empties the pool and raises the flag that
//! devices look at while they count.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::clock;
use crate::device::{Device, Kind};
use crate::plan::Planned;
use crate::row::Row;

/// What a crew tells its leader.
#[derive(Debug)]
pub enum Event {
    /// A unit is counted.
    Counted(Row),
    /// A device is lost; its units have not been counted.
    Failed {
        /// The units, to be given to another device.
        units: Vec<Planned>,
        /// The device's name.
        device: String,
        /// The device's kind.
        kind: Kind,
        /// What happened.
        why: String,
    },
}

/// Threads that count units.
pub struct Crew {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    pool: Mutex<Pool>,
    changed: Condvar,
    halt: AtomicBool,
}

#[derive(Default)]
struct Pool {
    ready: VecDeque<Planned>,
    closed: bool,
}

impl Crew {
    /// Starts a thread for every device; `tell` is called from those threads.
    pub fn start(
        devices: Vec<Box<dyn Device>>,
        tell: impl Fn(Event) + Send + Clone + 'static,
    ) -> Crew {
        let shared = Arc::new(Shared::default());
        let threads = devices
            .into_iter()
            .map(|device| {
                let (shared, tell) = (Arc::clone(&shared), tell.clone());
                std::thread::spawn(move || labour(device, &shared, &tell))
            })
            .collect();
        Crew { shared, threads }
    }

    /// Puts units into the pool.
    pub fn give(&self, units: impl IntoIterator<Item = Planned>) {
        let mut pool = self.shared.lock();
        pool.ready.extend(units);
        drop(pool);
        self.shared.changed.notify_all();
    }

    /// Takes all units that nobody has begun out of the pool.
    pub fn take_back(&self) -> Vec<Planned> {
        self.shared.lock().ready.drain(..).collect()
    }

    /// How many devices are still at work.
    pub fn len(&self) -> usize {
        self.threads.iter().filter(|t| !t.is_finished()).count()
    }

    /// Whether no device is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Asks every device to stop; what they hold is not counted.
    pub fn halt(&self) {
        self.shared.halt.store(true, Ordering::Relaxed);
        let mut pool = self.shared.lock();
        pool.closed = true;
        pool.ready.clear();
        drop(pool);
        self.shared.changed.notify_all();
    }

    /// Halts, and waits until every thread has ended.
    pub fn join(mut self) {
        self.halt();
        for thread in self.threads.drain(..) {
            // Panics inside a device were caught; nothing else can fail.
            let _ = thread.join();
        }
    }
}

impl Drop for Crew {
    /// Halts without waiting: a device that is slow to stop must not hold up the end
    /// of the program.
    fn drop(&mut self) {
        self.halt();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next units, at most so many; `None` when the pool is closed.
    fn take(&self, most: usize) -> Option<Vec<Planned>> {
        let mut pool = self.lock();
        loop {
            if pool.closed {
                return None;
            }
            if !pool.ready.is_empty() {
                let number = pool.ready.len().min(most);
                return Some(pool.ready.drain(..number).collect());
            }
            pool = self
                .changed
                .wait(pool)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn labour(mut device: Box<dyn Device>, shared: &Shared, tell: &impl Fn(Event)) {
    while let Some(units) = shared.take(device.appetite()) {
        let (started, clock) = (clock::now(), Instant::now());
        let outcome = catch_unwind(AssertUnwindSafe(|| device.count_all(&units, &shared.halt)));
        let why = match outcome {
            Ok(Ok(Some(counts))) => {
                // Units counted together share the time by their expected costs.
                let seconds = clock.elapsed().as_secs_f64();
                let cost: u64 = units.iter().map(|unit| unit.cost).sum();
                for (unit, count) in units.iter().zip(counts) {
                    let seconds = seconds * unit.cost as f64 / cost.max(1) as f64;
                    let name = device.name();
                    let row = Row::fresh(unit.unit, count, name, started.clone(), seconds);
                    tell(Event::Counted(row));
                }
                continue;
            }
            Ok(Ok(None)) => return,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("it panicked")
                .to_owned(),
        };
        tell(Event::Failed {
            units,
            device: device.name().to_owned(),
            kind: device.kind(),
            why,
        });
        return;
    }
}
