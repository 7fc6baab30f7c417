//! What must hold for any input at all.
//!
//! Each function takes bytes that a stranger made up, hands them to one reader of the
//! project, and panics if a promise is broken. They are called from two sides:
//!
//! - `tests/properties.rs` runs each on thousands of generated and mutated inputs, in every
//!   `make check` and `make test`;
//! - the fuzz targets in `fuzz/` run the same functions for as long as one likes:
//!   `cargo +nightly fuzz run format` (see CONTRIBUTING.md).
//!
//! | function | reads |
//! |---|---|
//! | [`format()`] | placements, in every format |
//! | [`board`] | boards with given queens and blocked squares, and names of squares |
//! | [`link`] | links of the page, which are questions to its module |
//! | [`http_head`] | the head of a request to `queens serve` |
//! | [`ledger`] | the text that `queens campaign export` writes and `merge` reads |
//! | [`plan`] | costs of units, to be grouped into a plan |

// The one file of the command that reads what strangers send; it needs no other file.
#[path = "../../queens-cli/src/support/http.rs"]
mod http;

use queens::format::{Format, Reader, Writer};
use queens::{Board, Placement};
use queens_campaign::exchange;
use queens_campaign::plan::{Cut, PlanDigest, group};
use queens_campaign::row::Row;

/// Any text is placements or an error, whether the format is detected or told; and every
/// placement that was read can be written in each format that holds it, and read again.
pub fn format(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for told in [None].into_iter().chain(Format::ALL.map(Some)) {
        for placement in placements(told, text) {
            survives_every_format(&placement);
        }
    }
}

/// Any text is a board or an error, and names of squares or an error; a board that was read can be
/// written as a drawing and as JSON, and read again.
pub fn board(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(squares) = queens::puzzle::squares(text) {
        // Bracketed, they are the same squares again.
        let named: String = squares.iter().map(|square| square.to_string()).collect();
        assert_eq!(
            queens::puzzle::squares(&named).as_ref(),
            Ok(&squares),
            "{text:?}"
        );
    }
    // A drawing has n * n squares, so large boards are left out.
    let read: Option<Board> = text.parse().ok();
    if let Some(board) = read.filter(|board| board.n() <= 64) {
        assert_eq!(board.to_json().parse().as_ref(), Ok(&board), "{text:?}");
        let drawn = board.to_string().parse::<Board>();
        let drawn = drawn.and_then(|drawn| drawn.with_queens(board.queens()));
        assert_eq!(drawn.as_ref(), Ok(&board), "{text:?}");
    }
}

/// The placements of a text, up to the first error.
fn placements(told: Option<Format>, text: &str) -> Vec<Placement> {
    let mut reader = Reader::new(told);
    let mut found = Vec::new();
    for line in text.lines() {
        match reader.line(line) {
            Ok(placement) => found.extend(placement),
            Err(_) => return found,
        }
    }
    found.extend(reader.finish().unwrap_or_default());
    found
}

fn survives_every_format(placement: &Placement) {
    let n = placement.n();
    // A drawing has n * n squares, so large boards are left out.
    if n > 64 {
        return;
    }
    for format in Format::ALL {
        let mut out = Vec::new();
        let mut writer = Writer::new(format, n, false);
        writer.begin(&mut out);
        if writer.placement(placement, None, &mut out).is_err() {
            assert!(!format.holds_crowded_rows(), "{format:?}: {placement:?}");
            continue;
        }
        let text = String::from_utf8(out).expect("formats are text");
        // In some formats an empty board has no line.
        if n > 0 {
            assert_eq!(
                format.parse(&text).as_ref(),
                Ok(placement),
                "{format:?}: {text}"
            );
        }
    }
}

/// Any text is a question that gets an answer: one JSON object, the same every time.
///
/// Questions that a browser would compute for seconds are left out.
pub fn link(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let mut parts = text.split(['?', '&']);
    let draws_many = text.starts_with("heat") && !parts.clone().any(is_a_small_number);
    if draws_many || parts.any(is_long) {
        return;
    }
    let answer = queens_wasm::answer_to(text);
    let read: serde_json::Value =
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{text:?}: {error}: {answer}"));
    let object = read.as_object().expect("an answer is an object");
    assert!(!object.is_empty());
    assert_eq!(queens_wasm::answer_to(text), answer, "{text:?}");
}

/// Whether a part of a link asks for a board that takes long, on some page.
fn is_long(part: &str) -> bool {
    let n = part.strip_prefix("n=").and_then(|n| n.parse::<u64>().ok());
    n.is_some_and(|n| (8..=20).contains(&n))
}

/// Whether a part of a link asks for few enough random solutions that they are drawn at once.
fn is_a_small_number(part: &str) -> bool {
    let number = part.strip_prefix("number=");
    number.is_some_and(|number| number.len() == 1)
}

