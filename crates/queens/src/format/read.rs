//! Reading a stream of placements, and detecting its format.
//!
//! A [`Reader`] is fed one line at a time and hands back each placement as soon as it is
//! complete, so that a list of millions is read in constant memory and the library touches no file.
//! The caller names the format, or the reader detects it from the first line that is neither blank
//! nor a comment:
//!
//! | the line | is |
//! |---|---|
//! | begins with `(` | `tuple` |
//! | begins with `[` | `zero-based` |
//! | begins with `{` | `json` |
//! | has a `/`, or several fields of which the second is `w` or `b` | `fen` |
//! | has `♛`, `♕`, `·`, `□`, `■` or `▒` | `unicode` |
//! | begins with `row1` or `row0`, is `class_size`, or has digits, commas and `-` only | `csv` |
//! | has only `Q`, `q`, `.`, `-`, `_`, `*` and `#` | `board` |
//! | has digits, blanks and `-` only | `tuple`, without its brackets |
//!
//! A `#` begins a comment that reaches to the end of the line. The last line of the course
//! program, `4-Queens has 2 solutions`, is skipped too.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use super::tuple::Told;
use super::{Format, board, csv, fen, json, tuple};
use crate::origin::Origin;
use crate::placement::{Placement, PlacementError, Square};
use crate::solution::SolutionError;

/// Why a text is no placement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseError {
    /// There is nothing but blank lines and comments.
    Empty,
    /// More than one placement where one was expected.
    Several,
    /// No format fits the first line.
    Unrecognised(String),
    /// A column that is no number, or not one that can be a column.
    Number(String),
    /// A sign that stands neither for a queen nor for an empty square.
    Sign(char),
    /// A bracket without its partner.
    Unclosed(char),
    /// A row of a board is longer or shorter than the first.
    Width {
        /// The row, from 0.
        row: usize,
        /// The width of the first row.
        expected: usize,
        /// The width of this one.
        got: usize,
    },
    /// A board is not square.
    Height {
        /// The width of its rows.
        width: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// Rows are left after the last board that is square.
    Rest {
        /// The width of the rows.
        width: usize,
        /// How many are left.
        rows: usize,
    },
    /// A line of CSV does not fit its header.
    Fields {
        /// The number of names in the header.
        expected: usize,
        /// The number of values.
        got: usize,
    },
    /// A placement is on a board of another size than the caller said.
    Size {
        /// The size that the caller said.
        expected: usize,
        /// The size it has, or the number of its rows.
        got: usize,
    },
    /// The JSON is broken or is no placement.
    Json(String),
    /// A line, or a placement of several lines, is longer than [`Reader::LONGEST`].
    TooLong,
    /// The squares do not fit the board.
    Placement(PlacementError),
    /// The text is a placement, but no solution, and a solution was asked for.
    Solution(SolutionError),
}

/// Counts from 1, with `{:#}` from 0.
impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Empty => f.write_str("there is no placement in the input"),
            ParseError::Several => f.write_str("there is more than one placement in the input"),
            ParseError::Unrecognised(line) => write!(
                f,
                "cannot tell the format of `{line}`; a tuple (2, 4, 1, 3), 2413, a list \
                 [1, 3, 0, 2], a board of `.` and `Q`, FEN, JSON and CSV are understood"
            ),
            ParseError::Number(text) => write!(f, "`{text}` is not a column"),
            ParseError::Sign(sign) => {
                let sign = quoted(sign.encode_utf8(&mut [0; 4]), 1);
                write!(f, "`{sign}` is neither a queen nor an empty square")
            }
            ParseError::Unclosed(bracket) => write!(f, "the `{bracket}` is never closed"),
            ParseError::Width { row, expected, got } => write!(
                f,
                "row {} has {got} square{} where {expected} {} expected",
                Origin::of(f).number(*row),
                plural(*got),
                if *expected == 1 { "is" } else { "are" }
            ),
            ParseError::Height { width, rows } => write!(
                f,
                "the board has {rows} row{} of {width} square{}, and is not square",
                plural(*rows),
                plural(*width)
            ),
            ParseError::Rest { width, rows } => write!(
                f,
                "after the last whole board, {rows} row{} of {width} square{} {} left",
                plural(*rows),
                plural(*width),
                if *rows == 1 { "is" } else { "are" }
            ),
            ParseError::Fields { expected, got } => {
                write!(
                    f,
                    "the line has {got} value{}, but the header has {expected}",
                    plural(*got)
                )
            }
            ParseError::Size { expected, got } => write!(
                f,
                "the placement is on a board of {got} by {got}, not {expected} by {expected}"
            ),
            ParseError::Json(error) => write!(f, "not a placement in JSON: {error}"),
            ParseError::TooLong => f.write_str("this is longer than any placement"),
            ParseError::Placement(error) => error.fmt(f),
            ParseError::Solution(error) => error.fmt(f),
        }
    }
}

