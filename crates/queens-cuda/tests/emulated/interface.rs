//! Rust and C++ agree on every constant and on every byte of every structure.

use super::compiler::compile;
use queens_cuda::interface::{cuda, layout};
use std::process::Command;

/// A program that prints each expression with its value.
fn printing(expressions: &[&str]) -> String {
    let lines = expressions.iter().map(|of| {
        format!("    std::printf(\"%s %llu\\n\", \"{of}\", (unsigned long long)({of}));\n")
    });
    let body: String = lines.collect();
    let includes = "#include <cstddef>\n#include <cstdio>\n";
    format!("{includes}{}\nint main() {{\n{body}}}\n", cuda())
}

#[test]
fn structures_and_constants_are_the_same_in_rust_and_in_cpp() {
    let expected = layout();
    let expressions: Vec<&str> = expected
        .lines()
        .map(|line| {
            line.rsplit_once(' ')
                .expect("an expression and its value")
                .0
        })
        .collect();
    // One of each kind must be there, so that an empty list does not count as agreement.
    for known in [
        "LANES",
        "sizeof(Launch)",
        "offsetof(PairEntry, gather_rows)",
    ] {
        assert!(expressions.contains(&known), "{known}");
    }
    let program = compile("interface", &printing(&expressions), &[]);
    let output = Command::new(&program).output().expect("the program runs");
    let _ = std::fs::remove_file(&program);
    let printed = String::from_utf8(output.stdout).expect("it prints text");
    for (rust, cpp) in expected.lines().zip(printed.lines()) {
        assert_eq!(rust, cpp, "Rust on the left, C++ on the right");
    }
    assert_eq!(expected.lines().count(), printed.lines().count());
}
