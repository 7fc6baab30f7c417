//! A crew: the threads of all devices, and the pool of units they take from.
//!
//! The leader of a crew puts units into the pool and hears of every unit that is counted. Any
//! device may take any unit. A device that fails, or whose code panics, is reported with the units
//! it held and gets no more; the others go on. The leader may be a plain thread or an asynchronous
//! task: it passes in the function that receives the reports.
//!
//! Stopping is cooperative: [`Crew::halt`] empties the pool and raises the flag that devices look
//! at while they count. With a time limit, a crew takes only units that it expects to finish in
//! time (`pace.rs`), and its threads end one by one.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::clock;
use crate::device::{Device, DeviceError, Kind};
use crate::pace::Pace;
use crate::plan::Planned;
use crate::row::Row;

/// What a crew tells its leader.
#[derive(Debug)]
pub enum Event {
    /// A device has begun these units.
    Begun {
        /// The units.
        units: Vec<u64>,
        /// The device's name.
        device: String,
    },
    /// A device has done a part of these units.
    Progress(Vec<u64>),
    /// A unit is counted.
    Counted(Row),
    /// A device is lost, and its units are not counted. Every thread of the device reports the
    /// failure once.
    Failed {
        /// The units, to be given to another device.
        units: Vec<Planned>,
        /// The device's name.
        device: String,
        /// The device's kind.
        kind: Kind,
        /// What happened.
        why: String,
        /// Whether this is the first report of the loss.
        first: bool,
    },
}

/// Threads that count units.
pub struct Crew {
    shared: Arc<Shared>,
    /// Each thread with the name of its device.
    threads: Vec<(String, JoinHandle<()>)>,
}

#[derive(Default)]
struct Shared {
    pool: Mutex<Pool>,
    changed: Condvar,
    halt: AtomicBool,
    /// How many threads may still take units. A failing thread is subtracted before it reports, so
    /// that its units never wait for it.
    at_work: AtomicUsize,
    /// When everything must be counted.
    until: Option<Instant>,
    /// Whether a thread has ended because the time left is too short for another unit.
    out_of_time: AtomicBool,
}

#[derive(Default)]
struct Pool {
    ready: VecDeque<Planned>,
    closed: bool,
}

impl Crew {
    /// Starts the threads of every device; they call `tell`.
    pub fn start(
        devices: Vec<Box<dyn Device>>,
        tell: impl Fn(Event) + Send + Clone + 'static,
    ) -> Crew {
        Crew::start_until(None, devices, tell)
    }

    /// Like [`Crew::start`], with a time limit: a thread ends when it has no time for another unit.
    pub fn start_until(
        until: Option<Instant>,
        devices: Vec<Box<dyn Device>>,
        tell: impl Fn(Event) + Send + Clone + 'static,
    ) -> Crew {
        let shared = Arc::new(Shared {
            until,
            ..Shared::default()
        });
        let mut threads: Vec<(String, JoinHandle<()>)> = Vec::new();
        let mut refused = BTreeMap::new();
        for device in devices {
            let appetite = device.appetite();
            let mut hands = vec![device];
            while let Some(another) = hands.last().and_then(|device| device.another()) {
                hands.push(another);
            }
            let appetite = appetite.div_ceil(hands.len());
            let failed = Arc::new(AtomicBool::new(false));
            for hand in hands {
                let (name, kind) = (hand.name().to_owned(), hand.kind());
                shared.at_work.fetch_add(1, Ordering::Relaxed);
                let work = {
                    let (shared, tell) = (Arc::clone(&shared), tell.clone());
                    let failed = Arc::clone(&failed);
                    move || labour(hand, Pace::new(appetite), &failed, &shared, &tell)
                };
                match std::thread::Builder::new().spawn(work) {
                    Ok(thread) => threads.push((name, thread)),
                    Err(error) => {
                        shared.at_work.fetch_sub(1, Ordering::Release);
                        refused.entry(name).or_insert((kind, error));
                    }
                }
            }
        }
        // A device works with fewer threads than it wanted, but not with none.
        for (device, (kind, error)) in refused {
            if threads.iter().all(|(name, _)| *name != device) {
                tell(Event::Failed {
                    units: Vec::new(),
                    device,
                    kind,
                    why: format!("no thread could be started: {error}"),
                    first: true,
                });
            }
        }
        Crew { shared, threads }
    }

    /// Puts units into the pool.
    pub fn give(&self, units: impl IntoIterator<Item = Planned>) {
        let mut pool = self.shared.lock();
        pool.ready.extend(units);
        drop(pool);
        self.shared.changed.notify_all();
    }

