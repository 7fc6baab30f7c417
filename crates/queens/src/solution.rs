//! A solution: `n` queens on an `n` by `n` board, none attacking another.
//!
//! A [`Solution`] is valid by construction: it comes from a search or a formula, or
//! [`Solution::new`] has checked it. It is the column of each row's queen, from row 0, and
//! dereferences to a slice of them; solutions of one board sort as their tuples do, which
//! is the order in which a search finds them.
//!
//! ```text
//! . Q . .
//! . . . Q     [1, 3, 0, 2]
//! Q . . .
//! . . Q .
//! ```

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use crate::check;
use crate::format::{Format, Formatted, ParseError, parse};
use crate::line::Attack;
use crate::placement::{Placement, PlacementError, Square};
use crate::symmetry::{Images, Symmetry};

/// `n` queens on an `n` by `n` board, none attacking another.
///
/// ```
/// use queens::{Format, Solution};
///
/// let solution = Solution::new([1, 3, 0, 2])?;
/// assert_eq!(solution.n(), 4);
/// assert_eq!(solution[0], 1); // the queen of row 0 stands in column 1
///
/// // Text goes both ways: seven formats are read, `Display` writes the first of them.
/// assert_eq!(solution.to_string(), "(2, 4, 1, 3)");
/// assert_eq!(solution.display(Format::Fen).to_string(), "1Q2/3Q/Q3/2Q1 w - - 0 1");
/// assert_eq!("1Q2/3Q/Q3/2Q1".parse(), Ok(solution));
/// # Ok::<(), queens::SolutionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Box<[usize]>", into = "Box<[usize]>")
)]
pub struct Solution {
    cols: Box<[usize]>,
}

/// Why some queens are no solution.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolutionError {
    /// The queens do not fit on a board.
    Placement(PlacementError),
    /// There are more or fewer than `n` queens.
    Queens {
        /// How many there are.
        queens: usize,
        /// How many a solution has.
        n: usize,
    },
    /// Two queens attack each other; there may be more such pairs.
    Attack(Attack),
}

/// Counts from 1, with `{:#}` from 0.
impl fmt::Display for SolutionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolutionError::Placement(error) => error.fmt(f),
            SolutionError::Queens { queens, n } => {
                let s = if *queens == 1 { "" } else { "s" };
                write!(f, "{queens} queen{s}, not {n}, on a board of {n} by {n}")
            }
            SolutionError::Attack(attack) => attack.fmt(f),
        }
    }
}

impl std::error::Error for SolutionError {}

impl From<PlacementError> for SolutionError {
    fn from(error: PlacementError) -> SolutionError {
        SolutionError::Placement(error)
    }
}

impl Solution {
    /// The solution with these columns, one per row from the top, after a check.
    ///
    /// # Errors
    ///
    /// If a column is off the board or two queens attack each other.
    ///
    /// ```
    /// use queens::Solution;
    ///
    /// let error = Solution::new([0, 1]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "(1, 1) and (2, 2) attack each other on a falling diagonal"
    /// );
    /// ```
    pub fn new(cols: impl Into<Box<[usize]>>) -> Result<Solution, SolutionError> {
        let cols = cols.into();
        match judge(&Placement::from_cols(&cols)?) {
            None => Ok(Solution { cols }),
            Some(error) => Err(error),
        }
    }

    /// A solution that a search or a formula has found, so nothing is left to check.
    pub(crate) fn found(cols: Box<[usize]>) -> Solution {
        Solution { cols }
    }

    /// A buffer for a search that shows its solutions one by one. Nobody sees it before
    /// it holds one.
    pub(crate) fn buffer(n: usize) -> Solution {
        Solution {
            cols: vec![0; n].into(),
        }
    }

    /// The columns of a buffer, to be filled with the next solution.
    pub(crate) fn buffer_mut(&mut self) -> &mut [usize] {
        &mut self.cols
    }

    /// The size of the board.
    pub fn n(&self) -> usize {
        self.cols.len()
    }

