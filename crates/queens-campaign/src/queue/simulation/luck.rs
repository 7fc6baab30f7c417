//! How unlucky a simulated day is.
//!
//! The seed first decides how bad the network, the disk and the devices are, who takes part, and
//! who of them lies. Then the day begins.

use std::time::Duration;

use queens::random::Random;

/// How long the bad time lasts.
pub(super) const BAD_TIME: Duration = Duration::from_secs(240);

/// How unlucky a seed is.
#[derive(Debug)]
pub(super) struct Luck {
    /// Chances that a message is lost, and that a question arrives twice.
    pub drop: f64,
    pub twice: f64,
    /// The longest time that a message takes, in seconds.
    pub delay: f64,
    /// Chance that a device hangs with a unit.
    pub hang: f64,
    /// Chance per ten seconds of each other fault.
    pub fault: f64,
    /// The rules of the server.
    pub audit: f64,
    pub all_twice: bool,
    /// Whether the last worker is a liar.
    pub liar: bool,
    /// Whether the last two workers are one liar with two names that confirm each other.
    pub pair: bool,
    pub workers: usize,
    pub runs: usize,
}

impl Luck {
    pub fn of(random: &mut Random) -> Luck {
        let mut pick = |choices: &[f64]| choices[random.below(choices.len() as u64) as usize];
        let audit = pick(&[0.0, 0.05, 0.6]);
        let all_twice = pick(&[0.0, 0.0, 1.0]) > 0.0;
        // Without checks nobody would find a liar, so there is none. A liar always has an honest
        // worker beside it.
        let wrong = match audit > 0.0 || all_twice {
            true => pick(&[0.0, 0.0, 1.0, 1.0, 2.0]) as usize,
            false => 0,
        };
        Luck {
            drop: pick(&[0.0, 0.02, 0.2]),
            twice: pick(&[0.0, 0.05]),
            delay: pick(&[0.01, 0.5, 8.0]),
            hang: pick(&[0.0, 0.0, 0.02]),
            fault: pick(&[0.0, 0.1, 0.5]),
            audit,
            all_twice,
            liar: wrong == 1,
            pair: wrong == 2,
            workers: 1 + wrong + pick(&[0.0, 1.0, 2.0]) as usize,
            runs: pick(&[0.0, 1.0, 2.0]) as usize,
        }
    }
}
