//! Every cell of black and of white, as the engine computes them, against brute force.
//!
//! For fixed rows each colour is a matrix of counts by column set, but the engine never
//! shows one: it stores one colour, gathers with the other and keeps only a sum of
//! products. So a colour is read here one cell at a time: the other colour is replaced by
//! a *probe*, the empty placement that claims to have the column set (Ce, Co). Its matrix
//! is 1 in that cell and 0 elsewhere, and the engine's sum is the cell. This goes through
//! the lists, layouts and kernels that count, stored and gathering, scanned and filtered, in
//! every instruction set.
//!
//! The other side of the comparison knows nothing of small boards, classes or bits: it
//! puts queens on one colour of the whole board, square by square, and keeps a tally by
//! the rows and the columns they stand in.

use super::batch::{Colour, Inner, Outer, Plan, Work, count_batch};
use super::class::{Class, NONE, Visits};
use super::filter::LAST_ROWS;
use super::layout::Layout;
use super::lists::{Queue, Tree};
use super::simd::{Kernels, Simd};
use super::split::Split;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

/// How many ways queens stand on one colour, by the rows and the columns they occupy.
type Tally = HashMap<(Vec<usize>, Vec<usize>), u64>;

/// All placements on the squares whose row and column add up to this parity.
fn brute_force(n: usize, parity: usize) -> Tally {
    fn place(n: usize, parity: usize, row: usize, at: &mut Vec<(usize, usize)>, to: &mut Tally) {
        if row == n {
            let rows = at.iter().map(|&(row, _)| row).collect();
            let mut cols: Vec<usize> = at.iter().map(|&(_, col)| col).collect();
            cols.sort_unstable();
            *to.entry((rows, cols)).or_default() += 1;
            return;
        }
        place(n, parity, row + 1, at, to);
        for col in (0..n).filter(|col| (row + col) % 2 == parity) {
            let attacked = at
                .iter()
                .any(|&(r, c)| c == col || row - r == col.abs_diff(c));
            if !attacked {
                at.push((row, col));
                place(n, parity, row + 1, at, to);
                at.pop();
            }
        }
    }
    let mut tally = Tally::new();
    place(n, parity, 0, &mut Vec::new(), &mut tally);
    tally
}

/// The even and the odd members that two half-size sets stand for, or all others.
fn whole(n: usize, even: u32, odd: u32, others: bool) -> Vec<usize> {
    let held = |line: usize| [even, odd][line % 2] >> (line / 2) & 1 == 1;
    (0..n).filter(|&line| held(line) != others).collect()
}

/// All sets of so many elements.
fn sets(of: u32, size: u32) -> impl Iterator<Item = u32> + Clone {
    (0..1u32 << of).filter(move |set| set.count_ones() == size)
}

/// What the engine does with one colour of one class, the other being a probe.
struct Probed<'a> {
    class: &'a Class,
    kernels: Kernels,
    /// Every column set is visited, and there is no transpose.
    visits: Visits,
    work: Work,
    never: AtomicBool,
}

impl Probed<'_> {
    /// The engine's sum of products of a stored and a gathering colour. `tree_rows` are the
    /// rows of the gathering tree's board.
    fn sum(
        &mut self,
        plan: &Plan,
        gather: (&Tree, &Queue),
        store: (&Tree, &Queue),
        tree_rows: u32,
    ) -> u64 {
        let mut layout = Layout::default();
        let cos = 0..self.class.co_count() as usize;
        layout.build(&store.1.lines, &store.1.cols, cos, &self.kernels);
        let outer = Outer {
            gather_queue: gather.1,
            store_tree: store.0,
        };
        let inner = Inner {
            visits: self.visits,
            weight: 1,
            tree_rows,
            ce_limit: self.visits.ce_limit,
            gather_tree: gather.0,
            store_layouts: std::slice::from_ref(&layout),
        };
        count_batch(
            self.class,
            plan,
            outer,
            &[inner],
            &self.kernels,
            &mut self.work,
            &self.never,
        )
        .expect("nobody stops this")
    }
}

