//! `queens bench count`: every engine over a range of N, timed, every answer asserted.
//!
//! A cell of the table is a time in milliseconds, as in the course document's table that the
//! picture compares with. It is the fastest of several runs, because a busy machine only ever
//! adds time; runs longer than a fifth of a second are made once. An engine leaves the table
//! at the first N whose predicted time exceeds the budget; its last time and the growth of the
//! work give the prediction. A wrong answer ends the program at once: a time without the right
//! count is worth nothing.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use queens::count::ENGINES;
use queens::json::Object;
use queens::render::chart::{Chart, Point, Series};
use queens::{Count, Engine, Simd, estimate, known};
use queens_campaign::clock;

use super::show::ThemeArg;
use crate::support::out::Out;
use crate::support::picture::PictureFile;
use crate::support::{choice, cost, machine, size, stop};

/// Measure how fast this machine counts
#[derive(clap::Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  queens bench count
  queens bench count --to 18 --engine mirror --engine two-colour --budget 60
  queens bench count --to 16 --plot times.png"
)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Count(CountArgs),
}

/// Time every engine over a range of N and assert every answer
///
/// Prints a table of milliseconds, a row per N, with the number of solutions, and a column per
/// engine; `-` where an engine would exceed the budget. The rows are those of the table in the
/// course document on MIPS, whose times --plot draws beside these. Every count is compared with
/// the published one, so N ends at 27.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens bench count
  queens bench count --to 18 --engine mirror --engine two-colour --budget 60
  queens bench count --engine two-colour --simd portable --from 12 --to 16
  queens bench count --to 16 --plot times.svg
  queens bench count --plot times.png --theme dark")]
struct CountArgs {
    /// The first N
    #[arg(long, value_name = "A", value_parser = size::board_size, default_value = "4")]
    from: usize,

    /// The last N
    #[arg(long, value_name = "B", value_parser = size::board_size, default_value = "15")]
    to: usize,

    /// Only this engine; may be given several times [default: all]
    #[arg(long, value_name = "NAME", value_parser = choice::engine())]
    engine: Vec<Engine>,

    /// Which vector instructions the two-colour engine uses
    #[arg(long, value_name = "SET", value_parser = choice::simd(), default_value = "auto")]
    simd: Simd,

    /// How many threads may work; engines without threads use one
    #[arg(long, value_name = "T", value_parser = size::threads, default_value = "1")]
    threads: usize,

    /// Skip a count if it is predicted to take longer than this
    #[arg(long, value_name = "SECONDS", value_parser = size::seconds, default_value = "2")]
    budget: Duration,

    /// Print one JSON object per measured count instead of the table
    #[arg(long)]
    json: bool,

    /// Draw the times against N on a logarithmic scale, beside a course document's, with the
    /// machine and the date: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Colours of the drawing
    #[arg(long, value_enum, requires = "plot")]
    theme: Option<ThemeArg>,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Count(args) => bench_count(&args),
    }
}

/// One engine on its way through the table.
struct Column {
    engine: Engine,
    /// The (N, seconds) measured so far.
    times: Vec<(usize, f64)>,
    /// Still within the budget.
    runs: bool,
}

impl Column {
    /// Whether the next count is expected to end within the budget.
    fn affords(&self, n: usize, args: &CountArgs) -> bool {
        let budget = args.budget;
        let count = Count::new(n)
            .engine(self.engine)
            .threads(args.threads)
            .simd(args.simd);
        let predicted = match self.times.last() {
            Some(&(_, seconds)) => seconds * estimate::growth(self.engine, n),
            // A column that starts at a large board has no earlier time to go by.
            None if n > 10 => cost::forecast(&count, budget / 20)
                .map_or(f64::INFINITY, |forecast| forecast.seconds.mean),
            None => 0.0,
        };
        self.runs && n <= self.engine.largest_n() && predicted <= budget.as_secs_f64()
    }
}

