//! N-Queens: place `n` queens on an `n` by `n` board so that none attacks another.
//!
//! This library counts, lists, finds, checks, traces and draws these placements. It is computation
//! only: it touches no file, socket, clock or environment, so it also builds for the browser.
//!
//! # A tour
//!
//! How many solutions are there?
//!
//! ```
//! assert_eq!(queens::count(12), Ok(14_200));
//! ```
//!
//! Which are they? [`solutions`] is an iterator, in lexicographic order:
//!
//! ```
//! for solution in queens::solutions(4) {
//!     println!("{solution}"); // (2, 4, 1, 3), then (3, 1, 4, 2)
//! }
//! let first = queens::first(8).unwrap();
//! assert_eq!(first, [0, 4, 7, 5, 2, 6, 1, 3]); // the column of each row's queen
//! ```
//!
//! [`Count`] chooses the engine, the threads and the vector instructions, reports progress
//! and can be stopped:
//!
//! ```
//! use queens::{Count, Engine};
//!
//! let solutions = Count::new(14)
//!     .engine(Engine::TwoColour)
//!     .threads(2)
//!     .progress(|share| eprintln!("{:.0} %", 100.0 * share))
//!     .run();
//! assert_eq!(solutions, Ok(365_596));
//! ```
//!
//! A [`Solution`] is valid by construction; a [`Placement`] holds any queens on any squares.
//! Both are read from and written to [seven text formats](mod@format), and [`check`](check())
//! names every pair of queens that attack each other:
//!
//! ```
//! use queens::{Format, Placement, Solution, check};
//!
//! let solution: Solution = "1Q2/3Q/Q3/2Q1".parse()?;
//! assert_eq!(solution.to_string(), "(2, 4, 1, 3)");
//! assert_eq!(
//!     solution.display(Format::Board).to_string(),
//!     ". Q . .\n. . . Q\nQ . . .\n. . Q ."
//! );
//! assert_eq!(solution.class().len(), 2); // it and its mirror image
//!
//! let placement: Placement = "(1, 2)".parse()?;
//! let attack = check(&placement).attacks().next().unwrap();
//! assert_eq!(attack.to_string(), "(1, 1) and (2, 2) attack each other on a falling diagonal");
//! # Ok::<(), queens::ParseError>(())
//! ```
//!
//! A [`Board`] is a question: queens that are given, squares that are blocked, perhaps fewer
//! queens than rows. It is counted, listed and solved like the plain one:
//!
//! ```
//! use queens::{Board, Count};
//!
//! let board: Board = "\
//!     . . . Q . .
//!     . . . . . .
//!     . . # . . .
//!     . . . . . .
//!     . . . . . .
//!     . . . . . .".parse()?;
//! assert_eq!(Count::on(&board).run()?, 1);
//! for answer in board.solutions() {
//!     println!("{answer}"); // (4, 1, 5, 2, 6, 3)
//!     assert!(board.check(&answer).is_answer());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`render`] draws boards, [`search::tree`] and [`search::trace`] show the search at work:
//!
//! ```
//! use queens::render::{Picture, svg};
//! use queens::search::trace::{Style, Trace};
//!
//! let picture = Picture::new(queens::first(8).unwrap())?;
//! assert!(svg::board(&picture).starts_with("<svg"));
//!
//! let trace = Trace::new(4).style(Style::Tuple).text()?;
//! assert!(trace.starts_with("(0)\n(0, 2)\ndead end\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Beyond the tour: [`List`] shows solutions to a closure without allocating any,
//! [`extend`] completes a placement, [`construct`] has a solution for every large board,
//! [`known`] the published counts, [`estimate`] forecasts, and [`board`] the course
//! documents' boards, one file each. [`sample`] draws random solutions, [`approximate`] says
//! about how many there are for up to 1,000 queens, [`symmetric`] and [`torus`] count other
//! kinds. [`solve`](solve()) finds one answer to a [`Board`] of any size, or proves that there
//! is none, and [`mod@encode`] writes the board for other solvers.
//!
//! # Features
//!
//! `json` (on by default) reads placements in the format `json`, with `serde_json`. `serde`
//! gives the types `Serialize` and `Deserialize`. Without them the library depends on
//! nothing but the standard library.
//!
//! # Glossary
//!
//! One word names one thing, here and in every other part of the project.
//!
//! | word | meaning |
//! |---|---|
//! | `n` | the size of the board and the number of queens |
//! | `row`, `col` | 0-based coordinates of a square, row 0 on top, column 0 at the left |
//! | `origin` | what rows and columns count from where they are written or read: 0 or 1 |
//! | `cols` | the column of the queen of each row, or a set of columns as bits |
//! | `diag` | the diagonal on which `row - col` is the same everywhere, which falls to the right; where bits must grow with the column it is numbered by `col - row` |
//! | `anti` | the anti-diagonal on which `row + col` is the same everywhere, which rises to the right |
//! | `line` | a row, a column, a `diag` or an `anti`: two queens on one line attack each other |
//! | `free` | the squares of a row (or the set of them, as bits) that no queen attacks |
//! | `bit` | a word with one bit set: one square of a row, one column |
//! | `placement` | some queens on a board, attacking each other or not |
//! | `solution` | a placement of `n` queens, none attacking another |
//! | `board` | in `Board`: a size, given queens, blocked squares and a number of queens, a question that has answers |
//! | `given` | a queen that stands on a `Board` from the start, and in all its answers |
//! | `blocked` | a square of a `Board` on which no queen may stand; queens see across it |
//! | `plain` | the `Board` with nothing given or blocked, and `n` queens to place |
//! | `answer` | a placement that a `Board` asks for; on the plain board, a solution |
//! | `image` | a solution rotated or reflected by one of the eight symmetries of the board |
//! | `class` | a symmetry class, the different images of one solution: 1, 2, 4 or 8 |
//! | `engine` | one way to count |
//! | `unit` | one numbered, independent piece of a count |
//!
//! `count` counts *all* solutions. *Fundamental* solutions are one per class of solutions that
//! rotations and reflections carry into each other.
//!
//! ## The fast half
//!
//! The words of [`count::two_colour`], of its GPU code and of `docs/algorithms.md`. They build on
//! [`count::two_colour_plain`], which has the idea in one file. Two words of the table above mean
//! something else in this half: *class* and *lines*.
//!
//! | word | meaning |
//! |---|---|
//! | white, black | squares whose row + column is even, or odd; a diagonal stays on one colour |
//! | `even_even`, `odd_odd` | the two small boards of white: even rows and even columns, odd rows and odd columns |
//! | `even_odd`, `odd_even` | the two small boards of black: row parity first, then column parity |
//! | `even_rows`, `odd_rows` | the even and the odd rows that hold white queens; together a *row set* |
//! | even row set, odd row set | one half of a row set; a *pair* is one of each, and so a row set |
//! | `even_cols`, `odd_cols` | the same for columns; together a *column set* |
//! | `black_queens` | how many queens each black board holds; it fixes how many the white ones hold |
//! | class | all row sets with one number of black queens |
//! | rank | a number of a set of rows or columns that its mirror images share |
//! | `even_index`, `odd_index` | the place of `even_cols`, of `odd_cols` in the order of a class, by rank |
//! | `even_limit`, `odd_limit` | a row set visits the indices below it |
//! | `lines` | the diagonals and anti-diagonals that some queens of one colour use, as bits; never rows or columns |
//! | side | one small board with given rows, and what its placements count as |
//! | walked side | the placements on the board with even columns, taken queen by queen, as a tree |
//! | scanned side | the placements on the board with odd columns, as a list sorted by `odd_index` |
//! | stem, prefix, end | of a walked placement: the first queens, all but the last two, the last two |
//! | histogram | the counts of one colour for given rows: a row per `even_index`, a cell per `odd_index` |
//! | stored colour | the one whose histogram is written down |
//! | gathering colour | the other one: its counts are multiplied with the histogram as they come up |
//! | weight | how many row sets, or column sets, one of them stands for; in a histogram, the stored count times that number |
//! | inner, outer | even or odd row sets: those of the parity that the gathering colour walks, and those of the other parity |
//! | chunk | the `odd_cols` whose histograms are in memory at a time |
//! | sift | to keep the scanned placements that use none of some given lines |
//! | scan, filter, unfold | three ways to gather: over bit planes, by sifting at every queen, and (on a GPU, and in the last two rows of a filter) placement by placement |
//! | slot | 16 bits of a vector: up to 16 placements of one `odd_index`, or one count |
//! | bit plane | for one line, a bit per scanned placement: does it use the line |
//! | bundle | up to eight vectors of bit planes that are walked together |
//! | `unit` | some row sets of one class: a numbered piece of the count |
//!
//! On a GPU:
//!
//! | word | meaning |
//! |---|---|
//! | feeder | a thread of the host that prepares units for a card |
//! | resident | of lists: in the card's memory for the whole count |
//! | batch | some units, laid out as a card reads them; it goes to the card in a *flight* |
//! | section | the units of one class in a batch |
//! | wave | one launch of the kernel: jobs of one section |
//! | job | the work of one block of threads: some pairs and some `odd_cols`, or in a sweep one listed set of columns and one core |
//! | cluster | pairs whose walks have all rows but two in common, and so share most of a job |
//! | tile | the histogram of a job, in fast memory |
//! | item | in unfolding, a scanned placement with the queens of a walked one so far |
//! | pile | the items that have only their last two rows left |
//!
//! And when it [sweeps](count::two_colour::sweep):
//!
//! | word | meaning |
//! |---|---|
//! | block | the units that have the same even row sets; a sweep counts them together |
//! | listed, swept | of the two boards of a colour: the one with even rows, whose placements are in lists by their columns, and the one with odd rows, of which all row sets are counted at once |
//! | core | all rows of a swept board's row set but two |
//! | open rows | the rows of a core in which the last two queens may stand |
//! | deal | to give each partial placement of a list to the lists of all columns that it can go on with |
//! | slot | the space of a list, equal for all lists of a level |
//! | piece, chunk | a list, or a part of one, that a warp reads; the part of it that the warp reads at a time |
//! | portion | the listed placements that are dealt at a time: only some, if the slots are too small for all |
//! | cohort | placements on both boards of a colour, without the last two queens, that stand in the same columns |
//! | slab, entry | the counts of a job by swept columns; an entry has those of one set of columns, for all row sets of a core |
//! | table | the counts of a colour for one listed set of columns: a row per odd row set, a cell per set of swept columns |
//!
//! The squares of n = 5 by the small boards they are on, and the white queens of a solution
//! as sets, element 0 at the left:
//!
//! ```text
//!   ee eo ee eo ee      w . . . .     even_rows   1 1 .   rows 0 and 2, of 0 2 4
//!   oe oo oe oo oe      . . b . .     odd_rows    . 1     row 3, of 1 3
//!   ee eo ee eo ee      . . . . w     even_cols   1 . 1   columns 0 and 4, of 0 2 4
//!   oe oo oe oo oe      . w . . .     odd_cols    1 .     column 1, of 1 3
//!   ee eo ee eo ee      . . . b .     black_queens 1: one on odd_even, one on even_odd
//! ```

pub mod approximate;
pub mod board;
pub mod check;
pub mod construct;
pub mod count;
pub mod encode;
pub mod estimate;
pub mod extend;
pub mod first;
pub mod format;
pub mod hint;
pub mod json;
pub mod known;
mod line;
pub mod list;
mod named;
mod origin;
mod permutation;
mod placement;
pub mod puzzle;
pub mod random;
pub mod render;
pub mod sample;
pub mod search;
mod solution;
pub mod solve;
pub mod symmetric;
pub mod symmetry;
#[doc(hidden)]
pub mod threads;
pub mod torus;

pub use check::check;
pub use count::{Count, CountError, Engine, Simd, count};
pub use first::first;
pub use format::{Format, ParseError};
pub use line::{Attack, Line};
pub use list::{List, Solutions, solutions};
pub use origin::{Origin, UnknownOrigin};
pub use placement::{Placement, PlacementError, Square};
pub use puzzle::{Board, BoardError, BoardReport};
pub use search::SearchError;
pub use solution::{Solution, SolutionError};
pub use solve::{Solve, SolveError, solve};
pub use symmetry::Symmetry;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
