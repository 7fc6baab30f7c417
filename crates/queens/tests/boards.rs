//! Boards with given queens, blocked squares and fewer queens: every engine that takes them,
//! the iterator and the visitor against trying all squares by the rule of the game.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use queens::count::ENGINES;
use queens::random::Random;
use queens::render::html;
use queens::search::trace::{Replay, State, Style, Trace, Until, json, narrate, panel};
use queens::search::tree::{Kind, Limit, Tree};
use queens::search::{Event, Verdict, walk_board};
use queens::{Board, Count, CountError, Engine, Line, List, Placement, Square, Symmetry};

/// Every answer of a board, in the order of tuples, from nothing but the rule: an empty row or
/// any square of it that no queen attacks; in the end the given queens must be there.
fn by_trying(board: &Board) -> Vec<Placement> {
    fn fill(board: &Board, row: usize, queens: &mut Vec<Square>, found: &mut Vec<Placement>) {
        if row == board.n() {
            let given = board.given().iter().all(|given| queens.contains(given));
            if given && queens.len() == board.queens() {
                found.push(Placement::new(board.n(), queens.iter().copied()).unwrap());
            }
            return;
        }
        fill(board, row + 1, queens, found);
        for col in 0..board.n() {
            let square = Square::new(row, col);
            let peaceful = |&queen: &Square| Line::between(queen, square).is_none();
            if !board.blocked().contains(&square) && queens.iter().all(peaceful) {
                queens.push(square);
                fill(board, row + 1, queens, found);
                queens.pop();
            }
        }
    }
    let mut found = Vec::new();
    fill(board, 0, &mut Vec::new(), &mut found);
    found
}

/// Counts with every engine that takes the board, on one and on two threads.
fn assert_every_engine_counts(board: &Board, expected: u128) {
    for engine in ENGINES
        .iter()
        .copied()
        .filter(|engine| engine.takes_boards())
    {
        let fits = board.queens() >= board.n() || engine.takes_fewer_queens();
        for threads in [1, 2] {
            let counted = Count::on(board).engine(engine).threads(threads).run();
            match fits {
                true => assert_eq!(counted, Ok(expected), "{engine}:\n{}", board.to_json()),
                false => assert_eq!(counted, Err(CountError::FullOnly { engine })),
            }
        }
    }
    assert_eq!(Count::on(board).run(), Ok(expected), "{}", board.to_json());
}

/// A board with about that many given queens and blocked squares.
fn random_board(n: usize, given: usize, blocked: usize, random: &mut Random) -> Board {
    let mut board = Board::new(n);
    for place in 0..given + blocked {
        let mut coordinate = || random.below(n as u64) as usize;
        let square = [Square::new(coordinate(), coordinate())];
        let with = match place < given {
            true => board.clone().with_given(square),
            false => board.clone().with_blocked(square),
        };
        board = with.unwrap_or(board);
    }
    board
}

