//! The box trace of the CSE 15 assignment: a board per recursive call.
//!
//! A box holds the board as the call finds it: `Q` for a queen, `-k` for a square that
//! `k` queens above attack. On a board with given queens these count too, wherever they stand, and
//! `#` is a blocked square; a call for the row after one that stays empty says so. Under the box
//! stand the value the call returned and an `X` if the next row had no safe square. The boxes form
//! the tree of calls. Up to n = 5, enough for the two exercises of the assignment, each first
//! queen's part of that tree is drawn as a tree; larger boards would not fit a page, so their boxes
//! follow each other, indented by level.
//!
//! The value of a call is known when it returns, so a first queen's part is printed when
//! the search is done with it. A call that a limit cut short shows `...` for its value.
//!
//! Painted, the trace looks as in the assignment: rows and columns are numbered from 1, the
//! root is joined to its children, and each queen has a [`Tint`] that she shares with the
//! squares she attacks. [`Tint`] knows the colours; the terminal gets them as escape sequences
//! and the page as classes.

use super::super::Event;
use super::{State, panel};
use crate::placement::Square;
use crate::puzzle::Board;

/// The largest board whose boxes are drawn as a tree.
pub const MAX_DRAWN: usize = 5;

/// How a character of the trace is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tint {
    /// Not at all: frames, numbers, words.
    Plain,
    /// A square that no queen attacks from above.
    Paper,
    /// The queen of this row, from 0.
    Queen(u8),
    /// A square attacked by the queen of this row and no other.
    Attacked(u8),
    /// A square attacked by several queens.
    Several,
    /// A blocked square.
    Blocked,
}

/// The queens' colours, row by row, for a terminal of 256 colours: the queen, and the squares she
/// attacks. The first four are the assignment's blue, red, green and black.
const TERMINAL: [(u8, u8); 8] = [
    (20, 153),
    (160, 217),
    (28, 157),
    (16, 250),
    (130, 223),
    (30, 152),
    (94, 180),
    (240, 253),
];

impl Tint {
    /// The tint of a square: of the queen on it, or of those that attack it, from above or
    /// because they are given.
    ///
    /// ```
    /// use queens::Square;
    /// use queens::search::Event;
    /// use queens::search::trace::{State, Tint};
    ///
    /// let mut state = State::new(4);
    /// state.apply(Event::Place { row: 0, col: 1 });
    /// assert_eq!(Tint::of(&state, Square::new(0, 1)), Tint::Queen(0));
    /// assert_eq!(Tint::of(&state, Square::new(3, 1)), Tint::Attacked(0));
    /// assert_eq!(Tint::of(&state, Square::new(1, 3)), Tint::Paper);
    /// ```
    pub fn of(state: &State, square: Square) -> Tint {
        if state.queen(square.row) == Some(square.col) {
            return Tint::Queen(square.row as u8);
        }
        if state.is_blocked(square) {
            return Tint::Blocked;
        }
        let mut attacks = state.attacks(square);
        match (attacks.next(), attacks.next()) {
            (None, _) => Tint::Paper,
            (Some(attack), None) => Tint::Attacked(attack.queen() as u8),
            (Some(_), Some(_)) => Tint::Several,
        }
    }

    /// The colours of ink and ground, of the 256 of a terminal; plain text has none.
    pub fn terminal(self) -> Option<(u8, u8)> {
        let of = |row: u8| TERMINAL[usize::from(row) % TERMINAL.len()];
        match self {
            Tint::Plain => None,
            Tint::Paper => Some((16, 231)),
            Tint::Queen(row) => Some((of(row).0, 231)),
            Tint::Attacked(row) => Some((16, of(row).1)),
            Tint::Several => Some((16, 183)),
            Tint::Blocked => Some((231, 240)),
        }
    }

