//! What a campaign must survive.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use queens::random::Random;
use queens_campaign::device::{Cpu, Device, DeviceError, Kind};
use queens_campaign::ledger::{Access, Campaign};
use queens_campaign::plan::Planned;
use queens_campaign::runner::{self, Finish};

use crate::support::*;

#[test]
fn killed_at_twenty_random_moments_and_resumed_it_counts_exactly() {
    const N: u32 = 18;
    let folder = Folder::new();
    let mut random = Random::new(2026);
    let mut in_the_middle = 0;
    for round in 0..20 {
        let file = folder.campaign(N, &format!("{round}"));
        let units = status(&file)["units"].as_u64().unwrap() as usize;
        let mut run = start(campaign("run").arg(&file).args(["--threads", "2"]));
        // The moment is a place in the ledger and up to 10 ms more. There is one place in each
        // twentieth of the units, so that kills come early and late on any machine.
        let place = units as f64 * (f64::from(round) + random.share()) / 20.0;
        wait_for_rows(&file, place as u64);
        std::thread::sleep(Duration::from_millis(10).mul_f64(random.share()));
        run.kill().unwrap();
        run.wait().unwrap();
        let survived = rows(&file);
        in_the_middle += usize::from((1..units).contains(&survived.len()));
        answer(campaign("run").arg(&file));
        assert_eq!(total(&file), known(N), "round {round}");
        // What was recorded before the kill was not touched, let alone counted again.
        let finished = rows(&file);
        assert_eq!(finished.len(), units);
        assert!(survived.iter().all(|row| finished.contains(row)));
    }
    println!("{in_the_middle} of 20 kills hit a partly filled ledger");
    assert!(in_the_middle >= 5, "the kills came too early or too late");
}

