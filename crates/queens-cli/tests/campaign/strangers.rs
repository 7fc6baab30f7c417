//! Files of strangers: whatever somebody wrote into a campaign file, no command vouches for a
//! wrong number.
//!
//! Each test forges a file as somebody with the sqlite3 shell, this source code and patience
//! could, digests and check values included.

use std::path::{Path, PathBuf};
use std::process::Command;

use queens_campaign::ledger::{Access, Campaign};
use queens_campaign::plan::PlanDigest;
use queens_campaign::row::{Row, digest};

use crate::support::*;

/// Changes the file behind the program's back.
#[track_caller]
pub fn sqlite(file: &Path, sql: &str) {
    answer(Command::new("sqlite3").arg(file).arg(sql));
}

fn complete(folder: &Folder, n: u32) -> PathBuf {
    let file = folder.campaign(n, &format!("c{n}"));
    answer(campaign("run").arg(&file));
    file
}

/// The verbs that vouch for a file, or count on what it says.
fn vouching(file: &Path) -> Vec<Command> {
    ["result", "verify", "run", "merge"]
        .into_iter()
        .map(|verb| {
            let mut command = campaign(verb);
            command.arg(file);
            if verb == "merge" {
                command.arg(file);
            }
            command
        })
        .collect()
}

#[track_caller]
fn nobody_vouches(file: &Path, reason: &str) {
    for mut command in vouching(file) {
        let said = refusal(&mut command);
        assert!(said.contains(reason), "{command:?} said {said}");
    }
}

#[test]
fn half_a_plan_with_digests_that_fit_gives_no_count() {
    let folder = Folder::new();
    let whole = folder.campaign(16, "whole");
    // An identifier as earlier versions wrote them, which nothing is derived from.
    let file = folder.file("half");
    std::fs::copy(&whole, &file).unwrap();
    let units = status(&whole)["units"].as_u64().unwrap() / 2;
    sqlite(&file, &format!("DELETE FROM plan WHERE unit >= {units}"));
    let plan = answer(
        Command::new("sqlite3")
            .args(["-separator", " "])
            .arg(&file)
            .arg("SELECT unit, first, last, cost FROM plan ORDER BY unit"),
    );
    let mut digest = PlanDigest::new(16, "two-colour/4");
    let (mut engine_units, mut cost) = (0, 0);
    for line in plan.lines() {
        let numbers: Vec<u64> = line.split(' ').map(|x| x.parse().unwrap()).collect();
        digest.add(numbers[0], numbers[1], numbers[2]);
        engine_units = numbers[2] + 1;
        cost += numbers[3];
    }
    let digest = digest.finish();
    sqlite(
        &file,
        &format!(
            "UPDATE campaign SET id = 'n16-0123abcd', units = {units}, cost = {cost},
                 engine_units = {engine_units}, plan_digest = '{digest}'"
        ),
    );
    nobody_vouches(&file, "does not cover the units of 16 queens");
}