/// The board whose blocked squares are these and all their images under the symmetries.
fn made_symmetric(board: &Board, symmetries: &[Symmetry]) -> Board {
    let mut blocked = board.blocked().to_vec();
    loop {
        let before = blocked.len();
        let images = symmetries.iter().flat_map(|symmetry| {
            let of = |&square: &Square| symmetry.square(board.n(), square);
            blocked.iter().map(of).collect::<Vec<_>>()
        });
        let images: Vec<Square> = images.collect();
        blocked.extend(images);
        blocked.sort_unstable();
        blocked.dedup();
        if blocked.len() == before {
            return Board::new(board.n()).with_blocked(blocked).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random boards with any number of queens.
    #[test]
    fn engines_and_lists_agree_with_trying_all_squares(
        n in 0usize..8,
        given in 0usize..4,
        blocked in 0usize..20,
        fewer in 0usize..4,
        seed in any::<u64>(),
    ) {
        let mut board = random_board(n, given, blocked, &mut Random::new(seed));
        board = board.clone().with_queens(n.saturating_sub(fewer)).unwrap_or(board);
        let expected = by_trying(&board);
        assert_every_engine_counts(&board, expected.len() as u128);
        prop_assert_eq!(&board.solutions().collect::<Vec<_>>(), &expected);
        prop_assert_eq!(board.solutions().count(), expected.len());
        prop_assert_eq!(board.first(), expected.first().cloned());
        let mut visited = Vec::new();
        let end = List::on(&board).visit(|answer| {
            visited.push(answer.clone());
            ControlFlow::Continue(())
        });
        prop_assert_eq!(end, ControlFlow::Continue(expected.len() as u64));
        prop_assert_eq!(&visited, &expected);
        prop_assert!(visited.iter().all(|answer| board.is_answered_by(answer)));
    }

    /// JSON, text and images say the same board.
    #[test]
    fn a_board_survives_text_json_and_turning(
        n in 0usize..12,
        given in 0usize..4,
        blocked in 0usize..20,
        seed in any::<u64>(),
    ) {
        let board = random_board(n, given, blocked, &mut Random::new(seed));
        prop_assert_eq!(&board.to_string().parse::<Board>().unwrap(), &board);
        let more = board.clone().with_queens(n + 3).unwrap();
        prop_assert_eq!(&more.to_json().parse::<Board>().unwrap(), &more);
        prop_assert_eq!(board.image(Symmetry::Quarter).image(Symmetry::ThreeQuarters), board.clone());
        for symmetry in Symmetry::ALL {
            let kept = board.symmetries().any(|kept| kept == symmetry);
            prop_assert_eq!(kept, board.image(symmetry) == board);
        }
    }
}

/// Boards that are large enough for units, chunks and folds: 8 to 11 rows.
#[test]
fn larger_boards_are_counted_alike_by_all_engines() {
    let mut random = Random::new(18);
    let mut found = 0;
    for round in 0..60 {
        let n = 8 + round % 4;
        let board = random_board(n, round % 3, round % 11, &mut random);
        let expected = board.solutions().count() as u128;
        assert_every_engine_counts(&board, expected);
        found += expected;
    }
    assert!(found > 1_000, "{found}");
}

/// Engines may use the symmetries that a board keeps, but the count must not change.
#[test]
fn symmetric_boards_are_counted_alike_by_all_engines() {
    use Symmetry::*;
    let groups: [&[Symmetry]; 8] = [
        &[LeftRight],
        &[TopBottom],
        &[Half],
        &[Transpose],
        &[AntiTranspose],
        &[Quarter],
        &[LeftRight, TopBottom],
        &[Quarter, Transpose],
    ];
    let mut random = Random::new(8);
    let mut found = 0;
    for n in 4..=11 {
        for group in groups {
            let board = made_symmetric(&random_board(n, 0, 2, &mut random), group);
            for &symmetry in group {
                assert!(board.symmetries().any(|kept| kept == symmetry), "{board}");
            }
            let expected = board.solutions().count() as u128;
            assert_every_engine_counts(&board, expected);
            found += expected;
        }
        // A queen in the very middle keeps all eight, too.
        let middle = Board::new(n)
            .with_given([Square::new(n / 2, n / 2)])
            .unwrap();
        assert_eq!(middle.symmetries().count() == 8, n % 2 == 1);
        assert_every_engine_counts(&middle, middle.solutions().count() as u128);
    }
    assert!(found > 1_000, "{found}");
}

/// Boards that keep all eight symmetries, which `two-colour` folds as it folds the plain board;
/// `mirror` knows nothing of that.
#[test]
fn boards_as_symmetric_as_the_plain_one_are_counted_alike() {
    for n in [13, 14] {
        let last = n - 1;
        let corners = [(0, 0), (0, last), (last, 0), (last, last)].map(Square::from);
        let diagonals = (0..n).flat_map(|k| [Square::new(k, k), Square::new(k, last - k)]);
        let corners = Board::new(n).with_blocked(corners).unwrap();
        let diagonals = Board::new(n).with_blocked(diagonals).unwrap();
        for board in [corners, diagonals] {
            assert_eq!(board.symmetries().count(), 8);
            let count = |engine| Count::on(&board).engine(engine).run().unwrap();
            assert_eq!(count(Engine::TwoColour), count(Engine::Mirror), "{board}");
            assert!(count(Engine::Mirror) > 0);
        }
    }
}

/// A given queen on each square of the first row in turn makes up all solutions, whichever
/// engine adds them up; and blocking all others of that row is the same as giving her.
#[test]
fn given_queens_of_the_first_row_make_up_the_plain_count() {
    for n in [9, 12] {
        for engine in ENGINES
            .iter()
            .copied()
            .filter(|engine| engine.takes_boards())
        {
            let mut total = 0;
            for col in 0..n {
                let queen = Square::new(0, col);
                let given = Board::new(n).with_given([queen]).unwrap();
                let others = (0..n)
                    .map(|col| Square::new(0, col))
                    .filter(|&square| square != queen);
                let blocked = Board::new(n).with_blocked(others).unwrap();
                let count = |board| Count::on(board).engine(engine).run().unwrap();
                assert_eq!(count(&given), count(&blocked), "{engine} {queen}");
                total += count(&given);
            }
            assert_eq!(Ok(total), queens::count(n), "{engine}");
        }
    }
}

/// Rows of A348129 with what is known of its columns: 1; n^2; A036464; A047659; and, on the
/// diagonal, A000170. The formulas are those of the OEIS, in whole numbers.
#[test]
fn fewer_queens_are_counted_as_the_formulas_say() {
    for n in 1..=8u128 {
        let count = |queens: usize| {
            let board = Board::new(n as usize).with_queens(queens).unwrap();
            Count::on(&board).run().unwrap()
        };
        assert_eq!(count(0), 1);
        assert_eq!(count(1), n * n);
        assert_eq!(count(2), n * (n - 1) * (n - 2) * (3 * n - 1) / 6);
        if n >= 3 {
            let three = match n % 2 {
                0 => n * (n - 2).pow(2) * (2 * n.pow(3) + 23 * n - 12 * n.pow(2) - 10) / 12,
                _ => {
                    (n - 1) * (n - 3) * (2 * n.pow(4) + 25 * n.pow(2) + 1 - 12 * n.pow(3) - 14 * n)
                        / 12
                }
            };
            assert_eq!(count(3), three, "n = {n}");
        }
        assert_eq!(Ok(count(n as usize)), queens::count(n as usize));
        assert_eq!(count(n as usize + 1), 0);
    }
}

#[test]
fn a_count_on_a_board_stops_and_reports() {
    let board = Board::new(16).with_blocked([Square::new(3, 3)]).unwrap();
    let stop = AtomicBool::new(true);
    for engine in ENGINES
        .iter()
        .copied()
        .filter(|engine| engine.takes_boards())
    {
        let stopped = Count::on(&board).engine(engine).stop(&stop).run();
        assert!(
            matches!(stopped, Err(CountError::Stopped { .. })),
            "{engine}: {stopped:?}"
        );
        let small = Board::new(10).with_blocked([Square::new(3, 3)]).unwrap();
        let told = std::sync::Mutex::new(Vec::new());
        let progress = |share| told.lock().unwrap().push(share);
        Count::on(&small)
            .engine(engine)
            .progress(progress)
            .run()
            .unwrap();
        let told = told.into_inner().unwrap();
        assert!(
            told.is_sorted() && told.last() == Some(&1.0),
            "{engine}: {told:?}"
        );
    }
}

#[test]
fn an_engine_that_takes_no_boards_says_which_do() {
    let board = Board::new(8).with_blocked([Square::new(0, 0)]).unwrap();
    let refused = Count::on(&board).engine(Engine::Lines).run().unwrap_err();
    assert!(refused.to_string().starts_with(
        "engine lines counts on the plain board only; for given queens and blocked squares use bitmask"
    ), "{refused}");
    // All engines count the plain board, also when it comes as a `Board`.
    assert_eq!(Count::on(&Board::new(6)).engine(Engine::Lines).run(), Ok(4));
}

#[test]
fn boards_of_up_to_64_rows_are_counted_when_enough_is_given() {
    let solution = queens::construct::solution(40).unwrap();
    let given = solution.queens().skip(4);
    let board = Board::new(40).with_given(given).unwrap();
    let expected = by_hand(&board);
    assert!(expected > 0);
    assert_eq!(Count::on(&board).run(), Ok(expected));
    let large = Board::new(65).with_queens(1).unwrap();
    assert!(matches!(
        Count::on(&large).run(),
        Err(CountError::TooLarge { largest: 64, .. })
    ));
    assert_eq!(large.solutions().count(), 65 * 65);
}

/// The ways to fill the four rows that are left.
fn by_hand(board: &Board) -> u128 {
    fn fill(board: &Board, rows: &[usize], queens: &mut Vec<Square>) -> u128 {
        let Some((&row, rest)) = rows.split_first() else {
            return 1;
        };
        let mut found = 0;
        for square in (0..board.n()).map(|col| Square::new(row, col)) {
            if queens
                .iter()
                .all(|&queen| Line::between(queen, square).is_none())
            {
                queens.push(square);
                found += fill(board, rest, queens);
                queens.pop();
            }
        }
        found
    }
    let held = |row: &usize| board.given().iter().any(|queen| queen.row == *row);
    let open: Vec<usize> = (0..board.n()).filter(|row| !held(row)).collect();
    fill(board, &open, &mut board.given().to_vec())
}

/// The columns of an answer's queens, none where a row is empty.
fn rows_of(answer: &Placement) -> Vec<Option<usize>> {
    let mut rows = vec![None; answer.n()];
    for queen in answer.queens() {
        rows[queen.row] = Some(queen.col);
    }
    rows
}

/// Boards with given queens, blocked squares, and now and then fewer queens than rows.
fn boards_to_watch() -> impl Iterator<Item = Board> {
    let mut random = Random::new(3);
    (0..60).map(move |round| {
        let n = 3 + round % 4;
        let board = random_board(n, round % 3, round % 7, &mut random);
        let fewer = n.saturating_sub(round % 5 % 3).max(board.given().len());
        board.with_queens(fewer).unwrap()
    })
}

/// The search that is traced and drawn finds what is listed, in the same order, and every square
/// that it looks at is told with the reason why it is refused.
#[test]
fn the_search_that_is_shown_finds_the_answers_of_a_board() {
    let (mut found, mut blocked, mut given, mut empty) = (0, 0, 0, 0);
    for board in boards_to_watch() {
        let expected: Vec<_> = board.solutions().map(|answer| rows_of(&answer)).collect();
        let mut listed = Vec::new();
        let end = walk_board(&board, |event, rows| {
            match event {
                Event::Solution => listed.push(rows.to_vec()),
                Event::Try { row, col, verdict } => match verdict {
                    Verdict::Blocked => {
                        assert!(board.is_blocked(Square::new(row, col)));
                        blocked += 1;
                    }
                    Verdict::Refused(attack) => {
                        assert!(!board.is_blocked(attack.second));
                        assert_eq!(
                            Line::between(attack.first, attack.second),
                            Some(attack.line)
                        );
                        let by_given = board.given().contains(&attack.first);
                        given += usize::from(by_given && attack.first.row > row);
                        assert!(by_given || rows[attack.first.row] == Some(attack.first.col));
                    }
                    Verdict::Free => assert!(!board.is_blocked(Square::new(row, col))),
                },
                Event::Skip { row } => {
                    assert_eq!(rows[row..], [None]);
                    empty += 1;
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
        assert_eq!(end, ControlFlow::Continue(expected.len() as u64));
        assert_eq!(listed, expected, "\n{board}\n{} queens", board.queens());
        assert_eq!(Count::on(&board).run(), Ok(expected.len() as u128));
        let tree = Tree::build_on(&board, None, Limit::LIST).unwrap();
        assert_eq!(tree.nodes[0].solutions, expected.len() as u64);
        found += expected.len();
    }
    assert!(
        found > 50 && blocked > 50 && given > 50 && empty > 50,
        "{found} {blocked} {given} {empty}"
    );
}

/// More queens than rows is a board without a solution, and the search says so at once.
#[test]
fn a_search_for_more_queens_than_rows_ends_where_it_begins() {
    let board = Board::new(4).with_queens(5).unwrap();
    let told = Trace::on(&board).until(Until::All).style(Style::Steps);
    assert_eq!(
        told.text().unwrap(),
        "Dead end: 5 queens need more than 4 rows.\nend of the search: no solution\n"
    );
    let tree = Tree::build_on(&board, None, Limit::LIST).unwrap();
    assert_eq!((tree.nodes.len(), tree.nodes[0].solutions), (1, 0));
}

/// Every style tells the whole search on any board, as text and as JSON, with as many solutions
/// as are counted.
#[test]
fn every_style_shows_the_search_on_every_board() {
    for board in boards_to_watch() {
        let count = Count::on(&board).run().unwrap();
        for style in Style::ALL {
            let walk = Trace::on(&board).style(style).until(Until::All);
            let text = walk.text().unwrap();
            let told = match style {
                Style::Box => {
                    let (_, value) = text.split_once("the outermost call returns ").unwrap();
                    value.lines().next().unwrap().parse().unwrap()
                }
                Style::Steps => text.matches("Solution ").count() as u128,
                _ => text.matches("solution ").count() as u128,
            };
            assert_eq!(told, count, "{style}\n{board}\n{text}");
            let found = match count {
                0 => "no solution".to_owned(),
                1 => "1 solution".to_owned(),
                _ => format!("{count} solutions"),
            };
            let end = format!("end of the search: {found}\n");
            assert!(text.ends_with(&end), "{style}\n{board}\n{text}");
            let mut lines = json::JsonTrace::on(&board, style);
            let mut last = serde_json::Value::Null;
            walk.run(|event| {
                last = serde_json::from_str(&lines.event(event)).unwrap();
                ControlFlow::Continue(())
            })
            .unwrap();
            assert_eq!(last["solutions"], count as u64);
            html::page(&board, style, Until::All, Some(5000)).unwrap();
        }
    }
}

/// The grids mark the rows to come as the rule of the game says: a square is free if it is not
/// blocked and no queen sees it.
#[test]
fn every_representation_marks_the_squares_that_are_left_and_no_others() {
    let mut seen = [0; 3];
    for board in boards_to_watch() {
        let n = board.n();
        let mut state = State::on(&board);
        Trace::on(&board)
            .until(Until::All)
            .run(|event| {
                state.apply(event);
                let next = state.cols.len();
                let queens: Vec<Square> = (0..n)
                    .filter_map(|row| state.queen(row).map(|col| Square::new(row, col)))
                    .collect();
                let shown = |style| -> Vec<Vec<String>> {
                    let lines = panel::lines(style, &state);
                    let words =
                        |line: &String| line.split_whitespace().map(str::to_owned).collect();
                    lines.iter().map(words).collect()
                };
                let boxes = shown(Style::Box);
                let attackers = shown(Style::Attackers);
                let grid = shown(Style::Grid);
                let lines = shown(Style::Lines);
                for row in next..n {
                    for col in 0..n {
                        let square = Square::new(row, col);
                        let others = queens.iter().filter(|&&queen| queen != square);
                        let seen_by =
                            others.filter(|&&queen| Line::between(queen, square).is_some());
                        let seen_by = seen_by.count();
                        let (cell, attacker) = (&boxes[row + 1][col + 1], &attackers[row][col]);
                        let bit = &grid[row][col];
                        if board.is_blocked(square) {
                            assert_eq!([cell, attacker, bit], ["#"; 3]);
                            seen[0] += 1;
                        } else if queens.contains(&square) {
                            assert_eq!((&cell[..], &attacker[..1], &bit[..]), ("Q", "[", "1"));
                            seen[1] += 1;
                        } else if seen_by == 0 {
                            assert_eq!((&cell[..], &attacker[..], &bit[..]), (".", "-1", "0"));
                            seen[2] += 1;
                        } else {
                            assert_eq!((&cell[..], &bit[..]), (&format!("-{seen_by}")[..], "0"));
                            let attack = state.attack(square).unwrap();
                            assert_eq!(*attacker, attack.queen().to_string());
                        }
                    }
                }
                if next < n && !board.blocked().is_empty() {
                    let flags = lines.last().unwrap();
                    assert_eq!(flags[0], format!("#[{next}]"));
                    for col in 0..n {
                        let blocked = board.is_blocked(Square::new(next, col));
                        assert_eq!(flags[col + 1] == "1", blocked);
                    }
                }
                ControlFlow::Continue(())
            })
            .unwrap();
    }
    assert!(seen.iter().all(|&times| times > 1000), "{seen:?}");
}

/// Every line of the style `bits` that looks like an equation is one, and the first of a row has
/// the squares on which the search then puts a queen.
#[test]
fn the_vectors_of_a_board_are_true_equations() {
    let number = |text: &str| u32::from_str_radix(text, 2).unwrap();
    let (mut equations, mut rows) = (0, 0);
    for board in boards_to_watch() {
        let mask = (1u32 << board.n()) - 1;
        let text = Trace::on(&board)
            .style(Style::Bits)
            .until(Until::All)
            .text();
        let mut left = Vec::new();
        for line in text.unwrap().lines() {
            let words: Vec<&str> = line
                .split([' ', '(', ')', ':', ','])
                .filter(|w| !w.is_empty())
                .collect();
            match words[..] {
                // The plain board closes no square, and has no word for it.
                ["row", row, "down", ref vectors @ .., "possible", p] => {
                    let taken = match *vectors {
                        [down, "left", l, "right", r, "closed", closed] => {
                            rows += 1;
                            number(down) | number(l) | number(r) | number(closed)
                        }
                        [down, "left", l, "right", r] => {
                            assert!(board.is_plain(), "{line}");
                            number(down) | number(l) | number(r)
                        }
                        _ => panic!("{line}"),
                    };
                    assert_eq!(number(p), !taken & mask, "{line}");
                    left.truncate(row.parse().unwrap());
                    left.push(number(p));
                }
                ["place", place, ..] => {
                    let possible = left.last_mut().unwrap();
                    assert_eq!(number(place) & !*possible, 0, "{line}");
                    *possible &= !number(place);
                }
                ["row", row, "back", "from", "place", _, "possible", p] => {
                    let row: usize = row.parse().unwrap();
                    left.truncate(row + 1);
                    assert_eq!(number(p), left[row], "{line}");
                }
                ["down", a, "|", b, "=", c] => {
                    assert_eq!(number(a) | number(b), number(c), "{line}");
                    equations += 1;
                }
                ["left", a, "|", b, "<<", "1", "&", m, "=", c] => {
                    assert_eq!(
                        (number(a) | number(b)) << 1 & number(m),
                        number(c),
                        "{line}"
                    );
                    equations += 1;
                }
                ["right", a, "|", b, ">>", "1", "=", c] => {
                    assert_eq!((number(a) | number(b)) >> 1, number(c), "{line}");
                    equations += 1;
                }
                _ => assert!(!line.contains('='), "{line}"),
            }
        }
    }
    assert!(equations > 1000 && rows > 500, "{equations} {rows}");
}

/// Stepping back through a search on a board shows what stepping on has shown.
#[test]
fn a_replay_on_a_board_goes_both_ways() {
    for board in boards_to_watch() {
        let mut replay = Replay::on(&board, Style::Steps, Until::All);
        let mut states = vec![replay.state().clone()];
        while replay.step() {
            states.push(replay.state().clone());
        }
        let count = Count::on(&board).run().unwrap();
        assert_eq!(u128::from(replay.state().stats.solutions), count);
        for state in states.iter().rev() {
            assert_eq!(replay.state(), state);
            replay.back();
        }
    }
}

/// More queens than rows: the search ends before it looks at a row, and every view says so.
#[test]
fn too_many_queens_are_a_dead_end_before_any_row() {
    let given = Board::new(4).with_given([Square::new(0, 0)]).unwrap();
    for (board, why) in [
        (
            given.with_queens(5).unwrap(),
            "5 queens need more than 4 rows",
        ),
        (
            Board::new(0).with_queens(1).unwrap(),
            "1 queen needs more than 0 rows",
        ),
        (
            Board::new(1).with_queens(2).unwrap(),
            "2 queens need more than 1 row",
        ),
    ] {
        let tree = Tree::build_on(&board, None, Limit::LIST).unwrap();
        let kinds: Vec<Kind> = tree.nodes.iter().map(|node| node.kind).collect();
        assert_eq!(kinds, [Kind::DeadEnd], "{why}");
        for style in Style::ALL {
            let text = Trace::on(&board)
                .style(style)
                .until(Until::All)
                .text()
                .unwrap();
            let told = text.to_lowercase();
            assert!(
                !told.contains("undo") && !told.contains("all rows") && !told.contains("all ones"),
                "{style}: {text}"
            );
            if matches!(style, Style::Steps | Style::Bits) {
                assert!(text.contains(why), "{style}: {text}");
            }
        }
        let mut replay = Replay::on(&board, Style::Steps, Until::All);
        while replay.step() {
            let sentence = narrate::sentence(replay.state().last.unwrap(), replay.state());
            assert!(!sentence.starts_with("return 1"), "{sentence}");
            assert_eq!(panel::lines(Style::Steps, replay.state()), [why]);
        }
    }
}
