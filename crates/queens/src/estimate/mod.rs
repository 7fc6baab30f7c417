//! How large a count will be, before it is made.
//!
//! A backtracker's work is the number of nodes of its search tree, which nobody knows
//! before the search is done. Knuth's probe guesses it without bias: go down from the
//! root, at every row choose one of the `k` free squares at random, and multiply the `k`s. The
//! product `k_0 k_1 .. k_(d-1)` is the inverse of the chance of getting here, so its mean over all
//! probes is exactly the number of nodes at depth `d`, and the sum over all depths is the number of
//! nodes. A [`Probe`] repeats this and keeps mean and variance, so that the answer comes with its
//! standard error; the products at depth `n` estimate the number of solutions.
//!
//! The two-colour engine has no such tree. It has numbered units with expected costs, and
//! `sample_units` draws units with a chance in proportion to their cost, so that a few measured
//! units tell most about all of them.
//!
//! [`forecast()`] adds a clock to either and says how long a count will take.
//!
//! Reference: D. E. Knuth, Estimating the efficiency of backtrack programs, Mathematics of
//! Computation 29 (1975). Randomness comes from a seed: the same seed, the same estimate.

mod forecast;

pub use forecast::{Basis, Forecast, forecast, growth, tree};

use std::ops::RangeInclusive;

use crate::approximate::student;
use crate::count::two_colour::Units;
use crate::random::Random;

/// The largest board that can be probed: a row is a 64-bit word.
pub const LARGEST_N: usize = 64;

/// A mean of random probes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error: two times out of three the truth is no further away.
    pub standard_error: f64,
}

impl Estimate {
    /// The standard error as a share of the mean; 0 if the mean is 0.
    pub fn relative_error(&self) -> f64 {
        if self.mean == 0.0 {
            0.0
        } else {
            self.standard_error / self.mean
        }
    }

    /// The interval of 95 % around a mean of this many independent numbers, by Student's quantile:
    /// over many seeds, 95 of 100 such intervals hold the truth, if the numbers are many and none
    /// outweighs the rest. (The solutions that a [`Probe`] of more than 40 rows finds do: at 64
    /// rows 85 of 100 intervals of 100,000 probes hold.) The interval does not go below 0, and is
    /// the mean alone if there is no error.
    ///
    /// ```
    /// use queens::estimate::Estimate;
    ///
    /// let estimate = Estimate { mean: 100.0, standard_error: 1.0 };
    /// let interval = estimate.interval(100_000);
    /// assert!((interval.end() - 101.96).abs() < 0.01);
    /// ```
    pub fn interval(&self, numbers: u64) -> RangeInclusive<f64> {
        // The expansion of the quantile is of no use below three degrees of freedom.
        let freedom = numbers.saturating_sub(1).max(3) as f64;
        let half = student(freedom) * self.standard_error;
        (self.mean - half).max(0.0)..=self.mean + half
    }
}

/// Mean and variance of numbers that come one by one, without loss of precision.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Running {
    numbers: u64,
    mean: f64,
    squares: f64,
}

impl Running {
    /// Takes one number.
    pub(crate) fn add(&mut self, number: f64) {
        self.numbers += 1;
        let before = number - self.mean;
        self.mean += before / self.numbers as f64;
        self.squares += before * (number - self.mean);
    }

    /// How many numbers there were.
    pub(crate) fn len(&self) -> u64 {
        self.numbers
    }

    /// Whether there was none yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers == 0
    }

    /// The mean, with its standard error (0 for fewer than two numbers).
    pub(crate) fn estimate(&self) -> Estimate {
        let k = self.numbers as f64;
        let variance = if self.numbers < 2 {
            0.0
        } else {
            self.squares / (k - 1.0) / k
        };
        Estimate {
            mean: self.mean,
            standard_error: variance.sqrt(),
        }
    }
}

/// Random probes of the search tree of one board.
///
/// A node is a placement of some queens in the first rows, none attacking another, the
/// empty board included: what `queens tree` draws.
///
/// ```
/// use queens::estimate::{Probe, nodes};
///
/// let mut probe = Probe::new(8, 1).unwrap();
/// probe.run(10_000);
/// let found = probe.nodes();
/// assert_eq!(nodes(8), 2057);
/// assert!((found.mean - 2057.0).abs() < 4.0 * found.standard_error);
/// assert!(found.relative_error() < 0.01);
/// ```
#[derive(Clone, Debug)]
pub struct Probe {
    n: usize,
    random: Random,
    nodes: Running,
    solutions: Running,
}

