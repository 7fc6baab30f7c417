//! Some units as one block of memory, which a card reads in place.
//!
//! Everything is an array of plain numbers at a *place*, counted in 8-byte words from the
//! start: the trees and queues of the row sets, then the tables that tell where they are, the
//! pairs, and the jobs. A storing job is one pair and 32 Co's, a gathering job is some pairs
//! that share a queue, a part of it, and one column of their first row; a job is the work of
//! one block of threads. A filtering job is some pairs, a part of their queue and their first
//! one or two queens, the work of one warp. The structures here mirror those of `kernel.cu`.
//!
//! A [`Plan`] says how a card runs a batch: threads, shared memory, and the *waves*, each a
//! launch that stores and a launch that gathers, none longer than about a tenth of a second
//! and none with more tables than the card has room for.

use crate::Error;
use queens::count::two_colour::flat::{Lists, Pair, RowSet, Seen, Sorted, Tree};
use std::ops::Range;

/// Lanes of a warp: Co's of a storing job.
const LANES: u32 = 32;
/// Bytes of a plane: one 32-bit word per lane.
const PLANE: u32 = 4 * LANES;
/// Words from one plane of lines to the next.
const LINE_STEP: u32 = LANES + 1;
/// Words of 32 placements that a lane has at a time when it gathers.
const WORDS: u32 = 2;
/// The most levels of a stem.
const MOST_STEM_ROWS: u32 = 4;
/// The most pairs of a gathering job.
const MOST_PAIRS: usize = 8;
/// The most pairs of a filtering job.
const MOST_FILTER_PAIRS: usize = 16;
/// The most bits of the Co's of a filtering job.
const FILTER_CO_BITS: u32 = 12;
/// Warps of a block that filters, and the bytes of shared memory of each.
const FILTER_WARPS: u32 = 8;
const FILTER_WARP_BYTES: u32 = 8 * 7 * LANES + 64 * 16 + 36 * 16 + 4 * 16 + 16 * 16;
/// The most placements of a gathering job on a card, unless one Co alone has more.
pub const MOST_PLACEMENTS: u32 = 1 << 16;

/// Mirror of `Tree`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct TreeEntry {
    squares: u32,
    prefixes: u32,
    ends: u32,
    stems: u32,
    stem_count: u32,
    stem_rows: u32,
    rows: u32,
    end_rows: u32,
    cols: u32,
    pairs: u32,
    pair_count: u32,
    unused: u32,
}

/// Mirror of `Stem`.
#[derive(Clone, Copy)]
#[repr(C)]
struct StemEntry {
    path: u32,
    first_prefix: u32,
}

/// Mirror of `Queue`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct QueueEntry {
    lines: u32,
    starts: u32,
    cos: u32,
    unused: u32,
}

/// Mirror of `Pair`.
#[derive(Clone, Copy)]
#[repr(C)]
struct PairEntry {
    store_tree: u32,
    store_queue: u32,
    gather_tree: u32,
    table_rows: u32,
    table_cols: u32,
    ce_limit: u32,
    co_limit: u32,
    last_co: u32,
    weights: u32,
    unused: u32,
    table: u64,
}

impl PairEntry {
    fn cells(&self) -> u64 {
        u64::from(self.table_rows) * u64::from(self.table_cols)
    }
}

/// Mirror of `StoreJob`.
#[derive(Clone, Copy)]
#[repr(C)]
struct StoreEntry {
    pair: u32,
    first_co: u32,
}

/// Mirror of `GatherJob`.
#[derive(Clone, Copy)]
#[repr(C)]
struct GatherEntry {
    queue: u32,
    first_co: u32,
    last_co: u32,
    first_pair: u32,
    pairs: u32,
    first_sum: u32,
    column: u32,
    unused: u32,
}

/// Mirror of `FilterPair`.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct FilterPairEntry {
    table: u32,
    table_rows: u16,
    table_cols: u16,
    weight: u16,
    distance: u16,
    shifts: [u8; 4],
    last_cols: u32,
    unused: [u32; 3],
    diag: [u8; 16],
    anti: [u8; 16],
}

/// Mirror of `FilterJob`.
#[derive(Clone, Copy)]
#[repr(C)]
struct FilterEntry {
    items: u32,
    count: u32,
    first_pair: u32,
    pairs: u32,
    levels: u32,
    columns: u32,
    first_co: u32,
    co_pairs: u32,
}

/// How the second colour gathers from the tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gather {
    /// Blocks of threads scan placements as bits.
    #[default]
    Scan,
    /// Warps filter lists of placements queen by queen.
    Filter,
}

/// Mirror of `Batch`: what a launch of the kernel is given.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Launch {
    words: u64,
    sums: u64,
    tiles: u64,
    sifted: u64,
    tables: u64,
    flag: u64,
    trees: u32,
    queues: u32,
    pairs: u32,
    jobs: u32,
    first_job: u32,
    job_end: u32,
    square_planes: u32,
    end_planes: u32,
    tile_rows: u32,
    list_room: u32,
    diagonals: u32,
    filter_pairs: u32,
    ce_of: u32,
    queens: u32,
    cols: u32,
    unused: u32,
    next_job: u64,
}

