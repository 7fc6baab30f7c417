//! Counting random units again.
//!
//! A check value shows that a row was not altered after it was written. It cannot show that the
//! device counted right, but recounting can. A random share of the units is counted again by
//! backtracking or two-colour-plain, which share no code with the engine, or by other vector code.
//! Every recount goes on record. The first one that differs stops the campaign and names both
//! counts.
//!
//! If a share p of the rows were wrong, k random recounts would all miss them with probability
//! (1 - p)^k. So 300 agreeing recounts show with 95 % confidence that fewer than 1 % of the units
//! are wrong. [`bound`] computes that figure.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use queens::random::Random;

use crate::crew::{Crew, Event};
use crate::device::Device;
use crate::ledger::{Campaign, LedgerError};
use crate::plan::Planned;
use crate::row::Row;
use crate::runner::RunError;
use crate::world::random;

/// The largest share of wrong units that is still possible at 95 % confidence after `checked`
/// agreeing recounts out of `units`, if they were drawn at random.
pub fn bound(checked: u64, units: u64) -> f64 {
    match checked {
        0 => 1.0,
        checked if checked >= units => 0.0,
        checked => 1.0 - 0.05_f64.powf(1.0 / checked as f64),
    }
}

/// How units are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// The share of the finished units.
    pub share: f64,
    /// Whether a unit's chance is proportional to its expected cost.
    pub by_cost: bool,
}

/// Draws finished units at random, at least one if there is any, each with the device that counted
/// it. `skip` is called for every recount on record with the device that counted the unit first and
/// the one that counted it again. If it returns true for any, the unit is not drawn. Use `skip`
/// only on a file of your own: in a stranger's file those names prove nothing.
///
/// # Errors
///
/// When the file cannot be read.
pub fn sample(
    campaign: &Campaign,
    draw: Draw,
    skip: &dyn Fn(&str, &str) -> bool,
) -> Result<Vec<(Planned, String)>, LedgerError> {
    let (done, drawn) = campaign.done_with_devices(skip)?;
    let want = ((done as f64 * draw.share).ceil() as usize).clamp(1, drawn.len().max(1));
    let mut random = Random::new(random());
    let mut keyed = Vec::with_capacity(drawn.len());
    for (unit, device) in drawn {
        let planned = campaign.planned(unit)?;
        // Each unit gets an exponential time, and the smallest times are drawn. The rate is its cost,
        // or 1 for all units: the chance of being first is proportional to the rate.
        let time = -(1.0 - random.share()).ln();
        let key = match draw.by_cost {
            true => time / planned.cost.max(1) as f64,
            false => time,
        };
        keyed.push((key, planned, device));
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    keyed.truncate(want);
    Ok(keyed
        .into_iter()
        .map(|(_, p, device)| (p, device))
        .collect())
}

/// What a recount found.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What the ledger says.
    pub ledger: Row,
    /// What the recount found.
    pub recount: Row,
}

/// How a verification ended.
#[derive(Clone, Debug)]
pub enum Verified {
    /// All recounts agree.
    Agreed,
    /// It was asked to stop early; the recounts made so far agree.
    Stopped,
    /// A recount differs.
    Differs(Box<Difference>),
}

/// Counts units again and compares the counts. Tells `news` of every unit that agrees.
///
/// The recounts go on record if the campaign is open for writing.
///
/// # Errors
///
/// When the file cannot be used, no device is left, or the counts of another unit differ.
pub fn verify(
    campaign: &mut Campaign,
    units: &[Planned],
    devices: Vec<Box<dyn Device>>,
    stop: &AtomicBool,
    news: &mut dyn FnMut(&Row),
) -> Result<Verified, RunError> {
    let mut difference = None;
    let finished = recount(units, devices, stop, &mut |row| {
        let unit = row.unit;
        let Some(ledger) = campaign.row(unit)? else {
            // Its row was dropped after it was chosen.
            return Ok(true);
        };
        if campaign.is_writable() {
            campaign.record_recount(&row)?;
        }
        if ledger.count == row.count {
            news(&row);
            return Ok(true);
        }
        let recount = row;
        difference = Some(Difference { ledger, recount });
        Ok(false)
    })?;
    if let Some(difference) = difference {
        return Ok(Verified::Differs(Box::new(difference)));
    }
    // Another process may have found two counts that differ.
    campaign.undisputed()?;
    Ok(match finished {
        true => Verified::Agreed,
        false => Verified::Stopped,
    })
}

/// Counts units outside of any claim, and passes each row to `each` until it returns `false`.
/// Returns whether all units were counted.
///
/// # Errors
///
/// Those of `each`, or when no device is left.
pub fn recount(
    units: &[Planned],
    devices: Vec<Box<dyn Device>>,
    stop: &AtomicBool,
    each: &mut dyn FnMut(Row) -> Result<bool, LedgerError>,
) -> Result<bool, RunError> {
    let (tell, events) = mpsc::channel();
    let crew = Crew::start(devices, move |event| {
        let _ = tell.send(event);
    });
    crew.give(units.iter().copied());
    let mut left = units.len();
    let mut lost = String::new();
    while left > 0 {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        match events.recv_timeout(Duration::from_millis(50)) {
            Ok(Event::Counted(row)) => {
                left -= 1;
                if !each(row)? {
                    return Ok(false);
                }
            }
            Ok(Event::Begun { .. } | Event::Progress(_)) => {}
            Ok(Event::Failed {
                units, device, why, ..
            }) => {
                lost = format!("{device}: {why}");
                crew.give(units);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(RunError::NoDevice(lost)),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use queens::count::two_colour::{self, Simd};

    use super::*;
    use crate::device::Cpu;
    use crate::ledger::Access;

    #[test]
    fn units_do_not_all_agree_while_others_differ() {
        let id = std::process::id();
        let path = std::env::temp_dir().join(format!("queens-verify-{id}"));
        Campaign::create(&path, &two_colour::units(12).unwrap(), 8).unwrap();
        let mut campaign = Campaign::open(&path, Access::Write).unwrap();
        let never = AtomicBool::new(false);
        let mut cpu = Cpu::new(12, Simd::Auto).unwrap();
        let planned = [0, 1].map(|unit| campaign.planned(unit).unwrap());
        for unit in &planned {
            let count = cpu.count(unit, &never).unwrap().unwrap();
            let row = |count| Row::fresh(unit.unit, count, "box/cpu", crate::clock::now(), 1.0);
            campaign.record(&[row(count)]).unwrap();
            if unit.unit == 1 {
                assert!(!campaign.record_recount(&row(count + 1)).unwrap());
            }
        }
        let outcome = verify(
            &mut campaign,
            &planned[..1],
            vec![Box::new(cpu)],
            &never,
            &mut |_| {},
        );
        drop(campaign);
        std::fs::remove_file(&path).unwrap();
        let disputed = matches!(
            outcome,
            Err(RunError::Ledger(LedgerError::Disputed { unit: 1, .. }))
        );
        assert!(disputed, "{outcome:?}");
    }

    #[test]
    fn the_bound_goes_from_all_units_to_none() {
        assert_eq!(bound(0, 1_000), 1.0);
        assert_eq!(bound(1_000, 1_000), 0.0);
        assert!((0.009..0.01).contains(&bound(300, 1_000)));
        assert!((1..1_000).all(|k| bound(k, 1_000) < bound(k - 1, 1_000)));
    }
}
