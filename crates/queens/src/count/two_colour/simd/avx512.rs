//! AVX-512 (F, BW, VL, BITALG, VNNI): one register, one instruction each.
//!
//! BITALG counts bits per 16-bit slot, and VNNI multiplies and adds in one step. So an end
//! of a tree costs three instructions per vector: and, count, multiply-add. Every core sold
//! today with VPOPCNTDQ on 64-bit lanes (Ice Lake, Zen 4 and later) has both.

// Every function here is unsafe for one reason, the instructions it needs, for which the
// contract of `Vector` makes the caller answer.
#![allow(unsafe_op_in_unsafe_fn)]

use super::vector::{Bits512, Vector};
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512i);

/// Whether this machine has all the instructions used here.
pub(crate) fn is_available() -> bool {
    super::avx2::is_available()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512bitalg")
        && is_x86_feature_detected!("avx512vnni")
        && is_x86_feature_detected!("avx512vpopcntdq")
}

// SAFETY: every method is one or a few AVX-512 instructions on the given values; pointers
// are read and written as whole aligned vectors, as the trait's contract allows.
unsafe impl Vector for Avx512 {
    #[inline(always)]
    unsafe fn load(from: *const Bits512) -> Self {
        Avx512(_mm512_load_si512(from.cast()))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Bits512) {
        _mm512_store_si512(to.cast(), self.0)
    }
    #[inline(always)]
    unsafe fn zero() -> Self {
        Avx512(_mm512_setzero_si512())
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        Avx512(_mm512_and_si512(self.0, other.0))
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        Avx512(_mm512_xor_si512(self.0, other.0))
    }
    #[inline(always)]
    unsafe fn without(self, a: Self, b: Self) -> Self {
        // Truth table of x & !(a | b) with x the high index bit: only 100 is 1.
        Avx512(_mm512_ternarylogic_epi64::<0x10>(self.0, a.0, b.0))
    }
    #[inline(always)]
    unsafe fn shr<const BITS: i32>(self) -> Self {
        Avx512(_mm512_srl_epi64(self.0, _mm_cvtsi32_si128(BITS)))
    }
    #[inline(always)]
    unsafe fn shl<const BITS: i32>(self) -> Self {
        Avx512(_mm512_sll_epi64(self.0, _mm_cvtsi32_si128(BITS)))
    }
    #[inline(always)]
    unsafe fn popcount16(self) -> Self {
        Avx512(_mm512_popcnt_epi16(self.0))
    }
    #[inline(always)]
    unsafe fn add16(self, other: Self) -> Self {
        Avx512(_mm512_add_epi16(self.0, other.0))
    }
    #[inline(always)]
    unsafe fn add_products(self, a: Self, b: Self) -> Self {
        Avx512(_mm512_dpwssd_epi32(self.0, a.0, b.0))
    }
    #[inline(always)]
    unsafe fn sum32(self) -> i64 {
        let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(self.0));
        let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(self.0));
        _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
    }
    #[inline(always)]
    unsafe fn pick16(row: *const Bits512, map: &Bits512) -> Self {
        // A pair of the row's vectors has 64 slots, so a place is the number of a pair and 6 bits.
        let places = _mm512_load_si512((map as *const Bits512).cast());
        let pairs = _mm512_srli_epi16::<6>(places);
        let (first, last) = (map.slots()[0] / 64, map.slots()[31] / 64);
        let mut picked = _mm512_setzero_si512();
        for pair in first..=last {
            let low = _mm512_load_si512(row.add(2 * pair as usize).cast());
            // The last pair may be a single vector; then no place is in its second half.
            let high_at = row.add(2 * pair as usize + usize::from(map.slots()[31] / 32 > 2 * pair));
            let high = _mm512_load_si512(high_at.cast());
            let here = _mm512_cmpeq_epi16_mask(pairs, _mm512_set1_epi16(pair as i16));
            let both = _mm512_permutex2var_epi16(low, places, high);
            picked = _mm512_mask_mov_epi16(picked, here, both);
        }
        Avx512(picked)
    }
    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        Avx512(_mm512_or_si512(self.0, other.0))
    }
    #[inline(always)]
    unsafe fn load32(from: *const u32) -> Self {
        Avx512(_mm512_loadu_si512(from.cast()))
    }
    #[inline(always)]
    unsafe fn splat32(x: u32) -> Self {
        Avx512(_mm512_set1_epi32(x as i32))
    }
    #[inline(always)]
    unsafe fn shr32(self, by: u32) -> Self {
        Avx512(_mm512_srl_epi32(self.0, _mm_cvtsi32_si128(by as i32)))
    }
    #[inline(always)]
    unsafe fn shl32(self, by: u32) -> Self {
        Avx512(_mm512_sll_epi32(self.0, _mm_cvtsi32_si128(by as i32)))
    }
    #[inline(always)]
    unsafe fn lowest32(self) -> Self {
        let negative = _mm512_sub_epi32(_mm512_setzero_si512(), self.0);
        Avx512(_mm512_and_si512(self.0, negative))
    }
    #[inline(always)]
    unsafe fn nonzero32(self) -> u16 {
        _mm512_test_epi32_mask(self.0, self.0)
    }
    #[inline(always)]
    unsafe fn compress32(self, mask: u16, to: *mut u32) {
        _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(mask, self.0));
    }
    #[inline(always)]
    unsafe fn sift8(
        lines: *const u64,
        ids: *const u32,
        taken: u64,
        lines_out: *mut u64,
        ids_out: *mut u32,
    ) -> usize {
        let line = _mm512_loadu_si512(lines.cast());
        let id = _mm256_loadu_si256(ids.cast());
        let mask = _mm512_testn_epi64_mask(line, _mm512_set1_epi64(taken as i64));
        _mm512_storeu_si512(lines_out.cast(), _mm512_maskz_compress_epi64(mask, line));
        _mm256_storeu_si256(ids_out.cast(), _mm256_maskz_compress_epi32(mask, id));
        mask.count_ones() as usize
    }
}