impl Probe {
    /// Prepares to probe a board of size `n`; `None` above [`LARGEST_N`].
    pub fn new(n: usize, seed: u64) -> Option<Probe> {
        (n <= LARGEST_N).then(|| Probe {
            n,
            random: Random::new(seed),
            nodes: Running::default(),
            solutions: Running::default(),
        })
    }

    /// Makes `probes` more probes.
    pub fn run(&mut self, probes: u64) {
        for _ in 0..probes {
            let (nodes, solutions) = self.descend();
            self.nodes.add(nodes);
            self.solutions.add(solutions);
        }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> Estimate {
        self.nodes.estimate()
    }

    /// The number of solutions.
    pub fn solutions(&self) -> Estimate {
        self.solutions.estimate()
    }

    /// How many probes were made.
    pub fn probes(&self) -> u64 {
        self.nodes.len()
    }

    /// One descent: its estimates of the numbers of nodes and of solutions.
    fn descend(&mut self) -> (f64, f64) {
        let all = all_cols(self.n);
        let (mut cols, mut diag, mut anti) = (0u64, 0u64, 0u64);
        let (mut product, mut nodes) = (1.0, 1.0);
        for _ in 0..self.n {
            let mut free = all & !(cols | diag | anti);
            let squares = free.count_ones();
            if squares == 0 {
                return (nodes, 0.0);
            }
            product *= f64::from(squares);
            nodes += product;
            for _ in 0..self.random.below(squares.into()) {
                free &= free - 1;
            }
            let bit = free & free.wrapping_neg();
            cols |= bit;
            diag = (diag | bit) << 1;
            anti = (anti | bit) >> 1;
        }
        (nodes, product)
    }
}

fn all_cols(n: usize) -> u64 {
    match n {
        0 => 0,
        _ => u64::MAX >> (64 - n),
    }
}

/// The exact number of nodes of the search tree, by visiting them all: for calibration and tests.
/// Each further row takes about five times as long.
///
/// # Panics
///
/// Above [`LARGEST_N`], which no one waits for.
pub fn nodes(n: usize) -> u64 {
    fn below(all: u64, cols: u64, diag: u64, anti: u64) -> u64 {
        let mut free = all & !(cols | diag | anti);
        let mut nodes = 1;
        while free != 0 {
            let bit = free & free.wrapping_neg();
            free ^= bit;
            nodes += below(all, cols | bit, (diag | bit) << 1, (anti | bit) >> 1);
        }
        nodes
    }
    assert!(n <= LARGEST_N, "no board larger than {LARGEST_N}");
    below(all_cols(n), 0, 0, 0)
}

/// Draws `count` units, with repetition, each with a chance in proportion to its cost.
///
/// The expected time of all units is then the total cost times the mean of time over cost of the
/// units drawn, and the first of them are as good a sample as all. If there are very many units,
/// only a random part of them have their costs looked up.
pub(crate) fn sample_units(units: &Units, count: usize, seed: u64) -> Vec<u64> {
    const ALL_UP_TO: u64 = 1 << 16;
    let mut random = Random::new(seed);
    let candidates: Vec<u64> = if units.len() <= ALL_UP_TO {
        (0..units.len()).collect()
    } else {
        (0..ALL_UP_TO).map(|_| random.below(units.len())).collect()
    };
    // The cost of each candidate and all before it.
    let mut sum = 0.0;
    let sums: Vec<f64> = candidates
        .iter()
        .map(|&unit| {
            sum += units.cost(unit);
            sum
        })
        .collect();
    // Golden-ratio steps spread any number of points evenly, so a short sample reaches all
    // classes sooner than independent draws would.
    const STEP: f64 = 0.618_033_988_749_894_9;
    let start = random.share();
    (0..count)
        .map(|k| {
            let at = (start + k as f64 * STEP).fract() * sum;
            let place = sums.partition_point(|&sum| sum <= at);
            candidates[place.min(candidates.len() - 1)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::two_colour::units;
    use crate::known;
    use crate::search::tree::{Limit, Tree};

    #[test]
    fn a_running_mean_is_the_mean_of_all_numbers() {
        let mut running = Running::default();
        assert!(running.is_empty());
        for number in [1.0, 2.0, 3.0, 6.0] {
            running.add(number);
        }
        let estimate = running.estimate();
        assert_eq!((running.len(), estimate.mean), (4, 3.0));
        assert!((estimate.standard_error - (14.0f64 / 12.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn exact_nodes_are_the_nodes_of_the_drawn_tree() {
        let limit = Limit {
            nodes: usize::MAX,
            leaves: usize::MAX,
        };
        for n in 0..=9 {
            let tree = Tree::build(n, None, limit).unwrap();
            assert_eq!(nodes(n), tree.levels().iter().sum::<u64>(), "n={n}");
        }
    }

    #[test]
    fn probes_estimate_exact_trees_within_their_error() {
        for n in 0..=12 {
            let exact = nodes(n) as f64;
            let solutions = known::known(n).unwrap().all as f64;
            for seed in 0..5 {
                let mut probe = Probe::new(n, seed).unwrap();
                probe.run(20_000);
                let found = probe.nodes();
                let miss = (found.mean - exact).abs();
                assert!(
                    miss <= 4.0 * found.standard_error + 1e-9,
                    "n={n} seed={seed} {found:?}"
                );
                assert!(found.relative_error() < 0.01, "n={n} {found:?}");
                let found = probe.solutions();
                let miss = (found.mean - solutions).abs();
                assert!(
                    miss <= 4.0 * found.standard_error + 1e-9,
                    "n={n} seed={seed} {found:?}"
                );
            }
        }
    }

    /// An error bar that is too wide would pass the test above: here about a third of 300 estimates
    /// must also miss by more than one standard error.
    #[test]
    fn a_third_of_the_estimates_misses_by_more_than_the_error() {
        let exact = nodes(9) as f64;
        let misses = (0..300).filter(|&seed| {
            let mut probe = Probe::new(9, seed).unwrap();
            probe.run(200);
            let found = probe.nodes();
            (found.mean - exact).abs() > found.standard_error
        });
        let misses = misses.count();
        assert!((60..=140).contains(&misses), "{misses} of 300");
    }

    #[test]
    fn nineteen_of_twenty_intervals_hold_the_truth() {
        let exact = nodes(9) as f64;
        let holds = (0..400).filter(|&seed| {
            let mut probe = Probe::new(9, seed).unwrap();
            probe.run(200);
            probe.nodes().interval(200).contains(&exact)
        });
        let holds = holds.count();
        assert!((365..=395).contains(&holds), "{holds} of 400");
    }

    #[test]
    fn an_interval_stays_above_zero_and_is_a_point_without_an_error() {
        let wide = Estimate {
            mean: 1.0,
            standard_error: 1.0,
        };
        let interval = wide.interval(4);
        assert_eq!(*interval.start(), 0.0);
        assert!((*interval.end() - 4.18).abs() < 0.03, "{interval:?}");
        let exact = Estimate {
            mean: 2.0,
            standard_error: 0.0,
        };
        assert_eq!(exact.interval(1), 2.0..=2.0);
    }

    #[test]
    fn the_same_seed_gives_the_same_estimate() {
        let estimate = |seed| {
            let mut probe = Probe::new(14, seed).unwrap();
            probe.run(100);
            (probe.nodes(), probe.solutions(), probe.probes())
        };
        assert_eq!(estimate(7), estimate(7));
        assert_ne!(estimate(7), estimate(8));
        assert!(Probe::new(LARGEST_N + 1, 0).is_none());
    }

    #[test]
    fn the_largest_board_can_be_probed() {
        let mut probe = Probe::new(LARGEST_N, 3).unwrap();
        probe.run(10);
        assert!(probe.nodes().mean > 1e20);
    }

    /// The sample weighs like the costs: over many draws each class has its share.
    #[test]
    fn units_are_drawn_in_proportion_to_their_cost() {
        let units = units(16).unwrap();
        let drawn = sample_units(&units, 10_000, 5);
        for c in 0..=4 {
            let cost: f64 = (0..units.len())
                .filter(|&unit| units.class(unit) == c)
                .map(|unit| units.cost(unit))
                .sum();
            let expected = cost / units.total_cost();
            let share = drawn.iter().filter(|&&unit| units.class(unit) == c).count() as f64 / 1e4;
            assert!(
                (share - expected).abs() < 0.01,
                "c={c}: {share} for {expected}"
            );
        }
    }
}
