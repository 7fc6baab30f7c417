//! One process at work on a campaign.
//!
//! The devices count in threads of their own and never touch the file. The thread that called
//! [`run`] keeps the ledger: it hears of a finished unit, records it at once, and claims the next
//! one in the same transaction. It keeps as many units in reserve as the devices hold, so the
//! devices stay busy while a commit waits for the disk; units that finish meanwhile go into the
//! next commit together. So a unit is on disk a few milliseconds after it was counted, and the
//! devices never wait for the disk.
//!
//! A kill loses the units being counted and those finished during the last commit. A stop by Ctrl-C
//! loses only the units being counted. A run with a time limit loses none: it begins only units
//! that it expects to finish in time.
//!
//! A process keeps its claims by making progress. A device that has hung (see `vigil.rs`) is named,
//! and its units are free for other devices and processes. If it goes on later, its counts are
//! compared with theirs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::crew::{Crew, Event};
use crate::defence::Defence;
use crate::device::Device;
use crate::ledger::claims::{Member, Turn};
use crate::ledger::{Campaign, LedgerError, file};
use crate::plan::Planned;
use crate::process;
use crate::row::Row;
use crate::vigil::{FIRST_PATIENCE, Hung, Vigil};

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The campaign file failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The plan groups several units of the engine.
    #[error("only a plan with one unit of the engine to a row can be swept")]
    CannotSweep,
    /// No device is left.
    #[error("no device is left to count with: {0}")]
    NoDevice(String),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Every unit of the campaign has a row.
    Complete,
    /// Every unit that was asked for has a row; others are missing.
    Chosen,
    /// It was asked to stop; everything that it counted is recorded.
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
    /// Expected cost finished per second by this process and all others.
    pub rate: f64,
}

/// What a run reports while it works.
#[derive(Debug)]
pub enum News<'a> {
    /// How far the campaign is; told several times a second, and after every event.
    Progress(&'a State),
    /// A device was lost.
    DeviceLost {
        /// Its name.
        device: &'a str,
        /// Why.
        why: &'a str,
    },
    /// Units whose devices show no progress; others may now claim them.
    Hung {
        /// The name of the device that has them; `None` if they wait for any device.
        device: Option<&'a str>,
        /// The units.
        units: &'a [u64],
        /// How long the run waited for them.
        seconds: u64,
    },
    /// Every unit left is being counted by another process.
    Waiting,
}

/// How often to look at the stop flag.
const TICK: Duration = Duration::from_millis(50);

/// How long to wait for other processes' commits while nobody wants to stop. With many processes
/// and a slow disk, the wait is long.
const PATIENCE: Duration = Duration::from_secs(300);

/// How long to wait once a stop is requested.
const LAST_PATIENCE: Duration = Duration::from_millis(1_500);

/// If units take longer than expected, a run may go on after its time by one part in this many of
/// that time, but not by more than [`MOST_GRACE`].
const GRACE_SHARE: u32 = 20;

/// The longest that a run goes on after its time.
const MOST_GRACE: Duration = Duration::from_secs(10);

/// How long to wait for devices that have been asked to stop.
const DEVICE_PATIENCE: Duration = Duration::from_secs(10);

/// The shortest time without progress after which a device counts as hung. A silent process keeps
/// its claims just as long.
const LEAST_PATIENCE: Duration = Duration::from_secs(process::SILENCE);

/// The part of a run that keeps the ledger: it joins, records, claims and leaves.
///
/// It has no thread and no clock of its own, so that a simulation can drive it as [`run`] does.
/// While others hold the file, it simply tries each step again later, from the first to the last.
pub(crate) struct Keeper {
    member: Option<Member>,
    /// The units that may be claimed; `None` for any.
    only: Option<Vec<u64>>,
    rows: Vec<Row>,
    /// Units that this process has claimed and not yet counted.
    held: BTreeSet<u64>,
    /// How many units to hold while no device hangs.
    ahead: usize,
    vigil: Vigil<String>,
    least_patience: Duration,
    /// Units that this process gave up because the devices that have them hang.
    hung: BTreeSet<u64>,
    /// What is still to be told about them.
    untold: Vec<Hung<String>>,
    /// Units whose claims are to be freed.
    give_up: Vec<u64>,
    next_look: Duration,
    /// When the step being tried was first tried.
    trying: Option<Duration>,
}

