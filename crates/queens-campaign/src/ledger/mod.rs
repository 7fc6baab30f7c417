//! The campaign file: plan and ledger in one SQLite database.
//!
//! What the file promises, and how:
//!
//! - **A recorded unit stays recorded.** Commits use a rollback journal with `synchronous = FULL`:
//!   when [`Campaign::turn`] returns, the row is on the disk and survives a power loss. A
//!   write-ahead log would save two disk flushes per commit, but no device waits for them anyway.
//!   With a journal the file is complete between commits: it can be copied, mailed, or put on a
//!   read-only disk or on a file system without shared memory.
//! - **No unit is claimed by two processes, and none is lost.** Units are claimed in the same
//!   transaction that records the previous ones; see [`claims`]. A process that sleeps or hangs
//!   loses its claims; if it goes on later, both counts are compared.
//! - **No other file is ever written to.** The header is read as plain bytes before SQLite sees the
//!   file; see [`file`](mod@file).
//! - **An altered row is noticed.** Every row has a check value, and the plan has a digest; see
//!   [`audit`].
//! - **The file also keeps what a server of workers must remember**; see [`desk`].
//! - **Two counts of one unit must agree.** The second one is kept in `recount`; if it differs, the
//!   unit is disputed, and all work stops until it is counted again.
//!
//! The files, in the order in which they may use each other; a test keeps it:
//!
//! | file | what it does |
//! |---|---|
//! | `schema` | the tables, and whether a file has exactly these |
//! | `error` | what can go wrong, in one line each |
//! | `info` | the fixed facts of a campaign, and a check over them |
//! | [`file`](mod@file) | creates and opens files without harming others |
//! | `campaign` | an open file: its plan, and transactions |
//! | `rows` | reads rows back, and recognises altered ones |
//! | `record` | records counts and recounts; disputes; drops and replaces rows |
//! | `processes` | who is at work on the file |
//! | [`claims`] | shares the units between processes |
//! | `progress` | how far a campaign is, for `status` |
//! | `checks` | which units were counted again, and by what |
//! | `suggest` | estimates the whole count from the units that are done |
//! | [`desk`] | what a server of workers must remember |
//! | [`audit`] | checks the whole file, and adds up the result |

pub mod audit;
mod campaign;
mod checks;
pub mod claims;
pub mod desk;
mod error;
pub mod file;
mod info;
mod processes;
mod progress;
mod record;
mod rows;
mod schema;
mod suggest;

pub use campaign::Campaign;
pub use checks::{Checks, Recounted};
pub use error::LedgerError;
pub use file::{Access, MAGIC};
pub use info::Info;
pub use processes::Active;
pub use progress::{DeviceTally, Progress, Recounts};
pub use record::Recorded;
pub(crate) use rows::Table;
pub use suggest::Suggested;
