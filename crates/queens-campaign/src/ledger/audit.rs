//! Reading a whole ledger with all its checks.
//!
//! An audit walks plan and ledger side by side, in order of units. It checks that
//! the plan covers the engine's units from the first to the last without gap or
//! overlap and has the digest it had when it was made, that every row belongs to a
//! unit and fits its check value, that no two counts of a unit differ, and that the
//! sums kept for `status` are the sums of the rows. The total is added up in 128
//! bits. A million rows take about a second.

use rusqlite::types::ValueRef;

use super::{Campaign, LedgerError, file};
use crate::plan::PlanDigest;
use crate::row::{LedgerDigest, Row};

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

/// The two tables that hold rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// The first count of each unit.
    Ledger,
    /// Every further count of a unit.
    Recount,
}

/// A row and the check value stored with it; `None` when a column has a type that
/// was never written.
pub(crate) type Checked = Option<(Row, String)>;

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
        let audit = self.audit_plan().and_then(|()| self.audit_ledger());
        let _ = snapshot.finish();
        audit
    }

    /// Checks everything and insists that no unit is missing.
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
        Ok(audit)
    }

    /// The units whose rows do not fit their check values.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn altered(&self) -> Result<Vec<u64>, LedgerError> {
        let mut altered = Vec::new();
        self.each_row(Table::Ledger, |unit, row| -> Result<(), LedgerError> {
            if self.fits(unit, row).is_err() {
                altered.push(unit);
            }
            Ok(())
        })?;
        Ok(altered)
    }

    fn audit_plan(&self) -> Result<(), LedgerError> {
        let info = self.info();
        let mut digest = PlanDigest::new(info.n, &info.algorithm);
        let (mut units, mut next) = (0, 0);
        let mut whole = true;
        let mut walk = || -> rusqlite::Result<()> {
            let mut plan = self
                .db
                .prepare("SELECT unit, first, last, cost FROM plan ORDER BY unit")?;
            let mut rows = plan.query([])?;
            while let Some(r) = rows.next()? {
                let p = super::planned(r)?;
                whole &= p.unit == units && p.first == next && p.last >= p.first;
                digest.add(p.unit, p.first, p.last);
                (units, next) = (units + 1, p.last.wrapping_add(1));
            }
            Ok(())
        };
        walk().map_err(|e| self.explain(e))?;
        whole &= units == info.units && next == info.engine_units;
        if whole && digest.finish() == info.plan_digest {
            return Ok(());
        }
        Err(self.damaged("its plan was altered after it was made"))
    }

    fn audit_ledger(&self) -> Result<Audit, LedgerError> {
        let info = self.info();
        let mut digest = LedgerDigest::new(&info.plan_digest);
        let (mut done, mut total) = (0_u64, 0_u128);
        self.each_row(Table::Ledger, |unit, row| {
            let row = self.fits(unit, row)?;
            if unit >= info.units {
                return Err(self.damaged(&format!(
                    "it has a row for unit {unit}, which is not in its plan"
                )));
            }
            digest.add(unit, row.count);
            done += 1;
            total += u128::from(row.count);
            Ok(())
        })?;
        self.undisputed()?;
        let kept = self.progress()?.units;
        if kept != done {
            return Err(self.damaged(&format!(
                "it has {done} rows where its sums say {kept}; `queens campaign prune --damaged` \
                 computes the sums anew"
            )));
        }
        Ok(Audit {
            units: info.units,
            done,
            total,
            digest: digest.finish(),
        })
    }

    /// Calls `visit` for every row of the ledger or of the recounts, in order of units.
    pub(crate) fn each_row<E: From<LedgerError>>(
        &self,
        table: Table,
        mut visit: impl FnMut(u64, Checked) -> Result<(), E>,
    ) -> Result<(), E> {
        let explain = |e| file::explain(&self.path, e);
        let mut all = self
            .db
            .prepare(match table {
                Table::Ledger => "SELECT * FROM ledger ORDER BY unit",
                Table::Recount => "SELECT * FROM recount ORDER BY unit, started, check_value",
            })
            .map_err(explain)?;
        let mut rows = all.query([]).map_err(explain)?;
        while let Some(r) = rows.next().map_err(explain)? {
            let unit = r.get("unit").map_err(explain)?;
            visit(unit, checked_row(r).map_err(explain)?)?;
        }
        Ok(())
    }

    /// The row, if it fits its check value.
    pub(crate) fn fits(&self, unit: u64, row: Checked) -> Result<Row, LedgerError> {
        match row {
            Some((row, check)) if row.check_value(&self.info.plan_digest) == check => Ok(row),
            _ => Err(LedgerError::Altered {
                path: self.path.clone(),
                unit,
            }),
        }
    }

    fn damaged(&self, why: &str) -> LedgerError {
        LedgerError::Damaged {
            path: self.path.clone(),
            why: why.to_owned(),
        }
    }
}

/// Reads a row of `ledger` with its check value. What cannot be read is an altered
/// row, not a failure of the reader.
pub(super) fn checked_row(r: &rusqlite::Row<'_>) -> rusqlite::Result<Checked> {
    Ok(match (plain_row(r), r.get_ref("check_value")?) {
        (Ok(row), ValueRef::Text(check)) => std::str::from_utf8(check)
            .ok()
            .map(|check| (row, check.to_owned())),
        _ => None,
    })
}

/// Reads the columns that `ledger` and `recount` share.
pub(super) fn plain_row(r: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        unit: r.get("unit")?,
        count: r.get("count")?,
        device: r.get("device")?,
        program: r.get("program")?,
        started: r.get("started")?,
        seconds: r.get("seconds")?,
    })
}
