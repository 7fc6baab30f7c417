//! `Placement`: some queens on a board, attacking each other or not. `check` judges one, and
//! says so in a `Report` of `Attack`s.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use queens::{Attack, Board, Format, Placement, Solution, Square};

use crate::argument::{self, Squares, value_error};
use crate::picture;
use crate::solution::{PySolution, tuple};

/// Some queens on an n by n board, attacking each other or not.
///
/// A placement is made from a size and squares, from the column of each row's queen (None for
/// an empty row), or from text in any of the seven formats.
///
/// >>> placement = Placement(4, [(0, 1), (1, 3)])
/// >>> print(placement)
/// . Q . .
/// . . . Q
/// . . . .
/// . . . .
/// >>> placement == Placement([1, 3, None, None]) == Placement("1Q2/3Q/4/4")
/// True
/// >>> placement.is_peaceful, placement.is_solution
/// (True, False)
#[pyclass(frozen, eq, ord, hash, name = "Placement", module = "queenside")]
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PyPlacement(pub Placement);

/// A square as Python writes it.
fn pair(square: Square) -> String {
    tuple(&[square.row, square.col])
}

#[pymethods]
impl PyPlacement {
    #[new]
    #[pyo3(signature = (board, queens = None))]
    fn new(board: &Bound<'_, PyAny>, queens: Option<Squares>) -> PyResult<PyPlacement> {
        let placement = match queens {
            Some(Squares(queens)) => {
                let argument::Size(n) = board.extract()?;
                Placement::new(n, queens).map_err(value_error)?
            }
            None if board.extract::<argument::Size>().is_ok() => {
                return Err(PyTypeError::new_err(
                    "a placement needs its queens: Placement(4, [(0, 1), (1, 3)])",
                ));
            }
            None => argument::placement(board.as_borrowed())?,
        };
        Ok(PyPlacement(placement))
    }

    /// The size of the board.
    ///
    /// >>> Placement("1Q2/3Q/4/4").n
    /// 4
    #[getter]
    fn n(&self) -> usize {
        self.0.n()
    }

    /// The squares of the queens as pairs (row, column) from 0, sorted.
    ///
    /// >>> Placement([1, None, 0]).queens
    /// ((0, 1), (2, 0))
    #[getter]
    fn queens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let squares = self.0.queens().iter().copied();
        PyTuple::new(py, squares.map(<(usize, usize)>::from))
    }

    /// The column of each row's queen, or None if a row has none or several.
    ///
    /// >>> Placement([0, 1]).columns
    /// (0, 1)
    /// >>> Placement([0, None]).columns is None
    /// True
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.0.cols().map(|cols| PyTuple::new(py, cols)).transpose()
    }

    /// Every pair of queens that attack each other, sorted.
    ///
    /// >>> for attack in Placement([0, 2, 1, 3]).conflicts():
    /// ...     print(attack)
    /// (0, 0) and (3, 3) attack each other on a falling diagonal
    /// (1, 2) and (2, 1) attack each other on a rising diagonal
    fn conflicts(&self, py: Python<'_>) -> Vec<PyAttack> {
        py.detach(|| queens::check(&self.0).attacks().map(PyAttack).collect())
    }

    /// Whether no queen attacks another, however few they are.
    ///
    /// >>> Placement([0, None]).is_peaceful
    /// True
    #[getter]
    fn is_peaceful(&self) -> bool {
        queens::check(&self.0).is_peaceful()
    }

    /// Whether there are n queens and none attacks another.
    ///
    /// >>> Placement([1, 3, 0, 2]).is_solution
    /// True
    #[getter]
    fn is_solution(&self) -> bool {
        queens::check(&self.0).is_solution()
    }

    /// The placement as a Solution; raises ValueError if it is none.
    ///
    /// >>> Placement([1, 3, 0, 2]).solution()
    /// Solution((1, 3, 0, 2))
    fn solution(&self) -> PyResult<PySolution> {
        let solution = Solution::try_from(&self.0).map_err(value_error)?;
        Ok(PySolution(solution))
    }

    /// The placement as text in one of seven formats: tuple, zero-based, board, unicode, fen,
    /// json, csv. Three of them have no way to write two queens in a row.
    ///
    /// >>> Placement([1, 3, None, None]).text("tuple")
    /// '(2, 4, -, -)'
    #[pyo3(signature = (format = "board"))]
    fn text(&self, format: &str) -> PyResult<String> {
        let format: Format = format.parse().map_err(value_error)?;
        let text = self.0.display(format).map_err(value_error)?;
        Ok(text.to_string())
    }

    /// The picture of the board, as SVG, with the lines of attack. Boards are drawn up to
    /// n = 100.
    ///
    /// >>> Placement([0, 1]).svg(attacks=False)[:4]
    /// '<svg'
    #[pyo3(signature = (*, size = None, theme = "light", attacks = true))]
    fn svg(&self, size: Option<u32>, theme: &str, attacks: bool) -> PyResult<String> {
        picture::board(self.0.clone(), size, theme, attacks)
    }

    fn _repr_svg_(&self) -> Option<String> {
        picture::shown(&self.0, true)
    }

    #[pyo3(signature = (include = None, exclude = None))]
    #[expect(unused_variables, reason = "Jupyter filters what it gets")]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        picture::board_bundle(py, self._repr_svg_(), || self.__str__(), || self.__repr__())
    }

    fn __str__(&self) -> PyResult<String> {
        self.text("board")
    }

    fn __repr__(&self) -> String {
        let squares: Vec<String> = self.0.queens().iter().copied().map(pair).collect();
        format!("Placement({}, [{}])", self.0.n(), squares.join(", "))
    }

    #[expect(clippy::type_complexity, reason = "what pickle asks for")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (usize, Bound<'py, PyTuple>))> {
        let queens = slf.get().queens(slf.py())?;
        Ok((slf.get_type().into_any(), (slf.get().n(), queens)))
    }
}

