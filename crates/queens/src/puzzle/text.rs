//! Boards as text: drawn, as JSON, and squares by name.
//!
//! ```text
//! Q . . .        {"n":4,"queens":4,"given":[[0,0]],"blocked":[[1,3]]}
//! . . . #
//! . . . .        given (1, 1), blocked (2, 4), for people
//! . . . .        given [0, 0], blocked [1, 3], for programs
//! ```

use std::fmt;
use std::str::FromStr;

use super::{Board, BoardError};
use crate::json::{Object, ToJson};
use crate::placement::Square;

/// Reads rows of `.`, `Q` and `#`, one line each; blanks between squares, blank lines around
/// the board and carriage returns do not matter. What the formats of placements take for a
/// queen or an empty square is one here, too. Text that begins with `{` is JSON.
impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Board, BoardError> {
        if text.trim_start().starts_with('{') {
            return from_json(text);
        }
        let rows: Vec<&str> = text.trim_matches(['\n', '\r', ' ', '\t']).lines().collect();
        let n = if text.trim().is_empty() {
            0
        } else {
            rows.len()
        };
        let (mut given, mut blocked) = (Vec::new(), Vec::new());
        for (row, line) in rows.iter().enumerate().take(n) {
            let symbols: Vec<char> = line.chars().filter(|c| !c.is_whitespace()).collect();
            if symbols.len() != n {
                let squares = symbols.len();
                return Err(BoardError::Ragged { row, squares, n });
            }
            for (col, symbol) in symbols.into_iter().enumerate() {
                let square = Square::new(row, col);
                match symbol {
                    '.' | '-' | '_' | '*' | '·' => {}
                    'Q' | 'q' | '♛' | '♕' => given.push(square),
                    '#' | '▒' => blocked.push(square),
                    symbol => return Err(BoardError::Symbol { symbol, square }),
                }
            }
        }
        Board::new(n).with_given(given)?.with_blocked(blocked)
    }
}

/// Without the feature `json` nothing is read.
#[cfg(not(feature = "json"))]
fn from_json(_text: &str) -> Result<Board, BoardError> {
    let reason = "this program was built without the feature `json` that reads it";
    Err(BoardError::Json(reason.to_owned()))
}

#[cfg(feature = "json")]
fn from_json(text: &str) -> Result<Board, BoardError> {
    let fields: Fields = serde_json::from_str(text)
        .map_err(|error| BoardError::Json(crate::format::quoted(&error.to_string(), 200)))?;
    fields.try_into()
}

/// Writes what [`FromStr`] reads, one line per row. The number of queens is not part of it.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut given, mut blocked) = (
            self.given().iter().peekable(),
            self.blocked().iter().peekable(),
        );
        for row in 0..self.n() {
            let mut line = String::with_capacity(2 * self.n());
            for col in 0..self.n() {
                let here = Square::new(row, col);
                line.push(if given.next_if_eq(&&here).is_some() {
                    'Q'
                } else if blocked.next_if_eq(&&here).is_some() {
                    '#'
                } else {
                    '.'
                });
                line.push(if col + 1 == self.n() { '\n' } else { ' ' });
            }
            f.write_str(if row + 1 == self.n() {
                line.trim_end()
            } else {
                &line
            })?;
        }
        Ok(())
    }
}

/// A board as JSON and serde have it, before anything is checked. A name that is none of
/// these is refused: a misspelt `blocked` would change the question.
#[cfg(any(feature = "json", feature = "serde"))]
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[serde(rename = "Board", deny_unknown_fields)]
pub(super) struct Fields {
    n: usize,
    queens: Option<usize>,
    #[serde(default)]
    given: Vec<(usize, usize)>,
    #[serde(default)]
    blocked: Vec<(usize, usize)>,
}

#[cfg(any(feature = "json", feature = "serde"))]
impl TryFrom<Fields> for Board {
    type Error = BoardError;

    fn try_from(fields: Fields) -> Result<Board, BoardError> {
        let Fields {
            n,
            queens,
            given,
            blocked,
        } = fields;
        let board = Board::new(n)
            .with_given(given.into_iter().map(Square::from))?
            .with_blocked(blocked.into_iter().map(Square::from))?;
        match queens {
            Some(queens) => board.with_queens(queens),
            None => Ok(board),
        }
    }
}

#[cfg(feature = "serde")]
impl From<Board> for Fields {
    fn from(board: Board) -> Fields {
        let pairs = |squares: &[Square]| {
            let pairs = squares.iter().copied().map(<(usize, usize)>::from);
            pairs.collect()
        };
        Fields {
            n: board.n(),
            queens: Some(board.queens()),
            given: pairs(board.given()),
            blocked: pairs(board.blocked()),
        }
    }
}

impl Board {
    /// The board as a JSON object, as [`FromStr`] reads it.
    pub fn to_json(&self) -> String {
        self.object().end()
    }

    fn object(&self) -> Object {
        Object::new()
            .set("n", self.n())
            .set("queens", self.queens())
            .list("given", self.given())
            .list("blocked", self.blocked())
    }
}

