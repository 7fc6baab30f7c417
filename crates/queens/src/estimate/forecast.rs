//! How long a count will take, from a few short measurements.
//!
//! Nobody needs to measure how much work there is: a [`Probe`] estimates the search tree that a
//! backtracker walks, and the two-colour engine has units with expected costs. What the work costs
//! on this machine is measured with a clock from the caller, because this library has none. A
//! backtracker is timed on boards of growing size within a budget, which gives seconds per node;
//! boards that try every square of a row take longer per node in proportion to the row. An engine
//! with units is timed on a sample of the count's own units or, if a few of them would burst the
//! budget, of the units of a smaller board of the same parity.
//!
//! On a board with given queens or blocked squares the search tree is probed as well, and a node is
//! expected to cost what it costs on the plain board. For an engine with units the forecast of the
//! plain board is scaled: see `Timing::on_board`.
//!
//! The result is a forecast. Its error bar covers the random part. It cannot cover a model that
//! drifts with the size or a machine that is busy with something else.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Estimate, Probe, Running, sample_units};
use crate::board::Representation;
use crate::count::two_colour::{Counter, Units, units};
use crate::count::{Count, Engine, expected_placements};
use crate::puzzle::Board;
use crate::symmetry::Symmetry;
use crate::threads::share;

/// What a forecast rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// The count itself ran within the budget.
    Counted,
    /// Seconds per node of the plain search tree, measured on a board of size `at`.
    Nodes {
        /// Seconds per node, as expected for the size that is forecast.
        seconds_per_node: f64,
        /// The size that was timed.
        at: usize,
    },
    /// A count of a board of size `at`, and how an engine that is no backtracker slows down from
    /// row to row.
    Growth {
        /// How many times longer each further row takes.
        per_row: f64,
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The expected time, and the error of its random part.
    pub seconds: Estimate,
    /// What it rests on.
    pub basis: Basis,
}

impl Forecast {
    /// The expected time, or the longest `Duration` if it does not fit.
    pub fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds.mean).unwrap_or(Duration::MAX)
    }

    /// The interval of 95 % of [`seconds`](Forecast::seconds), by how many probes or units it
    /// rests on.
    pub fn interval(&self) -> RangeInclusive<f64> {
        let numbers = match self.basis {
            Basis::Counted | Basis::Growth { .. } => 1,
            Basis::Nodes { .. } => PROBES,
            Basis::Units { timed, .. } => timed,
        };
        self.seconds.interval(numbers)
    }

    fn counted(seconds: f64) -> Forecast {
        Forecast {
            seconds: exactly(seconds),
            basis: Basis::Counted,
        }
    }

    /// The seconds per node of a forecast for a backtracker on the plain board of size `n`, and
    /// the size that was timed.
    fn seconds_per_node(&self, n: usize) -> Option<(f64, usize)> {
        match self.basis {
            Basis::Nodes {
                seconds_per_node,
                at,
            } => Some((seconds_per_node, at)),
            _ => Some((self.seconds.mean / nodes(n, PROBES)?.mean, n)),
        }
    }
}

/// The seed of all probes: two forecasts for the same board rest on the same tree.
const SEED: u64 = 1;

/// How many random probes estimate the size of a tree: a tenth of a second at n = 27.
const PROBES: u64 = 100_000;

/// Below this size a board says nothing about a larger one.
const SMALLEST: usize = 6;

/// The search tree of a board, by random probes; `None` beyond what can be probed.
///
/// ```
/// use queens::estimate::{nodes, tree};
///
/// let found = tree(10).unwrap().nodes();
/// assert!((found.mean - nodes(10) as f64).abs() < 4.0 * found.standard_error);
/// ```
pub fn tree(n: usize) -> Option<Probe> {
    let mut probe = Probe::new(n, SEED)?;
    probe.run(PROBES);
    Some(probe)
}

/// The nodes of a tree: counted if it is small, otherwise estimated by `probes` probes.
fn nodes(n: usize, probes: u64) -> Option<Estimate> {
    const QUICK: usize = 10;
    if n <= QUICK {
        return Some(exactly(super::nodes(n) as f64));
    }
    let mut probe = Probe::new(n, SEED)?;
    probe.run(probes);
    Some(probe.nodes())
}

