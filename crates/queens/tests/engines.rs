//! Every engine against the published counts, and every engine against every other.
//!
//! The loops run over `ENGINES` and over the lines of `known.csv`, so a new engine or row is tested
//! without a change here. What a listing must contain comes from an oracle that shares nothing with
//! the engines: all permutations, in order, sifted by the definition of the problem. How far a loop
//! goes depends on how fast the engine says it is, so the whole file takes about a second.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use queens::count::ENGINES;
use queens::{Count, CountError, Engine, List, SearchError, Solution, known};

/// All solutions in lexicographic order, by trying every permutation.
fn solutions_by_definition(n: usize) -> Vec<Vec<usize>> {
    fn permute(n: usize, cols: &mut Vec<usize>, solutions: &mut Vec<Vec<usize>>) {
        if cols.len() == n {
            let peaceful = (0..n)
                .all(|one| (0..one).all(|other| cols[one].abs_diff(cols[other]) != one - other));
            if peaceful {
                solutions.push(cols.clone());
            }
            return;
        }
        for col in 0..n {
            if !cols.contains(&col) {
                cols.push(col);
                permute(n, cols, solutions);
                cols.pop();
            }
        }
    }
    let mut solutions = Vec::new();
    permute(n, &mut Vec::new(), &mut solutions);
    solutions
}

fn listed(n: usize, engine: Engine) -> Vec<Solution> {
    let mut solutions = Vec::new();
    let end = List::new(n).engine(engine).visit(|solution| {
        solutions.push(solution.clone());
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(solutions.len() as u64)));
    solutions
}

fn that_list() -> impl Iterator<Item = Engine> {
    let all = ENGINES.iter().copied();
    all.filter(|engine| engine.representation().is_some())
}

fn count(n: usize, engine: Engine) -> Result<u128, CountError> {
    Count::new(n).engine(engine).run()
}

#[test]
fn every_engine_finds_the_published_counts() {
    for &engine in ENGINES {
        for row in known::all().take_while(|row| row.n + 4 <= engine.sensible_n()) {
            assert_eq!(
                count(row.n, engine),
                Ok(row.all),
                "{engine} at n = {}",
                row.n
            );
        }
    }
}

#[test]
fn the_count_does_not_depend_on_the_threads() {
    for &engine in ENGINES {
        for n in [0, 1, 2, 3, 4, 5, 9, 10] {
            for threads in [2, 3, 16] {
                let threaded = Count::new(n).engine(engine).threads(threads).run();
                assert_eq!(threaded, count(n, engine), "{engine} at n = {n}");
            }
        }
    }
}

#[test]
fn engines_are_named_once_and_found_by_their_names() {
    for (index, one) in ENGINES.iter().enumerate() {
        assert_eq!(one.name().parse(), Ok(*one));
        assert_eq!(one.to_string(), one.name());
        let mut before = ENGINES[..index].iter();
        assert!(before.all(|other| other.name() != one.name()));
        assert!(one.sensible_n() <= one.largest_n(), "{one}");
    }
    assert!("".parse::<Engine>().is_err());
    let unknown = "Bitmask".parse::<Engine>().unwrap_err().to_string();
    assert!(
        unknown.contains("\"Bitmask\"") && unknown.contains("bitmask, mirror"),
        "{unknown}"
    );
}

#[test]
fn every_board_lists_exactly_the_solutions_in_order() {
    assert_eq!(that_list().count(), 7);
    for n in 0..=8 {
        let solutions = solutions_by_definition(n);
        for engine in that_list() {
            let listed: Vec<Vec<usize>> = listed(n, engine)
                .iter()
                .map(|solution| solution.to_vec())
                .collect();
            assert_eq!(listed, solutions, "{engine} at n = {n}");
        }
    }
}

#[test]
fn every_board_lists_what_the_others_list_at_10() {
    let solutions = listed(10, Engine::Columns);
    assert_eq!(solutions.len(), 724);
    for engine in that_list() {
        assert_eq!(listed(10, engine), solutions, "{engine}");
    }
}

#[test]
fn the_first_solution_is_the_first_one_listed() {
    for n in 0..=9 {
        for engine in that_list() {
            let expected = listed(n, engine).first().cloned();
            assert_eq!(queens::first(n), expected, "n = {n}");
            let first = List::new(n).engine(engine).first();
            assert_eq!(first, Ok(expected), "{engine} at n = {n}");
        }
    }
}

