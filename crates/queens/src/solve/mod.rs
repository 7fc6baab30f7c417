//! One solution of any board, fast, or the proof that there is none.
//!
//! Each method is for what it does best. The plain board has a formula
//! ([`crate::construct`]). A board with given queens or blocked squares is first given to
//! `local`, which mends a full board and is quick where solutions are many. If that does not
//! answer it soon, two searches take turns, each turn twice as long as the one before:
//! `weighted` also finds solutions where they are rare, and `exact` learns from
//! contradictions and can prove that there is none. Boards that are too large for these two
//! are left to `local`.
//!
//! Everything here is a pure function of the board and a seed.

mod exact;
mod local;
mod weighted;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::construct;
use crate::placement::{Placement, PlacementError, Square};
use crate::puzzle::Board;
use crate::random::Random;
use exact::{Exact, Verdict};
use local::Local;
use weighted::Weighted;

/// The largest board that is searched square by square, as the number of its squares. A free
/// one takes some 100 bytes in the exact search and 24 in the weighted one.
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
    /// The formula on the plain board, otherwise local and exact search in turns.
    #[default]
    Auto,
    /// Only exact search, which can prove that there is no solution.
    Exact,
    /// Only local search, which never ends on a board without a solution.
    Local,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 3] = [Method::Auto, Method::Exact, Method::Local];

    /// One word: `auto`, `exact` or `local`.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Exact => "exact",
            Method::Local => "local",
        }
    }

    /// One line of explanation.
    pub const fn summary(self) -> &'static str {
        match self {
            Method::Auto => "a formula for the plain board, otherwise both searches in turns",
            Method::Exact => "search that learns from contradictions; proves that there is none",
            Method::Local => "mends a full board; never ends where there is no solution",
        }
    }
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
        match self.method {
            Method::Local if local.is_none() => return Err(SolveError::FewerQueens),
            Method::Exact if !fits => return Err(SolveError::TooLarge { n }),
            _ if local.is_none() && !fits => return Err(SolveError::TooLarge { n }),
            _ => {}
        }
        let mut mended = 20 * n as u64 + 1_000;
        let mut mend = |local: &mut Local<'_>| {
            let found = local.search(mended, stop);
            mended *= 2;
            found.map(|queens| self.answer(queens))
        };
        // Most boards are easy, and this is all that they need: no memory for every square.
        if let Some(local) = &mut local
            && let Some(answer) = mend(local)
        {
            return Ok(Some(answer));
        }
        let mut weighted = match self.method {
            Method::Auto | Method::Local if fits => Weighted::new(board, seed()),
            _ => None,
        };
        let mut exact = match self.method {
            Method::Auto | Method::Exact if fits => Some(Exact::new(board, seed())),
            _ => None,
        };
        // About the same time for both.
        let (mut steps, mut conflicts) = (10_000, 200);
        loop {
            if let Some(weighted) = &mut weighted {
                if let Some(queens) = weighted.search(steps, stop) {
                    return Ok(Some(self.answer(queens)));
                }
            } else if let Some(local) = &mut local
                && let Some(answer) = mend(local)
            {
                return Ok(Some(answer));
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
            (2_000, &[Method::Local, Method::Auto]),
        ] {
            let board = random_board(n, n / 20, n, &mut random);
            for &method in methods {
                let answer = Solve::new(&board).method(method).run().unwrap().unwrap();
                assert!(board.is_answered_by(&answer), "n = {n}, {method:?}");
            }
        }
    }

    #[test]
    fn a_board_too_large_for_exact_search_is_left_to_the_local_one() {
        let n = 20_000;
        let board = Board::new(n)
            .with_blocked((0..n).map(|row| Square::new(row, row)))
            .and_then(|board| board.with_given([Square::new(5, 9_000), Square::new(6, 77)]))
            .unwrap();
        assert!(board.is_answered_by(&solve(&board).unwrap()));
        let refused = Solve::new(&board).method(Method::Exact).run();
        assert_eq!(refused, Err(SolveError::TooLarge { n }));
    }

    /// Each square is free with the chance that leaves `free` of them in a row.
    fn sparse_board(n: usize, free: u64, random: &mut Random) -> Board {
        let squares = (0..n * n).map(|at| Square::new(at / n, at % n));
        let blocked: Vec<Square> = squares.filter(|_| random.below(n as u64) >= free).collect();
        Board::new(n).with_blocked(blocked).unwrap()
    }

    #[test]
    fn boards_with_few_free_squares_are_solved_by_local_search() {
        let mut random = Random::new(11);
        let mut solvable = 0;
        for _ in 0..10 {
            // Boards on which the exact search answers in a moment.
            let board = sparse_board(24, 7, &mut random);
            let exact = Solve::new(&board).method(Method::Exact).run().unwrap();
            if exact.is_some() {
                let local = Solve::new(&board).method(Method::Local).run().unwrap();
                assert!(board.is_answered_by(&local.unwrap()), "{board}");
                solvable += 1;
            }
        }
        assert!(solvable > 3, "{solvable}");
        // And one that is too much for it.
        let board = sparse_board(60, 9, &mut random);
        let local = Solve::new(&board).method(Method::Local).run().unwrap();
        assert!(board.is_answered_by(&local.unwrap()), "{board}");
    }

    #[test]
    fn a_search_that_is_stopped_says_so() {
        let stop = AtomicBool::new(true);
        let board = Board::new(30).with_blocked([Square::new(0, 0)]).unwrap();
        let stopped = Solve::new(&board).stop(&stop).method(Method::Local).run();
        assert_eq!(stopped, Err(SolveError::Stopped));
    }
}
