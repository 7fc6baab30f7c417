//! The server of a campaign as a machine: what it hears goes in, what it wants comes out.
//!
//! The desk has no clock, no thread and no network. It is told the time and what happened
//! ([`Input`]), writes to the ledger, and leaves behind what is to be done ([`Output`]). The
//! program drives it with NATS ([`serve`](super::serve)), the tests with a simulated network
//! that loses, delays and repeats whatever it likes, the same way for the same seed.
//!
//! **Units.** The desk claims units in the file like any process that counts, so `queens
//! campaign run` on the same file never does them too. Only as many are queued as the workers
//! that said hello will do in half a minute, by kind of device. Every ten seconds the queue is
//! compared with what should be in it: a unit that is neither queued nor recorded, nor among
//! the results on their way, was lost and is published again. If a stream or a consumer is gone,
//! all that is missing is made anew and everything is published again.
//!
//! **Results.** A result is judged once, and then acknowledged or refused for good; nothing
//! that was judged comes back. It must come from the worker that its subject names, be of
//! this program, fit its check value, and carry the range of the unit and the proof that the
//! unit was given out. What was refused is noted in the file once a second, however much it is.
//!
//! **Trust.** A worker is a newcomer until one of its counts was found right: its results wait
//! while the server's own machine counts the first of them. Later a random share of its units
//! is counted again. A quarter of that share is counted by the server's own machine, whoever else
//! is there, for names prove nothing, and two of them may be one liar that confirms itself. The
//! rest is counted by another worker, or by the server's own machine where there is none. With
//! `twice` every unit is counted again; what the server's own machine counted waits for a worker.
//! When every unit is done, the server's own machine counts some more of every worker, drawn from
//! all that it ever counted; only then do checks by workers count.
//! When two counts differ, the server's own machine decides. Whoever was wrong is shut out,
//! and everything it counted is dropped and counted again. How often a worker was checked
//! follows from rows and recounts in the ledger, so a server that is killed forgets nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::time::Duration;

use queens::random::Random;

use super::QueueError;
use super::message::{
    self, Answer, HELLO, Hello, MOST_PLACES, Names, Notice, Presence, State, Task,
};
use crate::defence::Defence;
use crate::device::Kind;
use crate::device_name::{independent, worker_of};
use crate::ledger::claims::Member;
use crate::ledger::desk::{FEWEST_CHECKS, MOST_WORDS, Standing};
use crate::ledger::{Campaign, LedgerError, Recorded};
use crate::plan::Planned;
use crate::process;
use crate::row::Row;
use crate::runner::Finish;
use crate::text::plain;

/// A message that can be acknowledged; the network knows which one is meant.
pub(super) type Token = u64;

/// How a campaign is served.
#[derive(Clone, Debug)]
pub(super) struct Rules {
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
    pub fn checks(&self) -> bool {
        self.audit > 0.0 || self.twice
    }

    /// Whether a count by the server's own machine is a check of one by this device.
    fn can_check(&self, device: &str) -> bool {
        let own = self.own_device.as_deref();
        own.is_none_or(|own| independent(device, own))
    }
}

/// What the desk hears.
#[derive(Debug)]
pub(super) enum Input {
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
pub(super) struct Snapshot {
    pub units: Vec<String>,
    pub results: Vec<String>,
    /// Consumers that believe their queue to be empty though it is not, as happens when a
    /// NATS server was killed between writing the one and the other.
    pub stuck: Vec<String>,
}

/// What the desk wants.
#[derive(Debug)]
pub(super) enum Output {
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
pub(super) enum Told {
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

/// How long to bear with others that hold the file.
const PATIENCE: Duration = Duration::from_secs(300);

/// A result that the desk could not take after this many deliveries is refused. Those that it
/// holds are delivered again and again until they are recorded, however long that takes.
const MOST_DELIVERIES: u64 = 50;

/// The part of the share that is counted again by the server's own machine, which has one thread
/// for it: with the default of 1 % it keeps up with four hundred threads of workers.
const OWN_PART: f64 = 0.25;

/// How many units the server's own machine counts again at the end, of all workers together; of
/// each at least [`FEWEST_CHECKS`].
const LAST_CHECKS: u64 = 8;

/// The most results of newcomers that are kept in memory; more come again by themselves.
const MOST_HELD: usize = 10_000;

/// The most workers that are believed to be there.
const MOST_WORKERS: usize = 10_000;

/// How often refused results are noted in the file, at most.
const NOTING: Duration = Duration::from_secs(1);

/// How long to listen for another server before beginning.
const LISTEN: Duration = Duration::from_millis(300);

/// How many units of a worker the server's own machine counts again, by itself.
pub(super) fn own_checks(standing: &Standing, audit: f64) -> u64 {
    let share = (standing.units as f64 * audit * OWN_PART).ceil() as u64;
    share.max(standing.fewest()).min(standing.units)
}

/// How many units of a worker somebody else counts again, whoever that is.
pub(super) fn checks(standing: &Standing, audit: f64, twice: bool) -> u64 {
    let share = (standing.units as f64 * audit).ceil() as u64;
    match twice {
        true => standing.units,
        false => share.max(FEWEST_CHECKS).min(standing.units),
    }
}

enum Phase {
    /// The file is being joined.
    Opening,
    /// Is another server there?
    Listening(Duration),
    /// The streams are being made.
    Preparing,
    Serving,
}

/// A unit in the queue.
struct Queued {
    kind: Kind,
    planned: Planned,
    /// How many comparisons in a row did not find it in the queue.
    absent: u32,
    /// Whether the queue has it, as far as is known; if not, when to try again.
    unpublished: Option<Duration>,
    /// The device that has counted it already, and when it was given out again.
    second: Option<(String, Duration)>,
}

/// How fast a kind of device works, over the last ten to twenty seconds.
#[derive(Default)]
struct Pace {
    since: Duration,
    count: u64,
    before: f64,
}

impl Pace {
    fn per_second(&self, now: Duration) -> f64 {
        let seconds = now.saturating_sub(self.since).as_secs_f64();
        (self.count as f64 / seconds.max(1.0)).max(self.before)
    }

    fn turn(&mut self, now: Duration) {
        let seconds = now.saturating_sub(self.since).as_secs_f64();
        if seconds > 10.0 {
            *self = Pace {
                since: now,
                count: 0,
                before: self.count as f64 / seconds,
            };
        }
    }
}

struct Present {
    seen: Duration,
    devices: BTreeMap<Kind, usize>,
}

/// A result that was judged and is to be recorded, or waits for something.
#[derive(Clone, Debug)]
struct Taken {
    row: Row,
    /// None for the server's own counts.
    token: Option<Token>,
}

/// Why a result is not taken.
enum Flaw {
    /// It is refused for good.
    Refused(String),
    /// What it is compared with cannot be read now.
    Unread(LedgerError),
}

/// Results that were refused and are not noted in the file yet.
#[derive(Default)]
struct Refused {
    number: u64,
    /// How many of them were told and kept in the stream of dead letters.
    told: u64,
    /// Why the last of them were refused.
    words: VecDeque<String>,
    /// When to note them.
    next: Duration,
}

/// The server of a campaign.
pub(super) struct Desk {
    rules: Rules,
    names: Names,
    notice: Notice,
    presence: Presence,
    secret: String,
    random: Random,
    phase: Phase,
    member: Option<Member>,
    out: Vec<Output>,
    finish: Option<Finish>,
    served: Served,
    begun: Duration,
    mine: u64,

