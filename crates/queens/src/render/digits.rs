//! Figures drawn as strokes, for the numbers along the edge of a board.
//!
//! A picture with text in it needs a font, and a font is not the same everywhere: the PNG
//! would need one shipped with the program, the SVG would look different on every
//! machine. Ten figures made of straight strokes avoid both. Each figure is a list of
//! polylines in a box 0.6 wide and 1 high, origin at the top left.

/// One figure: polylines of points.
type Figure = &'static [&'static [(f64, f64)]];

/// The width of a figure's box; its height is 1.
pub const WIDTH: f64 = 0.6;

/// The distance from one figure to the next.
pub const ADVANCE: f64 = 0.85;

const FIGURES: [Figure; 10] = [
    &[&[
        (0.2, 0.0),
        (0.4, 0.0),
        (0.6, 0.2),
        (0.6, 0.8),
        (0.4, 1.0),
        (0.2, 1.0),
        (0.0, 0.8),
        (0.0, 0.2),
        (0.2, 0.0),
    ]],
    &[&[(0.1, 0.2), (0.35, 0.0), (0.35, 1.0)]],
    &[&[
        (0.0, 0.2),
        (0.15, 0.0),
        (0.45, 0.0),
        (0.6, 0.2),
        (0.6, 0.4),
        (0.0, 1.0),
        (0.6, 1.0),
    ]],
    &[&[
        (0.0, 0.0),
        (0.6, 0.0),
        (0.3, 0.4),
        (0.6, 0.65),
        (0.6, 0.8),
        (0.4, 1.0),
        (0.15, 1.0),
        (0.0, 0.85),
    ]],
    &[&[(0.45, 1.0), (0.45, 0.0), (0.0, 0.7), (0.6, 0.7)]],
    &[&[
        (0.55, 0.0),
        (0.05, 0.0),
        (0.05, 0.45),
        (0.4, 0.45),
        (0.6, 0.6),
        (0.6, 0.8),
        (0.4, 1.0),
        (0.0, 1.0),
    ]],
    &[&[
        (0.5, 0.0),
        (0.2, 0.1),
        (0.0, 0.5),
        (0.0, 0.8),
        (0.2, 1.0),
        (0.4, 1.0),
        (0.6, 0.8),
        (0.6, 0.65),
        (0.4, 0.45),
        (0.2, 0.45),
        (0.0, 0.65),
    ]],
    &[&[(0.0, 0.0), (0.6, 0.0), (0.2, 1.0)]],
    &[&[
        (0.15, 0.45),
        (0.0, 0.3),
        (0.0, 0.15),
        (0.15, 0.0),
        (0.45, 0.0),
        (0.6, 0.15),
        (0.6, 0.3),
        (0.45, 0.45),
        (0.15, 0.45),
        (0.0, 0.6),
        (0.0, 0.85),
        (0.15, 1.0),
        (0.45, 1.0),
        (0.6, 0.85),
        (0.6, 0.6),
        (0.45, 0.45),
    ]],
    &[&[
        (0.1, 1.0),
        (0.4, 0.9),
        (0.6, 0.5),
        (0.6, 0.2),
        (0.4, 0.0),
        (0.2, 0.0),
        (0.0, 0.2),
        (0.0, 0.35),
        (0.2, 0.55),
        (0.4, 0.55),
        (0.6, 0.35),
    ]],
];

/// The strokes of a number centred on `(x, y)`, `height` high.
pub fn strokes(number: usize, x: f64, y: f64, height: f64) -> Vec<Vec<(f64, f64)>> {
    let text = number.to_string();
    let width = (text.len() as f64 - 1.0) * ADVANCE + WIDTH;
    let (left, top) = (x - width * height / 2.0, y - height / 2.0);
    let mut out = Vec::new();
    for (place, digit) in text.bytes().enumerate() {
        let shift = left + place as f64 * ADVANCE * height;
        for line in FIGURES[usize::from(digit - b'0')] {
            out.push(
                line.iter()
                    .map(|&(dx, dy)| (shift + dx * height, top + dy * height))
                    .collect(),
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_centred_on_its_point() {
        let strokes = strokes(7, 0.0, 0.0, 10.0);
        assert_eq!(strokes.len(), 1);
        assert_eq!(strokes[0].first(), Some(&(-3.0, -5.0)));
    }
}
