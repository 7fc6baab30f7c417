//! The server of a campaign as a machine: inputs go in, and outputs say what it wants.
//!
//! The desk has no clock, no thread and no network. Its caller tells it the time and what happened
//! ([`Input`]); it writes to the ledger and leaves a list of what is to be done ([`Output`]). The
//! program drives it with NATS ([`serve`](super::serve)). The tests drive it with a simulated
//! network that loses, delays and repeats messages, in the same way for the same seed.
//!
//! The files, in the order in which they may use each other; a test keeps it. The files before
//! `checks` are parts with a state of their own; from `checks` on, they are what the desk does with
//! those parts.
//!
//! | file | what it does |
//! |---|---|
//! | `interface` | the desk's rules, and what it hears, wants and tells |
//! | `workers` | the workers that are present, and their devices |
//! | `stock` | the units in the queue, as far as the desk knows |
//! | `refusals` | results that are refused for good, recorded together |
//! | `judge` | whether a result is valid, whoever sent it |
//! | `checks` | recounts: how many, of which units, and by whom |
//! | `results` | results, from their arrival until they can be recorded |
//! | `trust` | whom to believe: a worker that counted wrongly is shut out |
//! | `last_checks` | the checks that are still missing when every unit is done |
//! | `record` | a turn at the ledger: records results, claims units for the workers |
//! | `compare` | compares the queue with what should be in it |
//! | `office` | a desk with a campaign file and a clock, for the tests |

mod checks;
mod compare;
mod interface;
mod judge;
mod last_checks;
#[cfg(test)]
mod office;
mod record;
mod refusals;
mod results;
mod stock;
mod trust;
mod workers;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use queens::random::Random;

use super::QueueError;
use super::message::{Hello, Names, Notice, Presence, State};
use crate::defence::Defence;
use crate::device::Kind;
use crate::ledger::claims::Member;
use crate::ledger::desk::Standing;
use crate::ledger::{Campaign, LedgerError};
use crate::runner::Finish;

use checks::OwnChecks;
pub(super) use checks::{checks_needed, own_checks_needed};
use compare::Comparison;
pub use interface::Served;
pub(super) use interface::{Input, Output, Rules, Snapshot, Token, Told};
use refusals::Refusals;
use results::Results;
use stock::Stock;
use workers::Workers;

/// How long to wait while other processes hold the file.
const PATIENCE: Duration = Duration::from_secs(300);

/// How long to listen for another server before beginning.
const LISTEN: Duration = Duration::from_millis(300);

enum Phase {
    /// Joining the file.
    Opening,
    /// Listening for another server, until this time.
    Listening(Duration),
    /// Making the streams.
    Preparing,
    Serving,
}

/// The server of a campaign.
pub(super) struct Desk {
    rules: Rules,
    names: Names,
    notice: Notice,
    presence: Presence,
    random: Random,
    phase: Phase,
    member: Option<Member>,
    out: Vec<Output>,
    finish: Option<Finish>,
    served: Served,
    begun: Duration,
    /// The expected cost of what was recorded since then.
    recorded_cost: u64,

    workers: Workers,
    stock: Stock,
    comparison: Comparison,
    results: Results,
    refusals: Refusals,
    own_checks: OwnChecks,
    standings: BTreeMap<String, Standing>,
    shut_out: BTreeSet<String>,

    next_turn: Duration,
    next_prepare: Duration,
    next_announcement: Duration,
    next_look_at_checks: Duration,
    next_progress: Duration,
    /// When the desk first found the file held by others.
    locked_since: Option<Duration>,
    /// Whether it has told that units wait for a worker, since one was last there.
    told_to_wait: bool,
}

impl Desk {
    pub fn new(rules: Rules, campaign: &Campaign, now: Duration) -> Desk {
        let info = campaign.info();
        let names = Names::new(&info.id);
        let notice = Notice {
            campaign: info.id.clone(),
            n: info.n,
            algorithm: info.algorithm.clone(),
            program: rules.program.clone(),
            plan_digest: info.plan_digest.clone(),
            units: info.units,
            lease_seconds: rules.lease.as_secs_f64(),
            state: State::Open,
            away: false,
            shut_out: Vec::new(),
        };
        let presence = Presence {
            listening: true,
            since: campaign.world().seconds(),
            session: rules.session.clone(),
        };
        Desk {
            stock: Stock::new(&names, &rules.program, &info.algorithm),
            names,
            random: Random::new(rules.seed),
            rules,
            notice,
            presence,
            phase: Phase::Opening,
            member: None,
            out: Vec::new(),
            finish: None,
            served: Served::default(),
            begun: now,
            recorded_cost: 0,
            workers: Workers::default(),
            comparison: Comparison::new(now),
            results: Results::default(),
            refusals: Refusals::default(),
            own_checks: OwnChecks::default(),
            standings: BTreeMap::new(),
            shut_out: BTreeSet::new(),
            next_turn: now,
            next_prepare: now,
            next_announcement: now,
            next_look_at_checks: now,
            next_progress: now,
            locked_since: None,
            told_to_wait: false,
        }
    }

    /// What is to be done since the last call.
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

