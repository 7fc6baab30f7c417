//! The kernels: the source texts for a card's compiler.
//!
//! There are two kernels: one counts pairs of row sets, the other sweeps. Each consists of parts,
//! files that begin by saying what they do. A part uses only the parts above it.
//!
//! | part | what it has | pairs | sweep |
//! |---|---|---|---|
//! | `interface` | constants and structures, written by [`crate::interface`] | x | x |
//! | `gpu.cu` | the machine: phases, barriers, and single instructions | x | x |
//! | `memory.cu` | how a block divides its memory | x | x |
//! | `scan.cu` | scanned placements as bits, many at a time | x | |
//! | `unfold.cu` | scanned placements one by one, queen by queen | x | |
//! | `count.cu` | a job: store one colour, gather with the other | x | |
//! | `lists.cu` | lists of partial placements, read in chunks | | x |
//! | `deal.cu` | partial placements, level by level | | x |
//! | `cohort.cu` | the last two queens of many placements, by products of bits | | x |
//! | `sweep.cu` | a job: one listed index and one core, to a table | | x |
//! | `join.cu` | the sums of two colours' tables | | x |
//! | `entry.cu`, `sweep_entry.cu` | the entries for the driver | x | x |
//!
//! `cpu.cu` is the twin of `gpu.cu`: tests use it in place of `gpu.cu` and run the rest on the CPU.
//!
//! The parts are joined to one text. `#line` tells the compiler where each part comes from, so its
//! messages name the part and the line in it.

use crate::interface;

/// A part: its name and its text.
pub type Part = (&'static str, &'static str);

/// The parts that count pairs of row sets, on a card and in tests.
pub const PAIRS: &[Part] = &[
    ("memory.cu", include_str!("memory.cu")),
    ("scan.cu", include_str!("scan.cu")),
    ("unfold.cu", include_str!("unfold.cu")),
    ("count.cu", include_str!("count.cu")),
];

/// The parts that sweep, on a card and in tests.
pub const SWEEP: &[Part] = &[
    ("memory.cu", include_str!("memory.cu")),
    ("lists.cu", include_str!("lists.cu")),
    ("deal.cu", include_str!("deal.cu")),
    ("cohort.cu", include_str!("cohort.cu")),
    ("sweep.cu", include_str!("sweep.cu")),
    ("join.cu", include_str!("join.cu")),
];

/// The machine as a GPU.
const GPU: Part = ("gpu.cu", include_str!("gpu.cu"));

/// The kernel that counts pairs of row sets, for a card.
pub fn source() -> String {
    join(GPU, PAIRS, ("entry.cu", include_str!("entry.cu")))
}

/// The kernel that sweeps, for a card.
pub fn sweep_source() -> String {
    let entries = ("sweep_entry.cu", include_str!("sweep_entry.cu"));
    join(GPU, SWEEP, entries)
}

/// A kernel for a machine, with these entries.
pub fn join(machine: Part, parts: &[Part], entries: Part) -> String {
    let interface = interface::cuda();
    let first = [("interface", interface.as_str()), machine];
    let parts = first.into_iter().chain(parts.iter().copied());
    parts
        .chain([entries])
        .map(|(name, text)| format!("#line 1 \"{name}\"\n{text}"))
        .collect()
}