    queued: BTreeMap<u64, Queued>,
    paces: BTreeMap<Kind, Pace>,
    workers: BTreeMap<String, Present>,

    standings: BTreeMap<String, Standing>,
    shut_out: BTreeSet<String>,
    /// Results of newcomers, by worker and unit.
    held: BTreeMap<(String, u64), Taken>,
    /// Units that the server's own machine counts; with the newcomer that waits for it.
    checks: BTreeMap<u64, Option<String>>,
    /// Counts that wait for such a check.
    contested: BTreeMap<u64, Vec<(String, Taken)>>,
    /// Units that the server's own machine has counted.
    decided: BTreeSet<u64>,
    /// Units of workers from which the last checks were drawn already.
    drawn_from: HashSet<u64>,
    /// Checks that are done and could not be settled yet.
    settling: Vec<Row>,
    /// Results to be recorded with the next turn.
    pending: Vec<Taken>,
    /// Results of units that are among those.
    after: Vec<(String, Taken)>,
    refused: Refused,

    next_turn: Duration,
    next_compare: Duration,
    next_prepare: Duration,
    next_announcement: Duration,
    next_look_at_checks: Duration,
    next_progress: Duration,
    reading: Option<Duration>,
    stuck: Vec<String>,
    /// When the file was first found to be held by others.
    busy: Option<Duration>,
    /// Whether it was told that units wait for a worker, since there was one.
    told_to_wait: bool,
}

impl Desk {
    pub fn new(rules: Rules, campaign: &Campaign, now: Duration) -> Desk {
        let info = campaign.info();
        let notice = Notice {
            campaign: info.id.clone(),
            n: info.n,
            algorithm: info.algorithm.clone(),
            program: rules.program.clone(),
            plan_digest: info.plan_digest.clone(),
            units: info.units,
            lease_seconds: rules.lease.as_secs_f64(),
            state: State::Open,
            shut_out: Vec::new(),
        };
        let presence = Presence {
            listening: true,
            since: campaign.world().seconds(),
            session: rules.session.clone(),
        };
        Desk {
            names: Names::new(&info.id),
            random: Random::new(rules.seed),
            rules,
            notice,
            presence,
            secret: String::new(),
            phase: Phase::Opening,
            member: None,
            out: Vec::new(),
            finish: None,
            served: Served::default(),
            begun: now,
            mine: 0,
            queued: BTreeMap::new(),
            paces: BTreeMap::new(),
            workers: BTreeMap::new(),
            standings: BTreeMap::new(),
            shut_out: BTreeSet::new(),
            held: BTreeMap::new(),
            checks: BTreeMap::new(),
            contested: BTreeMap::new(),
            decided: BTreeSet::new(),
            drawn_from: HashSet::new(),
            settling: Vec::new(),
            pending: Vec::new(),
            after: Vec::new(),
            refused: Refused::default(),
            next_turn: now,
            next_compare: now,
            next_prepare: now,
            next_announcement: now,
            next_look_at_checks: now,
            next_progress: now,
            reading: None,
            stuck: Vec::new(),
            busy: None,
            told_to_wait: false,
        }
    }

    /// What is to be done since this was last asked.
    pub fn outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.out)
    }

    /// How the service ended, if it did.
    pub fn finished(&self) -> Option<Finish> {
        self.finish
    }

    pub fn served(&self) -> &Served {
        &self.served
    }

    /// The process in the file, to leave it at the end.
    pub fn member(&self) -> Option<&Member> {
        self.member.as_ref()
    }

    /// The notice that says how it ended.
    pub fn last_notice(&self, state: State) -> Notice {
        Notice {
            state,
            ..self.notice.clone()
        }
    }

    /// Hears some things at the time `now`. What is to be done then is in [`Desk::outputs`],
    /// also when this is an error.
    pub fn hear(
        &mut self,
        inputs: impl IntoIterator<Item = Input>,
        now: Duration,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        for input in inputs {
            self.hear_one(input, now, campaign)?;
        }
        self.proceed(now, campaign)
    }

    fn hear_one(
        &mut self,
        input: Input,
        now: Duration,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        match input {
            Input::Tick => {}
            Input::Hello(name, hello) => self.greet(name, hello, now),
            Input::Rival(rival) if rival.session != self.presence.session => {
                if rival < self.presence {
                    return Err(QueueError::ServedElsewhere(self.names.id.clone()));
                }
                self.out.push(Output::Announce(self.presence.clone()));
            }
            Input::Rival(_) => {}
            Input::Prepared(Ok(())) => self.prepared(now),
            Input::Prepared(Err(why)) => {
                // Also while serving: of what was to be made anew, some may be missing now.
                if matches!(self.phase, Phase::Serving) {
                    self.phase = Phase::Preparing;
                }
                self.next_prepare = now + Duration::from_secs(1);
                self.tell(Told::Trouble(why));
            }
            Input::Queue(snapshot) => self.compare(snapshot, now, campaign)?,
            Input::Published(unit, outcome) => self.published(unit, outcome, now),
            Input::Result {
                token,
                subject,
                payload,
                deliveries,
            } => match self.result(token, &subject, payload, deliveries, now, campaign) {
                // It was not acknowledged, so it comes again.
                Err(QueueError::Ledger(error)) => self.later(error, now)?,
                outcome => outcome?,
            },
            Input::Checked(row) => self.settling.push(row),
        }
        Ok(())
    }

    /// Does what is due.
    fn proceed(&mut self, now: Duration, campaign: &mut Campaign) -> Result<(), QueueError> {
        self.note_refusals(now, campaign);
        match self.phase {
            Phase::Opening => {
                if now < self.next_turn {
                    return Ok(());
                }
                match self.open(campaign) {
                    Ok(()) => {
                        self.busy = None;
                        self.phase = Phase::Listening(now + LISTEN);
                        self.out.push(Output::Announce(self.presence.clone()));
                        Ok(())
                    }
                    Err(error) => self.later(error, now),
                }
            }
            Phase::Listening(until) => {
                if now >= until {
                    self.presence.listening = false;
                    self.phase = Phase::Preparing;
                    self.next_prepare = now;
                    self.prepare(now);
                }
                Ok(())
            }
            Phase::Preparing => {
                self.prepare(now);
                // What waits to be recorded does not need the streams.
                self.record(now, campaign)
            }
            Phase::Serving => {
                self.keep_house(now);
                self.settle(now, campaign)?;
                self.record(now, campaign)
            }
        }
    }

