//! `count`, and what can count: `engines` and `devices`.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use queens::count::{DeviceKind, ENGINES, default_engine};
use queens::known::Sequence;
use queens::{Board, Count, CountError, Engine, Simd, symmetric, torus};
use queens_cuda::{Choice, Error as GpuError, GpuCounter};

use crate::argument::{Added, Amount, Squares, Threads, Where, named, value_error};
use crate::supervise::{Progress, Watch, supervise};

/// The largest board that is counted without a thread of its own. Even the slowest engine is
/// done with it in a millisecond.
const AT_ONCE: usize = 8;

/// How many solutions there are, computed.
///
/// n is the size of the board, or a Board; given, blocked and queens are those of solutions.
///
/// kind says which solutions: "all", one per class of rotations and reflections
/// ("fundamental"), those that a "half-turn" or a "quarter-turn" leaves unchanged, or those on
/// a "torus".
///
/// engine is one of engines(), by name, and threads how many threads may work: by default the
/// fastest engine on all cores. simd chooses vector instructions, device is "cpu", "gpu",
/// "gpu:0" and so on, or "auto", which takes a GPU from n = 20 on, if there is one. progress
/// is True for a bar, or a callable that is told the share of the work done.
///
/// Ctrl-C ends a count at once; meanwhile, other threads of Python run.
///
/// >>> count(12)
/// 14200
/// >>> count(8, given=[(0, 3)], blocked=[(1, 5), (7, 0)])
/// 14
/// >>> count(8, queens=5)
/// 46736
/// >>> count(12, kind="fundamental")
/// 1787
/// >>> count(10, engine="mirror", threads=2)
/// 724
#[pyfunction]
#[pyo3(signature = (
    n,
    *,
    given = None,
    blocked = None,
    queens = None,
    kind = "all",
    engine = None,
    threads = None,
    simd = None,
    device = "auto",
    progress = None,
))]
#[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
pub fn count(
    py: Python<'_>,
    n: Where,
    given: Option<Squares>,
    blocked: Option<Squares>,
    queens: Option<Amount>,
    kind: &str,
    engine: Option<&str>,
    threads: Option<Threads>,
    simd: Option<&str>,
    device: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<u128> {
    let place = n.with(Added {
        given,
        blocked,
        queens,
    })?;
    let kind = named(kind, &Sequence::ALL, Sequence::name, "kind of solution")?;
    let device: Choice = device.parse().map_err(value_error)?;
    let asked = Asked {
        engine: engine.map(str::parse).transpose().map_err(value_error)?,
        threads,
        simd: simd.map(simd_named).transpose()?,
        device,
    };
    if is_apart(kind) && (asked.engine.is_some() || asked.simd.is_some() || device.names_a_gpu()) {
        return Err(value_error(format_args!(
            "{} solutions are counted in one way only; leave out engine, simd and a GPU",
            kind.name()
        )));
    }
    match place {
        Where::Size(n) => count_plain(py, n, kind, asked, progress),
        Where::Board(board) => {
            if kind != Sequence::All {
                return Err(value_error(format_args!(
                    "{} solutions are counted on the plain board only",
                    kind.name()
                )));
            }
            if device.names_a_gpu() {
                return Err(value_error("the GPU counts on the plain board only"));
            }
            count_on(py, board, asked, progress)
        }
    }
}

/// How to count.
#[derive(Clone, Copy)]
struct Asked {
    engine: Option<Engine>,
    threads: Option<Threads>,
    simd: Option<Simd>,
    device: Choice,
}

impl Asked {
    /// The engine asked for, or the fastest. With `simd`, one that has a choice.
    fn engine(&self, fastest: Engine) -> PyResult<Engine> {
        let able = || ENGINES.iter().copied().filter(|engine| engine.has_simd());
        match (self.engine, self.simd) {
            (Some(engine), Some(_)) if !engine.has_simd() => {
                let able: Vec<&str> = able().map(Engine::name).collect();
                Err(value_error(format_args!(
                    "engine {engine} has no choice of vector instructions; simd is for {}",
                    able.join(", ")
                )))
            }
            (None, Some(_)) => Ok(able().next_back().unwrap_or(fastest)),
            (asked, _) => Ok(asked.unwrap_or(fastest)),
        }
    }
}

fn simd_named(name: &str) -> PyResult<Simd> {
    let mut all = vec![Simd::Auto];
    all.extend(Simd::ALL);
    named(name, &all, Simd::name, "set of vector instructions")
}

fn count_plain(
    py: Python<'_>,
    n: usize,
    kind: Sequence,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<u128> {
    let engine = asked.engine(default_engine(n))?;
    if n <= AT_ONCE && kind == Sequence::All && !asked.device.names_a_gpu() && progress.is_none() {
        let count = Count::new(n).engine(engine);
        let count = count.simd(asked.simd.unwrap_or_default());
        return count.run().map_err(value_error);
    }
    let progress = Progress::new(progress, &format!("count {n}"))?;
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let warned = Arc::clone(&warnings);
    let threads = Threads::or_all(asked.threads);
    let counted = supervise(py, &progress, move |watch| {
        let warn = |line: &str| lock(&warned).push(line.to_owned());
        if is_apart(kind) {
            return Ok(u128::from(count_apart(kind, n, watch)?));
        }
        let all = match on_gpu(n, engine, asked, threads, watch, &warn)? {
            Some(count) => count,
            None => Count::new(n)
                .engine(engine)
                .threads(threads)
                .simd(asked.simd.unwrap_or_default())
                .stop(watch.stop())
                .progress(|share| watch.tell(share))
                .run()?,
        };
        if kind == Sequence::All {
            return Ok(all);
        }
        let half = count_apart(Sequence::HalfTurn, n, watch)?;
        let quarter = count_apart(Sequence::QuarterTurn, n, watch)?;
        let counted = symmetric::fundamental(n, all, half, quarter);
        counted.ok_or(Failure::Value(
            "all solutions and the symmetric ones do not add up to a multiple of 8".to_owned(),
        ))
    })?;
    for line in lock(&warnings).drain(..) {
        let line = std::ffi::CString::new(line)?;
        PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &line, 1)?;
    }
    Ok(counted?)
}

fn count_on(
    py: Python<'_>,
    board: Board,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<u128> {
    let engine = asked.engine(queens::count::default_engine_on(&board))?;
    let threads = Threads::or_all(asked.threads);
    let progress = Progress::new(progress, &format!("count {}", board.n()))?;
    let counted = supervise(py, &progress, move |watch| {
        Count::on(&board)
            .engine(engine)
            .threads(threads)
            .simd(asked.simd.unwrap_or_default())
            .stop(watch.stop())
            .progress(|share| watch.tell(share))
            .run()
    })?;
    counted.map_err(value_error)
}

/// Whether solutions of this kind have a count of their own, which needs no count of all solutions.
fn is_apart(kind: Sequence) -> bool {
    kind != Sequence::All && kind != Sequence::Fundamental
}

/// Solutions that have a search of their own.
fn count_apart(kind: Sequence, n: usize, watch: &Watch) -> Result<u64, Failure> {
    let look = |share: f64| {
        watch.tell(share);
        match watch.goes_on() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    };
    let (counted, largest) = match kind {
        Sequence::HalfTurn => (symmetric::half_turn(n, look), symmetric::LARGEST_HALF_TURN),
        Sequence::QuarterTurn => (
            symmetric::quarter_turn(n, look),
            symmetric::LARGEST_QUARTER_TURN,
        ),
        _ => (torus::count(n, look), torus::LARGEST_N),
    };
    counted.ok_or_else(|| {
        let kind = kind.name();
        Failure::Value(format!(
            "{kind} solutions are counted up to n = {largest}, not {n}"
        ))
    })
}

/// The count on the chosen GPUs; `None` if the CPU is to count.
fn on_gpu(
    n: usize,
    engine: Engine,
    asked: Asked,
    threads: usize,
    watch: &Watch,
    warn: &(dyn Fn(&str) + Sync),
) -> Result<Option<u128>, Failure> {
    let named = asked.device.names_a_gpu();
    if asked.simd.is_some() {
        return match named {
            true => Err(Failure::Value(
                "simd chooses instructions of the CPU, and this count is on the GPU".to_owned(),
            )),
            false => Ok(None),
        };
    }
    if !engine.counts_on(DeviceKind::Gpu) {
        match (named, asked.engine) {
            (true, Some(engine)) => {
                return Err(Failure::Value(format!(
                    "the GPU counts with the engine two-colour, not {engine}"
                )));
            }
            // The fastest engine for a small board may not run on a GPU; there, another counts.
            (true, None) => {}
            (false, _) => return Ok(None),
        }
    }
    let stop = watch.stop();
    let Some(counter) = GpuCounter::chosen(asked.device, n, threads, stop, warn)? else {
        return Ok(None);
    };
    let units: Vec<u64> = (0..counter.units().len()).collect();
    let counts = counter.count_with(&units, stop, None, &|share| watch.tell(share), warn)?;
    Ok(Some(counts.into_iter().map(u128::from).sum()))
}

/// Why there is no count; turned into a Python exception later.
enum Failure {
    Value(String),
    Device(String),
}

impl From<CountError> for Failure {
    fn from(error: CountError) -> Failure {
        Failure::Value(format!("{error:#}"))
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Failure {
        match error {
            GpuError::OutOfRange { .. } => Failure::Value(error.to_string()),
            other => Failure::Device(other.to_string()),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match failure {
            Failure::Value(line) => value_error(line),
            Failure::Device(line) => PyRuntimeError::new_err(line),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A named tuple of `queenside._types` with these fields.
pub fn record<'py>(
    py: Python<'py>,
    name: &str,
    fields: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("queenside._types")?.getattr(name)?;
    class.call((), Some(fields))
}

/// The engines, simplest to fastest, as records with name, summary, source, largest_n,
/// sensible_n and is_parallel.
///
/// sensible_n is the largest board that it counts in about a minute on one core.
///
/// >>> [engine.name for engine in engines()][-2:]
/// ['two-colour-plain', 'two-colour']
/// >>> engines()[6].summary
/// 'three bit vectors; all free squares of a row in one expression'
#[pyfunction]
pub fn engines(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for &engine in ENGINES {
        let fields = PyDict::new(py);
        fields.set_item("name", engine.name())?;
        fields.set_item("summary", engine.summary())?;
        fields.set_item("source", engine.source())?;
        fields.set_item("largest_n", engine.largest_n())?;
        fields.set_item("sensible_n", engine.sensible_n())?;
        fields.set_item("is_parallel", engine.is_parallel())?;
        list.append(record(py, "Engine", &fields)?)?;
    }
    Ok(list)
}

/// The GPUs of this machine that can count, as records with number, name and memory in bytes;
/// an empty list where there is none.
///
/// >>> [gpu.name for gpu in devices()]  # doctest: +SKIP
/// ['NVIDIA H200']
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let found = match py.detach(queens_cuda::devices) {
        Ok(found) => found,
        Err(GpuError::NoDriver | GpuError::NoDevice) => Vec::new(),
        Err(error) => return Err(Failure::from(error).into()),
    };
    let list = PyList::empty(py);
    for device in found.into_iter().filter(|device| device.is_usable()) {
        let fields = PyDict::new(py);
        fields.set_item("number", device.number)?;
        fields.set_item("name", device.name)?;
        fields.set_item("memory", device.memory)?;
        list.append(record(py, "Device", &fields)?)?;
    }
    Ok(list)
}
