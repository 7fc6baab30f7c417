//! Embeds the page into the command, if it has been built.
//!
//! `make web` (or `scripts/build-web`) builds the page into `web/dist`. That needs the
//! WebAssembly target; a plain `cargo build` of the command must not need it. So with the
//! folder, `queens serve` carries its files; without it, the list is empty and `queens serve`
//! says how to build them. Either way the command builds.
//!
//! Cargo runs this again when the folder changes or appears.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let web = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../web");
    let dist = web.join("dist");
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo takes a missing path for changed and would compile the command anew at every
    // build, so this watches the nearest folder that exists.
    for path in [&dist, &web, &web.join("src")] {
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
            break;
        }
    }

    let mut files = Vec::new();
    if dist.is_dir() {
        for entry in fs::read_dir(&dist)? {
            let entry = entry?;
            let name = entry
                .file_name()
                .into_string()
                .expect("the page's own names");
            files.push((name, fs::canonicalize(entry.path())?));
        }
    }
    // The order of a directory differs from machine to machine; the binary should not.
    files.sort();
    let mut table = String::from("&[\n");
    for (name, path) in files {
        writeln!(table, "    ({name:?}, include_bytes!({path:?})),").expect("writing to a string");
    }
    table.push_str("]\n");
    let out = env::var("OUT_DIR").expect("set by cargo");
    fs::write(Path::new(&out).join("page.rs"), table)
}
