//! The column sets that a core's queens take, level by level.
//!
//! The rows of a core are filled one after the other. After `k` rows, partial placements in the same
//! `k` columns are kept together, whichever queen stands in which column. From a set of columns the
//! next row leads to every set with one more column:
//!
//! ```text
//!   level 1      {0}   {1}   {2}   {3}
//!                  \  /  \  /
//!   level 2       {0,1} {1,2}  ...           {0,1} has what comes from {0} and from {1}
//! ```
//!
//! Sets that lead to no visited column set are left out.

use super::super::sets::Set;

/// The column sets of a board that lead to visited ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// `sets[k]` has the sets of `k` columns, in rising order.
    pub sets: Vec<Vec<u16>>,
}

impl Levels {
    /// The levels 0 to `depth` on a board with this many columns, where `visited` tells which sets of
    /// `depth + 2` columns are visited.
    pub(crate) fn new(cols: u32, depth: u32, visited: impl Fn(Set) -> bool) -> Levels {
        let mut wanted: Vec<bool> = (0..1 << cols)
            .map(|word| Set(word).len() == depth + 2 && visited(Set(word)))
            .collect();
        for size in (0..depth + 2).rev() {
            for set in Set::all(cols, size) {
                let mut larger = set.complement(cols).into_iter().map(|col| set.with(col));
                wanted[set.place()] = larger.any(|set| wanted[set.place()]);
            }
        }
        let level = |size| -> Vec<u16> {
            let sets = Set::all(cols, size).filter(|set| wanted[set.place()]);
            sets.map(|set| set.0 as u16).collect()
        };
        Levels {
            sets: (0..=depth).map(level).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_there_exactly_if_a_visited_one_contains_it() {
        for (cols, depth) in [(4, 0), (5, 2), (7, 3), (8, 4)] {
            let visited = |set: Set| set.0.is_multiple_of(5);
            let levels = Levels::new(cols, depth, visited);
            for size in 0..=depth {
                let leads = |set: &Set| {
                    let mut larger = Set::all(cols, depth + 2).filter(|&set| visited(set));
                    larger.any(|larger| larger & *set == *set)
                };
                let expected: Vec<u16> = Set::all(cols, size)
                    .filter(leads)
                    .map(|set| set.0 as u16)
                    .collect();
                assert_eq!(levels.sets[size as usize], expected);
            }
        }
    }
}
