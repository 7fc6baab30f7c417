//! The plan of a campaign: the engine's units grouped into plan units.
//!
//! An engine cuts a count into units that suit the engine. A ledger has other needs: a row must be
//! worth a commit to disk, and the file must stay small ([`MAX_UNITS`]). So consecutive engine
//! units are grouped. Lay out the whole expected cost on a line and cut it into `want` equal
//! pieces; every engine unit goes to the piece in which it begins. No plan unit is empty, and none
//! costs more than an equal share plus one engine unit. The grouping takes one pass and keeps
//! nothing in memory, so a plan of any size streams into the file.
//!
//! The **plan digest** names a plan: SHA-256 over N, the algorithm and the ranges. Two ledgers can
//! be merged exactly if their plan digests are the same.

use queens::count::two_colour;
use sha2::{Digest, Sha256};

/// The most plan units a campaign may have.
pub const MAX_UNITS: u64 = 4_000_000;

/// A count cut into engine units, from which a plan is made.
///
/// The campaign crate knows engines only through this trait and
/// [`Device`](crate::device::Device).
pub trait Cut {
    /// Size of the board.
    fn n(&self) -> u32;
    /// Name of the unit numbering; it changes when the meaning of a unit changes.
    fn algorithm(&self) -> &str;
    /// How many engine units there are.
    fn len(&self) -> u64;
    /// Whether there is nothing to count.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Expected cost of one engine unit, in any unit of measure.
    fn cost(&self, unit: u64) -> f64;
    /// The sum of all costs.
    fn total_cost(&self) -> f64 {
        (0..self.len()).map(|u| self.cost(u)).sum()
    }
}

impl Cut for two_colour::Units {
    fn n(&self) -> u32 {
        two_colour::Units::n(self) as u32
    }
    fn algorithm(&self) -> &str {
        two_colour::ALGORITHM
    }
    fn len(&self) -> u64 {
        two_colour::Units::len(self)
    }
    fn cost(&self, unit: u64) -> f64 {
        two_colour::Units::cost(self, unit)
    }
    fn total_cost(&self) -> f64 {
        two_colour::Units::total_cost(self)
    }
}

/// One unit of a plan: a range of engine units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Planned {
    /// Number of the plan unit, from 0.
    pub unit: u64,
    /// First engine unit.
    pub first: u64,
    /// Last engine unit, included.
    pub last: u64,
    /// Expected cost; the mean over the plan is [`MEAN_COST`].
    pub cost: u64,
}

/// The expected cost of an average plan unit.
///
/// Costs are whole numbers, so that adding and subtracting them never causes a drift.
pub const MEAN_COST: u64 = 1_000_000;

/// The number of plan units for a board of size n if the user gives none.
///
/// Two more rows make eight times as many units and thirty to forty times as much work: a unit
/// takes under a tenth of a second at N = 20 on one core, and about half a minute at N = 28
/// (docs/campaigns.md, "What it costs").
pub fn default_units(n: u32) -> u64 {
    match n {
        0..=16 => 64,
        17..=28 => 1 << (7 + 3 * (n as i32 - 20) / 2).max(6),
        _ => 1 << 19,
    }
}

/// The plan units of a cut, at most `want` of them, in order.
pub fn group(cut: &dyn Cut, want: u64) -> impl Iterator<Item = Planned> + '_ {
    let len = cut.len();
    let want = want.clamp(1, len.max(1));
    let total = cut.total_cost();
    let scale = MEAN_COST as f64 * want as f64 / total;
    let share = total / want as f64;
    let (mut next, mut unit, mut before) = (0, 0, 0.0_f64);
    std::iter::from_fn(move || {
        if next == len {
            return None;
        }
        let first = next;
        let mut cost = 0.0;
        // The piece in which the first engine unit begins. The following ones join while they begin
        // in the same piece. With one engine unit per plan unit the pieces do not matter.
        let piece = ((before / share).floor() + 1.0) * share;
        loop {
            cost += cut.cost(next);
            next += 1;
            if next == len || want == len {
                break;
            }
            // The last plan unit takes everything that is left. Beside large costs, rounding loses
            // small ones in the sum, and one piece too many would begin.
            if unit + 1 < want && before + cost >= piece {
                break;
            }
        }
        before += cost;
        let planned = Planned {
            unit,
            first,
            last: next - 1,
            cost: ((cost * scale).round() as u64).max(1),
        };
        unit += 1;
        Some(planned)
    })
}

