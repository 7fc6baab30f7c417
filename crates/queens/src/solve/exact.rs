//! Exact search with learning: finds a solution, or proves that there is none.
//!
//! Every square on which a queen may still stand is a yes-or-no question. A queen says no to all
//! other squares of her four lines, and a row or column with one open square left says yes to it.
//! The search asks a line with few open squares, puts a queen on one of them, and follows what that
//! implies. When it runs into a contradiction it does not just take the last queen back, as
//! backtracking does: it finds out which few queens made the contradiction and writes down that
//! they must never stand together again, a *learned clause*, and goes back to the level where that
//! clause says something new.
//!
//! ```text
//! asked    (1,1)     (2,3)       then row 3 has nothing left: whose fault is it?
//! implied     no's      no's      (1,1) and (2,3) together, so learn
//!                                 "not (1,1) or not (2,3)" and go back to level 1
//! ```
//!
//! This is conflict-driven clause learning as SAT solvers do it (J. Marques-Silva and K.
//! Sakallah, 1996; watched literals after M. Moskewicz et al., Chaff, 2001; clause quality
//! after G. Audemard and L. Simon, 2009), with two changes for queens. "At most one queen on
//! a line" is never written as clauses, which would be cubic in number: the line itself is the
//! reason. And a question is chosen as constraint solvers do, in the line with the fewest
//! open squares, weighed by how often that line was part of a contradiction.
//!
//! Fewer queens than rows: each row gets one more question, "is this row empty?", and at
//! most `n - queens` rows may say yes.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::line::Line;
use crate::placement::Square;
use crate::puzzle::{Board, GivenLines};
use crate::random::Random;

/// How an exact search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The queens that were added to the given ones.
    Found(Vec<Square>),
    /// There is no solution.
    None,
    /// It was stopped, or has used up its conflicts; it can go on.
    Unfinished,
}

/// The number of a question: whether a queen is on a square, or whether a row is empty.
type Var = u32;

/// An answer to a question: twice its number, and one more for "no".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Literal(u32);

impl Literal {
    fn yes(var: Var) -> Literal {
        Literal(2 * var)
    }

    fn no(var: Var) -> Literal {
        Literal(2 * var + 1)
    }

    fn var(self) -> usize {
        (self.0 / 2) as usize
    }

    fn is_yes(self) -> bool {
        self.0.is_multiple_of(2)
    }

    fn opposite(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// What is known of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Open,
    Yes,
    No,
}

/// Why an answer was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// It was tried, or is known from the start.
    Tried,
    /// All other literals of this clause are false.
    Clause(u32),
    /// A queen stands on this square of the same line.
    Queen(Var),
    /// As many rows are empty as may be.
    NoMoreEmptyRows,
}

/// At least one of these literals is true.
#[derive(Clone, Debug)]
struct Clause {
    /// The first two are watched.
    literals: Vec<Literal>,
    /// Number of levels its literals came from when it was learned: the fewer, the better.
    levels: u32,
    /// The row or column that must hold a queen; `LEARNED` for a learned clause.
    line: u32,
}

const LEARNED: u32 = u32::MAX;

/// A clause that looks at a literal, and another of its literals: if that one is true, the
/// clause need not be read.
#[derive(Clone, Copy, Debug)]
struct Watch {
    clause: u32,
    other: Literal,
}

/// Conflicts between two restarts: this times a term of the Luby sequence.
const RESTART: u64 = 100;

/// Squares between two looks at the stop flag while the search is prepared.
const SQUARES_BETWEEN_LOOKS: usize = 1 << 16;

/// How many learned clauses are kept at first.
const FIRST_CLAUSES: usize = 4_000;

