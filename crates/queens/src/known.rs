//! The published counts, looked up and never mixed with computed ones.
//!
//! The numbers live in one data file, `known.csv`, with their sources: all solutions to
//! n = 27, which is as far as anybody has counted, and beside them the fundamental
//! solutions and those that a half turn or a quarter turn leaves unchanged. The four are
//! tied together: each of the eight symmetries of the board leaves some solutions
//! unchanged, reflections none at all once n > 1, and the classes are their average,
//! `8 * fundamental = all + half_turn + 2 * quarter_turn`. The tests check that for every
//! line, and compare every line within reach with every engine.

/// The published counts for one size of board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Known {
    /// The size of the board.
    pub n: usize,
    /// All solutions: OEIS A000170.
    pub all: u128,
    /// One per class of rotations and reflections: OEIS A002562.
    pub fundamental: u128,
    /// Solutions that a half turn leaves unchanged: OEIS A032522.
    pub half_turn: u128,
    /// Solutions that a quarter turn leaves unchanged: OEIS A033148.
    pub quarter_turn: u128,
    /// Where `all` was published.
    pub source: &'static str,
}

/// The data file, one line per board.
const FILE: &str = include_str!("known.csv");

/// Every published row, from n = 0 up.
///
/// ```
/// assert_eq!(queens::known::all().last().unwrap().n, 27);
/// ```
///
/// # Panics
///
/// Never: the data file is part of the program, and the tests read all of it.
pub fn all() -> impl Iterator<Item = Known> {
    FILE.lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()))
        .map(|line| {
            parse(line).unwrap_or_else(|| panic!("known.csv has a line it should not have: {line}"))
        })
}

/// The published row for this board, if anybody has counted it.
///
/// ```
/// let known = queens::known::known(8).unwrap();
/// assert_eq!((known.all, known.fundamental), (92, 12));
/// assert_eq!(known.source, "OEIS A000170");
/// assert!(queens::known::known(28).is_none());
/// ```
pub fn known(n: usize) -> Option<Known> {
    all().find(|known| known.n == n)
}

fn parse(line: &'static str) -> Option<Known> {
    let mut fields = line.splitn(6, ',');
    let n = fields.next()?.parse().ok()?;
    let mut number = || fields.next()?.parse().ok();
    Some(Known {
        n,
        all: number()?,
        fundamental: number()?,
        half_turn: number()?,
        quarter_turn: number()?,
        source: fields.next()?,
    })
}
