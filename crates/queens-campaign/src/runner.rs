//! One process at work on a campaign.
//!
//! The devices count in threads of their own and never touch the file. The thread
//! that called [`run`] keeps the ledger: it hears of a finished unit, records it at
//! once, and claims the next one in the same transaction. It keeps as many units in
//! reserve as the devices hold, so they stay busy while a commit waits for the disk;
//! units that finish meanwhile go into the next commit together. So a unit is on disk a
//! few milliseconds after it was counted, and the devices never wait for the disk.
//!
//! A kill loses the units being counted and those finished during the last commit. A stop
//! by Ctrl-C loses only the units being counted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::crew::{Crew, Event};
use crate::device::Device;
use crate::ledger::claims::{Member, Turn};
use crate::ledger::{Campaign, LedgerError};
use crate::process;
use crate::row::Row;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The file.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// No device is left.
    #[error("no device is left to count with: {0}")]
    NoDevice(String),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Every unit of the campaign has a row.
    Complete,
    /// It was asked to stop; everything counted is recorded.
    Stopped,
}

/// How far the campaign is, as seen by a running process.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Units in the ledger.
    pub units: u64,
    /// Their expected cost.
    pub cost: u64,
    /// Units counted by this process.
    pub mine: u64,
    /// Expected cost finished per second, by this process and any other one.
    pub rate: f64,
}

/// What a run reports while it works.
#[derive(Debug)]
pub enum News<'a> {
    /// How far it is; a few times a second.
    Progress(&'a State),
    /// A device was lost.
    DeviceLost {
        /// Its name.
        device: &'a str,
        /// Why.
        why: &'a str,
    },
    /// Every unit left is being counted by another process.
    Waiting,
}

/// How often the stop flag is looked at.
const TICK: Duration = Duration::from_millis(50);

/// How long to wait for another process's commit, unless a stop is wanted.
const PATIENCE: Duration = Duration::from_secs(30);

/// Counts what is missing until the campaign is complete or `stop` becomes true.
///
/// # Errors
///
/// When the file cannot be used, a unit is disputed, or no device is left.
pub fn run(
    campaign: &mut Campaign,
    devices: Vec<Box<dyn Device>>,
    stop: &AtomicBool,
    news: &mut dyn FnMut(News<'_>),
) -> Result<Finish, RunError> {
    // Short, so that a stop is noticed while another process holds the file.
    campaign.set_patience(Duration::from_millis(200))?;
    let mut member = campaign.join("run")?;
    let outcome = keep(campaign, &mut member, devices, stop, news);
    // Claims that cannot be given back now are freed by the next process that joins.
    let left = campaign.leave(&member);
    let finish = outcome?;
    left?;
    Ok(finish)
}

fn keep(
    campaign: &mut Campaign,
    member: &mut Member,
    devices: Vec<Box<dyn Device>>,
    stop: &AtomicBool,
    news: &mut dyn FnMut(News<'_>),
) -> Result<Finish, RunError> {
    let total = campaign.info().units;
    let ahead = 2 * devices.iter().map(|d| d.appetite()).sum::<usize>();
    let (tell, events) = mpsc::channel();
    let crew = Crew::start(devices, move |event| {
        let _ = tell.send(event);
    });
    let mut watch = Watch::new();
    let mut rows: Vec<Row> = Vec::new();
    let mut held = 0_usize;
    let mut lost = String::new();
    let mut next_look = Instant::now();
    let mut waiting = false;
    loop {
        let stopping = stop.load(Ordering::Relaxed);
        if stopping {
            break;
        }
        if !rows.is_empty() || Instant::now() >= next_look {
            let want = ahead.saturating_sub(held - rows.len());
            let turn = patiently(campaign, member, &rows, want, stop)?;
            watch.recorded(campaign, &turn, rows.len() as u64)?;
            held = held - rows.len() + turn.claimed.len();
            rows.clear();
            let starved = want > 0 && turn.claimed.is_empty();
            if starved && held == 0 && turn.elsewhere > 0 && !waiting {
                news(News::Waiting);
                waiting = true;
            }
            crew.give(turn.claimed);
            if turn.done >= total {
                return Ok(Finish::Complete);
            }
            // With nothing to claim, look again soon: another process may give up
            // what it holds. Otherwise only the heartbeat is due.
            next_look = Instant::now()
                + if starved && held == 0 {
                    Duration::from_millis(300)
                } else {
                    Duration::from_secs(process::HEARTBEAT)
                };
        }
        news(News::Progress(&watch.state));
        match events.recv_timeout(TICK) {
            Ok(first) => {
                for event in std::iter::once(first).chain(events.try_iter()) {
                    match event {
                        Event::Counted(row) => rows.push(row),
                        Event::Failed {
                            units,
                            device,
                            why,
                            first,
                            ..
                        } => {
                            if first {
                                news(News::DeviceLost {
                                    device: &device,
                                    why: &why,
                                });
                            }
                            lost = format!("{device}: {why}");
                            crew.give(units);
                        }
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            // Every device has failed: record what came in before, then give up.
            Err(RecvTimeoutError::Disconnected) if rows.is_empty() => {
                return Err(RunError::NoDevice(lost));
            }
            Err(RecvTimeoutError::Disconnected) => {}
        }
    }
    crew.join();
    rows.extend(events.try_iter().filter_map(|event| match event {
        Event::Counted(row) => Some(row),
        Event::Failed { .. } => None,
    }));
    let turn = patiently(campaign, member, &rows, 0, stop)?;
    watch.recorded(campaign, &turn, rows.len() as u64)?;
    news(News::Progress(&watch.state));
    Ok(if turn.done >= total {
        Finish::Complete
    } else {
        Finish::Stopped
    })
}

/// Takes a turn, waiting for others to finish their commits: long as a rule, one second
/// once a stop is wanted.
fn patiently(
    campaign: &mut Campaign,
    member: &mut Member,
    rows: &[Row],
    want: usize,
    stop: &AtomicBool,
) -> Result<Turn, LedgerError> {
    let begun = Instant::now();
    loop {
        let limit = if stop.load(Ordering::Relaxed) {
            Duration::from_secs(1)
        } else {
            PATIENCE
        };
        match campaign.turn(member, rows, want) {
            Err(LedgerError::Busy(_)) if begun.elapsed() < limit => {}
            other => return other,
        }
    }
}

/// Keeps the state that is shown to the user.
struct Watch {
    state: State,
    begun: Instant,
    my_cost: u64,
    refreshed: Option<Instant>,
    others: f64,
}

impl Watch {
    fn new() -> Watch {
        Watch {
            state: State::default(),
            begun: Instant::now(),
            my_cost: 0,
            refreshed: None,
            others: 0.0,
        }
    }

    fn recorded(&mut self, campaign: &Campaign, turn: &Turn, rows: u64) -> Result<(), LedgerError> {
        self.state.units = turn.done;
        self.state.mine += rows;
        self.my_cost += turn.cost;
        self.state.cost += turn.cost;
        // What others do changes slowly and costs a query.
        let due = self
            .refreshed
            .is_none_or(|at| at.elapsed() > Duration::from_secs(1));
        if due {
            let progress = campaign.progress()?;
            let me = std::process::id();
            self.others = progress
                .processes
                .iter()
                .filter(|p| p.pid != me || p.host != process::host())
                .map(crate::ledger::Active::rate)
                .sum();
            self.state.cost = progress.cost;
            self.refreshed = Some(Instant::now());
        }
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        self.state.rate = self.my_cost as f64 / seconds + self.others;
        Ok(())
    }
}
