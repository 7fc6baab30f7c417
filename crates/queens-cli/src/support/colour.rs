//! Whether an answer may have colours.

use std::io::IsTerminal;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Whether standard output gets colours.
pub fn wanted(colour: Colour) -> bool {
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
            std::io::stdout().is_terminal()
                && set("NO_COLOR").is_none()
                && set("TERM").is_none_or(|term| term != "dumb")
        }
    }
}
