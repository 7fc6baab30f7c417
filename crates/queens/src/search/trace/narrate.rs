//! One sentence for each event, with rows and columns from 0.
//!
//! The player, the stepping page and the block styles say with it what just happened.
//! The style `steps` tells a story instead, with rows and columns from 1, and joins
//! several events into one sentence; that is `steps`, and [`says`] picks it.

use super::super::{Event, Verdict};
use super::{State, Style, steps, tuple};
use crate::line::Line;

/// The words for a line of attack.
pub(super) fn line_words(line: Line) -> &'static str {
    match line {
        Line::Row => "the row",
        Line::Column => "the column",
        Line::Diag => "the diagonal",
        Line::Anti => "the anti-diagonal",
    }
}

/// What an event did; `state` is the moment after it.
///
/// ```
/// use queens::search::Event;
/// use queens::search::trace::{State, narrate::sentence};
///
/// let mut state = State::new(4);
/// let place = Event::Place { row: 0, col: 2 };
/// state.apply(place);
/// assert_eq!(sentence(place, &state), "place queen 0 in row 0, col 2: (2)");
/// ```
pub fn sentence(event: Event, state: &State) -> String {
    match event {
        Event::Enter { row } if row == state.n => "all rows are filled".to_owned(),
        Event::Enter { row } => format!("begin row {row}"),
        Event::Try {
            row,
            col,
            verdict: Verdict::Free,
        } => format!("try row {row}, col {col}: free"),
        Event::Try {
            row,
            col,
            verdict: Verdict::Refused(attack),
        } => format!(
            "try row {row}, col {col}: refused, queen {} attacks it along {}",
            attack.queen(),
            line_words(attack.line)
        ),
        Event::Place { row, col } => format!(
            "place queen {row} in row {row}, col {col}: {}",
            tuple(&state.cols)
        ),
        Event::Solution => format!("solution {}: {}", state.stats.solutions, tuple(&state.cols)),
        Event::DeadEnd { row } => format!("dead end: no square of row {row} is free"),
        Event::Leave { row, solutions } => {
            let plural = if solutions == 1 { "" } else { "s" };
            let below = tuple(&state.cols);
            if row == state.n {
                format!("return 1 for {below}")
            } else {
                format!("row {row} is done: {solutions} solution{plural} below {below}")
            }
        }
        Event::Undo { row, col } => format!("undo queen {row}: take her from row {row}, col {col}"),
    }
}

/// What the state says before anything has happened, or what the last event did.
pub fn now(state: &State) -> String {
    match state.last {
        None => format!("an empty board of {n} by {n}", n = state.n),
        Some(event) => sentence(event, state),
    }
}

/// The sentence of a style for this moment: the style `steps` has its own.
pub fn says(style: Style, state: &State) -> String {
    match style {
        Style::Steps => steps::now(state),
        _ => now(state),
    }
}
