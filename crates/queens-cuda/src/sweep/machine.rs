//! What a sweep needs of a card.

use crate::Error;
use crate::interface::{JoinLaunch, SweepLaunch};

/// A card that sweeps, or something that behaves like one. Its memory is one region. Places in it
/// are the card's addresses, in bytes.
pub trait Machine {
    /// Its number among the cards of the host.
    fn number(&self) -> usize;

    /// The first address of its memory for sweeps, a multiple of 256, and how many bytes it has.
    fn memory(&self) -> (u64, u64);

    /// How many blocks of threads run at a time, and with how many threads each.
    fn blocks(&self) -> (u32, u32);

    /// How many partial placements of one level a block has room for: at least `DEALT`, and a multiple of
    /// `SLOT_MULTIPLE`.
    fn scratch_room(&self) -> u32;

    /// Copies bytes to an address.
    ///
    /// # Errors
    ///
    /// When the card fails; so do the other functions.
    fn upload(&self, address: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Copies bytes from an address, once everything before is done.
    fn download(&self, address: u64, bytes: &mut [u8]) -> Result<(), Error>;

    /// Makes the tables of some listed indices, with the entry for this many free columns.
    fn sweep(&self, free: u32, launch: &SweepLaunch, shared_bytes: u32) -> Result<(), Error>;

    /// Joins tables, for this many row sets.
    fn join(&self, launch: &JoinLaunch, row_sets: u32) -> Result<(), Error>;
}
