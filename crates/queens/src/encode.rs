//! Boards for other solvers: SAT, exact cover, constraints, integer programming.
//!
//! The same problem in four languages, to try a solver of each kind and compare its answers with
//! ours. Squares are numbered from 1 by row and column, as people count. A given queen and a
//! blocked square become the simplest thing that the language has for "this one" and "not that
//! one".
//!
//! | encoding | language | read by |
//! |---|---|---|
//! | `dimacs` | clauses over one variable per square | minisat, cadical, kissat, sharpSAT |
//! | `xcc` | exact cover with secondary items, as Knuth's programs read it | DLX1, DLX2, XCC; DLX3 where `queens` is not `n` |
//! | `minizinc` | one variable per row, all different | minizinc with gecode, chuffed, OR-Tools |
//! | `lp` | 0-1 variables, sums of lines | glpk, cbc, scip, gurobi |
//!
//! Each is correct in both directions: solutions of the encoding and of the board correspond one to
//! one, so a solver that counts must count the same. If a board asks for fewer than `n` queens,
//! `dimacs` counts them with helper variables that follow from the squares.

use std::fmt;

use crate::line::Line;
use crate::named::named;
use crate::placement::Square;
use crate::puzzle::Board;

/// A language for other solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// Clauses for SAT solvers.
    Dimacs,
    /// Exact cover, as Knuth's programs read it.
    Xcc,
    /// A model for constraint solvers.
    MiniZinc,
    /// An integer program in the format of CPLEX.
    Lp,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Encoding; 4] = [
        Encoding::Dimacs,
        Encoding::Xcc,
        Encoding::MiniZinc,
        Encoding::Lp,
    ];

    /// One word: `dimacs`, `xcc`, `minizinc` or `lp`.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Dimacs => "dimacs",
            Encoding::Xcc => "xcc",
            Encoding::MiniZinc => "minizinc",
            Encoding::Lp => "lp",
        }
    }

    /// One line of explanation.
    pub fn summary(self) -> &'static str {
        match self {
            Encoding::Dimacs => "clauses for SAT solvers, such as cadical and minisat",
            Encoding::Xcc => "exact cover with secondary items, for Knuth's DLX and XCC programs",
            Encoding::MiniZinc => "a model for constraint solvers, through minizinc",
            Encoding::Lp => "a 0-1 program in CPLEX's format, for glpk, cbc, scip and gurobi",
        }
    }
}

/// The largest board worth encoding: it has more than a billion clauses.
pub const LARGEST_N: usize = 1_000;

named! {
    Encoding, "encoding",
    /// No encoding has this name.
    UnknownEncoding
}

/// Why a board is not encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The board is larger than [`LARGEST_N`].
    TooLarge {
        /// Its size.
        n: usize,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EncodeError::TooLarge { n } = self;
        write!(f, "boards up to n = {LARGEST_N} can be encoded, not {n}")
    }
}

impl std::error::Error for EncodeError {}

/// Translates a board. Displaying the result writes the text.
///
/// # Errors
///
/// When the board is larger than [`LARGEST_N`].
///
/// ```
/// use queens::Board;
/// use queens::encode::{Encoding, encode};
///
/// let text = encode(&Board::new(2), Encoding::Xcc)?.to_string();
/// assert_eq!(text, "\
/// r1 r2 c1 c2 | d-1 d0 d1 a2 a3 a4
/// r1 c1 d0 a2
/// r1 c2 d-1 a3
/// r2 c1 d1 a3
/// r2 c2 d0 a4
/// ");
/// assert!(encode(&Board::new(1_001), Encoding::Xcc).is_err());
/// # Ok::<(), queens::encode::EncodeError>(())
/// ```
pub fn encode(board: &Board, encoding: Encoding) -> Result<Encoded<'_>, EncodeError> {
    match board.n() {
        n if n > LARGEST_N => Err(EncodeError::TooLarge { n }),
        _ => Ok(Encoded { board, encoding }),
    }
}

/// A board in another language; see [`encode`].
#[derive(Clone, Copy, Debug)]
pub struct Encoded<'a> {
    board: &'a Board,
    encoding: Encoding,
}

