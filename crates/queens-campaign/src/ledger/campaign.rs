//! An open campaign file: planning it, opening it, and reading its plan.
//!
//! A [`Campaign`] is the connection to the file, together with the fixed facts that were read when
//! it was opened. The files below this one in the folder's table add methods for rows, claims and
//! recounts. They change the file only in [`Campaign::write`]: one transaction that excludes other
//! writers, and that is refused if the file was opened only for reading.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, named_params, params};

use super::error::LedgerError;
use super::file::{self, Access};
use super::info::Info;
use crate::clock;
use crate::plan::{self, Cut, PlanDigest, Planned};
use crate::world::{Fault, Machine, World, random};

/// An open campaign file.
pub struct Campaign {
    pub(super) db: Connection,
    pub(super) path: PathBuf,
    pub(super) info: Info,
    pub(super) access: Access,
    pub(super) world: Arc<dyn World>,
}

impl Campaign {
    /// Plans a campaign of at most `want` units and writes it to a new file.
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
    /// When this program cannot use the file as a campaign; the file is then left as it was.
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

    /// The machine that the campaign is used on.
    #[cfg(feature = "nats")]
    pub(crate) fn world(&self) -> &dyn World {
        &*self.world
    }

    /// Uses the file as if on another machine.
    #[cfg(all(test, feature = "nats"))]
    pub(crate) fn set_world(&mut self, world: Arc<dyn World>) {
        self.world = world;
    }

    /// Stops waiting for the disk: a simulation does not need it.
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

    /// Makes sure that the plan's units mean what this program's units mean.
    ///
    /// # Errors
    ///
    /// When the plan is for another algorithm.
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

    /// Reads something small that nobody can do without. Waits long enough for whoever holds the
    /// file, even if the caller's patience is short.
    pub(super) fn patiently<T>(
        &self,
        read: impl Fn() -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        let begun = Instant::now();
        loop {
            match read().map_err(|e| self.explain(e)) {
                Err(LedgerError::Busy(_)) if begun.elapsed() < file::PATIENCE => {}
                other => return other,
            }
        }
    }

    /// Runs `work` in one transaction that excludes other writers.
    pub(super) fn write<T>(
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
            // Only the thread that owns the campaign uses the connection, and no other transaction
            // is open here.
            let tx =
                rusqlite::Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
            let value = work(self, &tx)?;
            tx.commit()?;
            Ok(value)
        };
        run().map_err(|e| self.explain(e))
    }

    pub(super) fn no_such_unit(&self, unit: u64) -> LedgerError {
        LedgerError::NoSuchUnit {
            path: self.path.clone(),
            unit,
            last: self.info.units - 1,
        }
    }

    pub(super) fn damaged(&self, why: &str) -> LedgerError {
        LedgerError::Damaged {
            path: self.path.clone(),
            why: why.to_owned(),
        }
    }

    pub(super) fn explain(&self, error: rusqlite::Error) -> LedgerError {
        file::explain(&self.path, error)
    }
}

impl Drop for Campaign {
    fn drop(&mut self) {
        if self.access == Access::Write {
            // Removes the empty journal beside the file. If another process is writing, the journal
            // stays and does no harm.
            let _ = self.db.pragma_update(None, "journal_mode", "DELETE");
        }
    }
}

/// Reads a row of `plan`: unit, first and last engine unit, and cost, in this order.
pub(super) fn planned(r: &rusqlite::Row<'_>) -> rusqlite::Result<Planned> {
    Ok(Planned {
        unit: r.get(0)?,
        first: r.get(1)?,
        last: r.get(2)?,
        cost: r.get(3)?,
    })
}