/// Where a batch and its results are in a card's memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Addresses {
    /// The batch's words.
    pub words: u64,
    /// The sums, [`Batch::sums`] of them.
    pub sums: u64,
    /// Tiles of tables, one per block of threads, where they do not fit shared memory.
    pub tiles: u64,
    /// The lists that are being sifted.
    pub sifted: u64,
    /// The tables.
    pub tables: u64,
    /// [`Batch::flags`] 32-bit numbers, 0 to begin with: one that becomes 1 where a cell does
    /// not fit and 2 where a list does not, and for each wave how many of its jobs have been
    /// taken.
    pub flags: u64,
}

/// Plain numbers without padding, which can be copied to a card byte by byte.
///
/// # Safety
///
/// The type must have no padding and be `repr(C)` or primitive.
unsafe trait Plain: Copy {}
// SAFETY: made of `u32`s (or wider, aligned) only, without gaps.
unsafe impl Plain for TreeEntry {}
// SAFETY: as above.
unsafe impl Plain for StemEntry {}
// SAFETY: as above.
unsafe impl Plain for QueueEntry {}
// SAFETY: as above.
unsafe impl Plain for PairEntry {}
// SAFETY: as above.
unsafe impl Plain for StoreEntry {}
// SAFETY: as above.
unsafe impl Plain for GatherEntry {}
// SAFETY: as above; 64 bytes of numbers, each at a multiple of its size.
unsafe impl Plain for FilterPairEntry {}
// SAFETY: as above.
unsafe impl Plain for FilterEntry {}
// SAFETY: as above; 8 + 4 + 2 + 2 bytes.
unsafe impl Plain for queens::count::two_colour::flat::Prefix {}
// SAFETY: primitive.
unsafe impl Plain for u64 {}
// SAFETY: primitive.
unsafe impl Plain for u32 {}
// SAFETY: primitive.
unsafe impl Plain for u16 {}
// SAFETY: primitive.
unsafe impl Plain for u8 {}

/// What a pair's count is multiplied with, and the unit it belongs to.
#[derive(Clone, Copy, Debug)]
struct Share {
    unit: usize,
    weight: u64,
}

/// One wave of a batch: some pairs, stored and then gathered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// The storing jobs.
    pub store: Range<u32>,
    /// The gathering jobs.
    pub gather: Range<u32>,
    number: u32,
    /// The cells of the tables.
    cells: u64,
}

/// Some units, ready to be counted.
#[derive(Default)]
pub struct Batch {
    n: u32,
    gather: Gather,
    most_placements: u32,
    units: Vec<u64>,
    words: Vec<u64>,
    trees: Vec<TreeEntry>,
    queues: Vec<QueueEntry>,
    pairs: Vec<PairEntry>,
    shares: Vec<Share>,
    stores: Vec<StoreEntry>,
    gathers: Vec<GatherEntry>,
    filter_pairs: Vec<FilterPairEntry>,
    filters: Vec<FilterEntry>,
    /// For each sum, where it belongs.
    sums: Vec<Share>,
    waves: Vec<Wave>,
    wave_cost: f64,
    cost: f64,
    square_planes: u32,
    end_planes: u32,
    tile_rows: u32,
    list_room: u32,
    /// The class of the units that were added last.
    class: Option<ClassEntry>,
    /// The even row sets that are in: their class, places, and first number.
    even: Option<(u32, Range<usize>, Numbers)>,
    /// The queue and its Co's whose items were pushed last, and where they are.
    last_items: Option<((u32, u32, u32), u32)>,
    places: [u32; 7],
}

/// What a launch has to know of a class.
#[derive(Clone, Copy, Debug, Default)]
struct ClassEntry {
    c: u32,
    /// The place of its Ce's by columns.
    ce_of: u32,
    /// The queens and the columns of its gathering placements.
    queens: u32,
    cols: u32,
}

/// Some pairs that share a queue and the first rows of their trees.
struct Group<'a> {
    /// The number of the first.
    first: usize,
    pairs: &'a [Pair],
    queue: &'a Sorted,
    queue_number: u32,
    co_pairs: u32,
}

/// Where the row sets of one parity begin in the tables, and the weights of the even ones.
#[derive(Clone, Debug)]
struct Numbers {
    first: u32,
    weights: Vec<u32>,
}

impl Batch {
    /// An empty batch for this board.
    pub fn new(n: u32, shape: &Shape) -> Batch {
        Batch {
            n,
            gather: shape.gather,
            most_placements: shape.most_placements,
            ..Batch::default()
        }
    }

    /// Whether units of this class may be added: a batch to be filtered has one class only.
    pub fn takes(&self, c: u32) -> bool {
        self.gather == Gather::Scan || self.class.is_none_or(|class| class.c == c)
    }

