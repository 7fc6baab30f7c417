//! A block: the units that are counted together.
//!
//! A sweep gives the sums of one even row set with all odd ones. So all units that have the same
//! even row sets are counted together. These units are a block; their numbers are a range.

use super::super::colour::ColourBoards;
use super::super::device_lists::ColumnWeights;
use super::super::symmetry::Class;
use super::super::units::{Units, units};
use super::colour::{Extent, SweptColour, swept_rows};
use super::cover::Cover;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// One even row set, with all odd ones that it visits.
///
/// Let `W[e][r][o]` be the number that white's table for the listed index `e` has for row set `r`
/// and swept index `o`. Let `B[o][r][e]` be the number that black's table for the listed index `o`
/// has for row set `r` and swept index `e`. Then the sum of row set `r` is the sum of
/// `W[e][r][o] * B[o][r][e]` times [`Sweep::weights`], over all `e` and all `o` below
/// [`OddRowSet::odd_limit`].
#[derive(Clone, Debug)]
pub struct Sweep {
    /// White: listed by even columns, swept by odd ones.
    pub white: SweptColour,
    /// Black: listed by odd columns, swept by even ones.
    pub black: SweptColour,
    /// The odd row sets.
    pub odd_rows: Vec<OddRowSet>,
    /// The weight of a column set, by its even index.
    pub weights: ColumnWeights,
}

/// One odd row set of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OddRowSet {
    /// How many row sets this one, with the even rows of the sweep, stands for.
    pub weight: u64,
    /// How many odd indices it visits.
    pub odd_limit: u32,
    /// Odd indices below this weigh [`ColumnWeights::doubled`], those from here on
    /// [`ColumnWeights::rest`].
    pub doubled: u32,
}

/// The units that have the same neighbouring even row sets, and what is counted of them so far.
#[derive(Clone, Debug)]
pub struct Block {
    units: Units,
    class: Class,
    numbers: Range<u64>,
    even: Range<usize>,
    /// For each odd row set the sum over the even ones that were added.
    sums: Vec<u128>,
    /// How many even row sets were added.
    added: usize,
    /// Cores for all odd row sets that some even row set of the block visits, found when they are
    /// first needed.
    covers: OnceLock<Covers>,
}

/// The covers of a block.
#[derive(Clone, Debug)]
struct Covers {
    white: Arc<Cover>,
    black: Arc<Cover>,
}

impl Covers {
    /// Covers of the first `odd_rows` odd row sets.
    fn new(class: &Class, odd_rows: u32) -> Covers {
        let wanted = |boards: &ColourBoards| -> Vec<bool> {
            let numbers = swept_rows(class, boards, odd_rows);
            numbers.iter().map(Option::is_some).collect()
        };
        let cover = |queens, wanted: &[bool]| Arc::new(Cover::new(class.split.odd, queens, wanted));
        let (white, black) = (ColourBoards::white(class), ColourBoards::black(class));
        let (for_white, for_black) = (wanted(&white), wanted(&black));
        let cover_white = cover(white.scan_queens(class), &for_white);
        // If both colours have the same number of queens, they often want the same row sets.
        let cover_black = match for_white == for_black {
            true => cover_white.clone(),
            false => cover(black.walk_queens(class), &for_black),
        };
        Covers {
            white: cover_white,
            black: cover_black,
        }
    }
}

impl Block {
    /// The block of a unit; `None` where there is no such unit, or too few queens to sweep.
    ///
    /// ```
    /// use queens::count::two_colour::sweep::Block;
    ///
    /// let block = Block::of(20, 400).unwrap();
    /// assert!(block.numbers().contains(&400));
    /// // Too few queens, and no such unit.
    /// assert!(Block::of(8, 0).is_none() && Block::of(8, 1_000).is_none());
    /// ```
    pub fn of(n: usize, unit: u64) -> Option<Block> {
        let units = units(n)?;
        let numbers = units.block(unit)?;
        let unit = units.get(unit)?;
        let class = units.tables(unit.black_queens);
        // The swept boards hold black queens and the white ones of the odd rows.
        if class.black_queens.min(class.odd_white) < 2 {
            return None;
        }
        Some(Block {
            sums: vec![0; class.odd_rows.len()],
            even: unit.even,
            numbers,
            units,
            class,
            added: 0,
            covers: OnceLock::new(),
        })
    }

    /// The numbers of its units.
    pub fn numbers(&self) -> Range<u64> {
        self.numbers.clone()
    }

    /// How many even row sets it has.
    pub fn rows(&self) -> usize {
        self.even.len()
    }

    /// The sweep of an even row set, for `row` below [`Block::rows`].
    pub fn sweep(&self, row: usize) -> Option<Sweep> {
        let class = &self.class;
        let even_rows = &class.even_rows[self.even.clone()];
        let rows = even_rows.get(row)?;
        let places = 0..rows.odd_rows_limit as usize;
        let largest = class.visits_of(std::slice::from_ref(rows), places.clone());
        let extent = Extent {
            even_cols: largest.even_limit,
            odd_cols: largest.odd_limit,
            odd_rows: rows.odd_rows_limit,
        };
        let most = even_rows.iter().map(|rows| rows.odd_rows_limit).max();
        let covers = self
            .covers
            .get_or_init(|| Covers::new(class, most.unwrap_or(0)));
        let colour = |boards, cover| SweptColour::new(class, &boards, rows.set, extent, cover);
        Some(Sweep {
            white: colour(ColourBoards::white(class), &covers.white)?,
            black: colour(ColourBoards::black(class), &covers.black)?,
            odd_rows: places
                .map(|place| {
                    let visits = class.visits(rows, place);
                    OddRowSet {
                        weight: class.row_weight(rows, place),
                        odd_limit: visits.odd_limit,
                        doubled: visits.doubled,
                    }
                })
                .collect(),
            weights: ColumnWeights::new(&largest, |index, lower| {
                class.column_weight(&largest, index, lower)
            }),
        })
    }

    /// Adds the sums from the sweep of one of its even row sets, one sum for each odd row set.
    pub fn add(&mut self, sweep: &Sweep, sums: &[u64]) {
        for ((odd_rows, &sum), total) in sweep.odd_rows.iter().zip(sums).zip(&mut self.sums) {
            *total += u128::from(odd_rows.weight) * u128::from(sum);
        }
        self.added += 1;
    }

    /// Whether all even row sets are added.
    pub fn is_whole(&self) -> bool {
        self.added == self.rows()
    }

    /// The counts of its units, once all even row sets are added; `None` before that, or where a
    /// count does not fit 64 bits.
    pub fn counts(&self) -> Option<Vec<u64>> {
        if !self.is_whole() {
            return None;
        }
        let count = |number| {
            let places = self.units.get(number)?.odd;
            let sum: u128 = self.sums[places].iter().sum();
            u64::try_from(sum).ok()
        };
        self.numbers().map(count).collect()
    }
}
