//! Ledgers from several places.

use std::path::{Path, PathBuf};
use std::process::Command;

use queens_campaign::row::Row;

use crate::support::*;

/// Two complete copies of one plan that share no row: the first half of the units is
/// dropped from one, the rest from the other.
fn halves(folder: &Folder) -> (PathBuf, PathBuf, u64) {
    let a = folder.campaign(16, "a");
    let b = folder.file("b");
    std::fs::copy(&a, &b).unwrap();
    let units = status(&a)["units"].as_u64().unwrap();
    assert!(units >= 4, "the plan is too coarse for this test");
    let half = units / 2;
    for (file, drop) in [
        (&a, format!("0-{}", half - 1)),
        (&b, format!("{half}-{}", units - 1)),
    ] {
        answer(campaign("run").arg(file));
        answer(campaign("prune").arg(file).arg(drop));
    }
    (a, b, units)
}

fn export(file: &Path, to: &Path) {
    answer(campaign("export").arg(file).arg("--output").arg(to));
}

#[test]
fn two_halves_merged_give_the_whole_count() {
    let folder = Folder::new();
    let (a, b, units) = halves(&folder);
    let text = folder.file("b.ledger");
    export(&b, &text);
    let said = answer(campaign("merge").arg(&a).arg(&text));
    assert!(
        said.ends_with(&format!("{units} of {units} units are done\n")),
        "{said}"
    );
    assert_eq!(total(&a), known(16));
    // A campaign file works as well, and known rows are not taken twice.
    let said = answer(campaign("merge").arg(&b).args([&a, &text]));
    assert!(said.contains(" known already"), "{said}");
    let digest = |file| {
        let text = answer(campaign("result").arg(file).arg("--json"));
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["ledger_digest"].clone()
    };
    assert_eq!(digest(&a), digest(&b));
}

#[test]
fn a_unit_with_two_different_counts_is_an_error_that_names_both() {
    let folder = Folder::new();
    let (a, b, units) = halves(&folder);
    answer(campaign("run").arg(&b));
    // Forge a count in b, with a check value that fits, as a faulty machine would.
    let victim = units - 1;
    let mut ledger =
        queens_campaign::ledger::Campaign::open(&b, queens_campaign::ledger::Access::Write)
            .unwrap();
    let mut row = ledger.row(victim).unwrap().unwrap();
    let right = row.count;
    row.count += 2;
    row.device = "faulty/gpu0".to_owned();
    ledger.replace(&row).unwrap();
    drop(ledger);
    let before = rows(&a);
    let text = folder.file("b.ledger");
    export(&b, &text);
    for other in [&b, &text] {
        let said = refusal(campaign("merge").arg(&a).arg(other));
        assert!(
            said.contains(&format!("unit {victim} has two different counts")),
            "{said}"
        );
        assert!(said.contains(&format!(" {right} by ")), "{said}");
        assert!(
            said.contains(&format!(" {} by faulty/gpu0", right + 2)),
            "{said}"
        );
        // All or nothing: the rows that would have fitted were not added either.
        assert_eq!(rows(&a), before);
    }
}

#[test]
fn an_export_that_was_altered_or_belongs_elsewhere_is_refused() {
    let folder = Folder::new();
    let (a, b, _) = halves(&folder);
    let before = rows(&a);
    let text = folder.file("b.ledger");
    export(&b, &text);
    let good = std::fs::read_to_string(&text).unwrap();
    let line = good
        .lines()
        .find(|l| l.contains("\t") && !l.contains("\t0\t"))
        .unwrap();
    let (first, last) = (good.lines().nth(5).unwrap(), good.lines().last().unwrap());
    let count = line.split('\t').nth(1).unwrap();
    let altered = line.replacen(count, &format!("{count}1"), 1);
    let other_plan = folder.campaign(15, "other");
    answer(campaign("run").arg(&other_plan));
    let exported = folder.file("other.ledger");
    export(&other_plan, &exported);
    for (content, reason) in [
        (good.replace(line, &altered), "does not fit its check value"),
        (
            good.replace("queens ledger 1", "queens ledger 9"),
            "neither an export nor a campaign",
        ),
        (good.replace('\t', " "), "seven columns"),
        (good.replace("plan ", "plot "), "head of the export"),
        (good[..30].to_owned(), "head of the export"),
        (format!("{good}{first}\n"), "in order of units"),
        (format!("{good}{last}\n"), "is there already"),
        (String::new(), "neither an export nor a campaign"),
        (std::fs::read_to_string(&exported).unwrap(), "has the plan"),
    ] {
        std::fs::write(&text, content).unwrap();
        let said = refusal(campaign("merge").arg(&a).arg(&text));
        assert!(said.contains(reason), "{said}");
        assert_eq!(rows(&a), before);
    }
    let said = refusal(campaign("merge").arg(&a).arg(&other_plan));
    assert!(said.contains("has the plan"), "{said}");
}

