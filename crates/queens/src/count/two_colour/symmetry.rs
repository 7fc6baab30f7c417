//! Which row sets and column sets are visited, in which order, and with which weights.
//!
//! `two-colour-plain` adds up every pair of a row set and a column set. This file uses all
//! eight symmetries of the board to visit little more than an eighth of them. A *row set* is
//! the pair (`even_rows`, `odd_rows`) of rows that hold white queens, and a *column set* the
//! pair (`even_cols`, `odd_cols`). A *class* is all row sets and column sets with one number of
//! black queens. A symmetry *folds* the sets: of those that it maps to each other one is
//! visited, with a weight that says how many it stands for. Every set of a class gets a *rank*,
//! a number that its mirror images share.
//!
//! **Even n.** Mirroring the board swaps the colours; turning it by 180 degrees swaps even
//! and odd rows. They map a row set `(E, O)` to `(complement E, complement O)` and to
//! `(reverse O, reverse E)`, so row sets form orbits of four. A set of rows and its complement
//! have the same rank. The rank of a row set is `max(rank(E), rank(reverse O))`, the same for
//! its whole orbit. Every orbit has a member with `rank(E) >= rank(reverse O)`; that one is
//! visited. The transpose exchanges row set and column set. So column sets of higher rank than
//! the row set are left out, and those of lower rank count twice.
//!
//! **Odd n.** All symmetries keep the colours. Row sets fold by the up-down reversal, column
//! sets by the left-right reversal. The rank is that of the odd rows (or odd columns) alone,
//! and a set and its reverse have the same rank.
//!
//! In both cases the visited column sets are a prefix of the `even_cols` and a prefix of the
//! `odd_cols`, when these are sorted by rank. Here is a row set of rank 1 for n = 8 with two
//! queens to a board. A cell is a column set; dots are not visited:
//!
//! ```text
//!    rank of odd_cols    0 0 1 1 2 2        2  counts twice, for its transpose
//!   even_cols, rank 0    2 2 1 1 . .        1  has the rank of the row set
//!                   0    2 2 1 1 . .
//!                   1    1 1 1 1 . .        even_limit = 4 rows, odd_limit = 4 columns,
//!                   1    1 1 1 1 . .        doubled = 2 columns
//!                   2    . . . . . .
//!                   2    . . . . . .
//! ```
//!
//! **A board with given queens or blocked squares** that keeps all eight symmetries is folded in
//! the same way, without the sets that it does not allow: if it allows a set, it allows all
//! images of it. On other boards all allowed sets have the same rank, so that none counts
//! twice. The symmetries that such a board keeps fold its row sets, if they map rows to rows
//! ([`Allowed`]); all its column sets are visited.
//!
//! The proof is in `docs/algorithms.md`, "Symmetry, all eight".

use super::allowed::{Allowed, Parity};
use super::sets::Set;
use super::split::Split;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// The index of a set that is never visited.
pub(crate) const NO_INDEX: u16 = u16::MAX;

/// One set of even rows that is visited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvenRows {
    pub set: Set,
    /// The rank of the set; for even `n` also the rank of all its visited row sets.
    pub rank: u16,
    /// How many of the class's odd row sets are visited with this one (a prefix).
    pub odd_rows_limit: u32,
}

/// One set of odd rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OddRows {
    pub set: Set,
    /// The rank of the set; for even `n` the rank of its reverse.
    pub rank: u16,
}

/// Which column sets a row set visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Visits {
    /// The rank of the row set.
    pub rank: u16,
    /// How many of the class's `even_cols` are visited (a prefix).
    pub even_limit: u32,
    /// How many of the class's `odd_cols` are visited (a prefix).
    pub odd_limit: u32,
    /// How many `odd_cols`, from the first on, have a lower rank than the row set. The transpose
    /// doubles their column sets (for even `n` only if the `even_cols` have a lower rank, too).
    pub doubled: u32,
}

/// The tables of one class.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub split: Split,
    /// Queens on each black board.
    pub black_queens: u32,
    /// White queens in even rows.
    pub even_white: u32,
    /// White queens in odd rows.
    pub odd_white: u32,
    /// The visited sets of even rows, by rising rank.
    pub even_rows: Vec<EvenRows>,
    /// The sets of odd rows, for even `n` by rising rank.
    pub odd_rows: Vec<OddRows>,
    even_cols: EvenCols,
    odd_cols: OddCols,
    /// What the board allows; `None` for the plain board.
    allowed: Option<Arc<Allowed>>,
}

