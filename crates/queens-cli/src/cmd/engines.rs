//! `queens engines`: the engines, simplest to fastest.

use std::process::ExitCode;

use queens::count::ENGINES;
use queens::json::Object;

use crate::support::out::Out;

/// List the engines, simplest to fastest
///
/// The columns are the name for --engine, the largest board that the engine counts in
/// about a minute on one core, and how it works. With --json, that board is `sensible_n`, and
/// `largest_n` is the largest one that the engine accepts.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens engines
  queens engines --json | jq -r .name
  for e in $(queens engines --json | jq -r .name); do queens count 10 --engine $e; done")]
pub struct Args {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut out = Out::stdout();
    let width = ENGINES.iter().map(|engine| engine.name().len()).max();
    let width = width.unwrap_or_default();
    for engine in ENGINES {
        if args.json {
            let object = Object::new()
                .set("name", engine.name())
                .set("summary", engine.summary())
                .set("source", engine.source())
                .set("sensible_n", engine.sensible_n())
                .set("largest_n", engine.largest_n())
                .set("parallel", engine.is_parallel())
                .set("lists", engine.representation().is_some());
            out.line(&object.end())?;
        } else {
            out.line(&format!(
                "{engine:width$}  N <= {:<2} in a minute  {}",
                engine.sensible_n(),
                engine.summary()
            ))?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
