//! The book: every link of the documents leads somewhere, in the repository and in the book.
//!
//! The documents are read as they stand, without mdBook: a link to a file needs the file, a
//! link to a heading needs the heading, and what a chapter links to must be in the book too.
//! Where mdBook is installed (`make book` installs it), the book is built as well and all
//! links of its pages are followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The documents: those of the top, and those of the folders that the book takes chapters from.
fn documents() -> BTreeMap<PathBuf, String> {
    let mut folders = vec![PathBuf::new(), "docs".into(), "benchmarks".into()];
    let records = std::fs::read_dir(root().join("records")).expect("there are records");
    folders.extend(records.map(|record| Path::new("records").join(record.unwrap().file_name())));
    // The other crates have no documents of their own; the library's is the one at the top.
    folders.push("crates/queens-python".into());
    let mut out = BTreeMap::new();
    for folder in folders {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
            let name = folder.join(entry.unwrap().file_name());
            if name.extension().is_some_and(|ending| ending == "md") {
                let text = std::fs::read_to_string(root().join(&name)).expect("a document");
                out.insert(name, text);
            }
        }
    }
    assert!(out.len() > 15, "{:?}", out.keys());
    out
}

/// The lines outside of fenced and indented code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return false;
        }
        !fenced && !line.starts_with("    ")
    })
}

/// A paragraph's text without what stands in backquotes.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect()
}

/// Where the links of a document lead: what stands in `[words](here)` and behind `[name]: `.
fn links(text: &str) -> Vec<String> {
    // Words may be broken over lines, so the lines are joined first.
    let text = without_code(&prose(text).collect::<Vec<_>>().join("\n"));
    let mut out = Vec::new();
    for part in text.split("](").skip(1) {
        let target = part.split(')').next().expect("a part");
        out.push(target.to_owned());
    }
    let named = text.lines().filter(|line| line.starts_with('['));
    let named = named.filter_map(|line| line.split_once("]: "));
    out.extend(named.map(|(_, target)| target.trim().to_owned()));
    out
}

/// The anchors of the headings of a document, as repository viewers and mdBook make them: small
/// letters, digits, hyphens for blanks, a number behind a name that comes again.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen = BTreeMap::new();
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let words = line.trim_start_matches('#').trim().replace('`', "");
            let anchor: String = words
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect();
            let times: &mut usize = seen.entry(anchor.clone()).or_default();
            *times += 1;
            match *times {
                1 => anchor,
                again => format!("{anchor}-{}", again - 1),
            }
        })
        .collect()
}

/// A path with its `..` resolved.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(out.pop(), "{} leaves its folder", path.display()),
            part => out.push(part),
        }
    }
    out
}

/// The file and the anchor that a link of `document` means; `None` for an address elsewhere.
fn target(document: &Path, link: &str) -> Option<(PathBuf, Option<String>)> {
    if link.starts_with("http://") || link.starts_with("https://") {
        return None;
    }
    let (file, anchor) = match link.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor.to_owned())),
        None => (link, None),
    };
    let file = if file.is_empty() {
        document.to_owned()
    } else {
        plain(&document.parent().expect("a folder").join(file))
    };
    Some((file, anchor))
}

/// The chapters in the order of the book.
fn chapters(documents: &BTreeMap<PathBuf, String>) -> Vec<PathBuf> {
    let summary = Path::new("docs/SUMMARY.md");
    let links = links(&documents[summary]);
    let chapters = links
        .iter()
        .map(|link| target(summary, link).expect("a chapter").0);
    chapters.collect()
}

#[test]
fn every_link_leads_to_a_file_and_every_anchor_to_a_heading() {
    let documents = documents();
    let mut followed = 0;
    for (name, text) in &documents {
        for link in links(text) {
            let Some((file, anchor)) = target(name, &link) else {
                continue;
            };
            let told = format!("{} links to {link}", name.display());
            assert!(
                root().join(&file).is_file(),
                "{told}, and there is no such file"
            );
            if let Some(anchor) = anchor {
                let text = documents
                    .get(&file)
                    .unwrap_or_else(|| panic!("{told}: no document"));
                let known = anchors(text);
                assert!(known.contains(&anchor), "{told}, not one of {known:?}");
            }
            followed += 1;
        }
    }
    assert!(followed > 90, "only {followed} links found");
}

