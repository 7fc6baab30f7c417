//! Counting: the list of engines, simplest to fastest, and how to ask one for a count.
//!
//! [`ENGINES`] is the one list of engines; tests, benchmarks, `--engine` and the tables of
//! the documents are made from it. The first seven are the search of [`crate::search`] on
//! the seven boards of [`crate::board`], with nobody listening. [`mirror`] is a backtracker
//! built for speed: it never holds a whole solution and only counts. [`two_colour_plain`] does
//! not backtrack over whole boards at all: it adds up products. [`two_colour`] does the same
//! with everything a machine has.
//!
//! Some engines also count on a [`Board`] with given queens, blocked squares or fewer queens
//! than rows: see [`Count::on`] and [`Engine::takes_boards`].
//!
//! [`Count`] says what to count and how. Every engine reports the share of work it has done,
//! and answers a stop flag within a fraction of a second. (For n = 29 to 32 `two-colour` answers
//! within half a minute, because a piece of its work is that long there.) Totals are `u128`; the
//! pieces are added with checked arithmetic.

mod bitmask;
mod engines;
pub mod mirror;
pub mod two_colour;
pub mod two_colour_plain;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use bitmask::expected_placements;
pub use engines::{DeviceKind, ENGINES, Engine, UnknownEngine};
pub use two_colour::Simd;

use crate::puzzle::Board;
use crate::search::{Nobody, OnBoard, Search, Stage, on_board};
use engines::Way;

/// A count to make: the size of the board, and how to count.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use queens::{Count, CountError, Engine};
///
/// let stop = AtomicBool::new(false);
/// let count = Count::new(12)
///     .engine(Engine::Mirror)
///     .threads(2)
///     .stop(&stop)
///     .progress(|share| println!("{:.0} % done", share * 100.0));
/// assert_eq!(count.run(), Ok(14_200));
///
/// stop.store(true, Ordering::Relaxed);
/// assert!(matches!(count.run(), Err(CountError::Stopped { .. })));
/// ```
#[must_use = "nothing is counted until `run` is called"]
#[derive(Clone)]
pub struct Count<'a> {
    pub(crate) n: usize,
    /// `None` for the plain board.
    pub(crate) board: Option<&'a Board>,
    pub(crate) engine: Engine,
    pub(crate) threads: NonZeroUsize,
    pub(crate) simd: Simd,
    pub(crate) stop: Option<&'a AtomicBool>,
    pub(crate) progress: Option<Arc<dyn Fn(f64) + Send + Sync + 'a>>,
}

impl fmt::Debug for Count<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Count")
            .field("n", &self.n)
            .field("board", &self.board)
            .field("engine", &self.engine)
            .field("threads", &self.threads)
            .field("simd", &self.simd)
            .field("stop", &self.stop)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

impl<'a> Count<'a> {
    /// A count on one thread, by the fastest engine for this board.
    pub fn new(n: usize) -> Self {
        Count {
            n,
            board: None,
            engine: default_engine(n),
            threads: NonZeroUsize::MIN,
            simd: Simd::Auto,
            stop: None,
            progress: None,
        }
    }

