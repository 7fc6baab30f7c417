//! About how many solutions there are, with an interval, far beyond what can be counted.
//!
//! Two methods that share nothing but the random numbers make *runs*. Each run is an
//! independent, unbiased estimate of `Q(n)`: over all seeds its mean is the truth.
//!
//! | method | idea | boards |
//! |---|---|---|
//! | [`Method::Rows`] | the search tree row by row, a sample of every level | 4 to 128 |
//! | [`Method::Annealing`] | random permutations cooled down to solutions | 4 to 1,000 |
//!
//! [`Estimate::of`] makes one estimate with an interval out of many runs. Runs of such methods
//! are close to log-normal (J. Bérard, P. Del Moral, A. Doucet, A lognormal central limit
//! theorem for particle approximations of normalizing constants, Electronic Journal of
//! Probability 19, 2014): their logarithms are normal, with a mean that lies half their
//! variance `s²` below the truth. So the estimate is the mean logarithm of `k` runs plus
//! `s² / 2`, its standard error is `sqrt(s² / k + s⁴ / (2 (k - 1)))` (Cox's, in C. E. Land,
//! Technometrics 14, 1972), and the interval of 95 % takes Student's quantile for `k - 1`. If there
//! are 64 runs or more, they are first averaged in 32 groups; the larger the groups, the closer
//! their means are to normal.
//!
//! **What this promises.** Over many seeds, about 95 of 100 intervals hold the true number; the
//! tests check that against the exact counts. It promises nothing about one interval, and it trusts
//! that the runs have met everything that matters: a method that never met a rare kind of solution
//! could not know. But two methods without a common idea agree with each other, and both with the
//! exact counts to n = 27.
//!
//! Everything is a pure function of a seed and a number of runs; nothing here reads a clock.
//!
//! ```
//! use queens::approximate::Approximate;
//!
//! let estimate = Approximate::new(20)?.seed(1).runs(16).unwrap();
//! let truth = 39_029_188_884f64.ln();
//! assert!(estimate.holds(truth));
//! assert!(estimate.relative_error() < 0.05);
//! # Ok::<(), queens::approximate::ApproximateError>(())
//! ```

mod annealing;
mod rows;

use std::fmt;
use std::ops::RangeInclusive;

use crate::named::named;
use crate::random::Random;

/// The boards that can be estimated.
pub const SIZES: RangeInclusive<usize> = 4..=1000;

/// The fewest runs that make an estimate.
pub const FEWEST_RUNS: usize = 8;

/// The constant of the number of solutions for large boards, `(n exp(-ALPHA))^n`.
///
/// M. Simkin, The number of n-queens configurations, Advances in Mathematics 427 (2023, first
/// posted in 2021), proves that there is such a constant, between 1.94 and 1.9449; P. Nobel,
/// A. Agrawal and S. Boyd, Computing tighter bounds on the n-queens constant via Newton's
/// method, Optimization Letters (2022), have computed these figures.
pub const ALPHA: f64 = 1.944_00;

/// The logarithm of the asymptotic number of solutions, `n (ln n - ALPHA)`; 0 for the empty board.
///
/// The truth is larger, by a residual that grows slowly: 3.353 for 20 queens, 3.498 for 27.
///
/// ```
/// use queens::approximate::asymptotic;
///
/// let residual = 234_907_967_154_122_528f64.ln() - asymptotic(27);
/// assert!((residual - 3.498).abs() < 0.0005);
/// ```
pub fn asymptotic(n: usize) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let n = n as f64;
    n * (n.ln() - ALPHA)
}

/// A way to estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Stochastic enumeration: the search tree row by row, a sample of every level.
    Rows,
    /// Population annealing: random permutations cooled down to solutions.
    Annealing,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 2] = [Method::Rows, Method::Annealing];

    /// The name, as `--method` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Rows => "rows",
            Method::Annealing => "annealing",
        }
    }

    /// One line on how it works.
    pub fn summary(self) -> &'static str {
        match self {
            Method::Rows => "the search tree row by row, a sample of every level",
            Method::Annealing => "random permutations cooled down to solutions",
        }
    }

    /// The largest board it can estimate.
    pub fn largest_n(self) -> usize {
        match self {
            Method::Rows => rows::LARGEST_N,
            Method::Annealing => *SIZES.end(),
        }
    }

    /// The more precise one for a board of size `n`.
    pub fn for_size(n: usize) -> Method {
        match n {
            ..=rows::LARGEST_N => Method::Rows,
            _ => Method::Annealing,
        }
    }
}