    /// The column of each row's queen, from row 0.
    pub fn cols(&self) -> &[usize] {
        &self.cols
    }

    /// The squares of the queens, from row 0.
    ///
    /// ```
    /// use queens::{Solution, Square};
    ///
    /// let solution = Solution::new([1, 3, 0, 2])?;
    /// assert!(solution.queens().any(|queen| queen == Square::new(2, 0)));
    /// # Ok::<(), queens::SolutionError>(())
    /// ```
    pub fn queens(&self) -> impl ExactSizeIterator<Item = Square> {
        let cols = self.cols.iter().enumerate();
        cols.map(|(row, &col)| Square::new(row, col))
    }

    /// The solution as text in any format: `solution.display(Format::Board).to_string()`.
    ///
    /// `parse` reads back what is written. The exception is n = 0: in `board`, `unicode`, `csv` and
    /// `fen` it leaves too little text to detect. The last line has no line end.
    pub fn display(&self, format: Format) -> Formatted<'_> {
        Formatted::solution(self, format)
    }

    /// The image under one symmetry of the board, which is a solution again.
    ///
    /// ```
    /// use queens::{Solution, Symmetry};
    ///
    /// let solution = Solution::new([1, 3, 0, 2])?;
    /// assert_eq!(solution.image(Symmetry::LeftRight), [2, 0, 3, 1]);
    /// assert_eq!(solution.image(Symmetry::Quarter), solution);
    /// # Ok::<(), queens::SolutionError>(())
    /// ```
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Solution {
        Solution::found(Images::of(&self.cols).image(symmetry).collect())
    }

    /// The images under all eight symmetries, in the order of [`Symmetry::ALL`]; some of
    /// them may be equal.
    pub fn images(&self) -> [Solution; 8] {
        let images = Images::of(&self.cols);
        Symmetry::ALL.map(|symmetry| Solution::found(images.image(symmetry).collect()))
    }

    /// The symmetry class: the different images, sorted. There are 1, 2, 4 or 8, and the
    /// first is the fundamental solution of the class.
    ///
    /// ```
    /// use queens::Solution;
    ///
    /// let class = Solution::new([2, 0, 3, 1])?.class();
    /// assert_eq!(class.len(), 2);
    /// assert_eq!(class[0], [1, 3, 0, 2]);
    /// assert!(class[0].is_fundamental() && !class[1].is_fundamental());
    /// # Ok::<(), queens::SolutionError>(())
    /// ```
    pub fn class(&self) -> Vec<Solution> {
        let mut class = Vec::from(self.images());
        class.sort_unstable();
        class.dedup();
        class
    }

    /// The size of the symmetry class: 1, 2, 4 or 8.
    pub fn class_size(&self) -> usize {
        Images::of(&self.cols).class_size()
    }

    /// The fundamental solution of the class: the smallest of the eight images.
    #[must_use]
    pub fn fundamental(&self) -> Solution {
        Solution::found(Images::of(&self.cols).smallest())
    }

    /// Whether this is the fundamental solution of its class. To sift a whole listing,
    /// [`Fundamental`](crate::symmetry::Fundamental) is faster.
    pub fn is_fundamental(&self) -> bool {
        Images::of(&self.cols).is_smallest()
    }

    /// The columns, without a copy.
    pub fn into_cols(self) -> Box<[usize]> {
        self.cols
    }
}

/// What keeps a placement from being a solution.
fn judge(placement: &Placement) -> Option<SolutionError> {
    let report = check::check(placement);
    if report.queens() != report.n() {
        let (queens, n) = (report.queens(), report.n());
        return Some(SolutionError::Queens { queens, n });
    }
    report.attacks().next().map(SolutionError::Attack)
}

impl Deref for Solution {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.cols
    }
}

impl AsRef<[usize]> for Solution {
    fn as_ref(&self) -> &[usize] {
        &self.cols
    }
}

impl PartialEq<[usize]> for Solution {
    fn eq(&self, cols: &[usize]) -> bool {
        *self.cols == *cols
    }
}

