//! Random numbers from a seed: the same seed, the same numbers.
//!
//! One generator serves the estimates, the choice of units to count again, and the tests.
//! It is SplitMix64: a counter that goes up by a fixed odd step, each value scrambled so
//! that every bit of the counter moves every bit of the result. It needs one word of state,
//! passes the usual statistical tests, and any place of its sequence can be reached at
//! once. It keeps no secrets: whoever sees a number can tell the next one.
//!
//! The library knows no other source of randomness. A program that wants different numbers
//! every time brings a seed of its own.
//!
//! The expected costs of the two-colour units come from a generator of their own. It cannot be
//! exchanged, because they are part of every campaign's plan.
//!
//! Reference: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number
//! generators, OOPSLA 2014.

/// The step of the counter: 2^64 divided by the golden ratio, made odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A generator of random numbers.
///
/// ```
/// use queens::random::Random;
///
/// let mut dice = Random::new(6);
/// let rolls: Vec<u64> = (0..5).map(|_| 1 + dice.below(6)).collect();
/// assert!(rolls.iter().all(|roll| (1..=6).contains(roll)));
///
/// let mut again = Random::new(6);
/// assert!(rolls.iter().all(|&roll| roll == 1 + again.below(6)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    counter: u64,
}

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Random {
        Random { counter: seed }
    }

    /// The generator of a seed after its first `place` numbers, without making them.
    ///
    /// This ties a random number to a numbered thing: number 7 gets the same one whether or
    /// not number 6 was ever asked about.
    ///
    /// ```
    /// use queens::random::Random;
    ///
    /// let mut one = Random::new(1);
    /// one.bits();
    /// one.bits();
    /// assert_eq!(one, Random::at(1, 2));
    /// ```
    pub fn at(seed: u64, place: u64) -> Random {
        Random {
            counter: seed.wrapping_add(place.wrapping_mul(STEP)),
        }
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(STEP);
        let mut x = self.counter;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A whole number from 0 up to, but not including, `limit`; 0 if `limit` is 0.
    ///
    /// No number is more likely than another by more than one in 2^64 / `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(limit)) >> 64) as u64
    }

    /// A number from 0 up to, but not including, 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference implementation's first numbers for seed 1234567.
    #[test]
    fn numbers_are_those_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| random.bits()), expected);
    }

    #[test]
    fn every_place_can_be_reached_at_once() {
        let mut random = Random::new(u64::MAX - 3);
        for place in 0..100 {
            assert_eq!(random, Random::at(u64::MAX - 3, place));
            random.bits();
        }
    }

    #[test]
    fn small_numbers_are_equally_likely() {
        let mut random = Random::new(8);
        let mut seen = [0u32; 10];
        for _ in 0..100_000 {
            seen[random.below(10) as usize] += 1;
        }
        // 10,000 each with a standard deviation of 95.
        assert!(seen.iter().all(|seen| (9_500..10_500).contains(seen)));
        assert_eq!((random.below(0), random.below(1)), (0, 0));
        assert!((0..100).any(|_| random.below(u64::MAX) > u64::MAX / 2));
    }

    #[test]
    fn shares_fill_the_unit_interval_evenly() {
        let mut random = Random::new(2026);
        let mut sum = 0.0;
        let (mut least, mut most) = (1.0f64, 0.0f64);
        for _ in 0..100_000 {
            let share = random.share();
            assert!((0.0..1.0).contains(&share));
            (least, most) = (least.min(share), most.max(share));
            sum += share;
        }
        assert!((sum / 1e5 - 0.5).abs() < 0.005);
        assert!(least < 0.001 && most > 0.999);
    }
}
