//! Lines of the board, and attacks along them: the one rule of the game.
//!
//! Two queens attack each other when they share a row, a column, a `diag` (row - col) or an
//! `anti` (row + col). Two different squares share at most one line. The checker, the boards, the
//! traces and the pictures all use [`Line`] and [`Attack`].
//!
//! ```text
//! . . | . /      row     left and right of the queen
//! \ . | / .      column  above and below her
//! - - Q - -      diag    falls to the right, row - col stays the same
//! . / | \ .      anti    rises to the right, row + col stays the same
//! ```

use std::fmt;

use crate::origin::Origin;
use crate::placement::Square;

/// The kind of line on which two squares meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Line {
    /// The same row.
    Row,
    /// The same column.
    #[cfg_attr(feature = "serde", serde(rename = "col"))]
    Column,
    /// The same diagonal `row - col`, which falls to the right.
    Diag,
    /// The same anti-diagonal `row + col`, which rises to the right.
    Anti,
}

impl Line {
    /// All four kinds.
    pub const ALL: [Line; 4] = [Line::Row, Line::Column, Line::Diag, Line::Anti];

    /// One word: `row`, `col`, `diag` or `anti`.
    pub fn name(self) -> &'static str {
        match self {
            Line::Row => "row",
            Line::Column => "col",
            Line::Diag => "diag",
            Line::Anti => "anti",
        }
    }

    /// The number of the line of this kind through `square`: equal for two squares if and
    /// only if they share the line. That holds as far as rows and columns fit an `isize`; the
    /// numbers of squares further out wrap around.
    ///
    /// ```
    /// use queens::{Line, Square};
    ///
    /// let (a, b) = (Square::new(0, 4), Square::new(3, 7));
    /// assert_eq!(Line::Diag.through(a), Line::Diag.through(b));
    /// assert_ne!(Line::Anti.through(a), Line::Anti.through(b));
    /// ```
    pub fn through(self, square: Square) -> isize {
        let (row, col) = (square.row as isize, square.col as isize);
        match self {
            Line::Row => row,
            Line::Column => col,
            Line::Diag => row.wrapping_sub(col),
            Line::Anti => row.wrapping_add(col),
        }
    }

    /// The line on which two different squares meet, if there is one.
    ///
    /// ```
    /// use queens::{Line, Square};
    ///
    /// let queen = Square::new(0, 4);
    /// assert_eq!(Line::between(queen, Square::new(3, 7)), Some(Line::Diag));
    /// assert_eq!(Line::between(queen, Square::new(3, 1)), Some(Line::Anti));
    /// assert_eq!(Line::between(queen, Square::new(3, 4)), Some(Line::Column));
    /// assert_eq!(Line::between(queen, Square::new(3, 5)), None);
    /// ```
    pub fn between(a: Square, b: Square) -> Option<Line> {
        if a.row == b.row {
            Some(Line::Row)
        } else if a.col == b.col {
            Some(Line::Column)
        } else if a.row.abs_diff(b.row) != a.col.abs_diff(b.col) {
            None
        } else if (a.row < b.row) == (a.col < b.col) {
            Some(Line::Diag)
        } else {
            Some(Line::Anti)
        }
    }
}

/// Writes [`Line::name`].
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Two squares on one line: two queens that attack each other, or a queen and a square
/// that she attacks.
///
/// ```
/// use queens::{Attack, Line, Square};
///
/// let attack = Attack::between(Square::new(0, 1), Square::new(1, 2)).unwrap();
/// assert_eq!(attack.line, Line::Diag);
/// assert_eq!(
///     attack.to_string(),
///     "(1, 2) and (2, 3) attack each other on a falling diagonal"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attack {
    /// The queen that comes first by row, then column.
    pub first: Square,
    /// The other queen, or the square that the first one attacks.
    pub second: Square,
    /// The line they share. Two different squares share at most one.
    pub line: Line,
}

impl Attack {
    /// The attack from `first` on `second`, if they share a line.
    pub fn between(first: Square, second: Square) -> Option<Attack> {
        Line::between(first, second).map(|line| Attack {
            first,
            second,
            line,
        })
    }

    /// The number of the attacking queen. A search numbers its queens by their rows, from 0.
    pub fn queen(&self) -> usize {
        self.first.row
    }

    /// The attack in words, with rows and columns from `origin`.
    ///
    /// ```
    /// use queens::{Attack, Origin, Square};
    ///
    /// let attack = Attack::between(Square::new(0, 1), Square::new(2, 1)).unwrap();
    /// assert_eq!(attack.told(Origin::Zero), "(0, 1) and (2, 1) attack each other in column 1");
    /// ```
    pub fn told(&self, origin: Origin) -> String {
        let line = match self.line {
            Line::Row => format!("in row {}", origin.number(self.first.row)),
            Line::Column => format!("in column {}", origin.number(self.first.col)),
            Line::Diag => "on a falling diagonal".to_owned(),
            Line::Anti => "on a rising diagonal".to_owned(),
        };
        let (first, second) = (self.first.told(origin), self.second.told(origin));
        format!("{first} and {second} attack each other {line}")
    }
}

/// Writes it in words, counting from 1:
/// `(1, 2) and (2, 3) attack each other on a falling diagonal`. With `{:#}` it counts from 0.
impl fmt::Display for Attack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.told(Origin::of(f)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_squares_share_the_line_whose_numbers_agree() {
        let squares = || (0..36).map(|at| Square::new(at / 6, at % 6));
        for a in squares() {
            for b in squares().filter(|&b| b != a) {
                let shared = Line::ALL
                    .into_iter()
                    .filter(|line| line.through(a) == line.through(b));
                let shared: Vec<Line> = shared.collect();
                assert_eq!(shared, Vec::from_iter(Line::between(a, b)), "{a} and {b}");
            }
        }
    }

    #[test]
    fn squares_of_any_size_share_the_lines_that_they_share() {
        let most = usize::MAX;
        for (a, b, line) in [
            ((most, most), (0, 0), Some(Line::Diag)),
            ((most, most), (most - 1, 0), None),
            ((most, 0), (0, most), Some(Line::Anti)),
            ((most, 1), (1, 0), None),
            ((most, 5), (5, 5), Some(Line::Column)),
        ] {
            let [a, b] = [a, b].map(Square::from);
            assert_eq!(Line::between(a, b), line, "{a} and {b}");
            assert_eq!(Line::between(b, a), line, "{b} and {a}");
            for line in Line::ALL {
                line.through(a);
            }
        }
    }

    #[test]
    fn attacks_are_told_in_words() {
        let told = |row, col| {
            let attack = Attack::between(Square::new(0, 1), Square::new(row, col));
            attack.unwrap().to_string()
        };
        assert_eq!(told(0, 3), "(1, 2) and (1, 4) attack each other in row 1");
        assert_eq!(
            told(2, 1),
            "(1, 2) and (3, 2) attack each other in column 2"
        );
        assert_eq!(
            told(1, 2),
            "(1, 2) and (2, 3) attack each other on a falling diagonal"
        );
        assert_eq!(
            told(1, 0),
            "(1, 2) and (2, 1) attack each other on a rising diagonal"
        );
    }
}
