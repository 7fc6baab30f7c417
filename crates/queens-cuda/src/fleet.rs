//! Sharing the units of a count out among cards, and the threads that feed them.
//!
//! All cards take units from one queue, so a fast card takes more. Each card is fed by
//! several host threads: a thread takes some neighbouring units, prepares their lists, has
//! the card count them, and hands in the counts. When a card fails, its threads put their
//! units back and leave; the others go on with them, and only when the last card has failed
//! does the count.
//!
//! The calling thread collects the counts, reports progress, watches the stop flag, and hands
//! a random share of the units to CPU threads that count them again.

use crate::Error;
use crate::batch::{Batch, Shape};
use crate::card::Card;
use queens::count::two_colour::flat::{self, Builder, Cache, Keep, Lists};
use queens::count::two_colour::{Counter, Simd, Units};
use queens::random::Random;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::time::Duration;

/// A random share of units to count again on the CPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verify {
    /// From 0, none, to 1, all.
    pub share: f64,
    /// Chooses which.
    pub seed: u64,
}

impl Verify {
    /// Whether this unit is one of the share.
    pub fn picks(&self, unit: u64) -> bool {
        Random::at(self.seed, unit).share() < self.share
    }
}

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

/// Lists beyond this many words go to the next batch, or fewer where there are many threads:
/// all batches together are about a gigabyte.
const BATCH_WORDS: usize = 32 << 20;
const ALL_WORDS: usize = 128 << 20;

/// The first so many times, threads take fewer units than later.
const SMALL_ROUNDS: usize = 2;

/// A batch has work for about so many launches.
const BATCH_LAUNCHES: f64 = 8.0;

/// Counts the given units of a board on these cards, in the order given.
///
/// # Errors
///
/// The last card's error when all have failed, [`Error::Differs`], [`Error::Stopped`],
/// [`Error::NoSuchUnit`] or [`Error::OutOfRange`].
pub fn count(cards: &[&dyn Card], n: u32, units: &[u64], run: &Run<'_>) -> Result<Vec<u64>, Error> {
    if !crate::SIZES.contains(&n) {
        return Err(Error::OutOfRange { n });
    }
    let all = queens::count::two_colour::units(n).ok_or(Error::OutOfRange { n })?;
    count_of(cards, &all, units, run)
}

