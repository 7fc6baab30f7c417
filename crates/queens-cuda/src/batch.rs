//! Some units as one block of memory, which a card reads in place.
//!
//! Everything is an array of plain numbers at a *place*, counted in 8-byte words from the
//! start: the trees and queues of the row sets, each once however many units have it, but for
//! those of their lists that the card keeps, whose places are marked and elsewhere; then
//! the tables that tell where they are, the pairs, and the jobs. A job is some pairs with much
//! in common and some Co's, the work of one block of threads. The structures here mirror those
//! of `kernel.cu`.
//!
//! Units of one class form a *part* with its own shape: how its second colour gathers, how
//! many Co's a job has, how much shared memory. A part is run in *waves*, launches of bounded
//! length.

use crate::Error;
use queens::count::two_colour::device_lists::{
    self, DeviceScan, DeviceWalk, RowPair, RowSetLists, UnitLists, Uploaded,
};
use std::collections::HashMap;
use std::ops::Range;

/// Lanes of a warp.
const LANES: u32 = 32;
/// Bytes of a plane: two 32-bit words per lane of half a warp.
const PLANE: u32 = 4 * LANES;
/// Words from one plane of lines to the next.
const LINE_STEP: u32 = LANES + 1;
/// The most levels of a stem, whose path is one word.
const MOST_STEM_ROWS: u32 = 8;
/// The most lists of a job, one for each Co of each of its pairs.
const MOST_LISTS: u32 = 64;
/// The most pairs of a job.
const MOST_PAIRS: u32 = 8;
/// The most rows that are unfolded; the queens before are chosen one set after the other.
const MOST_LEFT: u32 = 9;
/// The most rows where one queen is chosen before.
const MOST_LEFT_OF_ONE: u32 = MOST_LEFT + 1;
/// Bytes that a warp needs for each level it unfolds, and for the last two.
const LEVEL_BYTES: u32 = 64 * 12;
const PILE_BYTES: u32 = 40 + 64 * 8;
/// Bytes of a block's shared memory before the table of words.
const HEAD_BYTES: u32 =
    16 * MOST_LISTS + 8 * MOST_THREADS / LANES + 32 + 4 * (1 + MOST_STEM_ROWS) * MOST_LISTS;
/// The fewest threads of a block.
const LEAST_THREADS: u32 = 256;
/// The most words of one list; the kernel has ten bits for their numbers.
const MOST_WORDS: u32 = 1 << 10;
/// The most threads of a block; `kernel.cu` is compiled for no more.
const MOST_THREADS: u32 = 1024;
/// Registers that a thread takes, for which a multiprocessor can hold half of its threads.
const REGISTERS_SHARE: u32 = 2;

/// Mirror of `DeviceWalk`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct TreeEntry {
    squares: u32,
    stems: u32,
    placements: u32,
    stem_count: u32,
    stem_rows: u32,
    rows: u32,
    cols: u32,
    singles: u32,
    pairs: u32,
    unused: u32,
}

/// Mirror of `Queue`.
#[derive(Clone, Copy)]
#[repr(C)]
struct QueueEntry {
    lines: u32,
    starts: u32,
}

/// Mirror of `RowPair`.
#[derive(Clone, Copy)]
#[repr(C)]
struct PairEntry {
    store_tree: u32,
    store_queue: u32,
    gather_tree: u32,
    gather_queue: u32,
    ce_limit: u32,
    co_limit: u32,
    last_co: u32,
    weights: u32,
    rest_weights: u32,
    last_cols: u32,
    gather_rows: u32,
    unused: u32,
}

/// Mirror of `Job`.
#[derive(Clone, Copy)]
#[repr(C)]
struct JobEntry {
    first_pair: u32,
    pairs: u32,
    first_co: u32,
    cos: u32,
}

/// Mirror of `Batch`: what a launch of the kernel is given.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Launch {
    words: u64,
    kept: u64,
    sums: u64,
    scratch: u64,
    flag: u64,
    next_job: u64,
    trees: u32,
    queues: u32,
    pairs: u32,
    jobs: u32,
    first_job: u32,
    job_end: u32,
    square_planes: u32,
    tile_rows: u32,
    width_bits: u32,
    list_room: u32,
    scratch_room: u32,
    diagonals: u32,
    ce_of: u32,
    stored_even_index_of: u32,
    co_pairs: u32,
    table_room: u32,
    first_queens: u32,
    unused: u32,
}

/// Where a batch and its results are in a card's memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Addresses {
    /// The batch's words.
    pub words: u64,
    /// The lists that the card keeps, if it keeps any.
    pub kept: u64,
    /// The sums, [`Batch::jobs`] of them.
    pub sums: u64,
    /// What blocks need beside shared memory, [`Batch::scratch_bytes`] of it.
    pub scratch: u64,
    /// [`Batch::flags`] 32-bit numbers, 0 to begin with: one that becomes 1 where a cell does
    /// not fit, and for each wave how many of its jobs have been
    /// taken.
    pub flags: u64,
}

/// Marks the place of a list that the card keeps: it is not in the batch, but in memory that all
/// batches share.
const KEPT: u32 = 1 << 31;

/// Plain numbers without padding, which can be copied to a card byte by byte.
///
/// # Safety
///
/// The type must have no padding and be `repr(C)` or primitive.
unsafe trait Plain: Copy {}
// SAFETY: made of `u32`s only.
unsafe impl Plain for TreeEntry {}
// SAFETY: as above.
unsafe impl Plain for QueueEntry {}
// SAFETY: as above.
unsafe impl Plain for PairEntry {}
// SAFETY: as above.
unsafe impl Plain for JobEntry {}
// SAFETY: as above.
unsafe impl Plain for device_lists::Stem {}
// SAFETY: primitive.
unsafe impl Plain for u64 {}
// SAFETY: primitive.
unsafe impl Plain for u32 {}
// SAFETY: primitive.
unsafe impl Plain for u16 {}
// SAFETY: primitive.
unsafe impl Plain for u8 {}

