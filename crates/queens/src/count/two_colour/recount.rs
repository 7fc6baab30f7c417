//! A unit counted again, by plain searches that share nothing with the engine but its meaning.
//!
//! Take the solutions whose white queens stand in exactly the rows of a row set. They have white
//! queens on white squares of those rows, and black queens on black squares of the others. Here
//! is the row set {0, 3} of n = 4; `x` may hold a queen:
//!
//! ```text
//!   x . x .     row 0, white squares
//!   x . x .     row 1, black squares
//!   . x . x     row 2, black squares
//!   . x . x     row 3, white squares
//! ```
//!
//! Every solution counts with the weight that the unit's meaning gives to its white columns.
//! There are two ways to find solutions ([`RecountMethod`]). *Backtracking* puts the white queens
//! on the board and then the black ones, and so visits every solution. `two-colour-plain` makes a
//! histogram of the white placements by their columns, and then looks up what every black
//! placement finds there. So it visits every placement of either colour once.
//!
//! The searches share with the engine the meaning of a unit (which row sets it has, and the
//! weights of `symmetry`) and nothing else: no lists, no packed words, no vectors. So anybody
//! who has the time can check a unit alone. Rows are searched from the middle outwards, and
//! white queens in even rows come first, since these crowd each other out. On one core a unit of
//! n = 28 with up to four black queens to a board takes minutes by backtracking, and any unit
//! takes less than half an hour by `two-colour-plain`.

use super::symmetry::{Class, EvenRows, Visits};
use super::units::{Units, units};
use crate::named::named;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a unit is counted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecountMethod {
    /// Every solution is visited.
    Backtracking,
    /// Every placement of either colour is visited, but no pair of a white and a black one, as in
    /// the engine [`two-colour-plain`](crate::count::two_colour_plain).
    TwoColourPlain,
}

impl RecountMethod {
    /// All methods.
    pub const ALL: [RecountMethod; 2] =
        [RecountMethod::Backtracking, RecountMethod::TwoColourPlain];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            RecountMethod::Backtracking => "backtracking",
            RecountMethod::TwoColourPlain => "two-colour-plain",
        }
    }
}

named! {
    RecountMethod, "method",
    /// No method has this name.
    UnknownRecountMethod
}

/// The count of a unit by backtracking, or `None` where there is no such unit. To count many
/// units, or by the other method, use a [`Recounter`].
///
/// ```
/// use queens::count::two_colour::{count_unit, recount_unit};
///
/// assert_eq!(recount_unit(10, 1), count_unit(10, 1));
/// ```
pub fn recount_unit(n: usize, unit: u64) -> Option<u64> {
    let mut recounter = Recounter::new(n, RecountMethod::Backtracking)?;
    recounter.count(unit, &AtomicBool::new(false))
}

/// Counts units like a [`Counter`](super::Counter), but by code that is not the engine's.
///
/// ```
/// use queens::count::two_colour::{RecountMethod, Recounter, count_unit};
/// use std::sync::atomic::AtomicBool;
///
/// let mut recounter = Recounter::new(10, RecountMethod::TwoColourPlain).unwrap();
/// let stop = AtomicBool::new(false);
/// assert_eq!(recounter.count(1, &stop), count_unit(10, 1));
/// ```
#[derive(Debug)]
pub struct Recounter {
    units: Units,
    method: RecountMethod,
    class: Class,
    /// How many white placements have each column set that is visited.
    histogram: Vec<u64>,
}

impl Recounter {
    /// A recounter for this board, or `None` for a board without units.
    pub fn new(n: usize, method: RecountMethod) -> Option<Recounter> {
        let units = units(n)?;
        Some(Recounter {
            method,
            class: units.tables(units.class(0)),
            units,
            histogram: Vec::new(),
        })
    }

    /// The count of a unit: what its row sets contribute to the number of solutions. `None`
    /// where there is no such unit, or soon after `stop` becomes true.
    ///
    /// # Panics
    ///
    /// When a count does not fit 64 bits, which no unit of a board up to 32 comes near.
    pub fn count(&mut self, unit: u64, stop: &AtomicBool) -> Option<u64> {
        let unit = self.units.get(unit)?;
        if self.class.black_queens != unit.black_queens {
            self.class = self.units.tables(unit.black_queens);
        }
        let class = &self.class;
        let mut total = 0u64;
        for even in &class.even_rows[unit.even] {
            for odd_place in unit.odd.clone() {
                let weight = class.row_weight(even, odd_place);
                if weight == 0 {
                    continue;
                }
                let search = RowSetSearch::new(class, even, odd_place, stop);
                let count = match self.method {
                    RecountMethod::Backtracking => search.solutions(),
                    RecountMethod::TwoColourPlain => search.products(&mut self.histogram),
                };
                if search.was_stopped.get() {
                    return None;
                }
                let sum = weight.checked_mul(count);
                let sum = sum.and_then(|more| total.checked_add(more));
                total = sum.expect("a count fits 64 bits");
            }
        }
        Some(total)
    }
}

