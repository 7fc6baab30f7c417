//! What the player shows and what its keys do, without a terminal.
//!
//! The film is the library's [`Replay`]; this adds a speed, a message line and the help.
//! Time comes in through [`App::pass`], so a test can let it pass as it likes.

use std::time::Duration;

use queens::Board;
use queens::search::Event;
use queens::search::trace::{Replay, Style, Until};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The largest board the player shows.
pub const MAX_N: usize = 32;

/// The speeds, in steps per second.
const SPEEDS: [f64; 10] = [
    1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 500.0, 2500.0, 25_000.0,
];

/// How far the keys for dead ends and solutions look ahead before they give up.
const LOOK_AHEAD: usize = 5_000_000;

/// The player.
pub struct App {
    replay: Replay,
    running: bool,
    speed: usize,
    /// The part of a step that has passed since the last one.
    due: f64,
    help: bool,
    message: Option<String>,
    done: bool,
}

impl App {
    /// A player at the start of the search on a board of size `n`.
    #[cfg(test)]
    pub fn new(n: usize, style: Style) -> Self {
        App::on(&Board::new(n), style)
    }

    /// A player at the start of the search on a board.
    pub fn on(board: &Board, style: Style) -> Self {
        App {
            replay: Replay::on(board, style, Until::All),
            running: false,
            speed: 2,
            due: 0.0,
            help: false,
            message: None,
            done: false,
        }
    }

    /// The film and where it stands.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// Whether the film runs by itself.
    pub fn running(&self) -> bool {
        self.running
    }

    /// Steps per second when it runs.
    pub fn speed(&self) -> f64 {
        SPEEDS[self.speed]
    }

    /// Whether the help is open.
    pub fn help(&self) -> bool {
        self.help
    }

    /// What the last key has to say, if anything.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Whether the player was asked to end.
    pub fn done(&self) -> bool {
        self.done
    }

    /// Lets time pass: a running film takes the steps that are due.
    pub fn pass(&mut self, time: Duration) {
        if !self.running {
            return;
        }
        self.due += time.as_secs_f64() * self.speed();
        while self.due >= 1.0 && self.running {
            self.due -= 1.0;
            if !self.replay.step() {
                self.pause();
                self.message = Some("the search is complete".to_owned());
            }
        }
    }

    fn pause(&mut self) {
        self.running = false;
        self.due = 0.0;
    }

