//! The search on any board: given queens, blocked squares, rows that may stay empty.
//!
//! It decides one row after the other. Given queens stand before the search begins: squares
//! that they attack are refused from the first row on, and in the row of a given queen only her own
//! square is free. Blocked squares are refused too. If there are fewer queens than rows, a row may
//! stay empty as long as enough rows follow for the queens that are left; the search tries that
//! first, because lists of answers begin with it:
//!
//! ```text
//!   two queens on 3 by 3        row 0    row 1    row 2
//!   . . .                       empty    col 0    col 2    solution
//!   Q . .                       empty    col 2    col 0    solution
//!   . . Q                       col 0    empty    col 1    solution
//!                               ...
//! ```
//!
//! Once all queens stand, the rows that are left stay empty and no square is tried. The course
//! boards need none of this, and their searches are plainer and faster; on the plain board this one
//! tells exactly what they tell, as a test checks. It looks at all queens for each square, which is
//! quick enough for whatever a person looks at.

use std::ops::ControlFlow;

use super::{Event, Observer, Stage, Verdict};
use crate::board::Representation;
use crate::line::Attack;
use crate::placement::Square;
use crate::puzzle::Board;

/// The largest board, as for the boards of the course documents: each row is a function call.
pub const LARGEST_N: usize = Representation::Columns.largest_n();

/// The rows that a search on a board has decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows<'a> {
    board: &'a Board,
    cols: Vec<Option<usize>>,
}

impl<'a> Rows<'a> {
    /// Before the first row.
    ///
    /// # Panics
    ///
    /// When the board is larger than [`LARGEST_N`].
    pub fn new(board: &'a Board) -> Self {
        let n = board.n();
        assert!(n <= LARGEST_N, "this search ends at n = {LARGEST_N}");
        Rows {
            board,
            cols: Vec::with_capacity(n),
        }
    }

    /// The column of the queen in each row decided so far, `None` if the row stays empty.
    pub fn cols(&self) -> &[Option<usize>] {
        &self.cols
    }

    /// Searches all rows, tells the observer, and returns the number of solutions; `Break` if
    /// the observer stopped it.
    pub fn search<O: Observer<Self>>(&mut self, observer: O) -> ControlFlow<(), u64> {
        let mut stage = Stage::new(observer);
        let count = self.descend(&mut stage);
        match stage.stopped() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(count),
        }
    }

    fn descend<O: Observer<Self>>(&mut self, stage: &mut Stage<O>) -> u64 {
        let (n, row) = (self.board.n(), self.cols.len());
        let full = row == n && self.board.queens() <= n;
        if let Some(solutions) = stage.begin(row, full, self) {
            return solutions;
        }
        let choices = Choices::of(self.board, &self.cols);
        let mut count = 0;
        let mut dead_end = !choices.skip;
        if choices.skip {
            self.cols.push(None);
            stage.tell(Event::Skip { row }, self);
            count += self.descend(stage);
            if stage.stopped() {
                return count;
            }
            self.cols.pop();
            stage.tell(Event::Unskip { row }, self);
        }
        for col in 0..if choices.place { n } else { 0 } {
            let verdict = self.verdict(Square::new(row, col));
            stage.tell(Event::Try { row, col, verdict }, self);
            if stage.stopped() {
                return count;
            }
            if verdict != Verdict::Free {
                continue;
            }
            dead_end = false;
            self.cols.push(Some(col));
            stage.tell(Event::Place { row, col }, self);
            count += self.descend(stage);
            if stage.stopped() {
                return count;
            }
            self.cols.pop();
            stage.tell(Event::Undo { row, col }, self);
        }
        if dead_end {
            stage.tell(Event::DeadEnd { row }, self);
        }
        let solutions = count;
        stage.tell(Event::Leave { row, solutions }, self);
        count
    }

    fn verdict(&self, square: Square) -> Verdict {
        if self.board.is_blocked(square) {
            return Verdict::Blocked;
        }
        let attack = attacks(self.board, &self.cols, square).next();
        attack.map_or(Verdict::Free, Verdict::Refused)
    }
}

/// The attacks on a square, the earliest queen's first: by given queens wherever they stand,
/// then by those that the search has put into the rows above.
pub(crate) fn attacks(
    board: &Board,
    cols: &[Option<usize>],
    square: Square,
) -> impl Iterator<Item = Attack> {
    let given = board.given();
    let above = cols.iter().take(square.row).enumerate();
    let placed = above
        .filter_map(|(row, col)| col.map(|col| Square::new(row, col)))
        .filter(move |queen| given.binary_search(queen).is_err());
    let queens = given.iter().copied().chain(placed);
    queens
        .filter(move |&queen| queen != square)
        .filter_map(move |queen| Attack::between(queen, square))
}

/// What may become of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choices {
    /// It may stay empty.
    pub(crate) skip: bool,
    /// It may get a queen.
    pub(crate) place: bool,
}

impl Choices {
    /// The choices for the row after those decided.
    pub(crate) fn of(board: &Board, cols: &[Option<usize>]) -> Choices {
        let (n, row) = (board.n(), cols.len());
        // More queens than rows: no row is even begun.
        let Some(empty) = n.checked_sub(board.queens()) else {
            return Choices {
                skip: false,
                place: false,
            };
        };
        let left = empty - cols.iter().filter(|col| col.is_none()).count();
        let below = &board.given()[board.given().partition_point(|queen| queen.row < row)..];
        let given = below.first().is_some_and(|queen| queen.row == row);
        let open_below = (n - row - 1) - (below.len() - usize::from(given));
        Choices {
            skip: left > 0 && !given,
            place: given || left <= open_below,
        }
    }
}

/// Tells every event of the search on a board, with the rows decided so far.
///
/// # Panics
///
/// When the board is larger than [`LARGEST_N`].
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::Board;
/// use queens::search::{Event, walk_board};
///
/// let board: Board = ". # . .\n. . . .\n. . . .\n. . . .".parse()?;
/// let all = walk_board(&board, |_, _| ControlFlow::Continue(()));
/// assert_eq!(all, ControlFlow::Continue(1)); // (3, 1, 4, 2)
///
/// // Two queens on a board of 3 by 3: a row stays empty.
/// let mut first = Vec::new();
/// let _stopped = walk_board(&Board::new(3).with_queens(2)?, |event, cols| {
///     if event == Event::Solution {
///         first = cols.to_vec();
///         return ControlFlow::Break(());
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(first, [None, Some(0), Some(2)]);
/// # Ok::<(), queens::puzzle::BoardError>(())
/// ```
pub fn walk_board(
    board: &Board,
    mut listener: impl FnMut(Event, &[Option<usize>]) -> ControlFlow<()>,
) -> ControlFlow<(), u64> {
    let told = |event: Event, rows: &Rows<'_>| listener(event, rows.cols());
    Rows::new(board).search(super::Listener(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk_empty(n: usize) -> ControlFlow<(), u64> {
        let board = Board::new(n).with_queens(0).unwrap();
        walk_board(&board, |_, _| ControlFlow::Continue(()))
    }

    #[test]
    fn the_largest_board_is_searched() {
        assert_eq!(walk_empty(LARGEST_N), ControlFlow::Continue(1));
    }

    #[test]
    #[should_panic = "this search ends at n = 255"]
    fn a_board_with_more_rows_than_the_stack_has_room_for_is_refused() {
        let _never = walk_empty(100_000);
    }
}