impl<const N: usize> PartialEq<[usize; N]> for Solution {
    fn eq(&self, cols: &[usize; N]) -> bool {
        *self.cols == *cols
    }
}

impl<'a> IntoIterator for &'a Solution {
    type Item = &'a usize;
    type IntoIter = std::slice::Iter<'a, usize>;

    fn into_iter(self) -> Self::IntoIter {
        self.cols.iter()
    }
}

/// Writes the format `tuple`: `(2, 4, 1, 3)`, columns from 1.
impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(Format::Tuple).fmt(f)
    }
}

/// Reads any of the seven formats.
impl FromStr for Solution {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Solution, ParseError> {
        let (_, placement) = parse(text)?;
        Solution::try_from(placement).map_err(ParseError::Solution)
    }
}

impl TryFrom<Box<[usize]>> for Solution {
    type Error = SolutionError;

    fn try_from(cols: Box<[usize]>) -> Result<Solution, SolutionError> {
        Solution::new(cols)
    }
}

impl TryFrom<Vec<usize>> for Solution {
    type Error = SolutionError;

    fn try_from(cols: Vec<usize>) -> Result<Solution, SolutionError> {
        Solution::new(cols)
    }
}

impl From<Solution> for Box<[usize]> {
    fn from(solution: Solution) -> Box<[usize]> {
        solution.cols
    }
}

impl TryFrom<&Placement> for Solution {
    type Error = SolutionError;

    fn try_from(placement: &Placement) -> Result<Solution, SolutionError> {
        match judge(placement) {
            // No queen attacks another along a row, so each row has one.
            None => Ok(Solution::found(
                placement.queens().iter().map(|queen| queen.col).collect(),
            )),
            Some(error) => Err(error),
        }
    }
}

impl TryFrom<Placement> for Solution {
    type Error = SolutionError;

    fn try_from(placement: Placement) -> Result<Solution, SolutionError> {
        Solution::try_from(&placement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_solutions_become_solutions() {
        assert!(Solution::new([]).is_ok());
        assert!(Solution::new(vec![0]).is_ok());
        let told = |cols: &[usize]| Solution::new(cols).unwrap_err().to_string();
        assert!(told(&[0, 1, 2]).starts_with("(1, 1) and (2, 2) attack"));
        assert_eq!(told(&[0, 2]), "the square (2, 3) is off the 2 by 2 board");
        let half = Placement::from_rows([Some(1), None]).unwrap();
        assert_eq!(
            Solution::try_from(&half).unwrap_err().to_string(),
            "1 queen, not 2, on a board of 2 by 2"
        );
        // Two queens in a row and none in the next: as many as the board is large.
        let crowd = Placement::new(2, [Square::new(0, 0), Square::new(0, 1)]).unwrap();
        assert!(matches!(
            Solution::try_from(crowd),
            Err(SolutionError::Attack(_))
        ));
    }

    #[test]
    fn solutions_and_placements_turn_into_each_other() {
        let solution = Solution::new([2, 0, 3, 1]).unwrap();
        let placement = Placement::from(&solution);
        assert_eq!(placement.cols(), Some(vec![2, 0, 3, 1]));
        assert_eq!(Placement::from(solution.clone()), placement);
        assert_eq!(Solution::try_from(placement), Ok(solution));
    }

    #[test]
    fn solutions_sort_as_their_tuples() {
        let mut two = [[2, 0, 3, 1], [1, 3, 0, 2]].map(|cols| Solution::new(cols).unwrap());
        two.sort();
        assert_eq!(two[0], [1, 3, 0, 2]);
        assert_eq!(two[1][..], [2, 0, 3, 1]);
    }

    #[test]
    fn text_that_is_a_placement_but_no_solution_says_why() {
        let error = "(1, 2, 3)".parse::<Solution>().unwrap_err();
        assert!(error.to_string().contains("falling diagonal"), "{error}");
        assert_eq!("".parse::<Solution>(), Err(ParseError::Empty));
    }
}
