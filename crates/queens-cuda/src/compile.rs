//! Compiles the kernel to machine code for one card, and caches this code on disk.
//!
//! NVRTC takes some ten seconds, so its output is kept: in the folder `QUEENS_CACHE_DIR`, or else
//! in `queens` in `XDG_CACHE_HOME` or in `~/.cache`. A cached file holds everything that the
//! machine code depends on (the compiler's version, the options, the whole source), then a checksum
//! and the code. It is used only if all of that is as expected. A cache that cannot be read or
//! written costs time and nothing else. A file is written under another name and then renamed, so
//! programs that start together do not read half-written files.

use crate::Error;
use crate::driver::find_nvrtc;
use cudarc::nvrtc::{result, sys};
use std::ffi::{CStr, CString};
use std::fs;
use std::path::{Path, PathBuf};

/// Compiled code, ready for the driver: machine code, or PTX ending in a zero byte if the compiler
/// is older than the card.
pub type Image = Vec<u8>;

/// Code of a kernel for compute capability `arch`, from the cache if it is there.
///
/// # Errors
///
/// [`Error::NoNvrtc`] without a compiler, even if code is cached: code that one version made is not
/// used with another. [`Error::Compile`] if the compiler fails.
pub fn image(source: &str, arch: u32) -> Result<Image, Error> {
    let version = version()?;
    let target = target(arch, &supported()?)?;
    let key = key(version, &options(&target), source);
    let Some(file) = cache_dir().map(|dir| dir.join(file_name(&key))) else {
        return compile(source, &target);
    };
    if let Some(image) = fs::read(&file).ok().and_then(|bytes| unpack(&key, &bytes)) {
        return Ok(image);
    }
    let image = compile(source, &target)?;
    // Count even if the cache cannot be written.
    let _ = write(&file, &pack(&key, &image));
    Ok(image)
}

/// Loads the compiler from a folder, before the usual places are searched.
pub fn load_nvrtc(folder: &Path) -> bool {
    crate::driver::load_from(folder)
}

/// The compiler's version.
fn version() -> Result<(i32, i32), Error> {
    find_nvrtc()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: NVRTC writes two integers.
    check(unsafe { sys::nvrtcVersion(&mut major, &mut minor) })?;
    Ok((major, minor))
}

/// The compute capabilities that the compiler knows.
fn supported() -> Result<Vec<u32>, Error> {
    let mut count = 0;
    // SAFETY: NVRTC writes one integer.
    check(unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) })?;
    let mut archs = vec![0; count.max(0) as usize];
    // SAFETY: NVRTC writes as many integers as it announced.
    check(unsafe { sys::nvrtcGetSupportedArchs(archs.as_mut_ptr()) })?;
    Ok(archs.into_iter().map(|arch| arch as u32).collect())
}

/// The target to compile for: the card itself, or, if the compiler is older than the card, the
/// latest virtual target, from which the driver makes machine code.
fn target(arch: u32, supported: &[u32]) -> Result<String, Error> {
    if supported.contains(&arch) {
        return Ok(format!("sm_{arch}"));
    }
    let latest = supported
        .iter()
        .copied()
        .filter(|&known| known < arch)
        .max();
    latest
        .map(|known| format!("compute_{known}"))
        .ok_or_else(|| Error::Compile {
            reason: format!("it is too new for a card of compute capability {arch}"),
        })
}

fn options(target: &str) -> Vec<String> {
    vec![format!("--gpu-architecture={target}"), "--std=c++17".into()]
}

/// Compiles source text for a target such as `sm_90` or `compute_90`.
///
/// # Errors
///
/// [`Error::NoNvrtc`] or [`Error::Compile`].
pub fn compile(source: &str, target: &str) -> Result<Image, Error> {
    find_nvrtc()?;
    let source = CString::new(source).map_err(|_| Error::Compile {
        reason: "the source contains a zero byte".into(),
    })?;
    let program = Program(
        result::create_program(&source, Some(c"kernel.cu"))
            .map_err(|error| failed(error.0, String::new()))?,
    );
    // SAFETY: the program was created above and is destroyed when it is dropped.
    unsafe {
        result::compile_program(program.0, &options(target)).map_err(|error| {
            let log = result::get_program_log(program.0).unwrap_or_default();
            let log: Vec<u8> = log
                .iter()
                .map(|&c| c as u8)
                .take_while(|&c| c != 0)
                .collect();
            failed(error.0, String::from_utf8_lossy(&log).into_owned())
        })?;
        let mut size = 0;
        if target.starts_with("sm_") {
            check(sys::nvrtcGetCUBINSize(program.0, &mut size))?;
            let mut image = vec![0u8; size];
            check(sys::nvrtcGetCUBIN(program.0, image.as_mut_ptr().cast()))?;
            Ok(image)
        } else {
            check(sys::nvrtcGetPTXSize(program.0, &mut size))?;
            let mut image = vec![0u8; size];
            check(sys::nvrtcGetPTX(program.0, image.as_mut_ptr().cast()))?;
            image.push(0);
            Ok(image)
        }
    }
}

struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program is alive and nobody else uses it.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

fn check(status: sys::nvrtcResult) -> Result<(), Error> {
    match status {
        sys::nvrtcResult::NVRTC_SUCCESS => Ok(()),
        _ => Err(failed(status, String::new())),
    }
}

/// The error for a status, with the first complaint of the log if there is one.
fn failed(status: sys::nvrtcResult, log: String) -> Error {
    let complaint = log.lines().find(|line| line.contains("error"));
    let reason = complaint.map(str::trim).map(str::to_owned);
    Error::Compile {
        reason: reason.unwrap_or_else(|| {
            // SAFETY: NVRTC returns a constant string for every status.
            unsafe { CStr::from_ptr(sys::nvrtcGetErrorString(status)) }
                .to_string_lossy()
                .into_owned()
        }),
    }
}

/// Everything that the machine code depends on.
fn key(version: (i32, i32), options: &[String], source: &str) -> Vec<u8> {
    let (major, minor) = version;
    format!("queens kernel\nNVRTC {major}.{minor}\n{options:?}\n{source}").into_bytes()
}

fn file_name(key: &[u8]) -> String {
    format!("kernel-{:016x}.bin", fnv1a(key))
}

/// The 64-bit FNV-1a hash.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A cache file: the key, the checksum of the code, and the code.
fn pack(key: &[u8], image: &[u8]) -> Vec<u8> {
    let mut bytes = key.to_vec();
    bytes.extend_from_slice(&fnv1a(image).to_le_bytes());
    bytes.extend_from_slice(image);
    bytes
}

/// The code in a cache file, if the file is whole and was made with the same key.
fn unpack(key: &[u8], bytes: &[u8]) -> Option<Image> {
    let (checksum, image) = bytes.strip_prefix(key)?.split_first_chunk::<8>()?;
    (!image.is_empty() && fnv1a(image) == u64::from_le_bytes(*checksum)).then(|| image.to_vec())
}

fn cache_dir() -> Option<PathBuf> {
    let var = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(dir) = var("QUEENS_CACHE_DIR") {
        return Some(dir.into());
    }
    let base = var("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(var("HOME")?).join(".cache")))?;
    Some(base.join("queens"))
}

fn write(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir)?;
    }
    let partial = file.with_extension(format!("{}.partial", std::process::id()));
    fs::write(&partial, bytes)
        .and_then(|()| fs::rename(&partial, file))
        .inspect_err(|_| {
            let _ = fs::remove_file(&partial);
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cached_image_is_used_only_when_whole_and_from_the_same_key() {
        let packed = pack(b"key", b"machine code");
        assert_eq!(
            unpack(b"key", &packed).as_deref(),
            Some(&b"machine code"[..])
        );
        assert_eq!(unpack(b"kez", &packed), None);
        for cut in 0..packed.len() {
            assert_eq!(unpack(b"key", &packed[..cut]), None, "cut at {cut}");
        }
        for flip in 0..packed.len() {
            let mut broken = packed.clone();
            broken[flip] ^= 1;
            assert_eq!(unpack(b"key", &broken), None, "broken at {flip}");
        }
    }

    #[test]
    fn a_card_newer_than_the_compiler_gets_the_latest_virtual_target() {
        let known = [75, 80, 90];
        assert_eq!(target(90, &known).unwrap(), "sm_90");
        assert_eq!(target(100, &known).unwrap(), "compute_90");
        assert!(target(70, &known).is_err());
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_an_ordinary_error() {
        let file = Path::new("/dev/null/queens/kernel.bin");
        assert!(write(file, b"x").is_err());
    }
}
