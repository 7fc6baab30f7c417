//! The units of a block, row set by row set.
//!
//! While the card sweeps one even row set, a thread prepares the next: its lists take a tenth of a
//! second for N = 28, its sweep some seconds.

use super::count::sums;
use super::machine::Machine;
use crate::Error;
use crate::lists::{Block, Sweep};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;

/// Counts the units of a block, in the order of their numbers. `None` where the card cannot tell: a
/// count does not fit, or there is no room.
///
/// # Errors
///
/// As [`sums`].
pub fn count_block(
    machine: &impl Machine,
    mut block: Block,
    stop: &AtomicBool,
) -> Result<Option<Vec<u64>>, Error> {
    let (rows, source) = (block.rows(), block.clone());
    std::thread::scope(|scope| {
        let (ready, prepared) = mpsc::sync_channel::<Option<Sweep>>(1);
        scope.spawn(move || {
            // Nobody listens any more once the card has given up.
            let mut sweeps = (0..rows).map(|row| source.sweep(row));
            while let Some(sweep) = sweeps.next()
                && ready.send(sweep).is_ok()
            {}
        });
        for sweep in prepared {
            let Some(sweep) = sweep else {
                return Ok(None);
            };
            let Some(sums) = sums(machine, &sweep, stop)? else {
                return Ok(None);
            };
            block.add(&sweep, &sums);
        }
        Ok(block.counts())
    })
}