    /// The escape sequence that switches a terminal to this tint.
    fn escape(self) -> String {
        let Some((ink, ground)) = self.terminal() else {
            return "\x1b[0m".to_owned();
        };
        let bold = if matches!(self, Tint::Queen(_)) {
            "1;"
        } else {
            ""
        };
        format!("\x1b[0;{bold}38;5;{ink};48;5;{ground}m")
    }

    /// The class of the page's style sheet; none for plain text.
    fn class(self) -> Option<String> {
        match self {
            Tint::Plain => None,
            Tint::Paper => Some("paper".to_owned()),
            Tint::Queen(row) => Some(format!("paper queen{}", row + 1)),
            Tint::Attacked(row) => Some(format!("paper by{}", row + 1)),
            Tint::Several => Some("paper several".to_owned()),
            Tint::Blocked => Some("blocked".to_owned()),
        }
    }
}

/// A line of characters and their tints.
type Line = Vec<(char, Tint)>;

fn plain(text: &str) -> Line {
    text.chars().map(|c| (c, Tint::Plain)).collect()
}

/// One recursive call.
#[derive(Clone, Debug)]
struct Call {
    lines: Vec<Line>,
    children: Vec<usize>,
    value: Option<u64>,
    dead_end: bool,
    /// Whether the row above was left empty, which the board does not show.
    empty: bool,
}

/// The calls seen so far that are not printed yet.
#[derive(Clone, Debug)]
pub struct Boxes {
    n: usize,
    /// Whether rows may stay empty.
    skips: bool,
    calls: Vec<Call>,
    /// The calls in progress, the outermost first.
    open: Vec<usize>,
    /// Whether all is kept to the end and drawn as one tree.
    whole: bool,
    paint: Paint,
}

/// What becomes of the tints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paint {
    /// They are left out, and so are the numbers.
    None,
    /// Escape sequences.
    Terminal,
    /// Elements of HTML.
    Html,
}

impl Paint {
    /// A line as text, without blanks at its end.
    fn write(self, line: &[(char, Tint)], out: &mut String) {
        let used = line
            .iter()
            .rposition(|&(c, tint)| c != ' ' || tint != Tint::Plain);
        let line = &line[..used.map_or(0, |last| last + 1)];
        for run in line.chunk_by(|a, b| a.1 == b.1) {
            let text: String = run.iter().map(|&(c, _)| c).collect();
            let tint = run[0].1;
            match (self, tint.class()) {
                (Paint::Terminal, Some(_)) => {
                    let (on, off) = (tint.escape(), Tint::Plain.escape());
                    out.push_str(&format!("{on}{text}{off}"));
                }
                (Paint::Html, Some(class)) => {
                    out.push_str(&format!("<span class=\"{class}\">{text}</span>"));
                }
                _ => out.push_str(&text),
            }
        }
        out.push('\n');
    }
}

impl Boxes {
    /// Before the first event.
    pub fn new(board: &Board) -> Self {
        Boxes {
            n: board.n(),
            skips: board.queens() < board.n(),
            calls: Vec::new(),
            open: Vec::new(),
            whole: false,
            paint: Paint::None,
        }
    }

    /// With the colours, numbers and lines of the document, for a terminal.
    #[must_use]
    pub fn painted(mut self) -> Self {
        self.paint = Paint::Terminal;
        self
    }

    fn numbered(&self) -> bool {
        self.paint != Paint::None
    }