/// The search for one board, which can be interrupted and go on.
#[derive(Debug)]
pub(super) struct Exact {
    squares: Vec<Square>,
    /// For each square, the places of its lines in `line_starts`: row, column, diag, anti.
    lines: Vec<[u32; 4]>,
    /// The questions of line `l` are `members[line_starts[l]..line_starts[l + 1]]`.
    line_starts: Vec<u32>,
    members: Vec<Var>,
    /// How many open questions or queens each row and column has left.
    left: Vec<u32>,
    /// Whether a row or column has its queen, or is an empty row.
    filled: Vec<bool>,
    /// Rows and columns that must hold a queen.
    needed: Vec<u32>,
    /// How much trouble each row and column has made.
    trouble: Vec<f64>,
    trouble_step: f64,
    /// How many rows may be empty, and how many are; the questions about empty rows come last.
    most_empty: usize,
    empty: usize,
    /// How many queens are to be added.
    queens_left: usize,

    answers: Vec<Answer>,
    levels: Vec<u32>,
    reasons: Vec<Reason>,
    /// Place of each answered question in `trail`.
    places: Vec<u32>,
    activity: Vec<f64>,
    activity_step: f64,
    /// Whether the last answer was yes: a good first guess the next time.
    was_yes: Vec<bool>,

    trail: Vec<Literal>,
    level_starts: Vec<usize>,
    followed: usize,

    clauses: Vec<Clause>,
    watches: Vec<Vec<Watch>>,
    learned: usize,
    most_learned: usize,

    seen: Vec<bool>,
    random: Random,
    conflicts: u64,
    restarts: u64,
    until_restart: u64,
    impossible: bool,
}

impl Exact {
    /// A search on this board, or `None` if `stop` becomes true while it is prepared. `random`
    /// decides between equals.
    pub(super) fn new(board: &Board, random: Random, stop: &AtomicBool) -> Option<Exact> {
        let n = board.n();
        let is_stopped = || stop.load(Ordering::Relaxed);
        let given = GivenLines::new(board);
        let open_row = |&row: &usize| !given.takes(Line::Row, Square::new(row, 0));
        let open_col = |&col: &usize| !given.takes(Line::Column, Square::new(0, col));
        let (rows, cols): (Vec<usize>, Vec<usize>) = (
            (0..n).filter(open_row).collect(),
            (0..n).filter(open_col).collect(),
        );
        let mut squares: Vec<Square> = Vec::new();
        let mut blocked = board.blocked().iter().copied().peekable();
        for &row in &rows {
            if is_stopped() {
                return None;
            }
            for &col in &cols {
                let square = Square::new(row, col);
                while blocked.next_if(|blocked| *blocked < square).is_some() {}
                if blocked.next_if_eq(&square).is_none() && !given.attack(square) {
                    squares.push(square);
                }
            }
        }
        let rows_left = rows.len();
        let queens_left = board.queens() - board.given().len();
        let most_empty = rows_left.saturating_sub(queens_left);
        let with_empty_rows = most_empty > 0;

        let place = |line: Line, square: Square| match line {
            Line::Row => square.row,
            Line::Column => n + square.col,
            Line::Diag => 2 * n + (square.row + n - square.col),
            Line::Anti => 4 * n + square.row + square.col,
        } as u32;
        let mut lines: Vec<[u32; 4]> = Vec::with_capacity(squares.len());
        let mut line_starts = vec![0u32; 6 * n + 1];
        for squares in squares.chunks(SQUARES_BETWEEN_LOOKS) {
            if is_stopped() {
                return None;
            }
            for &square in squares {
                let through = Line::ALL.map(|line| place(line, square));
                for line in through {
                    line_starts[line as usize + 1] += 1;
                }
                lines.push(through);
            }
        }
        for line in 0..6 * n {
            line_starts[line + 1] += line_starts[line];
        }
        let mut next = line_starts.clone();
        let mut members = vec![0; 4 * squares.len()];
        for (var, lines) in lines.iter().enumerate() {
            if var % SQUARES_BETWEEN_LOOKS == 0 && is_stopped() {
                return None;
            }
            for &line in lines {
                members[next[line as usize] as usize] = var as Var;
                next[line as usize] += 1;
            }
        }

        let vars = squares.len() + if with_empty_rows { n } else { 0 };
        let mut search = Exact {
            left: vec![0; 2 * n],
            filled: vec![false; 2 * n],
            needed: Vec::new(),
            trouble: vec![1.0; 2 * n],
            trouble_step: 1.0,
            most_empty,
            empty: 0,
            queens_left,
            answers: vec![Answer::Open; vars],
            levels: vec![0; vars],
            reasons: vec![Reason::Tried; vars],
            places: vec![0; vars],
            activity: vec![0.0; vars],
            activity_step: 1.0,
            was_yes: vec![false; vars],
            trail: Vec::new(),
            level_starts: Vec::new(),
            followed: 0,
            clauses: Vec::new(),
            watches: vec![Vec::new(); 2 * vars],
            learned: 0,
            most_learned: FIRST_CLAUSES,
            seen: vec![false; vars],
            random,
            conflicts: 0,
            restarts: 0,
            until_restart: RESTART,
            impossible: queens_left > rows_left,
            squares,
            lines,
            line_starts,
            members,
        };
        for square in &search.lines {
            search.left[square[0] as usize] += 1;
            search.left[square[1] as usize] += 1;
        }
        for &row in &rows {
            if is_stopped() {
                return None;
            }
            search.need(row as u32, with_empty_rows);
        }
        if with_empty_rows {
            for row in (0..n).filter(|row| !open_row(row)) {
                let var = search.empty_row(row as u32);
                search.answer(Literal::no(var), Reason::Tried);
            }
        } else {
            for &col in &cols {
                if is_stopped() {
                    return None;
                }
                search.need((n + col) as u32, false);
            }
        }
        Some(search)
    }

