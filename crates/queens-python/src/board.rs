//! `Board`: given queens, blocked squares, fewer queens.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use queens::{Board, Square};

use crate::argument::{self, Added, Amount, Size, Squares, Where, value_error};
use crate::picture;
use crate::placement::Report;
use crate::solutions::{Solutions, solutions};

/// A question: a board with given queens, blocked squares and a number of queens.
///
/// It is made from a size and squares, pairs of row and column from 0, or from text, in which
/// Q is a given queen, # a blocked square and . a free one. A board that contradicts itself
/// raises ValueError; one that has no solution is a good question.
///
/// >>> board = Board(5, given=[(0, 0)], blocked=[(1, 3)])
/// >>> print(board)
/// Q . . . .
/// . . . # .
/// . . . . .
/// . . . . .
/// . . . . .
/// >>> board == Board(str(board))
/// True
/// >>> board.count(), board.first()
/// (1, Solution((0, 2, 4, 1, 3)))
/// >>> Board(4, given=[(0, 0), (1, 1)])
/// Traceback (most recent call last):
///     ...
/// ValueError: the given queens on (0, 0) and (1, 1) attack each other on a falling diagonal
#[pyclass(frozen, eq, hash, name = "Board", module = "queenside")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PyBoard(pub Board);

/// Squares as a tuple of pairs.
fn pairs<'py>(py: Python<'py>, squares: &[Square]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, squares.iter().copied().map(<(usize, usize)>::from))
}

#[pymethods]
impl PyBoard {
    #[new]
    #[pyo3(signature = (n, *, given = None, blocked = None, queens = None))]
    fn new(
        n: &Bound<'_, PyAny>,
        given: Option<Squares>,
        blocked: Option<Squares>,
        queens: Option<Amount>,
    ) -> PyResult<PyBoard> {
        let place = match n.cast::<PyString>() {
            Ok(text) => Where::Board(text.to_cow()?.parse().map_err(value_error)?),
            Err(_) => n.extract::<Size>().map(|Size(n)| Where::Size(n))?,
        };
        let board = place.with(Added {
            given,
            blocked,
            queens,
        })?;
        Ok(PyBoard(board.board()))
    }

    /// The size of the board.
    ///
    /// >>> Board(8).n
    /// 8
    #[getter]
    fn n(&self) -> usize {
        self.0.n()
    }

    /// The given queens, sorted.
    ///
    /// >>> Board("Q . .\n. . .\n. . #").given
    /// ((0, 0),)
    #[getter]
    fn given<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        pairs(py, self.0.given())
    }

    /// The blocked squares, sorted.
    ///
    /// >>> Board("Q . .\n. . .\n. . #").blocked
    /// ((2, 2),)
    #[getter]
    fn blocked<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        pairs(py, self.0.blocked())
    }

    /// How many queens stand on the board in the end, the given ones included.
    ///
    /// >>> Board(8).queens, Board(8, queens=5).queens
    /// (8, 5)
    #[getter]
    fn queens(&self) -> usize {
        self.0.queens()
    }

    /// How many answers there are; takes engine, threads, simd and progress as count does.
    ///
    /// >>> Board(8, given=[(3, 0)]).count()
    /// 18
    #[pyo3(signature = (*, engine = None, threads = None, simd = None, progress = None))]
    fn count(
        &self,
        py: Python<'_>,
        engine: Option<&str>,
        threads: Option<argument::Threads>,
        simd: Option<&str>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u128> {
        crate::count::count(
            py,
            Where::Board(self.0.clone()),
            None,
            None,
            None,
            "all",
            engine,
            threads,
            simd,
            "cpu",
            progress,
        )
    }

    /// The answers, one by one, in lexicographic order.
    ///
    /// >>> [answer.columns for answer in Board(6, given=[(1, 3)]).solutions()]
    /// [(1, 3, 5, 0, 2, 4)]
    fn solutions(&self) -> PyResult<Solutions> {
        solutions(Where::Board(self.0.clone()), None, None, None)
    }

    /// The first answer, or None where there is none.
    ///
    /// >>> Board(8, blocked=[(0, 0)]).first()
    /// Solution((1, 3, 5, 7, 2, 0, 6, 4))
    fn first(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        crate::solutions::first(py, Where::Board(self.0.clone()), None, None, None)
    }

    /// Any answer, fast, or None where it is proved that there is none.
    ///
    /// >>> Board(50, given=[(0, 0)]).solve()[0]
    /// 0
    /// >>> Board(3).solve() is None
    /// True
    #[pyo3(signature = (*, seed = None, method = "auto"))]
    fn solve(
        &self,
        py: Python<'_>,
        seed: Option<argument::Seed>,
        method: &str,
    ) -> PyResult<Option<Py<PyAny>>> {
        crate::solve::solve(
            py,
            Where::Board(self.0.clone()),
            None,
            None,
            None,
            seed,
            method,
        )
    }

    /// Judges some queens as an answer to this board. Takes what the function check takes.
    ///
    /// >>> print(Board(4, blocked=[(0, 1)]).check((1, 3, 0, 2)))
    /// the queen on (0, 1) stands on a blocked square
    /// >>> bool(Board(4).check((1, 3, 0, 2)))
    /// True
    fn check(&self, py: Python<'_>, queens: &Bound<'_, PyAny>) -> PyResult<Report> {
        let placement = argument::placement(queens.as_borrowed())?;
        Ok(py.detach(|| Report::new(placement, Some(self.0.clone()))))
    }

    /// The picture of the given queens and the blocked squares, as SVG. Boards are drawn up to n = 100.
    ///
    /// >>> Board(4, given=[(0, 1)]).svg()[:4]
    /// '<svg'
    #[pyo3(signature = (*, size = None, theme = "light"))]
    fn svg(&self, size: Option<u32>, theme: &str) -> PyResult<String> {
        picture::question(&self.0, size, theme)
    }

    fn _repr_svg_(&self) -> Option<String> {
        picture::shown_question(&self.0)
    }

    #[pyo3(signature = (include = None, exclude = None))]
    #[expect(unused_variables, reason = "Jupyter filters what it gets")]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        picture::board_bundle(
            py,
            self._repr_svg_(),
            || Ok(self.__str__()),
            || self.__repr__(),
        )
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let list = |squares: &[Square]| {
            let pair = |square: &Square| format!("({}, {})", square.row, square.col);
            let pairs: Vec<String> = squares.iter().map(pair).collect();
            format!("[{}]", pairs.join(", "))
        };
        let mut text = format!("Board({}", self.0.n());
        if !self.0.given().is_empty() {
            text += &format!(", given={}", list(self.0.given()));
        }
        if !self.0.blocked().is_empty() {
            text += &format!(", blocked={}", list(self.0.blocked()));
        }
        if self.0.queens() != self.0.n() {
            text += &format!(", queens={}", self.0.queens());
        }
        text + ")"
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((usize,), Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        keywords.set_item("given", self.given(py)?)?;
        keywords.set_item("blocked", self.blocked(py)?)?;
        keywords.set_item("queens", self.queens())?;
        Ok(((self.n(),), keywords))
    }
}