    /// Empties the batch, keeping its memory.
    pub fn clear(&mut self) {
        self.units.clear();
        self.words.clear();
        self.trees.clear();
        self.queues.clear();
        self.pairs.clear();
        self.shares.clear();
        self.stores.clear();
        self.gathers.clear();
        self.filter_pairs.clear();
        self.filters.clear();
        self.sums.clear();
        self.waves.clear();
        (self.cost, self.wave_cost) = (0.0, 0.0);
        (self.square_planes, self.end_planes, self.tile_rows) = (0, 0, 0);
        self.list_room = 0;
        self.class = None;
        self.last_items = None;
        self.even = None;
    }

    /// Adds a unit's lists.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] where a counter of the kernel could overflow; see there.
    pub fn add(&mut self, unit: u64, lists: &Lists) -> Result<(), Error> {
        debug_assert!(self.takes(lists.c));
        let first_tree = match lists.black_gathers {
            true => &lists.even[0].tree,
            false => &lists.odd[0].tree,
        };
        if self.class.is_none_or(|class| class.c != lists.c) {
            self.class = Some(ClassEntry {
                c: lists.c,
                ce_of: self.push(&lists.ce_of),
                queens: first_tree.rows,
                cols: first_tree.cols,
            });
        }
        let known = self
            .even
            .take()
            .filter(|(c, range, _)| *c == lists.c && *range == lists.even_range);
        let (_, _, even) = known.unwrap_or_else(|| {
            let first = self.trees.len() as u32;
            for set in &lists.even {
                self.push_row_set(set, &lists.odd[0].queue, lists.black_gathers);
            }
            let weights = lists.seen.iter().map(|seen| {
                self.push(match self.gather {
                    Gather::Scan => &seen.weights,
                    Gather::Filter => &seen.filter_weights,
                })
            });
            let weights = weights.collect();
            let numbers = Numbers { first, weights };
            (lists.c, lists.even_range.clone(), numbers)
        });
        let odd_first = self.trees.len() as u32;
        for set in &lists.odd {
            self.push_row_set(set, &lists.even[0].queue, !lists.black_gathers);
        }
        // Pairs that share the queue of the gathering colour stand together.
        let mut pairs = lists.pairs.clone();
        if !lists.black_gathers {
            pairs.sort_by_key(|pair| (pair.even, pair.odd));
        }
        let first_pair = self.pairs.len();
        for pair in &pairs {
            let (e, o) = (pair.even as usize, pair.odd as usize);
            let seen = &lists.seen[e];
            let (black_tree, white_queue) = (&lists.even[e].tree, &lists.even[e].queue);
            let (white_tree, black_queue) = (&lists.odd[o].tree, &lists.odd[o].queue);
            let (even_number, odd_number) = (even.first + pair.even, odd_first + pair.odd);
            let black = (black_tree, black_queue, even_number, odd_number);
            let white = (white_tree, white_queue, odd_number, even_number);
            let (gather, store) = if lists.black_gathers {
                (black, white)
            } else {
                (white, black)
            };
            let cell = 4 * u128::from(store.0.most_ends) * u128::from(store.1.most);
            // A filtering job sums several pairs, each with its weight.
            let times = match self.gather {
                Gather::Scan => 1,
                Gather::Filter => 4 * MOST_FILTER_PAIRS as u128,
            };
            let sum = times * u128::from(gather.0.placements) * gather.1.lines.len() as u128 * cell;
            if cell >= 1 << 32 || sum >= 1 << 64 {
                return Err(Error::Overflow { n: self.n, unit });
            }
            self.pairs.push(PairEntry {
                store_tree: store.2,
                store_queue: store.3,
                gather_tree: gather.2,
                table_rows: gather.0.ce_limit.max(store.0.ce_limit),
                table_cols: seen.co_limit.next_multiple_of(LANES),
                ce_limit: seen.ce_limit,
                co_limit: seen.co_limit,
                last_co: seen.last_co,
                weights: even.weights[e],
                unused: 0,
                table: 0,
            });
            self.shares.push(Share {
                unit: self.units.len(),
                weight: pair.weight,
            });
            if self.gather == Gather::Filter {
                self.filter_pairs
                    .push(filter_pair(gather.0, seen, pair.weight));
            }
        }
        let queue_of = |pair: &Pair| {
            if lists.black_gathers {
                pair.odd
            } else {
                pair.even
            }
        };
        let tree_of = |pair: &Pair| match lists.black_gathers {
            true => &lists.even[pair.even as usize].tree,
            false => &lists.odd[pair.odd as usize].tree,
        };
        let mut at = 0;
        while at < pairs.len() {
            // As many pairs as share queue and stems.
            let (stem_rows, most_pairs) = match self.gather {
                Gather::Scan => {
                    let tree = self.pairs[first_pair + at].gather_tree;
                    (self.trees[tree as usize].stem_rows, MOST_PAIRS)
                }
                Gather::Filter => (chosen_levels(first_tree), MOST_FILTER_PAIRS),
            };
            let stems = |pair: &Pair| {
                let tree = tree_of(pair);
                &tree.squares[..(stem_rows * tree.cols) as usize]
            };
            let together = |pair: &&Pair| {
                queue_of(pair) == queue_of(&pairs[at]) && stems(pair) == stems(&pairs[at])
            };
            let count = pairs[at..]
                .iter()
                .take(most_pairs)
                .take_while(together)
                .count();
            let (queue, queue_number) = match lists.black_gathers {
                true => (
                    &lists.odd[pairs[at].odd as usize].queue,
                    odd_first + pairs[at].odd,
                ),
                false => (
                    &lists.even[pairs[at].even as usize].queue,
                    even.first + pairs[at].even,
                ),
            };
            let group = Group {
                first: first_pair + at,
                pairs: &pairs[at..at + count],
                queue,
                queue_number,
                co_pairs: lists.co_pairs,
            };
            self.add_group(&group, tree_of);
            at += count;
        }
        self.even = Some((lists.c, lists.even_range.clone(), even));
        self.units.push(unit);
        Ok(())
    }

