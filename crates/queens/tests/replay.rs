//! Stepping back equals replaying from the start, whatever the moves before.

use proptest::prelude::*;
use queens::search::Event;
use queens::search::trace::{Replay, Style, Until, panel};

/// One thing a reader of a trace may do.
#[derive(Clone, Copy, Debug)]
enum Move {
    On(usize),
    Back(usize),
    Seek(usize),
    DeadEnd,
    Solution,
    Restyle,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        (1usize..80).prop_map(Move::On),
        (1usize..80).prop_map(Move::Back),
        (0usize..40_000).prop_map(Move::Seek),
        Just(Move::DeadEnd),
        Just(Move::Solution),
        Just(Move::Restyle),
    ];
    prop::collection::vec(one, 0..12)
}

proptest! {
    #[test]
    fn any_way_to_a_moment_shows_that_moment(
        n in 1usize..=8,
        style in prop::sample::select(Style::ALL.to_vec()),
        moves in moves(),
    ) {
        let mut replay = Replay::new(n, style, Until::All);
        for step in moves {
            match step {
                Move::On(k) => (0..k).for_each(|_| {
                    replay.step();
                }),
                Move::Back(k) => (0..k).for_each(|_| {
                    replay.back();
                }),
                Move::Seek(position) => replay.seek(position),
                Move::DeadEnd => {
                    replay.step_to(1_000_000, |event| matches!(event, Event::DeadEnd { .. }));
                }
                Move::Solution => {
                    replay.step_to(1_000_000, |event| event == Event::Solution);
                }
                Move::Restyle => replay = replay.restyled(replay.style().next()),
            }
            let mut fresh = Replay::new(n, replay.style(), Until::All);
            for _ in 0..replay.position() {
                prop_assert!(fresh.step());
            }
            prop_assert_eq!(replay.state(), fresh.state());
            prop_assert_eq!(
                panel::lines(replay.style(), replay.state()),
                panel::lines(fresh.style(), fresh.state())
            );
        }
    }
}
