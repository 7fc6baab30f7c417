//! `queens campaign prune` and `queens campaign redo`: units dropped and counted again.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use queens::json::Object;
use queens_campaign::ledger::Access;
use queens_campaign::verify;

use super::units::{Units, expand, units};
use super::{DeviceArgs, STOPPED};
use crate::support::out::Out;
use crate::support::stop;

/// Drop units from the ledger, so that the next run counts them again
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign prune q24.campaign 17 40-49
  queens campaign prune q24.campaign --device ada/cpu-avx512
  queens campaign prune q24.campaign --damaged
  queens campaign prune q24.campaign 17 --json")]
pub struct PruneArgs {
    /// The campaign
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Units to drop: numbers and ranges
    #[arg(value_name = "UNIT", value_parser = units)]
    units: Vec<Units>,

    /// Drop everything that this device counted
    #[arg(long, value_name = "NAME")]
    device: Option<String>,

    /// Drop every row and recount that does not fit its check value
    #[arg(long)]
    damaged: bool,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Count units again now and put the new counts in place of the old ones
///
/// The old row stays until the new count is there. A count that differs from the old one
/// is reported.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign redo q24.campaign 17
  queens campaign redo q24.campaign 40-49 --json")]
pub struct RedoArgs {
    /// The campaign
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Units to count again: numbers and ranges
    #[arg(value_name = "UNIT", value_parser = units, required = true)]
    units: Vec<Units>,

    #[command(flatten)]
    devices: DeviceArgs,

    /// Print one JSON object per unit
    #[arg(long)]
    json: bool,
}

pub fn prune(args: PruneArgs) -> anyhow::Result<ExitCode> {
    ensure!(
        !args.units.is_empty() || args.device.is_some() || args.damaged,
        "nothing to drop: name units, --device or --damaged"
    );
    let mut campaign = super::open_to_write(&args.file)?;
    let mut all = expand(&campaign, &args.units)?;
    if let Some(device) = &args.device {
        all.extend(campaign.units_of_device(device)?);
    }
    let mut dropped = 0;
    if args.damaged {
        dropped += campaign.drop_impossible()?;
        all.extend(campaign.altered()?);
    }
    all.sort_unstable();
    all.dedup();
    dropped += campaign.prune(&all)?;
    let recounts = match args.damaged {
        true => Some(campaign.drop_altered_recounts()?),
        false => None,
    };
    let mut out = Out::stdout();
    if args.json {
        let object = Object::new()
            .set("units_dropped", dropped)
            .set("recounts_dropped", recounts)
            .set("done", campaign.progress()?.units)
            .set("units", campaign.info().units);
        out.line(&object.end())?;
    } else {
        out.line(&format!("units dropped: {dropped}"))?;
        if let Some(recounts) = recounts {
            out.line(&format!("recounts dropped: {recounts}"))?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

pub fn redo(args: RedoArgs) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let mut campaign = super::open_to_count(&args.file, Access::Write)?;
    campaign.audit_before_counting()?;
    let all = expand(&campaign, &args.units)?;
    let planned = all
        .iter()
        .map(|&unit| campaign.planned(unit))
        .collect::<Result<Vec<_>, _>>()?;
    let devices = args.devices.open(campaign.info().n)?;
    let mut out = Out::stdout();
    let finished = verify::recount(&planned, devices, &stop, &mut |row| {
        // An altered row has no count worth comparing with.
        let old = campaign.row(row.unit).ok().flatten();
        campaign.replace(&row)?;
        let (unit, count) = (row.unit, row.count);
        let line = match old {
            old if args.json => Object::new()
                .set("unit", unit)
                .set("count", count)
                .set("device", &row.device)
                .set("old_count", old.as_ref().map(|old| old.count))
                .set("old_device", old.map(|old| old.device))
                .end(),
            None => format!("unit {unit}: {count}"),
            Some(old) if old.count == count => format!("unit {unit}: {count}, as before"),
            Some(old) => format!(
                "unit {unit}: {count}, where {} had counted {}",
                old.device, old.count
            ),
        };
        // The recount is safe; a closed pipe shows itself when the output is finished.
        let _ = out.line(&line);
        Ok(true)
    })?;
    out.finish()?;
    Ok(ExitCode::from(if finished { 0 } else { STOPPED }))
}
