//! The workers of a simulated day: each a [shift](super::super::shift), and a shell around it.
//!
//! Most are honest. The last one may be a liar, which also checks itself and signs with another
//! worker's name. Or the last two are one liar with two names: under each it counts the first unit
//! rightly to be believed, and then tells the same lies.

use std::collections::BTreeMap;
use std::time::Duration;

use queens::count::two_colour;

use super::super::QueueError;
use super::super::message::{self, Answer, State, Task};
use super::super::shift::{End, Input, Output, Shift, Told};
use super::network::{Ask, How};
use super::processes::{Who, Working};
use super::template::{N, template};
use super::{Happening, Simulation};
use crate::device::Kind;
use crate::ledger::{Access, Campaign};

impl Simulation {
    /// A worker hears something, if it is still in the same life.
    pub(super) fn hear_worker(&mut self, k: usize, life: u32, input: Input) -> Result<(), String> {
        if self.workers[k].fate.life != life || self.workers[k].fate.over {
            return Ok(());
        }
        if let Some(rest) = self.asleep(Who::Worker(k)) {
            self.later(rest, Happening::Worker(k, life, input));
            return Ok(());
        }
        let input = match input {
            Input::Unit {
                kind,
                token,
                payload,
            } if self.lies(k) => Input::Unit {
                kind,
                token,
                payload: allow_self_check(payload),
            },
            input => input,
        };
        let now = self.now;
        let name = format!("w{k}");
        if let (Some(Working::Looking), Input::Notice(Some(notice))) =
            (&self.workers[k].process, &input)
        {
            match notice.state {
                State::Open => {
                    let appetites = BTreeMap::from([(Kind::Cpu, 2)]);
                    let ours = (crate::PROGRAM, two_colour::ALGORITHM);
                    let units = two_colour::units(N as usize).unwrap().len();
                    let notice = (**notice).clone();
                    let shift = Shift::new(&name, ours, notice, units, &appetites, now);
                    self.workers[k].process = Some(Working::begin(shift));
                }
                // There is nothing left to do.
                State::Done => self.workers[k].fate.over = true,
                State::Halted(_) => {}
            }
        }
        let Some(Working::At(shift, _)) = &mut self.workers[k].process else {
            return Ok(());
        };
        let outcome = shift.hear(input, now);
        let outputs = shift.outputs();
        let ended = shift.ended();
        for output in outputs {
            self.carry_out_for_worker(k, life, output);
        }
        match outcome {
            Ok(()) => {}
            Err(QueueError::ShutOut { .. }) if self.lies(k) || self.colludes(k) => {
                self.say(&format!("{name} is shut out"));
                self.workers[k].fate.over = true;
            }
            Err(error) => return Err(format!("{name} gave up: {error}")),
        }
        if ended == Some(End::Finished) {
            self.say(&format!("{name} is told that all is done"));
            if self.complete_since.is_none() {
                return Err(format!("{name} believed the campaign complete"));
            }
            self.workers[k].fate.over = true;
        }
        Ok(())
    }

    /// Whether a worker is the single liar.
    pub(super) fn lies(&self, k: usize) -> bool {
        self.luck.liar && k + 1 == self.workers.len()
    }

    /// Whether a worker is one of the pair that lies in the same way.
    pub(super) fn colludes(&self, k: usize) -> bool {
        self.luck.pair && k + 2 >= self.workers.len()
    }

    /// Does what a shift wants.
    fn carry_out_for_worker(&mut self, k: usize, life: u32, output: Output) {
        match output {
            Output::Fetch(kind, number) => self.ask(
                || Ask::Fetch(k, life, kind, number),
                Some(Happening::Worker(k, life, Input::Fetched(kind, true))),
            ),
            Output::Give(_, planned) => {
                if let Some(Working::At(_, devices)) = &mut self.workers[k].process {
                    devices.pool.push_back(planned);
                }
                self.labour(Who::Worker(k), life);
            }
            Output::Publish {
                unit,
                subject,
                payload,
            } => {
                let payload = match self.lies(k) && self.chance(0.2) {
                    true => self.blame(payload),
                    false => payload,
                };
                self.ask(
                    || Ask::PublishResult(k, life, unit, subject.clone(), payload.clone()),
                    Some(Happening::Worker(k, life, Input::Stored(unit, false))),
                );
            }
            Output::Ack(token) | Output::Terminate(token) => {
                self.ask(|| Ask::Unit(token, How::Done), None);
            }
            Output::GiveBack(token) => self.ask(|| Ask::Unit(token, How::Back), None),
            Output::Renew(token) => self.ask(|| Ask::Unit(token, How::Renew), None),
            Output::Hello(hello) => {
                let subject = self.names.hello(&format!("w{k}"));
                self.ask(|| Ask::Hello(subject.clone(), hello), None);
            }
            Output::ReadNotice => self.ask(|| Ask::ReadNotice(k, life), None),
            Output::Clear | Output::Halt => {
                if let Some(Working::At(_, devices)) = &mut self.workers[k].process {
                    devices.pool.clear();
                }
            }
            Output::Tell(Told::Counted(_)) => {}
            Output::Tell(told @ Told::Hung { .. }) => {
                // Some time later its owner reads that and restarts it.
                self.say(&format!("w{k} tells {told:?}"));
                let mend = Happening::Mend(Who::Worker(k), life);
                self.later(Duration::from_secs(300), mend);
            }
            Output::Tell(told) => self.say(&format!("w{k} tells {told:?}")),
        }
    }

    /// Changes a result so that another worker is blamed for it.
    fn blame(&self, payload: Vec<u8>) -> Vec<u8> {
        let Ok(mut answer) = message::read::<Answer>(&payload) else {
            return payload;
        };
        let campaign = Campaign::open(&self.file, Access::Read).unwrap();
        answer.row.device = "w0@m0/cpu".to_owned();
        answer.row.count = template().counts[answer.row.unit as usize] + 1;
        answer.check_value = answer.row.check_value(&campaign.info().plan_digest);
        message::write(&answer)
    }
}

/// Changes a unit so that the worker may check itself.
fn allow_self_check(payload: Vec<u8>) -> Vec<u8> {
    match message::read::<Task>(&payload) {
        Ok(task) => message::write(&Task { not: None, ..task }),
        Err(_) => payload,
    }
}
