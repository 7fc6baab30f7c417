//! The search tree of the room *Watch*: all of it for small boards, a slice for others.
//!
//! Up to [`WHOLE`] queens the whole tree fits a picture. It is laid out once (`tree`), and
//! since its nodes come in the order in which the search meets them, the part that has grown
//! is simply its first nodes.
//!
//! Of a larger tree only a slice is shown: for each row on the way down, every square of that
//! row. A square is refused, finished (with the number of solutions below it), in hand, or
//! still waiting. That is a picture of n by n marks for a tree of any size.

use std::collections::HashMap;

use queens::board::{Bitmask, Board};
use queens::json::{Object, Value, array};
use queens::search::trace::{State, panel};
use queens::search::tree::{Limit, Tree};
use queens::search::{Event, Nobody, Search, Stage};

use crate::question::{Answer, Question};

/// The largest board whose tree is drawn whole.
pub const WHOLE: usize = 6;

/// The layout of a whole tree: leaves get equal room, a parent stands over the middle of
/// its children.
pub fn answer(question: &Question<'_>) -> Answer {
    let n = question.number("n", 1, WHOLE, 4)?;
    let tree = build(n);
    let mut x = vec![0.0; tree.nodes.len()];
    let mut parent = vec![-1i64; tree.nodes.len()];
    let mut leaves = 0u32;
    // Children come after their parents, but leaves from left to right need the order
    // forwards and parents need their children first, hence two passes.
    for (id, node) in tree.nodes.iter().enumerate() {
        for &child in &node.children {
            parent[child] = id as i64;
        }
        if node.children.is_empty() {
            x[id] = f64::from(leaves);
            leaves += 1;
        }
    }
    for (id, node) in tree.nodes.iter().enumerate().rev() {
        if let (Some(&first), Some(&last)) = (node.children.first(), node.children.last()) {
            x[id] = (x[first] + x[last]) / 2.0;
        }
    }
    let nodes = tree.nodes.iter().enumerate().map(|(id, node)| {
        Object::new()
            .set("x", x[id])
            .set("level", node.cols.len())
            .set("parent", parent[id])
            .set("col", node.cols.last())
            .set("kind", node.kind.name())
            .set("solutions", node.solutions)
    });
    Ok(Object::new()
        .set("n", n)
        .set("leaves", leaves)
        .list("nodes", nodes))
}

fn build(n: usize) -> Tree {
    Tree::build(n, None, Limit::LIST).expect("trees up to n = 6 are within every limit")
}

/// The tree at one moment of a search. Keeps what is slow to find again.
#[derive(Default)]
pub struct Growth {
    whole: Option<Tree>,
    below: HashMap<Vec<usize>, u64>,
}

impl Growth {
    pub fn moment(&mut self, state: &State) -> Object {
        if state.n <= WHOLE {
            self.whole_tree(state)
        } else {
            self.slice(state)
        }
    }

    /// How many nodes have grown, which of them are on the way down, and whether the last
    /// of those is known to be a dead end.
    fn whole_tree(&mut self, state: &State) -> Object {
        let tree = self.whole.get_or_insert_with(|| build(state.n));
        let grown: u64 = state.stats.levels.iter().sum();
        let mut path = vec![0];
        for level in 1..=state.cols.len() {
            let children = &tree.nodes[path[level - 1]].children;
            let next = children
                .iter()
                .find(|&&child| tree.nodes[child].cols == state.cols[..level]);
            // A queen is placed one event before the call that makes its node.
            match next {
                Some(&next) if (next as u64) < grown => path.push(next),
                _ => break,
            }
        }
        let ended = matches!(
            state.last,
            Some(Event::DeadEnd { .. } | Event::Leave { .. })
        );
        Object::new()
            .set("shape", "whole")
            .set("grown", grown)
            .list("path", if grown == 0 { Vec::new() } else { path })
            .set("ended", ended)
    }

    /// The squares of every row on the way down: `-` refused, `w` waiting, `q` in hand, or
    /// the number of solutions below a square that is done.
    fn slice(&mut self, state: &State) -> Object {
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
                } else if state.cols.get(row) == Some(&col) {
                    Value::of("q")
                } else if left >> col & 1 == 1 {
                    Value::of("w")
                } else {
                    let mut cols = state.cols[..row].to_vec();
                    cols.push(col);
                    Value::of(self.solutions_below(n, cols))
                }
            }))
        });
        Object::new()
            .set("shape", "slice")
            .list("rows", rows.collect::<Vec<_>>())
    }

    fn solutions_below(&mut self, n: usize, cols: Vec<usize>) -> u64 {
        if let Some(&known) = self.below.get(&cols) {
            return known;
        }
        let mut board = Bitmask::new(n);
        for (row, &col) in cols.iter().enumerate() {
            board.place(row, col);
        }
        let solutions = board.descend(cols.len(), &mut Stage::new(Nobody));
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
    fn the_tree_grows_to_its_full_size() {
        for (n, nodes) in [(1, 2), (2, 3), (4, 17), (5, 54), (6, 153)] {
            let layout = ask(&format!("tree?n={n}"));
            assert_eq!(layout["nodes"].as_array().unwrap().len(), nodes);
            let start = ask(&format!("watch?n={n}"));
            assert_eq!(start["tree"]["grown"], 0);
            let end = ask(&format!("watch?n={n}&at={}", start["length"]));
            assert_eq!(end["tree"]["grown"], nodes);
        }
    }

    #[test]
    fn a_slice_counts_the_solutions_below_what_is_done() {
        let start = ask("watch?n=8");
        // After the whole search, all eight squares of row 0 are done.
        let end = ask(&format!("watch?n=8&at={}", start["length"]));
        let row: Vec<u64> = end["tree"]["rows"][0]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_u64().unwrap())
            .collect();
        assert_eq!(row, [4, 8, 16, 18, 18, 16, 8, 4]);
        let first = ask("watch?n=8&go=solution");
        assert_eq!(first["tree"]["rows"][0][0], "q");
        assert_eq!(first["tree"]["rows"][0][1], "w");
        assert_eq!(first["tree"]["rows"][1][0], "-");
    }
}
