//! What can be seen before any search: queens that are forced, rows without enough columns.
//!
//! If every row needs a queen, so does every column, and a line with a single free square has its
//! queen there. She takes her lines from the others, which may leave the next with one square, or
//! with none, and then there is no solution:
//!
//! ```text
//! # # . #        row 1 has column 3, which leaves row 2 column 1,
//! . # # .        and that queen attacks the only square of row 3
//! # . # #
//! . . . .
//! ```
//!
//! Then the rows are matched with the columns, as if diagonals did not matter. If three rows share
//! two columns, there is no solution, and it takes no search to say so; with sixteen rows and
//! fifteen columns, a search would take longer than anybody waits. Each row takes the first free
//! column that no other row has. A row without one asks the owners of its columns to take another,
//! and these ask on (an *augmenting path*, C. Berge, 1957), until one finds a column or nobody is
//! left to ask, which is the proof (P. Hall, 1935). With fewer queens than rows no queen is forced,
//! and rows may go without a column while enough have one.
//!
//! Most boards need none of this. If at least half of the open squares of every line are free,
//! Hall's condition holds, and a line loses at most its blocked squares and two for each given
//! queen. Memory grows with the rows, the given queens and the blocked squares, not with the
//! squares of the board: whether one is free is looked up. Only boards with up to 8,192 open rows
//! keep the rows on a path as bits.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::line::Line;
use crate::placement::Square;
use crate::puzzle::{Board, GivenLines};

/// The most open rows whose free squares are kept, 8 MB in all.
const MOST_KEPT: usize = 8_192;

/// What was seen of a board.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// There is no solution.
    Hopeless,
    /// These queens stand in every solution, besides the given ones.
    Forced(Vec<Square>),
    /// The stop flag was raised.
    Stopped,
}

/// Looks at a board that needs at most as many queens as it has rows.
pub(super) fn look(board: &Board, stop: &AtomicBool) -> Sight {
    if is_roomy(board) {
        return Sight::Forced(Vec::new());
    }
    let mut squares = FreeSquares::new(board);
    let forced = match board.queens() == board.n() {
        true => squares.force(stop),
        false => Ok(Vec::new()),
    };
    let found = forced.and_then(|forced| {
        let needed = board.queens() - board.given().len() - forced.len();
        Matching::new(&squares).finds(needed, stop)?;
        Ok(forced)
    });
    match found {
        Ok(forced) => Sight::Forced(forced),
        Err(sight) => sight,
    }
}

/// Whether every line has enough free squares, so that there is nothing to see. It only counts the
/// squares that a line may lose.
fn is_roomy(board: &Board) -> bool {
    let (n, given) = (board.n(), board.given().len());
    let rows = board.blocked().chunk_by(|one, next| one.row == next.row);
    let in_a_row = rows.map(<[Square]>::len).max().unwrap_or(0);
    let mut in_cols = vec![0usize; if in_a_row > 0 { n } else { 0 }];
    for square in board.blocked() {
        in_cols[square.col] += 1;
    }
    let blocked = in_cols.into_iter().max().unwrap_or(0).max(in_a_row);
    let open = n - given;
    let free = open.saturating_sub(2 * given + blocked);
    match board.queens() == n {
        true => free >= 2 && 2 * free >= open,
        false => free >= board.queens() - given,
    }
}

/// The lines without a queen, and which of their squares are free.
struct FreeSquares<'a> {
    board: &'a Board,
    rows: Vec<usize>,
    cols: Vec<usize>,
    /// Where the blocked squares of each open row begin and end.
    blocked: Vec<(usize, usize)>,
    taken: GivenLines,
}

/// An open line, and the first two free squares on it, as places among the lines that cross it.
/// Squares are never freed again, so both only move forward.
#[derive(Clone, Copy, Default)]
struct Pair {
    first: usize,
    second: usize,
}

