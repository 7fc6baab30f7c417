//! What a server of workers keeps in the file: whom to believe, and what it refused.
//!
//! A worker's rows name it before an `@` in the device. Rows and recounts therefore show how often
//! each worker was checked by somebody else, so a server that is killed and started again knows as
//! much as before. The table `desk` keeps what rows cannot show; it is made when a file is first
//! served. It holds the secret from which tickets are made, the workers that were shut out, and the
//! results that were refused.

// Without the queue nobody writes here, but what was written is still shown.
#![cfg_attr(not(feature = "nats"), allow(dead_code))]

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};

use super::campaign::Campaign;
use super::error::LedgerError;
use super::schema;
use crate::device_name::{independent, worker_of};
use crate::text::plain;

/// What a worker did, and how much of it somebody else has checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Units in the ledger that it counted.
    pub units: u64,
    /// Those that somebody else counted again with the same count.
    pub checked: u64,
    /// Those that nobody else has counted again.
    pub unchecked: Vec<u64>,
    /// Those that the machine with the file, not a worker, has counted again.
    pub own: u64,
    /// Those that this machine has not counted again.
    pub unseen: Vec<u64>,
}

/// The fewest units of a worker that the server's own machine counts again in addition to its
/// first, if it has counted that many.
pub const FEWEST_CHECKS: u64 = 2;

impl Standing {
    /// How many units of a worker the server's own machine must have counted again at the end.
    pub fn fewest(&self) -> u64 {
        self.units.min(1 + FEWEST_CHECKS)
    }
}

/// The most refused results whose reasons are kept.
pub(crate) const MOST_WORDS: u64 = 20;

impl Campaign {
    /// The secret of this campaign's servers, made at the first request.
    pub(crate) fn secret(&mut self) -> Result<String, LedgerError> {
        let (high, low) = (self.world.random(), self.world.random());
        let fresh = format!("{high:016x}{low:016x}");
        self.write(|_, db| {
            db.execute_batch(schema::DESK)?;
            db.execute(
                "INSERT INTO desk VALUES ('secret', '', ?1) ON CONFLICT DO NOTHING",
                [&fresh],
            )?;
            let sql = "SELECT value FROM desk WHERE topic = 'secret'";
            db.query_row(sql, [], |r| r.get(0))
        })
    }

    /// Drops everything that a worker counted, and remembers why it is shut out. Returns the units
    /// that are missing now.
    pub(crate) fn shut_out(&mut self, worker: &str, why: &str) -> Result<Vec<u64>, LedgerError> {
        self.write(|_, db| {
            db.execute_batch(schema::DESK)?;
            db.execute(
                "INSERT INTO desk VALUES ('shut out', ?1, ?2) ON CONFLICT DO NOTHING",
                [worker, &plain(why, 300)],
            )?;
            // The name and an `@`, which no name contains.
            let whose = "substr(device, 1, length(?1) + 1) = ?1 || '@'";
            let dropped = db
                .prepare(&format!(
                    "SELECT unit FROM ledger WHERE {whose} ORDER BY unit"
                ))?
                .query_map([worker], |r| r.get(0))?
                .collect::<rusqlite::Result<Vec<u64>>>()?;
            db.execute(&format!("DELETE FROM ledger WHERE {whose}"), [worker])?;
            db.execute(&format!("DELETE FROM recount WHERE {whose}"), [worker])?;
            db.execute_batch(schema::REBUILD_RECOUNTS)?;
            db.execute_batch(schema::REBUILD_TALLY)?;
            Ok(dropped)
        })
    }

