//! Recording counts, and what happens when a unit is counted twice.
//!
//! The first count of a unit becomes its row in `ledger` and is never changed. Every further count
//! goes to `recount`, marked as agreeing or not; a row that is delivered twice is kept once. While
//! two counts of a unit differ, the unit is *disputed*. `campaign redo` ends that: a fresh row
//! replaces everything known about the unit.
//!
//! Rows that the ledger cannot hold (a unit that is not in the plan, a count of more than 63 bits)
//! are refused before anything is written.

use rusqlite::{Connection, OptionalExtension, params};

use super::campaign::Campaign;
use super::error::LedgerError;
use super::rows::{checked_row, plain_row};
use super::schema;
use crate::row::Row;

/// What became of one recorded row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It is in the ledger.
    New,
    /// This very row is already in the ledger or the recounts.
    Again,
    /// The ledger had the same count from another device or run; the row is kept as a recount.
    Agrees,
    /// The ledger had another count; the row is kept as a recount, and the unit is disputed.
    Differs,
}

impl Campaign {
    /// Records rows that no process here has claimed, such as those of a distant worker.
    ///
    /// # Errors
    ///
    /// When a row differs from the ledger's; the difference is then on record.
    pub fn record(&mut self, rows: &[Row]) -> Result<Vec<Recorded>, LedgerError> {
        self.admissible(rows)?;
        let outcomes = self.write(|campaign, db| campaign.record_in(db, rows))?;
        self.undisputed()?;
        Ok(outcomes)
    }

    /// Records all rows, or none if one differs from the ledger. Then it returns the place of the
    /// first row that differs, together with the ledger's own row.
    ///
    /// # Errors
    ///
    /// When the file cannot be written or a row does not belong to it.
    #[allow(clippy::type_complexity)] // two failures of different weight
    pub fn record_all_or_none(
        &mut self,
        rows: &[Row],
    ) -> Result<Result<Vec<Recorded>, (usize, Box<Row>)>, LedgerError> {
        self.admissible(rows)?;
        let mut difference = None;
        let outcome = self.write(|campaign, db| {
            let mut outcomes = Vec::with_capacity(rows.len());
            for (at, row) in rows.iter().enumerate() {
                let known = db
                    .prepare_cached("SELECT * FROM ledger WHERE unit = ?1")?
                    .query_row([row.unit], plain_row)
                    .optional()?;
                match known {
                    Some(known) if known.count != row.count => {
                        difference = Some((at, Box::new(known)));
                        // Any error rolls back the whole transaction.
                        return Err(rusqlite::Error::StatementChangedRows(0));
                    }
                    _ => outcomes.extend(campaign.record_in(db, std::slice::from_ref(row))?),
                }
            }
            Ok(outcomes)
        });
        match difference {
            Some(difference) => Ok(Err(difference)),
            None => outcome.map(Ok),
        }
    }

    /// Puts a second count of a unit on record, as `verify` makes them. Returns whether it agrees
    /// with the ledger.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, or has no row of the unit.
    pub fn record_recount(&mut self, row: &Row) -> Result<bool, LedgerError> {
        self.admissible(std::slice::from_ref(row))?;
        self.write(|campaign, db| {
            let count: u64 = db
                .prepare_cached("SELECT count FROM ledger WHERE unit = ?1")?
                .query_row([row.unit], |r| r.get(0))?;
            campaign.recount_in(db, row, count == row.count)?;
            Ok(count == row.count)
        })
    }

    /// Fails while two counts of a unit differ.
    ///
    /// Compares the counts themselves, and ignores how the recounts are marked.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Disputed`], naming both.
    pub fn undisputed(&self) -> Result<(), LedgerError> {
        self.disputed_where(
            "SELECT r.* FROM recount r JOIN ledger l ON l.unit = r.unit
             WHERE r.count <> l.count LIMIT 1",
        )
    }

    /// As [`Campaign::undisputed`], but in a time that does not depend on the number of recounts:
    /// it relies on how the recounts are marked, which every audit checks.
    pub(crate) fn undisputed_so_far(&self) -> Result<(), LedgerError> {
        self.disputed_where("SELECT * FROM recount WHERE agrees = 0 LIMIT 1")
    }