    /// Adds the jobs of some pairs that share queue and stems.
    fn add_group<'a>(&mut self, group: &Group, tree_of: impl Fn(&Pair) -> &'a Tree) {
        let numbers = group.first..group.first + group.pairs.len();
        let (next_store, next_gather) = (self.stores.len() as u32, self.gathering_jobs());
        let entries = &mut self.pairs[numbers.clone()];
        // The filter looks up Co's to the largest limit of the group in every table.
        let alike = |pair: &PairEntry| pair.table_cols == entries[0].table_cols;
        assert!(self.gather == Gather::Scan || entries.iter().all(alike));
        let cells: u64 = entries.iter().map(PairEntry::cells).sum();
        let ends = group.pairs.iter().map(|pair| tree_of(pair).placements);
        let ends: u64 = ends.sum();
        let co_limit = entries.iter().map(|pair| pair.co_limit).max().unwrap_or(0);
        let cost = ends as f64 * (10.0 + group.queue.lines.len() as f64 / 500.0) + 1e6;
        if self
            .waves
            .last()
            .is_none_or(|wave| wave.cells + cells > WAVE_CELLS || self.wave_cost + cost > WAVE_COST)
        {
            self.wave_cost = 0.0;
            self.waves.push(Wave {
                store: next_store..next_store,
                gather: next_gather..next_gather,
                number: self.waves.len() as u32,
                cells: 0,
            });
        }
        let wave = self.waves.last_mut().expect("made above");
        self.wave_cost += cost;
        self.cost += cost;
        for (number, entry) in numbers.clone().zip(entries) {
            entry.table = wave.cells;
            wave.cells += entry.cells();
            if let Some(pair) = self.filter_pairs.get_mut(number) {
                pair.table = entry.table as u32;
                (pair.table_rows, pair.table_cols) =
                    (entry.table_rows as u16, entry.table_cols as u16);
            }
            let first_cos = (0..entry.co_limit).step_by(LANES as usize);
            self.stores.extend(first_cos.map(|first_co| StoreEntry {
                pair: number as u32,
                first_co,
            }));
        }
        wave.store.end = self.stores.len() as u32;
        let mut first_co = 0;
        while first_co < co_limit {
            let last_co = self.last_co(&group.queue.starts[..=co_limit as usize], first_co);
            match self.gather {
                Gather::Scan => self.add_scans(group, first_co..last_co),
                Gather::Filter => self.add_filters(group, first_co..last_co, &tree_of),
            }
            first_co = last_co;
        }
        let end = self.gathering_jobs();
        let wave = self.waves.last_mut().expect("made above");
        wave.gather.end = end;
    }

    fn gathering_jobs(&self) -> u32 {
        let jobs = match self.gather {
            Gather::Scan => self.gathers.len(),
            Gather::Filter => self.filters.len(),
        };
        jobs as u32
    }

    /// Where the part of a queue ends that one job takes.
    fn last_co(&self, starts: &[u32], first_co: u32) -> u32 {
        let start = starts[first_co as usize];
        let fits = |&&end: &&u32| end - start <= self.most_placements;
        let count = 1 + starts[first_co as usize + 2..]
            .iter()
            .take_while(fits)
            .count() as u32;
        let end = match self.gather {
            Gather::Scan => first_co + count,
            Gather::Filter => {
                // A Co and its reverse stay together, and all have different bits.
                let most = 1 << (2 * (32 - self.diagonals())).min(FILTER_CO_BITS);
                first_co + (count & !1).clamp(2, most)
            }
        };
        end.min(starts.len() as u32 - 1)
    }

    /// A job for each column of the first row.
    fn add_scans(&mut self, group: &Group, cos: Range<u32>) {
        let tree = &self.trees[self.pairs[group.first].gather_tree as usize];
        let columns = if tree.stem_rows > 0 { tree.cols } else { 1 };
        let starts = &group.queue.starts;
        let length = starts[cos.end as usize] - starts[cos.start as usize];
        self.list_room = self.list_room.max(length.next_multiple_of(4));
        for column in 0..columns {
            self.gathers.push(GatherEntry {
                queue: group.queue_number,
                first_co: cos.start,
                last_co: cos.end,
                first_pair: group.first as u32,
                pairs: group.pairs.len() as u32,
                first_sum: self.sums.len() as u32,
                column,
                unused: 0,
            });
            let shares = &self.shares[group.first..group.first + group.pairs.len()];
            self.sums.extend_from_slice(shares);
        }
    }

    /// A job for each choice in the first rows.
    fn add_filters<'a>(
        &mut self,
        group: &Group,
        cos: Range<u32>,
        tree_of: &impl Fn(&Pair) -> &'a Tree,
    ) {
        let starts = &group.queue.starts;
        let range = starts[cos.start as usize] as usize..starts[cos.end as usize] as usize;
        if range.is_empty() {
            return;
        }
        let count = range.len() as u32;
        self.list_room = self.list_room.max(count.next_multiple_of(4));
        // The items of a queue are pushed once for all groups that follow each other.
        let key = (group.queue_number, cos.start, cos.end);
        let items = match self.last_items {
            Some((last, place)) if last == key => place,
            _ => {
                let above = self.diagonals();
                let items: Vec<u64> = cos
                    .clone()
                    .flat_map(|co| {
                        let of_co = starts[co as usize] as usize..starts[co as usize + 1] as usize;
                        let local = u64::from(co - cos.start);
                        let (low, high) = (local << above, local >> (32 - above) << above);
                        group.queue.lines[of_co]
                            .iter()
                            .map(move |lines| lines | (low & 0xffff_ffff) | high << 32)
                    })
                    .collect();
                self.push(&items)
            }
        };
        self.last_items = Some((key, items));
        let tree = tree_of(&group.pairs[0]);
        let pairs = &self.filter_pairs[group.first..group.first + group.pairs.len()];
        let last_cols = pairs.iter().map(|pair| pair.last_cols).max().unwrap_or(0);
        let levels = chosen_levels(tree);
        let unit = self.shares[group.first].unit;
        let cols = tree.cols;
        // For odd n the first queen stays left of the middle, or in it.
        let odd = self.n % 2 == 1 && levels > 0;
        let first_end = if odd { cols.div_ceil(2) } else { cols };
        let mut push = |columns: u32, weight: u64| {
            self.filters.push(FilterEntry {
                items,
                count,
                first_pair: group.first as u32,
                pairs: group.pairs.len() as u32,
                levels,
                columns,
                first_co: cos.start,
                co_pairs: group.co_pairs.saturating_sub(cos.start),
            });
            self.sums.push(Share { unit, weight });
        };
        if levels == 0 {
            return push(0, if self.n % 2 == 1 { 1 } else { 2 });
        }
        for j1 in (0..first_end).filter(|j1| 1 << j1 <= last_cols) {
            let weight = if odd && 2 * j1 + 1 == cols { 1 } else { 2 };
            if levels == 1 {
                push(j1, weight);
                continue;
            }
            for j2 in 0..cols {
                let attacked = tree.squares[j1 as usize] & tree.squares[(cols + j2) as usize] != 0;
                if j1 != j2 && !attacked && (1 << j1 | 1 << j2) <= last_cols {
                    push(j1 | j2 << 4, weight);
                }
            }
        }
    }

    /// Adds the lists of a row set, whose tree will be walked over queues like `other`.
    fn push_row_set(&mut self, set: &RowSet, other: &Sorted, gathers: bool) {
        let filters = self.gather == Gather::Filter;
        // A filter walks no tree, and has the queue in another shape.
        let tree = match filters && gathers {
            true => TreeEntry::default(),
            false => self.push_tree(&set.tree, other, gathers),
        };
        let queue = match filters && !gathers {
            true => QueueEntry::default(),
            false => self.push_queue(&set.queue, !filters),
        };
        if gathers {
            // The queue is stored from, by 32 Co's at a time.
            let cos = set.queue.starts.windows(LANES as usize + 1);
            let widest = cos.map(|s| s[LANES as usize] - s[0]).max();
            let widest = widest.unwrap_or(set.queue.lines.len() as u32);
            self.list_room = self.list_room.max(widest.next_multiple_of(4));
        }
        self.trees.push(tree);
        self.queues.push(queue);
    }

    fn push_tree(&mut self, tree: &Tree, other: &Sorted, gathers: bool) -> TreeEntry {
        let stem_rows = stem_rows(tree, other, gathers);
        let (pairs, ends) = end_pairs(tree, stem_rows);
        let stems = stems(tree, stem_rows);
        let squares = (tree.rows - stem_rows) * tree.cols;
        self.square_planes = self.square_planes.max(squares);
        self.end_planes = self.end_planes.max(pairs.len() as u32);
        self.tile_rows = self.tile_rows.max(tree.ce_limit);
        TreeEntry {
            squares: self.push(&tree.squares),
            prefixes: self.push(&tree.prefixes),
            ends: self.push(&ends),
            stems: self.push(&stems),
            stem_count: stems.len() as u32 - 1,
            stem_rows,
            rows: tree.rows,
            end_rows: tree.end_rows,
            cols: tree.cols,
            pairs: self.push(&pairs),
            pair_count: pairs.len() as u32,
            unused: 0,
        }
    }

    fn push_queue(&mut self, queue: &Sorted, with_cos: bool) -> QueueEntry {
        let ranges = queue.starts.windows(2).zip(0u16..).filter(|_| with_cos);
        let cos: Vec<u16> = ranges
            .flat_map(|(range, co)| (range[0]..range[1]).map(move |_| co))
            .collect();
        QueueEntry {
            lines: self.push(&queue.lines),
            starts: self.push(&queue.starts),
            cos: self.push(&cos),
            unused: 0,
        }
    }

    /// Appends an array and returns its place, a multiple of 16 bytes.
    fn push<T: Plain>(&mut self, array: &[T]) -> u32 {
        let place = self.words.len().next_multiple_of(2);
        let bytes = size_of_val(array);
        self.words.resize(place + bytes.div_ceil(8), 0);
        // SAFETY: `array` is `bytes` bytes of plain numbers; the words from `place` on were
        // just made and are at least as many.
        unsafe {
            std::ptr::copy_nonoverlapping(
                array.as_ptr().cast::<u8>(),
                self.words[place..].as_mut_ptr().cast::<u8>(),
                bytes,
            );
        }
        place as u32
    }

    /// Appends the tables; to be called once, after the last unit.
    pub fn seal(&mut self) {
        let trees = std::mem::take(&mut self.trees);
        let queues = std::mem::take(&mut self.queues);
        let pairs = std::mem::take(&mut self.pairs);
        let stores = std::mem::take(&mut self.stores);
        let gathers = std::mem::take(&mut self.gathers);
        let filter_pairs = std::mem::take(&mut self.filter_pairs);
        let filters = std::mem::take(&mut self.filters);
        self.places = [
            self.push(&trees),
            self.push(&queues),
            self.push(&pairs),
            self.push(&stores),
            self.push(&gathers),
            self.push(&filter_pairs),
            self.push(&filters),
        ];
        (self.filter_pairs, self.filters) = (filter_pairs, filters);
        (self.trees, self.queues, self.pairs) = (trees, queues, pairs);
        (self.stores, self.gathers) = (stores, gathers);
    }

    /// The units, in the order they were added.
    pub fn units(&self) -> &[u64] {
        &self.units
    }

    /// The memory that the card reads.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many 32-bit flags the card needs.
    pub fn flags(&self) -> usize {
        1 + self.waves.len()
    }

    /// How the second colour gathers.
    pub fn gathers(&self) -> Gather {
        self.gather
    }

    /// The number of sums that come back.
    pub fn sums(&self) -> usize {
        self.sums.len()
    }

    /// The work in it, in warp instructions, roughly.
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// The count of each unit, from the sums of the jobs.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] where a count does not fit 64 bits.
    pub fn counts(&self, sums: &[u64]) -> Result<Vec<u64>, Error> {
        let mut counts = vec![0u128; self.units.len()];
        for (&Share { unit, weight }, &sum) in self.sums.iter().zip(sums) {
            // At most 2^64 * 4 for each of fewer than 2^32 sums.
            counts[unit] += u128::from(sum) * u128::from(weight);
        }
        // A filter's sums are double, since for odd n some placements are met twice.
        let times = if self.gather == Gather::Filter { 2 } else { 1 };
        let fits = |(&unit, count): (&u64, u128)| {
            if count % times != 0 {
                return Err(Error::Overflow { n: self.n, unit });
            }
            u64::try_from(count / times).map_err(|_| Error::Overflow { n: self.n, unit })
        };
        self.units.iter().zip(counts).map(fits).collect()
    }

    /// How a card of this shape runs the batch, with cells of so many bits.
    pub fn plan(&self, shape: &Shape, cell: Cell) -> Plan {
        let head = 4 * (MOST_STEM_ROWS * 32 + 32);
        let lines = 4 * LINE_STEP * 2 * self.diagonals();
        let planes = lines + PLANE * (self.square_planes + self.end_planes);
        let tile = PLANE * self.tile_rows;
        let tile_in_shared = head + planes + tile <= shape.shared_per_block;
        let store = shape.config(head + planes + if tile_in_shared { tile } else { 0 });
        let sums = 8 * MOST_PAIRS as u32 * MOST_THREADS / 32;
        let gather = match self.gather {
            // A Co is 16 bits, and a lane's 32 Co's have room for 34.
            Gather::Scan => shape.config(head + sums + WORDS * (planes + 2 * 34 * LANES)),
            Gather::Filter => {
                let cols = self.class.map_or(0, |class| class.cols);
                shape.filter_config(8 * (1u32 << cols).div_ceil(4))
            }
        };
        let cells = self.waves.iter().map(|wave| wave.cells).max().unwrap_or(0);
        let room = u64::from(self.list_room);
        let mut sifted_bytes = 10 * u64::from(store.blocks) * u64::from(MOST_STEM_ROWS) * room;
        let gather_bytes = match self.gather {
            Gather::Scan => 10 * u64::from(gather.blocks) * u64::from(MOST_STEM_ROWS) * room,
            Gather::Filter => 8 * u64::from(gather.blocks * FILTER_WARPS) * 2 * room,
        };
        sifted_bytes = sifted_bytes.max(gather_bytes);
        Plan {
            tile_in_shared,
            cell,
            tile_bytes: if tile_in_shared {
                0
            } else {
                u64::from(store.blocks) * u64::from(tile)
            },
            sifted_bytes,
            table_bytes: cells * cell.bytes(),
            store,
            gather,
        }
    }

    fn diagonals(&self) -> u32 {
        // Lines are numbered below twice the number of even rows.
        2 * self.n.div_ceil(2)
    }

    /// The waves, in their order.
    pub fn waves(&self) -> &[Wave] {
        &self.waves
    }

    /// The kernel's argument to store the tables of a wave.
    pub fn store(&self, wave: &Wave, addresses: &Addresses) -> Launch {
        self.launch(self.places[3], wave, &wave.store, addresses)
    }

    /// The kernel's argument to gather from the tables of a wave.
    pub fn gather(&self, wave: &Wave, addresses: &Addresses) -> Launch {
        let jobs = match self.gather {
            Gather::Scan => self.places[4],
            Gather::Filter => self.places[6],
        };
        self.launch(jobs, wave, &wave.gather, addresses)
    }

    fn launch(&self, jobs: u32, wave: &Wave, range: &Range<u32>, addresses: &Addresses) -> Launch {
        let [trees, queues, pairs, _, _, filter_pairs, _] = self.places;
        let class = self.class.unwrap_or_default();
        let &Addresses {
            words,
            sums,
            tiles,
            sifted,
            tables,
            flags,
        } = addresses;
        Launch {
            words,
            sums,
            tiles,
            sifted,
            tables,
            flag: flags,
            trees,
            queues,
            pairs,
            jobs,
            first_job: range.start,
            job_end: range.end,
            square_planes: self.square_planes,
            end_planes: self.end_planes,
            tile_rows: self.tile_rows,
            list_room: self.list_room,
            diagonals: self.diagonals(),
            filter_pairs,
            ce_of: class.ce_of,
            queens: class.queens,
            cols: class.cols,
            unused: 0,
            next_job: flags + 4 * u64::from(1 + wave.number),
        }
    }
}

