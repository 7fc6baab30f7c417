//! Every style and format of `trace`, `tree` and `show`, compared with golden files.
//!
//! The files under `tests/golden` were read by a person before they were kept. To renew
//! them after an intended change, run the test with `UPDATE_GOLDEN=1` and read the
//! difference. The boards are those the course documents set as exercises, N = 4 and 5.

mod support;

use std::path::Path;

use support::text;

const STYLES: [&str; 7] = [
    "tuple",
    "steps",
    "box",
    "attackers",
    "lines",
    "grid",
    "bits",
];

/// Compares what a command prints with a golden file.
fn compare(name: &str, args: &[&str]) {
    compare_text(name, args, text(args));
}

/// The part of a page that is its own: the style sheet and the script are the same in all
/// pages, and one whole page is kept to hold them.
fn own_part(page: &str) -> String {
    let (head, rest) = page.split_once("<style>").expect("a style sheet");
    let (_, rest) = rest.split_once("</style>").expect("its end");
    let (body, _) = rest
        .split_once("<script>\n\"use strict\"")
        .expect("a script");
    format!("{head}{body}")
}

fn compare_text(name: &str, args: &[&str], now: String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &now).expect("a golden file is written");
    }
    let kept = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if let Some(line) = (now.lines().zip(kept.lines())).position(|(a, b)| a != b) {
        panic!(
            "queens {args:?} differs from {name} in line {}:\n{}",
            line + 1,
            now.lines().nth(line).unwrap_or_default()
        );
    }
    assert!(
        now == kept,
        "queens {args:?} is longer or shorter than {name}"
    );
}

#[test]
fn text_traces_are_as_kept() {
    for style in STYLES {
        for n in ["4", "5"] {
            compare(
                &format!("trace-{n}-{style}.txt"),
                &["trace", n, "--style", style, "--until", "all"],
            );
        }
    }
}

#[test]
fn json_traces_are_as_kept() {
    for style in STYLES {
        for (n, until) in [("4", "all"), ("5", "first")] {
            compare(
                &format!("trace-{n}-{style}.json"),
                &[
                    "trace", n, "--style", style, "--until", until, "--format", "json",
                ],
            );
        }
    }
}

#[test]
fn pages_are_as_kept() {
    for style in STYLES {
        for (n, until) in [("4", "all"), ("5", "first")] {
            let args = [
                "trace", n, "--style", style, "--until", until, "--format", "html",
            ];
            let page = text(&args);
            let name = format!("trace-{n}-{style}.html");
            compare_text(&name, &args, own_part(&page));
            if (n, style) == ("4", "tuple") {
                compare_text("page.html", &args, page);
            }
        }
    }
}

#[test]
fn trees_are_as_kept() {
    for (format, ending) in [
        ("text", "txt"),
        ("dot", "dot"),
        ("svg", "svg"),
        ("json", "json"),
    ] {
        for n in ["4", "5"] {
            compare(
                &format!("tree-{n}.{ending}"),
                &["tree", n, "--format", format],
            );
            compare(
                &format!("tree-{n}-pruned.{ending}"),
                &["tree", n, "--format", format, "--pruned"],
            );
        }
    }
    compare(
        "tree-8-depth-2.svg",
        &["tree", "8", "--depth", "2", "--format", "svg"],
    );
    compare(
        "tree-4-dark.svg",
        &[
            "tree", "4", "--pruned", "--format", "svg", "--theme", "dark",
        ],
    );
}

#[test]
fn boards_are_as_kept() {
    let formats = [
        ("text", "txt"),
        ("unicode", "unicode.txt"),
        ("svg", "svg"),
        ("latex", "tex"),
        ("typst", "typ"),
    ];
    for (format, ending) in formats {
        for n in ["4", "5"] {
            compare(
                &format!("show-{n}.{ending}"),
                &["show", n, "--format", format],
            );
        }
        compare(
            &format!("show-attacks.{ending}"),
            &[
                "show",
                "(1, 3, 2, 4, 4)",
                "--origin",
                "1",
                "--attacks",
                "--format",
                format,
            ],
        );
    }
}

#[test]
fn the_tuples_of_chapter_six_come_first() {
    let trace = text(&["trace", "4"]);
    let begins = [
        "(0)",
        "(0, 2)",
        "dead end",
        "(0, 3)",
        "(0, 3, 1)",
        "dead end",
        "(1)",
        "(1, 3)",
        "(1, 3, 0)",
        "(1, 3, 0, 2)",
    ];
    let lines: Vec<&str> = trace.lines().take(begins.len()).collect();
    assert_eq!(lines, begins);
}

#[test]
fn the_box_traces_have_a_box_per_node_and_return_the_counts() {
    for (n, boxes, dead_ends, solutions) in [("4", 17, 4, 2), ("5", 54, 4, 10)] {
        let trace = text(&["trace", n, "--style", "box", "--until", "all"]);
        assert_eq!(
            trace.matches('┌').count() - trace.matches('└').count(),
            {
                // Every box has one ┌ and one └; the other ┌ join the branches.
                trace
                    .lines()
                    .filter(|line| line.contains('┴') || line.contains('┼'))
                    .map(|line| line.matches('┌').count())
                    .sum::<usize>()
            }
        );
        assert_eq!(trace.matches('└').count(), boxes, "N = {n}");
        assert_eq!(trace.matches("X returns 0").count(), dead_ends, "N = {n}");
        assert!(trace.contains(&format!("the outermost call returns {solutions}\n")));
    }
}

#[cfg(feature = "png")]
#[test]
fn a_png_is_a_png_of_the_size_asked_for() {
    let bytes = support::answer(&["show", "8", "--format", "png", "--size", "500"]);
    let pixels = resvg::tiny_skia::Pixmap::decode_png(&bytes).expect("a PNG");
    assert_eq!((pixels.width(), pixels.height()), (500, 500));
}
