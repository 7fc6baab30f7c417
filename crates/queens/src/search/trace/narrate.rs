//! One sentence for each event.
//!
//! The player, the stepping page and the block styles say with it what just happened, with
//! rows, columns and queens from [`Style::first_number`]. The style `steps` tells a story instead
//! and joins several events into one sentence; that is in the file `steps`, and [`says`] picks
//! between the two.

use super::super::{Event, Verdict};
use super::{State, Style, steps, tuple_from};
use crate::line::Line;
use crate::puzzle::Board;

/// The words for a line of attack.
pub(super) fn line_words(line: Line) -> &'static str {
    match line {
        Line::Row => "the row",
        Line::Column => "the column",
        Line::Diag => "the diagonal",
        Line::Anti => "the anti-diagonal",
    }
}

/// What a board looks like before the search begins: `an empty board of 4 by 4`.
pub(super) fn start(board: &Board) -> String {
    let n = board.n();
    let number = |count: usize, things: &str, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {things}")),
    };
    let parts = [
        number(board.given().len(), "queens given", "queen given"),
        number(board.blocked().len(), "squares blocked", "square blocked"),
        match board.queens() {
            queens if queens == n => None,
            1 => Some("1 queen in all".to_owned()),
            queens => Some(format!("{queens} queens in all")),
        },
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => format!("an empty board of {n} by {n}"),
        false => format!("a board of {n} by {n}: {}", parts.join(", ")),
    }
}

/// Says that every row is decided; with fewer queens than rows, not every one is filled.
pub(super) fn all_rows(board: &Board) -> &'static str {
    match board.queens() < board.n() {
        true => "all queens stand",
        false => "all rows are filled",
    }
}

/// Why there is no solution before a row was looked at, if there are more queens than rows.
pub(super) fn too_many(board: &Board) -> Option<String> {
    let (queens, rows) = (board.queens(), board.n());
    let need = if queens == 1 {
        "queen needs"
    } else {
        "queens need"
    };
    let plural = if rows == 1 { "" } else { "s" };
    (queens > rows).then(|| format!("{queens} {need} more than {rows} row{plural}"))
}

/// The same words as a sentence of their own.
pub(super) fn capital(words: &str) -> String {
    let (first, rest) = words.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
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
    let placed = || tuple_from(first, &state.cols);
    let board = state.puzzle();
    match event {
        Event::Enter { row } if row == state.n && too_many(board).is_none() => {
            all_rows(board).to_owned()
        }
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
        Event::Place { row, col } if state.given(row).is_some() => format!(
            "come to queen {}, given in {}: {}",
            row + first,
            at(row, col),
            placed()
        ),
        Event::Undo { row, col } if state.given(row).is_some() => format!(
            "go back over queen {}, given in {}",
            row + first,
            at(row, col)
        ),
        Event::Place { row, col } => {
            format!(
                "place queen {} in {}: {}",
                row + first,
                at(row, col),
                placed()
            )
        }
        Event::Solution => format!("solution {}: {}", state.stats.solutions, placed()),
        Event::DeadEnd { row } => match too_many(board) {
            Some(why) => format!("dead end: {why}"),
            None => format!("dead end: no square of row {} is free", row + first),
        },
        Event::Skip { row } => format!("leave row {} empty: {}", row + first, placed()),
        Event::Unskip { row } => {
            format!("come back to row {}, which was left empty", row + first)
        }
        Event::Leave { row, solutions: 1 } if row == state.n => {
            format!("return 1 for {}", placed())
        }
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
        (_, None) => start(state.puzzle()),
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
