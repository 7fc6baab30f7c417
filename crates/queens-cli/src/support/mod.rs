//! What several verbs need, in one place.
//!
//! | module | offers |
//! |---|---|
//! | [`size`] | reading N, and other numbers, from the command line |
//! | [`board`] | given queens, blocked squares and another number of queens |
//! | [`choice`] | choosing an engine or a format |
//! | [`colour`] | whether an answer may have colours |
//! | [`cost`] | warning of a count that would take hours |
//! | [`crowd`] | connections that cannot keep others out |
//! | [`file`] | writing files whole or not at all |
//! | [`gpu`] | counting on a GPU |
//! | [`http`] | reading the head of an HTTP request |
//! | [`kind`] | counting fundamental and symmetric solutions, and those on a torus |
//! | [`markdown`] | a document as a page |
//! | [`machine`] | the name of the processor |
//! | [`noun`] | nouns after numbers |
//! | [`out`] | standard output, buffered, where no write error gets lost |
//! | [`picture`] | pictures that are written to files, `.svg` or `.png` |
//! | [`stop`] | a flag that Ctrl-C sets, for work that can be long |
//! | [`progress`] | a progress bar on standard error |
//! | [`reminder`] | a word when something takes longer than expected |
//! | [`work`] | the options `--threads`, `--json` and `--progress` |

pub mod board;
pub mod choice;
pub mod colour;
pub mod cost;
pub mod crowd;
pub mod file;
pub mod gpu;
pub mod http;
pub mod kind;
pub mod machine;
pub mod markdown;
pub mod noun;
pub mod out;
pub mod picture;
pub mod progress;
pub mod reminder;
pub mod size;
pub mod stop;
pub mod work;
