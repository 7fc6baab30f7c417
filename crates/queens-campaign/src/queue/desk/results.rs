//! Results, from their arrival until they can be recorded.
//!
//! A result is acknowledged once it is recorded or refused for good; after that it never comes
//! back. Until then NATS delivers it again and again. That does no harm, because the desk
//! recognises the results that wait here ([`Results::recognise`]).
//!
//! Most results are recorded with the next turn. Three kinds wait longer: those of newcomers, while
//! the server's own machine counts the first of them; those that contradict the ledger, until that
//! machine has decided; and those of a unit of which another count is about to be recorded.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::super::QueueError;
use super::interface::{Output, Token};
use super::judge::{Flaw, Judge};
use super::{Desk, Phase};
use crate::defence::Defence;
use crate::device_name::{independent, worker_of};
use crate::ledger::Campaign;
use crate::row::Row;

/// A result that the desk could not take after this many deliveries is refused. The results that it
/// holds are delivered again until they are recorded, however long that takes.
const MOST_DELIVERIES: u64 = 50;

/// The most results of newcomers that are kept in memory. Further ones are delivered again.
const MOST_HELD: usize = 10_000;

/// A count that is not in the ledger yet.
#[derive(Clone, Debug)]
pub(super) struct Unrecorded {
    pub row: Row,
    /// The message to acknowledge once it is recorded; `None` for the server's own counts.
    pub token: Option<Token>,
}

/// The results that are judged and not recorded, each in one of four places.
#[derive(Default)]
pub(super) struct Results {
    /// To be recorded with the next turn.
    pub next: Vec<Unrecorded>,
    /// Further counts of the units in `next`, each with its worker.
    pub behind: Vec<(String, Unrecorded)>,
    /// Results of newcomers, by worker and unit.
    pub held: BTreeMap<(String, u64), Unrecorded>,
    /// Waiting for the server's own machine to count their unit, each with its worker.
    pub contested: BTreeMap<u64, Vec<(String, Unrecorded)>>,
}

impl Results {
    /// Whether a count of this unit is about to be recorded.
    pub fn is_next(&self, unit: u64) -> bool {
        self.next.iter().any(|result| result.row.unit == unit)
    }

    /// The units that newcomers have counted.
    pub fn held_units(&self) -> HashSet<u64> {
        self.held.keys().map(|&(_, unit)| unit).collect()
    }

    /// Whether this very result already waits to be recorded. NATS delivered it again because it
    /// was not acknowledged yet; from now on the new delivery is the one to acknowledge.
    fn recognise(&mut self, name: &str, result: &Unrecorded) -> bool {
        let of_worker = |(other, _): &&mut (String, Unrecorded)| other == name;
        let contested = self.contested.get_mut(&result.row.unit);
        let contested = contested.into_iter().flatten().filter(of_worker);
        let behind = self.behind.iter_mut().filter(of_worker);
        let mut at_hand = contested
            .chain(behind)
            .map(|(_, same)| same)
            .chain(&mut self.next);
        match at_hand.find(|same| same.row == result.row) {
            Some(same) => {
                same.token = result.token;
                true
            }
            None => false,
        }
    }

    /// Moves the newcomers' counts of a unit to those that wait for the server's own count.
    pub fn contest_held(&mut self, unit: u64) {
        let of_unit = |key: &&(String, u64)| key.1 == unit;
        let keys: Vec<_> = self.held.keys().filter(of_unit).cloned().collect();
        for key in keys {
            if let Some(held) = self.held.remove(&key) {
                self.contested.entry(unit).or_default().push((key.0, held));
            }
        }
    }

    /// Drops everything that a worker has sent.
    pub fn drop_all_of(&mut self, name: &str) -> Vec<Unrecorded> {
        let mut dropped = Vec::new();
        let mut keep = |worker: Option<&str>, result: &Unrecorded| {
            let keep = worker != Some(name);
            if !keep {
                dropped.push(result.clone());
            }
            keep
        };
        self.held
            .retain(|(worker, _), result| keep(Some(worker), result));
        for list in self.contested.values_mut() {
            list.retain(|(worker, result)| keep(Some(worker), result));
        }
        self.next
            .retain(|result| keep(worker_of(&result.row.device), result));
        self.behind
            .retain(|(worker, result)| keep(Some(worker), result));
        dropped
    }
}

