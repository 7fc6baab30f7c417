//! Vectors of 512 bits, and the one place that chooses an instruction set.
//!
//! A computation on vectors is a [`Kernel`]: written once, against [`Vector`], in the file it
//! belongs to. Each instruction set is a thin file here that says how its registers do the few
//! operations of [`Vector`]; [`Instructions::run`] compiles a kernel for each of them and picks
//! the one for this machine. To the algorithm a vector always has 512 bits: one AVX-512
//! register, two of AVX2, four of NEON, or eight words of the portable path.
//!
//! ```text
//!   bit 0                                                     bit 511
//!   |slot 0 |slot 1 |slot 2 |slot 3 | ..             |slot 30|slot 31|   16 bits each
//!   |    lane 0     |    lane 1     | ..             |    lane 15    |   32 bits each
//!   |            word 0             | ..             word 7          |   64 bits each
//! ```
//!
//! All hand-written `unsafe` of the library is here and in the kernels. Nothing in this folder
//! knows what is counted.

mod vector;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use crate::named::named;
pub(crate) use vector::{Bits512, SLOTS, Vector};

/// Which instruction set to count with.
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

named! {
    Simd in [Simd::Auto, Simd::Avx512, Simd::Avx2, Simd::Neon, Simd::Portable],
    "set of vector instructions",
    /// No set of vector instructions has this name.
    ///
    /// ```
    /// use queens::Simd;
    ///
    /// assert_eq!("avx2".parse(), Ok(Simd::Avx2));
    /// assert_eq!(
    ///     "sse".parse::<Simd>().unwrap_err().to_string(),
    ///     "no set of vector instructions is called \"sse\"; there are auto, avx512, avx2, neon, portable"
    /// );
    /// ```
    UnknownSimd
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
        Instructions::new(self).is_some()
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

/// A computation with vectors, written once for every instruction set.
pub(crate) trait Kernel {
    /// What it returns.
    type Output;

    /// Runs it. Implementations are `inline(always)`, and so is what they call, so that all of
    /// it is compiled for the instructions of `V`.
    ///
    /// # Safety
    ///
    /// The instruction set of `V` must be available. A caller need ensure nothing else: whatever
    /// else a kernel relies on is checked where the kernel is made.
    unsafe fn run<V: Vector>(self) -> Self::Output;
}

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instructions(Simd);

/// Makes a function that runs kernels with one vector type and its instructions enabled.
macro_rules! runner {
    ($name:ident, $vector:ty, $($attribute:meta)?) => {
        $(#[$attribute])?
        unsafe fn $name<K: Kernel>(kernel: K) -> K::Output {
            // SAFETY: the attribute above enables what the vector needs.
            unsafe { kernel.run::<$vector>() }
        }
    };
}

#[cfg(target_arch = "x86_64")]
runner!(
    with_avx512,
    avx512::Avx512,
    target_feature(
        enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx512vnni,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt"
    )
);
#[cfg(target_arch = "x86_64")]
runner!(
    with_avx2,
    avx2::Avx2,
    target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")
);
#[cfg(target_arch = "aarch64")]
runner!(with_neon, neon::Neon, target_feature(enable = "neon"));
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
runner!(without, portable::Portable,);
// A module with vectors runs only in browsers that have them, so there they take the place of
// the portable path.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
runner!(without, simd128::Simd128,);

impl Instructions {
    /// The instructions of `simd`, if this machine has them.
    pub fn new(simd: Simd) -> Option<Instructions> {
        let available = match simd {
            Simd::Auto => return Instructions::new(simd.resolve()),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => avx512::is_available(),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => avx2::is_available(),
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => true,
            Simd::Portable => true,
            _ => false,
        };
        available.then_some(Instructions(simd))
    }

    /// Runs a kernel with these instructions.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: an `Instructions` exists only where its instructions do.
        unsafe {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => with_avx512(kernel),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => with_avx2(kernel),
                #[cfg(target_arch = "aarch64")]
                Simd::Neon => with_neon(kernel),
                _ => without(kernel),
            }
        }
    }
}
