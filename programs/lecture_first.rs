//! The first solution of n queens, as NPTEL week 6 lecture 1 finds it, in Rust.
//!
//!     rustc -O lecture_first.rs
//!     ./lecture_first 8       the first solution
//!     ./lecture_first -v 8    every queen placed and undone on the way to it
//!
//! The board is the lecture's nested dictionary, as a struct. With i and j from 0:
//!
//!     queen[i] == Some(j)       the queen of row i is in column j; None if there is none
//!     row[i]                    a queen attacks row i
//!     col[j]                    a queen attacks column j
//!     nwtose[j - i + (n - 1)]   a queen attacks this diagonal; an index in Rust is never negative
//!     swtone[j + i]             a queen attacks this diagonal
//!
//! The printed solution counts columns from 1, as in all programs of this set.

use std::io::Write;
use std::process::ExitCode;

const LARGEST_N: usize = 999;

/// The lecture's dictionaries, as the fields of a struct.
struct Board {
    queen: Vec<Option<usize>>,
    row: Vec<bool>,
    col: Vec<bool>,
    nwtose: Vec<bool>,
    swtone: Vec<bool>,
}

impl Board {
    /// An empty board.
    fn new(n: usize) -> Board {
        Board {
            queen: vec![None; n],
            row: vec![false; n],
            col: vec![false; n],
            // Diagonals 0 to 2(n-1), and one entry that is never used.
            nwtose: vec![false; 2 * n],
            swtone: vec![false; 2 * n],
        }
    }

    fn n(&self) -> usize {
        self.queen.len()
    }

    /// Whether no queen attacks the square (i, j).
    fn free(&self, i: usize, j: usize) -> bool {
        let n = self.n();
        !self.row[i] && !self.col[j] && !self.nwtose[j + n - 1 - i] && !self.swtone[j + i]
    }

    /// Puts a queen on the free square (i, j).
    fn add_queen(&mut self, i: usize, j: usize) {
        self.queen[i] = Some(j);
        self.attack(i, j, true);
    }

    /// Takes the queen from the square (i, j).
    fn undo_queen(&mut self, i: usize, j: usize) {
        self.queen[i] = None;
        self.attack(i, j, false);
    }

    /// Sets or clears the row, the column and the diagonals of the square (i, j).
    fn attack(&mut self, i: usize, j: usize, attacked: bool) {
        let n = self.n();
        self.row[i] = attacked;
        self.col[j] = attacked;
        self.nwtose[j + n - 1 - i] = attacked;
        self.swtone[j + i] = attacked;
    }
}

/// Fills the rows from i on and says whether that is possible.
fn place_queen(i: usize, board: &mut Board, verbose: bool) -> bool {
    let n = board.n();
    for c in 0..n {
        if board.free(i, c) {
            board.add_queen(i, c);
            if verbose {
                print_line(&format!("queen {} in column {}", i + 1, c + 1));
            }
            if i == n - 1 {
                return true; // the last queen has been placed
            }
            let extends = place_queen(i + 1, board, verbose);
            if extends {
                return true; // this solution extends fully
            }
            board.undo_queen(i, c);
            if verbose {
                print_line(&format!("undo queen {}", i + 1));
            }
        }
    }
    false // row i failed
}

/// The columns of the queens as a tuple, from 1.
fn tuple(board: &Board) -> String {
    let columns: Vec<String> = board
        .queen
        .iter()
        .flatten()
        .map(|j| (j + 1).to_string())
        .collect();
    format!("({})", columns.join(", "))
}

/// Prints a line. Ends the program if the reader, such as `head`, has stopped reading.
fn print_line(line: &str) {
    if writeln!(std::io::stdout(), "{line}").is_err() {
        std::process::exit(1);
    }
}

/// Reads the command line, `[-v] number`: whether to print the moves, and n.
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
        eprintln!("usage: lecture_first [-v] number, from 0 to {LARGEST_N}");
        return ExitCode::from(2);
    };
    let mut board = Board::new(n);
    // For n = 0 there is no queen to place: the empty board is the solution.
    if n == 0 || place_queen(0, &mut board, verbose) {
        print_line(&tuple(&board));
    } else {
        print_line(&format!("{n}-Queens has no solution"));
    }
    ExitCode::SUCCESS
}
