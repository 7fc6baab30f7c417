//! The algorithm in a few lines per style, and which line an event belongs to.
//!
//! The player and the web page show these lines beside the board and light up the one in
//! progress. Each listing is the same recursion told in the words of its representation;
//! a [`Role`] ties a line to the events that happen on it, so that a listing may leave a
//! role out or put it where its document has it.

use super::super::Event;
use super::Style;
use crate::puzzle::Board;

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
    /// A row is left empty.
    Skip,
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

/// The same, with rows and columns from 1.
const COLUMNS_FROM_1: Listing = &[
    (Role::Enter, "search(row):"),
    (Role::Solution, "  if row > n: report queens; return 1"),
    (Role::Loop, "  for col in 1 .. n:"),
    COLUMNS[3],
    COLUMNS[4],
    COLUMNS[5],
    COLUMNS[6],
    COLUMNS[7],
    COLUMNS[8],
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
        Style::Tuple => COLUMNS,
        Style::Steps => COLUMNS_FROM_1,
        Style::Box => ATTACK_COUNT,
        Style::Attackers => FIRST_ATTACKER,
        Style::Lines => LINES,
        Style::Grid => BYTE_GRID,
        Style::Bits => BITMASK,
    }
}

/// The listing of a style on a board. Given queens and blocked squares change the question
/// whether a square is free, and rows that may stay empty add a line.
///
/// ```
/// use queens::Board;
/// use queens::search::trace::{Style, code};
///
/// let board = Board::new(4).with_queens(3)?;
/// let listing = code::listing_on(Style::Grid, &board);
/// assert_eq!(listing.len(), code::listing(Style::Grid).len() + 1);
/// # Ok::<(), queens::puzzle::BoardError>(())
/// ```
pub fn listing_on(style: Style, board: &Board) -> Vec<(Role, &'static str)> {
    let mut lines = listing(style).to_vec();
    if board.is_plain() {
        return lines;
    }
    let (test, skip) = match style {
        Style::Tuple | Style::Steps => (
            "    if (row, col) given, or not # and not attacked:",
            "  if row may stay empty: total += search(row + 1)",
        ),
        Style::Box => (
            "    if (i, j) given, or not # and B[i][j] == 0:",
            "  if row i may stay empty: sum += find(i + 1)",
        ),
        Style::Attackers => (
            "    if (i, j) given, or not # and attack[i][j] == -1:",
            "  if row i may stay empty: total += search(i + 1)",
        ),
        Style::Lines => (
            "    if (i, j) given, or not # and its 4 flags all 0:",
            "  if row i may stay empty: total += search(i + 1)",
        ),
        Style::Grid => (
            "    if (i, j) given, or not # and no 1 in its lines:",
            "  if row i may stay empty: total += search(i + 1)",
        ),
        Style::Bits => (
            "  possible = ~(down | left | right | closed) & mask",
            "  if row may stay empty: the same with place = 0",
        ),
    };
    for line in &mut lines {
        match line.0 {
            Role::Test => line.1 = test,
            // The vectors know the end by their columns, which are not all taken here.
            Role::Solution if style == Style::Bits && board.queens() < board.n() => {
                line.1 = "  if row == n: return 1";
            }
            _ => {}
        }
    }
    if board.queens() < board.n() {
        let first = lines.iter().position(|line| line.0 == Role::Loop);
        lines.insert(first.unwrap_or(lines.len()), (Role::Skip, skip));
    }
    lines
}

/// What kind of line an event happens on.
pub fn role(event: Event) -> Role {
    match event {
        Event::Enter { .. } => Role::Enter,
        Event::Try { .. } => Role::Test,
        Event::Place { .. } => Role::Place,
        Event::Skip { .. } | Event::Unskip { .. } => Role::Skip,
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
    line_of(listing(style), event)
}

/// The same in a listing of [`listing_on`].
///
/// # Panics
///
/// When the event belongs to another board.
pub fn line_of(listing: &[(Role, &'static str)], event: Event) -> usize {
    let role = role(event);
    let mut roles = listing.iter().map(|&(role, _)| role);
    roles
        .position(|other| other == role)
        .expect("every listing has a line for every event")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::Square;
    use crate::search::trace::{Until, run};
    use std::collections::BTreeSet;
    use std::ops::ControlFlow;

    #[test]
    fn every_event_has_its_line_in_every_listing() {
        let fewer = Board::new(4).with_queens(2).unwrap();
        let blocked = Board::new(4).with_blocked([Square::new(0, 0)]).unwrap();
        for board in [Board::new(4), fewer, blocked] {
            for style in Style::ALL {
                let listing = listing_on(style, &board);
                let mut lines = BTreeSet::new();
                run(&board, style, Until::All, None, |event| {
                    lines.insert(line_of(&listing, event));
                    ControlFlow::Continue(())
                });
                assert!(lines.len() >= 7, "{style}: {lines:?}");
            }
        }
    }

    #[test]
    fn listings_count_as_the_board_beside_them_does() {
        for style in Style::ALL {
            for (_, text) in listing(style) {
                let loops = [" in 0 .. n-1:", " in 1 .. n:"];
                let other = loops[1 - style.first_number()];
                assert!(!text.ends_with(other), "{style:?}: {text}");
            }
        }
    }

    #[test]
    fn listings_fit_beside_the_board_of_the_player() {
        for style in Style::ALL {
            let fewer = listing_on(style, &Board::new(4).with_queens(2).unwrap());
            for (_, text) in listing(style).iter().chain(&fewer) {
                assert!(text.len() <= 54, "{text:?}");
            }
        }
    }
}
