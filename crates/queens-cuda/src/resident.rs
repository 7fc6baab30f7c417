//! Lists that stay on a card during a count.
//!
//! On small boards many batches need the same lists: for n = 20, 55 batches would copy 340 MB, but
//! all lists together are 79 MB. So each list is copied once. After that the host does not need it
//! any more: a thread makes the next lists in the same memory.
//!
//! Threads that make lists *stage* them in pinned memory and go on. Before a batch is launched, all
//! staged lists are sent, by one stream and in few long copies, because even the shortest copy
//! takes some microseconds. The batch waits for these copies on the card.
//!
//! ```text
//! pinned     | stage 0 ####... | stage 1 ##..... |      a thread fills each
//!                  |                 |                   one stream sends what is filled
//! card       | of stage 0      | of stage 1      | of the next stage ... |
//! ```

use crate::Error;
use crate::driver::{failed, settle, wait};
use crate::lists::{Upload, Uploaded};
use crate::lock::lock;
use crate::pinned::Pinned;
use cudarc::driver::result::memcpy_htod_async;
use cudarc::driver::{CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtr, DriverError};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// Words of the card's memory for resident lists, if it has several times as much. All lists of
/// n = 22 are 537 MiB, and a fifth is lost at the ends of stages.
const RESIDENT_WORDS: usize = 96 << 20;

/// How many threads can stage lists at a time, and the words of pinned memory for each thread. The
/// longest lists of a row set are 27,000 words for n = 20 and 143,000 for n = 22.
const STAGES: usize = 16;
const STAGE_WORDS: usize = 256 << 10;

const COPYING: &str = "copying lists to it";

/// A card's memory for resident lists, and the way there.
pub(crate) struct ResidentLists {
    /// The card.
    device: usize,
    context: Arc<CudaContext>,
    /// Whether a count uses it.
    is_taken: AtomicBool,
    words: CudaSlice<u64>,
    pinned: Pinned,
    /// The stream of all copies.
    copier: Arc<CudaStream>,
    /// Stages that nobody fills now.
    idle: Mutex<Vec<Stage>>,
    /// Signals that a stage came back.
    changed: Condvar,
    /// Where the free part of the card's memory begins.
    next: AtomicUsize,
    /// What is staged and not sent yet.
    staged: Mutex<Vec<Staged>>,
}

/// Part of the pinned memory, which one thread at a time fills, and as many words of the card's
/// memory.
struct Stage {
    number: usize,
    /// How many words are filled.
    used: usize,
    /// Where they go.
    to: usize,
}

/// Some words of a stage.
struct Staged {
    stage: usize,
    /// Their range in the stage.
    words: Range<usize>,
    /// Where the stage goes.
    to: usize,
}

impl ResidentLists {
    /// Reserves the memory; `None` if the card has too little.
    pub fn new(
        device: usize,
        context: &Arc<CudaContext>,
    ) -> Result<Option<ResidentLists>, DriverError> {
        let (free, _) = context.mem_get_info()?;
        if free <= 4 * 8 * RESIDENT_WORDS {
            return Ok(None);
        }
        let copier = context.new_stream()?;
        // SAFETY: the kernel reads only words that were copied there.
        let words = unsafe { copier.alloc(RESIDENT_WORDS) }?;
        Ok(Some(ResidentLists {
            device,
            context: context.clone(),
            is_taken: AtomicBool::new(false),
            words,
            pinned: Pinned::new(context, STAGES * STAGE_WORDS)?,
            copier,
            idle: Mutex::default(),
            changed: Condvar::new(),
            next: AtomicUsize::new(0),
            staged: Mutex::default(),
        }))
    }

    /// Its address on the card.
    pub fn address(&self) -> u64 {
        self.words.device_ptr(&self.copier).0
    }

