//! The verbs: one file each, named as on the command line.
//!
//! To add a verb, write `cmd/<verb>.rs` with
//!
//! - `pub struct Args`, deriving [`clap::Args`], whose doc comment is the verb's help
//!   (first line short, the rest long) and whose `after_help` shows examples, and
//! - `pub fn run(args: Args) -> anyhow::Result<ExitCode>`,
//!
//! then add its `mod` line and its line in the list `verbs!` below. Nothing else knows the list.
//! A verb holds no algorithm: it reads arguments, calls the library and writes the answer
//! through [`crate::support::out::Out`]. It never prints errors; it returns them.

// A stand-in of the same name answers for a verb that this build leaves out.
pub mod absent;
#[cfg(not(feature = "player"))]
use absent::play;
#[cfg(not(feature = "nats"))]
use absent::worker;

// Listed outside the macro so that rustfmt finds the files.
mod approximate;
mod asm;
mod bench;
mod campaign;
mod check;
mod code;
mod completions;
pub mod count;
mod devices;
mod encode;
mod engines;
mod estimate;
mod first;
mod known;
mod list;
mod man;
#[cfg(feature = "player")]
mod play;
mod random;
mod serve;
mod show;
mod solve;
mod trace;
mod tree;
#[cfg(feature = "nats")]
mod worker;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

/// The same command line, where `-1` is a value and not an unknown option: so it is refused for
/// what is wrong with it.
fn take_negative_numbers(command: clap::Command) -> clap::Command {
    let verbs: Vec<String> = command
        .get_subcommands()
        .map(|verb| verb.get_name().to_owned())
        .collect();
    let command = command.mut_args(|arg| match arg.get_action().takes_values() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    });
    verbs.into_iter().fold(command, |command, verb| {
        command.mut_subcommand(verb, take_negative_numbers)
    })
}

/// Defines [`Verb`], [`parse`] and [`run`] from one list of verbs.
macro_rules! verbs {
    ($($variant:ident => $module:ident,)*) => {
        /// What `queens` can be asked to do.
        #[derive(clap::Subcommand)]
        #[allow(clippy::large_enum_variant)] // built once per process
        pub enum Verb {
            $(#[allow(missing_docs)] $variant($module::Args),)*
        }

        /// Reads a command line.
        ///
        /// All verbs together have ten times the options and help of one, and setting them up is
        /// much of the work of a short answer. So the named verb is tried alone; the whole
        /// command line is set up only for other words or wrong arguments.
        pub fn parse(args: &[OsString]) -> Result<Verb, clap::Error> {
            match args.get(1).and_then(|word| word.to_str()) {
                $(Some(stringify!($module)) => {
                    let verb = clap::Command::new(stringify!($module));
                    let verb = <$module::Args as clap::Args>::augment_args(verb);
                    let alone = clap::Command::new("queens").subcommand(verb);
                    if let Ok(matches) = alone.try_get_matches_from(args) {
                        return Verb::from_arg_matches(&matches);
                    }
                })*
                _ => {}
            }
            let matches = take_negative_numbers(Cli::command()).try_get_matches_from(args)?;
            Cli::from_arg_matches(&matches).map(|cli| cli.verb)
        }

        /// Runs one verb.
        pub fn run(verb: Verb) -> anyhow::Result<ExitCode> {
            match verb {
                $(Verb::$variant(args) => $module::run(args),)*
            }
        }
    };
}

verbs! {
    Count => count,
    List => list,
    First => first,
    Solve => solve,
    Encode => encode,
    Random => random,
    Check => check,
    Engines => engines,
    Devices => devices,
    Campaign => campaign,
    Worker => worker,
    Estimate => estimate,
    Approximate => approximate,
    Known => known,
    Bench => bench,
    Show => show,
    Trace => trace,
    Tree => tree,
    Play => play,
    Serve => serve,
    Code => code,
    Asm => asm,
    Completions => completions,
    Man => man,
}

/// The whole command line.
#[derive(clap::Parser)]
#[command(
    name = "queens",
    version,
    about = "Count, list, find, draw and explain the solutions of the N-Queens problem",
    long_about = "Count, list, find, draw and explain the solutions of the N-Queens problem: \
                  place N queens on an N by N board so that none attacks another.\n\n\
                  Answers go to standard output and nothing else does. Exit codes: 0 answered, \
                  1 answered \"no\", 2 misuse or failure, 3 stopped in time.",
    after_help = "`queens help VERB` explains a verb, with examples.",
    max_term_width = 100,
    disable_help_subcommand = true,
    arg_required_else_help = true
)]
pub struct Cli {
    #[allow(missing_docs)]
    #[command(subcommand)]
    pub verb: Verb,
}
