//! A campaign's unluckiest days, thousands of them, in seconds.
//!
//! Server, workers and local runs are the program's own machines: the [desk](super::desk), the
//! [shift](super::shift) and the keeper of [`crate::runner`], on a real ledger. Everything around
//! them is simulated, and drawn from one seed:
//!
//! - when things happen;
//! - a network that drops, delays, repeats and reorders messages;
//! - a NATS server that goes down, or loses its disk or a part of what is on it;
//! - clocks that jump, and disks that are slow or full;
//! - processes that are killed or sleep, and devices that hang;
//! - workers that lie, one alone or two in the same way;
//! - strangers that send nonsense.
//!
//! After some minutes of this the faults cease. Then the campaign must end with the exact count,
//! the workers must be told that it is complete, and every unit must be checked as was asked for.
//! Nobody may say that it is complete before it is, and nobody may give up, except for one of the
//! reasons that the simulation gave it.
//!
//! A seed that fails is repeated by its number:
//!
//! ```sh
//! QUEENS_SEED=1234 cargo test --release -p queens-campaign --lib simulation -- --nocapture
//! ```
//!
//! `QUEENS_SEEDS=100000` tries that many instead of the usual number.
//!
//! A day is a list of things that will happen, each at its time ([`Happening`]); what happens puts
//! others on the list. The order of the random draws decides the day, so whoever moves code must
//! keep that order. The files, in the order in which they may use each other; a test keeps it:
//!
//! | file | what it does |
//! |---|---|
//! | `template` | the campaign that every day begins with |
//! | `machine` | the machine of server and runs: its clock, its disk, its processes |
//! | `luck` | how unlucky a day is |
//! | `broker` | the NATS server: two queues and a notice |
//! | `network` | questions to the NATS server, and its answers |
//! | `processes` | who takes part: the server, workers and runs live, sleep and are killed |
//! | `server` | the server: its desk, and a shell around it |
//! | `workers` | workers: each a shift, and a shell around it; some lie |
//! | `runs` | local runs on the file of the server |
//! | `devices` | the devices of workers and runs, which count or hang |
//! | `faults` | what goes wrong, and when |
//! | `verdict` | what must be true at the end, and all the time |

mod broker;
mod devices;
mod faults;
mod luck;
mod machine;
mod network;
mod processes;
mod runs;
mod server;
mod template;
mod verdict;
mod workers;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use queens::random::Random;

use super::desk;
use super::message::Names;
use super::shift;
use crate::clock;
use crate::defence::{Defence, without};
use crate::ledger::{Access, Campaign};

use broker::Broker;
use luck::{BAD_TIME, Luck};
use machine::{MORNING, Machine};
use network::Ask;
use processes::{Running, Serving, Slot, Who, Working};
use template::{template, temporary};

/// How many seeds the test tries.
const SEEDS: u64 = 2_000;

/// Within this many seeds the simulation must notice a missing defence.
const SEEDS_WITHOUT: u64 = 300;

/// How long a campaign may take in simulated time.
const HORIZON: Duration = Duration::from_secs(3 * 3_600);

/// How often a process looks at the clock.
const TICK: Duration = Duration::from_secs(1);

/// Something that happens. The number of a life says which start of a process it is for: if the
/// process was killed meanwhile, it hears nothing of it.
enum Happening {
    Tick(Who, u32),
    Server(u32, desk::Input),
    Worker(usize, u32, shift::Input),
    Asked(Ask),
    /// A device has counted a unit.
    Counted(Who, u32, u64),
    /// Something may go wrong.
    Bad,
    Start(Who),
    /// The owner of a process with a hung device restarts it.
    Mend(Who, u32),
    /// The disk is no longer slow.
    Unlock,
    /// The disk is no longer full.
    Room,
    /// The NATS server is up again.
    Up,
}

/// One simulated day.
struct Simulation {
    seed: u64,
    random: Random,
    luck: Luck,
    now: Duration,
    /// Numbers the events, so that no two have the same key.
    order: u64,
    events: BTreeMap<(Duration, u64), Happening>,
    file: PathBuf,
    machine: Arc<Machine>,
    next_pid: u32,
    broker: Broker,
    /// How many notices the servers wanted to post.
    posts: u64,
    names: Names,
    server: Slot<Serving>,
    workers: Vec<Slot<Working>>,
    runs: Vec<Slot<Running>>,
    /// How many checks the server has begun in this life.
    checks: usize,
    /// For each worker of a colluding pair, the one unit that it counts rightly.
    honest: Vec<Option<u64>>,
    /// When the server said that the campaign is complete.
    complete_since: Option<Duration>,
    /// Whether every line of the diary is printed at once.
    talk: bool,
    /// Everything that was said.
    diary: RefCell<Vec<String>>,
}

