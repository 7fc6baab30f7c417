//! A progress bar on standard error.
//!
//! On a terminal the bar is redrawn in place at most ten times a second and wiped when the
//! work ends, so that it leaves no trace in a transcript. Elsewhere there is no bar; if the
//! user asked for progress, a plain line is printed every five seconds. It shows the share of
//! the work done, the time it took, the rate and the time left. Reporting a share is one store
//! to memory; a thread of its own draws.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Whether to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// On a terminal only.
    Terminal,
    /// Always: the user asked.
    Always,
}

/// A progress bar; wiped when dropped.
pub struct Progress {
    shown: Option<Shown>,
}

/// What a shown bar needs: a thread of its own draws it, so that the time goes on even
/// while the work has nothing to report.
struct Shown {
    state: Arc<State>,
    drawer: Option<JoinHandle<()>>,
}

struct State {
    label: String,
    style: Style,
    started: Instant,
    /// The share done, as the bits of an `f64`.
    share: AtomicU64,
    /// What to show in place of the bar, if the caller said so.
    line: Mutex<Option<String>>,
    ended: Mutex<bool>,
    end: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Bar,
    Lines,
}

impl Progress {
    /// Starts the clock. Nothing is drawn before half a second has passed, so that short
    /// work stays quiet.
    pub fn start(label: impl Into<String>, when: When) -> Progress {
        let style = match (when, std::io::stderr().is_terminal()) {
            (When::Terminal, false) => return Progress { shown: None },
            (_, true) => Style::Bar,
            (When::Always, false) => Style::Lines,
        };
        let state = Arc::new(State {
            label: label.into(),
            style,
            started: Instant::now(),
            share: AtomicU64::new(0),
            line: Mutex::new(None),
            ended: Mutex::new(false),
            end: Condvar::new(),
        });
        let drawing = Arc::clone(&state);
        // Without a thread there is no bar, which is no reason to stop the work.
        let drawer = std::thread::Builder::new()
            .spawn(move || drawing.draw_until_the_end())
            .ok();
        Progress {
            shown: Some(Shown { state, drawer }),
        }
    }

    /// Whether anything will be drawn; lets a caller skip the bookkeeping.
    pub fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    /// Reports that `done` of `total` equal parts are finished.
    pub fn set(&self, done: u64, total: u64) {
        self.set_share(if total == 0 {
            1.0
        } else {
            done as f64 / total as f64
        });
    }

    /// Reports the share of the work that is finished, from 0 to 1.
    pub fn set_share(&self, share: f64) {
        if let Some(shown) = &self.shown {
            shown.state.share.store(share.to_bits(), Ordering::Relaxed);
        }
    }

    /// Shows the caller's own line in place of the bar; `line` gets the time since the start.
    pub fn say(&self, line: impl FnOnce(Duration) -> String) {
        if let Some(Shown { state, .. }) = &self.shown {
            let line = line(state.started.elapsed());
            *state.line.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
        }
    }
}

