//! The command `queens`, and the course program `Queens`: one executable that looks at
//! the name it was called by.
//!
//! This file is the only place that prints errors and picks exit codes. A verb lives in
//! `cmd/<verb>.rs` and returns either its own exit code or an error; what that error
//! means for the outside world is decided here, once:
//!
//! | code | meaning |
//! |---|---|
//! | 0 | answered; also when the reader of standard output closed the pipe |
//! | 1 | answered "no": the check failed, there is no solution |
//! | 2 | misuse or failure: one line `queens: ...` on standard error |
//! | 3 | stopped before the end, and can be resumed |

mod cmd;
mod course;
mod support;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::Parser;
use clap::error::ErrorKind;

use queens_campaign::text::plain;
use support::out::{self, Out};

/// Exit code of a question answered with "no".
pub const NO: u8 = 1;
/// Exit code of misuse and of failure.
pub const FAILURE: u8 = 2;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    let name = args.first().and_then(|arg0| Path::new(arg0).file_stem());
    if name.is_some_and(|stem| stem == "Queens") {
        return finish("Queens", course::main(&args[1..]));
    }
    let result = match cmd::Cli::try_parse_from(&args) {
        Ok(cli) => cmd::run(cli.verb),
        Err(error) => refuse(&error, &help_for(&args)),
    };
    finish("queens", result)
}

/// Turns the outcome of a verb into an exit code, printing the error if there is one.
fn finish(program: &str, result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        // A reader that has seen enough, such as `head`, is not a failure.
        Err(error) if out::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may itself be closed or full; there is nobody left to tell.
            // What a stranger wrote into a file may be quoted: it stays short and harmless.
            let line = plain(&one_line(&format!("{error:#}")), 2_000);
            let _ = std::io::Write::write_fmt(
                &mut std::io::stderr(),
                format_args!("{program}: {line}\n"),
            );
            ExitCode::from(FAILURE)
        }
    }
}

/// Answers a command line that did not parse: help and version are answers, a bare
/// `queens` gets the overview on standard error, everything else becomes one line.
fn refuse(error: &clap::Error, help: &str) -> anyhow::Result<ExitCode> {
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
            eprint!("{rendered}");
            Ok(ExitCode::from(FAILURE))
        }
        ErrorKind::InvalidUtf8 => {
            anyhow::bail!("an argument is not valid UTF-8; only file names may be arbitrary bytes")
        }
        _ => Err(anyhow::anyhow!(condense(&rendered.to_string(), help))),
    }
}

/// The command that prints the help of the verb on this command line, and of its own verb if it
/// has some.
fn help_for(args: &[OsString]) -> String {
    let all = cmd::Cli::command();
    let (mut at, mut help) = (&all, "queens".to_owned());
    for word in args.iter().skip(1).filter_map(|arg| arg.to_str()) {
        if let Some(verb) = at.find_subcommand(word) {
            at = verb;
            help = format!("{help} {}", verb.get_name());
        }
    }
    format!("{help} --help")
}

/// Condenses clap's message of several paragraphs into one line: the complaint, the tip
/// where there is one, and where to read on.
fn condense(message: &str, help: &str) -> String {
    let mut line = String::new();
    for paragraph in message.split("\n\n") {
        let paragraph = paragraph.trim();
        if let Some(complaint) = paragraph.strip_prefix("error: ") {
            line.push_str(complaint);
        } else if let Some(tip) = paragraph.strip_prefix("tip: ") {
            line.push_str("; ");
            line.push_str(tip);
        }
    }
    if line.is_empty() {
        line.push_str(message);
    }
    format!("{line} (see `{help}`)")
}

/// Makes sure that a message is one line, whatever the arguments it quotes contain.
fn one_line(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    let mut gap = false;
    for c in message.trim().chars() {
        if c == '\n' || c == ' ' {
            gap = true;
            continue;
        }
        if gap {
            line.push(' ');
            gap = false;
        }
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
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
            assert_eq!(help_for(&args), help, "{line}");
        }
    }

    #[test]
    fn the_command_line_definition_is_consistent() {
        cmd::Cli::command().debug_assert();
    }

    #[test]
    fn a_message_of_several_paragraphs_becomes_one_line() {
        let message = "error: unexpected argument '--thread' found\n\n  \
                       tip: a similar argument exists: '--threads'\n\n\
                       Usage: queens completions <SHELL>\n\nFor more information, try '--help'.\n";
        assert_eq!(
            condense(message, "queens completions --help"),
            "unexpected argument '--thread' found; a similar argument exists: '--threads' \
             (see `queens completions --help`)"
        );
    }

    #[test]
    fn control_characters_cannot_break_the_line() {
        assert_eq!(one_line("a\n  b\u{1b}[31mc\td"), "a b\\u{1b}[31mc\\td");
    }
}
