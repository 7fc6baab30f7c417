//! The lists of a unit as arrays of plain numbers, for a machine that is not this one.
//!
//! The GPU counts the same units as the CPU, from the same lists in another shape: nothing
//! may depend on what was visited before, because many warps are at work at once. So all
//! placements that begin with the same queens, the *stem*, stand in one row, and each names
//! its other squares and its Ce in one word. [`Builder::build`] gives everything that one unit
//! needs: a tree and a queue for each even and each odd row set, and the pairs to count with
//! their limits and weights.
//!
//! A colour's tree is on the small board with even columns (Ce), its queue on the one with
//! odd columns (Co). Black's tree and white's queue depend on the even rows, black's queue
//! and white's tree on the odd rows; so each row set has one tree and one queue.
//!
//! A row set is in many units, each of which sees its own prefix of the Ce's and Co's. The
//! lists of a row set are whole, for all of them: the placements of a stem are sorted by Ce,
//! and whoever visits them stops at its limit. So a row set's lists are made once, and stay in
//! a [`Cache`] that several builders share; its placements and its lines perhaps with whoever
//! else can [`Keep`] them.
//!
//! This module is for `queens-cuda` and hidden: it may change without notice.

use super::batch::Colour;
use super::class::{Class, EvenRows, NONE};
use super::filter;
use super::lists::{Queue, elements, search};
use super::split::{SmallBoard, Split};
use super::units::{Unit, Units};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// The largest board whose paths, ends and lines fit the words used here.
pub const LARGEST_N: u32 = 30;

/// The placements that begin with the same queens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Stem {
    /// The column of level `l` in bits `4 l .. 4 l + 4`.
    pub path: u32,
    /// Where its placements begin.
    pub first: u32,
}

/// How the placements of a tree are written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Levels of a stem; at most five are left.
    pub stem_rows: u32,
    /// Of the rows that are left, those that stand alone; the others stand in pairs.
    pub singles: u32,
    /// Pairs of levels that follow each other, after those that stand alone.
    pub pairs: u32,
}

impl Layout {
    /// The layout for so many rows and columns. A pair of rows takes `cols * cols` planes on
    /// the card; there is room for so many pairs.
    pub fn of(rows: u32, cols: u32, most_pairs: u32) -> Layout {
        // Nor can one word name two pairs and a square of the largest boards.
        let left = match most_pairs {
            0 => 3,
            2.. if cols <= 13 => 5,
            _ => 4,
        };
        let left = rows.min(left);
        let pairs = most_pairs.min(left / 2);
        Layout {
            stem_rows: rows - left,
            singles: left - 2 * pairs,
            pairs,
        }
    }

    /// Where the Ce of a placement begins, behind its squares.
    pub fn ce_shift(&self) -> u32 {
        if self.singles + 2 * self.pairs == 5 {
            20
        } else {
            16
        }
    }
}

/// Placements of a stem are a multiple of this many; [`NO_PLACEMENT`] fills them up.
pub const TOGETHER: usize = 16;

/// Comes after all placements of a stem: its Ce is above any limit.
pub const NO_PLACEMENT: u32 = 0xffff_0000;

/// The placements of one small board with given rows.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Number of rows, all of them holding one queen.
    pub rows: u32,
    /// Number of columns of the small board.
    pub cols: u32,
    /// How placements are written down.
    pub layout: Layout,
    /// The lines of square (level, column) at `level * cols + column`: bit `d` of the low
    /// half is diagonal `d`, bit `a` of the high half is anti-diagonal `a`.
    pub squares: Vec<u64>,
    /// The stems that have placements, in the order of the search, and one that ends them.
    pub stems: Vec<Stem>,
    /// The placements of the stems, each `squares + (ce << ce_shift)` and sorted by Ce. The low
    /// byte of `squares` is the last pair of rows, `j1 * cols + j2`, or the last row where there
    /// is no pair; the next byte is the pair before, or the rows that stand alone before the
    /// last pair, four bits each; one that stands alone before two pairs comes above. Where
    /// all stand alone, there are four bits for each from the first on.
    pub placements: Vec<u32>,
    /// The most placements that one Ce has.
    pub most: u32,
    /// No fewer than there are placements, or would be in a tree that lists none.
    pub count: u64,
}

