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
            units(n as u32).map_or(1.0, |units| units.total_cost())
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
        Some(_) => n as f64,
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

fn forecast_units(engine: &Engine, job: &Job<'_>, budget: Duration) -> Option<Forecast> {
    let start = Instant::now();
    let left = || budget.saturating_sub(start.elapsed()).as_secs_f64();
    // Boards of the same parity, up to the one that is asked for.
    let first = if job.n <= 12 { job.n } else { 12 + job.n % 2 };
    let whole = Job { n: first, ..*job };
    let seconds = time(engine, &whole)?;
    if first == job.n {
        return Some(Forecast {
            seconds: exactly(seconds),
            basis: Basis::Counted,
        });
    }
    let mut board = units(first as u32)?;
    // One thread's seconds per cost.
    let threads = job.threads.get();
    let mut rate = exactly(seconds * threads as f64 / board.total_cost());
    let mut timed = board.len();
    for n in (first + 2..=job.n).step_by(2) {
        let next = units(n as u32)?;
        let most = MOST_UNITS.min(next.len() as usize);
        let drawn = estimate::sample_units(&next, most, SEED);
        let mean = drawn.iter().map(|&unit| next.cost(unit)).sum::<f64>() / most as f64;
        let affordable = |share: f64| (left() * share / (mean * rate.mean)) as usize;
        // On the way a small sample corrects the rate. The last board that can be timed, be
        // it the one asked for or not, gets what is left.
        let mut last = n == job.n;
        let mut each = affordable(if last { 0.8 } else { 0.1 });
        if each < 2 {
            last = true;
            each = affordable(0.8);
        }
        let sample = &drawn[..(each * threads).min(most)];
        let Some(found) = time_units(&next, sample, job) else {
            break;
        };
        rate = found;
        timed = sample.len() as u64;
        board = next;
        if last {
            break;
        }
    }
    let all = units(job.n as u32)?;
    let factor = all.total_cost() / threads as f64;
    Some(Forecast {
        seconds: Estimate {
            mean: rate.mean * factor,
            standard_error: rate.standard_error * factor,
        },
        basis: Basis::Units {
            timed,
            all: all.len(),
            at: board.n() as usize,
        },
    })
}

/// The mean seconds per cost of some units, counted on the job's threads.
fn time_units(units: &Units, sample: &[u64], job: &Job<'_>) -> Option<Estimate> {
    let never = AtomicBool::new(false);
    let stop = job.stop.unwrap_or(&never);
    // In order, because going on to another class makes new tables.
    let mut sample = sample.to_vec();
    sample.sort_unstable();
    let next = AtomicUsize::new(0);
    let rates = Mutex::new(Running::default());
    let worker = || {
        let mut counter = Counter::new(units.n(), job.simd)?;
        while let Some(&unit) = sample.get(next.fetch_add(1, Ordering::Relaxed)) {
            let start = Instant::now();
            counter.count(unit, stop)?;
            let rate = start.elapsed().as_secs_f64() / units.cost(unit);
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
    (!rates.is_empty()).then(|| rates.estimate())
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
