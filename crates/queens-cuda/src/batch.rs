//! Some units as one block of memory, which a card reads in place.
//!
//! Everything is an array of plain numbers at a *place*, counted in 8-byte words from the
//! start: the trees and queues of the row sets, then the tables that tell where they are, the
//! pairs, and the jobs. A job is one pair and 32 Co's, the work of one block of threads; a
//! launch counts a range of jobs. The structures here mirror those of `kernel.cu`.
//!
//! A [`Plan`] says how a card runs a batch: threads, shared memory, where the table lives, and
//! the launches, none longer than about a tenth of a second.

use crate::Error;
use queens::count::two_colour::flat::{Lists, RowSet, Sorted, Tree};
use std::ops::Range;

/// Lanes of a warp: Co's of a job.
const LANES: u32 = 32;
/// Bytes of a plane: one 32-bit word per lane.
const PLANE: u32 = 4 * LANES;
/// Planes of lines with their gaps (64 times 33 words), the counts of four levels of a stem,
/// and the largest of them.
const LINE_PLANES: u32 = 66 + 4 + 1;
/// The most levels of a stem.
const MOST_STEM_ROWS: u32 = 4;

/// Mirror of `Tree`.
#[derive(Clone, Copy)]
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
    unused: [u32; 3],
}

/// Mirror of `Stem`.
#[derive(Clone, Copy)]
#[repr(C)]
struct StemEntry {
    path: u32,
    first_prefix: u32,
}

/// Mirror of `Queue`.
#[derive(Clone, Copy)]
#[repr(C)]
struct QueueEntry {
    lines: u32,
    starts: u32,
}

/// Mirror of `Pair`.
#[derive(Clone, Copy)]
#[repr(C)]
struct PairEntry {
    store_tree: u32,
    store_queue: u32,
    gather_tree: u32,
    gather_queue: u32,
    table_rows: u32,
    ce_limit: u32,
    co_limit: u32,
    last_co: u32,
    weights: u32,
    narrow: u32,
}

/// Mirror of `Job`.
#[derive(Clone, Copy)]
#[repr(C)]
struct JobEntry {
    pair: u32,
    first_co: u32,
}

/// Mirror of `Batch`: what a launch of the kernel is given.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Launch {
    /// Address of the batch's words.
    pub words: u64,
    /// Address of one sum per job.
    pub sums: u64,
    /// Address of the tables, one per block of threads, where they are not in shared memory.
    pub tables: u64,
    /// Address of the lists that are being sifted.
    pub sifted: u64,
    trees: u32,
    queues: u32,
    pairs: u32,
    jobs: u32,
    first_job: u32,
    job_end: u32,
    square_planes: u32,
    end_planes: u32,
    table_rows: u32,
    list_room: u32,
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
unsafe impl Plain for JobEntry {}
// SAFETY: as above; 8 + 4 + 2 + 2 bytes.
unsafe impl Plain for queens::count::two_colour::flat::Prefix {}
// SAFETY: primitive.
unsafe impl Plain for u64 {}
// SAFETY: primitive.
unsafe impl Plain for u32 {}
// SAFETY: primitive.
unsafe impl Plain for u8 {}

/// What a pair's count is multiplied with, and the unit it belongs to.
#[derive(Clone, Copy, Debug)]
struct Share {
    unit: usize,
    weight: u64,
}

/// Some units, ready to be counted.
#[derive(Default)]
pub struct Batch {
    n: u32,
    units: Vec<u64>,
    words: Vec<u64>,
    trees: Vec<TreeEntry>,
    queues: Vec<QueueEntry>,
    pairs: Vec<PairEntry>,
    shares: Vec<Share>,
    jobs: Vec<JobEntry>,
    costs: Vec<f64>,
    cost: f64,
    square_planes: u32,
    end_planes: u32,
    table_rows: u32,
    list_room: u32,
    /// The even row sets that are in: their class, places, and first number.
    even: Option<(u32, Range<usize>, Numbers)>,
    places: [u32; 4],
}

/// Where the row sets of one parity begin in the tables, and the weights of the even ones.
#[derive(Clone, Debug)]
struct Numbers {
    first: u32,
    weights: Vec<u32>,
}

impl Batch {
    /// An empty batch for this board.
    pub fn new(n: u32) -> Batch {
        Batch {
            n,
            ..Batch::default()
        }
    }

    /// Empties the batch, keeping its memory.
    pub fn clear(&mut self) {
        self.units.clear();
        self.words.clear();
        self.trees.clear();
        self.queues.clear();
        self.pairs.clear();
        self.shares.clear();
        self.jobs.clear();
        self.costs.clear();
        self.cost = 0.0;
        (self.square_planes, self.end_planes, self.table_rows) = (0, 0, 0);
        self.list_room = 0;
        self.even = None;
    }

