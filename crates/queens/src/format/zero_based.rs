//! `zero-based`: `[1, 3, 0, 2]`, the list `board` of the NPTEL lecture.
//!
//! The element at index i is the column of the queen in row i, both counted from 0, as the
//! lecture and the second half of BACS2063 chapter 6 have it. A row without a queen is -1,
//! the value to which the lecture resets a row. Square brackets tell it from `tuple`, unless
//! the numbers say otherwise; both are read by `tuple::read`.

use super::{RowWalk, push_number};
use crate::placement::Square;

#[inline]
pub(super) fn write<E>(
    n: usize,
    queens: impl Iterator<Item = Square>,
    out: &mut Vec<u8>,
    mut after_row: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let mut rows = RowWalk::new(queens);
    out.push(b'[');
    for row in 0..n {
        if row > 0 {
            out.extend_from_slice(b", ");
        }
        match rows.next_in(row) {
            Some(col) => push_number(out, col),
            None => out.extend_from_slice(b"-1"),
        }
        after_row(out)?;
    }
    out.push(b']');
    Ok(())
}
