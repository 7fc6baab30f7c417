//! Work units: the row sets of all classes, cut into numbered pieces of similar size.
//!
//! A unit is some neighbouring even row sets times some neighbouring odd row sets of one
//! class, so that the lists of a row set are made once for many pairs. The less work a pair is,
//! the more row sets a unit spans. Units are numbered through the classes, from the fewest
//! black queens on:
//!
//! ```text
//!                odd rows  0..64   64..128   128..192       a class of n = 15,
//!   even rows  0..16         0        1         2           16 even row sets and
//!             16..32         3        4         5           64 odd row sets to a unit
//! ```
//!
//! The count of a unit is what its row sets contribute to the number of solutions. This file
//! does only the numbering. The numbering is a contract, because a campaign stores counts by
//! unit number, on several machines. Whoever changes it, or the meaning of a unit's count,
//! must change [`ALGORITHM`] too.

use super::allowed::Allowed;
use super::cost::{Join, Strategy};
use super::split::Split;
use super::symmetry::Class;
use crate::puzzle::Board;
use std::ops::Range;
use std::sync::Arc;

/// Names the meaning of unit numbers and their counts; changes when either does.
pub const ALGORITHM: &str = "two-colour/4";

/// The largest board.
pub const LARGEST_N: usize = 32;

/// The units of a board, or `None` beyond [`LARGEST_N`] and for 0.
pub fn units(n: usize) -> Option<Units> {
    (1..=LARGEST_N).contains(&n).then(|| Units::new(n as u32))
}

/// How many even and how many odd row sets a unit spans.
#[derive(Clone, Copy, Debug)]
struct Span {
    even: u32,
    odd: u32,
}

impl Span {
    /// More inner row sets pay where the gathering colour is filtered, since they share the
    /// steps of their common rows. They also pay on the largest boards, which only GPUs will
    /// count, by unfolding. (Elsewhere their tables crowd the cache: a sixth more time for
    /// n = 26.)
    fn new(n: u32, strategy: &Strategy) -> Span {
        let filter = strategy.join == Join::Filter;
        if !filter && n <= 26 {
            let (even, odd) = match n {
                ..=15 => (16, 64),
                16..=17 => (8, 64),
                18..=19 => (8, 32),
                20..=24 => (8, 16),
                _ => (8, 8),
            };
            return Span { even, odd };
        }
        let (inner, outer) = match n {
            ..=15 => (16, 64),
            16..=17 => (16, 32),
            18..=19 => (16, 16),
            20..=24 => (16, 8),
            25..=26 => (16, 4),
            27..=28 => (16, 2),
            _ => (8, 1),
        };
        let (even, odd) = match strategy.gather.walks_even_rows() {
            true => (inner, outer),
            false => (outer, inner),
        };
        Span { even, odd }
    }

    /// How many inner row sets a unit has.
    fn inners(&self, strategy: &Strategy) -> u32 {
        match strategy.gather.walks_even_rows() {
            true => self.even,
            false => self.odd,
        }
    }
}

/// The units of one class.
#[derive(Clone, Debug)]
struct ClassUnits {
    black_queens: u32,
    strategy: Strategy,
    span: Span,
    /// Number of the first unit of each block of even rows, and at last the number after all.
    starts: Vec<u64>,
    /// The blocks of even rows.
    blocks: Vec<EvenBlock>,
    /// How many `odd_cols` each odd row set visits; empty for even `n`, where that depends on
    /// the even row set.
    odd_limits: Vec<u32>,
    /// Expected cost of one pair whose column sets are all visited.
    pair_cost: f64,
    even_count: f64,
    odd_count: f64,
    /// Roughly the memory of one thread, in bytes.
    thread_bytes: f64,
}

/// A block of even rows, and what its last member visits, which visits the most.
#[derive(Clone, Copy, Debug)]
struct EvenBlock {
    even_limit: u32,
    odd_limit: u32,
    odd_rows_limit: u32,
    /// How many sets of even rows it has.
    rows: u32,
}

