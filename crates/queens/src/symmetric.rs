//! Solutions that a turn of the board leaves unchanged, and the number of fundamental ones.
//!
//! A symmetric solution is made of few pieces, so a search that places whole pieces is far
//! shorter than one that finds all solutions and looks at them.
//!
//! **Half turn.** The queens come in pairs, `(r, c)` with `(n-1-r, n-1-c)`, and for odd `n`
//! one stands in the middle. A pair takes the columns `c` and `n-1-c`, the diagonals `d` and
//! `-d` and the same for the anti-diagonals, measured from the middle of the board. The search
//! fills the rows of the upper half from the outside in, two queens at a time, with the first queen
//! in the left half; the mirror images double the count.
//!
//! ```text
//! . . . 0 . .
//! 1 . . . . .
//! . . . . 2 .     the pairs 0, 1 and 2 of a solution for n = 6
//! . 2 . . . .
//! . . . . . 1
//! . . 0 . . .
//! ```
//!
//! **Quarter turn.** The queens come in fours that a quarter turn carries into each other. Number
//! the rows and columns from either edge inwards, 0 to `m - 1`: a four takes both rows and both
//! columns of two such numbers `i` and `j`, and its eight lines lie `|i - j|` and `n - 1 - i - j`
//! away from the middle, on both sides and in both directions. So a solution is a perfect matching
//! of the numbers in which all those distances differ, and each pair of the matching can be turned
//! either way round without changing a distance: the count is the number of matchings times 2 to
//! the number of fours, as Ahrens knew in 1910. `m` must be even: without that, or without a
//! matching, there is no solution.
//!
//! **Fundamental.** Each of the eight symmetries leaves some solutions unchanged, reflections
//! none once `n` > 1, and the number of classes is the average (Burnside's lemma):
//! `8 F = Q + H + 2 R` with all solutions `Q`, the half-turn ones `H` and the quarter-turn
//! ones `R`.
//!
//! Reference: W. Ahrens, Mathematische Unterhaltungen und Spiele, 2nd edition, volume 1,
//! Teubner 1910, pages 249 to 258.

use std::ops::ControlFlow;

/// The largest board for solutions that a half turn leaves unchanged: the lines of one
/// direction are the bits of a word.
pub const LARGEST_HALF_TURN: usize = 32;

/// The largest board for solutions that a quarter turn leaves unchanged.
pub const LARGEST_QUARTER_TURN: usize = 64;

/// The number of solutions that a half turn leaves unchanged (OEIS A032522).
///
/// `watch` hears the share of the work done and can end the search, which gives `None`. So
/// does a board above [`LARGEST_HALF_TURN`].
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::symmetric::half_turn;
///
/// assert_eq!(half_turn(8, |_| ControlFlow::Continue(())), Some(4));
/// assert_eq!(half_turn(12, |_| ControlFlow::Continue(())), Some(80));
/// assert_eq!(half_turn(12, |_| ControlFlow::Break(())), None);
/// ```
pub fn half_turn(n: usize, mut watch: impl FnMut(f64) -> ControlFlow<()>) -> Option<u64> {
    if n > LARGEST_HALF_TURN {
        return None;
    }
    if n < 2 {
        return Some(1);
    }
    let board = HalfTurn::new(n);
    let lines = board.empty();
    // The pairs of the two outermost rows: pieces of work of similar size.
    let mut pieces = Vec::new();
    board.each(0, lines, |col, lines| {
        if col < n / 2 {
            match board.rows {
                1 => pieces.push(lines),
                _ => board.each(1, lines, |_, lines| pieces.push(lines)),
            }
        }
    });
    let from = board.rows.min(2);
    let mut count = 0;
    for (done, &lines) in pieces.iter().enumerate() {
        let share = done as f64 / pieces.len() as f64;
        let found = board.count_watched(from, lines, from + WATCHED, &mut || watch(share));
        count += found.continue_value()?;
    }
    Some(2 * count)
}

/// How many rows below a piece are searched before `watch` is called, once for every pair there;
/// for quarter turns, how many pairs are made.
const WATCHED: usize = 4;

/// The upper half of a board.
struct HalfTurn {
    n: usize,
    /// Rows that get a pair.
    rows: usize,
    all: u64,
}

/// What the queens on the board take: columns, diagonals `col - row` and anti-diagonals
/// `row + col`, one bit each, from the lowest possible number on.
#[derive(Clone, Copy)]
struct Taken {
    cols: u64,
    diag: u64,
    anti: u64,
}

