//! Counts, tests and projects on the GPU, for whoever works on the kernel.
//!
//! A small program that builds in seconds and runs without the rest of the workspace:
//!
//! ```text
//! gpu count 20 [DEVICE]         the count, its seconds, and whether it is the published one
//! gpu test 22 [DEVICE]          N = 8 to 22 whole, then sampled units to 26 against the CPU
//! gpu project 28 200 [DEVICE]   seconds for all of N = 28 from 200 random units
//! gpu classes 24 50 [DEVICE]    seconds for each class of N = 24, from 50 random units of it;
//!                               CLASS=5 for only the one with 5 black queens
//! gpu sweep 28 317000 3900      seconds to sweep the blocks of these units, of N = 28
//! gpu lists 20 [UNITS]          only prepares the lists of all or some units, on one core, and
//!                               tells how each class would be counted on an H200
//! gpu host 20 16                all that the host does for a count, with 16 threads
//! gpu source                    the text that the compiler of the card is given
//! gpu sweep-source              the same for the kernel that sweeps
//! gpu compile 90                fills the cache with both kernels for cards of compute
//!                               capability 9.0; needs no card, only the compiler
//! ```
//!
//! A projection cuts all units into equal parts and draws one unit at random from each part. So all
//! units have the same chance, and every class has its share. The units are timed in groups that go
//! through all parts. Several groups are at work at a time, as in a long count, where some lists
//! are made while others are counted. A few more groups come before and after those that are timed,
//! so that the card is as busy when the time begins as when it ends. The projection is the seconds
//! per expected cost, over all groups, times the cost of all units: the usual ratio estimate, with
//! its standard error.

use queens::random::Random;
use queens_cuda::batch::{Batch, Cell, Shape, Tuning};
use queens_cuda::card::Card;
use queens_cuda::cuda::RESIDENT_BOARDS;
use queens_cuda::fleet::{Run, count as count_on};
use queens_cuda::lists::{ListBuilder, UnitLists, Upload, Uploaded};
use queens_cuda::{Device, GpuCounter, Sweeper, Verify, devices};
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gpu: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a text; whoever has read enough of it may close the pipe.
fn print(text: &str) -> Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn run() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["source"] => print(&queens_cuda::kernel::source()),
        ["sweep-source"] => print(&queens_cuda::kernel::sweep_source()),
        ["compile", arch] => compile(arch.parse()?),
        ["sweep", n, ref units @ ..] => sweep(n.parse()?, units, device("0")?),
        ["count", n] => count(n.parse()?, device("0")?),
        ["count", n, number] => count(n.parse()?, device(number)?),
        ["test", n] => test(n.parse()?, device("0")?),
        ["test", n, number] => test(n.parse()?, device(number)?),
        ["lists", n] => lists(n.parse()?, None),
        ["lists", n, units] => lists(n.parse()?, Some(units.parse()?)),
        ["host", n, threads] => host(n.parse()?, threads.parse()?),
        ["project", n, units] => project(n.parse()?, units.parse()?, device("0")?),
        ["project", n, units, number] => project(n.parse()?, units.parse()?, device(number)?),
        ["classes", n, units] => classes(n.parse()?, units.parse()?, device("0")?),
        ["classes", n, units, number] => classes(n.parse()?, units.parse()?, device(number)?),
        _ => Err("use count N, test N, project N UNITS, classes N UNITS, sweep N UNIT.., lists N, host N THREADS, \
                   source, sweep-source or compile ARCH"
            .into()),
    }
}

fn compile(arch: u32) -> Result<()> {
    let kernels = [
        ("kernel", queens_cuda::kernel::source()),
        ("sweep kernel", queens_cuda::kernel::sweep_source()),
    ];
    for (name, source) in kernels {
        let start = Instant::now();
        let image = queens_cuda::compile::image(&source, arch)?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {} bytes in {seconds:.1} s", image.len());
    }
    Ok(())
}

