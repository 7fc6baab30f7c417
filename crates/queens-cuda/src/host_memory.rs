//! How many threads this machine has memory for.
//!
//! A thread that prepares lists holds those of one unit, and the batch they are in. Up to n = 24
//! the lists are short, or shared. Beyond, every further row of the board makes them nearly twice
//! as long. On a machine with many cores and little memory, one thread per core would then be too
//! many.

/// The memory that a thread takes for lists of this board, in bytes. Measured for a few units with
/// 16 and 48 threads (2026-11-16): 0.24 GB for n = 26, 0.83 GB for n = 28.
fn thread_bytes(n: u32) -> f64 {
    0.24e9 * 1.86_f64.powi(n as i32 - 26)
}

/// How many host threads may prepare lists of this board, in all counts of this machine together,
/// so that they take half of the available memory; at least one.
pub fn most_threads(n: u32) -> usize {
    let available = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| available(&text));
    available.map_or(usize::MAX, |bytes| fit(n, bytes))
}

fn fit(n: u32, available: f64) -> usize {
    ((available / 2.0 / thread_bytes(n)) as usize).max(1)
}

/// The available memory in bytes, from what Linux says about memory.
fn available(text: &str) -> Option<f64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024.0 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_available_memory_is_read_where_it_is_told() {
        let text = "MemTotal:  16384000 kB\nMemFree: 1 kB\nMemAvailable:   1000 kB\n";
        assert_eq!(available(text), Some(1_024_000.0));
        for text in [
            "",
            "MemTotal: 5 kB",
            "MemAvailable: much",
            "MemAvailable: 5 MB",
        ] {
            assert_eq!(available(text), None, "{text}");
        }
    }

    #[test]
    fn large_boards_get_fewer_threads_and_never_none() {
        // A laptop counts up to n = 24 with all its cores, a server n = 28 with many.
        assert!(fit(24, 8e9) >= 16);
        assert!((40..80).contains(&fit(28, 100e9)));
        assert_eq!(fit(28, 4e9), 2);
        assert_eq!(fit(30, 1e9), 1);
    }
}