    /// Takes an event and returns the boxes that are complete, if that completes any.
    pub fn event(&mut self, event: Event, state: &State) -> String {
        match event {
            Event::Enter { row } => {
                let call = self.calls.len();
                self.calls.push(Call {
                    lines: boxed(state, self.numbered()),
                    children: Vec::new(),
                    value: None,
                    dead_end: false,
                    empty: state.cols.last() == Some(&None),
                });
                if let Some(&parent) = self.open.last() {
                    self.calls[parent].children.push(call);
                }
                self.open.push(call);
                // The outermost box opens the trace; its value comes at the very end.
                if row == 0 && !self.whole && self.n > 0 {
                    return self.plain(call, 0);
                }
            }
            Event::DeadEnd { .. } => {
                if let Some(&call) = self.open.last() {
                    self.calls[call].dead_end = true;
                }
            }
            Event::Leave { row, solutions } => {
                if let Some(call) = self.open.pop() {
                    self.calls[call].value = Some(solutions);
                    if row == 1 && !self.whole {
                        return self.part(call);
                    }
                    if row == 0 && !self.whole {
                        self.calls.truncate(1);
                        self.open.clear();
                        let joint = if self.joined() { " └─ " } else { "" };
                        return format!("{joint}the outermost call returns {solutions}\n");
                    }
                }
            }
            _ => {}
        }
        String::new()
    }

    /// The boxes of calls that were cut short, and with `whole` all boxes.
    pub fn finish(&mut self) -> String {
        self.open.clear();
        if self.whole {
            return self.draw(0);
        }
        match self.calls.first().and_then(|root| root.children.last()) {
            Some(&first) if first < self.calls.len() => self.part(first),
            _ => String::new(),
        }
    }

    /// Whether a line leads from the root to each part.
    fn joined(&self) -> bool {
        self.numbered() && self.n <= MAX_DRAWN
    }

    /// Prints the part of the tree below one queen of the first row, and forgets it.
    fn part(&mut self, call: usize) -> String {
        let out = if self.joined() {
            self.draw_joined(call)
        } else if self.n <= MAX_DRAWN {
            self.draw(call) + "\n"
        } else {
            self.list(call, 1) + "\n"
        };
        self.calls.truncate(1);
        self.calls[0].children.clear();
        out
    }

    /// The line under a box.
    fn foot(&self, call: &Call) -> String {
        let value = call.value.map_or("...".to_owned(), |v| v.to_string());
        let mark = if call.dead_end { "X " } else { "" };
        let empty = if call.empty { "empty: " } else { "" };
        format!("{mark}{empty}returns {value}")
    }

    /// A box by itself, without its foot.
    fn plain(&self, call: usize, indent: usize) -> String {
        let mut out = String::new();
        for line in &self.calls[call].lines {
            out.push_str(&"    ".repeat(indent));
            self.paint.write(line, &mut out);
        }
        // A joined root goes on below.
        if !self.joined() {
            out.push('\n');
        }
        out
    }

    fn list(&self, call: usize, indent: usize) -> String {
        let margin = "    ".repeat(indent);
        let it = &self.calls[call];
        let mut out = self.plain(call, indent);
        out.pop();
        out.push_str(&format!("{margin}{}\n", self.foot(it)));
        for &child in &it.children {
            out.push_str(&self.list(child, indent + 1));
        }
        out
    }

    /// The tree below a call, boxes side by side.
    fn draw(&self, call: usize) -> String {
        let mut canvas = Vec::new();
        self.place(call, 0, 0, &mut canvas);
        let mut out = String::new();
        for line in canvas {
            self.paint.write(&line, &mut out);
        }
        out
    }

    /// The same, hung on a line that comes down from the root at the left.
    fn draw_joined(&self, call: usize) -> String {
        let mut canvas = Vec::new();
        let middle = self.place(call, 3, 2, &mut canvas);
        for y in 0..canvas.len() {
            write(&mut canvas, 1, y, &plain("│"));
        }
        write(&mut canvas, 1, 1, &plain("├"));
        for x in 2..middle {
            write(&mut canvas, x, 1, &plain("─"));
        }
        write(&mut canvas, middle, 1, &plain("┐"));
        let mut out = String::new();
        for line in canvas {
            self.paint.write(&line, &mut out);
        }
        out
    }

    /// How many columns the tree below a call takes.
    fn width(&self, call: usize) -> usize {
        let it = &self.calls[call];
        let own = self.slot();
        it.children
            .iter()
            .map(|&child| self.width(child))
            .sum::<usize>()
            .max(own)
    }

