//! The bodies of the fuzz targets on thousands of inputs: bytes of any kind, words of the
//! language in any order, and good inputs with a few bytes altered.

use proptest::prelude::*;
use queens::random::Random;
use queens_fuzz::{UNITS, board, format, http_head, ledger, link, plan, sealed};

/// How many inputs of each kind a test makes.
const CASES: u32 = 8_000;

/// Words of a language in any order.
fn words(words: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(words), 0..24).prop_map(|words| {
        let text: String = words.concat();
        text.into_bytes()
    })
}

/// Bytes of any kind.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..200)
}

/// A good input with up to eight changes.
fn altered(good: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (prop::sample::select(good), 0u64..9, any::<u64>()).prop_map(|(mut text, changes, seed)| {
        let mut random = Random::new(seed);
        for _ in 0..changes {
            alter(&mut text, &mut random);
        }
        text
    })
}

/// Signs that the languages are made of.
const SIGNS: &[u8] = b"0123456789 \r\n\t(),;:/?&=-+.";

/// One change: a byte is set, flipped, dropped or doubled, or a part is moved.
fn alter(text: &mut Vec<u8>, random: &mut Random) {
    if text.is_empty() {
        text.push(random.bits() as u8);
        return;
    }
    let at = random.below(text.len() as u64) as usize;
    match random.below(6) {
        0 => text[at] = random.bits() as u8,
        1 => text[at] ^= 1 << random.below(8),
        2 => drop(text.remove(at)),
        3 => text.insert(at, text[at]),
        4 => text[at] = SIGNS[random.below(SIGNS.len() as u64) as usize],
        _ => text.rotate_left(at),
    }
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Boards drawn and as JSON, and squares by name.
fn good_boards() -> Vec<Vec<u8>> {
    texts(&[
        "Q . . .\n. . . #\n. . . .\n. . . .\n",
        "Q..\n..#\n.#.",
        "· ♛ ·\n▒ · ·\n· · ·",
        r#"{"n":4,"queens":3,"given":[[0,1]],"blocked":[[3,0],[2,2]]}"#,
        "1,4 2,7; (3, 3) [0, 3]",
        "[[0,3],[1,6]]",
    ])
}

/// Placements in all seven formats, alone and as lists.
fn good_formats() -> Vec<Vec<u8>> {
    texts(&[
        "(2, 4, 1, 3)\n(3, 1, 4, 2)\n",
        "[1, 3, 0, 2] # class of 2\n",
        ".Q..\n...Q\nQ...\n..Q.\n\n..Q.\nQ...\n...Q\n.Q..\n",
        "· ♛ · ·\n· · · ♛\n♛ · · ·\n· · ♛ ·\n",
        "1Q2/3Q/Q3/2Q1 w - - 0 1\n",
        "{\"n\":4,\"cols\":[1,3,0,null]}\n{\"n\":3,\"queens\":[[0,0],[0,2]]}\n",
        "row1,row2,row3,row4,class_size\n2,4,1,3,2\n",
        "(0, 0, 2)\n",
        "10Q/11/11/11/11/11/11/11/11/11/Q10\n",
    ])
}

fn good_links() -> Vec<Vec<u8>> {
    texts(&[
        "hello",
        "watch?n=6&style=bits&at=120&until=first&go=solution",
        "watch?n=5&style=box&go=dead-end",
        "branches?n=5&root=0-2",
        "program?style=lines&code=c",
        "hint?n=5&queens=0.1",
        "puzzle?n=6&seed=3",
        "race?n=6&engines=lines.bitmask",
        "step?step=3",
        "why?n=5&rows=3",
        "try?n=6&queens=0.3-1.5",
        "extend?n=6&queens=0.1",
        "solutions?n=6&kind=all&from=2&many=3",
        "images?cols=1-3-0-2",
        "picture?cols=1-3-0-2&format=latex&theme=dark&size=640",
        "list?n=6&kind=fundamental",
        "count?n=7&engine=two-colour",
        "colours?n=6",
        "split?n=6&rows=21",
        "meeting?n=6&rows=21&cols=42",
    ])
}

fn good_heads() -> Vec<Vec<u8>> {
    texts(&[
        "GET / HTTP/1.1\r\nHost: localhost:8428\r\n\r\n",
        "HEAD /main.js?x HTTP/1.0\r\naccept: */*\r\nHOST: 127.0.0.1:8428\r\n\r\nrest",
        "GET /#a HTTP/1.1\r\nHost: [::1]:8428\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost:8428\r\n\r\n",
    ])
}

fn good_ledgers() -> Vec<Vec<u8>> {
    let head = "queens ledger 1\nn 8\nalgorithm two-colour/4\nplan 5d41402a\nunits 3\n";
    let row = "0\t40\t?\tada/cpu\tqueens 0.1.0\t2026-11-15T09:00:00Z\t0.041215\n";
    let rows = "1\t52\t?\tada/gpu:0\tqueens 0.1.0\t2026-11-15T09:00:01Z\t0.001000\n\
                2\t0\t?\tada\tqueens\t?\t0.000000\n";
    [
        head.to_owned(),
        format!("{head}{row}"),
        format!("{head}{row}{rows}"),
    ]
    .map(|text| sealed(&text).into_bytes())
    .to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_a_board_or_an_error(
        any in bytes(),
        near in altered(good_boards()),
        spoken in words(&["Q", ".", "#", " ", "\n", "{", "\"n\":", "[", "]", "(", ")", ",", "1", "4"]),
    ) {
        board(&any);
        board(&near);
        board(&spoken);
    }

    #[test]
    fn any_text_is_placements_or_an_error(
        any in bytes(),
        near in altered(good_formats()),
        spoken in words(&[
            "(", ")", "[", "]", "{", "}", "1", "2", "4", "10", "0", ", ", " ", "\n", "#", "Q", ".",
            "♛", "·", "/", "w", "row1", ",", "\"n\"", "\"cols\"", "\"queens\"", ":", "null", "-",
        ]),
    ) {
        format(&any);
        format(&near);
        format(&spoken);
    }

    #[test]
    fn any_link_gets_an_answer(
        any in bytes(),
        near in altered(good_links()),
        spoken in words(&[
            "watch", "tree", "try", "extend", "solutions", "images", "picture", "list", "count",
            "colours", "split", "meeting", "?", "&", "=", "n=", "4", "6", "7", "at=", "style=",
            "bits", "queens=", "0.1", "-", "cols=", "1-3-0-2", "rows=", "from=", "engine=",
            "mirror", "kind=all", "é", "\"",
        ]),
    ) {
        link(&any);
        link(&near);
        link(&spoken);
    }

    #[test]
    fn any_request_is_let_in_or_turned_away(
        any in bytes(),
        near in altered(good_heads()),
        spoken in words(&[
            "GET", "HEAD", "POST", " ", "/", "main.js", "?", "#", "HTTP/1.1", "\r\n", "\r\n\r\n",
            "Host:", "host: ", "localhost", "127.0.0.1", "[::1]", ":8428", ":80", "evil.example",
        ]),
    ) {
        http_head(&any);
        http_head(&near);
        http_head(&spoken);
    }

    #[test]
    fn any_text_is_an_export_or_an_error(any in bytes(), near in altered(good_ledgers())) {
        ledger(&any);
        ledger(&near);
    }

    /// What the check values are for: no altered row is ever taken.
    #[test]
    fn an_altered_row_is_never_merged(near in altered(good_ledgers())) {
        let good = good_ledgers().pop().expect("the longest");
        let (plan, rows) = queens_campaign::exchange::read_text(&good[..], UNITS).expect("it is good");
        if let Ok((other, found)) = queens_campaign::exchange::read_text(&near[..], UNITS)
            && other == plan
        {
            prop_assert!(found.iter().all(|row| rows.contains(row)), "{found:?}");
        }
    }

    #[test]
    fn any_costs_make_a_plan(
        any in bytes(),
        want in 0u16..40,
        costs in prop::collection::vec(any::<u16>(), 0..80),
    ) {
        plan(&any);
        let numbers = std::iter::once(want).chain(costs);
        plan(&numbers.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    }
}

/// Every good input gets through: a body that turned all of them away would test nothing.
#[test]
fn good_inputs_are_read() {
    for text in good_formats() {
        let text = String::from_utf8(text).unwrap();
        let mut reader = queens::format::Reader::new(None);
        let lines = text.lines().map(|line| reader.line(line).unwrap());
        let mut found = lines.flatten().count();
        found += usize::from(reader.finish().unwrap().is_some());
        assert!(found > 0, "{text}");
    }
    for text in good_links() {
        let text = String::from_utf8(text).unwrap();
        let answer = queens_wasm::answer_to(&text);
        assert!(!answer.contains("\"error\""), "{text}: {answer}");
    }
    for (text, rows) in good_ledgers().into_iter().zip([0, 1, 3]) {
        let read = queens_campaign::exchange::read_text(&text[..], UNITS).unwrap();
        assert_eq!(read.1.len(), rows);
    }
}
