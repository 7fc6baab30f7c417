//! Whom to believe.
//!
//! A worker is a newcomer until one of its counts was found right: its results wait while the
//! server's own machine counts the first of them. When two counts differ, the server's own machine
//! decides. The worker that was wrong is shut out, and everything it counted is dropped and counted
//! again.
//!
//! [`Desk::settle`] compares the server's own counts with all others of the same unit.

use std::time::Duration;

use super::super::QueueError;
use super::Desk;
use super::interface::{Output, Told};
use super::results::Unrecorded;
use crate::defence::Defence;
use crate::device_name::worker_of;
use crate::ledger::{Campaign, LedgerError};
use crate::row::Row;

impl Desk {
    /// Compares the new counts of the server's own machine with all others.
    pub(super) fn settle(
        &mut self,
        now: Duration,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        if now < self.next_turn && self.locked_since.is_some() {
            return Ok(());
        }
        while let Some(own) = self.own_checks.to_settle.last().cloned() {
            match self.settle_one(&own, now, campaign) {
                Ok(()) => {
                    self.own_checks.to_settle.pop();
                }
                Err(QueueError::Ledger(error)) => return self.bear_with(error, now),
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    /// If others hold the file in the middle of this, it can be done again from the start.
    fn settle_one(
        &mut self,
        own: &Row,
        now: Duration,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        let unit = own.unit;
        let wrong = |count: u64| {
            let right = own.count;
            format!("it counted unit {unit} as {count} where the server counts {right}")
        };
        if let Some(first) = campaign.row(unit)?
            && first.count != own.count
            && let Some(name) = worker_of(&first.device)
        {
            self.shut_out(name, &wrong(first.count), campaign)?;
        }
        for second in campaign.recounts_of(unit)? {
            if second.count != own.count
                && let Some(name) = worker_of(&second.device)
            {
                self.shut_out(name, &wrong(second.count), campaign)?;
            }
        }
        self.results.contest_held(unit);
        let contested = self.results.contested.get(&unit);
        for (name, result) in contested.cloned().unwrap_or_default() {
            if result.row.count != own.count {
                self.shut_out(&name, &wrong(result.row.count), campaign)?;
            }
        }
        // From here on, any failure is final.
        self.own_checks.decide(unit);
        let waiting = self.results.is_next(unit);
        for (name, result) in self.results.contested.remove(&unit).unwrap_or_default() {
            let standing = self.standings.entry(name.clone()).or_default();
            standing.own = standing.own.max(1);
            self.take(name.clone(), result, campaign)?;
            self.release(&name, campaign)?;
        }
        let own = Unrecorded {
            row: own.clone(),
            token: None,
        };
        match waiting {
            true => self.results.behind.push((String::new(), own)),
            false => self.results.next.push(own),
        }
        self.next_turn = now;
        Ok(())
    }

    /// Takes the waiting results of a worker that is no longer a newcomer.
    fn release(&mut self, name: &str, campaign: &Campaign) -> Result<(), QueueError> {
        let of_worker = |key: &&(String, u64)| key.0 == name;
        let keys: Vec<_> = self
            .results
            .held
            .keys()
            .filter(of_worker)
            .cloned()
            .collect();
        for key in keys {
            if let Some(result) = self.results.held.remove(&key) {
                self.take(key.0, result, campaign)?;
            }
        }
        Ok(())
    }

    /// Stops believing a worker: drops what it counted, to be counted again.
    fn shut_out(
        &mut self,
        name: &str,
        why: &str,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        if !Defence::ShutOut.stands() {
            return Ok(());
        }
        let dropped = campaign.shut_out(name, why)?;
        if !self.shut_out.insert(name.to_owned()) && dropped.is_empty() {
            return Ok(());
        }
        self.standings.remove(name);
        self.workers.remove(name);
        self.own_checks.forget_newcomer(name);
        for result in self.results.drop_all_of(name) {
            self.out.extend(result.token.map(Output::Terminate));
            // It took the unit out of the queue: somebody else must get it.
            self.stock.publish_again(result.row.unit);
        }
        for &unit in &dropped {
            self.own_checks.forget_unit(unit);
            self.stock.withdraw(unit, &mut self.out);
        }
        self.post_notice();
        self.tell(Told::ShutOut {
            worker: name.to_owned(),
            why: why.to_owned(),
            units: dropped.len(),
        });
        Ok(())
    }

    /// Two counts on record differ. The server's own machine decides, if a worker made one of them
    /// and this unit was not decided before.
    pub(super) fn arbitrate(
        &mut self,
        dispute: LedgerError,
        campaign: &Campaign,
    ) -> Result<(), QueueError> {
        if let LedgerError::Disputed {
            unit,
            first,
            second,
            ..
        } = &dispute
        {
            let by_worker = [first, second].map(|row| worker_of(&row.device).is_some());
            if self.rules.check_workers()
                && by_worker.contains(&true)
                && !self.own_checks.has_decided(*unit)
            {
                self.check(campaign.planned(*unit)?);
                return Ok(());
            }
        }
        Err(dispute.into())
    }
}
