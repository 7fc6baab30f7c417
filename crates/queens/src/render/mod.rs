//! Pictures of a board: text, Unicode, SVG, LaTeX and Typst.
//!
//! A [`Picture`] says what to draw: the size of the board, the queens on it, whether the
//! attacks between them are drawn too, the theme and the size. Each file of this folder
//! turns one into a string in one format and decides nothing else, so that a new format
//! is a new file. The search tree ([`tree`], [`dot`]) and the page that steps through a
//! trace ([`html`]) show a whole search and not one board; a [`chart`] shows times;
//! [`diagonals`] and [`bits`] show figures and examples of the course documents.
//!
//! The queen is a polygon, a bar and five circles given once, in `queen`; the figures
//! along the edge are strokes given once, in `digits`. No picture of a board needs a font, so
//! the same board looks the same in a browser, in a PNG and in print. The words of a chart that
//! becomes a PNG are strokes too, in `letters`.
//!
//! Colours follow the Okabe and Ito set, which people with any of the common colour
//! vision deficiencies tell apart, and nothing is told by colour alone: a queen under
//! attack also carries a ring, and a line of attack has a pale edge.

pub mod bits;
pub mod chart;
pub mod diagonals;
mod digits;
pub mod dot;
pub mod heat;
pub mod html;
pub mod latex;
mod letters;
mod queen;
pub mod svg;
pub mod text;
pub mod tree;
pub mod typst;

use std::collections::HashSet;
use std::fmt;

use crate::check::check;
use crate::line::Attack;
use crate::origin::Origin;
use crate::placement::{Placement, Square};
use crate::puzzle::Board;

/// Text for HTML and XML, between tags or in a quoted attribute: none of it is taken for
/// markup.
///
/// ```
/// use queens::render::escape;
///
/// assert_eq!(escape("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
/// ```
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The largest board a picture is drawn for.
pub const MAX_PICTURE: usize = 100;

/// The colours of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Theme {
    /// Dark queens on a pale board, for paper and bright pages.
    #[default]
    Light,
    /// Pale queens on a dark board.
    Dark,
}

/// The colours that a [`Theme`] stands for, as `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Behind the board, under the figures.
    pub page: &'static str,
    /// The figures along the edge and the frame.
    pub ink: &'static str,
    /// Squares with an even sum of row and column, the one at the top left among them: the
    /// lighter ones in every theme.
    pub square: &'static str,
    /// The other squares.
    pub other: &'static str,
    /// The queens.
    pub queen: &'static str,
    /// The edge of a queen, so that it stands out from either kind of square.
    pub edge: &'static str,
    /// Lines of attack and the ring around a queen under attack.
    pub attack: &'static str,
}

impl Theme {
    /// The colours of this theme.
    pub fn palette(self) -> Palette {
        match self {
            Theme::Light => Palette {
                page: "#ffffff",
                ink: "#3c444d",
                square: "#f4f1e8",
                other: "#bccbd8",
                queen: "#14202b",
                edge: "#ffffff",
                attack: "#d55e00",
            },
            Theme::Dark => Palette {
                page: "#14181d",
                ink: "#aeb8c2",
                square: "#4a5764",
                other: "#2b343d",
                queen: "#f6ecd0",
                edge: "#14181d",
                attack: "#ff9d3c",
            },
        }
    }
}

/// What to draw: a placement, and how.
///
/// ```
/// use queens::Solution;
/// use queens::render::{Picture, text};
///
/// let picture = Picture::new(Solution::new([1, 3, 0, 2])?)?;
/// assert_eq!(text::board(&picture), ". Q . .\n. . . Q\nQ . . .\n. . Q .\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    placement: Placement,
    board: Option<Board>,
    /// Whether the lines between queens that attack each other are drawn.
    pub attacks: bool,
    /// The colours.
    pub theme: Theme,
    /// The width and height in pixels of the formats that have pixels.
    pub size: u32,
    /// What the figures along the edges count from.
    pub origin: Origin,
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PictureError {
    /// The board is larger than [`MAX_PICTURE`].
    TooLarge(usize),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PictureError::TooLarge(n) = self;
        write!(f, "boards are drawn up to N = {MAX_PICTURE}, not {n}")
    }
}

impl std::error::Error for PictureError {}

impl Picture {
    /// A picture of a placement or a solution, light and without attacks.
    ///
    /// The size grows with the board, from 320 pixels to 1280.
    ///
    /// # Errors
    ///
    /// When the board is larger than [`MAX_PICTURE`].
    pub fn new(placement: impl Into<Placement>) -> Result<Self, PictureError> {
        let placement = placement.into();
        let n = placement.n();
        if n > MAX_PICTURE {
            return Err(PictureError::TooLarge(n));
        }
        let size = (n * 30 + 60).clamp(320, 1280) as u32;
        Ok(Picture {
            placement,
            board: None,
            attacks: false,
            theme: Theme::Light,
            size,
            origin: Origin::One,
        })
    }

