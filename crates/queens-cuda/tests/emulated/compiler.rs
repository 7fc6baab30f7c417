//! The C++ compiler of the machine.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds a library of C++ text and loads it for good.
pub fn load(name: &str, text: &str) -> &'static libloading::Library {
    let file = compile(name, text, &["-shared", "-fPIC"]);
    // SAFETY: the library was just built from this repository, and nothing in it runs by itself.
    let library = unsafe { libloading::Library::new(&file) }.expect("the emulation loads");
    let _ = std::fs::remove_file(&file);
    Box::leak(Box::new(library))
}

/// Compiles C++ text with these options and the usual ones, and returns the file that it made.
pub fn compile(name: &str, text: &str, options: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |end: &str| folder.join(format!("{name}-{}{end}", std::process::id()));
    let (source, made) = (file(".cpp"), file(""));
    std::fs::write(&source, text).expect("the folder of temporary files can be written to");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".into());
    let status = Command::new(&compiler)
        .args([
            "-std=c++17",
            "-O2",
            // Planes are words in the memory of placements, which are twice as long.
            "-fno-strict-aliasing",
            "-Wall",
            "-Werror",
            "-Wno-unknown-pragmas",
        ])
        .args(options)
        .arg(&source)
        .arg("-o")
        .arg(&made)
        .status()
        .unwrap_or_else(|error| {
            panic!("cannot run the C++ compiler {compiler}: {error}; run scripts/setup-tests")
        });
    assert!(status.success(), "{name} does not compile");
    let _ = std::fs::remove_file(&source);
    made
}
