//! One solution of any board, fast, or the proof that there is none.
//!
//! Three methods, each for what it does best. The plain board has a formula
//! ([`crate::construct`]). A board with given queens or blocked squares is given to two
//! searches that take turns, each turn twice as long as the one before: `local` mends a
//! full board and is quick where solutions are many, `exact` learns from contradictions and
//! can prove that there is no solution. Boards that are too large for the exact search are
//! left to the local one.
//!
//! Everything here is a pure function of the board and a seed.

mod exact;
mod local;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::construct;
use crate::placement::{Placement, PlacementError, Square};
use crate::puzzle::Board;
use crate::random::Random;
use exact::{Exact, Verdict};
use local::Local;

/// The largest number of squares for which the exact search finds memory: some 100 bytes each.
const MOST_SQUARES: usize = 16_000_000;

/// Finds a solution of a board, or proves that there is none.
///
/// ```
/// use queens::{Board, solve};
///
/// let board: Board = "\
///     . . . . . # . .
///     Q . . . . . . .
///     . . . . . . . .
///     . . . . . . . Q
///     . . . # . . . .
///     . . Q . . . . .
///     . . . . . . . .
///     . . . . . . . .".parse()?;
/// let answer = solve(&board).unwrap();
/// assert!(board.is_answered_by(&answer));
///
/// let none: Board = "Q . .\n. . .\n. . .".parse()?;
/// assert_eq!(solve(&none), None);
/// # Ok::<(), queens::puzzle::BoardError>(())
/// ```
pub fn solve(board: &Board) -> Option<Placement> {
    Solve::new(board).run().unwrap_or(None)
}

/// A search for one solution: the board and how to go about it.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use queens::{Board, Solve, SolveError};
///
/// let board = Board::new(50).with_queens(49)?;
/// let stop = AtomicBool::new(false);
/// let answer = Solve::new(&board).seed(7).stop(&stop).run()?;
/// assert_eq!(answer.unwrap().queens().len(), 49);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solve<'a> {
    board: &'a Board,
    seed: u64,
    method: Method,
    stop: Option<&'a AtomicBool>,
}

/// How to look for a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// The formula on the plain board, otherwise both searches in turns.
    #[default]
    Auto,
    /// Only the exact search, which can prove that there is no solution.
    Exact,
    /// Only the local search, which never ends on a board without a solution.
    Local,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// The stop flag was raised.
    Stopped,
    /// The board is too large for the exact search, or for any.
    TooLarge {
        /// Its size.
        n: usize,
    },
    /// The local search cannot leave rows empty.
    FewerQueens,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SolveError::Stopped => f.write_str("the search was stopped"),
            SolveError::TooLarge { n } if n > Placement::MAX_N => {
                PlacementError::TooLarge(n).fmt(f)
            }
            SolveError::TooLarge { n } => {
                write!(f, "a board of size {n} is too large for the exact search")
            }
            SolveError::FewerQueens => {
                f.write_str("the local search needs a queen in every row; use the exact one")
            }
        }
    }
}

impl std::error::Error for SolveError {}

impl<'a> Solve<'a> {
    /// A search on this board by the method that suits it.
    pub fn new(board: &'a Board) -> Self {
        Solve {
            board,
            seed: 1,
            method: Method::Auto,
            stop: None,
        }
    }

