//! `tuple`: `(2, 4, 1, 3)`, the format of the CSE 15 assignment and of BACS2063 chapter 6.
//!
//! The i-th element is the column of the queen in row i, both counted from 1. A row without
//! a queen is 0, as in column 0 of the assignment's grid. The reader also takes the numbers
//! without brackets or in other brackets, separated by commas or blanks, when it is told
//! that they are a tuple.

use super::read::{ParseError, quoted};
use super::{RowWalk, push_number};
use crate::placement::{Placement, Square};

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
        push_number(out, rows.next_in(row).map_or(0, |col| col + 1));
        after_row(out)?;
    }
    out.push(b')');
    Ok(())
}

pub(super) fn read(text: &str) -> Result<Placement, ParseError> {
    columns(text, 1)
}

/// Reads a bracketed list of columns that count from `base`; `base - 1` is an empty row.
pub(super) fn columns(text: &str, base: i64) -> Result<Placement, ParseError> {
    let list = inside(text)?;
    // A value missing between two commas is an empty one, so that it is not overlooked.
    if list.contains(',') {
        placement(list.split(',').map(str::trim), base)
    } else {
        placement(list.split_whitespace(), base)
    }
}

/// One value per row, each a column that counts from `base`.
pub(super) fn placement<'a>(
    values: impl Iterator<Item = &'a str>,
    base: i64,
) -> Result<Placement, ParseError> {
    Placement::try_from_rows(values.map(|value| column(value, base)))
}

/// One column that counts from `base`; `base - 1` is an empty row.
pub(super) fn column(value: &str, base: i64) -> Result<Option<usize>, ParseError> {
    let number: i64 = value.parse().map_err(|_| not_a_column(value))?;
    match number.checked_sub(base) {
        Some(-1) => Ok(None),
        Some(col @ 0..) => Ok(Some(col as usize)),
        _ => Err(not_a_column(value)),
    }
}

/// Refuses a text that is no column, and quotes its beginning.
pub(super) fn not_a_column(text: &str) -> ParseError {
    ParseError::Number(quoted(text, 40))
}

/// What stands between the brackets, if there are brackets.
fn inside(text: &str) -> Result<&str, ParseError> {
    let text = text.trim();
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some(rest) = text.strip_prefix(open) {
            return rest.strip_suffix(close).ok_or(ParseError::Unclosed(open));
        }
    }
    Ok(text)
}