/// What a step did.
#[derive(Debug)]
pub(crate) enum Kept {
    /// Nothing was due.
    Idle,
    /// Others hold the file.
    Busy,
    /// A turn was taken.
    Turn {
        /// What the turn brought.
        turn: Turn,
        /// How many rows were recorded.
        recorded: u64,
        /// Whether other processes have claimed all units left.
        waiting: bool,
    },
}

impl Keeper {
    pub(crate) fn new(ahead: usize) -> Keeper {
        Keeper {
            member: None,
            only: None,
            rows: Vec::new(),
            held: BTreeSet::new(),
            ahead,
            vigil: Vigil::new(FIRST_PATIENCE),
            least_patience: LEAST_PATIENCE,
            hung: BTreeSet::new(),
            untold: Vec::new(),
            give_up: Vec::new(),
            next_look: Duration::ZERO,
            trying: None,
        }
    }

    /// Takes a row that a device counted; the next step records it.
    pub(crate) fn counted(&mut self, row: Row, now: Duration) {
        self.vigil.progress(row.unit, now);
        self.vigil.done(row.unit);
        // If a unit's device hung, another device here may have claimed the unit again, and then
        // two devices have it. The first count to arrive settles the claim, whichever device made
        // it. The second one ends the wait for the device that hung.
        if !self.held.remove(&row.unit) {
            self.hung.remove(&row.unit);
        }
        self.rows.push(row);
    }

    /// Notes that a device has begun with units.
    pub(crate) fn begun(&mut self, units: &[u64], device: &String, now: Duration) {
        for &unit in units {
            self.vigil.begun(unit, device, now);
        }
    }

    /// Notes that a device has done a part of these units.
    fn progress(&mut self, units: &[u64], now: Duration) {
        for &unit in units {
            self.vigil.progress(unit, now);
        }
    }

    /// Notes that the units of a lost device wait for another device.
    fn returned(&mut self, units: &[Planned], now: Duration) {
        for unit in units {
            self.vigil.given(unit.unit, None, now);
            self.hung.remove(&unit.unit);
            self.held.insert(unit.unit);
        }
    }

    /// The units that have hung since the last call.
    pub(crate) fn hung(&mut self) -> Vec<Hung<String>> {
        std::mem::take(&mut self.untold)
    }

    /// Whether no rows wait to be recorded.
    pub(crate) fn is_clear(&self) -> bool {
        self.rows.is_empty()
    }

