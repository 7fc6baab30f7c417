//! `queens known`: the published sequences that the program holds, and whether they are right.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queens::json::{Object, array};
use queens::known::Sequence;
use queens::{Count, symmetric, torus};

use crate::NO;
use crate::support::out::Out;
use crate::support::progress::{Progress, When, duration};
use crate::support::{size, stop};

/// Print the published counts, or compute them again
///
/// Prints every sequence that the program holds, with its number in the On-Line Encyclopedia
/// of Integer Sequences and who computed it. Nothing is computed: `queens count` does that.
///
/// With --verify as many values as fit into the time are computed again and compared, the
/// shortest first: all solutions by the fastest engine on all cores, symmetric ones and those
/// on the torus by searches of their own, fundamental ones from these. Where a value differs
/// the exit code is 1.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens known                        all sequences
  queens known quarter-turn           A033148 to n = 63
  queens known torus --json | jq '.sequences[0].values'
  queens known --verify               for a minute
  queens known all --verify 10        one sequence, ten seconds")]
pub struct Args {
    /// Only this sequence [default: all of them]
    #[arg(value_name = "SEQUENCE", value_parser = sequence())]
    sequence: Option<Sequence>,

    /// Compute values again for this many seconds, 60 unless given, and compare
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = size::seconds,
        num_args = 0..=1,
        default_missing_value = "60"
    )]
    verify: Option<Duration>,

    /// Print a JSON object
    #[arg(long)]
    json: bool,

    /// Show progress even where standard error is not a terminal
    #[arg(long, requires = "verify")]
    progress: bool,
}

fn sequence() -> impl TypedValueParser<Value = Sequence> {
    let values = Sequence::ALL.map(|s| PossibleValue::new(s.name()).help(s.title()));
    PossibleValuesParser::new(values)
        .map(|name| name.parse().expect("only names of sequences get here"))
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let wanted = Sequence::ALL.into_iter();
    let wanted: Vec<Sequence> = wanted
        .filter(|&sequence| args.sequence.is_none_or(|only| only == sequence))
        .collect();
    match args.verify {
        Some(time) => verify(&args, &wanted, time),
        None => print(&args, &wanted),
    }
}

