//! The lists of a unit as arrays of plain numbers, for a machine that is not this one.
//!
//! The GPU counts the same units as the CPU, from the same lists in another shape: nothing
//! may depend on what was walked before, because many warps walk a tree at once. So every
//! prefix carries its whole path, four bits a level, and an end names its pair of squares
//! and its Ce in one word. [`Builder::build`] gives everything that one unit needs: a tree and
//! a queue for each even and each odd row set, and the pairs to count with their limits and
//! weights.
//!
//! A colour's tree is on the small board with even columns (Ce), its queue on the one with
//! odd columns (Co). Black's tree and white's queue depend on the even rows, black's queue
//! and white's tree on the odd rows; so each row set has one tree and one queue.
//!
//! A row set is in many units, each of which sees its own prefix of the Ce's and Co's. So
//! the lists of a row set are made once for all of them and kept in a [`Cache`] that several
//! builders share; a unit's lists are what is left of those below its limits. All lists of
//! n = 20 take 0.37 s of one core so, and 1.15 s when every unit makes its own (AMD EPYC,
//! Zen 4, KVM, 2026-11-15).
//!
//! This module is for `queens-cuda` and hidden: it may change without notice.

use super::batch::Colour;
use super::class::{Class, NONE};
use super::filter;
use super::lists::{Queue, elements, search};
use super::split::{SmallBoard, Split};
use super::units::{Unit, Units};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// The largest board whose paths, ends and lines fit the words used here.
pub const LARGEST_N: u32 = 30;

/// One prefix: a choice of columns for all rows but the last two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Prefix {
    /// The column of level `l` in bits `4 l .. 4 l + 4`.
    pub path: u64,
    /// Where its ends begin.
    pub first_end: u32,
    /// Number of ends.
    pub ends: u16,
    /// The first level at which the path differs from the prefix before.
    pub from: u16,
}

/// The placements of one small board with given rows, as a tree to walk.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Number of rows, all of them holding one queen.
    pub rows: u32,
    /// How many of the last rows an end covers: two, or all where there are fewer.
    pub end_rows: u32,
    /// Number of columns of the small board.
    pub cols: u32,
    /// The lines of square (level, column) at `level * cols + column`: bit `d` of the low
    /// half is diagonal `d`, bit `a` of the high half is anti-diagonal `a`.
    pub squares: Vec<u64>,
    /// The prefixes that have ends, in the order of the search.
    pub prefixes: Vec<Prefix>,
    /// Each end is `squares + (ce << 16)`, where `squares` is `j` for one row of an end and
    /// `j1 * cols + j2` for two.
    pub ends: Vec<u32>,
    /// The most ends that one Ce has.
    pub most_ends: u32,
    /// Every Ce is below this.
    pub ce_limit: u32,
    /// No fewer than there are ends; what there would be in a tree without prefixes.
    pub placements: u64,
}

/// The placements of the other small board of the colour, sorted by Co.
#[derive(Clone, Debug, Default)]
pub struct Sorted {
    /// The lines of each placement, numbered as in [`Tree::squares`].
    pub lines: Vec<u64>,
    /// `lines[starts[co]..starts[co + 1]]` have this Co.
    pub starts: Vec<u32>,
    /// The most placements that one Co has.
    pub most: u32,
}

/// What one row set needs: the tree of one colour, the queue of the other.
#[derive(Clone, Debug, Default)]
pub struct RowSet {
    /// The tree: black's for even rows, white's for odd rows.
    pub tree: Tree,
    /// The queue: white's for even rows, black's for odd rows.
    pub queue: Sorted,
}

/// One pair of an even and an odd row set to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Place in [`Lists::even`].
    pub even: u32,
    /// Place in [`Lists::odd`].
    pub odd: u32,
    /// How many row sets the pair stands for.
    pub weight: u64,
}

/// What one even row set sees of the column sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Number of Ce's visited, a prefix of the trees'.
    pub ce_limit: u32,
    /// Number of Co's visited, a prefix of the queues'.
    pub co_limit: u32,
    /// Co's below this weigh `weights[ce]`, those from here on weigh 1.
    pub last_co: u32,
    /// The weight of each visited Ce: 1, 2 or 4.
    pub weights: Vec<u8>,
    /// The same for whoever meets column sets beside their reverse, as [`Lists::ce_of`] lets
    /// one do: all counts are double then for odd `n`.
    pub filter_weights: Vec<u8>,
    /// No set of columns of a gathering placement above this one, as a number, is visited.
    pub last_cols: u32,
}

