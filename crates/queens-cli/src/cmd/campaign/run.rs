//! `queens campaign run FILE`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use queens::json::Object;
use queens_campaign::ledger::{Access, Campaign, Info};
use queens_campaign::plan::MEAN_COST;
use queens_campaign::runner::{self, Finish, News, State};
use queens_campaign::sweeps::{self, SweepNews, Swept};

use super::units::{Units, expand, units};
use super::{DeviceArgs, STOPPED, result};
use crate::support::out::Out;
use crate::support::progress::{Progress, When, duration};
use crate::support::{size, stop};

/// Count what is missing, on this machine
///
/// Ctrl-C or SIGTERM stops within two seconds with exit code 3. Nothing that was counted is
/// lost, and the same command goes on later. Several processes may work on one file. The
/// process that records the last unit prints the result. With --json it is the object of `queens
/// campaign result --json`; while units are left, it prints one in which `count` is null.
///
/// Machines that do not share a file can share the units: each counts some in a copy of its own,
/// and `queens campaign merge` puts the copies together.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign run q24.campaign
  queens campaign run q24.campaign --for 9m    # in a batch queue
  queens campaign run q24.campaign 0-999       # the first of some machines that share the work
  queens campaign run q24.campaign --json | jq -r .count
  queens campaign run q24.campaign --threads 4 --progress 2>> q24.log")]
pub struct Args {
    /// The campaign
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Units to count: numbers and ranges [default: all that are missing]
    #[arg(value_name = "UNIT", value_parser = units, conflicts_with = "sweep")]
    units: Vec<Units>,

    #[command(flatten)]
    devices: DeviceArgs,

    /// Let a GPU sweep first: count all units with the same even rows at once
    ///
    /// A sweep counts a large block of units far faster than one by one, but it needs a card of
    /// compute capability 8.0 or later and, for N = 28, 140 GB of memory. Units of a block that
    /// are done already are counted again, and the counts are compared. Everything that is not
    /// swept is counted as usual. CLASSES, such as 7,6, limits the sweep to units with that many
    /// queens on each black board.
    #[arg(long, value_name = "CLASSES", num_args = 0..=1, require_equals = true, value_delimiter = ',')]
    sweep: Option<Vec<u32>>,

    /// Stop after this time, such as 9m or 1h30m, with exit code 3 if units are left
    ///
    /// Units are begun only if they will be done by then, as fast as the device has been so far,
    /// so the run may end a little earlier. Units that take longer than expected get a twentieth
    /// of the time more, at most ten seconds, and are given up after that.
    #[arg(long = "for", value_name = "TIME", value_parser = size::time_span)]
    span: Option<Duration>,

    /// Print the result as a JSON object, or how many units are done if stopped
    #[arg(long)]
    json: bool,

