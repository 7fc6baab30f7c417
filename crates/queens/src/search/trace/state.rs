//! What is known after some events: the queens, the row at work, the tallies.
//!
//! A [`State`] is built from events alone, and every event can be taken back as well as
//! applied: a `Place` is undone by removing the queen, an `Undo` by putting her back, and
//! a tally goes down where it went up. Going back therefore costs as little as going on,
//! and stepping back from any point gives the same state as replaying from the start,
//! which is what the player and the web page rely on and what a property test checks.

use super::super::{Event, Verdict};
use crate::board::Board;
use crate::line::Attack;
use crate::placement::Square;
use crate::puzzle;
use std::sync::Arc;

/// How often each kind of step was taken.
///
/// ```
/// use queens::search::trace::{Stats, Trace};
/// use std::ops::ControlFlow;
///
/// let mut stats = Stats::new(8);
/// Trace::new(8).run(|event| {
///     stats.apply(event);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(stats.tried, 876);
/// # Ok::<(), queens::search::trace::TraceError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Events of any kind.
    pub events: u64,
    /// Squares looked at, free or refused.
    pub tried: u64,
    /// Queens placed.
    pub placements: u64,
    /// Rows begun without a free square.
    pub dead_ends: u64,
    /// Queens taken away again.
    pub undos: u64,
    /// Solutions found.
    pub solutions: u64,
    /// Nodes of the search tree per level: entry `k` is the number of times that `k`
    /// queens stood and the next row was begun, entry `n` the solutions.
    pub levels: Vec<u64>,
}

impl Stats {
    /// All tallies zero, for a board of size `n`.
    pub fn new(n: usize) -> Self {
        Stats {
            levels: vec![0; n + 1],
            ..Stats::default()
        }
    }

    /// The tally that an event changes, besides the number of events.
    fn tally(&mut self, event: Event) -> Option<&mut u64> {
        match event {
            Event::Enter { row } => self.levels.get_mut(row),
            Event::Try { .. } => Some(&mut self.tried),
            Event::Place { .. } => Some(&mut self.placements),
            Event::Solution => Some(&mut self.solutions),
            Event::DeadEnd { .. } => Some(&mut self.dead_ends),
            Event::Undo { .. } => Some(&mut self.undos),
            Event::Leave { .. } => None,
        }
    }

    /// Counts one event.
    pub fn apply(&mut self, event: Event) {
        self.events += 1;
        if let Some(tally) = self.tally(event) {
            *tally += 1;
        }
    }

    /// Takes one event back.
    pub fn revert(&mut self, event: Event) {
        self.events -= 1;
        if let Some(tally) = self.tally(event) {
            *tally -= 1;
        }
    }
}

/// How a square looks at one moment of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// A queen.
    Queen,
    /// The queen that refuses the square being tried.
    Culprit,
    /// The square being tried, and free.
    Tried,
    /// The square being tried, and refused.
    Refused,
    /// Attacked by a queen above it.
    Attacked,
    /// Blocked: no queen may stand there.
    Blocked,
    /// Not attacked by a queen above it.
    Free,
}

/// The moment a search has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The size of the board.
    pub n: usize,
    /// The column of each queen placed so far, from row 0: the partial solution.
    pub cols: Vec<usize>,
    /// The row at work, which is also the depth of the recursion.
    pub row: usize,
    /// The event that led here; none before the first.
    pub last: Option<Event>,
    /// What has happened so far.
    pub stats: Stats,
    /// The board with given queens and blocked squares, unless it is the plain one.
    board: Option<Arc<puzzle::Board>>,
}

impl State {
    /// Before the first event on a board with given queens and blocked squares.
    pub fn on(board: &Arc<puzzle::Board>) -> Self {
        State {
            board: (!board.is_plain()).then(|| board.clone()),
            ..State::new(board.n())
        }
    }

    /// The board, unless it is the plain one.
    pub fn puzzle(&self) -> Option<&Arc<puzzle::Board>> {
        self.board.as_ref()
    }

    /// Whether a square is blocked.
    pub fn is_blocked(&self, square: Square) -> bool {
        let board = self.board.as_ref();
        board.is_some_and(|board| board.is_blocked(square))
    }