impl<'a> FreeSquares<'a> {
    fn new(board: &'a Board) -> FreeSquares<'a> {
        let mut squares = FreeSquares {
            board,
            rows: (0..board.n()).collect(),
            cols: (0..board.n()).collect(),
            blocked: Vec::new(),
            taken: GivenLines::new(board),
        };
        squares.leave_out_taken();
        squares
    }

    /// Forgets the lines that have a queen.
    fn leave_out_taken(&mut self) {
        let taken = &self.taken;
        self.rows
            .retain(|&row| !taken.takes(Line::Row, Square::new(row, 0)));
        self.cols
            .retain(|&col| !taken.takes(Line::Column, Square::new(0, col)));
        let (all, mut at) = (self.board.blocked(), 0);
        let mut those_of = |&row: &usize| {
            let first = at + all[at..].iter().take_while(|at| at.row < row).count();
            at = first + all[first..].iter().take_while(|at| at.row == row).count();
            (first, at)
        };
        self.blocked = self.rows.iter().map(&mut those_of).collect();
    }

    fn square(&self, row: usize, col: usize) -> Square {
        Square::new(self.rows[row], self.cols[col])
    }

    /// Whether the square where two open lines cross is free; both by their places.
    fn is_free(&self, row: usize, col: usize) -> bool {
        let square = self.square(row, col);
        let (first, end) = self.blocked[row];
        let blocked = &self.board.blocked()[first..end];
        !self.taken.attack(square) && blocked.binary_search(&square).is_err()
    }

    /// Puts queens on squares that are the last of their line, until there are none.
    fn force(&mut self, stop: &AtomicBool) -> Result<Vec<Square>, Sight> {
        let open = self.rows.len();
        let mut forced = Vec::new();
        let mut pairs = [Line::Row, Line::Column].map(|line| (line, vec![Pair::default(); open]));
        loop {
            let before = forced.len();
            for (line, pairs) in &mut pairs {
                for (place, pair) in pairs.iter_mut().enumerate() {
                    if stop.load(Ordering::Relaxed) {
                        return Err(Sight::Stopped);
                    }
                    let crossing = |other: usize| match line {
                        Line::Row => (place, other),
                        _ => (other, place),
                    };
                    let (row, col) = crossing(place);
                    if self.taken.takes(*line, self.square(row, col)) {
                        continue;
                    }
                    let next_free = |from: usize| {
                        let mut others = from..open;
                        let is_free = |&other: &usize| {
                            let (row, col) = crossing(other);
                            self.is_free(row, col)
                        };
                        others.find(is_free).unwrap_or(open)
                    };
                    pair.first = next_free(pair.first);
                    pair.second = next_free(pair.second.max(pair.first + 1));
                    if pair.first == open {
                        return Err(Sight::Hopeless);
                    }
                    if pair.second == open {
                        let (row, col) = crossing(pair.first);
                        let queen = self.square(row, col);
                        self.taken.mark(queen, true);
                        forced.push(queen);
                    }
                }
            }
            if forced.len() == before {
                break;
            }
        }
        self.leave_out_taken();
        Ok(forced)
    }
}

/// No line.
const NOBODY: usize = usize::MAX;

/// Gives rows different columns, one each.
struct Matching<'a> {
    squares: &'a FreeSquares<'a>,
    /// The row that owns each column, and the column that each row owns.
    owners: Vec<usize>,
    owned: Vec<usize>,
    /// The row that asked for each column, in the current search for a path.
    asked_by: Vec<usize>,
    /// The free columns of the rows that were on a path, or nothing.
    kept: Vec<Vec<u64>>,
}

