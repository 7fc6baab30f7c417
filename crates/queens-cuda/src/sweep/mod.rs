//! Sweeps on a card: one even row set with all odd ones at a time.
//!
//! The library says what a sweep is ([`queens::count::two_colour::sweep`]); the kernel has it in
//! `lists.cu`, `deal.cu`, `cohort.cu`, `sweep.cu` and `join.cu`. Here its inputs are laid out in the card's
//! memory, and its launches follow each other.
//!
//! | file | what it does |
//! |---|---|
//! | `machine.rs` | what is asked of a card |
//! | `region.rs` | shares memory out |
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