/// Everything that one unit needs.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Queens on each white board.
    pub c: u32,
    /// Queens on the black board with even rows.
    pub a: u32,
    /// Queens on the black board with odd rows.
    pub b: u32,
    /// Whether black gathers and white is stored, or the other way round.
    pub black_gathers: bool,
    /// Places of the even row sets in the class.
    pub even_range: std::ops::Range<usize>,
    /// The even row sets.
    pub even: Vec<RowSet>,
    /// What each even row set sees.
    pub seen: Vec<Seen>,
    /// The odd row sets.
    pub odd: Vec<RowSet>,
    /// The pairs of weight above 0.
    pub pairs: Vec<Pair>,
    /// For each set of columns of a gathering placement its Ce, that of its reverse and
    /// [`TURNED`], or [`NO_CE`].
    pub ce_of: Vec<u16>,
    /// Co's below this stand in pairs that are each other's reverse; the others are their own.
    pub co_pairs: u32,
}

/// Marks the Ce of a reversed set of columns.
pub const TURNED: u16 = 1 << 15;

/// No Ce.
pub const NO_CE: u16 = u16::MAX;

/// The whole lists of row sets, made when they are first needed. Several builders share one;
/// the lists of a class go when the last builder leaves it.
#[derive(Debug, Default)]
pub struct Cache {
    classes: Mutex<HashMap<u32, Weak<ClassCache>>>,
}

/// The lists of one class, by the places of its row sets.
#[derive(Debug)]
struct ClassCache {
    even: Vec<OnceLock<RowSet>>,
    odd: Vec<OnceLock<RowSet>>,
}

/// Above this size the lists of a class take too much memory to be kept: a gigabyte and a
/// half at n = 24.
const LARGEST_CACHED: u32 = 24;

impl Cache {
    fn class(&self, class: &Class) -> Arc<ClassCache> {
        let slots = |count: usize| (0..count).map(|_| OnceLock::new()).collect();
        let mut classes = self
            .classes
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(cache) = classes.get(&class.c).and_then(Weak::upgrade) {
            return cache;
        }
        let cache = Arc::new(ClassCache {
            even: slots(class.even_rows.len()),
            odd: slots(class.odd_rows.len()),
        });
        classes.insert(class.c, Arc::downgrade(&cache));
        cache
    }
}

/// Builds the lists of units, one after the other.
#[derive(Debug)]
pub struct Builder {
    units: Units,
    class: Class,
    cache: Arc<Cache>,
    class_cache: Option<Arc<ClassCache>>,
    queue: Queue,
    counts: Vec<u32>,
    gathering_trees: bool,
}

impl Builder {
    /// A builder for this board, or `None` above [`LARGEST_N`] and for 0.
    pub fn new(n: u32) -> Option<Builder> {
        Builder::sharing(n, Arc::default())
    }

    /// The same, sharing whole lists with other builders for the same board.
    pub fn sharing(n: u32, cache: Arc<Cache>) -> Option<Builder> {
        (1..=LARGEST_N).contains(&n).then(|| Builder {
            units: Units::new(n),
            class: Class::new(Split::new(n), 0),
            cache,
            class_cache: None,
            queue: Queue::default(),
            counts: Vec::new(),
            gathering_trees: true,
        })
    }

    /// Leaves out the prefixes and ends of the trees of the gathering colour. Builders that
    /// share a cache must all do so or all not.
    #[must_use]
    pub fn without_gathering_trees(mut self) -> Builder {
        self.gathering_trees = false;
        self
    }

