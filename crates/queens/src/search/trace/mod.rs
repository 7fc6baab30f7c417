//! Traces: the events of a search, shown the way each course document shows them.
//!
//! A [`Style`] names a way of showing and the board whose search is shown. A [`Trace`] walks
//! that search and hands on its events, up to the first solution or to the end, and stops
//! after a given number. What becomes of the events is up to the listener:
//!
//! * [`TextTrace`] turns them into lines, one style each (`steps` and `boxes` have
//!   files of their own, because they look ahead or draw a tree);
//! * [`json`] turns each into one line of JSON;
//! * [`Replay`] keeps them and steps forward and back, for the player and the web page;
//! * [`Stats`] only counts them.
//!
//! A view never searches: it is a function of a [`State`], and a state is a function of
//! events. So two views of one search cannot disagree.

pub(crate) mod boxes;
pub mod code;
pub mod json;
pub mod narrate;
pub mod panel;
mod replay;
mod state;
mod steps;

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

pub use boxes::Tint;
pub use replay::Replay;
pub use state::{Cell, Shown, State, Stats};

use super::{Event, walk_board, walk_on};
use crate::board::Representation;
use crate::named::named;
use crate::puzzle::Board;

/// A way of showing a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// The partial solutions as tuples: BACS2063 chapter 6.
    Tuple,
    /// Plain sentences: the walk of chapter 6 and of the NPTEL lecture.
    Steps,
    /// The box trace of the CSE 15 assignment.
    Box,
    /// The earliest-attacker grid of the lecture.
    Attackers,
    /// The lecture's four arrays of flags.
    Lines,
    /// The board of zeros and ones.
    Grid,
    /// The three bit vectors of the recitation and of the question on MIPS.
    Bits,
}

impl Style {
    /// All styles.
    pub const ALL: [Style; 7] = [
        Style::Tuple,
        Style::Steps,
        Style::Box,
        Style::Attackers,
        Style::Lines,
        Style::Grid,
        Style::Bits,
    ];

    /// The name used on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Style::Tuple => "tuple",
            Style::Steps => "steps",
            Style::Box => "box",
            Style::Attackers => "attackers",
            Style::Lines => "lines",
            Style::Grid => "grid",
            Style::Bits => "bits",
        }
    }

    /// What the style shows, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Style::Tuple => "the partial solutions as tuples, dead ends and solutions marked",
            Style::Steps => "the walk in plain sentences, rows and columns from 1",
            Style::Box => "a board per recursive call, -k in squares attacked by k queens above",
            Style::Attackers => "the grid of the earliest queen attacking each square, -1 if free",
            Style::Lines => "the four arrays row, col, NWtoSE, SWtoNE after each move",
            Style::Grid => "the board of zeros and ones after each move",
            Style::Bits => "the bit vectors down, left, right, possible and place, row by row",
        }
    }

    /// The board whose search is shown.
    pub fn representation(self) -> Representation {
        match self {
            Style::Tuple | Style::Steps => Representation::Columns,
            Style::Box => Representation::AttackCount,
            Style::Attackers => Representation::FirstAttacker,
            Style::Lines => Representation::Lines,
            Style::Grid => Representation::ByteGrid,
            Style::Bits => Representation::Bitmask,
        }
    }

    /// The largest board that this style shows legibly.
    pub fn largest_n(self) -> usize {
        match self {
            Style::Tuple | Style::Steps => 99,
            Style::Box => 8,
            Style::Attackers => 26,
            Style::Lines => 20,
            Style::Grid => 40,
            Style::Bits => 32,
        }
    }

    /// The number of the first row and column: 1 in the styles whose documents count from 1,
    /// which are the walk of chapter 6 and of the lecture and the box trace, otherwise 0.
    pub fn first_number(self) -> usize {
        usize::from(matches!(self, Style::Steps | Style::Box))
    }

    /// The next style, and after the last the first.
    pub fn next(self) -> Style {
        let at = Style::ALL.iter().position(|&s| s == self).unwrap_or(0);
        Style::ALL[(at + 1) % Style::ALL.len()]
    }

    /// Refuses a board that this style cannot show legibly.
    ///
    /// # Errors
    ///
    /// [`TraceError::TooLarge`], with what to do instead.
    ///
    /// ```
    /// use queens::search::trace::Style;
    ///
    /// assert!(Style::Box.check(5).is_ok());
    /// assert_eq!(
    ///     Style::Box.check(9).unwrap_err().to_string(),
    ///     "style box is drawn up to N = 8, not 9; try the style tuple"
    /// );
    /// ```
    pub fn check(self, n: usize) -> Result<(), TraceError> {
        if n <= self.largest_n() {
            return Ok(());
        }
        let instead = Style::ALL.into_iter().find(|style| n <= style.largest_n());
        Err(TraceError::TooLarge {
            style: self,
            n,
            largest: self.largest_n(),
            instead,
        })
    }

    /// Refuses a board that the representation of this style cannot hold, for traces that no person
    /// reads. After this check, nothing that takes a style panics because of the size.
    ///
    /// # Errors
    ///
    /// [`TraceError::CannotHold`].
    pub fn check_board(self, n: usize) -> Result<(), TraceError> {
        let largest = self.representation().largest_n();
        if n <= largest {
            return Ok(());
        }
        Err(TraceError::CannotHold {
            style: self,
            n,
            largest,
        })
    }
}

