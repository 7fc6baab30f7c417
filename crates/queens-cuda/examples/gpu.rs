//! Counts, tests and projects on the GPU, for whoever works on the kernel.
//!
//! A small program that builds in seconds and runs without the rest of the workspace:
//!
//! ```text
//! gpu count 20 [DEVICE]         the count, its seconds, and whether it is the published one
//! gpu test 22 [DEVICE]          N = 8 to 22 whole, then sampled units to 26 against the CPU
//! gpu project 28 200 [DEVICE]   seconds for all of N = 28 from 200 random units
//! gpu lists 20                  only prepares the lists of all units, on one core
//! ```
//!
//! A projection draws units at random, all with the same chance, and times them in groups
//! that fill the card. Seconds per expected cost, over all groups, times the cost of all
//! units is the projection: the usual ratio estimate, with its standard error.

use queens::count::two_colour::flat::{Builder, Lists};
use queens_cuda::batch::{Batch, Gather, MOST_PLACEMENTS, Shape};
use queens_cuda::{Device, GpuCounter, Verify, devices};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["count", n] => count(n.parse()?, device("0")?),
        ["count", n, number] => count(n.parse()?, device(number)?),
        ["test", n] => test(n.parse()?, device("0")?),
        ["test", n, number] => test(n.parse()?, device(number)?),
        ["lists", n] => lists(n.parse()?),
        ["project", n, units] => project(n.parse()?, units.parse()?, device("0")?),
        ["project", n, units, number] => project(n.parse()?, units.parse()?, device(number)?),
        _ => Err("use count N, test N, project N UNITS or lists N, and perhaps a device".into()),
    }
}

/// How to gather: `GATHER=filter` or, which is also the default, `GATHER=scan`.
fn gather() -> Result<Gather> {
    match std::env::var("GATHER").as_deref() {
        Ok("filter") => Ok(Gather::Filter),
        Ok("scan") | Err(_) => Ok(Gather::Scan),
        Ok(other) => Err(format!("GATHER is scan or filter, not {other}").into()),
    }
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
    let counter = GpuCounter::gathering(vec![device.clone()], n, gather()?, &never)?;
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

/// What the host does for a count, without a card.
fn lists(n: u32) -> Result<()> {
    let mut builder = Builder::new(n).ok_or("the board is too large")?;
    if gather()? == Gather::Filter {
        builder = builder.without_gathering_trees();
    }
    let shape = Shape {
        gather: gather()?,
        most_placements: MOST_PLACEMENTS,
        ..Shape::default()
    };
    let (mut lists, mut batch) = (Lists::default(), Batch::new(n, &shape));
    let (mut words, mut jobs) = (0, 0);
    let start = Instant::now();
    for unit in 0..builder.units().len() {
        batch.clear();
        builder.build(unit, &mut lists);
        batch.add(unit, &lists)?;
        batch.seal();
        words += batch.words().len();
        jobs += batch.sums();
    }
    println!(
        "n = {n}: lists of {} units in {:.2} s, {} MiB, {jobs} jobs",
        builder.units().len(),
        start.elapsed().as_secs_f64(),
        words >> 17
    );
    Ok(())
}

fn project(n: u32, number: usize, device: Device) -> Result<()> {
    let counter = open(n, &device)?;
    let units = counter.units();
    // A small generator with a fixed seed, so that a projection can be repeated.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let drawn: Vec<u64> = (0..number)
        .map(|_| (random() * units.len() as f64) as u64)
        .collect();
    // In groups, each of which fills the card, timed one after the other.
    const GROUPS: usize = 10;
    let mut rates = Vec::new();
    let start = Instant::now();
    for group in drawn.chunks(number.div_ceil(GROUPS).max(1)) {
        let cost: f64 = group.iter().map(|&unit| units.cost(unit)).sum();
        let begin = Instant::now();
        counter.count(group, &AtomicBool::new(false))?;
        rates.push((begin.elapsed().as_secs_f64(), cost));
    }
    let seconds: f64 = rates.iter().map(|group| group.0).sum();
    let cost: f64 = rates.iter().map(|group| group.1).sum();
    let ratio = seconds / cost;
    let groups = rates.len() as f64;
    let residuals = rates
        .iter()
        .map(|(time, cost)| (time - ratio * cost).powi(2));
    let variance = residuals.sum::<f64>() / (groups - 1.0).max(1.0);
    let scale = units.total_cost() / cost;
    let (whole, error) = (seconds * scale, (variance * groups).sqrt() * scale);
    println!(
        "n = {n}: {number} of {} units in {seconds:.2} s (wall {:.2} s)",
        units.len(),
        start.elapsed().as_secs_f64()
    );
    println!(
        "n = {n}: all units take {whole:.2} s +- {error:.2} s = {:.3} h +- {:.3} h",
        whole / 3600.0,
        error / 3600.0
    );
    Ok(())
}
