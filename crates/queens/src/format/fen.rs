//! `fen`: Forsyth-Edwards Notation, which chess programs and web sites read.
//!
//! ```text
//! 1Q2/3Q/Q3/2Q1 w - - 0 1
//! ```
//!
//! Rows come from the top, separated by `/`; `Q` is a queen and a number is a run of empty
//! squares. The five fields after the board (white to move, no castling, no en passant,
//! the clocks) make it a complete record; the reader ignores them and does not need them.
//! For n = 8 this is standard FEN.
//!
//! *Extension.* Standard FEN ends at 8 files and one digit reaches 9. Here a run of empty
//! squares is a decimal number of any length: `10Q4` is ten empty squares, a queen, four
//! empty squares. This stays unambiguous, because two numbers never stand side by side.

use super::read::ParseError;
use super::{RowWalk, push_number, tuple};
use crate::placement::{Placement, PlacementError, Square};

pub(super) fn write<E>(
    n: usize,
    queens: impl Iterator<Item = Square>,
    out: &mut Vec<u8>,
    mut after_row: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let mut rows = RowWalk::new(queens);
    for row in 0..n {
        if row > 0 {
            out.push(b'/');
        }
        let mut col = 0;
        while let Some(queen) = rows.next_in(row) {
            if queen > col {
                push_number(out, queen - col);
            }
            out.push(b'Q');
            col = queen + 1;
        }
        if col < n {
            push_number(out, n - col);
        }
        after_row(out)?;
    }
    out.extend_from_slice(b" w - - 0 1");
    Ok(())
}

pub(super) fn read(text: &str) -> Result<Placement, ParseError> {
    // The empty board has an empty first field.
    let ranks = if text.starts_with(' ') {
        ""
    } else {
        text.split_whitespace().next().unwrap_or_default()
    };
    let mut queens = Vec::new();
    let mut n = 0;
    let mut width = 0;
    for (row, rank) in ranks.split('/').filter(|_| !ranks.is_empty()).enumerate() {
        let got = read_rank(rank, row, &mut queens)?;
        if row == 0 {
            width = got;
        } else if got != width {
            let expected = width;
            return Err(ParseError::Width { row, expected, got });
        }
        n = row + 1;
    }
    if width != n {
        return Err(ParseError::Height { width, rows: n });
    }
    Ok(Placement::new(n, queens)?)
}

fn read_rank(rank: &str, row: usize, queens: &mut Vec<Square>) -> Result<usize, ParseError> {
    let mut col = 0usize;
    let mut rest = rank;
    while let Some(sign) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let number = &rest[..digits];
            let run: usize = number.parse().map_err(|_| tuple::not_a_column(number))?;
            col = col
                .checked_add(run)
                .filter(|&col| col <= Placement::MAX_N)
                .ok_or_else(|| tuple::not_a_column(number))?;
            rest = &rest[digits..];
        } else if sign == 'Q' || sign == 'q' {
            if queens.len() == Placement::MAX_N {
                return Err(PlacementError::TooMany.into());
            }
            queens.push(Square::new(row, col));
            col += 1;
            rest = &rest[1..];
        } else {
            return Err(ParseError::Sign(sign));
        }
    }
    Ok(col)
}
