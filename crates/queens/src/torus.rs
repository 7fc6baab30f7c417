//! Queens on a torus: the board whose edges meet, so that diagonals go on at the other side.
//!
//! On the modular board two queens also attack each other when `row - col` or `row + col` are
//! equal modulo `n`. There are then only `n` diagonals of either kind and each holds exactly
//! one queen, which leaves far fewer solutions: none at all unless `n` has no divisor in common
//! with 6, as Pólya proved.
//!
//! ```text
//! Q . . . .
//! . . Q . .     the ten solutions for n = 5 are this one, its mirror image,
//! . . . . Q     and both with all queens shifted to the right
//! . Q . . .
//! . . . Q .
//! ```
//!
//! The search is that of the bit vectors, with shifts that rotate. Shifting a solution to the
//! right gives another, so only those with the first queen in the first column are searched, and of
//! these only those with the second queen in the left half: each stands for `2 n` solutions.
//!
//! Reference: G. Pólya, Über die „doppelt-periodischen“ Lösungen des n-Damen-Problems, in
//! W. Ahrens, Mathematische Unterhaltungen und Spiele, volume 2, Teubner 1918. The numbers are
//! OEIS A007705 (odd `n`) and A051906 (all `n`).

use std::ops::ControlFlow;

/// The largest board that can be counted: a row is a 32-bit word.
pub const LARGEST_N: usize = 31;

/// The number of solutions on the torus.
///
/// `watch` hears the share of the work done and can end the search, which gives `None`. So
/// does a board above [`LARGEST_N`] that Pólya's theorem does not settle.
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::torus::count;
///
/// assert_eq!(count(5, |_| ControlFlow::Continue(())), Some(10));
/// assert_eq!(count(8, |_| ControlFlow::Continue(())), Some(0));
/// assert_eq!(count(13, |_| ControlFlow::Continue(())), Some(4524));
/// ```
pub fn count(n: usize, watch: impl FnMut(f64) -> ControlFlow<()>) -> Option<u64> {
    match n {
        0 | 1 => Some(1),
        _ if n.is_multiple_of(2) || n.is_multiple_of(3) => Some(0),
        _ => search(n, watch),
    }
}

/// The same without Pólya's theorem.
fn search(n: usize, mut watch: impl FnMut(f64) -> ControlFlow<()>) -> Option<u64> {
    if n > LARGEST_N {
        return None;
    }
    let torus = Torus {
        n: n as u32,
        all: u32::MAX >> (32 - n),
    };
    let first = Taken {
        cols: 1,
        diag: torus.left(1),
        anti: torus.right(1),
    };
    let mut pieces = Vec::new();
    torus.each(first, |bit, taken| {
        // For even n the middle column is its own mirror image.
        let weight = match (2 * bit.trailing_zeros()).cmp(&torus.n) {
            std::cmp::Ordering::Less => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => return,
        };
        if n == 2 {
            pieces.push((weight, taken));
        } else {
            torus.each(taken, |_, taken| pieces.push((weight, taken)));
        }
    });
    let mut count = 0;
    for (done, &(weight, taken)) in pieces.iter().enumerate() {
        let share = done as f64 / pieces.len() as f64;
        let found = torus.count_watched(taken, WATCHED, &mut || watch(share));
        count += weight * found.continue_value()?;
    }
    Some(n as u64 * count)
}

/// How many rows below a piece are searched before `watch` is called, once for every queen there.
const WATCHED: u32 = 4;

struct Torus {
    n: u32,
    all: u32,
}

/// The columns that are taken, and those of the next row that diagonals take.
#[derive(Clone, Copy)]
struct Taken {
    cols: u32,
    diag: u32,
    anti: u32,
}

impl Torus {
    fn left(&self, set: u32) -> u32 {
        (set << 1 | set >> (self.n - 1)) & self.all
    }

    fn right(&self, set: u32) -> u32 {
        (set >> 1 | set << (self.n - 1)) & self.all
    }

    fn each(&self, taken: Taken, mut found: impl FnMut(u32, Taken)) {
        let mut free = self.all & !(taken.cols | taken.diag | taken.anti);
        while free != 0 {
            let bit = free & free.wrapping_neg();
            free ^= bit;
            let taken = Taken {
                cols: taken.cols | bit,
                diag: self.left(taken.diag | bit),
                anti: self.right(taken.anti | bit),
            };
            found(bit, taken);
        }
    }

    /// Counts as [`Torus::count`] does, and calls `watch` for every queen in the last of this many
    /// further rows: the search below one takes only a moment.
    fn count_watched(
        &self,
        taken: Taken,
        rows: u32,
        watch: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<(), u64> {
        if rows == 0 || taken.cols == self.all {
            watch()?;
            return ControlFlow::Continue(self.count(taken));
        }
        let mut next = Vec::new();
        self.each(taken, |_, taken| next.push(taken));
        let mut count = 0;
        for taken in next {
            count += self.count_watched(taken, rows - 1, watch)?;
        }
        ControlFlow::Continue(count)
    }

    fn count(&self, taken: Taken) -> u64 {
        if taken.cols == self.all {
            return 1;
        }
        let mut count = 0;
        self.each(taken, |_, taken| count += self.count(taken));
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::Sequence;
    use crate::list::solutions;
    use crate::solution::Solution;

    fn on(_: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The definition: solutions of the plain board whose diagonals differ modulo n too.
    #[test]
    fn the_torus_has_the_plain_solutions_whose_lines_differ_all_round() {
        for n in 1..=9 {
            let on_the_torus = |solution: &Solution| {
                let lines = |line: fn(usize, usize, usize) -> usize| {
                    let queens = solution.queens();
                    queens.fold(0u32, |set, queen| set | 1 << line(queen.row, queen.col, n))
                };
                let diag = lines(|row, col, n| (row + n - col) % n);
                let anti = lines(|row, col, n| (row + col) % n);
                diag == (1 << n) - 1 && anti == (1 << n) - 1
            };
            let expected = solutions(n).filter(on_the_torus).count() as u64;
            assert_eq!(count(n, on), Some(expected), "n = {n}");
        }
    }

    #[test]
    fn counts_are_the_published_ones() {
        for (n, published) in Sequence::Torus.values().filter(|&(n, _)| n <= 17) {
            assert_eq!(count(n, on).map(u128::from), Some(published), "n = {n}");
        }
    }

    #[test]
    fn the_search_finds_none_where_polya_says_so() {
        for n in (2..=15).filter(|n: &usize| n.is_multiple_of(2) || n.is_multiple_of(3)) {
            assert_eq!(search(n, on), Some(0), "n = {n}");
        }
    }

    #[test]
    fn a_board_too_large_is_not_counted_unless_it_is_settled() {
        assert_eq!(count(35, on), None);
        assert_eq!(count(36, on), Some(0));
        assert_eq!(count(13, |_| ControlFlow::Break(())), None);
    }
}
