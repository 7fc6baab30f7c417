//! Files that are not campaigns, or no longer, or not for us: each gets one clear line
//! and is left as it was, whatever the verb.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use queens_campaign::ledger::{Access, Campaign};

use crate::strangers::sqlite;
use crate::support::*;

/// Every verb that takes a campaign, with arguments that would make it write if it could.
fn verbs(file: &Path) -> Vec<Command> {
    [
        "status", "result", "verify", "export", "run", "redo", "prune", "merge",
    ]
    .into_iter()
    .map(|verb| {
        let mut command = campaign(verb);
        command.arg(file);
        match verb {
            "redo" | "prune" => command.arg("0"),
            "merge" => command.arg(file),
            _ => &mut command,
        };
        command
    })
    .collect()
}

/// All verbs refuse the file for the same reason and leave it and its folder alone.
#[track_caller]
fn refused_by_all(file: &Path, reason: &str) {
    let before = std::fs::read(file).ok();
    let beside = || std::fs::read_dir(file.parent().unwrap()).unwrap().count();
    let neighbours = beside();
    for mut command in verbs(file) {
        let said = refusal(&mut command);
        assert!(said.contains(reason), "{command:?} said {said}");
        assert_eq!(
            std::fs::read(file).ok(),
            before,
            "{command:?} changed the file"
        );
        assert_eq!(beside(), neighbours, "{command:?} left something behind");
    }
}

/// A complete campaign of 14 queens.
fn complete(folder: &Folder) -> PathBuf {
    let file = folder.campaign(14, "c");
    answer(campaign("run").arg(&file));
    file
}

#[test]
fn a_file_that_is_not_a_campaign_is_left_alone() {
    let folder = Folder::new();
    let file = folder.file("f");
    refused_by_all(&file, "no such file");
    std::fs::write(&file, "").unwrap();
    refused_by_all(&file, "is not a campaign: it is empty");
    std::fs::write(&file, "solutions 92\n").unwrap();
    refused_by_all(&file, "is not a campaign: it is too short");
    std::fs::write(&file, "solutions 92\n".repeat(1_000)).unwrap();
    refused_by_all(&file, "is not a campaign: it is not an SQLite file");
    std::fs::remove_file(&file).unwrap();
    answer(
        Command::new("sqlite3")
            .arg(&file)
            .arg("CREATE TABLE ledger (unit, count)"),
    );
    refused_by_all(
        &file,
        "is not a campaign: it is an SQLite file of another program",
    );
    // A folder whose neighbours nobody else changes meanwhile.
    let inner = folder.file("folder");
    std::fs::create_dir(&inner).unwrap();
    refused_by_all(&inner, "is not a campaign: it is a folder");
}

#[test]
fn pipes_links_and_folders_in_the_way_are_refused_at_once() {
    let folder = Folder::new();
    let pipe = |path: &Path| answer(Command::new("mkfifo").arg(path));
    // A verb that waited for the other end of a pipe would wait for ever.
    let refused = |file: &Path, reason: &str| {
        for verb in verbs(file) {
            let mut limited = Command::new("timeout");
            let limited = limited.args(["-s", "KILL", "60"]).arg(verb.get_program());
            let said = refusal(limited.args(verb.get_args()));
            assert!(said.contains(reason), "{verb:?} said {said}");
        }
    };
    let file = folder.file("pipe");
    pipe(&file);
    refused(&file, "is not a campaign: it is not a regular file");

    let (file, precious) = (folder.campaign(8, "c"), folder.file("precious"));
    std::fs::write(&precious, "precious").unwrap();
    for suffix in ["-journal", "-wal", "-shm"] {
        let name = format!("c{suffix}");
        let neighbour = folder.file(&name);
        let reason = format!("{name}: it is in the way");
        pipe(&neighbour);
        refused(&file, &reason);
        std::fs::remove_file(&neighbour).unwrap();
        std::os::unix::fs::symlink(&precious, &neighbour).unwrap();
        refused(&file, &reason);
        std::fs::remove_file(&neighbour).unwrap();
        std::fs::create_dir(&neighbour).unwrap();
        refused(&file, &reason);
        std::fs::remove_dir(&neighbour).unwrap();
    }
    assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
    answer(campaign("run").arg(&file));
    assert_eq!(total(&file), known(8));
}

#[test]
fn nothing_is_written_over_a_campaign() {
    let folder = Folder::new();
    let (file, other) = (complete(&folder), folder.campaign(8, "other"));
    for target in [&file, &other] {
        let before = std::fs::read(target).unwrap();
        for (verb, option) in [("export", "--output"), ("status", "--html")] {
            let said = refusal(campaign(verb).arg(&file).arg(option).arg(target));
            assert!(said.contains("it is not replaced"), "{said}");
            assert_eq!(std::fs::read(target).unwrap(), before, "{verb}");
        }
    }
    // Whatever else is there is replaced, whole, and nothing is left beside it.
    let text = folder.file("text");
    std::fs::write(&text, "old").unwrap();
    answer(campaign("export").arg(&file).arg("--output").arg(&text));
    let exported = std::fs::read_to_string(&text).unwrap();
    assert_eq!(exported, answer(campaign("export").arg(&file)));
    assert!(!folder.file("text.draft").exists());
}

