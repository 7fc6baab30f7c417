//! The answers of a [`Board`], one by one: given queens, blocked squares, empty rows.
//!
//! The same search as in [`super::solutions`], on the rows that have no given queen: rows from the
//! top, columns from the left, and a stack that is a value. The squares of each row that given
//! queens and blocked squares leave are worked out once. If there are fewer queens than rows, a row
//! may stay empty as long as enough rows follow; "empty" is tried before the first column.
//!
//! ```text
//!   . . . .      row 1   (-, ...) (1, ...) (3, ...) (4, ...)     -: the row stays empty
//!   . Q . .      row 2   is not searched: her lines are taken from the other rows
//!   . . . #      row 3   column 4 is left out
//! ```
//!
//! Up to n = 64 the squares of a row are bits of a word. Beyond that, the search looks at squares
//! one by one; a plain board is then left to [`super::solutions`], whose memory does not grow with
//! the board.

use std::iter::FusedIterator;
use std::ops::ControlFlow;

use super::iter::{Solutions, solutions};
use crate::placement::{Placement, Square};
use crate::puzzle::{Board, GivenLines, OpenRow};

/// All answers of a board, in lexicographic order: the iterator of [`Board::solutions`].
///
/// It computes an answer when it is asked for one and can be cloned, put aside and sent to
/// another thread. [`ListOn::visit`] shows the same answers without allocating any.
#[must_use = "solutions are searched only as they are asked for"]
#[derive(Clone, Debug)]
pub struct BoardSolutions {
    n: usize,
    search: Search,
}

#[derive(Clone, Debug)]
enum Search {
    Rows(Answers),
    /// A plain board that is too large for words.
    Plain(Solutions),
}

impl BoardSolutions {
    pub(crate) fn new(board: &Board) -> BoardSolutions {
        let n = board.n();
        let search = if board.queens() > n {
            Search::Rows(Answers::none())
        } else if n > u64::BITS as usize && board.is_plain() {
            Search::Plain(solutions(n))
        } else {
            Search::Rows(Answers::new(board))
        };
        BoardSolutions { n, search }
    }

    /// The next answer, searched for as long as `goes_on` says yes. The search asks at least at
    /// every step back. `Break` if it said no: the next call goes on from there. See
    /// [`Solutions::next_while`](super::Solutions::next_while).
    pub fn next_while(
        &mut self,
        goes_on: impl FnMut() -> bool,
    ) -> ControlFlow<(), Option<Placement>> {
        let found = self.advance_while(goes_on)?;
        ControlFlow::Continue(found.then(|| self.current()))
    }

    /// Goes on to the next answer; `false` if there is none.
    fn advance(&mut self) -> bool {
        self.advance_while(|| true) == ControlFlow::Continue(true)
    }

    /// The same as long as `goes_on` says yes.
    fn advance_while(&mut self, goes_on: impl FnMut() -> bool) -> ControlFlow<(), bool> {
        match &mut self.search {
            Search::Rows(answers) => answers.advance_while(goes_on),
            Search::Plain(solutions) => solutions.advance_while(goes_on),
        }
    }

    /// The answer that [`BoardSolutions::advance`] came to.
    fn current(&self) -> Placement {
        let mut placement = Placement::buffer(self.n);
        self.write_queens(placement.buffer_mut());
        placement
    }

    /// Writes the queens of that answer.
    fn write_queens(&self, queens: &mut Vec<Square>) {
        queens.clear();
        match &self.search {
            Search::Rows(answers) => queens.extend(answers.queens()),
            Search::Plain(solutions) => {
                let solution = solutions.current();
                let cols = solution.iter().enumerate();
                queens.extend(cols.map(|(row, &col)| Square::new(row, col)));
            }
        }
    }
}

/// The search of the rows that have no given queen.
#[derive(Clone, Debug)]
struct Answers {
    /// For each row the column of its queen from 1, or 0. The entries of given queens never change.
    tuple: Vec<usize>,
    rows: Rows,
    /// How many of the open rows have their queen, or were left empty.
    level: usize,
    /// How many queens are still to be placed.
    queens: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    /// Interrupted; goes on with this choice in the next row, or is over if there is none.
    Between(Option<usize>),
    /// The queens of an answer stand.
    Answer,
    Over,
}

impl Answers {
    /// The answers of a board with more queens than rows.
    fn none() -> Answers {
        Answers {
            tuple: Vec::new(),
            rows: Rows::Words(Vec::new()),
            level: 0,
            queens: 0,
            state: State::Over,
        }
    }

    fn new(board: &Board) -> Answers {
        let mut tuple = vec![0; board.n()];
        for queen in board.given() {
            tuple[queen.row] = queen.col + 1;
        }
        let rows = Rows::new(board);
        let queens = board.queens() - board.given().len();
        let state = match queens > rows.len() {
            true => State::Over,
            false => State::New,
        };
        Answers {
            tuple,
            rows,
            level: 0,
            queens,
            state,
        }
    }

