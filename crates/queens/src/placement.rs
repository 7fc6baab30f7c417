//! A placement: some queens on a board, attacking each other or not.
//!
//! A [`Solution`] has one queen in each row and column. What people type, paste and save is
//! less tidy: boards with an empty row, with two queens in a row, with too few queens.
//! [`Placement`] holds any of these, so the formats can read them and `check` can say what is
//! wrong. It keeps the queens sorted by row, then column, which makes two equal placements equal
//! values and lets every writer walk the board once, from the top.
//!
//! Memory is proportional to the number of queens, not to the number of squares: 16 bytes each.
//! There is one rule about sizes: a placement has at most [`Placement::MAX_N`] rows and as many
//! queens. Whatever reads placements from outside stops there, so no input fills the memory.

use std::fmt;
use std::str::FromStr;

use crate::format::{Format, Formatted, ParseError, WriteError, parse};
use crate::origin::Origin;
use crate::solution::Solution;

/// A square of the board; `row` 0 is on top, `col` 0 at the left.
///
/// ```
/// use queens::Square;
///
/// let square = Square::new(1, 3);
/// assert_eq!((square.row, square.col), (1, 3));
/// assert_eq!(square.to_string(), "(2, 4)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "(usize, usize)", into = "(usize, usize)")
)]
pub struct Square {
    /// The row, from 0.
    pub row: usize,
    /// The column, from 0.
    pub col: usize,
}

impl Square {
    /// The square in `row` and `col`, both from 0.
    pub const fn new(row: usize, col: usize) -> Square {
        Square { row, col }
    }

    /// Row and column, counted from `origin`: `(2, 4)` from 1 is `(1, 3)` from 0.
    pub(crate) fn told(self, origin: Origin) -> String {
        format!("({}, {})", origin.number(self.row), origin.number(self.col))
    }
}

/// A pair of row and column, from 0.
impl From<(usize, usize)> for Square {
    fn from((row, col): (usize, usize)) -> Square {
        Square { row, col }
    }
}

/// The row and the column, from 0.
impl From<Square> for (usize, usize) {
    fn from(square: Square) -> (usize, usize) {
        (square.row, square.col)
    }
}

/// Shows row and column from 1, as people count: `(2, 4)`; with `{:#}` from 0: `(1, 3)`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.told(Origin::of(f)))
    }
}

/// Why some squares are no placement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlacementError {
    /// A queen stands outside the board.
    OffBoard {
        /// Where it stands.
        square: Square,
        /// The size of the board.
        n: usize,
    },
    /// Two queens stand on one square.
    Twice(Square),
    /// The board is larger than [`Placement::MAX_N`].
    TooLarge(usize),
    /// There are more than [`Placement::MAX_N`] squares.
    TooMany,
}

/// Counts from 1, with `{:#}` from 0.
impl fmt::Display for PlacementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |square: &Square| square.told(Origin::of(f));
        match self {
            PlacementError::OffBoard { square, n } => {
                let square = told(square);
                write!(f, "the square {square} is off the {n} by {n} board")
            }
            PlacementError::Twice(square) => {
                let square = told(square);
                write!(f, "the square {square} is named twice")
            }
            PlacementError::TooLarge(n) => {
                let max = Placement::MAX_N;
                write!(
                    f,
                    "a board of size {n} is too large; at most {max} is accepted"
                )
            }
            PlacementError::TooMany => {
                let max = Placement::MAX_N;
                write!(f, "more than {max} squares are named")
            }
        }
    }
}

impl std::error::Error for PlacementError {}

/// Some queens on an `n` by `n` board, attacking each other or not.
///
/// ```
/// use queens::{Placement, Square};
///
/// let placement = Placement::new(4, [Square::new(1, 3), Square::new(0, 1)])?;
/// assert_eq!(placement.n(), 4);
/// assert_eq!(placement.queens()[0], Square::new(0, 1));
///
/// // - is a row without a queen.
/// assert_eq!(placement.to_string(), "(2, 4, -, -)");
/// assert_eq!("1Q2/3Q/4/4".parse(), Ok(placement));
/// # Ok::<(), queens::PlacementError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Squares", into = "Squares")
)]
pub struct Placement {
    n: usize,
    queens: Vec<Square>,
}

