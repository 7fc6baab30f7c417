//! Which devices have hung.
//!
//! A card that fell off its bus, or a driver that waits for ever, reports no error: its units just
//! never end. That the process lives is therefore not enough to keep a unit; its device must show
//! progress, by finishing a part of a unit, or a unit. Devices that are alike form a group. A
//! device has hung if it shows no progress for ten times as long as any device of its group ever
//! took, and at least for a time that the caller sets. Before the first progress in its group it
//! has ten minutes, because nobody knows yet how long a unit takes.
//!
//! ```text
//!     given   begun      part     part     part                          hung
//!       |-------|----------|--------|--------|- - - - - - - - - - - - - -|
//!                 longest so far               ten times the longest
//! ```
//!
//! A unit that no device has begun waits for any device of its group. When the last of them hangs,
//! the unit has hung, too. While the process itself sleeps, nobody could show progress, so that
//! time does not count.
//!
//! There is no clock here; callers pass in the time.

use std::collections::BTreeMap;
use std::time::Duration;

/// How long a device may take for its first sign of progress.
pub(crate) const FIRST_PATIENCE: Duration = Duration::from_secs(600);

/// How many times longer than ever before a device may take.
const SLACK: u32 = 10;

/// Callers look several times a second. If nobody looked for this long, the process was asleep.
const NAP: Duration = Duration::from_secs(10);

/// Watches the units that devices count; `G` identifies a group of devices.
pub(crate) struct Vigil<G> {
    first_patience: Duration,
    groups: BTreeMap<G, Group>,
    units: BTreeMap<u64, Unit<G>>,
    looked: Option<Duration>,
}

#[derive(Clone, Copy, Default)]
struct Group {
    /// The longest time between two signs of progress.
    longest: Option<Duration>,
    /// When one of its devices last showed progress.
    seen: Duration,
}

struct Unit<G> {
    /// The group of devices that may count it; `None` if any device may.
    group: Option<G>,
    begun: bool,
    /// When it was given to devices or begun, or last showed progress.
    seen: Duration,
    told: bool,
}

/// Units that show no progress.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hung<G> {
    /// The group of devices that have them; `None` if they wait for any device.
    pub group: Option<G>,
    pub units: Vec<u64>,
    /// How long the vigil waited for them.
    pub patience: Duration,
}

impl<G: Ord + Clone> Vigil<G> {
    /// A vigil with this patience before the first progress, usually [`FIRST_PATIENCE`].
    pub fn new(first_patience: Duration) -> Vigil<G> {
        Vigil {
            first_patience,
            groups: BTreeMap::new(),
            units: BTreeMap::new(),
            looked: None,
        }
    }

    /// A unit waits for a device of this group, or for any device.
    pub fn given(&mut self, unit: u64, group: Option<G>, now: Duration) {
        self.wake(now);
        let unit_of = Unit {
            group,
            begun: false,
            seen: now,
            told: false,
        };
        self.units.insert(unit, unit_of);
    }

    /// A device of this group has begun with a unit.
    pub fn begun(&mut self, unit: u64, group: &G, now: Duration) {
        self.wake(now);
        if let Some(unit) = self.units.get_mut(&unit) {
            unit.group = Some(group.clone());
            unit.begun = true;
            unit.seen = now;
        }
    }

    /// A device has shown progress with a unit.
    pub fn progress(&mut self, unit: u64, now: Duration) {
        self.wake(now);
        if let Some(unit) = self.units.get_mut(&unit)
            && let Some(group) = &unit.group
        {
            let stretch = now.saturating_sub(unit.seen);
            let group = self.groups.entry(group.clone()).or_default();
            if unit.begun {
                group.longest = Some(group.longest.unwrap_or_default().max(stretch));
            }
            unit.seen = now;
            group.seen = now;
        }
    }

    /// A unit is counted, or no device has it any longer.
    pub fn done(&mut self, unit: u64) {
        self.units.remove(&unit);
    }

    /// No device has any of the units any longer.
    pub fn clear(&mut self) {
        self.units.clear();
    }

    /// Whether a device has begun with a unit.
    pub fn is_begun(&self, unit: u64) -> bool {
        self.units.get(&unit).is_some_and(|unit| unit.begun)
    }

