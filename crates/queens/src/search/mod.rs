//! The backtracking search, and the one stream of events that it emits.
//!
//! All seven course engines are this search on different boards: try the squares of a row
//! from left to right, place a queen on a free one, go on with the next row, undo. On the
//! way it tells an [`Observer`] what it does, and every trace, tree and picture is made
//! from these [`Event`]s, so that they cannot disagree with each other or with a count.
//!
//! An observer says in a constant how much it wants to hear. One that hears
//! [`Hears::Nothing`] costs nothing: the calls are gone before the compiler makes machine
//! code, and the search is the plain recursive function of the course documents.
//!
//! [`rows`] is the same search on a board with given queens, blocked squares and rows that may stay
//! empty. It emits these events too, and on the plain board exactly the same ones.
//!
//! For n = 4 the stream begins: enter row 0, try (0, 0) free, place, enter row 1, try
//! (1, 0) refused by queen 0 along the column, try (1, 1) refused by queen 0 along the
//! diagonal, try (1, 2) free, place, enter row 2, four refusals, dead end, leave row 2
//! with 0 solutions, undo (1, 2), try (1, 3) free, ...

pub mod rows;
pub mod trace;
pub mod tree;

pub use rows::walk_board;

use std::fmt;
use std::ops::ControlFlow;

use crate::board::{
    AttackCount, BitGrid, Bitmask, ByteGrid, Columns, FirstAttacker, Lines, Representation,
    SearchBoard,
};
use crate::count::Engine;
use crate::line::Attack;

/// What the search found when it tried a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// No queen attacks the square; a [`Event::Place`] follows.
    Free,
    /// The square is refused; this is the earliest queen that attacks it. Given queens stand
    /// before all others, so it may be one in this row or below.
    Refused(Attack),
    /// The square is blocked.
    Blocked,
}

/// One step of the search.
///
/// Rows, columns and queens are numbered from 0. The board handed over with an event is
/// as the event leaves it: a [`Event::Place`] comes with the queen already on it, an
/// [`Event::Undo`] with the queen already gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A node of the search tree: rows `0..row` are filled and `row` is begun.
    /// `row == n` means that all rows are filled, so the number of these events per row
    /// is the number of nodes per level. On a board with fewer queens than rows, a row that
    /// stays empty counts as filled.
    Enter {
        /// The row begun.
        row: usize,
    },
    /// A square is looked at, and it is free, refused or blocked.
    Try {
        /// The row of the square.
        row: usize,
        /// The column of the square.
        col: usize,
        /// Free, blocked, or refused and by whom.
        verdict: Verdict,
    },
    /// A queen was placed.
    Place {
        /// The row of the queen, which is also her number.
        row: usize,
        /// The column of the queen.
        col: usize,
    },
    /// A row is left empty, which boards with fewer queens than rows allow.
    Skip {
        /// The row.
        row: usize,
    },
    /// All queens stand; the board holds the solution.
    Solution,
    /// No square of this row is free, and it may not stay empty.
    DeadEnd {
        /// The row that cannot be filled.
        row: usize,
    },
    /// The search is done with this node; the pair of [`Event::Enter`].
    Leave {
        /// The row of the matching enter.
        row: usize,
        /// How many solutions were found below this node.
        solutions: u64,
    },
    /// The queen placed last was taken away; the pair of [`Event::Place`].
    Undo {
        /// The row of the queen.
        row: usize,
        /// The column of the queen.
        col: usize,
    },
    /// The search comes back to a row that was left empty; the pair of [`Event::Skip`].
    Unskip {
        /// The row.
        row: usize,
    },
}

impl Event {
    /// One word for what happened, the same in JSON, in Python and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Event::Enter { .. } => "enter",
            Event::Try { .. } => "try",
            Event::Place { .. } => "place",
            Event::Skip { .. } => "skip",
            Event::Solution => "solution",
            Event::DeadEnd { .. } => "dead-end",
            Event::Leave { .. } => "leave",
            Event::Undo { .. } => "undo",
            Event::Unskip { .. } => "unskip",
        }
    }
}

/// How much an observer wants to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hears {
    /// Nothing; the search is only a count.
    Nothing,
    /// [`Event::Solution`] alone.
    Solutions,
    /// Every event.
    Everything,
}

/// A listener to a search on a board of type `B`.
///
/// # Examples
///
/// A listener that needs every event is most easily a closure given to [`walk`] or
/// [`walk_on`]. Implement the trait to hear solutions only, at full speed:
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::board::{Bitmask, SearchBoard};
/// use queens::search::{Event, Hears, Observer, search};
///
/// struct FirstTwo(Vec<[usize; 8]>);
///
/// impl Observer<Bitmask> for FirstTwo {
///     const HEARS: Hears = Hears::Solutions;
///
///     fn event(&mut self, _solution: Event, board: &Bitmask) -> ControlFlow<()> {
///         let mut cols = [0; 8];
///         board.copy_cols(&mut cols);
///         self.0.push(cols);
///         if self.0.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
///     }
/// }
///
/// let mut first_two = FirstTwo(Vec::new());
/// let _stopped_early = search(&mut Bitmask::new(8), &mut first_two);
/// assert_eq!(first_two.0, [[0, 4, 7, 5, 2, 6, 1, 3], [0, 5, 7, 2, 6, 3, 1, 4]]);
/// ```
pub trait Observer<B> {
    /// How much to tell, fixed at compile time.
    const HEARS: Hears;

