//! The two diagonals of a square and their numbers: figure 5-19 of BACS2063 chapter 6.
//!
//! Rows and columns are numbered from 0, and every square shows its own `row,column`. Along the
//! diagonal from upper left to lower right row - column stays the same; along the one from upper
//! right to lower left row + column does. So equal numbers show that two queens share a diagonal,
//! without walking along it.

use std::fmt::{self, Write};

use super::{Palette, Theme, digits, num};
use crate::line::Line;
use crate::placement::Square;

/// The largest board with room for the numbers of its squares.
pub const MAX_NUMBERED: usize = 20;

/// Why there is no picture of the diagonals.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiagonalsError {
    /// The board is larger than [`MAX_NUMBERED`].
    TooLarge(usize),
    /// The square is not on the board.
    OffTheBoard {
        /// The size of the board.
        n: usize,
        /// The row asked for, from 0.
        row: usize,
        /// The column asked for, from 0.
        col: usize,
    },
    /// There are no squares at all.
    NoSquares,
}

impl fmt::Display for DiagonalsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiagonalsError::TooLarge(n) => write!(
                f,
                "the numbers of squares are drawn up to N = {MAX_NUMBERED}, not {n}"
            ),
            DiagonalsError::OffTheBoard { n, row, col } => write!(
                f,
                "the square {row},{col} is off the board; rows and columns are 0 to {}",
                n - 1
            ),
            DiagonalsError::NoSquares => f.write_str("a board of size 0 has no squares"),
        }
    }
}

impl std::error::Error for DiagonalsError {}

/// A square and the diagonals through it.
///
/// ```
/// use queens::Square;
/// use queens::render::diagonals::Diagonals;
///
/// let figure = Diagonals::new(8, Square::new(1, 5))?;
/// assert_eq!((figure.difference(), figure.sum()), (-4, 6));
/// assert!(figure.text().contains("0 - 4 = 1 - 5 = 2 - 6 = 3 - 7 = -4"));
/// # Ok::<(), queens::render::diagonals::DiagonalsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagonals {
    n: usize,
    square: Square,
    /// The colours of the drawing.
    pub theme: Theme,
    /// The width and height of the drawing, in pixels.
    pub size: u32,
}

impl Diagonals {
    /// The diagonals through a square of a board.
    ///
    /// # Errors
    ///
    /// When the square is not on the board, or the board is too large to number its squares.
    pub fn new(n: usize, square: Square) -> Result<Self, DiagonalsError> {
        let Square { row, col } = square;
        if n == 0 {
            return Err(DiagonalsError::NoSquares);
        }
        if n > MAX_NUMBERED {
            return Err(DiagonalsError::TooLarge(n));
        }
        if row >= n || col >= n {
            return Err(DiagonalsError::OffTheBoard { n, row, col });
        }
        Ok(Diagonals {
            n,
            square,
            theme: Theme::Light,
            size: 640,
        })
    }

    /// The number of the falling diagonal: row - column.
    pub fn difference(&self) -> isize {
        Line::Diag.through(self.square)
    }

    /// The number of the rising diagonal: row + column.
    pub fn sum(&self) -> isize {
        Line::Anti.through(self.square)
    }

    /// The squares from upper left to lower right.
    fn falling(&self) -> Vec<Square> {
        self.along(Line::Diag)
    }

    /// The squares from upper right to lower left.
    fn rising(&self) -> Vec<Square> {
        self.along(Line::Anti)
    }

    /// The squares on a line through the square.
    fn along(&self, line: Line) -> Vec<Square> {
        let on = |&square: &Square| line.through(square) == line.through(self.square);
        self.squares().filter(on).collect()
    }

    /// All squares, row by row.
    fn squares(&self) -> impl Iterator<Item = Square> + use<> {
        let n = self.n;
        (0..n * n).map(move |at| Square::new(at / n, at % n))
    }

