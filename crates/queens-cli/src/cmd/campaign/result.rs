//! `queens campaign result FILE`.

use std::path::PathBuf;
use std::process::ExitCode;

use queens::json::Object;
use queens_campaign::ledger::audit::Audit;
use queens_campaign::ledger::{Access, Campaign};
use queens_campaign::verify::bound;

use crate::support::kind::Classes;
use crate::support::noun::counted;
use crate::support::out::Out;
use crate::support::progress::{Progress, When};
use crate::support::stop;

/// Print the count, the checks made and a digest of the ledger
///
/// Refuses while a unit is missing, altered or in dispute, and where the total is not the
/// published one. What it says of recounts rests on what the file has on record: whoever does not
/// trust the maker of the file runs `queens campaign verify`. Two campaigns with one plan
/// that agree on every unit have the same digest.
///
/// With --symmetry the solutions that a turn of the board leaves unchanged are counted, too. The
/// others come in classes of eight, so only one total in eight can be right beside them, and any
/// other one is refused. That takes some minutes for N = 28.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign result q24.campaign
  queens campaign result q24.campaign --symmetry
  queens campaign result q24.campaign --json")]
pub struct Args {
    /// The campaign
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Count symmetric solutions, check the total with them, and print the fundamental solutions
    #[arg(long)]
    symmetry: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let campaign = Campaign::open(&args.file, Access::Read)?;
    let audit = campaign.result()?;
    let classes = match args.symmetry {
        true => Some(classes(&campaign, audit.total)?),
        false => None,
    };
    show(&campaign, &audit, classes.as_ref(), args.json)
}

fn classes(campaign: &Campaign, total: u128) -> anyhow::Result<Classes> {
    let stop = stop::on_interrupt()?;
    let progress = Progress::start("symmetric solutions", When::Terminal);
    let n = campaign.info().n as usize;
    Classes::of_all(n, total, &stop, |share| progress.set_share(share))
}

/// Prints the result of a complete campaign.
pub fn print(campaign: &Campaign, as_json: bool) -> anyhow::Result<ExitCode> {
    show(campaign, &campaign.result()?, None, as_json)
}

fn show(
    campaign: &Campaign,
    audit: &Audit,
    classes: Option<&Classes>,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let info = campaign.info();
    let recounted = campaign.recounted()?;
    let mut out = Out::stdout();
    if as_json {
        let recounts = recounted
            .by_device
            .iter()
            .map(|(device, units)| Object::new().set("device", device).set("units", *units));
        let mut object = Object::new()
            .set("n", info.n)
            // A string: the count may exceed what JSON readers hold exactly.
            .set("count", audit.total.to_string());
        if let Some(classes) = classes {
            object = object
                .set("fundamental", classes.fundamental.to_string())
                .set("half_turn", classes.half_turn)
                .set("quarter_turn", classes.quarter_turn);
        }
        let object = object
            .set("units", audit.units)
            .set("done", audit.done)
            .set("recounted_units", recounted.units)
            .list("recounts", recounts)
            .set("ledger_digest", &audit.digest)
            .set("plan_digest", &info.plan_digest)
            .set("algorithm", &info.algorithm)
            .set("campaign", &info.id);
        out.line(&object.end())?;
    } else {
        let units = audit.units;
        let recounts = match recounted.units {
            0 => "none; `queens campaign verify` makes them".to_owned(),
            checked if checked >= units => format!(
                "all {} counted again and all agree, by the records of this file: no unit is left \
                 unchecked",
                counted(units, "unit")
            ),
            checked => format!(
                "{} counted again and all agree, by the records of this file: if the draw was \
                 random, at most {} % of the units are wrong (95 % confidence)",
                counted(checked, "unit"),
                percent(bound(checked, units))
            ),
        };
        out.text(&format!(
            "solutions      {}\n\
             queens         {}\n\
             units          {units} of {units} done, every check value fits\n\
             recounts       {recounts}\n",
            audit.total, info.n
        ))?;
        for (device, units) in &recounted.by_device {
            out.line(&format!(
                "               {} by {device}",
                counted(*units, "unit")
            ))?;
        }
        if let Some(classes) = classes {
            out.text(&format!(
                "fundamental    {}\n\
                 unchanged      {} by a half turn, {} by a quarter turn; the total fits them\n",
                classes.fundamental, classes.half_turn, classes.quarter_turn
            ))?;
        }
        out.text(&format!(
            "ledger digest  {}\n\
             plan digest    {}\n\
             algorithm      {}\n",
            audit.digest, info.plan_digest, info.algorithm
        ))?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// A bound on a share, in percent, rounded up to two digits: rounded down, it would be no bound.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let decimals = (1.0 - percent.log10().floor()).max(0.0);
    let scale = 10_f64.powf(decimals);
    // The product's own rounding error must not push it up to the next digit.
    let rounded = (percent * scale - 1e-9).ceil() / scale;
    format!("{rounded:.*}", decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_rounded_up_and_never_to_nothing() {
        for (share, shown) in [
            (1.0, "100"),
            (0.6316, "64"),
            (0.5, "50"),
            (0.12, "12"),
            (0.00954, "0.96"),
            (0.00123, "0.13"),
            (0.000_010_1, "0.0011"),
        ] {
            assert_eq!(percent(share), shown);
        }
    }
}
