//! A solution by formula, for boards on which a search would take too long.
//!
//! The columns 1, 3, 5, ... (counted from 0) and then 0, 2, 4, ... make a staircase of
//! knight's moves, and for most `n` that is a solution. Two remainders of `n` by 6 need a
//! repair. For 2, the second stair begins 2, 0 instead of 0, 2 and its third queen moves
//! to its end. For 3, the first queen of the first stair moves to its end, and the first
//! two of the second move to its end. These are the well-known explicit solutions (E.
//! Pauls, 1874, found the first of the kind). O(n), for every `n` but 2 and 3, which have
//! none.
//!
//! This is *a* solution, chosen for being quick; the first in the order of the search is
//! [`first`](crate::first()).

use crate::solution::Solution;

/// A solution for `n` queens; none for 2 and 3.
///
/// ```
/// use queens::construct::solution;
///
/// assert_eq!(solution(4).unwrap(), [1, 3, 0, 2]);
/// assert_eq!(solution(3), None);
/// assert_eq!(solution(1000).unwrap().n(), 1000);
/// ```
pub fn solution(n: usize) -> Option<Solution> {
    if n == 2 || n == 3 {
        return None;
    }
    let mut first: Vec<usize> = (1..n).step_by(2).collect();
    let mut second: Vec<usize> = (0..n).step_by(2).collect();
    match n % 6 {
        2 => {
            second.swap(0, 1);
            let third = second.remove(2);
            second.push(third);
        }
        3 => {
            first.rotate_left(1);
            second.rotate_left(2);
        }
        _ => {}
    }
    first.extend(second);
    Some(Solution::found(first.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::placement::Placement;

    #[test]
    fn every_board_that_has_a_solution_gets_one() {
        for n in (0..=300).filter(|n| ![2, 3].contains(n)) {
            let placement = Placement::from(solution(n).unwrap());
            assert!(check(&placement).is_solution(), "n = {n}: {placement}");
        }
    }
}
