//! Boards in plain characters: `Q` and dots, or a framed board with a Unicode queen.
//!
//! Every square is two characters wide, which comes close to square in a terminal and
//! keeps a board of 40 in 80 columns. With attacks drawn, the squares between two queens
//! that see each other show the line (`-`, `|`, `\`, `/`, and `+` or `x` where lines
//! cross) and the pairs are written out below the board, since a line alone does not say where it
//! ends. A blocked square is `#`. If queens were given, they are `Q` and added ones are `q`.

use super::{Picture, between};
use crate::line::{Attack, Line};
use crate::placement::Square;

/// What stands on a square that has no queen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Empty,
    Blocked,
    Line(Line),
    /// A row crossing a column.
    Plus,
    /// Any other crossing.
    Cross,
}

fn marks(picture: &Picture, lines: &[Attack]) -> Vec<Mark> {
    let mut out = vec![Mark::Empty; picture.n() * picture.n()];
    for attack in lines {
        for Square { row, col } in between(attack) {
            let mark = &mut out[row * picture.n() + col];
            *mark = match *mark {
                Mark::Empty => Mark::Line(attack.line),
                Mark::Line(Line::Row) if attack.line == Line::Column => Mark::Plus,
                Mark::Line(Line::Column) if attack.line == Line::Row => Mark::Plus,
                Mark::Line(line) if line == attack.line => Mark::Line(line),
                _ => Mark::Cross,
            };
        }
    }
    for Square { row, col } in picture.blocked() {
        out[row * picture.n() + col] = Mark::Blocked;
    }
    out
}

fn pairs(out: &mut String, picture: &Picture) {
    for attack in picture.lines() {
        out.push_str(&attack.told(picture.origin));
        out.push('\n');
    }
}

fn draw(picture: &Picture, queen: char, added: char, glyph: impl Fn(Mark) -> char) -> Vec<String> {
    let marks = marks(picture, &picture.lines());
    let mut cells: Vec<char> = marks.into_iter().map(glyph).collect();
    for square in picture.queens() {
        cells[square.row * picture.n() + square.col] = match picture.is_added(square) {
            true => added,
            false => queen,
        };
    }
    cells
        .chunks(picture.n().max(1))
        .map(|row| {
            let mut line = String::with_capacity(row.len() * 2);
            for (i, c) in row.iter().enumerate() {
                if i > 0 {
                    line.push(' ');
                }
                line.push(*c);
            }
            line
        })
        .collect()
}

/// The board in ASCII: `Q` for a queen, `.` for an empty square.
///
/// ```
/// use queens::{Origin, Placement};
/// use queens::render::{Picture, text};
///
/// let mut picture = Picture::new(Placement::from_cols(&[0, 2, 1, 3])?)?;
/// picture.attacks = true;
/// assert_eq!(
///     text::board(&picture),
///     "Q . . .\n. \\ Q .\n. Q \\ .\n. . . Q\n\
///      (1, 1) and (4, 4) attack each other on a falling diagonal\n\
///      (2, 3) and (3, 2) attack each other on a rising diagonal\n"
/// );
///
/// picture.origin = Origin::Zero;
/// assert!(text::board(&picture).contains("(0, 0) and (3, 3) attack each other"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn board(picture: &Picture) -> String {
    let rows = draw(picture, 'Q', 'q', |mark| match mark {
        Mark::Empty => '.',
        Mark::Blocked => '#',
        Mark::Line(Line::Row) => '-',
        Mark::Line(Line::Column) => '|',
        Mark::Line(Line::Diag) => '\\',
        Mark::Line(Line::Anti) => '/',
        Mark::Plus => '+',
        Mark::Cross => 'x',
    });
    let mut out = String::new();
    for row in rows {
        out.push_str(&row);
        out.push('\n');
    }
    pairs(&mut out, picture);
    out
}

/// The board in a frame, with a black chess queen.
///
/// ```
/// use queens::Placement;
/// use queens::render::{Picture, text};
///
/// let out = text::unicode(&Picture::new(Placement::from_cols(&[1, 3, 0, 2])?)?);
/// assert_eq!(out.lines().nth(1), Some("│ · ♛ · · │"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn unicode(picture: &Picture) -> String {
    let rows = draw(picture, '♛', '♕', |mark| match mark {
        Mark::Empty => '·',
        Mark::Blocked => '▒',
        Mark::Line(Line::Row) => '─',
        Mark::Line(Line::Column) => '│',
        Mark::Line(Line::Diag) => '╲',
        Mark::Line(Line::Anti) => '╱',
        Mark::Plus => '┼',
        Mark::Cross => '╳',
    });
    let edge = "─".repeat((picture.n() * 2 + 1).max(2));
    let mut out = format!("┌{edge}┐\n");
    for row in rows {
        out.push_str(&format!("│ {row} │\n"));
    }
    out.push_str(&format!("└{edge}┘\n"));
    pairs(&mut out, picture);
    out
}
