//! The command `queens`, and the course program `Queens`: one executable that looks at
//! the name it was called by.
//!
//! A verb lives in `cmd/<verb>.rs` and returns its own exit code or an error; only this file
//! prints errors and turns them into exit codes. `course.rs` is complete in itself, so that it
//! can be read and compiled alone. The exit codes of the verbs:
//!
//! | code | meaning |
//! |---|---|
//! | 0 | answered; also when the reader of standard output closed the pipe |
//! | 1 | answered "no": the check failed, there is no solution |
//! | 2 | misuse or failure: one line `queens: ...` on standard error |
//! | 3 | stopped in time: a campaign can go on, `solve --time-limit` has no answer yet |

/// Writes a line to standard error. If that is closed, or a full disk, the line is lost and the work goes
/// on, where `eprintln!` would panic.
macro_rules! tell {
    ($($line:tt)*) => {{
        let line = format!("{}\n", format_args!($($line)*));
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    }};
}

mod cmd;
mod course;
mod refuse;
mod support;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use queens_campaign::text::plain;
use support::out;

/// Exit code of a question answered with "no".
pub const NO: u8 = 1;
/// Exit code of misuse and of failure.
pub const FAILURE: u8 = 2;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    let name = args.first().and_then(|arg0| Path::new(arg0).file_stem());
    if name.is_some_and(|stem| stem == "Queens") {
        return course::main();
    }
    let args = help_last(args);
    let result = match cmd::parse(&args) {
        Ok(verb) => cmd::run(verb),
        Err(error) => refuse::refuse(&error, &args),
    };
    finish(result)
}

/// `queens help count` is another way to write `queens count --help`.
fn help_last(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.get(1).is_some_and(|word| word == "help") {
        args.remove(1);
        args.push("--help".into());
    }
    args
}

/// Turns the outcome of a verb into an exit code, printing the error if there is one.
fn finish(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        // A reader that has seen enough, such as `head`, is not a failure.
        Err(error) if out::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // The message may quote what a stranger wrote into a file: keep it short and harmless.
            let line = plain(&one_line(&format!("{error:#}")), 2_000);
            tell!("queens: {line}");
            ExitCode::from(FAILURE)
        }
    }
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
    use clap::CommandFactory;

    #[test]
    fn the_command_line_definition_is_consistent() {
        cmd::Cli::command().debug_assert();
    }

    #[test]
    fn control_characters_cannot_break_the_line() {
        assert_eq!(one_line("a\n  b\u{1b}[31mc\td"), "a b\\u{1b}[31mc\\td");
    }
}
