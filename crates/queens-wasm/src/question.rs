//! Questions, which are also the links of the page: `watch?n=8&style=bits&at=120`.
//!
//! A link may be typed by hand, cut off by a mail program or made up by a stranger, so nothing
//! in it is trusted. Every value is read with the range or the words it may have; if it does
//! not fit, the answer is a sentence that a person can act on. A value that is left out gets
//! its default; unknown names are ignored.

use std::fmt::Display;
use std::str::FromStr;

use queens::json::Object;
use queens::{Board, Placement, Solution, SolutionError, Square};

/// A verb and its values.
pub struct Question<'a> {
    verb: &'a str,
    values: Vec<(&'a str, &'a str)>,
}

/// An answer in JSON, or a sentence saying why there is none.
pub type Answer = Result<Object, String>;

impl<'a> Question<'a> {
    pub fn parse(text: &'a str) -> Result<Question<'a>, String> {
        let (verb, rest) = text.split_once('?').unwrap_or((text, ""));
        let mut values = Vec::new();
        for pair in rest.split('&').filter(|pair| !pair.is_empty()) {
            let value = pair
                .split_once('=')
                .ok_or_else(|| format!("The link says “{pair}”, which sets nothing."))?;
            if values.iter().any(|(key, _)| *key == value.0) {
                return Err(format!("The link sets “{}” twice.", value.0));
            }
            values.push(value);
        }
        Ok(Question { verb, values })
    }

    pub fn verb(&self) -> &'a str {
        self.verb
    }

