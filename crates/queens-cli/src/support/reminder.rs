//! A word on standard error when something takes longer than expected.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use queens::Board;

/// Waits to say something; dropping it in time means that nothing is said.
pub struct Reminder {
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Reminder {
    /// Says something after this time, unless the value is dropped before.
    pub fn after(time: Duration, say: impl FnOnce() + Send + 'static) -> Reminder {
        let (over, wait) = channel::<()>();
        let remind = move || {
            if wait.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                say();
            }
        };
        Reminder {
            over: Some(over),
            // Without a thread nothing is said, which is no reason to stop the work.
            thread: std::thread::Builder::new().spawn(remind).ok(),
        }
    }
}

/// After a second, says that the first solution of a search in lexicographic order may take long,
/// and what to do instead.
pub fn of_first(board: &Board) -> Reminder {
    let (n, plain) = (board.n(), board.is_plain());
    Reminder::after(Duration::from_secs(1), move || {
        let instead = match plain {
            true => format!("`queens solve {n}` has one at once"),
            false => "`queens solve` with the same board may find one sooner".to_owned(),
        };
        tell!("queens: the first solution for n = {n} may take hours to find; {instead}");
    })
}

impl Drop for Reminder {
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(thread) = self.thread.take() {
            // It has nothing to do but wait and print, and cannot panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn nothing_is_said_of_what_ends_in_time() {
        let said = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&said);
        drop(Reminder::after(Duration::from_secs(3600), move || {
            flag.store(true, Ordering::Relaxed)
        }));
        assert!(!said.load(Ordering::Relaxed));
        let (told, heard) = channel();
        let _reminder = Reminder::after(Duration::ZERO, move || {
            let _ = told.send(());
        });
        assert!(heard.recv().is_ok());
    }
}
