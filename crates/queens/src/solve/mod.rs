//! One solution of any board, fast, or the proof that there is none.
//!
//! Each method is for what it does best. The plain board has a formula
//! ([`crate::construct`]), and fewer queens on it are a part of that solution. On any other
//! board `forced` first puts the queens that have no choice and matches rows with columns,
//! which proves at once that many boards have no solution. Then `local` mends a full board,
//! which is quick where solutions are many. If that does not answer soon, two searches take
//! turns, each turn twice as long as the one before: `weighted` also finds solutions where
//! they are rare, and `exact` learns from contradictions and can prove that there is none.
//! Boards that are too large for these two are left to `local`.
//!
//! Everything here is a pure function of the board and a seed.

mod exact;
mod forced;
mod local;
mod weighted;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::construct;
use crate::named::named;
use crate::placement::{Placement, PlacementError, Square};
use crate::puzzle::Board;
use crate::random::Random;
use exact::{Exact, Verdict};
use forced::Sight;
use local::Local;
use weighted::Weighted;

/// The largest board that is searched square by square, as the number of squares in rows and
/// columns without a given queen. A free square takes some 100 bytes in the exact search and 24 in
/// the weighted one.
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
/// let answer = solve(&board)?.expect("it has a solution");
/// assert!(board.is_answered_by(&answer));
///
/// let none: Board = "Q . .\n. . .\n. . .".parse()?;
/// assert_eq!(solve(&none)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the board is larger than [`Placement::MAX_N`]. It does not return while the answer is
/// unknown; [`Solve::stop`] ends a search.
pub fn solve(board: &Board) -> Result<Option<Placement>, SolveError> {
    Solve::new(board).run()
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
#[must_use = "nothing is searched until `run` is called"]
#[derive(Clone, Debug)]
pub struct Solve<'a> {
    board: &'a Board,
    seed: u64,
    method: Method,
    stop: Option<&'a AtomicBool>,
}

/// How to look for a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The formula where nothing is given or blocked, otherwise local search, then weighted
    /// and exact search in turns.
    #[default]
    Auto,
    /// Only exact search, which can prove that there is no solution. It takes some 100 bytes for
    /// each free square of a row and a column without a given queen.
    Exact,
    /// Only the local searches, plain and weighted, which never end on a board without a
    /// solution unless that is seen before any search.
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
            Method::Auto => {
                "a formula where nothing is given or blocked, otherwise all searches in turns"
            }
            Method::Exact => "search that learns from contradictions; proves that there is none",
            Method::Local => {
                "both local searches, which mend a full board; they cannot prove that there is none"
            }
        }
    }
}