    /// The question whether a row is empty.
    fn empty_row(&self, row: u32) -> Var {
        self.squares.len() as Var + row
    }

    fn members_of(&self, line: u32) -> std::ops::Range<usize> {
        self.line_starts[line as usize] as usize..self.line_starts[line as usize + 1] as usize
    }

    /// Demands a queen in a row or column, or that the row is one of the empty ones.
    fn need(&mut self, line: u32, may_be_empty: bool) {
        let mut literals: Vec<Literal> = self.members[self.members_of(line)]
            .iter()
            .map(|&var| Literal::yes(var))
            .collect();
        if may_be_empty {
            literals.push(Literal::yes(self.empty_row(line)));
            self.left[line as usize] += 1;
        }
        self.needed.push(line);
        match literals[..] {
            [] => self.impossible = true,
            [only] => match self.value(only) {
                Answer::Open => self.answer(only, Reason::Tried),
                Answer::Yes => {}
                Answer::No => self.impossible = true,
            },
            _ => {
                self.add(Clause {
                    literals,
                    levels: 0,
                    line,
                });
            }
        }
    }

    fn add(&mut self, clause: Clause) -> u32 {
        let number = self.clauses.len() as u32;
        for (watched, other) in [(0, 1), (1, 0)] {
            let watch = Watch {
                clause: number,
                other: clause.literals[other],
            };
            self.watches[clause.literals[watched].0 as usize].push(watch);
        }
        self.clauses.push(clause);
        number
    }

    /// What is known of a literal.
    fn value(&self, literal: Literal) -> Answer {
        value_in(&self.answers, literal)
    }

    fn level(&self) -> u32 {
        self.level_starts.len() as u32
    }

    /// Writes an answer down; what it implies is followed up later.
    fn answer(&mut self, literal: Literal, reason: Reason) {
        let var = literal.var();
        debug_assert_eq!(self.answers[var], Answer::Open);
        self.answers[var] = if literal.is_yes() {
            Answer::Yes
        } else {
            Answer::No
        };
        self.levels[var] = self.level();
        self.reasons[var] = reason;
        self.places[var] = self.trail.len() as u32;
        self.trail.push(literal);
        self.note(var, literal.is_yes(), true);
    }

