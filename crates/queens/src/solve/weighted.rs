//! Local search where few squares are free: lines that stay in conflict grow heavier.
//!
//! On a board with many blocked squares, or with many given queens, a row has a handful of free
//! squares, and two rows can hardly ever swap columns as in [`super::local`]. Here every row keeps
//! a queen on one of its own free squares, so columns and diagonals may hold two or more, and one
//! queen moves within her row at a time: the best move of all queens that share a line, by the sum
//! of the *weights* of the lines in conflict.
//!
//! ```text
//! row 5   . # Q # . # .      she shares her column, weight 3, and could go to
//! cost        3   1   4      a diagonal of weight 1 or to two lines of weight 4
//! ```
//!
//! When no move makes the sum smaller, every line in conflict gains weight, until another place is
//! cheaper: the search fills the hole that it sits in and leaves it. Now and then all weights
//! shrink, so that what happened long ago is forgotten. A square that a queen has just left is
//! closed for a step or two.
//!
//! With fewer queens than rows a row without a free square has no queen, and queens that share
//! lines are left out in the end, those that share the most first, as long as enough remain.
//!
//! Weights come from P. Morris's breakout method (1993), the choice among all queens in
//! conflict and the closed squares from P. Galinier and J.-K. Hao's tabu search for constraint
//! satisfaction (1997). A step costs the free squares of the rows in conflict.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::placement::Square;
use crate::puzzle::{Board, GivenLines};
use crate::random::Random;

/// The weight that a line begins with, and gains when the search is stuck.
const UNIT: u32 = 16;

/// One time in this many that the search is stuck, all weights shrink by a tenth.
const SHRINK: u64 = 100;

/// No weight grows beyond this, so that sums of them fit.
const HEAVIEST: u32 = 1 << 24;

/// Steps between two looks at the stop flag.
const STEPS_BETWEEN_LOOKS: u64 = 1_000;

/// A queen in every row, moved within the rows.
#[derive(Debug)]
pub(super) struct Weighted {
    /// The rows without a given queen and with a free square; the other fields number them from 0.
    rows: Vec<usize>,
    /// The free squares of row `k` are those from `starts[k]` to `starts[k + 1]`.
    starts: Vec<u32>,
    /// Of every free square: its row, its column and both diagonals as numbers of lines, and
    /// the step from which on a queen may come here.
    row_of: Vec<u32>,
    lines: Vec<[u32; 3]>,
    open_from: Vec<u64>,
    /// The free square on which the queen of each row stands.
    queens: Vec<u32>,
    /// Of every line: the queens on it, its weight, and its place among those in conflict.
    on_line: Vec<Vec<u32>>,
    weights: Vec<u32>,
    places: Vec<u32>,
    /// The lines with two queens or more.
    in_conflict: Vec<u32>,
    /// How many queens these lines have beyond one each, and how many queens may be left out: each
    /// takes at least one of the excess with her, and at most one on each of her lines.
    excess: usize,
    allowed: usize,
    /// How many queens are to be added.
    queens_left: usize,
    /// The last step in which the moves of each row were weighed.
    weighed: Vec<u64>,
    step: u64,
    random: Random,
}

impl Weighted {
    /// A first board for this problem, which needs no more queens than it has rows; `None`
    /// if too many rows have no free square, or `stop` becomes true.
    pub(super) fn new(board: &Board, random: Random, stop: &AtomicBool) -> Option<Weighted> {
        let n = board.n();
        let mut allowed = n - board.queens();
        let given = GivenLines::new(board);
        let (mut rows, mut starts) = (Vec::new(), vec![0]);
        let (mut row_of, mut lines) = (Vec::new(), Vec::new());
        let open = |&col: &usize| !given.takes(crate::Line::Column, Square::new(0, col));
        let cols: Vec<usize> = (0..n).filter(open).collect();
        let mut blocked = board.blocked().iter().copied().peekable();
        for row in 0..n {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            if given.takes(crate::Line::Row, Square::new(row, 0)) {
                continue;
            }
            let place = rows.len();
            for &col in &cols {
                let square = Square::new(row, col);
                while blocked.next_if(|blocked| *blocked < square).is_some() {}
                if blocked.next_if_eq(&square).is_none() && !given.attack(square) {
                    let (diag, anti) = (row + n - col, row + col);
                    row_of.push(place as u32);
                    lines.push([col, n + diag, 3 * n + anti].map(|line| line as u32));
                }
            }
            if row_of.len() as u32 == starts[place] {
                allowed = allowed.checked_sub(1)?;
                continue;
            }
            rows.push(row);
            starts.push(row_of.len() as u32);
        }
        let mut search = Weighted {
            open_from: vec![0; row_of.len()],
            queens: vec![0; rows.len()],
            on_line: vec![Vec::new(); 5 * n],
            weights: vec![UNIT; 5 * n],
            places: vec![0; 5 * n],
            in_conflict: Vec::new(),
            excess: 0,
            allowed,
            queens_left: board.queens() - board.given().len(),
            weighed: vec![0; rows.len()],
            step: 0,
            random,
            rows,
            starts,
            row_of,
            lines,
        };
        for place in 0..search.rows.len() {
            let square = search.first_square(place);
            search.put(square);
        }
        Some(search)
    }

    fn squares(&self, place: usize) -> std::ops::Range<u32> {
        self.starts[place]..self.starts[place + 1]
    }

