//! The iterator over solutions against the visitor, restarts, and what types promise.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use queens::{
    Count, Engine, Format, List, Placement, Solution, Solutions, Square, Symmetry, construct,
    first, solutions,
};

fn visited(n: usize) -> Vec<Solution> {
    let mut all = Vec::new();
    let end = List::new(n).engine(Engine::Columns).visit(|solution| {
        all.push(solution.clone());
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(all.len() as u64)));
    all
}

#[test]
fn the_iterator_gives_what_the_visitor_is_shown() {
    for n in 0..=10 {
        let all = visited(n);
        assert!(solutions(n).eq(all.iter().cloned()), "n = {n}");
        assert_eq!(solutions(n).count(), all.len(), "n = {n}");
        assert_eq!(first(n), all.first().cloned(), "n = {n}");
        assert!(all.is_sorted(), "n = {n}");
    }
}

#[test]
fn an_iteration_is_taken_up_again_at_any_solution() {
    for n in 0..=8 {
        let all = visited(n);
        for (k, solution) in all.iter().enumerate() {
            assert!(Solutions::starting_at(solution).eq(all[k..].iter().cloned()));
            assert!(Solutions::after(solution).eq(all[k + 1..].iter().cloned()));
            assert_eq!(Solutions::starting_at(solution).count(), all.len() - k);
        }
    }
}

#[test]
fn skipping_is_stepping() {
    let all = visited(8);
    for skip in [0, 1, 5, 90, 91, 92, 200] {
        let mut rest = solutions(8);
        assert_eq!(rest.nth(skip), all.get(skip).cloned());
        assert!(rest.eq(all.iter().skip(skip + 1).cloned()));
    }
}

#[test]
fn boards_beyond_a_word_have_solutions_too() {
    // From 65 up, no search ends; but one taken up at a solution goes on.
    for n in [64, 65, 100, 300] {
        let solution = construct::solution(n).unwrap();
        let mut from = Solutions::starting_at(&solution);
        assert_eq!(from.next().as_ref(), Some(&solution));
    }
    let mirrored = construct::solution(64).unwrap().image(Symmetry::LeftRight);
    let largest = mirrored.class().pop().unwrap();
    assert_eq!(Solutions::starting_at(&largest).next(), Some(largest));
}

#[test]
fn a_listing_goes_on_in_another_thread() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Solutions>();
    is_send_and_sync::<Solution>();
    is_send_and_sync::<Placement>();
    is_send_and_sync::<Count<'_>>();

    let mut listing = solutions(6);
    let begun = listing.next();
    let rest = std::thread::spawn(move || listing.collect::<Vec<_>>());
    let rest = rest.join().unwrap();
    assert_eq!(Vec::from_iter(begun.into_iter().chain(rest)), visited(6));
}

#[test]
fn solutions_are_kept_in_sets_and_sorted() {
    let hashed: HashSet<Solution> = solutions(6).chain(solutions(6)).collect();
    assert_eq!(hashed.len(), 4);
    let sorted: BTreeSet<Solution> = hashed.into_iter().collect();
    assert!(solutions(6).eq(sorted));
}

#[test]
fn every_solution_of_small_boards_survives_every_format() {
    for n in 1..=7 {
        for solution in solutions(n) {
            for format in Format::ALL {
                let text = solution.display(format).to_string();
                assert_eq!(text.parse(), Ok(solution.clone()), "{text}");
            }
            let squares: Vec<Square> = solution.queens().collect();
            assert_eq!(Placement::new(n, squares), Ok(Placement::from(solution)));
        }
    }
}

#[cfg(feature = "serde")]
mod serde {
    use super::*;
    use serde_json::{from_str, to_string};

    #[test]
    fn values_survive_json() {
        let solution = first(4).unwrap();
        assert_eq!(to_string(&solution).unwrap(), "[1,3,0,2]");
        assert_eq!(from_str::<Solution>("[1,3,0,2]").unwrap(), solution);
        let placement = Placement::new(3, [Square::new(0, 1), Square::new(2, 2)]).unwrap();
        let text = to_string(&placement).unwrap();
        assert_eq!(text, "{\"n\":3,\"queens\":[[0,1],[2,2]]}");
        assert_eq!(from_str::<Placement>(&text).unwrap(), placement);
        // It is also the text of the format `json`.
        assert_eq!(text.parse(), Ok(placement));
        for &engine in queens::count::ENGINES {
            let text = to_string(&engine).unwrap();
            assert_eq!(text, format!("\"{engine}\""));
            assert_eq!(from_str::<Engine>(&text).unwrap(), engine);
        }
        for format in Format::ALL {
            assert_eq!(to_string(&format).unwrap(), format!("\"{format}\""));
        }
        for line in queens::Line::ALL {
            assert_eq!(to_string(&line).unwrap(), format!("\"{line}\""));
        }
    }

    #[test]
    fn what_is_no_solution_is_not_read_as_one() {
        assert!(from_str::<Solution>("[0,1,2]").is_err());
        assert!(from_str::<Placement>("{\"n\":1,\"queens\":[[0,1]]}").is_err());
        assert!(from_str::<Engine>("\"magic\"").is_err());
    }
}