    /// The columns of one box and the gap to the next.
    fn slot(&self) -> usize {
        let number = usize::from(self.numbered());
        let foot = match self.skips {
            true => "X empty: returns 0",
            false => "X returns 0",
        };
        (self.n * 3 + 2 + number).max(foot.len()) + 2
    }

    /// Draws the tree below a call with its left edge at `left`, and returns the column of
    /// the middle of its box.
    fn place(&self, call: usize, left: usize, top: usize, canvas: &mut Vec<Line>) -> usize {
        let it = &self.calls[call];
        let height = it.lines.len();
        let below = top + height + 3;
        let mut middles = Vec::new();
        let mut x = left;
        for &child in &it.children {
            middles.push(self.place(child, x, below, canvas));
            x += self.width(child);
        }
        let middle = match (middles.first(), middles.last()) {
            (Some(first), Some(last)) => (first + last) / 2,
            _ => left + (self.slot() - 2) / 2,
        };
        let boxed = it.lines.last().map_or(0, Vec::len);
        for (k, line) in it.lines.iter().enumerate() {
            write(canvas, middle.saturating_sub(boxed / 2), top + k, line);
        }
        let foot = self.foot(it);
        write(
            canvas,
            middle.saturating_sub(foot.len() / 2),
            top + height,
            &plain(&foot),
        );
        if let (Some(&first), Some(&last)) = (middles.first(), middles.last()) {
            for x in first..=last {
                write(canvas, x, top + height + 1, &plain("─"));
            }
            for &x in &middles {
                let corner = match (x == first, x == last) {
                    (true, true) => "│",
                    (true, false) => "┌",
                    (false, true) => "┐",
                    (false, false) => "┬",
                };
                write(canvas, x, top + height + 1, &plain(corner));
                write(canvas, x, top + height + 2, &plain("│"));
            }
            let joint = match canvas[top + height + 1][middle].0 {
                '─' => "┴",
                '┬' => "┼",
                _ => "│",
            };
            write(canvas, middle, top + height + 1, &plain(joint));
        }
        middle
    }
}

fn write(canvas: &mut Vec<Line>, x: usize, y: usize, text: &[(char, Tint)]) {
    if canvas.len() <= y {
        canvas.resize(y + 1, Vec::new());
    }
    let row = &mut canvas[y];
    if row.len() < x + text.len() {
        row.resize(x + text.len(), (' ', Tint::Plain));
    }
    row[x..x + text.len()].copy_from_slice(text);
}

/// The board in a frame, with numbers from 1 along its edges if they are wanted.
fn boxed(state: &State, numbered: bool) -> Vec<Line> {
    let n = state.n;
    let margin = if numbered { " " } else { "" };
    let edge = "─".repeat(n * 3 + usize::from(n == 0));
    let mut out = Vec::new();
    if numbered {
        let numbers: String = (1..=n).map(|col| format!("{col:>2} ")).collect();
        out.push(plain(&format!("  {numbers}")));
    }
    out.push(plain(&format!("{margin}┌{edge}┐")));
    let rows = panel::box_lines(state);
    for (row, cells) in rows.iter().enumerate() {
        let mut line = if numbered {
            plain(&format!("{}│", row + 1))
        } else {
            plain("│")
        };
        // Every square is three characters wide: two of its own and a blank.
        let text = format!("{cells} ");
        let tint = |k: usize| Tint::of(state, Square::new(row, k / 3));
        line.extend((text.chars().enumerate()).map(|(k, c)| (c, tint(k))));
        line.extend(plain("│"));
        out.push(line);
    }
    out.push(plain(&format!("{margin}└{edge}┘")));
    out
}

