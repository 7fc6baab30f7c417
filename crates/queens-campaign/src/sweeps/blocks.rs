//! The blocks that are left to count, and how long they take.

use std::collections::HashMap;
use std::ops::Range;

use queens::count::two_colour::Units;

/// A block to be counted.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub units: Range<u64>,
    pub class: u32,
    /// The expected cost of all its units, counted one by one.
    pub cost: f64,
}

impl Block {
    /// The work of sweeping this block, compared with others of its class. An even row set visits
    /// as many column sets as odd row sets, and a block has as many units as its odd row sets need,
    /// so the work grows with the square of the number of units.
    fn work(&self) -> f64 {
        ((self.units.end - self.units.start) as f64).powi(2)
    }
}

/// All blocks of these classes, in order.
pub(super) fn blocks_of(units: &Units, is_counted: &dyn Fn(u32) -> bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut unit = 0;
    while let Some(range) = units.block(unit) {
        unit = range.end;
        let class = units.class(range.start);
        if is_counted(class) {
            blocks.push(Block {
                cost: range.clone().map(|unit| units.cost(unit)).sum(),
                class,
                units: range,
            });
        }
    }
    blocks
}

/// How long a device takes for blocks of each class, from all blocks of the class it has counted.
#[derive(Debug, Default)]
pub(super) struct Paces {
    by_class: HashMap<u32, Pace>,
}

#[derive(Debug, Default)]
struct Pace {
    work: f64,
    seconds: f64,
}

impl Paces {
    /// Computes the paces from the units that the device has counted, in order, and the seconds
    /// that each took. Units counted together share their time by expected cost.
    pub fn of(blocks: &[Block], units: &Units, times: &[(u64, f64)]) -> Paces {
        let mut paces = Paces::default();
        for block in blocks {
            let first = times.partition_point(|&(unit, _)| unit < block.units.start);
            let end = times.partition_point(|&(unit, _)| unit < block.units.end);
            for &(unit, seconds) in &times[first..end] {
                paces.add(block, units.cost(unit) / block.cost, seconds);
            }
        }
        paces
    }

    /// Notes how long a share of a block took.
    pub fn add(&mut self, block: &Block, share: f64, seconds: f64) {
        let pace = self.by_class.entry(block.class).or_default();
        pace.work += share * block.work();
        pace.seconds += seconds;
    }

    /// The seconds that a block will take; `None` if nothing is known about its class.
    pub fn expected(&self, block: &Block) -> Option<f64> {
        let pace = self.by_class.get(&block.class)?;
        Some(pace.seconds / pace.work.max(f64::MIN_POSITIVE) * block.work())
    }
}