impl Error for ParseError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // This error shows the text of the inner one, which need not appear twice.
        match self {
            ParseError::Placement(error) => error.source(),
            ParseError::Solution(error) => error.source(),
            _ => None,
        }
    }
}

impl From<PlacementError> for ParseError {
    fn from(error: PlacementError) -> ParseError {
        ParseError::Placement(error)
    }
}

/// Reads one placement and says in which format it was.
///
/// ```
/// use queens::format::{Format, parse};
///
/// let (format, placement) = parse("1Q2/3Q/Q3/2Q1")?;
/// assert_eq!(format, Format::Fen);
/// assert_eq!(placement.cols(), Some(vec![1, 3, 0, 2]));
/// # Ok::<(), queens::format::ParseError>(())
/// ```
///
/// # Errors
///
/// If the text is not exactly one placement.
pub fn parse(text: &str) -> Result<(Format, Placement), ParseError> {
    let mut reader = Reader::new(None);
    let placement = reader.only(text)?;
    let format = reader.format().ok_or(ParseError::Empty)?;
    Ok((format, placement))
}

impl Format {
    /// Reads one placement in this format.
    ///
    /// ```
    /// use queens::format::Format;
    ///
    /// // Told the format, the reader does not need the brackets.
    /// let placement = Format::ZeroBased.parse("1 3 0 2")?;
    /// assert_eq!(placement.cols(), Some(vec![1, 3, 0, 2]));
    /// # Ok::<(), queens::format::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not exactly one placement in this format.
    pub fn parse(self, text: &str) -> Result<Placement, ParseError> {
        Reader::new(Some(self)).only(text)
    }
}

/// The format that a line appears to be the first line of, blanks and comments removed.
fn detect(line: &str) -> Option<Format> {
    let line = line.trim();
    let only = |signs: &str| line.chars().all(|c| signs.contains(c) || c == ' ');
    match line.chars().next()? {
        '(' => return Some(Format::Tuple),
        '[' => return Some(Format::ZeroBased),
        '{' => return Some(Format::Json),
        _ => {}
    }
    let turn = line.split_whitespace().nth(1);
    if line.contains('/') || matches!(turn, Some("w" | "b")) {
        Some(Format::Fen)
    } else if line.contains(['♛', '♕', '·', '□', '■', '▒']) {
        Some(Format::Unicode)
    } else if csv::is_header(line) || line.contains(',') && only("0123456789,-") {
        Some(Format::Csv)
    } else if only("Qq.-_*#") {
        Some(Format::Board)
    } else if only("0123456789-") {
        Some(Format::Tuple)
    } else {
        None
    }
}

/// Whether a line is the last one of the course program: `4-Queens has 2 solutions`.
fn is_total(line: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parts = line.trim().split_once("-Queens has ");
    parts.is_some_and(|(n, rest)| {
        let count = rest.strip_suffix(" solutions");
        number(n) && count.is_some_and(number)
    })
}

/// Whether a line is the upper or lower edge of a board with a frame, as `queens show` draws it.
fn is_edge(line: &str) -> bool {
    line.trim().chars().all(|c| "┌─┐└┘".contains(c))
}

/// Reads a stream of placements, line by line.
///
/// ```
/// use queens::format::Reader;
///
/// let mut reader = Reader::new(None);
/// assert!(reader.line(". Q")?.is_none());
/// let placement = reader.line("Q .")?.expect("two rows make a board of two");
/// assert_eq!(placement.cols(), Some(vec![1, 0]));
/// assert!(reader.finish()?.is_none());
/// # Ok::<(), queens::format::ParseError>(())
/// ```
#[derive(Debug)]
pub struct Reader {
    format: Option<Format>,
    /// What the caller said about lists of columns.
    told: Told,
    /// What the last placement was taken to count from, if it does not tell.
    doubt: Option<Origin>,
    may_be_part: bool,
    /// The lines so far of a bracketed placement that is not closed yet.
    open: String,
    depth: i64,
    /// The rows so far of a board.
    width: usize,
    row: usize,
    queens: Vec<Square>,
    /// Whether a board was completed before.
    after_board: bool,
    shape: Option<csv::Shape>,
}

