//! Finding the NVIDIA driver, its cards, and the run-time compiler, at run time.
//!
//! Nothing of CUDA is linked. The bindings load a library when its first function is called, and
//! panic if it is missing. So this module looks first, and turns every way of having no GPU into
//! one of the [`Error`]s. The driver is `libcuda.so.1` of any driver for CUDA 12 or later. The
//! compiler is `libnvrtc.so.12` or `.13`, from the loader's own path, from the usual places of a
//! CUDA toolkit, or from the folder that `QUEENS_NVRTC` names.

use crate::Error;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{CudaStream, DriverError, result, sys};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The lowest compute capability that the kernel is compiled for.
pub const LOWEST_ARCH: u32 = 75;

/// A card as the driver describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its number, from 0.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Compute capability times ten: 90 for sm_90.
    pub arch: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Highest clock of the multiprocessors in kHz.
    pub clock_khz: u32,
    /// Shared memory that one block can have, in bytes.
    pub shared_per_block: u32,
    /// Shared memory of one multiprocessor, in bytes.
    pub shared_per_multiprocessor: u32,
    /// Threads that one multiprocessor can hold.
    pub threads_per_multiprocessor: u32,
    /// The version of CUDA that the driver supports, such as "13.0".
    pub cuda: String,
    /// The version of the driver itself, such as "580.95", if it can be found.
    pub driver: Option<String>,
}

impl Device {
    /// Whether the kernel can run on it.
    pub fn is_usable(&self) -> bool {
        self.arch >= LOWEST_ARCH
    }

    /// The card itself, or why it cannot be used.
    pub(crate) fn check(self) -> Result<Device, Error> {
        if self.is_usable() {
            Ok(self)
        } else {
            Err(Error::TooOld {
                device: self.number,
                name: self.name,
                major: self.arch / 10,
                minor: self.arch % 10,
            })
        }
    }
}

/// What the driver says about an error.
pub(crate) fn reason(error: DriverError) -> String {
    let text = |text: Result<&std::ffi::CStr, DriverError>| {
        text.map_or_else(
            |_| "unknown error".into(),
            |text| text.to_string_lossy().into_owned(),
        )
    };
    format!(
        "{} ({})",
        text(error.error_string()),
        text(error.error_name())
    )
}

/// Turns a driver's error into one line that says which card and what was being done.
pub(crate) fn failed(device: usize, doing: &'static str) -> impl Fn(DriverError) -> Error {
    move |error| Error::Driver {
        device,
        doing,
        reason: reason(error),
    }
}

/// Waits until a stream of this card has done everything.
pub(crate) fn wait(device: usize, doing: &'static str, stream: &CudaStream) -> Result<(), Error> {
    stream.synchronize().map_err(failed(device, doing))
}

/// Waits for a stream after an error, so that nothing is copied any more. The first call may only
/// return an earlier error, without waiting; if the second fails too, the card is lost.
pub(crate) fn settle(stream: &CudaStream) {
    if stream.synchronize().is_err() {
        let _ = stream.synchronize();
    }
}

/// Starts the driver, once.
fn start() -> Result<(), Error> {
    static STARTED: OnceLock<Result<(), Error>> = OnceLock::new();
    STARTED
        .get_or_init(|| {
            // SAFETY: loads the driver's library, whose initialisers are trusted like the driver
            // itself.
            if !unsafe { sys::is_culib_present() } {
                return Err(Error::NoDriver);
            }
            result::init().map_err(|error| match error.0 {
                sys::CUresult::CUDA_ERROR_NO_DEVICE => Error::NoDevice,
                _ => Error::BrokenDriver {
                    reason: reason(error),
                },
            })
        })
        .clone()
}

/// All cards of this machine, usable or not.
///
/// # Errors
///
/// [`Error::NoDriver`], [`Error::BrokenDriver`] or [`Error::NoDevice`]: in each case there is
/// no GPU to count on.
pub fn devices() -> Result<Vec<Device>, Error> {
    start()?;
    let broken = |error| Error::BrokenDriver {
        reason: reason(error),
    };
    let count = result::device::get_count().map_err(broken)?;
    if count == 0 {
        return Err(Error::NoDevice);
    }
    (0..count as usize)
        .map(|number| describe(number).map_err(broken))
        .collect()
}

