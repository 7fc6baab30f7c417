//! Counting: the list of engines, simplest to fastest, and what each can do.
//!
//! [`ENGINES`] is the one list of engines; tests, benchmarks, `--engine` and the tables of
//! the documents are made from it. The first seven are the search of [`crate::search`] on
//! the seven boards of [`crate::board`], with nobody listening. [`mirror`] is a
//! backtracker built for speed, which never holds a whole solution and only counts.
//!
//! An engine gets a [`Job`]: the size, and how to run it. Every engine answers a stop flag
//! within a fraction of a second and reports the share of work it has done. Totals are
//! `u128`; the pieces are added with checked arithmetic.

pub mod mirror;
pub mod two_colour;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

pub use two_colour::Simd;

use crate::board::{
    AttackCount, BitGrid, Bitmask, ByteGrid, Columns, FirstAttacker, Lines, Representation,
};
use crate::search::{Nobody, Search, SearchError, Stage};

/// One count to be made: the size of the board and how to go about it.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use queens::count::{CountError, Job, engine};
///
/// let stop = AtomicBool::new(false);
/// let job = Job::new(10).threads(2).stop(&stop);
/// assert_eq!(engine("mirror").unwrap().count(&job), Ok(724));
///
/// stop.store(true, Ordering::Relaxed);
/// assert!(matches!(engine("lines").unwrap().count(&job), Err(CountError::Stopped { .. })));
/// ```
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The size of the board.
    pub n: usize,
    /// How many threads may work; with 1 nothing is spawned. Engines that are not
    /// [`Engine::parallel`] use one, whatever is asked.
    pub threads: NonZeroUsize,
    /// When this becomes true the count ends soon, with [`CountError::Stopped`].
    pub stop: Option<&'a AtomicBool>,
    /// Told the share of the work done, from 0 to 1, never falling; may be called from
    /// any of the threads, by one at a time.
    pub progress: Option<&'a (dyn Fn(f64) + Sync)>,
    /// Which vector instructions to use, where the engine has a choice.
    pub simd: Simd,
}

impl std::fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("n", &self.n)
            .field("threads", &self.threads)
            .field("stop", &self.stop)
            .field("progress", &self.progress.is_some())
            .field("simd", &self.simd)
            .finish()
    }
}

impl<'a> Job<'a> {
    /// A count on one thread that nobody watches.
    pub fn new(n: usize) -> Self {
        Job {
            n,
            threads: NonZeroUsize::MIN,
            stop: None,
            progress: None,
            simd: Simd::Auto,
        }
    }

    /// Lets up to `threads` threads work; 0 means 1.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        self
    }

    /// Makes the count end soon after `stop` becomes true.
    #[must_use]
    pub fn stop(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Reports the share of work done.
    #[must_use]
    pub fn progress(mut self, progress: &'a (dyn Fn(f64) + Sync)) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Chooses the vector instructions.
    #[must_use]
    pub fn simd(mut self, simd: Simd) -> Self {
        self.simd = simd;
        self
    }

    /// Whether somebody asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    pub(crate) fn report(&self, share: f64) {
        if let Some(progress) = self.progress {
            progress(share);
        }
    }
}

/// Why there is no count.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum CountError {
    /// The board is larger than the engine can hold.
    #[error("engine {engine} counts up to n = {largest}, not {n}")]
    TooLarge {
        /// The engine's name.
        engine: &'static str,
        /// The size asked for.
        n: usize,
        /// The largest size possible.
        largest: usize,
    },
    /// The stop flag was raised.
    #[error("stopped after {:.1} % of the work", share * 100.0)]
    Stopped {
        /// The share of the work done, from 0 to 1.
        share: f64,
    },
    /// The processor lacks the vector instructions asked for.
    #[error("this processor has no {simd} instructions")]
    NoSuchSimd {
        /// The name of the choice.
        simd: &'static str,
    },
    /// The total does not fit; no board within reach comes near it.
    #[error("the count does not fit 128 bits")]
    Overflow,
}

