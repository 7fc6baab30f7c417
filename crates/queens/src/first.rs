//! The first solution in search order, as the NPTEL lecture builds it.
//!
//! Place each queen in the first available column of her row; when a row has none, undo
//! the last queen and try her next column. The first board that gets filled is the answer,
//! and it is also the lexicographically smallest solution. There is none for n = 2 and
//! n = 3. The search may be long: the number of squares tried has no pattern but growth,
//! 876 for n = 8 and 3,992,510 for n = 20; `bitmask` finds n = 30 in about a second.

use std::ops::ControlFlow;

use crate::count::Engine;
use crate::list::list;
use crate::search::SearchError;

/// The first solution that this engine finds, or `None` when the board has none.
///
/// # Errors
///
/// When the engine cannot hold a board of this size, or only counts.
///
/// ```
/// use queens::{count::engine, first::first};
///
/// let lines = engine("lines").unwrap();
/// assert_eq!(first(8, lines)?, Some(vec![0, 4, 7, 5, 2, 6, 1, 3]));
/// assert_eq!(first(3, lines)?, None);
/// # Ok::<(), queens::search::SearchError>(())
/// ```
pub fn first(n: usize, engine: &Engine) -> Result<Option<Vec<u8>>, SearchError> {
    let mut found = None;
    let _stopped = list(n, engine, |cols| {
        found = Some(cols.to_vec());
        ControlFlow::Break(())
    })?;
    Ok(found)
}
