//! A board on the command line: given queens, blocked squares, another number of queens.
//!
//! The options are the same for every verb that takes a board. Without them the board is the
//! plain one of size N. A file may hold the board as a drawing or as JSON; the other options
//! add to it, and N, if it is given too, must be its size.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use queens::format::Reader;
use queens::{Board, Square, puzzle};

use super::size;

// Not doc comments: clap would take them for the help of the verb that flattens these.

// N and the options that say which board is meant.
#[derive(clap::Args, Clone, Debug)]
pub struct SizeAndBoard {
    /// The size of the board
    #[arg(
        value_name = "N",
        value_parser = size::board_size,
        required_unless_present = "board"
    )]
    n: Option<usize>,

    #[command(flatten)]
    options: BoardArgs,
}

impl SizeAndBoard {
    /// The board that is meant.
    pub fn board(&self) -> anyhow::Result<Board> {
        self.options.board(self.n)
    }

    /// Whether the board itself comes from standard input.
    #[cfg(feature = "player")]
    pub fn reads_stdin(&self) -> bool {
        self.options.reads_stdin()
    }
}

// The options alone, for the verbs that learn the size from a placement.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct BoardArgs {
    /// Queens that stand already, each as ROW,COL from 1: --given "1,4 2,7"
    #[arg(long, help_heading = "The board", value_name = "SQUARES", value_parser = squares)]
    given: Option<Squares>,

    /// Squares on which no queen may stand: --blocked "(1, 1) (8, 8)"
    #[arg(long, help_heading = "The board", value_name = "SQUARES", value_parser = squares)]
    blocked: Option<Squares>,

    /// How many queens stand in the end, given ones included [default: N]
    #[arg(long, help_heading = "The board", value_name = "K", value_parser = size::amount)]
    queens: Option<u64>,

    /// A file with the board, or `-`: rows of `.`, Q (given) and # (blocked), or JSON
    #[arg(long, help_heading = "The board", value_name = "FILE")]
    board: Option<PathBuf>,
}

/// Some squares, as one value for clap.
#[derive(Clone, Debug)]
struct Squares(Vec<Square>);

fn squares(text: &str) -> Result<Squares, String> {
    puzzle::squares(text)
        .map(Squares)
        .map_err(|error| error.to_string())
}

impl BoardArgs {
    /// Whether any option was given.
    pub fn is_used(&self) -> bool {
        self.given.is_some()
            || self.blocked.is_some()
            || self.queens.is_some()
            || self.board.is_some()
    }

    /// Whether the board itself comes from standard input.
    pub fn reads_stdin(&self) -> bool {
        self.board.as_deref() == Some(Path::new("-"))
    }

    /// Whether the size of the board is known without N.
    pub fn has_size(&self) -> bool {
        self.board.is_some()
    }

    /// The board that is meant, of size `n` unless it comes from a file.
    pub fn board(&self, n: Option<usize>) -> anyhow::Result<Board> {
        let board = match (&self.board, n) {
            (Some(path), n) => {
                let (name, text) = read(path)?;
                // An empty text is a board of size 0, but nobody means that by an empty file.
                if text.trim_start_matches('\u{feff}').trim().is_empty() {
                    bail!("{name} is empty: a board is rows of . Q and #, or JSON");
                }
                let board: Board = text.parse().with_context(|| name.clone())?;
                if let Some(n) = n
                    && n != board.n()
                {
                    bail!("{name} has a board of size {}, and N is {n}", board.n());
                }
                board
            }
            (None, Some(n)) => Board::new(n),
            (None, None) => bail!("there is no board: say N, or --board FILE"),
        };
        self.add_to(board)
    }

    /// The board with what the options besides the file say.
    fn add_to(&self, mut board: Board) -> anyhow::Result<Board> {
        // Given queens first, so that a smaller number of queens is refused for that reason.
        if let Some(Squares(given)) = &self.given {
            board = board.with_given(given.iter().copied())?;
        }
        if let Some(Squares(blocked)) = &self.blocked {
            board = board.with_blocked(blocked.iter().copied())?;
        }
        if let Some(queens) = self.queens {
            board = board.with_queens(usize::try_from(queens).unwrap_or(usize::MAX))?;
        }
        Ok(board)
    }
}

/// The name of a file, for messages, and its text.
fn read(path: &Path) -> anyhow::Result<(String, String)> {
    let (name, input): (String, Box<dyn Read>) = if path == Path::new("-") {
        ("standard input".to_owned(), Box::new(std::io::stdin()))
    } else {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        (name, Box::new(file))
    };
    let mut text = String::new();
    input
        .take(Reader::LONGEST as u64 + 1)
        .read_to_string(&mut text)
        .with_context(|| format!("cannot read {name}"))?;
    if text.len() > Reader::LONGEST {
        bail!("{name} is longer than any board");
    }
    Ok((name, text))
}