    /// This process in the file's list, so that it can leave at the end.
    pub fn member(&self) -> Option<&Member> {
        self.member.as_ref()
    }

    /// The notice that says how the service ended.
    pub fn last_notice(&self, state: State) -> Notice {
        Notice {
            state,
            ..self.notice.clone()
        }
    }

    /// Writes down at the end what is not written yet.
    pub fn close(&mut self, campaign: &mut Campaign) {
        self.refusals.note(campaign, &mut self.out);
    }

    /// Hears some inputs at the time `now`. What is then to be done is in [`Desk::outputs`], even
    /// if this returns an error.
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
                // While serving, too: some of the streams to be remade may be missing now.
                if matches!(self.phase, Phase::Serving) {
                    self.phase = Phase::Preparing;
                }
                self.next_prepare = now + Duration::from_secs(1);
                self.tell(Told::Trouble(why));
            }
            Input::Queue(snapshot) => self.compare(snapshot, now, campaign)?,
            Input::Published(unit, outcome) => {
                self.stock.published(unit, outcome.is_ok(), now);
                if outcome == Err(true) {
                    self.queues_are_gone(now);
                }
            }
            Input::Result {
                token,
                subject,
                payload,
                deliveries,
            } => match self.receive(token, &subject, payload, deliveries, now, campaign) {
                // It was not acknowledged, so it comes again.
                Err(QueueError::Ledger(error)) => self.bear_with(error, now)?,
                outcome => outcome?,
            },
            Input::Checked(row) => self.own_checks.to_settle.push(row),
        }
        Ok(())
    }

    /// Does what is due.
    fn proceed(&mut self, now: Duration, campaign: &mut Campaign) -> Result<(), QueueError> {
        self.refusals.note_if_due(now, campaign, &mut self.out);
        match self.phase {
            Phase::Opening => {
                if now < self.next_turn {
                    return Ok(());
                }
                match self.open(campaign) {
                    Ok(()) => {
                        self.locked_since = None;
                        self.phase = Phase::Listening(now + LISTEN);
                        self.out.push(Output::Announce(self.presence.clone()));
                        Ok(())
                    }
                    Err(error) => self.bear_with(error, now),
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
                // Recording results does not need the streams.
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
        self.stock.tickets.secret = campaign.secret()?;
        self.standings = campaign.standings()?;
        self.shut_out = campaign.shut_outs()?.into_keys().collect();
        Ok(())
    }

    /// Asks for the streams, if it is time.
    fn prepare(&mut self, now: Duration) {
        if now >= self.next_prepare {
            // If no answer comes, ask again.
            self.next_prepare = now + Duration::from_secs(30);
            self.out.push(Output::Prepare);
        }
    }

    /// The streams exist; they may be new and empty.
    fn prepared(&mut self, now: Duration) {
        self.post_notice();
        self.phase = Phase::Serving;
        self.next_turn = now;
        self.comparison.begin_anew(now);
        self.stock.publish_all(now);
    }

    /// Does the regular chores.
    fn keep_house(&mut self, now: Duration) {
        if self.workers.forget_the_silent(now) {
            self.tell(Told::Workers(self.workers.number()));
        }
        if now >= self.next_announcement {
            self.next_announcement = now + Duration::from_secs(2);
            self.out.push(Output::Announce(self.presence.clone()));
        }
        self.comparison.ask_if_due(now, &mut self.out);
        self.stock.publish_due(now, &mut self.out);
        self.check_what_is_overdue(now);
    }

    /// Notes a worker's greeting.
    fn greet(&mut self, name: String, hello: Hello, now: Duration) {
        if !self.shut_out.contains(&name) && self.workers.greet(name, hello, now) {
            self.tell(Told::Workers(self.workers.number()));
            self.next_turn = now;
        }
    }

    /// The queues are gone: everything but the ledger begins anew.
    fn queues_are_gone(&mut self, now: Duration) {
        if matches!(self.phase, Phase::Serving) && Defence::LostQueues.stands() {
            self.tell(Told::Trouble(
                "the queues are gone; they are made anew".to_owned(),
            ));
            self.phase = Phase::Preparing;
            self.next_prepare = now;
        }
    }

    /// Waits for other processes that hold the file, for some time.
    fn bear_with(&mut self, error: LedgerError, now: Duration) -> Result<(), QueueError> {
        let since = *self.locked_since.get_or_insert(now);
        match error {
            LedgerError::Busy(_) if now.saturating_sub(since) < PATIENCE => {
                self.next_turn = now + Duration::from_millis(200);
                Ok(())
            }
            error => Err(error.into()),
        }
    }

    /// How many units of a kind should be in the queue.
    fn window(&self, kind: Kind, now: Duration) -> usize {
        self.stock.window(kind, self.workers.places(kind), now)
    }

    /// Posts the notice with the workers that are shut out by now.
    fn post_notice(&mut self) {
        self.notice.shut_out = self.shut_out.iter().cloned().collect();
        self.out.push(Output::Post(Box::new(self.notice.clone())));
    }

    fn tell(&mut self, told: Told) {
        self.out.push(Output::Tell(told));
    }
}
