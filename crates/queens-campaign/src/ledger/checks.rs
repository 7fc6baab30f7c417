//! What the recounts on record show: who has checked whom, and how much of a campaign.
//!
//! A unit is checked if it was counted again with the same count. A recount by the worker that
//! counted it first is no check, nor is one by the same code on the same machine under another
//! name. `campaign result` says how many units each device has checked. `campaign status --checks`
//! says how many units of each class were checked, by which code, and how many on another day than
//! the first count.
//!
//! Whether the file itself is sound is another question; see [`audit`](super::audit).

use std::collections::{BTreeMap, BTreeSet};

use super::campaign::Campaign;
use super::error::LedgerError;
use crate::device_name::{code, independent, same_device};
use crate::text::{LONGEST_NAME, plain};

/// The recounts on record that agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recounted {
    /// Units counted again at least once.
    pub units: u64,
    /// Each device, and how many units it counted again.
    pub by_device: Vec<(String, u64)>,
}

/// The checks of some units of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Units in the plan.
    pub units: u64,
    /// Units with a row.
    pub done: u64,
    /// The sum of their counts.
    pub sum: u128,
    /// Units counted again at least once, with the same count.
    pub again: u64,
    /// Those of them that were counted again on another day.
    pub another_day: u64,
    /// How many units each code counted again: `cpu-avx512`, `backtracking`.
    pub by_code: BTreeMap<String, u64>,
}

/// A recount that confirms a row of the ledger.
struct Agreeing {
    unit: u64,
    /// The unit's first engine unit.
    first: u64,
    device: String,
    /// Whether it was made on another day than the row.
    another_day: bool,
}

impl Campaign {
    /// Calls `each` with every recount on record that agrees with its unit's row, in order of
    /// units.
    ///
    /// Leaves out recounts that verify nothing: those by the worker that counted the unit first,
    /// and those by the same device under any name; see [`independent`] and [`same_device`].
    fn each_agreeing(&self, each: &mut dyn FnMut(Agreeing)) -> rusqlite::Result<()> {
        let mut all = self.db.prepare(
            "SELECT r.unit, r.device, l.device, r.started, l.started, p.first
             FROM recount r JOIN ledger l ON l.unit = r.unit JOIN plan p ON p.unit = r.unit
             WHERE r.count = l.count ORDER BY r.unit",
        )?;
        let mut rows = all.query([])?;
        while let Some(r) = rows.next()? {
            let (second, first): (String, String) = (r.get(1)?, r.get(2)?);
            if !independent(&first, &second) || same_device(&first, &second) {
                continue;
            }
            let (again, before): (String, String) = (r.get(3)?, r.get(4)?);
            each(Agreeing {
                unit: r.get(0)?,
                first: r.get(5)?,
                device: second,
                // The day is the part of a time before its `T`.
                another_day: again.split('T').next() != before.split('T').next(),
            });
        }
        Ok(())
    }