#[test]
fn a_listing_ends_when_its_reader_says_so() {
    for engine in that_list() {
        for limit in 1..=5 {
            let mut seen = 0;
            let end = List::new(8).engine(engine).visit(|_| {
                seen += 1;
                if seen == limit {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            assert_eq!((end, seen), (Ok(ControlFlow::Break(())), limit), "{engine}");
        }
    }
}

#[test]
fn a_board_that_is_too_large_is_refused_and_the_limit_is_named() {
    for &engine in ENGINES {
        let largest = engine.largest_n();
        for n in [largest + 1, usize::MAX] {
            let too_large = CountError::TooLarge { engine, n, largest };
            assert_eq!(count(n, engine), Err(too_large));
            let text = too_large.to_string();
            assert!(text.contains(&largest.to_string()), "{text}");

            let list = List::new(n).engine(engine);
            let refused = list.visit(|_| ControlFlow::Continue(())).unwrap_err();
            match engine.representation() {
                Some(_) => assert!(matches!(refused, SearchError::TooLarge { .. })),
                None => assert_eq!(refused, SearchError::CountsOnly { engine }),
            }
            assert_eq!(list.check(), Err(refused));
            assert_eq!(list.first(), Err(refused));
        }
    }
}

#[test]
fn a_count_that_was_stopped_before_it_began_has_done_nothing() {
    let stop = AtomicBool::new(true);
    for &engine in ENGINES {
        let stopped = Count::new(14).engine(engine).stop(&stop).run();
        assert_eq!(stopped, Err(CountError::Stopped { share: 0.0 }), "{engine}");
    }
}

#[test]
fn a_count_that_is_stopped_on_the_way_says_how_far_it_got() {
    for engine in [Engine::Lines, Engine::Bitmask, Engine::Mirror] {
        for threads in [1, 2] {
            let stop = AtomicBool::new(false);
            let watch = |share: f64| stop.store(share > 0.2, Ordering::Relaxed);
            let count = Count::new(13).engine(engine).threads(threads);
            match count.stop(&stop).progress(watch).run() {
                Err(CountError::Stopped { share }) => {
                    assert!(share > 0.2 && share < 1.0, "{engine} stopped at {share}");
                }
                other => panic!("{engine} was not stopped: {other:?}"),
            }
        }
    }
}

#[test]
fn progress_never_falls_and_ends_at_the_whole() {
    for &engine in ENGINES {
        for (n, threads) in [(0, 1), (1, 1), (3, 1), (4, 2), (11, 1), (12, 2)] {
            let shares = Mutex::new(Vec::new());
            let watch = |share: f64| shares.lock().unwrap().push(share);
            let count = Count::new(n).engine(engine).threads(threads);
            count.progress(watch).run().unwrap();
            let shares = shares.into_inner().unwrap();
            assert!(shares.is_sorted(), "{engine} at n = {n}: {shares:?}");
            let end = *shares.last().expect("at least the end is reported");
            assert!(
                (end - 1.0).abs() < 1e-9,
                "{engine} at n = {n} ends at {end}"
            );
        }
    }
}

#[test]
fn the_published_counts_fit_together() {
    let rows: Vec<_> = known::all().collect();
    assert!(rows.iter().map(|row| row.n).eq(0..=27));
    for row in rows.iter().filter(|row| row.n > 1) {
        let unchanged = row.all + row.half_turn + 2 * row.quarter_turn;
        assert_eq!(8 * row.fundamental, unchanged, "n = {}", row.n);
    }
    assert!(
        rows.iter()
            .all(|row| row.source.starts_with("OEIS A000170"))
    );
}

#[test]
fn the_published_symmetric_counts_are_those_of_the_listed_solutions() {
    for n in 2..=12usize {
        let turned = |cols: &[usize]| {
            let mut turned = vec![0; n];
            for (row, &col) in cols.iter().enumerate() {
                turned[col] = n - 1 - row;
            }
            turned
        };
        let (mut half, mut quarter) = (0, 0);
        for solution in queens::solutions(n) {
            let once = turned(&solution);
            quarter += u128::from(solution == once[..]);
            half += u128::from(solution == turned(&once)[..]);
        }
        let row = known::known(n).unwrap();
        assert_eq!(
            (half, quarter),
            (row.half_turn, row.quarter_turn),
            "n = {n}"
        );
    }
}
