//! The published counts, looked up and never mixed with computed ones.
//!
//! The numbers live in one data file, `known.csv`, with their sources: all solutions to
//! n = 27, which is as far as anybody has counted, and beside them the fundamental solutions and
//! those that a half turn or a quarter turn leaves unchanged. One identity ties the four together:
//! each of the eight symmetries of the board leaves some solutions unchanged, reflections none at
//! all once n > 1, and the number of classes is the average,
//! `8 * fundamental = all + half_turn + 2 * quarter_turn`. The tests check that for every line, and
//! compare every line within reach with every engine.
//!
//! A second file, `known-more.csv`, holds the values that reach further, and the solutions on the
//! torus. [`Sequence`] is the same data the other way round: one sequence at a time, as the On-Line
//! Encyclopedia of Integer Sequences has them.

use crate::named::named;

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

/// The values that only one sequence has, one per line.
const MORE: &str = include_str!("known-more.csv");

/// A published sequence.
///
/// ```
/// use queens::known::Sequence;
///
/// let torus: Sequence = "torus".parse().unwrap();
/// assert_eq!(torus.oeis(), "A007705");
/// assert_eq!(torus.value(13), Some(4524));
/// assert_eq!(Sequence::QuarterTurn.values().last().unwrap().0, 63);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sequence {
    /// All solutions.
    All,
    /// One per class of rotations and reflections.
    Fundamental,
    /// Solutions that a half turn leaves unchanged.
    HalfTurn,
    /// Solutions that a quarter turn leaves unchanged.
    QuarterTurn,
    /// Solutions on the torus, for odd boards; even ones have none.
    Torus,
}

named! {
    Sequence, "sequence",
    /// No sequence has this name.
    UnknownSequence
}

impl Sequence {
    /// All sequences.
    pub const ALL: [Sequence; 5] = [
        Sequence::All,
        Sequence::Fundamental,
        Sequence::HalfTurn,
        Sequence::QuarterTurn,
        Sequence::Torus,
    ];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Sequence::All => "all",
            Sequence::Fundamental => "fundamental",
            Sequence::HalfTurn => "half-turn",
            Sequence::QuarterTurn => "quarter-turn",
            Sequence::Torus => "torus",
        }
    }

    /// Its number in the On-Line Encyclopedia of Integer Sequences.
    pub fn oeis(self) -> &'static str {
        match self {
            Sequence::All => "A000170",
            Sequence::Fundamental => "A002562",
            Sequence::HalfTurn => "A032522",
            Sequence::QuarterTurn => "A033148",
            Sequence::Torus => "A007705",
        }
    }

    /// What it counts.
    pub fn title(self) -> &'static str {
        match self {
            Sequence::All => "all solutions",
            Sequence::Fundamental => "fundamental solutions, one per class",
            Sequence::HalfTurn => "solutions unchanged by a half turn",
            Sequence::QuarterTurn => "solutions unchanged by a quarter turn",
            Sequence::Torus => "solutions on the torus (odd n)",
        }
    }

    /// Who computed the last values, beside the encyclopedia.
    pub fn source(self) -> &'static str {
        match self {
            Sequence::All => {
                "n = 24 Kise and others 2004, 25 INRIA ProActive 2005, 26 Queens@TUD 2009, 27 Preusser and Engelhardt 2016"
            }
            Sequence::Fundamental | Sequence::HalfTurn => "n = 27 Preusser and Engelhardt 2016",
            Sequence::QuarterTurn => "Ahrens 1910, Kraitchik 1926, Hsiang and Shieh 2002",
            Sequence::Torus => "Rivin, Vardi and Zimmermann 1994, Engelhardt 1999 to 2005",
        }
    }

    /// The published values, by rising `n`. Only that of all solutions begins with the empty board.
    ///
    /// # Panics
    ///
    /// Never: the data files are part of the program, and the tests read all of them.
    pub fn values(self) -> impl Iterator<Item = (usize, u128)> {
        let begun = all().filter(move |known| known.n > 0 || self == Sequence::All);
        let table = begun.filter_map(move |known| match self {
            Sequence::All => Some((known.n, known.all)),
            Sequence::Fundamental => Some((known.n, known.fundamental)),
            Sequence::HalfTurn => Some((known.n, known.half_turn)),
            Sequence::QuarterTurn => Some((known.n, known.quarter_turn)),
            Sequence::Torus => None,
        });
        let more = MORE.lines().filter_map(move |line| {
            let (n, value) = line
                .strip_prefix(self.name())?
                .strip_prefix(',')?
                .split_once(',')?;
            match (n.parse(), value.parse()) {
                (Ok(n), Ok(value)) => Some((n, value)),
                _ => panic!("known-more.csv has a line it should not have: {line}"),
            }
        });
        table.chain(more)
    }

    /// The published value for a board of size `n`.
    pub fn value(self, n: usize) -> Option<u128> {
        self.values()
            .find(|&(of, _)| of == n)
            .map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_belongs_to_a_sequence_and_sizes_rise() {
        let lines = |file: &str| file.lines().filter(|line| !line.starts_with('#')).count() - 1;
        let values: usize = Sequence::ALL.iter().map(|s| s.values().count()).sum();
        // Three of the sequences have no value for n = 0.
        assert_eq!(values, 4 * lines(FILE) - 3 + lines(MORE));
        for sequence in Sequence::ALL {
            let sizes: Vec<usize> = sequence.values().map(|(n, _)| n).collect();
            assert!(sizes.is_sorted_by(|a, b| a < b), "{}", sequence.name());
            assert_eq!(sequence.name().parse(), Ok(sequence));
        }
    }
}
