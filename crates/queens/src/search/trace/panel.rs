//! The state of each representation, as lines of text: a function of a [`State`].
//!
//! [`lines`] is what the player and the stepping page show beside the board, for any
//! style and any moment. The trace styles that print a block per move (`attackers`,
//! `lines`, `grid`) print exactly these lines. The style `bits` prints less: it tells how
//! each vector comes from the one above it, which `bits_lines` does event by event.

use super::super::{Event, Verdict};
use super::{State, Style, Tint, narrate, tuple};
use crate::board::bitmask::RowBits;
use crate::board::{AttackCount, Bitmask, ByteGrid, FirstAttacker, Lines, SearchBoard};
use crate::line::Line;
use crate::placement::Square;

/// The representation of `style` at this moment.
///
/// ```
/// use queens::search::Event;
/// use queens::search::trace::{State, Style, panel};
///
/// let mut state = State::new(4);
/// state.apply(Event::Place { row: 0, col: 1 });
/// assert_eq!(panel::lines(Style::Grid, &state)[0], "0 1 0 0");
/// assert_eq!(panel::lines(Style::Box, &state)[2], " 2 -1 -1 -1  .");
/// ```
///
/// # Panics
///
/// When `n` is above the limit of the style's representation.
pub fn lines(style: Style, state: &State) -> Vec<String> {
    match style {
        Style::Tuple => prefixes(state),
        Style::Steps => row_at_work(state),
        Style::Box => numbered_box(state),
        Style::Attackers => attacker_lines(state),
        Style::Lines => line_arrays(state),
        Style::Grid => grid_lines(state),
        Style::Bits => bits_stack(&state.board::<Bitmask>(), state),
    }
}

/// The same lines in pieces, each with its colour: those of the style `box` are the document's,
/// the others are plain.
///
/// ```
/// use queens::search::Event;
/// use queens::search::trace::{State, Style, Tint, panel};
///
/// let mut state = State::new(4);
/// state.apply(Event::Place { row: 0, col: 1 });
/// let row = &panel::painted(Style::Box, &state)[1];
/// assert_eq!(row[2], (" Q ".to_owned(), Tint::Queen(0)));
/// ```
///
/// # Panics
///
/// When `n` is above the limit of the style's representation.
pub fn painted(style: Style, state: &State) -> Vec<Vec<(String, Tint)>> {
    let lines = lines(style, state);
    if style != Style::Box {
        let plain = lines.into_iter().map(|line| vec![(line, Tint::Plain)]);
        return plain.collect();
    }
    let mut out = Vec::new();
    for (k, line) in lines.into_iter().enumerate() {
        let (number, cells) = line.split_at(BOX_MARGIN);
        let mut pieces = vec![(number.to_owned(), Tint::Plain)];
        if k == 0 {
            pieces.push((cells.to_owned(), Tint::Plain));
        } else {
            // Two characters a square, and a blank behind each, the last one too.
            let cells = format!("{cells} ");
            pieces.extend((0..state.n).map(|col| {
                let square = Square::new(k - 1, col);
                let cell = cells[3 * col..3 * col + 3].to_owned();
                (cell, Tint::of(state, square))
            }));
        }
        out.push(pieces);
    }
    out
}

/// The partial solutions that led here, the empty tuple included.
fn prefixes(state: &State) -> Vec<String> {
    (0..=state.cols.len())
        .map(|k| tuple(&state.cols[..k]))
        .collect()
}

/// Who attacks which square of the row at work; rows, columns and queens from 1.
fn row_at_work(state: &State) -> Vec<String> {
    let row = state.row;
    if let Some(why) = narrate::too_many(state.puzzle()) {
        return vec![why];
    }
    if row >= state.n {
        return vec![narrate::all_rows(state.puzzle()).to_owned()];
    }
    if !state.choices(row).place {
        return vec![format!("row {}: no queen is left for it", row + 1)];
    }
    let empty = state.cols.get(row) == Some(&None);
    let mut out = vec![format!(
        "row {}{}",
        row + 1,
        if empty { ", left empty" } else { "" }
    )];
    for col in 0..state.n {
        let square = Square::new(row, col);
        let says = if state.queen(row) == Some(col) {
            "queen".to_owned()
        } else if state.is_blocked(square) {
            "blocked".to_owned()
        } else {
            match state.attack(square) {
                None => "available".to_owned(),
                Some(attack) => format!(
                    "queen {} along {}",
                    attack.queen() + 1,
                    narrate::line_words(attack.line)
                ),
            }
        };
        out.push(format!("column {}: {says}", col + 1));
    }
    out
}

