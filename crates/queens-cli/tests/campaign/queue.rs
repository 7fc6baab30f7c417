//! Many machines: the program against a real NATS server, with everybody killed in turn.
//!
//! Every test starts its own `nats-server` on a free port of the loopback interface, with
//! a store in the test's folder.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use queens::count::two_colour;
use queens::random::Random;
use queens_campaign::device::{self, Device, DeviceError, Kind};
use queens_campaign::ledger::{Access, Campaign};
use queens_campaign::plan::Planned;
use queens_campaign::queue::serve::Server;
use queens_campaign::queue::work::{End, News, Worker};
use queens_campaign::queue::{Connect, QueueError};
use queens_campaign::row::{Row, digest};

use crate::faults::{Broken, slow_disk};
use crate::support::*;

/// A NATS server that can be killed and started again.
pub struct Nats {
    config: PathBuf,
    port: u16,
    process: Option<Child>,
}

/// A free port that no other test of this process ever had: its server may be away for a while, and its
/// clients must not meet another one.
fn free_port() -> u16 {
    static TAKEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    loop {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        if TAKEN.lock().unwrap().insert(port) {
            return port;
        }
    }
}

impl Nats {
    fn start(folder: &Folder) -> Nats {
        Nats::with(folder, "")
    }

    /// A server with additional settings.
    pub fn with(folder: &Folder, settings: &str) -> Nats {
        let port = free_port();
        let config = folder.file("nats.conf");
        let store = folder.file("nats");
        let text = format!(
            "listen: \"127.0.0.1:{port}\"\njetstream {{ store_dir: \"{}\" }}\n{settings}",
            store.display()
        );
        std::fs::write(&config, text).unwrap();
        let mut nats = Nats {
            config,
            port,
            process: None,
        };
        nats.resume();
        nats
    }