    /// The board in characters, the diagonals marked, and an equation for each of them.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let width = self.n.saturating_sub(1).to_string().len();
        let (falling, rising) = (self.falling(), self.rising());
        for row in 0..self.n {
            let mut line = String::new();
            for col in 0..self.n {
                let square = Square::new(row, col);
                let (before, after) = if square == self.square {
                    ('[', ']')
                } else if falling.contains(&square) {
                    ('\\', '\\')
                } else if rising.contains(&square) {
                    ('/', '/')
                } else {
                    (' ', ' ')
                };
                write!(line, "{before}{row:>width$},{col:<width$}{after} ")
                    .expect("writing to a string");
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        let equation = |squares: &[Square], sign: char| -> String {
            let sides: Vec<String> = squares
                .iter()
                .map(|square| format!("{} {sign} {}", square.row, square.col))
                .collect();
            sides.join(" = ")
        };
        let (minus, plus) = (equation(&falling, '-'), equation(&rising, '+'));
        writeln!(out, "\\ row - column: {minus} = {}", self.difference())
            .expect("writing to a string");
        writeln!(out, "/ row + column: {plus} = {}", self.sum()).expect("writing to a string");
        out
    }

    /// The drawing: an arrow along each diagonal, with its number at the point.
    pub fn svg(&self) -> String {
        let colours = self.theme.palette();
        let size = f64::from(self.size);
        let margin = size * 0.09;
        let cell = (size - 2.0 * margin) / self.n as f64;
        let (difference, sum) = (self.difference(), self.sum());
        let Square { row, col } = self.square;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{s}\" height=\"{s}\" \
             viewBox=\"0 0 {s} {s}\" role=\"img\">\n\
             <title>The diagonals of square {row},{col} on a board of {n} by {n}: \
             row - column is {difference}, row + column is {sum}</title>\n\
             <rect width=\"{s}\" height=\"{s}\" fill=\"{}\"/>\n",
            colours.page,
            n = self.n,
            s = self.size,
        );
        for row in 0..self.n {
            for col in 0..self.n {
                let fill = if (row + col) % 2 == 0 {
                    colours.square
                } else {
                    colours.other
                };
                writeln!(
                    out,
                    "<rect x=\"{}\" y=\"{}\" width=\"{c}\" height=\"{c}\" fill=\"{fill}\"/>",
                    num(margin + col as f64 * cell),
                    num(margin + row as f64 * cell),
                    c = num(cell),
                )
                .expect("writing to a string");
            }
        }
        let centre = |square: &Square| {
            (
                margin + (square.col as f64 + 0.5) * cell,
                margin + (square.row as f64 + 0.5) * cell,
            )
        };
        for (squares, sign, number) in [
            (self.falling(), 1.0, difference),
            (self.rising(), -1.0, sum),
        ] {
            let (first, last) = (
                centre(&squares[0]),
                centre(squares.last().expect("a diagonal has squares")),
            );
            // From corner to corner, and the point a little beyond.
            let start = (first.0 - sign * cell * 0.5, first.1 - cell * 0.5);
            let point = (last.0 + sign * cell * 0.55, last.1 + cell * 0.55);
            arrow(&mut out, start, point, sign, cell, &colours);
            let label = (
                (point.0 + sign * margin * 0.42).clamp(margin * 0.35, size - margin * 0.35),
                (point.1 + margin * 0.3).clamp(margin * 0.3, size - margin * 0.3),
            );
            let strokes = integer(number, label.0, label.1, margin * 0.36);
            path(&mut out, "number", &strokes, colours.attack, margin * 0.06);
        }
        let (x, y) = centre(&self.square);
        writeln!(
            out,
            "<circle class=\"square\" cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" \
             stroke-width=\"{}\"/>",
            num(x),
            num(y),
            num(cell * 0.4),
            colours.page,
            colours.attack,
            num(cell * 0.05),
        )
        .expect("writing to a string");
        // Numbers of two figures need smaller ones.
        let height = cell * if self.n > 10 { 0.19 } else { 0.26 };
        let name = |square: &Square| {
            let (x, y) = centre(square);
            pair(square.row, square.col, x, y, height)
        };
        // An edge keeps the names legible where an arrow runs through them.
        let crossed = [self.falling(), self.rising()].concat();
        let crossed = crossed.iter().flat_map(name).collect();
        path(&mut out, "edge", &crossed, colours.edge, height * 0.55);
        let names = self.squares().flat_map(|square| name(&square)).collect();
        path(&mut out, "names", &names, colours.queen, height * 0.135);
        out.push_str("</svg>\n");
        out
    }
}

