//! Who is at work on the file.
//!
//! Every process that claims units has a row in the table `process`: its machine, its number there,
//! and the second of its last turn. From this [`crate::process`] decides whether it may still be
//! alive. Processes on one machine share a file by its locks. Between machines locks are not
//! reliable, so [`Campaign::nobody_elsewhere`] lets only one machine work on a file.
//!
//! This file only reads the rows. `claims` writes them, and removes those of processes that are
//! gone.

use super::campaign::Campaign;
use super::error::LedgerError;
use crate::process::Identity;
use crate::text::{LONGEST_NAME, plain};
use crate::world::World;

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
    /// Who is at work now.
    pub(super) fn processes_in(&self) -> rusqlite::Result<Vec<Active>> {
        let (now, me) = (self.world.seconds(), self.world.me());
        self.db
            .prepare_cached("SELECT * FROM process ORDER BY id")?
            .query_map([], |r| {
                if !lives(r, now, &me, &*self.world) {
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

    /// Fails while a process on another machine is at work on the file: locks do not work reliably
    /// across machines, but a queue does.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Elsewhere`], or when the file cannot be read.
    pub fn nobody_elsewhere(&self) -> Result<(), LedgerError> {
        let me = self.world.me();
        let foreign = |p: &Active| p.boot != me.boot && p.host != me.host;
        let processes = self.processes_in().map_err(|e| self.explain(e))?;
        match processes.into_iter().find(foreign) {
            Some(other) => Err(LedgerError::Elsewhere {
                path: self.path.clone(),
                host: other.host,
            }),
            None => Ok(()),
        }
    }
}

/// Whether the process in a row of `process` may still be at work. A row that cannot be read was
/// written by no process.
pub(super) fn lives(r: &rusqlite::Row<'_>, now: u64, me: &Identity, world: &dyn World) -> bool {
    match (identity(r), r.get("heartbeat")) {
        (Ok(identity), Ok(heartbeat)) => {
            identity.may_live(heartbeat, now, me, &|pid| world.birth(pid))
        }
        _ => false,
    }
}

/// The identity in a row of `process`.
fn identity(r: &rusqlite::Row<'_>) -> rusqlite::Result<Identity> {
    Ok(Identity {
        host: r.get("host")?,
        boot: r.get("boot")?,
        namespace: r.get("namespace")?,
        pid: r.get("pid")?,
        birth: r.get("birth")?,
    })
}
