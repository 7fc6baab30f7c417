//! `queens asm`: the assembly lesson, and what its registers hold while it runs.
//!
//! The program printed is the file asm/mips/queens.s itself, embedded when this command is
//! compiled, so the listing cannot differ from the program that the tests assemble and run.
//! Without `--explain`, only comments and blank lines are left out: both listings assemble to
//! the same machine code.
//!
//! `--trace` runs no MIPS. It listens to the library's `bitmask` search, which makes the
//! same calls in the same order. Each bit vector is written under the name of the register
//! that holds it at that point of the program, beside the lines of the `bits` trace. A test
//! stops the real program in two simulators at every one of these points and compares the
//! registers.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::process::ExitCode;

use queens::board::bitmask::RowBits;
use queens::board::{Bitmask, SearchBoard};
use queens::json::Object;
use queens::search::trace::{End, Style, TextTrace};
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
/// `--trace N` prints what a debugger would show at the labels `queens` (a call), `chosen` (a
/// place is picked), `solution`, `return` (a row is done) and `back` (the caller goes on): the
/// registers in hexadecimal, and beside them the lines of `queens trace N --style bits
/// --until all`. With --json each stop is an object, and the registers are numbers.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens asm --target mips --explain     the program with its commentary
  queens asm > queens.s; spim -file queens.s
  queens asm --target mips-linux > linux.s
  queens asm --trace 4                   the registers, step by step
  queens asm --trace 4 --json | jq -c .registers
  queens trace 4 --style bits --until all")]
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
        conflicts_with = "explain"
    )]
    trace: Option<usize>,

    /// Print a JSON object: the program, or with --trace one for each step
    #[arg(long)]
    json: bool,
}

/// The systems the program can be printed for.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Target {
    /// SPIM and MARS: the program alone
    Mips,
    /// Linux on MIPS: the program after its I/O shim, for GNU as
    MipsLinux,
}

