//! A flag that Ctrl-C sets, for work that can be long.
//!
//! The first SIGINT or SIGTERM sets the flag; the code that counts looks at it now and then and
//! ends in good order. A second signal ends the program at once, in case the work does not look.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Installs the handlers and returns the flag they set.
pub fn on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // This is registered first, so that it sees the flag as the *previous* signal left it.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .context("cannot install the handler for Ctrl-C")?;
    }
    Ok(stop)
}

/// Sets the flag when this much time has passed, as Ctrl-C would.
pub fn after(stop: &Arc<AtomicBool>, span: Duration) -> anyhow::Result<()> {
    let stop = Arc::clone(stop);
    let alarm = move || {
        std::thread::sleep(span);
        stop.store(true, Ordering::Relaxed);
    };
    // Nobody waits for this thread: it ends with the program.
    let started = std::thread::Builder::new().spawn(alarm);
    started.context("cannot start the thread that ends the work in time")?;
    Ok(())
}
