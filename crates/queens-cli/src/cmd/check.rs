//! `queens check [FILE]`: reads placements in any format and judges them by the rule of
//! the game alone.
//!
//! One placement gets a plain verdict; a stream of them, such as a whole listing, is
//! judged one by one in constant memory and gets a summary. The first verdict is held
//! back until it is known whether a second placement follows.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use queens::format::Reader;
use queens::json::Object;
use queens::{Board, Format, ParseError, Placement, check};

use crate::NO;
use crate::support::board::BoardArgs;
use crate::support::choice;
use crate::support::out::Out;

/// Check a placement, and name every pair of queens that attack each other
///
/// Reads one placement or many, from a file or from standard input, in any format that
/// `queens list` writes; the format is detected. A placement is valid if it holds N queens
/// on an N by N board and none attacks another. Squares are named (row, column), counted
/// from 1. Queens do not shield each other: every pair that shares a line is named.
///
/// With given queens, blocked squares or another number of queens the placement must answer
/// that board: given queens that are missing and queens on blocked squares are named.
///
/// Exit code 0: everything is valid; 1: something is not; 2: the input cannot be read.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  echo '(2, 4, 1, 3)' | queens check             valid
  echo '(1, 2, 3, 4)' | queens check             names six attacking pairs
  queens check board.txt                         a board drawn with . and Q
  queens list 8 --format fen | queens check      92 valid
  echo '(2, 4, 0, 0)' | queens check --partial   queens may be missing
  echo '1 3 0 2' | queens check --format zero-based
  queens list 8 --given 1,4 | queens check --given 1,4
  queens check answer.txt --board puzzle.txt")]
pub struct Args {
    /// The file to read; `-` or nothing is standard input
    file: Option<PathBuf>,

    /// The format of the input [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = choice::format())]
    format: Option<Format>,

    /// Accept fewer than N queens, as long as none attacks another
    #[arg(long)]
    partial: bool,

    /// Print one JSON object per placement, with squares as [row, column] from 0
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    board: BoardArgs,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let path = args.file.as_deref().filter(|path| *path != Path::new("-"));
    if path.is_none() && args.board.reads_stdin() {
        bail!("both the board and the placement would come from standard input");
    }
    let board = match args.board.has_size() {
        true => Some(args.board.board(None)?),
        false => None,
    };
    let (name, input): (String, Box<dyn Read>) = match path {
        Some(path) => {
            let file =
                File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
            (path.display().to_string(), Box::new(file))
        }
        None => {
            let stdin = std::io::stdin();
            if stdin.is_terminal() {
                eprintln!("type or paste a placement, then Ctrl-D");
            }
            ("standard input".to_owned(), Box::new(stdin))
        }
    };
    let mut judge = Judge {
        out: Out::stdout(),
        options: args.board,
        board,
        partial: args.partial,
        json: args.json,
        held: None,
        seen: 0,
        valid: 0,
    };
    let mut reader = Reader::new(args.format);
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    let mut number = 0u64;
    loop {
        line.clear();
        // A line without an end must not fill the memory.
        let length = (&mut input)
            .take(Reader::LONGEST as u64 + 1)
            .read_until(b'\n', &mut line)
            .with_context(|| format!("cannot read {name}"))?;
        if length == 0 {
            break;
        }
        number += 1;
        let place = || format!("{name}, line {number}");
        if length > Reader::LONGEST {
            return Err(ParseError::TooLong).with_context(place);
        }
        let text =
            std::str::from_utf8(&line).with_context(|| format!("{}: not valid UTF-8", place()))?;
        if let Some(placement) = reader.line(text).with_context(place)? {
            judge.take(placement)?;
        }
    }
    if let Some(placement) = reader.finish().with_context(|| name.clone())? {
        judge.take(placement)?;
    }
    if judge.seen == 0 {
        return Err(ParseError::Empty).context(name);
    }
    judge.finish()
}

