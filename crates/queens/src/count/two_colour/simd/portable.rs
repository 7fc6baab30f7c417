//! The portable path: eight words, no intrinsics, correct on every machine.
//!
//! The compiler turns these loops into whatever vectors the target always has (SSE2 on
//! x86-64). Bits are counted by halving sums, 16 bits at a time; the products go through
//! 16-bit slots one by one, which compilers recognise as a multiply-add.

// Every function here is unsafe for one reason, the pointers it is handed, for which the
// contract of `Vector` makes the caller answer.
#![allow(unsafe_op_in_unsafe_fn)]

use super::vector::{Bits512, SLOTS, Vector};

#[derive(Clone, Copy)]
pub(crate) struct Portable(Bits512);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let mut out = self;
        for (word, &other) in out.0.0.iter_mut().zip(&other.0.0) {
            *word = f(*word, other);
        }
        out
    }

    #[inline(always)]
    fn lanes32(self) -> [i32; 16] {
        std::array::from_fn(|lane| (self.0.0[lane / 2] >> (32 * (lane % 2))) as i32)
    }

    #[inline(always)]
    fn lanes16(self) -> [i16; SLOTS] {
        std::array::from_fn(|lane| (self.0.0[lane / 4] >> (16 * (lane % 4))) as i16)
    }
}

// SAFETY: plain arithmetic; pointers are read and written as whole aligned vectors.
unsafe impl Vector for Portable {
    #[inline(always)]
    unsafe fn load(from: *const Bits512) -> Self {
        Portable(*from)
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Bits512) {
        *to = self.0
    }
    #[inline(always)]
    unsafe fn zero() -> Self {
        Portable(Bits512([0; 8]))
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        self.zip(other, |x, y| x & y)
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        self.zip(other, |x, y| x ^ y)
    }
    #[inline(always)]
    unsafe fn without(self, a: Self, b: Self) -> Self {
        self.zip(a.zip(b, |x, y| x | y), |x, y| x & !y)
    }
    #[inline(always)]
    unsafe fn shr<const BITS: i32>(self) -> Self {
        self.zip(self, |x, _| x >> BITS)
    }
    #[inline(always)]
    unsafe fn shl<const BITS: i32>(self) -> Self {
        self.zip(self, |x, _| x << BITS)
    }
    #[inline(always)]
    unsafe fn popcount16(self) -> Self {
        self.zip(self, |x, _| {
            let x = x - ((x >> 1) & 0x5555_5555_5555_5555);
            let x = (x & 0x3333_3333_3333_3333) + ((x >> 2) & 0x3333_3333_3333_3333);
            let x = (x + (x >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
            (x + (x >> 8)) & 0x00ff_00ff_00ff_00ff
        })
    }
    #[inline(always)]
    unsafe fn add16(self, other: Self) -> Self {
        // Sums never pass 16 bits here, so words can be added whole.
        self.zip(other, |x, y| x.wrapping_add(y))
    }
    #[inline(always)]
    unsafe fn add_products(self, a: Self, b: Self) -> Self {
        let (sums, a, b) = (self.lanes32(), a.lanes16(), b.lanes16());
        let lanes: [i32; 16] = std::array::from_fn(|lane| {
            let low = a[2 * lane] as i32 * b[2 * lane] as i32;
            let high = a[2 * lane + 1] as i32 * b[2 * lane + 1] as i32;
            sums[lane].wrapping_add(low).wrapping_add(high)
        });
        Portable(Bits512(std::array::from_fn(|word| {
            lanes[2 * word] as u32 as u64 | (lanes[2 * word + 1] as u32 as u64) << 32
        })))
    }
    #[inline(always)]
    unsafe fn sum32(self) -> i64 {
        self.lanes32().iter().map(|&lane| lane as i64).sum()
    }
}
