//! `queens worker --nats URL`: counts units of a campaign that is served elsewhere.

use std::process::ExitCode;

use queens::count::two_colour;
use queens_campaign::PROGRAM;
use queens_campaign::queue::work::{End, News, Worker};

use super::campaign::{DeviceArgs, NatsArgs, STOPPED};
use crate::support::noun::counted;
use crate::support::stop;

/// Count units of a campaign that `queens campaign serve` offers
///
/// Start it on any number of machines, at any time, before or after the server. It takes
/// units, sends back results, waits out interruptions of the network, and ends when the
/// campaign is complete. Ctrl-C gives the units being counted back, with exit code 3.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens worker --nats tls://queue.example.org --creds ada.creds --name ada
  queens worker --nats tls://10.0.0.1:4222 --tls-ca ca.pem --nkey ada.nk --name ada
  srun --ntasks-per-node=1 queens worker --creds ada.creds --name ada   # NATS_URL is set")]
pub struct Args {
    #[command(flatten)]
    nats: NatsArgs,

    /// The name of this worker [default: the machine's name and a number]
    ///
    /// Where workers have keys, the name for which the key may send results. A worker that counted
    /// wrongly is shut out by its name.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// The campaign to work on, where several are served
    #[arg(long, value_name = "CAMPAIGN")]
    campaign: Option<String>,

    #[command(flatten)]
    devices: DeviceArgs,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let worker = Worker {
        connect: args.nats.connect()?,
        name: args.name,
        campaign: args.campaign,
        program: PROGRAM.to_owned(),
        algorithm: two_colour::ALGORITHM.to_owned(),
    };
    let mut units = 0_u64;
    let end = worker.work(&|n| args.devices.open(n), &stop, &mut |news| match news {
        News::Waiting => tell!("queens: no campaign is served yet; waiting"),
        News::Joined {
            campaign,
            n,
            devices,
            name,
        } => {
            let devices = counted(devices, "device");
            tell!("queens: {name} is at work on {campaign}, {n} queens, with {devices}");
        }
        News::Counted(_) => units += 1,
        News::DeviceLost { device, why } => tell!("queens: lost {device}: {why}"),
        News::Hung { units, seconds } => tell!(
            "queens: no device has made progress with {} for {seconds} s; they were given back",
            counted(units.len(), "unit")
        ),
        News::Waits(why) => tell!("queens: {why}"),
        News::Trouble(why) => tell!("queens: trouble with NATS, still trying: {why}"),
    })?;
    Ok(match end {
        End::Finished => {
            tell!(
                "queens: the campaign is complete; {} counted here",
                counted(units, "unit")
            );
            ExitCode::SUCCESS
        }
        End::Stopped => {
            tell!(
                "queens: stopped after {}; unfinished units were given back",
                counted(units, "unit")
            );
            ExitCode::from(STOPPED)
        }
    })
}