/// The rows of one parity that hold queens of one colour. Their squares lie in every second
/// column, and the number of a column is its place among these.
struct Rows {
    /// All columns in which they have squares.
    squares: u32,
    shifts: Vec<Shifts>,
}

/// How far the numbers of diagonals are above those of columns in a row. The diagonals of one
/// colour have the numbers (31 - row + column) / 2, and those that rise to the right the numbers
/// (row + column) / 2, rounded down: from 0 to 31.
struct Shifts {
    diag: u32,
    anti: u32,
}

impl Rows {
    fn new(n: u32, parity: u32, col_parity: u32, holds: impl Fn(&u32) -> bool) -> Rows {
        let mut rows: Vec<u32> = (parity..n).step_by(2).filter(holds).collect();
        rows.sort_by_key(|row| (2 * row + 1).abs_diff(n));
        let shifts = |row| Shifts {
            diag: (31 - row + col_parity) / 2,
            anti: (row + col_parity) / 2,
        };
        Rows {
            squares: (1 << (col_parity..n).step_by(2).len()) - 1,
            shifts: rows.into_iter().map(shifts).collect(),
        }
    }

    /// Calls `found` for all ways to put one queen into each of these rows, where other queens
    /// attack already.
    fn each_placement(&self, attacked: Attacked, found: &mut impl FnMut(Attacked)) {
        place(self.squares, &self.shifts, attacked, found);
    }
}

/// What queens attack: columns of one parity, and diagonals of one colour.
#[derive(Clone, Copy, Default)]
struct Attacked {
    cols: u32,
    diag: u32,
    anti: u32,
}

impl Attacked {
    /// The same diagonals, and the columns of the other parity.
    fn with_cols(self, cols: u32) -> Attacked {
        Attacked { cols, ..self }
    }
}

fn place(squares: u32, rows: &[Shifts], attacked: Attacked, found: &mut impl FnMut(Attacked)) {
    let Some((row, rest)) = rows.split_first() else {
        return found(attacked);
    };
    let diagonals = attacked.diag >> row.diag | attacked.anti >> row.anti;
    let mut free = squares & !(attacked.cols | diagonals);
    while free != 0 {
        let square = free & free.wrapping_neg();
        free ^= square;
        let with_queen = Attacked {
            cols: attacked.cols | square,
            diag: attacked.diag | square << row.diag,
            anti: attacked.anti | square << row.anti,
        };
        match rest.is_empty() {
            // Saves a call for most queens.
            true => found(with_queen),
            false => place(squares, rest, with_queen, found),
        }
    }
}

/// The search of one row set.
struct RowSetSearch<'a> {
    class: &'a Class,
    visits: Visits,
    /// The even rows and the odd ones that hold a white queen, in columns of the same parity.
    white: [Rows; 2],
    /// The even rows and the odd ones that hold a black queen, in columns of the other parity.
    black: [Rows; 2],
    stop: &'a AtomicBool,
    /// Whether `stop` was seen to be true, so that something was left out.
    was_stopped: Cell<bool>,
}

