//! The first solution in search order, as the NPTEL lecture builds it.
//!
//! Place each queen in the first available column of her row; when a row has none, undo
//! the last queen and try her next column. The first board that gets filled is the answer,
//! and it is also the lexicographically smallest solution. There is none for n = 2 and
//! n = 3. The search may be long: the number of squares tried has no pattern but growth,
//! 876 for n = 8 and 3,992,510 for n = 20.
//!
//! [`List::first`](crate::List::first) does the same with an engine of your choice. Where
//! any solution will do, [`crate::construct`] has a formula.

use crate::list::solutions;
use crate::solution::Solution;

/// The first solution in search order, which is the lexicographically smallest, or `None`
/// when the board has none.
///
/// ```
/// assert_eq!(queens::first(8).unwrap(), [0, 4, 7, 5, 2, 6, 1, 3]);
/// assert_eq!(queens::first(3), None);
/// ```
pub fn first(n: usize) -> Option<Solution> {
    solutions(n).next()
}
