//! Points in time as the ledger writes them: `2026-11-15T08:50:12Z`.
//!
//! Text in UTC sorts chronologically, needs no decoding in the sqlite3 shell, and does not run out
//! in 2038. Inside the program, where ages are computed, times are seconds since 1970. The calendar
//! is the proleptic Gregorian one. Days are counted from 1 March of the year 0 in cycles of 400
//! years, so that the leap day is the last day of its year and no table of month lengths is needed.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970 by the system clock; 0 if the clock is set before that.
pub fn seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs())
}

/// The current time as text.
pub fn now() -> String {
    text(seconds())
}

/// A number of seconds since 1970 as text.
///
/// ```
/// use queens_campaign::clock::text;
/// assert_eq!(text(0), "1970-01-01T00:00:00Z");
/// assert_eq!(text(951_782_400), "2000-02-29T00:00:00Z");
/// ```
pub fn text(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    let days = days + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // The months from March have 31 30 31 30 31 days, and again: 153 days in five months.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = 400 * cycle + year + carry;
    let (h, m, s) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}Z")
}

/// The number of seconds since 1970 that a text stands for; `None` if it has another form.
///
/// ```
/// use queens_campaign::clock::parse;
/// assert_eq!(parse("2000-02-29T00:00:01Z"), Some(951_782_401));
/// assert_eq!(parse("2000-02-29"), None);
/// ```
pub fn parse(written: &str) -> Option<u64> {
    let number = |from: usize, to: usize| written.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (h, m, s) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    // Years and months from March, as in `text`.
    let (year, month) = match month {
        3.. => (year, month - 3),
        _ => (year - 1, month + 9),
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    let seconds = (days.checked_sub(719_469)?) * 86_400 + h * 3_600 + m * 60 + s;
    (text(seconds) == written).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_agrees_with_sqlite() {
        let db = rusqlite::Connection::open_in_memory().unwrap();
        // Steps of about 5.8 days over 130 years, each at another time of day.
        for k in 0..8_192_u64 {
            let seconds = k * 500_009;
            let sqlite: String = db
                .query_row(
                    "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', ?1, 'unixepoch')",
                    [seconds],
                    |r| r.get(0),
                )
                .unwrap();
            assert_eq!(text(seconds), sqlite);
            assert_eq!(parse(&sqlite), Some(seconds));
        }
    }
}
