//! All solutions, one after another, in lexicographic order.
//!
//! A search fills rows from the top and tries columns from the left, so it meets the
//! solutions in the order of their tuples; nothing is stored or sorted. There are two ways to get
//! them:
//!
//! * [`solutions`] is an iterator, for `for` loops. It works for every `n`, can be put aside
//!   and sent to another thread, and each solution is a value of its own.
//! * [`List`] shows each solution to a closure, as a reference to one buffer, so that
//!   nothing is allocated. It is the search of [`crate::search`] on the board of an
//!   [`Engine`] of your choice, with an observer that hears solutions only, and runs at
//!   nearly the speed of a count by that engine.
//!
//! A [`Board`] with given queens and blocked squares has its own iterator,
//! [`Board::solutions`], and its own visitor, [`List::on`]. Both give placements, since there
//! may be fewer queens than rows.
//!
//! A benchmark holds the iterator within twice the time of the visitor on the fastest board.

mod iter;
mod on_board;

use std::ops::ControlFlow;

pub use iter::{Solutions, solutions};
pub use on_board::{BoardSolutions, ListOn};

use crate::count::{ENGINES, Engine};
use crate::puzzle::Board;
use crate::search::{Event, Hears, Observer, OnBoard, Search, SearchError, on_board, search};
use crate::solution::Solution;

/// A listing by a visitor, with an engine of your choice.
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::{Engine, List};
///
/// let mut corners = 0;
/// let end = List::new(8).engine(Engine::Lines).visit(|solution| {
///     corners += usize::from(solution[0] == 0);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(end, ControlFlow::Continue(92));
/// assert_eq!(corners, 4);
/// # Ok::<(), queens::SearchError>(())
/// ```
#[must_use = "nothing is listed until `visit` or `first` is called"]
#[derive(Clone, Copy, Debug)]
pub struct List {
    n: usize,
    engine: Engine,
}

impl List {
    /// A listing for this board by the fastest engine that holds it.
    pub fn new(n: usize) -> List {
        List {
            n,
            engine: default_engine(n),
        }
    }

    /// A listing of the answers of a board with given queens or blocked squares.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use queens::{Board, List};
    ///
    /// let board: Board = "#...\n....\n....\n....".parse()?;
    /// let end = List::on(&board).visit(|answer| {
    ///     println!("{answer}"); // (2, 4, 1, 3), then (3, 1, 4, 2)
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(end, ControlFlow::Continue(2));
    /// # Ok::<(), queens::puzzle::BoardError>(())
    /// ```
    pub fn on(board: &Board) -> ListOn<'_> {
        ListOn::new(board)
    }

    /// Chooses the engine.
    pub fn engine(mut self, engine: Engine) -> List {
        self.engine = engine;
        self
    }

    /// Fails as [`List::visit`] would, without searching.
    ///
    /// # Errors
    ///
    /// When the engine cannot hold a board of this size, or only counts.
    pub fn check(&self) -> Result<(), SearchError> {
        self.engine.representation_for(self.n).map(|_| ())
    }

    /// Shows every solution to `visit`, in lexicographic order.
    ///
    /// Returns `Break` if `visit` stopped the listing, and otherwise the number of solutions.
    ///
    /// # Errors
    ///
    /// When the engine cannot hold a board of this size, or only counts.
    pub fn visit(
        &self,
        visit: impl FnMut(&Solution) -> ControlFlow<()>,
    ) -> Result<ControlFlow<(), u64>, SearchError> {
        let representation = self.engine.representation_for(self.n)?;
        let lister = Lister {
            solution: Solution::buffer(self.n),
            visit,
        };
        Ok(on_board(representation, self.n, lister))
    }

    /// The first solution, or `None` when the board has none.
    ///
    /// # Errors
    ///
    /// When the engine cannot hold a board of this size, or only counts.
    ///
    /// ```
    /// use queens::{Engine, List};
    ///
    /// let first = List::new(8).engine(Engine::AttackCount).first()?;
    /// assert_eq!(first, queens::first(8));
    /// # Ok::<(), queens::SearchError>(())
    /// ```
    pub fn first(&self) -> Result<Option<Solution>, SearchError> {
        let mut found = None;
        let _stopped = self.visit(|solution| {
            found = Some(solution.clone());
            ControlFlow::Break(())
        })?;
        Ok(found)
    }
}

/// The engine that lists by default: the fastest that holds the board, or [`Engine::Lines`] if none
/// does, whose error says why.
///
/// ```
/// use queens::{Engine, list};
///
/// assert_eq!(list::default_engine(8), Engine::Bitmask);
/// assert_eq!(list::default_engine(100), Engine::Lines);
/// ```
pub fn default_engine(n: usize) -> Engine {
    let holds = |engine: &&Engine| engine.representation_for(n).is_ok();
    let fastest = ENGINES.iter().rev().find(holds);
    fastest.copied().unwrap_or(Engine::Lines)
}

/// Copies each solution into one buffer and shows it.
struct Lister<F> {
    solution: Solution,
    visit: F,
}

impl<B: Search, F: FnMut(&Solution) -> ControlFlow<()>> Observer<B> for Lister<F> {
    const HEARS: Hears = Hears::Solutions;

    #[inline]
    fn event(&mut self, _solution: Event, board: &B) -> ControlFlow<()> {
        board.copy_cols(self.solution.buffer_mut());
        (self.visit)(&self.solution)
    }
}

impl<F: FnMut(&Solution) -> ControlFlow<()>> OnBoard for Lister<F> {
    type Output = ControlFlow<(), u64>;

    fn run<B: Search + 'static>(self, mut board: B) -> Self::Output {
        search(&mut board, self)
    }
}
