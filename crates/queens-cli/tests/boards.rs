//! Boards with given queens, blocked squares and fewer queens, in every verb that takes them.

mod support;

use support::{feed, refusal, run, text};

const DRAWN: &str = ". Q . .\n. . . .\n. . . .\n# . . .\n";
const AS_JSON: &str = r#"{"n":4,"given":[[0,1]],"blocked":[[3,0]]}"#;

/// Runs `queens` with a board on standard input; returns what it printed, and its exit code.
fn fed(args: &[&str], input: &str) -> (String, Option<i32>) {
    let output = feed(args, input.as_bytes());
    let text = String::from_utf8(output.stdout).expect("the answer is UTF-8");
    (text, output.status.code())
}

#[test]
fn boards_are_counted_by_the_engines_that_take_them() {
    for engine in ["bitmask", "mirror", "two-colour"] {
        for (args, expected) in [
            (&["--given", "1,4"][..], "18\n"),
            (&["--given", "[0,3]"], "18\n"),
            (&["--blocked", "1,4"], "74\n"),
            (&["--given", "1,1", "--blocked", "(2, 5)"], "3\n"),
            (&["--given", "1,1 2,3", "--queens", "8"], "0\n"),
            (&["--queens", "9"], "0\n"),
        ] {
            let mut all = vec!["count", "8", "--engine", engine];
            all.extend(args);
            assert_eq!(text(&all), expected, "{all:?}");
        }
    }
    assert_eq!(text(&["count", "8", "--queens", "5"]), "46736\n");
    assert_eq!(text(&["count", "12", "--queens", "5"]), "20609544\n");
    for board in [DRAWN, AS_JSON] {
        let (count, code) = fed(&["count", "--board", "-"], board);
        assert_eq!((count.as_str(), code), ("1\n", Some(0)));
    }
}

