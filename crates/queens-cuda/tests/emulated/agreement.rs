//! The kernel's own text, run on the CPU, gives the counts of the CPU engine.

use super::card::{Emulated, Fault, GUARD_BYTES, guards_see};
use queens::count::two_colour::units;
use queens_cuda::Error;
use queens_cuda::batch::Cell;
use queens_cuda::card::Card;
use queens_cuda::self_test::compare;
use std::sync::atomic::AtomicBool;

fn agrees(card: &dyn Card, n: u32, step: usize) {
    let units: Vec<u64> = (0..units(n as usize).unwrap().len())
        .step_by(step)
        .collect();
    compare(card, n, &units, 2, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_unit_of_small_boards_agrees_with_the_cpu() {
    let card = Emulated::new(0, Fault::None);
    for n in 8..=12 {
        agrees(&card, n, 1);
    }
}

#[test]
fn scanning_and_unfolding_give_the_same_counts() {
    for card in [
        Emulated::new(0, Fault::None).scanning(),
        Emulated::new(0, Fault::None).unfolding(),
    ] {
        for n in 8..=12 {
            agrees(&card, n, 1);
        }
        for (n, step) in [(13, 3), (14, 4), (15, 7), (16, 11)] {
            agrees(&card, n, step);
        }
    }
}

#[test]
fn tiles_of_few_lists_give_the_same_counts() {
    for card in [
        Emulated::new(0, Fault::None).scanning().narrow(),
        Emulated::new(0, Fault::None).unfolding().narrow(),
    ] {
        for (n, step) in [(11, 1), (12, 1), (13, 3), (14, 5)] {
            agrees(&card, n, step);
        }
    }
}

#[test]
fn lists_that_are_resident_in_part_or_not_at_all_give_the_same_counts() {
    // Room for all lists, for some of them, and for none.
    for (words, all) in [(1 << 20, true), (3000, false), (0, false)] {
        let card = Emulated::new(0, Fault::None).with_resident(words);
        for n in [12, 13, 14] {
            agrees(&card, n, 1);
            assert!(card.resident() <= words);
            assert_eq!(card.resident() > 3000, all, "n = {n}: {}", card.resident());
        }
    }
}

#[test]
fn little_shared_memory_gives_the_same_counts() {
    // Room for the planes of one pair of rows, and of none.
    for kib in [100, 64] {
        for card in [
            Emulated::with_shared(kib).scanning(),
            Emulated::with_shared(kib).unfolding(),
        ] {
            for (n, step) in [
                (8, 1),
                (9, 1),
                (10, 1),
                (11, 1),
                (12, 1),
                (13, 3),
                (14, 4),
                (16, 13),
            ] {
                agrees(&card, n, step);
            }
        }
    }
}

#[test]
fn unfolding_few_rows_gives_the_same_counts() {
    let card = Emulated::new(0, Fault::None).unfolding().with_few_levels();
    for (n, step) in [(11, 1), (12, 1), (13, 3), (14, 4), (16, 13)] {
        agrees(&card, n, step);
    }
}

#[test]
fn tiles_with_wide_cells_give_the_same_counts() {
    for card in [
        Emulated::with_wide_cells().scanning(),
        Emulated::with_wide_cells().unfolding(),
    ] {
        for n in 8..=12 {
            agrees(&card, n, 1);
        }
        assert!(card.counted(Cell::Wide) > 0);
        assert_eq!(card.counted(Cell::Narrow), 0);
    }
}

/// Boards with more columns are laid out in another way. The first units of a class are the
/// cheapest; these classes are large, and the other tests too small for them.
#[test]
fn cheap_units_of_the_largest_boards_agree_with_the_cpu() {
    let large = Emulated::new(0, Fault::None);
    let small = Emulated::with_shared(100);
    for (card, n, class) in [
        (&large, 28, 6),
        (&large, 30, 7),
        (&small, 28, 6),
        (&small, 30, 7),
    ] {
        compare(card, n, &[first_unit(n, class)], 2, &AtomicBool::new(false))
            .unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn a_board_that_is_too_large_for_the_shared_memory_is_refused() {
    for (kib, n, class) in [(64, 28, 0), (100, 30, 0)] {
        let card = Emulated::with_shared(kib);
        let units = [first_unit(n, class)];
        let error = compare(&card, n, &units, 2, &AtomicBool::new(false)).unwrap_err();
        assert!(matches!(error, Error::TooLittleShared { n: of } if of == n));
    }
}

#[test]
fn the_guards_of_shared_memory_see_a_byte_on_either_side() {
    let guard = i64::from(GUARD_BYTES);
    for bytes in [1 << 10, 4999] {
        let end = i64::from(bytes);
        for inside in [0, 1, end / 2, end - 1] {
            assert!(!guards_see(bytes, inside), "{inside} of {bytes}");
        }
        for outside in [-guard, -8, -1, end, end + 1, end + 7, end + guard - 1] {
            assert!(guards_see(bytes, outside), "{outside} of {bytes}");
        }
    }
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_kernel_that_writes_beyond_its_shared_memory_is_caught() {
    agrees(&Emulated::overrunning(), 10, 1);
}

fn first_unit(n: u32, class: u32) -> u64 {
    let units = units(n as usize).unwrap();
    let unit = (0..units.len()).find(|&unit| units.class(unit) == class);
    unit.expect("the class has units")
}