impl Reader {
    /// The most bytes of a line, and of the lines of one placement in brackets: 20 for each
    /// row of the largest board, which is more than any format needs. A stream without an
    /// end of line is refused here, before it fills the memory: whatever the input, a reader
    /// and its placement take half a gigabyte at most.
    pub const LONGEST: usize = 20 * Placement::MAX_N;

    /// A reader of this format, or of the format that the first line turns out to have.
    pub fn new(format: Option<Format>) -> Reader {
        // A caller who names a format knows what it counts from.
        let origin = match format {
            Some(Format::Tuple | Format::Csv) => Some(Origin::One),
            Some(Format::ZeroBased) => Some(Origin::Zero),
            _ => None,
        };
        Reader {
            format,
            told: Told { origin, n: None },
            doubt: None,
            may_be_part: false,
            open: String::new(),
            depth: 0,
            width: 0,
            row: 0,
            queens: Vec::new(),
            after_board: false,
            shape: None,
        }
    }

    /// Says what columns count from in `tuple`, `zero-based` and `csv`. Without it the numbers
    /// decide, or else the format.
    ///
    /// ```
    /// use queens::Origin;
    /// use queens::format::Reader;
    ///
    /// let mut reader = Reader::new(None);
    /// reader.line("(2, 0, 0, 3)")?;
    /// assert_eq!(reader.doubt(), Some(Origin::One));
    ///
    /// let mut reader = Reader::new(None).origin(Origin::Zero);
    /// let placement = reader.line("(2, 0, 0, 3)")?.expect("a list is one placement");
    /// assert_eq!(placement.cols(), Some(vec![2, 0, 0, 3]));
    /// assert_eq!(reader.doubt(), None);
    /// # Ok::<(), queens::ParseError>(())
    /// ```
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Reader {
        self.told.origin = Some(origin);
        self
    }

    /// Says how large the board is. A list of fewer columns gives the first rows, and the rows
    /// below are empty. A placement of another size is refused.
    ///
    /// ```
    /// use queens::format::Reader;
    ///
    /// // A line of `queens trace 6`: on a board of 2 rows it would make no sense.
    /// let mut reader = Reader::new(None);
    /// assert!(reader.line("(0, 4)").is_err());
    ///
    /// let mut reader = Reader::new(None).size(6);
    /// let placement = reader.line("(0, 4)")?.expect("a list is one placement");
    /// assert_eq!(placement.to_string(), "(1, 5, -, -, -, -)");
    /// # Ok::<(), queens::ParseError>(())
    /// ```
    #[must_use]
    pub fn size(mut self, n: usize) -> Reader {
        self.told.n = Some(n);
        self
    }

    /// What the columns of the last placement were taken to count from, if neither its numbers
    /// nor the caller told.
    pub fn doubt(&self) -> Option<Origin> {
        self.doubt
    }

    /// Whether the last placement was a list of columns from 1, with 0 for an empty row, that may
    /// also be the first rows of a larger board, from 0: `(0, 2)`. [`Reader::size`] settles it.
    pub fn may_be_part(&self) -> bool {
        self.may_be_part
    }

