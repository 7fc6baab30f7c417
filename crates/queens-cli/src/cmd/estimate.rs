//! `queens estimate N`: how long each engine would take here, without counting.
//!
//! The forecasts are made in [`queens::estimate`]; this file divides a budget of about a
//! second between the engines and words the answers. Above them stands the size of the search
//! tree, Knuth's estimate, on which the times of the backtracking engines depend.

use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::bail;
use queens::count::ENGINES;
use queens::estimate::{self, Basis, Estimate, Forecast};
use queens::json::Object;
use queens::{Count, Engine, Simd};

use crate::support::out::Out;
use crate::support::progress::duration;
use crate::support::{choice, cost, size, stop};

/// Predict how long each engine would take for N on this machine
///
/// All times are predictions, from a calibration of about a second on this machine, as
/// busy as it is now. A backtracking engine takes the number of nodes of the search tree,
/// estimated by Knuth's random probes, times the seconds per node of a smaller board. For
/// two-colour, some units of this board, or of a smaller one, are timed and scaled by cost. For
/// two-colour-plain, a smaller board is timed and scaled by how its time grows.
///
/// What follows +- is half of a 95 % interval: over many samples, about 95 of 100 such intervals
/// hold the true number up to N = 40, and 85 of 100 for N = 64, where most of the solutions are in
/// parts of the tree that few probes find; `queens approximate` is better there. The interval
/// covers only the random sample: expect times to be within a factor of two. With --json, `low`
/// and `high` are the ends of that interval, `confidence` is 0.95, and `standard_error` is the
/// standard error of the mean.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens estimate 20
  queens estimate 24 --engine two-colour --threads 1 --budget 10
  queens estimate 27 --json | jq '.engines[] | {name, seconds}'")]
pub struct Args {
    /// The size of the board
    #[arg(value_name = "N", value_parser = size::board_size)]
    n: usize,

    /// Only this engine; may be given several times [default: all]
    #[arg(long, value_name = "NAME", value_parser = choice::engine())]
    engine: Vec<Engine>,

    /// How many threads would work [default: all cores]
    #[arg(long, value_name = "T", value_parser = size::threads)]
    threads: Option<usize>,

    /// Which vector instructions the two-colour engine would use
    #[arg(long, value_name = "SET", value_parser = choice::simd(), default_value = "auto")]
    simd: Simd,

    /// Seconds to spend on the calibration
    #[arg(long, value_name = "SECONDS", value_parser = size::seconds, default_value = "1")]
    budget: Duration,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let n = args.n;
    choice::require_simd(args.simd)?;
    let Some(tree) = estimate::tree(n) else {
        bail!(
            "boards up to n = {} can be estimated",
            queens::estimate::LARGEST_N
        );
    };
    let interrupted = stop::on_interrupt()?;
    let engines: Vec<Engine> = ENGINES
        .iter()
        .copied()
        .filter(|engine| args.engine.is_empty() || args.engine.contains(engine))
        .collect();
    // An engine that is sampled needs as much time as three that are timed.
    let weight = |engine: Engine| if engine.has_units() { 3 } else { 1 };
    let weights: u32 = engines.iter().map(|&engine| weight(engine)).sum();
    let mut rows = Vec::new();
    for &engine in &engines {
        let threads = super::count::threads(engine, args.threads);
        let count = Count::new(n)
            .engine(engine)
            .threads(threads)
            .simd(args.simd)
            .stop(&interrupted);
        let budget = args.budget * weight(engine) / weights.max(1);
        rows.push((engine, threads, cost::forecast(&count, budget)));
        if interrupted.load(Ordering::Relaxed) {
            bail!("interrupted before all engines were calibrated");
        }
    }

