//! The devices of workers and local runs on a simulated day.
//!
//! Counting takes no time here: a device looks up the count and reports it some seconds later, or
//! hangs. The devices of lying workers count one too many.

use std::time::Duration;

use super::super::shift;
use super::processes::{Who, Working};
use super::template::template;
use super::{Happening, Simulation};
use crate::row::Row;

impl Simulation {
    /// Free devices begin with the units that are there.
    pub(super) fn labour(&mut self, who: Who, life: u32) {
        loop {
            let devices = match who {
                Who::Worker(k) => match &mut self.workers[k].process {
                    Some(Working::At(_, devices)) => devices,
                    _ => return,
                },
                Who::Run(k) => match &mut self.runs[k].process {
                    Some(running) => &mut running.devices,
                    None => return,
                },
                Who::Server => return,
            };
            if devices.free == 0 {
                return;
            }
            let Some(planned) = devices.pool.pop_front() else {
                return;
            };
            devices.free -= 1;
            let unit = planned.unit;
            let duration = self.seconds(8.0);
            match who {
                Who::Worker(k) => {
                    let begun = shift::Input::Begun(vec![unit]);
                    self.later(Duration::ZERO, Happening::Worker(k, life, begun));
                }
                Who::Run(k) => {
                    if let Some(running) = &mut self.runs[k].process {
                        let device = "box/cpu".to_owned();
                        running.keeper.begun(&[unit], &device, self.now);
                    }
                }
                Who::Server => {}
            }
            if self.chance(self.luck.hang) {
                self.say(&format!("a device of {who:?} hangs with unit {unit}"));
                continue;
            }
            self.later(duration, Happening::Counted(who, life, unit));
        }
    }

    /// A device has counted a unit.
    pub(super) fn counted(&mut self, who: Who, life: u32, unit: u64) -> Result<(), String> {
        if let Some(rest) = self.asleep(who) {
            self.later(rest, Happening::Counted(who, life, unit));
            return Ok(());
        }
        let mut count = template().counts[unit as usize];
        let started = self.date();
        match who {
            Who::Server => {}
            Who::Worker(k) => {
                if self.workers[k].fate.life != life {
                    return Ok(());
                }
                if let Some(Working::At(_, devices)) = &mut self.workers[k].process {
                    devices.free += 1;
                }
                // If every unit is counted twice, a liar may lie only now and then. One of a pair
                // counts its first unit rightly, to be believed.
                if self.colludes(k) && *self.honest[k].get_or_insert(unit) != unit {
                    count += 1;
                }
                if self.lies(k) && (!self.luck.all_twice || (unit ^ self.seed).is_multiple_of(3)) {
                    count += 1;
                }
                let row = Row::fresh(unit, count, &format!("m{k}/cpu"), started, 1.0);
                self.hear_worker(k, life, shift::Input::Counted(row))?;
                self.labour(who, life);
            }
            Who::Run(k) => {
                if self.runs[k].fate.life != life {
                    return Ok(());
                }
                if let Some(running) = &mut self.runs[k].process {
                    running.devices.free += 1;
                    let row = Row::fresh(unit, count, "box/cpu", started, 1.0);
                    running.keeper.counted(row, self.now);
                }
                self.labour(who, life);
            }
        }
        Ok(())
    }
}
