//! Whether a result is valid, whoever sent it.
//!
//! It must come from the worker that its subject names, and that worker must not be shut out. It
//! must be made by this program, fit its check value, and carry the unit's range and the proof that
//! the unit was given out. Whether its count is right is another question, which checks answer.

use std::collections::BTreeSet;

use super::super::message::{self, Answer, Names};
use super::stock::Tickets;
use crate::defence::Defence;
use crate::device_name::worker_of;
use crate::ledger::{Campaign, LedgerError};
use crate::row::Row;
use crate::text::plain;

/// Why a result is not accepted.
pub(super) enum Flaw {
    /// It is refused for good.
    Refused(String),
    /// The data to compare it with cannot be read now.
    Unread(LedgerError),
}

/// What a result is compared with.
pub(super) struct Judge<'a> {
    pub names: &'a Names,
    pub program: &'a str,
    pub tickets: &'a Tickets,
    pub shut_out: &'a BTreeSet<String>,
    pub campaign: &'a Campaign,
}

impl Judge<'_> {
    /// Returns the worker that sent a result and its count, or what is wrong with it.
    pub fn judge(&self, subject: &str, payload: &[u8]) -> Result<(String, Row), Flaw> {
        let refused = |why| Err(Flaw::Refused(why));
        let (name, unit) = self.names.parse_result(subject).ok_or_else(|| {
            Flaw::Refused(format!("a result with the subject {}", plain(subject, 100)))
        })?;
        let answer: Answer = message::read(payload)
            .map_err(|e| Flaw::Refused(format!("a result from {name} that cannot be read: {e}")))?;
        let (row, info) = (answer.row, self.campaign.info());
        if !Defence::Judgement.stands() {
            return Ok((name, row));
        }
        let of = format!(
            "a result of unit {unit} from {name}, {}",
            plain(&row.device, 60)
        );
        if self.shut_out.contains(&name) {
            return refused(format!("{of}, which is shut out"));
        }
        if row.program != self.program || answer.algorithm != info.algorithm {
            return refused(format!(
                "{of}, which is {} with algorithm {} and not {} with {}",
                plain(&row.program, 60),
                plain(&answer.algorithm, 60),
                self.program,
                info.algorithm
            ));
        }
        if row.unit != unit || row.check_value(&info.plan_digest) != answer.check_value {
            return refused(format!("{of}, that does not fit its check value"));
        }
        if let Some(why) = row.trouble() {
            return refused(format!("{of}, with {why}"));
        }
        if worker_of(&row.device) != Some(&name) && Defence::OwnDevice.stands() {
            return refused(format!("{of}, whose device is not its own"));
        }
        let planned = match self.campaign.planned(unit) {
            Ok(planned) => planned,
            Err(LedgerError::NoSuchUnit { .. }) => {
                return refused(format!("{of}: there is no such unit"));
            }
            Err(error) => return Err(Flaw::Unread(error)),
        };
        if (answer.first, answer.last) != (planned.first, planned.last) {
            return refused(format!("{of}, for another range than the unit has"));
        }
        if answer.ticket != self.tickets.ticket(unit) && Defence::Ticket.stands() {
            return refused(format!("{of}, which was not given out"));
        }
        Ok((name, row))
    }
}

#[cfg(test)]
mod tests {
    use crate::queue::QueueError;
    use crate::queue::desk::office::Office;

    #[test]
    fn a_file_that_cannot_be_read_is_no_reason_to_refuse_a_result() {
        let mut office = Office::open("unread", false);
        let tasks = office.greet("ada");
        let db = rusqlite::Connection::open(&office.path).unwrap();
        db.execute_batch("ALTER TABLE plan RENAME TO gone").unwrap();
        let result = office.result("ada", &tasks[0], 1);
        let outcome = office.after(1, result);
        assert!(matches!(outcome, Err(QueueError::Ledger(_))), "{outcome:?}");
        assert_eq!(office.desk.refusals.number(), 0);
    }
}
