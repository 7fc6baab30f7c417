//! The messages between server and workers, and their subjects.
//!
//! Every message may come from a stranger, so sizes, names and numbers are checked before they are
//! used.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::device::Kind;
use crate::plan::Planned;
use crate::row::Row;

/// Longer messages are not read.
pub(super) const LONGEST_MESSAGE: usize = 16_384;

/// The most units of each kind that one worker may want at once.
pub(super) const MOST_PLACES: usize = 20_000;

/// How often workers say hello.
pub(super) const HELLO: Duration = Duration::from_secs(2);

/// Whether a text can be a worker's name: up to 64 letters, digits, `-` and `_`. Such a name is one
/// word of a subject, and none of its characters has a special meaning there.
///
/// ```
/// use queens_campaign::queue::is_name;
/// assert!(is_name("ada-7"));
/// assert!(!is_name("ada.7") && !is_name("") && !is_name("a@b"));
/// ```
pub fn is_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    (1..=64).contains(&text.len()) && text.bytes().all(plain)
}

/// The names of a campaign's streams and subjects.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub id: String,
}

impl Names {
    pub fn new(id: &str) -> Names {
        Names { id: id.to_owned() }
    }

    /// A stream: `units`, `results`, `notice` or `dead`.
    pub fn stream(&self, what: &str) -> String {
        format!("queens-{}-{what}", self.id)
    }

    /// The campaign whose notice stream has this name.
    pub fn of_notice(stream: &str) -> Option<Names> {
        let id = stream.strip_prefix("queens-")?.strip_suffix("-notice")?;
        is_name(id).then(|| Names::new(id))
    }

    pub fn unit(&self, kind: Kind, unit: &dyn std::fmt::Display) -> String {
        format!("queens.{}.unit.{}.{unit}", self.id, kind.name())
    }

    pub fn result(&self, worker: &str, unit: &dyn std::fmt::Display) -> String {
        format!("queens.{}.result.{worker}.{unit}", self.id)
    }

    pub fn notice(&self) -> String {
        format!("queens.{}.notice", self.id)
    }

    pub fn hello(&self, worker: &str) -> String {
        format!("queens.{}.hello.{worker}", self.id)
    }

    /// Where the servers of this campaign announce themselves to each other.
    pub fn server(&self) -> String {
        format!("queens.{}.server", self.id)
    }

    /// Where refused results go, for people to look at.
    pub fn dead(&self) -> String {
        format!("queens.{}.dead", self.id)
    }

    /// The kind and the unit that a subject of the queue names.
    pub fn parse_unit(&self, subject: &str) -> Option<(Kind, u64)> {
        let rest = subject.strip_prefix(&format!("queens.{}.unit.", self.id))?;
        let (kind, unit) = rest.split_once('.')?;
        let kind = Kind::ALL.into_iter().find(|k| k.name() == kind)?;
        Some((kind, number(unit)?))
    }

    /// The worker and the unit that a subject of the results names.
    pub fn parse_result(&self, subject: &str) -> Option<(String, u64)> {
        let rest = subject.strip_prefix(&format!("queens.{}.result.", self.id))?;
        let (worker, unit) = rest.split_once('.')?;
        let unit = number(unit)?;
        is_name(worker).then(|| (worker.to_owned(), unit))
    }

    /// The worker that a subject of the greetings names.
    pub fn parse_hello(&self, subject: &str) -> Option<String> {
        let worker = subject.strip_prefix(&format!("queens.{}.hello.", self.id))?;
        is_name(worker).then(|| worker.to_owned())
    }
}

/// Reads a number only in the form in which this program writes it: each number has one text.
fn number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// What is being counted; the one message of the notice stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Notice {
    pub campaign: String,
    pub n: u32,
    pub algorithm: String,
    pub program: String,
    pub plan_digest: String,
    pub units: u64,
    pub lease_seconds: f64,
    pub state: State,
    /// Whether the server was stopped before the end. Workers go on with the units in the queue.
    #[serde(default)]
    pub away: bool,
    /// Workers that are no longer believed.
    #[serde(default)]
    pub shut_out: Vec<String>,
}

