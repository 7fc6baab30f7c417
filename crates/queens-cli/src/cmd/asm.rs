//! `queens asm`: the assembly lesson, and what its registers hold while it runs.
//!
//! The program printed is the file asm/mips/queens.s itself, taken in when this command
//! is compiled, so the listing and the program that the tests assemble and run cannot
//! differ. Without `--explain` comments and blank lines are left out, and nothing else:
//! both listings assemble to the same machine code.
//!
//! `--trace` runs no MIPS. It listens to the library's `bitmask` search, which performs
//! the same calls in the same order, and writes each of its bit vectors under the name of
//! the register that holds it at that point of the program. That the registers of the
//! real program agree is tested by stopping it, in two simulators, at every one of these
//! points.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::process::ExitCode;

use queens::board::{Bitmask, Board};
use queens::search::{Event, walk};

use crate::support::out::Out;
use crate::support::size::board_size;

/// The program, commentary included.
const PROGRAM: &str = include_str!("../../../../asm/mips/queens.s");
/// What goes in front of it to make a Linux program.
const LINUX_SHIM: &str = include_str!("../../../../asm/mips/linux.s");
/// The largest n the program accepts.
const LARGEST_N: usize = 27;

/// Print the N-Queens program in MIPS assembly, or its registers at each step
///
/// The program counts with the recursive bitwise algorithm of the `bitmask` engine. It
/// runs in SPIM as printed by `--target mips`, and as a Linux program (for instance under
/// qemu-mips) as printed by `--target mips-linux`. docs/mips.md is the lesson that goes
/// with it.
///
/// With `--trace N` it prints instead, for every point where a debugger would stop at one
/// of the labels `queens`, `chosen`, `solution` and `return`, the registers in hexadecimal
/// and what they mean in binary, the lowest bit (column 1) last.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens asm --target mips --explain     the program with its commentary
  queens asm > queens.s; spim -file queens.s
  queens asm --target mips-linux > linux.s
  queens asm --trace 4                   the registers, step by step
  queens trace 4 --style bits            the same search, drawn row by row")]
pub struct Args {
    /// The system the program is for
    #[arg(long, value_enum, default_value_t = Target::Mips)]
    target: Target,

    /// Keep the commentary: what each line does, and the Rust it corresponds to
    #[arg(long)]
    explain: bool,

    /// Print the registers at each step of the search for N queens instead
    #[arg(
        long,
        value_name = "N",
        value_parser = board_size,
        allow_negative_numbers = true,
        conflicts_with = "explain"
    )]
    trace: Option<usize>,
}

/// The systems the program can be printed for.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Target {
    /// SPIM and MARS: the program alone
    Mips,
    /// Linux on MIPS: the program after its I/O shim, for GNU as
    MipsLinux,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut out = Out::stdout();
    if let Some(n) = args.trace {
        trace(n, &mut out)?;
    } else {
        let parts: &[&str] = match args.target {
            Target::Mips => &[PROGRAM],
            Target::MipsLinux => &[LINUX_SHIM, PROGRAM],
        };
        for part in parts {
            if args.explain {
                out.text(part)?;
            } else {
                code_lines(part).try_for_each(|line| out.line(line))?;
            }
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The lines that hold more than a comment, without their comments.
fn code_lines(source: &str) -> impl Iterator<Item = &str> {
    source
        .lines()
        .map(|line| line[..comment_start(line)].trim_end())
        .filter(|line| !line.is_empty())
}

/// Where the comment of a line starts: at the first `#` that is not inside a string.
fn comment_start(line: &str) -> usize {
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'#' if !quoted => return at,
            _ => {}
        }
    }
    line.len()
}

/// Prints the registers at every stop.
fn trace(n: usize, out: &mut Out) -> anyhow::Result<()> {
    anyhow::ensure!(
        n <= LARGEST_N,
        "the assembly program works up to n = {LARGEST_N}, not {n}"
    );
    out.line("# At each stop: the label, the registers (hexadecimal), and what they hold.")?;
    out.line("# left, down, right, possible and place are in binary, column 1 last.")?;

    let mut line = String::new();
    let mut failure = Ok(());
    let _stopped_early = walk(n, |event, board: &Bitmask| {
        line.clear();
        describe(event, board, &mut line);
        if !line.is_empty() {
            failure = out.line(&line);
        }
        match failure {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    failure
}

/// Writes the stop that belongs to an event, if there is one: the label, the registers as
/// a debugger shows them there, and the bit vectors they hold.
fn describe(event: Event, board: &Bitmask, line: &mut String) {
    let width = board.n();
    // Writing to a string cannot fail.
    let _ = match event {
        Event::Enter { row } => {
            let bits = board.row(row);
            let (left, down, right) = (bits.left, bits.down, bits.right);
            write!(
                line,
                "queens    $a0={left:08x} $a1={down:08x} $a2={right:08x} $a3={row:08x}   \
                 row {row}  left {left:0width$b}  down {down:0width$b}  right {right:0width$b}"
            )
        }
        Event::Place { row, col } => {
            let place = 1u32 << col;
            // The places before this one have been tried and taken out.
            let possible = board.row(row).possible(board.mask()) & place.wrapping_neg();
            write!(
                line,
                "chosen    $s3={row:08x} $s4={possible:08x} $t0={place:08x}                \
                 row {row}  possible {possible:0width$b}  place {place:0width$b}"
            )
        }
        Event::Solution => {
            let row = width;
            let mask = board.mask();
            write!(
                line,
                "solution  $a1={mask:08x} $a3={row:08x}                             \
                 row {row}  down {mask:0width$b}, all of mask: solution"
            )
        }
        Event::Leave { row, solutions } if row < width => {
            let (low, high) = (solutions as u32, (solutions >> 32) as u32);
            let dead_end = match board.row(row).possible(board.mask()) {
                0 => "dead end, ",
                _ => "",
            };
            write!(
                line,
                "return    $s3={row:08x} $s5={low:08x} $s6={high:08x}                \
                 row {row}  {dead_end}count {solutions}"
            )
        }
        _ => Ok(()),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_inside_a_string_starts_no_comment() {
        for (line, code) in [
            ("  nop  # delay slot", "  nop  "),
            (
                r##"x: .asciiz "# \"#\" \\" # why"##,
                r##"x: .asciiz "# \"#\" \\" "##,
            ),
            ("# only a comment", ""),
            ("  syscall", "  syscall"),
        ] {
            assert_eq!(&line[..comment_start(line)], code);
        }
    }
}
