//! Dependencies point one way: no two files of a folder use each other, directly or through
//! others.
//!
//! The sources are read as text. A file uses another of its folder if a path in it begins with
//! `super::NAME` (or `super::super::NAME` from a folder below, or `crate::NAME` at the top) and
//! NAME is a file or a folder there. Tests at the end of a file may use what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// For each file or folder of a folder, the others that it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("crates/queens is in crates")
        .to_owned()
}

/// The text of a source file without its comments and tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file is text");
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join(" ")
}

/// The names that follow a prefix such as `super::`, also those in braces.
fn names_after<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        // `super::super::x` is not `super::x`, nor is `mysuper::x`.
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c == ':' || c == '_' || c.is_alphanumeric()) {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let (list, depth) = match rest.strip_prefix('{') {
            Some(list) => (list, 1),
            None => (rest, 0),
        };
        let mut open = depth;
        let mut start = Some(0);
        for (place, c) in list.char_indices() {
            if start == Some(place) && c == ' ' {
                start = Some(place + 1);
                continue;
            }
            if let Some(begin) = start
                && !(c == '_' || c.is_alphanumeric())
            {
                let name = list[begin..place].trim();
                names.extend((!name.is_empty()).then_some(name));
                start = None;
            }
            match c {
                '{' => open += 1,
                '}' => open -= 1,
                ',' if open == 1 => start = Some(place + 1),
                _ => (),
            }
            if open <= 0 && start.is_none() {
                break;
            }
        }
    }
    names
}

/// All `.rs` files below a path, each with how many folders it is below.
fn sources(path: &Path, below: usize) -> Vec<(PathBuf, usize)> {
    if path.is_file() {
        return vec![(path.to_owned(), below)];
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(path)
        .expect("a folder of sources")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir() || path.extension().is_some_and(|end| end == "rs"))
        .collect();
    entries.sort();
    let files = entries.iter().flat_map(|path| sources(path, below + 1));
    files.collect()
}

/// Who uses whom among the files and folders of `folder`; `root` marks the top of a crate.
fn uses(folder: &Path, root: bool) -> Uses {
    let mut members: BTreeMap<String, PathBuf> = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let stem = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let is_source = path.is_dir() || path.extension().is_some_and(|end| end == "rs");
        if is_source && !["mod", "lib", "main"].contains(&stem.as_str()) {
            members.insert(stem, path);
        }
    }
    let mut uses = Uses::new();
    for (name, path) in &members {
        let used = uses.entry(name.clone()).or_default();
        for (file, below) in sources(path, 0) {
            let code = code(&file);
            // A folder's mod.rs stands one step nearer than the files beside it.
            let is_mod = file.file_name().is_some_and(|name| name == "mod.rs");
            let steps = below + 1 - usize::from(is_mod);
            let mut prefixes = vec!["super::".repeat(steps)];
            if root {
                prefixes.push("crate::".to_owned());
            }
            for prefix in prefixes {
                let names = names_after(&code, &prefix);
                used.extend(
                    names
                        .into_iter()
                        .filter(|used| members.contains_key(*used) && used != name)
                        .map(str::to_owned),
                );
            }
        }
    }
    uses
}

/// A cycle of members that use each other, if there is one.
fn cycle(uses: &Uses) -> Option<Vec<String>> {
    fn visit(at: &str, uses: &Uses, path: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
        if let Some(first) = path.iter().position(|name| name == at) {
            path.drain(..first);
            path.push(at.to_owned());
            return true;
        }
        if done.contains(at) {
            return false;
        }
        path.push(at.to_owned());
        if uses[at].iter().any(|next| visit(next, uses, path, done)) {
            return true;
        }
        path.pop();
        done.insert(at.to_owned());
        false
    }
    let mut done = BTreeSet::new();
    let mut path = Vec::new();
    let mut names = uses.keys();
    names
        .any(|name| visit(name, uses, &mut path, &mut done))
        .then_some(path)
}

fn assert_one_way(folder: &str, root: bool, known: &[(&str, &str)]) {
    let uses = uses(&crates().join(folder), root);
    // Otherwise a test that reads nothing would pass.
    for &(user, used) in known {
        assert!(uses[user].contains(used), "{folder}: {user} uses {used}");
    }
    let cycle = cycle(&uses);
    assert!(
        cycle.is_none(),
        "{folder}: {}",
        cycle.unwrap().join(" uses ")
    );
}

#[test]
fn the_files_of_two_colour_use_each_other_one_way_only() {
    let folder = "queens/src/count/two_colour";
    let known = [
        ("split", "sets"),
        ("join", "simd"),
        ("device_lists", "join"),
    ];
    assert_one_way(folder, false, &known);
}