impl Encoded<'_> {
    /// The number of variables and of clauses, where the language has them: `dimacs`.
    ///
    /// ```
    /// use queens::Board;
    /// use queens::encode::{Encoding, encode};
    ///
    /// let board = Board::new(2);
    /// assert_eq!(encode(&board, Encoding::Dimacs)?.size(), Some((4, 10)));
    /// assert_eq!(encode(&board, Encoding::Lp)?.size(), None);
    /// # Ok::<(), queens::encode::EncodeError>(())
    /// ```
    pub fn size(&self) -> Option<(usize, u64)> {
        (self.encoding == Encoding::Dimacs).then(|| size(self.board))
    }
}

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.encoding {
            Encoding::Dimacs => dimacs(self.board, f),
            Encoding::Xcc => xcc(self.board, f),
            Encoding::MiniZinc => minizinc(self.board, f),
            Encoding::Lp => lp(self.board, f),
        }
    }
}

/// The squares of every line of one kind, from the first line on.
fn lines(n: usize, line: Line) -> impl Iterator<Item = Vec<Square>> {
    let span = n as isize;
    let (first, last) = match line {
        Line::Row | Line::Column => (0, span - 1),
        Line::Diag => (1 - span, span - 1),
        Line::Anti => (0, 2 * span - 2),
    };
    (first..=last).map(move |number| {
        let col = |row: isize| match line {
            Line::Diag => row - number,
            _ => number - row,
        };
        match line {
            Line::Row => (0..n)
                .map(|col| Square::new(number as usize, col))
                .collect(),
            Line::Column => (0..n)
                .map(|row| Square::new(row, number as usize))
                .collect(),
            Line::Diag | Line::Anti => (0..span)
                .filter(|&row| (0..span).contains(&col(row)))
                .map(|row| Square::new(row as usize, col(row) as usize))
                .collect(),
        }
    })
}

/// Helper variables that count queens square by square. Variable `(s, j)` is true if and only if at
/// least `j` of the squares up to `s` hold queens. So the helpers follow from the squares and a
/// solver meets no solution twice.
struct Counter {
    squares: usize,
    most: usize,
}

impl Counter {
    /// The variable for "at least `j` among the first `s` squares", both from 1.
    fn variable(&self, s: usize, j: usize) -> usize {
        self.squares + (s - 1) * self.most + j
    }

    fn variables(&self) -> usize {
        self.squares * (1 + self.most)
    }

    /// Calls `clause` with every clause that ties the helpers to the squares and demands
    /// exactly `queens` queens.
    fn clauses(&self, queens: usize, clause: &mut dyn FnMut(&[i64]) -> fmt::Result) -> fmt::Result {
        for s in 1..=self.squares {
            for j in 1..=self.most {
                let here = self.variable(s, j) as i64;
                let square = s as i64;
                // What was true before this square: "at least j" and "at least j - 1".
                let before = (s > 1).then(|| self.variable(s - 1, j) as i64);
                let fewer = match (s, j) {
                    (_, 1) => None,
                    (1, _) => Some(None),
                    _ => Some(Some(self.variable(s - 1, j - 1) as i64)),
                };
                // here <-> before or (square and fewer), where a missing `before` is false, an
                // outer None of `fewer` is true and an inner one is false.
                match (before, fewer) {
                    (Some(before), None) => {
                        clause(&[-before, here])?;
                        clause(&[-square, here])?;
                        clause(&[-here, before, square])?;
                    }
                    (None, None) => {
                        clause(&[-square, here])?;
                        clause(&[-here, square])?;
                    }
                    (None, Some(_)) => clause(&[-here])?,
                    (Some(before), Some(None)) => {
                        clause(&[-before, here])?;
                        clause(&[-here, before])?;
                    }
                    (Some(before), Some(Some(fewer))) => {
                        clause(&[-before, here])?;
                        clause(&[-square, -fewer, here])?;
                        clause(&[-here, before, square])?;
                        clause(&[-here, before, fewer])?;
                    }
                }
            }
        }
        let total = |j: usize| self.variable(self.squares, j) as i64;
        if queens > 0 {
            clause(&[total(queens)])?;
        }
        if queens < self.most {
            clause(&[-total(queens + 1)])?;
        }
        Ok(())
    }
}

