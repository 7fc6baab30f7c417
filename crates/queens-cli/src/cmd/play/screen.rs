//! The screen of the player: board at the left, algorithm and representation at the right.
//!
//! Everything fits 80 by 24 for a board of 8. Where there is less room than there are
//! lines, a block shows the part around what is going on. Marks differ in their letter as
//! well as in their colour: `Q` a queen, `x` a square attacked, `.` a free one, `?` the
//! square being tried, `#` that square refused, with the queen to blame shown reversed.

use queens::render::html::panel_name;
use queens::search::Event;
use queens::search::trace::{Cell, State, Style as View, code, narrate, panel, tuple};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use super::app::App;

/// The smallest window in which the player makes sense.
const SMALLEST: (u16, u16) = (60, 16);

const HELP: &[&str] = &[
    "right, n       step",
    "left, b        step back",
    "space          run, pause",
    "up, down       faster, slower",
    "page down, up  100 steps on, back",
    "d              next dead end",
    "s              next solution",
    "g, home        back to the start",
    "t              next style",
    "[  ]           smaller, larger board",
    "?              this help",
    "q, esc         quit",
    "",
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
            Cell::Attacked => ('x', self.dim()),
            Cell::Free => ('.', Style::new()),
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
    let spoken = match state.last {
        Some(Event::Solution) => looks.good(),
        Some(Event::DeadEnd { .. }) => looks.warn(),
        _ => Style::new().add_modifier(Modifier::BOLD),
    };
    // The sentences of style steps give their reasons, and may need a second and a third line.
    let mut sentence: Vec<Line> = wrapped(&narrate::says(view, state), area.width, spoken);
    let spare = if view == View::Steps { 3 } else { 2 };
    sentence.resize(spare, Line::default());
    if let Some(message) = app.message() {
        sentence[spare - 1] = Line::styled(message.to_owned(), looks.warn());
    }
    let [head, body, says, tally, keys] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Fill(1),
        Constraint::Length(spare as u16),
        Constraint::Length(2),
        Constraint::Length(1),
    ])
    .areas(area);
    frame.render_widget(heading(app, &looks), head);

    let board_width = (state.n as u16 * 2 + 5).max(24).min(area.width / 2);
    let [left, right] =
        Layout::horizontal([Constraint::Length(board_width), Constraint::Fill(1)]).areas(body);
    frame.render_widget(
        Paragraph::new(board(state, view, left.height, &looks)),
        left,
    );

    let panel_lines = panel::lines(view, state);
    let listing = code::listing(view);
    let code_wanted = listing.len() as u16 + 2;
    let panel_height = (panel_lines.len() as u16 + 1)
        .min(right.height.saturating_sub(6))
        .max(right.height.saturating_sub(code_wanted));
    let [upper, lower] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(panel_height)]).areas(right);
    frame.render_widget(Paragraph::new(algorithm(state, view, upper, &looks)), upper);
    frame.render_widget(
        Paragraph::new(representation(panel_lines, state, view, lower, &looks)),
        lower,
    );

    frame.render_widget(Paragraph::new(sentence), says);
    frame.render_widget(Paragraph::new(tallies(state, view, &looks)), tally);
    let hint = " ←/→ step  space run  d dead end  s solution  t style  [ ] N  ? help  q quit";
    frame.render_widget(Paragraph::new(Line::styled(hint, looks.dim())), keys);
    if app.help() {
        help(frame, area, &looks);
    }
}

/// A sentence on as many lines as it needs, three at most; what does not fit is marked.
fn wrapped<'a>(sentence: &str, width: u16, style: Style) -> Vec<Line<'a>> {
    let width = usize::from(width);
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
    if lines.len() > 3 {
        lines.truncate(3);
        lines[2].truncate(width.saturating_sub(2));
        lines[2].push_str(" …");
    }
    lines
        .into_iter()
        .map(|line| Line::styled(line, style))
        .collect()
}

fn heading<'a>(app: &App, looks: &Looks) -> Paragraph<'a> {
    let replay = app.replay();
    let of = replay
        .len()
        .map_or(String::new(), |len| format!(" of {len}"));
    let pace = if app.running() { "running" } else { "paused" };
    Paragraph::new(Line::from(vec![
        Span::styled(format!("{}-queens", replay.state().n), looks.title()),
        Span::raw(format!(
            "  style {}  step {}{of}  depth {}  {pace}, {} steps/s",
            replay.style().name(),
            replay.position(),
            replay.state().row,
            app.speed()
        )),
    ]))
}