    /// Does what is due at the time `now`.
    pub(crate) fn step(
        &mut self,
        campaign: &mut Campaign,
        now: Duration,
        stopping: bool,
    ) -> Result<Kept, LedgerError> {
        if self.member.is_none() {
            match campaign.join_for("run", self.only.as_deref()) {
                Ok(member) => self.member = Some(member),
                Err(error) if !Defence::PatientJoining.stands() => return Err(error),
                Err(error) => return self.later(error, now, stopping).map(|()| Kept::Busy),
            }
            self.trying = None;
        }
        let Some(member) = &mut self.member else {
            return Ok(Kept::Idle);
        };
        if Defence::ClaimByProgress.stands() {
            for hung in self.vigil.hung(self.least_patience, now) {
                for unit in &hung.units {
                    self.held.remove(unit);
                }
                self.give_up.extend(&hung.units);
                self.hung.extend(&hung.units);
                self.untold.push(hung);
            }
        }
        if !self.give_up.is_empty() {
            match campaign.give_up(member, &self.give_up) {
                Ok(()) => self.give_up.clear(),
                Err(error) => return self.later(error, now, stopping).map(|()| Kept::Busy),
            }
            // Another device of this process may take them.
            self.next_look = now;
        }
        if self.rows.is_empty() && now < self.next_look && !stopping {
            return Ok(Kept::Idle);
        }
        let want = match stopping {
            true => 0,
            false => self.ahead.saturating_sub(self.held.len() + self.hung.len()),
        };
        let mut turn = match campaign.turn(member, &self.rows, want) {
            Ok(turn) => turn,
            Err(error) => return self.later(error, now, stopping).map(|()| Kept::Busy),
        };
        self.trying = None;
        if let Some(dispute) = turn.dispute.take() {
            self.rows.clear();
            return Err(dispute);
        }
        let recorded = self.rows.len() as u64;
        self.rows.clear();
        for planned in &turn.claimed {
            self.held.insert(planned.unit);
            self.vigil.given(planned.unit, None, now);
        }
        let starved = self.held.is_empty();
        // With nothing to count, look again soon: another process may give up what it holds, or do
        // the last unit. Otherwise only the heartbeat is due.
        self.next_look = now
            + match starved {
                true => Duration::from_millis(300),
                false => Duration::from_secs(process::HEARTBEAT),
            };
        let waiting = starved && want > 0 && turn.elsewhere > 0 && !turn.nothing_left;
        Ok(Kept::Turn {
            turn,
            recorded,
            waiting,
        })
    }

    /// Leaves the campaign. Returns whether this is done. It also counts as done if the process
    /// gives up, because others free the claims of a process that has ended.
    pub(crate) fn leave(
        &mut self,
        campaign: &mut Campaign,
        now: Duration,
        stopping: bool,
    ) -> Result<bool, LedgerError> {
        let Some(member) = &self.member else {
            return Ok(true);
        };
        match campaign.leave(member) {
            Ok(()) => Ok(true),
            Err(error) => match self.later(error, now, stopping) {
                Ok(()) => Ok(false),
                Err(LedgerError::Busy(_)) => Ok(true),
                Err(other) => Err(other),
            },
        }
    }

    /// Waits for others that hold the file, for some time.
    fn later(
        &mut self,
        error: LedgerError,
        now: Duration,
        stopping: bool,
    ) -> Result<(), LedgerError> {
        let since = *self.trying.get_or_insert(now);
        let limit = match stopping {
            true => LAST_PATIENCE,
            false => PATIENCE,
        };
        match error {
            LedgerError::Busy(_) if now.saturating_sub(since) < limit => Ok(()),
            error => Err(error),
        }
    }
}

