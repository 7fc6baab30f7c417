//! Checks a placement, and names every pair of queens that attack each other.
//!
//! This is the judge of everything else in the project, so it shares nothing with what it
//! judges: it imports no engine and no bit trick, only the rule of the game. Two queens
//! attack each other when they share a row, a column, a `diag` (row - col) or an `anti`
//! (row + col). Queens in between do not shield: the problem forbids two queens on a line,
//! however crowded that line is.
//!
//! Queens are sorted by line, once for each kind of line, and each queen is compared only
//! with the later queens of its own four lines. The cost is O(q log q) for q queens plus the number of
//! attacking pairs, so a solution for n = 100,000 is checked in a blink while a board full
//! of queens still gets its complete list.

use std::collections::HashMap;

use crate::placement::{Placement, Square};

/// The kind of line on which two queens meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Line {
    /// The same row.
    Row,
    /// The same column.
    Col,
    /// The same diagonal `row - col`, which falls to the right.
    Diag,
    /// The same anti-diagonal `row + col`, which rises to the right.
    Anti,
}

impl Line {
    /// All four kinds.
    pub const ALL: [Line; 4] = [Line::Row, Line::Col, Line::Diag, Line::Anti];

    /// One word: `row`, `col`, `diag` or `anti`.
    pub fn name(self) -> &'static str {
        match self {
            Line::Row => "row",
            Line::Col => "col",
            Line::Diag => "diag",
            Line::Anti => "anti",
        }
    }

    /// The number of the line of this kind through `square`: equal for two squares if and
    /// only if they share the line.
    pub fn through(self, square: Square) -> isize {
        let (row, col) = (square.row as isize, square.col as isize);
        match self {
            Line::Row => row,
            Line::Col => col,
            Line::Diag => row - col,
            Line::Anti => row + col,
        }
    }
}

/// Two queens that attack each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attack {
    /// The queen that comes first by row, then column.
    pub first: Square,
    /// The other queen.
    pub second: Square,
    /// The line they share. Two different squares share at most one.
    pub line: Line,
}

/// Says it in words, counting from 1: `(1, 2) and (2, 3) attack each other on a falling diagonal`.
impl std::fmt::Display for Attack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Attack { first, second, .. } = self;
        write!(f, "{first} and {second} attack each other ")?;
        match self.line {
            Line::Row => write!(f, "in row {}", first.row + 1),
            Line::Col => write!(f, "in column {}", first.col + 1),
            Line::Diag => f.write_str("on a falling diagonal"),
            Line::Anti => f.write_str("on a rising diagonal"),
        }
    }
}

/// Every pair of queens of `placement` that attack each other, sorted.
///
/// ```
/// use queens::check::attacks;
/// use queens::placement::Placement;
///
/// let solution = Placement::from_cols(&[1u8, 3, 0, 2])?;
/// assert_eq!(attacks(&solution).count(), 0);
///
/// let staircase = Placement::from_cols(&[0u8, 1, 2])?;
/// assert_eq!(attacks(&staircase).count(), 3);
/// # Ok::<(), queens::placement::PlacementError>(())
/// ```
pub fn attacks(placement: &Placement) -> impl Iterator<Item = Attack> {
    let queens = placement.queens();
    let lines = shared_lines(queens);
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
fn shared_lines(queens: &[Square]) -> HashMap<(Line, isize), Vec<usize>> {
    let mut lines = HashMap::new();
    let mut numbered = Vec::with_capacity(queens.len());
    for line in Line::ALL {
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

/// Whether `placement` is a solution: `n` queens, none attacking another.
///
/// ```
/// use queens::check::is_solution;
/// use queens::placement::Placement;
///
/// assert!(is_solution(&Placement::from_cols(&[1u8, 3, 0, 2])?));
/// // Nobody attacks anybody here, but two queens are missing.
/// assert!(!is_solution(&Placement::from_rows([Some(1), Some(3), None, None])?));
/// # Ok::<(), queens::placement::PlacementError>(())
/// ```
pub fn is_solution(placement: &Placement) -> bool {
    placement.queens().len() == placement.n() && attacks(placement).next().is_none()
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
                    Line::Col
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
    fn attacks_are_told_in_words() {
        let told = |a: (usize, usize), b: (usize, usize)| {
            let squares = [Square::new(a.0, a.1), Square::new(b.0, b.1)];
            let placement = Placement::new(4, squares).unwrap();
            attacks(&placement).next().unwrap().to_string()
        };
        assert_eq!(
            told((0, 1), (0, 3)),
            "(1, 2) and (1, 4) attack each other in row 1"
        );
        assert_eq!(
            told((0, 1), (2, 1)),
            "(1, 2) and (3, 2) attack each other in column 2"
        );
        assert_eq!(
            told((0, 1), (1, 2)),
            "(1, 2) and (2, 3) attack each other on a falling diagonal"
        );
        assert_eq!(
            told((0, 1), (1, 0)),
            "(1, 2) and (2, 1) attack each other on a rising diagonal"
        );
    }

    #[test]
    fn too_few_queens_are_no_solution() {
        let half = Placement::from_rows([Some(1), Some(3), None, None]).unwrap();
        assert!(attacks(&half).next().is_none());
        assert!(!is_solution(&half));
        assert!(is_solution(&Placement::from_cols::<u8>(&[]).unwrap()));
    }
}
