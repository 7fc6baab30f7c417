//! The room *Watch*: one moment of a search, and everything that shows it.
//!
//! The moments are those of [`Replay`]: a position in the one stream of events that every
//! trace, tree and player of the project is made from. A link holds the position, so the
//! same link shows the same moment everywhere. The replay is kept from question to
//! question; stepping, back too, costs one event.
//!
//! The bit vectors find all free squares of a row in one expression and never look at a
//! square alone, so in that style the events that try a square are no moments: they are
//! stepped over, and not counted.
//!
//! A search is recorded up to [`MOST`] events, which holds all of n = 11. The first part
//! of n = 12 is shown and the answer says that it is a part.

use queens::board::bitmask::{Bitmask, RowBits};
use queens::board::{AttackCount, ByteGrid, FirstAttacker, Lines, SearchBoard};
use queens::json::{Object, Value, array};
use queens::search::trace::{Cell, End, Replay, State, Style, Tint, Until, panel};
use queens::search::{Event, Verdict};
use queens::{Attack, Engine, Square};

use crate::branches;
use crate::program::{self, LANGUAGES, Language};
use crate::question::{Answer, Question};
use crate::say::{self, Origin};
use crate::tree::Growth;

/// How many events are recorded at most.
const MOST: usize = 3_000_000;

/// The algorithms the room shows: the boards of the course documents, in their order of
/// invention. The style `steps` is `tuple`, told as the documents tell it.
const STYLES: [Style; 7] = [
    Style::Tuple,
    Style::Steps,
    Style::Grid,
    Style::Box,
    Style::Attackers,
    Style::Lines,
    Style::Bits,
];

