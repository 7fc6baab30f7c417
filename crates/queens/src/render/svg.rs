//! A board as SVG, laid out in pixels, with no font, no script and no style sheet.
//!
//! The board takes the whole picture except a margin of figures: columns above, rows at the left,
//! both from 1 unless the picture says 0. If the squares are too small for the figures, only every
//! fifth or tenth is written. The dark squares are one path, the queens are `use` elements of one
//! drawing.
//!
//! Lines of attack lie over the squares and under the queens, with a pale edge that keeps
//! them visible on either kind of square; queens under attack get a ring.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Palette, Picture, digits, num, queen};
use crate::placement::Square;

/// Where things are in the picture, in pixels.
struct Layout {
    left: f64,
    top: f64,
    cell: f64,
    /// The height of a figure of the margin.
    figure: f64,
    /// Rows and columns whose number is a multiple of this have a figure.
    every: usize,
}

impl Layout {
    fn new(n: usize, size: f64) -> Self {
        let margin = (size * 0.07).clamp(4.0, 34.0);
        let frame = (size * 0.02).clamp(2.0, 12.0);
        let cell = (size - margin - frame) / n.max(1) as f64;
        let figure = (margin * 0.42).min(cell * 0.42).max(size.min(90.0) * 0.08);
        let wide = figure * (digits::ADVANCE * 2.0 + 0.5);
        let every = if cell >= wide || (n <= 10 && cell >= figure * 1.2) {
            1
        } else if cell * 5.0 >= wide {
            5
        } else {
            10
        };
        Layout {
            left: margin,
            top: margin,
            cell,
            figure,
            every,
        }
    }
}

/// The drawing of a queen in a unit square, as the inside of an SVG group.
pub(crate) fn queen_shape() -> String {
    let mut path = String::from("M");
    for (i, &(x, y)) in queen::CROWN.iter().enumerate() {
        if i > 0 {
            path.push('L');
        }
        write!(path, "{} {}", num(x), num(y)).expect("writing to a string");
    }
    let (x, y, w, h) = queen::BAR;
    let mut out = format!(
        "<path d=\"{path}Z M{} {}h{}v{}h-{}Z\"/>",
        num(x),
        num(y),
        num(w),
        num(h),
        num(w)
    );
    for (x, y) in queen::PEARLS {
        write!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
            num(x),
            num(y),
            num(queen::PEARL)
        )
        .expect("writing to a string");
    }
    out
}

fn figures(out: &mut String, picture: &Picture, at: &Layout, colours: &Palette) {
    let mut path = String::new();
    for k in 0..picture.n() {
        let number = picture.origin.number(k);
        if !number.is_multiple_of(at.every) {
            continue;
        }
        let along = (k as f64 + 0.5) * at.cell;
        let above = digits::strokes(number, at.left + along, at.top * 0.55, at.figure);
        let beside = digits::strokes(number, at.left * 0.5, at.top + along, at.figure);
        for line in above.into_iter().chain(beside) {
            for (i, (x, y)) in line.into_iter().enumerate() {
                let step = if i == 0 { 'M' } else { 'L' };
                write!(path, "{step}{} {}", num(x), num(y)).expect("writing to a string");
            }
        }
    }
    writeln!(
        out,
        "<path class=\"figures\" d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" \
         stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
        colours.ink,
        num((at.figure * 0.13).max(0.5)),
    )
    .expect("writing to a string");
}

fn attack_lines(out: &mut String, picture: &Picture, at: &Layout, colours: &Palette) {
    let lines = picture.lines();
    let centre = |Square { row, col }: Square| {
        (
            at.left + (col as f64 + 0.5) * at.cell,
            at.top + (row as f64 + 0.5) * at.cell,
        )
    };
    let mut path = String::new();
    let mut ringed = BTreeSet::new();
    for attack in &lines {
        let ((x0, y0), (x1, y1)) = (centre(attack.first), centre(attack.second));
        write!(path, "M{} {}L{} {}", num(x0), num(y0), num(x1), num(y1))
            .expect("writing to a string");
        ringed.extend([attack.first, attack.second]);
    }
    if lines.is_empty() {
        return;
    }
    for (colour, width) in [(colours.edge, 0.2), (colours.attack, 0.1)] {
        writeln!(
            out,
            "<path class=\"attack\" d=\"{path}\" stroke=\"{colour}\" stroke-width=\"{}\" \
             stroke-linecap=\"round\"/>",
            num(at.cell * width)
        )
        .expect("writing to a string");
    }
    for square in ringed {
        let (x, y) = centre(square);
        writeln!(
            out,
            "<circle class=\"attacked\" cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" \
             stroke-width=\"{}\"/>",
            num(x),
            num(y),
            num(at.cell * 0.46),
            colours.edge,
            colours.attack,
            num(at.cell * 0.07)
        )
        .expect("writing to a string");
    }
}

