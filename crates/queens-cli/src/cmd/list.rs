//! `queens list N`: all solutions, or the fundamental ones, as a stream.
//!
//! Nothing is stored: each solution is formatted into the output buffer as the search
//! finds it. A listing runs in constant memory at nearly the speed of a count.

use std::ops::ControlFlow;
use std::process::ExitCode;

use queens::format::Writer;
use queens::symmetry::Fundamental;
use queens::{Board, List};

use crate::support::board::SizeAndBoard;
use crate::support::out::Out;
use crate::support::{choice, reminder, size};

/// List all solutions in lexicographic order
///
/// Solutions are printed as they are found, in constant memory. Rows are filled from the
/// top and columns tried from the left, so the order of the search is the lexicographic
/// order of the tuples.
///
/// With --fundamental only one solution of each symmetry class is listed, the
/// lexicographically smallest of its rotations and reflections, together with the size of
/// the class: 1, 2, 4 or 8. The sizes add up to the number of all solutions.
///
/// On a board with given queens or blocked squares the answers are listed in the same order; a
/// row that stays empty, where there are fewer queens than rows, comes before one with a queen.
///
/// Where the first solution takes more than a second, as it can beyond N = 30, a line on
/// standard error says so, and what finds one sooner.
///
/// Boards are separated by a blank line; `docs/formats.md` describes every format.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens list 8                             92 lines such as (1, 5, 8, 6, 3, 7, 2, 4)
  queens list 8 --fundamental               12 lines, each with its class size
  queens list 20 --skip 1000 --limit 5      five solutions from the 1001st on
  queens list 6 --format unicode            boards to look at
  queens list 10 --json | jq .cols          for programs
  queens list 9 | queens check              does not take our word for it
  queens list 8 --given \"1,4 2,7\"           the ways to go on from two queens
  queens list 4 --queens 3                  three queens, one empty row")]
pub struct Args {
    /// List at most K solutions
    #[arg(long, value_name = "K", value_parser = size::amount)]
    limit: Option<u64>,

    /// Leave out the first K solutions
    #[arg(
        long,
        value_name = "K",
        value_parser = size::amount,
        default_value = "0"
    )]
    skip: u64,

    /// List one solution of each symmetry class, with the size of the class
    #[arg(long)]
    fundamental: bool,

    #[command(flatten)]
    search: choice::Search,

    #[command(flatten)]
    board: SizeAndBoard,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let board = args.board.board()?;
    if !board.is_plain() {
        return list_on(&args, &board);
    }
    let n = board.n();
    let list = args.search.list(n);
    // Checked before anything is written: a refusal leaves standard output empty.
    list.check()?;

    let mut out = Out::stdout();
    let mut writer = Writer::new(args.search.format(), n, args.fundamental);
    out.record(|buffer| writer.begin(buffer))?;

    let mut fundamental = args.fundamental.then(Fundamental::new);
    let mut to_skip = args.skip;
    let mut to_list = args.limit.unwrap_or(u64::MAX);
    let mut reminder = (to_list > 0).then(|| reminder::of_first(&board));
    if to_list > 0 {
        let mut written = Ok(());
        let _stopped_early = list.visit(|solution| {
            reminder = None;
            let mut class_size = None;
            if let Some(fundamental) = &mut fundamental {
                let past = |&col: &usize| col >= Fundamental::first_cols(n);
                if solution.first().is_some_and(past) {
                    return ControlFlow::Break(());
                }
                class_size = fundamental.class_size(solution);
                if class_size.is_none() {
                    return ControlFlow::Continue(());
                }
            }
            if to_skip > 0 {
                to_skip -= 1;
                return ControlFlow::Continue(());
            }
            written = out.try_record(|buffer| writer.solution(solution, class_size, buffer));
            to_list -= 1;
            if written.is_err() || to_list == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        written?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Lists the answers of a board that is not the plain one.
fn list_on(args: &Args, board: &Board) -> anyhow::Result<ExitCode> {
    args.search.takes_boards()?;
    anyhow::ensure!(
        !args.fundamental,
        "--fundamental is for the plain board; others do not keep its symmetries"
    );
    let mut out = Out::stdout();
    let mut writer = Writer::new(args.search.format(), board.n(), false);
    out.record(|buffer| writer.begin(buffer))?;
    let mut to_skip = args.skip;
    let mut to_list = args.limit.unwrap_or(u64::MAX);
    let mut reminder = (to_list > 0).then(|| reminder::of_first(board));
    if to_list > 0 {
        let mut written = Ok(());
        let _stopped_early = List::on(board).visit(|answer| {
            reminder = None;
            if to_skip > 0 {
                to_skip -= 1;
                return ControlFlow::Continue(());
            }
            written = out.try_record(|buffer| writer.placement(answer, None, buffer));
            to_list -= 1;
            if written.is_err() || to_list == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        written?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
