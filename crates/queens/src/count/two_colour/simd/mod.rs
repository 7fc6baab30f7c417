//! Vectors of 512 bits and the one place that chooses an instruction set.
//!
//! The kernels in [`super::kernel`] are written once, against [`Vector`]; each
//! instruction set is a thin file that says how its registers do these few operations. A
//! vector is always 512 bits to the algorithm: one AVX-512 register, two of AVX2, four of
//! NEON, or eight words of the portable path.

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(crate) mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128;

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;

/// 512 bits of memory: bit planes, 16-bit counts or 16-bit weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Block(pub [u64; 8]);

/// Number of 16-bit slots in a block.
pub(crate) const SLOTS: usize = 32;

impl Block {
    /// The block as 16-bit slots.
    pub fn slots(&self) -> &[u16; SLOTS] {
        // SAFETY: both types are 64 plain bytes, and 64-byte alignment suffices for u16.
        unsafe { &*(self as *const Block).cast() }
    }

    /// The block as 16-bit slots.
    pub fn slots_mut(&mut self) -> &mut [u16; SLOTS] {
        // SAFETY: as above; every bit pattern is a valid block.
        unsafe { &mut *(self as *mut Block).cast() }
    }

    /// Some blocks as 16-bit slots.
    pub fn slots_of(blocks: &[Block]) -> &[u16] {
        // SAFETY: as above; as many slots as the blocks have.
        unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), blocks.len() * SLOTS) }
    }

    /// The block made of each 32-bit lane by `f`.
    #[inline(always)]
    pub fn map32(self, f: impl Fn(u32) -> u32) -> Block {
        Block(
            self.0
                .map(|word| u64::from(f(word as u32)) | u64::from(f((word >> 32) as u32)) << 32),
        )
    }
}

/// The operations the kernels need of 512 bits.
///
/// # Safety
///
/// Every method may be called only where the instruction set it belongs to is available.
pub(crate) unsafe trait Vector: Copy {
    /// Reads a block.
    unsafe fn load(from: *const Block) -> Self;
    /// Writes a block.
    unsafe fn store(self, to: *mut Block);
    /// All bits zero.
    unsafe fn zero() -> Self;
    /// Bitwise and.
    unsafe fn and(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    unsafe fn xor(self, other: Self) -> Self;
    /// `self & !(a | b)`.
    unsafe fn without(self, a: Self, b: Self) -> Self;
    /// Every 64-bit lane shifted right.
    unsafe fn shr<const BITS: i32>(self) -> Self;
    /// Every 64-bit lane shifted left.
    unsafe fn shl<const BITS: i32>(self) -> Self;
    /// The number of set bits of each 16-bit slot.
    unsafe fn popcount16(self) -> Self;
    /// Sum of 16-bit slots.
    unsafe fn add16(self, other: Self) -> Self;
    /// Adds to each 32-bit lane of `self` the two products of the 16-bit slots of `a` and
    /// `b` there, all taken as signed.
    unsafe fn add_products(self, a: Self, b: Self) -> Self;
    /// Sum of all 32-bit lanes, taken as signed.
    unsafe fn sum32(self) -> i64;
    /// The 16-bit slots of a row that `map` names, rising; the row begins at `row`.
    unsafe fn pick16(row: *const Block, map: &Block) -> Self {
        let mut picked = Block::default();
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
    /// Sixteen 32-bit lanes from anywhere in memory.
    #[inline(always)]
    unsafe fn load32(from: *const u32) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&from.cast::<Block>().read_unaligned()) }
    }
    /// The same number in every 32-bit lane.
    #[inline(always)]
    unsafe fn splat32(x: u32) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&Block([u64::from(x) << 32 | u64::from(x); 8])) }
    }
    /// The block that holds the vector.
    #[inline(always)]
    unsafe fn to_block(self) -> Block {
        let mut block = Block::default();
        // SAFETY: passed on to the caller.
        unsafe { self.store(&mut block) };
        block
    }
    /// Every 32-bit lane shifted right by less than 32.
    #[inline(always)]
    unsafe fn shr32(self, by: u32) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&self.to_block().map32(|x| x >> by)) }
    }
    /// Every 32-bit lane shifted left by less than 32.
    #[inline(always)]
    unsafe fn shl32(self, by: u32) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&self.to_block().map32(|x| x << by)) }
    }
    /// The lowest bit of every 32-bit lane, alone.
    #[inline(always)]
    unsafe fn lowest32(self) -> Self {
        // SAFETY: passed on to the caller.
        unsafe { Self::load(&self.to_block().map32(|x| x & x.wrapping_neg())) }
    }
    /// Which 32-bit lanes are not zero.
    #[inline(always)]
    unsafe fn nonzero32(self) -> u16 {
        // SAFETY: passed on to the caller.
        let words = unsafe { self.to_block() }.0;
        words.iter().rev().fold(0, |mask, &word| {
            mask << 2 | u16::from(word >> 32 != 0) << 1 | u16::from(word as u32 != 0)
        })
    }
    /// Writes the 32-bit lanes that `mask` names one after the other; up to sixteen places
    /// may be written over.
    #[inline(always)]
    unsafe fn compress32(self, mask: u16, to: *mut u32) {
        // SAFETY: passed on to the caller.
        unsafe {
            let mut kept = 0;
            for (k, word) in self.to_block().0.into_iter().enumerate() {
                *to.add(kept) = word as u32;
                kept += usize::from(mask >> (2 * k) & 1);
                *to.add(kept) = (word >> 32) as u32;
                kept += usize::from(mask >> (2 * k + 1) & 1);
            }
        }
    }
    /// Writes those of eight `lines` that share no bit with `taken`, and their `ids`, one
    /// after the other; returns how many. Up to eight of each may be written over.
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

