//! Long counts kept as records: one file per slice of work, merged by `scripts/slice`.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::*;

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A script of the repository, with the program under test.
fn script(name: &str) -> Command {
    let mut command = Command::new(repository().join("scripts").join(name));
    command
        .env("QUEENS", env!("CARGO_BIN_EXE_queens"))
        .stdin(Stdio::null());
    command
}

/// A folder for the records of a count, with nothing counted yet.
fn records(folder: &Folder, n: u32) -> PathBuf {
    let records = folder.file("records");
    std::fs::create_dir(&records).unwrap();
    let empty = folder.campaign(n, "empty");
    let plan = answer(campaign("export").arg(&empty));
    assert_eq!(plan.lines().count(), 5, "{plan}");
    std::fs::write(records.join("plan"), plan).unwrap();
    records
}

fn files(records: &Path, kind: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(records)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(&format!(".{kind}.xz")))
        .collect();
    files.sort();
    files
}

/// Does a slice and returns what it says.
#[track_caller]
fn slice(records: &Path) -> String {
    answer(
        script("slice")
            .args(["--for", "1m", "--device", "cpu", "--recount", "1"])
            .arg(records),
    )
}

/// Adds what an earlier slice counted somewhere else: the first units, as many as `share` says
/// of all. Returns how many units there are in all.
fn earlier_slice(folder: &Folder, records: &Path, n: u32, share: fn(u64) -> u64) -> u64 {
    let earlier = folder.campaign(n, "earlier");
    answer(campaign("run").arg(&earlier));
    let units = status(&earlier)["units"].as_u64().unwrap();
    let others = format!("{}-{}", share(units), units - 1);
    answer(campaign("prune").arg(&earlier).arg(others));
    let text = answer(campaign("export").arg(&earlier));
    pack(&text, &records.join("20260101T000000Z.ledger.xz"));
    units
}

/// Merges the records into a new campaign file.
#[track_caller]
fn merged(folder: &Folder, records: &Path, name: &str) -> PathBuf {
    let file = folder.file(name);
    answer(script("slice").arg("--merge").arg(&file).arg(records));
    file
}

/// One line on standard error, and nothing else.
#[track_caller]
fn script_refusal(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(stdout(&output), "");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

#[test]
fn slices_add_up_to_the_count() {
    let folder = Folder::new();
    let records = records(&folder, 15);
    let units = earlier_slice(&folder, &records, 15, |units| units / 2);

    let said = slice(&records);
    assert!(
        said.contains(&format!("{units} of {units} units")),
        "{said}"
    );
    assert_eq!(files(&records, "ledger").len(), 2);
    let whole = merged(&folder, &records, "whole");
    assert_eq!(total(&whole), known(15));
    let recounts = status(&whole)["recounts"]["agree"].as_u64().unwrap();
    assert!(recounts >= units / 2, "what was there is counted again");

    // Only new rows are in the second ledger, and a slice with nothing to do adds none.
    let new = unpack(&files(&records, "ledger")[1]);
    assert_eq!(new.lines().count() as u64, 5 + units - units / 2);
    slice(&records);
    assert_eq!(files(&records, "ledger").len(), 2);
    let again = merged(&folder, &records, "again");
    assert_eq!(total(&again), known(15));
}

#[test]
fn a_slice_can_count_again_and_nothing_else() {
    let folder = Folder::new();
    let records = records(&folder, 13);
    let units = earlier_slice(&folder, &records, 13, |units| units - 1);

    let only_again = || {
        let mut command = script("slice");
        command
            .args(["--for", "1m", "--device", "none"])
            .arg(&records);
        command
    };
    let said = script_refusal(&mut only_again());
    assert!(said.contains("--recount says"), "{said}");
    answer(only_again().args(["--recount", "1"]));
    assert_eq!(files(&records, "ledger").len(), 1);
    let whole = merged(&folder, &records, "whole");
    assert_eq!(status(&whole)["done"], units - 1);
    assert_eq!(status(&whole)["recounts"]["agree"], units - 1);

    // A user can choose the units and the method.
    let chosen = |units: &str, method: &str| {
        let mut command = only_again();
        command.args(["--recount", "1", "--units", units, "--with", method]);
        command
    };
    std::thread::sleep(std::time::Duration::from_secs(1));
    answer(&mut chosen("0-1 3", "two-colour-plain"));
    let rows = unpack(&files(&records, "recounts")[1]);
    let rows: Vec<&str> = rows.lines().skip(5).collect();
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(rows.iter().all(|row| row.contains("/two-colour-plain\t")));
    let said = script_refusal(&mut chosen("first", "portable"));
    assert!(said.contains("numbers and ranges"), "{said}");
    // If the recount is refused, the records stay as they are.
    let output = chosen(&(units - 1).to_string(), "portable")
        .output()
        .unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("is not counted yet"), "{said}");
    assert!(said.contains("recount ended with exit code 2"), "{said}");
    assert_eq!(files(&records, "recounts").len(), 2);
}