    /// Joins the file and reads what earlier servers left there.
    fn open(&mut self, campaign: &mut Campaign) -> Result<(), LedgerError> {
        if self.member.is_none() {
            self.member = Some(campaign.join("serve")?);
        }
        self.secret = campaign.secret()?;
        self.standings = campaign.standings()?;
        self.shut_out = campaign.shut_outs()?.into_keys().collect();
        Ok(())
    }

    /// Bears with others that hold the file, for some time.
    fn later(&mut self, error: LedgerError, now: Duration) -> Result<(), QueueError> {
        let since = *self.busy.get_or_insert(now);
        match error {
            LedgerError::Busy(_) if now.saturating_sub(since) < PATIENCE => {
                self.next_turn = now + Duration::from_millis(200);
                Ok(())
            }
            error => Err(error.into()),
        }
    }

    fn prepare(&mut self, now: Duration) {
        if now >= self.next_prepare {
            // If no answer comes at all, ask again.
            self.next_prepare = now + Duration::from_secs(30);
            self.out.push(Output::Prepare);
        }
    }

    fn prepared(&mut self, now: Duration) {
        self.notice.shut_out = self.shut_out.iter().cloned().collect();
        self.out.push(Output::Post(Box::new(self.notice.clone())));
        self.phase = Phase::Serving;
        self.next_turn = now;
        self.next_compare = now;
        self.reading = None;
        for queued in self.queued.values_mut() {
            queued.unpublished = Some(now);
        }
    }

    /// The queues are gone: everything begins anew, except for what is in the ledger.
    fn lost(&mut self, now: Duration) {
        if matches!(self.phase, Phase::Serving) && Defence::LostQueues.stands() {
            self.tell(Told::Trouble(
                "the queues are gone; they are made anew".to_owned(),
            ));
            self.phase = Phase::Preparing;
            self.next_prepare = now;
        }
    }

    fn tell(&mut self, told: Told) {
        self.out.push(Output::Tell(told));
    }

    /// Notes a worker.
    fn greet(&mut self, name: String, hello: Hello, now: Duration) {
        if self.shut_out.contains(&name) {
            return;
        }
        let devices: BTreeMap<Kind, usize> = [(Kind::Cpu, hello.cpus), (Kind::Gpu, hello.gpus)]
            .into_iter()
            .filter(|&(_, n)| n > 0)
            .map(|(kind, n)| (kind, n.min(MOST_PLACES)))
            .collect();
        let changed = if devices.is_empty() {
            self.workers.remove(&name).is_some()
        } else if let Some(known) = self.workers.get_mut(&name) {
            known.seen = now;
            let changed = known.devices != devices;
            known.devices = devices;
            changed
        } else if self.workers.len() < MOST_WORKERS {
            let seen = now;
            self.workers.insert(name, Present { seen, devices });
            true
        } else {
            false
        };
        if changed {
            self.tell(Told::Workers(self.workers.len()));
            self.next_turn = now;
        }
    }

    /// How many units of a kind are counted at once.
    fn devices(&self, kind: Kind) -> usize {
        let of_kind = |w: &Present| w.devices.get(&kind).copied().unwrap_or(0);
        self.workers.values().map(of_kind).sum()
    }

    /// How many units of a kind should be in the queue.
    fn window(&self, kind: Kind, now: Duration) -> usize {
        let devices = self.devices(kind);
        if devices == 0 {
            return 0;
        }
        let half_a_minute = 30.0 * self.paces.get(&kind).map_or(0.0, |p| p.per_second(now));
        devices
            .saturating_mul(4)
            .max(half_a_minute as usize)
            .min(5_000)
    }

    /// The proof that the server gave out a unit. Nobody can make one who was not given it.
    fn ticket(&self, unit: u64) -> String {
        // The word is an older name; tickets that workers hold are made with it.
        let text = format!("queens lease {} {unit}", self.secret);
        crate::row::digest(&text)[..16].to_owned()
    }

    /// Whether everything is counted twice.
    fn twice(&self) -> bool {
        self.rules.twice && Defence::Twice.stands()
    }

    /// The share of a worker's units that is counted again.
    fn audit(&self) -> f64 {
        match Defence::Audit.stands() {
            true => self.rules.audit,
            false => 0.0,
        }
    }

    /// What has to be done from time to time.
    fn keep_house(&mut self, now: Duration) {
        let before = self.workers.len();
        self.workers
            .retain(|_, w| now.saturating_sub(w.seen) < 5 * HELLO);
        if self.workers.len() < before {
            self.tell(Told::Workers(self.workers.len()));
        }
        if now >= self.next_announcement {
            self.next_announcement = now + Duration::from_secs(2);
            self.out.push(Output::Announce(self.presence.clone()));
        }
        let waited = |since: Duration| now.saturating_sub(since) > Duration::from_secs(60);
        if now >= self.next_compare && self.reading.is_none_or(waited) {
            self.next_compare = now + Duration::from_secs(10);
            self.reading = Some(now);
            self.out.push(Output::ReadQueue);
        }
        let due: Vec<u64> = self
            .queued
            .iter()
            .filter(|(_, q)| q.unpublished.is_some_and(|at| at <= now))
            .map(|(&unit, _)| unit)
            .collect();
        for unit in due {
            self.publish(unit, now);
        }
        // A second count that nobody else makes is made here.
        let long = (4 * self.rules.lease).max(Duration::from_secs(20));
        let (overdue, stranded): (Vec<u64>, Vec<u64>) = self
            .queued
            .iter()
            .filter(|(_, q)| {
                q.second.as_ref().is_some_and(|(first, since)| {
                    let waited = now.saturating_sub(*since);
                    waited > long && (self.other_than(first).is_none() || waited > 10 * long)
                })
            })
            .map(|(&unit, _)| unit)
            .partition(|unit| {
                let second = self.queued.get(unit).and_then(|q| q.second.as_ref());
                second.is_none_or(|(first, _)| self.rules.can_check(first))
            });
        if !self.workers.is_empty() {
            self.told_to_wait = false;
        } else if !stranded.is_empty() {
            self.needs_a_worker();
        }
        for unit in overdue {
            if let Some(queued) = self.queued.remove(&unit) {
                let subject = self.names.unit(queued.kind, &unit);
                self.out.push(Output::Purge(subject));
                self.check(queued.planned, None);
            }
        }
    }

    fn enqueue(
        &mut self,
        kind: Kind,
        planned: Planned,
        second: Option<(String, Duration)>,
        now: Duration,
    ) {
        let queued = Queued {
            kind,
            planned,
            absent: 0,
            unpublished: Some(now),
            second,
        };
        self.queued.insert(planned.unit, queued);
        self.publish(planned.unit, now);
    }