/// The visited sets of even columns, by rising rank; the index of a set is its place here.
#[derive(Clone, Debug)]
struct EvenCols {
    sets: Vec<Set>,
    ranks: Vec<u16>,
    /// Whether each is its own reverse. For odd `n` the others are doubled, for their reverse.
    symmetric: Vec<bool>,
    /// From a set to its index, or [`NO_INDEX`].
    index_of: Vec<u16>,
}

/// The sets of odd columns, by rising rank; the index of a set is its place here.
#[derive(Clone, Debug)]
struct OddCols {
    ranks: Vec<u16>,
    /// For odd `n`, indices below this come in pairs `2 i`, `2 i + 1` of sets that are each
    /// other's reverse; the other sets are their own reverse.
    pairs: u32,
    /// From a set to its index.
    index_of: Vec<u16>,
}

/// For odd `n`, sets of odd rows of this many ranks stand together, followed by their reverses.
const RANKS_TOGETHER: u16 = 16;

/// How far the rows of a set are from the middle: the sum of their squared distances.
fn squared_distances(set: Set, of: u32) -> u32 {
    let distance = |row: u32| (2 * row + 1).abs_diff(of).pow(2);
    set.into_iter().map(distance).sum()
}

/// How many of the `ranks`, which rise, are at most `rank`.
fn up_to(ranks: &[u16], rank: u16) -> u32 {
    ranks.partition_point(|&other| other <= rank) as u32
}

/// Ranks sets from 0, in the order of their keys; equal keys have equal ranks.
fn rank_by_key(mut keyed: Vec<(u32, Set)>) -> Vec<(Set, u16)> {
    keyed.sort_unstable();
    let mut rank = 0;
    let mut last = keyed.first().map_or(0, |first| first.0);
    keyed
        .into_iter()
        .map(|(key, set)| {
            rank += u16::from(key != last);
            last = key;
            (set, rank)
        })
        .collect()
}

/// From each set out of `of` elements to its index in the order of `sets`.
fn index_of(of: u32, sets: impl Iterator<Item = Set>) -> Vec<u16> {
    let mut table = vec![NO_INDEX; 1 << of];
    for (index, set) in sets.enumerate() {
        table[set.place()] = index as u16;
    }
    table
}

/// What the ranks of a class depend on.
struct Ranking<'a> {
    /// What the board allows, if it is not plain; it then has all eight symmetries.
    allowed: Option<&'a Allowed>,
    split: Split,
    even_white: u32,
    odd_white: u32,
    /// Whether the complement of a set of even rows is of the same class (even `n` only).
    complement_in_class: bool,
}

impl Ranking<'_> {
    /// Whether the board allows a set of rows; by the transpose it then allows the same columns.
    fn fits(&self, parity: Parity, set: Set) -> bool {
        let allowed = self.allowed;
        allowed.is_none_or(|allowed| allowed.fits_rows(parity, set))
    }

    /// Sets of even rows or columns with the same key have the same rank; the one that is its
    /// own key stands for the others.
    fn even_key(&self, set: Set) -> Set {
        let Split { even, .. } = self.split;
        match (self.split.is_odd(), self.complement_in_class) {
            (true, _) => set.min(set.reverse(even)),
            (false, true) => set.min(set.complement(even)),
            (false, false) => set,
        }
    }

    /// The sets of even rows, or of even columns, with their ranks.
    fn even_sets(&self) -> Vec<(Set, u16)> {
        let sets = Set::all(self.split.even, self.even_white);
        let sets = sets.filter(|&set| self.fits(Parity::Even, set));
        rank_by_key(sets.map(|set| (self.even_key(set).0, set)).collect())
    }

    /// The sets of odd columns with their ranks. For even `n` the rank is that of the reverse
    /// among the even sets. For odd `n` a set and its reverse stand side by side, and sets that
    /// are their own reverse stand at the end.
    fn odd_sets(&self, even_sets: &[(Set, u16)]) -> Vec<(Set, u16)> {
        let Split { even, odd, .. } = self.split;
        let sets = Set::all(odd, self.odd_white);
        let sets = sets.filter(|&set| self.fits(Parity::Odd, set));
        if self.split.is_odd() {
            let key = |set: Set| {
                let other = set.reverse(odd);
                (u32::from(set == other) << odd | set.min(other).0, set)
            };
            return rank_by_key(sets.map(key).collect());
        }
        let mut rank_of = vec![0; 1 << even];
        for &(set, rank) in even_sets {
            rank_of[set.place()] = rank;
        }
        let ranked = |set: Set| (rank_of[set.reverse(odd).place()], set);
        let mut sets: Vec<(u16, Set)> = sets.map(ranked).collect();
        sets.sort_unstable();
        sets.into_iter().map(|(rank, set)| (set, rank)).collect()
    }

    /// Whether a set of even rows is visited. If its complement is of the same class, only the
    /// one nearer the middle is visited: queens there attack more, so white has fewer placements
    /// than black.
    fn visits_even_rows(&self, set: Set) -> bool {
        let Split { even, .. } = self.split;
        let other = set.complement(even);
        match self.complement_in_class {
            true => (squared_distances(set, even), set) < (squared_distances(other, even), other),
            false => self.even_key(set) == set,
        }
    }
}

