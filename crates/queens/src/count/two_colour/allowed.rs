//! A board with given queens and blocked squares, as the small boards see it.
//!
//! The two-colour identity needs only that the queens of a colour stay on its squares: take some
//! squares away, and white and black placements still meet in rows and columns only. So blocked
//! squares, and squares that a given queen attacks, are left out when the placements of a small
//! board are listed. Nothing after the lists changes. In the row of a given queen only her own
//! square is left:
//!
//! ```text
//!   n = 6           even_even   even_odd         x: attacked by the given queen
//!   . . . . . .     . x .       x x .
//!   . . Q . . .                                  Her square is black, so row 1 and column 2
//!   . . . . # .     . x #       x x .            never hold a white queen.
//!   . . . . . .
//!   . . . . . .     . x .       . . x
//!   . . . . . .
//! ```
//!
//! Row sets and column sets are not visited if some row or column has no square for the queen
//! that they give it. A board may keep some of the eight symmetries. Those that map rows to rows
//! fold the row sets here: of row sets that are images of each other, only one is visited. A
//! board that keeps all eight, such as one with blocked corners, is folded like the plain one,
//! rows against columns too ([`super::symmetry`]).

use super::sets::Set;
use super::split::Split;
use crate::puzzle::Board;
use crate::symmetry::Symmetry;

/// The squares of each small board on which queens may stand.
#[derive(Clone, Debug)]
pub(crate) struct Allowed {
    split: Split,
    /// `rows[p][q][i]` are the columns of parity `q` that row `2 i + p` of the board allows.
    rows: [[Vec<Set>; 2]; 2],
    /// The symmetries that keep the board and map rows to rows.
    kept: Vec<Symmetry>,
    /// Whether all eight symmetries keep it.
    keeps_all: bool,
}

/// Whether the number of a row (or column) is even or odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parity {
    /// Even.
    Even,
    /// Odd.
    Odd,
}

impl Allowed {
    /// What a board allows.
    pub fn new(board: &Board) -> Allowed {
        let split = Split::new(board.n() as u32);
        let mut rows = [split.even, split.odd].map(|height| {
            let none = vec![Set::EMPTY; height as usize];
            [none.clone(), none]
        });
        let free = (0..board.n()).flat_map(|row| board.free_squares(row));
        for square in free.chain(board.given().iter().copied()) {
            let set = &mut rows[square.row % 2][square.col % 2][square.row / 2];
            *set = set.with((square.col / 2) as u32);
        }
        let keeps_rows = |symmetry: &Symmetry| {
            use Symmetry::{Half, Identity, LeftRight, TopBottom};
            matches!(symmetry, Identity | LeftRight | TopBottom | Half)
        };
        Allowed {
            split,
            rows,
            kept: board.symmetries().filter(keeps_rows).collect(),
            keeps_all: board.symmetries().count() == Symmetry::ALL.len(),
        }
    }

    /// The small boards.
    pub fn split(&self) -> Split {
        self.split
    }

    /// Whether the board keeps all eight symmetries.
    pub fn keeps_all(&self) -> bool {
        self.keeps_all
    }

    /// The columns allowed in each row of the small board of these parities.
    pub fn rows(&self, rows: Parity, cols: Parity) -> &[Set] {
        &self.rows[rows as usize][cols as usize]
    }

    /// Whether white queens can have exactly the rows `white` of a parity: whether each row has
    /// an allowed square of its queen's colour.
    pub fn fits_rows(&self, parity: Parity, white: Set) -> bool {
        let [even, odd] = &self.rows[parity as usize];
        let (whites, blacks) = match parity {
            Parity::Even => (even, odd),
            Parity::Odd => (odd, even),
        };
        (0..)
            .zip(whites.iter().zip(blacks))
            .all(|(i, (whites, blacks))| {
                let squares = if white.contains(i) { whites } else { blacks };
                !squares.is_empty()
            })
    }

