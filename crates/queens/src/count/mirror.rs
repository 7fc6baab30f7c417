//! The strongest plain backtracker: bit vectors, all eight mirror images, lookahead.
//!
//! It adds three things to [`crate::board::bitmask`]. First, symmetry. The queens of the four
//! edges, the *border*, are placed before all others. Rotated and mirrored, a border has up to
//! eight *views*. Only one of them is searched, and its count is multiplied by their number.
//! This is exact for every border, so no solution is ever compared with its images. The view
//! with the fewest free squares in its first inner rows is searched.
//!
//! Second, lookahead. A queen that would leave the next row or the one after it without a
//! free square is not placed. At n = 16 symmetry and lookahead leave 0.17 billion squares to
//! try of the 1.14 billion that `bitmask` tries.
//!
//! Third, the stack is explicit and holds batches: up to 512 partial placements of one row
//! are extended together into the buffer of the next row. Every child is written, and then the
//! end of the buffer advances by 1 to keep it or by 0 to drop it. So the processor has no branch
//! to mispredict, as it has in a recursive search. Borders are handed out to the threads one by
//! one, the most expensive first.
//!
//! On a board with given queens and blocked squares, the given queens take the place of the
//! border, and the best of the eight views of the whole board is searched. The queens of its
//! first two empty rows make the tasks. A view that is its own mirror image needs only one
//! half of its first row.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{CountError, Job};
use crate::puzzle::Board;
use crate::symmetry::Symmetry;
use crate::threads::share;

/// The largest board: a row is a 32-bit word.
pub const LARGEST_N: usize = 32;

/// This many partial placements of one row are extended before the search goes on to the next
/// row. Two buffers of this size fit the first-level cache.
const BATCH: usize = 512;

/// The free squares of this many inner rows give a guess at the cost of a view.
const ROWS_TO_GUESS: usize = 8;

/// Counts the solutions for a job.
pub(super) fn count(job: &Job<'_>) -> Result<u128, CountError> {
    // Below 4 the edges of the board are not four lines.
    if job.n < 4 {
        return Ok(u128::from(job.n < 2));
    }
    count_tasks(job, &tasks(job.n))
}

/// Counts the answers of a board with a queen in every row.
pub(super) fn count_on(job: &Job<'_>, board: &Board) -> Result<u128, CountError> {
    count_tasks(job, &tasks_on(board))
}

fn count_tasks(job: &Job<'_>, tasks: &[Task]) -> Result<u128, CountError> {
    let work: f64 = tasks.iter().map(|task| task.cost).sum();
    // If no task has a free square below its first queens, there is no work to have a share of.
    let share_of = |done: f64| match work > 0.0 {
        true => (done / work).min(1.0),
        false => 0.0,
    };
    let next = AtomicUsize::new(0);
    let sum = Mutex::new(Sum::default());

    let worker = || {
        let mut search = Search::new(job.n, job.stop);
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(found) = search.count(task) else {
                return;
            };
            // If the caller's own code panics in `report`, that panic ends the count.
            let Ok(mut sum) = sum.lock() else {
                return;
            };
            sum.total = found
                .checked_mul(task.weight)
                .and_then(|found| sum.total?.checked_add(found));
            sum.work += task.cost;
            sum.tasks += 1;
            job.report(share_of(sum.work));
        }
    };
    match cfg!(target_arch = "wasm32") {
        // A browser's module has no threads; without this call it is a fortieth smaller.
        true => worker(),
        false => drop(share(job.threads.get(), tasks.len(), worker)),
    }

    let sum = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
    if sum.tasks < tasks.len() {
        return Err(CountError::Stopped {
            share: share_of(sum.work),
        });
    }
    sum.total.ok_or(CountError::Overflow)
}

/// What the threads have found together.
struct Sum {
    /// `None` after an overflow.
    total: Option<u128>,
    work: f64,
    tasks: usize,
}

impl Default for Sum {
    fn default() -> Self {
        Sum {
            total: Some(0),
            work: 0.0,
            tasks: 0,
        }
    }
}

/// The queens of the four edges. A queen in a corner belongs to two edges.
///
/// ```text
///   . Q . . . .      top 1     the column of the queen in the first row
///   . . . . . .
///   . . . . . Q      right 2   the row of the queen in the last column
///   Q . . . . .      left 3    the row of the queen in the first column
///   . . . . . .
///   . . . . Q .      bottom 4  the column of the queen in the last row
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Border {
    top: usize,
    bottom: usize,
    left: usize,
    right: usize,
}