/// The placements of the other small board of the colour, sorted by Co.
#[derive(Clone, Debug, Default)]
pub struct Sorted {
    /// The lines of each placement, numbered as in [`Tree::squares`], and its [`packed_co`].
    pub lines: Vec<u64>,
    /// `lines[starts[co]..starts[co + 1]]` have this Co.
    pub starts: Vec<u32>,
    /// The most placements that one Co has.
    pub most: u32,
    /// Some of the lists, one after the other, and how long each is, where all are kept elsewhere.
    sample: Vec<u64>,
    sample_lengths: Vec<u32>,
}

/// What one row set needs: the tree of one colour, the queue of the other.
#[derive(Clone, Debug, Default)]
pub struct RowSet {
    /// The tree: black's for even rows, white's for odd rows.
    pub tree: Tree,
    /// The queue: white's for even rows, black's for odd rows.
    pub queue: Sorted,
    /// Where [`Tree::placements`] and [`Sorted::lines`] are, if they are not here.
    pub kept: Option<Kept>,
}

/// Where someone else keeps the long lists of a row set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The tree's placements.
    pub placements: u32,
    /// The queue's lines.
    pub lines: u32,
}

/// Someone who keeps lists, so that they need no memory here: a card.
pub trait Keep: Sync {
    /// Takes a copy of the lists of a row set; `None` where there is no room.
    fn keep(&self, placements: &[u32], lines: &[u64]) -> Option<Kept>;
}

/// About how many lists of a queue stay here where the others are kept elsewhere.
const SAMPLED: usize = 16;

/// How many bits of a Co have room beside the lines of a placement, up to six.
pub fn packed_bits(n: u32) -> u32 {
    (2 * (32 - diagonals(n))).min(6)
}

/// The number of diagonals of a colour, which is that of its anti-diagonals.
pub fn diagonals(n: u32) -> u32 {
    2 * n.div_ceil(2)
}

/// The low bits of a Co, above the diagonals and, what has no room there, above the
/// anti-diagonals.
pub fn packed_co(n: u32, co: u32) -> u64 {
    let low = u64::from(co & ((1 << packed_bits(n)) - 1));
    let above = diagonals(n);
    (low << above & 0xffff_ffff) | low >> (32 - above) << (32 + above)
}

/// How many neighbouring row sets are a block.
const BLOCK: usize = 64;

/// The class of a unit and which blocks of even and odd row sets it is of. Units that agree in
/// these have most of their lists in common.
pub fn blocks(units: &Units, unit: u64) -> Option<(u32, usize, usize)> {
    let Unit { c, even, odd } = units.get(unit)?;
    Some((c, even.start / BLOCK, odd.start / BLOCK))
}

/// The row sets of some units, each once, by their blocks: class, whether they are odd, and
/// number; then the places of those that are needed.
pub fn row_sets(units: &Units, some: &[u64]) -> BTreeMap<(u32, bool, usize), BTreeSet<usize>> {
    let mut ranges = BTreeSet::new();
    for Unit { c, even, odd } in some.iter().filter_map(|&unit| units.get(unit)) {
        ranges.insert((c, false, even.start, even.end));
        ranges.insert((c, true, odd.start, odd.end));
    }
    let mut blocks: BTreeMap<_, BTreeSet<usize>> = BTreeMap::new();
    for (c, odd, start, end) in ranges {
        // A unit's row sets are of one block.
        let block = blocks.entry((c, odd, start / BLOCK)).or_default();
        block.extend(start..end);
    }
    blocks
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
    /// Number of Co's visited, a prefix of the queues'.
    pub co_limit: u32,
    /// Co's below this weigh [`Weights::below`], those from here on [`Weights::rest`].
    pub last_co: u32,
}

