//! How far a campaign is: units and cost done, by which device, and who is at work.
//!
//! The triggers of the file keep the sums of each device in `tally`, so the progress of a million
//! units is found as fast as that of ten.
//!
//! Three things are computed from all rows, and only on request: what the recounts say, the time
//! during which any device was at work, and a picture of which parts of the plan are done.

use std::ops::Add;

use super::campaign::Campaign;
use super::error::LedgerError;
use super::processes::Active;
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
}

impl Progress {
    /// Expected cost finished per second by all processes at work now; 0 if there are none.
    pub fn rate(&self) -> f64 {
        // Not `sum`: the sum of nothing is negative zero.
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
    /// The seconds that it took.
    pub seconds: f64,
}

/// What the recounts on record say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recounts {
    /// Recounts that agree with the ledger.
    pub agreeing: u64,
    /// Units whose counts differ.
    pub disputed: u64,
}

impl Campaign {
    /// How far the campaign is, from sums that are kept up to date, so the time this takes does not
    /// depend on the number of units.
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
        Ok(Progress {
            units: devices.iter().fold(0, |sum, d| sum.saturating_add(d.units)),
            cost: devices.iter().fold(0, |sum, d| sum.saturating_add(d.cost)),
            devices,
            processes,
        })
    }

    /// Compares the recounts with the ledger one by one: a recount's own mark could have been
    /// altered, and a dispute must show.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn recounts(&self) -> Result<Recounts, LedgerError> {
        let read = |r: &rusqlite::Row<'_>| {
            Ok(Recounts {
                agreeing: r.get(0)?,
                disputed: r.get(1)?,
            })
        };
        self.db
            .query_row(
                "SELECT count(*) FILTER (WHERE r.count = l.count),
                     count(DISTINCT r.unit) FILTER (WHERE r.count <> l.count)
                 FROM recount r JOIN ledger l ON l.unit = r.unit",
                [],
                read,
            )
            .map_err(|e| self.explain(e))
    }

    /// Seconds during which any device was at work, from when units were begun and how long they
    /// took, at least a second. Devices or threads that work at the same time are counted once.
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
                // A GPU counts many units together, which share the time. A processor's threads
                // that begin at the same moment count side by side.
                let seconds: f64 = match device.contains("/gpu") {
                    true => r.get(2)?,
                    false => r.get(3)?,
                };
                if let Some(from) = clock::parse(&started) {
                    // Starts are known to the second.
                    stretches.push((from as f64, from as f64 + seconds.max(1.0)));
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

/// The total length that these stretches cover together.
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
