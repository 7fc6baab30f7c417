//! An emulated card: the text of the kernel, compiled for the CPU.

use super::compiler::load;
use queens_cuda::Error;
use queens_cuda::batch::{Addresses, Batch, Cell, Config, Join, Shape, Tuning};
use queens_cuda::card::Card;
use queens_cuda::interface::Launch;
use queens_cuda::kernel;
use queens_cuda::lists::{Upload, Uploaded};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

type Emulate = unsafe extern "C" fn(*const Launch, u32, u32, u32, i32, i32) -> u32;
type GuardsSee = unsafe extern "C" fn(u32, std::ffi::c_long) -> bool;

/// The kernel on the CPU.
#[derive(Clone, Copy)]
struct Emulation {
    emulate: Emulate,
    guards_see: GuardsSee,
}

/// The bits of the flag. Here each place of the kernel that sets the flag has its own bit:
/// unfolding meets a narrow cell with its highest bit set; a weighed count does not fit; a cell
/// overflows while scanning.
pub const UNFOLDED: u32 = 1;
pub const WEIGHED: u32 = 2;
pub const CARRIED: u32 = 4;

/// The kernel for the CPU. With `few_levels` it chooses more queens before it unfolds, as it does
/// on boards that are too large for these tests.
fn source(few_levels: bool) -> String {
    let machine = ("cpu.cu", include_str!("../../src/kernel/cpu.cu"));
    let entry = ("emulate.cpp", include_str!("emulate.cpp"));
    let source = kernel::join(machine, kernel::PAIRS, entry);
    let parts: Vec<&str> = source.split("*launch.flag = TOO_LARGE;").collect();
    let [begin, weighing, carry, end] = parts[..] else {
        panic!("the kernel sets the flag in {} places", parts.len() - 1);
    };
    let source = format!(
        "{begin}*launch.flag |= {UNFOLDED};{weighing}*launch.flag |= {WEIGHED};\
         {carry}*launch.flag |= {CARRIED};{end}"
    );
    let levels = "#define MOST_LEFT 9u";
    assert!(source.contains(levels), "the kernel has {levels:?}");
    match few_levels {
        true => source.replace(levels, "#define MOST_LEFT 4u"),
        false => source,
    }
}

/// Builds the emulation with the machine's C++ compiler, once, and loads it.
fn emulation(few_levels: bool) -> Emulation {
    static LOADED: [OnceLock<Emulation>; 2] = [const { OnceLock::new() }; 2];
    *LOADED[usize::from(few_levels)].get_or_init(|| {
        let name = if few_levels {
            "few-levels"
        } else {
            "emulation"
        };
        let library = load(name, &source(few_levels));
        // SAFETY: its functions have the given types.
        unsafe {
            Emulation {
                emulate: *library.get(b"emulate").expect("it has its entry"),
                guards_see: *library.get(b"guards_see").expect("it has its guards"),
            }
        }
    })
}

/// Bytes of the guards on each side of shared memory.
pub const GUARD_BYTES: u32 = 8 * 512;

/// Whether the guards of shared memory notice a byte that is written at this distance from the
/// memory's beginning.
pub fn guards_see(shared_bytes: u32, at: i64) -> bool {
    // SAFETY: the places that tests ask for are in the guard zones or in the memory between.
    unsafe { (emulation(false).guards_see)(shared_bytes, at) }
}

/// What goes wrong with a card, to test what happens then.
#[derive(Clone)]
pub enum Fault {
    /// Nothing.
    None,
    /// It fails for good after this many batches.
    FailsAfter(usize),
    /// It adds one to one sum of the batch with this number.
    LiesIn(usize),
    /// Its thread panics at the first batch.
    Panics,
    /// It has no memory for the first batch.
    NoMemoryAtFirst,
    /// It has no memory for any batch.
    NoMemory,
    /// It says for every batch that counts do not fit.
    NothingFits,
    /// It begins only when this becomes true.
    WaitsFor(Arc<AtomicBool>),
}

/// The emulated card.
pub struct Emulated {
    number: usize,
    fault: Fault,
    shared_per_block: u32,
    wide: bool,
    tuning: Tuning,
    few_levels: bool,
    /// How many bytes of shared memory a block has too few.
    missing: u32,
    batches: AtomicUsize,
    /// How many batches it has counted, with narrow cells and with wide ones.
    counted: [AtomicUsize; 2],
    /// The flags of all batches.
    flags: Mutex<Vec<u32>>,
    /// Memory for resident lists, of a fixed size, and how much of it is used.
    resident: Mutex<(Vec<u64>, usize)>,
    /// Whether a count uses it.
    resident_is_taken: AtomicBool,
    begun: Arc<AtomicBool>,
    failed: Arc<AtomicBool>,
}

