//! The screen of the player: board at the left, algorithm and representation at the right.
//!
//! Everything for a board of 8 fits 80 by 24, and the squares grow with the window. A
//! representation that is too wide to stand at the right goes below, across the window. A block
//! with too little room shows the lines around the current one and says how many it leaves out;
//! a line that is too long ends in `…`.
//!
//! Marks differ in their letter as well as in their colour: `Q` a queen, `x` a square attacked,
//! `.` a free one, `?` the square being tried, `#` that square refused, with the queen to blame
//! shown reversed. Squares are light and dark as in the pictures: row 0, column 0 is light.

use queens::render::html::panel_name;
use queens::search::Event;
use queens::search::trace::{Cell, State, Style as View, Tint, code, narrate, panel, tuple_from};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use super::app::App;

/// The smallest window in which the player makes sense.
const SMALLEST: (u16, u16) = (60, 16);

/// The width that the longest listing takes, with its arrow.
const LISTING_WIDTH: u16 = 56;

const HELP: &[&str] = &[
    "right, n       step",
    "left, b        step back",
    "space          run, pause",
    "up, down       faster, slower",
    "page down, up  100 steps on, back",
    "d, s           next dead end, next solution",
    "home, g        the start",
    "end, G         the end of the search",
    "t              next style",
    "[  ]           smaller, larger board",
    "?              this help",
    "q, esc         quit",
    "Q queen   x attacked   . free",
    "? tried and free   # tried and refused",
];

/// The colours, or none of them. The values are Okabe and Ito's orange, green and blue,
/// which stay apart for all common kinds of colour vision.
struct Looks {
    colour: bool,
}

impl Looks {
    fn with(&self, style: Style, r: u8, g: u8, b: u8) -> Style {
        if self.colour {
            style.fg(Color::Rgb(r, g, b))
        } else {
            style
        }
    }

    fn warn(&self) -> Style {
        self.with(Style::new().add_modifier(Modifier::BOLD), 230, 159, 0)
    }

    fn good(&self) -> Style {
        self.with(Style::new().add_modifier(Modifier::BOLD), 0, 190, 140)
    }

    fn title(&self) -> Style {
        self.with(Style::new().add_modifier(Modifier::BOLD), 86, 180, 233)
    }

    fn dim(&self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    fn cell(&self, cell: Cell) -> (char, Style) {
        match cell {
            Cell::Queen => ('Q', Style::new().add_modifier(Modifier::BOLD)),
            Cell::Culprit => ('Q', self.warn().add_modifier(Modifier::REVERSED)),
            Cell::Tried => ('?', self.good().add_modifier(Modifier::REVERSED)),
            Cell::Refused => ('#', self.warn().add_modifier(Modifier::REVERSED)),
            Cell::Attacked if self.colour => ('x', Style::new()),
            Cell::Attacked => ('x', self.dim()),
            Cell::Blocked => ('▒', self.dim()),
            Cell::Free => ('.', Style::new()),
        }
    }

    /// The ground of a square and the ink of what stands on it.
    fn square(&self, dark: bool, cell: Cell) -> Style {
        if !self.colour {
            return Style::new();
        }
        let ground = if dark { 152 } else { 230 };
        let ink = match cell {
            Cell::Attacked | Cell::Blocked | Cell::Free => 240,
            _ => 16,
        };
        Style::new()
            .fg(Color::Indexed(ink))
            .bg(Color::Indexed(ground))
    }

    fn tint(&self, tint: Tint) -> Style {
        let style = match tint {
            Tint::Queen(_) => Style::new().add_modifier(Modifier::BOLD),
            _ => Style::new(),
        };
        match tint.terminal() {
            Some((ink, ground)) if self.colour => {
                style.fg(Color::Indexed(ink)).bg(Color::Indexed(ground))
            }
            _ => style,
        }
    }
}

/// Draws the player.
pub fn draw(frame: &mut Frame, app: &App, colour: bool) {
    let area = frame.area();
    let looks = Looks { colour };
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let words = format!(
            "The window is {} by {}; the player needs {} by {}. Enlarge it, or press q.",
            area.width, area.height, SMALLEST.0, SMALLEST.1
        );
        let wrap = ratatui::widgets::Wrap { trim: true };
        frame.render_widget(Paragraph::new(words).wrap(wrap), area);
        return;
    }
    let state = app.replay().state();
    let view = app.replay().style();
    // The sentences of style steps give their reasons, and may need more lines than others.
    let spare = match view {
        View::Steps => (area.height / 8).clamp(3, 8),
        _ => 2,
    };
    let [head, body, says, tally, keys] = Layout::vertical([
        Constraint::Length(if area.height < 28 { 1 } else { 2 }),
        Constraint::Fill(1),
        Constraint::Length(spare),
        Constraint::Length(2),
        Constraint::Length(1),
    ])
    .areas(area);
    show(frame, head, vec![heading(app, &looks)]);
    draw_body(frame, body, state, view, &looks);
    show(frame, says, spoken(app, says, &looks));
    show(frame, tally, tallies(state, view, &looks));
    let hint = if area.width < 80 {
        " ←/→ step  space run  t style  ? help  q quit"
    } else {
        " ←/→ step  space run  d dead end  s solution  t style  [ ] N  ? help  q quit"
    };
    show(frame, keys, vec![Line::styled(hint, looks.dim())]);
    if app.help() {
        help(frame, area, &looks);
    }
}

