//! `random` and `sample`: random solutions, by the library's two methods.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use queens::Solution;
use queens::random::Random;
use queens::sample::{Chain, Exact, LARGEST_EXACT};
use queens::threads::share;

use crate::argument::{Amount, Seed, Size, Threads, named, value_error};
use crate::solution::PySolution;
use crate::supervise::{Progress, Watch, supervise};

/// The largest board for which the exact method is the default.
const EXACT_UNASKED: usize = 20;

/// More than this at a time would take tens of gigabytes.
const MOST_DRAWN: usize = 100_000_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Exact,
    Chain,
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Exact => "exact",
        Method::Chain => "chain",
    }
}

/// A seed that is different every time. The standard library seeds its hashers at random, but a
/// process that was forked has the same ones as its siblings; their numbers differ.
fn any_seed() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    if let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) {
        hasher.write_u128(now.as_nanos());
    }
    hasher.finish()
}

/// A random solution.
///
/// Up to n = 20 each of all solutions is exactly equally likely (method "exact": the board is
/// counted first, which takes seconds for n = 20). Up to n = 1000 a Markov chain draws them
/// (method "chain"): approximately uniform. The same seed gives the same solution. A board
/// without a solution raises ValueError.
///
/// >>> random(50, seed=1).n
/// 50
/// >>> random(50, seed=1) == random(50, seed=1)
/// True
#[pyfunction]
#[pyo3(signature = (n, *, seed = None, method = None, threads = None, progress = None))]
pub fn random(
    py: Python<'_>,
    n: Size,
    seed: Option<Seed>,
    method: Option<&str>,
    threads: Option<Threads>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PySolution> {
    let mut drawn = sample(py, n, Amount(1), seed, method, threads, progress)?;
    drawn.pop().ok_or_else(|| value_error("nothing was drawn"))
}

/// Several random solutions, as a list; some may be the same. See random.
///
/// >>> len(sample(8, 100, seed=1))
/// 100
#[pyfunction]
#[pyo3(signature = (n, number, *, seed = None, method = None, threads = None, progress = None))]
pub fn sample(
    py: Python<'_>,
    n: Size,
    number: Amount,
    seed: Option<Seed>,
    method: Option<&str>,
    threads: Option<Threads>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PySolution>> {
    let (Size(n), Amount(number)) = (n, number);
    let method = match method {
        Some(name) => named(name, &[Method::Exact, Method::Chain], method_name, "method")?,
        None if n <= EXACT_UNASKED => Method::Exact,
        None => Method::Chain,
    };
    if method == Method::Exact && n > LARGEST_EXACT {
        return Err(value_error(format_args!(
            "boards up to n = {LARGEST_EXACT} can be drawn from exactly, not {n}"
        )));
    }
    if n > Chain::LARGEST_N {
        return Err(value_error(format_args!(
            "boards up to n = {} can be drawn from, not {n}",
            Chain::LARGEST_N
        )));
    }
    if number > MOST_DRAWN {
        return Err(value_error(format_args!(
            "at most {MOST_DRAWN} solutions can be drawn at a time, not {number}"
        )));
    }
    let seed = seed.map_or_else(any_seed, |Seed(seed)| seed);
    let threads = Threads::or_all(threads);
    let progress = Progress::new(progress, &format!("random {n}"))?;
    let drawn = supervise(py, &progress, move |watch| match method {
        Method::Exact => exactly(n, number, seed, threads, watch),
        Method::Chain => by_chain(n, number, seed, threads, watch),
    })?;
    match drawn {
        Some(drawn) => Ok(drawn.into_iter().map(PySolution).collect()),
        None => Err(value_error(format_args!(
            "the board of size {n} has no solution"
        ))),
    }
}

/// Draws; `None` if there is no solution, or after an interrupt, when nobody waits for the answer.
fn exactly(
    n: usize,
    number: usize,
    seed: u64,
    threads: usize,
    watch: &Watch,
) -> Option<Vec<Solution>> {
    // Counting is half the bar, finding the solutions the other half.
    let look = |share: f64| {
        watch.tell(share);
        watch.goes_on()
    };
    let exact = Exact::count(n, threads, |share| look(share / 2.0))?;
    let mut random = Random::new(seed);
    exact.draws(number, &mut random, |share| look(0.5 + share / 2.0))
}

fn by_chain(
    n: usize,
    number: usize,
    seed: u64,
    threads: usize,
    watch: &Watch,
) -> Option<Vec<Solution>> {
    let chain = Chain::new(n, seed)?;
    let next = AtomicU64::new(0);
    let all = Mutex::new(Vec::with_capacity(number));
    let worker = || {
        while watch.goes_on() {
            let draw = next.fetch_add(1, Ordering::Relaxed);
            if draw >= number as u64 {
                return;
            }
            watch.tell(draw as f64 / number as f64);
            let solution = chain.draw(draw);
            let mut all = all.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            all.push((draw, solution));
        }
    };
    share(threads, number, worker);
    let all = all.into_inner();
    let mut all = all.unwrap_or_else(|poisoned| poisoned.into_inner());
    all.sort_unstable_by_key(|&(draw, _)| draw);
    Some(all.into_iter().map(|(_, solution)| solution).collect())
}
