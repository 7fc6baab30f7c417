//! The scalar twin of a join: what scan and filter must give, in two loops.
//!
//! Every walked placement of the gathering colour is compared with every scanned one. A pair
//! without a common line adds the weight of its cell: the stored colour's count there, found the
//! same way, times the number of column sets that the cell stands for. No trees, no planes, no
//! vectors.

use super::super::colour::{ColourBoards, RowSet};
use super::super::cost::{Join, LAST_ROWS, Strategy};
use super::super::placements::{Each, Side, search};
use super::super::scan_list::ScanList;
use super::super::sets::Lines;
use super::super::simd::{Instructions, Simd};
use super::super::split::Split;
use super::super::symmetry::{Class, EvenRows};
use super::super::walk_tree::WalkTree;
use super::{BitPlanes, Context, Inner, JoinMemory, Outer};
use std::sync::atomic::AtomicBool;

/// The placements of a side with the indices of their columns.
fn placements(side: Side) -> Vec<(u32, Lines)> {
    let rows: Vec<u32> = side.rows.into_iter().collect();
    let mut found = Vec::new();
    let mut each = Each(|cols, lines| found.push((u32::from(side.index(cols)), lines)));
    search(side.board, &rows, &mut each);
    found.retain(|&(index, _)| index < side.limit);
    found
}

/// Calls `cell` with the indices of every pair of a walked and a scanned placement that fit.
fn each_pair(class: &Class, colour: &ColourBoards, rows: RowSet, mut cell: impl FnMut(u32, u32)) {
    let scanned = placements(colour.scan_side(class, rows, class.odd_count()));
    for (even_index, walked) in placements(colour.walk_side(class, rows, class.even_count())) {
        for &(odd_index, lines) in &scanned {
            if !walked.meet(lines) {
                cell(even_index, odd_index);
            }
        }
    }
}

/// The sum over the visited column sets of one pair of row sets.
fn twin(class: &Class, strategy: &Strategy, even: &EvenRows, odd_place: usize) -> u64 {
    let visits = class.visits(even, odd_place);
    let rows = row_set(class, even, odd_place);
    let odd_count = class.odd_count();
    let mut stored = vec![0u64; (class.even_count() * odd_count) as usize];
    each_pair(class, &strategy.store, rows, |even_index, odd_index| {
        stored[(even_index * odd_count + odd_index) as usize] += 1;
    });
    let mut sum = 0;
    each_pair(class, &strategy.gather, rows, |even_index, odd_index| {
        if even_index < visits.even_limit && odd_index < visits.odd_limit {
            let lower = odd_index < visits.doubled;
            let weight = class.column_weight(&visits, even_index, lower);
            sum += u64::from(weight) * stored[(even_index * odd_count + odd_index) as usize];
        }
    });
    sum
}

fn row_set(class: &Class, even: &EvenRows, odd_place: usize) -> RowSet {
    RowSet {
        even: even.set,
        odd: class.odd_rows[odd_place].set,
    }
}

/// The same from the join, for stems of some length or filtered.
fn joined(context: &Context, memory: &mut JoinMemory, even: &EvenRows, odd_place: usize) -> u64 {
    let Context {
        class, strategy, ..
    } = *context;
    let visits = class.visits(even, odd_place);
    let rows = row_set(class, even, odd_place);
    let (mut gather_tree, mut store_tree) = (WalkTree::default(), WalkTree::default());
    let walk_side = strategy.gather.walk_side(class, rows, visits.even_limit);
    if strategy.join == Join::Scan {
        gather_tree.build(&walk_side, strategy.stem_levels);
    }
    store_tree.build(&strategy.store.walk_side(class, rows, visits.even_limit), 0);
    let (mut gather_list, mut store_list) = (ScanList::default(), ScanList::default());
    gather_list.build(&strategy.gather.scan_side(class, rows, visits.odd_limit));
    store_list.build(&strategy.store.scan_side(class, rows, visits.odd_limit));
    gather_list.note_indices();
    store_list.note_indices();
    let odd_limit = visits.odd_limit as usize;
    let lay_out = |start: usize| {
        let chunk = start..(start + strategy.chunk).min(odd_limit);
        let range = store_list.range(chunk.clone());
        let (lines, indices) = (&store_list.lines[range.clone()], &store_list.indices[range]);
        let mut planes = BitPlanes::default();
        planes.build(lines, indices, chunk, context.instructions);
        planes
    };
    let store_planes: Vec<BitPlanes> = (0..odd_limit)
        .step_by(strategy.chunk)
        .map(lay_out)
        .collect();
    let inner = Inner {
        visits,
        weight: 1,
        walk_rows: walk_side.rows,
        even_limit: visits.even_limit,
        gather_tree: &gather_tree,
        store_planes: &store_planes,
    };
    let outer = Outer {
        gather_list: &gather_list,
        store_tree: &store_tree,
    };
    let sum = memory.count(context, outer, &[inner]);
    sum.expect("nobody stops this")
}

/// Some row sets of every class, with stems of every length and filtered, in chunks of every
/// size, in every instruction set.
#[test]
fn scan_and_filter_give_what_their_scalar_twin_gives() {
    let never = AtomicBool::new(false);
    let mut sums = 0;
    for simd in Simd::ALL {
        let Some(instructions) = Instructions::new(simd) else {
            println!("skipped: this processor has no {}", simd.name());
            continue;
        };
        let mut memory = JoinMemory::default();
        for (n, step) in [(8, 3), (9, 3), (12, 11), (13, 23), (15, 301), (16, 401)] {
            let split = Split::new(n);
            for black_queens in split.classes() {
                let class = Class::new(split, black_queens);
                let mut strategy = Strategy::new(&class);
                let places = class.even_rows.iter().flat_map(|even| {
                    (0..even.odd_rows_limit as usize).map(move |odd_place| (even, odd_place))
                });
                for (even, odd_place) in places.step_by(step) {
                    let expected = twin(&class, &strategy, even, odd_place);
                    sums += expected;
                    let mut check = |strategy: &Strategy| {
                        let context = Context {
                            class: &class,
                            strategy,
                            instructions,
                            stop: &never,
                        };
                        let sum = joined(&context, &mut memory, even, odd_place);
                        let how = format!("{:?} stem {}", strategy.join, strategy.stem_levels);
                        assert_eq!(sum, expected, "n={n} {black_queens} {how} {}", simd.name());
                    };
                    for chunk in [strategy.chunk, 32] {
                        strategy.chunk = chunk;
                        strategy.join = Join::Scan;
                        for stem in 0..3 {
                            strategy.stem_levels = stem;
                            check(&strategy);
                        }
                        let rows = strategy.gather.walk_queens(&class) as usize;
                        if rows > LAST_ROWS {
                            strategy.join = Join::Filter;
                            check(&strategy);
                        }
                    }
                }
            }
        }
    }
    assert!(sums > 0);
}
