//! Everything that can keep a card from counting, each with a message of one line for a person.

use thiserror::Error;

/// The boards that the GPU counts. Below, there is nothing to gain. Above, the lines of one colour
/// fill 32 bits and leave no room for the index beside them.
pub const SIZES: std::ops::RangeInclusive<u32> = 8..=30;

/// Why there is no count.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// No driver library.
    #[error("there is no GPU: the NVIDIA driver (libcuda) was not found")]
    NoDriver,
    /// A driver that does not work.
    #[error("there is no GPU: the NVIDIA driver does not start: {reason}")]
    BrokenDriver {
        /// What the driver says.
        reason: String,
    },
    /// A driver without a card.
    #[error("there is no GPU: the NVIDIA driver found none")]
    NoDevice,
    /// The card that was named is not there.
    #[error("there is no GPU {device}: this machine has {count}, numbered from 0")]
    NoSuchDevice {
        /// The number asked for.
        device: usize,
        /// How many there are.
        count: usize,
    },
    /// A card without the instructions that the kernel needs.
    #[error(
        "GPU {device} ({name}) is too old: it has compute capability {major}.{minor}, 7.5 is the least"
    )]
    TooOld {
        /// The card's number.
        device: usize,
        /// The card's name.
        name: String,
        /// Compute capability, before the point.
        major: u32,
        /// Compute capability, after the point.
        minor: u32,
    },
    /// A card without tensor cores that multiply bits.
    #[error(
        "GPU {device} ({name}) cannot sweep: it has compute capability {major}.{minor}, 8.0 is the least"
    )]
    CannotSweep {
        /// The card's number.
        device: usize,
        /// The card's name.
        name: String,
        /// Compute capability, before the point.
        major: u32,
        /// Compute capability, after the point.
        minor: u32,
    },
    /// A card with too little free memory.
    #[error(
        "GPU {device} has too little free memory: {needed} MiB are needed, {free} MiB are free"
    )]
    TooLittleMemory {
        /// The card's number.
        device: usize,
        /// MiB needed.
        needed: u64,
        /// MiB free.
        free: u64,
    },
    /// The system refuses threads.
    #[error("no thread could be started: {reason}")]
    NoThread {
        /// What it says.
        reason: String,
    },
    /// A card without room for the smallest block of threads.
    #[error("the GPU has too little shared memory for N = {n}")]
    TooLittleShared {
        /// The board's size.
        n: u32,
    },
    /// No run-time compiler.
    #[error(
        "the CUDA run-time compiler (libnvrtc, version 12 or 13) was not found; install it, or name its folder in QUEENS_NVRTC"
    )]
    NoNvrtc,
    /// The run-time compiler refused the kernel.
    #[error("the CUDA run-time compiler failed: {reason}")]
    Compile {
        /// What it said, on one line.
        reason: String,
    },
    /// A board that is too small or too large.
    #[error("the GPU counts n = {} to {}, not {n}", SIZES.start(), SIZES.end())]
    OutOfRange {
        /// The size asked for.
        n: u32,
    },
    /// There is no such unit.
    #[error("n = {n} has no unit {unit}")]
    NoSuchUnit {
        /// The size of the board.
        n: u32,
        /// The unit asked for.
        unit: u64,
    },
    /// A driver call failed.
    #[error("GPU {device}: {doing}: {reason}")]
    Driver {
        /// The card's number.
        device: usize,
        /// What was being done.
        doing: &'static str,
        /// What the driver says.
        reason: String,
    },
    /// A counter might overflow; no unit up to n = 30 comes near it.
    #[error("the counters of the GPU might overflow in unit {unit} of n = {n}")]
    Overflow {
        /// The size of the board.
        n: u32,
        /// The unit.
        unit: u64,
    },
    /// A count does not fit 32 bits; the bounds that are checked earlier rule this out.
    #[error("{card}: a count does not fit 32 bits")]
    CellOverflow {
        /// The card.
        card: String,
    },
    /// The card and the processor disagree.
    #[error(
        "{} found a wrong count: unit {unit} of n = {n} has {cpu} on the CPU, but the GPU counted {gpu}",
        if *.self_test { "the self-test" } else { "the verification" }
    )]
    Differs {
        /// Whether the self-test found it, or the verification of a count.
        self_test: bool,
        /// The size of the board.
        n: u32,
        /// The unit.
        unit: u64,
        /// The count on the CPU.
        cpu: u64,
        /// The count on the GPU.
        gpu: u64,
    },
    /// The stop flag was raised.
    #[error("stopped after {:.1} % of the work", share * 100.0)]
    Stopped {
        /// The share of the work done, from 0 to 1.
        share: f64,
    },
}
