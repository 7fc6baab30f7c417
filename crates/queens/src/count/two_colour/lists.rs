//! The placements on one small board with given rows, in the two shapes the kernels read.
//!
//! A *tree* is the side that is walked: the placements `p` of one small board, as prefixes
//! that share their work, each with the list of its ends. An end is the choice for the last
//! two rows together, since one bit plane per *pair* of squares halves the vector
//! operations. A *queue* is the side that is scanned: the placements `q` of the other small
//! board of the same colour, sorted by their column set, one `u64` of lines each.
//!
//! Both come from the same row by row search as the `bitmask` engine: the columns that the
//! lines attack in a row are two shifts away.

use super::class::NONE;
use super::split::SmallBoard;

/// The elements of a set, in rising order.
pub(crate) fn elements(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let element = set.trailing_zeros();
            set &= set - 1;
            element
        })
    })
}

/// How many rows an end of a tree covers, at most.
pub(crate) const END_ROWS: usize = 2;

/// One prefix of a tree: what changed since the one before, and its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefix {
    /// The level of the first step that differs from the prefix before.
    pub from: u8,
    /// Number of ends.
    pub ends: u16,
}

/// One end: the last rows' choice, and the column set of the finished placement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// Index into [`Tree::end_steps`].
    pub step: u16,
    /// Number of the column set.
    pub cols: u16,
}

/// No part of a tree has more ends with one column set than this: a 16-bit slot that grows
/// by at most 16 for each of eight stacked vectors cannot overflow within a part.
pub(crate) const PART_ENDS: u16 = u16::MAX / (16 * 8);

/// The most levels a stem can have.
pub(crate) const MAX_STEM: usize = 4;

/// A stretch of a tree that can be walked by itself: all prefixes with one *stem*, the
/// steps of the first [`Tree::stem`] levels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// The steps of the stem; 0 beyond it.
    pub stem: [u8; MAX_STEM],
    /// Its prefixes; the first of them gives all its steps below the stem.
    pub prefixes: std::ops::Range<usize>,
    /// Where its steps begin.
    pub steps: usize,
    /// Where its ends begin.
    pub ends: usize,
}

/// The placements of one small board with given rows, as a tree to walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// Number of steps of a whole prefix.
    pub depth: usize,
    /// Number of steps per level: the columns of the board.
    pub cols: usize,
    /// The lines of each step: step `level * cols + j` is column `j` of the level's row.
    pub step_lines: Vec<u64>,
    /// The two steps of each end (twice the same one where the board has one row; the empty
    /// placement is a step without lines).
    pub end_steps: Vec<[u16; 2]>,
    /// The prefixes that have ends, in the order of the search.
    pub prefixes: Vec<Prefix>,
    /// The largest number of ends with one column set.
    pub most_ends: u32,
    /// Number of levels of a stem; the steps of these levels are not in `steps`.
    pub stem: usize,
    /// For each prefix in turn, its steps from `from` on.
    pub steps: Vec<u8>,
    /// For each prefix in turn, its ends.
    pub ends: Vec<End>,
    /// Every end's column set has a number below this.
    pub cols_limit: usize,
    /// The stretches of the tree: one per stem or, without stems, such that no column set
    /// has more than [`PART_ENDS`] ends in a part.
    pub parts: Vec<Part>,
}

impl Tree {
    /// All placements on `board` with one queen in each row of `rows` whose column set,
    /// after `flip` is applied, has a number below `limit`; rows are taken from the last on,
    /// so that row sets which are neighbours in number share their first levels.
    pub fn build(
        &mut self,
        board: SmallBoard,
        rows: u32,
        flip: u32,
        numbers: &[u16],
        limit: u32,
        stem: usize,
    ) {
        let tree = self;
        let mut rows: Vec<u32> = elements(rows).collect();
        rows.reverse();
        let end_rows = rows.len().min(END_ROWS);
        let depth = rows.len() - end_rows;
        tree.depth = depth;
        tree.stem = stem.min(depth).min(MAX_STEM);
        tree.cols_limit = limit as usize;
        tree.cols = board.cols as usize;
        tree.step_lines.clear();
        for &i in &rows {
            let lines = (0..board.cols).map(|j| board.lines(i, j));
            tree.step_lines.extend(lines);
        }
        tree.end_steps.clear();
        tree.prefixes.clear();
        tree.steps.clear();
        tree.ends.clear();
        tree.parts.clear();
        if tree.stem == 0 {
            tree.parts.push(Part::default());
        }
        let mut builder = Builder {
            board,
            rows: &rows,
            flip,
            numbers,
            limit: limit as u16,
            end_step: vec![NONE; 1 << 8],
            stack: vec![0; depth],
            from: 0,
            counts: vec![0; limit as usize],
            tree,
        };
        builder.number_ends();
        builder.prefix(0, 0, 0);
        builder.end_part();
        let mut ends = vec![0; limit as usize];
        for end in &tree.ends {
            ends[end.cols as usize] += 1;
        }
        tree.most_ends = ends.into_iter().max().unwrap_or(0);
    }

