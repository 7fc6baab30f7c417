//! The first step of a batch: the lists of units, section by section.
//!
//! Neighbouring units of a class have many row sets in common. The batch has one walk and one scan
//! for each row set. The pairs of a unit name these by number. Pairs that one job can count form a
//! group: the same scan gathers for all of them, and their walks differ in two rows.

use super::clusters::clusters;
use super::section::{Config, Section, visited, words_per_list};
use super::shape::{Join, Shape};
use super::shared_memory::Cell;
use super::words::Words;
use crate::Error;
use crate::interface::{
    JobEntry, LIST_BITS, MOST_LISTS, MOST_PAIRS, PairEntry, RESIDENT, ScanEntry, Stem, WalkEntry,
};
use crate::lists::{DeviceWalk, Parity, RowPair, RowSetLists, UnitLists, Uploaded};
use std::collections::HashMap;
use std::ops::Range;

/// The longest list that is scanned; a 16-bit entry of the table names a word and a list.
const LONGEST_SCANNED: u32 = 32 << (16 - LIST_BITS);

/// The unit of a pair, and what the pair's count is multiplied with there.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitWeight {
    pub unit: usize,
    pub weight: u64,
}

/// Where a unit's row sets and weights are in a batch.
struct UnitEntries {
    /// Numbers of the walks and scans of its even row sets, and of its odd ones.
    even: Vec<u32>,
    odd: Vec<u32>,
    /// For each even row set the places of its weights, for doubled odd indices and for the rest.
    weights: Vec<[u32; 2]>,
}

/// One launch of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// How the gathering colour joins.
    pub gather: Join,
    /// Whether the board is odd.
    pub odd: bool,
    /// Blocks and threads.
    pub config: Config,
    /// Its section, its jobs, and its number.
    pub(super) section: usize,
    pub(super) jobs: Range<u32>,
    pub(super) number: u32,
}

/// Some units, ready to be counted.
#[derive(Default)]
pub struct Batch {
    pub(super) n: u32,
    pub(super) shape: Shape,
    pub(super) mask_pairs: u32,
    pub(super) cell: Cell,
    pub(super) units: Vec<u64>,
    pub(super) has_resident: bool,
    pub(super) words: Words,
    /// Where the lists end, and the tables of [`Batch::seal`] begin.
    pub(super) sealed: Option<usize>,
    pub(super) walks: Vec<WalkEntry>,
    pub(super) scans: Vec<ScanEntry>,
    /// The numbers of the row sets in the batch, by class, parity, and place there.
    pub(super) row_sets: HashMap<(u32, Parity, usize), u32>,
    /// The places of the weights of even row sets, by class and place there.
    pub(super) weights: HashMap<(u32, usize), [u32; 2]>,
    pub(super) pairs: Vec<PairEntry>,
    pub(super) unit_weights: Vec<UnitWeight>,
    /// Pairs that can be in one job: the first one, and how many.
    pub(super) groups: Vec<(u32, u32)>,
    pub(super) sections: Vec<Section>,
    pub(super) jobs: Vec<JobEntry>,
    pub(super) waves: Vec<Wave>,
    /// Places of walks, scans, pairs and jobs.
    pub(super) places: [u32; 4],
    pub(super) cost: f64,
}

impl Batch {
    /// An empty batch for this board and a card of this shape. Its lists have masks for
    /// `mask_pairs` pairs of rows.
    pub fn new(n: u32, shape: &Shape, mask_pairs: u32) -> Batch {
        Batch {
            n,
            shape: *shape,
            mask_pairs,
            ..Batch::default()
        }
    }

    /// Empties the batch, but keeps its memory.
    pub fn clear(&mut self) {
        self.units.clear();
        self.has_resident = false;
        self.words.truncate(0);
        self.sealed = None;
        self.cell = Cell::Narrow;
        self.walks.clear();
        self.scans.clear();
        self.row_sets.clear();
        self.weights.clear();
        self.pairs.clear();
        self.unit_weights.clear();
        self.groups.clear();
        self.sections.clear();
        self.jobs.clear();
        self.waves.clear();
        self.cost = 0.0;
    }

