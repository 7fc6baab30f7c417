//! Claims: how processes that work on one file share the units.
//!
//! A process joins and then takes turns. A turn is one transaction: it records what the process's
//! devices have finished, renews its heartbeat, and claims as many units as it needs. A unit is
//! handed out only if it has neither a row nor a claim; the primary key of the claim table makes it
//! impossible that two processes hold one unit. The claims of a process that is gone (see
//! [`crate::process`]) are freed when others run out of units, or earlier. A process that lives,
//! but whose device has hung, frees the device's units itself.
//!
//! Every process walks the plan from its own starting point in steps of a fixed stride, not from
//! the front. Units get harder or easier along the plan, so the scattered sample makes the time
//! left realistic from the first minute.

use rusqlite::{Connection, params};

use super::campaign::{Campaign, planned};
use super::error::LedgerError;
use super::processes::lives;
use super::record::Recorded;
use crate::defence::Defence;
use crate::plan::Planned;
use crate::process::Identity;
use crate::row::Row;
use crate::world::World;

/// A process that has joined a campaign.
pub struct Member {
    id: i64,
    role: String,
    identity: Identity,
    walk: Walk,
}

/// What one turn brought.
#[derive(Debug, Default)]
pub struct Turn {
    /// The units this process may count now.
    pub claimed: Vec<Planned>,
    /// What became of each recorded row.
    pub recorded: Vec<Recorded>,
    /// Units in the ledger after this turn.
    pub done: u64,
    /// Expected cost of the rows that this turn recorded.
    pub cost: u64,
    /// Units that other processes have claimed.
    pub elsewhere: u64,
    /// Nothing could be claimed, because every unit that this process may count has a row.
    pub nothing_left: bool,
    /// Two counts of a unit that differ, if there are any: [`LedgerError::Disputed`].
    pub dispute: Option<LedgerError>,
}

impl Campaign {
    /// Joins the campaign as a process that will claim units.
    ///
    /// # Errors
    ///
    /// When another machine is at work on the file, or it cannot be written.
    pub fn join(&mut self, role: &str) -> Result<Member, LedgerError> {
        self.join_for(role, None)
    }

    /// Joins the campaign as a process that will claim only the units in `only`, or any if it is
    /// `None`.
    ///
    /// # Errors
    ///
    /// As for [`Campaign::join`].
    pub fn join_for(&mut self, role: &str, only: Option<&[u64]>) -> Result<Member, LedgerError> {
        let identity = self.world.me();
        self.nobody_elsewhere()?;
        let done = self.done()?;
        let walk = Walk::new(self.info().units, only, &done, self.world.random());
        let mut member = Member {
            id: 0,
            role: role.to_owned(),
            identity,
            walk,
        };
        member.id = self.write(|campaign, db| {
            bury(db, &member.identity, &*campaign.world)?;
            enter(db, None, &member, campaign.world.seconds())
        })?;
        Ok(member)
    }