named! {
    Method, "method",
    /// No method has this name.
    ///
    /// ```
    /// use queens::approximate::Method;
    ///
    /// assert_eq!("rows".parse(), Ok(Method::Rows));
    /// assert_eq!(Method::Rows.to_string(), "rows");
    /// assert_eq!(
    ///     "other".parse::<Method>().unwrap_err().to_string(),
    ///     "no method is called \"other\"; there are rows, annealing"
    /// );
    /// ```
    UnknownMethod
}

/// Why there is no estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApproximateError {
    /// The board is too small or too large for any method.
    Size(usize),
    /// The board is too large for the method chosen.
    Method(Method, usize),
}

impl fmt::Display for ApproximateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApproximateError::Size(n) => {
                let (least, most) = (SIZES.start(), SIZES.end());
                write!(
                    f,
                    "boards from n = {least} to {most} can be estimated, not {n}"
                )
            }
            ApproximateError::Method(method, n) => {
                let (name, most) = (method.name(), method.largest_n());
                write!(
                    f,
                    "method {name} estimates boards up to n = {most}, not {n}"
                )
            }
        }
    }
}

impl std::error::Error for ApproximateError {}

/// An estimate to be made: the board, the method and the seed.
#[must_use = "nothing is sampled until `run` or `runs` is called"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approximate {
    n: usize,
    method: Method,
    seed: u64,
}

impl Approximate {
    /// For a board of size `n`, by the method that suits it, with the seed 0.
    ///
    /// # Errors
    ///
    /// If `n` is not in [`SIZES`].
    pub fn new(n: usize) -> Result<Approximate, ApproximateError> {
        match SIZES.contains(&n) {
            true => Ok(Approximate {
                n,
                method: Method::for_size(n),
                seed: 0,
            }),
            false => Err(ApproximateError::Size(n)),
        }
    }

    /// Chooses the method.
    ///
    /// # Errors
    ///
    /// If the board is too large for it.
    pub fn method(self, method: Method) -> Result<Approximate, ApproximateError> {
        match self.n <= method.largest_n() {
            true => Ok(Approximate { method, ..self }),
            false => Err(ApproximateError::Method(method, self.n)),
        }
    }

    /// Chooses the seed: the same seed, the same runs.
    pub fn seed(self, seed: u64) -> Approximate {
        Approximate { seed, ..self }
    }

    /// The method that will be used.
    pub fn chosen(&self) -> Method {
        self.method
    }

    /// One run: the logarithm of an unbiased estimate of the number of solutions. Runs of
    /// different numbers are independent of each other, and can be made in any order and on any
    /// threads. Minus infinity stands for 0: the run met no solution.
    pub fn run(&self, number: u64) -> f64 {
        // The generator's own words seed the runs, so they start far apart in its sequence.
        let mut seeds = Random::at(self.seed, number.wrapping_mul(2));
        let mut random = Random::new(seeds.bits() ^ seeds.bits().rotate_left(32));
        match self.method {
            Method::Rows => rows::run(self.n, &mut random),
            Method::Annealing => annealing::run(self.n, &mut random),
        }
    }

    /// Runs 0 to `runs - 1` and the estimate they make, as by [`Estimate::of`].
    pub fn runs(&self, runs: u64) -> Option<Estimate> {
        let runs: Vec<f64> = (0..runs).map(|number| self.run(number)).collect();
        Estimate::of(&runs)
    }
}

/// An estimate with its interval, all as natural logarithms: the numbers themselves need not
/// fit any type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The logarithm of the estimate.
    pub ln: f64,
    /// The logarithm of the lower end of the interval of 95 %.
    pub ln_low: f64,
    /// The logarithm of the upper end.
    pub ln_high: f64,
    /// How many runs it is made of.
    pub runs: usize,
}

