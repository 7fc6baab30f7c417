//! A worker as a machine: inputs go in, and outputs say what it wants.
//!
//! Like the [desk](super::desk) it has no clock, no thread and no network, so that the program and
//! the simulation drive the same code.
//!
//! - **Units.** For every kind of device it holds twice as many units as the devices count at once,
//!   so that none waits for the network.
//! - **Leases.** Every held unit has a lease, which is renewed as long as the device that counts
//!   the unit shows progress. If a device has hung ([vigil](crate::vigil)), the worker gives its
//!   units back and says so.
//! - **Results.** A result is published until NATS confirms that it is stored; only then is the
//!   unit acknowledged. When the worker or the campaign is stopped, results that are not stored yet
//!   are dropped, and their units are given back to be counted again.
//! - **The end.** Only the server's word makes the campaign complete. A missing notice means that
//!   the queue was lost, or that the server is not back yet. A campaign that was stopped may go on,
//!   so the worker waits.

use std::collections::BTreeMap;
use std::time::Duration;

use super::QueueError;
use super::desk::Token;
use super::message::{self, Answer, HELLO, Hello, Names, Notice, State, Task};
use crate::defence::Defence;
use crate::device::Kind;
use crate::plan::Planned;
use crate::row::Row;
use crate::text::plain;
use crate::vigil::{FIRST_PATIENCE, Hung, Vigil};

/// How a worker's work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The campaign is complete.
    Finished,
    /// The worker was asked to stop.
    Stopped,
}

/// What a worker hears.
#[derive(Debug)]
pub(super) enum Input {
    /// Time has passed.
    Tick,
    /// The current notice; `None` if there is none.
    Notice(Option<Box<Notice>>),
    /// A unit for this kind of device.
    Unit {
        kind: Kind,
        token: Token,
        payload: Vec<u8>,
    },
    /// The fetch is over and brings no more units; whether it failed.
    Fetched(Kind, bool),
    /// A device has begun these units.
    Begun(Vec<u64>),
    /// A device has done a part of these units.
    Progress(Vec<u64>),
    /// A unit is counted.
    Counted(Row),
    /// A device was lost; whether it was the last of its kind, or of all.
    Lost {
        units: Vec<Planned>,
        kind: Kind,
        device: String,
        why: String,
        first: bool,
        last_of_kind: bool,
        last: bool,
    },
    /// Whether a result is stored.
    Stored(u64, bool),
}

/// What a worker wants.
#[derive(Debug)]
pub(super) enum Output {
    /// Fetch up to this many units of a kind.
    Fetch(Kind, usize),
    /// Let a device count this unit.
    Give(Kind, Planned),
    /// Publish a result.
    Publish {
        unit: u64,
        subject: String,
        payload: Vec<u8>,
    },
    /// The unit is done.
    Ack(Token),
    /// The unit goes to somebody else.
    GiveBack(Token),
    /// Nobody can do this unit; never deliver it again.
    Terminate(Token),
    /// The unit is being counted.
    Renew(Token),
    /// Say that this worker is alive.
    Hello(Hello),
    /// Read the notice.
    ReadNotice,
    /// Take back the units that no device has begun.
    Clear,
    /// Stop the devices.
    Halt,
    /// Tell the caller something.
    Tell(Told),
}

/// What a worker tells its caller.
#[derive(Clone, Debug)]
pub(super) enum Told {
    Counted(Row),
    DeviceLost { device: String, why: String },
    Hung { units: Vec<u64>, seconds: u64 },
    Waits(String),
}

/// How often the notice is read.
const LOOK: Duration = Duration::from_secs(1);

struct Held {
    kind: Kind,
    task: Task,
    /// `None` once it was given back.
    token: Option<Token>,
    /// The result, until it is stored, and when to publish it next.
    result: Option<(Vec<u8>, Duration)>,
}

struct Crew {
    /// How many units the devices of this kind want at once.
    appetite: usize,
    fetching: Option<Duration>,
    lost: bool,
    /// No units are fetched before this time. Set after a failed fetch, and when a unit came that
    /// another worker must count.
    resting: Duration,
}