use super::filter::{self, Filter, Walk};
use super::kernel::{self, Rows, Scratch};
use super::layout::LINES;
use super::lists::{Part, Sifted, Tree};

/// Which instruction set counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Simd {
    /// The best this machine has.
    #[default]
    Auto,
    /// AVX-512 with BITALG, VNNI and VPOPCNTDQ.
    Avx512,
    /// AVX2.
    Avx2,
    /// NEON, on 64-bit Arm.
    Neon,
    /// No special instructions.
    Portable,
}

impl Simd {
    /// Every choice but [`Simd::Auto`], fastest first.
    pub const ALL: [Simd; 4] = [Simd::Avx512, Simd::Avx2, Simd::Neon, Simd::Portable];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Simd::Auto => "auto",
            Simd::Avx512 => "avx512",
            Simd::Avx2 => "avx2",
            Simd::Neon => "neon",
            Simd::Portable => "portable",
        }
    }

    /// Whether this machine can run it.
    pub fn is_available(self) -> bool {
        Kernels::new(self).is_some()
    }

    /// The choice itself, or what [`Simd::Auto`] stands for here.
    pub fn resolve(self) -> Simd {
        match self {
            Simd::Auto => *Simd::ALL
                .iter()
                .find(|simd| simd.is_available())
                .unwrap_or(&Simd::Portable),
            other => other,
        }
    }
}

/// The kernels of one instruction set that this machine has.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::type_complexity)]
pub(crate) struct Kernels {
    transpose: unsafe fn(&mut [Block; LINES]),
    fill: unsafe fn(&Tree, &Part, &[Block], Rows, &mut [Block], &mut Scratch),
    gather: unsafe fn(&Tree, &Part, &[Block], Rows, &[Block], &mut Scratch) -> u64,
    expand: unsafe fn(&[Block], &[Block], usize, &[u16], &mut [Block]),
    sift: unsafe fn(&[u64], &[u32], u64, &mut Sifted),
    filter: unsafe fn(&mut Filter, &Walk) -> Option<()>,
}

