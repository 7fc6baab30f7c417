//! The solutions that extend a placement: some queens stand, how can the rest be placed?
//!
//! The queens given may stand in any rows. Each takes away a row, a column and two diagonals. What
//! is left of every other row is a set of squares, computed once. The search is then that of
//! [`crate::board::bitmask`], with this set as one more mask per row, so it never places a queen
//! that a given one attacks, and a row with a given queen costs nothing. If the queens already
//! attack each other, no solution extends them.
//!
//! [`extend_on`] does the same on a [`Board`]: it keeps the given queens too and leaves blocked
//! squares empty. Unlike in [`Board::solutions`], the placement may be wrong, as people's are.
//!
//! [`through`] walks over the extending solutions once and counts how many of them use each square:
//! the square with the largest number is the safest next move, and a free square with 0 is a trap
//! that no rule of chess shows.

use std::fmt;
use std::ops::ControlFlow;

use crate::check::check;
use crate::placement::{Placement, Square};
use crate::puzzle::Board;
use crate::solution::Solution;

/// The largest board: rows are 32-bit words.
pub const LARGEST_N: usize = 32;

/// Why a placement cannot be extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtendError {
    /// The board is larger than [`LARGEST_N`].
    TooLarge(usize),
    /// The board asks for a number of queens that does not fill every row.
    NotFull {
        /// How many queens it asks for.
        queens: usize,
        /// The size of the board.
        n: usize,
    },
    /// The board and the placement have different sizes.
    Sizes {
        /// The size of the board.
        board: usize,
        /// The size of the placement.
        placement: usize,
    },
}

impl fmt::Display for ExtendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExtendError::TooLarge(n) => {
                write!(f, "placements are extended up to n = {LARGEST_N}, not {n}")
            }
            ExtendError::NotFull { queens, n } => write!(
                f,
                "placements are extended to a queen in every row, {n} of them, not {queens}"
            ),
            ExtendError::Sizes { board, placement } => write!(
                f,
                "a placement on {placement} by {placement} does not fit a board of {board} by {board}"
            ),
        }
    }
}

impl std::error::Error for ExtendError {}

/// Shows every solution that holds all queens of `placement` to `visit`, in lexicographic
/// order, each in the same buffer.
///
/// Returns `Break` if `visit` stopped it, and otherwise the number of solutions.
///
/// # Errors
///
/// When the board is too large.
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::extend::extend;
/// use queens::{Placement, Square};
///
/// let corner = Placement::new(5, [Square::new(4, 4)])?;
/// let mut found = Vec::new();
/// let end = extend(&corner, |solution| {
///     found.push(solution.clone());
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(end, ControlFlow::Continue(2));
/// assert_eq!(found, [[1, 3, 0, 2, 4], [2, 0, 3, 1, 4]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn extend(
    placement: &Placement,
    visit: impl FnMut(&Solution) -> ControlFlow<()>,
) -> Result<ControlFlow<(), u64>, ExtendError> {
    extend_on(&Board::new(placement.n()), placement, visit)
}

