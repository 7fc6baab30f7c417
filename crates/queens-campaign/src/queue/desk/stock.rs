//! The units in the queue, as far as the desk knows.
//!
//! For each kind of device, the desk queues only as many units as the present workers will do in
//! half a minute ([`Stock::window`]). A unit stays in stock until its count is recorded. It is
//! published again and again until the queue has confirmed that it holds the unit, and again when
//! two comparisons in a row find it missing from the queue ([`Stock::publish_missing`]).
//!
//! Every unit is published with a [ticket](Tickets::ticket), by which a result proves that its unit
//! was given out. A unit that is to be counted again names the worker whose count it already has:
//! any other worker may take it.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::super::message::{Names, Task};
use super::interface::Output;
use crate::device::Kind;
use crate::device_name::worker_of;
use crate::plan::Planned;

/// The most units of a kind in the queue.
const MOST_QUEUED: usize = 5_000;

/// A unit in the queue.
struct Queued {
    kind: Kind,
    planned: Planned,
    /// How many comparisons in a row did not find it in the queue.
    absent: u32,
    /// When to publish it; `None` if the queue has it, as far as the desk knows.
    publish_at: Option<Duration>,
    recount: Option<Recount>,
}

/// A unit that is queued to be counted again.
pub(super) struct Recount {
    /// The device that has already counted it.
    pub first: String,
    /// When it was queued again.
    pub since: Duration,
}

/// How many units of one kind were done in the last ten to twenty seconds.
#[derive(Default)]
struct Rate {
    since: Duration,
    done: u64,
    /// Units per second in the period before that.
    before: f64,
}

impl Rate {
    fn per_second(&self, now: Duration) -> f64 {
        let seconds = now.saturating_sub(self.since).as_secs_f64();
        (self.done as f64 / seconds.max(1.0)).max(self.before)
    }

    /// Starts a new period every ten seconds.
    fn turn(&mut self, now: Duration) {
        let seconds = now.saturating_sub(self.since).as_secs_f64();
        if seconds > 10.0 {
            *self = Rate {
                since: now,
                done: 0,
                before: self.done as f64 / seconds,
            };
        }
    }
}

/// Proofs that the server gave out a unit.
#[derive(Default)]
pub(super) struct Tickets {
    /// The secret of this campaign's servers, from its file.
    pub secret: String,
}

impl Tickets {
    /// The proof for a unit. Making one takes the campaign's secret.
    pub fn ticket(&self, unit: u64) -> String {
        // "lease" is the older name; the tickets that workers hold are made with it.
        let text = format!("queens lease {} {unit}", self.secret);
        crate::row::digest(&text)[..16].to_owned()
    }
}

/// The units in the queue, and what is needed to publish them.
pub(super) struct Stock {
    names: Names,
    program: String,
    algorithm: String,
    pub tickets: Tickets,
    queued: BTreeMap<u64, Queued>,
    rates: BTreeMap<Kind, Rate>,
}

impl Stock {
    pub fn new(names: &Names, program: &str, algorithm: &str) -> Stock {
        Stock {
            names: names.clone(),
            program: program.to_owned(),
            algorithm: algorithm.to_owned(),
            tickets: Tickets::default(),
            queued: BTreeMap::new(),
            rates: BTreeMap::new(),
        }
    }

    /// How many units of a kind should be in the queue, for workers that count `places` of them at
    /// once.
    pub fn window(&self, kind: Kind, places: usize, now: Duration) -> usize {
        if places == 0 {
            return 0;
        }
        let per_second = self.rates.get(&kind).map_or(0.0, |r| r.per_second(now));
        let half_a_minute = 30.0 * per_second;
        places
            .saturating_mul(4)
            .max(half_a_minute as usize)
            .min(MOST_QUEUED)
    }

    /// How many units of a kind are queued, without those in `besides`.
    pub fn queued(&self, kind: Kind, besides: &HashSet<u64>) -> usize {
        let waits =
            |(unit, queued): &(&u64, &Queued)| queued.kind == kind && !besides.contains(unit);
        self.queued.iter().filter(waits).count()
    }

