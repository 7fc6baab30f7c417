//! A turn at the ledger: records results and claims units for the workers.
//!
//! The desk claims units in the file like any process that counts, so `queens campaign run` on the
//! same file never counts them too. One transaction records the new results and claims as many
//! units as the queue has room for. Results are acknowledged only after it, so whatever NATS
//! forgets is on disk.

use std::time::Duration;

use super::super::QueueError;
use super::interface::Output;
use super::{Desk, Phase};
use crate::device::Kind;
use crate::ledger::Campaign;
use crate::process;
use crate::row::Row;

impl Desk {
    /// Records results, claims units for the workers and publishes them, if it is time.
    pub(super) fn record(
        &mut self,
        now: Duration,
        campaign: &mut Campaign,
    ) -> Result<(), QueueError> {
        // While others hold the file, new results wait too.
        let waiting = !self.results.next.is_empty() && self.locked_since.is_none();
        if now < self.next_turn && !waiting {
            return Ok(());
        }
        self.stock.turn(now);
        let rows: Vec<Row> = self.results.next.iter().map(|r| r.row.clone()).collect();
        let mut room = self.room(now);
        let want: usize = room.iter().map(|(_, n)| n).sum();
        let Some(member) = &mut self.member else {
            return Ok(());
        };
        let mut turn = match campaign.turn(member, &rows, want) {
            Ok(turn) => turn,
            Err(error) => return self.bear_with(error, now),
        };
        self.locked_since = None;
        let claimed = turn.claimed.len();
        let recorded = std::mem::take(&mut self.results.next);
        for (result, outcome) in recorded.into_iter().zip(&turn.recorded) {
            self.out.extend(result.token.map(Output::Ack));
            self.stock.done(result.row.unit);
            self.check_what_was_recorded(&result.row, *outcome, now, campaign)?;
        }
        for planned in turn.claimed {
            // The kind with the most room left gets the next unit.
            if let Some(most) = room.iter_mut().max_by_key(|(_, n)| *n) {
                most.1 = most.1.saturating_sub(1);
                self.stock.add(most.0, planned, None, now, &mut self.out);
            }
        }
        for (name, result) in std::mem::take(&mut self.results.behind) {
            match result.token {
                Some(_) => self.take(name, result, campaign)?,
                None => self.own_checks.to_settle.push(result.row),
            }
        }
        // Only now: the results on record were acknowledged, so they cannot raise the dispute again
        // after it was settled.
        if let Some(dispute) = turn.dispute.take() {
            self.arbitrate(dispute, campaign)?;
        }
        self.recorded_cost += turn.cost;
        self.served.units = turn.done;
        self.update_served(now, campaign);
        let more = claimed < want
            || !self.results.next.is_empty()
            || !self.own_checks.to_settle.is_empty();
        self.next_turn = now
            + match more {
                true => Duration::from_millis(500),
                false => Duration::from_secs(process::HEARTBEAT),
            };
        if turn.done >= campaign.info().units {
            self.next_turn = now + Duration::from_millis(500);
            self.conclude(now, campaign)?;
        }
        Ok(())
    }

    /// How many units of each kind the queue has room for.
    fn room(&self, now: Duration) -> Vec<(Kind, usize)> {
        if !matches!(self.phase, Phase::Serving) {
            return Vec::new();
        }
        // Units that a newcomer has counted are no longer in the queue.
        let held = self.results.held_units();
        let room = Kind::ALL.into_iter().map(|kind| {
            let queued = self.stock.queued(kind, &held);
            (kind, self.window(kind, now).saturating_sub(queued))
        });
        room.collect()
    }

    /// Refreshes what the user sees.
    fn update_served(&mut self, now: Duration, campaign: &Campaign) {
        if now >= self.next_progress {
            self.next_progress = now + Duration::from_secs(1);
            if let Ok(progress) = campaign.progress() {
                self.served.cost = progress.cost;
            }
        }
        let seconds = now.saturating_sub(self.begun).as_secs_f64();
        let places = Kind::ALL.into_iter().map(|kind| self.workers.places(kind));
        self.served.rate = self.recorded_cost as f64 / seconds.max(0.1);
        self.served.workers = self.workers.number();
        self.served.places = places.sum();
        self.served.checks = self.own_checks.number() + self.stock.recounts().count();
    }
}