impl Estimate {
    /// The estimate that some runs make, given as logarithms. `None` for fewer than
    /// [`FEWEST_RUNS`], or where too many of them met no solution.
    ///
    /// ```
    /// use queens::approximate::Estimate;
    ///
    /// let same = Estimate::of(&[3.0; 8]).unwrap();
    /// assert_eq!((same.ln, same.ln_low, same.ln_high), (3.0, 3.0, 3.0));
    /// assert_eq!(Estimate::of(&[3.0; 7]), None);
    /// ```
    pub fn of(runs: &[f64]) -> Option<Estimate> {
        const GROUPS: usize = 32;
        if runs.len() < FEWEST_RUNS {
            return None;
        }
        let groups = match runs.len() {
            few if few < 2 * GROUPS => few,
            _ => GROUPS,
        };
        let means: Vec<f64> = (0..groups)
            .map(|group| ln_mean(runs.iter().copied().skip(group).step_by(groups)))
            .collect();
        if !means.iter().all(|mean| mean.is_finite()) {
            return None;
        }
        let k = groups as f64;
        // Sums are relative to the first mean, so equal runs have exactly no variance.
        let (first, mut sum) = (means[0], 0.0);
        for mean in &means {
            sum += mean - first;
        }
        let mean = first + sum / k;
        let variance = means.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (k - 1.0);
        let error = (variance / k + variance.powi(2) / (2.0 * (k - 1.0))).sqrt();
        let ln = mean + variance / 2.0;
        let margin = student(k - 1.0) * error;
        Some(Estimate {
            ln,
            ln_low: ln - margin,
            ln_high: ln + margin,
            runs: runs.len(),
        })
    }

    /// Whether the interval holds a number with this logarithm. The ends belong to it, and so does
    /// what differs from them only by rounding.
    pub fn holds(&self, ln: f64) -> bool {
        let rounding = 1e-12 * self.ln.abs().max(1.0);
        (self.ln_low - rounding..=self.ln_high + rounding).contains(&ln)
    }

    /// Half the length of the interval, as a share of the estimate.
    pub fn relative_error(&self) -> f64 {
        (self.ln_high - self.ln_low) / 2.0
    }

    /// How far the logarithm lies above [`asymptotic`].
    pub fn residual(&self, n: usize) -> f64 {
        self.ln - asymptotic(n)
    }
}

/// The logarithm of the mean of numbers given by their logarithms.
fn ln_mean(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = numbers.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    let (mut sum, mut count) = (0.0, 0.0);
    for ln in numbers {
        sum += (ln - largest).exp();
        count += 1.0;
    }
    largest + f64::ln(sum / count)
}

