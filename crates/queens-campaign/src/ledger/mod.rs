//! The campaign file: plan and ledger in one SQLite database.
//!
//! What the file promises, and how:
//!
//! - **A recorded unit stays recorded.** Commits use a rollback journal with
//!   `synchronous = FULL`: when [`Campaign::turn`] returns, the row is on the disk and
//!   survives a power loss. A write-ahead log would save two disk flushes per commit, which
//!   no device waits for anyway; with a journal the file is complete between commits: it
//!   can be copied, mailed, put on a read-only disk or on a file system without shared
//!   memory.
//! - **No unit is claimed by two processes, and none is lost.** Units are claimed in the same
//!   transaction that records the previous ones; see [`claims`]. A process that sleeps or hangs
//!   loses its claims; if it goes on later, both counts are compared.
//! - **No other file is ever written to.** The header is read as plain bytes before
//!   SQLite sees the file; see [`file`](mod@file).
//! - **An altered row is noticed.** Every row has a check value, the plan has a digest;
//!   see [`audit`].
//! - **What a server of workers must remember is in the file too**; see [`desk`].
//! - **Two counts of one unit must agree.** The second one is kept in `recount`; if it
//!   differs, the unit is disputed, and all work stops until it is counted again.

pub mod audit;
mod campaign;
mod checks;
pub mod claims;
pub mod desk;
mod error;
pub mod file;
mod info;
mod record;
mod rows;
mod schema;
mod suggest;

use std::ops::Add;

pub use campaign::Campaign;
pub use checks::{Checks, Recounted};
pub use error::LedgerError;
pub use file::{Access, MAGIC};
pub use info::Info;
pub use record::Recorded;
pub(crate) use rows::Table;
pub use suggest::Suggested;

use crate::clock;
use crate::text::{LONGEST_NAME, plain};

/// How far a campaign is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Units in the ledger.
    pub units: u64,
    /// Their expected cost.
    pub cost: u64,
    /// What each device did.
    pub devices: Vec<DeviceTally>,
    /// Who is at work now.
    pub processes: Vec<Active>,
    /// Recounts on record that agree with the ledger.
    pub agreeing: u64,
    /// Units whose counts differ.
    pub disputed: u64,
}

impl Progress {
    /// Expected cost finished per second by all processes at work now; 0 if there is none.
    pub fn rate(&self) -> f64 {
        // Not `sum`: the sum of nothing is a negative zero.
        self.processes.iter().map(Active::rate).fold(0.0, f64::add)
    }
}

/// What one device did so far.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceTally {
    /// Its name.
    pub device: String,
    /// Units it counted.
    pub units: u64,
    /// Their expected cost.
    pub cost: u64,
    /// The time it took.
    pub seconds: f64,
}

/// A process at work on the file.
#[derive(Clone, Debug)]
pub struct Active {
    /// Its machine.
    pub host: String,
    /// The boot id of its kernel.
    pub boot: String,
    /// Its number.
    pub pid: u32,
    /// `run` or `serve`.
    pub role: String,
    /// Seconds since it started.
    pub age: u64,
    /// Units it recorded.
    pub units: u64,
    /// Their expected cost.
    pub cost: u64,
}

impl Active {
    /// Expected cost finished per second since it started.
    pub fn rate(&self) -> f64 {
        self.cost as f64 / self.age.max(1) as f64
    }
}