    /// The units.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// Fills `lists` for a unit. Even row sets that `lists` already holds, from the unit
    /// before, are kept. Returns `false` where there is no such unit.
    pub fn build(&mut self, unit: u64, lists: &mut Lists) -> bool {
        let Some(Unit { c, even, odd }) = self.units.get(unit) else {
            return false;
        };
        if self.class.c != c {
            self.class = Class::new(Split::new(self.units.n()), c);
            self.class_cache = None;
        }
        if self.class_cache.is_none() && self.units.n() <= LARGEST_CACHED {
            self.class_cache = Some(self.cache.class(&self.class));
        }
        let same_even = !lists.even.is_empty() && lists.c == c && lists.even_range == even;
        let even_rows = &self.class.even_rows[even.clone()];
        let largest = even_rows[even_rows.len() - 1];
        let limits = (largest.ce_limit, largest.co_limit);
        let (gather, store) = Colour::roles(&self.class);
        let (black, white) = if gather.tree_is_even() {
            (gather, store)
        } else {
            (store, gather)
        };
        let (class, counts, queue) = (&self.class, &mut self.counts, &mut self.queue);
        let all = (class.ce_count(), class.co_count());
        // A list depends on the rows of one parity; the other's do not matter.
        let (of_even, of_odd) = ((black, white), (white, black));
        let mut make = |row_set: &mut RowSet,
                        kept: Option<&OnceLock<RowSet>>,
                        (tree_colour, queue_colour): (Colour, Colour),
                        rows: (u32, u32)| {
            let mut fresh = |row_set: &mut RowSet, limits: (u32, u32)| {
                let side = tree_colour.tree_side(class, rows);
                let gathers = tree_colour.tree_is_even() == gather.tree_is_even();
                if gathers && !self.gathering_trees {
                    row_set.tree.sketch(side, limits.0);
                } else {
                    row_set
                        .tree
                        .build(side, (class.ce_numbers(), limits.0), counts);
                }
                queue_colour.build_queue(class, rows, limits.1, queue);
                row_set.queue.copy(queue);
            };
            let Some(kept) = kept else {
                return fresh(row_set, limits);
            };
            let whole = kept.get_or_init(|| {
                let mut whole = RowSet::default();
                fresh(&mut whole, all);
                whole
            });
            row_set.tree.copy_below(&whole.tree, limits.0);
            row_set.queue.copy_below(&whole.queue, limits.1);
        };
        let kept = self.class_cache.as_deref();
        if !same_even {
            lists.c = c;
            lists.a = class.a;
            lists.b = class.b;
            lists.black_gathers = gather.tree_is_even();
            lists.even_range = even.clone();
            let (board, flip) = gather.tree_board_and_flip();
            lists.ce_of.clear();
            let ce_of =
                (0..1 << board.cols).map(|cols: u32| match filter::ce_of(class, cols ^ flip) {
                    (NONE, _) => NO_CE,
                    (ce, turned) => ce | if turned { TURNED } else { 0 },
                });
            lists.ce_of.extend(ce_of);
            lists.co_pairs = class.co_pairs();
            lists.even.resize_with(even.len(), RowSet::default);
            lists.seen.clear();
            for ((place, rows), row_set) in even.zip(even_rows).zip(&mut lists.even) {
                let kept = kept.map(|kept| &kept.even[place]);
                make(row_set, kept, of_even, (rows.set, 0));
                lists.seen.push(Seen {
                    ce_limit: rows.ce_limit,
                    co_limit: rows.co_limit,
                    last_co: class.last_co(rows),
                    weights: (0..rows.ce_limit)
                        .map(|ce| class.column_weight(rows, ce) as u8)
                        .collect(),
                    filter_weights: (0..rows.ce_limit)
                        .map(|ce| filter::column_weight(class, rows, ce) as u8)
                        .collect(),
                    last_cols: filter::last_cols(class, flip, rows.ce_limit),
                });
            }
        }
        lists.odd.resize_with(odd.len(), RowSet::default);
        lists.pairs.clear();
        for (o, (ro, row_set)) in odd.zip(&mut lists.odd).enumerate() {
            let kept = kept.map(|kept| &kept.odd[ro]);
            make(row_set, kept, of_odd, (0, class.odd_rows[ro]));
            for (e, rows) in even_rows.iter().enumerate() {
                let weight = class.row_weight(rows, ro as u32);
                if weight > 0 {
                    lists.pairs.push(Pair {
                        even: e as u32,
                        odd: o as u32,
                        weight,
                    });
                }
            }
        }
        true
    }
}

impl Sorted {
    /// What of `whole` has a Co below the limit: a prefix.
    fn copy_below(&mut self, whole: &Sorted, co_limit: u32) {
        self.starts.clear();
        self.starts
            .extend_from_slice(&whole.starts[..=co_limit as usize]);
        let end = self.starts[co_limit as usize] as usize;
        self.lines.clear();
        self.lines.extend_from_slice(&whole.lines[..end]);
        self.set_most();
    }

    fn set_most(&mut self) {
        let lengths = self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        self.most = lengths.max().unwrap_or(0);
    }

    fn copy(&mut self, queue: &Queue) {
        self.lines.clone_from(&queue.lines);
        self.starts.clone_from(&queue.starts);
        self.set_most();
    }
}