#[test]
fn a_foreign_trigger_view_index_or_table_is_named_and_nothing_is_written() {
    let folder = Folder::new();
    let whole = complete(&folder, 12);
    for (number, (sql, name)) in [
        (
            "CREATE TRIGGER swap AFTER INSERT ON ledger BEGIN
                 UPDATE recount SET count = count + 1; END",
            "a trigger swap",
        ),
        ("CREATE VIEW half AS SELECT * FROM ledger", "a view half"),
        ("CREATE INDEX fast ON ledger (count)", "an index fast"),
        ("CREATE TABLE extra (x)", "a table extra"),
        ("DROP TRIGGER ledger_update", "no trigger ledger_update"),
        ("DROP INDEX recount_unit", "no index recount_unit"),
        (
            "DROP TRIGGER ledger_delete;
             CREATE TRIGGER ledger_delete AFTER DELETE ON ledger BEGIN SELECT 1; END",
            "a trigger ledger_delete",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.file(&format!("f{number}"));
        std::fs::copy(&whole, &file).unwrap();
        sqlite(&file, sql);
        let before = std::fs::read(&file).unwrap();
        nobody_vouches(&file, name);
        for verb in ["status", "export"] {
            assert!(refusal(campaign(verb).arg(&file)).contains(name));
        }
        let said = refusal(campaign("prune").arg(&file).arg("0"));
        assert!(said.contains(name), "{said}");
        assert_eq!(std::fs::read(&file).unwrap(), before);
    }
}

#[test]
fn a_ledger_rebuilt_without_its_key_is_refused() {
    let folder = Folder::new();
    let file = complete(&folder, 12);
    // Unit 1 twice and unit 0 not at all: still as many rows as units.
    sqlite(
        &file,
        "DROP TRIGGER ledger_update; DROP TRIGGER ledger_insert; DROP TRIGGER ledger_delete;
         ALTER TABLE ledger RENAME TO old;
         CREATE TABLE ledger (unit INTEGER, count INTEGER NOT NULL, check_value TEXT NOT NULL,
             device TEXT NOT NULL, program TEXT NOT NULL, started TEXT NOT NULL,
             seconds REAL NOT NULL) STRICT;
         INSERT INTO ledger SELECT * FROM old WHERE unit > 0;
         INSERT INTO ledger SELECT * FROM old WHERE unit = 1;
         DROP TABLE old;",
    );
    nobody_vouches(&file, "a table ledger");
}

#[test]
fn a_dispute_that_was_painted_over_is_still_a_dispute() {
    let folder = Folder::new();
    let file = complete(&folder, 14);
    {
        let mut campaign = Campaign::open(&file, Access::Write).unwrap();
        let mut row = campaign.row(3).unwrap().unwrap();
        row.count += 2;
        row.device = "ada/gpu0".to_owned();
        assert!(!campaign.record_recount(&row).unwrap());
    }
    sqlite(&file, "UPDATE recount SET agrees = 1");
    let now = status(&file);
    assert_eq!(now["recounts"]["disputed_units"].as_u64(), Some(1), "{now}");
    assert_eq!(now["recounts"]["agree"].as_u64(), Some(0), "{now}");
    nobody_vouches(&file, "unit 3 was counted twice");
}

#[test]
fn an_altered_recount_is_noticed_and_can_be_dropped() {
    let folder = Folder::new();
    let file = complete(&folder, 14);
    answer(campaign("verify").arg(&file).args(["--share", "100%"]));
    let whole = folder.file("whole");
    std::fs::copy(&file, &whole).unwrap();
    for sql in [
        "UPDATE recount SET device = 'ada/gpu0' WHERE unit = 3",
        "UPDATE recount SET agrees = 0 WHERE unit = 3",
        "UPDATE recount SET unit = 4 WHERE unit = 3",
        "UPDATE recount SET check_value = 'x' WHERE unit = 3",
    ] {
        std::fs::copy(&whole, &file).unwrap();
        sqlite(&file, sql);
        let said = refusal(campaign("result").arg(&file));
        assert!(said.contains("recount of unit"), "{sql}: {said}");
        answer(campaign("prune").arg(&file).arg("--damaged"));
        assert_eq!(total(&file), known(14), "{sql}");
    }
}

#[test]
fn recounts_by_what_counted_the_unit_do_not_enter_the_bound() {
    let folder = Folder::new();
    let file = complete(&folder, 14);
    {
        let mut campaign = Campaign::open(&file, Access::Write).unwrap();
        for unit in 0..3 {
            let mut row = campaign.row(unit).unwrap().unwrap();
            row.started = "2026-11-16T12:00:00Z".to_owned();
            campaign.record_recount(&row).unwrap();
            // The same machine and code under the name of a worker.
            row.device = format!("ada@{}", row.device);
            campaign.record_recount(&row).unwrap();
        }
    }
    let result = answer(campaign("result").arg(&file));
    assert!(result.contains("recounts       none"), "{result}");
    let sum: u64 = status(&file)["recounts"]["agree"].as_u64().unwrap();
    assert_eq!(sum, 6);
}

/// Adds a wrong count to a complete campaign, and for every unit agreeing recounts by all the
/// code there is, as whoever has this source code can.
fn forge_recounts(file: &Path, wrong: usize) {
    let (plan, mut rows) = {
        let campaign = Campaign::open(file, Access::Read).unwrap();
        let rows = (0..campaign.info().units).map(|unit| campaign.row(unit).unwrap().unwrap());
        (
            campaign.info().plan_digest.clone(),
            rows.collect::<Vec<_>>(),
        )
    };
    rows[wrong].count += 8;
    // Both tables have the same columns, but a recount also says whether it agrees.
    let values = |row: &Row, agrees: &str| {
        let check = row.check_value(&plan);
        let (unit, count, device, program) = (row.unit, row.count, &row.device, &row.program);
        format!(
            "({unit}, {count}, {agrees}'{check}', '{device}', '{program}', '{}', {})",
            row.started, row.seconds
        )
    };
    let mut sql = format!(
        "DELETE FROM ledger WHERE unit = {wrong}; INSERT INTO ledger VALUES {};",
        values(&rows[wrong], "")
    );
    for row in &mut rows {
        for code in [
            "backtracking",
            "cpu-avx512",
            "cpu-avx2",
            "cpu-neon",
            "cpu-portable",
        ] {
            row.device = format!("mallory/{code}");
            sql += &format!("INSERT INTO recount VALUES {};", values(row, "1, "));
        }
    }
    sqlite(file, &sql);
}

#[test]
fn recounts_that_a_stranger_made_up_keep_nobody_from_counting_again() {
    let folder = Folder::new();
    let file = complete(&folder, 14);
    forge_recounts(&file, 1);
    let said = refusal(campaign("result").arg(&file));
    assert!(
        said.contains("add up to 365604, but 14 queens have 365596 solutions"),
        "{said}"
    );
    let mut verify = campaign("verify");
    let output = verify
        .arg(&file)
        .args(["--share", "100%"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).starts_with("unit 1 differs: "),
        "{}",
        stdout(&output)
    );
}

#[test]
fn facts_that_do_not_fit_the_identifier_are_noticed_at_once() {
    let folder = Folder::new();
    let whole = complete(&folder, 12);
    for (number, sql) in [
        "UPDATE campaign SET id = 'n12-00000000-00000000'",
        "UPDATE campaign SET created = '2020-01-01T00:00:00Z'",
        "UPDATE campaign SET program = 'queens 7'",
        "UPDATE campaign SET cost = cost + 1",
        "UPDATE campaign SET n = 13",
        "UPDATE campaign SET units = units + 1",
        "UPDATE campaign SET units = 4611686018427387904",
        "INSERT INTO campaign SELECT * FROM campaign",
        "DELETE FROM campaign",
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.file(&format!("f{number}"));
        std::fs::copy(&whole, &file).unwrap();
        sqlite(&file, sql);
        let said = refusal(campaign("status").arg(&file));
        assert!(said.contains("is damaged"), "{sql}: {said}");
    }
}

#[test]
fn rows_of_units_that_the_plan_has_not_are_refused_and_can_be_dropped() {
    let folder = Folder::new();
    let whole = complete(&folder, 12);
    let plan = Campaign::open(&whole, Access::Read)
        .unwrap()
        .info()
        .plan_digest
        .clone();
    let units = status(&whole)["units"].as_i64().unwrap();
    for (number, unit) in [units, i64::MAX, -1].into_iter().enumerate() {
        for (table, column, value) in [("ledger", "", ""), ("recount", ", agrees", ", 1")] {
            let file = folder.file(&format!("{table}{number}"));
            std::fs::copy(&whole, &file).unwrap();
            // With a check value that fits.
            let text = format!(
                "queens row {plan} {unit} 7 ada/cpu|queens 0.1.0|2026-11-16T12:00:00Z|1.000000"
            );
            let check = &digest(&text)[..32];
            sqlite(
                &file,
                &format!(
                    "INSERT INTO {table}
                         (unit, count, check_value, device, program, started, seconds{column})
                     VALUES ({unit}, 7, '{check}', 'ada/cpu', 'queens 0.1.0',
                         '2026-11-16T12:00:00Z', 1.0{value})"
                ),
            );
            nobody_vouches(&file, &format!("unit {unit}"));
            answer(campaign("prune").arg(&file).arg("--damaged"));
            assert_eq!(total(&file), known(12), "{table} {unit}");
        }
    }
}

#[test]
fn processes_that_never_were_hold_nobody_up() {
    let folder = Folder::new();
    let whole = folder.campaign(12, "c12");
    for (number, process) in [
        "'here', 'b', 'n', -1, -1, 'run', -5, -5, -9, -9",
        "CAST(x'ff' AS TEXT), 'b', 'n', 1, 1, 'run', 1, unixepoch(), 0, 0",
        "'here', 'b', 'n', 1, 1, 'run', 1, 9223372036854775807, 0, 0",
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.file(&format!("f{number}"));
        std::fs::copy(&whole, &file).unwrap();
        sqlite(
            &file,
            &format!("INSERT INTO process VALUES (1, {process}); INSERT INTO claim VALUES (0, 1)"),
        );
        let now = status(&file);
        assert_eq!(now["processes"].as_array().map(Vec::len), Some(0), "{now}");
        answer(campaign("run").arg(&file));
        assert_eq!(total(&file), known(12), "{process}");
    }
}

#[test]
fn costs_that_the_engine_does_not_expect_are_refused() {
    let folder = Folder::new();
    let file = complete(&folder, 12);
    // The sum stays, so that only the units themselves show it.
    sqlite(
        &file,
        "UPDATE plan SET cost = cost - 1000 WHERE unit = 0;
         UPDATE plan SET cost = cost + 1000 WHERE unit = 1",
    );
    nobody_vouches(&file, "costs");
}

#[test]
fn a_file_with_another_engines_units_has_no_result_here() {
    let folder = Folder::new();
    let file = complete(&folder, 8);
    sqlite(
        &file,
        "UPDATE campaign SET id = 'n8-0123abcd', algorithm = 'magic/7'",
    );
    nobody_vouches(&file, "planned for the algorithm magic/7");
}

#[test]
fn a_file_of_an_earlier_version_is_as_good_as_ever() {
    let folder = Folder::new();
    let file = folder.campaign(14, "c");
    // Its identifier has no check, and its comments were worded differently.
    sqlite(
        &file,
        "UPDATE campaign SET id = 'n14-0123abcd';
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, '-- ', '-- as of old: ')",
    );
    answer(campaign("run").arg(&file));
    answer(campaign("verify").arg(&file));
    assert_eq!(total(&file), known(14));
}

