//! Exactly uniform solutions, through the counts of black and white queens.
//!
//! Black and white queens share no diagonal. Fix the rows and the columns of the white queens;
//! then every way to place the white ones there fits every way to place the black ones in the
//! other rows and columns. So the number of a solution can be turned into the solution without
//! ever listing them all:
//!
//! 1. The two-colour engine counts its units: groups of row sets. A random number below
//!    their sum falls into one of them, in proportion to its count.
//! 2. Inside the unit, row set by row set, black placements are counted by their columns, and
//!    every white placement stands for as many solutions as there are black ones in the other
//!    columns. So the number falls on one row set, on one white placement, and what is left of
//!    it numbers the black placement.
//! 3. The engine uses all eight symmetries and weighs what it visits by how many it stands for.
//!    A random one of the eight images is then uniform among all solutions.
//!
//! Every step is a division of one whole number with remainder: nothing is rounded.
//!
//! The count takes as long as a count does. After it, most of the time of a draw goes into step 2,
//! which goes through the placements of one unit.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::unit::{RowSet, row_sets};
use crate::count::Simd;
use crate::count::two_colour::{Counter, Units, units};
use crate::random::Random;
use crate::solution::Solution;
use crate::threads::{StopOnPanic, share};

/// The largest board that is drawn from: the count takes minutes.
pub const LARGEST_EXACT: usize = 22;

/// Draws solutions of one board, each equally likely.
///
/// ```
/// use queens::random::Random;
/// use queens::sample::Exact;
///
/// let exact = Exact::count(10, 1, |_| true).unwrap();
/// assert_eq!(exact.solutions(), 724);
/// let solution = exact.draw(&mut Random::new(1)).unwrap();
/// assert_eq!(solution.n(), 10);
/// ```
#[derive(Clone, Debug)]
pub struct Exact {
    n: usize,
    units: Option<Units>,
    /// The solutions of each unit and of all before it.
    sums: Vec<u64>,
}

/// The number of a solution: its unit, the rest inside the unit, and the symmetry to apply to it.
#[derive(Clone, Copy, Debug)]
struct Number {
    draw: usize,
    unit: usize,
    rest: u64,
    image: u64,
}

impl Exact {
    /// Counts a board, on up to this many threads. `watch` hears the share of the work done; the
    /// count goes on while it says `true`. `None` if it said `false`, or above [`LARGEST_EXACT`].
    /// If `watch` panics, so does this, and soon.
    pub fn count(n: usize, threads: usize, watch: impl Fn(f64) -> bool + Sync) -> Option<Exact> {
        if n > LARGEST_EXACT {
            return None;
        }
        let Some(units) = units(n) else {
            // The empty board has no units, but one solution.
            return Some(Exact {
                n,
                units: None,
                sums: vec![1],
            });
        };
        let counts: Vec<AtomicU64> = (0..units.len()).map(|_| AtomicU64::new(0)).collect();
        let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let worker = || {
            let _stops = StopOnPanic(&stop);
            let Some(mut counter) = Counter::new(n, Simd::Auto) else {
                return stop.store(true, Ordering::Relaxed);
            };
            loop {
                let unit = next.fetch_add(1, Ordering::Relaxed);
                if unit >= units.len() || stop.load(Ordering::Relaxed) {
                    return;
                }
                match counter.count(unit, &stop) {
                    Some(count) if watch(unit as f64 / units.len() as f64) => {
                        counts[unit as usize].store(count, Ordering::Relaxed);
                    }
                    _ => stop.store(true, Ordering::Relaxed),
                }
            }
        };
        share(threads, counts.len(), worker);
        if stop.into_inner() {
            return None;
        }
        let mut sum = 0;
        let sums = counts.into_iter().map(|count| {
            sum += count.into_inner();
            sum
        });
        Some(Exact {
            n,
            sums: sums.collect(),
            units: Some(units),
        })
    }

    /// The number of solutions.
    pub fn solutions(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }

    /// Draws one solution; `None` if there is none.
    pub fn draw(&self, random: &mut Random) -> Option<Solution> {
        self.draws(1, random, |_| true)?.pop()
    }