impl ClassUnits {
    /// The units of a class, numbered from `first` on.
    fn new(class: &Class, first: u64) -> ClassUnits {
        let strategy = Strategy::new(class);
        let span = Span::new(class.split.n, &strategy);
        let (mut starts, mut blocks) = (vec![first], Vec::new());
        let mut next = first;
        for rows in class.even_rows.chunks(span.even as usize) {
            let last = &rows[rows.len() - 1];
            let visits = class.visits(last, last.odd_rows_limit as usize - 1);
            blocks.push(EvenBlock {
                even_limit: visits.even_limit,
                odd_limit: visits.odd_limit,
                odd_rows_limit: last.odd_rows_limit,
                rows: rows.len() as u32,
            });
            next += u64::from(last.odd_rows_limit.div_ceil(span.odd));
            starts.push(next);
        }
        let visited = |place| class.visits(&class.even_rows[0], place).odd_limit;
        ClassUnits {
            black_queens: class.black_queens,
            strategy,
            span,
            starts,
            blocks,
            odd_limits: match class.split.is_odd() {
                true => (0..class.odd_rows.len()).map(visited).collect(),
                false => Vec::new(),
            },
            pair_cost: strategy.pair_cost(class),
            even_count: f64::from(class.even_count()),
            odd_count: f64::from(class.odd_count()),
            thread_bytes: strategy.thread_bytes(class, span.inners(&strategy)),
        }
    }

    /// The number after the last.
    fn end(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }
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
    /// What the board allows; `None` for the plain board.
    allowed: Option<Arc<Allowed>>,
    classes: Vec<ClassUnits>,
    total_cost: f64,
}

/// One unit: row sets of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The class.
    pub black_queens: u32,
    /// Places in the class's even row sets.
    pub even: Range<usize>,
    /// Places in the class's odd row sets.
    pub odd: Range<usize>,
}

impl Units {
    fn new(n: u32) -> Units {
        let split = Split::new(n);
        let classes = split.classes();
        Units::of(split, None, classes.map(|queens| Class::new(split, queens)))
    }

    /// The units of a board with given queens or blocked squares; there may be none. Their
    /// numbers are for one count only.
    pub(crate) fn on(board: &Board) -> Units {
        let allowed = Arc::new(Allowed::new(board));
        let split = allowed.split();
        let classes = match allowed.keeps_all() {
            true => split.classes(),
            false => 0..=split.odd,
        };
        let classes = classes.map(|queens| Class::on(&allowed, queens));
        let visited = classes.filter(|class| !class.is_empty());
        Units::of(split, Some(allowed.clone()), visited)
    }

    fn of(
        split: Split,
        allowed: Option<Arc<Allowed>>,
        visited: impl Iterator<Item = Class>,
    ) -> Units {
        let mut classes: Vec<ClassUnits> = Vec::new();
        for class in visited {
            let first = classes.last().map_or(0, ClassUnits::end);
            classes.push(ClassUnits::new(&class, first));
        }
        let mut units = Units {
            split,
            allowed,
            classes,
            total_cost: 0.0,
        };
        units.total_cost = (0..units.len()).map(|unit| units.cost(unit)).sum();
        units
    }

    /// The size of the board.
    pub fn n(&self) -> usize {
        self.split.n as usize
    }

    /// The small boards.
    pub(crate) fn split(&self) -> Split {
        self.split
    }

    /// The tables of a class.
    pub(crate) fn tables(&self, black_queens: u32) -> Class {
        match &self.allowed {
            None => Class::new(self.split, black_queens),
            Some(allowed) => Class::on(allowed, black_queens),
        }
    }

    /// How many units there are; they are numbered from 0.
    pub fn len(&self) -> u64 {
        self.classes.last().map_or(0, ClassUnits::end)
    }

    /// Whether there is no unit; every plain board has one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The class of a unit, its block of even rows and its odd rows.
    fn find(&self, unit: u64) -> Option<(&ClassUnits, usize, Range<u32>)> {
        let class = self.classes.iter().find(|class| unit < class.end())?;
        let block = class.starts.partition_point(|&start| start <= unit) - 1;
        let odd = (unit - class.starts[block]) as u32 * class.span.odd;
        let end = (odd + class.span.odd).min(class.blocks[block].odd_rows_limit);
        Some((class, block, odd..end))
    }