    /// Adds a unit's lists, without those that are resident on the card; `cost` is the unit's.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] if a counter of the kernel could overflow, as `count.cu` explains.
    pub fn add(&mut self, unit: u64, cost: f64, lists: &UnitLists) -> Result<(), Error> {
        let class = lists.black_queens;
        if (self.sections.last()).is_none_or(|section| section.black_queens != class) {
            let section = self.section(lists);
            self.sections.push(section);
        }
        let section = self.sections.last().expect("made above");
        let gather = section.gather;
        // At least two odd indices for each pair.
        let room = self.shape.tuning.pairs.min(section.width / 2);
        let most = room.clamp(1, MOST_PAIRS) as usize;
        let entries = self.push_lists(lists, gather);
        // All pairs of a job have one weight and one row set whose scan gathers. Their other row
        // sets have all but two rows in common.
        let key = |pair: &RowPair| match lists.white_gathers {
            true => (pair.odd, pair.weight, pair.even),
            false => (pair.even, pair.weight, pair.odd),
        };
        let mut pairs = lists.pairs.clone();
        pairs.sort_by_key(key);
        let mut known = None;
        for alike in pairs.chunk_by(|x, y| key(x).0 == key(y).0 && key(x).1 == key(y).1) {
            if gather == Join::Scan {
                for pair in alike {
                    self.groups.push((self.pairs.len() as u32, 1));
                    self.add_pair(unit, pair, lists, &entries, 0)?;
                }
                continue;
            }
            let walk = |pair: &RowPair| match lists.white_gathers {
                true => &lists.even[pair.even as usize].walk,
                false => &lists.odd[pair.odd as usize].walk,
            };
            // Most row sets whose scan gathers have the same partners as the one before.
            let partners: Vec<u32> = alike.iter().map(|pair| key(pair).2).collect();
            if known.as_ref().is_none_or(|(of, _)| *of != partners) {
                let walks: Vec<&DeviceWalk> = alike.iter().map(walk).collect();
                let clusters = clusters(&walks, most);
                let mut place =
                    |(member, rows): &(usize, Vec<u64>)| (*member, self.words.push(rows));
                let placed: Vec<Vec<(usize, u32)>> = clusters
                    .iter()
                    .map(|cluster| cluster.iter().map(&mut place).collect())
                    .collect();
                known = Some((partners, placed));
            }
            for cluster in known.iter().flat_map(|(_, clusters)| clusters) {
                let first = self.pairs.len() as u32;
                self.groups.push((first, cluster.len() as u32));
                for &(member, rows) in cluster {
                    self.add_pair(unit, &alike[member], lists, &entries, rows)?;
                }
            }
        }
        let section = self.sections.last_mut().expect("made above");
        section.even_count = section.even_count.max(visited(lists));
        section.groups.end = self.groups.len();
        section.cost += cost;
        self.cost += cost;
        self.units.push(unit);
        Ok(())
    }

    /// An empty section for the class of these lists.
    fn section(&mut self, lists: &UnitLists) -> Section {
        let class = lists.black_queens;
        let (white, black) = (&lists.even[0].walk, &lists.odd[0].walk);
        let walks = match lists.white_gathers {
            true => [black, white],
            false => [white, black],
        };
        let store = self.shape.store(self.n, class);
        let gather = self.shape.gather(self.n, class);
        // A sample of four row sets of the colour.
        let words = |white: bool| {
            let of = |place: usize| {
                let even = &lists.even[place * (lists.even.len() - 1) / 3];
                let odd = &lists.odd[place * (lists.odd.len() - 1) / 3];
                match white {
                    true => words_per_list(&even.walk, &odd.scan),
                    false => words_per_list(&odd.walk, &even.scan),
                }
            };
            (0..4).map(of).sum::<f64>() / 4.0
        };
        let (stored, gathered) = (!lists.white_gathers, lists.white_gathers);
        let mut section = Section {
            black_queens: class,
            store,
            gather,
            groups: self.groups.len()..self.groups.len(),
            cost: 0.0,
            boards: walks.map(|walk| (walk.rows, walk.cols)),
            mask_pairs: self.mask_pairs,
            first_queens: 2,
            width: 0,
            most_width: MOST_LISTS,
            words_per_list: match gather {
                Join::Scan => words(stored).max(words(gathered)),
                Join::Unfold => words(stored),
            },
            even_count: visited(lists),
            even_index_of: self.words.push(&lists.even_index_of),
            stored_even_index_of: match store {
                Join::Scan => 0,
                // Never at place 0, which the table above has.
                Join::Unfold => self.words.push(&lists.stored_even_index_of),
            },
            odd_pairs: lists.odd_pairs,
            square_masks: 0,
            list_room: 0,
            table_room: 0,
            scratch_room: 0,
            config: Config::default(),
        };
        section.choose(&self.shape, self.n, Cell::Narrow);
        section.most_width = section.width;
        section
    }

