//! One row of the search with bit vectors, worked out as in the question on n-queens in MIPS.
//!
//! The names are those of the question's program; the recitation's stand beside them. Vectors are
//! written in binary, column 0 last.

use crate::board::bitmask::RowBits;
use crate::json::Object;
use crate::search::trace::panel::binary;

/// A row worked out.
struct Worked {
    /// A 1 for every column.
    done: u32,
    attacked: u32,
    poss: u32,
    /// The square that is taken, and the vectors of the next row; none at a solution and at a
    /// dead end.
    taken: Option<(u32, RowBits)>,
}

impl Worked {
    fn new(n: usize, row: RowBits, place: Option<u32>) -> Worked {
        assert!((1..=32).contains(&n), "a row has 1 to 32 squares");
        let done = u32::MAX >> (32 - n);
        let poss = row.possible(done);
        let bit = place.unwrap_or(poss & poss.wrapping_neg());
        let goes_on = row.down != done && bit != 0;
        Worked {
            done,
            attacked: row.left | row.down | row.right,
            poss,
            taken: goes_on.then(|| (bit, row.below(bit, done))),
        }
    }
}

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
    let Worked {
        done,
        attacked,
        poss,
        taken,
    } = Worked::new(n, row, place);
    let show = |vector| binary(vector, n);
    let line = |name: &str, vector, words: &str| format!("{name:<9} {}  {words}\n", show(vector));
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
    let Some((bit, next)) = taken else {
        return out + "poss is 0: a dead end\n";
    };
    let words = if place.is_some() {
        "the place asked for"
    } else {
        "poss & -poss, the lowest 1"
    };
    out += &line("bit", bit, words);
    out += &line("poss", poss & !bit, "poss - bit, what is left to try");
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

/// The same as an object. `end` is `"solution"` or `"dead end"` where there is no next row, and
/// `bit` and `next` are null there.
///
/// ```
/// use queens::board::bitmask::RowBits;
/// use queens::render::bits;
///
/// let row = RowBits { right: 0b0001, down: 0b1001, left: 0b0101 };
/// let text = bits::json(4, row, None).end();
/// assert!(text.contains(r#""attacked":"1101","poss":"0010","bit":"0010""#));
/// ```
///
/// # Panics
///
/// When `n` is 0 or above 32.
pub fn json(n: usize, row: RowBits, place: Option<u32>) -> Object {
    let worked = Worked::new(n, row, place);
    let show = |vector| binary(vector, n);
    let vectors = |object: Object, row: RowBits| {
        object
            .set("leftDia", show(row.right))
            .set("col", show(row.down))
            .set("rightDia", show(row.left))
    };
    let end = match worked.taken {
        Some(_) => None,
        None if row.down == worked.done => Some("solution"),
        None => Some("dead end"),
    };
    let object = Object::new().set("n", n).set("done", show(worked.done));
    vectors(object, row)
        .set("attacked", show(worked.attacked))
        .set("poss", show(worked.poss))
        .set("bit", worked.taken.map(|(bit, _)| show(bit)))
        .set(
            "next",
            worked.taken.map(|(_, next)| vectors(Object::new(), next)),
        )
        .set("end", end)
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
        for (row, end) in [(full, "solution"), (dead, "dead end")] {
            let text = json(3, row, None).end();
            let tail = format!(r#""bit":null,"next":null,"end":"{end}"}}"#);
            assert!(text.ends_with(&tail), "{text}");
        }
        assert!(row(32, RowBits::default(), None).contains("2^32 - 1"));
    }
}
