//! What can count a unit.
//!
//! A [`Device`] is one counter with its own scratch memory: one CPU thread, or one GPU. The runner
//! and the network worker give every device a thread of its own, or several if it asks for them,
//! and know nothing else about it, so a process can mix devices freely. [`open`] turns choices, the
//! values of `--device`, into devices.
//!
//! A device's name goes into the ledger, so that the rows of a faulty machine can be found and
//! dropped: `ada/cpu-avx512`, `ada/gpu0 NVIDIA H200`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use queens::count::two_colour::{self, RecountMethod, Simd};
use queens_cuda::{Choice, GpuCounter};

use crate::plan::Planned;
use crate::process;

/// The two kinds of devices; each takes its units from its own queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A thread of the processor.
    Cpu,
    /// A graphics processor.
    Gpu,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Kind; 2] = [Kind::Cpu, Kind::Gpu];

    /// `cpu` or `gpu`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Cpu => "cpu",
            Kind::Gpu => "gpu",
        }
    }
}

/// Why a device could not count a unit. The device is not used any more.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DeviceError(pub String);

/// Something that can count units of one campaign.
pub trait Device: Send {
    /// Its name in the ledger.
    fn name(&self) -> &str;

    /// The queue that it takes its units from.
    fn kind(&self) -> Kind;

    /// Counts a plan unit, or returns `None` soon after `stop` became true.
    ///
    /// # Errors
    ///
    /// When the device failed. The unit goes to another device, and this device, or this thread of
    /// it, gets no more units.
    fn count(&mut self, unit: &Planned, stop: &AtomicBool) -> Result<Option<u64>, DeviceError>;

    /// How many units it wants at once, over all its threads. A GPU needs many to keep busy.
    fn appetite(&self) -> usize {
        1
    }

    /// The same device for one more thread; `None` if it has enough. While one thread's last units
    /// are counted, and while they are written down, a GPU goes on with the units of another
    /// thread.
    fn another(&self) -> Option<Box<dyn Device>> {
        None
    }

    /// Counts several units in order, at most as many as its appetite.
    ///
    /// # Errors
    ///
    /// As for [`Device::count`].
    fn count_all(
        &mut self,
        units: &[Planned],
        stop: &AtomicBool,
    ) -> Result<Option<Vec<u64>>, DeviceError> {
        units.iter().map(|unit| self.count(unit, stop)).collect()
    }
}

/// A CPU thread that counts with the two-colour engine.
pub struct Cpu {
    name: String,
    counter: two_colour::Counter,
}

impl Cpu {
    /// A thread for boards of size `n` with the given vector instructions.
    ///
    /// # Errors
    ///
    /// When the processor lacks them, or n is out of range.
    pub fn new(n: u32, simd: Simd) -> Result<Cpu, DeviceError> {
        let name = simd.resolve().name();
        let counter = two_colour::Counter::new(n as usize, simd).ok_or_else(|| {
            DeviceError(format!("this processor cannot count n = {n} with {name}"))
        })?;
        Ok(Cpu {
            name: format!("{}/cpu-{name}", process::host()),
            counter,
        })
    }
}

impl Device for Cpu {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> Kind {
        Kind::Cpu
    }

    fn count(&mut self, unit: &Planned, stop: &AtomicBool) -> Result<Option<u64>, DeviceError> {
        sum(unit, |u| Ok(self.counter.count(u, stop)))
    }
}

/// A CPU thread that counts by a plain search. It is slow, and independent of the engine whose
/// counts it checks.
pub struct Checker {
    name: String,
    recounter: two_colour::Recounter,
}

impl Checker {
    /// A checker for boards of size `n`.
    ///
    /// # Errors
    ///
    /// When n is out of range.
    pub fn new(n: u32, method: RecountMethod) -> Result<Checker, DeviceError> {
        let recounter = two_colour::Recounter::new(n as usize, method)
            .ok_or_else(|| DeviceError(format!("there are no units for n = {n}")))?;
        Ok(Checker {
            name: format!("{}/{}", process::host(), method.name()),
            recounter,
        })
    }
}

impl Device for Checker {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> Kind {
        Kind::Cpu
    }

    fn count(&mut self, unit: &Planned, stop: &AtomicBool) -> Result<Option<u64>, DeviceError> {
        sum(unit, |u| Ok(self.recounter.count(u, stop)))
    }
}

