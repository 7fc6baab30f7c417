//! `queens show SOLUTION|N`: a board as a picture.
//!
//! The library makes the pictures; this file finds out which board is meant and turns SVG
//! into PNG. A bare number is a size: it shows the first solution of the search or, where the
//! search would take long, a solution made by formula. Anything else is a placement in one of
//! the formats of `queens list`, read as `queens check` reads it. Two options show something
//! else: the diagonals of a square, and a row of bit vectors.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use anyhow::{Context, bail};
use queens::board::bitmask::RowBits;
use queens::format::Reader;
use queens::json::Object;
use queens::render::diagonals::Diagonals;
use queens::render::{Picture, Theme, bits, latex, svg, text, typst};
use queens::{Board, Origin, ParseError, Placement, Square, construct};

use crate::NO;
use crate::support::board::BoardArgs;
use crate::support::out::Out;
use crate::support::picture::png;
use crate::support::{choice, size};

/// The sizes in pixels that a picture may have.
const SIZES: std::ops::RangeInclusive<u64> = 32..=8192;

/// The largest board for which the first solution is searched and not constructed: beyond
/// it the search takes seconds, then hours.
const SEARCHED: usize = 20;

/// Draw a board: a solution or any other placement
///
/// SOLUTION is a placement in any format of `queens list`, such as "(2, 4, 1, 3)", "2 4 1 3" or
/// 2413. A bare number N up to 100 means a solution of N queens: the first one of the search up
/// to N = 20, one made by formula beyond. `-` reads a placement from standard input.
///
/// The columns of a full solution tell whether they count from 0 or from 1. Where they do not, a
/// line on standard error says how they are read, and --origin says how they are meant. A list of
/// fewer columns than the board has rows, such as a line of `queens trace 8`, needs `--n 8`.
///
/// On a board with given queens or blocked squares, N or nothing means its first answer (any
/// answer beyond N = 20), and `--question` the board alone. Blocked squares are drawn as #. Where
/// queens are given, they are Q and those that were added q; otherwise all are Q. A line on
/// standard error says where a placement contradicts the board.
///
/// `N --diagonals ROW,COL` draws instead the two diagonals of a square on a board of N by N, with
/// row - column and row + column along them; rows and columns count from 0. `--bits` works out one
/// row of the search with bit vectors, column 0 last: what is attacked, what is free, which square
/// is taken, and the vectors of the next row.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens show 8
  queens show \"(2, 4, 1, 3)\" --format unicode
  queens show 2413
  queens trace 8 | tail -2 | head -1 | queens show -
  queens trace 8 | sed -n 5p | queens show - --n 8 --origin 0
  queens show \"(1, 3, 2, 4)\" --attacks
  queens show 8 --format svg --theme dark > board.svg
  queens show 40 --format png --size 2000 > board.png
  queens list 6 --limit 1 | queens show - --format latex > board.tex
  queens show 8 --diagonals 1,5
  queens show --bits 0001,1001,0101
  queens show --bits 0001,1001,0101 --json | jq -r .poss
  queens show 8 --given 1,4 --blocked \"8,1 8,8\"
  queens show --board puzzle.txt --question --format svg > puzzle.svg
  queens show 8 --given 1,4 --question --json | queens count --board -")]