#[test]
fn a_device_without_a_single_thread_is_lost_and_the_campaign_is_as_it_was() {
    let folder = Folder::new();
    let file = folder.campaign(12, "threads");
    // The system has no room for a stack of this size.
    let refused = campaign("run")
        .arg(&file)
        .env("RUST_MIN_STACK", "100000000000000")
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = stderr(&refused);
    assert!(said.contains("no thread could be started"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(done(&file), 0);
    answer(campaign("run").arg(&file));
    assert_eq!(total(&file), known(12));
}

#[test]
fn ctrl_c_and_sigterm_stop_with_exit_code_3_and_nothing_is_lost() {
    let folder = Folder::new();
    for name in ["INT", "TERM"] {
        let file = folder.campaign(19, name);
        let run = start(campaign("run").arg(&file).args(["--threads", "1"]));
        wait_for_rows(&file, 1);
        hold(&run, &file);
        let seen = rows(&file);
        signal(&run, name);
        signal(&run, "CONT");
        let begun = Instant::now();
        let output = run.wait_with_output().unwrap();
        println!("stopped {:.0?} after SIG{name}", begun.elapsed());
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
        assert!(stderr(&output).contains("to go on"));
        let kept = rows(&file);
        assert!(seen.iter().all(|row| kept.contains(row)));
        // It left in good order: no claim, no process, no journal.
        assert_eq!(status(&file)["processes"].as_array().unwrap().len(), 0);
        assert!(!folder.file(&format!("{name}-journal")).exists());
    }
}

#[test]
fn two_processes_share_one_file_and_count_no_unit_twice() {
    let folder = Folder::new();
    let file = folder.campaign(19, "c");
    let one = || start(campaign("run").arg(&file).args(["--threads", "1"]));
    // The first one is held until the second has recorded a unit, so that both surely do.
    let first = one();
    wait_for_rows(&file, 1);
    hold(&first, &file);
    let before = done(&file);
    let second = one();
    wait_for_rows(&file, before + 1);
    let now = status(&file);
    let working = now["processes"].as_array().unwrap();
    assert_eq!(working.len(), 2, "{now}");
    assert!(
        working.iter().all(|p| p["units"].as_u64() > Some(0)),
        "{now}"
    );
    signal(&first, "CONT");
    for run in [first, second] {
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains("4968057848"));
    }
    // A unit counted by both would have left a recount.
    assert_eq!(status(&file)["recounts"]["agree"].as_u64(), Some(0));
    assert_eq!(total(&file), known(19));
}

#[test]
fn a_killed_process_does_not_keep_its_units_from_the_others() {
    let folder = Folder::new();
    let file = folder.campaign(19, "c");
    let one = || start(campaign("run").arg(&file).args(["--threads", "1"]));
    // The victim is caught at work and held there, so that it surely has claims when it
    // dies, however fast or slow the machine is.
    let mut victim = one();
    wait_for_rows(&file, 1);
    hold(&victim, &file);
    let before = done(&file);
    assert_eq!(status(&file)["processes"].as_array().unwrap().len(), 1);
    let survivor = one();
    wait_for_rows(&file, before + 1);
    victim.kill().unwrap();
    let status = victim.wait().unwrap();
    assert_eq!(status.signal(), Some(9));
    let output = survivor.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(total(&file), known(19));
}

#[test]
fn a_flipped_byte_in_a_count_is_caught_and_can_be_repaired() {
    let folder = Folder::new();
    let file = folder.campaign(16, "c");
    answer(campaign("run").arg(&file));
    let row = rows(&file)
        .into_iter()
        .find(|r| r.split('\t').nth(1) > Some("9"))
        .unwrap();
    let columns: Vec<&str> = row.split('\t').collect();
    let (unit, count, check) = (columns[0], columns[1], columns[2]);
    // In the file, the bytes of the count come right before the check value.
    let mut bytes = std::fs::read(&file).unwrap();
    let at = bytes
        .windows(32)
        .position(|w| w == check.as_bytes())
        .unwrap();
    bytes[at - 1] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let sql = format!("SELECT count FROM ledger WHERE unit = {unit}");
    let now = answer(Command::new("sqlite3").args(PATIENT).arg(&file).arg(sql));
    assert_ne!(now.trim(), count, "the byte flipped was not the count's");

    for verb in ["run", "result", "verify", "export"] {
        let output = campaign(verb).arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{verb}");
        let said = stderr(&output);
        assert!(
            said.contains(&format!("the row of unit {unit} ")),
            "{verb}: {said}"
        );
        assert_eq!(
            std::fs::read(&file).unwrap(),
            bytes,
            "{verb} wrote to the file"
        );
    }
    answer(campaign("prune").arg(&file).arg("--damaged"));
    answer(campaign("run").arg(&file));
    assert_eq!(total(&file), known(16));
}

/// A device that adds one to the count of one unit.
struct Liar {
    honest: Box<dyn Device>,
    unit: u64,
}

impl Device for Liar {
    fn name(&self) -> &str {
        "liar"
    }
    fn kind(&self) -> Kind {
        Kind::Cpu
    }
    fn count(&mut self, unit: &Planned, stop: &AtomicBool) -> Result<Option<u64>, DeviceError> {
        let count = self.honest.count(unit, stop)?;
        Ok(count.map(|c| c + u64::from(unit.unit == self.unit)))
    }
}

#[test]
fn a_wrong_count_is_caught_by_verify_and_stops_the_campaign() {
    let folder = Folder::new();
    let file = folder.campaign(15, "c");
    {
        let mut campaign = Campaign::open(&file, Access::Write).unwrap();
        let honest = queens_campaign::device::open(&[], 15, Some(1), Default::default(), &|_| {});
        let liar = Liar {
            honest: honest.unwrap().remove(0),
            unit: 3,
        };
        let never = AtomicBool::new(false);
        let devices: Vec<Box<dyn Device>> = vec![Box::new(liar)];
        runner::run(&mut campaign, devices, None, &never, &mut |_| {}).unwrap();
    }
    // Every check value fits: the row is just what the device said. But the sum is known.
    let said = refusal(campaign("result").arg(&file));
    let sum = format!("add up to {}, but 15 queens", known(15) + 1);
    assert!(said.contains(&sum), "{said}");

    let verify = campaign("verify")
        .arg(&file)
        .args(["--share", "100%"])
        .output()
        .unwrap();
    assert_eq!(verify.status.code(), Some(1));
    let said = stdout(&verify);
    assert!(
        said.contains("unit 3 differs") && said.contains("liar"),
        "{said}"
    );

    // The dispute is on record: nobody goes on, and there is no result.
    for verb in ["run", "result"] {
        let said = refusal(campaign(verb).arg(&file));
        assert!(said.contains("unit 3 was counted twice"), "{said}");
    }
    assert_eq!(
        status(&file)["recounts"]["disputed_units"].as_u64(),
        Some(1)
    );
    let redone = answer(campaign("redo").arg(&file).arg("3"));
    assert!(redone.contains("where liar had counted"), "{redone}");
    assert_eq!(total(&file), known(15));
}

/// A device that fails, or panics, at its first unit, and wants some more threads.
pub struct Broken {
    pub kind: Kind,
    pub panics: bool,
    pub more: usize,
}

impl Device for Broken {
    fn name(&self) -> &str {
        "broken"
    }
    fn kind(&self) -> Kind {
        self.kind
    }
    fn count(&mut self, _: &Planned, _: &AtomicBool) -> Result<Option<u64>, DeviceError> {
        assert!(!self.panics, "a panic on purpose");
        Err(DeviceError("fell off the bus".to_owned()))
    }
    fn another(&self) -> Option<Box<dyn Device>> {
        Some(Box::new(Broken {
            more: self.more.checked_sub(1)?,
            ..*self
        }))
    }
}

/// A sound device that waits until it may count.
struct Patient {
    cpu: Cpu,
    may_count: Arc<AtomicBool>,
}

impl Device for Patient {
    fn name(&self) -> &str {
        self.cpu.name()
    }
    fn kind(&self) -> Kind {
        self.cpu.kind()
    }
    fn count(&mut self, unit: &Planned, stop: &AtomicBool) -> Result<Option<u64>, DeviceError> {
        wait_until("allowed to count", || self.may_count.load(Relaxed));
        self.cpu.count(unit, stop)
    }
}

#[test]
fn a_failing_device_is_reported_and_its_units_go_to_the_others() {
    let folder = Folder::new();
    let never = AtomicBool::new(false);
    for (panics, more) in [(false, 0), (false, 2), (true, 0), (true, 2)] {
        let kind = Kind::Gpu;
        let broken = || Box::new(Broken { kind, panics, more });
        let file = folder.campaign(14, &format!("{panics}-{more}"));
        let mut campaign = Campaign::open(&file, Access::Write).unwrap();
        // The sound device waits until the other has failed; it might leave that one no unit.
        let may_count = Arc::new(AtomicBool::new(false));
        let patient = Box::new(Patient {
            cpu: Cpu::new(14, Default::default()).unwrap(),
            may_count: may_count.clone(),
        });
        let devices: Vec<Box<dyn Device>> = vec![broken(), patient];
        let mut lost = Vec::new();
        runner::run(&mut campaign, devices, None, &never, &mut |news| {
            if let runner::News::DeviceLost { device, why } = news {
                lost.push(format!("{device}: {why}"));
                may_count.store(true, Relaxed);
            }
        })
        .unwrap();
        // The device is reported once, however many threads it has.
        assert_eq!(lost.len(), 1, "{lost:?}");
        assert!(lost[0].starts_with("broken: "), "{lost:?}");
        assert_eq!(campaign.result().unwrap().total, known(14));

        let file = folder.campaign(8, &format!("{panics}-{more}-alone"));
        let mut campaign = Campaign::open(&file, Access::Write).unwrap();
        let alone: Vec<Box<dyn Device>> = vec![broken()];
        let error = runner::run(&mut campaign, alone, None, &never, &mut |_| {}).unwrap_err();
        assert!(error.to_string().contains("no device is left"), "{error}");
    }
}

#[test]
fn a_run_whose_time_is_over_counts_nothing_and_claims_nothing() {
    let folder = Folder::new();
    let file = folder.campaign(14, "late");
    let never = AtomicBool::new(false);
    let run = |until| {
        let mut campaign = Campaign::open(&file, Access::Write).unwrap();
        let devices =
            queens_campaign::device::open(&[], 14, Some(2), Default::default(), &|_| {}).unwrap();
        runner::run(&mut campaign, devices, until, &never, &mut |_| {}).unwrap()
    };
    assert_eq!(run(Some(Instant::now())), Finish::Stopped);
    assert_eq!(status(&file)["done"].as_u64(), Some(0));
    // Were units still claimed, this run would wait for them.
    assert_eq!(run(None), Finish::Complete);
    assert_eq!(total(&file), known(14));
}

/// A small disk: a tmpfs where mounting is permitted.
struct Disk {
    folder: Folder,
    mounted: bool,
}

impl Disk {
    fn new(kilobytes: u32) -> Disk {
        let folder = Folder::new();
        let size = format!("size={kilobytes}k");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "none"])
            .arg(folder.path())
            .output()
            .is_ok_and(|o| o.status.success());
        Disk { folder, mounted }
    }

    /// A command that finds the disk full: because it is, or, where mounting is not
    /// permitted, because no file may grow beyond a limit.
    fn command(&self, verb: &str, kilobytes: u32) -> Command {
        if self.mounted {
            return campaign(verb);
        }
        println!("mounting is not permitted here: limiting the size of files instead");
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", kilobytes * 2);
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                &script,
                "sh",
                env!("CARGO_BIN_EXE_queens"),
                "campaign",
                verb,
            ])
            .stdin(std::process::Stdio::null());
        command
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.mounted {
            let _ = Command::new("umount").arg(self.folder.path()).status();
        }
    }
}

