//! `unicode`: the picture of `board` with chess signs.
//!
//! ```text
//! · ♛ · ·
//! · · · ♛
//! ♛ · · ·
//! · · ♛ ·
//! ```
//!
//! The black queen `♛` (U+265B) is used because it is the one that shows as a solid shape
//! on light and dark terminals alike; empty squares are middle dots (U+00B7). The reader
//! also takes `♕`, and `□` and `■` for empty squares.

use super::board;
use crate::placement::Square;

pub(super) fn write<E>(
    n: usize,
    queens: impl Iterator<Item = Square>,
    out: &mut Vec<u8>,
    after_row: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    board::draw(n, queens, "♛", "·", out, after_row)
}
