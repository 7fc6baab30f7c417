//! `solve`: one solution of any board, or the proof that there is none.

use pyo3::prelude::*;
use queens::Solve;
use queens::solve::Method;

use crate::argument::{Added, Amount, Seed, Squares, Where, named, value_error};
use crate::solutions::answer;
use crate::supervise::{Progress, supervise};

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Exact => "exact",
        Method::Local => "local",
        _ => "auto",
    }
}

/// One solution, fast, or None where it is proved that there is none.
///
/// The arguments are those of solutions. The plain board has a formula; others are given to local
/// searches, which mend a full board, and to an exact one, which can prove that there is no
/// solution. method chooses some: "local" or "exact". Local searches prove nothing: on a board without
/// a solution they go on until Ctrl-C. Another seed may find another solution; without a seed the
/// answer is the same every time.
///
/// >>> board = Board(8, given=[(0, 3)], blocked=[(1, 5)])
/// >>> bool(board.check(solve(board)))
/// True
/// >>> solve(8, given=[(0, 0), (1, 2), (2, 4)]) is None
/// True
/// >>> solve(1000).n
/// 1000
#[pyfunction]
#[pyo3(signature = (
    n,
    *,
    given = None,
    blocked = None,
    queens = None,
    seed = None,
    method = "auto",
))]
pub fn solve(
    py: Python<'_>,
    n: Where,
    given: Option<Squares>,
    blocked: Option<Squares>,
    queens: Option<Amount>,
    seed: Option<Seed>,
    method: &str,
) -> PyResult<Option<Py<PyAny>>> {
    let place = n.with(Added {
        given,
        blocked,
        queens,
    })?;
    let methods = [Method::Auto, Method::Exact, Method::Local];
    let method = named(method, &methods, method_name, "method")?;
    let board = place.board();
    let seed = seed.map_or(1, |Seed(seed)| seed);
    let solved = supervise(py, &Progress::new(None, "")?, move |watch| {
        let solve = Solve::new(&board).seed(seed).method(method);
        solve.stop(watch.stop()).run()
    })?;
    let found = solved.map_err(value_error)?;
    found.map(|placement| answer(py, placement)).transpose()
}