/// The board, the algorithm and the representation.
fn draw_body(frame: &mut Frame, body: Rect, state: &State, view: View, looks: &Looks) {
    let panel: Vec<Line> = panel::painted(view, state)
        .into_iter()
        .map(|pieces| {
            let spans = pieces.into_iter();
            let spans = spans.map(|(text, tint)| Span::styled(text, looks.tint(tint)));
            Line::from(spans.collect::<Vec<_>>())
        })
        .collect();
    let panel_width = panel.iter().map(Line::width).max().unwrap_or(0) as u16;
    let panel_height = panel.len() as u16 + 1;
    let smallest = Grid::fitting(state.n, body.width.saturating_sub(LISTING_WIDTH), 0);
    let below = panel_width > body.width.saturating_sub(smallest.width());
    let (upper, lower) = if below {
        // At most half of the height, so that the board keeps the other half.
        let lower = Constraint::Length(panel_height.min(body.height / 2));
        let [upper, lower] = Layout::vertical([Constraint::Fill(1), lower]).areas(body);
        (upper, Some(lower))
    } else {
        (body, None)
    };
    let beside = if below { 0 } else { panel_width };
    let room = upper.width.saturating_sub(beside.max(LISTING_WIDTH));
    let grid = Grid::fitting(state.n, room, upper.height);
    let [left, right] =
        Layout::horizontal([Constraint::Length(grid.width()), Constraint::Fill(1)]).areas(upper);
    show(
        frame,
        left,
        board(state, view, &grid, left.height.into(), looks),
    );
    let (code, panel_area) = match lower {
        Some(lower) => (right, lower),
        None => {
            let wanted = code::listing_on(view, state.puzzle()).len() as u16 + 2;
            let height = panel_height
                .min(right.height.saturating_sub(6))
                .max(right.height.saturating_sub(wanted));
            let lower = Constraint::Length(height);
            let [upper, lower] = Layout::vertical([Constraint::Fill(1), lower]).areas(right);
            (upper, lower)
        }
    };
    show(
        frame,
        code,
        algorithm(state, view, code.height.into(), looks),
    );
    let lines = representation(panel, state, view, panel_area.height.into(), looks);
    show(frame, panel_area, lines);
}

