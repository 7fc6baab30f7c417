//! What is left of a board once the given queens stand, for searches.

use super::Board;
use crate::line::Line;
use crate::placement::Square;

/// A row without a given queen, on a board of up to 64 columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenRow {
    /// Its number.
    pub(crate) row: usize,
    /// Bit `c` is set where column `c` is neither blocked nor attacked by a given queen.
    pub(crate) free: u64,
}

impl Board {
    /// The rows without a given queen, from the top; `None` if a row does not fit a word.
    pub(crate) fn open_rows(&self) -> Option<Vec<OpenRow>> {
        if self.n() > u64::BITS as usize {
            return None;
        }
        let held: Vec<usize> = self.given().iter().map(|queen| queen.row).collect();
        let open = (0..self.n()).filter(|row| held.binary_search(row).is_err());
        let free = |row| {
            self.free_squares(row)
                .fold(0, |set, square| set | 1 << square.col)
        };
        Some(
            open.map(|row| OpenRow {
                row,
                free: free(row),
            })
            .collect(),
        )
    }
}

/// Which lines the given queens of a board take.
#[derive(Clone, Debug)]
pub(crate) struct GivenLines {
    n: usize,
    taken: [Vec<bool>; 4],
}

impl GivenLines {
    pub(crate) fn new(board: &Board) -> GivenLines {
        let n = board.n();
        let mut lines = GivenLines {
            n,
            taken: [n, n, 2 * n, 2 * n].map(|length| vec![false; length]),
        };
        for &queen in board.given() {
            lines.mark(queen, true);
        }
        lines
    }

    /// Takes the lines through a square, or gives them back.
    pub(crate) fn mark(&mut self, square: Square, taken: bool) {
        for line in Line::ALL {
            let at = self.place(line, square);
            self.taken[line as usize][at] = taken;
        }
    }

    /// The number of the line through a square, from 0.
    fn place(&self, line: Line, square: Square) -> usize {
        match line {
            Line::Diag => square.row + self.n - square.col,
            line => line.through(square) as usize,
        }
    }

    /// Whether a given queen stands on this line.
    pub(crate) fn takes(&self, line: Line, square: Square) -> bool {
        self.taken[line as usize][self.place(line, square)]
    }

    /// Whether a given queen stands on the square or attacks it.
    pub(crate) fn attack(&self, square: Square) -> bool {
        Line::ALL.into_iter().any(|line| self.takes(line, square))
    }
}