#[test]
fn a_file_that_the_first_version_made_is_counted_to_its_end() {
    let folder = Folder::new();
    let file = folder.file("first");
    // Made by the program of 7bec50a: 13 of 17 units of 16 queens, three of them verified.
    let packed = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/first-version.campaign.xz"
    );
    let unpacked = Command::new("xz").args(["-dc", packed]).output().unwrap();
    assert!(unpacked.status.success(), "{}", stderr(&unpacked));
    std::fs::write(&file, unpacked.stdout).unwrap();
    assert_eq!(
        (done(&file), status(&file)["missing"].as_u64()),
        (13, Some(4))
    );
    let run = answer(campaign("run").arg(&file));
    assert!(run.contains("3 units counted again and all agree"), "{run}");
    assert!(run.contains("at most 64 % of the units"), "{run}");
    answer(campaign("verify").arg(&file).args(["--share", "100%"]));
    let result = answer(campaign("result").arg(&file));
    assert!(result.contains("no unit is left unchecked"), "{result}");
    assert_eq!(total(&file), known(16));
}

/// What a file says of itself, as far as somebody could rely on it.
fn testimony(file: &Path) -> Option<String> {
    let campaign = Campaign::open(file, Access::Read).ok()?;
    let audit = campaign.result().ok()?;
    let recounted = campaign.recounted().ok()?;
    Some(format!("{:?} {audit:?} {recounted:?}", campaign.info()))
}

