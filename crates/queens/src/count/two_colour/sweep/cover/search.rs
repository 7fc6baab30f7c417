//! A search for few sets that have all elements between them.
//!
//! This is the set cover problem, for which nobody knows a quick way to the best answer. The search
//! begins with a greedy answer and then repeats two steps. It gives up the set that is missed least.
//! Then it takes others until every element is there again, or until that costs as much as the best
//! answer so far. Three rules keep it from going round in circles:
//!
//! - Elements that are missing after a step get heavier. The score of a set is the weight of the
//!   elements that it alone has or, if it is not taken, would add. So the next sets are chosen for
//!   the elements that were missing for long.
//! - A set that was given up is not taken again before something has changed in it: giving up another
//!   set has left one of its elements missing.
//! - A set that was just taken is not given up in the next step. Among equals, the one that has rested
//!   longest is chosen.
//!
//! It stops after a given amount of work, not of time, so the answer is the same on every machine.

use crate::random::Random;

/// A set that may be taken.
pub(super) struct Choice {
    /// Its elements, each once.
    pub elements: Vec<u32>,
    /// What it costs, at least 1.
    pub cost: u32,
}

/// The numbers of some choices that have the elements `0..elements` between them, and cost little
/// together. Every element must be in some choice. `work` is roughly how many scores may be changed.
pub(super) fn few(elements: usize, choices: &[Choice], work: u64) -> Vec<usize> {
    if elements == 0 {
        return Vec::new();
    }
    let mut search = Search::new(elements, choices);
    search.begin();
    search.improve(work);
    search.best
}

/// The state of a search.
struct Search<'a> {
    choices: &'a [Choice],
    /// For each element the choices that have it.
    having: Vec<Vec<u32>>,
    weight: Vec<i64>,
    /// For each element how many of the taken choices have it, and the exclusive or of their numbers; if
    /// only one has it, that is its number.
    held: Vec<u32>,
    holders: Vec<u32>,
    /// The elements that are missing, and where each stands among them.
    missing: Vec<u32>,
    place: Vec<usize>,
    /// The weight of the missing elements that a choice would add; of one that is taken, the weight of those
    /// that it alone has.
    score: Vec<i64>,
    /// When a choice was last taken or given up.
    moved: Vec<u64>,
    /// Whether something has changed in a choice since it was given up.
    changed: Vec<bool>,
    taken: Vec<usize>,
    cost: u32,
    /// Choices that must not be given up now.
    fresh: Vec<usize>,
    best: Vec<usize>,
    best_cost: u32,
    work: u64,
}

