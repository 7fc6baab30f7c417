//! The two colours of a class: which boards they have, and which of them is stored.
//!
//! For given rows each colour is a matrix of counts by (`even_index`, `odd_index`). A cell
//! counts the pairs of a *walked* placement, on the colour's board with even columns, and a
//! *scanned* placement, on its board with odd columns, that have no line in common:
//!
//! ```text
//!             walked                         scanned
//!   white     even_even, of the even rows    odd_odd,  of the odd rows
//!   black     odd_even,  of the odd rows     even_odd, of the even rows
//! ```
//!
//! Black stands in the rows and columns that white leaves, so black's sets are complemented.
//! The colour with fewer queens is cheaper per placement and is *stored*: its matrix is written
//! down. If both have as many, that is white. The other colour *gathers*: its counts are
//! multiplied with the stored ones at once, and only the sum is kept.

use super::allowed::Parity;
use super::placements::Side;
use super::sets::Set;
use super::split::{SmallBoard, Split};
use super::symmetry::Class;

/// The even and the odd rows that hold white queens. A side depends on one of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSet {
    pub even: Set,
    pub odd: Set,
}

/// Whether white has more queens in a class, so that it gathers and black is stored.
pub(crate) fn white_gathers(split: Split, black_queens: u32) -> bool {
    split.n - 2 * black_queens > 2 * black_queens
}

/// The two small boards of one colour, and how their columns become those of white queens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColourBoards {
    /// The board with even columns.
    pub walk_board: SmallBoard,
    /// The board with odd columns.
    pub scan_board: SmallBoard,
    /// All even columns for black, none for white.
    pub walk_complement: Set,
    /// All odd columns for black, none for white.
    scan_complement: Set,
    is_white: bool,
}

impl ColourBoards {
    /// The boards of white.
    pub fn white(class: &Class) -> ColourBoards {
        ColourBoards {
            walk_board: class.split.even_even(),
            scan_board: class.split.odd_odd(),
            walk_complement: Set::EMPTY,
            scan_complement: Set::EMPTY,
            is_white: true,
        }
    }

    /// The boards of black.
    pub fn black(class: &Class) -> ColourBoards {
        ColourBoards {
            walk_board: class.split.odd_even(),
            scan_board: class.split.even_odd(),
            walk_complement: Set::full(class.split.even),
            scan_complement: Set::full(class.split.odd),
            is_white: false,
        }
    }

    /// The colour that gathers and the colour that is stored.
    pub fn roles(class: &Class) -> (ColourBoards, ColourBoards) {
        let (white, black) = (ColourBoards::white(class), ColourBoards::black(class));
        match white_gathers(class.split, class.black_queens) {
            true => (white, black),
            false => (black, white),
        }
    }

    /// How many queens the colour has.
    pub fn queens(&self, class: &Class) -> u32 {
        self.walk_queens(class) + self.scan_queens(class)
    }

    /// How many of its queens are walked.
    pub fn walk_queens(&self, class: &Class) -> u32 {
        match self.is_white {
            true => class.even_white,
            false => class.black_queens,
        }
    }

    /// How many of its queens are scanned.
    pub fn scan_queens(&self, class: &Class) -> u32 {
        match self.is_white {
            true => class.odd_white,
            false => class.black_queens,
        }
    }

    /// The parity of the rows of the board with these columns.
    fn parity(&self, cols: Parity) -> Parity {
        match (self.is_white, cols) {
            (true, cols) => cols,
            (false, Parity::Even) => Parity::Odd,
            (false, Parity::Odd) => Parity::Even,
        }
    }

    /// Whether the walked board has the even rows (and the scanned one the odd rows).
    pub fn walks_even_rows(&self) -> bool {
        self.is_white
    }

    /// The walked side for a row set, with indices below `limit`.
    pub fn walk_side<'a>(&self, class: &'a Class, rows: RowSet, limit: u32) -> Side<'a> {
        Side {
            board: self.walk_board,
            rows: match self.is_white {
                true => rows.even,
                false => rows.odd.complement(class.split.odd),
            },
            complement: self.walk_complement,
            index_of: class.even_indices(),
            limit,
            allowed: class.allowed(self.parity(Parity::Even), Parity::Even),
        }
    }

    /// The scanned side for a row set, with indices below `limit`.
    pub fn scan_side<'a>(&self, class: &'a Class, rows: RowSet, limit: u32) -> Side<'a> {
        Side {
            board: self.scan_board,
            rows: match self.is_white {
                true => rows.odd,
                false => rows.even.complement(class.split.even),
            },
            complement: self.scan_complement,
            index_of: class.odd_indices(),
            limit,
            allowed: class.allowed(self.parity(Parity::Odd), Parity::Odd),
        }
    }
}
