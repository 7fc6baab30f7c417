//! `queens campaign status FILE`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use queens::count::two_colour;
use queens::json::Object;
use queens_campaign::ledger::{Access, Campaign, Checks, Info, Progress, Suggested};
use queens_campaign::page::{CELLS, Page};
use queens_campaign::plan::MEAN_COST;

use super::run::{seconds_left, words};
use crate::support::noun::counted;
use crate::support::{file, out::Out};

/// Show how far a campaign is: share done, rate, time left, by device
///
/// Never in the way of the processes at work, and quick while there are some, because the sums are
/// kept up to date. All units are read for --checks, for --html, and for the time left where nobody
/// is at work.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens campaign status q24.campaign
  queens campaign status q24.campaign --checks
  queens campaign status q24.campaign --json
  queens campaign status q24.campaign --html q24.html")]
pub struct Args {
    /// The campaign
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Also show how many units of each class were counted again, and by what
    #[arg(long, conflicts_with = "html")]
    checks: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Write a page with a picture of the finished units
    #[arg(long, value_name = "PAGE", conflicts_with = "json")]
    html: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let campaign = Campaign::open(&args.file, Access::Read)?;
    let progress = campaign.progress()?;
    if let Some(page) = &args.html {
        write_page(&campaign, &progress, page)?;
        return Ok(ExitCode::SUCCESS);
    }
    let checks = match args.checks {
        true => Some(checks(&campaign)?),
        false => None,
    };
    let mut out = Out::stdout();
    if args.json {
        let mut object = to_json(&campaign, &progress)?;
        if let Some((classes, suggested)) = checks {
            object = object
                .set("suggested_count", suggested.map(|s| s.count))
                .set("suggested_low", suggested.map(|s| s.low))
                .set("suggested_high", suggested.map(|s| s.high))
                .list("classes", classes.into_iter().map(class_object));
        }
        out.line(&object.end())?;
    } else {
        out.text(&to_text(&campaign, &progress)?)?;
        if let Some((classes, suggested)) = checks {
            out.text(&class_table(&classes, suggested))?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The checks of each class (the number of queens on each black board), and the count that the
/// finished units suggest.
fn checks(campaign: &Campaign) -> anyhow::Result<(BTreeMap<u32, Checks>, Option<Suggested>)> {
    campaign.require_algorithm(two_colour::ALGORITHM)?;
    let n = campaign.info().n;
    let units = two_colour::units(n as usize)
        .with_context(|| format!("the engine has no units for n = {n}"))?;
    let class = |unit| units.class(unit);
    Ok((campaign.checks(&class)?, campaign.suggested(&class)?))
}

fn class_object((class, checks): (u32, Checks)) -> Object {
    let by = checks.by_code.iter();
    Object::new()
        .set("black_queens", class)
        .set("units", checks.units)
        .set("done", checks.done)
        // A string: the sum may exceed what JSON readers hold exactly.
        .set("sum", checks.sum.to_string())
        .set("recounted", checks.again)
        .set("recounted_on_another_day", checks.another_day)
        .list(
            "by",
            by.map(|(code, units)| Object::new().set("code", code).set("units", *units)),
        )
}

/// A heading, a line for each class, and the count that the finished units suggest.
fn class_table(classes: &BTreeMap<u32, Checks>, suggested: Option<Suggested>) -> String {
    let codes: BTreeSet<&String> = classes.values().flat_map(|c| c.by_code.keys()).collect();
    let mut lines = vec![vec![
        "black queens".to_owned(),
        "units".to_owned(),
        "done".to_owned(),
        "counted again".to_owned(),
        "on another day".to_owned(),
    ]];
    lines[0].extend(codes.iter().map(|code| format!("by {code}")));
    for (class, c) in classes {
        let numbers = [u64::from(*class), c.units, c.done, c.again, c.another_day];
        let by = codes
            .iter()
            .map(|&code| c.by_code.get(code).copied().unwrap_or(0));
        lines.push(
            numbers
                .into_iter()
                .chain(by)
                .map(|x| x.to_string())
                .collect(),
        );
    }
    let widths: Vec<usize> = (0..lines[0].len())
        .map(|column| {
            lines
                .iter()
                .map(|line| line[column].len())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut text = "\n".to_owned();
    for line in &lines {
        let cells = line.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:>width$}"))
            .collect();
        text += &format!("{}\n", cells.join("  "));
    }
    if let Some(Suggested { count, low, high }) = suggested {
        text += &format!(
            "\nThe units done suggest {count:.3e} solutions in all, between {low:.3e} and \
             {high:.3e} (95 %).\n"
        );
    }
    text
}

/// The share of the expected work that is done, in percent.
fn percent(part: u64, info: &Info) -> f64 {
    100.0 * part as f64 / info.cost.max(1) as f64
}

/// The time left in words.
fn left(campaign: &Campaign, progress: &Progress) -> anyhow::Result<String> {
    let info = campaign.info();
    if progress.units == info.units {
        let is_served = progress
            .processes
            .iter()
            .any(|process| process.role == "serve");
        return Ok(match is_served {
            true => "every unit is done; the server has some counted again".to_owned(),
            false => "none, every unit is done".to_owned(),
        });
    }
    Ok(match seconds_left(info, progress.cost, progress.rate()) {
        Some(seconds) => words(seconds),
        None if progress.processes.is_empty() && progress.cost > 0 => {
            let worked = campaign.seconds_at_work()?;
            let rest = info.cost.saturating_sub(progress.cost) as f64;
            let rest = words(worked / progress.cost as f64 * rest);
            format!("no process is at work; at the speed so far {rest}")
        }
        None if progress.processes.is_empty() => "no process is at work".to_owned(),
        None => "not known yet".to_owned(),
    })
}

fn to_text(campaign: &Campaign, progress: &Progress) -> anyhow::Result<String> {
    let info = campaign.info();
    let recounts = campaign.recounts()?;
    let complete = progress.units == info.units;
    // A finished campaign has no rate.
    let rate = match complete {
        true => String::new(),
        false => {
            let rate = progress.rate() / MEAN_COST as f64;
            format!("rate       {rate:.2} units/s\n")
        }
    };
    let mut text = format!(
        "campaign   {}, {} queens, algorithm {}\n\
         done       {:.2} % of the work, {} of {} units\n\
         {rate}\
         time left  {}\n\
         recounts   {} agree, {} in dispute\n",
        info.id,
        info.n,
        info.algorithm,
        percent(progress.cost, info),
        progress.units,
        info.units,
        left(campaign, progress)?,
        recounts.agreeing,
        counted(recounts.disputed, "unit")
    );
    let (refused, why) = campaign.refusals()?;
    if refused > 0 {
        let last = why.first().map_or("", String::as_str);
        text += &format!(
            "refused    {}, for example {last}\n",
            counted(refused, "result")
        );
    }
    for (worker, why) in campaign.shut_outs()? {
        text += &format!("shut out   {worker}: {why}\n");
    }
    for p in &progress.processes {
        text += &format!(
            "at work    {} on {} (process {}), {} in {}\n",
            p.role,
            p.host,
            p.pid,
            counted(p.units, "unit"),
            words(p.age as f64)
        );
    }
    for d in &progress.devices {
        text += &format!(
            "device     {}: {}, {:.2} % of the work, {} busy\n",
            d.device,
            counted(d.units, "unit"),
            percent(d.cost, info),
            words(d.seconds)
        );
    }
    Ok(text)
}

fn to_json(campaign: &Campaign, progress: &Progress) -> anyhow::Result<Object> {
    let info = campaign.info();
    let rate = progress.rate() / MEAN_COST as f64;
    let shut_out = campaign
        .shut_outs()?
        .into_iter()
        .map(|(worker, why)| Object::new().set("worker", worker).set("why", why));
    let left = if progress.units == info.units {
        Some(0.0)
    } else {
        seconds_left(info, progress.cost, progress.rate())
    };
    let recounts = campaign.recounts()?;
    let recounts = Object::new()
        .set("agree", recounts.agreeing)
        .set("disputed_units", recounts.disputed);
    let processes = progress.processes.iter().map(|p| {
        Object::new()
            .set("host", &p.host)
            .set("pid", p.pid)
            .set("role", &p.role)
            .set("age", p.age)
            .set("units", p.units)
            .set("rate", p.rate() / MEAN_COST as f64)
    });
    let devices = progress.devices.iter().map(|d| {
        Object::new()
            .set("device", &d.device)
            .set("units", d.units)
            .set("share", percent(d.cost, info) / 100.0)
            .set("seconds", d.seconds)
    });
    Ok(Object::new()
        .set("campaign", &info.id)
        .set("n", info.n)
        .set("algorithm", &info.algorithm)
        .set("plan_digest", &info.plan_digest)
        .set("created", &info.created)
        .set("units", info.units)
        .set("done", progress.units)
        .set("missing", info.units.saturating_sub(progress.units))
        .set("share", percent(progress.cost, info) / 100.0)
        .set("rate", (progress.units != info.units).then_some(rate))
        .set("seconds_left", left)
        .set("recounts", recounts)
        .set("refused", campaign.refusals()?.0)
        .list("shut_out", shut_out)
        .list("processes", processes)
        .list("devices", devices))
}

fn write_page(
    campaign: &Campaign,
    progress: &Progress,
    page: &std::path::Path,
) -> anyhow::Result<()> {
    let info = campaign.info();
    let picture = campaign.picture(CELLS)?;
    let complete = progress.units == info.units;
    let html = Page {
        info,
        progress,
        recounts: campaign.recounts()?,
        picture: &picture,
        left: &left(campaign, progress)?,
        result: if complete {
            Some(campaign.result()?.total)
        } else {
            None
        },
    }
    .html();
    // Replaced as a whole: a browser that reloads the page never sees half of it.
    file::replace(page, |out| Ok(out.write_all(html.as_bytes())?))
}
