//! The checks that are still missing when every unit is done.
//!
//! First the server's own machine counts some more units of every worker, drawn from all that the
//! worker ever counted. This finds a worker that became a liar only later, or was lucky so far.
//! Then other workers count what is missing from the share that was asked for; if there are none,
//! the server's own machine does. The campaign is complete when nothing is missing.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::QueueError;
use super::Desk;
use super::checks::{checks_needed, own_checks_needed};
use crate::defence::Defence;
use crate::device::Kind;
use crate::ledger::desk::{FEWEST_CHECKS, Standing};
use crate::ledger::{Campaign, LedgerError};
use crate::plan::Planned;
use crate::runner::Finish;

/// How many units the server's own machine counts again at the end, over all workers, but at least
/// [`FEWEST_CHECKS`] of each.
const LAST_CHECKS: u64 = 8;

impl Desk {
    /// Every unit is done. Ends the service if enough was checked; otherwise starts what is
    /// missing.
    pub(super) fn conclude(
        &mut self,
        now: Duration,
        campaign: &Campaign,
    ) -> Result<(), QueueError> {
        let open = !self.results.next.is_empty()
            || !self.results.behind.is_empty()
            || !self.results.held.is_empty()
            || !self.own_checks.are_settled()
            || self.stock.recounts().next().is_some();
        if open || now < self.next_look_at_checks {
            return Ok(());
        }
        self.next_look_at_checks = now + Duration::from_secs(1);
        if !self.rules.check_workers() {
            self.finish = Some(Finish::Complete);
            return Ok(());
        }
        let standings = match campaign.standings() {
            Ok(standings) => standings,
            Err(error) => return self.bear_with(error, now),
        };
        match self.draw_for_this_machine(&standings, campaign) {
            Ok(drawn) if drawn.is_empty() => {}
            Ok(drawn) => {
                self.standings = standings;
                drawn.into_iter().for_each(|planned| self.check(planned));
                return Ok(());
            }
            Err(error) => return self.bear_with(error, now),
        }
        let wanted = self.draw_for_others(&standings);
        self.standings = standings;
        if wanted.is_empty() {
            self.finish = Some(Finish::Complete);
            return Ok(());
        }
        let most = Kind::ALL
            .into_iter()
            .map(|kind| self.window(kind, now))
            .sum::<usize>()
            .max(1);
        for unit in wanted.into_iter().take(most) {
            if let Some(first) = campaign.row(unit)? {
                self.check_by_another(campaign.planned(unit)?, &first.device, now);
            }
        }
        Ok(())
    }

    /// Draws the units that the server's own machine counts again at the end: some of every
    /// worker's units, from those that no such draw has covered yet.
    fn draw_for_this_machine(
        &mut self,
        standings: &BTreeMap<String, Standing>,
        campaign: &Campaign,
    ) -> Result<Vec<Planned>, LedgerError> {
        if !Defence::OwnAudits.stands() {
            return Ok(Vec::new());
        }
        let audit = self.rules.share_to_check();
        let workers = standings.iter().filter(|(name, _)| !name.is_empty());
        let number = workers.clone().count() as u64;
        let of_each = LAST_CHECKS.div_ceil(number.max(1)).max(FEWEST_CHECKS);
        let (mut drawn, mut from_now) = (Vec::new(), Vec::new());
        for (_, standing) in workers {
            let covered = |unit: &u64| self.own_checks.drawn_from.contains(unit);
            let (mut old, mut new): (Vec<u64>, Vec<u64>) =
                standing.unseen.iter().copied().partition(covered);
            from_now.extend_from_slice(&new);
            // Units that were drawn but not counted before a server was killed are drawn anew.
            let few = own_checks_needed(standing, audit).saturating_sub(standing.own);
            for _ in 0..of_each.min(new.len() as u64).max(few) {
                let from = if new.is_empty() { &mut old } else { &mut new };
                if from.is_empty() {
                    break;
                }
                let at = self.random.below(from.len() as u64) as usize;
                drawn.push(campaign.planned(from.swap_remove(at))?);
            }
        }
        self.own_checks.drawn_from.extend(from_now);
        Ok(drawn)
    }

    /// Draws the units that somebody must count again to complete the share that was asked for.
    fn draw_for_others(&mut self, standings: &BTreeMap<String, Standing>) -> Vec<u64> {
        let (audit, twice) = (self.rules.share_to_check(), self.rules.check_everything());
        let mut wanted: Vec<u64> = Vec::new();
        for (name, standing) in standings {
            let mut unchecked = standing.unchecked.clone();
            let need = match name.is_empty() || !Defence::Audit.stands() {
                true if !twice => 0,
                _ => checks_needed(standing, audit, twice),
            };
            for _ in standing.checked..need {
                if unchecked.is_empty() {
                    break;
                }
                let at = self.random.below(unchecked.len() as u64) as usize;
                wanted.push(unchecked.swap_remove(at));
            }
        }
        wanted
    }
}

#[cfg(test)]
mod tests {
    use crate::queue::desk::office::Office;
    use crate::queue::desk::{Input, Output, Told};
    use crate::row::Row;

    #[test]
    fn what_the_server_counted_itself_waits_for_a_worker() {
        let mut office = Office::open("waits", true);
        let units = office.campaign.info().units;
        let by = |device: &str, unit| Row::fresh(unit, 5, device, crate::clock::now(), 1.0);
        let mut rows: Vec<Row> = (1..units).map(|unit| by("box/cpu", unit)).collect();
        rows.push(by("box/cpu-check", 0));
        office.campaign.record(&rows).unwrap();
        let (mut input, mut told) = (Input::Tick, 0);
        for _ in 0..200 {
            let outputs = office.after(1, input).unwrap();
            input = Input::Tick;
            for output in outputs {
                match output {
                    Output::Check(planned) => {
                        assert_ne!(planned.unit, 0, "it checks itself");
                        input = Input::Checked(by("box/cpu-check", planned.unit));
                    }
                    Output::Tell(Told::NeedsWorker) => told += 1,
                    _ => {}
                }
            }
        }
        assert_eq!(told, 1);
        assert_eq!(office.desk.finished(), None);
        // A worker makes the missing check.
        let tasks = office.greet("ada");
        assert_eq!(tasks.len(), 1, "{tasks:?}");
        assert_eq!(tasks[0].unit, 0);
    }
}
