//! The walk told in sentences, as chapter 6 and the lecture tell it: "dead end in row 8", "undo
//! queen 7, no other choice". `first` is the number of the first row, column and queen: 1 in those
//! documents; a caller may let people choose.
//!
//! Whether an undone queen has another choice is known only a few events later, when a
//! square of her row turns out free or the row is given up. So an undo is told together with
//! what follows from it, and the refused squares in between become the reasons in brackets.
//! All of that can be read off the queens that stand above the row: a free square to the left
//! of the one at hand has been tried and undone. A given queen is no choice, and a row that may
//! stay empty is left empty before any of its squares is tried. Hence a sentence is a function
//! of the event and the [`State`] after it, and the player can go back as well as on.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::{Event, Verdict};
use super::{State, narrate};
use crate::placement::Square;

/// The sentence that can be told at an event, if there is one; `state` is the moment after it.
pub fn told(first: usize, event: Event, state: &State) -> Option<String> {
    let board = state.puzzle();
    match event {
        Event::Place { row, col } if state.given(row).is_some() => Some(format!(
            "Queen {queen} is given: row {queen}, column {}.",
            col + first,
            queen = row + first,
        )),
        Event::Skip { row } => {
            let standing = state.cols.iter().flatten().count();
            let why = match board.queens() - standing {
                0 => "all queens stand".to_owned(),
                1 => format!("1 queen is left for {}", below(state.n - row - 1)),
                left => format!("{left} queens are left for {}", below(state.n - row - 1)),
            };
            Some(format!("Leave row {} empty: {why}.", row + first))
        }
        Event::Place { row, col } => {
            let (queen, column) = (row + first, col + first);
            Some(match last_free(state, row, col) {
                Some(undone) => {
                    let why = reasons(first, state, row, undone + 1..col);
                    format!("Undo queen {queen}, try next: column {column} is available{why}.")
                }
                None => {
                    let why = reasons(first, state, row, 0..col);
                    format!(
                        "Place queen {queen} in row {queen}: the first available column is \
                         {column}{why}."
                    )
                }
            })
        }
        Event::DeadEnd { row } => Some(match narrate::too_many(board) {
            Some(why) => format!("Dead end: {why}."),
            None => {
                let why = reasons(first, state, row, 0..state.n);
                let row = row + first;
                format!("Dead end in row {row}: no column is available{why}.")
            }
        }),
        Event::Solution => {
            let found = super::tuple_from(first, &state.cols);
            Some(format!("Solution {}: {found}.", state.stats.solutions))
        }
        // No queen was reached, so none is undone.
        Event::Leave { .. } if narrate::too_many(board).is_some() => None,
        Event::Leave { row, .. } if row < state.n && state.given(row).is_some() => Some(format!(
            "Undo queen {}, no other choice (she is given).",
            row + first
        )),
        Event::Leave { row, .. } if row < state.n => {
            let Some(undone) = last_free(state, row, state.n) else {
                let choices = state.choices(row);
                let why = reasons(first, state, row, 0..state.n);
                // A dead end has been told.
                return (choices.skip && choices.place).then(|| {
                    let row = row + first;
                    format!("No queen in row {row}: no column is available{why}.")
                });
            };
            let why = reasons(first, state, row, undone + 1..state.n);
            Some(format!("Undo queen {}, no other choice{why}.", row + first))
        }
        Event::Enter { .. }
        | Event::Try { .. }
        | Event::Undo { .. }
        | Event::Unskip { .. }
        | Event::Leave { .. } => None,
    }
}

/// `the row below`, `the 3 rows below`.
fn below(rows: usize) -> String {
    match rows {
        1 => "the row below".to_owned(),
        _ => format!("the {rows} rows below"),
    }
}