    /// Updates the sums of rows and columns when an answer comes or goes.
    fn note(&mut self, var: usize, yes: bool, comes: bool) {
        let Some(&[row, col, ..]) = self.lines.get(var) else {
            let row = var - self.squares.len();
            if yes {
                self.filled[row] = comes;
                self.empty = if comes {
                    self.empty + 1
                } else {
                    self.empty - 1
                };
            } else if comes {
                self.left[row] = self.left[row].wrapping_sub(1);
            } else {
                self.left[row] = self.left[row].wrapping_add(1);
            }
            return;
        };
        for line in [row as usize, col as usize] {
            if yes {
                self.filled[line] = comes;
            } else if comes {
                self.left[line] -= 1;
            } else {
                self.left[line] += 1;
            }
        }
    }

    /// Follows up all answers. Returns the literals of a clause that is false, if one is.
    fn follow(&mut self) -> Option<Vec<Literal>> {
        while self.followed < self.trail.len() {
            let literal = self.trail[self.followed];
            self.followed += 1;
            let var = literal.var();
            if literal.is_yes() {
                let conflict = if var < self.squares.len() {
                    self.follow_queen(var as Var)
                } else {
                    self.follow_empty_row()
                };
                if conflict.is_some() {
                    return conflict;
                }
            }
            if let Some(conflict) = self.follow_watches(literal.opposite()) {
                return Some(conflict);
            }
        }
        None
    }

    /// A queen says no to all other squares of her lines.
    fn follow_queen(&mut self, queen: Var) -> Option<Vec<Literal>> {
        for line in self.lines[queen as usize] {
            for at in self.members_of(line) {
                let var = self.members[at];
                if var == queen {
                    continue;
                }
                match self.answers[var as usize] {
                    Answer::No => {}
                    Answer::Open => self.answer(Literal::no(var), Reason::Queen(queen)),
                    Answer::Yes => return Some(vec![Literal::no(queen), Literal::no(var)]),
                }
            }
        }
        None
    }

    fn follow_empty_row(&mut self) -> Option<Vec<Literal>> {
        let rows = self.squares.len()..self.answers.len();
        if self.empty > self.most_empty {
            let empty = rows.filter(|&var| self.answers[var] == Answer::Yes);
            return Some(empty.map(|var| Literal::no(var as Var)).collect());
        }
        if self.empty == self.most_empty {
            for var in rows {
                if self.answers[var] == Answer::Open {
                    self.answer(Literal::no(var as Var), Reason::NoMoreEmptyRows);
                }
            }
        }
        None
    }

    /// Visits the clauses that watch a literal which has become false.
    fn follow_watches(&mut self, fallen: Literal) -> Option<Vec<Literal>> {
        let mut watches = std::mem::take(&mut self.watches[fallen.0 as usize]);
        let mut conflict = None;
        let mut kept = 0;
        let mut at = 0;
        while at < watches.len() {
            let watch = watches[at];
            at += 1;
            if self.value(watch.other) == Answer::Yes {
                watches[kept] = watch;
                kept += 1;
                continue;
            }
            let number = watch.clause as usize;
            let literals = &mut self.clauses[number].literals;
            if literals[0] == fallen {
                literals.swap(0, 1);
            }
            let first = literals[0];
            let watch = Watch {
                other: first,
                ..watch
            };
            if value_in(&self.answers, first) == Answer::Yes {
                watches[kept] = watch;
                kept += 1;
                continue;
            }
            let answers = &self.answers;
            let replacement =
                (2..literals.len()).find(|&k| value_in(answers, literals[k]) != Answer::No);
            if let Some(k) = replacement {
                literals.swap(1, k);
                let watched = literals[1];
                self.watches[watched.0 as usize].push(watch);
                continue;
            }
            watches[kept] = watch;
            kept += 1;
            match self.value(first) {
                Answer::Open => self.answer(first, Reason::Clause(watch.clause)),
                _ => {
                    conflict = Some(self.clauses[number].literals.clone());
                    self.blame(number);
                    break;
                }
            }
        }
        // Watches that were not looked at stay.
        watches.copy_within(at.., kept);
        watches.truncate(kept + watches.len() - at);
        self.watches[fallen.0 as usize] = watches;
        conflict
    }

