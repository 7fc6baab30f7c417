//! The transcripts in `README.md` and in some documents are run, and must print what they show.
//!
//! A block that begins with `$ ` holds commands behind `$ ` and their output below. Each is
//! run by `sh`, with the command `queens` of this build first in the path, and the course
//! program `Queens` in the folder, as `make` puts it there. Other documents are not run
//! here because their transcripts take long, show a dialogue or depend on the machine.

mod support;

use std::path::Path;
use std::process::Command;

use support::{folder, text};

const README: &str = include_str!("../../../README.md");

/// Runs the transcripts of a document and returns how many commands there were.
fn run_transcripts(document: &str, folder_name: &str) -> usize {
    let bin = Path::new(env!("CARGO_BIN_EXE_queens"));
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", bin.parent().expect("a folder").display());
    let folder = folder(folder_name);
    std::os::unix::fs::symlink(bin, folder.join("Queens")).expect("a link to the program");
    let mut run = 0;
    for block in document.split("```").skip(1).step_by(2) {
        let block = block.split_once('\n').map_or("", |(_, text)| text);
        if !block.starts_with("$ ") {
            continue;
        }
        for part in format!("\n{block}").split("\n$ ").skip(1) {
            let (command, expected) = part.split_once('\n').unwrap_or((part, ""));
            let output = Command::new("sh")
                .args(["-c", command])
                .env("PATH", &path)
                .current_dir(&folder)
                .output()
                .expect("sh runs");
            let printed = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            assert_eq!(printed.trim_end(), expected.trim_end(), "{command}");
            run += 1;
        }
    }
    run
}

#[test]
fn the_document_on_traces_shows_what_the_program_prints() {
    let run = run_transcripts(include_str!("../../../docs/traces.md"), "docs-traces");
    assert!(run > 10, "only {run} commands found");
}

#[test]
fn the_document_on_formats_shows_what_the_program_prints() {
    let run = run_transcripts(include_str!("../../../docs/formats.md"), "docs-formats");
    assert!(run > 1, "only {run} commands found");
}

#[test]
fn the_document_on_boards_shows_what_the_program_prints() {
    let run = run_transcripts(include_str!("../../../docs/boards.md"), "docs-boards");
    assert!(run > 8, "only {run} commands found");
}

#[test]
fn the_document_on_solving_shows_what_the_program_prints() {
    let run = run_transcripts(include_str!("../../../docs/solve.md"), "docs-solve");
    assert!(run > 4, "only {run} commands found");
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let run = run_transcripts(README, "docs-readme");
    assert!(run > 3, "only {run} commands found");
}

#[test]
fn the_table_of_costs_is_what_the_library_says_of_its_boards() {
    let text = include_str!("../../../docs/algorithms.md");
    let table = text
        .split("### What each board costs")
        .nth(1)
        .expect("a section");
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .take(7)
        .collect();
    let expected = queens::board::Representation::ALL.map(|board| {
        let cost = board.cost();
        let (
            name,
            queens::board::Cost {
                space,
                place,
                test,
                undo,
                row,
                ..
            },
        ) = (board.name(), cost);
        format!("| `{name}` | {space} | {place} | {test} | {undo} | {row} |")
    });
    assert_eq!(rows, expected);
}

#[test]
fn the_readme_names_every_verb() {
    let help = text(&["--help"]);
    let verbs: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .map_while(|line| line.split_whitespace().next())
        .collect();
    assert!(verbs.contains(&"count") && verbs.len() > 10, "{verbs:?}");
    let table = README.split("## The verbs").nth(1).expect("a table");
    let table = table.split("\n## ").next().expect("its end");
    for verb in verbs {
        let named = table.contains(&format!("`{verb}`")) || table.contains(&format!("`{verb} "));
        assert!(named, "the table of verbs lacks {verb}");
    }
}
