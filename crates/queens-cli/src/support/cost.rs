//! Forecasting how long a count will take on this machine: the library's forecast, with a
//! clock.

use std::time::{Duration, Instant};

use queens::estimate::{self, Forecast};
use queens::{Count, Engine};

/// Forecasts a count within about `budget`; `None` where the engine cannot hold the board.
pub fn forecast(count: &Count<'_>, budget: Duration) -> Option<Forecast> {
    let start = Instant::now();
    estimate::forecast(count, budget, &|| start.elapsed())
}

/// Says on standard error how long a count will take, if that is an hour or more.
/// `count` is of a board of size `n`, by `engine`, on this many threads.
pub fn warn_of_hours(count: &Count<'_>, engine: Engine, n: usize, threads: usize) {
    // A minute's work grows to an hour's in two rows at the earliest.
    if n <= engine.sensible_n() + 1 {
        return;
    }
    let Some(forecast) = forecast(count, Duration::from_millis(100)) else {
        return;
    };
    if forecast.time() < Duration::from_secs(3600) {
        return;
    }
    let known = if queens::known::known(n).is_some() {
        format!("; `queens count --known {n}` looks the number up")
    } else {
        String::new()
    };
    eprintln!(
        "queens: counting n = {n} with {engine} on {threads} thread{} will take about {}{known}",
        if threads == 1 { "" } else { "s" },
        super::progress::duration(forecast.time()),
    );
}
