//! One process that counts whole blocks of units.
//!
//! A GPU can sweep: it counts all units with the same even row sets at once, in far less time than one
//! after the other. So units are claimed by blocks here. A block with units that are done already
//! is counted like any other; their counts are compared with those of the ledger, and stay on
//! record as recounts.
//!
//! A kill loses the block being counted, and so does a stop, seconds to a minute of a card's time for
//! N = 28. A run that is to end at a certain time begins only blocks that it will have counted by then, as
//! fast as others of their class were; if one takes longer, it has a little more time, as
//! in [`crate::runner`].
//!
//! What cannot be swept is left to [`crate::runner`]: classes with too few queens, and blocks whose
//! counts do not fit the card.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use queens::count::two_colour::{self, Units};
use queens_cuda::{Choice, Sweeper};

use crate::clock;
use crate::device::DeviceError;
use crate::ledger::claims::Member;
use crate::ledger::{Campaign, LedgerError};
use crate::process;
use crate::row::Row;
use crate::runner::{RunError, State, Times};

/// Something that counts all units of a block at once.
pub trait BlockCounter: Send {
    /// The name for the ledger.
    fn name(&self) -> &str;

    /// Whether it can count blocks of a class at all, on boards of size `n`.
    fn can_count(&self, n: u32, black_queens: u32) -> bool;

    /// Counts blocks as long as `next` has one, each named by its first unit; it may ask for the next
    /// before it is done with the last. `done` hears of each, in their order: the counts of its units
    /// in the order of their numbers, or `None` where it cannot count them. Ends soon after `stop`
    /// becomes true.
    ///
    /// # Errors
    ///
    /// When the device failed.
    fn count(
        &mut self,
        next: &mut (dyn FnMut() -> Option<u64> + Send),
        stop: &AtomicBool,
        done: &mut dyn FnMut(u64, Option<Vec<u64>>),
    ) -> Result<(), DeviceError>;
}

/// How a process that sweeps has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swept {
    /// No block is left that it could count.
    All,
    /// It was asked to stop, or its time is over.
    Stopped,
}

/// What a process that sweeps tells.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SweepNews<'a> {
    /// How far it is.
    Progress(&'a State),
    /// A block that the device could not count. Its units are left to be counted one by one.
    NotSwept {
        /// Its units.
        units: Range<u64>,
        /// What the attempt took.
        seconds: f64,
    },
}

/// A GPU that sweeps.
struct Gpu {
    name: String,
    sweeper: Sweeper,
}

/// Opens the first of the cards asked for, to sweep boards of size `n`.
///
/// # Errors
///
/// When there is no such card, or it cannot sweep.
pub fn open(
    choices: &[Choice],
    n: u32,
    stop: &AtomicBool,
) -> Result<Box<dyn BlockCounter>, DeviceError> {
    let wrong = |error: queens_cuda::Error| DeviceError(error.to_string());
    let card = queens_cuda::chosen(choices, n).map_err(wrong)?;
    let none = || DeviceError("no GPU was asked for, and only GPUs sweep".to_owned());
    let card = card.into_iter().next().ok_or_else(none)?;
    // Another name than that of the same card when it counts units: the code is another.
    let name = format!("{}/gpu{}-sweep {}", process::host(), card.number, card.name);
    let sweeper = Sweeper::on(card, n, stop).map_err(wrong)?;
    Ok(Box::new(Gpu { name, sweeper }))
}

impl BlockCounter for Gpu {
    fn name(&self) -> &str {
        &self.name
    }

    fn can_count(&self, n: u32, black_queens: u32) -> bool {
        Sweeper::can_count(n as usize, black_queens)
    }

    fn count(
        &mut self,
        next: &mut (dyn FnMut() -> Option<u64> + Send),
        stop: &AtomicBool,
        done: &mut dyn FnMut(u64, Option<Vec<u64>>),
    ) -> Result<(), DeviceError> {
        match self.sweeper.count(next, stop, done) {
            Ok(()) | Err(queens_cuda::Error::Stopped { .. }) => Ok(()),
            Err(error) => Err(DeviceError(error.to_string())),
        }
    }
}

