//! The n-queens function of the MIT 6.172-style recitation on bit vectors, as a program in Rust.
//!
//!     rustc -O recitation.rs
//!     ./recitation 8          the number of solutions
//!     ./recitation -v 8       every solution, then their number
//!
//! Bit c of a vector stands for column c; column 0 is the lowest bit. `down` holds the columns that
//! are taken. `left` and `right` hold the squares of the current row that the diagonals of the
//! queens above cross.
//!
//! Compared with the C of the slide, all vectors are unsigned and the count has 64 bits. Rust does
//! not negate unsigned numbers with `-`: `wrapping_neg` gives the same bits.

use std::io::Write;
use std::process::ExitCode;

const LARGEST_N: u32 = 31;

/// The number of ways to fill the rows that are still empty.
fn queens(mask: u32, down: u32, left: u32, right: u32) -> u64 {
    let mut count = 0;
    if down == mask {
        return 1;
    }
    let mut possible = !(down | left | right) & mask;
    while possible != 0 {
        let place = possible & possible.wrapping_neg(); // the lowest free column
        count += queens(
            mask,
            down | place,
            ((left | place) << 1) & mask,
            (right | place) >> 1,
        );
        possible &= !place;
    }
    count
}

/// The same search, but it also notes the place chosen in each row and prints the solutions.
fn list(mask: u32, down: u32, left: u32, right: u32, places: &mut Vec<u32>) -> u64 {
    let mut count = 0;
    if down == mask {
        let columns: Vec<String> = places
            .iter()
            .map(|place| (place.trailing_zeros() + 1).to_string())
            .collect();
        print_line(&format!("({})", columns.join(", ")));
        return 1;
    }
    let mut possible = !(down | left | right) & mask;
    while possible != 0 {
        let place = possible & possible.wrapping_neg();
        places.push(place);
        count += list(
            mask,
            down | place,
            ((left | place) << 1) & mask,
            (right | place) >> 1,
            places,
        );
        places.pop();
        possible &= !place;
    }
    count
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
        eprintln!("usage: recitation [-v] number, from 0 to {LARGEST_N}");
        return ExitCode::from(2);
    };
    let mask = (1 << n) - 1;
    let count = if verbose {
        list(mask, 0, 0, 0, &mut Vec::new())
    } else {
        queens(mask, 0, 0, 0)
    };
    print_line(&format!("{n}-Queens has {count} solutions"));
    ExitCode::SUCCESS
}
