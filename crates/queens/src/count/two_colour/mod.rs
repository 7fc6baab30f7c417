//! `two-colour`: black queens and white queens counted apart, and joined by an equality.
//!
//! A diagonal never leaves its colour. So queens on black squares and queens on white ones
//! meet only in rows and columns: if the black queens of a solution take the rows R and the
//! columns C, the white ones take exactly the other rows and the other columns, and any two
//! such halves fit:
//!
//! ```text
//! Q(n) = sum over (R, C) of  black(R, C) * white(not R, not C)
//! ```
//!
//! Parity cuts each colour into two small boards of half the size (`split`), and all eight
//! symmetries fold the sum (`class`). For fixed rows both colours are matrices of counts
//! over the columns; one is stored, the other gathers from it (`batch`). A matrix comes
//! from two lists of placements, one walked as a tree, the other scanned as bits
//! (`lists`, `layout`, `kernel`), 512 of them to an instruction (`simd`); where hardly any
//! placement survives, the list is filtered step by step instead (`filter`). The row
//! sets are cut into numbered units (`units`), each a pure function of (n, unit), and each
//! can be checked alone ([`check_unit`]). The proof is in `docs/algorithms.md`.
//!
//! Plain backtracking visits 1.1e9 nodes at n = 16 where this visits 1e7 placements, and the
//! ratio grows with n: from n to n + 2 the time grows by 13 (16 to 18) to 35 (22 to 24), not by
//! 45 to 70.
//!
//! What was tried and given up: looking survivors of a scan up one by one (slower than
//! slots); counting into 32-bit sums always (10 % slower at n = 20); singles instead of
//! pairs of squares at the end of a tree; filtering the balanced classes too (twice to four
//! times slower than scanning them, as each of their many survivors costs ten cycles).

mod batch;
mod check;
mod class;
pub mod explain;
mod filter;
#[doc(hidden)]
pub mod flat;
mod kernel;
mod layout;
mod lists;
#[cfg(test)]
mod matrices;
mod simd;
mod split;
mod units;

pub use check::check_unit;
pub(crate) use class::Visits;
pub use simd::Simd;
pub use units::Units;

use super::{CountError, Job};
use batch::{Inner, Outer, Plan, Work};
pub(crate) use class::Class;
use layout::Layout;
use lists::{Queue, Tree};
use simd::Kernels;
pub(crate) use split::Split;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// Names the meaning of unit numbers and their counts; changes when either does.
pub const ALGORITHM: &str = "two-colour/4";

/// The largest board.
pub const LARGEST_N: u32 = 32;

/// The units of a board, or `None` beyond [`LARGEST_N`] and for 0.
pub fn units(n: u32) -> Option<Units> {
    (1..=LARGEST_N).contains(&n).then(|| Units::new(n))
}

/// The count of one unit, or `None` where there is no such unit. The counts of all units add
/// up to the number of solutions. To count many units, use a [`Counter`].
pub fn count_unit(n: u32, unit: u64) -> Option<u64> {
    let mut counter = Counter::new(n, Simd::Auto)?;
    if unit >= counter.units.len() {
        return None;
    }
    counter.count(unit, &AtomicBool::new(false))
}

/// Counts units, one after the other, in the same memory: one counter per thread.
#[derive(Debug)]
pub struct Counter {
    units: Units,
    kernels: Kernels,
    class: Class,
    plan: Plan,
    /// The other classes that were met: a campaign takes units from everywhere.
    classes: HashMap<u32, Class>,
    inner: Arc<InnerBlock>,
    blocks: Arc<InnerBlocks>,
    queue: Queue,
    tree: Tree,
    work: Work,
}

/// The lists of the inner row sets of a unit, which are those of many.
type InnerBlock = Vec<InnerSlot>;

/// The lists of one inner row set, for whoever makes them first.
#[derive(Debug, Default)]
struct InnerSlot {
    /// Somebody is making them.
    begun: AtomicBool,
    lists: OnceLock<InnerLists>,
}

/// The blocks of inner row sets that are in use, shared by all counters of a count: units are
/// taken in order, so most threads have the same one.
#[derive(Debug, Default)]
struct InnerBlocks(Mutex<HashMap<InnerKey, Weak<InnerBlock>>>);

/// What the lists of a block depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct InnerKey {
    c: u32,
    /// The first even row set of the unit, which says how many Ce's and Co's are visited.
    first_even: usize,
    first: usize,
    count: usize,
    /// How the class is counted.
    chunk: usize,
    filter: bool,
}

impl InnerBlocks {
    fn get(&self, key: InnerKey) -> Arc<InnerBlock> {
        let mut blocks = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(block) = blocks.get(&key).and_then(Weak::upgrade) {
            return block;
        }
        blocks.retain(|_, block| block.strong_count() > 0);
        let mut block = InnerBlock::default();
        block.resize_with(key.count, InnerSlot::default);
        let block = Arc::new(block);
        blocks.insert(key, Arc::downgrade(&block));
        block
    }
}

