//! A solution by formula, for boards on which a search would take too long.
//!
//! The columns 1, 3, 5, ... (counted from 0) and then 0, 2, 4, ... make a staircase of
//! knight's moves, and for most `n` that is a solution. Two remainders of `n` by 6 need a
//! repair. For 2, the second stair begins 2, 0 instead of 0, 2 and its third queen moves
//! to its end. For 3, the first queen of the first stair moves to its end, and the first
//! two of the second move to its end. These are the well-known explicit solutions (E.
//! Pauls, 1874, found the first of the kind). They exist for every `n` but 2 and 3, which have
//! none.
//!
//! Each column follows from its row alone, so [`cols`] gives one after the other and stores
//! nothing: a solution for ten million queens takes no longer than writing it.
//!
//! This is *a* solution, and a quick one; the first in search order is [`first`](crate::first()).

use crate::placement::Placement;
use crate::solution::Solution;

/// A solution for `n` queens; none for 2 and 3, and none above [`Placement::MAX_N`], the largest
/// board that can be read back. [`cols`] has no such limit.
///
/// ```
/// use queens::construct::solution;
///
/// assert_eq!(solution(4).unwrap(), [1, 3, 0, 2]);
/// assert_eq!(solution(3), None);
/// assert_eq!(solution(1000).unwrap().n(), 1000);
/// assert_eq!(solution(usize::MAX), None);
/// ```
pub fn solution(n: usize) -> Option<Solution> {
    let cols = cols(n).filter(|_| n <= Placement::MAX_N)?;
    Some(Solution::found(cols.collect()))
}

/// The columns of the same solution, from row 0, one by one; none for 2 and 3.
///
/// ```
/// use queens::construct;
///
/// let cols = construct::cols(1_000_000_000_000).unwrap();
/// assert_eq!(cols.take(3).collect::<Vec<_>>(), [1, 3, 5]);
/// ```
pub fn cols(n: usize) -> Option<impl ExactSizeIterator<Item = usize>> {
    let has_solution = n != 2 && n != 3;
    has_solution.then(|| (0..n).map(move |row| col(n, row)))
}

/// The column of one row.
fn col(n: usize, row: usize) -> usize {
    let first = n / 2;
    let second = n - first;
    let (stair, step, steps) = match row.checked_sub(first) {
        None => (1, row, first),
        Some(step) => (0, step, second),
    };
    let step = match (n % 6, stair, step) {
        (2, 0, 0) => 1,
        (2, 0, 1) => 0,
        (2, 0, step) if step + 1 == steps => 2,
        (2, 0, step) => step + 1,
        (3, 1, step) => (step + 1) % steps,
        (3, _, step) => (step + 2) % steps,
        (_, _, step) => step,
    };
    2 * step + stair
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;

    #[test]
    fn every_board_that_has_a_solution_gets_one() {
        for n in (0..=300).filter(|n| ![2, 3].contains(n)) {
            let placement = Placement::from(solution(n).unwrap());
            assert!(check(&placement).is_solution(), "n = {n}: {placement}");
        }
    }

    #[test]
    fn columns_come_one_by_one_however_large_the_board() {
        for n in 0..=40 {
            let cols = cols(n).map(|cols| cols.collect::<Vec<_>>());
            assert_eq!(cols, solution(n).map(|solution| solution.to_vec()));
        }
        let cols = cols(usize::MAX / 2).unwrap();
        assert_eq!(cols.len(), usize::MAX / 2);
        assert_eq!(solution(Placement::MAX_N + 1), None);
    }
}