/// The board as chapter 6 shades it: `Q` a queen, `x` a square on which no other queen can be
/// placed, `.` a square that is still available. Given queens stand from the start, and `#`
/// is a blocked square.
///
/// ```
/// use queens::search::Event;
/// use queens::search::trace::{State, panel};
///
/// let mut state = State::new(4);
/// state.apply(Event::Place { row: 0, col: 0 });
/// assert_eq!(panel::shaded(&state), ["Q x x x", "x x . .", "x . x .", "x . . x"]);
/// ```
pub fn shaded(state: &State) -> Vec<String> {
    rows(state.n, |row, col| {
        let square = Square::new(row, col);
        let queen = |row| state.queen(row).map(|col| Square::new(row, col));
        let mut queens = (0..state.n).filter_map(queen);
        let attacked = queens.any(|queen| Line::between(queen, square).is_some());
        let mark = match state.queen(row) {
            Some(queen) if queen == col => "Q",
            _ if state.is_blocked(square) => "#",
            _ if attacked => "x",
            _ => ".",
        };
        mark.to_owned()
    })
}

/// The width of the row numbers beside the assignment's grid.
const BOX_MARGIN: usize = 3;

/// The assignment's grid with its rows and columns numbered from 1, as there.
fn numbered_box(state: &State) -> Vec<String> {
    let first = Style::Box.first_number();
    let cols: Vec<String> = (0..state.n)
        .map(|col| format!("{:>2}", col + first))
        .collect();
    let mut out = vec![format!("{:BOX_MARGIN$}{}", "", cols.join(" "))];
    let rows = box_lines(state);
    out.extend((rows.iter().enumerate()).map(|(row, cells)| format!("{:>2} {cells}", row + first)));
    out
}

/// The squares of the assignment's grid: `Q`, `.` or minus the number of attackers; `#` is
/// blocked.
pub(super) fn box_lines(state: &State) -> Vec<String> {
    let board = state.board::<AttackCount>();
    rows(state.n, |row, col| match board.b(row + 1, col + 1) {
        _ if state.is_blocked(Square::new(row, col)) => " #".to_owned(),
        1 => " Q".to_owned(),
        0 => " .".to_owned(),
        k => format!("{k:>2}"),
    })
}

/// The lecture's attack grid; a queen's own square is in brackets, `#` is blocked.
fn attacker_lines(state: &State) -> Vec<String> {
    let board = state.board::<FirstAttacker>();
    (0..board.n())
        .map(|row| {
            (0..board.n())
                .map(|col| {
                    let k = board.earliest(row, col);
                    if state.is_blocked(Square::new(row, col)) {
                        "  # ".to_owned()
                    } else if board.queen(row) == Some(col) {
                        format!("{:>4}", format!("[{k}]"))
                    } else {
                        format!("{k:>3} ")
                    }
                })
                .collect::<String>()
                .trim_end()
                .to_owned()
        })
        .collect()
}

/// The four arrays of flags, diagonals with their own numbers above them. Lines have no flags for
/// blocked squares, so the blocked squares of the next row stand below.
fn line_arrays(state: &State) -> Vec<String> {
    let board = state.board::<Lines>();
    let n = board.n() as isize;
    let numbers = |from: isize, count: usize| -> String {
        (0..count as isize)
            .map(|k| format!("{:>4}", from + k))
            .collect()
    };
    let flags = |array: &[u8]| -> String { array.iter().map(|f| format!("{f:>4}")).collect() };
    let mut out = vec![
        format!("i, j  {}", numbers(0, board.row().len())),
        format!("row   {}", flags(board.row())),
        format!("col   {}", flags(board.col())),
        format!("j - i {}", numbers(1 - n, board.nw_to_se().len())),
        format!("NWtoSE{}", flags(board.nw_to_se())),
        format!("j + i {}", numbers(0, board.sw_to_ne().len())),
        format!("SWtoNE{}", flags(board.sw_to_ne())),
    ];
    let next = state.cols.len();
    if !state.puzzle().blocked().is_empty() && next < state.n {
        let blocked = |col| u8::from(state.is_blocked(Square::new(next, col)));
        let blocked: Vec<u8> = (0..state.n).map(blocked).collect();
        out.push(format!("{:<6}{}", format!("#[{next}]"), flags(&blocked)));
    }
    out
}

/// The board of zeros and ones; `#` is blocked.
fn grid_lines(state: &State) -> Vec<String> {
    let board = state.board::<ByteGrid>();
    rows(state.n, |row, col| {
        match state.is_blocked(Square::new(row, col)) {
            true => "#".to_owned(),
            false => board.row(row)[col].to_string(),
        }
    })
}

