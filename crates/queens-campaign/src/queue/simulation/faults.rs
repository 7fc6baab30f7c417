//! What goes wrong on a simulated day.
//!
//! Every ten seconds of the bad time, each fault may strike: a process is killed or sleeps, the
//! NATS server goes down or loses something, the clock jumps, the disk is slow or full, a stranger
//! sends nonsense or a good forgery.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::super::message::{self, Answer};
use super::broker::{PARTS, Queue};
use super::luck::BAD_TIME;
use super::network::Ask;
use super::template::template;
use super::{Happening, Simulation};
use crate::device::Kind;
use crate::ledger::{Access, Campaign};
use crate::row::Row;

impl Simulation {
    /// Lets each fault strike with its probability.
    pub(super) fn bad(&mut self) {
        if self.now >= BAD_TIME {
            return;
        }
        self.later(Duration::from_secs(10), Happening::Bad);
        let fault = self.luck.fault;
        if self.chance(fault) {
            let who = self.everybody();
            let who = who[self.random.below(who.len() as u64) as usize];
            match self.random.below(3) {
                0 => self.sleep(who),
                _ => self.kill(who),
            }
        }
        if self.chance(fault / 3.0) {
            self.say("the NATS server is down");
            self.broker.down = true;
            // If it was killed between two writes, it may wrongly take messages to be done.
            if self.random.below(3) == 0 {
                self.broker.skip_all();
            }
            let pause = self.seconds(20.0);
            self.later(pause, Happening::Up);
        }
        // After the end no server is left to restore it.
        if self.chance(fault / 4.0) && !self.server.fate.over {
            self.say("the NATS server has lost its disk");
            self.broker.lose_disk();
        }
        if self.chance(fault / 3.0) && !self.server.fate.over {
            let part = PARTS[self.random.below(PARTS.len() as u64) as usize];
            self.say(&format!("the NATS server has lost {part}"));
            self.broker.lose(part);
        }
        if self.chance(fault / 8.0) && !self.server.fate.over {
            self.say("the notice is too old");
            self.broker.notice = None;
        }
        if self.chance(fault / 3.0) {
            let step = self.seconds(7_200.0).as_secs();
            self.say("the clock is set");
            match self.random.below(2) {
                0 => self.machine.wall.fetch_add(step, Ordering::Relaxed),
                _ => self.machine.wall.fetch_sub(step, Ordering::Relaxed),
            };
        }
        if self.chance(fault / 2.0) {
            self.say("the disk is slow");
            self.machine.locked.store(true, Ordering::Relaxed);
            let pause = self.seconds(40.0);
            self.later(pause, Happening::Unlock);
        }
        if self.chance(fault / 8.0) {
            self.say("the disk is full");
            self.machine.full.store(true, Ordering::Relaxed);
            let pause = self.seconds(10.0);
            self.later(pause, Happening::Room);
        }
        if self.chance(fault) {
            self.strange();
        }
    }

    /// A stranger sends a message.
    fn strange(&mut self) {
        let campaign = Campaign::open(&self.file, Access::Read).unwrap();
        let info = campaign.info().clone();
        let unit = self.random.below(info.units);
        let planned = campaign.planned(unit).unwrap();
        let answer = |count, device| {
            let row = Row::fresh(unit, count, device, self.date(), 1.0);
            Answer {
                check_value: row.check_value(&info.plan_digest),
                algorithm: info.algorithm.clone(),
                first: planned.first,
                last: planned.last,
                ticket: String::new(),
                row,
            }
        };
        let huge = answer(1 << 63, "mallory@x");
        let wrong = answer(template().counts[unit as usize] + 1, "w0@m0/cpu");
        let result = |name, payload| (Queue::Results, self.names.result(name, &unit), payload);
        let units = |subject| (Queue::Units, subject, b"?".to_vec());
        let (queue, subject, payload) = match self.random.below(6) {
            0 => result("mallory", message::write(&huge)),
            1 => result("w0", message::write(&huge)),
            // Everything is right but the ticket, which a stranger cannot know.
            5 => result("w0", message::write(&wrong)),
            2 => result("w0", b"{".to_vec()),
            3 => units(self.names.unit(Kind::Cpu, &"007")),
            _ => units(self.names.unit(Kind::Cpu, &u64::MAX)),
        };
        self.say(&format!("a stranger says {subject}"));
        let ask = Ask::Stranger(queue, subject, payload);
        self.later(Duration::ZERO, Happening::Asked(ask));
    }
}
