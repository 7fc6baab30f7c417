//! A board with a past: queens that are given, squares that are blocked, fewer queens.
//!
//! The plain problem has one board for each `n`. People ask more: complete this position,
//! count without these squares, place only five queens on this board. A [`Board`] holds such
//! a question. Given queens stand where they are; no queen may stand on a blocked square,
//! though she may look across it; and `queens` is how many there are in the end, `n` unless
//! somebody says otherwise.
//!
//! ```text
//! Q . . . .        a given queen
//! . . . # .        a blocked square
//! . . . . .        4 of the 5 rows still need a queen
//! . . # . .
//! . . . . .
//! ```
//!
//! A board that contradicts itself (two given queens that attack each other, a given queen
//! on a blocked square) is refused when it is made. A board that merely has no solution is
//! a good question, and gets its answer from whoever solves or counts it.
//!
//! Memory is proportional to the number of given queens and blocked squares.

use std::fmt;
use std::str::FromStr;

use crate::check;
use crate::line::{Attack, Line};
use crate::placement::{Placement, PlacementError, Square};

/// A board of size `n` with given queens and blocked squares.
///
/// ```
/// use queens::{Board, Square};
///
/// let board = Board::new(8)
///     .with_given([Square::new(0, 3)])?
///     .with_blocked([Square::new(1, 5), Square::new(7, 0)])?;
/// assert_eq!(board.queens(), 8);
///
/// // The same as text: `Q` is given, `#` is blocked, `.` is free.
/// let board: Board = "Q...\n...#\n....\n....".parse()?;
/// assert_eq!(board.given(), [Square::new(0, 0)]);
/// assert_eq!(board.blocked(), [Square::new(1, 3)]);
/// # Ok::<(), queens::puzzle::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    n: usize,
    /// Sorted by row, then column; no two attack each other.
    given: Vec<Square>,
    /// Sorted by row, then column, each once.
    blocked: Vec<Square>,
    queens: usize,
}

/// Why a board cannot be what somebody says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoardError {
    /// The board is too large, or a given queen or a blocked square is off it or named twice.
    Placement(PlacementError),
    /// Two given queens attack each other.
    Attack(Attack),
    /// A given queen stands on a blocked square.
    GivenOnBlocked(Square),
    /// Fewer queens are asked for than are given.
    TooFewQueens {
        /// How many are asked for.
        queens: usize,
        /// How many are given.
        given: usize,
    },
    /// A line of text is longer or shorter than the board is high.
    Ragged {
        /// The row, from 0.
        row: usize,
        /// How many squares it has.
        squares: usize,
        /// How many it should have.
        n: usize,
    },
    /// A character that stands for no square.
    Symbol {
        /// The character.
        symbol: char,
        /// Where it stands.
        square: Square,
    },
}

impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardError::Placement(error) => error.fmt(f),
            BoardError::Attack(attack) => write!(f, "the given queens on {attack}"),
            BoardError::GivenOnBlocked(square) => {
                write!(f, "the given queen on {square} stands on a blocked square")
            }
            BoardError::TooFewQueens { queens, given } => write!(
                f,
                "{queens} queens are asked for, and {given} are given already"
            ),
            BoardError::Ragged { row, squares, n } => write!(
                f,
                "row {} has {squares} squares, and the board has {n} rows",
                row + 1
            ),
            BoardError::Symbol { symbol, square } => write!(
                f,
                "{symbol:?} on {square} stands for no square: a board is made of . Q and #"
            ),
        }
    }
}

impl std::error::Error for BoardError {}

impl From<PlacementError> for BoardError {
    fn from(error: PlacementError) -> BoardError {
        BoardError::Placement(error)
    }
}

impl Board {
    /// The plain board: nothing given, nothing blocked, `n` queens to place.
    pub fn new(n: usize) -> Board {
        Board {
            n,
            given: Vec::new(),
            blocked: Vec::new(),
            queens: n,
        }
    }

    /// Puts given queens on the board, in addition to those that are there.
    ///
    /// # Errors
    ///
    /// If a square is off the board, named twice or blocked, or two queens attack each other.
    pub fn with_given(
        mut self,
        squares: impl IntoIterator<Item = Square>,
    ) -> Result<Board, BoardError> {
        let all = self.given.iter().copied().chain(squares);
        let placement = Placement::new(self.n, all)?;
        if let Some(attack) = check::check(&placement).attacks().next() {
            return Err(BoardError::Attack(attack));
        }
        self.given = placement.queens().to_vec();
        self.coherent()
    }

