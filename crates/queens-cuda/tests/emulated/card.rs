//! A card that is none: the text of `kernel.cu`, compiled for the CPU.

use queens::count::two_colour::device_lists::{Upload, Uploaded};
use queens_cuda::Error;
use queens_cuda::batch::{Addresses, Batch, Cell, Config, Launch, Shape, Tuning, Way};
use queens_cuda::card::{Card, Stream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

type Emulate = unsafe extern "C" fn(*const Launch, u32, u32, u32, i32, i32);

/// Builds the emulation with the machine's C++ compiler, once, and loads it. One of few levels
/// chooses more queens before it unfolds, as the kernel does on boards that are too large here.
fn emulate(few_levels: bool) -> Emulate {
    static LOADED: [OnceLock<Emulate>; 2] = [OnceLock::new(), OnceLock::new()];
    *LOADED[usize::from(few_levels)].get_or_init(|| {
        let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let levels = if few_levels { "4" } else { "9" };
        let name = format!("emulation-{}-{levels}.so", std::process::id());
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".into());
        let status = Command::new(&compiler)
            .args([
                "-std=c++17",
                "-O2",
                "-Wall",
                "-Werror",
                "-Wno-unknown-pragmas",
            ])
            .arg(format!("-DMOST_LEFT={levels}u"))
            .args(["-shared", "-fPIC", "-I"])
            .arg(crate_dir.join("src"))
            .arg(crate_dir.join("tests/emulated/emulate.cpp"))
            .arg("-o")
            .arg(&library)
            .status()
            .unwrap_or_else(|error| {
                panic!("cannot run the C++ compiler {compiler}: {error}; run scripts/setup-tests")
            });
        assert!(
            status.success(),
            "the emulation of the kernel does not compile"
        );
        // SAFETY: the library was just built from this repository, and `emulate` has the
        // type given.
        unsafe {
            let loaded = libloading::Library::new(&library).expect("the emulation loads");
            let emulate: Emulate = *loaded.get(b"emulate").expect("it has its function");
            std::mem::forget(loaded);
            let _ = std::fs::remove_file(&library);
            emulate
        }
    })
}

/// What goes wrong with a card, for tests of what then happens.
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
    /// It begins only when another card has failed.
    WaitsFor(Arc<AtomicBool>),
}

/// The emulated card.
pub struct Emulated {
    number: usize,
    fault: Fault,
    shared_per_block: u32,
    cell: Cell,
    tuning: Tuning,
    few_levels: bool,
    batches: AtomicUsize,
    /// Memory for lists that are kept, of a size that does not change, and how much is used.
    kept: Mutex<(Vec<u64>, usize)>,
    /// Whether a count has it.
    kept_is_taken: AtomicBool,
    failed: Arc<AtomicBool>,
}

impl Emulated {
    /// A card with enough shared memory for the table of a small board.
    pub fn new(number: usize, fault: Fault) -> Emulated {
        Emulated {
            number,
            fault,
            shared_per_block: 200 << 10,
            cell: Cell::Narrow,
            tuning: Tuning::default(),
            few_levels: false,
            batches: AtomicUsize::new(0),
            kept: Mutex::new((vec![u64::MAX; 1 << 18], 0)),
            kept_is_taken: AtomicBool::new(false),
            failed: Arc::default(),
        }
    }

    /// A card with so much shared memory for a block.
    pub fn with_shared(kib: u32) -> Emulated {
        Emulated {
            shared_per_block: kib << 10,
            ..Emulated::new(0, Fault::None)
        }
    }

    /// A card whose tables have 32-bit cells.
    pub fn with_wide_cells() -> Emulated {
        Emulated {
            cell: Cell::Wide,
            ..Emulated::new(0, Fault::None)
        }
    }

    /// The same card, unfolding in all classes that can be.
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

    /// The same card, with room for so many words of lists that are kept.
    pub fn keeping(self, words: usize) -> Emulated {
        Emulated {
            kept: Mutex::new((vec![u64::MAX; words], 0)),
            ..self
        }
    }

    /// How many words of lists it was given to keep.
    pub fn kept(&self) -> usize {
        self.kept.lock().unwrap().1
    }

    /// The same card, with tiles of few lists.
    pub fn narrow(self) -> Emulated {
        self.tuned(|tuning| tuning.width = 8)
    }

    fn tuned(mut self, change: impl FnOnce(&mut Tuning)) -> Emulated {
        change(&mut self.tuning);
        self
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

    fn stream(&self) -> Result<Box<dyn Stream + '_>, Error> {
        Ok(Box::new(EmulatedStream(self)))
    }

    fn keeper(&self, _n: u32) -> Option<Box<dyn Upload + '_>> {
        if self.kept_is_taken.swap(true, Ordering::AcqRel) {
            return None;
        }
        self.kept.lock().unwrap().1 = 0;
        Some(Box::new(EmulatedKeeper(self)))
    }
}

struct EmulatedKeeper<'a>(&'a Emulated);

impl Drop for EmulatedKeeper<'_> {
    fn drop(&mut self) {
        self.0.kept_is_taken.store(false, Ordering::Release);
    }
}

impl Upload for EmulatedKeeper<'_> {
    fn upload(&self, placements: &[u32], lines: &[u64]) -> Option<Uploaded> {
        let mut kept = self.0.kept.lock().unwrap();
        let (memory, used) = &mut *kept;
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

struct EmulatedStream<'a>(&'a Emulated);

impl Stream for EmulatedStream<'_> {
    fn count(&mut self, batch: &mut Batch, stop: &AtomicBool) -> Result<Vec<u64>, Error> {
        let number = self.0.batches.fetch_add(1, Ordering::Relaxed);
        if let Fault::WaitsFor(failure) = &self.0.fault {
            while !failure.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        }
        assert!(!matches!(self.0.fault, Fault::Panics), "the card exploded");
        if matches!(self.0.fault, Fault::NoMemoryAtFirst) && number == 0 {
            return Err(Error::TooLittleMemory {
                device: self.0.number,
                needed: 1,
                free: 0,
            });
        }
        if matches!(self.0.fault, Fault::FailsAfter(most) if number >= most) {
            self.0.failed.store(true, Ordering::Relaxed);
            return Err(Error::Driver {
                device: self.0.number,
                doing: "running the kernel",
                reason: "it was unplugged".into(),
            });
        }
        batch.seal(self.0.cell)?;
        let mut sums = vec![u64::MAX; batch.jobs()];
        let mut scratch = vec![u64::MAX; batch.scratch_bytes().div_ceil(8) as usize];
        let mut flags = vec![0u32; batch.flags()];
        let addresses = Addresses {
            words: batch.words().as_ptr() as u64,
            kept: self.0.kept.lock().unwrap().0.as_ptr() as u64,
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
            assert!(shared_bytes <= self.0.shared_per_block);
            // 0 scans, 1 unfolds on an even board, 2 on an odd one.
            let unfolds = match wave.gather {
                Way::Scan => 0,
                Way::Unfold => 1 + i32::from(wave.odd),
            };
            // SAFETY: the addresses are those of live arrays of the sizes that the batch says.
            unsafe {
                emulate(self.0.few_levels)(&launch, blocks, threads, shared_bytes, unfolds, wide)
            };
        }
        assert_eq!(flags[0], 0, "counts of these boards fit 16 bits");
        if matches!(self.0.fault, Fault::LiesIn(batch) if batch == number) {
            sums[0] += 1;
        }
        Ok(sums)
    }
}
