//! Choosing an engine, vector instructions, a format or an origin on the command line.
//!
//! All come from the library's own lists, with their one-line summaries, so that help,
//! completion and the message about an unknown name can never fall behind.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queens::count::ENGINES;
use queens::json::Object;
use queens::{Engine, Format, List, Origin, ParseError, PlacementError, Simd};

/// For `--engine`: any engine. Use as `#[arg(value_parser = choice::engine())]`.
pub fn engine() -> impl TypedValueParser<Value = Engine> {
    engines(|_| true)
}

/// For `--engine` where solutions are needed one by one: the engines that hold a board.
pub fn listing_engine() -> impl TypedValueParser<Value = Engine> {
    engines(|engine| engine.representation().is_some())
}

fn engines(wanted: fn(&Engine) -> bool) -> impl TypedValueParser<Value = Engine> {
    let values = ENGINES.iter().filter(|engine| wanted(engine));
    let values = values.map(|engine| PossibleValue::new(engine.name()).help(engine.summary()));
    PossibleValuesParser::new(values)
        .map(|name| name.parse().expect("only names of engines get here"))
}

/// For `--simd`: any instruction set this program knows, on this machine or not.
pub fn simd() -> impl TypedValueParser<Value = Simd> {
    let known = || [Simd::Auto].into_iter().chain(Simd::ALL);
    PossibleValuesParser::new(known().map(Simd::name)).map(|name| {
        name.parse()
            .expect("only names of instruction sets get here")
    })
}

/// Refuses vector instructions that this machine lacks.
pub fn require_simd(simd: Simd) -> anyhow::Result<()> {
    if !simd.is_available() {
        let here: Vec<&str> = Simd::ALL
            .into_iter()
            .filter(|simd| simd.is_available())
            .map(Simd::name)
            .collect();
        anyhow::bail!(
            "this processor has no {} instructions; it can use {}",
            simd.name(),
            here.join(", ")
        );
    }
    Ok(())
}

// Not a doc comment: clap would take it for the help of the verb that flattens this.
// The options of verbs that search for solutions and write them out.
#[derive(clap::Args)]
pub struct Search {
    /// How to write each solution
    #[arg(long, value_name = "FORMAT", value_parser = written_format(), default_value = "tuple")]
    format: Format,

    /// Print one JSON object per solution, columns from 0
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// The engine that searches [default: the fastest that holds the board]
    #[arg(long, value_name = "NAME", value_parser = listing_engine())]
    engine: Option<Engine>,
}

impl Search {
    /// How to write each solution.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// Refuses an engine that searches the plain board only.
    pub fn takes_boards(&self) -> anyhow::Result<()> {
        match self.engine {
            Some(engine) if !engine.takes_boards() => anyhow::bail!(
                "engine {engine} searches the plain board only; for given queens and blocked squares \
                 use bitmask, or leave out --engine"
            ),
            _ => Ok(()),
        }
    }

    /// A listing by the engine asked for, or by the one that suits a board of size `n`.
    pub fn list(&self, n: usize) -> List {
        let list = List::new(n);
        match self.engine {
            Some(engine) => list.engine(engine),
            None => list,
        }
    }
}

/// For `--format` of placements that are read.
pub fn format() -> impl TypedValueParser<Value = Format> {
    formats(|_| false)
}

/// For `--format` of solutions that are written. The option for JSON is `--json`, as everywhere;
/// its name as a format works too.
pub fn written_format() -> impl TypedValueParser<Value = Format> {
    formats(|format| format == Format::Json)
}

fn formats(hidden: fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let values = Format::ALL.map(|format| {
        PossibleValue::new(format.name())
            .help(format.summary())
            .hide(hidden(format))
    });
    PossibleValuesParser::new(values)
        .map(|name| name.parse().expect("only names of formats get here"))
}

/// For `--origin`: 0 or 1.
pub fn origin() -> impl TypedValueParser<Value = Origin> {
    PossibleValuesParser::new(["0", "1"]).map(|text| text.parse().expect("only 0 and 1 get here"))
}

/// Says on standard error that a placement may count columns from 0 or from 1.
pub fn tell_doubt(name: &str, taken: Origin) {
    tell!(
        "queens: {name} may count columns from 0 or from 1; it is read from {taken} (--origin 0 or \
         --origin 1 says which)"
    );
}

/// Says on standard error that a placement may be the first rows of a larger board.
pub fn tell_part(name: &str, n: usize) {
    tell!(
        "queens: {name} is read from 1 on a board of {n} by {n}, with 0 for an empty row; if it is the \
         first rows of a larger board, give its size with --n N; --origin 0 or --origin 1 says what \
         it counts from"
    );
}

/// The refusal of a placement; it names squares from `origin`, or from 1. Without a size it adds
/// that a list of columns may be the first rows of a larger board.
pub fn refused(error: &ParseError, n: Option<usize>, origin: Option<Origin>) -> anyhow::Error {
    let told = match origin {
        Some(Origin::Zero) => format!("{error:#}"),
        _ => error.to_string(),
    };
    match error {
        ParseError::Placement(PlacementError::OffBoard { .. }) if n.is_none() => {
            anyhow::anyhow!(
                "{told}; if it is the first rows of a larger board, --n N says how large"
            )
        }
        _ => anyhow::Error::msg(told),
    }
}

/// What is printed where a board has no solution.
pub fn no_solution(format: Format, n: usize) -> String {
    match format {
        Format::Json => Object::new().set("n", n).set("cols", None::<usize>).end(),
        _ => "no solution".to_owned(),
    }
}