fn rows(n: usize, cell: impl Fn(usize, usize) -> String) -> Vec<String> {
    (0..n)
        .map(|row| {
            let cells: Vec<String> = (0..n).map(|col| cell(row, col)).collect();
            cells.join(" ")
        })
        .collect()
}

/// A vector in binary, column 0 last.
///
/// # Panics
///
/// Above n = 32, the length of a vector.
pub fn binary(vector: u32, n: usize) -> String {
    assert!(n <= 32, "a vector has at most 32 columns");
    (0..n)
        .rev()
        .map(|col| if vector >> col & 1 == 1 { '1' } else { '0' })
        .collect()
}

/// The squares of a row that the board closes to the search, as a vector: blocked ones, those that
/// a given queen attacks, in the row of a given queen all but hers, and all if no queen is left. On
/// the plain board there are none. The vectors of the queens above know nothing of them, so on any
/// board
///
/// ```text
/// possible = ~(down | left | right | closed) & mask
/// ```
///
/// # Panics
///
/// When a row above is not decided yet, or `n` is above 32.
pub fn closed(state: &State, row: usize) -> u32 {
    let board = state.puzzle();
    if board.is_plain() {
        return 0;
    }
    let place = row < state.n && state.choices(row).place;
    (0..state.n).fold(0, |closed, col| {
        let square = Square::new(row, col);
        let open = place && !board.is_blocked(square) && board.attack_by_given(square).is_none();
        closed | u32::from(!open) << col
    })
}

/// What is left of `possible` in a row: the free columns at and after the one in hand.
///
/// The recursion of the recitation removes a column from `possible` once the search below
/// it is done, so at any moment these are the columns not yet given up.
pub fn still_possible(state: &State, row: usize, bits: RowBits, mask: u32) -> u32 {
    let all = bits.possible(mask) & !closed(state, row);
    let given_up = match (state.cols.get(row), state.last) {
        (Some(&Some(col)), _) => col as u32,
        // Leaving a row empty is tried first.
        (Some(None), _) => 0,
        (None, Some(Event::Undo { row: r, col } | Event::Try { row: r, col, .. })) if r == row => {
            let passed = matches!(
                state.last,
                Some(
                    Event::Undo { .. }
                        | Event::Try {
                            verdict: Verdict::Refused(_) | Verdict::Blocked,
                            ..
                        }
                )
            );
            col as u32 + u32::from(passed)
        }
        (None, Some(Event::Leave { row: r, .. })) if r == row => u32::BITS,
        _ => 0,
    };
    all & u32::MAX.checked_shl(given_up).unwrap_or(0)
}

/// A table of the vectors that enter each row so far.
fn bits_stack(board: &Bitmask, state: &State) -> Vec<String> {
    let n = state.n;
    let wide = n.max(8);
    // A column that the plain board does not have.
    let column = |text: String| match state.puzzle().is_plain() {
        true => String::new(),
        false => format!("{text:<wide$}  "),
    };
    let mut out = vec![format!(
        "row  {:<wide$}  {:<wide$}  {:<wide$}  {}{:<wide$}  {}",
        "down",
        "left",
        "right",
        column("closed".to_owned()),
        "possible",
        "place"
    )];
    for row in 0..=state.cols.len() {
        let bits = board.row(row);
        let possible = still_possible(state, row, bits, board.mask());
        let place = state
            .cols
            .get(row)
            .map_or(String::new(), |&col| binary(place_bit(col), n));
        out.push(
            format!(
                "{row:>3}  {:<wide$}  {:<wide$}  {:<wide$}  {}{:<wide$}  {place}",
                binary(bits.down, n),
                binary(bits.left, n),
                binary(bits.right, n),
                column(binary(closed(state, row), n)),
                binary(possible, n),
            )
            .trim_end()
            .to_owned(),
        );
    }
    out
}

/// The bit of a queen; an empty row has none.
fn place_bit(col: Option<usize>) -> u32 {
    col.map_or(0, |col| 1 << col)
}

