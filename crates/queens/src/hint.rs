//! Hints for somebody who places queens by hand, with reasons that a person could find.
//!
//! The reasons come in the order in which one looks: two queens attack each other; a row or a
//! column has no free square left, or just one. If there is no such reason, the number of solutions
//! left decides ([`crate::extend`]): it picks the square that most of them use in the line with the
//! fewest free squares, or the queen who has to go because no solution is left with her. A [`Hint`]
//! is data; whoever shows it puts it into words.
//!
//! A hint costs a walk over the solutions that extend the placement and, if there are none, one
//! walk for each queen. If no queen is to blame alone, one more asks for the board without them.

use crate::check::check;
use crate::extend::{ExtendError, through_on};
use crate::line::{Attack, Line};
use crate::placement::{Placement, Square};
use crate::puzzle::Board;

/// What to do next, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// Nothing: this is a solution.
    Solved,
    /// Nothing: the board itself has no solution.
    Hopeless,
    /// Two queens attack each other.
    Clash {
        /// The attack.
        attack: Attack,
        /// The queen to take away: one that is not given.
        take: Square,
    },
    /// A queen stands on a blocked square and has to go.
    Blocked {
        /// Her square.
        take: Square,
    },
    /// The position cannot be finished.
    Lost {
        /// A line without a queen that has no free square, if that is the reason.
        full: Option<RowOrCol>,
        /// The queen whose removal leaves the most solutions, if removing one is enough.
        take: Option<Square>,
    },
    /// A line has one free square left.
    Forced {
        /// The line.
        line: RowOrCol,
        /// Its free square.
        place: Square,
    },
    /// The line with the fewest free squares, and the best of them.
    Best {
        /// The line.
        line: RowOrCol,
        /// How many squares of it are free.
        free: usize,
        /// How many of those are part of a solution.
        good: usize,
        /// The square that most solutions use.
        place: Square,
        /// How many use it.
        through: u64,
        /// How many solutions are left.
        solutions: u64,
    },
}

/// A whole row or a whole column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrCol {
    /// The row of this number, from 0.
    Row(usize),
    /// The column of this number, from 0.
    Column(usize),
}

impl RowOrCol {
    fn squares(self, n: usize) -> impl Iterator<Item = Square> {
        (0..n).map(move |k| match self {
            RowOrCol::Row(row) => Square::new(row, k),
            RowOrCol::Column(col) => Square::new(k, col),
        })
    }

    fn holds(self, square: Square) -> bool {
        match self {
            RowOrCol::Row(row) => square.row == row,
            RowOrCol::Column(col) => square.col == col,
        }
    }
}

