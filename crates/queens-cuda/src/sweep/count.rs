//! Counts an even row set with all odd row sets, on one card.
//!
//! Black's tables are made first and kept: a number for each odd index, row set and even index.
//! Then white's tables are made, for some even indices at a time, and joined with black's.
//!
//! ```text
//!   memory   | slabs, scratch | black's inputs, tables        | white's inputs, a few tables | sums |
//! ```

use super::machine::Machine;
use super::region::Region;
use super::tables::{Tables, Workspace};
use crate::Error;
use crate::interface::{JOINED, JoinLaunch};
use crate::lists::{Sweep, SweptColour};
use std::sync::atomic::{AtomicBool, Ordering};
use zerocopy::IntoBytes;

/// How many tables are made in one launch: enough for all blocks, and few enough that a stop does
/// not wait long. White's tables are joined after each such launch.
const LAUNCHED: u32 = 4 * JOINED;

/// The sums of an even row set with every odd one, without the weights of row sets. `None` if the
/// kernel has no entry for as many columns as a colour's cores leave free, if the counts do not fit
/// their cells, or if even the smallest portion of the partial placements does not fit the scratch
/// memory.
///
/// # Errors
///
/// [`Error::TooLittleMemory`] if the tables do not fit the card; [`Error::Stopped`] soon after
/// `stop` becomes true; an error of the card.
pub fn sums(
    machine: &impl Machine,
    sweep: &Sweep,
    stop: &AtomicBool,
) -> Result<Option<Vec<u64>>, Error> {
    let (Some(white_free), Some(black_free)) =
        (Tables::free(&sweep.white), Tables::free(&sweep.black))
    else {
        return Ok(None);
    };
    let (address, bytes) = machine.memory();
    let mut region = Region::new(address, bytes);
    let indices = sweep.white.indices.max(sweep.black.indices);
    let workspace = Workspace::new(machine, &mut region, indices);
    let row_sets = sweep.odd_rows.len() as u32;
    let mut tables = |colour, free, listed| {
        Tables::new(
            machine,
            &mut region,
            &workspace,
            colour,
            free,
            listed,
            row_sets,
        )
    };
    // Black is listed by odd index, and all of its tables stay.
    let black = tables(&sweep.black, black_free, sweep.white.indices);
    let white = tables(&sweep.white, white_free, LAUNCHED);
    let join = Join::new(&mut region, sweep, &white, &black);
    enough(machine, &region)?;
    black.upload(machine)?;
    white.upload(machine)?;
    join.upload(machine, sweep)?;
    for (tables, joins) in [(&black, false), (&white, true)] {
        let (mut first, mut portion) = (0, tables.longest());
        while first < tables.listed() {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped { share: 0.0 });
            }
            let end = (first + LAUNCHED).min(tables.listed());
            let place = if joins { 0 } else { first };
            if !tables.make(machine, first..end, place, &mut portion)? {
                return Ok(None);
            }
            if joins {
                join.run(machine, first, end, row_sets)?;
            }
            first = end;
        }
    }
    join.fetch(machine, row_sets).map(Some)
}

/// The table of one listed index of a colour alone. Each of `row_sets` row sets has a row, with a
/// cell for each index of the swept columns. For tests: it shows where a sum goes wrong.
///
/// # Errors
///
/// As [`sums`].
pub fn table(
    machine: &impl Machine,
    colour: &SweptColour,
    row_sets: u32,
    listed: u32,
) -> Result<Option<Vec<Vec<u16>>>, Error> {
    let Some(free) = Tables::free(colour) else {
        return Ok(None);
    };
    let (address, bytes) = machine.memory();
    let mut region = Region::new(address, bytes);
    let workspace = Workspace::new(machine, &mut region, colour.indices);
    let tables = Tables::new(machine, &mut region, &workspace, colour, free, 1, row_sets);
    enough(machine, &region)?;
    tables.upload(machine)?;
    if !tables.make(machine, listed..listed + 1, 0, &mut tables.longest())? {
        return Ok(None);
    }
    let step = tables.launch().row_step as usize;
    let mut cells = vec![0u16; row_sets as usize * step];
    machine.download(tables.launch().tables, cells.as_mut_bytes())?;
    let row = |row: &[u16]| row[..colour.indices as usize].to_vec();
    Ok(Some(cells.chunks(step).map(row).collect()))
}

/// Refuses a region that the machine has no memory for.
fn enough(machine: &impl Machine, region: &Region) -> Result<(), Error> {
    let (_, bytes) = machine.memory();
    match region.missing() {
        0 => Ok(()),
        missing => Err(Error::TooLittleMemory {
            device: machine.number(),
            needed: (bytes + missing) >> 20,
            free: bytes >> 20,
        }),
    }
}

/// The join of both colours' tables.
struct Join {
    launch: JoinLaunch,
}

impl Join {
    /// Takes memory for limits, weights and sums.
    fn new(region: &mut Region, sweep: &Sweep, white: &Tables, black: &Tables) -> Join {
        let row_sets = sweep.odd_rows.len() as u64;
        Join {
            launch: JoinLaunch {
                white: white.launch().tables,
                black: black.launch().tables,
                odd_limits: region.take(8 * row_sets),
                weights: region.take(2 * u64::from(white.listed())),
                sums: region.take(8 * row_sets),
                white_step: white.launch().table_step,
                black_step: black.launch().table_step,
                white_row: white.launch().row_step,
                black_row: black.launch().row_step,
                first_even: 0,
                even_end: 0,
            },
        }
    }

    /// Copies limits and weights to the card, and clears the sums.
    fn upload(&self, machine: &impl Machine, sweep: &Sweep) -> Result<(), Error> {
        let odd_rows = sweep.odd_rows.iter();
        let limits: Vec<u32> = odd_rows
            .flat_map(|odd_rows| [odd_rows.odd_limit, odd_rows.doubled])
            .collect();
        let weight = |weights: &[u8], even| *weights.get(even).unwrap_or(&1);
        let weights: Vec<u8> = (0..sweep.white.starts.len() - 1)
            .flat_map(|even| {
                [
                    weight(&sweep.weights.doubled, even),
                    weight(&sweep.weights.rest, even),
                ]
            })
            .collect();
        machine.upload(self.launch.odd_limits, limits.as_bytes())?;
        machine.upload(self.launch.weights, &weights)?;
        machine.upload(self.launch.sums, &vec![0; 8 * sweep.odd_rows.len()])
    }

    /// Joins the tables of these even indices, which are the first in white's memory.
    fn run(
        &self,
        machine: &impl Machine,
        first: u32,
        end: u32,
        row_sets: u32,
    ) -> Result<(), Error> {
        for even in (first..end).step_by(JOINED as usize) {
            let tables = u64::from(even - first) * self.launch.white_step;
            let launch = JoinLaunch {
                white: self.launch.white + 2 * tables,
                first_even: even,
                even_end: end.min(even + JOINED),
                ..self.launch
            };
            machine.join(&launch, row_sets)?;
        }
        Ok(())
    }

    /// The sums.
    fn fetch(&self, machine: &impl Machine, row_sets: u32) -> Result<Vec<u64>, Error> {
        let mut sums = vec![0u64; row_sets as usize];
        machine.download(self.launch.sums, sums.as_mut_bytes())?;
        Ok(sums)
    }
}