    /// Takes back from the pool the units that no device has begun.
    pub fn take_back(&self) -> Vec<Planned> {
        self.shared.lock().ready.drain(..).collect()
    }

    /// Whether no device is left.
    pub fn is_empty(&self) -> bool {
        self.shared.at_work.load(Ordering::Acquire) == 0
    }

    /// Whether a thread has ended because there is no time for another unit.
    pub fn is_out_of_time(&self) -> bool {
        self.shared.out_of_time.load(Ordering::Relaxed)
    }

    /// Asks every device to stop; the units they hold stay uncounted.
    pub fn halt(&self) {
        self.shared.halt.store(true, Ordering::Relaxed);
        let mut pool = self.shared.lock();
        pool.closed = true;
        pool.ready.clear();
        drop(pool);
        self.shared.changed.notify_all();
    }

    /// Halts and waits until every thread has ended, but no longer than `patience`. Returns the
    /// names of the devices that have not stopped.
    pub fn join(mut self, patience: Duration) -> Vec<String> {
        self.halt();
        let begun = Instant::now();
        let mut busy = Vec::new();
        for (name, thread) in self.threads.drain(..) {
            while !thread.is_finished() && begun.elapsed() < patience {
                std::thread::sleep(Duration::from_millis(1));
            }
            if thread.is_finished() {
                // Panics inside a device were caught; nothing else can fail.
                let _ = thread.join();
            } else if !busy.contains(&name) {
                busy.push(name);
            }
        }
        busy
    }
}

