//! A unit counted again, by a plain backtracker that shares no code with the engine.
//!
//! The solutions whose black queens stand exactly in the rows (RE, RO) are found by the
//! search of the `bitmask` engine with fewer squares: black squares only in those rows,
//! white squares only in the others. Every solution found is weighed as the unit's meaning
//! asks, by its own black columns. What is shared is that meaning (which row sets a unit
//! has, and the weights of [`super::class`]) and nothing else: no lists, no histograms, no
//! vectors. So a unit can be checked alone, at any `n`, by whoever has the time: a row set
//! of n = 20 takes about a tenth of a second, one of n = 24 minutes.

use super::class::{Class, EvenRows, Visits};
use super::split::Split;
use super::units::Units;

/// The count of a unit from a plain backtracker, or `None` where there is no such unit.
///
/// ```
/// use queens::count::two_colour::{check_unit, count_unit};
///
/// assert_eq!(check_unit(10, 1), count_unit(10, 1));
/// ```
pub fn check_unit(n: u32, unit: u64) -> Option<u64> {
    let units = super::units(n)?;
    check(&units, unit)
}

fn check(units: &Units, unit: u64) -> Option<u64> {
    let rows = units.get(unit)?;
    let class = Class::new(Split::new(units.n()), rows.c);
    let mut total = 0u64;
    for even in &class.even_rows[rows.even] {
        for ro in rows.odd.clone() {
            let weight = class.row_weight(even, ro as u32);
            if weight > 0 {
                let count = RowSet::new(&class, even, ro).search(0, 0, 0, 0, 0);
                total = total.checked_add(weight.checked_mul(count)?)?;
            }
        }
    }
    Some(total)
}

/// One row set of one class.
struct RowSet<'a> {
    class: &'a Class,
    visits: Visits,
    /// For each row, the columns its queen may take, and whether they are black squares.
    rows: Vec<(u64, bool)>,
}

impl<'a> RowSet<'a> {
    fn new(class: &'a Class, even: &EvenRows, ro: usize) -> RowSet<'a> {
        let (n, odd) = (class.split.n, class.odd_rows[ro]);
        let rows = (0..n)
            .map(|row| {
                let set = if row % 2 == 0 { even.set } else { odd };
                let black = set >> (row / 2) & 1 == 1;
                let parity = (row + u32::from(!black)) % 2;
                let cols = (0..n).filter(|col| col % 2 == parity);
                (cols.fold(0, |cols, col| cols | 1 << col), black)
            })
            .collect();
        RowSet {
            class,
            visits: class.visits(even, ro),
            rows,
        }
    }

    /// The weights of all solutions that begin with the queens of the rows above.
    fn search(&self, row: usize, left: u64, down: u64, right: u64, black: u64) -> u64 {
        let Some(&(allowed, is_black)) = self.rows.get(row) else {
            return self.weight(black);
        };
        let mut free = allowed & !(left | down | right);
        let mut total = 0;
        while free != 0 {
            let bit = free & free.wrapping_neg();
            free ^= bit;
            let black = if is_black { black | bit } else { black };
            total += self.search(
                row + 1,
                (left | bit) << 1,
                down | bit,
                (right | bit) >> 1,
                black,
            );
        }
        total
    }

    /// How many column sets a solution with these black columns stands for.
    fn weight(&self, black: u64) -> u64 {
        let every_other = |first: u32| {
            (first..self.class.split.n)
                .step_by(2)
                .filter(|col| black >> col & 1 == 1)
                .fold(0usize, |set, col| set | 1 << (col / 2))
        };
        let ce = u32::from(self.class.ce_numbers()[every_other(0)]);
        let co = u32::from(self.class.co_numbers()[every_other(1)]);
        if ce >= self.visits.ce_limit || co >= self.visits.co_limit {
            0
        } else {
            let below = co < self.visits.last_co;
            u64::from(self.class.column_weight(&self.visits, ce, below))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Counter, Simd};
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn agree(n: u32, units: impl Iterator<Item = u64>) {
        let never = AtomicBool::new(false);
        let mut counter = Counter::new(n, Simd::Auto).unwrap();
        for unit in units {
            assert_eq!(
                counter.count(unit, &never),
                check_unit(n, unit),
                "n={n} unit={unit}"
            );
        }
    }

    #[test]
    fn every_unit_of_small_boards_agrees_with_a_plain_backtracker() {
        for n in 1..=13 {
            agree(n, 0..super::super::units(n).unwrap().len());
        }
    }

    #[test]
    fn sampled_units_of_larger_boards_agree_with_a_plain_backtracker() {
        for (n, units) in [
            (16, &[3, 17][..]),
            (17, &[5]),
            (20, &[0, 2]),
            (22, &[0]),
            (24, &[0]),
        ] {
            agree(n, units.iter().copied());
        }
    }
}
