//! The desk's rules, and what it hears, wants and tells.
//!
//! Besides the desk itself, the program and the simulation see only these types: an [`Input`] for
//! everything that may happen, an [`Output`] for everything that the desk may want. The answer to
//! an output comes back as an input, or not at all: `Output::Publish` as `Input::Published`,
//! `Output::ReadQueue` as `Input::Queue`, `Output::Check` as `Input::Checked`.

use std::time::Duration;

use super::super::message::{Hello, Notice, Presence, Task};
use crate::defence::Defence;
use crate::device::Kind;
use crate::device_name::independent;
use crate::plan::Planned;
use crate::row::Row;

/// Stands for a message that can be acknowledged; the network layer keeps the message.
pub(in crate::queue) type Token = u64;

/// How a campaign is served.
#[derive(Clone, Debug)]
pub(in crate::queue) struct Rules {
    /// This program; workers must run the same one.
    pub program: String,
    /// A unit comes back if its worker gives no sign of life for this long.
    pub lease: Duration,
    /// The share of every worker's units that somebody else counts again.
    pub audit: f64,
    /// Whether every unit is counted twice.
    pub twice: bool,
    /// The server's own device, if it is known: it must not check itself.
    pub own_device: Option<String>,
    /// Tells this server from others.
    pub session: String,
    /// Seed of the random draws, which nobody should foresee.
    pub seed: u64,
}

impl Rules {
    /// Whether the server's own machine counts units to check workers.
    pub fn check_workers(&self) -> bool {
        self.audit > 0.0 || self.twice
    }

    /// Whether a count by the server's own machine checks a count by this device.
    pub fn can_check(&self, device: &str) -> bool {
        let own = self.own_device.as_deref();
        own.is_none_or(|own| independent(device, own))
    }

    /// Whether every unit is counted again.
    pub fn check_everything(&self) -> bool {
        self.twice && Defence::Twice.stands()
    }

    /// The share of a worker's units that is counted again.
    pub fn share_to_check(&self) -> f64 {
        match Defence::Audit.stands() {
            true => self.audit,
            false => 0.0,
        }
    }
}

/// What the desk hears.
#[derive(Debug)]
pub(in crate::queue) enum Input {
    /// Time has passed.
    Tick,
    /// A worker is alive.
    Hello(String, Hello),
    /// Another server of this campaign is alive.
    Rival(Presence),
    /// Whether the streams are there.
    Prepared(Result<(), String>),
    /// What is in the queues; `Err(None)` when a stream or consumer is missing.
    Queue(Result<Snapshot, Option<String>>),
    /// Whether a unit is in the queue; `Err(true)` when the queue itself is gone.
    Published(u64, Result<(), bool>),
    /// A result.
    Result {
        token: Token,
        subject: String,
        payload: Vec<u8>,
        /// How often it was delivered, this time included.
        deliveries: u64,
    },
    /// The server's own machine has counted a unit.
    Checked(Row),
}

/// The subjects of all messages in the queues.
#[derive(Debug, Default)]
pub(in crate::queue) struct Snapshot {
    pub units: Vec<String>,
    pub results: Vec<String>,
    /// Consumers that take their queue to be empty although it is not. This happens when a NATS
    /// server is killed between writing the queue and writing the consumer.
    pub stuck: Vec<String>,
}

/// What the desk wants.
#[derive(Debug)]
pub(in crate::queue) enum Output {
    /// Make the streams, or find them.
    Prepare,
    /// Read what is in the queues.
    ReadQueue,
    /// Queue a unit.
    Publish(Kind, Box<Task>),
    /// Delete these consumers and make them again.
    Reset(Vec<String>),
    /// Remove the message with this subject from the queue of units.
    Purge(String),
    /// Post the notice.
    Post(Box<Notice>),
    /// Announce this server to others.
    Announce(Presence),
    /// A result is recorded.
    Ack(Token),
    /// A result is refused for good.
    Terminate(Token),
    /// Keep a refused result for people to look at.
    Bury(Vec<u8>),
    /// Count this unit on the server's own machine.
    Check(Planned),
    /// Tell the caller something.
    Tell(Told),
}

/// What a desk tells its caller.
#[derive(Clone, Debug)]
pub(in crate::queue) enum Told {
    Workers(usize),
    NeedsWorker,
    Refused(String),
    Trouble(String),
    ShutOut {
        worker: String,
        why: String,
        units: usize,
    },
}

/// How far the campaign is.
#[derive(Clone, Debug, Default)]
pub struct Served {
    /// Units in the ledger.
    pub units: u64,
    /// Their expected cost.
    pub cost: u64,
    /// Expected cost finished per second since the server started.
    pub rate: f64,
    /// Workers that said hello recently.
    pub workers: usize,
    /// Units that their devices count at once.
    pub places: usize,
    /// Units that are being counted again.
    pub checks: usize,
}
