//! The units that wait to be counted.
//!
//! All cards take units from one queue, so a fast card takes more. Whoever takes some either
//! finishes them or puts them back. Nobody leaves while another card might still put some back.

use crate::lock::lock;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// This many rounds begin with smaller batches than later ones.
const SMALL_ROUNDS: usize = 2;

/// The units that wait, by their index in the count, and how many are being counted.
pub(crate) struct Pending<'a> {
    /// What each unit costs.
    costs: &'a [f64],
    /// How many cards there are; what one puts back, another counts.
    cards: usize,
    /// Threads that feed cards.
    threads: usize,
    /// The work of a batch once all cards are busy.
    batch_cost: f64,
    queue: Mutex<Queue>,
    /// Signals that the queue grew, became empty, or must be left.
    changed: Condvar,
    /// How many threads have given a card their batch.
    counting: AtomicUsize,
    halted: AtomicBool,
}

struct Queue {
    waiting: VecDeque<usize>,
    /// How many units threads have and may still put back.
    taken: usize,
    /// How often units have been taken.
    takes: usize,
}

impl<'a> Pending<'a> {
    /// The units wait in the order in which they are to be counted.
    pub fn new(order: Vec<usize>, costs: &'a [f64], cards: usize, threads: usize) -> Pending<'a> {
        let total: f64 = costs.iter().sum();
        Pending {
            costs,
            cards,
            threads,
            // Small enough that every thread gets two batches.
            batch_cost: total / (2 * threads) as f64,
            queue: Mutex::new(Queue {
                waiting: order.into(),
                taken: 0,
                takes: 0,
            }),
            changed: Condvar::new(),
            counting: AtomicUsize::new(0),
            halted: AtomicBool::new(false),
        }
    }

    /// Ends the count.
    pub fn halt(&self) {
        self.halted.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// A flag that becomes true when the count ends.
    pub fn halted(&self) -> &AtomicBool {
        &self.halted
    }

    /// Whether the count ends.
    pub fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        lock(&self.queue).waiting.is_empty()
    }

    /// Does something that keeps a card busy.
    pub fn counting<T>(&self, count: impl FnOnce() -> T) -> T {
        self.counting.fetch_add(1, Ordering::Relaxed);
        let result = count();
        self.counting.fetch_sub(1, Ordering::Relaxed);
        result
    }

    /// Takes some neighbouring units, and waits while another card might put some back. `None` if
    /// there is nothing left to do.
    pub fn take(&self) -> Option<Vec<usize>> {
        let mut queue = lock(&self.queue);
        loop {
            let may_grow = queue.taken > 0 && self.cards > 1;
            if self.is_halted() || (queue.waiting.is_empty() && !may_grow) {
                return None;
            }
            // The card waits for the first batches, so these are small. The next ones are made
            // while it counts, so they can be twice as large.
            let round = (queue.takes / self.threads).min(SMALL_ROUNDS);
            let most = self.batch_cost / f64::from(1u32 << (SMALL_ROUNDS - round));
            // If the cards have enough to do, small classes come before large ones.
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

    /// Puts units back, for others to count.
    pub fn put_back(&self, indices: &[usize]) {
        let mut queue = lock(&self.queue);
        queue.taken -= indices.len();
        for &index in indices.iter().rev() {
            queue.waiting.push_front(index);
        }
        drop(queue);
        self.changed.notify_all();
    }

    /// Notes that this many units have been counted.
    pub fn finish(&self, number: usize) {
        let mut queue = lock(&self.queue);
        queue.taken -= number;
        let done = queue.taken == 0 && queue.waiting.is_empty();
        drop(queue);
        if done {
            self.changed.notify_all();
        }
    }
}