pub struct Args {
    /// A placement, a number of queens, or `-` for standard input
    #[arg(
        value_name = "SOLUTION|N",
        allow_hyphen_values = true,
        required_unless_present_any = ["bits", "board"]
    )]
    what: Option<String>,

    /// How to draw it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Print the placement, with --question the board, or what --diagonals or --bits works out,
    /// as a JSON object, from 0
    #[arg(long, conflicts_with_all = ["format", "attacks", "size", "theme"])]
    json: bool,

    /// What columns count from, in the placement and along the edges of the picture [default: 1,
    /// unless the placement tells]
    #[arg(long, value_name = "0|1", value_parser = choice::origin())]
    origin: Option<Origin>,

    /// The size of the board, if the placement is its first rows only
    #[arg(
        long,
        value_name = "N",
        value_parser = size::board_size,
        conflicts_with_all = ["bits", "diagonals", "question"]
    )]
    n: Option<usize>,

    /// Draw the lines between queens that attack each other
    #[arg(long)]
    attacks: bool,

    /// Draw the two diagonals of this square, rows and columns from 0; text, svg and png
    #[arg(
        long,
        value_name = "ROW,COL",
        value_parser = square,
        conflicts_with_all = ["attacks", "bits", "origin", "given", "blocked", "queens", "board"]
    )]
    diagonals: Option<Square>,

    /// Work out a row from the three vectors that enter it, in binary
    #[arg(
        long,
        value_name = "LEFTDIA,COL,RIGHTDIA",
        value_parser = vectors,
        conflicts_with_all = ["what", "attacks", "origin", "given", "blocked", "queens", "board"]
    )]
    bits: Option<(usize, RowBits)>,

    /// Draw the board alone, with its given queens and no others
    #[arg(long, conflicts_with_all = ["bits", "diagonals"])]
    question: bool,

    /// With --bits, take this square, in binary, and not the lowest free one
    #[arg(long, value_name = "BIT")]
    place: Option<String>,

    /// Width and height in pixels, for svg and png
    #[arg(long, value_name = "PX", value_parser = size::amount)]
    size: Option<u64>,

    /// Colours, for all formats but text and unicode
    #[arg(long, value_enum)]
    theme: Option<ThemeArg>,

    #[command(flatten)]
    board: BoardArgs,
}

/// The formats of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Q and dots
    Text,
    /// A frame and chess queens
    Unicode,
    /// Scalable vector graphics
    Svg,
    #[cfg_attr(feature = "png", doc = "A bitmap")]
    #[cfg_attr(not(feature = "png"), doc = "A bitmap; not in this build")]
    Png,
    /// A LaTeX document that uses TikZ
    Latex,
    /// A Typst document
    Typst,
}

/// The themes, as clap reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ThemeArg {
    /// Dark queens on a pale board
    Light,
    /// Pale queens on a dark board
    Dark,
}

impl From<ThemeArg> for Theme {
    fn from(theme: ThemeArg) -> Theme {
        match theme {
            ThemeArg::Light => Theme::Light,
            ThemeArg::Dark => Theme::Dark,
        }
    }
}

/// Reads a square such as `1,5`, from 0.
fn square(text: &str) -> Result<Square, String> {
    let number = |text: &str| size::board_size(text.trim()).ok();
    text.split_once(',')
        .and_then(|(row, col)| Some(Square::new(number(row)?, number(col)?)))
        .ok_or_else(|| "a square is a row and a column from 0, such as 1,5".to_owned())
}

/// Reads a vector in binary.
fn binary(text: &str) -> Option<u32> {
    let digits =
        (1..=32).contains(&text.len()) && text.bytes().all(|digit| digit == b'0' || digit == b'1');
    u32::from_str_radix(text, 2).ok().filter(|_| digits)
}

/// Reads three vectors in the order of the question's program, and how long they are.
fn vectors(text: &str) -> Result<(usize, RowBits), String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let even = words.iter().all(|word| word.len() == words[0].len());
    match words[..] {
        [left_dia, col, right_dia] if even => {
            let row = binary(left_dia).and_then(|right| {
                Some(RowBits {
                    right,
                    down: binary(col)?,
                    left: binary(right_dia)?,
                })
            });
            row.map(|row| (col.len(), row))
        }
        _ => None,
    }
    .ok_or_else(|| {
        "three vectors of the same length, at most 32 zeros and ones each, are needed, such as \
         0001,1001,0101"
            .to_owned()
    })
}

