//! `queens man [VERB]`: the manual page in roff, made from the help texts.
//!
//! The program carries its own manual: there is no second text to keep true, and nothing
//! to generate at build time. Without a verb it prints `queens(1)`, with `count` it prints
//! `queens-count(1)`, with `campaign run` `queens-campaign-run(1)`; `--dir` writes the whole set,
//! ready for a `man1` folder.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;

use crate::support::out::Out;

/// Print the manual page, in roff, as man(1) reads it
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens man | man -l -
  queens man count | man -l -
  queens man campaign run | man -l -
  queens man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// The verb whose page to print, such as `count` or `campaign run`; without it, the page of the
    /// program
    verb: Vec<String>,

    /// Write one page for the program and one per verb into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "verb")]
    dir: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut program = super::Cli::command();
    program.build();
    if let Some(dir) = args.dir {
        std::fs::create_dir_all(&dir)
            .with_context(|| format!("cannot create the folder {}", dir.display()))?;
        clap_mangen::generate_to(super::Cli::command(), &dir)
            .with_context(|| format!("cannot write manual pages into {}", dir.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut command = &program;
    let mut path = command.get_name().to_owned();
    for verb in &args.verb {
        command = command
            .find_subcommand(verb)
            .with_context(|| format!("no verb is called `{path} {verb}` (see `{path} --help`)"))?;
        path = format!("{path} {verb}");
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .context("cannot make the manual page")?;
    let mut out = Out::stdout();
    out.bytes(&page)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
