//! How fast the engines are: each claim has a goal, and every answer is asserted.
//!
//! `cargo bench -p queens` runs all parts; `cargo bench -p queens -- mirror threads` runs
//! those named. Times are the best of several runs, because a busy machine only ever adds
//! time. A goal that depends on a clock is reported as met or missed and never fails the run.
//! A count of instructions does not depend on how busy the machine is, so it is asserted.
//!
//! | part | what is compared | goal |
//! |---|---|---|
//! | `ladder` | every engine on one board | |
//! | `recitation` | `bitmask` with the recitation's C program, gcc -O3 -march=native | at most 1.1 times |
//! | `mirror` | `mirror` with `bitmask` at n = 16 | at least 3 times faster |
//! | `threads` | `mirror` on two threads with one at n = 16 | at least 1.9 times faster |
//! | `listing` | listing and writing 13 as tuples with counting it, both by `bitmask` | at most 2 times |
//! | `iterator` | the iterator over the solutions for 13 with the visitor of `bitmask` | at most 2 times |
//! | `silence` | `bitmask` with the same loop written without observers, in instructions | within 1 % |

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use queens::count::ENGINES;
use queens::format::{Format, Writer};
use queens::{Count, Engine, List, Solution, known, solutions};

const PARTS: [(&str, fn()); 7] = [
    ("ladder", ladder),
    ("recitation", recitation),
    ("mirror", mirror),
    ("threads", threads),
    ("listing", listing),
    ("iterator", iterator),
    ("silence", silence),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    // The parts `iterator` and `silence` run this program again, under valgrind.
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
fn seconds(engine: Engine, n: usize, threads: usize, runs: usize) -> f64 {
    let expected = known::known(n)
        .expect("the boards of this file are published")
        .all;
    best(runs, || {
        let count = Count::new(n).engine(engine).threads(threads);
        assert_eq!(count.run(), Ok(expected), "{engine} {n}");
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
    for &engine in ENGINES {
        let time = seconds(engine, N, 1, 3);
        println!("  {engine:<15} n = {N}  {:>9.3} ms", time * 1e3);
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
    // The two take turns, so that a slow moment of the machine hits both.
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
        rust_best = rust_best.min(seconds(Engine::Bitmask, N, 1, 1));
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
    let bitmask = seconds(Engine::Bitmask, N, 1, 2);
    let mirror = seconds(Engine::Mirror, N, 1, 3);
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
        one = one.min(seconds(Engine::Mirror, N, 1, 1));
        two = two.min(seconds(Engine::Mirror, N, 2, 1));
    }
    println!("  one thread {one:.3} s, two threads {two:.3} s at n = {N}");
    let ratio = one / two;
    report("one / two", ratio, "at least 1.9", ratio >= 1.9);
}

fn listing() {
    const N: usize = 13;
    let count = seconds(Engine::Bitmask, N, 1, 7);
    let list = best(7, || {
        let mut writer = Writer::new(Format::Tuple, N, false);
        let mut out = Vec::with_capacity(1 << 16);
        let mut bytes = 0;
        let end = List::new(N).engine(Engine::Bitmask).visit(|solution| {
            let written = writer.solution(solution, None, &mut out);
            written.expect("all solutions have one size");
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

const ITERATOR_N: usize = 13;
const ITERATOR_SOLUTIONS: u64 = 73_712;

fn iterator() {
    let visitor = best(5, || assert_eq!(visit(), visit_end()));
    let iterator = best(5, || assert_eq!(iterate(), visit_end()));
    println!(
        "  visitor {:.1} ms, iterator {:.1} ms at n = {ITERATOR_N}",
        visitor * 1e3,
        iterator * 1e3
    );
    let ratio = iterator / visitor;
    report("iterator / visitor", ratio, "at most 2", ratio <= 2.0);
    let Some(nothing) = instructions("nothing") else {
        return println!("  instructions skipped: valgrind cannot be started");
    };
    let [visitor, iterator] =
        ["visit", "iterate"].map(|what| instructions(what).map_or(0, |all| all - nothing));
    println!("  visitor {visitor}, iterator {iterator} instructions");
    let ratio = iterator as f64 / visitor as f64;
    report("iterator / visitor", ratio, "at most 2", ratio <= 2.0);
    assert!(ratio <= 2.0, "the iterator costs more than it should");
}

/// How many solutions the visitor sees, and the sum of the columns of their first queens.
fn visit() -> (u64, u64) {
    let mut seen = (0, 0);
    let end = List::new(ITERATOR_N)
        .engine(Engine::Bitmask)
        .visit(|solution| {
            take(&mut seen, solution);
            ControlFlow::Continue(())
        });
    assert_eq!(end, Ok(ControlFlow::Continue(ITERATOR_SOLUTIONS)));
    seen
}

/// The same, from the iterator.
fn iterate() -> (u64, u64) {
    let mut seen = (0, 0);
    for solution in solutions(ITERATOR_N) {
        take(&mut seen, &solution);
    }
    seen
}

fn take(seen: &mut (u64, u64), solution: &Solution) {
    seen.0 += 1;
    seen.1 += solution[0] as u64;
}

/// What both must see: because of mirror images, the mean column is the middle one.
fn visit_end() -> (u64, u64) {
    (
        ITERATOR_SOLUTIONS,
        ITERATOR_SOLUTIONS * (ITERATOR_N as u64 / 2),
    )
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
        "engine" => Count::new(SILENCE_N).engine(Engine::Bitmask).run(),
        "visit" => return assert_eq!(visit(), visit_end()),
        "iterate" => return assert_eq!(iterate(), visit_end()),
        "plain" => {
            let all = std::hint::black_box((1 << SILENCE_N) - 1);
            Ok(u128::from(plain(all, 0, 0, all, 0)))
        }
        _ => return,
    };
    assert_eq!(count, Ok(2680));
}

/// The loop of `bitmask` as it would be written if nobody ever listened to it.
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