    /// Report progress even if standard error is not a terminal
    #[arg(long)]
    progress: bool,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let begun = Instant::now();
    let mut campaign = super::open_to_count(&args.file, Access::Write)?;
    // Nothing is added to a ledger that is already wrong.
    let audit = campaign.audit()?;
    let only = match args.units.is_empty() {
        true => None,
        false => Some(expand(&campaign, &args.units)?),
    };
    let info = campaign.info().clone();
    if audit.done < audit.units {
        // A time beyond what the clock can tell is no limit.
        let until = args.span.and_then(|span| begun.checked_add(span));
        let when = if args.progress {
            When::Always
        } else {
            When::Terminal
        };
        let bar = Progress::start("", when);
        let mut state = State::default();
        if let Some(classes) = &args.sweep {
            let mut tell = |news: SweepNews<'_>| match news {
                SweepNews::Progress(now) => {
                    state.clone_from(now);
                    bar.say(|_| describe(&info, now));
                }
                SweepNews::NotSwept { units, seconds } => tell!(
                    "queens: the block of units {} to {} could not be swept, after {seconds:.0} s; they \
                     are left to be counted one by one",
                    units.start,
                    units.end - 1
                ),
                _ => {}
            };
            let mut counter = sweeps::open(&args.devices.device, info.n, &stop)?;
            let counter = &mut *counter;
            let swept = sweeps::sweep(&mut campaign, counter, classes, until, &stop, &mut tell)?;
            if swept == Swept::Stopped {
                drop(bar);
                return end_early(&campaign, &info, state.units, args.json);
            }
        }
        let devices = args.devices.open(info.n)?;
        let mut tell = |news: News<'_>| match news {
            News::Progress(now) => {
                state.clone_from(now);
                bar.say(|_| describe(&info, now));
            }
            News::DeviceLost { device, why } => tell!("queens: lost {device}: {why}"),
            News::Hung {
                device,
                units,
                seconds,
            } => {
                let who = match device {
                    Some(device) => format!("{device} has made no progress"),
                    None => "no device has made progress".to_owned(),
                };
                let which = some_units(units);
                tell!(
                    "queens: {who} with {which} for {seconds} s; other devices and processes may \
                     count that now"
                );
            }
            News::Waiting => {
                tell!("queens: other processes have claimed every unit that is left; waiting");
            }
        };
        let finish = runner::run_some(&mut campaign, only, devices, until, &stop, &mut tell)?;
        drop(bar);
        match finish {
            Finish::Complete => {}
            Finish::Chosen => {
                print_unfinished(&campaign, &info, args.json)?;
                let done = campaign.progress()?.units;
                tell!(
                    "queens: the units asked for are done, and {done} of {} of the campaign",
                    info.units
                );
                return Ok(ExitCode::SUCCESS);
            }
            Finish::Stopped => {
                let in_vain = state.mine == 0 && args.sweep.is_none();
                if in_vain && until.is_some() && !stop.load(Ordering::Relaxed) {
                    tell!("queens: no unit was finished in that time; give it more with --for");
                }
                return end_early(&campaign, &info, state.units, args.json);
            }
        }
    }
    result::print(&campaign, args.json)
}

/// Ends a run that was stopped.
fn end_early(campaign: &Campaign, info: &Info, done: u64, json: bool) -> anyhow::Result<ExitCode> {
    print_unfinished(campaign, info, json)?;
    Ok(stopped(info, done))
}

/// With `json`, prints how far an incomplete campaign is.
fn print_unfinished(campaign: &Campaign, info: &Info, json: bool) -> anyhow::Result<()> {
    if json {
        let object = Object::new()
            .set("n", info.n)
            .set("count", None::<u64>)
            .set("units", info.units)
            .set("done", campaign.progress()?.units)
            .set("plan_digest", &info.plan_digest)
            .set("algorithm", &info.algorithm)
            .set("campaign", &info.id);
        let mut out = Out::stdout();
        out.line(&object.end())?;
        out.finish()?;
    }
    Ok(())
}

/// The numbers of the first few units, in words.
fn some_units(units: &[u64]) -> String {
    const MOST: usize = 5;
    let numbers: Vec<String> = units.iter().take(MOST).map(u64::to_string).collect();
    let s = if units.len() == 1 { "" } else { "s" };
    let more = match units.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("unit{s} {}{more}", numbers.join(", "))
}

/// Says how far a stopped campaign got.
pub fn stopped(info: &Info, done: u64) -> ExitCode {
    tell!(
        "queens: stopped with {done} of {} units done; run the same command to go on",
        info.units
    );
    ExitCode::from(STOPPED)
}

/// One line of progress.
pub fn describe(info: &Info, state: &State) -> String {
    const WIDTH: usize = 24;
    let share = state.cost as f64 / info.cost.max(1) as f64;
    let full = (share * WIDTH as f64) as usize;
    let bar: String = (0..WIDTH)
        .map(|i| if i < full { '#' } else { '.' })
        .collect();
    let left = seconds_left(info, state.cost, state.rate);
    format!(
        "{} queens [{bar}] {:.1} %  {} of {} units, {:.1} units/s, {} left",
        info.n,
        100.0 * share,
        state.units,
        info.units,
        state.rate / MEAN_COST as f64,
        left.map_or_else(|| "?".to_owned(), words)
    )
}

/// Seconds until the campaign is complete, if a process works on it.
pub fn seconds_left(info: &Info, cost: u64, rate: f64) -> Option<f64> {
    (rate > 0.0).then(|| info.cost.saturating_sub(cost) as f64 / rate)
}

/// A number of seconds in words.
pub fn words(seconds: f64) -> String {
    duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}