fn bench_count(args: &CountArgs) -> anyhow::Result<ExitCode> {
    let (from, to) = (args.from, args.to);
    ensure!(from <= to, "the range from {from} to {to} is empty");
    let largest = known::all().map(|known| known.n).max().unwrap_or_default();
    ensure!(
        to <= largest,
        "counts are compared with published ones, which end at n = {largest}"
    );
    choice::require_simd(args.simd)?;
    let plot = args.plot.as_deref();
    let plot = plot.map(|path| PictureFile::new(path, "a plot", "queens bench count --plot"));
    let plot = plot.transpose()?;
    if let Some(plot) = &plot {
        // A file that cannot be written is refused now, not after the measurements.
        write_plot(plot, &[], args)?;
    }
    let interrupted = stop::on_interrupt()?;
    let mut columns: Vec<Column> = ENGINES
        .iter()
        .copied()
        .filter(|engine| args.engine.is_empty() || args.engine.contains(engine))
        .map(|engine| Column {
            engine,
            times: Vec::new(),
            runs: true,
        })
        .collect();

    let solutions = |n: usize| known::known(n).map_or(String::new(), |known| known.all.to_string());
    let widest = solutions(to).len().max("solutions".len());
    let mut out = Out::stdout();
    if !args.json {
        let threads = match args.threads {
            1 => "1 thread".to_owned(),
            threads => format!("{threads} threads where an engine has them"),
        };
        out.line(&format!("milliseconds for one count, {threads}"))?;
        let names = columns.iter().map(|c| (c.engine, c.engine.to_string()));
        out.line(&row("N", "solutions", widest, names))?;
    }
    for n in from..=to {
        for column in &mut columns {
            column.runs = column.affords(n, args);
            if !column.runs {
                continue;
            }
            let seconds = measure(column.engine, n, args, &interrupted)?;
            column.times.push((n, seconds));
            if args.json {
                out.line(&describe(column.engine, n, seconds, args).end())?;
            }
        }
        if !args.json {
            let cells = columns.iter().map(|column| {
                let time = column.times.last().filter(|time| time.0 == n);
                (
                    column.engine,
                    time.map_or("-".to_owned(), |time| figures(time.1)),
                )
            });
            out.line(&row(&n.to_string(), &solutions(n), widest, cells))?;
        }
        if columns.iter().all(|column| !column.runs) {
            break;
        }
    }
    if let Some(plot) = &plot {
        write_plot(plot, &columns, args)?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The fastest of some runs, in seconds.
fn measure(
    engine: Engine,
    n: usize,
    args: &CountArgs,
    interrupted: &AtomicBool,
) -> anyhow::Result<f64> {
    const ENOUGH: Duration = Duration::from_millis(200);
    const RUNS: usize = 20;
    let expected = known::known(n)
        .context("the table of published counts has a gap")?
        .all;
    let count = Count::new(n)
        .engine(engine)
        .threads(args.threads)
        .simd(args.simd)
        .stop(interrupted);
    let mut best = Duration::MAX;
    let begin = Instant::now();
    for _ in 0..RUNS {
        let start = Instant::now();
        let counted = count.run();
        best = best.min(start.elapsed());
        if interrupted.load(Ordering::Relaxed) {
            bail!("interrupted at n = {n}, engine {engine}");
        }
        let counted = counted?;
        ensure!(
            counted == expected,
            "engine {engine} counted {counted} for n = {n}, but {expected} is published"
        );
        if begin.elapsed() >= ENOUGH {
            break;
        }
    }
    Ok(best.as_secs_f64())
}

/// A row of the table; each cell is as wide as its engine's name, and at least eight figures.
fn row(
    n: &str,
    solutions: &str,
    widest: usize,
    cells: impl Iterator<Item = (Engine, String)>,
) -> String {
    let cells = cells.map(|(engine, cell)| {
        let width = engine.name().len().max(8);
        format!("  {cell:>width$}")
    });
    format!("{n:>2}  {solutions:>widest$}{}", cells.collect::<String>())
}

/// Seconds as milliseconds, never with an exponent: three figures, but at most six behind the
/// point, and whole milliseconds from 100 on.
fn figures(seconds: f64) -> String {
    let ms = seconds * 1e3;
    // The place of the first figure, after rounding to three: 0 for ones, -1 for tenths.
    let first = format!("{ms:.2e}")
        .split_once('e')
        .and_then(|(_, power)| power.parse::<i32>().ok())
        .unwrap_or_default();
    let places = (2 - first).clamp(0, 6) as usize;
    format!("{ms:.places$}")
}

fn describe(engine: Engine, n: usize, seconds: f64, args: &CountArgs) -> Object {
    let threads = if engine.is_parallel() {
        args.threads
    } else {
        1
    };
    let object = Object::new()
        .set("engine", engine.name())
        .set("n", n)
        .set("count", known::known(n).map(|known| known.all))
        .set("seconds", seconds)
        .set("threads", threads);
    if engine.has_simd() {
        object.set("simd", args.simd.resolve().name())
    } else {
        object
    }
}

/// The times in the table of the course document, a question and answer on bitwise
/// n-queens in MIPS, in milliseconds; it gives "< 1/2 ms" up to N = 8.
const COURSE_TIMES: [(usize, f64); 12] = [
    (4, 0.5),
    (5, 0.5),
    (6, 0.5),
    (7, 0.5),
    (8, 0.5),
    (9, 0.5),
    (10, 1.0),
    (11, 6.0),
    (12, 24.0),
    (13, 114.0),
    (14, 667.0),
    (15, 4077.0),
];

fn write_plot(plot: &PictureFile, columns: &[Column], args: &CountArgs) -> anyhow::Result<()> {
    let ours = columns.iter().rev().map(|column| Series {
        name: column.engine.to_string(),
        points: column
            .times
            .iter()
            .map(|&(n, seconds)| Point {
                n,
                seconds,
                at_most: false,
            })
            .collect(),
        dashed: false,
    });
    let course = Series {
        name: "course document".to_owned(),
        points: COURSE_TIMES
            .iter()
            .map(|&(n, ms)| Point {
                n,
                seconds: ms / 1e3,
                at_most: n <= 8,
            })
            .collect(),
        dashed: true,
    };
    // Ours first, fastest first, so that the engine of most interest has the first colour.
    let series: Vec<Series> = ours.chain([course]).collect();
    let title = "Counting all solutions: time by engine and size";
    let mut chart = Chart::new(title, &series);
    let threads = match args.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let now = clock::now();
    let date = now.split('T').next().unwrap_or_default();
    chart.note = format!("{}, {threads}, {date}", machine::name());
    chart.theme = args.theme.unwrap_or(ThemeArg::Light).into();
    chart.strokes = plot.is_png();
    plot.write(chart.svg())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_as_many_as_matter() {
        assert_eq!(figures(0.000_000_041_2), "0.000041");
        assert_eq!(figures(0.000_004_12), "0.00412");
        assert_eq!(figures(0.012_34), "12.3");
        assert_eq!(figures(0.009_999), "10.0");
        assert_eq!(figures(0.25), "250");
        assert_eq!(figures(12.3456), "12346");
        assert_eq!(figures(0.0), "0.00");
    }

    #[test]
    fn the_course_table_has_every_n_from_4_to_15() {
        assert!(COURSE_TIMES.iter().map(|time| time.0).eq(4..=15));
        assert!(COURSE_TIMES.is_sorted_by(|a, b| a.1 <= b.1));
    }
}