impl Simulation {
    fn new(seed: u64, talk: bool) -> Simulation {
        let mut random = Random::new(seed);
        let luck = Luck::of(&mut random);
        // The same seed may run twice at a time, with a defence and without.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let file = temporary(&format!("{seed}-{number}"));
        std::fs::write(&file, &template().bytes).unwrap();
        let id = {
            let campaign = Campaign::open(&file, Access::Read).unwrap();
            campaign.info().id.clone()
        };
        let machine = Arc::new(Machine::new(Random::new(random.bits())));
        let mut simulation = Simulation {
            seed,
            random,
            now: Duration::ZERO,
            order: 0,
            events: BTreeMap::new(),
            file,
            machine,
            next_pid: 100,
            broker: Broker::default(),
            posts: 0,
            names: Names::new(&id),
            server: Slot::new(),
            workers: (0..luck.workers).map(|_| Slot::new()).collect(),
            honest: vec![None; luck.workers],
            runs: (0..luck.runs).map(|_| Slot::new()).collect(),
            luck,
            checks: 0,
            complete_since: None,
            talk,
            diary: RefCell::default(),
        };
        simulation.say(&format!("{:?}", simulation.luck));
        for who in simulation.everybody() {
            let at = simulation.seconds(20.0);
            // A colluding pair has the campaign to itself for a while.
            let late = match who {
                Who::Worker(k) if simulation.luck.pair && !simulation.colludes(k) => 600,
                _ => 0,
            };
            let at = at + Duration::from_secs(late);
            simulation.later(at, Happening::Start(who));
        }
        simulation.later(Duration::from_secs(10), Happening::Bad);
        simulation.later(TICK, Happening::Asked(Ask::DeliverResults));
        simulation
    }

    /// Writes a line of the diary.
    fn say(&self, text: &str) {
        let line = format!("{:9.2} {text}", self.now.as_secs_f64());
        if self.talk {
            println!("{line}");
        }
        self.diary.borrow_mut().push(line);
    }

    /// Whether something goes wrong, with this probability; after the bad time nothing does.
    fn chance(&mut self, chance: f64) -> bool {
        self.now < BAD_TIME && self.random.share() < chance
    }

    /// The current moment of this day, as rows write it.
    fn date(&self) -> String {
        clock::text(MORNING + self.now.as_secs())
    }

    /// A random time up to `most` seconds.
    fn seconds(&mut self, most: f64) -> Duration {
        Duration::from_secs_f64(self.random.share() * most)
    }

    /// Schedules something at a delay from now.
    fn later(&mut self, delay: Duration, what: Happening) {
        self.order += 1;
        self.events.insert((self.now + delay, self.order), what);
    }

    /// Runs to the end; returns the reason if it is a bad one.
    fn run(&mut self) -> Result<(), String> {
        while let Some(((at, _), what)) = self.events.pop_first() {
            let passed = (at - self.now).as_millis() as u64;
            self.now = at;
            // The wall clock advances by whole seconds.
            let before = at.as_millis() as u64 - passed;
            let ticks = at.as_secs() - before / 1_000;
            self.machine.wall.fetch_add(ticks, Ordering::Relaxed);
            if self.now > HORIZON {
                return Err(self.state("never came to an end"));
            }
            self.happen(what)?;
            if self.is_over() {
                return self.judge();
            }
        }
        Err(self.state("nothing happens any more"))
    }

    /// Whether every process has come to a good end.
    fn is_over(&self) -> bool {
        self.server.fate.over
            && self.workers.iter().all(|w| w.fate.over)
            && self.runs.iter().all(|r| r.fate.over)
    }

    fn happen(&mut self, what: Happening) -> Result<(), String> {
        match what {
            Happening::Tick(who, life) => self.tick(who, life),
            Happening::Server(life, input) => self.hear_server(life, input),
            Happening::Worker(k, life, input) => self.hear_worker(k, life, input),
            Happening::Asked(ask) => {
                self.asked(ask);
                Ok(())
            }
            Happening::Counted(who, life, unit) => self.counted(who, life, unit),
            Happening::Bad => {
                self.bad();
                Ok(())
            }
            Happening::Start(who) => {
                self.start(who);
                Ok(())
            }
            Happening::Mend(who, life) => {
                if self.fate(who).life == life {
                    self.kill(who);
                }
                Ok(())
            }
            Happening::Unlock => {
                self.machine.locked.store(false, Ordering::Relaxed);
                Ok(())
            }
            Happening::Room => {
                self.machine.full.store(false, Ordering::Relaxed);
                Ok(())
            }
            Happening::Up => {
                self.broker.down = false;
                Ok(())
            }
        }
    }