fn print(args: &Args, wanted: &[Sequence]) -> anyhow::Result<ExitCode> {
    let mut out = Out::stdout();
    if args.json {
        let sequences = wanted.iter().map(|sequence| {
            let values = sequence.values();
            describe(*sequence).set(
                "values",
                array(values.map(|(n, value)| Object::new().set("n", n).set("value", value))),
            )
        });
        out.line(&Object::new().list("sequences", sequences).end())?;
    } else {
        for (place, sequence) in wanted.iter().enumerate() {
            if place > 0 {
                out.line("")?;
            }
            out.line(&format!(
                "{}: {}, OEIS {}",
                sequence.name(),
                sequence.title(),
                sequence.oeis()
            ))?;
            out.line(&format!("source: {}", sequence.source()))?;
            for (n, value) in sequence.values() {
                out.line(&format!("{n:>4}  {value}"))?;
            }
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn describe(sequence: Sequence) -> Object {
    Object::new()
        .set("name", sequence.name())
        .set("oeis", sequence.oeis())
        .set("title", sequence.title())
        .set("source", sequence.source())
}

/// One sequence that is being computed again.
struct Again {
    sequence: Sequence,
    published: Vec<(usize, u128)>,
    computed: Vec<u128>,
    /// How long the last value took.
    last: Duration,
}

impl Again {
    fn new(sequence: Sequence) -> Again {
        Again {
            sequence,
            published: sequence.values().collect(),
            computed: Vec::new(),
            last: Duration::ZERO,
        }
    }

    /// The board whose value comes next.
    fn next(&self) -> Option<usize> {
        self.published.get(self.computed.len()).map(|&(n, _)| n)
    }

    /// N, the computed and the published value, for each value that differs.
    fn differing(&self) -> impl Iterator<Item = (usize, u128, u128)> + '_ {
        let pairs = self.published.iter().zip(&self.computed);
        pairs
            .filter(|((_, published), computed)| published != *computed)
            .map(|(&(n, published), &computed)| (n, computed, published))
    }
}

fn verify(args: &Args, wanted: &[Sequence], time: Duration) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    stop::after(&stop, time)?;
    let when = match args.progress {
        true => When::Always,
        false => When::Terminal,
    };
    let progress = Progress::start("known --verify", when);
    let start = Instant::now();
    let passed = || progress.set_share(start.elapsed().as_secs_f64() / time.as_secs_f64());
    // The fundamental counts follow from three other sequences.
    let searched = Sequence::ALL.into_iter().filter(|&sequence| {
        sequence != Sequence::Fundamental
            && (wanted.contains(&sequence)
                || wanted.contains(&Sequence::Fundamental) && sequence != Sequence::Torus)
    });
    let mut all: Vec<Again> = searched.map(Again::new).collect();
    // The sequence with the quickest last value goes next, so that all advance to the end.
    while let Some((again, n)) = all
        .iter_mut()
        .filter_map(|again| again.next().map(|n| (again, n)))
        .min_by_key(|(again, _)| again.last)
    {
        let begun = Instant::now();
        let Some(value) = compute(again.sequence, n, &stop, &passed) else {
            break;
        };
        again.last = begun.elapsed();
        again.computed.push(value);
        passed();
    }
    if wanted.contains(&Sequence::Fundamental) {
        all.push(fundamental(&all));
    }
    drop(progress);
    all.retain(|again| wanted.contains(&again.sequence));
    all.sort_by_key(|again| wanted.iter().position(|&s| s == again.sequence));
    report(args, &all, start.elapsed())
}

/// Computes a value; `None` if the time is up first, or no search reaches it.
fn compute(
    sequence: Sequence,
    n: usize,
    stop: &AtomicBool,
    passed: &(dyn Fn() + Sync),
) -> Option<u128> {
    let watch = |_: f64| {
        passed();
        match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let report = |_: f64| passed();
    match sequence {
        Sequence::HalfTurn => symmetric::half_turn(n, watch).map(u128::from),
        Sequence::QuarterTurn => symmetric::quarter_turn(n, watch).map(u128::from),
        Sequence::Torus => torus::count(n, watch).map(u128::from),
        _ => {
            let count = Count::new(n).threads(size::all_cores()).stop(stop);
            count.progress(report).run().ok()
        }
    }
}

/// The fundamental counts, as far as the other sequences reach.
fn fundamental(all: &[Again]) -> Again {
    let mut again = Again::new(Sequence::Fundamental);
    let computed = |sequence: Sequence, n: usize| {
        let found = all.iter().find(|again| again.sequence == sequence)?;
        let at = found.published.iter().position(|&(of, _)| of == n)?;
        found.computed.get(at).copied()
    };
    let small = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
    let fundamental = |&(n, _): &(usize, u128)| {
        let all = computed(Sequence::All, n)?;
        let half = small(computed(Sequence::HalfTurn, n)?);
        let quarter = small(computed(Sequence::QuarterTurn, n)?);
        symmetric::fundamental(n, all, half, quarter)
    };
    again.computed = again.published.iter().map_while(fundamental).collect();
    again
}

fn report(args: &Args, all: &[Again], took: Duration) -> anyhow::Result<ExitCode> {
    let values: usize = all.iter().map(|again| again.published.len()).sum();
    let computed: usize = all.iter().map(|again| again.computed.len()).sum();
    let differing: usize = all.iter().map(|again| again.differing().count()).sum();
    let mut out = Out::stdout();
    if args.json {
        let sequences = all.iter().map(|again| {
            let differing = again.differing().map(|(n, computed, published)| {
                Object::new()
                    .set("n", n)
                    .set("computed", computed)
                    .set("published", published)
            });
            describe(again.sequence)
                .set("values", again.published.len())
                .set("computed", again.computed.len())
                .set(
                    "largest_n",
                    again
                        .computed
                        .len()
                        .checked_sub(1)
                        .map(|last| again.published[last].0),
                )
                .set("differing", array(differing))
        });
        let object = Object::new()
            .list("sequences", sequences)
            .set("values", values)
            .set("computed", computed)
            .set("differing", differing)
            .set("seconds", (took.as_secs_f64() * 1e6).round() / 1e6);
        out.line(&object.end())?;
    } else {
        for again in all {
            let (sequence, reached) = (again.sequence, again.computed.len());
            let words = match reached.checked_sub(1) {
                None => "not reached".to_owned(),
                Some(last) => {
                    let agree = reached - again.differing().count();
                    format!(
                        "n = {} to {}: {agree} of {reached} agree",
                        again.published[0].0, again.published[last].0
                    )
                }
            };
            out.line(&format!(
                "{} {:<12}  {words}",
                sequence.oeis(),
                sequence.name()
            ))?;
            for (n, computed, published) in again.differing() {
                out.line(&format!(
                    "  n = {n}: computed {computed}, published {published}"
                ))?;
            }
        }
        let verdict = match differing {
            0 => "all agree".to_owned(),
            1 => "1 differs".to_owned(),
            _ => format!("{differing} differ"),
        };
        out.line(&format!(
            "{computed} of {values} published values computed again in {}: {verdict}",
            duration(took)
        ))?;
    }
    out.finish()?;
    Ok(match differing {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(NO),
    })
}
