//! The two colours of a class: which boards they have, and which of them is stored.
//!
//! For given rows each colour is a matrix of counts by (`even_index`, `odd_index`). A cell
//! counts pairs of a *walked* placement, on the colour's board with even columns, and a
//! *scanned* one, on its board with odd columns, without a common line:
//!
//! ```text
//!             walked                         scanned
//!   black     even_even, of the even rows    odd_odd,  of the odd rows
//!   white     odd_even,  of the odd rows     even_odd, of the even rows
//! ```
//!
//! White stands in the rows and columns that black leaves, so white's sets are complemented.
//! The colour with fewer queens is cheaper per placement and is *stored*: its matrix is
//! written down. The other one *gathers*: its counts are multiplied with the stored ones at
//! once, and only the sum is kept.

use super::allowed::Parity;
use super::placements::Side;
use super::sets::Set;
use super::split::{SmallBoard, Split};
use super::symmetry::Class;

/// The even and the odd rows that hold black queens. A side depends on one of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSet {
    pub even: Set,
    pub odd: Set,
}

/// Whether black has more queens in a class, so that it gathers and white is stored.
pub(crate) fn black_gathers(split: Split, white_queens: u32) -> bool {
    split.n - 2 * white_queens > 2 * white_queens
}

/// The two small boards of one colour, and how their columns become those of black queens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColourBoards {
    /// The board with even columns.
    pub walk_board: SmallBoard,
    /// The board with odd columns.
    pub scan_board: SmallBoard,
    /// All even columns for white, none for black.
    pub walk_complement: Set,
    /// All odd columns for white, none for black.
    scan_complement: Set,
    is_black: bool,
}

impl ColourBoards {
    /// The boards of black.
    pub fn black(class: &Class) -> ColourBoards {
        ColourBoards {
            walk_board: class.split.even_even(),
            scan_board: class.split.odd_odd(),
            walk_complement: Set::EMPTY,
            scan_complement: Set::EMPTY,
            is_black: true,
        }
    }

    /// The boards of white.
    pub fn white(class: &Class) -> ColourBoards {
        ColourBoards {
            walk_board: class.split.odd_even(),
            scan_board: class.split.even_odd(),
            walk_complement: Set::full(class.split.even),
            scan_complement: Set::full(class.split.odd),
            is_black: false,
        }
    }

    /// The colour that gathers and the colour that is stored.
    pub fn roles(class: &Class) -> (ColourBoards, ColourBoards) {
        let (black, white) = (ColourBoards::black(class), ColourBoards::white(class));
        match black_gathers(class.split, class.white_queens) {
            true => (black, white),
            false => (white, black),
        }
    }

    /// How many queens the colour has.
    pub fn queens(&self, class: &Class) -> u32 {
        self.walk_queens(class) + self.scan_queens(class)
    }

    /// How many of them are walked.
    pub fn walk_queens(&self, class: &Class) -> u32 {
        match self.is_black {
            true => class.even_black,
            false => class.white_queens,
        }
    }

    /// How many of them are scanned.
    pub fn scan_queens(&self, class: &Class) -> u32 {
        match self.is_black {
            true => class.odd_black,
            false => class.white_queens,
        }
    }

    /// The parity of the rows of the board with these columns.
    fn parity(&self, cols: Parity) -> Parity {
        match (self.is_black, cols) {
            (true, cols) => cols,
            (false, Parity::Even) => Parity::Odd,
            (false, Parity::Odd) => Parity::Even,
        }
    }

    /// Whether the walked board has the even rows (and the scanned one the odd rows).
    pub fn walks_even_rows(&self) -> bool {
        self.is_black
    }

    /// The walked side for a row set, with indices below `limit`.
    pub fn walk_side<'a>(&self, class: &'a Class, rows: RowSet, limit: u32) -> Side<'a> {
        Side {
            board: self.walk_board,
            rows: match self.is_black {
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
            rows: match self.is_black {
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