    /// Whether a queen can be put on a square of the row at work.
    pub fn is_free(&self, square: Square) -> bool {
        !self.is_blocked(square) && self.attack(square).is_none()
    }

    /// The queen of a row, if she stands: placed, or given.
    pub fn queen(&self, row: usize) -> Option<usize> {
        let given = || {
            let given = self.board.as_ref()?.given();
            let at = given.binary_search_by_key(&row, |queen| queen.row);
            at.ok().map(|at| given[at].col)
        };
        self.cols.get(row).copied().or_else(given)
    }

    /// Before the first event.
    pub fn new(n: usize) -> Self {
        State {
            n,
            cols: Vec::with_capacity(n),
            row: 0,
            last: None,
            stats: Stats::new(n),
            board: None,
        }
    }

    /// Goes one event on.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Place { col, .. } => self.cols.push(col),
            Event::Undo { .. } => {
                self.cols.pop();
            }
            Event::Enter { row } => self.row = row,
            Event::Leave { row, .. } => self.row = row.saturating_sub(1),
            Event::Try { .. } | Event::Solution | Event::DeadEnd { .. } => {}
        }
        self.stats.apply(event);
        self.last = Some(event);
    }

    /// Goes one event back; `event` is the last one applied and `before` the one before it.
    pub fn revert(&mut self, event: Event, before: Option<Event>) {
        match event {
            Event::Place { .. } => {
                self.cols.pop();
            }
            Event::Undo { col, .. } => self.cols.push(col),
            Event::Enter { row } => self.row = row.saturating_sub(1),
            Event::Leave { row, .. } => self.row = row,
            Event::Try { .. } | Event::Solution | Event::DeadEnd { .. } => {}
        }
        self.stats.revert(event);
        self.last = before;
    }

    /// A board of any representation that holds the queens of this moment.
    ///
    /// # Panics
    ///
    /// When `n` is above the limit of the representation.
    pub fn board<B: Board>(&self) -> B {
        let mut board = B::new(self.n);
        for (row, &col) in self.cols.iter().enumerate() {
            board.place(row, col);
        }
        board
    }

    /// The earliest queen of the rows above that attacks a square, and along which line; where
    /// there is none, the first given queen that does.
    pub fn attack(&self, square: Square) -> Option<Attack> {
        let by_given = || self.board.as_ref()?.attack_by_given(square);
        self.attacks(square).next().or_else(by_given)
    }

    /// The attacks of the queens of the rows above on a square, the earliest first.
    pub(super) fn attacks(&self, square: Square) -> impl Iterator<Item = Attack> {
        let above = self.cols.iter().take(square.row).enumerate();
        above
            .map(|(row, &col)| Square::new(row, col))
            .filter_map(move |queen| Attack::between(queen, square))
    }

    /// How a square looks.
    ///
    /// ```
    /// use queens::search::trace::{Cell, State};
    /// use queens::search::Event;
    ///
    /// let mut state = State::new(4);
    /// state.apply(Event::Enter { row: 0 });
    /// state.apply(Event::Place { row: 0, col: 1 });
    /// assert_eq!(state.cell(0, 1), Cell::Queen);
    /// assert_eq!(state.cell(1, 2), Cell::Attacked);
    /// assert_eq!(state.cell(1, 3), Cell::Free);
    /// ```
    pub fn cell(&self, row: usize, col: usize) -> Cell {
        if let Some(Event::Try {
            row: r,
            col: c,
            verdict,
        }) = self.last
        {
            match verdict {
                Verdict::Free if (r, c) == (row, col) => return Cell::Tried,
                Verdict::Refused(_) if (r, c) == (row, col) => return Cell::Refused,
                Verdict::Blocked if (r, c) == (row, col) => return Cell::Refused,
                Verdict::Refused(attack)
                    if row == attack.queen() && self.queen(row) == Some(col) =>
                {
                    return Cell::Culprit;
                }
                _ => {}
            }
        }
        if self.queen(row) == Some(col) {
            return Cell::Queen;
        }
        match self.attack(Square::new(row, col)) {
            _ if self.is_blocked(Square::new(row, col)) => Cell::Blocked,
            Some(_) => Cell::Attacked,
            None => Cell::Free,
        }
    }
}