impl Border {
    /// The border of the board mirrored left to right; `last` is `n - 1`.
    fn mirrored(self, last: usize) -> Border {
        Border {
            top: last - self.top,
            bottom: last - self.bottom,
            left: self.right,
            right: self.left,
        }
    }

    /// The border of the board turned clockwise by 90 degrees.
    fn turned(self, last: usize) -> Border {
        Border {
            top: last - self.left,
            bottom: last - self.right,
            left: self.bottom,
            right: self.top,
        }
    }

    /// All its views, sorted, each once.
    fn views(self, last: usize) -> Vec<Border> {
        let mut views = Vec::with_capacity(8);
        let mut view = self;
        for _ in 0..4 {
            view = view.turned(last);
            views.extend([view, view.mirrored(last)]);
        }
        views.sort_unstable();
        views.dedup();
        views
    }

    /// Its three or four queens, if the edges agree about the corners and no queen attacks
    /// another.
    fn queens(self, last: usize) -> Option<Vec<(usize, usize)>> {
        let Border {
            top,
            bottom,
            left,
            right,
        } = self;
        if (top == 0) != (left == 0)
            || (top == last) != (right == 0)
            || (bottom == 0) != (left == last)
            || (bottom == last) != (right == last)
        {
            return None;
        }
        let mut queens = vec![(0, top), (last, bottom), (left, 0), (right, last)];
        queens.sort_unstable();
        queens.dedup();
        let attack = |(row_a, col_a): (usize, usize), (row_b, col_b): (usize, usize)| {
            row_a == row_b || col_a == col_b || row_a.abs_diff(row_b) == col_a.abs_diff(col_b)
        };
        let peaceful =
            (1..queens.len()).all(|one| (0..one).all(|other| !attack(queens[one], queens[other])));
        peaceful.then_some(queens)
    }
}

/// A row that the border left empty.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// The squares that the queens of the border attack, and those that are blocked.
    blocked: u32,
    /// The distance from the row searched before it.
    shift: u32,
}

/// One border to be searched.
#[derive(Debug)]
struct Task {
    levels: Vec<Level>,
    /// The columns that the border left open.
    open: u32,
    /// How many borders this one stands for.
    weight: u128,
    /// A guess at the work, in no unit.
    cost: f64,
}

impl Task {
    /// The task of a border; `blocked` has the blocked squares of each row.
    fn new(n: usize, queens: &[(usize, usize)], blocked: &[u32], weight: usize) -> Task {
        let mut open = ((1u64 << n) - 1) as u32;
        for &(_, col) in queens {
            open ^= 1 << col;
        }
        let mut levels = Vec::with_capacity(n);
        let mut above = 0;
        for row in (0..n).filter(|&row| queens.iter().all(|&(taken, _)| taken != row)) {
            let blocked = queens.iter().fold(blocked[row], |blocked, &(queen, col)| {
                let (bit, away) = (1u64 << col, row.abs_diff(queen));
                blocked | (bit << away) as u32 | (bit >> away) as u32
            });
            levels.push(Level {
                blocked,
                shift: (row - above) as u32,
            });
            above = row;
        }
        let free = |level: &Level| (open & !level.blocked).count_ones();
        let squares: u32 = levels.iter().take(ROWS_TO_GUESS).map(free).sum();
        // The powers that fit the squares tried at n = 12, 14 and 16 are 4, 8 and 12. With them
        // the reported share of work is within 0.06 of the share really done.
        let power = (2 * n as i32 - 20).clamp(2, 16);
        let cost = f64::from(squares).powi(power);
        Task {
            levels,
            open,
            weight: weight as u128,
            cost,
        }
    }
}

/// The borders of a board, one of each class, the most expensive first.
fn tasks(n: usize) -> Vec<Task> {
    let last = n - 1;
    let mut tasks = Vec::new();
    // The first of the sorted views has the smallest top, so on no other edge is the queen
    // nearer to a corner.
    for top in 0..=last / 2 {
        for bottom in top..=last - top {
            for left in top..=last - top {
                for right in top..=last - top {
                    let border = Border {
                        top,
                        bottom,
                        left,
                        right,
                    };
                    if border.queens(last).is_none() {
                        continue;
                    }
                    let views = border.views(last);
                    if views[0] != border {
                        continue;
                    }
                    let task = views
                        .iter()
                        .filter_map(|view| view.queens(last))
                        .map(|queens| Task::new(n, &queens, &[0; LARGEST_N], views.len()))
                        .min_by(|a, b| a.cost.total_cmp(&b.cost));
                    tasks.extend(task);
                }
            }
        }
    }
    tasks.sort_by(|a, b| b.cost.total_cmp(&a.cost));
    tasks
}

