//! Everything that one unit needs beside the lists: pairs, limits and weights.

use super::super::allowed::Parity;
use super::super::colour::{ColourBoards, white_gathers};
use super::super::join::{even_index_of, filter_weight, last_cols};
use super::super::sets::Set;
use super::super::split::Split;
use super::super::symmetry::{self, Class, EvenRows, Visits};
use super::super::units::{Unit, Units};
use super::cache::RowSetLists;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// How many queens the stored colour and the gathering colour of a class have on the boards
/// that are walked. The library decides which colour gathers.
///
/// ```
/// use queens::count::two_colour::device_lists::walked_queens;
///
/// assert_eq!(walked_queens(20, 4), (4, 6));
/// ```
pub fn walked_queens(n: usize, black_queens: u32) -> (u32, u32) {
    let split = Split::new(n as u32);
    let even_white = split.even - black_queens;
    match white_gathers(split, black_queens) {
        true => (black_queens, even_white),
        false => (even_white, black_queens),
    }
}

/// How many neighbouring row sets are a block.
const BLOCK: usize = 64;

/// A block of row sets: its class, the parity of the row sets, and its number.
pub type RowSetBlock = (u32, Parity, usize);

/// The blocks of even and of odd row sets that a unit belongs to. Units that agree in both have
/// most of their lists in common.
pub fn blocks(units: &Units, unit: u64) -> Option<[RowSetBlock; 2]> {
    let unit = units.get(unit)?;
    let block = |parity, place| (unit.black_queens, parity, place / BLOCK);
    Some([
        block(Parity::Even, unit.even.start),
        block(Parity::Odd, unit.odd.start),
    ])
}

/// The places of all row sets of the `chosen` units, each once, by their blocks.
pub fn row_sets(units: &Units, chosen: &[u64]) -> BTreeMap<RowSetBlock, BTreeSet<usize>> {
    let mut ranges = BTreeSet::new();
    for unit in chosen.iter().filter_map(|&unit| units.get(unit)) {
        let Unit {
            black_queens,
            even,
            odd,
        } = unit;
        ranges.insert((black_queens, Parity::Even, even.start, even.end));
        ranges.insert((black_queens, Parity::Odd, odd.start, odd.end));
    }
    let mut blocks: BTreeMap<_, BTreeSet<usize>> = BTreeMap::new();
    for (black_queens, parity, start, end) in ranges {
        // All row sets of a unit that have one parity are of one block.
        let block = (black_queens, parity, start / BLOCK);
        blocks.entry(block).or_default().extend(start..end);
    }
    blocks
}

/// One pair of an even and an odd row set to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPair {
    /// Place in [`UnitLists::even`].
    pub even: u32,
    /// Place in [`UnitLists::odd`].
    pub odd: u32,
    /// How many row sets the pair stands for.
    pub weight: u64,
    /// Number of `odd_cols` visited, a prefix of those in the scan lists.
    pub odd_limit: u32,
    /// Indices below this weigh [`ColumnWeights::doubled`], those from here on
    /// [`ColumnWeights::rest`].
    pub doubled: u32,
}

/// The factors of counts, for each `even_index`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnWeights {
    /// For an `odd_index` below [`RowPair::doubled`].
    pub doubled: Vec<u8>,
    /// For the others; empty where all weigh 1.
    pub rest: Vec<u8>,
}

impl ColumnWeights {
    /// The weights of what a row set visits.
    pub(in super::super) fn new(
        visits: &Visits,
        weight: impl Fn(u32, bool) -> u32,
    ) -> ColumnWeights {
        let of = |lower| -> Vec<u8> {
            let indices = 0..visits.even_limit;
            indices.map(|index| weight(index, lower) as u8).collect()
        };
        let (doubled, rest) = (of(true), of(false));
        ColumnWeights {
            doubled,
            rest: match rest.iter().all(|&weight| weight == 1) {
                true => Vec::new(),
                false => rest,
            },
        }
    }
}

/// Which column sets one even row set visits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitedColumns {
    /// Number of `even_cols` visited, a prefix of those in the walks.
    pub even_limit: u32,
    /// The weights of each visited `even_index`, for a scan: 1, 2 or 4.
    pub scan_weights: ColumnWeights,
    /// The same for unfolding, which meets column sets beside their reverse (see
    /// [`UnitLists::even_index_of`]): for odd `n` all counts are doubled then.
    pub unfold_weights: ColumnWeights,
    /// The largest visited set of columns of a gathering placement, as a binary number; for odd
    /// `n` there is no bound.
    pub last_cols: u32,
}

