//! What a campaign needs from its machine: the time, random numbers, and which processes live.
//!
//! It is a trait, so that a simulation can let clocks jump and processes die at any moment, in the
//! same way in every run of a test.

use std::hash::{BuildHasher, Hasher, RandomState};

use crate::clock;
use crate::process::{self, Identity};

/// A machine with a clock and processes.
pub trait World: Send + Sync {
    /// Seconds since 1970 by the system's clock, which may be set forward or back.
    fn seconds(&self) -> u64;

    /// This process.
    fn me(&self) -> Identity;

    /// The clock tick at which a process was started; `None` if there is no such process.
    fn birth(&self, pid: u32) -> Option<u64>;

    /// A number that nobody can foresee.
    fn random(&self) -> u64 {
        random()
    }

    /// The fault that keeps the next transaction from the disk, if it is simulated. A real disk
    /// reports its own.
    fn disk(&self) -> Option<Fault> {
        None
    }
}

/// A random number, from the seed of the standard library's hash tables.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// What a simulated disk can do to a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Somebody else holds the file too long.
    Locked,
    /// There is no space left.
    Full,
}

/// The machine that the program runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine;

impl World for Machine {
    fn seconds(&self) -> u64 {
        clock::seconds()
    }

    fn me(&self) -> Identity {
        Identity::of_this_process()
    }

    fn birth(&self, pid: u32) -> Option<u64> {
        process::birth(pid)
    }
}
