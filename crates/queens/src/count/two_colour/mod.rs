//! `two-colour`: white queens and black queens counted separately, and joined by an equality.
//!
//! [`two-colour-plain`](super::two_colour_plain) has the whole idea in one file: a diagonal
//! never leaves its colour, so the white queens of a solution and its black ones meet only in
//! rows and columns, and the count is a sum of products over sets of rows and columns. Read
//! it first. This folder adds five things to it:
//!
//! 1. *Four small boards.* Parity cuts each colour into two boards of half the size. All
//!    placements of a small board are a short list, and a cell of a histogram counts pairs from
//!    two such lists (`split`, `placements`, `scan_list`, `walk_tree`, `colour`).
//! 2. *Symmetry.* The eight images of the board are counted once (`symmetry`).
//! 3. *The join.* One colour's histogram is stored. The other's is never written down: its
//!    counts are multiplied with the stored ones as they come up (`join`).
//! 4. *Vectors.* Whether two placements fit is one bit, and an instruction handles 512 bits
//!    (`simd`).
//! 5. *Units.* The sum is cut into numbered pieces for threads, GPUs and machines. Each is a
//!    pure function of (n, unit) (`units`), and can be counted again by plain searches that
//!    share nothing with the engine but the meaning of a unit (`recount`).
//!
//! At n = 16 plain backtracking visits 1.1e9 nodes and this engine 1e7 placements, and the
//! ratio grows with n: from n to n + 2 the time grows by a factor of 13 (16 to 18) to 35 (22 to
//! 24), that of backtracking by 45 to 70. The words are in the [glossary](crate#the-fast-half),
//! the proofs in `docs/algorithms.md`, and what was tried and given up in
//! `benchmarks/history.md`.
//!
//! # Files
//!
//! In the order to read them: each uses only files above it, and a test checks that.
//!
//! | file | what it has |
//! |---|---|
//! | `sets` | sets of rows and columns, sets of lines |
//! | `split` | the four small boards and their lines |
//! | `allowed` | a board with given queens and blocked squares, as the small boards see it |
//! | `symmetry` | classes: which row sets and column sets are visited, and their weights |
//! | `packing` | an index beside lines, in one word |
//! | `placements` | the one search of a small board |
//! | `scan_list`, `walk_tree` | the placements of a small board, sorted, and as a tree |
//! | `colour` | the two boards of a colour; which colour is stored |
//! | `simd` | vectors of 512 bits, and the choice of instructions |
//! | `cost` | how a class is counted, and what it will cost |
//! | `units` | the numbering of units |
//! | `join` | sums over the column sets of pairs of row sets |
//! | `inner_lists`, `counter`, `engine` | lists to share; units one by one; all units on all threads |
//! | `recount` | a unit again, by plain searches |
//! | [`device_lists`] | the lists of a unit for a GPU |
//! | [`sweep`] | one even row set with all odd ones, for a GPU |
//! | [`explain`] | the idea in numbers, for a page |
//! | `cells` | for tests: every cell of both colours, against brute force |

mod sets;
mod split;

mod allowed;
mod symmetry;

mod packing;
mod placements;

mod scan_list;
mod walk_tree;

mod colour;
mod simd;

mod cost;
mod units;

mod join;

mod inner_lists;

mod counter;
mod engine;

mod recount;

pub mod device_lists;
pub mod explain;
pub mod sweep;

#[cfg(test)]
mod cells;

pub use counter::{Counter, count_unit};
pub(super) use engine::{count, count_on};
pub use recount::{RecountMethod, Recounter, recount_unit};
pub use simd::Simd;
pub(crate) use symmetry::{Class, Visits};
pub use units::{ALGORITHM, LARGEST_N, Units, units};
