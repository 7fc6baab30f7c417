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
//! The functions are those of the assignment and stand in its order; names differ only in
//! spelling (`placeQueen` is `place_queen`). The board is its array `B` of n + 1 rows and n + 1
//! columns. Row 0 is unused. For rows and columns from 1:
//!
//! ```text
//! B[i][j] =  1   a queen is on square (i, j)
//!            0   the square is empty, and no queen above attacks it
//!           -k   k queens above attack it
//! B[i][0] =  j   the queen of row i is in column j; 0 if there is none
//! ```
//!
//! This file needs nothing but the standard library. It can be read beside the assignment from top
//! to bottom, and compiled alone: `rustc -O -o Queens assignment.rs`. `queens code assignment`
//! prints the program in C. The library has the same algorithm as the engine `attack-count`, and
//! the tests compare the two.

use std::ffi::OsString;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: Queens [-v] number
Option: -v  verbose output, print all solutions
";

/// From this size on, beyond the assignment's range, the answer takes a minute or more: 9 s for n = 15
/// and six to seven times as long with every further row (one core of an AMD EPYC, Zen 4, 2026-11-16).
const SLOW: usize = 16;

/// The largest board in normal mode. No count beyond it would ever end.
const LARGEST_COUNTED: usize = 32;

/// The largest board in verbose mode, which prints what it finds on the way.
const LARGEST_LISTED: usize = 255;

/// The array `B`.
type Board = Vec<Vec<i32>>;

/// Puts a queen on square (i, j) and notes which squares below she attacks.
fn place_queen(b: &mut Board, n: usize, i: usize, j: usize) {
    b[i][j] += 1;
    b[i][0] = j as i32;
    add_below(b, n, i, j, -1);
}

/// Takes the queen from square (i, j) and undoes everything that `place_queen` did.
fn remove_queen(b: &mut Board, n: usize, i: usize, j: usize) {
    b[i][j] -= 1;
    b[i][0] = 0;
    add_below(b, n, i, j, 1);
}

/// Adds `by` to every square that a queen on (i, j) attacks in the rows below.
fn add_below(b: &mut Board, n: usize, i: usize, j: usize, by: i32) {
    for d in 1..=n - i {
        let row = &mut b[i + d];
        row[j] += by;
        if j > d {
            row[j - d] += by;
        }
        if j + d <= n {
            row[j + d] += by;
        }
    }
}

/// Prints the solution that column 0 holds: `(B[1][0], B[2][0], ..., B[n][0])`.
fn print_board(b: &Board, out: &mut impl Write) -> io::Result<()> {
    let columns: Vec<String> = b[1..].iter().map(|row| row[0].to_string()).collect();
    writeln!(out, "({})", columns.join(", "))
}

/// Returns the number of solutions that have the queens now on rows 1 to i - 1, and prints them in
/// the mode "verbose".
fn find_solutions(
    b: &mut Board,
    n: usize,
    i: usize,
    mode: &str,
    out: &mut impl Write,
) -> io::Result<u64> {
    if i > n {
        if mode == "verbose" {
            print_board(b, out)?;
        }
        return Ok(1);
    }
    let mut sum = 0;
    for j in 1..=n {
        if b[i][j] == 0 {
            place_queen(b, n, i, j);
            sum += find_solutions(b, n, i + 1, mode, out)?;
            remove_queen(b, n, i, j);
        }
    }
    Ok(sum)
}

/// The exit code of a wrong command line and of a failure.
const FAILURE: u8 = 2;

/// Prints the usage message and gives back the exit code.
fn usage() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(FAILURE)
}

/// Whether an argument is a number: digits and nothing else.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Allocates `B`, finds the solutions on it and prints their number.
fn solve(n: usize, mode: &str) -> io::Result<()> {
    let stdout = io::stdout().lock();
    // Lines travel in blocks, but a terminal shows each at once.
    let block = if stdout.is_terminal() { 0 } else { 64 * 1024 };
    let mut out = BufWriter::with_capacity(block, stdout);

    let mut b: Board = vec![vec![0; n + 1]; n + 1];
    let solutions = find_solutions(&mut b, n, 1, mode, &mut out)?;
    writeln!(out, "{n}-Queens has {solutions} solutions")?;
    out.flush()
}

/// Reads the command line, `[-v] number`, and runs the program.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (mode, number) = match &args[..] {
        [number] => ("", number),
        [option, number] if option == "-v" => ("verbose", number),
        _ => return usage(),
    };
    let Some(digits) = number.to_str().filter(|text| is_number(text)) else {
        return usage();
    };
    let (largest, faster) = match mode {
        "verbose" => (LARGEST_LISTED, "list"),
        _ => (LARGEST_COUNTED, "count"),
    };
    // Digits that are no usize are too many of them.
    let n: usize = digits.parse().unwrap_or(usize::MAX);
    if n > largest {
        eprintln!("Queens: the number must be at most {largest}, not {digits}");
        return ExitCode::from(FAILURE);
    }
    if n >= SLOW {
        eprintln!("Queens: this will take a while; `queens {faster} {n}` is much faster");
    }
    match solve(n, mode) {
        // A reader that has seen enough, such as `head`, is not a failure.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("Queens: cannot write to standard output: {error}");
            ExitCode::from(FAILURE)
        }
        _ => ExitCode::SUCCESS,
    }
}