/// One GPU that counts with the same units as the CPU.
pub struct Gpu {
    name: String,
    counter: Arc<GpuCounter>,
    /// How many more threads it wants.
    more: usize,
}

/// How many threads give a GPU units.
const GPU_THREADS: usize = 3;

/// How many plan units each of them gives it at once: ten seconds' work on a large card for n = 28.
const GPU_BATCH: usize = 64;

/// Cores that prepare lists for one GPU if the processor counts, too. One core takes five times as
/// long to make them as an H200 takes to count n = 26 or 27.
const GPU_FEEDERS: usize = 8;

impl Gpu {
    /// Opens a card. Each thread that gives it units uses `feeders` host threads to prepare lists.
    fn new(n: u32, card: queens_cuda::Device, feeders: usize) -> Result<Gpu, DeviceError> {
        let name = format!("{}/gpu{} {}", process::host(), card.number, card.name);
        let never = AtomicBool::new(false);
        let counter = GpuCounter::on(vec![card], n, &never).map_err(gpu_error)?;
        Ok(Gpu {
            name,
            counter: Arc::new(counter.threads(feeders)),
            more: GPU_THREADS - 1,
        })
    }
}

impl Device for Gpu {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> Kind {
        Kind::Gpu
    }

    fn count(&mut self, unit: &Planned, stop: &AtomicBool) -> Result<Option<u64>, DeviceError> {
        let counts = self.count_all(std::slice::from_ref(unit), stop)?;
        Ok(counts.map(|counts| counts[0]))
    }

    fn appetite(&self) -> usize {
        GPU_THREADS * GPU_BATCH
    }

    fn another(&self) -> Option<Box<dyn Device>> {
        Some(Box::new(Gpu {
            name: self.name.clone(),
            counter: Arc::clone(&self.counter),
            more: self.more.checked_sub(1)?,
        }))
    }

    fn count_all(
        &mut self,
        units: &[Planned],
        stop: &AtomicBool,
    ) -> Result<Option<Vec<u64>>, DeviceError> {
        let engine_units: Vec<u64> = units.iter().flat_map(|u| u.first..=u.last).collect();
        let mut counts = match self.counter.count(&engine_units, stop) {
            Ok(counts) => counts.into_iter(),
            Err(queens_cuda::Error::Stopped { .. }) => return Ok(None),
            Err(error) => return Err(gpu_error(error)),
        };
        let mut next = |u| match counts.next() {
            None => Err(DeviceError(format!("the GPU did not count unit {u}"))),
            count => Ok(count),
        };
        units.iter().map(|unit| sum(unit, &mut next)).collect()
    }
}

fn gpu_error(error: queens_cuda::Error) -> DeviceError {
    DeviceError(error.to_string())
}

/// Adds the counts of a plan unit's engine units, or returns `None` as soon as `count` does. A sum
/// that does not fit is an error, never a smaller number.
fn sum(
    unit: &Planned,
    mut count: impl FnMut(u64) -> Result<Option<u64>, DeviceError>,
) -> Result<Option<u64>, DeviceError> {
    let mut sum = 0_u64;
    for u in unit.first..=unit.last {
        let Some(count) = count(u)? else {
            return Ok(None);
        };
        sum = sum.checked_add(count).ok_or_else(|| {
            DeviceError(format!(
                "the count of unit {} does not fit 64 bits: plan the campaign with more units",
                unit.unit
            ))
        })?;
    }
    Ok(Some(sum))
}