    /// Gives back memory beyond what is used.
    pub fn shrink(&mut self) {
        self.prefixes.shrink_to_fit();
        self.steps.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.parts.shrink_to_fit();
    }
}

struct Builder<'a> {
    board: SmallBoard,
    rows: &'a [u32],
    flip: u32,
    numbers: &'a [u16],
    limit: u16,
    /// From the columns of the last rows to the number of the end step.
    end_step: Vec<u16>,
    stack: Vec<u8>,
    from: usize,
    /// How many ends of the current part have each column set.
    counts: Vec<u16>,
    tree: &'a mut Tree,
}

impl Builder<'_> {
    fn free(&self, level: usize, cols: u32, lines: u64) -> u32 {
        self.board.free(self.rows[level], cols, lines)
    }

    fn lines(&self, level: usize, j: u32) -> u64 {
        self.board.lines(self.rows[level], j)
    }

    fn number_ends(&mut self) {
        let depth = self.tree.depth;
        let step = |level: usize, j: u32| (level * self.board.cols as usize) as u16 + j as u16;
        let mut ends = Vec::new();
        match self.rows.len() - depth {
            0 => {
                ends.push((0, [self.tree.step_lines.len() as u16; 2]));
                self.tree.step_lines.push(0);
            }
            1 => ends.extend((0..self.board.cols).map(|j| (j, [step(depth, j); 2]))),
            _ => {
                for j1 in 0..self.board.cols {
                    let free = self.free(depth + 1, 1 << j1, self.lines(depth, j1));
                    let pair = |j2| (j1 * 16 + j2, [step(depth, j1), step(depth + 1, j2)]);
                    ends.extend(elements(free).map(pair));
                }
            }
        }
        for (columns, steps) in ends {
            self.end_step[columns as usize] = self.tree.end_steps.len() as u16;
            self.tree.end_steps.push(steps);
        }
    }

    fn prefix(&mut self, level: usize, cols: u32, lines: u64) {
        if level < self.tree.depth {
            for j in elements(self.free(level, cols, lines)) {
                self.stack[level] = (level as u32 * self.board.cols + j) as u8;
                self.from = self.from.min(level);
                self.prefix(level + 1, cols | 1 << j, lines | self.lines(level, j));
            }
            return;
        }
        let before = self.tree.ends.len();
        match self.rows.len() - level {
            0 => self.end(0, cols),
            1 => {
                for j in elements(self.free(level, cols, lines)) {
                    self.end(j, cols | 1 << j);
                }
            }
            _ => {
                for j1 in elements(self.free(level, cols, lines)) {
                    let (cols, lines) = (cols | 1 << j1, lines | self.lines(level, j1));
                    for j2 in elements(self.free(level + 1, cols, lines)) {
                        self.end(j1 * 16 + j2, cols | 1 << j2);
                    }
                }
            }
        }
        let ends = self.tree.ends.len() - before;
        if ends > 0 {
            if self.tree.stem == 0 {
                self.make_room(before);
            } else if self.from < self.tree.stem {
                self.from = self.tree.stem;
                self.begin_part(before);
            }
            self.tree.prefixes.push(Prefix {
                from: self.from as u8,
                ends: ends as u16,
            });
            self.tree.steps.extend_from_slice(&self.stack[self.from..]);
            self.from = self.tree.depth;
        }
    }

    /// Begins a new part where the ends from `before` on would be too many for this one.
    fn make_room(&mut self, before: usize) {
        let mut full = false;
        for end in &self.tree.ends[before..] {
            self.counts[end.cols as usize] += 1;
            full |= self.counts[end.cols as usize] > PART_ENDS;
        }
        if full {
            self.from = 0;
            self.begin_part(before);
            self.counts.fill(0);
            for end in &self.tree.ends[before..] {
                self.counts[end.cols as usize] += 1;
            }
        }
    }

    fn begin_part(&mut self, ends: usize) {
        self.end_part();
        let mut stem = [0; MAX_STEM];
        stem[..self.tree.stem].copy_from_slice(&self.stack[..self.tree.stem]);
        self.tree.parts.push(Part {
            stem,
            prefixes: self.tree.prefixes.len()..0,
            steps: self.tree.steps.len(),
            ends,
        });
    }

    fn end_part(&mut self) {
        let end = self.tree.prefixes.len();
        if let Some(part) = self.tree.parts.last_mut() {
            part.prefixes.end = end;
        }
    }

    fn end(&mut self, columns: u32, cols: u32) {
        let number = self.numbers[(cols ^ self.flip) as usize];
        if number < self.limit {
            let step = self.end_step[columns as usize];
            self.tree.ends.push(End { step, cols: number });
        }
    }
}

