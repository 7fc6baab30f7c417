//! Several cards, cards that fail, cards that lie, and Ctrl-C, on emulated cards.

use super::card::{Emulated, Fault};
use queens_cuda::card::Card;
use queens_cuda::fleet::{Run, count};
use queens_cuda::self_test::self_test;
use queens_cuda::{Error, Verify};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

struct Outcome {
    total: Result<u64, Error>,
    warnings: Vec<String>,
    shares: Vec<f64>,
}

fn run(cards: &[&Emulated], n: u32, verify: Option<Verify>) -> Outcome {
    let units: Vec<u64> =
        (0..queens::count::two_colour::units(n as usize).unwrap().len()).collect();
    let cards: Vec<&dyn Card> = cards.iter().map(|&card| card as &dyn Card).collect();
    let warnings = Mutex::new(Vec::new());
    let shares = std::cell::RefCell::new(Vec::new());
    let total = count(
        &cards,
        n,
        &units,
        &Run {
            threads: 4,
            stop: &AtomicBool::new(false),
            progress: &|share| shares.borrow_mut().push(share),
            warn: &|line| warnings.lock().unwrap().push(line.to_owned()),
            verify,
        },
    )
    .map(|counts| counts.iter().sum());
    Outcome {
        total,
        warnings: warnings.into_inner().unwrap(),
        shares: shares.into_inner(),
    }
}

#[test]
fn two_cards_share_the_units_and_progress_ends_at_one() {
    let second = Emulated::new(1, Fault::None);
    let first = Emulated::new(0, Fault::WaitsFor(second.begun()));
    let outcome = run(&[&first, &second], 13, None);
    assert_eq!(outcome.total, Ok(73712));
    assert_eq!(outcome.warnings, [] as [&str; 0]);
    assert!(first.batches() > 0 && second.batches() > 0);
    assert!(outcome.shares.windows(2).all(|pair| pair[0] <= pair[1]));
    assert!((outcome.shares.last().unwrap() - 1.0).abs() < 1e-9);
}

#[test]
fn the_units_of_a_failing_card_go_to_the_others() {
    let bad = Emulated::new(1, Fault::FailsAfter(0));
    let good = Emulated::new(0, Fault::WaitsFor(bad.failed()));
    let outcome = run(&[&good, &bad], 12, None);
    assert_eq!(outcome.total, Ok(14200));
    assert_eq!(
        outcome.warnings,
        [
            "GPU 1: running the kernel: it was unplugged; GPU 1 (emulated) has failed and its units \
          go to the others"
        ]
    );
}