impl<'a> Matching<'a> {
    fn new(squares: &'a FreeSquares<'a>) -> Matching<'a> {
        let open = squares.rows.len();
        Matching {
            squares,
            owners: vec![NOBODY; open],
            owned: vec![NOBODY; open],
            asked_by: vec![NOBODY; open],
            kept: vec![Vec::new(); if open <= MOST_KEPT { open } else { 0 }],
        }
    }

    /// All columns as a set: bit `b` of word `w` is column `64 w + b`.
    fn all(&self) -> Vec<u64> {
        let open = self.owners.len();
        let mut words = vec![u64::MAX; open.div_ceil(64)];
        if let Some(last) = words.last_mut()
            && !open.is_multiple_of(64)
        {
            *last = (1 << (open % 64)) - 1;
        }
        words
    }

    /// The columns among the `wanted` ones of a word that are free in a row.
    fn free(&self, row: usize, word: usize, wanted: u64) -> u64 {
        let free = |&bit: &usize| self.squares.is_free(row, 64 * word + bit);
        bits(wanted).filter(free).fold(0, |set, bit| set | 1 << bit)
    }

    /// The same, from memory if the board is small enough to keep it.
    fn free_again(&mut self, row: usize, word: usize, wanted: u64) -> u64 {
        if self.kept.is_empty() {
            return self.free(row, word, wanted);
        }
        if self.kept[row].is_empty() {
            let words = self.all().into_iter().enumerate();
            let words = words.map(|(word, all)| self.free(row, word, all));
            self.kept[row] = words.collect();
        }
        self.kept[row][word] & wanted
    }

    /// Gives this many rows a column, or says that they cannot have one each.
    fn finds(&mut self, needed: usize, stop: &AtomicBool) -> Result<(), Sight> {
        let rows = self.owners.len();
        let mut without = Vec::new();
        let mut unowned = self.all();
        let mut first = 0;
        for row in 0..rows {
            if stop.load(Ordering::Relaxed) {
                return Err(Sight::Stopped);
            }
            while unowned.get(first) == Some(&0) {
                first += 1;
            }
            let mut words = first..unowned.len();
            let found = words.find_map(|word| {
                let free = self.free_one(row, word, unowned[word]);
                free.map(|bit| (word, bit))
            });
            match found {
                Some((word, bit)) => {
                    unowned[word] &= !(1 << bit);
                    self.owners[64 * word + bit] = row;
                    self.owned[row] = 64 * word + bit;
                }
                None => without.push(row),
            }
        }
        let mut matched = rows - without.len();
        for (seen, &row) in without.iter().enumerate() {
            if matched >= needed || matched + without.len() - seen < needed {
                break;
            }
            matched += usize::from(self.has_path(row, stop)?);
        }
        match matched >= needed {
            true => Ok(()),
            false => Err(Sight::Hopeless),
        }
    }

    /// One of the `wanted` columns of a word that is free in a row.
    fn free_one(&self, row: usize, word: usize, wanted: u64) -> Option<usize> {
        bits(wanted).find(|&bit| self.squares.is_free(row, 64 * word + bit))
    }

    /// Finds a column for a row whose free columns are all owned, if others can move.
    fn has_path(&mut self, row: usize, stop: &AtomicBool) -> Result<bool, Sight> {
        let mut unasked = self.all();
        let mut asking = vec![row];
        let mut next = 0;
        while let Some(&row) = asking.get(next) {
            next += 1;
            if stop.load(Ordering::Relaxed) {
                return Err(Sight::Stopped);
            }
            for (word, unasked) in unasked.iter_mut().enumerate() {
                if *unasked == 0 {
                    continue;
                }
                let free = self.free_again(row, word, *unasked);
                *unasked &= !free;
                for bit in bits(free) {
                    let col = 64 * word + bit;
                    self.asked_by[col] = row;
                    if self.owners[col] == NOBODY {
                        self.pass_on(col);
                        return Ok(true);
                    }
                    asking.push(self.owners[col]);
                }
            }
        }
        Ok(false)
    }

    /// Hands out the columns of a path, from its end to the row that began it.
    fn pass_on(&mut self, mut col: usize) {
        while col != NOBODY {
            let row = self.asked_by[col];
            self.owners[col] = row;
            col = std::mem::replace(&mut self.owned[row], col);
        }
    }
}

/// The set bits of a word, from the lowest.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}
