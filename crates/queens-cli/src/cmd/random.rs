//! `queens random N`: random solutions, and where their queens stand.
//!
//! The library draws; this file chooses between its two methods, picks a seed if none is given,
//! draws on all cores, and writes the solutions or their heat map.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::bail;
use queens::Solution;
use queens::format::{Format, Writer};
use queens::json::{Object, array};
use queens::random::Random;
use queens::render::heat::Heat;
use queens::sample::{Chain, Exact, LARGEST_EXACT};
use queens::threads::share;

use crate::NO;
use crate::support::out::Out;
use crate::support::picture::PictureFile;
use crate::support::progress::Progress;
use crate::support::work::Work;
use crate::support::{choice, size, stop};

/// The largest board for which the exact method is the default.
const EXACT_UNASKED: usize = 20;

/// The height of a heat map in pixels.
const HEAT_SIZE: u32 = 720;

/// Draw random solutions
///
/// Up to N = 20 each of all solutions is exactly equally likely: the board is counted first, in
/// some seconds for N = 20, and a random number below the count is turned into its solution.
/// Up to N = 1000 a Markov chain draws them; how close that is to uniform cannot be proved, so a
/// line on standard error says that the draws are approximate and how long the chain was
/// mixed. --method exact counts up to N = 22, which takes minutes.
///
/// With --heat a picture of where the queens of all the solutions stand is written to a file,
/// .svg or .png, and the solutions are not printed. docs/sampling.md has one.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens random 8                              one of the 92
  queens random 8 --format unicode
  queens random 1000 --seed 7                  the same every time
  queens random 12 --number 5 --json
  queens random 30 --number 100 | queens check
  queens random 100 --number 1000 --heat heat.svg")]
pub struct Args {
    /// The size of the board
    #[arg(value_name = "N", value_parser = size::board_size)]
    n: usize,

    /// How many solutions to draw
    #[arg(
        long,
        value_name = "K",
        value_parser = size::amount,
        default_value = "1"
    )]
    number: u64,

    /// The seed of the random numbers [default: another one every time]
    #[arg(long, value_name = "S", value_parser = size::amount)]
    seed: Option<u64>,

    /// How to draw [default: exact up to N = 20]
    #[arg(long, value_enum)]
    method: Option<Method>,

    /// How to write each solution [default: tuple]
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = choice::written_format(),
        conflicts_with_all = ["json", "heat"]
    )]
    format: Option<Format>,

    /// Write a heat map of the queens to this file, .svg or .png, and print no solutions
    #[arg(long, value_name = "FILE", value_parser = clap::value_parser!(PathBuf))]
    heat: Option<PathBuf>,

    #[command(flatten)]
    work: Work,
}

/// The ways to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Method {
    /// Through the counts of black and white queens: exactly uniform
    Exact,
    /// A Markov chain: approximately uniform
    Chain,
}

impl Method {
    /// How many moves per queen mix a chain.
    fn moves(self, args: &Args) -> Option<usize> {
        match self {
            Method::Exact => None,
            Method::Chain => Chain::new(args.n, 0).map(|chain| chain.moves()),
        }
    }
}

