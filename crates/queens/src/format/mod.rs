//! The text formats of placements: one file each, for writing and for reading.
//!
//! | format | the first solution for n = 4 |
//! |---|---|
//! | `tuple` | `(2, 4, 1, 3)`: columns from 1, as the CSE 15 assignment prints them |
//! | `zero-based` | `[1, 3, 0, 2]`: columns from 0, the list `board` of the NPTEL lecture |
//! | `board` | four lines of `.` and `Q` |
//! | `unicode` | the same with `·` and `♛` |
//! | `fen` | `1Q2/3Q/Q3/2Q1 w - - 0 1`: Forsyth-Edwards Notation, extended beyond 9 files |
//! | `json` | `{"n":4,"cols":[1,3,0,2]}`: one object per line, columns from 0 |
//! | `csv` | a header `row1,row2,row3,row4`, then `2,4,1,3`: columns from 1 |
//!
//! One placement or solution is read with `parse` and written with `display`. [`Writer`]
//! writes a stream of them, [`Reader`] reads one back and detects the
//! format from its first line; both work in constant memory. [`stream`] writes one solution that is
//! too large to hold. Every format holds an empty row; a list of columns tells whether it counts
//! from 0 or from 1 ([`Origin`](crate::Origin)). Two queens in one row fit into `board`, `unicode`,
//! `fen` and `json` only.
//!
//! A class size rides along as a comment, `# class of 8`, or in a field of its own in
//! `json` and `csv`; the reader skips it.

mod board;
mod csv;
mod fen;
mod json;
mod read;
mod tuple;
mod unicode;
mod write;
mod zero_based;

pub(crate) use read::quoted;
pub use read::{ParseError, Reader, parse};
pub use write::{Formatted, WriteError, Writer, stream};

use crate::named::named;
use crate::placement::Square;

/// A text format of placements.
///
/// ```
/// use queens::Format;
///
/// assert_eq!("zero-based".parse(), Ok(Format::ZeroBased));
/// assert_eq!(Format::ZeroBased.to_string(), "zero-based");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Format {
    /// `(2, 4, 1, 3)`: the column of each row's queen from 1; `-` for a row without a queen.
    Tuple,
    /// `[1, 3, 0, 2]`: the column of each row's queen from 0; -1 for a row without a queen.
    ZeroBased,
    /// One line per row, `Q` for a queen and `.` for an empty square.
    Board,
    /// One line per row, `♛` for a queen and `·` for an empty square.
    Unicode,
    /// Forsyth-Edwards Notation, extended beyond 9 files.
    Fen,
    /// One JSON object per line.
    Json,
    /// Comma-separated values with a header line.
    Csv,
}

impl Format {
    /// All formats, in the order in which they are explained.
    pub const ALL: [Format; 7] = [
        Format::Tuple,
        Format::ZeroBased,
        Format::Board,
        Format::Unicode,
        Format::Fen,
        Format::Json,
        Format::Csv,
    ];

    /// The name, as given to `--format`.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Tuple => "tuple",
            Format::ZeroBased => "zero-based",
            Format::Board => "board",
            Format::Unicode => "unicode",
            Format::Fen => "fen",
            Format::Json => "json",
            Format::Csv => "csv",
        }
    }

    /// One line of explanation, with an example.
    pub const fn summary(self) -> &'static str {
        match self {
            Format::Tuple => "(2, 4, 1, 3): the column of each row's queen, from 1",
            Format::ZeroBased => "[1, 3, 0, 2]: the column of each row's queen, from 0",
            Format::Board => "a line per row, `Q` for a queen and `.` for an empty square",
            Format::Unicode => "a line per row, `♛` for a queen and `·` for an empty square",
            Format::Fen => {
                "1Q2/3Q/Q3/2Q1 w - - 0 1: FEN; from 10 files on, runs of empty squares \
                 are decimal numbers of any length"
            }
            Format::Json => r#"{"n":4,"cols":[1,3,0,2]}: an object per line, columns from 0"#,
            Format::Csv => "a header row1,row2,..., then 2,4,1,3: columns from 1",
        }
    }

    /// Whether two queens in one row can be written.
    pub const fn holds_crowded_rows(self) -> bool {
        !matches!(self, Format::Tuple | Format::ZeroBased | Format::Csv)
    }
}

named! {
    Format, "format",
    /// No format has this name.
    UnknownFormat
}

/// Appends a number in decimal. Columns have one or two digits, which is all that the
/// listing of millions of solutions ever needs; the rest is for large boards.
#[inline]
fn push_number(out: &mut Vec<u8>, value: usize) {
    match value {
        0..10 => out.push(b'0' + value as u8),
        10..100 => out.extend([b'0' + (value / 10) as u8, b'0' + (value % 10) as u8]),
        _ => {
            let mut digits = [0; 20];
            let mut first = digits.len();
            let mut rest = value;
            while rest > 0 {
                first -= 1;
                digits[first] = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            out.extend_from_slice(&digits[first..]);
        }
    }
}

/// Walks the rows of a board from the top: the columns of the queens come sorted by row,
/// and each row takes its own.
struct RowWalk<Q: Iterator<Item = Square>> {
    queens: std::iter::Peekable<Q>,
}

impl<Q: Iterator<Item = Square>> RowWalk<Q> {
    fn new(queens: Q) -> Self {
        RowWalk {
            queens: queens.peekable(),
        }
    }

    /// The column of the next queen of `row`, if it has one more.
    #[inline]
    fn next_in(&mut self, row: usize) -> Option<usize> {
        self.queens
            .next_if(|queen| queen.row == row)
            .map(|queen| queen.col)
    }
}