    /// Draws several: quicker than one by one, since those of a unit are found together. `watch`
    /// hears the share of the work done; the draws go on while it says `true`. `None` if it said
    /// `false`, or if there is no solution.
    pub fn draws(
        &self,
        draws: usize,
        random: &mut Random,
        watch: impl Fn(f64) -> bool,
    ) -> Option<Vec<Solution>> {
        let solutions = self.solutions();
        if solutions == 0 {
            return None;
        }
        let mut numbers: Vec<Number> = (0..draws)
            .map(|draw| self.number(draw, below(solutions, random), random.below(8)))
            .collect();
        numbers.sort_unstable_by_key(|number| (number.unit, number.rest));
        // The empty board is its own solution, and nothing is left to find.
        let mut found = vec![Solution::found(Box::default()); draws];
        let mut done = 0;
        for group in numbers.chunk_by(|a, b| a.unit == b.unit) {
            if !watch(done as f64 / draws as f64) {
                return None;
            }
            self.find(group, &mut found);
            done += group.len();
        }
        Some(found)
    }

    fn number(&self, draw: usize, number: u64, image: u64) -> Number {
        let unit = self.sums.partition_point(|&sum| sum <= number);
        let before = if unit == 0 { 0 } else { self.sums[unit - 1] };
        Number {
            draw,
            unit,
            rest: number - before,
            image,
        }
    }

    /// Finds the solutions of `numbers`, which are all of one unit and rise.
    fn find(&self, numbers: &[Number], found: &mut [Solution]) {
        let (Some(units), Some(first)) = (&self.units, numbers.first()) else {
            return;
        };
        let mut halves = Halves::new(self.n);
        let mut left = numbers;
        let mut passed = 0;
        for rows in row_sets(units, first.unit as u64) {
            if left.is_empty() {
                break;
            }
            halves.count_black(&rows);
            let solutions = rows.weight * halves.solutions(&rows);
            while let Some((number, others)) = left.split_first()
                && number.rest < passed + solutions
            {
                let rest = (number.rest - passed) / rows.weight;
                let cols = halves.solution(&rows, rest);
                found[number.draw] = image(&cols, number.image);
                left = others;
            }
            passed += solutions;
        }
    }
}

/// A number below `limit`, each exactly equally likely.
fn below(limit: u64, random: &mut Random) -> u64 {
    // The words that would make small numbers likelier are thrown away.
    let whole = u64::MAX - u64::MAX % limit;
    loop {
        let bits = random.bits();
        if bits < whole {
            return bits % limit;
        }
    }
}

/// One of the eight images: bit 0 swaps rows and columns, bit 1 turns the order of the rows
/// round, bit 2 that of the columns.
fn image(cols: &[u8], symmetry: u64) -> Solution {
    let n = cols.len();
    let mut out = vec![0; n];
    for (row, &col) in cols.iter().enumerate() {
        let (mut row, mut col) = (row, usize::from(col));
        if symmetry & 1 == 1 {
            (row, col) = (col, row);
        }
        if symmetry & 2 == 2 {
            row = n - 1 - row;
        }
        if symmetry & 4 == 4 {
            col = n - 1 - col;
        }
        out[row] = col;
    }
    Solution::found(out.into())
}

/// White and black placements of the row set at hand.
struct Halves {
    n: u32,
    /// How many black placements there are with each set of columns.
    black: Vec<u32>,
    /// The sets of columns that have any.
    used: Vec<u32>,
}

impl Halves {
    fn new(n: usize) -> Halves {
        Halves {
            n: n as u32,
            black: vec![0; 1 << n],
            used: Vec::new(),
        }
    }

    fn all(&self) -> u32 {
        ((1u64 << self.n) - 1) as u32
    }

    fn count_black(&mut self, rows: &RowSet) {
        for cols in self.used.drain(..) {
            self.black[cols as usize] = 0;
        }
        let search = Search::new(self.n, self.all() & !rows.white, 1);
        let (black, used) = (&mut self.black, &mut self.used);
        search.each(|cols| {
            let count = &mut black[cols as usize];
            if *count == 0 {
                used.push(cols);
            }
            *count += 1;
        });
    }

