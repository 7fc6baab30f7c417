//! `queens completions SHELL`: a completion script, made from the same definition of the
//! command line that parses it, so that the two cannot disagree.

use std::process::ExitCode;

use clap::CommandFactory;

use crate::support::out::Out;

/// Print a completion script for a shell
///
/// The script completes verbs, options and the values of options.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens completions bash > ~/.local/share/bash-completion/completions/queens
  queens completions zsh > ~/.zfunc/_queens
  queens completions fish > ~/.config/fish/completions/queens.fish")]
pub struct Args {
    /// The shell to write the script for
    shell: clap_complete::Shell,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    let mut command = super::Cli::command();
    clap_complete::generate(args.shell, &mut command, "queens", &mut script);
    let mut out = Out::stdout();
    out.bytes(&script)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
