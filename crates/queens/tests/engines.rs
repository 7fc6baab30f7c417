//! Every engine against the published counts, and every engine against every other.
//!
//! The loops run over `ENGINES` and over the lines of `known.csv`, so an engine or a row
//! that is added is tested without a word here. What a listing must contain comes from an
//! oracle that shares nothing with the engines: all permutations, in order, sifted by the
//! definition of the problem. How far a loop goes depends on how fast the engine says it
//! is, so that the whole file takes about a second.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use queens::count::{CountError, ENGINES, Engine, Job, engine};
use queens::search::SearchError;
use queens::{first, known, list};

/// All solutions in lexicographic order, by trying every permutation.
fn solutions_by_definition(n: usize) -> Vec<Vec<u8>> {
    fn permute(n: usize, cols: &mut Vec<u8>, solutions: &mut Vec<Vec<u8>>) {
        if cols.len() == n {
            let peaceful = (0..n).all(|one| {
                (0..one).all(|other| cols[one].abs_diff(cols[other]) as usize != one - other)
            });
            if peaceful {
                solutions.push(cols.clone());
            }
            return;
        }
        for col in 0..n as u8 {
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

fn listed(n: usize, engine: &Engine) -> Vec<Vec<u8>> {
    let mut solutions = Vec::new();
    let end = list::list(n, engine, |cols| {
        solutions.push(cols.to_vec());
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(solutions.len() as u64)));
    solutions
}

fn that_list() -> impl Iterator<Item = &'static Engine> {
    ENGINES
        .iter()
        .filter(|engine| engine.representation.is_some())
}

#[test]
fn every_engine_finds_the_published_counts() {
    for engine in ENGINES {
        for row in known::all().take_while(|row| row.n + 4 <= engine.sensible_n) {
            let count = engine.count(&Job::new(row.n));
            assert_eq!(count, Ok(row.all), "{} at n = {}", engine.name, row.n);
        }
    }
}

#[test]
fn the_count_does_not_depend_on_the_threads() {
    for engine in ENGINES {
        for n in [0, 1, 2, 3, 4, 5, 9, 10] {
            for threads in [2, 3, 16] {
                let count = engine.count(&Job::new(n).threads(threads));
                assert_eq!(
                    count,
                    engine.count(&Job::new(n)),
                    "{} at n = {n}",
                    engine.name
                );
            }
        }
    }
}

#[test]
fn engines_are_named_once_and_found_by_their_names() {
    for (index, one) in ENGINES.iter().enumerate() {
        assert_eq!(engine(one.name).unwrap().summary, one.summary);
        assert!(ENGINES[..index].iter().all(|other| other.name != one.name));
        assert!(one.sensible_n <= one.largest_n, "{}", one.name);
        if let Some(representation) = one.representation {
            assert_eq!(representation.name(), one.name);
        }
    }
    assert!(engine("").is_none() && engine("Bitmask").is_none());
}

#[test]
fn every_board_lists_exactly_the_solutions_in_order() {
    assert_eq!(that_list().count(), 7);
    for n in 0..=8 {
        let solutions = solutions_by_definition(n);
        for engine in that_list() {
            assert_eq!(listed(n, engine), solutions, "{} at n = {n}", engine.name);
        }
    }
}

#[test]
fn every_board_lists_what_the_others_list_at_10() {
    let solutions = listed(10, engine("columns").unwrap());
    assert_eq!(solutions.len(), 724);
    for engine in that_list() {
        assert_eq!(listed(10, engine), solutions, "{}", engine.name);
    }
}

#[test]
fn the_first_solution_is_the_first_one_listed() {
    for n in 0..=9 {
        for engine in that_list() {
            let expected = listed(n, engine).first().cloned();
            assert_eq!(
                first::first(n, engine),
                Ok(expected),
                "{} at n = {n}",
                engine.name
            );
        }
    }
}

#[test]
fn a_listing_ends_when_its_reader_says_so() {
    for engine in that_list() {
        for limit in 1..=5 {
            let mut seen = 0;
            let end = list::list(8, engine, |_| {
                seen += 1;
                if seen == limit {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            assert_eq!(
                (end, seen),
                (Ok(ControlFlow::Break(())), limit),
                "{}",
                engine.name
            );
        }
    }
}

#[test]
fn a_board_that_is_too_large_is_refused_and_the_limit_is_named() {
    for engine in ENGINES {
        for n in [engine.largest_n + 1, usize::MAX] {
            let too_large = CountError::TooLarge {
                engine: engine.name,
                n,
                largest: engine.largest_n,
            };
            assert_eq!(engine.count(&Job::new(n)), Err(too_large));
            let text = too_large.to_string();
            assert!(text.contains(&engine.largest_n.to_string()), "{text}");

            let refused = list::list(n, engine, |_| ControlFlow::Continue(())).unwrap_err();
            match engine.representation {
                Some(_) => assert!(matches!(refused, SearchError::TooLarge { .. })),
                None => assert_eq!(
                    refused,
                    SearchError::CountsOnly {
                        engine: engine.name
                    }
                ),
            }
            assert_eq!(first::first(n, engine), Err(refused));
        }
    }
}

#[test]
fn a_count_that_was_stopped_before_it_began_has_done_nothing() {
    let stop = AtomicBool::new(true);
    for engine in ENGINES {
        let stopped = engine.count(&Job::new(14).stop(&stop));
        assert_eq!(
            stopped,
            Err(CountError::Stopped { share: 0.0 }),
            "{}",
            engine.name
        );
    }
}

#[test]
fn a_count_that_is_stopped_on_the_way_says_how_far_it_got() {
    for name in ["lines", "bitmask", "mirror"] {
        let engine = engine(name).unwrap();
        for threads in [1, 2] {
            let stop = AtomicBool::new(false);
            let watch = |share: f64| stop.store(share > 0.2, Ordering::Relaxed);
            let job = Job::new(13).threads(threads).stop(&stop).progress(&watch);
            match engine.count(&job) {
                Err(CountError::Stopped { share }) => {
                    assert!(share > 0.2 && share < 1.0, "{name} stopped at {share}");
                }
                other => panic!("{name} was not stopped: {other:?}"),
            }
        }
    }
}

#[test]
fn progress_never_falls_and_ends_at_the_whole() {
    for engine in ENGINES {
        for (n, threads) in [(0, 1), (1, 1), (3, 1), (4, 2), (11, 1), (12, 2)] {
            let shares = Mutex::new(Vec::new());
            let watch = |share: f64| shares.lock().unwrap().push(share);
            engine
                .count(&Job::new(n).threads(threads).progress(&watch))
                .unwrap();
            let shares = shares.into_inner().unwrap();
            assert!(shares.is_sorted(), "{} at n = {n}: {shares:?}", engine.name);
            let end = *shares.last().expect("at least the end is reported");
            assert!(
                (end - 1.0).abs() < 1e-9,
                "{} at n = {n} ends at {end}",
                engine.name
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
    let bitmask = engine("bitmask").unwrap();
    for n in 2..=12usize {
        let turned = |cols: &[u8]| {
            let mut turned = vec![0u8; n];
            for (row, &col) in cols.iter().enumerate() {
                turned[col as usize] = (n - 1 - row) as u8;
            }
            turned
        };
        let (mut half, mut quarter) = (0, 0);
        let _end = list::list(n, bitmask, |cols| {
            let once = turned(cols);
            quarter += u128::from(once == cols);
            half += u128::from(turned(&once) == cols);
            ControlFlow::Continue(())
        });
        let row = known::known(n).unwrap();
        assert_eq!(
            (half, quarter),
            (row.half_turn, row.quarter_turn),
            "n = {n}"
        );
    }
}