    pub fn contains(&self, unit: u64) -> bool {
        self.queued.contains_key(&unit)
    }

    /// Whether a unit is queued for this kind of device.
    pub fn contains_for(&self, kind: Kind, unit: u64) -> bool {
        self.queued.get(&unit).is_some_and(|q| q.kind == kind)
    }

    /// The units that are queued to be counted again.
    pub fn recounts(&self) -> impl Iterator<Item = (u64, &Recount)> {
        let queued = self.queued.iter();
        queued.filter_map(|(&unit, q)| Some((unit, q.recount.as_ref()?)))
    }

    /// Queues a unit.
    pub fn add(
        &mut self,
        kind: Kind,
        planned: Planned,
        recount: Option<Recount>,
        now: Duration,
        out: &mut Vec<Output>,
    ) {
        let queued = Queued {
            kind,
            planned,
            absent: 0,
            publish_at: Some(now),
            recount,
        };
        self.queued.insert(planned.unit, queued);
        self.publish(planned.unit, now, out);
    }

    /// Takes over a unit that is already in the queue.
    pub fn adopt(&mut self, kind: Kind, planned: Planned) {
        let queued = Queued {
            kind,
            planned,
            absent: 0,
            publish_at: None,
            recount: None,
        };
        self.queued.insert(planned.unit, queued);
    }

    fn publish(&mut self, unit: u64, now: Duration, out: &mut Vec<Output>) {
        let Some(queued) = self.queued.get_mut(&unit) else {
            return;
        };
        // If no answer comes, try again.
        queued.publish_at = Some(now + Duration::from_secs(30));
        let first_worker =
            |recount: &Recount| worker_of(&recount.first).unwrap_or_default().to_owned();
        let task = Task {
            unit,
            first: queued.planned.first,
            last: queued.planned.last,
            cost: queued.planned.cost,
            program: self.program.clone(),
            algorithm: self.algorithm.clone(),
            ticket: self.tickets.ticket(unit),
            not: queued.recount.as_ref().map(first_worker),
        };
        out.push(Output::Publish(queued.kind, Box::new(task)));
    }

    /// Publishes every unit whose time has come.
    pub fn publish_due(&mut self, now: Duration, out: &mut Vec<Output>) {
        let due: Vec<u64> = self
            .queued
            .iter()
            .filter(|(_, queued)| queued.publish_at.is_some_and(|at| at <= now))
            .map(|(&unit, _)| unit)
            .collect();
        for unit in due {
            self.publish(unit, now, out);
        }
    }

    /// Notes whether a unit reached the queue.
    pub fn published(&mut self, unit: u64, is_queued: bool, now: Duration) {
        if let Some(queued) = self.queued.get_mut(&unit) {
            queued.publish_at = match is_queued {
                true => None,
                false => Some(now + Duration::from_millis(500)),
            };
        }
    }

    /// The queue is new and empty: every unit is due.
    pub fn publish_all(&mut self, now: Duration) {
        for queued in self.queued.values_mut() {
            queued.publish_at = Some(now);
        }
    }

    /// The worker that took this unit out of the queue has not done it: somebody else must get it.
    pub fn publish_again(&mut self, unit: u64) {
        if let Some(queued) = self.queued.get_mut(&unit) {
            queued.publish_at.get_or_insert(Duration::ZERO);
        }
    }

    /// Makes lost units due: those that should be in the queue, but that two comparisons in a row
    /// neither `found` there nor, as `elsewhere` says, on their way from queue to ledger.
    pub fn publish_missing(
        &mut self,
        found: &HashSet<(Kind, u64)>,
        elsewhere: impl Fn(u64) -> bool,
        now: Duration,
    ) {
        for (&unit, queued) in &mut self.queued {
            if queued.publish_at.is_some()
                || found.contains(&(queued.kind, unit))
                || elsewhere(unit)
            {
                queued.absent = 0;
                continue;
            }
            queued.absent += 1;
            // Twice in a row, so that a unit between queue and ledger is left alone.
            if queued.absent >= 2 {
                queued.absent = 0;
                queued.publish_at = Some(now);
            }
        }
    }

