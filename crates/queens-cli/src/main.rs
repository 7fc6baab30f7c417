//! The command `queens`.

fn main() {}
