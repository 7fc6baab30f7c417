//! The name of this machine, for pictures and tables of times.

use super::size;

/// The processor's name, or else its architecture, and the number of cores.
pub fn name() -> String {
    let listed = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = model(&listed).unwrap_or(std::env::consts::ARCH);
    match size::all_cores() {
        1 => format!("{processor}, 1 core"),
        cores => format!("{processor}, {cores} cores"),
    }
}

/// The name of the first processor in the text of `/proc/cpuinfo`.
fn model(listed: &str) -> Option<&str> {
    let named = listed
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    named
        .map(|(_, name)| name.trim())
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_has_the_name_that_the_system_gives_it() {
        let listed = "processor\t: 0\nmodel name\t: AMD EPYC-Genoa Processor\nflags\t: fpu\n";
        assert_eq!(model(listed), Some("AMD EPYC-Genoa Processor"));
        assert_eq!(model("processor : 0\n"), None);
        assert!(name().contains(" core"));
    }
}