/// Choices from the environment: `SCAN_SHARE`, `STORE_SHARE`, `WIDTH` and `PAIRS`, as in
/// [`Tuning`].
fn tuning() -> Result<Tuning> {
    let mut tuning = Tuning::default();
    if let Ok(share) = std::env::var("SCAN_SHARE") {
        tuning.scan_share = share.parse()?;
    }
    if let Ok(share) = std::env::var("STORE_SHARE") {
        tuning.store_share = share.parse()?;
    }
    if let Ok(width) = std::env::var("WIDTH") {
        tuning.width = width.parse()?;
    }
    if let Ok(pairs) = std::env::var("PAIRS") {
        tuning.pairs = pairs.parse()?;
    }
    Ok(tuning)
}

fn device(number: &str) -> Result<Device> {
    let device = devices()?.into_iter().nth(number.parse()?);
    let device = device.ok_or("there is no such device")?;
    println!("{device:?}");
    Ok(device)
}

fn open(n: u32, device: &Device) -> Result<GpuCounter> {
    let start = Instant::now();
    let never = AtomicBool::new(false);
    let counter = GpuCounter::tuned(vec![device.clone()], n, tuning()?, &never)?;
    println!(
        "n = {n}: ready after {:.3} s",
        start.elapsed().as_secs_f64()
    );
    Ok(counter)
}

fn count(n: u32, device: Device) -> Result<()> {
    let counter = open(n, &device)?;
    let units: Vec<u64> = (0..counter.units().len()).collect();
    // Twice: the first run pays for memory.
    for _ in 0..2 {
        let start = Instant::now();
        let counts = counter.count(&units, &AtomicBool::new(false))?;
        let seconds = start.elapsed().as_secs_f64();
        let total: u128 = counts.iter().map(|&count| u128::from(count)).sum();
        let known = queens::known::known(n as usize).map(|known| known.all);
        let verdict = match known {
            Some(all) if all == total => "as published".to_owned(),
            Some(all) => format!("WRONG, published is {all}"),
            None => "not published".to_owned(),
        };
        println!(
            "n = {n}: {total} ({verdict}) in {seconds:.4} s, {} units",
            units.len()
        );
        if known.is_some_and(|all| all != total) {
            return Err("the count is wrong".into());
        }
        if seconds > 20.0 {
            break;
        }
    }
    Ok(())
}

fn test(most: u32, device: Device) -> Result<()> {
    for n in 8..=most.min(22) {
        count(n, device.clone())?;
    }
    for n in 16..=26 {
        let counter = open(n, &device)?;
        let all = counter.units().len();
        // The costliest units of a large board take a core minutes.
        let end = if n > 24 { all / 8 } else { all };
        let step = (end / 8).max(1) | 1;
        let units: Vec<u64> = (step / 3..end).step_by(step as usize).collect();
        let verify = Verify {
            share: 1.0,
            seed: 0,
        };
        let never = AtomicBool::new(false);
        let start = Instant::now();
        counter.count_with(&units, &never, Some(verify), &|_| {}, &|_| {})?;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "n = {n}: {} units as on the CPU, {seconds:.1} s",
            units.len()
        );
    }
    Ok(())
}

/// The seconds of whole blocks, one after the other. The first block also waits for its lists.
fn sweep(n: u32, units: &[&str], device: Device) -> Result<()> {
    let units: Vec<u64> = units
        .iter()
        .map(|unit| unit.parse())
        .collect::<std::result::Result<_, _>>()?;
    let start = Instant::now();
    let never = AtomicBool::new(false);
    let sweeper = Sweeper::on(device, n, &never)?;
    println!(
        "n = {n}: ready after {:.3} s",
        start.elapsed().as_secs_f64()
    );
    let mut next = units.into_iter();
    let mut last = Instant::now();
    sweeper.count(
        || next.next(),
        &never,
        |first, counts| {
            let seconds = last.elapsed().as_secs_f64();
            last = Instant::now();
            match counts {
                None => println!("block of unit {first}: cannot be swept, {seconds:.3} s"),
                Some(counts) => {
                    let sum: u128 = counts.iter().map(|&count| u128::from(count)).sum();
                    let units = counts.len();
                    println!(
                        "block of unit {first}: {units} units, {sum} solutions, {seconds:.3} s"
                    );
                }
            }
        },
    )?;
    Ok(())
}