/// Shows every solution of `board` that holds all queens of `placement` to `visit`, as
/// [`extend`] does. The placement may hold the given queens or leave them out.
///
/// # Errors
///
/// When the board is too large, does not ask for a queen in every row, or has another size than
/// the placement.
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::extend::extend_on;
/// use queens::{Board, Placement, Square};
///
/// let board: Board = "....#\n.....\n.....\n.....\nQ....".parse()?;
/// let mut found = Vec::new();
/// let _never_stopped = extend_on(&board, &Placement::new(5, [])?, |solution| {
///     found.push(solution.clone());
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(found, [[2, 4, 1, 3, 0], [3, 1, 4, 2, 0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn extend_on(
    board: &Board,
    placement: &Placement,
    visit: impl FnMut(&Solution) -> ControlFlow<()>,
) -> Result<ControlFlow<(), u64>, ExtendError> {
    let n = board.n();
    if n > LARGEST_N {
        return Err(ExtendError::TooLarge(n));
    }
    if board.queens() != n {
        let queens = board.queens();
        return Err(ExtendError::NotFull { queens, n });
    }
    if placement.n() != n {
        return Err(ExtendError::Sizes {
            board: n,
            placement: placement.n(),
        });
    }
    let mut queens = placement.queens().to_vec();
    queens.extend(
        board
            .given()
            .iter()
            .filter(|at| !placement.queens().contains(at)),
    );
    let peaceful =
        Placement::new(n, queens.iter().copied()).is_ok_and(|all| check(&all).is_peaceful());
    if !peaceful {
        return Ok(ControlFlow::Continue(0));
    }
    let mut open = open_squares(n, &queens);
    for square in board.blocked() {
        open[square.row] &= !(1 << square.col);
    }
    let mut search = Extension {
        open,
        solution: Solution::buffer(n),
        found: 0,
        visit,
    };
    Ok(match search.descend(0, 0, 0, 0) {
        ControlFlow::Continue(()) => ControlFlow::Continue(search.found),
        ControlFlow::Break(()) => ControlFlow::Break(()),
    })
}

/// The squares of each row that the search may use: the given queen's own, or in other rows those
/// that no given queen attacks.
fn open_squares(n: usize, queens: &[Square]) -> Vec<u32> {
    let full = ((1u64 << n) - 1) as u32;
    let mut open = vec![full; n];
    for (row, squares) in open.iter_mut().enumerate() {
        for queen in queens {
            if queen.row == row {
                *squares = 1 << queen.col;
                break;
            }
            let apart = queen.row.abs_diff(row);
            *squares &= !(1 << queen.col);
            if queen.col + apart < n {
                *squares &= !(1 << (queen.col + apart));
            }
            if queen.col >= apart {
                *squares &= !(1 << (queen.col - apart));
            }
        }
    }
    open
}

/// The search below the given queens.
struct Extension<F> {
    open: Vec<u32>,
    solution: Solution,
    found: u64,
    visit: F,
}

impl<F: FnMut(&Solution) -> ControlFlow<()>> Extension<F> {
    fn descend(&mut self, row: usize, down: u32, left: u32, right: u32) -> ControlFlow<()> {
        let Some(&open) = self.open.get(row) else {
            self.found += 1;
            return (self.visit)(&self.solution);
        };
        let mut possible = open & !(down | left | right);
        while possible != 0 {
            let place = possible & possible.wrapping_neg();
            self.solution.buffer_mut()[row] = place.trailing_zeros() as usize;
            // Bits shifted beyond the board meet no open square, so no mask is needed.
            self.descend(
                row + 1,
                down | place,
                (left | place) << 1,
                (right | place) >> 1,
            )?;
            possible ^= place;
        }
        ControlFlow::Continue(())
    }
}

/// How many solutions extend `placement`.
///
/// # Errors
///
/// When the board is too large.
///
/// ```
/// use queens::extend::count;
/// use queens::{Placement, Square};
///
/// assert_eq!(count(&Placement::new(8, [])?), Ok(92));
/// assert_eq!(count(&Placement::new(8, [Square::new(3, 3)])?), Ok(8));
/// # Ok::<(), queens::PlacementError>(())
/// ```
pub fn count(placement: &Placement) -> Result<u64, ExtendError> {
    let all = extend(placement, |_| ControlFlow::Continue(()))?;
    Ok(all.continue_value().unwrap_or_default())
}

/// The solutions that extend a placement, counted square by square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Through {
    n: usize,
    /// How many solutions extend the placement.
    pub solutions: u64,
    squares: Vec<u64>,
}

impl Through {
    /// How many of them have a queen on this square; 0 if it is off the board.
    pub fn square(&self, square: Square) -> u64 {
        match square.row.max(square.col) < self.n {
            true => self.squares[square.row * self.n + square.col],
            false => 0,
        }
    }

    /// The square outside `placement` that most solutions use; of equals, the first.
    pub fn best(&self, placement: &Placement) -> Option<Square> {
        (0..self.n * self.n)
            .map(|at| Square::new(at / self.n, at % self.n))
            .filter(|square| self.square(*square) > 0 && !placement.queens().contains(square))
            .rev()
            .max_by_key(|square| self.square(*square))
    }
}

/// Counts the solutions that extend `placement`, and how many of them use each square.
///
/// # Errors
///
/// When the board is too large.
///
/// ```
/// use queens::extend::through;
/// use queens::{Placement, Square};
///
/// let empty = Placement::new(6, [])?;
/// let through = through(&empty)?;
/// assert_eq!(through.solutions, 4);
/// assert_eq!(through.square(Square::new(0, 0)), 0); // no solution uses the corner
/// assert_eq!(through.square(Square::new(0, 1)), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn through(placement: &Placement) -> Result<Through, ExtendError> {
    through_on(&Board::new(placement.n()), placement)
}

/// Counts the solutions of `board` that extend `placement`, and how many of them use each square.
///
/// # Errors
///
/// Those of [`extend_on`].
///
/// ```
/// use queens::extend::through_on;
/// use queens::{Board, Placement, Square};
///
/// let board = Board::new(6).with_blocked([Square::new(0, 1)])?;
/// let through = through_on(&board, &Placement::new(6, [])?)?;
/// assert_eq!(through.solutions, 3);
/// assert_eq!(through.square(Square::new(0, 1)), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn through_on(board: &Board, placement: &Placement) -> Result<Through, ExtendError> {
    let n = placement.n();
    let mut squares = vec![0; if n > LARGEST_N { 0 } else { n * n }];
    let mut solutions = 0;
    let _never_stopped = extend_on(board, placement, |solution| {
        solutions += 1;
        for queen in solution.queens() {
            squares[queen.row * n + queen.col] += 1;
        }
        ControlFlow::Continue(())
    })?;
    Ok(Through {
        n,
        solutions,
        squares,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, List};

    fn solutions(n: usize) -> Vec<Solution> {
        let mut all = Vec::new();
        let _ = List::new(n).engine(Engine::Columns).visit(|solution| {
            all.push(solution.clone());
            ControlFlow::Continue(())
        });
        all
    }

    fn holds(solution: &Solution, queens: &[Square]) -> bool {
        queens.iter().all(|queen| solution[queen.row] == queen.col)
    }

    #[test]
    fn extensions_of_every_pair_are_the_listed_solutions_that_hold_it() {
        for n in 1..=6 {
            let all = solutions(n);
            let squares: Vec<_> = (0..n * n).map(|at| Square::new(at / n, at % n)).collect();
            for (i, &a) in squares.iter().enumerate() {
                for &b in &squares[i + 1..] {
                    let pair = Placement::new(n, [a, b]).unwrap();
                    let mut found = Vec::new();
                    let _ = extend(&pair, |solution| {
                        found.push(solution.clone());
                        ControlFlow::Continue(())
                    });
                    let expected: Vec<_> = all.iter().filter(|s| holds(s, &[a, b])).collect();
                    assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn every_square_is_counted_as_often_as_it_is_used() {
        for n in 1..=8 {
            let through = through(&Placement::new(n, []).unwrap()).unwrap();
            let all = solutions(n);
            assert_eq!(through.solutions, all.len() as u64);
            for square in (0..n * n).map(|at| Square::new(at / n, at % n)) {
                let uses = all.iter().filter(|s| holds(s, &[square])).count();
                assert_eq!(through.square(square), uses as u64, "n = {n}, {square}");
            }
        }
    }

    #[test]
    fn the_best_square_is_new_and_leaves_the_most_solutions() {
        let placement = Placement::new(8, [Square::new(0, 0)]).unwrap();
        let through = through(&placement).unwrap();
        let best = through.best(&placement).unwrap();
        assert_ne!(best, Square::new(0, 0));
        let next = Placement::new(8, [Square::new(0, 0), best]).unwrap();
        assert_eq!(count(&next), Ok(through.square(best)));
        let full = Placement::from_cols(&[1, 3, 0, 2]).unwrap();
        assert_eq!(super::through(&full).unwrap().best(&full), None);
    }

    #[test]
    fn queens_that_attack_each_other_and_boards_too_large_are_answered() {
        let clash = Placement::new(8, [Square::new(0, 0), Square::new(7, 7)]).unwrap();
        assert_eq!(count(&clash), Ok(0));
        let crowded = Placement::new(8, [Square::new(2, 0), Square::new(2, 7)]).unwrap();
        assert_eq!(count(&crowded), Ok(0));
        let empty = Placement::new(0, []).unwrap();
        assert_eq!(count(&empty), Ok(1));
        let large = Placement::new(33, []).unwrap();
        assert_eq!(count(&large), Err(ExtendError::TooLarge(33)));
        let diagonal = Placement::new(32, [Square::new(0, 31)]).unwrap();
        assert!(
            extend(&diagonal, |_| ControlFlow::Break(()))
                .unwrap()
                .is_break()
        );
    }

    #[test]
    fn a_board_is_extended_by_the_answers_that_hold_the_placement() {
        let board: Board = "..#....\n.......\n....#..\n.......\n.......\nQ......\n......."
            .parse()
            .unwrap();
        let answers: Vec<Placement> = board.solutions().collect();
        assert!(answers.len() > 1);
        for at in (0..49).map(|at| Square::new(at / 7, at % 7)) {
            let one = Placement::new(7, [at]).unwrap();
            let expected = answers
                .iter()
                .filter(|answer| answer.queens().contains(&at))
                .count();
            let through = through_on(&board, &one).unwrap();
            assert_eq!(through.solutions, expected as u64, "{at}");
        }
        let all = through_on(&board, &Placement::new(7, []).unwrap()).unwrap();
        assert_eq!(all.solutions, answers.len() as u64);
        let five = Board::new(6).with_queens(5).unwrap();
        let none = Placement::new(6, []).unwrap();
        assert_eq!(
            through_on(&five, &none),
            Err(ExtendError::NotFull { queens: 5, n: 6 })
        );
        assert!(through_on(&Board::new(7), &none).is_err());
    }
}