#[test]
fn a_full_disk_is_one_clear_line_and_the_file_stays_as_it_was() {
    let disk = Disk::new(256);
    let full = |said: String| {
        let clear = if disk.mounted { "no space left" } else { "" };
        assert!(said.contains(clear), "{said}");
    };
    // Too small for the plan: nothing is left behind.
    let large = disk.folder.file("large");
    let mut plan = disk.command("new", 256);
    full(refusal(
        plan.args(["26"]).arg(&large).args(["--units", "100000"]),
    ));
    assert_eq!(std::fs::read_dir(disk.folder.path()).unwrap().count(), 0);

    // Filled up between the plan and the run: the plan is kept, byte for byte.
    let file = disk.folder.campaign(16, "c");
    let before = std::fs::read(&file).unwrap();
    let filler = disk.folder.file("filler");
    if disk.mounted {
        let fill = Command::new("dd")
            .args(["if=/dev/zero", "bs=1k"])
            .arg(format!("of={}", filler.display()))
            .output()
            .unwrap();
        assert!(!fill.status.success(), "the disk did not get full");
    }
    full(refusal(disk.command("run", 0).arg(&file)));
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(status(&file)["done"].as_u64(), Some(0));

    // With space again, it goes on as if nothing had happened.
    if disk.mounted {
        std::fs::remove_file(&filler).unwrap();
    }
    answer(campaign("run").arg(&file));
    assert_eq!(total(&file), known(16));
}

