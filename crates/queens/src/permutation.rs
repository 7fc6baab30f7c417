//! Queens as a permutation, one in each row and column, that random swaps move about.
//!
//! Rows and columns never clash, so what is left is the *energy*: the number of pairs of
//! queens on a common diagonal. Energy 0 is a solution. A proposed move exchanges the columns of
//! two random rows. Metropolis' rule always accepts it if the energy does not rise, and otherwise
//! with probability `exp(-beta * rise)`. In the long run a permutation of energy `E` then appears
//! in proportion to `exp(-beta * E)`, and all solutions equally often. `beta` is the inverse
//! temperature: 0 accepts everything, infinity no rise at all.
//!
//! The rise follows from the numbers of queens on the eight diagonals involved, so a proposal costs
//! the same at every size.
//!
//! Reference: N. Metropolis and others, Equation of state calculations by fast computing
//! machines, Journal of Chemical Physics 21 (1953).

use crate::random::Random;

/// Queens in different rows and columns.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    cols: Vec<u16>,
    /// How many queens stand on each diagonal, from `row - col = -n` on.
    diag: Vec<u16>,
    /// How many queens stand on each anti-diagonal.
    anti: Vec<u16>,
    energy: u32,
}

/// The rule that accepts moves at one temperature.
#[derive(Clone, Debug)]
pub(crate) struct Temperature {
    beta: f64,
    /// For each rise below the length, the share of the random words that accept it.
    accept: [u64; 16],
}

impl Temperature {
    pub fn new(beta: f64) -> Temperature {
        let mut accept = [0; 16];
        for (rise, accept) in accept.iter_mut().enumerate() {
            *accept = share_of_words(beta, rise as i32);
        }
        Temperature { beta, accept }
    }

    #[inline]
    fn accepts(&self, rise: i32, random: &mut Random) -> bool {
        if rise <= 0 {
            return true;
        }
        let accept = self.accept.get(rise as usize).copied();
        random.bits() < accept.unwrap_or_else(|| share_of_words(self.beta, rise))
    }
}

fn share_of_words(beta: f64, rise: i32) -> u64 {
    // A conversion from a number that is too large gives the largest word.
    ((-beta * f64::from(rise)).exp() * 2f64.powi(64)) as u64
}

impl Permutation {
    /// A random permutation, all equally likely. `n` is at most 65,535.
    pub fn shuffled(n: usize, random: &mut Random) -> Permutation {
        let mut cols: Vec<u16> = (0..n).map(|col| col as u16).collect();
        for row in (1..n).rev() {
            cols.swap(row, random.below(row as u64 + 1) as usize);
        }
        Permutation::new(cols)
    }

    fn new(cols: Vec<u16>) -> Permutation {
        let n = cols.len();
        let (mut diag, mut anti, mut energy) = (vec![0u16; 2 * n], vec![0u16; 2 * n], 0);
        for (row, &col) in cols.iter().enumerate() {
            let col = usize::from(col);
            for line in [&mut diag[row + n - col], &mut anti[row + col]] {
                energy += u32::from(*line);
                *line += 1;
            }
        }
        Permutation {
            cols,
            diag,
            anti,
            energy,
        }
    }

    /// The number of pairs of queens that attack each other.
    pub fn energy(&self) -> u32 {
        self.energy
    }

    /// The column of each row's queen.
    pub fn cols(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.cols.iter().map(|&col| usize::from(col))
    }

    /// Proposes this many moves.
    pub fn propose(&mut self, moves: usize, at: &Temperature, random: &mut Random) {
        let n = self.cols.len();
        for _ in 0..moves {
            let bits = random.bits();
            let (i, j) = (below(bits >> 32, n), below(bits & 0xffff_ffff, n));
            if i == j {
                continue;
            }
            let (ci, cj) = (usize::from(self.cols[i]), usize::from(self.cols[j]));
            let on = |row: usize, col: usize| {
                i32::from(self.diag[row + n - col]) + i32::from(self.anti[row + col])
            };
            // Each queen counts herself on both her diagonals, 4 in all; she does not attack
            // herself.
            let mut rise = on(i, cj) + on(j, ci) - (on(i, ci) + on(j, cj) - 4);
            if i.abs_diff(j) == ci.abs_diff(cj) {
                // The two attack each other before the move, which the sum counts twice instead of
                // once, and after it, which the lines do not show yet.
                rise += 2;
            }
            if !at.accepts(rise, random) {
                continue;
            }
            for (row, col) in [(i, ci), (j, cj)] {
                self.diag[row + n - col] -= 1;
                self.anti[row + col] -= 1;
            }
            for (row, col) in [(i, cj), (j, ci)] {
                self.diag[row + n - col] += 1;
                self.anti[row + col] += 1;
            }
            self.cols.swap(i, j);
            self.energy = self.energy.wrapping_add_signed(rise);
        }
    }
}

/// A number below `n` from 32 random bits; the bias of `n` in 2^32 is far below any error.
#[inline]
fn below(bits: u64, n: usize) -> usize {
    ((bits * n as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_energy_is_the_number_of_attacking_pairs_after_any_moves() {
        for n in [2, 5, 8, 30] {
            let mut random = Random::new(n as u64);
            let mut queens = Permutation::shuffled(n, &mut random);
            for beta in [0.0, 0.5, 2.0, 0.0] {
                for _ in 0..50 {
                    queens.propose(7, &Temperature::new(beta), &mut random);
                    let again = Permutation::new(queens.cols.clone());
                    assert_eq!(queens.energy, again.energy, "n = {n}");
                    assert_eq!(
                        (queens.diag.clone(), queens.anti.clone()),
                        (again.diag, again.anti)
                    );
                    let cols: Vec<usize> = queens.cols().collect();
                    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (j, i)));
                    let attacks = pairs.filter(|&(j, i)| i - j == cols[i].abs_diff(cols[j]));
                    assert_eq!(attacks.count(), queens.energy as usize);
                }
            }
        }
    }

    /// All 24 permutations of four queens, in proportion to exp(-beta E).
    #[test]
    fn permutations_are_met_as_often_as_their_energy_says() {
        let beta = 0.7;
        let at = Temperature::new(beta);
        let mut random = Random::new(3);
        let mut queens = Permutation::shuffled(4, &mut random);
        let mut seen = std::collections::BTreeMap::new();
        let draws = 100_000;
        for _ in 0..draws {
            queens.propose(20, &at, &mut random);
            *seen.entry(queens.cols.clone()).or_insert(0u32) += 1;
        }
        assert_eq!(seen.len(), 24);
        let weight =
            |cols: &[u16]| (-beta * f64::from(Permutation::new(cols.to_vec()).energy)).exp();
        let sum: f64 = seen.keys().map(|cols| weight(cols)).sum();
        let chi_squared: f64 = seen
            .iter()
            .map(|(cols, &seen)| {
                let expected = f64::from(draws) * weight(cols) / sum;
                (f64::from(seen) - expected).powi(2) / expected
            })
            .sum();
        // 23 degrees of freedom: beyond 50 once in a thousand times.
        assert!(chi_squared < 50.0, "{chi_squared}");
    }
}