impl Emulated {
    /// A card with enough shared memory for the table of a small board.
    pub fn new(number: usize, fault: Fault) -> Emulated {
        Emulated {
            number,
            fault,
            shared_per_block: 200 << 10,
            wide: false,
            tuning: Tuning::default(),
            few_levels: false,
            missing: 0,
            batches: AtomicUsize::new(0),
            counted: Default::default(),
            flags: Mutex::default(),
            resident: Mutex::new((vec![u64::MAX; 1 << 18], 0)),
            resident_is_taken: AtomicBool::new(false),
            begun: Arc::default(),
            failed: Arc::default(),
        }
    }

    /// A card with this many KiB of shared memory for a block.
    pub fn with_shared(kib: u32) -> Emulated {
        Emulated {
            shared_per_block: kib << 10,
            ..Emulated::new(0, Fault::None)
        }
    }

    /// A card whose tiles have wide cells, as if no count fitted a narrow one.
    pub fn with_wide_cells() -> Emulated {
        Emulated {
            wide: true,
            ..Emulated::new(0, Fault::None)
        }
    }

    /// A card whose blocks have less shared memory than the host calculated, and write beyond it.
    pub fn overrunning() -> Emulated {
        Emulated {
            missing: GUARD_BYTES,
            ..Emulated::new(0, Fault::None)
        }
    }

    /// The same card, unfolding in all classes in which that is possible.
    pub fn unfolding(self) -> Emulated {
        self.tuned(|tuning| (tuning.scan_share, tuning.store_share) = (0.0, 0.0))
    }

    /// The same card, scanning in all classes.
    pub fn scanning(self) -> Emulated {
        self.tuned(|tuning| tuning.scan_share = 1.0)
    }

    /// The same card, unfolding few rows.
    pub fn with_few_levels(self) -> Emulated {
        Emulated {
            few_levels: true,
            ..self
        }
    }

    /// The same card, with room for this many words of resident lists.
    pub fn with_resident(self, words: usize) -> Emulated {
        Emulated {
            resident: Mutex::new((vec![u64::MAX; words], 0)),
            ..self
        }
    }

    /// How many words of lists are resident.
    pub fn resident(&self) -> usize {
        self.resident.lock().unwrap().1
    }

    /// The flags of all batches since they were taken.
    pub fn flags(&self) -> Vec<u32> {
        self.flags.lock().unwrap().clone()
    }

    /// Takes these flags.
    pub fn take_flags(&self) -> Vec<u32> {
        std::mem::take(&mut self.flags.lock().unwrap())
    }

    /// How many batches it has counted with cells of this size.
    pub fn counted(&self, cell: Cell) -> usize {
        self.counted[usize::from(cell == Cell::Wide)].load(Ordering::Relaxed)
    }

    /// The same card, with tiles for few lists.
    pub fn narrow(self) -> Emulated {
        self.tuned(|tuning| tuning.width = 8)
    }

    fn tuned(mut self, change: impl FnOnce(&mut Tuning)) -> Emulated {
        change(&mut self.tuning);
        self
    }

    /// Becomes true when it has a batch.
    pub fn begun(&self) -> Arc<AtomicBool> {
        self.begun.clone()
    }

    /// Becomes true when it fails.
    pub fn failed(&self) -> Arc<AtomicBool> {
        self.failed.clone()
    }

    /// How many batches it was given.
    pub fn batches(&self) -> usize {
        self.batches.load(Ordering::Relaxed)
    }
}

impl Card for Emulated {
    fn name(&self) -> String {
        format!("GPU {} (emulated)", self.number)
    }

    fn shape(&self) -> Shape {
        Shape {
            multiprocessors: 2,
            threads_per_multiprocessor: 1024,
            shared_per_multiprocessor: self.shared_per_block + 1024,
            shared_per_block: self.shared_per_block,
            launch_cost: 3e6,
            tuning: self.tuning,
        }
    }

