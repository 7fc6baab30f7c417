//! The pictures as others see them: Graphviz reads the DOT, Chromium draws the SVG and
//! runs the page, and what is visible is looked at, by shape and by pixel.
//!
//! A small script is added to a copy of the page or around the drawing; it presses the
//! buttons, measures what stands where, and writes its findings into an element that the
//! test reads from the finished document.

mod support;

use std::path::Path;
use std::process::Stdio;

use queens::count::two_colour::explain::Colour;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;
use serde_json::Value;
use support::{answer, folder, text, tool};

/// Runs headless Chromium on a file, with a profile of its own and no network.
fn chromium(folder: &Path, file: &Path, args: &[&str]) -> String {
    let output = tool("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--virtual-time-budget=20000",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .args(args)
        .arg(format!("file://{}", file.display()))
        .stderr(Stdio::null())
        .output()
        .expect("chromium runs");
    assert!(
        output.status.success(),
        "chromium failed on {}",
        file.display()
    );
    String::from_utf8(output.stdout).expect("the document is UTF-8")
}

/// Opens a page to which `script` was added, and returns what the script found.
fn findings(name: &str, page: &str, script: &str, width: u32) -> Value {
    let folder = folder(name);
    let file = folder.join("page.html");
    let report = "const report = document.createElement('pre'); report.id = 'findings'; \
                  report.textContent = JSON.stringify(found); document.body.append(report);";
    let added = format!(
        "<script>const errors = []; addEventListener('error', e => errors.push(e.message));</script>\
         {page}<script>const found = {{}};\n{script}\nfound.errors = errors;\n{report}</script>"
    );
    std::fs::write(&file, added).expect("the page is written");
    let dom = chromium(
        &folder,
        &file,
        &["--dump-dom", &format!("--window-size={width},1000")],
    );
    let found = dom
        .split("<pre id=\"findings\">")
        .nth(1)
        .and_then(|rest| rest.split("</pre>").next())
        .unwrap_or_else(|| panic!("the script of {name} did not finish:\n{dom}"));
    let found: Value = serde_json::from_str(&found.replace("&gt;", ">").replace("&amp;", "&"))
        .expect("the findings are JSON");
    assert_eq!(
        found["errors"],
        Value::Array(Vec::new()),
        "errors on the page {name}"
    );
    found
}

/// What the page shows, as its script can see it.
const SEEN: &str = "
const seen = () => {
  const board = document.getElementById('board').getBoundingClientRect();
  const inside = element => { const box = element.getBoundingClientRect();
    return box.width > 5 && box.height > 5 && box.left >= board.left - 1 && box.right <= board.right + 1
      && box.top >= board.top - 1 && box.bottom <= board.bottom + 1; };
  const line = document.querySelector('#code [aria-current]');
  return { says: document.getElementById('says').innerText, tuple: document.getElementById('tuple').innerText,
    panel: document.getElementById('panel').innerText, code: line ? line.innerText.trim() : null,
    queens: [...document.querySelectorAll('#board .queen')].filter(inside).length,
    refused: document.querySelectorAll('#board .refused').length,
    attack: document.querySelectorAll('#board .attack').length,
    hash: location.hash, wide: document.documentElement.scrollWidth <= innerWidth };
};
const press = (id, times = 1) => { for (let k = 0; k < times; k++) document.getElementById(id).click(); };
";

#[test]
fn the_page_of_a_board_draws_given_queens_blocked_squares_and_empty_rows() {
    let page = text(&[
        "trace",
        "5",
        "--given",
        "3,4",
        "--blocked",
        "1,1 1,2",
        "--queens",
        "4",
        "--style",
        "grid",
        "--until",
        "all",
        "--format",
        "html",
    ]);
    let script = format!(
        "{SEEN}
        const count = name => document.querySelectorAll('#board .' + name).length;
        const all = () => ({{ ...seen(), given: count('given'), blocked: count('blocked-square') }});
        const until = words => {{ while (!seen().says.startsWith(words)) press('next'); return all(); }};
        found.start = all();
        found.skip = until('leave row 0 empty');
        found.blocked = until('try row 0, col 0: blocked');
        found.refused = until('try row 0, col 3: refused, queen 2');
        press('sol'); found.solution = all();"
    );
    let found = findings("page-board", &page, &script, 1200);
    assert_eq!(
        found["start"]["says"],
        "a board of 5 by 5: 1 queen given, 2 squares blocked, 4 queens in all"
    );
    for moment in ["start", "skip", "blocked", "refused", "solution"] {
        let seen = &found[moment];
        let shown = (&seen["given"], &seen["blocked"]);
        assert_eq!(shown, (&1.into(), &2.into()), "{moment}");
    }
    assert_eq!(found["start"]["queens"], 1, "the given one");
    assert_eq!(found["skip"]["tuple"], "(-)");
    assert_eq!(
        found["skip"]["code"],
        "if row i may stay empty: total += search(i + 1)"
    );
    let marks = |moment: &str| {
        let seen = &found[moment];
        (seen["refused"].clone(), seen["attack"].clone())
    };
    assert_eq!(marks("blocked"), (1.into(), 0.into()));
    assert_eq!(marks("refused"), (1.into(), 1.into()), "from below");
    assert_eq!(found["solution"]["queens"], 4);
    let panel = found["start"]["panel"].as_str().unwrap();
    assert!(panel.starts_with("# # 0 0 0\n"), "{panel}");
}

#[test]
fn the_page_steps_forward_and_back_in_a_browser() {
    let page = text(&[
        "trace", "4", "--style", "box", "--until", "all", "--format", "html",
    ]);
    let script = format!(
        "{SEEN}
        found.start = seen();
        press('next', 5); found.five = seen();
        press('next', 9); press('back', 9); found.again = seen();
        press('dead'); found.dead = seen();
        press('sol'); found.solution = seen();
        press('end'); found.end = seen();
        press('next'); found.after = seen();
        press('start'); press('back'); found.begin = seen();
        document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'ArrowRight', bubbles: true }}));
        found.key = seen();
        location.hash = '#7'; dispatchEvent(new HashChangeEvent('hashchange')); found.link = seen();"
    );
    let found = findings("page-box", &page, &script, 1200);
    assert_eq!(found["start"]["says"], "an empty board of 4 by 4");
    assert_eq!(found["start"]["queens"], 0);
    assert_eq!(
        found["five"]["says"],
        "try row 2, col 1: refused, queen 1 attacks it along the column"
    );
    assert_eq!(found["five"]["code"], "if B[i][j] == 0:");
    assert_eq!(
        (&found["five"]["refused"], &found["five"]["attack"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        found["again"], found["five"],
        "back shows what was there before"
    );
    assert_eq!(
        found["dead"]["says"],
        "dead end: no square of row 3 is free"
    );
    assert_eq!(found["dead"]["tuple"], "(1, 3)");
    assert!(
        found["dead"]["panel"]
            .as_str()
            .unwrap()
            .contains("\n 3 -1 -1 -2 -1")
    );
    assert_eq!(found["solution"]["says"], "solution 1: (2, 4, 1, 3)");
    assert_eq!(
        found["solution"]["queens"], 4,
        "all queens are visible on the board"
    );
    let end = found["end"]["says"].as_str().unwrap();
    assert!(end.ends_with("The search is complete"), "{end}");
    assert_eq!(
        found["after"], found["end"],
        "there is nothing after the end"
    );
    assert_eq!(
        found["begin"], found["start"],
        "there is nothing before the start"
    );
    assert_eq!(found["key"]["says"], "begin row 1");
    assert_eq!(found["link"]["hash"], "#7");
    assert!(
        found["link"]["says"]
            .as_str()
            .unwrap()
            .starts_with("try row 2, col 3: free")
    );
}

#[test]
fn pages_of_every_style_fit_a_phone_and_a_desk() {
    for (k, style) in ["tuple", "steps", "attackers", "lines", "grid", "bits"]
        .iter()
        .enumerate()
    {
        let page = text(&["trace", "5", "--style", style, "--format", "html"]);
        let width = if k % 2 == 0 { 500 } else { 1920 };
        let script = format!("{SEEN} press('sol'); found.solution = seen();");
        let found = findings(&format!("page-{style}"), &page, &script, width);
        assert_eq!(found["solution"]["queens"], 5, "style {style}");
        assert_eq!(
            found["solution"]["wide"], true,
            "style {style} overflows {width} pixels"
        );
        assert_ne!(found["solution"]["panel"], "", "style {style}");
    }
}

#[test]
fn the_drawn_tree_has_every_node_in_sight_and_apart() {
    let script = "
        const svg = document.querySelector('svg').getBoundingClientRect();
        const shapes = kind => [...document.querySelectorAll(`g.${kind}`)].map(group =>
          group.querySelector('circle, rect').getBoundingClientRect());
        const nodes = ['inner', 'dead-end', 'solution', 'cut'].flatMap(shapes);
        const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        found.solutions = shapes('solution').length;
        found.deadEnds = shapes('dead-end').length;
        found.nodes = nodes.length;
        found.small = nodes.filter(box => box.width < 15 || box.height < 15).length;
        const words = [...document.querySelectorAll('text')].map(text => text.getBoundingClientRect());
        found.outside = [...nodes, ...words].filter(box => box.left < svg.left || box.right > svg.right
          || box.top < svg.top || box.bottom > svg.bottom).length;
        found.overlapping = nodes.filter((a, i) => nodes.some((b, j) => i < j && !apart(a, b))).length;
        found.texts = [...document.querySelectorAll('text')].map(text => text.textContent);";
    let board = ["--given", "2,4", "--blocked", "1,1"];
    for (n, more, nodes, dead_ends, solutions) in [
        ("4", &["--pruned"][..], 17, 4, 2),
        ("5", &[], 54, 4, 10),
        ("6", &[], 153, 46, 4),
        ("6", &["--pruned"], 153, 46, 4),
        ("4", &board, 5, 0, 1),
    ] {
        let args = [&["tree", n, "--format", "svg"], more].concat();
        let drawn = format!("<!doctype html><body style=\"margin:0\">{}", text(&args));
        let name = format!("tree-{n}-{}", more.len());
        let found = findings(&name, &drawn, script, 1200);
        assert_eq!(found["nodes"], nodes, "N = {n}");
        assert_eq!(
            (&found["deadEnds"], &found["solutions"]),
            (&dead_ends.into(), &solutions.into())
        );
        assert_eq!(found["small"], 0, "N = {n}: nodes large enough to read");
        assert_eq!(
            found["outside"], 0,
            "N = {n}: nodes and words inside the picture"
        );
        assert_eq!(found["overlapping"], 0, "N = {n}: nodes apart");
        let texts = found["texts"].as_array().unwrap();
        let title = match more == board {
            true => "Search tree of 4 queens on 4 by 4, 1 given, 1 blocked".to_owned(),
            false => format!("Search tree of {n}-queens"),
        };
        assert!(texts.contains(&title.into()));
    }
}

/// The colours that count as the queen, in the light theme and in the dark one.
const QUEENS: [(u8, u8, u8); 2] = [(0x14, 0x20, 0x2b), (0xf6, 0xec, 0xd0)];

/// The rows and columns of the squares whose middle is drawn in the queen's colour.
fn queens_in(pixels: &Pixmap, n: u32, queen: (u8, u8, u8)) -> Vec<(u32, u32)> {
    // The board ends close to the right and lower edge; the first figure margin is the
    // same on both axes. Both are found from the picture's size as the drawing does it.
    let size = f64::from(pixels.width());
    let margin = (size * 0.07).clamp(4.0, 34.0);
    let cell = (size - margin - (size * 0.02).clamp(2.0, 12.0)) / f64::from(n);
    let mut found = Vec::new();
    for row in 0..n {
        for col in 0..n {
            let x = margin + (f64::from(col) + 0.5) * cell;
            // A little below the middle, where the crown is widest.
            let y = margin + (f64::from(row) + 0.62) * cell;
            let pixel = pixels
                .pixel(x as u32, y as u32)
                .expect("inside")
                .demultiply();
            let near = |a: u8, b: u8| a.abs_diff(b) < 12;
            if near(pixel.red(), queen.0)
                && near(pixel.green(), queen.1)
                && near(pixel.blue(), queen.2)
            {
                found.push((row, col));
            }
        }
    }
    found
}

#[test]
fn a_board_looks_the_same_in_a_browser_and_as_png() {
    for (k, theme) in ["light", "dark"].iter().enumerate() {
        let expected = [
            (0, 0),
            (1, 4),
            (2, 7),
            (3, 5),
            (4, 2),
            (5, 6),
            (6, 1),
            (7, 3),
        ];
        let args = ["show", "8", "--theme", theme, "--size", "400", "--format"];
        let png = answer(&[&args[..], &["png"]].concat());
        let ours = Pixmap::decode_png(&png).expect("a PNG");
        assert_eq!(queens_in(&ours, 8, QUEENS[k]), expected, "PNG, {theme}");

        let folder = folder(&format!("board-{theme}"));
        let file = folder.join("board.svg");
        std::fs::write(&file, text(&[&args[..], &["svg"]].concat())).expect("written");
        let shot = folder.join("board.png");
        let screenshot = format!("--screenshot={}", shot.display());
        chromium(&folder, &file, &[&screenshot, "--window-size=400,400"]);
        let theirs =
            Pixmap::decode_png(&std::fs::read(shot).expect("a screenshot")).expect("a PNG");
        assert_eq!(
            queens_in(&theirs, 8, QUEENS[k]),
            expected,
            "SVG in Chromium, {theme}"
        );
    }
}

/// How bright a picture is at a point, from 0 to 765.
fn brightness(pixels: &Pixmap, x: f64, y: f64) -> u32 {
    let pixel = pixels.pixel(x as u32, y as u32).expect("inside");
    u32::from(pixel.red()) + u32::from(pixel.green()) + u32::from(pixel.blue())
}

/// Checks that the squares that the engine calls white are the lighter ones. The board's upper left
/// corner is at `at`; each square is looked at near its own corner, clear of any queen.
fn white_is_light(pixels: &Pixmap, n: usize, at: (f64, f64), cell: f64, of: &str) {
    let look = |row: usize, col: usize| {
        let (x, y) = (col as f64 + 0.1, row as f64 + 0.1);
        brightness(pixels, at.0 + x * cell, at.1 + y * cell)
    };
    let (light, dark) = (look(0, 0), look(0, 1));
    assert!(light > dark, "{of}: (0, 0) is the lighter one");
    for row in 0..n {
        for col in 0..n {
            let told = match Colour::of(row, col) {
                Colour::White => light,
                Colour::Black => dark,
            };
            assert_eq!(look(row, col), told, "{of}: square ({row}, {col})");
        }
    }
}

#[test]
fn what_the_engine_calls_white_is_drawn_light() {
    for theme in ["light", "dark"] {
        let args = ["show", "8", "--theme", theme, "--size", "400", "--format"];
        let png = answer(&[&args[..], &["png"]].concat());
        let pixels = Pixmap::decode_png(&png).expect("a PNG");
        let margin = 400.0 * 0.07;
        let cell = (400.0 - margin - 400.0 * 0.02) / 8.0;
        white_is_light(&pixels, 8, (margin, margin), cell, theme);
    }

    // The picture in docs/algorithms.md: its board, and what it says of it in words.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/img/two-colour.svg");
    let svg = std::fs::read_to_string(file).expect("the picture");
    let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).expect("SVG");
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height()).expect("a size");
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    white_is_light(&pixels, 8, (70.0, 90.0), 40.0, "two-colour.svg");
    let solution = [0, 4, 7, 5, 2, 6, 1, 3];
    let is_white = |row: &usize| Colour::of(*row, solution[*row]) == Colour::White;
    let rows: Vec<usize> = (0..8).filter(is_white).collect();
    let mut cols: Vec<usize> = rows.iter().map(|&row| solution[row]).collect();
    cols.sort_unstable();
    let set = |of: Vec<usize>| {
        let of: Vec<String> = of.iter().map(usize::to_string).collect();
        format!("{{{}}}", of.join(", "))
    };
    let words = format!("white: rows R = {}, columns C = {}", set(rows), set(cols));
    assert!(svg.contains(&words), "{words}");
}

