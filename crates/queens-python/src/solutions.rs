//! `Solutions`: an iterator that searches while Python is free.
//!
//! Solutions are searched for in batches, on the thread that asks, without the interpreter.
//! The first batch is one solution and each is twice as large as the one before, so nothing is
//! computed far ahead of what is asked for, and a long loop hardly notices the hand-over. A
//! batch ends after [`LOOK`](crate::supervise::LOOK) at the latest; then signals are handled.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Mutex, TryLockError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use queens::list::BoardSolutions;
use queens::symmetry::Fundamental;
use queens::{Placement, Solution};

use crate::argument::{Added, Amount, Size, Squares, Where, value_error};
use crate::placement::PyPlacement;
use crate::solution::PySolution;
use crate::supervise::Turn;

/// The largest batch.
const BATCH: usize = 512;

/// The search behind an iterator.
enum Search {
    All(queens::Solutions),
    /// One per symmetry class. Beyond the middle column of the first row there are none.
    Fundamental(queens::Solutions, Fundamental),
    Board(BoardSolutions),
}

/// What a search finds: boards may have empty rows.
enum Found {
    Solution(Solution),
    Placement(Placement),
}

impl Found {
    /// The answer of a board: a solution where every row has a queen.
    fn answer(placement: Placement) -> Found {
        match Solution::try_from(&placement) {
            Ok(solution) => Found::Solution(solution),
            Err(_) => Found::Placement(placement),
        }
    }

    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self {
            Found::Solution(solution) => Py::new(py, PySolution(solution))?.into_any(),
            Found::Placement(placement) => Py::new(py, PyPlacement(placement))?.into_any(),
        })
    }
}

/// The answer of a board as a Python object.
pub fn answer(py: Python<'_>, placement: Placement) -> PyResult<Py<PyAny>> {
    Found::answer(placement).into_python(py)
}

impl Search {
    /// The next one, as long as the turn lasts.
    fn next(&mut self, turn: &mut Turn) -> ControlFlow<(), Option<Found>> {
        match self {
            Search::All(all) => {
                let next = all.next_while(|| turn.goes_on())?;
                ControlFlow::Continue(next.map(Found::Solution))
            }
            Search::Fundamental(all, fundamental) => loop {
                let Some(solution) = all.next_while(|| turn.goes_on())? else {
                    return ControlFlow::Continue(None);
                };
                let past = |&col: &usize| col >= Fundamental::first_cols(solution.n());
                if solution.first().is_some_and(past) {
                    return ControlFlow::Continue(None);
                }
                if fundamental.class_size(&solution).is_some() {
                    return ControlFlow::Continue(Some(Found::Solution(solution)));
                }
            },
            Search::Board(board) => {
                let next = board.next_while(|| turn.goes_on())?;
                ControlFlow::Continue(next.map(Found::answer))
            }
        }
    }
}

struct State {
    search: Search,
    ready: VecDeque<Found>,
    batch: usize,
    over: bool,
}

impl State {
    /// Looks for the next batch during one turn.
    fn search(&mut self) {
        let mut turn = Turn::new();
        while self.ready.len() < self.batch {
            match self.search.next(&mut turn) {
                ControlFlow::Continue(Some(found)) => self.ready.push_back(found),
                ControlFlow::Continue(None) => {
                    self.over = true;
                    return;
                }
                ControlFlow::Break(()) => return,
            }
        }
        self.batch = (2 * self.batch).min(BATCH);
    }

    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Found>> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Ok(Some(found));
            }
            if self.over {
                return Ok(None);
            }
            py.detach(|| self.search());
            py.check_signals()?;
        }
    }
}

/// The solutions of a board, one by one, in lexicographic order.
///
/// The iterator of solutions and fundamental. It searches when it is asked, keeps little, and
/// lets other Python threads run while it searches.
///
/// >>> all_of_them = solutions(8)
/// >>> next(all_of_them)
/// Solution((0, 4, 7, 5, 2, 6, 1, 3))
/// >>> sum(1 for solution in all_of_them)
/// 91
#[pyclass(frozen, generic, module = "queenside")]
pub struct Solutions {
    n: usize,
    state: Mutex<State>,
}

impl Solutions {
    fn new(n: usize, search: Search) -> Solutions {
        Solutions {
            n,
            state: Mutex::new(State {
                search,
                ready: VecDeque::new(),
                batch: 1,
                over: false,
            }),
        }
    }

    /// Does something with the search. A thread that waited here for another one would hold
    /// the interpreter that the other one needs, so it is refused, as by a generator.
    fn with<T>(&self, act: impl FnOnce(&mut State) -> PyResult<T>) -> PyResult<T> {
        match self.state.try_lock() {
            Ok(mut state) => act(&mut state),
            Err(TryLockError::Poisoned(poisoned)) => act(&mut poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyValueError::new_err(
                "these solutions are being searched by another thread",
            )),
        }
    }

