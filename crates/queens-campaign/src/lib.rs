//! Counts that last for days, survive anything, and can be trusted.
//!
//! A *campaign* is one SQLite file. It holds a **plan**, the count of N cut into numbered units,
//! and a **ledger**, one row per finished unit with its count and a check value. Once every unit is
//! in the ledger, the sum of its counts is the count of N. Everything about the campaign is in that
//! one file.
//!
//! The modules, in the order in which they may use each other; a test keeps it:
//!
//! | module | what it does |
//! |---|---|
//! | [`text`] | makes strangers' text safe to show |
//! | [`clock`] | times of day, as ledgers write them |
//! | `defence` | what a campaign relies on, by name, so that tests can take it out |
//! | [`process`] | who is at work on a file, and whether they are still alive |
//! | [`world`] | what a campaign needs from its machine: the clock, random numbers, the processes |
//! | [`row`] | one line of a ledger, and its check value |
//! | [`plan`] | groups the engine's units into plan units of similar cost |
//! | [`device_name`] | the names of devices, and whose counts check whose |
//! | [`ledger`] | creates, opens and checks the file; records counts; hands out claims |
//! | [`device`] | what can count a unit: CPU threads and GPUs |
//! | `pace` | how many units a thread of a crew takes at a time |
//! | [`crew`] | a thread per device, and a pool of units for all of them |
//! | `vigil` | which devices have stopped showing progress |
//! | [`runner`] | one process: devices count, the ledger records, nothing done is lost |
//! | [`sweeps`] | one process that counts whole blocks of units on a GPU |
//! | [`verify`] | counts random units again by other means |
//! | [`exchange`] | `export` and `merge`: ledgers from several places |
//! | [`page`] | the status of a campaign as a small HTML page |
//! | `queue` | many machines: the missing units as a NATS JetStream work queue; with the feature `nats` |
//!
//! Nothing here counts: the numbers come from the library `queens`. This crate makes sure that none
//! of them is lost or altered unseen, and that two counts of one unit are compared.

pub mod clock;
pub mod crew;
// Without the queue some of it is unused.
#[cfg_attr(not(feature = "nats"), allow(dead_code, unused_imports))]
mod defence;
pub mod device;
pub mod device_name;
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
pub mod sweeps;
pub mod text;
pub mod verify;
#[cfg_attr(not(feature = "nats"), allow(dead_code))]
mod vigil;
pub mod world;

/// The version of this program, as written into every ledger row.
pub const PROGRAM: &str = concat!("queens ", env!("CARGO_PKG_VERSION"));
