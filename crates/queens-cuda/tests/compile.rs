//! The kernel compiles to machine code, with or without a card in the machine.
//!
//! NVRTC needs no card. `scripts/setup-tests` installs it below `target/`, so a kernel that does
//! not compile fails the tests on every machine.

use queens_cuda::Error;
use queens_cuda::compile::{compile, load_nvrtc};
use queens_cuda::kernel;
use std::path::Path;
use std::sync::Once;

fn find_compiler() {
    static FOUND: Once = Once::new();
    FOUND.call_once(|| {
        // The folder of the tests' temporary files is `target/tmp`.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
        load_nvrtc(&target.join("nvrtc/nvidia/cu13/lib"));
        if compile("", "sm_90") == Err(Error::NoNvrtc) {
            panic!("NVRTC was not found; run scripts/setup-tests, which installs it below target/");
        }
    });
}

/// Compiles a kernel and looks for its entries in the machine code.
fn machine_code(source: &str, arch: u32, entries: &[&str]) {
    find_compiler();
    let image = compile(source, &format!("sm_{arch}")).unwrap_or_else(|error| panic!("{error}"));
    assert!(image.starts_with(b"\x7fELF"), "machine code is an ELF file");
    for entry in entries {
        let found = image
            .windows(entry.len())
            .any(|name| name == entry.as_bytes());
        assert!(found, "{entry} is missing from the code for sm_{arch}");
    }
}

fn counts_pairs(arch: u32) {
    let entries = [
        "scan_16",
        "scan_32",
        "unfold_16",
        "unfold_32",
        "unfold_odd_16",
        "unfold_odd_32",
    ];
    machine_code(&kernel::source(), arch, &entries);
}

#[test]
fn the_kernel_compiles_for_turing() {
    counts_pairs(75);
}

#[test]
fn the_kernel_compiles_for_hopper() {
    counts_pairs(90);
}

#[test]
fn the_kernel_compiles_for_blackwell() {
    counts_pairs(100);
}

#[test]
fn the_sweep_compiles_for_hopper() {
    let entries = ["sweep_4", "sweep_7", "sweep_12", "join_all"];
    machine_code(&kernel::sweep_source(), 90, &entries);
}

#[test]
fn the_sweep_compiles_for_the_oldest_cards_that_multiply_bits() {
    // One entry is enough; all together take long.
    let source = kernel::sweep_source();
    let (before, _) = source.split_once("SWEEP(5)").expect("there is an entry");
    machine_code(before, 80, &["sweep_4"]);
}

#[test]
fn a_kernel_with_a_mistake_is_refused_in_one_line_that_names_the_part() {
    find_compiler();
    let source = kernel::source();
    let (before, after) = source
        .split_once("// Finds the lists of a job.")
        .expect("scan.cu has it");
    let lines_before = before.lines().rev();
    let line_number = 1 + lines_before
        .take_while(|line| !line.starts_with("#line"))
        .count();
    let mistake = format!("{before}__device__ int mistake() {{ return missing; }} //{after}");
    let line = compile(&mistake, "sm_90").unwrap_err().to_string();
    assert!(line.contains(&format!("scan.cu({line_number})")), "{line}");
    assert!(line.contains("missing"), "{line}");
    assert_eq!(line.lines().count(), 1);
}