fn h200() -> Result<Shape> {
    Ok(Shape {
        multiprocessors: 132,
        threads_per_multiprocessor: 2048,
        shared_per_multiprocessor: 228 << 10,
        shared_per_block: 227 << 10,
        launch_cost: 2e10,
        tuning: tuning()?,
    })
}

/// Does what the host does for a count, without a card.
fn lists(n: u32, number: Option<u64>) -> Result<()> {
    let mut builder = ListBuilder::new(n as usize).ok_or("the board is too large")?;
    let shape = h200()?;
    builder = builder.without_gathering_walks(shape.unfolded(n));
    let (mut lists, mut batch) = (UnitLists::default(), Batch::new(n, &shape, 2));
    let (mut words, mut jobs) = (0, 0);
    let (mut class, mut described) = (u32::MAX, Vec::new());
    let start = Instant::now();
    let step = (builder.units().len() / number.unwrap_or(u64::MAX)).max(1);
    let units: Vec<u64> = (step / 2..builder.units().len())
        .step_by(step as usize)
        .collect();
    for &unit in &units {
        batch.clear();
        builder.build(unit, &mut lists);
        batch.add(unit, builder.units().cost(unit), &lists)?;
        batch.seal(Cell::Narrow)?;
        words += batch.words().len();
        jobs += batch.jobs();
        // Describe the last unit of each class; it is as good as any.
        if class != lists.black_queens {
            class = lists.black_queens;
            described.push(String::new());
        }
        described.pop();
        described.extend(batch.describe());
    }
    println!(
        "n = {n}: lists of {} units in {:.2} s, {} MiB, {jobs} jobs",
        units.len(),
        start.elapsed().as_secs_f64(),
        words >> 17
    );
    for line in described {
        println!("{line}");
    }
    Ok(())
}

/// The seed of every draw, so that a projection can be repeated.
const SEED: u64 = 1;

fn classes(n: u32, number: usize, device: Device) -> Result<()> {
    let counter = open(n, &device)?;
    let units = counter.units();
    let mut random = Random::new(SEED);
    let only: Option<u32> = match std::env::var("CLASS") {
        Ok(class) => Some(class.parse()?),
        Err(_) => None,
    };
    for class in (0..=n / 2).filter(|&class| only.is_none_or(|only| only == class)) {
        let of_class = |&unit: &u64| units.class(unit) == class;
        let all: Vec<u64> = (0..units.len()).filter(of_class).collect();
        if all.is_empty() {
            continue;
        }
        let pick = |_| all[random.below(all.len() as u64) as usize];
        let drawn: Vec<u64> = (0..number).map(pick).collect();
        let cost = |units_of: &[u64]| units_of.iter().map(|&u| units.cost(u)).sum::<f64>();
        let never = AtomicBool::new(false);
        // Twice: the first time pays for memory.
        counter.count(&drawn, &never)?;
        let start = Instant::now();
        counter.count(&drawn, &never)?;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "n = {n}, {class} black queens: {} units, {number} drawn in {seconds:.3} s, so all in {:.3} s",
            all.len(),
            seconds * cost(&all) / cost(&drawn)
        );
    }
    Ok(())
}

/// A card that does nothing but copy.
struct Idle {
    shape: Shape,
    /// Memory that threads copy to.
    memory: Mutex<Vec<Vec<u64>>>,
}

impl Idle {
    /// Copies numbers to memory that was used before.
    fn copy(&self, numbers: impl Iterator<Item = u64>) {
        let mut memory = self.memory.lock().unwrap().pop().unwrap_or_default();
        memory.clear();
        memory.extend(numbers);
        self.memory.lock().unwrap().push(memory);
    }
}

impl Card for Idle {
    fn name(&self) -> String {
        "no card".into()
    }

    fn shape(&self) -> Shape {
        self.shape
    }

    fn run(
        &self,
        batch: &Batch,
        _: &AtomicBool,
    ) -> std::result::Result<(Vec<u64>, u32), queens_cuda::Error> {
        self.copy(batch.words().iter().copied());
        Ok((vec![0; batch.jobs()], 0))
    }

    fn uploader(&self, n: u32) -> Option<Box<dyn Upload + '_>> {
        (RESIDENT_BOARDS.contains(&n)).then(|| Box::new(self) as Box<dyn Upload>)
    }
}

