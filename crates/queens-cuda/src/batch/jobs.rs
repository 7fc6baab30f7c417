//! The second step of a batch: sections in jobs, and jobs in launches.
//!
//! A job is one group of pairs and as many odd indices as the tile of its section has room for, or
//! fewer if their lists are long. The jobs of a section run in *waves*: launches so short that a
//! display on the same card and a Ctrl-C can wait for them.
//!
//! ```text
//! section 1 |  wave 0          | wave 1          |      section 2 | wave 2      |
//!           |  job job job ... | job job job ... |                | job job ... |
//! ```
//!
//! The card keeps one flag and, for each wave, the number of jobs that blocks have taken.

use super::lay_out::{Batch, UnitWeight, Wave};
use super::section::Section;
use super::shape::Join;
use super::shared_memory::{Cell, LONG_LIST, table_bytes, table_room};
use crate::Error;
use crate::interface::{JobEntry, Launch, MOST_PAIRS};
use crate::lists;
use std::ops::Range;

/// Where a batch and its results are in a card's memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Addresses {
    /// The batch's words.
    pub words: u64,
    /// The resident lists, if there are any.
    pub resident: u64,
    /// The sums, [`Batch::jobs`] of them.
    pub sums: u64,
    /// Memory that blocks need beside shared memory, [`Batch::scratch_bytes`] of it.
    pub scratch: u64,
    /// [`Batch::flags`] 32-bit numbers, 0 to begin with: one that becomes 1 if a count does not fit
    /// its cell, and for each wave how many of its jobs have been taken.
    pub flags: u64,
}

impl Wave {
    /// The jobs of the wave.
    fn job_range(&self) -> Range<usize> {
        self.jobs.start as usize..self.jobs.end as usize
    }
}

impl Batch {
    /// Appends the tables and the jobs for tiles with cells of this size. Call it after the last
    /// unit, and again for another size.
    ///
    /// # Errors
    ///
    /// [`Error::TooLittleShared`] if no block fits the card's shared memory.
    pub fn seal(&mut self, cell: Cell) -> Result<(), Error> {
        let end = *self.sealed.get_or_insert(self.words.as_slice().len());
        self.words.truncate(end);
        self.cell = cell;
        self.jobs.clear();
        self.waves.clear();
        let mut sections = std::mem::take(&mut self.sections);
        for (number, section) in sections.iter_mut().enumerate() {
            section.choose(&self.shape, self.n, cell);
            self.add_jobs(number, section);
        }
        self.sections = sections;
        self.places = [
            self.words.push(&self.walks),
            self.words.push(&self.scans),
            self.words.push(&self.pairs),
            self.words.push(&self.jobs),
        ];
        let fits = |section: &Section| {
            section.config.blocks > 0 && section.config.shared_bytes <= self.shape.shared_per_block
        };
        match self.sections.iter().all(fits) {
            true => Ok(()),
            false => Err(Error::TooLittleShared { n: self.n }),
        }
    }