    fn resume(&mut self) {
        let log_path = self.config.with_extension("log");
        let log = std::fs::File::create(&log_path).unwrap();
        let mut process = Command::new("nats-server")
            .arg("-c")
            .arg(&self.config)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("nats-server is installed by scripts/setup-tests");
        wait_until("answers", || {
            let log = || std::fs::read_to_string(&log_path).unwrap();
            assert!(process.try_wait().unwrap().is_none(), "{}", log());
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
        self.process = Some(process);
    }

    /// Kills the server as a power failure of its machine would.
    fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    fn connect(&self) -> Connect {
        Connect {
            url: self.url(),
            ..Connect::default()
        }
    }

    /// Says something to the server by hand, for the protocol is text, and listens until
    /// `heard` finds its answer in what the server says.
    fn say<T>(&self, text: &str, heard: impl Fn(&str) -> Option<T>) -> T {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let text = format!("CONNECT {{\"verbose\":false}}\r\n{text}\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut said = String::new();
        let mut buffer = [0; 4_096];
        loop {
            if let Some(answer) = heard(&said) {
                return answer;
            }
            let n = stream.read(&mut buffer).unwrap();
            assert!(n > 0, "{said}");
            said.push_str(&String::from_utf8_lossy(&buffer[..n]));
        }
    }

    /// Publishes a message.
    fn publish(&self, subject: &str, payload: &str) {
        let length = payload.len();
        let text = format!("PUB {subject} {length}\r\n{payload}\r\nPING");
        self.say(&text, |said| said.contains("PONG").then_some(()));
    }

    /// How many results wait for the campaign's server; none if there is no queue for them.
    fn results(&self, file: &Path) -> Option<u64> {
        let campaign = Campaign::open(file, Access::Read).unwrap();
        let stream = format!("queens-{}-results", campaign.info().id);
        let text = format!("SUB answer 1\r\nPUB $JS.API.STREAM.INFO.{stream} answer 0\r\n");
        let info: serde_json::Value = self.say(&text, |said| {
            // MSG answer 1 <length>, and the text in a line of its own.
            let message = said.split("MSG answer ").nth(1)?;
            serde_json::from_str(message.lines().nth(1)?).ok()
        });
        info["state"]["messages"].as_u64()
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A child that does not survive its test.
struct Kept(Option<Child>);

impl Kept {
    fn start(command: &mut Command) -> Kept {
        Kept(Some(start(command)))
    }

    fn kill(mut self) {
        let mut child = self.0.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn child(&self) -> &Child {
        self.0.as_ref().unwrap()
    }

    /// Waits for its end, which a test that fails would otherwise wait for forever.
    #[track_caller]
    fn wait(mut self) -> std::process::Output {
        wait_until("ended", || {
            self.0.as_mut().unwrap().try_wait().unwrap().is_some()
        });
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn serve(file: &Path, nats: &Nats) -> Kept {
    serve_with(file, nats, "2")
}

/// A server that gives out units for this number of seconds.
fn serve_with(file: &Path, nats: &Nats, lease: &str) -> Kept {
    serve_and(file, nats, &["--lease", lease])
}

fn serve_and(file: &Path, nats: &Nats, args: &[&str]) -> Kept {
    let mut command = campaign("serve");
    command.arg(file).args(["--nats", &nats.url()]).args(args);
    Kept::start(&mut command)
}

fn worker(nats: &Nats) -> Kept {
    let mut command = queens();
    command.args(["worker", "--nats", &nats.url(), "--threads", "1"]);
    Kept::start(&mut command)
}

/// The board of tests that do something in the middle of a campaign: one core counts it for some
/// seconds, so that even a busy machine meets the middle.
const LONG: u32 = 20;

/// Waits until more units are done than before, and checks that not all are: the next step of
/// the test belongs in the middle of a campaign.
#[track_caller]
fn some_more(file: &Path) {
    wait_for_rows(file, done(file) + 1);
    let now = status(file);
    assert!(now["missing"].as_u64() > Some(0), "{now}");
}

#[track_caller]
fn succeeds(process: Kept) -> std::process::Output {
    let output = process.wait();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    output
}

/// Everything is there exactly once: the count, the rows, and no two counts that differ.
#[track_caller]
fn complete(file: &Path, n: u32) {
    assert_eq!(total(file), known(n));
    let status = status(file);
    assert_eq!(rows(file).len() as u64, status["units"].as_u64().unwrap());
    assert_eq!(status["recounts"]["disputed_units"].as_u64(), Some(0));
}

#[test]
fn two_workers_count_what_one_server_offers() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(19, "c");
    // A worker may come first: it waits for a campaign.
    let first = worker(&nats);
    // A lease so long that no unit comes back, however long a worker is held.
    let server = serve_and(&file, &nats, &["--lease", "3600", "--audit", "0"]);
    wait_for_rows(&file, 1);
    // The first worker is held until the second has counted, so that both surely do: the first
    // holds at most two units, whose results may be on their way.
    signal(first.child(), "STOP");
    let second = worker(&nats);
    wait_for_rows(&file, done(&file) + 3);
    signal(first.child(), "CONT");
    let output = succeeds(server);
    assert!(stdout(&output).starts_with("solutions      4968057848\n"));
    let mut counted = 0;
    for worker in [first, second] {
        let said = stderr(&succeeds(worker));
        let words: Vec<&str> = said.split_whitespace().collect();
        let at = words.iter().position(|w| *w == "units").unwrap();
        let mine: u64 = words[at - 1].parse().unwrap();
        assert!(mine > 0, "{said}");
        counted += mine;
    }
    complete(&file, 19);
    // Nobody was killed, so nothing was counted twice.
    assert_eq!(status(&file)["units"].as_u64(), Some(counted));
    // A campaign that is complete needs no NATS any more.
    answer(
        campaign("serve")
            .arg(&file)
            .args(["--nats", "nats://127.0.0.1:1", "--audit", "0"]),
    );
}

#[test]
fn a_worker_killed_in_the_middle_of_a_unit_loses_nothing() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(LONG, "c");
    let server = serve(&file, &nats);
    let victim = worker(&nats);
    some_more(&file);
    victim.kill();
    let other = worker(&nats);
    succeeds(server);
    succeeds(other);
    complete(&file, LONG);
}

#[test]
fn a_server_killed_and_started_again_goes_on_with_its_queue() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(LONG, "c");
    let server = serve(&file, &nats);
    let worker = worker(&nats);
    some_more(&file);
    server.kill();
    // The worker goes on meanwhile; its results wait in the queue.
    wait_until("has results waiting", || nats.results(&file) > Some(0));
    succeeds(serve(&file, &nats));
    succeeds(worker);
    complete(&file, LONG);
}

#[test]
fn a_nats_server_killed_and_started_again_loses_nothing() {
    let folder = Folder::new();
    let mut nats = Nats::start(&folder);
    let file = folder.campaign(LONG, "c");
    let server = serve(&file, &nats);
    let worker = worker(&nats);
    some_more(&file);
    nats.kill();
    // Long enough for both to notice and to try in vain to come back.
    std::thread::sleep(Duration::from_millis(300));
    nats.resume();
    succeeds(server);
    succeeds(worker);
    complete(&file, LONG);
}

#[test]
fn a_queue_that_lost_everything_is_filled_again() {
    let folder = Folder::new();
    let mut nats = Nats::start(&folder);
    let file = folder.campaign(LONG, "c");
    let server = serve(&file, &nats);
    let victim = worker(&nats);
    some_more(&file);
    // The disk of the NATS server is lost, and with it units and results.
    nats.kill();
    victim.kill();
    server.kill();
    std::fs::remove_dir_all(folder.file("nats")).unwrap();
    nats.resume();
    let (server, worker) = (serve(&file, &nats), worker(&nats));
    succeeds(server);
    succeeds(worker);
    complete(&file, LONG);
}

#[test]
fn nineteen_queens_with_two_workers_and_everybody_killed_at_random() {
    let folder = Folder::new();
    let mut nats = Nats::start(&folder);
    let file = folder.campaign(19, "c");
    let units = status(&file)["units"].as_u64().unwrap() as f64;
    let mut server = serve(&file, &nats);
    let mut workers = vec![worker(&nats), worker(&nats)];
    let mut random = Random::new(19);
    let mut kills = String::new();
    for (number, victim) in [0, 1, 2, 0, 1, 0].into_iter().enumerate() {
        // The moments are places in the ledger, one in each seventh but the last.
        let place = units * (number as f64 + random.share()) / 7.0;
        wait_for_rows(&file, place as u64);
        if status(&file)["missing"].as_u64() == Some(0) {
            break;
        }
        match victim {
            0 => {
                workers.remove(0).kill();
                workers.push(worker(&nats));
                kills += " worker";
            }
            1 => {
                server.kill();
                server = serve(&file, &nats);
                kills += " server";
            }
            _ => {
                nats.kill();
                nats.resume();
                kills += " nats-server";
            }
        }
    }
    println!("killed:{kills}");
    for kind in [" worker", " server", " nats-server"] {
        assert!(kills.contains(kind), "{kills}");
    }
    let output = succeeds(server);
    assert!(stdout(&output).starts_with("solutions      4968057848\n"));
    complete(&file, 19);
    // A worker that came just before the end may have found nothing to join, and waits
    // for the next campaign until it is told to stop.
    for worker in workers {
        std::thread::sleep(Duration::from_secs(2));
        let _ = Command::new("kill")
            .args(["-INT", &worker.child().id().to_string()])
            .output();
        let output = worker.wait();
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 3)), "{}", stderr(&output));
    }
}

#[test]
fn ctrl_c_gives_units_back_and_another_worker_does_them_at_once() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(LONG, "c");
    // A lease so long that only giving back can explain the end of this test.
    let server = serve_with(&file, &nats, "3600");
    let first = worker(&nats);
    some_more(&file);
    signal(first.child(), "INT");
    let output = first.wait();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let second = worker(&nats);
    some_more(&file);
    // The server too can be stopped and started again.
    signal(server.child(), "TERM");
    let output = server.wait();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    succeeds(serve(&file, &nats));
    succeeds(second);
    complete(&file, LONG);
}

/// A worker inside the test, with any devices.
fn work_with(nats: &Nats, open: &dyn Fn(u32) -> Result<Vec<Box<dyn Device>>, DeviceError>) -> End {
    try_to_work_with(nats, open).unwrap()
}

fn try_to_work_with(
    nats: &Nats,
    open: &dyn Fn(u32) -> Result<Vec<Box<dyn Device>>, DeviceError>,
) -> Result<End, QueueError> {
    let worker = Worker {
        connect: nats.connect(),
        name: None,
        campaign: None,
        program: queens_campaign::PROGRAM.to_owned(),
        algorithm: two_colour::ALGORITHM.to_owned(),
    };
    // A worker that nobody ever stops would hold up a test that fails.
    let stop = Arc::new(AtomicBool::new(false));
    let (done, waits) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            let _ = waits.recv_timeout(Duration::from_secs(120));
            stop.store(true, Ordering::Relaxed);
        }
    });
    let end = worker.work(open, &stop, &mut |_: News<'_>| {});
    drop(done);
    watch.join().unwrap();
    end
}

