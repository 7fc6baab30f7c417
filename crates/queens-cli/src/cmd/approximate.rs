//! `queens approximate N`: about how many solutions there are, with an interval.
//!
//! The library makes runs, each a pure function of the seed and its number; this file makes
//! them on all cores until the time is up, and words the estimate.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queens::approximate::{Approximate, Estimate, FEWEST_RUNS, Method, asymptotic, scientific};
use queens::json::Object;
use queens::threads::share;

use crate::support::out::Out;
use crate::support::progress::{Progress, duration};
use crate::support::work::Work;
use crate::support::{size, stop};

/// Estimate how many solutions there are, with an interval
///
/// For N from 4 to 1000. Independent runs, each an unbiased estimate, are made on all cores for
/// --seconds. Their spread gives the 95 % interval: over many seeds, 95 of 100 such intervals
/// hold the true number. What follows +- is half of it; with --json its ends are `low` and
/// `high`, as logarithms `ln_low` and `ln_high`, and `confidence` is 0.95.
///
/// Boards of up to 128 queens are estimated by a sample of the search tree, larger ones by
/// annealing; --method chooses, and the two share no idea, so one can check the other. Small
/// boards, whose whole tree is followed, are counted.
///
/// Beside the estimate stand its natural logarithm, the asymptotic n (ln n - 1.94400) of Simkin
/// (2021) and of Nobel, Agrawal and Boyd (2022), and the residual between the two. The same seed
/// and number of runs give the same answer. docs/sampling.md explains the methods and what they
/// can promise.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens approximate 28                          the first board that nobody has counted
  queens approximate 100 --seconds 60
  queens approximate 40 --method annealing       the other method
  queens approximate 20 --seed 7 --runs 100      can be repeated to the last figure
  queens approximate 1000 --json | jq .ln")]
pub struct Args {
    /// The size of the board
    #[arg(value_name = "N", value_parser = size::board_size)]
    n: usize,

    /// How long to make runs; at least eight are made
    #[arg(long, value_name = "SECONDS", value_parser = size::seconds, default_value = "10")]
    seconds: Duration,

    /// Make this many runs, at least 8, however long they take
    #[arg(
        long,
        value_name = "R",
        value_parser = runs,
        conflicts_with = "seconds"
    )]
    runs: Option<u64>,

    /// The seed of the random numbers
    #[arg(
        long,
        value_name = "S",
        value_parser = size::amount,
        default_value = "0"
    )]
    seed: u64,

    /// How to estimate [default: the more precise method for this N]
    #[arg(long, value_name = "METHOD", value_parser = method())]
    method: Option<Method>,

    #[command(flatten)]
    work: Work,
}

fn runs(text: &str) -> Result<u64, String> {
    match size::amount(text)? {
        few if few < FEWEST_RUNS as u64 => Err(format!("at least {FEWEST_RUNS} runs are needed")),
        runs => Ok(runs),
    }
}

