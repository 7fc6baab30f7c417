//! Counting random units again.
//!
//! A check value shows that a row was not altered after it was written; it cannot
//! show that the device counted right. Recounting can: a random share of the units
//! is counted again, by backtracking, which shares no code with the engine, or by
//! another device. Every recount goes on record, and the first one that differs
//! stops the campaign and names both.
//!
//! If a share p of the rows were wrong, k random recounts would all miss them with
//! probability (1 - p)^k: 300 agreeing recounts say with 95 % confidence that fewer
//! than 1 % of the units are wrong. [`bound`] gives that figure.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use queens::random::Random;

use crate::crew::{Crew, Event};
use crate::device::Device;
use crate::ledger::{Campaign, LedgerError, file};
use crate::plan::Planned;
use crate::row::Row;
use crate::runner::RunError;

/// The largest share of wrong units that `checked` agreeing recounts out of `units`
/// leave possible at 95 % confidence.
pub fn bound(checked: u64, units: u64) -> f64 {
    if checked >= units {
        return 0.0;
    }
    1.0 - 0.05_f64.powf(1.0 / checked.max(1) as f64)
}

/// How units are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// The share of the finished units.
    pub share: f64,
    /// Whether the chance of a unit is in proportion to its expected cost.
    pub by_cost: bool,
}

/// Draws finished units at random, at least one if there is any, each with the device that
/// counted it. Units are left out for which `before` finds, among the devices that counted them
/// again, one that makes another recount pointless: that is for one's own file, since in a
/// stranger's those names prove nothing.
///
/// # Errors
///
/// When the file cannot be read.
pub fn sample(
    campaign: &Campaign,
    draw: Draw,
    before: &dyn Fn(&str, &str) -> bool,
) -> Result<Vec<(Planned, String)>, LedgerError> {
    let (done, drawn) = campaign.done_with_devices(before)?;
    let want = ((done as f64 * draw.share).ceil() as usize).clamp(1, drawn.len().max(1));
    let mut random = Random::new(file::random());
    let mut keyed = Vec::with_capacity(drawn.len());
    for (unit, device) in drawn {
        let planned = campaign.planned(unit)?;
        // The smallest of exponential times: those with rates in proportion to the costs
        // come first with chances in proportion to the costs.
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

/// The code of a device, without the machine: `cpu-avx512`, `backtracking`.
pub fn code(device: &str) -> &str {
    device.rsplit_once('/').map_or(device, |(_, code)| code)
}

/// What a recount found.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What the ledger says.
    pub ledger: Row,
    /// What was counted now.
    pub recount: Row,
}

/// How a verification ended.
#[derive(Clone, Debug)]
pub enum Verified {
    /// All recounts agree.
    Agreed,
    /// It was asked to stop before the end; the recounts made so far agree.
    Stopped,
    /// A recount differs.
    Differs(Box<Difference>),
}

/// Counts units again and compares. `news` is told of every unit that agrees.
///
/// The recounts are put on record if the campaign is open for writing.
///
/// # Errors
///
/// When the file cannot be used or no device is left.
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
            // Its row was dropped since it was chosen.
            return Ok(true);
        };
        match if campaign.is_writable() {
            campaign.record_recount(&row)
        } else {
            Ok(())
        } {
            Ok(()) | Err(LedgerError::Disputed { .. }) => {}
            Err(other) => return Err(other),
        }
        if ledger.count == row.count {
            news(&row);
            return Ok(true);
        }
        let recount = row;
        difference = Some(Difference { ledger, recount });
        Ok(false)
    })?;
    Ok(match difference {
        Some(difference) => Verified::Differs(Box::new(difference)),
        None if finished => Verified::Agreed,
        None => Verified::Stopped,
    })
}

/// Counts units outside of any claim, and hands each row to `each` until it says
/// `false`. Returns whether all units were counted.
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