/// Puts lines into an area. Those that are too long end in a mark.
fn show(frame: &mut Frame, area: Rect, lines: Vec<Line>) {
    let width = usize::from(area.width);
    let lines: Vec<Line> = lines.into_iter().map(|line| clipped(line, width)).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

/// A line of at most `width` columns; `…` stands for what is left out.
fn clipped(line: Line<'_>, width: usize) -> Line<'_> {
    if line.width() <= width || width == 0 {
        return line;
    }
    let mut left = width - 1;
    let mut spans = Vec::new();
    for span in line.spans {
        let text: String = span.content.chars().take(left).collect();
        left -= text.chars().count();
        spans.push(Span::styled(text, span.style));
        if left == 0 {
            break;
        }
    }
    spans.push(Span::raw("…"));
    Line::from(spans).style(line.style)
}

/// As many of the lines as there is room for, with line `focus` among them. The first `fixed`
/// always stay; a mark says how many others are left out above and below.
fn excerpt<'a>(
    mut lines: Vec<Line<'a>>,
    room: usize,
    fixed: usize,
    focus: usize,
    looks: &Looks,
) -> Vec<Line<'a>> {
    if lines.len() <= room {
        return lines;
    }
    // Where there is hardly any room, the title alone stays.
    let fixed = if room < 5 { 1 } else { fixed };
    let mut rest = lines.split_off(fixed);
    let room = room.saturating_sub(fixed);
    let first = window(rest.len(), room, focus.saturating_sub(fixed));
    let after = rest.len() - (first + room).min(rest.len());
    let mut shown: Vec<Line> = rest.drain(first..).take(room).collect();
    let mark = |count: usize, whither: &str| {
        let s = if count == 1 { "" } else { "s" };
        Line::styled(format!("⋮ {count} line{s} {whither}"), looks.dim())
    };
    // A mark takes the place of a line, which is then left out too.
    if let Some(line) = shown.first_mut().filter(|_| first > 0) {
        *line = mark(first + 1, "above");
    }
    if let Some(line) = shown.last_mut().filter(|_| after > 0) {
        *line = mark(after + 1, "below");
    }
    lines.extend(shown);
    lines
}

/// The first of `shown` lines out of `count` such that line `focus` is among them, and, if
/// there are three or more, not at an edge where lines are left out.
fn window(count: usize, shown: usize, focus: usize) -> usize {
    let latest = count.saturating_sub(shown);
    focus.saturating_sub(shown / 2).min(latest)
}

/// What just happened, and what the last key had to say.
fn spoken<'a>(app: &App, area: Rect, looks: &Looks) -> Vec<Line<'a>> {
    let state = app.replay().state();
    let style = match state.last {
        Some(Event::Solution) => looks.good(),
        Some(Event::DeadEnd { .. }) => looks.warn(),
        _ => Style::new().add_modifier(Modifier::BOLD),
    };
    let message = app.message();
    let most = usize::from(area.height) - usize::from(message.is_some());
    let sentence = narrate::says(app.replay().style(), state);
    let mut lines = wrapped(&sentence, area.width.into(), most, style);
    if let Some(message) = message {
        lines.resize(most, Line::default());
        lines.push(Line::styled(message.to_owned(), looks.warn()));
    }
    lines
}

/// A sentence on as many lines as it needs, `most` at most; what does not fit is marked.
fn wrapped<'a>(sentence: &str, width: usize, most: usize, style: Style) -> Vec<Line<'a>> {
    let mut lines = vec![String::new()];
    for word in sentence.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            lines.push(word.to_owned());
        } else {
            let gap = if line.is_empty() { "" } else { " " };
            line.push_str(gap);
            line.push_str(word);
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            last.truncate(width.saturating_sub(2));
            last.push_str(" …");
        }
    }
    lines
        .into_iter()
        .map(|line| Line::styled(line, style))
        .collect()
}

fn heading<'a>(app: &App, looks: &Looks) -> Line<'a> {
    let replay = app.replay();
    let of = replay
        .len()
        .map_or(String::new(), |len| format!(" of {len}"));
    let pace = if app.running() { "running" } else { "paused" };
    let speed = app.speed();
    let s = if speed == 1.0 { "" } else { "s" };
    Line::from(vec![
        Span::styled(replay.state().puzzle().problem(), looks.title()),
        Span::raw(format!(
            "  style {}  step {}{of}  depth {}  {pace}, {speed} step{s}/s",
            replay.style().name(),
            replay.position(),
            replay.state().row,
        )),
    ])
}

