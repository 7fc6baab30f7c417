//! One process that counts whole blocks of units.
//!
//! A GPU can sweep: it counts all units with the same even row sets at once. That takes far less
//! time than counting them one by one. Such units form a block, so this module claims units by
//! blocks. A block with some units already done is counted like any other; the new counts of those
//! units are compared with the ledger and stay on record as recounts.
//!
//! A kill or a stop loses the block being counted: up to two minutes of a card's time for N = 28. A
//! run with a time limit begins only blocks that it expects to finish in time, judging by earlier
//! blocks of their class. If one takes longer, it gets a little more time, as in [`crate::runner`].
//!
//! What cannot be swept is left to [`crate::runner`]: classes with too few queens, and blocks whose
//! counts are too large for the card.
//!
//! | file | what it has |
//! |---|---|
//! | `counter` | what counts blocks: a GPU |
//! | `blocks` | blocks, and how long they take |
//! | `process` | gives blocks to a device and records its counts in the ledger |

mod blocks;
mod counter;
mod process;

pub use counter::{BlockCounter, open};
pub use process::{SweepNews, Swept, sweep};
