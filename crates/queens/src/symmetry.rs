//! The eight symmetries of the board, and the fundamental solutions.
//!
//! Rotating or reflecting a solution gives a solution again. The eight images of one
//! solution form its class; the fundamental solutions are one per class, and here the
//! representative is the lexicographically smallest image, the *canonical form*:
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

/// One of the eight symmetries of the board.
///
/// The variant says where the top left corner and the rows go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}

/// A full placement, one queen in each row and column, together with its inverse.
///
/// ```
/// use queens::symmetry::{Images, Symmetry};
///
/// let images = Images::of(&[1, 3, 0, 2]).unwrap();
/// assert_eq!(images.image(Symmetry::LeftRight), [2, 0, 3, 1]);
/// assert_eq!(images.image(Symmetry::Quarter), [1, 3, 0, 2]);
/// assert_eq!(images.class_size(), 2);
/// assert!(images.is_canonical());
/// ```
#[derive(Clone, Debug)]
pub struct Images {
    cols: Vec<u8>,
    rows: Vec<u8>,
}

impl Images {
    /// Takes `cols`, the column of the queen of each row. `None` if two queens share a
    /// column, one is off the board, or the board is larger than 255.
    pub fn of(cols: &[u8]) -> Option<Images> {
        let mut images = Images {
            cols: Vec::new(),
            rows: Vec::new(),
        };
        images.set(cols).then_some(images)
    }

    /// The same for a stream of placements: replaces the placement and keeps the memory.
    /// `false`, and an empty board, where [`Images::of`] would give `None`.
    pub fn set(&mut self, cols: &[u8]) -> bool {
        const NONE: u8 = u8::MAX;
        let n = cols.len();
        self.cols.clear();
        self.rows.clear();
        if n > usize::from(NONE) {
            return false;
        }
        self.rows.resize(n, NONE);
        for (row, &col) in cols.iter().enumerate() {
            match self.rows.get_mut(usize::from(col)) {
                Some(slot) if *slot == NONE => *slot = row as u8,
                _ => {
                    self.rows.clear();
                    return false;
                }
            }
        }
        self.cols.extend_from_slice(cols);
        true
    }

    /// The image under one symmetry, row by row.
    pub fn image(&self, symmetry: Symmetry) -> Vec<u8> {
        self.read(symmetry).collect()
    }

    /// The lexicographically smallest of the eight images.
    pub fn canonical(&self) -> Vec<u8> {
        let smallest = Symmetry::ALL
            .into_iter()
            .min_by(|&a, &b| self.read(a).cmp(self.read(b)));
        self.image(smallest.unwrap_or(Symmetry::Identity))
    }

    /// Whether this placement is the canonical form of its class.
    pub fn is_canonical(&self) -> bool {
        Symmetry::ALL[1..]
            .iter()
            .all(|&s| self.cols.iter().copied().le(self.read(s)))
    }

    /// The number of different images: 1, 2, 4 or 8.
    pub fn class_size(&self) -> u8 {
        let unchanged = Symmetry::ALL
            .into_iter()
            .filter(|&s| self.cols.iter().copied().eq(self.read(s)));
        8 / unchanged.count() as u8
    }

    fn read(&self, symmetry: Symmetry) -> impl Iterator<Item = u8> {
        let (swap, backwards, upside_down) = symmetry.reading();
        let source = if swap { &self.rows } else { &self.cols };
        let last = source.len().wrapping_sub(1);
        (0..source.len()).map(move |i| {
            let value = source[if backwards { last - i } else { i }];
            if upside_down {
                last as u8 - value
            } else {
                value
            }
        })
    }
}

/// Picks the fundamental solutions out of a stream of all solutions.
///
/// ```
/// use queens::symmetry::Fundamental;
///
/// let mut fundamental = Fundamental::new();
/// assert_eq!(fundamental.class_size(&[1, 3, 0, 2]), Some(2));
/// // The mirror image belongs to the same class and is not its smallest member.
/// assert_eq!(fundamental.class_size(&[2, 0, 3, 1]), None);
/// ```
#[derive(Clone, Debug)]
pub struct Fundamental {
    images: Images,
}

impl Fundamental {
    /// A picker; it keeps nothing from one solution to the next but its memory.
    pub fn new() -> Fundamental {
        Fundamental {
            images: Images {
                cols: Vec::new(),
                rows: Vec::new(),
            },
        }
    }

    /// The size of the class of `cols` if `cols` is its canonical form, else `None`.
    pub fn class_size(&mut self, cols: &[u8]) -> Option<u8> {
        let canonical = self.images.set(cols) && self.images.is_canonical();
        canonical.then(|| self.images.class_size())
    }

    /// How many columns of the first row, from the left, can start a canonical form of a
    /// solution: further right, the reflection is smaller. A lexicographic listing of
    /// fundamental solutions may end there.
    pub fn first_cols(n: usize) -> usize {
        n.div_ceil(2)
    }
}

impl Default for Fundamental {
    fn default() -> Self {
        Self::new()
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
    fn permutations(n: u8) -> Vec<Vec<u8>> {
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
                let images = Images::of(&cols).unwrap();
                for symmetry in Symmetry::ALL {
                    let placement = Placement::from_cols(&cols).unwrap();
                    let squares = placement.queens().iter();
                    let squares = squares.map(|&q| moved(symmetry, usize::from(n), q));
                    let expected = Placement::new(usize::from(n), squares).unwrap();
                    let image = Placement::from_cols(&images.image(symmetry)).unwrap();
                    assert_eq!(image, expected, "{symmetry:?} of {cols:?}");
                }
            }
        }
    }

    #[test]
    fn class_sizes_of_the_canonical_forms_add_up_to_everything() {
        for n in 1..=6 {
            let all = permutations(n);
            let mut fundamental = Fundamental::new();
            let sizes = all.iter().filter_map(|cols| fundamental.class_size(cols));
            let sum: usize = sizes.map(usize::from).sum();
            assert_eq!(sum, all.len(), "n = {n}");
        }
    }

    #[test]
    fn the_canonical_form_is_the_smallest_image_and_the_class_its_images() {
        for cols in permutations(5) {
            let images = Images::of(&cols).unwrap();
            let class: BTreeSet<Vec<u8>> = Symmetry::ALL.iter().map(|&s| images.image(s)).collect();
            assert_eq!(class.len(), usize::from(images.class_size()));
            assert_eq!(class.first(), Some(&images.canonical()));
            assert_eq!(images.is_canonical(), images.canonical() == cols);
        }
    }

    #[test]
    fn nothing_canonical_lies_where_a_listing_may_end() {
        for n in 1..=6 {
            let mut fundamental = Fundamental::new();
            for cols in permutations(n) {
                let past_the_end = usize::from(cols[0]) >= Fundamental::first_cols(n.into());
                assert!(!past_the_end || fundamental.class_size(&cols).is_none());
            }
        }
    }

    #[test]
    fn placements_that_are_no_permutation_have_no_images() {
        assert!(Images::of(&[0, 0]).is_none());
        assert!(Images::of(&[0, 2]).is_none());
        assert!(Images::of(&[0; 256]).is_none());
    }
}