/// How large the squares are drawn.
struct Grid {
    n: usize,
    /// Columns of a square; 1 where there is no room for a blank beside the mark.
    wide: usize,
    /// Lines of a square.
    high: usize,
}

impl Grid {
    /// The largest squares, twice as wide as high, with which a board fits the room. A board
    /// that does not fit gets the smallest.
    fn fitting(n: usize, width: u16, height: u16) -> Grid {
        let grid = |wide, high| Grid { n, wide, high };
        let fits = |high: &usize| {
            let grid = grid(2 * high, *high);
            grid.width() <= width && n * high < usize::from(height)
        };
        let high = (1..=12).rev().find(fits).unwrap_or(1);
        let narrow = high == 1 && grid(2, 1).width() > width.max(40);
        grid(if narrow { 1 } else { 2 * high }, high)
    }

    /// The columns left of the board: an arrow and a number, and a blank unless the first
    /// square begins with one.
    fn margin(&self) -> usize {
        if self.wide == 1 { 4 } else { 3 }
    }

    /// The columns that the board takes, with its numbers and a gap to what comes beside it.
    fn width(&self) -> u16 {
        (self.margin() + self.n * self.wide + 1) as u16
    }
}

fn board<'a>(state: &State, view: View, grid: &Grid, room: usize, looks: &Looks) -> Vec<Line<'a>> {
    let n = state.n;
    let from = view.first_number();
    let mut lines = vec![Line::styled(col_numbers(grid, from), looks.dim())];
    for row in 0..n {
        for k in 0..grid.high {
            // Number and marks stand in the middle of the squares.
            let middle = k == (grid.high - 1) / 2;
            let arrow = if row == state.row && middle { '>' } else { ' ' };
            let number = if middle {
                format!("{arrow}{:>2}", row + from)
            } else {
                String::new()
            };
            let number = format!("{number:<0$}", grid.margin());
            let mut spans = vec![Span::styled(number, looks.dim())];
            for col in 0..n {
                let cell = state.cell(row, col);
                let dark = (row + col) % 2 == 1;
                let (mark, style) = looks.cell(cell);
                let ground = looks.square(dark, cell);
                // Without colours, only squares of several lines show that they are dark.
                let fill = if dark && grid.high > 1 && !looks.colour {
                    "░"
                } else {
                    " "
                };
                if !middle {
                    spans.push(Span::styled(fill.repeat(grid.wide), ground));
                    continue;
                }
                let before = grid.wide / 2;
                let after = grid.wide - before - 1;
                spans.push(Span::styled(fill.repeat(before), ground));
                spans.push(Span::styled(mark.to_string(), ground.patch(style)));
                spans.push(Span::styled(fill.repeat(after), ground));
            }
            lines.push(Line::from(spans));
        }
    }
    let focus = 1 + state.row.min(n.saturating_sub(1)) * grid.high + (grid.high - 1) / 2;
    excerpt(lines, room, 1, focus, looks)
}

/// The numbers above the board, with their last figure above the mark of a square. Where numbers
/// of two figures would touch, only every fifth is written.
fn col_numbers(grid: &Grid, from: usize) -> String {
    let margin = " ".repeat(grid.margin());
    let touch = grid.wide == 1 || grid.wide == 2 && grid.n + from > 10;
    let step = if touch { 5 } else { 1 };
    let (before, all) = (grid.wide / 2 + 1, grid.wide * step);
    let numbers = (from..grid.n + from).step_by(step).map(|number| {
        let number = format!("{number:>before$}");
        format!("{number:<all$}")
    });
    margin + numbers.collect::<String>().trim_end()
}

fn algorithm<'a>(state: &State, view: View, room: usize, looks: &Looks) -> Vec<Line<'a>> {
    let listing = code::listing_on(view, state.puzzle());
    let current = state.last.map(|event| code::line_of(&listing, event));
    let mut lines = vec![Line::styled("Algorithm", looks.title())];
    for (k, (_, text)) in listing.iter().enumerate() {
        lines.push(if current == Some(k) {
            Line::styled(
                format!("> {text}"),
                looks.warn().add_modifier(Modifier::REVERSED),
            )
        } else {
            Line::raw(format!("  {text}"))
        });
    }
    excerpt(lines, room, 1, 1 + current.unwrap_or(0), looks)
}

