//! A board as a question: given queens, blocked squares, a number of queens.
//!
//! The plain problem has one board for each `n`. People ask more: complete this position,
//! count without these squares, place only five queens on this board. A [`Board`] holds such
//! a question. Given queens stand where they are; no queen may stand on a blocked square, though
//! she may look across it; and `queens` is how many there are in the end, `n` by default.
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
//! [`compose`] makes puzzles for people: boards with exactly one answer.
//!
//! Memory is proportional to the number of given queens and blocked squares.

mod compose;
mod lines;
mod report;
mod text;

pub use compose::{compose, day};
pub(crate) use lines::{GivenLines, OpenRow};
pub use report::BoardReport;
pub use text::squares;

use std::fmt;

use crate::check;
use crate::line::Attack;
use crate::list::BoardSolutions;
use crate::origin::Origin;
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
    serde(try_from = "text::Fields", into = "text::Fields")
)]
pub struct Board {
    n: usize,
    /// Sorted by row, then column; no two attack each other.
    given: Vec<Square>,
    /// Sorted by row, then column, each once.
    blocked: Vec<Square>,
    queens: usize,
}

/// Why a board cannot be made.
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
    /// The name of a square cannot be read; see [`squares`].
    Name(String),
}

/// Counts from 1, with `{:#}` from 0.
impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = Origin::of(f);
        match self {
            BoardError::Placement(error) => error.fmt(f),
            BoardError::Attack(attack) => {
                write!(f, "the given queens on {}", attack.told(origin))
            }
            BoardError::GivenOnBlocked(square) => {
                let square = square.told(origin);
                write!(f, "the given queen on {square} stands on a blocked square")
            }
            BoardError::TooFewQueens { queens, given } => {
                let queens = match queens {
                    1 => "1 queen is".to_owned(),
                    _ => format!("{queens} queens are"),
                };
                let are = if *given == 1 { "is" } else { "are" };
                write!(f, "{queens} asked for, and {given} {are} given already")
            }
            BoardError::Ragged { row, squares, n } => write!(
                f,
                "row {} has {squares} square{}, and the board has {n} row{}",
                origin.number(*row),
                if *squares == 1 { "" } else { "s" },
                if *n == 1 { "" } else { "s" }
            ),
            BoardError::Symbol { symbol, square } => write!(
                f,
                "{symbol:?} on {} stands for no square: a board is made of . Q and #",
                square.told(origin)
            ),
            BoardError::Json(reason) => write!(f, "not a board in JSON: {reason}"),
            BoardError::Name(name) => write!(
                f,
                "`{name}` is no square: name a row and a column from 1, such as 1,4"
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
    /// The largest board that can have given queens, blocked squares or fewer queens than rows:
    /// ten million rows, as for a [`Placement`].
    pub const MAX_N: usize = Placement::MAX_N;

    /// The plain board: nothing given, nothing blocked, `n` queens to place.
    ///
    /// As with [`Count::new`](crate::Count::new), any `n` will do; whatever cannot handle a board
    /// so large refuses it:
    ///
    /// ```
    /// use queens::{Board, Count};
    ///
    /// let large = Board::new(usize::MAX);
    /// assert!(Count::on(&large).run().is_err());
    /// assert!(queens::solve(&large).is_err());
    /// let error = large.with_queens(8).unwrap_err().to_string();
    /// assert!(error.ends_with("is too large; at most 10000000 is accepted"));
    /// ```
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
    /// If a square is off the board, named twice or blocked, two queens attack each other, or the
    /// board is larger than [`Board::MAX_N`].
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
    /// If a square is off the board or holds a given queen, or if the board is larger than
    /// [`Board::MAX_N`] or would have more than so many blocked squares.
    pub fn with_blocked(
        mut self,
        squares: impl IntoIterator<Item = Square>,
    ) -> Result<Board, BoardError> {
        self.blocked.extend(squares);
        self.blocked.sort_unstable();
        self.blocked.dedup();
        // A placement checks that its squares are on the board.
        Placement::new(self.n, self.blocked.iter().copied())?;
        self.coherent()
    }

    /// Says how many queens stand on the board in the end, the given ones included.
    ///
    /// # Errors
    ///
    /// If more are given already, or if they are fewer than rows and the board is larger than
    /// [`Board::MAX_N`].
    pub fn with_queens(mut self, queens: usize) -> Result<Board, BoardError> {
        self.queens = queens;
        self.coherent()
    }

    fn coherent(self) -> Result<Board, BoardError> {
        let given = self.given.len();
        // More queens than rows are an easy question: they have no answer on any board.
        if self.n > Self::MAX_N && self.queens < self.n {
            return Err(PlacementError::TooLarge(self.n).into());
        }
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

    /// What the problem is called: `8-queens` on the plain board, `5 queens on 8 by 8, 1 given`
    /// on another.
    ///
    /// ```
    /// use queens::{Board, Square};
    ///
    /// assert_eq!(Board::new(8).problem(), "8-queens");
    /// let board = Board::new(8).with_queens(5)?;
    /// assert_eq!(board.problem(), "5 queens on 8 by 8");
    /// let board = board.with_given([Square::new(0, 3)])?;
    /// assert_eq!(board.problem(), "5 queens on 8 by 8, 1 given");
    /// # Ok::<(), queens::puzzle::BoardError>(())
    /// ```
    pub fn problem(&self) -> String {
        let n = self.n;
        if self.is_plain() {
            return format!("{n}-queens");
        }
        let plural = if self.queens == 1 { "" } else { "s" };
        let mut name = format!("{} queen{plural} on {n} by {n}", self.queens);
        for (count, what) in [(self.given.len(), "given"), (self.blocked.len(), "blocked")] {
            if count > 0 {
                name += &format!(", {count} {what}");
            }
        }
        name
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

    /// The first given queen that attacks a square, and along which line; a queen does not attack
    /// her own square.
    pub fn attack_by_given(&self, square: Square) -> Option<Attack> {
        let mut given = self.given.iter();
        given.find_map(|&queen| Attack::between(queen, square).filter(|_| queen != square))
    }

    /// Whether nothing is given, nothing is blocked, and `n` queens are to be placed.
    pub fn is_plain(&self) -> bool {
        self.given.is_empty() && self.blocked.is_empty() && self.queens == self.n
    }

    /// The squares of a row on which a queen can be added: neither blocked nor attacked by a
    /// given queen. None in the row of a given queen, and none in a row off the board.
    ///
    /// ```
    /// use queens::Board;
    ///
    /// let board: Board = "Q...\n...#\n....\n....".parse()?;
    /// let cols = |row| board.free_squares(row).map(|square| square.col).collect::<Vec<_>>();
    /// assert_eq!((cols(0), cols(1), cols(2), cols(4)), (vec![], vec![2], vec![1, 3], vec![]));
    /// # Ok::<(), queens::puzzle::BoardError>(())
    /// ```
    pub fn free_squares(&self, row: usize) -> impl Iterator<Item = Square> {
        // Without given queens no line is taken, so a large board needs no flags.
        let taken = (!self.given.is_empty()).then(|| GivenLines::new(self));
        let mut blocked = self.blocked.partition_point(|square| square.row < row);
        let cols = if row < self.n { self.n } else { 0 };
        (0..cols)
            .map(move |col| Square::new(row, col))
            .filter(move |&square| {
                if self.blocked.get(blocked) == Some(&square) {
                    blocked += 1;
                    return false;
                }
                !taken.as_ref().is_some_and(|taken| taken.attack(square))
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
        BoardReport::new(self, placement)
    }

    /// The answers to this board, one by one, in the lexicographic order of their tuples; an
    /// empty row comes before column 1. See [`BoardSolutions`].
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

    /// No matter how large: a board allocates nothing, and nothing overflows.
    #[test]
    fn a_board_of_any_size_can_be_made_and_questions_beyond_reach_are_refused() {
        for n in [Board::MAX_N + 1, 1 << 40, usize::MAX] {
            let large = || Board::new(n);
            let refused = Err(BoardError::Placement(PlacementError::TooLarge(n)));
            assert_eq!(large().with_given([]), refused);
            assert_eq!(large().with_blocked([]), refused);
            assert_eq!(large().with_queens(3), refused);
            if let Some(more) = n.checked_add(1) {
                let board = large().with_queens(more).unwrap();
                assert_eq!(board.solutions().next(), None);
                assert_eq!(crate::solve(&board), Ok(None));
            }
            assert_eq!(
                large().free_squares(n - 1).nth(2),
                Some(Square::new(n - 1, 2))
            );
            assert!(crate::Count::on(&large()).run().is_err());
            assert!(crate::solve(&large()).is_err());
            // As `queens::solutions` does, the search begins, whether or not it will ever end.
            let mut steps = 0;
            let search = large().solutions().next_while(|| {
                steps += 1;
                steps < 100
            });
            assert_eq!((search, steps), (std::ops::ControlFlow::Break(()), 100));
        }
        assert!(Board::new(Board::MAX_N).with_queens(3).is_ok());
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
            "0 queens are asked for, and 1 is given already"
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
        for row in [5, 6, usize::MAX] {
            assert_eq!(free(row), [] as [usize; 0], "row {row} is off the board");
            assert_eq!(Board::new(5).free_squares(row).next(), None);
        }
    }
}
