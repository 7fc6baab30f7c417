//! The eight symmetries of the board, and the fundamental solutions.
//!
//! Rotating or reflecting a solution gives a solution again. The eight images of one
//! solution form its class; the fundamental solutions are one per class, and here the
//! lexicographically smallest image stands for all:
//!
//! ```text
//! . Q . .     . . Q .     the two solutions for n = 4 are reflections of
//! . . . Q     Q . . .     each other and make up one class of size 2
//! Q . . .     . . . Q
//! . . Q .     . Q . .
//! ```
//!
//! A class has 8 members divided by the number of symmetries that leave its members
//! unchanged: 8 in general, 4 for solutions unchanged by a half turn, 2 for those
//! unchanged by a quarter turn, and 1 for the single square. No solution for n > 1 is its
//! own reflection, since a queen would face its mirror image on a line.
//!
//! Images are computed from `cols` and its inverse `rows` (the row of the queen of each
//! column): reflections read one of the two backwards or upside down, and transposition
//! swaps them. Judging one solution costs O(n) and usually far less, because comparisons
//! end at the first difference.
//!
//! [`Solution::image`], [`Solution::images`] and [`Solution::class`] use this module.

use crate::named::named;
use crate::placement::Square;
use crate::solution::Solution;

/// One of the eight symmetries of the board.
///
/// Named after what it does to the board; [`Symmetry::square`] says where a square goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symmetry {
    /// Nothing moves.
    Identity,
    /// A quarter turn clockwise.
    Quarter,
    /// A half turn.
    Half,
    /// A quarter turn anticlockwise.
    ThreeQuarters,
    /// Left and right swap.
    LeftRight,
    /// Top and bottom swap.
    TopBottom,
    /// Rows and columns swap: reflection in the falling diagonal.
    Transpose,
    /// Reflection in the rising diagonal.
    AntiTranspose,
}

impl Symmetry {
    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = [
        Symmetry::Identity,
        Symmetry::Quarter,
        Symmetry::Half,
        Symmetry::ThreeQuarters,
        Symmetry::LeftRight,
        Symmetry::TopBottom,
        Symmetry::Transpose,
        Symmetry::AntiTranspose,
    ];

    /// One or two words: `identity`, `quarter`, `half`, `three-quarters`, `left-right`,
    /// `top-bottom`, `transpose` or `anti-transpose`.
    pub const fn name(self) -> &'static str {
        match self {
            Symmetry::Identity => "identity",
            Symmetry::Quarter => "quarter",
            Symmetry::Half => "half",
            Symmetry::ThreeQuarters => "three-quarters",
            Symmetry::LeftRight => "left-right",
            Symmetry::TopBottom => "top-bottom",
            Symmetry::Transpose => "transpose",
            Symmetry::AntiTranspose => "anti-transpose",
        }
    }

    /// How the image is read off: whether `cols` and `rows` swap, whether the slice is
    /// read backwards, and whether its values are counted from the other end.
    const fn reading(self) -> (bool, bool, bool) {
        match self {
            Symmetry::Identity => (false, false, false),
            Symmetry::LeftRight => (false, false, true),
            Symmetry::TopBottom => (false, true, false),
            Symmetry::Half => (false, true, true),
            Symmetry::Transpose => (true, false, false),
            Symmetry::Quarter => (true, false, true),
            Symmetry::ThreeQuarters => (true, true, false),
            Symmetry::AntiTranspose => (true, true, true),
        }
    }

    /// Where a square of an `n` by `n` board goes.
    ///
    /// ```
    /// use queens::{Square, Symmetry};
    ///
    /// let corner = Square::new(0, 0);
    /// assert_eq!(Symmetry::Quarter.square(8, corner), Square::new(0, 7));
    /// ```
    ///
    /// # Panics
    ///
    /// If the square is off the board.
    pub fn square(self, n: usize, square: Square) -> Square {
        assert!(
            square.row < n && square.col < n,
            "{square} is off the board"
        );
        let (swap, backwards, upside_down) = self.reading();
        let Square { row, col } = square;
        let (row, col) = if swap { (col, row) } else { (row, col) };
        Square {
            row: if backwards { n - 1 - row } else { row },
            col: if upside_down { n - 1 - col } else { col },
        }
    }
}