impl Class {
    /// The class with this many queens on each black board.
    pub fn new(split: Split, black_queens: u32) -> Class {
        Class::folded(split, black_queens, None)
    }

    /// The class of the plain board, or of one that has all its symmetries.
    fn folded(split: Split, black_queens: u32, allowed: Option<&Arc<Allowed>>) -> Class {
        let Split { even, odd, .. } = split;
        let (even_white, odd_white) = (even - black_queens, odd - black_queens);
        let ranking = Ranking {
            allowed: allowed.map(Arc::as_ref),
            split,
            even_white,
            odd_white,
            complement_in_class: !split.is_odd() && even_white == black_queens,
        };
        let even_sets = ranking.even_sets();
        let odd_sets = ranking.odd_sets(&even_sets);

        let even_cols: Vec<(Set, u16)> = even_sets
            .iter()
            .copied()
            .filter(|&(set, _)| !split.is_odd() || ranking.even_key(set) == set)
            .collect();
        let odd_ranks: Vec<u16> = odd_sets.iter().map(|&(_, rank)| rank).collect();
        let even_rows = even_sets
            .iter()
            .filter(|&&(set, _)| ranking.visits_even_rows(set))
            .map(|&(set, rank)| EvenRows {
                set,
                rank,
                odd_rows_limit: match split.is_odd() {
                    true => odd_ranks.len() as u32,
                    false => up_to(&odd_ranks, rank),
                },
            })
            .collect();
        let in_pairs = |&&(set, _): &&(Set, u16)| set != set.reverse(odd);
        let odd_cols = OddCols {
            pairs: match split.is_odd() {
                true => odd_sets.iter().filter(in_pairs).count() as u32,
                false => 0,
            },
            index_of: index_of(odd, odd_sets.iter().map(|&(set, _)| set)),
            ranks: odd_ranks,
        };
        // Neighbouring odd row sets should have rows in common; a set and its reverse need not.
        let mut odd_rows = odd_sets;
        if split.is_odd() {
            odd_rows
                .sort_by_key(|&(set, rank)| (rank / RANKS_TOGETHER, set > set.reverse(odd), set));
        }
        Class {
            split,
            black_queens,
            even_white,
            odd_white,
            even_rows,
            odd_rows: odd_rows
                .iter()
                .map(|&(set, rank)| OddRows { set, rank })
                .collect(),
            even_cols: EvenCols {
                index_of: index_of(even, even_cols.iter().map(|&(set, _)| set)),
                ranks: even_cols.iter().map(|&(_, rank)| rank).collect(),
                symmetric: even_cols
                    .iter()
                    .map(|&(set, _)| set == set.reverse(even))
                    .collect(),
                sets: even_cols.iter().map(|&(set, _)| set).collect(),
            },
            odd_cols,
            allowed: allowed.cloned(),
        }
    }