#[test]
fn a_worker_whose_device_fails_gives_its_units_back_and_ends() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(14, "c");
    // A lease so long that only giving back can explain the end of this test.
    let server = serve_with(&file, &nats, "3600");
    for more in [0, 2] {
        let broken = Broken {
            kind: Kind::Cpu,
            panics: false,
            more,
        };
        let error = try_to_work_with(&nats, &|_| Ok(vec![Box::new(Broken { ..broken })]));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("broken: fell off the bus"), "{error}");
    }
    succeeds(worker(&nats));
    succeeds(server);
    complete(&file, 14);
}

/// A device of any kind and name that may add one to what it counts.
struct Fake {
    honest: Box<dyn Device>,
    name: &'static str,
    kind: Kind,
    wrong_by: u64,
}

impl Fake {
    fn open(n: u32, name: &'static str, kind: Kind, wrong_by: u64) -> Box<dyn Device> {
        let honest = device::open(&[], n, Some(1), Default::default(), &|_| {})
            .unwrap()
            .remove(0);
        Box::new(Fake {
            honest,
            name,
            kind,
            wrong_by,
        })
    }
}

impl Device for Fake {
    fn name(&self) -> &str {
        self.name
    }
    fn kind(&self) -> Kind {
        self.kind
    }
    fn count(&mut self, unit: &Planned, stop: &AtomicBool) -> Result<Option<u64>, DeviceError> {
        let count = self.honest.count(unit, stop)?;
        Ok(count.map(|c| c + self.wrong_by))
    }
}