/// How many levels a filtering job begins with.
fn chosen_levels(tree: &Tree) -> u32 {
    (tree.rows - tree.end_rows).min(2)
}

/// A pair as the filter sees it, but for its table.
fn filter_pair(tree: &Tree, seen: &Seen, weight: u64) -> FilterPairEntry {
    let mut entry = FilterPairEntry {
        table: 0,
        table_rows: 0,
        table_cols: 0,
        weight: weight as u16,
        distance: 0,
        shifts: [0; 4],
        last_cols: seen.last_cols,
        unused: [0; 3],
        diag: [0; 16],
        anti: [0; 16],
    };
    // The lines of column 0 of a row say how far the others are.
    for (level, squares) in tree.squares.chunks_exact(tree.cols as usize).enumerate() {
        entry.diag[level] = (squares[0] as u32).trailing_zeros() as u8;
        entry.anti[level] = ((squares[0] >> 32) as u32).trailing_zeros() as u8;
    }
    let last = tree.rows as usize - 1;
    let (diag, anti) = (entry.diag, entry.anti);
    entry.shifts = [diag[last - 1], anti[last - 1], diag[last], anti[last]];
    entry.distance = u16::from(diag[last] - diag[last - 1]);
    entry
}

/// The most threads that a block has; `kernel.cu` is compiled for no more.
const MOST_THREADS: u32 = 1024;

