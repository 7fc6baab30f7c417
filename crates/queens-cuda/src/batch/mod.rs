//! Some units as one block of memory, which a card reads in place.
//!
//! A batch is filled in two steps. [`Batch::add`] appends a unit's lists: the walks and scans of
//! its row sets, and the pairs of row sets to count. A row set that several units share is added
//! once, and lists that are resident on the card are left out. [`Batch::seal`] appends the tables
//! that say where everything is, and cuts the pairs into jobs, each the work of one block of
//! threads. Then [`Batch::launch`] makes the argument of each launch, and [`Batch::counts`] makes
//! the counts of units from the sums of jobs.
//!
//! The files, in the order in which they may use each other:
//!
//! | file | what it has |
//! |---|---|
//! | `shared_memory.rs` | how much shared memory a block needs, and for what |
//! | `shape.rs` | what a card can hold, and how a class is counted on it |
//! | `words.rs` | the block of memory |
//! | `clusters.rs` | which walks one job can gather with |
//! | `section.rs` | the units of one class: the width of tiles and the size of blocks |
//! | `lay_out.rs` | the first step: units in sections |
//! | `jobs.rs` | the second step: sections in jobs, and jobs in launches |

mod clusters;
mod jobs;
mod lay_out;
mod section;
mod shape;
mod shared_memory;
mod words;

pub use jobs::Addresses;
pub use lay_out::{Batch, Wave};
pub use section::Config;
pub use shape::{Join, Shape, Tuning};
pub use shared_memory::Cell;