    fn publish(&mut self, unit: u64, now: Duration) {
        let ticket = self.ticket(unit);
        let Some(queued) = self.queued.get_mut(&unit) else {
            return;
        };
        // If no answer comes at all, it is tried again.
        queued.unpublished = Some(now + Duration::from_secs(30));
        let task = Task {
            unit,
            first: queued.planned.first,
            last: queued.planned.last,
            cost: queued.planned.cost,
            program: self.rules.program.clone(),
            algorithm: self.notice.algorithm.clone(),
            ticket,
            not: queued
                .second
                .as_ref()
                .map(|(first, _)| worker_of(first).unwrap_or_default().to_owned()),
        };
        self.out.push(Output::Publish(queued.kind, Box::new(task)));
    }

    fn published(&mut self, unit: u64, outcome: Result<(), bool>, now: Duration) {
        if let Some(queued) = self.queued.get_mut(&unit) {
            queued.unpublished = match outcome {
                Ok(()) => None,
                Err(_) => Some(now + Duration::from_millis(500)),
            };
        }
        if outcome == Err(true) {
            self.lost(now);
        }
    }

    /// A kind of device that a worker has who is not the one that this device belongs to.
    fn other_than(&self, device: &str) -> Option<Kind> {
        let name = worker_of(device).unwrap_or_default();
        self.workers
            .iter()
            .filter(|(other, _)| *other != name)
            .find_map(|(_, w)| w.devices.keys().next().copied())
    }

    /// Lets the server's own machine count a unit.
    fn check(&mut self, planned: Planned, newcomer: Option<String>) {
        match self.checks.get_mut(&planned.unit) {
            Some(waiting) => {
                if waiting.is_none() {
                    *waiting = newcomer;
                }
            }
            None => {
                self.checks.insert(planned.unit, newcomer);
                self.out.push(Output::Check(planned));
            }
        }
    }

    /// Lets somebody else than the device that counted a unit first count it again. What the
    /// server's own device has counted waits for a worker.
    fn check_by_another(&mut self, planned: Planned, first: &str, now: Duration) {
        match self.other_than(first) {
            Some(kind) => self.enqueue(kind, planned, Some((first.to_owned(), now)), now),
            None if self.rules.can_check(first) => self.check(planned, None),
            None => self.needs_a_worker(),
        }
    }

    fn needs_a_worker(&mut self) {
        if !std::mem::replace(&mut self.told_to_wait, true) {
            self.tell(Told::NeedsWorker);
        }
    }

    /// Takes a result and judges it.
    fn result(
        &mut self,
        token: Token,
        subject: &str,
        payload: Vec<u8>,
        deliveries: u64,
        now: Duration,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        if matches!(self.phase, Phase::Opening) {
            // It comes again.
            return Ok(());
        }
        let (name, row) = match self.judge(subject, &payload, campaign) {
            Ok(judged) => judged,
            Err(Flaw::Refused(why)) => {
                self.refuse(token, payload, why);
                return Ok(());
            }
            Err(Flaw::Unread(error)) => return Err(error.into()),
        };
        let taken = Taken {
            row,
            token: Some(token),
        };
        let unit = taken.row.unit;
        if self.knows(&name, &taken) {
            return Ok(());
        }
        let held = self.held.get(&(name.clone(), unit));
        if deliveries > MOST_DELIVERIES && held.is_none_or(|held| held.row != taken.row) {
            let why = format!("a result that could not be recorded after {deliveries} attempts");
            self.refuse(token, payload, why);
            return Ok(());
        }
        let proven = self.standings.get(&name).is_some_and(|s| s.own > 0);
        if self.rules.checks() && !proven && Defence::FirstUnit.stands() {
            if self.held.len() < MOST_HELD || self.held.contains_key(&(name.clone(), unit)) {
                let planned = campaign.planned(unit)?;
                self.held.insert((name.clone(), unit), taken);
                if !self.checks.values().any(|n| n.as_ref() == Some(&name)) {
                    self.check(planned, Some(name));
                }
                // Meanwhile it gets more to do.
                self.next_turn = now;
            }
            return Ok(());
        }
        self.take(name, taken, campaign)?;
        self.next_turn = now;
        Ok(())
    }

    /// Whether this very result waits to be recorded already: it came once more because nobody
    /// had acknowledged it yet. It is the new delivery that is to be acknowledged then.
    fn knows(&mut self, name: &str, taken: &Taken) -> bool {
        let (unit, row) = (taken.row.unit, &taken.row);
        let of_worker = |(other, _): &&mut (String, Taken)| other == name;
        let contested = self.contested.get_mut(&unit);
        let contested = contested.into_iter().flatten().filter(of_worker);
        let after = self.after.iter_mut().filter(of_worker);
        let mut at_hand = contested
            .chain(after)
            .map(|(_, same)| same)
            .chain(&mut self.pending);
        match at_hand.find(|same| same.row == *row) {
            Some(same) => {
                same.token = taken.token;
                true
            }
            None => false,
        }
    }

    /// Whether a result is what it must be, whoever sent it.
    fn judge(
        &self,
        subject: &str,
        payload: &[u8],
        campaign: &Campaign,
    ) -> Result<(String, Row), Flaw> {
        let refused = |why| Err(Flaw::Refused(why));
        let (name, unit) = self.names.parse_result(subject).ok_or_else(|| {
            Flaw::Refused(format!("a result with the subject {}", plain(subject, 100)))
        })?;
        let answer: Answer = message::read(payload)
            .map_err(|e| Flaw::Refused(format!("a result from {name} that cannot be read: {e}")))?;
        let (row, info) = (answer.row, campaign.info());
        if !Defence::Judgement.stands() {
            return Ok((name, row));
        }
        let of = format!(
            "a result of unit {unit} from {name}, {}",
            plain(&row.device, 60)
        );
        if self.shut_out.contains(&name) {
            return refused(format!("{of}, which is shut out"));
        }
        if row.program != self.rules.program || answer.algorithm != info.algorithm {
            return refused(format!(
                "{of}, which is {} with algorithm {} and not {} with {}",
                plain(&row.program, 60),
                plain(&answer.algorithm, 60),
                self.rules.program,
                info.algorithm
            ));
        }
        if row.unit != unit || row.check_value(&info.plan_digest) != answer.check_value {
            return refused(format!("{of}, that does not fit its check value"));
        }
        if let Some(why) = row.trouble() {
            return refused(format!("{of}, with {why}"));
        }
        if worker_of(&row.device) != Some(&name) && Defence::OwnDevice.stands() {
            return refused(format!("{of}, whose device is not its own"));
        }
        let planned = match campaign.planned(unit) {
            Ok(planned) => planned,
            Err(LedgerError::NoSuchUnit { .. }) => {
                return refused(format!("{of}: there is no such unit"));
            }
            Err(error) => return Err(Flaw::Unread(error)),
        };
        if (answer.first, answer.last) != (planned.first, planned.last) {
            return refused(format!("{of}, for another range than the unit has"));
        }
        if answer.ticket != self.ticket(unit) && Defence::Ticket.stands() {
            return refused(format!("{of}, which was not given out"));
        }
        Ok((name, row))
    }

