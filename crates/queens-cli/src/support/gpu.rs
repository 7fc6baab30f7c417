//! Counting on a GPU from the command line: `--device`, `--verify`, and what they do.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::bail;
use queens_cuda::{Choice, Error, GpuCounter, Verify};

use super::progress::Progress;

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
    let warn = |line: &str| tell!("queens: {line}");
    Ok(GpuCounter::chosen(choice, n, threads, stop, &warn)?)
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
    let warn = |line: &str| tell!("queens: {line}");
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
