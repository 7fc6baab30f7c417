//! `board`: a picture in plain characters, one line per row.
//!
//! ```text
//! . Q . .
//! . . . Q
//! Q . . .
//! . . Q .
//! ```
//!
//! `Q` is a queen and `.` an empty square, with a blank between squares to make the board
//! look square in a terminal. Two boards are separated by a blank line. The reader does not need
//! the blanks. It also takes `q` for a queen, and `-`, `_` or `*` for an empty square. Here
//! `#`, the sign of a blocked square, is an empty square too. The first line tells the size of the
//! board, so a board is complete after that many lines.

use super::RowWalk;
use super::read::ParseError;
use crate::placement::{Placement, PlacementError, Square};

pub(super) fn write<E>(
    n: usize,
    queens: impl Iterator<Item = Square>,
    out: &mut Vec<u8>,
    after_row: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    draw(n, queens, "Q", ".", out, after_row)
}

/// Draws a board with the given signs.
pub(super) fn draw<E>(
    n: usize,
    queens: impl Iterator<Item = Square>,
    queen: &str,
    empty: &str,
    out: &mut Vec<u8>,
    mut after_row: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let mut rows = RowWalk::new(queens);
    for row in 0..n {
        let mut next = rows.next_in(row);
        for col in 0..n {
            if col > 0 {
                out.push(b' ');
            }
            if next == Some(col) {
                out.extend_from_slice(queen.as_bytes());
                next = rows.next_in(row);
            } else {
                out.extend_from_slice(empty.as_bytes());
            }
        }
        out.push(b'\n');
        after_row(out)?;
    }
    Ok(())
}

/// Reads one line of a board in plain or Unicode characters: adds the queens of `row` and
/// returns how many squares the line has.
pub(super) fn read_row(
    line: &str,
    row: usize,
    queens: &mut Vec<Square>,
) -> Result<usize, ParseError> {
    let mut col = 0;
    for c in line.chars().filter(|&c| !c.is_whitespace() && c != '│') {
        match c {
            'Q' | 'q' | '♛' | '♕' if queens.len() == Placement::MAX_N => {
                return Err(PlacementError::TooMany.into());
            }
            'Q' | 'q' | '♛' | '♕' => queens.push(Square::new(row, col)),
            '.' | '-' | '_' | '*' | '·' | '□' | '■' | '#' | '▒' => {}
            other => return Err(ParseError::Sign(other)),
        }
        col += 1;
    }
    Ok(col)
}