/// What the page calls a style, and the document that teaches it.
fn title(style: Style) -> (&'static str, &'static str) {
    match style {
        Style::Tuple => ("one column per row", "BACS2063 chapter 6"),
        Style::Steps => ("the walk in sentences", "BACS2063 chapter 6"),
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

/// The styles to choose from.
pub fn styles() -> Value {
    array(STYLES.into_iter().map(|style| {
        let (title, source) = title(style);
        let engine = Engine::from(style.representation());
        Object::new()
            .set("name", style.name())
            .set("title", title)
            .set("source", source)
            .set("engine", engine.name())
            .set("about", engine.summary())
    }))
}

/// The program of a style, line by line.
pub fn listing(question: &Question<'_>) -> Answer {
    let style = style(question)?;
    let language = question.word("code", &LANGUAGES)?;
    let lines = program::program(style, language);
    Ok(Object::new()
        .list("lines", lines.iter().map(|line| line.1.as_str()))
        .set("head", program::head(&lines)))
}

fn style(question: &Question<'_>) -> Result<Style, String> {
    let styles: Vec<_> = STYLES.iter().map(|&style| (style.name(), style)).collect();
    question.word("style", &styles)
}

/// The replay in progress.
#[derive(Default)]
pub struct Watch {
    replay: Option<(Replay, Until)>,
    growth: Growth,
    /// For the bit vectors, the positions that are moments; made when first needed.
    shown: Vec<u32>,
}

impl Watch {
    /// One moment: `n`, `style`, `until` and `at` say which; `go` moves on from there.
    /// Instead of `at`, `raw` is a number of events and `solution` a solution's number,
    /// both the same in every style.
    pub fn answer(&mut self, question: &Question<'_>) -> Answer {
        let n = question.n(6)?;
        let style = style(question)?;
        let until = question.word("until", &[("all", Until::All), ("first", Until::First)])?;
        let origin = Origin::of(question)?;
        let language = question.word("code", &LANGUAGES)?;
        let at = question.number("at", 0, usize::MAX, 0)?;
        let raw = question.number("raw", 0, usize::MAX, usize::MAX)?;
        let solution = question.number("solution", 0, usize::MAX, usize::MAX)?;
        let go = question.word("go", &GOES)?;
        self.open(n, style, until);
        if solution != usize::MAX {
            self.replay().seek(0);
            for found in 0..=solution {
                if !self
                    .replay()
                    .step_to(MOST, |event| event == Event::Solution)
                {
                    return Err(format!(
                        "The steps kept here find {}; the link asks for number {solution}, counted from 0.",
                        say::plural(found as u64, "solution")
                    ));
                }
            }
        } else if raw != usize::MAX {
            self.replay().seek(raw);
            let at = self.position();
            self.seek(at);
        } else if !self.seek(at) {
            let last = self.length();
            return Err(format!(
                "This search has steps 0 to {last}; the link asks for step {at}."
            ));
        }
        let moved = match go {
            None => true,
            Some(wanted) => self.replay().step_to(MOST, wanted),
        };
        let (at, length) = (self.position(), self.length());
        let replay = &self.replay.as_ref().expect("opened above").0;
        let seen = Seen {
            origin,
            language,
            at,
            length,
        };
        Ok(moment(replay, &mut self.growth, seen).set("moved", moved))
    }

    /// Opens the replay of this search in this style; the last one goes on if it fits.
    fn open(&mut self, n: usize, style: Style, until: Until) {
        let replay = match self.replay.take() {
            Some((replay, known)) if (replay.state().n, known) == (n, until) => {
                if replay.style() == style {
                    replay
                } else {
                    replay.restyled(style)
                }
            }
            _ => {
                self.growth = Growth::default();
                self.shown.clear();
                let mut replay = Replay::with_limit(n, style, until, MOST);
                // Once to the end, so that its length is known.
                replay.seek(usize::MAX);
                replay
            }
        };
        self.replay = Some((replay, until));
        if style == Style::Bits && self.shown.is_empty() {
            let mut shown = vec![0];
            let replay = self.replay();
            let here = replay.position();
            replay.seek(0);
            while replay.step() {
                if !matches!(replay.state().last, Some(Event::Try { .. })) {
                    shown.push(replay.position() as u32);
                }
            }
            replay.seek(here);
            self.shown = shown;
        }
    }

    fn replay(&mut self) -> &mut Replay {
        &mut self.replay.as_mut().expect("a search is open").0
    }

    fn skips(&mut self) -> bool {
        self.replay().style() == Style::Bits
    }

    /// The number of the moment shown, or of the last one before it.
    fn position(&mut self) -> usize {
        let raw = self.replay().position();
        if self.skips() {
            self.shown.partition_point(|&shown| shown as usize <= raw) - 1
        } else {
            raw
        }
    }

    fn length(&mut self) -> usize {
        if self.skips() {
            self.shown.len() - 1
        } else {
            self.replay().known()
        }
    }

    /// Goes to the moment of this number; `false` if there are fewer.
    fn seek(&mut self, at: usize) -> bool {
        if at > self.length() {
            return false;
        }
        let raw = if self.skips() {
            self.shown[at] as usize
        } else {
            at
        };
        self.replay().seek(raw);
        true
    }
}

/// Where `go` leads: on to the next event of a kind.
type Wanted = fn(Event) -> bool;

const GOES: [(&str, Option<Wanted>); 6] = [
    ("stay", None),
    (
        "dead-end",
        Some(|event| matches!(event, Event::DeadEnd { .. })),
    ),
    ("solution", Some(|event| event == Event::Solution)),
    ("place", Some(|event| matches!(event, Event::Place { .. }))),
    ("undo", Some(|event| matches!(event, Event::Undo { .. }))),
    (
        // What changes the board or ends a line of thought.
        "turn",
        Some(|event| {
            matches!(
                event,
                Event::Place { .. } | Event::Undo { .. } | Event::DeadEnd { .. } | Event::Solution
            )
        }),
    ),
];

/// How to tell a moment.
struct Seen {
    origin: Origin,
    language: Language,
    at: usize,
    length: usize,
}

/// All that is shown of one moment.
fn moment(replay: &Replay, growth: &mut Growth, seen: Seen) -> Object {
    let state = replay.state();
    let style = replay.style();
    let n = state.n;
    let line = state
        .last
        .and_then(|event| program::line(style, seen.language, n, event));
    let cells = cells(style, state);
    let tree = (n > branches::LARGEST_N).then(|| growth.moment(state));
    Object::new()
        .set("n", n)
        .set("style", style.name())
        .set("at", seen.at)
        .set("length", seen.length)
        .set("raw", replay.position())
        .set("last", replay.known())
        .set("part", matches!(replay.end(), End::Limit(_)))
        .set("says", say::sentence(style, state, seen.origin))
        .set("event", state.last.map_or("start", event_name))
        .set("line", line.map_or(-1, |line| line as i64))
        .set("cells", &cells)
        .set("square", square(state))
        .set("attack", attack(state))
        .set("tuple", seen.origin.tuple(&state.cols))
        .set("cols", &state.cols)
        .set("depth", state.cols.len())
        .list("stack", stack(style, state))
        .set("panel", representation(style, state, seen.origin))
        .set("tree", tree)
        .list("stats", tallies(style, state))
}

/// The looks of the squares, row by row; the vectors also mark the free squares they found.
fn cells(style: Style, state: &State) -> String {
    let n = state.n;
    let found = match (style, state.last) {
        (Style::Bits, Some(Event::Enter { .. } | Event::Undo { .. })) => say::possible(state),
        _ => Vec::new(),
    };
    let row = state.cols.len();
    let one = |at: usize| match letter(state.cell(at / n, at % n)) {
        '.' if at / n == row && found.contains(&(at % n)) => 'P',
        letter => letter,
    };
    (0..n * n).map(one).collect()
}

/// What has been counted so far: pairs of words and a number. The vectors ask once per row
/// where the others ask once per square.
fn tallies(style: Style, state: &State) -> [Object; 4] {
    let stats = &state.stats;
    let asked = if style == Style::Bits {
        let rows: u64 = stats.levels[..state.n].iter().sum();
        ("rows looked at", rows)
    } else {
        ("squares tested", stats.tried)
    };
    let all = [
        asked,
        ("placed", stats.placements),
        ("dead ends", stats.dead_ends),
        ("solutions", stats.solutions),
    ];
    all.map(|(words, count)| Object::new().set("name", words).set("count", count))
}

/// The name of an event; for a tried square, whether it is free or refused.
fn event_name(event: Event) -> &'static str {
    match event {
        Event::Try {
            verdict: Verdict::Free,
            ..
        } => "free",
        Event::Try { .. } => "refused",
        event => event.name(),
    }
}

fn letter(cell: Cell) -> char {
    match cell {
        Cell::Queen => 'Q',
        Cell::Culprit => 'C',
        Cell::Tried => 'T',
        Cell::Refused => 'R',
        Cell::Attacked => 'a',
        Cell::Blocked => '#',
        Cell::Free => '.',
    }
}

/// The square that the last event is about.
fn square(state: &State) -> Option<Square> {
    match state.last {
        Some(
            Event::Try { row, col, .. } | Event::Place { row, col } | Event::Undo { row, col },
        ) => Some(Square::new(row, col)),
        _ => None,
    }
}

/// The line of attack of a refused square, from the queen to the square.
fn attack(state: &State) -> Option<Attack> {
    match state.last {
        Some(Event::Try {
            verdict: Verdict::Refused(attack),
            ..
        }) => Some(attack),
        _ => None,
    }
}

/// The calls in progress, the outermost first, as the programs make them.
fn stack(style: Style, state: &State) -> Vec<String> {
    if state.last.is_none() {
        return Vec::new();
    }
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
                None => row.to_string(),
            };
            format!("search({arguments})")
        })
        .collect()
}

