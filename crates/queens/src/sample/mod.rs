//! Random solutions: each of all solutions of a board equally likely, or nearly so.
//!
//! | | how | boards | promise |
//! |---|---|---|---|
//! | [`Exact`] | through the counts of black and white queens | 0 to 22 | exactly uniform |
//! | [`Chain`] | a Markov chain that was cooled and then mixed | 1 to 1,000 | approximately |
//!
//! [`Exact`] counts first, which takes as long as a count by the two-colour engine: a moment up
//! to 16 queens, seconds for 20, minutes for 22. From then on a uniform random number below
//! the count is turned into the solution of that number, so draws are as uniform as the
//! generator is, and independent.
//!
//! [`Chain`] needs no count. Its draws are independent of each other, but each is only as
//! uniform as its chain is well mixed, which nobody can prove: [`Chain::moves`] says how long
//! it was mixed, and the tests compare it with the uniform distribution where that is known.

mod chain;
mod exact;
mod unit;

pub use chain::Chain;
pub use exact::{Exact, LARGEST_EXACT};
