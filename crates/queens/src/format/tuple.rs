//! `tuple`: `(2, 4, 1, 3)`, the format of the CSE 15 assignment and of BACS2063 chapter 6.
//!
//! The i-th element is the column of the queen in row i, both counted from 1. A row without
//! a queen is `-`. The reader also takes the numbers without brackets, separated by commas or
//! blanks or, up to nine, by nothing at all: `2413`. It takes 0 for an empty row too, as in column
//! 0 of the assignment's grid, and columns that count from 0 if the numbers tell so: the second
//! half of the chapter writes those in the same brackets ([`Origin`]).

use super::read::{ParseError, quoted};
use super::{RowWalk, push_number};
use crate::origin::Origin;
use crate::placement::{Placement, PlacementError, Square};

#[inline]
pub(super) fn write<E>(
    n: usize,
    queens: impl Iterator<Item = Square>,
    out: &mut Vec<u8>,
    mut after_row: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let mut rows = RowWalk::new(queens);
    out.push(b'(');
    for row in 0..n {
        if row > 0 {
            out.extend_from_slice(b", ");
        }
        match rows.next_in(row) {
            Some(col) => push_number(out, col + 1),
            None => out.push(b'-'),
        }
        after_row(out)?;
    }
    out.push(b')');
    Ok(())
}

/// A placement that was given by columns.
pub(super) struct Columns {
    pub(super) placement: Placement,
    /// What its numbers were taken to count from, if they do not tell.
    pub(super) doubt: Option<Origin>,
    /// Whether they may be the first rows of a larger board.
    pub(super) may_be_part: bool,
}

/// What the caller of a reader said about lists of columns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    /// What they count from.
    pub(super) origin: Option<Origin>,
    /// The size of the board, whose first rows a list may be.
    pub(super) n: Option<usize>,
}

/// Reads a list of columns, in brackets or not. What they count from is `told`, or what the
/// numbers say, or else `usual`.
pub(super) fn read(text: &str, told: Told, usual: Origin) -> Result<Columns, ParseError> {
    let text = text.trim();
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some(rest) = text.strip_prefix(open) {
            let list = rest.strip_suffix(close);
            return split(list.ok_or(ParseError::Unclosed(open))?, told, usual);
        }
    }
    // One digit for each row.
    if text.len() <= 10 && text.bytes().all(|b| b.is_ascii_digit()) {
        return columns((0..text.len()).map(|at| &text[at..=at]), told, usual);
    }
    split(text, told, usual)
}

/// Reads values separated by commas or, where there are none, by blanks. A value missing between
/// two commas counts as an empty one, so it is not overlooked.
fn split(list: &str, told: Told, usual: Origin) -> Result<Columns, ParseError> {
    if list.contains(',') {
        columns(list.split(',').map(str::trim), told, usual)
    } else {
        columns(list.split_whitespace(), told, usual)
    }
}

/// Reads one value for each row. It goes through the values more than once and keeps none: there
/// may be millions.
pub(super) fn columns<'a>(
    values: impl Iterator<Item = &'a str> + Clone,
    told: Told,
    usual: Origin,
) -> Result<Columns, ParseError> {
    let rows = values.clone().take(Placement::MAX_N + 1).count();
    if rows > Placement::MAX_N {
        return Err(PlacementError::TooLarge(values.count()).into());
    }
    let n = told.n.unwrap_or(rows);
    if n > Placement::MAX_N {
        return Err(PlacementError::TooLarge(n).into());
    }
    if rows > n {
        return Err(ParseError::Size {
            expected: n,
            got: rows,
        });
    }
    let sure = match told.origin {
        Some(told) => Some(told),
        None => Origin::told_by(n, usual, values.clone().map(number))?,
    };
    let origin = sure.unwrap_or(usual);
    let first = origin.first() as i64;
    let column = |value: &str| match number(value)?.map(|number| number.checked_sub(first)) {
        None | Some(Some(-1)) => Ok(None),
        Some(Some(col @ 0..)) => Ok(Some(col as usize)),
        _ => Err(not_a_column(value)),
    };
    // Counted from 0, a 0 is a column, and the list is too short for its largest number: it may
    // be the first rows of a larger board.
    let may_be_part = told.n.is_none()
        && told.origin.is_none()
        && sure == Some(Origin::One)
        && values.clone().any(|value| value == "0");
    let empty = (rows..n).map(|_| Ok(None));
    Ok(Columns {
        placement: Placement::try_from_rows(values.map(column).chain(empty))?,
        doubt: sure.is_none().then_some(origin),
        may_be_part,
    })
}

/// A number, or nothing for the sign of an empty row.
fn number(value: &str) -> Result<Option<i64>, ParseError> {
    match value {
        "-" => Ok(None),
        _ => value.parse().map(Some).map_err(|_| not_a_column(value)),
    }
}

/// Refuses a text that is no column, and quotes its beginning.
pub(super) fn not_a_column(text: &str) -> ParseError {
    ParseError::Number(quoted(text, 40))
}
