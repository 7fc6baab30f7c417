//! A unit counted again, by a plain backtracker that shares no code with the engine.
//!
//! The solutions whose white queens stand in exactly the rows of a row set are found by the
//! search of the `bitmask` engine with fewer squares: white squares only in those rows, black
//! squares only in the others. Here the row set {0, 3} of n = 4; `x` may be taken:
//!
//! ```text
//!   x . x .     row 0, white squares
//!   x . x .     row 1, black squares
//!   . x . x     row 2, black squares
//!   . x . x     row 3, white squares
//! ```
//!
//! Every solution found is weighed as the unit's meaning asks, by its own white columns. What
//! is shared with the engine is that meaning (which row sets a unit has, and the weights of
//! `symmetry`) and nothing else: no lists, no histograms, no vectors. So a unit can be checked
//! alone, at any `n`, by whoever has the time: a row set of n = 20 takes about a tenth of a
//! second, one of n = 24 minutes.

use super::symmetry::{Class, EvenRows, Visits};
use super::units::units;

/// The count of a unit from a plain backtracker, or `None` where there is no such unit.
///
/// ```
/// use queens::count::two_colour::{count_unit, recount_unit};
///
/// assert_eq!(recount_unit(10, 1), count_unit(10, 1));
/// ```
pub fn recount_unit(n: usize, unit: u64) -> Option<u64> {
    let units = units(n)?;
    let unit = units.get(unit)?;
    let class = Class::new(units.split(), unit.black_queens);
    let mut total = 0u64;
    for even in &class.even_rows[unit.even] {
        for odd_place in unit.odd.clone() {
            let weight = class.row_weight(even, odd_place);
            if weight > 0 {
                let count = Backtracker::new(&class, even, odd_place).search(0, 0, 0, 0, 0);
                total = total.checked_add(weight.checked_mul(count)?)?;
            }
        }
    }
    Some(total)
}

/// The search of one row set.
struct Backtracker<'a> {
    class: &'a Class,
    visits: Visits,
    /// For each row, the columns its queen may take, and whether they are white squares.
    rows: Vec<(u64, bool)>,
}

impl<'a> Backtracker<'a> {
    fn new(class: &'a Class, even: &EvenRows, odd_place: usize) -> Backtracker<'a> {
        let n = class.split.n;
        let sets = [even.set, class.odd_rows[odd_place].set];
        let rows = (0..n)
            .map(|row| {
                let white = sets[row as usize % 2].contains(row / 2);
                let parity = (row + u32::from(!white)) % 2;
                let cols = (0..n).filter(|col| col % 2 == parity);
                (cols.fold(0, |cols, col| cols | 1 << col), white)
            })
            .collect();
        Backtracker {
            class,
            visits: class.visits(even, odd_place),
            rows,
        }
    }

    /// The weights of all solutions that begin with the queens of the rows above.
    fn search(&self, row: usize, left: u64, down: u64, right: u64, white: u64) -> u64 {
        let Some(&(allowed, is_white)) = self.rows.get(row) else {
            return self.weight(white);
        };
        let mut free = allowed & !(left | down | right);
        let mut total = 0;
        while free != 0 {
            let bit = free & free.wrapping_neg();
            free ^= bit;
            let white = if is_white { white | bit } else { white };
            total += self.search(
                row + 1,
                (left | bit) << 1,
                down | bit,
                (right | bit) >> 1,
                white,
            );
        }
        total
    }

    /// How many column sets a solution with these white columns stands for.
    fn weight(&self, white: u64) -> u64 {
        let every_other = |first: u32| {
            (first..self.class.split.n)
                .step_by(2)
                .filter(|col| white >> col & 1 == 1)
                .fold(0usize, |set, col| set | 1 << (col / 2))
        };
        let even_index = u32::from(self.class.even_indices()[every_other(0)]);
        let odd_index = u32::from(self.class.odd_indices()[every_other(1)]);
        if even_index >= self.visits.even_limit || odd_index >= self.visits.odd_limit {
            return 0;
        }
        let lower = odd_index < self.visits.doubled;
        u64::from(self.class.column_weight(&self.visits, even_index, lower))
    }
}

#[cfg(test)]
mod tests {
    use super::super::counter::Counter;
    use super::super::simd::Simd;
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn agree(n: usize, units: impl Iterator<Item = u64>) {
        let never = AtomicBool::new(false);
        let mut counter = Counter::new(n, Simd::Auto).unwrap();
        for unit in units {
            assert_eq!(
                counter.count(unit, &never),
                recount_unit(n, unit),
                "n={n} unit={unit}"
            );
        }
    }

    #[test]
    fn every_unit_of_small_boards_agrees_with_a_plain_backtracker() {
        for n in 1..=13 {
            agree(n, 0..units(n).unwrap().len());
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