/// Calls `clause` with every clause of the board.
fn clauses(board: &Board, clause: &mut dyn FnMut(&[i64]) -> fmt::Result) -> fmt::Result {
    let n = board.n();
    let number = |square: &Square| (square.row * n + square.col + 1) as i64;
    for given in board.given() {
        clause(&[number(given)])?;
    }
    for blocked in board.blocked() {
        clause(&[-number(blocked)])?;
    }
    for line in Line::ALL {
        for squares in lines(n, line) {
            if board.queens() == n && matches!(line, Line::Row | Line::Column) {
                let numbers: Vec<i64> = squares.iter().map(number).collect();
                clause(&numbers)?;
            }
            for (k, one) in squares.iter().enumerate() {
                for other in &squares[k + 1..] {
                    clause(&[-number(one), -number(other)])?;
                }
            }
        }
    }
    if board.queens() > n {
        return clause(&[]);
    }
    match counter(board) {
        Some(counter) => counter.clauses(board.queens(), clause),
        None => Ok(()),
    }
}

/// The helpers that count queens, if rows may stay empty.
fn counter(board: &Board) -> Option<Counter> {
    (board.queens() < board.n()).then(|| Counter {
        squares: board.n() * board.n(),
        most: board.queens() + 1,
    })
}

/// The queens in a comment.
fn told(queens: usize) -> String {
    format!("{queens} queen{}", if queens == 1 { "" } else { "s" })
}

/// The number of variables and of clauses.
fn size(board: &Board) -> (usize, u64) {
    let mut number = 0;
    let counted = clauses(board, &mut |_| {
        number += 1;
        Ok(())
    });
    debug_assert_eq!(counted, Ok(()), "counting cannot fail");
    let squares = board.n() * board.n();
    let variables = counter(board).map_or(squares, |counter| counter.variables());
    (variables, number)
}

fn dimacs(board: &Board, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (n, queens) = (board.n(), board.queens());
    let (variables, number) = size(board);
    writeln!(f, "c {} on a board of {n} by {n}", told(queens))?;
    writeln!(
        f,
        "c square (row, col), both from 1, is variable (row - 1) * {n} + col"
    )?;
    writeln!(f, "p cnf {variables} {number}")?;
    clauses(board, &mut |literals| {
        for literal in literals {
            write!(f, "{literal} ")?;
        }
        writeln!(f, "0")
    })
}

/// The diagonals are named `d` and row - col, `a` and row + col, counted from 1.
fn xcc(board: &Board, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (n, queens) = (board.n(), board.queens());
    let whole = queens == n;
    let item = if whole { "" } else { "q " };
    if queens == 0 {
        // There must be something to cover: the item has one option, which is no square.
        f.write_str("q ")?;
    } else if !whole {
        // An item with a number, as Knuth's DLX3 reads it: exactly this many options have it.
        write!(f, "{queens}|q ")?;
    }
    // What must be covered comes before the bar: all rows and columns, or those of given queens.
    let given = |line: Line, number: usize| {
        let mut queens = board.given().iter();
        queens.any(|&queen| line.through(queen) == number as isize - 1)
    };
    let items = |must: bool| {
        [(Line::Row, 'r'), (Line::Column, 'c')]
            .into_iter()
            .flat_map(move |(line, letter)| (1..=n).map(move |number| (line, letter, number)))
            .filter(move |&(line, _, number)| (whole || given(line, number)) == must)
    };
    for (_, letter, number) in items(true) {
        write!(f, "{letter}{number} ")?;
    }
    f.write_str("|")?;
    for (_, letter, number) in items(false) {
        write!(f, " {letter}{number}")?;
    }
    let span = n as isize;
    for diag in 1 - span..span {
        write!(f, " d{diag}")?;
    }
    for anti in 2..=2 * n {
        write!(f, " a{anti}")?;
    }
    writeln!(f)?;
    if queens == 0 {
        return f.write_str("q\n");
    }
    for row in 0..n {
        let given = board.given().iter().find(|queen| queen.row == row);
        let free: Vec<Square> = match given {
            Some(&queen) => vec![queen],
            None => board.free_squares(row).collect(),
        };
        for Square { row, col } in free {
            let diag = row as isize - col as isize;
            let (row, col) = (row + 1, col + 1);
            writeln!(f, "{item}r{row} c{col} d{diag} a{}", row + col)?;
        }
    }
    Ok(())
}