/// A row of a table: its name, its cells, and a letter per cell that says how it looks: `q`
/// a queen's, `x` attacked or taken, `b` bits, `.` plain, and the letters of [`tint`].
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

/// The headings of columns that count from `first`.
fn numbers(first: isize, many: usize) -> Value {
    array((first..first + many as isize).map(minus))
}

/// A number with a proper minus sign.
fn minus(number: isize) -> String {
    number.to_string().replace('-', "−")
}

/// The representation's own state, as tables.
fn representation(style: Style, state: &State, origin: Origin) -> Value {
    let n = state.n;
    let first = origin.show(0) as isize;
    let grid = |caption: &str, cell: &dyn Fn(usize, usize) -> (String, char)| {
        let rows = (0..n).map(|row| {
            let cells: Vec<_> = (0..n).map(|col| cell(row, col)).collect();
            let marks: String = cells.iter().map(|cell| cell.1).collect();
            table_row(
                &origin.show(row).to_string(),
                cells.into_iter().map(|cell| cell.0),
                &marks,
            )
        });
        array([table(caption, numbers(first, n), rows)])
    };
    match style {
        Style::Steps => array([row_at_work(state, origin)]),
        Style::Tuple => {
            let cells = (0..n).map(|row| {
                let col = state.queen(row);
                col.map_or(String::new(), |col| origin.show(col).to_string())
            });
            let marks: String = (0..n)
                .map(|row| if row < state.cols.len() { 'q' } else { '.' })
                .collect();
            array([table(
                "queens: the column of each row’s queen",
                numbers(first, n),
                [table_row("", cells, &marks)],
            )])
        }
        Style::Grid => {
            let board: ByteGrid = state.board();
            grid("board: 1 where a queen stands", &|row, col| {
                let value = board.row(row)[col];
                (value.to_string(), if value == 1 { 'q' } else { '.' })
            })
        }
        Style::Box => {
            let board: AttackCount = state.board();
            grid(
                "B: 1 for a queen, −k where k queens above attack",
                &|row, col| {
                    let value = minus(board.b(row + 1, col + 1) as isize);
                    (value, tint(Tint::of(state, Square::new(row, col))))
                },
            )
        }
        Style::Attackers => {
            let board: FirstAttacker = state.board();
            grid(
                "attack: the earliest queen that attacks the square, or none",
                &|row, col| match board.earliest(row, col) {
                    k if k < 0 => ("·".to_owned(), '.'),
                    k => {
                        let name = origin.show(k as usize).to_string();
                        let own = board.queen(row) == Some(col);
                        (name, if own { 'q' } else { 'x' })
                    }
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
            let all = 2 * n - 1;
            array([
                table(
                    "cols: a queen stands in the column",
                    numbers(first, n),
                    [flags("", board.col())],
                ),
                table(
                    "diag: column − row",
                    numbers(1 - n as isize, all),
                    [flags("", board.nw_to_se())],
                ),
                table(
                    "anti: column + row",
                    numbers(2 * first, all),
                    [flags("", board.sw_to_ne())],
                ),
            ])
        }
        Style::Bits => vectors(state, origin),
    }
}

/// The marks of the document's colours: 0 to 4 for a queen, 5 to 9 for the squares she attacks.
/// After five queens the first colour comes again.
fn tint(tint: Tint) -> char {
    match tint {
        Tint::Queen(row) => char::from(b'0' + row % 5),
        Tint::Attacked(row) => char::from(b'5' + row % 5),
        Tint::Several => 's',
        _ => '.',
    }
}

/// Which queen attacks which square of the row at work.
fn row_at_work(state: &State, origin: Origin) -> Object {
    let row = state.row.min(state.n - 1);
    let cells = (0..state.n).map(|col| match state.attack(Square::new(row, col)) {
        _ if state.queen(row) == Some(col) => ("♛".to_owned(), 'q'),
        None => ("·".to_owned(), '.'),
        Some(attack) => (origin.show(attack.queen()).to_string(), 'x'),
    });
    let (cells, marks): (Vec<_>, String) = cells.unzip();
    table(
        &format!(
            "row {}: the queen that attacks each column",
            origin.show(row)
        ),
        numbers(origin.show(0) as isize, state.n),
        [table_row("", cells, &marks)],
    )
}

/// The vectors of every row so far, and how those of the next row come from a queen.
fn vectors(state: &State, origin: Origin) -> Value {
    let n = state.n;
    let board: Bitmask = state.board();
    let show = |vector| panel::binary(vector, n);
    let begun = state.cols.len().min(n - 1);
    let rows = (0..n).map(|row| {
        let name = origin.show(row).to_string();
        if row > begun {
            return table_row(&name, [""; 5].map(String::from), ".....");
        }
        let bits = board.row(row);
        let possible = panel::still_possible(state, row, bits, board.mask());
        let place = state.queen(row).map_or(String::new(), |col| show(1 << col));
        let cells = [
            show(bits.down),
            show(bits.left),
            show(bits.right),
            show(possible),
            place,
        ];
        table_row(&name, cells, "bbbbb")
    });
    // The queen placed last, and what she adds to the vectors of her row.
    let last = state.cols.last().copied().flatten().map(|col| {
        let row = state.cols.len() - 1;
        let (bits, place) = (board.row(row), 1 << col);
        (bits, place, bits.below(place, board.mask()))
    });
    let shift = |name: &str, of: &dyn Fn(RowBits) -> u32, how: &str| {
        let cells = match last {
            Some((before, place, after)) => [
                show(of(before)),
                show(of(before) | place),
                how.to_owned(),
                show(of(after)),
            ],
            None => [String::new(), String::new(), how.to_owned(), String::new()],
        };
        table_row(name, cells, "bb.b")
    };
    array([
        table(
            "possible = not (down or left or right); the lowest bit is the first column",
            array(["down", "left", "right", "possible", "place"]),
            rows,
        ),
        table(
            "from the last queen’s row to the next",
            array(["enters", "with her", "shift", "next row"]),
            [
                shift("down", &|bits| bits.down, "none"),
                shift("left", &|bits| bits.left, "left by 1"),
                shift("right", &|bits| bits.right, "right by 1"),
            ],
        ),
    ])
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
            assert_eq!(there.last().unwrap()["stats"][3]["count"], 10);
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
    fn the_bit_vectors_never_try_a_square() {
        let length = |style: &str| {
            let start = ask(&format!("watch?n=6&style={style}"));
            start["length"].as_u64().unwrap()
        };
        assert!(length("bits") < length("tuple"));
        for at in 0..=length("bits") {
            let moment = ask(&format!("watch?n=6&style=bits&at={at}"));
            assert!(!["free", "refused"].contains(&moment["event"].as_str().unwrap()));
            assert_eq!(moment["at"], at);
        }
        let end = ask(&format!("watch?n=6&style=bits&at={}", length("bits")));
        assert_eq!(end["stats"][0]["name"], "rows looked at");
        assert_eq!(end["stats"][0]["count"], 149); // 153 nodes, 4 of them solutions
        let plain = ask(&format!("watch?n=6&style=tuple&at={}", length("tuple")));
        assert_eq!(plain["stats"][0]["count"], 894);
        assert_eq!(plain["stats"][1], end["stats"][1]);
    }

    #[test]
    fn the_walk_is_told_as_the_documents_tell_it() {
        let dead = ask("watch?n=8&style=steps&go=dead-end&origin=1");
        let says = dead["says"].as_str().unwrap();
        assert!(
            says.starts_with(
                "Dead end in row 6: no column is available (queen 1 attacks columns 1"
            ),
            "{says}"
        );
        assert!(says.ends_with("queen 4 attacks column 4)."), "{says}");
        let row = &dead["panel"][0];
        assert_eq!(row["caption"], "row 6: the queen that attacks each column");
        assert_eq!(row["rows"][0]["cells"][3], "4");
        let from_0 = ask("watch?n=8&style=steps&go=dead-end");
        assert!(
            from_0["says"]
                .as_str()
                .unwrap()
                .starts_with("Dead end in row 5")
        );
    }

    #[test]
    fn the_box_trace_has_the_colours_of_the_assignment() {
        let mut at = ask("watch?n=4&style=box&until=first");
        while at["cols"] != serde_json::json!([1, 3]) {
            at = ask(&format!(
                "watch?n=4&style=box&until=first&at={}&go=place",
                at["at"]
            ));
        }
        let marks = |row: usize| at["panel"][0]["rows"][row]["marks"].clone();
        // Blue and red; (3, 4) and (4, 2), counted from 1, are attacked by both.
        let shown = [marks(0), marks(1), marks(2), marks(3)];
        assert_eq!(shown, [".0..", "5551", ".56s", ".s.6"]);
    }

    #[test]
    fn a_moment_keeps_its_place_in_another_style() {
        let there = ask("watch?n=6&style=bits&at=40");
        let same = ask(&format!("watch?n=6&style=lines&raw={}", there["raw"]));
        assert_eq!(same["cols"], there["cols"]);
        assert_eq!(same["last"], there["last"]);
        let back = ask(&format!("watch?n=6&style=bits&raw={}", same["raw"]));
        assert_eq!(back, there);
        let third = ask("watch?n=6&solution=2&style=bits");
        assert_eq!(third["tuple"], "(3, 0, 4, 1, 5, 2)");
        assert!(ask("watch?n=6&solution=4")["error"].is_string());
    }

    #[test]
    fn the_vectors_of_the_next_row_come_from_the_last_queen() {
        let moment = ask("watch?n=4&style=bits&go=place");
        let shifts = &moment["panel"][1]["rows"];
        assert_eq!(shifts[1]["cells"][1], "0001");
        assert_eq!(shifts[1]["cells"][3], "0010");
        assert_eq!(shifts[2]["cells"][3], "0000");
        let row = ask("watch?n=4&style=bits&at=1");
        assert!(row["cells"].as_str().unwrap().starts_with("PPPP"));
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