fn exactly(number: f64) -> Estimate {
    Estimate {
        mean: number,
        standard_error: 0.0,
    }
}

/// Forecasts a count within about `budget`; `None` if the engine cannot hold the board, if the board
/// is too large for random descents (n above 64), or if the count's stop flag is raised. `clock`
/// tells the time since any fixed moment. The forecast uses the count's engine, threads and vector
/// instructions, and reports no progress.
///
/// ```
/// use std::time::{Duration, Instant};
/// use queens::{Count, estimate::forecast};
///
/// let start = Instant::now();
/// let clock = || start.elapsed();
/// let forecast = forecast(&Count::new(13), Duration::from_millis(50), &clock).unwrap();
/// println!("about {:?}", forecast.time());
/// assert!(forecast.seconds.mean > 0.0);
/// ```
pub fn forecast(
    count: &Count<'_>,
    budget: Duration,
    clock: &(dyn Fn() -> Duration + Sync),
) -> Option<Forecast> {
    let mut count = count.clone();
    count.progress = None;
    let timing = Timing {
        count,
        budget,
        start: clock(),
        clock,
    };
    if !timing.count.is_possible() {
        None
    } else if let Some(board) = timing.count.board {
        timing.on_board(board)
    } else if timing.count.engine.has_units() {
        timing.by_units()
    } else {
        timing.by_nodes()
    }
}

/// How many times longer a board of size `n` takes than one of size `n - 1`. Engines without units
/// are judged by random probes of the search tree. A size beyond the engine's largest board, or for
/// them beyond [`LARGEST_N`](super::LARGEST_N), counts as that one.
///
/// ```
/// use queens::{Engine, estimate::growth};
///
/// let growth = growth(Engine::Bitmask, 10);
/// assert!((4.0..5.0).contains(&growth)); // 35,539 nodes after 8,394
/// ```
pub fn growth(engine: Engine, n: usize) -> f64 {
    let n = n.min(engine.largest_n()).min(match engine.has_units() {
        true => usize::MAX,
        false => super::LARGEST_N,
    });
    let work = |n: usize| {
        if engine == Engine::TwoColourPlain {
            PLAIN_GROWTH.powi(n as i32)
        } else if engine.has_units() {
            units(n).map_or(1.0, |units| units.total_cost())
        } else {
            nodes(n, 2000).map_or(1.0, |nodes| nodes.mean) * squares_per_node(engine, n)
        }
    };
    work(n) / work(n.saturating_sub(1))
}

/// How many times longer each further row takes `two-colour-plain`. Seconds for N = 13 to 17: 0.10,
/// 0.46, 2.1, 10.0 and 48 (one core of an AMD EPYC, Zen 4, 2 vCPU, KVM, busy, 2026-11-19).
const PLAIN_GROWTH: f64 = 4.7;

/// How many squares a node looks at, up to a constant: all of the next row, one by one, unless a
/// row is one word.
fn squares_per_node(engine: Engine, n: usize) -> f64 {
    match engine.representation() {
        Some(Representation::Bitmask) | None => 1.0,
        // The empty board has no squares, but its one node takes time all the same.
        Some(_) => n.max(1) as f64,
    }
}

/// A size that no engine without units counts within a budget of seconds, so a forecast for it
/// rests on seconds per node.
const TIMED: usize = 20;

/// The most units that are timed.
const MOST_UNITS: usize = 1000;

/// A board is worth trying if each thread can time this many of its units. Units differ: some have
/// hardly anything to count and spend all their time on lists.
const FEWEST_UNITS: usize = 4;

/// A count to be forecast, the time there is for it, and the clock.
struct Timing<'a> {
    count: Count<'a>,
    budget: Duration,
    /// The clock's time at the start.
    start: Duration,
    clock: &'a (dyn Fn() -> Duration + Sync),
}

