//! Symmetric counts, published sequences, estimates and random solutions as a user meets them.

mod support;

use std::process::Output;

use serde_json::Value;
use support::{folder, run, text as answer};

/// The one line that a run that must be refused prints.
fn refusal(args: &[&str]) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = run(args);
    let message = String::from_utf8(stderr).expect("UTF-8");
    assert!(stdout.is_empty(), "{message}");
    assert_eq!(status.code(), Some(2), "{message}");
    assert!(message.starts_with("queens: "), "{message}");
    assert_eq!(message.matches('\n').count(), 1, "{message:?}");
    message
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&answer(args)).expect("JSON")
}

#[test]
fn count_knows_fundamental_symmetric_and_torus_solutions() {
    for (args, expected) in [
        ("12 --fundamental", "1787\n"),
        ("1 --fundamental", "1\n"),
        ("8 --fundamental --engine lines", "12\n"),
        ("16 --symmetry half-turn", "3000\n"),
        ("40 --symmetry quarter-turn", "77184000\n"),
        ("6 --symmetry quarter-turn", "0\n"),
        ("13 --torus", "4524\n"),
        ("8 --torus", "0\n"),
    ] {
        let args: Vec<&str> = std::iter::once("count").chain(args.split(' ')).collect();
        assert_eq!(answer(&args), expected, "{args:?}");
    }
    let object = json(&["count", "12", "--fundamental", "--json"]);
    assert_eq!(
        (&object["count"], &object["kind"]),
        (&1787.into(), &"fundamental".into())
    );
    let object = json(&["count", "12", "--symmetry", "half-turn", "--json"]);
    assert_eq!(
        (&object["count"], &object["kind"]),
        (&80.into(), &"half-turn".into())
    );
    assert_eq!(json(&["count", "12", "--json"])["kind"], "all");
}

#[test]
fn published_kinds_are_looked_up_in_their_own_sequences() {
    let line = answer(&["count", "--known", "40", "--symmetry", "quarter-turn"]);
    assert_eq!(line, "77184000 (looked up: OEIS A033148)\n");
    let line = answer(&["count", "--known", "27", "--fundamental"]);
    assert_eq!(line, "29363495934315694 (looked up: OEIS A002562)\n");
    assert!(refusal(&["count", "--known", "28", "--fundamental"]).contains("ends at n = 27"));
}

