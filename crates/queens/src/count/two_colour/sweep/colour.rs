//! One colour of a sweep: a board whose placements are listed, and a board that is swept.
//!
//! The sweep fixes the rows of the *listed* board, so its placements are a list for each set of
//! columns. On the *swept* board all row sets are wanted, and all column sets.
//!
//! ```text
//!             listed, even rows      swept, odd rows
//!   white     even_even              odd_odd
//!   black     even_odd               odd_even
//! ```
//!
//! The *table* of a listed set of columns has the colour's count for every row set and every column
//! set of the swept board. The [overview](super) says how a table is made.

use super::super::colour::{ColourBoards, RowSet};
use super::super::device_lists::NO_INDEX;
use super::super::placements::Side;
use super::super::scan_list::ScanList;
use super::super::sets::Set;
use super::super::split::SmallBoard;
use super::super::symmetry::Class;
use super::cover::{Core, Cover};
use super::levels::Levels;

/// At most this many listed placements decide in which order the rows of cores are filled.
const SAMPLED: usize = 1000;

/// What a device needs to make the tables of one colour.
#[derive(Clone, Debug)]
pub struct SweptColour {
    /// The lines of all listed placements, diagonals in the low half, anti-diagonals in the high
    /// one.
    pub lines: Vec<u64>,
    /// `lines[starts[i]..starts[i + 1]]` stand in the listed columns of index `i`.
    pub starts: Vec<u32>,
    /// How many columns the swept board has.
    pub cols: u32,
    /// Square `(i, j)` of the swept board is on diagonal `j + diag_offset - i`.
    pub diag_offset: u32,
    /// Square `(i, j)` of the swept board is on anti-diagonal `i + j + anti_offset`.
    pub anti_offset: u32,
    /// Cores that serve each odd row set once; they hold all queens of the swept board but two.
    pub cores: Vec<Core>,
    /// The columns that the queens of a core may take.
    pub levels: Levels,
    /// From a set of columns of the swept board to its index, or [`NO_INDEX`].
    pub index_of: Vec<u16>,
    /// How many indices the swept columns have.
    pub indices: u32,
}

/// How many column sets and odd row sets an even row set visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub even_cols: u32,
    pub odd_cols: u32,
    pub odd_rows: u32,
}

impl SweptColour {
    /// A colour for these even rows, with cores from a cover; or `None` where its swept board has fewer
    /// than two queens.
    pub(super) fn new(
        class: &Class,
        boards: &ColourBoards,
        even: Set,
        extent: Extent,
        cover: &Cover,
    ) -> Option<SweptColour> {
        let rows = RowSet {
            even,
            ..RowSet::default()
        };
        let white = boards.walks_even_rows();
        let (listed, swept, queens) = match white {
            true => (
                boards.walk_side(class, rows, extent.even_cols),
                boards.scan_side(class, rows, extent.odd_cols),
                boards.scan_queens(class),
            ),
            false => (
                boards.scan_side(class, rows, extent.odd_cols),
                boards.walk_side(class, rows, extent.even_cols),
                boards.walk_queens(class),
            ),
        };
        let depth = queens.checked_sub(2)?;
        let mut list = ScanList::default();
        list.build(&listed);
        let index_of = indices(&swept);
        let visited = |cols: Set| index_of[cols.place()] != NO_INDEX;
        let levels = Levels::new(swept.board.cols, depth, visited);
        let numbers = swept_rows(class, boards, extent.odd_rows);
        let mut cores = cover.cores(|rows| numbers[rows.place()]);
        // Rows with the fewest free squares come first: fewer partial placements on the way.
        let freedom = freedom(swept.board, class.split.odd, &list.lines);
        for core in &mut cores {
            core.rows.sort_by_key(|&row| freedom[usize::from(row)]);
        }
        // A row set that no core serves would never be counted.
        let served: usize = cores.iter().map(|core| core.targets.len()).sum();
        assert_eq!(
            served as u32, extent.odd_rows,
            "a cover serves every row set"
        );
        Some(SweptColour {
            cores,
            lines: list.lines,
            starts: list.starts,
            cols: swept.board.cols,
            diag_offset: swept.board.diag_offset,
            anti_offset: swept.board.anti_offset,
            levels,
            index_of,
            indices: swept.limit,
        })
    }
}

/// How many squares of each row of a board are free beside placements with these lines, summed over
/// a sample of the placements.
fn freedom(board: SmallBoard, rows: u32, lines: &[u64]) -> Vec<usize> {
    let step = lines.len().div_ceil(SAMPLED).max(1);
    let free = |row| {
        let squares: Vec<u64> = (0..board.cols).map(|col| board.lines(row, col).0).collect();
        let sampled = lines.iter().step_by(step);
        let free = |lines: &u64| squares.iter().filter(|&square| lines & square == 0).count();
        sampled.map(free).sum()
    };
    (0..rows).map(free).collect()
}

/// From the rows of the swept board that hold a queen to the number of their odd row set, if it is
/// one of the first `odd_rows`.
pub(super) fn swept_rows(class: &Class, boards: &ColourBoards, odd_rows: u32) -> Vec<Option<u16>> {
    let height = class.split.odd;
    let mut numbers = vec![None; 1 << height];
    for (odd_rows, number) in class.odd_rows[..odd_rows as usize].iter().zip(0u16..) {
        let held = match boards.walks_even_rows() {
            true => odd_rows.set,
            false => odd_rows.set.complement(height),
        };
        numbers[held.place()] = Some(number);
    }
    numbers
}

/// From the columns of a placement on a side's board to their index, or [`NO_INDEX`] if that is not
/// visited.
fn indices(side: &Side) -> Vec<u16> {
    let index = |word| side.index(Set(word));
    let visited = |index: &u16| u32::from(*index) < side.limit;
    (0..1 << side.board.cols)
        .map(|word| Some(index(word)).filter(visited).unwrap_or(NO_INDEX))
        .collect()
}