/// How a colour's placements are visited, to fill the tile or to gather from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The block scans placements as bits.
    Scan,
    /// Warps unfold the placements that are left, queen by queen.
    Unfold,
}

/// The size of a tile's cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cell {
    /// 16 bits, which is faster.
    #[default]
    Narrow,
    /// 32 bits.
    Wide,
}

impl Cell {
    fn bytes(self) -> u32 {
        match self {
            Cell::Narrow => 2,
            Cell::Wide => 4,
        }
    }
}

/// One launch of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// How the second colour gathers.
    pub gather: Way,
    /// Whether the board is odd.
    pub odd: bool,
    /// Blocks and threads.
    pub config: Config,
    part: usize,
    jobs: Range<u32>,
    number: u32,
}

/// How the kernel is launched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that run at once.
    pub blocks: u32,
    /// Shared memory of a block in bytes.
    pub shared_bytes: u32,
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
    /// The most work of one launch, in the units of [`queens::count::two_colour::Units::cost`].
    pub launch_cost: f64,
    /// What may be chosen otherwise.
    pub tuning: Tuning,
}

/// Choices that change nothing but speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// A colour that gathers scans where its queens are at most this share of the rows of its
    /// board.
    pub scan_share: f64,
    /// A colour that is stored beside one that unfolds does so too where its queens are at
    /// least this share.
    pub store_share: f64,
    /// The most lists of a job, a power of two.
    pub width: u32,
    /// The most pairs of a job.
    pub pairs: u32,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            scan_share: 0.5,
            store_share: 0.5,
            width: MOST_LISTS,
            pairs: MOST_PAIRS,
        }
    }
}

impl Shape {
    /// How the gathering colour of this class does so.
    pub fn gather(&self, n: u32, c: u32) -> Way {
        let even = n.div_ceil(2);
        let (_, queens) = queens(n, c);
        let share = f64::from(queens) / f64::from(even);
        // On large boards a tile has room for few lists, and scanning is for many.
        let scans = share <= self.tuning.scan_share && even <= 12;
        // A block of the fewest threads with a narrow tile.
        let least = tile_bytes(binomial(even, queens), 4, Cell::Narrow)
            + unfold_bytes(LEAST_THREADS, queens, even, 2)
            + HEAD_BYTES
            + 2 * table_room(2 * LONG_LIST);
        match scans || queens < 4 || least > self.shared_per_block {
            true => Way::Scan,
            false => Way::Unfold,
        }
    }

    /// How the other colour of this class is stored.
    pub fn store(&self, n: u32, c: u32) -> Way {
        let (queens, _) = queens(n, c);
        let share = f64::from(queens) / f64::from(n.div_ceil(2));
        match self.gather(n, c) == Way::Unfold && queens >= 4 && share >= self.tuning.store_share {
            true => Way::Unfold,
            false => Way::Scan,
        }
    }

    /// Whether a card can count this class of lists laid out for the planes of so many pairs of
    /// rows. Where a small card has no room to unfold, it scans, and that is for few rows.
    pub fn can_count(&self, n: u32, c: u32, most_pairs: u32) -> bool {
        let (storing, gathering) = queens(n, c);
        let fits = |way: Way, rows: u32| {
            let stem_rows = device_lists::WordFormat::of(rows, n.div_ceil(2), most_pairs).stem_rows;
            way == Way::Unfold || stem_rows <= MOST_STEM_ROWS
        };
        fits(self.store(n, c), storing) && fits(self.gather(n, c), gathering)
    }

    /// Room for the planes of how many pairs of rows a card with so much shared memory for a
    /// block has beside a tile.
    pub fn pairs_that_fit(shared_per_block: u32, n: u32) -> u32 {
        match (shared_per_block >> 10, n) {
            (160.., _) => 2,
            (96.., ..=26) => 1,
            _ => 0,
        }
    }

    /// The classes whose gathering colour needs no tree.
    pub fn unfolded(&self, n: u32) -> Vec<u32> {
        let classes = 0..=n / 2;
        classes
            .filter(|&c| self.gather(n, c) == Way::Unfold)
            .collect()
    }
}

/// What a pair's count is multiplied with, and the unit it belongs to.
#[derive(Clone, Copy, Debug)]
struct Share {
    unit: usize,
    weight: u64,
}

/// Where the row sets of a unit are in a batch, and the weights that its even ones see.
struct Numbers {
    even: Vec<u32>,
    odd: Vec<u32>,
    weights: Vec<[u32; 2]>,
}

/// The units of one class.
struct Part {
    c: u32,
    store: Way,
    gather: Way,
    groups: Range<usize>,
    /// The work in it.
    cost: f64,
    /// Rows and columns of the board whose trees store and of that whose trees gather.
    boards: [(u32, u32); 2],
    /// Room for the planes of so many pairs of rows.
    most_pairs: u32,
    /// Queens that are chosen before placements are unfolded.
    first_queens: u32,
    /// Cells in a row of the tile, and the most there may be: no counter overflows with as many.
    width: u32,
    most_width: u32,
    /// Words of 32 placements that a list becomes after sifting, on average.
    words: f64,
    /// The most Ce's that any pair visits.
    ce_count: u32,
    ce_of: u32,
    stored_even_index_of: u32,
    co_pairs: u32,
    square_planes: u32,
    list_room: u32,
    table_room: u32,
    scratch_room: u32,
    config: Config,
}

