//! How fast the engines are, each claim beside its goal, every answer asserted.
//!
//! `cargo bench -p queens` runs all parts; `cargo bench -p queens -- mirror threads` runs
//! those named. Times are the best of several runs, because a busy machine only ever adds.
//! A goal that depends on a clock is reported as met or missed and never fails the run; a
//! count of instructions does not depend on the machine's mood, and it is asserted.
//!
//! | part | what is compared | goal |
//! |---|---|---|
//! | `ladder` | every engine on one board | |
//! | `recitation` | `bitmask` with the recitation's C program, gcc -O3 -march=native | at most 1.1 times |
//! | `mirror` | `mirror` with `bitmask` at n = 16 | at least 3 times faster |
//! | `threads` | `mirror` on two threads with one at n = 16 | at least 1.9 times faster |
//! | `listing` | listing and writing 13 as tuples with counting it, both by `bitmask` | at most 2 times |
//! | `silence` | `bitmask` with the same loop written without observers, in instructions | within 1 % |

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use queens::count::{ENGINES, Job, engine};
use queens::format::{Format, Writer};
use queens::{known, list};

const PARTS: [(&str, fn()); 6] = [
    ("ladder", ladder),
    ("recitation", recitation),
    ("mirror", mirror),
    ("threads", threads),
    ("listing", listing),
    ("silence", silence),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    // The part `silence` runs this program again, under valgrind.
    if let [verb, what] = &args[..]
        && verb == "--once"
    {
        once(what);
        return ExitCode::SUCCESS;
    }
    if let Some(stranger) = args
        .iter()
        .find(|arg| PARTS.iter().all(|(name, _)| name != arg))
    {
        let names = PARTS.map(|(name, _)| name).join(", ");
        eprintln!("no part is named {stranger}; the parts are {names}");
        return ExitCode::from(2);
    }
    for (name, part) in PARTS {
        if args.is_empty() || args.iter().any(|arg| arg == name) {
            println!("{name}");
            part();
        }
    }
    ExitCode::SUCCESS
}

/// The count of one engine, asserted, and its best time in seconds.
fn seconds(name: &str, n: usize, threads: usize, runs: usize) -> f64 {
    let engine = engine(name).expect("the engines of this file exist");
    let expected = known::known(n)
        .expect("the boards of this file are published")
        .all;
    best(runs, || {
        assert_eq!(
            engine.count(&Job::new(n).threads(threads)),
            Ok(expected),
            "{name} {n}"
        );
    })
}

/// The best time of several runs, in seconds.
fn best(runs: usize, mut work: impl FnMut()) -> f64 {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

/// Prints one comparison and whether it reaches its goal.
fn report(what: &str, ratio: f64, goal: &str, met: bool) {
    let verdict = if met { "met" } else { "MISSED" };
    println!("  {what}: {ratio:.3} (goal: {goal}; {verdict})");
}

fn ladder() {
    const N: usize = 12;
    for engine in ENGINES {
        let time = seconds(engine.name, N, 1, 3);
        println!("  {:<15} n = {N}  {:>9.3} ms", engine.name, time * 1e3);
    }
}

fn recitation() {
    const N: usize = 14;
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/recitation.c");
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recitation");
    let gcc = Command::new("gcc")
        .args(["-O3", "-march=native", "-Wall", "-Werror", "-o"])
        .args([&program, &source])
        .status();
    match gcc {
        Err(error) => return println!("  skipped: gcc cannot be started ({error})"),
        Ok(status) => assert!(status.success(), "gcc does not accept {}", source.display()),
    }
    let mut c_best = f64::INFINITY;
    let mut rust_best = f64::INFINITY;
    // In turns, so that a slow moment of the machine meets both.
    for _ in 0..7 {
        let output = Command::new(&program)
            .arg(N.to_string())
            .output()
            .expect("it was built");
        let text = String::from_utf8(output.stdout).expect("it prints digits");
        let (count, time) = text.trim().split_once(' ').expect("it prints two numbers");
        let expected = known::known(N).expect("14 is published").all.to_string();
        assert_eq!(count, expected);
        c_best = c_best.min(time.parse().expect("the second is seconds"));
        rust_best = rust_best.min(seconds("bitmask", N, 1, 1));
    }
    println!(
        "  C {:.1} ms, bitmask {:.1} ms at n = {N}",
        c_best * 1e3,
        rust_best * 1e3
    );
    let ratio = rust_best / c_best;
    report("bitmask / C", ratio, "at most 1.1", ratio <= 1.1);
}

fn mirror() {
    const N: usize = 16;
    let bitmask = seconds("bitmask", N, 1, 2);
    let mirror = seconds("mirror", N, 1, 3);
    println!("  bitmask {bitmask:.3} s, mirror {mirror:.3} s at n = {N}, one thread");
    let ratio = bitmask / mirror;
    report("bitmask / mirror", ratio, "at least 3", ratio >= 3.0);
}

fn threads() {
    const N: usize = 16;
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return println!("  skipped: this machine has one core");
    }
    let (mut one, mut two) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        one = one.min(seconds("mirror", N, 1, 1));
        two = two.min(seconds("mirror", N, 2, 1));
    }
    println!("  one thread {one:.3} s, two threads {two:.3} s at n = {N}");
    let ratio = one / two;
    report("one / two", ratio, "at least 1.9", ratio >= 1.9);
}