    /// The class of a board that allows only some squares.
    pub fn on(allowed: &Arc<Allowed>, black_queens: u32) -> Class {
        let split = allowed.split();
        if allowed.keeps_all() {
            return Class::folded(split, black_queens, Some(allowed));
        }
        let Split { even, odd, .. } = split;
        let (even_white, odd_white) = (even - black_queens, odd - black_queens);
        let sets = |of, size, fits: &dyn Fn(Set) -> bool| {
            let sets = Set::all(of, size).filter(|&set| fits(set));
            sets.collect::<Vec<Set>>()
        };
        let even_rows = sets(even, even_white, &|set| {
            allowed.fits_rows(Parity::Even, set)
        });
        let odd_rows = sets(odd, odd_white, &|set| allowed.fits_rows(Parity::Odd, set));
        let even_cols = sets(even, even_white, &|set| {
            allowed.fits_cols(Parity::Even, set)
        });
        let odd_cols = sets(odd, odd_white, &|set| allowed.fits_cols(Parity::Odd, set));
        let (rank, odd_rows_limit) = (0, odd_rows.len() as u32);
        let even_row = |set| EvenRows {
            set,
            rank,
            odd_rows_limit,
        };
        Class {
            split,
            black_queens,
            even_white,
            odd_white,
            even_rows: even_rows.into_iter().map(even_row).collect(),
            odd_rows: odd_rows
                .into_iter()
                .map(|set| OddRows { set, rank })
                .collect(),
            even_cols: EvenCols {
                index_of: index_of(even, even_cols.iter().copied()),
                ranks: vec![rank; even_cols.len()],
                // No column set stands for its reverse.
                symmetric: vec![true; even_cols.len()],
                sets: even_cols,
            },
            odd_cols: OddCols {
                index_of: index_of(odd, odd_cols.iter().copied()),
                ranks: vec![rank; odd_cols.len()],
                pairs: 0,
            },
            allowed: Some(allowed.clone()),
        }
    }

    /// Whether nothing is visited.
    pub fn is_empty(&self) -> bool {
        self.even_rows.is_empty()
            || self.odd_rows.is_empty()
            || self.even_count() == 0
            || self.odd_count() == 0
    }

    /// Whether only some squares are allowed.
    pub fn is_restricted(&self) -> bool {
        self.allowed.is_some()
    }

    /// The columns allowed in each row of a small board; `None` for all.
    pub fn allowed(&self, rows: Parity, cols: Parity) -> Option<&[Set]> {
        let allowed = self.allowed.as_ref()?;
        Some(allowed.rows(rows, cols))
    }

    /// Number of `even_cols` that some row set visits.
    pub fn even_count(&self) -> u32 {
        self.even_cols.ranks.len() as u32
    }

    /// Number of `odd_cols` that some row set visits.
    pub fn odd_count(&self) -> u32 {
        self.odd_cols.ranks.len() as u32
    }

    /// The visited `even_cols`, by their indices.
    pub fn even_cols(&self) -> &[Set] {
        &self.even_cols.sets
    }

    /// From a set of even columns that hold white queens to its index, or [`NO_INDEX`].
    pub fn even_indices(&self) -> &[u16] {
        &self.even_cols.index_of
    }

    /// From a set of odd columns that hold white queens to its index.
    pub fn odd_indices(&self) -> &[u16] {
        &self.odd_cols.index_of
    }

    /// For odd `n`, how many `odd_cols`, from the first on, stand in a pair with their reverse.
    pub fn odd_pairs(&self) -> u32 {
        self.odd_cols.pairs
    }

    /// How many row sets the pair of `rows` and the odd row set at `odd_place` stands for; 0
    /// when another member of its orbit is visited instead.
    pub fn row_weight(&self, rows: &EvenRows, odd_place: usize) -> u64 {
        let Split { even, odd, .. } = self.split;
        let odd_rows = self.odd_rows[odd_place];
        if let Some(allowed) = self.allowed.as_ref().filter(|board| !board.keeps_all()) {
            return allowed.row_weight(rows.set, odd_rows.set);
        }
        if !self.split.is_odd() {
            return match odd_rows.rank.cmp(&rows.rank) {
                Ordering::Less => 4,
                Ordering::Equal => 2,
                Ordering::Greater => 0,
            };
        }
        if rows.set != rows.set.reverse(even) {
            return 2;
        }
        match odd_rows.set.cmp(&odd_rows.set.reverse(odd)) {
            Ordering::Less => 2,
            Ordering::Equal => 1,
            Ordering::Greater => 0,
        }
    }

    /// The column sets that an even row set visits together with the odd row set at
    /// `odd_place`.
    pub fn visits(&self, rows: &EvenRows, odd_place: usize) -> Visits {
        let (rank, even_limit) = match self.split.is_odd() {
            true => (self.odd_rows[odd_place].rank, self.even_count()),
            false => (rows.rank, up_to(&self.even_cols.ranks, rows.rank)),
        };
        let odd_ranks = &self.odd_cols.ranks;
        Visits {
            rank,
            even_limit,
            odd_limit: up_to(odd_ranks, rank),
            doubled: odd_ranks.partition_point(|&other| other < rank) as u32,
        }
    }