fn minizinc(board: &Board, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (n, queens) = (board.n(), board.queens());
    writeln!(
        f,
        "% {} on a board of {n} by {n}; q[i] is the column of row i's queen",
        told(queens)
    )?;
    if queens == n {
        f.write_str("include \"alldifferent.mzn\";\n")?;
        write!(
            f,
            "array [1..{n}] of var 1..{n}: q;\n\
             constraint alldifferent(q);\n\
             constraint alldifferent([q[i] - i | i in 1..{n}]);\n\
             constraint alldifferent([q[i] + i | i in 1..{n}]);\n"
        )?;
    } else {
        write!(
            f,
            "% 0 stands for a row without a queen\n\
             array [1..{n}] of var 0..{n}: q;\n\
             constraint sum (i in 1..{n}) (bool2int(q[i] > 0)) = {queens};\n\
             constraint forall (i, j in 1..{n} where i < j) (\n    \
             q[i] = 0 \\/ q[j] = 0 \\/ (q[i] != q[j] /\\ abs(q[i] - q[j]) != j - i));\n"
        )?;
    }
    for queen in board.given() {
        writeln!(f, "constraint q[{}] = {};", queen.row + 1, queen.col + 1)?;
    }
    for square in board.blocked() {
        writeln!(f, "constraint q[{}] != {};", square.row + 1, square.col + 1)?;
    }
    f.write_str("solve satisfy;\noutput [\"(\" ++ join(\", \", [show(q[i]) | i in index_set(q)]) ++ \")\\n\"];\n")
}

