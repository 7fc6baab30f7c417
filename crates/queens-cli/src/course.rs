//! The course program `Queens`, exactly as the CSE 15 programming assignment 2 asks.
//!
//! ```text
//! $ Queens 4
//! 4-Queens has 2 solutions
//! $ Queens -v 4
//! (2, 4, 1, 3)
//! (3, 1, 4, 2)
//! 4-Queens has 2 solutions
//! ```
//!
//! Anything else on the command line gets the two-line usage text on standard error, an
//! exit code that is not zero, and nothing on standard output. The assignment's own
//! algorithm is the engine `attack-count`; this program prints what that engine would
//! print, in the same order, and lets the fast engines find it.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::bail;
use queens::count::default_engine;
use queens::format::Writer;
use queens::{Count, Format, List};

use crate::cmd::count;
use crate::support::out::Out;
use crate::support::{cost, size};

const USAGE: &str = "\
Usage: Queens [-v] number
Option: -v  verbose output, print all solutions
";

/// Runs the program with the arguments after its name.
pub fn run(args: &[OsString]) -> anyhow::Result<ExitCode> {
    let (verbose, number) = match args {
        [number] => (false, number),
        [option, number] if option == "-v" => (true, number),
        _ => return Ok(usage()),
    };
    let Some(digits) = number.to_str().filter(|text| is_number(text)) else {
        return Ok(usage());
    };
    let n = size::board_size(digits).map_err(anyhow::Error::msg)?;
    let mut out = Out::stdout();
    let solutions = if verbose {
        list(n, &mut out)?
    } else {
        let engine = default_engine(n);
        let threads = count::threads(engine, None);
        let count = Count::new(n).engine(engine).threads(threads);
        cost::warn_of_hours(&count, engine, n, threads);
        count.run()?
    };
    out.line(&format!("{n}-Queens has {solutions} solutions"))?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn usage() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(crate::FAILURE)
}

fn list(n: usize, out: &mut Out) -> anyhow::Result<u128> {
    let mut writer = Writer::new(Format::Tuple, n, false);
    let mut written = Ok(());
    let listed = List::new(n).visit(|solution| {
        written = out.record(|buffer| writer.solution(solution, None, buffer));
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    written?;
    match listed {
        ControlFlow::Continue(solutions) => Ok(solutions.into()),
        ControlFlow::Break(()) => bail!("the listing was stopped"),
    }
}