    fn uploader(&self, _n: u32) -> Option<Box<dyn Upload + '_>> {
        if self.resident_is_taken.swap(true, Ordering::AcqRel) {
            return None;
        }
        self.resident.lock().unwrap().1 = 0;
        Some(Box::new(EmulatedUploader(self)))
    }

    fn run(&self, batch: &Batch, stop: &AtomicBool) -> Result<(Vec<u64>, u32), Error> {
        let unfit = self.wide && batch.cell() == Cell::Narrow;
        if unfit || matches!(self.fault, Fault::NothingFits) {
            return Ok((Vec::new(), 1));
        }
        let number = self.batches.fetch_add(1, Ordering::Relaxed);
        self.begun.store(true, Ordering::Relaxed);
        self.fail_perhaps(number)?;
        let (mut sums, flag) = self.emulate(batch, stop)?;
        self.flags.lock().unwrap().push(flag);
        let cell = usize::from(batch.cell() == Cell::Wide);
        self.counted[cell].fetch_add(1, Ordering::Relaxed);
        if matches!(self.fault, Fault::LiesIn(batch) if batch == number) {
            sums[0] += 1;
        }
        Ok((sums, flag))
    }
}

impl Emulated {
    /// Does what goes wrong with the batch of this number, if anything.
    fn fail_perhaps(&self, number: usize) -> Result<(), Error> {
        let no_memory = Error::TooLittleMemory {
            device: self.number,
            needed: 1,
            free: 0,
        };
        let fails = match &self.fault {
            Fault::None | Fault::LiesIn(_) | Fault::NothingFits => None,
            Fault::WaitsFor(other) => {
                while !other.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                None
            }
            Fault::Panics => {
                self.failed.store(true, Ordering::Relaxed);
                panic!("the card exploded")
            }
            Fault::NoMemory => Some(no_memory),
            Fault::NoMemoryAtFirst => (number == 0).then_some(no_memory),
            &Fault::FailsAfter(most) => (number >= most).then(|| Error::Driver {
                device: self.number,
                doing: "running the kernel",
                reason: "it was unplugged".into(),
            }),
        };
        match fails {
            None => Ok(()),
            Some(error) => {
                self.failed.store(true, Ordering::Relaxed);
                Err(error)
            }
        }
    }

    /// Runs the kernel, and returns the sums and the flag.
    fn emulate(&self, batch: &Batch, stop: &AtomicBool) -> Result<(Vec<u64>, u32), Error> {
        let mut sums = vec![u64::MAX; batch.jobs()];
        let mut scratch = vec![u64::MAX; batch.scratch_bytes().div_ceil(8) as usize];
        let mut flags = vec![0u32; batch.flags()];
        let addresses = Addresses {
            words: batch.words().as_ptr() as u64,
            resident: self.resident.lock().unwrap().0.as_ptr() as u64,
            sums: sums.as_mut_ptr() as u64,
            scratch: scratch.as_mut_ptr() as u64,
            flags: flags.as_mut_ptr() as u64,
        };
        let wide = i32::from(batch.cell() == Cell::Wide);
        for wave in batch.waves() {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped { share: 0.0 });
            }
            let launch = batch.launch(wave, &addresses);
            let Config {
                blocks,
                threads,
                shared_bytes,
            } = wave.config;
            assert!(shared_bytes <= self.shared_per_block);
            let shared_bytes = shared_bytes - self.missing;
            // 0 scans, 1 unfolds on an even board, 2 on an odd one.
            let unfolds = match wave.gather {
                Join::Scan => 0,
                Join::Unfold => 1 + i32::from(wave.odd),
            };
            let emulate = emulation(self.few_levels).emulate;
            // SAFETY: the addresses are those of live arrays of the sizes that the batch asks for.
            let overrun = unsafe { emulate(&launch, blocks, threads, shared_bytes, unfolds, wide) };
            assert_eq!(overrun, 0, "a block wrote beyond its shared memory");
        }
        Ok((sums, flags[0]))
    }
}

struct EmulatedUploader<'a>(&'a Emulated);

impl Drop for EmulatedUploader<'_> {
    fn drop(&mut self) {
        self.0.resident_is_taken.store(false, Ordering::Release);
    }
}

impl Upload for EmulatedUploader<'_> {
    fn upload(&self, placements: &[u32], lines: &[u64]) -> Option<Uploaded> {
        let mut resident = self.0.resident.lock().unwrap();
        let (memory, used) = &mut *resident;
        let start = *used;
        let middle = start + placements.len().div_ceil(4) * 2;
        let end = middle + lines.len().next_multiple_of(2);
        if end > memory.len() {
            return None;
        }
        for (k, two) in placements.chunks(2).enumerate() {
            let second = u64::from(*two.get(1).unwrap_or(&0));
            memory[start + k] = u64::from(two[0]) | second << 32;
        }
        memory[middle..middle + lines.len()].copy_from_slice(lines);
        *used = end;
        Some(Uploaded {
            placements: start as u32,
            lines: middle as u32,
        })
    }
}