    let mut out = Out::stdout();
    let (nodes, solutions) = (tree.nodes(), tree.solutions());
    if args.json {
        let estimate = |e: Estimate| {
            let interval = e.interval(tree.probes());
            Object::new()
                .set("mean", e.mean)
                .set("standard_error", e.standard_error)
                .set("low", *interval.start())
                .set("high", *interval.end())
        };
        let tree = Object::new()
            .set("nodes", estimate(nodes))
            .set("solutions", estimate(solutions))
            .set("probes", tree.probes());
        let object = Object::new()
            .set("n", n)
            .set("prediction", true)
            .set("calibration_seconds", args.budget.as_secs_f64())
            .set("confidence", CONFIDENCE)
            .set("tree", tree)
            .list("engines", rows.iter().map(|row| describe(row, args.simd)));
        out.line(&object.end())?;
    } else {
        let budget = duration(args.budget);
        out.line(&format!(
            "Predictions for n = {n}, from a calibration of {budget} on this machine."
        ))?;
        out.line(&format!(
            "Search tree: {} nodes, {} solutions ({} random probes).",
            with_interval(nodes, tree.probes()),
            with_interval(solutions, tree.probes()),
            tree.probes()
        ))?;
        out.line("What follows +- is half of a 95 % interval, for the random sample alone.")?;
        let width = rows.iter().map(|row| row.0.name().len()).max();
        let width = width.unwrap_or_default();
        for (engine, threads, forecast) in &rows {
            let words = match forecast {
                Some(forecast) => words(forecast, *threads),
                None => format!("        -  holds boards up to n = {}", engine.largest_n()),
            };
            out.line(&format!("{engine:width$}  {words}"))?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// What share of the intervals hold the truth.
const CONFIDENCE: f64 = 0.95;

/// The mean and half of its interval.
fn with_interval(estimate: Estimate, probes: u64) -> String {
    let percent = percent(estimate.mean, &estimate.interval(probes));
    let mean = match estimate.mean {
        small if small < 1e6 => format!("{small:.0}"),
        large => format!("{large:.3e}"),
    };
    format!("{mean} +- {percent:.1} %")
}

/// Half of an interval, in percent of the mean: the upper half, since the lower one stops at 0.
fn percent(mean: f64, interval: &RangeInclusive<f64>) -> f64 {
    match mean {
        0.0 => 0.0,
        _ => 100.0 * (interval.end() - mean) / mean,
    }
}

/// A forecast as the end of a line.
fn words(forecast: &Forecast, threads: usize) -> String {
    let time = short(forecast.time());
    let on = match threads {
        1 => "1 thread".to_owned(),
        _ => format!("{threads} threads"),
    };
    let percent = percent(forecast.seconds.mean, &forecast.interval());
    match forecast.basis {
        Basis::Counted => format!("{time:>9}  on {on}: counted just now"),
        Basis::Nodes {
            seconds_per_node,
            at,
        } => format!(
            "{time:>9}  on {on}: {} ns per node, from n = {at}",
            figures(seconds_per_node * 1e9)
        ),
        Basis::Growth { per_row, at } => {
            format!("{time:>9}  on {on}: {per_row} times the time of n = {at} for each further row")
        }
        Basis::Units { timed, all, at } => {
            // If all units of a small board were timed, there is no sample to tell the error.
            let half = match percent {
                0.0 => String::new(),
                percent => format!(", +- {percent:.0} %"),
            };
            format!("{time:>9}  on {on}: {timed} units of n = {at} timed{half}; {all} to count")
        }
    }
}

/// A number with three figures.
fn figures(number: f64) -> String {
    match number {
        x if x < 9.995 => format!("{x:.2}"),
        x if x < 99.95 => format!("{x:.1}"),
        x => format!("{x:.0}"),
    }
}

/// A time, in milliseconds or less where `duration` would say 0.
fn short(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 0.1 => format!("{:.1} ms", s * 1e3),
        s if s > 1e6 * 365.25 * 86400.0 => "over a million years".to_owned(),
        _ => duration(time),
    }
}

fn describe(row: &(Engine, usize, Option<Forecast>), simd: Simd) -> Object {
    let (engine, threads, forecast) = row;
    let mut object = Object::new()
        .set("name", engine.name())
        .set("threads", *threads);
    if engine.has_simd() {
        object = object.set("simd", simd.resolve().name());
    }
    let Some(forecast) = forecast else {
        return object.set("largest_n", engine.largest_n());
    };
    let object = object
        .set("seconds", forecast.seconds.mean)
        .set("standard_error", forecast.seconds.standard_error)
        .set("low", *forecast.interval().start())
        .set("high", *forecast.interval().end());
    match forecast.basis {
        Basis::Counted => object.set("basis", "counted"),
        Basis::Nodes {
            seconds_per_node,
            at,
        } => object
            .set("basis", "nodes")
            .set("seconds_per_node", seconds_per_node)
            .set("calibrated_at", at),
        Basis::Growth { per_row, at } => object
            .set("basis", "growth")
            .set("growth_per_row", per_row)
            .set("calibrated_at", at),
        Basis::Units { timed, all, at } => object
            .set("basis", "units")
            .set("units_timed", timed)
            .set("units", all)
            .set("calibrated_at", at),
    }
}
