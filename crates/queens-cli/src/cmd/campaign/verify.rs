//! `queens campaign verify FILE`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{bail, ensure};
use queens::count::two_colour::{RecountMethod, Simd};
use queens::json::Object;
use queens_campaign::device::{Checker, Cpu, Device};
use queens_campaign::device_name;
use queens_campaign::ledger::{Access, Campaign, LedgerError};
use queens_campaign::plan::Planned;
use queens_campaign::verify::{self, Draw, Verified};

use super::STOPPED;
use super::units::{Units, expand, units};
use crate::NO;
use crate::support::noun::counted;
use crate::support::out::Out;
use crate::support::progress::{Progress, When};
use crate::support::{size, stop};

/// Count random units again by other means and compare
///
/// First every check value in the file is checked, then a random share of the finished
/// units is counted again, or those units that are named. Each recount goes on record in the
/// file; the first one that differs is reported with exit code 1 and stops the campaign until
/// the unit is counted again with `queens campaign redo`.
///
/// Recounts that the file has already prove nothing if a stranger made the file, so units that have
/// one are drawn like any other.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign verify q20.campaign --share 1%
  queens campaign verify q24.campaign --share 0.1% --with portable
  queens campaign verify q24.campaign --share 100% --skip-recounted --for 9m
  queens campaign verify q24.campaign 17 3000-3002 --with two-colour-plain")]
pub struct Args {
    /// The campaign
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Units to count again: numbers and ranges [default: units drawn at random]
    #[arg(value_name = "UNIT", value_parser = units,
          conflicts_with_all = ["share", "by_cost", "skip_recounted"])]
    units: Vec<Units>,

    /// The share of the finished units to count again, for example 1% or 0.01
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "1%")]
    share: f64,

    /// Draw units with a chance in proportion to the work they take
    #[arg(long)]
    by_cost: bool,

    /// Leave out units that, as the file says, were counted again the same way before; for files
    /// of one's own
    #[arg(long)]
    skip_recounted: bool,

    /// How to count them: by backtracking or two-colour-plain, which share no code with the
    /// engine but are far slower, or by the engine with avx512, avx2, neon or portable instructions
    /// [default: backtracking up to N = 16, then the fastest that did not count the unit]
    #[arg(long, value_name = "METHOD", value_parser = method)]
    with: Option<Method>,

    /// Stop after this time, such as 9m or 1h30m; the recounts made by then are kept
    #[arg(long = "for", value_name = "TIME", value_parser = size::time_span)]
    span: Option<Duration>,

    /// Threads; all cores if not given
    #[arg(long, value_name = "T", value_parser = size::threads)]
    threads: Option<usize>,

    /// Print a JSON object
    #[arg(long)]
    json: bool,

    /// Report progress even if standard error is not a terminal
    #[arg(long)]
    progress: bool,
}

/// Reads `1%`, `0.5 %` or `0.01`.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (number, scale) = match text.strip_suffix('%') {
        Some(number) => (number.trim_end(), 0.01),
        None => (text, 1.0),
    };
    match number.parse::<f64>() {
        Ok(x) if x * scale > 0.0 && x * scale <= 1.0 => Ok(x * scale),
        Ok(_) => Err("a share is above 0 and at most 100%".to_owned()),
        Err(_) => Err("a share is a number such as 1% or 0.01".to_owned()),
    }
}

/// How units are counted again.
#[derive(Clone, Copy, PartialEq)]
enum Method {
    Plain(RecountMethod),
    Engine(Simd),
}

impl Method {
    /// The method for a user with minutes, not days, to check a unit that this device counted.
    fn default_for(n: u32, device: &str) -> Method {
        if n <= 16 {
            return Method::Plain(RecountMethod::Backtracking);
        }
        let other = |simd: &Simd| {
            simd.is_available() && Method::Engine(*simd).code() != device_name::code(device)
        };
        match Simd::ALL.into_iter().find(other) {
            Some(simd) => Method::Engine(simd),
            None => Method::Plain(RecountMethod::TwoColourPlain),
        }
    }

    /// How the names of its devices end.
    fn code(self) -> String {
        match self {
            Method::Plain(means) => means.name().to_owned(),
            Method::Engine(simd) => format!("cpu-{}", simd.name()),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Method::Plain(means) => means.name(),
            Method::Engine(simd) => simd.name(),
        }
    }

    fn open(self, n: u32) -> anyhow::Result<Box<dyn Device>> {
        Ok(match self {
            Method::Plain(means) => Box::new(Checker::new(n, means)?),
            Method::Engine(simd) => Box::new(Cpu::new(n, simd)?),
        })
    }
}

fn method(text: &str) -> Result<Method, String> {
    let all = || {
        let plain = RecountMethod::ALL.map(Method::Plain);
        plain.into_iter().chain(Simd::ALL.map(Method::Engine))
    };
    all().find(|method| method.name() == text).ok_or_else(|| {
        let names: Vec<_> = all().map(Method::name).collect();
        format!("a method is one of {}", names.join(", "))
    })
}