/// The tasks of a board that is not plain, the most expensive first.
fn tasks_on(board: &Board) -> Vec<Task> {
    let n = board.n();
    let view = |symmetry: Symmetry| {
        let view = board.image(symmetry);
        let given: Vec<(usize, usize)> = view.given().iter().map(|&queen| queen.into()).collect();
        let mut blocked = [0; LARGEST_N];
        for square in view.blocked() {
            blocked[square.row] |= 1 << square.col;
        }
        let cost = Task::new(n, &given, &blocked, 1).cost;
        (cost, view, given, blocked)
    };
    let best = Symmetry::ALL.map(view).into_iter();
    let Some((_, view, given, blocked)) = best.min_by(|a, b| a.0.total_cmp(&b.0)) else {
        unreachable!("a board has eight views");
    };
    let mirrored = view.symmetries().any(|kept| kept == Symmetry::LeftRight);
    let mut tasks = vec![(given, 1)];
    for first in [true, false] {
        let begun = std::mem::take(&mut tasks);
        for (queens, weight) in begun {
            // The queens are not in the order of their rows: take the first row that holds none.
            let Some(row) = (0..n).find(|&row| queens.iter().all(|&(held, _)| held != row)) else {
                tasks.push((queens, weight));
                continue;
            };
            let half = match first && mirrored {
                true => n.div_ceil(2),
                false => n,
            };
            for col in 0..half {
                let free = blocked[row] >> col & 1 == 0
                    && queens
                        .iter()
                        .all(|&(r, c)| c != col && row.abs_diff(r) != col.abs_diff(c));
                if free {
                    let both = half < n && 2 * col + 1 != n;
                    let mut queens = queens.clone();
                    queens.push((row, col));
                    tasks.push((queens, if both { 2 * weight } else { weight }));
                }
            }
        }
    }
    let task = |(queens, weight): (Vec<_>, _)| Task::new(n, &queens, &blocked, weight);
    let mut tasks: Vec<Task> = tasks.into_iter().map(task).collect();
    tasks.sort_by(|a, b| b.cost.total_cmp(&a.cost));
    tasks
}

/// A partial placement.
#[derive(Clone, Copy, Default)]
#[repr(align(16))]
struct State {
    open: u32,
    left: u32,
    right: u32,
    possible: u32,
}

/// The partial placements of one row, with room for the children of one more.
type Batch = [State; BATCH + LARGEST_N];

/// One thread's buffers.
struct Search<'a> {
    batches: Vec<Batch>,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Search<'a> {
    fn new(n: usize, stop: Option<&'a AtomicBool>) -> Self {
        Search {
            batches: vec![[State::default(); BATCH + LARGEST_N]; n],
            stop,
        }
    }

    /// The solutions with this border, or `None` when stopped.
    fn count(&mut self, task: &Task) -> Option<u128> {
        let Some(first) = task.levels.first() else {
            return Some(1);
        };
        let possible = task.open & !first.blocked;
        if task.levels.len() == 1 {
            return Some(u128::from(possible != 0));
        }
        self.batches[0][0] = State {
            open: task.open,
            left: 0,
            right: 0,
            possible,
        };
        let mut total = 0;
        self.extend(&task.levels, 0, 1, &mut total).then_some(total)
    }

    /// Extends the first `len` states of the batch of level `at`; false when stopped.
    fn extend(&mut self, levels: &[Level], at: usize, len: usize, total: &mut u128) -> bool {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return false;
        }
        let next = levels[at + 1];
        if at + 2 == levels.len() {
            *total += u128::from(last_two_rows(&self.batches[at][..len], next));
            return true;
        }
        let after = levels[at + 2];
        let mut from = 0;
        while from < len {
            let (here, below) = self.batches.split_at_mut(at + 1);
            let states = &here[at][from..len];
            let (used, made) = children(states, &mut below[0], next, after);
            from += used;
            if made > 0 && !self.extend(levels, at + 1, made, total) {
                return false;
            }
        }
        true
    }
}

