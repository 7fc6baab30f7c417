//! `queens first N`: the first solution in search order, as the NPTEL lecture builds it.

use std::process::ExitCode;
use std::time::Duration;

use queens::format::Writer;

use crate::NO;
use crate::support::out::Out;
use crate::support::reminder::Reminder;
use crate::support::{choice, size};

/// Find the first solution in search order
///
/// Rows are filled from the top, each queen goes to the first free column of her row, and
/// a row without one sends the search back. The first full board is the answer, which is
/// also the lexicographically smallest solution. For N = 2 and N = 3 the answer is
/// `no solution`, with exit code 1.
///
/// Boards up to N = 32 take about a second at most; a larger one can take hours, and its
/// neighbour none. After a second of searching, a line on standard error says so. `queens show N`
/// has a formula for those.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens first 8                      (1, 5, 8, 6, 3, 7, 2, 4)
  queens first 8 --format unicode     as a board
  queens first 3                      no solution
  queens first 8 --json               {\"n\":8,\"cols\":[0,4,7,5,2,6,1,3]}
  queens first 20 --engine lines      with the arrays of the lecture")]
pub struct Args {
    /// The size of the board
    #[arg(value_name = "N", value_parser = size::board_size, allow_negative_numbers = true)]
    n: usize,

    #[command(flatten)]
    search: choice::Search,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (n, format) = (args.n, args.search.format());
    let solution = {
        let _reminder = Reminder::after(Duration::from_secs(1), move || remind(n));
        args.search.list(n).first()?
    };
    let mut out = Out::stdout();
    let code = match solution {
        Some(solution) => {
            let mut writer = Writer::new(format, n, false);
            out.record(|buffer| {
                writer.begin(buffer);
                writer.solution(&solution, None, buffer);
            })?;
            ExitCode::SUCCESS
        }
        None => {
            out.line(&choice::no_solution(format, n))?;
            ExitCode::from(NO)
        }
    };
    out.finish()?;
    Ok(code)
}

/// Says that the search may take long, and what to do instead.
fn remind(n: usize) {
    let instead = match n {
        ..=queens::render::MAX_PICTURE => format!("; `queens show {n}` has a solution at once"),
        _ => String::new(),
    };
    eprintln!("queens: the first solution for n = {n} may take hours to find{instead}");
}
