//! A board as a LaTeX document: TikZ and nothing else.
//!
//! The document compiles as it stands; the `tikzpicture` inside can be pasted into any
//! other that loads TikZ. One unit is one square and the vertical axis points down, so
//! the coordinates are those of the rest of the project: row 0 on top, column 0 left. The
//! pixel size of the picture is ignored: print has its own sizes, and the first line of
//! the picture sets one (12 cm across).

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Picture, num, queen};
use crate::placement::Square;

/// The picture as a complete LaTeX document.
///
/// ```
/// use queens::Solution;
/// use queens::render::{Picture, latex};
///
/// let out = latex::board(&Picture::new(Solution::new([1, 3, 0, 2])?)?);
/// assert!(out.contains("\\pic at (1, 0) {queen};"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn board(picture: &Picture) -> String {
    let colours = picture.theme.palette();
    let n = picture.n();
    let mut out = String::from("\\documentclass[tikz,border=4pt]{standalone}\n");
    for (name, value) in [
        ("page", colours.page),
        ("ink", colours.ink),
        ("square", colours.square),
        ("other", colours.other),
        ("queen", colours.queen),
        ("edge", colours.edge),
        ("attack", colours.attack),
    ] {
        let html = value.trim_start_matches('#').to_ascii_uppercase();
        writeln!(out, "\\definecolor{{queens-{name}}}{{HTML}}{{{html}}}")
            .expect("writing to a string");
    }
    out.push_str("\\tikzset{queen/.pic={\n  \\fill[queens-queen]");
    for (x, y) in queen::CROWN {
        write!(out, " ({}, {}) --", num(x), num(y)).expect("writing to a string");
    }
    let (x, y, w, h) = queen::BAR;
    writeln!(
        out,
        " cycle;\n  \\fill[queens-queen] ({}, {}) rectangle ({}, {});",
        num(x),
        num(y),
        num(x + w),
        num(y + h)
    )
    .expect("writing to a string");
    for (x, y) in queen::PEARLS {
        writeln!(
            out,
            "  \\fill[queens-queen] ({}, {}) circle [radius={}];",
            num(x),
            num(y),
            num(queen::PEARL)
        )
        .expect("writing to a string");
    }
    let unit = 12.0 / n.max(1) as f64;
    writeln!(
        out,
        "}}}}\n\\begin{{document}}\n\
         \\begin{{tikzpicture}}[x={u}cm, y=-{u}cm]\n\
         \\fill[queens-page] (-0.8, -0.8) rectangle ({m}, {m});\n\
         \\fill[queens-square] (0, 0) rectangle ({n}, {n});",
        u = num(unit.min(1.5)),
        m = num(n as f64 + 0.3),
    )
    .expect("writing to a string");
    for row in 0..n {
        for col in (0..n).filter(|col| (row + col) % 2 == 1) {
            writeln!(
                out,
                "\\fill[queens-other] ({col}, {row}) rectangle +(1, 1);"
            )
            .expect("writing to a string");
        }
    }
    writeln!(
        out,
        "\\draw[queens-ink, line width=0.6pt] (0, 0) rectangle ({n}, {n});"
    )
    .expect("writing to a string");
    let font = match n {
        0..=12 => "\\footnotesize",
        13..=24 => "\\tiny",
        _ => "\\fontsize{3.5}{4}\\selectfont",
    };
    for k in 0..n {
        let number = picture.origin.number(k);
        writeln!(
            out,
            "\\node[queens-ink, font={font}] at ({k}.5, -0.4) {{{number}}};\n\
             \\node[queens-ink, font={font}] at (-0.4, {k}.5) {{{number}}};"
        )
        .expect("writing to a string");
    }
    for Square { row, col } in picture.blocked() {
        writeln!(
            out,
            "\\fill[queens-ink] ({col}, {row}) rectangle +(1, 1);\n\
             \\draw[queens-page, line width=0.8pt] ({col}.2, {row}.2) -- +(0.6, 0.6) \
             ({col}.2, {row}.8) -- +(0.6, -0.6);"
        )
        .expect("writing to a string");
    }
    for Square { row, col } in picture.given() {
        writeln!(
            out,
            "\\draw[queens-queen, line width=0.8pt] ({col}.06, {row}.06) rectangle +(0.88, 0.88);"
        )
        .expect("writing to a string");
    }
    let lines = picture.lines();
    let mut ringed = BTreeSet::new();
    for attack in &lines {
        ringed.extend([attack.first, attack.second]);
        writeln!(
            out,
            "\\draw[queens-attack, line width={}pt] ({}.5, {}.5) -- ({}.5, {}.5);",
            num(unit.min(1.5) * 2.4),
            attack.first.col,
            attack.first.row,
            attack.second.col,
            attack.second.row
        )
        .expect("writing to a string");
    }
    for Square { row, col } in ringed {
        writeln!(
            out,
            "\\filldraw[fill=queens-edge, draw=queens-attack, line width={}pt] \
             ({col}.5, {row}.5) circle [radius=0.46];",
            num(unit.min(1.5) * 1.6)
        )
        .expect("writing to a string");
    }
    for &Square { row, col } in picture.queens() {
        writeln!(out, "\\pic at ({col}, {row}) {{queen}};").expect("writing to a string");
    }
    out.push_str("\\end{tikzpicture}\n\\end{document}\n");
    out
}