/// A hint for `placement` on `board`. The placement may be wrong in any way. Given queens that it
/// leaves out count as placed.
///
/// # Errors
///
/// When the solutions cannot be counted: [`ExtendError`].
///
/// ```
/// use queens::hint::{Hint, RowOrCol, hint};
/// use queens::{Board, Placement, Square};
///
/// let one = Placement::new(4, [Square::new(0, 1)])?;
/// let next = hint(&Board::new(4), &one)?;
/// assert_eq!(next, Hint::Forced { line: RowOrCol::Row(1), place: Square::new(1, 3) });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hint(board: &Board, placement: &Placement) -> Result<Hint, ExtendError> {
    let n = board.n();
    let solutions = through_on(board, placement)?;
    let mut queens = placement.queens().to_vec();
    queens.extend(
        board
            .given()
            .iter()
            .filter(|at| !placement.queens().contains(at)),
    );
    let mine = || {
        queens
            .iter()
            .copied()
            .filter(|at| !board.given().contains(at))
    };
    let Ok(all) = Placement::new(n, queens.iter().copied()) else {
        unreachable!("both are on the board, and no square is named twice");
    };
    if board.is_answered_by(&all) {
        return Ok(Hint::Solved);
    }
    if let Some(take) = mine().find(|&at| board.is_blocked(at)) {
        return Ok(Hint::Blocked { take });
    }
    if let Some(attack) = check(&all).attacks().next() {
        // Given queens are at peace with each other, so one of the two is not given.
        let given = board.given().contains(&attack.second);
        let take = if given { attack.first } else { attack.second };
        return Ok(Hint::Clash { attack, take });
    }
    let is_free = |at: &Square| {
        let attacked = queens
            .iter()
            .any(|&queen| Line::between(queen, *at).is_some());
        !attacked && !board.is_blocked(*at)
    };
    // Rows and columns without a queen, and the squares of each that are free.
    let lines = (0..n)
        .map(RowOrCol::Row)
        .chain((0..n).map(RowOrCol::Column));
    let empty: Vec<(RowOrCol, Vec<Square>)> = lines
        .filter(|line| !queens.iter().any(|&queen| line.holds(queen)))
        .map(|line| (line, line.squares(n).filter(is_free).collect()))
        .collect();

    if solutions.solutions == 0 {
        let mut best = (0, None);
        for queen in mine() {
            let others = queens.iter().copied().filter(|&other| other != queen);
            let Ok(without) = Placement::new(n, others) else {
                continue;
            };
            let left = through_on(board, &without)?.solutions;
            if left > best.0 {
                best = (left, Some(queen));
            }
        }
        // The board may have no solution at all, whichever queens are on it.
        if best.1.is_none() {
            let bare = Placement::new(n, board.given().iter().copied());
            if bare.is_ok_and(|bare| through_on(board, &bare).is_ok_and(|all| all.solutions == 0)) {
                return Ok(Hint::Hopeless);
            }
        }
        let full = empty.iter().find(|(_, free)| free.is_empty());
        return Ok(Hint::Lost {
            full: full.map(|(line, _)| *line),
            take: best.1,
        });
    }
    // A solution is left and this is none yet, so some row is empty, and has a free square.
    let fewest = empty.iter().min_by_key(|(_, free)| free.len());
    let Some((line, free)) = fewest else {
        return Ok(Hint::Solved);
    };
    let through = |at: &Square| solutions.square(*at);
    let Some(&place) = free.iter().rev().max_by_key(|at| through(at)) else {
        return Ok(Hint::Hopeless);
    };
    if free.len() == 1 {
        return Ok(Hint::Forced { line: *line, place });
    }
    Ok(Hint::Best {
        line: *line,
        free: free.len(),
        good: free.iter().filter(|at| through(at) > 0).count(),
        place,
        through: through(&place),
        solutions: solutions.solutions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(n: usize, squares: &[(usize, usize)]) -> Placement {
        let squares = squares.iter().map(|&(row, col)| Square::new(row, col));
        Placement::new(n, squares).unwrap()
    }

    #[test]
    fn following_every_hint_ends_in_a_solution() {
        let blocked: Board =
            "...#....\n........\nQ.......\n........\n.....#..\n........\n........\n.#......"
                .parse()
                .unwrap();
        let plain = (4..=9).map(Board::new);
        for board in plain.chain([blocked]) {
            let mut squares = Vec::new();
            loop {
                let here = Placement::new(board.n(), squares.iter().copied()).unwrap();
                match hint(&board, &here).unwrap() {
                    Hint::Solved => break,
                    Hint::Forced { place, .. } | Hint::Best { place, .. } => squares.push(place),
                    other => panic!("{other:?} for\n{board}"),
                }
                assert!(squares.len() <= board.n());
            }
        }
    }

    #[test]
    fn a_lost_position_says_why_and_which_queen() {
        let board = Board::new(4);
        let full = hint(&board, &placed(4, &[(0, 0), (1, 2)])).unwrap();
        let Hint::Lost {
            full: Some(RowOrCol::Row(2)),
            take: None,
        } = full
        else {
            panic!("{full:?}");
        };
        // No solution for n = 6 uses a corner, but the board does not show it.
        let corner = hint(&Board::new(6), &placed(6, &[(0, 0)])).unwrap();
        let take = Some(Square::new(0, 0));
        assert_eq!(corner, Hint::Lost { full: None, take });
        assert_eq!(hint(&Board::new(3), &placed(3, &[])), Ok(Hint::Hopeless));
    }

    #[test]
    fn a_board_without_a_solution_is_hopeless_with_queens_on_it_too() {
        for n in [2, 3] {
            let queen = placed(n, &[(0, 0)]);
            assert_eq!(hint(&Board::new(n), &queen), Ok(Hint::Hopeless));
        }
        let board: Board = ".##.\n....\n....\n....".parse().unwrap();
        assert_eq!(hint(&board, &placed(4, &[(0, 0)])), Ok(Hint::Hopeless));
    }

    #[test]
    fn given_queens_stay_and_blocked_squares_are_not_free() {
        let board: Board = "Q.....\n......\n......\n......\n......\n......"
            .parse()
            .unwrap();
        assert_eq!(hint(&board, &placed(6, &[])), Ok(Hint::Hopeless));
        let board: Board = ".Q..\n....\n....\n...#".parse().unwrap();
        for queen in [(3, 1), (0, 0)] {
            let clash = hint(&board, &placed(4, &[queen])).unwrap();
            let Hint::Clash { take, .. } = clash else {
                panic!("{clash:?}");
            };
            assert_eq!(take, Square::new(queen.0, queen.1));
        }
        let on = hint(&board, &placed(4, &[(3, 3)])).unwrap();
        assert_eq!(
            on,
            Hint::Blocked {
                take: Square::new(3, 3)
            }
        );
        // Row 1 is the first row with one free square, even without the block.
        let board: Board = "....\n....\n....\n..##".parse().unwrap();
        let forced = hint(&board, &placed(4, &[(0, 2)])).unwrap();
        assert_eq!(
            forced,
            Hint::Forced {
                line: RowOrCol::Row(1),
                place: Square::new(1, 0)
            }
        );
        let best = hint(&board, &placed(4, &[])).unwrap();
        let Hint::Best {
            line: RowOrCol::Row(3),
            free: 2,
            good: 1,
            place,
            ..
        } = best
        else {
            panic!("{best:?}");
        };
        assert_eq!(place, Square::new(3, 1));
    }
}