impl Desk {
    /// Judges a result that has arrived and decides where it waits.
    pub(super) fn receive(
        &mut self,
        token: Token,
        subject: &str,
        payload: Vec<u8>,
        deliveries: u64,
        now: Duration,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        if matches!(self.phase, Phase::Opening) {
            // NATS delivers it again.
            return Ok(());
        }
        let judge = Judge {
            names: &self.names,
            program: &self.rules.program,
            tickets: &self.stock.tickets,
            shut_out: &self.shut_out,
            campaign,
        };
        let (name, row) = match judge.judge(subject, &payload) {
            Ok(judged) => judged,
            Err(Flaw::Refused(why)) => {
                self.refusals.refuse(token, payload, why, &mut self.out);
                return Ok(());
            }
            Err(Flaw::Unread(error)) => return Err(error.into()),
        };
        let unit = row.unit;
        let result = Unrecorded {
            row,
            token: Some(token),
        };
        if self.results.recognise(&name, &result) {
            return Ok(());
        }
        let key = (name.clone(), unit);
        let held = self.results.held.get(&key);
        if deliveries > MOST_DELIVERIES && held.is_none_or(|held| held.row != result.row) {
            let why = format!("a result that could not be recorded after {deliveries} attempts");
            self.refusals.refuse(token, payload, why, &mut self.out);
            return Ok(());
        }
        let proven = self.standings.get(&name).is_some_and(|s| s.own > 0);
        if self.rules.check_workers() && !proven && Defence::FirstUnit.stands() {
            if self.results.held.len() < MOST_HELD || held.is_some() {
                let planned = campaign.planned(unit)?;
                self.results.held.insert(key, result);
                if !self.own_checks.has_newcomer(&name) {
                    self.own_checks.begin(planned, Some(name), &mut self.out);
                }
                // Meanwhile the worker gets more to do.
                self.next_turn = now;
            }
            return Ok(());
        }
        self.take(name, result, campaign)?;
        self.next_turn = now;
        Ok(())
    }

    /// Decides what to do with a result of a worker that is believed.
    pub(super) fn take(
        &mut self,
        name: String,
        result: Unrecorded,
        campaign: &Campaign,
    ) -> Result<(), QueueError> {
        let unit = result.row.unit;
        if self.results.is_next(unit) {
            self.results.behind.push((name, result));
            return Ok(());
        }
        match campaign.row(unit)? {
            None => self.results.next.push(result),
            Some(first) if first.count == result.row.count => {
                if first != result.row && independent(&first.device, &result.row.device) {
                    self.results.next.push(result);
                } else {
                    self.out.extend(result.token.map(Output::Ack));
                    // The same row, or one from the same place: no check, so somebody else takes it.
                    self.stock.publish_again(unit);
                }
            }
            Some(_) if self.rules.check_workers() => {
                let planned = campaign.planned(unit)?;
                let contested = self.results.contested.entry(unit).or_default();
                contested.push((name, result));
                self.check(planned);
            }
            // Nobody here can tell who is right. The result goes on record, and the campaign stops.
            Some(_) => self.results.next.push(result),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::desk::office::Office;

    fn refuses(outputs: &[Output]) -> bool {
        outputs.iter().any(|o| matches!(o, Output::Terminate(_)))
    }

    #[test]
    fn a_result_that_waits_for_a_check_may_be_delivered_any_number_of_times() {
        let mut office = Office::open("deliveries", false);
        let tasks = office.greet("ada");
        for deliveries in [1, 2, MOST_DELIVERIES + 10] {
            let result = office.result("ada", &tasks[0], deliveries);
            let outputs = office.after(30, result).unwrap();
            assert!(!refuses(&outputs), "{outputs:?}");
        }
        assert_eq!(office.desk.results.held.len(), 1);
        // A result that was never taken is refused then.
        let result = office.result("ada", &tasks[1], MOST_DELIVERIES + 1);
        assert!(refuses(&office.after(1, result).unwrap()));
    }

    #[test]
    fn the_newest_delivery_of_a_result_is_the_one_to_acknowledge() {
        let row = |worker: &str, unit| {
            let device = format!("{worker}@box/cpu");
            Row::fresh(unit, 5, &device, crate::clock::now(), 1.0)
        };
        let result = |row: &Row, token| Unrecorded {
            row: row.clone(),
            token: Some(token),
        };
        let (first, second) = (row("ada", 3), row("bob", 3));
        let mut results = Results::default();
        assert!(!results.recognise("ada", &result(&first, 1)));
        results.next.push(result(&first, 1));
        results.behind.push(("bob".to_owned(), result(&second, 2)));
        assert!(results.recognise("ada", &result(&first, 11)));
        assert!(results.recognise("bob", &result(&second, 12)));
        assert_eq!(results.next[0].token, Some(11));
        assert_eq!(results.behind[0].1.token, Some(12));
        assert_eq!(results.drop_all_of("bob").len(), 1);
        assert!(results.is_next(3) && results.behind.is_empty());
    }
}