#[test]
fn a_line_without_an_end_is_refused_before_it_fills_the_memory() {
    let folder = Folder::new();
    let file = folder.campaign(8, "c");
    let said = refusal(campaign("merge").arg(&file).arg("/dev/zero"));
    assert!(said.contains("neither an export nor a campaign"), "{said}");
    let head = answer(campaign("export").arg(&file));
    let long = folder.file("long");
    for line in ["9".repeat(3_000_000), "\u{1b}[2J\t".repeat(400)] {
        std::fs::write(&long, format!("{head}{line}\n")).unwrap();
        let said = refusal(campaign("merge").arg(&file).arg(&long));
        assert!(said.len() < 500 && !said.contains('\u{1b}'), "{said}");
    }
    // Names that would act on a terminal, and seconds that no clock shows.
    let plan = head.lines().nth(3).unwrap().strip_prefix("plan ").unwrap();
    let good = Row::fresh(0, 2, "ada/cpu", "2026-11-16T09:00:00Z".to_owned(), 1.0);
    let (mut painted, mut endless) = (good.clone(), good);
    painted.device = "ada/\u{1b}[2J".to_owned();
    endless.seconds = f64::INFINITY;
    for row in [painted, endless] {
        let mut text = head.clone().into_bytes();
        queens_campaign::exchange::write_row(&mut text, &row, plan).unwrap();
        std::fs::write(&long, text).unwrap();
        let said = refusal(campaign("merge").arg(&file).arg(&long));
        assert!(!said.contains('\u{1b}'), "{said:?}");
        assert_eq!(done(&file), 0);
    }
}

#[test]
fn made_up_recounts_without_end_are_refused() {
    let folder = Folder::new();
    let file = folder.campaign(8, "c");
    let head = answer(campaign("export").arg(&file));
    let plan = head.lines().nth(3).unwrap().strip_prefix("plan ").unwrap();
    let mut text = head.clone().into_bytes();
    for number in 0..=1_000 {
        let device = format!("ada{number}/cpu");
        let row = Row::fresh(0, 2, &device, "2026-11-16T09:00:00Z".to_owned(), 1.0);
        queens_campaign::exchange::write_row(&mut text, &row, plan).unwrap();
    }
    let many = folder.file("many");
    std::fs::write(&many, text).unwrap();
    let said = refusal(campaign("merge").arg(&file).arg(&many));
    assert!(said.contains("more than 1000 rows of unit 0"), "{said}");
    assert_eq!(done(&file), 0);
}

#[test]
fn an_export_into_a_closed_pipe_ends_quietly_and_a_full_disk_is_an_error() {
    let folder = Folder::new();
    let file = folder.campaign(14, "c");
    answer(campaign("run").arg(&file));
    let program = env!("CARGO_BIN_EXE_queens");
    let script = format!(
        "'{program}' campaign export '{}' | head -n 1",
        file.display()
    );
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(stdout(&output), "queens ledger 1\n");
    assert_eq!(stderr(&output), "");
    let said = refusal(
        campaign("export")
            .arg(&file)
            .args(["--output", "/dev/full"]),
    );
    assert!(said.contains("cannot write /dev/full"), "{said}");
}
