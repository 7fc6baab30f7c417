//! `queens campaign serve FILE --nats URL`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use queens::count::two_colour::Simd;
use queens_campaign::PROGRAM;
use queens_campaign::ledger::Access;
use queens_campaign::queue::Connect;
use queens_campaign::queue::serve::{News, Served, Server};
use queens_campaign::runner::{Finish, State};
use queens_cuda::Choice;

use super::result;
use super::run::{describe, stopped};
use crate::support::progress::{Progress, When};
use crate::support::{size, stop};

/// Let workers on other machines count, through a NATS server with JetStream
///
/// Publishes the missing units as a work queue and records the results; workers are
/// started with `queens worker`. It can be stopped and started again at any time: workers
/// go on with what is queued, and their results wait. When the last unit is done the
/// result is printed.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign serve q24.campaign --nats tls://queue.example.org --creds serve.creds
  queens campaign serve q24.campaign --nats tls://10.0.0.1:4222 --tls-ca ca.pem --nkey serve.nk

docs/campaigns.md shows how to set up the NATS server, with keys for everybody.")]
pub struct Args {
    /// The campaign
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    nats: NatsArgs,

    /// Give a unit to another worker when its worker has been silent for this long
    #[arg(long, value_name = "SECONDS", value_parser = lease, default_value = "30")]
    lease: Duration,

    /// Have this share of every worker's units counted again by somebody else
    ///
    /// A quarter of it by this machine, the rest by another worker if there is one. This machine
    /// also counts the first unit of every newcomer again and some units of everybody at the
    /// end, and decides when two counts differ. A worker that counted wrongly is shut out, and
    /// all its units are counted again. With 0 workers are believed, and two counts that differ
    /// stop the campaign.
    #[arg(long, value_name = "SHARE", value_parser = audit, default_value = "1%")]
    audit: f64,

    /// Have every unit counted by two different workers
    #[arg(long)]
    twice: bool,

    /// On how many servers of a NATS cluster to keep the queues
    #[arg(long, value_name = "R", value_parser = replicas, default_value_t = 1)]
    replicas: usize,

    /// Report progress even if standard error is not a terminal
    #[arg(long)]
    progress: bool,
}

/// Reads how many servers of a cluster keep the queues.
fn replicas(text: &str) -> Result<usize, String> {
    match size::whole(text, "the number of servers", 3)? {
        number @ 1..=5 => Ok(number as usize),
        _ => Err("the queues can be kept on 1 to 5 servers".to_owned()),
    }
}

/// How to reach NATS.
#[derive(clap::Args)]
pub struct NatsArgs {
    /// Address of the NATS server; without it, the environment variable NATS_URL
    #[arg(long, value_name = "URL")]
    nats: Option<String>,

    /// Credentials file, as `nsc` makes them
    #[arg(long, value_name = "FILE", conflicts_with = "nkey")]
    creds: Option<PathBuf>,

    /// File with the seed of an nkey
    #[arg(long, value_name = "FILE")]
    nkey: Option<PathBuf>,

    /// Certificate authority to trust, besides the system's; requires TLS
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,

    /// Certificate of this machine, where the server asks for one
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// Key of that certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

impl NatsArgs {
    /// The address and the keys.
    pub fn connect(self) -> anyhow::Result<Connect> {
        let url = self.nats.or_else(|| std::env::var("NATS_URL").ok());
        let Some(url) = url.filter(|url| !url.trim().is_empty()) else {
            anyhow::bail!(
                "which NATS server? give --nats URL, such as nats://host:4222, or set NATS_URL"
            );
        };
        Ok(Connect {
            url,
            creds: self.creds,
            nkey: self.nkey,
            tls_ca: self.tls_ca,
            tls_client: self.tls_cert.zip(self.tls_key),
        })
    }
}

/// Reads a share, which may be 0.
fn audit(text: &str) -> Result<f64, String> {
    match text.trim() {
        "0" | "0%" => Ok(0.0),
        _ => super::verify::share(text),
    }
}

/// Reads a number of seconds, fractions allowed.
fn lease(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (1.0..=86_400.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("a lease lasts from 1 to 86400 seconds".to_owned()),
    }
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let server = Server {
        connect: args.nats.connect()?,
        lease: args.lease,
        replicas: args.replicas,
        program: PROGRAM.to_owned(),
        audit: args.audit,
        twice: args.twice,
    };
    // One thread of this machine counts what the server wants to check. It uses other instructions
    // than a worker on the same machine would, so that each checks the other.
    let mut codes = Simd::ALL.into_iter().filter(|code| code.is_available());
    let code = codes.nth(1).unwrap_or(Simd::Auto);
    let check = |n| queens_campaign::device::open(&[Choice::Cpu], n, Some(1), code, &|_| {});
    let mut campaign = super::open_to_count(&args.file, Access::Write)?;
    let audit = campaign.audit()?;
    let info = campaign.info().clone();
    // A complete campaign may still lack checks: the server may have stopped at the last unit.
    if audit.done < audit.units || !server.has_checked(&campaign)? {
        let when = if args.progress {
            When::Always
        } else {
            When::Terminal
        };
        let bar = Progress::start("", when);
        let mut served = Served::default();
        let finish = server.serve(&mut campaign, &check, &stop, &mut |news| match news {
            News::Progress(now) => {
                served.clone_from(now);
                bar.say(|_| {
                    let state = State {
                        units: now.units,
                        cost: now.cost,
                        mine: 0,
                        rate: now.rate,
                    };
                    let (workers, places) = (now.workers, now.places);
                    let line = describe(&info, &state);
                    format!("{line}; {workers} workers, {places} units at a time")
                });
            }
            News::Workers(1) => tell!("queens: one worker is there"),
            News::Workers(number) => tell!("queens: {number} workers are there"),
            News::NeedsWorker => tell!(
                "queens: with --twice, what this machine has counted is counted by a worker too; \
                 waiting for one"
            ),
            News::Refused(why) => tell!("queens: not taken: {why}"),
            News::ShutOut { worker, why, units } => tell!(
                "queens: {worker} is shut out, for {why}; units of it to count again: {units}"
            ),
            News::NoLogin => tell!(
                "queens: the NATS server asks nobody for a login, so the names of workers prove \
                 nothing: one machine can be many of them"
            ),
            News::Trouble(why) => tell!("queens: trouble with NATS, still trying: {why}"),
        })?;
        drop(bar);
        if finish == Finish::Stopped {
            return Ok(stopped(&info, served.units));
        }
    }
    result::print(&campaign, false)
}
