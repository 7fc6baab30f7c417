//! `docs/course.md` is complete and true: every command of its tables is run below them, every
//! command that is run prints what stands there, no cell is empty, and the picture it shows is the
//! one that its command writes.
//!
//! With `UPDATE_GOLDEN=1` the outputs on the page and the picture are renewed; read the difference.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::folder;

/// The documents, in the order of the page: the letter of the rows and how many there are at
/// least.
const DOCUMENTS: [(&str, char, usize); 5] = [
    ("## The recitation", 'R', 16),
    ("## The chapter", 'C', 24),
    ("## The question", 'Q', 21),
    ("## The assignment", 'A', 36),
    ("## The lecture", 'L', 26),
];

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn page() -> String {
    std::fs::read_to_string(docs().join("course.md")).expect("the page is there")
}

/// The cells of a line of a table; a `|` inside a cell is written `\|`.
fn cells(line: &str) -> Vec<String> {
    let line = line.replace("\\|", "\0");
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    let cells = inner.split('|');
    cells.map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// The rows of the table of a document.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let section = page.split(heading).nth(1).expect("a section per document");
    let section = section.split("\n## ").next().expect("its end");
    let lines = section.lines().filter(|line| line.starts_with('|'));
    lines.skip(2).map(cells).collect()
}

/// The commands that are run on the page, each with the number of its row behind it, and what the
/// page says they print.
fn transcripts(page: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("the end of a block");
        for part in format!("\n{block}").split("\n$ ").skip(1) {
            let (command, output) = part.split_once('\n').unwrap_or((part, ""));
            all.push((command.to_owned(), output.trim_end().to_owned()));
        }
    }
    all
}

/// Runs a command with `queens` in the path and `Queens` in the folder, as `make` puts it there.
fn run(command: &str, folder: &Path) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_queens"));
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", bin.parent().expect("a folder").display());
    let output = Command::new("sh")
        .args(["-c", command])
        .env("PATH", path)
        .current_dir(folder)
        .output()
        .expect("sh runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    printed.trim_end().to_owned()
}

#[test]
fn every_command_of_the_page_prints_what_stands_there() {
    let folder = folder("course-page");
    let bin = env!("CARGO_BIN_EXE_queens");
    std::os::unix::fs::symlink(bin, folder.join("Queens")).expect("a link to the program");
    let before = page();
    let mut after = before.clone();
    let mut from = 0;
    let mut wrong = Vec::new();
    for (command, expected) in transcripts(&before) {
        let printed = run(&command, &folder);
        let silent = command.contains(" > ") && !command.contains(';');
        assert!(
            silent == printed.is_empty(),
            "{command} printed {printed:?}"
        );
        let old = format!("\n$ {command}\n{}", lines(&expected));
        let at = from
            + after[from..]
                .find(&old)
                .expect("the command is on the page");
        let new = format!("\n$ {command}\n{}", lines(&printed));
        after.replace_range(at..at + old.len(), &new);
        from = at + new.len() - 1;
        if printed != expected {
            wrong.push(format!("$ {command}\n{printed}"));
        }
    }
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let drawn = std::fs::read(folder.join("diagonals.svg")).expect("the page draws a figure");
    let kept = docs().join("img/diagonals.svg");
    if update {
        std::fs::write(docs().join("course.md"), after).expect("the page is written");
        std::fs::write(&kept, &drawn).expect("the picture is written");
    } else {
        assert!(wrong.is_empty(), "the page differs:\n{}", wrong.join("\n"));
    }
    assert_eq!(std::fs::read(&kept).expect("the picture is there"), drawn);
}

/// Text as lines, each ended.
fn lines(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{text}\n")
    }
}

#[test]
fn every_table_is_full_and_its_commands_are_run() {
    let page = page();
    let run = transcripts(&page);
    for (heading, letter, at_least) in DOCUMENTS {
        let rows = table(&page, heading);
        assert!(rows.len() >= at_least, "{heading} has {} rows", rows.len());
        for (k, row) in rows.iter().enumerate() {
            assert_eq!(row.len(), 5, "{row:?}");
            assert!(row.iter().all(|cell| !cell.is_empty()), "{row:?}");
            assert_eq!(row[0], format!("{letter}{}", k + 1));
            if row[2] == "no command" {
                continue;
            }
            let command = row[2]
                .strip_prefix('`')
                .and_then(|cell| cell.strip_suffix('`'));
            let command = command.expect("the cell of a command holds nothing else");
            let numbered = format!("{command}  # {}", row[0]);
            assert!(
                run.iter().any(|(other, _)| *other == numbered),
                "not run: {numbered}"
            );
        }
        let without = rows.iter().filter(|row| row[2] == "no command").count();
        assert!(without <= 1, "{heading}");
    }
}
