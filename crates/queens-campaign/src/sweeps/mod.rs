//! One process that counts whole blocks of units.
//!
//! A GPU can sweep: it counts all units with the same even row sets at once, in far less time than one
//! after the other. So units are claimed by blocks here. A block with units that are done already
//! is counted like any other; their counts are compared with those of the ledger, and stay on
//! record as recounts.
//!
//! A kill loses the block being counted, and so does a stop: up to two minutes of a card's time for
//! N = 28. A run that is to end at a certain time begins only blocks that it will have counted by then, as
//! fast as others of their class were; if one takes longer, it has a little more time, as
//! in [`crate::runner`].
//!
//! What cannot be swept is left to [`crate::runner`]: classes with too few queens, and blocks whose
//! counts do not fit the card.
//!
//! | file | what it has |
//! |---|---|
//! | `counter` | what counts blocks: a GPU |
//! | `blocks` | blocks, and how long they take |
//! | `process` | blocks are given to a device, and its counts go to the ledger |

mod blocks;
mod counter;
mod process;

pub use counter::{BlockCounter, open};
pub use process::{SweepNews, Swept, sweep};
