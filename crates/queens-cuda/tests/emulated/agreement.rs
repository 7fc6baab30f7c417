//! The kernel's own text, run on the CPU, gives the counts of the CPU engine.

use super::card::{Emulated, Fault};
use queens::count::two_colour::units;
use queens_cuda::card::Card;
use queens_cuda::self_test::compare;
use std::sync::atomic::AtomicBool;

fn agrees(card: &dyn Card, n: u32, step: usize) {
    let units: Vec<u64> = (0..units(n).unwrap().len()).step_by(step).collect();
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
fn filtering_gives_the_same_counts() {
    let card = Emulated::new(0, Fault::None).filtering();
    for n in 8..=12 {
        agrees(&card, n, 1);
    }
    for (n, step) in [(13, 3), (14, 4), (15, 7), (16, 11)] {
        agrees(&card, n, step);
    }
    let card = Emulated::with_wide_cells().filtering();
    for n in 8..=10 {
        agrees(&card, n, 1);
    }
}

#[test]
fn queues_cut_into_parts_give_the_same_counts() {
    for card in [
        Emulated::new(0, Fault::None).in_parts(),
        Emulated::new(0, Fault::None).filtering().in_parts(),
    ] {
        for (n, step) in [(11, 1), (12, 1), (13, 3)] {
            agrees(&card, n, step);
        }
    }
}

#[test]
fn tables_outside_shared_memory_give_the_same_counts() {
    let card = Emulated::without_room();
    for n in 8..=12 {
        agrees(&card, n, 1);
    }
}

#[test]
fn tables_with_wide_cells_give_the_same_counts() {
    let card = Emulated::with_wide_cells();
    for n in 8..=12 {
        agrees(&card, n, 1);
    }
}

#[test]
fn sampled_units_of_larger_boards_agree_with_the_cpu() {
    let card = Emulated::new(0, Fault::None);
    for (n, step) in [(13, 3), (14, 3), (15, 7), (16, 11)] {
        agrees(&card, n, step);
    }
}
