//! What the library prepares for a device, under the words of this crate.
//!
//! A unit's lists come from the library's list builder. For each row set there is one *walk*, the
//! placements on the small board with even columns, and one *scan*, those on the small board with
//! odd columns, sorted by the index of their odd columns.

pub use queens::count::two_colour::flat::{
    Builder as ListBuilder, Cache as ListCache, Keep as Upload, Kept as Uploaded,
    Layout as WordFormat, Lists as UnitLists, NO_CE as NO_INDEX, Pair as RowPair,
    RowSet as RowSetLists, Sorted as DeviceScan, Stem, TOGETHER as STEM_MULTIPLE,
    TURNED as REVERSED, Tree as DeviceWalk, blocks, diagonals, packed_bits, row_sets,
};