    /// The format, once it is known.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// Takes the next line; returns the placement that it completes, if it completes one.
    ///
    /// # Errors
    ///
    /// If the line makes no sense where it stands. The reader cannot go on after that.
    pub fn line(&mut self, line: &str) -> Result<Option<Placement>, ParseError> {
        if line.len() > Self::LONGEST {
            return Err(ParseError::TooLong);
        }
        // A byte order mark, as some editors leave it, is no part of the text.
        let line = line.trim_start_matches('\u{feff}');
        // In JSON only whole lines can be comments: `#` may stand in a string. In a drawing it is a
        // blocked square.
        let bare = match line.find('#') {
            Some(_) if self.is_drawn(line) => line,
            Some(at) if self.format != Some(Format::Json) || line[..at].trim().is_empty() => {
                &line[..at]
            }
            _ => line,
        };
        if bare.trim().is_empty() || is_total(bare) || is_edge(bare) {
            return Ok(None);
        }
        let format = match self.format {
            Some(format) => format,
            None => {
                let format = detect(bare).ok_or_else(|| unrecognised(bare))?;
                self.format = Some(format);
                format
            }
        };
        self.doubt = None;
        self.may_be_part = false;
        let read = match format {
            Format::Tuple | Format::ZeroBased => {
                let usual = match format {
                    Format::ZeroBased => Origin::Zero,
                    _ => Origin::One,
                };
                let told = self.told;
                let Some(text) = self.bracketed(bare)? else {
                    return Ok(None);
                };
                self.list(tuple::read(&text, told, usual)?)
            }
            Format::Json => match self.bracketed(bare)? {
                Some(text) => json::read(&text).map(Some),
                None => Ok(None),
            },
            Format::Board | Format::Unicode => self.board_row(bare),
            Format::Fen => fen::read(bare.trim_end()).map(Some),
            Format::Csv if csv::is_header(bare.trim()) => {
                self.shape = Some(csv::read_header(bare.trim()));
                Ok(None)
            }
            Format::Csv => self.list(csv::read(bare, self.shape, self.told)?),
        };
        match (read?, self.told.n) {
            (Some(placement), Some(n)) if placement.n() != n => Err(ParseError::Size {
                expected: n,
                got: placement.n(),
            }),
            (read, _) => Ok(read),
        }
    }

    /// Whether a line with `#` is a row of a board and no comment. It has nothing but squares; in
    /// the first row, also a sign that is sure to be a square, or else only `#` with blanks between
    /// them.
    fn is_drawn(&self, line: &str) -> bool {
        if !matches!(self.format, None | Some(Format::Board | Format::Unicode)) {
            return false;
        }
        let sure = |c: char| ".Qq♛♕·□■▒".contains(c);
        let square = |c: char| c.is_whitespace() || "#-_*│".contains(c) || sure(c);
        let begins = || {
            let blocked = |word: &str| word == "#";
            line.contains(sure) || line.contains("# #") && line.split_whitespace().all(blocked)
        };
        line.chars().all(square) && (self.row > 0 || begins())
    }

    /// Hands over a placement that was a list, and notes what is uncertain about it.
    fn list(&mut self, columns: tuple::Columns) -> Result<Option<Placement>, ParseError> {
        self.doubt = columns.doubt;
        self.may_be_part = columns.may_be_part;
        Ok(Some(columns.placement))
    }

    /// Reads a text that is one placement.
    ///
    /// # Errors
    ///
    /// If the text is not exactly one placement.
    pub fn only(&mut self, text: &str) -> Result<Placement, ParseError> {
        let mut found: Option<Placement> = None;
        let lines = text.lines().map(Some).chain([None]);
        for line in lines {
            let placement = match line {
                Some(line) => self.line(line)?,
                // More rows than one board has: they are all of one that is not square.
                None => self.finish().map_err(|error| match (error, &found) {
                    (ParseError::Rest { width, rows }, Some(board)) if board.n() == width => {
                        let rows = width + rows;
                        ParseError::Height { width, rows }
                    }
                    (error, _) => error,
                })?,
            };
            if let Some(placement) = placement
                && found.replace(placement).is_some()
            {
                return Err(ParseError::Several);
            }
        }
        found.ok_or(ParseError::Empty)
    }

    /// Ends the stream.
    ///
    /// # Errors
    ///
    /// If a placement was begun and not completed.
    pub fn finish(&mut self) -> Result<Option<Placement>, ParseError> {
        if !self.open.is_empty() {
            let bracket = self.open.trim_start().chars().next();
            return Err(ParseError::Unclosed(bracket.unwrap_or('(')));
        }
        if self.row > 0 {
            let (width, rows) = (self.width, self.row);
            return Err(match self.after_board {
                true => ParseError::Rest { width, rows },
                false => ParseError::Height { width, rows },
            });
        }
        Ok(None)
    }

