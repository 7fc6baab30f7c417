//! `queens estimate`, `queens bench` and `--simd`, as a user meets them. No time is
//! asserted: machines differ, and a test machine is busy.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use queens::count::{ENGINES, Simd};
use serde_json::Value;

use support::{refusal, text as answer};

#[test]
fn every_vector_path_of_this_machine_counts_the_same() {
    for simd in Simd::ALL {
        let args = ["count", "13", "--json", "--simd", simd.name()];
        if simd.is_available() {
            let object: Value = serde_json::from_str(&answer(&args)).unwrap();
            assert_eq!(object["count"], 73712, "{}", simd.name());
            assert_eq!(object["engine"], "two-colour");
        } else {
            eprintln!("skipped: this machine has no {}", simd.name());
            let line = refusal(&args);
            let expected = format!("this processor has no {} instructions", simd.name());
            assert!(line.contains(&expected), "{line}");
            refusal(&["bench", "count", "--simd", simd.name()]);
            refusal(&["estimate", "12", "--simd", simd.name()]);
        }
    }
    // `--simd` chooses the engine that has vectors, even on a small board.
    assert_eq!(answer(&["count", "8", "--simd", "auto"]), "92\n");
    let line = refusal(&["count", "8", "--simd", "auto", "--engine", "lines"]);
    assert!(line.contains("--simd is for two-colour"), "{line}");
}

#[test]
fn small_boards_are_counted_by_the_simple_engine_and_large_ones_by_two_colours() {
    for (n, engine) in [("8", "bitmask"), ("14", "two-colour")] {
        let object: Value = serde_json::from_str(&answer(&["count", n, "--json"])).unwrap();
        assert_eq!(object["engine"], engine);
    }
}

#[test]
fn estimate_predicts_every_engine_and_says_that_it_predicts() {
    let text = answer(&["estimate", "16", "--budget", "0.2"]);
    assert!(text.starts_with("Predictions for n = 16, "), "{text}");
    assert!(text.contains("\nSearch tree: 1.1"), "{text}");
    assert!(
        text.contains("\nWhat follows +- is half of a 95 % interval, "),
        "{text}"
    );
    for engine in ENGINES {
        assert!(text.contains(&format!("\n{engine} ")), "{text}");
    }
}

#[test]
fn estimate_tells_programs_the_tree_with_its_error() {
    let args = [
        "estimate",
        "14",
        "--json",
        "--budget",
        "0.2",
        "--threads",
        "1",
    ];
    let object: Value = serde_json::from_str(&answer(&args)).unwrap();
    assert_eq!(
        (&object["n"], &object["prediction"]),
        (&14.into(), &true.into())
    );
    let number = |value: &Value| value.as_f64().expect("a number");
    // The probes have a fixed seed, so this cannot fail by chance.
    let exact = queens::estimate::nodes(14) as f64;
    let nodes = &object["tree"]["nodes"];
    let error = number(&nodes["standard_error"]);
    assert!(
        (number(&nodes["mean"]) - exact).abs() < 4.0 * error,
        "{nodes}"
    );
    let solutions = &object["tree"]["solutions"];
    let error = number(&solutions["standard_error"]);
    assert!((number(&solutions["mean"]) - 365_596.0).abs() < 4.0 * error);
    let engines = object["engines"].as_array().unwrap();
    assert_eq!(engines.len(), ENGINES.len());
    for engine in engines {
        assert!(number(&engine["seconds"]) > 0.0, "{engine}");
        assert!(number(&engine["standard_error"]) >= 0.0, "{engine}");
        assert_eq!(engine["threads"], 1);
    }
    // The ends of the intervals, around the mean and about two standard errors away.
    assert_eq!(object["confidence"], 0.95);
    let interval = |of: &Value, mean: &str| {
        let (mean, error) = (number(&of[mean]), number(&of["standard_error"]));
        let (low, high) = (number(&of["low"]), number(&of["high"]));
        assert!(low <= mean && mean <= high, "{of}");
        assert!(high - mean >= 1.95 * error, "{of}");
        assert!(high - mean <= 3.3 * error + 1e-9 * mean, "{of}");
    };
    interval(nodes, "mean");
    interval(solutions, "mean");
    for engine in engines {
        interval(engine, "seconds");
    }
    // The text says the same of the tree, whose probes have a fixed seed.
    let text = answer(&["estimate", "14", "--budget", "0.1", "--engine", "lines"]);
    let percent = 100.0 * (number(&nodes["high"]) / number(&nodes["mean"]) - 1.0);
    assert!(
        text.contains(&format!(" +- {percent:.1} % nodes, ")),
        "{text}"
    );
    // Where the budget leaves no time for a sample, nothing is said of its error.
    let args = ["--engine", "two-colour", "--budget", "0.000001"];
    let text = answer(&[&["estimate", "24"], &args[..]].concat());
    let line = text.lines().last().unwrap();
    assert!(line.contains(" timed; ") && !line.contains("+-"), "{text}");
    // Small numbers are written out; the tree of 4 queens has 17 nodes.
    let text = answer(&["estimate", "4", "--engine", "lines"]);
    assert!(text.contains("\nSearch tree: 17 +- "), "{text}");
    assert!(text.contains(" % nodes, 2 +- "), "{text}");
    let one = answer(&["estimate", "9", "--json", "--engine", "two-colour"]);
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one["engines"].as_array().unwrap().len(), 1);
    assert_eq!(one["engines"][0]["basis"], "counted");
}

