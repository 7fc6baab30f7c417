//! Arguments of Python's functions: sizes, squares, boards, names, numbers of threads.
//!
//! A wrong type is a `TypeError`, a wrong value a `ValueError` with one line that says what is
//! wrong. Squares are pairs of row and column, both from 0.

use std::fmt::Display;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use queens::{Board, Placement, Square};

use crate::board::PyBoard;
use crate::placement::PyPlacement;
use crate::solution::PySolution;

/// A `ValueError` that says what the library says, with rows and columns from 0, as they
/// were given.
pub fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(format!("{error:#}"))
}

/// A whole number that is not negative; `what` is its name in a complaint.
fn whole(object: Borrowed<'_, '_, PyAny>, what: &str) -> PyResult<usize> {
    object.extract::<usize>().map_err(|error| {
        if !error.is_instance_of::<PyOverflowError>(object.py()) {
            return error;
        }
        match object.lt(0) {
            Ok(true) => value_error(format_args!("{what} cannot be negative")),
            _ => value_error(format_args!("{what} is too large")),
        }
    })
}

/// The size of a board.
pub struct Size(pub usize);

impl FromPyObject<'_, '_> for Size {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Size> {
        whole(object, "the size of a board").map(Size)
    }
}

/// How many of something: queens, solutions, events.
pub struct Amount(pub usize);

impl FromPyObject<'_, '_> for Amount {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Amount> {
        whole(object, "the number").map(Amount)
    }
}

/// How many threads may work.
#[derive(Clone, Copy)]
pub struct Threads(usize);

impl Threads {
    /// As many as asked for, or all cores. Finding out how many that are takes longer than a
    /// small count: 80 microseconds.
    pub fn or_all(asked: Option<Threads>) -> usize {
        match asked {
            Some(Threads(threads)) => threads,
            None => std::thread::available_parallelism().map_or(1, |cores| cores.get()),
        }
    }
}

/// More threads than this is a slip of the finger, and the system would refuse anyway.
const MOST_THREADS: usize = 4096;

impl FromPyObject<'_, '_> for Threads {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Threads> {
        match whole(object, "the number of threads")? {
            0 => Err(value_error("at least one thread is needed")),
            threads if threads > MOST_THREADS => Err(value_error(format_args!(
                "at most {MOST_THREADS} threads can be asked for"
            ))),
            threads => Ok(Threads(threads)),
        }
    }
}

/// A seed: any whole number that fits 64 bits.
pub struct Seed(pub u64);

impl FromPyObject<'_, '_> for Seed {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Seed> {
        whole(object, "a seed").map(|seed| Seed(seed as u64))
    }
}

/// The value with this name among `all`; a complaint calls them `what`.
pub fn named<T: Copy>(
    name: &str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
    what: &str,
) -> PyResult<T> {
    let found = all.iter().copied().find(|&value| name_of(value) == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().copied().map(name_of).collect();
        let names = names.join(", ");
        value_error(format_args!(
            "no {what} is called {name:?}; there are {names}"
        ))
    })
}

/// A pair of row and column.
fn square(object: &Bound<'_, PyAny>) -> PyResult<Square> {
    let wrong = || PyTypeError::new_err("a square is a pair (row, column), both from 0");
    let mut parts = object.try_iter().map_err(|_| wrong())?;
    let mut part = |what: &str| match parts.next() {
        Some(part) => whole(part?.as_borrowed(), what),
        None => Err(wrong()),
    };
    let square = Square::new(part("a row")?, part("a column")?);
    match parts.next() {
        None => Ok(square),
        Some(_) => Err(wrong()),
    }
}

/// Some squares, from any iterable of pairs.
pub struct Squares(pub Vec<Square>);

impl FromPyObject<'_, '_> for Squares {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Squares> {
        let squares = object.try_iter()?.map(|item| square(&item?));
        squares.collect::<PyResult<_>>().map(Squares)
    }
}

/// The first argument of most functions: a size, or a board.
pub enum Where {
    Size(usize),
    Board(Board),
}

impl FromPyObject<'_, '_> for Where {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Where> {
        match object.cast::<PyBoard>() {
            Ok(board) => Ok(Where::Board(board.get().0.clone())),
            Err(_) => object.extract::<Size>().map(|Size(n)| Where::Size(n)),
        }
    }
}

/// What `given`, `blocked` and `queens` add to the first argument.
#[derive(Default)]
pub struct Added {
    pub given: Option<Squares>,
    pub blocked: Option<Squares>,
    pub queens: Option<Amount>,
}

impl Where {
    /// The size, for the plain problem, or the board.
    pub fn with(self, added: Added) -> PyResult<Where> {
        let Added {
            given,
            blocked,
            queens,
        } = added;
        if given.is_none() && blocked.is_none() && queens.is_none() {
            return Ok(self.plain());
        }
        let mut board = match self {
            Where::Size(n) => Board::new(n),
            Where::Board(board) => board,
        };
        if let Some(Squares(given)) = given {
            board = board.with_given(given).map_err(value_error)?;
        }
        if let Some(Squares(blocked)) = blocked {
            board = board.with_blocked(blocked).map_err(value_error)?;
        }
        if let Some(Amount(queens)) = queens {
            board = board.with_queens(queens).map_err(value_error)?;
        }
        Ok(Where::Board(board).plain())
    }

    /// Turns a board with nothing on it into its size.
    fn plain(self) -> Where {
        match self {
            Where::Board(board) if board.is_plain() => Where::Size(board.n()),
            other => other,
        }
    }

    /// The board, plain or not.
    pub fn board(self) -> Board {
        match self {
            Where::Size(n) => Board::new(n),
            Where::Board(board) => board,
        }
    }
}

/// Queens on a board, in any form that Python may pass: a `Solution`, a `Placement`, text in one
/// of the seven formats, or the column of each row's queen, with None for an empty row.
pub fn placement(object: Borrowed<'_, '_, PyAny>) -> PyResult<Placement> {
    if let Ok(placement) = object.cast::<PyPlacement>() {
        return Ok(placement.get().0.clone());
    }
    if let Ok(solution) = object.cast::<PySolution>() {
        return Ok(Placement::from(&solution.get().0));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return text.to_cow()?.parse().map_err(value_error);
    }
    let Ok(items) = object.try_iter() else {
        return Err(PyTypeError::new_err(
            "queens are a Solution, a Placement, text, or the column of each row's queen",
        ));
    };
    let rows = items.map(|item| {
        let item = item?;
        match item.is_none() {
            true => Ok(None),
            false => whole(item.as_borrowed(), "a column").map(Some),
        }
    });
    Placement::from_rows(rows.collect::<PyResult<Vec<_>>>()?).map_err(value_error)
}
