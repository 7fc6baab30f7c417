//! How a class is counted, and what it will cost: decided before anything is counted.
//!
//! The numbers of queens of a class decide its [`Strategy`]: which colour is stored, whether the
//! other one scans or filters, and how many `odd_cols` have their histograms in memory at a
//! time. Random descents ([`mean_length`]) estimate how long its lists are. That decides how
//! long the stems are, and how much time and memory its units are expected to take. Nothing
//! here changes a count. But the numbering of units depends on the strategy, so the strategy is
//! the same on every machine.

use super::colour::{ColourBoards, RowSet};
use super::packing::Packing;
use super::sets::{Lines, Set};
use super::simd::SLOTS;
use super::split::{SmallBoard, Split};
use super::symmetry::Class;
use super::walk_tree::MAX_STEM;

/// How the gathering colour meets the stored histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Join {
    /// Its walked side is walked over bit planes of the scanned side.
    Scan,
    /// Its scanned side is sifted at every queen of the walked side.
    Filter,
}

/// A filter does not sift by the queens of this many last rows of the walked side.
pub(crate) const LAST_ROWS: usize = 2;

/// How a class is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strategy {
    pub gather: ColourBoards,
    pub store: ColourBoards,
    /// How many `odd_cols` are counted at a time.
    pub chunk: usize,
    /// How many levels of the gathering trees are a stem.
    pub stem_levels: usize,
    pub join: Join,
    gather_lengths: Lengths,
    store_lengths: Lengths,
}

impl Strategy {
    /// The strategy for a class.
    pub fn new(class: &Class) -> Strategy {
        let (gather, store) = ColourBoards::roles(class);
        let gather_lengths = Lengths::new(class, &gather);
        // A filter walks the rows by itself and does not know which squares are allowed.
        let join = match !class.is_restricted() && filter_pays(class, &gather) {
            true => Join::Filter,
            false => Join::Scan,
        };
        Strategy {
            gather,
            store,
            chunk: chunk_size(class, join),
            stem_levels: stem_levels(gather_lengths.scanned / f64::from(class.odd_count().max(1))),
            join,
            gather_lengths,
            store_lengths: Lengths::new(class, &store),
        }
    }

    /// The same with the gathering colour scanned, even where filtering pays.
    #[cfg(test)]
    pub fn scanning(self, class: &Class) -> Strategy {
        Strategy {
            join: Join::Scan,
            chunk: chunk_size(class, Join::Scan),
            ..self
        }
    }

    /// Roughly the bytes that one thread needs beside what all share, for units of this many
    /// inner row sets.
    pub fn thread_bytes(&self, class: &Class, inners: u32) -> f64 {
        const REST: f64 = 2e6;
        let (evens, odds) = (f64::from(class.even_count()), f64::from(class.odd_count()));
        let chunk = (self.chunk as f64).min(odds + SLOTS as f64);
        // A row set's list may be half as long again as the mean of all.
        let scanned = 1.5 * self.gather_lengths.scanned;
        // Lines, indices and what is sifted from them. A filter has lines of the whole list, and
        // the rest for a chunk only.
        let lists = match self.join {
            Join::Filter => scanned * (8.0 + 14.0 * chunk / odds),
            Join::Scan => scanned * 18.0,
        };
        f64::from(inners + 2) * evens * 2.0 * chunk + lists + REST
    }

    /// The expected cost of one pair of row sets whose column sets are all visited, in
    /// cycles of a Zen 4 core with AVX-512.
    pub fn pair_cost(&self, class: &Class) -> f64 {
        // Measured: cycles per end and vector, and the other cycles per end.
        const GATHER: f64 = 2.7;
        const STORE: f64 = 3.3;
        const END: f64 = 8.0;
        // A step of a stem leaves about this share of a list.
        const KEPT: f64 = 0.3;
        let (evens, odds) = (f64::from(class.even_count()), f64::from(class.odd_count()));
        let vectors = |placements: f64| (1.3 * placements / 512.0).max(odds / SLOTS as f64);
        let (gather, store) = (self.gather_lengths, self.store_lengths);
        let sifted = vectors(gather.scanned * KEPT.powi(self.stem_levels as i32));
        gather.walked * (sifted * GATHER + END)
            + store.walked * (vectors(store.scanned) * STORE + END)
            + evens * odds
            + 1000.0
    }
}

/// The mean number of placements on the two boards of one colour.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    walked: f64,
    scanned: f64,
}

impl Lengths {
    fn new(class: &Class, colour: &ColourBoards) -> Lengths {
        if class.is_restricted() {
            return Lengths::of_visited(class, colour);
        }
        let Split { even, odd, .. } = class.split;
        let (walk_rows, scan_rows) = match colour.walks_even_rows() {
            true => (even, odd),
            false => (odd, even),
        };
        Lengths {
            walked: mean_length(colour.walk_board, walk_rows, colour.walk_queens(class)),
            scanned: mean_length(colour.scan_board, scan_rows, colour.scan_queens(class)),
        }
    }

