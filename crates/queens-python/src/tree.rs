//! `Tree`: the search tree.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use queens::render::{dot, tree as draw};
use queens::search::tree::{Limit, Tree};

use crate::argument::{Added, Amount, Squares, Where, value_error};
use crate::count::record;
use crate::picture;
use crate::placement::PyAttack;

/// The search tree: a node per partial solution.
///
/// The root is the empty board, a node of level k is a placement of k queens in the first k
/// rows, and its children are the free squares of the next row. In a notebook it is drawn.
///
/// >>> search = tree(4)
/// >>> search.levels, search.leaves, len(search)
/// ((1, 4, 6, 4, 2), 6, 17)
/// >>> [node.columns for node in search.nodes if node.kind == "solution"]
/// [(1, 3, 0, 2), (2, 0, 3, 1)]
#[pyclass(frozen, eq, name = "Tree", module = "queenside")]
#[derive(PartialEq, Eq)]
pub struct PyTree {
    tree: Tree,
}

#[pymethods]
impl PyTree {
    /// The size of the board.
    ///
    /// >>> tree(4).n
    /// 4
    #[getter]
    fn n(&self) -> usize {
        self.tree.n
    }

    /// The depth at which the tree was cut, or None.
    ///
    /// >>> tree(8, depth=2).depth
    /// 2
    #[getter]
    fn depth(&self) -> Option<usize> {
        self.tree.depth
    }

    /// How many nodes each level has, from the root down.
    ///
    /// >>> tree(6).levels
    /// (1, 6, 20, 36, 46, 40, 4)
    #[getter]
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tree.levels())
    }

    /// How many nodes have no children.
    ///
    /// >>> tree(4).leaves
    /// 6
    #[getter]
    fn leaves(&self) -> usize {
        self.tree.leaves()
    }

    /// The nodes, the root first, in the order of the search: records with columns (None for a
    /// row that stays empty), kind ("inner", "dead-end", "solution" or "cut"), children (as
    /// indices of this list), refused (the attacks that refuse the other squares of the next
    /// row), blocked (its blocked columns) and solutions, how many lie at or below the node.
    ///
    /// >>> tree(4).nodes[1].columns, tree(4).nodes[1].kind, tree(4).nodes[1].children
    /// ((0,), 'inner', (2, 3))
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for node in &self.tree.nodes {
            let fields = PyDict::new(py);
            let refused = node.refused.iter().copied().map(PyAttack);
            let refused: Vec<PyAttack> = refused.collect();
            fields.set_item("columns", PyTuple::new(py, &node.cols)?)?;
            fields.set_item("kind", node.kind.name())?;
            fields.set_item("children", PyTuple::new(py, &node.children)?)?;
            fields.set_item("refused", PyTuple::new(py, refused)?)?;
            fields.set_item("blocked", PyTuple::new(py, &node.blocked)?)?;
            fields.set_item("solutions", node.solutions)?;
            list.append(record(py, "Node", &fields)?)?;
        }
        Ok(list)
    }

    /// The tree as indented lines; with pruned, refused squares are shown too.
    ///
    /// >>> print(tree(2).text())
    /// search tree of 2-queens: 3 nodes, by level 1 2 0
    /// ()
    /// ├─ (0)  dead end
    /// └─ (1)  dead end
    /// <BLANKLINE>
    #[pyo3(signature = (*, pruned = false))]
    fn text(&self, pruned: bool) -> String {
        draw::text(&self.tree, pruned)
    }

    /// The tree in the language of Graphviz.
    ///
    /// >>> tree(4).dot().splitlines()[0]
    /// 'digraph queens {'
    #[pyo3(signature = (*, pruned = false))]
    fn dot(&self, pruned: bool) -> String {
        dot::tree(&self.tree, pruned)
    }

    /// The tree as one nested JSON object.
    ///
    /// >>> import json
    /// >>> json.loads(tree(4).json())["levels"]
    /// [1, 4, 6, 4, 2]
    #[pyo3(signature = (*, pruned = false))]
    fn json(&self, pruned: bool) -> String {
        draw::json(&self.tree, pruned)
    }

    /// The drawing of the tree, as SVG. All of n = 6 can be drawn; larger trees raise ValueError
    /// with a depth that fits.
    ///
    /// >>> tree(4).svg(pruned=True)[:4]
    /// '<svg'
    #[pyo3(signature = (*, pruned = false, theme = "light"))]
    fn svg(&self, pruned: bool, theme: &str) -> PyResult<String> {
        let theme = picture::theme(theme)?;
        Tree::build_on(&self.tree.board, self.tree.depth, Limit::DRAWING).map_err(value_error)?;
        Ok(draw::svg(&self.tree, pruned, theme))
    }

    fn _repr_svg_(&self) -> Option<String> {
        self.svg(false, "light").ok()
    }

    #[pyo3(signature = (include = None, exclude = None))]
    #[expect(unused_variables, reason = "Jupyter filters what it gets")]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        picture::bundle(py, self.__repr__(), self._repr_svg_())
    }

    fn __len__(&self) -> usize {
        self.tree.nodes.len()
    }

    fn __str__(&self) -> String {
        self.text(false)
    }

    fn __repr__(&self) -> String {
        let cut = match self.tree.depth {
            Some(depth) => format!(", cut at depth {depth}"),
            None => String::new(),
        };
        format!(
            "<Tree of n = {}: {} nodes{cut}>",
            self.tree.n,
            self.tree.nodes.len()
        )
    }
}

/// The search tree for a board of size n, cut at depth if one is given.
///
/// n may be a Board; given, blocked and queens add to it, as in count: in the row of a given queen
/// every node has one child.
///
/// A tree has at most 100,000 nodes: all of n = 10. A larger one raises ValueError with a depth
/// that fits.
///
/// >>> tree(4)
/// <Tree of n = 4: 17 nodes>
/// >>> tree(4, given=[(1, 3)]).levels
/// (1, 2, 2, 2, 1)
/// >>> tree(12)
/// Traceback (most recent call last):
///     ...
/// ValueError: the search tree for N = 12 has more than 100000 nodes, too many for this format; try depth 6
#[pyfunction]
#[pyo3(signature = (n, *, given = None, blocked = None, queens = None, depth = None))]
pub fn tree(
    py: Python<'_>,
    n: Where,
    given: Option<Squares>,
    blocked: Option<Squares>,
    queens: Option<Amount>,
    depth: Option<Amount>,
) -> PyResult<PyTree> {
    let place = n.with(Added {
        given,
        blocked,
        queens,
    })?;
    let board = place.board();
    let depth = depth.map(|Amount(depth)| depth);
    let built = py.detach(|| Tree::build_on(&board, depth, Limit::LIST));
    let tree = built.map_err(value_error)?;
    Ok(PyTree { tree })
}
