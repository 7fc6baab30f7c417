//! The sweep on an emulated card gives the counts of the engine.

use super::compiler::load;
use queens::count::two_colour::{Counter, Simd, units};
use queens::random::Random;
use queens_cuda::Error;
use queens_cuda::interface::{JoinLaunch, SweepLaunch};
use queens_cuda::kernel;
use queens_cuda::lists::{Block, NO_INDEX, Sweep, SweptColour};
use queens_cuda::sweep::{Machine, count_block, self_test, sums, table};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

type SweepEntry = unsafe extern "C" fn(u32, *const SweepLaunch, u32, u32, u32) -> u32;
type JoinEntry = unsafe extern "C" fn(*const JoinLaunch, u32, u32);

/// The kernel on the CPU.
#[derive(Clone, Copy)]
struct Emulation {
    sweep: SweepEntry,
    join: JoinEntry,
}

/// Builds the emulation with the machine's C++ compiler, once, and loads it.
fn emulation() -> Emulation {
    static LOADED: OnceLock<Emulation> = OnceLock::new();
    *LOADED.get_or_init(|| {
        let machine = ("cpu.cu", include_str!("../../src/kernel/cpu.cu"));
        let entry = ("sweep.cpp", include_str!("sweep.cpp"));
        let source = kernel::join(machine, kernel::SWEEP, entry);
        let library = load("sweep", &source);
        // SAFETY: its functions have the given types.
        unsafe {
            Emulation {
                sweep: *library.get(b"sweep").expect("it sweeps"),
                join: *library.get(b"join").expect("it joins"),
            }
        }
    })
}