/// Counts what is missing until the campaign is complete, the time is over or `stop` becomes true.
///
/// With a time limit, a device begins only units that it expects to finish in time, judging by its
/// speed so far. Units that take longer get a twentieth of the time more, at most ten seconds.
///
/// # Errors
///
/// When the file cannot be used, a unit is disputed, or no device is left.
pub fn run(
    campaign: &mut Campaign,
    devices: Vec<Box<dyn Device>>,
    until: Option<Instant>,
    stop: &AtomicBool,
    news: &mut dyn FnMut(News<'_>),
) -> Result<Finish, RunError> {
    run_some(campaign, None, devices, until, stop, news)
}

/// [`run`] for only these units of the campaign, or for all if `only` is `None`. It ends when each
/// of them has a row, whoever counted it.
///
/// # Errors
///
/// As for [`run`].
pub fn run_some(
    campaign: &mut Campaign,
    only: Option<Vec<u64>>,
    devices: Vec<Box<dyn Device>>,
    until: Option<Instant>,
    stop: &AtomicBool,
    news: &mut dyn FnMut(News<'_>),
) -> Result<Finish, RunError> {
    // Short, so that a stop is noticed while another process holds the file.
    campaign.set_patience(Duration::from_millis(200))?;
    let ahead = 2 * devices.iter().map(|d| d.appetite()).sum::<usize>();
    let mut keeper = Keeper {
        only,
        ..Keeper::new(ahead)
    };
    let begun = Instant::now();
    let times = Times { begun, until };
    let outcome = keep(campaign, &mut keeper, devices, times, stop, news);
    let stopping = outcome.is_err() || stop.load(Ordering::Relaxed);
    keeper.trying = None;
    // Claims that cannot be given back now are freed by the next process.
    let left = loop {
        match keeper.leave(campaign, begun.elapsed(), stopping) {
            Ok(false) => {}
            other => break other,
        }
    };
    // The caller's next reads may wait longer again.
    campaign.set_patience(file::PATIENCE)?;
    let finish = outcome?;
    left?;
    Ok(finish)
}

/// When a run began, and when it should end.
pub(crate) struct Times {
    pub begun: Instant,
    pub until: Option<Instant>,
}

impl Times {
    /// Whether the time is over, including the extra time for slow units.
    pub fn is_over(&self) -> bool {
        self.until.is_some_and(|until| {
            let grace = until.saturating_duration_since(self.begun) / GRACE_SHARE;
            Instant::now() >= until + grace.min(MOST_GRACE)
        })
    }
}

fn keep(
    campaign: &mut Campaign,
    keeper: &mut Keeper,
    devices: Vec<Box<dyn Device>>,
    times: Times,
    stop: &AtomicBool,
    news: &mut dyn FnMut(News<'_>),
) -> Result<Finish, RunError> {
    let total = campaign.info().units;
    let (tell, events) = mpsc::channel();
    let crew = Crew::start_until(times.until, devices, move |event| {
        let _ = tell.send(event);
    });
    let mut watch = Watch::new();
    let mut lost = String::new();
    let mut told = false;
    while !stop.load(Ordering::Relaxed) && !times.is_over() {
        if let Kept::Turn {
            turn,
            recorded,
            waiting,
        } = keeper.step(campaign, times.begun.elapsed(), false)?
        {
            watch.recorded(campaign, &turn, recorded)?;
            if waiting && !told {
                news(News::Waiting);
                told = true;
            }
            crew.give(turn.claimed);
            if turn.done >= total {
                return Ok(Finish::Complete);
            }
            if turn.nothing_left {
                return Ok(Finish::Chosen);
            }
        }
        for Hung {
            group,
            units,
            patience,
        } in keeper.hung()
        {
            news(News::Hung {
                device: group.as_deref(),
                units: &units,
                seconds: patience.as_secs(),
            });
        }
        news(News::Progress(&watch.state));
        match events.recv_timeout(TICK) {
            Ok(first) => {
                let now = times.begun.elapsed();
                for event in std::iter::once(first).chain(events.try_iter()) {
                    match event {
                        Event::Begun { units, device } => keeper.begun(&units, &device, now),
                        Event::Progress(units) => keeper.progress(&units, now),
                        Event::Counted(row) => keeper.counted(row, now),
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
                            keeper.returned(&units, now);
                            crew.give(units);
                        }
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            // The last thread has ended: all devices are out of time, or have failed. Earlier
            // events are recorded first.
            Err(RecvTimeoutError::Disconnected) if crew.is_out_of_time() => break,
            Err(RecvTimeoutError::Disconnected) if keeper.is_clear() => {
                return Err(RunError::NoDevice(lost));
            }
            Err(RecvTimeoutError::Disconnected) => {}
        }
    }
    for device in crew.join(DEVICE_PATIENCE) {
        let why = "it does not stop; what it was counting is left to others";
        news(News::DeviceLost {
            device: &device,
            why,
        });
    }
    for event in events.try_iter() {
        if let Event::Counted(row) = event {
            keeper.counted(row, times.begun.elapsed());
        }
    }
    keeper.trying = None;
    let (turn, recorded) = loop {
        match keeper.step(campaign, times.begun.elapsed(), true)? {
            Kept::Turn { turn, recorded, .. } => break (turn, recorded),
            Kept::Idle | Kept::Busy => {}
        }
    };
    watch.recorded(campaign, &turn, recorded)?;
    news(News::Progress(&watch.state));
    Ok(if turn.done >= total {
        Finish::Complete
    } else {
        Finish::Stopped
    })
}

/// Keeps the state that the user sees.
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
        // The work of other processes changes slowly, and asking for it costs a query.
        let due = self
            .refreshed
            .is_none_or(|at| at.elapsed() > Duration::from_secs(1));
        if due {
            match campaign.progress() {
                Ok(progress) => {
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
                // It is only for show, and others are writing.
                Err(LedgerError::Busy(_)) => {}
                Err(other) => return Err(other),
            }
        }
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        self.state.rate = self.my_cost as f64 / seconds + self.others;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{self, DeviceError, Kind};
    use crate::ledger::Access;
    use queens::count::two_colour;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    const N: u32 = 14;
    const SOLUTIONS: u128 = 365_596;

    /// A device that reports beginning a unit and never finishes it.
    struct Hanging(Arc<AtomicBool>);

    impl Device for Hanging {
        fn name(&self) -> &str {
            "box/gpu0"
        }

        fn kind(&self) -> Kind {
            Kind::Gpu
        }

        fn count(&mut self, _: &Planned, _: &AtomicBool) -> Result<Option<u64>, DeviceError> {
            self.0.store(true, Ordering::Relaxed);
            loop {
                std::thread::park();
            }
        }
    }

    /// A device that begins to count once the other one hangs.
    struct Later(Arc<AtomicBool>, Box<dyn Device>);

    impl Device for Later {
        fn name(&self) -> &str {
            self.1.name()
        }

        fn kind(&self) -> Kind {
            Kind::Cpu
        }

        fn count(&mut self, unit: &Planned, stop: &AtomicBool) -> Result<Option<u64>, DeviceError> {
            while !self.0.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            self.1.count(unit, stop)
        }
    }

    /// A device that hangs, and one that counts after that.
    fn devices() -> [Box<dyn Device>; 2] {
        let hangs = Arc::new(AtomicBool::new(false));
        let mut cpus = device::open(&[], N, Some(1), Default::default(), &|_| {}).unwrap();
        [
            Box::new(Hanging(Arc::clone(&hangs))),
            Box::new(Later(hangs, cpus.remove(0))),
        ]
    }

    fn file(name: &str) -> PathBuf {
        let name = format!("queens-runner-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let cut = two_colour::units(N as usize).unwrap();
        Campaign::create(&path, &cut, 20).unwrap();
        path
    }

    /// A run that waits only a moment for its devices. Returns what it told of hung units.
    fn run_impatiently(path: &Path, devices: Vec<Box<dyn Device>>) -> Vec<(String, Vec<u64>)> {
        let mut campaign = Campaign::open(path, Access::Write).unwrap();
        // Long enough that a busy machine reports in time which device has begun which unit.
        let moment = Duration::from_millis(500);
        let mut keeper = Keeper {
            vigil: Vigil::new(moment),
            least_patience: moment,
            ..Keeper::new(2 * devices.len())
        };
        let times = Times {
            begun: Instant::now(),
            until: None,
        };
        let never = AtomicBool::new(false);
        let mut told = Vec::new();
        let finish = keep(
            &mut campaign,
            &mut keeper,
            devices,
            times,
            &never,
            &mut |news| {
                if let News::Hung { device, units, .. } = news {
                    told.push((device.unwrap_or_default().to_owned(), units.to_vec()));
                }
            },
        );
        assert_eq!(finish.unwrap(), Finish::Complete);
        assert_eq!(campaign.result().unwrap().total, SOLUTIONS);
        told
    }

    #[test]
    fn a_device_that_hangs_is_named_and_the_others_do_its_units() {
        let path = file("others");
        let told = run_impatiently(&path, devices().into());
        let hangs = |(device, units): &(String, Vec<u64>)| device == "box/gpu0" && units.len() == 1;
        assert_eq!(
            told.iter().filter(|told| hangs(told)).count(),
            1,
            "{told:?}"
        );
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn another_process_does_the_units_of_one_whose_only_device_hangs() {
        let path = file("process");
        let [hangs, counts] = devices();
        let hanging = std::thread::spawn({
            let path = path.clone();
            move || run_impatiently(&path, vec![hangs])
        });
        let mut campaign = Campaign::open(&path, Access::Write).unwrap();
        let never = AtomicBool::new(false);
        let finish = run(&mut campaign, vec![counts], None, &never, &mut |_| {}).unwrap();
        assert_eq!(finish, Finish::Complete);
        // Both the unit that it has begun and the unit that waits behind it.
        let told = hanging.join().unwrap();
        let units: usize = told.iter().map(|(_, units)| units.len()).sum();
        assert_eq!(units, 2, "{told:?}");
        assert!(
            told.iter().any(|(device, _)| device == "box/gpu0"),
            "{told:?}"
        );
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn after_a_run_the_result_waits_for_others_that_hold_the_file() {
        let path = file("patience");
        let mut campaign = Campaign::open(&path, Access::Write).unwrap();
        let devices = device::open(&[], N, Some(1), Default::default(), &|_| {}).unwrap();
        let never = AtomicBool::new(false);
        run(&mut campaign, devices, None, &never, &mut |_| {}).unwrap();
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let other = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(1));
            other.execute_batch("ROLLBACK").unwrap();
        });
        assert_eq!(campaign.result().unwrap().total, SOLUTIONS);
        other.join().unwrap();
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn single_units_are_read_however_short_the_patience_is() {
        let path = file("single");
        let campaign = Campaign::open(&path, Access::Write).unwrap();
        campaign.set_patience(Duration::from_millis(1)).unwrap();
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let other = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            other.execute_batch("ROLLBACK").unwrap();
        });
        assert_eq!(campaign.planned(3).unwrap().unit, 3);
        other.join().unwrap();
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_unit_that_hung_and_is_claimed_again_is_held_once() {
        let path = file("again");
        let mut campaign = Campaign::open(&path, Access::Write).unwrap();
        let mut cpu = device::open(&[], N, Some(1), Default::default(), &|_| {}).unwrap();
        let mut keeper = Keeper::new(3);
        let mut stuck = None;
        let mut row_by = |device: &str, unit: &Planned| {
            let count = cpu[0]
                .count(unit, &AtomicBool::new(false))
                .unwrap()
                .unwrap();
            Row::fresh(
                unit.unit,
                count,
                device,
                "2026-11-17T09:00:00Z".to_owned(),
                1.0,
            )
        };
        let mut waited = false;
        for second in 0.. {
            assert!(second < 1_000, "it never ends");
            let now = Duration::from_secs(second);
            let Kept::Turn { turn, waiting, .. } = keeper.step(&mut campaign, now, false).unwrap()
            else {
                continue;
            };
            waited |= waiting;
            for unit in turn.claimed {
                // The first device hangs with the first unit, and the second device counts the
                // rest.
                if stuck.is_none() {
                    keeper.begun(&[unit.unit], &"box/gpu0".to_owned(), now);
                    stuck = Some(unit);
                } else {
                    keeper.begun(&[unit.unit], &"box/cpu".to_owned(), now);
                    keeper.counted(row_by("box/cpu", &unit), now);
                }
            }
            if turn.done == campaign.info().units {
                break;
            }
        }
        let stuck = stuck.unwrap();
        let hung = keeper.hung();
        assert_eq!(hung.len(), 1, "{hung:?}");
        assert_eq!(hung[0].units, [stuck.unit]);
        assert!(keeper.held.is_empty() && !waited);
        assert_eq!(keeper.hung, BTreeSet::from([stuck.unit]));
        assert_eq!(campaign.result().unwrap().total, SOLUTIONS);
        // The first device wakes up after all.
        let now = Duration::from_secs(2_000);
        keeper.counted(row_by("box/gpu0", &stuck), now);
        keeper.step(&mut campaign, now, false).unwrap();
        assert!(keeper.hung.is_empty());
        std::fs::remove_file(&path).unwrap();
    }
}