impl Campaign {
    /// How far the campaign is, from sums that are kept up to date: the time this
    /// takes does not depend on the number of units.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn progress(&self) -> Result<Progress, LedgerError> {
        self.progress_in().map_err(|e| self.explain(e))
    }

    fn progress_in(&self) -> rusqlite::Result<Progress> {
        let devices: Vec<DeviceTally> = self
            .db
            .prepare_cached("SELECT device, units, cost, seconds FROM tally ORDER BY cost DESC")?
            .query_map([], |r| {
                Ok(DeviceTally {
                    device: plain(&r.get::<_, String>(0)?, LONGEST_NAME),
                    units: r.get(1)?,
                    cost: r.get(2)?,
                    seconds: r.get(3)?,
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        let processes = self.processes_in()?;
        let (agreeing, disputed) = self.db.query_row(
            "SELECT count(*) FILTER (WHERE r.count = l.count),
                 count(DISTINCT r.unit) FILTER (WHERE r.count <> l.count)
             FROM recount r JOIN ledger l ON l.unit = r.unit",
            [],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )?;
        Ok(Progress {
            units: devices.iter().fold(0, |sum, d| sum.saturating_add(d.units)),
            cost: devices.iter().fold(0, |sum, d| sum.saturating_add(d.cost)),
            devices,
            processes,
            agreeing,
            disputed,
        })
    }

    /// Who is at work now.
    fn processes_in(&self) -> rusqlite::Result<Vec<Active>> {
        let (now, me) = (self.world.seconds(), self.world.me());
        self.db
            .prepare_cached("SELECT * FROM process ORDER BY id")?
            .query_map([], |r| {
                if !claims::lives(r, now, &me, &*self.world) {
                    return Ok(None);
                }
                Ok(Some(Active {
                    host: plain(&r.get::<_, String>("host")?, LONGEST_NAME),
                    boot: r.get("boot")?,
                    pid: r.get("pid")?,
                    role: plain(&r.get::<_, String>("role")?, 20),
                    age: now.saturating_sub(r.get("since")?),
                    units: r.get("units")?,
                    cost: r.get("cost")?,
                }))
            })?
            .filter_map(Result::transpose)
            .collect()
    }

    /// Seconds during which anybody was at work, by when units were begun and how long they
    /// took. What several devices or threads did at the same time is counted once.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn seconds_at_work(&self) -> Result<f64, LedgerError> {
        let read = || -> rusqlite::Result<Vec<(f64, f64)>> {
            let mut all = self.db.prepare(
                "SELECT device, started, sum(seconds), max(seconds) FROM ledger
                 GROUP BY device, started",
            )?;
            let mut rows = all.query([])?;
            let mut stretches = Vec::new();
            while let Some(r) = rows.next()? {
                let (device, started): (String, String) = (r.get(0)?, r.get(1)?);
                // A GPU counts many units together, which share the time; threads of a
                // processor that begin at the same moment count side by side.
                let seconds: f64 = match device.contains("/gpu") {
                    true => r.get(2)?,
                    false => r.get(3)?,
                };
                if let Some(from) = clock::parse(&started) {
                    stretches.push((from as f64, from as f64 + seconds));
                }
            }
            Ok(stretches)
        };
        Ok(union(read().map_err(|e| self.explain(e))?))
    }

    /// The share of the units done in each of `cells` equal stretches of the plan.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn picture(&self, cells: u64) -> Result<Vec<f64>, LedgerError> {
        let units = self.info.units;
        let cells = cells.clamp(1, units.max(1));
        let cell = |unit: u64| (u128::from(unit) * u128::from(cells) / u128::from(units)) as usize;
        let mut done = vec![0_u64; cells as usize];
        let mut all = done.clone();
        for unit in 0..units {
            all[cell(unit)] += 1;
        }
        for unit in self.done()? {
            if unit < units {
                done[cell(unit)] += 1;
            }
        }
        Ok(done
            .iter()
            .zip(&all)
            .map(|(&d, &a)| d as f64 / a as f64)
            .collect())
    }
}

/// The length of what stretches from one number to another cover together.
fn union(mut stretches: Vec<(f64, f64)>) -> f64 {
    stretches.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut covered, mut until) = (0.0, f64::NEG_INFINITY);
    for (from, to) in stretches {
        covered += (to - from.max(until)).max(0.0);
        until = until.max(to);
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_overlap_are_counted_once() {
        assert_eq!(union(vec![]), 0.0);
        assert_eq!(union(vec![(5.0, 6.0), (0.0, 2.0), (1.0, 3.0)]), 4.0);
        assert_eq!(union(vec![(0.0, 9.0), (1.0, 2.0), (8.0, 10.0)]), 10.0);
    }
}