fn representation<'a>(
    panel: Vec<Line<'a>>,
    state: &State,
    view: View,
    room: usize,
    looks: &Looks,
) -> Vec<Line<'a>> {
    // The title stays in sight, and a line of headings.
    let (fixed, focus) = match view {
        View::Tuple => (1, panel.len()),
        View::Bits => (2, panel.len()),
        View::Steps => match state.last {
            Some(Event::Try { col, .. } | Event::Place { col, .. }) => (2, 2 + col),
            _ => (2, 0),
        },
        View::Box => (2, 2 + state.row),
        View::Attackers | View::Grid => (1, 1 + state.row),
        View::Lines => (1, 0),
    };
    let mut lines = vec![Line::styled(panel_name(view), looks.title())];
    lines.extend(panel);
    excerpt(lines, room, fixed, focus, looks)
}

fn tallies<'a>(state: &State, view: View, looks: &Looks) -> Vec<Line<'a>> {
    let stats = &state.stats;
    let from = view.first_number();
    vec![
        Line::from(vec![
            Span::styled("tuple ", looks.title()),
            Span::raw(tuple_from(from, &state.cols)),
        ]),
        Line::raw(format!(
            "tried {}  placed {}  dead ends {}  undone {}  solutions {}",
            stats.tried, stats.placements, stats.dead_ends, stats.undos, stats.solutions
        )),
    ]
}

