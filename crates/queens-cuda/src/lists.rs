//! What the library prepares for a device.
//!
//! The library's list builder makes a unit's lists. Each row set has one *walk*, its placements on
//! the small board with even columns, and one *scan*, its placements on the small board with odd
//! columns, sorted by the index of their odd columns.

pub use queens::count::two_colour::device_lists::{
    DeviceScan, DeviceWalk, ListBuilder, ListCache, MOST_STEM_ROWS, NO_INDEX, Parity, REVERSED,
    RowPair, RowSetBlock, RowSetLists, STEM_MULTIPLE, Stem, UnitLists, Upload, Uploaded,
    WordFormat, blocks, diagonals, packed_bits, row_sets, walked_queens,
};
pub use queens::count::two_colour::sweep::{Block, Core, Levels, MOST_OPEN, Sweep, SweptColour};
