//! A search that can be stepped forward and back.
//!
//! The events are recorded in growing pieces: the search is walked again from the start
//! with twice the limit whenever the reader comes to the end of what is known. Walking
//! again costs no more than the first walk did, so all the walks together cost about as
//! much as one of twice the length; in return no search is ever left suspended, and a
//! large board opens at once. Stepping back takes the last event back ([`State::revert`]) and
//! searches nothing. An event is kept in eight bytes, so the five million steps to the first
//! solution of n = 20 take 40 MB.

use std::ops::ControlFlow;

use super::super::{Event, Verdict};
use super::{End, State, Style, Until, must_hold, run_any};
use crate::line::{Attack, Line};
use crate::placement::Square;
use crate::puzzle::Board;

/// An event in eight bytes. The lowest four bits tell the kind and the next eight the row;
/// above them lie the column, the queen and the line, or the number of solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed(u64);

impl Packed {
    fn new(event: Event) -> Packed {
        let pack = |kind: u64, row: usize, rest: u64| Packed(kind | (row as u64) << 4 | rest << 12);
        match event {
            Event::Enter { row } => pack(0, row, 0),
            Event::Try { row, col, verdict } => match verdict {
                Verdict::Free => pack(1, row, col as u64),
                Verdict::Refused(attack) => {
                    let Attack { first, line, .. } = attack;
                    let queen = (first.row | first.col << 8) as u64;
                    pack(2, row, col as u64 | queen << 8 | (line as u64) << 24)
                }
                Verdict::Blocked => pack(8, row, col as u64),
            },
            Event::Place { row, col } => pack(3, row, col as u64),
            Event::Solution => pack(4, 0, 0),
            Event::DeadEnd { row } => pack(5, row, 0),
            Event::Leave { row, solutions } => pack(6, row, solutions),
            Event::Undo { row, col } => pack(7, row, col as u64),
            Event::Skip { row } => pack(9, row, 0),
            Event::Unskip { row } => pack(10, row, 0),
        }
    }

    fn event(self) -> Event {
        let row = (self.0 >> 4 & 0xff) as usize;
        let rest = self.0 >> 12;
        let col = (rest & 0xff) as usize;
        match self.0 & 0xf {
            0 => Event::Enter { row },
            1 => Event::Try {
                row,
                col,
                verdict: Verdict::Free,
            },
            2 => Event::Try {
                row,
                col,
                verdict: Verdict::Refused(Attack {
                    first: Square::new((rest >> 8 & 0xff) as usize, (rest >> 16 & 0xff) as usize),
                    second: Square::new(row, col),
                    line: Line::ALL[(rest >> 24) as usize],
                }),
            },
            8 => Event::Try {
                row,
                col,
                verdict: Verdict::Blocked,
            },
            3 => Event::Place { row, col },
            4 => Event::Solution,
            5 => Event::DeadEnd { row },
            6 => Event::Leave {
                row,
                solutions: rest,
            },
            9 => Event::Skip { row },
            10 => Event::Unskip { row },
            _ => Event::Undo { row, col },
        }
    }
}

/// How many events the first walk records.
const FIRST_PIECE: usize = 4096;

/// A position in a search, with the way there.
///
/// ```
/// use queens::search::Event;
/// use queens::search::trace::{Replay, Style, Until};
///
/// let mut replay = Replay::new(4, Style::Tuple, Until::All);
/// while replay.step() {
///     if replay.state().last == Some(Event::Solution) {
///         break;
///     }
/// }
/// assert_eq!(replay.state().cols, [1, 3, 0, 2].map(Some));
/// replay.back();
/// assert_eq!(replay.state().last, Some(Event::Enter { row: 4 }));
/// ```
#[derive(Clone, Debug)]
pub struct Replay {
    style: Style,
    until: Until,
    /// How many events may be recorded at most.
    most: usize,
    events: Vec<Packed>,
    end: End,
    state: State,
    at: usize,
}

