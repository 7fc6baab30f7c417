//! Units that a user names.

use queens_campaign::ledger::Campaign;

/// A range of units, both ends included.
#[derive(Clone, Copy)]
pub struct Units(u64, u64);

/// Reads `17` or `40-49`.
pub fn units(text: &str) -> Result<Units, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok(Units(first, last)),
        _ => Err("units are written 17 or 40-49".to_owned()),
    }
}

/// All units of the ranges, once each, provided they exist.
pub fn expand(campaign: &Campaign, ranges: &[Units]) -> anyhow::Result<Vec<u64>> {
    for &Units(_, last) in ranges {
        campaign.planned(last)?;
    }
    let mut all: Vec<u64> = ranges.iter().flat_map(|r| r.0..=r.1).collect();
    all.sort_unstable();
    all.dedup();
    Ok(all)
}