named! {
    Method, "method",
    /// No method has this name.
    ///
    /// ```
    /// use queens::solve::Method;
    ///
    /// assert_eq!("exact".parse(), Ok(Method::Exact));
    /// assert_eq!(Method::Exact.to_string(), "exact");
    /// assert_eq!(
    ///     "other".parse::<Method>().unwrap_err().to_string(),
    ///     "no method is called \"other\"; there are auto, exact, local"
    /// );
    /// ```
    UnknownMethod
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// The stop flag was raised.
    Stopped,
    /// The board is too large for the exact search, if no other is allowed, or for any search.
    TooLarge {
        /// Its size.
        n: usize,
    },
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
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Chooses the method.
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Makes the search end soon after `stop` becomes true, with [`SolveError::Stopped`].
    pub fn stop(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Looks for a solution. `None` says that there is none.
    ///
    /// # Errors
    ///
    /// When the search was stopped, or the board is too large for the method.
    pub fn run(&self) -> Result<Option<Placement>, SolveError> {
        let board = self.board;
        let (n, queens) = (board.n(), board.queens());
        if queens > n {
            // Two of them would share a row.
            return Ok(None);
        }
        if n > Placement::MAX_N {
            return Err(SolveError::TooLarge { n });
        }
        if queens == board.given().len() {
            return Ok(Some(answer(board, [])));
        }
        let is_bare = board.given().is_empty() && board.blocked().is_empty();
        if self.method == Method::Auto && is_bare {
            if let Some(cols) = construct::cols(n) {
                let squares = cols.take(queens).enumerate().map(Square::from);
                return Ok(Some(answer(board, squares)));
            }
            if queens == n {
                return Ok(None);
            }
        }
        let never = AtomicBool::new(false);
        let stop = self.stop.unwrap_or(&never);
        match forced::look(board, stop) {
            Sight::Hopeless => Ok(None),
            Sight::Stopped => Err(SolveError::Stopped),
            Sight::Forced(forced) if forced.is_empty() => self.search(board, stop),
            Sight::Forced(forced) => match board.clone().with_given(forced) {
                Ok(board) => self.search(&board, stop),
                Err(error) => unreachable!("forced queens stand on free squares: {error}"),
            },
        }
    }

    /// Searches a board on which `forced` finds nothing more.
    fn search(&self, board: &Board, stop: &AtomicBool) -> Result<Option<Placement>, SolveError> {
        let n = board.n();
        let open = n - board.given().len();
        let fits = open.saturating_mul(open) <= MOST_SQUARES;
        if self.method == Method::Exact && !fits {
            return Err(SolveError::TooLarge { n });
        }
        let mut random = Random::new(self.seed);
        let mut seed = || Random::new(random.bits());
        let mut local = match self.method {
            Method::Exact => None,
            _ => Local::new(board, seed(), stop),
        };
        let mut mended = 20 * n as u64 + 1_000;
        let mut mend = |local: &mut Local<'_>| {
            let found = local.search(mended, stop);
            mended = mended.saturating_mul(2);
            found.map(|queens| answer(board, queens))
        };
        // Most boards are easy and need only this, which takes no memory for every square.
        if let Some(local) = &mut local
            && let Some(answer) = mend(local)
        {
            return Ok(Some(answer));
        }
        let mut weighted = match self.method {
            Method::Auto | Method::Local if fits => Weighted::new(board, seed(), stop),
            _ => None,
        };
        let mut exact = match self.method {
            Method::Auto | Method::Exact if fits => Exact::new(board, seed(), stop),
            _ => None,
        };
        // Both take about the same time.
        let (mut steps, mut conflicts) = (10_000u64, 200u64);
        loop {
            // If a search is missing because it was stopped, this returns first.
            if stop.load(Ordering::Relaxed) {
                return Err(SolveError::Stopped);
            }
            if let Some(weighted) = &mut weighted {
                if let Some(queens) = weighted.search(steps, stop) {
                    return Ok(Some(answer(board, queens)));
                }
            } else if let Some(local) = &mut local
                && let Some(answer) = mend(local)
            {
                return Ok(Some(answer));
            }
            if let Some(exact) = &mut exact {
                match exact.search(conflicts, stop) {
                    Verdict::Found(queens) => return Ok(Some(answer(board, queens))),
                    Verdict::None => return Ok(None),
                    Verdict::Unfinished => {}
                }
            }
            steps = steps.saturating_mul(2);
            conflicts = conflicts.saturating_mul(2);
        }
    }
}