/// Takes placements one by one and writes the verdicts.
struct Judge {
    out: Out,
    options: BoardArgs,
    /// The board of the file, or of the options with the size of the placement before.
    board: Option<Board>,
    partial: bool,
    json: bool,
    /// The first placement, until it is known whether there is a second.
    held: Option<Placement>,
    seen: u64,
    valid: u64,
}

impl Judge {
    fn take(&mut self, placement: Placement) -> anyhow::Result<()> {
        self.seen += 1;
        if self.seen == 1 {
            self.held = Some(placement);
            return Ok(());
        }
        if let Some(first) = self.held.take() {
            self.judge(&first, Some(1))?;
        }
        self.judge(&placement, Some(self.seen))
    }

    fn finish(mut self) -> anyhow::Result<ExitCode> {
        if let Some(only) = self.held.take() {
            self.judge(&only, None)?;
            if self.valid == 1 && !self.json {
                self.out.line("valid")?;
            }
        } else if !self.json {
            let wrong = self.seen - self.valid;
            let summary = match wrong {
                0 => format!("{} valid", self.valid),
                _ => format!("{} valid, {wrong} not", self.valid),
            };
            self.out.line(&summary)?;
        }
        self.out.finish()?;
        let all = self.valid == self.seen;
        Ok(if all {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(NO)
        })
    }

    /// Judges one placement; `number` is its place in a stream of several.
    fn judge(&mut self, placement: &Placement, number: Option<u64>) -> anyhow::Result<()> {
        if self.options.is_used() {
            return self.judge_on_board(placement, number);
        }
        let report = check(placement);
        let (n, queens) = (report.n(), report.queens());
        let missing = queens != n && !(self.partial && queens < n);
        let mut found = report.attacks().peekable();
        let valid = !missing && found.peek().is_none();
        self.valid += u64::from(valid);
        if self.json {
            let object = Object::new()
                .set("n", n)
                .set("queens", queens)
                .set("valid", valid)
                .list_through("attacks", found, |part| self.out.bytes(part))?;
            return self.out.line(&object.end());
        }
        if valid {
            return Ok(());
        }
        let prefix = prefix(number);
        if missing {
            let s = if queens == 1 { "" } else { "s" };
            let line = format!("{prefix}{queens} queen{s} on a {n} by {n} board, not {n}");
            self.out.line(&line)?;
        }
        for attack in found {
            self.out.line(&format!("{prefix}{attack}"))?;
        }
        Ok(())
    }

    /// The same for a placement that should answer a board.
    fn judge_on_board(&mut self, placement: &Placement, number: Option<u64>) -> anyhow::Result<()> {
        let board = match self.board.take() {
            // A board from a file stays, whatever comes.
            Some(board) if self.options.has_size() || board.n() == placement.n() => board,
            _ => self.options.board(Some(placement.n()))?,
        };
        let queens = placement.queens().len();
        let wanted = match self.partial && queens < board.queens() {
            // As many as there are will do, if they are not fewer than the given ones.
            true => board.clone().with_queens(queens.max(board.given().len()))?,
            false => board.clone(),
        };
        self.board = Some(board);
        let report = wanted.check(placement);
        let valid = report.is_answer();
        self.valid += u64::from(valid);
        if self.json {
            let object = Object::new()
                .set("n", placement.n())
                .set("queens", queens)
                .set("valid", valid)
                .list("missing", report.missing())
                .list("on_blocked", report.on_blocked())
                .list_through("attacks", report.attacks(), |part| self.out.bytes(part))?;
            return self.out.line(&object.end());
        }
        if valid {
            return Ok(());
        }
        let prefix = prefix(number);
        for line in report.to_string().lines() {
            self.out.line(&format!("{prefix}{line}"))?;
        }
        Ok(())
    }
}

/// What stands before a verdict in a stream of several.
fn prefix(number: Option<u64>) -> String {
    number.map_or(String::new(), |number| format!("placement {number}: "))
}
