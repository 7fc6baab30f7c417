//! `queens encode N --format FORMAT`: a board in the language of another solver.

use std::io::Write;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queens::encode::{Encoding, encode};
use queens::json::Object;

use crate::support::board::SizeAndBoard;
use crate::support::out::Out;

/// Write a board for a SAT, exact cover, constraint or integer solver
///
/// Every solution of the text is a solution of the board, and the other way round, so that a
/// solver that counts must count what `queens count` counts. Rows and columns count from 1.
///
/// dimacs: variable (row - 1) N + col is true where a queen stands.
///
/// xcc: an option for each square, with items r1.. and c1.. for rows and columns, and d.. and a..,
/// numbered by row - col and row + col, for diagonals, as Knuth's programs read them.
///
/// minizinc: q[row] is the column of the row's queen, 0 for an empty row.
///
/// lp: x_row_col is 1 where a queen stands.
///
/// docs/solve.md has a command for a solver of each kind.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens encode 8 --format dimacs > 8.cnf && cadical 8.cnf
  queens encode 8 --format xcc > 8.xcc
  queens encode 8 --format minizinc > 8.mzn && minizinc --all-solutions 8.mzn
  queens encode 8 --format lp > 8.lp && glpsol --lp 8.lp --output 8.txt
  queens encode 8 --format dimacs --given \"1,4\" --blocked \"2,2 3,3\"
  queens encode 8 --format lp --queens 5
  queens encode 8 --format dimacs --json | jq .clauses
  queens encode --board puzzle.txt --format minizinc")]
pub struct Args {
    /// The language
    #[arg(long, value_name = "FORMAT", value_parser = encoding())]
    format: Encoding,

    /// Print a JSON object with the text, and for dimacs the number of variables and clauses
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    board: SizeAndBoard,
}

fn encoding() -> impl TypedValueParser<Value = Encoding> {
    let values =
        Encoding::ALL.map(|encoding| PossibleValue::new(encoding.name()).help(encoding.summary()));
    PossibleValuesParser::new(values)
        .map(|name| name.parse().expect("only names of encodings get here"))
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let board = args.board.board()?;
    let n = board.n();
    let encoded = encode(&board, args.format)?;
    let mut out = Out::stdout();
    if args.json {
        let mut object = Object::new().set("n", n);
        if !board.is_plain() {
            object = object.set("board", &board);
        }
        object = object.set("format", args.format.name());
        if let Some((variables, clauses)) = encoded.size() {
            object = object.set("variables", variables).set("clauses", clauses);
        }
        let object = object.text_through("text", encoded, |piece| out.bytes(piece))?;
        out.line(&object.end())?;
    } else {
        write!(out, "{encoded}")?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