impl VisitedColumns {
    fn new(class: &Class, rows: &EvenRows, complement: Set) -> VisitedColumns {
        // Neither the limit of even columns nor the weights depend on the odd rows.
        let visits = class.visits(rows, 0);
        VisitedColumns {
            even_limit: visits.even_limit,
            scan_weights: ColumnWeights::new(&visits, |index, lower| {
                class.column_weight(&visits, index, lower)
            }),
            unfold_weights: ColumnWeights::new(&visits, |index, lower| {
                filter_weight(class, &visits, index, lower)
            }),
            last_cols: last_cols(class, complement, visits.even_limit),
        }
    }
}

/// Marks the `even_index` of a reversed set of columns.
pub const REVERSED: u16 = 1 << 15;

/// No `even_index`.
pub const NO_INDEX: u16 = u16::MAX;

/// Everything that one unit needs.
#[derive(Clone, Debug, Default)]
pub struct UnitLists {
    /// Queens on each black board.
    pub black_queens: u32,
    /// Whether white gathers and black is stored, or the other way round.
    pub white_gathers: bool,
    /// Places of the even row sets in the class.
    pub even_range: Range<usize>,
    /// The even row sets.
    pub even: Vec<Arc<RowSetLists>>,
    /// What each even row set visits.
    pub visited: Vec<VisitedColumns>,
    /// Places of the odd row sets in the class.
    pub odd_range: Range<usize>,
    /// The odd row sets.
    pub odd: Vec<Arc<RowSetLists>>,
    /// The pairs of weight above 0.
    pub pairs: Vec<RowPair>,
    /// For each set of columns of a gathering placement its `even_index`, or that of its reverse
    /// with [`REVERSED`], or [`NO_INDEX`].
    pub even_index_of: Vec<u16>,
    /// For each set of columns of a stored placement its `even_index`, or [`NO_INDEX`].
    pub stored_even_index_of: Vec<u16>,
    /// Sets with an `odd_index` below this stand in pairs that are each other's reverse; the
    /// others are their own reverse.
    pub odd_pairs: u32,
}

impl UnitLists {
    /// Notes what follows from the class and its even row sets.
    pub(super) fn set_even_rows(&mut self, class: &Class, even: Range<usize>) {
        let (gather, store) = ColourBoards::roles(class);
        self.black_queens = class.black_queens;
        self.white_gathers = gather.walks_even_rows();
        let gathered = (0..1 << gather.walk_board.cols).map(|cols: u32| {
            match even_index_of(class, Set(cols) ^ gather.walk_complement) {
                (symmetry::NO_INDEX, _) => NO_INDEX,
                (index, reversed) => index | if reversed { REVERSED } else { 0 },
            }
        });
        self.even_index_of.clear();
        self.even_index_of.extend(gathered);
        let index = |cols: Set| class.even_indices()[(cols ^ store.walk_complement).place()];
        let stored = (0..1 << store.walk_board.cols).map(|cols: u32| index(Set(cols)));
        self.stored_even_index_of.clear();
        self.stored_even_index_of.extend(stored);
        self.odd_pairs = class.odd_pairs();
        let rows = class.even_rows[even.clone()].iter();
        let visited = |rows| VisitedColumns::new(class, rows, gather.walk_complement);
        self.visited = rows.map(visited).collect();
        self.even_range = even;
    }

    /// Notes the pairs with these odd row sets.
    pub(super) fn set_odd_rows(&mut self, class: &Class, odd: Range<usize>) {
        self.pairs.clear();
        let even_rows = &class.even_rows[self.even_range.clone()];
        for (o, odd_place) in odd.clone().enumerate() {
            for (e, rows) in even_rows.iter().enumerate() {
                let weight = class.row_weight(rows, odd_place);
                if weight > 0 {
                    let visits = class.visits(rows, odd_place);
                    self.pairs.push(RowPair {
                        even: e as u32,
                        odd: o as u32,
                        weight,
                        odd_limit: visits.odd_limit,
                        doubled: visits.doubled,
                    });
                }
            }
        }
        self.odd_range = odd;
    }
}