/// A placement as serde writes and reads it, before anything is checked.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Placement")]
struct Squares {
    n: usize,
    queens: Vec<Square>,
}

#[cfg(feature = "serde")]
impl TryFrom<Squares> for Placement {
    type Error = PlacementError;

    fn try_from(Squares { n, queens }: Squares) -> Result<Placement, PlacementError> {
        Placement::new(n, queens)
    }
}

#[cfg(feature = "serde")]
impl From<Placement> for Squares {
    fn from(Placement { n, queens }: Placement) -> Squares {
        Squares { n, queens }
    }
}

impl Placement {
    /// The largest board, and the most queens: ten million.
    pub const MAX_N: usize = 10_000_000;

    /// Puts queens on the given squares of an `n` by `n` board.
    ///
    /// # Errors
    ///
    /// If a square is off the board or named twice, or the board is too large or has too many
    /// queens.
    pub fn new(
        n: usize,
        queens: impl IntoIterator<Item = Square>,
    ) -> Result<Placement, PlacementError> {
        if n > Self::MAX_N {
            return Err(PlacementError::TooLarge(n));
        }
        let queens = queens.into_iter().take(Self::MAX_N + 1);
        let mut queens: Vec<Square> = queens.collect();
        if queens.len() > Self::MAX_N {
            return Err(PlacementError::TooMany);
        }
        queens.sort_unstable();
        for pair in queens.windows(2) {
            if pair[0] == pair[1] {
                return Err(PlacementError::Twice(pair[0]));
            }
        }
        match queens.iter().find(|q| q.row >= n || q.col >= n) {
            Some(&square) => Err(PlacementError::OffBoard { square, n }),
            None => Ok(Placement { n, queens }),
        }
    }

    /// Puts one queen in each row: `cols[row]` is its column. The board is as large as the
    /// slice is long.
    ///
    /// # Errors
    ///
    /// If a column is off the board, or the board is too large.
    pub fn from_cols(cols: &[usize]) -> Result<Placement, PlacementError> {
        Self::from_rows(cols.iter().copied().map(Some))
    }

    /// Puts at most one queen in each row; the board has as many rows as `rows`.
    ///
    /// # Errors
    ///
    /// If a column is off the board, or the board is too large.
    pub fn from_rows(
        rows: impl IntoIterator<Item = Option<usize>>,
    ) -> Result<Placement, PlacementError> {
        Self::try_from_rows(rows.into_iter().map(Ok))
    }

    /// The same for rows that may be errors. Stops at the size of the largest board.
    pub(crate) fn try_from_rows<E: From<PlacementError>>(
        rows: impl IntoIterator<Item = Result<Option<usize>, E>>,
    ) -> Result<Placement, E> {
        let mut n = 0;
        let mut queens = Vec::new();
        for (row, col) in rows.into_iter().enumerate() {
            n = row + 1;
            if n > Self::MAX_N {
                return Err(PlacementError::TooLarge(n).into());
            }
            queens.extend(col?.map(|col| Square { row, col }));
        }
        Ok(Self::new(n, queens)?)
    }

    /// A placement without queens, for a search that puts them there.
    pub(crate) fn buffer(n: usize) -> Placement {
        let queens = Vec::with_capacity(n.min(Self::MAX_N));
        Placement { n, queens }
    }

    /// The queens, for a search that keeps them on the board, sorted and each once.
    pub(crate) fn buffer_mut(&mut self) -> &mut Vec<Square> {
        &mut self.queens
    }

    /// The size of the board.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The queens, sorted by row, then column.
    pub fn queens(&self) -> &[Square] {
        &self.queens
    }

    /// The column of the queen of each row, if every row has exactly one.
    pub fn cols(&self) -> Option<Vec<usize>> {
        let one_each = self.queens.len() == self.n
            && self
                .queens
                .iter()
                .enumerate()
                .all(|(row, queen)| queen.row == row);
        one_each.then(|| self.queens.iter().map(|queen| queen.col).collect())
    }