/// The most cells of the tables of a wave.
const WAVE_CELLS: u64 = 128 << 20;

/// The most work of a wave, in warp instructions: a few hundredths of a second of a large
/// card of 2026.
const WAVE_COST: f64 = 2e10;

/// A level of a stem keeps about this share of a list.
const KEPT: f64 = 0.3;

/// How many levels of this tree are a stem over queues like this one: as many as leave about
/// one word of 32 placements per Co to store, or what a warp has at a time to gather.
fn stem_rows(tree: &Tree, queue: &Sorted, gathers: bool) -> u32 {
    let ratio = if gathers {
        queue.lines.len().min(MOST_PLACEMENTS as usize) as f64 / f64::from(1400 * WORDS)
    } else {
        queue.lines.len() as f64 / (queue.starts.len() - 1).max(1) as f64 / 26.0
    };
    let levels = (ratio.ln() / KEPT.recip().ln()).ceil().max(0.0);
    let depth = tree.rows - tree.end_rows;
    (levels as u32).min(depth).min(MOST_STEM_ROWS)
}

/// The pairs of squares that ends name, numbered below the stem, and the ends with their
/// pairs' numbers in place of the columns.
fn end_pairs(tree: &Tree, stem_rows: u32) -> (Vec<u32>, Vec<u32>) {
    let first = (tree.rows - tree.end_rows - stem_rows) * tree.cols;
    let mut numbers = vec![u32::MAX; 1 << 16];
    let mut pairs = Vec::new();
    let ends = tree.ends.iter().map(|&end| {
        let columns = end & 0xffff;
        let number = &mut numbers[columns as usize];
        if *number == u32::MAX {
            *number = pairs.len() as u32;
            pairs.push(match tree.end_rows {
                0 => 0,
                1 => (first + columns) * 0x1_0001,
                _ => {
                    let (j1, j2) = (columns / tree.cols, columns % tree.cols);
                    (first + j1) | ((first + tree.cols + j2) << 16)
                }
            });
        }
        *number | (end & 0xffff_0000)
    });
    // One more than there are: the kernel reads ahead.
    let ends = ends.chain([0]).collect();
    (pairs, ends)
}