#[test]
fn a_worker_that_returns_wrong_counts_is_caught_by_verify() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(14, "c");
    // With `--audit 0` the server believes everybody.
    let server = serve_and(&file, &nats, &["--audit", "0"]);
    let end = work_with(&nats, &|n| Ok(vec![Fake::open(n, "liar", Kind::Cpu, 2)]));
    assert_eq!(end, End::Finished);
    // It does not hand on a number that is known to be wrong.
    let output = server.wait();
    let said = stderr(&output);
    assert_eq!(
        (output.status.code(), stdout(&output)),
        (Some(2), String::new()),
        "{said}"
    );
    assert!(
        said.contains("but 14 queens have 365596 solutions"),
        "{said}"
    );
    let verify = campaign("verify").arg(&file).output().unwrap();
    assert_eq!(verify.status.code(), Some(1), "{}", stderr(&verify));
    assert!(stdout(&verify).contains("@liar"), "{}", stdout(&verify));
}

#[test]
fn a_campaign_that_was_completed_without_checks_is_checked_when_it_is_served_again() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(14, "c");
    let server = serve_and(&file, &nats, &["--audit", "0"]);
    work_with(&nats, &|n| Ok(vec![Fake::open(n, "liar", Kind::Cpu, 2)]));
    assert_eq!(
        server.wait().status.code(),
        Some(2),
        "its total is known to be wrong"
    );
    let server = serve(&file, &nats);
    succeeds(worker(&nats));
    let said = stderr(&succeeds(server));
    assert!(said.contains("is shut out"), "{said}");
    complete(&file, 14);
}

#[test]
fn processors_and_gpus_take_their_units_from_their_own_queues() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(18, "c");
    let server = serve(&file, &nats);
    let end = work_with(&nats, &|n| {
        Ok(vec![
            Fake::open(n, "box/cpu", Kind::Cpu, 0),
            Fake::open(n, "box/gpu0", Kind::Gpu, 0),
        ])
    });
    assert_eq!(end, End::Finished);
    succeeds(server);
    complete(&file, 18);
    let status = status(&file);
    let mut devices: Vec<&str> = status["devices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["device"].as_str().unwrap())
        .map(|device| device.split_once('@').unwrap().1)
        .collect();
    devices.sort_unstable();
    assert_eq!(devices, ["box/cpu", "box/gpu0"]);
}

/// The proof that a unit was given out, as only the server can make it.
fn lease(file: &Path, unit: u64) -> String {
    let sql = "SELECT value FROM desk WHERE topic = 'secret'";
    let secret = answer(Command::new("sqlite3").args(PATIENT).arg(file).arg(sql));
    digest(&format!("queens lease {} {unit}", secret.trim()))[..16].to_owned()
}

/// A result as the worker of this name would send it: the subject and the message.
fn result(file: &Path, worker: &str, row: Row) -> (String, serde_json::Value) {
    let campaign = Campaign::open(file, Access::Read).unwrap();
    let (info, unit) = (campaign.info(), row.unit);
    let planned = campaign.planned(unit).unwrap();
    let answer = serde_json::json!({
        "check_value": row.check_value(&info.plan_digest),
        "algorithm": info.algorithm,
        "first": planned.first,
        "last": planned.last,
        "lease": lease(file, unit),
        "row": row,
    });
    let subject = format!("queens.{}.result.{worker}.{unit}", info.id);
    (subject, answer)
}

fn row(unit: u64, count: u64, device: &str) -> Row {
    Row::fresh(unit, count, device, "2026-11-15T09:00:00Z".to_owned(), 0.5)
}

#[test]
fn a_differing_duplicate_stops_the_campaign_with_both_values() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(14, "c");
    let server = serve_and(&file, &nats, &["--audit", "0"]);
    wait_until("serves", || nats.results(&file).is_some());

    // The same result twice is recorded once.
    let (subject, first) = result(&file, "ada", row(0, 40, "ada@ada/cpu"));
    nats.publish(&subject, &first.to_string());
    nats.publish(&subject, &first.to_string());
    wait_until("is recorded", || status(&file)["done"].as_u64() == Some(1));
    // Another count of the unit stops everything.
    let (subject, second) = result(&file, "bob", row(0, 42, "bob@bob/cpu"));
    nats.publish(&subject, &second.to_string());
    let output = server.wait();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("unit 0 was counted twice"), "{said}");
    assert!(
        said.contains("40 by ada@ada/cpu") && said.contains("42 by bob@bob/cpu"),
        "{said}"
    );
    assert_eq!(status(&file)["done"].as_u64(), Some(1));

    // Nobody serves on until it is settled, and workers wait. Then it goes on: neither the
    // message that raised the dispute nor the notice of it come back.
    let worker = worker(&nats);
    let again = refusal(campaign("serve").arg(&file).args(["--nats", &nats.url()]));
    assert!(again.contains("unit 0 was counted twice"), "{again}");
    answer(campaign("redo").arg(&file).arg("0"));
    succeeds(serve(&file, &nats));
    let said = stderr(&succeeds(worker));
    assert!(said.contains("was stopped by its server"), "{said}");
    complete(&file, 14);
}