    /// Goes on to the next answer as long as `goes_on` says yes, asking at every step.
    fn advance_while(&mut self, mut goes_on: impl FnMut() -> bool) -> ControlFlow<(), bool> {
        let mut from = match self.state {
            State::Over => return ControlFlow::Continue(false),
            State::New => Some(0),
            State::Between(from) => from,
            State::Answer => self.undo(),
        };
        while let Some(first) = from {
            if self.level == self.rows.len() {
                self.state = State::Answer;
                return ControlFlow::Continue(true);
            }
            from = match self.choice(first) {
                Some(choice) => {
                    self.choose(choice);
                    Some(0)
                }
                None => self.undo(),
            };
            if !goes_on() {
                self.state = State::Between(from);
                return ControlFlow::Break(());
            }
        }
        self.state = State::Over;
        ControlFlow::Continue(false)
    }

    /// What to try in the next row, from `first` on: 0 leaves it empty, `c` is column `c - 1`.
    fn choice(&self, first: usize) -> Option<usize> {
        let rows_left = self.rows.len() - self.level;
        if first == 0 && rows_left > self.queens {
            return Some(0);
        }
        if self.queens == 0 {
            return None;
        }
        let col = self.rows.free_col(self.level, first.max(1) - 1);
        col.map(|col| col + 1)
    }

    fn choose(&mut self, choice: usize) {
        self.tuple[self.rows.row(self.level)] = choice;
        let col = choice.checked_sub(1);
        self.queens -= usize::from(col.is_some());
        self.rows.place(self.level, col);
        self.level += 1;
    }

    /// Takes the last choice back and says what comes after it; `None` if there is none.
    fn undo(&mut self) -> Option<usize> {
        self.level = self.level.checked_sub(1)?;
        let choice = self.tuple[self.rows.row(self.level)];
        if let Some(col) = choice.checked_sub(1) {
            self.queens += 1;
            self.rows.remove(self.level, col);
        }
        Some(choice + 1)
    }

    /// The queens of the answer that [`Answers::advance_while`] came to.
    fn queens(&self) -> impl Iterator<Item = Square> {
        let cols = self.tuple.iter().map(|&choice| choice.checked_sub(1));
        let queens = cols.enumerate();
        queens.filter_map(|(row, col)| Some(Square::new(row, col?)))
    }
}

impl Iterator for BoardSolutions {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        self.advance().then(|| self.current())
    }

    /// Counts without building any of them; [`Count::on`](crate::Count::on) is faster still.
    fn count(mut self) -> usize {
        let mut count = 0;
        while self.advance() {
            count += 1;
        }
        count
    }
}

impl FusedIterator for BoardSolutions {}

/// The open rows, and what stands in the way of queens there.
#[derive(Clone, Debug)]
enum Rows {
    Words(Vec<Level>),
    Squares(Box<Squares>),
}

/// An open row as bits: column `c` is bit `c`.
#[derive(Clone, Copy, Debug)]
struct Level {
    open: OpenRow,
    /// The columns of the queens above.
    taken: u64,
    /// Where the diagonals of the queens above cross the row.
    left: u64,
    right: u64,
}

impl Level {
    fn free(&self) -> u64 {
        self.open.free & !(self.taken | self.left | self.right)
    }
}

/// Open rows of any length.
#[derive(Clone, Debug)]
struct Squares {
    board: Board,
    /// The lines of all queens that stand.
    lines: GivenLines,
    open: Vec<usize>,
}

impl Rows {
    fn new(board: &Board) -> Rows {
        if let Some(open) = board.open_rows() {
            let level = |open| Level {
                open,
                taken: 0,
                left: 0,
                right: 0,
            };
            return Rows::Words(open.into_iter().map(level).collect());
        }
        let mut open: Vec<usize> = (0..board.n()).collect();
        let held = |row: &usize| board.given().binary_search_by_key(row, |queen| queen.row);
        open.retain(|row| held(row).is_err());
        Rows::Squares(Box::new(Squares {
            board: board.clone(),
            lines: GivenLines::new(board),
            open,
        }))
    }

    fn len(&self) -> usize {
        match self {
            Rows::Words(levels) => levels.len(),
            Rows::Squares(squares) => squares.open.len(),
        }
    }

    /// The number of the open row at a level.
    fn row(&self, level: usize) -> usize {
        match self {
            Rows::Words(levels) => levels[level].open.row,
            Rows::Squares(squares) => squares.open[level],
        }
    }

    /// The first free column of a row, from `first` on.
    fn free_col(&self, level: usize, first: usize) -> Option<usize> {
        match self {
            Rows::Words(levels) => {
                let from = u64::MAX.checked_shl(first as u32).unwrap_or(0);
                let free = levels[level].free() & from;
                (free != 0).then(|| free.trailing_zeros() as usize)
            }
            Rows::Squares(squares) => {
                let row = squares.open[level];
                let free = |&col: &usize| {
                    let square = Square::new(row, col);
                    !squares.lines.attack(square) && !squares.board.is_blocked(square)
                };
                (first..squares.board.n()).find(free)
            }
        }
    }

