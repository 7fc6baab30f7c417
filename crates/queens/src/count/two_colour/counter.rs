//! The counter: one unit after the other, in the same memory.
//!
//! A unit is some even row sets times some odd ones. Row sets of the parity that the gathering
//! colour walks are *inner*, the others *outer*. First the lists of the inner row sets are made,
//! unless another counter shares them already ([`super::inner_lists`]). Then each outer row set
//! gets its lists and is joined with all inner ones ([`super::join`]).

use super::colour::RowSet;
use super::cost::{Join, Strategy};
use super::inner_lists::{InnerBlock, InnerBlocks, InnerKey, InnerLists, Limits};
use super::join::{Context, Inner, JoinMemory, Outer};
use super::scan_list::ScanList;
use super::simd::{Instructions, Simd};
use super::symmetry::{Class, EvenRows, Visits};
use super::units::{Unit, Units, units};
use super::walk_tree::WalkTree;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The count of one unit, or `None` where there is no such unit. The counts of all units add
/// up to the number of solutions. To count many units, use a [`Counter`].
///
/// ```
/// use queens::count::two_colour::{count_unit, units};
///
/// let last = units(6).unwrap().len() - 1;
/// assert_eq!((0..=last).filter_map(|unit| count_unit(6, unit)).sum::<u64>(), 4);
/// assert_eq!(count_unit(6, last + 1), None);
/// ```
pub fn count_unit(n: usize, unit: u64) -> Option<u64> {
    let mut counter = Counter::new(n, Simd::Auto)?;
    counter.count(unit, &AtomicBool::new(false))
}

/// Counts units, one after the other, in the same memory: one counter per thread.
#[derive(Debug)]
pub struct Counter {
    units: Units,
    instructions: Instructions,
    class: Class,
    strategy: Strategy,
    /// The other classes met so far: a campaign takes units from everywhere.
    classes: HashMap<u32, Class>,
    /// The inner row sets of the unit before, which the next one may have too.
    inner: Arc<InnerBlock>,
    blocks: Arc<InnerBlocks>,
    list: ScanList,
    tree: WalkTree,
    join: JoinMemory,
}

impl Counter {
    /// A counter for this board, or `None` for a board without units or instructions that
    /// this machine lacks.
    pub fn new(n: usize, simd: Simd) -> Option<Counter> {
        Counter::over(units(n)?, simd, Arc::default())
    }

    /// A counter for units that are there already; it shares inner lists with others.
    pub(crate) fn over(units: Units, simd: Simd, blocks: Arc<InnerBlocks>) -> Option<Counter> {
        let first_class = units.class(0);
        Some(Counter {
            instructions: Instructions::new(simd)?,
            class: units.tables(first_class),
            strategy: units.strategy(first_class)?,
            units,
            classes: HashMap::new(),
            inner: Arc::default(),
            blocks,
            list: ScanList::default(),
            tree: WalkTree::default(),
            join: JoinMemory::default(),
        })
    }

    /// The units of the board.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// Gets ready for the units of a class; `None` where it is not visited.
    fn enter(&mut self, black_queens: u32) -> Option<()> {
        if self.class.black_queens != black_queens {
            self.strategy = self.units.strategy(black_queens)?;
            let met = self.classes.remove(&black_queens);
            let class = met.unwrap_or_else(|| self.units.tables(black_queens));
            let left = std::mem::replace(&mut self.class, class);
            self.classes.insert(left.black_queens, left);
        }
        Some(())
    }

    /// The count of a unit: what its row sets contribute to the number of solutions. `None`
    /// where there is no such unit, or soon after `stop` becomes true.
    ///
    /// # Panics
    ///
    /// When a count does not fit 64 bits, which no unit of a board up to 32 comes near.
    pub fn count(&mut self, unit: u64, stop: &AtomicBool) -> Option<u64> {
        let unit = self.units.get(unit)?;
        self.enter(unit.black_queens)?;
        let Counter {
            instructions,
            class,
            strategy,
            blocks,
            ..
        } = self;
        let rows = UnitRows::new(class, strategy, unit);
        self.inner = blocks.get(rows.key(strategy));
        let block = &self.inner;
        let inners = rows.inners();
        let list = &mut self.list;
        block.make(class, strategy, &inners, list, *instructions, stop)?;

        let context = Context {
            class,
            strategy,
            instructions: *instructions,
            stop,
        };
        let mut total = 0u64;
        for outer_place in 0..rows.outer_count() {
            if context.is_stopped() {
                return None;
            }
            let (outer, largest) = (rows.outer(outer_place), rows.largest);
            let store = strategy.store.walk_side(class, outer, largest.even_limit);
            self.tree.build(&store, 0);
            let gather = strategy.gather.scan_side(class, outer, largest.odd_limit);
            self.list.build(&gather);
            if strategy.join == Join::Scan {
                self.list.note_indices();
            }
            let inners = rows.pairs(block, outer_place);
            if inners.is_empty() {
                continue;
            }
            let outer = Outer {
                gather_list: &self.list,
                store_tree: &self.tree,
            };
            let count = self.join.count(&context, outer, &inners)?;
            total = total
                .checked_add(count)
                .expect("the count of one unit fits 64 bits");
        }
        Some(total)
    }
}

