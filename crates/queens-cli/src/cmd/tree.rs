//! `queens tree N`: the search tree, as text, as JSON, for Graphviz, or drawn.
//!
//! The library builds the tree, up to the size that the chosen format can show; a tree too
//! large is refused in one line with a depth that fits.

use std::process::ExitCode;

use queens::render::{dot, tree};
use queens::search::tree::{Limit, Tree};

use super::show::ThemeArg;
use crate::support::board::SizeAndBoard;
use crate::support::out::Out;
use crate::support::size;

/// Show the search tree: a node per partial solution
///
/// The root is the empty board, a node of level k is a placement of k queens in the first
/// k rows, and its children are the free squares of the next row. Solutions and dead ends
/// are marked. A tree too large for the format is refused with a depth that fits: the
/// drawing takes all of N = 6, the list all of N = 10. Given queens and blocked squares make it
/// smaller: the row of a given queen has one square.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens tree 4
  queens tree 4 --pruned
  queens tree 6 --format svg > tree.svg
  queens tree 8 --depth 3 --format dot | dot -Tpdf > tree.pdf
  queens tree 5 --json | jq .levels
  queens tree 6 --given 1,2 --pruned
  queens tree 5 --blocked \"1,1 3,3\" --pruned")]
pub struct Args {
    /// How to show it
    #[arg(long, value_enum, default_value_t = TreeFormat::Text)]
    format: TreeFormat,

    /// Print one nested JSON object
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Cut the tree below this many queens
    #[arg(long, value_name = "D", value_parser = size::amount)]
    depth: Option<u64>,

    /// Show refused squares too, with the queen that attacks each
    #[arg(long)]
    pruned: bool,

    /// Colours of the drawing
    #[arg(long, value_enum)]
    theme: Option<ThemeArg>,

    #[command(flatten)]
    board: SizeAndBoard,
}

/// The formats of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum TreeFormat {
    /// Indented lines
    Text,
    /// The language of Graphviz
    Dot,
    /// A drawing
    Svg,
    /// One nested object
    #[value(hide = true)]
    Json,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let format = if args.json {
        TreeFormat::Json
    } else {
        args.format
    };
    if args.theme.is_some() && format != TreeFormat::Svg {
        anyhow::bail!("--theme is for --format svg; the other formats have no colours to choose");
    }
    let limit = match format {
        TreeFormat::Text | TreeFormat::Json => Limit::LIST,
        TreeFormat::Dot => Limit::DOT,
        TreeFormat::Svg => Limit::DRAWING,
    };
    let depth = args
        .depth
        .map(|depth| usize::try_from(depth).unwrap_or(usize::MAX));
    let board = args.board.board()?;
    let built = Tree::build_on(&board, depth, limit)?;
    let text = match format {
        TreeFormat::Text => tree::text(&built, args.pruned),
        TreeFormat::Dot => dot::tree(&built, args.pruned),
        TreeFormat::Svg => tree::svg(
            &built,
            args.pruned,
            args.theme.unwrap_or(ThemeArg::Light).into(),
        ),
        TreeFormat::Json => tree::json(&built, args.pruned),
    };
    let mut out = Out::stdout();
    out.text(&text)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