    /// How many solutions each white placement with these columns stands for.
    fn weight(&self, rows: &RowSet, cols: u32) -> u64 {
        match self.black[(self.all() ^ cols) as usize] {
            0 => 0,
            black => u64::from(black) * rows.col_weight(cols),
        }
    }

    /// The solutions of the row set, weighed by columns.
    fn solutions(&self, rows: &RowSet) -> u64 {
        let mut sum = 0;
        Search::new(self.n, rows.white, 0).each(|cols| sum += self.weight(rows, cols));
        sum
    }

    /// The solution of this number among them.
    fn solution(&self, rows: &RowSet, number: u64) -> Vec<u8> {
        let mut rest = number;
        let white = Search::new(self.n, rows.white, 0).find(|cols| {
            let weight = self.weight(rows, cols);
            let here = rest < weight;
            if !here {
                rest -= weight;
            }
            here
        });
        let (cols, mut queens) = white.expect("the number is below the sum of the weights");
        let mut number = rest / rows.col_weight(cols);
        let black = Search::new(self.n, self.all() & !rows.white, 1).find(|black| {
            let fits = black == self.all() ^ cols;
            let here = fits && number == 0;
            number -= u64::from(fits && !here);
            here
        });
        let (_, others) = black.expect("the number is below the count of black placements");
        for (queen, other) in queens.iter_mut().zip(others) {
            *queen = (*queen).min(other);
        }
        queens
    }
}

/// The placements of one colour: a queen in each of some rows, no two in one column or on one
/// diagonal.
struct Search {
    n: u32,
    rows: Vec<u32>,
    /// 0 for white squares, 1 for black ones: the parity of row and column.
    colour: u32,
}

/// Marks a row without a queen of this colour.
const NONE: u8 = u8::MAX;

impl Search {
    fn new(n: u32, rows: u32, colour: u32) -> Search {
        let rows = (0..n).filter(|row| rows >> row & 1 == 1).collect();
        Search { n, rows, colour }
    }

    /// Shows the columns of every placement.
    fn each(&self, mut show: impl FnMut(u32)) {
        let mut queens = vec![NONE; self.n as usize];
        self.below(0, (0, 0, 0), &mut queens, &mut |cols| {
            show(cols);
            false
        });
    }

    /// The first placement whose columns `show` accepts: its columns and queens.
    fn find(&self, mut show: impl FnMut(u32) -> bool) -> Option<(u32, Vec<u8>)> {
        let mut queens = vec![NONE; self.n as usize];
        let mut found = 0;
        let any = self.below(0, (0, 0, 0), &mut queens, &mut |cols| {
            found = cols;
            show(cols)
        });
        any.then_some((found, queens))
    }