/// The units that the user names, each with the device that counted it.
fn named(campaign: &Campaign, ranges: &[Units]) -> anyhow::Result<Vec<(Planned, String)>> {
    let mut named = Vec::new();
    for unit in expand(campaign, ranges)? {
        match campaign.row(unit)? {
            Some(row) => named.push((campaign.planned(unit)?, row.device)),
            None => bail!("unit {unit} is not counted yet, so there is nothing to compare with"),
        }
    }
    Ok(named)
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    // A finished campaign may be write-protected; then the recounts do not go on record.
    let mut campaign = match super::open_to_count(&args.file, Access::Write) {
        Err(e) if is_read_only(&e) => {
            tell!("queens: {e}, so these recounts do not go on record");
            super::open_to_count(&args.file, Access::Read)?
        }
        other => other?,
    };
    campaign.audit()?;
    let n = campaign.info().n;
    let method_for = |device: &str| args.with.unwrap_or_else(|| Method::default_for(n, device));
    let units = match args.units.is_empty() {
        false => named(&campaign, &args.units)?,
        true => {
            let draw = Draw {
                share: args.share,
                by_cost: args.by_cost,
            };
            verify::sample(&campaign, draw, &|first, again| {
                args.skip_recounted && device_name::code(again) == method_for(first).code()
            })?
        }
    };
    let mut out = Out::stdout();
    if units.is_empty() {
        let done = campaign.progress()?.units;
        ensure!(
            done > 0,
            "no unit of {} is done, so there is nothing to verify",
            args.file.display()
        );
        out.line(&match args.json {
            true => object(&campaign, 0, &[]).set("outcome", "nothing").end(),
            false => format!(
                "nothing was counted: the file says that all {done} finished units were counted \
                 again this way before"
            ),
        })?;
        out.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(span) = args.span {
        stop::after(&stop, span)?;
    }
    let threads = args.threads.unwrap_or_else(size::all_cores);
    let when = if args.progress {
        When::Always
    } else {
        When::Terminal
    };
    // The units by their methods; the methods run one after the other.
    let mut groups: Vec<(Method, Vec<Planned>)> = Vec::new();
    for (planned, device) in &units {
        let method = method_for(device);
        match groups.iter_mut().find(|(m, _)| *m == method) {
            Some((_, group)) => group.push(*planned),
            None => groups.push((method, vec![*planned])),
        }
    }
    let bar = Progress::start("verify", when);
    let mut agreed = 0;
    let mut outcome = Verified::Agreed;
    for (method, group) in &groups {
        let devices = (0..threads.min(group.len()))
            .map(|_| method.open(n))
            .collect::<anyhow::Result<_>>()?;
        outcome = verify::verify(&mut campaign, group, devices, &stop, &mut |_| {
            agreed += 1;
            bar.set(agreed, units.len() as u64);
        })?;
        if !matches!(outcome, Verified::Agreed) {
            break;
        }
    }
    drop(bar);
    let methods: Vec<_> = groups.iter().map(|(method, _)| method.name()).collect();
    let object = object(&campaign, agreed, &methods);
    let code = match outcome {
        Verified::Agreed => {
            let all = campaign.info().units;
            out.line(&match args.json {
                true => object.set("outcome", "agree").end(),
                false => format!(
                    "{agreed} of {} counted again with {}, all agree",
                    counted(all, "unit"),
                    methods.join(" and ")
                ),
            })?;
            0
        }
        Verified::Stopped => {
            if args.json {
                out.line(&object.set("outcome", "stopped").end())?;
            }
            tell!(
                "queens: stopped after {agreed} of {} recounts, all of which agree",
                units.len()
            );
            STOPPED
        }
        Verified::Differs(d) => {
            out.line(&match args.json {
                true => object
                    .set("outcome", "differ")
                    .set("unit", d.ledger.unit)
                    .set("ledger", d.ledger.count)
                    .set("recount", d.recount.count)
                    .end(),
                false => format!(
                    "unit {} differs: {} by {} ({}) in the ledger, {} by {} now",
                    d.ledger.unit,
                    d.ledger.count,
                    d.ledger.device,
                    d.ledger.started,
                    d.recount.count,
                    d.recount.device
                ),
            })?;
            NO
        }
    };
    out.finish()?;
    Ok(ExitCode::from(code))
}

/// The fields that every outcome has, in front of the outcome itself.
fn object(campaign: &Campaign, recounted: u64, methods: &[&str]) -> Object {
    let info = campaign.info();
    Object::new()
        .set("campaign", &info.id)
        .set("units", info.units)
        .set("recounted", recounted)
        .set("methods", methods)
}

fn is_read_only(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref::<LedgerError>(),
        Some(LedgerError::ReadOnly(_))
    )
}