/// Some units, ready to be counted.
#[derive(Default)]
pub struct Batch {
    n: u32,
    shape: Shape,
    most_pairs: u32,
    cell: Cell,
    units: Vec<u64>,
    /// Whether a card keeps some of the lists.
    has_kept: bool,
    words: Vec<u64>,
    /// Where the lists end and what [`Batch::seal`] appends begins.
    sealed: Option<usize>,
    trees: Vec<TreeEntry>,
    queues: Vec<QueueEntry>,
    /// The numbers of the row sets that are in.
    sets: HashMap<(u32, bool, usize), u32>,
    /// The places of the weights that even row sets see, for Co's below the last and for the rest.
    weights: HashMap<(u32, usize), [u32; 2]>,
    pairs: Vec<PairEntry>,
    shares: Vec<Share>,
    /// Pairs that can be in one job: the first of them, and how many.
    groups: Vec<(u32, u32)>,
    parts: Vec<Part>,
    jobs: Vec<JobEntry>,
    waves: Vec<Wave>,
    places: [u32; 4],
    cost: f64,
}

impl Batch {
    /// An empty batch for this board and a card of this shape, of lists laid out for the
    /// planes of so many pairs of rows.
    pub fn new(n: u32, shape: &Shape, most_pairs: u32) -> Batch {
        Batch {
            n,
            shape: *shape,
            most_pairs,
            ..Batch::default()
        }
    }

    /// Empties the batch, keeping its memory.
    pub fn clear(&mut self) {
        self.units.clear();
        self.has_kept = false;
        self.words.clear();
        self.sealed = None;
        self.cell = Cell::Narrow;
        self.trees.clear();
        self.queues.clear();
        self.sets.clear();
        self.weights.clear();
        self.pairs.clear();
        self.shares.clear();
        self.groups.clear();
        self.parts.clear();
        self.jobs.clear();
        self.waves.clear();
        self.cost = 0.0;
    }

    /// Whether some of its lists are not in it because the card keeps them.
    pub fn has_kept(&self) -> bool {
        self.has_kept
    }

    /// Adds a unit's lists, but for those that the card keeps; `cost` is the unit's.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] where a counter of the kernel could overflow; see there.
    pub fn add(&mut self, unit: u64, cost: f64, lists: &UnitLists) -> Result<(), Error> {
        if self
            .parts
            .last()
            .is_none_or(|part| part.c != lists.white_queens)
        {
            let part = self.part(lists);
            self.parts.push(part);
        }
        let gather = self.parts.last().expect("made above").gather;
        let black = lists.black_gathers;
        let mut number = |odd, place: usize, set: &RowSetLists| {
            let key = (lists.white_queens, odd, place);
            if let Some(&number) = self.sets.get(&key) {
                return number;
            }
            let number = self.push_row_set(set);
            self.sets.insert(key, number);
            number
        };
        let even_sets = lists.even_range.clone().zip(&lists.even);
        let even: Vec<u32> = even_sets
            .map(|(place, set)| number(false, place, set))
            .collect();
        let odd_sets = lists.odd_range.clone().zip(&lists.odd);
        let odd: Vec<u32> = odd_sets
            .map(|(place, set)| number(true, place, set))
            .collect();
        let mut weights = Vec::new();
        for (place, seen) in lists.even_range.clone().zip(&lists.visited) {
            let key = (lists.white_queens, place);
            let known = self.weights.get(&key).copied();
            weights.push(known.unwrap_or_else(|| {
                let weights = match gather {
                    Way::Scan => &seen.scan_weights,
                    Way::Unfold => &seen.unfold_weights,
                };
                let below = self.push(&weights.doubled);
                let rest = match weights.rest.is_empty() {
                    true => 0,
                    false => self.push(&weights.rest),
                };
                self.weights.insert(key, [below, rest]);
                [below, rest]
            }));
        }
        let numbers = Numbers { even, odd, weights };
        // Pairs of a job have the set in common whose queue gathers, and all but two rows of
        // the other.
        let key = |pair: &RowPair| match black {
            true => (pair.odd, pair.weight, pair.even),
            false => (pair.even, pair.weight, pair.odd),
        };
        let mut pairs = lists.pairs.clone();
        pairs.sort_by_key(key);
        let part = self.parts.last().expect("made above");
        // At least two Co's for each.
        let room = self.shape.tuning.pairs.min(part.width / 2);
        let most = room.clamp(1, MOST_PAIRS) as usize;
        let mut known = None;
        for alike in pairs.chunk_by(|x, y| key(x).0 == key(y).0 && key(x).1 == key(y).1) {
            if gather == Way::Scan {
                for pair in alike {
                    self.groups.push((self.pairs.len() as u32, 1));
                    self.add_pair(unit, pair, lists, &numbers, 0)?;
                }
                continue;
            }
            let tree = |pair: &RowPair| match black {
                true => &lists.even[pair.even as usize].walk,
                false => &lists.odd[pair.odd as usize].walk,
            };
            // Most sets whose queue gathers have the same others.
            let members: Vec<u32> = alike.iter().map(|pair| key(pair).2).collect();
            if known.as_ref().is_none_or(|(of, _)| *of != members) {
                let trees: Vec<&DeviceWalk> = alike.iter().map(tree).collect();
                let clusters = clusters(&trees, most);
                let mut place = |(member, rows): &(usize, Vec<u64>)| (*member, self.push(rows));
                let placed: Vec<Vec<(usize, u32)>> = clusters
                    .iter()
                    .map(|cluster| cluster.iter().map(&mut place).collect())
                    .collect();
                known = Some((members, placed));
            }
            for cluster in known.iter().flat_map(|(_, clusters)| clusters) {
                let first = self.pairs.len() as u32;
                self.groups.push((first, cluster.len() as u32));
                for &(member, rows) in cluster {
                    self.add_pair(unit, &alike[member], lists, &numbers, rows)?;
                }
            }
        }
        let part = self.parts.last_mut().expect("made above");
        part.ce_count = part.ce_count.max(visited(lists));
        part.groups.end = self.groups.len();
        part.cost += cost;
        self.cost += cost;
        self.units.push(unit);
        Ok(())
    }

