//! Local search: a full board with a few attacks on it, mended queen by queen.
//!
//! For large boards a search that places queens one after the other is the wrong tool, and
//! one that begins with all of them is nearly instant. Every row without a given queen gets
//! one of the columns that are left, each column once, so that only diagonals and blocked
//! squares can be wrong. Rows take a random column without an attack as long as one is found
//! within a few tries; the last few get what is left. Then queens that are attacked or stand
//! on a blocked square swap columns with random others, whenever that leaves fewer faults.
//!
//! ```text
//! Q . . .        two faults:            . . Q .        rows 1 and 2 swapped columns,
//! . . Q .        (1,1)-(4,4),           Q . . .        none is left
//! . . . Q        (2,3)-(3,4)
//! ```
//!
//! With fewer queens than rows some queens are left out in the end, those with the most faults
//! first. Each of them takes one to three faults with her.
//!
//! It finds solutions of boards with a hundred thousand rows in a moment, because they have very
//! many. It can never say that there is none, and if solutions are rare it walks in circles: that
//! is what [`super::exact`] is for. The idea is R. Sosič and J. Gu's (Efficient local search with
//! conflict minimization, 1994).

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::placement::Square;
use crate::puzzle::{Board, GivenLines};
use crate::random::Random;

/// Random columns that a row tries before it is left for the end.
const FIRST_TRIES: usize = 60;

/// Random partners that a queen in trouble tries before she gives up for now.
const PARTNERS: usize = 50;

/// One in this many queens in trouble takes any partner, to get out of a circle.
const NOISE: u64 = 50;

/// Steps between two looks at the stop flag.
const STEPS_BETWEEN_LOOKS: u64 = 1_000;

/// The most faults that go when a queen is left out: on each diagonal, and on a blocked square.
const MOST_FAULTS: u64 = 3;

/// A full board that is being mended.
#[derive(Debug)]
pub(super) struct Local<'a> {
    board: &'a Board,
    /// The rows without a given queen, and the column of each.
    rows: Vec<usize>,
    cols: Vec<usize>,
    /// How many queens stand on each diagonal and anti-diagonal, the given ones included.
    diag: Vec<u32>,
    anti: Vec<u32>,
    /// The queens of each diagonal and anti-diagonal beyond the first, and the queens on blocked
    /// squares.
    faults: u64,
    /// How many queens of a full board may be left out, and how many are to be added.
    allowed: u64,
    queens_left: usize,
    /// Steps since it was tried what is left without the queens in faults.
    untried: usize,
    /// Rows to look at, as places in `rows`; some may be in order by now.
    suspects: Vec<usize>,
    random: Random,
}