/// Up to so many placements, a megabyte, a queue keeps the memory it was built in.
const MOST_FOUND: usize = 1 << 16;

/// The placements of one small board with given rows, sorted by column set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    /// The lines of each placement.
    pub lines: Vec<u64>,
    /// `lines[starts[k]..starts[k + 1]]` have column set number `k`.
    pub starts: Vec<u32>,
    /// The column set of each placement, once they are numbered.
    pub cols: Vec<u32>,
    /// While it is built: the placements as they are found, each with its number.
    found: Vec<(u64, u16)>,
}

impl Queue {
    /// Where the placements stand whose column sets have these numbers.
    pub fn range(&self, numbers: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.starts[numbers.start] as usize..self.starts[numbers.end] as usize
    }

    /// All placements on `board` with one queen in each row of `rows` whose column set,
    /// after `flip` is applied, has a number below `limit`.
    ///
    /// They are counted as they are found, and then put in their places.
    pub fn build(&mut self, board: SmallBoard, rows: u32, flip: u32, numbers: &[u16], limit: u32) {
        let rows: Vec<u32> = elements(rows).collect();
        let Queue {
            lines,
            starts,
            cols,
            found,
        } = self;
        found.clear();
        cols.clear();
        starts.clear();
        starts.resize(limit as usize + 1, 0);
        search(board, &rows, 0, 0, &mut |set, placement| {
            let number = numbers[(set ^ flip) as usize];
            if u32::from(number) < limit {
                starts[number as usize + 1] += 1;
                found.push((placement, number));
            }
        });
        for k in 0..limit as usize {
            starts[k + 1] += starts[k];
        }
        lines.clear();
        lines.resize(found.len(), 0);
        // Each column set's start moves on as it fills; shifted back below.
        for &(placement, number) in found.iter() {
            let at = &mut starts[number as usize];
            lines[*at as usize] = placement;
            *at += 1;
        }
        starts.copy_within(0..limit as usize, 1);
        starts[0] = 0;
        // Memory is used again where finding it would take longer than the search.
        if found.len() > MOST_FOUND {
            *found = Vec::new();
        }
    }

    /// Notes the column set of each placement.
    pub fn number_cols(&mut self) {
        self.cols.clear();
        self.cols.reserve_exact(self.lines.len());
        for (number, range) in self.starts.windows(2).enumerate() {
            self.cols.resize(range[1] as usize, number as u32);
        }
    }
}

/// Calls `found` with the column set and the lines of every placement of one queen in each
/// of `rows`.
pub(crate) fn search(
    board: SmallBoard,
    rows: &[u32],
    cols: u32,
    lines: u64,
    found: &mut impl FnMut(u32, u64),
) {
    match rows {
        [] => found(cols, lines),
        &[i] => {
            for j in elements(board.free(i, cols, lines)) {
                found(cols | 1 << j, lines | board.lines(i, j));
            }
        }
        // Most of the time goes by in the last two rows.
        &[i, last] => {
            for j in elements(board.free(i, cols, lines)) {
                let (cols, lines) = (cols | 1 << j, lines | board.lines(i, j));
                for j in elements(board.free(last, cols, lines)) {
                    found(cols | 1 << j, lines | board.lines(last, j));
                }
            }
        }
        &[i, ref rest @ ..] => {
            for j in elements(board.free(i, cols, lines)) {
                search(board, rest, cols | 1 << j, lines | board.lines(i, j), found);
            }
        }
    }
}

/// What is left of a queue after some steps of a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sifted {
    /// The lines of the placements left, and places that may be written over.
    pub lines: Vec<u64>,
    /// Their column sets, in the same order.
    pub cols: Vec<u32>,
    /// How many are left.
    pub length: usize,
}

impl Sifted {
    /// The lines of the placements left.
    pub fn lines(&self) -> &[u64] {
        &self.lines[..self.length]
    }

    /// The column sets of the placements left.
    pub fn cols(&self) -> &[u32] {
        &self.cols[..self.length]
    }
}