#[test]
fn what_is_not_a_result_is_refused_once_and_for_all() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(14, "c");
    let server = serve_and(&file, &nats, &["--audit", "0"]);
    wait_until("serves", || nats.results(&file).is_some());
    let good = || row(0, 40, "ada@ada/cpu");
    let changed = |change: &dyn Fn(&mut Row)| {
        let mut row = good();
        change(&mut row);
        result(&file, "ada", row)
    };
    let replaced = |key: &str, value: serde_json::Value| {
        let (subject, mut message) = result(&file, "ada", good());
        message[key] = value;
        (subject, message)
    };
    let (subject, _) = result(&file, "ada", good());
    let elsewhere = subject.replace(".ada.", ".bob.");
    let attacks = [
        ("a count that does not fit", changed(&|r| r.count = 1 << 63)),
        (
            "which is queens 0.0.1",
            changed(&|r| r.program = "queens 0.0.1".to_owned()),
        ),
        (
            "a name of a device",
            changed(&|r| r.device = "ada@\u{1b}[2Jx".to_owned()),
        ),
        (
            "a name of a device",
            changed(&|r| r.device = format!("ada@{}", "x".repeat(300))),
        ),
        (
            "a name of a device",
            changed(&|r| r.device = "ada@a\tb\nc".to_owned()),
        ),
        ("seconds that no clock", changed(&|r| r.seconds = 1e300)),
        (
            "is not its own",
            changed(&|r| r.device = "bob@bob/cpu".to_owned()),
        ),
        (
            "is not its own",
            changed(&|r| r.device = "box/cpu-avx512".to_owned()),
        ),
        (
            "is not its own",
            (elsewhere, result(&file, "ada", good()).1),
        ),
        ("another range", replaced("last", 77.into())),
        (
            "was not given out",
            replaced("lease", "0123456789abcdef".into()),
        ),
        (
            "does not fit its check value",
            replaced("check_value", "00".into()),
        ),
        ("cannot be read", (subject.clone(), "nonsense".into())),
        (
            "cannot be read",
            (subject.clone(), "x".repeat(9_000).into()),
        ),
        (
            "with the subject",
            (subject.replace(".0", ".007"), "x".into()),
        ),
    ];
    for (_, (subject, message)) in &attacks {
        nats.publish(subject, &message.to_string());
    }
    wait_until("has refused all", || {
        status(&file)["refused"].as_u64() == Some(attacks.len() as u64)
    });
    assert_eq!(status(&file)["done"].as_u64(), Some(0));
    assert_eq!(nats.results(&file), Some(0));
    // None of it comes back when the server does.
    signal(server.child(), "TERM");
    let said = stderr(&server.wait());
    for (reason, _) in &attacks {
        assert!(said.contains(reason), "{reason}: {said}");
    }
    assert!(!said.contains('\u{1b}'), "{said:?}");
    let (server, worker) = (serve(&file, &nats), worker(&nats));
    let said = stderr(&succeeds(server));
    assert!(!said.contains("not taken"), "{said}");
    succeeds(worker);
    complete(&file, 14);
    let shown = answer(campaign("status").arg(&file));
    assert!(shown.contains("refused    15 results"), "{shown}");
}

#[test]
fn a_worker_that_lies_is_shut_out_and_its_units_are_counted_again() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(16, "c");
    let server = serve(&file, &nats);
    let liar = |n| Ok(vec![Fake::open(n, "liar", Kind::Cpu, 2)]);
    let error = try_to_work_with(&nats, &liar).unwrap_err().to_string();
    assert!(error.contains("was shut out"), "{error}");
    assert!(!rows(&file).iter().any(|row| row.contains("@liar")));
    succeeds(worker(&nats));
    let said = stderr(&succeeds(server));
    assert!(said.contains("is shut out, for it counted unit"), "{said}");
    // Nothing of a newcomer is recorded before one of its units was counted here.
    assert!(said.contains("; units of it to count again: 0"), "{said}");
    complete(&file, 16);
    let shown = answer(campaign("status").arg(&file));
    assert!(shown.contains("shut out   "), "{shown}");
}

/// A device that counts rightly at first, and waits to be told before it begins to lie.
struct Turncoat {
    honest: Box<dyn Device>,
    rightly: usize,
    may_lie: Arc<AtomicBool>,
}

impl Device for Turncoat {
    fn name(&self) -> &str {
        "turncoat"
    }
    fn kind(&self) -> Kind {
        Kind::Cpu
    }
    fn count(&mut self, unit: &Planned, stop: &AtomicBool) -> Result<Option<u64>, DeviceError> {
        let count = self.honest.count(unit, stop)?;
        let wrong = self.rightly == 0;
        while wrong && !self.may_lie.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.rightly = self.rightly.saturating_sub(1);
        Ok(count.map(|c| c + u64::from(wrong)))
    }
}