    /// The same mean over some of the row sets that a class visits, on the squares it allows.
    fn of_visited(class: &Class, colour: &ColourBoards) -> Lengths {
        const PROBES: usize = 100;
        let mut random = random_numbers();
        let (evens, odds) = (&class.even_rows, &class.odd_rows);
        let mut lengths = Lengths {
            walked: 0.0,
            scanned: 0.0,
        };
        for probe in 0..PROBES {
            let rows = RowSet {
                even: evens[probe * evens.len() / PROBES].set,
                odd: odds[probe * odds.len() / PROBES].set,
            };
            let walked = colour.walk_side(class, rows, u32::MAX);
            let scanned = colour.scan_side(class, rows, u32::MAX);
            for (side, length) in [
                (walked, &mut lengths.walked),
                (scanned, &mut lengths.scanned),
            ] {
                let placements = descent(side.board, side.rows, side.allowed, &mut random);
                *length += placements / PROBES as f64;
            }
        }
        lengths
    }
}

/// How many levels pay as a stem when the `odd_cols` have this many scanned placements each.
///
/// A level keeps 30 % of a list and costs a layout per step, so it pays down to about
/// one slot per index. Measured on a Zen 4 core (AMD EPYC, 2026-11-15), in seconds for the
/// whole class, with 0, 1 and 2 levels. For n = 20: five queens to a board (24 placements per
/// index) 2.7, 2.9, 4.9; six (63) 5.0, 4.3, 6.1; seven (143) 3.5, 2.5, 2.4. For n = 22: six (80)
/// 196, 146, 158; seven (213) 208, 117, 92.
fn stem_levels(placements_per_index: f64) -> usize {
    let levels = (placements_per_index / 14.0).ln() / 3.4f64.ln();
    levels.clamp(0.0, MAX_STEM as f64) as usize
}

/// Whether filtering beats scanning. It does where the gathering colour holds most of the
/// queens, so that hardly any of its placements survive.
///
/// Measured on a Zen 4 core (AMD EPYC, 2026-11-15), in seconds for the whole class, scanned and
/// filtered, by the share of the queens that gather. For n = 17: 65 % 0.025, 0.041; 71 % 0.019,
/// 0.012. For n = 19: 58 % 0.65, 0.94; 63 % 0.61, 0.42. For n = 20: 50 % 2.5, 11; 60 % 4.3, 3.2;
/// 70 % 2.1, 0.75. For n = 22: 55 % 141, 257; 64 % 66, 29. For n = 24: 58 % about 3 to 2.
fn filter_pays(class: &Class, gather: &ColourBoards) -> bool {
    let n = class.split.n;
    let least = if n < 18 { 68 } else { 58 };
    // A filter must also be able to tell the indices of the smallest chunk apart.
    let fits = most_filtered_indices(class.split) >= SLOTS;
    let rows = gather.walk_queens(class);
    rows > LAST_ROWS as u32 && 100 * gather.queens(class) >= least * n && fits
}

/// The most `odd_cols` of a chunk that a filter can tell apart: 256 for n = 28, too few
/// beyond. Its leaves have 16 bits for an index.
pub(crate) fn most_filtered_indices(split: Split) -> usize {
    1 << Packing::new(split.even).bits().min(16)
}

/// How many `odd_cols` a chunk has: all of them while their histogram stays small. A filter
/// looks weights up one by one, in many histograms, and wants them smaller.
fn chunk_size(class: &Class, join: Join) -> usize {
    let rows = class.even_count().max(1) as usize;
    let wide = |histogram_bytes: usize| (histogram_bytes / (2 * rows)).max(SLOTS);
    let wide = match join {
        Join::Filter => wide(1 << 18).min(most_filtered_indices(class.split)),
        Join::Scan => wide(1 << 20),
    };
    (wide / SLOTS * SLOTS)
        .min((class.odd_count() as usize).next_multiple_of(SLOTS))
        .max(SLOTS)
}

/// The mean number of placements of `queens` queens over all sets of that many of `rows`
/// rows, by random descents (Knuth's estimate) from a fixed seed.
fn mean_length(board: SmallBoard, rows: u32, queens: u32) -> f64 {
    // On small boards the probes would take longer than what they predict: with 400 of
    // them n = 12 took 1.05 ms, with 25 it takes 0.44 (AMD EPYC, Zen 4, 2026-11-15).
    let probes = if rows <= 7 { 25 } else { 400 };
    let mut random = random_numbers();
    let mut sum = 0.0;
    for _ in 0..probes {
        let mut set = Set::EMPTY;
        while set.len() < queens {
            set = set.with(random(rows));
        }
        sum += descent(board, set, None, &mut random);
    }
    sum / f64::from(probes)
}

/// Random numbers below a given one, always the same sequence.
fn random_numbers() -> impl FnMut(u32) -> u32 {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move |below: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as u32) % below
    }
}

/// One random descent: the product of the numbers of choices at each row. On average it is the
/// number of placements in these rows.
fn descent(
    board: SmallBoard,
    rows: Set,
    allowed: Option<&[Set]>,
    random: &mut impl FnMut(u32) -> u32,
) -> f64 {
    let (mut weight, mut cols, mut lines) = (1.0, Set::EMPTY, Lines::NONE);
    for i in rows {
        let mut free = board.free(i, cols, lines);
        if let Some(allowed) = allowed {
            free = free & allowed[i as usize];
        }
        weight *= f64::from(free.len());
        if free.is_empty() {
            break;
        }
        let choice = random(free.len()) as usize;
        let j = free.into_iter().nth(choice).unwrap_or(0);
        cols = cols.with(j);
        lines = lines | board.lines(i, j);
    }
    weight
}
