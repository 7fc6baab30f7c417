//! `queens campaign export FILE` and `queens campaign merge FILE OTHER...`.

use std::path::PathBuf;
use std::process::ExitCode;

use queens::json::Object;
use queens_campaign::exchange::{self, ExportError, Selection};
use queens_campaign::ledger::{Access, Campaign};

use crate::support::noun::counted;
use crate::support::{file, out::Out};

/// Write the ledger as text, one line per finished unit
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign export q24.campaign > q24.ledger
  queens campaign export q24.campaign --except monday.ledger --output tuesday.ledger
  queens campaign export q24.campaign --recounts > q24.recounts")]
pub struct ExportArgs {
    /// The campaign
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write here instead of to standard output
    #[arg(short, long, value_name = "OUTPUT")]
    output: Option<PathBuf>,

    /// Leave out the rows that this export or campaign has; may be given several times
    #[arg(long, value_name = "OTHER")]
    except: Vec<PathBuf>,

    /// Write the recounts instead of the ledger
    #[arg(long)]
    recounts: bool,
}

pub fn export(args: ExportArgs) -> anyhow::Result<ExitCode> {
    let campaign = Campaign::open(&args.file, Access::Read)?;
    let selection = Selection {
        recounts: args.recounts,
        except: args.except,
    };
    match &args.output {
        None => {
            let mut out = Out::stdout();
            exchange::export(&campaign, &selection, &mut out).map_err(|error| match error {
                // As it came from `out`, which tells a closed pipe from a failure.
                ExportError::Write(error) => error.into(),
                error => anyhow::Error::new(error),
            })?;
            out.finish()?;
        }
        Some(path) => file::replace(path, |mut out| {
            exchange::export(&campaign, &selection, &mut out)?;
            Ok(())
        })?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Add the rows of other ledgers of the same plan
///
/// The others may be exports or campaign files. Either all their rows are added or none:
/// a unit with two different counts, an altered row or another plan is an error.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign merge q24.campaign from-ada.ledger from-bob.campaign")]
pub struct MergeArgs {
    /// The campaign that receives the rows
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Exports or campaign files
    #[arg(value_name = "OTHER", required = true)]
    others: Vec<PathBuf>,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub fn merge(args: MergeArgs) -> anyhow::Result<ExitCode> {
    let mut campaign = super::open_to_write(&args.file)?;
    campaign.audit()?;
    let merged = exchange::merge(&mut campaign, &args.others)?;
    let progress = campaign.progress()?;
    let mut out = Out::stdout();
    if args.json {
        let object = Object::new()
            .set("added", merged.new)
            .set("known", merged.again)
            .set("agreeing", merged.agreeing)
            .set("done", progress.units)
            .set("units", campaign.info().units);
        out.line(&object.end())?;
        out.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    out.line(&format!(
        "{} added, {} known already, {} counted in both places with the same count; {} of {} \
         units are done",
        counted(merged.new, "unit"),
        counted(merged.again, "row"),
        counted(merged.agreeing, "unit"),
        progress.units,
        campaign.info().units
    ))?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
