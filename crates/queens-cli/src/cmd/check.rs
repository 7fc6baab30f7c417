//! `queens check [FILE|PLACEMENT]...`: reads placements in any format and judges them by the
//! rule of the game alone.
//!
//! One placement gets a plain verdict; a stream of them, such as a whole listing, is
//! judged one by one in constant memory and gets a summary. The first verdict is held
//! back until it is known whether a second placement follows.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use queens::format::Reader;
use queens::json::Object;
use queens::{Board, Format, Origin, ParseError, Placement, check};

use crate::NO;
use crate::support::board::BoardArgs;
use crate::support::noun::counted;
use crate::support::out::Out;
use crate::support::{choice, size};

/// Check placements, and name every pair of queens that attack each other
///
/// Reads placements from files, from the command line or from standard input, in any format
/// that `queens list` writes; the format is detected. A placement is valid if it holds N queens
/// on an N by N board and none attacks another. Squares are named (row, column), counted
/// from 1. Queens do not shield each other: every pair that shares a line is named.
///
/// The columns of a full solution tell whether they count from 0 or from 1. Where they do not, a
/// line on standard error says how they are read, and --origin says how they are meant. A list of
/// fewer columns than the board has rows, such as a line of `queens trace 8`, needs `--n 8`.
///
/// With given queens, blocked squares or another number of queens the placement must answer
/// that board: given queens that are missing and queens on blocked squares are named.
///
/// Exit code 0: everything is valid; 1: something is not; 2: the input cannot be read.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens check '(2, 4, 1, 3)'                    valid
  queens check 1234                              names six attacking pairs
  queens check board.txt other.txt               boards drawn with . and Q
  queens list 8 --format fen | queens check      92 valid
  Queens -v 4 | queens check                     2 valid
  queens check '(2, 4, -, -)' --partial          queens may be missing
  queens check '(0, 4)' --n 8 --partial          the first rows of a larger board
  queens check '[1, 3, 3, 1]' --origin 0         squares are named from 0, too
  queens list 8 --given 1,4 | queens check --given 1,4
  queens check answer.txt --board puzzle.txt")]
pub struct Args {
    /// Files and placements to read; `-` or nothing is standard input
    #[arg(value_name = "FILE|PLACEMENT")]
    what: Vec<OsString>,

    /// The format of the input [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = choice::format())]
    format: Option<Format>,

    /// What columns count from, in lists of them and in the answer [default: 1, unless they tell]
    #[arg(
        long,
        value_name = "0|1",
        value_parser = choice::origin(),
        conflicts_with_all = ["given", "blocked", "queens", "board"]
    )]
    origin: Option<Origin>,

    /// The size of the board, if lists of columns are its first rows only
    #[arg(
        long,
        value_name = "N",
        value_parser = size::board_size,
    )]
    n: Option<usize>,

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
    let stdin = [OsString::from("-")];
    let what = match args.what.is_empty() {
        true => &stdin[..],
        false => &args.what,
    };
    if args.board.reads_stdin() && what.iter().any(|word| word == "-") {
        bail!("both the board and the placement would come from standard input");
    }
    let board = match args.board.has_size() {
        true => Some(args.board.board(None)?),
        false => None,
    };
    let mut judge = Judge {
        out: Out::stdout(),
        options: args.board,
        board,
        partial: args.partial,
        json: args.json,
        origin: args.origin.unwrap_or_default(),
        held: None,
        seen: 0,
        valid: 0,
    };
    for word in what {
        // A line on the first placement in doubt is enough for each source.
        let mut doubted = false;
        let Source { name, input } = source(word)?;
        let before = judge.seen;
        let mut reader = Reader::new(args.format);
        if let Some(origin) = args.origin {
            reader = reader.origin(origin);
        }
        if let Some(n) = args.n {
            reader = reader.size(n);
        }
        let place = (what.len() > 1).then_some(name.as_str());
        let refused = |error| choice::refused(&error, args.n, args.origin);
        read(
            &name,
            input,
            &mut reader,
            refused,
            |placement, at, doubt| {
                if let Some(doubt) = doubt.filter(|_| !doubted) {
                    match doubt {
                        Doubt::Origin(taken) => choice::tell_doubt(at, taken),
                        Doubt::Size => choice::tell_part(at, placement.n()),
                    }
                    doubted = true;
                }
                judge.take(placement, place)
            },
        )?;
        if judge.seen == before {
            return Err(ParseError::Empty).context(name);
        }
    }
    judge.finish()
}

/// Something to read placements from.
struct Source {
    name: String,
    input: Box<dyn Read>,
}