/// How often the stop flag is looked at, and progress is told.
const TICK: Duration = Duration::from_millis(50);

/// How many blocks a device has at once: it counts one and prepares another.
const AHEAD: usize = 2;

/// How many times as long as expected blocks may take and still be done in time.
const SAFE: f64 = 1.2;

/// Counts blocks until none is left that can be swept, the time is over, or `stop` becomes true. A class
/// is the number of black queens to a board; blocks of these `classes` are counted, or of all where there
/// are none. `tell` hears of the progress, a few times a second, and of blocks that could not be counted.
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
        paces: HashMap::new(),
        state: State::default(),
        cost: 0.0,
        campaign,
    };
    let outcome = process.sweep(counter, classes, stop, tell);
    let Process {
        campaign, member, ..
    } = process;
    // Claims that cannot be given back now are freed by whoever comes next.
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
    /// The cost of a unit in the plan, for each of its cost in the engine.
    scale: f64,
    times: Times,
    /// The blocks that have units without a row, the next one last.
    left: Vec<Block>,
    /// Those that the device has.
    given: VecDeque<Given>,
    /// Seconds that a block of a class took last, for one of its work.
    paces: HashMap<u32, f64>,
    state: State,
    /// The expected cost of all that was counted.
    cost: f64,
}

/// A block that is to be counted.
#[derive(Clone, Debug)]
struct Block {
    units: Range<u64>,
    class: u32,
    /// The expected cost of all its units, one by one.
    cost: f64,
}

impl Block {
    /// How much there is to sweep, beside others of the class: an even row set visits as many sets of
    /// columns as odd row sets, and a block has as many units as the odd row sets need.
    fn work(&self) -> f64 {
        ((self.units.end - self.units.start) as f64).powi(2)
    }
}