    /// Adds the jobs of a section, in waves.
    fn add_jobs(&mut self, number: usize, section: &mut Section) {
        let waves = (section.cost / self.shape.launch_cost).ceil().max(1.0) as usize;
        let per_wave = section.groups.len().div_ceil(waves).max(1);
        let groups = self.groups[section.groups.clone()].to_vec();
        section.list_room = 0;
        let (_, lists) = section.lists();
        let mut scanned = 0;
        let mut ranges = Vec::new();
        for groups in groups.chunks(per_wave) {
            let first = self.jobs.len() as u32;
            // With wide cells, a row may have room for fewer pairs than a group has.
            let most_together = (section.width / 2).clamp(1, MOST_PAIRS);
            let smaller_groups = |&(first, pairs): &(u32, u32)| {
                let firsts = (first..first + pairs).step_by(most_together as usize);
                firsts.map(move |at| (at, most_together.min(first + pairs - at)))
            };
            for (first_pair, pairs) in groups.iter().flat_map(smaller_groups) {
                let of = &self.pairs[first_pair as usize..][..pairs as usize];
                let odd_limit = of.iter().map(|pair| pair.odd_limit).max().unwrap_or(0);
                let most = (lists / pairs).max(2) & !1;
                let mut first_odd = 0;
                while first_odd < odd_limit {
                    let room = |odd_count: u32| {
                        let last = (first_odd + odd_count).min(odd_limit);
                        let length = |scan: u32| {
                            let place = self.scans[scan as usize].starts;
                            let start = |odd| self.words.get_u32(place, odd);
                            start(last) - start(first_odd)
                        };
                        let stored = of.iter().map(|pair| length(pair.store_scan)).sum::<u32>();
                        (stored, length(of[0].gather_scan))
                    };
                    // An even number of odd indices, so that mirror images stay together, and few
                    // enough that their lists are not too long.
                    let mut odd_count = most;
                    let (mut stored, mut gathered) = room(odd_count);
                    while odd_count > 2 && stored.max(gathered) > LONG_LIST {
                        odd_count = (odd_count / 2).next_multiple_of(2);
                        (stored, gathered) = room(odd_count);
                    }
                    assert!(
                        pairs * odd_count <= section.width,
                        "a row has room for all lists"
                    );
                    let both = stored.max(gathered);
                    section.list_room = section.list_room.max(both.next_multiple_of(4));
                    scanned = scanned.max(match section.gather {
                        Join::Scan => both,
                        Join::Unfold => stored,
                    });
                    self.jobs.push(JobEntry {
                        first_pair,
                        pairs,
                        first_odd,
                        odd_count,
                    });
                    first_odd += odd_count;
                }
            }
            ranges.push(first..self.jobs.len() as u32);
        }
        let scan = section.stem_rows() * section.list_room;
        let unfold = section.boards[1].1 * section.list_room;
        section.scratch_room = match section.gather {
            Join::Scan => scan,
            Join::Unfold => scan.max(unfold),
        };
        section.table_room = table_room(scanned);
        section.config.shared_bytes += table_bytes(section.table_room);
        for jobs in ranges {
            self.waves.push(Wave {
                gather: section.gather,
                odd: self.n % 2 == 1,
                config: section.config,
                section: number,
                jobs,
                number: self.waves.len() as u32,
            });
        }
    }

    /// The size of the cells it was sealed for.
    pub fn cell(&self) -> Cell {
        self.cell
    }

    /// The waves, in order.
    pub fn waves(&self) -> &[Wave] {
        &self.waves
    }

    /// The number of jobs, and of the sums that come back.
    pub fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// How many 32-bit flags the card needs.
    pub fn flags(&self) -> usize {
        1 + self.waves.len()
    }

    /// How many bytes the blocks need beside shared memory.
    pub fn scratch_bytes(&self) -> u64 {
        let of = |section: &Section| {
            8 * u64::from(section.config.blocks) * u64::from(section.scratch_room)
        };
        self.sections.iter().map(of).max().unwrap_or(0)
    }

    /// The kernel's argument for a wave.
    pub fn launch(&self, wave: &Wave, addresses: &Addresses) -> Launch {
        let section = &self.sections[wave.section];
        let [walks, scans, pairs, jobs] = self.places;
        Launch {
            words: addresses.words,
            resident: addresses.resident,
            sums: addresses.sums,
            scratch: addresses.scratch,
            flag: addresses.flags,
            next_job: addresses.flags + 4 * u64::from(1 + wave.number),
            walks,
            scans,
            pairs,
            jobs,
            first_job: wave.jobs.start,
            job_end: wave.jobs.end,
            square_masks: section.square_masks,
            tile_rows: section.even_count,
            width_bits: section.width.ilog2(),
            list_room: section.list_room,
            scratch_room: section.scratch_room,
            diagonals: lists::diagonals(self.n as usize),
            even_index_of: section.even_index_of,
            stored_even_index_of: section.stored_even_index_of,
            odd_pairs: section.odd_pairs,
            table_room: section.table_room,
            first_queens: section.first_queens,
            unused: 0,
        }
    }

    /// The count of each unit, from the sums of the jobs.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] if a count does not fit 64 bits.
    pub fn counts(&self, sums: &[u64]) -> Result<Vec<u64>, Error> {
        let mut counts = vec![0u128; self.units.len()];
        for wave in &self.waves {
            // Unfolding meets the placements of odd boards twice.
            let twice = wave.gather == Join::Unfold && wave.odd;
            let times = if twice { 1 } else { 2 };
            let range = wave.job_range();
            for (job, &sum) in self.jobs[range.clone()].iter().zip(&sums[range]) {
                let UnitWeight { unit, weight } = self.unit_weights[job.first_pair as usize];
                // At most 2^64 * 8 for each of fewer than 2^32 sums.
                counts[unit] += times * u128::from(sum) * u128::from(weight);
            }
        }
        let fits = |(&unit, count): (&u64, u128)| {
            let overflow = || Error::Overflow { n: self.n, unit };
            match count % 2 {
                0 => u64::try_from(count / 2).map_err(|_| overflow()),
                _ => Err(overflow()),
            }
        };
        self.units.iter().zip(counts).map(fits).collect()
    }
}
