//! Which solutions `queens count` counts: all, or those that its options name.
//!
//! The library has a search of its own for each kind; the fundamental ones follow from all
//! solutions and the symmetric ones.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use queens::json::Object;
use queens::known::Sequence;
use queens::{symmetric, torus};

use super::out::Out;
use super::progress::{Progress, When, percent};
use super::reminder::Reminder;
use super::stop;

// Not a doc comment: clap would take it for the help of the verb that flattens this.
// The options that choose which solutions are meant.
#[derive(clap::Args)]
pub struct Kind {
    /// Count the fundamental solutions, one per class of rotations and reflections
    #[arg(long, conflicts_with_all = ["symmetry", "torus"])]
    fundamental: bool,

    /// Count the solutions that this turn of the board leaves unchanged
    #[arg(
        long,
        value_name = "TURN",
        conflicts_with_all = ["torus", "engine", "threads", "simd", "device", "verify"]
    )]
    symmetry: Option<Turn>,

    /// Count the solutions on a torus, where diagonals go on at the other side
    #[arg(long, conflicts_with_all = ["engine", "threads", "simd", "device", "verify"])]
    torus: bool,
}

/// The turns that can leave a solution unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Turn {
    /// By 180 degrees
    HalfTurn,
    /// By 90 degrees
    QuarterTurn,
}

impl Kind {
    /// The published sequence that counts these solutions.
    pub fn sequence(&self) -> Sequence {
        match (self.symmetry, self.fundamental, self.torus) {
            (Some(Turn::HalfTurn), ..) => Sequence::HalfTurn,
            (Some(Turn::QuarterTurn), ..) => Sequence::QuarterTurn,
            (_, true, _) => Sequence::Fundamental,
            (_, _, true) => Sequence::Torus,
            _ => Sequence::All,
        }
    }

    /// Whether these solutions have a search of their own.
    pub fn is_searched_apart(&self) -> bool {
        self.symmetry.is_some() || self.torus
    }

    /// Counts solutions that have a search of their own, and prints the number.
    pub fn count(&self, n: usize, json: bool, when: When) -> anyhow::Result<ExitCode> {
        let interrupted = stop::on_interrupt()?;
        let progress = Progress::start(format!("count {n}"), when);
        let start = Instant::now();
        let done = Arc::new(Mutex::new(0.0));
        let reminder = self.remind_of_length(n, Arc::clone(&done));
        let count = count(self.sequence(), n, &interrupted, |share| {
            progress.set_share(share);
            *done.lock().unwrap_or_else(PoisonError::into_inner) = share;
        })?;
        let seconds = start.elapsed().as_secs_f64();
        drop((reminder, progress));
        let mut out = Out::stdout();
        if json {
            let object = Object::new()
                .set("n", n)
                .set("count", count)
                .set("kind", self.sequence().name())
                .set("threads", 1)
                .set("seconds", (seconds * 1e6).round() / 1e6);
            out.line(&object.end())?;
        } else {
            out.line(&count.to_string())?;
        }
        out.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    /// Says after five seconds that the search may take long, if less than 1 % is done, and how to
    /// look the number up. The share done grows in some hundred steps, so it cannot tell hours
    /// from many minutes.
    fn remind_of_length(&self, n: usize, done: Arc<Mutex<f64>>) -> Reminder {
        let sequence = self.sequence();
        let option = match sequence {
            Sequence::Torus => "--torus".to_owned(),
            turn => format!("--symmetry {}", turn.name()),
        };
        Reminder::after(Duration::from_secs(5), move || {
            let done = *done.lock().unwrap_or_else(PoisonError::into_inner);
            if done >= 0.01 {
                return;
            }
            let known = match sequence.value(n) {
                Some(_) => format!("; `queens count --known {n} {option}` looks the number up"),
                None => String::new(),
            };
            let name = sequence.name();
            tell!("queens: counting {name} solutions for n = {n} may take long{known}");
        })
    }

    /// The number to print if there are `all` solutions: `all` itself, or the fundamental ones.
    pub fn of_all(&self, n: usize, all: u128, interrupted: &AtomicBool) -> anyhow::Result<u128> {
        if !self.fundamental {
            return Ok(all);
        }
        Ok(Classes::of_all(n, all, interrupted, |_| ())?.fundamental)
    }
}

/// What the symmetric solutions of a board say about all of them.
pub struct Classes {
    /// Solutions that a half turn leaves unchanged.
    pub half_turn: u64,
    /// Solutions that a quarter turn leaves unchanged.
    pub quarter_turn: u64,
    /// Classes of rotations and reflections.
    pub fundamental: u128,
}

impl Classes {
    /// Counts the symmetric solutions. Fails if they rule out `all` as the number of all solutions.
    pub fn of_all(
        n: usize,
        all: u128,
        interrupted: &AtomicBool,
        progress: impl Fn(f64),
    ) -> anyhow::Result<Classes> {
        let half_turn = count(Sequence::HalfTurn, n, interrupted, progress)?;
        let quarter_turn = count(Sequence::QuarterTurn, n, interrupted, |_| ())?;
        let fundamental = symmetric::fundamental(n, all, half_turn, quarter_turn).with_context(|| {
            format!(
                "{all} cannot be the number of solutions: with {half_turn} that a half turn leaves \
                 unchanged and twice the {quarter_turn} of a quarter turn it is no multiple of 8"
            )
        })?;
        Ok(Classes {
            half_turn,
            quarter_turn,
            fundamental,
        })
    }
}

/// The number of solutions of a kind that has a search of its own.
fn count(
    sequence: Sequence,
    n: usize,
    interrupted: &AtomicBool,
    progress: impl Fn(f64),
) -> anyhow::Result<u64> {
    let mut done = 0.0;
    let watch = |share: f64| {
        done = share;
        progress(share);
        match interrupted.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let (counted, largest) = match sequence {
        Sequence::HalfTurn => (symmetric::half_turn(n, watch), symmetric::LARGEST_HALF_TURN),
        Sequence::QuarterTurn => (
            symmetric::quarter_turn(n, watch),
            symmetric::LARGEST_QUARTER_TURN,
        ),
        Sequence::Torus => (torus::count(n, watch), torus::LARGEST_N),
        _ => (None, 0),
    };
    match counted {
        Some(count) => Ok(count),
        None if interrupted.load(Ordering::Relaxed) => bail!(
            "interrupted after {} % of the work; nothing was kept",
            percent(done)
        ),
        None => bail!(
            "{} solutions are counted up to n = {largest}, not {n}",
            sequence.name()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_that_the_symmetric_solutions_rule_out_is_refused() {
        let of_all = |all| Classes::of_all(12, all, &AtomicBool::new(false), |_| ());
        assert_eq!(of_all(14_200).unwrap().fundamental, 1_787);
        for wrong in 14_201..14_208 {
            let refused = of_all(wrong).err().unwrap().to_string();
            assert!(refused.contains("cannot be the number"), "{refused}");
        }
    }
}
