//! Reading a whole ledger with all its checks.
//!
//! An audit believes nothing that the file says of itself. It lets SQLite check the file's pages
//! and indexes, and then walks plan and ledger in order of units. It checks that
//!
//! - the plan covers the units that the engine has for this n, from the first to the last, without
//!   gap or overlap;
//! - the plan has the costs that the engine expects, and the digest it had when it was made;
//! - every row and every recount belongs to a unit and fits its check value;
//! - no two counts of a unit differ;
//! - the sums kept for `status` are the sums of the rows.
//!
//! The total is added up in 128 bits. A million rows take some seconds.
//!
//! An audit counts no unit again. `campaign verify` does that, and so does `campaign serve`, whose
//! option `--audit` is the share of the units to count again; `checks` reads the outcome.

use queens::count::two_colour;
use rusqlite::OptionalExtension;

use super::campaign::{Campaign, planned};
use super::error::LedgerError;
use super::rows::{Table, checked_row};
use super::schema;
use crate::plan::PlanDigest;
use crate::row::LedgerDigest;
use crate::text::plain;

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// Units in the plan.
    pub units: u64,
    /// Units with a row.
    pub done: u64,
    /// Sum of the counts.
    pub total: u128,
    /// Digest of the ledger.
    pub digest: String,
}