    /// Goes through the placements that begin with `queens`; ends with `true` at the first accepted
    /// one.
    fn below(
        &self,
        place: usize,
        (cols, diag, anti): (u32, u64, u64),
        queens: &mut [u8],
        show: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        let Some(&row) = self.rows.get(place) else {
            return show(cols);
        };
        let colour = 0x5555_5555 << ((row + self.colour) % 2);
        let attacked = cols | (diag >> (self.n - row)) as u32 | (anti >> row) as u32;
        let mut free = colour & !attacked & ((1u64 << self.n) - 1) as u32;
        while free != 0 {
            let col = free.trailing_zeros();
            free &= free - 1;
            queens[row as usize] = col as u8;
            let taken = (
                cols | 1 << col,
                diag | 1 << (self.n + col - row),
                anti | 1 << (row + col),
            );
            if self.below(place + 1, taken, queens, show) {
                return true;
            }
        }
        queens[row as usize] = NONE;
        false
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::check::check;
    use crate::known;
    use crate::placement::Placement;
    use std::collections::BTreeMap;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_panic_of_the_caller_ends_the_count_on_all_threads() {
        let calls = AtomicU64::new(0);
        let watch = |_: f64| match calls.fetch_add(1, Ordering::Relaxed) {
            0 => panic!("mine"),
            _ => true,
        };
        let counted = catch_unwind(AssertUnwindSafe(|| Exact::count(18, 2, watch)));
        let panic = counted.expect_err("it panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"mine"));
        // The other thread ends with the unit that it is at.
        assert!(calls.into_inner() < units(18).unwrap().len() / 2);
    }

    /// How far the draws are from uniform over all solutions, as the sum of chi-squared. All
    /// draws must be solutions and all solutions must be drawn.
    pub(in super::super) fn chi_squared(n: usize, draws: impl Iterator<Item = Solution>) -> f64 {
        let mut seen = BTreeMap::new();
        let mut total = 0;
        for solution in draws {
            assert!(check(&Placement::from(&solution)).is_solution());
            *seen.entry(solution).or_insert(0u32) += 1;
            total += 1;
        }
        let solutions = known::known(n).unwrap().all as usize;
        assert_eq!(seen.len(), solutions);
        let expected = f64::from(total) / solutions as f64;
        let squares = seen
            .values()
            .map(|&seen| (f64::from(seen) - expected).powi(2));
        squares.sum::<f64>() / expected
    }

    fn exact(n: usize) -> Exact {
        Exact::count(n, 1, |_| true).unwrap()
    }

    #[test]
    fn no_number_of_threads_is_too_large() {
        let exact = Exact::count(8, usize::MAX, |_| true).unwrap();
        assert_eq!(exact.solutions(), 92);
    }

    /// Beyond the limit once in a thousand times, for 91, 351, 723 and 2679 degrees of freedom.
    #[test]
    fn all_solutions_are_equally_likely() {
        for (n, limit) in [(8, 137.0), (9, 438.0), (10, 845.0), (11, 2910.0)] {
            let exact = exact(n);
            let draws = 100 * exact.solutions() as usize;
            let draws = exact
                .draws(draws, &mut Random::new(n as u64), |_| true)
                .unwrap();
            let sum = chi_squared(n, draws.into_iter());
            assert!(sum < limit, "n = {n}: {sum}");
            // Nor is it more even than chance.
            assert!(
                sum > 2.0 * known::known(n).unwrap().all as f64 - limit,
                "n = {n}: {sum}"
            );
        }
    }

    #[test]
    fn counts_are_those_of_the_board() {
        for n in 0..=13 {
            assert_eq!(
                u128::from(exact(n).solutions()),
                known::known(n).unwrap().all
            );
        }
    }

    /// Inside its units, too, the numbering has as many solutions as the engine counts.
    #[test]
    fn row_sets_add_up_to_their_unit() {
        for n in [7, 12, 13] {
            let exact = exact(n);
            let units = exact.units.as_ref().unwrap();
            for unit in 0..units.len() {
                let mut halves = Halves::new(n);
                let sum: u64 = row_sets(units, unit)
                    .iter()
                    .map(|rows| {
                        halves.count_black(rows);
                        rows.weight * halves.solutions(rows)
                    })
                    .sum();
                let before = if unit == 0 {
                    0
                } else {
                    exact.sums[unit as usize - 1]
                };
                assert_eq!(
                    sum,
                    exact.sums[unit as usize] - before,
                    "n = {n} unit = {unit}"
                );
            }
        }
    }

    #[test]
    fn small_boards_have_what_they_have() {
        assert_eq!(
            exact(0).draw(&mut Random::new(1)),
            Some(Solution::new([]).unwrap())
        );
        assert_eq!(
            exact(1).draw(&mut Random::new(1)),
            Some(Solution::new([0]).unwrap())
        );
        assert_eq!(exact(2).draw(&mut Random::new(1)), None);
        assert_eq!(exact(3).draw(&mut Random::new(1)), None);
        assert!(Exact::count(LARGEST_EXACT + 1, 1, |_| true).is_none());
        assert!(Exact::count(8, 1, |_| false).is_none());
    }

    #[test]
    fn the_same_seed_draws_the_same_on_any_threads() {
        let draw = |threads, seed| {
            let exact = Exact::count(12, threads, |_| true).unwrap();
            exact.draws(5, &mut Random::new(seed), |_| true)
        };
        assert_eq!(draw(1, 9), draw(2, 9));
        assert_ne!(draw(1, 9), draw(1, 10));
    }
}