    fn add_pair(
        &mut self,
        unit: u64,
        pair: &RowPair,
        lists: &UnitLists,
        numbers: &Numbers,
        gather_rows: u32,
    ) -> Result<(), Error> {
        let (e, o) = (pair.even as usize, pair.odd as usize);
        let (even, odd) = (numbers.even[e], numbers.odd[o]);
        let seen = &lists.visited[e];
        let of_black = (&lists.even[e].walk, &lists.odd[o].scan, even, odd);
        let of_white = (&lists.odd[o].walk, &lists.even[e].scan, odd, even);
        let (gathering, storing) = match lists.black_gathers {
            true => (of_black, of_white),
            false => (of_white, of_black),
        };
        let cell = 4 * u128::from(storing.0.most) * u128::from(storing.1.longest);
        let part = self.parts.last().expect("a unit has one");
        // Unfolding counts placements of odd boards twice. The lists are those of all pairs of
        // a job, so this is more than the pair's share of a sum that fits.
        let sum =
            2 * u128::from(gathering.0.count) * u128::from(part.width * gathering.1.longest) * cell;
        let longest = match part.gather {
            Way::Unfold => storing.1.longest,
            Way::Scan => storing.1.longest.max(gathering.1.longest),
        };
        if cell >= 1 << 32 || sum >= 1 << 64 || longest > 32 * MOST_WORDS {
            return Err(Error::Overflow { n: self.n, unit });
        }
        self.pairs.push(PairEntry {
            store_tree: storing.2,
            store_queue: storing.3,
            gather_tree: gathering.2,
            gather_queue: gathering.3,
            ce_limit: seen.even_limit,
            co_limit: pair.odd_limit,
            last_co: pair.doubled,
            weights: numbers.weights[e][0],
            rest_weights: numbers.weights[e][1],
            last_cols: seen.last_cols,
            gather_rows,
            unused: 0,
        });
        self.shares.push(Share {
            unit: self.units.len(),
            weight: pair.weight,
        });
        Ok(())
    }

    /// An empty part for the class of these lists.
    fn part(&mut self, lists: &UnitLists) -> Part {
        let (even, odd) = (&lists.even[0], &lists.odd[0]);
        let of_black = (&even.walk, &odd.scan);
        let of_white = (&odd.walk, &even.scan);
        let sides = match lists.black_gathers {
            true => [of_white, of_black],
            false => [of_black, of_white],
        };
        let board = |tree: &DeviceWalk| (tree.rows, tree.cols);
        let mut part = Part {
            c: lists.white_queens,
            store: self.shape.store(self.n, lists.white_queens),
            gather: self.shape.gather(self.n, lists.white_queens),
            groups: self.groups.len()..self.groups.len(),
            cost: 0.0,
            boards: sides.map(|side| board(side.0)),
            most_pairs: self.most_pairs,
            first_queens: 2,
            width: 0,
            most_width: MOST_LISTS,
            words: 1.0,
            ce_count: visited(lists),
            ce_of: self.push(&lists.even_index_of),
            stored_even_index_of: match self.shape.store(self.n, lists.white_queens) {
                Way::Scan => 0,
                // Never at place 0, where the table before stands.
                Way::Unfold => self.push(&lists.stored_even_index_of),
            },
            co_pairs: lists.odd_pairs,
            square_planes: 0,
            list_room: 0,
            table_room: 0,
            scratch_room: 0,
            config: Config::default(),
        };
        let words = |black: bool| {
            let of = |place: usize| {
                let even = &lists.even[place * (lists.even.len() - 1) / 3];
                let odd = &lists.odd[place * (lists.odd.len() - 1) / 3];
                match black {
                    true => words_per_list(&even.walk, &odd.scan),
                    false => words_per_list(&odd.walk, &even.scan),
                }
            };
            (0..4).map(of).sum::<f64>() / 4.0
        };
        let (stored, gathered) = (!lists.black_gathers, lists.black_gathers);
        part.words = match part.gather {
            Way::Scan => words(stored).max(words(gathered)),
            Way::Unfold => words(stored),
        };
        part.choose(&self.shape, self.n, Cell::Narrow);
        part.most_width = part.width;
        part
    }

    /// Adds the lists of a row set, but for those that a card keeps, and returns its number.
    fn push_row_set(&mut self, set: &RowSetLists) -> u32 {
        let (placements, lines) = match set.uploaded {
            Some(Uploaded { placements, lines }) => {
                assert!(placements.max(lines) < KEPT, "room for the mark");
                self.has_kept = true;
                (KEPT | placements, KEPT | lines)
            }
            None => (self.push(&set.walk.placements), self.push(&set.scan.lines)),
        };
        let starts = self.push(&set.scan.starts);
        let tree = self.push_tree(&set.walk, placements);
        let queue = QueueEntry { lines, starts };
        self.trees.push(tree);
        self.queues.push(queue);
        self.trees.len() as u32 - 1
    }

    fn push_tree(&mut self, tree: &DeviceWalk, placements: u32) -> TreeEntry {
        TreeEntry {
            squares: self.push(&tree.squares),
            stems: self.push(&tree.stems),
            placements,
            stem_count: (tree.stems.len() as u32).saturating_sub(1),
            stem_rows: tree.format.stem_rows,
            rows: tree.rows,
            cols: tree.cols,
            singles: tree.format.singles,
            pairs: tree.format.pairs,
            unused: 0,
        }
    }