    /// The row sets of a unit, or `None` where there is no such unit.
    pub(crate) fn get(&self, unit: u64) -> Option<Unit> {
        let (class, block, odd) = self.find(unit)?;
        let even = block * class.span.even as usize;
        Some(Unit {
            black_queens: class.black_queens,
            even: even..even + class.blocks[block].rows as usize,
            odd: odd.start as usize..odd.end as usize,
        })
    }

    /// The numbers of all units that have the same even row sets as this one: its block, which
    /// a [sweep](super::sweep) counts at once. `None` where there is no such unit.
    pub fn block(&self, unit: u64) -> Option<Range<u64>> {
        let (class, block, _) = self.find(unit)?;
        Some(class.starts[block]..class.starts[block + 1])
    }

    /// How a class is counted, or `None` where it is not visited.
    pub(crate) fn strategy(&self, black_queens: u32) -> Option<Strategy> {
        let mut classes = self.classes.iter();
        let class = classes.find(|class| class.black_queens == black_queens)?;
        Some(class.strategy)
    }

    /// The number of black queens on each black board in this unit; 0 beyond the last unit.
    pub fn class(&self, unit: u64) -> u32 {
        self.find(unit).map_or(0, |(class, ..)| class.black_queens)
    }

    /// The expected cost of a unit, roughly in cycles of a Zen 4 core; 0 beyond the last unit.
    pub fn cost(&self, unit: u64) -> f64 {
        self.find(unit).map_or(0.0, |(class, block, odd)| {
            let block = class.blocks[block];
            let odd_limit = class.odd_limits.get(odd.end as usize - 1);
            let odd_limit = odd_limit.unwrap_or(&block.odd_limit);
            let visited = f64::from(block.even_limit) / class.even_count * f64::from(*odd_limit)
                / class.odd_count;
            (block.rows as usize * odd.len()) as f64 * visited * class.pair_cost
        })
    }

    /// How many threads can count units of this unit's class at once, within a tenth of a
    /// gigabyte up to n = 20, one gigabyte up to n = 26, and ten beyond. What they share takes
    /// about as much memory as a few threads.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbering is a contract between machines, whatever the length of their words; a new
    /// one needs a new [`ALGORITHM`].
    #[test]
    fn boards_have_the_units_they_always_had() {
        let lengths = (8..=22).map(|n| Units::new(n).len());
        let expected = [3, 5, 3, 6, 4, 9, 7, 12, 17, 43, 69, 209, 431, 1516, 1485];
        assert_eq!(lengths.collect::<Vec<_>>(), expected);
    }

    /// What the numbers mean is a contract, too: a digest of the row sets of every unit.
    #[test]
    fn units_have_the_row_sets_they_always_had() {
        // FNV-1a, 64 bits.
        let digest = |n: u32| {
            let units = Units::new(n);
            let classes: Vec<Class> = units
                .split
                .classes()
                .map(|black_queens| Class::new(units.split, black_queens))
                .collect();
            let mut hash = 0xcbf2_9ce4_8422_2325u64;
            let mut add = |number: u64| {
                for byte in number.to_le_bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
                }
            };
            for number in 0..units.len() {
                let unit = units.get(number).unwrap();
                let class = &classes[unit.black_queens as usize];
                add(number);
                add(u64::from(unit.black_queens));
                for rows in &class.even_rows[unit.even.clone()] {
                    add(u64::from(rows.set.0));
                    for odd_place in unit.odd.clone() {
                        let visits = class.visits(rows, odd_place);
                        add(u64::from(class.odd_rows[odd_place].set.0));
                        add(class.row_weight(rows, odd_place));
                        add(u64::from(visits.even_limit));
                        add(u64::from(visits.odd_limit));
                        add(u64::from(visits.doubled));
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
