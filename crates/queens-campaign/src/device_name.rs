//! The names of devices, and whose counts check whose.
//!
//! ```text
//!   box7/cpu-avx512          a device of the machine with the file
//!   ada@box7/cpu-avx512      a device of the worker ada
//!        ^^^^ ^^^^^^^^^^
//!        host  code
//! ```

use crate::defence::Defence;

/// The code of a device, without the machine: `cpu-avx512`, `backtracking`.
pub fn code(device: &str) -> &str {
    device.rsplit_once('/').map_or(device, |(_, code)| code)
}

/// Whether a count by the second device checks a count by the first.
///
/// A device checks any device but itself. Devices of workers carry the worker's name, as in
/// `ada@box7/cpu-avx512`. A worker that is wrong may be wrong on all of its devices, so its devices
/// do not check each other.
///
/// ```
/// use queens_campaign::device_name::independent;
/// assert!(independent("ada/cpu-avx512", "ada/cpu-portable"));
/// assert!(!independent("ada/cpu-avx512", "ada/cpu-avx512"));
/// assert!(!independent("ada@box/cpu", "ada@box/gpu0"));
/// assert!(independent("ada@box/cpu", "bob@box/cpu"));
/// ```
pub fn independent(first: &str, second: &str) -> bool {
    match (worker_of(first), worker_of(second)) {
        _ if !Defence::OtherParty.stands() => true,
        (Some(a), Some(b)) => a != b,
        _ => first != second,
    }
}

/// Whether two counts were made by the same code on the same machine, whatever workers' names they
/// carry.
///
/// ```
/// use queens_campaign::device_name::same_device;
/// assert!(same_device("ada@box/cpu-avx512", "bob@box/cpu-avx512"));
/// assert!(same_device("box/cpu-avx512", "bob@box/cpu-avx512"));
/// assert!(!same_device("ada@box/cpu-avx512", "bob@box/cpu-avx2"));
/// ```
pub fn same_device(first: &str, second: &str) -> bool {
    fn device(name: &str) -> &str {
        name.split_once('@').map_or(name, |(_, device)| device)
    }
    device(first) == device(second)
}

/// The name of the worker that a device belongs to, if it belongs to one.
pub fn worker_of(device: &str) -> Option<&str> {
    device.split_once('@').map(|(name, _)| name)
}