impl ToJson for Board {
    fn write_json(&self, out: &mut Vec<u8>) {
        self.object().write_json(out);
    }
}

/// Reads the names of squares. A square is a row and a column, both from 1 as messages and the
/// format `tuple` count: `1,4` or `(1, 4)`. In square brackets they count from 0, as in the
/// format `zero-based`: `[0, 3]`. Between squares stand blanks, commas or semicolons, or
/// nothing after a bracket. Whether they are on a board is not looked at.
///
/// ```
/// use queens::{Square, puzzle::squares};
///
/// let named = squares("1,4 2,7")?;
/// assert_eq!(named, [Square::new(0, 3), Square::new(1, 6)]);
/// assert_eq!(squares("(1, 4), (2, 7)")?, named);
/// assert_eq!(squares("[[0,3],[1,6]]")?, named); // as JSON has them
/// # Ok::<(), queens::puzzle::BoardError>(())
/// ```
///
/// # Errors
///
/// [`BoardError::Name`], with what cannot be read.
pub fn squares(text: &str) -> Result<Vec<Square>, BoardError> {
    let mut rest = text.trim();
    // A list of pairs has brackets around it.
    if let Some(list) = rest.strip_prefix('[').map(str::trim_start)
        && list.starts_with(['[', ']'])
    {
        rest = list.strip_suffix(']').unwrap_or(list);
    }
    let mut squares = Vec::new();
    loop {
        rest = rest.trim_start_matches(separates);
        if rest.is_empty() {
            return Ok(squares);
        }
        let refused = || BoardError::Name(crate::format::quoted(rest, 20));
        let (square, after) = square(rest).ok_or_else(refused)?;
        squares.push(square);
        rest = after;
    }
}

/// Whether a character may stand between squares.
fn separates(c: char) -> bool {
    c.is_whitespace() || c == ',' || c == ';'
}

/// The square that a text begins with, and what follows it.
fn square(text: &str) -> Option<(Square, &str)> {
    let (from, close, text) = match text.split_at_checked(1) {
        Some(("(", inside)) => (1, Some(')'), inside),
        Some(("[", inside)) => (0, Some(']'), inside),
        _ => (1, None, text),
    };
    let (row, text) = number(text.trim_start())?;
    let text = text.trim_start().strip_prefix(',')?.trim_start();
    let (col, text) = number(text)?;
    let after = match close {
        Some(close) => text.trim_start().strip_prefix(close)?,
        // `1,4x` and `1,4(` are slips.
        None if !text.is_empty() && !text.starts_with(separates) => return None,
        None => text,
    };
    let square = Square::new(row.checked_sub(from)?, col.checked_sub(from)?);
    Some((square, after))
}

/// The number that a text begins with, and what follows it.
fn number(text: &str) -> Option<(usize, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, after) = text.split_at(digits);
    // Nothing near this is on a board.
    let number: u32 = digits.parse().ok()?;
    Some((number as usize, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_read_in_every_notation() {
        let two = [Square::new(0, 3), Square::new(11, 6)];
        for text in [
            "1,4 12,7",
            " 1,4;12,7 ",
            "1,4,12,7",
            "1, 4, 12, 7",
            "(1,4)(12,7)",
            "(1, 4), (12, 7)",
            "(1 , 4 ) ; [11, 6]",
            "[0,3] [11,6]",
            "[[0, 3], [11, 6]]",
        ] {
            assert_eq!(squares(text).unwrap(), two, "{text:?}");
        }
        for text in ["", "  ", "[]"] {
            assert_eq!(squares(text).unwrap(), [], "{text:?}");
        }
    }

    #[test]
    fn what_is_no_square_is_quoted() {
        for (text, quoted) in [
            ("0,4", "0,4"),
            ("1", "1"),
            ("1 4", "1 4"),
            ("1,4 x", "x"),
            ("1,4x", "1,4x"),
            ("(1,4", "(1,4"),
            ("[0,3)", "[0,3)"),
            ("-1,4", "-1,4"),
            ("d4", "d4"),
            ("99999999999999999999999,1", "99999999999999999999…"),
            ("1,4\u{1b}[0m", "1,4\\u{1b}[0m"),
        ] {
            let refused = squares(text).unwrap_err();
            assert_eq!(refused, BoardError::Name(quoted.to_owned()), "{text:?}");
        }
    }

    #[cfg(feature = "json")]
    #[test]
    fn json_that_is_no_board_is_refused() {
        for text in [
            "{",
            "{}",
            r#"{"n":-1}"#,
            r#"{"n":4,"bloked":[[0,0]]}"#,
            r#"{"n":4,"given":[[0,4]]}"#,
            r#"{"n":4,"given":[[0,0]],"queens":0}"#,
            r#"{"n":1000000000000}"#,
        ] {
            assert!(text.parse::<Board>().is_err(), "{text}");
        }
        let plain: Board = r#" {"n": 4} "#.parse().unwrap();
        assert_eq!(plain, Board::new(4));
    }
}
