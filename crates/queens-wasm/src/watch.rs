//! The room *Watch*: one moment of a search, in everything that shows it.
//!
//! The moments are those of [`Replay`]: a position in the one stream of events that every
//! trace, tree and player of the project is made from. A link holds the position, so the
//! same link shows the same moment everywhere. The replay is kept from question to
//! question; stepping, back too, costs one event.
//!
//! A search is recorded up to [`MOST`] events, which holds all of n = 11. The first part
//! of n = 12 is shown and the answer says that it is a part.

use queens::board::bitmask::Bitmask;
use queens::board::{AttackCount, Board, ByteGrid, FirstAttacker, Lines};
use queens::json::{Object, Value, array};
use queens::placement::Square;
use queens::search::trace::json::refusal;
use queens::search::trace::{Cell, End, Replay, State, Style, Until, code, narrate, panel, tuple};
use queens::search::{Event, Verdict};

use crate::question::{Answer, Question};
use crate::tree::Growth;

/// How many events are recorded at most.
const MOST: usize = 3_000_000;

/// The algorithms the room shows: the boards of the course documents, in their order of
/// invention. The library's style `steps` is `tuple` in other words and is left out.
const STYLES: [Style; 6] = [
    Style::Tuple,
    Style::Grid,
    Style::Box,
    Style::Attackers,
    Style::Lines,
    Style::Bits,
];

/// What the page calls a style, and the document that teaches it.
fn title(style: Style) -> (&'static str, &'static str) {
    match style {
        Style::Tuple | Style::Steps => ("one column per row", "BACS2063 chapter 6"),
        Style::Grid => (
            "grid of zeros and ones",
            "6.172-style recitation on bit vectors",
        ),
        Style::Box => ("counting grid", "CSE 15 programming assignment 2"),
        Style::Attackers => ("earliest attacker", "NPTEL week 6 lecture 1"),
        Style::Lines => ("O(n) lines", "NPTEL week 6 lecture 1"),
        Style::Bits => ("three bit vectors", "6.172-style recitation on bit vectors"),
    }
}

/// The styles to choose from, each with its listing.
pub fn styles() -> Value {
    array(STYLES.into_iter().map(|style| {
        let (title, source) = title(style);
        let engine = style.representation().name();
        let about = queens::count::engine(engine).map_or("", |engine| engine.summary);
        Object::new()
            .set("name", style.name())
            .set("title", title)
            .set("source", source)
            .set("engine", engine)
            .set("about", about)
            .list("code", code::listing(style).iter().map(|line| line.1))
    }))
}

/// The replay in progress.
#[derive(Default)]
pub struct Watch {
    replay: Option<(Replay, Until)>,
    growth: Growth,
}

impl Watch {
    /// One moment: `n`, `style`, `until` and `at` say which; `go` moves on from there.
    pub fn answer(&mut self, question: &Question<'_>) -> Answer {
        let n = question.n(6)?;
        let styles: Vec<_> = STYLES.iter().map(|&style| (style.name(), style)).collect();
        let style = question.word("style", &styles)?;
        let until = question.word("until", &[("all", Until::All), ("first", Until::First)])?;
        let at = question.number("at", 0, usize::MAX, 0)?;
        let go = question.word(
            "go",
            &[
                ("stay", Go::Stay),
                ("dead-end", Go::DeadEnd),
                ("solution", Go::Solution),
            ],
        )?;
        let replay = self.open(n, style, until);
        replay.seek(at);
        if replay.position() < at {
            let last = replay.position();
            return Err(format!(
                "This search has steps 0 to {last}; the link asks for step {at}."
            ));
        }
        let moved = match go {
            Go::Stay => true,
            Go::DeadEnd => replay.step_to(MOST, |event| matches!(event, Event::DeadEnd { .. })),
            Go::Solution => replay.step_to(MOST, |event| event == Event::Solution),
        };
        let replay = &self.replay.as_ref().expect("opened above").0;
        Ok(moment(replay, &mut self.growth).set("moved", moved))
    }

    /// The replay of this search, at the style asked for.
    fn open(&mut self, n: usize, style: Style, until: Until) -> &mut Replay {
        let kept = self.replay.take();
        let replay = match kept {
            Some((replay, known)) if (replay.state().n, known) == (n, until) => {
                if replay.style() == style {
                    replay
                } else {
                    replay.restyled(style)
                }
            }
            _ => {
                self.growth = Growth::default();
                let mut replay = Replay::with_limit(n, style, until, MOST);
                // Once to the end and back, so that its length is known.
                replay.seek(usize::MAX);
                replay
            }
        };
        &mut self.replay.insert((replay, until)).0
    }
}

#[derive(Clone, Copy)]
enum Go {
    Stay,
    DeadEnd,
    Solution,
}