impl Drop for Crew {
    /// Halts without waiting: a device that is slow to stop must not hold up the end of the
    /// program.
    fn drop(&mut self) {
        self.halt();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next units; `None` if the pool is closed or there is no time for another unit.
    fn take(&self, pace: &Pace) -> Option<Vec<Planned>> {
        let mut pool = self.lock();
        loop {
            if pool.closed {
                return None;
            }
            let left = self
                .until
                .map(|until| until.saturating_duration_since(Instant::now()));
            let number = pace.portion(pool.ready.iter().map(|unit| unit.cost), left);
            if number > 0 && left != Some(Duration::ZERO) {
                return Some(pool.ready.drain(..number).collect());
            }
            if left == Some(Duration::ZERO) || !pool.ready.is_empty() {
                self.out_of_time.store(true, Ordering::Relaxed);
                return None;
            }
            pool = match left {
                None => self
                    .changed
                    .wait(pool)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    let waited = self.changed.wait_timeout(pool, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

fn labour(
    mut device: Box<dyn Device>,
    mut pace: Pace,
    failed: &AtomicBool,
    shared: &Shared,
    tell: &impl Fn(Event),
) {
    while let Some(units) = shared.take(&pace) {
        let (started, clock) = (clock::now(), Instant::now());
        let numbers: Vec<u64> = units.iter().map(|unit| unit.unit).collect();
        tell(Event::Begun {
            units: numbers.clone(),
            device: device.name().to_owned(),
        });
        let outcome = catch_unwind(AssertUnwindSafe(|| match units.as_slice() {
            [unit] if pace.expected(unit.cost) > 2.0 => {
                let progress = || tell(Event::Progress(numbers.clone()));
                count_in_parts(&mut *device, unit, &shared.halt, &progress)
            }
            units => device.count_all(units, &shared.halt),
        }));
        let why = match outcome {
            Ok(Ok(Some(counts))) => {
                // Units counted together share their time by expected cost.
                let seconds = clock.elapsed().as_secs_f64();
                let cost: u64 = units.iter().map(|unit| unit.cost).sum();
                pace.counted(cost, seconds);
                for (unit, count) in units.iter().zip(counts) {
                    let seconds = seconds * unit.cost as f64 / cost.max(1) as f64;
                    let name = device.name();
                    let row = Row::fresh(unit.unit, count, name, started.clone(), seconds);
                    tell(Event::Counted(row));
                }
                continue;
            }
            Ok(Ok(None)) => break,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("it panicked")
                .to_owned(),
        };
        shared.at_work.fetch_sub(1, Ordering::Release);
        tell(Event::Failed {
            units,
            device: device.name().to_owned(),
            kind: device.kind(),
            why,
            first: !failed.swap(true, Ordering::Relaxed),
        });
        return;
    }
    shared.at_work.fetch_sub(1, Ordering::Release);
}

/// Counts a long unit, engine unit by engine unit, and reports every part.
fn count_in_parts(
    device: &mut dyn Device,
    unit: &Planned,
    halt: &AtomicBool,
    progress: &dyn Fn(),
) -> Result<Option<Vec<u64>>, DeviceError> {
    let mut sum = 0_u64;
    for engine_unit in unit.first..=unit.last {
        let part = Planned {
            first: engine_unit,
            last: engine_unit,
            ..*unit
        };
        let Some(count) = device.count(&part, halt)? else {
            return Ok(None);
        };
        sum = sum.checked_add(count).ok_or_else(|| {
            DeviceError(format!(
                "the count of unit {} does not fit 64 bits",
                unit.unit
            ))
        })?;
        progress();
    }
    Ok(Some(vec![sum]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// A device that counts a unit only while all of its threads count.
    struct Together {
        inside: Arc<AtomicUsize>,
        threads: usize,
        more: usize,
    }

    impl Device for Together {
        fn name(&self) -> &str {
            "together"
        }

        fn kind(&self) -> Kind {
            Kind::Gpu
        }

        fn appetite(&self) -> usize {
            self.threads
        }

        fn another(&self) -> Option<Box<dyn Device>> {
            Some(Box::new(Together {
                inside: Arc::clone(&self.inside),
                threads: self.threads,
                more: self.more.checked_sub(1)?,
            }))
        }

        fn count(&mut self, _: &Planned, _: &AtomicBool) -> Result<Option<u64>, DeviceError> {
            self.inside.fetch_add(1, Ordering::SeqCst);
            let begun = Instant::now();
            while self.inside.load(Ordering::SeqCst) < self.threads {
                if begun.elapsed() > Duration::from_secs(30) {
                    return Err(DeviceError("nobody else came".to_owned()));
                }
                std::thread::yield_now();
            }
            Ok(Some(1))
        }
    }

    #[test]
    fn a_device_gets_as_many_threads_as_it_wants_and_each_its_share_of_the_units() {
        for threads in [1, 3] {
            let device = Together {
                inside: Arc::default(),
                threads,
                more: threads - 1,
            };
            let (tell, events) = mpsc::channel();
            let crew = Crew::start(vec![Box::new(device)], move |event| {
                let _ = tell.send(event);
            });
            assert!(!crew.is_empty());
            crew.give(units(threads as u64));
            for _ in 0..threads {
                let event = events
                    .iter()
                    .find(|event| !matches!(event, Event::Begun { .. }))
                    .unwrap();
                assert!(matches!(event, Event::Counted(_)), "{event:?}");
            }
            let shared = Arc::clone(&crew.shared);
            assert!(crew.join(Duration::from_secs(60)).is_empty());
            assert_eq!(shared.at_work.load(Ordering::SeqCst), 0);
        }
    }

    /// A device that counts a unit when it gets a message, and ignores requests to stop.
    struct Deaf(mpsc::Receiver<()>);

    impl Device for Deaf {
        fn name(&self) -> &str {
            "deaf"
        }

        fn kind(&self) -> Kind {
            Kind::Gpu
        }

        fn count(&mut self, _: &Planned, _: &AtomicBool) -> Result<Option<u64>, DeviceError> {
            let _ = self.0.recv();
            Ok(Some(1))
        }
    }

    fn units(number: u64) -> impl Iterator<Item = Planned> {
        (0..number).map(|unit| Planned {
            unit,
            first: unit,
            last: unit,
            cost: 1,
        })
    }

    #[test]
    fn a_device_that_does_not_stop_is_named_and_not_waited_for() {
        let (wake, hears) = mpsc::channel();
        let (tell, events) = mpsc::channel();
        let crew = Crew::start(vec![Box::new(Deaf(hears))], move |event| {
            let _ = tell.send(event);
        });
        crew.give(units(1));
        assert!(matches!(events.recv(), Ok(Event::Begun { .. })));
        assert_eq!(crew.join(Duration::ZERO), ["deaf"]);
        drop(wake);
    }

    #[test]
    fn a_crew_with_an_end_counts_what_it_has_begun_and_ends_by_itself() {
        let (wake, hears) = mpsc::channel::<()>();
        let (tell, events) = mpsc::channel();
        let until = Instant::now() + Duration::from_millis(50);
        let crew = Crew::start_until(Some(until), vec![Box::new(Deaf(hears))], move |event| {
            let _ = tell.send(event);
        });
        crew.give(units(1_000));
        let (mut begun, mut counted) = (0, 0);
        // The channel closes when the last thread has ended.
        for event in events.iter() {
            match event {
                Event::Begun { units, .. } => {
                    begun += units.len();
                    // So slow that the time is over before the thousandth unit.
                    std::thread::sleep(Duration::from_millis(1));
                    wake.send(()).unwrap();
                }
                Event::Counted(_) => counted += 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(begun, counted);
        assert!(crew.is_out_of_time());
        assert_eq!(crew.take_back().len(), 1_000 - counted);
    }
}