/// A block that the device has.
struct Given {
    block: Block,
    /// Those of its units that this process has claimed.
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
        self.find_blocks(&|class| is_wanted(class) && counter.can_count(n, class))?;
        self.look()?;
        let name = counter.name().to_owned();
        // The device stops when it is told to, and when its time is over.
        let halt = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (order, orders) = mpsc::channel();
            let (tell_done, results) = mpsc::channel();
            let halted = &halt;
            let device = scope.spawn(move || {
                let mut next = move || orders.recv().ok();
                let mut done = |unit, counts| {
                    let _ = tell_done.send((unit, counts));
                };
                counter.count(&mut next, halted, &mut done)
            });
            let outcome = self.direct(order, &results, &name, (stop, &halt), tell);
            if !matches!(outcome, Ok(Swept::All)) {
                halt.store(true, Ordering::Relaxed);
            }
            let lost = |why| Err(RunError::NoDevice(format!("{name}: {why}")));
            match (outcome, device.join()) {
                (Err(error), _) => Err(error),
                (Ok(swept), Ok(Ok(()))) => Ok(swept),
                (Ok(_), Ok(Err(error))) => lost(error.to_string()),
                (Ok(_), Err(_)) => lost("it panicked".to_owned()),
            }
        })
    }

    /// Gives the device blocks and records what it counts, until nothing is left to do. `stop` is
    /// looked at, and the device told by `halt`.
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
                // A device that has ended says so below.
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
                    // The next one will do.
                    Err(LedgerError::Busy(_)) => {}
                    turn => drop(turn?),
                }
            }
        }
    }

    /// Finds the blocks that have units without a row. Those with the most work left come first: a
    /// device is at its best with large blocks, and small ones fit into what time is left at the end.
    fn find_blocks(&mut self, is_counted: &dyn Fn(u32) -> bool) -> Result<(), RunError> {
        let done = self.campaign.done()?;
        let mut blocks = Vec::new();
        let mut unit = 0;
        while let Some(units) = self.units.block(unit) {
            unit = units.end;
            let class = self.units.class(units.start);
            if !is_counted(class) {
                continue;
            }
            let is_left = |unit: &u64| done.binary_search(unit).is_err();
            let cost = |unit| self.units.cost(unit);
            let left: Vec<u64> = units.clone().filter(is_left).collect();
            if !left.is_empty() {
                let block = Block {
                    cost: units.clone().map(cost).sum(),
                    class,
                    units,
                };
                blocks.push((left.into_iter().map(cost).sum::<f64>(), block));
            }
        }
        // They are taken from the end.
        blocks.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.left = blocks.into_iter().map(|(_, block)| block).collect();
        Ok(())
    }

    /// Claims the next block that will be done in time, and tells its first unit.
    fn give(&mut self) -> Result<Option<u64>, RunError> {
        while let Some(place) = self.left.iter().rposition(|block| self.has_time(block)) {
            let block = self.left.remove(place);
            let units: Vec<u64> = block.units.clone().collect();
            let claimed = self.campaign.claim_these(&self.member, &units)?;
            // Others may have done it, or be about to.
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

    /// Records what a block has come to.
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
        let work = given.block.work();
        let Block { units, class, cost } = given.block;
        let length = units.end - units.start;
        let sound = counts.as_ref().is_none_or(|c| c.len() as u64 == length);
        if units.start != unit || !sound {
            let why = format!("{name}: it did not count the units it was asked for");
            return Err(RunError::NoDevice(why));
        }
        let seconds = given.since.elapsed().as_secs_f64();
        // The time of a block begins when the one before is done.
        if let Some(next) = self.given.front_mut() {
            (next.started, next.since) = (clock::now(), Instant::now());
        }
        let Some(counts) = counts else {
            self.campaign.give_up(&self.member, &given.claimed)?;
            tell(SweepNews::NotSwept { units, seconds });
            return Ok(());
        };
        self.paces.insert(class, seconds / work);
        // Units counted together share the time by their expected costs.
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

    /// Looks how far the campaign is.
    fn look(&mut self) -> Result<(), RunError> {
        let progress = self.campaign.progress()?;
        self.state.units = progress.units;
        self.state.cost = progress.cost;
        let seconds = self.times.begun.elapsed().as_secs_f64().max(1e-3);
        self.state.rate = self.scale * self.cost / seconds;
        Ok(())
    }

    /// Whether a block will be done in time behind those that the device has, as fast as others of
    /// their classes were. Nothing is known of the first one.
    fn has_time(&self, block: &Block) -> bool {
        let Some(until) = self.times.until else {
            return true;
        };
        let left = until.saturating_duration_since(Instant::now());
        let slowest = || self.paces.values().copied().reduce(f64::max);
        let expected = |block: &Block| {
            let pace = self.paces.get(&block.class).copied();
            pace.or_else(slowest).unwrap_or(0.0) * block.work()
        };
        let before: f64 = self.given.iter().map(|given| expected(&given.block)).sum();
        !left.is_zero() && SAFE * (before + expected(block)) <= left.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Cpu;
    use crate::ledger::Access;
    use crate::runner;
    use queens::count::two_colour::{Counter, Simd};
    use std::path::PathBuf;

    /// Counts blocks as a card would, one unit after the other.
    struct Plain {
        n: u32,
        /// Blocks of this class cannot be counted.
        impossible: u32,
        /// Fails after this many blocks.
        fails_after: usize,
        blocks: usize,
    }

    impl Plain {
        fn new(n: u32) -> Plain {
            Plain {
                n,
                impossible: u32::MAX,
                fails_after: usize::MAX,
                blocks: 0,
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
                if self.blocks == self.fails_after {
                    return Err(DeviceError("it was unplugged".to_owned()));
                }
                self.blocks += 1;
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

    /// A campaign in a file of its own, which goes with it.
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
            assert!(counter.blocks > 1);
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