/// Student's quantile of 97.5 % for this many degrees of freedom: the first terms of its
/// expansion around the normal quantile (M. Abramowitz and I. A. Stegun, Handbook of Mathematical
/// Functions, 26.7.5), right to one part in a hundred from 3 degrees on and to one in a thousand
/// from 7.
pub(crate) fn student(freedom: f64) -> f64 {
    let z = 1.959_963_984_540_054_f64;
    let terms = [
        z,
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    terms
        .iter()
        .rev()
        .fold(0.0, |sum, term| sum / freedom + term)
}

/// A number given by its logarithm, as `2.58e18`, with this many figures after the point, at most
/// 15.
///
/// ```
/// use queens::approximate::scientific;
///
/// assert_eq!(scientific(92f64.ln(), 2), "9.20e1");
/// assert_eq!(scientific(4968.7, 1), "7.6e2157");
/// assert_eq!(scientific(9.999f64.ln(), 1), "1.0e1");
/// assert_eq!(scientific(f64::NEG_INFINITY, 1), "0");
/// ```
pub fn scientific(ln: f64, figures: usize) -> String {
    if ln == f64::NEG_INFINITY {
        return "0".to_owned();
    }
    let figures = figures.min(f64::DIGITS as usize);
    let log10 = ln / std::f64::consts::LN_10;
    let (mut exponent, mut mantissa) = (log10.floor(), 10f64.powf(log10 - log10.floor()));
    let unit = 10f64.powi(figures as i32);
    mantissa = (mantissa * unit).round() / unit;
    if mantissa >= 10.0 {
        mantissa /= 10.0;
        exponent += 1.0;
    }
    format!("{mantissa:.figures$}e{exponent:.0}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known;

    fn truths() -> impl Iterator<Item = (usize, f64)> {
        known::all()
            .filter(|known| SIZES.contains(&known.n))
            .map(|known| (known.n, (known.all as f64).ln()))
    }

    /// Both methods, all published boards: 24 intervals each, of which 95 % should hold the
    /// truth. Fewer than 20 would happen once in 300 times.
    #[test]
    fn intervals_hold_the_exact_counts() {
        for method in Method::ALL {
            let held = truths().filter(|&(n, truth)| {
                let approximate = Approximate::new(n).unwrap().method(method).unwrap();
                approximate.seed(7).runs(8).unwrap().holds(truth)
            });
            let held = held.count();
            assert!(held >= 20, "{} holds {held} of 24", method.name());
        }
    }

    /// An interval that is too wide would hold everything. Here each estimate must be precise
    /// too, and some must miss.
    #[test]
    fn intervals_are_as_wide_as_they_must_be() {
        let truth = 14_772_512f64.ln();
        for (method, width) in [(Method::Rows, 0.05), (Method::Annealing, 0.4)] {
            let approximate = Approximate::new(16).unwrap().method(method).unwrap();
            let estimates: Vec<Estimate> = (0..100)
                .map(|seed| approximate.seed(seed).runs(8).unwrap())
                .collect();
            let held = estimates.iter().filter(|estimate| estimate.holds(truth));
            let held = held.count();
            assert!((88..=99).contains(&held), "{} held {held}", method.name());
            let mean: f64 = estimates.iter().map(Estimate::relative_error).sum();
            assert!(mean / 100.0 < width, "{}: {mean} %", method.name());
        }
    }

    #[test]
    fn the_two_methods_agree_where_nobody_has_counted() {
        for n in [28, 40, 70] {
            let by = |method| {
                let approximate = Approximate::new(n).unwrap().method(method).unwrap();
                approximate.seed(5).runs(12).unwrap()
            };
            let (rows, annealing) = (by(Method::Rows), by(Method::Annealing));
            let (a, b) = (rows.relative_error(), annealing.relative_error());
            assert!(
                (rows.ln - annealing.ln).abs() < 1.5 * a.hypot(b),
                "n = {n}: {rows:?} {annealing:?}"
            );
        }
    }

    #[test]
    fn a_board_whose_tree_fits_is_counted() {
        let estimate = Approximate::new(8).unwrap().runs(8).unwrap();
        assert_eq!(estimate.relative_error(), 0.0);
        assert!(estimate.holds(92f64.ln()));
        assert!(!estimate.holds(93f64.ln()));
    }

    #[test]
    fn the_same_seed_gives_the_same_runs_and_another_seed_others() {
        for method in Method::ALL {
            let approximate = Approximate::new(14).unwrap().method(method).unwrap();
            assert_eq!(approximate.seed(3).run(5), approximate.seed(3).run(5));
            assert_ne!(approximate.seed(3).run(5), approximate.seed(3).run(6));
            assert_ne!(approximate.seed(3).run(5), approximate.seed(4).run(5));
        }
    }

    #[test]
    fn boards_out_of_reach_are_refused() {
        for n in [0, 3, 1001] {
            assert_eq!(Approximate::new(n), Err(ApproximateError::Size(n)));
        }
        let large = Approximate::new(129).unwrap();
        assert_eq!(large.chosen(), Method::Annealing);
        assert!(large.method(Method::Rows).is_err());
    }

    /// From tables of the distribution.
    #[test]
    fn quantiles_are_those_of_student() {
        for (freedom, quantile) in [
            (7.0, 2.3646),
            (11.0, 2.2010),
            (31.0, 2.0395),
            (1e9, 1.95996),
        ] {
            assert!((student(freedom) - quantile).abs() < 0.001, "{freedom}");
        }
        assert!((student(3.0) / 3.182 - 1.0).abs() < 0.01);
    }

    /// Log-normal runs with a known truth: the intervals hold it 95 times in 100, for few runs
    /// and for many, whether they differ little or much.
    #[test]
    fn intervals_hold_the_truth_of_made_up_runs() {
        let mut random = Random::new(11);
        let mut normal = || {
            let radius = (-2.0 * (1.0 - random.share()).ln()).sqrt();
            radius * (std::f64::consts::TAU * random.share()).cos()
        };
        for (runs, spread) in [(8, 0.1), (12, 0.6), (40, 0.6), (200, 0.6)] {
            let tries = 2_000;
            let held = (0..tries).filter(|_| {
                let runs: Vec<f64> = (0..runs)
                    .map(|_| 50.0 - spread * spread / 2.0 + spread * normal())
                    .collect();
                Estimate::of(&runs).unwrap().holds(50.0)
            });
            let share = held.count() as f64 / f64::from(tries);
            // A standard error is half a percent.
            assert!((0.93..0.97).contains(&share), "{runs} {spread}: {share}");
        }
    }

    #[test]
    fn runs_that_met_nothing_make_no_estimate() {
        let mut runs = [1.0; 8];
        runs[3] = f64::NEG_INFINITY;
        assert_eq!(Estimate::of(&runs), None);
        let mut many = vec![1.0; 640];
        many[3] = f64::NEG_INFINITY;
        assert!(Estimate::of(&many).unwrap().ln < 1.01);
    }
}