    /// Obeys a key.
    pub fn key(&mut self, key: KeyEvent) {
        self.message = None;
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'd')) {
            self.done = true;
            return;
        }
        if self.help {
            // Any key closes the help, and does nothing else.
            self.help = false;
            return;
        }
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => self.done = true,
            KeyCode::Char('?') | KeyCode::F(1) => {
                self.pause();
                self.help = true;
            }
            KeyCode::Right | KeyCode::Char('n' | 'l') => {
                self.pause();
                self.forward(1);
            }
            KeyCode::Left | KeyCode::Char('b' | 'h') => {
                self.pause();
                self.backward(1);
            }
            KeyCode::PageDown => {
                self.pause();
                self.forward(100);
            }
            KeyCode::PageUp => {
                self.pause();
                self.backward(100);
            }
            KeyCode::Char(' ' | 'r') if self.running => self.pause(),
            KeyCode::Char(' ' | 'r') => self.running = true,
            KeyCode::Up | KeyCode::Char('+' | '=') => {
                self.speed = (self.speed + 1).min(SPEEDS.len() - 1);
            }
            KeyCode::Down | KeyCode::Char('-') => self.speed = self.speed.saturating_sub(1),
            KeyCode::Char('d') => {
                self.jump("dead end", |event| matches!(event, Event::DeadEnd { .. }));
            }
            KeyCode::Char('s') => self.jump("solution", |event| event == Event::Solution),
            KeyCode::Char('g') | KeyCode::Home => {
                self.pause();
                self.replay.seek(0);
            }
            KeyCode::Char('G') | KeyCode::End => self.seek_end(),
            KeyCode::Char('t') | KeyCode::Tab => {
                self.restyle();
            }
            KeyCode::Char(']') => self.resize(self.replay.state().n + 1),
            KeyCode::Char('[') => match self.replay.state().n.checked_sub(1) {
                Some(n) if n > 0 => self.resize(n),
                _ => self.message = Some("N = 1 is the smallest board shown".to_owned()),
            },
            _ => self.message = Some("press ? for the keys".to_owned()),
        }
    }

    fn forward(&mut self, steps: usize) {
        let goal = self.replay.position().saturating_add(steps);
        self.replay.seek(goal);
        if self.replay.position() < goal {
            self.message = Some("the search is complete".to_owned());
        }
    }

    fn backward(&mut self, steps: usize) {
        let at = self.replay.position();
        if at == 0 {
            self.message = Some("this is the start".to_owned());
        }
        self.replay.seek(at.saturating_sub(steps));
    }

    fn jump(&mut self, what: &str, wanted: impl Fn(Event) -> bool) {
        self.pause();
        if !self.replay.step_to(LOOK_AHEAD, wanted) {
            let within = if self.replay.len().is_some() {
                "in this search"
            } else {
                "within five million steps"
            };
            self.message = Some(format!("no further {what} {within}"));
        }
    }

    /// Goes to the last step, or as far as the keys look ahead.
    fn seek_end(&mut self) {
        self.pause();
        self.forward(LOOK_AHEAD);
        if self.message.is_none() && self.replay.len() != Some(self.replay.position()) {
            self.message = Some("five million steps on; press end again to go further".to_owned());
        }
    }

    fn restyle(&mut self) {
        self.replay = self.replay.restyled(self.replay.style().next());
    }

    fn resize(&mut self, n: usize) {
        if !self.replay.state().puzzle().is_plain() {
            self.message = Some("only the plain board changes its size".to_owned());
            return;
        }
        if n > MAX_N {
            self.message = Some(format!("N = {MAX_N} is the largest board shown"));
            return;
        }
        self.pause();
        self.replay = Replay::new(n, self.replay.style(), Until::All);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(app: &mut App, keys: &str) {
        for c in keys.chars() {
            app.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        }
    }

    #[test]
    fn stepping_back_shows_what_stepping_on_has_shown() {
        let mut app = App::new(6, Style::Tuple);
        press(&mut app, "nnnnnnnnn");
        let there = app.replay().state().clone();
        press(&mut app, "nnnbbb");
        assert_eq!(*app.replay().state(), there);
    }

    #[test]
    fn the_first_solution_of_eight_queens_is_one_key_away() {
        let mut app = App::new(8, Style::Tuple);
        press(&mut app, "s");
        let first = [0, 4, 7, 5, 2, 6, 1, 3].map(Some);
        assert_eq!(app.replay().state().cols, first);
        assert_eq!(app.replay().state().stats.tried, 876);
    }

    #[test]
    fn a_board_without_solutions_says_so() {
        let mut app = App::new(3, Style::Tuple);
        press(&mut app, "s");
        assert_eq!(app.message(), Some("no further solution in this search"));
        assert_eq!(app.replay().position(), 0);
    }

    #[test]
    fn time_moves_a_running_film_at_its_speed_and_no_other() {
        let mut app = App::new(8, Style::Tuple);
        app.pass(Duration::from_secs(10));
        assert_eq!(app.replay().position(), 0);
        press(&mut app, " ");
        app.pass(Duration::from_secs(2));
        assert_eq!(app.replay().position(), (2.0 * app.speed()) as usize);
        press(&mut app, " ");
        app.pass(Duration::from_secs(10));
        assert_eq!(app.replay().position(), (2.0 * app.speed()) as usize);
    }

    #[test]
    fn a_film_that_has_run_out_stops() {
        let mut app = App::new(1, Style::Tuple);
        press(&mut app, " ");
        app.pass(Duration::from_secs(100));
        assert!(!app.running());
        assert_eq!(app.message(), Some("the search is complete"));
    }

    #[test]
    fn the_end_of_a_search_is_one_key_away_and_a_long_search_says_how_far_it_went() {
        let mut app = App::new(5, Style::Tuple);
        app.key(KeyEvent::new(KeyCode::End, KeyModifiers::NONE));
        assert_eq!(app.replay().state().stats.solutions, 10);
        assert_eq!(app.message(), Some("the search is complete"));
        let end = app.replay().position();
        press(&mut app, "gG");
        assert_eq!(app.replay().position(), end);
        let mut app = App::new(20, Style::Bits);
        press(&mut app, "G");
        assert_eq!(app.replay().position(), LOOK_AHEAD);
        assert!(app.message().unwrap().contains("five million steps on"));
    }

    #[test]
    fn a_board_with_given_queens_has_its_own_search_styles_and_size() {
        let board: Board = "......\n...Q..\n......\n......\n......\n#....."
            .parse()
            .unwrap();
        let mut app = App::on(&board, Style::Tuple);
        press(&mut app, "s");
        let cols = [1, 3, 5, 0, 2, 4].map(Some);
        assert_eq!(app.replay().state().cols, cols);
        for _ in Style::ALL {
            press(&mut app, "t");
            assert_eq!(app.replay().state().cols, cols);
        }
        assert_eq!(app.replay().style(), Style::Tuple);
        press(&mut app, "]");
        assert_eq!(app.replay().state().n, 6);
        assert!(app.message().unwrap().contains("only the plain board"));
    }

    #[test]
    fn the_board_stays_within_its_limits() {
        let mut app = App::new(1, Style::Bits);
        press(&mut app, "[");
        assert_eq!(app.replay().state().n, 1);
        let mut app = App::new(MAX_N, Style::Bits);
        press(&mut app, "]");
        assert_eq!(app.replay().state().n, MAX_N);
        assert!(app.message().unwrap().contains("largest"));
    }

    #[test]
    fn changing_the_style_keeps_the_place_and_changing_n_does_not() {
        let mut app = App::new(8, Style::Tuple);
        press(&mut app, "d");
        let at = app.replay().position();
        press(&mut app, "t");
        assert_eq!(
            (app.replay().style(), app.replay().position()),
            (Style::Steps, at)
        );
        press(&mut app, "]");
        assert_eq!((app.replay().state().n, app.replay().position()), (9, 0));
    }

    #[test]
    fn control_c_ends_the_player_even_in_the_help() {
        let mut app = App::new(8, Style::Tuple);
        press(&mut app, "?");
        app.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert!(app.done());
    }
}
