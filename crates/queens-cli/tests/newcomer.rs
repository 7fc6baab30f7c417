//! The first things that a newcomer types, and what comes back.

mod support;

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use serde_json::Value;
use support::{feed, folder, queens, refusal, run, text};

fn stdout(output: &std::process::Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("the answer is UTF-8")
}

fn stderr(output: &std::process::Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("what is said is UTF-8")
}

#[test]
fn help_is_a_word_too() {
    assert_eq!(text(&["help"]), text(&["--help"]));
    for verb in [
        &["count"][..],
        &["bench", "count"],
        &["campaign", "new"],
        &["show"],
    ] {
        let asked = [&["help"], verb].concat();
        let option = [verb, &["--help"]].concat();
        assert_eq!(text(&asked), text(&option), "{verb:?}");
    }
    let line = refusal(&["help", "nonsense"]);
    assert!(line.contains("there is no verb 'nonsense'"), "{line}");
}

#[test]
fn hints_make_sense() {
    for (args, hint) in [
        (&["8"][..], "`queens count 8`"),
        (&["cuont", "8"], "did you mean 'count'?"),
        (&["count", "8", "--jsn"], "did you mean '--json'?"),
        (&["serve", "--port", "x"], "such as 8000"),
    ] {
        let line = refusal(args);
        assert!(line.contains(hint), "{line}");
    }
    for (args, nonsense) in [
        (&["engines", "--nonsense"][..], "-- --nonsense"),
        (&["list", "8", "--nonsense"], "-- --nonsense"),
        (&["completions", "tcsh"], "'zsh'"),
        (&["serve", "--port", "x"], "such as 8,"),
        (&["nonsense"], "did you mean"),
    ] {
        let line = refusal(args);
        assert!(!line.contains(nonsense), "{line}");
    }
}

#[cfg(feature = "nats")]
#[test]
fn a_worker_without_an_address_says_what_to_give() {
    let output = queens(&["worker"])
        .env_remove("NATS_URL")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(
        stderr(&output),
        "queens: which NATS server? give --nats URL, such as nats://host:4222, or set NATS_URL\n"
    );
    let line = refusal(&["worker", "--nats", "nats://127.0.0.1:1"]);
    assert!(line.ends_with("no server listens there\n"), "{line}");
}

#[test]
fn what_the_trace_prints_is_drawn_as_it_is_meant() {
    for n in ["4", "6", "8"] {
        let trace = text(&["trace", n]);
        let last = trace.lines().rev().nth(1).expect("a solution");
        let drawn = feed(&["show", "-"], last.as_bytes());
        assert_eq!(stdout(&drawn), text(&["show", n]), "{last}");
        assert_eq!(stderr(&drawn), "");
        // As an argument, in all ways to write it.
        let bare = last.trim_matches(['(', ')']);
        let blanks = bare.replace(',', "");
        let digits = blanks.replace(' ', "");
        let listed = text(&["list", n, "--limit", "1"]);
        for text_of in [last, bare, &blanks, &digits, listed.trim_end()] {
            let expected = text(&["show", n]);
            assert_eq!(text(&["show", text_of]), expected, "{text_of}");
            assert_eq!(text(&["check", text_of]), "valid\n", "{text_of}");
        }
    }
    let board = text(&["show", "4 6 8 2 7 1 3 5"]);
    assert!(
        board.starts_with(". . . Q . . . .\n. . . . . Q . .\n"),
        "{board}"
    );
    assert_eq!(text(&["show", "2413"]), text(&["show", "(2, 4, 1, 3)"]));
    // No board of this size is drawn, and the figures are no columns.
    let line = refusal(&["show", "2414"]);
    assert!(
        line.contains("boards are drawn up to N = 100, not 2414"),
        "{line}"
    );
    // Three figures are a size, but may have been meant for columns.
    let line = refusal(&["show", "123"]);
    assert_eq!(
        line,
        "queens: boards are drawn up to N = 100, not 123; a placement is written with blanks: \
         \"1 2 3\"\n"
    );
    assert!(text(&["show", "1 2 3"]).starts_with("Q . .\n"));
    assert!(!refusal(&["show", "900"]).contains("placement"));
}