impl Replay {
    /// At the start of a search, which is recorded as it is needed.
    ///
    /// # Panics
    ///
    /// When `n` is above the limit of the style's representation: [`Style::check_board`].
    pub fn new(n: usize, style: Style, until: Until) -> Self {
        Replay::with_limit(n, style, until, usize::MAX)
    }

    /// Like [`Replay::new`], for at most `most` events.
    ///
    /// # Panics
    ///
    /// When `n` is above the limit of the style's representation: [`Style::check_board`].
    pub fn with_limit(n: usize, style: Style, until: Until, most: usize) -> Self {
        Replay::of(State::new(n), style, until, most)
    }

    /// At the start of the search on a board.
    ///
    /// # Panics
    ///
    /// When the board is too large for the style's representation: [`Style::check_board`].
    pub fn on(board: &Board, style: Style, until: Until) -> Self {
        Replay::of(State::on(board), style, until, usize::MAX)
    }

    fn of(state: State, style: Style, until: Until, most: usize) -> Self {
        must_hold(style, state.n);
        let mut replay = Replay {
            style,
            until,
            most,
            events: Vec::new(),
            end: End::Stopped,
            state,
            at: 0,
        };
        replay.record(FIRST_PIECE);
        replay
    }

    fn record(&mut self, limit: usize) {
        let limit = limit.min(self.most);
        let known = self.events.len();
        let mut seen = 0;
        let events = &mut self.events;
        self.end = run_any(
            self.state.puzzle(),
            self.until,
            Some(limit as u64),
            |event| {
                seen += 1;
                if seen > known {
                    events.push(Packed::new(event));
                }
                ControlFlow::Continue(())
            },
        );
    }

    /// Whether the search has an event number `at`, from 0; records more to find out.
    fn reach(&mut self, at: usize) -> bool {
        while at >= self.events.len() && matches!(self.end, End::Limit(_)) {
            if self.events.len() >= self.most {
                return false;
            }
            self.record(self.events.len() * 2);
        }
        at < self.events.len()
    }

    /// The moment shown.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The style whose search is replayed.
    pub fn style(&self) -> Style {
        self.style
    }

    /// How many events lie before the moment shown.
    pub fn position(&self) -> usize {
        self.at
    }

    /// How many events there are, when the end is known.
    pub fn len(&self) -> Option<usize> {
        (!matches!(self.end, End::Limit(_)) || self.events.len() >= self.most)
            .then_some(self.events.len())
    }

    /// Whether no event is recorded: only with a limit of 0, since every search has events.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// How many events are recorded so far.
    pub fn known(&self) -> usize {
        self.events.len()
    }

    /// Why the recorded events end where they do.
    pub fn end(&self) -> End {
        self.end
    }

    /// One event on; `false` at the end.
    pub fn step(&mut self) -> bool {
        if !self.reach(self.at) {
            return false;
        }
        self.state.apply(self.events[self.at].event());
        self.at += 1;
        true
    }

    /// One event back; `false` at the start.
    pub fn back(&mut self) -> bool {
        let Some(at) = self.at.checked_sub(1) else {
            return false;
        };
        let before = at.checked_sub(1).map(|i| self.events[i].event());
        self.state.revert(self.events[at].event(), before);
        self.at = at;
        true
    }

    /// To the moment after `position` events, or to the end if there are fewer.
    pub fn seek(&mut self, position: usize) {
        while self.at > position && self.back() {}
        while self.at < position && self.step() {}
    }

    /// On to the next event that `wanted` accepts; `false`, without moving, if none of the
    /// next `within` events is one.
    pub fn step_to(&mut self, within: usize, wanted: impl Fn(Event) -> bool) -> bool {
        let start = self.at;
        for at in start..start.saturating_add(within) {
            if !self.reach(at) {
                return false;
            }
            if wanted(self.events[at].event()) {
                self.seek(at + 1);
                return true;
            }
        }
        false
    }

