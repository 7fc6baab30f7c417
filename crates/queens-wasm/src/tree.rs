//! The search tree of the room *Watch* on boards too large to draw it: a slice.
//!
//! For each row on the way down it has every square of that row: refused, done with the
//! number of solutions below it, in hand, or still waiting. That is a picture of n by n
//! marks for a tree of any size. Smaller trees are drawn by [`crate::branches`].

use std::collections::HashMap;

use queens::board::Bitmask;
use queens::json::{Object, Value, array};
use queens::search::trace::{State, panel};
use queens::{Placement, extend};

/// The tree at one moment of a search. Keeps what is slow to find again.
#[derive(Default)]
pub struct Growth {
    below: HashMap<Vec<Option<usize>>, u64>,
}

impl Growth {
    /// The squares of every row on the way down: `-` refused, `w` waiting, `q` in hand, or
    /// the number of solutions below a square that is done.
    pub fn moment(&mut self, state: &State) -> Object {
        let board: Bitmask = state.board();
        let n = state.n;
        let open = if state.last.is_none() {
            0
        } else {
            (state.cols.len() + 1).min(n)
        };
        let rows = (0..open).map(|row| {
            let bits = board.row(row);
            let free = bits.possible(board.mask());
            let left = panel::still_possible(state, row, bits, board.mask());
            array((0..n).map(|col| {
                if free >> col & 1 == 0 {
                    Value::of("-")
                } else if state.queen(row) == Some(col) {
                    Value::of("q")
                } else if left >> col & 1 == 1 {
                    Value::of("w")
                } else {
                    let mut cols = state.cols[..row].to_vec();
                    cols.push(Some(col));
                    Value::of(self.solutions_below(n, cols))
                }
            }))
        });
        Object::new().list("rows", rows.collect::<Vec<_>>())
    }

    fn solutions_below(&mut self, n: usize, cols: Vec<Option<usize>>) -> u64 {
        if let Some(&known) = self.below.get(&cols) {
            return known;
        }
        let rows = cols.iter().copied().chain(std::iter::repeat(None)).take(n);
        let placement = Placement::from_rows(rows).expect("queens of a search are on its board");
        let solutions = extend::count(&placement).expect("boards of the page are small");
        // A long play would fill the memory with nodes never looked at again.
        if self.below.len() > 10_000 {
            self.below.clear();
        }
        self.below.insert(cols, solutions);
        solutions
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn a_slice_counts_the_solutions_below_what_is_done() {
        let first = ask("watch?n=9&go=solution");
        assert_eq!(first["tree"]["rows"][0][0], "q");
        assert_eq!(first["tree"]["rows"][0][1], "w");
        assert_eq!(first["tree"]["rows"][1][0], "-");
        let start = ask("watch?n=9");
        // After the whole search, all nine squares of row 0 are done.
        let end = ask(&format!("watch?n=9&at={}", start["length"]));
        let row = end["tree"]["rows"][0].as_array().unwrap();
        let sum: u64 = row.iter().map(|x| x.as_u64().unwrap()).sum();
        assert_eq!(sum, 352);
    }
}