/// A worker of this name whose only device is a [`Turncoat`].
fn work_as_turncoat(
    nats: &Nats,
    name: &str,
    rightly: usize,
    may_lie: &Arc<AtomicBool>,
) -> std::thread::JoinHandle<Result<End, QueueError>> {
    let worker = Worker {
        connect: nats.connect(),
        name: Some(name.to_owned()),
        campaign: None,
        program: queens_campaign::PROGRAM.to_owned(),
        algorithm: two_colour::ALGORITHM.to_owned(),
    };
    let may_lie = may_lie.clone();
    std::thread::spawn(move || {
        let open = |n| -> Result<Vec<Box<dyn Device>>, DeviceError> {
            let honest = device::open(&[], n, Some(1), Default::default(), &|_| {})?.remove(0);
            Ok(vec![Box::new(Turncoat {
                honest,
                rightly,
                may_lie: may_lie.clone(),
            })])
        };
        worker.work(&open, &AtomicBool::new(false), &mut |_| {})
    })
}

#[test]
fn with_twice_a_worker_that_lies_later_is_found_out_too() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(17, "c");
    let server = serve_and(&file, &nats, &["--lease", "2", "--twice"]);
    let may_lie = Arc::new(AtomicBool::new(false));
    let turncoat = work_as_turncoat(&nats, "turncoat", 4, &may_lie);
    // What it counted rightly is on record: it is trusted.
    wait_for_rows(&file, 2);
    may_lie.store(true, Ordering::Relaxed);
    let honest = worker(&nats);
    let output = succeeds(server);
    succeeds(honest);
    assert!(turncoat.join().unwrap().is_err());
    let said = stderr(&output);
    assert!(said.contains("turncoat is shut out"), "{said}");
    complete(&file, 17);
    // Every unit was counted by somebody else again.
    let units = status(&file)["units"].as_u64().unwrap();
    let result = answer(campaign("result").arg(&file));
    assert!(
        result.contains(&format!("{units} units counted again")),
        "{result}"
    );
    // A worker that was shut out stays out, by its name.
    assert!(!rows(&file).iter().any(|row| row.contains("turncoat@")));
}

#[test]
fn one_liar_with_two_names_cannot_confirm_itself() {
    for mode in [&["--lease", "2"][..], &["--lease", "2", "--twice"]] {
        let folder = Folder::new();
        let nats = Nats::start(&folder);
        let file = folder.campaign(17, "c");
        let server = serve_and(&file, &nats, mode);
        // One unit rightly, to be believed; then the same lies under both names.
        let may_lie = Arc::new(AtomicBool::new(true));
        let liars = ["ada", "bob"].map(|name| work_as_turncoat(&nats, name, 1, &may_lie));
        for liar in liars {
            let error = liar.join().unwrap().unwrap_err().to_string();
            assert!(error.contains("was shut out"), "{error}");
        }
        succeeds(worker(&nats));
        let said = stderr(&succeeds(server));
        assert!(said.contains("ada is shut out"), "{said}");
        assert!(said.contains("bob is shut out"), "{said}");
        assert!(said.contains("asks nobody for a login"), "{said}");
        complete(&file, 17);
    }
}

#[test]
fn a_lost_store_while_all_live_costs_only_time() {
    let folder = Folder::new();
    let mut nats = Nats::start(&folder);
    let file = folder.campaign(LONG, "c");
    let server = serve(&file, &nats);
    let worker = worker(&nats);
    some_more(&file);
    // The disk of the NATS server is lost while server and worker live.
    nats.kill();
    std::fs::remove_dir_all(folder.file("nats")).unwrap();
    nats.resume();
    succeeds(server);
    let said = stderr(&succeeds(worker));
    assert!(said.contains("the campaign is complete"), "{said}");
    complete(&file, LONG);
}

#[test]
fn a_worker_that_waits_for_a_server_waits_for_nats_too() {
    let folder = Folder::new();
    let mut nats = Nats::start(&folder);
    let log = folder.file("worker.log");
    let mut command = queens();
    command
        .args(["worker", "--nats", &nats.url(), "--threads", "1"])
        .stderr(std::fs::File::create(&log).unwrap());
    let mut worker = Kept(Some(command.spawn().unwrap()));
    let mut says = |words: &str| {
        wait_until(words, || {
            let said = std::fs::read_to_string(&log).unwrap();
            let ended = worker.0.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "{ended:?} {said}");
            said.contains(words)
        });
    };
    says("no campaign is served yet");
    nats.kill();
    says("still trying");
    nats.resume();
    let file = folder.campaign(14, "c");
    succeeds(serve(&file, &nats));
    succeeds(worker);
    complete(&file, 14);
}