    /// The columns of all solutions that are left, a byte each.
    fn rest(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        if self.n > usize::from(u8::MAX) + 1 {
            return Err(value_error("columns are bytes up to n = 256"));
        }
        self.with(|state| {
            let mut bytes = Vec::new();
            loop {
                for found in state.ready.drain(..) {
                    match found {
                        Found::Solution(solution) => {
                            bytes.extend(solution.iter().map(|&col| col as u8));
                        }
                        Found::Placement(_) => {
                            return Err(value_error("a board with empty rows has no columns"));
                        }
                    }
                }
                if state.over {
                    return Ok(bytes);
                }
                state.batch = BATCH;
                py.detach(|| state.search());
                py.check_signals()?;
            }
        })
    }
}

#[pymethods]
impl Solutions {
    /// The size of the board.
    ///
    /// >>> solutions(8).n
    /// 8
    #[getter]
    fn n(&self) -> usize {
        self.n
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let found = self.with(|state| state.next(py))?;
        found.map(|found| found.into_python(py)).transpose()
    }

    /// The solutions that are left, as one bytearray: a byte per column, n of them for each
    /// solution.
    ///
    /// >>> solutions(4).to_bytes()
    /// bytearray(b'\x01\x03\x00\x02\x02\x00\x03\x01')
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        Ok(PyByteArray::new(py, &self.rest(py)?))
    }

    /// The solutions that are left, as one numpy array of bytes with a row for each. Needs
    /// numpy.
    ///
    /// >>> solutions(4).to_numpy()  # doctest: +SKIP
    /// array([[1, 3, 0, 2],
    ///        [2, 0, 3, 1]], dtype=uint8)
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy")?;
        let bytes = self.to_bytes(py)?;
        let kind = PyDict::new(py);
        kind.set_item("dtype", numpy.getattr("uint8")?)?;
        // The empty board has one solution, without a column.
        let rows = match self.n {
            0 => 1,
            n => bytes.len() / n,
        };
        numpy
            .call_method("frombuffer", (bytes,), Some(&kind))?
            .call_method1("reshape", (rows, self.n))
    }

    fn __repr__(&self) -> String {
        format!("<Solutions of n = {}>", self.n)
    }
}

/// The search for what the arguments say.
fn search(place: Where) -> (usize, Search) {
    match place {
        Where::Size(n) => (n, Search::All(queens::solutions(n))),
        Where::Board(board) => (board.n(), Search::Board(board.solutions())),
    }
}

/// All solutions, one by one, in lexicographic order.
///
/// n is the size of the board, or a Board. given and blocked are squares, pairs of row and
/// column from 0: queens that stand already, and squares that no queen may take. queens is how
/// many there are in the end. Where that is not n, rows stay empty, and instead of Solutions
/// there are Placements.
///
/// >>> for solution in solutions(4):
/// ...     print(solution.columns)
/// (1, 3, 0, 2)
/// (2, 0, 3, 1)
/// >>> len(list(solutions(8, given=[(0, 0)], blocked=[(1, 4)])))
/// 3
/// >>> next(solutions(3, queens=2))
/// Placement(3, [(1, 0), (2, 2)])
#[pyfunction]
#[pyo3(signature = (n, *, given = None, blocked = None, queens = None))]
pub fn solutions(
    n: Where,
    given: Option<Squares>,
    blocked: Option<Squares>,
    queens: Option<Amount>,
) -> PyResult<Solutions> {
    let (n, search) = search(n.with(Added {
        given,
        blocked,
        queens,
    })?);
    Ok(Solutions::new(n, search))
}

/// The fundamental solutions, one per class of solutions that rotations and reflections carry
/// into each other: of each class the smallest.
///
/// >>> len(list(fundamental(8)))
/// 12
/// >>> sum(len(solution.orbit()) for solution in fundamental(8))
/// 92
#[pyfunction]
pub fn fundamental(n: Size) -> Solutions {
    let all = queens::solutions(n.0);
    Solutions::new(n.0, Search::Fundamental(all, Fundamental::new()))
}

/// The first solution in lexicographic order, or None where there is none.
///
/// The arguments are those of solutions. The search may be long; where any solution will do,
/// solve is faster, above all on large boards.
///
/// >>> first(8)
/// Solution((0, 4, 7, 5, 2, 6, 1, 3))
/// >>> first(3) is None
/// True
/// >>> first(8, blocked=[(0, 0), (0, 1)]).columns
/// (2, 0, 6, 4, 7, 1, 3, 5)
#[pyfunction]
#[pyo3(signature = (n, *, given = None, blocked = None, queens = None))]
pub fn first(
    py: Python<'_>,
    n: Where,
    given: Option<Squares>,
    blocked: Option<Squares>,
    queens: Option<Amount>,
) -> PyResult<Option<Py<PyAny>>> {
    solutions(n, given, blocked, queens)?.__next__(py)
}
