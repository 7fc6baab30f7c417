//! One class `c`: which row sets and column sets are visited, in which order, and with
//! which weights, so that all eight symmetries of the board are used.
//!
//! A *row set* is the pair (RE, RO) of even and odd rows that hold black queens; a
//! *column set* (Ce, Co) is the same for columns. The count is the sum over all pairs of
//! a row set and a column set of `term = black * white`.
//!
//! **Even n.** Mirroring the board swaps the colours, turning it by 180 degrees swaps even
//! and odd rows. On row sets these act as `(RE, RO) -> complements` and
//! `(RE, RO) -> (reverse RO, reverse RE)`: orbits of four. Let `k` number the sets of
//! class size up to complement. Then `rank = max(k(RE), k(reverse RO))` is the same on a
//! whole orbit, and every orbit has a member with `k(RE) >= k(reverse RO)`, whose rank is
//! `k(RE)`. The transpose exchanges row set and column set, so column sets of rank above
//! the row set's are left out and those of lower rank count twice.
//!
//! **Odd n.** All symmetries keep the colours. Row sets fold by the up-down reversal,
//! column sets by the left-right reversal, and the rank is `k(RO)` alone, with `k` a number
//! of the set up to reversal. (It was `k(RE)` once. Then a gathering colour met placements of
//! any Ce and threw half of them away; what is above the rank of a Co is never met.)
//!
//! In both cases the visited column sets are a prefix of the Ce's and a prefix of the Co's
//! when these are sorted by `k`, so whole rows and whole vectors of the count drop out.

use super::lists::elements;
use super::split::{Split, full, reverse};
use std::ops::Range;

/// Marks a set that has no number because it is never visited.
pub(crate) const NONE: u16 = u16::MAX;

/// One even row set RE that is visited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvenRows {
    pub set: u32,
    /// The `k` of the set: for even `n` the rank of all its row sets.
    pub k: u16,
    /// How many of the class's odd row sets are visited (a prefix).
    pub ro_limit: u32,
}

/// Which column sets a row set visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Visits {
    /// The rank of the row set.
    pub k: u16,
    /// How many of the class's Ce's are visited (a prefix).
    pub ce_limit: u32,
    /// How many of the class's Co's are visited (a prefix).
    pub co_limit: u32,
    /// The first Co whose column sets have exactly the rank of the row set whatever Ce is, so
    /// that the transpose does not double them.
    pub last_co: u32,
}

/// The tables of one class.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub split: Split,
    /// Queens on each white board.
    pub c: u32,
    /// Queens on board A.
    pub a: u32,
    /// Queens on board B.
    pub b: u32,
    /// The visited even row sets, by rising `k`.
    pub even_rows: Vec<EvenRows>,
    /// The odd row sets, by rising `k` of their reverse for even `n`.
    pub odd_rows: Vec<u32>,
    /// `k` of each odd row set as the rank sees it.
    odd_rows_k: Vec<u16>,
    /// Each visited Ce; its number is its place here.
    ce_sets: Vec<u32>,
    /// `k` of each visited Ce, rising.
    ce_k: Vec<u16>,
    /// Ce is its own reverse (odd `n` only): it is not doubled by the reversal.
    ce_symmetric: Vec<bool>,
    /// `k` of each Co as the column rank sees it, rising.
    co_k: Vec<u16>,
    /// For odd `n`, Co's with numbers below this are in pairs `2k`, `2k + 1` that are each
    /// other's reverse; the others are their own.
    co_pairs: u32,
    /// From a set of even columns to its number, or [`NONE`].
    ce_number: Vec<u16>,
    /// From a set of odd columns to its number.
    co_number: Vec<u16>,
}

/// All sets of `size` elements out of `of`, in rising order.
fn sets(of: u32, size: u32) -> impl Iterator<Item = u32> {
    (0..=full(of)).filter(move |set| set.count_ones() == size)
}

/// How far the members of a set of rows are from the middle, all together.
fn spread(set: u32, of: u32) -> u32 {
    elements(set)
        .map(|row| (2 * row + 1).abs_diff(of).pow(2))
        .sum()
}

/// How many of some rising numbers are at most `k`.
fn up_to(ks: &[u16], k: u16) -> u32 {
    ks.partition_point(|&other| other <= k) as u32
}

/// For odd `n`, so many sets of odd rows that differ in `k` stand together before their reverses.
const TOGETHER: u16 = 16;

/// Numbers from 0 the classes of sets that share a key, in the order of their keys.
fn number_by_key(mut keyed: Vec<(u32, u32)>) -> Vec<(u32, u16)> {
    keyed.sort_unstable();
    let mut k = 0;
    let mut last = keyed.first().map_or(0, |first| first.0);
    keyed
        .into_iter()
        .map(|(key, set)| {
            k += u16::from(key != last);
            last = key;
            (set, k)
        })
        .collect()
}