/// Writes the children of as many states as fit; returns how many states were used and how
/// many children they have.
fn children(states: &[State], batch: &mut Batch, next: Level, after: Level) -> (usize, usize) {
    // The distances are nearly always 1, and a shift by a constant is cheaper.
    match (next.shift, after.shift) {
        (1, 1) => children_at(states, batch, (1, 2), next.blocked, after.blocked),
        (near, far) => children_at(
            states,
            batch,
            (near, near + far),
            next.blocked,
            after.blocked,
        ),
    }
}

#[inline(always)]
fn children_at(
    states: &[State],
    batch: &mut Batch,
    (near, far): (u32, u32),
    blocked_near: u32,
    blocked_far: u32,
) -> (usize, usize) {
    let mut end = 0;
    for (used, state) in states.iter().enumerate() {
        if end >= BATCH {
            return (used, end);
        }
        let mut possible = state.possible;
        while possible != 0 {
            let place = possible & possible.wrapping_neg();
            possible ^= place;
            let open = state.open ^ place;
            let (left, right) = (state.left | place, state.right | place);
            let near_free = open & !(left << near | right >> near | blocked_near);
            let far_free = open & !(left << far | right >> far | blocked_far);
            batch[end] = State {
                open,
                left: left << near,
                right: right >> near,
                possible: near_free,
            };
            end += usize::from((near_free != 0) & (far_free != 0));
        }
    }
    (states.len(), end)
}

/// Counts the solutions of states with two rows left.
fn last_two_rows(states: &[State], next: Level) -> u64 {
    let mut count = 0;
    for state in states {
        let mut possible = state.possible;
        while possible != 0 {
            let place = possible & possible.wrapping_neg();
            possible ^= place;
            let lines = (state.left | place) << next.shift | (state.right | place) >> next.shift;
            count += u64::from((state.open ^ place) & !(lines | next.blocked) != 0);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_panic_of_the_caller_is_not_replaced_by_another() {
        for _ in 0..20 {
            let count = super::super::Count::new(12)
                .engine(super::super::Engine::Mirror)
                .threads(4)
                .progress(|_| panic!("mine"));
            let panic = catch_unwind(AssertUnwindSafe(|| count.run())).unwrap_err();
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"mine"));
        }
    }

    #[test]
    fn the_weights_add_up_to_all_borders() {
        for n in 4..=12 {
            let last = n - 1;
            let mut borders = 0;
            for top in 0..n {
                for bottom in 0..n {
                    for left in 0..n {
                        for right in 0..n {
                            let border = Border {
                                top,
                                bottom,
                                left,
                                right,
                            };
                            borders += u128::from(border.queens(last).is_some());
                        }
                    }
                }
            }
            let weights: u128 = tasks(n).iter().map(|task| task.weight).sum();
            assert_eq!(weights, borders, "n = {n}");
        }
    }

    #[test]
    fn a_count_without_work_is_stopped_with_a_share_of_0() {
        let below = (2..8).flat_map(|row| (0..8).map(move |col| crate::Square::new(row, col)));
        let board = Board::new(8).with_blocked(below).unwrap();
        let count = || crate::Count::on(&board).engine(crate::Engine::Mirror);
        assert_eq!(count().run(), Ok(0));
        let stop = AtomicBool::new(true);
        let stopped = count().stop(&stop).run();
        assert_eq!(stopped, Err(CountError::Stopped { share: 0.0 }));
    }

    #[test]
    fn turning_four_times_and_mirroring_twice_change_nothing() {
        let border = Border {
            top: 1,
            bottom: 4,
            left: 3,
            right: 2,
        };
        let turned = border.turned(5);
        assert_eq!(
            turned,
            Border {
                top: 2,
                bottom: 3,
                left: 4,
                right: 1
            }
        );
        assert_eq!(turned.turned(5).turned(5).turned(5), border);
        assert_eq!(border.mirrored(5).mirrored(5), border);
        // This border looks the same after a half turn, so it has four views.
        assert_eq!(turned.turned(5), border);
        assert_eq!(border.views(5).len(), 4);
    }

    #[test]
    fn batches_that_overflow_lose_nothing() {
        // At n = 14 a border has some 2700 partial placements on average, over ten rows.
        let tasks = tasks(14);
        let mut search = Search::new(14, None);
        let counts = tasks
            .iter()
            .map(|task| search.count(task).unwrap() * task.weight);
        assert_eq!(counts.sum::<u128>(), 365_596);
    }
}