    /// Refuses a result for good. Whoever floods the server with nonsense costs it no write to
    /// the disk for each: they are noted together, and only some are kept, told and remembered
    /// in words.
    fn refuse(&mut self, token: Token, payload: Vec<u8>, why: String) {
        self.out.push(Output::Terminate(token));
        self.refused.number += 1;
        if self.refused.told < MOST_WORDS {
            self.refused.told += 1;
            self.out.push(Output::Bury(payload));
            self.tell(Told::Refused(why.clone()));
        }
        if self.refused.words.len() as u64 == MOST_WORDS {
            self.refused.words.pop_front();
        }
        self.refused.words.push_back(why);
    }

    /// Notes what was refused, if it is time.
    fn note_refusals(&mut self, now: Duration, campaign: &mut Campaign) {
        if self.refused.number == 0 || now < self.refused.next {
            return;
        }
        let words = self.refused.words.make_contiguous();
        // It is only for show; while others hold the file, it waits.
        if campaign.note_refusals(self.refused.number, words).is_ok() {
            let untold = self.refused.number.saturating_sub(self.refused.told);
            if untold > 0 {
                self.tell(Told::Refused(format!("{untold} results more")));
            }
            self.refused = Refused::default();
        }
        self.refused.next = now + NOTING;
    }

    /// Writes down at the end what there was no time for.
    pub fn close(&mut self, campaign: &mut Campaign) {
        self.note_refusals(Duration::MAX - NOTING, campaign);
    }

    /// Finds out what a result of a worker that is believed means.
    fn take(&mut self, name: String, taken: Taken, campaign: &Campaign) -> Result<(), QueueError> {
        let unit = taken.row.unit;
        if self.pending.iter().any(|p| p.row.unit == unit) {
            self.after.push((name, taken));
            return Ok(());
        }
        match campaign.row(unit)? {
            None => self.pending.push(taken),
            Some(first) if first.count == taken.row.count => {
                if first != taken.row && independent(&first.device, &taken.row.device) {
                    self.pending.push(taken);
                } else {
                    self.out.extend(taken.token.map(Output::Ack));
                    // Its own unit once more: somebody else must take it.
                    if let Some(queued) = self.queued.get_mut(&unit) {
                        queued.unpublished.get_or_insert(Duration::ZERO);
                    }
                }
            }
            Some(_) if self.rules.checks() => {
                let planned = campaign.planned(unit)?;
                self.contested.entry(unit).or_default().push((name, taken));
                self.check(planned, None);
            }
            // Nobody here can tell who is right. It goes on record, and the campaign stops.
            Some(_) => self.pending.push(taken),
        }
        Ok(())
    }

