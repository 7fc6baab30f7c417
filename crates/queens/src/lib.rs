//! N-Queens: place `n` queens on an `n` by `n` board so that none attacks another.
//!
//! This library counts, lists, finds, checks, traces and draws such placements. It is
//! computation only: it touches no file, socket, clock or environment, so it also
//! builds for the browser.
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
//! | `free` | the squares of a row (or the set of them, as bits) that no queen attacks |
//! | `bit` | one set bit of such a set: one square, one column |
//! | `placement` | some queens on a board, attacking each other or not |
//! | `solution` | a placement of `n` queens, none attacking another |
//! | `unit` | one numbered, independent piece of a count |
//!
//! *All* solutions are counted by `count`; *fundamental* solutions are one per class of
//! solutions that rotations and reflections carry into each other.

pub mod board;
pub mod check;
pub mod construct;
pub mod count;
pub mod estimate;
pub mod extend;
pub mod first;
pub mod format;
pub mod json;
pub mod known;
pub mod list;
pub mod placement;
pub mod random;
pub mod render;
pub mod search;
pub mod symmetry;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
