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
mod checks;
pub mod claims;
pub mod desk;
mod error;
pub mod file;
mod info;
mod schema;
mod suggest;

use std::ops::Add;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, named_params, params};

pub use checks::{Checks, Recounted};

use crate::clock;
use crate::plan::{self, Cut, PlanDigest, Planned};
use crate::row::Row;
use crate::text::{LONGEST_NAME, plain};
use crate::world::{Fault, Machine, World, random};
pub use error::LedgerError;
pub use file::{Access, MAGIC};
pub use info::Info;
pub use suggest::Suggested;

/// An open campaign file.
pub struct Campaign {
    db: Connection,
    path: PathBuf,
    info: Info,
    access: Access,
    world: Arc<dyn World>,
}

/// What became of one recorded row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It is in the ledger.
    New,
    /// The ledger or the recounts had this very row already.
    Again,
    /// The ledger had the same count from another device or run; kept as a recount.
    Agrees,
    /// The ledger had another count; kept as a recount, and the unit is disputed.
    Differs,
}

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
    /// Plans a campaign and writes it to a new file, at most `want` units.
    ///
    /// The file appears under its name only when it is complete.
    ///
    /// # Errors
    ///
    /// When the file exists or cannot be written.
    pub fn create(path: &Path, cut: &dyn Cut, want: u64) -> Result<Info, LedgerError> {
        file::create(path, |db| {
            let n = cut.n();
            let mut digest = PlanDigest::new(n, cut.algorithm());
            let (mut units, mut cost, mut engine_units) = (0_u64, 0_u64, 0_u64);
            {
                let mut insert = db.prepare("INSERT INTO plan VALUES (?1, ?2, ?3, ?4)")?;
                for p in plan::group(cut, want) {
                    insert.execute(params![p.unit, p.first, p.last, p.cost])?;
                    digest.add(p.unit, p.first, p.last);
                    (units, cost, engine_units) = (units + 1, cost + p.cost, p.last + 1);
                }
            }
            let mut info = Info {
                id: format!("n{n}-{:08x}", random() as u32),
                n,
                algorithm: cut.algorithm().to_owned(),
                program: crate::PROGRAM.to_owned(),
                created: clock::now(),
                units,
                cost,
                engine_units,
                plan_digest: digest.finish(),
            };
            info.id = info.checked_id(&info.id);
            db.execute(
                "INSERT INTO campaign VALUES
                 (:id, :n, :algorithm, :program, :created, :units, :cost, :engine_units, :digest)",
                named_params! {
                    ":id": info.id, ":n": info.n, ":algorithm": info.algorithm,
                    ":program": info.program, ":created": info.created, ":units": info.units,
                    ":cost": info.cost, ":engine_units": info.engine_units,
                    ":digest": info.plan_digest,
                },
            )?;
            Ok(info)
        })
    }

    /// Opens a campaign for reading or writing.
    ///
    /// # Errors
    ///
    /// When the file is not a campaign this program can use; it is then left as it was.
    pub fn open(path: &Path, access: Access) -> Result<Campaign, LedgerError> {
        let db = file::open(path, access)?;
        let read = || -> rusqlite::Result<Vec<Info>> {
            let mut facts = db.prepare("SELECT * FROM campaign LIMIT 2")?;
            let facts = facts.query_map([], |r| {
                Ok(Info {
                    id: r.get("id")?,
                    n: r.get("n")?,
                    algorithm: r.get("algorithm")?,
                    program: r.get("program")?,
                    created: r.get("created")?,
                    units: r.get("units")?,
                    cost: r.get("cost")?,
                    engine_units: r.get("engine_units")?,
                    plan_digest: r.get("plan_digest")?,
                })
            })?;
            facts.collect()
        };
        let mut facts = read().map_err(|e| file::explain(path, e))?;
        let last: Option<u64> = db
            .query_row("SELECT max(unit) FROM plan", [], |r| r.get(0))
            .map_err(|e| file::explain(path, e))?;
        let sound = facts.len() == 1 && facts[0].is_sound(last);
        let Some(info) = facts.pop().filter(|_| sound) else {
            return Err(LedgerError::Damaged {
                path: path.to_owned(),
                why: "the facts about the campaign do not fit its identifier or its plan"
                    .to_owned(),
            });
        };
        Ok(Campaign {
            db,
            path: path.to_owned(),
            info,
            access,
            world: Arc::new(Machine),
        })
    }

    /// Sets how long to wait for another process's commit before giving up with
    /// [`LedgerError::Busy`].
    ///
    /// # Errors
    ///
    /// Only if SQLite refuses the setting.
    pub fn set_patience(&self, patience: std::time::Duration) -> Result<(), LedgerError> {
        self.db.busy_timeout(patience).map_err(|e| self.explain(e))
    }

    /// The machine it is used on.
    #[cfg(feature = "nats")]
    pub(crate) fn world(&self) -> &dyn World {
        &*self.world
    }

    /// Uses the file as if on another machine.
    #[cfg(all(test, feature = "nats"))]
    pub(crate) fn set_world(&mut self, world: Arc<dyn World>) {
        self.world = world;
    }

    /// Stops waiting for the disk, which a simulation does not need.
    #[cfg(all(test, feature = "nats"))]
    pub(crate) fn be_careless(&self) -> rusqlite::Result<()> {
        self.db.pragma_update(None, "journal_mode", "MEMORY")?;
        self.db.pragma_update(None, "synchronous", "OFF")
    }

    /// The fixed facts.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file was opened for writing.
    pub fn is_writable(&self) -> bool {
        self.access == Access::Write
    }

    /// Makes sure that this program's units mean what the plan's units mean.
    ///
    /// # Errors
    ///
    /// When the algorithm of the plan is another one.
    pub fn require_algorithm(&self, ours: &str) -> Result<(), LedgerError> {
        if self.info.algorithm == ours {
            return Ok(());
        }
        Err(LedgerError::OtherAlgorithm {
            path: self.path.clone(),
            theirs: self.info.algorithm.clone(),
            ours: ours.to_owned(),
            program: self.info.program.clone(),
        })
    }

    /// The plan unit with this number.
    ///
    /// # Errors
    ///
    /// When there is no such unit.
    pub fn planned(&self, unit: u64) -> Result<Planned, LedgerError> {
        if unit >= self.info.units {
            return Err(self.no_such_unit(unit));
        }
        self.patiently(|| {
            self.db
                .prepare_cached("SELECT unit, first, last, cost FROM plan WHERE unit = ?1")?
                .query_row([unit], planned)
                .optional()
        })?
        .ok_or_else(|| self.no_such_unit(unit))
    }

    /// Reads a little, and waits long enough for whoever holds the file, however short the
    /// patience of the caller is: nobody can do without what is read here.
    fn patiently<T>(&self, read: impl Fn() -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        let begun = Instant::now();
        loop {
            match read().map_err(|e| self.explain(e)) {
                Err(LedgerError::Busy(_)) if begun.elapsed() < file::PATIENCE => {}
                other => return other,
            }
        }
    }

    /// The ledger's row of a unit, if it is there.
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
                .query_row([unit], audit::checked_row)
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
                .query_map([unit], audit::plain_row)?
                .collect()
        })
    }

    /// Records rows outside of any claim, as a worker far away counted them.
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

    /// Records all rows; or none, and returns the place of the first row that
    /// differs from the ledger together with the ledger's own row.
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
                    .query_row([row.unit], audit::plain_row)
                    .optional()?;
                match known {
                    Some(known) if known.count != row.count => {
                        difference = Some((at, Box::new(known)));
                        // Any error takes the whole transaction back.
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

    /// Refuses rows that the ledger cannot hold.
    fn admissible(&self, rows: &[Row]) -> Result<(), LedgerError> {
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

    fn record_in(&self, db: &Connection, rows: &[Row]) -> rusqlite::Result<Vec<Recorded>> {
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

    /// Puts a second count of a unit on record, as `verify` makes them, and returns whether it
    /// agrees with the ledger.
    ///
    /// # Errors
    ///
    /// When the file cannot be written or has no row of the unit.
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

    /// Puts a recount on record unless it is there already; returns how many rows are new.
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

    /// Fails while two counts of a unit differ.
    ///
    /// The counts themselves are compared, whatever the recounts say of themselves.
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

    /// As [`Campaign::undisputed`], in a time that does not depend on the number of recounts:
    /// it relies on what the recounts say of themselves, which every audit checks.
    pub(crate) fn undisputed_so_far(&self) -> Result<(), LedgerError> {
        self.disputed_where("SELECT * FROM recount WHERE agrees = 0 LIMIT 1")
    }

    fn disputed_where(&self, sql: &str) -> Result<(), LedgerError> {
        let second = self
            .db
            .prepare_cached(sql)
            .and_then(|mut s| s.query_row([], audit::checked_row).optional())
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
            // The sums are kept by triggers that trust the rows; an altered row
            // may have left its share under another name.
            db.execute_batch(schema::REBUILD_TALLY)?;
            Ok(dropped)
        })
    }

    /// Puts a fresh row in the place of whatever was known about its unit.
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

    /// The units of the ledger whose device has this name, in order.
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

    /// How many units are in the ledger, and those of them, with their devices, that `skip` does
    /// not leave out; see [`crate::verify::sample`].
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

    /// Runs `work` in one transaction that excludes other writers.
    fn write<T>(
        &mut self,
        work: impl FnOnce(&Campaign, &Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        if self.access == Access::Read {
            return Err(LedgerError::ReadOnly(self.path.clone()));
        }
        match self.world.disk() {
            None => {}
            Some(Fault::Locked) => return Err(LedgerError::Busy(self.path.clone())),
            Some(Fault::Full) => return Err(LedgerError::Full(self.path.clone())),
        }
        let run = || {
            // The connection is only ever used from the thread that owns the
            // campaign, and no other transaction is open here.
            let tx =
                rusqlite::Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
            let value = work(self, &tx)?;
            tx.commit()?;
            Ok(value)
        };
        run().map_err(|e| self.explain(e))
    }

    fn no_such_unit(&self, unit: u64) -> LedgerError {
        LedgerError::NoSuchUnit {
            path: self.path.clone(),
            unit,
            last: self.info.units - 1,
        }
    }

    fn explain(&self, error: rusqlite::Error) -> LedgerError {
        file::explain(&self.path, error)
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

impl Drop for Campaign {
    fn drop(&mut self) {
        if self.access == Access::Write {
            // Removes the empty journal beside the file. If another process is
            // writing, the journal stays and does no harm.
            let _ = self.db.pragma_update(None, "journal_mode", "DELETE");
        }
    }
}

fn planned(r: &rusqlite::Row<'_>) -> rusqlite::Result<Planned> {
    Ok(Planned {
        unit: r.get(0)?,
        first: r.get(1)?,
        last: r.get(2)?,
        cost: r.get(3)?,
    })
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn stretches_that_overlap_are_counted_once() {
        assert_eq!(union(vec![]), 0.0);
        assert_eq!(union(vec![(5.0, 6.0), (0.0, 2.0), (1.0, 3.0)]), 4.0);
        assert_eq!(union(vec![(0.0, 9.0), (1.0, 2.0), (8.0, 10.0)]), 10.0);
    }
}
