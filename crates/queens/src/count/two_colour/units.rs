//! Work units: the row sets of all classes, cut into numbered pieces of like size.
//!
//! A unit is a block of even row sets times a block of odd row sets of one class: so the
//! lists of a row set are made once for many pairs. Blocks are larger where pairs are
//! small. Unit numbers run through the classes, from the fewest white queens on.
//!
//! The numbering is a contract: a campaign stores counts by unit number, on several
//! machines. Whoever changes it, or what a unit's count means, changes
//! [`ALGORITHM`](super::ALGORITHM) too.

use super::batch::Plan;
use super::class::Class;
use super::lists::elements;
use super::split::{SmallBoard, Split};
use std::ops::Range;

/// How many even and how many odd row sets a unit spans. Where the gathering colour is
/// filtered, more inner row sets pay, since they share the steps of their common rows; and on
/// the largest boards, which only GPUs will count, where these unfold. (Elsewhere their tables
/// crowd the cache: a sixth more time for n = 26.)
fn block_sizes(n: u32, plan: &Plan) -> (u32, u32) {
    if !plan.filter && n <= 26 {
        return match n {
            ..=15 => (16, 64),
            16..=17 => (8, 64),
            18..=19 => (8, 32),
            20..=24 => (8, 16),
            _ => (8, 8),
        };
    }
    let (inner, outer) = match n {
        ..=15 => (16, 64),
        16..=17 => (16, 32),
        18..=19 => (16, 16),
        20..=24 => (16, 8),
        25..=26 => (16, 4),
        _ if n <= 28 || plan.filter => (16, 2),
        _ => (8, 1),
    };
    match plan.gather.tree_is_even() {
        true => (inner, outer),
        false => (outer, inner),
    }
}

/// The units of one class.
#[derive(Clone, Debug)]
struct ClassUnits {
    c: u32,
    plan: Plan,
    /// How many even and how many odd row sets a unit spans.
    blocks: (u32, u32),
    /// Number of the first unit of each block of even rows, and the end.
    starts: Vec<u64>,
    /// The even row sets of each block.
    limits: Vec<Limits>,
    /// How many Co's each odd row set visits, where that depends on it.
    cos: Vec<u32>,
    /// Expected cost of one pair whose column sets are all visited.
    pair_cost: f64,
    ce_count: f64,
    co_count: f64,
    /// Roughly the memory of one thread.
    thread_bytes: f64,
}

/// What is visited for the last, largest member of a block of even rows.
#[derive(Clone, Copy, Debug)]
struct Limits {
    ce: u32,
    co: u32,
    ro: u32,
    rows: u32,
}

/// The numbered units of one `n`, with their expected costs.
///
/// ```
/// use queens::count::two_colour::{count_unit, units};
///
/// let units = units(8).unwrap();
/// let total: u64 = (0..units.len()).map(|unit| count_unit(8, unit).unwrap()).sum();
/// assert_eq!(total, 92);
/// ```
#[derive(Clone, Debug)]
pub struct Units {
    split: Split,
    classes: Vec<ClassUnits>,
    total_cost: f64,
}

/// One unit: row sets of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub c: u32,
    /// Places in the class's even row sets.
    pub even: Range<usize>,
    /// Places in the class's odd row sets.
    pub odd: Range<usize>,
}

impl Units {
    pub(crate) fn new(n: u32) -> Units {
        let split = Split::new(n);
        let mut first = 0;
        let classes: Vec<ClassUnits> = split
            .classes()
            .map(|c| {
                let class = Class::new(split, c);
                let plan = Plan::new(&class);
                let blocks = block_sizes(n, &plan);
                let inners = match plan.gather.tree_is_even() {
                    true => blocks.0,
                    false => blocks.1,
                };
                let mut starts = vec![first];
                let mut limits = Vec::new();
                for rows in class.even_rows.chunks(blocks.0 as usize) {
                    let last = &rows[rows.len() - 1];
                    let visits = class.visits(last, last.ro_limit as usize - 1);
                    limits.push(Limits {
                        ce: visits.ce_limit,
                        co: visits.co_limit,
                        ro: last.ro_limit,
                        rows: rows.len() as u32,
                    });
                    first += last.ro_limit.div_ceil(blocks.1) as u64;
                    starts.push(first);
                }
                ClassUnits {
                    c,
                    plan,
                    blocks,
                    starts,
                    limits,
                    cos: match n % 2 {
                        0 => Vec::new(),
                        _ => (0..class.odd_rows.len())
                            .map(|ro| class.visits(&class.even_rows[0], ro).co_limit)
                            .collect(),
                    },
                    pair_cost: plan.pair_cost(&class),
                    ce_count: class.ce_count() as f64,
                    co_count: class.co_count() as f64,
                    thread_bytes: plan.thread_bytes(&class, inners),
                }
            })
            .collect();
        let mut units = Units {
            split,
            classes,
            total_cost: 0.0,
        };
        units.total_cost = (0..units.len()).map(|unit| units.cost(unit)).sum();
        units
    }

    /// The size of the board.
    pub fn n(&self) -> u32 {
        self.split.n
    }

    /// How many units there are; they are numbered from 0.
    pub fn len(&self) -> u64 {
        self.classes
            .last()
            .map_or(0, |class| class.starts[class.starts.len() - 1])
    }