fn listing() {
    const N: usize = 13;
    let bitmask = engine("bitmask").expect("bitmask is an engine");
    let count = seconds("bitmask", N, 1, 7);
    let list = best(7, || {
        let mut writer = Writer::new(Format::Tuple, N, false);
        let mut out = Vec::with_capacity(1 << 16);
        let mut bytes = 0;
        let end = list::list(N, bitmask, |cols| {
            writer.solution(cols, None, &mut out);
            if out.len() > (1 << 16) - 512 {
                bytes += out.len();
                out.clear();
            }
            ControlFlow::Continue(())
        });
        assert_eq!(end, Ok(ControlFlow::Continue(73712)));
        // "(", 9 one-digit and 4 two-digit columns, 12 commas with blanks, ")", newline.
        assert_eq!(bytes + out.len(), 73712 * (2 + 9 + 8 + 24 + 1));
    });
    println!(
        "  count {:.1} ms, list {:.1} ms at n = {N}",
        count * 1e3,
        list * 1e3
    );
    let ratio = list / count;
    report("list / count", ratio, "at most 2", ratio <= 2.0);
}

const SILENCE_N: usize = 11;

fn silence() {
    let Some(nothing) = instructions("nothing") else {
        return println!("  skipped: valgrind cannot be started");
    };
    let engine = instructions("engine").expect("valgrind was there a moment ago") - nothing;
    let plain = instructions("plain").expect("valgrind was there a moment ago") - nothing;
    println!("  engine {engine}, plain {plain} instructions at n = {SILENCE_N}");
    let ratio = engine as f64 / plain as f64;
    report("engine / plain", ratio, "at most 1.01", ratio <= 1.01);
    assert!(
        ratio <= 1.01,
        "events cost something although nobody listens"
    );
}

/// The instructions that this program executes for `--once what`.
fn instructions(what: &str) -> Option<u64> {
    let program = std::env::current_exe().expect("a running program has a path");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--once", what])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text
        .lines()
        .find_map(|line| line.split_once("Collected : "));
    let (_, number) = collected.unwrap_or_else(|| panic!("callgrind said: {text}"));
    Some(number.trim().parse().expect("callgrind collects a number"))
}

/// One count, for the instruction counter.
fn once(what: &str) {
    let count = match what {
        "engine" => engine("bitmask")
            .expect("it is an engine")
            .count(&Job::new(SILENCE_N)),
        "plain" => {
            let all = std::hint::black_box((1 << SILENCE_N) - 1);
            Ok(u128::from(plain(all, 0, 0, all, 0)))
        }
        _ => return,
    };
    assert_eq!(count, Ok(2680));
}

/// The loop of `bitmask` as it would be written had nobody ever wanted to listen.
fn plain(open: u32, left: u32, right: u32, mut possible: u32, mut count: u64) -> u64 {
    while possible != 0 {
        let place = possible & possible.wrapping_neg();
        let open = open ^ place;
        let left = (left | place) << 1;
        let right = (right | place) >> 1;
        let below = open & !(left | right);
        if below != 0 {
            count = plain(open, left, right, below, count);
        } else if open == 0 {
            count += 1;
        }
        possible ^= place;
    }
    count
}