#[test]
fn estimate_says_where_an_engine_ends() {
    let text = answer(&["estimate", "40", "--budget", "0.1"]);
    let line = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("{name} in {text}"))
    };
    assert!(
        line("two-colour ").contains("holds boards up to n = 32"),
        "{text}"
    );
    assert!(line("lines").contains("years"), "{text}");
    assert!(refusal(&["estimate", "65"]).contains("up to n = 64"));
    assert!(refusal(&["estimate", "8", "--budget", "0"]).contains("above 0"));
}

#[test]
fn bench_prints_a_row_per_n_and_a_column_per_engine() {
    let text = answer(&[
        "bench", "count", "--from", "4", "--to", "9", "--budget", "5",
    ]);
    let mut lines = text.lines();
    let unit = lines.next().unwrap();
    assert_eq!(unit, "milliseconds for one count, 1 thread");
    let head: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let names: Vec<&str> = ENGINES.iter().map(|engine| engine.name()).collect();
    assert_eq!(
        (&head[..2], &head[2..]),
        (&["N", "solutions"][..], &names[..])
    );
    let solutions = ["2", "10", "4", "40", "92", "352"];
    for (n, line) in (4..=9).zip(lines.by_ref()) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(cells[..2], [&n.to_string(), solutions[n - 4]]);
        assert_eq!(cells.len(), names.len() + 2, "{line}");
        for cell in &cells[2..] {
            // One notation: no exponents.
            assert!(
                cell.bytes().all(|b| b.is_ascii_digit() || b == b'.')
                    && cell.parse::<f64>().is_ok(),
                "{line}"
            );
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn an_engine_over_the_budget_leaves_the_table() {
    // A nanosecond is less than any count takes, so the second row cannot be afforded.
    let args = [
        "bench",
        "count",
        "--from",
        "8",
        "--to",
        "12",
        "--budget",
        "0.000000001",
    ];
    let text = answer(&args);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(
        lines[3].split_whitespace().skip(2).all(|cell| cell == "-"),
        "{text}"
    );
}

#[test]
fn bench_tells_programs_one_count_a_line() {
    let args = [
        "--from",
        "10",
        "--to",
        "11",
        "--engine",
        "two-colour",
        "--engine",
        "lines",
    ];
    let args = [
        &["bench", "count", "--json", "--simd", "portable"][..],
        &args,
    ]
    .concat();
    let text = answer(&args);
    let objects: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects.len(), 4, "{text}");
    for object in &objects {
        let expected = if object["n"] == 10 { 724 } else { 2680 };
        assert_eq!(object["count"], expected);
        assert!(object["seconds"].as_f64().unwrap() > 0.0);
        let vectors = object["engine"] == "two-colour";
        assert_eq!(object["simd"] == "portable", vectors, "{object}");
    }
}

#[cfg(feature = "png")]
#[test]
fn the_plot_is_a_picture_with_every_engine_and_the_course_times() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("seconds.svg");
    let _ = std::fs::remove_file(&path);
    answer(&[
        "bench",
        "count",
        "--to",
        "8",
        "--plot",
        path.to_str().unwrap(),
    ]);
    let svg = std::fs::read_to_string(&path).unwrap();
    for engine in ENGINES {
        assert!(svg.contains(&format!(">{engine}</text>")), "{engine}");
    }
    assert!(svg.contains(">course document</text>"));
    assert!(svg.contains("size of the board, N") && svg.contains("logarithmic"));
    // The machine and the date stand below the title.
    let note = svg
        .split("</text>")
        .find(|text| text.contains(", 1 thread, 20"));
    assert!(note.is_some_and(|note| note.contains(" core")), "{note:?}");
    // It parses, and what it draws is more than an empty sheet.
    let tree = resvg::usvg::Tree::from_str(&svg, &resvg::usvg::Options::default()).unwrap();
    let size = tree.size().to_int_size();
    let mut pixels = resvg::tiny_skia::Pixmap::new(size.width(), size.height()).unwrap();
    resvg::render(&tree, Default::default(), &mut pixels.as_mut());
    let coloured = pixels
        .pixels()
        .iter()
        .filter(|p| p.red() != p.blue())
        .count();
    assert!(coloured > 1000, "{coloured} coloured pixels");
}

