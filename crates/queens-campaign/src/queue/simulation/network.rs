//! The network of a simulated day: questions to the NATS server, and its answers.
//!
//! In the bad time questions and answers are dropped, delayed and reordered, and a question may
//! arrive twice. If an answer is lost, the process that waits for it hears after five seconds that
//! none came.

use std::time::Duration;

use super::super::desk::{Input as ToServer, Token};
use super::super::message::{self, Hello, Notice, Presence, State, Task};
use super::super::shift::Input as ToWorker;
use super::broker::{LEASE, PARTS, Queue};
use super::luck::BAD_TIME;
use super::{Happening, Simulation, TICK};
use crate::device::Kind;

/// A question is given up after this time.
const NO_ANSWER: Duration = Duration::from_secs(5);

/// What is asked of the NATS server. The numbers of a worker and of a life say who hears the
/// answer.
pub(super) enum Ask {
    Prepare(u32),
    ReadQueue(u32),
    Reset(u32, Vec<&'static str>),
    PublishUnit(u32, Kind, Task),
    Purge(String),
    /// With the number of the notice: only the latest one counts.
    Post(u32, u64, Notice),
    ResultDone(Token),
    Unit(Token, How),
    Fetch(usize, u32, Kind, usize),
    PublishResult(usize, u32, u64, String, Vec<u8>),
    ReadNotice(usize, u32),
    Hello(String, Hello),
    Announce(Presence),
    /// The server's standing request for results.
    DeliverResults,
    /// A stranger's message to one of the queues.
    Stranger(Queue, String, Vec<u8>),
}

/// What a worker says about a unit that it was given.
#[derive(Clone, Copy)]
pub(super) enum How {
    Done,
    Back,
    Renew,
}

impl Simulation {
    /// The time that a message takes. In the bad time some messages are slow, so others overtake
    /// them.
    pub(super) fn travel(&mut self) -> Duration {
        let most = match self.now < BAD_TIME {
            true => self.luck.delay,
            false => 0.01,
        };
        self.seconds(most)
    }

    /// Asks the NATS server something; the question may get lost, or arrive twice.
    pub(super) fn ask(&mut self, make: impl Fn() -> Ask, lost: Option<Happening>) {
        if self.chance(self.luck.drop) {
            if let Some(lost) = lost {
                self.later(NO_ANSWER, lost);
            }
            return;
        }
        let delay = self.travel();
        self.later(delay, Happening::Asked(make()));
        if self.chance(self.luck.twice) {
            let delay = self.travel();
            self.later(delay, Happening::Asked(make()));
        }
    }

    /// Brings an answer, or `lost` if the answer gets lost.
    fn answer(&mut self, right: Happening, lost: Option<Happening>) {
        if self.chance(self.luck.drop) {
            if let Some(lost) = lost {
                self.later(NO_ANSWER, lost);
            }
            return;
        }
        let delay = self.travel();
        self.later(delay, right);
    }