named! {
    Symmetry, "symmetry",
    /// No symmetry has this name.
    ///
    /// ```
    /// use queens::Symmetry;
    ///
    /// assert_eq!("left-right".parse(), Ok(Symmetry::LeftRight));
    /// assert_eq!(Symmetry::LeftRight.to_string(), "left-right");
    /// assert_eq!(
    ///     "other".parse::<Symmetry>().unwrap_err().to_string(),
    ///     "no symmetry is called \"other\"; there are identity, quarter, half, three-quarters, \
    ///      left-right, top-bottom, transpose, anti-transpose"
    /// );
    /// ```
    UnknownSymmetry
}

/// One queen in each row and column, and the same seen from the side: the column of each
/// row's queen and the row of each column's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    cols: Vec<usize>,
    rows: Vec<usize>,
}

impl Images {
    /// Takes the columns of the queens.
    ///
    /// # Panics
    ///
    /// If a column is off the board.
    pub(crate) fn of(cols: &[usize]) -> Images {
        let mut images = Images::default();
        images.set(cols);
        images
    }

    /// The same for a stream of solutions: replaces the queens and keeps the memory.
    fn set(&mut self, cols: &[usize]) {
        self.cols.clear();
        self.cols.extend_from_slice(cols);
        self.rows.resize(cols.len(), 0);
        for (row, &col) in cols.iter().enumerate() {
            self.rows[col] = row;
        }
    }

    /// The image under one symmetry, row by row.
    pub(crate) fn image(&self, symmetry: Symmetry) -> impl Iterator<Item = usize> {
        let (swap, backwards, upside_down) = symmetry.reading();
        let source = if swap { &self.rows } else { &self.cols };
        let last = source.len().wrapping_sub(1);
        (0..source.len()).map(move |i| {
            let value = source[if backwards { last - i } else { i }];
            if upside_down { last - value } else { value }
        })
    }

    /// The lexicographically smallest of the eight images.
    pub(crate) fn smallest(&self) -> Box<[usize]> {
        let smallest = Symmetry::ALL
            .into_iter()
            .min_by(|&a, &b| self.image(a).cmp(self.image(b)));
        self.image(smallest.unwrap_or(Symmetry::Identity)).collect()
    }

    /// Whether no image is smaller than `cols`.
    pub(crate) fn is_smallest(&self) -> bool {
        Symmetry::ALL[1..]
            .iter()
            .all(|&s| self.cols.iter().copied().le(self.image(s)))
    }

    /// The number of different images: 1, 2, 4 or 8.
    pub(crate) fn class_size(&self) -> usize {
        let unchanged = Symmetry::ALL
            .into_iter()
            .filter(|&s| self.cols.iter().copied().eq(self.image(s)));
        8 / unchanged.count()
    }
}

/// Picks the fundamental solutions out of a stream of all solutions.
///
/// ```
/// use queens::solutions;
/// use queens::symmetry::Fundamental;
///
/// let mut fundamental = Fundamental::new();
/// let classes = solutions(8).filter_map(|solution| fundamental.class_size(&solution));
/// assert_eq!(classes.collect::<Vec<_>>(), [8, 8, 8, 8, 8, 8, 8, 8, 8, 4, 8, 8]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fundamental {
    images: Images,
}

impl Fundamental {
    /// A picker. From one solution to the next it keeps only its allocated memory.
    pub fn new() -> Fundamental {
        Fundamental::default()
    }

    /// The size of the class of `solution` if it is the fundamental one, else `None`.
    pub fn class_size(&mut self, solution: &Solution) -> Option<usize> {
        self.images.set(solution);
        self.images.is_smallest().then(|| self.images.class_size())
    }