/// Two queens that attack each other, or a queen and a square that she attacks.
///
/// >>> attack = check("(1, 2)").attacks[0]
/// >>> attack.first, attack.second, attack.line
/// ((0, 0), (1, 1), 'diag')
/// >>> print(attack)
/// (0, 0) and (1, 1) attack each other on a falling diagonal
#[pyclass(frozen, eq, ord, hash, name = "Attack", module = "queenside")]
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PyAttack(pub Attack);

#[pymethods]
impl PyAttack {
    #[new]
    fn new(first: (usize, usize), second: (usize, usize)) -> PyResult<PyAttack> {
        let attack = Attack::between(first.into(), second.into());
        let attack = attack.filter(|_| first != second);
        attack
            .map(PyAttack)
            .ok_or_else(|| value_error("these two squares share no line"))
    }

    /// The one queen. In a report it is the one that comes first by row, then column.
    ///
    /// >>> Attack((0, 0), (0, 3)).first
    /// (0, 0)
    #[getter]
    fn first(&self) -> (usize, usize) {
        self.0.first.into()
    }

    /// The other queen, or the square that the first one attacks.
    ///
    /// >>> Attack((0, 0), (0, 3)).second
    /// (0, 3)
    #[getter]
    fn second(&self) -> (usize, usize) {
        self.0.second.into()
    }

    /// The line that they share: row, col, diag (falls to the right) or anti (rises).
    ///
    /// >>> Attack((0, 0), (0, 3)).line
    /// 'row'
    #[getter]
    fn line(&self) -> &'static str {
        self.0.line.name()
    }

    fn __str__(&self) -> String {
        format!("{:#}", self.0)
    }

    fn __repr__(&self) -> String {
        let (first, second) = (pair(self.0.first), pair(self.0.second));
        format!("Attack({first}, {second})")
    }

    #[expect(clippy::type_complexity, reason = "what pickle asks for")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyAny>, ((usize, usize), (usize, usize))) {
        let attack = slf.get();
        (slf.get_type().into_any(), (attack.first(), attack.second()))
    }
}

/// What check says about some queens. It is true if they are a solution.
///
/// >>> report = check([0, 2, 1, 3])
/// >>> bool(report)
/// False
/// >>> print(report)
/// (0, 0) and (3, 3) attack each other on a falling diagonal
/// (1, 2) and (2, 1) attack each other on a rising diagonal
#[pyclass(frozen, module = "queenside")]
pub struct Report {
    placement: Placement,
    /// The board whose answer they were to be; `None` for the plain one.
    board: Option<Board>,
    answer: bool,
}

/// A report on more attacks than this shows only their number where it is shown by itself.
const MOST_SHOWN: usize = 10;

impl Report {
    /// Judges queens as a solution of the plain board, or as an answer to a `board`.
    pub fn new(placement: Placement, board: Option<Board>) -> Report {
        let answer = match &board {
            None => queens::check(&placement).is_solution(),
            Some(board) => board.check(&placement).is_answer(),
        };
        Report {
            placement,
            board,
            answer,
        }
    }

    fn text(&self) -> String {
        match &self.board {
            None => format!("{:#}", queens::check(&self.placement)),
            Some(board) => format!("{:#}", board.check(&self.placement)),
        }
    }
}

#[pymethods]
impl Report {
    /// Every pair of queens that attack each other, sorted.
    ///
    /// >>> check([0, 1, 2]).attacks
    /// [Attack((0, 0), (1, 1)), Attack((0, 0), (2, 2)), Attack((1, 1), (2, 2))]
    #[getter]
    fn attacks(&self, py: Python<'_>) -> Vec<PyAttack> {
        let attacks = || queens::check(&self.placement).attacks().map(PyAttack);
        py.detach(|| attacks().collect())
    }

    fn __bool__(&self) -> bool {
        self.answer
    }

    fn __str__(&self, py: Python<'_>) -> String {
        py.detach(|| self.text())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let attacks = queens::check(&self.placement).attacks().count();
            match attacks > MOST_SHOWN {
                true => format!("<Report: {attacks} pairs of queens attack each other>"),
                false => format!("<Report: {}>", self.text().replace('\n', "; ")),
            }
        })
    }
}

/// Judges some queens: are they a solution, and if not, who attacks whom?
///
/// Takes a Solution, a Placement, text in any of the seven formats, or the column of each
/// row's queen, with None for an empty row. The judge shares no code with what it judges.
///
/// >>> bool(check((1, 3, 0, 2)))
/// True
/// >>> print(check("Q2/1Q1/3"))
/// 2 queens, not 3, on a board of 3 by 3
/// (0, 0) and (1, 1) attack each other on a falling diagonal
#[pyfunction]
pub fn check(py: Python<'_>, queens: &Bound<'_, PyAny>) -> PyResult<Report> {
    let placement = argument::placement(queens.as_borrowed())?;
    Ok(py.detach(|| Report::new(placement, None)))
}