/// A worker at work on one campaign.
pub(super) struct Shift {
    name: String,
    program: String,
    algorithm: String,
    names: Names,
    notice: Notice,
    engine_units: u64,
    crews: BTreeMap<Kind, Crew>,
    held: BTreeMap<u64, Held>,
    vigil: Vigil<Kind>,
    out: Vec<Output>,
    end: Option<End>,
    /// Why the worker takes no units at present.
    paused: Option<String>,
    told_missing: bool,
    /// Whether it was told that nobody serves the campaign.
    told_away: bool,
    next_renewal: Duration,
    next_hello: Duration,
    next_look: Duration,
}

impl Shift {
    /// A worker with this name. The devices of each kind want `appetites` units at once, and the
    /// board that the notice names has this many engine units.
    pub fn new(
        name: &str,
        (program, algorithm): (&str, &str),
        notice: Notice,
        engine_units: u64,
        appetites: &BTreeMap<Kind, usize>,
        now: Duration,
    ) -> Shift {
        let crew = |appetite| Crew {
            appetite,
            fetching: None,
            lost: false,
            resting: now,
        };
        Shift {
            name: name.to_owned(),
            program: program.to_owned(),
            algorithm: algorithm.to_owned(),
            names: Names::new(&notice.campaign),
            notice,
            engine_units,
            crews: appetites.iter().map(|(&k, &n)| (k, crew(n))).collect(),
            held: BTreeMap::new(),
            vigil: Vigil::new(FIRST_PATIENCE),
            out: Vec::new(),
            end: None,
            paused: None,
            told_missing: false,
            told_away: false,
            next_renewal: now,
            next_hello: now,
            next_look: now + LOOK,
        }
    }

