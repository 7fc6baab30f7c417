//! The algorithm in a few lines per style, and which line an event belongs to.
//!
//! The player and the web page show these lines beside the board and light up the one in
//! progress. Each listing is the same recursion told in the words of its representation;
//! a [`Role`] ties a line to the events that happen on it, so that a listing may leave a
//! role out or put it where its document has it.

use super::super::Event;
use super::Style;

/// What a line of a listing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The call for a row.
    Enter,
    /// All rows are filled.
    Solution,
    /// The loop over the squares of the row.
    Loop,
    /// The question whether a square is free.
    Test,
    /// A queen is placed.
    Place,
    /// The call for the next row.
    Recur,
    /// The queen is taken away.
    Undo,
    /// No square was free.
    DeadEnd,
    /// The end of the call.
    Leave,
}

/// A listing: roles and lines, in order.
pub type Listing = &'static [(Role, &'static str)];

const COLUMNS: Listing = &[
    (Role::Enter, "search(row):"),
    (Role::Solution, "  if row == n: report queens; return 1"),
    (Role::Loop, "  for col in 0 .. n-1:"),
    (
        Role::Test,
        "    if no earlier queen shares col or a diagonal:",
    ),
    (Role::Place, "      queens[row] = col"),
    (Role::Recur, "      total += search(row + 1)"),
    (Role::Undo, "      drop queens[row]"),
    (Role::DeadEnd, "  if no col was free: dead end"),
    (Role::Leave, "  return total"),
];

const ATTACK_COUNT: Listing = &[
    (Role::Enter, "find(i):"),
    (Role::Solution, "  if i > n: report B[1..n][0]; return 1"),
    (Role::Loop, "  for j in 1 .. n:"),
    (Role::Test, "    if B[i][j] == 0:"),
    (
        Role::Place,
        "      B[i][j] = 1; -1 on squares attacked below",
    ),
    (Role::Recur, "      sum += find(i + 1)"),
    (Role::Undo, "      B[i][j] = 0; +1 on those squares"),
    (Role::DeadEnd, "  if no square was safe: X"),
    (Role::Leave, "  return sum"),
];

const FIRST_ATTACKER: Listing = &[
    (Role::Enter, "search(i):"),
    (Role::Solution, "  if i == n: report board; return 1"),
    (Role::Loop, "  for j in 0 .. n-1:"),
    (Role::Test, "    if attack[i][j] == -1:"),
    (Role::Place, "      free squares in reach get attack = i"),
    (Role::Recur, "      total += search(i + 1)"),
    (Role::Undo, "      squares with attack == i get -1"),
    (Role::DeadEnd, "  if no square had -1: dead end"),
    (Role::Leave, "  return total"),
];

const LINES: Listing = &[
    (Role::Enter, "search(i):"),
    (Role::Solution, "  if i == n: report board; return 1"),
    (Role::Loop, "  for j in 0 .. n-1:"),
    (
        Role::Test,
        "    if row[i], col[j], NWtoSE[j-i], SWtoNE[j+i] all 0:",
    ),
    (Role::Place, "      set the four to 1"),
    (Role::Recur, "      total += search(i + 1)"),
    (Role::Undo, "      set the four to 0"),
    (Role::DeadEnd, "  if no j was free: dead end"),
    (Role::Leave, "  return total"),
];

const BYTE_GRID: Listing = &[
    (Role::Enter, "search(i):"),
    (Role::Solution, "  if i == n: report board; return 1"),
    (Role::Loop, "  for j in 0 .. n-1:"),
    (Role::Test, "    if the lines up from (i, j) hold no 1:"),
    (Role::Place, "      board[i][j] = 1"),
    (Role::Recur, "      total += search(i + 1)"),
    (Role::Undo, "      board[i][j] = 0"),
    (Role::DeadEnd, "  if no j was free: dead end"),
    (Role::Leave, "  return total"),
];

const BITMASK: Listing = &[
    (Role::Enter, "queens(down, left, right):"),
    (Role::Solution, "  if down == mask: return 1"),
    (Role::Test, "  possible = ~(down | left | right) & mask"),
    (Role::Loop, "  while possible != 0:"),
    (Role::Place, "    place = possible & -possible"),
    (Role::Recur, "    count += queens(down | place,"),
    (
        Role::Recur,
        "                    (left | place) << 1 & mask,",
    ),
    (Role::Recur, "                    (right | place) >> 1)"),
    (Role::Undo, "    possible &= ~place"),
    (Role::DeadEnd, "  if possible was 0: dead end"),
    (Role::Leave, "  return count"),
];

/// The listing of a style.
pub fn listing(style: Style) -> Listing {
    match style {
        Style::Tuple | Style::Steps => COLUMNS,
        Style::Box => ATTACK_COUNT,
        Style::Attackers => FIRST_ATTACKER,
        Style::Lines => LINES,
        Style::Grid => BYTE_GRID,
        Style::Bits => BITMASK,
    }
}

/// What kind of line an event happens on.
pub fn role(event: Event) -> Role {
    match event {
        Event::Enter { .. } => Role::Enter,
        Event::Try { .. } => Role::Test,
        Event::Place { .. } => Role::Place,
        Event::Solution => Role::Solution,
        Event::DeadEnd { .. } => Role::DeadEnd,
        Event::Undo { .. } => Role::Undo,
        Event::Leave { .. } => Role::Leave,
    }
}

/// The number of the line, from 0, that an event happens on.
///
/// ```
/// use queens::search::Event;
/// use queens::search::trace::{Style, code};
///
/// let line = code::line(Style::Grid, Event::Place { row: 0, col: 0 });
/// assert_eq!(code::listing(Style::Grid)[line].1.trim(), "board[i][j] = 1");
/// ```
pub fn line(style: Style, event: Event) -> usize {
    let role = role(event);
    listing(style)
        .iter()
        .position(|&(r, _)| r == role)
        .expect("every listing has a line for every event")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::trace::{Until, run};
    use std::ops::ControlFlow;

    #[test]
    fn every_event_has_its_line_in_every_listing() {
        for style in Style::ALL {
            run(4, None, style, Until::All, None, |event| {
                assert!(line(style, event) < listing(style).len());
                ControlFlow::Continue(())
            });
        }
    }

    #[test]
    fn listings_fit_beside_the_board_of_the_player() {
        for style in Style::ALL {
            for (_, text) in listing(style) {
                assert!(text.len() <= 54, "{text:?}");
            }
        }
    }
}
