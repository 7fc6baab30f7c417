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

pub(super) fn write(n: usize, queens: impl Iterator<Item = Square>, out: &mut Vec<u8>) {
    board::draw(n, queens, "♛", "·", out);
}
