//! What `trace`, `tree` and `show` say beyond their golden files: the tallies against
//! published sequences, the JSON as JSON, the limits, and every kind of bad input.

mod support;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;
use support::{feed, queens, refusal, run, text};

/// A319284: partial solutions per number of queens placed.
const LEVELS: [&[u64]; 9] = [
    &[1, 1],
    &[1, 2, 0],
    &[1, 3, 2, 0],
    &[1, 4, 6, 4, 2],
    &[1, 5, 12, 14, 12, 10],
    &[1, 6, 20, 36, 46, 40, 4],
    &[1, 7, 30, 76, 140, 164, 94, 40],
    &[1, 8, 42, 140, 344, 568, 550, 312, 92],
    &[1, 9, 56, 234, 732, 1614, 2292, 2038, 1066, 352],
];

#[test]
fn trees_and_tallies_have_the_levels_of_a319284() {
    for (k, levels) in LEVELS.iter().enumerate() {
        let n = (k + 1).to_string();
        let tree: Value = serde_json::from_str(&text(&["tree", &n, "--format", "json"])).unwrap();
        assert_eq!(tree["levels"], Value::from(levels.to_vec()), "tree {n}");
        let args = ["trace", &n, "--stats", "--until", "all", "--format", "json"];
        let stats: Value = serde_json::from_str(&text(&args)).unwrap();
        assert_eq!(stats["levels"], Value::from(levels.to_vec()), "trace {n}");
        let inner: u64 = levels[..levels.len() - 1].iter().sum();
        assert_eq!(
            stats["tried"],
            inner * (k as u64 + 1),
            "every node tries a whole row"
        );
    }
}

#[test]
fn the_levels_of_a_tree_are_those_of_its_nodes() {
    fn walk(node: &Value, depth: usize, levels: &mut Vec<u64>) {
        levels.resize(levels.len().max(depth + 1), 0);
        levels[depth] += 1;
        for child in node["children"].as_array().unwrap() {
            walk(child, depth + 1, levels);
        }
    }
    let tree: Value = serde_json::from_str(&text(&["tree", "7", "--format", "json"])).unwrap();
    let mut levels = Vec::new();
    walk(&tree["root"], 0, &mut levels);
    assert_eq!(levels, LEVELS[6]);
}

#[test]
fn squares_tried_until_the_first_solution_follow_a140450() {
    for (n, tried) in [
        ("4", 26),
        ("5", 15),
        ("6", 171),
        ("7", 42),
        ("8", 876),
        ("9", 333),
    ] {
        let stats = text(&["trace", n, "--stats"]);
        let line = stats.lines().find(|l| l.starts_with("squares tried"));
        let number = line.and_then(|l| l.split_whitespace().last());
        assert_eq!(number, Some(tried.to_string().as_str()), "N = {n}");
    }
}

#[test]
fn statistics_are_printed_for_people() {
    assert_eq!(
        text(&["trace", "8", "--stats"]),
        "8-queens, until the first solution\n\
         squares tried            876\n\
         placements               113\n\
         dead ends                 42\n\
         undos                    105\n\
         solutions                  1\n\
         nodes per level  1 1 3 11 22 36 27 12 1\n"
    );
    let all = text(&["trace", "8", "--stats", "--until", "all"]);
    assert!(all.starts_with("8-queens, the whole search\n"));
    assert!(all.ends_with("nodes per level  1 8 42 140 344 568 550 312 92\n"));
    let cut = text(&["trace", "8", "--stats", "--limit", "10"]);
    assert!(cut.starts_with("8-queens, the first 10 events; the search goes on\n"));
}

#[test]
fn json_lines_add_up_to_the_last_one() {
    for style in [
        "tuple",
        "steps",
        "box",
        "attackers",
        "lines",
        "grid",
        "bits",
    ] {
        let out = text(&[
            "trace", "6", "--until", "all", "--format", "json", "--style", style,
        ]);
        let lines: Vec<Value> = out
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        let (first, last) = (&lines[0], &lines[lines.len() - 1]);
        assert_eq!((&first["event"], &first["n"]), (&"begin".into(), &6.into()));
        assert_eq!(first["schema"], "queens-trace/2");
        assert_eq!(
            (&last["event"], &last["reason"]),
            (&"end".into(), &"complete".into())
        );
        let count = |kind: &str| lines.iter().filter(|l| l["event"] == kind).count();
        assert_eq!(last["events"], lines.len() - 2);
        assert_eq!(last["tried"], count("try"));
        assert_eq!(last["placements"], count("place"));
        assert_eq!(last["undos"], count("undo"));
        assert_eq!(last["dead_ends"], count("dead-end"));
        assert_eq!(last["solutions"], count("solution"));
        assert_eq!((count("enter"), count("solution")), (153, 4));
        for (k, line) in lines[1..lines.len() - 1].iter().enumerate() {
            assert_eq!(line["step"], k + 1);
            assert!(line["cols"].is_array());
            let has_state = !matches!(style, "tuple" | "steps");
            assert_eq!(
                line["state"].is_object(),
                has_state,
                "style {style}: {line}"
            );
            assert_eq!(line["told"].is_array(), style == "steps");
        }
    }
}