    /// Records rows, renews the heartbeat and claims up to `want` units.
    ///
    /// The rows are on disk when this returns.
    ///
    /// # Errors
    ///
    /// When the file cannot be written. Two differing counts are no error here, because the rows
    /// are recorded and units are claimed all the same; they are reported in [`Turn::dispute`].
    pub fn turn(
        &mut self,
        member: &mut Member,
        rows: &[Row],
        want: usize,
    ) -> Result<Turn, LedgerError> {
        self.admissible(rows)?;
        let id = member.id;
        let turn = self.write(|campaign, db| {
            let now = campaign.world.seconds();
            let recorded = campaign.record_in(db, rows)?;
            let mut cost = 0_u64;
            for row in rows {
                member.walk.finished(row.unit);
                cost += db
                    .prepare_cached("SELECT cost FROM plan WHERE unit = ?1")?
                    .query_row([row.unit], |r| r.get::<_, u64>(0))?;
            }
            let known = db
                .prepare_cached(
                    "UPDATE process SET heartbeat = ?2, units = units + ?3, cost = cost + ?4
                     WHERE id = ?1",
                )?
                .execute(params![id, now, rows.len(), cost])?;
            if known == 0 && Defence::Rejoining.stands() {
                // It slept so long that others gave it up and freed its claims. Under its old
                // number it would claim units that nobody could ever free.
                enter(db, Some(id), member, now)?;
            }
            let sum = "SELECT ifnull(sum(units), 0) FROM tally";
            let done: u64 = db.prepare_cached(sum)?.query_row([], |r| r.get(0))?;
            let walk = &mut member.walk;
            let mut claimed = claim(db, id, walk, want)?;
            if claimed.is_empty() && want > 0 && done < walk.units {
                // Perhaps a dead process holds the remaining units, or a unit was dropped from the
                // ledger since this process last looked.
                bury(db, &member.identity, &*campaign.world)?;
                walk.look_again(db)?;
                claimed = claim(db, id, walk, want)?;
            }
            let nothing_left = claimed.is_empty() && want > 0 && walk.is_over();
            let elsewhere = db
                .prepare_cached("SELECT count(*) FROM claim WHERE process <> ?1")?
                .query_row([id], |r| r.get(0))?;
            // Read within this transaction: a separate read could find the file locked after the
            // claims are made.
            let disputed: bool = db
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM recount WHERE agrees = 0)")?
                .query_row([], |r| r.get(0))?;
            let turn = Turn {
                claimed,
                recorded,
                done,
                cost,
                elsewhere,
                nothing_left,
                dispute: None,
            };
            Ok((turn, disputed))
        })?;
        let (mut turn, disputed) = turn;
        if disputed {
            turn.dispute = self.undisputed_so_far().err();
        }
        Ok(turn)
    }

    /// Claims particular units and returns those that were neither done nor claimed.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn claim_these(
        &mut self,
        member: &Member,
        units: &[u64],
    ) -> Result<Vec<Planned>, LedgerError> {
        self.write(|campaign, db| {
            units
                .iter()
                .filter(|&&unit| unit < campaign.info.units)
                .map(|&unit| take(db, member.id, unit))
                .filter_map(Result::transpose)
                .collect()
        })
    }

    /// Frees units that this process claimed and will not count.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn give_up(&mut self, member: &Member, units: &[u64]) -> Result<(), LedgerError> {
        self.write(|_, db| {
            let mut free =
                db.prepare_cached("DELETE FROM claim WHERE unit = ?1 AND process = ?2")?;
            for unit in units {
                free.execute(params![unit, member.id])?;
            }
            Ok(())
        })
    }

    /// Leaves the campaign and frees the units that are claimed but not finished.
    ///
    /// # Errors
    ///
    /// When the file cannot be written; the claims are then freed by others.
    pub fn leave(&mut self, member: &Member) -> Result<(), LedgerError> {
        self.write(|_, db| remove(db, member.id))
    }
}

/// Claims units for a process along its walk.
fn claim(db: &Connection, id: i64, walk: &mut Walk, want: usize) -> rusqlite::Result<Vec<Planned>> {
    let mut claimed = Vec::with_capacity(want);
    let mut steps = 0;
    while claimed.len() < want && steps < walk.units {
        steps += 1;
        let unit = walk.next();
        if !walk.skips(unit) {
            claimed.extend(take(db, id, unit)?);
        }
    }
    Ok(claimed)
}

/// Claims a unit for a process, if it is neither done nor claimed.
fn take(db: &Connection, id: i64, unit: u64) -> rusqlite::Result<Option<Planned>> {
    let new = db
        .prepare_cached(
            "INSERT INTO claim SELECT ?1, ?2
             WHERE NOT EXISTS (SELECT 1 FROM ledger WHERE unit = ?1) ON CONFLICT DO NOTHING",
        )?
        .execute(params![unit, id])?;
    if new == 0 {
        return Ok(None);
    }
    db.prepare_cached("SELECT unit, first, last, cost FROM plan WHERE unit = ?1")?
        .query_row([unit], planned)
        .map(Some)
}

/// Enters a process in the table, under its old number or a new one; returns the number.
fn enter(db: &Connection, id: Option<i64>, member: &Member, now: u64) -> rusqlite::Result<i64> {
    let (me, role) = (&member.identity, &member.role);
    db.execute(
        "INSERT INTO process (id, host, boot, namespace, pid, birth, role, since, heartbeat,
             units, cost) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 0, 0)",
        params![
            id,
            me.host,
            me.boot,
            me.namespace,
            me.pid,
            me.birth,
            role,
            now
        ],
    )?;
    Ok(db.last_insert_rowid())
}