impl State {
    fn draw_until_the_end(&self) {
        let pause = match self.style {
            Style::Bar => Duration::from_millis(100),
            Style::Lines => Duration::from_secs(5),
        };
        let mut wait = Duration::from_millis(500);
        let mut drawn = false;
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let woken = self.end.wait_timeout_while(ended, wait, |ended| !*ended);
            ended = woken.unwrap_or_else(PoisonError::into_inner).0;
            if *ended {
                break;
            }
            self.draw();
            drawn = true;
            wait = pause;
        }
        if drawn && self.style == Style::Bar {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    fn draw(&self) {
        let said = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let line = said.clone().unwrap_or_else(|| {
            let share = f64::from_bits(self.share.load(Ordering::Relaxed));
            describe(&self.label, share, self.started.elapsed())
        });
        drop(said);
        let mut stderr = std::io::stderr().lock();
        // A progress bar that cannot be drawn is no reason to stop the work.
        let _ = match self.style {
            Style::Bar => write!(stderr, "\r{line}\x1b[K").and_then(|()| stderr.flush()),
            Style::Lines => writeln!(stderr, "{line}"),
        };
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(Shown { state, drawer }) = self.shown.take() {
            *state.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
            state.end.notify_one();
            if let Some(drawer) = drawer {
                let _ = drawer.join();
            }
        }
    }
}

fn describe(label: &str, share: f64, elapsed: Duration) -> String {
    const WIDTH: usize = 24;
    let part = share.clamp(0.0, 1.0);
    let full = (part * WIDTH as f64) as usize;
    let bar: String = (0..WIDTH)
        .map(|i| if i < full { '#' } else { '.' })
        .collect();
    // The first moments of a long count say too little for a guess.
    let (rate, left) = if part < 1e-5 {
        ("? %/s".to_owned(), "?".to_owned())
    } else {
        let seconds = elapsed.as_secs_f64();
        let left = Duration::try_from_secs_f64(seconds * (1.0 - part) / part);
        (
            rate(part / seconds.max(1e-3)),
            duration(left.unwrap_or(Duration::MAX)),
        )
    };
    format!(
        "{label} [{bar}] {:>4} %  {} elapsed, {rate}, {left} left",
        percent(part),
        duration(elapsed),
    )
}

/// A share in percent, with more figures the smaller it is.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p >= 9.95 => format!("{p:.0}"),
        p if p >= 0.095 || p == 0.0 => format!("{p:.1}"),
        p => format!("{p:.4}"),
    }
}

/// The rate in percent per second, minute, hour or day: the first of these that makes it one
/// or more.
fn rate(share_per_second: f64) -> String {
    let units = [(1.0, "s"), (60.0, "min"), (3600.0, "h"), (86400.0, "day")];
    let percent = 100.0 * share_per_second;
    let enough = |&(seconds, _): &(f64, &str)| percent * seconds >= 1.0;
    let (seconds, unit) = units.into_iter().find(enough).unwrap_or(units[3]);
    format!("{:.1} %/{unit}", percent * seconds)
}

/// A length of time in words a person would use: `0.4 s`, `12 s`, `3 min`, `5.2 h`, `8.1 days`.
pub fn duration(time: Duration) -> String {
    let s = time.as_secs_f64();
    match s {
        _ if s < 9.95 => format!("{s:.1} s"),
        _ if s < 120.0 => format!("{s:.0} s"),
        _ if s < 7200.0 => format!("{:.0} min", s / 60.0),
        _ if s < 48.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        _ if s < 730.0 * 86400.0 => format!("{:.1} days", s / 86400.0),
        _ => format!("{:.0} years", s / (365.25 * 86400.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_finished_bar_says_so_and_guesses_the_rest() {
        assert_eq!(
            describe("count 18", 0.5, Duration::from_secs(10)),
            "count 18 [############............]   50 %  10 s elapsed, 5.0 %/s, 10 s left"
        );
    }

    #[test]
    fn nothing_done_yet_gives_no_guess() {
        assert!(describe("x", 0.0, Duration::from_secs(1)).ends_with("? left"));
    }

    #[test]
    fn small_shares_keep_their_figures() {
        let words = [1.0, 0.5, 0.0123, 0.0012, 0.00001, 0.0].map(percent);
        assert_eq!(words, ["100", "50", "1.2", "0.1", "0.0010", "0.0"]);
    }

    #[test]
    fn rates_are_worded_for_people() {
        assert_eq!(rate(0.25), "25.0 %/s");
        assert_eq!(rate(0.001), "6.0 %/min");
        assert_eq!(rate(0.01 / 3600.0), "1.0 %/h");
        assert_eq!(rate(1e-8), "0.1 %/day");
        assert_eq!(rate(0.0), "0.0 %/day");
    }

    #[test]
    fn times_are_worded_for_people() {
        let words = |s| duration(Duration::from_secs_f64(s));
        assert_eq!(words(0.42), "0.4 s");
        assert_eq!(words(59.6), "60 s");
        assert_eq!(words(600.0), "10 min");
        assert_eq!(words(5.0 * 3600.0), "5.0 h");
        assert_eq!(words(100.0 * 86400.0), "100.0 days");
        assert_eq!(words(1e9), "32 years");
    }
}
