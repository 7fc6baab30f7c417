//! Solutions as an iterator: a search that can stop after any solution and go on later.
//!
//! A recursive search keeps its place on the program's stack, which cannot be put aside. Here the
//! stack is a value: for each row, which columns and diagonals enter it and which of its free
//! squares are still to be tried. Up to n = 64 these are words, as in [`crate::board::bitmask`];
//! beyond, where nobody will see many solutions, flags of lines that grow with the search. The
//! queens of any solution rebuild the stack in O(n), so an iteration can be taken up again at any
//! solution.

use std::iter::FusedIterator;
use std::ops::ControlFlow;

use crate::solution::Solution;

/// The largest board whose rows are words.
const WORD: usize = u64::BITS as usize;

/// All solutions for a board of size `n`, in lexicographic order.
///
/// ```
/// for solution in queens::solutions(4) {
///     println!("{solution}"); // (2, 4, 1, 3), then (3, 1, 4, 2)
/// }
/// assert_eq!(queens::solutions(8).count(), 92);
/// ```
pub fn solutions(n: usize) -> Solutions {
    let search = if n > WORD {
        Search::Flags(Flags::new(n))
    } else {
        Search::Words(Words::new(n))
    };
    Solutions {
        search,
        held: n == 0,
    }
}

/// The iterator of [`solutions`]; see there.
///
/// It computes a solution when it is asked for one, keeps O(n) memory, and can be cloned,
/// put aside and sent to another thread. To take a listing up again, keep its last solution:
///
/// ```
/// use queens::{Solutions, solutions};
///
/// let last = solutions(8).nth(9).unwrap();
/// let rest = Solutions::after(&last);
/// assert!(rest.eq(solutions(8).skip(10)));
/// ```
#[must_use = "solutions are searched only as they are asked for"]
#[derive(Clone, Debug)]
pub struct Solutions {
    search: Search,
    /// The queens stand, and their solution is still to be given out.
    held: bool,
}

#[derive(Clone, Debug)]
enum Search {
    Words(Words),
    Flags(Flags),
}

impl Solutions {
    /// All solutions of the same board from this one on.
    pub fn starting_at(solution: &Solution) -> Solutions {
        let mut solutions = Solutions::after(solution);
        solutions.held = true;
        solutions
    }

    /// All solutions of the same board after this one.
    pub fn after(solution: &Solution) -> Solutions {
        let mut solutions = solutions(solution.n());
        match &mut solutions.search {
            Search::Words(words) => words.set(solution),
            Search::Flags(flags) => flags.set(solution),
        }
        solutions.held = false;
        solutions
    }

    /// The next solution, searched for as long as `goes_on` says yes. The search asks at least at
    /// every step back, so `goes_on` should be quick. `Break` if it said no: the search stays where
    /// it is, and the next call goes on from there.
    ///
    /// Years may lie between two solutions of a large board; this is a `next` that can give up.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// let (mut solutions, mut steps) = (queens::solutions(40), 0);
    /// let next = solutions.next_while(|| {
    ///     steps += 1;
    ///     steps < 1000
    /// });
    /// assert_eq!(next, ControlFlow::Break(()));
    /// ```
    pub fn next_while(
        &mut self,
        goes_on: impl FnMut() -> bool,
    ) -> ControlFlow<(), Option<Solution>> {
        let found = self.advance_while(goes_on)?;
        ControlFlow::Continue(found.then(|| self.current()))
    }

    /// Goes on to the next solution; `false` if there is none.
    #[inline]
    fn advance(&mut self) -> bool {
        self.advance_while(|| true) == ControlFlow::Continue(true)
    }

    /// The same as long as `goes_on` says yes.
    #[inline]
    pub(super) fn advance_while(&mut self, goes_on: impl FnMut() -> bool) -> ControlFlow<(), bool> {
        if self.held {
            self.held = false;
            return ControlFlow::Continue(true);
        }
        match &mut self.search {
            Search::Words(words) => words.advance(goes_on),
            Search::Flags(flags) => flags.advance(goes_on),
        }
    }

    /// The solution that [`Solutions::advance`] came to.
    #[inline]
    pub(super) fn current(&self) -> Solution {
        Solution::found(match &self.search {
            Search::Words(words) => words.cols.clone(),
            Search::Flags(flags) => flags.cols.as_slice().into(),
        })
    }
}

