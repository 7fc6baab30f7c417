//! `queens solve`: every format, every kind of board, and what it says where it has no answer.

mod support;

use std::process::Stdio;

use support::{feed, queens, refusal, run, text};

#[test]
fn a_formula_solves_the_plain_board_in_every_format() {
    assert_eq!(text(&["solve", "8"]), "(2, 4, 6, 8, 3, 1, 7, 5)\n");
    for (n, number) in [("1", 1), ("8", 8), ("27", 27), ("200", 200)] {
        for format in [
            "tuple",
            "zero-based",
            "board",
            "unicode",
            "fen",
            "json",
            "csv",
        ] {
            let solution = text(&["solve", n, "--format", format]);
            let judged = feed(&["check", "--json"], solution.as_bytes());
            let judged: serde_json::Value = serde_json::from_slice(&judged.stdout).expect("JSON");
            assert_eq!(judged["valid"], true, "{n}, {format}");
            assert_eq!(judged["n"], number, "{n}, {format}");
        }
    }
    for n in ["2", "3"] {
        let output = run(&["solve", n]);
        assert_eq!(output.stdout, b"no solution\n");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn a_million_queens_go_through_a_pipe_and_are_valid() {
    let mut solving = queens(&["solve", "1000000"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("queens runs");
    let pipe = solving.stdout.take().expect("it was asked for");
    let judged = queens(&["check", "-"])
        .stdin(pipe)
        .output()
        .expect("queens runs");
    assert_eq!(judged.stdout, b"valid\n");
    assert!(solving.wait().expect("it ends").success());
    // The largest placement that is read at all; its two queens attack each other.
    let mut largest = "(1".to_owned();
    largest.push_str(&", 0".repeat(9_999_998));
    largest.push_str(", 10000000)");
    let judged = feed(&["check", "--partial"], largest.as_bytes());
    let told = "(1, 1) and (10000000, 10000000) attack each other on a falling diagonal\n";
    assert_eq!(String::from_utf8_lossy(&judged.stdout), told);
    largest.insert_str(1, "0, ");
    let judged = feed(&["check", "--partial"], largest.as_bytes());
    assert_eq!(judged.status.code(), Some(2));
    let told = String::from_utf8_lossy(&judged.stderr).into_owned();
    assert!(told.contains("of size 10000001 is too large"), "{told}");
}

#[test]
fn a_solution_of_any_size_can_be_begun() {
    let mut solving = queens(&["solve", "1000000000000"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("queens runs");
    let mut pipe = solving.stdout.take().expect("it was asked for");
    let mut start = [0; 12];
    std::io::Read::read_exact(&mut pipe, &mut start).expect("twelve bytes");
    assert_eq!(&start, b"(2, 4, 6, 8,");
    drop(pipe);
    assert!(solving.wait().expect("it ends").success());
}

#[test]
fn boards_are_solved_and_their_answers_hold() {
    let boards: [&[&str]; 5] = [
        &["8", "--given", "1,1 2,5"],
        &["8", "--blocked", "1,1 2,2 3,3 4,4 5,5 6,6 7,7 8,8"],
        &["9", "--queens", "5", "--given", "3,3"],
        &["400", "--given", "1,1 2,5 3,9"],
        &[
            "30",
            "--blocked",
            "15,15",
            "--method",
            "exact",
            "--seed",
            "5",
        ],
    ];
    for board in boards {
        let solution = text(&[&["solve"], board].concat());
        let options: Vec<&str> = board
            .iter()
            .copied()
            .skip(1)
            .take_while(|&word| word != "--method")
            .collect();
        let judged = feed(
            &[&["check", "-"], &options[..]].concat(),
            solution.as_bytes(),
        );
        assert_eq!(judged.stdout, b"valid\n", "{board:?}: {solution}");
        let again = text(&[&["solve"], board].concat());
        assert_eq!(solution, again, "the same every time");
    }
    // Four queens on five rows, with a queen in a corner: all that this board has room for.
    let json = text(&["solve", "5", "--queens", "4", "--given", "1,1", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(object["solvable"], true);
    assert_eq!(object["method"], "auto");
    let board = serde_json::json!({"n":5,"queens":4,"given":[[0,0]],"blocked":[]});
    assert_eq!(object["board"], board);
    assert!(json.starts_with("{\"n\":5,\"board\":{"), "{json}");
    let plain = text(&["solve", "5", "--json"]);
    assert!(plain.starts_with("{\"n\":5,\"solvable\":true,"), "{plain}");
    let cols = object["cols"].as_array().expect("columns");
    assert_eq!(cols.len(), 5);
    assert_eq!(cols.iter().filter(|col| col.is_null()).count(), 1);
    let judged = feed(&["check", "--queens", "4"], json.as_bytes());
    assert_eq!(judged.stdout, b"valid\n");
}

#[test]
fn that_there_is_none_is_an_answer_and_running_out_of_time_is_not() {
    let none = ["solve", "6", "--given", "1,1"];
    let output = run(&none);
    assert_eq!(output.stdout, b"no solution\n");
    assert_eq!(output.status.code(), Some(1));
    let output = run(&[&none[..], &["--json"]].concat());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (&object["solvable"], &object["cols"]),
        (&false.into(), &None::<u8>.into())
    );
    assert_eq!(output.status.code(), Some(1));
    // Local search cannot know that there is none.
    let endless = [&none[..], &["--method", "local", "--time-limit", "1s"]].concat();
    let output = run(&endless);
    assert!(output.stdout.is_empty());
    assert_eq!(output.status.code(), Some(3));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        told.contains("it is not proven that there is none"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1);
    let output = run(&[&endless[..], &["--json"]].concat());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(object["solvable"].is_null());
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn fewer_queens_are_placed_on_boards_of_any_size() {
    for (n, queens) in [
        ("5000", "5"),
        ("5000", "4999"),
        ("4000", "3999"),
        ("3", "2"),
        ("2", "1"),
        ("100000", "0"),
    ] {
        let solution = text(&["solve", n, "--queens", queens]);
        let judged = feed(&["check", "--queens", queens], solution.as_bytes());
        assert_eq!(judged.stdout, b"valid\n", "{queens} on {n}");
    }
    for (n, queens) in [
        ("5000", "5001"),
        ("1000000000000", "1000000000001"),
        ("3", "3"),
    ] {
        let output = run(&["solve", n, "--queens", queens]);
        assert_eq!(output.stdout, b"no solution\n", "{queens} on {n}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn a_time_limit_holds_while_a_search_is_prepared() {
    // Two rows share two columns, and their queens would always attack each other: neither a line
    // without squares nor a matching shows that, and 4,000 rows take long to prepare.
    let row = |row: usize| (2..4_000).map(move |col| [row, col]);
    let blocked: Vec<_> = row(0).chain(row(1)).collect();
    let board = serde_json::json!({"n": 4_000, "blocked": blocked}).to_string();
    let start = std::time::Instant::now();
    let limited = [
        "solve",
        "--board",
        "-",
        "--method",
        "exact",
        "--time-limit",
        "1s",
    ];
    let output = feed(&limited, board.as_bytes());
    let took = start.elapsed().as_secs_f64();
    // A fast machine may have the proof by then.
    assert!(matches!(output.status.code(), Some(1 | 3)), "{output:?}");
    assert!(took < 4.0, "{took} s");
}

#[test]
fn misuse_of_solve_is_refused_in_one_line() {
    for (args, reason) in [
        (&["8", "--method", "magic"][..], "auto, exact, local"),
        (&["8", "--json", "--format", "fen"], "cannot be used with"),
        (&["8", "--given", "1,1 2,2"], "attack each other"),
        (&["8", "--given", "9,1"], "is off the 8 by 8 board"),
        (&["8", "--time-limit", "soon"], "a time is a number"),
        (
            &["10000001", "--blocked", "1,1"],
            "too large; at most 10000000",
        ),
        (
            &["1000000000000", "--queens", "7"],
            "too large; at most 10000000",
        ),
        (
            &["5000", "--queens", "7", "--method", "exact"],
            "too large for the exact search",
        ),
        (&[], "N"),
    ] {
        let line = refusal(&[&["solve"], args].concat());
        assert!(line.contains(reason), "{args:?}: {line}");
    }
}