/// The same for a board all of whose units are known.
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
    let n = all.n();
    if let Some(&unit) = units.iter().find(|&&unit| unit >= all.len()) {
        return Err(Error::NoSuchUnit { n, unit });
    }
    let costs: Vec<f64> = units.iter().map(|&unit| all.cost(unit)).collect();
    let total_cost: f64 = costs.iter().sum();
    let threads = run.threads.max(cards.len()).max(2);
    let per_card = threads.div_ceil(cards.len().max(1));
    // Large classes come first: they give a card most work for the lists that are made, and are
    // taken when it might wait. Small ones come last, and are taken when it has enough to do. In
    // a class neighbours have lists in common.
    let mut class_costs: BTreeMap<u32, f64> = BTreeMap::new();
    for (&unit, cost) in units.iter().zip(&costs) {
        *class_costs.entry(all.class(unit)).or_default() += cost;
    }
    let mut classes: Vec<u32> = class_costs.keys().copied().collect();
    classes.sort_by(|x, y| class_costs[y].total_cmp(&class_costs[x]));
    let rank = |c: u32| classes.iter().position(|&class| class == c);
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_cached_key(|&index| {
        let unit = units[index];
        (rank(all.class(unit)), flat::blocks(all, unit))
    });
    let mut row_sets = BTreeMap::new();
    if units.len() > threads {
        for (block, places) in flat::row_sets(all, units) {
            let places = places.into_iter().collect();
            let taken = AtomicUsize::new(0);
            row_sets.insert(block, RowSets { places, taken });
        }
    }
    // Lists are laid out for the card with the least room, and have the trees that any needs.
    let shapes: Vec<Shape> = cards.iter().map(|card| card.shape()).collect();
    let rooms = shapes
        .iter()
        .map(|shape| Shape::pairs_that_fit(shape.shared_per_block, n));
    let most_pairs = rooms.min().unwrap_or(0);
    let mut unfolded = (0..=n / 2).collect::<Vec<u32>>();
    unfolded.retain(|c| shapes.iter().all(|shape| shape.unfolded(n).contains(c)));
    let shared = Shared {
        n,
        cards: cards.len(),
        threads,
        most_pairs,
        unfolded,
        classes,
        row_sets,
        all,
        units,
        costs: &costs,
        // Small enough that every thread gets two batches.
        batch_cost: total_cost / (2 * threads) as f64,
        cache: Mutex::default(),
        queue: Mutex::new(Queue {
            waiting: order.into(),
            taken: 0,
            takes: 0,
        }),
        changed: Condvar::new(),
        counting: AtomicUsize::new(0),
        halt: AtomicBool::new(false),
        cards_left: AtomicUsize::new(cards.len()),
        failure: Mutex::new(None),
        too_little: Mutex::new(None),
    };
    // Lists that a card keeps are nowhere else, so others could not use them.
    let keeper = match cards {
        [card] => card.keeper(n),
        _ => None,
    };
    let keep = keeper.as_deref();
    let to_check = Checks::default();
    let mut counts = vec![None; units.len()];
    let mut done_cost = 0.0;
    std::thread::scope(|scope| {
        let (send, receive) = channel();
        for &card in cards {
            let feeders = Arc::new(Feeders {
                left: AtomicUsize::new(per_card),
                failed: AtomicBool::new(false),
            });
            for _ in 0..per_card {
                let (send, shared, feeders) = (send.clone(), &shared, feeders.clone());
                let warn = run.warn;
                scope.spawn(move || shared.feed(card, keep, &feeders, &send, warn));
            }
        }
        drop(send);
        let checkers: Vec<_> = (0..run.verify.map_or(0, |_| run.threads.max(1)))
            .map(|_| scope.spawn(|| to_check.work(n, &shared)))
            .collect();
        loop {
            if run.stop.load(Ordering::Relaxed) {
                shared.halt();
            }
            match receive.recv_timeout(Duration::from_millis(20)) {
                Ok((index, count)) => {
                    let index: usize = index;
                    counts[index] = Some(count);
                    done_cost += costs[index];
                    (run.progress)((done_cost / total_cost).min(1.0));
                    if run.verify.is_some_and(|verify| verify.picks(units[index])) {
                        to_check.push(units[index], count);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        to_check.close();
        while checkers.iter().any(|checker| !checker.is_finished()) {
            if run.stop.load(Ordering::Relaxed) {
                shared.halt();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    if let Some(error) = lock(&shared.failure).take() {
        return Err(error);
    }
    let stopped = Error::Stopped {
        share: done_cost / total_cost,
    };
    if shared.halt.load(Ordering::Relaxed) {
        return Err(stopped);
    }
    let too_little = lock(&shared.too_little).take();
    let counts: Option<_> = counts.into_iter().collect();
    counts.ok_or(too_little.unwrap_or(stopped))
}

/// What the threads share.
struct Shared<'a> {
    n: u32,
    /// How many cards; nothing that one of several puts back is lost.
    cards: usize,
    /// Threads that feed cards.
    threads: usize,
    /// How lists are laid out: for the planes of so many pairs of rows,
    most_pairs: u32,
    /// and without trees to gather by in these classes.
    unfolded: Vec<u32>,
    /// The classes of the units.
    classes: Vec<u32>,
    /// The row sets of each block, for many units: class, whether they are odd, and number.
    row_sets: BTreeMap<(u32, bool, usize), RowSets>,
    /// All units of the board.
    all: &'a Units,
    /// Those to be counted.
    units: &'a [u64],
    costs: &'a [f64],
    batch_cost: f64,
    /// Lists that the threads share, as long as one of them makes some.
    cache: Mutex<Weak<Cache>>,
    queue: Mutex<Queue>,
    /// The queue grew, shrank to nothing, or must be left.
    changed: Condvar,
    /// Threads that have given a card their batch.
    counting: AtomicUsize,
    halt: AtomicBool,
    cards_left: AtomicUsize,
    /// Why the count as a whole has failed.
    failure: Mutex<Option<Error>>,
    /// Why some thread has left its units to others.
    too_little: Mutex<Option<Error>>,
}

/// Row sets whose lists are made by all threads together before they are used; otherwise two
/// threads that need the same lists in the same order would wait for each other all the time.
struct RowSets {
    places: Vec<usize>,
    taken: AtomicUsize,
}

/// The threads that feed one card.
struct Feeders {
    left: AtomicUsize,
    /// The card has failed; its threads leave when their batch is done.
    failed: AtomicBool,
}

/// Indices into the units.
struct Queue {
    waiting: VecDeque<usize>,
    /// Units that some thread has and may still put back.
    taken: usize,
    /// How often some have been taken.
    takes: usize,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nobody panics while holding a lock in a way that leaves its contents half-changed.
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Shared<'_> {
    fn halt(&self) {
        self.halt.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn fail(&self, error: Error) {
        lock(&self.failure).get_or_insert(error);
        self.halt();
    }

    /// Takes some neighbouring units, waiting while another card might put some back. `None` when
    /// there is nothing left to do.
    fn take(&self) -> Option<Vec<usize>> {
        let mut queue = lock(&self.queue);
        loop {
            let may_grow = queue.taken > 0 && self.cards > 1;
            if self.halt.load(Ordering::Relaxed) || (queue.waiting.is_empty() && !may_grow) {
                return None;
            }
            // The card waits for the first batches, so these are small; the next are made while
            // it counts, so they can be twice as large.
            let round = (queue.takes / self.threads).min(SMALL_ROUNDS);
            let most = self.batch_cost / f64::from(1u32 << (SMALL_ROUNDS - round));
            // Where the cards have enough to do, small classes come before large ones.
            let enough = 2 * self.counting.load(Ordering::Relaxed) > self.threads;
            let mut cost = 0.0;
            let mut taken = Vec::new();
            loop {
                let last = queue.waiting.len().saturating_sub(1);
                let place = if enough { last } else { 0 };
                let Some(&index) = queue.waiting.get(place) else {
                    break;
                };
                cost += self.costs[index];
                if !taken.is_empty() && cost > most {
                    break;
                }
                queue.waiting.remove(place);
                taken.push(index);
            }
            if !taken.is_empty() {
                queue.taken += taken.len();
                queue.takes += 1;
                return Some(taken);
            }
            queue = self
                .changed
                .wait_timeout(queue, Duration::from_millis(100))
                .map_or_else(|poisoned| poisoned.into_inner().0, |(queue, _)| queue);
        }
    }

    fn builder<'a>(&self, keep: Option<&'a dyn Keep>) -> Builder<'a> {
        let mut shared = lock(&self.cache);
        let cache = shared.upgrade().unwrap_or_default();
        *shared = Arc::downgrade(&cache);
        Builder::sharing(self.all.clone(), cache)
            .with_pairs(self.most_pairs)
            .without_gathering_trees(self.unfolded.clone())
            .kept_by(keep)
    }

    /// Helps to make the lists of a unit's blocks.
    fn prepare(&self, unit: u64, builder: &mut Builder) {
        let Some((c, even, odd)) = flat::blocks(self.all, unit) else {
            return;
        };
        for block in [(c, false, even), (c, true, odd)] {
            let Some(row_sets) = self.row_sets.get(&block) else {
                continue;
            };
            while !self.halt.load(Ordering::Relaxed)
                && let Some(&place) = row_sets
                    .places
                    .get(row_sets.taken.fetch_add(1, Ordering::Relaxed))
            {
                builder.prepare(c, block.1, place);
            }
        }
    }

    fn put_back(&self, indices: &[usize]) {
        let mut queue = lock(&self.queue);
        queue.taken -= indices.len();
        for &index in indices.iter().rev() {
            queue.waiting.push_front(index);
        }
        drop(queue);
        self.changed.notify_all();
    }

    fn finish(&self, number: usize) {
        let mut queue = lock(&self.queue);
        queue.taken -= number;
        let done = queue.taken == 0 && queue.waiting.is_empty();
        drop(queue);
        if done {
            self.changed.notify_all();
        }
    }

    /// Feeds a card until there is nothing left or the card fails.
    fn feed(
        &self,
        card: &dyn Card,
        keep: Option<&dyn Keep>,
        feeders: &Feeders,
        send: &Sender<(usize, u64)>,
        warn: &(dyn Fn(&str) + Sync),
    ) {
        let _halt = HaltOnPanic(self);
        let result = self.feed_on(card, keep, feeders, send);
        let last = feeders.left.fetch_sub(1, Ordering::AcqRel) == 1;
        match result {
            Ok(()) | Err(Error::Stopped { .. }) => {}
            Err(error @ (Error::Overflow { .. } | Error::OutOfRange { .. })) => self.fail(error),
            // One that finds no memory for itself leaves the card to its other threads, if they
            // are still there.
            Err(error @ Error::TooLittleMemory { .. }) if !last => {
                lock(&self.too_little).get_or_insert(error);
            }
            Err(error) => {
                if feeders.failed.swap(true, Ordering::AcqRel) {
                    return;
                }
                if self.cards_left.fetch_sub(1, Ordering::AcqRel) == 1 {
                    self.fail(error);
                } else {
                    warn(&format!(
                        "{error}; {} has failed and its units go to the others",
                        card.name()
                    ));
                }
            }
        }
    }

    fn feed_on(
        &self,
        card: &dyn Card,
        keep: Option<&dyn Keep>,
        feeders: &Feeders,
        send: &Sender<(usize, u64)>,
    ) -> Result<(), Error> {
        let mut stream = None;
        let shape = card.shape();
        let can_count = |&c: &u32| shape.can_count(self.n, c, self.most_pairs);
        if !self.classes.iter().all(can_count) {
            return Err(Error::TooLittleShared { n: self.n });
        }
        let mut builder = None;
        let mut lists = Lists::default();
        let mut batch = Batch::new(self.n, &shape, self.most_pairs);
        let most_cost = BATCH_LAUNCHES * shape.launch_cost;
        let most_words = (ALL_WORDS / self.threads).min(BATCH_WORDS);
        while !feeders.failed.load(Ordering::Acquire)
            && let Some(indices) = self.take()
        {
            let mut rest = indices.as_slice();
            let result = loop {
                if rest.is_empty() {
                    break Ok(());
                }
                let result = (|| {
                    batch.clear();
                    let maker = builder.get_or_insert_with(|| self.builder(keep));
                    let mut used = 0;
                    while used < rest.len()
                        && (used == 0
                            || (batch.words().len() < most_words && batch.cost() < most_cost))
                    {
                        let index = rest[used];
                        let unit = self.units[index];
                        self.prepare(unit, maker);
                        if !maker.build(unit, &mut lists) {
                            return Err(Error::NoSuchUnit { n: self.n, unit });
                        }
                        batch.add(unit, self.costs[index], &lists)?;
                        used += 1;
                    }
                    if used == rest.len() && lock(&self.queue).waiting.is_empty() {
                        // The last to come here frees all lists, while others' batches run.
                        builder = None;
                        lists = Lists::default();
                    }
                    if stream.is_none() {
                        stream = Some(card.stream()?);
                    }
                    let stream = stream.as_mut().expect("made above");
                    self.counting.fetch_add(1, Ordering::Relaxed);
                    let sums = stream.count(&mut batch, &self.halt);
                    self.counting.fetch_sub(1, Ordering::Relaxed);
                    batch.counts(&sums?)
                })();
                match result {
                    Ok(counts) => {
                        let (counted, left) = rest.split_at(counts.len());
                        for (&index, count) in counted.iter().zip(counts) {
                            // The receiver lives as long as any feeder.
                            let _ = send.send((index, count));
                        }
                        self.finish(counted.len());
                        rest = left;
                    }
                    Err(error) => break Err(error),
                }
            };
            if let Err(error) = result {
                self.put_back(rest);
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Ends the count where a thread panics: the others would wait for its units.
struct HaltOnPanic<'a>(&'a Shared<'a>);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.halt();
        }
    }
}

/// Counts waiting to be checked on the CPU.
#[derive(Default)]
struct Checks {
    waiting: Mutex<(VecDeque<(u64, u64)>, bool)>,
    changed: Condvar,
}

impl Checks {
    fn push(&self, unit: u64, count: u64) {
        lock(&self.waiting).0.push_back((unit, count));
        self.changed.notify_one();
    }

    /// Says that no more will come.
    fn close(&self) {
        lock(&self.waiting).1 = true;
        self.changed.notify_all();
    }

    fn next(&self) -> Option<(u64, u64)> {
        let mut waiting = lock(&self.waiting);
        loop {
            if let Some(next) = waiting.0.pop_front() {
                return Some(next);
            }
            if waiting.1 {
                return None;
            }
            waiting = self
                .changed
                .wait(waiting)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    fn work(&self, n: u32, shared: &Shared<'_>) {
        let mut counter = Counter::new(n, Simd::Auto).expect("every size here has a counter");
        while let Some((unit, gpu)) = self.next() {
            if shared.halt.load(Ordering::Relaxed) {
                continue;
            }
            if let Some(cpu) = counter.count(unit, &shared.halt)
                && cpu != gpu
            {
                shared.fail(Error::Differs {
                    self_test: false,
                    n,
                    unit,
                    cpu,
                    gpu,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_one_picks_every_unit_and_a_share_of_none_picks_none() {
        for (share, expected) in [
            (0.0, 0..1),
            (0.01, 60..140),
            (0.5, 4800..5200),
            (1.0, 10_000..10_001),
        ] {
            for seed in [0, 1, 0xdead_beef] {
                let verify = Verify { share, seed };
                let picked = (0..10_000).filter(|&unit| verify.picks(unit)).count();
                assert!(expected.contains(&picked), "{share} {seed}: {picked}");
            }
        }
    }
}