    /// Draws the conclusions from what the server's own machine has counted.
    fn settle(&mut self, now: Duration, campaign: &mut Campaign) -> Result<(), QueueError> {
        if now < self.next_turn && self.busy.is_some() {
            return Ok(());
        }
        while let Some(own) = self.settling.last().cloned() {
            match self.settle_one(&own, now, campaign) {
                Ok(()) => {
                    self.settling.pop();
                }
                Err(QueueError::Ledger(error)) => return self.later(error, now),
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    /// Can be done again from the start if the file is held by others in the middle.
    fn settle_one(
        &mut self,
        own: &Row,
        now: Duration,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        let unit = own.unit;
        let wrong = |count: u64| {
            let right = own.count;
            format!("it counted unit {unit} as {count} where the server counts {right}")
        };
        if let Some(first) = campaign.row(unit)?
            && first.count != own.count
            && let Some(name) = worker_of(&first.device)
        {
            self.shut_out(name, &wrong(first.count), campaign)?;
        }
        for second in campaign.recounts_of(unit)? {
            if second.count != own.count
                && let Some(name) = worker_of(&second.device)
            {
                self.shut_out(name, &wrong(second.count), campaign)?;
            }
        }
        let newcomers: Vec<_> = self.held.keys().filter(|k| k.1 == unit).cloned().collect();
        for key in newcomers {
            if let Some(held) = self.held.remove(&key) {
                self.contested.entry(unit).or_default().push((key.0, held));
            }
        }
        for (name, taken) in self.contested.get(&unit).cloned().unwrap_or_default() {
            if taken.row.count != own.count {
                self.shut_out(&name, &wrong(taken.row.count), campaign)?;
            }
        }
        // From here on nothing can fail but for good.
        self.checks.remove(&unit);
        self.decided.insert(unit);
        let waiting = self.pending.iter().any(|p| p.row.unit == unit);
        for (name, taken) in self.contested.remove(&unit).unwrap_or_default() {
            let standing = self.standings.entry(name.clone()).or_default();
            standing.own = standing.own.max(1);
            self.take(name.clone(), taken, campaign)?;
            self.release(&name, campaign)?;
        }
        let own = Taken {
            row: own.clone(),
            token: None,
        };
        match waiting {
            true => self.after.push((String::new(), own)),
            false => self.pending.push(own),
        }
        self.next_turn = now;
        Ok(())
    }

    /// Takes the results of a worker that is no newcomer any more.
    fn release(&mut self, name: &str, campaign: &Campaign) -> Result<(), QueueError> {
        let units: Vec<(String, u64)> = self
            .held
            .keys()
            .filter(|(n, _)| n == name)
            .cloned()
            .collect();
        for key in units {
            if let Some(taken) = self.held.remove(&key) {
                self.take(key.0, taken, campaign)?;
            }
        }
        Ok(())
    }

    /// Believes a worker nothing any more: what it counted is dropped, to be counted again.
    fn shut_out(
        &mut self,
        name: &str,
        why: &str,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        if !Defence::ShutOut.stands() {
            return Ok(());
        }
        let dropped = campaign.shut_out(name, why)?;
        if !self.shut_out.insert(name.to_owned()) && dropped.is_empty() {
            return Ok(());
        }
        self.standings.remove(name);
        self.workers.remove(name);
        let mut gone = Vec::new();
        let mut lose = |taken: &Taken| gone.push((taken.row.unit, taken.token));
        self.held.retain(|(n, _), taken| {
            let keep = n != name;
            if !keep {
                lose(taken);
            }
            keep
        });
        for list in self.contested.values_mut() {
            list.retain(|(n, taken)| {
                let keep = n != name;
                if !keep {
                    lose(taken);
                }
                keep
            });
        }
        for waiting in self.checks.values_mut() {
            if waiting.as_deref() == Some(name) {
                *waiting = None;
            }
        }
        self.pending.retain(|taken| {
            let keep = worker_of(&taken.row.device) != Some(name);
            if !keep {
                lose(taken);
            }
            keep
        });
        self.after.retain(|(n, taken)| {
            let keep = n != name;
            if !keep {
                lose(taken);
            }
            keep
        });
        for (unit, token) in gone {
            self.out.extend(token.map(Output::Terminate));
            // It took the unit out of the queue: somebody else must get it.
            if let Some(queued) = self.queued.get_mut(&unit) {
                queued.unpublished.get_or_insert(Duration::ZERO);
            }
        }
        for unit in &dropped {
            // With its row went the count that this machine had made of it.
            self.decided.remove(unit);
            self.drawn_from.remove(unit);
            if let Some(queued) = self.queued.remove(unit) {
                let subject = self.names.unit(queued.kind, unit);
                self.out.push(Output::Purge(subject));
            }
        }
        self.notice.shut_out = self.shut_out.iter().cloned().collect();
        self.out.push(Output::Post(Box::new(self.notice.clone())));
        self.tell(Told::ShutOut {
            worker: name.to_owned(),
            why: why.to_owned(),
            units: dropped.len(),
        });
        Ok(())
    }

    /// Records results, claims units for the workers and publishes them.
    fn record(&mut self, now: Duration, campaign: &mut Campaign) -> Result<(), QueueError> {
        // While others hold the file, new results wait too.
        let due = now >= self.next_turn || (!self.pending.is_empty() && self.busy.is_none());
        if !due || self.member.is_none() {
            return Ok(());
        }
        self.paces.values_mut().for_each(|pace| pace.turn(now));
        let rows: Vec<Row> = self.pending.iter().map(|t| t.row.clone()).collect();
        let mut room: Vec<(Kind, usize)> = Vec::new();
        if matches!(self.phase, Phase::Serving) {
            // What a newcomer has counted is not in the queue any more.
            let held: HashSet<u64> = self.held.keys().map(|(_, unit)| *unit).collect();
            for kind in Kind::ALL {
                let waits = |(unit, q): &(&u64, &Queued)| q.kind == kind && !held.contains(unit);
                let queued = self.queued.iter().filter(waits).count();
                room.push((kind, self.window(kind, now).saturating_sub(queued)));
            }
        }
        let want: usize = room.iter().map(|(_, n)| n).sum();
        let Some(member) = &mut self.member else {
            return Ok(());
        };
        let mut turn = match campaign.turn(member, &rows, want) {
            Ok(turn) => turn,
            Err(error) => return self.later(error, now),
        };
        self.busy = None;
        let claimed = turn.claimed.len();
        let recorded = std::mem::take(&mut self.pending);
        for (taken, outcome) in recorded.into_iter().zip(&turn.recorded) {
            self.out.extend(taken.token.map(Output::Ack));
            self.recorded(&taken.row, *outcome, now, campaign)?;
        }
        for planned in turn.claimed {
            // The kind with the most room left gets the next unit.
            if let Some(most) = room.iter_mut().max_by_key(|(_, n)| *n) {
                most.1 = most.1.saturating_sub(1);
                self.enqueue(most.0, planned, None, now);
            }
        }
        for (name, taken) in std::mem::take(&mut self.after) {
            match taken.token {
                Some(_) => self.take(name, taken, campaign)?,
                None => self.settling.push(taken.row),
            }
        }
        // Only now: what is on record was acknowledged, so it cannot raise the dispute again
        // after it was settled.
        if let Some(dispute) = turn.dispute.take() {
            self.arbitrate(dispute, campaign)?;
        }
        self.mine += turn.cost;
        self.served.units = turn.done;
        self.look(now, campaign);
        self.next_turn = now
            + match claimed < want || !self.pending.is_empty() || !self.settling.is_empty() {
                true => Duration::from_millis(500),
                false => Duration::from_secs(process::HEARTBEAT),
            };
        if turn.done >= campaign.info().units {
            self.next_turn = now + Duration::from_millis(500);
            self.conclude(now, campaign)?;
        }
        Ok(())
    }

    /// Two counts on record differ. The server's own machine decides, if a worker made one of
    /// them and this unit was not decided before.
    fn arbitrate(&mut self, dispute: LedgerError, campaign: &Campaign) -> Result<(), QueueError> {
        if let LedgerError::Disputed {
            unit,
            first,
            second,
            ..
        } = &dispute
        {
            let worker = worker_of(&first.device)
                .or(worker_of(&second.device))
                .is_some();
            if self.rules.checks() && worker && !self.decided.contains(unit) {
                self.check(campaign.planned(*unit)?, None);
                return Ok(());
            }
        }
        Err(dispute.into())
    }

    /// Refreshes what is shown to the user.
    fn look(&mut self, now: Duration, campaign: &Campaign) {
        if now >= self.next_progress {
            self.next_progress = now + Duration::from_secs(1);
            if let Ok(progress) = campaign.progress() {
                self.served.cost = progress.cost;
            }
        }
        let seconds = now.saturating_sub(self.begun).as_secs_f64();
        let seconds_out = self.queued.values().filter(|q| q.second.is_some()).count();
        self.served.rate = self.mine as f64 / seconds.max(0.1);
        self.served.workers = self.workers.len();
        self.served.places = Kind::ALL.into_iter().map(|k| self.devices(k)).sum();
        self.served.checks = self.checks.len() + seconds_out;
    }

    /// Draws the conclusions from a row that was recorded.
    fn recorded(
        &mut self,
        row: &Row,
        outcome: Recorded,
        now: Duration,
        campaign: &Campaign,
    ) -> Result<(), QueueError> {
        if let Some(queued) = self.queued.remove(&row.unit) {
            self.paces.entry(queued.kind).or_default().count += 1;
        }
        match (outcome, worker_of(&row.device)) {
            (Recorded::New, Some(name)) => {
                let standing = self.standings.entry(name.to_owned()).or_default();
                standing.units += 1;
                let units = standing.units;
                // All three are drawn, so that none depends on another.
                let own = self.random.share() < OWN_PART * self.audit();
                let early = self.random.below(units) == 0;
                let other = self.random.share() < (1.0 - OWN_PART) * self.audit();
                // Early on more of them, while this machine has nothing else to count: a liar is
                // better found before the end, when all of its units must be counted again.
                let early = early && self.checks.is_empty() && self.rules.checks();
                if self.decided.contains(&row.unit) {
                    // This machine has just counted it.
                } else if (own || early) && Defence::OwnAudits.stands() {
                    self.check(campaign.planned(row.unit)?, None);
                } else if self.twice() || own || other {
                    self.check_by_another(campaign.planned(row.unit)?, &row.device, now);
                }
            }
            (Recorded::New, None) if self.twice() => {
                let planned = campaign.planned(row.unit)?;
                self.check_by_another(planned, &row.device, now);
            }
            (Recorded::Agrees, _) => {
                if let Some(first) = campaign.row(row.unit)?
                    && let Some(name) = worker_of(&first.device)
                    && independent(&first.device, &row.device)
                {
                    let own = u64::from(worker_of(&row.device).is_none());
                    self.standings.entry(name.to_owned()).or_default().own += own;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Every unit is done. Ends the service if enough was checked, and sees to it otherwise.
    fn conclude(&mut self, now: Duration, campaign: &Campaign) -> Result<(), QueueError> {
        let open = !self.pending.is_empty()
            || !self.after.is_empty()
            || !self.held.is_empty()
            || !self.checks.is_empty()
            || !self.settling.is_empty()
            || self.queued.values().any(|q| q.second.is_some());
        if open || now < self.next_look_at_checks {
            return Ok(());
        }
        self.next_look_at_checks = now + Duration::from_secs(1);
        if !self.rules.checks() {
            self.finish = Some(Finish::Complete);
            return Ok(());
        }
        let standings = match campaign.standings() {
            Ok(standings) => standings,
            Err(error) => return self.later(error, now),
        };
        match self.draw_last_checks(&standings, campaign) {
            Ok(last) if last.is_empty() => {}
            Ok(last) => {
                self.standings = standings;
                last.into_iter().for_each(|unit| self.check(unit, None));
                return Ok(());
            }
            Err(error) => return self.later(error, now),
        }
        let mut wanted: Vec<u64> = Vec::new();
        for (name, standing) in &standings {
            let mut unchecked = standing.unchecked.clone();
            let need = match name.is_empty() || !Defence::Audit.stands() {
                true if !self.twice() => 0,
                _ => checks(standing, self.audit(), self.twice()),
            };
            for _ in standing.checked..need {
                if unchecked.is_empty() {
                    break;
                }
                let at = self.random.below(unchecked.len() as u64) as usize;
                wanted.push(unchecked.swap_remove(at));
            }
        }
        self.standings = standings;
        if wanted.is_empty() {
            self.finish = Some(Finish::Complete);
            return Ok(());
        }
        let most = Kind::ALL
            .into_iter()
            .map(|kind| self.window(kind, now))
            .sum::<usize>()
            .max(1);
        for unit in wanted.into_iter().take(most) {
            if let Some(first) = campaign.row(unit)? {
                self.check_by_another(campaign.planned(unit)?, &first.device, now);
            }
        }
        Ok(())
    }

    /// Draws the units that the server's own machine counts again at the end: some of every
    /// worker, from all that it did and that no such draw has covered yet.
    fn draw_last_checks(
        &mut self,
        standings: &BTreeMap<String, Standing>,
        campaign: &Campaign,
    ) -> Result<Vec<Planned>, LedgerError> {
        if !Defence::OwnAudits.stands() {
            return Ok(Vec::new());
        }
        let workers = standings.iter().filter(|(name, _)| !name.is_empty());
        let number = workers.clone().count() as u64;
        let of_each = LAST_CHECKS.div_ceil(number.max(1)).max(FEWEST_CHECKS);
        let (mut drawn, mut from_now) = (Vec::new(), Vec::new());
        for (_, standing) in workers {
            let covered = |unit: &u64| self.drawn_from.contains(unit);
            let (mut old, mut new): (Vec<u64>, Vec<u64>) =
                standing.unseen.iter().copied().partition(covered);
            from_now.extend_from_slice(&new);
            // What was drawn and not counted before a server was killed is drawn anew.
            let few = own_checks(standing, self.audit()).saturating_sub(standing.own);
            for _ in 0..of_each.min(new.len() as u64).max(few) {
                let from = if new.is_empty() { &mut old } else { &mut new };
                if from.is_empty() {
                    break;
                }
                let at = self.random.below(from.len() as u64) as usize;
                drawn.push(campaign.planned(from.swap_remove(at))?);
            }
        }
        self.drawn_from.extend(from_now);
        Ok(drawn)
    }

    /// Compares the queue with what should be in it.
    fn compare(
        &mut self,
        snapshot: Result<Snapshot, Option<String>>,
        now: Duration,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        self.reading = None;
        let snapshot = match snapshot {
            Ok(snapshot) => snapshot,
            Err(None) => {
                self.lost(now);
                return Ok(());
            }
            Err(Some(why)) => {
                self.tell(Told::Trouble(why));
                return Ok(());
            }
        };
        // NATS forgets a notice after a month, and a server may stay for longer.
        if Defence::Reposting.stands() {
            self.out.push(Output::Post(Box::new(self.notice.clone())));
        }
        // Twice in a row, so that a queue that is just being emptied is left alone.
        let stuck: Vec<String> = snapshot.stuck;
        let still: Vec<String> = stuck
            .iter()
            .filter(|name| self.stuck.contains(*name))
            .cloned()
            .collect();
        if !stuck.is_empty() {
            self.next_compare = self.next_compare.min(now + Duration::from_secs(2));
        }
        self.stuck = stuck;
        if !still.is_empty() {
            self.stuck.clear();
            self.out.push(Output::Reset(still));
        }
        let total = campaign.info().units;
        let mut found: HashSet<(Kind, u64)> = HashSet::new();
        let mut strange: Vec<(Kind, u64)> = Vec::new();
        for subject in snapshot.units {
            match self.names.parse_unit(&subject) {
                Some((kind, unit)) if unit < total => {
                    let queued = self.queued.get(&unit);
                    if queued.is_none_or(|q| q.kind != kind) {
                        strange.push((kind, unit));
                    }
                    found.insert((kind, unit));
                }
                // Nobody could ever do it.
                _ => self.out.push(Output::Purge(subject)),
            }
        }
        self.adopt(&strange, campaign, now)?;
        // Unit by unit: a single result whose acknowledgement got lost stays for half a
        // minute, and must not keep the others from being missed.
        let on_their_way: HashSet<u64> = snapshot
            .results
            .iter()
            .filter_map(|subject| self.names.parse_result(subject))
            .map(|(_, unit)| unit)
            .collect();
        for (unit, queued) in &mut self.queued {
            if queued.unpublished.is_some()
                || found.contains(&(queued.kind, *unit))
                || on_their_way.contains(unit)
                || self.held.keys().any(|(_, held)| held == unit)
            {
                queued.absent = 0;
                continue;
            }
            queued.absent += 1;
            // Twice in a row, so that a unit between queue and ledger is left alone.
            if queued.absent >= 2 {
                queued.absent = 0;
                queued.unpublished = Some(now);
            }
        }
        self.reassign(now);
        Ok(())
    }

    /// Takes over units that an earlier server left in the queue, or takes them out.
    fn adopt(
        &mut self,
        units: &[(Kind, u64)],
        campaign: &mut Campaign,
        now: Duration,
    ) -> Result<(), QueueError> {
        let Some(member) = &self.member else {
            return Ok(());
        };
        let numbers: Vec<u64> = units.iter().map(|&(_, unit)| unit).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let claimed = match campaign.claim_these(member, &numbers) {
            Ok(claimed) => claimed,
            Err(error) => return self.later(error, now),
        };
        let claimed: BTreeMap<u64, Planned> = claimed.into_iter().map(|p| (p.unit, p)).collect();
        for &(kind, unit) in units {
            match claimed.get(&unit) {
                Some(&planned) if !self.queued.contains_key(&unit) => {
                    let queued = Queued {
                        kind,
                        planned,
                        absent: 0,
                        unpublished: None,
                        second: None,
                    };
                    self.queued.insert(unit, queued);
                }
                // Recorded already, being counted by another process, or queued for the
                // other kind of device.
                _ => {
                    let subject = self.names.unit(kind, &unit);
                    self.out.push(Output::Purge(subject));
                }
            }
        }
        Ok(())
    }

    /// Gives the units queued for a kind of device that has gone to the other kind.
    fn reassign(&mut self, now: Duration) {
        for (kind, other) in [(Kind::Cpu, Kind::Gpu), (Kind::Gpu, Kind::Cpu)] {
            if self.devices(kind) > 0 || self.devices(other) == 0 {
                continue;
            }
            let orphans: Vec<u64> = self
                .queued
                .iter()
                .filter(|(_, q)| q.kind == kind)
                .map(|(&unit, _)| unit)
                .collect();
            for unit in orphans {
                let subject = self.names.unit(kind, &unit);
                self.out.push(Output::Purge(subject));
                if let Some(queued) = self.queued.get_mut(&unit) {
                    queued.kind = other;
                    queued.unpublished = Some(now);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use queens::count::two_colour;

    use super::*;
    use crate::ledger::Access;

    /// A desk that serves a campaign of its own, with a file and a clock.
    struct Office {
        desk: Desk,
        campaign: Campaign,
        path: std::path::PathBuf,
        now: Duration,
    }

    impl Office {
        fn open(name: &str, twice: bool) -> Office {
            let id = std::process::id();
            let path = std::env::temp_dir().join(format!("queens-desk-{id}-{name}"));
            Campaign::create(&path, &two_colour::units(14).unwrap(), 8).unwrap();
            let campaign = Campaign::open(&path, Access::Write).unwrap();
            let rules = Rules {
                program: crate::PROGRAM.to_owned(),
                lease: Duration::from_secs(10),
                audit: 0.01,
                twice,
                own_device: Some("box/cpu-check".to_owned()),
                session: "one".to_owned(),
                seed: 1,
            };
            let desk = Desk::new(rules, &campaign, Duration::ZERO);
            let now = Duration::ZERO;
            let mut office = Office {
                desk,
                campaign,
                path,
                now,
            };
            office.after(1, Input::Tick).unwrap();
            office.after(1, Input::Tick).unwrap();
            office.after(1, Input::Prepared(Ok(()))).unwrap();
            office
        }

        /// What the desk wants when it hears something some seconds later.
        fn after(&mut self, seconds: u64, input: Input) -> Result<Vec<Output>, QueueError> {
            self.now += Duration::from_secs(seconds);
            let outcome = self.desk.hear([input], self.now, &mut self.campaign);
            let outputs = self.desk.outputs();
            outcome.map(|()| outputs)
        }

        /// The units that a worker is given who says hello.
        fn greet(&mut self, name: &str) -> Vec<Task> {
            let hello = Hello { cpus: 1, gpus: 0 };
            let outputs = self.after(1, Input::Hello(name.to_owned(), hello)).unwrap();
            let tasks = outputs.into_iter().filter_map(|output| match output {
                Output::Publish(_, task) => Some(*task),
                _ => None,
            });
            tasks.collect()
        }

        /// A result of a worker as it is delivered for this time.
        fn result(&self, name: &str, task: &Task, deliveries: u64) -> Input {
            let device = format!("{name}@box/cpu");
            let row = Row::fresh(task.unit, 5, &device, crate::clock::now(), 1.0);
            let info = self.campaign.info();
            let answer = Answer {
                check_value: row.check_value(&info.plan_digest),
                row,
                first: task.first,
                last: task.last,
                algorithm: info.algorithm.clone(),
                ticket: task.ticket.clone(),
            };
            Input::Result {
                token: 1_000 * task.unit + deliveries,
                subject: self.desk.names.result(name, &task.unit),
                payload: message::write(&answer),
                deliveries,
            }
        }
    }

    impl Drop for Office {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    fn refuses(outputs: &[Output]) -> bool {
        outputs.iter().any(|o| matches!(o, Output::Terminate(_)))
    }

    #[test]
    fn a_result_that_waits_for_a_check_may_be_delivered_any_number_of_times() {
        let mut office = Office::open("deliveries", false);
        let tasks = office.greet("ada");
        for deliveries in [1, 2, MOST_DELIVERIES + 10] {
            let result = office.result("ada", &tasks[0], deliveries);
            let outputs = office.after(30, result).unwrap();
            assert!(!refuses(&outputs), "{outputs:?}");
        }
        assert_eq!(office.desk.held.len(), 1);
        // What was never taken is refused then.
        let result = office.result("ada", &tasks[1], MOST_DELIVERIES + 1);
        assert!(refuses(&office.after(1, result).unwrap()));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_no_reason_to_refuse_a_result() {
        let mut office = Office::open("unread", false);
        let tasks = office.greet("ada");
        let db = rusqlite::Connection::open(&office.path).unwrap();
        db.execute_batch("ALTER TABLE plan RENAME TO gone").unwrap();
        let result = office.result("ada", &tasks[0], 1);
        let outcome = office.after(1, result);
        assert!(matches!(outcome, Err(QueueError::Ledger(_))), "{outcome:?}");
        assert_eq!(office.desk.refused.number, 0);
    }

    #[test]
    fn what_the_server_counted_itself_waits_for_a_worker() {
        let mut office = Office::open("waits", true);
        let units = office.campaign.info().units;
        let by = |device: &str, unit| Row::fresh(unit, 5, device, crate::clock::now(), 1.0);
        let mut rows: Vec<Row> = (1..units).map(|unit| by("box/cpu", unit)).collect();
        rows.push(by("box/cpu-check", 0));
        office.campaign.record(&rows).unwrap();
        let (mut input, mut told) = (Input::Tick, 0);
        for _ in 0..200 {
            let outputs = office.after(1, input).unwrap();
            input = Input::Tick;
            for output in outputs {
                match output {
                    Output::Check(planned) => {
                        assert_ne!(planned.unit, 0, "it checks itself");
                        input = Input::Checked(by("box/cpu-check", planned.unit));
                    }
                    Output::Tell(Told::NeedsWorker) => told += 1,
                    _ => {}
                }
            }
        }
        assert_eq!(told, 1);
        assert_eq!(office.desk.finished(), None);
        // A worker makes the check that was missing.
        let tasks = office.greet("ada");
        assert_eq!(tasks.len(), 1, "{tasks:?}");
        assert_eq!(tasks[0].unit, 0);
    }
}
