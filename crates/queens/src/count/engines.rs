//! The one list of engines: what each is called, where it comes from, what it can do.
//!
//! A row of the table below makes the variant of [`Engine`] and its place in [`ENGINES`].
//! To add an engine, write a function from a [`Job`] to a count and add a row; everything
//! that offers, tests or times engines goes through this list.

use std::fmt;
use std::str::FromStr;

use super::{CountError, Job, bitmask, mirror, two_colour, two_colour_plain};
use crate::board::Representation;
use crate::puzzle::Board;
use crate::search::SearchError;

/// What the list says about one engine.
struct About {
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    largest_n: usize,
    sensible_n: usize,
    parallel: bool,
    simd: bool,
    units: bool,
    devices: &'static [DeviceKind],
    way: Way,
    board: Option<BoardWay>,
}

/// How an engine counts on a [`Board`] that is not the plain one.
#[derive(Clone, Copy)]
pub(super) struct BoardWay {
    /// The largest board.
    pub(super) largest_n: usize,
    /// Whether there may be fewer queens than rows.
    pub(super) fewer_queens: bool,
    /// Counts; never called with more queens than rows.
    pub(super) run: fn(&Job<'_>, &Board) -> Result<u128, CountError>,
}

/// How an engine counts.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// By the search of [`crate::search`] on this board, which can also list.
    Search(Representation),
    /// By a function of its own.
    Count(fn(&Job<'_>) -> Result<u128, CountError>),
}

/// The defaults. A row of the list sets only the fields that differ.
const PLAIN: About = About {
    name: "",
    summary: "",
    source: "",
    largest_n: 0,
    sensible_n: 0,
    parallel: false,
    simd: false,
    units: false,
    devices: &[DeviceKind::Cpu],
    way: Way::Search(Representation::Columns),
    board: None,
};

/// A row of the list for an engine that searches a board.
const fn searching(representation: Representation) -> About {
    About {
        name: representation.name(),
        largest_n: representation.largest_n(),
        way: Way::Search(representation),
        ..PLAIN
    }
}

const RECITATION: &str = "MIT 6.172-style recitation on bit vectors";
const CHAPTER: &str = "BACS2063 chapter 6, application of recursion";
const ASSIGNMENT: &str = "CSE 15 programming assignment 2";
const LECTURE: &str = "NPTEL week 6 lecture 1";

/// Makes [`Engine`], [`ENGINES`] and `Engine::about` from one table.
macro_rules! engines {
    ($($(#[$doc:meta])* $engine:ident: $about:expr,)*) => {
        /// One way to count.
        ///
        /// An engine that searches a [`Representation`] can also list solutions, find the first
        /// one, and be listened to.
        ///
        /// ```
        /// use queens::{Count, Engine};
        ///
        /// let engine: Engine = "two-colour".parse()?;
        /// assert_eq!(engine, Engine::TwoColour);
        /// assert_eq!(engine.to_string(), "two-colour");
        /// assert_eq!(Count::new(12).engine(engine).run(), Ok(14_200));
        /// # Ok::<(), queens::count::UnknownEngine>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Engine {
            $($(#[$doc])* $engine,)*
        }

        /// Every engine, simplest to fastest.
        ///
        /// ```
        /// use queens::{Count, count::ENGINES};
        ///
        /// for &engine in ENGINES {
        ///     assert_eq!(Count::new(8).engine(engine).run(), Ok(92), "{engine}");
        /// }
        /// ```
        pub static ENGINES: &[Engine] = &[$(Engine::$engine,)*];

        impl Engine {
            fn about(self) -> &'static About {
                match self {
                    $(Engine::$engine => {
                        static ABOUT: About = $about;
                        &ABOUT
                    })*
                }
            }
        }
    };
}

engines! {
    /// [`crate::board::byte_grid`]: a byte per square.
    ByteGrid: About {
        summary: "n x n bytes; walks up the column and both diagonals of each square",
        source: RECITATION,
        sensible_n: 15,
        ..searching(Representation::ByteGrid)
    },
    /// [`crate::board::bit_grid`]: a bit per square.
    BitGrid: About {
        summary: "n x n bits; the same walk on packed squares",
        source: RECITATION,
        sensible_n: 15,
        ..searching(Representation::BitGrid)
    },
    /// [`crate::board::columns`]: a column per row.
    Columns: About {
        summary: "one column per row; compares |row difference| and |column difference|",
        source: CHAPTER,
        sensible_n: 15,
        ..searching(Representation::Columns)
    },
    /// [`crate::board::attack_count`]: how many queens above attack each square.
    AttackCount: About {
        summary: "a grid with -k in squares attacked by k queens above",
        source: ASSIGNMENT,
        sensible_n: 16,
        ..searching(Representation::AttackCount)
    },
    /// [`crate::board::first_attacker`]: the earliest queen that attacks each square.
    FirstAttacker: About {
        summary: "a grid with the earliest queen that attacks each square",
        source: LECTURE,
        sensible_n: 15,
        ..searching(Representation::FirstAttacker)
    },
    /// [`crate::board::lines`]: which rows, columns and diagonals are taken.
    Lines: About {
        summary: "flags for rows, columns and both kinds of diagonal, O(n) space",
        source: LECTURE,
        sensible_n: 16,
        ..searching(Representation::Lines)
    },
    /// [`crate::board::bitmask`]: three bit vectors.
    Bitmask: About {
        summary: "three bit vectors; all free squares of a row in one expression",
        source: RECITATION,
        sensible_n: 17,
        board: Some(BoardWay {
            largest_n: bitmask::LARGEST_N,
            fewer_queens: true,
            run: bitmask::count,
        }),
        ..searching(Representation::Bitmask)
    },
    /// [`crate::count::mirror`]: bit vectors, symmetry and lookahead.
    Mirror: About {
        name: "mirror",
        summary: "bit vectors, one of eight views of the edges, with lookahead, on all cores",
        source: "this project",
        largest_n: mirror::LARGEST_N,
        sensible_n: 18,
        parallel: true,
        way: Way::Count(mirror::count),
        board: Some(BoardWay {
            largest_n: mirror::LARGEST_N,
            fewer_queens: false,
            run: mirror::count_on,
        }),
        ..PLAIN
    },
    /// [`crate::count::two_colour_plain`]: black and white queens counted separately.
    TwoColourPlain: About {
        name: "two-colour-plain",
        summary: "black and white queens counted separately and joined, and nothing else",
        source: "this project",
        largest_n: two_colour_plain::LARGEST_N,
        sensible_n: 17,
        way: Way::Count(two_colour_plain::count),
        ..PLAIN
    },
    /// [`crate::count::two_colour`]: the same, with everything a machine has.
    TwoColour: About {
        name: "two-colour",
        summary: "the same with all eight symmetries, in vectors, on all cores",
        source: "this project",
        largest_n: two_colour::LARGEST_N,
        sensible_n: 21,
        parallel: true,
        simd: true,
        units: true,
        devices: &[DeviceKind::Cpu, DeviceKind::Gpu],
        way: Way::Count(two_colour::count),
        board: Some(BoardWay {
            largest_n: two_colour::LARGEST_N,
            fewer_queens: false,
            run: two_colour::count_on,
        }),
    },
}

impl Engine {
    /// The name, as given to `--engine`.
    pub fn name(self) -> &'static str {
        self.about().name
    }

    /// One line on how it works.
    pub fn summary(self) -> &'static str {
        self.about().summary
    }

    /// Where it comes from.
    pub fn source(self) -> &'static str {
        self.about().source
    }

    /// The largest plain board it accepts. For others see [`Engine::largest_n_of_boards`].
    pub fn largest_n(self) -> usize {
        self.about().largest_n
    }

    /// The largest board it counts in about a minute on one core of 2026.
    pub fn sensible_n(self) -> usize {
        self.about().sensible_n
    }

    /// Whether it uses more than one thread when allowed to.
    pub fn is_parallel(self) -> bool {
        self.about().parallel
    }

    /// Whether it uses the vector instructions that [`Count::simd`](super::Count::simd)
    /// chooses.
    pub fn has_simd(self) -> bool {
        self.about().simd
    }

    /// Whether its count is a sum over the numbered units of [`two_colour`], which can be
    /// counted and timed one by one.
    pub fn has_units(self) -> bool {
        self.about().units
    }

    /// Whether it counts on a [`Board`] with given queens and blocked squares.
    ///
    /// ```
    /// use queens::Engine;
    ///
    /// assert!(Engine::Bitmask.takes_boards() && !Engine::Lines.takes_boards());
    /// ```
    pub fn takes_boards(self) -> bool {
        self.about().board.is_some()
    }

    /// Whether it counts where there are fewer queens than rows.
    pub fn takes_fewer_queens(self) -> bool {
        self.board_way().is_some_and(|way| way.fewer_queens)
    }

    /// The largest board with given queens or blocked squares that it can count, if it takes
    /// boards at all.
    ///
    /// ```
    /// use queens::Engine;
    ///
    /// assert_eq!(Engine::Bitmask.largest_n_of_boards(), Some(64));
    /// assert_eq!(Engine::Lines.largest_n_of_boards(), None);
    /// ```
    pub fn largest_n_of_boards(self) -> Option<usize> {
        self.board_way().map(|way| way.largest_n)
    }

    /// How it counts on boards that are not plain.
    pub(super) fn board_way(self) -> Option<BoardWay> {
        self.about().board
    }

    /// Whether it can count on this kind of device.
    ///
    /// ```
    /// use queens::Engine;
    /// use queens::count::DeviceKind;
    ///
    /// assert!(Engine::TwoColour.counts_on(DeviceKind::Gpu));
    /// assert!(!Engine::Bitmask.counts_on(DeviceKind::Gpu));
    /// ```
    pub fn counts_on(self, device: DeviceKind) -> bool {
        self.about().devices.contains(&device)
    }

    /// The board it searches, unless it only counts.
    pub fn representation(self) -> Option<Representation> {
        match self.way() {
            Way::Search(representation) => Some(representation),
            Way::Count(_) => None,
        }
    }

    /// How it counts.
    pub(super) fn way(self) -> Way {
        self.about().way
    }

    /// The board this engine searches, if it has one that holds `n` queens.
    pub(crate) fn representation_for(self, n: usize) -> Result<Representation, SearchError> {
        let representation = self
            .representation()
            .ok_or(SearchError::CountsOnly { engine: self })?;
        let largest = representation.largest_n();
        if n > largest {
            return Err(SearchError::TooLarge {
                engine: self,
                n,
                largest,
            });
        }
        Ok(representation)
    }
}

/// Writes [`Engine::name`].
impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads [`Engine::name`].
impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Engine, UnknownEngine> {
        let mut all = ENGINES.iter().copied();
        all.find(|engine| engine.name() == name)
            .ok_or_else(|| UnknownEngine(name.to_owned()))
    }
}