    /// The same moment of the same search in another style.
    ///
    /// # Panics
    ///
    /// When `n` is above the limit of the style's representation: [`Style::check_board`].
    #[must_use]
    pub fn restyled(&self, style: Style) -> Replay {
        must_hold(style, self.state.n);
        // All styles tell the same events, so what is recorded stays true.
        let mut replay = self.clone();
        replay.style = style;
        replay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_moment(n: usize, position: usize) -> State {
        let mut replay = Replay::new(n, Style::Tuple, Until::All);
        for _ in 0..position {
            assert!(replay.step());
        }
        replay.state().clone()
    }

    #[test]
    fn stepping_back_over_a_whole_search_visits_every_moment_again() {
        let mut replay = Replay::new(5, Style::Lines, Until::All);
        let mut moments = vec![replay.state().clone()];
        while replay.step() {
            moments.push(replay.state().clone());
        }
        assert_eq!(replay.len(), Some(moments.len() - 1));
        while let Some(moment) = moments.pop() {
            assert_eq!(*replay.state(), moment);
            assert_eq!(replay.back(), !moments.is_empty());
        }
    }

    #[test]
    fn packing_loses_nothing() {
        let fewer = Board::new(5).with_queens(3).unwrap();
        let blocked = fewer.with_blocked([Square::new(1, 2)]).unwrap();
        for board in [Board::new(7), blocked] {
            run_any(&board, Until::All, None, |event| {
                assert_eq!(Packed::new(event).event(), event);
                ControlFlow::Continue(())
            });
        }
        let last = Event::Leave {
            row: 255,
            solutions: (1 << 52) - 1,
        };
        assert_eq!(Packed::new(last).event(), last);
    }

    #[test]
    fn recording_more_does_not_change_what_is_known() {
        let mut replay = Replay::new(8, Style::Tuple, Until::All);
        assert_eq!((replay.known(), replay.len()), (FIRST_PIECE, None));
        let before = replay.events.clone();
        replay.seek(FIRST_PIECE + 1);
        assert!(replay.known() > FIRST_PIECE);
        assert_eq!(replay.events[..FIRST_PIECE], before);
        replay.seek(usize::MAX);
        assert_eq!(replay.state().stats.solutions, 92);
        assert_eq!(replay.len(), Some(replay.position()));
        assert_eq!(replay.end(), End::Complete);
    }

    #[test]
    fn a_limit_ends_a_replay_early_and_says_so() {
        let mut replay = Replay::with_limit(8, Style::Tuple, Until::All, 5000);
        replay.seek(usize::MAX);
        assert_eq!((replay.position(), replay.len()), (5000, Some(5000)));
        assert_eq!(replay.end(), End::Limit(5000));
    }

    #[test]
    fn the_next_dead_end_is_found_or_nothing_moves() {
        let mut replay = Replay::new(4, Style::Tuple, Until::All);
        assert!(replay.step_to(1000, |e| matches!(e, Event::DeadEnd { .. })));
        assert_eq!(replay.state().cols, [Some(0), Some(2)]);
        replay.seek(usize::MAX);
        let end = replay.position();
        assert!(!replay.step_to(1000, |e| matches!(e, Event::DeadEnd { .. })));
        assert_eq!(replay.position(), end);
    }

    #[test]
    fn a_board_that_a_style_does_not_hold_is_refused_at_once() {
        for replay in [
            || Replay::new(256, Style::Tuple, Until::First),
            || Replay::new(40, Style::Tuple, Until::First).restyled(Style::Bits),
        ] {
            assert!(std::panic::catch_unwind(replay).is_err());
        }
    }

    #[test]
    fn another_style_keeps_the_moment() {
        let mut replay = Replay::new(6, Style::Tuple, Until::First);
        replay.seek(100);
        let other = replay.restyled(Style::Bits);
        assert_eq!(other.state(), &first_moment(6, 100));
        assert_eq!(other.style(), Style::Bits);
    }
}
