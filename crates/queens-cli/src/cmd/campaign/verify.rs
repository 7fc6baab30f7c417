//! `queens campaign verify FILE`.

use std::path::PathBuf;
use std::process::ExitCode;

use queens::count::two_colour::Simd;
use queens_campaign::device::{Cpu, Device};
use queens_campaign::ledger::{Access, Campaign, LedgerError};
use queens_campaign::verify::{self, Verified};

use super::STOPPED;
use crate::NO;
use crate::support::out::Out;
use crate::support::progress::{Progress, When};
use crate::support::{size, stop};

/// Count random units again by other means and compare
///
/// First every check value in the file is checked, then a random share of the finished
/// units is counted again. Each recount goes on record in the file; the first one that
/// differs is reported with exit code 1 and stops the campaign until the unit is counted
/// again with `queens campaign redo`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign verify q20.campaign --share 1%
  queens campaign verify q24.campaign --share 0.1% --with portable")]
pub struct Args {
    /// The campaign
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The share of the finished units to count again, for example 1% or 0.01
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "1%")]
    share: f64,

    /// How to count them: by another set of vector instructions
    #[arg(long, value_name = "METHOD", value_parser = method, default_value = "portable")]
    with: Simd,

    /// Threads; all cores if not given
    #[arg(long, value_name = "T", value_parser = size::threads)]
    threads: Option<usize>,

    /// Report progress even if standard error is not a terminal
    #[arg(long)]
    progress: bool,
}

/// Reads `1%`, `0.5 %` or `0.01`.
fn share(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (number, scale) = match text.strip_suffix('%') {
        Some(number) => (number.trim_end(), 0.01),
        None => (text, 1.0),
    };
    match number.parse::<f64>() {
        Ok(x) if x * scale > 0.0 && x * scale <= 1.0 => Ok(x * scale),
        Ok(_) => Err("a share lies above 0 and at most at 100%".to_owned()),
        Err(_) => Err("a share is a number such as 1% or 0.01".to_owned()),
    }
}

fn method(text: &str) -> Result<Simd, String> {
    Simd::ALL
        .into_iter()
        .find(|simd| simd.name() == text)
        .ok_or_else(|| {
            let names: Vec<_> = Simd::ALL.iter().map(|simd| simd.name()).collect();
            format!("a method is one of {}", names.join(", "))
        })
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    // A finished campaign may be write-protected; then nothing is put on record.
    let mut campaign = match super::open_to_count(&args.file, Access::Write) {
        Err(e) if is_read_only(&e) => {
            eprintln!("queens: {e}, so these recounts do not go on record");
            super::open_to_count(&args.file, Access::Read)?
        }
        other => other?,
    };
    campaign.audit()?;
    let units = verify::sample(&campaign, args.share)?;
    let devices = open(&campaign, &args)?;
    let when = if args.progress {
        When::Always
    } else {
        When::Terminal
    };
    let bar = Progress::start("verify", when);
    let mut agreed = 0;
    let outcome = verify::verify(&mut campaign, &units, devices, &stop, &mut |_| {
        agreed += 1;
        bar.set(agreed, units.len() as u64);
    })?;
    drop(bar);
    let mut out = Out::stdout();
    let code = match outcome {
        Verified::Agreed => {
            let all = campaign.info().units;
            out.line(&format!(
                "{agreed} of {all} units counted again with {}, all agree",
                args.with.name()
            ))?;
            0
        }
        Verified::Stopped => {
            eprintln!(
                "queens: stopped after {agreed} of {} recounts, all of which agree",
                units.len()
            );
            STOPPED
        }
        Verified::Differs(d) => {
            out.line(&format!(
                "unit {} differs: {} by {} ({}) in the ledger, {} by {} now",
                d.ledger.unit,
                d.ledger.count,
                d.ledger.device,
                d.ledger.started,
                d.recount.count,
                d.recount.device
            ))?;
            NO
        }
    };
    out.finish()?;
    Ok(ExitCode::from(code))
}

fn is_read_only(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref::<LedgerError>(),
        Some(LedgerError::ReadOnly(_))
    )
}

fn open(campaign: &Campaign, args: &Args) -> anyhow::Result<Vec<Box<dyn Device>>> {
    let n = campaign.info().n;
    let threads = args.threads.unwrap_or_else(size::all_cores);
    (0..threads)
        .map(|_| Ok(Box::new(Cpu::new(n, args.with)?) as Box<dyn Device>))
        .collect()
}
