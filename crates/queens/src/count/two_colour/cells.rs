//! Every cell of white and of black, as the engine computes them, against brute force.
//!
//! For fixed rows each colour is a matrix of counts by column set, but the engine never shows
//! one: it stores one colour, gathers with the other and keeps only a sum of products. So this
//! test reads a colour one cell at a time. It replaces the other colour by a *probe*, the empty
//! placement that claims to have one column set. The probe's matrix is 1 in that cell and 0
//! elsewhere, so the engine's sum is the cell. This tests the real lists, bit planes and kernels,
//! stored and gathering, scanned and filtered, in every instruction set.
//!
//! The brute force knows nothing of small boards, classes or bits: it puts queens on one
//! colour of the whole board, square by square, and keeps a tally by the rows and the columns
//! in which they stand.

use super::colour::{ColourBoards, RowSet};
use super::cost::{Join, LAST_ROWS, Strategy};
use super::join::{BitPlanes, Context, Inner, JoinMemory, Outer};
use super::placements::Side;
use super::scan_list::ScanList;
use super::sets::Set;
use super::simd::{Instructions, Simd};
use super::split::Split;
use super::symmetry::{Class, NO_INDEX, Visits};
use super::walk_tree::WalkTree;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

/// How many ways queens stand on one colour, by the rows and the columns they occupy.
type Tally = HashMap<(Vec<usize>, Vec<usize>), u64>;

/// All placements on the squares whose row + column has this parity.
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

/// The rows or columns of the whole board in two half-size sets, or all others.
fn whole(n: usize, [even, odd]: [Set; 2], others: bool) -> Vec<usize> {
    let held = |line: usize| [even, odd][line % 2].contains(line as u32 / 2);
    (0..n).filter(|&line| held(line) != others).collect()
}

/// The two sides of one colour, as lists.
struct Sides<'a> {
    tree: &'a WalkTree,
    list: &'a ScanList,
}

/// What the engine does with one colour of one class when the other is a probe.
struct Probed<'a> {
    class: &'a Class,
    instructions: Instructions,
    /// Every column set is visited, and there is no transpose.
    visits: Visits,
    memory: JoinMemory,
    never: AtomicBool,
}

impl Probed<'_> {
    /// The engine's sum of products of a stored and a gathering colour. `walk_rows` are the
    /// rows that the gathering colour walks.
    fn sum(&mut self, strategy: &Strategy, gather: Sides, store: Sides, walk_rows: Set) -> u64 {
        let mut planes = BitPlanes::default();
        let all = 0..self.class.odd_count() as usize;
        planes.build(
            &store.list.lines,
            &store.list.indices,
            all,
            self.instructions,
        );
        let outer = Outer {
            gather_list: gather.list,
            store_tree: store.tree,
        };
        let inner = Inner {
            visits: self.visits,
            weight: 1,
            walk_rows,
            even_limit: self.visits.even_limit,
            gather_tree: gather.tree,
            store_planes: std::slice::from_ref(&planes),
        };
        let context = Context {
            class: self.class,
            strategy,
            instructions: self.instructions,
            stop: &self.never,
        };
        let sum = self.memory.count(&context, outer, &[inner]);
        sum.expect("nobody stops this")
    }
}

/// A colour of one row set: its lists, and the cell of each column set by brute force.
struct Coloured<'a> {
    boards: ColourBoards,
    probe: ColourBoards,
    list: ScanList,
    /// Without stems, and with stems of one level.
    trees: [WalkTree; 2],
    walk_rows: Set,
    tally: &'a Tally,
}

impl<'a> Coloured<'a> {
    fn new(class: &Class, white: bool, rows: RowSet, tallies: &'a [Tally; 2]) -> Coloured<'a> {
        let (boards, probe) = match white {
            true => (ColourBoards::white(class), ColourBoards::black(class)),
            false => (ColourBoards::black(class), ColourBoards::white(class)),
        };
        let mut list = ScanList::default();
        list.build(&boards.scan_side(class, rows, class.odd_count()));
        list.note_indices();
        let walk_side = boards.walk_side(class, rows, class.even_count());
        let mut trees = [WalkTree::default(), WalkTree::default()];
        for (stem, tree) in trees.iter_mut().enumerate() {
            tree.build(&walk_side, stem);
        }
        Coloured {
            boards,
            probe,
            list,
            trees,
            walk_rows: walk_side.rows,
            tally: &tallies[usize::from(!white)],
        }
    }

    /// The lists of the colour, with the tree that has stems of that many levels.
    fn sides(&self, stem: usize) -> Sides<'_> {
        Sides {
            tree: &self.trees[stem],
            list: &self.list,
        }
    }
}

/// The lists of the empty placement that claims to have some columns.
fn probe(class: &Class, even_cols: Set, odd_cols: Set) -> (WalkTree, ScanList) {
    let side = |board, complement, index_of, limit| Side {
        board,
        rows: Set::EMPTY,
        complement,
        index_of,
        limit,
        allowed: None,
    };
    let (even, odd) = (class.split.even_even(), class.split.odd_odd());
    let (mut tree, mut list) = (WalkTree::default(), ScanList::default());
    let walk = side(even, even_cols, class.even_indices(), class.even_count());
    tree.build(&walk, 0);
    list.build(&side(odd, odd_cols, class.odd_indices(), class.odd_count()));
    list.note_indices();
    (tree, list)
}