/// One way to count.
///
/// Where it has a [`Representation`], it can also list solutions, find the first one, and
/// be listened to.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// The name, as given to `--engine`.
    pub name: &'static str,
    /// One line on how it works.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The largest board it accepts.
    pub largest_n: usize,
    /// The largest board it counts in about a minute on one core of 2026.
    pub sensible_n: usize,
    /// Whether it uses more than one thread when allowed to.
    pub parallel: bool,
    /// Whether it uses the vector instructions that [`Job::simd`] chooses.
    pub simd: bool,
    /// The board it searches, unless it only counts.
    pub representation: Option<Representation>,
    run: fn(&Job<'_>) -> Result<u128, CountError>,
}

impl Engine {
    /// Counts the solutions.
    ///
    /// # Errors
    ///
    /// [`CountError::TooLarge`] above [`Engine::largest_n`], [`CountError::Stopped`] when
    /// the job's stop flag was raised before the count was complete.
    pub fn count(&self, job: &Job<'_>) -> Result<u128, CountError> {
        if job.n > self.largest_n {
            return Err(CountError::TooLarge {
                engine: self.name,
                n: job.n,
                largest: self.largest_n,
            });
        }
        let count = (self.run)(job)?;
        job.report(1.0);
        Ok(count)
    }

    /// The board this engine searches, if it has one that holds `n` queens.
    ///
    /// # Errors
    ///
    /// [`SearchError::CountsOnly`] or [`SearchError::TooLarge`].
    pub fn representation_for(&self, n: usize) -> Result<Representation, SearchError> {
        let representation = self
            .representation
            .ok_or(SearchError::CountsOnly { engine: self.name })?;
        let largest = representation.largest_n();
        if n > largest {
            return Err(SearchError::TooLarge {
                engine: self.name,
                n,
                largest,
            });
        }
        Ok(representation)
    }
}

const RECITATION: &str = "MIT 6.172-style recitation on bit vectors";
const CHAPTER: &str = "BACS2063 chapter 6, application of recursion";
const ASSIGNMENT: &str = "CSE 15 programming assignment 2";
const LECTURE: &str = "NPTEL week 6 lecture 1";

/// Every engine, simplest to fastest.
///
/// ```
/// use queens::count::{ENGINES, Job};
///
/// for engine in ENGINES {
///     assert_eq!(engine.count(&Job::new(8)), Ok(92), "{}", engine.name);
/// }
/// ```
pub static ENGINES: &[Engine] = &[
    Engine {
        name: "byte-grid",
        summary: "n x n bytes; walks up the column and both diagonals of each square",
        source: RECITATION,
        largest_n: Representation::ByteGrid.largest_n(),
        sensible_n: 15,
        parallel: false,
        simd: false,
        representation: Some(Representation::ByteGrid),
        run: count_on::<ByteGrid>,
    },
    Engine {
        name: "bit-grid",
        summary: "n x n bits; the same walk on packed squares",
        source: RECITATION,
        largest_n: Representation::BitGrid.largest_n(),
        sensible_n: 15,
        parallel: false,
        simd: false,
        representation: Some(Representation::BitGrid),
        run: count_on::<BitGrid>,
    },
    Engine {
        name: "columns",
        summary: "one column per row; compares |row difference| and |column difference|",
        source: CHAPTER,
        largest_n: Representation::Columns.largest_n(),
        sensible_n: 15,
        parallel: false,
        simd: false,
        representation: Some(Representation::Columns),
        run: count_on::<Columns>,
    },
    Engine {
        name: "attack-count",
        summary: "a grid with -k in squares attacked by k queens above",
        source: ASSIGNMENT,
        largest_n: Representation::AttackCount.largest_n(),
        sensible_n: 16,
        parallel: false,
        simd: false,
        representation: Some(Representation::AttackCount),
        run: count_on::<AttackCount>,
    },
    Engine {
        name: "first-attacker",
        summary: "a grid with the earliest queen that attacks each square",
        source: LECTURE,
        largest_n: Representation::FirstAttacker.largest_n(),
        sensible_n: 15,
        parallel: false,
        simd: false,
        representation: Some(Representation::FirstAttacker),
        run: count_on::<FirstAttacker>,
    },
    Engine {
        name: "lines",
        summary: "flags for rows, columns and both kinds of diagonal, O(n) space",
        source: LECTURE,
        largest_n: Representation::Lines.largest_n(),
        sensible_n: 16,
        parallel: false,
        simd: false,
        representation: Some(Representation::Lines),
        run: count_on::<Lines>,
    },
    Engine {
        name: "bitmask",
        summary: "three bit vectors; all free squares of a row in one expression",
        source: RECITATION,
        largest_n: Representation::Bitmask.largest_n(),
        sensible_n: 17,
        parallel: false,
        simd: false,
        representation: Some(Representation::Bitmask),
        run: count_on::<Bitmask>,
    },
    Engine {
        name: "mirror",
        summary: "bit vectors, one of eight views of the edges, with lookahead, on all cores",
        source: "this project",
        largest_n: mirror::LARGEST_N,
        sensible_n: 18,
        parallel: true,
        simd: false,
        representation: None,
        run: mirror::count,
    },
    Engine {
        name: "two-colour",
        summary: "black and white queens counted apart and joined, in vectors, on all cores",
        source: "this project",
        largest_n: two_colour::LARGEST_N as usize,
        sensible_n: 21,
        parallel: true,
        simd: true,
        representation: None,
        run: two_colour::count,
    },
];

