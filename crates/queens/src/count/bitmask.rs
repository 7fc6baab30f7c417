//! `bitmask` on a board with given queens, blocked squares or fewer queens than rows.
//!
//! On the plain board the engine is the search of [`crate::board::bitmask`]. This search uses
//! the same three vectors, with two changes. Given queens and blocked squares leave a row only
//! some of its squares, and a word for each row holds these. The search passes over rows with a
//! given queen, and shifts the diagonals by as many places as it moves down:
//!
//! ```text
//!   Q . . . .      row 0   passed over
//!   . . # . .      row 1   left: 00011, column 0 written first
//!   . . . . .      row 2   left: 01011
//! ```
//!
//! And with fewer queens than rows, a row may stay empty as long as enough rows follow. The
//! last queen is never placed: the free squares of all rows that are left are counted.

use std::sync::atomic::Ordering;

use super::{CountError, Job};
use crate::puzzle::{Board, OpenRow};
use crate::random::Random;

/// The largest board: a row is a word of 64 bits.
pub(super) const LARGEST_N: usize = 64;

/// Pieces smaller than this share of the whole are not reported one by one.
const SMALLEST_SHARE: f64 = 0.002;

/// Roughly how many rows are searched between two looks at the stop flag.
const ROWS_BETWEEN_LOOKS: u32 = 1 << 20;

/// Counts the answers of a board.
pub(super) fn count(job: &Job<'_>, board: &Board) -> Result<u128, CountError> {
    let Some(rows) = board.open_rows() else {
        unreachable!("boards are not above the engine's largest");
    };
    let mut search = Search {
        job,
        rows: &rows,
        until_look: ROWS_BETWEEN_LOOKS,
        stopped: job.is_stopped(),
        share: 0.0,
    };
    let queens = board.queens() - board.given().len();
    if queens > rows.len() {
        return Ok(0);
    }
    let total = search.pieces(0, Attacked::default(), queens, 1.0);
    match search.stopped {
        true => Err(CountError::Stopped {
            share: search.share,
        }),
        false => total.ok_or(CountError::Overflow),
    }
}

/// How many random descents an estimate takes; some microseconds each.
const PROBES: usize = 200;

/// About how many partial placements the search would visit, by random descents (Knuth's
/// estimate) from a fixed seed.
pub(crate) fn expected_placements(board: &Board) -> f64 {
    let Some(rows) = board.open_rows() else {
        return f64::INFINITY;
    };
    let mut random = Random::new(1);
    let mut sum = 0.0;
    for _ in 0..PROBES {
        let (mut attacked, mut weight) = (Attacked::default(), 1.0);
        let mut may_be_empty = board.n().saturating_sub(board.queens()) as u32;
        let mut queens = board.queens() - board.given().len();
        for (level, row) in rows.iter().enumerate() {
            // With rows to spare, the squares for the last queen are only counted.
            if queens < 2 && board.queens() < board.n() {
                break;
            }
            let mut free = attacked.free(row);
            let choices = free.count_ones() + u32::from(may_be_empty > 0);
            if choices == 0 {
                break;
            }
            weight *= f64::from(choices);
            sum += weight;
            for _ in 0..random.below(choices.into()) {
                free &= free.wrapping_sub(1);
            }
            // The last choice, when no free square is left, is to leave the row empty.
            let bit = free & free.wrapping_neg();
            match bit {
                0 => may_be_empty -= 1,
                _ => queens -= 1,
            }
            let away = rows.get(level + 1).map_or(0, |below| below.row - row.row);
            attacked = attacked.below(bit, away);
        }
    }
    sum / PROBES as f64
}

/// What the queens so far attack in a row: columns, and diagonals where they cross it.
#[derive(Clone, Copy, Default)]
struct Attacked {
    cols: u64,
    left: u64,
    right: u64,
}

impl Attacked {
    /// The free squares of a row.
    #[inline(always)]
    fn free(self, row: &OpenRow) -> u64 {
        row.free & !(self.cols | self.left | self.right)
    }

    /// The same `away` rows further down, with a queen on `bit`; 0 is no queen.
    #[inline(always)]
    fn below(self, bit: u64, away: usize) -> Attacked {
        Attacked {
            cols: self.cols | bit,
            left: (self.left | bit) << away,
            right: (self.right | bit) >> away,
        }
    }
}

struct Search<'a> {
    job: &'a Job<'a>,
    rows: &'a [OpenRow],
    until_look: u32,
    stopped: bool,
    share: f64,
}

impl Search<'_> {
    /// The distance from the row at a level to the next one; 0 for the last.
    #[inline(always)]
    fn away(&self, level: usize) -> usize {
        match self.rows.get(level + 1) {
            Some(below) => below.row - self.rows[level].row,
            None => 0,
        }
    }

    /// Searches from `level` on, which is the share `width` of the whole work, and reports
    /// progress. `None` when the total does not fit.
    fn pieces(
        &mut self,
        level: usize,
        attacked: Attacked,
        queens: usize,
        width: f64,
    ) -> Option<u128> {
        if self.stopped {
            return Some(0);
        }
        let rows_left = self.rows.len() - level;
        if width < SMALLEST_SHARE || queens < 2 || rows_left < 4 {
            let found = self.descend(level, attacked, queens);
            if !self.stopped {
                self.share += width;
                self.job.report(self.share.min(1.0));
            }
            return Some(found.into());
        }
        let mut free = attacked.free(&self.rows[level]);
        let may_be_empty = rows_left > queens;
        let choices = free.count_ones() + u32::from(may_be_empty);
        let part = width / f64::from(choices.max(1));
        let away = self.away(level);
        let mut total = 0;
        if may_be_empty {
            total = self.pieces(level + 1, attacked.below(0, away), queens, part)?;
        }
        while free != 0 {
            let bit = free & free.wrapping_neg();
            free ^= bit;
            let below = attacked.below(bit, away);
            total = self
                .pieces(level + 1, below, queens - 1, part)?
                .checked_add(total)?;
        }
        if choices == 0 {
            self.share += width;
        }
        Some(total)
    }

    /// The number of ways to put `queens` queens into the rows from `level` on; there are
    /// enough rows. When stopped, some smaller number.
    fn descend(&mut self, level: usize, attacked: Attacked, queens: usize) -> u64 {
        match queens {
            0 => return 1,
            1 => return self.last(level, attacked),
            _ => {}
        }
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = ROWS_BETWEEN_LOOKS;
            let stop = self.job.stop;
            self.stopped |= stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        }
        if self.stopped {
            return 0;
        }
        let away = self.away(level);
        let mut count = 0;
        if self.rows.len() - level > queens {
            count += self.descend(level + 1, attacked.below(0, away), queens);
        }
        let mut free = attacked.free(&self.rows[level]);
        while free != 0 {
            let bit = free & free.wrapping_neg();
            free ^= bit;
            count += self.descend(level + 1, attacked.below(bit, away), queens - 1);
        }
        count
    }

    /// Counts the squares for the last queen in the rows from `level` on.
    fn last(&self, level: usize, mut attacked: Attacked) -> u64 {
        let mut count = 0;
        for level in level..self.rows.len() {
            count += u64::from(attacked.free(&self.rows[level]).count_ones());
            attacked = attacked.below(0, self.away(level));
        }
        count
    }
}
