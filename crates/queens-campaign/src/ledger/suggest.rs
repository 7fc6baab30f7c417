//! Estimates the whole count from the units that are done, and how far the estimate may be off.
//!
//! Neighbouring units of a class have similar counts. So the units that are done are grouped into
//! *runs* of neighbours, and a run stands for all units of its stretch: their mean count is taken
//! to be the mean of the run. A stretch ends halfway to the next run:
//!
//! ```text
//! done     #..#.#...#..  .#..#.##..#.
//!          first run     second run
//! ```
//!
//! The spread of the counts within a run says how far off this may be, as for a random sample of
//! each stretch. The units of a campaign are not drawn at random but taken in even steps. That
//! estimates the mean better, so the interval is too wide rather than too narrow.

use std::collections::BTreeMap;

use super::campaign::Campaign;
use super::error::LedgerError;

/// How many units make a run, if there are that many.
const RUN: usize = 16;

/// Half of a 95 % interval, in standard errors.
const MARGIN: f64 = 1.96;

/// An estimate of the number of all solutions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suggested {
    /// The expected count.
    pub count: f64,
    /// The lower end of a 95 % interval, never below what is already counted.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Campaign {
    /// Estimates the whole count, assuming that units not done are like their neighbours of the
    /// same class. `class` gives the class of an engine unit. `None` for a complete campaign, or if
    /// more than one unit in a hundred belongs to a class with nothing done.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn suggested(&self, class: &dyn Fn(u64) -> u32) -> Result<Option<Suggested>, LedgerError> {
        let mut classes = BTreeMap::<u32, Vec<Option<u64>>>::new();
        self.each_planned(&mut |first, count| {
            classes.entry(class(first)).or_default().push(count);
        })
        .map_err(|e| self.explain(e))?;
        Ok(suggest(classes.values().map(Vec::as_slice)))
    }
}

/// The same from each class's units in order: the counts of those that are done.
fn suggest<'a>(classes: impl Iterator<Item = &'a [Option<u64>]> + Clone) -> Option<Suggested> {
    let units: usize = classes.clone().map(<[_]>::len).sum();
    let (mut done, mut unlike) = (0, 0);
    let (mut counted, mut count, mut variance) = (0.0, 0.0, 0.0);
    for class in classes {
        let known: Vec<(usize, f64)> = class
            .iter()
            .enumerate()
            .filter_map(|(place, count)| Some((place, (*count)? as f64)))
            .collect();
        if known.is_empty() {
            unlike += class.len();
        }
        done += known.len();
        counted += known.iter().map(|&(_, count)| count).sum::<f64>();
        for (stretch, run) in stretches(class.len(), &known) {
            let (stretch, size) = (stretch as f64, run.len() as f64);
            let mean = run.iter().map(|&(_, count)| count).sum::<f64>() / size;
            count += stretch * mean;
            // A single unit does not show how much others differ; the spread is taken to be its
            // count.
            let spread = match run.len() {
                1 => mean * mean,
                _ => {
                    let squares = run.iter().map(|&(_, count)| (count - mean).powi(2));
                    squares.sum::<f64>() / (size - 1.0)
                }
            };
            variance += stretch * (stretch - size) * spread / size;
        }
    }
    if done == units || 100 * unlike > units {
        return None;
    }
    let margin = MARGIN * variance.sqrt();
    Some(Suggested {
        count,
        low: (count - margin).max(counted),
        high: count + margin,
    })
}

/// The runs of a class of `units` units, each with the length of its stretch before it.
fn stretches(
    units: usize,
    known: &[(usize, f64)],
) -> impl Iterator<Item = (usize, &[(usize, f64)])> {
    let runs = match known.len() {
        0 => 0,
        known => (known / RUN).max(1),
    };
    // Where a run begins, and where its stretch begins.
    let first = move |run: usize| run * known.len() / runs;
    let begin = move |run: usize| match run {
        0 => 0,
        run if run == runs => units,
        run => (known[first(run) - 1].0 + known[first(run)].0) / 2 + 1,
    };
    (0..runs).map(move |run| {
        (
            begin(run + 1) - begin(run),
            &known[first(run)..first(run + 1)],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::count::two_colour::{Counter, Simd};
    use std::sync::atomic::AtomicBool;

    /// The counts of all units of a board, by class.
    fn counts(n: usize) -> BTreeMap<u32, Vec<u64>> {
        let mut counter = Counter::new(n, Simd::Auto.resolve()).unwrap();
        let mut classes = BTreeMap::<u32, Vec<u64>>::new();
        for unit in 0..counter.units().len() {
            let count = counter.count(unit, &AtomicBool::new(false)).unwrap();
            let class = counter.units().class(unit);
            classes.entry(class).or_default().push(count);
        }
        classes
    }

    /// The estimate if `is_done` says which units are done, in the order of all units.
    fn suggested(
        classes: &BTreeMap<u32, Vec<u64>>,
        mut is_done: impl FnMut() -> bool,
    ) -> Option<Suggested> {
        let some: Vec<Vec<Option<u64>>> = classes
            .values()
            .map(|counts| counts.iter().map(|&c| is_done().then_some(c)).collect())
            .collect();
        suggest(some.iter().map(Vec::as_slice))
    }

    #[test]
    fn every_unit_belongs_to_one_stretch() {
        for units in 0..200 {
            for step in 1..12 {
                let known: Vec<(usize, f64)> = (0..units).step_by(step).map(|u| (u, 1.0)).collect();
                let all: usize = stretches(units, &known).map(|(stretch, _)| stretch).sum();
                let runs: usize = stretches(units, &known).map(|(_, run)| run.len()).sum();
                assert_eq!((all, runs), (units, known.len()), "{units} by {step}");
                assert!(stretches(units, &known).all(|(stretch, run)| stretch >= run.len()));
            }
        }
    }

    #[test]
    fn nothing_is_suggested_where_all_or_nothing_is_known() {
        let classes = counts(14);
        assert_eq!(suggested(&classes, || true), None);
        assert_eq!(suggested(&classes, || false), None);
    }

    #[test]
    fn the_interval_is_never_below_what_is_counted() {
        let class = [Some(1), Some(1000), None, Some(1), None];
        let suggested = suggest([&class[..]].into_iter()).unwrap();
        assert_eq!(suggested.low, 1002.0);
        assert_eq!(suggested.count, 5.0 * 334.0);
        let missing = [Some(7); 3];
        let lone = [Some(10), None];
        let suggested = suggest([&missing[..], &lone[..]].into_iter()).unwrap();
        // The other unit of the second class is taken to be 10, plus or minus 10.
        assert_eq!(suggested.count, 41.0);
        assert!((suggested.high - 41.0 - MARGIN * 200f64.sqrt()).abs() < 1e-9);
    }

    /// Of many samples, nineteen in twenty should give an interval that contains the count.
    #[test]
    fn the_interval_holds_the_count_as_often_as_it_says() {
        let classes = counts(19);
        let total = classes.values().flatten().sum::<u64>() as f64;
        let mut random = queens::random::Random::new(1);
        let (mut samples, mut held, mut width) = (0, 0, 0.0);
        while samples < 400 {
            // A class with few units may have none done.
            let Some(suggested) = suggested(&classes, || random.below(4) == 0) else {
                continue;
            };
            samples += 1;
            held += u32::from((suggested.low..=suggested.high).contains(&total));
            width += (suggested.high - suggested.low) / total / 400.0;
        }
        assert!((360..=399).contains(&held), "{held} of 400");
        // The interval is narrow enough to say something.
        assert!(width < 0.5, "{width}");
    }
}