    /// Appends an array and returns its place, a multiple of 16 bytes.
    fn push<T: Plain>(&mut self, array: &[T]) -> u32 {
        let place = self.words.len().next_multiple_of(2);
        let bytes = size_of_val(array);
        let end = place + bytes.div_ceil(8);
        self.words.resize(place, 0);
        self.words.reserve(end - place);
        // SAFETY: there is room for the words from `place` to `end`. `array` is `bytes` bytes
        // of plain numbers, which fill them but for a part of the last, written before.
        unsafe {
            let to = self.words.as_mut_ptr().add(place);
            if end > place {
                to.add(end - place - 1).write(0);
            }
            std::ptr::copy_nonoverlapping(array.as_ptr().cast::<u8>(), to.cast::<u8>(), bytes);
            self.words.set_len(end);
        }
        place as u32
    }

    /// Appends the tables and the jobs for tiles with cells of this size; to be called after
    /// the last unit, and again for another size.
    ///
    /// # Errors
    ///
    /// [`Error::TooLittleShared`] where no block fits the card's shared memory.
    pub fn seal(&mut self, cell: Cell) -> Result<(), Error> {
        let end = *self.sealed.get_or_insert(self.words.len());
        self.words.truncate(end);
        self.cell = cell;
        self.jobs.clear();
        self.waves.clear();
        let mut parts = std::mem::take(&mut self.parts);
        for (number, part) in parts.iter_mut().enumerate() {
            part.choose(&self.shape, self.n, cell);
            self.add_jobs(number, part);
        }
        self.parts = parts;
        let trees = std::mem::take(&mut self.trees);
        let queues = std::mem::take(&mut self.queues);
        let pairs = std::mem::take(&mut self.pairs);
        let jobs = std::mem::take(&mut self.jobs);
        self.places = [
            self.push(&trees),
            self.push(&queues),
            self.push(&pairs),
            self.push(&jobs),
        ];
        (self.trees, self.queues) = (trees, queues);
        (self.pairs, self.jobs) = (pairs, jobs);
        let fits = |part: &Part| {
            part.config.blocks > 0 && part.config.shared_bytes <= self.shape.shared_per_block
        };
        match self.parts.iter().all(fits) {
            true => Ok(()),
            false => Err(Error::TooLittleShared { n: self.n }),
        }
    }

    /// The jobs of a part, in waves.
    fn add_jobs(&mut self, number: usize, part: &mut Part) {
        let waves = (part.cost / self.shape.launch_cost).ceil().max(1.0) as usize;
        let per_wave = part.groups.len().div_ceil(waves).max(1);
        let groups = self.groups[part.groups.clone()].to_vec();
        part.list_room = 0;
        let (_, lists) = part.lists();
        let mut scanned = 0;
        let mut ranges = Vec::new();
        for groups in groups.chunks(per_wave) {
            let first = self.jobs.len() as u32;
            // Where cells are wide, a row may have room for fewer pairs than were put together.
            let most_pairs = (part.width / 2).clamp(1, MOST_PAIRS);
            let parts = |&(first, pairs): &(u32, u32)| {
                let firsts = (first..first + pairs).step_by(most_pairs as usize);
                firsts.map(move |at| (at, most_pairs.min(first + pairs - at)))
            };
            for (first_pair, pairs) in groups.iter().flat_map(parts) {
                let of = &self.pairs[first_pair as usize..][..pairs as usize];
                let co_limit = of.iter().map(|pair| pair.co_limit).max().unwrap_or(0);
                let most = (lists / pairs).max(2) & !1;
                let mut first_co = 0;
                while first_co < co_limit {
                    let room = |cos: u32| {
                        let last = (first_co + cos).min(co_limit);
                        let length = |queue: u32| {
                            let place = self.queues[queue as usize].starts as usize;
                            self.start(place, last) - self.start(place, first_co)
                        };
                        let stored = of.iter().map(|pair| length(pair.store_queue)).sum::<u32>();
                        (stored, length(of[0].gather_queue))
                    };
                    // An even number of Co's, so that those that are each other's reverse stay
                    // together, and not with too long lists.
                    let mut cos = most;
                    let (mut stored, mut gathered) = room(cos);
                    while cos > 2 && stored.max(gathered) > LONG_LIST {
                        cos = (cos / 2).next_multiple_of(2);
                        (stored, gathered) = room(cos);
                    }
                    assert!(pairs * cos <= part.width, "a row has room for all lists");
                    let both = stored.max(gathered);
                    part.list_room = part.list_room.max(both.next_multiple_of(4));
                    scanned = scanned.max(match part.gather {
                        Way::Scan => both,
                        Way::Unfold => stored,
                    });
                    self.jobs.push(JobEntry {
                        first_pair,
                        pairs,
                        first_co,
                        cos,
                    });
                    first_co += cos;
                }
            }
            ranges.push(first..self.jobs.len() as u32);
        }
        let scan = part.stem_rows() * part.list_room;
        let unfold = part.boards[1].1 * part.list_room;
        part.scratch_room = match part.gather {
            Way::Scan => scan,
            Way::Unfold => scan.max(unfold),
        };
        part.table_room = table_room(scanned);
        part.config.shared_bytes += 2 * part.table_room;
        for jobs in ranges {
            self.waves.push(Wave {
                gather: part.gather,
                odd: self.n % 2 == 1,
                config: part.config,
                part: number,
                jobs,
                number: self.waves.len() as u32,
            });
        }
    }