/// Instantiates the kernels for one vector type inside functions that have its
/// instructions enabled.
macro_rules! kernels {
    ($name:ident, $vector:ty, $($attribute:meta)?) => {
        mod $name {
            use super::*;
            $(#[$attribute])?
            unsafe fn transpose(words: &mut [Block; LINES]) {
                // SAFETY: the attribute above enables what `V` needs.
                unsafe { kernel::transpose::<$vector>(words) }
            }
            $(#[$attribute])?
            unsafe fn fill(
                tree: &Tree,
                part: &Part,
                planes: &[Block],
                rows: Rows,
                counts: &mut [Block],
                scratch: &mut Scratch,
            ) {
                // SAFETY: the attribute above enables what `V` needs; the rest is the caller's.
                unsafe { kernel::fill::<$vector>(tree, part, planes, rows, counts, scratch) }
            }
            $(#[$attribute])?
            unsafe fn gather(
                tree: &Tree,
                part: &Part,
                planes: &[Block],
                rows: Rows,
                weights: &[Block],
                scratch: &mut Scratch,
            ) -> u64 {
                // SAFETY: the attribute above enables what `V` needs; the rest is the caller's.
                unsafe { kernel::gather::<$vector>(tree, part, planes, rows, weights, scratch) }
            }
            $(#[$attribute])?
            unsafe fn expand(
                maps: &[Block],
                from: &[Block],
                stride: usize,
                rows: &[u16],
                to: &mut [Block],
            ) {
                // SAFETY: the attribute above enables what `V` needs; the rest is the caller's.
                unsafe { kernel::expand::<$vector>(maps, from, stride, rows, to) }
            }
            $(#[$attribute])?
            unsafe fn sift(lines: &[u64], cols: &[u32], taken: u64, to: &mut Sifted) {
                // SAFETY: the attribute above enables what `V` needs.
                unsafe { kernel::sift::<$vector>(lines, cols, taken, to) }
            }
            $(#[$attribute])?
            unsafe fn filter(filter: &mut Filter, walk: &Walk) -> Option<()> {
                // SAFETY: the attribute above enables what `V` needs; the rest is the caller's.
                unsafe { filter::walk::<$vector>(filter, walk) }
            }
            pub(super) const KERNELS: Kernels = Kernels {
                transpose,
                fill,
                gather,
                expand,
                sift,
                filter,
            };
        }
    };
}

#[cfg(target_arch = "x86_64")]
kernels!(
    with_avx512,
    avx512::Avx512,
    target_feature(
        enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx512vnni,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt"
    )
);
#[cfg(target_arch = "x86_64")]
kernels!(
    with_avx2,
    avx2::Avx2,
    target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")
);
#[cfg(target_arch = "aarch64")]
kernels!(with_neon, neon::Neon, target_feature(enable = "neon"));
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
kernels!(without, portable::Portable,);
// A module with vectors runs only where they are, so there they are the portable path.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
kernels!(without, simd128::Simd128,);

impl Kernels {
    /// The kernels of `simd`, if this machine has its instructions.
    pub fn new(simd: Simd) -> Option<Kernels> {
        match simd {
            Simd::Auto => Kernels::new(simd.resolve()),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 if avx512::is_available() => Some(with_avx512::KERNELS),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 if avx2::is_available() => Some(with_avx2::KERNELS),
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => Some(with_neon::KERNELS),
            Simd::Portable => Some(without::KERNELS),
            _ => None,
        }
    }

    /// Transposes the 64 by 64 bits of each 64-bit lane.
    pub fn transpose(&self, words: &mut [Block; LINES]) {
        // SAFETY: a `Kernels` exists only where its instructions do.
        unsafe { (self.transpose)(words) }
    }

    /// See [`kernel::fill`].
    pub fn fill(
        &self,
        tree: &Tree,
        part: &Part,
        planes: &[Block],
        rows: Rows,
        counts: &mut [Block],
        scratch: &mut Scratch,
    ) {
        assert!(rows.fit(tree.cols_limit, planes.len() / LINES, counts.len()));
        // SAFETY: a `Kernels` exists only where its instructions do, and every row that the
        // tree's ends name is below its `cols_limit`.
        unsafe { (self.fill)(tree, part, planes, rows, counts, scratch) }
    }

    /// See [`kernel::gather`].
    pub fn gather(
        &self,
        tree: &Tree,
        part: &Part,
        planes: &[Block],
        rows: Rows,
        weights: &[Block],
        scratch: &mut Scratch,
    ) -> u64 {
        assert!(rows.fit(tree.cols_limit, planes.len() / LINES, weights.len()));
        // SAFETY: as for `fill`.
        unsafe { (self.gather)(tree, part, planes, rows, weights, scratch) }
    }

    /// See [`kernel::expand`].
    pub fn expand(
        &self,
        maps: &[Block],
        from: &[Block],
        stride: usize,
        rows: &[u16],
        to: &mut [Block],
    ) {
        let places = maps
            .iter()
            .flat_map(Block::slots)
            .copied()
            .max()
            .unwrap_or(0) as usize;
        let last = rows.iter().copied().max().unwrap_or(0) as usize;
        assert!(places < stride * SLOTS && (last + 1) * stride <= from.len());
        assert!((last + 1) * maps.len() <= to.len());
        // SAFETY: a `Kernels` exists only where its instructions do; the rest was checked.
        unsafe { (self.expand)(maps, from, stride, rows, to) }
    }

    /// See [`kernel::sift`].
    pub fn sift(&self, lines: &[u64], cols: &[u32], taken: u64, to: &mut Sifted) {
        // SAFETY: a `Kernels` exists only where its instructions do.
        unsafe { (self.sift)(lines, cols, taken, to) }
    }

    /// See [`filter::walk`].
    ///
    /// # Safety
    ///
    /// As there, but for the instructions.
    pub unsafe fn filter(&self, filter: &mut Filter, walk: &Walk) -> Option<()> {
        // SAFETY: a `Kernels` exists only where its instructions do; the rest is the caller's.
        unsafe { (self.filter)(filter, walk) }
    }
}