impl Upload for &Idle {
    fn upload(&self, placements: &[u32], lines: &[u64]) -> Option<Uploaded> {
        let placements = placements.iter().map(|&placement| u64::from(placement));
        self.copy(placements.chain(lines.iter().copied()));
        Some(Uploaded {
            placements: 0,
            lines: 0,
        })
    }
}

fn host(n: u32, threads: usize) -> Result<()> {
    let card = Idle {
        shape: h200()?,
        memory: Mutex::default(),
    };
    let units: Vec<u64> = (0..ListBuilder::new(n as usize)
        .ok_or("the board is too large")?
        .units()
        .len())
        .collect();
    for _ in 0..3 {
        let start = Instant::now();
        let run = Run {
            threads,
            stop: &AtomicBool::new(false),
            progress: &|_| {},
            warn: &|_| {},
            verify: None,
        };
        count_on(&[&card], n, &units, &run)?;
        println!(
            "n = {n}: {:.4} s of {threads} threads",
            start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

fn project(n: u32, number: usize, device: Device) -> Result<()> {
    let counter = open(n, &device)?;
    let units = counter.units();
    let mut random = Random::new(SEED);
    const GROUPS: usize = 20;
    const AT_A_TIME: usize = 4;
    let per_group = number.div_ceil(GROUPS).max(1);
    let timed = number.div_ceil(per_group);
    // Groups of units. Each unit is drawn from its own part, and all parts are equal.
    let mut draw = |groups: usize| -> Vec<Vec<u64>> {
        let parts = groups * per_group;
        let width = units.len() as f64 / parts as f64;
        let drawn: Vec<u64> = (0..parts)
            .map(|part| ((part as f64 + random.share()) * width) as u64)
            .collect();
        let of = |group| drawn.iter().skip(group).step_by(groups).copied().collect();
        (0..groups).map(of).collect()
    };
    let mut groups = draw(AT_A_TIME);
    groups.extend(draw(timed));
    groups.extend(draw(AT_A_TIME));
    let groups: Vec<&[u64]> = groups.iter().map(Vec::as_slice).collect();
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (send, receive) = channel();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            let (send, counter, groups) = (send.clone(), &counter, &groups);
            let (next, stop) = (&next, &stop);
            scope.spawn(move || {
                while let Some(&group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let counted = counter.count(group, stop);
                    if counted.is_err() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    let _ = send.send((group, counted.map(|_| begin.elapsed().as_secs_f64())));
                }
            });
        }
        drop(send);
        let mut first = 0.0;
        for (_, end) in receive.iter().take(AT_A_TIME) {
            first = end?;
        }
        // Groups that end one after the other, perhaps almost together, are timed as one, from
        // the end of the groups before.
        let (mut last, mut rates) = (first, Vec::new());
        let mut together: Vec<&[u64]> = Vec::new();
        for (number, (group, end)) in receive.iter().take(timed).enumerate() {
            let end = end?;
            together.push(group);
            if together.len() < AT_A_TIME && number + 1 < timed {
                continue;
            }
            let ended = together.drain(..).flatten();
            let cost: f64 = ended.map(|&unit| units.cost(unit)).sum();
            rates.push((end - last, cost));
            last = end;
            let seconds = last - first;
            let cost: f64 = rates.iter().map(|group| group.1).sum();
            let ratio = seconds / cost;
            let count = rates.len() as f64;
            let residuals = rates
                .iter()
                .map(|(time, cost)| (time - ratio * cost).powi(2));
            let variance = residuals.sum::<f64>() / (count - 1.0).max(1.0);
            let scale = units.total_cost() / cost;
            let (whole, error) = (seconds * scale, (variance * count).sqrt() * scale);
            // Print after every few groups, so that nobody has to wait for the last.
            println!(
                "n = {n}: {} of {} units, of {} in all, in {seconds:.2} s, so all in \
                 {whole:.2} s +- {error:.2} s = {:.3} h +- {:.3} h",
                (number + 1) * per_group,
                timed * per_group,
                units.len(),
                whole / 3600.0,
                error / 3600.0
            );
        }
        // Nobody waits for the groups that are not timed.
        stop.store(true, Ordering::Relaxed);
        Ok(())
    })
}
