//! What can count a unit.
//!
//! A [`Device`] is one worker with its own scratch memory: one CPU thread, or one
//! GPU. The runner and the network worker give every device a thread of its own
//! and know nothing else about it, so a process can mix them freely. A
//! [`Choice`] is what the user asked for with `--device`; [`open`] turns choices
//! into devices.
//!
//! A device's name goes into the ledger, so that the rows of a faulty machine can
//! be found and dropped: `ada/cpu-avx512`, `ada/gpu0 NVIDIA H200`.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use queens::count::two_colour::{self, Simd};

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

/// Why a device could not count a unit; the device is then given up.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DeviceError(pub String);

/// One worker that can count units of one campaign.
pub trait Device: Send {
    /// The name for the ledger.
    fn name(&self) -> &str;

    /// Which queue it takes its units from.
    fn kind(&self) -> Kind;

    /// Counts a plan unit, or returns `None` soon after `stop` became true.
    ///
    /// # Errors
    ///
    /// When the device failed. The unit goes to another device, and this one gets
    /// no further units.
    fn count(&mut self, unit: &Planned, stop: &AtomicBool) -> Result<Option<u64>, DeviceError>;
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
        let counter = two_colour::Counter::new(n, simd).ok_or_else(|| {
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
        let mut sum = 0_u64;
        for u in unit.first..=unit.last {
            let Some(count) = self.counter.count(u, stop) else {
                return Ok(None);
            };
            sum = add(sum, count, unit)?;
        }
        Ok(Some(sum))
    }
}

/// Adds the counts of engine units; a sum that does not fit is an error, never a
/// smaller number.
fn add(sum: u64, count: u64, unit: &Planned) -> Result<u64, DeviceError> {
    sum.checked_add(count).ok_or_else(|| {
        DeviceError(format!(
            "the count of unit {} does not fit 64 bits: plan the campaign with more units",
            unit.unit
        ))
    })
}

/// A value of `--device`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Everything the machine has: all cores, and every GPU.
    Auto,
    /// The processor only.
    Cpu,
    /// Every GPU.
    AllGpus,
    /// One GPU by its number.
    Gpu(u32),
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        match text {
            "auto" => Ok(Choice::Auto),
            "cpu" => Ok(Choice::Cpu),
            "gpu" => Ok(Choice::AllGpus),
            _ => match text.strip_prefix("gpu:").map(str::parse) {
                Some(Ok(number)) => Ok(Choice::Gpu(number)),
                _ => Err("a device is auto, cpu, gpu or gpu:NUMBER".to_owned()),
            },
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Auto => f.write_str("auto"),
            Choice::Cpu => f.write_str("cpu"),
            Choice::AllGpus => f.write_str("gpu"),
            Choice::Gpu(number) => write!(f, "gpu:{number}"),
        }
    }
}

/// Opens the devices asked for, `threads` of them for the processor.
///
/// # Errors
///
/// When a GPU is asked for by name and there is none.
pub fn open(
    choices: &[Choice],
    n: u32,
    threads: usize,
    simd: Simd,
) -> Result<Vec<Box<dyn Device>>, DeviceError> {
    let mut devices: Vec<Box<dyn Device>> = Vec::new();
    if let Some(gpu) = choices
        .iter()
        .find(|c| matches!(c, Choice::AllGpus | Choice::Gpu(_)))
    {
        return Err(DeviceError(format!(
            "--device {gpu}: this build of queens counts on the processor only"
        )));
    }
    if choices.is_empty()
        || choices
            .iter()
            .any(|c| matches!(c, Choice::Auto | Choice::Cpu))
    {
        for _ in 0..threads {
            devices.push(Box::new(Cpu::new(n, simd)?));
        }
    }
    Ok(devices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_of_device_reads_back_as_it_was_written() {
        for text in ["auto", "cpu", "gpu", "gpu:0", "gpu:12"] {
            assert_eq!(text.parse::<Choice>().unwrap().to_string(), text);
        }
        for text in ["", "GPU", "gpu:", "gpu:x", "gpu:-1", "cpu:0"] {
            assert!(text.parse::<Choice>().is_err(), "{text:?}");
        }
    }
}
