//! How many units a thread of a device takes at a time.
//!
//! A GPU wants many units at once, and on a large board these take most of a minute. A run with a
//! time limit would lose units that are not done in time. So a thread takes only units that it
//! expects to finish, judging by its speed so far. Towards the end it takes fewer and fewer:
//!
//! ```text
//!     begin                                                              end
//!     |1|2 |4   |8       |8       |8       |8       |8       |6     |3  |1|
//! ```
//!
//! It also begins with few units, because nobody knows how long they take until the first are
//! counted.

use std::time::Duration;

/// A thread's first batch is one part in this many of its later batches.
const FIRST_SHARE: usize = 8;

/// Several units are taken only if they are expected to fit into this share of the time left. They
/// may then take a third longer and still be done in time. The rest of the time is for fewer units.
const SAFE_SHARE: f64 = 0.75;

/// How fast one thread of a device counts.
pub(crate) struct Pace {
    /// The most units that the thread takes at a time.
    most: usize,
    /// How many it takes next if there is time for all of them.
    next: usize,
    /// Seconds per unit of cost, from the last batch.
    seconds: Option<f64>,
}

impl Pace {
    /// The pace of a thread that takes at most this many units at a time.
    pub(crate) fn new(most: usize) -> Pace {
        Pace {
            most,
            next: most.div_ceil(FIRST_SHARE).max(1),
            seconds: None,
        }
    }

    /// The seconds that a unit of this cost is expected to take; 0 if nothing is known yet.
    pub(crate) fn expected(&self, cost: u64) -> f64 {
        self.seconds.unwrap_or(0.0) * cost as f64
    }

    /// How many of the units with these costs to take, in order, with this much time left. None if
    /// the first of them would take longer.
    pub(crate) fn portion(
        &self,
        costs: impl Iterator<Item = u64>,
        left: Option<Duration>,
    ) -> usize {
        let left = left.map_or(f64::INFINITY, |left| left.as_secs_f64());
        let mut total = 0;
        costs
            .take(self.next)
            .enumerate()
            .take_while(|(before, cost)| {
                total += cost;
                let share = if *before == 0 { 1.0 } else { SAFE_SHARE };
                self.expected(total) <= share * left
            })
            .count()
    }

    /// Notes that units with this total cost took this many seconds.
    pub(crate) fn counted(&mut self, cost: u64, seconds: f64) {
        self.seconds = Some(seconds / cost.max(1) as f64);
        self.next = (2 * self.next).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_begins_with_few_units_and_ends_with_few() {
        let mut pace = Pace::new(64);
        let units = || std::iter::repeat_n(100, 1_000);
        let mut sizes = Vec::new();
        for left in [560.0, 555.0, 545.0, 525.0, 40.0, 10.0, 1.0, 0.5] {
            let size = pace.portion(units(), Some(Duration::from_secs_f64(left)));
            pace.counted(100 * size as u64, 0.625 * size as f64);
            sizes.push(size);
        }
        assert_eq!(sizes, [8, 16, 32, 64, 48, 12, 1, 0]);
    }

    #[test]
    fn without_an_end_a_thread_takes_what_there_is_up_to_its_appetite() {
        let mut pace = Pace::new(1);
        assert_eq!(pace.portion([5, 5].into_iter(), None), 1);
        pace.counted(5, 1e9);
        assert_eq!(pace.portion([5, 5].into_iter(), None), 1);
        assert_eq!(pace.portion(std::iter::empty(), None), 0);
    }

    /// What one of three threads has given to a card.
    struct Given {
        units: u64,
        /// Seconds that the card needs for it if it does nothing else.
        left: f64,
        begun: f64,
    }

    /// Counts for a time on a card that three threads share and that takes 0.19 s for a unit, or up
    /// to a third more or less. Returns when the last unit was done, and for what share of the time
    /// the card counted. Only this function moves the clock.
    fn slice(seconds: f64) -> (f64, f64) {
        let mut threads = [0; 3].map(|_| (Pace::new(64), None));
        let (mut now, mut random) = (0.0, queens::random::Random::new(1));
        loop {
            for (pace, given) in threads.iter_mut().filter(|(_, given)| given.is_none()) {
                let left = Duration::from_secs_f64((seconds - now).max(0.0));
                let units = pace.portion(std::iter::repeat_n(1_000, 1_000), Some(left)) as u64;
                let luck = (2.0 + 2.0 * random.share()) / 3.0;
                *given = (units > 0).then_some(Given {
                    units,
                    left: 0.19 * luck * units as f64,
                    begun: now,
                });
            }
            let busy = || threads.iter().filter_map(|(_, given)| given.as_ref());
            let Some(next) = busy().map(|given| given.left).min_by(f64::total_cmp) else {
                return (now, now.min(seconds) / seconds);
            };
            now += next * busy().count() as f64;
            for (pace, slot) in &mut threads {
                if let Some(given) = slot {
                    given.left -= next;
                    if given.left <= 1e-9 {
                        pace.counted(1_000 * given.units, now - given.begun);
                        *slot = None;
                    }
                }
            }
        }
    }

    #[test]
    fn a_slice_ends_with_its_last_unit_and_wastes_little() {
        for seconds in [560.0, 120.0, 40.0, 25.0, 10.0] {
            let (ended, used) = slice(seconds);
            assert!(ended <= seconds * 1.05, "{ended} of {seconds}");
            assert!(used > 0.9, "{used} of {seconds}");
        }
        assert!(slice(560.0).1 > 0.99);
    }
}
