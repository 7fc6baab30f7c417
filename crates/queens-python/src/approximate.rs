//! `approximate`: about how many solutions there are, with an interval.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use queens::approximate::{
    Approximate, Estimate as Numbers, FEWEST_RUNS, Method, asymptotic, scientific,
};
use queens::threads::share;

use crate::argument::{Amount, Seed, Size, Threads, named, value_error};
use crate::supervise::{Progress, Watch, supervise};

/// An estimate with its interval of 95 %. The numbers may exceed any float, so there are their
/// natural logarithms too, and the text.
///
/// >>> estimate = approximate(8)
/// >>> print(estimate)
/// 92 solutions for n = 8: the whole tree was followed
/// >>> round(estimate.value), estimate.relative_error
/// (92, 0.0)
#[pyclass(frozen, module = "queenside")]
pub struct Estimate {
    n: usize,
    method: Method,
    seed: u64,
    numbers: Numbers,
}

#[pymethods]
impl Estimate {
    /// The size of the board.
    ///
    /// >>> approximate(8).n
    /// 8
    #[getter]
    fn n(&self) -> usize {
        self.n
    }

    /// The estimate; inf where it exceeds a float.
    ///
    /// >>> round(approximate(8).value)
    /// 92
    #[getter]
    fn value(&self) -> f64 {
        self.numbers.ln.exp()
    }

    /// The lower end of the interval.
    ///
    /// >>> round(approximate(8).low)
    /// 92
    #[getter]
    fn low(&self) -> f64 {
        self.numbers.ln_low.exp()
    }

    /// The upper end of the interval.
    ///
    /// >>> round(approximate(8).high)
    /// 92
    #[getter]
    fn high(&self) -> f64 {
        self.numbers.ln_high.exp()
    }

    /// The natural logarithm of the estimate.
    ///
    /// >>> round(approximate(8).ln, 4)
    /// 4.5218
    #[getter]
    fn ln(&self) -> f64 {
        self.numbers.ln
    }

    /// The natural logarithm of the lower end.
    ///
    /// >>> round(approximate(8).ln_low, 4)
    /// 4.5218
    #[getter]
    fn ln_low(&self) -> f64 {
        self.numbers.ln_low
    }

    /// The natural logarithm of the upper end.
    ///
    /// >>> round(approximate(8).ln_high, 4)
    /// 4.5218
    #[getter]
    fn ln_high(&self) -> f64 {
        self.numbers.ln_high
    }

    /// Half the length of the interval, as a share of the estimate.
    ///
    /// >>> approximate(8).relative_error
    /// 0.0
    #[getter]
    fn relative_error(&self) -> f64 {
        self.numbers.relative_error()
    }

    /// How many runs it is made of.
    ///
    /// >>> approximate(20, runs=10).runs
    /// 10
    #[getter]
    fn runs(&self) -> usize {
        self.numbers.runs
    }

    /// The method: "rows" or "annealing".
    ///
    /// >>> approximate(8).method
    /// 'rows'
    #[getter]
    fn method(&self) -> &'static str {
        self.method.name()
    }

    /// The seed; the same seed and number of runs give the same estimate.
    ///
    /// >>> approximate(8, seed=7).seed
    /// 7
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The logarithm of the asymptotic number n (ln n - 1.944), which the truth exceeds.
    ///
    /// >>> round(approximate(8).asymptotic_ln, 2)
    /// 1.08
    #[getter]
    fn asymptotic_ln(&self) -> f64 {
        asymptotic(self.n)
    }

    fn __float__(&self) -> f64 {
        self.value()
    }

    fn __str__(&self) -> String {
        let (n, numbers) = (self.n, &self.numbers);
        let error = numbers.relative_error();
        if error == 0.0 {
            let value = numbers.ln.exp();
            return format!("{value:.0} solutions for n = {n}: the whole tree was followed");
        }
        // As many figures as the error leaves meaningful.
        let figures = (-error.max(1e-9).log10()).ceil().clamp(1.0, 9.0) as usize;
        let number = |ln| scientific(ln, figures);
        format!(
            "{} solutions for n = {n}, between {} and {} (95 %)",
            number(numbers.ln),
            number(numbers.ln_low),
            number(numbers.ln_high)
        )
    }

    fn __repr__(&self) -> String {
        format!("<Estimate: {self}>", self = self.__str__())
    }
}

