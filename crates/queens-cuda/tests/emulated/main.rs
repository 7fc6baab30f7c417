//! Tests on emulated cards: the kernel's own text, compiled for the CPU.

mod agreement;
mod card;
mod compiler;
mod faults;
mod interface;
mod overflow;
mod sweep;
