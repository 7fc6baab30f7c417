//! What the desk goes by, what it hears, what it wants and what it tells.
//!
//! These types are all that the program and the simulation see of it besides the desk itself:
//! an [`Input`] for everything that may happen, an [`Output`] for everything that it may want. An
//! answer to an output comes back as an input: `Output::Publish` as `Input::Published`,
//! `Output::ReadQueue` as `Input::Queue`, `Output::Check` as `Input::Checked`, or not at all.

use std::time::Duration;

use super::super::message::{Hello, Notice, Presence, Task};
use crate::defence::Defence;
use crate::device::Kind;
use crate::device_name::independent;
use crate::plan::Planned;
use crate::row::Row;

/// A message that can be acknowledged; the network knows which one is meant.
pub(in crate::queue) type Token = u64;

/// How a campaign is served.
#[derive(Clone, Debug)]
pub(in crate::queue) struct Rules {
    /// This program; workers must be the same.
    pub program: String,
    /// A unit comes back after this time without a sign of its worker.
    pub lease: Duration,
    /// The share of every worker's units that somebody else counts again.
    pub audit: f64,
    /// Whether everything is counted twice.
    pub twice: bool,
    /// The device of the server's own machine, if it is known: it does not check itself.
    pub own_device: Option<String>,
    /// Tells this server from others.
    pub session: String,
    /// Seed of what nobody should foresee.
    pub seed: u64,
}

impl Rules {
    /// Whether the server's own machine counts when somebody must be checked.
    pub fn check_workers(&self) -> bool {
        self.audit > 0.0 || self.twice
    }

    /// Whether a count by the server's own machine is a check of one by this device.
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
    /// A worker lives.
    Hello(String, Hello),
    /// Another server of this campaign lives.
    Rival(Presence),
    /// The streams are there, or not.
    Prepared(Result<(), String>),
    /// What is in the queues; `Err(None)` when a stream or consumer is missing.
    Queue(Result<Snapshot, Option<String>>),
    /// A unit is in the queue, or not; `Err(true)` when there is no queue any more.
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
    /// Consumers that believe their queue to be empty though it is not, as happens when a
    /// NATS server was killed between writing the one and the other.
    pub stuck: Vec<String>,
}

/// What the desk wants.
#[derive(Debug)]
pub(in crate::queue) enum Output {
    /// Make the streams, or find them.
    Prepare,
    /// Say what is in the queues.
    ReadQueue,
    /// Queue a unit.
    Publish(Kind, Box<Task>),
    /// Make these consumers anew.
    Reset(Vec<String>),
    /// Take what has this subject out of the queue of units.
    Purge(String),
    /// Put up the notice.
    Post(Box<Notice>),
    /// Say to other servers that this one is here.
    Announce(Presence),
    /// A result is recorded.
    Ack(Token),
    /// A result is refused for good.
    Terminate(Token),
    /// Keep a refused result for people to look at.
    Bury(Vec<u8>),
    /// Count this unit on the server's own machine.
    Check(Planned),
    /// Something to tell.
    Tell(Told),
}

/// What a desk tells whoever started it.
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
    /// Workers that said hello lately.
    pub workers: usize,
    /// Units that their devices count at once.
    pub places: usize,
    /// Units that somebody is counting again.
    pub checks: usize,
}