/// Computes the digest of a plan, range by range.
#[derive(Clone)]
pub struct PlanDigest(Sha256);

impl PlanDigest {
    /// Starts the digest of a plan for `n` with the units of `algorithm`.
    pub fn new(n: u32, algorithm: &str) -> PlanDigest {
        PlanDigest(Sha256::new_with_prefix(format!(
            "queens plan {n} {algorithm}\n"
        )))
    }

    /// Adds the next plan unit.
    pub fn add(&mut self, unit: u64, first: u64, last: u64) {
        self.0.update(format!("{unit} {first} {last}\n"));
    }

    /// The digest, 64 hexadecimal digits.
    pub fn finish(self) -> String {
        crate::row::hex(&self.0.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::random::Random;

    struct Costs(Vec<f64>);

    impl Cut for Costs {
        fn n(&self) -> u32 {
            8
        }
        fn algorithm(&self) -> &str {
            "costs"
        }
        fn len(&self) -> u64 {
            self.0.len() as u64
        }
        fn cost(&self, unit: u64) -> f64 {
            self.0[unit as usize]
        }
    }

    /// Uneven costs, the same ones every time.
    fn uneven(len: usize) -> Costs {
        let mut random = Random::new(12_345);
        let cost = |_| 1.0 + (170.0 * random.share()).powi(3);
        Costs((0..len).map(cost).collect())
    }

    #[test]
    fn a_plan_covers_every_engine_unit_once_and_in_order() {
        for len in [1, 2, 7, 100, 1_000] {
            let cut = uneven(len);
            for want in [1, 2, 3, 64, 99, 100, 5_000] {
                let plan: Vec<_> = group(&cut, want).collect();
                assert!(plan.len() as u64 <= want.min(len as u64));
                assert_eq!(plan[0].first, 0);
                assert_eq!(plan.last().unwrap().last, len as u64 - 1);
                for (k, p) in plan.iter().enumerate() {
                    assert_eq!(p.unit, k as u64);
                    assert!(p.first <= p.last && p.cost > 0);
                    assert!(k == 0 || p.first == plan[k - 1].last + 1);
                }
            }
        }
    }

    #[test]
    fn costs_of_very_different_sizes_make_no_unit_too_many() {
        let cut = Costs(vec![3e12, 4e12, 8e12, 1e-3]);
        assert_eq!(group(&cut, 1).count(), 1);
        let cut = Costs([vec![7e12; 10], vec![1e-3; 10]].concat());
        for want in 1..=20 {
            assert!(group(&cut, want).count() as u64 <= want);
        }
    }

    #[test]
    fn no_plan_unit_is_dearer_than_a_share_and_one_engine_unit() {
        let cut = uneven(10_000);
        let dearest = cut.0.iter().copied().fold(0.0, f64::max);
        for want in [10, 100, 1_000] {
            let bound = cut.total_cost() / want as f64 + dearest;
            for p in group(&cut, want) {
                let cost: f64 = (p.first..=p.last).map(|u| cut.cost(u)).sum();
                assert!(cost <= bound * (1.0 + 1e-9));
            }
        }
    }

    #[test]
    fn the_digest_names_the_ranges_the_size_and_the_algorithm() {
        let digest = |n, algorithm: &str, ranges: &[(u64, u64)]| {
            let mut d = PlanDigest::new(n, algorithm);
            for (u, &(a, b)) in ranges.iter().enumerate() {
                d.add(u as u64, a, b);
            }
            d.finish()
        };
        let one = digest(8, "x", &[(0, 1), (2, 2)]);
        assert_eq!(one, digest(8, "x", &[(0, 1), (2, 2)]));
        assert_ne!(one, digest(9, "x", &[(0, 1), (2, 2)]));
        assert_ne!(one, digest(8, "y", &[(0, 1), (2, 2)]));
        assert_ne!(one, digest(8, "x", &[(0, 0), (1, 2)]));
    }

    /// Long counts are under way with this plan, on several machines. A change of the unit
    /// numbering, of the costs or of the grouping must not go unnoticed.
    #[test]
    fn the_plan_for_28_is_the_one_it_always_was() {
        let units = two_colour::units(28).unwrap();
        let mut digest = PlanDigest::new(28, two_colour::ALGORITHM);
        for planned in group(&units, default_units(28)) {
            digest.add(planned.unit, planned.first, planned.last);
        }
        assert_eq!(
            digest.finish(),
            "b18e66f7f74b8ae93008f3949ddb87a1a5fdaf5b6e27dbd61bdc48654c332f90"
        );
    }
}