    /// The same for columns.
    pub fn fits_cols(&self, parity: Parity, white: Set) -> bool {
        let union = |rows: Parity| {
            let rows = self.rows(rows, parity).iter();
            rows.fold(Set::EMPTY, |union, &cols| union | cols)
        };
        let (even, odd) = (union(Parity::Even), union(Parity::Odd));
        let (whites, blacks, size) = match parity {
            Parity::Even => (even, odd, self.split.even),
            Parity::Odd => (odd, even, self.split.odd),
        };
        (0..size).all(|j| match white.contains(j) {
            true => whites.contains(j),
            false => blacks.contains(j),
        })
    }

    /// How many row sets this one stands for; 0 when one of its images stands for it.
    ///
    /// Mirroring a board of even size left to right, or top to bottom, swaps the colours, so
    /// the rows of its black queens become those of its white queens.
    pub fn row_weight(&self, even: Set, odd: Set) -> u64 {
        let n = self.split.n;
        let spread = |set: Set, first: u32| {
            let rows = set.into_iter().map(move |i| 2 * i + first);
            rows.fold(Set::EMPTY, Set::with)
        };
        let rows = spread(even, 0) | spread(odd, 1);
        let image = |symmetry: &Symmetry| {
            let turned = match symmetry {
                Symmetry::TopBottom | Symmetry::Half => rows.reverse(n),
                _ => rows,
            };
            let swaps = matches!(symmetry, Symmetry::LeftRight | Symmetry::TopBottom);
            match swaps && !self.split.is_odd() {
                true => turned.complement(n),
                false => turned,
            }
        };
        let mut images: Vec<Set> = self.kept.iter().map(image).collect();
        images.sort_unstable();
        images.dedup();
        match images.first() == Some(&rows) {
            true => images.len() as u64,
            false => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_that_is_left_is_on_one_small_board() {
        let text = "......\n..Q...\n....#.\n......\n......\n......";
        let board: Board = text.parse().unwrap();
        let allowed = Allowed::new(&board);
        let ees = allowed.rows(Parity::Even, Parity::Even);
        assert_eq!(ees, [Set(0b101), Set(0b001), Set(0b101)]);
        let eos = allowed.rows(Parity::Even, Parity::Odd);
        assert_eq!(eos, [Set(0b100), Set(0b100), Set(0b011)]);
        let parities = [Parity::Even, Parity::Odd];
        let sets = parities.map(|p| parities.map(|q| allowed.rows(p, q).to_vec()));
        let squares: u32 = sets.iter().flatten().flatten().map(|set| set.len()).sum();
        let free: usize = (0..6).map(|row| board.free_squares(row).count()).sum();
        assert_eq!(squares as usize, free + 1);
        // The given queen's row and column hold a black queen.
        for set in (0..8).map(Set) {
            assert!(!allowed.fits_rows(Parity::Odd, set) || !set.contains(0));
            assert!(!allowed.fits_cols(Parity::Even, set) || !set.contains(1));
        }
    }

    /// The weights of all row sets add up to their number, whatever symmetries are kept.
    #[test]
    fn row_weights_add_up_to_all_row_sets() {
        for n in 1..=9usize {
            for text in [".", "#", "corner"] {
                let mut board = Board::new(n);
                let squares: &[(usize, usize)] = match text {
                    "#" => &[(0, 0), (0, n - 1), (n - 1, 0), (n - 1, n - 1)],
                    "corner" => &[(0, 0), (n - 1, n - 1)],
                    _ => &[],
                };
                let squares = squares.iter().map(|&square| square.into());
                board = board.with_blocked(squares).unwrap();
                let allowed = Allowed::new(&board);
                let Split { even, odd, .. } = allowed.split();
                let mut sum = 0;
                for e in (0..1 << even).map(Set) {
                    for o in (0..1 << odd).map(Set) {
                        sum += allowed.row_weight(e, o);
                    }
                }
                assert_eq!(sum, 1 << n, "n = {n} {text}");
            }
        }
    }
}