    /// The workers that were shut out, and why.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn shut_outs(&self) -> Result<BTreeMap<String, String>, LedgerError> {
        let all = self.of_desk("shut out")?;
        Ok(all.into_iter().collect())
    }

    /// Notes that this many more results were refused, and why the last of them were.
    pub(crate) fn note_refusals(&mut self, more: u64, why: &[String]) -> Result<(), LedgerError> {
        self.write(|_, db| {
            db.execute_batch(schema::DESK)?;
            let number: u64 = db
                .query_row(
                    "SELECT value FROM desk WHERE topic = 'refused' AND name = 'number'",
                    [],
                    |r| r.get::<_, String>(0),
                )
                .optional()?
                .and_then(|text| text.parse().ok())
                .unwrap_or(0);
            let mut put = db.prepare(
                "INSERT INTO desk VALUES ('refused', ?1, ?2)
                 ON CONFLICT DO UPDATE SET value = excluded.value",
            )?;
            let after = number.saturating_add(more);
            put.execute(params!["number", after.to_string()])?;
            for (at, why) in why.iter().rev().take(MOST_WORDS as usize).enumerate() {
                let place = after.saturating_sub(at as u64 + 1) % MOST_WORDS;
                put.execute(params![format!("{place:02}"), plain(why, 300)])?;
            }
            Ok(())
        })
    }

    /// How many results were refused, and why the last ones were.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn refusals(&self) -> Result<(u64, Vec<String>), LedgerError> {
        let mut number = 0;
        let mut words = Vec::new();
        for (name, value) in self.of_desk("refused")? {
            match name.as_str() {
                "number" => number = value.parse().unwrap_or(0),
                _ => words.push(value),
            }
        }
        Ok((number, words))
    }

    fn of_desk(&self, topic: &str) -> Result<Vec<(String, String)>, LedgerError> {
        let read = || -> rusqlite::Result<_> {
            let there = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'desk')";
            if !self.db.query_row(there, [], |r| r.get(0))? {
                return Ok(Vec::new());
            }
            self.db
                .prepare("SELECT name, value FROM desk WHERE topic = ?1 ORDER BY name LIMIT 10000")?
                .query_map([topic], |r| {
                    let (name, value): (String, String) = (r.get(0)?, r.get(1)?);
                    Ok((plain(&name, 100), plain(&value, 300)))
                })?
                .collect()
        };
        read().map_err(|e| self.explain(e))
    }

    /// For every worker, how much of its work somebody else has checked. The empty name stands for
    /// the units that were counted without a worker.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn standings(&self) -> Result<BTreeMap<String, Standing>, LedgerError> {
        let mut standings = BTreeMap::<String, Standing>::new();
        let mut read = || -> rusqlite::Result<()> {
            let mut all = self.db.prepare(
                "SELECT l.unit, l.device, r.device FROM ledger l
                 LEFT JOIN recount r ON r.unit = l.unit AND r.count = l.count ORDER BY l.unit",
            )?;
            let mut rows = all.query([])?;
            let mut last: Option<(u64, String, bool, bool)> = None;
            let mut close = |unit: Option<(u64, String, bool, bool)>| {
                if let Some((unit, device, checked, own)) = unit {
                    let name = worker_of(&device).unwrap_or_default().to_owned();
                    let standing = standings.entry(name).or_default();
                    standing.units += 1;
                    match checked {
                        true => standing.checked += 1,
                        false => standing.unchecked.push(unit),
                    }
                    match own {
                        true => standing.own += 1,
                        false => standing.unseen.push(unit),
                    }
                }
            };
            while let Some(r) = rows.next()? {
                let unit: u64 = r.get(0)?;
                let device: String = r.get(1)?;
                let second: Option<String> = r.get(2)?;
                let own = second.as_ref().is_some_and(|s| worker_of(s).is_none());
                let checked = second.is_some_and(|second| independent(&device, &second));
                match &mut last {
                    Some(same) if same.0 == unit => {
                        same.2 |= checked;
                        same.3 |= own;
                    }
                    _ => close(last.replace((unit, device, checked, own))),
                }
            }
            close(last);
            Ok(())
        };
        read().map_err(|e| self.explain(e))?;
        Ok(standings)
    }
}
