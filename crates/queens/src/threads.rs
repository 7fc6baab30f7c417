//! Threads that share work: each takes the next piece until none is left.
//!
//! All threads run one closure, which takes its pieces from a counter that they share. So it does
//! not matter how many threads there are: the caller's own does all the work if it has to. A thread
//! that cannot be started is not missed, and there are never more threads than pieces.
//!
//! **For the crates of this workspace**: the command and the Python package share out their work in
//! the same way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, scope};

/// Runs `worker` on the caller's thread and on others, up to `threads` in all and not more than
/// there are `pieces` of work. Returns what each of them returned, the caller's first.
pub fn share<T: Send>(threads: usize, pieces: usize, worker: impl Fn() -> T + Sync) -> Vec<T> {
    let worker = &worker;
    scope(|scope| {
        let spawn = |_| Builder::new().spawn_scoped(scope, worker).ok();
        let helpers: Vec<_> = (1..threads.min(pieces)).map_while(spawn).collect();
        let mut results = vec![worker()];
        // Without `join`, the scope would wait for their work only, not until their memory is
        // freed.
        for helper in helpers {
            match helper.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}

/// Raises a flag when a worker panics, so that the others do not finish the work first.
pub(crate) struct StopOnPanic<'a>(pub &'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn the_pieces_are_done_once_each_however_many_threads_are_asked_for() {
        for threads in [0, 1, 2, 7, usize::MAX] {
            for pieces in [0, 1, 5] {
                let next = AtomicUsize::new(0);
                let take = || next.fetch_add(1, Ordering::Relaxed);
                let done = share(threads, pieces, || {
                    let mut done = Vec::new();
                    while let Some(piece) = Some(take()).filter(|&piece| piece < pieces) {
                        done.push(piece);
                    }
                    done
                });
                assert!((1..=pieces.max(1)).contains(&done.len()));
                let mut done = done.concat();
                done.sort_unstable();
                assert_eq!(done, Vec::from_iter(0..pieces), "{threads} threads");
            }
        }
    }
}
