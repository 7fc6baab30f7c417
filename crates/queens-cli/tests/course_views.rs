//! The figures and examples of the course documents that `show` and `trace` draw: diagonals, rows
//! of bits, shaded boards, boxes in colours.

mod support;

use support::{answer, refusal, text};

#[test]
fn a_box_trace_has_colours_only_when_asked_or_on_a_terminal() {
    let args = ["trace", "4", "--style", "box", "--until", "all"];
    let plain = text(&args);
    assert!(!plain.contains('\x1b'));
    assert_eq!(text(&[&args[..], &["--colour", "never"]].concat()), plain);
    let painted = text(&[&args[..], &["--color", "always"]].concat());
    // Blue, red, green and black queens on paper; purple where several attack.
    for queen in [20, 160, 28, 16] {
        assert!(
            painted.contains(&format!("\x1b[0;1;38;5;{queen};48;5;231m Q ")),
            "{queen}"
        );
    }
    assert!(painted.contains("\x1b[0;38;5;16;48;5;183m-2 \x1b[0m"));
    assert_eq!(painted.matches('X').count(), 4);
    assert!(painted.contains("   1  2  3  4\n"));
    // A style without boxes has nothing to colour.
    let tuple = text(&["trace", "4", "--colour", "always"]);
    assert_eq!(tuple, text(&["trace", "4"]));
}

#[test]
fn large_boxes_are_coloured_too() {
    let listed = text(&[
        "trace", "8", "--style", "box", "--colour", "always", "--limit", "2000",
    ]);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines.len() > 1000);
    assert!(listed.contains("48;5;183m") && listed.contains("   1  2  3  4  5  6  7  8\n"));
}

#[test]
fn boards_are_shaded_where_no_other_queen_can_stand() {
    for style in ["tuple", "steps"] {
        let traced = text(&["trace", "6", "--style", style, "--boards"]);
        let plain = text(&["trace", "6", "--style", style]);
        // A board and a blank line below every line.
        assert_eq!(traced.lines().count(), plain.lines().count() * 8);
        for (k, line) in plain.lines().enumerate() {
            let block: Vec<&str> = traced.lines().skip(k * 8).take(8).collect();
            assert_eq!((block[0], block[7]), (line, ""));
        }
        let last: Vec<&str> = traced.lines().rev().skip(1).take(6).collect();
        assert_eq!(last.join("").matches('Q').count(), 6);
        assert_eq!(last.join("").matches('.').count(), 0);
    }
    assert!(refusal(&["trace", "4", "--style", "box", "--boards"]).contains("--boards"));
    assert!(refusal(&["trace", "4", "--boards", "--format", "json"]).contains("--boards"));
}

#[test]
fn the_page_of_steps_tells_the_sentences_of_the_text() {
    let page = text(&["trace", "6", "--style", "steps", "--format", "html"]);
    for line in text(&["trace", "6", "--style", "steps"]).lines() {
        assert!(page.contains(&format!("\"{line}\"")), "{line}");
    }
    assert!(page.contains("\"first\":1"));
    assert!(text(&["trace", "6", "--format", "html"]).contains("\"first\":0"));
}

#[test]
fn every_equation_of_the_bits_trace_is_true() {
    let mut equations = 0;
    for line in text(&["trace", "6", "--style", "bits", "--until", "all"]).lines() {
        let Some((name, rest)) = line.trim().split_once(' ') else {
            continue;
        };
        let Some((left, right)) = rest.split_once(" = ") else {
            continue;
        };
        let numbers: Vec<u32> = left
            .split(|c: char| !c.is_ascii_digit())
            .filter(|word| word.len() == 6)
            .map(|word| u32::from_str_radix(word, 2).expect("binary"))
            .collect();
        let worth = match (name, &numbers[..]) {
            ("down", [a, b]) => a | b,
            ("left", [a, b, mask]) => ((a | b) << 1) & mask,
            ("right", [a, b]) => (a | b) >> 1,
            _ => panic!("{line}"),
        };
        assert_eq!(
            worth,
            u32::from_str_radix(right, 2).expect("binary"),
            "{line}"
        );
        equations += 1;
    }
    assert!(equations > 300, "{equations}");
}

#[test]
fn diagonals_are_drawn_as_text_svg_and_png() {
    let svg = text(&["show", "8", "--diagonals", "1,5", "--format", "svg"]);
    assert!(svg.contains("row - column is -4, row + column is 6"));
    let dark = [
        "show",
        "12",
        "--diagonals",
        "7,3",
        "--format",
        "png",
        "--theme",
        "dark",
    ];
    let png = answer(&[&dark[..], &["--size", "300"]].concat());
    let pixels = resvg::tiny_skia::Pixmap::decode_png(&png).expect("a PNG");
    assert_eq!((pixels.width(), pixels.height()), (300, 300));
    for (args, fault) in [
        (&["show", "8", "--diagonals", "8,0"][..], "0 to 7"),
        (&["show", "0", "--diagonals", "0,0"], "no squares"),
        (&["show", "21", "--diagonals", "0,0"], "up to N = 20"),
        (&["show", "8", "--diagonals", "1"], "such as 1,5"),
        (&["show", "(1, 3)", "--diagonals", "0,0"], "whole number"),
        (
            &["show", "8", "--diagonals", "1,5", "--attacks"],
            "--attacks",
        ),
        (
            &["show", "8", "--diagonals", "1,5", "--format", "latex"],
            "text, svg or png",
        ),
        (
            &["show", "8", "--diagonals", "1,5", "--size", "90"],
            "--size",
        ),
        (
            &["show", "8", "--diagonals", "1,5", "--given", "1,1"],
            "cannot be used with '--given",
        ),
        (
            &["show", "--bits", "00,01,00", "--origin", "0"],
            "cannot be used with '--origin",
        ),
    ] {
        let complaint = refusal(args);
        assert!(complaint.contains(fault), "{args:?}: {complaint}");
    }
}

#[test]
fn rows_of_bits_are_worked_out_or_refused() {
    let row = text(&["show", "--bits", "0001,1001,0101"]);
    assert!(row.contains("attacked  1101") && row.contains("poss      0010"));
    for (args, fault) in [
        (&["show"][..], "SOLUTION|N"),
        (&["show", "--bits", "0001,1001"], "three vectors"),
        (&["show", "--bits", "0001,1001,010"], "three vectors"),
        (&["show", "--bits", "0002,1001,0101"], "three vectors"),
        (&["show", "--bits", ",,"], "three vectors"),
        (&["show", "--bits", "+1,01,01"], "three vectors"),
        (&["show", "8", "--bits", "0,0,0"], "--bits"),
        (&["show", "8", "--place", "1"], "--bits"),
        (&["show", "--bits", "00,01,00", "--place", "01"], "attacked"),
        (
            &["show", "--bits", "00,01,00", "--place", "11"],
            "single one",
        ),
        (
            &["show", "--bits", "00,01,00", "--place", "100"],
            "single one",
        ),
        (
            &["show", "--bits", "00,01,00", "--format", "svg"],
            "no picture",
        ),
    ] {
        let complaint = refusal(args);
        assert!(complaint.contains(fault), "{args:?}: {complaint}");
    }
    let longest = ["0".repeat(32), "0".repeat(32), "1".repeat(32)].join(",");
    assert!(text(&["show", "--bits", &longest]).ends_with("a dead end\n"));
    let too_long = ["0".repeat(33), "0".repeat(33), "0".repeat(33)].join(",");
    assert!(refusal(&["show", "--bits", &too_long]).contains("at most 32"));
}
