//! The command `queens` as a user meets it: answers, refusals, exit codes, pipes.

mod support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};

use queens::known::Sequence;
use support::{feed, queens as command, run, text as answer};

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the program writes UTF-8")
}

/// The one line that a run that must be refused prints.
fn refusal(output: &Output) -> &str {
    let message = text(&output.stderr);
    assert_eq!(text(&output.stdout), "", "{message}");
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("queens: "), "{message}");
    assert_eq!(message.matches('\n').count(), 1, "{message:?}");
    message
}

fn engine_names() -> Vec<&'static str> {
    queens::count::ENGINES.iter().map(|e| e.name()).collect()
}

#[test]
fn count_prints_the_bare_number() {
    for (n, expected) in [("0", "1\n"), ("1", "1\n"), ("2", "0\n"), ("8", "92\n")] {
        assert_eq!(answer(&["count", n]), expected);
    }
}

#[test]
fn every_engine_counts_twelve() {
    for name in engine_names() {
        assert_eq!(
            answer(&["count", "12", "--engine", name]),
            "14200\n",
            "{name}"
        );
    }
}

/// A command for which the system refuses every thread: the stacks it asks for are too large.
fn without_threads(args: &[&str]) -> Command {
    let mut command = command(args);
    command.env("RUST_MIN_STACK", "100000000000000");
    command
}

#[test]
fn a_system_that_refuses_threads_costs_only_time() {
    for args in [
        "count 14 --engine two-colour --threads 4",
        "count 14 --engine mirror --threads 4",
        "approximate 12 --runs 8 --threads 4",
        "random 40 --number 4 --method chain --seed 1 --threads 4",
        "first 20",
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let output = without_threads(&args).output().unwrap();
        let first_line = |text: &str| text.lines().next().map(str::to_owned);
        assert_eq!(text(&output.stderr).matches("panicked").count(), 0);
        assert_eq!(
            first_line(text(&output.stdout)),
            first_line(text(&run(&args).stdout)),
            "{args:?}"
        );
    }
    // Without its thread, a time limit could not end the work in time.
    let timed = ["solve", "8", "--blocked", "1,1", "--time-limit", "1h"];
    let output = without_threads(&timed).output().unwrap();
    assert!(refusal(&output).contains("cannot start the thread"));
}

#[test]
fn count_tells_programs_what_it_did() {
    let line = answer(&[
        "count",
        "9",
        "--json",
        "--engine",
        "mirror",
        "--threads",
        "2",
    ]);
    let object: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(object["n"], 9);
    assert_eq!(object["count"], 352);
    assert_eq!(object["engine"], "mirror");
    assert_eq!(object["threads"], 2);
    assert!(object["seconds"].as_f64().unwrap() >= 0.0);
    // An engine that works alone says so, whatever was asked.
    let line = answer(&[
        "count",
        "9",
        "--json",
        "--engine",
        "lines",
        "--threads",
        "2",
    ]);
    assert!(line.contains("\"threads\":1,"), "{line}");
}

