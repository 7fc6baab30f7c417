//! The two-colour engine in every instruction set this machine has, against published counts.

use queens::count::two_colour::{Counter, units};
use queens::{Count, Engine, Simd};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

fn known(n: usize) -> u128 {
    queens::known::known(n).unwrap().all
}

fn each_simd(test: impl Fn(Simd)) {
    for simd in Simd::ALL {
        if simd.is_available() {
            test(simd);
        } else {
            println!("skipped: this processor has no {}", simd.name());
        }
    }
}

fn count(n: usize, simd: Simd) -> u128 {
    let count = Count::new(n).engine(Engine::TwoColour);
    count.threads(2).simd(simd).run().unwrap()
}

#[test]
fn every_instruction_set_gives_the_published_counts_to_18() {
    each_simd(|simd| {
        for n in 0..=18 {
            assert_eq!(count(n, simd), known(n), "n={n} {}", simd.name());
        }
    });
}

#[test]
fn nineteen_and_twenty_are_as_published() {
    assert_eq!(count(19, Simd::Auto), 4_968_057_848);
    assert_eq!(count(20, Simd::Auto), 39_029_188_884);
}

#[test]
fn instruction_sets_agree_on_single_units_of_large_boards() {
    let never = AtomicBool::new(false);
    for (n, unit) in [(22, 1), (23, 1), (24, 1), (27, 0), (28, 0)] {
        let mut counts = Vec::new();
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            counts.push(Counter::new(n, simd).unwrap().count(unit, &never).unwrap());
        }
        assert!(
            counts.windows(2).all(|pair| pair[0] == pair[1]),
            "n={n}: {counts:?}"
        );
    }
}

/// Both members of a pair of mirrored classes together, from an independent prototype.
#[test]
fn classes_have_their_subtotals() {
    let never = AtomicBool::new(false);
    for (n, expected) in [
        (16, vec![(2, 152), (3, 2_286_132), (4, 12_486_228)]),
        (18, vec![(3, 7_636_168), (4, 658_454_456)]),
    ] {
        let units = units(n).unwrap();
        let mut counter = Counter::new(n, Simd::Auto).unwrap();
        let mut classes = BTreeMap::new();
        for unit in 0..units.len() {
            *classes.entry(units.class(unit)).or_insert(0) += counter.count(unit, &never).unwrap();
        }
        classes.retain(|_, count| *count > 0);
        assert_eq!(classes.into_iter().collect::<Vec<_>>(), expected, "n={n}");
    }
}

#[test]
fn units_beyond_the_last_and_boards_beyond_the_largest_have_no_count() {
    assert!(units(0).is_none() && units(33).is_none());
    let last = units(12).unwrap().len();
    assert_eq!(queens::count::two_colour::count_unit(12, last), None);
    assert_eq!(queens::count::two_colour::recount_unit(12, last), None);
}
