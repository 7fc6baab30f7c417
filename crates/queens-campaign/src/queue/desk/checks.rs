//! Units that are counted again: how many, which, and by whom.
//!
//! A random share of every worker's units is counted again. The server's own machine counts a
//! quarter of that share, whoever else is there: names prove nothing, and two of them may be one
//! liar that confirms itself. Another worker counts the rest, or the server's own machine if there
//! is none. With `twice` every unit is counted again, and what the server's own machine has counted
//! waits for a worker.
//!
//! How often a worker was checked follows from rows and recounts in the ledger, so a server that is
//! killed forgets nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use super::super::QueueError;
use super::Desk;
use super::interface::{Output, Told};
use super::stock::Recount;
use crate::defence::Defence;
use crate::device_name::{independent, worker_of};
use crate::ledger::desk::{FEWEST_CHECKS, Standing};
use crate::ledger::{Campaign, Recorded};
use crate::plan::Planned;
use crate::row::Row;

/// The part of the share that the server's own machine counts again. It has one thread for this;
/// with the default of 1 % it keeps up with four hundred threads of workers.
const OWN_PART: f64 = 0.25;

/// How many units of a worker the server's own machine must count again.
pub(in crate::queue) fn own_checks_needed(standing: &Standing, audit: f64) -> u64 {
    let share = (standing.units as f64 * audit * OWN_PART).ceil() as u64;
    share.max(standing.fewest()).min(standing.units)
}

/// How many units of a worker somebody else must count again, whoever that is.
pub(in crate::queue) fn checks_needed(standing: &Standing, audit: f64, twice: bool) -> u64 {
    let share = (standing.units as f64 * audit).ceil() as u64;
    match twice {
        true => standing.units,
        false => share.max(FEWEST_CHECKS).min(standing.units),
    }
}

/// What the server's own machine counts again.
#[derive(Default)]
pub(super) struct OwnChecks {
    /// Units that it is to count, each with the newcomer that waits for it.
    under_way: BTreeMap<u64, Option<String>>,
    /// Its counts that were not compared with the others yet.
    pub to_settle: Vec<Row>,
    /// Units that it has counted.
    decided: BTreeSet<u64>,
    /// Units of workers that were already covered by a draw of last checks.
    pub drawn_from: HashSet<u64>,
}

impl OwnChecks {
    /// How many units it is to count.
    pub fn number(&self) -> usize {
        self.under_way.len()
    }

    /// Whether nothing is left to count or to compare.
    pub fn are_settled(&self) -> bool {
        self.under_way.is_empty() && self.to_settle.is_empty()
    }

    /// Whether a newcomer waits for one of these checks.
    pub fn has_newcomer(&self, name: &str) -> bool {
        let mut newcomers = self.under_way.values();
        newcomers.any(|newcomer| newcomer.as_deref() == Some(name))
    }

    /// Whether it has counted this unit.
    pub fn has_decided(&self, unit: u64) -> bool {
        self.decided.contains(&unit)
    }

    /// Has a unit counted, unless it is already under way.
    pub fn begin(&mut self, planned: Planned, newcomer: Option<String>, out: &mut Vec<Output>) {
        match self.under_way.get_mut(&planned.unit) {
            Some(waiting) => {
                if waiting.is_none() {
                    *waiting = newcomer;
                }
            }
            None => {
                self.under_way.insert(planned.unit, newcomer);
                out.push(Output::Check(planned));
            }
        }
    }

    /// A unit is counted and compared.
    pub fn decide(&mut self, unit: u64) {
        self.under_way.remove(&unit);
        self.decided.insert(unit);
    }

    /// A newcomer is shut out and no longer waits.
    pub fn forget_newcomer(&mut self, name: &str) {
        for waiting in self.under_way.values_mut() {
            if waiting.as_deref() == Some(name) {
                *waiting = None;
            }
        }
    }

    /// The row of a unit was dropped, and with it this machine's count of the unit.
    pub fn forget_unit(&mut self, unit: u64) {
        self.decided.remove(&unit);
        self.drawn_from.remove(&unit);
    }
}

impl Desk {
    /// Has the server's own machine count a unit.
    pub(super) fn check(&mut self, planned: Planned) {
        self.own_checks.begin(planned, None, &mut self.out);
    }

    /// Has a unit counted again by somebody other than the device that counted it first. What the
    /// server's own device has counted waits for a worker.
    pub(super) fn check_by_another(&mut self, planned: Planned, first: &str, now: Duration) {
        match self.workers.other_than(first) {
            Some(kind) => {
                let recount = Recount {
                    first: first.to_owned(),
                    since: now,
                };
                self.stock
                    .add(kind, planned, Some(recount), now, &mut self.out);
            }
            None if self.rules.can_check(first) => self.check(planned),
            None => self.needs_a_worker(),
        }
    }