/// The row sets of a unit as inner and outer ones.
struct UnitRows<'a> {
    class: &'a Class,
    unit: Unit,
    even_rows: &'a [EvenRows],
    /// Whether the even rows are the inner ones.
    inner_is_even: bool,
    /// The most that any pair of the unit visits: shared lists are as long as the pair that
    /// visits the most needs them.
    largest: Visits,
}

impl<'a> UnitRows<'a> {
    fn new(class: &'a Class, strategy: &Strategy, unit: Unit) -> UnitRows<'a> {
        let even_rows = &class.even_rows[unit.even.clone()];
        UnitRows {
            class,
            even_rows,
            inner_is_even: strategy.gather.walks_even_rows(),
            largest: class.visits_of(even_rows, unit.odd.clone()),
            unit,
        }
    }

    fn key(&self, strategy: &Strategy) -> InnerKey {
        let inner = match self.inner_is_even {
            true => &self.unit.even,
            false => &self.unit.odd,
        };
        InnerKey {
            black_queens: self.unit.black_queens,
            first_even: self.unit.even.start,
            first: inner.start,
            count: inner.len(),
            chunk: strategy.chunk,
            join: strategy.join,
        }
    }

    /// The inner row sets, and for how many column sets their lists are made: enough for all
    /// units that share them.
    fn inners(&self) -> Vec<(RowSet, Limits)> {
        let Unit { odd, .. } = &self.unit;
        if self.inner_is_even {
            let all = 0..self.class.odd_rows.len();
            let limit = self.class.visits_of(self.even_rows, all).odd_limit;
            let limits = |rows: &EvenRows| Limits {
                even: self.class.visits(rows, odd.start).even_limit,
                odd: limit,
            };
            let rows = self.even_rows.iter();
            return rows.map(|rows| (even_set(rows), limits(rows))).collect();
        }
        let limits = Limits {
            even: self.largest.even_limit,
            odd: self.largest.odd_limit,
        };
        let places = odd.clone();
        places.map(|place| (self.odd_set(place), limits)).collect()
    }

    /// How many outer row sets there are.
    fn outer_count(&self) -> usize {
        match self.inner_is_even {
            true => self.unit.odd.len(),
            false => self.unit.even.len(),
        }
    }

    /// An outer row set.
    fn outer(&self, place: usize) -> RowSet {
        match self.inner_is_even {
            true => self.odd_set(self.unit.odd.start + place),
            false => even_set(&self.even_rows[place]),
        }
    }

    fn odd_set(&self, place: usize) -> RowSet {
        RowSet {
            odd: self.class.odd_rows[place].set,
            ..RowSet::default()
        }
    }

    /// The pairs of an outer row set with the inner ones that are visited.
    fn pairs<'b>(&self, block: &'b InnerBlock, outer: usize) -> Vec<Inner<'b>> {
        let pair = |(inner, lists): (usize, &'b _)| {
            let (even, odd) = match self.inner_is_even {
                true => (inner, outer),
                false => (outer, inner),
            };
            let (rows, odd_place) = (&self.even_rows[even], self.unit.odd.start + odd);
            let InnerLists {
                walk_rows,
                even_limit,
                gather_tree,
                store_planes,
            } = lists;
            Inner {
                visits: self.class.visits(rows, odd_place),
                weight: self.class.row_weight(rows, odd_place),
                walk_rows: *walk_rows,
                even_limit: *even_limit,
                gather_tree,
                store_planes,
            }
        };
        let pairs = block.lists().enumerate().map(pair);
        pairs.filter(|pair| pair.weight > 0).collect()
    }
}

/// A set of even rows alone.
fn even_set(rows: &EvenRows) -> RowSet {
    RowSet {
        even: rows.set,
        ..RowSet::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::SLOTS;
    use super::*;

    /// Even and odd boards, black and white gathering, all `odd_cols` at once and in chunks.
    #[test]
    fn filtering_and_scanning_give_the_same_counts() {
        let never = AtomicBool::new(false);
        let mut solutions = 0;
        for n in [15, 16, 18, 19, 20, 21] {
            let mut counter = Counter::new(n, Simd::Auto).unwrap();
            let mut last_class = None;
            for unit in 0..counter.units().len() {
                let class = counter.units().class(unit);
                if last_class == Some(class) {
                    continue;
                }
                last_class = Some(class);
                counter.enter(class).unwrap();
                if counter.strategy.join == Join::Scan {
                    continue;
                }
                let filtered = counter.count(unit, &never);
                counter.strategy.chunk = SLOTS;
                let in_chunks = counter.count(unit, &never);
                counter.strategy = counter.strategy.scanning(&counter.class);
                let scanned = counter.count(unit, &never);
                assert_eq!(filtered, scanned, "n={n} unit {unit}");
                assert_eq!(in_chunks, scanned, "n={n} unit {unit} in chunks");
                solutions += scanned.unwrap();
            }
        }
        assert!(solutions > 0);
    }
}
