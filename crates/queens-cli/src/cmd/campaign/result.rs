//! `queens campaign result FILE`.

use std::path::PathBuf;
use std::process::ExitCode;

use queens::json::Object;
use queens_campaign::ledger::{Access, Campaign};
use queens_campaign::verify::bound;

use crate::support::out::Out;

/// Print the count, the checks made and a digest of the ledger
///
/// Refuses while a unit is missing, altered or in dispute, and where the total is not the
/// published one. What it says of recounts rests on what the file has on record: whoever does not
/// trust the maker of the file runs `queens campaign verify`. Two campaigns with one plan
/// that agree on every unit have the same digest.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign result q24.campaign
  queens campaign result q24.campaign --json")]
pub struct Args {
    /// The campaign
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    print(&Campaign::open(&args.file, Access::Read)?, args.json)
}

/// Prints the result of a complete campaign.
pub fn print(campaign: &Campaign, as_json: bool) -> anyhow::Result<ExitCode> {
    let audit = campaign.result()?;
    let info = campaign.info();
    let recounted = campaign.recounted()?;
    let mut out = Out::stdout();
    if as_json {
        let recounts = recounted
            .by_device
            .iter()
            .map(|(device, units)| Object::new().set("device", device).set("units", *units));
        let object = Object::new()
            .set("n", info.n)
            // A string: the count may exceed what JSON readers hold exactly.
            .set("count", audit.total.to_string())
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
                "all {units} units counted again and all agree, by the records of this file: no \
                 unit is left unchecked"
            ),
            checked => format!(
                "{checked} units counted again and all agree, by the records of this file: if they \
                 were drawn at random, at most {} % of the units are wrong (95 % confidence)",
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
            out.line(&format!("               {units} units by {device}"))?;
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

/// A bound on a share in percent, rounded up to two digits: a bound that is rounded down holds no
/// longer.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let decimals = (1.0 - percent.log10().floor()).max(0.0);
    let scale = 10_f64.powf(decimals);
    // What a product is off by is no reason to round up.
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
