//! The self-test that a card passes before it may count.
//!
//! A card that adds wrongly gives no sign of it. So before a count the card counts all units of
//! some small boards, which exercise every class and every shape of tree, and a few cheap units of
//! the board that it is going to count. Every unit is compared with the CPU.

use crate::card::Card;
use crate::fleet::{Run, count};
use crate::{Error, SIZES};
use queens::count::two_colour::{Counter, Simd};
use std::sync::atomic::AtomicBool;

/// The boards that are counted whole.
const WHOLE: std::ops::RangeInclusive<u32> = 8..=12;

/// How many units of the board itself are tried, and the highest cost of one. With this cost the
/// CPU needs about ten milliseconds for each.
const SAMPLED: usize = 3;
const MOST_COST: f64 = 3e8;

/// Makes a card count small boards and some units of board `n`.
///
/// # Errors
///
/// [`Error::Differs`] if the card is wrong; other errors if it does not work.
pub fn self_test(card: &dyn Card, n: u32, threads: usize, stop: &AtomicBool) -> Result<(), Error> {
    for small in WHOLE {
        let units = queens::count::two_colour::units(small as usize)
            .ok_or(Error::OutOfRange { n: small })?;
        let all: Vec<u64> = (0..units.len()).collect();
        compare(card, small, &all, threads, stop)?;
    }
    compare(card, n, &sample(n)?, threads, stop)
}

/// Some units of a board that the CPU counts quickly, spread over all such units.
fn sample(n: u32) -> Result<Vec<u64>, Error> {
    if !SIZES.contains(&n) {
        return Err(Error::OutOfRange { n });
    }
    let units = queens::count::two_colour::units(n as usize).ok_or(Error::OutOfRange { n })?;
    let mut cheap: Vec<u64> = (0..units.len())
        .filter(|&unit| units.cost(unit) <= MOST_COST)
        .collect();
    cheap.sort_by(|&x, &y| units.cost(y).total_cmp(&units.cost(x)));
    // Not the cheapest, in which next to nothing is counted.
    let step = (cheap.len() / 4 / SAMPLED).max(1);
    Ok(cheap.into_iter().step_by(step).take(SAMPLED).collect())
}

/// Counts units on the card and on the CPU.
///
/// # Errors
///
/// [`Error::Differs`] at the first unit that differs.
pub fn compare(
    card: &dyn Card,
    n: u32,
    units: &[u64],
    threads: usize,
    stop: &AtomicBool,
) -> Result<(), Error> {
    let run = Run {
        threads,
        stop,
        progress: &|_| {},
        warn: &|_| {},
        verify: None,
    };
    let counts = count(&[card], n, units, &run)?;
    let mut counter = Counter::new(n as usize, Simd::Auto).ok_or(Error::OutOfRange { n })?;
    for (&unit, &gpu) in units.iter().zip(&counts) {
        let cpu = counter
            .count(unit, stop)
            .ok_or(Error::Stopped { share: 0.0 })?;
        if cpu != gpu {
            return Err(Error::Differs {
                self_test: true,
                n,
                unit,
                cpu,
                gpu,
            });
        }
    }
    Ok(())
}