/// Writes [`Style::name`].
impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads [`Style::name`].
impl FromStr for Style {
    type Err = TraceError;

    fn from_str(name: &str) -> Result<Self, TraceError> {
        Style::ALL
            .into_iter()
            .find(|style| style.name() == name)
            .ok_or_else(|| TraceError::UnknownStyle(name.to_owned()))
    }
}

/// Why a trace cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceError {
    /// No style has this name.
    UnknownStyle(String),
    /// The board is too large for the representation behind the style.
    CannotHold {
        /// The style asked for.
        style: Style,
        /// The size asked for.
        n: usize,
        /// The largest size possible.
        largest: usize,
    },
    /// The board is too large for the style.
    TooLarge {
        /// The style asked for.
        style: Style,
        /// The size asked for.
        n: usize,
        /// The largest size this style shows.
        largest: usize,
        /// A style that would show it, if there is one.
        instead: Option<Style>,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::UnknownStyle(name) => {
                let names = Style::ALL.map(Style::name).join(", ");
                write!(f, "no trace style is called {name:?}; there are {names}")
            }
            TraceError::CannotHold { style, n, largest } => {
                write!(f, "style {style} supports N up to {largest}, not {n}")
            }
            TraceError::TooLarge {
                style,
                n,
                largest,
                instead,
            } => {
                write!(f, "style {style} is drawn up to N = {largest}, not {n}")?;
                match instead {
                    Some(instead) => write!(f, "; try the style {instead}"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl std::error::Error for TraceError {}

/// How far a trace goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Until {
    /// Up to the first solution.
    #[default]
    First,
    /// Through the whole search.
    All,
}

impl Until {
    /// Both.
    pub const ALL: [Until; 2] = [Until::First, Until::All];

    /// `first` or `all`.
    pub fn name(self) -> &'static str {
        match self {
            Until::First => "first",
            Until::All => "all",
        }
    }
}

named! {
    Until, "end of a trace",
    /// No end of a trace has this name.
    UnknownUntil
}

/// Why a trace ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The whole search was shown.
    Complete,
    /// The first solution was found and no more was asked for.
    First,
    /// The limit was reached, and there would have been more.
    Limit(u64),
    /// The listener had enough.
    Stopped,
}

impl End {
    /// One word, for JSON.
    pub fn name(self) -> &'static str {
        match self {
            End::Complete => "complete",
            End::First => "first",
            End::Limit(_) => "limit",
            End::Stopped => "stopped",
        }
    }
}

/// A trace to make: the board, the style, how far to go.
///
/// ```
/// use queens::search::trace::{Style, Trace, Until};
///
/// let out = Trace::new(4).text()?;
/// assert!(out.starts_with("(0)\n(0, 2)\ndead end\n(0, 3)\n(0, 3, 1)\ndead end\n(1)\n"));
/// assert!(out.ends_with("(1, 3, 0, 2)\nsolution 1\n"));
///
/// let bits = Trace::new(8).style(Style::Bits).until(Until::All).limit(1000).text()?;
/// assert!(bits.ends_with("cut by the limit of 1000 events; the search goes on\n"));
/// # Ok::<(), queens::search::trace::TraceError>(())
/// ```
#[must_use = "nothing is searched until `run` or `text` is called"]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Trace {
    board: Board,
    style: Style,
    until: Until,
    limit: Option<u64>,
}