impl Iterator for Solutions {
    type Item = Solution;

    #[inline]
    fn next(&mut self) -> Option<Solution> {
        self.advance().then(|| self.current())
    }

    /// Builds no solution for those it skips.
    fn nth(&mut self, skip: usize) -> Option<Solution> {
        for _ in 0..skip {
            if !self.advance() {
                return None;
            }
        }
        self.next()
    }

    /// Counts without building any of them; [`queens::count`](crate::count()) is faster still.
    fn count(mut self) -> usize {
        let mut count = 0;
        while self.advance() {
            count += 1;
        }
        count
    }
}

impl FusedIterator for Solutions {}

/// One row of the stack of [`Words`]: bit `c` stands for column `c`.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// The columns that no queen above stands in.
    open: u64,
    /// Where the diagonals of the queens above cross the row.
    left: u64,
    right: u64,
    /// The free squares that are still to be tried.
    free: u64,
}

impl Row {
    /// The row below when a queen is put on `place`.
    #[inline]
    fn below(self, place: u64) -> Row {
        let open = self.open ^ place;
        // Bits shifted beyond the board meet no open column, so no mask is needed.
        let left = (self.left | place) << 1;
        let right = (self.right | place) >> 1;
        Row {
            open,
            left,
            right,
            free: open & !(left | right),
        }
    }
}

/// The search on boards up to 64, an explicit stack of bit vectors.
#[derive(Clone, Debug)]
struct Words {
    rows: Box<[Row]>,
    cols: Box<[usize]>,
    /// The row to be tried next.
    row: usize,
}

impl Words {
    fn new(n: usize) -> Words {
        let mut rows = vec![Row::default(); n].into_boxed_slice();
        if let Some(first) = rows.first_mut() {
            first.open = u64::MAX >> (WORD - n);
            first.free = first.open;
        }
        Words {
            rows,
            cols: vec![0; n].into(),
            row: 0,
        }
    }

    /// Puts the queens of a solution on the board, as if the search had just come to them.
    fn set(&mut self, solution: &Solution) {
        let n = self.rows.len();
        for (row, &col) in solution.iter().enumerate() {
            let place = 1 << col;
            if row + 1 < n {
                self.rows[row + 1] = self.rows[row].below(place);
            }
            // What lies to the left was tried before.
            self.rows[row].free &= !(place | (place - 1));
        }
        self.cols.copy_from_slice(solution);
        self.row = n.saturating_sub(1);
    }

    fn advance(&mut self, mut goes_on: impl FnMut() -> bool) -> ControlFlow<(), bool> {
        let Words { rows, cols, row } = self;
        // The board without squares has no row to try.
        let Some(mut now) = rows.get(*row).copied() else {
            return ControlFlow::Continue(false);
        };
        loop {
            if now.free == 0 {
                if *row == 0 {
                    rows[0].free = 0;
                    return ControlFlow::Continue(false);
                }
                *row -= 1;
                if !goes_on() {
                    return ControlFlow::Break(());
                }
                now = rows[*row];
                continue;
            }
            let place = now.free & now.free.wrapping_neg();
            now.free ^= place;
            cols[*row] = place.trailing_zeros() as usize;
            let below = now.below(place);
            if below.free != 0 {
                rows[*row] = now;
                *row += 1;
                now = below;
            } else if below.open == 0 {
                rows[*row] = now;
                return ControlFlow::Continue(true);
            }
        }
    }
}

/// Flags of lines, numbered from 0; lines never set are free, however high their number.
#[derive(Clone, Debug, Default)]
struct Taken(Vec<bool>);

impl Taken {
    fn get(&self, line: usize) -> bool {
        self.0.get(line).copied().unwrap_or(false)
    }

    fn set(&mut self, line: usize, taken: bool) {
        if line >= self.0.len() {
            self.0.resize(line + 1, false);
        }
        self.0[line] = taken;
    }
}

/// The search on boards of any size, with a flag for each line. Memory grows with the lines
/// that the search has reached and not with `n`.
#[derive(Clone, Debug)]
struct Flags {
    n: usize,
    cols: Vec<usize>,
    /// The first square of the next row that is still to be tried.
    next: usize,
    columns: Taken,
    diags: Taken,
    antis: Taken,
}