    /// One of the starts at this place.
    fn start(&self, place: usize, co: u32) -> u32 {
        let word = self.words[place + co as usize / 2];
        (word >> (32 * (co % 2))) as u32
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

    /// The size of the cells it was sealed for.
    pub fn cell(&self) -> Cell {
        self.cell
    }

    /// The number of jobs, and of the sums that come back.
    pub fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// Bytes that blocks need beside shared memory.
    pub fn scratch_bytes(&self) -> u64 {
        let of = |part: &Part| 8 * u64::from(part.config.blocks) * u64::from(part.scratch_room);
        self.parts.iter().map(of).max().unwrap_or(0)
    }

    /// The work in it.
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
        for wave in &self.waves {
            // Unfolding meets the placements of odd boards twice.
            let twice = wave.gather == Way::Unfold && wave.odd;
            let times = if twice { 1 } else { 2 };
            let range = wave.jobs.start as usize..wave.jobs.end as usize;
            for (job, &sum) in self.jobs[range.clone()].iter().zip(&sums[range]) {
                let Share { unit, weight } = self.shares[job.first_pair as usize];
                // At most 2^64 * 8 for each of fewer than 2^32 sums.
                counts[unit] += times * u128::from(sum) * u128::from(weight);
            }
        }
        let fits = |(&unit, count): (&u64, u128)| {
            let overflow = || Error::Overflow { n: self.n, unit };
            match count % 2 {
                0 => u64::try_from(count / 2).map_err(|_| overflow()),
                _ => Err(overflow()),
            }
        };
        self.units.iter().zip(counts).map(fits).collect()
    }

    /// One line for each class: how it is counted.
    pub fn describe(&self) -> Vec<String> {
        let line = |part: &Part| {
            let Config {
                threads,
                blocks,
                shared_bytes,
            } = part.config;
            format!(
                "c = {}: {:?}, {:?} after {}, {} of {} lists, {:.2} words each, {blocks} blocks of {threads} \
                 threads with {} KiB, lists of {} at most",
                part.c,
                part.store,
                part.gather,
                part.first_queens,
                part.lists().1,
                part.width,
                part.words,
                shared_bytes >> 10,
                part.list_room,
            )
        };
        self.parts.iter().map(line).collect()
    }

    /// The waves, in their order.
    pub fn waves(&self) -> &[Wave] {
        &self.waves
    }

    /// The kernel's argument for a wave.
    pub fn launch(&self, wave: &Wave, addresses: &Addresses) -> Launch {
        let part = &self.parts[wave.part];
        let [trees, queues, pairs, jobs] = self.places;
        Launch {
            words: addresses.words,
            kept: addresses.kept,
            sums: addresses.sums,
            scratch: addresses.scratch,
            flag: addresses.flags,
            next_job: addresses.flags + 4 * u64::from(1 + wave.number),
            trees,
            queues,
            pairs,
            jobs,
            first_job: wave.jobs.start,
            job_end: wave.jobs.end,
            square_planes: part.square_planes,
            tile_rows: part.ce_count,
            width_bits: part.width.ilog2(),
            list_room: part.list_room,
            scratch_room: part.scratch_room,
            diagonals: device_lists::diagonals(self.n as usize),
            ce_of: part.ce_of,
            stored_even_index_of: part.stored_even_index_of,
            co_pairs: part.co_pairs,
            table_room: part.table_room,
            first_queens: part.first_queens,
            unused: 0,
        }
    }
}

impl Part {
    /// The most lists of a job: as many as there is room for, or somewhat fewer where that
    /// saves a round in which most lanes would have nothing. Before them, the rounds they take.
    fn lists(&self) -> (u32, u32) {
        if (self.store, self.gather) == (Way::Unfold, Way::Unfold) {
            return (1, self.width);
        }
        let of_rounds = |rounds: u32| {
            // Some stems leave more than the average.
            let words = if self.words > 1.0 {
                1.06 * self.words
            } else {
                1.0
            };
            let lists = (32.0 * f64::from(rounds) / words) as u32;
            // An even number of Co's for each of several pairs, or for one.
            let step = match self.gather {
                Way::Unfold => self.width.min(2 * MOST_PAIRS),
                Way::Scan => 2,
            };
            (rounds, lists / step * step)
        };
        let cost = |&(rounds, lists): &(u32, u32)| {
            let ends = match self.gather {
                Way::Scan => 1.0,
                Way::Unfold => lanes_idle(lists),
            };
            ends * f64::from(10 * rounds + 1) / f64::from(lists)
        };
        let best = (1..=64)
            .map(of_rounds)
            .filter(|&(_, lists)| lists > 0)
            .map(|(rounds, lists)| (rounds, lists.min(self.width)))
            .min_by(|x, y| cost(x).total_cmp(&cost(y)));
        best.unwrap_or((1, 1))
    }

    /// Chooses the width of a tile and the size of blocks.
    fn choose(&mut self, shape: &Shape, n: u32, cell: Cell) {
        let most = shape
            .tuning
            .width
            .min(1 << device_lists::packed_bits(n as usize));
        let most = most.min(self.most_width);
        let mut best = (0, 0, f64::INFINITY, Config::default());
        let widths = [64, 32, 16, 8, 4, 2]
            .into_iter()
            .filter(|&width| width <= most);
        for (width, first_queens) in widths.flat_map(|width| [(width, 1), (width, 2)]) {
            (self.width, self.first_queens) = (width, first_queens);
            let config = self.config(shape, n, cell);
            // Unfolding has 16 bits for the place of a cell, and room for so many levels.
            let unfolds = self.gather == Way::Unfold;
            let too_large = unfolds && (self.ce_count + 1) * width > 1 << 16
                || unfolds && first_queens == 1 && self.boards[1].0 > MOST_LEFT_OF_ONE;
            if config.blocks == 0 || too_large {
                continue;
            }
            // Scanning takes a round for however few words; unfolding does not mind. More
            // threads hide more waiting, up to a point. One queen to begin with is better than
            // two.
            let (rounds, lists) = self.lists();
            let rounds_per_list = f64::from(32 * rounds) / f64::from(lists);
            let ends = lanes_idle(width);
            let work = match (self.store, self.gather) {
                (_, Way::Scan) => rounds_per_list,
                (Way::Scan, Way::Unfold) => {
                    0.3 * rounds_per_list + 0.7 * ends * self.words.max(1.0)
                }
                (Way::Unfold, Way::Unfold) => ends,
            };
            let threads = config.threads * config.blocks / shape.multiprocessors;
            let cost =
                work / f64::from(threads).powf(0.7) * if first_queens > 1 { 1.02 } else { 1.0 };
            if cost < best.2 {
                best = (width, first_queens, cost, config);
            }
        }
        (self.width, self.first_queens, self.config) = (best.0.max(2), best.1, best.3);
        self.square_planes = self.planes().0;
    }