#[test]
fn a_flipped_bit_is_noticed_or_changes_nothing() {
    let folder = Folder::new();
    let file = complete(&folder, 10);
    answer(campaign("verify").arg(&file).args(["--share", "100%"]));
    let whole = std::fs::read(&file).unwrap();
    let truth = testimony(&file).unwrap();
    // The file differs from run to run, so each run flips other bits, but always the same number.
    let (mut noticed, mut harmless) = (0, 0);
    let mut bit = 0;
    while bit < 8 * whole.len() {
        let (at, mask) = (bit / 8, 1 << (bit % 8));
        // Most of a page is empty; a flip there is harmless, and enough of them are tried.
        let empty = whole[at.saturating_sub(8)..(at + 8).min(whole.len())]
            .iter()
            .all(|&byte| byte == 0);
        bit += if empty { 10_007 } else { 7 };
        let mut bytes = whole.clone();
        bytes[at] ^= mask;
        std::fs::write(&file, &bytes).unwrap();
        match testimony(&file) {
            None => noticed += 1,
            Some(said) => {
                assert_eq!(said, truth, "bit {mask} of byte {at}");
                harmless += 1;
            }
        }
    }
    println!("{noticed} flips noticed, {harmless} without effect");
    assert!(noticed > 1_000 && harmless > 100);
}

#[test]
fn the_file_can_be_read_and_checked_with_other_tools_alone() {
    let folder = Folder::new();
    let file = folder.campaign(13, "c");
    answer(campaign("run").arg(&file));
    let sqlite = |sql: &str| {
        let text = answer(Command::new("sqlite3").arg(&file).arg(sql));
        text.trim_end().to_owned()
    };
    assert_eq!(sqlite("SELECT sum(count) FROM ledger"), "73712");
    assert_eq!(sqlite("PRAGMA user_version"), "1");
    // The digest and a check value, as docs/campaigns.md tells a stranger to do it.
    let sha256 = |text: &str| {
        let script = "printf '%s' \"$1\" | sha256sum | cut -d' ' -f1";
        let digest = answer(Command::new("sh").args(["-c", script, "sh", text]));
        digest.trim_end().to_owned()
    };
    let ledger = sqlite(
        "SELECT plan_digest FROM campaign; SELECT unit || ' ' || count FROM ledger ORDER BY unit",
    );
    let result = answer(campaign("result").arg(&file));
    assert!(result.contains(&sha256(&format!("{ledger}\n"))), "{result}");
    let line = sqlite(
        "SELECT 'queens row ' || plan_digest || ' ' || unit || ' ' || count || ' ' || device || '|'
         || ledger.program || '|' || started || '|' || printf('%.6f', seconds)
         FROM ledger, campaign WHERE unit = 3",
    );
    let check = sqlite("SELECT check_value FROM ledger WHERE unit = 3");
    assert_eq!(sha256(&line)[..32], check);
}