impl Tree {
    /// What of `whole` has a Ce below the limit. The most ends of one Ce stay those of the
    /// whole tree, which is no less.
    fn copy_below(&mut self, whole: &Tree, ce_limit: u32) {
        (self.rows, self.end_rows, self.cols) = (whole.rows, whole.end_rows, whole.cols);
        (self.most_ends, self.ce_limit) = (whole.most_ends, ce_limit);
        self.placements = whole.placements;
        self.squares.clone_from(&whole.squares);
        if ce_limit == whole.ce_limit {
            self.prefixes.clone_from(&whole.prefixes);
            self.ends.clone_from(&whole.ends);
            return;
        }
        self.prefixes.clear();
        self.ends.resize(whole.ends.len(), 0);
        let mut length = 0;
        let mut from = u16::MAX;
        for prefix in &whole.prefixes {
            from = from.min(prefix.from);
            let first_end = length;
            // Written always and kept or not: no branch to mispredict.
            for &end in &whole.ends[prefix.first_end as usize..][..prefix.ends as usize] {
                self.ends[length] = end;
                length += usize::from(end >> 16 < ce_limit);
            }
            if length > first_end {
                self.prefixes.push(Prefix {
                    path: prefix.path,
                    first_end: first_end as u32,
                    ends: (length - first_end) as u16,
                    from,
                });
                from = u16::MAX;
            }
        }
        self.ends.truncate(length);
    }

    /// A tree without prefixes: its squares, and how many placements there are.
    fn sketch(&mut self, (board, rows, _): (SmallBoard, u32, u32), ce_limit: u32) {
        let rows = self.begin(board, rows, ce_limit);
        self.most_ends = 0;
        let mut placements = 0;
        match rows.split_last() {
            None => placements = 1,
            Some((&last, others)) => search(board, others, 0, 0, &mut |cols, lines| {
                let free = board.all_cols() & !(cols | board.attacked(last, lines));
                placements += u64::from(free.count_ones());
            }),
        }
        self.placements = placements;
    }

    /// Begins a tree; returns its rows, from the last on, so that neighbouring row sets share
    /// their first levels.
    fn begin(&mut self, board: SmallBoard, rows: u32, ce_limit: u32) -> Vec<u32> {
        let mut rows: Vec<u32> = elements(rows).collect();
        rows.reverse();
        self.rows = rows.len() as u32;
        self.end_rows = self.rows.min(2);
        self.cols = board.cols;
        self.ce_limit = ce_limit;
        self.squares.clear();
        for &i in &rows {
            self.squares
                .extend((0..board.cols).map(|j| board.lines(i, j)));
        }
        self.prefixes.clear();
        self.ends.clear();
        rows
    }

    /// All placements with one queen in each of the side's rows whose Ce is below the limit.
    fn build(
        &mut self,
        (board, rows, flip): (SmallBoard, u32, u32),
        (numbers, ce_limit): (&[u16], u32),
        counts: &mut Vec<u32>,
    ) {
        let rows = self.begin(board, rows, ce_limit);
        let mut search = Search {
            board,
            rows: &rows,
            flip,
            numbers,
            from: 0,
            tree: self,
        };
        search.prefix(0, 0, 0, 0);
        counts.clear();
        counts.resize(ce_limit as usize, 0);
        for end in &self.ends {
            counts[(end >> 16) as usize] += 1;
        }
        self.most_ends = counts.iter().copied().max().unwrap_or(0);
        self.placements = self.ends.len() as u64;
    }
}

struct Search<'a> {
    board: SmallBoard,
    rows: &'a [u32],
    flip: u32,
    numbers: &'a [u16],
    /// The first level that changed since the last prefix with ends.
    from: usize,
    tree: &'a mut Tree,
}

