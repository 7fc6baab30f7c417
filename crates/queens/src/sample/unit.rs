//! The row sets of a unit of the two-colour engine, and what their solutions weigh.
//!
//! The engine visits one row set of several that symmetries carry into each other, and only
//! some of the column sets, with weights; [`crate::count::two_colour`] explains it. The weights
//! of the members of a class add up to the size of the class. So a solution that is drawn in
//! proportion to its weight, and then replaced by one of its eight images at random, is uniform
//! among all solutions.

use std::rc::Rc;

use crate::count::two_colour::{Class, Units, Visits};

/// One row set: which rows hold white queens.
pub(super) struct RowSet {
    /// The rows of white queens, as bits.
    pub white: u32,
    /// How many row sets it stands for.
    pub weight: u64,
    class: Rc<Class>,
    visits: Visits,
}

/// The row sets of a unit that are visited.
pub(super) fn row_sets(units: &Units, unit: u64) -> Vec<RowSet> {
    let Some(unit) = units.get(unit) else {
        return Vec::new();
    };
    let class = Rc::new(Class::new(units.split(), unit.black_queens));
    let mut row_sets = Vec::new();
    for even in &class.even_rows[unit.even] {
        for odd in unit.odd.clone() {
            let weight = class.row_weight(even, odd);
            if weight > 0 {
                row_sets.push(RowSet {
                    white: spread(even.set.0) | spread(class.odd_rows[odd].set.0) << 1,
                    weight,
                    class: Rc::clone(&class),
                    visits: class.visits(even, odd),
                });
            }
        }
    }
    row_sets
}

impl RowSet {
    /// How many column sets the white columns `cols` stand for; 0 if they are not visited.
    pub fn col_weight(&self, cols: u32) -> u64 {
        let (class, visits) = (&self.class, &self.visits);
        let even = u32::from(class.even_indices()[gather(cols) as usize]);
        let odd = u32::from(class.odd_indices()[gather(cols >> 1) as usize]);
        if even >= visits.even_limit || odd >= visits.odd_limit {
            return 0;
        }
        u64::from(class.column_weight(visits, even, odd < visits.doubled))
    }
}

/// Bit `i` becomes bit `2 i`.
fn spread(set: u32) -> u32 {
    (0..16).fold(0, |out, i| out | (set >> i & 1) << (2 * i))
}

/// Bit `2 i` becomes bit `i`, and the others are left out.
fn gather(set: u32) -> u32 {
    // Pairs of bits close up, then pairs of pairs, and so on.
    let pairs = set & 0x5555_5555;
    let fours = (pairs | pairs >> 1) & 0x3333_3333;
    let eights = (fours | fours >> 2) & 0x0f0f_0f0f;
    let sixteens = (eights | eights >> 4) & 0x00ff_00ff;
    (sixteens | sixteens >> 8) & 0xffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_bit_is_gathered_and_spread() {
        for set in [0, 1, 0b1011, 0x8001, 0xffff] {
            assert_eq!(gather(spread(set)), set);
            assert_eq!(gather(spread(set) << 1), 0);
        }
    }
}