    /// A row that holds two queens or more, if there is one.
    pub fn crowded_row(&self) -> Option<usize> {
        let crowded = self.queens.windows(2).find(|w| w[0].row == w[1].row);
        crowded.map(|pair| pair[0].row)
    }

    /// The placement as text in any format that can show it.
    ///
    /// `parse` reads back what is written. The exception is n = 0: in `board`, `unicode`, `csv` and
    /// `fen` it leaves too little text to detect. The last line has no line end.
    ///
    /// # Errors
    ///
    /// If a row holds two queens and the format can show only one.
    ///
    /// ```
    /// use queens::{Format, Placement, Square};
    ///
    /// let row = Placement::new(2, [Square::new(0, 0), Square::new(0, 1)])?;
    /// assert_eq!(row.display(Format::Board)?.to_string(), "Q Q\n. .");
    /// assert!(row.display(Format::Tuple).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn display(&self, format: Format) -> Result<Formatted<'_>, WriteError> {
        Formatted::placement(self, format)
    }
}

/// Writes the format `tuple`, or `fen` where a row holds two queens.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.display(Format::Tuple) {
            Ok(tuple) => tuple.fmt(f),
            Err(_) => self.display(Format::Fen).map_err(|_| fmt::Error)?.fmt(f),
        }
    }
}

/// Reads any of the seven formats.
impl FromStr for Placement {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Placement, ParseError> {
        parse(text).map(|(_, placement)| placement)
    }
}

impl From<&Solution> for Placement {
    fn from(solution: &Solution) -> Placement {
        Placement {
            n: solution.n(),
            queens: solution.queens().collect(),
        }
    }
}

impl From<Solution> for Placement {
    fn from(solution: Solution) -> Placement {
        Placement::from(&solution)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queens_are_sorted_whatever_order_they_come_in() {
        let there = Placement::new(3, [Square::new(2, 0), Square::new(0, 1)]).unwrap();
        let back = Placement::new(3, [Square::new(0, 1), Square::new(2, 0)]).unwrap();
        assert_eq!(there, back);
        assert_eq!(there.queens()[0], Square::new(0, 1));
    }

    #[test]
    fn squares_off_the_board_and_named_twice_are_refused() {
        let off = Placement::new(2, [Square::new(0, 2)]).unwrap_err();
        assert_eq!(off.to_string(), "the square (1, 3) is off the 2 by 2 board");
        let twice = Placement::new(2, [Square::new(1, 1), Square::new(1, 1)]).unwrap_err();
        assert_eq!(twice, PlacementError::Twice(Square::new(1, 1)));
        let huge = Placement::new(Placement::MAX_N + 1, []).unwrap_err();
        assert!(huge.to_string().contains("at most 10000000"));
        let many = (0..).map(|at| Square::new(at / 4_000, at % 4_000));
        assert_eq!(Placement::new(4_000, many), Err(PlacementError::TooMany));
        let rows = std::iter::repeat(None);
        let error = Placement::from_rows(rows).unwrap_err();
        assert_eq!(error, PlacementError::TooLarge(Placement::MAX_N + 1));
    }

    #[test]
    fn columns_are_given_only_where_every_row_has_one_queen() {
        let full = Placement::from_cols(&[1, 3, 0, 2]).unwrap();
        assert_eq!(full.cols(), Some(vec![1, 3, 0, 2]));
        let gap = Placement::from_rows([Some(1), None]).unwrap();
        assert_eq!(gap.cols(), None);
        assert_eq!(gap.crowded_row(), None);
        let crowd = Placement::new(2, [Square::new(1, 0), Square::new(1, 1)]).unwrap();
        assert_eq!(crowd.cols(), None);
        assert_eq!(crowd.crowded_row(), Some(1));
    }

    #[test]
    fn the_empty_board_is_a_placement() {
        let empty = Placement::from_cols(&[]).unwrap();
        assert_eq!((empty.n(), empty.cols()), (0, Some(vec![])));
    }
}
