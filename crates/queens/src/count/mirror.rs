//! Bit vectors on half of the first row: the mirror image of a solution is a solution.
//!
//! Mirrored left to right, a solution whose first queen stands in the left half becomes
//! one whose first queen stands in the right half. So half of the first row is searched
//! and counted twice; for odd `n` the middle column is searched with the second queen in
//! the left half.

use super::{CountError, Job};

/// The largest board: rows are 32-bit words.
pub const LARGEST_N: usize = 32;

/// Counts the solutions for a job.
pub(super) fn count(job: &Job<'_>) -> Result<u128, CountError> {
    let n = job.n;
    if n < 2 {
        return Ok(1);
    }
    let mask = ((1u64 << n) - 1) as u32;
    let mut total = 0u128;
    for col in 0..n / 2 {
        if job.is_stopped() {
            return Err(CountError::Stopped {
                share: col as f64 / n as f64,
            });
        }
        let place = 1u32 << col;
        total += 2 * u128::from(queens(mask, place, place << 1 & mask, place >> 1));
    }
    if n % 2 == 1 {
        let place = 1u32 << (n / 2);
        total += u128::from(queens(mask, place, place << 1 & mask, place >> 1));
    }
    job.report(1.0);
    Ok(total)
}

fn queens(mask: u32, down: u32, left: u32, right: u32) -> u64 {
    if down == mask {
        return 1;
    }
    let mut count = 0;
    let mut possible = !(down | left | right) & mask;
    while possible != 0 {
        let place = possible & possible.wrapping_neg();
        count += queens(
            mask,
            down | place,
            (left | place) << 1 & mask,
            (right | place) >> 1,
        );
        possible &= !place;
    }
    count
}