/// What counts are multiplied with, for each Ce.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// For Co's below [`Pair::last_co`].
    pub below: Vec<u8>,
    /// For the others; empty where all weigh 1.
    pub rest: Vec<u8>,
}

/// What one even row set sees of the column sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Number of Ce's visited, a prefix of the trees'.
    pub ce_limit: u32,
    /// The weights of each visited Ce: 1, 2 or 4.
    pub weights: Weights,
    /// The same for whoever meets column sets beside their reverse, as [`Lists::ce_of`] lets
    /// one do: all counts are double then for odd `n`.
    pub filter_weights: Weights,
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
    pub even_range: Range<usize>,
    /// The even row sets.
    pub even: Vec<Arc<RowSet>>,
    /// What each even row set sees.
    pub seen: Vec<Seen>,
    /// Places of the odd row sets in the class.
    pub odd_range: Range<usize>,
    /// The odd row sets.
    pub odd: Vec<Arc<RowSet>>,
    /// The pairs of weight above 0.
    pub pairs: Vec<Pair>,
    /// For each set of columns of a gathering placement its Ce, that of its reverse and
    /// [`TURNED`], or [`NO_CE`].
    pub ce_of: Vec<u16>,
    /// For each set of columns of a stored placement its Ce, or [`NO_CE`].
    pub stored_ce_of: Vec<u16>,
    /// Co's below this stand in pairs that are each other's reverse; the others are their own.
    pub co_pairs: u32,
}

/// Marks the Ce of a reversed set of columns.
pub const TURNED: u16 = 1 << 15;

/// No Ce.
pub const NO_CE: u16 = u16::MAX;

/// The lists of row sets, made when they are first needed. Several builders share one. The
/// lists of a class go when the last builder leaves it, those of small boards with the cache.
#[derive(Debug, Default)]
pub struct Cache {
    classes: Mutex<HashMap<u32, Weak<ClassCache>>>,
    small: Mutex<Vec<Arc<ClassCache>>>,
}

/// The lists of one class, by the places of its row sets.
#[derive(Debug)]
struct ClassCache {
    even: Vec<OnceLock<Arc<RowSet>>>,
    odd: Vec<OnceLock<Arc<RowSet>>>,
}

/// Above this size the lists of a class take too much memory to be kept: a gigabyte and a
/// half at n = 24.
const LARGEST_CACHED: u32 = 24;

/// Up to this size the lists of all classes take little memory, half a gigabyte at n = 22.
const LARGEST_SMALL: u32 = 22;

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
        if class.split.n <= LARGEST_SMALL {
            let mut small = self
                .small
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            small.push(cache.clone());
        }
        cache
    }
}

/// Builds the lists of units, one after the other.
pub struct Builder<'a> {
    units: Units,
    class: Class,
    cache: Arc<Cache>,
    class_cache: Option<Arc<ClassCache>>,
    queue: Queue,
    counts: Vec<u32>,
    left_out: Vec<u32>,
    most_pairs: u32,
    keep: Option<&'a dyn Keep>,
    /// Memory for the next lists to be kept.
    spare: (Vec<u32>, Vec<u64>),
}