    /// Takes one event, with the board as it is now. `Break` ends the search at once:
    /// no further event follows and the board stays as it is.
    fn event(&mut self, event: Event, board: &B) -> ControlFlow<()>;

    /// Whether the node begun at `row` is to be searched. If not, nothing but its [`Event::Enter`]
    /// and its [`Event::Leave`], with 0 solutions, is told. Only observers that hear everything are
    /// asked, and never about a solution.
    fn opens(&self, _row: usize) -> bool {
        true
    }
}

/// The observer for when nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl<B> Observer<B> for Nobody {
    const HEARS: Hears = Hears::Nothing;

    fn event(&mut self, _event: Event, _board: &B) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A closure that hears everything.
struct Listener<F>(F);

impl<B, F: FnMut(Event, &B) -> ControlFlow<()>> Observer<B> for Listener<F> {
    const HEARS: Hears = Hears::Everything;

    fn event(&mut self, event: Event, board: &B) -> ControlFlow<()> {
        self.0(event, board)
    }
}

/// An observer together with whether it has asked to stop.
///
/// The search returns plain numbers and looks here after each call, rather than carrying a
/// `ControlFlow` up through every return: when nobody listens the look is compiled away,
/// and a returned pair would not be.
#[derive(Debug)]
pub struct Stage<O> {
    observer: O,
    stopped: bool,
}

impl<O> Stage<O> {
    /// A stage before its first event.
    pub fn new(observer: O) -> Self {
        Stage {
            observer,
            stopped: false,
        }
    }

    /// Whether the observer has asked to stop.
    #[inline(always)]
    pub fn stopped<B>(&self) -> bool
    where
        O: Observer<B>,
    {
        O::HEARS != Hears::Nothing && self.stopped
    }

    /// Tells an event to those who hear everything.
    #[inline(always)]
    pub fn tell<B>(&mut self, event: Event, board: &B)
    where
        O: Observer<B>,
    {
        if O::HEARS == Hears::Everything && !self.stopped {
            self.stopped = self.observer.event(event, board).is_break();
        }
    }

    /// Whether the node begun at `row` is to be searched.
    #[inline(always)]
    pub fn opens<B>(&self, row: usize) -> bool
    where
        O: Observer<B>,
    {
        O::HEARS != Hears::Everything || self.observer.opens(row)
    }

    /// Tells a solution to those who hear solutions or everything.
    #[inline(always)]
    pub fn tell_solution<B>(&mut self, board: &B)
    where
        O: Observer<B>,
    {
        if O::HEARS != Hears::Nothing && !self.stopped {
            self.stopped = self.observer.event(Event::Solution, board).is_break();
        }
    }

    /// Tells that a call for `row` begins. If there is nothing to search, because all rows are
    /// `full` or the observer wants no more rows, also tells that it ends and returns the number of
    /// solutions.
    #[inline(always)]
    pub fn begin<B>(&mut self, row: usize, full: bool, board: &B) -> Option<u64>
    where
        O: Observer<B>,
    {
        self.tell(Event::Enter { row }, board);
        if !full && self.opens(row) {
            return None;
        }
        if full {
            self.tell_solution(board);
        }
        let solutions = u64::from(full);
        self.tell(Event::Leave { row, solutions }, board);
        Some(solutions)
    }
}

impl<B, O: Observer<B>> Observer<B> for &mut O {
    const HEARS: Hears = O::HEARS;

    fn event(&mut self, event: Event, board: &B) -> ControlFlow<()> {
        (**self).event(event, board)
    }

    fn opens(&self, row: usize) -> bool {
        (**self).opens(row)
    }
}

/// A board that can be searched.
///
/// The provided method is the recursion of the course documents, asking the board square
/// by square. [`Bitmask`] replaces it, because its board answers for a whole row at once.
pub trait Search: SearchBoard + Sized {
    /// Searches `row` and all rows below it, and returns the number of solutions found.
    ///
    /// Rows `0..row` hold a queen each. The board is the same afterwards, unless the
    /// observer stopped the search.
    fn descend<O: Observer<Self>>(&mut self, row: usize, stage: &mut Stage<O>) -> u64 {
        let n = self.n();
        if let Some(solutions) = stage.begin(row, row == n, self) {
            return solutions;
        }
        let mut count = 0;
        let mut dead_end = true;
        for col in 0..n {
            if !self.is_free(row, col) {
                if O::HEARS == Hears::Everything {
                    let attack = self.attack(row, col);
                    let attack = attack.expect("a square that is not free is attacked");
                    let verdict = Verdict::Refused(attack);
                    stage.tell(Event::Try { row, col, verdict }, self);
                }
                continue;
            }
            dead_end = false;
            stage.tell(
                Event::Try {
                    row,
                    col,
                    verdict: Verdict::Free,
                },
                self,
            );
            if stage.stopped() {
                return count;
            }
            self.place(row, col);
            stage.tell(Event::Place { row, col }, self);
            count += self.descend(row + 1, stage);
            if stage.stopped() {
                return count;
            }
            self.remove(row, col);
            stage.tell(Event::Undo { row, col }, self);
        }
        if dead_end {
            stage.tell(Event::DeadEnd { row }, self);
        }
        stage.tell(
            Event::Leave {
                row,
                solutions: count,
            },
            self,
        );
        count
    }
}

