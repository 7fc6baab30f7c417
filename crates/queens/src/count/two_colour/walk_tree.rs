//! The walked side of a colour: placements that begin alike share their beginning.
//!
//! The placements on the small board with even columns are *walked*, one queen after the
//! other; with each queen fewer of the scanned placements fit. Placements that begin with the
//! same queens share those steps, so they form a tree. A *step* is a queen on a square. All
//! queens but the last two are a *prefix*, and the last two are an *end*: they are taken
//! together, because one bit plane per pair of squares halves the work there:
//!
//! ```text
//!   rows 4 2 | 1 0 of a board of 5 columns; j is the column of each row's queen
//!
//!   prefix: what changes            its ends
//!   from level 0    j = 0 1         | 4 2
//!   from level 1    j =   4         | 1 3
//!   from level 0    j = 1 0         | 2 4
//!   from level 1    j =   2         | 0 3
//!   from level 1    j =   4         | 0 3   | 2 0
//! ```
//!
//! The first levels may be set apart as the *stem*. Then all prefixes with one stem are a
//! *part* of the tree, which is walked by itself, over the scanned placements that fit the
//! stem. The rows go from the last up. Neighbouring row sets differ in their low bits, so they
//! have the same first levels and share their stems.

use super::placements::{Side, Visitor};
use super::sets::{Lines, Set};
use super::split::SmallBoard;
use std::ops::Range;

/// How many rows an end covers, at most.
const END_ROWS: usize = 2;

/// The most rows of a small board; a power of two.
const MOST_ROWS: usize = 16;

/// One prefix: what changed since the one before, and its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefix {
    /// The level of the first step that differs from the prefix before.
    pub from: u8,
    /// Number of ends.
    pub end_count: u16,
}

/// One end: the queens of the last rows, and the columns of the whole placement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// Index into [`WalkTree::end_steps`].
    pub step: u16,
    /// The `even_index` of the placement.
    pub index: u16,
}

/// No part of a tree without stems has more ends of one index than this. An end adds at most 16
/// to a 16-bit slot for each of eight stacked vectors, so a slot cannot overflow within a part.
/// Parts with a stem have no such limit: they only gather and never store.
pub(crate) const PART_ENDS: u16 = u16::MAX / (16 * 8);

/// The most levels a stem can have.
pub(crate) const MAX_STEM: usize = 4;

/// A stretch of a tree that can be walked by itself: all prefixes with one stem.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreePart {
    /// The steps of the stem; 0 beyond it.
    pub stem: [u8; MAX_STEM],
    /// Its prefixes; the first one gives all its steps below the stem.
    pub prefixes: Range<usize>,
    /// Where its steps begin.
    pub first_step: usize,
    /// Where its ends begin.
    pub first_end: usize,
}

/// The placements of one small board with given rows, as a tree to walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct WalkTree {
    /// Number of steps of a whole prefix.
    pub depth: usize,
    /// Number of steps per level: the columns of the board.
    pub cols: usize,
    /// The lines of each step: step `level * cols + j` is column `j` of the level's row.
    pub step_lines: Vec<u64>,
    /// The two steps of each end. With one row they are the same step twice; with no row, they
    /// are a step without lines.
    pub end_steps: Vec<[u16; 2]>,
    /// The prefixes that have ends, in the order of the search.
    pub prefixes: Vec<Prefix>,
    /// The largest number of ends with one index.
    pub most_ends: u32,
    /// Number of levels of a stem; the steps of these levels are not in `steps`.
    pub stem_levels: usize,
    /// For each prefix in turn, its steps from `from` on.
    pub steps: Vec<u8>,
    /// For each prefix in turn, its ends.
    pub ends: Vec<End>,
    /// The index of every end is below this.
    pub index_limit: usize,
    /// The parts of the tree: one per stem or, without stems, such that no index has more
    /// than [`PART_ENDS`] ends in a part.
    pub parts: Vec<TreePart>,
}

impl WalkTree {
    /// Builds the tree of all placements of a side whose columns have an index below its
    /// limit, with stems of up to `stem_levels` levels.
    pub fn build(&mut self, side: &Side, stem_levels: usize) {
        let mut rows: Vec<u32> = side.rows.into_iter().collect();
        rows.reverse();
        self.begin(side, &rows, stem_levels);
        let limit = side.limit as usize;
        let mut builder = TreeBuilder {
            side,
            levels: rows.len(),
            end_step: vec![0; 1 << 8],
            stack: [0; MOST_ROWS],
            from: 0,
            ends_before: 0,
            part_ends: vec![0; limit],
            tree: self,
        };
        builder.number_ends(&rows);
        side.search(&rows, &mut builder);
        builder.end_part();
        assert!(u32::try_from(self.ends.len()).is_ok(), "ends fit 32 bits");
        let mut ends = vec![0u32; limit];
        for end in &self.ends {
            ends[end.index as usize] += 1;
        }
        self.most_ends = ends.into_iter().max().unwrap_or(0);
    }

    /// Empties the tree and notes what is known before the search.
    fn begin(&mut self, side: &Side, rows: &[u32], stem_levels: usize) {
        let SmallBoard { cols, .. } = side.board;
        // So a prefix has at most 16 * 15 ends.
        assert!(cols as usize <= MOST_ROWS);
        self.depth = rows.len() - rows.len().min(END_ROWS);
        self.stem_levels = stem_levels.min(self.depth).min(MAX_STEM);
        self.index_limit = side.limit as usize;
        self.cols = cols as usize;
        self.step_lines.clear();
        for &i in rows {
            let lines = (0..cols).map(|j| side.board.lines(i, j).0);
            self.step_lines.extend(lines);
        }
        self.end_steps.clear();
        self.prefixes.clear();
        self.steps.clear();
        self.ends.clear();
        self.parts.clear();
        if self.stem_levels == 0 {
            self.parts.push(TreePart::default());
        }
    }