    /// The units that have hung since the last call.
    pub fn hung(&mut self, least: Duration, now: Duration) -> Vec<Hung<G>> {
        self.wake(now);
        let any = Group {
            longest: self.groups.values().filter_map(|g| g.longest).max(),
            seen: self
                .groups
                .values()
                .map(|g| g.seen)
                .max()
                .unwrap_or_default(),
        };
        let mut hung: BTreeMap<Option<G>, Hung<G>> = BTreeMap::new();
        for (&number, unit) in self.units.iter_mut().filter(|(_, unit)| !unit.told) {
            let group = match &unit.group {
                Some(group) => self.groups.get(group).copied().unwrap_or_default(),
                None => any,
            };
            let patience = match group.longest {
                Some(longest) => least.max(SLACK * longest),
                None => least.max(self.first_patience),
            };
            let seen = match unit.begun {
                true => unit.seen,
                false => unit.seen.max(group.seen),
            };
            if now.saturating_sub(seen) > patience {
                unit.told = true;
                let of_group = hung.entry(unit.group.clone()).or_insert_with(|| Hung {
                    group: unit.group.clone(),
                    units: Vec::new(),
                    patience,
                });
                of_group.units.push(number);
            }
        }
        hung.into_values().collect()
    }

    /// Discounts the time during which the process was asleep.
    fn wake(&mut self, now: Duration) {
        let pause = now.saturating_sub(self.looked.unwrap_or(now));
        self.looked = Some(now);
        if pause > NAP {
            let seen = self.units.values_mut().map(|unit| &mut unit.seen);
            let groups = self.groups.values_mut().map(|group| &mut group.seen);
            seen.chain(groups).for_each(|seen| *seen += pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vigil at which time passes second by second.
    struct Watched {
        vigil: Vigil<&'static str>,
        now: u64,
    }

    const LEAST: Duration = Duration::from_secs(60);

    impl Watched {
        fn new() -> Watched {
            let vigil = Vigil::new(FIRST_PATIENCE);
            Watched { vigil, now: 0 }
        }

        fn now(&self) -> Duration {
            Duration::from_secs(self.now)
        }

        fn begin(&mut self, unit: u64, device: &'static str) {
            self.vigil.given(unit, None, self.now());
            self.vigil.begun(unit, &device, self.now());
        }

        fn count(&mut self, unit: u64) {
            self.vigil.progress(unit, self.now());
            self.vigil.done(unit);
        }

        /// Waits until something has hung; returns the seconds from the start until then.
        fn wait(&mut self) -> (u64, Vec<Hung<&'static str>>) {
            loop {
                self.now += 1;
                let hung = self.vigil.hung(LEAST, self.now());
                if !hung.is_empty() {
                    return (self.now, hung);
                }
                assert!(self.now < 10_000, "nothing hangs");
            }
        }
    }

    fn hung(device: &'static str, unit: u64, seconds: u64) -> Hung<&'static str> {
        Hung {
            group: Some(device).filter(|device| !device.is_empty()),
            units: vec![unit],
            patience: Duration::from_secs(seconds),
        }
    }

    #[test]
    fn a_device_has_ten_times_as_long_as_it_ever_took() {
        let mut watched = Watched::new();
        watched.begin(1, "card");
        for _ in 0..9 {
            watched.now += 1;
            assert!(watched.vigil.hung(LEAST, watched.now()).is_empty());
        }
        watched.count(1);
        watched.begin(2, "card");
        // Told once, 90 seconds later, and never again.
        assert_eq!(watched.wait(), (100, vec![hung("card", 2, 90)]));
        assert!(
            watched
                .vigil
                .hung(LEAST, Duration::from_secs(109))
                .is_empty()
        );
    }

    #[test]
    fn a_fast_device_has_the_least_time_and_a_new_one_ten_minutes() {
        let mut watched = Watched::new();
        watched.begin(1, "fast");
        watched.count(1);
        watched.begin(2, "fast");
        watched.begin(3, "new");
        assert_eq!(watched.wait(), (61, vec![hung("fast", 2, 60)]));
        assert_eq!(watched.wait(), (601, vec![hung("new", 3, 600)]));
    }

    #[test]
    fn a_unit_that_waits_has_not_hung_while_another_device_counts() {
        let mut watched = Watched::new();
        watched.begin(1, "fast");
        watched.vigil.given(2, None, watched.now());
        for _ in 0..50 {
            watched.now += 2;
            watched.vigil.progress(1, watched.now());
            assert!(watched.vigil.hung(LEAST, watched.now()).is_empty());
        }
        // When the last device hangs, so do the units that wait for it.
        let both = vec![hung("", 2, 60), hung("fast", 1, 60)];
        assert_eq!(watched.wait(), (161, both));
    }

    #[test]
    fn what_a_process_slept_through_does_not_count() {
        let mut watched = Watched::new();
        watched.begin(1, "card");
        watched.count(1);
        watched.begin(2, "card");
        watched.now += 1_000;
        assert!(watched.vigil.hung(LEAST, watched.now()).is_empty());
        assert_eq!(watched.wait(), (1_061, vec![hung("card", 2, 60)]));
    }
}
