//! `queens campaign new N FILE`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use queens::count::two_colour;
use queens::json::Object;
use queens_campaign::ledger::Campaign;
use queens_campaign::plan;

use crate::support::noun::counted;
use crate::support::out::Out;
use crate::support::size;

/// Plan a campaign: write a new file with all units and an empty ledger
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign new 24 q24.campaign
  queens campaign new 26 q26.campaign --units 100000")]
pub struct Args {
    /// Size of the board, 1 to 32
    #[arg(value_name = "N", value_parser = size::board_size)]
    n: usize,

    /// The file to write; it must not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Cut the count into at most this many units
    ///
    /// With more units, a power failure loses less and the work spreads better over many
    /// machines; with fewer, the file is smaller. By default a unit takes one core under a
    /// tenth of a second at N = 20, and about half a minute at N = 28. At most 4,000,000.
    #[arg(long, value_name = "K", value_parser = size::amount)]
    units: Option<u64>,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let cut = two_colour::units(args.n).with_context(|| {
        let largest = two_colour::LARGEST_N;
        format!("a campaign can count N from 1 to {largest}, not {}", args.n)
    })?;
    let want = args
        .units
        .unwrap_or_else(|| plan::default_units(args.n as u32));
    ensure!(want > 0, "a plan needs at least one unit");
    let most = plan::MAX_UNITS;
    ensure!(want <= most, "a plan has at most {most} units, not {want}");
    let info = Campaign::create(&args.file, &cut, want)?;
    let mut out = Out::stdout();
    let file = args.file.display();
    out.line(&match args.json {
        true => Object::new()
            .set("campaign", &info.id)
            .set("n", args.n)
            .set("units", info.units)
            .set("file", file.to_string())
            .end(),
        false => format!(
            "{}: {} planned in {file}",
            info.id,
            counted(info.units, "unit")
        ),
    })?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