impl HalfTurn {
    fn new(n: usize) -> HalfTurn {
        HalfTurn {
            n,
            rows: n / 2,
            all: u64::MAX >> (64 - n),
        }
    }

    /// A pair on a long diagonal would attack itself; for odd `n` the queen in the middle takes
    /// both, and her column.
    fn empty(&self) -> Taken {
        let middle = 1 << (self.n - 1);
        Taken {
            cols: if self.n % 2 == 1 {
                1 << (self.n / 2)
            } else {
                0
            },
            diag: middle,
            anti: middle,
        }
    }

    fn free(&self, row: usize, taken: Taken) -> u64 {
        let diag = taken.diag >> (self.n - 1 - row);
        self.all & !(taken.cols | diag | taken.anti >> row)
    }

    fn with(&self, row: usize, col: usize, taken: Taken) -> Taken {
        let last = self.n - 1;
        Taken {
            cols: taken.cols | 1 << col | 1 << (last - col),
            diag: taken.diag | 1 << (last + col - row) | 1 << (last + row - col),
            anti: taken.anti | 1 << (row + col) | 1 << (2 * last - row - col),
        }
    }

    fn each(&self, row: usize, taken: Taken, mut found: impl FnMut(usize, Taken)) {
        let mut free = self.free(row, taken);
        while free != 0 {
            let col = free.trailing_zeros() as usize;
            free &= free - 1;
            found(col, self.with(row, col, taken));
        }
    }

    /// Counts as [`HalfTurn::count`] does, and calls `watch` for every pair in the last row before
    /// `until`: the search below one takes only a moment.
    fn count_watched(
        &self,
        row: usize,
        taken: Taken,
        until: usize,
        watch: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<(), u64> {
        if row >= until.min(self.rows) {
            watch()?;
            return ControlFlow::Continue(self.count(row, taken));
        }
        let mut next = Vec::new();
        self.each(row, taken, |_, taken| next.push(taken));
        let mut count = 0;
        for taken in next {
            count += self.count_watched(row + 1, taken, until, watch)?;
        }
        ControlFlow::Continue(count)
    }

    fn count(&self, row: usize, taken: Taken) -> u64 {
        if row >= self.rows {
            return 1;
        }
        if row + 1 == self.rows {
            return u64::from(self.free(row, taken).count_ones());
        }
        let mut count = 0;
        self.each(row, taken, |_, taken| count += self.count(row + 1, taken));
        count
    }
}

/// The number of solutions that a quarter turn leaves unchanged (OEIS A033148).
///
/// `watch` hears the share of the work done and can end the search, which gives `None`. So
/// does a board above [`LARGEST_QUARTER_TURN`].
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::symmetric::quarter_turn;
///
/// assert_eq!(quarter_turn(20, |_| ControlFlow::Continue(())), Some(480));
/// assert_eq!(quarter_turn(22, |_| ControlFlow::Continue(())), Some(0));
/// ```
pub fn quarter_turn(n: usize, mut watch: impl FnMut(f64) -> ControlFlow<()>) -> Option<u64> {
    if n > LARGEST_QUARTER_TURN {
        return None;
    }
    if n % 4 > 1 {
        return Some(0);
    }
    let rings = n / 2;
    let board = QuarterTurn {
        last: n.wrapping_sub(1),
    };
    // The queen in the middle takes the lines through it; without her, no four may use them either.
    let (free, lines) = ((1u64 << rings) - 1, 1u64);
    let mut pieces = Vec::new();
    board.pair(free, lines, |free, lines| {
        board.pair(free, lines, |free, lines| pieces.push((free, lines)));
    });
    let mut matchings = 0;
    if rings < 4 {
        matchings = board.count(free, lines);
        pieces.clear();
    }
    for (done, &(free, lines)) in pieces.iter().enumerate() {
        let share = done as f64 / pieces.len() as f64;
        let found = board.count_watched(free, lines, WATCHED, &mut || watch(share));
        matchings += found.continue_value()?;
    }
    Some(matchings << (n / 4))
}

/// A board on which queens stand in fours.
struct QuarterTurn {
    last: usize,
}

impl QuarterTurn {
    /// Pairs the outermost free number with every other that leaves the distances different.
    fn pair(&self, free: u64, lines: u64, mut found: impl FnMut(u64, u64)) {
        if free == 0 {
            return;
        }
        let i = free.trailing_zeros() as usize;
        let others = free & (free - 1);
        let mut left = others;
        while left != 0 {
            let j = left.trailing_zeros() as usize;
            left &= left - 1;
            let (near, far) = (1u64 << (j - i), 1u64 << (self.last - i - j));
            if (near | far) & lines == 0 && near != far {
                found(others & !(1 << j), lines | near | far);
            }
        }
    }