/// The engine that searches this board.
///
/// ```
/// use queens::{Engine, board::Representation};
///
/// assert_eq!(Engine::from(Representation::Lines), Engine::Lines);
/// ```
impl From<Representation> for Engine {
    fn from(representation: Representation) -> Engine {
        let mut all = ENGINES.iter().copied();
        all.find(|engine| engine.representation() == Some(representation))
            .expect("every board is an engine")
    }
}

/// An engine is its name.
#[cfg(feature = "serde")]
impl serde::Serialize for Engine {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// An engine is its name.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Engine {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Engine, D::Error> {
        let name = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

/// No engine has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEngine(String);

impl fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = ENGINES.iter().map(|engine| engine.name()).collect();
        write!(
            f,
            "no engine is called {:?}; there are {}",
            self.0,
            names.join(", ")
        )
    }
}

impl std::error::Error for UnknownEngine {}

/// A kind of device on which an engine may count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// The processor; every engine counts there.
    Cpu,
    /// A graphics card. This library does not use one: the crate `queens-cuda` does, unit by
    /// unit.
    Gpu,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_is_an_engine_of_the_same_name() {
        for representation in Representation::ALL {
            let engine = Engine::from(representation);
            assert_eq!(engine.representation(), Some(representation));
            assert_eq!(engine.name(), representation.name());
        }
    }

    #[test]
    fn every_row_is_filled_in() {
        for engine in ENGINES {
            let about = engine.about();
            assert!(!about.name.is_empty() && !about.summary.is_empty());
            assert!(!about.source.is_empty() && about.sensible_n > 0);
            assert!(engine.counts_on(DeviceKind::Cpu), "{engine}");
        }
    }
}