/// Opens the chosen devices. `threads` threads of the processor count, or by default one for each
/// core that no GPU needs. If no GPU was asked for by name, `warn` hears of each GPU that cannot be
/// used, and the other devices count without it.
///
/// # Errors
///
/// When a GPU is asked for by name and cannot be used.
pub fn open(
    choices: &[Choice],
    n: u32,
    threads: Option<usize>,
    simd: Simd,
    warn: &dyn Fn(&str),
) -> Result<Vec<Box<dyn Device>>, DeviceError> {
    let choices = match choices {
        [] => &[Choice::Auto],
        choices => choices,
    };
    let auto = choices.contains(&Choice::Auto);
    let cpus_count = auto || choices.contains(&Choice::Cpu);
    let named = choices.iter().any(|choice| choice.names_a_gpu());
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let cards = match queens_cuda::chosen(choices, n) {
        Ok(cards) => cards,
        Err(error) if named => return Err(gpu_error(error)),
        // A missing GPU is no fault if none was asked for.
        Err(queens_cuda::Error::NoDriver | queens_cuda::Error::NoDevice) => Vec::new(),
        Err(error) => {
            warn(&format!("{error}; counting without a GPU"));
            Vec::new()
        }
    };
    let number = cards.len().max(1);
    let share = match cpus_count {
        true => (cores / number).min(GPU_FEEDERS),
        false => cores / number,
    };
    // Each of a card's threads gets as many feeders as the card has cores, because the feeders of
    // the other threads wait for the card most of the time (measured in benchmarks/gpu.md).
    let most = queens_cuda::most_threads(n) / (number * GPU_THREADS);
    let mut devices = usable(cards, named, warn, |card| {
        Ok(Box::new(Gpu::new(n, card, share.min(most).max(1))?))
    })?;
    if cpus_count {
        let free = cores.saturating_sub(share * devices.len());
        let least = usize::from(devices.is_empty() || !auto);
        for _ in 0..threads.unwrap_or(free.max(least)) {
            devices.push(Box::new(Cpu::new(n, simd)?));
        }
    }
    Ok(devices)
}

/// Opens cards. A card that cannot be opened is an error if cards were asked for by name; otherwise
/// it is left out with a warning.
fn usable(
    cards: Vec<queens_cuda::Device>,
    named: bool,
    warn: &dyn Fn(&str),
    open: impl Fn(queens_cuda::Device) -> Result<Box<dyn Device>, DeviceError>,
) -> Result<Vec<Box<dyn Device>>, DeviceError> {
    let mut devices = Vec::with_capacity(cards.len());
    for card in cards {
        let name = format!("gpu{} {}", card.number, card.name);
        match open(card) {
            Ok(device) => devices.push(device),
            Err(error) if named => return Err(error),
            Err(error) => warn(&format!("{error}; counting without {name}")),
        }
    }
    Ok(devices)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Planned = Planned {
        unit: 7,
        first: 20,
        last: 22,
        cost: 1,
    };

    #[test]
    fn the_counts_of_engine_units_are_added_each_once() {
        let mut asked = Vec::new();
        let total = sum(&UNIT, |u| {
            asked.push(u);
            Ok(Some(u))
        });
        assert_eq!(total.unwrap(), Some(63));
        assert_eq!(asked, [20, 21, 22]);
    }

    #[test]
    fn a_stop_or_a_failure_in_the_middle_leaves_no_partial_count() {
        let stopped = sum(&UNIT, |u| Ok((u < 22).then_some(1)));
        assert_eq!(stopped.unwrap(), None);
        let failed = sum(&UNIT, |_| Err(DeviceError("broken".to_owned())));
        assert_eq!(failed.unwrap_err().to_string(), "broken");
    }

    #[test]
    fn a_count_beyond_64_bits_is_an_error_and_never_a_smaller_number() {
        let error = sum(&UNIT, |_| Ok(Some(u64::MAX / 2))).unwrap_err();
        assert!(error.to_string().contains("unit 7 does not fit"), "{error}");
    }

    fn card(number: usize) -> queens_cuda::Device {
        queens_cuda::Device {
            number,
            name: "Test".to_owned(),
            arch: 90,
            memory: 0,
            multiprocessors: 1,
            clock_khz: 1,
            shared_per_block: 0,
            shared_per_multiprocessor: 0,
            threads_per_multiprocessor: 0,
            cuda: "13.0".to_owned(),
            driver: None,
        }
    }

    #[test]
    fn a_card_that_cannot_be_opened_is_an_error_only_where_a_gpu_was_named() {
        let open = |card: queens_cuda::Device| -> Result<Box<dyn Device>, DeviceError> {
            match card.number {
                0 => Err(DeviceError("out of memory".to_owned())),
                _ => Ok(Box::new(Cpu::new(20, Simd::Auto)?)),
            }
        };
        let heard = std::cell::RefCell::new(Vec::new());
        let warn = |line: &str| heard.borrow_mut().push(line.to_owned());
        let devices = usable(vec![card(0), card(1)], false, &warn, open).unwrap();
        assert_eq!(devices.len(), 1);
        assert_eq!(heard.take(), ["out of memory; counting without gpu0 Test"]);
        let named = usable(vec![card(0), card(1)], true, &warn, open);
        assert_eq!(named.err().unwrap().to_string(), "out of memory");
        assert!(heard.take().is_empty());
    }
}
