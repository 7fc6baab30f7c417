//! Sweeps on a card: one even row set with all odd ones at a time.
//!
//! [`queens::count::two_colour::sweep`] explains what a sweep is. The kernel's part is in
//! `lists.cu`, `deal.cu`, `cohort.cu`, `sweep.cu` and `join.cu`. This module lays out the inputs in
//! the card's memory, and runs the launches one after the other.
//!
//! | file | what it does |
//! |---|---|
//! | `machine.rs` | what a sweep needs of a card |
//! | `region.rs` | divides a card's memory |
//! | `tables.rs` | one colour: inputs, and the launches that make its tables |
//! | `count.rs` | both colours, joined to sums |
//! | `blocks.rs` | the units of blocks, row set by row set |
//! | `self_test.rs` | what a card must get right before it may sweep |
//! | `cuda.rs` | a CUDA card that sweeps |
//! | `sweeper.rs` | counts blocks on a card |

mod blocks;
mod count;
mod cuda;
mod machine;
mod region;
mod self_test;
mod sweeper;
mod tables;

pub use blocks::{count_block, count_blocks};
pub use count::{sums, table};
pub use machine::Machine;
pub use self_test::self_test;
pub use sweeper::Sweeper;
