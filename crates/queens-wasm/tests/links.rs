//! The links of the documents into the page show what they promise.
//!
//! Chapters link to rooms as `http://127.0.0.1:8428/#watch?n=4&style=bits`, and the document on
//! the page lists links in code, `#try?n=8`. Each is asked here as the page asks it.

use std::path::Path;

use queens_wasm::answer_to;

/// The questions by which the page opens a room.
fn questions(link: &str) -> Vec<String> {
    let (room, values) = link.split_once('?').unwrap_or((link, ""));
    let value = |key: &str| {
        let mut pairs = values.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|pair| pair.0 == key).map(|pair| pair.1)
    };
    let n = value("n").unwrap_or("8");
    let verbs: &[&str] = match room {
        "tour" => &["step"],
        "watch" => &["watch"],
        "try" if value("day").is_some() || value("puzzle").is_some() => &["puzzle"],
        "try" => &["try"],
        "solutions" => &["solutions"],
        "count" => &["race"],
        "colours" => &["colours", "split", "meeting"],
        other => panic!("{link}: there is no room called {other}"),
    };
    let mut asked: Vec<String> = verbs
        .iter()
        .map(|verb| format!("{verb}?{values}"))
        .collect();
    if let Some(beside) = value("beside").filter(|beside| !["first", "all"].contains(beside)) {
        asked.push(format!("watch?n={n}&style={beside}&lane=1"));
    }
    if let Some(seed) = value("puzzle") {
        asked.push(format!("puzzle?n={n}&seed={seed}"));
    }
    if let (Some(number), Some(seed)) = (value("heat"), value("seed")) {
        asked.push(format!("heat?n={number}&number=1&seed={seed}"));
    }
    asked
}

#[test]
fn every_link_of_the_documents_opens_its_room() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join("README.md")];
    let docs = std::fs::read_dir(root.join("docs")).expect("the documents");
    files.extend(docs.map(|entry| entry.expect("a file").path()));
    files.retain(|file| file.extension().is_some_and(|ending| ending == "md"));
    let (mut linked, mut listed) = (0, 0);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a document");
        let mut links = Vec::new();
        for part in text.split("http://127.0.0.1:8428/#").skip(1) {
            links.push(part.split(')').next().expect("a part"));
            linked += 1;
        }
        if file.ends_with("web.md") {
            for part in text.split("`#").skip(1) {
                let link = part.split('`').next().expect("a part");
                // The mark alone, in the section on frames, is no link.
                if !link.is_empty() {
                    links.push(link);
                    listed += 1;
                }
            }
        }
        for link in links {
            for question in questions(link) {
                let answer = answer_to(&question);
                assert!(
                    !answer.starts_with("{\"error\""),
                    "{}: #{link}: {answer}",
                    file.display()
                );
            }
        }
    }
    assert!(
        linked > 15 && listed > 8,
        "{linked} linked, {listed} listed"
    );
}
