//! A row of the ledger and its check value.
//!
//! A row says who counted what, when, and how long it took. Its **check value** is the first 32
//! hexadecimal digits of SHA-256 over one line of text with all other columns and the plan's
//! digest. So a row that is altered in any column, or carried into another campaign, no longer
//! fits:
//!
//! ```text
//! queens row <plan digest> <unit> <count> <device>|<program>|<started>|<seconds, 6 decimals>
//! ```
//!
//! The **ledger digest** is SHA-256 over the plan digest and the lines `<unit> <count>` in order of
//! units. It leaves out who counted and when, so two campaigns with the same plan that agree on
//! every count have the same digest. Anyone can recompute both with the sqlite3 shell and
//! `sha256sum`.

use sha2::{Digest, Sha256};

use crate::text::{LONGEST_NAME, is_plain, plain};

/// A device's name as rows write it. A card's name comes from its driver and may be anything.
pub(crate) fn name_on_record(device: &str) -> String {
    plain(device, LONGEST_NAME).replace('|', "/")
}

/// One finished unit.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "nats", derive(serde::Serialize, serde::Deserialize))]
pub struct Row {
    /// Number of the plan unit.
    pub unit: u64,
    /// How many of the solutions for N it contributes.
    pub count: u64,
    /// What counted it, for example `ada/cpu-avx512`.
    pub device: String,
    /// The program and its version, for example `queens 0.1.0`.
    pub program: String,
    /// When counting began, in UTC.
    pub started: String,
    /// How long it took.
    pub seconds: f64,
}

impl Row {
    /// The row of a unit that this program has just counted.
    pub fn fresh(unit: u64, count: u64, device: &str, started: String, seconds: f64) -> Row {
        Row {
            unit,
            count,
            device: name_on_record(device),
            program: crate::PROGRAM.to_owned(),
            started,
            // To the microsecond, as in the check value.
            seconds: (seconds * 1e6).round() / 1e6,
        }
    }

    /// What makes this row unfit for any ledger, whoever sends it; `None` if nothing does.
    pub fn trouble(&self) -> Option<&'static str> {
        let plain = |text: &str, most| is_plain(text, most) && !text.contains('|');
        if i64::try_from(self.count).is_err() {
            Some("a count that does not fit a ledger")
        } else if !plain(&self.device, LONGEST_NAME) {
            Some("a name of a device that no program writes")
        } else if !plain(&self.program, 60) || !plain(&self.started, 30) {
            Some("a program or a time that no program writes")
        } else if !(0.0..=1e9).contains(&self.seconds) {
            Some("seconds that no clock shows")
        } else {
            None
        }
    }

    /// The check value of this row in the campaign with the given plan digest.
    pub fn check_value(&self, plan_digest: &str) -> String {
        let line = format!(
            "queens row {plan_digest} {} {} {}|{}|{}|{:.6}",
            self.unit, self.count, self.device, self.program, self.started, self.seconds
        );
        let mut hex = digest(&line);
        hex.truncate(32);
        hex
    }
}

/// Computes the digest of a ledger, unit by unit in order.
pub struct LedgerDigest(Sha256);

impl LedgerDigest {
    /// Starts the digest of a ledger with the given plan.
    pub fn new(plan_digest: &str) -> LedgerDigest {
        LedgerDigest(Sha256::new_with_prefix(format!("{plan_digest}\n")))
    }

    /// Adds the next unit and its count.
    pub fn add(&mut self, unit: u64, count: u64) {
        self.0.update(format!("{unit} {count}\n"));
    }

    /// The digest, 64 hexadecimal digits.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// SHA-256 of a text, 64 hexadecimal digits.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            unit: 7,
            count: 1_234,
            device: "ada/cpu".to_owned(),
            program: "queens 0.1.0".to_owned(),
            started: "2026-11-15T09:00:00Z".to_owned(),
            seconds: 0.25,
        }
    }

    #[test]
    fn every_column_changes_the_check_value() {
        let value = row().check_value("plan");
        assert_eq!(value.len(), 32);
        let altered: [fn(&mut Row); 6] = [
            |r| r.unit = 8,
            |r| r.count = 1_235,
            |r| r.device.push('x'),
            |r| r.program.push('x'),
            |r| r.started.replace_range(18..19, "1"),
            |r| r.seconds = 0.250_001,
        ];
        for alter in altered {
            let mut other = row();
            alter(&mut other);
            assert_ne!(other.check_value("plan"), value);
        }
        assert_ne!(row().check_value("another plan"), value);
    }

    #[cfg(feature = "nats")]
    #[test]
    fn a_row_survives_json_and_keeps_its_check_value() {
        let mut row = row();
        for seconds in [0.0, 0.1, 1e-6, 123_456.789_012, 0.000_000_4] {
            row.seconds = seconds;
            let json = serde_json::to_string(&row).unwrap();
            let back: Row = serde_json::from_str(&json).unwrap();
            assert_eq!(back.check_value("p"), row.check_value("p"));
        }
    }
}