fn method() -> impl TypedValueParser<Value = Method> {
    let values = Method::ALL.map(|m| PossibleValue::new(m.name()).help(m.summary()));
    PossibleValuesParser::new(values)
        .map(|name| name.parse().expect("only names of methods get here"))
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut approximate = Approximate::new(args.n)?.seed(args.seed);
    if let Some(method) = args.method {
        approximate = approximate.method(method)?;
    }
    let interrupted = stop::on_interrupt()?;
    let start = Instant::now();
    let (runs, threads) = make_runs(&args, &approximate, &interrupted);
    let took = start.elapsed();
    if interrupted.load(Ordering::Relaxed) {
        bail!("interrupted after {} runs", runs.len());
    }
    let estimate = Estimate::of(&runs)
        .context("too many runs met no solution; more --seconds or the other --method may help")?;
    let mut out = Out::stdout();
    if args.work.json {
        out.line(&object(&args, &approximate, &estimate, threads, took).end())?;
    } else {
        for line in words(&args, &approximate, &estimate, threads, took) {
            out.line(&line)?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Makes runs 0, 1, 2 and so on, until the time is up or the requested number is reached. Every
/// run that begins is finished, so there is no gap, and the same number of runs gives the same
/// answer. Returns the runs, and how many threads made them.
fn make_runs(
    args: &Args,
    approximate: &Approximate,
    interrupted: &AtomicBool,
) -> (Vec<f64>, usize) {
    let progress = Progress::start(format!("approximate {}", args.n), args.work.when());
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let counted = AtomicBool::new(false);
    let done: Mutex<Vec<(u64, f64)>> = Mutex::new(Vec::new());
    let fewest = FEWEST_RUNS as u64;
    let worker = || {
        while !interrupted.load(Ordering::Relaxed) {
            let share = match args.runs {
                Some(runs) => next.load(Ordering::Relaxed) as f64 / runs as f64,
                None => start.elapsed().as_secs_f64() / args.seconds.as_secs_f64(),
            };
            progress.set_share(share);
            let over = share >= 1.0 || counted.load(Ordering::Relaxed);
            if over && (args.runs.is_some() || next.load(Ordering::Relaxed) >= fewest) {
                break;
            }
            let number = next.fetch_add(1, Ordering::Relaxed);
            if args.runs.is_some_and(|runs| number >= runs) {
                break;
            }
            let run = approximate.run(number);
            let mut done = done.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            done.push((number, run));
            // Runs that follow the whole tree all agree, and more runs would not differ.
            let same = args.runs.is_none() && done.iter().all(|&(_, other)| other == run);
            if same && done.len() >= FEWEST_RUNS {
                counted.store(true, Ordering::Relaxed);
            }
        }
    };
    let threads = share(args.work.threads(), usize::MAX, worker).len();
    let mut done = done
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_unstable_by_key(|&(number, _)| number);
    let runs = done.into_iter().map(|(_, run)| run).collect();
    (runs, threads)
}

/// The published count and whether the interval holds it.
fn published(n: usize, estimate: &Estimate) -> Option<(u128, bool)> {
    let known = queens::known::known(n)?;
    Some((known.all, estimate.holds((known.all as f64).ln())))
}

/// How many figures behind the point the error leaves meaningful.
fn figures(estimate: &Estimate) -> usize {
    let error = estimate.relative_error().max(1e-9);
    (-error.log10()).ceil().clamp(1.0, 9.0) as usize
}

fn words(
    args: &Args,
    approximate: &Approximate,
    estimate: &Estimate,
    threads: usize,
    took: Duration,
) -> Vec<String> {
    let n = args.n;
    let number = |ln| scientific(ln, figures(estimate));
    let mut lines = Vec::new();
    if estimate.relative_error() == 0.0 {
        lines.push(format!(
            "{:.0} solutions for n = {n}: the whole tree was followed",
            estimate.ln.exp()
        ));
    } else {
        lines.push(format!(
            "{} solutions for n = {n}, between {} and {} (95 %)",
            number(estimate.ln),
            number(estimate.ln_low),
            number(estimate.ln_high)
        ));
    }
    let threads = match threads {
        1 => "1 thread".to_owned(),
        _ => format!("{threads} threads"),
    };
    lines.push(format!(
        "{} runs of method {} with seed {}, in {} on {threads}",
        estimate.runs,
        approximate.chosen().name(),
        args.seed,
        duration(took),
    ));
    let half = match estimate.relative_error() {
        0.0 => String::new(),
        half => format!(" +- {half:.4} (95 %)"),
    };
    lines.push(format!(
        "ln Q = {:.4}{half}; n (ln n - 1.94400) = {:.4}, residual {:.4}",
        estimate.ln,
        asymptotic(n),
        estimate.residual(n)
    ));
    if let Some((count, inside)) = published(n, estimate) {
        let inside = if inside { "inside" } else { "outside" };
        lines.push(format!("published: {count}, {inside} the interval"));
    }
    lines
}

fn object(
    args: &Args,
    approximate: &Approximate,
    estimate: &Estimate,
    threads: usize,
    took: Duration,
) -> Object {
    let n = args.n;
    let number = |ln| scientific(ln, figures(estimate));
    let published = published(n, estimate);
    Object::new()
        .set("n", n)
        .set("method", approximate.chosen().name())
        .set("seed", args.seed)
        .set("runs", estimate.runs)
        .set("threads", threads)
        .set("seconds", (took.as_secs_f64() * 1e6).round() / 1e6)
        .set("confidence", 0.95)
        .set("estimate", number(estimate.ln))
        .set("low", number(estimate.ln_low))
        .set("high", number(estimate.ln_high))
        .set("ln", estimate.ln)
        .set("ln_low", estimate.ln_low)
        .set("ln_high", estimate.ln_high)
        .set("asymptotic_ln", asymptotic(n))
        .set("residual", estimate.residual(n))
        .set("published", published.map(|(count, _)| count))
        .set("published_inside", published.map(|(_, inside)| inside))
}
