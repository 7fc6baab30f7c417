//! Compares the queue with what should be in it.
//!
//! Every ten seconds the desk asks for the subjects of all messages. A unit was lost if it is not
//! queued, not recorded, and not among the results on their way; it is published again. Units that
//! an earlier server left in the queue are adopted or removed. If a stream or a consumer is gone,
//! whatever is missing is made anew and everything is published again.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::super::QueueError;
use super::Desk;
use super::interface::{Output, Snapshot, Told};
use crate::defence::Defence;
use crate::device::Kind;
use crate::ledger::Campaign;
use crate::plan::Planned;

/// When to compare, and what the last comparison left behind.
pub(super) struct Comparison {
    next: Duration,
    /// When the desk asked for the queue, until the answer comes.
    asked: Option<Duration>,
    /// Consumers that seemed to be stuck at the last comparison.
    stuck: Vec<String>,
}

impl Comparison {
    /// The first comparison is due at this time.
    pub fn new(now: Duration) -> Comparison {
        Comparison {
            next: now,
            asked: None,
            stuck: Vec::new(),
        }
    }

    /// Makes the next comparison due at once.
    pub fn begin_anew(&mut self, now: Duration) {
        self.next = now;
        self.asked = None;
    }

    /// Asks for the queue, if it is time. If no answer comes, asks again after a minute.
    pub fn ask_if_due(&mut self, now: Duration, out: &mut Vec<Output>) {
        let waited = |since: Duration| now.saturating_sub(since) > Duration::from_secs(60);
        if now >= self.next && self.asked.is_none_or(waited) {
            self.next = now + Duration::from_secs(10);
            self.asked = Some(now);
            out.push(Output::ReadQueue);
        }
    }

    /// The consumers that are stuck: they seemed so twice in a row, so that a queue that is just
    /// being emptied is left alone.
    fn still_stuck(&mut self, stuck: Vec<String>, now: Duration) -> Vec<String> {
        let before = |name: &&String| self.stuck.contains(name);
        let still: Vec<String> = stuck.iter().filter(before).cloned().collect();
        if !stuck.is_empty() {
            self.next = self.next.min(now + Duration::from_secs(2));
        }
        self.stuck = match still.is_empty() {
            true => stuck,
            false => Vec::new(),
        };
        still
    }
}

impl Desk {
    /// Compares the queue with what should be in it.
    pub(super) fn compare(
        &mut self,
        snapshot: Result<Snapshot, Option<String>>,
        now: Duration,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        self.comparison.asked = None;
        let snapshot = match snapshot {
            Ok(snapshot) => snapshot,
            Err(None) => {
                self.queues_are_gone(now);
                return Ok(());
            }
            Err(Some(why)) => {
                self.tell(Told::Trouble(why));
                return Ok(());
            }
        };
        // NATS forgets a notice after a month, and a server may run longer.
        if Defence::Reposting.stands() {
            self.out.push(Output::Post(Box::new(self.notice.clone())));
        }
        let stuck = self.comparison.still_stuck(snapshot.stuck, now);
        if !stuck.is_empty() {
            self.out.push(Output::Reset(stuck));
        }
        let total = campaign.info().units;
        let mut found: HashSet<(Kind, u64)> = HashSet::new();
        let mut strange: Vec<(Kind, u64)> = Vec::new();
        for subject in snapshot.units {
            match self.names.parse_unit(&subject) {
                Some((kind, unit)) if unit < total => {
                    if !self.stock.contains_for(kind, unit) {
                        strange.push((kind, unit));
                    }
                    found.insert((kind, unit));
                }
                // Nobody could ever do it.
                _ => self.out.push(Output::Purge(subject)),
            }
        }
        self.adopt(&strange, campaign, now)?;
        // Compared unit by unit: a single result whose acknowledgement got lost stays for half a
        // minute, and must not hide that other units are missing.
        let on_their_way: HashSet<u64> = snapshot
            .results
            .iter()
            .filter_map(|subject| self.names.parse_result(subject))
            .map(|(_, unit)| unit)
            .collect();
        let held = self.results.held_units();
        let elsewhere = |unit| on_their_way.contains(&unit) || held.contains(&unit);
        self.stock.publish_missing(&found, elsewhere, now);
        self.reassign(now);
        Ok(())
    }

    /// Takes over units that an earlier server left in the queue, or removes them.
    fn adopt(
        &mut self,
        units: &[(Kind, u64)],
        campaign: &mut Campaign,
        now: Duration,
    ) -> Result<(), QueueError> {
        let Some(member) = &self.member else {
            return Ok(());
        };
        let numbers: Vec<u64> = units.iter().map(|&(_, unit)| unit).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let claimed = match campaign.claim_these(member, &numbers) {
            Ok(claimed) => claimed,
            Err(error) => return self.bear_with(error, now),
        };
        let claimed: BTreeMap<u64, Planned> = claimed.into_iter().map(|p| (p.unit, p)).collect();
        for &(kind, unit) in units {
            match claimed.get(&unit) {
                Some(&planned) if !self.stock.contains(unit) => self.stock.adopt(kind, planned),
                // Recorded already, being counted by another process, or queued for the other kind
                // of device.
                _ => {
                    let subject = self.names.unit(kind, &unit);
                    self.out.push(Output::Purge(subject));
                }
            }
        }
        Ok(())
    }

    /// Moves the units queued for a kind of device that has gone to the other kind.
    fn reassign(&mut self, now: Duration) {
        for (from, to) in [(Kind::Cpu, Kind::Gpu), (Kind::Gpu, Kind::Cpu)] {
            if self.workers.places(from) == 0 && self.workers.places(to) > 0 {
                self.stock.reassign(from, to, now, &mut self.out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_consumer_is_stuck_if_it_seems_so_twice_in_a_row() {
        let second = Duration::from_secs(1);
        let mut comparison = Comparison::new(second);
        let cpu = || vec!["cpu".to_owned()];
        assert!(comparison.still_stuck(cpu(), second).is_empty());
        assert!(comparison.still_stuck(Vec::new(), second).is_empty());
        assert!(comparison.still_stuck(cpu(), second).is_empty());
        assert_eq!(comparison.still_stuck(cpu(), second), cpu());
        // It was made anew, so the count starts again.
        assert!(comparison.still_stuck(cpu(), second).is_empty());
    }
}