/// The first of `shown` lines out of `count` such that line `focus` is among them.
fn window(count: usize, shown: usize, focus: usize) -> usize {
    let latest = count.saturating_sub(shown);
    focus.saturating_sub(shown / 2).min(latest)
}

fn board<'a>(state: &State, view: View, height: u16, looks: &Looks) -> Vec<Line<'a>> {
    let n = state.n;
    let from = view.first_number();
    let numbers: String = (0..n)
        .map(|col| format!("{:>2}", (col + from) % 100))
        .collect();
    let mut lines = vec![Line::styled(format!("   {numbers}"), looks.dim())];
    let shown = usize::from(height).saturating_sub(1);
    let first = window(n, shown, state.row);
    for row in (first..n).take(shown) {
        let arrow = if row == state.row { '>' } else { ' ' };
        let mut spans = vec![Span::styled(
            format!("{arrow}{:>2}", row + from),
            looks.dim(),
        )];
        for col in 0..n {
            let (glyph, style) = looks.cell(state.cell(row, col));
            spans.push(Span::raw(" "));
            spans.push(Span::styled(glyph.to_string(), style));
        }
        lines.push(Line::from(spans));
    }
    lines
}

fn algorithm<'a>(state: &State, view: View, area: Rect, looks: &Looks) -> Vec<Line<'a>> {
    let listing = code::listing(view);
    let current = state.last.map(|event| code::line(view, event));
    let shown = usize::from(area.height).saturating_sub(1);
    let first = window(listing.len(), shown, current.unwrap_or(0));
    let mut lines = vec![Line::styled("Algorithm", looks.title())];
    for (k, (_, text)) in listing.iter().enumerate().skip(first).take(shown) {
        lines.push(if current == Some(k) {
            Line::styled(
                format!("> {text}"),
                looks.warn().add_modifier(Modifier::REVERSED),
            )
        } else {
            Line::raw(format!("  {text}"))
        });
    }
    lines
}

fn representation<'a>(
    panel: Vec<String>,
    state: &State,
    view: View,
    area: Rect,
    looks: &Looks,
) -> Vec<Line<'a>> {
    let focus = match view {
        View::Tuple | View::Bits => panel.len(),
        View::Steps => match state.last {
            Some(Event::Try { col, .. } | Event::Place { col, .. }) => col + 1,
            _ => 0,
        },
        View::Box | View::Attackers | View::Grid => state.row,
        View::Lines => 0,
    };
    let shown = usize::from(area.height).saturating_sub(1);
    let first = window(panel.len(), shown, focus);
    let mut lines = vec![Line::styled(panel_name(view), looks.title())];
    lines.extend(panel.into_iter().skip(first).take(shown).map(Line::raw));
    lines
}

fn tallies<'a>(state: &State, view: View, looks: &Looks) -> Vec<Line<'a>> {
    let stats = &state.stats;
    let from = view.first_number();
    let cols: Vec<usize> = state.cols.iter().map(|col| col + from).collect();
    vec![
        Line::from(vec![
            Span::styled("tuple ", looks.title()),
            Span::raw(tuple(&cols)),
        ]),
        Line::raw(format!(
            "tried {}  placed {}  dead ends {}  undone {}  solutions {}",
            stats.tried, stats.placements, stats.dead_ends, stats.undos, stats.solutions
        )),
    ]
}

fn help(frame: &mut Frame, area: Rect, looks: &Looks) {
    let width = 46.min(area.width);
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
                View::Steps => ("8 x x x Q x x x x", "tuple (1, 5, 8, 6, 3, 7, 2, 4)"),
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
        let lines = wrapped(&"word ".repeat(100), 60, Style::new());
        assert_eq!(lines.len(), 3);
        assert!(lines[2].to_string().ends_with(" …"));
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
    fn the_window_of_a_long_block_keeps_the_focus_in_sight() {
        for count in 0..30 {
            for shown in 1..12 {
                for focus in 0..count {
                    let first = window(count, shown, focus);
                    assert!((first..first + shown).contains(&focus));
                    assert!(first == 0 || first + shown <= count);
                }
            }
        }
    }
}