    /// The boards that are scanned: columns, and how their trees are laid out.
    fn scanned(&self) -> impl Iterator<Item = (u32, device_lists::WordFormat)> {
        let boards = match (self.store, self.gather) {
            (_, Way::Scan) => &self.boards[..],
            (Way::Scan, Way::Unfold) => &self.boards[..1],
            (Way::Unfold, Way::Unfold) => &[],
        };
        let layout = |rows, cols| device_lists::WordFormat::of(rows, cols, self.most_pairs);
        boards
            .iter()
            .map(move |&(rows, cols)| (cols, layout(rows, cols)))
    }

    /// Levels of the stems of trees that are scanned.
    fn stem_rows(&self) -> u32 {
        let rows = self.scanned().map(|(_, layout)| layout.stem_rows);
        rows.max().unwrap_or(0)
    }

    /// Planes of squares and of pairs that scanning needs.
    fn planes(&self) -> (u32, u32) {
        let of = |(cols, layout): (u32, device_lists::WordFormat)| {
            let left = layout.singles + 2 * layout.pairs;
            ((left * cols).max(1), layout.pairs * cols * cols)
        };
        let planes = self.scanned().map(of);
        planes.fold((0, 0), |x, y| (x.0.max(y.0), x.1.max(y.1)))
    }

    fn config(&self, shape: &Shape, n: u32, cell: Cell) -> Config {
        let config = |threads: u32| {
            let (squares, pairs) = self.planes();
            let lines = 2 * LINE_STEP * 4 * device_lists::diagonals(n as usize);
            let scan = match squares {
                0 => 0,
                _ => PLANE * squares + lines.max(PLANE * pairs),
            };
            // The gathering colour has more rows.
            let (rows, cols) = self.boards[1];
            let unfold = match self.gather {
                Way::Scan => 0,
                Way::Unfold => unfold_bytes(threads, rows, cols, self.first_queens),
            };
            let tile = tile_bytes(self.ce_count, self.width, cell);
            Config {
                threads,
                blocks: 0,
                shared_bytes: HEAD_BYTES + tile + scan.max(unfold),
            }
        };
        // As many threads as registers and shared memory allow, in several small blocks rather
        // than one large one.
        let most = shape.threads_per_multiprocessor / REGISTERS_SHARE;
        let mut best = Config::default();
        for threads in (LEAST_THREADS..=MOST_THREADS).step_by(128) {
            let config = config(threads.min(most));
            // Some more will be needed for the table of words, and 1 KiB is for the system.
            let bytes = config.shared_bytes + 2 * table_room(2 * LONG_LIST);
            let blocks = shape.shared_per_multiprocessor / (bytes + 1024);
            let blocks = blocks.min(most / config.threads);
            if blocks > 0
                && bytes <= shape.shared_per_block
                && blocks * config.threads > best.blocks * best.threads
            {
                best = Config { blocks, ..config };
            }
        }
        Config {
            blocks: best.blocks * shape.multiprocessors,
            ..best
        }
    }
}

/// How much longer unfolding takes for a job of so many lists than for a long one: the fewer q's
/// a job has, the more lanes idle when they end.
fn lanes_idle(lists: u32) -> f64 {
    1.0 + 3.0 / f64::from(lists)
}

/// The most Ce's that any row set of some lists visits.
fn visited(lists: &UnitLists) -> u32 {
    let limits = lists.visited.iter().map(|seen| seen.even_limit);
    limits.max().unwrap_or(0)
}

/// Bytes of a tile with so many Ce's, a row that stays 0 and one from which nothing is gathered.
fn tile_bytes(ce_count: u32, width: u32, cell: Cell) -> u32 {
    ((ce_count + 2) * width * cell.bytes()).next_multiple_of(16)
}

/// Bytes that the threads of a block need to unfold on a board with so many rows and columns.
fn unfold_bytes(threads: u32, rows: u32, cols: u32, first_queens: u32) -> u32 {
    let levels = (rows - first_queens).clamp(3, MOST_LEFT) - 2;
    let warps = threads / LANES * (PILE_BYTES + levels * LEVEL_BYTES);
    32 * MOST_PAIRS + 16 * 16 + 8 * (1u32 << cols).div_ceil(4) + warps
}

