//! The units of blocks, row set by row set.
//!
//! While the card sweeps one even row set, a thread prepares the next, of the same block or of the one
//! that follows: its lists take a tenth of a second for N = 28, its sweep some seconds.

use super::count::sums;
use super::machine::Machine;
use crate::Error;
use crate::lists::{Block, Sweep};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;

/// What the thread hands over that prepares blocks.
enum Prepared {
    /// A block begins.
    Block(Box<Block>),
    /// One of its even row sets; `None` where it cannot be swept.
    Row(Box<Option<Sweep>>),
}

/// Counts blocks as long as `next` has one. `done` hears of each, in their order: the number of its
/// first unit, and the counts of all of its units; or `None` where the card cannot tell, because a count
/// does not fit or there is no room.
///
/// # Errors
///
/// [`Error::Stopped`] soon after `stop` becomes true, or an error of the card.
pub fn count_blocks(
    machine: &impl Machine,
    mut next: impl FnMut() -> Option<Block> + Send,
    stop: &AtomicBool,
    mut done: impl FnMut(u64, Option<Vec<u64>>),
) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let (ready, prepared) = mpsc::sync_channel(1);
        let prepare = move || {
            // Nobody listens any more once the card has failed.
            while let Some(block) = next() {
                if ready
                    .send(Prepared::Block(Box::new(block.clone())))
                    .is_err()
                {
                    return;
                }
                for row in 0..block.rows() {
                    let row = Prepared::Row(Box::new(block.sweep(row)));
                    if ready.send(row).is_err() {
                        return;
                    }
                }
            }
        };
        let started = std::thread::Builder::new().spawn_scoped(scope, prepare);
        started.map_err(|error| Error::NoThread {
            reason: error.to_string(),
        })?;
        // The block that is being counted, unless it was given up.
        let mut counting: Option<Box<Block>> = None;
        for prepared in prepared {
            let sweep = match prepared {
                Prepared::Block(block) => {
                    counting = Some(block);
                    continue;
                }
                Prepared::Row(sweep) => sweep,
            };
            let Some(block) = &mut counting else {
                continue;
            };
            let first = block.numbers().start;
            let sums = match sweep.as_ref() {
                None => None,
                Some(sweep) => match sums(machine, sweep, stop) {
                    Err(Error::TooLittleMemory { .. }) => None,
                    sums => sums?.map(|sums| (sweep, sums)),
                },
            };
            let Some((sweep, sums)) = sums else {
                done(first, None);
                counting = None;
                continue;
            };
            block.add(sweep, &sums);
            if block.is_whole() {
                done(first, block.counts());
            }
        }
        Ok(())
    })
}

/// Counts the units of one block, as [`count_blocks`] does.
///
/// # Errors
///
/// As [`count_blocks`].
pub fn count_block(
    machine: &impl Machine,
    block: Block,
    stop: &AtomicBool,
) -> Result<Option<Vec<u64>>, Error> {
    let (mut block, mut counted) = (Some(block), None);
    count_blocks(machine, || block.take(), stop, |_, counts| counted = counts)?;
    Ok(counted)
}
