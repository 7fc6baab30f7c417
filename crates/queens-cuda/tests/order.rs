//! The files of the crate use each other in one direction only.
//!
//! `lib.rs` and the `mod.rs` of each folder list their files in a table. A file may use those above
//! it in the table, and none below.

use std::fs;
use std::path::Path;

/// The files or folders that a table names, in the table's order, without `.rs` or `/`.
fn listed(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| {
        let name = line.strip_prefix("//! | `")?.split('`').next()?;
        name.strip_suffix(".rs").or_else(|| name.strip_suffix('/'))
    });
    names.map(str::to_owned).collect()
}

/// The text of a file, or of all files of a folder, without tests.
fn text_of(path: &Path) -> String {
    if path.is_dir() {
        let files = fs::read_dir(path).expect("the folder can be read");
        return files
            .map(|file| text_of(&file.expect("it has files").path()))
            .collect();
    }
    let text = fs::read_to_string(path).expect("the file can be read");
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Checks a folder whose files refer to each other by this prefix.
fn check(folder: &Path, table: &str, prefix: &str) {
    let names = listed(&fs::read_to_string(folder.join(table)).expect("the table can be read"));
    assert!(names.len() > 2, "{} lists its files", folder.display());
    let mut all: Vec<String> = fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|file| file.expect("it has files").path())
        .filter(|path| path.is_dir() || path.extension().is_some_and(|end| end == "rs"))
        .filter(|path| !path.ends_with(table))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    all.sort();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(sorted, all, "{} lists all its files", folder.display());
    for (place, name) in names.iter().enumerate() {
        let file = folder.join(format!("{name}.rs"));
        let text = match file.exists() {
            true => text_of(&file),
            false => text_of(&folder.join(name)),
        };
        for below in &names[place + 1..] {
            let used = [format!("{prefix}{below}::"), format!("{prefix}{below};")];
            let uses = used.iter().any(|used| text.contains(used.as_str()));
            let grouped = text.match_indices(&format!("{prefix}{{")).any(|(at, _)| {
                text[at..]
                    .split(';')
                    .next()
                    .unwrap()
                    .contains(below.as_str())
            });
            assert!(!uses && !grouped, "{name} uses {below}, which is below it");
        }
    }
}

#[test]
fn files_use_only_those_above_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    check(&source, "lib.rs", "crate::");
    check(&source.join("batch"), "mod.rs", "super::");
    check(&source.join("fleet"), "mod.rs", "super::");
}
