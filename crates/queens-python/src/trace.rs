//! `Trace`: the events of a search, and all that can be made of them.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice};
use queens::render::{escape, html};
use queens::search::trace::json::{self, JsonTrace};
use queens::search::trace::{End, State, Stats, Style, TextTrace, Trace, Until};
use queens::search::{Event, Verdict};
use queens::{Board, Placement};

use crate::argument::{Added, Amount, Squares, Where, named, value_error};
use crate::count::record;
use crate::picture;
use crate::placement::PyAttack;
use crate::supervise::{Progress, supervise};

/// The steps of a search. The iterator and the items are its events.
///
/// An event is a record with kind ("enter", "try", "place", "solution", "dead-end", "leave" or
/// "undo", and "skip" and "unskip" where a row may stay empty), row and column (or None), the
/// attack that refuses a square that was tried, whether it is blocked instead, and the solutions
/// found below a node that is left. str(trace) tells the steps in the style of the
/// trace; in a notebook, a trace is a page that steps forward and back.
///
/// >>> steps = trace(4)
/// >>> steps[1]
/// Event(kind='try', row=0, column=0, attack=None, blocked=False, solutions=None)
/// >>> print(steps.text()[:36])
/// (0)
/// (0, 2)
/// dead end
/// (0, 3)
/// (0, 3, 1)
/// >>> steps.stats.tried
/// 26
#[pyclass(frozen, name = "Trace", module = "queenside")]
pub struct PyTrace {
    board: Board,
    style: Style,
    until: Until,
    limit: Option<u64>,
    events: Vec<Event>,
    end: End,
    stats: Stats,
}

impl PyTrace {
    fn event<'py>(&self, py: Python<'py>, event: Event) -> PyResult<Bound<'py, PyAny>> {
        let mut blocked = false;
        let (row, column, attack, solutions) = match event {
            Event::Try { row, col, verdict } => {
                let attack = match verdict {
                    Verdict::Free | Verdict::Blocked => None,
                    Verdict::Refused(attack) => Some(PyAttack(attack)),
                };
                blocked = verdict == Verdict::Blocked;
                (Some(row), Some(col), attack, None)
            }
            Event::Place { row, col } | Event::Undo { row, col } => {
                (Some(row), Some(col), None, None)
            }
            Event::Solution => (None, None, None, None),
            Event::Leave { row, solutions } => (Some(row), None, None, Some(solutions)),
            Event::Enter { row }
            | Event::DeadEnd { row }
            | Event::Skip { row }
            | Event::Unskip { row } => (Some(row), None, None, None),
        };
        let fields = PyDict::new(py);
        fields.set_item("kind", event.name())?;
        fields.set_item("row", row)?;
        fields.set_item("column", column)?;
        fields.set_item("attack", attack)?;
        fields.set_item("blocked", blocked)?;
        fields.set_item("solutions", solutions)?;
        record(py, "Event", &fields)
    }

    /// The style of this name, or that of the trace, if it shows the board legibly.
    fn legible(&self, style: Option<&str>) -> PyResult<Style> {
        let style = match style {
            Some(name) => style_named(name)?,
            None => self.style,
        };
        style.check(self.board.n()).map_err(value_error)?;
        Ok(style)
    }

    fn state(&self, events: usize) -> State {
        let mut state = State::on(&self.board);
        self.events[..events]
            .iter()
            .for_each(|&event| state.apply(event));
        state
    }

    fn placement(&self, events: usize) -> PyResult<Placement> {
        let (state, n) = (self.state(events), self.board.n());
        Placement::from_rows((0..n).map(|row| state.queen(row))).map_err(value_error)
    }
}

fn style_named(name: &str) -> PyResult<Style> {
    named(name, &Style::ALL, Style::name, "trace style")
}

#[pymethods]
impl PyTrace {
    /// The size of the board.
    ///
    /// >>> trace(4).n
    /// 4
    #[getter]
    fn n(&self) -> usize {
        self.board.n()
    }

