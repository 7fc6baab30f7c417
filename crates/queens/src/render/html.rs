//! A trace as a page of its own: it steps forward and back through one search.
//!
//! All that the page shows is made here, from the same panels and sentences as the text
//! and the player: a frame per event points into tables of placements, panels and sentences, each
//! stored once however often it comes back. The script in `page.html` only picks a frame, so
//! stepping back needs no second way of computing anything. The file needs nothing else and asks
//! the network for nothing.
//!
//! A page holds at most [`MAX_EVENTS`] events, enough for all of n = 8 (24 thousand, about 2 MB).

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::ops::ControlFlow;

use super::svg;
use crate::json::Object;
use crate::puzzle::Board;
use crate::search::trace::{End, State, Style, Until, boxes, code, narrate, panel, run};
use crate::search::{Event, Verdict};

/// The most events a page holds.
pub const MAX_EVENTS: u64 = 50_000;

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PageError {
    /// The trace is longer than [`MAX_EVENTS`].
    TooLong {
        /// Whether the whole search was asked for.
        all: bool,
    },
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PageError::TooLong { all } = self;
        let until = if *all {
            ", or end at the first solution"
        } else {
            ""
        };
        write!(
            f,
            "a page holds at most {MAX_EVENTS} events and this trace is longer; set a limit of \
             {MAX_EVENTS}{until}"
        )
    }
}

impl std::error::Error for PageError {}

