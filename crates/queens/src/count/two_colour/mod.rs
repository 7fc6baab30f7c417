//! Two colours (essay to come).

mod class;
#[doc(hidden)]
pub mod flat;
mod kernel;
mod layout;
mod lists;
mod pair;
mod simd;
mod split;
mod units;

pub use simd::Simd;
pub use units::Units;

use super::{CountError, Job};
use class::Class;
use layout::Layout;
use lists::{Queue, Tree};
use pair::{Colour, Side, Work};
use simd::Kernels;
use split::Split;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Names the meaning of unit numbers and their counts.
pub const ALGORITHM: &str = "two-colour/1";

/// The largest board.
pub const LARGEST_N: u32 = 32;

/// The units.
pub fn units(n: u32) -> Option<Units> {
    (1..=LARGEST_N).contains(&n).then(|| Units::new(n))
}

/// One unit.
pub fn count_unit(n: u32, unit: u64) -> Option<u64> {
    let mut counter = Counter::new(n, Simd::Auto)?;
    if unit >= counter.units.len() {
        return None;
    }
    counter.count(unit, &AtomicBool::new(false))
}

/// Counts units.
#[derive(Debug)]
pub struct Counter {
    units: Units,
    kernels: Kernels,
    class: Class,
    even: Vec<Lists>,
    odd: Lists,
    queue: Queue,
    work: Work,
}

/// The lists that one set of rows has: a tree for one colour, layouts for the other.
#[derive(Debug, Default)]
struct Lists {
    tree: Tree,
    layouts: Vec<Layout>,
}

impl Counter {
    /// New.
    pub fn new(n: u32, simd: Simd) -> Option<Counter> {
        let units = units(n)?;
        let kernels = Kernels::new(simd)?;
        let class = Class::new(Split::new(n), 0);
        Some(Counter {
            units,
            kernels,
            class,
            even: Vec::new(),
            odd: Lists::default(),
            queue: Queue::default(),
            work: Work::default(),
        })
    }

    /// The units.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// Counts a unit.
    pub fn count(&mut self, unit: u64, stop: &AtomicBool) -> Option<u64> {
        let unit = self.units.get(unit)?;
        if self.class.c != unit.c {
            self.class = Class::new(Split::new(self.units.n()), unit.c);
        }
        let class = &self.class;
        let chunk = pair::chunk_size(class);
        let even_rows = &class.even_rows[unit.even.clone()];
        // Lists that several even row sets share are as long as the largest of them needs.
        let largest = even_rows[even_rows.len() - 1];
        let (gather, store) = Colour::roles(class);
        let (tree_colour, queue_colour) = if gather.tree_is_even() {
            (gather, store)
        } else {
            (store, gather)
        };
        let lay_out = |queue: &Queue, layouts: &mut Vec<Layout>, kernels: &Kernels| {
            let cos = largest.co_limit as usize;
            layouts.resize_with(cos.div_ceil(chunk), Layout::default);
            for (start, layout) in (0..cos).step_by(chunk).zip(layouts) {
                layout.build(queue, start..(start + chunk).min(cos), kernels);
            }
        };
        self.even.resize_with(even_rows.len(), Lists::default);
        for (rows, lists) in even_rows.iter().zip(&mut self.even) {
            tree_colour.build_tree(class, (rows.set, 0), rows.ce_limit, &mut lists.tree);
            queue_colour.build_queue(class, (rows.set, 0), largest.co_limit, &mut self.queue);
            lay_out(&self.queue, &mut lists.layouts, &self.kernels);
        }
        let mut total = 0u64;
        for ro in unit.odd {
            let set = class.odd_rows[ro];
            queue_colour.build_tree(class, (0, set), largest.ce_limit, &mut self.odd.tree);
            tree_colour.build_queue(class, (0, set), largest.co_limit, &mut self.queue);
            lay_out(&self.queue, &mut self.odd.layouts, &self.kernels);
            for (rows, lists) in even_rows.iter().zip(&self.even) {
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
                let weight = class.row_weight(rows, ro as u32);
                if weight == 0 {
                    continue;
                }
                let even_tree = Side {
                    tree: &lists.tree,
                    layouts: &self.odd.layouts,
                };
                let odd_tree = Side {
                    tree: &self.odd.tree,
                    layouts: &lists.layouts,
                };
                let (gather, store) = if gather.tree_is_even() {
                    (even_tree, odd_tree)
                } else {
                    (odd_tree, even_tree)
                };
                let count =
                    pair::count_pair(class, rows, gather, store, &self.kernels, &mut self.work);
                let count = count
                    .checked_mul(weight)
                    .and_then(|count| total.checked_add(count));
                total = count.expect("the count of one unit fits 64 bits");
            }
        }
        Some(total)
    }
}

/// Counts all solutions, on as many threads as the job allows.
pub(super) fn count(job: &Job<'_>) -> Result<u128, CountError> {
    let n = job.n as u32;
    if n == 0 {
        return Ok(1);
    }
    let units = units(n).ok_or(CountError::TooLarge {
        engine: "two-colour",
        n: job.n,
        largest: LARGEST_N as usize,
    })?;
    if !job.simd.is_available() {
        return Err(CountError::NoSuchSimd {
            simd: job.simd.name(),
        });
    }
    let never = AtomicBool::new(false);
    let stop = job.stop.unwrap_or(&never);
    let next = AtomicU64::new(0);
    // The total so far and the cost of what it covers.
    let done = Mutex::new((0u128, 0.0));
    let work = || -> Option<()> {
        let mut counter = Counter::new(n, job.simd)?;
        loop {
            let unit = next.fetch_add(1, Ordering::Relaxed);
            if unit >= units.len() {
                return Some(());
            }
            let count = counter.count(unit, stop)?;
            let mut done = done.lock().ok()?;
            done.0 += u128::from(count);
            done.1 += units.cost(unit);
            job.report((done.1 / units.total_cost()).min(1.0));
        }
    };
    let threads = (job.threads.get() as u64).min(units.len());
    let complete = if threads == 1 {
        work().is_some()
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .all(|worker| worker.join().is_ok_and(|done| done.is_some()))
        })
    };
    let (total, cost) = done
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    if complete {
        Ok(total)
    } else {
        Err(CountError::Stopped {
            share: cost / units.total_cost(),
        })
    }
}
