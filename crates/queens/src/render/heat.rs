//! Where queens stand on average, as a heat map in SVG.
//!
//! A [`Heat`] adds up the queens of many solutions. Since every image of a random solution is
//! as likely as the solution, all eight images are added, which makes the picture as smooth as
//! eight times as many solutions. Boards with more than 64 rows are drawn in coarser cells, which
//! lie as symmetrically as the squares.
//!
//! The colour of a cell is its density in percent of the mean, 100 being a queen in every
//! `n`th square: pale where queens are rare, dark where they crowd. The scale at the right
//! has three values. Lightness alone tells the order, for those who see no colours and for
//! print. Like the boards, the picture needs no font.
//!
//! For large `n` the picture has a limit, the *queenon* of M. Simkin, The number of n-queens
//! configurations, Advances in Mathematics 427 (2023): queens avoid the middle and the corners,
//! and are most frequent at the middles of the four sides.

use std::fmt::Write;

use super::{digits, num};

/// The most cells along a side.
const MOST_CELLS: usize = 64;

/// How many colours there are.
const SHADES: usize = 48;

/// The colours between which the others lie, from few queens to many.
const STOPS: [[f64; 3]; 4] = [
    [253.0, 247.0, 228.0],
    [240.0, 178.0, 60.0],
    [200.0, 80.0, 20.0],
    [74.0, 16.0, 24.0],
];

/// The queens of many solutions of one board.
///
/// ```
/// use queens::render::heat::Heat;
///
/// let mut heat = Heat::new(4);
/// heat.add(&[1, 3, 0, 2]);
/// // Two images, each four times, fill the squares next to the corners.
/// assert_eq!(heat.density(0, 0), 0.0);
/// assert_eq!(heat.density(0, 1), 2.0);
/// assert_eq!(heat.range(), (0.0, 2.0));
/// assert!(heat.svg(600).starts_with("<svg "));
/// ```
#[derive(Clone, Debug)]
pub struct Heat {
    n: usize,
    solutions: u64,
    /// How many rows of the board each row of cells covers; the same for columns.
    heights: Vec<usize>,
    /// Queens in each cell, row by row.
    queens: Vec<u64>,
}

/// How many cells a side has: as many as rows, a divisor of them, or an odd number, so that
/// cells lie symmetrically.
fn cells_of(n: usize) -> usize {
    match n {
        ..=MOST_CELLS => n,
        _ => (MOST_CELLS / 2..=MOST_CELLS)
            .rev()
            .find(|&cells| n.is_multiple_of(cells))
            .unwrap_or(51),
    }
}

/// The cell of a row: that of its middle.
fn cell(row: usize, n: usize, cells: usize) -> usize {
    (2 * row + 1) * cells / (2 * n)
}

impl Heat {
    /// An empty board.
    pub fn new(n: usize) -> Heat {
        let cells = cells_of(n);
        let mut heights = vec![0; cells];
        for row in 0..n {
            heights[cell(row, n, cells)] += 1;
        }
        Heat {
            n,
            solutions: 0,
            heights,
            queens: vec![0; cells * cells],
        }
    }

    /// How many cells there are along a side.
    pub fn cells(&self) -> usize {
        self.heights.len()
    }

    /// How many solutions were added.
    pub fn solutions(&self) -> u64 {
        self.solutions
    }

    /// Adds the eight images of a placement, given as the column of each row's queen. What is
    /// off the board is left out.
    pub fn add(&mut self, cols: &[usize]) {
        let (n, cells) = (self.n, self.cells());
        let inside = |&(row, &col): &(usize, &usize)| row < n && col < n;
        for (row, &col) in cols.iter().enumerate().filter(inside) {
            let (row, col) = (cell(row, n, cells), cell(col, n, cells));
            let (other_row, other_col) = (cells - 1 - row, cells - 1 - col);
            for (row, col) in [
                (row, col),
                (row, other_col),
                (other_row, col),
                (other_row, other_col),
            ] {
                for (row, col) in [(row, col), (col, row)] {
                    self.queens[row * cells + col] += 1;
                }
            }
        }
        self.solutions += 1;
    }