    /// Adds a unit's lists.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] where a counter of the kernel could overflow; see there.
    pub fn add(&mut self, unit: u64, lists: &Lists) -> Result<(), Error> {
        let known = self
            .even
            .take()
            .filter(|(c, range, _)| *c == lists.c && *range == lists.even_range);
        let (_, _, even) = known.unwrap_or_else(|| {
            let first = self.trees.len() as u32;
            for set in &lists.even {
                self.push_row_set(set, &lists.odd[0].queue);
            }
            let weights = lists.seen.iter().map(|seen| self.push(&seen.weights));
            let weights = weights.collect();
            let numbers = Numbers { first, weights };
            (lists.c, lists.even_range.clone(), numbers)
        });
        let odd_first = self.trees.len() as u32;
        for set in &lists.odd {
            self.push_row_set(set, &lists.even[0].queue);
        }
        for pair in &lists.pairs {
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
            let sum = 32 * gather.0.ends.len() as u128 * u128::from(gather.1.most) * cell;
            if cell >= 1 << 32 || sum >= 1 << 64 {
                return Err(Error::Overflow { n: self.n, unit });
            }
            let number = self.pairs.len() as u32;
            self.pairs.push(PairEntry {
                store_tree: store.2,
                store_queue: store.3,
                gather_tree: gather.2,
                gather_queue: gather.3,
                table_rows: gather.0.ce_limit,
                ce_limit: seen.ce_limit,
                co_limit: seen.co_limit,
                last_co: seen.last_co,
                weights: even.weights[e],
                // A prefix has at most cols^2 < 256 ends, and a word 32 bits.
                narrow: u32::from(cell < 1 << (32 - 8 - 5)),
            });
            self.shares.push(Share {
                unit: self.units.len(),
                weight: pair.weight,
            });
            for first_co in (0..seen.co_limit).step_by(LANES as usize) {
                let job = JobEntry {
                    pair: number,
                    first_co,
                };
                let cost = walk_cost(store.0, store.1)
                    + walk_cost(gather.0, gather.1)
                    + f64::from(gather.0.ce_limit) * 10.0;
                self.jobs.push(job);
                self.costs.push(cost);
                self.cost += cost;
            }
        }
        self.even = Some((lists.c, lists.even_range.clone(), even));
        self.units.push(unit);
        Ok(())
    }

    /// Adds the lists of a row set, whose tree will be walked over queues like `other`.
    fn push_row_set(&mut self, set: &RowSet, other: &Sorted) {
        let RowSet { tree, queue } = set;
        let stem_rows = stem_rows(tree, other);
        let stems = stems(tree, stem_rows);
        let entry = TreeEntry {
            squares: self.push(&tree.squares),
            prefixes: self.push(&tree.prefixes),
            ends: self.push(&tree.ends),
            stems: self.push(&stems),
            stem_count: stems.len() as u32 - 1,
            stem_rows,
            rows: tree.rows,
            end_rows: tree.end_rows,
            cols: tree.cols,
            unused: [0; 3],
        };
        self.trees.push(entry);
        let entry = QueueEntry {
            lines: self.push(&queue.lines),
            starts: self.push(&queue.starts),
        };
        self.queues.push(entry);
        self.square_planes = self.square_planes.max(tree.rows * tree.cols);
        self.end_planes = self.end_planes.max(tree.cols.pow(tree.end_rows));
        self.table_rows = self.table_rows.max(tree.ce_limit);
        self.list_room = self.list_room.max(queue.most);
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
        let jobs = std::mem::take(&mut self.jobs);
        self.places = [
            self.push(&trees),
            self.push(&queues),
            self.push(&pairs),
            self.push(&jobs),
        ];
        (self.trees, self.queues, self.pairs, self.jobs) = (trees, queues, pairs, jobs);
    }

    /// The units, in the order they were added.
    pub fn units(&self) -> &[u64] {
        &self.units
    }

    /// The memory that the card reads.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The number of jobs, and of sums that come back.
    pub fn jobs(&self) -> usize {
        self.jobs.len()
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
        for (job, &sum) in self.jobs.iter().zip(sums) {
            let Share { unit, weight } = self.shares[job.pair as usize];
            // At most 2^64 * 4 for each of fewer than 2^32 jobs.
            counts[unit] += u128::from(sum) * u128::from(weight);
        }
        let fits = |(&unit, count): (&u64, u128)| {
            u64::try_from(count).map_err(|_| Error::Overflow { n: self.n, unit })
        };
        self.units.iter().zip(counts).map(fits).collect()
    }

    /// How a card of this shape runs the batch.
    pub fn plan(&self, shape: &Shape) -> Plan {
        let planes = PLANE * (LINE_PLANES + self.square_planes + self.end_planes);
        let table = PLANE * self.table_rows;
        let most_sums = 8 * MOST_THREADS;
        let table_in_shared = planes + table + most_sums <= shape.shared_per_block;
        let bytes = planes + if table_in_shared { table } else { 0 };
        // Enough threads that the blocks that fit a multiprocessor at once keep it busy.
        let fit = shape.shared_per_multiprocessor / (bytes + 4096);
        let threads = match fit {
            4.. => 256,
            2..=3 => 512,
            _ => MOST_THREADS,
        };
        let by_threads = shape.threads_per_multiprocessor / threads;
        let resident = fit.min(by_threads).max(1) * shape.multiprocessors;
        let launches = cut(&self.costs, shape.launch_cost);
        let longest = launches.iter().map(|jobs| jobs.end - jobs.start).max();
        Plan {
            threads,
            blocks: resident.min(longest.unwrap_or(0)).max(1),
            shared_bytes: bytes + 8 * threads,
            table_in_shared,
            launches,
        }
    }