impl<'a> Local<'a> {
    /// A first board for this problem, which needs no more queens than it has rows; `None`
    /// if `stop` becomes true.
    pub(super) fn new(board: &'a Board, random: Random, stop: &AtomicBool) -> Option<Local<'a>> {
        let n = board.n();
        let given = GivenLines::new(board);
        let free_row = |&row: &usize| !given.takes(crate::Line::Row, Square::new(row, 0));
        let free_col = |&col: &usize| !given.takes(crate::Line::Column, Square::new(0, col));
        let mut local = Local {
            board,
            rows: (0..n).filter(free_row).collect(),
            cols: (0..n).filter(free_col).collect(),
            diag: vec![0; 2 * n],
            anti: vec![0; 2 * n],
            faults: 0,
            allowed: (n - board.queens()) as u64,
            queens_left: board.queens() - board.given().len(),
            untried: 0,
            suspects: Vec::new(),
            random,
        };
        for &queen in board.given() {
            local.add(queen);
        }
        local.begin(stop).then_some(local)
    }

    fn square(&self, place: usize) -> Square {
        Square::new(self.rows[place], self.cols[place])
    }

    fn line_numbers(&self, square: Square) -> (usize, usize) {
        (
            square.row + self.board.n() - square.col,
            square.row + square.col,
        )
    }

    fn add(&mut self, square: Square) {
        let (diag, anti) = self.line_numbers(square);
        self.faults += u64::from(self.diag[diag] > 0) + u64::from(self.anti[anti] > 0);
        self.faults += u64::from(self.board.is_blocked(square));
        self.diag[diag] += 1;
        self.anti[anti] += 1;
    }

    fn remove(&mut self, square: Square) {
        let (diag, anti) = self.line_numbers(square);
        self.diag[diag] -= 1;
        self.anti[anti] -= 1;
        self.faults -= u64::from(self.diag[diag] > 0) + u64::from(self.anti[anti] > 0);
        self.faults -= u64::from(self.board.is_blocked(square));
    }

    /// Whether a queen could come here without a fault.
    fn is_clean(&self, square: Square) -> bool {
        let (diag, anti) = self.line_numbers(square);
        self.diag[diag] == 0 && self.anti[anti] == 0 && !self.board.is_blocked(square)
    }

    /// How many faults the queen of a row is part of.
    fn faults_of(&self, place: usize) -> u8 {
        let square = self.square(place);
        let (diag, anti) = self.line_numbers(square);
        u8::from(self.diag[diag] > 1)
            + u8::from(self.anti[anti] > 1)
            + u8::from(self.board.is_blocked(square))
    }

    /// Whether the queen of a row is part of a fault.
    fn is_suspect(&self, place: usize) -> bool {
        self.faults_of(place) > 0
    }

    /// The rows whose queens are part of a fault.
    fn all_suspects(&self) -> Vec<usize> {
        let rows = 0..self.rows.len();
        rows.filter(|&place| self.is_suspect(place)).collect()
    }

    /// Gives every row a column; false if it was stopped.
    fn begin(&mut self, stop: &AtomicBool) -> bool {
        let rows = self.rows.len();
        let mut waiting = rows;
        let mut place = 0;
        while place < waiting {
            let look = ((waiting - place) as u64).is_multiple_of(STEPS_BETWEEN_LOOKS);
            if look && stop.load(Ordering::Relaxed) {
                return false;
            }
            let found = (0..FIRST_TRIES).find_map(|_| {
                let other = place + self.random.below((rows - place) as u64) as usize;
                let square = Square::new(self.rows[place], self.cols[other]);
                self.is_clean(square).then_some(other)
            });
            match found {
                Some(other) => {
                    self.cols.swap(place, other);
                    self.add(self.square(place));
                    place += 1;
                }
                None => {
                    // This row comes at the end.
                    waiting -= 1;
                    self.rows.swap(place, waiting);
                }
            }
        }
        for place in waiting..rows {
            let other = place + self.random.below((rows - place) as u64) as usize;
            self.cols.swap(place, other);
            self.add(self.square(place));
        }
        true
    }

    /// The queens that are in order when others are left out, as many as are needed, if enough
    /// remain. They do if there are no more faults than queens that may be left out, since each
    /// takes a fault with her.
    fn in_order(&mut self) -> Option<Vec<Square>> {
        self.untried = 0;
        let mut suspects = self.all_suspects();
        suspects.sort_by_key(|&place| Reverse(self.faults_of(place)));
        let mut is_left_out = vec![false; self.rows.len()];
        let mut left_out = 0;
        for &place in &suspects {
            if self.is_suspect(place) {
                self.remove(self.square(place));
                is_left_out[place] = true;
                left_out += 1;
            }
        }
        if self.rows.len() - left_out >= self.queens_left {
            let rows = (0..self.rows.len()).filter(|&place| !is_left_out[place]);
            return Some(
                rows.take(self.queens_left)
                    .map(|place| self.square(place))
                    .collect(),
            );
        }
        for place in (0..self.rows.len()).filter(|&place| is_left_out[place]) {
            self.add(self.square(place));
        }
        None
    }

    /// Whether leaving out queens could be enough.
    fn may_be_in_order(&self) -> bool {
        self.allowed > 0 && self.faults <= MOST_FAULTS * self.allowed
    }

    /// Mends for up to `steps` attempts. Returns the queens that were added, once enough are in
    /// order.
    pub(super) fn search(&mut self, steps: u64, stop: &AtomicBool) -> Option<Vec<Square>> {
        for step in 0..steps {
            // A look at all rows takes long on a large board.
            self.untried += 1;
            let look = self.may_be_in_order() && self.untried >= self.rows.len();
            if (self.faults <= self.allowed || look)
                && let Some(queens) = self.in_order()
            {
                return Some(queens);
            }
            if step % STEPS_BETWEEN_LOOKS == 0 && stop.load(Ordering::Relaxed) {
                return None;
            }
            let Some(place) = self.suspects.pop() else {
                // Look at all rows again, which takes long on a large board.
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
                if self.may_be_in_order()
                    && let Some(queens) = self.in_order()
                {
                    return Some(queens);
                }
                self.suspects = self.all_suspects();
                if self.suspects.is_empty() {
                    // Only the given queens are left, and they are in order.
                    return None;
                }
                continue;
            };
            if self.is_suspect(place) {
                self.mend(place);
            }
        }
        None
    }

    /// Looks for a partner with whom the queen of a row can swap columns for the better.
    fn mend(&mut self, place: usize) {
        let rows = self.rows.len() as u64;
        let reckless = self.random.below(NOISE) == 0;
        for _ in 0..PARTNERS {
            let other = self.random.below(rows) as usize;
            if other == place {
                continue;
            }
            let before = self.faults;
            self.swap(place, other);
            if self.faults < before
                || (self.faults == before && self.random.below(4) == 0)
                || reckless
            {
                self.suspects.push(other);
                return;
            }
            self.swap(place, other);
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.remove(self.square(one));
        self.remove(self.square(other));
        self.cols.swap(one, other);
        self.add(self.square(one));
        self.add(self.square(other));
    }
}
