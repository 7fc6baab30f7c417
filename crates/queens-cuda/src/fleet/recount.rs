//! Counting a random share of the units again on the CPU.

use crate::Error;
use crate::lock::lock;
use queens::count::two_colour::{Counter, Simd};
use queens::random::Random;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};

/// A random share of units to count again on the CPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verify {
    /// From 0, none, to 1, all.
    pub share: f64,
    /// Chooses which units.
    pub seed: u64,
}

impl Verify {
    /// Whether this unit belongs to the share.
    pub fn picks(&self, unit: u64) -> bool {
        Random::at(self.seed, unit).share() < self.share
    }
}

/// Counts that wait to be checked.
#[derive(Default)]
pub(crate) struct Checks {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    /// Units and their counts.
    counts: VecDeque<(u64, u64)>,
    /// Whether no more will come.
    closed: bool,
}

impl Checks {
    /// Adds a unit and its count.
    pub fn push(&self, unit: u64, count: u64) {
        lock(&self.waiting).counts.push_back((unit, count));
        self.changed.notify_one();
    }

    /// Notes that no more will come.
    pub fn close(&self) {
        lock(&self.waiting).closed = true;
        self.changed.notify_all();
    }

    fn next(&self) -> Option<(u64, u64)> {
        let mut waiting = lock(&self.waiting);
        loop {
            if let Some(next) = waiting.counts.pop_front() {
                return Some(next);
            }
            if waiting.closed {
                return None;
            }
            waiting = self
                .changed
                .wait(waiting)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    /// Checks counts until no more come, and reports those that differ.
    pub fn work(&self, n: u32, halted: &AtomicBool, report: impl Fn(Error)) {
        let mut counter =
            Counter::new(n as usize, Simd::Auto).expect("every size here has a counter");
        while let Some((unit, gpu)) = self.next() {
            if halted.load(Ordering::Relaxed) {
                continue;
            }
            if let Some(cpu) = counter.count(unit, halted)
                && cpu != gpu
            {
                report(Error::Differs {
                    self_test: false,
                    n,
                    unit,
                    cpu,
                    gpu,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_one_picks_every_unit_and_a_share_of_none_picks_none() {
        for (share, expected) in [
            (0.0, 0..1),
            (0.01, 60..140),
            (0.5, 4800..5200),
            (1.0, 10_000..10_001),
        ] {
            for seed in [0, 1, 0xdead_beef] {
                let verify = Verify { share, seed };
                let picked = (0..10_000).filter(|&unit| verify.picks(unit)).count();
                assert!(expected.contains(&picked), "{share} {seed}: {picked}");
            }
        }
    }
}
