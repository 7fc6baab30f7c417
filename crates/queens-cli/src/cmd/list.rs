//! `queens list N`: all solutions, or the fundamental ones, as a stream.
//!
//! Nothing is stored: each solution is formatted into the output buffer as the search
//! finds it. A listing runs in constant memory at nearly the speed of a count.

use std::ops::ControlFlow;
use std::process::ExitCode;

use queens::format::Writer;
use queens::symmetry::Fundamental;

use crate::support::out::Out;
use crate::support::{choice, size};

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
/// Boards are separated by a blank line; `docs/formats.md` describes every format.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens list 8                             92 lines such as (1, 5, 8, 6, 3, 7, 2, 4)
  queens list 8 --fundamental               12 lines, each with its class size
  queens list 20 --skip 1000 --limit 5      five solutions from the 1001st on
  queens list 6 --format unicode            boards to look at
  queens list 10 --json | jq .cols          for programs
  queens list 9 | queens check              does not take our word for it")]
pub struct Args {
    /// The size of the board
    #[arg(value_name = "N", value_parser = size::board_size, allow_negative_numbers = true)]
    n: usize,

    /// List at most K solutions
    #[arg(long, value_name = "K", value_parser = size::amount, allow_negative_numbers = true)]
    limit: Option<u64>,

    /// Leave out the first K solutions
    #[arg(
        long,
        value_name = "K",
        value_parser = size::amount,
        allow_negative_numbers = true,
        default_value = "0"
    )]
    skip: u64,

    /// List one solution of each symmetry class, with the size of the class
    #[arg(long)]
    fundamental: bool,

    #[command(flatten)]
    search: choice::Search,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let n = args.n;
    let list = args.search.list(n);
    // Before anything is written: a refusal leaves standard output empty.
    list.check()?;

    let mut out = Out::stdout();
    let mut writer = Writer::new(args.search.format(), n, args.fundamental);
    out.record(|buffer| writer.begin(buffer))?;

    let mut fundamental = args.fundamental.then(Fundamental::new);
    let mut to_skip = args.skip;
    let mut to_list = args.limit.unwrap_or(u64::MAX);
    if to_list > 0 {
        let mut written = Ok(());
        let _stopped_early = list.visit(|solution| {
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
            written = out.record(|buffer| writer.solution(solution, class_size, buffer));
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
