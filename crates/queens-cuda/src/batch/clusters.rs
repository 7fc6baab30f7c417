//! Groups gathering walks that one job can count together.
//!
//! A job unfolds queens for all its pairs at once as long as their walks have the same rows. So it
//! takes walks that differ in only two rows, and puts these two last:
//!
//! ```text
//! rows of walk 1    3 5 4 | 2 7
//! rows of walk 2    3 5 4 | 1 7
//! rows of walk 3    3 5 4 | 2 6
//! ```

use crate::lists::DeviceWalk;

/// Clusters of walks that have all rows but two in common, the largest first, with at most `most`
/// walks in each. A member is the number of a walk and the lines of the first square of each of its
/// rows: first the rows in common, then the other two. Both parts keep the order of the walk, in
/// which rows near the middle of the board come first, because more squares are attacked there.
pub(crate) fn clusters(walks: &[&DeviceWalk], most: usize) -> Vec<Vec<(usize, Vec<u64>)>> {
    let first_squares = |walk: &&DeviceWalk| {
        let squares = walk.squares.iter().step_by(walk.cols as usize);
        squares.copied().collect()
    };
    // The first squares of two rows are on different diagonals.
    let bit = |lines: u64| 1u32 << (lines as u32).trailing_zeros();
    let rows: Vec<Vec<u64>> = walks.iter().map(first_squares).collect();
    let sets: Vec<u32> = rows
        .iter()
        .map(|rows| rows.iter().map(|&lines| bit(lines)).sum())
        .collect();
    let mut left: Vec<usize> = (0..walks.len()).collect();
    let mut clusters = Vec::new();
    let mut candidates = Vec::new();
    while !left.is_empty() {
        candidates.clear();
        for &walk in &left {
            for (k, &x) in rows[walk].iter().enumerate() {
                let others = rows[walk][..k].iter();
                candidates.extend(others.map(|&y| sets[walk] & !(bit(x) | bit(y))));
            }
        }
        candidates.sort_unstable();
        let runs = candidates.chunk_by(|x, y| x == y);
        let best = runs.max_by_key(|run| run.len().min(most));
        let common = best.map_or(sets[left[0]], |run| run[0]);
        let together: Vec<usize> = left
            .iter()
            .copied()
            .filter(|&walk| sets[walk] & common == common)
            .take(most)
            .collect();
        left.retain(|walk| !together.contains(walk));
        let ordered = |walk: usize| {
            let (mut first, last): (Vec<u64>, Vec<u64>) = rows[walk]
                .iter()
                .partition(|&&lines| common & bit(lines) != 0);
            first.extend(last);
            (walk, first)
        };
        clusters.push(together.into_iter().map(ordered).collect());
    }
    clusters
}