    /// What the NATS server does with a question.
    pub(super) fn asked(&mut self, ask: Ask) {
        let up = !self.broker.down;
        let to_server = |life, input| Happening::Server(life, input);
        match ask {
            Ask::Prepare(life) => {
                let heard = |outcome| to_server(life, ToServer::Prepared(outcome));
                let lost = heard(Err("no answer".to_owned()));
                if up {
                    self.broker.make_all();
                    self.answer(heard(Ok(())), Some(lost));
                } else {
                    self.later(NO_ANSWER, lost);
                }
            }
            Ask::ReadQueue(life) => {
                let heard = |outcome| to_server(life, ToServer::Queue(outcome));
                let lost = heard(Err(Some("no answer".to_owned())));
                if self.broker.has(&PARTS) {
                    let snapshot = self.broker.snapshot();
                    self.answer(heard(Ok(snapshot)), Some(lost));
                } else if up {
                    self.answer(heard(Err(None)), Some(lost));
                } else {
                    self.later(NO_ANSWER, lost);
                }
            }
            Ask::Reset(life, consumers) => {
                let heard = |outcome| to_server(life, ToServer::Prepared(outcome));
                let lost = heard(Err("no answer".to_owned()));
                if up {
                    consumers.into_iter().for_each(|c| self.broker.lose(c));
                    // An interruption may come between deleting and making.
                    if self.chance(self.luck.drop) {
                        self.later(NO_ANSWER, lost);
                        return;
                    }
                    self.broker.make_all();
                    self.answer(heard(Ok(())), Some(lost));
                } else {
                    self.later(NO_ANSWER, lost);
                }
            }
            Ask::PublishUnit(life, kind, task) => {
                let unit = task.unit;
                let heard = |outcome| to_server(life, ToServer::Published(unit, outcome));
                if self.store(
                    Queue::Units,
                    self.names.unit(kind, &unit),
                    message::write(&task),
                ) {
                    self.answer(heard(Ok(())), Some(heard(Err(false))));
                } else if up {
                    self.answer(heard(Err(true)), Some(heard(Err(false))));
                } else {
                    self.later(NO_ANSWER, heard(Err(false)));
                }
            }
            Ask::Purge(subject) => {
                if self.broker.has(&["units"]) {
                    self.broker.purge(&subject);
                }
            }
            Ask::Post(life, number, notice) => self.post(life, number, notice),
            Ask::ResultDone(token) => self.broker.acknowledge(Queue::Results, token),
            Ask::Unit(token, How::Done) => self.broker.acknowledge(Queue::Units, token),
            Ask::Unit(token, How::Back) => {
                let soon = self.now + Duration::from_millis(500);
                self.broker.free_unit_at(token, soon);
            }
            Ask::Unit(token, How::Renew) => self.broker.free_unit_at(token, self.now + LEASE),
            Ask::Fetch(k, life, kind, number) => self.fetch(k, life, kind, number),
            Ask::PublishResult(k, life, unit, subject, payload) => {
                let heard = |stored| Happening::Worker(k, life, ToWorker::Stored(unit, stored));
                if self.store(Queue::Results, subject, payload) {
                    self.answer(heard(true), Some(heard(false)));
                } else {
                    self.later(NO_ANSWER, heard(false));
                }
            }
            Ask::ReadNotice(k, life) => {
                if up {
                    let notice = self.broker.notice.clone().map(Box::new);
                    self.answer(Happening::Worker(k, life, ToWorker::Notice(notice)), None);
                }
            }
            Ask::Hello(subject, hello) => {
                if up && let Some(name) = self.names.parse_hello(&subject) {
                    let life = self.server.fate.life;
                    self.answer(to_server(life, ToServer::Hello(name, hello)), None);
                }
            }
            Ask::Announce(presence) => {
                if up {
                    let life = self.server.fate.life;
                    self.answer(to_server(life, ToServer::Rival(presence)), None);
                }
            }
            Ask::DeliverResults => {
                if !self.server.fate.over {
                    self.later(TICK, Happening::Asked(Ask::DeliverResults));
                }
                if self.broker.has(&["results", "ledger"]) && self.server.process.is_some() {
                    let life = self.server.fate.life;
                    for result in self.broker.deliver(self.now) {
                        self.answer(to_server(life, result), None);
                    }
                }
            }
            Ask::Stranger(queue, subject, payload) => {
                self.store(queue, subject, payload);
            }
        }
    }

    /// Stores a message, if there is such a queue.
    fn store(&mut self, queue: Queue, subject: String, payload: Vec<u8>) -> bool {
        let there = self.broker.has(&[queue.stream()]);
        if there {
            self.broker.store(queue, subject, payload, self.now);
        }
        there
    }

    /// Posts a notice. Retries the latest one until it is up, as long as its server lives.
    fn post(&mut self, life: u32, number: u64, notice: Notice) {
        if number != self.posts || self.server.fate.life != life {
            return;
        }
        if self.broker.has(&["notice"]) {
            self.broker.put_up(notice);
        } else {
            // At the end the server itself makes the stream if it must.
            if notice.state == State::Done && !self.broker.down {
                self.broker.make_all();
            }
            let again = Happening::Asked(Ask::Post(life, number, notice));
            self.later(Duration::from_secs(1), again);
        }
    }

    /// Brings units to a worker.
    fn fetch(&mut self, k: usize, life: u32, kind: Kind, number: usize) {
        let heard = |input| Happening::Worker(k, life, input);
        if !self.broker.has(&["units", "cpu"]) {
            let failed = heard(ToWorker::Fetched(kind, true));
            self.later(Duration::from_secs(2), failed);
            return;
        }
        let of_kind = self.names.unit(kind, &"");
        let found = self.broker.fetch(&of_kind, number, self.now);
        let wait = match found.is_empty() {
            true => Duration::from_secs(2),
            false => Duration::from_millis(50),
        };
        for (token, payload) in found {
            let unit = ToWorker::Unit {
                kind,
                token,
                payload,
            };
            self.answer(heard(unit), None);
        }
        self.later(wait, heard(ToWorker::Fetched(kind, false)));
    }
}