/// The number of the diagonal: 0, 1, 2, ... for `col - row` = 0, -1, 1, -2, 2, ...
fn diag(row: usize, col: usize) -> usize {
    if col >= row {
        2 * (col - row)
    } else {
        2 * (row - col) - 1
    }
}

impl Flags {
    fn new(n: usize) -> Flags {
        Flags {
            n,
            cols: Vec::new(),
            next: 0,
            columns: Taken::default(),
            diags: Taken::default(),
            antis: Taken::default(),
        }
    }

    fn set(&mut self, solution: &Solution) {
        for &col in solution {
            self.place(col);
        }
    }

    fn is_free(&self, col: usize) -> bool {
        let row = self.cols.len();
        !(self.columns.get(col) || self.diags.get(diag(row, col)) || self.antis.get(row + col))
    }

    fn mark(&mut self, row: usize, col: usize, taken: bool) {
        self.columns.set(col, taken);
        self.diags.set(diag(row, col), taken);
        self.antis.set(row + col, taken);
    }

    fn place(&mut self, col: usize) {
        self.mark(self.cols.len(), col, true);
        self.cols.push(col);
        self.next = 0;
    }

    /// Takes the last queen away; the squares to the right of her come next.
    fn undo(&mut self) -> bool {
        let Some(col) = self.cols.pop() else {
            self.next = self.n;
            return false;
        };
        self.mark(self.cols.len(), col, false);
        self.next = col + 1;
        true
    }

    fn advance(&mut self, mut goes_on: impl FnMut() -> bool) -> ControlFlow<(), bool> {
        // After a solution, look for the next one.
        if self.cols.len() == self.n {
            self.undo();
        }
        loop {
            match (self.next..self.n).find(|&col| self.is_free(col)) {
                Some(col) => self.place(col),
                None if self.undo() => {}
                None => return ControlFlow::Continue(false),
            }
            if self.cols.len() == self.n {
                return ControlFlow::Continue(true);
            }
            // A step takes long on the largest boards, so ask at each.
            if !goes_on() {
                return ControlFlow::Break(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_flags(n: usize) -> Solutions {
        Solutions {
            search: Search::Flags(Flags::new(n)),
            held: n == 0,
        }
    }

    #[test]
    fn flags_find_what_words_find() {
        for n in 1..=9 {
            assert!(by_flags(n).eq(solutions(n)), "n = {n}");
        }
    }

    #[test]
    fn flags_go_on_at_any_solution() {
        for (k, solution) in solutions(7).enumerate() {
            let mut rest = by_flags(7);
            let Search::Flags(flags) = &mut rest.search else {
                unreachable!("it was made of flags");
            };
            flags.set(&solution);
            assert!(rest.eq(solutions(7).skip(k + 1)), "after {solution}");
        }
    }

    #[test]
    fn a_search_that_is_interrupted_at_every_step_finds_the_same() {
        for n in 0..=7 {
            for mut all in [solutions(n), by_flags(n)] {
                let (mut found, mut breaks) = (Vec::new(), 0);
                loop {
                    match all.next_while(|| false) {
                        ControlFlow::Continue(Some(solution)) => found.push(solution),
                        ControlFlow::Continue(None) => break,
                        ControlFlow::Break(()) => breaks += 1,
                    }
                }
                assert!(found.into_iter().eq(solutions(n)), "n = {n}");
                assert!(breaks > 0 || n < 3, "n = {n}");
            }
        }
    }

    #[test]
    fn an_iteration_that_is_over_stays_over() {
        for n in [0, 1, 2, 5] {
            for mut all in [solutions(n), by_flags(n)] {
                let found = all.by_ref().count();
                assert!(found > 0 || n == 2);
                assert!(all.next().is_none() && all.next().is_none(), "n = {n}");
            }
        }
    }

    #[test]
    fn the_largest_boards_can_be_begun() {
        let mut flags = Flags::new(usize::MAX);
        for col in [0, 2, 4, 1, 3] {
            let free = (flags.next..).find(|&col| flags.is_free(col)).unwrap();
            assert_eq!(free, col);
            flags.place(free);
        }
        assert!(flags.undo());
        assert_eq!((flags.next, flags.cols.len()), (4, 4));
    }
}
