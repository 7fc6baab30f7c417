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
    /// Index into [`Tree::end_lines`].
    pub step: u16,
    /// Number of the column set.
    pub cols: u16,
}

/// No part of a tree has more ends with one column set than this: a 16-bit slot that grows
/// by at most 16 for each of eight stacked vectors cannot overflow within a part.
pub(crate) const PART_ENDS: u16 = u16::MAX / (16 * 8);

/// A stretch of a tree that can be walked by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// Its prefixes; the first of them gives all its steps.
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
    /// The lines of each prefix step, by the number used in `steps`.
    pub step_lines: Vec<u64>,
    /// The lines of each end step.
    pub end_lines: Vec<u64>,
    /// The prefixes that have ends, in the order of the search.
    pub prefixes: Vec<Prefix>,
    /// For each prefix in turn, its steps from `from` on.
    pub steps: Vec<u8>,
    /// For each prefix in turn, its ends.
    pub ends: Vec<End>,
    /// Every end's column set has a number below this.
    pub cols_limit: usize,
    /// Stretches of the tree in which no column set has more than [`PART_ENDS`] ends.
    pub parts: Vec<Part>,
}

impl Tree {
    /// The whole tree as one stretch.
    pub fn whole(&self) -> Part {
        Part {
            prefixes: 0..self.prefixes.len(),
            steps: 0,
            ends: 0,
        }
    }

    /// All placements on `board` with one queen in each row of `rows` whose column set,
    /// after `flip` is applied, has a number below `limit`.
    pub fn build(&mut self, board: SmallBoard, rows: u32, flip: u32, numbers: &[u16], limit: u32) {
        let tree = self;
        let rows: Vec<u32> = elements(rows).collect();
        let end_rows = rows.len().min(END_ROWS);
        let depth = rows.len() - end_rows;
        tree.depth = depth;
        tree.cols_limit = limit as usize;
        tree.step_lines.clear();
        for &i in &rows[..depth] {
            tree.step_lines
                .extend((0..board.cols).map(|j| board.lines(i, j)));
        }
        tree.end_lines.clear();
        tree.prefixes.clear();
        tree.steps.clear();
        tree.ends.clear();
        tree.parts.clear();
        tree.parts.push(Part::default());
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
        self.board.all_cols() & !(cols | self.board.attacked(self.rows[level], lines))
    }

    fn lines(&self, level: usize, j: u32) -> u64 {
        self.board.lines(self.rows[level], j)
    }

    fn number_ends(&mut self) {
        let depth = self.tree.depth;
        match self.rows.len() - depth {
            0 => {
                self.end_step[0] = 0;
                self.tree.end_lines.push(0);
            }
            1 => {
                for j in 0..self.board.cols {
                    self.end_step[j as usize] = self.tree.end_lines.len() as u16;
                    self.tree.end_lines.push(self.lines(depth, j));
                }
            }
            _ => {
                for j1 in 0..self.board.cols {
                    let first = self.lines(depth, j1);
                    for j2 in elements(self.free(depth + 1, 1 << j1, first)) {
                        self.end_step[(j1 * 16 + j2) as usize] = self.tree.end_lines.len() as u16;
                        self.tree.end_lines.push(first | self.lines(depth + 1, j2));
                    }
                }
            }
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
            self.make_room(before);
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
            self.end_part();
            self.tree.parts.push(Part {
                prefixes: self.tree.prefixes.len()..0,
                steps: self.tree.steps.len(),
                ends: before,
            });
            self.from = 0;
            self.counts.fill(0);
            for end in &self.tree.ends[before..] {
                self.counts[end.cols as usize] += 1;
            }
        }
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

/// The placements of one small board with given rows, sorted by column set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    /// The lines of each placement.
    pub lines: Vec<u64>,
    /// `lines[starts[k]..starts[k + 1]]` have column set number `k`.
    pub starts: Vec<u32>,
    unsorted: Vec<(u64, u16)>,
}

impl Queue {
    /// All placements on `board` with one queen in each row of `rows` whose column set,
    /// after `flip` is applied, has a number below `limit`.
    pub fn build(&mut self, board: SmallBoard, rows: u32, flip: u32, numbers: &[u16], limit: u32) {
        let queue = self;
        let rows: Vec<u32> = elements(rows).collect();
        queue.unsorted.clear();
        let limit16 = limit as u16;
        search(board, &rows, 0, 0, &mut |cols, lines| {
            let number = numbers[(cols ^ flip) as usize];
            if number < limit16 {
                queue.unsorted.push((lines, number));
            }
        });
        queue.starts.clear();
        queue.starts.resize(limit as usize + 1, 0);
        for &(_, number) in &queue.unsorted {
            queue.starts[number as usize + 1] += 1;
        }
        for k in 0..limit as usize {
            queue.starts[k + 1] += queue.starts[k];
        }
        queue.lines.clear();
        queue.lines.resize(queue.unsorted.len(), 0);
        // Each column set's start moves on as it fills; shifted back below.
        for &(lines, number) in &queue.unsorted {
            let at = &mut queue.starts[number as usize];
            queue.lines[*at as usize] = lines;
            *at += 1;
        }
        queue.starts.copy_within(0..limit as usize, 1);
        queue.starts[0] = 0;
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
    let Some((&i, rest)) = rows.split_first() else {
        return found(cols, lines);
    };
    let free = board.all_cols() & !(cols | board.attacked(i, lines));
    for j in elements(free) {
        search(board, rest, cols | 1 << j, lines | board.lines(i, j), found);
    }
}
