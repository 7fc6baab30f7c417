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
            checked => format!(
                "{checked} units counted again and all agree, by the records of this file: at most \
                 {:.1} % of the units could be wrong (95 % confidence)",
                100.0 * bound(checked, units)
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
