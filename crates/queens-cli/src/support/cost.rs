//! Forecasting how long a count will take on this machine.
//!
//! The library knows how much work there is: [`queens::estimate`] probes the search tree
//! that a backtracker walks, and the two-colour engine has units with expected costs. Here
//! a clock is added. A backtracker is timed on boards of growing size within a budget,
//! which gives seconds per node; boards that try every square of a row take longer per
//! node in proportion to the row. The two-colour engine is timed on a sample of the very
//! units of the count or, where one of them would burst the budget, of a smaller board of
//! the same parity.
//!
//! The result is a forecast. Its error bar covers the random part; what it cannot cover
//! is a model that drifts with the size and a machine that is busy with something else.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use queens::board::Representation;
use queens::count::two_colour::{Counter, Units, units};
use queens::count::{Engine, Job};
use queens::estimate::{self, Estimate, Probe, Running};

/// What the forecast of one count rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// The count itself was made within the budget.
    Counted,
    /// Seconds per node of the plain search tree, measured on a board of size `at`.
    Nodes {
        /// Seconds per node, as expected for the size that is forecast.
        seconds_per_node: f64,
        /// The size that was timed.
        at: usize,
    },
    /// Units of a board of size `at` that were timed.
    Units {
        /// How many.
        timed: u64,
        /// How many the count has.
        all: u64,
        /// The size of their board.
        at: usize,
    },
}

/// How long a count is expected to take.
#[derive(Clone, Copy, Debug)]
pub struct Forecast {
    /// The expected time, and the error of its random part.
    pub seconds: Estimate,
    /// What it rests on.
    pub basis: Basis,
}

impl Forecast {
    /// The expected time; the longest there is where it does not fit.
    pub fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds.mean).unwrap_or(Duration::MAX)
    }
}

/// The seed of all probes: two forecasts for the same board rest on the same tree.
pub const SEED: u64 = 1;

/// How many random probes estimate the size of a tree: a tenth of a second at n = 27.
const PROBES: u64 = 100_000;

/// Below this size a board says nothing about a larger one.
const SMALLEST: usize = 6;

/// The search tree of a board, by random probes; `None` beyond what can be probed.
pub fn tree(n: usize) -> Option<Probe> {
    let mut probe = Probe::new(n, SEED)?;
    probe.run(PROBES);
    Some(probe)
}

/// The nodes of a tree, all of them or by as many probes.
fn nodes(n: usize, probes: u64) -> Option<Estimate> {
    const QUICK: usize = 10;
    if n <= QUICK {
        return Some(exactly(estimate::nodes(n) as f64));
    }
    let mut probe = Probe::new(n, SEED)?;
    probe.run(probes);
    Some(probe.nodes())
}

/// Forecasts a count within about `budget`; `None` where the engine cannot hold the board.
/// The job's threads and vector instructions are used, and its stop flag is heeded.
pub fn forecast(engine: &Engine, job: &Job<'_>, budget: Duration) -> Option<Forecast> {
    if job.n > engine.largest_n {
        None
    } else if engine.simd {
        forecast_units(engine, job, budget)
    } else {
        forecast_nodes(engine, job, budget)
    }
}

/// The time of one count, if it was not stopped.
fn time(engine: &Engine, job: &Job<'_>) -> Option<f64> {
    let start = Instant::now();
    engine.count(job).ok()?;
    Some(start.elapsed().as_secs_f64())
}

/// How much longer a board of size `n` takes than one of size `n - 1`.
pub fn growth(engine: &Engine, n: usize) -> f64 {
    let work = |n: usize| {
        if engine.simd {
            units(n).map_or(1.0, |units| units.total_cost())
        } else {
            nodes(n, 2000).map_or(1.0, |nodes| nodes.mean) * squares_per_node(engine, n)
        }
    };
    work(n) / work(n - 1)
}

/// How many squares are looked at for a node, up to a constant: all of the next row's, one
/// by one, except where a row is one word.
fn squares_per_node(engine: &Engine, n: usize) -> f64 {
    match engine.representation {
        Some(Representation::Bitmask) | None => 1.0,
        // The empty board has none, and its one node is looked at all the same.
        Some(_) => n.max(1) as f64,
    }
}

fn forecast_nodes(engine: &Engine, job: &Job<'_>, budget: Duration) -> Option<Forecast> {
    let mut left = budget.as_secs_f64();
    let mut size = SMALLEST.min(job.n);
    let seconds = loop {
        let seconds = time(engine, &Job { n: size, ..*job })?;
        if size == job.n {
            return Some(Forecast {
                seconds: exactly(seconds),
                basis: Basis::Counted,
            });
        }
        left -= seconds;
        if seconds * growth(engine, size + 1) > left {
            break seconds;
        }
        size += 1;
    };
    // Whatever else the machine does only ever adds: with time left, the best of some runs.
    let mut seconds = seconds;
    while left > seconds {
        let again = time(engine, &Job { n: size, ..*job })?;
        left -= again;
        seconds = seconds.min(again);
    }
    let per_square = seconds / nodes(size, PROBES)?.mean / squares_per_node(engine, size);
    let seconds_per_node = per_square * squares_per_node(engine, job.n);
    let nodes = nodes(job.n, PROBES)?;
    Some(Forecast {
        seconds: Estimate {
            mean: nodes.mean * seconds_per_node,
            standard_error: nodes.standard_error * seconds_per_node,
        },
        basis: Basis::Nodes {
            seconds_per_node,
            at: size,
        },
    })
}

