//! Taking a lock, whatever happened to the thread that had it before.

use std::sync::{Mutex, MutexGuard};

/// Takes a lock, even after a panic: no panic leaves the contents of a lock half-changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}