/// All that is shown of one moment.
fn moment(replay: &Replay, growth: &mut Growth) -> Object {
    let state = replay.state();
    let style = replay.style();
    let line = state.last.map(|event| code::line(style, event));
    let n = state.n;
    let cells: String = (0..n * n)
        .map(|at| letter(state.cell(at / n, at % n)))
        .collect();
    let stats = &state.stats;
    Object::new()
        .set("n", n)
        .set("style", style.name())
        .set("at", replay.position())
        .set("length", replay.known())
        .set("part", matches!(replay.end(), End::Limit(_)))
        .set("says", narrate::now(state))
        .set("event", state.last.map_or("start", event_name))
        .set("line", line.map_or(-1, |line| line as i64))
        .set("cells", &cells)
        .set("attack", attack(state))
        .set("tuple", tuple(&state.cols))
        .set("depth", state.cols.len())
        .list("stack", stack(style, state))
        .set("panel", representation(style, state))
        .set("tree", growth.moment(state))
        .set(
            "stats",
            Object::new()
                .set("tried", stats.tried)
                .set("placements", stats.placements)
                .set("deadEnds", stats.dead_ends)
                .set("undos", stats.undos)
                .set("solutions", stats.solutions),
        )
}

fn event_name(event: Event) -> &'static str {
    match event {
        Event::Enter { .. } => "enter",
        Event::Try {
            verdict: Verdict::Free,
            ..
        } => "free",
        Event::Try { .. } => "refused",
        Event::Place { .. } => "place",
        Event::Solution => "solution",
        Event::DeadEnd { .. } => "dead-end",
        Event::Leave { .. } => "leave",
        Event::Undo { .. } => "undo",
    }
}

fn letter(cell: Cell) -> char {
    match cell {
        Cell::Queen => 'Q',
        Cell::Culprit => 'C',
        Cell::Tried => 'T',
        Cell::Refused => 'R',
        Cell::Attacked => 'a',
        Cell::Free => '.',
    }
}

/// The line of attack of a refused square, from the queen to the square.
fn attack(state: &State) -> Option<Object> {
    match state.last {
        Some(Event::Try {
            row,
            col,
            verdict: Verdict::Refused(attack),
        }) => Some(refusal(attack, &state.cols, Square::new(row, col))),
        _ => None,
    }
}

/// The calls in progress, the outermost first, in the words of the listing.
fn stack(style: Style, state: &State) -> Vec<String> {
    if state.last.is_none() {
        return Vec::new();
    }
    let head = code::listing(style)[0].1;
    let name = head.split('(').next().unwrap_or(head);
    let board = (style == Style::Bits).then(|| state.board::<Bitmask>());
    // Between a queen's placing and her removal the call of the next row begins and ends.
    let outside = matches!(state.last, Some(Event::Place { .. } | Event::Leave { .. }));
    let calls = (state.cols.len() + 1).saturating_sub(usize::from(outside));
    (0..calls)
        .map(|row| {
            let arguments = match &board {
                Some(board) => {
                    let bits = board.row(row);
                    let show = |vector| panel::binary(vector, state.n);
                    format!(
                        "{}, {}, {}",
                        show(bits.down),
                        show(bits.left),
                        show(bits.right)
                    )
                }
                // The assignment counts its rows from 1.
                None if style == Style::Box => (row + 1).to_string(),
                None => row.to_string(),
            };
            format!("{name}({arguments})")
        })
        .collect()
}

/// A row of a table: its name, its cells, and a letter per cell saying how it looks: `q`
/// a queen's, `x` attacked or taken, `.` plain, `n` the row or square at work.
fn table_row(name: &str, cells: impl IntoIterator<Item = String>, marks: &str) -> Object {
    Object::new()
        .set("name", name)
        .list("cells", cells)
        .set("marks", marks)
}

fn table(caption: &str, head: Value, rows: impl IntoIterator<Item = Object>) -> Object {
    Object::new()
        .set("caption", caption)
        .set("head", head)
        .list("rows", rows)
}

fn numbers(values: impl IntoIterator<Item = isize>) -> Value {
    array(values.into_iter().map(|value| value.to_string()))
}