#[test]
fn a_disk_that_fills_up_during_a_run_loses_nothing_recorded() {
    let disk = Disk::new(2_048);
    if !disk.mounted {
        println!("skipped: mounting is not permitted here");
        return;
    }
    let file = disk.folder.campaign(19, "c");
    let run = start(campaign("run").arg(&file).args(["--threads", "1"]));
    wait_for_rows(&file, 4);
    hold(&run, &file);
    let filler = disk.folder.file("filler");
    let _ = Command::new("dd")
        .args(["if=/dev/zero", "bs=1k"])
        .arg(format!("of={}", filler.display()))
        .output();
    let seen = rows(&file);
    signal(&run, "CONT");
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("no space left"),
        "{}",
        stderr(&output)
    );
    let kept = rows(&file);
    assert!(seen.iter().all(|row| kept.contains(row)));
    std::fs::remove_file(&filler).unwrap();
    answer(campaign("run").arg(&file));
    assert_eq!(total(&file), known(19));
}

#[test]
fn a_locked_file_does_not_keep_a_run_from_stopping() {
    let folder = Folder::new();
    let file = folder.campaign(19, "c");
    let run = start(campaign("run").arg(&file).args(["--threads", "1"]));
    wait_for_rows(&file, 1);
    hold(&run, &file);
    let locked = folder.file("locked");
    let shell = start(Command::new("sqlite3").arg(&file).args([
        "BEGIN IMMEDIATE",
        &format!(".shell touch {}", locked.display()),
        ".shell sleep 4",
        "COMMIT",
    ]));
    wait_until("is locked", || locked.exists());
    signal(&run, "INT");
    signal(&run, "CONT");
    let output = run.wait_with_output().unwrap();
    // It may say that the file is locked, but it ends; what was recorded is kept.
    assert!(
        matches!(output.status.code(), Some(2 | 3)),
        "{}",
        stderr(&output)
    );
    assert!(shell.wait_with_output().unwrap().status.success());
    answer(campaign("run").arg(&file));
    assert_eq!(total(&file), known(19));
}

