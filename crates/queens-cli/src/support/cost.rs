//! Warning of a count that would take hours, before it starts.
//!
//! The engine is timed on boards of growing size until one takes long enough to be
//! measured, some hundredths of a second in all. From there the model is the known growth
//! of the problem: the number of solutions grows like (0.143 n)^n, so one more row
//! multiplies it by about 0.143 e n = 0.39 n, and the nodes of the search grow in step.
//! The result is a forecast within a factor of two or so; it is worded that way.

use std::time::{Duration, Instant};

use queens::count::{Engine, Job};

/// Below this size no engine needs an hour, so nothing is measured.
const SURELY_SHORT: usize = 14;

/// How long the count is expected to take.
pub fn forecast(engine: &Engine, n: usize, threads: usize) -> Duration {
    const ENOUGH: Duration = Duration::from_millis(15);
    let mut size = 8;
    let mut seconds = 0.0;
    while size < n {
        let start = Instant::now();
        // A failure here would be met, and reported, by the count itself.
        let _ = engine.count(&Job::new(size).threads(threads));
        seconds = start.elapsed().as_secs_f64();
        if seconds >= ENOUGH.as_secs_f64() {
            break;
        }
        size += 1;
    }
    let growth: f64 = (size + 1..=n).map(|k| 0.39 * k as f64).product();
    Duration::try_from_secs_f64(seconds * growth).unwrap_or(Duration::MAX)
}

/// Says on standard error how long a count will take, if that is an hour or more.
pub fn warn_of_hours(engine: &Engine, n: usize, threads: usize) {
    if n <= SURELY_SHORT || n > engine.largest_n {
        return;
    }
    let time = forecast(engine, n, threads);
    if time >= Duration::from_secs(3600) {
        let known = if queens::known::known(n).is_some() {
            format!("; `queens count --known {n}` looks the number up")
        } else {
            String::new()
        };
        eprintln!(
            "queens: counting n = {n} with {} on {threads} thread{} will take about {}{known}",
            engine.name,
            if threads == 1 { "" } else { "s" },
            super::progress::duration(time),
        );
    }
}