fn describe(number: usize) -> Result<Device, DriverError> {
    let device = result::device::get(number as i32)?;
    // SAFETY: `device` came from the driver.
    let attribute = |attribute| unsafe {
        result::device::get_attribute(device, attribute).map(|value| value.max(0) as u32)
    };
    let mut version = 0;
    // SAFETY: the driver writes one integer.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result()?;
    Ok(Device {
        number,
        name: result::device::get_name(device)?,
        arch: 10 * attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
            + attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        // SAFETY: `device` came from the driver.
        memory: unsafe { result::device::total_mem(device) }? as u64,
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        clock_khz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        shared_per_block: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        )?,
        shared_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        )?,
        threads_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        )?,
        cuda: format!("{}.{}", version / 1000, version % 1000 / 10),
        driver: driver_version(),
    })
}

/// The driver's own version, which CUDA does not report.
fn driver_version() -> Option<String> {
    let text = std::fs::read_to_string("/sys/module/nvidia/version").ok()?;
    Some(text.trim().to_owned()).filter(|version| !version.is_empty())
}

/// Makes sure that the run-time compiler can be called.
pub(crate) fn find_nvrtc() -> Result<(), Error> {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let found = *FOUND.get_or_init(|| {
        // SAFETY: loads NVRTC, whose initialisers are trusted like the toolkit itself.
        let present = || unsafe { cudarc::nvrtc::sys::is_culib_present() };
        if let Some(folder) = std::env::var_os("QUEENS_NVRTC") {
            load_from(Path::new(&folder));
        }
        present() || (toolkit_folders().iter().any(|folder| load_from(folder)) && present())
    });
    if found { Ok(()) } else { Err(Error::NoNvrtc) }
}

/// Where toolkits are usually installed outside the loader's path.
fn toolkit_folders() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = ["CUDA_HOME", "CUDA_PATH"]
        .iter()
        .filter_map(std::env::var_os)
        .map(PathBuf::from)
        .collect();
    roots.push("/usr/local/cuda".into());
    roots.push("/opt/cuda".into());
    for version in ["13", "12"] {
        roots.push(format!("/usr/local/cuda-{version}").into());
    }
    let inside = [
        "lib64",
        "lib",
        "targets/x86_64-linux/lib",
        "targets/sbsa-linux/lib",
        "bin",
    ];
    let mut folders: Vec<PathBuf> = roots
        .iter()
        .flat_map(|root| inside.map(|inside| root.join(inside)))
        .collect();
    // The same library, installed by Python's package manager.
    for root in ["/usr/local/lib", "/usr/lib"] {
        for python in matching(Path::new(root), "python3") {
            for packages in ["dist-packages", "site-packages"] {
                for package in ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"] {
                    folders.push(python.join(packages).join(package));
                }
            }
        }
    }
    folders
}

/// The entries of a folder whose names begin with `prefix`, highest first.
fn matching(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let begins = |name: &OsStr| name.to_string_lossy().starts_with(prefix);
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| begins(&entry.file_name()))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths.reverse();
    paths
}

/// Loads NVRTC and its builtins from a folder for good. When the bindings ask for a library, the
/// loader finds one that is already loaded by its name, wherever it came from.
pub(crate) fn load_from(folder: &Path) -> bool {
    let load = |path: &PathBuf| {
        // SAFETY: as in `find_nvrtc`.
        match unsafe { libloading::Library::new(path) } {
            Ok(library) => {
                std::mem::forget(library);
                true
            }
            Err(_) => false,
        }
    };
    for builtins in matching(folder, "libnvrtc-builtins.so") {
        load(&builtins);
    }
    matching(folder, "libnvrtc.so")
        .iter()
        .chain(&matching(folder, "nvrtc64_"))
        .any(load)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_card_is_named_with_what_it_lacks() {
        let mut device = Device {
            number: 1,
            name: "Old Card".into(),
            arch: 61,
            memory: 1 << 33,
            multiprocessors: 10,
            clock_khz: 1_500_000,
            shared_per_block: 48 << 10,
            shared_per_multiprocessor: 96 << 10,
            threads_per_multiprocessor: 2048,
            cuda: "12.4".into(),
            driver: None,
        };
        let error = device.clone().check().unwrap_err();
        assert_eq!(
            error.to_string(),
            "GPU 1 (Old Card) is too old: it has compute capability 6.1, 7.5 is the least"
        );
        device.arch = 75;
        assert!(device.check().is_ok());
    }
}
