//! Counts that last for days, survive anything, and can be trusted.
//!
//! A *campaign* is one SQLite file. It holds a **plan**, the count of N cut into
//! numbered units, and a **ledger**, one row per finished unit with its count and
//! a check value. The count of N is the sum of the ledger once every unit is
//! there; until then everything about the campaign is in that one file.
//!
//! | module | what it does |
//! |---|---|
//! | [`plan`] | groups the engine's units into plan units of similar cost |
//! | [`ledger`] | creates, opens and checks the file; records counts; hands out claims |
//! | [`device`] | what can count a unit: CPU threads and GPUs |
//! | [`crew`] | a thread per device, and a pool of units for all of them |
//! | `defence` | what a campaign relies on, by name, so that tests can take it out |
//! | `pace` | how many units a thread of a crew takes at a time |
//! | `vigil` | which devices show no progress any more |
//! | [`runner`] | one process: devices count, the ledger records, nothing done is lost |
//! | [`verify`] | counts random units again by other means |
//! | [`exchange`] | `export` and `merge`: ledgers from several places |
//! | `queue` | many machines: the missing units as a NATS JetStream work queue; with the feature `nats` |
//! | [`world`] | what a campaign needs of its machine: the clock, chance, the processes |
//! | [`page`] | the status of a campaign as a small HTML page |
//!
//! Nothing here counts: the numbers come from the library `queens`, and this
//! crate only takes care that none is lost, counted twice or altered unseen.

pub mod clock;
pub mod crew;
// Without workers some of it has nothing to do.
#[cfg_attr(not(feature = "nats"), allow(dead_code, unused_imports))]
mod defence;
pub mod device;
pub mod exchange;
pub mod ledger;
mod pace;
pub mod page;
pub mod plan;
pub mod process;
#[cfg(feature = "nats")]
pub mod queue;
pub mod row;
pub mod runner;
pub mod text;
pub mod verify;
#[cfg_attr(not(feature = "nats"), allow(dead_code))]
mod vigil;
pub mod world;

/// The version of this program, as written into every ledger row.
pub const PROGRAM: &str = concat!("queens ", env!("CARGO_PKG_VERSION"));