impl Search<'_> {
    fn new(elements: usize, choices: &[Choice]) -> Search<'_> {
        let mut having = vec![Vec::new(); elements];
        for (number, choice) in choices.iter().enumerate() {
            for &element in &choice.elements {
                having[element as usize].push(number as u32);
            }
        }
        let score = choices.iter().map(|choice| choice.elements.len() as i64);
        Search {
            score: score.collect(),
            choices,
            having,
            weight: vec![1; elements],
            held: vec![0; elements],
            holders: vec![0; elements],
            missing: (0..elements as u32).collect(),
            place: (0..elements).collect(),
            moved: vec![0; choices.len()],
            changed: vec![true; choices.len()],
            taken: Vec::new(),
            cost: 0,
            fresh: Vec::new(),
            best: Vec::new(),
            best_cost: u32::MAX,
            work: 0,
        }
    }

    /// Takes choices greedily until nothing is missing.
    fn begin(&mut self) {
        let mut left: Vec<usize> = (0..self.choices.len()).collect();
        while !self.missing.is_empty() {
            let best = left.iter().copied().reduce(|best, other| {
                if self.is_better(other, best) {
                    other
                } else {
                    best
                }
            });
            // Every element is in some choice.
            let Some(best) = best else { break };
            left.retain(|&choice| choice != best);
            self.take(best);
        }
    }

    /// Gives up choices and takes others, as long as there is work left.
    fn improve(&mut self, most_work: u64) {
        let mut random = Random::new(1);
        for time in 1.. {
            while self.missing.is_empty() {
                self.note();
                self.fresh.clear();
                let Some(worst) = self.worst() else { return };
                self.give_up(worst, time);
            }
            if self.work > most_work {
                return;
            }
            if let Some(worst) = self.worst() {
                self.give_up(worst, time);
            }
            self.fresh.clear();
            while !self.missing.is_empty() {
                let element = self.missing[random.below(self.missing.len() as u64) as usize];
                let Some(choice) = self.best_with(element) else {
                    break;
                };
                if self.cost + self.choices[choice].cost >= self.best_cost {
                    break;
                }
                self.take(choice);
                self.moved[choice] = time;
                self.fresh.push(choice);
                self.make_missing_heavier();
            }
            self.make_missing_heavier();
        }
    }

    /// Notes the taken choices if they are the best so far.
    fn note(&mut self) {
        if self.cost < self.best_cost {
            self.best_cost = self.cost;
            self.best.clone_from(&self.taken);
        }
    }

    /// The scores of two choices, each times the cost of the other: they compare as the scores per
    /// cost would.
    fn scores(&self, one: usize, other: usize) -> (i64, i64) {
        let cost = |choice: usize| i64::from(self.choices[choice].cost);
        (self.score[one] * cost(other), self.score[other] * cost(one))
    }

    /// Whether to take the first of two choices rather than the second.
    fn is_better(&self, one: usize, other: usize) -> bool {
        let (first, second) = self.scores(one, other);
        first > second || (first == second && self.moved[one] < self.moved[other])
    }

    /// The best choice that has an element.
    fn best_with(&mut self, element: u32) -> Option<usize> {
        let having = &self.having[element as usize];
        self.work += having.len() as u64;
        let open = having.iter().map(|&choice| choice as usize);
        open.filter(|&choice| self.changed[choice])
            .reduce(|best, other| {
                if self.is_better(other, best) {
                    other
                } else {
                    best
                }
            })
    }

    /// The taken choice that will be missed least.
    fn worst(&mut self) -> Option<usize> {
        self.work += self.taken.len() as u64;
        let taken = self.taken.iter().copied();
        taken
            .filter(|choice| !self.fresh.contains(choice))
            .reduce(|worst, other| {
                let (first, second) = self.scores(other, worst);
                let rested = self.moved[other] < self.moved[worst];
                let is_worse = first < second || (first == second && rested);
                if is_worse { other } else { worst }
            })
    }

    fn take(&mut self, choice: usize) {
        self.taken.push(choice);
        self.cost += self.choices[choice].cost;
        let score = self.score[choice];
        for &element in &self.choices[choice].elements {
            let element = element as usize;
            self.held[element] += 1;
            self.holders[element] ^= choice as u32;
            let weight = self.weight[element];
            match self.held[element] {
                1 => {
                    self.add_to_having(element, -weight);
                    let place = self.place[element];
                    self.missing.swap_remove(place);
                    if let Some(&moved) = self.missing.get(place) {
                        self.place[moved as usize] = place;
                    }
                }
                // The choice that had it alone no longer does.
                2 => self.score[(self.holders[element] ^ choice as u32) as usize] -= weight,
                _ => {}
            }
        }
        self.score[choice] = score;
    }

    fn give_up(&mut self, choice: usize, time: u64) {
        self.taken.retain(|&other| other != choice);
        self.cost -= self.choices[choice].cost;
        let score = self.score[choice];
        for &element in &self.choices[choice].elements {
            let element = element as usize;
            self.held[element] -= 1;
            self.holders[element] ^= choice as u32;
            let weight = self.weight[element];
            match self.held[element] {
                0 => {
                    self.add_to_having(element, weight);
                    for &other in &self.having[element] {
                        self.changed[other as usize] = true;
                    }
                    self.place[element] = self.missing.len();
                    self.missing.push(element as u32);
                }
                // The choice that is left has it alone.
                1 => self.score[self.holders[element] as usize] += weight,
                _ => {}
            }
        }
        self.score[choice] = score;
        self.changed[choice] = false;
        self.moved[choice] = time;
    }

    fn make_missing_heavier(&mut self) {
        for place in 0..self.missing.len() {
            let element = self.missing[place] as usize;
            self.weight[element] += 1;
            self.add_to_having(element, 1);
        }
    }

    /// Adds to the scores of all choices that have an element.
    fn add_to_having(&mut self, element: usize, weight: i64) {
        let having = &self.having[element];
        self.work += having.len() as u64;
        for &choice in having {
            self.score[choice as usize] += weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(sets: &[&[u32]]) -> Vec<Choice> {
        let choice = |set: &&[u32]| Choice {
            elements: set.to_vec(),
            cost: 1,
        };
        sets.iter().map(choice).collect()
    }

    #[test]
    fn greed_is_overcome() {
        // Greedily one takes the set of four first, and needs three.
        let choices = choices(&[&[0, 1, 2], &[3, 4, 5], &[1, 2, 3, 4]]);
        let mut found = few(6, &choices, 1_000);
        found.sort_unstable();
        assert_eq!(found, [0, 1]);
    }

    #[test]
    fn a_dear_set_is_left_where_cheap_ones_do() {
        let mut choices = choices(&[&[0, 1, 2, 3], &[0, 1], &[2, 3]]);
        choices[0].cost = 3;
        let mut found = few(4, &choices, 1_000);
        found.sort_unstable();
        assert_eq!(found, [1, 2]);
    }

    #[test]
    fn nothing_is_needed_for_nothing() {
        assert!(few(0, &[], 10).is_empty());
    }
}
