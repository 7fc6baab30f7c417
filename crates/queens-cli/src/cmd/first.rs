//! `queens first N`: the first solution in search order, as the NPTEL lecture builds it.

use std::process::ExitCode;

use queens::Placement;
use queens::format::Writer;

use crate::NO;
use crate::support::board::SizeAndBoard;
use crate::support::out::Out;
use crate::support::{choice, reminder};

/// Find the first solution in search order
///
/// Rows are filled from the top, each queen goes to the first free column of her row, and
/// a row without one sends the search back. The first full board is the answer, which is
/// also the lexicographically smallest solution. For N = 2 and N = 3 the answer is
/// `no solution`, with exit code 1.
///
/// Boards up to N = 32 take about a second at most; a larger one can take hours, and its
/// neighbour none. After a second of searching, a line on standard error says so. `queens solve
/// N` has some solution of any of them at once.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens first 8                      (1, 5, 8, 6, 3, 7, 2, 4)
  queens first 8 --format unicode     as a board
  queens first 3                      no solution
  queens first 8 --json               {\"n\":8,\"cols\":[0,4,7,5,2,6,1,3]}
  queens first 20 --engine lines      with the arrays of the lecture
  queens first 8 --given 4,1          (2, 5, 7, 1, 3, 8, 6, 4)
  queens first --board puzzle.txt     a drawing with Q (given) and # (blocked)")]
pub struct Args {
    #[command(flatten)]
    search: choice::Search,

    #[command(flatten)]
    board: SizeAndBoard,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let board = args.board.board()?;
    let (n, format) = (board.n(), args.search.format());
    let plain = board.is_plain();
    let reminder = reminder::of_first(&board);
    let first = if plain {
        args.search.list(n).first()?.map(Placement::from)
    } else {
        args.search.takes_boards()?;
        board.first()
    };
    drop(reminder);
    let mut out = Out::stdout();
    let code = match first {
        Some(placement) => {
            let mut writer = Writer::new(format, n, false);
            out.try_record(|buffer| {
                writer.begin(buffer);
                writer.placement(&placement, None, buffer)
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
