//! Cores in orbits: a core and all that a permutation of the rows makes of it.
//!
//! There are tens of thousands of cores to choose from, far too many for a search. So the search
//! chooses whole orbits: all images of a core under a permutation, together. There are a few times
//! fewer orbits than cores, and the answers are better. Small permutations serve best: they move
//! some rows round in short cycles and leave the others where they are.
//!
//! ```text
//!   cycles of 3 and 3 on 8 rows      0 1 2 3 4 5 6 7
//!                                    0 1 4 2 3 7 5 6       the last rows are moved
//! ```
//!
//! The wanted row sets are often those up to some rank, and the first rows matter most to the rank.
//! So permuting the last rows hardly changes which row sets are wanted.

use super::super::super::sets::Set;
use super::cores::Candidate;
use super::search::Choice;

/// A permutation of rows.
pub(super) struct Permutation(Vec<u32>);

impl Permutation {
    /// Moves the last rows in cycles of these lengths; `None` if there are too few rows.
    pub fn new(rows: u32, cycles: &[u32]) -> Option<Permutation> {
        let mut image: Vec<u32> = (0..rows).collect();
        let mut end = rows;
        for &length in cycles {
            let start = end.checked_sub(length)?;
            image[start as usize..end as usize].rotate_left(1);
            end = start;
        }
        Some(Permutation(image))
    }

    fn image(&self, set: Set) -> Set {
        let rows = set.into_iter().map(|row| self.0[row as usize]);
        rows.fold(Set::EMPTY, Set::with)
    }

    /// Something and all its different images.
    fn orbit<T: Copy + PartialEq>(&self, first: T, image: impl Fn(T) -> T) -> Vec<T> {
        let mut orbit = vec![first];
        let mut next = image(first);
        while next != first {
            orbit.push(next);
            next = image(next);
        }
        orbit
    }

    /// How many orbits the wanted sets have; then the orbits of the candidates, each as a choice; and
    /// for each of these its cores that serve a wanted set.
    pub fn choices(
        &self,
        candidates: &[Candidate],
        wanted: &[bool],
    ) -> (usize, Vec<Choice>, Vec<Vec<Candidate>>) {
        // An orbit that has a wanted set is wanted as a whole.
        let mut orbit_of = vec![None; wanted.len()];
        let mut orbits = 0;
        for place in (0..wanted.len()).filter(|&place| wanted[place]) {
            if orbit_of[place].is_none() {
                for set in self.orbit(Set(place as u32), |set| self.image(set)) {
                    orbit_of[set.place()] = Some(orbits as u32);
                }
                orbits += 1;
            }
        }
        let (mut choices, mut members) = (Vec::new(), Vec::new());
        for &candidate in candidates {
            let image = |core: Candidate| Candidate {
                core: self.image(core.core),
                open: self.image(core.open),
            };
            let mut orbit = self.orbit(candidate, image);
            // Its smallest member stands for it.
            if orbit.iter().any(|&other| other < candidate) {
                continue;
            }
            orbit.retain(|core| core.row_sets().any(|(set, _)| wanted[set.place()]));
            if orbit.is_empty() {
                continue;
            }
            let row_sets = candidate.row_sets();
            let mut elements: Vec<u32> = row_sets
                .filter_map(|(set, _)| orbit_of[set.place()])
                .collect();
            elements.sort_unstable();
            elements.dedup();
            choices.push(Choice {
                elements,
                cost: orbit.len() as u32,
            });
            members.push(orbit);
        }
        (orbits, choices, members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rows_go_round() {
        let permutation = Permutation::new(8, &[3, 3]).unwrap();
        assert_eq!(permutation.0, [0, 1, 3, 4, 2, 6, 7, 5]);
        let set = Set(0b0110_0001);
        let orbit = permutation.orbit(set, |set| permutation.image(set));
        assert_eq!(orbit.len(), 3);
        assert!(orbit.iter().all(|set| set.len() == 3 && set.contains(0)));
        assert!(Permutation::new(5, &[3, 3]).is_none());
    }
}