/// A library that makes every flush to the disk take long.
pub fn slow_disk(folder: &Folder) -> std::path::PathBuf {
    let (source, library) = (folder.file("slow.cc"), folder.file("slow.so"));
    let code = "#include <unistd.h>\n#include <sys/syscall.h>\n\
        extern \"C\" int fsync(int f) { usleep(60000); return syscall(SYS_fsync, f); }\n\
        extern \"C\" int fdatasync(int f) { usleep(60000); return syscall(SYS_fdatasync, f); }\n";
    std::fs::write(&source, code).unwrap();
    answer(
        Command::new("g++")
            .args(["-shared", "-fPIC", "-o"])
            .args([&library, &source]),
    );
    library
}

#[test]
fn many_processes_on_a_slow_disk_wait_for_each_other() {
    let folder = Folder::new();
    let library = slow_disk(&folder);
    let file = folder.campaign(14, "c");
    let runs: Vec<_> = (0..6)
        .map(|_| {
            let mut run = campaign("run");
            run.arg(&file).args(["--threads", "1"]);
            start(run.env("LD_PRELOAD", &library))
        })
        .collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    assert_eq!(total(&file), known(14));
}

#[test]
fn units_of_a_process_that_slept_and_was_given_up_are_not_lost() {
    let folder = Folder::new();
    let file = folder.campaign(17, "c");
    let sqlite = |sql: &str| answer(Command::new("sqlite3").args(PATIENT).arg(&file).arg(sql));
    // A process that claimed units under a number that others had given up already.
    sqlite("INSERT INTO claim VALUES (1, 77), (2, 77)");
    // And one whose clock was set back from the far future.
    sqlite(
        "INSERT INTO process VALUES (99, 'elsewhere', 'another boot', 'n', 1, 1, 'run', 1,
             9223372036854775807, 0, 0);
         INSERT INTO claim VALUES (3, 99)",
    );
    let mut run = start(campaign("run").arg(&file).args(["--threads", "1"]));
    wait_until("ended", || run.try_wait().unwrap().is_some());
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(total(&file), known(17));
}