    /// Adds what another map of the same board has.
    pub fn merge(&mut self, other: &Heat) {
        if self.n == other.n {
            for (queens, more) in self.queens.iter_mut().zip(&other.queens) {
                *queens += more;
            }
            self.solutions += other.solutions;
        }
    }

    /// The density of a cell: 1 is the mean of the whole board. 0 before anything was added,
    /// and off the board.
    pub fn density(&self, row: usize, col: usize) -> f64 {
        let (n, cells) = (self.n, self.cells());
        if self.solutions == 0 || row >= cells || col >= cells {
            return 0.0;
        }
        let squares = (self.heights[row] * self.heights[col]) as f64;
        let queens = self.queens[row * cells + col] as f64;
        queens / (8 * self.solutions) as f64 * n as f64 / squares
    }

    /// The least and the greatest density of all cells; 0 and 0 where there are none.
    pub fn range(&self) -> (f64, f64) {
        let cells = 0..self.cells();
        let rows = cells.clone();
        let all = rows.flat_map(|row| cells.clone().map(move |col| self.density(row, col)));
        all.fold(None, |range: Option<(f64, f64)>, density| {
            let (low, high) = range.unwrap_or((density, density));
            Some((low.min(density), high.max(density)))
        })
        .unwrap_or_default()
    }

    /// The picture, `size` pixels high and a little wider.
    pub fn svg(&self, size: u32) -> String {
        let cells = self.cells();
        let at = |k: usize| (k / cells, k % cells);
        let densities: Vec<f64> = (0..cells * cells)
            .map(|k| self.density(at(k).0, at(k).1))
            .collect();
        let (low, high) = self.range();
        let (size, margin) = (f64::from(size), (f64::from(size) * 0.03).max(4.0));
        let side = size - 2.0 * margin;
        let (bar, figure) = (side * 0.045, side * 0.028);
        let bar_left = margin + side + bar;
        let width = bar_left + bar + figure * (3.0 * digits::ADVANCE + 1.2) + margin;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" \
             height=\"{1}\">\n<title>Where queens stand in {2} random solutions for n = {3}: \
             {4:.0} to {5:.0} percent of the mean density</title>\n\
             <rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            num(width),
            num(size),
            self.solutions,
            self.n,
            100.0 * low,
            100.0 * high
        );
        self.draw_cells(&densities, (low, high), margin, side, &mut out);
        let frame = |left: f64, wide: f64| {
            format!(
                "<rect x=\"{}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" fill=\"none\" \
                 stroke=\"#3c444d\"/>\n",
                num(left),
                num(margin),
                num(wide),
                num(side)
            )
        };
        for shade in 0..SHADES {
            let step = side / SHADES as f64;
            let top = margin + side - (shade + 1) as f64 * step;
            let fill = colour(shade);
            let (left, top) = (num(bar_left), num(top));
            // Half a pixel more closes the seams.
            let (wide, high) = (num(bar), num(step + 0.5));
            writeln!(
                out,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" fill=\"{fill}\"/>"
            )
            .expect("writing to a string");
        }
        out.push_str(&frame(bar_left, bar));
        out.push_str(&frame(margin, side));
        for share in [0.0, 0.5, 1.0] {
            let percent = (100.0 * (low + share * (high - low))).round() as usize;
            let wide = figure * (percent.to_string().len() as f64 * digits::ADVANCE);
            let x = bar_left + bar + figure * 0.6 + wide / 2.0;
            let y = margin + side - share * (side - figure) - figure / 2.0;
            label(percent, x, y, figure, &mut out);
        }
        out.push_str("</svg>\n");
        out
    }

    /// The cells: one path for each shade.
    fn draw_cells(
        &self,
        densities: &[f64],
        (low, high): (f64, f64),
        margin: f64,
        side: f64,
        out: &mut String,
    ) {
        let cells = self.cells();
        let range = if high > low { high - low } else { 1.0 };
        let shade_of = |density: f64| {
            let share = (density - low) / range;
            ((share * SHADES as f64) as usize).min(SHADES - 1)
        };
        writeln!(
            out,
            "<g transform=\"translate({0} {0}) scale({1})\" shape-rendering=\"crispEdges\">",
            num(margin),
            side / cells.max(1) as f64
        )
        .expect("writing to a string");
        for shade in 0..SHADES {
            let mut path = String::new();
            for (k, &density) in densities.iter().enumerate() {
                if shade_of(density) == shade {
                    write!(path, "M{} {}h1v1h-1z", k % cells, k / cells)
                        .expect("writing to a string");
                }
            }
            if !path.is_empty() {
                writeln!(out, "<path fill=\"{}\" d=\"{path}\"/>", colour(shade))
                    .expect("writing to a string");
            }
        }
        out.push_str("</g>\n");
    }
}

