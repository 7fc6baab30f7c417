//! One colour of a sweep in the memory of a card: the kernel's input.

use super::machine::Machine;
use super::region::Region;
use crate::Error;
use crate::interface::{
    CELL_MULTIPLE, CohortMemory, CoreEntry, DEALT, ENTRY_WORDS, FEWEST_FREE, GOALS, LANES,
    LINE_STEP, MOST_CORE_ROWS, MOST_FREE, NO_ROOM, NONE_16, OPEN_ROWS, RECORD_COLUMNS,
    SLOT_MULTIPLE, SweepFixed, SweepLaunch,
};
use crate::lists::{Core, Levels, NO_INDEX, SweptColour};
use std::ops::Range;
use zerocopy::IntoBytes;

/// The memory that sweeps of both colours use, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Workspace {
    /// The slabs, one for each block.
    slabs: u64,
    /// The partial placements.
    scratch: u64,
    /// The number of the next job, and the flag.
    counters: u64,
}

impl Workspace {
    /// Takes memory, with slabs for this many indices.
    pub fn new(machine: &impl Machine, region: &mut Region, indices: u32) -> Workspace {
        let (blocks, _) = machine.blocks();
        let entries = u64::from(blocks) * u64::from(indices);
        Workspace {
            slabs: region.take(entries * u64::from(4 * ENTRY_WORDS)),
            scratch: region.take(2 * 8 * u64::from(blocks) * u64::from(machine.scratch_room())),
            counters: region.take(8),
        }
    }
}

/// A colour, with its place in the memory of a card.
pub(super) struct Tables<'a> {
    colour: &'a SweptColour,
    launch: SweepLaunch,
    free: u32,
    shared_bytes: u32,
}

impl<'a> Tables<'a> {
    /// How many columns the cores of a colour leave free, if the kernel has an entry for them.
    pub fn free(colour: &SweptColour) -> Option<u32> {
        leaves_free(colour.cols, colour.levels.sets.len() as u32 - 1)
    }

    /// Takes memory for a colour and for tables of `listed` indices, with this many row sets.
    pub fn new(
        machine: &impl Machine,
        region: &mut Region,
        workspace: &Workspace,
        colour: &'a SweptColour,
        free: u32,
        listed: u32,
        row_sets: u32,
    ) -> Tables<'a> {
        let sets: Vec<usize> = colour.levels.sets.iter().map(Vec::len).collect();
        let depth = sets.len() - 1;
        let mut level_starts = [0; MOST_CORE_ROWS as usize + 2];
        for (level, &length) in sets.iter().enumerate() {
            level_starts[level + 1] = level_starts[level] + length as u32;
        }
        // The ends of odd levels' lists come first, then those of even levels. Level 0 has none.
        let most = |parity: usize| {
            let levels = (1..=depth).filter(|level| level % 2 == parity);
            levels.map(|level| sets[level]).max().unwrap_or(0) as u32
        };
        let place = |level: usize| if level % 2 == 1 { 0 } else { most(1) };
        let slot = |level: usize| match sets.get(level) {
            // Behind the last slot there is room for one deal.
            Some(&lists @ 1..) => {
                (machine.scratch_room() - DEALT) / lists as u32 / SLOT_MULTIPLE * SLOT_MULTIPLE
            }
            _ => 0,
        };
        let (_, threads) = machine.blocks();
        let shared_bytes = size_of::<SweepFixed>()
            + (threads / LANES) as usize * size_of::<CohortMemory>()
            + (most(0) + most(1)) as usize * size_of::<u32>();
        let row_step = colour.indices.next_multiple_of(CELL_MULTIPLE);
        let table_step = u64::from(row_sets) * u64::from(row_step);
        let mut take = |bytes: usize| region.take(bytes as u64);
        let launch = SweepLaunch {
            lines: take(8 * colour.lines.len()),
            starts: take(4 * colour.starts.len()),
            cores: take(size_of::<CoreEntry>() * colour.cores.len()),
            goals: take(2 * GOALS as usize * sets[..depth].iter().sum::<usize>()),
            records: take(8 * record_length(free) * sets[depth]),
            tables: region.take(2 * table_step * u64::from(listed)),
            scratch: workspace.scratch,
            slabs: workspace.slabs,
            next_job: workspace.counters,
            flag: workspace.counters + 4,
            table_step,
            row_step,
            scratch_room: machine.scratch_room(),
            portion: 1,
            first_listed: 0,
            core_count: colour.cores.len() as u32,
            jobs: 0,
            indices: colour.indices,
            diag_offset: colour.diag_offset,
            anti_offset: colour.anti_offset,
            core_rows: depth as u32,
            level_starts,
            list_places: std::array::from_fn(place),
            slots: std::array::from_fn(slot),
        };
        Tables {
            colour,
            launch,
            free,
            shared_bytes: shared_bytes as u32,
        }
    }

    /// The kernel's argument, without the jobs of a launch.
    pub fn launch(&self) -> &SweepLaunch {
        &self.launch
    }

    /// How many listed indices there are.
    pub fn listed(&self) -> u32 {
        self.colour.starts.len() as u32 - 1
    }

    /// Copies the colour to the card.
    pub fn upload(&self, machine: &impl Machine) -> Result<(), Error> {
        let SweptColour {
            lines,
            starts,
            cores,
            levels,
            ..
        } = self.colour;
        let cores: Vec<CoreEntry> = cores.iter().map(core_entry).collect();
        machine.upload(self.launch.lines, lines.as_bytes())?;
        machine.upload(self.launch.starts, starts.as_bytes())?;
        machine.upload(self.launch.cores, cores.as_bytes())?;
        machine.upload(self.launch.goals, goals(levels).as_bytes())?;
        let records = records(self.colour, self.free);
        machine.upload(self.launch.records, records.as_bytes())
    }

    /// How many placements the longest listed index has: the first portion for [`Tables::make`].
    pub fn longest(&self) -> u32 {
        let starts = self.colour.starts.windows(2);
        starts.map(|range| range[1] - range[0]).max().unwrap_or(0)
    }

    /// Makes the tables of some listed indices, and puts them in order from the place `table` on.
    /// At most `portion` placements of an index are dealt at a time. If lists have no room for the
    /// partial placements, `portion` is halved, for later calls too, and the tables are made anew.
    /// False if they cannot be right: a count does not fit its cell, or one placement is too much.
    pub fn make(
        &self,
        machine: &impl Machine,
        listed: Range<u32>,
        table: u32,
        portion: &mut u32,
    ) -> Result<bool, Error> {
        loop {
            let launch = SweepLaunch {
                tables: self.launch.tables + 2 * self.launch.table_step * u64::from(table),
                first_listed: listed.start,
                jobs: listed.len() as u32 * self.launch.core_count,
                portion: (*portion).max(1),
                ..self.launch
            };
            machine.upload(launch.next_job, &[0; 4])?;
            machine.upload(launch.flag, &[0; 4])?;
            machine.sweep(self.free, &launch, self.shared_bytes)?;
            let mut flag = [0; 4];
            machine.download(launch.flag, &mut flag)?;
            match u32::from_le_bytes(flag) {
                0 => return Ok(true),
                NO_ROOM if *portion > 1 => *portion = portion.div_ceil(2),
                _ => return Ok(false),
            }
        }
    }
}