    /// Removes a unit from the stock and from the queue, if it is there.
    pub fn withdraw(&mut self, unit: u64, out: &mut Vec<Output>) -> Option<Planned> {
        let queued = self.queued.remove(&unit)?;
        out.push(Output::Purge(self.names.unit(queued.kind, &unit)));
        Some(queued.planned)
    }

    /// A unit is recorded: nobody needs to do it any more.
    pub fn done(&mut self, unit: u64) {
        if let Some(queued) = self.queued.remove(&unit) {
            self.rates.entry(queued.kind).or_default().done += 1;
        }
    }

    /// Keeps the rates up to date.
    pub fn turn(&mut self, now: Duration) {
        self.rates.values_mut().for_each(|rate| rate.turn(now));
    }

    /// Moves the units that are queued for one kind of device to the other.
    pub fn reassign(&mut self, from: Kind, to: Kind, now: Duration, out: &mut Vec<Output>) {
        for (unit, queued) in &mut self.queued {
            if queued.kind == from {
                out.push(Output::Purge(self.names.unit(from, unit)));
                queued.kind = to;
                queued.publish_at = Some(now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stock() -> Stock {
        Stock::new(&Names::new("n14-test"), "queens", "two-colour")
    }

    fn planned(unit: u64) -> Planned {
        Planned {
            unit,
            first: 10 * unit,
            last: 10 * unit + 9,
            cost: 1,
        }
    }

    /// The units that are due for publishing at this time.
    fn due(stock: &mut Stock, now: Duration) -> Vec<u64> {
        let mut out = Vec::new();
        stock.publish_due(now, &mut out);
        let units = out.into_iter().filter_map(|output| match output {
            Output::Publish(_, task) => Some(task.unit),
            _ => None,
        });
        units.collect()
    }

    #[test]
    fn a_unit_that_is_missing_twice_in_a_row_is_published_again() {
        let (mut stock, now) = (stock(), Duration::from_secs(100));
        for unit in 0..3 {
            stock.adopt(Kind::Cpu, planned(unit));
        }
        let found = HashSet::from([(Kind::Cpu, 0)]);
        let on_its_way = |unit| unit == 1;
        stock.publish_missing(&found, on_its_way, now);
        assert!(due(&mut stock, now).is_empty());
        stock.publish_missing(&found, on_its_way, now);
        assert_eq!(due(&mut stock, now), [2]);
        // It was published and not confirmed: it is published again after a while.
        assert!(due(&mut stock, now + Duration::from_secs(29)).is_empty());
        assert_eq!(due(&mut stock, now + Duration::from_secs(30)), [2]);
        stock.published(2, true, now);
        assert!(due(&mut stock, now + Duration::from_secs(60)).is_empty());
    }

    #[test]
    fn as_much_is_queued_as_workers_do_in_half_a_minute() {
        let (mut stock, second) = (stock(), Duration::from_secs(1));
        assert_eq!(stock.window(Kind::Cpu, 0, 20 * second), 0);
        assert_eq!(stock.window(Kind::Cpu, 2, 20 * second), 8);
        for unit in 0..30 {
            stock.adopt(Kind::Cpu, planned(unit));
            stock.done(unit);
        }
        // 30 units in 20 seconds are 45 in half a minute, also after the turn.
        assert_eq!(stock.window(Kind::Cpu, 2, 20 * second), 45);
        stock.turn(20 * second);
        assert_eq!(stock.window(Kind::Cpu, 2, 21 * second), 45);
        assert_eq!(stock.window(Kind::Gpu, 2, 21 * second), 8);
        assert_eq!(stock.window(Kind::Gpu, 20_000, 21 * second), MOST_QUEUED);
    }

    #[test]
    fn tickets_stay_the_same_for_as_long_as_workers_may_hold_them() {
        let secret = "0123456789abcdef".to_owned();
        let tickets = Tickets { secret };
        assert_eq!(tickets.ticket(17), "3d280c9ef8fa4349");
        assert_ne!(tickets.ticket(18), tickets.ticket(17));
    }
}
