//! The lists of inner row sets, made once and shared by the threads of a count.
//!
//! Units are taken in order, so most threads work on units with the same inner row sets. A
//! thread makes the lists that no thread has begun. Then, rather than wait, it also makes those
//! that another thread has begun but not finished, and whichever copy is finished first is kept.
//! Lists go when the last counter has left them.

use super::colour::RowSet;
use super::cost::{Join, Strategy};
use super::join::BitPlanes;
use super::scan_list::ScanList;
use super::sets::Set;
use super::simd::Instructions;
use super::symmetry::Class;
use super::walk_tree::WalkTree;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// For how many `even_cols` and `odd_cols` lists are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub even: u32,
    pub odd: u32,
}

/// The lists of one inner row set.
#[derive(Debug, Default)]
pub(crate) struct InnerLists {
    /// The rows of the board that the gathering colour walks.
    pub walk_rows: Set,
    /// For how many `even_cols` the gathering colour is counted.
    pub even_limit: u32,
    /// The gathering tree; empty if the gathering colour is filtered.
    pub gather_tree: WalkTree,
    /// The stored colour, laid out for each chunk.
    pub store_planes: Vec<BitPlanes>,
}

impl InnerLists {
    /// Makes the lists for the rows of the inner parity in `rows`; `list` is memory to reuse.
    fn new(
        class: &Class,
        strategy: &Strategy,
        rows: RowSet,
        limits: Limits,
        list: &mut ScanList,
        instructions: Instructions,
    ) -> InnerLists {
        let walk_side = strategy.gather.walk_side(class, rows, limits.even);
        let mut gather_tree = WalkTree::default();
        if strategy.join == Join::Scan {
            gather_tree.build(&walk_side, strategy.stem_levels);
            gather_tree.shrink();
        }
        list.build(&strategy.store.scan_side(class, rows, limits.odd));
        list.note_indices();
        let odd_limit = limits.odd as usize;
        let lay_out = |start: usize| {
            let chunk = start..(start + strategy.chunk).min(odd_limit);
            let range = list.range(chunk.clone());
            let (lines, indices) = (&list.lines[range.clone()], &list.indices[range]);
            let mut planes = BitPlanes::default();
            planes.build(lines, indices, chunk, instructions);
            planes.shrink();
            planes
        };
        InnerLists {
            walk_rows: walk_side.rows,
            even_limit: limits.even,
            gather_tree,
            store_planes: (0..odd_limit)
                .step_by(strategy.chunk)
                .map(lay_out)
                .collect(),
        }
    }
}

/// The lists of the inner row sets of a unit; many units have the same ones.
#[derive(Debug, Default)]
pub(crate) struct InnerBlock(Vec<InnerSlot>);

/// The lists of one inner row set, from the thread that finishes them first.
#[derive(Debug, Default)]
struct InnerSlot {
    /// Some thread is making them, or has made them.
    begun: AtomicBool,
    lists: OnceLock<InnerLists>,
}

impl InnerBlock {
    /// Makes the lists that are missing; `None` soon after `stop` becomes true. `inners` gives the
    /// rows and limits of each row set.
    pub fn make(
        &self,
        class: &Class,
        strategy: &Strategy,
        inners: &[(RowSet, Limits)],
        list: &mut ScanList,
        instructions: Instructions,
        stop: &AtomicBool,
    ) -> Option<()> {
        for again in [false, true] {
            for (slot, &(rows, limits)) in self.0.iter().zip(inners) {
                let is_there = slot.lists.get().is_some();
                if is_there || (slot.begun.swap(true, Ordering::Relaxed) && !again) {
                    continue;
                }
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
                let lists = InnerLists::new(class, strategy, rows, limits, list, instructions);
                let _ = slot.lists.set(lists);
            }
        }
        Some(())
    }

    /// The lists that are made.
    pub fn lists(&self) -> impl Iterator<Item = &InnerLists> {
        self.0.iter().filter_map(|slot| slot.lists.get())
    }
}

/// The blocks that are in use, shared by all counters of a count.
#[derive(Debug, Default)]
pub(crate) struct InnerBlocks(Mutex<HashMap<InnerKey, Weak<InnerBlock>>>);

/// What the lists of a block depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InnerKey {
    pub black_queens: u32,
    /// The first even row set of the unit, which says how many column sets are visited.
    pub first_even: usize,
    /// The first inner row set.
    pub first: usize,
    /// How many inner row sets there are.
    pub count: usize,
    /// How the class is counted.
    pub chunk: usize,
    pub join: Join,
}

impl InnerBlocks {
    /// The block of a key; it may not have lists yet.
    pub fn get(&self, key: InnerKey) -> Arc<InnerBlock> {
        let mut blocks = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(block) = blocks.get(&key).and_then(Weak::upgrade) {
            return block;
        }
        blocks.retain(|_, block| block.strong_count() > 0);
        let mut block = InnerBlock::default();
        block.0.resize_with(key.count, InnerSlot::default);
        let block = Arc::new(block);
        blocks.insert(key, Arc::downgrade(&block));
        block
    }
}
