//! A progress bar on standard error.
//!
//! It shows itself only when standard error is a terminal, unless asked for; what is
//! drawn is redrawn in place at most ten times a second and wiped when the work ends, so
//! that it leaves no trace in a transcript. Where there is no terminal and it was asked
//! for, it prints a plain line every five seconds instead. Calls are cheap when it is
//! not shown, and it may be shared between threads.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
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
    label: String,
    style: Option<Style>,
    started: Instant,
    drawn: Mutex<Option<Instant>>,
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
            (When::Terminal, false) => None,
            (_, true) => Some(Style::Bar),
            (When::Always, false) => Some(Style::Lines),
        };
        let drawn = Mutex::new(None);
        Progress {
            label: label.into(),
            style,
            started: Instant::now(),
            drawn,
        }
    }

    /// Whether anything will be drawn; lets a caller skip the bookkeeping.
    pub fn is_shown(&self) -> bool {
        self.style.is_some()
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
        self.say(|elapsed| describe(&self.label, share, elapsed));
    }

    /// Shows a line of the caller's own making, from the time since the start, if one is due.
    pub fn say(&self, line: impl FnOnce(Duration) -> String) {
        let Some(style) = self.style else { return };
        let elapsed = self.started.elapsed();
        if elapsed < Duration::from_millis(500) {
            return;
        }
        let pause = match style {
            Style::Bar => Duration::from_millis(100),
            Style::Lines => Duration::from_secs(5),
        };
        // A thread that finds the lock taken has nothing newer to say.
        let Ok(mut drawn) = self.drawn.try_lock() else {
            return;
        };
        if drawn.is_some_and(|at| at.elapsed() < pause) {
            return;
        }
        *drawn = Some(Instant::now());
        let line = line(elapsed);
        let mut stderr = std::io::stderr().lock();
        // A progress bar that cannot be drawn is no reason to stop the work.
        let _ = match style {
            Style::Bar => write!(stderr, "\r{line}\x1b[K").and_then(|()| stderr.flush()),
            Style::Lines => writeln!(stderr, "{line}"),
        };
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let drawn = self.drawn.get_mut().is_ok_and(|drawn| drawn.is_some());
        if drawn && self.style == Some(Style::Bar) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
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
    let left = if part == 0.0 {
        "?".to_owned()
    } else {
        duration(Duration::from_secs_f64(
            elapsed.as_secs_f64() * (1.0 - part) / part,
        ))
    };
    format!(
        "{label} [{bar}] {:3.0} %  {} elapsed, {left} left",
        part * 100.0,
        duration(elapsed)
    )
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
            "count 18 [############............]  50 %  10 s elapsed, 10 s left"
        );
    }

    #[test]
    fn nothing_done_yet_gives_no_guess() {
        assert!(describe("x", 0.0, Duration::from_secs(1)).ends_with("? left"));
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
