//! The walk told in sentences, as chapter 6 and the lecture tell it: rows, columns and
//! queens from 1, "dead end in row 8", "undo queen 7, no other choice".
//!
//! Whether an undone queen has another choice is known only a few events later, when a
//! square of her row turns out free or the row is given up. So an undo is kept back and
//! told together with what follows from it, and the refused squares in between become the
//! reasons in brackets.

use super::super::{Event, Verdict};
use super::State;

/// The story so far, as far as it is not yet told.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// The row of a queen taken away, of which the consequence is not known yet.
    undone: Option<usize>,
    /// The squares refused in this row since it was begun or its queen taken away: column
    /// and queen, from 0.
    refused: Vec<(usize, usize)>,
}

impl Steps {
    /// Before the first event.
    pub fn new() -> Self {
        Steps::default()
    }

    /// Takes an event and returns the sentences that can be told now, a line each.
    pub fn event(&mut self, event: Event, state: &State) -> String {
        match event {
            Event::Enter { .. } => {
                self.refused.clear();
                String::new()
            }
            Event::Try {
                col,
                verdict: Verdict::Refused(attack),
                ..
            } => {
                self.refused.push((col, attack.queen()));
                String::new()
            }
            Event::Try { .. } => String::new(),
            Event::Place { row, col } => {
                let why = self.reasons();
                let (queen, column) = (row + 1, col + 1);
                if self.undone.take().is_some() {
                    format!("Undo queen {queen}, try next: column {column} is available{why}.\n")
                } else {
                    format!(
                        "Place queen {queen} in row {queen}: the first available column is \
                         {column}{why}.\n"
                    )
                }
            }
            Event::DeadEnd { row } => {
                let why = self.reasons();
                format!(
                    "Dead end in row {}: no column is available{why}.\n",
                    row + 1
                )
            }
            Event::Solution => {
                let cols: Vec<usize> = state.cols.iter().map(|col| col + 1).collect();
                format!(
                    "Solution {}: {}.\n",
                    state.stats.solutions,
                    super::tuple(&cols)
                )
            }
            Event::Undo { row, .. } => {
                self.refused.clear();
                self.undone = Some(row);
                String::new()
            }
            Event::Leave { row, .. } => match self.undone.take_if(|undone| *undone == row) {
                Some(row) => {
                    let why = self.reasons();
                    format!("Undo queen {}, no other choice{why}.\n", row + 1)
                }
                None => String::new(),
            },
        }
    }

    /// What is left to tell when the story is cut short.
    pub fn finish(&mut self) -> String {
        match self.undone.take() {
            Some(row) => format!("Undo queen {}.\n", row + 1),
            None => String::new(),
        }
    }

    /// The refused squares, told by queen: ` (queen 1 attacks columns 1 and 2)`.
    fn reasons(&mut self) -> String {
        let refused = std::mem::take(&mut self.refused);
        let mut by_queen: std::collections::BTreeMap<usize, Vec<String>> = Default::default();
        for (col, queen) in refused {
            by_queen
                .entry(queen + 1)
                .or_default()
                .push((col + 1).to_string());
        }
        let parts: Vec<String> = by_queen
            .into_iter()
            .map(|(queen, cols)| {
                let plural = if cols.len() == 1 { "" } else { "s" };
                format!("queen {queen} attacks column{plural} {}", and(&cols))
            })
            .collect();
        if parts.is_empty() {
            String::new()
        } else {
            format!(" ({})", parts.join(", "))
        }
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
    use crate::search::trace::{Style, Trace};

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
