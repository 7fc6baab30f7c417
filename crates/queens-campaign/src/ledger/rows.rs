//! Reading rows back, and recognising altered ones.
//!
//! A file has two tables of rows: `ledger` holds the first count of each unit, and `recount` every
//! further one. Each row has a check value over its other columns; see [`crate::row`]. A row is
//! believed if it fits its check value and every value in it is one that a program could have
//! written. A column of a wrong type means that the row was altered; it does not make reading fail.
//!
//! Lists that choose units or show progress are read without computing check values. A result
//! always comes from an [`audit`](super::audit), which checks every row.

use rusqlite::OptionalExtension;
use rusqlite::types::ValueRef;

use super::campaign::Campaign;
use super::error::LedgerError;
use super::file;
use crate::row::{self, Row};

/// The two tables that hold rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// The first count of each unit.
    Ledger,
    /// Every further count of a unit.
    Recount,
}

/// A row and the check value stored with it; `None` if a column has a type that no program wrote.
pub(crate) type Checked = Option<(Row, String)>;

impl Campaign {
    /// The ledger's row of a unit, if there is one.
    ///
    /// # Errors
    ///
    /// When there is no such unit, or its row was altered.
    pub fn row(&self, unit: u64) -> Result<Option<Row>, LedgerError> {
        if unit >= self.info.units {
            return Err(self.no_such_unit(unit));
        }
        let found = self.patiently(|| {
            self.db
                .prepare_cached("SELECT * FROM ledger WHERE unit = ?1")?
                .query_row([unit], checked_row)
                .optional()
        })?;
        found.map(|row| self.fits(unit, row)).transpose()
    }

    /// The further counts of a unit.
    #[cfg(feature = "nats")]
    pub(crate) fn recounts_of(&self, unit: u64) -> Result<Vec<Row>, LedgerError> {
        self.patiently(|| {
            self.db
                .prepare_cached("SELECT * FROM recount WHERE unit = ?1")?
                .query_map([unit], plain_row)?
                .collect()
        })
    }

    /// The units whose device in the ledger has this name, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn units_of_device(&self, device: &str) -> Result<Vec<u64>, LedgerError> {
        self.db
            .prepare("SELECT unit FROM ledger WHERE device = ?1 ORDER BY unit")
            .and_then(|mut s| s.query_map([device], |r| r.get(0))?.collect())
            .map_err(|e| self.explain(e))
    }

    /// The units in the ledger that a device with this name counted, in order, and how many seconds
    /// each took.
    pub(crate) fn times_of_device(&self, device: &str) -> Result<Vec<(u64, f64)>, LedgerError> {
        self.db
            .prepare("SELECT unit, seconds FROM ledger WHERE device = ?1 ORDER BY unit")
            .and_then(|mut s| {
                s.query_map([row::name_on_record(device)], |r| {
                    Ok((r.get(0)?, r.get(1)?))
                })?
                .collect()
            })
            .map_err(|e| self.explain(e))
    }

    /// The units in the ledger, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn done(&self) -> Result<Vec<u64>, LedgerError> {
        self.db
            .prepare("SELECT unit FROM ledger ORDER BY unit")
            .and_then(|mut s| s.query_map([], |r| r.get(0))?.collect())
            .map_err(|e| self.explain(e))
    }

    /// The number of units in the ledger, and a list of units with their devices. The list leaves
    /// out units with a recount for which `skip` returns true; see [`crate::verify::sample`].
    pub(crate) fn done_with_devices(
        &self,
        skip: &dyn Fn(&str, &str) -> bool,
    ) -> Result<(u64, Vec<(u64, String)>), LedgerError> {
        let read = || -> rusqlite::Result<(u64, Vec<(u64, String)>)> {
            let mut all = self.db.prepare(
                "SELECT l.unit, l.device, r.device FROM ledger l
                 LEFT JOIN recount r ON r.unit = l.unit ORDER BY l.unit",
            )?;
            let mut rows = all.query([])?;
            let mut done: Vec<(u64, String, bool)> = Vec::new();
            while let Some(r) = rows.next()? {
                let (unit, first): (u64, String) = (r.get(0)?, r.get(1)?);
                let again: Option<String> = r.get(2)?;
                let known = again.is_some_and(|again| skip(&first, &again));
                match done.last_mut() {
                    Some(last) if last.0 == unit => last.2 |= known,
                    _ => done.push((unit, first, known)),
                }
            }
            let number = done.len() as u64;
            let rest = done.into_iter().filter(|d| !d.2);
            Ok((number, rest.map(|(unit, first, _)| (unit, first)).collect()))
        };
        read().map_err(|e| self.explain(e))
    }

    /// Calls `each` with the first engine unit of every plan unit, in order, and its count if it is
    /// done.
    pub(super) fn each_planned(
        &self,
        each: &mut dyn FnMut(u64, Option<u64>),
    ) -> rusqlite::Result<()> {
        let mut all = self.db.prepare(
            "SELECT p.first, l.count FROM plan p LEFT JOIN ledger l ON l.unit = p.unit
             ORDER BY p.unit",
        )?;
        let mut rows = all.query([])?;
        while let Some(r) = rows.next()? {
            each(r.get(0)?, r.get(1)?);
        }
        Ok(())
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
            let unit: i64 = r.get("unit").map_err(explain)?;
            let Ok(unit) = u64::try_from(unit) else {
                let why = format!(
                    "it has a row for unit {unit}, which no plan has; \
                     `queens campaign prune --damaged` drops it"
                );
                return Err(self.damaged(&why).into());
            };
            visit(unit, checked_row(r).map_err(explain)?)?;
        }
        Ok(())
    }

    /// The row, if it fits its check value.
    pub(crate) fn fits(&self, unit: u64, row: Checked) -> Result<Row, LedgerError> {
        match row {
            Some((row, check))
                if row.check_value(&self.info.plan_digest) == check && row.trouble().is_none() =>
            {
                Ok(row)
            }
            _ => Err(LedgerError::Altered {
                path: self.path.clone(),
                unit,
            }),
        }
    }
}

/// Reads a row of `ledger` or `recount` with its check value. A row that cannot be read counts as
/// altered; it does not make reading fail.
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