/// Any bytes are a request or a refusal; what is let in is a plain `GET` or `HEAD` to this
/// machine, and neither another header nor a body changes what it asks for.
pub fn http_head(data: &[u8]) {
    const PORT: u16 = 8428;
    let read = http::read(data, PORT);
    let end = data.windows(4).position(|end| end == b"\r\n\r\n");
    assert_eq!(http::is_complete(data), end.is_some());
    if let Some(end) = end {
        let body = [&data[..end + 4], b"Host: evil.example\r\n\r\n\xff"].concat();
        assert_eq!(http::read(&body, PORT), read);
        let more = [&data[..end], b"\r\nX-More: 1\r\n\r\n"].concat();
        assert_eq!(http::read(&more, PORT), read);
        let twice = [&data[..end], b"\r\nHost: localhost:8428\r\n\r\n"].concat();
        if read.is_ok() {
            assert_eq!(http::read(&twice, PORT), Err(http::Refusal::NotHttp));
        }
    }
    let Ok(request) = read else {
        return;
    };
    assert!(!request.name.contains(['?', '#', ' ']));
    assert!(!request.name.contains(char::is_control));
    assert!(!request.known.contains(char::is_control));
    let method: &[u8] = if request.head_only {
        b"HEAD /"
    } else {
        b"GET /"
    };
    assert!(data.starts_with(method));
    let head = String::from_utf8_lossy(&data[..end.unwrap_or(data.len())]).to_lowercase();
    let host = head
        .lines()
        .find_map(|line| line.strip_prefix("host:"))
        .expect("a host")
        .trim();
    let name = host.strip_suffix(":8428").expect("our port");
    assert!(
        name == "localhost" || name.starts_with("127.") || name.starts_with('['),
        "{host}"
    );
}

/// Any bytes are an export or an error; the rows of an export fit their check values, and
/// written again they are read as the same.
///
/// A fuzzer does not guess check values, so the rows are read once more with the right ones.
pub fn ledger(data: &[u8]) {
    read_and_write(data);
    if let Ok(text) = std::str::from_utf8(data) {
        read_and_write(sealed(text).as_bytes());
    }
}

/// The plans of the ledgers here have this many units.
pub const UNITS: u64 = 100;

fn read_and_write(data: &[u8]) {
    let Ok((plan, rows)) = exchange::read_text(data, UNITS) else {
        return;
    };
    let mut out = Vec::new();
    exchange::write_head(&mut out, 8, "any", &plan, 1).expect("memory takes it");
    for row in &rows {
        exchange::write_row(&mut out, row, &plan).expect("memory takes it");
    }
    let (again, copies) = exchange::read_text(&out[..], UNITS)
        .unwrap_or_else(|error| panic!("{error:?}: {}", String::from_utf8_lossy(&out)));
    assert_eq!(again, plan);
    assert_eq!(rows, copies);
    assert!(
        rows.iter()
            .all(|row| row.seconds.is_finite() && row.seconds >= 0.0)
    );
}

/// The text with the right check value in every row that can have one.
pub fn sealed(text: &str) -> String {
    let plan = text
        .lines()
        .nth(3)
        .and_then(|line| line.strip_prefix("plan "));
    let seal = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let (Some(plan), &[unit, count, _, device, program, started, seconds]) =
            (plan, columns.as_slice())
        else {
            return None;
        };
        let row = Row {
            unit: unit.parse().ok()?,
            count: count.parse().ok()?,
            device: device.to_owned(),
            program: program.to_owned(),
            started: started.to_owned(),
            seconds: seconds.parse().ok()?,
        };
        let check = row.check_value(plan);
        Some([unit, count, &check, device, program, started, seconds].join("\t"))
    };
    let lines = text
        .lines()
        .map(|line| seal(line).unwrap_or(line.to_owned()) + "\n");
    lines.collect()
}

/// Any costs are grouped into a plan of at most the units wanted. Every engine unit is in it
/// once and in order, and no plan unit costs more than an equal share and one engine unit; the
/// digest tells the plan from its neighbours.
///
/// The first two bytes say how many plan units are wanted, each further pair is a cost.
pub fn plan(data: &[u8]) {
    let mut pairs = data
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let want = u64::from(pairs.next().unwrap_or(0));
    let costs: Vec<f64> = pairs.map(cost).collect();
    let total: f64 = costs.iter().sum();
    let dearest = costs.iter().copied().fold(0.0, f64::max);
    let cut = Costs(costs);
    let plan: Vec<_> = group(&cut, want).collect();
    let most = want.clamp(1, cut.len().max(1));
    assert!(plan.len() as u64 <= most, "{} of {most}", plan.len());
    let mut next = 0;
    let mut digest = PlanDigest::new(8, "any");
    let mut joined = PlanDigest::new(8, "any");
    for (number, planned) in plan.iter().enumerate() {
        assert_eq!((planned.unit, planned.first), (number as u64, next));
        assert!(planned.first <= planned.last && planned.cost > 0);
        next = planned.last + 1;
        let cost: f64 = (planned.first..next).map(|unit| cut.cost(unit)).sum();
        assert!(cost <= (total / most as f64 + dearest) * (1.0 + 1e-9));
        digest.add(planned.unit, planned.first, planned.last);
        joined.add(planned.unit, planned.first, planned.last + 1);
    }
    assert_eq!(next, cut.len());
    if !plan.is_empty() {
        assert_ne!(digest.finish(), joined.finish());
    }
}

/// A cost from a thousandth to about 10^13, in steps of a few per mille.
fn cost(number: u16) -> f64 {
    (f64::from(number) / 65_535.0 * 16.0 - 3.0)
        .exp2()
        .powf(std::f64::consts::LOG2_10)
}

/// Engine units of given costs.
struct Costs(Vec<f64>);

impl Cut for Costs {
    fn n(&self) -> u32 {
        8
    }
    fn algorithm(&self) -> &str {
        "any"
    }
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn cost(&self, unit: u64) -> f64 {
        self.0[unit as usize]
    }
}
