//! One sentence for each event.
//!
//! The player, the stepping page and the block styles say with it what just happened, with
//! rows, columns and queens from [`Style::first_number`]. The style `steps` tells a story
//! instead and joins several events into one sentence; that is `steps`, and [`says`] picks it.

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

/// What an event did, with rows and columns from 0; `state` is the moment after it.
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
    counted_from(0, event, state)
}

/// The same with the first row and the first column numbered `first`.
fn counted_from(first: usize, event: Event, state: &State) -> String {
    let at = |row: usize, col: usize| format!("row {}, col {}", row + first, col + first);
    let placed = || {
        let cols: Vec<usize> = state.cols.iter().map(|col| col + first).collect();
        tuple(&cols)
    };
    match event {
        Event::Enter { row } if row == state.n => "all rows are filled".to_owned(),
        Event::Enter { row } => format!("begin row {}", row + first),
        Event::Try {
            row,
            col,
            verdict: Verdict::Free,
        } => format!("try {}: free", at(row, col)),
        Event::Try {
            row,
            col,
            verdict: Verdict::Refused(attack),
        } => format!(
            "try {}: refused, queen {} attacks it along {}",
            at(row, col),
            attack.queen() + first,
            line_words(attack.line)
        ),
        Event::Try {
            row,
            col,
            verdict: Verdict::Blocked,
        } => format!("try {}: blocked", at(row, col)),
        Event::Place { row, col } => {
            format!(
                "place queen {} in {}: {}",
                row + first,
                at(row, col),
                placed()
            )
        }
        Event::Solution => format!("solution {}: {}", state.stats.solutions, placed()),
        Event::DeadEnd { row } => format!("dead end: no square of row {} is free", row + first),
        Event::Leave { row, .. } if row == state.n => format!("return 1 for {}", placed()),
        Event::Leave { row, solutions } => {
            let plural = if solutions == 1 { "" } else { "s" };
            format!(
                "row {} is done: {solutions} solution{plural} below {}",
                row + first,
                placed()
            )
        }
        Event::Undo { row, col } => {
            format!("undo queen {}: take her from {}", row + first, at(row, col))
        }
    }
}

/// The sentence of a style for this moment: what the last event did, or what the board looks
/// like before there was one.
///
/// ```
/// use queens::search::Event;
/// use queens::search::trace::{State, Style, narrate::says};
///
/// let mut state = State::new(4);
/// state.apply(Event::Place { row: 0, col: 2 });
/// assert_eq!(says(Style::Grid, &state), "place queen 0 in row 0, col 2: (2)");
/// // The assignment counts from 1.
/// assert_eq!(says(Style::Box, &state), "place queen 1 in row 1, col 3: (3)");
/// ```
pub fn says(style: Style, state: &State) -> String {
    match (style, state.last) {
        (Style::Steps, _) => walk(style.first_number(), state),
        (_, None) => format!("an empty board of {n} by {n}", n = state.n),
        (_, Some(event)) => counted_from(style.first_number(), event, state),
    }
}

/// The sentence of the style `steps` for this moment, with the first row, column and queen
/// numbered `first`.
///
/// ```
/// use queens::search::Event;
/// use queens::search::trace::{State, narrate::walk};
///
/// let mut state = State::new(4);
/// state.apply(Event::Place { row: 0, col: 2 });
/// state.apply(Event::Place { row: 1, col: 0 });
/// assert_eq!(walk(1, &state), "Place queen 2 in row 2: the first available column is 1.");
/// assert_eq!(walk(0, &state), "Place queen 1 in row 1: the first available column is 0.");
/// ```
pub fn walk(first: usize, state: &State) -> String {
    steps::now(first, state)
}