/// The file, the placement or the standard input that a word means.
fn source(word: &OsStr) -> anyhow::Result<Source> {
    let path = Path::new(word);
    if word.is_empty() {
        bail!("an argument is empty: give a placement, or the name of a file");
    }
    if word == "-" {
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            tell!("type or paste a placement, then Ctrl-D");
        }
        return Ok(Source {
            name: "standard input".to_owned(),
            input: Box::new(stdin),
        });
    }
    let opened = File::open(path);
    // A word that names no file may be a placement. If it is neither, a file was more likely meant.
    if opened.is_err()
        && let Some(text) = word.to_str().filter(|text| looks_like_a_placement(text))
    {
        return Ok(Source {
            name: text.lines().next().unwrap_or_default().to_owned(),
            input: Box::new(std::io::Cursor::new(text.to_owned())),
        });
    }
    let file = opened.with_context(|| format!("cannot open {}", path.display()))?;
    Ok(Source {
        name: path.display().to_string(),
        input: Box::new(file),
    })
}

/// Whether a word is a placement, or was meant to be one.
fn looks_like_a_placement(text: &str) -> bool {
    let bracket = text.trim_start().starts_with(['(', '[', '{']);
    // FEN with a slip. In a path, some folder begins with a letter.
    let rank = |rank: &str| rank.starts_with(|c: char| c.is_ascii_digit() || "Qq".contains(c));
    let fen = text.contains('/') && !text.contains('.') && text.split('/').all(rank);
    bracket || fen || Reader::new(None).only(text).is_ok()
}

/// What the text of a placement leaves open.
#[derive(Clone, Copy)]
enum Doubt {
    /// What columns count from; they were read from this origin.
    Origin(Origin),
    /// Whether it covers the whole board.
    Size,
}

/// Reads placements to the end, and hands each to `take`, with its place and its doubt.
fn read(
    name: &str,
    input: Box<dyn Read>,
    reader: &mut Reader,
    refused: impl Fn(ParseError) -> anyhow::Error,
    mut take: impl FnMut(Placement, &str, Option<Doubt>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
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
        let read = reader.line(text).map_err(&refused);
        if let Some(placement) = read.with_context(place)? {
            let part = reader.may_be_part().then_some(Doubt::Size);
            let doubt = reader.doubt().map(Doubt::Origin).or(part);
            let at = doubt.map(|_| place()).unwrap_or_default();
            take(placement, &at, doubt)?;
        }
    }
    let rest = reader.finish().map_err(refused);
    if let Some(placement) = rest.with_context(|| name.to_owned())? {
        take(placement, name, None)?;
    }
    Ok(())
}

/// Takes placements one by one and writes the verdicts.
struct Judge {
    out: Out,
    options: BoardArgs,
    /// The board of the file, or of the options with the size of the last placement.
    board: Option<Board>,
    partial: bool,
    json: bool,
    /// What squares are named from.
    origin: Origin,
    /// The first placement, until it is known whether there is a second, and where it stood.
    held: Option<(Placement, String)>,
    seen: u64,
    valid: u64,
}

impl Judge {
    /// Takes the next placement; `source` is its name if there are several sources.
    fn take(&mut self, placement: Placement, source: Option<&str>) -> anyhow::Result<()> {
        self.seen += 1;
        let place = |number: u64| match source {
            Some(name) => format!("placement {number}, {name}: "),
            None => format!("placement {number}: "),
        };
        if self.seen == 1 {
            self.held = Some((placement, place(1)));
            return Ok(());
        }
        if let Some((first, place)) = self.held.take() {
            self.judge(&first, &place)?;
        }
        let place = place(self.seen);
        self.judge(&placement, &place)
    }

    fn finish(mut self) -> anyhow::Result<ExitCode> {
        if let Some((only, _)) = self.held.take() {
            self.judge(&only, "")?;
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

    /// Judges one placement; `prefix` says which of several it is.
    fn judge(&mut self, placement: &Placement, prefix: &str) -> anyhow::Result<()> {
        if self.options.is_used() {
            return self.judge_on_board(placement, prefix);
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
        if missing {
            let queens = counted(queens, "queen");
            let line = format!("{prefix}{queens}, not {n}, on a board of {n} by {n}");
            self.out.line(&line)?;
        }
        for attack in found {
            let told = attack.told(self.origin);
            self.out.line(&format!("{prefix}{told}"))?;
        }
        Ok(())
    }

    /// Judges a placement that should answer a board.
    fn judge_on_board(&mut self, placement: &Placement, prefix: &str) -> anyhow::Result<()> {
        let board = match self.board.take() {
            // A board from a file stays, whatever the size of the placement.
            Some(board) if self.options.has_size() || board.n() == placement.n() => board,
            _ => self.options.board(Some(placement.n()))?,
        };
        let queens = placement.queens().len();
        let wanted = match self.partial && queens < board.queens() {
            // Fewer queens will do, but not fewer than the given ones.
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
        for line in report.to_string().lines() {
            self.out.line(&format!("{prefix}{line}"))?;
        }
        Ok(())
    }
}