/// The given queens of a board and those that were added.
fn answer(board: &Board, added: impl IntoIterator<Item = Square>) -> Placement {
    let queens = board.given().iter().copied().chain(added);
    match Placement::new(board.n(), queens) {
        Ok(placement) => placement,
        Err(error) => unreachable!("queens stand on squares of the board: {error}"),
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

    /// One queen left out may take several faults with her; some boards have no other solution.
    #[test]
    fn local_search_leaves_out_the_right_queens() {
        let mut boards = vec!["# . .\n# . #\n. # #".parse::<Board>().unwrap()];
        let mut random = Random::new(9);
        for round in 0..400 {
            let n = 3 + round % 5;
            boards.push(random_board(n, round % 2, n * n / 2, &mut random));
        }
        let mut found = 0;
        for board in boards {
            let most = board.n();
            let fewer = (1..most)
                .rev()
                .map(|queens| board.clone().with_queens(queens));
            for board in fewer.filter_map(Result::ok) {
                if brute_force(&board) > 0 {
                    let answer = Solve::new(&board).method(Method::Local).run().unwrap();
                    assert!(board.is_answered_by(&answer.unwrap()), "{board}");
                    found += 1;
                    break;
                }
            }
        }
        assert!(found > 300, "{found}");
    }

    #[test]
    fn more_queens_than_rows_have_no_solution() {
        for n in [6, 5_000, Placement::MAX_N + 1] {
            let board = Board::new(n).with_queens(n + 1).unwrap();
            assert_eq!(solve(&board), Ok(None), "n = {n}");
        }
    }

    #[test]
    fn what_cannot_be_answered_is_an_error_and_never_a_no() {
        let n = Placement::MAX_N + 1;
        let too_large = Err(SolveError::TooLarge { n });
        assert_eq!(solve(&Board::new(n)), too_large);
        // Such a board with fewer queens is refused when it is made.
        assert!(Board::new(n).with_queens(5).is_err());
    }

    #[test]
    fn fewer_queens_are_placed_on_boards_of_any_size() {
        for n in 0..8 {
            for queens in 0..=n {
                let board = Board::new(n).with_queens(queens).unwrap();
                let expected = brute_force(&board) > 0;
                for method in [Method::Auto, Method::Exact] {
                    let answer = Solve::new(&board).method(method).run().unwrap();
                    assert_eq!(answer.is_some(), expected, "{queens} on {n}, {method:?}");
                    assert!(answer.is_none_or(|answer| board.is_answered_by(&answer)));
                }
            }
        }
        let full_row = |n: usize| (0..n).map(|col| Square::new(7, col));
        for (n, queens) in [(5_000, 5), (5_000, 4_999), (4_000, 3_999), (20_000, 0)] {
            let bare = Board::new(n).with_queens(queens).unwrap();
            let given = bare.clone().with_queens(queens.max(1)).unwrap();
            let given = given.with_given([Square::new(3, 8)]).unwrap();
            let blocked = bare.clone().with_blocked(full_row(n)).unwrap();
            for board in [&bare, &given, &blocked] {
                let answer = solve(board).unwrap().unwrap();
                assert!(board.is_answered_by(&answer), "{queens} on {n}");
                let local = Solve::new(board).method(Method::Local).run();
                assert!(
                    board.is_answered_by(&local.unwrap().unwrap()),
                    "{queens} on {n}"
                );
            }
        }
        // No room for 4,999 queens.
        let blocked = Board::new(5_000).with_queens(4_999).unwrap();
        let blocked = blocked.with_blocked(full_row(5_000)).unwrap();
        let next = (0..5_000).map(|col| Square::new(4_000, col));
        assert_eq!(solve(&blocked.with_blocked(next).unwrap()), Ok(None));
    }

    #[test]
    fn lines_without_enough_squares_are_seen_on_boards_of_any_size() {
        let but = |n: usize, row: usize, free: &'static [usize]| {
            let cols = (0..n).filter(|col| !free.contains(col));
            cols.map(move |col| Square::new(row, col))
        };
        for n in [300, 4_001, 100_000] {
            let no_square = Board::new(n).with_blocked(but(n, 0, &[])).unwrap();
            let attacked = Board::new(n).with_given([Square::new(0, 0)]).unwrap();
            let attacked = attacked.with_blocked(but(n, 1, &[0, 1])).unwrap();
            let one_column = but(n, 3, &[70]).chain(but(n, 77, &[70]));
            let one_column = Board::new(n).with_blocked(one_column).unwrap();
            let two_columns = [5, 90, 200].map(|row| but(n, row, &[7, 260]));
            let two_columns = Board::new(n)
                .with_blocked(two_columns.into_iter().flatten())
                .unwrap();
            for board in [no_square, attacked, one_column, two_columns] {
                for method in Method::ALL {
                    let answer = Solve::new(&board).method(method).run();
                    assert_eq!(answer, Ok(None), "n = {n}, {method:?}");
                }
                // A quarter turn makes columns of rows.
                let turned = board.image(crate::Symmetry::Quarter);
                assert_eq!(solve(&turned), Ok(None), "n = {n}");
            }
        }
        // Sixteen rows share fifteen columns.
        let squares = (0..16).flat_map(|row| (0..285).map(move |col| Square::new(row, col)));
        let board = Board::new(300).with_blocked(squares.clone()).unwrap();
        assert_eq!(solve(&board), Ok(None));
        let fewer = board.clone().with_queens(299).unwrap();
        assert!(fewer.is_answered_by(&solve(&fewer).unwrap().unwrap()));
    }

    #[test]
    fn forced_queens_stand_in_every_solution() {
        let never = AtomicBool::new(false);
        let mut random = Random::new(21);
        let (mut forced_queens, mut hopeless) = (0, 0);
        for round in 0..2_000 {
            let n = 4 + round % 5;
            let board = random_board(n, round % 3, round % (n * n), &mut random);
            let mut solutions = board.solutions().peekable();
            match forced::look(&board, &never) {
                Sight::Hopeless => {
                    assert_eq!(solutions.next(), None, "{board}");
                    hopeless += 1;
                }
                Sight::Forced(forced) => {
                    forced_queens += usize::from(solutions.peek().is_some()) * forced.len();
                    for solution in solutions {
                        let stands = |queen| solution.queens().contains(queen);
                        assert!(forced.iter().all(stands), "{board}");
                    }
                }
                Sight::Stopped => panic!("nobody stopped it"),
            }
        }
        assert!(
            forced_queens > 100 && hopeless > 100,
            "{forced_queens}, {hopeless}"
        );
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
        assert!(board.is_answered_by(&solve(&board).unwrap().unwrap()));
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
        // And one that is too hard for it.
        let board = sparse_board(60, 9, &mut random);
        let local = Solve::new(&board).method(Method::Local).run().unwrap();
        assert!(board.is_answered_by(&local.unwrap()), "{board}");
    }

    #[test]
    fn a_search_that_is_stopped_says_so() {
        let stop = AtomicBool::new(true);
        let board = Board::new(30).with_blocked([Square::new(0, 0)]).unwrap();
        for method in Method::ALL {
            let stopped = Solve::new(&board).stop(&stop).method(method).run();
            assert_eq!(stopped, Err(SolveError::Stopped), "{method:?}");
        }
    }
}
