//! What is wrong with a placement that should answer a board.
//!
//! [`crate::check`] judges a placement by the rule of the game; a board asks for more: its
//! size, its number of queens, the given ones in their places, none on a blocked square.
//! Everything that is wrong is named, not only the first thing.

use std::fmt;

use super::Board;
use crate::check;
use crate::line::Attack;
use crate::origin::Origin;
use crate::placement::{Placement, Square};

/// What [`Board::check`] says about a placement.
#[derive(Clone, Copy, Debug)]
pub struct BoardReport<'a> {
    board: &'a Board,
    placement: &'a Placement,
}

impl<'a> BoardReport<'a> {
    pub(super) fn new(board: &'a Board, placement: &'a Placement) -> BoardReport<'a> {
        BoardReport { board, placement }
    }

    /// Whether the placement answers the board.
    pub fn is_answer(&self) -> bool {
        self.has_size()
            && self.has_queens()
            && self.missing().next().is_none()
            && self.on_blocked().next().is_none()
            && check::check(self.placement).is_peaceful()
    }

    /// Whether the placement is on a board of the same size.
    pub fn has_size(&self) -> bool {
        self.placement.n() == self.board.n()
    }

    /// Whether there are as many queens as the board asks for.
    pub fn has_queens(&self) -> bool {
        self.placement.queens().len() == self.board.queens()
    }

    /// The given queens that the placement lacks, sorted.
    pub fn missing(&self) -> impl Iterator<Item = Square> + use<'a> {
        let queens = self.placement.queens();
        let given = self.board.given().iter().copied();
        given.filter(move |given| queens.binary_search(given).is_err())
    }

    /// The queens that stand on blocked squares, sorted.
    pub fn on_blocked(&self) -> impl Iterator<Item = Square> + use<'a> {
        let board = self.board;
        let queens = self.placement.queens().iter().copied();
        queens.filter(move |&queen| board.is_blocked(queen))
    }

    /// Every pair of queens that attack each other, sorted. The iterator finds them one by one.
    pub fn attacks(&self) -> impl Iterator<Item = Attack> + use<'a> {
        check::check(self.placement).attacks()
    }
}

/// Writes `an answer`, or one line for each thing that is wrong. Counts from 1, with `{:#}` from 0.
impl fmt::Display for BoardReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_answer() {
            return f.write_str("an answer");
        }
        let origin = Origin::of(f);
        let mut end = "";
        let mut line = |text: fmt::Arguments<'_>| {
            write!(f, "{end}{text}")?;
            end = "\n";
            Ok(())
        };
        let (n, queens) = (self.board.n(), self.board.queens());
        if !self.has_size() {
            let size = self.placement.n();
            line(format_args!("a board of size {size}, not {n}"))?;
        }
        if !self.has_queens() {
            let stand = self.placement.queens().len();
            let s = if stand == 1 { "" } else { "s" };
            line(format_args!("{stand} queen{s} on the board, not {queens}"))?;
        }
        for square in self.missing() {
            let square = square.told(origin);
            line(format_args!("the given queen on {square} is missing"))?;
        }
        for square in self.on_blocked() {
            let square = square.told(origin);
            line(format_args!(
                "the queen on {square} stands on a blocked square"
            ))?;
        }
        for attack in self.attacks() {
            line(format_args!("{}", attack.told(origin)))?;
        }
        Ok(())
    }
}
