//! Campaigns from the outside: the program, its file, and everything that can happen to
//! both.
//!
//! Every test works in a folder of its own and runs the real program. `counting` is the
//! ordinary life of a campaign, `faults` what it must survive, `exchange` ledgers from
//! several places, `files` the files it must refuse, `queue` many machines, `keys` who may
//! take part, `records` counts kept as one file per slice of work, `strangers` files that
//! somebody forged, and what other programs read in ours.
//!
//! `make check` runs `counting` and `exchange`, which need no other program; the rest needs
//! what `scripts/setup-tests` installs.

mod counting;
mod exchange;
mod faults;
mod files;
#[cfg(feature = "nats")]
mod keys;
#[cfg(feature = "nats")]
mod queue;
mod records;
mod strangers;
mod support;
