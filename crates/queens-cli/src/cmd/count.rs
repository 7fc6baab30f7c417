//! `queens count N`: the number of solutions, always computed unless `--known` is given.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, bail};
use queens::approximate;
use queens::count::{DeviceKind, ENGINES, default_engine_on};
use queens::json::Object;
use queens::known::Sequence;
use queens::{Board, Count, CountError, Engine, Simd};
use queens_cuda::{Choice, GpuCounter};

use crate::support::board::SizeAndBoard;
use crate::support::kind::Kind;
use crate::support::out::Out;
use crate::support::progress::{Progress, percent};
use crate::support::work::Work;
use crate::support::{choice, cost, gpu, size, stop};

/// Count the solutions for a board of size N
///
/// Prints the bare number. The count is computed every time, on all cores, by the engine
/// that suits the size best; `queens engines` lists the others. N = 0 has one solution,
/// the empty board. A count that will take hours says so first, on standard error. Ctrl-C
/// stops a count. two-colour uses fewer threads than it may if memory would exceed 100 MB up to
/// N = 20, or 1 GB up to N = 26.
///
/// A board may have given queens, blocked squares and fewer queens than rows; only bitmask
/// counts with fewer queens. 0 is an answer like any other.
///
/// Symmetric solutions, and those on a torus, are counted by searches of their own on one
/// core, which say after some seconds that they may take long. Fundamental ones follow from all
/// solutions and the symmetric ones.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens count 8                      92
  queens count 16 --engine bitmask    with the three bit vectors of the recitation
  queens count 17 --threads 1 --json  {\"n\":17,\"count\":95815104,...}
  queens count 22 --device gpu        on the NVIDIA cards of this machine
  queens count 18 --simd portable     without vector instructions, to compare
  queens count 12 --fundamental       1787
  queens count 40 --symmetry quarter-turn
  queens count 17 --torus             140692
  queens count 8 --given 1,4          18
  queens count 16 --blocked \"1,1 1,16 16,1 16,16\"
  queens count 12 --queens 5          five queens on a 12 by 12 board
  queens count --board puzzle.txt     a drawing with Q and #
  queens count --known 27             looks it up, and says where")]
pub struct Args {
    /// The engine that counts [default: the fastest for this N]
    #[arg(long, value_name = "NAME", value_parser = choice::engine())]
    engine: Option<Engine>,

    /// Which vector instructions the two-colour engine uses [default: auto, the best here]
    #[arg(long, value_name = "SET", value_parser = choice::simd())]
    simd: Option<Simd>,

    /// Where to count: auto, cpu, gpu (all of them), or gpu:0 for the first; `queens
    /// devices` lists them. With auto, GPUs count boards from N = 20 on
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: Choice,

    /// Count a random share of the GPU's work again on the CPU, such as 1%, and stop on any
    /// difference
    #[arg(long, value_name = "SHARE", value_parser = gpu::share)]
    verify: Option<f64>,

    #[command(flatten)]
    kind: Kind,

    #[command(flatten)]
    board: SizeAndBoard,

    /// Look the published number up instead of computing it, and name its source
    #[arg(long, conflicts_with_all = ["engine", "threads", "simd", "device", "progress", "verify"])]
    known: bool,

    #[command(flatten)]
    work: Work,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let board = args.board.board()?;
    let (n, plain) = (board.n(), board.is_plain());
    if !plain {
        args.plain_only()?;
    }
    if args.known {
        return look_up(&args, n);
    }
    if args.kind.is_searched_apart() {
        return args.kind.count(n, args.work.json, args.work.when());
    }
    let engine = engine(args.engine, args.simd, &board)?;
    let simd = args.simd.unwrap_or_default();
    let threads = threads(engine, args.work.threads);
    let interrupted = stop::on_interrupt()?;
    if plain && let Some((engine, counter)) = open_gpu(&args, n, engine, &interrupted)? {
        return run_on_gpu(&args, n, engine, &counter, &interrupted);
    }
    let count = Count::on(&board).engine(engine).threads(threads).simd(simd);
    let sequence = args.kind.sequence();
    cost::warn_of_hours(&count, engine, &board, threads, sequence);

    let progress = Progress::start(format!("count {n}"), args.work.when());
    let mut count = count.stop(&interrupted);
    if progress.is_shown() {
        count = count.progress(|share| progress.set_share(share));
    }
    let start = Instant::now();
    let counted = count.run();
    let seconds = start.elapsed().as_secs_f64();
    drop(count);
    drop(progress);

    let count = match counted {
        Err(CountError::Stopped { share }) if interrupted.load(Ordering::Relaxed) => {
            bail!(
                "interrupted after {} % of the work; nothing was kept",
                percent(share)
            )
        }
        // The best engine for this N has refused, so no other one helps.
        Err(error @ CountError::TooLarge { n, .. })
            if args.engine.is_none()
                && sequence == Sequence::All
                && approximate::SIZES.contains(&n) =>
        {
            bail!("{error}; `queens approximate {n}` estimates the number")
        }
        other => other?,
    };
    let count = args.kind.of_all(n, count, &interrupted)?;
    let mut out = Out::stdout();
    if args.work.json {
        let mut object = Object::new().set("n", n);
        if !plain {
            object = object.set("board", &board);
        }
        let object = object
            .set("count", count)
            .set("kind", args.kind.sequence().name())
            .set("engine", engine.name())
            .set("threads", threads)
            .set("seconds", microseconds(seconds));
        out.line(&object.end())?;
    } else {
        out.line(&count.to_string())?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Refuses the options that are for the plain board only.
    fn plain_only(&self) -> anyhow::Result<()> {
        if self.known {
            bail!("no count of a board with given or blocked squares is published");
        }
        if self.kind.sequence() != Sequence::All {
            bail!("--fundamental, --symmetry and --torus count on the plain board only");
        }
        if matches!(self.device, Choice::Gpu(_)) || self.verify.is_some() {
            bail!("a GPU counts on the plain board only");
        }
        Ok(())
    }
}

/// The engine that will count: the engine asked for, or the fastest. With `--simd` it is an
/// engine that has a choice of vector instructions.
fn engine(asked: Option<Engine>, simd: Option<Simd>, board: &Board) -> anyhow::Result<Engine> {
    let n = board.n();
    let largest = ENGINES.iter().filter_map(|e| e.largest_n_of_boards()).max();
    if !board.is_plain()
        && asked.is_none()
        && let Some(largest) = largest.filter(|&largest| n > largest)
    {
        bail!(
            "a board with given queens, blocked squares or fewer queens is counted up to \
             n = {largest}, not {n}"
        );
    }
    let Some(simd) = simd else {
        return Ok(asked.unwrap_or_else(|| default_engine_on(board)));
    };
    choice::require_simd(simd)?;
    match asked {
        Some(engine) if !engine.has_simd() => bail!(
            "engine {engine} has no choice of vector instructions; --simd is for {}",
            names(that(Engine::has_simd))
        ),
        Some(engine) => Ok(engine),
        None => that(Engine::has_simd)
            .next_back()
            .context("no engine uses vector instructions"),
    }
}

/// The engines for which `can` holds, simplest to fastest.
fn that(can: impl Fn(Engine) -> bool) -> impl DoubleEndedIterator<Item = Engine> {
    ENGINES.iter().copied().filter(move |&engine| can(engine))
}

fn names(engines: impl Iterator<Item = Engine>) -> String {
    engines.map(Engine::name).collect::<Vec<_>>().join(", ")
}

/// The engines that count on a GPU.
fn on_gpu() -> impl DoubleEndedIterator<Item = Engine> {
    that(|engine| engine.counts_on(DeviceKind::Gpu))
}

/// The number of threads that will really work.
pub fn threads(engine: Engine, asked: Option<usize>) -> usize {
    if engine.is_parallel() {
        asked.unwrap_or_else(size::all_cores)
    } else {
        1
    }
}

/// The GPUs that the arguments choose, if any, and the engine that counts there.
fn open_gpu(
    args: &Args,
    n: usize,
    engine: Engine,
    interrupted: &AtomicBool,
) -> anyhow::Result<Option<(Engine, GpuCounter)>> {
    let able = engine.counts_on(DeviceKind::Gpu);
    let device = match args.device {
        Choice::Gpu(_) if args.simd.is_some() => {
            bail!("--simd chooses instructions of the CPU, and this count is on the GPU")
        }
        _ if args.simd.is_some() => Choice::Cpu,
        device if able => device,
        Choice::Gpu(_) if args.engine.is_some() => {
            let able = names(on_gpu());
            bail!("the GPU counts with the engine {able}, not {engine}")
        }
        // The fastest engine for a small board may not run on a GPU; then another one counts there.
        Choice::Gpu(number) => Choice::Gpu(number),
        _ => Choice::Cpu,
    };
    let engine = if able {
        Some(engine)
    } else {
        on_gpu().next_back()
    };
    let counter = gpu::open(device, n, args.work.threads(), interrupted)?;
    if counter.is_none() && args.verify.is_some() {
        bail!("--verify checks a GPU, and this count is on the CPU");
    }
    Ok(engine.zip(counter))
}

fn run_on_gpu(
    args: &Args,
    n: usize,
    engine: Engine,
    counter: &GpuCounter,
    interrupted: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    let progress = Progress::start(format!("count {n}"), args.work.when());
    let counted = gpu::count(counter, args.verify, &progress, interrupted);
    drop(progress);
    let gpu::Counted {
        count,
        seconds,
        cards,
    } = counted?;
    let count = args.kind.of_all(n, count, interrupted)?;
    let mut out = Out::stdout();
    if args.work.json {
        let threads = args.work.threads();
        let object = Object::new()
            .set("n", n)
            .set("count", count)
            .set("kind", args.kind.sequence().name())
            .set("engine", engine.name())
            .set("device", cards)
            .set("threads", threads)
            .set("seconds", microseconds(seconds));
        out.line(&object.end())?;
    } else {
        out.line(&count.to_string())?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Seconds to the microsecond: what a clock can tell.
fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

fn look_up(args: &Args, n: usize) -> anyhow::Result<ExitCode> {
    let sequence = args.kind.sequence();
    let count = sequence.value(n).with_context(|| {
        let largest = sequence.values().map(|(n, _)| n).max();
        let largest = largest.unwrap_or_default();
        match n < largest {
            true => format!("the table has no count for n = {n}; without --known it is counted"),
            false => {
                format!("no count for n = {n} has been published; the table ends at n = {largest}")
            }
        }
    })?;
    let source = match queens::known::known(n) {
        Some(known) if sequence == Sequence::All => known.source.to_owned(),
        _ => format!("OEIS {}", sequence.oeis()),
    };
    let mut out = Out::stdout();
    if args.work.json {
        let object = Object::new()
            .set("n", n)
            .set("count", count)
            .set("kind", sequence.name())
            .set("looked_up", true)
            .set("source", source);
        out.line(&object.end())?;
    } else {
        out.line(&format!("{count} (looked up: {source})"))?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
