//! The engine `two-colour`: all units of a board, on as many threads as the job allows.
//!
//! Threads take the last units first. For even `n` these are of the balanced classes, which have
//! about as many black queens as white ones; they cost the most, and as much as expected. For odd
//! `n` the balanced classes are in the middle. Either way the units with few black queens, which
//! cost little, fill the gaps at the end. The total is the sum of the units' counts, so it does
//! not depend on which thread counts what.

use super::super::{CountError, Engine, Job};
use super::counter::Counter;
use super::inner_lists::InnerBlocks;
use super::units::{LARGEST_N, Units, units};
use crate::puzzle::Board;
use crate::threads::share;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What has been counted so far.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    total: u128,
    /// The expected cost of the units that the total covers.
    cost: f64,
}

/// A count that several threads work on.
struct Count<'a> {
    job: &'a Job<'a>,
    units: Units,
    stop: &'a AtomicBool,
    /// How many units were taken.
    taken: AtomicU64,
    blocks: Arc<InnerBlocks>,
    done: Mutex<Done>,
}

impl Count<'_> {
    /// What one thread does; `None` when stopped.
    fn work(&self, thread: usize) -> Option<()> {
        let units = &self.units;
        let mut counter = None;
        loop {
            // Where a class takes much memory, some threads stop and leave the rest to the others.
            let taken = self.taken.load(Ordering::Relaxed);
            let coming = units.len().saturating_sub(taken + 1);
            if thread >= units.most_threads(coming) {
                return Some(());
            }
            let taken = self.taken.fetch_add(1, Ordering::Relaxed);
            let Some(unit) = units.len().checked_sub(taken + 1) else {
                return Some(());
            };
            let counter = match &mut counter {
                Some(counter) => counter,
                none => {
                    let blocks = self.blocks.clone();
                    none.insert(Counter::over(units.clone(), self.job.simd, blocks)?)
                }
            };
            let count = counter.count(unit, self.stop)?;
            let mut done = self.done.lock().ok()?;
            let total = done.total.checked_add(u128::from(count));
            done.total = total.expect("the counts of fewer than 2^64 units fit 128 bits");
            done.cost += units.cost(unit);
            self.job.report((done.cost / units.total_cost()).min(1.0));
        }
    }

    /// Works on that many threads, or as many as the system allows; returns whether the count is
    /// complete.
    fn run(&self, threads: usize) -> bool {
        let numbers = AtomicUsize::new(0);
        let work = || self.work(numbers.fetch_add(1, Ordering::Relaxed));
        share(threads, threads, work).iter().all(Option::is_some)
    }
}

/// Counts all solutions, on as many threads as the job allows.
pub(crate) fn count(job: &Job<'_>) -> Result<u128, CountError> {
    if job.n == 0 {
        return Ok(1);
    }
    let units = units(job.n).ok_or(CountError::TooLarge {
        engine: Engine::TwoColour,
        n: job.n,
        largest: LARGEST_N,
    })?;
    count_units(job, units)
}

/// Counts the answers of a board, not above [`LARGEST_N`], with a queen in every row.
pub(crate) fn count_on(job: &Job<'_>, board: &Board) -> Result<u128, CountError> {
    count_units(job, Units::on(board))
}

fn count_units(job: &Job<'_>, units: Units) -> Result<u128, CountError> {
    if !job.simd.is_available() {
        return Err(CountError::NoSuchSimd { simd: job.simd });
    }
    if units.is_empty() {
        return Ok(0);
    }
    let never = AtomicBool::new(false);
    let threads = (job.threads.get() as u64).min(units.len()) as usize;
    let count = Count {
        job,
        units,
        stop: job.stop.unwrap_or(&never),
        taken: AtomicU64::new(0),
        blocks: Arc::default(),
        done: Mutex::default(),
    };
    let complete = count.run(threads);
    let done = *count
        .done
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    match complete {
        true => Ok(done.total),
        false => Err(CountError::Stopped {
            share: done.cost / count.units.total_cost(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No number of threads takes all memory, and ordinary machines get all their threads.
    #[test]
    fn the_number_of_threads_is_bounded_by_memory() {
        for n in 12..=26 {
            let units = units(n).unwrap();
            let most = (0..units.len()).map(|unit| units.most_threads(unit));
            let (least, most) = (most.clone().min().unwrap(), most.max().unwrap());
            println!("n = {n}: at most {least} to {most} threads, by class");
            assert!(least >= 8 && most <= 1000, "n={n}: {least} to {most}");
        }
    }
}