impl<'a> RowSetSearch<'a> {
    fn new(
        class: &'a Class,
        even: &EvenRows,
        odd_place: usize,
        stop: &'a AtomicBool,
    ) -> RowSetSearch<'a> {
        let n = class.split.n;
        let sets = [even.set, class.odd_rows[odd_place].set];
        let is_white = |row: u32| sets[row as usize % 2].contains(row / 2);
        let white = |parity| Rows::new(n, parity, parity, |&row| is_white(row));
        let black = |parity| Rows::new(n, parity, 1 - parity, |&row| !is_white(row));
        RowSetSearch {
            class,
            visits: class.visits(even, odd_place),
            white: [white(0), white(1)],
            black: [black(0), black(1)],
            stop,
            was_stopped: Cell::new(false),
        }
    }

    /// The index of the even columns that hold white queens, if it is visited; `None` when the
    /// search is stopped.
    fn even_index(&self, white_cols: u32) -> Option<usize> {
        let index = self.class.even_indices()[white_cols as usize];
        let is_visited = u32::from(index) < self.visits.even_limit && !self.is_stopped();
        is_visited.then_some(usize::from(index))
    }

    /// The index of the odd columns that hold white queens, if it is visited.
    fn odd_index(&self, white_cols: u32) -> Option<usize> {
        let index = self.class.odd_indices()[white_cols as usize];
        (u32::from(index) < self.visits.odd_limit).then_some(usize::from(index))
    }

    /// How many column sets one with this even index stands for: with an odd index that is not
    /// doubled, and with one that is.
    fn weights(&self, even_index: usize) -> [u64; 2] {
        [false, true].map(|lower| {
            let index = even_index as u32;
            u64::from(self.class.column_weight(&self.visits, index, lower))
        })
    }

    fn is_doubled(&self, odd_index: usize) -> usize {
        usize::from((odd_index as u32) < self.visits.doubled)
    }

    fn is_stopped(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            self.was_stopped.set(true);
        }
        self.was_stopped.get()
    }

    /// The sum of the weights of all solutions, one by one; any number when stopped.
    fn solutions(&self) -> u64 {
        let [white_even, white_odd] = &self.white;
        let [black_even, black_odd] = &self.black;
        let mut total = 0;
        white_even.each_placement(Attacked::default(), &mut |even| {
            let Some(even_index) = self.even_index(even.cols) else {
                return;
            };
            let weights = self.weights(even_index);
            white_odd.each_placement(even.with_cols(0), &mut |odd| {
                let Some(odd_index) = self.odd_index(odd.cols) else {
                    return;
                };
                if self.is_stopped() {
                    return;
                }
                let weight = weights[self.is_doubled(odd_index)];
                // No black square lies on a diagonal of the white queens.
                let odd_cols = Attacked::default().with_cols(odd.cols);
                black_even.each_placement(odd_cols, &mut |black| {
                    let even_cols = black.with_cols(even.cols);
                    black_odd.each_placement(even_cols, &mut |_| total += weight);
                });
            });
        });
        total
    }

    /// The sum of the weights of all solutions as a sum of products; any number when stopped.
    fn products(&self, histogram: &mut Vec<u64>) -> u64 {
        let odd_limit = self.visits.odd_limit as usize;
        let [white_even, white_odd] = &self.white;
        let [black_even, black_odd] = &self.black;
        histogram.clear();
        histogram.resize(self.visits.even_limit as usize * odd_limit, 0);
        white_even.each_placement(Attacked::default(), &mut |even| {
            let Some(even_index) = self.even_index(even.cols) else {
                return;
            };
            let cells = &mut histogram[even_index * odd_limit..][..odd_limit];
            white_odd.each_placement(even.with_cols(0), &mut |odd| {
                if let Some(odd_index) = self.odd_index(odd.cols) {
                    cells[odd_index] += 1;
                }
            });
        });
        let mut total = 0;
        // Black queens in odd rows take even columns; white ones have the others.
        black_odd.each_placement(Attacked::default(), &mut |even| {
            let Some(even_index) = self.even_index(black_odd.squares & !even.cols) else {
                return;
            };
            let weights = self.weights(even_index);
            let cells = &histogram[even_index * odd_limit..][..odd_limit];
            black_even.each_placement(even.with_cols(0), &mut |odd| {
                if let Some(odd_index) = self.odd_index(black_even.squares & !odd.cols) {
                    total += weights[self.is_doubled(odd_index)] * cells[odd_index];
                }
            });
        });
        total
    }
}

#[cfg(test)]
mod tests {
    use super::super::counter::Counter;
    use super::super::simd::Simd;
    use super::*;

    fn agree(n: usize, method: RecountMethod, units: impl Iterator<Item = u64>) {
        let never = AtomicBool::new(false);
        let mut counter = Counter::new(n, Simd::Auto).unwrap();
        let mut recounter = Recounter::new(n, method).unwrap();
        for unit in units {
            assert_eq!(
                counter.count(unit, &never),
                recounter.count(unit, &never),
                "n={n} unit={unit} {method:?}"
            );
        }
    }

    #[test]
    fn every_unit_of_small_boards_agrees_by_every_method() {
        for method in RecountMethod::ALL {
            for n in 1..=13 {
                agree(n, method, 0..units(n).unwrap().len());
            }
        }
    }

    #[test]
    fn sampled_units_of_larger_boards_agree_by_backtracking() {
        for (n, units) in [
            (16, &[3, 17][..]),
            (17, &[5]),
            (20, &[0, 2]),
            (22, &[0]),
            (24, &[0]),
        ] {
            agree(n, RecountMethod::Backtracking, units.iter().copied());
        }
    }

    #[test]
    fn sampled_units_of_larger_boards_agree_by_a_plain_histogram() {
        for (n, units) in [(16, &[3, 16][..]), (17, &[5, 42]), (18, &[68]), (20, &[9])] {
            agree(n, RecountMethod::TwoColourPlain, units.iter().copied());
        }
    }

    #[test]
    fn a_recount_stops_when_it_is_told_to() {
        let stop = AtomicBool::new(true);
        for method in RecountMethod::ALL {
            let mut recounter = Recounter::new(28, method).unwrap();
            let last = recounter.units.len() - 1;
            assert_eq!(recounter.count(last, &stop), None);
        }
    }

    /// What was left out while the flag was up stays left out when it goes down.
    #[test]
    fn a_search_that_was_stopped_stays_stopped() {
        let stop = AtomicBool::new(false);
        let units = units(12).unwrap();
        let class = units.tables(units.class(0));
        let search = RowSetSearch::new(&class, &class.even_rows[0], 0, &stop);
        assert!(!search.is_stopped() && !search.was_stopped.get());
        stop.store(true, Ordering::Relaxed);
        assert_eq!(search.solutions(), 0);
        stop.store(false, Ordering::Relaxed);
        assert!(search.is_stopped() && search.was_stopped.get());
        assert_eq!(search.solutions(), 0);
    }
}
