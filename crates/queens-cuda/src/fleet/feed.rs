//! Feeding cards: threads that turn units into batches and batches into counts.
//!
//! Each card has several feeders. A feeder takes some neighbouring units, prepares their lists,
//! lets the card count them, and hands in the counts. While one feeder waits for the card, others
//! prepare.
//!
//! When a card fails, its feeders put their units back and leave, and the feeders of the other
//! cards count these units. The count fails only when the last card has failed. A feeder that finds
//! no memory for its batch leaves the card to its other feeders.

use super::pending::Pending;
use super::preparation::Preparation;
use crate::Error;
use crate::batch::Batch;
use crate::card::Card;
use crate::lists::{UnitLists, Upload};
use crate::lock::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;

/// A batch that has this many words takes no more lists; they go to the next one.
const BATCH_WORDS: usize = 32 << 20;

/// All batches together are about a gigabyte, so with many threads each is smaller.
const ALL_WORDS: usize = 128 << 20;

/// A batch has work for about this many launches.
const BATCH_LAUNCHES: f64 = 8.0;

/// What all feeders share.
pub(crate) struct Feed<'a> {
    pub n: u32,
    /// How many feeders all cards have together.
    pub threads: usize,
    /// The units to be counted, and their costs.
    pub units: &'a [u64],
    pub costs: &'a [f64],
    /// The classes of the units.
    pub classes: Vec<u32>,
    pub pending: Pending<'a>,
    pub preparation: Preparation<'a>,
    pub failures: Failures,
}

/// What has gone wrong.
#[derive(Default)]
pub(crate) struct Failures {
    /// How many cards have failed.
    cards: AtomicUsize,
    /// Why the count as a whole has failed.
    pub fatal: Mutex<Option<Error>>,
    /// Why some feeder has left its units to others.
    pub too_little_memory: Mutex<Option<Error>>,
}

/// The feeders of one card.
pub(crate) struct Feeders {
    /// How many are still there.
    left: AtomicUsize,
    /// Whether the card has failed; its feeders leave when their batch is done.
    failed: AtomicBool,
}

impl Feeders {
    /// This many feeders.
    pub fn new(number: usize) -> Feeders {
        Feeders {
            left: AtomicUsize::new(number),
            failed: AtomicBool::new(false),
        }
    }

    /// Notes that this many of them could not begin.
    pub fn do_without(&self, number: usize) {
        self.left.fetch_sub(number, Ordering::AcqRel);
    }
}

/// Ends the count if a thread panics; otherwise the others would wait for its units.
struct HaltOnPanic<'a>(&'a Pending<'a>);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.halt();
        }
    }
}

impl Feed<'_> {
    /// Ends the count with an error.
    pub fn fail(&self, error: Error) {
        lock(&self.failures.fatal).get_or_insert(error);
        self.pending.halt();
    }

    /// Feeds a card, one of `cards`, until there is nothing left or the card fails.
    pub fn feed(
        &self,
        card: &dyn Card,
        cards: usize,
        feeders: &Feeders,
        upload: Option<&dyn Upload>,
        send: &Sender<(usize, u64)>,
        warn: &(dyn Fn(&str) + Sync),
    ) {
        let _halt = HaltOnPanic(&self.pending);
        let result = self.feed_on(card, feeders, upload, send);
        let last = feeders.left.fetch_sub(1, Ordering::AcqRel) == 1;
        match result {
            Ok(()) | Err(Error::Stopped { .. }) => {}
            Err(error @ (Error::Overflow { .. } | Error::OutOfRange { .. })) => self.fail(error),
            Err(error @ Error::TooLittleMemory { .. }) if !last => {
                lock(&self.failures.too_little_memory).get_or_insert(error);
            }
            Err(error) => self.lose(card, cards, feeders, error, warn),
        }
    }

    /// Goes on without a card, or ends the count with the error of the last one.
    pub fn lose(
        &self,
        card: &dyn Card,
        cards: usize,
        feeders: &Feeders,
        error: Error,
        warn: &(dyn Fn(&str) + Sync),
    ) {
        if feeders.failed.swap(true, Ordering::AcqRel) {
            return;
        }
        if self.failures.cards.fetch_add(1, Ordering::AcqRel) + 1 == cards {
            self.fail(error);
        } else {
            warn(&format!(
                "{error}; {} has failed and its units go to the others",
                card.name()
            ));
        }
    }

    fn feed_on(
        &self,
        card: &dyn Card,
        feeders: &Feeders,
        upload: Option<&dyn Upload>,
        send: &Sender<(usize, u64)>,
    ) -> Result<(), Error> {
        let (shape, mask_pairs) = (card.shape(), self.preparation.mask_pairs);
        let can_count = |&class: &u32| shape.can_count(self.n, class, mask_pairs);
        if !self.classes.iter().all(can_count) {
            return Err(Error::TooLittleShared { n: self.n });
        }
        let mut builder = None;
        let mut lists = UnitLists::default();
        let mut batch = Batch::new(self.n, &shape, mask_pairs);
        let most_cost = BATCH_LAUNCHES * shape.launch_cost;
        let most_words = (ALL_WORDS / self.threads).min(BATCH_WORDS);
        let mut count_some = |rest: &[usize]| {
            batch.clear();
            let maker = builder.get_or_insert_with(|| self.preparation.builder(upload));
            let mut used = 0;
            while used < rest.len()
                && (used == 0 || (batch.words().len() < most_words && batch.cost() < most_cost))
            {
                let index = rest[used];
                let unit = self.units[index];
                self.preparation.help(unit, maker, self.pending.halted());
                if !maker.build(unit, &mut lists) {
                    return Err(Error::NoSuchUnit { n: self.n, unit });
                }
                batch.add(unit, self.costs[index], &lists)?;
                used += 1;
            }
            if used == rest.len() && self.pending.is_empty() {
                // The last thread to come here frees all lists, while the batches of others run.
                builder = None;
                lists = UnitLists::default();
            }
            let halted = self.pending.halted();
            let sums = self.pending.counting(|| card.count(&mut batch, halted))?;
            batch.counts(&sums)
        };
        while !feeders.failed.load(Ordering::Acquire)
            && let Some(indices) = self.pending.take()
        {
            let mut rest = indices.as_slice();
            while !rest.is_empty() {
                match count_some(rest) {
                    Ok(counts) => {
                        let (counted, left) = rest.split_at(counts.len());
                        for (&index, count) in counted.iter().zip(counts) {
                            // The receiver lives as long as any feeder.
                            let _ = send.send((index, count));
                        }
                        self.pending.finish(counted.len());
                        rest = left;
                    }
                    Err(error) => {
                        self.pending.put_back(rest);
                        return Err(error);
                    }
                }
            }
        }
        Ok(())
    }
}
