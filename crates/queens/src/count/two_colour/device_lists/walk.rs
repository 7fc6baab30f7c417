//! The walked side for a device: a word per placement.
//!
//! See [`super`] for the picture of a word. All placements of a stem stand together, sorted by
//! `even_index`, and are filled up to a multiple of [`STEM_MULTIPLE`].

use super::super::placements::{Each, Side, Visitor, search};
use super::super::sets::{Lines, Set};
use super::super::symmetry::NO_INDEX;

/// The placements that begin with the same queens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Stem {
    /// The column of level `l` in bits `4 l .. 4 l + 4`.
    pub path: u32,
    /// Where its placements begin.
    pub first: u32,
}

/// How a placement is written into one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordFormat {
    /// Levels of a stem; at most five are left.
    pub stem_rows: u32,
    /// Of the rows below the stem, how many stand alone; the others stand in pairs.
    pub singles: u32,
    /// Pairs of levels that follow each other, after those that stand alone.
    pub pairs: u32,
}

impl WordFormat {
    /// The format for boards of this size. A pair of rows takes `cols * cols` bit planes on
    /// the device; there is room for `mask_pairs` pairs.
    pub fn of(rows: u32, cols: u32, mask_pairs: u32) -> WordFormat {
        // Two pairs and a square leave 12 bits of a word for the `even_index`. That is enough up to
        // 14 columns, and used up to 13.
        let left = match mask_pairs {
            0 => 3,
            2.. if cols <= 13 => 5,
            _ => 4,
        };
        let left = rows.min(left);
        let pairs = mask_pairs.min(left / 2);
        WordFormat {
            stem_rows: rows - left,
            singles: left - 2 * pairs,
            pairs,
        }
    }

    /// Where the `even_index` of a placement begins, above its squares.
    pub fn index_shift(&self) -> u32 {
        match self.singles + 2 * self.pairs {
            5 => 20,
            _ => 16,
        }
    }

    /// Where the column of a level below the stem stands: its shift and its factor.
    pub(super) fn place(&self, rows: u32, cols: u32, level: u32) -> (u32, u32) {
        let left = level - self.stem_rows;
        if left < self.singles {
            return (8 * self.pairs + 4 * left, 1);
        }
        let from_end = rows - 1 - level;
        let times = if from_end % 2 == 1 { cols } else { 1 };
        (8 * (from_end / 2), times)
    }
}

/// A listed stem has at most this many levels: its path is one word, with four bits a level.
pub const MOST_STEM_ROWS: u32 = 8;

/// A stem has a multiple of this many placements; [`NO_PLACEMENT`] fills them up.
pub const STEM_MULTIPLE: usize = 16;

/// Sorts after all placements of a stem: its `even_index` is above any limit.
pub const NO_PLACEMENT: u32 = 0xffff_0000;

/// The walked placements of one small board with given rows.
#[derive(Clone, Debug, Default)]
pub struct DeviceWalk {
    /// Number of rows, each with one queen.
    pub rows: u32,
    /// Number of columns of the small board.
    pub cols: u32,
    /// How placements are written down.
    pub format: WordFormat,
    /// The lines of square (level, column) at `level * cols + column`: bit `d` of the low
    /// half is diagonal `d`, bit `a` of the high half is anti-diagonal `a`.
    pub squares: Vec<u64>,
    /// The stems that have placements, in the order of the search, and one more that says where
    /// the last one ends.
    pub stems: Vec<Stem>,
    /// The placements of each stem, sorted by `even_index`. A placement has its columns below the
    /// stem in the low bits, and `even_index << index_shift`. Where rows stand in pairs, the low
    /// byte is the last pair, `j1 * cols + j2`, and the next byte the pair before it; rows that
    /// stand alone follow above the pairs, with four bits each. Where all rows stand alone, each
    /// has four bits, the first row lowest.
    pub placements: Vec<u32>,
    /// The largest number of placements with one `even_index`.
    pub most: u32,
    /// The number of placements. A walk that lists none has the number that there would be, or
    /// an upper bound.
    pub count: u64,
}

impl DeviceWalk {
    /// A walk that lists no placements: only its squares, and how many placements there would
    /// be. On small boards that number is an upper bound.
    pub(super) fn sketch(&mut self, side: &Side, mask_pairs: u32) {
        let rows = self.begin(side, mask_pairs);
        let number = rows.len() as u32;
        self.count = (self.cols + 1 - number..=self.cols)
            .map(u64::from)
            .product();
        if self.cols > 12 {
            let mut count = 0;
            search(side.board, &rows, &mut Each(|_, _| count += 1));
            self.count = count;
        }
    }