#[test]
fn kinds_that_cannot_be_counted_are_refused() {
    for (args, reason) in [
        (
            &["count", "33", "--symmetry", "half-turn"][..],
            "up to n = 32",
        ),
        (
            &["count", "65", "--symmetry", "quarter-turn"],
            "up to n = 64",
        ),
        (&["count", "35", "--torus"], "up to n = 31"),
        (
            &["count", "8", "--torus", "--fundamental"],
            "cannot be used with",
        ),
        (
            &["count", "8", "--torus", "--engine", "lines"],
            "cannot be used with",
        ),
        (&["count", "8", "--symmetry", "third-turn"], "half-turn"),
    ] {
        let message = refusal(args);
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn known_prints_every_sequence_with_its_source() {
    let all = answer(&["known"]);
    for sequence in queens::known::Sequence::ALL {
        assert!(
            all.contains(&format!("OEIS {}", sequence.oeis())),
            "{}",
            sequence.name()
        );
        assert!(all.contains(sequence.source()));
    }
    let torus = answer(&["known", "torus"]);
    assert!(
        torus.contains("\n  13  4524\n") && !torus.contains("A000170"),
        "{torus}"
    );
    let object = json(&["known", "half-turn", "--json"]);
    assert_eq!(object["sequences"][0]["values"][7]["value"], 4);
    assert!(refusal(&["known", "queens"]).contains("quarter-turn"));
    assert!(refusal(&["known", "--verify", "0"]).contains("seconds"));
}

#[test]
fn known_values_are_computed_again_and_agree() {
    let object = json(&["known", "--verify", "1", "--json"]);
    assert_eq!(object["differing"], 0);
    let names: Vec<&str> = object["sequences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sequence| sequence["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["all", "fundamental", "half-turn", "quarter-turn", "torus"]
    );
    for sequence in object["sequences"].as_array().unwrap() {
        // The first boards take no time at all.
        assert!(sequence["computed"].as_u64() > Some(3), "{sequence}");
    }
    let text = answer(&["known", "quarter-turn", "--verify", "0.2"]);
    assert!(
        text.starts_with("A033148 quarter-turn  n = 1 to "),
        "{text}"
    );
    assert!(text.ends_with("all agree\n"), "{text}");
}

#[test]
fn estimates_are_functions_of_the_seed_and_the_runs() {
    let estimate = |threads: &str, seed: &str| {
        let args = [
            "approximate",
            "14",
            "--runs",
            "12",
            "--json",
            "--seed",
            seed,
            "--threads",
        ];
        let mut object = json(&[&args[..], &[threads]].concat());
        for changing in ["threads", "seconds"] {
            object.as_object_mut().unwrap().remove(changing);
        }
        object
    };
    let one = estimate("1", "5");
    assert_eq!(one, estimate("2", "5"));
    assert_ne!(one["ln"], estimate("1", "6")["ln"]);
    assert_eq!((&one["runs"], &one["method"]), (&12.into(), &"rows".into()));
    assert!(one["ln_low"].as_f64() < one["ln"].as_f64());
    assert!(one["ln"].as_f64() < one["ln_high"].as_f64());
    assert_eq!(one["published"], 365_596);
    let difference = one["ln"].as_f64().unwrap() - one["asymptotic_ln"].as_f64().unwrap();
    assert!((difference - one["residual"].as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn an_estimate_is_worded_with_its_interval_and_the_asymptotic() {
    let text = answer(&["approximate", "28", "--runs", "8", "--threads", "1"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].contains("e18 solutions for n = 28, between "),
        "{text}"
    );
    assert!(lines[0].ends_with("(95 %)"), "{text}");
    assert!(
        lines[1].starts_with("8 runs of method rows with seed 0, in "),
        "{text}"
    );
    assert!(
        lines[2].contains("n (ln n - 1.94400) = 38.8697, residual 3."),
        "{text}"
    );
    let (_, half) = lines[2].split_once(" +- ").unwrap();
    let (half, rest) = half.split_once(' ').unwrap();
    assert!(rest.starts_with("(95 %); "), "{text}");
    assert_eq!(lines.len(), 3);
    // What follows +- is half of the interval that programs are told.
    let args = ["approximate", "28", "--runs", "8", "--threads", "1"];
    let told = json(&[&args[..], &["--json"]].concat());
    let ln = |name: &str| told[name].as_f64().unwrap();
    let expected = (ln("ln_high") - ln("ln_low")) / 2.0;
    assert_eq!(half, format!("{expected:.4}"), "{told}");
    assert_eq!(told["confidence"], 0.95);
    // A board whose whole tree fits is counted, and says so, at once.
    let text = answer(&["approximate", "8"]);
    assert!(
        text.starts_with("92 solutions for n = 8: the whole tree"),
        "{text}"
    );
    assert!(text.contains("\nln Q = 4.5218; n (ln"), "{text}");
    assert!(
        text.ends_with("published: 92, inside the interval\n"),
        "{text}"
    );
}

#[test]
fn the_other_method_can_be_asked_for() {
    let args = [
        "approximate",
        "12",
        "--method",
        "annealing",
        "--runs",
        "8",
        "--json",
    ];
    assert_eq!(json(&args)["method"], "annealing");
    assert_eq!(
        json(&["approximate", "150", "--seconds", "0.1", "--json"])["method"],
        "annealing"
    );
}

#[test]
fn estimates_out_of_reach_are_refused() {
    for (args, reason) in [
        (&["approximate", "3"][..], "from n = 4 to 1000"),
        (&["approximate", "1001"], "from n = 4 to 1000"),
        (&["approximate", "129", "--method", "rows"], "up to n = 128"),
        (&["approximate", "8", "--runs", "7"], "at least 8"),
        (&["approximate", "8", "--seconds", "0"], "above 0"),
        (
            &["approximate", "8", "--runs", "9", "--seconds", "1"],
            "cannot be used with",
        ),
        (&["approximate", "8", "--method", "guess"], "annealing"),
    ] {
        let message = refusal(args);
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn random_solutions_are_solutions_and_follow_the_seed() {
    for n in ["1", "8", "13", "21", "200"] {
        let args = [
            "random",
            n,
            "--number",
            "3",
            "--seed",
            "4",
            "--format",
            "zero-based",
        ];
        let one = run(&args);
        assert!(one.status.success());
        assert_eq!(
            one.stdout,
            run(&[&args[..], &["--threads", "1"]].concat()).stdout
        );
        let note = String::from_utf8(one.stderr).unwrap();
        let approximate = n.parse::<usize>().unwrap() > 20;
        assert_eq!(
            note.starts_with("approximately uniform: "),
            approximate,
            "{note}"
        );
        assert_eq!(note.contains("mixed for 5000 moves per queen"), approximate);
        let lines = String::from_utf8(one.stdout).unwrap();
        assert_eq!(lines.lines().count(), 3);
        for line in lines.lines() {
            let solution: Result<queens::Solution, _> = line.parse();
            assert!(solution.is_ok(), "{line}");
        }
    }
    // Without a seed, draws differ; that twenty of them are the same board is out of the question.
    let draws: std::collections::BTreeSet<String> =
        (0..20).map(|_| answer(&["random", "12"])).collect();
    assert!(draws.len() > 1);
}

#[test]
fn random_tells_programs_how_uniform_it_is() {
    let exact = json(&["random", "10", "--number", "2", "--json", "--seed", "1"]);
    assert_eq!(exact["uniform"], "exactly");
    assert_eq!(exact["solutions"].as_array().unwrap().len(), 2);
    assert_eq!(exact["solutions"][0].as_array().unwrap().len(), 10);
    let chain = json(&["random", "10", "--method", "chain", "--json", "--seed", "1"]);
    assert_eq!(chain["uniform"], "approximately");
    assert_eq!(chain["mixed_moves_per_queen"], 5000);
}

#[test]
fn a_board_without_solutions_has_no_random_one() {
    for args in [&["random", "3"][..], &["random", "2", "--method", "chain"]] {
        let output = run(args);
        assert_eq!(output.stdout, b"no solution\n");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn heat_maps_are_written_as_pictures() {
    let folder = folder("heat");
    let svg = folder.join("heat.svg");
    let path = svg.to_str().unwrap();
    let printed = answer(&[
        "random", "8", "--number", "500", "--seed", "1", "--heat", path,
    ]);
    assert_eq!(printed, "");
    let picture = std::fs::read_to_string(&svg).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(
        picture.contains("in 500 random solutions for n = 8"),
        "{picture}"
    );
    if cfg!(feature = "png") {
        let png = folder.join("heat.png");
        let path = png.to_str().unwrap();
        let output = run(&["random", "30", "--number", "20", "--heat", path]);
        assert!(output.status.success());
        assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn random_solutions_out_of_reach_are_refused() {
    for (args, reason) in [
        (&["random", "1001"][..], "up to n = 1000"),
        (&["random", "23", "--method", "exact"], "up to n = 22"),
        (&["random", "8", "--heat", "picture.gif"], ".svg or .png"),
        (
            &["random", "8", "--json", "--format", "fen"],
            "cannot be used with",
        ),
        (&["random", "8", "--number", "x"], "whole number"),
    ] {
        let message = refusal(args);
        assert!(message.contains(reason), "{message}");
    }
}
