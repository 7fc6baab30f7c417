//! AVX2: two registers for a vector, bits counted by table.
//!
//! Vectors have no population count below AVX-512. So the two halves of each byte are looked
//! up in a table of 16 (one shuffle each), and a multiply-add with ones adds neighbouring
//! bytes to 16-bit slots. A permutation from a table of 256 compresses lanes.

// Every function here is unsafe for one reason, the instructions it needs, for which the
// contract of `Vector` makes the caller answer.
#![allow(unsafe_op_in_unsafe_fn)]

use super::vector::{Bits512, Vector};
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256i, __m256i);

/// Whether this machine has all the instructions used here.
pub(crate) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// For each set out of eight lanes the numbers of its lanes, a byte each, from the lowest byte on.
static LANES_OF: [u64; 256] = lanes_of();

const fn lanes_of() -> [u64; 256] {
    let mut table = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut place) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask] |= lane << (8 * place);
                place += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

#[inline(always)]
unsafe fn popcount16(x: __m256i) -> __m256i {
    let table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3,
        3, 4,
    );
    let nibble = _mm256_set1_epi8(15);
    let low = _mm256_shuffle_epi8(table, _mm256_and_si256(x, nibble));
    let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(x), nibble));
    _mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1))
}

#[inline(always)]
unsafe fn sum32(x: __m256i) -> i64 {
    let mut lanes = [0i32; 8];
    _mm256_storeu_si256(lanes.as_mut_ptr().cast(), x);
    lanes.iter().map(|&lane| lane as i64).sum()
}

// SAFETY: every method is a few AVX2 instructions on the given values; pointers are read
// and written as whole aligned vectors, as the trait's contract allows.
unsafe impl Vector for Avx2 {
    #[inline(always)]
    unsafe fn load(from: *const Bits512) -> Self {
        let from = from.cast::<__m256i>();
        Avx2(_mm256_load_si256(from), _mm256_load_si256(from.add(1)))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Bits512) {
        let to = to.cast::<__m256i>();
        _mm256_store_si256(to, self.0);
        _mm256_store_si256(to.add(1), self.1);
    }
    #[inline(always)]
    unsafe fn zero() -> Self {
        Avx2(_mm256_setzero_si256(), _mm256_setzero_si256())
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        Avx2(
            _mm256_and_si256(self.0, other.0),
            _mm256_and_si256(self.1, other.1),
        )
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        Avx2(
            _mm256_xor_si256(self.0, other.0),
            _mm256_xor_si256(self.1, other.1),
        )
    }
    #[inline(always)]
    unsafe fn without(self, a: Self, b: Self) -> Self {
        Avx2(
            _mm256_andnot_si256(_mm256_or_si256(a.0, b.0), self.0),
            _mm256_andnot_si256(_mm256_or_si256(a.1, b.1), self.1),
        )
    }
    #[inline(always)]
    unsafe fn shr<const BITS: i32>(self) -> Self {
        Avx2(
            _mm256_srli_epi64::<BITS>(self.0),
            _mm256_srli_epi64::<BITS>(self.1),
        )
    }
    #[inline(always)]
    unsafe fn shl<const BITS: i32>(self) -> Self {
        Avx2(
            _mm256_slli_epi64::<BITS>(self.0),
            _mm256_slli_epi64::<BITS>(self.1),
        )
    }
    #[inline(always)]
    unsafe fn popcount16(self) -> Self {
        Avx2(popcount16(self.0), popcount16(self.1))
    }
    #[inline(always)]
    unsafe fn add16(self, other: Self) -> Self {
        Avx2(
            _mm256_add_epi16(self.0, other.0),
            _mm256_add_epi16(self.1, other.1),
        )
    }
    #[inline(always)]
    unsafe fn add_products(self, a: Self, b: Self) -> Self {
        Avx2(
            _mm256_add_epi32(self.0, _mm256_madd_epi16(a.0, b.0)),
            _mm256_add_epi32(self.1, _mm256_madd_epi16(a.1, b.1)),
        )
    }
    #[inline(always)]
    unsafe fn sum32(self) -> i64 {
        sum32(self.0) + sum32(self.1)
    }
    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        Avx2(
            _mm256_or_si256(self.0, other.0),
            _mm256_or_si256(self.1, other.1),
        )
    }
    #[inline(always)]
    unsafe fn load32(from: *const u32) -> Self {
        Avx2(
            _mm256_loadu_si256(from.cast()),
            _mm256_loadu_si256(from.add(8).cast()),
        )
    }
    #[inline(always)]
    unsafe fn splat32(x: u32) -> Self {
        let x = _mm256_set1_epi32(x as i32);
        Avx2(x, x)
    }
    #[inline(always)]
    unsafe fn shr32(self, by: u32) -> Self {
        let by = _mm_cvtsi32_si128(by as i32);
        Avx2(_mm256_srl_epi32(self.0, by), _mm256_srl_epi32(self.1, by))
    }
    #[inline(always)]
    unsafe fn shl32(self, by: u32) -> Self {
        let by = _mm_cvtsi32_si128(by as i32);
        Avx2(_mm256_sll_epi32(self.0, by), _mm256_sll_epi32(self.1, by))
    }
    #[inline(always)]
    unsafe fn lowest32(self) -> Self {
        let lowest = |x| _mm256_and_si256(x, _mm256_sub_epi32(_mm256_setzero_si256(), x));
        Avx2(lowest(self.0), lowest(self.1))
    }
    #[inline(always)]
    unsafe fn nonzero32(self) -> u16 {
        let zero = |x| {
            let zero = _mm256_cmpeq_epi32(x, _mm256_setzero_si256());
            _mm256_movemask_ps(_mm256_castsi256_ps(zero)) as u16
        };
        !(zero(self.0) | zero(self.1) << 8)
    }
    #[inline(always)]
    unsafe fn compress32(self, mask: u16, to: *mut u32) {
        let compress = |x, mask: u16| {
            let wanted = LANES_OF[usize::from(mask)];
            let lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(wanted as i64));
            _mm256_permutevar8x32_epi32(x, lanes)
        };
        let low = mask & 0xff;
        _mm256_storeu_si256(to.cast(), compress(self.0, low));
        let to = to.add(low.count_ones() as usize);
        _mm256_storeu_si256(to.cast(), compress(self.1, mask >> 8));
    }
}