impl<'a> Builder<'a> {
    /// A builder for this board, or `None` above [`LARGEST_N`] and for 0.
    pub fn new(n: u32) -> Option<Builder<'a>> {
        (1..=LARGEST_N)
            .contains(&n)
            .then(|| Builder::sharing(Units::new(n), Arc::default()))
    }

    /// A builder for these units, up to [`LARGEST_N`], that shares lists with others for the
    /// same board.
    pub fn sharing(units: Units, cache: Arc<Cache>) -> Builder<'a> {
        Builder {
            class: Class::new(Split::new(units.n()), 0),
            units,
            cache,
            class_cache: None,
            queue: Queue::default(),
            counts: Vec::new(),
            left_out: Vec::new(),
            most_pairs: 2,
            keep: None,
            spare: Default::default(),
        }
    }

    /// Leaves out the placements of the trees of the gathering colour in these classes.
    /// Builders that share a cache must all leave out the same.
    #[must_use]
    pub fn without_gathering_trees(mut self, classes: Vec<u32>) -> Builder<'a> {
        self.left_out = classes;
        self
    }

    /// Lays placements out for cards with room for the planes of so many pairs of rows; all
    /// builders that share a cache must.
    #[must_use]
    pub fn with_pairs(mut self, most: u32) -> Builder<'a> {
        self.most_pairs = most;
        self
    }

    /// Has the long lists that are shared kept elsewhere, where there is room.
    #[must_use]
    pub fn kept_by(mut self, keep: Option<&'a dyn Keep>) -> Builder<'a> {
        self.keep = keep;
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
        self.enter(c);
        let same_even = !lists.even.is_empty() && lists.c == c && lists.even_range == even;
        if !same_even {
            lists.even = even
                .clone()
                .map(|place| self.row_set(false, place))
                .collect();
        }
        lists.odd = odd.clone().map(|place| self.row_set(true, place)).collect();
        let class = &self.class;
        if !same_even {
            let (gather, store) = Colour::roles(class);
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
            let (stored_board, stored_flip) = store.tree_board_and_flip();
            let numbers = class.ce_numbers();
            let stored =
                (0..1u32 << stored_board.cols).map(|cols| numbers[(cols ^ stored_flip) as usize]);
            lists.stored_ce_of.clear();
            lists.stored_ce_of.extend(stored);
            lists.co_pairs = class.co_pairs();
            let seen = |rows: &EvenRows| {
                // Neither Ce's nor weights depend on the odd rows.
                let visits = class.visits(rows, 0);
                let weights = |weight: &dyn Fn(u32, bool) -> u32| {
                    let of = |below| (0..visits.ce_limit).map(move |ce| weight(ce, below) as u8);
                    let rest: Vec<u8> = of(false).collect();
                    Weights {
                        below: of(true).collect(),
                        rest: match rest.iter().all(|&weight| weight == 1) {
                            true => Vec::new(),
                            false => rest,
                        },
                    }
                };
                Seen {
                    ce_limit: visits.ce_limit,
                    weights: weights(&|ce, below| class.column_weight(&visits, ce, below)),
                    filter_weights: weights(&|ce, below| {
                        filter::column_weight(class, &visits, ce, below)
                    }),
                    last_cols: filter::last_cols(class, flip, visits.ce_limit),
                }
            };
            lists.seen = class.even_rows[even].iter().map(seen).collect();
        }
        lists.odd_range = odd.clone();
        lists.pairs.clear();
        let even_rows = &class.even_rows[lists.even_range.clone()];
        for (o, ro) in odd.enumerate() {
            for (e, rows) in even_rows.iter().enumerate() {
                let weight = class.row_weight(rows, ro as u32);
                if weight > 0 {
                    let visits = class.visits(rows, ro);
                    lists.pairs.push(Pair {
                        even: e as u32,
                        odd: o as u32,
                        weight,
                        co_limit: visits.co_limit,
                        last_co: visits.last_co,
                    });
                }
            }
        }
        true
    }

    /// Makes the lists of one row set, for builders that share them and will need it; several
    /// builders can make different ones at the same time. Does nothing where lists are not
    /// shared.
    pub fn prepare(&mut self, c: u32, odd: bool, place: usize) {
        self.enter(c);
        if self.class_cache.is_some() {
            self.row_set(odd, place);
        }
    }

    /// Goes on to a class.
    fn enter(&mut self, c: u32) {
        if self.class.c != c {
            self.class = Class::new(Split::new(self.units.n()), c);
            self.class_cache = None;
        }
        if self.class_cache.is_none() && self.units.n() <= LARGEST_CACHED {
            self.class_cache = Some(self.cache.class(&self.class));
        }
    }

    /// The lists of a row set of the class, even or odd.
    fn row_set(&mut self, odd: bool, place: usize) -> Arc<RowSet> {
        let cache = self.class_cache.clone();
        let slot = cache.as_deref().map(|cache| match odd {
            false => &cache.even[place],
            true => &cache.odd[place],
        });
        match slot {
            Some(slot) => {
                let make = || Arc::new(self.make_shared_row_set(odd, place));
                slot.get_or_init(make).clone()
            }
            None => Arc::new(self.make_row_set(odd, place)),
        }
    }

    fn make_shared_row_set(&mut self, odd: bool, place: usize) -> RowSet {
        let mut row_set = self.make_row_set(odd, place);
        if let Some(keep) = self.keep {
            let (placements, lines) = (&row_set.tree.placements, &row_set.queue.lines);
            row_set.kept = keep.keep(placements, lines);
        }
        if row_set.kept.is_some() {
            let placements = std::mem::take(&mut row_set.tree.placements);
            self.spare = (placements, row_set.queue.thin_out());
            self.spare.0.clear();
            self.spare.1.clear();
        }
        row_set
    }

    fn make_row_set(&mut self, odd: bool, place: usize) -> RowSet {
        let class = &self.class;
        let (gather, store) = Colour::roles(class);
        // Black's tree and white's queue are of the even rows, the others of the odd ones.
        let tree_gathers = gather.tree_is_even() != odd;
        let (tree_colour, queue_colour) = match tree_gathers {
            true => (gather, store),
            false => (store, gather),
        };
        // A list depends on the rows of one parity; the other's do not matter.
        let rows = match odd {
            false => (class.even_rows[place].set, 0),
            true => (0, class.odd_rows[place]),
        };
        let mut row_set = RowSet::default();
        (row_set.tree.placements, row_set.queue.lines) = std::mem::take(&mut self.spare);
        let side = tree_colour.tree_side(class, rows);
        if tree_gathers && self.left_out.contains(&class.c) {
            row_set.tree.sketch(side, self.most_pairs);
        } else {
            let numbers = (class.ce_numbers(), class.ce_count());
            let most_pairs = self.most_pairs;
            row_set
                .tree
                .build(side, numbers, most_pairs, &mut self.counts);
        }
        queue_colour.build_queue(class, rows, class.co_count(), &mut self.queue);
        row_set.queue.copy(class.split.n, &self.queue);
        row_set
    }
}

