//! A trace as JSON, one event per line.
//!
//! The first line says what is traced, the last why it ended and how often each kind of
//! step was taken; between them each line is one event, with the columns of the queens
//! after it and, depending on the style, the state of the representation. Nothing is kept
//! from one line to the next but the [`State`], so a trace of any length is written in
//! constant memory. The schema is described in `docs/traces.md`.
//!
//! The values are numbers, short names and strings of plain ASCII without quotes or
//! backslashes, so they are written directly.

use std::fmt::Write;

use super::super::{Event, Verdict};
use super::{End, State, Stats, Style, Until, panel, steps};
use crate::board::{AttackCount, Bitmask, ByteGrid, FirstAttacker, Lines};

/// The name of the schema; the number after the slash changes when a field changes.
pub const SCHEMA: &str = "queens-trace/1";

/// A list of numbers in brackets.
pub(crate) fn array<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut out = String::from("[");
    for (k, item) in items.into_iter().enumerate() {
        if k > 0 {
            out.push(',');
        }
        write!(out, "{item}").expect("writing to a string");
    }
    out.push(']');
    out
}

/// The first line.
pub fn begin(n: usize, style: Style, until: Until, limit: Option<u64>) -> String {
    let limit = limit.map_or("null".to_owned(), |k| k.to_string());
    format!(
        "{{\"event\":\"begin\",\"schema\":\"{SCHEMA}\",\"n\":{n},\"style\":\"{}\",\
         \"until\":\"{}\",\"limit\":{limit}}}\n",
        style.name(),
        until.name()
    )
}

/// The tallies, as members of an object.
fn tallies(stats: &Stats) -> String {
    format!(
        "\"tried\":{},\"placements\":{},\"dead_ends\":{},\"undos\":{},\"solutions\":{},\
         \"levels\":{}",
        stats.tried,
        stats.placements,
        stats.dead_ends,
        stats.undos,
        stats.solutions,
        array(&stats.levels)
    )
}

/// The last line.
pub fn end(end: End, stats: &Stats) -> String {
    format!(
        "{{\"event\":\"end\",\"reason\":\"{}\",\"events\":{},{}}}\n",
        end.name(),
        stats.events,
        tallies(stats)
    )
}

/// The tallies alone, as one object, for `--stats`.
pub fn stats(n: usize, until: Until, end: End, stats: &Stats) -> String {
    format!(
        "{{\"n\":{n},\"until\":\"{}\",\"reason\":\"{}\",{}}}\n",
        until.name(),
        end.name(),
        tallies(stats)
    )
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
    steps: steps::Steps,
}

impl JsonTrace {
    /// Before the first event.
    pub fn new(n: usize, style: Style) -> Self {
        JsonTrace {
            style,
            state: State::new(n),
            steps: steps::Steps::new(),
        }
    }

    /// What has happened so far.
    pub fn stats(&self) -> &Stats {
        &self.state.stats
    }

    /// One event as one line.
    pub fn event(&mut self, event: Event) -> String {
        self.state.apply(event);
        let step = self.state.stats.events;
        let mut out = match event {
            Event::Enter { row } => format!("{{\"event\":\"enter\",\"step\":{step},\"row\":{row}"),
            Event::Try { row, col, verdict } => {
                let says = match verdict {
                    Verdict::Free => "\"free\":true".to_owned(),
                    Verdict::Refused(attack) => format!(
                        "\"free\":false,\"queen\":{},\"line\":\"{}\"",
                        attack.queen(),
                        attack.line
                    ),
                };
                format!("{{\"event\":\"try\",\"step\":{step},\"row\":{row},\"col\":{col},{says}")
            }
            Event::Place { row, col } => {
                format!("{{\"event\":\"place\",\"step\":{step},\"row\":{row},\"col\":{col}")
            }
            Event::Solution => format!(
                "{{\"event\":\"solution\",\"step\":{step},\"number\":{}",
                self.state.stats.solutions
            ),
            Event::DeadEnd { row } => {
                format!("{{\"event\":\"dead-end\",\"step\":{step},\"row\":{row}")
            }
            Event::Leave { row, solutions } => format!(
                "{{\"event\":\"leave\",\"step\":{step},\"row\":{row},\"solutions\":{solutions}"
            ),
            Event::Undo { row, col } => {
                format!("{{\"event\":\"undo\",\"step\":{step},\"row\":{row},\"col\":{col}")
            }
        };
        write!(out, ",\"cols\":{}", array(&self.state.cols)).expect("writing to a string");
        if self.style == Style::Steps {
            let told = self.steps.event(event, &self.state);
            let told: Vec<String> = told.lines().map(|line| format!("\"{line}\"")).collect();
            write!(out, ",\"told\":{}", array(told)).expect("writing to a string");
        } else if let Some(state) = state(self.style, &self.state) {
            write!(out, ",\"state\":{state}").expect("writing to a string");
        }
        out.push_str("}\n");
        out
    }
}

/// The state of a style's representation as a JSON object; the styles `tuple` and `steps`
/// have none beside the columns.
///
/// # Panics
///
/// When `n` is above the limit of the style's representation.
fn state(style: Style, state: &State) -> Option<String> {
    let n = state.n;
    let grid = |cell: &dyn Fn(usize, usize) -> i64| {
        array((0..n).map(|row| array((0..n).map(|col| cell(row, col)))))
    };
    match style {
        Style::Tuple | Style::Steps => None,
        Style::Box => {
            let board: AttackCount = state.board();
            let b = array((1..=n).map(|i| array((0..=n).map(|j| board.b(i, j)))));
            Some(format!("{{\"B\":{b}}}"))
        }
        Style::Attackers => {
            let board: FirstAttacker = state.board();
            let attack = grid(&|row, col| i64::from(board.earliest(row, col)));
            Some(format!("{{\"attack\":{attack}}}"))
        }
        Style::Lines => {
            let board: Lines = state.board();
            Some(format!(
                "{{\"row\":{},\"col\":{},\"NWtoSE\":{},\"SWtoNE\":{}}}",
                array(board.row()),
                array(board.col()),
                array(board.nw_to_se()),
                array(board.sw_to_ne())
            ))
        }
        Style::Grid => {
            let board: ByteGrid = state.board();
            let squares = grid(&|row, col| i64::from(board.row(row)[col]));
            Some(format!("{{\"board\":{squares}}}"))
        }
        Style::Bits => {
            let board: Bitmask = state.board();
            let row = state.cols.len();
            let bits = board.row(row);
            let possible = panel::still_possible(state, row, bits, board.mask());
            Some(format!(
                "{{\"row\":{row},\"down\":\"{}\",\"left\":\"{}\",\"right\":\"{}\",\
                 \"possible\":\"{}\"}}",
                panel::binary(bits.down, n),
                panel::binary(bits.left, n),
                panel::binary(bits.right, n),
                panel::binary(possible, n)
            ))
        }
    }
}