#[test]
fn a_slice_counts_the_units_it_is_told_to_and_others_beside() {
    let folder = Folder::new();
    let records = records(&folder, 15);
    let slice = |device: &str| {
        let mut command = script("slice");
        command
            .args(["--for", "1m", "--device", device])
            .args(["--count", "0-1 3", "--beside", "5-6", "--cores", "1"])
            .arg(&records);
        command
    };
    answer(&mut slice("cpu"));
    let [ledger] = &files(&records, "ledger")[..] else {
        panic!("one file of rows");
    };
    assert_eq!(units_in(&unpack(ledger)), [0, 1, 3, 5, 6]);
    let said = script_refusal(&mut slice("none"));
    assert!(said.contains("nothing is counted"), "{said}");
    let said = script_refusal(slice("gpu").arg("--sweep=2"));
    assert!(said.contains("--beside is for single units"), "{said}");
    let said = script_refusal(slice("cpu").args(["--count", "few"]));
    assert!(said.contains("--count takes numbers and ranges"), "{said}");
    // A unit that does not exist ends the whole slice.
    let output = slice("cpu")
        .args(["--count", "0", "--beside", "999999999"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no unit 999999999"));
}

/// Adds a file with what somebody counted of a long count in a second.
fn somebodys_ledger(folder: &Folder, records: &Path, n: u32, name: &str) -> Vec<u64> {
    let theirs = folder.campaign(n, "theirs");
    let output = campaign("run")
        .arg(&theirs)
        .args(["--device", "cpu", "--for", "1s"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = answer(campaign("export").arg(&theirs));
    pack(&text, &records.join(name));
    units_in(&text)
}

/// The units in the text of a ledger.
fn units_in(text: &str) -> Vec<u64> {
    let rows = text.lines().skip(5);
    rows.map(|row| row.split('\t').next().unwrap().parse().unwrap())
        .collect()
}

/// The program under test behind a script, which does something else for some calls.
fn pretender(folder: &Folder, instead: &str) -> PathBuf {
    let real = env!("CARGO_BIN_EXE_queens");
    let text = format!("case \"$*\" in\n{instead}\nesac\nexec {real} \"$@\"\n");
    shell_script(folder, "pretender", &text)
}

/// A script of the shell that can be executed.
fn shell_script(folder: &Folder, name: &str, text: &str) -> PathBuf {
    let path = folder.file(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_slice_that_is_stopped_adds_what_was_counted() {
    let folder = Folder::new();
    let records = records(&folder, 22);
    // A ledger may have any name; its rows are known all the same.
    let known = somebodys_ledger(&folder, &records, 22, "ada.ledger.xz");
    let scratch = folder.file("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let mut command = script("slice");
    command
        .args(["--for", "1h", "--device", "cpu", "--recount", "1"])
        .arg(&records)
        .env("TMPDIR", &scratch);
    let slice = start(&mut command);
    let campaign = || {
        let work = std::fs::read_dir(&scratch).unwrap().next()?.unwrap();
        Some(work.path().join("campaign")).filter(|file| file.exists())
    };
    wait_until("merged", || campaign().is_some());
    let file = campaign().unwrap();
    wait_for_rows(&file, known.len() as u64 + 1);
    signal(&slice, "TERM");
    let output = slice.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("stopped; what was counted is kept"), "{said}");
    let added = units_in(&unpack(&files(&records, "ledger")[0]));
    assert!(!added.is_empty());
    assert!(added.iter().all(|unit| !known.contains(unit)), "{added:?}");
    let whole = merged(&folder, &records, "whole");
    assert_eq!(done(&whole), (known.len() + added.len()) as u64);
    // Nothing is left behind.
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
}

#[test]
fn a_slice_that_is_killed_has_added_what_it_saved() {
    let folder = Folder::new();
    let records = records(&folder, 22);
    let known = somebodys_ledger(&folder, &records, 22, "ada.ledger.xz");
    let mut command = script("slice");
    command
        .args(["--for", "1h", "--device", "cpu", "--save", "1"])
        .arg(&records)
        .process_group(0);
    let mut slice = start(&mut command);
    // The slice saves again and again, in one file.
    let mut seen = Vec::new();
    wait_until("saved twice", || {
        let saved = files(&records, "ledger").into_iter().next();
        let saved = saved.filter(|file| !file.ends_with("ada.ledger.xz"));
        let size = saved.and_then(|file| std::fs::metadata(file).ok()?.len().into());
        seen.extend(size.filter(|size| seen.last() != Some(size)));
        seen.len() >= 2
    });
    // The whole group, as the end of a batch job would.
    answer(Command::new("kill").args(["-KILL", "--", &format!("-{}", slice.id())]));
    slice.wait().unwrap();
    let ledgers = files(&records, "ledger");
    assert_eq!(ledgers.len(), 2);
    let saved = units_in(&unpack(&ledgers[0]));
    assert!(!saved.is_empty());
    assert!(saved.iter().all(|unit| !known.contains(unit)), "{saved:?}");
    let whole = merged(&folder, &records, "whole");
    assert_eq!(done(&whole), (known.len() + saved.len()) as u64);
}

#[test]
fn what_was_saved_is_taken_back_where_a_recount_differs() {
    let folder = Folder::new();
    let records = records(&folder, 22);
    let known = somebodys_ledger(&folder, &records, 22, "20260101T000000Z.ledger.xz");
    let saved = folder.file("saved");
    // The recount finds a difference, but only when something has been saved; the signal that then
    // ends the count comes too late for it.
    let instead = format!(
        "'campaign verify'*) trap '' TERM; until ls {0} | grep -v ^20260101 | grep ledger; do sleep 0.05; done >{1}; exit 1 ;;",
        records.display(),
        saved.display()
    );
    let mut command = script("slice");
    command
        .args([
            "--for",
            "20s",
            "--device",
            "cpu",
            "--recount",
            "1",
            "--save",
            "1",
        ])
        .args(["--units", &known[0].to_string()])
        .arg(&records)
        .env("QUEENS", pretender(&folder, &instead));
    let slice = start(&mut command);
    wait_until("saved", || {
        saved.metadata().is_ok_and(|file| file.len() > 0)
    });
    signal(&slice, "TERM");
    let output = slice.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("a recount differs; nothing was added"),
        "{said}"
    );
    assert_eq!(files(&records, "ledger").len(), 1);
    assert_eq!(files(&records, "recounts").len(), 0);
}

#[test]
fn a_slice_that_fails_leaves_nobody_counting() {
    let folder = Folder::new();
    let records = records(&folder, 22);
    let known = somebodys_ledger(&folder, &records, 22, "20260101T000000Z.ledger.xz");
    let number = folder.file("number");
    // The recount is slow, and the count fails once the recount has begun.
    let instead = format!(
        "'campaign verify'*) echo $$ >{0} ;;\n\
         'campaign run'*) while [ ! -s {0} ]; do sleep 0.01; done; exit 9 ;;",
        number.display()
    );
    let output = script("slice")
        .args(["--for", "1h", "--recount", "1", "--with", "backtracking"])
        .args(["--units", &known[0].to_string()])
        .arg(&records)
        .env("QUEENS", pretender(&folder, &instead))
        .output()
        .unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("counting failed with exit code 9"), "{said}");
    let number = std::fs::read_to_string(number).unwrap();
    assert!(!Path::new("/proc").join(number.trim()).exists());
}

#[test]
fn rows_that_were_not_checked_are_never_in_the_folder() {
    let folder = Folder::new();
    let records = records(&folder, 13);
    earlier_slice(&folder, &records, 13, |units| units - 1);
    let seen = folder.file("seen");
    // Notes what the folder holds when the new rows are checked, and says that they do not fit.
    let instead = format!(
        "'campaign merge '*/check\\ *) ls -A {} >{}; exit 2 ;;",
        records.display(),
        seen.display()
    );
    let output = script("slice")
        .args(["--for", "1m", "--device", "cpu"])
        .arg(&records)
        .env("QUEENS", pretender(&folder, &instead))
        .output()
        .unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no campaign could be made of them"), "{said}");
    let before = "20260101T000000Z.ledger.xz\nplan\n";
    assert_eq!(std::fs::read_to_string(seen).unwrap(), before);
    let after = answer(Command::new("ls").arg("-A").arg(&records));
    assert_eq!(after, before);
}

#[test]
fn slices_that_begin_in_the_same_second_keep_their_rows() {
    let folder = Folder::new();
    let records = records(&folder, 18);
    // A clock that stands still.
    shell_script(&folder, "date", "echo 20260101T000000Z\n");
    let path = format!(
        "{}:{}",
        folder.path().display(),
        std::env::var("PATH").unwrap()
    );
    for units in ["0-20", "21-40"] {
        let mut slice = script("slice");
        slice.args(["--for", "1m", "--device", "cpu", "--count", units]);
        answer(slice.arg(&records).env("PATH", &path));
    }
    assert_eq!(status(&merged(&folder, &records, "whole"))["done"], 41);
}

#[test]
fn what_cannot_be_added_to_the_records_stays() {
    let folder = Folder::new();
    let records = records(&folder, 13);
    let instead = "'campaign merge '*/check\\ *) exit 2 ;;";
    earlier_slice(&folder, &records, 13, |units| units - 1);
    let mut slice = script("slice");
    slice
        .args(["--for", "1m", "--device", "cpu"])
        .arg(&records)
        .env("TMPDIR", folder.path())
        .env("QUEENS", pretender(&folder, instead));
    let output = slice.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    let (_, rest) = said
        .split_once("everything that was counted is in ")
        .unwrap();
    let (file, _) = rest.split_once("; queens campaign export").unwrap();
    let kept = status(Path::new(file));
    assert_eq!(kept["done"], kept["units"]);
}

#[test]
fn a_document_says_what_the_records_say() {
    let folder = Folder::new();
    let records = records(&folder, 13);
    let units = earlier_slice(&folder, &records, 13, |units| units - 1);
    let whole = merged(&folder, &records, "whole");
    answer(
        campaign("verify")
            .arg(&whole)
            .args(["0", "--with", "portable"]),
    );
    let recounts = answer(campaign("export").arg(&whole).arg("--recounts"));
    pack(&recounts, &records.join("20260102T000000Z.recounts.xz"));

    let document = folder.file("page.md");
    let name = records.canonicalize().unwrap();
    let name = name.display();
    let text = |status: &str, checks: &str| {
        format!(
            "Before.\n<!-- status of {name} -->\n{status}<!-- end of status -->\nBetween.\n\
             <!-- checks of {name} -->\n{checks}<!-- end of checks -->\nAfter.\n"
        )
    };
    std::fs::write(&document, text("old\n", "old\nolder\n")).unwrap();
    let run = |verb: &str| {
        let mut command = script("record-status");
        command.arg(verb).arg(&document).arg(&records);
        command
    };
    let output = run("--check").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("does not say what the records say"));
    let said = script_refusal(run("--check").arg("--write").arg(&document));
    assert!(said.contains("either --write or --check"), "{said}");
    answer(&mut run("--write"));
    answer(&mut run("--check"));
    let written = std::fs::read_to_string(&document).unwrap();
    let sentence = written.lines().nth(2).unwrap();
    let done = units - 1;
    assert!(sentence.starts_with(&format!("{done} of {units} units are counted, ")));
    let rest = " % of the work; 1 was counted again by other means, and 0 differ (2026-01-01).";
    assert!(sentence.ends_with(rest), "{sentence}");
    let begin = written.find("| black queens").expect("a table");
    let end = written.find("<!-- end of checks").unwrap();
    assert_eq!(
        written,
        text(&format!("{sentence}\n"), &written[begin..end])
    );
    assert!(written.contains(" on another day | by cpu-portable |\n|---"));
    assert!(
        written.contains("\n0 of 1 slices have units that were counted again on another day.\n")
    );
}

#[test]
fn scripts_of_records_say_in_one_line_what_they_do_not_understand() {
    let folder = Folder::new();
    let empty = folder.path();
    for name in ["slice", "record-status"] {
        let help = answer(script(name).arg("--help"));
        assert!(help.contains(&format!("scripts/{name} [")), "{help}");
        assert!(!help.contains("set -eu"), "{help}");
        let said = script_refusal(script(name).arg("--helpless"));
        assert!(said.contains("there is no option --helpless"), "{said}");
        let said = script_refusal(script(name).args(["records", "records"]));
        assert!(said.contains("one folder is enough"), "{said}");
        let said = script_refusal(script(name).arg(empty));
        assert!(said.contains("holds no records"), "{said}");
        let said = script_refusal(script(name).arg(empty.join("nowhere")));
        assert!(said.contains("holds no records"), "{said}");
    }
}

#[test]
fn a_slice_tells_the_documents_wherever_it_is_started() {
    let folder = Folder::new();
    let records = records(&folder, 12);
    let name = records.canonicalize().unwrap();
    let readme = records.join("README.md");
    let text = format!(
        "<!-- status of {} -->\nold\n<!-- end of status -->\n",
        name.display()
    );
    std::fs::write(&readme, text).unwrap();
    answer(
        script("slice")
            .args(["--for", "1m", "--device", "cpu", "records"])
            .current_dir(records.parent().unwrap()),
    );
    let written = std::fs::read_to_string(&readme).unwrap();
    assert!(
        written.contains("units are counted, 100.00 % of the work"),
        "{written}"
    );
}

#[test]
fn what_does_not_fit_the_records_is_refused_and_changes_nothing() {
    let folder = Folder::new();
    let records = records(&folder, 12);
    slice(&records);
    let ledger = files(&records, "ledger").remove(0);
    let good = std::fs::read(&ledger).unwrap();
    let text = unpack(&ledger);

    // A cut file.
    std::fs::write(&ledger, &good[..good.len() / 2]).unwrap();
    let said = script_refusal(script("slice").arg(&records));
    assert!(said.contains("is damaged"), "{said}");
    // A small file that would fill the disk.
    let row = text.lines().nth(5).unwrap();
    pack(
        &format!("{text}{}", format!("{row}\n").repeat(10_000)),
        &ledger,
    );
    assert!(std::fs::metadata(&ledger).unwrap().len() < 2_000);
    let said = script_refusal(script("slice").arg(&records));
    assert!(said.contains("or not into"), "{said}");
    // A pipe, which would never end.
    std::fs::remove_file(&ledger).unwrap();
    answer(Command::new("mkfifo").arg(&ledger));
    let said = script_refusal(script("slice").arg(&records));
    assert!(said.contains("is not a regular file"), "{said}");
    std::fs::remove_file(&ledger).unwrap();
    // A count that was altered.
    let altered = row.replacen('\t', "\t1", 1);
    pack(&text.replace(row, &altered), &ledger);
    let said = script_refusal(script("slice").arg(&records));
    assert!(said.contains("does not fit its check value"), "{said}");
    // The rows of another plan.
    let other = folder.campaign(13, "other");
    answer(campaign("run").arg(&other));
    pack(&answer(campaign("export").arg(&other)), &ledger);
    let said = script_refusal(script("slice").arg(&records));
    assert!(said.contains("has the plan"), "{said}");
    // A plan that is not this program's.
    std::fs::write(&ledger, &good).unwrap();
    let plan = std::fs::read_to_string(records.join("plan")).unwrap();
    std::fs::write(
        records.join("plan"),
        plan.replace("two-colour", "one-colour"),
    )
    .unwrap();
    let said = script_refusal(script("slice").arg(&records));
    assert!(said.contains("is not the one this program makes"), "{said}");

    std::fs::write(records.join("plan"), plan).unwrap();
    assert_eq!(files(&records, "ledger"), [ledger]);
    assert_eq!(total(&merged(&folder, &records, "whole")), known(12));
}

#[test]
fn the_records_of_28_queens_fit_together_and_the_documents_quote_them() {
    for document in ["README.md", "records/28/README.md", "docs/q28.md"] {
        answer(
            script("record-status")
                .arg("--check")
                .arg(repository().join(document)),
        );
    }
}

#[test]
fn a_run_ends_by_itself_when_its_time_is_over() {
    let folder = Folder::new();
    let file = folder.campaign(28, "long");
    let output = campaign("run")
        .arg(&file)
        .args(["--device", "cpu", "--for", "1s", "--json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let told: Value = serde_json::from_str(&stdout(&output)).expect("an object");
    assert_eq!((&told["n"], &told["count"]), (&28.into(), &Value::Null));
    assert_eq!(told["done"], rows(&file).len());
    let said = refusal(campaign("run").arg(&file).args(["--for", "soon"]));
    assert!(said.contains("such as 90s, 9m or 1h30m"), "{said}");
}

#[test]
fn an_export_can_leave_out_what_another_ledger_has() {
    let folder = Folder::new();
    let file = folder.campaign(14, "a");
    answer(campaign("run").arg(&file));
    let all = folder.file("all");
    answer(campaign("export").arg(&file).arg("--output").arg(&all));
    let rest = answer(campaign("export").arg(&file).arg("--except").arg(&all));
    assert_eq!(rest.lines().count(), 5, "{rest}");

    answer(campaign("verify").arg(&file).args(["--share", "100%"]));
    let recounts = answer(campaign("export").arg(&file).arg("--recounts"));
    assert_eq!(recounts.lines().count(), 5 + rows(&file).len());
    // Merged elsewhere they are recounts again, however often.
    let other = folder.campaign(14, "b");
    let text = folder.file("recounts");
    std::fs::write(&text, recounts).unwrap();
    for _ in 0..2 {
        answer(campaign("merge").arg(&other).args([&all, &text]));
        let agree = status(&other)["recounts"]["agree"].as_u64().unwrap();
        assert_eq!(agree, rows(&file).len() as u64);
    }
}

fn unpack(file: &Path) -> String {
    answer(Command::new("xz").arg("-dc").arg(file))
}

fn pack(text: &str, file: &Path) {
    let plain = file.with_extension("");
    std::fs::write(&plain, text).unwrap();
    answer(Command::new("xz").arg("--force").arg(&plain));
}
