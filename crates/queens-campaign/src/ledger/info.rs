//! The fixed facts of a campaign, and how a damaged fact is noticed.
//!
//! They are written once, when the campaign is planned, and read whenever the file is opened. The
//! identifier ends with eight digits of a check over all the other facts, so that a changed board
//! size, program or plan digest shows before anything is counted:
//!
//! ```text
//! n24-5c1f09aa-5d1e90f2
//! |   |        |
//! |   |        check over all other facts
//! |   drawn at random
//! size of the board
//! ```

use crate::plan;
use crate::text::{LONGEST_NAME, is_plain};

/// The fixed facts of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Name of the campaign, for example `n24-5c1f09aa-5d1e90f2`.
    pub id: String,
    /// Size of the board.
    pub n: u32,
    /// Name of the engine's unit numbering.
    pub algorithm: String,
    /// The program that planned it.
    pub program: String,
    /// When it was planned.
    pub created: String,
    /// How many plan units there are.
    pub units: u64,
    /// Sum of their expected costs.
    pub cost: u64,
    /// How many engine units they cover.
    pub engine_units: u64,
    /// Names the plan.
    pub plan_digest: String,
}

impl Info {
    /// The name followed by eight more digits: a check over all facts.
    pub(super) fn checked_id(&self, name: &str) -> String {
        let line = format!(
            "queens campaign {name} {} {} {}|{} {} {} {} {}",
            self.n,
            self.algorithm,
            self.program,
            self.created,
            self.units,
            self.cost,
            self.engine_units,
            self.plan_digest
        );
        let check = crate::row::digest(&line);
        format!("{name}-{}", &check[..8])
    }

    /// Whether the facts fit each other, the identifier, and a plan with this last unit.
    ///
    /// Files of version 0.1 from before this check have identifiers with eight digits after the
    /// size; later ones have eight more. So a damaged identifier of one kind is not one of the
    /// other.
    pub(super) fn is_sound(&self, last: Option<u64>) -> bool {
        let hex = |text: &str| {
            text.len() == 8 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        let parts: Vec<&str> = self.id.split('-').collect();
        let named = match parts.as_slice() {
            [size, name] => *size == format!("n{}", self.n) && hex(name),
            [size, name, check] => {
                *size == format!("n{}", self.n)
                    && hex(name)
                    && hex(check)
                    && self.id == self.checked_id(&format!("{size}-{name}"))
            }
            _ => false,
        };
        let texts = [&self.algorithm, &self.program, &self.created];
        named
            && (1..=plan::MAX_UNITS).contains(&self.units)
            && last == Some(self.units - 1)
            && self.cost > 0
            && self.plan_digest.len() == 64
            && self.plan_digest.bytes().all(|b| b.is_ascii_hexdigit())
            && texts.into_iter().all(|text| is_plain(text, LONGEST_NAME))
    }
}