fn lp(board: &Board, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (n, queens) = (board.n(), board.queens());
    let name = |square: &Square| format!("x_{}_{}", square.row + 1, square.col + 1);
    let all = || (0..n * n).map(|at| Square::new(at / n, at % n));
    // A sum over squares; lines of the format must stay short.
    let sum = |squares: &[Square], f: &mut fmt::Formatter<'_>| -> fmt::Result {
        for (k, square) in squares.iter().enumerate() {
            let plus = match k {
                0 => " ",
                k if k % 8 == 0 => "\n  + ",
                _ => " + ",
            };
            write!(f, "{plus}{}", name(square))?;
        }
        Ok(())
    };
    writeln!(
        f,
        "\\ {} on a board of {n} by {n}; x_i_j = 1 is a queen in row i and column j",
        told(queens)
    )?;
    if n == 0 {
        f.write_str("Minimize\n none: x\nSubject To\n zero: x = 0\n")?;
        if queens > 0 {
            // No square is left for them.
            writeln!(f, " queens: x = {queens}")?;
        }
        return f.write_str("Binaries\n x\nEnd\n");
    }
    writeln!(f, "Minimize\n none: 0 x_1_1\nSubject To")?;
    for line in Line::ALL {
        for (number, squares) in (1..)
            .zip(lines(n, line))
            .filter(|(_, s)| s.len() > 1 || n == 1)
        {
            let equal = queens == n && matches!(line, Line::Row | Line::Column);
            write!(f, " {line}_{number}:")?;
            sum(&squares, f)?;
            writeln!(f, " {} 1", if equal { "=" } else { "<=" })?;
        }
    }
    if queens != n {
        f.write_str(" queens:")?;
        sum(&all().collect::<Vec<_>>(), f)?;
        writeln!(f, " = {queens}")?;
    }
    for (number, queen) in (1..).zip(board.given()) {
        writeln!(f, " given_{number}: {} = 1", name(queen))?;
    }
    for (number, square) in (1..).zip(board.blocked()) {
        writeln!(f, " blocked_{number}: {} = 0", name(square))?;
    }
    f.write_str("Binaries\n")?;
    all().try_for_each(|square| writeln!(f, " {}", name(&square)))?;
    f.write_str("End\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::Placement;

    /// Reads clauses back.
    fn read(text: &str) -> (usize, Vec<Vec<i64>>) {
        let mut lines = text.lines().filter(|line| !line.starts_with('c'));
        let head = lines.next().unwrap();
        let variables = head.split(' ').nth(2).unwrap().parse().unwrap();
        let clauses: Vec<Vec<i64>> = lines
            .map(|line| {
                let numbers = line.split(' ').map(|number| number.parse().unwrap());
                numbers.take_while(|&number| number != 0).collect()
            })
            .collect();
        let announced: usize = head.split(' ').nth(3).unwrap().parse().unwrap();
        assert_eq!(clauses.len(), announced);
        (variables, clauses)
    }

    /// For every set of squares of a board, the clauses hold with exactly one choice of the
    /// helpers if the set answers the board, and with none if it does not.
    fn agrees(board: &Board) {
        let (n, squares) = (board.n(), board.n() * board.n());
        let (variables, clauses) = read(&encode(board, Encoding::Dimacs).unwrap().to_string());
        let helpers = counter(board);
        for set in 0u32..1 << squares {
            let mut values = vec![false; variables + 1];
            for (square, value) in values[1..=squares].iter_mut().enumerate() {
                *value = set >> square & 1 == 1;
            }
            // What the helpers mean; any other value breaks a clause, as the loop below checks.
            if let Some(counter) = &helpers {
                for s in 1..=squares {
                    let among = (set & ((1u64 << s) - 1) as u32).count_ones() as usize;
                    for j in 1..=counter.most {
                        values[counter.variable(s, j)] = among >= j;
                    }
                }
            }
            let holds = |values: &[bool]| {
                clauses.iter().all(|clause| {
                    let mut literals = clause.iter();
                    literals.any(|&l| values[l.unsigned_abs() as usize] == (l > 0))
                })
            };
            let queens = (0..squares)
                .filter(|square| set >> square & 1 == 1)
                .map(|square| Square::new(square / n, square % n));
            let placement = Placement::new(n, queens).unwrap();
            let answered = board.is_answered_by(&placement);
            assert_eq!(holds(&values), answered, "{board}\n{placement:?}");
            if answered {
                for helper in squares + 1..=variables {
                    values[helper] = !values[helper];
                    assert!(!holds(&values), "helper {helper} is free");
                    values[helper] = !values[helper];
                }
            }
        }
    }

    #[test]
    fn clauses_hold_exactly_for_the_answers_of_a_board() {
        let board = |text: &str| text.parse::<Board>().unwrap();
        agrees(&Board::new(1));
        agrees(&Board::new(4));
        agrees(&board(".Q..\n....\n....\n...."));
        agrees(&board("....\n#...\n....\n.#.."));
        for queens in 0..=3 {
            agrees(&Board::new(3).with_queens(queens).unwrap());
        }
        agrees(&board("..#\n...\nQ..").with_queens(2).unwrap());
        agrees(&Board::new(2).with_queens(3).unwrap());
    }

    #[test]
    fn an_exact_cover_has_an_option_for_every_free_square() {
        let board: Board = "Q....\n..#..\n.....\n.#...\n.....".parse().unwrap();
        let text = encode(&board, Encoding::Xcc).unwrap().to_string();
        let free: usize = (0..5).map(|row| board.free_squares(row).count()).sum();
        assert_eq!(text.lines().count(), 1 + 1 + free);
        assert!(text.contains("\nr1 c1 d0 a2\n"), "{text}");
    }

    #[test]
    fn names_are_read_back() {
        for encoding in Encoding::ALL {
            assert_eq!(encoding.name().parse(), Ok(encoding));
        }
        let error = "cnf".parse::<Encoding>().unwrap_err().to_string();
        assert_eq!(
            error,
            "no encoding is called \"cnf\"; there are dimacs, xcc, minizinc, lp"
        );
    }
}
