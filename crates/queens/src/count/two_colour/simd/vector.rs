//! 512 bits: as memory, and as the few operations that every instruction set must offer.
//!
//! Kernels are written against [`Vector`]. Its operations on 32-bit lanes have default bodies
//! that go through memory, so that a new instruction set is correct before it is fast.

/// 512 bits of memory: bit planes, 16-bit counts or 16-bit weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Bits512(pub [u64; 8]);

/// Number of 16-bit slots of a vector.
pub(crate) const SLOTS: usize = 32;

impl Bits512 {
    /// The bits as 16-bit slots.
    pub fn slots(&self) -> &[u16; SLOTS] {
        // SAFETY: both types are 64 plain bytes, and 64-byte alignment suffices for u16.
        unsafe { &*(self as *const Bits512).cast() }
    }

    /// The bits as 16-bit slots.
    pub fn slots_mut(&mut self) -> &mut [u16; SLOTS] {
        // SAFETY: as above; every bit pattern is valid.
        unsafe { &mut *(self as *mut Bits512).cast() }
    }

    /// The slots of several vectors, one after the other.
    pub fn slots_of(all: &[Bits512]) -> &[u16] {
        // SAFETY: as above; as many slots as there are.
        unsafe { std::slice::from_raw_parts(all.as_ptr().cast(), all.len() * SLOTS) }
    }

    /// Applies `f` to each 32-bit lane.
    #[inline(always)]
    pub fn map32(self, f: impl Fn(u32) -> u32) -> Bits512 {
        Bits512(
            self.0
                .map(|word| u64::from(f(word as u32)) | u64::from(f((word >> 32) as u32)) << 32),
        )
    }
}

/// The operations on 512 bits that kernels need.
///
/// # Safety
///
/// Every method may be called only where the instruction set it belongs to is available.
pub(crate) unsafe trait Vector: Copy {
    /// Reads 512 bits.
    unsafe fn load(from: *const Bits512) -> Self;
    /// Writes 512 bits.
    unsafe fn store(self, to: *mut Bits512);
    /// All bits zero.
    unsafe fn zero() -> Self;
    /// Bitwise and.
    unsafe fn and(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    unsafe fn xor(self, other: Self) -> Self;
    /// `self & !(a | b)`.
    unsafe fn without(self, a: Self, b: Self) -> Self;
    /// Every 64-bit word shifted right.
    unsafe fn shr<const BITS: i32>(self) -> Self;
    /// Every 64-bit word shifted left.
    unsafe fn shl<const BITS: i32>(self) -> Self;
    /// The number of set bits of each 16-bit slot.
    unsafe fn popcount16(self) -> Self;
    /// Sum of 16-bit slots.
    unsafe fn add16(self, other: Self) -> Self;
    /// Adds to each 32-bit lane of `self` the two products of the 16-bit slots that `a` and `b`
    /// have there; all numbers are signed.
    unsafe fn add_products(self, a: Self, b: Self) -> Self;
    /// Sum of all 32-bit lanes, as signed numbers.
    unsafe fn sum32(self) -> i64;
    /// The 16-bit slots of a row that `map` names, in rising order; the row begins at `row`.
    unsafe fn pick16(row: *const Bits512, map: &Bits512) -> Self {
        let mut picked = Bits512::default();
        for (slot, &place) in picked.slots_mut().iter_mut().zip(map.slots()) {
            // SAFETY: the caller vouches for the places being within the row.
            *slot = unsafe { *row.cast::<u16>().add(place as usize) };
        }
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&picked) }
    }
    /// Bitwise or.
    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { self.xor(other.without(self, self)) }
    }
    /// Reads sixteen 32-bit lanes from memory that need not be aligned.
    #[inline(always)]
    unsafe fn load32(from: *const u32) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&from.cast::<Bits512>().read_unaligned()) }
    }
    /// The same number in every 32-bit lane.
    #[inline(always)]
    unsafe fn splat32(x: u32) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&Bits512([u64::from(x) << 32 | u64::from(x); 8])) }
    }
    /// The vector as memory.
    #[inline(always)]
    unsafe fn to_bits(self) -> Bits512 {
        let mut bits = Bits512::default();
        // SAFETY: passed on to the caller.
        unsafe { self.store(&mut bits) };
        bits
    }
    /// Every 32-bit lane shifted right by less than 32.
    #[inline(always)]
    unsafe fn shr32(self, by: u32) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&self.to_bits().map32(|x| x >> by)) }
    }
    /// Every 32-bit lane shifted left by less than 32.
    #[inline(always)]
    unsafe fn shl32(self, by: u32) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&self.to_bits().map32(|x| x << by)) }
    }
    /// The lowest bit of every 32-bit lane, alone.
    #[inline(always)]
    unsafe fn lowest32(self) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&self.to_bits().map32(|x| x & x.wrapping_neg())) }
    }
    /// Which 32-bit lanes are not zero.
    #[inline(always)]
    unsafe fn nonzero32(self) -> u16 {
        // SAFETY: passed on to the caller.
        let words = unsafe { self.to_bits() }.0;
        words.iter().rev().fold(0, |mask, &word| {
            mask << 2 | u16::from(word >> 32 != 0) << 1 | u16::from(word as u32 != 0)
        })
    }
    /// Writes the 32-bit lanes that `mask` names, one after the other; may overwrite up to
    /// sixteen places.
    #[inline(always)]
    unsafe fn compress32(self, mask: u16, to: *mut u32) {
        // SAFETY: passed on to the caller.
        unsafe {
            let mut kept = 0;
            for (k, word) in self.to_bits().0.into_iter().enumerate() {
                *to.add(kept) = word as u32;
                kept += usize::from(mask >> (2 * k) & 1);
                *to.add(kept) = (word >> 32) as u32;
                kept += usize::from(mask >> (2 * k + 1) & 1);
            }
        }
    }
    /// Writes those of eight `lines` that share no bit with `taken`, one after the other, and
    /// their `ids` likewise. Returns how many there are; may overwrite up to eight places of each.
    unsafe fn sift8(
        lines: *const u64,
        ids: *const u32,
        taken: u64,
        lines_out: *mut u64,
        ids_out: *mut u32,
    ) -> usize {
        // SAFETY: the caller hands eight readable and eight writable places.
        unsafe {
            let mut kept = 0;
            for k in 0..8 {
                let (line, id) = (*lines.add(k), *ids.add(k));
                *lines_out.add(kept) = line;
                *ids_out.add(kept) = id;
                kept += usize::from(line & taken == 0);
            }
            kept
        }
    }
}
