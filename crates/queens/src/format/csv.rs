//! `csv`: comma-separated values for spreadsheets and data frames, one placement per line.
//!
//! ```text
//! row1,row2,row3,row4
//! 2,4,1,3
//! 3,1,4,2
//! ```
//!
//! Each value is the column of the queen of that row, counted from 1, and 0 for a row
//! without a queen, a number too, so that programs read columns of whole numbers. With class
//! sizes there is a last column `class_size`. No value ever needs quotes. The reader does not
//! need the header; without one, every value is a column of a queen, and the values tell what
//! they count from, as those of `tuple` do. Below a header they count from 1, but for a line in
//! which every column from 0 occurs once, if no line before it has told that it counts from 1.

use super::read::ParseError;
use super::tuple::{self, Columns, Told};
use super::{RowWalk, push_number};
use crate::origin::Origin;
use crate::placement::{Placement, Square};

const CLASS_SIZE: &str = "class_size";

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
        push_number(out, rows.next_in(row).map_or(0, |col| col + 1));
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
    line.starts_with("row1") || line == CLASS_SIZE
}

/// What a header says about the lines below it, and what these have told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    fields: usize,
    class_sizes: bool,
    /// A line had the last column of who counts from 1, so all lines count from 1.
    from_one: bool,
}

impl Shape {
    /// What a line of columns counts from, on a board of `n`.
    fn origin<'a>(
        &mut self,
        values: impl Iterator<Item = &'a str> + Clone,
        n: usize,
    ) -> Result<Origin, ParseError> {
        // Some rows of a larger board, or rows that are marked as empty, count as the header does.
        let full = values.clone().take(Placement::MAX_N + 1).count() == n
            && values.clone().all(|value| !value.starts_with('-'));
        if self.from_one || !full {
            return Ok(Origin::One);
        }
        let told = Origin::told_by(n, Origin::One, values.map(tuple::number))?;
        self.from_one = told == Some(Origin::One);
        Ok(told.unwrap_or(Origin::One))
    }
}

pub(super) fn read_header(line: &str) -> Shape {
    let fields = line.split(',').count();
    let class_sizes = line.split(',').next_back().map(str::trim) == Some(CLASS_SIZE);
    Shape {
        fields,
        class_sizes,
        from_one: false,
    }
}

pub(super) fn read(
    line: &str,
    shape: Option<&mut Shape>,
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
    let mut doubt = None;
    if told.origin.is_none() {
        let n = told.n.unwrap_or_else(|| values.clone().count());
        let origin = shape.origin(values.clone(), n)?;
        // All columns but the last, and a row without a queen, would look the same from 1.
        doubt = (origin == Origin::Zero).then_some(origin);
        told.origin = Some(origin);
    }
    let columns = tuple::columns(values, told, Origin::One)?;
    Ok(Columns { doubt, ..columns })
}
