//! `queens solve [N]`: one solution, any, fast, or the proof that there is none.
//!
//! The plain board has a formula, and its solution is written as it is computed, in constant
//! memory. Any other board goes to the library's searches; this file brings the clock.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queens::format::{self, Writer};
use queens::json::Object;
use queens::solve::Method;
use queens::{Board, Format, Placement, Solve, SolveError, construct};

use super::campaign::STOPPED;
use crate::NO;
use crate::support::board::SizeAndBoard;
use crate::support::out::Out;
use crate::support::{choice, size, stop};

/// Find one solution, any, fast
///
/// The plain board has a formula, so that a solution for ten million queens takes as long as
/// writing it. With given queens or blocked squares, queens that have no choice are placed and
/// rows are matched with columns, which settles many boards without a solution. Then local
/// search mends a full board, which is quick where solutions are many. If it does not answer
/// soon, two searches take turns: weighted search, which also finds rare solutions, and exact
/// search, which learns from contradictions and can prove that there is none. All depend on
/// nothing but the board and the seed, so the answer is the same every time.
///
/// Exit code 0: a solution is printed; 1: `no solution`, which is proven; 3: neither was found
/// within --time-limit, or before Ctrl-C. Boards with more than 4,000 rows and columns without a
/// given queen are too large for weighted and exact search.
///
/// `queens first N` finds the lexicographically smallest solution instead, and
/// `queens random N` a random one. docs/solve.md tells which boards are hard.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens solve 8                                  (2, 4, 6, 8, 3, 1, 7, 5)
  queens solve 10000000 | queens check -          valid
  queens solve 8 --given \"1,1 2,5\" --format board
  queens solve 8 --blocked \"1,1 2,2 3,3 4,4\"
  queens solve 9 --queens 5 --json
  queens solve --board puzzle.txt --time-limit 60s
  queens solve 3                                  no solution")]
pub struct Args {
    /// How to look for a solution
    #[arg(long, value_name = "METHOD", value_parser = method(), default_value = "auto")]
    method: Method,

    /// The seed of the random numbers: another one may find another solution, or be quicker
    #[arg(
        long,
        value_name = "S",
        value_parser = size::amount,
        default_value = "1"
    )]
    seed: u64,

    /// Stop after this time without an answer, with exit code 3: 90s, 9m or 1h30m
    #[arg(long, value_name = "SPAN", value_parser = size::time_span)]
    time_limit: Option<Duration>,

    /// How to write the solution
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = choice::written_format(),
        default_value = "tuple",
        conflicts_with = "json"
    )]
    format: Format,

    /// Print a JSON object, with `solvable`: true, false or, without an answer, null
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    board: SizeAndBoard,
}

fn method() -> impl TypedValueParser<Value = Method> {
    let values = Method::ALL.map(|method| PossibleValue::new(method.name()).help(method.summary()));
    PossibleValuesParser::new(values)
        .map(|name| name.parse().expect("only names of methods get here"))
}

/// Runs the verb.
pub fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    args.json |= args.format == Format::Json;
    let board = args.board.board()?;
    if args.method == Method::Auto && board.is_plain() {
        return by_formula(&args, &board);
    }
    let start = Instant::now();
    let stopped = stop::on_interrupt()?;
    if let Some(span) = args.time_limit {
        stop::after(&stopped, span)?;
    }
    let found = Solve::new(&board)
        .method(args.method)
        .seed(args.seed)
        .stop(&stopped)
        .run();
    let found = match found {
        Ok(found) => Some(found),
        Err(SolveError::Stopped) => None,
        Err(error) => return Err(error.into()),
    };
    let elapsed = start.elapsed();
    let mut out = Out::stdout();
    if args.json {
        let cols = found.as_ref().and_then(Option::as_ref).map(rows);
        let solvable = found.as_ref().map(Option::is_some);
        let object = object(&args, &board, solvable, elapsed);
        out.line(&object.set("cols", cols).end())?;
    } else if let Some(Some(placement)) = &found {
        let mut writer = Writer::new(args.format, board.n(), false);
        out.try_record(|buffer| {
            writer.begin(buffer);
            writer.placement(placement, None, buffer)
        })?;
    } else if found.is_some() {
        out.line("no solution")?;
    }
    out.finish()?;
    Ok(match found {
        Some(Some(_)) => ExitCode::SUCCESS,
        Some(None) => ExitCode::from(NO),
        None => {
            let seconds = elapsed.as_secs_f64();
            tell!(
                "queens: stopped after {seconds:.1} s without an answer: no solution was found, \
                 and it is not proven that there is none"
            );
            ExitCode::from(STOPPED)
        }
    })
}

/// Writes the solution of the plain board as it is computed.
fn by_formula(args: &Args, board: &Board) -> anyhow::Result<ExitCode> {
    let n = board.n();
    let mut out = Out::stdout();
    let cols = construct::cols(n);
    let code = ExitCode::from(if cols.is_some() { 0 } else { NO });
    match (cols, args.json) {
        (Some(cols), true) => {
            let object = object(args, board, Some(true), Duration::ZERO);
            let object = object.list_through("cols", cols, |piece| out.bytes(piece))?;
            out.line(&object.end())?;
        }
        (None, true) => {
            let object = object(args, board, Some(false), Duration::ZERO);
            out.line(&object.set("cols", None::<u8>).end())?;
        }
        (Some(cols), false) => {
            format::stream(args.format, n, cols, |piece| out.bytes(piece))?;
        }
        (None, false) => out.line("no solution")?,
    }
    out.finish()?;
    Ok(code)
}

/// What the object says besides the columns.
fn object(args: &Args, board: &Board, solvable: Option<bool>, elapsed: Duration) -> Object {
    let mut object = Object::new().set("n", board.n());
    if !board.is_plain() {
        object = object.set("board", board);
    }
    object
        .set("solvable", solvable)
        .set("method", args.method.name())
        .set("seed", args.seed)
        .set("seconds", (elapsed.as_secs_f64() * 1e6).round() / 1e6)
}

/// The column of each row's queen, or nothing for an empty row.
fn rows(placement: &Placement) -> Vec<Option<usize>> {
    let mut rows = vec![None; placement.n()];
    for queen in placement.queens() {
        rows[queen.row] = Some(queen.col);
    }
    rows
}