    /// The table bytes that a plan needs in the card's memory.
    pub fn table_bytes(&self, plan: &Plan) -> u64 {
        if plan.table_in_shared {
            0
        } else {
            u64::from(plan.blocks) * u64::from(PLANE * self.table_rows)
        }
    }

    /// The bytes for lists being sifted that a plan needs in the card's memory.
    pub fn sifted_bytes(&self, plan: &Plan) -> u64 {
        let lists = u64::from(plan.blocks) * u64::from(MOST_STEM_ROWS * LANES);
        8 * lists * u64::from(self.list_room)
    }

    /// The kernel's argument for one launch, from the addresses of the batch's words, the
    /// sums, the tables and the lists being sifted.
    pub fn launch(&self, jobs: &Range<u32>, addresses: [u64; 4]) -> Launch {
        let [words, sums, tables, sifted] = addresses;
        let [trees, queues, pairs, jobs_place] = self.places;
        Launch {
            words,
            sums,
            tables,
            sifted,
            trees,
            queues,
            pairs,
            jobs: jobs_place,
            first_job: jobs.start,
            job_end: jobs.end,
            square_planes: self.square_planes,
            end_planes: self.end_planes,
            table_rows: self.table_rows,
            list_room: self.list_room,
        }
    }
}

/// The most threads that a block has; `kernel.cu` is compiled for no more.
const MOST_THREADS: u32 = 1024;

/// A level of a stem keeps about this share of a list.
const KEPT: f64 = 0.3;

/// How many levels of this tree are a stem over queues like this one: as many as leave about
/// one word of 32 placements per Co.
fn stem_rows(tree: &Tree, queue: &Sorted) -> u32 {
    let levels = (mean_list(queue) / 26.0).ln() / KEPT.recip().ln();
    let depth = tree.rows - tree.end_rows;
    (levels.ceil().max(0.0) as u32)
        .min(depth)
        .min(MOST_STEM_ROWS)
}

fn mean_list(queue: &Sorted) -> f64 {
    queue.lines.len() as f64 / (queue.starts.len() - 1).max(1) as f64
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

/// Warp instructions to walk a tree once, roughly.
fn walk_cost(tree: &Tree, queue: &Sorted) -> f64 {
    let left = mean_list(queue) * KEPT.powi(stem_rows(tree, queue) as i32);
    let words = (1.5 * left / 32.0).max(1.0);
    words * (8.0 * tree.ends.len() as f64 + 20.0 * tree.prefixes.len() as f64) + 50_000.0
}

/// Cuts the jobs into launches of at most this cost, or of one job.
fn cut(costs: &[f64], most: f64) -> Vec<Range<u32>> {
    let mut launches = Vec::new();
    let (mut first, mut sum) = (0, 0.0);
    for (job, &cost) in (0..).zip(costs) {
        if sum + cost > most && first < job {
            launches.push(first..job);
            (first, sum) = (job, 0.0);
        }
        sum += cost;
    }
    if first < costs.len() as u32 {
        launches.push(first..costs.len() as u32);
    }
    launches
}

/// What a plan has to know of a card.
#[derive(Clone, Copy, Debug)]
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
}

/// How a card runs a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks of a launch.
    pub blocks: u32,
    /// Shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// Whether the table is in shared memory.
    pub table_in_shared: bool,
    /// The jobs of each launch.
    pub launches: Vec<Range<u32>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_cover_all_jobs_once_and_stay_short() {
        let costs: Vec<f64> = (0..100).map(|job| f64::from(job % 7 + 1)).collect();
        for most in [0.5, 3.0, 10.0, 1e9] {
            let launches = cut(&costs, most);
            let mut next = 0;
            for jobs in &launches {
                assert_eq!(jobs.start, next);
                next = jobs.end;
                let cost: f64 = costs[jobs.start as usize..jobs.end as usize].iter().sum();
                assert!(cost <= most || jobs.len() == 1);
            }
            assert_eq!(next, 100);
        }
        assert!(cut(&[], 1.0).is_empty());
    }

    #[test]
    fn the_mirrored_structures_have_no_gaps() {
        assert_eq!(size_of::<TreeEntry>(), 48);
        assert_eq!(size_of::<QueueEntry>(), 8);
        assert_eq!(size_of::<PairEntry>(), 40);
        assert_eq!(size_of::<JobEntry>(), 8);
        assert_eq!(size_of::<queens::count::two_colour::flat::Prefix>(), 16);
        assert_eq!(size_of::<Launch>(), 72);
    }
}
