//! Puzzles for people: a few queens are given, and exactly one solution has them all.
//!
//! A puzzle is made from a number, so the same number is the same puzzle everywhere; the
//! puzzle of the day takes the date. One solution is drawn, then its queens are taken away
//! in a drawn order as long as the rest still has no other solution. So no given queen
//! could be left out.
//!
//! To draw a solution, one search counts all of them, and a second goes on to the one whose number
//! was drawn. So this is for boards that people solve. It keeps no list, only one solution.

use std::ops::ControlFlow;

use super::Board;
use crate::extend::{count, extend};
use crate::placement::{Placement, Square};
use crate::random::Random;
use crate::solution::Solution;

/// The sizes of the puzzles of the day, from Monday to Sunday.
const WEEK: [usize; 7] = [5, 6, 7, 8, 8, 9, 10];

/// The largest board: a search goes through up to 2,279,184 solutions.
const LARGEST_N: usize = 15;

/// A board with exactly one answer, none of whose given queens could be left out. `None` if
/// there is no solution, or for more than 15 queens, whose solutions are too many to go through.
///
/// ```
/// use queens::puzzle::compose;
///
/// let puzzle = compose(8, 7).unwrap();
/// assert_eq!(puzzle.solutions().count(), 1);
/// assert_eq!(compose(8, 7), Some(puzzle));
/// assert_eq!(compose(3, 1), None);
/// assert_eq!(compose(17, 1), None);
/// ```
pub fn compose(n: usize, seed: u64) -> Option<Board> {
    if n > LARGEST_N {
        return None;
    }
    let empty = Placement::new(n, []).ok()?;
    let solutions = count(&empty).ok()?;
    if solutions == 0 {
        return None;
    }
    let mut random = Random::new(seed);
    let drawn = random.below(solutions);
    let mut given: Vec<Square> = nth(&empty, drawn)?.queens().collect();
    let mut draw = |many: usize| random.below(many as u64) as usize;
    let mut kept = 0;
    while kept < given.len() {
        // A queen that was not drawn yet; she moves to the front if she has to stay.
        let at = kept + draw(given.len() - kept);
        let mut rest = given.clone();
        rest.remove(at);
        let placement = Placement::new(n, rest.iter().copied()).ok()?;
        if count(&placement) == Ok(1) {
            given = rest;
        } else {
            given.swap(kept, at);
            kept += 1;
        }
    }
    Board::new(n).with_given(given).ok()
}

/// The solution of this number, from 0, among those that extend a placement, in search order.
fn nth(placement: &Placement, number: u64) -> Option<Solution> {
    let (mut before, mut found) = (0, None);
    let _stopped_there = extend(placement, |solution| {
        if before == number {
            found = Some(solution.clone());
            return ControlFlow::Break(());
        }
        before += 1;
        ControlFlow::Continue(())
    });
    found
}

/// The size and the number of a day's puzzle, for a date written like 20261116: small on Monday,
/// large on Sunday. `None` if there is no such day in the years 1000 to 9999.
///
/// ```
/// use queens::puzzle::{compose, day};
///
/// let (n, seed) = day(20_261_116).unwrap(); // a Monday
/// assert_eq!(n, 5);
/// assert!(compose(n, seed).is_some());
/// assert_eq!(day(20_230_229), None);
/// ```
pub fn day(date: u32) -> Option<(usize, u64)> {
    let years = 10_000_101..=99_991_231;
    let weekday = years.contains(&date).then(|| weekday(date)).flatten()?;
    Some((WEEK[weekday], u64::from(date)))
}

/// The day of the week of a date, Monday 0; `None` if there is no such date.
///
/// Sakamoto's method: the year begins in March, so that the leap day comes last.
fn weekday(date: u32) -> Option<usize> {
    let (mut year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day == 0 || day > days {
        return None;
    }
    const SHIFT: [u32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    if month < 3 {
        year -= 1;
    }
    let sunday = (year + year / 4 - year / 100 + year / 400 + SHIFT[month as usize - 1] + day) % 7;
    Some((sunday as usize + 6) % 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_puzzle_has_one_answer_and_no_queen_too_many() {
        for seed in 0..8 {
            for n in [4, 5, 7, 8] {
                let puzzle = compose(n, seed).unwrap();
                assert_eq!(puzzle.solutions().count(), 1);
                assert!(!puzzle.given().is_empty());
                for at in 0..puzzle.given().len() {
                    let mut rest = puzzle.given().to_vec();
                    rest.remove(at);
                    let rest = Board::new(n).with_given(rest).unwrap();
                    assert!(rest.solutions().count() > 1, "n = {n}, seed {seed}");
                }
            }
        }
        assert_eq!(compose(2, 0), None);
        assert_eq!(compose(40, 0), None);
    }

    #[test]
    fn the_answer_is_drawn_by_its_place_in_the_list_of_all() {
        for n in [1, 4, 6, 8, 9] {
            let all: Vec<Solution> = crate::solutions(n).collect();
            for seed in 0..20 {
                let drawn = Random::new(seed).below(all.len() as u64) as usize;
                let answer = compose(n, seed).unwrap().solutions().next().unwrap();
                assert_eq!(answer, Placement::from(&all[drawn]), "n = {n}, seed {seed}");
            }
        }
    }

    #[test]
    fn numbers_make_different_puzzles() {
        let puzzles: Vec<_> = (0..20).map(|seed| compose(8, seed).unwrap()).collect();
        assert!((1..20).any(|at| puzzles[at] != puzzles[0]));
        assert!(
            puzzles
                .iter()
                .filter(|puzzle| **puzzle == puzzles[0])
                .count()
                < 3
        );
    }

    #[test]
    fn days_are_days_of_the_calendar() {
        assert_eq!(weekday(20_261_116), Some(0)); // a Monday
        assert_eq!(weekday(20_240_229), Some(3)); // a Thursday
        assert_eq!(weekday(20_000_101), Some(5)); // a Saturday
        for none in [20_230_229, 20_261_301, 20_260_931, 20_260_100, 5] {
            assert_eq!(day(none), None, "{none}");
        }
        assert_eq!(day(20_261_122), Some((10, 20_261_122))); // a Sunday
    }
}
