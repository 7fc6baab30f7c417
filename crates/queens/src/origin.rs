//! What rows and columns count from: 0 or 1.
//!
//! The library counts from 0, and so do its JSON and the styles of a trace that show the
//! variables of a program. What people read counts from 1: tuples, the figures along the edge of a
//! board, sentences. A list of columns may count from either, in any brackets. On an `n` by `n`
//! board the columns are 0 to `n` - 1 or 1 to `n`, so a list of `n` columns tells which is meant as
//! soon as one of them is at the end of its range:
//!
//! ```text
//! (2, 4, 1, 3)    4 is no column from 0                  from 1
//! (1, 3, 0, 2)    every column from 0 occurs, once       from 0
//! [2, 0, 3, -1]   -1 is an empty row, counting from 0    from 0
//! (2, -, -, 3)    empty rows have a sign: from 0 if there is a 0, else as the brackets say
//! (2, 0, 0, 3)    from 1 with two empty rows, or from 0 with two queens in column 0
//! (1, 2, 3, 2)    nothing tells
//! ```
//!
//! In the last two the brackets decide: round ones count from 1 and square ones from 0.
//!
//! Squares, attacks, reports and errors are for people, and name rows and columns from 1. A program
//! that counts from 0 writes them with `{:#}`:
//!
//! ```
//! use queens::{Board, Square};
//!
//! let error = Board::new(8).with_given([Square::new(9, 0)]).unwrap_err();
//! assert_eq!(format!("{error}"), "the square (10, 1) is off the 8 by 8 board");
//! assert_eq!(format!("{error:#}"), "the square (9, 0) is off the 8 by 8 board");
//! ```

use std::fmt;
use std::str::FromStr;

/// What rows and columns count from where they are written or read.
///
/// ```
/// use queens::Origin;
///
/// assert_eq!(Origin::One.number(0), 1);
/// assert_eq!("0".parse(), Ok(Origin::Zero));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The first row is 0.
    Zero,
    /// The first row is 1.
    #[default]
    One,
}

impl Origin {
    /// The number of the first row and of the first column.
    pub const fn first(self) -> usize {
        match self {
            Origin::Zero => 0,
            Origin::One => 1,
        }
    }

    /// The number of the row or column that has this `index` from 0.
    pub const fn number(self, index: usize) -> usize {
        index.saturating_add(self.first())
    }

    /// What a message counts from: 1, as people do, or with `{:#}` 0, as programs do.
    pub(crate) fn of(f: &fmt::Formatter<'_>) -> Origin {
        if f.alternate() {
            Origin::Zero
        } else {
            Origin::One
        }
    }

    /// What a list of `n` columns counts from, or `None` if its numbers do not tell. `rows` has a
    /// number for each row, and `None` for a row that is marked as empty. A list with such marks is
    /// ours, or written with as much care, and counts from what is `usual` for its brackets. An
    /// error in `rows` is passed on.
    pub(crate) fn told_by<E>(
        n: usize,
        usual: Origin,
        rows: impl Iterator<Item = Result<Option<i64>, E>>,
    ) -> Result<Option<Origin>, E> {
        let (mut marked, mut zeros, mut numbers, mut before) = (false, 0usize, 0usize, false);
        // Every column once: then a 0 among them is a column, not an empty row.
        let (mut seen, mut once) = (vec![false; n], true);
        for row in rows {
            let Some(number) = row? else {
                marked = true;
                continue;
            };
            numbers += 1;
            zeros += usize::from(number == 0);
            before |= number == -1;
            match usize::try_from(number) {
                // Counted from 0, no column is as large.
                Ok(number) if number == n => return Ok(Some(Origin::One)),
                Ok(number) if number < n => once &= !std::mem::replace(&mut seen[number], true),
                _ => once = false,
            }
        }
        Ok(if before {
            Some(Origin::Zero)
        } else if numbers == 0 {
            // An empty board is the same from either.
            Some(Origin::One)
        } else if zeros > 0 && (marked || once) {
            // If empty rows have a sign, or every number occurs once, a 0 can only be a column.
            Some(Origin::Zero)
        } else {
            marked.then_some(usual)
        })
    }
}

/// Writes `0` or `1`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first().fmt(f)
    }
}

/// Reads `0` or `1`.
impl FromStr for Origin {
    type Err = UnknownOrigin;

    fn from_str(text: &str) -> Result<Origin, UnknownOrigin> {
        match text {
            "0" => Ok(Origin::Zero),
            "1" => Ok(Origin::One),
            _ => Err(UnknownOrigin),
        }
    }
}

/// The text is neither `0` nor `1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownOrigin;

impl fmt::Display for UnknownOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rows and columns count from 0 or from 1")
    }
}

impl std::error::Error for UnknownOrigin {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_tells_what_it_counts_from_where_it_can() {
        let told = |numbers: &[i64]| {
            let rows = numbers.iter().map(|&number| Ok::<_, ()>(Some(number)));
            Origin::told_by(numbers.len(), Origin::One, rows).unwrap()
        };
        for (numbers, expected) in [
            (&[2, 4, 1, 3][..], Some(Origin::One)),
            (&[1, 3, 0, 2], Some(Origin::Zero)),
            (&[0, 4, 7, 5, 2, 6, 1, 3], Some(Origin::Zero)),
            (&[2, 4, 0, 0], Some(Origin::One)),
            (&[2, 0, 3, -1], Some(Origin::Zero)),
            (&[2, 0, 0, 3], None),
            (&[1, 2, 3, 2], None),
            (&[0, 4, 7], None),
            (&[0, 0], None),
            (&[0], Some(Origin::Zero)),
            (&[1], Some(Origin::One)),
            (&[], Some(Origin::One)),
        ] {
            assert_eq!(told(numbers), expected, "{numbers:?}");
        }
    }

    #[test]
    fn with_a_sign_for_empty_rows_a_0_is_a_column() {
        let told = |rows: &[Option<i64>], usual| {
            let each = rows.iter().copied().map(Ok::<_, ()>);
            Origin::told_by(rows.len(), usual, each).unwrap()
        };
        for usual in [Origin::Zero, Origin::One] {
            let rows = [Some(0), None, Some(2), None];
            assert_eq!(told(&rows, usual), Some(Origin::Zero));
            assert_eq!(told(&[None, Some(1), None], usual), Some(usual));
            assert_eq!(told(&[None, None], usual), Some(Origin::One));
        }
    }
}