    /// Drops units from the ledger, to be counted again; returns how many had a row.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn prune(&mut self, units: &[u64]) -> Result<u64, LedgerError> {
        self.write(|_, db| {
            let mut dropped = 0;
            let mut drop_row = db.prepare("DELETE FROM ledger WHERE unit = ?1")?;
            let mut drop_recounts = db.prepare("DELETE FROM recount WHERE unit = ?1")?;
            for unit in units {
                dropped += drop_row.execute([unit])? as u64;
                drop_recounts.execute([unit])?;
            }
            // The triggers that keep the sums trust the rows; an altered row may have left its
            // share under another name.
            db.execute_batch(schema::REBUILD_TALLY)?;
            Ok(dropped)
        })
    }

    /// Replaces everything known about a unit by a fresh row.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn replace(&mut self, row: &Row) -> Result<(), LedgerError> {
        self.write(|campaign, db| {
            db.execute("DELETE FROM ledger WHERE unit = ?1", [row.unit])?;
            db.execute("DELETE FROM recount WHERE unit = ?1", [row.unit])?;
            campaign.record_in(db, std::slice::from_ref(row))?;
            db.execute_batch(schema::REBUILD_TALLY)
        })
    }

    /// Refuses rows that the ledger cannot hold.
    pub(super) fn admissible(&self, rows: &[Row]) -> Result<(), LedgerError> {
        for row in rows {
            if row.unit >= self.info.units {
                return Err(self.no_such_unit(row.unit));
            }
            let unit = row.unit;
            if i64::try_from(row.count).is_err() {
                let count = row.count;
                return Err(LedgerError::TooLarge { unit, count });
            }
            if let Some(why) = row.trouble() {
                return Err(LedgerError::Unsound { unit, why });
            }
        }
        Ok(())
    }

    pub(super) fn record_in(
        &self,
        db: &Connection,
        rows: &[Row],
    ) -> rusqlite::Result<Vec<Recorded>> {
        let mut insert = db.prepare_cached(
            "INSERT INTO ledger (unit, count, check_value, device, program, started, seconds)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (unit) DO NOTHING",
        )?;
        let mut free = db.prepare_cached("DELETE FROM claim WHERE unit = ?1")?;
        rows.iter()
            .map(|row| {
                let check = row.check_value(&self.info.plan_digest);
                let new = insert.execute(params![
                    row.unit,
                    row.count,
                    check,
                    row.device,
                    row.program,
                    row.started,
                    row.seconds
                ])?;
                free.execute([row.unit])?;
                if new == 1 {
                    return Ok(Recorded::New);
                }
                let (count, stored): (u64, String) = db
                    .prepare_cached("SELECT count, check_value FROM ledger WHERE unit = ?1")?
                    .query_row([row.unit], |r| Ok((r.get(0)?, r.get(1)?)))?;
                if stored == check {
                    return Ok(Recorded::Again);
                }
                let agrees = count == row.count;
                Ok(match (self.recount_in(db, row, agrees)?, agrees) {
                    (0, _) => Recorded::Again,
                    (_, true) => Recorded::Agrees,
                    (_, false) => Recorded::Differs,
                })
            })
            .collect()
    }

    /// Puts a recount on record unless it is already there; returns how many rows are new.
    fn recount_in(&self, db: &Connection, row: &Row, agrees: bool) -> rusqlite::Result<usize> {
        db.prepare_cached(
            "INSERT INTO recount (unit, count, agrees, check_value, device, program, started, seconds)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
             WHERE NOT EXISTS (SELECT 1 FROM recount WHERE unit = ?1 AND check_value = ?4)",
        )?
        .execute(params![
            row.unit,
            row.count,
            agrees,
            row.check_value(&self.info.plan_digest),
            row.device,
            row.program,
            row.started,
            row.seconds
        ])
    }

    fn disputed_where(&self, sql: &str) -> Result<(), LedgerError> {
        let second = self
            .db
            .prepare_cached(sql)
            .and_then(|mut s| s.query_row([], checked_row).optional())
            .map_err(|e| self.explain(e))?;
        let Some(second) = second else { return Ok(()) };
        let unit = second.as_ref().map_or(0, |(row, _)| row.unit);
        let path = self.path.clone();
        let second = self
            .fits(unit, second)
            .map_err(|_| LedgerError::AlteredRecount { path, unit })?;
        match self.row(unit)? {
            Some(first) if first.count != second.count => Err(LedgerError::Disputed {
                path: self.path.clone(),
                unit,
                first: Box::new(first),
                second: Box::new(second),
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::Access;
    use super::*;

    #[test]
    fn a_second_count_agrees_or_differs_and_never_both() {
        let id = std::process::id();
        let path = std::env::temp_dir().join(format!("queens-ledger-{id}"));
        let cut = queens::count::two_colour::units(12).unwrap();
        Campaign::create(&path, &cut, 8).unwrap();
        let mut campaign = Campaign::open(&path, Access::Write).unwrap();
        let mut member = campaign.join("run").unwrap();
        let mut record = |count, device: &str| {
            let row = Row::fresh(0, count, device, "2026-11-18T00:00:00Z".to_owned(), 1.0);
            let turn = campaign.turn(&mut member, &[row], 0).unwrap();
            (turn.recorded[0], turn.dispute.is_some())
        };
        assert_eq!(record(5, "ada/cpu"), (Recorded::New, false));
        assert_eq!(record(5, "ada/cpu"), (Recorded::Again, false));
        assert_eq!(record(5, "bob/cpu"), (Recorded::Agrees, false));
        assert_eq!(record(6, "eve/cpu"), (Recorded::Differs, true));
        drop(campaign);
        std::fs::remove_file(&path).unwrap();
    }
}
