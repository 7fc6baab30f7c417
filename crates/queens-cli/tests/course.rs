//! The course program `Queens` against its assignment: the sample session character for
//! character, and what else the assignment's words ask for.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

const USAGE: &str = "Usage: Queens [-v] number\n\
                     Option: -v  verbose output, print all solutions\n";

/// Runs the program under the name `Queens`.
fn queens(args: &[&OsStr]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_queens"))
        .arg0("Queens")
        .args(args)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the program writes UTF-8")
}

/// The sample session as the assignment prints it.
const SESSION: &str = "\
$ Queens
Usage: Queens [-v] number
Option: -v  verbose output, print all solutions
$ Queens blah
Usage: Queens [-v] number
Option: -v  verbose output, print all solutions
$ Queens 4
4-Queens has 2 solutions
$ Queens -v 4
(2, 4, 1, 3)
(3, 1, 4, 2)
4-Queens has 2 solutions
$ Queens -v 5
(1, 3, 5, 2, 4)
(1, 4, 2, 5, 3)
(2, 4, 1, 3, 5)
(2, 5, 3, 1, 4)
(3, 1, 4, 2, 5)
(3, 5, 2, 4, 1)
(4, 1, 3, 5, 2)
(4, 2, 5, 3, 1)
(5, 2, 4, 1, 3)
(5, 3, 1, 4, 2)
5-Queens has 10 solutions
$
";

#[test]
fn the_sample_session_is_reproduced_character_for_character() {
    let mut seen = String::new();
    for line in SESSION.lines().filter(|line| line.starts_with('$')) {
        seen.push_str(line);
        seen.push('\n');
        let mut words = line.split_whitespace().skip(1);
        if words.next() == Some("Queens") {
            let args: Vec<&OsStr> = words.map(OsStr::new).collect();
            let output = queens(&args);
            // A terminal shows both streams; here each run writes to one of them only.
            assert!(output.stdout.is_empty() != output.stderr.is_empty());
            seen.push_str(text(&output.stdout));
            seen.push_str(text(&output.stderr));
        }
    }
    assert_eq!(seen, SESSION);
}

#[test]
fn anything_else_gets_the_usage_on_stderr_and_a_code_that_is_not_zero() {
    for args in [
        &[][..],
        &[""],
        &["blah"],
        &["-v"],
        &["8x"],
        &["x8"],
        &["3.5"],
        &["-8"],
        &["+8"],
        &[" 8"],
        &["8", "8"],
        &["8", "-v"],
        &["-v", "-v"],
        &["-v", "8", "9"],
        &["-V", "8"],
        &["--help"],
        &["--version"],
        &["count", "8"],
    ] {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let output = queens(&args);
        assert_eq!(text(&output.stderr), USAGE, "{args:?}");
        assert_eq!(text(&output.stdout), "", "{args:?}");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
    let not_text = queens(&[OsStr::from_bytes(b"\xff8")]);
    assert_eq!(text(&not_text.stderr), USAGE);
    assert_eq!(not_text.status.code(), Some(2));
}

#[test]
fn the_numbers_of_the_assignment_come_out() {
    // "which begins (1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, ...)"
    let sequence = [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200];
    for (n, solutions) in sequence.into_iter().enumerate() {
        let number = n.to_string();
        let count = format!("{n}-Queens has {solutions} solutions\n");
        let silent = queens(&[OsStr::new(&number)]);
        assert_eq!(text(&silent.stdout), count);
        assert_eq!(silent.status.code(), Some(0));

        let verbose = queens(&[OsStr::new("-v"), OsStr::new(&number)]);
        let lines: Vec<&str> = text(&verbose.stdout).lines().collect();
        assert_eq!(lines.len(), solutions + 1, "n = {n}");
        assert_eq!(lines[solutions], count.trim_end());
        assert!(verbose.stderr.is_empty());
    }
}

#[test]
fn a_board_that_is_too_large_is_refused_in_one_line() {
    for number in ["256", "1000", "18446744073709551616"] {
        for args in [&[number][..], &["-v", number]] {
            let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
            let output = queens(&args);
            let message = text(&output.stderr);
            assert!(message.starts_with("Queens: "), "{message}");
            assert_eq!(message.lines().count(), 1, "{message}");
            assert!(!message.contains("engine"), "{message}");
            assert!(output.stdout.is_empty());
            assert_eq!(output.status.code(), Some(2));
        }
    }
}

#[test]
fn counts_end_at_32_and_lists_at_255() {
    for (args, largest) in [(&["33"][..], 32), (&["-v", "256"], 255)] {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let message = format!("the number must be at most {largest}, not ");
        assert!(text(&queens(&args).stderr).contains(&message), "{args:?}");
    }
}

#[test]
fn the_solutions_are_those_of_the_library_in_the_same_order() {
    for n in ["1", "2", "3", "6", "7", "8", "9"] {
        let output = queens(&[OsStr::new("-v"), OsStr::new(n)]);
        let listed = text(&output.stdout);
        let (listed, _count) = listed.trim_end().rsplit_once('\n').unwrap_or(("", listed));
        let library = Command::new(env!("CARGO_BIN_EXE_queens"))
            .args(["list", n])
            .output()
            .expect("the program starts");
        assert_eq!(listed, text(&library.stdout).trim_end(), "n = {n}");
    }
}

#[test]
fn one_line_names_the_faster_command_before_a_long_wait() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    for (args, faster) in [
        (&["16"][..], "`queens count 16`"),
        (&["-v", "16"], "`queens list 16`"),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_queens"))
            .arg0("Queens")
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(
            line.starts_with("Queens: ") && line.contains(faster),
            "{line}"
        );
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_list_quietly() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_queens"))
        .arg0("Queens")
        .args(["-v", "14"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert_eq!(first, "(1, 3, 5, 7, 12, 10, 13, 4, 14, 9, 2, 6, 8, 11)\n");
    let output = child.wait_with_output().expect("an end");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn the_name_decides_wherever_the_program_lies() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("by-name");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, stdout) in [("Queens", "4-Queens has 2 solutions\n"), ("queens", "")] {
        let link = folder.join(name);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_queens"), &link).unwrap();
        let output = Command::new(&link).arg("4").output().unwrap();
        assert_eq!(text(&output.stdout), stdout, "{name}");
    }
}
