//! Forecasting how long a count will take on this machine: the library's forecast, with a
//! clock.

use std::time::{Duration, Instant};

use queens::estimate::{self, Forecast};
use queens::known::Sequence;
use queens::{Board, Count, Engine};

use super::noun::counted;

/// Forecasts a count within about `budget`; `None` where the engine cannot hold the board.
pub fn forecast(count: &Count<'_>, budget: Duration) -> Option<Forecast> {
    let start = Instant::now();
    estimate::forecast(count, budget, &|| start.elapsed())
}

/// Beyond this nobody needs a number.
const MILLION_YEARS: Duration = Duration::from_secs(31_557_600_000_000);

/// Says on standard error how long a count will take, if that is an hour or more. The other
/// arguments say what `count` is: the engine, the board, the threads and the sequence.
pub fn warn_of_hours(
    count: &Count<'_>,
    engine: Engine,
    board: &Board,
    threads: usize,
    sequence: Sequence,
) {
    let n = board.n();
    // A minute's work grows to an hour's in two rows at the earliest. A board that is not plain
    // lacks symmetries, which costs as much as a row, or has fewer queens.
    let quick = match board.is_plain() {
        true => engine.sensible_n() + 1,
        false if board.queens() < n => 10,
        false => engine.sensible_n(),
    };
    if n <= quick {
        return;
    }
    let Some(forecast) = forecast(count, Duration::from_millis(100)) else {
        return;
    };
    if forecast.time() < Duration::from_secs(3600) {
        return;
    }
    let what = match board.is_plain() {
        true => format!("n = {n}"),
        false => format!("this board of size {n}"),
    };
    let fundamental = match sequence {
        Sequence::Fundamental => " --fundamental",
        _ => "",
    };
    let known = if board.is_plain() && sequence.value(n).is_some() {
        format!("; `queens count --known {n}{fundamental}` looks the number up")
    } else {
        String::new()
    };
    let time = match forecast.time() {
        time if time > MILLION_YEARS => "more than a million years".to_owned(),
        time => format!("about {}", super::progress::duration(time)),
    };
    tell!(
        "queens: counting {what} with {engine} on {} will take {time}{known}",
        counted(threads, "thread"),
    );
}
