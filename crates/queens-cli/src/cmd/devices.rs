//! `queens devices`: what this machine can count with.

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, bail};
use queens::count::two_colour::Simd;
use queens::json::Object;
use queens_cuda::{Device, Error, GpuCounter, Sweeper, Verify};

use crate::support::noun::counted;
use crate::support::out::Out;
use crate::support::{size, stop};

/// List the processors and GPUs that can count
///
/// The CPU comes first, with its vector instructions, then every NVIDIA card that the
/// driver shows. A card needs compute capability 7.5 (Turing, 2018) or later, its driver,
/// and the CUDA run-time compiler (NVRTC), versions 12 or 13.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens devices
  queens devices --json
  queens devices --self-test        counts known boards and compares units with the CPU
  queens count 22 --device gpu:0")]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Have every card count N = 8 to 22 and sampled units of N = 16 to 26, and sweep some blocks;
    /// compare them with the published counts and the CPU; takes a minute or more
    #[arg(long, conflicts_with = "json")]
    self_test: bool,

    /// Only the boards of the self-test up to this N
    #[arg(long, value_name = "N", value_parser = size::board_size, requires = "self_test",
          default_value = "26", hide = true)]
    up_to: usize,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.self_test {
        return self_test(args.up_to);
    }
    let (cards, error) = match queens_cuda::devices() {
        Ok(cards) => (cards, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let cores = size::all_cores();
    let simd = Simd::Auto.resolve().name();
    let mut out = Out::stdout();
    if args.json {
        let cpu = Object::new().set("cores", cores).set("simd", simd);
        let gpus = cards.iter().map(|card| {
            Object::new()
                .set("device", format!("gpu:{}", card.number))
                .set("name", &card.name)
                .set("arch", format!("sm_{}", card.arch))
                .set("memory_bytes", card.memory)
                .set("multiprocessors", card.multiprocessors)
                .set("cuda", &card.cuda)
                .set("driver", &card.driver)
                .set("usable", card.is_usable())
        });
        let object = Object::new()
            .set("cpu", cpu)
            .list("gpus", gpus)
            .set("no_gpu_because", error.map(|error| error.to_string()));
        out.line(&object.end())?;
    } else {
        out.line(&format!("cpu    {}, {simd}", counted(cores, "core")))?;
        for card in &cards {
            out.line(&format!("gpu:{}  {}", card.number, describe(card)))?;
        }
        if let Some(error) = error {
            let line = error.to_string();
            let why = line.strip_prefix("there is no GPU: ").unwrap_or(&line);
            out.line(&format!("gpu    none: {why}"))?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn describe(card: &Device) -> String {
    let driver = match &card.driver {
        Some(driver) => format!("driver {driver} (CUDA {})", card.cuda),
        None => format!("driver for CUDA {}", card.cuda),
    };
    let unusable = if card.is_usable() {
        ""
    } else {
        "; too old to count"
    };
    format!(
        "{}, sm_{}, {} multiprocessors, {:.1} GiB, {driver}{unusable}",
        card.name,
        card.arch,
        card.multiprocessors,
        card.memory as f64 / f64::from(1 << 30)
    )
}

/// How many units of each board are compared with the CPU.
const SAMPLED: u64 = 8;

/// Counts known boards on every card, and prints a line for each.
fn self_test(up_to: usize) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let mut out = Out::stdout();
    for card in queens_cuda::devices()? {
        let name = format!("gpu:{}", card.number);
        out.line(&format!("{name}  {}", describe(&card)))?;
        for n in (8..=22).filter(|&n| n <= up_to) {
            let start = Instant::now();
            let counter = GpuCounter::on(vec![card.clone()], n as u32, &stop)?;
            let ready = start.elapsed().as_secs_f64();
            let units: Vec<u64> = (0..counter.units().len()).collect();
            let start = Instant::now();
            let counts = counter.count(&units, &stop)?;
            let seconds = start.elapsed().as_secs_f64();
            let count: u128 = counts.into_iter().map(u128::from).sum();
            let known = queens::known::known(n).context("every such board is known")?;
            if count != known.all {
                bail!("{name} counted {count} for n = {n}, not {}", known.all);
            }
            out.line(&format!(
                "{name}  n = {n}: {count} as published, {seconds:.4} s (ready after {ready:.3} s)"
            ))?;
            out.flush()?;
        }
        let start = Instant::now();
        let line = match Sweeper::on(card.clone(), 28, &stop) {
            Ok(_) => {
                let seconds = start.elapsed().as_secs_f64();
                format!(
                    "{name}  sweeps: all blocks tried as on the CPU, ready after {seconds:.1} s"
                )
            }
            Err(error @ Error::CannotSweep { .. }) => format!("{name}  {error}"),
            Err(error) => return Err(error.into()),
        };
        out.line(&line)?;
        for n in (16..=26).filter(|&n| n <= up_to) {
            let (units, seconds) = compare(&card, n as u32, &stop)?;
            out.line(&format!(
                "{name}  n = {n}: {units} sampled units as on the CPU, {seconds:.1} s with the CPU"
            ))?;
            out.flush()?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Compares units spread over the board with the CPU. Returns how many, and the seconds it took.
fn compare(card: &Device, n: u32, stop: &AtomicBool) -> Result<(usize, f64), Error> {
    let counter = GpuCounter::on(vec![card.clone()], n, stop)?;
    let all = counter.units().len();
    // The step is odd, so that the samples fall on different places of the blocks. A large board
    // is sampled in its first eighth: the last third of its units takes a core minutes each.
    let end = if n > 24 { all / 8 } else { all };
    let step = (end / SAMPLED).max(1) | 1;
    let units: Vec<u64> = (0..end)
        .skip(step as usize / 3)
        .step_by(step as usize)
        .collect();
    let verify = Verify {
        share: 1.0,
        seed: 0,
    };
    let start = Instant::now();
    counter.count_with(&units, stop, Some(verify), &|_| {}, &|_| {})?;
    Ok((units.len(), start.elapsed().as_secs_f64()))
}
