//! `queens show SOLUTION|N`: a board as a picture.
//!
//! The pictures are made by the library; this file finds out which board is meant and
//! turns the SVG into a PNG. A bare number is a size, and the board shown is then the
//! first solution of the search, or, where the search would take long, one made by
//! formula; anything else is a placement in one of the formats of `queens list`, read as
//! `queens check` reads it.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use anyhow::{Context, bail};
use queens::placement::Placement;
use queens::render::{Picture, Theme, latex, svg, text, typst};
use queens::{construct, format};

use crate::NO;
use crate::support::out::Out;
use crate::support::size;

/// The sizes in pixels that a picture may have.
const SIZES: std::ops::RangeInclusive<u64> = 32..=8192;

/// The largest board for which the first solution is searched and not constructed: beyond
/// it the search takes seconds, then hours.
const SEARCHED: usize = 20;

/// Draw a board: a solution or any other placement
///
/// SOLUTION is a placement in any format of `queens list`, such as "(2, 4, 1, 3)". A bare
/// number N means a solution of N queens: the first one of the search up to N = 20, one
/// made by formula beyond. `-` reads a placement from standard input.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens show 8
  queens show \"(2, 4, 1, 3)\" --format unicode
  queens show \"(1, 3, 2, 4)\" --attacks
  queens show 8 --format svg --theme dark > board.svg
  queens show 40 --format png --size 2000 > board.png
  queens list 6 --limit 1 | queens show - --format latex > board.tex")]
pub struct Args {
    /// A placement, a number of queens, or `-` for standard input
    #[arg(value_name = "SOLUTION|N", allow_hyphen_values = true)]
    what: String,

    /// How to draw it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Draw the lines between queens that attack each other
    #[arg(long)]
    attacks: bool,

    /// Width and height in pixels, for svg and png
    #[arg(long, value_name = "PX", value_parser = size::amount, allow_negative_numbers = true)]
    size: Option<u64>,

    /// Colours, for all formats but text and unicode
    #[arg(long, value_enum)]
    theme: Option<ThemeArg>,
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

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.size.is_some() && !matches!(args.format, Format::Svg | Format::Png) {
        bail!("--size is for --format svg and png; the other formats have no pixels");
    }
    if args.theme.is_some() && matches!(args.format, Format::Text | Format::Unicode) {
        bail!("--theme is for --format svg, png, latex and typst; text has no colours here");
    }
    if args.format == Format::Png && std::io::stdout().is_terminal() {
        bail!("a PNG is no text; send it to a file: queens show ... --format png > board.png");
    }
    let Some(placement) = placement(&args.what)? else {
        let mut out = Out::stdout();
        out.line("no solution")?;
        out.finish()?;
        return Ok(ExitCode::from(NO));
    };
    let mut picture = Picture::new(placement)?;
    picture.attacks = args.attacks;
    picture.theme = args.theme.unwrap_or(ThemeArg::Light).into();
    if let Some(size) = args.size {
        if !SIZES.contains(&size) {
            bail!(
                "a picture is {} to {} pixels wide, not {size}",
                SIZES.start(),
                SIZES.end()
            );
        }
        picture.size = size as u32;
    }
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

/// The board that is meant; none where a size without a solution was given.
fn placement(what: &str) -> anyhow::Result<Option<Placement>> {
    let number = what.strip_prefix('-').unwrap_or(what);
    if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) {
        let n = size::board_size(what).map_err(anyhow::Error::msg)?;
        return solution(n);
    }
    let (text, name) = if what == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("cannot read standard input")?;
        (text, "standard input")
    } else {
        (what.to_owned(), "the placement given")
    };
    let (_, placement) = format::parse(&text).with_context(|| format!("cannot read {name}"))?;
    Ok(Some(placement))
}

fn solution(n: usize) -> anyhow::Result<Option<Placement>> {
    let cols: Option<Vec<usize>> = if n <= SEARCHED {
        let engine = queens::count::engine("bitmask").context("the engine bitmask is missing")?;
        queens::first::first(n, engine)?.map(|cols| cols.into_iter().map(usize::from).collect())
    } else if n <= queens::render::MAX_PICTURE {
        construct::solution(n)
    } else {
        return Err(queens::render::PictureError::TooLarge(n).into());
    };
    cols.map(|cols| Placement::from_cols(&cols).context("a solution is a placement"))
        .transpose()
}

/// Renders one of our own SVG pictures, which need no fonts.
#[cfg(feature = "png")]
fn png(svg: &str) -> anyhow::Result<Vec<u8>> {
    use resvg::{tiny_skia, usvg};
    let tree = usvg::Tree::from_str(svg, &usvg::Options::default())
        .context("the picture is no valid SVG")?;
    let size = tree.size().to_int_size();
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height())
        .context("there is no memory for a picture of this size")?;
    resvg::render(&tree, tiny_skia::Transform::default(), &mut pixels.as_mut());
    pixels.encode_png().context("cannot encode the PNG")
}

#[cfg(not(feature = "png"))]
fn png(_: &str) -> anyhow::Result<Vec<u8>> {
    Err(super::absent::refusal("queens show --format png", "png"))
}