/// About how many solutions there are, for n from 4 to 1000, with an interval of 95 %.
///
/// Independent runs, each an unbiased estimate, are made on all cores for some seconds, or as
/// many as runs says, at least 8. method is "rows", a sample of the search tree, up to n = 128, or
/// "annealing". Small boards, whose whole tree is followed, are counted. Without a seed the runs are
/// the same every time: averaging two answers gains nothing.
///
/// >>> estimate = approximate(20, runs=32)
/// >>> estimate.low < 39_029_188_884 < estimate.high
/// True
/// >>> print(approximate(100, runs=8))  # doctest: +ELLIPSIS
/// 2...e117 solutions for n = 100, between ... and ... (95 %)
#[pyfunction]
#[pyo3(signature = (
    n,
    *,
    seconds = 5.0,
    runs = None,
    seed = None,
    method = None,
    threads = None,
    progress = None,
))]
#[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
pub fn approximate(
    py: Python<'_>,
    n: Size,
    seconds: f64,
    runs: Option<Amount>,
    seed: Option<Seed>,
    method: Option<&str>,
    threads: Option<Threads>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Estimate> {
    let seed = seed.map_or(0, |Seed(seed)| seed);
    let mut approximate = Approximate::new(n.0).map_err(value_error)?.seed(seed);
    if let Some(name) = method {
        let method = named(name, &Method::ALL, Method::name, "method")?;
        approximate = approximate.method(method).map_err(value_error)?;
    }
    let until = match runs {
        Some(Amount(runs)) if runs < FEWEST_RUNS => {
            return Err(value_error(format_args!(
                "at least {FEWEST_RUNS} runs are needed"
            )));
        }
        Some(Amount(runs)) => Until::Runs(runs as u64),
        None => match Duration::try_from_secs_f64(seconds) {
            Ok(time) if !time.is_zero() => Until::Time(time),
            _ => return Err(value_error("seconds must be a number above 0")),
        },
    };
    let threads = Threads::or_all(threads);
    let progress = Progress::new(progress, &format!("approximate {}", n.0))?;
    let runs = supervise(py, &progress, move |watch| {
        make_runs(&approximate, until, threads, watch)
    })?;
    let numbers = Numbers::of(&runs).ok_or_else(|| {
        value_error("too many runs met no solution; more seconds or the other method may help")
    })?;
    Ok(Estimate {
        n: n.0,
        method: approximate.chosen(),
        seed,
        numbers,
    })
}

/// How long to make runs.
#[derive(Clone, Copy)]
enum Until {
    Runs(u64),
    Time(Duration),
}

/// Makes runs 0, 1, 2 and so on. Every run that begins is finished, so there is no gap, and the
/// same number of runs gives the same answer.
fn make_runs(approximate: &Approximate, until: Until, threads: usize, watch: &Watch) -> Vec<f64> {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let done: Mutex<Vec<(u64, f64)>> = Mutex::new(Vec::new());
    // Runs that follow the whole tree all agree, and more runs would not differ.
    let counted = |done: &[(u64, f64)]| {
        done.len() >= FEWEST_RUNS && done.iter().all(|&(_, run)| run == done[0].1)
    };
    let worker = || {
        while watch.goes_on() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let (share, needed) = match until {
                Until::Runs(runs) => (number as f64 / runs as f64, 0),
                Until::Time(time) => {
                    let share = start.elapsed().as_secs_f64() / time.as_secs_f64();
                    (share, FEWEST_RUNS as u64)
                }
            };
            watch.tell(share.min(1.0));
            if share >= 1.0 && number >= needed {
                return;
            }
            let run = approximate.run(number);
            let mut done = done.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            done.push((number, run));
            if matches!(until, Until::Time(_)) && counted(&done) {
                return;
            }
        }
    };
    share(threads, usize::MAX, worker);
    let done = done.into_inner();
    let mut done = done.unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_unstable_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, run)| run).collect()
}
