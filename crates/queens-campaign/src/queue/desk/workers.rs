//! The workers that are present, and their devices.
//!
//! Workers say hello every two seconds and say how many units their devices count at once. A worker
//! that misses five greetings is gone; one that says it has no devices left is gone at once.
//! Greetings come from strangers, so the number of workers and the number of devices of each are
//! capped.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::message::{HELLO, Hello, MOST_PLACES};
use crate::device::Kind;
use crate::device_name::worker_of;

/// The most workers that are believed to be present.
const MOST_WORKERS: usize = 10_000;

/// The workers that said hello recently, by name.
#[derive(Default)]
pub(super) struct Workers {
    present: BTreeMap<String, Present>,
}

struct Present {
    seen: Duration,
    /// How many units its devices count at once.
    places: BTreeMap<Kind, usize>,
}

impl Workers {
    pub fn number(&self) -> usize {
        self.present.len()
    }

    pub fn is_empty(&self) -> bool {
        self.present.is_empty()
    }

    /// Notes that a worker said hello. Returns whether it came, went, or changed its devices.
    pub fn greet(&mut self, name: String, hello: Hello, now: Duration) -> bool {
        let places: BTreeMap<Kind, usize> = [(Kind::Cpu, hello.cpus), (Kind::Gpu, hello.gpus)]
            .into_iter()
            .filter(|&(_, n)| n > 0)
            .map(|(kind, n)| (kind, n.min(MOST_PLACES)))
            .collect();
        if places.is_empty() {
            self.present.remove(&name).is_some()
        } else if let Some(known) = self.present.get_mut(&name) {
            known.seen = now;
            let changed = known.places != places;
            known.places = places;
            changed
        } else if self.present.len() < MOST_WORKERS {
            let seen = now;
            self.present.insert(name, Present { seen, places });
            true
        } else {
            false
        }
    }

    /// Forgets a worker, if it is there.
    pub fn remove(&mut self, name: &str) {
        self.present.remove(name);
    }

    /// Forgets the workers that have been silent for long. Returns whether there were any.
    pub fn forget_the_silent(&mut self, now: Duration) -> bool {
        let before = self.present.len();
        self.present
            .retain(|_, worker| now.saturating_sub(worker.seen) < 5 * HELLO);
        self.present.len() < before
    }

    /// How many units of a kind the workers count at once.
    pub fn places(&self, kind: Kind) -> usize {
        let of_kind = |worker: &Present| worker.places.get(&kind).copied().unwrap_or(0);
        self.present.values().map(of_kind).sum()
    }

    /// A kind of device that some worker has, other than the worker that owns this device.
    pub fn other_than(&self, device: &str) -> Option<Kind> {
        let name = worker_of(device).unwrap_or_default();
        self.present
            .iter()
            .filter(|(other, _)| *other != name)
            .find_map(|(_, worker)| worker.places.keys().next().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(cpus: usize, gpus: usize) -> Hello {
        Hello { cpus, gpus }
    }

    #[test]
    fn workers_come_and_go() {
        let mut workers = Workers::default();
        let now = Duration::from_secs(100);
        assert!(workers.greet("ada".to_owned(), hello(4, 0), now));
        assert!(!workers.greet("ada".to_owned(), hello(4, 0), now));
        assert!(workers.greet("ada".to_owned(), hello(4, 1), now));
        assert!(workers.greet("bob".to_owned(), hello(2, 0), now + 3 * HELLO));
        assert_eq!(workers.places(Kind::Cpu), 6);
        assert_eq!(workers.places(Kind::Gpu), 1);
        assert!(!workers.forget_the_silent(now + 4 * HELLO));
        assert!(workers.forget_the_silent(now + 5 * HELLO));
        assert_eq!(workers.number(), 1);
        assert!(workers.greet("bob".to_owned(), hello(0, 0), now + 5 * HELLO));
        assert!(workers.is_empty());
    }

    #[test]
    fn a_worker_is_no_other_than_itself() {
        let mut workers = Workers::default();
        workers.greet("ada".to_owned(), hello(0, 1), Duration::ZERO);
        assert_eq!(workers.other_than("ada@box/cpu"), None);
        assert_eq!(workers.other_than("bob@box/cpu"), Some(Kind::Gpu));
        assert_eq!(workers.other_than("box/cpu"), Some(Kind::Gpu));
    }
}
