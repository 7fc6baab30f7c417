//! The algorithm of a question and answer on bitwise n-queens in MIPS, in Rust.
//!
//!     rustc -O question.rs
//!     ./question 8            the number of solutions
//!     ./question -v 8         every solution, then their number
//!
//! `col` holds the columns that are taken; `left_dia` and `right_dia` hold the squares of the
//! current row that the diagonals of the queens above cross. `done` has a 1 for every column: 11111
//! for n = 5. The lowest bit, written last, is column 1 of the tuples.
//!
//! In the answer's JavaScript, the inner function uses the variables `count` and `done` of the
//! function around it. Here a struct holds them, and also `bits`, the bit chosen in each row, for
//! -v.

use std::io::Write;
use std::process::ExitCode;

const LARGEST_N: u32 = 31;

/// What all calls of the search share.
struct Search {
    done: i32,
    count: u64,
    bits: Vec<i32>,
    verbose: bool,
}

impl Search {
    /// Fills the rows that are still empty, in every possible way.
    fn inner_recursion(&mut self, left_dia: i32, col: i32, right_dia: i32) {
        // Every column is taken, so every row has its queen.
        if col == self.done {
            self.count += 1;
            if self.verbose {
                print_solution(&self.bits);
            }
            return;
        }
        // A 1 wherever no queen attacks, and in all bits beyond the board.
        let mut poss = !(left_dia | right_dia | col);
        while poss & self.done != 0 {
            let bit = poss & -poss; // the lowest 1
            poss -= bit; // it becomes 0: it is not tried again
            self.bits.push(bit);
            self.inner_recursion((left_dia | bit) >> 1, col | bit, (right_dia | bit) << 1);
            self.bits.pop();
        }
    }
}

fn count_n_queens_solutions(n: u32, verbose: bool) -> u64 {
    let mut search = Search {
        done: (2_i64.pow(n) - 1) as i32,
        count: 0,
        bits: Vec::new(),
        verbose,
    };
    search.inner_recursion(0, 0, 0);
    search.count
}

/// Prints a solution as a tuple; the lowest bit is column 1.
fn print_solution(bits: &[i32]) {
    let columns: Vec<String> = bits
        .iter()
        .map(|bit| (bit.trailing_zeros() + 1).to_string())
        .collect();
    print_line(&format!("({})", columns.join(", ")));
}

/// Prints a line. Ends the program if the reader, such as `head`, has stopped reading.
fn print_line(line: &str) {
    if writeln!(std::io::stdout(), "{line}").is_err() {
        std::process::exit(1);
    }
}

/// Reads the command line, `[-v] number`: whether to print the solutions, and n.
fn arguments() -> Option<(bool, u32)> {
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
        eprintln!("usage: question [-v] number, from 0 to {LARGEST_N}");
        return ExitCode::from(2);
    };
    let solutions = count_n_queens_solutions(n, verbose);
    print_line(&format!("{n}-Queens has {solutions} solutions"));
    ExitCode::SUCCESS
}