impl Timing<'_> {
    /// What is left of the budget, in seconds.
    fn left(&self) -> f64 {
        let spent = (self.clock)().saturating_sub(self.start);
        self.budget.saturating_sub(spent).as_secs_f64()
    }

    /// The time of one count on a board of size `n`, if it was not stopped.
    fn time(&self, n: usize) -> Option<f64> {
        let mut count = self.count.clone();
        count.n = n;
        let start = (self.clock)();
        count.run().ok()?;
        Some((self.clock)().saturating_sub(start).as_secs_f64())
    }

    fn by_nodes(&self) -> Option<Forecast> {
        let (n, engine) = (self.count.n, self.count.engine);
        let mut left = self.budget.as_secs_f64();
        let mut size = SMALLEST.min(n);
        let mut seconds = loop {
            let seconds = self.time(size)?;
            if size == n {
                return Some(Forecast::counted(seconds));
            }
            left -= seconds;
            if seconds * growth(engine, size + 1) > left {
                break seconds;
            }
            size += 1;
        };
        // Other work on the machine only ever adds time: while time is left, take the best of
        // several runs.
        while left > seconds {
            let again = self.time(size)?;
            left -= again;
            seconds = seconds.min(again);
        }
        if engine == Engine::TwoColourPlain {
            let rows = (n - size) as i32;
            return Some(Forecast {
                seconds: exactly(seconds * PLAIN_GROWTH.powi(rows)),
                basis: Basis::Growth {
                    per_row: PLAIN_GROWTH,
                    at: size,
                },
            });
        }
        let per_square = seconds / nodes(size, PROBES)?.mean / squares_per_node(engine, size);
        let seconds_per_node = per_square * squares_per_node(engine, n);
        let nodes = nodes(n, PROBES)?;
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

    /// Forecasts a board that is not plain. An engine with units folds the plain board by its eight
    /// symmetries, and any other board by those that it keeps and that map rows to rows. Its time
    /// grows with the square root of the placements, since it joins two halves. Seconds for n = 18
    /// on one thread (Intel Xeon, 2 vCPU, KVM, busy, 2026-11-17): 0.9 plain, 5.1 and 6.3 with one
    /// blocked square; 1.2, 0.54 and 0.13 with one, two and three given queens, which leave one in
    /// 17, 189 and 1755 solutions.
    fn on_board(&self, board: &Board) -> Option<Forecast> {
        let placements = expected_placements(board);
        let mut plain = self.count.clone();
        plain.board = None;
        if !plain.engine.has_units() {
            // The size does not matter: this is timed on small boards.
            plain.n = TIMED;
        }
        let n = plain.n;
        let has_units = plain.engine.has_units();
        let plain = forecast(&plain, self.budget, self.clock)?;
        let (factor, of, basis) = match has_units {
            false => {
                let (seconds_per_node, at) = plain.seconds_per_node(n)?;
                let basis = Basis::Nodes {
                    seconds_per_node,
                    at,
                };
                (seconds_per_node, exactly(placements), basis)
            }
            true => {
                use Symmetry::{Half, Identity, LeftRight, TopBottom};
                let all = Symmetry::ALL.len();
                let kept: Vec<Symmetry> = board.symmetries().collect();
                let to_rows = |symmetry: &&Symmetry| {
                    [Identity, Half, LeftRight, TopBottom].contains(symmetry)
                };
                let folds = match kept.len() == all {
                    true => all,
                    false => kept.iter().filter(to_rows).count(),
                };
                let share = placements / expected_placements(&Board::new(board.n()));
                let factor = share.sqrt() * (all / folds) as f64;
                (factor, plain.seconds, plain.basis)
            }
        };
        Some(Forecast {
            seconds: Estimate {
                mean: of.mean * factor,
                standard_error: of.standard_error * factor,
            },
            basis,
        })
    }

    fn by_units(&self) -> Option<Forecast> {
        // Boards of the same parity, up to the one that is asked for.
        let n = self.count.n;
        let first = if n <= 15 { n } else { 14 + n % 2 };
        let seconds = self.time(first)?;
        if first == n {
            return Some(Forecast::counted(seconds));
        }
        let threads = self.count.threads.get();
        let mut sample = Sample::new(units(first)?);
        // One thread's seconds per cost.
        let mut rate = exactly(seconds * threads as f64 / sample.units.total_cost());
        let mut timed = sample.units.len() as usize;
        // On the way up a few units correct the rate. The largest board of which some units fit
        // into what is left of the budget gets all of it, whether or not it is the one asked for.
        for n in (first + 2..=n).step_by(2) {
            let next = Sample::new(units(n)?);
            if next.affordable(0.4 * self.left(), rate.mean) < FEWEST_UNITS {
                break;
            }
            sample = next;
            let few = sample.affordable(0.1 * self.left(), rate.mean);
            let few = few.max(FEWEST_UNITS) * threads;
            if let Some(found) = self.time_units(&sample, few) {
                (rate, timed) = found;
            }
        }
        let many = sample.affordable(0.8 * self.left(), rate.mean) * threads;
        if many > timed
            && let Some(found) = self.time_units(&sample, many)
        {
            (rate, timed) = found;
        }
        let all = units(n)?;
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

    /// Counts the first `many` units of a sample on the count's threads: the mean seconds
    /// per cost, and how many units that rests on. `None` when stopped.
    fn time_units(&self, sample: &Sample, many: usize) -> Option<(Estimate, usize)> {
        let never = AtomicBool::new(false);
        let stop = self.count.stop.unwrap_or(&never);
        let Sample { units, drawn, .. } = sample;
        // In order, because every change of class makes new tables.
        let mut drawn = drawn[..many.min(drawn.len())].to_vec();
        drawn.sort_unstable();
        let next = AtomicUsize::new(0);
        let rates = Mutex::new(Running::default());
        let worker = || {
            let mut counter = Counter::new(units.n(), self.count.simd)?;
            while let Some(&unit) = drawn.get(next.fetch_add(1, Ordering::Relaxed)) {
                let start = (self.clock)();
                counter.count(unit, stop)?;
                let time = (self.clock)().saturating_sub(start).as_secs_f64();
                let mut rates = rates.lock().unwrap_or_else(PoisonError::into_inner);
                rates.add(time / units.cost(unit));
            }
            Some(())
        };
        let finished = share(self.count.threads.get(), drawn.len(), worker);
        if finished.contains(&None) {
            return None;
        }
        let rates = rates.into_inner().unwrap_or_else(PoisonError::into_inner);
        (!rates.is_empty()).then(|| (rates.estimate(), drawn.len()))
    }
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
        let drawn = sample_units(&units, most, SEED);
        let cost = drawn.iter().map(|&unit| units.cost(unit)).sum::<f64>() / most as f64;
        Sample { units, drawn, cost }
    }

    /// How many units a thread counts in this time, at `rate` seconds per cost.
    fn affordable(&self, seconds: f64, rate: f64) -> usize {
        (seconds / (self.cost * rate)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// A clock that goes on by a millisecond whenever it is looked at, on any machine.
    fn ticking() -> impl Fn() -> Duration + Sync {
        let ticks = AtomicU64::new(0);
        move || Duration::from_millis(ticks.fetch_add(1, Ordering::Relaxed))
    }

    #[test]
    fn a_count_within_the_budget_is_its_own_forecast() {
        for engine in [Engine::Lines, Engine::Mirror, Engine::TwoColour] {
            let count = Count::new(5).engine(engine);
            let found = forecast(&count, Duration::from_secs(1), &ticking()).unwrap();
            assert_eq!(found.basis, Basis::Counted, "{engine}");
            assert_eq!(found.time(), Duration::from_millis(1), "{engine}");
        }
    }

    /// Every count takes a millisecond on the ticking clock: the last board that fits is the
    /// one whose successor, by the growth of the tree, would not.
    #[test]
    fn nodes_are_timed_on_the_largest_board_that_fits() {
        let count = Count::new(20).engine(Engine::Bitmask);
        let found = forecast(&count, Duration::from_millis(8), &ticking()).unwrap();
        let Basis::Nodes {
            seconds_per_node,
            at,
        } = found.basis
        else {
            panic!("{found:?}");
        };
        let exact = super::super::nodes(at) as f64;
        assert!(
            (seconds_per_node - 0.001 / exact).abs() < 1e-12,
            "{found:?}"
        );
        assert!((6..10).contains(&at), "{found:?}");
        let expected = nodes(20, PROBES).unwrap().mean * seconds_per_node;
        assert_eq!(found.seconds.mean, expected);
    }

    /// It does not visit the nodes of the search tree, whose number grows faster.
    #[test]
    fn two_colour_plain_is_forecast_by_its_own_growth() {
        let count = Count::new(20).engine(Engine::TwoColourPlain);
        let found = forecast(&count, Duration::from_millis(8), &ticking()).unwrap();
        let Basis::Growth { per_row, at } = found.basis else {
            panic!("{found:?}");
        };
        assert!((6..12).contains(&at), "{found:?}");
        let expected = 0.001 * per_row.powi(20 - at as i32);
        assert!((found.seconds.mean / expected - 1.0).abs() < 1e-9);
        assert_eq!(found.interval(), found.seconds.mean..=found.seconds.mean);
    }

    /// With hours to spend, even the board on which boards are timed is counted.
    #[test]
    fn a_backtracker_whose_plain_board_was_counted_has_seconds_per_node() {
        let counted = Forecast::counted(3.0);
        let nodes = super::super::nodes(8) as f64;
        assert_eq!(counted.seconds_per_node(8), Some((3.0 / nodes, 8)));
    }

    #[test]
    fn units_are_timed_and_scaled_by_cost() {
        let count = Count::new(18).engine(Engine::TwoColour).threads(2);
        let found = forecast(&count, Duration::from_secs(2), &ticking()).unwrap();
        let Basis::Units { timed, all, at } = found.basis else {
            panic!("{found:?}");
        };
        assert_eq!(all, units(18).unwrap().len());
        assert!(timed > 0 && at.is_multiple_of(2) && at <= 18, "{found:?}");
        assert!(found.seconds.mean > 0.0);
        assert_eq!(found.interval(), found.seconds.interval(timed));
    }

    #[test]
    fn boards_are_forecast_by_what_is_left_of_the_plain_one() {
        let seconds = |board: &Board, engine: Engine| {
            // Every count takes a millisecond on the ticking clock, however long it takes.
            let budget = if engine.has_units() { 2_000 } else { 8 };
            let budget = Duration::from_millis(budget);
            let count = Count::on(board).engine(engine);
            forecast(&count, budget, &ticking()).unwrap().seconds.mean
        };
        let plain = Board::new(18);
        let corner = [crate::Square::new(0, 0)];
        let blocked = plain.clone().with_blocked(corner).unwrap();
        let given = plain.clone().with_given(corner).unwrap();
        let fewer = plain.clone().with_queens(12).unwrap();
        for engine in [Engine::Bitmask, Engine::TwoColour] {
            let plain = seconds(&plain, engine);
            assert!(seconds(&given, engine) < 3.0 * plain, "{engine}");
            let ratio = seconds(&blocked, engine) / plain;
            let lost = if engine.has_units() { 8.0 } else { 1.0 };
            assert!(
                (0.4 * lost..2.5 * lost).contains(&ratio),
                "{engine}: {ratio}"
            );
        }
        let plain = seconds(&plain, Engine::Bitmask);
        assert!(seconds(&fewer, Engine::Bitmask) > 10.0 * plain);
        let cannot = Count::on(&fewer).engine(Engine::TwoColour);
        let budget = Duration::from_millis(8);
        assert_eq!(forecast(&cannot, budget, &ticking()), None);
    }

    #[test]
    fn what_cannot_be_counted_or_was_stopped_has_no_forecast() {
        let budget = Duration::from_millis(10);
        let large = Count::new(33).engine(Engine::Bitmask);
        assert_eq!(forecast(&large, budget, &ticking()), None);
        let stop = AtomicBool::new(true);
        for engine in [Engine::Lines, Engine::TwoColour] {
            let stopped = Count::new(18).engine(engine).stop(&stop);
            assert_eq!(forecast(&stopped, budget, &ticking()), None, "{engine}");
        }
    }

    #[test]
    fn work_grows_from_board_to_board() {
        for &engine in crate::count::ENGINES {
            // From even to odd boards two-colour may gain more than the board grows.
            for n in 8..=12 {
                let two_rows = growth(engine, n) * growth(engine, n + 1);
                assert!(two_rows > 2.0, "{engine} at n = {n}: {two_rows}");
            }
        }
    }
}