    /// Collects lines until all brackets are closed, and gives them back together.
    fn bracketed<'a>(&mut self, line: &'a str) -> Result<Option<Cow<'a, str>>, ParseError> {
        for c in line.chars() {
            match c {
                '(' | '[' | '{' => self.depth += 1,
                ')' | ']' | '}' => self.depth -= 1,
                _ => {}
            }
        }
        if self.open.len() + line.len() > Self::LONGEST {
            return Err(ParseError::TooLong);
        }
        if self.depth > 0 {
            self.open.push_str(line);
            self.open.push('\n');
            return Ok(None);
        }
        self.depth = 0;
        if self.open.is_empty() {
            return Ok(Some(Cow::Borrowed(line.trim())));
        }
        let mut text = std::mem::take(&mut self.open);
        text.push_str(line);
        Ok(Some(Cow::Owned(text)))
    }

    /// Collects rows until there are as many as the first one is wide.
    fn board_row(&mut self, line: &str) -> Result<Option<Placement>, ParseError> {
        let got = board::read_row(line, self.row, &mut self.queens)?;
        if self.row == 0 && got > Placement::MAX_N {
            return Err(PlacementError::TooLarge(got).into());
        } else if self.row == 0 {
            self.width = got;
        } else if got != self.width {
            let (row, expected) = (self.row, self.width);
            return Err(ParseError::Width { row, expected, got });
        }
        self.row += 1;
        if self.row < self.width {
            return Ok(None);
        }
        self.row = 0;
        self.after_board = true;
        let queens = std::mem::take(&mut self.queens);
        Ok(Some(Placement::new(self.width, queens)?))
    }
}

/// The ending of a noun after a number.
fn plural(number: usize) -> &'static str {
    if number == 1 { "" } else { "s" }
}

/// Quotes the beginning of a line that no format fits.
fn unrecognised(line: &str) -> ParseError {
    ParseError::Unrecognised(quoted(line.trim(), 40))
}