/// Removes the processes that are gone with their claims, and claims that belong to no process.
fn bury(db: &Connection, me: &Identity, world: &dyn World) -> rusqlite::Result<()> {
    let now = world.seconds();
    let gone: Vec<i64> = db
        .prepare_cached("SELECT * FROM process")?
        .query_map([], |r| {
            Ok((!lives(r, now, me, world)).then_some(r.get("id")?))
        })?
        .filter_map(Result::transpose)
        .collect::<rusqlite::Result<_>>()?;
    gone.into_iter().try_for_each(|id| remove(db, id))?;
    if !Defence::Rejoining.stands() {
        return Ok(());
    }
    db.prepare_cached("DELETE FROM claim WHERE process NOT IN (SELECT id FROM process)")?
        .execute([])?;
    Ok(())
}

fn remove(db: &Connection, id: i64) -> rusqlite::Result<()> {
    db.execute("DELETE FROM claim WHERE process = ?1", [id])?;
    db.execute("DELETE FROM process WHERE id = ?1", [id])?;
    Ok(())
}

/// A walk over all units in a scattered order. It skips units known to be done and units that are
/// for other processes.
struct Walk {
    units: u64,
    stride: u64,
    at: u64,
    finished: Bits,
    for_others: Bits,
}

impl Walk {
    fn new(units: u64, only: Option<&[u64]>, done: &[u64], seed: u64) -> Walk {
        // A stride near the golden section visits all parts of the plan evenly from the start. It
        // has no common divisor with the number of units, so it meets every unit.
        let mut stride = ((units as f64 * 0.618_033_988_75) as u64).max(1);
        while gcd(stride, units) != 1 {
            stride += 1;
        }
        Walk {
            units,
            stride,
            at: seed % units.max(1),
            finished: Bits::of(units, done.iter().copied()),
            for_others: match only {
                None => Bits::of(units, []),
                Some(only) => {
                    let only = Bits::of(units, only.iter().copied());
                    Bits::of(units, (0..units).filter(|&unit| !only.has(unit)))
                }
            },
        }
    }

    fn next(&mut self) -> u64 {
        let unit = self.at;
        self.at = (self.at + self.stride) % self.units;
        unit
    }

    fn finished(&mut self, unit: u64) {
        self.finished.set(unit);
    }

    fn skips(&self, unit: u64) -> bool {
        self.finished.has(unit) || self.for_others.has(unit)
    }

    /// Whether no unit is left.
    fn is_over(&self) -> bool {
        (0..self.units).all(|unit| self.skips(unit))
    }

    fn look_again(&mut self, db: &Connection) -> rusqlite::Result<()> {
        let mut done = db.prepare_cached("SELECT unit FROM ledger")?;
        let done: Vec<u64> = done
            .query_map([], |r| r.get(0))?
            .collect::<Result<_, _>>()?;
        self.finished = Bits::of(self.units, done);
        Ok(())
    }
}

/// A set of units, one bit for each.
struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// The set of some of the plan's units; other numbers are ignored.
    fn of(units: u64, members: impl IntoIterator<Item = u64>) -> Bits {
        let mut bits = Bits {
            words: vec![0; units.div_ceil(64) as usize],
        };
        members.into_iter().for_each(|unit| bits.set(unit));
        bits
    }

    fn set(&mut self, unit: u64) {
        if let Some(word) = self.words.get_mut((unit / 64) as usize) {
            *word |= 1 << (unit % 64);
        }
    }

    fn has(&self, unit: u64) -> bool {
        self.words[(unit / 64) as usize] >> (unit % 64) & 1 == 1
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_meets_every_unit_once_whatever_their_number() {
        for units in 1..200 {
            let mut walk = Walk::new(units, None, &[], 77);
            let mut seen: Vec<u64> = (0..units).map(|_| walk.next()).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..units).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_walk_for_some_units_skips_the_others_and_ends_without_them() {
        let mut walk = Walk::new(100, Some(&[3, 70, 99, 1_000]), &[70], 5);
        let left: Vec<u64> = (0..100).filter(|&unit| !walk.skips(unit)).collect();
        assert_eq!(left, [3, 99]);
        walk.finished(3);
        assert!(!walk.is_over());
        walk.finished(99);
        assert!(walk.is_over());
    }
}
