//! The lists of row sets, made when they are first needed and shared by several builders.

use super::super::symmetry::Class;
use super::scan::DeviceScan;
use super::walk::DeviceWalk;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// The lists of one row set: the walk of one colour, the scan list of the other.
#[derive(Clone, Debug, Default)]
pub struct RowSetLists {
    /// The walked side: white's for even rows, black's for odd rows.
    pub walk: DeviceWalk,
    /// The scanned side: black's for even rows, white's for odd rows.
    pub scan: DeviceScan,
    /// Where [`DeviceWalk::placements`] and [`DeviceScan::lines`] are, if they are not here.
    pub uploaded: Option<Uploaded>,
}

/// Where a device keeps the long lists of a row set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uploaded {
    /// The placements of the walk.
    pub placements: u32,
    /// The lines of the scan list.
    pub lines: u32,
}

/// A device that takes long lists, so that they need no memory here.
pub trait Upload: Sync {
    /// Takes a copy of the lists of a row set; `None` where there is no room.
    fn upload(&self, placements: &[u32], lines: &[u64]) -> Option<Uploaded>;
}

/// The lists of row sets, made when they are first needed. Several builders share one cache. The
/// lists of a class go when the last builder leaves it; on small boards they stay as long as the
/// cache.
#[derive(Debug, Default)]
pub struct ListCache {
    classes: Mutex<HashMap<u32, Weak<ClassCache>>>,
    small: Mutex<Vec<Arc<ClassCache>>>,
}

/// The lists of one class, by the places of its row sets.
#[derive(Debug)]
pub(super) struct ClassCache {
    pub even: Vec<OnceLock<Arc<RowSetLists>>>,
    pub odd: Vec<OnceLock<Arc<RowSetLists>>>,
}

/// Above this size the lists of a class take too much memory to be cached. At n = 24 they take
/// a gigabyte and a half.
pub(super) const LARGEST_CACHED: usize = 24;

/// Up to this size the lists of all classes take little memory: half a gigabyte at n = 22.
const LARGEST_SMALL: u32 = 22;

impl ListCache {
    /// The lists of a class; they need not be made yet.
    pub(super) fn class(&self, class: &Class) -> Arc<ClassCache> {
        let slots = |count: usize| (0..count).map(|_| OnceLock::new()).collect();
        let mut classes = self
            .classes
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(cache) = classes.get(&class.black_queens).and_then(Weak::upgrade) {
            return cache;
        }
        let cache = Arc::new(ClassCache {
            even: slots(class.even_rows.len()),
            odd: slots(class.odd_rows.len()),
        });
        classes.insert(class.black_queens, Arc::downgrade(&cache));
        if class.split.n <= LARGEST_SMALL {
            let mut small = self
                .small
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            small.push(cache.clone());
        }
        cache
    }
}