#[test]
fn boards_of_four_and_of_forty_show_all_their_queens() {
    for (n, size) in [("4", "64"), ("4", "320"), ("40", "480"), ("40", "1260")] {
        let png = answer(&["show", n, "--format", "png", "--size", size]);
        let pixels = Pixmap::decode_png(&png).expect("a PNG");
        let n: u32 = n.parse().unwrap();
        let found = queens_in(&pixels, n, QUEENS[0]);
        assert_eq!(found.len() as u32, n, "N = {n} at {size} pixels");
    }
}

#[test]
fn graphviz_lays_out_the_trees() {
    for (n, pruned, nodes) in [
        ("4", false, 17),
        ("4", true, 17 + 15 * 4 - 16),
        ("6", false, 153),
    ] {
        let mut args = vec!["tree", n, "--format", "dot"];
        args.extend(pruned.then_some("--pruned"));
        let mut child = tool("dot")
            .arg("-Tplain")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("dot runs");
        let graph = answer(&args);
        let mut stdin = child.stdin.take().expect("a pipe");
        let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &graph));
        let output = child.wait_with_output().expect("dot ends");
        writer.join().expect("no panic").expect("dot reads all");
        assert!(output.status.success());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "dot complains");
        let plain = String::from_utf8(output.stdout).expect("UTF-8");
        let count = |kind: &str| plain.lines().filter(|line| line.starts_with(kind)).count();
        assert_eq!(
            (count("node "), count("edge ")),
            (nodes, nodes - 1),
            "N = {n}"
        );
    }
}