#[test]
fn a_placement_that_does_not_tell_what_it_counts_from_is_read_with_a_word_about_it() {
    let unclear = "(2, 0, 0, 0)";
    let drawn = run(&["show", unclear]);
    assert_eq!(stdout(&drawn), ". Q . .\n. . . .\n. . . .\n. . . .\n");
    assert_eq!(
        stderr(&drawn),
        "queens: the placement given may count columns from 0 or from 1; it is read from 1 \
         (--origin 0 or --origin 1 says which)\n"
    );
    assert_eq!(drawn.status.code(), Some(0));
    assert_eq!(text(&["show", unclear, "--origin", "1"]), stdout(&drawn));
    assert_eq!(
        text(&["show", unclear, "--origin", "0"]),
        ". . Q .\nQ . . .\nQ . . .\nQ . . .\n"
    );

    let checked = feed(&["check"], b"(2, 4, 1, 3)\n(2, 2, 3, 3)\n(2, 2, 3, 3)\n");
    assert_eq!(
        stderr(&checked),
        "queens: standard input, line 2 may count columns from 0 or from 1; it is read from 1 \
         (--origin 0 or --origin 1 says which)\n"
    );
    let told = run(&["check", "(2, 2, 3, 3)", "--origin", "0"]);
    assert_eq!(stderr(&told), "");
    let lines: Vec<&str> = stdout(&told).lines().collect();
    assert_eq!(lines[0], "(0, 2) and (1, 2) attack each other in column 2");
}