    /// The lines of the steps that a stem is made of.
    pub fn stem_lines(&self) -> &[u64] {
        &self.step_lines[..self.stem_levels * self.cols]
    }

    /// Gives back memory beyond what is used.
    pub fn shrink(&mut self) {
        self.prefixes.shrink_to_fit();
        self.steps.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.parts.shrink_to_fit();
    }
}

/// Listens to the search and writes the tree.
struct TreeBuilder<'a> {
    side: &'a Side<'a>,
    /// Number of rows.
    levels: usize,
    /// From the columns of the last rows, four bits each, to the number of the end step.
    end_step: Vec<u16>,
    /// The column of the queen of each level; 0 beyond the last.
    stack: [u8; MOST_ROWS],
    /// The first level that has changed since the last prefix that was written.
    from: usize,
    /// How many ends the tree had before this prefix.
    ends_before: usize,
    /// How many ends of the current part have each index.
    part_ends: Vec<u16>,
    tree: &'a mut WalkTree,
}

impl Visitor for TreeBuilder<'_> {
    #[inline(always)]
    fn enter(&mut self, level: usize, j: u32) {
        self.stack[level % MOST_ROWS] = j as u8;
    }

    #[inline(always)]
    fn leave(&mut self, level: usize) {
        if level > self.tree.depth {
            return;
        }
        if level == self.tree.depth {
            self.end_prefix();
        }
        // The next prefix differs in the level above, or in an earlier one.
        self.from = self.from.min(level.saturating_sub(1));
    }

    #[inline(always)]
    fn placement(&mut self, cols: Set, _: Lines) {
        let index = self.side.index(cols);
        if u32::from(index) < self.side.limit {
            let column = |level: usize| usize::from(self.stack[level % MOST_ROWS]);
            let (first, second) = (column(self.tree.depth), column(self.tree.depth + 1));
            let step = self.end_step[first << 4 | second];
            self.tree.ends.push(End { step, index });
        }
    }
}

impl TreeBuilder<'_> {
    /// Numbers the steps that ends can be.
    fn number_ends(&mut self, rows: &[u32]) {
        let SmallBoard { cols, .. } = self.side.board;
        let depth = self.tree.depth;
        let step = |level: usize, j: u32| (level * cols as usize) as u16 + j as u16;
        let mut ends = Vec::new();
        match self.levels - depth {
            0 => {
                ends.push((0, [self.tree.step_lines.len() as u16; 2]));
                self.tree.step_lines.push(0);
            }
            1 => ends.extend((0..cols).map(|j| (j << 4, [step(depth, j); 2]))),
            _ => {
                let board = self.side.board;
                for j1 in 0..cols {
                    let first = (Set::EMPTY.with(j1), board.lines(rows[depth], j1));
                    let free = board.free(rows[depth + 1], first.0, first.1);
                    let pair = |j2| (j1 << 4 | j2, [step(depth, j1), step(depth + 1, j2)]);
                    ends.extend(free.into_iter().map(pair));
                }
            }
        }
        for (columns, steps) in ends {
            self.end_step[columns as usize] = self.tree.end_steps.len() as u16;
            self.tree.end_steps.push(steps);
        }
    }

    /// Writes the prefix whose ends were found, if it has any.
    fn end_prefix(&mut self) {
        let before = self.ends_before;
        let ends = self.tree.ends.len() - before;
        if ends == 0 {
            return;
        }
        if self.tree.stem_levels == 0 {
            self.make_room(before);
        } else if self.from < self.tree.stem_levels {
            self.from = self.tree.stem_levels;
            self.begin_part(before);
        }
        let from = self.from.min(self.tree.depth);
        self.tree.prefixes.push(Prefix {
            from: from as u8,
            end_count: ends as u16,
        });
        for level in from..self.tree.depth {
            self.tree.steps.push(self.step(level));
        }
        self.from = self.tree.depth;
        self.ends_before = self.tree.ends.len();
    }

    /// The step of the queen at a level above the ends.
    fn step(&self, level: usize) -> u8 {
        (level * self.tree.cols) as u8 + self.stack[level]
    }

    /// Begins a new part if the ends from `before` on are too many for the current one.
    fn make_room(&mut self, before: usize) {
        let mut full = false;
        for end in &self.tree.ends[before..] {
            self.part_ends[end.index as usize] += 1;
            full |= self.part_ends[end.index as usize] > PART_ENDS;
        }
        if full {
            self.from = 0;
            self.begin_part(before);
            self.part_ends.fill(0);
            for end in &self.tree.ends[before..] {
                self.part_ends[end.index as usize] += 1;
            }
        }
    }

    fn begin_part(&mut self, ends: usize) {
        self.end_part();
        let mut stem = [0; MAX_STEM];
        for (level, step) in stem.iter_mut().enumerate().take(self.tree.stem_levels) {
            *step = self.step(level);
        }
        self.tree.parts.push(TreePart {
            stem,
            prefixes: self.tree.prefixes.len()..0,
            first_step: self.tree.steps.len(),
            first_end: ends,
        });
    }

    fn end_part(&mut self) {
        let end = self.tree.prefixes.len();
        if let Some(part) = self.tree.parts.last_mut() {
            part.prefixes.end = end;
        }
    }
}