    /// Notes that a row or column was part of a contradiction.
    fn blame(&mut self, clause: usize) {
        let line = self.clauses[clause].line;
        if line != LEARNED {
            let trouble = &mut self.trouble[line as usize];
            *trouble += self.trouble_step;
            if *trouble > 1e100 {
                self.trouble
                    .iter_mut()
                    .for_each(|trouble| *trouble *= 1e-100);
                self.trouble_step *= 1e-100;
            }
        }
    }

    fn bump(&mut self, var: usize) {
        self.activity[var] += self.activity_step;
        if self.activity[var] > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.activity_step *= 1e-100;
        }
    }

    /// Writes down the other literals of the reason for an answer, all of them false.
    fn because(&mut self, literal: Literal, reason: &mut Vec<Literal>) {
        let var = literal.var();
        reason.clear();
        match self.reasons[var] {
            Reason::Tried => {}
            Reason::Queen(queen) => reason.push(Literal::no(queen)),
            Reason::Clause(number) => {
                self.blame(number as usize);
                let literals = self.clauses[number as usize].literals.iter();
                reason.extend(literals.filter(|&&other| other != literal));
            }
            Reason::NoMoreEmptyRows => {
                let before = |&row: &usize| {
                    self.answers[row] == Answer::Yes && self.places[row] < self.places[var]
                };
                let rows = (self.squares.len()..self.answers.len()).filter(before);
                reason.extend(rows.map(|row| Literal::no(row as Var)));
            }
        }
    }

    /// Finds a clause that would have kept the contradiction from happening, and the level to
    /// go back to. The first literal of the clause is the one that it implies there.
    fn learn(&mut self, conflict: Vec<Literal>) -> (Vec<Literal>, u32) {
        let level = self.level();
        let mut clause = vec![Literal(0)];
        let mut marked = Vec::new();
        let mut open = 0;
        let mut reason = conflict;
        let mut place = self.trail.len();
        let implied = loop {
            for &literal in &reason {
                let var = literal.var();
                if self.seen[var] || self.levels[var] == 0 {
                    continue;
                }
                self.seen[var] = true;
                marked.push(var);
                self.bump(var);
                if self.levels[var] == level {
                    open += 1;
                } else {
                    clause.push(literal);
                }
            }
            // The last answer of this level that is part of it.
            let literal = loop {
                place -= 1;
                let literal = self.trail[place];
                if self.seen[literal.var()] && self.levels[literal.var()] == level {
                    break literal;
                }
            };
            self.seen[literal.var()] = false;
            open -= 1;
            if open == 0 {
                break literal.opposite();
            }
            self.because(literal, &mut reason);
        };
        clause[0] = implied;
        // A literal that follows from the others says nothing new.
        for &literal in &clause[1..] {
            self.seen[literal.var()] = true;
        }
        let levels = clause[1..].iter().fold(0, |levels, literal| {
            levels | level_mark(self.levels[literal.var()])
        });
        let mut kept = 1;
        for k in 1..clause.len() {
            if !self.is_redundant(clause[k], levels, &mut marked) {
                clause[kept] = clause[k];
                kept += 1;
            }
        }
        clause.truncate(kept);
        for var in marked {
            self.seen[var] = false;
        }
        // The literal of the highest level below this one is watched beside the first.
        let second = (1..clause.len()).max_by_key(|&k| self.levels[clause[k].var()]);
        let back = second.map_or(0, |k| {
            clause.swap(1, k);
            self.levels[clause[1].var()]
        });
        (clause, back)
    }

    /// Whether a literal of a clause under construction follows from the others, directly or
    /// through further reasons (N. Sörensson and A. Biere, 2009). `levels` has the marks of the
    /// levels in the clause: a reason from another level cannot come from it. What was found
    /// to follow stays `seen` and is noted in `marked`.
    fn is_redundant(&mut self, literal: Literal, levels: u64, marked: &mut Vec<usize>) -> bool {
        if !self.has_reason(literal.var()) {
            return false;
        }
        let known = marked.len();
        let mut waiting = vec![literal.var()];
        while let Some(var) = waiting.pop() {
            let (queen, clause) = match self.reasons[var] {
                Reason::Queen(queen) => (Some(queen as usize), &[][..]),
                Reason::Clause(number) => (None, &self.clauses[number as usize].literals[..]),
                Reason::Tried | Reason::NoMoreEmptyRows => unreachable!("it has a reason"),
            };
            let reasons = queen.into_iter().chain(clause.iter().map(|l| l.var()));
            for other in reasons {
                if other == var || self.seen[other] || self.levels[other] == 0 {
                    continue;
                }
                let possible = levels & level_mark(self.levels[other]) != 0;
                if !possible || !self.has_reason(other) {
                    for var in marked.drain(known..) {
                        self.seen[var] = false;
                    }
                    return false;
                }
                self.seen[other] = true;
                marked.push(other);
                waiting.push(other);
            }
        }
        true
    }

    /// Whether an answer follows from others in a way that is cheap to ask for.
    fn has_reason(&self, var: usize) -> bool {
        matches!(self.reasons[var], Reason::Queen(_) | Reason::Clause(_))
    }

    fn go_back(&mut self, level: u32) {
        if self.level() <= level {
            return;
        }
        let start = self.level_starts[level as usize];
        while self.trail.len() > start {
            let Some(literal) = self.trail.pop() else {
                break;
            };
            let var = literal.var();
            self.answers[var] = Answer::Open;
            self.was_yes[var] = literal.is_yes();
            self.note(var, literal.is_yes(), false);
        }
        self.level_starts.truncate(level as usize);
        self.followed = self.trail.len();
    }

    /// Goes on until the answer is known, `conflicts` more contradictions were met, or
    /// `stop` becomes true.
    pub(super) fn search(&mut self, conflicts: u64, stop: &AtomicBool) -> Verdict {
        if self.impossible {
            return Verdict::None;
        }
        let limit = self.conflicts.saturating_add(conflicts);
        loop {
            if let Some(conflict) = self.follow() {
                self.conflicts += 1;
                if self.level() == 0 {
                    self.impossible = true;
                    return Verdict::None;
                }
                let (clause, back) = self.learn(conflict);
                self.go_back(back);
                self.remember(clause);
                self.activity_step /= 0.95;
                self.trouble_step /= 0.99;
                self.until_restart = self.until_restart.saturating_sub(1);
                continue;
            }
            if self.conflicts >= limit || stop.load(Ordering::Relaxed) {
                return Verdict::Unfinished;
            }
            if self.until_restart == 0 {
                self.restarts += 1;
                self.until_restart = RESTART * luby(self.restarts);
                self.go_back(0);
                if self.learned > self.most_learned {
                    self.forget();
                }
                continue;
            }
            match self.choose() {
                Some(var) => {
                    self.level_starts.push(self.trail.len());
                    self.answer(Literal::yes(var), Reason::Tried);
                }
                None => return Verdict::Found(self.queens()),
            }
        }
    }

    /// Adds a learned clause, whose first literal is implied here.
    fn remember(&mut self, clause: Vec<Literal>) {
        let implied = clause[0];
        if clause.len() == 1 {
            self.answer(implied, Reason::Tried);
            return;
        }
        let mut levels: Vec<u32> = clause[1..]
            .iter()
            .map(|literal| self.levels[literal.var()])
            .collect();
        levels.sort_unstable();
        levels.dedup();
        self.learned += 1;
        let number = self.add(Clause {
            levels: 1 + levels.len() as u32,
            literals: clause,
            line: LEARNED,
        });
        self.answer(implied, Reason::Clause(number));
    }

    /// Drops the worse half of the learned clauses. At level 0 nobody asks for reasons, so none of
    /// them is needed as one.
    fn forget(&mut self) {
        let mut quality: Vec<u32> = self
            .clauses
            .iter()
            .filter(|clause| clause.line == LEARNED)
            .map(|clause| clause.levels)
            .collect();
        quality.sort_unstable();
        let worst = quality[quality.len() / 2].max(3);
        self.clauses
            .retain(|clause| clause.line != LEARNED || clause.levels < worst);
        self.most_learned += self.most_learned / 10;
        for watches in &mut self.watches {
            watches.clear();
        }
        let clauses = std::mem::take(&mut self.clauses);
        self.learned = 0;
        for mut clause in clauses {
            // Answers of level 0 are final, so literals that are not false are watched.
            let answers = &self.answers;
            clause
                .literals
                .sort_by_key(|&literal| value_in(answers, literal) == Answer::No);
            self.learned += usize::from(clause.line == LEARNED);
            self.add(clause);
        }
    }

    /// A question of the line with the fewest open squares for the trouble it makes, or `None` if
    /// every line is filled.
    fn choose(&mut self) -> Option<Var> {
        let mut best: Option<(f64, u32)> = None;
        for &line in &self.needed {
            let at = line as usize;
            if self.filled[at] {
                continue;
            }
            let score = f64::from(self.left[at]) / self.trouble[at];
            if best.is_none_or(|(least, _)| score < least) {
                best = Some((score, line));
            }
        }
        let (_, line) = best?;
        let members = self.members_of(line);
        // A random place to begin breaks ties.
        let offset = self.random.below(members.len().max(1) as u64) as usize;
        let mut choice: Option<(bool, f64, Var)> = None;
        for k in 0..members.len() {
            let var = self.members[members.start + (offset + k) % members.len()];
            if self.answers[var as usize] != Answer::Open {
                continue;
            }
            let (yes, activity) = (self.was_yes[var as usize], self.activity[var as usize]);
            let better =
                choice.is_none_or(|(best_yes, best, _)| (yes, activity) > (best_yes, best));
            if better {
                choice = Some((yes, activity, var));
            }
        }
        let empty = || {
            let var = self.empty_row(line);
            let open = self.answers.get(var as usize) == Some(&Answer::Open);
            open.then_some(var)
        };
        choice.map(|(_, _, var)| var).or_else(empty)
    }

    /// The queens that were added. If rows may stay empty, there may be more than were asked for;
    /// any of them can go.
    fn queens(&self) -> Vec<Square> {
        let yes = |var: &usize| self.answers[*var] == Answer::Yes;
        (0..self.squares.len())
            .filter(yes)
            .map(|var| self.squares[var])
            .take(self.queens_left)
            .collect()
    }
}

/// What is known of a literal, while the rest of the search is borrowed.
fn value_in(answers: &[Answer], literal: Literal) -> Answer {
    match (answers[literal.var()], literal.is_yes()) {
        (Answer::Open, _) => Answer::Open,
        (Answer::Yes, true) | (Answer::No, false) => Answer::Yes,
        _ => Answer::No,
    }
}

/// A bit for a level; levels share bits.
fn level_mark(level: u32) -> u64 {
    1 << (level % 64)
}

/// A term of the Luby sequence 1, 1, 2, 1, 1, 2, 4, ...; the first is term 1.
fn luby(term: u64) -> u64 {
    let mut term = term.max(1);
    loop {
        let bits = 64 - term.leading_zeros();
        if term == (1 << bits) - 1 {
            return 1 << (bits - 1);
        }
        term -= (1 << (bits - 1)) - 1;
    }
}