    /// A value as it stands.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.value(key)
    }

    fn value(&self, key: &str) -> Option<&'a str> {
        self.values.iter().find(|v| v.0 == key).map(|v| v.1)
    }

    /// A number within a range.
    pub fn number<T>(&self, key: &str, least: T, most: T, default: T) -> Result<T, String>
    where
        T: FromStr + PartialOrd + Display,
    {
        let Some(value) = self.value(key) else {
            return Ok(default);
        };
        let digits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
        match value.parse::<T>() {
            Ok(number) if digits && least <= number && number <= most => Ok(number),
            _ if digits => Err(format!(
                "{} cannot be {value}: here it goes from {least} to {most}.",
                self.name_of(key)
            )),
            _ => Err(format!(
                "{} has to be a whole number from {least} to {most}, not “{value}”.",
                self.name_of(key)
            )),
        }
    }

    /// The size of the board, up to the limit of the room.
    pub fn n(&self, default: usize) -> Result<usize, String> {
        self.number("n", 1, crate::LARGEST_N, default)
    }

    /// One of some words; the first is the default.
    pub fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<T, String> {
        let value = self.value(key).unwrap_or(words[0].0);
        let found = words.iter().find(|(word, _)| *word == value);
        found.map(|(_, what)| *what).ok_or_else(|| {
            let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            format!(
                "{} cannot be “{value}”; it is one of {}.",
                self.name_of(key),
                known.join(", ")
            )
        })
    }

    /// The refusal of a board or of squares in a link. It names squares as the page does.
    fn unfit(&self, error: impl Display) -> String {
        match self.value("origin") {
            Some("1") => format!("The link does not fit: {error}."),
            _ => format!("The link does not fit: {error:#}."),
        }
    }

    /// Queens written as `row.col`, joined by `-`, from 0: `0.3-1.5`.
    pub fn queens(&self, n: usize) -> Result<Placement, String> {
        Placement::new(n, self.squares("queens")?).map_err(|e| self.unfit(e))
    }

    /// The board with its given queens and blocked squares, and all queens on it, given and
    /// placed.
    pub fn board(&self, n: usize) -> Result<(Board, Placement), String> {
        let given = self.squares("given")?;
        let board = Board::new(n).with_given(given.clone());
        let board = board.map_err(|e| self.unfit(e))?;
        let board = board.with_blocked(self.squares("blocked")?);
        let board = board.map_err(|e| self.unfit(e))?;
        let queens = [given, self.squares("queens")?].concat();
        if queens.iter().any(|&queen| board.is_blocked(queen)) {
            return Err(self.unfit("a queen stands on a blocked square"));
        }
        let placement = Placement::new(n, queens).map_err(|e| self.unfit(e))?;
        Ok((board, placement))
    }

    fn squares(&self, key: &str) -> Result<Vec<Square>, String> {
        let text = self.value(key).unwrap_or("");
        let bad = |part: &str| {
            format!(
                "The squares of a link look like 0.3-1.5, a row and a column each; “{part}” does not."
            )
        };
        let mut squares = Vec::new();
        for part in text.split('-').filter(|_| !text.is_empty()) {
            let (row, col) = part.split_once('.').ok_or_else(|| bad(part))?;
            let number = |text: &str| text.parse::<u8>().map_err(|_| bad(part));
            squares.push(Square::new(number(row)?.into(), number(col)?.into()));
        }
        Ok(squares)
    }

    /// The columns of the first rows, joined by `-`: `0-4`; nothing is an empty list.
    pub fn columns(&self, key: &str, n: usize) -> Result<Vec<usize>, String> {
        let text = self.value(key).unwrap_or("");
        let cols = text.split('-').filter(|_| !text.is_empty());
        let cols: Option<Vec<usize>> = cols
            .map(|col| col.parse().ok().filter(|&col| col < n))
            .collect();
        cols.ok_or_else(|| format!("Columns look like 0-4, each below {n}; “{text}” does not."))
    }

    /// A whole solution as the columns of its rows: `1-3-0-2`.
    pub fn solution(&self) -> Result<Solution, String> {
        let text = self.value("cols").unwrap_or("");
        let col = |col: &str| col.parse::<u8>().ok().map(usize::from);
        let cols: Option<Vec<usize>> = text.split('-').map(col).collect();
        let cols = cols.ok_or_else(|| {
            format!(
                "A solution of a link looks like 1-3-0-2, a column for each row; “{text}” does not."
            )
        })?;
        Solution::new(cols).map_err(|error| match error {
            SolutionError::Placement(error) => self.unfit(error),
            _ => format!(
                "({}) is no solution: queens attack each other.",
                text.replace('-', ", ")
            ),
        })
    }

    /// What a sentence calls a key.
    fn name_of<'k>(&self, key: &'k str) -> &'k str {
        match key {
            "n" if self.verb.starts_with("heat") => "The number of queens",
            "n" => "N",
            "at" | "step" => "The step",
            "style" => "The algorithm",
            "until" => "The end",
            "kind" => "The kind of solutions",
            "engine" => "The engine",
            "rows" => "The set of rows",
            "cols" => "The set of columns",
            "origin" => "The first row’s number",
            "code" => "The language",
            "day" => "The day",
            "number" => "The number of solutions",
            "seed" if self.verb.starts_with("heat") => "The seed",
            "seed" => "The puzzle",
            "class" => "The class",
            "mode" => "The kind of race",
            "from" => "The first solution shown",
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_names_and_default_when_left_out() {
        let q = Question::parse("watch?n=8&style=bits&&extra=1").unwrap();
        assert_eq!(q.verb(), "watch");
        assert_eq!(q.n(4), Ok(8));
        assert_eq!(q.number("at", 0, 9, 7), Ok(7));
        assert_eq!(q.word("style", &[("tuple", 1), ("bits", 2)]), Ok(2));
        assert_eq!(q.word("until", &[("all", 1), ("first", 2)]), Ok(1));
    }

    #[test]
    fn faults_are_told_in_sentences() {
        let fault = |text: &str| Question::parse(text).and_then(|q| q.n(4)).unwrap_err();
        assert_eq!(
            fault("watch?n=13"),
            "N cannot be 13: here it goes from 1 to 12."
        );
        assert!(fault("watch?n=99999999999999999999").contains("N cannot be 9999"));
        assert!(fault("watch?n=-1").contains("whole number"));
        assert!(fault("watch?n=+1").contains("whole number"));
        assert!(fault("watch?n=").contains("whole number"));
        assert!(fault("watch?n").contains("sets nothing"));
        assert!(fault("watch?n=4&n=5").contains("twice"));
    }

    #[test]
    fn queens_and_solutions_are_read_or_refused() {
        let queens = |text: &str| Question::parse(text).unwrap().queens(4);
        assert_eq!(queens("try").unwrap().queens().len(), 0);
        assert_eq!(
            queens("try?queens=0.1-3.2").unwrap().queens()[1],
            Square::new(3, 2)
        );
        for bad in ["0", "0.", "0.1-", "a.b", "0.1-0.1", "4.0", "0.999"] {
            assert!(queens(&format!("try?queens={bad}")).is_err(), "{bad}");
        }
        let board = |text: &str| Question::parse(text).unwrap().board(4);
        let (given, all) = board("try?given=0.1&blocked=3.3-2.2&queens=1.3").unwrap();
        assert_eq!(given.to_string(), ". Q . .\n. . . .\n. . # .\n. . . #");
        assert_eq!(all.queens().len(), 2);
        for bad in [
            "given=0.1-0.2",         // two given queens that attack each other
            "given=0.1&blocked=0.1", // one on a blocked square
            "given=0.1&queens=0.1",  // one that is given and placed
            "queens=2.2&blocked=2.2-1.1",
            "blocked=4.0",
        ] {
            assert!(board(&format!("try?{bad}")).is_err(), "{bad}");
        }
        let solution = |text: &str| Question::parse(text).unwrap().solution();
        assert_eq!(solution("images?cols=1-3-0-2").unwrap(), [1, 3, 0, 2]);
        for bad in ["", "1-3", "0-1-2-3", "1-3-0-x", "1-3-0-2-"] {
            assert!(solution(&format!("images?cols={bad}")).is_err(), "{bad}");
        }
    }
}
