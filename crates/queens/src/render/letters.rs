//! Words drawn as strokes, for pictures that must not depend on a font.
//!
//! A PNG is made on machines that may have no font at all. So every printable ASCII sign is a few
//! polylines on a grid: `x` from 0 to 6 to the right, `y` from 0, the top of capitals, through 2,
//! the top of small letters, and 6, the line they stand on, to 8. A point is two digits, a polyline
//! is a word of points, and a sign is as wide as its points:
//!
//! ```text
//! 0 .   .       "00060 ..."
//! 2 .   x---x   n: 0206, the stem, and 0312324346, the arch
//! 3 x .       x
//! 6 x         x
//!   0 1 2 3 4
//! ```

use std::fmt::Write;

use super::num;

/// The height of a capital, as a share of the size that is asked for.
const CAPITAL: f64 = 0.7;

/// Between two signs, in steps of the grid.
const GAP: f64 = 1.7;

/// How far a blank moves on, in steps of the grid.
const BLANK: f64 = 3.2;

/// The polylines of a sign, as words of points; a frame for signs that are not drawn.
const fn sign(c: char) -> &'static str {
    match c {
        'a' => "1232434616051444",
        'b' => "00063645433202",
        'c' => "4332120305163645",
        'd' => "40461605031242",
        'e' => "04444332120305163645",
        'f' => "30201116 0232",
        'g' => "421203051646 4247381807",
        'h' => "0006 0312324346",
        'i' => "0206 0000",
        'j' => "121708 1010",
        'k' => "0006 320436",
        'l' => "0006",
        'm' => "0206 0312223336 3342526366",
        'n' => "0206 0312324346",
        'o' => "123243453616050312",
        'p' => "0208 023243453606",
        'q' => "4248 421203051646",
        'r' => "0206 042232",
        's' => "43321203143445361605",
        't' => "10152636 0232",
        'u' => "0205163645 4246",
        'v' => "022642",
        'w' => "0216335662",
        'x' => "0246 4206",
        'y' => "0226 42261808",
        'z' => "02420646",
        'A' => "062046 1434",
        'B' => "00063645443303 0030414233",
        'C' => "4130100105163645",
        'D' => "00062644422000",
        'E' => "40000646 0333",
        'F' => "400006 0333",
        'G' => "41301001051636454323",
        'H' => "0006 4046 0343",
        'I' => "0006",
        'J' => "3035261605",
        'K' => "0006 400346",
        'L' => "000646",
        'M' => "0600336066",
        'N' => "06004640",
        'O' => "103041453616050110",
        'P' => "06003041423303",
        'Q' => "103041453616050110 3446",
        'R' => "06003041423303 2346",
        'S' => "413010010213334445361605",
        'T' => "0040 2026",
        'U' => "000516364540",
        'V' => "002640",
        'W' => "0016325660",
        'X' => "0046 4006",
        'Y' => "002340 2326",
        'Z' => "00400646",
        '0' => "103041453616050110",
        '1' => "022026",
        '2' => "01103041420646",
        '3' => "004023334445361605",
        '4' => "36300444",
        '5' => "400003334445361605",
        '6' => "4130100105163645443303",
        '7' => "004016",
        '8' => "13020110304142331304051636454433",
        '9' => "0516364541301001021343",
        ' ' => "",
        '-' => "0434",
        '_' => "0646",
        '+' => "0444 2226",
        '=' => "0343 0545",
        '.' => "0606",
        ',' => "1607",
        ':' => "0303 0606",
        ';' => "1313 1607",
        '/' => "4006",
        '\\' => "0046",
        '|' => "0007",
        '(' => "20020426",
        ')' => "00222406",
        '[' => "20000626",
        ']' => "00202606",
        '<' => "420446",
        '>' => "024406",
        '\'' => "0001",
        '"' => "0001 2021",
        '!' => "0004 0606",
        '?' => "0110304142232424 2626",
        '%' => "4006 0101 4545",
        '#' => "1016 3036 0242 0444",
        '*' => "0145 4105 2026",
        '@' => "3432212234444130100105164646",
        '&' => "46021110213204061646",
        'µ' => "0208 05163645 4246",
        _ => "0040460600",
    }
}

/// A text as an SVG path, standing on the line `y = 0` from `x = 0`, and how wide it is.
pub(super) fn path(text: &str, size: f64) -> (String, f64) {
    let unit = size * CAPITAL / 6.0;
    let mut path = String::new();
    let mut left = 0.0;
    for c in text.chars() {
        let lines = sign(c);
        let mut widest = 0;
        for line in lines.split_whitespace() {
            for (k, point) in line.as_bytes().chunks_exact(2).enumerate() {
                let (x, y) = (point[0] - b'0', point[1] - b'0');
                widest = widest.max(x);
                let step = if k == 0 { 'M' } else { 'L' };
                let x = (left + f64::from(x)) * unit;
                let y = (f64::from(y) - 6.0) * unit;
                write!(path, "{step}{} {}", num(x), num(y)).expect("writing to a string");
            }
        }
        left += match c {
            ' ' => BLANK,
            _ => f64::from(widest) + GAP,
        };
    }
    let gap = if text.ends_with(' ') || text.is_empty() {
        0.0
    } else {
        GAP
    };
    (path, (left - gap) * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_sign_is_drawn_and_stays_in_its_box() {
        let frame = sign('\u{1}');
        let mut missing = Vec::new();
        for c in (' '..='~').chain(['µ']) {
            let lines = sign(c);
            if lines == frame {
                missing.push(c);
            }
            for line in lines.split_whitespace() {
                assert!(line.len() >= 4 && line.len() % 2 == 0, "{c}: {line}");
                for point in line.as_bytes().chunks_exact(2) {
                    assert!((b'0'..=b'6').contains(&point[0]), "{c}: {line}");
                    assert!((b'0'..=b'8').contains(&point[1]), "{c}: {line}");
                }
            }
        }
        assert_eq!(missing, ['$', '^', '`', '{', '}', '~']);
    }

    #[test]
    fn words_are_as_wide_as_their_signs_and_gaps() {
        let unit = CAPITAL / 6.0;
        assert_eq!(path("", 1.0), (String::new(), 0.0));
        let (l, two) = (path("l", 10.0), path("ll", 10.0));
        assert_eq!(l.1, 0.0);
        assert!((two.1 - 10.0 * GAP * unit).abs() < 1e-9);
        assert_eq!(l.0, "M0 -7L0 0");
    }
}