/// Where the prefixes of each stem begin, and where the last ends.
fn stems(tree: &Tree, stem_rows: u32) -> Vec<StemEntry> {
    let path = |prefix: u64| (prefix & ((1 << (4 * stem_rows)) - 1)) as u32;
    let mut stems: Vec<StemEntry> = Vec::new();
    for (first_prefix, prefix) in (0..).zip(&tree.prefixes) {
        let path = path(prefix.path);
        if stems.last().is_none_or(|stem| stem.path != path) {
            stems.push(StemEntry { path, first_prefix });
        }
    }
    stems.push(StemEntry {
        path: 0,
        first_prefix: tree.prefixes.len() as u32,
    });
    stems
}

/// What a plan has to know of a card.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Threads that one multiprocessor can hold.
    pub threads_per_multiprocessor: u32,
    /// Shared memory of one multiprocessor, in bytes.
    pub shared_per_multiprocessor: u32,
    /// Shared memory that one block can have, in bytes.
    pub shared_per_block: u32,
    /// The most work of one launch, in warp instructions.
    pub launch_cost: f64,
    /// How the second colour gathers on it.
    pub gather: Gather,
    /// The most placements of a gathering job, unless one Co alone has more.
    pub most_placements: u32,
}

impl Shape {
    /// How blocks with so much shared memory run: many threads to a multiprocessor, as one
    /// block or several.
    fn config(&self, bytes: u32) -> Config {
        let fit = (self.shared_per_multiprocessor / (bytes + 1024)).max(1);
        let threads = match fit {
            4.. => 256,
            2..=3 => 512,
            _ => MOST_THREADS,
        };
        // The kernel takes 64 registers a thread: half of what a multiprocessor can hold.
        let by_threads = (self.threads_per_multiprocessor / 2 / threads).max(1);
        Config {
            threads,
            blocks: fit.min(by_threads) * self.multiprocessors,
            shared_bytes: bytes,
        }
    }