impl Trace {
    /// A trace of tuples up to the first solution of the plain board.
    pub fn new(n: usize) -> Trace {
        Trace::on(&Board::new(n))
    }

    /// The same on any board. Every style has a mark for blocked squares, given queens stand from
    /// the start, and an empty row is a dash.
    ///
    /// ```
    /// use queens::Board;
    /// use queens::search::trace::{Style, Trace};
    ///
    /// let board: Board = ". # . .\n. . . .\n. . . .\n. . . .".parse()?;
    /// let told = Trace::on(&board).style(Style::Steps).text()?;
    /// assert!(told.contains("Undo queen 1, try next: column 3 is available (column 2 is blocked).\n"));
    ///
    /// let bits = Trace::on(&board).style(Style::Bits).text()?;
    /// assert!(bits.starts_with("row 0: down 0000 left 0000 right 0000 closed 0010 possible 1101\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on(board: &Board) -> Trace {
        Trace {
            board: board.clone(),
            style: Style::Tuple,
            until: Until::First,
            limit: None,
        }
    }

    /// Chooses the style.
    pub fn style(mut self, style: Style) -> Trace {
        self.style = style;
        self
    }

    /// Chooses how far to go.
    pub fn until(mut self, until: Until) -> Trace {
        self.until = until;
        self
    }

    /// Ends the trace after this many events.
    pub fn limit(mut self, events: impl Into<Option<u64>>) -> Trace {
        self.limit = events.into();
        self
    }

    /// Walks the search and hands its events on.
    ///
    /// # Errors
    ///
    /// [`TraceError::CannotHold`] when the style's representation cannot hold the board.
    ///
    /// ```
    /// use queens::search::trace::{End, Trace};
    /// use std::ops::ControlFlow;
    ///
    /// let mut seen = 0;
    /// let end = Trace::new(4).limit(10).run(|_event| {
    ///     seen += 1;
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!((seen, end), (10, End::Limit(10)));
    /// # Ok::<(), queens::search::trace::TraceError>(())
    /// ```
    pub fn run(&self, listener: impl FnMut(Event) -> ControlFlow<()>) -> Result<End, TraceError> {
        self.style.check_board(self.board.n())?;
        let (style, until) = (self.style, self.until);
        Ok(run(&self.board, style, until, self.limit, listener))
    }

    /// The whole trace as text, for people.
    ///
    /// # Errors
    ///
    /// [`TraceError::TooLarge`] when the style does not show the board legibly.
    pub fn text(&self) -> Result<String, TraceError> {
        self.style.check(self.board.n())?;
        let mut trace = TextTrace::on(&self.board, self.style);
        let mut out = String::new();
        let end = self.run(|event| {
            out.push_str(&trace.event(event));
            ControlFlow::Continue(())
        })?;
        out.push_str(&trace.finish(end));
        Ok(out)
    }
}

/// Panics when the representation of a style does not hold a board of this size.
#[track_caller]
fn must_hold(style: Style, n: usize) {
    if let Err(error) = style.check_board(n) {
        panic!("{error}");
    }
}

/// Walks the search that `style` shows and hands its events on, at most `limit` of them. The plain
/// board is searched as the document of the style searches it.
///
/// # Panics
///
/// When `n` is above the limit of the style's representation, which is never below
/// [`Style::largest_n`].
pub(crate) fn run(
    board: &Board,
    style: Style,
    until: Until,
    limit: Option<u64>,
    listener: impl FnMut(Event) -> ControlFlow<()>,
) -> End {
    if !board.is_plain() {
        return run_any(board, until, limit, listener);
    }
    bounded(until, limit, listener, |hear| {
        walk_on(style.representation(), board.n(), |event, _| hear(event))
    })
}

/// The same by the search that takes any board. All styles tell the same events, so a listener that
/// keeps them, such as [`Replay`], needs no other search; it is also the smallest in a browser.
fn run_any(
    board: &Board,
    until: Until,
    limit: Option<u64>,
    listener: impl FnMut(Event) -> ControlFlow<()>,
) -> End {
    bounded(until, limit, listener, |hear| {
        walk_board(board, |event, _| hear(event))
    })
}