#[test]
fn a_long_json_trace_takes_no_more_memory_than_a_short_one() {
    let mut child = queens(&["trace", "9", "--until", "all", "--format", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("queens runs");
    let status = format!("/proc/{}/status", child.id());
    let peak = || -> u64 {
        let text = std::fs::read_to_string(&status).expect("the process is alive");
        let line = text
            .lines()
            .find(|l| l.starts_with("VmHWM:"))
            .expect("a peak");
        line.split_whitespace()
            .nth(1)
            .and_then(|kb| kb.parse().ok())
            .expect("kilobytes")
    };
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut read = |count: usize| {
        for _ in 0..count {
            lines.next().expect("more lines").expect("readable");
        }
    };
    read(5_000);
    let early = peak();
    read(95_000);
    let late = peak();
    let rest = lines
        .map(|line| line.expect("readable"))
        .last()
        .expect("a last line");
    assert!(child.wait().expect("an end").success());
    assert!(rest.contains("\"reason\":\"complete\"") && rest.contains("\"solutions\":352"));
    assert!(
        late <= early + 512,
        "{early} kB after 5,000 lines, {late} kB after 100,000"
    );
}

#[test]
fn a_limit_that_cuts_a_trace_is_announced_in_every_format() {
    let cut = text(&["trace", "6", "--limit", "20"]);
    assert!(cut.ends_with("cut by the limit of 20 events; the search goes on\n"));
    let json = text(&["trace", "6", "--limit", "20", "--format", "json"]);
    let last: Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["reason"], &last["events"]),
        (&"limit".into(), &20.into())
    );
    assert_eq!(json.lines().count(), 22);
    let page = text(&["trace", "6", "--limit", "20", "--format", "html"]);
    assert!(page.contains("Cut by the limit of 20 events"));
    for style in ["steps", "box", "attackers", "lines", "grid", "bits"] {
        let cut = text(&["trace", "6", "--limit", "60", "--style", style]);
        assert!(
            cut.ends_with("cut by the limit of 60 events; the search goes on\n"),
            "{style}"
        );
    }
}

#[test]
fn small_boards_have_their_traces_too() {
    assert_eq!(text(&["trace", "1"]), "(0)\nsolution 1\n");
    assert_eq!(text(&["trace", "0"]), "solution 1\n");
    assert!(text(&["trace", "2"]).ends_with("end of the search: no solution\n"));
    for n in ["0", "1", "2", "3"] {
        for style in [
            "tuple",
            "steps",
            "box",
            "attackers",
            "lines",
            "grid",
            "bits",
        ] {
            for format in ["text", "json", "html"] {
                let args = [
                    "trace", n, "--style", style, "--format", format, "--until", "all",
                ];
                assert!(!text(&args).is_empty());
            }
        }
        for format in ["text", "dot", "svg", "json"] {
            assert!(!text(&["tree", n, "--format", format, "--pruned"]).is_empty());
        }
    }
}

#[test]
fn a_view_too_small_for_the_board_says_its_limit_and_what_to_do() {
    assert_eq!(
        refusal(&["trace", "9", "--style", "box"]),
        "queens: style box is drawn up to N = 8, not 9; try the style tuple\n"
    );
    assert!(refusal(&["trace", "100"]).contains("drawn up to N = 99"));
    let bits = refusal(&["trace", "33", "--style", "bits", "--format", "json"]);
    assert!(bits.contains("supports N up to 32, not 33"), "{bits}");
    assert!(refusal(&["trace", "256", "--stats"]).contains("supports N up to 255, not 256"));
    let page = refusal(&["trace", "9", "--until", "all", "--format", "html"]);
    assert!(
        page.contains("limit of 50000, or end at the first solution"),
        "{page}"
    );
    assert!(refusal(&["tree", "7", "--format", "svg"]).contains("try depth 3"));
    assert!(refusal(&["tree", "12"]).contains("try depth"));
    assert!(refusal(&["tree", "4000000"]).contains("up to N = 255, not 4000000"));
    assert!(refusal(&["show", "101"]).contains("up to N = 100"));
}

#[test]
fn the_depth_suggested_for_a_tree_works() {
    for n in ["7", "8", "20", "99"] {
        let complaint = refusal(&["tree", n, "--format", "svg"]);
        let depth = complaint.trim_end().rsplit(' ').next().unwrap();
        let drawn = text(&["tree", n, "--format", "svg", "--depth", depth]);
        assert!(drawn.contains("</svg>"), "N = {n}");
    }
}

