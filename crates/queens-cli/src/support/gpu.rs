//! Counting on a GPU from the command line: `--device`, `--verify`, and what they do.
//!
//! `auto` takes the GPUs where there are some and the board is large enough to be worth the
//! start of one, and otherwise the CPU; with `gpu` or `gpu:K` their absence is an error.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::bail;
use queens_cuda::{Device, Error, GpuCounter, Verify, devices};

use super::progress::Progress;

/// Below this size a CPU is done before a GPU has started.
const WORTH_A_GPU: usize = 20;

/// What `--device` chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// GPUs where there are some and they are worth it.
    Auto,
    /// The CPU.
    Cpu,
    /// All GPUs, or one of them.
    Gpu(Option<usize>),
}

/// Reads `--device` for clap.
pub fn choice(text: &str) -> Result<Choice, String> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits)
    };
    match text {
        "auto" => Some(Choice::Auto),
        "cpu" => Some(Choice::Cpu),
        "gpu" => Some(Choice::Gpu(None)),
        _ => text
            .strip_prefix("gpu:")
            .and_then(number)
            .map(|number| Choice::Gpu(Some(number))),
    }
    .ok_or_else(|| "use auto, cpu, gpu, or gpu:0 for the first of several".to_owned())
}

/// Reads `--verify` for clap: a share such as `1%` or `0.01`.
pub fn share(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.strip_suffix('%') {
        Some(number) => (number.trim_end(), 0.01),
        None => (text, 1.0),
    };
    let plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let share = number.parse::<f64>().ok().filter(|_| plain);
    share
        .map(|share| share * scale)
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "use a share of the units, such as 1% or 0.01".to_owned())
}

/// Opens the GPUs that a choice means, tested and ready; `None` means the CPU.
pub fn open(
    choice: Choice,
    n: usize,
    threads: usize,
    stop: &AtomicBool,
) -> anyhow::Result<Option<GpuCounter>> {
    let wanted = match choice {
        Choice::Cpu => return Ok(None),
        Choice::Auto if n < WORTH_A_GPU || !queens_cuda::SIZES.contains(&(n as u32)) => {
            return Ok(None);
        }
        Choice::Auto => None,
        Choice::Gpu(number) => number,
    };
    match open_these(wanted, n, stop) {
        Ok(counter) => Ok(Some(counter.threads(threads))),
        Err(error @ Error::Stopped { .. }) => Err(error.into()),
        Err(Error::NoDriver | Error::NoDevice) if choice == Choice::Auto => Ok(None),
        Err(error) if choice == Choice::Auto => {
            eprintln!("queens: {error}; counting on the CPU");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn open_these(wanted: Option<usize>, n: usize, stop: &AtomicBool) -> Result<GpuCounter, Error> {
    // The size first: the message about it is the same on every machine.
    let n = u32::try_from(n).unwrap_or(u32::MAX);
    if !queens_cuda::SIZES.contains(&n) {
        return Err(Error::OutOfRange { n });
    }
    let mut all = devices()?;
    let chosen: Vec<Device> = match wanted {
        Some(device) => {
            let count = all.len();
            if device >= count {
                return Err(Error::NoSuchDevice { device, count });
            }
            vec![all.swap_remove(device)]
        }
        None => {
            let usable: Vec<Device> = all.iter().filter(|d| d.is_usable()).cloned().collect();
            if usable.is_empty() { all } else { usable }
        }
    };
    GpuCounter::on(chosen, n, stop)
}

/// What a count on GPUs gave.
pub struct Counted {
    /// The number of solutions.
    pub count: u128,
    /// Seconds of the count itself.
    pub seconds: f64,
    /// The names of the cards.
    pub cards: String,
}

/// Counts all units.
pub fn count(
    counter: &GpuCounter,
    verify: Option<f64>,
    progress: &Progress,
    stop: &AtomicBool,
) -> anyhow::Result<Counted> {
    let units: Vec<u64> = (0..counter.units().len()).collect();
    let verify = verify.map(|share| Verify {
        share,
        seed: RandomState::new().hash_one(0),
    });
    let start = Instant::now();
    let report = |share: f64| progress.set_share(share);
    let warn = |line: &str| eprintln!("queens: {line}");
    let counts = counter.count_with(&units, stop, verify, &report, &warn);
    let seconds = start.elapsed().as_secs_f64();
    let counts = match counts {
        Err(Error::Stopped { share }) if stop.load(Ordering::Relaxed) => {
            bail!(
                "interrupted after {:.1} % of the work; nothing was kept",
                share * 100.0
            )
        }
        other => other?,
    };
    let cards: Vec<&str> = counter.devices().map(|card| card.name.as_str()).collect();
    Ok(Counted {
        count: counts.into_iter().map(u128::from).sum(),
        seconds,
        cards: cards.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read_as_documented() {
        assert_eq!(choice("auto"), Ok(Choice::Auto));
        assert_eq!(choice("cpu"), Ok(Choice::Cpu));
        assert_eq!(choice("gpu"), Ok(Choice::Gpu(None)));
        assert_eq!(choice("gpu:0"), Ok(Choice::Gpu(Some(0))));
        assert_eq!(choice("gpu:12"), Ok(Choice::Gpu(Some(12))));
        for wrong in ["", "GPU", "gpu:", "gpu:+1", "gpu:-1", "gpu0", "cuda"] {
            assert!(choice(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_are_read_as_percent_or_fraction() {
        assert_eq!(share("1%"), Ok(0.01));
        assert_eq!(share("0.25"), Ok(0.25));
        assert_eq!(share("100 %"), Ok(1.0));
        assert_eq!(share("0"), Ok(0.0));
        for wrong in ["", "%", "2", "101%", "-1%", "inf", "nan", "1e-3", "half"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }
}