/// The representation's own state, as tables.
fn representation(style: Style, state: &State) -> Value {
    let n = state.n;
    let grid = |caption: &str, first: usize, cell: &dyn Fn(usize, usize) -> (String, char)| {
        let rows = (first..n + first).map(|row| {
            let cells: Vec<_> = (0..n + first).map(|col| cell(row, col)).collect();
            let marks: String = cells.iter().map(|cell| cell.1).collect();
            table_row(
                &row.to_string(),
                cells.into_iter().map(|cell| cell.0),
                &marks,
            )
        });
        array([table(caption, numbers(0..(n + first) as isize), rows)])
    };
    match style {
        Style::Tuple | Style::Steps => {
            let cells =
                (0..n).map(|row| state.cols.get(row).map_or(String::new(), usize::to_string));
            let marks: String = (0..n)
                .map(|row| if row < state.cols.len() { 'q' } else { '.' })
                .collect();
            let row = table_row("queens", cells, &marks);
            array([table(
                "queens[row] is the column of each row's queen",
                numbers(0..n as isize),
                [row],
            )])
        }
        Style::Grid => {
            let board: ByteGrid = state.board();
            grid("board[i][j] is 1 where a queen stands", 0, &|row, col| {
                let value = board.row(row)[col];
                (value.to_string(), if value == 1 { 'q' } else { '.' })
            })
        }
        Style::Box => {
            let board: AttackCount = state.board();
            grid(
                "B[i][j]: 1 a queen, −k attacked by k queens above; column 0 holds the tuple",
                1,
                &|i, j| match (j, board.b(i, j)) {
                    (0, value) => (value.to_string(), 'n'),
                    (_, 1) => ("1".to_owned(), 'q'),
                    (_, 0) => ("0".to_owned(), '.'),
                    (_, k) => (format!("−{}", -k), 'x'),
                },
            )
        }
        Style::Attackers => {
            let board: FirstAttacker = state.board();
            grid(
                "attack[i][j] is the earliest queen that attacks the square, −1 if none",
                0,
                &|row, col| match board.earliest(row, col) {
                    k if board.queen(row) == Some(col) => (k.to_string(), 'q'),
                    k if k < 0 => ("−1".to_owned(), '.'),
                    k => (k.to_string(), 'x'),
                },
            )
        }
        Style::Lines => {
            let board: Lines = state.board();
            let flags = |name: &str, flags: &[u8]| {
                let marks: String = flags
                    .iter()
                    .map(|&flag| if flag == 1 { 'q' } else { '.' })
                    .collect();
                table_row(name, flags.iter().map(u8::to_string), &marks)
            };
            let (n, all) = (n as isize, 2 * n as isize - 1);
            array([
                table(
                    "a row or a column holds a queen",
                    numbers(0..n),
                    [flags("row", board.row()), flags("col", board.col())],
                ),
                table(
                    "diagonals j − i, falling to the right",
                    numbers(1 - n..n),
                    [flags("NWtoSE", board.nw_to_se())],
                ),
                table(
                    "diagonals j + i, rising to the right",
                    numbers(0..all),
                    [flags("SWtoNE", board.sw_to_ne())],
                ),
            ])
        }
        Style::Bits => {
            let board: Bitmask = state.board();
            let rows = (0..=state.cols.len()).map(|row| {
                let bits = board.row(row);
                let possible = panel::still_possible(state, row, bits, board.mask());
                let show = |vector| panel::binary(vector, n);
                let place = state
                    .cols
                    .get(row)
                    .map_or(String::new(), |&col| show(1 << col));
                let cells = [
                    show(bits.down),
                    show(bits.left),
                    show(bits.right),
                    show(possible),
                    place,
                ];
                table_row(&row.to_string(), cells, "bbbbb")
            });
            let head = array(["down", "left", "right", "possible", "place"]);
            array([table(
                "column 0 is the lowest bit and written last",
                head,
                rows,
            )])
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;
    use serde_json::Value;

    #[test]
    fn every_style_shows_every_moment_and_back_again() {
        for style in super::STYLES {
            let at = |at: u64| ask(&format!("watch?n=5&style={}&at={at}", style.name()));
            let last = at(0)["length"].as_u64().unwrap();
            let there: Vec<Value> = (0..=last).map(at).collect();
            for (k, moment) in there.iter().enumerate().rev() {
                assert_eq!(at(k as u64), *moment, "{style:?} at {k}");
                assert_eq!(moment["cells"].as_str().unwrap().chars().count(), 25);
            }
            assert_eq!(there.last().unwrap()["stats"]["solutions"], 10);
        }
    }

    #[test]
    fn dead_ends_and_solutions_are_found() {
        let dead = ask("watch?n=4&go=dead-end");
        assert_eq!(
            (&dead["event"], &dead["tuple"]),
            (&"dead-end".into(), &"(0, 2)".into())
        );
        let solution = ask("watch?n=4&go=solution");
        assert_eq!(solution["tuple"], "(1, 3, 0, 2)");
        let none = ask("watch?n=3&go=solution");
        assert_eq!((&none["moved"], &none["at"]), (&false.into(), &0.into()));
    }

    #[test]
    fn a_step_beyond_the_end_is_refused_in_words() {
        let error = ask("watch?n=4&at=999999");
        assert!(
            error["error"]
                .as_str()
                .unwrap()
                .contains("asks for step 999999")
        );
        let unknown = ask("watch?n=4&style=magic");
        assert!(
            unknown["error"]
                .as_str()
                .unwrap()
                .contains("attackers, lines, bits")
        );
    }

    #[test]
    fn the_call_stack_is_as_deep_as_the_recursion() {
        let mut at = 0;
        loop {
            let moment = ask(&format!("watch?n=4&style=box&at={at}"));
            let stack = moment["stack"].as_array().unwrap();
            let depth = moment["depth"].as_u64().unwrap() as usize;
            match moment["event"].as_str().unwrap() {
                "start" => assert!(stack.is_empty()),
                "leave" => assert_eq!(stack.len(), depth),
                // The queen stands, the call for the next row is yet to come.
                "place" => assert_eq!(stack.len(), depth),
                _ => assert_eq!(stack.len(), depth + 1),
            }
            if moment["length"] == at {
                break;
            }
            at += 1;
        }
    }
}