    /// Blocks squares, in addition to those that are blocked.
    ///
    /// # Errors
    ///
    /// If a square is off the board or holds a given queen.
    pub fn with_blocked(
        mut self,
        squares: impl IntoIterator<Item = Square>,
    ) -> Result<Board, BoardError> {
        self.blocked.extend(squares);
        self.blocked.sort_unstable();
        self.blocked.dedup();
        // A placement knows what is on the board.
        Placement::new(self.n, self.blocked.iter().copied())?;
        self.coherent()
    }

    /// Says how many queens stand on the board in the end, the given ones included.
    ///
    /// # Errors
    ///
    /// If more are given already.
    pub fn with_queens(mut self, queens: usize) -> Result<Board, BoardError> {
        self.queens = queens;
        self.coherent()
    }

    fn coherent(self) -> Result<Board, BoardError> {
        let given = self.given.len();
        if let Some(&square) = self.given.iter().find(|&&square| self.is_blocked(square)) {
            return Err(BoardError::GivenOnBlocked(square));
        }
        if self.queens < given {
            let queens = self.queens;
            return Err(BoardError::TooFewQueens { queens, given });
        }
        Ok(self)
    }

    /// The size of the board.
    pub fn n(&self) -> usize {
        self.n
    }

    /// How many queens stand on the board in the end, the given ones included.
    pub fn queens(&self) -> usize {
        self.queens
    }

    /// The given queens, sorted by row, then column.
    pub fn given(&self) -> &[Square] {
        &self.given
    }

    /// The blocked squares, sorted by row, then column.
    pub fn blocked(&self) -> &[Square] {
        &self.blocked
    }

    /// Whether no queen may stand on this square because it is blocked.
    pub fn is_blocked(&self, square: Square) -> bool {
        self.blocked.binary_search(&square).is_ok()
    }

    /// Whether nothing is given, nothing is blocked, and `n` queens are to be placed.
    pub fn is_plain(&self) -> bool {
        self.given.is_empty() && self.blocked.is_empty() && self.queens == self.n
    }

    /// The squares of a row on which a queen can be added: neither blocked nor attacked by a
    /// given queen. None in the row of a given queen.
    pub fn free_squares(&self, row: usize) -> impl Iterator<Item = Square> {
        let taken = GivenLines::new(self);
        let mut blocked = self.blocked.partition_point(|square| square.row < row);
        (0..self.n)
            .map(move |col| Square::new(row, col))
            .filter(move |&square| {
                if self.blocked.get(blocked) == Some(&square) {
                    blocked += 1;
                    return false;
                }
                !taken.attack(square)
            })
    }

    /// Whether a placement answers this board: the queens are as many as asked for, none
    /// attacks another, the given ones are there and none stands on a blocked square.
    ///
    /// ```
    /// use queens::{Board, Placement};
    ///
    /// let board: Board = ".Q..\n....\n....\n....".parse()?;
    /// let placement: Placement = "(2, 4, 1, 3)".parse().unwrap();
    /// assert!(board.is_answered_by(&placement));
    /// # Ok::<(), queens::puzzle::BoardError>(())
    /// ```
    pub fn is_answered_by(&self, placement: &Placement) -> bool {
        let queens = placement.queens();
        placement.n() == self.n
            && queens.len() == self.queens
            && self
                .given
                .iter()
                .all(|given| queens.binary_search(given).is_ok())
            && !queens.iter().any(|&queen| self.is_blocked(queen))
            && check::check(placement).is_peaceful()
    }
}

/// Which lines the given queens of a board take.
#[derive(Clone, Debug)]
pub(crate) struct GivenLines {
    n: usize,
    taken: [Vec<bool>; 4],
}

impl GivenLines {
    pub(crate) fn new(board: &Board) -> GivenLines {
        let n = board.n();
        let mut lines = GivenLines {
            n,
            taken: [n, n, 2 * n, 2 * n].map(|length| vec![false; length]),
        };
        for &queen in board.given() {
            for line in Line::ALL {
                let at = lines.place(line, queen);
                lines.taken[line as usize][at] = true;
            }
        }
        lines
    }

    /// The number of the line through a square, from 0.
    fn place(&self, line: Line, square: Square) -> usize {
        match line {
            Line::Diag => square.row + self.n - square.col,
            line => line.through(square) as usize,
        }
    }