/// The lists of one inner row set.
#[derive(Debug, Default)]
struct InnerLists {
    tree_rows: u32,
    ce_limit: u32,
    gather_tree: Tree,
    store_layouts: Vec<Layout>,
}

impl InnerLists {
    /// The lists for the rows of the inner parity in `rows`, with so many Ce's and Co's.
    fn new(
        class: &Class,
        plan: &Plan,
        rows: (u32, u32),
        (ce_limit, co_limit): (u32, u32),
        queue: &mut Queue,
        kernels: &Kernels,
    ) -> InnerLists {
        let mut gather_tree = Tree::default();
        if !plan.filter {
            plan.gather
                .build_tree(class, rows, ce_limit, plan.stem, &mut gather_tree);
            gather_tree.shrink();
        }
        plan.store.build_queue(class, rows, co_limit, queue);
        queue.number_cols();
        let layout = |start: usize| {
            let chunk = start..(start + plan.chunk).min(co_limit as usize);
            let range = queue.range(chunk.clone());
            let (lines, cols) = (&queue.lines[range.clone()], &queue.cols[range]);
            let mut layout = Layout::default();
            layout.build(lines, cols, chunk, kernels);
            layout.shrink();
            layout
        };
        InnerLists {
            tree_rows: plan.gather.tree_side(class, rows).1,
            ce_limit,
            gather_tree,
            store_layouts: (0..co_limit as usize)
                .step_by(plan.chunk)
                .map(layout)
                .collect(),
        }
    }
}

impl Counter {
    /// A counter for this board, or `None` for a board without units or instructions that
    /// this machine lacks.
    pub fn new(n: u32, simd: Simd) -> Option<Counter> {
        Counter::over(units(n)?, simd, Arc::default())
    }

    /// A counter for units that somebody has made already, beside others.
    fn over(units: Units, simd: Simd, blocks: Arc<InnerBlocks>) -> Option<Counter> {
        let kernels = Kernels::new(simd)?;
        let class = Class::new(Split::new(units.n()), 0);
        Some(Counter {
            plan: units.plan(0)?,
            units,
            kernels,
            class,
            classes: HashMap::new(),
            inner: Arc::default(),
            blocks,
            queue: Queue::default(),
            tree: Tree::default(),
            work: Work::default(),
        })
    }

    /// The units of the board.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// Makes ready for the units of a class; `None` where it is not visited.
    fn enter(&mut self, c: u32) -> Option<()> {
        if self.class.c != c {
            self.plan = self.units.plan(c)?;
            let met = self.classes.remove(&c);
            let class = met.unwrap_or_else(|| Class::new(Split::new(self.units.n()), c));
            let left = std::mem::replace(&mut self.class, class);
            self.classes.insert(left.c, left);
        }
        Some(())
    }

