//! Tests on the cards of this machine. If it has none, they print that they were skipped.

use queens::count::two_colour::{Counter, Simd};
use queens_cuda::{Device, GpuCounter, Sweeper, Verify, devices};
use std::sync::atomic::AtomicBool;

/// The cards that can count; if there is none, prints why nothing is tested. If all cards of the
/// machine are too old, the test fails.
fn cards() -> Vec<Device> {
    match devices() {
        Ok(all) => {
            let cards: Vec<Device> = all
                .iter()
                .filter(|card| card.is_usable())
                .cloned()
                .collect();
            assert!(!cards.is_empty(), "no card can be used: {all:?}");
            cards
        }
        Err(error) => {
            // Straight to standard error, past the capture of the test harness.
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "GPU tests skipped: {error}");
            Vec::new()
        }
    }
}

fn open(card: &Device, n: u32) -> GpuCounter {
    GpuCounter::on(vec![card.clone()], n, &AtomicBool::new(false))
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn known_counts_from_8_to_22_where_there_is_a_card() {
    for card in cards() {
        for n in 8..=22 {
            let counter = open(&card, n);
            let units: Vec<u64> = (0..counter.units().len()).collect();
            let counts = counter.count(&units, &AtomicBool::new(false)).unwrap();
            let total: u128 = counts.into_iter().map(u128::from).sum();
            assert_eq!(
                total,
                queens::known::known(n as usize).unwrap().all,
                "n={n}"
            );
        }
    }
}

#[test]
fn sampled_units_agree_with_the_cpu_where_there_is_a_card() {
    for card in cards() {
        for n in 16..=26 {
            let counter = open(&card, n);
            // The later units of a large board take the CPU a long time.
            let end = counter.units().len() / if n > 22 { 16 } else { 1 };
            let step = (end / 5).max(1) as usize;
            let units: Vec<u64> = (0..end).skip(step / 2).step_by(step).collect();
            let verify = Verify {
                share: 1.0,
                seed: 0,
            };
            let never = AtomicBool::new(false);
            counter
                .count_with(&units, &never, Some(verify), &|_| {}, &|_| {})
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn sweeps_agree_with_the_cpu_where_there_is_a_card() {
    for card in cards().into_iter().filter(|card| card.arch >= 80) {
        for n in [16, 19, 21] {
            let never = AtomicBool::new(false);
            let sweeper = Sweeper::on(card.clone(), n, &never).unwrap();
            let mut counter = Counter::new(n as usize, Simd::Auto).unwrap();
            // The first block of every class that can be swept.
            let mut classes: Vec<u64> = (0..counter.units().len()).collect();
            classes.dedup_by_key(|unit| counter.units().class(*unit));
            classes.retain(|&unit| Sweeper::can_count(n as usize, counter.units().class(unit)));
            let mut next = classes.clone().into_iter();
            let mut counted = Vec::new();
            let done = |unit, counts| counted.push((unit, counts));
            sweeper.count(|| next.next(), &never, done).unwrap();
            assert!(classes.len() > 1);
            for (&unit, (first, counts)) in classes.iter().zip(counted) {
                let block = counter.units().block(unit).unwrap();
                let cpu: Option<Vec<u64>> = block.map(|u| counter.count(u, &never)).collect();
                assert_eq!((first, counts), (unit, cpu), "n={n}");
            }
        }
    }
}

#[test]
fn a_missing_card_is_refused_with_what_there_is() {
    let error = GpuCounter::new(99, 10)
        .err()
        .expect("no machine has a hundred");
    let line = error.to_string();
    assert!(line.starts_with("there is no GPU"), "{line}");
}
