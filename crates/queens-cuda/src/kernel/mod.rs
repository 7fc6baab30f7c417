//! The kernel: the text that a card's compiler is given.
//!
//! It comes in parts, each a file that opens with what it does; a part uses only those above it.
//!
//! | part | what it has |
//! |---|---|
//! | `interface` | constants and structures, written by [`crate::interface`] |
//! | `gpu.cu` | the machine: phases, barriers, and single instructions |
//! | `memory.cu` | how a block shares out its memory |
//! | `scan.cu` | scanned placements as bits, many at a time |
//! | `unfold.cu` | scanned placements one by one, queen by queen |
//! | `count.cu` | a job: store one colour, gather with the other |
//! | `entry.cu` | the entries for the driver |
//!
//! `cpu.cu` is the twin of `gpu.cu`: tests put it in its place and run the rest on the CPU.
//!
//! The parts are joined to one text, and `#line` tells the compiler where each comes from, so that
//! its messages name the part and the line in it.

use crate::interface;

/// A part: its name and its text.
pub type Part = (&'static str, &'static str);

/// The parts that run on a card and in tests.
pub const PORTABLE: &[Part] = &[
    ("memory.cu", include_str!("memory.cu")),
    ("scan.cu", include_str!("scan.cu")),
    ("unfold.cu", include_str!("unfold.cu")),
    ("count.cu", include_str!("count.cu")),
];

/// The kernel for a card.
pub fn source() -> String {
    let machine = ("gpu.cu", include_str!("gpu.cu"));
    join(machine, ("entry.cu", include_str!("entry.cu")))
}

/// The kernel for a machine, with these entries.
pub fn join(machine: Part, entries: Part) -> String {
    let interface = interface::cuda();
    let first = [("interface", interface.as_str()), machine];
    let parts = first.into_iter().chain(PORTABLE.iter().copied());
    parts
        .chain([entries])
        .map(|(name, text)| format!("#line 1 \"{name}\"\n{text}"))
        .collect()
}
