//! Population annealing: permutations cooled down until no queen attacks another.
//!
//! Of the `n!` ways to put one queen in each row and column, the share that are solutions is far
//! too small to meet one at random. So the method splits the share into many steps, each a ratio
//! near 1: let `Z(beta)` be the sum of `exp(-beta * energy)` over all permutations, with the energy
//! of [`crate::permutation`]; then `Z(0) = n!` and `Z(infinity) = Q(n)`. A population begins with
//! random permutations. Every step cools it: members are weighed by `exp(-step * energy)`, the mean
//! weight estimates the ratio of the two `Z`, and a few random moves at the new temperature let
//! them find their places. When the weights have become too different, members are drawn anew in
//! proportion to them. The last step keeps the solutions.
//!
//! The product of the mean weights and `n!` is an unbiased estimate of `Q(n)`, however few the
//! moves: too few only make it less precise. This requires that the temperatures are fixed in
//! advance.
//!
//! The temperatures are evenly spaced in `exp(-beta / 2)`, to which the spread of the energy is
//! about proportional, and a little denser where it is cold. There the population also makes more
//! moves, since fewer of them are accepted.
//!
//! References: R. M. Neal, Annealed importance sampling, Statistics and Computing 11 (2001);
//! K. Hukushima and Y. Iba, Population annealing and its application to a spin glass, AIP
//! Conference Proceedings 690 (2003); P. Del Moral, A. Doucet and A. Jasra, Sequential Monte
//! Carlo samplers, Journal of the Royal Statistical Society B 68 (2006). The energy is that of
//! C. Zhang and J. Ma, Counting solutions for the N-queens and Latin-square problems by Monte
//! Carlo simulations, Physical Review E 79, 016703 (2009).

use crate::permutation::{Permutation, Temperature};
use crate::random::Random;

/// Members of a population.
const POPULATION: usize = 50;

/// The number of temperatures is this times the square root of `n`.
const STEPS: f64 = 16.0;

/// At the last temperature the mean energy is about this.
const LAST_ENERGY: f64 = 0.1;

/// Below 1, the temperatures crowd where it is cold.
const CROWDING: f64 = 0.7;

/// Proposed moves per queen at a temperature: one where it is hot, and this many more where it
/// is cold.
const COLD_MOVES: f64 = 6.0;

/// Members are drawn anew when the weights are worth less than this share of equal ones.
const WORTH: f64 = 0.5;

/// One unbiased estimate of the number of solutions, as its logarithm; minus infinity if the
/// population ends without a solution.
pub(super) fn run(n: usize, random: &mut Random) -> f64 {
    let mut queens: Vec<Permutation> = (0..POPULATION)
        .map(|_| Permutation::shuffled(n, random))
        .collect();
    let mut weights = Weights::new(POPULATION);
    let (mut beta, mut estimate) = (0.0, ln_factorial(n));
    let coldest = (LAST_ENERGY / n as f64).sqrt().min(0.5);
    let steps = (STEPS * (n as f64).sqrt()).ceil();
    for step in 1..=steps as u32 {
        let share = (f64::from(step) / steps).powf(CROWDING);
        let colder = -2.0 * (1.0 - (1.0 - coldest) * share).ln();
        weights.multiply(&queens, |energy| (beta - colder) * f64::from(energy));
        beta = colder;
        if weights.worth() < WORTH {
            estimate += weights.ln_mean();
            weights.draw_anew(&mut queens, random);
        }
        let temperature = Temperature::new(beta);
        let moves = (n as f64 * (1.0 + COLD_MOVES * share)) as usize;
        for queens in &mut queens {
            queens.propose(moves, &temperature, random);
        }
    }
    let solution = |energy| if energy == 0 { 0.0 } else { f64::NEG_INFINITY };
    weights.multiply(&queens, solution);
    estimate + weights.ln_mean()
}

/// The logarithms of the weights of a population.
struct Weights {
    ln: Vec<f64>,
}

