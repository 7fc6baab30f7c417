//! The boards of the course documents: one file per representation.
//!
//! Every backtracker asks its board the same three things: is this square free, put a
//! queen there, take it away again. What differs is what the board remembers in between,
//! and that decides how fast the questions are answered. A [`SearchBoard`] is filled from row 0
//! downwards and emptied in the opposite order, as the search does it.
//!
//! | module | what is remembered | free? | place and remove |
//! |---|---|---|---|
//! | [`byte_grid`] | a byte per square | O(n) | O(1) |
//! | [`bit_grid`] | a bit per square | O(n) | O(1) |
//! | [`columns`] | a column per row | O(n) | O(1) |
//! | [`attack_count`] | how many queens above attack each square | O(1) | O(n) |
//! | [`first_attacker`] | the earliest queen attacking each square | O(1) | O(n) |
//! | [`lines`] | which rows, columns and diagonals are taken | O(1) | O(1) |
//! | [`bitmask`] | three bit vectors per row | O(1) for a whole row | O(1) |

pub mod attack_count;
pub mod bit_grid;
pub mod bitmask;
pub mod byte_grid;
pub mod columns;
pub mod first_attacker;
pub mod lines;

pub use attack_count::AttackCount;
pub use bit_grid::BitGrid;
pub use bitmask::Bitmask;
pub use byte_grid::ByteGrid;
pub use columns::Columns;
pub use first_attacker::FirstAttacker;
pub use lines::Lines;

use crate::line::Attack;
use crate::named::named;
use crate::placement::Square;
use crate::search::{OnBoard, Search, on_board};

/// A board that is filled row by row.
///
/// The rows `0..row` hold one queen each whenever a method is called with `row`; queens
/// are removed in the opposite order of their placing. [`crate::search`] keeps to that.
///
/// ```
/// use queens::Line;
/// use queens::board::{SearchBoard, Lines};
///
/// let mut board = Lines::new(4);
/// board.place(0, 1);
/// assert!(!board.is_free(1, 2) && board.is_free(1, 3));
/// assert_eq!(board.attack(1, 2).unwrap().line, Line::Diag);
/// board.remove(0, 1);
/// assert!(board.is_free(1, 2));
/// ```
pub trait SearchBoard {
    /// An empty board.
    ///
    /// # Panics
    ///
    /// When `n` is above the limit of the representation, [`Representation::largest_n`].
    fn new(n: usize) -> Self
    where
        Self: Sized;

    /// The size of the board.
    fn n(&self) -> usize;

    /// The column of the queen in `row`, if that row holds one.
    fn queen(&self, row: usize) -> Option<usize>;

    /// Whether no queen of the rows above attacks this square.
    fn is_free(&self, row: usize, col: usize) -> bool;

    /// Puts a queen on a free square of the first empty row.
    fn place(&mut self, row: usize, col: usize);

    /// Takes away the queen that was placed last.
    fn remove(&mut self, row: usize, col: usize);

    /// The earliest queen of the rows above that attacks this square, and its line.
    ///
    /// Boards that do not remember it look at the queens one by one.
    fn attack(&self, row: usize, col: usize) -> Option<Attack> {
        let square = Square::new(row, col);
        (0..row).find_map(|queen| Attack::between(Square::new(queen, self.queen(queen)?), square))
    }

    /// Writes the column of each row's queen into `cols`, from row 0 to its end.
    ///
    /// # Panics
    ///
    /// When one of those rows is empty.
    fn copy_cols(&self, cols: &mut [usize]) {
        for (row, col) in cols.iter_mut().enumerate() {
            *col = self.queen(row).expect("every row copied holds a queen");
        }
    }
}

/// The names of the representations, to choose one at run time.
///
/// Each is also an [`Engine`](crate::Engine), which counts by searching this board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Representation {
    /// [`ByteGrid`].
    ByteGrid,
    /// [`BitGrid`].
    BitGrid,
    /// [`Columns`].
    Columns,
    /// [`AttackCount`].
    AttackCount,
    /// [`FirstAttacker`].
    FirstAttacker,
    /// [`Lines`].
    Lines,
    /// [`Bitmask`].
    Bitmask,
}

/// What a representation costs on a board of n by n, for people to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cost {
    /// How much memory the board takes.
    pub space: &'static str,
    /// The time to place a queen.
    pub place: &'static str,
    /// The time to tell whether a square is free.
    pub test: &'static str,
    /// The time to take a queen back.
    pub undo: &'static str,
    /// The time to find all free squares of a row.
    pub row: &'static str,
}