#[test]
fn a_known_count_is_marked_as_looked_up() {
    let line = answer(&["count", "--known", "27"]);
    assert!(
        line.starts_with("234907967154122528 (looked up: "),
        "{line}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&answer(&["count", "--known", "8", "--json"])).unwrap();
    assert_eq!(json["count"], 92);
    assert_eq!(json["looked_up"], true);
    assert!(json["source"].as_str().unwrap().contains("A000170"));
    let output = run(&["count", "--known", "28"]);
    assert!(refusal(&output).contains("no count for n = 28"));
}

#[test]
fn list_prints_all_solutions_in_order() {
    let tuples = answer(&["list", "8"]);
    let lines: Vec<&str> = tuples.lines().collect();
    assert_eq!(lines.len(), 92);
    assert_eq!(lines[0], "(1, 5, 8, 6, 3, 7, 2, 4)");
    // All numbers have one digit, so the order of the text is the order of the tuples.
    assert!(lines.is_sorted());
    for engine in engine_names() {
        let lists: queens::Engine = engine.parse().unwrap();
        if lists.representation().is_some() {
            assert_eq!(
                answer(&["list", "8", "--engine", engine]),
                tuples,
                "{engine}"
            );
        }
    }
    let output = run(&["list", "8", "--engine", "mirror"]);
    assert!(refusal(&output).contains("possible values: byte-grid"));
}

#[test]
fn skip_and_limit_cut_a_window_out_of_the_list() {
    let all = answer(&["list", "7"]);
    let lines: Vec<&str> = all.lines().collect();
    for (skip, limit) in [(0, 0), (0, 3), (5, 4), (38, 10), (40, 1), (1000, 1000)] {
        let window = answer(&[
            "list",
            "7",
            "--skip",
            &skip.to_string(),
            "--limit",
            &limit.to_string(),
        ]);
        let expected: Vec<&str> = lines.iter().skip(skip).take(limit).copied().collect();
        assert_eq!(window.lines().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn fundamental_solutions_come_with_class_sizes_that_add_up() {
    for (n, classes, all) in [("1", 1, 1), ("4", 1, 2), ("5", 2, 10), ("8", 12, 92)] {
        let list = answer(&["list", n, "--fundamental"]);
        let sizes = list.lines().map(|line| {
            let (_, size) = line.rsplit_once(" # class of ").expect("a class size");
            size.parse::<u32>().expect("a number")
        });
        let sizes: Vec<u32> = sizes.collect();
        assert_eq!(sizes.len(), classes, "n = {n}");
        assert_eq!(sizes.iter().sum::<u32>(), all, "n = {n}");
    }
    let window = answer(&[
        "list",
        "8",
        "--fundamental",
        "--skip",
        "11",
        "--format",
        "csv",
    ]);
    assert_eq!(
        window,
        "row1,row2,row3,row4,row5,row6,row7,row8,class_size\n3,6,2,5,8,1,7,4,8\n"
    );
}

#[test]
fn every_format_that_list_writes_check_reads() {
    for format in queens::Format::ALL {
        let list = answer(&["list", "6", "--format", format.name()]);
        let output = feed(&["check"], list.as_bytes());
        assert_eq!(text(&output.stdout), "4 valid\n", "{list}");
        assert_eq!(output.status.code(), Some(0));
    }
    let fundamental = answer(&["list", "10", "--fundamental", "--format", "unicode"]);
    let output = feed(&["check", "-"], fundamental.as_bytes());
    assert_eq!(text(&output.stdout), "92 valid\n");
}

#[test]
fn first_prints_the_first_solution_or_says_that_there_is_none() {
    assert_eq!(answer(&["first", "8"]), "(1, 5, 8, 6, 3, 7, 2, 4)\n");
    assert_eq!(
        answer(&["first", "4", "--format", "fen"]),
        "1Q2/3Q/Q3/2Q1 w - - 0 1\n"
    );
    assert_eq!(answer(&["first", "0"]), "()\n");
    for n in ["2", "3"] {
        let output = run(&["first", n]);
        assert_eq!(text(&output.stdout), "no solution\n");
        assert_eq!(text(&output.stderr), "");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn check_says_valid_or_names_every_attacking_pair() {
    let good = feed(&["check"], b"(2, 4, 1, 3)\n");
    assert_eq!(text(&good.stdout), "valid\n");
    assert_eq!(good.status.code(), Some(0));

    let bad = feed(&["check"], b"Q . Q\n. . .\n. . Q\n");
    assert_eq!(
        text(&bad.stdout),
        "(1, 1) and (1, 3) attack each other in row 1\n\
         (1, 1) and (3, 3) attack each other on a falling diagonal\n\
         (1, 3) and (3, 3) attack each other in column 3\n"
    );
    assert_eq!(bad.status.code(), Some(1));
}

#[test]
fn check_misses_queens_unless_told_that_they_may_be_missing() {
    let some = b"(2, 4, 0, 0)\n";
    let strict = feed(&["check"], some);
    assert_eq!(
        text(&strict.stdout),
        "2 queens, not 4, on a board of 4 by 4\n"
    );
    assert_eq!(strict.status.code(), Some(1));
    let lenient = feed(&["check", "--partial"], some);
    assert_eq!(text(&lenient.stdout), "valid\n");
    assert_eq!(lenient.status.code(), Some(0));
}

#[test]
fn check_numbers_the_placements_of_a_stream() {
    let output = feed(&["check"], b"(2, 4, 1, 3)\n(1, 2, 4, 3)\n(3, 1, 4, 2)\n");
    assert_eq!(
        text(&output.stdout),
        "placement 2: (1, 1) and (2, 2) attack each other on a falling diagonal\n\
         placement 2: (3, 4) and (4, 3) attack each other on a rising diagonal\n\
         2 valid, 1 not\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn check_answers_programs_in_json() {
    let output = feed(&["check", "--json"], b"[0, 1]\n[1, 0]\n");
    let lines: Vec<serde_json::Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["valid"], false);
    assert_eq!(
        lines[0]["attacks"],
        serde_json::json!([{"first": [0, 0], "second": [1, 1], "line": "diag"}])
    );
    assert_eq!(lines[1]["attacks"][0]["line"], "anti");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_line_without_an_end_is_refused_in_one_short_line() {
    let endless = |start: &str, middle: &str| {
        let times = queens::format::Reader::LONGEST / middle.len() + 1_000_000;
        [start, &middle.repeat(times)].concat().into_bytes()
    };
    for (start, middle, line) in [
        ("", "x", 1),
        ("(", "1, ", 1),
        ("2,4,1,3\n", "1,", 2),
        ("", "\u{1b}", 1),
    ] {
        let output = feed(&["check"], &endless(start, middle));
        let place = format!("queens: standard input, line {line}: ");
        let reason = "this is longer than any placement\n";
        assert_eq!(refusal(&output), place + reason);
    }
    let output = feed(&["show", "-"], &endless("(", "1, "));
    assert!(refusal(&output).contains("this is longer than any placement"));
    // The refusal stays short, however long the wrong word is.
    let output = feed(
        &["check"],
        &[b"(1, ", &[b'x'; 1_000_000][..], b")"].concat(),
    );
    assert!(refusal(&output).len() < 100, "{:.200}", refusal(&output));
}

#[test]
fn check_reads_files_and_says_which_line_is_wrong() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    // File names need not be text.
    let path = folder.join(OsStr::from_bytes(b"board-\xff.txt"));
    std::fs::write(&path, ".Q..\n...Q\nQ...\n..Q.\n").unwrap();
    let output = command(&["check"]).arg(&path).output().unwrap();
    assert_eq!(text(&output.stdout), "valid\n");

    for (input, complaint) in [
        (&b""[..], "standard input: there is no placement"),
        (
            b"hello\n",
            "standard input, line 1: cannot tell the format of `hello`",
        ),
        (
            b"(2, 4, 1, 3)\n(2, 4, x, 3)\n",
            "line 2: `x` is not a column",
        ),
        (b"(1, 2\n", "standard input: the `(` is never closed"),
        (b"Q.\n\xff\n", "line 2: not valid UTF-8"),
        (
            b"(9)\n",
            "line 1: the square (1, 9) is off the 1 by 1 board",
        ),
    ] {
        let output = feed(&["check"], input);
        assert!(refusal(&output).contains(complaint), "{}", refusal(&output));
    }
    let output = run(&["check", "/no/such/file"]);
    assert!(refusal(&output).contains("cannot open /no/such/file: No such file"));
    let output = run(&["check", "/"]);
    assert!(refusal(&output).contains("cannot read /"));
}

#[test]
fn engines_lists_every_engine_once() {
    let table = answer(&["engines"]);
    let names: Vec<&str> = table
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(names, engine_names());
    for (line, engine) in table.lines().zip(queens::count::ENGINES) {
        // Nobody must take this for the largest board that the engine accepts.
        let column = format!("  N <= {} in a minute  ", engine.sensible_n());
        assert!(line.contains(&column), "{line}");
    }
    let json = answer(&["engines", "--json"]);
    for (line, engine) in json.lines().zip(queens::count::ENGINES) {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(object["name"], engine.name());
        assert_eq!(object["sensible_n"], engine.sensible_n());
    }
}

#[test]
fn bad_input_gets_one_clear_line_and_code_2() {
    for (args, complaint) in [
        (&["count", ""][..], "N is empty"),
        (&["count", "-8"], "N cannot be negative"),
        (&["count", "8x"], "N must be a whole number"),
        (&["count", "3.5"], "N must be a whole number"),
        (&["count", "-3.5"], "N must be a whole number"),
        (&["count", "+8"], "N must be a whole number"),
        (&["count", "８"], "N must be a whole number"),
        (&["count", "8\n9"], "N must be a whole number"),
        (
            &["count", "99999999999999999999"],
            "larger than 18446744073709551615",
        ),
        (
            &["count", "18446744073709551615"],
            "counts up to n = 32, not 18446744073709551615",
        ),
        (
            &["count", "33"],
            "counts up to n = 32, not 33; `queens approximate 33` estimates the number",
        ),
        (
            &["solve", "8", "--time-limit", "0s"],
            "the time must be above 0",
        ),
        (&["check", ""], "an argument is empty: give a placement"),
        (&["bench", "list"], "`queens bench` has no verb 'list' (see"),
        (
            &["count", "33", "--engine", "bitmask"],
            "engine bitmask counts up to n = 32, not 33",
        ),
        (&["count"], "required arguments were not provided: <N>"),
        (&["count", "8", "9"], "unexpected argument '9' found"),
        (
            &["count", "8", "--engine", "magic"],
            "possible values: byte-grid, bit-grid, columns",
        ),
        (&["count", "8", "--threads", "0"], "at least one thread"),
        (&["count", "8", "--threads", "-1"], "cannot be negative"),
        (&["solve", "8", "--time-limit", "-1"], "a time is a number"),
        (&["approximate", "8", "--seconds", "-1"], "above 0"),
        (&["serve", "--port", "-1"], "the port cannot be negative"),
        (&["campaign", "run", "x", "-1"], "units are written"),
        (&["count", "8", "-1"], "unexpected argument '-1'"),
        (
            &["count", "8", "--threads", "two"],
            "must be a whole number",
        ),
        (&["count", "8", "--thread", "2"], "'--threads'"),
        (
            &["count", "8", "--known", "--engine", "lines"],
            "cannot be used with",
        ),
        (&["list", "-1"], "N cannot be negative"),
        (&["list", "33", "--engine", "bitmask"], "32"),
        (&["list", "1000"], "1000"),
        (&["list", "8", "--limit", "x"], "must be a whole number"),
        (&["list", "8", "--skip", "-1"], "cannot be negative"),
        (
            &["list", "8", "--format", "pgn"],
            "possible values: tuple, zero-based, board",
        ),
        (&["first", "x"], "N must be a whole number"),
        (&["first", "1000"], "1000"),
        (&["cuont", "8"], "'count'"),
        (&["--frobnicate"], "unexpected argument"),
        (&["completions", "tcsh"], "possible values: bash"),
        (&["man", "nonsense"], "no verb is called `queens nonsense`"),
        (
            &["man", "campaign", "nonsense"],
            "no verb is called `queens campaign nonsense` (see `queens campaign --help`)",
        ),
    ] {
        let output = run(args);
        let message = refusal(&output);
        assert!(message.contains(complaint), "{args:?}: {message}");
    }
}

#[test]
fn arguments_that_are_not_text_are_refused_in_one_line() {
    for words in [
        &[&b"count"[..], b"\xff"][..],
        &[b"count", b"8", b"--engine", b"\xff"],
        &[b"count", b"8", b"--threads", b"\xff"],
        &[b"list", b"8", b"--format", b"\xff"],
        &[b"\xff"],
        &[b"--\xff"],
        &[b"count", b"-\xff"],
    ] {
        let args: Vec<&OsStr> = words.iter().map(|word| OsStr::from_bytes(word)).collect();
        let output = Command::new(env!("CARGO_BIN_EXE_queens"))
            .args(&args)
            .output()
            .unwrap();
        refusal(&output);
    }
}

#[test]
fn a_reader_that_closes_the_pipe_ends_the_program_quietly() {
    for args in [
        &["list", "20"][..],
        &["list", "20", "--format", "board"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let mut child = command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The reader goes away before, or while, the first block is written.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(text(&output.stderr), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn a_full_disk_is_an_error_and_never_a_short_list() {
    for args in [
        &["count", "8"][..],
        &["count", "8", "--json"],
        &["list", "4"],
        &["list", "13"],
        &["first", "8"],
        &["first", "3"],
        &["engines"],
        &["completions", "zsh"],
        &["man"],
        &["--help"],
        &["--version"],
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = command(args).stdout(full).output().unwrap();
        assert!(
            refusal(&output).contains("cannot write to standard output: No space left"),
            "{args:?}"
        );
    }
}

#[test]
fn a_count_of_hours_says_so_first_and_ctrl_c_stops_it() {
    use std::io::{BufRead, BufReader};
    let mut child = command(&["count", "26", "--engine", "lines"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(
        line.starts_with("queens: counting n = 26 with lines on 1 thread will take about "),
        "{line}"
    );
    assert!(
        line.contains("`queens count --known 26` looks the number up"),
        "{line}"
    );
    // The handler is installed before the line is printed, so the signal cannot be early.
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    line.clear();
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("queens: interrupted after "), "{line}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn the_way_out_of_a_long_count_gives_the_number_that_was_asked_for() {
    use std::io::{BufRead, BufReader};
    for (args, advice) in [
        (&["count", "25"][..], "count --known 25"),
        (
            &["count", "25", "--fundamental"],
            "count --known 25 --fundamental",
        ),
        (&["count", "29", "--torus"], "count --known 29 --torus"),
    ] {
        // An engine that takes days on any machine, where there is a choice.
        let args = match args.contains(&"--torus") {
            true => args.to_vec(),
            false => [args, &["--engine", "lines"]].concat(),
        };
        let mut child = command(&args)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        stderr.read_line(&mut line).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            line.ends_with(&format!("; `queens {advice}` looks the number up\n")),
            "{line}"
        );
        // The advised command works as it is printed, for the number that was asked for.
        let advised: Vec<&str> = advice.split(' ').collect();
        let sequence = match advised.last() {
            Some(&"--fundamental") => Sequence::Fundamental,
            Some(&"--torus") => Sequence::Torus,
            _ => Sequence::All,
        };
        let number = sequence.value(advised[2].parse().unwrap()).unwrap();
        assert!(
            answer(&advised).starts_with(&format!("{number} (looked up: ")),
            "{advice}"
        );
    }
    let output = run(&["count", "25", "--known", "--device", "gpu"]);
    assert!(refusal(&output).contains("--device"));
}

#[test]
fn progress_is_shown_where_it_was_asked_for_and_nowhere_else() {
    use std::io::{BufRead, BufReader};
    // Long enough on any machine to have something to report, and stopped once it has.
    let mut child = command(&["count", "16", "--engine", "byte-grid", "--progress"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let shown = stderr.lines().map_while(Result::ok);
    let line = shown
        .into_iter()
        .find(|line| line.starts_with("count 16 ["));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.expect("a line of progress").contains(" % "));

    assert_eq!(
        text(&run(&["count", "13", "--engine", "columns"]).stderr),
        ""
    );
}

#[test]
fn every_verb_has_help_with_examples_and_a_manual_page() {
    let overview = answer(&["--help"]);
    let verbs = overview
        .split("Commands:\n")
        .nth(1)
        .expect("a list of verbs");
    let verbs: Vec<&str> = verbs
        .lines()
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for verb in [
        "count",
        "list",
        "first",
        "check",
        "engines",
        "completions",
        "man",
    ] {
        assert!(verbs.contains(&verb), "{verb} in {verbs:?}");
    }
    for verb in verbs {
        let help = answer(&[verb, "--help"]);
        assert!(help.contains("Examples:\n  "), "{help}");
        assert!(help.contains(&format!("  queens {verb}")), "{help}");
        // The items of a list in a paragraph would run together, each after the end of the last.
        let joined = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!joined.contains("; - "), "{help}");
        let page = answer(&["man", verb]);
        assert!(page.contains(&format!(".TH queens-{verb} 1")), "{page}");
    }
    assert!(answer(&["man"]).contains(".TH queens 1"));
    let page = answer(&["man", "campaign", "run"]);
    assert!(page.contains(".TH queens-campaign-run 1"), "{page}");
    assert!(answer(&["--version"]).starts_with("queens "));
}

#[test]
fn manual_pages_are_written_into_a_folder() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("man1");
    let _ = std::fs::remove_dir_all(&folder);
    answer(&["man", "--dir", folder.to_str().unwrap()]);
    for page in ["queens.1", "queens-count.1", "queens-check.1"] {
        assert!(folder.join(page).is_file(), "{page}");
    }
    let output = run(&["man", "--dir", "/dev/null/x"]);
    assert!(refusal(&output).contains("cannot create the folder"));
}

#[test]
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = answer(&["completions", shell]);
        assert!(script.contains("engines"), "{shell}");
    }
}

#[test]
fn without_a_verb_the_overview_goes_to_stderr() {
    let output = run(&[]);
    assert!(output.stdout.is_empty());
    assert!(text(&output.stderr).contains("Usage: queens"));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_table_of_the_readme_has_every_engine_in_order() {
    let readme = include_str!("../../../README.md");
    let table = readme.split("\n| engine |").nth(1).expect("a table");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let names: Vec<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    assert_eq!(names, engine_names());
}

#[test]
fn the_commands_of_the_readme_print_what_it_shows() {
    let readme = include_str!("../../../README.md");
    let mut shown = 0;
    for block in readme.split("```text\n").skip(1) {
        let block = block.split("```").next().expect("the block ends");
        for session in block.split("$ ").skip(1) {
            let (line, expected) = session.split_once('\n').expect("a command and its output");
            let mut words = line.split_whitespace();
            let name = words.next().expect("a program");
            let output = Command::new(env!("CARGO_BIN_EXE_queens"))
                .arg0(name)
                .args(words)
                .output()
                .unwrap();
            assert_eq!(
                text(&output.stdout).trim_end(),
                expected.trim_end(),
                "{line}"
            );
            shown += 1;
        }
    }
    assert!(shown >= 4, "only {shown} commands found");
}