    /// Another seed may find another solution.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Chooses the method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Makes the search end soon after `stop` becomes true, with [`SolveError::Stopped`].
    #[must_use]
    pub fn stop(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Looks for a solution. `None` says that there is none.
    ///
    /// # Errors
    ///
    /// When the search was stopped, or the method does not suit the board.
    pub fn run(&self) -> Result<Option<Placement>, SolveError> {
        let board = self.board;
        if board.n() > Placement::MAX_N {
            return Err(SolveError::TooLarge { n: board.n() });
        }
        if self.method == Method::Auto && board.is_plain() {
            return Ok(construct::solution(board.n()).map(Placement::from));
        }
        let never = AtomicBool::new(false);
        let stop = self.stop.unwrap_or(&never);
        let n = board.n();
        let fits = n.saturating_mul(n) <= MOST_SQUARES;
        let mut random = Random::new(self.seed);
        let mut seed = || Random::new(random.bits());
        let mut local = match self.method {
            Method::Exact => None,
            _ => Local::new(board, seed()),
        };
        let mut exact = match self.method {
            Method::Local => None,
            _ => fits.then(|| Exact::new(board, seed())),
        };
        match (self.method, &local, &exact) {
            (Method::Local, None, _) => return Err(SolveError::FewerQueens),
            (_, None, None) => return Err(SolveError::TooLarge { n }),
            _ => {}
        }
        // The first turns are short: most boards are easy for one of the two.
        let (mut steps, mut conflicts) = (10 * n as u64 + 1_000, 200);
        loop {
            if let Some(local) = &mut local
                && let Some(queens) = local.search(steps, stop)
            {
                return Ok(Some(self.answer(queens)));
            }
            if let Some(exact) = &mut exact {
                match exact.search(conflicts, stop) {
                    Verdict::Found(queens) => return Ok(Some(self.answer(queens))),
                    Verdict::None => return Ok(None),
                    Verdict::Unfinished => {}
                }
            }
            if stop.load(Ordering::Relaxed) {
                return Err(SolveError::Stopped);
            }
            (steps, conflicts) = (2 * steps, 2 * conflicts);
        }
    }

    /// The given queens and those that were added.
    fn answer(&self, added: Vec<Square>) -> Placement {
        let queens = self.board.given().iter().copied().chain(added);
        match Placement::new(self.board.n(), queens) {
            Ok(placement) => placement,
            Err(error) => unreachable!("queens stand on squares of the board: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Board;

    /// All ways to place the queens of a board, one by one.
    fn brute_force(board: &Board) -> u64 {
        fn place(board: &Board, row: usize, queens: &mut Vec<Square>) -> u64 {
            if row == board.n() {
                return u64::from(queens.len() == board.queens());
            }
            if let Some(&given) = board.given().iter().find(|queen| queen.row == row) {
                queens.push(given);
                let peaceful = queens[..queens.len() - 1]
                    .iter()
                    .all(|&other| crate::Line::between(other, given).is_none());
                let found = if peaceful {
                    place(board, row + 1, queens)
                } else {
                    0
                };
                queens.pop();
                return found;
            }
            let mut found = place(board, row + 1, queens);
            for col in 0..board.n() {
                let square = Square::new(row, col);
                let free = !board.is_blocked(square)
                    && queens
                        .iter()
                        .all(|&queen| crate::Line::between(queen, square).is_none());
                if free {
                    queens.push(square);
                    found += place(board, row + 1, queens);
                    queens.pop();
                }
            }
            found
        }
        place(board, 0, &mut Vec::new())
    }

    /// A random board: some queens that do not attack each other, some blocked squares.
    fn random_board(n: usize, given: usize, blocked: usize, random: &mut Random) -> Board {
        let mut board = Board::new(n);
        let square = |random: &mut Random| {
            Square::new(
                random.below(n as u64) as usize,
                random.below(n as u64) as usize,
            )
        };
        for _ in 0..given {
            let at = square(random);
            board = board.clone().with_given([at]).unwrap_or(board);
        }
        for _ in 0..blocked {
            let at = square(random);
            board = board.clone().with_blocked([at]).unwrap_or(board);
        }
        board
    }

    #[test]
    fn small_boards_are_solved_exactly_when_brute_force_finds_something() {
        let mut random = Random::new(3);
        let (mut with, mut without) = (0, 0);
        for round in 0..600 {
            let n = 3 + round % 5;
            let mut board = random_board(n, round % 3, (round * 7) % (n * n / 2), &mut random);
            if round % 4 == 0 {
                let queens = n - 1 - random.below(2) as usize;
                board = board.clone().with_queens(queens).unwrap_or(board);
            }
            let expected = brute_force(&board) > 0;
            for method in [Method::Auto, Method::Exact] {
                let answer = Solve::new(&board).method(method).run().unwrap();
                assert_eq!(answer.is_some(), expected, "{method:?}:\n{board}");
                if let Some(answer) = answer {
                    assert!(board.is_answered_by(&answer), "{method:?}:\n{board}");
                }
            }
            with += u32::from(expected);
            without += u32::from(!expected);
        }
        assert!(
            with > 100 && without > 100,
            "{with} with, {without} without"
        );
    }

    #[test]
    fn more_queens_than_rows_have_no_solution() {
        let board = Board::new(6).with_queens(7).unwrap();
        assert_eq!(solve(&board), None);
    }

    #[test]
    fn large_boards_with_given_queens_are_solved_by_each_method() {
        let mut random = Random::new(5);
        for (n, methods) in [
            (60, &[Method::Exact, Method::Local][..]),
            (2_000, &[Method::Local]),
        ] {
            let board = random_board(n, n / 20, n, &mut random);
            for &method in methods {
                let answer = Solve::new(&board).method(method).run().unwrap().unwrap();
                assert!(board.is_answered_by(&answer), "n = {n}, {method:?}");
            }
        }
    }

    #[test]
    fn a_search_that_is_stopped_says_so() {
        let stop = AtomicBool::new(true);
        let board = Board::new(30).with_blocked([Square::new(0, 0)]).unwrap();
        let stopped = Solve::new(&board).stop(&stop).method(Method::Local).run();
        assert_eq!(stopped, Err(SolveError::Stopped));
    }
}
