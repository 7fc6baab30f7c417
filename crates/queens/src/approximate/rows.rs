//! Stochastic enumeration: the search tree row by row, with a sample of each level.
//!
//! The search goes through all rows at once. Where a level of the tree has more nodes than can
//! be kept, an evenly spaced sample of them, with a random start, goes on and stands for all:
//! every node has the same chance, so the number of solutions found at the end, times what
//! the samples stand for, is an unbiased estimate of `Q(n)`. A level that fits is kept whole.
//! If all do, the count is exact.
//!
//! Nodes are kept in the order of the search, so an even sample takes neighbours, which are much
//! alike, in their right proportion. That is why this is much more precise than the same number of
//! Knuth's probes ([`crate::estimate`]), whose answers differ by powers of ten.
//!
//! What it cannot do is look ahead. The nodes that it keeps are typical of the first rows, not
//! of solutions, and the larger the board, the more these differ: from some 150 queens on it
//! would need populations that do not fit.
//!
//! References: R. Rubinstein, Stochastic enumeration method for counting NP-hard problems,
//! Methodology and Computing in Applied Probability 15 (2013); P. C. Chen, Heuristic sampling:
//! a method for predicting the performance of tree searching programs, SIAM Journal on
//! Computing 21 (1992); D. E. Knuth, Estimating the efficiency of backtrack programs,
//! Mathematics of Computation 29 (1975).

use crate::random::Random;

/// The largest board: a row is a 128-bit word.
pub(super) const LARGEST_N: usize = 128;

/// How many nodes of a level are kept. Larger boards need more of them.
fn population(n: usize) -> usize {
    let times = (n as f64 / 64.0).powi(2).max(1.0);
    (20_000.0 * times) as usize
}

/// One unbiased estimate of the number of solutions, as its logarithm; minus infinity if the
/// sample ends without a solution.
pub(super) fn run(n: usize, random: &mut Random) -> f64 {
    match n {
        ..=64 => levels::<u64>(n, population(n), random),
        _ => levels::<u128>(n, population(n), random),
    }
}

/// A set of columns.
trait Row: Copy {
    const EMPTY: Self;
    fn all(n: usize) -> Self;
    fn free(self, node: &Node<Self>) -> Self;
    fn len(self) -> u64;
    fn without_first(self) -> Self;
    fn first(self) -> Self;
    fn below(node: &Node<Self>, bit: Self) -> Node<Self>;
}

/// Some queens in the first rows: their columns, and those of the next row that their
/// diagonals take.
#[derive(Clone, Copy)]
struct Node<R> {
    cols: R,
    diag: R,
    anti: R,
}

macro_rules! row {
    ($word:ty) => {
        impl Row for $word {
            const EMPTY: $word = 0;

            fn all(n: usize) -> $word {
                <$word>::MAX >> (<$word>::BITS as usize - n)
            }

            fn free(self, node: &Node<$word>) -> $word {
                self & !(node.cols | node.diag | node.anti)
            }

            fn len(self) -> u64 {
                u64::from(self.count_ones())
            }

            fn without_first(self) -> $word {
                self & (self - 1)
            }

            fn first(self) -> $word {
                self & self.wrapping_neg()
            }

            fn below(node: &Node<$word>, bit: $word) -> Node<$word> {
                Node {
                    cols: node.cols | bit,
                    diag: (node.diag | bit) << 1,
                    anti: (node.anti | bit) >> 1,
                }
            }
        }
    };
}
row!(u64);
row!(u128);

fn levels<R: Row>(n: usize, keep: usize, random: &mut Random) -> f64 {
    let all = R::all(n);
    let mut level = vec![Node {
        cols: R::EMPTY,
        diag: R::EMPTY,
        anti: R::EMPTY,
    }];
    let mut next = Vec::with_capacity(keep + 1);
    let mut estimate = 0.0;
    for _ in 0..n {
        let nodes: u64 = level.iter().map(|node| all.free(node).len()).sum();
        // Each node kept stands for this many.
        let step = (nodes as f64 / keep as f64).max(1.0);
        estimate += step.ln();
        let mut at = if step > 1.0 {
            random.share() * step
        } else {
            0.0
        };
        next.clear();
        let mut passed = 0;
        for node in &level {
            let mut free = all.free(node);
            let end = passed + free.len();
            // The squares of this row that the sample takes.
            while at < end as f64 {
                while passed < at as u64 {
                    free = free.without_first();
                    passed += 1;
                }
                next.push(R::below(node, free.first()));
                at += step;
            }
            passed = end;
        }
        std::mem::swap(&mut level, &mut next);
    }
    estimate + (level.len() as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_that_fits_is_counted() {
        for (n, expected) in [(4, 2.0), (6, 4.0), (8, 92.0), (9, 352.0)] {
            let counted = run(n, &mut Random::new(1));
            assert!((counted - f64::ln(expected)).abs() < 1e-9, "n = {n}");
        }
    }

    /// With few nodes the estimates are poor, but not wrong on average.
    #[test]
    fn small_samples_are_unbiased() {
        let runs = 4_000;
        let estimates: Vec<f64> = (0..runs)
            .map(|seed| levels::<u128>(8, 20, &mut Random::new(1_000_003 * seed)).exp())
            .collect();
        let mean = estimates.iter().sum::<f64>() / runs as f64;
        let squares: f64 = estimates.iter().map(|x| (x - mean).powi(2)).sum();
        let error = (squares / (runs * runs) as f64).sqrt();
        assert!(error > 0.3 && error < 3.0, "{error}");
        assert!((mean - 92.0).abs() < 4.0 * error, "{mean} +- {error}");
    }
}
