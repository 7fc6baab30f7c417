//! The transcripts in `docs/traces.md` are run, and must print what they show.
//!
//! A block marked `console` holds commands behind `$ ` and their output below. Each is run
//! by `sh`, with the command `queens` of this build first in the path.

mod support;

use std::path::Path;
use std::process::Command;

use support::folder;

#[test]
fn the_document_on_traces_shows_what_the_program_prints() {
    let bin = Path::new(env!("CARGO_BIN_EXE_queens"));
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", bin.parent().expect("a folder").display());
    let folder = folder("docs-traces");
    let document = include_str!("../../../docs/traces.md");
    let mut run = 0;
    for block in document.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("a block has an end");
        for part in block.split("$ ").skip(1) {
            let (command, expected) = part.split_once('\n').expect("a command is a line");
            let output = Command::new("sh")
                .args(["-c", command])
                .env("PATH", &path)
                .current_dir(&folder)
                .output()
                .expect("sh runs");
            let printed = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            assert_eq!(printed, expected, "{command}");
            run += 1;
        }
    }
    assert!(run > 10, "only {run} commands found");
}
