//! What `--device` chooses, in one place for all commands.
//!
//! `auto` takes the GPUs if there are any and the board is large enough to be worth starting them.
//! With `gpu` or `gpu:K` it is an error if there is no such GPU.

use crate::{Device, Error, SIZES, devices};
use std::fmt;
use std::str::FromStr;

/// The smallest board for which `auto` takes a GPU. With a smaller board a CPU is done before a GPU
/// has started.
pub const WORTH_A_GPU: u32 = 20;

/// A value of `--device`.
///
/// ```
/// use queens_cuda::Choice;
///
/// let choice: Choice = "gpu:0".parse()?;
/// assert_eq!(choice, Choice::Gpu(Some(0)));
/// assert_eq!(choice.to_string(), "gpu:0");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// GPUs if the machine has them and the board is worth it, otherwise the processor.
    Auto,
    /// The processor only.
    Cpu,
    /// All GPUs that can be used, or one by its number.
    Gpu(Option<usize>),
}

impl Choice {
    /// Whether GPUs are asked for by name.
    pub fn names_a_gpu(self) -> bool {
        matches!(self, Choice::Gpu(_))
    }

    /// Whether it takes a GPU for this board, if there is one.
    pub fn takes_a_gpu(self, n: u32) -> bool {
        match self {
            Choice::Auto => n >= WORTH_A_GPU && SIZES.contains(&n),
            Choice::Cpu => false,
            Choice::Gpu(_) => true,
        }
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits)
        };
        let choice = match text {
            "auto" => Some(Choice::Auto),
            "cpu" => Some(Choice::Cpu),
            "gpu" => Some(Choice::Gpu(None)),
            _ => {
                (text.strip_prefix("gpu:").and_then(number)).map(|number| Choice::Gpu(Some(number)))
            }
        };
        choice.ok_or_else(|| "use auto, cpu, gpu, or gpu:0 for the first of several".to_owned())
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Auto => f.write_str("auto"),
            Choice::Cpu => f.write_str("cpu"),
            Choice::Gpu(None) => f.write_str("gpu"),
            Choice::Gpu(Some(number)) => write!(f, "gpu:{number}"),
        }
    }
}

/// The cards that some choices mean for a board; none if they mean only the CPU.
///
/// # Errors
///
/// Those of [`devices`] if a GPU was to be used, and [`Error::NoSuchDevice`]. If no GPU was asked
/// for by name, the caller decides whether the error matters.
pub fn chosen(choices: &[Choice], n: u32) -> Result<Vec<Device>, Error> {
    if !choices.iter().any(|choice| choice.takes_a_gpu(n)) {
        return Ok(Vec::new());
    }
    pick(choices, n, devices()?)
}

/// The same, given the cards of the machine.
fn pick(choices: &[Choice], n: u32, mut cards: Vec<Device>) -> Result<Vec<Device>, Error> {
    let count = cards.len();
    // If no card can be used, all are chosen, and the first one says what is wrong with it.
    let any_usable = cards.iter().any(Device::is_usable);
    let mut wanted = vec![false; count];
    for choice in choices.iter().filter(|choice| choice.takes_a_gpu(n)) {
        match *choice {
            Choice::Gpu(Some(device)) if device >= count => {
                return Err(Error::NoSuchDevice { device, count });
            }
            Choice::Gpu(Some(device)) => wanted[device] = true,
            Choice::Gpu(None) | Choice::Auto | Choice::Cpu => {
                for (wanted, card) in wanted.iter_mut().zip(&cards) {
                    *wanted |= card.is_usable() || !any_usable;
                }
            }
        }
    }
    let mut wanted = wanted.into_iter();
    cards.retain(|_| wanted.next() == Some(true));
    Ok(cards)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_reads_back_as_it_was_written() {
        for text in ["auto", "cpu", "gpu", "gpu:0", "gpu:12"] {
            assert_eq!(text.parse::<Choice>().unwrap().to_string(), text);
        }
        for wrong in [
            "", "GPU", "gpu:", "gpu:x", "gpu:+1", "gpu:-1", "gpu0", "cpu:0", "cuda",
        ] {
            assert!(wrong.parse::<Choice>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn auto_takes_a_gpu_from_the_threshold_to_the_largest_board() {
        for (n, taken) in [(8, false), (19, false), (20, true), (30, true), (31, false)] {
            assert_eq!(Choice::Auto.takes_a_gpu(n), taken, "n = {n}");
            assert!(!Choice::Cpu.takes_a_gpu(n));
            // Whether it can is another question.
            assert!(Choice::Gpu(None).takes_a_gpu(n));
        }
    }

    fn cards(archs: &[u32]) -> Vec<Device> {
        let card = |(number, &arch): (usize, &u32)| Device {
            number,
            name: "Card".into(),
            arch,
            memory: 1 << 33,
            multiprocessors: 10,
            clock_khz: 1_500_000,
            shared_per_block: 99 << 10,
            shared_per_multiprocessor: 100 << 10,
            threads_per_multiprocessor: 2048,
            cuda: "13.0".into(),
            driver: None,
        };
        archs.iter().enumerate().map(card).collect()
    }

    #[test]
    fn choices_mean_usable_cards_and_those_that_are_named() {
        let numbers = |choices: &[Choice], archs: &[u32]| {
            let picked = pick(choices, 22, cards(archs))?;
            Ok(picked.iter().map(|card| card.number).collect::<Vec<_>>())
        };
        let (auto, all) = (Choice::Auto, Choice::Gpu(None));
        let one = |number| Choice::Gpu(Some(number));
        assert_eq!(numbers(&[all], &[90, 61, 80]), Ok(vec![0, 2]));
        assert_eq!(numbers(&[auto], &[90, 61, 80]), Ok(vec![0, 2]));
        assert_eq!(numbers(&[one(1)], &[90, 61, 80]), Ok(vec![1]));
        assert_eq!(
            numbers(&[one(2), one(0), one(2)], &[90, 90, 90]),
            Ok(vec![0, 2])
        );
        // Cards that cannot be used are an error later, and never no card at all.
        assert_eq!(numbers(&[all], &[61, 52]), Ok(vec![0, 1]));
        let missing = Error::NoSuchDevice {
            device: 3,
            count: 2,
        };
        assert_eq!(numbers(&[all, one(3)], &[90, 90]), Err(missing));
    }
}