#[test]
fn anchors_are_made_as_readers_of_the_repository_see_them() {
    let text = "# A worked example: N = 4\n```sh\n# no heading\n```\n## `show`\n## show\n";
    let known: Vec<_> = anchors(text).into_iter().collect();
    assert_eq!(known, ["a-worked-example-n--4", "show", "show-1"]);
    let text = "see [a\nb](c.md#d), `[x](y)`\n    [z](w)\n\n[e]: f.md\n";
    assert_eq!(links(text), ["c.md#d", "f.md"]);
}

#[test]
fn the_book_holds_every_document_once_and_all_that_its_chapters_link_to() {
    let documents = documents();
    let chapters = chapters(&documents);
    let mut known = BTreeSet::new();
    for chapter in &chapters {
        assert!(known.insert(chapter), "{} comes twice", chapter.display());
    }
    let summary = Path::new("docs/SUMMARY.md");
    for name in documents.keys().filter(|name| *name != summary) {
        assert!(
            known.contains(name),
            "docs/SUMMARY.md lacks {}",
            name.display()
        );
    }
    for chapter in &chapters {
        for link in links(&documents[chapter]) {
            let Some((file, _)) = target(chapter, &link) else {
                continue;
            };
            // Other files are copied, folder by folder, by scripts/build-book.
            let copied = ["docs", "examples", "benchmarks", "asm/mips"];
            let in_book = match file.extension().is_some_and(|ending| ending == "md") {
                true => known.contains(&file),
                false => copied.iter().any(|folder| file.starts_with(folder)),
            };
            assert!(
                in_book,
                "{} links to {link}, not in the book",
                chapter.display()
            );
        }
    }
    // The first page of the book lies at its top, and so its links are right only if the first
    // chapter does too.
    assert_eq!(chapters[0], Path::new("README.md"));
}

/// mdBook where `make book` looks for it.
fn mdbook() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|folder| folder.join("mdbook"));
    let own = root().join("target/mdbook/bin/mdbook");
    places
        .find(|place| place.is_file())
        .or(Some(own))
        .filter(|place| place.is_file())
}

/// The values of an attribute in a page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let mark = format!(" {name}=\"");
    let parts = page.split(&mark).skip(1);
    parts
        .map(|part| part.split('"').next().expect("a part"))
        .collect::<Vec<_>>()
}

#[test]
fn the_book_is_built_and_its_pages_link_to_each_other() {
    if mdbook().is_none() {
        eprintln!("skipped: mdBook is not installed; `make book` installs it into target/mdbook");
        return;
    }
    let built = Command::new(root().join("scripts/build-book"))
        .output()
        .expect("the script runs");
    let says = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{says}");
    assert!(!says.contains("WARN") && !says.contains("ERROR"), "{says}");
    let book = root().join("target/book");
    let mut followed = 0;
    for chapter in chapters(&documents()) {
        let name = chapter.with_extension("html");
        let page = std::fs::read_to_string(book.join(&name)).expect("a page for each chapter");
        let body = page.split("<main>").nth(1).expect("what the chapter says");
        let body = body.split("</main>").next().expect("its end");
        let linked = [attributes(body, "href"), attributes(body, "src")].concat();
        for link in linked {
            let Some((file, anchor)) = target(&name, &link.replace("&amp;", "&")) else {
                continue;
            };
            let told = format!("{} links to {link}", name.display());
            assert!(
                book.join(&file).is_file(),
                "{told}, and there is no such file"
            );
            if let Some(anchor) = anchor {
                let page = std::fs::read_to_string(book.join(&file)).expect("a page");
                assert!(attributes(&page, "id").contains(&anchor.as_str()), "{told}");
            }
            followed += 1;
        }
    }
    assert!(followed > 200, "only {followed} links found");
}