#[test]
fn a_campaign_whose_server_was_stopped_keeps_no_worker_from_another() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let left = folder.campaign(18, "left");
    let server = serve(&left, &nats);
    wait_until("serves", || nats.results(&left).is_some());
    signal(server.child(), "INT");
    assert_eq!(server.wait().status.code(), Some(3));
    // One worker comes before anything else is served, and stays with what is left.
    let log = folder.file("worker.log");
    let mut command = queens();
    command
        .args(["worker", "--nats", &nats.url(), "--threads", "1"])
        .stderr(std::fs::File::create(&log).unwrap());
    let early = Kept(Some(command.spawn().unwrap()));
    wait_until("says so", || {
        let said = std::fs::read_to_string(&log).unwrap();
        said.contains("the server of the campaign was stopped; going on")
    });
    // Another comes later.
    let other = folder.campaign(14, "other");
    let server = serve(&other, &nats);
    wait_until("serves", || nats.results(&other).is_some());
    for process in [worker(&nats), server] {
        succeeds(process);
    }
    complete(&other, 14);
    // What was left goes on where it was.
    let server = serve(&left, &nats);
    for process in [server, early] {
        succeeds(process);
    }
    complete(&left, 18);
}

#[test]
fn a_worker_says_which_campaign_it_waits_for() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(LONG, "c");
    let _server = serve(&file, &nats);
    wait_until("serves", || nats.results(&file).is_some());
    let log = folder.file("worker.log");
    let mut command = queens();
    command
        .args(["worker", "--nats", &nats.url(), "--campaign", "nope"])
        .stderr(std::fs::File::create(&log).unwrap());
    let _worker = Kept(Some(command.spawn().unwrap()));
    wait_until("says so", || {
        let said = std::fs::read_to_string(&log).unwrap();
        said.contains("the campaign nope is not served here yet; waiting")
    });
}

#[test]
fn replicas_without_a_cluster_are_refused_at_once() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(14, "c");
    let server = serve_and(&file, &nats, &["--replicas", "3"]).wait();
    let said = stderr(&server);
    assert_eq!(server.status.code(), Some(2), "{said}");
    assert!(said.contains("the NATS server is no cluster"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_stream_or_a_consumer_that_is_lost_costs_only_time() {
    for lost in [
        "CONSUMER.DELETE.queens-ID-results.ledger",
        "CONSUMER.DELETE.queens-ID-units.cpu",
        "STREAM.DELETE.queens-ID-results",
        "STREAM.DELETE.queens-ID-notice",
    ] {
        let folder = Folder::new();
        let nats = Nats::start(&folder);
        let file = folder.campaign(18, "c");
        let server = serve(&file, &nats);
        wait_until("serves", || nats.results(&file).is_some());
        let first = worker(&nats);
        wait_for_rows(&file, 1);
        first.kill();
        let id = status(&file)["campaign"].as_str().unwrap().to_owned();
        let subject = format!("$JS.API.{}", lost.replace("ID", &id));
        let text = format!("SUB answer 1\r\nPUB {subject} answer 0\r\n");
        nats.say(&text, |said| {
            said.contains(r#""success":true"#).then_some(())
        });
        succeeds(worker(&nats));
        succeeds(server);
        complete(&file, 18);
    }
}

#[test]
fn a_flood_of_nonsense_does_not_hold_up_a_server_with_a_slow_disk() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(14, "c");
    let mut command = campaign("serve");
    command.arg(&file).args(["--nats", &nats.url()]);
    let server = Kept::start(command.env("LD_PRELOAD", slow_disk(&folder)));
    wait_until("serves", || nats.results(&file).is_some());
    let id = status(&file)["campaign"].as_str().unwrap().to_owned();
    let nonsense = format!("PUB queens.{id}.result.evil.3 3\r\nabc\r\n").repeat(2_000);
    nats.say(&format!("{nonsense}PING"), |said| {
        said.contains("PONG").then_some(())
    });
    // With a write for each of them, this would take six minutes.
    succeeds(worker(&nats));
    let said = stderr(&succeeds(server));
    assert!(said.contains("results more"), "{said}");
    assert!(said.lines().count() < 500, "{said}");
    complete(&file, 14);
    assert_eq!(status(&file)["refused"].as_u64(), Some(2_000));
}

#[test]
fn a_message_that_nats_delivers_elsewhere_does_not_stop_the_server() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(14, "c");
    let server = serve(&file, &nats);
    wait_until("serves", || nats.results(&file).is_some());
    let id = status(&file)["campaign"].as_str().unwrap().to_owned();
    // Somebody pulls the results in the server's place, has them sent to the subject where servers
    // hear of each other, and sends an older server's greeting as a result.
    let pull = r#"{"batch":1,"expires":3000000000}"#;
    let next = format!("$JS.API.CONSUMER.MSG.NEXT.queens-{id}-results.ledger");
    let pulls = format!("PUB {next} queens.{id}.server {}\r\n{pull}\r\n", pull.len()).repeat(50);
    nats.say(&format!("{pulls}PING"), |said| {
        said.contains("PONG").then_some(())
    });
    for _ in 0..60 {
        let rival = r#"{"listening":false,"since":0,"session":"x"}"#;
        nats.publish(&format!("queens.{id}.result.ada.0"), rival);
    }
    succeeds(worker(&nats));
    succeeds(server);
    complete(&file, 14);
}

#[test]
fn a_copy_of_a_campaign_is_not_served_beside_it() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(14, "c");
    let copy = folder.file("copy");
    std::fs::copy(&file, &copy).unwrap();
    let server = serve(&file, &nats);
    wait_until("serves", || nats.results(&file).is_some());
    for other in [&copy, &file] {
        let mut second = campaign("serve");
        let said = refusal(second.arg(other).args(["--nats", &nats.url()]));
        assert!(said.contains("is being served already"), "{said}");
    }
    succeeds(worker(&nats));
    succeeds(server);
    complete(&file, 14);
    assert_eq!(done(&copy), 0);
}