impl Sorted {
    fn copy(&mut self, n: u32, queue: &Queue) {
        self.starts.clone_from(&queue.starts);
        self.lines.reserve_exact(queue.lines.len());
        for (range, co) in queue.starts.windows(2).zip(0..) {
            let packed = packed_co(n, co);
            let of_co = &queue.lines[range[0] as usize..range[1] as usize];
            self.lines.extend(of_co.iter().map(|lines| lines | packed));
            self.most = self.most.max(range[1] - range[0]);
        }
    }

    /// Some lists of Co's, about so many or, where the others are kept elsewhere, fewer.
    pub fn some_lists(&self, number: usize) -> impl Iterator<Item = &[u64]> {
        let starts = match self.sample_lengths.is_empty() {
            true => self.starts.as_slice(),
            false => &[],
        };
        let step = starts.len() / number + 1;
        let list = |range: &[u32]| &self.lines[range[0] as usize..range[1] as usize];
        let here = starts.windows(2).step_by(step).map(list);
        let mut rest = self.sample.as_slice();
        let sampled = self.sample_lengths.iter().map(move |&length| {
            let list;
            (list, rest) = rest.split_at(length as usize);
            list
        });
        here.chain(sampled)
    }

    /// Leaves only some of the lists here, and returns the memory of the others.
    fn thin_out(&mut self) -> Vec<u64> {
        let mut sample = Vec::new();
        let mut lengths = Vec::new();
        for list in self.some_lists(SAMPLED) {
            sample.extend(list);
            lengths.push(list.len() as u32);
        }
        (self.sample, self.sample_lengths) = (sample, lengths);
        std::mem::take(&mut self.lines)
    }
}