#[test]
fn a_count_tells_programs_which_board_it_was() {
    let line = text(&["count", "6", "--given", "1,2", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(object["count"], 1);
    assert_eq!(object["board"]["given"], serde_json::json!([[0, 1]]));
    let plain = text(&["count", "6", "--queens", "6", "--json"]);
    let plain: serde_json::Value = serde_json::from_str(&plain).unwrap();
    assert_eq!(plain.get("board"), None);
}

#[test]
fn what_takes_hours_is_announced() {
    /// What is said within a few seconds, before the program is ended.
    fn said(args: &[&str]) -> String {
        let mut child = support::queens(args)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("queens runs");
        let stderr = child.stderr.take().expect("it was asked for");
        let (tell, heard) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = std::io::BufRead::read_line(&mut std::io::BufReader::new(stderr), &mut line);
            tell.send(read.map(|_| line))
        });
        let line = heard.recv_timeout(std::time::Duration::from_secs(30));
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        line.expect("something is said").expect("UTF-8")
    }
    for (args, told) in [
        (
            &["count", "27", "--given", "1,1"][..],
            "queens: counting this board of size 27 with two-colour",
        ),
        (
            &["count", "30", "--blocked", "1,1"],
            "queens: counting this board of size 30 with two-colour",
        ),
        (
            &["count", "40", "--queens", "20"],
            "queens: counting this board of size 40 with bitmask",
        ),
        (
            &["list", "65", "--blocked", "1,1", "--limit", "1"],
            "queens: the first solution for n = 65 may take hours to find",
        ),
        (
            &["first", "65", "--blocked", "1,1"],
            "queens: the first solution for n = 65 may take hours to find",
        ),
    ] {
        let line = said(args);
        assert!(line.starts_with(told), "{args:?}: {line}");
    }
    // A short count is not announced.
    let output = run(&["count", "14", "--blocked", "1,1"]);
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn answers_are_listed_found_and_checked() {
    assert_eq!(
        text(&["list", "4", "--queens", "3", "--given", "1,1"]),
        "(1, -, 4, 2)\n(1, 3, -, 2)\n(1, 4, -, 3)\n(1, 4, 2, -)\n"
    );
    assert_eq!(
        text(&[
            "list", "4", "--queens", "3", "--given", "1,1", "--skip", "1", "--limit", "2"
        ]),
        "(1, 3, -, 2)\n(1, 4, -, 3)\n"
    );
    assert_eq!(
        text(&["first", "8", "--given", "4,1"]),
        "(2, 5, 7, 1, 3, 8, 6, 4)\n"
    );
    let none = run(&["first", "4", "--given", "1,1"]);
    assert_eq!(none.stdout, b"no solution\n");
    assert_eq!(none.status.code(), Some(1));

    let listed = text(&["list", "8", "--given", "1,4", "--blocked", "8,1"]);
    let options = ["check", "--given", "1,4", "--blocked", "8,1"];
    let valid = format!("{} valid\n", listed.lines().count());
    assert_eq!(fed(&options, &listed), (valid, Some(0)));
    let (verdict, code) = fed(&options, "(1, 5, 8, 6, 3, 7, 2, 4)\n");
    assert_eq!(verdict, "the given queen on (1, 4) is missing\n");
    assert_eq!(code, Some(1));
    let (verdict, _) = fed(&["check", "--blocked", "1,2", "--json"], "(2, 4, 1, 3)\n");
    let verdict: serde_json::Value = serde_json::from_str(&verdict).unwrap();
    assert_eq!(verdict["valid"], false);
    assert_eq!(verdict["on_blocked"], serde_json::json!([[0, 1]]));
    assert_eq!(verdict["missing"], serde_json::json!([]));
    let partial = ["check", "--blocked", "4,4", "--partial"];
    assert_eq!(fed(&partial, "(2, 4, 0, 0)\n").0, "valid\n");
    assert_eq!(fed(&partial, "(2, 0, 0, 4)\n").1, Some(1));
    assert_eq!(
        fed(&["check", "--queens", "2"], "(2, 4, 0, 0)\n").0,
        "valid\n"
    );
}

#[test]
fn blocked_squares_and_given_queens_are_drawn() {
    let given = ["--given", "1,2", "--blocked", "4,1"];
    let show = |args: &[&str]| text(&[&["show", "4"], &given[..], args].concat());
    assert_eq!(show(&[]), ". Q . .\n. . . q\nq . . .\n# . q .\n");
    assert_eq!(show(&["--question"]), DRAWN);
    assert!(show(&["--format", "unicode"]).contains("│ ▒ · ♕ · │"));
    let svg = show(&["--format", "svg"]);
    assert!(svg.contains("4 by 4 board with 4 queens, 1 of them given, 1 square blocked"));
    assert_eq!(svg.matches("class=\"blocked\"").count(), 1);
    assert_eq!(svg.matches("class=\"given\"").count(), 1);
    assert!(show(&["--format", "latex"]).contains("\\fill[queens-ink] (0, 3) rectangle +(1, 1);"));
    assert!(show(&["--format", "typst"]).contains("#at(3, 0, rect("));
    // A board that is drawn can be read again.
    let (again, _) = fed(&["show", "--board", "-", "--question"], DRAWN);
    assert_eq!(again, DRAWN);
    assert_eq!(
        text(&["show", "(2, 4, 1, 3)", "--blocked", "4,4"]),
        ". Q . .\n. . . Q\nQ . . .\n. . Q #\n"
    );
    let none = run(&["show", "4", "--given", "1,1"]);
    assert_eq!(
        (none.stdout.as_slice(), none.status.code()),
        (&b"no solution\n"[..], Some(1))
    );
}

#[test]
fn what_show_prints_of_a_board_is_read_again() {
    // Rows that begin with a blocked square or are full of them, the first row too.
    for board in [
        &["4", "--given", "1,2", "--blocked", "4,1"][..],
        &["5", "--blocked", "1,1 1,2 2,1 3,5"],
        &["4", "--queens", "2", "--blocked", "1,1 1,2 1,3 1,4 3,1"],
        &["4", "--queens", "2", "--blocked", "4,1 4,2 4,3 4,4"],
        &["8", "--queens", "6", "--given", "2,4"],
    ] {
        for format in ["text", "unicode"] {
            let drawn = text(&[&["show"], board, &["--format", format]].concat());
            let judged = fed(&[&["check"], &board[1..]].concat(), &drawn);
            assert_eq!(judged, ("valid\n".to_owned(), Some(0)), "{drawn}");
        }
        let json = text(&[&["show"], board, &["--question", "--json"]].concat());
        let counted = fed(&["count", "--board", "-"], &json);
        let count = text(&[&["count"], board].concat());
        assert_eq!(counted, (count, Some(0)), "{json}");
    }
}

#[test]
fn a_placement_that_contradicts_the_board_is_drawn_with_a_word_about_it() {
    let shown = |args: &[&str]| {
        let output = run(&[&["show"], args].concat());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    };
    let solution = "(2, 4, 1, 3)";
    assert_eq!(
        shown(&[solution, "--blocked", "1,2"]),
        "queens: the placement contradicts the board: a queen stands on the blocked (1, 2)\n"
    );
    assert_eq!(
        shown(&[solution, "--given", "1,1", "--blocked", "3,1"]),
        "queens: the placement contradicts the board: the given queen on (1, 1) is missing, \
         and 1 more\n"
    );
    assert_eq!(
        shown(&[solution, "--queens", "3"]),
        "queens: the placement contradicts the board: it has 4 queens, not 3\n"
    );
    assert_eq!(shown(&[solution, "--given", "1,2", "--blocked", "1,1"]), "");
    assert_eq!(shown(&["(2, -, -, -)", "--given", "1,2"]), "");
}

#[test]
fn the_search_on_a_board_is_traced_and_drawn_as_a_tree() {
    let steps = text(&[
        "trace",
        "4",
        "--given",
        "2,4",
        "--blocked",
        "1,1",
        "--style",
        "steps",
    ]);
    assert_eq!(
        steps,
        "Place queen 1 in row 1: the first available column is 2 (column 1 is blocked).\n\
         Queen 2 is given: row 2, column 4.\n\
         Place queen 3 in row 3: the first available column is 1.\n\
         Place queen 4 in row 4: the first available column is 3 (queen 2 attacks column 2, queen 3 attacks column 1).\n\
         Solution 1: (2, 4, 1, 3).\n"
    );
    let boards = text(&[
        "trace",
        "4",
        "--given",
        "2,4",
        "--blocked",
        "1,1",
        "--boards",
    ]);
    assert!(
        boards.starts_with("(1)\n# Q x x\nx x x Q\n. x x x\n. x . x\n"),
        "{boards}"
    );
    let json = text(&["trace", "4", "--blocked", "1,1", "--format", "json"]);
    assert!(json.contains("\"board\":{\"n\":4,\"queens\":4,\"given\":[],\"blocked\":[[0,0]]}"));
    assert!(json.contains("\"row\":0,\"col\":0,\"free\":false,\"blocked\":true"));
    assert_eq!(
        text(&[
            "tree",
            "4",
            "--given",
            "2,4",
            "--blocked",
            "1,1",
            "--pruned"
        ]),
        "search tree of 4 queens on 4 by 4, 1 given, 1 blocked: 5 nodes, by level 1 1 1 1 1\n\
         ()\n\
         ├─ # col 0: blocked\n\
         ├─ (1)\n\
         │  ├─ x col 0: queen 1, row\n\
         │  ├─ x col 1: queen 1, row\n\
         │  ├─ x col 2: queen 1, row\n\
         │  └─ (1, 3)\n\
         │     ├─ (1, 3, 0)\n\
         │     │  ├─ x col 0: queen 2, col\n\
         │     │  ├─ x col 1: queen 1, anti\n\
         │     │  ├─ (1, 3, 0, 2)  solution\n\
         │     │  └─ x col 3: queen 1, col\n\
         │     ├─ x col 1: queen 0, col\n\
         │     ├─ x col 2: queen 1, anti\n\
         │     └─ x col 3: queen 1, col\n\
         ├─ x col 2: queen 1, diag\n\
         └─ x col 3: queen 1, col\n"
    );
}

/// Checks the first lines that a command prints.
fn shows(args: &[&str], lines: &str) {
    let out = text(args);
    assert!(out.starts_with(lines), "{args:?} prints\n{out}");
}

#[test]
fn every_style_of_a_trace_has_a_mark_for_blocked_squares_and_empty_rows() {
    let board = ["--given", "2,4", "--blocked", "1,1"];
    let style = |style| [&["trace", "4", "--style", style][..], &board].concat();
    let first = "place queen 0 in row 0, col 1: (1)\n";
    shows(
        &style("box"),
        "┌────────────┐\n│ #  . -1 -1 │\n│-1 -1 -1  Q │\n│ .  . -1 -1 │\n│ . -1  . -1 │\n",
    );
    shows(
        &style("attackers"),
        &format!("{first}  #  [0]  1   1\n  1   1   1  [1]\n -1   0   1   1\n -1   1  -1   1\n"),
    );
    shows(
        &style("grid"),
        &format!("{first}# 1 0 0\n0 0 0 1\n0 0 0 0\n"),
    );
    let lines = text(&style("lines"));
    assert!(lines.contains("\n#[1]     0   0   0   0\n"), "{lines}");
    shows(
        &style("bits"),
        "row 0: down 0000 left 0000 right 0000 closed 1101 possible 0010\n  place 0010: col 1\n",
    );
    let fewer = |style| ["trace", "3", "--queens", "2", "--style", style];
    shows(&fewer("tuple"), "(-)\n(-, 0)\n(-, 0, 2)\nsolution 1\n");
    shows(
        &fewer("steps"),
        "Leave row 1 empty: 2 queens are left for the 2 rows below.\n\
         Place queen 2 in row 2: the first available column is 1.\n",
    );
    shows(&fewer("grid"), "leave row 0 empty: (-)\n0 0 0\n");
    assert!(text(&fewer("box")).contains("empty: returns ...\n"));
    assert!(text(&fewer("bits")).contains("  place 000: the row stays empty\n"));
    shows(
        &["tree", "3", "--queens", "2"],
        "search tree of 2 queens on 3 by 3: 21 nodes, by level 1 4 8 8\n()\n├─ (-)\n│  ├─ (-, 0)\n",
    );
    shows(
        &["trace", "3", "--queens", "2", "--stats", "--until", "all"],
        "2 queens on 3 by 3, the whole search\n",
    );
    // In JSON a blocked square holds no number.
    let json = text(&[&style("box")[..], &["--json", "--limit", "1"]].concat());
    assert!(
        json.contains("{\"B\":[[0,null,0,-1,-1],[4,-1,-1,-1,1],"),
        "{json}"
    );
    let json = text(&[&style("bits")[..], &["--json", "--limit", "1"]].concat());
    assert!(
        json.contains("\"closed\":\"1101\",\"possible\":\"0010\""),
        "{json}"
    );
    let page = text(&[&style("grid")[..], &["--format", "html"]].concat());
    assert!(page.contains("\"given\":[[1,3]],\"blocked\":[[0,0]],"));
    assert!(page.contains("come to queen 1, given in row 1, col 3: (1, 3)"));
}

#[test]
fn impossible_boards_are_refused_in_one_line() {
    for (args, reason) in [
        (
            &["count", "4", "--given", "1,1 2,2"][..],
            "the given queens on (1, 1) and (2, 2) attack each other on a falling diagonal",
        ),
        (
            &["list", "4", "--given", "1,1", "--blocked", "1,1"],
            "the given queen on (1, 1) stands on a blocked square",
        ),
        (
            &["first", "4", "--blocked", "1,5"],
            "the square (1, 5) is off the 4 by 4 board",
        ),
        (
            &["list", "100000000000", "--queens", "3"],
            "a board of size 100000000000 is too large; at most 10000000 is accepted",
        ),
        (
            &["first", "100000000000", "--queens", "3"],
            "too large; at most 10000000",
        ),
        (&["show", "4", "--given", "0,1"], "`0,1` is no square"),
        (
            &["show", "8", "--given", "[[0,3] 2,7"],
            "`[[0,3] 2,7` is no square",
        ),
        (&["trace", "4", "--given", "a1"], "`a1` is no square"),
        (
            &["tree", "4", "--given", "1,1 2,3", "--queens", "1"],
            "1 queen is asked for, and 2 are given already",
        ),
        (
            &["trace", "9", "--given", "1,2", "--style", "box"],
            "style box is drawn up to N = 8, not 9",
        ),
        (
            &["count", "8", "--given", "1,1", "--engine", "lines"],
            "for given queens and blocked squares use bitmask, mirror, two-colour",
        ),
        (
            &["count", "8", "--queens", "5", "--engine", "two-colour"],
            "for fewer queens use bitmask",
        ),
        (
            &["count", "8", "--given", "1,1", "--torus"],
            "on the plain board only",
        ),
        (&["count", "8", "--given", "1,1", "--known"], "is published"),
        (
            &["count", "8", "--given", "1,1", "--device", "gpu"],
            "a GPU counts on the plain board",
        ),
        (
            &["list", "8", "--given", "1,1", "--fundamental"],
            "--fundamental is for the plain",
        ),
        (
            &["list", "8", "--given", "1,1", "--engine", "lines"],
            "searches the plain board only",
        ),
        (
            &["count", "--board", "/nowhere/at/all"],
            "cannot open /nowhere/at/all",
        ),
        (
            &["check", "--board", "-"],
            "both the board and the placement",
        ),
        (
            &["show", "-", "--board", "-"],
            "both the board and the placement",
        ),
        (&["play", "--board", "-"], "must be in a file"),
        (&["count"], "required arguments"),
    ] {
        let line = refusal(args);
        assert!(line.contains(reason), "{args:?}: {line}");
    }
    for (board, reason) in [
        ("Q.\n..x", "row 2 has 3 squares, and the board has 2 rows"),
        ("Q.\n.x", "'x' on (2, 2) stands for no square"),
        ("{\"n\":4,\"bloked\":[]}", "not a board in JSON"),
        ("Q.\n.Q", "attack each other"),
        ("\n", "standard input is empty"),
        ("\u{feff}\n", "standard input is empty"),
        ("[]", "not a board in JSON: [] is no object"),
        (
            "{\"n\":300,\"blocked\":[[0,0]]}",
            "blocked squares or fewer queens is counted up to n = 64, not 300",
        ),
    ] {
        let output = feed(&["count", "--board", "-"], board.as_bytes());
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(
            output.stdout.is_empty() && line.contains(reason),
            "{board:?}: {line}"
        );
    }
    let output = feed(&["count", "5", "--board", "-"], DRAWN.as_bytes());
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        line,
        "queens: standard input has a board of size 4, and N is 5\n"
    );
}
