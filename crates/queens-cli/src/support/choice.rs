//! Choosing an engine, vector instructions or a format on the command line.
//!
//! All come from the library's own lists, with their one-line summaries, so that help,
//! completion and the message about an unknown name can never fall behind.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queens::count::{ENGINES, Engine, Simd};
use queens::format::Format;

/// For `--engine`: any engine. Use as `#[arg(value_parser = choice::engine())]`.
pub fn engine() -> impl TypedValueParser<Value = &'static Engine> {
    engines(|_| true)
}

/// For `--engine` where solutions are needed one by one: the engines that hold a board.
pub fn listing_engine() -> impl TypedValueParser<Value = &'static Engine> {
    engines(|engine| engine.representation.is_some())
}

fn engines(wanted: fn(&Engine) -> bool) -> impl TypedValueParser<Value = &'static Engine> {
    let values = ENGINES.iter().filter(|engine| wanted(engine));
    let values = values.map(|engine| PossibleValue::new(engine.name).help(engine.summary));
    PossibleValuesParser::new(values)
        .map(|name| queens::count::engine(&name).expect("only names of engines get here"))
}

/// The engine that lists when none is asked for: the fastest that holds the board.
pub fn default_listing_engine(n: usize) -> &'static Engine {
    let holds = |engine: &&Engine| engine.representation_for(n).is_ok();
    let fallback = queens::count::engine("lines").expect("the list of engines has it");
    ENGINES.iter().rev().find(holds).unwrap_or(fallback)
}

/// For `--simd`: any instruction set this program knows, on this machine or not.
pub fn simd() -> impl TypedValueParser<Value = Simd> {
    let known = || [Simd::Auto].into_iter().chain(Simd::ALL);
    PossibleValuesParser::new(known().map(Simd::name)).map(move |name| {
        known()
            .find(|simd| simd.name() == name)
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

/// For `--format`.
pub fn format() -> impl TypedValueParser<Value = Format> {
    let values = Format::ALL.map(|format| PossibleValue::new(format.name()).help(format.summary()));
    PossibleValuesParser::new(values)
        .map(|name| Format::named(&name).expect("only names of formats get here"))
}
