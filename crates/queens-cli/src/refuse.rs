//! The answer to a command line that cannot be parsed.
//!
//! Help and version are answers. Everything else becomes one line: clap's complaint, a guess at
//! what was meant where there is a good one, and where to read on. clap's own guesses are
//! generous: it offers zsh for tcsh, and `-- --json` for an option that a verb does not have. A
//! guess is passed on only where a slip or two of the finger would explain it.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::FAILURE;
use crate::cmd::Cli;
use crate::support::out::Out;

/// Answers a command line that did not parse: help and version are answers, a bare
/// `queens` gets the overview on standard error, everything else becomes one line.
pub fn refuse(error: &clap::Error, args: &[OsString]) -> anyhow::Result<ExitCode> {
    let rendered = error.render();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let mut out = Out::stdout();
            if std::io::stdout().is_terminal() {
                out.text(&rendered.ansi().to_string())?;
            } else {
                out.text(&rendered.to_string())?;
            }
            out.finish()?;
            Ok(ExitCode::SUCCESS)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            tell!("{}", rendered.to_string().trim_end());
            Ok(ExitCode::from(FAILURE))
        }
        ErrorKind::InvalidUtf8 => {
            anyhow::bail!("an argument is not valid UTF-8; only file names may be arbitrary bytes")
        }
        _ => {
            let (name, verb) = reached(args);
            Err(anyhow::anyhow!(
                "{}{} (see `{name} --help`)",
                complaint(error, &rendered.to_string(), &name),
                guess(error, &verb).map_or(String::new(), |guess| format!("; {guess}")),
            ))
        }
    }
}

/// The last verb on this command line, which may be a verb of a verb: its full name and its
/// definition.
fn reached(args: &[OsString]) -> (String, clap::Command) {
    let (mut at, mut name) = (Cli::command(), "queens".to_owned());
    for word in args.iter().skip(1).filter_map(|arg| arg.to_str()) {
        if let Some(verb) = at.find_subcommand(word) {
            name = format!("{name} {}", verb.get_name());
            at = verb.clone();
        }
    }
    (name, at)
}

/// What is wrong: the first of clap's paragraphs, where we have no better words.
fn complaint(error: &clap::Error, rendered: &str, reached: &str) -> String {
    if let Some(verb) = word(error, ContextKind::InvalidSubcommand) {
        return match reached {
            "queens" => format!("there is no verb '{verb}'"),
            _ => format!("`{reached}` has no verb '{verb}'"),
        };
    }
    let first = rendered.split("\n\n").next().unwrap_or(rendered).trim();
    first.strip_prefix("error: ").unwrap_or(first).to_owned()
}

/// What was meant, if it is close to what was written after the verb `reached`.
fn guess(error: &clap::Error, reached: &clap::Command) -> Option<String> {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    if reached.get_name() == "known"
        && let Some(n) = word(error, ContextKind::InvalidValue).filter(|word| is_number(word))
    {
        return Some(format!(
            "the number for one N is looked up by `queens count --known {n}`"
        ));
    }
    if let Some(verb) = word(error, ContextKind::InvalidSubcommand) {
        if is_number(verb) {
            return Some(format!(
                "the solutions are counted by `queens count {verb}`"
            ));
        }
        let small = verb.to_lowercase();
        if reached.find_subcommand(&small).is_some() {
            return Some(format!("did you mean '{small}'?"));
        }
    }
    let pairs = [
        (
            ContextKind::InvalidSubcommand,
            ContextKind::SuggestedSubcommand,
        ),
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        (ContextKind::InvalidValue, ContextKind::SuggestedValue),
    ];
    let (written, offered) = pairs
        .into_iter()
        .find_map(|(written, offered)| Some((word(error, written)?, error.get(offered)?)))?;
    let offered: Vec<&str> = match offered {
        ContextValue::String(one) => vec![one],
        ContextValue::Strings(several) => several.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    let meant = offered.into_iter().find(|meant| near(written, meant))?;
    Some(format!("did you mean '{meant}'?"))
}

fn word(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(word) => Some(word),
        _ => None,
    }
}

/// Whether at most one slip for every three letters turns one word into the other.
fn near(written: &str, meant: &str) -> bool {
    let bare = |word: &str| word.trim_start_matches('-').to_lowercase();
    let (written, meant) = (bare(written), bare(meant));
    let letters = written.chars().count().max(meant.chars().count());
    strsim::osa_distance(&written, &meant) <= (letters / 3).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_to_read_is_that_of_the_last_verb() {
        for (line, help) in [
            ("queens", "queens --help"),
            ("queens --nonsense", "queens --help"),
            ("queens nonsense", "queens --help"),
            ("queens count x", "queens count --help"),
            ("queens count list", "queens count --help"),
            ("queens campaign", "queens campaign --help"),
            ("queens campaign new x y", "queens campaign new --help"),
            ("queens bench count --from x", "queens bench count --help"),
        ] {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(format!("{} --help", reached(&args).0), help, "{line}");
        }
    }

    #[test]
    fn what_is_meant_is_guessed_only_where_it_is_near() {
        for (line, said) in [
            (
                "queens count 8 --thread 2",
                "unexpected argument '--thread' found; did you mean '--threads'? \
                 (see `queens count --help`)",
            ),
            (
                "queens cuont 8",
                "there is no verb 'cuont'; did you mean 'count'? (see `queens --help`)",
            ),
            (
                "queens COUNT 8",
                "there is no verb 'COUNT'; did you mean 'count'? (see `queens --help`)",
            ),
            (
                "queens nosuch",
                "there is no verb 'nosuch' (see `queens --help`)",
            ),
            (
                "queens bench list",
                "`queens bench` has no verb 'list' (see `queens bench --help`)",
            ),
            (
                "queens campaign STATUS",
                "`queens campaign` has no verb 'STATUS'; did you mean 'status'? \
                 (see `queens campaign --help`)",
            ),
            (
                "queens 8",
                "there is no verb '8'; the solutions are counted by `queens count 8` \
                 (see `queens --help`)",
            ),
            (
                "queens show 8 --frobnicate",
                "unexpected argument '--frobnicate' found (see `queens show --help`)",
            ),
        ] {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = crate::cmd::parse(&args).err().expect("it does not parse");
            let refused = refuse(&error, &args).expect_err("it is no answer");
            assert_eq!(refused.to_string(), said, "{line}");
        }
        for (line, said) in [
            ("queens completions tcsh", "zsh]"),
            ("queens completions fsh", "'fish'?"),
            ("queens known 8", "`queens count --known 8`"),
            ("queens known --verify x", "2 or 0.5"),
        ] {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = crate::cmd::parse(&args).err().expect("it does not parse");
            let refused = refuse(&error, &args).expect_err("it is no answer");
            let told = refused.to_string();
            assert!(told.contains(&format!("{said} (see ")), "{line}: {told}");
        }
    }
}
