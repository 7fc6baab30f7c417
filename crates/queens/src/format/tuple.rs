//! `tuple`: `(2, 4, 1, 3)`, the format of the CSE 15 assignment and of BACS2063 chapter 6.
//!
//! The i-th element is the column of the queen in row i, both counted from 1. A row without
//! a queen is `-`. The reader also takes the numbers without brackets, separated by commas or
//! blanks or, up to nine, by nothing at all: `2413`. It takes 0 for an empty row too, as in
//! column 0 of the assignment's grid, and columns that count from 0 where they tell so: the
//! second half of the chapter writes those in the same brackets ([`Origin`]).

use super::read::{ParseError, quoted};
use super::{RowWalk, push_number};
use crate::origin::Origin;
use crate::placement::{Placement, Square};

#[inline]
pub(super) fn write(n: usize, queens: impl Iterator<Item = Square>, out: &mut Vec<u8>) {
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
    }
    out.push(b')');
}

/// A placement that was given by columns.
pub(super) struct Columns {
    pub(super) placement: Placement,
    /// What its numbers were taken to count from, if they do not tell.
    pub(super) doubt: Option<Origin>,
}

/// Reads a list of columns, in brackets or not. What they count from is `told`, or what the
/// numbers say, or else `usual`.
pub(super) fn read(text: &str, told: Option<Origin>, usual: Origin) -> Result<Columns, ParseError> {
    columns(&values(text)?, told, usual)
}

/// The placement with these columns, one for each row.
pub(super) fn columns(
    values: &[&str],
    told: Option<Origin>,
    usual: Origin,
) -> Result<Columns, ParseError> {
    let rows: Vec<Option<i64>> = values
        .iter()
        .copied()
        .map(number)
        .collect::<Result<_, _>>()?;
    let sure = told.or_else(|| Origin::told_by(&rows));
    let origin = sure.unwrap_or(usual);
    let first = origin.first() as i64;
    let cols = rows.into_iter().zip(values).map(|(number, text)| {
        let Some(number) = number else {
            return Ok(None);
        };
        match number.checked_sub(first) {
            Some(-1) => Ok(None),
            Some(col @ 0..) => Ok(Some(col as usize)),
            _ => Err(not_a_column(text)),
        }
    });
    let cols: Vec<Option<usize>> = cols.collect::<Result<_, _>>()?;
    Ok(Columns {
        placement: Placement::from_rows(cols)?,
        doubt: sure.is_none().then_some(origin),
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

/// The values of a list, in brackets or not.
fn values(text: &str) -> Result<Vec<&str>, ParseError> {
    let text = text.trim();
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some(rest) = text.strip_prefix(open) {
            let inside = rest.strip_suffix(close);
            return Ok(split(inside.ok_or(ParseError::Unclosed(open))?));
        }
    }
    // A figure for each row: no two rows of so small a board need two.
    let bare = text.len() <= 10 && text.bytes().all(|b| b.is_ascii_digit());
    if bare {
        return Ok((0..text.len()).map(|at| &text[at..=at]).collect());
    }
    Ok(split(text))
}

/// The values of a list separated by commas or, where there are none, by blanks. A value
/// missing between two commas is given as an empty one, so that it is not overlooked.
fn split(list: &str) -> Vec<&str> {
    if list.trim().is_empty() {
        Vec::new()
    } else if list.contains(',') {
        list.split(',').map(str::trim).collect()
    } else {
        list.split_whitespace().collect()
    }
}
