//! The solution that BACS2063 chapter 6 prepares, in Rust: backtracking with the array
//! `queens_in_row` and the test for diagonals that the chapter derives.
//!
//!     rustc -O chapter.rs
//!     ./chapter 8             the number of solutions
//!     ./chapter -v 8          every solution, then their number
//!
//! `queens_in_row[k]` is the column of the queen in row k; both count from 0. Here the array is a
//! vector that grows and shrinks, so at every moment it is the chapter's tuple: (0), (0, 2), (0, 3)
//! and so on. The printed solutions count columns from 1, as the first half of the chapter does.

use std::io::Write;
use std::process::ExitCode;

const LARGEST_N: usize = 999;

/// Whether queens at (i, j) and (k, l) are on the same diagonal.
fn same_diagonal(i: usize, j: usize, k: usize, l: usize) -> bool {
    j.abs_diff(l) == i.abs_diff(k)
}

/// Whether the queen of the next row can stand in this column: no queen above attacks her.
fn can_place(queens_in_row: &[usize], column: usize) -> bool {
    let row = queens_in_row.len();
    for k in 0..row {
        if queens_in_row[k] == column || same_diagonal(k, queens_in_row[k], row, column) {
            return false;
        }
    }
    true
}

/// Returns the number of ways to complete the partial solution.
fn extend(queens_in_row: &mut Vec<usize>, n: usize, verbose: bool) -> u64 {
    if queens_in_row.len() == n {
        if verbose {
            print_solution(queens_in_row);
        }
        return 1;
    }
    let mut solutions = 0;
    for column in 0..n {
        if can_place(queens_in_row, column) {
            queens_in_row.push(column);
            solutions += extend(queens_in_row, n, verbose);
            queens_in_row.pop();
        }
    }
    solutions
}

/// Prints the tuple (x1, ..., xn), with columns from 1.
fn print_solution(queens_in_row: &[usize]) {
    let tuple: Vec<String> = queens_in_row
        .iter()
        .map(|column| (column + 1).to_string())
        .collect();
    print_line(&format!("({})", tuple.join(", ")));
}

/// Prints a line. Ends the program if the reader, such as `head`, has stopped reading.
fn print_line(line: &str) {
    if writeln!(std::io::stdout(), "{line}").is_err() {
        std::process::exit(1);
    }
}

/// Reads the command line, `[-v] number`: whether to print the solutions, and n.
fn arguments() -> Option<(bool, usize)> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (verbose, number) = match &args[..] {
        [number] => (false, number),
        [option, number] if option == "-v" => (true, number),
        _ => return None,
    };
    let n = number.parse().ok()?;
    (n <= LARGEST_N).then_some((verbose, n))
}

fn main() -> ExitCode {
    let Some((verbose, n)) = arguments() else {
        eprintln!("usage: chapter [-v] number, from 0 to {LARGEST_N}");
        return ExitCode::from(2);
    };
    let solutions = extend(&mut Vec::new(), n, verbose);
    print_line(&format!("{n}-Queens has {solutions} solutions"));
    ExitCode::SUCCESS
}