    /// The style in which str tells the steps.
    ///
    /// >>> trace(4, style="bits").style
    /// 'bits'
    #[getter]
    fn style(&self) -> &'static str {
        self.style.name()
    }

    /// Why the trace ended: "complete", "first" (a solution was found and no more asked for)
    /// or "limit".
    ///
    /// >>> trace(4).end, trace(4, until="all").end, trace(8, limit=100).end
    /// ('first', 'complete', 'limit')
    #[getter]
    fn end(&self) -> &'static str {
        self.end.name()
    }

    /// How many steps there were of each kind: a record with events, tried, placements,
    /// dead_ends, undos, solutions and levels, the nodes of the search tree per level.
    ///
    /// >>> trace(4, until="all").stats.levels
    /// (1, 4, 6, 4, 2)
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stats = &self.stats;
        let fields = PyDict::new(py);
        fields.set_item("events", stats.events)?;
        fields.set_item("tried", stats.tried)?;
        fields.set_item("placements", stats.placements)?;
        fields.set_item("dead_ends", stats.dead_ends)?;
        fields.set_item("undos", stats.undos)?;
        fields.set_item("solutions", stats.solutions)?;
        fields.set_item("levels", pyo3::types::PyTuple::new(py, &stats.levels)?)?;
        record(py, "Stats", &fields)
    }

    /// The queens that stand after this many events, given ones included; by default after all
    /// of them.
    ///
    /// >>> trace(4).board(3)
    /// Placement(4, [(0, 0)])
    /// >>> trace(4).board().is_solution
    /// True
    #[pyo3(signature = (events = None))]
    fn board(&self, events: Option<Amount>) -> PyResult<crate::placement::PyPlacement> {
        let events = events.map_or(self.events.len(), |Amount(events)| events);
        if events > self.events.len() {
            return Err(PyIndexError::new_err("the trace has fewer events"));
        }
        Ok(crate::placement::PyPlacement(self.placement(events)?))
    }

    /// The steps as text, in the style of the trace or in another one: tuple, steps, box,
    /// attackers, lines, grid or bits. All styles tell the same events.
    ///
    /// >>> print(trace(4).text("steps").splitlines()[0])
    /// Place queen 1 in row 1: the first available column is 1.
    #[pyo3(signature = (style = None))]
    fn text(&self, style: Option<&str>) -> PyResult<String> {
        let mut told = TextTrace::on(&self.board, self.legible(style)?);
        let mut text = String::new();
        for &event in &self.events {
            text += &told.event(event);
        }
        text += &told.finish(self.end);
        Ok(text)
    }

    /// The events as JSON, one line each, between a first and a last line.
    ///
    /// >>> trace(4).json().splitlines()[1]
    /// '{"event":"enter","step":1,"row":0,"cols":[]}'
    fn json(&self) -> String {
        let mut lines = JsonTrace::on(&self.board, self.style);
        let mut text = json::begin(&self.board, self.style, self.until, self.limit);
        for &event in &self.events {
            text += &lines.event(event);
        }
        text + &json::end(self.end, &self.stats)
    }

    /// The trace as a complete HTML page that steps forward and back; up to 50,000 events.
    ///
    /// >>> trace(4).html()[:15]
    /// '<!doctype html>'
    fn html(&self) -> PyResult<String> {
        let style = self.legible(None)?;
        html::page(&self.board, style, self.until, self.limit).map_err(value_error)
    }

    /// The picture of the board that the trace ended with.
    ///
    /// >>> trace(4).svg()[:4]
    /// '<svg'
    #[pyo3(signature = (*, size = None, theme = "light"))]
    fn svg(&self, size: Option<u32>, theme: &str) -> PyResult<String> {
        picture::board(self.placement(self.events.len())?, size, theme, false)
    }

    fn _repr_svg_(&self) -> Option<String> {
        picture::shown(&self.placement(self.events.len()).ok()?, false)
    }

    /// The page in a frame of its own, whose keys and styles stay there.
    fn _repr_html_(&self) -> Option<String> {
        let page = escape(&self.html().ok()?);
        Some(format!(
            "<iframe srcdoc=\"{page}\" title=\"{problem}: the search, step by step\" \
             width=\"100%\" height=\"760\" style=\"border: 1px solid #ccc\"></iframe>",
            problem = self.board.problem()
        ))
    }

    #[pyo3(signature = (include = None, exclude = None))]
    #[expect(unused_variables, reason = "Jupyter filters what it gets")]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let bundle = picture::bundle(py, self.__repr__(), self._repr_svg_())?;
        if let Some(page) = self._repr_html_() {
            bundle.set_item("text/html", page)?;
        }
        Ok(bundle)
    }

    fn __len__(&self) -> usize {
        self.events.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let length = self.events.len() as isize;
        if let Ok(slice) = index.cast::<PySlice>() {
            let slice = slice.indices(length)?;
            let list = PyList::empty(py);
            let mut at = slice.start;
            for _ in 0..slice.slicelength {
                list.append(self.event(py, self.events[at as usize])?)?;
                at += slice.step;
            }
            return Ok(list.into_any());
        }
        let at: isize = index.extract()?;
        let at = if at < 0 { at + length } else { at };
        match usize::try_from(at).ok().and_then(|at| self.events.get(at)) {
            Some(&event) => self.event(py, event),
            None => Err(PyIndexError::new_err("the trace has fewer events")),
        }
    }

    fn __iter__(slf: &Bound<'_, Self>) -> Events {
        Events {
            trace: slf.clone().unbind(),
            at: AtomicUsize::new(0),
        }
    }

    fn __str__(&self) -> String {
        // A board that is too large for the style of the trace is not drawn.
        self.text(None).unwrap_or_else(|_| self.__repr__())
    }

    fn __repr__(&self) -> String {
        format!(
            "<Trace of n = {}: {} events, {} solution{}, {}>",
            self.board.n(),
            self.events.len(),
            self.stats.solutions,
            if self.stats.solutions == 1 { "" } else { "s" },
            match self.end {
                End::First => "up to the first solution",
                End::Complete => "the whole search",
                _ => "cut by its limit",
            }
        )
    }
}

