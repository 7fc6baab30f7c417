//! N-Queens: place `n` queens on an `n` by `n` board so that none attacks another.
//!
//! This library counts, lists, finds, checks, traces and draws such placements. It is
//! computation only: it touches no file, socket, clock or environment, so it also
//! builds for the browser.
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
//! [`render`] draws boards, [`search::tree`] and [`search::trace`] show the search at work:
//!
//! ```
//! use queens::render::{Picture, svg};
//! use queens::search::trace::{Style, Until, text};
//!
//! let picture = Picture::new(queens::first(8).unwrap())?;
//! assert!(svg::board(&picture).starts_with("<svg"));
//!
//! let trace = text(4, Style::Tuple, Until::First, None);
//! assert!(trace.starts_with("(0)\n(0, 2)\ndead end\n"));
//! # Ok::<(), queens::render::PictureError>(())
//! ```
//!
//! Beyond the tour: [`List`] shows solutions to a closure without allocating any,
//! [`extend`] completes a placement, [`construct`] has a solution for every large board,
//! [`known`] the published counts, [`estimate`] forecasts, and [`board`] the course
//! documents' boards, one file each.
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
//! | `cols` | the column of the queen of each row, or a set of columns as bits |
//! | `diag` | the diagonal `row - col`, which falls to the right |
//! | `anti` | the anti-diagonal `row + col`, which rises to the right |
//! | `line` | a row, a column, a `diag` or an `anti`: two queens on one line attack each other |
//! | `free` | the squares of a row (or the set of them, as bits) that no queen attacks |
//! | `bit` | one set bit of such a set: one square, one column |
//! | `placement` | some queens on a board, attacking each other or not |
//! | `solution` | a placement of `n` queens, none attacking another |
//! | `image` | a solution rotated or reflected by one of the eight symmetries of the board |
//! | `class` | the different images of one solution: 1, 2, 4 or 8 |
//! | `engine` | one way to count |
//! | `unit` | one numbered, independent piece of a count |
//!
//! *All* solutions are counted by `count`; *fundamental* solutions are one per class of
//! solutions that rotations and reflections carry into each other.

pub mod board;
pub mod check;
pub mod construct;
pub mod count;
pub mod encode;
pub mod estimate;
pub mod extend;
pub mod first;
pub mod format;
pub mod known;
mod line;
pub mod list;
mod placement;
pub mod puzzle;
pub mod random;
pub mod render;
pub mod search;
mod solution;
pub mod solve;
pub mod symmetry;

pub use check::check;
pub use count::{Count, CountError, Engine, Simd, count};
pub use first::first;
pub use format::{Format, ParseError};
pub use line::{Attack, Line};
pub use list::{List, Solutions, solutions};
pub use placement::{Placement, PlacementError, Square};
pub use puzzle::Board;
pub use search::SearchError;
pub use solution::{Solution, SolutionError};
pub use solve::{Solve, SolveError, solve};
pub use symmetry::Symmetry;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
