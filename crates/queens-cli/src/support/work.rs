//! The options of verbs that work for a while on all cores.

use super::progress::When;
use super::size;

// Not a doc comment: clap would take it for the help of the verb that flattens this.
// How to work and how to answer.
#[derive(clap::Args)]
pub struct Work {
    /// How many threads may work [default: all cores]
    #[arg(long, value_name = "T", value_parser = size::threads)]
    pub threads: Option<usize>,

    /// Print a JSON object
    #[arg(long)]
    pub json: bool,

    /// Show progress even where standard error is not a terminal
    #[arg(long)]
    progress: bool,
}

impl Work {
    /// The number of threads asked for, or all cores.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(size::all_cores)
    }

    /// When to show progress.
    pub fn when(&self) -> When {
        if self.progress {
            When::Always
        } else {
            When::Terminal
        }
    }
}
