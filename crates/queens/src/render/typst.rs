//! A board as a Typst document, with no package.
//!
//! The page is as large as the board. Everything is placed from the top left corner in
//! multiples of one length, `u`, the side of a square; change that line to change the
//! size. The queen is a function of its row and column.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Picture, num, queen};
use crate::placement::Square;

/// The picture as a complete Typst document.
///
/// ```
/// use queens::Solution;
/// use queens::render::{Picture, typst};
///
/// let out = typst::board(&Picture::new(Solution::new([1, 3, 0, 2])?)?);
/// assert!(out.contains("#queen(0, 1)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn board(picture: &Picture) -> String {
    let colours = picture.theme.palette();
    let n = picture.n();
    let unit = (12.0 / n.max(1) as f64).min(1.5);
    let mut out = format!(
        "#set page(width: auto, height: auto, margin: 6pt, fill: rgb(\"{page}\"))\n\
         #let u = {u}cm\n\
         #let at(row, col, body) = place(top + left, dx: (col + 0.8) * u, dy: (row + 0.8) * u, body)\n\
         #let figure-at(row, col, k) = at(row, col, box(width: u, height: u, align(center + horizon, \
         text(size: {font} * u, fill: rgb(\"{ink}\"), str(k)))))\n\
         #let queen(row, col) = {{\n",
        page = colours.page,
        u = num(unit),
        font = if n > 12 { "0.45" } else { "0.28" },
        ink = colours.ink,
    );
    write!(
        out,
        "  at(row, col, polygon(fill: rgb(\"{}\")",
        colours.queen
    )
    .expect("writing to a string");
    for (x, y) in queen::CROWN {
        write!(out, ", ({} * u, {} * u)", num(x), num(y)).expect("writing to a string");
    }
    let (x, y, w, h) = queen::BAR;
    writeln!(
        out,
        "))\n  at(row + {}, col + {}, rect(width: {} * u, height: {} * u, fill: rgb(\"{}\")))",
        num(y),
        num(x),
        num(w),
        num(h),
        colours.queen
    )
    .expect("writing to a string");
    for (x, y) in queen::PEARLS {
        writeln!(
            out,
            "  at(row + {}, col + {}, circle(radius: {} * u, fill: rgb(\"{}\")))",
            num(y - queen::PEARL),
            num(x - queen::PEARL),
            num(queen::PEARL),
            colours.queen
        )
        .expect("writing to a string");
    }
    writeln!(
        out,
        "}}\n#box(width: {m} * u, height: {m} * u)[\n\
         #at(0, 0, rect(width: {n} * u, height: {n} * u, fill: rgb(\"{}\"), stroke: rgb(\"{}\")))\n\
         #for row in range({n}) {{ for col in range({n}) {{ if calc.odd(row + col) {{\n\
         \x20 at(row, col, rect(width: u, height: u, fill: rgb(\"{}\")))\n}} }} }}\n\
         #for k in range({n}) {{ figure-at(-0.9, k, k + {first}); figure-at(k, -0.9, k + {first}) }}",
        colours.square,
        colours.ink,
        colours.other,
        first = picture.origin.first(),
        m = num(n as f64 + 0.9),
    )
    .expect("writing to a string");
    for Square { row, col } in picture.blocked() {
        writeln!(
            out,
            "#at({row}, {col}, rect(width: u, height: u, fill: rgb(\"{ink}\")))\n\
             #at(0, 0, line(start: ({col}.2 * u, {row}.2 * u), end: ({col}.8 * u, {row}.8 * u), \
             stroke: 0.06 * u + rgb(\"{page}\")))\n\
             #at(0, 0, line(start: ({col}.2 * u, {row}.8 * u), end: ({col}.8 * u, {row}.2 * u), \
             stroke: 0.06 * u + rgb(\"{page}\")))",
            ink = colours.ink,
            page = colours.page,
        )
        .expect("writing to a string");
    }
    for Square { row, col } in picture.given() {
        writeln!(
            out,
            "#at({row}.06, {col}.06, rect(width: 0.88 * u, height: 0.88 * u, \
             stroke: 0.05 * u + rgb(\"{}\")))",
            colours.queen
        )
        .expect("writing to a string");
    }
    let lines = picture.lines();
    let mut ringed = BTreeSet::new();
    for attack in &lines {
        ringed.extend([attack.first, attack.second]);
        // A line is placed by the corner of its bounding box, which for an anti-diagonal
        // is not one of its ends; giving both ends from the board's corner avoids that.
        writeln!(
            out,
            "#at(0, 0, line(start: ({}.5 * u, {}.5 * u), end: ({}.5 * u, {}.5 * u), \
             stroke: 0.1 * u + rgb(\"{}\")))",
            attack.first.col,
            attack.first.row,
            attack.second.col,
            attack.second.row,
            colours.attack
        )
        .expect("writing to a string");
    }
    for Square { row, col } in ringed {
        writeln!(
            out,
            "#at({row}.04, {col}.04, circle(radius: 0.46 * u, fill: rgb(\"{}\"), \
             stroke: 0.07 * u + rgb(\"{}\")))",
            colours.edge, colours.attack
        )
        .expect("writing to a string");
    }
    for &Square { row, col } in picture.queens() {
        writeln!(out, "#queen({row}, {col})").expect("writing to a string");
    }
    out.push_str("]\n");
    out
}
