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
//! [`Count::on`](crate::Count::on) counts the answers of a board, [`Board::solutions`] lists
//! them, [`Board::first`] is the first of them, [`solve`](crate::solve()) finds any, and
//! [`Board::check`] says what is wrong with a placement that is none.
//!
//! Memory is proportional to the number of given queens and blocked squares.

use std::fmt;
use std::str::FromStr;

use crate::check;
use crate::json::{Object, ToJson};
use crate::line::{Attack, Line};
use crate::list::BoardSolutions;
use crate::placement::{Placement, PlacementError, Square};
use crate::symmetry::Symmetry;

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
///
/// With the feature `json`, on by default, the text may also be an object. Squares are pairs
/// of row and column from 0, and everything but `n` may be left out:
///
/// ```
/// # #[cfg(feature = "json")] {
/// use queens::Board;
///
/// let board: Board = r#"{"n":6,"given":[[0,1]],"blocked":[[3,4],[5,5]],"queens":5}"#.parse()?;
/// assert_eq!(board.queens(), 5);
/// assert_eq!(board.to_json(), r#"{"n":6,"queens":5,"given":[[0,1]],"blocked":[[3,4],[5,5]]}"#);
/// # }
/// # Ok::<(), queens::puzzle::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Fields", into = "Fields")
)]
pub struct Board {
    n: usize,
    /// Sorted by row, then column; no two attack each other.
    given: Vec<Square>,
    /// Sorted by row, then column, each once.
    blocked: Vec<Square>,
    queens: usize,
}

/// A board as JSON and serde have it, before anything is checked. A name that is none of
/// these is refused: a misspelt `blocked` would change the question.
#[cfg(any(feature = "json", feature = "serde"))]
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[serde(rename = "Board", deny_unknown_fields)]
struct Fields {
    n: usize,
    queens: Option<usize>,
    #[serde(default)]
    given: Vec<(usize, usize)>,
    #[serde(default)]
    blocked: Vec<(usize, usize)>,
}

#[cfg(any(feature = "json", feature = "serde"))]
impl TryFrom<Fields> for Board {
    type Error = BoardError;

    fn try_from(fields: Fields) -> Result<Board, BoardError> {
        let Fields {
            n,
            queens,
            given,
            blocked,
        } = fields;
        let board = Board::new(n)
            .with_given(given.into_iter().map(Square::from))?
            .with_blocked(blocked.into_iter().map(Square::from))?;
        match queens {
            Some(queens) => board.with_queens(queens),
            None => Ok(board),
        }
    }
}

#[cfg(feature = "serde")]
impl From<Board> for Fields {
    fn from(board: Board) -> Fields {
        let pairs = |squares: Vec<Square>| squares.into_iter().map(<(usize, usize)>::from);
        Fields {
            n: board.n,
            queens: Some(board.queens),
            given: pairs(board.given).collect(),
            blocked: pairs(board.blocked).collect(),
        }
    }
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
    /// Text that begins with `{` is no board in JSON.
    Json(String),
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
            BoardError::Json(reason) => write!(f, "not a board in JSON: {reason}"),
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
        self.check(placement).is_answer()
    }

    /// Judges a placement as an answer to this board: what is missing, what stands where it
    /// may not, who attacks whom.
    ///
    /// ```
    /// use queens::Board;
    ///
    /// let board: Board = ". Q . .\n. . . .\n. . . .\n# . . .".parse()?;
    /// let report = board.check(&"(3, 0, 4, 1)".parse().unwrap()).to_string();
    /// assert_eq!(report, "\
    /// 3 queens on the board, not 4
    /// the given queen on (1, 2) is missing
    /// the queen on (4, 1) stands on a blocked square");
    /// # Ok::<(), queens::puzzle::BoardError>(())
    /// ```
    pub fn check<'a>(&'a self, placement: &'a Placement) -> BoardReport<'a> {
        BoardReport {
            board: self,
            placement,
        }
    }

    /// The answers to this board, one by one, in the lexicographic order of their tuples (an
    /// empty row is 0, so it comes before column 1). See [`BoardSolutions`].
    ///
    /// ```
    /// use queens::Board;
    ///
    /// let board: Board = ". . . . . .\n. . . Q . .\n. . . . . .\n. . . . . .\n. . . . . .\n. . . . . .".parse()?;
    /// let answers: Vec<String> = board.solutions().map(|answer| answer.to_string()).collect();
    /// assert_eq!(answers, ["(2, 4, 6, 1, 3, 5)"]);
    ///
    /// let two = Board::new(3).with_queens(2)?; // two queens on a 3 by 3 board
    /// assert_eq!(two.solutions().count(), 8);
    /// # Ok::<(), queens::puzzle::BoardError>(())
    /// ```
    pub fn solutions(&self) -> BoardSolutions {
        BoardSolutions::new(self)
    }

    /// The first answer of [`Board::solutions`], or `None` when there is none. Where any
    /// answer will do, [`solve`](crate::solve()) is faster, above all on large boards.
    ///
    /// ```
    /// use queens::{Board, Square};
    ///
    /// let board = Board::new(8).with_blocked((0..4).map(|col| Square::new(0, col)))?;
    /// assert_eq!(board.first().unwrap().to_string(), "(5, 1, 4, 6, 8, 2, 7, 3)");
    /// # Ok::<(), queens::puzzle::BoardError>(())
    /// ```
    pub fn first(&self) -> Option<Placement> {
        self.solutions().next()
    }

    /// The board rotated or reflected.
    ///
    /// ```
    /// use queens::{Board, Symmetry};
    ///
    /// let board: Board = "Q .\n. #".parse()?;
    /// assert_eq!(board.image(Symmetry::LeftRight).to_string(), ". Q\n# .");
    /// # Ok::<(), queens::puzzle::BoardError>(())
    /// ```
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Board {
        let image = |squares: &[Square]| {
            let images = squares
                .iter()
                .map(|&square| symmetry.square(self.n, square));
            let mut images: Vec<Square> = images.collect();
            images.sort_unstable();
            images
        };
        Board {
            n: self.n,
            given: image(&self.given),
            blocked: image(&self.blocked),
            queens: self.queens,
        }
    }

    /// The symmetries that leave the board as it is, the identity first.
    pub fn symmetries(&self) -> impl Iterator<Item = Symmetry> {
        let all = Symmetry::ALL.into_iter();
        all.filter(|&symmetry| self.image(symmetry) == *self)
    }

    /// The board as a JSON object, as [`FromStr`] reads it.
    pub fn to_json(&self) -> String {
        self.object().end()
    }

    fn object(&self) -> Object {
        Object::new()
            .set("n", self.n)
            .set("queens", self.queens)
            .list("given", &self.given)
            .list("blocked", &self.blocked)
    }
}