    /// What is to be done since the last call.
    pub fn outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.out)
    }

    /// How the work ended, if it did.
    pub fn ended(&self) -> Option<End> {
        self.end
    }

    /// Hears something at the time `now`.
    pub fn hear(&mut self, input: Input, now: Duration) -> Result<(), QueueError> {
        match input {
            Input::Tick => {}
            Input::Notice(notice) => self.read(notice)?,
            Input::Unit {
                kind,
                token,
                payload,
            } => self.take(kind, token, &payload, now)?,
            Input::Fetched(kind, failed) => {
                if let Some(crew) = self.crews.get_mut(&kind) {
                    crew.fetching = None;
                    if failed {
                        crew.resting = now + Duration::from_millis(300);
                    }
                }
            }
            Input::Begun(units) => {
                for unit in units {
                    if let Some(held) = self.held.get(&unit) {
                        self.vigil.begun(unit, &held.kind, now);
                    }
                }
            }
            Input::Progress(units) => {
                for unit in units {
                    self.vigil.progress(unit, now);
                }
            }
            Input::Counted(row) => self.counted(row, now),
            Input::Lost {
                units,
                kind,
                device,
                why,
                first,
                last_of_kind,
                last,
            } => {
                if first {
                    let (device, why) = (device.clone(), why.clone());
                    self.out
                        .push(Output::Tell(Told::DeviceLost { device, why }));
                }
                self.lost(&units, kind, last_of_kind, now);
                if last {
                    self.give_back();
                    return Err(QueueError::NoDevice(format!("{device}: {why}")));
                }
            }
            Input::Stored(unit, true) => {
                if let Some(held) = self.held.remove(&unit) {
                    // If the acknowledgement gets lost, the unit is counted once more.
                    self.out.extend(held.token.map(Output::Ack));
                }
            }
            Input::Stored(unit, false) => {
                if let Some((_, at)) = self.held.get_mut(&unit).and_then(|h| h.result.as_mut()) {
                    *at = now + Duration::from_millis(300);
                }
            }
        }
        self.proceed(now);
        Ok(())
    }

    /// Ends the work: every unit at hand goes back to the queue.
    pub fn stop(&mut self) {
        self.give_back();
        self.end = Some(End::Stopped);
    }

    /// Does what is due.
    fn proceed(&mut self, now: Duration) {
        if self.end.is_some() {
            return;
        }
        self.look_after_devices(now);
        for (&unit, held) in &mut self.held {
            if let Some((payload, at)) = &mut held.result
                && *at <= now
            {
                // If no answer comes, try again.
                *at = now + Duration::from_secs(30);
                self.out.push(Output::Publish {
                    unit,
                    subject: self.names.result(&self.name, &unit),
                    payload: payload.clone(),
                });
            }
        }
        if now >= self.next_renewal {
            self.next_renewal = now + self.notice.lease() / 3;
            let tokens = self.held.values().filter_map(|h| h.token);
            self.out.extend(tokens.map(Output::Renew));
        }
        if now >= self.next_hello {
            self.next_hello = now + HELLO;
            let hello = self.hello();
            self.out.push(Output::Hello(hello));
        }
        if now >= self.next_look {
            self.next_look = now + LOOK;
            self.out.push(Output::ReadNotice);
        }
        for (&kind, crew) in &mut self.crews {
            let held = self.held.values().filter(|h| h.kind == kind).count();
            let room = (2 * crew.appetite).saturating_sub(held);
            let waited = |since: Duration| now.saturating_sub(since) > Duration::from_secs(60);
            if room > 0
                && !crew.lost
                && self.paused.is_none()
                && now >= crew.resting
                && crew.fetching.is_none_or(waited)
            {
                crew.fetching = Some(now);
                self.out.push(Output::Fetch(kind, room));
            }
        }
    }

    /// How many units this worker counts at once, less those of devices that have hung.
    fn hello(&self) -> Hello {
        let count = |kind| match self.crews.get(&kind) {
            Some(crew) if !crew.lost && self.paused.is_none() => {
                let hung = self.held.iter().filter(|(unit, h)| {
                    h.kind == kind
                        && h.token.is_none()
                        && h.result.is_none()
                        && self.vigil.is_begun(**unit)
                });
                crew.appetite.saturating_sub(hung.count())
            }
            _ => 0,
        };
        Hello {
            cpus: count(Kind::Cpu),
            gpus: count(Kind::Gpu),
        }
    }

    /// Gives back the units of devices that show no progress.
    fn look_after_devices(&mut self, now: Duration) {
        if !Defence::LeaseByProgress.stands() {
            return;
        }
        for Hung {
            mut units,
            patience,
            ..
        } in self.vigil.hung(self.notice.lease(), now)
        {
            units.retain(|unit| {
                let token = self.held.get_mut(unit).and_then(|held| held.token.take());
                self.out.extend(token.map(Output::GiveBack));
                token.is_some()
            });
            if !units.is_empty() {
                self.out.push(Output::Tell(Told::Hung {
                    units,
                    seconds: patience.as_secs(),
                }));
            }
        }
    }

    /// Does what the notice says.
    fn read(&mut self, notice: Option<Box<Notice>>) -> Result<(), QueueError> {
        let Some(notice) = notice else {
            if !Defence::WordOfServer.stands() {
                self.end = Some(End::Finished);
                return Ok(());
            }
            if !self.told_missing {
                self.told_missing = true;
                self.out.push(Output::Tell(Told::Waits(
                    "the queue is gone; waiting for the server".to_owned(),
                )));
            }
            return Ok(());
        };
        self.told_missing = false;
        if notice.shut_out.contains(&self.name) {
            self.give_back();
            return Err(QueueError::ShutOut {
                id: self.names.id.clone(),
                name: self.name.clone(),
            });
        }
        match &notice.state {
            State::Done => {
                self.out.push(Output::Halt);
                self.end = Some(End::Finished);
            }
            State::Halted(reason) => {
                if self.paused.is_none() {
                    let reason = plain(reason, 500);
                    self.release();
                    self.out.push(Output::Tell(Told::Waits(format!(
                        "the campaign was stopped by its server, waiting: {reason}"
                    ))));
                    self.paused = Some(reason);
                }
            }
            State::Open => {
                self.admit(&notice.program, &notice.algorithm)?;
                if notice.away && !self.told_away {
                    self.out.push(Output::Tell(Told::Waits(
                        "the server of the campaign was stopped; going on with the units in the \
                         queue, then waiting for it"
                            .to_owned(),
                    )));
                }
                self.told_away = notice.away;
                self.paused = None;
                self.notice.lease_seconds = notice.lease().as_secs_f64();
            }
        }
        Ok(())
    }

    /// Refuses to work for another program.
    fn admit(&mut self, program: &str, algorithm: &str) -> Result<(), QueueError> {
        if program == self.program && algorithm == self.algorithm {
            return Ok(());
        }
        self.give_back();
        Err(QueueError::OtherProgram {
            id: self.names.id.clone(),
            ours: self.program.clone(),
            our_algorithm: self.algorithm.clone(),
            theirs: plain(program, 100),
            their_algorithm: plain(algorithm, 100),
        })
    }

    /// Gives an arrived unit to the devices.
    fn take(
        &mut self,
        kind: Kind,
        token: Token,
        payload: &[u8],
        now: Duration,
    ) -> Result<(), QueueError> {
        let possible = |task: &Task| task.first <= task.last && task.last < self.engine_units;
        let Some(task) = message::read::<Task>(payload).ok().filter(possible) else {
            // Not one of our messages; nobody could ever do it.
            self.out.push(Output::Terminate(token));
            return Ok(());
        };
        // The server may have been replaced by a newer one since this worker joined.
        if task.program != self.program || task.algorithm != self.algorithm {
            self.out.push(Output::GiveBack(token));
            return self.admit(&task.program, &task.algorithm);
        }
        let Some(crew) = self.crews.get_mut(&kind).filter(|crew| !crew.lost) else {
            // It was requested before the last device of its kind failed.
            self.out.push(Output::GiveBack(token));
            return Ok(());
        };
        if self.paused.is_some() || self.end.is_some() {
            self.out.push(Output::GiveBack(token));
            return Ok(());
        }
        if task.not.as_ref() == Some(&self.name) {
            // Somebody else must count it. It keeps coming to this worker while the worker asks for
            // more, so fetching rests for a moment.
            crew.resting = now + Duration::from_millis(400);
            self.out.push(Output::GiveBack(token));
            return Ok(());
        }
        // A unit that is already here came back because its lease ran out during a long
        // interruption. The new lease replaces the old one and the count goes on, unless the device
        // has hung.
        if let Some(held) = self.held.get_mut(&task.unit) {
            let hung = held.token.is_none() && held.result.is_none();
            match hung {
                true => self.out.push(Output::GiveBack(token)),
                false => held.token = Some(token),
            }
            held.task.ticket.clone_from(&task.ticket);
            return Ok(());
        }
        let planned = task.planned();
        let held = Held {
            kind,
            task,
            token: Some(token),
            result: None,
        };
        self.vigil.given(planned.unit, Some(kind), now);
        self.held.insert(planned.unit, held);
        self.out.push(Output::Give(kind, planned));
        Ok(())
    }

    /// A unit is counted: publishes the result until it is stored.
    fn counted(&mut self, mut row: Row, now: Duration) {
        self.vigil.progress(row.unit, now);
        self.vigil.done(row.unit);
        self.out.push(Output::Tell(Told::Counted(row.clone())));
        let Some(held) = self.held.get_mut(&row.unit) else {
            return;
        };
        row.device = format!("{}@{}", self.name, row.device);
        let answer = Answer {
            check_value: row.check_value(&self.notice.plan_digest),
            algorithm: self.algorithm.clone(),
            first: held.task.first,
            last: held.task.last,
            ticket: held.task.ticket.clone(),
            row,
        };
        held.result = Some((message::write(&answer), now));
    }

    /// A device is lost: its units go to another device or back to the queue.
    fn lost(&mut self, units: &[Planned], kind: Kind, last_of_kind: bool, now: Duration) {
        if !last_of_kind {
            for &unit in units {
                if self.held.contains_key(&unit.unit) {
                    self.vigil.given(unit.unit, Some(kind), now);
                }
                self.out.push(Output::Give(kind, unit));
            }
            return;
        }
        if let Some(crew) = self.crews.get_mut(&kind) {
            crew.lost = true;
        }
        let (out, vigil) = (&mut self.out, &mut self.vigil);
        self.held.retain(|&unit, held| {
            let keep = held.kind != kind || held.result.is_some();
            if !keep {
                vigil.done(unit);
                out.extend(held.token.map(Output::GiveBack));
            }
            keep
        });
        self.next_hello = Duration::ZERO;
    }

    /// Stops the devices and returns every unit at hand to the queue.
    fn give_back(&mut self) {
        self.out.push(Output::Halt);
        self.release();
    }

    /// Returns every unit at hand to the queue.
    fn release(&mut self) {
        self.out.push(Output::Clear);
        self.vigil.clear();
        for (_, held) in std::mem::take(&mut self.held) {
            self.out.extend(held.token.map(Output::GiveBack));
        }
        self.out.push(Output::Hello(Hello { cpus: 0, gpus: 0 }));
    }
}