impl Target {
    /// The name that the option takes.
    fn name(self) -> &'static str {
        match self {
            Target::Mips => "mips",
            Target::MipsLinux => "mips-linux",
        }
    }
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut out = Out::stdout();
    match args.trace {
        Some(n) if n > LARGEST_N => {
            anyhow::bail!("the assembly program works up to n = {LARGEST_N}, not {n}")
        }
        Some(n) if args.json => trace_json(n, &mut out)?,
        Some(n) => trace(n, &mut out)?,
        None if args.json => {
            let object = Object::new()
                .set("target", args.target.name())
                .set("explained", args.explain)
                .set("text", listing(args.target, args.explain));
            out.line(&object.end())?;
        }
        None => out.text(&listing(args.target, args.explain))?,
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The program for a system, with or without its commentary.
fn listing(target: Target, explain: bool) -> String {
    let parts: &[&str] = match target {
        Target::Mips => &[PROGRAM],
        Target::MipsLinux => &[LINUX_SHIM, PROGRAM],
    };
    match explain {
        true => parts.concat(),
        false => parts
            .iter()
            .flat_map(|part| code_lines(part))
            .flat_map(|line| [line, "\n"])
            .collect(),
    }
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

/// Prints an object for every stop, with its registers.
fn trace_json(n: usize, out: &mut Out) -> anyhow::Result<()> {
    let mut stops = Stops::new(n);
    let mut written = Ok(());
    let _ = walk(n, |event, board: &Bitmask| {
        if let Some(stop) = stops.at(event, board) {
            let registers = stop.registers.iter();
            let registers =
                registers.fold(Object::new(), |all, &(name, value)| all.set(name, value));
            let object = Object::new()
                .set("stop", stop.label)
                .set("registers", registers);
            written = out.line(&object.end());
        }
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    written
}

/// Prints the registers at every stop, and the `bits` trace beside them.
fn trace(n: usize, out: &mut Out) -> anyhow::Result<()> {
    let mut bits = TextTrace::new(n, Style::Bits);
    let mut stops = Stops::new(n);
    let width = stops.width();
    beside(out, width, "stop      registers", "bits, column 0 last")?;

    let mut written = Ok(());
    // What the bits trace says of a dead end belongs to the return that follows.
    let mut held = String::new();
    let walked = walk(n, |event, board: &Bitmask| {
        held.push_str(&bits.event(event));
        if !matches!(event, Event::DeadEnd { .. } | Event::Try { .. }) {
            let stop = stops.at(event, board);
            let stop = stop.map_or_else(String::new, |stop| stop.text(stops.digits));
            written = beside(out, width, &stop, &held);
            held.clear();
        }
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    written?;
    if walked.is_continue() {
        beside(out, width, "", &bits.finish(End::Complete))?;
    }
    Ok(())
}

/// Writes a stop, `width` characters wide, and lines of the bits trace to the right of it.
fn beside(out: &mut Out, width: usize, mut stop: &str, bits: &str) -> anyhow::Result<()> {
    let mut lines = bits.lines();
    while let Some(line) = lines.next().or((!stop.is_empty()).then_some("")) {
        out.line(format!("{stop:<width$} | {line}").trim_end())?;
        stop = "";
    }
    Ok(())
}

/// A point of the program, and what its registers hold there.
struct Stop {
    label: &'static str,
    registers: Vec<(&'static str, u32)>,
}

impl Stop {
    /// The label and the registers, each in `digits` hexadecimal digits.
    fn text(&self, digits: usize) -> String {
        let mut line = format!("{:<9}", self.label);
        for (name, value) in &self.registers {
            // Writing to a string cannot fail.
            let _ = write!(line, " ${name}=0x{value:0digits$x}");
        }
        line
    }
}

/// Tells at which label the program is at each event, and what its registers hold there.
struct Stops {
    /// How many hexadecimal digits n bits need.
    digits: usize,
    /// What the last call that ended returned.
    returned: u64,
}

impl Stops {
    fn new(n: usize) -> Stops {
        Stops {
            digits: n.div_ceil(4).max(1),
            returned: 0,
        }
    }

    /// The width of the longest stop: a label and four registers.
    fn width(&self) -> usize {
        "queens   ".len() + 4 * (" $a0=0x".len() + self.digits)
    }

    /// The stop that belongs to an event; none where the program has no label.
    fn at(&mut self, event: Event, board: &Bitmask) -> Option<Stop> {
        let halves = |count: u64| (count as u32, (count >> 32) as u32);
        let possible = |row| board.row(row).possible(board.mask());
        let (label, registers) = match event {
            Event::Enter { row } => {
                let RowBits { left, down, right } = board.row(row);
                let row = row as u32;
                (
                    "queens",
                    vec![("a0", left), ("a1", down), ("a2", right), ("a3", row)],
                )
            }
            Event::Place { row, col } => {
                let place = 1 << col;
                // The places below this one have been tried and taken out.
                let untried = possible(row) & u32::MAX << col;
                (
                    "chosen",
                    vec![("s3", row as u32), ("s4", untried), ("t0", place)],
                )
            }
            Event::Solution => {
                let row = board.n() as u32;
                ("solution", vec![("a1", board.mask()), ("a3", row)])
            }
            Event::Leave { row, solutions } => {
                self.returned = solutions;
                if row == board.n() {
                    return None;
                }
                let (low, high) = halves(solutions);
                (
                    "return",
                    vec![("s3", row as u32), ("s5", low), ("s6", high)],
                )
            }
            Event::Undo { row, col } => {
                let untried = possible(row) & u32::MAX << (col + 1);
                let (low, high) = halves(self.returned);
                let row = row as u32;
                (
                    "back",
                    vec![("s3", row), ("s4", untried), ("v0", low), ("v1", high)],
                )
            }
            Event::Try { .. }
            | Event::DeadEnd { .. }
            | Event::Skip { .. }
            | Event::Unskip { .. } => return None,
        };
        Some(Stop { label, registers })
    }
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