/// The most solutions that are drawn at a time: all stay in memory until they are printed.
const MOST: u64 = 10_000_000;

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let n = args.n;
    let method = match args.method {
        // Boards with one solution or none have no chain, and need none.
        _ if n < 4 => Method::Exact,
        Some(method) => method,
        None if n <= EXACT_UNASKED => Method::Exact,
        None => Method::Chain,
    };
    if method == Method::Exact && n > LARGEST_EXACT {
        bail!("boards up to n = {LARGEST_EXACT} can be drawn from exactly, not {n}");
    }
    if n > Chain::LARGEST_N {
        bail!(
            "boards up to n = {} can be drawn from, not {n}",
            Chain::LARGEST_N
        );
    }
    let picture = args.heat.as_deref();
    let picture = picture.map(|path| PictureFile::new(path, "a heat map", "queens random --heat"));
    let picture = picture.transpose()?;
    if args.number > MOST {
        bail!(
            "at most {MOST} solutions are drawn at a time, not {}",
            args.number
        );
    }
    let number = args.number as usize;
    let seed = args.seed.unwrap_or_else(any_seed);
    let interrupted = stop::on_interrupt()?;
    let drawn = draw(&args, method, seed, number, &interrupted);
    if interrupted.load(Ordering::Relaxed) {
        bail!("interrupted before all solutions were drawn");
    }
    let mut out = Out::stdout();
    let Some(Drawn { solutions, heat }) = drawn else {
        match args.work.json {
            true => out.line(&object(&args, method, seed, &[]).end())?,
            false => out.line("no solution")?,
        }
        out.finish()?;
        return Ok(ExitCode::from(NO));
    };
    if let Some(picture) = &picture {
        picture.write(heat.svg(HEAT_SIZE))?;
    }
    if args.work.json {
        out.line(&object(&args, method, seed, &solutions).end())?;
    } else if args.heat.is_none() {
        let mut writer = Writer::new(args.format.unwrap_or(Format::Tuple), n, false);
        out.record(|buffer| writer.begin(buffer))?;
        for solution in &solutions {
            out.try_record(|buffer| writer.solution(solution, None, buffer))?;
        }
    }
    out.finish()?;
    if let Some(moves) = method.moves(&args).filter(|_| !args.work.json) {
        tell!(
            "approximately uniform: a Markov chain with seed {seed}, mixed for {moves} moves per \
             queen"
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// A seed that differs from one call to the next.
fn any_seed() -> u64 {
    // The standard library seeds its hashers at random.
    RandomState::new().build_hasher().finish()
}

/// What was drawn: the solutions, if they are to be printed, and the heat map of their queens.
struct Drawn {
    solutions: Vec<Solution>,
    heat: Heat,
}

/// Draws; `None` if the board has no solution, or after an interrupt.
fn draw(
    args: &Args,
    method: Method,
    seed: u64,
    number: usize,
    interrupted: &AtomicBool,
) -> Option<Drawn> {
    let n = args.n;
    let threads = args.work.threads();
    let progress = Progress::start(format!("random {n}"), args.work.when());
    let watch = |share: f64| {
        progress.set_share(share);
        !interrupted.load(Ordering::Relaxed)
    };
    let keep = args.heat.is_none() || args.work.json;
    match method {
        Method::Exact => {
            // Counting is half the bar, finding the solutions the other half.
            let exact = Exact::count(n, threads, |share| watch(share / 2.0))?;
            let mut random = Random::new(seed);
            let solutions = exact.draws(number, &mut random, |share| watch(0.5 + share / 2.0))?;
            let mut heat = Heat::new(n);
            solutions.iter().for_each(|solution| heat.add(solution));
            Some(Drawn { solutions, heat })
        }
        Method::Chain => {
            let chain = Chain::new(n, seed)?;
            let next = AtomicU64::new(0);
            let worker = || {
                let (mut solutions, mut heat) = (Vec::new(), Heat::new(n));
                loop {
                    let draw = next.fetch_add(1, Ordering::Relaxed);
                    if draw >= number as u64 || !watch(draw as f64 / number as f64) {
                        return (solutions, heat);
                    }
                    let solution = chain.draw(draw);
                    heat.add(&solution);
                    if keep {
                        solutions.push((draw, solution));
                    }
                }
            };
            let (mut all, mut heat) = (Vec::new(), Heat::new(n));
            for (solutions, other) in share(threads, number, worker) {
                all.extend(solutions);
                heat.merge(&other);
            }
            all.sort_unstable_by_key(|&(draw, _)| draw);
            let solutions = all.into_iter().map(|(_, solution)| solution).collect();
            Some(Drawn { solutions, heat })
        }
    }
}

fn object(args: &Args, method: Method, seed: u64, solutions: &[Solution]) -> Object {
    let (name, uniform) = match method {
        Method::Exact => ("exact", "exactly"),
        Method::Chain => ("chain", "approximately"),
    };
    Object::new()
        .set("n", args.n)
        .set("seed", seed)
        .set("method", name)
        .set("uniform", uniform)
        .set("mixed_moves_per_queen", method.moves(args))
        .set(
            "solutions",
            array(solutions.iter().map(|solution| solution.cols())),
        )
}