/// Blocked squares are filled and crossed out; a given queen has a frame in her square.
fn blocked_and_given(out: &mut String, picture: &Picture, at: &Layout, colours: &Palette) {
    let corner = |square: &Square| {
        (
            at.left + square.col as f64 * at.cell,
            at.top + square.row as f64 * at.cell,
        )
    };
    for square in picture.blocked() {
        let (x, y) = corner(square);
        let (near, far) = (at.cell * 0.2, at.cell * 0.8);
        writeln!(
            out,
            "<rect class=\"blocked\" x=\"{}\" y=\"{}\" width=\"{c}\" height=\"{c}\" fill=\"{}\"/>\
             <path d=\"M{x0} {y0}L{x1} {y1}M{x1} {y0}L{x0} {y1}\" stroke=\"{}\" stroke-width=\"{}\"/>",
            num(x),
            num(y),
            colours.ink,
            colours.page,
            num(at.cell * 0.06),
            c = num(at.cell),
            x0 = num(x + near),
            x1 = num(x + far),
            y0 = num(y + near),
            y1 = num(y + far),
        )
        .expect("writing to a string");
    }
    for square in picture.given() {
        let (x, y) = corner(square);
        writeln!(
            out,
            "<rect class=\"given\" x=\"{}\" y=\"{}\" width=\"{c}\" height=\"{c}\" fill=\"none\" \
             stroke=\"{}\" stroke-width=\"{}\"/>",
            num(x + at.cell * 0.06),
            num(y + at.cell * 0.06),
            colours.queen,
            num(at.cell * 0.05),
            c = num(at.cell * 0.88),
        )
        .expect("writing to a string");
    }
}

/// The picture as a complete SVG document.
///
/// ```
/// use queens::Solution;
/// use queens::render::{Picture, svg};
///
/// let out = svg::board(&Picture::new(Solution::new([1, 3, 0, 2])?)?);
/// assert_eq!(out.matches("<use ").count(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn board(picture: &Picture) -> String {
    let colours = picture.theme.palette();
    let size = f64::from(picture.size);
    let at = Layout::new(picture.n(), size);
    let side = at.cell * picture.n() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{s}\" height=\"{s}\" \
         viewBox=\"0 0 {s} {s}\" role=\"img\">\n<title>{}</title>\n\
         <defs><g id=\"queen\">{}</g></defs>\n",
        picture.description(),
        queen_shape(),
        s = picture.size,
    );
    let rect = |out: &mut String, class: &str, x: f64, y: f64, side: f64, fill: &str| {
        writeln!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\"/>",
            num(x),
            num(y),
            num(side),
            num(side)
        )
        .expect("writing to a string");
    };
    rect(&mut out, "page", 0.0, 0.0, size, colours.page);
    rect(&mut out, "squares", at.left, at.top, side, colours.square);
    let mut others = String::new();
    for row in 0..picture.n() {
        for col in (0..picture.n()).filter(|col| (row + col) % 2 == 1) {
            let (x, y) = (
                at.left + col as f64 * at.cell,
                at.top + row as f64 * at.cell,
            );
            let cell = num(at.cell);
            write!(others, "M{} {}h{cell}v{cell}h-{cell}z", num(x), num(y))
                .expect("writing to a string");
        }
    }
    writeln!(
        out,
        "<path class=\"squares\" d=\"{others}\" fill=\"{}\"/>",
        colours.other
    )
    .expect("writing to a string");
    writeln!(
        out,
        "<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>",
        num(at.left),
        num(at.top),
        num(side),
        num(side),
        colours.ink
    )
    .expect("writing to a string");
    figures(&mut out, picture, &at, &colours);
    blocked_and_given(&mut out, picture, &at, &colours);
    attack_lines(&mut out, picture, &at, &colours);
    writeln!(
        out,
        "<g fill=\"{}\" stroke=\"{}\" stroke-width=\".03\" stroke-linejoin=\"round\" \
         paint-order=\"stroke\">",
        colours.queen, colours.edge
    )
    .expect("writing to a string");
    for &Square { row, col } in picture.queens() {
        writeln!(
            out,
            "<use href=\"#queen\" transform=\"translate({} {}) scale({})\"/>",
            num(at.left + col as f64 * at.cell),
            num(at.top + row as f64 * at.cell),
            num(at.cell)
        )
        .expect("writing to a string");
    }
    out.push_str("</g>\n</svg>\n");
    out
}
