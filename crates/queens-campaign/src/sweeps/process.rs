//! One process that sweeps: it gives blocks to a device and records the counts.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use queens::count::two_colour::{self, Units};

use super::blocks::{Block, Paces, blocks_of};
use super::counter::BlockCounter;
use crate::clock;
use crate::ledger::claims::Member;
use crate::ledger::{Campaign, LedgerError};
use crate::process;
use crate::row::Row;
use crate::runner::{RunError, State, Times};

/// How a sweep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swept {
    /// No block is left that it could count.
    All,
    /// It was asked to stop, or its time is over.
    Stopped,
}

/// What a sweep tells its caller.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SweepNews<'a> {
    /// How far it is.
    Progress(&'a State),
    /// A block that the device could not count. Its units are left to be counted one by one.
    NotSwept {
        /// Its units.
        units: Range<u64>,
        /// How long the attempt took.
        seconds: f64,
    },
}

/// How often to look at the stop flag and to report progress.
const TICK: Duration = Duration::from_millis(50);

/// How many blocks a device has at once: it counts one and prepares the other.
const AHEAD: usize = 2;

/// A block is begun only if it would be done in time even if it takes this many times as long as
/// expected.
const SAFE: f64 = 1.2;

/// Counts blocks until none is left that can be swept, the time is over, or `stop` becomes true. A
/// class is the number of black queens on each black board. Only blocks of these `classes` are
/// counted, or blocks of all classes if `classes` is empty. `tell` hears of the progress, a few times
/// a second, and of blocks that could not be counted.
///
/// # Errors
///
/// When the file cannot be used, a unit is disputed, the device fails, or a row of the plan is not
/// one unit of the engine.
pub fn sweep(
    campaign: &mut Campaign,
    counter: &mut dyn BlockCounter,
    classes: &[u32],
    until: Option<Instant>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(SweepNews<'_>),
) -> Result<Swept, RunError> {
    let info = campaign.info();
    let units = two_colour::units(info.n as usize).filter(|units| units.len() == info.units);
    let Some(units) = units else {
        return Err(RunError::CannotSweep);
    };
    let scale = info.cost as f64 / units.total_cost();
    let member = campaign.join("sweep")?;
    let begun = Instant::now();
    let mut process = Process {
        member,
        left: Vec::new(),
        units,
        scale,
        times: Times { begun, until },
        given: VecDeque::new(),
        paces: Paces::default(),
        state: State::default(),
        cost: 0.0,
        campaign,
    };
    let outcome = process.sweep(counter, classes, stop, tell);
    let Process {
        campaign, member, ..
    } = process;
    // Claims that cannot be given back now are freed by the next process.
    match campaign.leave(&member) {
        Err(LedgerError::Busy(_)) => {}
        left => left?,
    }
    outcome
}

/// A process at work.
struct Process<'a> {
    campaign: &'a mut Campaign,
    member: Member,
    units: Units,
    /// A unit's cost in the plan divided by its cost in the engine.
    scale: f64,
    times: Times,
    /// The blocks that have units without a row; the next one is last.
    left: Vec<Block>,
    /// The blocks that the device has.
    given: VecDeque<Given>,
    paces: Paces,
    state: State,
    /// The expected cost of all that was counted.
    cost: f64,
}

/// A block that the device has.
struct Given {
    block: Block,
    /// The units of the block that this process has claimed.
    claimed: Vec<u64>,
    started: String,
    since: Instant,
}