/// The beginning of a text, for a message: at most `most` characters, control characters escaped.
pub(crate) fn quoted(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for c in text.chars().take(most) {
        match c.is_control() {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cols(text: &str) -> (Format, Vec<usize>) {
        let (format, placement) = parse(text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        (format, placement.cols().expect("one queen per row"))
    }

    #[test]
    fn every_format_is_detected_and_so_are_its_careless_spellings() {
        let solution = vec![1, 3, 0, 2];
        for (text, format) in [
            ("(2, 4, 1, 3)", Format::Tuple),
            ("\n  (2,4,\n   1,3)\n", Format::Tuple),
            ("(2 4 1 3) # class of 2", Format::Tuple),
            ("[1, 3, 0, 2]", Format::ZeroBased),
            (". Q . .\n. . . Q\nQ . . .\n. . Q .\n", Format::Board),
            (".Q..\r\n...Q\r\nQ...\r\n..Q.\r\n", Format::Board),
            ("# class of 2\n-q--\n---q\nq---\n--q-", Format::Board),
            // `#` is a blocked square in a drawing, and a comment elsewhere.
            ("# Q . .\n. . . q\nq . . #\n# # q #", Format::Board),
            ("#q--\n#--q\nq--#\n--q-", Format::Board),
            ("# ----\n-q--\n---q\nq---\n--q-", Format::Board),
            (
                "┌───────┐\n│ ▒ ♛ · ▒ │\n│ · · ▒ ♕ │\n│ ♕ · · · │\n│ ▒ ▒ ♕ · │\n└───────┘",
                Format::Unicode,
            ),
            ("· ♛ · ·\n· · · ♛\n♛ · · ·\n· · ♛ ·", Format::Unicode),
            ("□♕□■\n■□■♕\n♕■□■\n■□♕□", Format::Unicode),
            ("1Q2/3Q/Q3/2Q1 w - - 0 1", Format::Fen),
            ("1q2/3q/q3/2q1", Format::Fen),
            ("{\"n\":4,\"cols\":[1,3,0,2]}", Format::Json),
            ("{\n \"cols\": [\n1,\n3,0,2]\n}", Format::Json),
            (
                "{\"n\":4,\"queens\":[[2,0],[0,1],[1,3],[3,2]]}",
                Format::Json,
            ),
            ("row1,row2,row3,row4\n2,4,1,3\n", Format::Csv),
            ("row1,row2,row3,row4,class_size\n2,4,1,3,2\n", Format::Csv),
            ("\u{feff}2,4,1,3", Format::Csv),
            ("2 4 1 3", Format::Tuple),
            ("2413", Format::Tuple),
            ("1302", Format::Tuple),
            ("(2, 4, 1, 3)\n4-Queens has 1 solutions\n", Format::Tuple),
            // In either kind of brackets, from 0 or from 1: the numbers tell.
            ("(1, 3, 0, 2)", Format::Tuple),
            ("1 3 0 2", Format::Tuple),
            ("1,3,0,2", Format::Csv),
            ("[2, 4, 1, 3]", Format::ZeroBased),
        ] {
            assert_eq!(cols(text), (format, solution.clone()), "{text:?}");
        }
    }

    #[test]
    fn broken_text_is_refused_with_its_own_reason() {
        for (text, reason) in [
            ("", "no placement"),
            ("# nothing here\n\n", "no placement"),
            ("hello", "cannot tell the format of `hello`"),
            ("(1, 2", "the `(` is never closed"),
            ("(1, x)", "`x` is not a column"),
            ("(1,,2)", "`` is not a column"),
            ("(1, 3)", "(2, 3) is off the 2 by 2 board"),
            ("(-1, 2)", "`-1` is not a column"),
            ("[-2, 1]", "`-2` is not a column"),
            ("(99999999999999999999)", "is not a column"),
            ("(1, 2)\n(2, 1)", "more than one placement"),
            ("Q.\n.Q.", "row 2 has 3 squares where 2 are expected"),
            ("Q..\n.Q.", "2 rows of 3 squares, and is not square"),
            ("Q..", "1 row of 3 squares, and is not square"),
            (
                "Q..\n.Q.\n...\n...",
                "4 rows of 3 squares, and is not square",
            ),
            ("Q.\n.K", "`K` is neither"),
            ("1Q/Q", "row 2 has 1 square where 2 are expected"),
            (
                ".\n..",
                "after the last whole board, 1 row of 2 squares is left",
            ),
            ("1Q2/3Q", "2 rows of 4 squares"),
            ("1K/K1", "`K` is neither"),
            (
                "99999999999999999999999/1",
                "`99999999999999999999999` is not a column",
            ),
            ("{\"n\":4,\"cols\":[1]}", "n is 4, but cols has 1 elements"),
            ("{\"queens\":[[0,0]]}", "either cols, or both n and queens"),
            ("{\"n\":2,\"queens\":[[0,0],[0,0]]}", "named twice"),
            (
                "{\"n\":\"x\"}",
                "not a placement in JSON: at line 1, column 8: n is a number",
            ),
            (
                "{\"n\":4,\"queens\":[[0,1,2]]}",
                "the text makes no sense at line 1",
            ),
            (
                "{\"n\":9999999999,\"queens\":[]}",
                "board of size 9999999999 is too large",
            ),
            ("row1,row2\n1,2,3", "has 3 values, but the header has 2"),
        ] {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.contains(reason), "{text:?}: {message}");
        }
    }

    #[test]
    fn a_stream_hands_over_each_placement_as_it_is_completed() {
        let mut reader = Reader::new(None);
        let text = "# class of 2\n.Q\nQ.\n\nQ.\n.Q\n";
        let complete: Vec<bool> = text
            .lines()
            .map(|line| reader.line(line).unwrap().is_some())
            .collect();
        assert_eq!(complete, [false, false, true, false, false, true]);
        assert_eq!(reader.finish(), Ok(None));
        assert_eq!(reader.line("Q."), Ok(None));
        let rest = reader.finish().unwrap_err();
        assert_eq!(
            rest.to_string(),
            "after the last whole board, 1 row of 2 squares is left"
        );
    }

    #[test]
    fn endless_text_is_refused_and_hardly_quoted() {
        let (longest, most) = (Reader::LONGEST, Placement::MAX_N);
        let line = &format!("{}\n", "1, ".repeat(500));
        // A text is a beginning, something that comes again and again, and an end.
        for (begin, middle, times, end, reason) in [
            ("", "x", longest + 1, "", "longer than any placement"),
            (
                "(",
                line,
                longest / line.len() + 1,
                "",
                "longer than any placement",
            ),
            ("", ".", most + 1, "", "is too large"),
            ("(", "1,", most + 1, "1)", "is too large"),
            ("1", ",1", most + 1, "", "is too large"),
            (
                "{\"cols\":[1",
                ",1",
                most,
                "]}",
                "more than 10000000 elements",
            ),
            ("", "Q", most + 1, "/", "more than 10000000 squares"),
            ("(", "x", 1_000_000, ")", "xxx…` is not a column"),
            ("", "9", 1_000_000, "/1", "999…` is not a column"),
            (
                "{\"n\":\"",
                "x",
                1_000_000,
                "\"}",
                "not a placement in JSON",
            ),
            (
                "Q",
                "\u{1b}[2J",
                1,
                "",
                "cannot tell the format of `Q\\u{1b}[2J`",
            ),
            ("Q.\n", "\u{1b}Q", 1, "", "`\\u{1b}` is neither a queen"),
        ] {
            let text = [begin, &middle.repeat(times), end].concat();
            let message = parse(&text).unwrap_err().to_string();
            let start: String = text.chars().take(20).collect();
            assert!(message.contains(reason), "{start:?}: {message:.300}");
            assert!(message.len() < 300, "{start:?}: {} bytes", message.len());
        }
    }

    #[test]
    fn a_row_without_a_queen_is_a_sign_or_the_number_before_the_first_column() {
        let rows = |text: &str| parse(text).unwrap().1;
        let two = Placement::from_rows([Some(1), Some(3), None, None]).unwrap();
        for text in [
            "(2, 4, -, -)",
            "(2, 4, 0, 0)",
            "[1, 3, -1, -1]",
            "[1, 3, -, -1]",
            "2 4 - -",
            "2,4,0,0",
            "row1,row2,row3,row4\n2,4,0,0",
        ] {
            assert_eq!(rows(text), two, "{text}");
        }
        let one_empty = Placement::from_rows([Some(0), None]).unwrap();
        for format in [Format::Tuple, Format::Csv] {
            assert_eq!(format.parse("1, 0"), Ok(one_empty.clone()));
        }
    }

    #[test]
    fn below_a_header_the_columns_tell_what_they_count_from_or_else_the_header_does() {
        for (text, tuple) in [
            ("row1,row2,row3,row4\n2,4,1,3", "(2, 4, 1, 3)"),
            ("row1,row2,row3,row4\n1,3,0,2", "(2, 4, 1, 3)"),
            ("row1,row2,row3,row4,class_size\n1,3,0,2,4", "(2, 4, 1, 3)"),
            ("row0,row1,row2,row3\n1,3,0,2", "(2, 4, 1, 3)"),
            ("row0,row1,row2,row3\n1,1,2,2", "(2, 2, 3, 3)"),
            ("row1,row2,row3,row4\n1,1,2,2", "(1, 1, 2, 2)"),
            ("row1,row2,row3,row4\n2,4,0,0", "(2, 4, -, -)"),
            ("row1,row2,row3,row4\n1,0,0,2", "(1, -, -, 2)"),
            ("row1,row2,row3,row4\n1,3,-,2", "(1, 3, -, 2)"),
            ("row1\n-", "(-)"),
        ] {
            let mut reader = Reader::new(None);
            let placement = reader.only(text).unwrap();
            assert_eq!(placement.to_string(), tuple, "{text}");
            // The header leaves nothing to doubt.
            assert_eq!((reader.doubt(), reader.may_be_part()), (None, false));
        }
    }

    #[test]
    fn what_the_caller_says_wins_over_the_header() {
        for header in ["row0,row1,row2,row3", "row1,row2,row3,row4"] {
            for (origin, tuple) in [
                (Origin::Zero, "(2, 2, 3, 3)"),
                (Origin::One, "(1, 1, 2, 2)"),
            ] {
                let text = format!("{header}\n1,1,2,2");
                let placement = Reader::new(None).origin(origin).only(&text).unwrap();
                assert_eq!(placement.to_string(), tuple, "{header}, {origin}");
            }
        }
    }

    #[test]
    fn lines_are_detected_in_the_order_of_the_table() {
        for (line, format) in [
            ("- - -", Format::Board),
            ("#.Q", Format::Board),
            ("▒ ·", Format::Unicode),
            ("▒", Format::Unicode),
            ("class_size", Format::Csv),
            ("1 - 3", Format::Tuple),
        ] {
            assert_eq!(detect(line), Some(format), "{line}");
        }
    }

    #[test]
    fn errors_count_from_what_is_asked_for() {
        for (text, from_0) in [
            ("(1, 3, 5, 2)", "(2, 4) is off the 4 by 4 board"),
            ("Q.\n.Q.", "row 1 has 3 squares"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(format!("{error:#}").contains(from_0), "{error:#}");
        }
    }

    #[test]
    fn a_board_that_was_said_to_be_huge_is_refused_before_anything_is_kept() {
        let huge = Placement::MAX_N + 1;
        let read = Reader::new(None).size(huge).only("(0, 4)");
        assert_eq!(read, Err(PlacementError::TooLarge(huge).into()));
    }

    #[test]
    fn the_reader_says_when_it_does_not_know_what_columns_count_from() {
        for (text, doubt) in [
            ("(2, 4, 1, 3)", None),
            ("(1, 3, 0, 2)", None),
            ("(2, 0, 0, 0)", Some(Origin::One)),
            ("(2, -, -, -)", None),
            ("(2, 2, 2, 2)", Some(Origin::One)),
            ("[2, 2, 2, 2]", Some(Origin::Zero)),
            ("2,2,2,2", Some(Origin::One)),
            ("Q.\n.Q", None),
            ("{\"cols\":[1,1,1]}", None),
        ] {
            let mut reader = Reader::new(None);
            let read = reader.only(text).unwrap();
            assert_eq!(reader.doubt(), doubt, "{text}");
            // A reader that is told has no doubt.
            for origin in [Origin::Zero, Origin::One] {
                let mut reader = Reader::new(None).origin(origin);
                let told = reader.only(text);
                assert_eq!(reader.doubt(), None, "{text}");
                if doubt == Some(origin) {
                    assert_eq!(told, Ok(read.clone()), "{text}");
                }
            }
        }
    }

    #[test]
    fn told_the_size_the_reader_takes_the_first_rows() {
        let on_six = |text: &str| Reader::new(None).size(6).only(text);
        for (text, cols) in [
            ("(0, 4)", &[0, 4][..]),
            ("[0, 4]", &[0, 4]),
            ("0 4", &[0, 4]),
            ("04", &[0, 4]),
            ("(0, 2)", &[0, 2]),
            ("(6, 2)", &[5, 1]),
            ("(1, 3)", &[0, 2]),
            ("[1, 3]", &[1, 3]),
            ("1,6", &[0, 5]),
            ("()", &[]),
            ("(1, 3, 5, 0, 2, 4)", &[1, 3, 5, 0, 2, 4]),
        ] {
            let rows = cols.iter().copied().map(Some);
            let rows = rows.chain(std::iter::repeat(None)).take(6);
            assert_eq!(
                on_six(text),
                Ok(Placement::from_rows(rows).unwrap()),
                "{text}"
            );
        }
        for (text, reason) in [
            ("(1, 2, 3, 4, 5, 6, 7)", "on a board of 7 by 7, not 6 by 6"),
            ("Q.\n.Q", "on a board of 2 by 2, not 6 by 6"),
            (
                "{\"n\":2,\"cols\":[0,1]}",
                "on a board of 2 by 2, not 6 by 6",
            ),
            ("(0, 7)", "off the 6 by 6 board"),
        ] {
            let message = on_six(text).unwrap_err().to_string();
            assert!(message.contains(reason), "{text:?}: {message}");
        }
        for (text, may) in [("(0, 2)", true), ("(2, 4, 0, 0)", true), ("(0, 1)", false)] {
            let mut reader = Reader::new(None);
            reader.only(text).unwrap();
            assert_eq!(reader.may_be_part(), may, "{text}");
            // A reader that is told what columns count from has no doubt.
            let mut told = Reader::new(None).origin(Origin::One);
            told.only(text).unwrap();
            assert!(!told.may_be_part());
        }
    }

    #[test]
    fn told_the_format_the_reader_takes_bare_numbers() {
        let told = |format: Format, text| format.parse(text).unwrap().cols();
        assert_eq!(told(Format::Tuple, "2 4 1 3"), Some(vec![1, 3, 0, 2]));
        assert_eq!(told(Format::Tuple, "2413"), Some(vec![1, 3, 0, 2]));
        assert_eq!(told(Format::ZeroBased, "1,3,0,2"), Some(vec![1, 3, 0, 2]));
        assert_eq!(told(Format::Tuple, "()"), Some(vec![]));
    }
}