    /// All placements of a side that have an index; `counts` is memory to reuse.
    pub(super) fn build(&mut self, side: &Side, mask_pairs: u32, counts: &mut Vec<u32>) {
        let rows = self.begin(side, mask_pairs);
        counts.clear();
        counts.resize(side.limit as usize, 0);
        let stem_rows = self.format.stem_rows;
        assert!(
            stem_rows <= MOST_STEM_ROWS,
            "a path has room for eight levels"
        );
        let left = stem_rows..self.rows;
        let mut builder = WalkBuilder {
            side,
            stem_rows: stem_rows as usize,
            index_shift: self.format.index_shift(),
            places: left
                .clone()
                .map(|level| self.format.place(self.rows, self.cols, level))
                .collect(),
            path: 0,
            squares: vec![0; left.len() + 1],
            stem_first: self.placements.len(),
            counts,
            walk: self,
        };
        search(side.board, &rows, &mut builder);
        self.most = counts.iter().copied().max().unwrap_or(0);
        self.stems.push(Stem {
            path: 0,
            first: self.placements.len() as u32,
        });
    }

    /// Begins a walk and returns its rows, those near the middle of the board first. A queen there
    /// attacks more placements of the other board, so stems leave fewer of them, and so does
    /// unfolding row by row.
    fn begin(&mut self, side: &Side, mask_pairs: u32) -> Vec<u32> {
        let board = side.board;
        let mut rows: Vec<u32> = side.rows.into_iter().collect();
        self.rows = rows.len() as u32;
        self.cols = board.cols;
        self.format = WordFormat::of(self.rows, self.cols, mask_pairs);
        rows.sort_by_key(|&i| (2 * i + 1).abs_diff(board.cols));
        for &i in &rows {
            self.squares
                .extend((0..board.cols).map(|j| board.lines(i, j).0));
        }
        rows
    }
}

/// Listens to the search and writes the words.
struct WalkBuilder<'a> {
    side: &'a Side<'a>,
    stem_rows: usize,
    index_shift: u32,
    /// The places of the levels below the stems.
    places: Vec<(u32, u32)>,
    /// The columns of the stem.
    path: u32,
    /// `squares[k]` has the squares of the first `k` levels below the stem, as they stand in a
    /// word.
    squares: Vec<u32>,
    /// Where the placements of the stem begin.
    stem_first: usize,
    /// How many placements have each index.
    counts: &'a mut [u32],
    walk: &'a mut DeviceWalk,
}

impl Visitor for WalkBuilder<'_> {
    #[inline(always)]
    fn enter(&mut self, level: usize, j: u32) {
        match level.checked_sub(self.stem_rows) {
            None => {
                let above = (1 << (4 * level)) - 1;
                self.path = self.path & above | j << (4 * level);
            }
            Some(left) => {
                let (shift, times) = self.places[left];
                self.squares[left + 1] = self.squares[left] + ((j * times) << shift);
            }
        }
    }

    #[inline(always)]
    fn placement(&mut self, cols: Set, _: Lines) {
        let index = self.side.index(cols);
        if index != NO_INDEX {
            self.counts[usize::from(index)] += 1;
            let squares = self.squares[self.places.len()];
            let word = squares | u32::from(index) << self.index_shift;
            self.walk.placements.push(word);
        }
    }

    #[inline(always)]
    fn leave(&mut self, level: usize) {
        if level == self.stem_rows {
            self.end_stem();
        }
    }
}

impl WalkBuilder<'_> {
    /// Sorts the placements of a stem and fills them up.
    fn end_stem(&mut self) {
        let first = self.stem_first;
        let placements = &mut self.walk.placements;
        if placements.len() == first {
            return;
        }
        self.walk.count += (placements.len() - first) as u64;
        // The index has the highest bits, so this sorts by it.
        placements[first..].sort_unstable();
        placements.resize(
            placements.len().next_multiple_of(STEM_MULTIPLE),
            NO_PLACEMENT,
        );
        self.walk.stems.push(Stem {
            path: self.path,
            first: first as u32,
        });
        self.stem_first = placements.len();
    }
}