    /// Puts a queen in a row, or leaves it empty.
    fn place(&mut self, level: usize, col: Option<usize>) {
        match self {
            Rows::Words(levels) => {
                let place = col.map_or(0, |col| 1 << col);
                let Level {
                    open,
                    taken,
                    left,
                    right,
                } = levels[level];
                if let Some(below) = levels.get_mut(level + 1) {
                    let away = below.open.row - open.row;
                    below.taken = taken | place;
                    below.left = (left | place) << away;
                    below.right = (right | place) >> away;
                }
            }
            Rows::Squares(squares) => {
                if let Some(col) = col {
                    let square = Square::new(squares.open[level], col);
                    squares.lines.mark(square, true);
                }
            }
        }
    }

    /// Takes a queen away. Words need no change: the row below is written anew.
    fn remove(&mut self, level: usize, col: usize) {
        if let Rows::Squares(squares) = self {
            let square = Square::new(squares.open[level], col);
            squares.lines.mark(square, false);
        }
    }
}

/// A listing of a board's answers, made by [`List::on`](super::List::on).
#[must_use = "nothing is listed until `visit` or `first` is called"]
#[derive(Clone, Copy, Debug)]
pub struct ListOn<'a> {
    board: &'a Board,
}

impl<'a> ListOn<'a> {
    pub(super) fn new(board: &'a Board) -> ListOn<'a> {
        ListOn { board }
    }

    /// Shows every answer to `visit`, in the order of [`Board::solutions`], all in one buffer.
    ///
    /// Returns `Break` if `visit` stopped the listing, and otherwise the number of answers.
    pub fn visit(
        &self,
        mut visit: impl FnMut(&Placement) -> ControlFlow<()>,
    ) -> ControlFlow<(), u64> {
        let mut solutions = self.board.solutions();
        let mut placement = Placement::buffer(self.board.n());
        let mut count = 0;
        while solutions.advance() {
            solutions.write_queens(placement.buffer_mut());
            visit(&placement)?;
            count += 1;
        }
        ControlFlow::Continue(count)
    }

    /// The first answer, or `None` when there is none.
    pub fn first(&self) -> Option<Placement> {
        self.board.first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_squares(board: &Board) -> BoardSolutions {
        let mut answers = Answers::new(board);
        let open = match &answers.rows {
            Rows::Words(levels) => levels.iter().map(|level| level.open.row).collect(),
            Rows::Squares(squares) => squares.open.clone(),
        };
        answers.rows = Rows::Squares(Box::new(Squares {
            board: board.clone(),
            lines: GivenLines::new(board),
            open,
        }));
        BoardSolutions {
            n: board.n(),
            search: Search::Rows(answers),
        }
    }

    /// Large boards have their first solution out of reach, so small ones stand for them.
    #[test]
    fn a_plain_board_has_the_solutions_of_its_size() {
        assert!(matches!(
            Board::new(65).solutions().search,
            Search::Plain(_)
        ));
        for n in 0..=8 {
            let plain = BoardSolutions {
                n,
                search: Search::Plain(solutions(n)),
            };
            assert!(plain.eq(Board::new(n).solutions()), "n = {n}");
        }
    }

    #[test]
    fn squares_and_words_find_the_same_answers() {
        let boards = [
            "",
            "Q",
            "#",
            "Q....\n.....\n...#.\n.....\n.....",
            "......\n...Q..\n......\n......\n......\n......",
            "..#..#.\n.......\n#......\n......#\n...#...\n.......\n..#....",
        ];
        let mut found = 0;
        for text in boards {
            let board: Board = text.parse().unwrap();
            for queens in board.given().len()..=board.n() + 1 {
                let board = board.clone().with_queens(queens).unwrap();
                let answers: Vec<Placement> = board.solutions().collect();
                assert!(answers.iter().all(|answer| board.is_answered_by(answer)));
                let tuple = |answer: &Placement| {
                    let mut tuple = vec![0; board.n()];
                    for queen in answer.queens() {
                        tuple[queen.row] = queen.col + 1;
                    }
                    tuple
                };
                assert!(answers.iter().map(tuple).is_sorted(), "{board}");
                assert!(by_squares(&board).eq(answers.iter().cloned()), "{board}");
                found += answers.len();
            }
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn a_search_that_is_interrupted_at_every_step_finds_the_same() {
        for (n, queens) in [(0, 0), (1, 1), (5, 5), (5, 3), (6, 6), (6, 7)] {
            let board = Board::new(n).with_queens(queens).unwrap();
            let (mut all, mut found, mut breaks) = (board.solutions(), Vec::new(), 0);
            loop {
                match all.next_while(|| false) {
                    ControlFlow::Continue(Some(answer)) => found.push(answer),
                    ControlFlow::Continue(None) => break,
                    ControlFlow::Break(()) => breaks += 1,
                }
            }
            assert!(found.into_iter().eq(board.solutions()), "n = {n}");
            assert_eq!(breaks > 0, (1..=n).contains(&queens), "n = {n}");
            assert!(all.next().is_none());
        }
    }

    #[test]
    fn an_iteration_that_is_over_stays_over() {
        for n in 0..4 {
            let mut all = Board::new(n).solutions();
            assert_eq!(all.by_ref().count(), usize::from(n < 2));
            assert!(all.next().is_none() && all.next().is_none(), "n = {n}");
        }
    }
}