/// Compares one cell of a colour in every way the engine has; returns how often its
/// placements count.
fn compare_cell(
    probed: &mut Probed,
    colour: &Coloured,
    (even_cols, odd_cols): (Set, Set),
    expected: u64,
    at: &str,
) -> u64 {
    let class = probed.class;
    let Split { n, even, odd } = class.split;
    let mut strategy = Strategy::new(class);
    let (probe_tree, mut probe_list) = probe(class, even_cols, odd_cols);
    let weight = 1 + u64::from(n % 2 == 1 && even_cols != even_cols.reverse(even));

    strategy.join = Join::Scan;
    (strategy.gather, strategy.store, strategy.stem_levels) = (colour.probe, colour.boards, 0);
    fn sides<'a>(tree: &'a WalkTree, list: &'a ScanList) -> Sides<'a> {
        Sides { tree, list }
    }
    let gather = sides(&probe_tree, &probe_list);
    let stored = probed.sum(&strategy, gather, colour.sides(0), Set::EMPTY);
    assert_eq!(stored, weight * expected, "stored {at}");

    (strategy.gather, strategy.store) = (colour.boards, colour.probe);
    for stem in 0..colour.trees.len() {
        strategy.stem_levels = stem;
        let store = sides(&probe_tree, &probe_list);
        let scanned = probed.sum(&strategy, colour.sides(stem), store, colour.walk_rows);
        assert_eq!(scanned, weight * expected, "stem {stem} {at}");
    }

    if colour.walk_rows.len() as usize > LAST_ROWS {
        // A filter assumes that the stored colour is its own mirror image.
        let mut weight = weight;
        if n % 2 == 1 && weight == 1 && odd_cols != odd_cols.reverse(odd) {
            let other = class.odd_indices()[odd_cols.reverse(odd).place()];
            probe_list.lines.push(0);
            probe_list.indices.push(u32::from(other));
            probe_list.indices.sort_unstable();
            weight = 2;
        }
        strategy.join = Join::Filter;
        let none = WalkTree::default();
        let gather = sides(&none, &colour.list);
        let store = sides(&probe_tree, &probe_list);
        let filtered = probed.sum(&strategy, gather, store, colour.walk_rows);
        assert_eq!(filtered, weight * expected, "filtered {at}");
    }
    weight
}

/// Compares all cells of both colours of one class; returns how many placements they have.
fn compare(class: &Class, tallies: &[Tally; 2], simd: Simd) -> u64 {
    let Split { n, even, odd } = class.split;
    let mut probed = Probed {
        class,
        instructions: Instructions::new(simd).expect("the instruction set is available"),
        visits: Visits {
            rank: 0,
            even_limit: class.even_count(),
            odd_limit: class.odd_count(),
            doubled: 0,
        },
        memory: JoinMemory::default(),
        never: AtomicBool::new(false),
    };
    // For odd n the engine visits a set of even columns or its mirror image, and doubles it.
    let is_visited = |cols: Set| class.even_indices()[cols.place()] != NO_INDEX;
    let even_sets = || Set::all(even, class.even_white);
    let odd_sets = || Set::all(odd, class.odd_white);
    let mut seen = 0;
    for white in [true, false] {
        for (even_rows, odd_rows) in even_sets().flat_map(|e| odd_sets().map(move |o| (e, o))) {
            let rows = RowSet {
                even: even_rows,
                odd: odd_rows,
            };
            let colour = Coloured::new(class, white, rows, tallies);
            for even_cols in even_sets() {
                assert!(is_visited(even_cols) || is_visited(even_cols.reverse(even)));
                if !is_visited(even_cols) {
                    continue;
                }
                for odd_cols in odd_sets() {
                    let whole = |sets| whole(n as usize, sets, !white);
                    let key = (whole([even_rows, odd_rows]), whole([even_cols, odd_cols]));
                    let expected = colour.tally.get(&key).copied().unwrap_or(0);
                    let at = format!("n={n} white={white} {}: {key:?}", simd.name());
                    let cols = (even_cols, odd_cols);
                    seen += expected * compare_cell(&mut probed, &colour, cols, expected, &at);
                }
            }
        }
    }
    seen
}

/// How many placements of a tally have rows that a solution could have: `surplus` more queens in
/// the even rows than in the odd ones, which for white is 1 if `n` is odd, else 0.
fn admissible(tally: &Tally, surplus: usize) -> u64 {
    let even = |rows: &[usize]| rows.iter().filter(|&row| row % 2 == 0).count();
    tally
        .iter()
        .filter(|((rows, _), _)| 2 * even(rows) == rows.len() + surplus)
        .map(|(_, count)| count)
        .sum()
}

#[test]
fn every_cell_of_white_and_black_agrees_with_brute_force_up_to_10() {
    for n in 1..=10 {
        let tallies = [0, 1].map(|parity| brute_force(n as usize, parity));
        let split = Split::new(n);
        let all = admissible(&tallies[0], n as usize % 2) + admissible(&tallies[1], 0);
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            let seen: u64 = (0..=split.odd)
                .map(|black_queens| compare(&Class::new(split, black_queens), &tallies, simd))
                .sum();
            assert_eq!(seen, all, "n={n}: no placement is left out");
        }
    }
}