impl Search<'_> {
    fn free(&self, level: usize, cols: u32, lines: u64) -> u32 {
        self.board.all_cols() & !(cols | self.board.attacked(self.rows[level], lines))
    }

    fn prefix(&mut self, level: usize, cols: u32, lines: u64, path: u64) {
        let depth = (self.tree.rows - self.tree.end_rows) as usize;
        if level < depth {
            for j in elements(self.free(level, cols, lines)) {
                self.from = self.from.min(level);
                let lines = lines | self.board.lines(self.rows[level], j);
                let path = path | u64::from(j) << (4 * level);
                self.prefix(level + 1, cols | 1 << j, lines, path);
            }
            return;
        }
        let first_end = self.tree.ends.len();
        match self.tree.end_rows {
            0 => self.end(0, cols),
            1 => {
                for j in elements(self.free(level, cols, lines)) {
                    self.end(j, cols | 1 << j);
                }
            }
            _ => {
                for j1 in elements(self.free(level, cols, lines)) {
                    let lines = lines | self.board.lines(self.rows[level], j1);
                    let cols = cols | 1 << j1;
                    for j2 in elements(self.free(level + 1, cols, lines)) {
                        self.end(j1 * self.board.cols + j2, cols | 1 << j2);
                    }
                }
            }
        }
        let ends = self.tree.ends.len() - first_end;
        if ends > 0 {
            self.tree.prefixes.push(Prefix {
                path,
                first_end: first_end as u32,
                ends: ends as u16,
                from: self.from as u16,
            });
            self.from = depth;
        }
    }

    fn end(&mut self, squares: u32, cols: u32) {
        let ce = u32::from(self.numbers[(cols ^ self.flip) as usize]);
        if ce < self.tree.ce_limit {
            self.tree.ends.push(squares | ce << 16);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::two_colour::count_unit;

    /// A count straight from the flat lists, with nothing but their documentation in hand.
    fn count(lists: &Lists) -> u64 {
        let histogram = |tree: &Tree, queue: &Sorted, seen: &Seen| {
            let mut cells = vec![0u64; (tree.ce_limit * seen.co_limit) as usize];
            let depth = tree.rows - tree.end_rows;
            let square = |level: u32, j: u32| tree.squares[(level * tree.cols + j) as usize];
            for prefix in &tree.prefixes {
                let mut lines = 0;
                for level in 0..depth {
                    lines |= square(level, (prefix.path >> (4 * level)) as u32 & 15);
                }
                for &end in &tree.ends[prefix.first_end as usize..][..prefix.ends as usize] {
                    let (squares, ce) = (end & 0xffff, end >> 16);
                    let p = lines
                        | match tree.end_rows {
                            0 => 0,
                            1 => square(depth, squares),
                            _ => {
                                square(depth, squares / tree.cols)
                                    | square(depth + 1, squares % tree.cols)
                            }
                        };
                    for co in 0..seen.co_limit {
                        let starts = &queue.starts[co as usize..];
                        let of_co = &queue.lines[starts[0] as usize..starts[1] as usize];
                        let survivors = of_co.iter().filter(|&&q| q & p == 0).count();
                        cells[(ce * seen.co_limit + co) as usize] += survivors as u64;
                    }
                }
            }
            cells
        };
        let mut total = 0;
        for pair in &lists.pairs {
            let seen = &lists.seen[pair.even as usize];
            let (even, odd) = (
                &lists.even[pair.even as usize],
                &lists.odd[pair.odd as usize],
            );
            let black = histogram(&even.tree, &odd.queue, seen);
            let white = histogram(&odd.tree, &even.queue, seen);
            for ce in 0..seen.ce_limit {
                for co in 0..seen.co_limit {
                    let cell = (ce * seen.co_limit + co) as usize;
                    let weight = match co < seen.last_co {
                        true => seen.weights[ce as usize].into(),
                        false => 1,
                    };
                    total += pair.weight * weight * black[cell] * white[cell];
                }
            }
        }
        total
    }

    #[test]
    fn flat_lists_give_the_count_of_every_unit() {
        for n in 1..=11 {
            let mut builder = Builder::new(n).unwrap();
            let mut lists = Lists::default();
            for unit in 0..builder.units().len() {
                assert!(builder.build(unit, &mut lists));
                assert_eq!(
                    Some(count(&lists)),
                    count_unit(n, unit),
                    "n={n} unit={unit}"
                );
            }
            assert!(!builder.build(builder.units().len(), &mut lists));
        }
    }

    #[test]
    fn a_prefix_says_where_its_path_leaves_the_one_before() {
        let mut builder = Builder::new(14).unwrap();
        let mut lists = Lists::default();
        for unit in [0, builder.units().len() / 2] {
            builder.build(unit, &mut lists);
            for tree in lists.even.iter().chain(&lists.odd).map(|set| &set.tree) {
                for pair in tree.prefixes.windows(2) {
                    let first = (pair[0].path ^ pair[1].path).trailing_zeros() / 4;
                    assert_eq!(u32::from(pair[1].from), first);
                }
            }
        }
    }
}