    /// How blocks run whose warps filter, beside a table of so many bytes.
    fn filter_config(&self, table: u32) -> Config {
        let shared_bytes = table + FILTER_WARPS * FILTER_WARP_BYTES;
        let fit = self.shared_per_multiprocessor / (shared_bytes + 1024);
        let by_threads = self.threads_per_multiprocessor / 2 / (32 * FILTER_WARPS);
        Config {
            threads: 32 * FILTER_WARPS,
            blocks: fit.min(by_threads).max(1) * self.multiprocessors,
            shared_bytes,
        }
    }
}

/// How one of the two kernels is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that run at once.
    pub blocks: u32,
    /// Shared memory of a block in bytes.
    pub shared_bytes: u32,
}

/// The size of a cell of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// 16 bits, which is faster.
    Narrow,
    /// 32 bits.
    Wide,
}

impl Cell {
    fn bytes(self) -> u64 {
        match self {
            Cell::Narrow => 2,
            Cell::Wide => 4,
        }
    }
}

/// How a card runs a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How tables are stored.
    pub store: Config,
    /// How they are gathered from.
    pub gather: Config,
    /// Whether the tile of a table that is being stored is in shared memory.
    pub tile_in_shared: bool,
    /// The size of a table's cells.
    pub cell: Cell,
    /// Memory for tiles.
    pub tile_bytes: u64,
    /// Memory for lists that are being sifted.
    pub sifted_bytes: u64,
    /// Memory for the tables.
    pub table_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirrored_structures_have_no_gaps() {
        assert_eq!(size_of::<TreeEntry>(), 48);
        assert_eq!(size_of::<QueueEntry>(), 16);
        assert_eq!(size_of::<PairEntry>(), 48);
        assert_eq!(size_of::<StoreEntry>(), 8);
        assert_eq!(size_of::<GatherEntry>(), 32);
        assert_eq!(size_of::<queens::count::two_colour::flat::Prefix>(), 16);
        assert_eq!(size_of::<FilterPairEntry>(), 64);
        assert_eq!(size_of::<FilterEntry>(), 32);
        assert_eq!(size_of::<Launch>(), 120);
    }
}
