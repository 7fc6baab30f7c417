//! `Solution`: valid by construction, as in the library.

use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use queens::{Format, Placement, Solution, Symmetry};

use crate::argument::{named, placement, value_error};
use crate::picture;
use crate::placement::PyAttack;

/// n queens on an n by n board, none attacking another.
///
/// A solution is made from the column of each row's queen, both from 0, or from text in any of
/// the seven formats; what is no solution raises ValueError. It behaves like a tuple of its
/// columns: it has a length, items, slices, an order and a hash.
///
/// >>> solution = Solution((1, 3, 0, 2))
/// >>> print(solution)
/// . Q . .
/// . . . Q
/// Q . . .
/// . . Q .
/// >>> solution[0], solution[1:], len(solution)
/// (1, (3, 0, 2), 4)
/// >>> Solution("1Q2/3Q/Q3/2Q1") == solution
/// True
/// >>> Solution([0, 1])
/// Traceback (most recent call last):
///     ...
/// ValueError: (0, 0) and (1, 1) attack each other on a falling diagonal
#[pyclass(frozen, eq, ord, hash, name = "Solution", module = "queenside")]
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PySolution(pub Solution);

/// A tuple as Python writes it: with a comma where there is one item only.
pub fn tuple(items: &[impl Display]) -> String {
    match items {
        [one] => format!("({one},)"),
        _ => {
            let items: Vec<String> = items.iter().map(ToString::to_string).collect();
            format!("({})", items.join(", "))
        }
    }
}

#[pymethods]
impl PySolution {
    #[new]
    fn new(queens: &Bound<'_, PyAny>) -> PyResult<PySolution> {
        if let Ok(text) = queens.cast::<PyString>() {
            let solution = text.to_cow()?.parse().map_err(value_error)?;
            return Ok(PySolution(solution));
        }
        let placement = placement(queens.as_borrowed())?;
        let solution = Solution::try_from(placement).map_err(value_error)?;
        Ok(PySolution(solution))
    }

    /// The size of the board.
    ///
    /// >>> first(8).n
    /// 8
    #[getter]
    fn n(&self) -> usize {
        self.0.n()
    }

    /// The column of each row's queen, both from 0.
    ///
    /// >>> first(8).columns
    /// (0, 4, 7, 5, 2, 6, 1, 3)
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.cols())
    }

    /// The squares of the queens as pairs (row, column), from row 0.
    ///
    /// >>> first(4).queens
    /// ((0, 1), (1, 3), (2, 0), (3, 2))
    #[getter]
    fn queens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.queens().map(<(usize, usize)>::from))
    }

    /// The pairs of queens that attack each other: none, or it would be no solution.
    ///
    /// >>> first(8).conflicts()
    /// []
    fn conflicts(&self) -> Vec<PyAttack> {
        Vec::new()
    }

    /// The symmetry class: the different rotations and reflections, sorted. There are 1, 2, 4
    /// or 8, and the first is the fundamental solution of the class.
    ///
    /// >>> first(4).orbit()
    /// [Solution((1, 3, 0, 2)), Solution((2, 0, 3, 1))]
    /// >>> len(first(8).orbit())
    /// 8
    fn orbit(&self) -> Vec<PySolution> {
        self.0.class().into_iter().map(PySolution).collect()
    }

    /// The fundamental solution of the class: the smallest of its rotations and reflections.
    ///
    /// >>> Solution((2, 0, 3, 1)).fundamental()
    /// Solution((1, 3, 0, 2))
    fn fundamental(&self) -> PySolution {
        PySolution(self.0.fundamental())
    }

    /// Whether this is the fundamental solution of its class.
    ///
    /// >>> [solution.is_fundamental for solution in solutions(4)]
    /// [True, False]
    #[getter]
    fn is_fundamental(&self) -> bool {
        self.0.is_fundamental()
    }

    /// The solution turned or reflected: by "quarter", "half" or "three-quarters" of a turn,
    /// "left-right", "top-bottom", by "transpose" or "anti-transpose", or not ("identity").
    ///
    /// >>> first(8).image("left-right")
    /// Solution((7, 3, 0, 2, 5, 1, 6, 4))
    fn image(&self, symmetry: &str) -> PyResult<PySolution> {
        let symmetry = named(symmetry, &Symmetry::ALL, Symmetry::name, "symmetry")?;
        Ok(PySolution(self.0.image(symmetry)))
    }

    /// The solution as text in one of seven formats: tuple, zero-based, board, unicode, fen,
    /// json, csv.
    ///
    /// >>> first(4).text("fen")
    /// '1Q2/3Q/Q3/2Q1 w - - 0 1'
    /// >>> first(4).text("tuple")
    /// '(2, 4, 1, 3)'
    #[pyo3(signature = (format = "board"))]
    fn text(&self, format: &str) -> PyResult<String> {
        let format: Format = format.parse().map_err(value_error)?;
        Ok(self.0.display(format).to_string())
    }

    /// The picture of the board, as SVG. Boards are drawn up to n = 100.
    ///
    /// >>> first(8).svg(size=200, theme="dark")[:4]
    /// '<svg'
    #[pyo3(signature = (*, size = None, theme = "light"))]
    fn svg(&self, size: Option<u32>, theme: &str) -> PyResult<String> {
        picture::board(Placement::from(&self.0), size, theme, false)
    }

    fn _repr_svg_(&self) -> Option<String> {
        picture::shown(&Placement::from(&self.0), false)
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

    /// The row of the queen in this column.
    ///
    /// >>> Solution((1, 3, 0, 2)).index(3)
    /// 1
    #[pyo3(signature = (column, start=0, stop=isize::MAX, /))]
    fn index<'py>(
        &self,
        column: &Bound<'py, PyAny>,
        start: isize,
        stop: isize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.columns(column.py())?.into_any();
        columns.call_method1("index", (column, start, stop))
    }

    /// How many queens this column has, which is 1 for every column of the board.
    ///
    /// >>> first(8).count(7), first(8).count(8)
    /// (1, 0)
    #[pyo3(signature = (column, /))]
    fn count(&self, column: &Bound<'_, PyAny>) -> usize {
        usize::from(self.__contains__(column))
    }

    fn __len__(&self) -> usize {
        self.0.n()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py)?.as_any().get_item(index)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.columns(py)?.try_iter()?.into_any())
    }

    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.0.cols().iter().rev();
        Ok(PyTuple::new(py, columns)?.try_iter()?.into_any())
    }

    fn __contains__(&self, column: &Bound<'_, PyAny>) -> bool {
        let column = column.extract::<usize>();
        column.is_ok_and(|column| column < self.0.n())
    }

    fn __str__(&self) -> String {
        self.0.display(Format::Board).to_string()
    }

    fn __repr__(&self) -> String {
        format!("Solution({})", tuple(self.0.cols()))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyTuple>,))> {
        let columns = slf.get().columns(slf.py())?;
        Ok((slf.get_type().into_any(), (columns,)))
    }
}
