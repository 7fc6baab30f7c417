//! `queens campaign`: counts that last for days.
//!
//! One file per group of sub-verbs; all of them are thin. `queens-campaign` knows what a
//! campaign is, how its file is kept and how units are shared out; the files here read
//! arguments and word answers.

mod exchange;
mod plan;
mod redo;
mod result;
mod run;
#[cfg(feature = "nats")]
mod serve;
mod status;
mod units;
mod verify;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use queens::count::two_colour;
use queens_campaign::device::{Device, DeviceError};
use queens_campaign::ledger::{Access, Campaign, LedgerError};
use queens_cuda::Choice;

#[cfg(not(feature = "nats"))]
use super::absent::campaign_serve as serve;
#[cfg(feature = "nats")]
pub use serve::NatsArgs;

/// Run counts that last for days, survive anything and can be verified
///
/// A campaign is one file. It holds a plan (the count cut into numbered units) and a
/// ledger (one row per finished unit). Everything done is kept, whatever happens to the
/// program or the machine: run it again and it goes on.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:
  queens campaign new 20 q20.campaign
  queens campaign run q20.campaign        # Ctrl-C at any time, run again to go on
  queens campaign status q20.campaign
  queens campaign verify q20.campaign --share 1%
  queens campaign result q20.campaign
  queens campaign serve q20.campaign --nats tls://host:4222 --creds serve.creds

Several machines: see `queens campaign serve --help` and `queens worker --help`.",
    disable_help_subcommand = true,
    arg_required_else_help = true
)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    New(plan::Args),
    Run(run::Args),
    Status(status::Args),
    Verify(verify::Args),
    Result(result::Args),
    Export(exchange::ExportArgs),
    Merge(exchange::MergeArgs),
    Prune(redo::PruneArgs),
    Redo(redo::RedoArgs),
    Serve(serve::Args),
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.verb {
        Verb::New(args) => plan::run(args),
        Verb::Run(args) => run::run(args),
        Verb::Status(args) => status::run(args),
        Verb::Verify(args) => verify::run(args),
        Verb::Result(args) => result::run(args),
        Verb::Export(args) => exchange::export(args),
        Verb::Merge(args) => exchange::merge(args),
        Verb::Prune(args) => redo::prune(args),
        Verb::Redo(args) => redo::redo(args),
        Verb::Serve(args) => serve::run(args),
    }
}

/// Exit code of work that was stopped and can be resumed.
pub const STOPPED: u8 = 3;

/// Opens a campaign to change it, unless another machine is at work on it.
fn open_to_write(file: &Path) -> Result<Campaign, LedgerError> {
    let campaign = Campaign::open(file, Access::Write)?;
    campaign.nobody_elsewhere()?;
    Ok(campaign)
}

/// Opens a campaign whose units this program is going to count.
fn open_to_count(file: &Path, access: Access) -> anyhow::Result<Campaign> {
    let campaign = match access {
        Access::Read => Campaign::open(file, access)?,
        Access::Write => open_to_write(file)?,
    };
    campaign.require_algorithm(two_colour::ALGORITHM)?;
    Ok(campaign)
}

/// Which devices count, and how.
#[derive(clap::Args)]
pub struct DeviceArgs {
    /// Count on these devices: auto (from N = 20 on all GPUs, and the cores they leave free), cpu, gpu, or gpu:0
    #[arg(
        long,
        value_name = "DEVICE",
        value_delimiter = ',',
        default_value = "auto"
    )]
    pub device: Vec<Choice>,

    /// Threads on the processor [default: all cores, less up to eight for each GPU]
    #[arg(long, value_name = "T", value_parser = crate::support::size::threads)]
    pub threads: Option<usize>,
}

impl DeviceArgs {
    /// Opens the devices for boards of size `n`.
    pub fn open(&self, n: u32) -> Result<Vec<Box<dyn Device>>, DeviceError> {
        let simd = two_colour::Simd::Auto;
        let warn = |line: &str| tell!("queens: {line}");
        queens_campaign::device::open(&self.device, n, self.threads, simd, &warn)
    }
}