#[test]
fn greetings_and_units_of_strangers_do_no_harm() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(14, "c");
    let server = serve(&file, &nats);
    wait_until("serves", || nats.results(&file).is_some());
    let id = status(&file)["campaign"].as_str().unwrap().to_owned();
    let hello = format!("queens.{id}.hello.mallory");
    nats.publish(&hello, r#"{"cpus":100000,"gpus":18446744073709551615}"#);
    nats.publish(&hello, r#"{"cpus":-1,"gpus":"many"}"#);
    let endless = format!("queens.{id}.hello.{}", "x".repeat(2_000));
    nats.publish(&endless, r#"{"cpus":1,"gpus":1}"#);
    for unit in ["007", "99999999", "-1", "x"] {
        for kind in ["cpu", "gpu"] {
            nats.publish(&format!("queens.{id}.unit.{kind}.{unit}"), "{}");
        }
    }
    let huge = r#"{"unit":0,"first":0,"last":18446744073709551615,"cost":1,"program":"","algorithm":"","lease":""}"#;
    nats.publish(&format!("queens.{id}.unit.cpu.0"), huge);
    // The server assumes for ten seconds that there are GPUs, and then gives their units to others.
    succeeds(worker(&nats));
    succeeds(server);
    complete(&file, 14);
}

#[test]
fn user_and_password_in_the_address_work() {
    let folder = Folder::new();
    let settings = "authorization { user: ann, password: \"se:cret\" }";
    let nats = Nats::with(&folder, settings);
    let with = nats.url().replace("nats://", "nats://ann:se%3Acret@");
    let wrong = nats.url().replace("nats://", "nats://ann:guess@");
    let said = refusal(queens().args(["worker", "--nats", &wrong]));
    assert!(said.contains("authorization violation"), "{said}");
    assert!(!said.contains("guess"), "{said}");
    let file = folder.campaign(12, "c");
    let mut worker = queens();
    let worker = Kept::start(worker.args(["worker", "--nats", &with, "--threads", "1"]));
    answer(campaign("serve").arg(&file).args(["--nats", &with]));
    succeeds(worker);
    complete(&file, 12);
}

#[test]
fn a_worker_of_another_version_is_refused() {
    let folder = Folder::new();
    let nats = Nats::start(&folder);
    let file = folder.campaign(16, "c");
    let stop = Arc::new(AtomicBool::new(false));
    let server = {
        let (connect, stop) = (nats.connect(), Arc::clone(&stop));
        std::thread::spawn(move || {
            let mut campaign = Campaign::open(&file, Access::Write).unwrap();
            let server = Server {
                connect,
                lease: Duration::from_secs(2),
                replicas: 1,
                program: "queens 9.9.9".to_owned(),
                audit: 0.0,
                twice: false,
            };
            let nothing = |_| Ok(Vec::new());
            server
                .serve(&mut campaign, &nothing, &stop, &mut |_| {})
                .unwrap()
        })
    };
    let mut worker = queens();
    worker.args(["worker", "--nats", &nats.url()]);
    let output = worker.output().unwrap();
    let said = stderr(&output);
    stop.store(true, Ordering::Relaxed);
    server.join().unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("this worker is refused"), "{said}");
    assert!(said.contains("queens 9.9.9"), "{said}");
    assert!(said.contains(queens_campaign::PROGRAM), "{said}");
}

#[test]
fn a_server_that_is_not_there_or_has_no_jetstream_is_one_clear_line() {
    let folder = Folder::new();
    let file = folder.campaign(8, "c");
    let nowhere = ["--nats", "nats://user:secret@127.0.0.1:1"];
    for mut command in [queens(), campaign("serve")] {
        if command.get_args().count() == 0 {
            command.arg("worker");
        } else {
            command.arg(&file);
        }
        let said = refusal(command.args(nowhere));
        assert!(
            said.contains("cannot connect to nats://127.0.0.1:1"),
            "{said}"
        );
        assert!(!said.contains("secret"), "{said}");
    }
    let said = refusal(queens().arg("worker").env_remove("NATS_URL"));
    assert!(said.contains("--nats URL"), "{said}");
    let missing = folder.file("missing.creds");
    let said = refusal(
        queens()
            .args(["worker", "--nats", "x", "--creds"])
            .arg(&missing),
    );
    assert!(said.contains("missing.creds"), "{said}");
}
