//! The one search of a small board: a queen in each of some rows.
//!
//! It is the search of the `bitmask` engine on a board of half the size: two shifts tell in
//! which columns the lines of the queens so far cross a row. A [`Visitor`] decides what becomes
//! of the placements: the scanned side sorts them ([`super::scan_list`]), the walked side keeps
//! the beginnings that they share ([`super::walk_tree`]), a GPU gets a word for each
//! ([`super::device_lists`]). The caller chooses the order of the rows; a *level* is a place in
//! that order.
//!
//! ```text
//!   rows 2 0 of a board of 3 columns      enter(0, 0)  enter(1, 1)  placement   . Q .
//!                                         leave(1)                              . . .
//!                                         enter(0, 1)  ...                      Q . .
//! ```
//!
//! A [`Side`] names the board and the rows, and says how the columns of a placement become an
//! index.

use super::sets::{Lines, Set};
use super::split::SmallBoard;

/// One side of a colour for given rows: a small board, and what its placements count as.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    /// The board.
    pub board: SmallBoard,
    /// The rows that hold a queen each.
    pub rows: Set,
    /// Exclusive or with this set turns the columns of a placement into the columns of white
    /// queens: all columns for black, which stands where white does not, and none for white.
    pub complement: Set,
    /// From a set of columns of white queens to its index.
    pub index_of: &'a [u16],
    /// Only placements with an index below this are wanted.
    pub limit: u32,
    /// For each row of the board, the columns on which a queen may stand; `None` for all.
    pub allowed: Option<&'a [Set]>,
}

impl Side<'_> {
    /// The index of a placement's columns; it may be at the limit or above.
    #[inline(always)]
    pub fn index(&self, cols: Set) -> u16 {
        self.index_of[(cols ^ self.complement).place()]
    }

    /// Visits all placements of one queen in each of `rows`: the side's rows, in any order.
    pub fn search(&self, rows: &[u32], visitor: &mut impl Visitor) {
        match self.allowed {
            None => search(self.board, rows, visitor),
            Some(allowed) => search(self.board, rows, &mut Within { allowed, visitor }),
        }
    }
}

/// What to do with the placements that a search finds.
pub(crate) trait Visitor {
    /// Which of the free columns of row `i` to try.
    #[inline(always)]
    fn among(&self, i: u32, free: Set) -> Set {
        let _ = i;
        free
    }

    /// The row at `level` gets a queen in column `j`; the placements with it follow.
    #[inline(always)]
    fn enter(&mut self, level: usize, j: u32) {
        let _ = (level, j);
    }

    /// Every placement that shares the queens of the first `level` rows was visited.
    #[inline(always)]
    fn leave(&mut self, level: usize) {
        let _ = level;
    }

    /// A placement, with a queen in every row.
    fn placement(&mut self, cols: Set, lines: Lines);
}

/// A visitor that wants the columns and the lines of placements, and nothing else.
pub(crate) struct Each<F>(pub F);

impl<F: FnMut(Set, Lines)> Visitor for Each<F> {
    #[inline(always)]
    fn placement(&mut self, cols: Set, lines: Lines) {
        (self.0)(cols, lines);
    }
}

/// Shows its visitor only placements on allowed squares.
struct Within<'a, V> {
    allowed: &'a [Set],
    visitor: &'a mut V,
}

impl<V: Visitor> Visitor for Within<'_, V> {
    #[inline(always)]
    fn among(&self, i: u32, free: Set) -> Set {
        free & self.allowed[i as usize]
    }

    #[inline(always)]
    fn enter(&mut self, level: usize, j: u32) {
        self.visitor.enter(level, j);
    }

    #[inline(always)]
    fn leave(&mut self, level: usize) {
        self.visitor.leave(level);
    }

    #[inline(always)]
    fn placement(&mut self, cols: Set, lines: Lines) {
        self.visitor.placement(cols, lines);
    }
}

/// Visits all placements of one queen in each of `rows`, in the order of their columns.
pub(crate) fn search(board: SmallBoard, rows: &[u32], visitor: &mut impl Visitor) {
    descend(board, rows, 0, Set::EMPTY, Lines::NONE, visitor);
}

/// The same for the rows from `level` on, with queens in these columns and lines already placed.
fn descend(
    board: SmallBoard,
    rows: &[u32],
    level: usize,
    cols: Set,
    lines: Lines,
    visitor: &mut impl Visitor,
) {
    match rows[level..] {
        [] => visitor.placement(cols, lines),
        [i] => {
            for j in visitor.among(i, board.free(i, cols, lines)) {
                visitor.enter(level, j);
                visitor.placement(cols.with(j), lines | board.lines(i, j));
            }
        }
        // Most of the time is spent in the last two rows.
        [i, last] => {
            for j in visitor.among(i, board.free(i, cols, lines)) {
                visitor.enter(level, j);
                let (cols, lines) = (cols.with(j), lines | board.lines(i, j));
                for j in visitor.among(last, board.free(last, cols, lines)) {
                    visitor.enter(level + 1, j);
                    visitor.placement(cols.with(j), lines | board.lines(last, j));
                }
                visitor.leave(level + 1);
            }
        }
        [i, ..] => {
            for j in visitor.among(i, board.free(i, cols, lines)) {
                visitor.enter(level, j);
                let (cols, lines) = (cols.with(j), lines | board.lines(i, j));
                descend(board, rows, level + 1, cols, lines, visitor);
            }
        }
    }
    visitor.leave(level);
}

#[cfg(test)]
mod tests {
    use super::super::split::Split;
    use super::*;

    /// Against all assignments of columns to rows, on every board and for rows in any order.
    #[test]
    fn a_search_finds_every_placement_once() {
        fn by_definition(board: SmallBoard, rows: &[u32]) -> Vec<(Set, u64)> {
            let Some((&i, rest)) = rows.split_first() else {
                return vec![(Set::EMPTY, 0)];
            };
            let mut found = Vec::new();
            for (cols, lines) in by_definition(board, rest) {
                for j in (0..board.cols).filter(|&j| !cols.contains(j)) {
                    let square = board.lines(i, j);
                    if !square.meet(Lines(lines)) {
                        found.push((cols.with(j), lines | square.0));
                    }
                }
            }
            found
        }
        for n in 1..=11 {
            let split = Split::new(n);
            for (board, height) in [
                (split.even_even(), split.even),
                (split.odd_odd(), split.odd),
                (split.even_odd(), split.even),
                (split.odd_even(), split.odd),
            ] {
                for rows in (0..1 << height).map(Set) {
                    let mut rows: Vec<u32> = rows.into_iter().collect();
                    let mut expected = by_definition(board, &rows);
                    expected.sort_unstable();
                    for _ in 0..2 {
                        let mut found = Vec::new();
                        let mut each = Each(|cols, lines: Lines| found.push((cols, lines.0)));
                        search(board, &rows, &mut each);
                        found.sort_unstable();
                        assert_eq!(found, expected, "n={n} rows={rows:?}");
                        rows.reverse();
                    }
                }
            }
        }
    }
}