impl ToJson for Board {
    fn write_json(&self, out: &mut Vec<u8>) {
        self.object().write_json(out);
    }
}

/// What [`Board::check`] says about a placement.
#[derive(Clone, Copy, Debug)]
pub struct BoardReport<'a> {
    board: &'a Board,
    placement: &'a Placement,
}

impl<'a> BoardReport<'a> {
    /// Whether the placement answers the board.
    pub fn is_answer(&self) -> bool {
        self.has_size()
            && self.has_queens()
            && self.missing().next().is_none()
            && self.on_blocked().next().is_none()
            && check::check(self.placement).is_peaceful()
    }

    /// Whether the placement is on a board of the same size.
    pub fn has_size(&self) -> bool {
        self.placement.n() == self.board.n
    }

    /// Whether there are as many queens as the board asks for.
    pub fn has_queens(&self) -> bool {
        self.placement.queens().len() == self.board.queens
    }

    /// The given queens that the placement lacks, sorted.
    pub fn missing(&self) -> impl Iterator<Item = Square> + use<'a> {
        let queens = self.placement.queens();
        let given = self.board.given.iter().copied();
        given.filter(move |given| queens.binary_search(given).is_err())
    }

    /// The queens that stand on blocked squares, sorted.
    pub fn on_blocked(&self) -> impl Iterator<Item = Square> + use<'a> {
        let board = self.board;
        let queens = self.placement.queens().iter().copied();
        queens.filter(move |&queen| board.is_blocked(queen))
    }

    /// Every pair of queens that attack each other, sorted; found one by one.
    pub fn attacks(&self) -> impl Iterator<Item = Attack> + use<'a> {
        check::check(self.placement).attacks()
    }
}

/// Says `an answer`, or what is wrong, a line each.
impl fmt::Display for BoardReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_answer() {
            return f.write_str("an answer");
        }
        let mut end = "";
        let mut line = |text: fmt::Arguments<'_>| {
            write!(f, "{end}{text}")?;
            end = "\n";
            Ok(())
        };
        let Board { n, queens, .. } = *self.board;
        if !self.has_size() {
            let size = self.placement.n();
            line(format_args!("a board of size {size}, not {n}"))?;
        }
        if !self.has_queens() {
            let stand = self.placement.queens().len();
            let s = if stand == 1 { "" } else { "s" };
            line(format_args!("{stand} queen{s} on the board, not {queens}"))?;
        }
        for square in self.missing() {
            line(format_args!("the given queen on {square} is missing"))?;
        }
        for square in self.on_blocked() {
            line(format_args!(
                "the queen on {square} stands on a blocked square"
            ))?;
        }
        for attack in self.attacks() {
            line(format_args!("{attack}"))?;
        }
        Ok(())
    }
}

/// A row without a given queen, on a board of up to 64 columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenRow {
    /// Its number.
    pub(crate) row: usize,
    /// Bit `c` is set where column `c` is neither blocked nor attacked by a given queen.
    pub(crate) free: u64,
}

impl Board {
    /// The rows without a given queen, from the top; `None` where a row is no word.
    pub(crate) fn open_rows(&self) -> Option<Vec<OpenRow>> {
        if self.n > u64::BITS as usize {
            return None;
        }
        let held: Vec<usize> = self.given.iter().map(|queen| queen.row).collect();
        let open = (0..self.n).filter(|row| held.binary_search(row).is_err());
        let free = |row| {
            self.free_squares(row)
                .fold(0, |set, square| set | 1 << square.col)
        };
        Some(
            open.map(|row| OpenRow {
                row,
                free: free(row),
            })
            .collect(),
        )
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
            lines.mark(queen, true);
        }
        lines
    }

    /// Takes the lines through a square, or gives them back.
    pub(crate) fn mark(&mut self, square: Square, taken: bool) {
        for line in Line::ALL {
            let at = self.place(line, square);
            self.taken[line as usize][at] = taken;
        }
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
/// the board and carriage returns do not matter. Text that begins with `{` is JSON.
impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Board, BoardError> {
        if text.trim_start().starts_with('{') {
            return from_json(text);
        }
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

/// Without the feature `json` nothing is read.
#[cfg(not(feature = "json"))]
fn from_json(_text: &str) -> Result<Board, BoardError> {
    let reason = "this program was built without the feature `json` that reads it";
    Err(BoardError::Json(reason.to_owned()))
}

#[cfg(feature = "json")]
fn from_json(text: &str) -> Result<Board, BoardError> {
    let fields: Fields = serde_json::from_str(text)
        .map_err(|error| BoardError::Json(crate::format::quoted(&error.to_string(), 200)))?;
    fields.try_into()
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