#[test]
fn an_output_destroys_nothing_beside_it_and_follows_no_link() {
    let folder = Folder::new();
    let file = complete(&folder);
    let (output, precious) = (folder.file("out"), folder.file("precious"));
    std::fs::write(&precious, "precious").unwrap();
    // A file with the name of a draft, and links with such names.
    std::fs::write(folder.file("out.draft"), "mine").unwrap();
    let links: Vec<PathBuf> = (0..3)
        .map(|n| folder.file(&format!("out.draft-{}-{n}", std::process::id())))
        .collect();
    for link in &links {
        std::os::unix::fs::symlink(&precious, link).unwrap();
    }
    answer(campaign("export").arg(&file).arg("--output").arg(&output));
    assert_eq!(std::fs::read(folder.file("out.draft")).unwrap(), b"mine");
    assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
    // A link in the place itself is replaced, and what it points to stays.
    let link = folder.file("link");
    std::os::unix::fs::symlink(&precious, &link).unwrap();
    answer(campaign("export").arg(&file).arg("--output").arg(&link));
    assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
    assert_eq!(
        std::fs::read(&link).unwrap(),
        std::fs::read(&output).unwrap()
    );
}

#[test]
fn a_campaign_with_two_names_is_refused_under_both() {
    let folder = Folder::new();
    let file = complete(&folder);
    let second = folder.file("second");
    std::fs::hard_link(&file, &second).unwrap();
    refused_by_all(&file, "has another name too");
    refused_by_all(&second, "has another name too");
    std::fs::remove_file(&second).unwrap();
    assert_eq!(total(&file), known(14));
}

#[test]
fn a_campaign_that_still_has_the_name_of_its_draft_is_waited_for() {
    let folder = Folder::new();
    let file = folder.campaign(8, "new");
    let draft = folder.file("draft");
    std::fs::hard_link(&file, &draft).unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| Campaign::open(&file, Access::Read).map(drop));
        std::thread::sleep(Duration::from_millis(30));
        std::fs::remove_file(&draft).unwrap();
        reader.join().unwrap().unwrap();
    });
}

#[test]
fn without_a_finished_unit_there_is_nothing_to_verify() {
    let folder = Folder::new();
    let file = folder.campaign(8, "new");
    let said = refusal(campaign("verify").arg(&file));
    assert!(said.contains("nothing to verify"), "{said}");
}

#[test]
fn a_campaign_of_a_newer_schema_is_left_alone() {
    let folder = Folder::new();
    let file = complete(&folder);
    answer(
        Command::new("sqlite3")
            .arg(&file)
            .arg("PRAGMA user_version = 2"),
    );
    refused_by_all(&file, "use a newer queens");
}

#[test]
fn a_truncated_file_is_recognised_at_any_length() {
    let folder = Folder::new();
    let whole = std::fs::read(complete(&folder)).unwrap();
    let file = folder.file("truncated");
    for length in [whole.len() - 1, whole.len() / 2, 4_096, 100] {
        std::fs::write(&file, &whole[..length]).unwrap();
        refused_by_all(&file, "is damaged: it was cut off");
    }
    std::fs::write(&file, &whole[..50]).unwrap();
    refused_by_all(&file, "too short");
}

#[test]
fn a_file_overwritten_in_the_middle_never_gives_a_result() {
    let folder = Folder::new();
    let whole = std::fs::read(complete(&folder)).unwrap();
    let file = folder.file("overwritten");
    // Page by page: whatever the page held, no wrong number comes out.
    for page in 0..whole.len() / 4_096 {
        let mut bytes = whole.clone();
        bytes[page * 4_096..][..4_096].fill(0x5a);
        std::fs::write(&file, &bytes).unwrap();
        let output = campaign("result").arg(&file).output().unwrap();
        if output.status.code() == Some(0) {
            // A page without rows: an index or the like.
            assert!(stdout(&output).starts_with("solutions      365596\n"));
        } else {
            assert_eq!(output.status.code(), Some(2));
            assert_eq!(stderr(&output).lines().count(), 1);
        }
    }
}