#[test]
fn malformed_solutions_are_named() {
    for (what, fault) in [
        ("(1, 2, 9)", "off the 3 by 3 board"),
        ("(2, 4, 1", "never closed"),
        ("(2, x, 1)", "x"),
        ("hello", "cannot tell the format"),
        ("", ""),
        ("-8", "cannot be negative"),
        ("8x", "8x"),
        ("99999999999999999999", "larger"),
    ] {
        let complaint = refusal(&["show", what]);
        assert!(complaint.contains(fault), "{what:?}: {complaint}");
    }
}

#[test]
fn options_that_do_not_belong_together_are_refused() {
    assert!(refusal(&["show", "8", "--size", "300"]).contains("--size"));
    assert!(refusal(&["show", "8", "--theme", "dark"]).contains("--theme"));
    assert!(refusal(&["show", "8", "--format", "svg", "--size", "31"]).contains("32 to 8192"));
    assert!(refusal(&["show", "8", "--format", "png", "--size", "8193"]).contains("32 to 8192"));
    assert!(refusal(&["tree", "4", "--theme", "dark"]).contains("--format svg"));
    assert!(refusal(&["trace", "4", "--stats", "--format", "html"]).contains("--stats"));
    assert!(refusal(&["trace", "4", "--style", "boxes"]).contains("box"));
    assert!(refusal(&["trace", "4", "--limit", "-1"]).contains("negative"));
    assert!(refusal(&["trace", "four"]).contains("whole number"));
}

#[test]
fn a_board_without_a_solution_is_answered_with_no() {
    for n in ["2", "3"] {
        let output = run(&["show", n]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(output.stdout, b"no solution\n");
    }
}

#[test]
fn a_board_is_read_from_standard_input_in_every_format_of_list() {
    let picture = text(&["show", "(1, 3, 5, 2, 4)"]);
    for format in [
        "tuple",
        "zero-based",
        "board",
        "unicode",
        "fen",
        "json",
        "csv",
    ] {
        let listed = text(&["list", "5", "--limit", "1", "--format", format]);
        let output = feed(&["show", "-"], listed.as_bytes());
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            picture,
            "format {format}"
        );
    }
}

#[test]
fn every_attacking_pair_in_sight_is_written_below_the_board() {
    let shown = text(&["show", "(1, 3, 2, 4)", "--attacks"]);
    assert!(shown.contains("(1, 1) and (4, 4) attack each other on a falling diagonal"));
    assert!(shown.contains("(2, 3) and (3, 2) attack each other on a rising diagonal"));
    let plain = text(&["show", "(1, 3, 2, 4)"]);
    assert_eq!(plain.lines().count(), 4);
}

#[test]
fn boards_are_drawn_from_the_smallest_to_the_largest() {
    for n in ["0", "1", "4", "20", "21", "40", "100"] {
        let shown = text(&["show", n]);
        assert_eq!(shown.matches('Q').count().to_string(), n);
        let drawn = text(&["show", n, "--format", "svg"]);
        assert_eq!(drawn.matches("<use ").count().to_string(), n);
    }
}

#[cfg(feature = "player")]
#[test]
fn the_player_says_what_it_needs() {
    assert!(refusal(&["play", "33"]).contains("up to N = 32"));
    assert_eq!(
        refusal(&["play", "8"]),
        "queens: play needs a terminal to play in; `queens trace 8` prints the same steps\n"
    );
}

#[test]
fn a_reader_that_has_seen_enough_ends_a_trace_quietly() {
    let mut child = queens(&["trace", "12", "--until", "all", "--style", "grid"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("queens runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    lines.next().expect("a line").expect("readable");
    drop(lines);
    let output = child.wait_with_output().expect("an end");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

/// A refused square is an attack, and the judge names it in the same words.
#[test]
fn check_trace_and_tree_name_an_attack_in_the_same_words() {
    let trace = text(&["trace", "4", "--until", "all", "--format", "json"]);
    let events: Vec<Value> = trace
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut attacks: Vec<Value> = events
        .iter()
        .filter(|event| event["free"] == false)
        .map(|event| event["attack"].clone())
        .collect();
    assert!(attacks.len() > 30);
    for attack in &attacks {
        let queen = |square: &Value| format!("[{},{}]", square[0], square[1]);
        let placement = format!(
            "{{\"n\":4,\"queens\":[{},{}]}}",
            queen(&attack["first"]),
            queen(&attack["second"])
        );
        let output = feed(&["check", "--json"], placement.as_bytes());
        let judged: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(judged["attacks"], Value::Array(vec![attack.clone()]));
    }
    let tree = text(&["tree", "4", "--pruned", "--format", "json"]);
    let tree: Value = serde_json::from_str(&tree).unwrap();
    fn refused(node: &Value, out: &mut Vec<Value>) {
        out.extend(node["refused"].as_array().unwrap().iter().cloned());
        for child in node["children"].as_array().unwrap() {
            refused(child, out);
        }
    }
    let mut drawn = Vec::new();
    refused(&tree["root"], &mut drawn);
    let sort = |attacks: &mut Vec<Value>| attacks.sort_by_key(Value::to_string);
    sort(&mut attacks);
    sort(&mut drawn);
    assert_eq!(attacks, drawn);
}
