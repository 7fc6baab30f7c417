//! Counts that do not fit a narrow cell: each place of the kernel that notices this, and the
//! recount with wide cells that follows.
//!
//! Boards that are small enough for these tests have no counts beyond 16 bits. So these tests
//! replace the lists of one pair of row sets: every odd index has the same number of stored
//! placements, and they use no line, so every walked placement meets all of them. Then a cell
//! counts the walked placements of its even index times the length of a list, and the sum grows
//! with that length.

use super::card::{CARRIED, Emulated, Fault, UNFOLDED, WEIGHED};
use queens::count::two_colour::units;
use queens_cuda::Error;
use queens_cuda::batch::{Batch, Cell, Shape};
use queens_cuda::card::Card;
use queens_cuda::lists::{DeviceScan, ListBuilder, UnitLists, diagonals};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A board with a class in which both colours can unfold.
const N: u32 = 16;
const CLASS: u32 = 4;

/// The lists of one pair of row sets and two odd indices.
fn one_pair(card: &Emulated) -> UnitLists {
    let all = units(N as usize).unwrap();
    let last = (0..all.len()).rfind(|&unit| all.class(unit) == CLASS);
    let mask_pairs = Shape::mask_pairs_that_fit(card.shape().shared_per_block, N);
    let mut builder = ListBuilder::new(N as usize)
        .unwrap()
        .with_mask_pairs(mask_pairs);
    let mut lists = UnitLists::default();
    assert!(builder.build(last.unwrap(), &mut lists));
    let most = lists
        .pairs
        .iter()
        .copied()
        .max_by_key(|pair| pair.odd_limit);
    let mut pair = most.unwrap();
    assert!(pair.odd_limit > 2);
    pair.odd_limit = 2;
    lists.pairs = vec![pair];
    lists
}

/// Gives every odd index this many placements that use no line.
fn fill(scan: &mut DeviceScan, length: u32) {
    let half = (1u64 << diagonals(N as usize)) - 1;
    let lines_only = half << 32 | half;
    let first_of = |starts: &[u32]| scan.lines[starts[0] as usize] & !lines_only;
    let indices: Vec<u64> = scan.starts.windows(2).map(first_of).collect();
    scan.lines = indices
        .iter()
        .flat_map(|&index| std::iter::repeat_n(index, length as usize))
        .collect();
    scan.starts = (0..=indices.len() as u32)
        .map(|index| index * length)
        .collect();
    scan.longest = length;
}

/// The count with stored lists of this length, and the flags of the batches it took.
fn count(card: &Emulated, length: u32) -> Result<(u64, Vec<u32>), Error> {
    let mut lists = one_pair(card);
    let stored = match lists.white_gathers {
        true => &mut lists.even,
        false => &mut lists.odd,
    };
    for set in stored {
        fill(&mut Arc::make_mut(set).scan, length);
    }
    let shape = card.shape();
    let mut batch = Batch::new(
        N,
        &shape,
        Shape::mask_pairs_that_fit(shape.shared_per_block, N),
    );
    batch.add(0, 1.0, &lists)?;
    card.take_flags();
    let sums = card.count(&mut batch, &AtomicBool::new(false))?;
    assert_eq!(batch.cell() == Cell::Wide, card.flags().len() == 2);
    Ok((batch.counts(&sums)?[0], card.take_flags()))
}

/// Checks that lists of one placement fit. For other lengths, `flags` gives the expected flag of
/// the first batch.
fn check(card: &Emulated, flags: &[(u32, u32)]) {
    let (one, first) = count(card, 1).unwrap();
    assert_eq!(first, [0]);
    assert!(one > 0, "something is counted");
    for &(length, flag) in flags {
        let expected = match flag {
            0 => vec![0],
            _ => vec![flag, 0],
        };
        let counted = count(card, length).unwrap();
        assert_eq!(counted, (u64::from(length) * one, expected), "{length}");
    }
}

// Up to 14 walked placements have the same even index, and weigh 2.

#[test]
fn a_count_that_fits_but_not_when_weighed_is_counted_again() {
    let card = Emulated::new(0, Fault::None).scanning();
    check(&card, &[(2000, 0), (3000, WEIGHED)]);
}

#[test]
fn a_narrow_cell_that_overflows_while_scanning_is_counted_again() {
    let card = Emulated::new(0, Fault::None).scanning();
    check(
        &card,
        &[(6000, WEIGHED | CARRIED), (12_000, WEIGHED | CARRIED)],
    );
}

#[test]
fn a_narrow_cell_that_grows_too_large_while_unfolding_is_counted_again() {
    let card = Emulated::new(0, Fault::None).unfolding();
    check(&card, &[(1000, 0), (2400, WEIGHED | UNFOLDED)]);
}

#[test]
fn a_count_that_fits_no_cell_is_an_error() {
    let card = Emulated::new(3, Fault::NothingFits);
    let error = count(&card, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "GPU 3 (emulated): a count does not fit 32 bits"
    );
}

#[test]
fn lists_that_might_overflow_a_wide_cell_are_refused_before() {
    let card = Emulated::new(0, Fault::None);
    let error = count(&card, 1 << 16).unwrap_err();
    assert_eq!(error, Error::Overflow { n: N, unit: 0 });
    assert_eq!(card.batches(), 0);
}