impl Class {
    pub fn new(split: Split, c: u32) -> Class {
        let Split { n, even, odd } = split;
        let (a, b) = (even - c, odd - c);
        let mirrored = n % 2 == 0;
        // The key whose equality makes two sets of A's rows (or columns) one for `k`.
        let key = |set: u32| {
            if mirrored {
                if a == c {
                    set.min(full(even) ^ set)
                } else {
                    set
                }
            } else {
                set.min(reverse(set, even))
            }
        };
        let numbered = number_by_key(sets(even, a).map(|set| (key(set), set)).collect());
        let mut k_of = vec![0; 1 << even];
        for &(set, k) in &numbered {
            k_of[set as usize] = k;
        }

        let visited_ce: Vec<_> = numbered
            .iter()
            .copied()
            .filter(|&(set, _)| mirrored || key(set) == set)
            .collect();
        let mut ce_number = vec![NONE; 1 << even];
        for (number, &(set, _)) in visited_ce.iter().enumerate() {
            ce_number[set as usize] = number as u16;
        }

        // For odd n, a Co and its reverse stand side by side, and those that are their own
        // reverse at the end.
        let co_sets: Vec<(u32, u16)> = if mirrored {
            let k = |set| (k_of[reverse(set, odd) as usize], set);
            let mut sets: Vec<_> = sets(odd, b).map(k).collect();
            sets.sort_unstable();
            sets.into_iter().map(|(k, set)| (set, k)).collect()
        } else {
            let key = |set| {
                let other = reverse(set, odd);
                (u32::from(set == other) << odd | set.min(other), set)
            };
            number_by_key(sets(odd, b).map(key).collect())
        };
        let in_pairs = |&&(set, _): &&(u32, u16)| set != reverse(set, odd);
        let co_pairs = match mirrored {
            true => 0,
            false => co_sets.iter().filter(in_pairs).count() as u32,
        };
        let mut co_number = vec![NONE; 1 << odd];
        for (number, &(set, _)) in co_sets.iter().enumerate() {
            co_number[set as usize] = number as u16;
        }
        let co_k: Vec<u16> = co_sets.iter().map(|&(_, k)| k).collect();
        // Odd row sets that stand together should have rows in common, which one and its reverse
        // have not.
        let mut odd_rows = co_sets;
        if !mirrored {
            odd_rows.sort_by_key(|&(set, k)| (k / TOGETHER, set > reverse(set, odd), set));
        }
        let ce_k: Vec<u16> = visited_ce.iter().map(|&(_, k)| k).collect();

        // Of a set and its complement, where both are of class size, the one nearer the middle is
        // visited: queens there attack more, so black has fewer placements than white.
        let stands = |set: u32| match mirrored && a == c {
            true => (spread(set, even), set) < (spread(full(even) ^ set, even), full(even) ^ set),
            false => key(set) == set,
        };
        let even_rows = numbered
            .iter()
            .filter(|&&(set, _)| stands(set))
            .map(|&(set, k)| EvenRows {
                set,
                k,
                ro_limit: match mirrored {
                    true => up_to(&co_k, k),
                    false => co_k.len() as u32,
                },
            })
            .collect();

        Class {
            split,
            c,
            a,
            b,
            even_rows,
            odd_rows: odd_rows.iter().map(|&(set, _)| set).collect(),
            odd_rows_k: odd_rows.iter().map(|&(_, k)| k).collect(),
            ce_symmetric: visited_ce
                .iter()
                .map(|&(set, _)| set == reverse(set, even))
                .collect(),
            ce_sets: visited_ce.iter().map(|&(set, _)| set).collect(),
            ce_k,
            co_k,
            co_pairs,
            ce_number,
            co_number,
        }
    }

    /// Number of visited Ce's, over all row sets.
    pub fn ce_count(&self) -> u32 {
        self.ce_k.len() as u32
    }

    /// Number of Co's, over all row sets.
    pub fn co_count(&self) -> u32 {
        self.co_k.len() as u32
    }

    /// The visited sets of even columns, by their numbers.
    pub fn ce_sets(&self) -> &[u32] {
        &self.ce_sets
    }

    /// From a set of even columns holding black queens to its number, or [`NONE`].
    pub fn ce_numbers(&self) -> &[u16] {
        &self.ce_number
    }

    /// From a set of odd columns holding black queens to its number.
    pub fn co_numbers(&self) -> &[u16] {
        &self.co_number
    }