    /// The most that any pair of these even row sets and the odd ones at these places visits.
    pub fn visits_of(&self, even: &[EvenRows], odd: Range<usize>) -> Visits {
        let largest = odd.max_by_key(|&place| self.odd_rows[place].rank);
        self.visits(&even[even.len() - 1], largest.unwrap_or(0))
    }

    /// How many column sets one with these `even_cols` stands for. `lower` says whether its
    /// `odd_cols` have a lower rank than the row set (an index below [`Visits::doubled`]).
    pub fn column_weight(&self, visits: &Visits, even_index: u32, lower: bool) -> u32 {
        let is_reversed = self.split.is_odd() && !self.even_cols.symmetric[even_index as usize];
        self.transposed_weight(visits, even_index, lower) * if is_reversed { 2 } else { 1 }
    }

    /// The same without the factor for the reverse, where that is visited too.
    pub fn transposed_weight(&self, visits: &Visits, even_index: u32, lower: bool) -> u32 {
        let even_is_lower = || self.even_cols.ranks[even_index as usize] < visits.rank;
        match lower && (self.split.is_odd() || even_is_lower()) {
            true => 2,
            false => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of a row set and a column set is counted exactly once: the weights of a class
    /// add up to the number of pairs (twice that for two mirrored classes).
    #[test]
    fn weights_add_up_to_all_pairs_of_sets() {
        for n in 1..=17 {
            let split = Split::new(n);
            for black_queens in split.classes() {
                let class = Class::new(split, black_queens);
                let mut sum = 0u64;
                for rows in &class.even_rows {
                    for odd_place in 0..rows.odd_rows_limit as usize {
                        let visits = class.visits(rows, odd_place);
                        let doubled = u64::from(visits.doubled);
                        let rest = u64::from(visits.odd_limit) - doubled;
                        let columns: u64 = (0..visits.even_limit)
                            .map(|index| {
                                let weight =
                                    |lower| u64::from(class.column_weight(&visits, index, lower));
                                doubled * weight(true) + rest * weight(false)
                            })
                            .sum();
                        sum += class.row_weight(rows, odd_place) * columns;
                    }
                }
                let even = Set::all(split.even, class.even_white).count() as u64;
                let odd = Set::all(split.odd, class.odd_white).count() as u64;
                let mirrored = if n % 2 == 0 && class.even_white != class.black_queens {
                    2
                } else {
                    1
                };
                assert_eq!(
                    sum,
                    mirrored * (even * odd).pow(2),
                    "n={n} black={black_queens}"
                );
            }
        }
    }

    /// How many pairs of a row set and a column set are visited with ever more symmetries: with
    /// none, with row sets folded, with column sets folded too (odd `n` only), and with the
    /// transpose too.
    fn visited_pairs(n: u32) -> [u64; 4] {
        let split = Split::new(n);
        let (mut all, mut rows_folded, mut cols_folded, mut transposed) = (0, 0, 0, 0);
        for black_queens in 0..=split.odd {
            let size = |of, held| Set::all(of, held).count() as u64;
            let row_sets = size(split.even, split.even - black_queens)
                * size(split.odd, split.odd - black_queens);
            all += row_sets * row_sets;
            if !split.classes().contains(&black_queens) {
                continue;
            }
            let class = Class::new(split, black_queens);
            for rows in &class.even_rows {
                let places = 0..rows.odd_rows_limit as usize;
                for place in places.filter(|&place| class.row_weight(rows, place) > 0) {
                    let visits = class.visits(rows, place);
                    rows_folded += row_sets;
                    cols_folded += u64::from(class.even_count() * class.odd_count());
                    transposed += u64::from(visits.even_limit * visits.odd_limit);
                }
            }
        }
        [all, rows_folded, cols_folded, transposed]
    }

    /// The table of `docs/algorithms.md`: symmetry leaves little more than an eighth.
    #[test]
    fn each_symmetry_leaves_the_documented_number_of_pairs() {
        for (n, expected) in [
            (16, [44_916_498, 11_499_665, 11_499_665, 5_888_549]),
            (17, [156_343_330, 78_357_310, 41_062_090, 21_251_458]),
            (18, [607_041_380, 153_080_578, 153_080_578, 77_206_483]),
            (19, [2_142_556_130, 1_072_441_878, 548_365_952, 279_238_362]),
        ] {
            assert_eq!(visited_pairs(n), expected, "n={n}");
        }
    }
}