/// A number centred on `(x, y)`.
fn label(number: usize, x: f64, y: f64, height: f64, out: &mut String) {
    let mut path = String::new();
    for line in digits::strokes(number, x, y, height) {
        for (k, (x, y)) in line.into_iter().enumerate() {
            let step = if k == 0 { 'M' } else { 'L' };
            write!(path, "{step}{} {}", num(x), num(y)).expect("writing to a string");
        }
    }
    writeln!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"#3c444d\" stroke-width=\"{}\" \
         stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
        num(height * 0.12)
    )
    .expect("writing to a string");
}

/// A shade as `#rrggbb`.
fn colour(shade: usize) -> String {
    let at = shade as f64 / (SHADES - 1) as f64 * (STOPS.len() - 1) as f64;
    let stop = (at as usize).min(STOPS.len() - 2);
    let share = at - stop as f64;
    let part = |k: usize| {
        let (from, to) = (STOPS[stop][k], STOPS[stop + 1][k]);
        (from + share * (to - from)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", part(0), part(1), part(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_average_to_one_whatever_the_cells() {
        for n in [1, 5, 63, 64, 65, 66, 97, 100, 1000] {
            let mut heat = Heat::new(n);
            let cols: Vec<usize> = (0..n).map(|row| row * 7 % n).collect();
            heat.add(&cols);
            let cells = heat.cells();
            let rows = &heat.heights;
            assert!(rows.iter().eq(rows.iter().rev()), "n = {n}");
            assert_eq!(rows.iter().sum::<usize>(), n);
            let mut sum = 0.0;
            for row in 0..cells {
                for col in 0..cells {
                    sum += heat.density(row, col) * (rows[row] * rows[col]) as f64;
                }
            }
            assert!((sum / (n * n) as f64 - 1.0).abs() < 1e-9, "n = {n}");
        }
    }

    #[test]
    fn the_map_has_all_eight_symmetries() {
        let mut heat = Heat::new(5);
        heat.add(&[0, 2, 4, 1, 3]);
        for row in 0..5 {
            for col in 0..5 {
                assert_eq!(heat.density(row, col), heat.density(col, row));
                assert_eq!(heat.density(row, col), heat.density(4 - row, col));
            }
        }
    }

    #[test]
    fn two_maps_make_one() {
        let (mut one, mut other, mut both) = (Heat::new(4), Heat::new(4), Heat::new(4));
        one.add(&[1, 3, 0, 2]);
        other.add(&[2, 0, 3, 1]);
        both.add(&[1, 3, 0, 2]);
        both.add(&[2, 0, 3, 1]);
        one.merge(&other);
        assert_eq!((one.solutions(), &one.queens), (2, &both.queens));
    }

    #[test]
    fn colours_grow_darker() {
        let lightness = |shade| {
            let text = colour(shade);
            let part = |k: usize| f64::from(u8::from_str_radix(&text[k..k + 2], 16).unwrap());
            0.30 * part(1) + 0.59 * part(3) + 0.11 * part(5)
        };
        assert!((1..SHADES).all(|shade| lightness(shade) < lightness(shade - 1)));
    }

    #[test]
    fn an_empty_map_can_be_drawn() {
        assert!(Heat::new(0).svg(300).ends_with("</svg>\n"));
        assert!(Heat::new(9).svg(300).ends_with("</svg>\n"));
    }
}
