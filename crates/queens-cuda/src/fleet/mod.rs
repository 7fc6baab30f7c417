//! Counting units on several cards.
//!
//! | file | what it has |
//! |---|---|
//! | `pending.rs` | the units that wait |
//! | `preparation.rs` | makes lists, with all threads together |
//! | `recount.rs` | counts a share of the units again on the CPU |
//! | `feed.rs` | threads that feed cards |
//!
//! A file uses only those above it. Here the calling thread orders the units, starts the other
//! threads, collects the counts, reports progress, and watches the stop flag.

mod feed;
mod pending;
mod preparation;
mod recount;

pub use recount::Verify;

use crate::Error;
use crate::batch::Shape;
use crate::card::Card;
use crate::lists;
use crate::lock::lock;
use feed::{Failures, Feed, Feeders};
use pending::Pending;
use preparation::Preparation;
use queens::count::two_colour::Units;
use recount::Checks;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// How units are counted.
pub struct Run<'a> {
    /// Host threads, for lists and for verification.
    pub threads: usize,
    /// Ends the count soon after it becomes true.
    pub stop: &'a AtomicBool,
    /// Called with the share of the work done.
    pub progress: &'a dyn Fn(f64),
    /// Called with a line about a card that failed while others go on.
    pub warn: &'a (dyn Fn(&str) + Sync),
    /// Units to count again.
    pub verify: Option<Verify>,
}

/// Counts the given units of a board on these cards, in the order given.
///
/// # Errors
///
/// The last card's error if all have failed, [`Error::Differs`], [`Error::Stopped`],
/// [`Error::NoSuchUnit`], [`Error::OutOfRange`], or [`Error::NoDevice`] without a card.
pub fn count(cards: &[&dyn Card], n: u32, units: &[u64], run: &Run<'_>) -> Result<Vec<u64>, Error> {
    if !crate::SIZES.contains(&n) {
        return Err(Error::OutOfRange { n });
    }
    let all = queens::count::two_colour::units(n as usize).ok_or(Error::OutOfRange { n })?;
    count_of(cards, &all, units, run)
}

/// The same with the units of the board, `all`, at hand.
///
/// # Errors
///
/// As [`count`].
pub fn count_of(
    cards: &[&dyn Card],
    all: &Units,
    units: &[u64],
    run: &Run<'_>,
) -> Result<Vec<u64>, Error> {
    let n = all.n() as u32;
    if cards.is_empty() {
        return Err(Error::NoDevice);
    }
    if let Some(&unit) = units.iter().find(|&&unit| unit >= all.len()) {
        return Err(Error::NoSuchUnit { n, unit });
    }
    let costs: Vec<f64> = units.iter().map(|&unit| all.cost(unit)).collect();
    let total_cost: f64 = costs.iter().sum();
    let threads = run.threads.max(cards.len()).max(2);
    let per_card = threads.div_ceil(cards.len());
    let (classes, order) = in_order(all, units, &costs);
    let mut preparation = preparation(cards, all);
    if units.len() > threads {
        preparation = preparation.together(units);
    }
    let feed = Feed {
        n,
        threads,
        units,
        costs: &costs,
        classes,
        pending: Pending::new(order, &costs, cards.len(), threads),
        preparation,
        failures: Failures::default(),
    };
    // Resident lists are only on their card, so another card could not use them.
    let uploader = match cards {
        [card] => card.uploader(n),
        _ => None,
    };
    let upload = uploader.as_deref();
    let checks = Checks::default();
    let mut counts = vec![None; units.len()];
    let mut done_cost = 0.0;
    std::thread::scope(|scope| {
        let (send, receive) = channel();
        for &card in cards {
            let feeders = Arc::new(Feeders::new(per_card));
            for number in 0..per_card {
                let (send, feed, feeders) = (send.clone(), &feed, feeders.clone());
                let (cards, warn) = (cards.len(), run.warn);
                let own = feeders.clone();
                let work = move || feed.feed(card, cards, &own, upload, &send, warn);
                if let Err(error) = Builder::new().spawn_scoped(scope, work) {
                    // Fewer threads can feed a card too, but at least one must.
                    feeders.do_without(per_card - number);
                    if number == 0 {
                        let reason = error.to_string();
                        feed.lose(card, cards, &feeders, Error::NoThread { reason }, warn);
                    }
                    break;
                }
            }
        }
        drop(send);
        let check = || checks.work(n, feed.pending.halted(), |error| feed.fail(error));
        let checkers: Vec<_> = (0..run.verify.map_or(0, |_| run.threads.max(1)))
            .map_while(|_| Builder::new().spawn_scoped(scope, check).ok())
            .collect();
        loop {
            if run.stop.load(Ordering::Relaxed) {
                feed.pending.halt();
            }
            match receive.recv_timeout(Duration::from_millis(20)) {
                Ok((index, count)) => {
                    let index: usize = index;
                    counts[index] = Some(count);
                    done_cost += costs[index];
                    (run.progress)((done_cost / total_cost).min(1.0));
                    if run.verify.is_some_and(|verify| verify.picks(units[index])) {
                        checks.push(units[index], count);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        checks.close();
        if run.verify.is_some() && checkers.is_empty() {
            check();
        }
        while checkers.iter().any(|checker| !checker.is_finished()) {
            if run.stop.load(Ordering::Relaxed) {
                feed.pending.halt();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    if let Some(error) = lock(&feed.failures.fatal).take() {
        return Err(error);
    }
    let stopped = Error::Stopped {
        share: done_cost / total_cost,
    };
    if feed.pending.is_halted() {
        return Err(stopped);
    }
    let too_little_memory = lock(&feed.failures.too_little_memory).take();
    let counts: Option<_> = counts.into_iter().collect();
    counts.ok_or(too_little_memory.unwrap_or(stopped))
}

/// The classes of the units, and the units as indices, in the order in which they are counted.
///
/// Large classes come first: they give a card most work for the lists that are made, so they are
/// taken when it might have to wait. Small classes come last, and are taken when it has enough to
/// do. Neighbours in a class have lists in common.
fn in_order(all: &Units, units: &[u64], costs: &[f64]) -> (Vec<u32>, Vec<usize>) {
    let mut class_costs: BTreeMap<u32, f64> = BTreeMap::new();
    for (&unit, cost) in units.iter().zip(costs) {
        *class_costs.entry(all.class(unit)).or_default() += cost;
    }
    let mut classes: Vec<u32> = class_costs.keys().copied().collect();
    classes.sort_by(|x, y| class_costs[y].total_cmp(&class_costs[x]));
    let place = |class: u32| classes.iter().position(|&known| known == class);
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_cached_key(|&index| {
        let unit = units[index];
        (place(all.class(unit)), lists::blocks(all, unit))
    });
    (classes, order)
}

/// Prepares lists for all cards. They are laid out for the card with the least room, and leave out
/// only what no card needs.
fn preparation<'a>(cards: &[&dyn Card], all: &'a Units) -> Preparation<'a> {
    let n = all.n() as u32;
    let shapes: Vec<Shape> = cards.iter().map(|card| card.shape()).collect();
    let rooms = shapes
        .iter()
        .map(|shape| Shape::mask_pairs_that_fit(shape.shared_per_block, n));
    let mask_pairs = rooms.min().unwrap_or(0);
    let mut unfolded: Vec<u32> = (0..=n / 2).collect();
    unfolded.retain(|class| shapes.iter().all(|shape| shape.unfolded(n).contains(class)));
    Preparation::new(all, mask_pairs, unfolded)
}