fn exactly(number: f64) -> Estimate {
    Estimate {
        mean: number,
        standard_error: 0.0,
    }
}

/// The most units that are timed.
const MOST_UNITS: usize = 1000;

/// A board is worth trying where a thread can time so many units of it. They differ: some have
/// hardly anything to count, and then their lists are all that takes time.
const FEWEST_UNITS: usize = 4;

fn forecast_units(engine: &Engine, job: &Job<'_>, budget: Duration) -> Option<Forecast> {
    let start = Instant::now();
    let left = || budget.saturating_sub(start.elapsed()).as_secs_f64();
    // Boards of the same parity, up to the one that is asked for.
    let first = if job.n <= 15 { job.n } else { 14 + job.n % 2 };
    let whole = Job { n: first, ..*job };
    let seconds = time(engine, &whole)?;
    if first == job.n {
        return Some(Forecast {
            seconds: exactly(seconds),
            basis: Basis::Counted,
        });
    }
    let threads = job.threads.get();
    let mut sample = Sample::new(units(first)?);
    // One thread's seconds per cost.
    let mut rate = exactly(seconds * threads as f64 / sample.units.total_cost());
    let mut timed = sample.units.len() as usize;
    // On the way up a few units correct the rate; the largest board of which some units fit
    // into what is left of the budget, be it the one asked for or not, gets all that.
    for n in (first + 2..=job.n).step_by(2) {
        let next = Sample::new(units(n)?);
        if next.affordable(0.4 * left(), rate.mean) < FEWEST_UNITS {
            break;
        }
        sample = next;
        let few = sample.affordable(0.1 * left(), rate.mean);
        let few = few.max(FEWEST_UNITS) * threads;
        if let Some(found) = sample.time(few, job) {
            (rate, timed) = found;
        }
    }
    let many = sample.affordable(0.8 * left(), rate.mean) * threads;
    if many > timed
        && let Some(found) = sample.time(many, job)
    {
        (rate, timed) = found;
    }
    let all = units(job.n)?;
    let factor = all.total_cost() / threads as f64;
    Some(Forecast {
        seconds: Estimate {
            mean: rate.mean * factor,
            standard_error: rate.standard_error * factor,
        },
        basis: Basis::Units {
            timed: timed as u64,
            all: all.len(),
            at: sample.units.n(),
        },
    })
}

/// Some units of one board, drawn by cost.
struct Sample {
    units: Units,
    drawn: Vec<u64>,
    /// The mean cost of a drawn unit.
    cost: f64,
}

impl Sample {
    fn new(units: Units) -> Sample {
        let most = MOST_UNITS.min(units.len() as usize);
        let drawn = estimate::sample_units(&units, most, SEED);
        let cost = drawn.iter().map(|&unit| units.cost(unit)).sum::<f64>() / most as f64;
        Sample { units, drawn, cost }
    }

    /// How many units a thread counts in so many seconds, at so many seconds per cost.
    fn affordable(&self, seconds: f64, rate: f64) -> usize {
        (seconds / (self.cost * rate)) as usize
    }

    /// Counts the first `many` units on the job's threads: the mean seconds per cost, and
    /// how many units that rests on. `None` when stopped.
    fn time(&self, many: usize, job: &Job<'_>) -> Option<(Estimate, usize)> {
        let never = AtomicBool::new(false);
        let stop = job.stop.unwrap_or(&never);
        // In order, because going on to another class makes new tables.
        let mut sample = self.drawn[..many.min(self.drawn.len())].to_vec();
        sample.sort_unstable();
        let next = AtomicUsize::new(0);
        let rates = Mutex::new(Running::default());
        let worker = || {
            let mut counter = Counter::new(self.units.n(), job.simd)?;
            while let Some(&unit) = sample.get(next.fetch_add(1, Ordering::Relaxed)) {
                let start = Instant::now();
                counter.count(unit, stop)?;
                let rate = start.elapsed().as_secs_f64() / self.units.cost(unit);
                let mut rates = rates.lock().unwrap_or_else(PoisonError::into_inner);
                rates.add(rate);
            }
            Some(())
        };
        std::thread::scope(|scope| {
            for _ in 1..job.threads.get() {
                scope.spawn(worker);
            }
            worker()
        })?;
        let rates = rates.into_inner().unwrap_or_else(PoisonError::into_inner);
        (!rates.is_empty()).then(|| (rates.estimate(), sample.len()))
    }
}

/// Says on standard error how long a count will take, if that is an hour or more.
pub fn warn_of_hours(engine: &Engine, job: &Job<'_>) {
    // A minute's work grows to an hour's in two rows at the earliest.
    if job.n <= engine.sensible_n + 1 {
        return;
    }
    let Some(forecast) = forecast(engine, job, Duration::from_millis(100)) else {
        return;
    };
    if forecast.time() < Duration::from_secs(3600) {
        return;
    }
    let (n, threads) = (job.n, job.threads);
    let known = if queens::known::known(n).is_some() {
        format!("; `queens count --known {n}` looks the number up")
    } else {
        String::new()
    };
    eprintln!(
        "queens: counting n = {n} with {} on {threads} thread{} will take about {}{known}",
        engine.name,
        if threads.get() == 1 { "" } else { "s" },
        super::progress::duration(forecast.time()),
    );
}