    /// A square of a row with the fewest lines taken by the rows before.
    fn first_square(&mut self, place: usize) -> u32 {
        let (mut best, mut fewest, mut ties) = (0, usize::MAX, 0);
        for square in self.squares(place) {
            let taken = |line: &&u32| !self.on_line[**line as usize].is_empty();
            let taken = self.lines[square as usize].iter().filter(taken).count();
            if taken < fewest {
                (fewest, ties) = (taken, 0);
            }
            if taken == fewest {
                ties += 1;
                if self.random.below(ties) == 0 {
                    best = square;
                }
            }
        }
        best
    }

    fn put(&mut self, square: u32) {
        self.queens[self.row_of[square as usize] as usize] = square;
        for line in self.lines[square as usize] {
            let queens = &mut self.on_line[line as usize];
            queens.push(square);
            self.excess += usize::from(queens.len() > 1);
            if queens.len() == 2 {
                self.places[line as usize] = self.in_conflict.len() as u32;
                self.in_conflict.push(line);
            }
        }
    }

    fn take(&mut self, square: u32) {
        for line in self.lines[square as usize] {
            let queens = &mut self.on_line[line as usize];
            queens.retain(|&queen| queen != square);
            self.excess -= usize::from(!queens.is_empty());
            if queens.len() == 1 {
                let place = self.places[line as usize];
                self.in_conflict.swap_remove(place as usize);
                if let Some(&moved) = self.in_conflict.get(place as usize) {
                    self.places[moved as usize] = place;
                }
            }
        }
    }

    /// How many lines a queen shares.
    fn shared_by(&self, queen: u32) -> usize {
        let lines = self.lines[queen as usize].iter();
        let is_shared = |line: &&u32| self.on_line[**line as usize].len() > 1;
        lines.filter(is_shared).count()
    }

    /// The queens that share no line when others are left out, as many as are needed, if enough
    /// remain. They do if no more queens are in excess than may be left out.
    fn in_order(&mut self) -> Option<Vec<Square>> {
        let all = 0..self.queens.len();
        let mut suspects: Vec<usize> = all
            .filter(|&place| self.shared_by(self.queens[place]) > 0)
            .collect();
        suspects.sort_by_key(|&place| Reverse(self.shared_by(self.queens[place])));
        let mut is_left_out = vec![false; self.queens.len()];
        let mut left_out = Vec::new();
        for &place in &suspects {
            let queen = self.queens[place];
            if self.shared_by(queen) > 0 {
                self.take(queen);
                is_left_out[place] = true;
                left_out.push(queen);
            }
        }
        if self.queens.len() - left_out.len() >= self.queens_left {
            let places = (0..self.queens.len()).filter(|&place| !is_left_out[place]);
            let square = |place: usize| {
                let [col, ..] = self.lines[self.queens[place] as usize];
                Square::new(self.rows[place], col as usize)
            };
            return Some(places.take(self.queens_left).map(square).collect());
        }
        for queen in left_out {
            self.put(queen);
        }
        None
    }

    /// Moves queens for up to `steps` steps. Returns the queens that were added, once enough share
    /// no line.
    pub(super) fn search(&mut self, steps: u64, stop: &AtomicBool) -> Option<Vec<Square>> {
        for step in 0..steps {
            // A look at all rows takes about as long as some moves.
            let look = self.step.is_multiple_of(1 + self.queens.len() as u64 / 8)
                && self.allowed > 0
                && self.excess <= 3 * self.allowed;
            if (self.excess <= self.allowed || look)
                && let Some(queens) = self.in_order()
            {
                return Some(queens);
            }
            if step % STEPS_BETWEEN_LOOKS == 0 && stop.load(Ordering::Relaxed) {
                return None;
            }
            self.step += 1;
            if let Some((change, square)) = self.best_move() {
                if change >= 0 {
                    self.grow_heavier();
                }
                let left = self.queens[self.row_of[square as usize] as usize];
                self.take(left);
                self.put(square);
                self.open_from[left as usize] = self.step + 2 + self.random.below(2);
            }
        }
        None
    }

    /// The move that changes the weight in conflict most for the better, and that change; chance
    /// decides between equals.
    fn best_move(&mut self) -> Option<(i64, u32)> {
        let (mut best, mut ties) = (None, 0);
        for &line in &self.in_conflict {
            for &queen in &self.on_line[line as usize] {
                let place = self.row_of[queen as usize] as usize;
                if std::mem::replace(&mut self.weighed[place], self.step) == self.step {
                    continue;
                }
                let from = self.lines[queen as usize];
                let weight = |line: u32, others: usize| {
                    let crowded = self.on_line[line as usize].len() > others;
                    i64::from(crowded) * i64::from(self.weights[line as usize])
                };
                let before: i64 = from.iter().map(|&line| weight(line, 1)).sum();
                for square in self.starts[place]..self.starts[place + 1] {
                    if square == queen || self.open_from[square as usize] > self.step {
                        continue;
                    }
                    // Two squares of a row share no line.
                    let to = self.lines[square as usize];
                    let change = to.iter().map(|&line| weight(line, 0)).sum::<i64>() - before;
                    match best {
                        Some((least, _)) if change > least => continue,
                        Some((least, _)) if change == least => ties += 1,
                        _ => ties = 1,
                    }
                    if self.random.below(ties) == 0 {
                        best = Some((change, square));
                    }
                }
            }
        }
        best
    }

    fn grow_heavier(&mut self) {
        for &line in &self.in_conflict {
            let weight = &mut self.weights[line as usize];
            *weight = (*weight + UNIT).min(HEAVIEST);
        }
        if self.random.below(SHRINK) == 0 {
            for weight in &mut self.weights {
                *weight = (*weight - *weight / 10).max(UNIT);
            }
        }
    }
}