impl Representation {
    /// All of them, simplest to fastest.
    pub const ALL: [Representation; 7] = [
        Representation::ByteGrid,
        Representation::BitGrid,
        Representation::Columns,
        Representation::AttackCount,
        Representation::FirstAttacker,
        Representation::Lines,
        Representation::Bitmask,
    ];

    /// The name of the representation and of the engine built on it.
    ///
    /// ```
    /// use queens::board::Representation;
    ///
    /// assert_eq!(Representation::AttackCount.name(), "attack-count");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Representation::ByteGrid => "byte-grid",
            Representation::BitGrid => "bit-grid",
            Representation::Columns => "columns",
            Representation::AttackCount => "attack-count",
            Representation::FirstAttacker => "first-attacker",
            Representation::Lines => "lines",
            Representation::Bitmask => "bitmask",
        }
    }

    /// What it costs, in the words of the lecture's question: how much space, and can we improve?
    ///
    /// ```
    /// use queens::board::Representation;
    ///
    /// assert_eq!(Representation::FirstAttacker.cost().space, "n² numbers");
    /// assert!(Representation::Lines.cost().place.starts_with("O(1)"));
    /// ```
    pub fn cost(self) -> Cost {
        let cost = |space, place, test, undo, row| Cost {
            space,
            place,
            test,
            undo,
            row,
        };
        match self {
            Representation::ByteGrid => cost(
                "n² bytes",
                "O(1): one byte",
                "O(n): up to 3 walks",
                "O(1)",
                "O(n²)",
            ),
            Representation::BitGrid => cost(
                "n² bits",
                "O(1): one bit",
                "O(n): the same walks",
                "O(1)",
                "O(n²)",
            ),
            Representation::Columns => cost(
                "n bytes",
                "O(1): one byte",
                "O(n): compare with every queen above",
                "O(1)",
                "O(n²)",
            ),
            Representation::AttackCount => cost(
                "(n+1)² numbers",
                "O(n): up to 3 squares in each row below",
                "O(1): one number",
                "O(n): add again",
                "O(n)",
            ),
            Representation::FirstAttacker => cost(
                "n² numbers",
                "O(n): column and diagonals",
                "O(1): one number",
                "O(n): clear her own",
                "O(n)",
            ),
            Representation::Lines => cost(
                "6n - 2 flags",
                "O(1): four flags",
                "O(1): four flags",
                "O(1): four flags",
                "O(n)",
            ),
            Representation::Bitmask => cost(
                "3 words a row, in registers",
                "O(1): two shifts, three ors",
                "O(1), 32 squares at once",
                "nothing: the caller still has its own",
                "O(1)",
            ),
        }
    }

    /// The largest board it can hold: 255, so that a column fits a byte, and 32 for
    /// [`Bitmask`], whose rows are 32-bit words.
    pub const fn largest_n(self) -> usize {
        match self {
            Representation::Bitmask => 32,
            _ => 255,
        }
    }

    /// An empty board of this representation.
    ///
    /// # Panics
    ///
    /// When `n` is above [`Representation::largest_n`].
    ///
    /// ```
    /// use queens::board::Representation;
    ///
    /// let mut board = Representation::Lines.board(8);
    /// board.place(0, 3);
    /// assert_eq!(board.queen(0), Some(3));
    /// ```
    pub fn board(self, n: usize) -> Box<dyn SearchBoard> {
        struct Boxed;
        impl OnBoard for Boxed {
            type Output = Box<dyn SearchBoard>;

            fn run<B: Search + 'static>(self, board: B) -> Box<dyn SearchBoard> {
                Box::new(board)
            }
        }
        on_board(self, n, Boxed)
    }

    /// Panics with one message for every representation when the board is too large.
    fn assert_holds(self, n: usize) {
        let largest = self.largest_n();
        assert!(
            n <= largest,
            "a {} board ends at n = {largest}",
            self.name()
        );
    }
}

named! {
    Representation, "representation",
    /// No representation has this name.
    ///
    /// ```
    /// use queens::board::Representation;
    ///
    /// assert_eq!("lines".parse(), Ok(Representation::Lines));
    /// assert_eq!(Representation::Lines.to_string(), "lines");
    /// assert_eq!(
    ///     "other".parse::<Representation>().unwrap_err().to_string(),
    ///     "no representation is called \"other\"; there are byte-grid, bit-grid, columns, \
    ///      attack-count, first-attacker, lines, bitmask"
    /// );
    /// ```
    UnknownRepresentation
}