    /// A count of the answers of a board with given queens, blocked squares or fewer queens
    /// than rows, on one thread, by the engine that suits it.
    ///
    /// ```
    /// use queens::{Board, Count, Square};
    ///
    /// let board = Board::new(8).with_given([Square::new(3, 0)])?;
    /// assert_eq!(Count::on(&board).run()?, 18);
    ///
    /// let board = board.with_blocked([Square::new(0, 1), Square::new(7, 7)])?;
    /// assert_eq!(Count::on(&board).threads(2).run()?, 15);
    ///
    /// let five = Board::new(8).with_queens(5)?; // five queens, three empty rows
    /// assert_eq!(Count::on(&five).run()?, 46_736);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on(board: &'a Board) -> Self {
        Count {
            board: (!board.is_plain()).then_some(board),
            engine: default_engine_on(board),
            ..Count::new(board.n())
        }
    }

    /// Chooses the engine.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Lets up to `threads` threads work; 0 means 1. With 1 nothing is spawned. Engines that
    /// are not [`Engine::is_parallel`] always use one.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        self
    }

    /// Chooses the vector instructions, if the engine has a choice.
    pub fn simd(mut self, simd: Simd) -> Self {
        self.simd = simd;
        self
    }

    /// Makes the count end soon after `stop` becomes true, with [`CountError::Stopped`].
    pub fn stop(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Reports the share of the work done, from 0 to 1, never falling. `progress` may be
    /// called from any of the threads, by one at a time.
    pub fn progress(mut self, progress: impl Fn(f64) + Send + Sync + 'a) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    /// Counts the solutions.
    ///
    /// # Errors
    ///
    /// [`CountError::TooLarge`] above [`Engine::largest_n`], or [`Engine::largest_n_of_boards`] for
    /// a board that is not the plain one, [`CountError::Stopped`] when
    /// the stop flag was raised before the count was complete,
    /// [`CountError::NoSuchSimd`] when the processor lacks the requested instructions,
    /// [`CountError::PlainOnly`] and [`CountError::FullOnly`] when the engine does not take
    /// this board.
    pub fn run(&self) -> Result<u128, CountError> {
        let progress = self.progress.as_deref();
        let job = Job {
            n: self.n,
            threads: self.threads,
            stop: self.stop,
            progress: progress.map(|progress| progress as &(dyn Fn(f64) + Sync)),
            simd: self.simd,
        };
        let count = match self.board {
            None => {
                self.fits(self.engine.largest_n())?;
                match self.engine.way() {
                    Way::Search(representation) => on_board(representation, self.n, &job),
                    Way::Count(run) => run(&job),
                }
            }
            Some(board) => self.run_on(board, &job),
        }?;
        job.report(1.0);
        Ok(count)
    }

    fn run_on(&self, board: &Board, job: &Job<'_>) -> Result<u128, CountError> {
        let engine = self.engine;
        let way = engine.board_way().ok_or(CountError::PlainOnly { engine })?;
        if board.queens() < self.n && !way.fewer_queens {
            return Err(CountError::FullOnly { engine });
        }
        self.fits(way.largest_n)?;
        // Two queens would share a row.
        if board.queens() > self.n {
            return Ok(0);
        }
        (way.run)(job, board)
    }

    /// Whether the engine can count on the board.
    pub(crate) fn is_possible(&self) -> bool {
        match self.board {
            None => self.n <= self.engine.largest_n(),
            Some(board) => self.engine.board_way().is_some_and(|way| {
                self.n <= way.largest_n && (way.fewer_queens || board.queens() >= self.n)
            }),
        }
    }

    /// Fails if the board is larger than `largest`.
    fn fits(&self, largest: usize) -> Result<(), CountError> {
        let (engine, n) = (self.engine, self.n);
        match n > largest {
            true => Err(CountError::TooLarge { engine, n, largest }),
            false => Ok(()),
        }
    }
}

/// The part of a [`Count`] that an engine sees.
pub(crate) struct Job<'a> {
    /// The size of the board, not above the engine's largest.
    pub(crate) n: usize,
    /// How many threads may work.
    pub(crate) threads: NonZeroUsize,
    /// The count ends soon after this becomes true.
    pub(crate) stop: Option<&'a AtomicBool>,
    /// Called with the share of the work done.
    pub(crate) progress: Option<&'a (dyn Fn(f64) + Sync)>,
    /// Which vector instructions to use, if the engine has a choice.
    pub(crate) simd: Simd,
}

impl Job<'_> {
    /// Whether somebody asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    pub(crate) fn report(&self, share: f64) {
        if let Some(progress) = self.progress {
            progress(share);
        }
    }
}

/// Why there is no count.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CountError {
    /// The board is larger than the engine can hold.
    TooLarge {
        /// The engine.
        engine: Engine,
        /// The size asked for.
        n: usize,
        /// The largest size possible.
        largest: usize,
    },
    /// The stop flag was raised.
    Stopped {
        /// The share of the work done, from 0 to 1.
        share: f64,
    },
    /// The processor lacks the vector instructions asked for.
    NoSuchSimd {
        /// The choice.
        simd: Simd,
    },
    /// The board is not plain, and the engine takes no given queens, no blocked squares and no
    /// other number of queens.
    PlainOnly {
        /// The engine.
        engine: Engine,
    },
    /// The board has fewer queens than rows, and the engine puts one in every row.
    FullOnly {
        /// The engine.
        engine: Engine,
    },
    /// The total does not fit 128 bits. No board within reach comes near that.
    Overflow,
}

impl fmt::Display for CountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CountError::TooLarge { engine, n, largest } => {
                write!(f, "engine {engine} counts up to n = {largest}, not {n}")
            }
            CountError::Stopped { share } => {
                write!(f, "stopped after {:.1} % of the work", share * 100.0)
            }
            CountError::NoSuchSimd { simd } => {
                write!(f, "this processor has no {} instructions", simd.name())
            }
            CountError::PlainOnly { engine } => write!(
                f,
                "engine {engine} counts on the plain board only; for given queens and blocked \
                 squares use {}",
                names(|engine| engine.takes_boards())
            ),
            CountError::FullOnly { engine } => write!(
                f,
                "engine {engine} puts a queen in every row; for fewer queens use {}",
                names(|engine| engine.takes_fewer_queens())
            ),
            CountError::Overflow => f.write_str("the count does not fit 128 bits"),
        }
    }
}

impl std::error::Error for CountError {}

/// The names of the engines that can do something.
fn names(can: impl Fn(&Engine) -> bool) -> String {
    let able = ENGINES.iter().copied().filter(can);
    able.map(Engine::name).collect::<Vec<_>>().join(", ")
}

