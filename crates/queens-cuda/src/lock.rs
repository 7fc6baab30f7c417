//! Taking a lock whatever became of the thread that had it before.

use std::sync::{Mutex, MutexGuard};

/// Takes a lock. Nobody panics while holding one in a way that leaves its contents half-changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}
