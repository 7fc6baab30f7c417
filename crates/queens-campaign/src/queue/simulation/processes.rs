//! Those who take part in a simulated day: the server, workers and local runs.
//!
//! Each is a process that may be killed and started again. Each start is a new life, and messages
//! for an earlier life do not reach it. A process that sleeps hears everything later.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::super::desk::{Desk, Rules};
use super::super::shift::Shift;
use super::broker::LEASE;
use super::machine::{OWN_DEVICE, Process};
use super::{Happening, Simulation};
use crate::ledger::{Access, Campaign};
use crate::plan::Planned;
use crate::runner::Keeper;

/// One of the processes that take part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Who {
    Server,
    Worker(usize),
    Run(usize),
}

/// Devices that each count one unit at a time.
#[derive(Default)]
pub(super) struct Devices {
    pub pool: VecDeque<Planned>,
    /// How many of them have nothing to count.
    pub free: usize,
}

impl Devices {
    fn new(number: usize) -> Devices {
        Devices {
            free: number,
            ..Devices::default()
        }
    }
}

/// A living server.
pub(super) struct Serving {
    pub desk: Desk,
    pub campaign: Campaign,
    pub pid: u32,
}

/// A living worker.
#[allow(clippy::large_enum_variant)]
pub(super) enum Working {
    /// It has not read a notice yet.
    Looking,
    At(Shift, Devices),
}

impl Working {
    /// It has found a campaign and begins with two devices.
    pub fn begin(shift: Shift) -> Working {
        Working::At(shift, Devices::new(2))
    }
}

/// A living local run.
pub(super) struct Running {
    pub keeper: Keeper,
    pub campaign: Campaign,
    pub pid: u32,
    pub devices: Devices,
    /// Whether it has seen that every unit is done.
    pub complete: bool,
}

/// A place for a process, which may be there or not.
pub(super) struct Slot<T> {
    pub process: Option<T>,
    pub fate: Fate,
}

impl<T> Slot<T> {
    pub fn new() -> Slot<T> {
        Slot {
            process: None,
            fate: Fate::default(),
        }
    }
}

/// What became of a process.
#[derive(Default)]
pub(super) struct Fate {
    /// Counts its lives.
    pub life: u32,
    pub asleep_until: Duration,
    /// Whether it has come to a good end.
    pub over: bool,
}

impl Simulation {
    pub(super) fn everybody(&self) -> Vec<Who> {
        let workers = (0..self.workers.len()).map(Who::Worker);
        let runs = (0..self.runs.len()).map(Who::Run);
        std::iter::once(Who::Server)
            .chain(workers)
            .chain(runs)
            .collect()
    }

    pub(super) fn fate(&self, who: Who) -> &Fate {
        match who {
            Who::Server => &self.server.fate,
            Who::Worker(k) => &self.workers[k].fate,
            Who::Run(k) => &self.runs[k].fate,
        }
    }

    pub(super) fn fate_mut(&mut self, who: Who) -> &mut Fate {
        match who {
            Who::Server => &mut self.server.fate,
            Who::Worker(k) => &mut self.workers[k].fate,
            Who::Run(k) => &mut self.runs[k].fate,
        }
    }

    pub(super) fn sleep(&mut self, who: Who) {
        self.say(&format!("{who:?} sleeps"));
        let until = self.now + self.seconds(200.0);
        self.fate_mut(who).asleep_until = until;
    }

    /// Kills a process, which is started again some time later.
    pub(super) fn kill(&mut self, who: Who) {
        self.say(&format!("{who:?} is killed"));
        if self.fate(who).over {
            return;
        }
        self.fate_mut(who).life += 1;
        let gone = match who {
            Who::Server => self.server.process.take().map(|serving| serving.pid),
            Who::Worker(k) => {
                self.workers[k].process = None;
                None
            }
            Who::Run(k) => self.runs[k].process.take().map(|running| running.pid),
        };
        if let Some(pid) = gone {
            self.machine.alive.lock().unwrap().remove(&pid);
        }
        let pause = self.seconds(60.0);
        self.later(pause, Happening::Start(who));
    }

    /// A new process on the server's machine, with the file open.
    fn born(&mut self) -> (u32, Campaign) {
        self.next_pid += 1;
        let pid = self.next_pid;
        self.machine.alive.lock().unwrap().insert(pid);
        let mut campaign = Campaign::open(&self.file, Access::Write).unwrap();
        campaign.set_world(Arc::new(Process {
            machine: Arc::clone(&self.machine),
            pid,
        }));
        campaign.be_careless().unwrap();
        (pid, campaign)
    }

    pub(super) fn start(&mut self, who: Who) {
        let lives = match who {
            Who::Server => self.server.process.is_some(),
            Who::Worker(k) => self.workers[k].process.is_some(),
            Who::Run(k) => self.runs[k].process.is_some(),
        };
        if lives || self.fate(who).over {
            return;
        }
        match who {
            Who::Server => {
                let (pid, campaign) = self.born();
                let rules = Rules {
                    program: crate::PROGRAM.to_owned(),
                    lease: LEASE,
                    audit: self.luck.audit,
                    twice: self.luck.all_twice,
                    own_device: Some(OWN_DEVICE.to_owned()),
                    session: format!("{pid}"),
                    seed: self.random.bits(),
                };
                let desk = Desk::new(rules, &campaign, self.now);
                self.checks = 0;
                self.server.process = Some(Serving {
                    desk,
                    campaign,
                    pid,
                });
            }
            Who::Worker(k) => self.workers[k].process = Some(Working::Looking),
            Who::Run(k) => {
                let (pid, campaign) = self.born();
                self.runs[k].process = Some(Running {
                    keeper: Keeper::new(2),
                    campaign,
                    pid,
                    devices: Devices::new(1),
                    complete: false,
                });
            }
        }
        let life = self.fate(who).life;
        self.later(Duration::ZERO, Happening::Tick(who, life));
    }

    /// How much longer a process hears nothing, if it sleeps.
    pub(super) fn asleep(&self, who: Who) -> Option<Duration> {
        let until = self.fate(who).asleep_until;
        (until > self.now).then(|| until - self.now)
    }
}