/// A table that stores equal rows once.
struct Table<T> {
    places: HashMap<T, usize>,
    rows: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table {
            places: HashMap::new(),
            rows: Vec::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn place(&mut self, row: T) -> usize {
        if let Some(&place) = self.places.get(&row) {
            return place;
        }
        let place = self.rows.len();
        self.rows.push(row.clone());
        self.places.insert(row, place);
        place
    }
}

/// The number by which the page's script knows a kind of event.
fn kind(event: Option<Event>) -> usize {
    match event {
        None => 0,
        Some(Event::Enter { .. }) => 1,
        Some(Event::Try {
            verdict: Verdict::Free,
            ..
        }) => 2,
        Some(Event::Try {
            verdict: Verdict::Blocked,
            ..
        }) => 9,
        Some(Event::Try { .. }) => 3,
        Some(Event::Place { .. }) => 4,
        Some(Event::Solution) => 5,
        Some(Event::DeadEnd { .. }) => 6,
        Some(Event::Leave { .. }) => 7,
        Some(Event::Undo { .. }) => 8,
        Some(Event::Skip { .. }) => 10,
        Some(Event::Unskip { .. }) => 11,
    }
}

/// Row, column and attacking queen of an event, 0 where it has none.
fn squares(event: Option<Event>) -> [usize; 3] {
    match event {
        Some(Event::Try { row, col, verdict }) => match verdict {
            Verdict::Free => [row, col, 0],
            Verdict::Refused(attack) => [row, col, attack.queen()],
            Verdict::Blocked => [row, col, 0],
        },
        Some(Event::Place { row, col } | Event::Undo { row, col }) => [row, col, 0],
        Some(
            Event::Enter { row }
            | Event::Skip { row }
            | Event::Unskip { row }
            | Event::DeadEnd { row }
            | Event::Leave { row, .. },
        ) => [row, 0, 0],
        Some(Event::Solution) | None => [0, 0, 0],
    }
}

/// The frames of a page and the tables they point into.
#[derive(Default)]
struct Frames {
    boards: Table<Vec<Option<usize>>>,
    panels: Table<String>,
    says: Table<String>,
    frames: Vec<usize>,
}

impl Frames {
    fn push(&mut self, style: Style, listing: &[(code::Role, &'static str)], state: &State) {
        let [row, col, queen] = squares(state.last);
        let line = state.last.map_or(0, |event| code::line_of(listing, event));
        self.frames.extend([
            self.boards.place(state.cols.clone()),
            self.panels.place(panel::lines(style, state).join("\n")),
            self.says.place(narrate::says(style, state)),
            line,
            kind(state.last),
            row,
            col,
            queen,
            state.stats.solutions as usize,
        ]);
    }
}

/// JSON that may stand inside a `script` element: nothing in it looks like its end. A `<`
/// occurs in texts only, where JSON has another way to write it.
fn for_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The trace as a complete, self-contained HTML page.
///
/// ```
/// use queens::Board;
/// use queens::render::html;
/// use queens::search::trace::{Style, Until};
///
/// let page = html::page(&Board::new(4), Style::Bits, Until::First, None).unwrap();
/// assert!(page.starts_with("<!doctype html>"));
/// assert!(!page.contains("src="));
/// ```
///
/// # Errors
///
/// When the trace is longer than [`MAX_EVENTS`].
///
/// # Panics
///
/// When the board is above the limit of the style's representation: [`Style::check_board`].
pub fn page(
    board: &Board,
    style: Style,
    until: Until,
    limit: Option<u64>,
) -> Result<String, PageError> {
    let n = board.n();
    let capped = limit.unwrap_or(u64::MAX).min(MAX_EVENTS);
    let listing = code::listing_on(style, board);
    let mut state = State::on(board);
    let mut frames = Frames::default();
    frames.push(style, &listing, &state);
    let end = run(board, style, until, Some(capped), |event| {
        state.apply(event);
        frames.push(style, &listing, &state);
        ControlFlow::Continue(())
    });
    if matches!(end, End::Limit(_)) && limit.is_none_or(|limit| limit > MAX_EVENTS) {
        return Err(PageError::TooLong {
            all: until == Until::All,
        });
    }
    let note = match end {
        End::Limit(k) => format!("Cut by the limit of {k} events; the search goes on"),
        End::First => "The first solution ends this trace".to_owned(),
        End::Complete | End::Stopped => "The search is complete".to_owned(),
    };
    let code = listing.iter().map(|(_, line)| *line);
    let mut data = Object::new().set("n", n);
    if !board.is_plain() {
        data = data
            .list("given", board.given())
            .list("blocked", board.blocked());
    }
    let data = data
        .set("style", style.name())
        .set("first", style.first_number())
        .set("note", note)
        .set("queen", svg::queen_shape())
        .list("code", code)
        .new_line()
        .set("boards", &frames.boards.rows)
        .new_line()
        .set("says", &frames.says.rows)
        .new_line()
        .set("panels", &frames.panels.rows)
        .new_line()
        .set("frames", &frames.frames)
        .end();
    let figure = if style == Style::Box && n <= boxes::MAX_DRAWN {
        format!(
            "<details open><summary>The whole box trace</summary>\n\
             <pre tabindex=\"0\" aria-label=\"box trace\">{}</pre></details>",
            boxes::html_tree(board, until, limit)
        )
    } else {
        String::new()
    };
    let scope = match until {
        Until::First => "up to the first solution",
        Until::All => "the whole search",
    };
    // The data comes last: what it contains must not be taken for a placeholder.
    Ok(include_str!("page.html")
        .replace("@TITLE@", &format!("{}, {scope}", board.problem()))
        .replace(
            "@SUMMARY@",
            &format!("Style {}: {}.", style.name(), style.summary()),
        )
        .replace("@PANEL@", panel_name(style))
        .replace("@FIGURE@", &figure)
        .replacen("@DATA@", &for_script(&data), 1))
}

/// A heading for the panel of a style.
pub fn panel_name(style: Style) -> &'static str {
    match style {
        Style::Tuple => "The way here",
        Style::Steps => "The row at work",
        Style::Box => "B, minus the number of attackers above",
        Style::Attackers => "Earliest attackers",
        Style::Lines => "The four arrays",
        Style::Grid => "Zeros and ones",
        Style::Bits => "Bit vectors, column 0 last",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_leaves_no_placeholder_behind() {
        for style in Style::ALL {
            let page = page(&Board::new(4), style, Until::All, None).unwrap();
            for name in ["@TITLE@", "@SUMMARY@", "@PANEL@", "@FIGURE@", "@DATA@"] {
                assert!(!page.contains(name), "{name} in style {}", style.name());
            }
        }
    }

    #[test]
    fn a_page_too_long_is_refused_and_a_limit_helps() {
        assert!(page(&Board::new(8), Style::Tuple, Until::All, None).is_ok());
        let error = page(&Board::new(9), Style::Tuple, Until::All, None).unwrap_err();
        assert!(error.to_string().contains("limit of 50000, or end at"));
        let cut = page(&Board::new(9), Style::Tuple, Until::All, Some(100)).unwrap();
        assert!(cut.contains("Cut by the limit of 100 events"));
        assert!(page(&Board::new(9), Style::Tuple, Until::All, Some(60_000)).is_err());
    }

    #[test]
    fn data_stays_inside_its_element() {
        let data = Object::new().set("says", "a</script>\"").end();
        assert_eq!(for_script(&data), r#"{"says":"a\u003c/script>\""}"#);
    }
}