/// Puts trees together that have all but two rows in common, at most so many, and as many as
/// possible first. Every cluster names its members, each with the lines of the first square of
/// its rows: first those in common, then the other two. Either way the order is the tree's, in
/// which rows near the middle of the board, where more squares are attacked, come first.
fn clusters(trees: &[&DeviceWalk], most: usize) -> Vec<Vec<(usize, Vec<u64>)>> {
    let first_squares = |tree: &&DeviceWalk| {
        let squares = tree.squares.iter().step_by(tree.cols as usize);
        squares.copied().collect()
    };
    // Two rows have no first square's diagonal in common.
    let bit = |lines: u64| 1u32 << (lines as u32).trailing_zeros();
    let rows: Vec<Vec<u64>> = trees.iter().map(first_squares).collect();
    let sets: Vec<u32> = rows
        .iter()
        .map(|rows| rows.iter().map(|&lines| bit(lines)).sum())
        .collect();
    let mut left: Vec<usize> = (0..trees.len()).collect();
    let mut clusters = Vec::new();
    let mut candidates = Vec::new();
    while !left.is_empty() {
        candidates.clear();
        for &tree in &left {
            // The rows farthest from the middle are dropped first.
            for (k, &x) in rows[tree].iter().enumerate().rev() {
                let others = rows[tree][..k].iter().rev();
                candidates.extend(others.map(|&y| sets[tree] & !(bit(x) | bit(y))));
            }
        }
        candidates.sort_unstable();
        let runs = candidates.chunk_by(|x, y| x == y);
        let best = runs.max_by_key(|run| run.len().min(most));
        let common = best.map_or(sets[left[0]], |run| run[0]);
        let together: Vec<usize> = left
            .iter()
            .copied()
            .filter(|&tree| sets[tree] & common == common)
            .take(most)
            .collect();
        left.retain(|tree| !together.contains(tree));
        let ordered = |tree: usize| {
            let (mut first, last): (Vec<u64>, Vec<u64>) = rows[tree]
                .iter()
                .partition(|&&lines| common & bit(lines) != 0);
            first.extend(last);
            (tree, first)
        };
        clusters.push(together.into_iter().map(ordered).collect());
    }
    clusters
}

/// How many queens the colour that is stored and the one that gathers, which has more, have on
/// their boards with even columns.
fn queens(n: u32, c: u32) -> (u32, u32) {
    let black = n.div_ceil(2) - c;
    match n >= 4 * c {
        true => (c, black),
        false => (black, c),
    }
}

fn binomial(n: u32, k: u32) -> u32 {
    (1..=k).fold(1, |product, i| product * (n + 1 - i) / i)
}

/// Room for the words that lists of this length together are cut into, and for those of the
/// last round.
fn table_room(scanned: u32) -> u32 {
    (scanned / 32 + MOST_LISTS + 64).next_multiple_of(8)
}

/// How many words of 32 placements a list of the queue becomes below a stem of the tree: from
/// some of each.
fn words_per_list(tree: &DeviceWalk, queue: &DeviceScan) -> f64 {
    let (mut words, mut lists) = (0, 0);
    let stems = &tree.stems[..tree.stems.len().saturating_sub(1)];
    for stem in stems.iter().step_by(stems.len() / 4 + 1) {
        let level = |level: u32| {
            let j = stem.path >> (4 * level) & 15;
            tree.squares[(level * tree.cols + j) as usize]
        };
        let lines = (0..tree.format.stem_rows).fold(0, |lines, l| lines | level(l));
        for list in queue.sample_lists(64) {
            let left = list.iter().filter(|&&q| q & lines == 0).count();
            words += left.div_ceil(32);
            lists += 1;
        }
    }
    f64::from(words as u32) / f64::from(lists.max(1))
}

/// A job has fewer Co's where their lists together would be longer than this.
const LONG_LIST: u32 = 8192;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirrored_structures_have_no_gaps() {
        assert_eq!(size_of::<TreeEntry>(), 40);
        assert_eq!(size_of::<QueueEntry>(), 8);
        assert_eq!(size_of::<PairEntry>(), 48);
        assert_eq!(size_of::<JobEntry>(), 16);
        assert_eq!(size_of::<device_lists::Stem>(), 8);
        assert_eq!(size_of::<Launch>(), 120);
    }

    /// A part as it would be for a class, with as many Ce's as there can be.
    fn part(n: u32, c: u32, shape: &Shape) -> Part {
        let even = n.div_ceil(2);
        let (storing, gathering) = queens(n, c);
        Part {
            c,
            store: shape.store(n, c),
            gather: shape.gather(n, c),
            groups: 0..0,
            cost: 0.0,
            boards: [(storing, even), (gathering, even)],
            most_pairs: Shape::pairs_that_fit(shape.shared_per_block, n),
            first_queens: 2,
            width: 0,
            most_width: MOST_LISTS,
            words: 1.0,
            ce_count: binomial(even, gathering),
            ce_of: 0,
            stored_even_index_of: 0,
            co_pairs: 0,
            square_planes: 0,
            list_room: 0,
            table_room: 0,
            scratch_room: 0,
            config: Config::default(),
        }
    }

    #[test]
    fn every_class_of_every_board_fits_cards_from_turing_on() {
        for kib in [64, 99, 163, 227] {
            for n in crate::SIZES {
                let shared_per_block = kib << 10;
                let shape = Shape {
                    multiprocessors: 40,
                    threads_per_multiprocessor: 1024,
                    shared_per_multiprocessor: shared_per_block + 1024,
                    shared_per_block,
                    launch_cost: 1e9,
                    tuning: Tuning::default(),
                };
                let most_pairs = Shape::pairs_that_fit(shared_per_block, n);
                let can_count = (0..=n / 2).all(|c| shape.can_count(n, c, most_pairs));
                // The largest boards are for larger cards.
                let largest = match kib {
                    64 => 24,
                    99 => 28,
                    _ => 30,
                };
                assert_eq!(can_count, n <= largest, "{kib} KiB, n = {n}");
                if !can_count {
                    continue;
                }
                for (c, cell) in (0..=n / 2).flat_map(|c| [(c, Cell::Narrow), (c, Cell::Wide)]) {
                    let mut part = part(n, c, &shape);
                    part.choose(&shape, n, cell);
                    let bytes = part.config.shared_bytes + 2 * table_room(2 * LONG_LIST);
                    assert!(
                        part.config.blocks >= 40,
                        "{kib} KiB, n = {n}, c = {c}, {cell:?}"
                    );
                    assert!(
                        bytes <= shared_per_block,
                        "{kib} KiB, n = {n}, c = {c}, {cell:?}"
                    );
                    assert!(part.width >= 2);
                }
            }
        }
    }
}