#[test]
fn the_first_rows_of_a_larger_board_are_drawn_where_its_size_is_told() {
    let trace = text(&["trace", "6"]);
    let line = trace.lines().find(|line| *line == "(0, 2, 4)").unwrap();
    let drawn = "Q . . . . .\n. . Q . . .\n. . . . Q .\n. . . . . .\n. . . . . .\n. . . . . .\n";
    assert_eq!(text(&["show", line, "--n", "6"]), drawn);
    let piped = feed(&["show", "-", "--n", "6"], line.as_bytes());
    assert_eq!((stdout(&piped), stderr(&piped)), (drawn, ""));
    assert_eq!(text(&["show", "024", "--n", "6"]), drawn);
    // Without the size, one line names the option.
    for verb in ["show", "check"] {
        let said = refusal(&[verb, line]);
        assert!(said.contains("off the 3 by 3 board"), "{said}");
        assert!(said.contains("--n N says how large"), "{said}");
        // Read as it stands, with a word about it: from 1, and the first row empty.
        let other = run(&[verb, "(0, 2)"]);
        let said = stderr(&other);
        assert!(
            said.contains("from 1 on a board of 2 by 2") && said.contains("--n N"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    // With neither a 0 nor the last column, the origin is still in doubt.
    let doubtful = run(&["show", "(1, 3)", "--n", "6"]);
    assert!(stderr(&doubtful).contains("--origin 0 or --origin 1"));
    let from_0 = run(&["show", "(1, 3)", "--n", "6", "--origin", "0"]);
    assert!(stdout(&from_0).starts_with(". Q . . . .\n. . . Q . .\n"));
    assert_eq!(text(&["check", line, "--n", "6", "--partial"]), "valid\n");
    let fewer = run(&["check", line, "--n", "6"]);
    assert_eq!(stdout(&fewer), "3 queens, not 6, on a board of 6 by 6\n");
    for (args, reason) in [
        (
            &["show", "(2, 4, 1, 3)", "--n", "3"][..],
            "on a board of 4 by 4, not 3 by 3",
        ),
        (&["show", "(1, 9)", "--n", "8"], "off the 8 by 8 board"),
        (
            &["show", "8", "--diagonals", "1,5", "--n", "8"],
            "cannot be used with",
        ),
    ] {
        let said = refusal(args);
        assert!(
            said.contains(reason) && !said.contains("how large"),
            "{said}"
        );
    }
}

#[test]
fn the_edges_of_a_picture_count_as_the_messages_do() {
    let from = |origin: &str| {
        let args = ["show", "(1, 2, 3)", "--format", "latex", "--origin", origin];
        let tex = text(&args);
        let lines = tex.lines().filter(|line| line.contains(", -0.4)"));
        lines
            .map(|line| line.rsplit_once('{').unwrap().1.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(from("1"), ["1};", "2};", "3};"]);
    let message = run(&["check", "(1, 2, 3)"]);
    assert!(stdout(&message).starts_with("(1, 1) and (2, 2) attack"));
    // From 0 the same list has a column that is off the board.
    for verb in ["show", "check"] {
        let line = refusal(&[verb, "(1, 2, 3)", "--origin", "0"]);
        assert!(line.contains("(2, 3) is off the 3 by 3 board"), "{line}");
        let line = refusal(&[verb, "(1, 2, 4)"]);
        assert!(line.contains("(3, 4) is off the 3 by 3 board"), "{line}");
    }
}

#[test]
fn solutions_in_a_table_are_read_from_0_and_from_1() {
    let from_1 = "row1,row2,row3,row4\n2,4,1,3\n3,1,4,2\n";
    let checked = feed(&["check"], from_1.as_bytes());
    assert_eq!((stdout(&checked), stderr(&checked)), ("2 valid\n", ""));
    // With the header of the file on the page that counts from 0, and with the usual one.
    for header in ["row0,row1,row2,row3", "row1,row2,row3,row4"] {
        let from_0 = format!("{header}\n1,3,0,2\n2,0,3,1\n");
        let checked = feed(&["check"], from_0.as_bytes());
        assert_eq!((stdout(&checked), stderr(&checked)), ("2 valid\n", ""));
    }
    // What `csv` writes for fewer queens than rows comes back as it was.
    for (n, queens, all) in [
        ("1", "0", "valid\n"),
        ("2", "1", "4 valid\n"),
        ("4", "3", "24 valid\n"),
    ] {
        let fewer = text(&["list", n, "--queens", queens, "--format", "csv"]);
        let checked = feed(&["check", "--queens", queens], fewer.as_bytes());
        assert_eq!((stdout(&checked), stderr(&checked)), (all, ""));
    }
}

#[test]
fn check_takes_files_and_placements_and_the_course_program() {
    let folder = folder("newcomer-check");
    let (good, bad) = (folder.join("good.txt"), folder.join("bad.txt"));
    std::fs::write(&good, text(&["list", "6"])).unwrap();
    std::fs::write(&bad, "Q.\n.Q\n").unwrap();
    let (good, bad) = (good.to_str().unwrap(), bad.to_str().unwrap());
    assert_eq!(text(&["check", good]), "4 valid\n");
    assert_eq!(text(&["check", good, "2413", "[1, 3, 0, 2]"]), "6 valid\n");
    let mixed = run(&["check", good, bad, "(2, 4, 1, 3)"]);
    assert_eq!(
        stdout(&mixed),
        format!(
            "placement 5, {bad}: (1, 1) and (2, 2) attack each other on a falling diagonal\n\
             5 valid, 1 not\n"
        )
    );
    assert_eq!(mixed.status.code(), Some(1));
    let piped = feed(&["check", "-", "2413"], b"(3, 1, 4, 2)\n");
    assert_eq!(stdout(&piped), "2 valid\n");

    let line = refusal(&["check", "nonsense.txt"]);
    assert!(line.contains("cannot open nonsense.txt"), "{line}");
    let line = refusal(&["check", "8/8/no"]);
    assert!(line.contains("cannot open 8/8/no"), "{line}");
    for (text, reason) in [
        ("(2, 4, x, 3)", "`x` is not a column"),
        ("1Q2/3Q/Q3/2K1", "`K` is neither a queen"),
        ("1Q2/3Q/Q3", "3 rows of 4 squares, and is not square"),
    ] {
        let line = refusal(&["check", text]);
        assert!(line.contains(reason), "{line}");
    }
    // What is in doubt about a list is told once for each source.
    let both = run(&["check", "(1, 1, 1)", "2413", "(2, 2, 2)"]);
    let said: Vec<String> = stderr(&both).lines().map(str::to_owned).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("(1, 1, 1), line 1") && said[1].contains("(2, 2, 2), line 1"));

    let course = b"(2, 4, 1, 3)\n(3, 1, 4, 2)\n4-Queens has 2 solutions\n";
    assert_eq!(stdout(&feed(&["check"], course)), "2 valid\n");
    // Only that line: others are as wrong as before.
    let other = feed(&["check"], b"(2, 4, 1, 3)\n4-Queens has many solutions\n");
    assert_eq!(other.status.code(), Some(2));
}

#[test]
fn every_verb_that_answers_answers_in_json() {
    let objects = |args: &[&str]| -> Vec<Value> {
        let output = run(args);
        let lines = stdout(&output).lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{args:?}: {e}")))
            .collect()
    };
    for args in [
        &["count", "6"][..],
        &["list", "6"],
        &["first", "6"],
        &["first", "2"],
        &["solve", "6"],
        &["random", "6", "--seed", "1"],
        &["random", "2"],
        &["check", "2413"],
        &["engines"],
        &["devices"],
        &["estimate", "6", "--budget", "0.1"],
        &["approximate", "6", "--seconds", "0.1"],
        &["known"],
        &[
            "bench", "count", "--from", "4", "--to", "5", "--engine", "bitmask",
        ],
        &["show", "6"],
        &["show", "2"],
        &["show", "8", "--diagonals", "1,5"],
        &["show", "--bits", "0001,1001,0101"],
        &["asm"],
        &["asm", "--target", "mips-linux", "--explain"],
        &["asm", "--trace", "4"],
        &["trace", "4"],
        &["trace", "4", "--stats"],
        &["tree", "4"],
        &["code"],
    ] {
        let answers = objects(&[args, &["--json"]].concat());
        assert!(!answers.is_empty(), "{args:?}");
        assert!(answers.iter().all(Value::is_object), "{args:?}");
    }
    // The spelling of earlier versions says the same.
    for args in [
        &["list", "6"][..],
        &["first", "6"],
        &["solve", "6"],
        &["trace", "4"],
        &["tree", "4"],
    ] {
        let now = text(&[args, &["--json"]].concat());
        let before = text(&[args, &["--format", "json"]].concat());
        assert_eq!(now, before, "{args:?}");
        let help = text(&[args[0], "--help"]);
        assert!(!help.contains("- json"), "{help}");
    }
    assert_eq!(
        text(&["show", "4", "--json"]),
        "{\"n\":4,\"cols\":[1,3,0,2]}\n"
    );
    for verb in ["first", "show"] {
        let none = run(&[verb, "2", "--json"]);
        assert_eq!(stdout(&none), "{\"n\":2,\"cols\":null}\n");
        assert_eq!(none.status.code(), Some(1));
    }
    assert_eq!(
        text(&["show", "8", "--diagonals", "1,5", "--json"]),
        "{\"n\":8,\"square\":[1,5],\"diag\":-4,\"anti\":6}\n"
    );
    assert_eq!(
        text(&[
            "show",
            "--bits",
            "0001,0000,0101",
            "--place",
            "0010",
            "--json"
        ]),
        "{\"n\":4,\"done\":\"1111\",\"leftDia\":\"0001\",\"col\":\"0000\",\"rightDia\":\"0101\",\
         \"attacked\":\"0101\",\"poss\":\"1010\",\"bit\":\"0010\",\
         \"next\":{\"leftDia\":\"0001\",\"col\":\"0010\",\"rightDia\":\"1110\"},\"end\":null}\n"
    );
    // The program is the one that is printed, and the stops are those of the text.
    for args in [
        &["asm"][..],
        &["asm", "--target", "mips-linux", "--explain"],
    ] {
        let object = &objects(&[args, &["--json"]].concat())[0];
        assert_eq!(object["text"], text(args), "{args:?}");
    }
    let stops = objects(&["asm", "--trace", "4", "--json"]);
    let told: Vec<String> = stops
        .iter()
        .map(|stop| {
            let registers = stop["registers"].as_object().unwrap();
            let registers = registers
                .iter()
                .map(|(name, value)| format!(" ${name}=0x{:x}", value.as_u64().unwrap()));
            format!(
                "{:<9}{}",
                stop["stop"].as_str().unwrap(),
                registers.collect::<String>()
            )
        })
        .collect();
    let printed = text(&["asm", "--trace", "4"]);
    let printed: Vec<&str> = printed
        .lines()
        .skip(1)
        .filter_map(|line| Some(line.split_once('|')?.0.trim_end()))
        .filter(|stop| !stop.is_empty())
        .collect();
    assert_eq!(told, printed);
}

#[test]
fn campaigns_answer_in_json_too() {
    let folder = folder("newcomer-campaign");
    let (one, other) = (folder.join("one.campaign"), folder.join("other.campaign"));
    let (one, other) = (one.to_str().unwrap(), other.to_str().unwrap());
    let object = |args: &[&str]| -> Value {
        let args = [&["campaign"], args, &["--json"]].concat();
        serde_json::from_str(&text(&args)).unwrap_or_else(|e| panic!("{args:?}: {e}"))
    };
    let planned = object(&["new", "8", one, "--units", "4"]);
    assert_eq!((&planned["n"], &planned["file"]), (&8.into(), &one.into()));
    std::fs::copy(one, other).unwrap();
    let counted = object(&["run", one]);
    assert_eq!(counted["count"], "92");
    assert_eq!(counted["done"], planned["units"]);
    assert_eq!(counted, object(&["result", one]));
    let redone = object(&["redo", one, "2"]);
    assert_eq!(
        (&redone["unit"], &redone["count"]),
        (&2.into(), &redone["old_count"])
    );
    let pruned = object(&["prune", one, "1-2"]);
    assert_eq!(
        (&pruned["units_dropped"], &pruned["recounts_dropped"]),
        (&2.into(), &Value::Null)
    );
    assert_eq!(object(&["prune", one, "--damaged"])["recounts_dropped"], 0);
    let redone = object(&["redo", one, "2"]);
    assert_eq!(redone["old_count"], Value::Null);
    object(&["run", one]);
    let merged = object(&["merge", other, one]);
    assert_eq!(merged["added"], planned["units"]);
    assert_eq!(merged["done"], planned["units"]);
    let verified = object(&["verify", other, "--share", "100%"]);
    assert_eq!(verified["outcome"], "agree");
    assert_eq!(verified["recounted"], planned["units"]);
    assert_eq!(verified["methods"], serde_json::json!(["backtracking"]));
    // A string, as no number of JSON holds every count.
    assert_eq!(object(&["result", other])["count"], "92");
}

#[test]
fn a_search_without_an_end_in_sight_says_so_and_what_to_do() {
    // This search takes hours, so it is ended as soon as it has spoken.
    let mut child = queens(&["first", "46"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    said.read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let mut answer = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut answer)
        .unwrap();
    assert_eq!(answer, "");
    assert!(
        line.starts_with("queens: the first solution for n = 46 may take hours"),
        "{line}"
    );
}