    /// For odd `n`, how many Co's, from the first on, stand beside their reverse.
    pub fn co_pairs(&self) -> u32 {
        self.co_pairs
    }

    /// How many row sets the pair of `rows` and odd row set number `ro` stands for; 0 when
    /// another member of its orbit is visited instead.
    pub fn row_weight(&self, rows: &EvenRows, ro: u32) -> u64 {
        let Split { n, even, odd } = self.split;
        if n % 2 == 0 {
            match self.odd_rows_k[ro as usize] {
                k if k < rows.k => 4,
                k if k == rows.k => 2,
                _ => 0,
            }
        } else if rows.set != reverse(rows.set, even) {
            2
        } else {
            let set = self.odd_rows[ro as usize];
            match set.cmp(&reverse(set, odd)) {
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 0,
            }
        }
    }

    /// The column sets that an even row set visits together with odd row set number `ro`.
    pub fn visits(&self, rows: &EvenRows, ro: usize) -> Visits {
        let (k, ce_limit) = match self.split.n % 2 {
            0 => (rows.k, up_to(&self.ce_k, rows.k)),
            _ => (self.odd_rows_k[ro], self.ce_count()),
        };
        Visits {
            k,
            ce_limit,
            co_limit: up_to(&self.co_k, k),
            last_co: self.co_k.partition_point(|&other| other < k) as u32,
        }
    }

    /// The most of each that the row sets of some blocks visit.
    pub fn visits_of(&self, even: &[EvenRows], odd: Range<usize>) -> Visits {
        let largest = odd.max_by_key(|&ro| self.odd_rows_k[ro]);
        self.visits(&even[even.len() - 1], largest.unwrap_or(0))
    }

    /// How many column sets with this Ce are stood for by (Ce, Co), for the Co's below
    /// [`Visits::last_co`] or for the others.
    pub fn column_weight(&self, visits: &Visits, ce: u32, below: bool) -> u32 {
        let reversed = if self.split.n % 2 == 1 && !self.ce_symmetric[ce as usize] {
            2
        } else {
            1
        };
        self.transposed_weight(visits, ce, below) * reversed
    }

    /// The same for column sets that are visited beside their reverse.
    pub fn transposed_weight(&self, visits: &Visits, ce: u32, below: bool) -> u32 {
        let odd = self.split.n % 2 == 1;
        if below && (odd || self.ce_k[ce as usize] < visits.k) {
            2
        } else {
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of a row set and a column set is stood for exactly once: the weights of
    /// a class add up to the number of such pairs (twice that for two mirrored classes).
    #[test]
    fn weights_add_up_to_all_pairs_of_sets() {
        for n in 1..=17 {
            let split = Split::new(n);
            for c in split.classes() {
                let class = Class::new(split, c);
                let mut sum = 0u64;
                for rows in &class.even_rows {
                    for ro in 0..rows.ro_limit {
                        let visits = class.visits(rows, ro as usize);
                        let below = u64::from(visits.last_co);
                        let rest = u64::from(visits.co_limit) - below;
                        let columns: u64 = (0..visits.ce_limit)
                            .map(|ce| {
                                let weight = |of| u64::from(class.column_weight(&visits, ce, of));
                                below * weight(true) + rest * weight(false)
                            })
                            .sum();
                        sum += class.row_weight(rows, ro) * columns;
                    }
                }
                let even = sets(split.even, class.a).count() as u64;
                let odd = sets(split.odd, class.b).count() as u64;
                let mirrored = if n % 2 == 0 && class.a != class.c {
                    2
                } else {
                    1
                };
                assert_eq!(sum, mirrored * (even * odd).pow(2), "n={n} c={c}");
            }
        }
    }

    /// How many pairs of a row set and a column set are visited with ever more symmetries:
    /// none, the row sets' own, the column sets' own too (odd `n` only), the transpose too.
    fn visited_pairs(n: u32) -> [u64; 4] {
        let split = Split::new(n);
        let (mut all, mut rows_folded, mut cols_folded, mut transposed) = (0, 0, 0, 0);
        for c in 0..=split.odd {
            let size = |of, held| sets(of, held).count() as u64;
            let row_sets = size(split.even, split.even - c) * size(split.odd, split.odd - c);
            all += row_sets * row_sets;
            if !split.classes().contains(&c) {
                continue;
            }
            let class = Class::new(split, c);
            for rows in &class.even_rows {
                let pairs = (0..rows.ro_limit).filter(|&ro| class.row_weight(rows, ro) > 0);
                for ro in pairs {
                    let visits = class.visits(rows, ro as usize);
                    rows_folded += row_sets;
                    cols_folded += u64::from(class.ce_count() * class.co_count());
                    transposed += u64::from(visits.ce_limit * visits.co_limit);
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