/// What the style `bits` prints for one event.
///
/// Refused squares are not printed: the vectors skip them, which is their point.
///
/// # Panics
///
/// When `n` is above 32.
pub(super) fn bits_lines(event: Event, state: &State) -> String {
    let n = state.n;
    let show = |vector| binary(vector, n);
    let board: Bitmask = state.board();
    match event {
        Event::Enter { row } if row == n && narrate::too_many(state.puzzle()).is_none() => {
            let down = board.row(row).down;
            let told = match down == board.mask() {
                true => "is all ones".to_owned(),
                false => format!("has a one for each of {} queens", down.count_ones()),
            };
            format!("row {row}: down {} {told}\n", show(down))
        }
        Event::Enter { row } => {
            let bits = board.row(row);
            let closed = closed(state, row);
            format!(
                "row {row}: down {} left {} right {} {}possible {}\n",
                show(bits.down),
                show(bits.left),
                show(bits.right),
                match state.puzzle().is_plain() {
                    true => String::new(),
                    false => format!("closed {} ", show(closed)),
                },
                show(bits.possible(board.mask()) & !closed),
            )
        }
        Event::Place { row, .. } | Event::Skip { row } => {
            let (bits, next) = (board.row(row), board.row(row + 1));
            let col = state.cols[row];
            let place = show(place_bit(col));
            let told = col.map_or("the row stays empty".to_owned(), |col| format!("col {col}"));
            // Every line is an equation as the recitation has it, the mask included.
            format!(
                "  place {place}: {told}\n\
                 \x20 down    {} | {place}{gap} = {}\n\
                 \x20 left  (({} | {place}) << 1) & {mask} = {}\n\
                 \x20 right  ({} | {place}) >> 1{short} = {}\n",
                show(bits.down),
                show(next.down),
                show(bits.left),
                show(next.left),
                show(bits.right),
                show(next.right),
                mask = show(board.mask()),
                gap = " ".repeat(") << 1) & ".len() + n),
                short = " ".repeat(") & ".len() + n),
            )
        }
        Event::Solution => format!(
            "  solution {}: {}\n",
            state.stats.solutions,
            tuple(&state.cols)
        ),
        Event::DeadEnd { row } => match narrate::too_many(state.puzzle()) {
            Some(why) => format!("  dead end: {why}\n"),
            None => format!("  dead end: possible is 0 in row {row}\n"),
        },
        Event::Undo { row, .. } | Event::Unskip { row } => {
            let bits = board.row(row);
            let left = still_possible(state, row, bits, board.mask());
            let place = match event {
                Event::Undo { col, .. } => place_bit(Some(col)),
                _ => place_bit(None),
            };
            format!(
                "row {row}: back from place {}, possible {}\n",
                show(place),
                show(left)
            )
        }
        Event::Try { .. } | Event::Leave { .. } => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(cols: &[usize], n: usize) -> State {
        let mut state = State::new(n);
        state.apply(Event::Enter { row: 0 });
        for (row, &col) in cols.iter().enumerate() {
            state.apply(Event::Place { row, col });
            state.apply(Event::Enter { row: row + 1 });
        }
        state
    }

    #[test]
    fn the_boxes_of_the_assignment_are_drawn_as_printed_there() {
        assert_eq!(
            lines(Style::Box, &after(&[1, 3], 4)),
            [
                "    1  2  3  4",
                " 1  .  Q  .  .",
                " 2 -1 -1 -1  Q",
                " 3  . -1 -1 -2",
                " 4  . -2  . -1"
            ]
        );
        assert_eq!(
            lines(Style::Box, &after(&[3, 1], 4))[1..],
            [
                " 1  .  .  .  Q",
                " 2  .  Q -1 -1",
                " 3 -1 -2 -1 -1",
                " 4 -1 -1  . -2"
            ]
        );
    }

    #[test]
    fn the_earliest_attacker_stays_when_a_later_queen_attacks_too() {
        let shown = lines(Style::Attackers, &after(&[1, 3], 4));
        assert_eq!(
            shown[2].split_whitespace().collect::<Vec<_>>(),
            ["-1", "0", "1", "0"]
        );
        assert!(shown[1].ends_with("[1]"));
    }

    #[test]
    fn the_four_arrays_hold_one_flag_per_queen_each() {
        let shown = lines(Style::Lines, &after(&[1, 3], 4));
        for name in ["row", "col", "NWtoSE", "SWtoNE"] {
            let line = shown.iter().find(|l| l.starts_with(name)).unwrap();
            assert_eq!(line.matches('1').count(), 2, "{line}");
        }
    }

    #[test]
    fn possible_shrinks_as_columns_are_given_up() {
        let mut state = after(&[0], 4);
        let possible = |state: &State| {
            let board: Bitmask = state.board();
            still_possible(state, 1, board.row(1), board.mask())
        };
        assert_eq!(possible(&state), 0b1100);
        state.apply(Event::Place { row: 1, col: 2 });
        assert_eq!(possible(&state), 0b1100);
        state.apply(Event::Undo { row: 1, col: 2 });
        assert_eq!(possible(&state), 0b1000);
        state.apply(Event::Leave {
            row: 1,
            solutions: 0,
        });
        assert_eq!(possible(&state), 0);
    }

    #[test]
    fn binary_is_written_with_column_zero_last() {
        assert_eq!(binary(0b0010, 4), "0010");
        assert_eq!(binary(1 << 31, 32).find('1'), Some(0));
    }
}
