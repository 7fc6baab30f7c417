//! All solutions, one after another, in lexicographic order.
//!
//! The search fills rows from the top and tries columns from the left, so it meets the
//! solutions in the order of their tuples; nothing is stored or sorted. Listing is the
//! search of [`crate::search`] with an observer that hears solutions only: it runs at
//! nearly the speed of a count and allocates nothing per solution. Each solution is handed
//! over as the 0-based column of each row's queen.

use std::ops::ControlFlow;

use crate::board::{
    AttackCount, BitGrid, Bitmask, ByteGrid, Columns, FirstAttacker, Lines, Representation,
};
use crate::count::Engine;
use crate::search::{Event, Hears, Observer, Search, SearchError, search};

/// Copies each solution into one buffer and shows it.
struct Lister<F> {
    cols: [u8; 256],
    n: usize,
    visit: F,
}

impl<B: Search, F: FnMut(&[u8]) -> ControlFlow<()>> Observer<B> for Lister<F> {
    const HEARS: Hears = Hears::Solutions;

    #[inline]
    fn event(&mut self, _solution: Event, board: &B) -> ControlFlow<()> {
        let cols = &mut self.cols[..self.n];
        board.copy_cols(cols);
        (self.visit)(cols)
    }
}

/// Shows every solution to `visit`, in lexicographic order, with the given engine.
///
/// Returns `Break` if `visit` stopped the listing and otherwise how many there were.
///
/// # Errors
///
/// When the engine cannot hold a board of this size, or only counts.
///
/// ```
/// use std::ops::ControlFlow;
/// use queens::{count::engine, list::list};
///
/// let mut solutions = Vec::new();
/// let bitmask = engine("bitmask").unwrap();
/// let end = list(4, bitmask, |cols| {
///     solutions.push(cols.to_vec());
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(solutions, [[1, 3, 0, 2], [2, 0, 3, 1]]);
/// assert_eq!(end, ControlFlow::Continue(2));
/// # Ok::<(), queens::search::SearchError>(())
/// ```
pub fn list(
    n: usize,
    engine: &Engine,
    visit: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<ControlFlow<(), u64>, SearchError> {
    let representation = engine.representation_for(n)?;
    let lister = Lister {
        cols: [0; 256],
        n,
        visit,
    };
    Ok(match representation {
        Representation::ByteGrid => list_on::<ByteGrid>(n, lister),
        Representation::BitGrid => list_on::<BitGrid>(n, lister),
        Representation::Columns => list_on::<Columns>(n, lister),
        Representation::AttackCount => list_on::<AttackCount>(n, lister),
        Representation::FirstAttacker => list_on::<FirstAttacker>(n, lister),
        Representation::Lines => list_on::<Lines>(n, lister),
        Representation::Bitmask => list_on::<Bitmask>(n, lister),
    })
}

fn list_on<B: Search>(
    n: usize,
    lister: Lister<impl FnMut(&[u8]) -> ControlFlow<()>>,
) -> ControlFlow<(), u64> {
    search(&mut B::new(n), lister)
}