    fn needs_a_worker(&mut self) {
        if !std::mem::replace(&mut self.told_to_wait, true) {
            self.tell(Told::NeedsWorker);
        }
    }

    /// If nobody makes a second count for long, the server's own machine makes it.
    pub(super) fn check_what_is_overdue(&mut self, now: Duration) {
        let long = (4 * self.rules.lease).max(Duration::from_secs(20));
        let (mut overdue, mut stranded) = (Vec::new(), false);
        for (unit, recount) in self.stock.recounts() {
            let waited = now.saturating_sub(recount.since);
            let alone = self.workers.other_than(&recount.first).is_none();
            if waited > long && (alone || waited > 10 * long) {
                match self.rules.can_check(&recount.first) {
                    true => overdue.push(unit),
                    false => stranded = true,
                }
            }
        }
        if !self.workers.is_empty() {
            self.told_to_wait = false;
        } else if stranded {
            self.needs_a_worker();
        }
        for unit in overdue {
            if let Some(planned) = self.stock.withdraw(unit, &mut self.out) {
                self.check(planned);
            }
        }
    }

    /// Decides whether a unit that was just recorded is counted again.
    pub(super) fn check_what_was_recorded(
        &mut self,
        row: &Row,
        outcome: Recorded,
        now: Duration,
        campaign: &Campaign,
    ) -> Result<(), QueueError> {
        match (outcome, worker_of(&row.device)) {
            (Recorded::New, Some(name)) => {
                let standing = self.standings.entry(name.to_owned()).or_default();
                standing.units += 1;
                let units = standing.units;
                let audit = self.rules.share_to_check();
                // All three are drawn, so that none depends on another.
                let own = self.random.share() < OWN_PART * audit;
                let early = self.random.below(units) == 0;
                let other = self.random.share() < (1.0 - OWN_PART) * audit;
                // Early on, check more, as long as this machine has nothing else to count: it is
                // better to find a liar before the end, when all of its units must be counted
                // again.
                let idle = self.own_checks.number() == 0;
                let early = early && idle && self.rules.check_workers();
                if self.own_checks.has_decided(row.unit) {
                    // This machine has just counted it.
                } else if (own || early) && Defence::OwnAudits.stands() {
                    self.check(campaign.planned(row.unit)?);
                } else if self.rules.check_everything() || own || other {
                    self.check_by_another(campaign.planned(row.unit)?, &row.device, now);
                }
            }
            (Recorded::New, None) if self.rules.check_everything() => {
                let planned = campaign.planned(row.unit)?;
                self.check_by_another(planned, &row.device, now);
            }
            (Recorded::Agrees, _) => {
                if let Some(first) = campaign.row(row.unit)?
                    && let Some(name) = worker_of(&first.device)
                    && independent(&first.device, &row.device)
                {
                    let own = u64::from(worker_of(&row.device).is_none());
                    self.standings.entry(name.to_owned()).or_default().own += own;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_counted_once_however_many_ask_for_it() {
        let (mut checks, mut out) = (OwnChecks::default(), Vec::new());
        let planned = Planned {
            unit: 3,
            first: 30,
            last: 39,
            cost: 1,
        };
        checks.begin(planned, None, &mut out);
        checks.begin(planned, Some("ada".to_owned()), &mut out);
        checks.begin(planned, Some("bob".to_owned()), &mut out);
        assert!(matches!(out[..], [Output::Check(_)]));
        assert!(checks.has_newcomer("ada") && !checks.has_newcomer("bob"));
        checks.forget_newcomer("ada");
        assert!(!checks.has_newcomer("ada") && checks.number() == 1);
        checks.decide(3);
        assert!(checks.has_decided(3) && checks.are_settled());
        checks.forget_unit(3);
        assert!(!checks.has_decided(3));
    }

    #[test]
    fn small_shares_are_rounded_up_to_the_fewest_checks() {
        let standing = |units| Standing {
            units,
            ..Standing::default()
        };
        let needed = |units, audit| {
            let standing = standing(units);
            let own = own_checks_needed(&standing, audit);
            (own, checks_needed(&standing, audit, false))
        };
        assert_eq!(needed(1, 0.01), (1, 1));
        assert_eq!(needed(100, 0.01), (1 + FEWEST_CHECKS, FEWEST_CHECKS));
        assert_eq!(needed(10_000, 0.01), (25, 100));
        assert_eq!(checks_needed(&standing(100), 0.01, true), 100);
    }
}
