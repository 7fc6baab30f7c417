//! Reading N, and other whole numbers, from the command line.
//!
//! Rust's own integer parsers would do the reading, but their messages ("invalid digit
//! found in string") do not tell a student what to type instead, and they accept `+8`.
//! Limits of an engine are not checked here: they depend on the engine, so the verb
//! compares N with the engine's own limit.

/// Reads a board size for clap: decimal digits only.
pub fn board_size(text: &str) -> Result<usize, String> {
    let n = whole(text, "N", 8)?;
    usize::try_from(n)
        .map_err(|_| format!("N = {n} is larger than any board this program can hold"))
}

/// Reads a count of things (threads, solutions, steps) that may be zero.
pub fn amount(text: &str) -> Result<u64, String> {
    whole(text, "the value", 10)
}

/// Reads a number of threads, which may not be zero.
pub fn threads(text: &str) -> Result<usize, String> {
    match whole(text, "the number of threads", 4)? {
        0 => Err("at least one thread is needed".to_owned()),
        t if t > MAX_THREADS => Err(format!("at most {MAX_THREADS} threads can be asked for")),
        t => Ok(t as usize),
    }
}

/// Reads the number of a port, or 0.
pub fn port(text: &str) -> Result<u16, String> {
    let most = u16::MAX;
    whole(text, "the port", 8000)?
        .try_into()
        .map_err(|_| format!("the port is a number from 0 to {most}"))
}

/// Reads a length of time in seconds, such as `2` or `0.5`.
pub fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let readable = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match text.parse::<f64>() {
        Ok(seconds) if readable && seconds > 0.0 => std::time::Duration::try_from_secs_f64(seconds)
            .map_err(|_| "the time is longer than can be kept".to_owned()),
        _ => Err("the time must be a number of seconds above 0, such as 2 or 0.5".to_owned()),
    }
}

/// Reads a length of time such as `9m`, `90s`, `1h30m` or `2d`; a bare number is in seconds.
pub fn time_span(text: &str) -> Result<std::time::Duration, String> {
    const MEANT: &str = "a time is a number with s, m, h or d, such as 90s, 9m or 1h30m";
    let mut rest = text;
    let mut seconds = 0_u64;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..digits].parse().map_err(|_| MEANT.to_owned())?;
        let (unit, after) = match rest[digits..].chars().next() {
            None if digits == text.len() => (1, ""),
            Some('s') => (1, &rest[digits + 1..]),
            Some('m') => (60, &rest[digits + 1..]),
            Some('h') => (3_600, &rest[digits + 1..]),
            Some('d') => (86_400, &rest[digits + 1..]),
            _ => return Err(MEANT.to_owned()),
        };
        seconds = number
            .checked_mul(unit)
            .and_then(|more| seconds.checked_add(more))
            .filter(|&sum| sum <= LONGEST_SPAN)
            .ok_or("the time is longer than ten years")?;
        rest = after;
    }
    match seconds {
        0 if !text.is_empty() => Err("the time must be above 0".to_owned()),
        0 => Err(MEANT.to_owned()),
        seconds => Ok(std::time::Duration::from_secs(seconds)),
    }
}

/// Ten years, in seconds. Clocks can add it to any time without an overflow.
const LONGEST_SPAN: u64 = 10 * 366 * 86_400;

/// More threads than this is a slip of the finger, and the system would refuse anyway.
const MAX_THREADS: u64 = 4096;

/// The number of threads to use when none is asked for: all cores.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Reads a whole number; `what` is its name in a complaint, and `example` one that makes sense.
pub fn whole(text: &str, what: &str, example: u64) -> Result<u64, String> {
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    if text.is_empty() {
        return Err(format!(
            "{what} is empty; a whole number such as {example} is needed"
        ));
    }
    if !digits(text) {
        return Err(match text.strip_prefix('-') {
            Some(rest) if digits(rest) => format!("{what} cannot be negative"),
            _ => format!("{what} must be a whole number such as {example}, in digits only"),
        });
    }
    text.parse().map_err(|_| {
        format!(
            "{what} is larger than {}, the largest number read here",
            u64::MAX
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_and_leading_zeros_do_no_harm() {
        assert_eq!(board_size("0"), Ok(0));
        assert_eq!(board_size("8"), Ok(8));
        assert_eq!(board_size("008"), Ok(8));
        assert_eq!(threads("2"), Ok(2));
        assert_eq!(amount("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn times_are_seconds_above_zero() {
        assert_eq!(seconds("0.5"), Ok(std::time::Duration::from_millis(500)));
        for text in ["", "0", "-1", "x", "inf", "NaN", "1e3", "1 s", "."] {
            assert!(seconds(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn spans_of_time_are_read_with_their_units() {
        for (text, expected) in [
            ("90", 90),
            ("90s", 90),
            ("9m", 540),
            ("1h30m", 5_400),
            ("2d", 172_800),
            ("1m1s", 61),
        ] {
            assert_eq!(
                time_span(text),
                Ok(std::time::Duration::from_secs(expected)),
                "{text:?}"
            );
        }
        for text in [
            "",
            "0",
            "0m",
            "m",
            "9 m",
            "-1s",
            "1.5h",
            "9x",
            "1h30",
            "9mm",
            "9m\u{e9}",
            "1e9d",
            "99999999999999999999s",
            "99999999999d",
        ] {
            assert!(time_span(text).is_err(), "{text:?}");
        }
        assert_eq!(time_span("0m"), Err("the time must be above 0".to_owned()));
    }

    #[test]
    fn everything_else_is_refused_with_its_own_reason() {
        for (text, reason) in [
            ("", "empty"),
            ("-8", "negative"),
            ("8x", "whole number"),
            ("3.5", "whole number"),
            ("+8", "whole number"),
            (" 8", "whole number"),
            ("--8", "whole number"),
            ("٨", "whole number"),
            ("18446744073709551616", "larger than 18446744073709551615"),
        ] {
            let message = board_size(text).unwrap_err();
            assert!(message.contains(reason), "{text:?} gave {message:?}");
        }
        assert!(port("x").unwrap_err().contains("such as 8000"));
        assert!(threads("0").unwrap_err().contains("at least one"));
        assert!(threads("1000000").unwrap_err().contains("at most"));
    }
}
