//! `queens trace N`: every step of a search, shown the way a course document shows it.
//!
//! The events come from the library's search on the board of the chosen style, and the
//! library turns them into text, JSON or a page; this file only passes them on. Text and
//! JSON are written as the search runs and take constant memory; the page is made in
//! memory, and so its length is limited.

use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::bail;
use queens::Board;
use queens::render::html;
use queens::search::Event;
use queens::search::trace::json::{self, JsonTrace};
use queens::search::trace::{End, Stats, Style, TextTrace, Trace, Until, panel};

use crate::support::board::SizeAndBoard;
use crate::support::colour::{self, Colour};
use crate::support::out::Out;
use crate::support::size;

/// Show every step of the search
///
/// The styles follow the course documents: tuples and sentences, the box trace, the grid
/// of earliest attackers, the four O(n) arrays, the board of zeros and ones, the three bit
/// vectors. All of them show the same events of the same search. --json gives one event per
/// line (see docs/traces.md), --format html a page that steps forward and back.
///
/// Every style shows boards with given queens and blocked squares, too: given queens stand from
/// the start, # is a blocked square, and a row that stays empty is a dash.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens trace 4
  queens trace 8 --style steps | less
  queens trace 4 --style steps --boards
  queens trace 5 --style box --until all
  queens trace 4 --style bits --until all
  queens trace 6 --style attackers --format html > attackers.html
  queens trace 8 --until all --json | jq -c 'select(.event == \"solution\") | .cols'
  queens trace 8 --stats
  queens trace 8 --given 1,4 --style steps
  queens trace 5 --blocked \"1,1 3,3\" --style box
  queens trace 4 --queens 3 --style bits
  queens trace --board puzzle.txt --format html > puzzle.html")]
pub struct Args {
    /// What to show
    #[arg(long, value_enum, default_value_t = StyleArg(Style::Tuple))]
    style: StyleArg,

    /// Stop at the first solution, or go through all
    #[arg(long, value_enum, default_value_t = UntilArg::First)]
    until: UntilArg,

    /// Stop after this many events
    #[arg(long, value_name = "EVENTS", value_parser = size::amount)]
    limit: Option<u64>,

    /// How to write it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Print one JSON object per event; with --stats, one object
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Draw the board after each line: Q a queen, x a square no other queen can take, # a
    /// blocked one, . a free one
    #[arg(long)]
    boards: bool,

    /// Draw the boxes of style box in the colours of their document, rows and columns numbered
    #[arg(long, alias = "color", value_enum, default_value_t = Colour::Auto)]
    colour: Colour,

    /// Print no steps, only how many there were of each kind
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    board: SizeAndBoard,
}

/// A style, as clap reads it: the names and summaries are the library's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StyleArg(pub Style);

impl clap::ValueEnum for StyleArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [StyleArg; Style::ALL.len()] = {
            let mut all = [StyleArg(Style::Tuple); Style::ALL.len()];
            let mut k = 0;
            while k < all.len() {
                all[k] = StyleArg(Style::ALL[k]);
                k += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()).help(self.0.summary()))
    }
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum UntilArg {
    /// Up to the first solution
    First,
    /// Through the whole search
    All,
}

impl From<UntilArg> for Until {
    fn from(until: UntilArg) -> Until {
        match until {
            UntilArg::First => Until::First,
            UntilArg::All => Until::All,
        }
    }
}

/// The formats of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Lines for people
    Text,
    /// One event per line
    #[value(hide = true)]
    Json,
    /// A page that steps forward and back
    Html,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let board = args.board.board()?;
    let (n, style, until) = (board.n(), args.style.0, args.until.into());
    let walk = Trace::on(&board)
        .style(style)
        .until(until)
        .limit(args.limit);
    let format = if args.json { Format::Json } else { args.format };
    if args.stats {
        style.check_board(n)?;
        stats(walk, &board, until, format)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.boards && (format != Format::Text || !matches!(style, Style::Tuple | Style::Steps)) {
        bail!("--boards is for text in the styles tuple and steps; the others draw the board");
    }
    match format {
        Format::Text => {
            style.check(n)?;
            let mut trace = TextTrace::on(&board, style);
            if style == Style::Box && colour::wanted(args.colour) {
                trace = trace.painted();
            }
            let mut out = Out::stdout();
            let end = pass_on(walk, |event| {
                let told = trace.event(event);
                out.text(&told)?;
                if args.boards && !told.is_empty() {
                    let board = panel::shaded(trace.state());
                    board.iter().try_for_each(|line| out.line(line))?;
                    out.line("")?;
                }
                Ok(())
            })?;
            out.text(&trace.finish(end))?;
            out.finish()?;
        }
        Format::Json => {
            style.check_board(n)?;
            let mut trace = JsonTrace::on(&board, style);
            let mut out = Out::stdout();
            out.text(&json::begin(&board, style, until, args.limit))?;
            let end = pass_on(walk, |event| out.text(&trace.event(event)))?;
            out.text(&json::end(end, trace.stats()))?;
            out.finish()?;
        }
        Format::Html => {
            style.check(n)?;
            let page = html::page(&board, style, until, args.limit)?;
            let mut out = Out::stdout();
            out.text(&page)?;
            out.finish()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Walks the search and writes each event; a failed write ends the walk.
fn pass_on(walk: Trace, mut write: impl FnMut(Event) -> anyhow::Result<()>) -> anyhow::Result<End> {
    let mut failure = None;
    let end = walk.run(|event| match write(event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    })?;
    failure.map_or(Ok(end), Err)
}

fn stats(walk: Trace, board: &Board, until: Until, format: Format) -> anyhow::Result<()> {
    if format == Format::Html {
        bail!("--stats prints text or json, not html");
    }
    let n = board.n();
    let mut stats = Stats::new(n);
    let end = walk.run(|event| {
        stats.apply(event);
        ControlFlow::Continue(())
    })?;
    let mut out = Out::stdout();
    if format == Format::Json {
        out.text(&json::stats(board, until, end, &stats))?;
        return out.finish();
    }
    let scope = match end {
        End::First => "until the first solution".to_owned(),
        End::Limit(k) => format!("the first {k} events; the search goes on"),
        End::Complete | End::Stopped => "the whole search".to_owned(),
    };
    let levels: Vec<String> = stats.levels.iter().map(u64::to_string).collect();
    out.line(&format!("{}, {scope}", board.problem()))?;
    for (name, value) in [
        ("squares tried", stats.tried),
        ("placements", stats.placements),
        ("dead ends", stats.dead_ends),
        ("undos", stats.undos),
        ("solutions", stats.solutions),
    ] {
        out.line(&format!("{name:<16}{value:>12}"))?;
    }
    out.line(&format!("nodes per level  {}", levels.join(" ")))?;
    out.finish()
}