impl Weights {
    fn new(members: usize) -> Weights {
        Weights {
            ln: vec![0.0; members],
        }
    }

    fn multiply(&mut self, queens: &[Permutation], ln_factor: impl Fn(u32) -> f64) {
        for (ln, queens) in self.ln.iter_mut().zip(queens) {
            *ln += ln_factor(queens.energy());
        }
    }

    /// The weights as shares of the largest, and the logarithm of the largest. All shares are 0 if
    /// all weights are.
    fn scaled(&self) -> (Vec<f64>, f64) {
        let largest = self.ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let scaled = self.ln.iter().map(|ln| match largest.is_finite() {
            true => (ln - largest).exp(),
            false => 0.0,
        });
        (scaled.collect(), largest)
    }

    fn ln_mean(&self) -> f64 {
        let (weights, largest) = self.scaled();
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        largest + mean.ln()
    }

    /// The effective sample size, as a share of the members: equal weights give 1.
    fn worth(&self) -> f64 {
        let (weights, _) = self.scaled();
        let sum: f64 = weights.iter().sum();
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        sum * sum / squares / weights.len() as f64
    }

    /// Draws the same number of members in proportion to their weights, evenly spaced with a random
    /// start: each comes as often as its weight says on average, and always within 1 of that.
    /// Afterwards all weigh the same.
    fn draw_anew(&mut self, queens: &mut [Permutation], random: &mut Random) {
        let (weights, _) = self.scaled();
        let members = weights.len();
        let step = weights.iter().sum::<f64>() / members as f64;
        let start = random.share();
        let (mut sum, mut drawn) = (0.0, 0);
        let copies: Vec<usize> = weights
            .iter()
            .map(|weight| {
                sum += weight;
                let before = drawn;
                while drawn < members && (drawn as f64 + start) * step < sum {
                    drawn += 1;
                }
                drawn - before
            })
            .collect();
        // A member that was not drawn gives its place to a further copy of one that was drawn
        // twice.
        let mut places: Vec<usize> = (0..members).filter(|&member| copies[member] == 0).collect();
        for member in 0..members {
            for _ in 1..copies[member] {
                if let Some(place) = places.pop() {
                    queens[place] = queens[member].clone();
                }
            }
        }
        self.ln.fill(0.0);
    }
}

/// The logarithm of `n!`.
fn ln_factorial(n: usize) -> f64 {
    (2..=n).map(|k| (k as f64).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_drawn_as_often_as_their_weight_says() {
        let mut random = Random::new(1);
        let ln = [1.0f64, 2.0, 0.5, 0.0, 4.5].map(f64::ln);
        let mut copies = [0u32; 5];
        let draws = 20_000;
        for _ in 0..draws {
            let mut queens: Vec<_> = (0..5)
                .map(|k| Permutation::shuffled(k + 2, &mut random))
                .collect();
            let mut weights = Weights { ln: ln.to_vec() };
            assert!((weights.ln_mean() - (8.0f64 / 5.0).ln()).abs() < 1e-12);
            weights.draw_anew(&mut queens, &mut random);
            for queens in &queens {
                copies[queens.cols().len() - 2] += 1;
            }
        }
        for (copies, ln) in copies.iter().zip(ln) {
            let expected = f64::from(draws) * 5.0 * ln.exp() / 8.0;
            assert!((f64::from(*copies) - expected).abs() < 0.02 * f64::from(draws));
        }
    }

    #[test]
    fn equal_weights_are_worth_all_and_one_alone_is_worth_one() {
        let mut weights = Weights::new(4);
        assert_eq!(weights.worth(), 1.0);
        weights.ln[1..].fill(f64::NEG_INFINITY);
        assert_eq!(weights.worth(), 0.25);
        weights.ln.fill(f64::NEG_INFINITY);
        assert_eq!(weights.ln_mean(), f64::NEG_INFINITY);
    }
}