/// Searches an empty board and tells the observer; `Break` if the observer stopped it,
/// otherwise the number of solutions.
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::board::{SearchBoard, Lines};
/// use queens::search::{Nobody, search};
///
/// assert_eq!(search(&mut Lines::new(6), Nobody), ControlFlow::Continue(4));
/// ```
pub fn search<B: Search, O: Observer<B>>(board: &mut B, observer: O) -> ControlFlow<(), u64> {
    let mut stage = Stage::new(observer);
    let count = board.descend(0, &mut stage);
    if stage.stopped() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(count)
    }
}

/// Tells every event of a search on a board of type `B` to a closure.
///
/// # Panics
///
/// When `n` is above the limit of the representation.
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::board::AttackCount;
/// use queens::search::{Event, walk};
///
/// // The square (3, 4) of the assignment's picture is attacked twice.
/// let mut attacks = Vec::new();
/// let _stopped = walk(4, |event, board: &AttackCount| {
///     if event == (Event::Place { row: 1, col: 3 }) {
///         attacks.push(board.b(3, 4));
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(attacks, [-1, -2]); // below (0, 0) and below (0, 1)
/// ```
pub fn walk<B: Search>(
    n: usize,
    listener: impl FnMut(Event, &B) -> ControlFlow<()>,
) -> ControlFlow<(), u64> {
    search(&mut B::new(n), Listener(listener))
}

/// Tells every event of a search on a representation chosen at run time.
///
/// # Panics
///
/// When `n` is above [`Representation::largest_n`].
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::board::Representation;
/// use queens::search::{Event, walk_on};
///
/// // Squares tried until the first solution of the 8-queens problem.
/// let mut tried = 0;
/// let _stopped = walk_on(Representation::Bitmask, 8, |event, _board| match event {
///     Event::Try { .. } => {
///         tried += 1;
///         ControlFlow::Continue(())
///     }
///     Event::Solution => ControlFlow::Break(()),
///     _ => ControlFlow::Continue(()),
/// });
/// assert_eq!(tried, 876);
/// ```
pub fn walk_on(
    representation: Representation,
    n: usize,
    listener: impl FnMut(Event, &dyn SearchBoard) -> ControlFlow<()>,
) -> ControlFlow<(), u64> {
    struct Walk<F>(F);
    impl<F: FnMut(Event, &dyn SearchBoard) -> ControlFlow<()>> OnBoard for Walk<F> {
        type Output = ControlFlow<(), u64>;

        fn run<B: Search + 'static>(mut self, mut board: B) -> Self::Output {
            search(
                &mut board,
                Listener(|event, board: &B| (self.0)(event, board)),
            )
        }
    }
    on_board(representation, n, Walk(listener))
}

/// A task for an empty board whose type is chosen at run time.
///
/// A closure cannot be generic over the type of its argument; this is one that can.
pub(crate) trait OnBoard {
    /// The result of the task.
    type Output;

    /// Does the task.
    fn run<B: Search + 'static>(self, board: B) -> Self::Output;
}

/// Does a task on an empty board of a representation: the one place where the names of the
/// representations become types.
///
/// # Panics
///
/// When `n` is above [`Representation::largest_n`].
pub(crate) fn on_board<T: OnBoard>(representation: Representation, n: usize, task: T) -> T::Output {
    match representation {
        Representation::ByteGrid => task.run(ByteGrid::new(n)),
        Representation::BitGrid => task.run(BitGrid::new(n)),
        Representation::Columns => task.run(Columns::new(n)),
        Representation::AttackCount => task.run(AttackCount::new(n)),
        Representation::FirstAttacker => task.run(FirstAttacker::new(n)),
        Representation::Lines => task.run(Lines::new(n)),
        Representation::Bitmask => task.run(Bitmask::new(n)),
    }
}

/// Why an engine cannot list or find solutions on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchError {
    /// The board is larger than the engine can hold.
    TooLarge {
        /// The engine.
        engine: Engine,
        /// The size asked for.
        n: usize,
        /// The largest size possible.
        largest: usize,
    },
    /// The engine counts without ever holding a whole solution.
    CountsOnly {
        /// The engine.
        engine: Engine,
    },
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::TooLarge { engine, n, largest } => {
                write!(f, "engine {engine} works up to n = {largest}, not {n}")
            }
            SearchError::CountsOnly { engine } => {
                write!(
                    f,
                    "engine {engine} only counts; it never holds a whole solution"
                )
            }
        }
    }
}

impl std::error::Error for SearchError {}
