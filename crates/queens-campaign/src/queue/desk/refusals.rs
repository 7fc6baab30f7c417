//! Results that are refused for good.
//!
//! A flood of nonsense must not cost the server one write to disk per message: refusals are
//! recorded in the file together, once a second, however many there are. Only some of them are kept
//! in the stream of dead letters, reported, and remembered in words; the others are only counted.

use std::collections::VecDeque;
use std::time::Duration;

use super::interface::{Output, Token, Told};
use crate::ledger::Campaign;
use crate::ledger::desk::MOST_WORDS;

/// Refusals are recorded in the file at most this often.
const NOTING: Duration = Duration::from_secs(1);

/// Results that were refused and are not recorded in the file yet.
#[derive(Default)]
pub(super) struct Refusals {
    number: u64,
    /// How many of them were reported and kept in the stream of dead letters.
    told: u64,
    /// Why the last of them were refused.
    words: VecDeque<String>,
    /// When to record them.
    next: Duration,
}

impl Refusals {
    /// Refuses a result.
    pub fn refuse(&mut self, token: Token, payload: Vec<u8>, why: String, out: &mut Vec<Output>) {
        out.push(Output::Terminate(token));
        self.number += 1;
        if self.told < MOST_WORDS {
            self.told += 1;
            out.push(Output::Bury(payload));
            out.push(Output::Tell(Told::Refused(why.clone())));
        }
        if self.words.len() as u64 == MOST_WORDS {
            self.words.pop_front();
        }
        self.words.push_back(why);
    }

    /// Records the refusals, if it is time.
    pub fn note_if_due(&mut self, now: Duration, campaign: &mut Campaign, out: &mut Vec<Output>) {
        if self.number > 0 && now >= self.next {
            self.note(campaign, out);
            self.next = now + NOTING;
        }
    }

    /// Records the refusals, if there are any.
    pub fn note(&mut self, campaign: &mut Campaign, out: &mut Vec<Output>) {
        if self.number == 0 {
            return;
        }
        let words = self.words.make_contiguous();
        // It is only for show, so it waits while others hold the file.
        if campaign.note_refusals(self.number, words).is_ok() {
            let untold = self.number.saturating_sub(self.told);
            if untold > 0 {
                let more = format!("{untold} results more");
                out.push(Output::Tell(Told::Refused(more)));
            }
            *self = Refusals::default();
        }
    }

    /// How many refusals wait to be recorded.
    #[cfg(test)]
    pub fn number(&self) -> u64 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::desk::office::Office;

    #[test]
    fn of_a_flood_only_some_are_told_and_all_are_counted() {
        let mut office = Office::open("flood", false);
        let (mut refusals, mut out) = (Refusals::default(), Vec::new());
        for token in 0..3 * MOST_WORDS {
            let why = format!("nonsense {token}");
            refusals.refuse(token, Vec::new(), why, &mut out);
        }
        let number = |out: &[Output], wanted: fn(&Output) -> bool| {
            out.iter().filter(|output| wanted(output)).count() as u64
        };
        let told = |output: &Output| matches!(output, Output::Tell(Told::Refused(_)));
        assert_eq!(
            number(&out, |output| matches!(output, Output::Terminate(_))),
            3 * MOST_WORDS
        );
        assert_eq!(
            number(&out, |output| matches!(output, Output::Bury(_))),
            MOST_WORDS
        );
        assert_eq!(number(&out, told), MOST_WORDS);
        out.clear();
        refusals.note_if_due(Duration::ZERO, &mut office.campaign, &mut out);
        let more = format!("{} results more", 2 * MOST_WORDS);
        assert!(matches!(&out[..], [Output::Tell(Told::Refused(why))] if *why == more));
        let (noted, words) = office.campaign.refusals().unwrap();
        assert_eq!(noted, 3 * MOST_WORDS);
        assert_eq!(words.len() as u64, MOST_WORDS);
        // The next ones wait for a second.
        refusals.refuse(0, Vec::new(), "more".to_owned(), &mut out);
        refusals.note_if_due(NOTING / 2, &mut office.campaign, &mut out);
        assert_eq!(refusals.number(), 1);
        refusals.note_if_due(NOTING, &mut office.campaign, &mut out);
        assert_eq!(refusals.number(), 0);
    }
}
