//! Long work that does not block Python.
//!
//! The work runs on a thread of its own that knows nothing of Python. The thread that called
//! waits for it without holding the interpreter, so other threads run, and looks up fifty
//! times a second: has Ctrl-C been pressed, is there progress to show? If so, or if showing
//! it fails, the work is told to stop and the exception is raised at once. Work that takes its
//! time to stop does so unseen.
//!
//! A thread costs some twenty microseconds, so shorter work gets none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How long Python waits between two looks at the signals.
pub const LOOK: Duration = Duration::from_millis(20);

/// What the work and Python share: the work reads whether to stop, and tells how far it is.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    stop: Arc<AtomicBool>,
    /// The bits of a share from 0 to 1.
    share: Arc<AtomicU64>,
}

impl Watch {
    /// The flag that says stop.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// Whether to go on.
    pub fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Tells the share of the work done.
    pub fn tell(&self, share: f64) {
        self.share.store(share.to_bits(), Ordering::Relaxed);
    }

    fn share(&self) -> f64 {
        f64::from_bits(self.share.load(Ordering::Relaxed))
    }
}

/// Who is told about progress: nobody, or a Python callable that takes a share from 0 to 1.
pub struct Progress<'py>(Option<Bound<'py, PyAny>>);

impl<'py> Progress<'py> {
    /// Reads the argument `progress`: False, True for a bar, or a callable.
    pub fn new(asked: Option<&Bound<'py, PyAny>>, title: &str) -> PyResult<Progress<'py>> {
        let Some(asked) = asked else {
            return Ok(Progress(None));
        };
        if asked.is_callable() {
            return Ok(Progress(Some(asked.clone())));
        }
        if !asked.is_truthy()? {
            return Ok(Progress(None));
        }
        let module = asked.py().import("queenside._progress")?;
        Ok(Progress(Some(module.getattr("bar")?.call1((title,))?)))
    }

    fn tell(&self, share: f64) -> PyResult<()> {
        if let Some(told) = &self.0 {
            told.call1((share,))?;
        }
        Ok(())
    }

    /// Takes the bar away, however the work ended.
    fn close(&self) -> PyResult<()> {
        match &self.0 {
            Some(told) if told.hasattr("close")? => told.call_method0("close").map(drop),
            _ => Ok(()),
        }
    }
}

/// Runs `work` on another thread until it is over or Python wants something else.
pub fn supervise<T: Send + 'static>(
    py: Python<'_>,
    progress: &Progress<'_>,
    work: impl FnOnce(&Watch) -> T + Send + 'static,
) -> PyResult<T> {
    let watch = Watch::default();
    let told = watch.clone();
    let (sender, mut receiver) = channel();
    let thread = std::thread::Builder::new()
        .name("queenside".to_owned())
        .spawn(move || {
            // Nobody listens any more after an interrupt.
            let _ = sender.send(work(&told));
        })
        .map_err(|error| PyRuntimeError::new_err(format!("no thread could be started: {error}")))?;
    let answer = loop {
        let received = {
            let receiver = &mut receiver;
            py.detach(move || receiver.recv_timeout(LOOK))
        };
        match received {
            Ok(answer) => break progress.tell(1.0).map(|()| answer),
            Err(RecvTimeoutError::Timeout) => {
                let looked = py
                    .check_signals()
                    .and_then(|()| progress.tell(watch.share()));
                if let Err(error) = looked {
                    watch.stop.store(true, Ordering::Relaxed);
                    break Err(error);
                }
            }
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => break Err(PyRuntimeError::new_err("the work ended without an answer")),
            },
        }
    };
    let closed = progress.close();
    let answer = answer?;
    closed.map(|()| answer)
}

/// A turn of a search on the calling thread, with Python free: it is over when [`LOOK`] has
/// passed. It may be asked often, and looks at the clock rarely.
pub struct Turn {
    start: Instant,
    asked: u32,
}

impl Turn {
    pub fn new() -> Turn {
        Turn {
            start: Instant::now(),
            asked: 0,
        }
    }

    /// Whether there is time left; takes some nanoseconds.
    pub fn goes_on(&mut self) -> bool {
        self.asked = self.asked.wrapping_add(1);
        !self.asked.is_multiple_of(1024) || self.start.elapsed() < LOOK
    }
}
