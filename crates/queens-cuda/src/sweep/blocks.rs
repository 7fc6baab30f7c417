//! Counts the units of blocks, row set by row set.
//!
//! While the card sweeps one even row set, a thread prepares the next one, of the same block or of
//! the following one. For N = 28 the lists of a row set take a tenth of a second, its sweep some
//! seconds.

use super::count::sums;
use super::machine::Machine;
use crate::Error;
use crate::lists::{Block, Sweep};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;

/// What the preparing thread hands over.
enum Prepared {
    /// A block begins.
    Block(Box<Block>),
    /// One of its even row sets; `None` if it cannot be swept.
    Row(Box<Option<Sweep>>),
}

/// Counts blocks as long as `next` has one. For each block, in order, `done` gets the number of its
/// first unit and the counts of all its units; or `None` if the card cannot tell, because a count
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
            // Once the card has failed, nobody listens any more.
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