/// The engine of this name.
///
/// ```
/// assert_eq!(queens::count::engine("bitmask").unwrap().largest_n, 32);
/// assert!(queens::count::engine("magic").is_none());
/// ```
pub fn engine(name: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|engine| engine.name == name)
}

/// The largest board on which the plain search is over before the two-colour engine has
/// made its lists. Measured on one thread of a Zen 4 core (AMD EPYC, 2026-11-15), best of
/// 25 processes, in milliseconds for bitmask, mirror and two-colour: n = 9: 0.05, 0.23, 0.22;
/// n = 10: 0.18, 0.41, 0.23; n = 11: 0.81, 0.78, 0.49; n = 12: 4.2, 1.8, 0.59.
const PLAIN_UP_TO: usize = 10;

/// The engine to use for a board of this size when nobody asks for another: the fastest.
///
/// ```
/// use queens::count::default_engine;
///
/// assert_eq!(default_engine(8).name, "bitmask");
/// assert_eq!(default_engine(16).name, "two-colour");
/// ```
pub fn default_engine(n: usize) -> &'static Engine {
    let name = if n <= PLAIN_UP_TO {
        "bitmask"
    } else {
        "two-colour"
    };
    engine(name).expect("the list of engines has it")
}

/// Counts all solutions on one thread with the default engine.
///
/// # Errors
///
/// [`CountError::TooLarge`] when no engine holds the board.
///
/// ```
/// assert_eq!(queens::count::count(12), Ok(14200));
/// ```
pub fn count(n: usize) -> Result<u128, CountError> {
    default_engine(n).count(&Job::new(n))
}

/// How many of the last rows are searched without looking at the stop flag: 11 rows take
/// at most some tens of milliseconds, even on the slowest board.
const ROWS_BETWEEN_LOOKS: usize = 11;

/// Counts by the search of the course documents, with nobody listening.
fn count_on<B: Search>(job: &Job<'_>) -> Result<u128, CountError> {
    let mut top = TopRows {
        job,
        board: B::new(job.n),
        rows: job.n.saturating_sub(ROWS_BETWEEN_LOOKS),
        total: 0,
        share: 0.0,
        told: 0.0,
    };
    top.descend(0, 1.0)?;
    Ok(top.total)
}

/// The first rows of a count, where the stop flag is looked at and progress is reported.
struct TopRows<'a, B> {
    job: &'a Job<'a>,
    board: B,
    rows: usize,
    total: u128,
    share: f64,
    told: f64,
}

impl<B: Search> TopRows<'_, B> {
    /// Searches `row` and below, which is `width` of the whole work.
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
        // Rounding must not make the share drift, and a row without a free square is done.
        self.share = share + width;
        self.report();
        Ok(())
    }

    /// Tells the share done, as often as the stop flag is looked at.
    fn report(&mut self) {
        let share = self.share.min(1.0);
        if share > self.told {
            self.told = share;
            self.job.report(share);
        }
    }
}