impl Notice {
    /// The lease, limited to between a second and a day, whatever a stranger wrote.
    pub fn lease(&self) -> Duration {
        let seconds = match self.lease_seconds {
            seconds if seconds.is_finite() => seconds.clamp(1.0, 86_400.0),
            _ => 30.0,
        };
        Duration::from_secs_f64(seconds)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Open,
    Done,
    Halted(String),
}

/// A unit to be counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Task {
    pub unit: u64,
    pub first: u64,
    pub last: u64,
    pub cost: u64,
    pub program: String,
    pub algorithm: String,
    /// A proof that the server gave this unit out; it comes back with the result.
    #[serde(rename = "lease")] // the name that older workers know
    pub ticket: String,
    /// A worker that has already counted this unit and must not check itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not: Option<String>,
}

impl Task {
    pub fn planned(&self) -> Planned {
        Planned {
            unit: self.unit,
            first: self.first,
            last: self.last,
            cost: self.cost,
        }
    }
}

/// A unit that was counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Answer {
    pub row: Row,
    pub check_value: String,
    pub algorithm: String,
    pub first: u64,
    pub last: u64,
    #[serde(rename = "lease")] // the name that older workers know
    pub ticket: String,
}

/// How many units of each kind the devices of a worker count at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hello {
    pub cpus: usize,
    pub gpus: usize,
}

/// A server of this campaign. Of two servers, the smaller one stays: the one that serves already
/// before one that still listens for others, then the one that came first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Presence {
    pub listening: bool,
    pub since: u64,
    pub session: String,
}

/// Reads a message, unless it is too long to be one of ours.
pub(super) fn read<T: for<'a> Deserialize<'a>>(payload: &[u8]) -> Result<T, String> {
    if payload.len() > LONGEST_MESSAGE {
        return Err(format!("a message of {} bytes", payload.len()));
    }
    serde_json::from_slice(payload).map_err(|e| e.to_string())
}

/// Writes a message.
pub(super) fn write<T: Serialize>(message: &T) -> Vec<u8> {
    // These types contain only numbers and texts, so writing them cannot fail.
    serde_json::to_vec(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_serves_already_stays_whoever_else_comes_in_the_same_second() {
        let server = |listening, since, session: &str| Presence {
            listening,
            since,
            session: session.to_owned(),
        };
        assert!(server(false, 7, "z") < server(true, 7, "a"));
        assert!(server(false, 8, "z") < server(true, 7, "a"));
        assert!(server(true, 7, "z") < server(true, 8, "a"));
    }

    #[test]
    fn a_subject_names_its_unit_and_nothing_else_does() {
        let names = Names::new("n19-00ff");
        for kind in Kind::ALL {
            let subject = names.unit(kind, &17);
            assert_eq!(names.parse_unit(&subject), Some((kind, 17)));
        }
        for other in [
            "queens.n19-00ff.result.17",
            "queens.n18-00ff.unit.cpu.17",
            "queens.n19-00ff.unit.tpu.17",
            "queens.n19-00ff.unit.cpu.x",
            "queens.n19-00ff.unit.cpu.017",
            "queens.n19-00ff.unit.cpu.+17",
        ] {
            assert_eq!(names.parse_unit(other), None);
        }
        let subject = names.result("ada", &17);
        assert_eq!(names.parse_result(&subject), Some(("ada".to_owned(), 17)));
        for other in [
            "queens.n18-00ff.result.ada.17",
            "queens.n19-00ff.result.ada.x",
            "queens.n19-00ff.result.17",
            "queens.n19-00ff.result.a@b.17",
        ] {
            assert_eq!(names.parse_result(other), None);
        }
        let hello = names.hello("ada");
        assert_eq!(names.parse_hello(&hello), Some("ada".to_owned()));
        let stream = names.stream("notice");
        assert_eq!(Names::of_notice(&stream).unwrap().id, names.id);
        assert!(Names::of_notice(&names.stream("units")).is_none());
    }

    #[test]
    fn no_lease_is_shorter_than_a_second_or_longer_than_a_day() {
        let notice = |lease_seconds| Notice {
            campaign: "n8-0".to_owned(),
            n: 8,
            algorithm: String::new(),
            program: String::new(),
            plan_digest: String::new(),
            units: 1,
            lease_seconds,
            state: State::Open,
            away: false,
            shut_out: Vec::new(),
        };
        for (said, meant) in [
            (30.0, 30),
            (0.0, 1),
            (-5.0, 1),
            (1e300, 86_400),
            (f64::INFINITY, 30),
            (f64::NAN, 30),
        ] {
            assert_eq!(notice(said).lease(), Duration::from_secs(meant));
        }
    }
}