    /// How many units were counted again with the same count, and by which devices.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn recounted(&self) -> Result<Recounted, LedgerError> {
        let mut units = BTreeSet::new();
        let mut by_device = BTreeMap::<String, BTreeSet<u64>>::new();
        self.each_agreeing(&mut |recount| {
            units.insert(recount.unit);
            let name = plain(&recount.device, LONGEST_NAME);
            by_device.entry(name).or_default().insert(recount.unit);
        })
        .map_err(|e| self.explain(e))?;
        let mut by_device: Vec<_> = by_device
            .into_iter()
            .map(|(device, units)| (device, units.len() as u64))
            .collect();
        by_device.sort_by_key(|&(_, units)| std::cmp::Reverse(units));
        Ok(Recounted {
            units: units.len() as u64,
            by_device,
        })
    }

    /// The checks by groups of units. `group` gives the group of an engine unit; a unit of the plan
    /// belongs to the group of its first engine unit.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn checks(&self, group: &dyn Fn(u64) -> u32) -> Result<BTreeMap<u32, Checks>, LedgerError> {
        let read = || -> rusqlite::Result<BTreeMap<u32, Checks>> {
            let mut groups = BTreeMap::<u32, Checks>::new();
            self.each_planned(&mut |first, count| {
                let checks = groups.entry(group(first)).or_default();
                checks.units += 1;
                if let Some(count) = count {
                    checks.done += 1;
                    checks.sum += u128::from(count);
                }
            })?;
            // For each unit: its first engine unit, whether it was counted again on another day,
            // and by which codes.
            let mut again = BTreeMap::<u64, (u64, bool, BTreeSet<String>)>::new();
            self.each_agreeing(&mut |recount| {
                let unit = again.entry(recount.unit).or_default();
                unit.0 = recount.first;
                unit.1 |= recount.another_day;
                unit.2.insert(plain(code(&recount.device), LONGEST_NAME));
            })?;
            for (first, another_day, codes) in again.into_values() {
                let checks = groups.entry(group(first)).or_default();
                checks.again += 1;
                checks.another_day += u64::from(another_day);
                for code in codes {
                    *checks.by_code.entry(code).or_default() += 1;
                }
            }
            Ok(groups)
        };
        read().map_err(|e| self.explain(e))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Access;
    use super::*;
    use crate::row::Row;
    use queens::count::two_colour;

    #[test]
    fn checks_are_told_apart_by_class_code_and_day_and_nobody_checks_himself() {
        let name = format!("queens-checks-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let units = two_colour::units(14).unwrap();
        Campaign::create(&path, &units, units.len()).unwrap();
        let mut campaign = Campaign::open(&path, Access::Write).unwrap();
        let row = |unit, device: &str, day: &str| {
            Row::fresh(unit, 1, device, format!("2026-11-{day}T23:59:59Z"), 1.0)
        };
        let rows: Vec<Row> = (0..6).map(|unit| row(unit, "box/gpu0", "16")).collect();
        campaign.record(&rows).unwrap();
        for (unit, device, day) in [
            (0, "box/backtracking", "16"),
            (5, "box/cpu-avx512", "16"),
            (5, "tower/cpu-avx512", "17"),
            (5, "box/backtracking", "18"),
            (4, "box/gpu0", "17"),
            (4, "ada@box/gpu0", "17"),
        ] {
            campaign.record_recount(&row(unit, device, day)).unwrap();
        }
        let checks = campaign.checks(&|unit| units.class(unit)).unwrap();
        let all: Vec<u32> = (0..units.len()).map(|unit| units.class(unit)).collect();
        for (&class, found) in &checks {
            let of_class = |range: std::ops::Range<u64>| {
                range.filter(|&unit| units.class(unit) == class).count() as u64
            };
            let again = [0, 5].iter().filter(|&&u| units.class(u) == class);
            assert_eq!(found.units, of_class(0..units.len()), "{all:?}");
            assert_eq!(found.done, of_class(0..6));
            assert_eq!(found.sum, u128::from(found.done));
            assert_eq!(found.again, again.count() as u64);
        }
        let by = |class: u32, code: &str| checks[&class].by_code.get(code).copied();
        let (first, sixth) = (units.class(0), units.class(5));
        assert_ne!(first, sixth);
        assert_eq!(checks[&first].another_day, 0);
        assert_eq!(checks[&sixth].another_day, 1);
        assert_eq!(by(first, "backtracking"), Some(1));
        assert_eq!(by(sixth, "backtracking"), Some(1));
        assert_eq!(by(sixth, "cpu-avx512"), Some(1));
        assert_eq!(by(sixth, "gpu0"), None);
        let recounted = campaign.recounted().unwrap();
        assert_eq!(recounted.units, 2);
        assert_eq!(
            recounted.by_device,
            [
                ("box/backtracking".to_owned(), 2),
                ("box/cpu-avx512".to_owned(), 1),
                ("tower/cpu-avx512".to_owned(), 1),
            ]
        );
        drop(campaign);
        std::fs::remove_file(path).unwrap();
    }
}