    /// Draws the blocked squares of a board, and marks its given queens. A board of another size is
    /// ignored.
    ///
    /// ```
    /// use queens::Board;
    /// use queens::render::{Picture, text};
    ///
    /// let board: Board = ". Q . .\n. . . .\n. . . .\n# . . .".parse()?;
    /// let picture = Picture::new(board.first().unwrap())?.on(&board);
    /// assert_eq!(text::board(&picture), ". Q . .\n. . . q\nq . . .\n# . q .\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on(mut self, board: &Board) -> Self {
        self.board = (board.n() == self.n()).then(|| board.clone());
        self
    }

    /// The blocked squares.
    pub fn blocked(&self) -> &[Square] {
        self.board.as_ref().map_or(&[], Board::blocked)
    }

    /// The squares of the queens that were given.
    pub fn given(&self) -> &[Square] {
        self.board.as_ref().map_or(&[], Board::given)
    }

    /// Whether a queen was added to given ones.
    pub(crate) fn is_added(&self, queen: &Square) -> bool {
        let given = self.given();
        !given.is_empty() && given.binary_search(queen).is_err()
    }

    /// The number of rows and of columns.
    pub fn n(&self) -> usize {
        self.placement.n()
    }

    /// The squares with a queen.
    pub fn queens(&self) -> &[Square] {
        self.placement.queens()
    }

    /// The lines of attack to draw, each from a queen to the next one along the line;
    /// none unless [`attacks`](Picture::attacks) is set.
    ///
    /// Three queens in a column attack each other in three pairs, but are two lines: the
    /// one between the outer two would lie over the others.
    pub fn lines(&self) -> Vec<Attack> {
        if !self.attacks {
            return Vec::new();
        }
        let queens: HashSet<Square> = self.queens().iter().copied().collect();
        check(&self.placement)
            .attacks()
            .filter(|attack| !between(attack).any(|square| queens.contains(&square)))
            .collect()
    }

    /// A sentence for people who do not see the picture.
    pub fn description(&self) -> String {
        let queens = match self.queens().len() {
            0 => "no queen".to_owned(),
            1 => "1 queen".to_owned(),
            k => format!("{k} queens"),
        };
        let attacking = check(&self.placement).attacks().count();
        let lines = match attacking {
            0 => "none attacks another".to_owned(),
            1 => "1 pair attacks each other".to_owned(),
            k => format!("{k} pairs attack each other"),
        };
        let given = match self.given().len() {
            0 => String::new(),
            k => format!(", {k} of them given"),
        };
        let blocked = match self.blocked().len() {
            0 => String::new(),
            1 => ", 1 square blocked".to_owned(),
            k => format!(", {k} squares blocked"),
        };
        format!(
            "{n} by {n} board with {queens}{given}{blocked}, {lines}",
            n = self.n()
        )
    }
}

/// The squares strictly between the two queens of an attack.
pub(crate) fn between(attack: &Attack) -> impl Iterator<Item = Square> + use<> {
    let (r0, c0) = (attack.first.row as isize, attack.first.col as isize);
    let (r1, c1) = (attack.second.row as isize, attack.second.col as isize);
    let (dr, dc) = ((r1 - r0).signum(), (c1 - c0).signum());
    let steps = (r1 - r0).abs().max((c1 - c0).abs());
    (1..steps).map(move |k| Square::new((r0 + k * dr) as usize, (c0 + k * dc) as usize))
}

/// A coordinate with at most two decimals and no trailing zeros.
pub(crate) fn num(x: f64) -> String {
    let mut s = format!("{x:.2}");
    while s.ends_with('0') {
        s.pop();
    }
    if s.ends_with('.') {
        s.pop();
    }
    if s == "-0" { "0".to_owned() } else { s }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(n: usize, queens: &[(usize, usize)]) -> Picture {
        let queens = queens.iter().map(|&(row, col)| Square::new(row, col));
        let mut picture = Picture::new(Placement::new(n, queens).unwrap()).unwrap();
        picture.attacks = true;
        picture
    }

    #[test]
    fn a_queen_in_between_breaks_a_line_of_attack_in_two() {
        let lines = squares(6, &[(0, 1), (2, 1), (5, 1)]).lines();
        assert_eq!(lines.len(), 2);
        assert!(
            lines
                .iter()
                .all(|attack| attack.line == crate::Line::Column)
        );
        assert_eq!(lines[0].second, lines[1].first);
    }

    #[test]
    fn a_solution_has_no_line_of_attack() {
        let cols = [0, 4, 7, 5, 2, 6, 1, 3];
        let queens: Vec<_> = cols.into_iter().enumerate().collect();
        assert!(squares(8, &queens).lines().is_empty());
    }

    #[test]
    fn squares_between_two_queens_follow_the_line() {
        let lines = squares(5, &[(1, 4), (4, 1)]).lines();
        let found: Vec<Square> = between(&lines[0]).collect();
        assert_eq!(found, [Square::new(2, 3), Square::new(3, 2)]);
    }

    #[test]
    fn a_board_too_large_to_draw_is_refused() {
        let placement = Placement::new(MAX_PICTURE + 1, []).unwrap();
        assert_eq!(Picture::new(placement), Err(PictureError::TooLarge(101)));
    }

    #[test]
    fn numbers_lose_their_trailing_zeros() {
        assert_eq!(num(1.0), "1");
        assert_eq!(num(0.125), "0.12");
        assert_eq!(num(-0.001), "0");
        assert_eq!(num(20.5), "20.5");
    }
}