/// Memory of an emulated card.
#[repr(align(256))]
#[derive(Clone)]
struct Line(#[expect(dead_code, reason = "only its size matters")] [u8; 256]);

/// The emulated card.
struct Emulated {
    memory: Vec<Line>,
    threads: u32,
    scratch_room: u32,
    /// Whether it adds one to the first sum of every join.
    lies: bool,
    /// How often it has made tables.
    launches: AtomicU32,
}

impl Emulated {
    fn new(megabytes: usize) -> Emulated {
        Emulated {
            memory: vec![Line([0xee; 256]); megabytes << 12],
            threads: 64,
            scratch_room: 1 << 16,
            lies: false,
            launches: AtomicU32::new(0),
        }
    }

    /// The bytes at an address.
    fn at(&self, address: u64, length: usize) -> *mut u8 {
        let (begin, bytes) = self.memory();
        assert!(address >= begin && address + length as u64 <= begin + bytes);
        address as *mut u8
    }
}

impl Machine for Emulated {
    fn number(&self) -> usize {
        0
    }

    fn memory(&self) -> (u64, u64) {
        let bytes = self.memory.len() * size_of::<Line>();
        (self.memory.as_ptr() as u64, bytes as u64)
    }

    fn blocks(&self) -> (u32, u32) {
        (2, self.threads)
    }

    fn scratch_room(&self) -> u32 {
        self.scratch_room
    }

    fn upload(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        let to = self.at(address, bytes.len());
        // SAFETY: the place is in the memory, which nobody else uses while this runs.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    fn download(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let from = self.at(address, bytes.len());
        // SAFETY: as above.
        unsafe {
            bytes
                .as_mut_ptr()
                .copy_from_nonoverlapping(from, bytes.len())
        };
        Ok(())
    }

    fn sweep(&self, free: u32, launch: &SweepLaunch, shared_bytes: u32) -> Result<(), Error> {
        let (blocks, threads) = self.blocks();
        let sweep = emulation().sweep;
        // SAFETY: the launch has addresses of this card's memory.
        let overrun = unsafe { sweep(free, launch, blocks, threads, shared_bytes) };
        assert_eq!(overrun, 0, "a block wrote beyond its shared memory");
        self.launches.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn join(&self, launch: &JoinLaunch, row_sets: u32) -> Result<(), Error> {
        let join = emulation().join;
        // SAFETY: as above.
        unsafe { join(launch, row_sets, self.threads) };
        if self.lies {
            let mut sum = [0; 8];
            self.download(launch.sums, &mut sum)?;
            sum = (u64::from_le_bytes(sum) + 1).to_le_bytes();
            self.upload(launch.sums, &sum)?;
        }
        Ok(())
    }
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

fn counted(n: usize, block: &Block) -> Vec<u64> {
    let mut counter = Counter::new(n, Simd::Auto).unwrap();
    let count = |unit| counter.count(unit, &never()).unwrap();
    block.numbers().map(count).collect()
}

/// Sweeps the blocks of a board that can be swept, at most `most` of them, and compares their
/// counts.
fn compare_blocks(card: &Emulated, n: usize, most: usize) -> usize {
    let (mut unit, mut blocks) = (0, 0);
    while unit < units(n).unwrap().len() && blocks < most {
        let Some(block) = Block::of(n, unit) else {
            unit += 1;
            continue;
        };
        let expected = Ok(Some(counted(n, &block)));
        let end = block.numbers().end;
        assert_eq!(
            count_block(card, block, &never()),
            expected,
            "n={n} unit={unit}"
        );
        unit = end;
        blocks += 1;
    }
    blocks
}

#[test]
fn sweeps_count_all_blocks_of_small_boards() {
    let card = Emulated::new(64);
    let blocks: usize = (8..=12).map(|n| compare_blocks(&card, n, usize::MAX)).sum();
    assert_eq!(blocks, 7);
}

#[test]
fn sweeps_count_blocks_of_larger_boards_with_blocks_of_other_sizes() {
    for (n, threads) in [(13, 32), (14, 96)] {
        let card = Emulated {
            threads,
            ..Emulated::new(64)
        };
        assert_eq!(compare_blocks(&card, n, 1), 1);
    }
}

/// The last even row set of the class with the most solutions; it visits all column sets.
fn largest(n: usize) -> Sweep {
    let units = units(n).unwrap();
    let last = (0..units.len()).rfind(|&unit| units.class(unit) == n as u32 / 4);
    let block = Block::of(n, last.unwrap()).unwrap();
    block.sweep(block.rows() - 1).unwrap()
}

/// The same sweep with every listed placement of white this many times.
fn repeated(mut sweep: Sweep, times: usize) -> Sweep {
    let white = &mut sweep.white;
    let list = |range: &[u32]| &white.lines[range[0] as usize..range[1] as usize];
    let lines = white
        .starts
        .windows(2)
        .flat_map(|range| list(range).repeat(times));
    white.lines = lines.collect();
    for start in &mut white.starts {
        *start *= times as u32;
    }
    sweep
}

#[test]
fn a_cohort_of_many_placements_takes_several_products() {
    let card = Emulated::new(64);
    let sweep = largest(12);
    let once = sums(&card, &sweep, &never()).unwrap().unwrap();
    assert!(once.iter().any(|&sum| sum > 0));
    for times in [90, 300] {
        let expected: Vec<u64> = once.iter().map(|sum| times as u64 * sum).collect();
        let card = Emulated {
            scratch_room: 1 << 20,
            ..Emulated::new(64)
        };
        let many = sums(&card, &repeated(sweep.clone(), times), &never());
        assert_eq!(many, Ok(Some(expected)), "{times} times");
    }
}

#[test]
fn a_block_without_room_for_partial_placements_is_noticed() {
    let card = Emulated {
        scratch_room: 160,
        ..Emulated::new(64)
    };
    assert_eq!(sums(&card, &largest(14), &never()), Ok(None));
}

#[test]
fn a_block_with_little_room_deals_fewer_listed_placements_at_a_time() {
    let sweep = repeated(largest(12), 90);
    let launches = |scratch_room| {
        let card = Emulated {
            scratch_room,
            ..Emulated::new(64)
        };
        let sums = sums(&card, &sweep, &never()).unwrap();
        (sums.unwrap(), card.launches.into_inner())
    };
    let (expected, once) = launches(1 << 20);
    let (counted, again) = launches(608);
    assert_eq!(counted, expected);
    assert!(again > once, "{again} launches, and {once} with more room");
}

#[test]
fn a_count_that_does_not_fit_its_cell_is_noticed() {
    let card = Emulated {
        scratch_room: 1 << 24,
        ..Emulated::new(1024)
    };
    let mut sweep = largest(12);
    // Repeat all placements of the longest list, and of no other.
    let white = &mut sweep.white;
    let length = |range: &&[u32]| range[1] - range[0];
    let longest = white.starts.windows(2).max_by_key(length).unwrap().to_vec();
    let list = longest[0] as usize..longest[1] as usize;
    white.lines = white.lines[list].repeat(30_000);
    let all = white.lines.len() as u32;
    for start in &mut white.starts {
        *start = if *start > longest[0] { all } else { 0 };
    }
    assert_eq!(sums(&card, &sweep, &never()), Ok(None));
}

#[test]
fn too_little_memory_and_a_stop_are_errors() {
    let sweep = largest(12);
    let card = Emulated::new(0);
    let error = sums(&card, &sweep, &never()).unwrap_err();
    assert!(
        matches!(error, Error::TooLittleMemory { free: 0, .. }),
        "{error:?}"
    );
    let card = Emulated::new(64);
    let stopped = sums(&card, &sweep, &AtomicBool::new(true));
    assert_eq!(stopped, Err(Error::Stopped { share: 0.0 }));
    assert_eq!(card.launches.load(Ordering::Relaxed), 0);
}

#[test]
fn a_card_that_lies_fails_its_self_test() {
    let card = Emulated {
        lies: true,
        ..Emulated::new(64)
    };
    let error = self_test(&card, &never()).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Differs {
                self_test: true,
                n: 12,
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn an_honest_card_passes_its_self_test() {
    let card = Emulated {
        scratch_room: 1 << 20,
        ..Emulated::new(1024)
    };
    assert_eq!(self_test(&card, &never()), Ok(()));
}

/// How many ways there are to put a queen in each of these rows and these columns of a swept board,
/// beside queens with these lines.
fn ways(colour: &SweptColour, rows: &[u8], columns: u32, held: u64) -> u64 {
    let [row, rest @ ..] = rows else {
        return 1;
    };
    let free = (0..colour.cols).filter(|column| columns >> column & 1 == 1);
    let square = |column: u32| {
        let diag = column + colour.diag_offset - u32::from(*row);
        let anti = column + colour.anti_offset + u32::from(*row);
        (column, 1 << diag | 1 << (32 + anti))
    };
    free.map(square)
        .filter(|(_, lines): &(u32, u64)| held & lines == 0)
        .map(|(column, lines)| ways(colour, rest, columns & !(1 << column), held | lines))
        .sum()
}

/// Sweeps one listed index of a colour with two of its cores, and compares cells with a plain search.
fn compare_cells(mut colour: SweptColour, row_sets: u32) {
    let mut random = Random::new(28);
    let mut number = |below: usize| random.below(below as u64) as usize;
    let cores = colour.cores.len();
    colour.cores = [number(cores), number(cores)]
        .map(|place| colour.cores[place].clone())
        .to_vec();
    // One of the shorter lists, because it is quick.
    let length = |&listed: &usize| colour.starts[listed + 1] - colour.starts[listed];
    let mut lists: Vec<usize> = (0..colour.starts.len() - 1).collect();
    lists.sort_by_key(length);
    let listed = lists[lists.len() / 3];
    // The first warp finds nearly everything, because the others run after it.
    let card = Emulated {
        threads: 64,
        scratch_room: 1 << 23,
        ..Emulated::new(512)
    };
    let cells = table(&card, &colour, row_sets, listed as u32)
        .unwrap()
        .unwrap();
    let held = &colour.lines[colour.starts[listed] as usize..colour.starts[listed + 1] as usize];
    let visited: Vec<usize> = (0..colour.index_of.len())
        .filter(|&columns| colour.index_of[columns] != NO_INDEX)
        .collect();
    let mut sum = 0;
    for core in &colour.cores {
        for target in &core.targets {
            let last = target.open.map(|place| core.open[usize::from(place)]);
            let rows: Vec<u8> = core.rows.iter().copied().chain(last).collect();
            for _ in 0..8 {
                let columns = visited[number(visited.len())];
                let held = held.iter();
                let count: u64 = held
                    .map(|&held| ways(&colour, &rows, columns as u32, held))
                    .sum();
                let index = usize::from(colour.index_of[columns]);
                let cell = cells[usize::from(target.row_set)][index];
                assert_eq!(
                    u64::from(cell),
                    count,
                    "row set {} index {index}",
                    target.row_set
                );
                sum += count;
            }
        }
    }
    assert!(sum > 0, "all cells are empty");
}

#[test]
fn tables_of_28_queens_have_the_cells_that_a_plain_search_finds() {
    let units = units(28).unwrap();
    // The cores have three to seven rows, and leave seven to eleven columns free.
    for class in [5, 6, 7] {
        let unit = (0..units.len())
            .find(|&unit| units.class(unit) == class)
            .unwrap();
        let block = Block::of(28, unit + 400).unwrap();
        let sweep = block.sweep(0).unwrap();
        let row_sets = sweep.odd_rows.len() as u32;
        compare_cells(sweep.white, row_sets);
        compare_cells(sweep.black, row_sets);
    }
}