    /// Starts the lists of a count; `None` if another count has the memory.
    pub fn uploader(&self) -> Option<Uploader<'_>> {
        if self.is_taken.swap(true, Ordering::AcqRel) {
            return None;
        }
        let uploader = Uploader {
            resident: self,
            full: AtomicBool::new(false),
        };
        self.begin().is_ok().then_some(uploader)
    }

    /// Forgets everything.
    fn begin(&self) -> Result<(), Error> {
        wait(self.device, COPYING, &self.copier)?;
        lock(&self.staged).clear();
        self.next.store(STAGES * STAGE_WORDS, Ordering::Relaxed);
        let empty = |number| Stage {
            number,
            used: 0,
            to: number * STAGE_WORDS,
        };
        *lock(&self.idle) = (0..STAGES).map(empty).collect();
        Ok(())
    }

    /// Waits for a stage.
    fn take_stage(&self) -> Stage {
        let idle = lock(&self.idle);
        let mut idle = self
            .changed
            .wait_while(idle, |idle| idle.is_empty())
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        idle.pop().expect("there is one")
    }

    /// Starts copying everything that is staged.
    fn send(&self) -> Result<(), Error> {
        let mut staged = lock(&self.staged);
        while let Some(Staged { stage, words, to }) = staged.last() {
            // SAFETY: these words have been written. Nobody writes to them before the stage begins
            // anew, and then its thread first waits for the copy. On the card the place belongs to
            // the stage.
            unsafe {
                let from = self.pinned.words.add(stage * STAGE_WORDS + words.start);
                let from = std::slice::from_raw_parts(from, words.len());
                let to = self.address() + 8 * (to + words.start) as u64;
                memcpy_htod_async(to, from, self.copier.cu_stream())
            }
            .map_err(failed(self.device, COPYING))?;
            // Not earlier: nobody may count with lists that were not sent.
            staged.pop();
        }
        Ok(())
    }

    /// Makes a stream wait for everything that was staged before. The event belongs to this stream:
    /// a new event would have to be destroyed, and that waits for it.
    pub fn send_before(&self, stream: &CudaStream, event: &CudaEvent) -> Result<(), Error> {
        self.send()?;
        event
            .record(&self.copier)
            .and_then(|()| stream.wait(event))
            .map_err(failed(self.device, "waiting for lists"))
    }

    /// Stages the lists of a row set.
    fn fill(
        &self,
        stage: &mut Stage,
        placements: &[u32],
        lines: &[u64],
    ) -> Result<Option<Uploaded>, Error> {
        // Every list begins at a multiple of 16 bytes.
        let of_placements = placements.len().div_ceil(4) * 2;
        let words = of_placements + lines.len().next_multiple_of(2);
        if stage.used + words > STAGE_WORDS {
            let to = self.next.fetch_add(STAGE_WORDS, Ordering::Relaxed);
            if words > STAGE_WORDS || to + STAGE_WORDS > self.words.len() {
                return Ok(None);
            }
            self.send()?;
            wait(self.device, COPYING, &self.copier)?;
            (stage.used, stage.to) = (0, to);
        }
        let start = stage.used;
        // SAFETY: the stage belongs to this thread, and its words from `start` on are neither
        // filled nor being copied. There is room, as checked above.
        unsafe {
            let at = self.pinned.words.add(stage.number * STAGE_WORDS + start);
            let length = placements.len();
            std::ptr::copy_nonoverlapping(placements.as_ptr(), at.cast::<u32>(), length);
            let at = at.add(of_placements);
            std::ptr::copy_nonoverlapping(lines.as_ptr(), at, lines.len());
        }
        stage.used += words;
        let mut staged = lock(&self.staged);
        let before = staged
            .iter_mut()
            .find(|before| before.stage == stage.number && before.words.end == start);
        match before {
            Some(before) => before.words.end = stage.used,
            None => staged.push(Staged {
                stage: stage.number,
                words: start..stage.used,
                to: stage.to,
            }),
        }
        Ok(Some(Uploaded {
            placements: (stage.to + start) as u32,
            lines: (stage.to + start + of_placements) as u32,
        }))
    }
}

impl Drop for ResidentLists {
    /// Waits, so that nothing is copied from memory that is freed.
    fn drop(&mut self) {
        settle(&self.copier);
    }
}

/// Uploads the lists of one count.
pub(crate) struct Uploader<'a> {
    resident: &'a ResidentLists,
    /// Whether there is no room for more.
    full: AtomicBool,
}

impl Uploader<'_> {
    fn stage(&self, placements: &[u32], lines: &[u64]) -> Result<Option<Uploaded>, Error> {
        let resident = self.resident;
        resident
            .context
            .bind_to_thread()
            .map_err(failed(resident.device, "using the card"))?;
        let mut stage = resident.take_stage();
        let result = resident.fill(&mut stage, placements, lines);
        lock(&resident.idle).push(stage);
        resident.changed.notify_one();
        result
    }
}

impl Upload for Uploader<'_> {
    fn upload(&self, placements: &[u32], lines: &[u64]) -> Option<Uploaded> {
        if self.full.load(Ordering::Relaxed) {
            return None;
        }
        // A card without room for a list is not asked again. If something is wrong with it, the
        // count will show it.
        let uploaded = self.stage(placements, lines).unwrap_or(None);
        if uploaded.is_none() {
            self.full.store(true, Ordering::Relaxed);
        }
        uploaded
    }
}

impl Drop for Uploader<'_> {
    fn drop(&mut self) {
        self.resident.is_taken.store(false, Ordering::Release);
    }
}