    /// The count of a unit: what its row sets contribute to the number of solutions. `None`
    /// where there is no such unit, or soon after `stop` becomes true.
    ///
    /// # Panics
    ///
    /// When a count does not fit 64 bits, which no unit of a board up to 32 comes near.
    pub fn count(&mut self, unit: u64, stop: &AtomicBool) -> Option<u64> {
        let unit = self.units.get(unit)?;
        self.enter(unit.c)?;
        let class = &self.class;
        let plan = self.plan;
        let even_rows = &class.even_rows[unit.even.clone()];
        // Lists that several row sets share are as long as the largest of them needs.
        let largest = class.visits_of(even_rows, unit.odd.clone());
        // What inner row sets have is for all units that share them.
        let inner_is_even = plan.gather.tree_is_even();
        let co_limit = match inner_is_even {
            true => class.visits_of(even_rows, 0..class.odd_rows.len()).co_limit,
            false => largest.co_limit,
        };
        // A row set as (even rows, odd rows); the colours read the one they depend on.
        let evens: Vec<(u32, u32)> = even_rows.iter().map(|rows| (rows.set, 0)).collect();
        let odds: Vec<(u32, u32)> = unit.odd.clone().map(|ro| (0, class.odd_rows[ro])).collect();
        let (inners, outers) = if inner_is_even {
            (&evens, &odds)
        } else {
            (&odds, &evens)
        };

        let first_inner = if inner_is_even {
            unit.even.start
        } else {
            unit.odd.start
        };
        self.inner = self.blocks.get(InnerKey {
            c: unit.c,
            first_even: unit.even.start,
            first: first_inner,
            count: inners.len(),
            chunk: plan.chunk,
            filter: plan.filter,
        });
        let block = self.inner.clone();
        // First what nobody has begun, then what is not there yet: nobody waits for others.
        for again in [false, true] {
            for (k, (slot, &rows)) in block.iter().zip(inners).enumerate() {
                if slot.lists.get().is_some()
                    || (slot.begun.swap(true, Ordering::Relaxed) && !again)
                {
                    continue;
                }
                let ce_limit = if inner_is_even {
                    class.visits(&even_rows[k], unit.odd.start).ce_limit
                } else {
                    largest.ce_limit
                };
                let limits = (ce_limit, co_limit);
                let queue = &mut self.queue;
                let lists = InnerLists::new(class, &plan, rows, limits, queue, &self.kernels);
                let _ = slot.lists.set(lists);
            }
        }
        let mut total = 0u64;
        for (o, &rows) in outers.iter().enumerate() {
            plan.store
                .build_tree(class, rows, largest.ce_limit, 0, &mut self.tree);
            plan.gather
                .build_queue(class, rows, largest.co_limit, &mut self.queue);
            if !plan.filter {
                self.queue.number_cols();
            }
            let pairs: Vec<Inner> = block
                .iter()
                .filter_map(|slot| slot.lists.get())
                .enumerate()
                .map(|(k, lists)| {
                    let (even, odd) = if inner_is_even { (k, o) } else { (o, k) };
                    let rows = &even_rows[even];
                    let ro = unit.odd.start + odd;
                    Inner {
                        visits: class.visits(rows, ro),
                        weight: class.row_weight(rows, ro as u32),
                        tree_rows: lists.tree_rows,
                        ce_limit: lists.ce_limit,
                        gather_tree: &lists.gather_tree,
                        store_layouts: &lists.store_layouts,
                    }
                })
                .filter(|pair| pair.weight > 0)
                .collect();
            if pairs.is_empty() {
                continue;
            }
            let outer = Outer {
                gather_queue: &self.queue,
                store_tree: &self.tree,
            };
            let count = batch::count_batch(
                class,
                &plan,
                outer,
                &pairs,
                &self.kernels,
                &mut self.work,
                stop,
            )?;
            total = total
                .checked_add(count)
                .expect("the count of one unit fits 64 bits");
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
        engine: super::Engine::TwoColour,
        n: job.n,
        largest: LARGEST_N as usize,
    })?;
    if !job.simd.is_available() {
        return Err(CountError::NoSuchSimd { simd: job.simd });
    }
    let never = AtomicBool::new(false);
    let stop = job.stop.unwrap_or(&never);
    let next = AtomicU64::new(0);
    let blocks = Arc::new(InnerBlocks::default());
    // The total so far and the cost of what it covers.
    let done = Mutex::new((0u128, 0.0));
    let work = |thread: usize| -> Option<()> {
        let mut counter = None;
        loop {
            // Where a class takes much memory, some threads leave it to the others for good.
            let coming = units.len().saturating_sub(next.load(Ordering::Relaxed) + 1);
            if thread >= units.most_threads(coming) {
                return Some(());
            }
            let taken = next.fetch_add(1, Ordering::Relaxed);
            // From the last unit on: those of the balanced classes, which cost the most and
            // as much as expected, come first, the small ones fill the gaps at the end.
            let Some(unit) = units.len().checked_sub(taken + 1) else {
                return Some(());
            };
            let counter = match &mut counter {
                Some(counter) => counter,
                none => none.insert(Counter::over(units.clone(), job.simd, blocks.clone())?),
            };
            let count = counter.count(unit, stop)?;
            let mut done = done.lock().ok()?;
            done.0 += u128::from(count);
            done.1 += units.cost(unit);
            job.report((done.1 / units.total_cost()).min(1.0));
        }
    };
    let threads = (job.threads.get() as u64).min(units.len());
    let complete = if threads == 1 {
        work(0).is_some()
    } else {
        std::thread::scope(|scope| {
            let work = &work;
            let workers: Vec<_> = (0..threads as usize)
                .map(|thread| scope.spawn(move || work(thread)))
                .collect();
            let done: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
            done.into_iter().all(|done| match done {
                Ok(done) => done.is_some(),
                Err(panic) => std::panic::resume_unwind(panic),
            })
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

    /// Even and odd boards, black and white gathering, all Co's at once and in chunks.
    #[test]
    fn filtering_and_scanning_give_the_same_counts() {
        let never = AtomicBool::new(false);
        let mut solutions = 0;
        for n in [15, 16, 18, 19, 20, 21] {
            let mut counter = Counter::new(n, Simd::Auto).unwrap();
            let mut last_class = None;
            for unit in 0..counter.units().len() {
                let class = counter.units().class(unit);
                if last_class == Some(class) {
                    continue;
                }
                last_class = Some(class);
                counter.enter(class).unwrap();
                if !counter.plan.filter {
                    continue;
                }
                let filtered = counter.count(unit, &never);
                counter.plan.chunk = simd::SLOTS;
                let in_chunks = counter.count(unit, &never);
                counter.plan = counter.plan.scanning(&counter.class);
                let scanned = counter.count(unit, &never);
                assert_eq!(filtered, scanned, "n={n} unit {unit}");
                assert_eq!(in_chunks, scanned, "n={n} unit {unit} in chunks");
                solutions += scanned.unwrap();
            }
        }
        assert!(solutions > 0);
    }
}
