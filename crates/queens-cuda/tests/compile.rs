//! The kernel compiles to machine code, with or without a card in the machine.
//!
//! NVRTC needs no card. `scripts/setup-tests` installs it below `target/`, so that a kernel
//! that does not compile cannot pass the tests anywhere.

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

fn machine_code(arch: u32) {
    find_compiler();
    let image =
        compile(&kernel::source(), &format!("sm_{arch}")).unwrap_or_else(|error| panic!("{error}"));
    assert!(image.starts_with(b"\x7fELF"), "machine code is an ELF file");
    for kernel in [
        "scan_16",
        "scan_32",
        "unfold_16",
        "unfold_32",
        "unfold_odd_16",
        "unfold_odd_32",
    ] {
        let found = image
            .windows(kernel.len())
            .any(|name| name == kernel.as_bytes());
        assert!(found, "{kernel} is missing from the code for sm_{arch}");
    }
}

#[test]
fn the_kernel_compiles_for_turing() {
    machine_code(75);
}

#[test]
fn the_kernel_compiles_for_hopper() {
    machine_code(90);
}

#[test]
fn the_kernel_compiles_for_blackwell() {
    machine_code(100);
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
