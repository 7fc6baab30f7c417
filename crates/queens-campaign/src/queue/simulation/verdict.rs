//! What must be true of a simulated day, however unlucky it was.
//!
//! At its end the count is exact, every unit was checked as was asked for, and every worker was
//! checked as often as it should be. At no time is a count on record from a worker that lies with
//! every count.

use super::Simulation;
use super::broker::Queue;
use super::template::SOLUTIONS;
use crate::device_name::worker_of;
use crate::ledger::{Access, Campaign};
use crate::row::Row;

impl Simulation {
    /// Why a day ended badly, and how far every process was.
    pub(super) fn state(&self, what: &str) -> String {
        let progress = Campaign::open(&self.file, Access::Read)
            .and_then(|c| c.progress())
            .map(|p| p.units);
        format!(
            "{what}: units done {progress:?}, server over: {}, workers over: {:?}, runs over: {:?}, \
             queued: {}, results: {}",
            self.server.fate.over,
            self.workers.iter().map(|w| w.fate.over).collect::<Vec<_>>(),
            self.runs.iter().map(|r| r.fate.over).collect::<Vec<_>>(),
            self.broker.number(Queue::Units),
            self.broker.number(Queue::Results)
        )
    }

    /// Checks the outcome when every process has ended.
    pub(super) fn judge(&self) -> Result<(), String> {
        let campaign = Campaign::open(&self.file, Access::Read).map_err(|e| e.to_string())?;
        // As for a board that nobody has counted before: `result` knows no total then either.
        let audit = campaign.audit().map_err(|e| e.to_string())?;
        if audit.done < audit.units {
            return Err(format!("{} of {} units are done", audit.done, audit.units));
        }
        if audit.total != SOLUTIONS {
            return Err(format!("the count is {}", audit.total));
        }
        if self.luck.all_twice {
            let who = |row: &Row| row.device.split('@').next().map(str::to_owned);
            for unit in 0..campaign.info().units {
                let row = campaign.row(unit).map_err(|e| e.to_string())?;
                let recounts = campaign.recounts_of(unit).map_err(|e| e.to_string())?;
                if !recounts
                    .iter()
                    .any(|again| who(again) != row.as_ref().and_then(who))
                {
                    return Err(format!("only one has counted {row:?}"));
                }
            }
        }
        let standings = campaign.standings().map_err(|e| e.to_string())?;
        for (name, standing) in &standings {
            let share = (standing.units as f64 * self.luck.audit).ceil() as u64;
            let fewest = share.max(2).min(standing.units);
            if self.luck.audit > 0.0 && !name.is_empty() && standing.checked < fewest {
                return Err(format!("{name} was checked too little: {standing:?}"));
            }
            let checks = self.luck.audit > 0.0 || self.luck.all_twice;
            if checks && !name.is_empty() && standing.own < standing.fewest() {
                return Err(format!(
                    "the server checked {name} too little: {standing:?}"
                ));
            }
        }
        Ok(())
    }

    /// A worker that lies with every count never gets a count on record.
    pub(super) fn look_for_lies(&self) -> Result<(), String> {
        if !self.luck.liar || self.luck.all_twice {
            return Ok(());
        }
        let liar = format!("w{}", self.workers.len() - 1);
        let campaign = Campaign::open(&self.file, Access::Read).map_err(|e| e.to_string())?;
        for unit in 0..campaign.info().units {
            if let Ok(Some(row)) = campaign.row(unit)
                && worker_of(&row.device) == Some(&liar)
            {
                return Err(format!("a lie of {liar} is on record: {row:?}"));
            }
        }
        Ok(())
    }
}