    /// Adds the row sets and weights of a unit that the batch does not have yet, and returns where
    /// all of them are.
    fn push_lists(&mut self, lists: &UnitLists, gather: Join) -> UnitEntries {
        let class = lists.black_queens;
        let mut number = |parity, place: usize, set: &RowSetLists| {
            let key = (class, parity, place);
            if let Some(&number) = self.row_sets.get(&key) {
                return number;
            }
            let number = self.push_row_set(set);
            self.row_sets.insert(key, number);
            number
        };
        let even_sets = lists.even_range.clone().zip(&lists.even);
        let even = even_sets
            .map(|(place, set)| number(Parity::Even, place, set))
            .collect();
        let odd_sets = lists.odd_range.clone().zip(&lists.odd);
        let odd = odd_sets
            .map(|(place, set)| number(Parity::Odd, place, set))
            .collect();
        let weights = (lists.even_range.clone().zip(&lists.visited))
            .map(|(place, visited)| {
                *self.weights.entry((class, place)).or_insert_with(|| {
                    let weights = match gather {
                        Join::Scan => &visited.scan_weights,
                        Join::Unfold => &visited.unfold_weights,
                    };
                    let doubled = self.words.push(&weights.doubled);
                    let rest = match weights.rest.is_empty() {
                        true => 0,
                        false => self.words.push(&weights.rest),
                    };
                    [doubled, rest]
                })
            })
            .collect();
        UnitEntries { even, odd, weights }
    }

    /// Adds the lists of a row set and returns its number.
    fn push_row_set(&mut self, set: &RowSetLists) -> u32 {
        let (walk, words) = (&set.walk, &mut self.words);
        let (placements, lines) = match set.uploaded {
            Some(Uploaded { placements, lines }) => {
                assert!(placements.max(lines) < RESIDENT, "room for the mark");
                self.has_resident = true;
                (RESIDENT | placements, RESIDENT | lines)
            }
            None => (words.push(&walk.placements), words.push(&set.scan.lines)),
        };
        let stems: Vec<Stem> = (walk.stems.iter())
            .map(|stem| Stem {
                path: stem.path,
                first: stem.first,
            })
            .collect();
        self.scans.push(ScanEntry {
            lines,
            starts: words.push(&set.scan.starts),
        });
        self.walks.push(WalkEntry {
            squares: words.push(&walk.squares),
            stems: words.push(&stems),
            placements,
            stem_count: (stems.len() as u32).saturating_sub(1),
            stem_rows: walk.format.stem_rows,
            rows: walk.rows,
            cols: walk.cols,
            singles: walk.format.singles,
            row_pairs: walk.format.pairs,
            unused: 0,
        });
        self.walks.len() as u32 - 1
    }

    fn add_pair(
        &mut self,
        unit: u64,
        pair: &RowPair,
        lists: &UnitLists,
        entries: &UnitEntries,
        gather_rows: u32,
    ) -> Result<(), Error> {
        let (e, o) = (pair.even as usize, pair.odd as usize);
        let (even, odd) = (entries.even[e], entries.odd[o]);
        let visited = &lists.visited[e];
        // The walk and the scan of each colour, and their numbers.
        let white = (&lists.even[e].walk, &lists.odd[o].scan, even, odd);
        let black = (&lists.odd[o].walk, &lists.even[e].scan, odd, even);
        let (gathering, storing) = match lists.white_gathers {
            true => (white, black),
            false => (black, white),
        };
        let cell = 4 * u128::from(storing.0.most) * u128::from(storing.1.longest);
        let section = self.sections.last().expect("a unit has one");
        // Unfolding counts placements of odd boards twice. The lists here are those of all pairs of
        // a job, so this bound is more than the pair's share of the job's sum.
        let sum = 2
            * u128::from(gathering.0.count)
            * u128::from(section.width * gathering.1.longest)
            * cell;
        let longest = match section.gather {
            Join::Unfold => storing.1.longest,
            Join::Scan => storing.1.longest.max(gathering.1.longest),
        };
        if cell >= 1 << 32 || sum >= 1 << 64 || longest > LONGEST_SCANNED {
            return Err(Error::Overflow { n: self.n, unit });
        }
        let [doubled_weights, rest_weights] = entries.weights[e];
        self.pairs.push(PairEntry {
            store_walk: storing.2,
            store_scan: storing.3,
            gather_walk: gathering.2,
            gather_scan: gathering.3,
            even_limit: visited.even_limit,
            odd_limit: pair.odd_limit,
            doubled: pair.doubled,
            doubled_weights,
            rest_weights,
            last_cols: visited.last_cols,
            gather_rows,
            unused: 0,
        });
        self.unit_weights.push(UnitWeight {
            unit: self.units.len(),
            weight: pair.weight,
        });
        Ok(())
    }

    /// The units, in the order they were added.
    pub fn units(&self) -> &[u64] {
        &self.units
    }

    /// The memory that the card reads.
    pub fn words(&self) -> &[u64] {
        self.words.as_slice()
    }

    /// Whether some of its lists are resident on the card.
    pub fn has_resident(&self) -> bool {
        self.has_resident
    }

    /// How much work it is: the sum of its units' costs.
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// One line for each class: how it is counted.
    pub fn describe(&self) -> Vec<String> {
        self.sections.iter().map(Section::describe).collect()
    }
}