impl Campaign {
    /// Checks everything in the file.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn audit(&self) -> Result<Audit, LedgerError> {
        let snapshot = self
            .db
            .unchecked_transaction()
            .map_err(|e| self.explain(e))?;
        let audit = self
            .audit_before_counting()
            .and_then(|()| self.audit_ledger())
            .and_then(|audit| self.audit_recounts().map(|()| audit));
        let _ = snapshot.finish();
        audit
    }

    /// Checks everything, and also that no unit is missing and that the total is the known one if
    /// the board has been counted before.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong or missing.
    pub fn result(&self) -> Result<Audit, LedgerError> {
        let audit = self.audit()?;
        if audit.done < audit.units {
            return Err(LedgerError::Incomplete {
                path: self.path.clone(),
                missing: audit.units - audit.done,
                units: audit.units,
            });
        }
        let n = self.info().n;
        match queens::known::known(n as usize).map(|known| known.all) {
            Some(known) if known != audit.total => Err(LedgerError::NotTheKnownCount {
                path: self.path.clone(),
                n,
                counts: Box::new((audit.total, known)),
            }),
            _ => Ok(audit),
        }
    }

    /// The units whose rows do not fit their check values, or that are not in the plan.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn altered(&self) -> Result<Vec<u64>, LedgerError> {
        let mut altered = Vec::new();
        self.each_row(Table::Ledger, |unit, row| -> Result<(), LedgerError> {
            if unit >= self.info().units || self.fits(unit, row).is_err() {
                altered.push(unit);
            }
            Ok(())
        })?;
        Ok(altered)
    }

    /// Drops the rows of units below 0, which no plan has; returns how many there were.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn drop_impossible(&mut self) -> Result<u64, LedgerError> {
        self.write(|_, db| Ok(db.execute("DELETE FROM ledger WHERE unit < 0", [])? as u64))
    }

    /// Checks the file and its plan, but no row: whoever counts by an altered plan counts something
    /// else.
    ///
    /// # Errors
    ///
    /// When one of the two is damaged or cannot be read.
    pub fn audit_before_counting(&self) -> Result<(), LedgerError> {
        self.audit_pages()?;
        self.audit_plan()
    }

    /// Lets SQLite check the file: pages, keys, indexes, types.
    fn audit_pages(&self) -> Result<(), LedgerError> {
        let found: String = self
            .db
            .query_row("PRAGMA integrity_check(1)", [], |r| r.get(0))
            .map_err(|e| self.explain(e))?;
        match found.as_str() {
            "ok" => Ok(()),
            found => Err(self.damaged(&plain(found, 200))),
        }
    }

    fn audit_plan(&self) -> Result<(), LedgerError> {
        let info = self.info();
        self.require_algorithm(two_colour::ALGORITHM)?;
        let engine = two_colour::units(info.n as usize).ok_or_else(|| {
            let n = info.n;
            self.damaged(&format!("this program cannot count {n} queens"))
        })?;
        let scale = info.cost as f64 / engine.total_cost();
        let mut digest = PlanDigest::new(info.n, &info.algorithm);
        let (mut units, mut next, mut cost) = (0, 0, 0_u64);
        let (mut whole, mut expected) = (true, true);
        let mut walk = || -> rusqlite::Result<()> {
            let mut plan = self
                .db
                .prepare("SELECT unit, first, last, cost FROM plan ORDER BY unit")?;
            let mut rows = plan.query([])?;
            while let Some(r) = rows.next()? {
                let p = planned(r)?;
                whole &= p.unit == units
                    && p.first == next
                    && p.last >= p.first
                    && p.last < engine.len();
                if !whole {
                    break;
                }
                let right: f64 = (p.first..=p.last).map(|u| engine.cost(u)).sum::<f64>() * scale;
                // Another processor may round the sums of costs a little differently.
                expected &= (p.cost as f64 - right).abs() <= 1.0 + right * 1e-4;
                cost = cost.saturating_add(p.cost);
                digest.add(p.unit, p.first, p.last);
                (units, next) = (units + 1, p.last + 1);
            }
            Ok(())
        };
        walk().map_err(|e| self.explain(e))?;
        let n = info.n;
        if !whole || digest.finish() != info.plan_digest {
            return Err(self.damaged("its plan was altered after it was made"));
        }
        if next != engine.len() || units != info.units || next != info.engine_units {
            return Err(self.damaged(&format!(
                "its plan does not cover the units of {n} queens from the first to the last"
            )));
        }
        if !expected || cost != info.cost {
            return Err(self.damaged("the costs in its plan are not those of the engine's units"));
        }
        Ok(())
    }

    fn audit_ledger(&self) -> Result<Audit, LedgerError> {
        let info = self.info();
        let mut digest = LedgerDigest::new(&info.plan_digest);
        let (mut done, mut total) = (0_u64, 0_u128);
        let mut least = 0;
        self.each_row(Table::Ledger, |unit, row| {
            if unit >= info.units || unit < least {
                let why = match unit < least {
                    true => format!("it has two rows for unit {unit}"),
                    false => format!("it has a row for unit {unit}, which is not in its plan"),
                };
                return Err(self.damaged(&why));
            }
            let row = self.fits(unit, row)?;
            least = unit + 1;
            digest.add(unit, row.count);
            done += 1;
            total += u128::from(row.count);
            Ok(())
        })?;
        self.undisputed()?;
        self.audit_sums()?;
        Ok(Audit {
            units: info.units,
            done,
            total,
            digest: digest.finish(),
        })
    }

    /// Compares the sums kept for `status` with the rows.
    fn audit_sums(&self) -> Result<(), LedgerError> {
        let kept = "SELECT device, units, cost, seconds FROM tally ORDER BY device";
        let sums = "SELECT device, count(*), sum(cost), sum(seconds)
                    FROM ledger JOIN plan USING (unit) GROUP BY device ORDER BY device";
        let read = |sql: &str| -> rusqlite::Result<Vec<(String, u64, u64, f64)>> {
            let mut all = self.db.prepare(sql)?;
            let rows = all.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?;
            rows.collect()
        };
        let (kept, sums) = (
            read(kept).map_err(|e| self.explain(e))?,
            read(sums).map_err(|e| self.explain(e))?,
        );
        // Seconds are added and subtracted in any order, so they round differently.
        let same = |a: &(String, u64, u64, f64), b: &(String, u64, u64, f64)| {
            (&a.0, a.1, a.2) == (&b.0, b.1, b.2) && (a.3 - b.3).abs() <= 1e-3 + 1e-6 * b.3.abs()
        };
        if kept.len() == sums.len() && kept.iter().zip(&sums).all(|(a, b)| same(a, b)) {
            return Ok(());
        }
        Err(self.damaged(
            "its sums by device are not the sums of its rows; `queens campaign prune --damaged` \
             computes them anew",
        ))
    }

    fn audit_recounts(&self) -> Result<(), LedgerError> {
        let mut broken = None;
        self.each_row(Table::Recount, |unit, row| -> Result<(), LedgerError> {
            if self.fits(unit, row).is_err() {
                broken.get_or_insert(unit);
            }
            Ok(())
        })?;
        if broken.is_none() {
            broken = self.marked_wrongly().map_err(|e| self.explain(e))?;
        }
        match broken {
            None => Ok(()),
            Some(unit) => Err(LedgerError::AlteredRecount {
                path: self.path.clone(),
                unit,
            }),
        }
    }

    /// A unit with a recount that is marked wrongly as agreeing or not.
    fn marked_wrongly(&self) -> rusqlite::Result<Option<u64>> {
        self.db
            .prepare(
                "SELECT r.unit FROM recount r LEFT JOIN ledger l ON l.unit = r.unit
                 WHERE l.unit IS NULL OR r.agrees <> (r.count = l.count) LIMIT 1",
            )?
            .query_row([], |r| r.get(0))
            .optional()
    }

    /// Drops the recounts that do not fit their check values; returns how many there were.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn drop_altered_recounts(&mut self) -> Result<u64, LedgerError> {
        let read = || -> rusqlite::Result<Vec<i64>> {
            let mut all = self.db.prepare("SELECT rowid AS place, * FROM recount")?;
            let mut rows = all.query([])?;
            let mut broken = Vec::new();
            while let Some(r) = rows.next()? {
                let unit: i64 = r.get("unit")?;
                let fits = |unit: u64, row| self.fits(unit, row).is_ok();
                let row = checked_row(r)?;
                if !u64::try_from(unit).is_ok_and(|unit| fits(unit, row)) {
                    broken.push(r.get("place")?);
                }
            }
            Ok(broken)
        };
        let broken = read().map_err(|e| self.explain(e))?;
        self.write(|_, db| {
            for place in &broken {
                db.execute("DELETE FROM recount WHERE rowid = ?1", [place])?;
            }
            db.execute_batch(schema::REBUILD_RECOUNTS)?;
            db.execute_batch(schema::REBUILD_TALLY)
        })?;
        Ok(broken.len() as u64)
    }
}
