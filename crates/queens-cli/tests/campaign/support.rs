//! Running the program in a folder of its own, and reading what it says.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use queens_campaign::ledger::{Access, Campaign};

/// Known counts of all solutions (A000170).
pub const KNOWN: [(u32, u128); 20] = [
    (1, 1),
    (2, 0),
    (3, 0),
    (4, 2),
    (5, 10),
    (6, 4),
    (7, 40),
    (8, 92),
    (9, 352),
    (10, 724),
    (11, 2_680),
    (12, 14_200),
    (13, 73_712),
    (14, 365_596),
    (15, 2_279_184),
    (16, 14_772_512),
    (17, 95_815_104),
    (18, 666_090_624),
    (19, 4_968_057_848),
    (20, 39_029_188_884),
];

/// The known count of n.
pub fn known(n: u32) -> u128 {
    KNOWN[n as usize - 1].1
}

/// A folder that is removed at the end of the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("queens-campaign-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Plans a campaign and returns its file.
    pub fn campaign(&self, n: u32, name: &str) -> PathBuf {
        let file = self.file(name);
        answer(campaign("new").arg(n.to_string()).arg(&file));
        file
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program.
pub fn queens() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queens"));
    command.stdin(Stdio::null());
    command
}

/// `queens campaign VERB`.
pub fn campaign(verb: &str) -> Command {
    let mut command = queens();
    command.args(["campaign", verb]);
    command
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Makes the sqlite3 shell wait for a process that writes, instead of failing at once.
pub const PATIENT: [&str; 2] = ["-cmd", ".timeout 20000"];

/// Runs a command that must succeed and returns what it prints.
#[track_caller]
pub fn answer(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let code = output.status.code();
    assert_eq!(code, Some(0), "{command:?} said {}", stderr(&output));
    stdout(&output)
}

/// Runs a command that must fail with exit code 2, nothing on standard output and one
/// line on standard error, which is returned.
#[track_caller]
pub fn refusal(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = stderr(&output);
    let code = output.status.code();
    assert_eq!(code, Some(2), "{command:?} said {said}{}", stdout(&output));
    assert_eq!(stdout(&output), "", "{command:?}");
    assert_eq!(said.lines().count(), 1, "{command:?} said {said}");
    assert!(said.starts_with("queens: "), "{said}");
    said
}

/// The count that `result` prints.
#[track_caller]
pub fn total(file: &Path) -> u128 {
    let text = answer(campaign("result").arg(file).arg("--json"));
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["count"].as_str().unwrap().parse().unwrap()
}

/// The status of a campaign.
#[track_caller]
pub fn status(file: &Path) -> serde_json::Value {
    let text = answer(campaign("status").arg(file).arg("--json"));
    serde_json::from_str(&text).unwrap()
}

/// The rows of the ledger as `export` writes them.
#[track_caller]
pub fn rows(file: &Path) -> Vec<String> {
    let text = answer(campaign("export").arg(file));
    text.lines().skip(5).map(str::to_owned).collect()
}

/// Starts a command in the background; what it prints can be read at the end.
pub fn start(command: &mut Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends a signal by its name.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(child.id().to_string())
        .status()
        .unwrap();
    assert!(sent.success());
}

/// How many units are done; read without starting a program, so that a test can look often.
#[track_caller]
pub fn done(file: &Path) -> u64 {
    let campaign = Campaign::open(file, Access::Read).unwrap();
    campaign.progress().unwrap().units
}

/// Waits until this many units are done. It looks often and waits for no lock for long, so
/// that little more is done when it returns.
#[track_caller]
pub fn wait_for_rows(file: &Path, number: u64) {
    let campaign = Campaign::open(file, Access::Read).unwrap();
    campaign.set_patience(Duration::from_millis(50)).unwrap();
    wait_until("has the rows", || {
        campaign.progress().is_ok_and(|now| now.units >= number)
    });
}

/// Stops a run, with the units it has claimed, until it gets the signal `CONT`. It never stops in
/// the middle of a commit, where it would keep everybody else from the file.
///
/// A test that wants to do something in the middle of a run does it while the run is held:
/// then the middle lasts as long as the test needs, on slow machines and on fast ones.
#[track_caller]
pub fn hold(run: &Child, file: &Path) {
    wait_until("stood still between two commits", || {
        signal(run, "STOP");
        let lock = ["BEGIN IMMEDIATE", "ROLLBACK"];
        let shell = Command::new("sqlite3").arg(file).args(lock).output();
        let free = shell.unwrap().status.success();
        if !free {
            signal(run, "CONT");
        }
        free
    });
    let status = status(file);
    assert!(status["missing"].as_u64() > Some(0), "{status}");
}

/// Waits until `ready` says so; fails after a time that no healthy machine needs.
#[track_caller]
pub fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < Duration::from_secs(120), "never {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
