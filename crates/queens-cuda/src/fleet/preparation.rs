//! Making the lists of units, with all threads together.
//!
//! Neighbouring units of a class need the lists of the same blocks of row sets. If every thread
//! made lists in the order in which its units need them, two threads with the same block would wait
//! for each other all the time. So a thread that meets a block first helps to make all of its
//! lists, each made by one thread. Then it takes what it needs.

use crate::lists::{self, ListBuilder, ListCache, RowSetBlock, Upload};
use crate::lock::lock;
use queens::count::two_colour::Units;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// What the threads share to make lists.
pub(crate) struct Preparation<'a> {
    units: &'a Units,
    /// Lists have masks for this many pairs of rows.
    pub mask_pairs: u32,
    /// Gathering walks of these classes have no placements.
    unfolded: Vec<u32>,
    blocks: BTreeMap<RowSetBlock, Block>,
    /// The lists that the threads share, as long as one of them makes some.
    cache: Mutex<Weak<ListCache>>,
}

/// A block of row sets: their places in the class, and how many are made or being made.
struct Block {
    places: Vec<usize>,
    taken: AtomicUsize,
}

impl<'a> Preparation<'a> {
    /// For lists with masks for `mask_pairs` pairs of rows, without the placements of gathering
    /// walks in the classes that unfold.
    pub fn new(units: &'a Units, mask_pairs: u32, unfolded: Vec<u32>) -> Preparation<'a> {
        Preparation {
            units,
            mask_pairs,
            unfolded,
            blocks: BTreeMap::new(),
            cache: Mutex::default(),
        }
    }

    /// Makes the threads prepare the lists of these units together, which pays for many units.
    #[must_use]
    pub fn together(mut self, units: &[u64]) -> Preparation<'a> {
        for (block, places) in lists::row_sets(self.units, units) {
            let places = places.into_iter().collect();
            let taken = AtomicUsize::new(0);
            self.blocks.insert(block, Block { places, taken });
        }
        self
    }

    /// A builder of lists for one thread.
    pub fn builder<'b>(&self, upload: Option<&'b dyn Upload>) -> ListBuilder<'b> {
        let mut shared = lock(&self.cache);
        let cache = shared.upgrade().unwrap_or_default();
        *shared = Arc::downgrade(&cache);
        ListBuilder::sharing(self.units.clone(), cache)
            .with_mask_pairs(self.mask_pairs)
            .without_gathering_walks(self.unfolded.clone())
            .uploading_to(upload)
    }

    /// Helps to make the lists of a unit's blocks.
    pub fn help(&self, unit: u64, builder: &mut ListBuilder<'_>, halted: &AtomicBool) {
        let blocks = lists::blocks(self.units, unit);
        for key in blocks.into_iter().flatten() {
            let Some(block) = self.blocks.get(&key) else {
                continue;
            };
            while !halted.load(Ordering::Relaxed)
                && let Some(&place) = block
                    .places
                    .get(block.taken.fetch_add(1, Ordering::Relaxed))
            {
                builder.prepare(key.0, key.1, place);
            }
        }
    }
}