/// Walks a search until the listener has heard enough, and says why it ended.
fn bounded(
    until: Until,
    limit: Option<u64>,
    mut listener: impl FnMut(Event) -> ControlFlow<()>,
    walk: impl FnOnce(&mut dyn FnMut(Event) -> ControlFlow<()>) -> ControlFlow<(), u64>,
) -> End {
    let mut end = End::Complete;
    let mut seen = 0;
    // `end` tells whether the search was stopped.
    let _ = walk(&mut |event| {
        if limit.is_some_and(|limit| seen >= limit) {
            end = End::Limit(seen);
            return ControlFlow::Break(());
        }
        seen += 1;
        if listener(event).is_break() {
            end = End::Stopped;
            return ControlFlow::Break(());
        }
        if event == Event::Solution && until == Until::First {
            end = End::First;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    end
}

/// Turns events into the lines of a text trace.
///
/// ```
/// use queens::search::Event;
/// use queens::search::trace::{Style, TextTrace};
///
/// let mut trace = TextTrace::new(4, Style::Tuple);
/// assert_eq!(trace.event(Event::Enter { row: 0 }), "");
/// assert_eq!(trace.event(Event::Place { row: 0, col: 2 }), "(2)\n");
/// ```
#[derive(Clone, Debug)]
pub struct TextTrace {
    style: Style,
    state: State,
    boxes: boxes::Boxes,
}

impl TextTrace {
    /// Before the first event on the plain board.
    ///
    /// # Panics
    ///
    /// When `n` is above the limit of the style's representation: [`Style::check_board`].
    pub fn new(n: usize, style: Style) -> Self {
        TextTrace::on(&Board::new(n), style)
    }

    /// Before the first event on a board.
    ///
    /// # Panics
    ///
    /// When the board is too large for the style's representation: [`Style::check_board`].
    pub fn on(board: &Board, style: Style) -> Self {
        must_hold(style, board.n());
        TextTrace {
            style,
            state: State::on(board),
            boxes: boxes::Boxes::new(board),
        }
    }

    /// Draws the boxes of the style `box` as their document does: the root joined to its
    /// children, rows and columns numbered, queens and the squares they attack in colours.
    #[must_use]
    pub fn painted(mut self) -> Self {
        self.boxes = self.boxes.painted();
        self
    }

    /// The moment that the trace has come to.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes an event and returns what to print, which may be nothing yet.
    pub fn event(&mut self, event: Event) -> String {
        self.state.apply(event);
        match self.style {
            Style::Tuple => tuple_line(event, &self.state),
            Style::Steps => line(steps::told(self.style.first_number(), event, &self.state)),
            Style::Box => self.boxes.event(event, &self.state),
            Style::Attackers | Style::Lines | Style::Grid => block(self.style, event, &self.state),
            Style::Bits => panel::bits_lines(event, &self.state),
        }
    }

    /// What to print after the last event, with a line that says why it was the last.
    pub fn finish(&mut self, end: End) -> String {
        let mut out = match self.style {
            Style::Steps => line(steps::left_to_tell(self.style.first_number(), &self.state)),
            Style::Box => self.boxes.finish(),
            _ => String::new(),
        };
        let found = match self.state.stats.solutions {
            0 => "no solution".to_owned(),
            1 => "1 solution".to_owned(),
            k => format!("{k} solutions"),
        };
        match end {
            End::Complete => out.push_str(&format!("end of the search: {found}\n")),
            End::Limit(k) => out.push_str(&format!(
                "cut by the limit of {k} events; the search goes on\n"
            )),
            End::First | End::Stopped => {}
        }
        out
    }
}

/// A sentence as a line, or nothing.
fn line(sentence: Option<String>) -> String {
    sentence.map_or_else(String::new, |sentence| sentence + "\n")
}

/// A tuple as the course documents write it: `(0, 2)`. An empty row is a dash.
///
/// ```
/// use queens::search::trace::tuple;
///
/// assert_eq!(tuple(&[Some(0), None, Some(3)]), "(0, -, 3)");
/// ```
pub fn tuple(cols: &[Option<usize>]) -> String {
    tuple_from(0, cols)
}

/// The same with the first column numbered `first`.
pub fn tuple_from(first: usize, cols: &[Option<usize>]) -> String {
    let name = |col: &Option<usize>| col.map_or("-".to_owned(), |col| (col + first).to_string());
    let inner: Vec<String> = cols.iter().map(name).collect();
    format!("({})", inner.join(", "))
}

fn tuple_line(event: Event, state: &State) -> String {
    match event {
        Event::Place { .. } | Event::Skip { .. } => format!("{}\n", tuple(&state.cols)),
        Event::DeadEnd { .. } => "dead end\n".to_owned(),
        Event::Solution => format!("solution {}\n", state.stats.solutions),
        _ => String::new(),
    }
}

/// A sentence, and the representation below it when the event has changed it.
fn block(style: Style, event: Event, state: &State) -> String {
    let mut out = String::new();
    match event {
        Event::Place { .. } | Event::Undo { .. } | Event::Skip { .. } | Event::Unskip { .. } => {
            out.push_str(&narrate::sentence(event, state));
            out.push('\n');
            for line in panel::lines(style, state) {
                out.push_str(&line);
                out.push('\n');
            }
            out.push('\n');
        }
        Event::Solution | Event::DeadEnd { .. } => {
            out.push_str(&narrate::sentence(event, state));
            out.push_str("\n\n");
        }
        _ => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic = "style bits"]
    fn a_trace_as_text_refuses_a_board_that_its_style_cannot_hold() {
        TextTrace::new(33, Style::Bits);
    }

    #[test]
    #[should_panic = "style tuple"]
    fn a_trace_as_json_refuses_a_board_that_its_style_cannot_hold() {
        json::JsonTrace::new(256, Style::Tuple);
    }

    #[test]
    fn every_style_is_found_by_its_name() {
        for style in Style::ALL {
            assert_eq!(style.name().parse(), Ok(style));
        }
        assert!("boxes".parse::<Style>().is_err());
    }

    #[test]
    fn next_goes_round_all_styles() {
        let mut style = Style::Tuple;
        for _ in Style::ALL {
            style = style.next();
        }
        assert_eq!(style, Style::Tuple);
    }

    #[test]
    fn a_board_too_large_is_refused_in_words() {
        let large = |style| Trace::new(300).style(style).limit(1);
        for style in Style::ALL {
            assert!(large(style).text().is_err() && large(style).run(|_| panic!()).is_err());
        }
        let told = large(Style::Bits).run(|_| ControlFlow::Continue(()));
        assert_eq!(
            told.unwrap_err().to_string(),
            "style bits supports N up to 32, not 300"
        );
    }

    #[test]
    fn no_style_outgrows_its_board() {
        for style in Style::ALL {
            assert!(style.largest_n() <= style.representation().largest_n());
        }
    }

    #[test]
    fn every_style_shows_the_same_search() {
        let events = |style| {
            let mut all = Vec::new();
            run(&Board::new(6), style, Until::All, None, |event| {
                all.push(event);
                ControlFlow::Continue(())
            });
            all
        };
        let first = events(Style::Tuple);
        for style in Style::ALL {
            assert_eq!(events(style), first, "style {}", style.name());
        }
        // And so does the search for any board.
        let mut any = Vec::new();
        let _all = walk_board(&Board::new(6), |event, _| {
            any.push(event);
            ControlFlow::Continue(())
        });
        assert_eq!(any, first);
    }

    #[test]
    fn a_limit_that_is_just_enough_is_not_a_cut() {
        let count = |limit| {
            let mut seen = 0;
            let end = run(&Board::new(4), Style::Tuple, Until::All, limit, |_| {
                seen += 1;
                ControlFlow::Continue(())
            });
            (seen, end)
        };
        let (all, end) = count(None);
        assert_eq!(end, End::Complete);
        assert_eq!(count(Some(all)), (all, End::Complete));
        assert_eq!(count(Some(all - 1)), (all - 1, End::Limit(all - 1)));
        assert_eq!(count(Some(0)), (0, End::Limit(0)));
    }

    #[test]
    fn squares_tried_to_the_first_solution_follow_a140450() {
        let tried = |n| {
            let mut stats = Stats::new(n);
            run(&Board::new(n), Style::Tuple, Until::First, None, |event| {
                stats.apply(event);
                ControlFlow::Continue(())
            });
            (stats.tried, stats.solutions)
        };
        let known = [
            (1, 1),
            (4, 26),
            (5, 15),
            (6, 171),
            (7, 42),
            (8, 876),
            (9, 333),
            (10, 975),
        ];
        for (n, squares) in known {
            assert_eq!(tried(n), (squares, 1), "n = {n}");
        }
    }
}