impl Tree {
    /// A tree that lists no placements: its squares, and how many there would be or, on small
    /// boards, could be at most.
    fn sketch(&mut self, (board, rows, _): (SmallBoard, u32, u32), most_pairs: u32) {
        let rows = self.begin(board, rows, most_pairs);
        let number = rows.len() as u32;
        self.count = (self.cols + 1 - number..=self.cols)
            .map(u64::from)
            .product();
        if self.cols > 12 {
            self.count = 0;
            search(board, &rows, 0, 0, &mut |_, _| self.count += 1);
        }
    }

    /// Begins a tree; returns its rows, those near the middle of the board first: there a queen
    /// attacks more of the placements of the other board, so stems leave fewer, and so does
    /// whoever unfolds row by row.
    fn begin(&mut self, board: SmallBoard, rows: u32, most_pairs: u32) -> Vec<u32> {
        let mut rows: Vec<u32> = elements(rows).collect();
        self.rows = rows.len() as u32;
        self.cols = board.cols;
        self.layout = Layout::of(self.rows, self.cols, most_pairs);
        rows.sort_by_key(|&i| (2 * i + 1).abs_diff(board.cols));
        for &i in &rows {
            self.squares
                .extend((0..board.cols).map(|j| board.lines(i, j)));
        }
        rows
    }

    /// All placements with one queen in each of the side's rows that have a Ce.
    fn build(
        &mut self,
        (board, rows, flip): (SmallBoard, u32, u32),
        (numbers, ce_count): (&[u16], u32),
        most_pairs: u32,
        counts: &mut Vec<u32>,
    ) {
        let rows = self.begin(board, rows, most_pairs);
        counts.clear();
        counts.resize(ce_count as usize, 0);
        let left = self.layout.stem_rows..self.rows;
        let mut search = Search {
            board,
            rows: &rows,
            places: left.map(|level| self.place(level)).collect(),
            flip,
            numbers,
            counts,
            tree: self,
        };
        search.stem(0, 0, 0, 0);
        self.most = counts.iter().copied().max().unwrap_or(0);
        self.stems.push(Stem {
            path: 0,
            first: self.placements.len() as u32,
        });
    }

    /// The place of a level's column in a placement.
    fn place(&self, level: u32) -> (u32, u32) {
        let Layout {
            stem_rows,
            singles,
            pairs,
        } = self.layout;
        let left = level - stem_rows;
        if left < singles {
            return (8 * pairs + 4 * left, 1);
        }
        let from_end = self.rows - 1 - level;
        (
            8 * (from_end / 2),
            if from_end % 2 == 1 { self.cols } else { 1 },
        )
    }
}

struct Search<'a> {
    board: SmallBoard,
    rows: &'a [u32],
    /// The places of the levels below the stems.
    places: Vec<(u32, u32)>,
    flip: u32,
    numbers: &'a [u16],
    counts: &'a mut [u32],
    tree: &'a mut Tree,
}

