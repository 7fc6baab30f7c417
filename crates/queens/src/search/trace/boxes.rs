//! The box trace of the CSE 15 assignment: a board per recursive call.
//!
//! A box holds the board as the call finds it: `Q` for a queen, `-k` for a square that
//! `k` queens above attack. Under it stand the value the call returned and an `X` if the
//! next row had no safe square. The boxes form the tree of calls. Up to n = 5, which are
//! the two exercises of the assignment, each first queen's part of that tree is drawn as
//! a tree; larger boards would not fit a page, so their boxes follow each other, indented
//! by level.
//!
//! The value of a call is known when it returns, so a first queen's part is printed when
//! the search is done with it. A call that a limit cut short shows `...` for its value.

use super::super::Event;
use super::{State, panel};
use crate::board::AttackCount;

/// The largest board whose boxes are drawn as a tree.
pub const MAX_DRAWN: usize = 5;

/// One recursive call.
#[derive(Clone, Debug)]
struct Call {
    lines: Vec<String>,
    children: Vec<usize>,
    value: Option<u64>,
    dead_end: bool,
}

/// The calls seen so far that are not printed yet.
#[derive(Clone, Debug)]
pub struct Boxes {
    n: usize,
    calls: Vec<Call>,
    /// The calls in progress, the outermost first.
    open: Vec<usize>,
    /// Whether all is kept to the end and drawn as one tree.
    whole: bool,
}

impl Boxes {
    /// Before the first event.
    pub fn new(n: usize) -> Self {
        Boxes {
            n,
            calls: Vec::new(),
            open: Vec::new(),
            whole: false,
        }
    }

    /// Takes an event and returns the boxes that are complete, if that completes any.
    pub fn event(&mut self, event: Event, state: &State) -> String {
        match event {
            Event::Enter { row } => {
                let call = self.calls.len();
                self.calls.push(Call {
                    lines: frame(&panel::box_lines(&state.board::<AttackCount>())),
                    children: Vec::new(),
                    value: None,
                    dead_end: false,
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
                        return format!("the outermost call returns {solutions}\n");
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

    /// Prints the part of the tree below one queen of the first row, and forgets it.
    fn part(&mut self, call: usize) -> String {
        let out = if self.n <= MAX_DRAWN {
            self.draw(call)
        } else {
            self.list(call, 1)
        };
        self.calls.truncate(1);
        self.calls[0].children.clear();
        out + "\n"
    }

    /// The line under a box.
    fn foot(&self, call: &Call) -> String {
        let value = call.value.map_or("...".to_owned(), |v| v.to_string());
        let mark = if call.dead_end { "X " } else { "" };
        format!("{mark}returns {value}")
    }

    /// A box by itself, without its foot.
    fn plain(&self, call: usize, indent: usize) -> String {
        let margin = "    ".repeat(indent);
        let mut out = String::new();
        for line in &self.calls[call].lines {
            out.push_str(&format!("{margin}{line}\n"));
        }
        out + "\n"
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
        let mut canvas: Vec<Vec<char>> = Vec::new();
        self.place(call, 0, 0, &mut canvas);
        let mut out = String::new();
        for row in canvas {
            let line: String = row.into_iter().collect();
            out.push_str(line.trim_end());
            out.push('\n');
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
        (self.n * 3 + 2).max("X returns 0".len()) + 2
    }

    /// Draws the tree below a call with its left edge at `left`, and returns the column of
    /// the middle of its box.
    fn place(&self, call: usize, left: usize, top: usize, canvas: &mut Vec<Vec<char>>) -> usize {
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
        let boxed = it.lines.first().map_or(0, |line| line.chars().count());
        for (k, line) in it.lines.iter().enumerate() {
            write(canvas, middle.saturating_sub(boxed / 2), top + k, line);
        }
        let foot = self.foot(it);
        write(
            canvas,
            middle.saturating_sub(foot.len() / 2),
            top + height,
            &foot,
        );
        if let (Some(&first), Some(&last)) = (middles.first(), middles.last()) {
            for x in first..=last {
                write(canvas, x, top + height + 1, "─");
            }
            for &x in &middles {
                let corner = match (x == first, x == last) {
                    (true, true) => "│",
                    (true, false) => "┌",
                    (false, true) => "┐",
                    (false, false) => "┬",
                };
                write(canvas, x, top + height + 1, corner);
                write(canvas, x, top + height + 2, "│");
            }
            let joint = match canvas[top + height + 1][middle] {
                '─' => "┴",
                '┬' => "┼",
                _ => "│",
            };
            write(canvas, middle, top + height + 1, joint);
        }
        middle
    }
}

fn write(canvas: &mut Vec<Vec<char>>, x: usize, y: usize, text: &str) {
    if canvas.len() <= y {
        canvas.resize(y + 1, Vec::new());
    }
    let row = &mut canvas[y];
    for (k, c) in text.chars().enumerate() {
        if row.len() <= x + k {
            row.resize(x + k + 1, ' ');
        }
        row[x + k] = c;
    }
}

/// Lines with a frame around them.
fn frame(lines: &[String]) -> Vec<String> {
    let inner = lines.iter().map(|line| line.len()).max().unwrap_or(0) + 1;
    let edge = "─".repeat(inner);
    let mut out = vec![format!("┌{edge}┐")];
    for line in lines {
        out.push(format!("│{line} │"));
    }
    out.push(format!("└{edge}┘"));
    out
}

/// The whole box trace as one tree, for a page wide enough to hold it.
///
/// # Panics
///
/// When `n` is above 255.
pub fn tree(n: usize, until: super::Until, limit: Option<u64>) -> String {
    let mut boxes = Boxes::new(n);
    boxes.whole = true;
    let mut state = State::new(n);
    super::run(n, super::Style::Box, until, limit, |event| {
        state.apply(event);
        boxes.event(event, &state);
        std::ops::ControlFlow::Continue(())
    });
    boxes.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_has_a_box_for_every_call() {
        let tree = tree(4, crate::search::trace::Until::All, None);
        assert_eq!(tree.matches("X returns 0").count(), 4);
        assert_eq!(tree.matches("returns").count(), 17);
    }
}
