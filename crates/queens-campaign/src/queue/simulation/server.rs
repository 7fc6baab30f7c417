//! The server of a simulated day: its [desk](super::super::desk), and a shell around it.
//!
//! The shell passes the desk's wishes to the simulated NATS server. The server's checks are counted
//! one after the other, always rightly.

use std::time::Duration;

use super::super::QueueError;
use super::super::desk::{Input, Output};
use super::super::message::State;
use super::broker::PARTS;
use super::machine::OWN_DEVICE;
use super::network::Ask;
use super::processes::Who;
use super::template::template;
use super::{Happening, Simulation};
use crate::ledger::LedgerError;
use crate::row::Row;
use crate::runner::Finish;

impl Simulation {
    /// The server hears something, if it is still in the same life.
    pub(super) fn hear_server(&mut self, life: u32, input: Input) -> Result<(), String> {
        if self.server.fate.life != life || self.server.fate.over {
            return Ok(());
        }
        if let Some(rest) = self.asleep(Who::Server) {
            self.later(rest, Happening::Server(life, input));
            return Ok(());
        }
        let now = self.now;
        let Some(serving) = &mut self.server.process else {
            return Ok(());
        };
        let outcome = serving.desk.hear([input], now, &mut serving.campaign);
        let outputs = serving.desk.outputs();
        let finished = serving.desk.finished();
        let recorded = outputs.iter().any(|o| matches!(o, Output::Ack(_)));
        for output in outputs {
            self.carry_out_for_server(life, output);
        }
        if recorded {
            self.look_for_lies()?;
        }
        match outcome {
            Ok(()) => {}
            // The simulation gave it these reasons to end.
            Err(
                error @ (QueueError::Ledger(LedgerError::Full(_)) | QueueError::ServedElsewhere(_)),
            ) => {
                self.say(&format!("the server ends: {error}"));
                self.kill(Who::Server);
                return Ok(());
            }
            Err(error) => return Err(format!("the server gave up: {error}")),
        }
        if finished == Some(Finish::Complete) {
            self.say("the server says that the campaign is complete");
            let Some(serving) = self.server.process.take() else {
                return Ok(());
            };
            let progress = serving.campaign.progress().map_err(|e| e.to_string())?;
            if progress.units != serving.campaign.info().units {
                return Err(format!("complete with {} units", progress.units));
            }
            self.server.fate.over = true;
            self.complete_since = Some(self.now);
            let notice = serving.desk.last_notice(State::Done);
            self.machine.alive.lock().unwrap().remove(&serving.pid);
            self.posts += 1;
            self.later(
                Duration::ZERO,
                Happening::Asked(Ask::Post(life, self.posts, notice)),
            );
        }
        Ok(())
    }

    /// Does what the desk wants.
    fn carry_out_for_server(&mut self, life: u32, output: Output) {
        let lost = |input| Some(Happening::Server(life, input));
        let failed = || Err("no answer".to_owned());
        match output {
            Output::Prepare => self.ask(|| Ask::Prepare(life), lost(Input::Prepared(failed()))),
            Output::ReadQueue => self.ask(
                || Ask::ReadQueue(life),
                lost(Input::Queue(Err(Some("no answer".to_owned())))),
            ),
            Output::Publish(kind, task) => {
                let unit = task.unit;
                self.ask(
                    || Ask::PublishUnit(life, kind, (*task).clone()),
                    lost(Input::Published(unit, Err(false))),
                );
            }
            Output::Reset(names) => {
                let known = |name: &String| PARTS.into_iter().find(|part| part == name);
                let consumers: Vec<_> = names.iter().filter_map(known).collect();
                let lost = lost(Input::Prepared(failed()));
                self.ask(|| Ask::Reset(life, consumers.clone()), lost);
            }
            Output::Purge(subject) => self.ask(|| Ask::Purge(subject.clone()), None),
            Output::Post(notice) => {
                self.posts += 1;
                let ask = Ask::Post(life, self.posts, *notice);
                let delay = self.travel();
                self.later(delay, Happening::Asked(ask));
            }
            Output::Announce(presence) => self.ask(|| Ask::Announce(presence.clone()), None),
            Output::Ack(token) | Output::Terminate(token) => {
                self.ask(|| Ask::ResultDone(token), None);
            }
            Output::Bury(_) => {}
            Output::Check(planned) => {
                // One after the other.
                self.checks += 1;
                let wait = self.seconds(4.0) * self.checks as u32;
                let count = template().counts[planned.unit as usize];
                let row = Row::fresh(planned.unit, count, OWN_DEVICE, self.date(), 1.0);
                self.later(wait, Happening::Server(life, Input::Checked(row)));
            }
            Output::Tell(told) => self.say(&format!("the server tells {told:?}")),
        }
    }
}
