//! What is known after some events: the queens, the row at work, the tallies.
//!
//! A [`State`] is built from events alone, and every event can be taken back as well as
//! applied: a `Place` is undone by removing the queen, an `Undo` by putting her back, and
//! a tally goes down where it went up. Going back therefore costs as little as going on,
//! and stepping back from any point gives the same state as replaying from the start,
//! which is what the player and the web page rely on and what a property test checks.
//!
//! A state knows the board that is searched, which is the plain one unless it has given queens,
//! blocked squares or rows that may stay empty. Given queens stand from the start.

use super::super::rows::{self, Choices};
use super::super::{Event, Verdict};
use crate::board::{AttackCount, Bitmask, ByteGrid, FirstAttacker, Lines, SearchBoard};
use crate::line::Attack;
use crate::placement::{Placement, Square};
use crate::puzzle::Board;
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
    /// Squares looked at: free, refused or blocked.
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
    /// rows were decided and the next one was begun, entry `n` the solutions.
    pub levels: Vec<u64>,
}

impl Stats {
    /// All tallies zero, for a board of size `n`.
    ///
    /// # Panics
    ///
    /// Above [`Placement::MAX_N`].
    pub fn new(n: usize) -> Self {
        assert!(
            n <= Placement::MAX_N,
            "no board is larger than {}",
            Placement::MAX_N
        );
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
            Event::Leave { .. } | Event::Skip { .. } | Event::Unskip { .. } => None,
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
    /// Attacked by a queen above it, or by a given one.
    Attacked,
    /// Blocked: no queen may stand there.
    Blocked,
    /// Neither attacked nor blocked.
    Free,
}

/// A representation that can show a moment of a search on any board.
///
/// The course documents fill a board from row 0 downwards. Given queens stand there before
/// that, and a row may stay empty.
pub trait Shown: SearchBoard {
    /// Puts a given queen on the board, before the search begins.
    fn give(&mut self, queen: Square) {
        self.place(queen.row, queen.col);
    }

    /// Takes note of what the search decided for a row; `given` says that the queen stands
    /// there already.
    fn decide(&mut self, row: usize, col: Option<usize>, given: bool) {
        if let (Some(col), false) = (col, given) {
            self.place(row, col);
        }
    }
}

impl Shown for ByteGrid {}
impl Shown for FirstAttacker {}
impl Shown for Lines {}

/// A queen placed by the search needs to mark the rows below only. A given one is met from
/// above as well.
impl Shown for AttackCount {
    fn give(&mut self, queen: Square) {
        self.place(queen.row, queen.col);
        self.mark_beside_and_above(queen.row, queen.col);
    }
}

/// The vectors are those of the queens above each row, given or not; what given queens below
/// attack is [`closed`](super::panel::closed) to a row.
impl Shown for Bitmask {
    fn give(&mut self, _queen: Square) {}

    fn decide(&mut self, row: usize, col: Option<usize>, _given: bool) {
        match col {
            Some(col) => self.place(row, col),
            None => self.skip(row),
        }
    }
}

/// The moment a search has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The size of the board.
    pub n: usize,
    /// The column of the queen in each row decided so far, from row 0: the partial solution. `None`
    /// if the row was left empty.
    pub cols: Vec<Option<usize>>,
    /// The row at work, which is also the depth of the recursion.
    pub row: usize,
    /// The event that led here; none before the first.
    pub last: Option<Event>,
    /// What has happened so far.
    pub stats: Stats,
    /// Shared, since states are copied often.
    board: Arc<Board>,
}

impl State {
    /// Before the first event on the plain board.
    ///
    /// # Panics
    ///
    /// Above [`Placement::MAX_N`].
    pub fn new(n: usize) -> Self {
        State::on(&Board::new(n))
    }

    /// Before the first event on a board.
    ///
    /// # Panics
    ///
    /// Above [`Placement::MAX_N`].
    pub fn on(board: &Board) -> Self {
        let n = board.n();
        State {
            n,
            cols: Vec::new(),
            row: 0,
            last: None,
            stats: Stats::new(n),
            board: Arc::new(board.clone()),
        }
    }

    /// The board that is searched.
    pub fn puzzle(&self) -> &Board {
        &self.board
    }

    /// Whether a square is blocked.
    pub fn is_blocked(&self, square: Square) -> bool {
        self.board.is_blocked(square)
    }

    /// Whether the search may put a queen on this square, in the next row to decide or one above.
    /// Squares further down or off the board are not free.
    ///
    /// ```
    /// use queens::Square;
    /// use queens::search::{Event, trace::State};
    ///
    /// let mut state = State::new(4);
    /// state.apply(Event::Place { row: 0, col: 1 });
    /// let free = |row, col| state.is_free(Square::new(row, col));
    /// assert!(free(1, 3) && !free(1, 2));
    /// assert!(!free(2, 0) && !free(4, 0) && !free(1, 4));
    /// ```
    pub fn is_free(&self, square: Square) -> bool {
        let decided_or_next = square.row <= self.cols.len();
        square.row.max(square.col) < self.n
            && decided_or_next
            && self.choices(square.row).place
            && !self.is_blocked(square)
            && self.attack(square).is_none()
    }

    /// What may become of a row, given what was decided for those above it.
    pub(super) fn choices(&self, row: usize) -> Choices {
        Choices::of(&self.board, &self.cols[..row])
    }

    /// The queen of a row, if she stands: placed, or given.
    pub fn queen(&self, row: usize) -> Option<usize> {
        self.cols.get(row).copied().flatten().or(self.given(row))
    }

    /// The given queen of a row.
    pub(super) fn given(&self, row: usize) -> Option<usize> {
        let given = self.board.given();
        let at = given.binary_search_by_key(&row, |queen| queen.row);
        at.ok().map(|at| given[at].col)
    }

    /// Goes one event on.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Place { col, .. } => self.cols.push(Some(col)),
            Event::Skip { .. } => self.cols.push(None),
            Event::Undo { .. } | Event::Unskip { .. } => {
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
            Event::Place { .. } | Event::Skip { .. } => {
                self.cols.pop();
            }
            Event::Undo { col, .. } => self.cols.push(Some(col)),
            Event::Unskip { .. } => self.cols.push(None),
            Event::Enter { row } => self.row = row.saturating_sub(1),
            Event::Leave { row, .. } => self.row = row,
            Event::Try { .. } | Event::Solution | Event::DeadEnd { .. } => {}
        }
        self.stats.revert(event);
        self.last = before;
    }

    /// A board of a representation that a style shows, with the queens of this moment, given ones
    /// included.
    ///
    /// # Panics
    ///
    /// When `n` is above the limit of the representation.
    pub fn board<B: Shown>(&self) -> B {
        let mut board = B::new(self.n);
        for &queen in self.board.given() {
            board.give(queen);
        }
        for (row, &col) in self.cols.iter().enumerate() {
            board.decide(row, col, self.given(row).is_some());
        }
        board
    }

    /// The earliest queen that attacks a square, and along which line: the first given one,
    /// wherever she stands, or else the first in the rows above.
    pub fn attack(&self, square: Square) -> Option<Attack> {
        self.attacks(square).next()
    }

    /// The attacks on a square by given queens and by those of the rows above, the earliest
    /// queen's first.
    pub(super) fn attacks(&self, square: Square) -> impl Iterator<Item = Attack> {
        rows::attacks(&self.board, &self.cols, square)
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
        let square = Square::new(row, col);
        if self.is_blocked(square) {
            Cell::Blocked
        } else if self.attack(square).is_some() {
            Cell::Attacked
        } else {
            Cell::Free
        }
    }
}
