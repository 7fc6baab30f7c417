//! `csv`: comma-separated values for spreadsheets and data frames, one placement per line.
//!
//! ```text
//! row1,row2,row3,row4
//! 2,4,1,3
//! 3,1,4,2
//! ```
//!
//! Each value is the column of the queen of that row, counted from 1, and `-` for a row without a
//! queen. With class sizes there is a last column `class_size`. No value ever needs quotes. The
//! reader does not need the header; without one, every value is a column of a queen. What the
//! values count from is, in this order: what the caller says; 0, if the header begins `row0`, as
//! the page saves it; what the values themselves tell, as in `tuple`; or else 1. An empty row is
//! not written as 0, because `1,3,0,2`, a solution from 0, would then look like three queens from
//! 1.

use super::read::ParseError;
use super::tuple::{self, Columns, Told};
use super::{RowWalk, push_number};
use crate::origin::Origin;
use crate::placement::Square;

const CLASS_SIZE: &str = "class_size";

/// The beginning of a header whose rows, and the columns below it, count from 0.
const FROM_ZERO: &str = "row0";

pub(super) fn header<E>(
    n: usize,
    class_sizes: bool,
    out: &mut Vec<u8>,
    mut after_row: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    for row in 1..=n {
        if row > 1 {
            out.push(b',');
        }
        out.extend_from_slice(b"row");
        push_number(out, row);
        after_row(out)?;
    }
    if class_sizes {
        if n > 0 {
            out.push(b',');
        }
        out.extend_from_slice(CLASS_SIZE.as_bytes());
    }
    out.push(b'\n');
    Ok(())
}

pub(super) fn write<E>(
    n: usize,
    queens: impl Iterator<Item = Square>,
    class_size: Option<usize>,
    out: &mut Vec<u8>,
    mut after_row: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let mut rows = RowWalk::new(queens);
    for row in 0..n {
        if row > 0 {
            out.push(b',');
        }
        match rows.next_in(row) {
            Some(col) => push_number(out, col + 1),
            None => out.push(b'-'),
        }
        after_row(out)?;
    }
    if let Some(size) = class_size {
        if n > 0 {
            out.push(b',');
        }
        push_number(out, size);
    }
    out.push(b'\n');
    Ok(())
}

/// Whether this line is a header.
pub(super) fn is_header(line: &str) -> bool {
    line.starts_with("row1") || line.starts_with(FROM_ZERO) || line == CLASS_SIZE
}

/// What a header says about the lines below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    fields: usize,
    class_sizes: bool,
    from_zero: bool,
}

pub(super) fn read_header(line: &str) -> Shape {
    let fields = line.split(',').count();
    let class_sizes = line.split(',').next_back().map(str::trim) == Some(CLASS_SIZE);
    Shape {
        fields,
        class_sizes,
        from_zero: line.starts_with(FROM_ZERO),
    }
}

pub(super) fn read(
    line: &str,
    shape: Option<Shape>,
    mut told: Told,
) -> Result<Columns, ParseError> {
    let mut values = line.split(',').map(str::trim);
    let Some(shape) = shape else {
        return tuple::columns(values, told, Origin::One);
    };
    let got = values.clone().count();
    if got != shape.fields {
        return Err(ParseError::Fields {
            expected: shape.fields,
            got,
        });
    }
    if shape.class_sizes {
        values.next_back();
    }
    if shape.from_zero {
        told.origin = told.origin.or(Some(Origin::Zero));
    }
    let columns = tuple::columns(values, told, Origin::One)?;
    // What the values do not tell, the header does: how many rows there are, and what they count
    // from.
    Ok(Columns {
        placement: columns.placement,
        doubt: None,
        may_be_part: false,
    })
}