impl Search<'_> {
    fn free(&self, level: usize, cols: u32, lines: u64) -> u32 {
        self.board.free(self.rows[level], cols, lines)
    }

    fn stem(&mut self, level: usize, cols: u32, lines: u64, path: u32) {
        if level < self.tree.layout.stem_rows as usize {
            for j in elements(self.free(level, cols, lines)) {
                let lines = lines | self.board.lines(self.rows[level], j);
                self.stem(level + 1, cols | 1 << j, lines, path | j << (4 * level));
            }
            return;
        }
        let first = self.tree.placements.len();
        self.rest(level, cols, lines, 0);
        let placements = &mut self.tree.placements;
        if placements.len() > first {
            self.tree.count += (placements.len() - first) as u64;
            // The Ce comes first in the order of numbers.
            placements[first..].sort_unstable();
            placements.resize(placements.len().next_multiple_of(TOGETHER), NO_PLACEMENT);
            self.tree.stems.push(Stem {
                path,
                first: first as u32,
            });
        }
    }

    fn rest(&mut self, level: usize, cols: u32, lines: u64, squares: u32) {
        let Some(&row) = self.rows.get(level) else {
            return self.end(cols, squares);
        };
        let (shift, times) = self.places[level - self.tree.layout.stem_rows as usize];
        for j in elements(self.free(level, cols, lines)) {
            let (cols, squares) = (cols | 1 << j, squares + ((j * times) << shift));
            // Most of the time goes by in the last row.
            match level + 1 == self.rows.len() {
                true => self.end(cols, squares),
                false => self.rest(level + 1, cols, lines | self.board.lines(row, j), squares),
            }
        }
    }

    fn end(&mut self, cols: u32, squares: u32) {
        let ce = self.numbers[(cols ^ self.flip) as usize];
        if ce != NONE {
            self.counts[usize::from(ce)] += 1;
            let shift = self.tree.layout.ce_shift();
            self.tree.placements.push(squares | u32::from(ce) << shift);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::two_colour::count_unit;

    /// A count straight from the flat lists, with nothing but their documentation in hand.
    fn count(lists: &Lists) -> u64 {
        let histogram = |tree: &Tree, queue: &Sorted, seen: &Seen, co_limit: u32| {
            let mut cells = vec![0u64; (seen.ce_limit * co_limit) as usize];
            let square = |level: u32, j: u32| tree.squares[(level * tree.cols + j) as usize];
            for stems in tree.stems.windows(2) {
                let range = stems[0].first as usize..stems[1].first as usize;
                for &placement in &tree.placements[range] {
                    let ce = placement >> tree.layout.ce_shift();
                    if ce >= seen.ce_limit {
                        break;
                    }
                    let column = |level: u32| {
                        if level < tree.layout.stem_rows {
                            return stems[0].path >> (4 * level) & 15;
                        }
                        let (shift, times) = tree.place(level);
                        let byte = placement >> shift & 0xff;
                        let single = level - tree.layout.stem_rows < tree.layout.singles;
                        match (single, times) {
                            (true, _) => byte & 15,
                            (_, 1) => byte % tree.cols,
                            _ => byte / tree.cols,
                        }
                    };
                    let p = (0..tree.rows).fold(0, |p, level| p | square(level, column(level)));
                    for co in 0..co_limit {
                        let starts = &queue.starts[co as usize..];
                        let of_co = &queue.lines[starts[0] as usize..starts[1] as usize];
                        let survivors = of_co.iter().filter(|&&q| q & p == 0).count();
                        cells[(ce * co_limit + co) as usize] += survivors as u64;
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
            let black = histogram(&even.tree, &odd.queue, seen, pair.co_limit);
            let white = histogram(&odd.tree, &even.queue, seen, pair.co_limit);
            for ce in 0..seen.ce_limit {
                for co in 0..pair.co_limit {
                    let cell = (ce * pair.co_limit + co) as usize;
                    let weights = match co < pair.last_co {
                        true => &seen.weights.below,
                        false => &seen.weights.rest,
                    };
                    let weight = u64::from(*weights.get(ce as usize).unwrap_or(&1));
                    total += pair.weight * weight * black[cell] * white[cell];
                }
            }
        }
        total
    }

    #[test]
    fn flat_lists_give_the_count_of_every_unit() {
        for (n, most_pairs) in (1..=11).flat_map(|n| [(n, 0), (n, 1), (n, 2)]) {
            let mut builder = Builder::new(n).unwrap().with_pairs(most_pairs);
            let mut lists = Lists::default();
            for unit in 0..builder.units().len() {
                assert!(builder.build(unit, &mut lists));
                assert_eq!(
                    Some(count(&lists)),
                    count_unit(n, unit),
                    "n={n} unit={unit} pairs={most_pairs}"
                );
            }
            assert!(!builder.build(builder.units().len(), &mut lists));
        }
    }

    type PlacementsAndLines = (Vec<u32>, Vec<u64>);

    /// Keeps two row sets of three.
    #[derive(Default)]
    struct Shelf(Mutex<Vec<Option<PlacementsAndLines>>>);

    impl Keep for Shelf {
        fn keep(&self, placements: &[u32], lines: &[u64]) -> Option<Kept> {
            let mut shelf = self.0.lock().unwrap();
            let place = shelf.len() as u32;
            let kept = place % 3 < 2;
            shelf.push(kept.then(|| (placements.to_vec(), lines.to_vec())));
            kept.then_some(Kept {
                placements: place,
                lines: place,
            })
        }
    }

    #[test]
    fn lists_that_are_kept_elsewhere_are_the_same_and_not_here() {
        for n in 8..=15 {
            let shelf = Shelf::default();
            let mut plain = Builder::new(n).unwrap();
            let mut builder = Builder::new(n).unwrap().kept_by(Some(&shelf));
            let (mut expected, mut lists) = (Lists::default(), Lists::default());
            let mut number = 0;
            for unit in 0..plain.units().len() {
                assert!(plain.build(unit, &mut expected) && builder.build(unit, &mut lists));
                let sets = lists.even.iter().chain(&lists.odd);
                for (set, whole) in sets.zip(expected.even.iter().chain(&expected.odd)) {
                    let shelf = shelf.0.lock().unwrap();
                    let (placements, lines) = match set.kept {
                        None => (&set.tree.placements, &set.queue.lines),
                        Some(kept) => {
                            number += 1;
                            assert!(set.tree.placements.is_empty() && set.queue.lines.is_empty());
                            let (placements, lines) = shelf[kept.lines as usize].as_ref().unwrap();
                            (placements, lines)
                        }
                    };
                    assert_eq!(placements, &whole.tree.placements, "n={n} unit={unit}");
                    assert_eq!(lines, &whole.queue.lines, "n={n} unit={unit}");
                    assert_eq!(set.queue.starts, whole.queue.starts);
                    // What is left here to judge by are lists of the queue.
                    let mut lists = whole.queue.starts.windows(2);
                    for some in set.queue.some_lists(64) {
                        let is_some = |range: &[u32]| {
                            let list = &whole.queue.lines[range[0] as usize..range[1] as usize];
                            list == some
                        };
                        assert!(lists.any(is_some), "n={n} unit={unit}");
                    }
                }
            }
            assert!(number > 0);
        }
    }

    #[test]
    fn placements_of_a_stem_are_sorted_and_filled_up() {
        let mut builder = Builder::new(14).unwrap();
        let mut lists = Lists::default();
        for unit in [0, builder.units().len() / 2] {
            builder.build(unit, &mut lists);
            for tree in lists.even.iter().chain(&lists.odd).map(|set| &set.tree) {
                for stems in tree.stems.windows(2) {
                    let of = &tree.placements[stems[0].first as usize..stems[1].first as usize];
                    assert_eq!(of.len() % TOGETHER, 0);
                    assert!(of.is_sorted());
                    assert_ne!(of[0], NO_PLACEMENT);
                }
                let listed = tree
                    .placements
                    .iter()
                    .filter(|&&p| p != NO_PLACEMENT)
                    .count();
                assert_eq!(listed as u64, tree.count);
            }
        }
    }
}