/// Up to this size the plain search is done before the two-colour engine has made its lists.
/// `benchmarks/cpu.md` has the measurements.
const PLAIN_UP_TO: usize = 10;

/// The engine to use for a board of this size when nobody asks for another: the fastest.
///
/// ```
/// use queens::{Engine, count::default_engine};
///
/// assert_eq!(default_engine(8), Engine::Bitmask);
/// assert_eq!(default_engine(16), Engine::TwoColour);
/// ```
pub fn default_engine(n: usize) -> Engine {
    if n <= PLAIN_UP_TO {
        Engine::Bitmask
    } else {
        Engine::TwoColour
    }
}

/// Below this many expected placements the plain search is done before `mirror` has looked at
/// eight views. `benchmarks/boards.md` has the measurements.
const BITMASK_UP_TO: f64 = 1.5e4;

/// From [`BITMASK_UP_TO`] up to this many expected placements, `mirror` is faster than
/// `two-colour`, which makes its lists first.
const MIRROR_UP_TO: f64 = 5e6;

/// The engine to use for a board with given queens, blocked squares or fewer queens when
/// nobody asks for another. Random probes, always the same ones, estimate how much work a
/// backtracker would have.
///
/// ```
/// use queens::{Board, Engine, Square, count::default_engine_on};
///
/// let corner = [Square::new(0, 0)];
/// let blocked = Board::new(16).with_blocked(corner)?;
/// assert_eq!(default_engine_on(&blocked), Engine::TwoColour);
/// let fewer = Board::new(16).with_queens(7)?;
/// assert_eq!(default_engine_on(&fewer), Engine::Bitmask);
/// # Ok::<(), queens::puzzle::BoardError>(())
/// ```
pub fn default_engine_on(board: &Board) -> Engine {
    let n = board.n();
    if board.is_plain() {
        return default_engine(n);
    }
    let holds = |engine: Engine| engine.board_way().is_some_and(|way| n <= way.largest_n);
    if board.queens() < n || !holds(Engine::TwoColour) {
        return Engine::Bitmask;
    }
    match expected_placements(board) {
        placements if placements < BITMASK_UP_TO => Engine::Bitmask,
        placements if placements < MIRROR_UP_TO => Engine::Mirror,
        _ => Engine::TwoColour,
    }
}

/// Counts all solutions on one thread with the fastest engine.
///
/// # Errors
///
/// [`CountError::TooLarge`] when no engine holds the board.
///
/// ```
/// assert_eq!(queens::count(12), Ok(14_200));
/// ```
pub fn count(n: usize) -> Result<u128, CountError> {
    Count::new(n).run()
}

/// This many last rows are searched without looking at the stop flag: 11 rows take at most
/// some tens of milliseconds, even on the slowest board.
const ROWS_BETWEEN_LOOKS: usize = 11;

/// Counts by the search of the course documents, with nobody listening.
impl OnBoard for &Job<'_> {
    type Output = Result<u128, CountError>;

    fn run<B: Search + 'static>(self, board: B) -> Self::Output {
        let mut top = TopRows {
            job: self,
            board,
            rows: self.n.saturating_sub(ROWS_BETWEEN_LOOKS),
            total: 0,
            share: 0.0,
            told: 0.0,
        };
        top.descend(0, 1.0)?;
        Ok(top.total)
    }
}

/// Searches the first rows, where it looks at the stop flag and reports progress.
struct TopRows<'a, B> {
    job: &'a Job<'a>,
    board: B,
    rows: usize,
    total: u128,
    share: f64,
    told: f64,
}

impl<B: Search> TopRows<'_, B> {
    /// Searches `row` and below, which is the share `width` of the whole work.
    fn descend(&mut self, row: usize, width: f64) -> Result<(), CountError> {
        if self.job.is_stopped() {
            return Err(CountError::Stopped { share: self.share });
        }
        if row == self.rows {
            let found = self.board.descend(row, &mut Stage::new(Nobody));
            self.total = self
                .total
                .checked_add(found.into())
                .ok_or(CountError::Overflow)?;
            self.share += width;
            self.report();
            return Ok(());
        }
        let free = |board: &B, col: &usize| board.is_free(row, *col);
        let n = self.job.n;
        let squares = (0..n).filter(|col| free(&self.board, col)).count();
        let share = self.share;
        for col in 0..n {
            if free(&self.board, &col) {
                self.board.place(row, col);
                self.descend(row + 1, width / squares as f64)?;
                self.board.remove(row, col);
            }
        }
        // Set, not added: rounding must not make the share drift, and a row without a free square
        // is done too.
        self.share = share + width;
        self.report();
        Ok(())
    }

    /// Reports the share done, if it has grown.
    fn report(&mut self) {
        let share = self.share.min(1.0);
        if share > self.told {
            self.told = share;
            self.job.report(share);
        }
    }
}
