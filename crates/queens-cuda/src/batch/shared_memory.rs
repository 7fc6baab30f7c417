//! How many bytes of shared memory a block of threads needs, and for what.
//!
//! ```text
//! | Fixed | table of words | tile | for scanning or for unfolding |
//! ```
//!
//! `kernel/memory.cu` draws the same from the other side.

use crate::interface::{
    Fixed, Items, LANES, LastRows, MASK_WORDS, MOST_LEFT, MOST_LISTS, MOST_PAIRS, MOST_ROWS,
    PLANE_STEP, Shift, WarpMemory,
};

/// The size of a tile's cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cell {
    /// 16 bits, which is faster.
    #[default]
    Narrow,
    /// 32 bits.
    Wide,
}

impl Cell {
    fn bytes(self) -> u32 {
        match self {
            Cell::Narrow => 2,
            Cell::Wide => 4,
        }
    }
}

/// Bytes before the table of words.
pub(crate) const FIXED_BYTES: u32 = size_of::<Fixed>() as u32;

/// A job has fewer odd indices if their lists together would be longer than this.
pub(crate) const LONG_LIST: u32 = 8192;

/// Entries of the table for lists with this many placements in all: one for each word of 32
/// placements, one more for each list, and those of the last round.
pub(crate) fn table_room(scanned: u32) -> u32 {
    (scanned / 32 + MOST_LISTS + 64).next_multiple_of(8)
}

/// Bytes of a table with this many entries.
pub(crate) fn table_bytes(room: u32) -> u32 {
    2 * room
}

/// Bytes of a tile with this many even indices, a row that stays 0, and a row that nobody gathers
/// from.
pub(crate) fn tile_bytes(even_count: u32, width: u32, cell: Cell) -> u32 {
    ((even_count + 2) * width * cell.bytes()).next_multiple_of(16)
}

/// Bytes for scanning with the survivor masks of this many squares and pairs of squares. The masks
/// of pairs later replace the planes of lines.
pub(crate) fn scan_bytes(square_masks: u32, pair_masks: u32, diagonals: u32) -> u32 {
    let mask = 4 * MASK_WORDS;
    let planes = 2 * diagonals * 4 * PLANE_STEP;
    match square_masks {
        0 => 0,
        _ => mask * square_masks + planes.max(mask * pair_masks),
    }
}

/// Bytes that the threads of a block need to unfold on a board with this many rows and columns.
pub(crate) fn unfold_bytes(threads: u32, rows: u32, cols: u32, first_queens: u32) -> u32 {
    let bytes = |size: usize| size as u32;
    let last_rows = MOST_PAIRS * bytes(size_of::<LastRows>());
    // For each row its shifts, and for each first queen the length and the end of its list.
    let rows_of = MOST_ROWS * bytes(size_of::<Shift>() + 2 * size_of::<u32>());
    // Two bytes for each set of columns.
    let row_table = 8 * (1u32 << cols).div_ceil(4);
    let levels = (rows - first_queens).clamp(3, MOST_LEFT) - 2;
    let warp = bytes(size_of::<WarpMemory>()) + (levels - 1) * bytes(size_of::<Items>());
    last_rows + rows_of + row_table + threads / LANES * warp
}