    /// Whether a given queen stands on this line.
    pub(crate) fn takes(&self, line: Line, square: Square) -> bool {
        self.taken[line as usize][self.place(line, square)]
    }

    /// Whether a given queen stands on the square or attacks it.
    pub(crate) fn attack(&self, square: Square) -> bool {
        Line::ALL.into_iter().any(|line| self.takes(line, square))
    }
}

/// Reads rows of `.`, `Q` and `#`, one line each; blanks between squares, blank lines around
/// the board and carriage returns do not matter.
impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Board, BoardError> {
        let rows: Vec<&str> = text.trim_matches(['\n', '\r', ' ', '\t']).lines().collect();
        let n = if text.trim().is_empty() {
            0
        } else {
            rows.len()
        };
        let (mut given, mut blocked) = (Vec::new(), Vec::new());
        for (row, line) in rows.iter().enumerate().take(n) {
            let symbols: Vec<char> = line.chars().filter(|c| !c.is_whitespace()).collect();
            if symbols.len() != n {
                let squares = symbols.len();
                return Err(BoardError::Ragged { row, squares, n });
            }
            for (col, symbol) in symbols.into_iter().enumerate() {
                let square = Square::new(row, col);
                match symbol {
                    '.' => {}
                    'Q' => given.push(square),
                    '#' => blocked.push(square),
                    symbol => return Err(BoardError::Symbol { symbol, square }),
                }
            }
        }
        Board::new(n).with_given(given)?.with_blocked(blocked)
    }
}

/// Writes what [`FromStr`] reads, one line per row. The number of queens is not part of it.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut given, mut blocked) =
            (self.given.iter().peekable(), self.blocked.iter().peekable());
        for row in 0..self.n {
            let mut line = String::with_capacity(2 * self.n);
            for col in 0..self.n {
                let here = Square::new(row, col);
                line.push(if given.next_if_eq(&&here).is_some() {
                    'Q'
                } else if blocked.next_if_eq(&&here).is_some() {
                    '#'
                } else {
                    '.'
                });
                line.push(if col + 1 == self.n { '\n' } else { ' ' });
            }
            f.write_str(if row + 1 == self.n {
                line.trim_end()
            } else {
                &line
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(text: &str) -> Result<Board, BoardError> {
        text.parse()
    }

    #[test]
    fn text_goes_both_ways() {
        for text in ["", ".", "Q", "#", "Q . .\n. . #\n. # .", ". .\n# ."] {
            assert_eq!(board(text).unwrap().to_string(), text);
        }
        assert_eq!(board("\r\nQ.\r\n.#\r\n\n").unwrap().to_string(), "Q .\n. #");
    }

    #[test]
    fn a_board_that_contradicts_itself_is_refused() {
        let told = |result: Result<Board, BoardError>| result.unwrap_err().to_string();
        assert_eq!(
            told(board("Q..\n...\n..Q")),
            "the given queens on (1, 1) and (3, 3) attack each other on a falling diagonal"
        );
        assert_eq!(
            told(board("Q..\n..\n...")),
            "row 2 has 2 squares, and the board has 3 rows"
        );
        assert_eq!(
            told(board("Q.\n.x")),
            "'x' on (2, 2) stands for no square: a board is made of . Q and #"
        );
        let corner = Square::new(0, 0);
        let given = Board::new(3).with_given([corner]).unwrap();
        assert_eq!(
            told(given.clone().with_blocked([corner])),
            "the given queen on (1, 1) stands on a blocked square"
        );
        assert_eq!(
            told(given.clone().with_queens(0)),
            "0 queens are asked for, and 1 are given already"
        );
        assert_eq!(
            told(given.with_given([Square::new(0, 3)])),
            "the square (1, 4) is off the 3 by 3 board"
        );
    }

    #[test]
    fn free_squares_are_neither_blocked_nor_attacked() {
        let board = board("Q....\n..#..\n.....\n.#...\n.....").unwrap();
        let free = |row| {
            let squares = board.free_squares(row).map(|square| square.col);
            squares.collect::<Vec<_>>()
        };
        assert_eq!(free(0), [] as [usize; 0]);
        assert_eq!(free(1), [3, 4]);
        assert_eq!(free(2), [1, 3, 4]);
        assert_eq!(free(3), [2, 4]);
        assert_eq!(free(4), [1, 2, 3]);
    }
}