/// The square that `--place` asks for, in a row of `n`.
fn place(n: usize, row: RowBits, text: &str) -> anyhow::Result<u32> {
    let bit = binary(text).filter(|bit| text.len() == n && bit.count_ones() == 1);
    let Some(bit) = bit else {
        bail!("--place is {n} zeros and ones with a single one, not {text:?}");
    };
    let free = row.possible(u32::MAX >> (32 - n));
    anyhow::ensure!(free & bit != 0, "the square {text} is attacked");
    Ok(bit)
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let Some((n, row)) = args.bits {
        anyhow::ensure!(
            args.format == Format::Text && args.size.is_none() && args.theme.is_none(),
            "--bits prints text; it has no picture"
        );
        let place = args.place.as_deref().map(|text| place(n, row, text));
        let place = place.transpose()?;
        let mut out = Out::stdout();
        match args.json {
            true => out.line(&bits::json(n, row, place).end())?,
            false => out.text(&bits::row(n, row, place))?,
        }
        out.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    anyhow::ensure!(args.place.is_none(), "--place belongs to --bits");
    let what = args.what.as_deref().unwrap_or_default();
    if args.size.is_some() && !matches!(args.format, Format::Svg | Format::Png) {
        bail!("--size is for --format svg and png; the other formats have no pixels");
    }
    if args.theme.is_some() && matches!(args.format, Format::Text | Format::Unicode) {
        bail!("--theme is for --format svg, png, latex and typst; text has no colours here");
    }
    if args.format == Format::Png && std::io::stdout().is_terminal() {
        bail!("a PNG is no text; send it to a file: queens show ... --format png > board.png");
    }
    let pixels = match args.size {
        Some(size) if !SIZES.contains(&size) => bail!(
            "a picture is {} to {} pixels wide, not {size}",
            SIZES.start(),
            SIZES.end()
        ),
        size => size.map(|size| size as u32),
    };
    if let Some(square) = args.diagonals {
        let n = size::board_size(what).map_err(anyhow::Error::msg)?;
        let mut figure = Diagonals::new(n, square)?;
        figure.theme = args.theme.unwrap_or(ThemeArg::Light).into();
        figure.size = pixels.unwrap_or(figure.size);
        let bytes = match args.format {
            _ if args.json => {
                let object = Object::new()
                    .set("n", n)
                    .set("square", square)
                    .set("diag", figure.difference())
                    .set("anti", figure.sum());
                format!("{}\n", object.end()).into_bytes()
            }
            Format::Text => figure.text().into_bytes(),
            Format::Svg => figure.svg().into_bytes(),
            Format::Png => png(&figure.svg())?,
            _ => bail!("--diagonals is drawn as text, svg or png"),
        };
        let mut out = Out::stdout();
        out.bytes(&bytes)?;
        out.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    let (found, board) = match args.board.is_used() || args.question {
        true => on_board(&args, what)?,
        false => (placement(&args, what)?, None),
    };
    if args.json || found.is_none() {
        let mut out = Out::stdout();
        let code = match &found {
            Some(_) if args.question => {
                let board = board.context("a question is a board")?;
                out.line(&board.to_json())?;
                ExitCode::SUCCESS
            }
            Some(placement) => {
                out.line(&placement.display(queens::Format::Json)?.to_string())?;
                ExitCode::SUCCESS
            }
            None => {
                let format = match args.json {
                    true => queens::Format::Json,
                    false => queens::Format::Tuple,
                };
                let n = match &board {
                    Some(board) => board.n(),
                    None => size::board_size(what).map_err(anyhow::Error::msg)?,
                };
                out.line(&choice::no_solution(format, n))?;
                ExitCode::from(NO)
            }
        };
        out.finish()?;
        return Ok(code);
    }
    let placement = found.context("there is no board to draw")?;
    let mut picture = Picture::new(placement)?;
    picture.origin = args.origin.unwrap_or_default();
    if let Some(board) = board {
        picture = picture.on(&board);
    }
    picture.attacks = args.attacks;
    picture.theme = args.theme.unwrap_or(ThemeArg::Light).into();
    picture.size = pixels.unwrap_or(picture.size);
    let bytes = match args.format {
        Format::Text => text::board(&picture).into_bytes(),
        Format::Unicode => text::unicode(&picture).into_bytes(),
        Format::Svg => svg::board(&picture).into_bytes(),
        Format::Png => png(&svg::board(&picture))?,
        Format::Latex => latex::board(&picture).into_bytes(),
        Format::Typst => typst::board(&picture).into_bytes(),
    };
    let mut out = Out::stdout();
    out.bytes(&bytes)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The placement to draw on a board that is not the plain one, if it has an answer, and the board.
fn on_board(args: &Args, what: &str) -> anyhow::Result<(Option<Placement>, Option<Board>)> {
    if what == "-" && args.board.reads_stdin() {
        bail!("both the board and the placement would come from standard input");
    }
    let is_size = what.bytes().all(|b| b.is_ascii_digit()) && !is_columns(what);
    if !is_size || args.n.is_some() {
        if args.question {
            bail!("--question draws a board without a placement");
        }
        let Some(placement) = placement(args, what)? else {
            return Ok((None, None));
        };
        let board = args.board.board(Some(placement.n()))?;
        tell_contradiction(&board, &placement);
        return Ok((Some(placement), Some(board)));
    }
    let n = match what {
        "" => None,
        what => Some(size::board_size(what).map_err(anyhow::Error::msg)?),
    };
    let board = args.board.board(n)?;
    let n = board.n();
    if n > queens::render::MAX_PICTURE {
        return Err(too_large(n));
    }
    let placement = if args.question {
        Some(Placement::new(n, board.given().iter().copied())?)
    } else if n <= SEARCHED {
        board.first()
    } else {
        queens::solve(&board)?
    };
    Ok((placement, Some(board)))
}

/// Says in one line how a placement contradicts the board. Apart from the given queens, queens may
/// be missing: the placement may be unfinished.
fn tell_contradiction(board: &Board, placement: &Placement) {
    let report = board.check(placement);
    let missing = report.missing();
    let missing = missing.map(|queen| format!("the given queen on {queen} is missing"));
    let on_blocked = report.on_blocked();
    let on_blocked = on_blocked.map(|queen| format!("a queen stands on the blocked {queen}"));
    let (stand, most) = (placement.queens().len(), board.queens());
    let too_many = (stand > most).then(|| format!("it has {stand} queens, not {most}"));
    let mut reasons = missing.chain(on_blocked).chain(too_many);
    if let Some(first) = reasons.next() {
        let more = match reasons.count() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        tell!("queens: the placement contradicts the board: {first}{more}");
    }
}

/// The placement to draw; `None` for a size without a solution.
fn placement(args: &Args, what: &str) -> anyhow::Result<Option<Placement>> {
    let number = what.strip_prefix('-').unwrap_or(what);
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    // With --n, a number means columns.
    if digits && args.n.is_none() && !is_columns(what) {
        let n = size::board_size(what).map_err(anyhow::Error::msg)?;
        return solution(n);
    }
    let (text, name) = if what == "-" {
        let mut text = String::new();
        // Every placement that can be drawn fits; more than that is not read.
        std::io::stdin()
            .take(Reader::LONGEST as u64 + 1)
            .read_to_string(&mut text)
            .context("cannot read standard input")?;
        if text.len() > Reader::LONGEST {
            return Err(ParseError::TooLong).context("cannot read standard input");
        }
        (text, "standard input")
    } else {
        (what.to_owned(), "the placement given")
    };
    let mut reader = Reader::new(None);
    if let Some(origin) = args.origin {
        reader = reader.origin(origin);
    }
    if let Some(n) = args.n {
        reader = reader.size(n);
    }
    let placement = reader
        .only(&text)
        .map_err(|error| choice::refused(&error, args.n, args.origin))
        .with_context(|| format!("cannot read {name}"))?;
    if reader.may_be_part() {
        choice::tell_part(name, placement.n());
    }
    if let Some(taken) = reader.doubt() {
        choice::tell_doubt(name, taken);
    }
    Ok(Some(placement))
}

/// Whether a number is the columns of a placement, a figure each, such as 2413. Only numbers of
/// more than three figures are: they are too large for the size of a picture.
fn is_columns(number: &str) -> bool {
    let placement = (number.len() > 3).then(|| number.parse::<Placement>().ok());
    let cols = placement.flatten().and_then(|placement| placement.cols());
    cols.is_some_and(|mut cols| {
        cols.sort_unstable();
        cols.windows(2).all(|pair| pair[0] != pair[1])
    })
}

fn solution(n: usize) -> anyhow::Result<Option<Placement>> {
    let solution = if n <= SEARCHED {
        queens::first(n)
    } else if n <= queens::render::MAX_PICTURE {
        construct::solution(n)
    } else {
        return Err(too_large(n));
    };
    Ok(solution.map(Placement::from))
}

/// Refuses a size. Its figures may have been meant for columns, such as 123.
fn too_large(n: usize) -> anyhow::Error {
    let error = queens::render::PictureError::TooLarge(n);
    let figures: Vec<String> = n.to_string().chars().map(String::from).collect();
    let columns = figures.join(" ");
    match columns.parse::<Placement>() {
        Ok(_) => anyhow::anyhow!("{error}; a placement is written with blanks: \"{columns}\""),
        Err(_) => error.into(),
    }
}
