//! A trace as JSON, one event per line.
//!
//! The first line says what is traced, the last why it ended and how often each kind of
//! step was taken; between them each line is one event, with the columns of the queens after it
//! and, depending on the style, the state of the representation. Only the [`State`] is kept from
//! one line to the next, so a trace of any length takes constant memory. `docs/traces.md` describes
//! the schema.

use super::super::{Event, Verdict};
use super::{End, State, Stats, Style, Until, must_hold, panel, steps};
use crate::board::{AttackCount, Bitmask, ByteGrid, FirstAttacker, Lines};
use crate::json::{Object, ToJson, array};
use crate::placement::Square;
use crate::puzzle::Board;

/// The name of the schema; the number after the slash changes when a field changes.
pub const SCHEMA: &str = "queens-trace/2";

/// Adds the size of the board, and the board unless it is the plain one.
fn named(object: Object, board: &Board) -> Object {
    let object = object.set("n", board.n());
    match board.is_plain() {
        true => object,
        false => object.set("board", board),
    }
}

/// The first line.
pub fn begin(board: &Board, style: Style, until: Until, limit: Option<u64>) -> String {
    let object = Object::new().set("event", "begin").set("schema", SCHEMA);
    line(
        named(object, board)
            .set("style", style.name())
            .set("until", until.name())
            .set("limit", limit),
    )
}

/// The last line.
pub fn end(end: End, stats: &Stats) -> String {
    let object = Object::new()
        .set("event", "end")
        .set("reason", end.name())
        .set("events", stats.events);
    line(tallies(object, stats))
}

/// The tallies alone, as one object, for `--stats`.
pub fn stats(board: &Board, until: Until, end: End, stats: &Stats) -> String {
    let object = named(Object::new(), board)
        .set("until", until.name())
        .set("reason", end.name());
    line(tallies(object, stats))
}

/// Adds the tallies to an object.
fn tallies(object: Object, stats: &Stats) -> Object {
    object
        .set("tried", stats.tried)
        .set("placements", stats.placements)
        .set("dead_ends", stats.dead_ends)
        .set("undos", stats.undos)
        .set("solutions", stats.solutions)
        .set("levels", &stats.levels)
}

fn line(object: Object) -> String {
    object.end() + "\n"
}

/// Writes events as lines of JSON.
///
/// ```
/// use queens::search::Event;
/// use queens::search::trace::{Style, json::JsonTrace};
///
/// let mut trace = JsonTrace::new(4, Style::Tuple);
/// assert_eq!(
///     trace.event(Event::Place { row: 0, col: 2 }),
///     "{\"event\":\"place\",\"step\":1,\"row\":0,\"col\":2,\"cols\":[2]}\n"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct JsonTrace {
    style: Style,
    state: State,
}

impl JsonTrace {
    /// Before the first event on the plain board.
    ///
    /// # Panics
    ///
    /// When `n` is above the limit of the style's representation: [`Style::check_board`].
    pub fn new(n: usize, style: Style) -> Self {
        JsonTrace::on(&Board::new(n), style)
    }

    /// Before the first event on a board.
    ///
    /// # Panics
    ///
    /// When the board is too large for the style's representation: [`Style::check_board`].
    pub fn on(board: &Board, style: Style) -> Self {
        must_hold(style, board.n());
        JsonTrace {
            style,
            state: State::on(board),
        }
    }

    /// What has happened so far.
    pub fn stats(&self) -> &Stats {
        &self.state.stats
    }

    /// One event as one line.
    pub fn event(&mut self, event: Event) -> String {
        self.state.apply(event);
        let object = Object::new()
            .set("event", event.name())
            .set("step", self.state.stats.events);
        let mut object = match event {
            Event::Try { row, col, verdict } => {
                let object = object.set("row", row).set("col", col);
                match verdict {
                    Verdict::Free => object.set("free", true),
                    Verdict::Refused(attack) => object.set("free", false).set("attack", attack),
                    Verdict::Blocked => object.set("free", false).set("blocked", true),
                }
            }
            Event::Place { row, col } | Event::Undo { row, col } => {
                object.set("row", row).set("col", col)
            }
            Event::Solution => object.set("number", self.state.stats.solutions),
            Event::Leave { row, solutions } => object.set("row", row).set("solutions", solutions),
            Event::Enter { row }
            | Event::DeadEnd { row }
            | Event::Skip { row }
            | Event::Unskip { row } => object.set("row", row),
        };
        object = object.set("cols", &self.state.cols);
        if self.style == Style::Steps {
            object = object.list(
                "told",
                steps::told(Style::Steps.first_number(), event, &self.state),
            );
        } else if let Some(state) = state(self.style, &self.state) {
            object = object.set("state", state);
        }
        line(object)
    }
}

/// The state of a style's representation as a JSON object; the styles `tuple` and `steps`
/// have none beside the columns.
///
/// # Panics
///
/// When `n` is above the limit of the style's representation.
fn state(style: Style, state: &State) -> Option<Object> {
    let n = state.n;
    // A blocked square holds no number.
    let open = |row, col| !state.is_blocked(Square::new(row, col));
    match style {
        Style::Tuple | Style::Steps => None,
        Style::Box => {
            let board: AttackCount = state.board();
            // Column 0 is no square.
            let open = |i: usize, j: usize| j == 0 || open(i - 1, j - 1);
            let cell = |i, j| open(i, j).then(|| board.b(i, j));
            let b = (1..=n).map(|i| array((0..=n).map(|j| cell(i, j))));
            Some(Object::new().list("B", b))
        }
        Style::Attackers => {
            let board: FirstAttacker = state.board();
            let cell = |row, col| open(row, col).then(|| board.earliest(row, col));
            Some(Object::new().set("attack", grid(n, cell)))
        }
        Style::Lines => {
            let board: Lines = state.board();
            Some(
                Object::new()
                    .set("row", board.row())
                    .set("col", board.col())
                    .set("NWtoSE", board.nw_to_se())
                    .set("SWtoNE", board.sw_to_ne()),
            )
        }
        Style::Grid => {
            let board: ByteGrid = state.board();
            let cell = |row, col| open(row, col).then(|| board.row(row)[col]);
            Some(Object::new().set("board", grid(n, cell)))
        }
        Style::Bits => {
            let board: Bitmask = state.board();
            let row = state.cols.len();
            let bits = board.row(row);
            let possible = panel::still_possible(state, row, bits, board.mask());
            let mut object = Object::new()
                .set("row", row)
                .set("down", panel::binary(bits.down, n))
                .set("left", panel::binary(bits.left, n))
                .set("right", panel::binary(bits.right, n));
            if !state.puzzle().is_plain() {
                object = object.set("closed", panel::binary(panel::closed(state, row), n));
            }
            Some(object.set("possible", panel::binary(possible, n)))
        }
    }
}

/// The cells of a board, row by row.
fn grid<T: ToJson>(n: usize, cell: impl Fn(usize, usize) -> T) -> impl ToJson {
    array((0..n).map(|row| array((0..n).map(|col| cell(row, col)))))
}
