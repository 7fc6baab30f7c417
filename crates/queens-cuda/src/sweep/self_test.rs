//! The self-test that a card passes before it may sweep.
//!
//! The card sweeps all blocks of a small board, and one block each of larger boards, where cores
//! leave more columns free. Every unit is compared with the CPU, which takes some tenths of a
//! second for all of them.

use super::blocks::count_block;
use super::machine::Machine;
use crate::Error;
use crate::lists::Block;
use queens::count::two_colour::{Counter, Simd, units};
use std::sync::atomic::AtomicBool;

/// The boards to try, each with how many of its blocks at most.
const TRIED: [(usize, usize); 4] = [(12, usize::MAX), (18, 1), (20, 1), (22, 1)];

/// Makes a card sweep blocks of some boards.
///
/// # Errors
///
/// [`Error::Differs`] if the card is wrong or says that it cannot tell; other errors if it does not
/// work.
pub fn self_test(machine: &impl Machine, stop: &AtomicBool) -> Result<(), Error> {
    TRIED
        .iter()
        .try_for_each(|&(n, most)| compare(machine, n, most, stop))
}

/// Compares the first blocks of a board that can be swept, at most `most` of them.
fn compare(machine: &impl Machine, n: usize, most: usize, stop: &AtomicBool) -> Result<(), Error> {
    let size = n as u32;
    let out_of_range = || Error::OutOfRange { n: size };
    let mut counter = Counter::new(n, Simd::Auto).ok_or_else(out_of_range)?;
    let end = units(n).ok_or_else(out_of_range)?.len();
    let (mut unit, mut compared) = (0, 0);
    while unit < end && compared < most {
        let Some(block) = Block::of(n, unit) else {
            unit += 1;
            continue;
        };
        let numbers = block.numbers();
        let counts = count_block(machine, block, stop)?;
        for (place, unit) in numbers.clone().enumerate() {
            let cpu = counter
                .count(unit, stop)
                .ok_or(Error::Stopped { share: 0.0 })?;
            let gpu = counts.as_ref().map_or(0, |counts| counts[place]);
            if counts.is_none() || gpu != cpu {
                return Err(Error::Differs {
                    self_test: true,
                    n: size,
                    unit,
                    cpu,
                    gpu,
                });
            }
        }
        unit = numbers.end;
        compared += 1;
    }
    Ok(())
}
