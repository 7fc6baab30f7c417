//! The NATS server of a simulated day: two queues and a notice.
//!
//! It does what the program relies on: a queued unit is not queued twice, a message that was given
//! out belongs to nobody else for a while and then comes back, and an acknowledged message is gone.
//! It may be down, lose its disk or any stream or consumer, or wrongly take messages to be done.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::super::desk::{self, Snapshot, Token};
use super::super::message::{Notice, State};

/// The lease of units.
pub(super) const LEASE: Duration = Duration::from_secs(10);

/// How long a result belongs to the server before it is delivered again.
const RESULT_LEASE: Duration = Duration::from_secs(30);

/// The streams and consumers that a campaign's server makes there.
pub(super) const PARTS: [&str; 6] = ["units", "cpu", "results", "ledger", "notice", "dead"];

/// One of the two queues.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Queue {
    Units,
    Results,
}

impl Queue {
    /// The stream that holds its messages.
    pub fn stream(self) -> &'static str {
        match self {
            Queue::Units => "units",
            Queue::Results => "results",
        }
    }
}

/// A message in a queue.
struct Stored {
    /// Whether the consumer wrongly takes it to be done.
    skipped: bool,
    subject: String,
    payload: Vec<u8>,
    free_at: Duration,
    deliveries: u64,
}

impl Stored {
    fn set_free(&mut self) {
        self.skipped = false;
        self.free_at = Duration::ZERO;
    }

    /// Gives it out for a while, if it is free.
    fn lease(&mut self, now: Duration, lease: Duration) -> bool {
        let free = self.free_at <= now && !self.skipped;
        if free {
            self.free_at = now + lease;
            self.deliveries += 1;
        }
        free
    }
}

/// The NATS server.
#[derive(Default)]
pub(super) struct Broker {
    pub down: bool,
    pub notice: Option<Notice>,
    /// Counts the disks; a new disk has none of the messages of the old one.
    epoch: u64,
    /// The streams and consumers that it has, of [`PARTS`].
    parts: BTreeSet<&'static str>,
    /// The number of the last message.
    sequence: u64,
    units: BTreeMap<u64, Stored>,
    results: BTreeMap<u64, Stored>,
}

impl Broker {
    /// Whether the server is up and has all these streams and consumers.
    pub fn has(&self, parts: &[&str]) -> bool {
        !self.down && parts.iter().all(|part| self.parts.contains(part))
    }

    /// Makes all streams and consumers that are missing.
    pub fn make_all(&mut self) {
        self.parts.extend(PARTS);
    }

    /// Loses a stream with its messages, or a consumer.
    pub fn lose(&mut self, part: &'static str) {
        self.parts.remove(part);
        match part {
            "units" => {
                self.units.clear();
                self.parts.remove("cpu");
            }
            "results" => {
                self.results.clear();
                self.parts.remove("ledger");
            }
            "notice" => self.notice = None,
            // A new consumer begins with all messages.
            "cpu" => self.units.values_mut().for_each(Stored::set_free),
            "ledger" => self.results.values_mut().for_each(Stored::set_free),
            _ => {}
        }
    }

    /// Loses everything.
    pub fn lose_disk(&mut self) {
        *self = Broker {
            epoch: self.epoch + 1,
            down: self.down,
            ..Broker::default()
        };
    }

    /// Wrongly takes all messages to be done.
    pub fn skip_all(&mut self) {
        let queues = [&mut self.units, &mut self.results];
        for message in queues.into_iter().flat_map(|queue| queue.values_mut()) {
            message.skipped = true;
        }
    }

    /// How many messages are in a queue.
    pub fn number(&self, queue: Queue) -> usize {
        match queue {
            Queue::Units => self.units.len(),
            Queue::Results => self.results.len(),
        }
    }

    /// What is in the queues.
    pub fn snapshot(&self) -> Snapshot {
        let subjects =
            |all: &BTreeMap<u64, Stored>| all.values().map(|m| m.subject.clone()).collect();
        let stuck =
            |all: &BTreeMap<u64, Stored>| !all.is_empty() && all.values().all(|m| m.skipped);
        let consumers = [
            ("cpu", stuck(&self.units)),
            ("ledger", stuck(&self.results)),
        ];
        Snapshot {
            units: subjects(&self.units),
            results: subjects(&self.results),
            stuck: consumers
                .into_iter()
                .filter(|(_, stuck)| *stuck)
                .map(|(name, _)| name.to_owned())
                .collect(),
        }
    }

    /// Stores a message; a unit that is already there is refused.
    pub fn store(&mut self, queue: Queue, subject: String, payload: Vec<u8>, now: Duration) {
        self.sequence += 1;
        let messages = match queue {
            Queue::Results => &mut self.results,
            Queue::Units => &mut self.units,
        };
        if queue == Queue::Units && messages.values().any(|m| m.subject == subject) {
            return;
        }
        let message = Stored {
            skipped: false,
            subject,
            payload,
            free_at: now,
            deliveries: 0,
        };
        messages.insert(self.sequence, message);
    }

    /// Removes a unit from the queue.
    pub fn purge(&mut self, subject: &str) {
        self.units.retain(|_, message| message.subject != subject);
    }

    /// Posts a notice. One that says that all is done empties the queues.
    pub fn put_up(&mut self, notice: Notice) {
        if notice.state == State::Done {
            self.units.clear();
            self.results.clear();
        }
        self.notice = Some(notice);
    }

    /// Leases up to `most` units whose subjects begin with `prefix`.
    pub fn fetch(&mut self, prefix: &str, most: usize, now: Duration) -> Vec<(Token, Vec<u8>)> {
        let mut found = Vec::new();
        for (&place, message) in &mut self.units {
            if found.len() < most
                && message.subject.starts_with(prefix)
                && message.lease(now, LEASE)
            {
                found.push((token(self.epoch, place), message.payload.clone()));
            }
        }
        found
    }

    /// Delivers all results that are free.
    pub fn deliver(&mut self, now: Duration) -> Vec<desk::Input> {
        let mut due = Vec::new();
        for (&place, message) in &mut self.results {
            if message.lease(now, RESULT_LEASE) {
                due.push(desk::Input::Result {
                    token: token(self.epoch, place),
                    subject: message.subject.clone(),
                    payload: message.payload.clone(),
                    deliveries: message.deliveries,
                });
            }
        }
        due
    }

    /// Removes a message that is done.
    pub fn acknowledge(&mut self, queue: Queue, token: Token) {
        if let Some(place) = self.place(token) {
            match queue {
                Queue::Units => self.units.remove(&place),
                Queue::Results => self.results.remove(&place),
            };
        }
    }

    /// Makes a unit that was given out free at this time.
    pub fn free_unit_at(&mut self, token: Token, free_at: Duration) {
        if let Some(place) = self.place(token)
            && let Some(message) = self.units.get_mut(&place)
        {
            message.free_at = free_at;
        }
    }

    /// The number of the message that a token stands for, if the server is up and still has the
    /// disk with the message.
    fn place(&self, token: Token) -> Option<u64> {
        let known = !self.down && token >> 40 == self.epoch;
        known.then_some(token & ((1 << 40) - 1))
    }
}

/// The disk and the number of a message in one number.
fn token(epoch: u64, sequence: u64) -> Token {
    epoch << 40 | sequence
}