    /// Counts as [`QuarterTurn::count`] does, and calls `watch` whenever `more` pairs are made: the
    /// search below takes only a moment.
    fn count_watched(
        &self,
        free: u64,
        lines: u64,
        more: usize,
        watch: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<(), u64> {
        if more == 0 || free == 0 {
            watch()?;
            return ControlFlow::Continue(self.count(free, lines));
        }
        let mut next = Vec::new();
        self.pair(free, lines, |free, lines| next.push((free, lines)));
        let mut count = 0;
        for (free, lines) in next {
            count += self.count_watched(free, lines, more - 1, watch)?;
        }
        ControlFlow::Continue(count)
    }

    fn count(&self, free: u64, lines: u64) -> u64 {
        if free == 0 {
            return 1;
        }
        let mut count = 0;
        self.pair(free, lines, |free, lines| count += self.count(free, lines));
        count
    }
}

/// The number of fundamental solutions of a board of size `n`, from all solutions and those that a
/// half turn and a quarter turn leave unchanged. `None` if such counts cannot exist, because the
/// sum is not a multiple of 8 or does not fit 128 bits.
///
/// ```
/// use queens::symmetric::fundamental;
///
/// assert_eq!(fundamental(8, 92, 4, 0), Some(12));
/// assert_eq!(fundamental(8, 91, 4, 0), None);
/// assert_eq!(fundamental(8, u128::MAX, 9, 0), None);
/// ```
pub fn fundamental(n: usize, all: u128, half_turn: u64, quarter_turn: u64) -> Option<u128> {
    // On one square, and on none, every symmetry leaves the solution unchanged.
    let reflected = if n < 2 { all.checked_mul(4)? } else { 0 };
    let turned = u128::from(half_turn) + 2 * u128::from(quarter_turn);
    let sum = all.checked_add(turned)?.checked_add(reflected)?;
    sum.is_multiple_of(8).then_some(sum / 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{self, Sequence};
    use crate::list::solutions;
    use crate::symmetry::Symmetry;

    fn on(_: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn half_turns_are_the_published_ones() {
        for (n, published) in Sequence::HalfTurn.values().filter(|&(n, _)| n <= 22) {
            let counted = half_turn(n, on).map(u128::from);
            assert_eq!(counted, Some(published), "n = {n}");
        }
    }

    #[test]
    fn quarter_turns_are_the_published_ones() {
        for (n, published) in Sequence::QuarterTurn.values().filter(|&(n, _)| n <= 41) {
            let counted = quarter_turn(n, on).map(u128::from);
            assert_eq!(counted, Some(published), "n = {n}");
        }
    }

    /// The definition: of all solutions, those that are their own image.
    #[test]
    fn symmetric_solutions_are_their_own_images() {
        for n in 1..=12 {
            let (mut half, mut quarter) = (0, 0);
            for solution in solutions(n) {
                half += u64::from(solution.image(Symmetry::Half) == solution);
                quarter += u64::from(solution.image(Symmetry::Quarter) == solution);
            }
            assert_eq!(half_turn(n, on), Some(half), "n = {n}");
            assert_eq!(quarter_turn(n, on), Some(quarter), "n = {n}");
        }
    }

    /// The identity 8 F = Q + H + 2 R, with our own H and R and the published Q and F.
    #[test]
    fn fundamental_solutions_follow_from_the_symmetric_ones() {
        for known in known::all().filter(|known| known.n <= 21) {
            let (half, quarter) = (half_turn(known.n, on), quarter_turn(known.n, on));
            let counted = fundamental(known.n, known.all, half.unwrap(), quarter.unwrap());
            assert_eq!(counted, Some(known.fundamental), "n = {}", known.n);
        }
    }

    #[test]
    fn a_search_can_be_ended_and_boards_too_large_are_refused() {
        assert_eq!(half_turn(16, |_| ControlFlow::Break(())), None);
        assert_eq!(quarter_turn(20, |_| ControlFlow::Break(())), None);
        // A search that takes long can be ended many times in a second.
        let mut calls = 0;
        let thousandth = |_: f64| {
            calls += 1;
            match calls {
                1000 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        };
        assert_eq!(quarter_turn(60, thousandth), None);
        assert_eq!(half_turn(LARGEST_HALF_TURN + 1, on), None);
        assert_eq!(quarter_turn(LARGEST_QUARTER_TURN + 1, on), None);
    }
}
