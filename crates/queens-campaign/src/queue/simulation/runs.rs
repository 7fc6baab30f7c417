//! The local runs of a simulated day: `queens campaign run` on the same file as the server.
//!
//! Each is a [`Keeper`](crate::runner::Keeper) with one device.

use std::time::Duration;

use super::processes::Who;
use super::{Happening, Simulation};
use crate::ledger::LedgerError;
use crate::runner::Kept;

impl Simulation {
    /// A local run does what is due, as in `runner::run`.
    pub(super) fn step_run(&mut self, k: usize) -> Result<(), String> {
        let (now, life) = (self.now, self.runs[k].fate.life);
        let Some(running) = &mut self.runs[k].process else {
            return Ok(());
        };
        let total = running.campaign.info().units;
        let hung = running.keeper.hung();
        let outcome = if running.complete {
            let left = running.keeper.leave(&mut running.campaign, now, false);
            left.map(|left| left.then_some(()))
        } else {
            match running.keeper.step(&mut running.campaign, now, false) {
                Ok(Kept::Turn { turn, .. }) => {
                    running.complete = turn.done >= total;
                    running.devices.pool.extend(turn.claimed);
                    Ok(None)
                }
                Ok(Kept::Idle | Kept::Busy) => Ok(None),
                Err(error) => Err(error),
            }
        };
        for hung in hung {
            // As with workers, its owner restarts it.
            self.say(&format!("run {k} tells {hung:?}"));
            self.later(Duration::from_secs(300), Happening::Mend(Who::Run(k), life));
        }
        let Some(running) = &mut self.runs[k].process else {
            return Ok(());
        };
        match outcome {
            Ok(None) => {}
            Ok(Some(())) => {
                let pid = running.pid;
                self.runs[k].process = None;
                // Shutting out a worker later may leave more work to do.
                let busy = !self.server.fate.over;
                self.machine.alive.lock().unwrap().remove(&pid);
                match busy {
                    true => self.later(Duration::from_secs(30), Happening::Start(Who::Run(k))),
                    false => self.runs[k].fate.over = true,
                }
            }
            // A run that slept may find that a liar has counted its unit meanwhile.
            Err(error @ (LedgerError::Full(_) | LedgerError::Disputed { .. }))
                if self.luck.liar || self.luck.pair || matches!(error, LedgerError::Full(_)) =>
            {
                self.say(&format!("run {k} ends: {error}"));
                self.kill(Who::Run(k));
            }
            Err(error) => return Err(format!("run {k} gave up: {error}")),
        }
        self.labour(Who::Run(k), life);
        Ok(())
    }
}