/// Where the lists of all levels but the last lead to: for each column, the place of the list with
/// that column added, or `NONE_16`.
fn goals(levels: &Levels) -> Vec<u16> {
    let mut goals = Vec::new();
    for pair in levels.sets.windows(2) {
        let [from, to] = pair else { continue };
        for &set in from {
            let goal = |column: u32| {
                let place = to.binary_search(&(set | 1 << column)).ok();
                let place = place.filter(|_| set >> column & 1 == 0);
                place.map_or(NONE_16 as u16, |place| place as u16)
            };
            goals.extend((0..GOALS).map(goal));
        }
    }
    goals
}

/// How many of `cols` columns a core with this many rows leaves free, if the kernel has an entry for
/// them.
pub(super) fn leaves_free(cols: u32, core_rows: u32) -> Option<u32> {
    let free = cols.checked_sub(core_rows)?;
    let fits = core_rows <= MOST_CORE_ROWS && (FEWEST_FREE..=MOST_FREE).contains(&free);
    fits.then_some(free)
}

/// How many numbers the record of a cohort has if this many columns are free.
fn record_length(free: u32) -> usize {
    let tiles = free / 2 * (free - free / 2);
    (RECORD_COLUMNS + 2 * tiles) as usize
}

/// The records of all cohorts of a colour: the places of their free columns' planes, then a
/// [`PairPlace`](crate::interface::PairPlace) for every pair, in the order in which `cohort.cu`
/// multiplies them.
fn records(colour: &SweptColour, free: u32) -> Vec<u64> {
    let sets = colour.levels.sets.last().map_or(&[][..], Vec::as_slice);
    let mut records = Vec::with_capacity(record_length(free) * sets.len());
    for &set in sets {
        let columns: Vec<u32> = (0..colour.cols).filter(|col| set >> col & 1 == 0).collect();
        let mut steps = [0u8; 8 * RECORD_COLUMNS as usize];
        for (step, &col) in steps.iter_mut().zip(&columns) {
            *step = (4 * col * LINE_STEP) as u8;
        }
        let (words, _) = steps.as_chunks();
        records.extend(words.iter().map(|&word| u64::from_le_bytes(word)));
        let pair = |a: usize, b: usize| {
            let with_both = set | 1 << columns[a] | 1 << columns[b];
            let index = colour.index_of[usize::from(with_both)];
            // A tile of neighbours has only one pair: the other would be a column with itself.
            if a == b || index == NO_INDEX {
                return 0;
            }
            let entry = u64::from(index);
            let mask = u64::from(columns[b] - columns[a]) * u64::from(4 * LANES);
            entry | mask << 32
        };
        for i in 0..columns.len() / 2 {
            let tiles = (2 * i + 1..columns.len()).map(|b| [pair(2 * i, b), pair(2 * i + 1, b)]);
            records.extend(tiles.flatten());
        }
    }
    records
}