    /// How many columns of the first row, from the left, can start a fundamental solution:
    /// further right, the reflection is smaller. A lexicographic listing of fundamental
    /// solutions may end there.
    pub fn first_cols(n: usize) -> usize {
        n.div_ceil(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::{Placement, Square};
    use std::collections::BTreeSet;

    /// Where one square goes: the definition, independent of the reading trick.
    fn moved(symmetry: Symmetry, n: usize, Square { row, col }: Square) -> Square {
        let last = n - 1;
        let (row, col) = match symmetry {
            Symmetry::Identity => (row, col),
            Symmetry::Quarter => (col, last - row),
            Symmetry::Half => (last - row, last - col),
            Symmetry::ThreeQuarters => (last - col, row),
            Symmetry::LeftRight => (row, last - col),
            Symmetry::TopBottom => (last - row, col),
            Symmetry::Transpose => (col, row),
            Symmetry::AntiTranspose => (last - col, last - row),
        };
        Square::new(row, col)
    }

    /// All permutations of 0..n: every placement with one queen per row and column.
    fn permutations(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![vec![]];
        }
        let mut all = Vec::new();
        for shorter in permutations(n - 1) {
            for at in 0..=shorter.len() {
                let mut longer = shorter.clone();
                longer.insert(at, n - 1);
                all.push(longer);
            }
        }
        all
    }

    #[test]
    fn images_are_where_the_squares_go() {
        for n in 0..=5 {
            for cols in permutations(n) {
                let images = Images::of(&cols);
                for symmetry in Symmetry::ALL {
                    let placement = Placement::from_cols(&cols).unwrap();
                    let squares = placement.queens().iter();
                    let squares = squares.map(|&q| moved(symmetry, n, q));
                    let expected = Placement::new(n, squares).unwrap();
                    let image: Vec<usize> = images.image(symmetry).collect();
                    let image = Placement::from_cols(&image).unwrap();
                    assert_eq!(image, expected, "{symmetry:?} of {cols:?}");
                }
            }
        }
    }

    #[test]
    fn class_sizes_of_the_smallest_images_add_up_to_everything() {
        for n in 1..=6 {
            let all = permutations(n);
            let smallest = all.iter().map(|cols| Images::of(cols));
            let smallest = smallest.filter(Images::is_smallest);
            let sum: usize = smallest.map(|images| images.class_size()).sum();
            assert_eq!(sum, all.len(), "n = {n}");
        }
    }

    #[test]
    fn the_smallest_image_is_the_first_of_the_class_and_the_class_its_images() {
        for cols in permutations(5) {
            let images = Images::of(&cols);
            let class: BTreeSet<Box<[usize]>> = Symmetry::ALL
                .iter()
                .map(|&s| images.image(s).collect())
                .collect();
            assert_eq!(class.len(), images.class_size());
            assert_eq!(class.first(), Some(&images.smallest()));
            assert_eq!(images.is_smallest(), *images.smallest() == *cols);
        }
    }

    #[test]
    fn nothing_smallest_lies_where_a_listing_may_end() {
        for n in 1..=6 {
            for cols in permutations(n) {
                let past_the_end = cols[0] >= Fundamental::first_cols(n);
                assert!(!past_the_end || !Images::of(&cols).is_smallest());
            }
        }
    }

    #[test]
    fn the_methods_of_a_solution_agree_with_each_other() {
        for n in 1..=8 {
            let mut fundamental = Fundamental::new();
            for solution in crate::solutions(n) {
                let class = solution.class();
                assert_eq!(class.len(), solution.class_size());
                assert_eq!(class[0], solution.fundamental());
                assert!(class.contains(&solution));
                for (symmetry, image) in Symmetry::ALL.into_iter().zip(solution.images()) {
                    assert_eq!(image, solution.image(symmetry));
                    assert_eq!(image.fundamental(), class[0]);
                }
                assert_eq!(
                    fundamental.class_size(&solution),
                    solution.is_fundamental().then_some(class.len())
                );
            }
        }
    }
}
