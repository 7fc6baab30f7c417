//! Checks a placement, and names every pair of queens that attack each other.
//!
//! This is the judge of everything else in the project, so it shares nothing with what it
//! judges: it imports no engine and no bit trick, only the rule of the game. Two queens
//! attack each other when they share a row, a column, a `diag` (row - col) or an `anti`
//! (row + col). Queens in between do not shield: the problem forbids two queens on a line,
//! however crowded that line is.
//!
//! For each kind of line, one pass marks the lines that hold a queen and tells whether two queens
//! share one: O(n + q) for q queens. A solution needs no more, however large it is. If a line is
//! shared, the queens are sorted by line and each is compared with the later queens of its own four
//! lines: O(q log q) plus the number of attacking pairs, so even a board full of queens gets its
//! complete list.

use std::collections::HashMap;
use std::fmt;

use crate::line::{Attack, Line};
use crate::origin::Origin;
use crate::placement::{Placement, Square};

/// Judges a placement: is it a solution, and if not, who attacks whom?
///
/// ```
/// use queens::{Placement, check};
///
/// let placement: Placement = "(1, 3, 2, 4)".parse()?;
/// let report = check(&placement);
/// assert!(!report.is_solution());
/// let told: Vec<String> = report.attacks().map(|attack| attack.to_string()).collect();
/// assert_eq!(told, [
///     "(1, 1) and (4, 4) attack each other on a falling diagonal",
///     "(2, 3) and (3, 2) attack each other on a rising diagonal",
/// ]);
/// # Ok::<(), queens::ParseError>(())
/// ```
pub fn check(placement: &Placement) -> Report<'_> {
    Report { placement }
}

/// What [`check`] says about a placement.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    placement: &'a Placement,
}

impl<'a> Report<'a> {
    /// The size of the board, and the number of queens that a solution has.
    pub fn n(&self) -> usize {
        self.placement.n()
    }

    /// The number of queens on the board.
    pub fn queens(&self) -> usize {
        self.placement.queens().len()
    }

    /// Whether no queen attacks another, whatever their number.
    pub fn is_peaceful(&self) -> bool {
        self.attacks().next().is_none()
    }

    /// Whether the placement is a solution: `n` queens, none attacking another.
    pub fn is_solution(&self) -> bool {
        self.queens() == self.n() && self.is_peaceful()
    }

    /// Every pair of queens that attack each other, sorted. The iterator finds them one by one.
    pub fn attacks(&self) -> impl Iterator<Item = Attack> + use<'a> {
        attacks(self.placement)
    }
}

/// Writes `a solution`, or one line for each thing that is wrong. Counts from 1, with `{:#}` from
/// 0.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (queens, n) = (self.queens(), self.n());
        if self.is_solution() {
            return f.write_str("a solution");
        }
        let origin = Origin::of(f);
        let mut end = "";
        if queens != n {
            let s = if queens == 1 { "" } else { "s" };
            write!(f, "{queens} queen{s}, not {n}, on a board of {n} by {n}")?;
            end = "\n";
        }
        for attack in self.attacks() {
            write!(f, "{end}{}", attack.told(origin))?;
            end = "\n";
        }
        Ok(())
    }
}

/// Every pair of queens of `placement` that attack each other, sorted.
fn attacks(placement: &Placement) -> impl Iterator<Item = Attack> {
    let queens = placement.queens();
    let lines = shared_lines(placement);
    // Without a shared line there is nothing to look for, whatever the number of queens.
    let suspects = if lines.is_empty() { &[] } else { queens };
    suspects
        .iter()
        .enumerate()
        .flat_map(move |(index, &first)| {
            let mut found = Vec::new();
            for line in Line::ALL {
                if let Some(members) = lines.get(&(line, line.through(first))) {
                    let later = members.partition_point(|&member| member <= index);
                    found.extend(members[later..].iter().map(|&member| Attack {
                        first,
                        second: queens[member],
                        line,
                    }));
                }
            }
            found.sort_unstable();
            found
        })
}

/// The lines that hold two queens or more, each with the places of its queens in `queens`.
fn shared_lines(placement: &Placement) -> HashMap<(Line, isize), Vec<usize>> {
    let queens = placement.queens();
    let mut lines = HashMap::new();
    let mut numbered = Vec::new();
    let mut marks = Vec::new();
    for line in Line::ALL {
        if !is_shared(placement, line, &mut marks) {
            continue;
        }
        numbered.clear();
        let with_line = queens.iter().enumerate();
        numbered.extend(with_line.map(|(index, &queen)| (line.through(queen), index)));
        numbered.sort_unstable();
        for members in numbered.chunk_by(|a, b| a.0 == b.0) {
            if let [(number, _), _, ..] = members {
                let places = members.iter().map(|&(_, index)| index).collect();
                lines.insert((line, *number), places);
            }
        }
    }
    lines
}

/// Whether two queens stand on one line of this kind. `marks` is a buffer: a bit for each line.
fn is_shared(placement: &Placement, line: Line, marks: &mut Vec<u64>) -> bool {
    let n = placement.n();
    marks.clear();
    // The numbers of all lines lie between -n and 2n.
    marks.resize((3 * n).div_ceil(64), 0);
    placement.queens().iter().any(|&queen: &Square| {
        let number = (line.through(queen) + n as isize) as usize;
        let (word, bit) = (&mut marks[number / 64], 1 << (number % 64));
        let taken = *word & bit != 0;
        *word |= bit;
        taken
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule of the game, word by word, for every pair.
    fn by_the_rule(placement: &Placement) -> Vec<Attack> {
        let queens = placement.queens();
        let mut found = Vec::new();
        for (i, &a) in queens.iter().enumerate() {
            for &b in &queens[i + 1..] {
                let line = if a.row == b.row {
                    Line::Row
                } else if a.col == b.col {
                    Line::Column
                } else if a.row.abs_diff(b.row) != a.col.abs_diff(b.col) {
                    continue;
                } else if b.col > a.col {
                    Line::Diag
                } else {
                    Line::Anti
                };
                found.push(Attack {
                    first: a,
                    second: b,
                    line,
                });
            }
        }
        found
    }

    #[test]
    fn every_placement_on_a_board_of_three_is_judged_by_the_rule() {
        for squares in 0..1u32 << 9 {
            let queens = (0..9).filter(|i| squares >> i & 1 == 1);
            let placement = Placement::new(3, queens.map(|i| Square::new(i / 3, i % 3))).unwrap();
            let found: Vec<Attack> = attacks(&placement).collect();
            assert_eq!(found, by_the_rule(&placement), "{placement:?}");
        }
    }

    #[test]
    fn queens_in_between_do_not_shield() {
        let column = Placement::new(3, (0..3).map(|row| Square::new(row, 1))).unwrap();
        assert_eq!(attacks(&column).count(), 3);
    }

    #[test]
    fn a_report_says_what_is_wrong() {
        let told = |text: &str| check(&text.parse().unwrap()).to_string();
        assert_eq!(told("(2, 4, 1, 3)"), "a solution");
        assert_eq!(told("(2, -)"), "1 queen, not 2, on a board of 2 by 2");
        assert_eq!(
            told("(1, 2, -)"),
            "2 queens, not 3, on a board of 3 by 3\n\
             (1, 1) and (2, 2) attack each other on a falling diagonal"
        );
    }

    #[test]
    fn too_few_queens_are_no_solution() {
        let half = Placement::from_rows([Some(1), Some(3), None, None]).unwrap();
        assert!(check(&half).is_peaceful());
        assert!(!check(&half).is_solution());
        assert!(check(&Placement::from_cols(&[]).unwrap()).is_solution());
    }
}
