//! The machine on which the server and the local runs of a simulated day live.
//!
//! Its clock jumps, its disk is slow or full, and its processes live or die; to the ledger it looks
//! like any other [`World`]. Workers have machines of their own, which need no simulation.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use queens::random::Random;

use crate::process::Identity;
use crate::world::{Fault, World};

/// The device with which the server counts its own checks.
pub(super) const OWN_DEVICE: &str = "box/cpu-check";

/// The wall clock when a day begins.
pub(super) const MORNING: u64 = 1_800_000_000;

/// The machine itself.
pub(super) struct Machine {
    /// The wall clock, in seconds.
    pub wall: AtomicU64,
    random: Mutex<Random>,
    /// The living processes.
    pub alive: Mutex<BTreeSet<u32>>,
    /// Whether the disk is slow: to a ledger, its file then seems to be locked.
    pub locked: AtomicBool,
    /// Whether the disk is full.
    pub full: AtomicBool,
}

impl Machine {
    pub fn new(random: Random) -> Machine {
        Machine {
            wall: AtomicU64::new(MORNING),
            random: Mutex::new(random),
            alive: Mutex::default(),
            locked: AtomicBool::new(false),
            full: AtomicBool::new(false),
        }
    }
}

/// The machine as one of its processes sees it.
pub(super) struct Process {
    pub machine: Arc<Machine>,
    pub pid: u32,
}

impl World for Process {
    fn seconds(&self) -> u64 {
        self.machine.wall.load(Ordering::Relaxed)
    }

    fn me(&self) -> Identity {
        Identity {
            host: "box".to_owned(),
            boot: "boot".to_owned(),
            namespace: "all".to_owned(),
            pid: self.pid,
            birth: 1,
        }
    }

    fn birth(&self, pid: u32) -> Option<u64> {
        self.machine
            .alive
            .lock()
            .unwrap()
            .contains(&pid)
            .then_some(1)
    }

    fn random(&self) -> u64 {
        self.machine.random.lock().unwrap().bits()
    }

    fn disk(&self) -> Option<Fault> {
        if self.machine.full.load(Ordering::Relaxed) {
            Some(Fault::Full)
        } else if self.machine.locked.load(Ordering::Relaxed) {
            Some(Fault::Locked)
        } else {
            None
        }
    }
}