    /// Whether there is no unit; there always is one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn find(&self, unit: u64) -> Option<(&ClassUnits, usize, Range<u32>)> {
        let class = self
            .classes
            .iter()
            .find(|class| unit < class.starts[class.starts.len() - 1])?;
        let block = class.starts.partition_point(|&start| start <= unit) - 1;
        let odd_block = class.blocks.1;
        let odd = (unit - class.starts[block]) as u32 * odd_block;
        Some((
            class,
            block,
            odd..(odd + odd_block).min(class.limits[block].ro),
        ))
    }

    /// The row sets of a unit, or `None` where there is no such unit.
    pub(crate) fn get(&self, unit: u64) -> Option<Unit> {
        let (class, block, odd) = self.find(unit)?;
        let even = block * class.blocks.0 as usize;
        Some(Unit {
            c: class.c,
            even: even..even + class.limits[block].rows as usize,
            odd: odd.start as usize..odd.end as usize,
        })
    }

    /// How a class is counted, or `None` where it is not visited.
    pub(crate) fn plan(&self, c: u32) -> Option<Plan> {
        let class = self.classes.iter().find(|class| class.c == c)?;
        Some(class.plan)
    }

    /// The number of white queens on each white board in this unit; 0 beyond the last unit.
    pub fn class(&self, unit: u64) -> u32 {
        self.find(unit).map_or(0, |(class, ..)| class.c)
    }

    /// The expected cost of a unit, roughly in cycles of a Zen 4 core; 0 beyond the last unit.
    pub fn cost(&self, unit: u64) -> f64 {
        self.find(unit).map_or(0.0, |(class, block, odd)| {
            let limits = class.limits[block];
            let cos = class.cos.get(odd.end as usize - 1).unwrap_or(&limits.co);
            let seen = limits.ce as f64 / class.ce_count * f64::from(*cos) / class.co_count;
            (limits.rows as usize * odd.len()) as f64 * seen * class.pair_cost
        })
    }

    /// How many threads can count units of this unit's class at once within a tenth of a
    /// gigabyte up to n = 20, one up to n = 26, and ten beyond. What they share takes about as
    /// much as a few of them.
    pub(crate) fn most_threads(&self, unit: u64) -> usize {
        let most = match self.n() {
            ..=20 => 80e6,
            21..=26 => 800e6,
            _ => 8e9,
        };
        let thread = self
            .find(unit)
            .map_or(1e6, |(class, ..)| class.thread_bytes);
        ((most / thread) as usize).max(1)
    }

    /// The sum of all costs.
    pub fn total_cost(&self) -> f64 {
        self.total_cost
    }
}

/// The mean number of placements of `queens` queens over sets of so many of `rows` rows,
/// by random descents (Knuth's estimate) from a fixed seed.
pub(crate) fn mean_length(board: SmallBoard, rows: u32, queens: u32) -> f64 {
    // On small boards the probes would take longer than what they predict: with 400 of
    // them n = 12 took 1.05 ms, with 25 it takes 0.44 (AMD EPYC, Zen 4, 2026-11-15).
    let probes = if rows <= 7 { 25 } else { 400 };
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as u32) % below
    };
    let mut sum = 0.0;
    for _ in 0..probes {
        let mut set = 0u32;
        while set.count_ones() < queens {
            set |= 1 << random(rows);
        }
        let (mut weight, mut cols, mut lines) = (1.0, 0u32, 0u64);
        for i in elements(set) {
            let free = board.free(i, cols, lines);
            let choices = free.count_ones();
            weight *= choices as f64;
            if choices == 0 {
                break;
            }
            let j = elements(free).nth(random(choices) as usize).unwrap_or(0);
            cols |= 1 << j;
            lines |= board.lines(i, j);
        }
        sum += weight;
    }
    sum / f64::from(probes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbering is a contract between machines, whatever their words are long; another
    /// one goes with another [`ALGORITHM`](super::super::ALGORITHM).
    #[test]
    fn boards_have_the_units_they_always_had() {
        let lengths = (8..=22).map(|n| Units::new(n).len());
        let expected = [3, 5, 3, 6, 4, 9, 7, 12, 17, 43, 69, 209, 431, 1516, 1485];
        assert_eq!(lengths.collect::<Vec<_>>(), expected);
    }

    /// What the numbers mean is as much of a contract: a digest of the row sets of every unit.
    #[test]
    fn units_have_the_row_sets_they_always_had() {
        // FNV-1a, 64 bits.
        let digest = |n: u32| {
            let units = Units::new(n);
            let classes: Vec<Class> = units
                .split
                .classes()
                .map(|c| Class::new(units.split, c))
                .collect();
            let mut hash = 0xcbf2_9ce4_8422_2325u64;
            let mut add = |number: u64| {
                for byte in number.to_le_bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
                }
            };
            for number in 0..units.len() {
                let unit = units.get(number).unwrap();
                let class = &classes[unit.c as usize];
                add(number);
                add(u64::from(unit.c));
                for rows in &class.even_rows[unit.even.clone()] {
                    add(u64::from(rows.set));
                    for ro in unit.odd.clone() {
                        let visits = class.visits(rows, ro);
                        add(u64::from(class.odd_rows[ro]));
                        add(class.row_weight(rows, ro as u32));
                        add(u64::from(visits.ce_limit));
                        add(u64::from(visits.co_limit));
                        add(u64::from(visits.last_co));
                    }
                }
            }
            hash
        };
        for (n, expected) in [
            (1, 0x9e67_b411_eb76_fdc5),
            (8, 0x5eeb_490e_ebc6_0207),
            (9, 0x258e_890b_21ea_7a27),
            (14, 0xd117_4011_a370_a230),
            (15, 0x48a3_40f2_f028_aedd),
            (16, 0x52a8_9159_069c_ff6b),
            (17, 0x7e48_b2d0_0f3c_d493),
            (20, 0x27e2_ab0e_791a_f879),
        ] {
            assert_eq!(digest(n), expected, "n={n}");
        }
    }
}
