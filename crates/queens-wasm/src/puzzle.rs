//! Puzzles: a few queens are given, and exactly one solution has them all.
//!
//! A puzzle is made from a number, so the same number is the same puzzle everywhere; the
//! puzzle of the day takes the date. One solution is drawn, then its queens are taken away
//! in a drawn order as long as the rest still has no other solution. So no given queen
//! could be left out.

use std::ops::ControlFlow;

use queens::extend::{count, extend};
use queens::json::Object;
use queens::{Placement, Square};

use crate::question::{Answer, Question};

/// Numbers drawn from a seed: the generator SplitMix64.
struct Draw(u64);

impl Draw {
    fn below(&mut self, many: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % many as u64) as usize
    }
}

/// The sizes of the puzzles of the day, from Monday to Sunday.
const WEEK: [usize; 7] = [5, 6, 7, 8, 8, 9, 10];

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

/// The puzzle of a number, or of a date written like 20261116.
pub fn answer(question: &Question<'_>) -> Answer {
    let day = question.number("day", 0, 99_991_231, 0u32)?;
    let (n, seed) = if day == 0 {
        let n = question.number("n", 4, crate::LARGEST_N, 8)?;
        (n, question.number("seed", 0, 999_999, 1u64)?)
    } else {
        let weekday = (day > 10_000_101).then(|| weekday(day)).flatten();
        let weekday = weekday.ok_or_else(|| {
            format!("A day is written like 20261116: year, month, day; “{day}” is none.")
        })?;
        (WEEK[weekday], u64::from(day))
    };
    let given = puzzle(n, seed).ok_or_else(|| format!("N = {n} has no puzzle."))?;
    let written = given.iter().map(|at| format!("{}.{}", at.row, at.col));
    Ok(Object::new()
        .set("n", n)
        .set("seed", seed)
        .set("day", day)
        .set("given", written.collect::<Vec<_>>().join("-"))
        .set("squares", &given))
}

/// Queens with one solution, none of them too many; `None` if the board has no solution.
fn puzzle(n: usize, seed: u64) -> Option<Vec<Square>> {
    let mut all = Vec::new();
    let _never_stopped = extend(&Placement::new(n, []).ok()?, |cols| {
        all.push(cols.to_vec());
        ControlFlow::Continue(())
    });
    if all.is_empty() {
        return None;
    }
    let mut draw = Draw(seed);
    let cols = &all[draw.below(all.len())];
    let mut given: Vec<_> = cols
        .iter()
        .enumerate()
        .map(|(row, &col)| Square::new(row, col))
        .collect();
    let mut kept = 0;
    while kept < given.len() {
        // One that was not drawn yet, put to the front if it has to stay.
        let at = kept + draw.below(given.len() - kept);
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
    given.sort_by_key(|at| at.row);
    Some(given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::ask;

    #[test]
    fn a_puzzle_has_one_answer_and_no_queen_too_many() {
        for seed in 0..8 {
            for n in [4, 5, 7, 8] {
                let given = puzzle(n, seed).unwrap();
                let of = |queens: &[Square]| {
                    count(&Placement::new(n, queens.iter().copied()).unwrap()).unwrap()
                };
                assert_eq!(of(&given), 1);
                assert!(!given.is_empty());
                for at in 0..given.len() {
                    let mut rest = given.clone();
                    rest.remove(at);
                    assert!(of(&rest) > 1, "n = {n}, seed {seed}");
                }
            }
        }
    }

    #[test]
    fn a_number_is_always_the_same_puzzle_and_numbers_differ() {
        assert_eq!(ask("puzzle?n=8&seed=7"), ask("puzzle?n=8&seed=7"));
        assert_ne!(
            ask("puzzle?n=8&seed=7")["given"],
            ask("puzzle?n=8&seed=8")["given"]
        );
    }

    #[test]
    fn days_are_days_of_the_calendar() {
        assert_eq!(weekday(20_261_116), Some(0)); // a Monday
        assert_eq!(weekday(20_240_229), Some(3)); // a Thursday
        assert_eq!(weekday(20_000_101), Some(5)); // a Saturday
        assert_eq!(weekday(20_230_229), None);
        assert_eq!(ask("puzzle?day=20261116")["n"], 5);
        for bad in ["20261301", "20260931", "5"] {
            let says = ask(&format!("puzzle?day={bad}"));
            assert!(
                says["error"].as_str().unwrap().contains("20261116"),
                "{bad}"
            );
        }
    }
}