#[test]
fn when_the_last_card_fails_so_does_the_count() {
    let cards = [0, 1].map(|number| Emulated::new(number, Fault::FailsAfter(1)));
    let outcome = run(&[&cards[0], &cards[1]], 12, None);
    assert!(matches!(outcome.total, Err(Error::Driver { .. })));
    assert_eq!(outcome.warnings.len(), 1);
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_thread_that_panics_ends_the_count() {
    // The other threads do not wait for the units of the bad card.
    let bad = Emulated::new(1, Fault::Panics);
    let good = Emulated::new(0, Fault::WaitsFor(bad.failed()));
    let _ = run(&[&good, &bad], 14, None);
}

#[test]
fn verification_of_all_units_finds_a_card_that_miscounts_and_names_the_unit() {
    let verify = Some(Verify {
        share: 1.0,
        seed: 7,
    });
    let honest = run(&[&Emulated::new(0, Fault::None)], 11, verify);
    assert_eq!(honest.total, Ok(2680));
    let outcome = run(&[&Emulated::new(0, Fault::LiesIn(2))], 11, verify);
    let error = outcome.total.unwrap_err();
    let Error::Differs {
        self_test,
        n,
        unit,
        cpu,
        gpu,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((self_test, n), (false, 11));
    assert!(gpu > cpu);
    let line = error.to_string();
    assert!(
        line.contains(&format!("unit {unit} of n = 11 has {cpu} on the CPU")),
        "{line}"
    );
}

#[test]
fn a_card_that_miscounts_fails_its_self_test() {
    let never = AtomicBool::new(false);
    let test = |fault| self_test(&Emulated::new(0, fault), 16, 2, &never);
    assert_eq!(test(Fault::None), Ok(()));
    assert!(matches!(
        test(Fault::LiesIn(0)),
        Err(Error::Differs {
            self_test: true,
            n: 8,
            ..
        })
    ));
}

#[test]
fn a_raised_stop_flag_ends_the_count_and_says_how_far_it_got() {
    let stop = AtomicBool::new(false);
    let card = Emulated::new(0, Fault::None);
    let units: Vec<u64> = (0..queens::count::two_colour::units(14).unwrap().len()).collect();
    let result = count(
        &[&card],
        14,
        &units,
        &Run {
            threads: 2,
            stop: &stop,
            progress: &|_| stop.store(true, Ordering::Relaxed),
            warn: &|line| panic!("{line}"),
            verify: None,
        },
    );
    let Err(Error::Stopped { share }) = result else {
        panic!("{result:?}");
    };
    assert!(share > 0.0 && share < 1.0, "{share}");
    // Nothing of the stopped count is left in the next one.
    assert_eq!(run(&[&card], 14, None).total, Ok(365_596));
}

#[test]
fn a_feeder_without_memory_leaves_its_units_to_the_others() {
    let bad = Emulated::new(1, Fault::NoMemoryAtFirst);
    let good = Emulated::new(0, Fault::WaitsFor(bad.failed()));
    let outcome = run(&[&good, &bad], 12, None);
    assert_eq!(outcome.total, Ok(14200));
    // The card has not failed, because it has another feeder.
    assert_eq!(outcome.warnings, [] as [&str; 0]);
}

#[test]
fn when_no_feeder_has_memory_the_count_says_so() {
    let card = Emulated::new(0, Fault::NoMemory);
    let outcome = run(&[&card], 12, None);
    let expected = Error::TooLittleMemory {
        device: 0,
        needed: 1,
        free: 0,
    };
    assert_eq!(outcome.total, Err(expected));
    assert!(outcome.shares.is_empty());
}

#[test]
fn without_a_card_there_is_no_count() {
    assert_eq!(run(&[], 12, None).total, Err(Error::NoDevice));
}

#[test]
fn when_every_card_is_too_small_the_count_says_so() {
    let cards = [Emulated::with_shared(8), Emulated::with_shared(8)];
    let outcome = run(&[&cards[0], &cards[1]], 12, None);
    assert_eq!(outcome.total, Err(Error::TooLittleShared { n: 12 }));
    assert_eq!(cards[0].batches() + cards[1].batches(), 0);
}

#[test]
fn two_counts_at_once_on_one_card_do_not_meet() {
    let card = Emulated::new(0, Fault::None);
    std::thread::scope(|scope| {
        let counts = [(12, 14_200), (13, 73_712), (12, 14_200)];
        let counts = counts.map(|(n, expected)| {
            let card = &card;
            (scope.spawn(move || run(&[card], n, None).total), expected)
        });
        for (count, expected) in counts {
            assert_eq!(count.join().unwrap(), Ok(expected));
        }
    });
}

#[test]
fn boards_and_units_out_of_range_are_refused() {
    let card = Emulated::new(0, Fault::None);
    for (n, units, line) in [
        (7, vec![0], "the GPU counts n = 8 to 30, not 7"),
        (31, vec![0], "the GPU counts n = 8 to 30, not 31"),
        (8, vec![0, 1_000_000], "n = 8 has no unit 1000000"),
    ] {
        let run = Run {
            threads: 1,
            stop: &AtomicBool::new(false),
            progress: &|_| {},
            warn: &|_| {},
            verify: None,
        };
        assert_eq!(
            count(&[&card], n, &units, &run).unwrap_err().to_string(),
            line
        );
    }
}