    /// A process looks at the clock.
    fn tick(&mut self, who: Who, life: u32) -> Result<(), String> {
        if self.fate(who).life != life || self.fate(who).over {
            return Ok(());
        }
        if let Some(rest) = self.asleep(who) {
            self.later(rest, Happening::Tick(who, life));
            return Ok(());
        }
        self.later(TICK, Happening::Tick(who, life));
        match who {
            Who::Server => self.hear_server(life, desk::Input::Tick),
            Who::Worker(k) => match self.workers[k].process {
                Some(Working::Looking) => {
                    self.ask(|| Ask::ReadNotice(k, life), None);
                    Ok(())
                }
                _ => self.hear_worker(k, life, shift::Input::Tick),
            },
            Who::Run(k) => self.step_run(k),
        }
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        self.server.process = None;
        self.runs.clear();
        let _ = std::fs::remove_file(&self.file);
    }
}

/// Simulates one seed.
fn simulate(seed: u64, talk: bool) -> Result<(), String> {
    let caught = std::panic::catch_unwind(|| Simulation::new(seed, talk).run());
    caught.unwrap_or_else(|_| Err("it panicked".to_owned()))
}

/// Calls `work` with 0, 1, 2 and so on, on all cores, until it breaks.
fn on_all_cores(work: impl Fn(u64) -> ControlFlow<()> + Sync) {
    template();
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| while work(next.fetch_add(1, Ordering::Relaxed)).is_continue() {});
        }
    });
}

/// The number in an environment variable.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn every_unlucky_day_ends_with_the_exact_count() {
    if let Some(seed) = number("QUEENS_SEED") {
        let outcome = simulate(seed, true);
        assert_eq!(outcome, Ok(()), "seed {seed}");
        return;
    }
    let seeds = number("QUEENS_SEEDS").unwrap_or(SEEDS);
    let failures = Mutex::new(Vec::new());
    on_all_cores(|seed| {
        if seed >= seeds || failures.lock().unwrap().len() >= 5 {
            return ControlFlow::Break(());
        }
        if let Err(why) = simulate(seed, false) {
            failures.lock().unwrap().push(format!("seed {seed}: {why}"));
        }
        ControlFlow::Continue(())
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_seed_brings_the_same_day_again() {
    for seed in 0..20 {
        let day = || {
            let mut simulation = Simulation::new(seed, false);
            simulation.run().unwrap();
            let diary = simulation.diary.take().join("\n");
            diary.replace(&simulation.file.display().to_string(), "FILE")
        };
        let first = day();
        assert!(first.lines().count() > 3, "{first}");
        assert_eq!(first, day(), "seed {seed}");
    }
}

#[test]
fn every_defence_is_missed_when_it_is_taken_out() {
    let unmissed = Mutex::new(Vec::new());
    on_all_cores(|number| {
        let Some(&defence) = Defence::ALL.get(number as usize) else {
            return ControlFlow::Break(());
        };
        let missed = |seed| {
            let outcome = without(defence, || simulate(seed, false));
            outcome.err().map(|why| (seed, why))
        };
        match (0..SEEDS_WITHOUT).find_map(missed) {
            Some((seed, why)) => println!("without {defence:?}, seed {seed}: {why}"),
            None => unmissed.lock().unwrap().push(defence),
        }
        ControlFlow::Continue(())
    });
    let unmissed = unmissed.into_inner().unwrap();
    assert!(unmissed.is_empty(), "nobody misses {unmissed:?}");
}

#[test]
fn two_names_that_confirm_each_other_win_where_the_server_checks_nobody_itself() {
    let wins = |seed| {
        let outcome = without(Defence::OwnAudits, || simulate(seed, false));
        outcome.err().filter(|why| why.contains("the count is"))
    };
    let pairs = (0..SEEDS_WITHOUT).filter(|&seed| Luck::of(&mut Random::new(seed)).pair);
    let won = pairs.into_iter().find_map(|seed| Some((seed, wins(seed)?)));
    let (seed, why) = won.expect("the pair is found out by others");
    println!("seed {seed}: {why}");
    // With its own checks, the server finds out the same pair.
    assert_eq!(simulate(seed, false), Ok(()));
}
