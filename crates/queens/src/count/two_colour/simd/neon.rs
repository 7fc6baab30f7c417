//! NEON: four registers for a vector; every 64-bit Arm core has it.
//!
//! `cnt` counts bits per byte and `uaddlp` adds neighbouring bytes to 16-bit slots; `smull`
//! multiplies and `addp` adds neighbouring products. `CONTRIBUTING.md` says how to run it
//! without an Arm machine.

// Every function here is unsafe for one reason, the instructions it needs, for which the
// contract of `Vector` makes the caller answer.
#![allow(unsafe_op_in_unsafe_fn)]

use super::vector::{Bits512, Vector};
use std::arch::aarch64::*;

#[derive(Clone, Copy)]
pub(crate) struct Neon([uint64x2_t; 4]);

impl Neon {
    #[inline(always)]
    unsafe fn zip(self, other: Self, f: impl Fn(uint64x2_t, uint64x2_t) -> uint64x2_t) -> Self {
        Neon(std::array::from_fn(|r| f(self.0[r], other.0[r])))
    }
}

// SAFETY: every method is a few NEON instructions on the given values; pointers are read
// and written as whole vectors, as the trait's contract allows.
unsafe impl Vector for Neon {
    #[inline(always)]
    unsafe fn load(from: *const Bits512) -> Self {
        let from = from.cast::<u64>();
        Neon(std::array::from_fn(|r| vld1q_u64(from.add(2 * r))))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Bits512) {
        let to = to.cast::<u64>();
        for (r, &register) in self.0.iter().enumerate() {
            vst1q_u64(to.add(2 * r), register);
        }
    }
    #[inline(always)]
    unsafe fn zero() -> Self {
        Neon([vdupq_n_u64(0); 4])
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        self.zip(other, |x, y| vandq_u64(x, y))
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        self.zip(other, |x, y| veorq_u64(x, y))
    }
    #[inline(always)]
    unsafe fn without(self, a: Self, b: Self) -> Self {
        let either = a.zip(b, |x, y| vorrq_u64(x, y));
        self.zip(either, |x, y| vbicq_u64(x, y))
    }
    #[inline(always)]
    unsafe fn shr<const BITS: i32>(self) -> Self {
        self.zip(self, |x, _| vshlq_u64(x, vdupq_n_s64(-(BITS as i64))))
    }
    #[inline(always)]
    unsafe fn shl<const BITS: i32>(self) -> Self {
        self.zip(self, |x, _| vshlq_u64(x, vdupq_n_s64(BITS as i64)))
    }
    #[inline(always)]
    unsafe fn popcount16(self) -> Self {
        self.zip(self, |x, _| {
            vreinterpretq_u64_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(x))))
        })
    }
    #[inline(always)]
    unsafe fn add16(self, other: Self) -> Self {
        self.zip(other, |x, y| {
            vreinterpretq_u64_u16(vaddq_u16(
                vreinterpretq_u16_u64(x),
                vreinterpretq_u16_u64(y),
            ))
        })
    }
    #[inline(always)]
    unsafe fn add_products(self, a: Self, b: Self) -> Self {
        Neon(std::array::from_fn(|r| {
            let (x, y) = (vreinterpretq_s16_u64(a.0[r]), vreinterpretq_s16_u64(b.0[r]));
            let low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
            let high = vmull_high_s16(x, y);
            let sums = vreinterpretq_s32_u64(self.0[r]);
            vreinterpretq_u64_s32(vaddq_s32(sums, vpaddq_s32(low, high)))
        }))
    }
    #[inline(always)]
    unsafe fn sum32(self) -> i64 {
        self.0
            .iter()
            .map(|&x| vaddlvq_s32(vreinterpretq_s32_u64(x)))
            .sum()
    }
}