fn help(frame: &mut Frame, area: Rect, looks: &Looks) {
    let width = 48.min(area.width);
    let height = (HELP.len() as u16 + 2).min(area.height);
    let popup = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    let block = Block::bordered()
        .title(" Keys: any key closes this ")
        .border_style(looks.title());
    let lines: Vec<Line> = HELP
        .iter()
        .map(|text| Line::raw(format!(" {text}")))
        .collect();
    frame.render_widget(Clear, popup);
    frame.render_widget(Paragraph::new(lines).block(block), popup);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    fn shown(app: &App, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, app, true)).unwrap();
        terminal.backend().to_string()
    }

    fn press(app: &mut App, key: char) {
        app.key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE));
    }

    #[test]
    fn a_board_of_eight_fits_the_smallest_common_terminal_in_every_style() {
        let mut app = App::new(8, View::Tuple);
        press(&mut app, 's');
        for view in View::ALL {
            let screen = shown(&app, 80, 24);
            assert!(
                screen.contains(&format!("style {}", view.name())),
                "{screen}"
            );
            let (last, tuple) = match view {
                View::Steps | View::Box => ("8 x x x Q x x x x", "tuple (1, 5, 8, 6, 3, 7, 2, 4)"),
                _ => ("7 x x x Q x x x x", "tuple (0, 4, 7, 5, 2, 6, 1, 3)"),
            };
            assert!(screen.contains(last), "{screen}");
            assert!(screen.contains(tuple), "{screen}");
            assert!(screen.contains("tried 876"), "{screen}");
            assert!(screen.contains("q quit"), "{screen}");
            press(&mut app, 't');
        }
    }

    #[test]
    fn every_style_plays_a_board_with_blocked_squares_and_an_empty_row() {
        let board: queens::Board = "#.....\n...Q..\n......\n......\n......\n....#."
            .parse()
            .unwrap();
        let board = board.with_queens(5).unwrap();
        for view in View::ALL {
            let mut app = App::on(&board, view);
            let start = shown(&app, 100, 30);
            assert!(start.contains("5 queens on 6 by 6"), "{start}");
            assert_eq!(start.matches('▒').count(), 2, "{start}");
            press(&mut app, 's');
            let screen = shown(&app, 100, 30);
            let tuple = match view {
                View::Steps | View::Box => "tuple (-, 4, 1, 3, 5, 2)",
                _ => "tuple (-, 3, 0, 2, 4, 1)",
            };
            assert!(screen.contains(tuple), "{screen}");
            assert!(screen.contains("may stay empty"), "{screen}");
        }
    }

    #[test]
    fn the_sentences_of_style_steps_are_told_and_wrapped() {
        let mut app = App::new(8, View::Steps);
        press(&mut app, 'd');
        let screen = shown(&app, 80, 24);
        assert!(
            screen.contains("Dead end in row 6: no column is available"),
            "{screen}"
        );
        assert!(screen.contains("attacks column 4)."), "{screen}");
        let narrow = shown(&app, 60, 24);
        assert!(narrow.contains("Dead end in row 6"), "{narrow}");
        let lines = wrapped(&"word ".repeat(100), 60, 3, Style::new());
        assert_eq!(lines.len(), 3);
        assert!(lines[2].to_string().ends_with(" …"));
    }

    #[test]
    fn no_line_of_eight_queens_is_too_long_for_80_by_24_and_those_left_out_are_counted() {
        for view in View::ALL {
            let mut app = App::new(8, view);
            for _ in 0..300 {
                press(&mut app, 'n');
                let screen = shown(&app, 80, 24);
                let state = app.replay().state();
                assert!(!screen.contains('…'), "{screen}");
                let panel = panel::lines(view, state);
                let whole = panel.iter().all(|line| screen.contains(line.trim_end()));
                let code = code::listing(view);
                let listed = code.iter().all(|(_, line)| screen.contains(line));
                // There is a mark exactly if something is missing.
                assert_eq!(screen.contains('⋮'), !whole || !listed, "{screen}");
                assert!(view != View::Lines || (whole && listed), "{screen}");
                let event = state.last.expect("a step was taken");
                let line = code[code::line(view, event)].1;
                assert!(screen.contains(&format!("> {line}")), "{screen}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_marked_in_every_style_and_window() {
        for n in [8, 12, 20, 32] {
            for view in View::ALL {
                let mut app = App::new(n, view);
                for _ in 0..200 {
                    press(&mut app, 'n');
                }
                for (width, height) in [(60, 16), (80, 24), (120, 40), (200, 60)] {
                    let screen = shown(&app, width, height);
                    let marked = screen.contains(['…', '⋮']);
                    let state = app.replay().state();
                    let code = code::listing(view)
                        .iter()
                        .map(|(_, line)| (*line).to_owned());
                    let says = narrate::says(view, state);
                    let mut all = panel::lines(view, state)
                        .into_iter()
                        .chain(code)
                        .chain(says.split(' ').map(str::to_owned))
                        .chain((0..n).map(|row| format!("{} ", row + view.first_number())));
                    let whole = all.all(|line| screen.contains(line.trim_end()));
                    assert!(whole || marked, "n = {n}, {width} by {height}:\n{screen}");
                }
            }
        }
    }

    #[test]
    fn the_board_grows_with_the_window() {
        let app = App::new(8, View::Tuple);
        let squares = |width, height| {
            let grid = Grid::fitting(8, width - LISTING_WIDTH, height);
            let screen = shown(&app, width, height + 8);
            // Row 0 is the current one, and its squares are as wide as `grid` says.
            let gap = " ".repeat(grid.wide - 1);
            assert!(screen.contains(&[".", "."].join(&gap)), "{screen}");
            (grid.wide, grid.high)
        };
        assert_eq!(squares(80, 16), (2, 1));
        assert_eq!(squares(120, 32), (6, 3));
        assert_eq!(squares(200, 52), (12, 6));
        assert_eq!(Grid::fitting(32, 24, 18).width(), 37);
    }

    #[test]
    fn column_numbers_never_touch() {
        for n in 1..=32 {
            for from in [0, 1] {
                for wide in [1, 2, 4, 6, 12] {
                    let grid = Grid { n, wide, high: 1 };
                    let line = col_numbers(&grid, from);
                    let numbers = line.split_whitespace().map(|word| word.parse().unwrap());
                    let numbers: Vec<usize> = numbers.collect();
                    assert!(
                        numbers
                            .iter()
                            .all(|number| (from..n + from).contains(number))
                    );
                    for &number in &numbers {
                        // Where squares are one column wide, the first figure is above the mark.
                        let word = number.to_string();
                        let at = line.find(&format!(" {word}")).unwrap() + word.len();
                        let mark = grid.margin() + (number - from) * wide + wide / 2;
                        assert!(wide == 1 || at == mark, "{line}");
                    }
                }
            }
        }
        let line = |n, wide| col_numbers(&Grid { n, wide, high: 1 }, 0);
        assert_eq!(line(10, 2), "    0 1 2 3 4 5 6 7 8 9");
        assert_eq!(line(14, 2), "    0         5        10");
        assert_eq!(line(12, 1), "    0    5    10");
    }

    #[test]
    fn the_first_square_is_light_as_in_the_pictures() {
        let app = App::new(4, View::Tuple);
        let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
        let mut ground = |colour| {
            terminal.draw(|frame| draw(frame, &app, colour)).unwrap();
            let buffer = terminal.backend().buffer();
            // Below the heading and the numbers; the first two squares of row 0.
            let grid = Grid::fitting(4, 120 - LISTING_WIDTH, 33);
            [0, 1].map(|col| buffer[((grid.margin() + col * grid.wide) as u16, 3)].clone())
        };
        let painted = ground(true).map(|cell| cell.bg);
        assert_eq!(painted, [Color::Indexed(230), Color::Indexed(152)]);
        assert_eq!(
            ground(false).map(|cell| cell.symbol().to_owned()),
            [" ", "░"]
        );
    }

    #[test]
    fn the_box_panel_counts_as_the_assignment_does() {
        let mut app = App::new(4, View::Box);
        press(&mut app, 'd');
        let screen = shown(&app, 80, 24);
        for text in [
            "    1  2  3  4",
            " 2 -1 -1  Q  .",
            "dead end: no square of row 3 is free",
            "tuple (1, 3)",
        ] {
            assert!(screen.contains(text), "{text}:\n{screen}");
        }
    }

    #[test]
    fn one_step_is_one_step() {
        let mut app = App::new(4, View::Tuple);
        for _ in 0..5 {
            press(&mut app, '-');
        }
        let screen = shown(&app, 80, 24);
        assert!(screen.contains("paused, 1 step/s "), "{screen}");
        press(&mut app, '+');
        assert!(shown(&app, 80, 24).contains("paused, 2 steps/s"));
    }

    #[test]
    fn no_size_of_window_or_board_breaks_the_screen() {
        for n in [1, 4, 8, 20, 32] {
            let mut app = App::new(n, View::Tuple);
            for _ in 0..60 {
                press(&mut app, 'n');
            }
            for (width, height) in [(1, 1), (20, 5), (60, 16), (80, 24), (200, 60), (300, 4)] {
                for _ in View::ALL {
                    shown(&app, width, height);
                    press(&mut app, '?');
                    shown(&app, width, height);
                    press(&mut app, '?');
                    press(&mut app, 't');
                }
            }
        }
    }

    #[test]
    fn a_small_window_says_what_it_needs() {
        let screen = shown(&App::new(8, View::Tuple), 50, 10);
        assert!(screen.contains("the player needs 60 by 16"), "{screen}");
    }

    #[test]
    fn an_excerpt_keeps_the_focus_and_counts_what_it_leaves_out() {
        let looks = Looks { colour: false };
        for count in 1..30 {
            for room in 4..12 {
                for focus in 0..count {
                    let lines: Vec<Line> = (0..count).map(|k| Line::raw(k.to_string())).collect();
                    let part = excerpt(lines, room, 1, focus, &looks);
                    let part: Vec<String> = part.iter().map(ToString::to_string).collect();
                    assert!(part.len() <= room);
                    assert!(part.contains(&focus.to_string()), "{part:?}");
                    assert_eq!(part[0], "0");
                    let told = part.iter().filter_map(|line| line.strip_prefix("⋮ "));
                    let told: usize = told
                        .map(|text| text.split(' ').next().unwrap().parse::<usize>().unwrap())
                        .sum();
                    let plain = part.iter().filter(|line| !line.starts_with('⋮')).count();
                    assert_eq!(plain + told, count, "{part:?}");
                }
            }
        }
    }
}