/// The events of a trace, one by one.
#[pyclass(frozen, name = "_Events", module = "queenside")]
pub struct Events {
    trace: Py<PyTrace>,
    at: AtomicUsize,
}

#[pymethods]
impl Events {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let trace = self.trace.get();
        let at = self.at.fetch_add(1, Ordering::Relaxed);
        let event = trace.events.get(at);
        event.map(|&event| trace.event(py, event)).transpose()
    }
}

/// How far a trace goes, by name.
fn until_named(name: &str) -> PyResult<Until> {
    named(
        name,
        &[Until::First, Until::All],
        Until::name,
        "end of a trace",
    )
}

/// Every step of the search, up to the first solution or through all of it.
///
/// style is the way of the course documents in which the steps are told: "tuple", "steps",
/// "box", "attackers", "lines", "grid" or "bits". until is "first" or "all". A trace ends after
/// limit events, unless limit is None. n may be a Board; given, blocked and queens add to it, as
/// in count: given queens stand from the start, and with fewer queens than rows a row may stay
/// empty.
///
/// >>> trace(6)
/// <Trace of n = 6: 293 events, 1 solution, up to the first solution>
/// >>> sum(event.kind == "dead-end" for event in trace(6, until="all"))
/// 46
/// >>> print(trace(4, style="bits").text().splitlines()[0])
/// row 0: down 0000 left 0000 right 0000 possible 1111
/// >>> print(trace(6, given=[(1, 3)], blocked=[(0, 0)]).text("steps").splitlines()[1])
/// Queen 2 is given: row 2, column 4.
/// >>> print(trace(3, queens=2).text())
/// (-)
/// (-, 0)
/// (-, 0, 2)
/// solution 1
/// <BLANKLINE>
#[pyfunction]
#[pyo3(
    signature = (
        n,
        *,
        given = None,
        blocked = None,
        queens = None,
        style = "tuple",
        until = "first",
        limit = Some(Amount(1_000_000)),
    ),
    text_signature = "(n, *, given=None, blocked=None, queens=None, style='tuple', until='first', limit=1000000)",
)]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn trace(
    py: Python<'_>,
    n: Where,
    given: Option<Squares>,
    blocked: Option<Squares>,
    queens: Option<Amount>,
    style: &str,
    until: &str,
    limit: Option<Amount>,
) -> PyResult<PyTrace> {
    let place = n.with(Added {
        given,
        blocked,
        queens,
    })?;
    let board = place.board();
    let (n, style, until) = (board.n(), style_named(style)?, until_named(until)?);
    let limit = limit.map(|Amount(limit)| limit as u64);
    let walk = Trace::on(&board).style(style).until(until).limit(limit);
    let walked = supervise(py, &Progress::new(None, "")?, move |watch| {
        let (mut events, mut stats) = (Vec::new(), Stats::new(n));
        let end = walk.run(|event| {
            events.push(event);
            stats.apply(event);
            match watch.goes_on() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        end.map(|end| (events, stats, end))
    })?;
    let (events, stats, end) = walked.map_err(value_error)?;
    Ok(PyTrace {
        board,
        style,
        until,
        limit,
        events,
        end,
        stats,
    })
}
