//! One row of the search with bit vectors, worked out as in the question on n-queens in MIPS.
//!
//! The names are those of the question's program; the recitation's stand beside them. Vectors are
//! written in binary, column 0 last.

use crate::board::bitmask::RowBits;
use crate::search::trace::panel::binary;

/// The free squares of a row and the vectors of the next one, step by step.
///
/// `place` is the square to take; without it the lowest free one is taken, as the program does.
///
/// ```
/// use queens::board::bitmask::RowBits;
/// use queens::render::bits;
///
/// // "leftDia = 0001, rightDia = 0101, col = 1001 ... we'll get 1101 ... 0010"
/// let row = RowBits { right: 0b0001, down: 0b1001, left: 0b0101 };
/// let text = bits::row(4, row, None);
/// assert!(text.contains("attacked  1101"));
/// assert!(text.contains("poss      0010"));
/// ```
///
/// # Panics
///
/// When `n` is 0 or above 32.
pub fn row(n: usize, row: RowBits, place: Option<u32>) -> String {
    assert!((1..=32).contains(&n), "a row has 1 to 32 squares");
    let done = u32::MAX >> (32 - n);
    let show = |vector| binary(vector, n);
    let line = |name: &str, vector, words: &str| format!("{name:<9} {}  {words}\n", show(vector));
    let attacked = row.left | row.down | row.right;
    let poss = row.possible(done);
    let mut out = String::new();
    out += &line("done", done, &format!("2^{n} - 1, a 1 for every column"));
    out += &line("leftDia", row.right, "right in the recitation");
    out += &line("col", row.down, "down");
    out += &line("rightDia", row.left, "left");
    if row.down == done {
        return out + "col is done: every column has its queen, a solution\n";
    }
    out += &line("attacked", attacked, "leftDia | col | rightDia");
    out += &line("poss", poss, "~attacked & done");
    let bit = place.unwrap_or(poss & poss.wrapping_neg());
    if bit == 0 {
        return out + "poss is 0: a dead end\n";
    }
    let words = if place.is_some() {
        "the place asked for"
    } else {
        "poss & -poss, the lowest 1"
    };
    out += &line("bit", bit, words);
    out += &line("poss", poss & !bit, "poss - bit, what is left to try");
    let next = row.below(bit, done);
    let (right, down, left, bit) = (show(row.right), show(row.down), show(row.left), show(bit));
    out += "the next row:\n";
    out += &line("leftDia", next.right, &format!("({right} | {bit}) >> 1"));
    out += &line("col", next.down, &format!("{down} | {bit}"));
    out += &line(
        "rightDia",
        next.left,
        &format!("(({left} | {bit}) << 1) & done"),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_question_come_out() {
        // "if rightDia is 0001 and bit is 0100, (rd|bit) results in 0101 ... is 1010"
        let row = RowBits {
            left: 0b0001,
            ..RowBits::default()
        };
        let text = super::row(4, row, Some(0b0100));
        assert!(
            text.contains("rightDia  1010  ((0001 | 0100) << 1) & done"),
            "{text}"
        );
        // "when N=5, done will equal 11111"
        assert!(super::row(5, RowBits::default(), None).starts_with("done      11111  2^5 - 1"));
    }

    #[test]
    fn a_full_row_and_a_dead_end_are_named() {
        let full = RowBits {
            down: 0b111,
            ..RowBits::default()
        };
        assert!(row(3, full, None).ends_with("a solution\n"));
        let dead = RowBits {
            left: 0b110,
            down: 0b001,
            ..RowBits::default()
        };
        assert!(row(3, dead, None).ends_with("a dead end\n"));
        assert!(row(32, RowBits::default(), None).contains("2^32 - 1"));
    }
}