/// Compares all cells of both colours of one class; returns how many placements were seen.
fn compare(class: &Class, tallies: &[Tally; 2], simd: Simd) -> u64 {
    let Split { n, even, odd } = class.split;
    let (ces, cos) = (class.ce_count(), class.co_count());
    let mut probed = Probed {
        class,
        kernels: Kernels::new(simd).expect("the instruction set is available"),
        visits: Visits {
            k: 0,
            ce_limit: ces,
            co_limit: cos,
            last_co: 0,
        },
        work: Work::default(),
        never: AtomicBool::new(false),
    };
    // For odd n the engine visits one of Ce and its mirror image, and doubles it.
    let mirrored = |set: u32, of: u32| (0..of).fold(0, |to, i| to | (set >> i & 1) << (of - 1 - i));
    let is_visited = |&ce: &u32| class.ce_numbers()[ce as usize] != NONE;
    let mut plan = Plan::new(class);
    let mut seen = 0;
    for black in [true, false] {
        let colour = Colour::new(class, black);
        let probe = Colour::new(class, !black);
        for re in sets(even, class.a) {
            for ro in sets(odd, class.b) {
                let (mut queue, mut trees) = (Queue::default(), [Tree::default(), Tree::default()]);
                colour.build_queue(class, (re, ro), cos, &mut queue);
                queue.number_cols();
                for (stem, tree) in trees.iter_mut().enumerate() {
                    colour.build_tree(class, (re, ro), ces, stem, tree);
                }
                for ce in sets(even, class.a) {
                    assert!(is_visited(&ce) || is_visited(&mirrored(ce, even)));
                    if !is_visited(&ce) {
                        continue;
                    }
                    let weight = 1 + u64::from(n % 2 == 1 && ce != mirrored(ce, even));
                    let mut probe_tree = Tree::default();
                    probe_tree.build(class.split.a(), 0, ce, class.ce_numbers(), ces, 0);
                    for co in sets(odd, class.b) {
                        let mut probe_queue = Queue::default();
                        probe_queue.build(class.split.b(), 0, co, class.co_numbers(), cos);
                        probe_queue.number_cols();
                        let key = |even, odd| whole(n as usize, even, odd, !black);
                        let tally = &tallies[usize::from(!black)];
                        let cell = tally.get(&(key(re, ro), key(ce, co))).copied();
                        let expected = cell.unwrap_or(0);
                        let at = format!(
                            "n={n} c={} black={black} {}: rows {re:b} {ro:b} cols {ce:b} {co:b}",
                            class.c,
                            simd.name()
                        );

                        plan.filter = false;
                        (plan.gather, plan.store, plan.stem) = (probe, colour, 0);
                        let probe_side = (&probe_tree, &probe_queue);
                        let stored = probed.sum(&plan, probe_side, (&trees[0], &queue), 0);
                        assert_eq!(stored, weight * expected, "stored {at}");

                        (plan.gather, plan.store) = (colour, probe);
                        let (_, tree_rows, _) = colour.tree_side(class, (re, ro));
                        for (stem, tree) in trees.iter().enumerate() {
                            plan.stem = stem;
                            let scanned = probed.sum(&plan, (tree, &queue), probe_side, tree_rows);
                            assert_eq!(scanned, weight * expected, "stem {stem} {at}");
                        }

                        if tree_rows.count_ones() as usize > LAST_ROWS {
                            // A filter takes it that what is stored is its own mirror image.
                            let mut weight = weight;
                            if n % 2 == 1 && weight == 1 && co != mirrored(co, odd) {
                                let other = class.co_numbers()[mirrored(co, odd) as usize];
                                probe_queue.lines.push(0);
                                probe_queue.cols.push(u32::from(other));
                                probe_queue.cols.sort_unstable();
                                weight = 2;
                            }
                            plan.filter = true;
                            let none = Tree::default();
                            let probe_side = (&probe_tree, &probe_queue);
                            let filtered =
                                probed.sum(&plan, (&none, &queue), probe_side, tree_rows);
                            assert_eq!(filtered, weight * expected, "filtered {at}");
                        }
                        seen += weight * expected;
                    }
                }
            }
        }
    }
    seen
}

/// The placements of a tally whose rows could be those of a solution: a black queen more in
/// the even rows than in the odd ones if `n` is odd, else as many.
fn admissible(tally: &Tally, surplus: usize) -> u64 {
    let even = |rows: &[usize]| rows.iter().filter(|&row| row % 2 == 0).count();
    tally
        .iter()
        .filter(|((rows, _), _)| 2 * even(rows) == rows.len() + surplus)
        .map(|(_, count)| count)
        .sum()
}

#[test]
fn every_cell_of_black_and_white_agrees_with_brute_force_up_to_10() {
    for n in 1..=10 {
        let tallies = [0, 1].map(|parity| brute_force(n as usize, parity));
        let split = Split::new(n);
        let all = admissible(&tallies[0], n as usize % 2) + admissible(&tallies[1], 0);
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            let seen: u64 = (0..=split.odd)
                .map(|c| compare(&Class::new(split, c), &tallies, simd))
                .sum();
            assert_eq!(seen, all, "n={n}: no placement is left out");
        }
    }
}