#[cfg(feature = "png")]
#[test]
fn the_plot_as_a_bitmap_has_words_in_both_themes() {
    let folder = support::folder("plots");
    for (theme, page, ink) in [
        ("light", (255, 255, 255), (0x22, 0x22, 0x22)),
        ("dark", (0x14, 0x18, 0x1d), (0xe6, 0xeb, 0xf0)),
    ] {
        let path = folder.join(format!("{theme}.png"));
        let args = ["bench", "count", "--to", "6", "--theme", theme, "--plot"];
        answer(&[&args[..], &[path.to_str().unwrap()]].concat());
        let png = std::fs::read(&path).unwrap();
        let pixels = resvg::tiny_skia::Pixmap::decode_png(&png).unwrap();
        let (wide, high) = (pixels.width(), pixels.height());
        let at = |x: u32, y: u32| {
            let pixel = pixels.pixel(x, y).unwrap();
            (pixel.red(), pixel.green(), pixel.blue())
        };
        assert_eq!(at(1, 1), page, "{theme}");
        let inked = |xs: std::ops::Range<u32>, ys: std::ops::Range<u32>| {
            let near = |(r, g, b): (u8, u8, u8)| {
                r.abs_diff(ink.0) < 30 && g.abs_diff(ink.1) < 30 && b.abs_diff(ink.2) < 30
            };
            let count = |y: u32| xs.clone().filter(|&x| near(at(x, y))).count();
            ys.map(count).sum::<usize>()
        };
        // The title above, the axis below, the names at the right.
        assert!(inked(0..wide, 20..68) > 800, "{theme}: no title");
        assert!(inked(0..wide, high - 64..high) > 200, "{theme}: no axis");
        assert!(
            inked(wide - 340..wide, 120..high) > 800,
            "{theme}: no names"
        );
    }
    let line = refusal(&["bench", "count", "--plot", "times.pdf"]);
    assert!(line.contains("ends in .svg or .png"), "{line}");
    let line = refusal(&["bench", "count", "--theme", "dark"]);
    assert!(line.contains("--plot"), "{line}");
}

#[test]
fn bench_refuses_what_it_cannot_assert() {
    assert!(refusal(&["bench", "count", "--to", "28"]).contains("end at n = 27"));
    assert!(refusal(&["bench", "count", "--from", "9", "--to", "8"]).contains("is empty"));
    assert!(refusal(&["bench", "count", "--engine", "magic"]).contains("magic"));
    let unwritable = ["bench", "count", "--plot", "/dev/null/x.svg"];
    assert!(refusal(&unwritable).contains("cannot write /dev/null/x.svg"));
}

#[test]
fn a_long_count_shows_share_rate_and_time_left_and_ctrl_c_says_how_far_it_got() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_queens"))
        .args(["count", "25", "--progress"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let progress = lines.find(|line| line.starts_with("count 25 ["));
    let progress = progress.expect("a line of progress");
    for part in [" % ", " elapsed, ", " %/", " left"] {
        assert!(progress.contains(part), "{progress}");
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let last = lines.last().expect("a last word");
    assert!(last.starts_with("queens: interrupted after "), "{last}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}