#[test]
fn an_altered_plan_is_noticed() {
    let folder = Folder::new();
    let file = complete(&folder);
    answer(
        Command::new("sqlite3")
            .arg(&file)
            .arg("UPDATE plan SET last = last + 1 WHERE unit = 0"),
    );
    let before = std::fs::read(&file).unwrap();
    for mut command in [campaign("result"), campaign("run"), campaign("redo")] {
        command.arg(&file);
        if command.get_args().any(|arg| arg == "redo") {
            command.arg("0");
        }
        let said = refusal(&mut command);
        assert!(said.contains("its plan was altered"), "{said}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn a_name_that_looks_like_an_address_is_a_name() {
    let folder = Folder::new();
    let in_folder = |verb: &str, args: &[&str]| {
        let mut command = campaign(verb);
        command.args(args).current_dir(folder.path());
        answer(&mut command)
    };
    for name in ["file:a", ":memory:", "file:a?mode=memory"] {
        in_folder("new", &["8", name]);
        in_folder("run", &[name]);
        let dropped = in_folder("prune", &[name, "0"]);
        assert!(dropped.contains("units dropped: 1"), "{dropped}");
        assert!(folder.file(name).is_file());
        assert!(!folder.file("a").exists());
    }
}

#[test]
fn a_full_standard_error_does_not_end_a_count() {
    let folder = Folder::new();
    let file = folder.campaign(24, "c");
    let full = std::fs::File::create("/dev/full").unwrap();
    let status = campaign("run")
        .arg(&file)
        .args(["--for", "1s"])
        .stderr(full)
        .status();
    assert_eq!(status.unwrap().code(), Some(3));
}

#[test]
fn another_algorithm_is_refused_but_can_be_read() {
    let folder = Folder::new();
    let file = folder.campaign(8, "c");
    answer(
        Command::new("sqlite3")
            .arg(&file)
            .arg("UPDATE campaign SET id = 'n8-0123abcd', algorithm = 'magic/7'"),
    );
    for verb in ["run", "verify"] {
        let said = refusal(campaign(verb).arg(&file));
        assert!(said.contains("planned for the algorithm magic/7"), "{said}");
    }
    assert_eq!(status(&file)["algorithm"], "magic/7");
}

#[test]
fn a_read_only_file_can_be_read_and_nothing_else() {
    let folder = Folder::new();
    let file = complete(&folder);
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    let before = std::fs::read(&file).unwrap();
    for verb in ["run", "prune", "redo", "merge"] {
        let mut command = campaign(verb);
        command.arg(&file);
        match verb {
            "run" => {}
            "merge" => {
                command.arg(&file);
            }
            _ => {
                command.arg("0");
            }
        }
        let said = refusal(&mut command);
        assert!(said.contains("is read-only"), "{said}");
    }
    assert_eq!(total(&file), known(14));
    answer(campaign("status").arg(&file));
    answer(campaign("export").arg(&file));
    // Verification works and says that it leaves no record.
    let verify = campaign("verify").arg(&file).output().unwrap();
    assert_eq!(verify.status.code(), Some(0));
    assert!(stderr(&verify).contains("do not go on record"));
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn a_read_only_disk_can_be_read_from() {
    let folder = Folder::new();
    complete(&folder);
    let bind = |options: &[&str]| {
        let mut mount = Command::new("mount");
        mount.args(options).arg(folder.path());
        mount.output().is_ok_and(|o| o.status.success())
    };
    let place = folder.path().to_str().unwrap().to_owned();
    if !bind(&["--bind", &place]) {
        println!("skipped: mounting is not permitted here");
        return;
    }
    let read_only = bind(&["-o", "remount,ro,bind"]);
    let file = folder.file("c");
    let counted = std::panic::catch_unwind(|| {
        assert!(read_only);
        assert_eq!(total(&file), known(14));
        assert_eq!(status(&file)["missing"].as_u64(), Some(0));
        assert!(refusal(campaign("prune").arg(&file).arg("0")).contains("is read-only"));
        let new = folder.file("new");
        assert!(refusal(campaign("new").arg("8").arg(new)).contains("is read-only"));
    });
    let unmounted = Command::new("umount").arg(folder.path()).status().unwrap();
    assert!(unmounted.success());
    counted.unwrap();
}

#[test]
fn a_file_that_another_machine_works_on_is_not_changed() {
    let folder = Folder::new();
    let file = folder.campaign(12, "c");
    answer(campaign("run").arg(&file));
    let other = folder.file("other");
    std::fs::copy(&file, &other).unwrap();
    answer(campaign("prune").arg(&file).arg("0"));
    sqlite(
        &file,
        "INSERT INTO process (id, host, boot, namespace, pid, birth, role, since, heartbeat,
             units, cost)
         SELECT 1, 'ada', 'another', 'all', 1, 1, 'run', t, t, 0, 0
         FROM (SELECT CAST(strftime('%s', 'now') AS INTEGER) AS t)",
    );
    let before = std::fs::read(&file).unwrap();
    for (verb, more) in [
        ("run", vec![]),
        ("verify", vec![]),
        ("prune", vec!["1".into()]),
        ("redo", vec!["1".into()]),
        ("merge", vec![other.into_os_string()]),
    ] {
        let said = refusal(campaign(verb).arg(&file).args(&more));
        assert!(said.contains("in use on the machine ada"), "{verb}: {said}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), before);
    // Reading is allowed all the same.
    assert_eq!(status(&file)["missing"].as_u64(), Some(1));
}
