//! WebAssembly's 128-bit vectors: four registers for a vector, in the browser.
//!
//! A module either uses them or does not. There is nothing to ask at run time, because a
//! browser without them refuses the whole module. So a build with them has no portable path.
//! `i8x16.popcnt` counts bits per byte, `extadd_pairwise` adds neighbouring bytes to 16-bit
//! slots, and `dot` multiplies slots and adds pairs of products.

// Every function here is unsafe for one reason, the pointers it is handed, for which the
// contract of `Vector` makes the caller answer.
#![allow(unsafe_op_in_unsafe_fn)]

use super::vector::{Bits512, Vector};
use std::arch::wasm32::*;

#[derive(Clone, Copy)]
pub(crate) struct Simd128([v128; 4]);

impl Simd128 {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(v128, v128) -> v128) -> Self {
        Simd128(std::array::from_fn(|r| f(self.0[r], other.0[r])))
    }
}

// SAFETY: every method is a few vector instructions on the given values; pointers are read
// and written as whole vectors, as the trait's contract allows.
unsafe impl Vector for Simd128 {
    #[inline(always)]
    unsafe fn load(from: *const Bits512) -> Self {
        let from = from.cast::<v128>();
        Simd128(std::array::from_fn(|r| v128_load(from.add(r))))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Bits512) {
        let to = to.cast::<v128>();
        for (r, &register) in self.0.iter().enumerate() {
            v128_store(to.add(r), register);
        }
    }
    #[inline(always)]
    unsafe fn zero() -> Self {
        Simd128([u64x2(0, 0); 4])
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        self.zip(other, |x, y| v128_and(x, y))
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        self.zip(other, |x, y| v128_xor(x, y))
    }
    #[inline(always)]
    unsafe fn without(self, a: Self, b: Self) -> Self {
        self.zip(a.zip(b, |x, y| v128_or(x, y)), |x, y| v128_andnot(x, y))
    }
    #[inline(always)]
    unsafe fn shr<const BITS: i32>(self) -> Self {
        self.zip(self, |x, _| u64x2_shr(x, BITS as u32))
    }
    #[inline(always)]
    unsafe fn shl<const BITS: i32>(self) -> Self {
        self.zip(self, |x, _| u64x2_shl(x, BITS as u32))
    }
    #[inline(always)]
    unsafe fn popcount16(self) -> Self {
        self.zip(self, |x, _| u16x8_extadd_pairwise_u8x16(i8x16_popcnt(x)))
    }
    #[inline(always)]
    unsafe fn add16(self, other: Self) -> Self {
        self.zip(other, |x, y| u16x8_add(x, y))
    }
    #[inline(always)]
    unsafe fn add_products(self, a: Self, b: Self) -> Self {
        self.zip(a.zip(b, |x, y| i32x4_dot_i16x8(x, y)), |x, y| {
            i32x4_add(x, y)
        })
    }
    #[inline(always)]
    unsafe fn sum32(self) -> i64 {
        let low = |x| i64x2_add(i64x2_extend_low_i32x4(x), i64x2_extend_high_i32x4(x));
        let sum = self
            .0
            .iter()
            .fold(i64x2(0, 0), |sum, &x| i64x2_add(sum, low(x)));
        i64x2_extract_lane::<0>(sum) + i64x2_extract_lane::<1>(sum)
    }
}