#[test]
fn the_files_in_each_folder_of_two_colour_use_each_other_one_way_only() {
    let folder = "queens/src/count/two_colour";
    let join = [("stems", "scan"), ("filter", "sift"), ("scan", "planes")];
    assert_one_way(&format!("{folder}/join"), false, &join);
    assert_one_way(&format!("{folder}/simd"), false, &[("avx2", "vector")]);
    assert_one_way(
        &format!("{folder}/device_lists"),
        false,
        &[("builder", "cache")],
    );
}

/// The names in the first column of a table in a `mod.rs`, in their order.
fn listed(table: &str) -> Vec<String> {
    let rows = table.lines().filter_map(|line| line.strip_prefix("//! | "));
    let cells = rows.filter_map(|row| row.split(" |").next());
    let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    names.map(str::to_owned).collect()
}

#[test]
fn tables_list_files_in_the_order_of_their_use() {
    for (folder, table, some) in [
        ("queens/src/count/two_colour", "mod.rs", ["sets", "explain"]),
        (
            "queens/src/count/two_colour/join",
            "mod.rs",
            ["planes", "stems"],
        ),
        ("queens-campaign/src", "lib.rs", ["text", "queue"]),
        (
            "queens-campaign/src/ledger",
            "mod.rs",
            ["campaign", "audit"],
        ),
        (
            "queens-campaign/src/queue/desk",
            "mod.rs",
            ["stock", "trust"],
        ),
        (
            "queens-campaign/src/queue/simulation",
            "mod.rs",
            ["broker", "faults"],
        ),
    ] {
        let path = crates().join(folder);
        let text = fs::read_to_string(path.join(table)).expect("a folder has a list");
        let names = listed(&text);
        let uses = uses(&path, table == "lib.rs");
        let mut sorted = names.clone();
        sorted.sort();
        assert_eq!(
            sorted,
            uses.keys().cloned().collect::<Vec<_>>(),
            "{folder} lists all its files"
        );
        let place = |name: &str| names.iter().position(|other| other == name);
        assert!(place(some[0]) < place(some[1]), "{folder}");
        for (name, used) in &uses {
            for used in used {
                assert!(place(used) < place(name), "{name} uses {used}, below it");
            }
        }
    }
}

/// A `mod.rs` re-exports for users outside; files inside name each other directly.
#[test]
fn no_file_of_two_colour_uses_its_own_mod_rs() {
    let folder = crates().join("queens/src/count/two_colour");
    let mut read = 0;
    for (file, _) in sources(&folder, 0) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        // A `mod.rs` uses its files; the other two are tests from end to end, and use everything.
        if ["mod", "twin", "cells"].contains(&name.as_str()) {
            continue;
        }
        read += 1;
        let folder = file.parent().unwrap();
        let code = code(&file);
        for used in names_after(&code, "super::") {
            let is_file = folder.join(format!("{used}.rs")).is_file() || folder.join(used).is_dir();
            let at = file.display();
            assert!(is_file || used == "super", "{at} uses {used} of its mod.rs");
        }
    }
    assert!(read > 30);
}

#[test]
fn the_modules_of_the_gpu_crate_use_each_other_one_way_only() {
    assert_one_way("queens-cuda/src", true, &[("fleet", "batch")]);
}

#[test]
fn the_files_of_the_queue_use_each_other_one_way_only() {
    let queue = "queens-campaign/src/queue";
    let known = [("desk", "message"), ("serve", "desk"), ("work", "shift")];
    assert_one_way(queue, false, &known);
    let known = [("judge", "stock"), ("results", "judge")];
    assert_one_way(&format!("{queue}/desk"), false, &known);
    let known = [("network", "broker"), ("server", "processes")];
    assert_one_way(&format!("{queue}/simulation"), false, &known);
}

/// The reader itself: braces, nesting, and paths that only look alike.
#[test]
fn paths_are_found_in_every_spelling() {
    let code = "use super::one::A; use super::{two::{B, C}, three, four as f}; super::five(); \
                super::super::six; not_super::seven; crate::eight;";
    assert_eq!(
        names_after(code, "super::"),
        ["one", "two", "three", "four", "five", "super"]
    );
    assert_eq!(names_after(code, "super::super::"), ["six"]);
    assert_eq!(names_after(code, "crate::"), ["eight"]);
    let mut uses = Uses::new();
    for (user, used) in [("a", "b"), ("b", "c"), ("c", "")] {
        let used = [used.to_owned()]
            .into_iter()
            .filter(|used| !used.is_empty());
        uses.insert(user.to_owned(), used.collect());
    }
    assert_eq!(cycle(&uses), None);
    uses.get_mut("c").unwrap().insert("a".to_owned());
    assert_eq!(cycle(&uses).unwrap(), ["a", "b", "c", "a"]);
}