/// A core as the kernel reads it.
fn core_entry(core: &Core) -> CoreEntry {
    let mut entry = CoreEntry {
        rows: [0; MOST_CORE_ROWS as usize],
        open: [0; OPEN_ROWS as usize],
        open_count: core.open.len() as u32,
        row_sets: [NONE_16 as u16; ENTRY_WORDS as usize],
    };
    entry.rows[..core.rows.len()].copy_from_slice(&core.rows);
    entry.open[..core.open.len()].copy_from_slice(&core.open);
    for target in &core.targets {
        let [g, j] = target.open;
        entry.row_sets[upper_cell(u32::from(g), u32::from(j)) as usize] = target.row_set;
    }
    entry
}

/// The cell for the open rows `g` and `j`, `g < j`, in the first half of a slab's entry;
/// `cohort.cu` draws it.
fn upper_cell(g: u32, j: u32) -> u32 {
    let before: u32 = (0..g).map(|g| OPEN_ROWS / 2 - g.div_ceil(2)).sum();
    2 * (before + j / 2 - g.div_ceil(2)) + j % 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::Block;

    #[test]
    fn a_record_has_a_place_for_every_visited_pair_of_free_columns() {
        let block = Block::of(18, 60).unwrap();
        let colour = block.sweep(0).unwrap().white;
        let free = Tables::free(&colour).unwrap();
        let records = records(&colour, free);
        let sets = colour.levels.sets.last().unwrap();
        assert_eq!(records.len(), sets.len() * record_length(free));
        let mut visited = 0;
        for (record, &set) in records.chunks(record_length(free)).zip(sets) {
            let columns: Vec<u32> = (0..colour.cols).filter(|col| set >> col & 1 == 0).collect();
            let mut expected = Vec::new();
            for (place, a) in columns.iter().enumerate() {
                for b in &columns[place + 1..] {
                    let index = colour.index_of[usize::from(set | 1 << a | 1 << b)];
                    if index != NO_INDEX {
                        expected.push((u32::from(index), (b - a) * 4 * LANES));
                    }
                }
            }
            let places = record[RECORD_COLUMNS as usize..].iter();
            let places = places.map(|&place| (place as u32, (place >> 32) as u32));
            let mut places: Vec<(u32, u32)> = places.filter(|place| place.1 != 0).collect();
            places.sort_unstable();
            expected.sort_unstable();
            assert_eq!(places, expected, "columns {set:b}");
            visited += places.len();
        }
        assert!(visited > 0);
    }

    #[test]
    fn a_list_leads_to_those_with_one_column_more() {
        let block = Block::of(18, 60).unwrap();
        let levels = block.sweep(0).unwrap().white.levels;
        let goals = goals(&levels);
        let mut goals = goals.chunks(GOALS as usize);
        let mut led_to = 0;
        for pair in levels.sets.windows(2) {
            for &set in &pair[0] {
                let goals = goals.next().unwrap().iter().zip(0..);
                let reached = goals.filter(|&(&goal, _)| goal != NONE_16 as u16);
                let reached: Vec<u16> = reached
                    .map(|(&goal, column): (&u16, u32)| {
                        let larger = pair[1][usize::from(goal)];
                        assert_eq!(larger, set | 1 << column);
                        larger
                    })
                    .collect();
                let contains = |larger: &&u16| *larger & set == set;
                assert_eq!(reached.len(), pair[1].iter().filter(contains).count());
                led_to += reached.len();
            }
        }
        assert!(goals.next().is_none() && led_to > 0);
    }

    #[test]
    fn every_two_open_rows_have_a_cell_of_their_own() {
        let mut cells = Vec::new();
        for g in 0..OPEN_ROWS {
            for j in g + 1..OPEN_ROWS {
                cells.push(upper_cell(g, j));
            }
        }
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len() as u32, OPEN_ROWS * (OPEN_ROWS - 1) / 2);
        assert!(cells.iter().all(|&cell| cell < ENTRY_WORDS));
    }
}
