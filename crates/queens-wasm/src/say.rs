//! What the page says about a moment of the search, in whole sentences.
//!
//! The library's own sentences count rows from 0. A lecture may count from 1, so every
//! question may carry `origin`, and every row and column of the page, in a sentence, on a
//! board or in a table, goes through [`Origin`].

use queens::board::Bitmask;
use queens::search::trace::{State, Style, narrate, panel, tuple_from};
use queens::search::{Event, Verdict};
use queens::{Line, Square};

use crate::question::Question;

/// The number of the first row and of the first column: 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(usize);

impl Origin {
    pub fn of(question: &Question<'_>) -> Result<Origin, String> {
        question.number("origin", 0, 1, 0).map(Origin)
    }

    /// A row or a column as people see it.
    pub fn show(self, at: usize) -> usize {
        at + self.0
    }

    pub fn square(self, at: Square) -> String {
        format!("row {}, column {}", self.show(at.row), self.show(at.col))
    }

    /// A partial solution as people write it.
    pub fn tuple(self, cols: &[Option<usize>]) -> String {
        tuple_from(self.0, cols)
    }

    /// Some columns in words: `column 3`, `columns 1, 2 and 5`.
    pub fn columns(self, cols: &[usize]) -> String {
        let names: Vec<_> = cols.iter().map(|&col| self.show(col).to_string()).collect();
        match names.split_last() {
            None => "no column".to_owned(),
            Some((only, [])) => format!("column {only}"),
            Some((last, rest)) => format!("columns {} and {last}", rest.join(", ")),
        }
    }
}

/// A number of things: `1 queen`, `2 queens`.
pub fn plural(count: u64, thing: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{s}")
}

/// A line, as the page calls it.
pub fn line_words(line: Line) -> &'static str {
    match line {
        Line::Row => "along the row",
        Line::Column => "along the column",
        Line::Diag => "along the diagonal that falls to the right",
        Line::Anti => "along the diagonal that rises to the right",
    }
}

/// The free columns of the row at work, as the vectors give them.
pub fn possible(state: &State) -> Vec<usize> {
    let board: Bitmask = state.board();
    let row = state.cols.len();
    if row >= state.n {
        return Vec::new();
    }
    let left = panel::still_possible(state, row, board.row(row), board.mask());
    (0..state.n).filter(|col| left >> col & 1 == 1).collect()
}

/// What the last event did, or how the search begins.
pub fn sentence(style: Style, state: &State, origin: Origin) -> String {
    if style == Style::Steps {
        return narrate::walk(origin.show(0), state);
    }
    let at = |row: usize, col: usize| origin.square(Square::new(row, col));
    let Some(event) = state.last else {
        return format!("An empty board of {n} by {n}.", n = state.n);
    };
    match event {
        Event::Enter { row } if row == state.n => "All rows are filled.".to_owned(),
        Event::Enter { row } if style == Style::Bits => {
            let free = possible(state);
            let verb = if free.len() == 1 { "is" } else { "are" };
            let found = match free.len() {
                0 => "no column is free".to_owned(),
                _ => format!("{} {verb} free", origin.columns(&free)),
            };
            format!(
                "Row {}: one expression finds that {found}.",
                origin.show(row)
            )
        }
        Event::Enter { row } => format!("Begin row {}.", origin.show(row)),
        Event::Try {
            row,
            col,
            verdict: Verdict::Free,
        } => format!("Try {}: it is free.", at(row, col)),
        Event::Try {
            row,
            col,
            verdict: Verdict::Refused(attack),
        } => format!(
            "Try {}: the queen of row {} attacks it {}.",
            at(row, col),
            origin.show(attack.queen()),
            line_words(attack.line)
        ),
        Event::Try {
            row,
            col,
            verdict: Verdict::Blocked,
        } => format!("Try {}: it is blocked.", at(row, col)),
        Event::Place { row, col } => format!("Place a queen in {}.", at(row, col)),
        Event::Solution => format!(
            "Solution {}: {}.",
            state.stats.solutions,
            origin.tuple(&state.cols)
        ),
        Event::DeadEnd { row } => {
            format!("Dead end: no square of row {} is free.", origin.show(row))
        }
        Event::Leave { row, .. } if row == state.n => "Go back and look for more.".to_owned(),
        Event::Leave { row, solutions } => {
            let found = plural(solutions, "solution");
            if row == 0 {
                format!("The search is over: {found}.")
            } else {
                format!("Row {} is done: {found} below.", origin.show(row))
            }
        }
        Event::Undo { row, col } => {
            format!("Take the queen back from {}.", at(row, col))
        }
        // The plain board, which is shown here, has a queen in every row.
        Event::Skip { .. } | Event::Unskip { .. } => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn sentences_count_from_0_or_from_1() {
        let place = |origin: u8| ask(&format!("watch?n=4&go=place&origin={origin}"));
        assert_eq!(place(0)["says"], "Place a queen in row 0, column 0.");
        assert_eq!(place(1)["says"], "Place a queen in row 1, column 1.");
        assert_eq!(place(1)["tuple"], "(1)");
        assert!(ask("watch?origin=2")["error"].is_string());
    }

    #[test]
    fn numbers_and_their_words_agree() {
        assert_eq!(super::plural(1, "queen"), "1 queen");
        assert_eq!(super::plural(0, "queen"), "0 queens");
        let origin = super::Origin(1);
        assert_eq!(origin.columns(&[]), "no column");
        assert_eq!(origin.columns(&[2]), "column 3");
        assert_eq!(origin.columns(&[0, 2, 4]), "columns 1, 3 and 5");
        let over = ask("watch?n=1&at=9999");
        assert!(over["error"].is_string());
        let length = ask("watch?n=1")["length"].as_u64().unwrap();
        let end = ask(&format!("watch?n=1&at={length}"));
        assert_eq!(end["says"], "The search is over: 1 solution.");
    }
}