/// The sentence for this moment, for views that show every moment: what is told, or what is being
/// looked at.
pub fn now(first: usize, state: &State) -> String {
    let Some(event) = state.last else {
        return narrate::capital(&narrate::start(state.puzzle()));
    };
    if let Some(told) = told(first, event, state) {
        return told;
    }
    match event {
        Event::Enter { row } | Event::Leave { row, .. }
            if row == state.n && narrate::too_many(state.puzzle()).is_none() =>
        {
            narrate::capital(narrate::all_rows(state.puzzle()))
        }
        Event::Enter { row } => format!("Look for a column in row {}.", row + first),
        Event::Try {
            row,
            col,
            verdict: Verdict::Free,
        } => format!("Row {}, column {} is available.", row + first, col + first),
        Event::Try {
            row,
            col,
            verdict: Verdict::Refused(attack),
        } => format!(
            "Row {}, column {} is not available: queen {} attacks it along {}.",
            row + first,
            col + first,
            attack.queen() + first,
            narrate::line_words(attack.line)
        ),
        Event::Try {
            row,
            col,
            verdict: Verdict::Blocked,
        } => format!("Row {}, column {} is blocked.", row + first, col + first),
        Event::Undo { row, .. } => format!("Undo queen {}.", row + first),
        Event::Unskip { row } => format!("Back to row {}, which was left empty.", row + first),
        Event::Leave { row, .. } => format!("Back from row {}.", row + first),
        // These have been told.
        Event::Place { .. } | Event::Skip { .. } | Event::DeadEnd { .. } | Event::Solution => {
            String::new()
        }
    }
}

/// What is left to tell when the story is cut short after this moment: a queen has been taken
/// away, and what follows is not known.
pub fn left_to_tell(first: usize, state: &State) -> Option<String> {
    let undone = match state.last? {
        Event::Undo { row, .. } => row,
        Event::Try { row, col, .. } => {
            last_free(state, row, col)?;
            row
        }
        _ => return None,
    };
    Some(format!("Undo queen {}.", undone + first))
}

/// The last column before `end` in which a queen could stand; she stood there and was undone.
fn last_free(state: &State, row: usize, end: usize) -> Option<usize> {
    (0..end)
        .rev()
        .find(|&col| state.is_free(Square::new(row, col)))
}

/// The refused squares, grouped by queen: ` (queen 1 attacks columns 1 and 2)`.
fn reasons(first: usize, state: &State, row: usize, cols: Range<usize>) -> String {
    let mut by_queen: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut blocked = Vec::new();
    for col in cols {
        if state.is_blocked(Square::new(row, col)) {
            blocked.push((col + first).to_string());
        } else if let Some(attack) = state.attack(Square::new(row, col)) {
            let told = by_queen.entry(attack.queen() + first).or_default();
            told.push((col + first).to_string());
        }
    }
    let mut parts: Vec<String> = by_queen
        .into_iter()
        .map(|(queen, cols)| {
            let plural = if cols.len() == 1 { "" } else { "s" };
            format!("queen {queen} attacks column{plural} {}", and(&cols))
        })
        .collect();
    match blocked.len() {
        0 => {}
        1 => parts.push(format!("column {} is blocked", blocked[0])),
        _ => parts.push(format!("columns {} are blocked", and(&blocked))),
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    }
}

/// `1`, `1 and 2`, `1, 2 and 3`.
fn and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::trace::{Style, Trace};

    #[test]
    fn the_empty_board_and_the_first_queen_have_sentences() {
        let mut state = State::new(4);
        assert_eq!(now(1, &state), "An empty board of 4 by 4.");
        let place = Event::Place { row: 0, col: 0 };
        state.apply(place);
        assert_eq!(
            told(1, place, &state).unwrap(),
            "Place queen 1 in row 1: the first available column is 1."
        );
    }

    #[test]
    fn the_lecture_is_retold_for_eight_queens() {
        let story = Trace::new(8).style(Style::Steps).text().unwrap();
        let at = story.find("Dead end in row 8").unwrap();
        let after: Vec<&str> = story[at..].lines().skip(1).take(3).collect();
        assert!(
            after[0].starts_with("Undo queen 7, no other choice"),
            "{}",
            after[0]
        );
        assert!(
            after[1].starts_with("Undo queen 6, no other choice"),
            "{}",
            after[1]
        );
        assert!(
            after[2].starts_with("Undo queen 5, try next"),
            "{}",
            after[2]
        );
        assert!(story.ends_with("Solution 1: (1, 5, 8, 6, 3, 7, 2, 4).\n"));
    }
}
