//! What several test files share: running the command, and finding the tools.
//!
//! A tool that is missing fails the test with the command that installs it; a test that
//! quietly passes because it could not look is worth nothing.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The command `queens`, ready for arguments.
pub fn queens(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queens"));
    command.args(args);
    command
}

/// Runs `queens` and returns what it printed; it must have succeeded.
pub fn answer(args: &[&str]) -> Vec<u8> {
    let output = run(args);
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "queens {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Runs `queens` and returns what it printed, as text; it must have succeeded.
pub fn text(args: &[&str]) -> String {
    String::from_utf8(answer(args)).expect("the answer is UTF-8")
}

/// Runs `queens` with nothing on its standard input.
pub fn run(args: &[&str]) -> Output {
    queens(args)
        .stdin(Stdio::null())
        .output()
        .expect("queens runs")
}

/// Runs `queens` with `input` on standard input.
pub fn feed(args: &[&str], input: &[u8]) -> Output {
    let mut child = queens(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("it was asked for");
    let input = input.to_vec();
    // From a thread of its own: either side may wait for the other.
    let writer = std::thread::spawn(move || {
        // A program that refuses the input may end before it has read all of it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer does not panic");
    output
}

/// Runs `queens`, which must refuse with one line, and returns that line.
pub fn refusal(args: &[&str]) -> String {
    let output = run(args);
    let line = String::from_utf8(output.stderr).expect("the complaint is UTF-8");
    assert_eq!(output.status.code(), Some(2), "queens {args:?}: {line}");
    assert!(
        output.stdout.is_empty(),
        "queens {args:?} printed something"
    );
    assert!(
        line.starts_with("queens: ") && line.ends_with('\n') && line.lines().count() == 1,
        "queens {args:?}: {line}"
    );
    line
}

/// A tool that scripts/setup-tests installs.
pub fn tool(name: &str) -> Command {
    let found = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()));
    assert!(
        found,
        "{name} is not installed; scripts/setup-tests installs it"
    );
    let mut tool = Command::new(name);
    // The tests may run below `make test`. A make that they start is not part of that one.
    for variable in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS"] {
        tool.env_remove(variable);
    }
    tool
}

/// An empty folder of this test's own.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // A folder of this name may be left over from an earlier run.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}