/// The whole box trace as one tree, numbered and painted, for the inside of a `pre` element. The
/// classes of its squares are `paper`, `several`, `blocked`, and with the number of a queen, from
/// 1, `queen` for her own and `by` for those she attacks.
///
/// # Panics
///
/// When `n` is above 255.
pub fn html_tree(board: &Board, until: super::Until, limit: Option<u64>) -> String {
    let mut boxes = Boxes::new(board);
    boxes.whole = true;
    boxes.paint = Paint::Html;
    let mut state = State::on(board);
    super::run(board, super::Style::Box, until, limit, |event| {
        state.apply(event);
        boxes.event(event, &state);
        std::ops::ControlFlow::Continue(())
    });
    boxes.finish()
}

#[cfg(test)]
mod tests {
    use super::super::{Style, TextTrace, Trace, Until};
    use super::*;
    use std::ops::ControlFlow;

    fn painted(n: usize) -> String {
        let mut trace = TextTrace::new(n, Style::Box).painted();
        let mut out = String::new();
        let walk = Trace::new(n).style(Style::Box).until(Until::All);
        let end = walk.run(|event| {
            out.push_str(&trace.event(event));
            ControlFlow::Continue(())
        });
        out + &trace.finish(end.unwrap())
    }

    /// Takes the escape sequences out.
    fn bare(text: &str) -> String {
        let mut parts = text.split('\x1b');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out.push_str(part.split_once('m').expect("an escape sequence ends").1);
        }
        out
    }

    #[test]
    fn the_colours_are_those_of_the_assignment() {
        let mut state = State::new(4);
        for (row, col) in [(0, 1), (1, 3)] {
            state.apply(Event::Place { row, col });
        }
        let tints: Vec<Vec<Tint>> = (0..4)
            .map(|row| {
                (0..4)
                    .map(|col| Tint::of(&state, Square::new(row, col)))
                    .collect()
            })
            .collect();
        let (blue, red) = (Tint::Attacked(0), Tint::Attacked(1));
        assert_eq!(tints[1], [blue, blue, blue, Tint::Queen(1)]);
        // "two of these squares, (3, 4) and (4, 2), are attacked by both"
        assert_eq!(tints[2], [Tint::Paper, blue, red, Tint::Several]);
        assert_eq!(tints[3], [Tint::Paper, Tint::Several, Tint::Paper, red]);
    }

    #[test]
    fn paint_and_numbers_are_all_that_is_added_to_a_box() {
        for n in [4, 5, 6] {
            let squares = |text: &str| -> Vec<String> {
                let cells = |c: char| "Q.-0123456789".contains(c);
                text.split('│')
                    .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
                    .filter(|part| part.contains(['Q', '.']) && !part.contains('r'))
                    .filter(|part| part.split(' ').all(|cell| cell.chars().all(cells)))
                    .collect()
            };
            let plain = Trace::new(n).style(Style::Box).until(Until::All).text();
            let plain = squares(&plain.unwrap());
            assert!(plain.len() > 30);
            assert_eq!(squares(&bare(&painted(n))), plain, "n = {n}");
        }
    }

    #[test]
    fn the_root_is_joined_to_every_first_queen() {
        let out = bare(&painted(4));
        assert_eq!(
            out.lines().filter(|line| line.starts_with(" ├─")).count(),
            4
        );
        assert!(out.contains(" └─ the outermost call returns 2\n"));
        assert!(out.starts_with("   1  2  3  4\n ┌────────────┐\n1│ .  .  .  . │\n"));
    }

    #[test]
    fn the_tree_of_a_page_has_a_box_for_every_call_and_a_span_for_every_run_of_squares() {
        let tree = html_tree(&Board::new(4), Until::All, None);
        assert_eq!(
            tree.matches("<span ").count(),
            tree.matches("</span>").count()
        );
        for class in ["paper queen1", "paper queen4", "paper by3", "paper several"] {
            assert!(tree.contains(&format!("\"{class}\"")), "{class}");
        }
        assert_eq!(tree.matches("X returns 0").count(), 4);
        assert_eq!(tree.matches("returns").count(), 17);
    }
}