type Strokes = Vec<Vec<(f64, f64)>>;

/// A whole number with its sign, centred on `(x, y)`.
fn integer(number: isize, x: f64, y: f64, height: f64) -> Strokes {
    let mut strokes = digits::strokes(number.unsigned_abs(), x, y, height);
    if number < 0 {
        let left = strokes.iter().flatten().map(|p| p.0).fold(x, f64::min);
        strokes.push(vec![(left - height * 0.65, y), (left - height * 0.2, y)]);
    }
    strokes
}

/// `row,column` centred on `(x, y)`.
fn pair(row: usize, col: usize, x: f64, y: f64, height: f64) -> Strokes {
    let wide = |k: usize| {
        let places = k.to_string().len() as f64;
        ((places - 1.0) * digits::ADVANCE + digits::WIDTH) * height
    };
    let gap = height * 0.6;
    let left = x - (wide(row) + gap + wide(col)) / 2.0;
    let mut strokes = digits::strokes(row, left + wide(row) / 2.0, y, height);
    let comma = left + wide(row) + gap * 0.5;
    strokes.push(vec![
        (comma, y + height * 0.42),
        (comma - height * 0.12, y + height * 0.72),
    ]);
    let right = left + wide(row) + gap + wide(col) / 2.0;
    strokes.extend(digits::strokes(col, right, y, height));
    strokes
}

fn path(out: &mut String, class: &str, strokes: &Strokes, colour: &str, width: f64) {
    let mut d = String::new();
    for line in strokes {
        for (k, (x, y)) in line.iter().enumerate() {
            let step = if k == 0 { 'M' } else { 'L' };
            write!(d, "{step}{} {}", num(*x), num(*y)).expect("writing to a string");
        }
    }
    writeln!(
        out,
        "<path class=\"{class}\" d=\"{d}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\" \
         stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
        num(width)
    )
    .expect("writing to a string");
}

/// A line with a point at its end; `sign` is 1 to the right and -1 to the left.
fn arrow(
    out: &mut String,
    start: (f64, f64),
    point: (f64, f64),
    sign: f64,
    cell: f64,
    colours: &Palette,
) {
    let barb = cell * 0.28;
    let strokes = vec![
        vec![start, point],
        vec![
            (point.0 - sign * barb, point.1),
            point,
            (point.0, point.1 - barb),
        ],
    ];
    for (colour, width) in [(colours.edge, 0.14), (colours.attack, 0.07)] {
        path(out, "diagonal", &strokes, colour, cell * width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_5_19_is_the_figure_of_the_chapter() {
        let figure = Diagonals::new(8, Square::new(1, 5)).unwrap();
        let text = figure.text();
        let first = text.lines().next().unwrap();
        assert_eq!(first, " 0,0   0,1   0,2   0,3  \\0,4\\  0,5  /0,6/  0,7");
        assert!(text.ends_with(
            "\\ row - column: 0 - 4 = 1 - 5 = 2 - 6 = 3 - 7 = -4\n\
             / row + column: 0 + 6 = 1 + 5 = 2 + 4 = 3 + 3 = 4 + 2 = 5 + 1 = 6 + 0 = 6\n"
        ));
    }

    #[test]
    fn squares_share_a_diagonal_when_their_numbers_agree() {
        let n = 6;
        for row in 0..n {
            for col in 0..n {
                let figure = Diagonals::new(n, Square::new(row, col)).unwrap();
                for other in figure.squares() {
                    let share = other.row.abs_diff(row) == other.col.abs_diff(col);
                    let named =
                        figure.falling().contains(&other) || figure.rising().contains(&other);
                    assert_eq!(named, share);
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let at = Square::new;
        assert_eq!(Diagonals::new(0, at(0, 0)), Err(DiagonalsError::NoSquares));
        assert_eq!(
            Diagonals::new(21, at(0, 0)),
            Err(DiagonalsError::TooLarge(21))
        );
        let off = Diagonals::new(8, at(1, 8)).unwrap_err();
        assert_eq!(
            off.to_string(),
            "the square 1,8 is off the board; rows and columns are 0 to 7"
        );
    }
}
