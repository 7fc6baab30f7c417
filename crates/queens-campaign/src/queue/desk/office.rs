//! A desk with a campaign file and a clock, for the tests of this folder.
//!
//! It serves a small campaign of 14 queens. Its clock moves only with calls of [`Office::after`].

use std::path::PathBuf;
use std::time::Duration;

use queens::count::two_colour;

use super::super::QueueError;
use super::super::message::{self, Answer, Hello, Task};
use super::Desk;
use super::interface::{Input, Output, Rules};
use crate::ledger::{Access, Campaign};
use crate::row::Row;

/// A desk that serves a campaign of its own.
pub(super) struct Office {
    pub desk: Desk,
    pub campaign: Campaign,
    pub path: PathBuf,
    now: Duration,
}

impl Office {
    /// A desk that has made its queues and waits for workers. Tests run at the same time, so each
    /// uses its own name.
    pub fn open(name: &str, twice: bool) -> Office {
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
        let mut office = Office {
            desk: Desk::new(rules, &campaign, Duration::ZERO),
            campaign,
            path,
            now: Duration::ZERO,
        };
        office.after(1, Input::Tick).unwrap();
        office.after(1, Input::Tick).unwrap();
        office.after(1, Input::Prepared(Ok(()))).unwrap();
        office
    }

    /// Lets some seconds pass, gives the desk an input, and returns what it wants.
    pub fn after(&mut self, seconds: u64, input: Input) -> Result<Vec<Output>, QueueError> {
        self.now += Duration::from_secs(seconds);
        let outcome = self.desk.hear([input], self.now, &mut self.campaign);
        let outputs = self.desk.outputs();
        outcome.map(|()| outputs)
    }

    /// The units that a worker gets when it says hello.
    pub fn greet(&mut self, name: &str) -> Vec<Task> {
        let hello = Hello { cpus: 1, gpus: 0 };
        let outputs = self.after(1, Input::Hello(name.to_owned(), hello)).unwrap();
        let tasks = outputs.into_iter().filter_map(|output| match output {
            Output::Publish(_, task) => Some(*task),
            _ => None,
        });
        tasks.collect()
    }

    /// A worker's result, as delivered for the `deliveries`-th time.
    pub fn result(&self, name: &str, task: &Task, deliveries: u64) -> Input {
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