impl Process<'_> {
    fn sweep(
        &mut self,
        counter: &mut dyn BlockCounter,
        classes: &[u32],
        stop: &AtomicBool,
        tell: &mut dyn FnMut(SweepNews<'_>),
    ) -> Result<Swept, RunError> {
        let n = self.campaign.info().n;
        let is_wanted = |class| classes.is_empty() || classes.contains(&class);
        let name = counter.name().to_owned();
        self.find_blocks(&name, &|class| {
            is_wanted(class) && counter.can_count(n, class)
        })?;
        self.look()?;
        // Stops the device when `stop` is set or the time is over.
        let halt = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (order, orders) = mpsc::channel();
            let (tell_done, results) = mpsc::channel();
            let halted = &halt;
            let lost = |why| Err(RunError::NoDevice(format!("{name}: {why}")));
            let work = move || {
                let mut next = move || orders.recv().ok();
                let mut done = |unit, counts| {
                    let _ = tell_done.send((unit, counts));
                };
                counter.count(&mut next, halted, &mut done)
            };
            let device = match std::thread::Builder::new().spawn_scoped(scope, work) {
                Ok(device) => device,
                Err(error) => return lost(format!("no thread could be started: {error}")),
            };
            let outcome = self.direct(order, &results, &name, (stop, &halt), tell);
            if !matches!(outcome, Ok(Swept::All)) {
                halt.store(true, Ordering::Relaxed);
            }
            match (outcome, device.join()) {
                (Err(error), _) => Err(error),
                (Ok(swept), Ok(Ok(()))) => Ok(swept),
                (Ok(_), Ok(Err(error))) => lost(error.to_string()),
                (Ok(_), Err(_)) => lost("it panicked".to_owned()),
            }
        })
    }

    /// Gives the device blocks and records what it counts, until nothing is left to do. Watches
    /// `stop`, and stops the device through `halt`.
    fn direct(
        &mut self,
        order: mpsc::Sender<u64>,
        results: &mpsc::Receiver<(u64, Option<Vec<u64>>)>,
        name: &str,
        (stop, halt): (&AtomicBool, &AtomicBool),
        tell: &mut dyn FnMut(SweepNews<'_>),
    ) -> Result<Swept, RunError> {
        let mut heartbeat = Instant::now();
        loop {
            if stop.load(Ordering::Relaxed) || self.times.is_over() {
                halt.store(true, Ordering::Relaxed);
            }
            while self.given.len() < AHEAD
                && !halt.load(Ordering::Relaxed)
                && let Some(unit) = self.give()?
            {
                // If the device has ended, this is noticed below.
                let _ = order.send(unit);
            }
            if self.given.is_empty() {
                let over = !self.left.is_empty() || halt.load(Ordering::Relaxed);
                return Ok(if over { Swept::Stopped } else { Swept::All });
            }
            match results.recv_timeout(TICK) {
                Ok((unit, counts)) => self.record(unit, counts, name, tell)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Swept::Stopped),
            }
            tell(SweepNews::Progress(&self.state));
            if heartbeat.elapsed() > Duration::from_secs(process::HEARTBEAT) {
                heartbeat = Instant::now();
                match self.campaign.turn(&mut self.member, &[], 0) {
                    // The next heartbeat will do.
                    Err(LedgerError::Busy(_)) => {}
                    turn => drop(turn?),
                }
            }
        }
    }

    /// Finds the blocks that have units without a row, and the device's pace so far on record.
    /// Blocks with the most work left come first: a device is most efficient with large blocks, and
    /// small ones fit into the time left at the end.
    fn find_blocks(
        &mut self,
        name: &str,
        is_counted: &dyn Fn(u32) -> bool,
    ) -> Result<(), RunError> {
        let blocks = blocks_of(&self.units, is_counted);
        let times = self.campaign.times_of_device(name)?;
        self.paces = Paces::of(&blocks, &self.units, &times);
        let done = self.campaign.done()?;
        let is_left = |unit: &u64| done.binary_search(unit).is_err();
        let cost_left = |block: &Block| {
            let left = block.units.clone().filter(is_left);
            left.map(|unit| self.units.cost(unit)).sum::<f64>()
        };
        let mut left: Vec<(f64, Block)> = blocks
            .into_iter()
            .filter(|block| block.units.clone().any(|unit| is_left(&unit)))
            .map(|block| (cost_left(&block), block))
            .collect();
        // They are taken from the end.
        left.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.left = left.into_iter().map(|(_, block)| block).collect();
        Ok(())
    }

    /// Claims the next block that will be done in time, and returns its first unit.
    fn give(&mut self) -> Result<Option<u64>, RunError> {
        while let Some(place) = self.next_place() {
            let block = self.left.remove(place);
            let units: Vec<u64> = block.units.clone().collect();
            let claimed = self.campaign.claim_these(&self.member, &units)?;
            // Other processes may have done it, or be about to.
            if claimed.is_empty() {
                continue;
            }
            let unit = block.units.start;
            self.given.push_back(Given {
                block,
                claimed: claimed.iter().map(|planned| planned.unit).collect(),
                started: clock::now(),
                since: Instant::now(),
            });
            return Ok(Some(unit));
        }
        Ok(None)
    }

    /// Records the counts of a block.
    fn record(
        &mut self,
        unit: u64,
        counts: Option<Vec<u64>>,
        name: &str,
        tell: &mut dyn FnMut(SweepNews<'_>),
    ) -> Result<(), RunError> {
        let Some(given) = self.given.pop_front() else {
            return Ok(());
        };
        let Block { units, cost, .. } = given.block.clone();
        let length = units.end - units.start;
        let sound = counts.as_ref().is_none_or(|c| c.len() as u64 == length);
        if units.start != unit || !sound {
            let why = format!("{name}: it did not count the units it was asked for");
            return Err(RunError::NoDevice(why));
        }
        let seconds = given.since.elapsed().as_secs_f64();
        // The time of a block begins when the one before it is done.
        if let Some(next) = self.given.front_mut() {
            (next.started, next.since) = (clock::now(), Instant::now());
        }
        let Some(counts) = counts else {
            self.campaign.give_up(&self.member, &given.claimed)?;
            tell(SweepNews::NotSwept { units, seconds });
            return Ok(());
        };
        self.paces.add(&given.block, 1.0, seconds);
        // Units counted together share their time by expected cost.
        let row = |(unit, count)| {
            let seconds = seconds * self.units.cost(unit) / cost.max(1.0);
            Row::fresh(unit, count, name, given.started.clone(), seconds)
        };
        let rows: Vec<Row> = units.zip(counts).map(row).collect();
        let turn = self.campaign.turn(&mut self.member, &rows, 0)?;
        if let Some(dispute) = turn.dispute {
            return Err(dispute.into());
        }
        self.cost += cost;
        self.state.mine += given.claimed.len() as u64;
        self.look()
    }

    /// Reads how far the campaign is.
    fn look(&mut self) -> Result<(), RunError> {
        let progress = self.campaign.progress()?;
        self.state.units = progress.units;
        self.state.cost = progress.cost;
        let seconds = self.times.begun.elapsed().as_secs_f64().max(1e-3);
        self.state.rate = self.scale * self.cost / seconds;
        Ok(())
    }

    /// Which of the remaining blocks comes next. With a time limit, if nothing is known about a
    /// class, its smallest block comes first and shows how long the others will take.
    fn next_place(&self) -> Option<usize> {
        let Some(until) = self.times.until else {
            return self.left.len().checked_sub(1);
        };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        let is_given = |class| self.given.iter().any(|given| given.block.class == class);
        let shows = |block: &Block| !is_given(block.class) && self.paces.expected(block).is_none();
        let given = self.given.iter();
        let before: f64 = given
            .filter_map(|given| self.paces.expected(&given.block))
            .sum();
        let has_time = |block: &Block| {
            let expected = self.paces.expected(block);
            expected.is_some_and(|seconds| SAFE * (before + seconds) <= left.as_secs_f64())
        };
        let smallest = self.left.iter().position(shows);
        smallest.or_else(|| self.left.iter().rposition(has_time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Cpu, DeviceError};
    use crate::ledger::Access;
    use crate::runner;
    use queens::count::two_colour::{Counter, Simd};
    use std::path::PathBuf;

    /// Counts blocks as a card would, but one unit after the other.
    struct Plain {
        n: u32,
        /// Blocks of this class cannot be counted.
        impossible: u32,
        /// Fails after this many blocks.
        fails_after: usize,
        /// The first units of the blocks it was asked for.
        asked: Vec<u64>,
    }

    impl Plain {
        fn new(n: u32) -> Plain {
            Plain {
                n,
                impossible: u32::MAX,
                fails_after: usize::MAX,
                asked: Vec::new(),
            }
        }
    }

    impl BlockCounter for Plain {
        fn name(&self) -> &str {
            "box/plain"
        }

        fn can_count(&self, _: u32, black_queens: u32) -> bool {
            black_queens >= 2
        }

        fn count(
            &mut self,
            next: &mut (dyn FnMut() -> Option<u64> + Send),
            stop: &AtomicBool,
            done: &mut dyn FnMut(u64, Option<Vec<u64>>),
        ) -> Result<(), DeviceError> {
            let mut counter = Counter::new(self.n as usize, Simd::Auto).unwrap();
            while let Some(unit) = next() {
                if self.asked.len() == self.fails_after {
                    return Err(DeviceError("it was unplugged".to_owned()));
                }
                self.asked.push(unit);
                if counter.units().class(unit) == self.impossible {
                    done(unit, None);
                    continue;
                }
                let block = counter.units().block(unit).unwrap();
                let counts: Option<Vec<u64>> =
                    block.map(|unit| counter.count(unit, stop)).collect();
                let Some(counts) = counts else {
                    return Ok(());
                };
                done(unit, Some(counts));
            }
            Ok(())
        }
    }

    /// A campaign in a file of its own, which is deleted when this is dropped.
    struct Own {
        campaign: Campaign,
        path: PathBuf,
    }

    impl Own {
        fn new(name: &str, n: u32, rows: u64) -> Own {
            let id = std::process::id();
            let path = std::env::temp_dir().join(format!("queens-sweeps-{name}-{id}"));
            Campaign::create(&path, &two_colour::units(n as usize).unwrap(), rows).unwrap();
            let campaign = Campaign::open(&path, Access::Write).unwrap();
            Own { campaign, path }
        }

        /// Sweeps until nothing is left.
        fn sweep(&mut self, counter: &mut Plain) -> Result<Swept, RunError> {
            let never = AtomicBool::new(false);
            sweep(&mut self.campaign, counter, &[], None, &never, &mut |_| {})
        }

        /// Counts what is left, unit by unit, and returns the total.
        fn finish(&mut self) -> u128 {
            let cpu = Cpu::new(self.campaign.info().n, Simd::Auto).unwrap();
            let never = AtomicBool::new(false);
            let devices: Vec<Box<dyn crate::device::Device>> = vec![Box::new(cpu)];
            let campaign = &mut self.campaign;
            runner::run(campaign, devices, None, &never, &mut |_| {}).unwrap();
            self.campaign.audit().unwrap().total
        }
    }

    impl Drop for Own {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    #[test]
    fn what_cannot_be_swept_is_left_to_others() {
        for impossible in [2, 3, u32::MAX] {
            let mut own = Own::new(&format!("all-{impossible}"), 14, u64::MAX);
            let mut counter = Plain {
                impossible,
                ..Plain::new(14)
            };
            let units = two_colour::units(14).unwrap();
            let (never, mut told) = (AtomicBool::new(false), Vec::new());
            let mut tell = |news: SweepNews<'_>| {
                if let SweepNews::NotSwept { units, .. } = news {
                    told.extend(units);
                }
            };
            let swept = sweep(
                &mut own.campaign,
                &mut counter,
                &[],
                None,
                &never,
                &mut tell,
            );
            assert_eq!(swept.unwrap(), Swept::All);
            assert!(counter.asked.len() > 1);
            told.sort_unstable();
            let not_swept = |&unit: &u64| units.class(unit) == impossible;
            assert_eq!(
                told,
                (0..units.len()).filter(not_swept).collect::<Vec<u64>>()
            );
            let done = own.campaign.done().unwrap();
            let swept =
                |&unit: &u64| (2..).contains(&units.class(unit)) && units.class(unit) != impossible;
            let expected: Vec<u64> = (0..units.len()).filter(swept).collect();
            assert_eq!(done, expected);
            assert_eq!(own.finish(), 365_596);
        }
    }

    #[test]
    fn only_the_classes_that_are_named_are_swept() {
        let mut own = Own::new("classes", 16, u64::MAX);
        let never = AtomicBool::new(false);
        let mut counter = Plain::new(16);
        let swept = sweep(
            &mut own.campaign,
            &mut counter,
            &[3],
            None,
            &never,
            &mut |_| {},
        );
        assert_eq!(swept.unwrap(), Swept::All);
        let units = two_colour::units(16).unwrap();
        let of_class = |&unit: &u64| units.class(unit) == 3;
        let expected: Vec<u64> = (0..units.len()).filter(of_class).collect();
        assert_eq!(own.campaign.done().unwrap(), expected);
        assert_eq!(own.finish(), 14_772_512);
    }

    #[test]
    fn units_that_are_done_are_counted_again_with_their_block_and_compared() {
        let mut own = Own::new("again", 16, u64::MAX);
        let units = two_colour::units(16).unwrap();
        let among_others =
            |&unit: &u64| units.class(unit) >= 2 && units.block(unit).unwrap().count() > 1;
        let unit = (0..units.len()).find(among_others).unwrap();
        let right = two_colour::count_unit(16, unit).unwrap();
        let row = |count| Row::fresh(unit, count, "box/cpu", clock::now(), 1.0);
        own.campaign.record(&[row(right)]).unwrap();
        assert_eq!(own.sweep(&mut Plain::new(16)).unwrap(), Swept::All);
        assert_eq!(own.campaign.recounts().unwrap().agreeing, 1);
        let mut own = Own::new("differs", 16, u64::MAX);
        own.campaign.record(&[row(right + 1)]).unwrap();
        let disputed = own.sweep(&mut Plain::new(16));
        assert!(
            matches!(
                disputed,
                Err(RunError::Ledger(LedgerError::Disputed { .. }))
            ),
            "{disputed:?}"
        );
    }

    #[test]
    fn a_device_that_fails_keeps_what_it_has_counted_and_frees_what_it_had() {
        let mut own = Own::new("fails", 16, u64::MAX);
        let mut counter = Plain {
            fails_after: 1,
            ..Plain::new(16)
        };
        let failed = own.sweep(&mut counter).unwrap_err();
        assert!(
            failed.to_string().contains("box/plain: it was unplugged"),
            "{failed}"
        );
        assert!(!own.campaign.done().unwrap().is_empty());
        assert_eq!(own.sweep(&mut Plain::new(16)).unwrap(), Swept::All);
        assert_eq!(own.finish(), 14_772_512);
    }

    #[test]
    fn a_stop_and_an_end_leave_everything_to_be_counted() {
        let mut own = Own::new("stop", 14, u64::MAX);
        let stop = AtomicBool::new(true);
        let campaign = &mut own.campaign;
        let stopped = sweep(campaign, &mut Plain::new(14), &[], None, &stop, &mut |_| {});
        assert_eq!(stopped.unwrap(), Swept::Stopped);
        let over = Some(Instant::now());
        let never = AtomicBool::new(false);
        let ended = sweep(
            campaign,
            &mut Plain::new(14),
            &[],
            over,
            &never,
            &mut |_| {},
        );
        assert_eq!(ended.unwrap(), Swept::Stopped);
        assert_eq!(own.finish(), 365_596);
    }

    /// Sweeps blocks of one class of 16 queens, in a file in which a device took this many seconds
    /// for a unit. Returns the blocks that were asked for.
    fn asked_after(name: &str, (device, seconds): (&str, f64), until: Option<Instant>) -> Vec<u64> {
        let mut own = Own::new(name, 16, u64::MAX);
        let units = two_colour::units(16).unwrap();
        let unit = (0..units.len())
            .find(|&unit| units.class(unit) == 3)
            .unwrap();
        let count = two_colour::count_unit(16, unit).unwrap();
        let row = Row::fresh(unit, count, device, clock::now(), seconds);
        own.campaign.record(&[row]).unwrap();
        let never = AtomicBool::new(false);
        let mut counter = Plain::new(16);
        let (campaign, tell) = (&mut own.campaign, &mut |_: SweepNews<'_>| {});
        sweep(campaign, &mut counter, &[3], until, &never, tell).unwrap();
        counter.asked
    }

    #[test]
    fn a_run_with_an_end_begins_only_what_the_device_was_fast_enough_for_before() {
        let hour = || Some(Instant::now() + Duration::from_secs(3600));
        let blocks = |device, seconds, until| asked_after("end", (device, seconds), until).len();
        let all = blocks("box/plain", 1e9, None);
        assert!(all > 2, "{all} blocks");
        assert_eq!(blocks("box/plain", 1e9, hour()), 0);
        assert_eq!(blocks("box/plain", 1e-3, hour()), all);
        // Another device's pace says nothing about this one.
        assert_eq!(blocks("box/other", 1e9, hour()), all);
    }

    #[test]
    fn the_smallest_block_shows_how_long_others_take_where_nothing_is_known() {
        let units = two_colour::units(16).unwrap();
        let cost = |asked: &[u64]| -> f64 {
            let block = units.block(asked[0]).unwrap();
            block.map(|unit| units.cost(unit)).sum()
        };
        let hour = Some(Instant::now() + Duration::from_secs(3600));
        let asked = |device, until| asked_after("smallest", (device, 1e-3), until);
        let without_end = asked("box/other", None);
        let unknown = asked("box/other", hour);
        let known = asked("box/plain", hour);
        let costs = without_end.chunks(1).map(cost);
        assert_eq!(cost(&unknown), costs.fold(f64::INFINITY, f64::min));
        assert!(cost(&unknown) < cost(&known));
        assert_eq!(known[0], without_end[0]);
    }

    /// Counts nothing until it is told to stop.
    struct Slow;

    impl BlockCounter for Slow {
        fn name(&self) -> &str {
            "box/slow"
        }

        fn can_count(&self, _: u32, _: u32) -> bool {
            true
        }

        fn count(
            &mut self,
            next: &mut (dyn FnMut() -> Option<u64> + Send),
            stop: &AtomicBool,
            _: &mut dyn FnMut(u64, Option<Vec<u64>>),
        ) -> Result<(), DeviceError> {
            assert!(next().is_some());
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            Ok(())
        }
    }

    #[test]
    fn a_device_that_takes_too_long_is_told_to_stop_and_its_units_are_free_again() {
        let mut own = Own::new("slow", 14, u64::MAX);
        let never = AtomicBool::new(false);
        let soon = Some(Instant::now() + Duration::from_millis(100));
        let ended = sweep(&mut own.campaign, &mut Slow, &[], soon, &never, &mut |_| {});
        assert_eq!(ended.unwrap(), Swept::Stopped);
        assert_eq!(own.sweep(&mut Plain::new(14)).unwrap(), Swept::All);
    }

    #[test]
    fn a_plan_of_larger_units_is_refused() {
        let mut own = Own::new("plan", 18, 8);
        let refused = own.sweep(&mut Plain::new(18)).unwrap_err();
        assert!(
            refused.to_string().contains("one unit of the engine"),
            "{refused}"
        );
    }
}
