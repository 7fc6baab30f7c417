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

/// Reads rows of `.`, `Q` and `#`, one line each; blanks between squares, blank lines around the
/// board and carriage returns do not matter. The signs that the formats of placements take for a
/// queen or an empty square work here too, except `□` and `■`. Text that begins like JSON is JSON.
/// A byte order mark, as some editors leave it, is no part of the text.
impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Board, BoardError> {
        let text = text.trim_start_matches('\u{feff}');
        let value = matches!(text.trim(), "null" | "true" | "false");
        if value || text.trim_start().starts_with(['{', '[', '"']) {
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

/// Without the feature `json`, reading always fails.
#[cfg(not(feature = "json"))]
fn from_json(_text: &str) -> Result<Board, BoardError> {
    let reason = "this program was built without the feature `json` that reads it";
    Err(BoardError::Json(reason.to_owned()))
}

#[cfg(feature = "json")]
fn from_json(text: &str) -> Result<Board, BoardError> {
    // Read as fields, a list would be their values.
    let is_object = text.trim_start().starts_with('{');
    match serde_json::from_str::<Fields>(text) {
        Ok(fields) if is_object => fields.try_into(),
        _ => Err(BoardError::Json(what_is_wrong(text))),
    }
}

/// Why a text is no board, in the board's own words.
#[cfg(feature = "json")]
fn what_is_wrong(text: &str) -> String {
    use serde_json::Value;

    const NAMES: [&str; 4] = ["n", "queens", "given", "blocked"];
    let shown = |value: &Value| crate::format::quoted(&value.to_string(), 40);
    let object = match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object,
        Ok(other) => return format!("{} is no object such as {{\"n\":8}}", shown(&other)),
        Err(error) if error.is_eof() => return "the text ends before it is complete".to_owned(),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            return format!("the text makes no sense at line {line}, column {column}");
        }
    };
    if let Some(name) = object.keys().find(|name| !NAMES.contains(&name.as_str())) {
        let name = crate::format::quoted(name, 40);
        return format!("`{name}` is none of n, queens, given and blocked");
    }
    let is_number = |value: &Value| value.as_u64().is_some();
    let is_square = |square: &Value| {
        let pair = square.as_array().filter(|pair| pair.len() == 2);
        pair.is_some_and(|pair| pair.iter().all(is_number))
    };
    for (name, value) in &object {
        match name.as_str() {
            "queens" if value.is_null() => {}
            "n" | "queens" if is_number(value) => {}
            "n" | "queens" => {
                return format!("{name} is a whole number from 0 on, not {}", shown(value));
            }
            _ => {
                let Some(squares) = value.as_array() else {
                    return format!("{name} is a list of squares, not {}", shown(value));
                };
                if let Some(square) = squares.iter().find(|square| !is_square(square)) {
                    let square = shown(square);
                    return format!(
                        "{name} has {square}, and a square is a row and a column from 0, such as [0,3]"
                    );
                }
            }
        }
    }
    match object.contains_key("n") {
        true => "a name stands there twice, or a number is too large".to_owned(),
        false => "n, the size of the board, is missing".to_owned(),
    }
}

/// The length at which the beginning of a long row is written before its end is made.
const LONGEST_PIECE: usize = 4096;

/// Writes what [`FromStr`] reads, one line per row. The number of queens is not part of it.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut given, mut blocked) = (
            self.given().iter().peekable(),
            self.blocked().iter().peekable(),
        );
        for row in 0..self.n() {
            let mut line = String::new();
            for col in 0..self.n() {
                if line.len() >= LONGEST_PIECE {
                    f.write_str(&line)?;
                    line.clear();
                }
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

/// A board as JSON and serde have it, before anything is checked. Names other than these are
/// refused: a misspelt `blocked` would change the question.
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
/// format `zero-based`: `[0, 3]`. Between squares stand blanks, commas or semicolons, or nothing
/// after a bracket. The squares need not be on any board.
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
        let unclosed = || BoardError::Name(crate::format::quoted(rest, 20));
        rest = list.strip_suffix(']').ok_or_else(unclosed)?;
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

/// Reads one square as [`squares`] does: `(1, 4)` and `1,4` count from 1, `[0, 3]` from 0.
///
/// ```
/// use queens::Square;
///
/// let square = Square::new(0, 3);
/// for text in ["(1, 4)", "1,4", "[0, 3]", &square.to_string()] {
///     assert_eq!(text.parse(), Ok(square));
/// }
/// assert!("(1, 4) (2, 6)".parse::<Square>().is_err());
/// ```
impl FromStr for Square {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Square, BoardError> {
        match square(text.trim()) {
            Some((square, "")) => Ok(square),
            _ => Err(BoardError::Name(crate::format::quoted(text.trim(), 20))),
        }
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
    // No board is nearly that large.
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
            ("[[0,3] 2,7", "[[0,3] 2,7"),
            ("[[0,3],[1,6]", "[1,6"),
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
        for (text, reason) in [
            (
                "{",
                "not a board in JSON: the text ends before it is complete",
            ),
            ("{\"n\":4]", "the text makes no sense at line 1, column 7"),
            ("{\"n\":4} x", "the text makes no sense at line 1, column 9"),
            ("{}", "n, the size of the board, is missing"),
            (
                "[]",
                "not a board in JSON: [] is no object such as {\"n\":8}",
            ),
            ("[4,2]", "[4,2] is no object"),
            ("null", "null is no object"),
            ("\"Q.\"", "\"Q.\" is no object"),
            (r#"{"n":-1}"#, "n is a whole number from 0 on, not -1"),
            (r#"{"n":"4"}"#, "n is a whole number from 0 on, not \"4\""),
            (
                r#"{"n":4,"bloked":[[0,0]]}"#,
                "`bloked` is none of n, queens, given and blocked",
            ),
            (r#"{"n":4,"given":3}"#, "given is a list of squares, not 3"),
            (
                r#"{"n":4,"given":[[0,1,2]]}"#,
                "given has [0,1,2], and a square is a row and a column from 0, such as [0,3]",
            ),
            (r#"{"n":4,"blocked":[[0,1],[2]]}"#, "blocked has [2], and"),
            (r#"{"n":4,"blocked":[[0,-1]]}"#, "blocked has [0,-1], and"),
            (r#"{"n":4,"n":4}"#, "a name stands there twice"),
            (
                r#"{"n":4,"given":[[0,4]]}"#,
                "the square (1, 5) is off the 4 by 4 board",
            ),
            (
                r#"{"n":4,"given":[[0,0]],"queens":0}"#,
                "0 queens are asked for",
            ),
            (r#"{"n":1000000000000}"#, "too large"),
        ] {
            let told = text.parse::<Board>().unwrap_err().to_string();
            assert!(told.contains(reason), "{text}: {told}");
        }
        let marked: Board = "\u{feff}{\"n\": 4}".parse().unwrap();
        assert_eq!(marked, Board::new(4));
        let drawn: Board = "\u{feff}Q . .\n. . .\n. . .".parse().unwrap();
        assert_eq!(drawn.given(), [Square::new(0, 0)]);
        let plain: Board = r#" {"n": 4} "#.parse().unwrap();
        assert_eq!(plain, Board::new(4));
    }
}
