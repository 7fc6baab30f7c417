//! Approximately uniform solutions by a Markov chain.
//!
//! A random permutation is cooled down step by step, by the moves of [`crate::permutation`], to
//! the temperature at which about every third permutation that it meets is a solution. There it is
//! mixed for a fixed number of moves per queen. If it is then a solution, that is the draw. If not,
//! it is thrown away, and another chain begins. The time is fixed in advance, so a well-mixed chain
//! shows every solution equally often. (To wait until a chain shows one would count visits instead
//! of times: a crowd of neighbouring solutions, seen again and again in one visit, would be drawn
//! too rarely.)
//!
//! Each draw has chains of its own, from starts of their own, so draws are independent. Nobody can
//! prove how long a chain must be mixed. At this temperature one move in a hundred is accepted, so
//! each queen has moved about a hundred times: far more often than it takes to forget where she
//! stood, if no part of the solutions is hard to reach. Neither the tests nor the estimates of
//! [`crate::approximate`], which rest on the same moves and agree with exact counts, show a sign of
//! such a part.
//!
//! References: N. Metropolis and others, Journal of Chemical Physics 21 (1953); S. Kirkpatrick,
//! C. D. Gelatt and M. P. Vecchi, Optimization by simulated annealing, Science 220 (1983).

use crate::permutation::{Permutation, Temperature};
use crate::random::Random;
use crate::solution::Solution;

/// The number of temperatures on the way down is this times the square root of `n`.
const STEPS: f64 = 16.0;

/// Proposed moves per queen at each of them.
const MOVES_COOLING: usize = 4;

/// Proposed moves per queen when it is cold enough.
const MOVES_MIXING: usize = 5_000;

/// Draws solutions of one board, each approximately uniform.
///
/// ```
/// use queens::sample::Chain;
///
/// let chain = Chain::new(100, 1).unwrap();
/// let solution = chain.draw(0);
/// assert_eq!(solution, chain.draw(0)); // the same seed and number, the same solution
/// assert_ne!(solution, chain.draw(1));
/// ```
#[derive(Clone, Debug)]
pub struct Chain {
    n: usize,
    seed: u64,
}

impl Chain {
    /// The largest board.
    pub const LARGEST_N: usize = 1000;

    /// For a board of size `n`; `None` for 0, above [`Chain::LARGEST_N`], and for 2 and 3,
    /// which have no solution.
    pub fn new(n: usize, seed: u64) -> Option<Chain> {
        let has_solutions = (1..=Self::LARGEST_N).contains(&n) && n != 2 && n != 3;
        has_solutions.then_some(Chain { n, seed })
    }

    /// How many moves per queen are proposed to mix each draw.
    pub fn moves(&self) -> usize {
        MOVES_MIXING
    }

    /// The draw of this number. Draws can be made in any order and on any threads.
    pub fn draw(&self, number: u64) -> Solution {
        let mut seeds = Random::at(self.seed, number.wrapping_mul(2));
        let mut random = Random::new(seeds.bits() ^ seeds.bits().rotate_left(32));
        loop {
            let queens = self.mixed(&mut random);
            if queens.energy() == 0 {
                return Solution::found(queens.cols().collect());
            }
        }
    }

    /// A permutation from a chain that was cooled and mixed.
    fn mixed(&self, random: &mut Random) -> Permutation {
        let n = self.n;
        let mut queens = Permutation::shuffled(n, random);
        // The mean energy is about n exp(-beta): 1 at the end.
        let steps = (STEPS * (n as f64).sqrt()).ceil() as usize;
        let coldest = (n as f64).powf(-0.5);
        for step in 1..steps {
            let x = 1.0 - (1.0 - coldest) * step as f64 / steps as f64;
            let temperature = Temperature::new(-2.0 * x.ln());
            queens.propose(MOVES_COOLING * n, &temperature, random);
        }
        let temperature = Temperature::new((n as f64).ln());
        queens.propose(MOVES_MIXING * n, &temperature, random);
        queens
    }
}

#[cfg(test)]
mod tests {
    use super::super::exact::tests::chi_squared;
    use super::*;
    use crate::check::check;
    use crate::placement::Placement;

    /// 91 degrees of freedom: beyond 137 once in a thousand times.
    #[test]
    fn the_92_solutions_of_eight_queens_are_equally_likely() {
        let chain = Chain::new(8, 1).unwrap();
        let draws = (0..92 * 40).map(|number| chain.draw(number));
        let sum = chi_squared(8, draws);
        assert!(sum < 137.0, "{sum}");
    }

    /// By symmetry the solutions of one class are equally likely, so few draws show whether classes
    /// are as likely as they are large. 5 degrees of freedom: beyond 20.5 once in a thousand times.
    #[test]
    fn the_six_classes_of_seven_queens_are_as_likely_as_they_are_large() {
        const DRAWS: u64 = 6_000;
        let chain = Chain::new(7, 1).unwrap();
        let mut classes = std::collections::BTreeMap::<Solution, (f64, f64)>::new();
        for solution in crate::solutions(7) {
            classes.entry(solution.fundamental()).or_default().0 += DRAWS as f64 / 40.0;
        }
        for number in 0..DRAWS {
            let drawn = chain.draw(number).fundamental();
            classes.get_mut(&drawn).unwrap().1 += 1.0;
        }
        assert_eq!(classes.len(), 6);
        let apart = |(expected, drawn): &(f64, f64)| (drawn - expected).powi(2) / expected;
        let sum: f64 = classes.values().map(apart).sum();
        assert!(sum < 20.5, "{sum}");
    }

    #[test]
    fn large_boards_get_solutions() {
        for n in [1, 4, 5, 21, 64, 250, 1000] {
            let solution = Chain::new(n, 3).unwrap().draw(5);
            assert!(check(&Placement::from(&solution)).is_solution(), "n = {n}");
        }
        for n in [0, 2, 3, 1001] {
            assert!(Chain::new(n, 0).is_none());
        }
    }
}
