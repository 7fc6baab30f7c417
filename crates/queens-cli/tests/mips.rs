//! The assembly lesson, assembled and run for real.
//!
//! The program asm/mips/queens.s runs in two simulators: SPIM, which assembles the file
//! itself, and qemu-mips, after GNU as has made a Linux program of it together with the
//! shim asm/mips/linux.s. Its counts and its tuples are compared with the library's, the
//! registers it really holds with what `queens asm --trace` prints, and its commentary
//! with the Rust it quotes. Parts that a whole run never reaches, such as counts beyond
//! 32 bits, are reached by drivers: the same source, its `main` replaced by another one.
//!
//! The simulators and the assembler are packages that `make test` installs; a test that
//! misses one fails and says so.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use queens::search::trace::{Style, Trace, Until};

const PROGRAM: &str = include_str!("../../../asm/mips/queens.s");
const SHIM: &str = include_str!("../../../asm/mips/linux.s");
const ENGINE: &str = include_str!("../../queens/src/board/bitmask.rs");

const ASK_N: &str = "How many queens (0 to 27)?\n";
const ASK_LIST: &str = "Print every solution (1) or only count them (0)?\n";
const USAGE: &str = "usage: n [list], where n is 0 to 27 and list is 0 or 1\n";

/// What a run printed, and its exit status.
#[derive(Debug, PartialEq)]
struct Outcome {
    stdout: String,
    status: Option<i32>,
}

/// A command whose absence is explained.
fn spawn(command: &mut Command) -> Child {
    let name = command.get_program().to_string_lossy().into_owned();
    command.spawn().unwrap_or_else(|error| {
        panic!("cannot run `{name}` ({error}); `make test` installs it, by scripts/setup-tests")
    })
}

/// Runs a command with `input` on its standard input.
fn run(command: &mut Command, input: &[u8]) -> Outcome {
    let mut child = spawn(
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    // A program that refuses its first line has ended before it is given the rest.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    assert!(
        output.stderr.is_empty(),
        "{command:?} complained: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Outcome {
        stdout: String::from_utf8(output.stdout).unwrap(),
        status: output.status.code(),
    }
}

/// A file of one test, removed after use.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Scratch(folder.join(format!("mips-{}-{number}-{name}", std::process::id())))
    }

    fn holding(name: &str, text: &str) -> Scratch {
        let file = Scratch::new(name);
        std::fs::write(&file, text).unwrap();
        file
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<OsStr> for Scratch {
    fn as_ref(&self) -> &OsStr {
        self.0.as_os_str()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Assembles sources, read as one, with GNU as.
fn assemble(options: &[&str], sources: &[&str]) -> Scratch {
    let object = Scratch::new("queens.o");
    let parts: Vec<_> = sources
        .iter()
        .map(|source| Scratch::holding("part.s", source))
        .collect();
    let mut command = Command::new("mips-linux-gnu-as");
    command.args(options).arg("-o").arg(&object).args(&parts);
    assert_eq!(run(&mut command, b"").status, Some(0), "{command:?}");
    object
}

/// The bytes that a section of an object file would have in memory.
fn section(object: &Scratch, name: &str) -> Vec<u8> {
    let bytes = Scratch::new("section.bin");
    let mut command = Command::new("mips-linux-gnu-objcopy");
    command
        .args(["-O", "binary", "-j", name])
        .arg(object)
        .arg(&bytes);
    assert_eq!(run(&mut command, b"").status, Some(0), "{command:?}");
    let bytes = std::fs::read(&bytes).unwrap();
    assert!(!bytes.is_empty(), "section {name} is empty");
    bytes
}

/// A way to run an assembly program with SPIM's system calls.
enum Machine {
    /// SPIM, with options.
    Spim(&'static [&'static str]),
    /// Linux on MIPS under qemu: the emulator, options of the assembler and of the linker.
    Qemu(
        &'static str,
        &'static [&'static str],
        &'static [&'static str],
    ),
}

const SPIM: Machine = Machine::Spim(&[]);
const SPIM_DELAYED: Machine = Machine::Spim(&["-delayed_branches", "-delayed_loads"]);
const QEMU: Machine = Machine::Qemu("qemu-mips", &[], &[]);
const QEMU_REORDER: Machine = Machine::Qemu("qemu-mips", &["--defsym", "REORDER=1"], &[]);
const QEMU_LITTLE_ENDIAN: Machine =
    Machine::Qemu("qemu-mipsel", &["-EL"], &["-EL", "-m", "elf32ltsmip"]);

impl Machine {
    /// Prepares a program and returns what runs it, as often as needed.
    fn load(&self, program: &str) -> impl Fn(&str) -> Outcome + use<> {
        let (emulator, options, file) = match *self {
            Machine::Spim(options) => {
                let options = [options, &["-file"]].concat();
                ("spim", options, Scratch::holding("queens.s", program))
            }
            Machine::Qemu(emulator, assembler, linker) => {
                let object = assemble(assembler, &[SHIM, program]);
                (emulator, Vec::new(), link(linker, &object))
            }
        };
        move |input| {
            let mut outcome = run(
                Command::new(emulator).args(&options).arg(&file),
                input.as_bytes(),
            );
            if emulator == "spim" {
                // SPIM introduces itself; the program's own output follows this line.
                let (_banner, own) = outcome
                    .stdout
                    .split_once("exceptions.s\n")
                    .expect("SPIM names the exception handler it has loaded");
                outcome.stdout = own.to_owned();
            }
            outcome
        }
    }
}

fn link(options: &[&str], object: &Scratch) -> Scratch {
    let executable = Scratch::new("queens-mips");
    let mut command = Command::new("mips-linux-gnu-ld");
    command.args(options).arg("-o").arg(&executable).arg(object);
    assert_eq!(run(&mut command, b"").status, Some(0), "{command:?}");
    executable
}

/// All solutions as 1-based tuples, one per line, and their number, by the library.
fn library(n: usize) -> (String, u64) {
    let mut tuples = String::new();
    let mut count = 0;
    for solution in queens::solutions(n) {
        writeln!(tuples, "{solution}").unwrap();
        count += 1;
    }
    (tuples, count)
}

/// Counts and lists on a machine, for every n in the range, and compares with the library.
fn agrees_with_the_library(machine: &Machine, sizes: std::ops::RangeInclusive<usize>) {
    let program = machine.load(PROGRAM);
    for n in sizes {
        let (tuples, count) = library(n);
        let last = format!("{n}-Queens has {count} solutions\n");
        let counted = program(&format!("{n}\n0\n"));
        assert_eq!(counted.stdout, format!("{ASK_N}{ASK_LIST}{last}"));
        assert_eq!(counted.status, Some(0));
        let listed = program(&format!("{n}\n1\n"));
        assert!(
            listed.stdout == format!("{ASK_N}{ASK_LIST}{tuples}{last}"),
            "the tuples for n = {n} differ from the library's"
        );
        assert_eq!(listed.status, Some(0));
    }
}

#[test]
fn spim_counts_and_lists_what_the_library_does() {
    agrees_with_the_library(&SPIM, 0..=9);
}

#[test]
fn spim_with_delayed_branches_and_loads_gives_the_same_answers() {
    agrees_with_the_library(&SPIM_DELAYED, 0..=9);
    agrees_with_the_library(&Machine::Spim(&["-delayed_branches"]), 5..=6);
    agrees_with_the_library(&Machine::Spim(&["-delayed_loads"]), 5..=6);
}

#[test]
fn qemu_counts_and_lists_what_the_library_does() {
    agrees_with_the_library(&QEMU, 0..=13);
}

#[test]
fn neither_reordering_nor_byte_order_changes_the_answers() {
    agrees_with_the_library(&QEMU_REORDER, 0..=9);
    agrees_with_the_library(&QEMU_LITTLE_ENDIAN, 0..=9);
}

#[test]
fn the_second_input_may_stand_on_the_same_line_or_be_missing() {
    let four = "(2, 4, 1, 3)\n(3, 1, 4, 2)\n";
    let last = "4-Queens has 2 solutions\n";
    for machine in [SPIM, SPIM_DELAYED, QEMU] {
        let program = machine.load(PROGRAM);
        for (input, expected) in [
            ("4 1\n", format!("{ASK_N}{four}{last}")),
            ("4 0\n", format!("{ASK_N}{last}")),
            (" \t 004\t1 \r\n", format!("{ASK_N}{four}{last}")),
            ("4", format!("{ASK_N}{ASK_LIST}{last}")),
            ("4\n", format!("{ASK_N}{ASK_LIST}{last}")),
            ("4\n\n", format!("{ASK_N}{ASK_LIST}{last}")),
            ("4\n 1", format!("{ASK_N}{ASK_LIST}{four}{last}")),
            ("4\r\n1\r\n", format!("{ASK_N}{ASK_LIST}{four}{last}")),
            ("4 1\nignored\n", format!("{ASK_N}{four}{last}")),
        ] {
            let outcome = program(input);
            assert_eq!(outcome.stdout, expected, "input {input:?}");
            assert_eq!(outcome.status, Some(0), "input {input:?}");
        }
    }
}

#[test]
fn bad_input_gets_the_usage_line_and_status_1() {
    let long = format!("4{}1\n", " ".repeat(100));
    for machine in [SPIM, SPIM_DELAYED, QEMU] {
        let program = machine.load(PROGRAM);
        for input in [
            "",
            "\n",
            " \n",
            "x\n",
            "8x\n",
            "8,1\n",
            "-1\n",
            "+8\n",
            "3.5\n",
            "28\n",
            "999\n",
            "1000\n",
            "4294967300\n",
            "99999999999999999999999999\n",
            "8 2\n",
            "8 x\n",
            "8 -1\n",
            "8 1 1\n",
            "8 1 x\n",
            "8\u{e9}\n",
            &long,
        ] {
            let outcome = program(input);
            assert_eq!(outcome.stdout, format!("{ASK_N}{USAGE}"), "input {input:?}");
            assert_eq!(outcome.status, Some(1), "input {input:?}");
        }
        for input in ["8\n2\n", "8\nyes\n", "8\n1 1\n"] {
            let outcome = program(input);
            assert_eq!(
                outcome.stdout,
                format!("{ASK_N}{ASK_LIST}{USAGE}"),
                "input {input:?}"
            );
            assert_eq!(outcome.status, Some(1), "input {input:?}");
        }
    }
}

#[test]
fn a_full_disk_ends_the_linux_program_with_status_2() {
    let executable = link(&[], &assemble(&[], &[SHIM, PROGRAM]));
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = Command::new("qemu-mips");
    let mut child = spawn(command.arg(&executable).stdin(Stdio::null()).stdout(full));
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// The program with another `main`, which can call its functions one by one.
fn with_main(main: &str) -> String {
    assert_eq!(PROGRAM.matches("\nmain:\n").count(), 1);
    format!("{}\n{main}", PROGRAM.replace("\nmain:\n", "\nown_main:\n"))
}

#[test]
fn numbers_of_64_bits_are_printed_in_full() {
    let mut values = vec![
        0,
        9,
        10,
        99,
        (1 << 31) - 1,
        1 << 31,
        (1 << 32) - 1,
        1 << 32,
        (1 << 32) + 1,
        4_968_057_848,           // the count for n = 19, the first beyond 32 bits
        234_907_967_154_122_528, // the count for n = 27
        10_000_000_000_000_000_000,
        u64::MAX,
    ];
    values.extend((0..20).map(|power| 10u64.pow(power)));
    values.extend((0..20).map(|power| 10u64.pow(power) - 1));
    // And values of every length without pattern.
    let mut state = 1u64;
    values.extend((0..64).map(|shift| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> shift
    }));

    let mut driver = String::from(
        "
        .data
newline: .asciiz \"\\n\"
        .align 2
table:
",
    );
    for value in &values {
        writeln!(
            driver,
            "  .word {:#x}\n  .word {:#x}",
            *value as u32,
            value >> 32
        )
        .unwrap();
    }
    write!(
        driver,
        "
        .text
main:   la    $s0, table
        li    $s1, {}
each:   lw    $a0, 0($s0)
        lw    $a1, 4($s0)
        jal   print_u64
        nop
        la    $a0, newline
        li    $v0, 4
        syscall
        addiu $s0, $s0, 8
        addiu $s1, $s1, -1
        bnez  $s1, each
        nop
        li    $a0, 0
        li    $v0, 17
        syscall
",
        values.len()
    )
    .unwrap();
    let expected: String = values.iter().map(|value| format!("{value}\n")).collect();
    for machine in [SPIM, SPIM_DELAYED, QEMU, QEMU_LITTLE_ENDIAN] {
        assert_eq!(machine.load(&with_main(&driver))("").stdout, expected);
    }
}

#[test]
fn the_longest_tuple_fits_in_its_line() {
    // The largest board has 27 rows; its longest tuple has every column from 1 to 27.
    let mut driver = String::from("  .text\nmain:\n");
    for row in 0..27 {
        writeln!(
            driver,
            "  li $t0, {:#x}\n  sw $t0, places + {}",
            1 << (26 - row),
            4 * row
        )
        .unwrap();
    }
    driver
        .push_str("  li $a0, 27\n  jal print_tuple\n  nop\n  li $a0, 0\n  li $v0, 17\n  syscall\n");
    let columns: Vec<_> = (1..=27).rev().map(|col| col.to_string()).collect();
    for machine in [SPIM, QEMU] {
        let outcome = machine.load(&with_main(&driver))("");
        assert_eq!(outcome.stdout, format!("({})\n", columns.join(", ")));
    }
}

#[test]
fn counts_beyond_32_bits_are_summed_with_their_carries() {
    // A run that finds this many solutions takes weeks; instead each solution counts for
    // more than one. The rest of the program is untouched.
    let one = "        li    $v0, 1            # it counts 1: low half\n        \
               li    $v1, 0            # high half\n";
    assert_eq!(PROGRAM.matches(one).count(), 1);
    for worth in [
        0x7fff_ffff_u64,
        0xffff_ffff,
        0x1_0000_0001,
        0x0003_ffff_ffff,
    ] {
        let more = format!(
            "        li    $v0, {:#x}\n        li    $v1, {:#x}\n",
            worth as u32,
            worth >> 32
        );
        let program = PROGRAM.replace(one, &more);
        for machine in [SPIM, QEMU] {
            let program = machine.load(&program);
            for n in [4, 5, 6, 7, 8] {
                let total = library(n).1 * worth;
                let last = format!("{n}-Queens has {total} solutions\n");
                assert_eq!(
                    program(&format!("{n} 0\n")).stdout,
                    format!("{ASK_N}{last}")
                );
            }
        }
    }
}

#[test]
fn every_function_gives_back_the_registers_it_must_keep() {
    // All kept registers get a value of their own before the call; afterwards the number
    // of those that changed is printed.
    let mut driver = String::from(
        "
        .data
before: .word 0
        .text
main:   li    $t0, 63
        sw    $t0, mask
        li    $t0, 1
        sw    $t0, list
        sw    $sp, before
        addiu $sp, $sp, -16
",
    );
    for register in 0..8 {
        writeln!(driver, "  li $s{register}, {}", 1000 + register).unwrap();
    }
    driver.push_str(
        "  li $fp, 2000
        li    $a0, 0
        li    $a1, 0
        li    $a2, 0
        li    $a3, 0
        jal   queens
        nop
        li    $a0, 0
        li    $a1, 0
        addiu $sp, $sp, 16
        lw    $t0, before
        nop
        beq   $sp, $t0, level
        nop
        addiu $a0, $a0, 1
level:
",
    );
    for register in 0..8 {
        let value = 1000 + register;
        writeln!(
            driver,
            "  li $t0, {value}\n  beq $s{register}, $t0, kept{register}\n  nop\n  \
             addiu $a0, $a0, 1\nkept{register}:"
        )
        .unwrap();
    }
    driver.push_str(
        "  li $t0, 2000
        beq   $fp, $t0, keptfp
        nop
        addiu $a0, $a0, 1
keptfp: jal   print_u64
        nop
        li    $a0, 0
        li    $v0, 17
        syscall
",
    );
    for machine in [SPIM, SPIM_DELAYED, QEMU] {
        let outcome = machine.load(&with_main(&driver))("");
        assert_eq!(outcome.stdout, format!("{}0", library(6).0));
    }
}

/// Runs the command `queens asm` and returns what it prints.
fn queens_asm(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queens"));
    let outcome = run(command.arg("asm").args(arguments), b"");
    assert_eq!(outcome.status, Some(0), "{command:?}");
    outcome.stdout
}

#[test]
fn the_explained_listing_is_the_file_that_is_assembled() {
    assert!(queens_asm(&["--target", "mips", "--explain"]) == PROGRAM);
    assert!(queens_asm(&["--explain"]) == PROGRAM);
    let linux = queens_asm(&["--target", "mips-linux", "--explain"]);
    assert!(linux == format!("{SHIM}{PROGRAM}"));
}

#[test]
fn the_bare_listing_assembles_to_the_same_machine_code() {
    let bare = queens_asm(&["--target", "mips"]);
    assert!(!bare.contains('#'), "a comment was left");
    assert!(bare.lines().all(|line| !line.trim().is_empty()));
    // Alone, as a student assembles it, and as the whole Linux program.
    let alone = ["-mips32"];
    for (explained, bare) in [
        (assemble(&alone, &[PROGRAM]), assemble(&alone, &[&bare])),
        (
            assemble(&[], &[SHIM, PROGRAM]),
            assemble(&[], &[&queens_asm(&["--target", "mips-linux"])]),
        ),
    ] {
        for name in [".text", ".data"] {
            assert!(
                section(&explained, name) == section(&bare, name),
                "{name} differs"
            );
        }
    }
    assert_eq!(
        SPIM.load(&bare)("5 1\n").stdout,
        SPIM.load(PROGRAM)("5 1\n").stdout
    );
}

#[test]
fn each_quoted_line_of_rust_is_a_line_of_the_bitmask_engine() {
    let quotes: Vec<_> = PROGRAM
        .lines()
        .filter_map(|line| line.strip_prefix("#| "))
        .collect();
    assert!(quotes.len() >= 12, "only {} quotes", quotes.len());
    for quote in quotes {
        assert!(
            ENGINE.lines().any(|line| line.trim() == quote),
            "board/bitmask.rs has no line `{quote}`"
        );
    }
}

/// The instructions of a source: mnemonic, operands, and whether a comment stands beside.
fn instructions(source: &str) -> Vec<(&str, Vec<&str>, bool)> {
    let mut all = Vec::new();
    let mut in_text = false;
    for line in source.lines() {
        let (code, comment) = line.split_once('#').unwrap_or((line, ""));
        match code.trim() {
            ".text" => in_text = true,
            ".data" => in_text = false,
            "" => {}
            code if !in_text || code.starts_with('.') || code.ends_with(':') => {}
            code => {
                let (name, operands) = code.split_once(' ').unwrap_or((code, ""));
                let operands = operands
                    .split([',', '(', ')', ' '])
                    .filter(|operand| !operand.is_empty());
                all.push((name, operands.collect(), !comment.trim().is_empty()));
            }
        }
    }
    all
}

#[test]
fn every_instruction_is_explained_and_no_delay_slot_is_used() {
    for source in [PROGRAM, SHIM] {
        let instructions = instructions(source);
        assert!(instructions.len() > 60);
        for pair in instructions.windows(2) {
            let [(name, operands, explained), (next, uses, _)] = pair else {
                unreachable!("a window of two");
            };
            assert!(explained, "no comment beside {name} {operands:?}");
            if name.starts_with('b') || name.starts_with('j') {
                assert_eq!(*next, "nop", "after {name} {operands:?}");
            }
            if matches!(*name, "lw" | "lb") {
                assert!(
                    !uses.contains(&operands[0]),
                    "{next} {uses:?} needs a load delay"
                );
            }
        }
    }
}

/// One stop of the program: the label, and registers by name.
type Stop = (String, BTreeMap<String, u32>);

/// The stops that `queens asm --trace` prints.
fn traced(n: usize) -> Vec<Stop> {
    let stops: Vec<Stop> = queens_asm(&["--trace", &n.to_string()])
        .lines()
        .skip(1)
        .filter_map(stop)
        .collect();
    assert!(stops.iter().all(|(_, registers)| registers.len() >= 2));
    stops
}

/// The stop in a line of the trace, if the line has one to the left of its bar.
fn stop(line: &str) -> Option<Stop> {
    let (left, _bits) = line.split_once(" |")?;
    let mut words = left.split_whitespace();
    let label = words.next()?.to_owned();
    let registers = words.map(|word| {
        let (name, hex) = word.trim_start_matches('$').split_once("=0x").unwrap();
        (name.to_owned(), u32::from_str_radix(hex, 16).unwrap())
    });
    Some((label, registers.collect()))
}

/// Where `queens asm --trace` stops.
const LABELS: [&str; 5] = ["queens", "chosen", "solution", "return", "back"];

#[test]
fn the_trace_shows_the_registers_that_qemu_shows() {
    let executable = link(&[], &assemble(&[], &[SHIM, PROGRAM]));
    let symbols = run(Command::new("mips-linux-gnu-nm").arg(&executable), b"").stdout;
    let labels: BTreeMap<u32, &str> = symbols
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let address = u32::from_str_radix(words.next()?, 16).ok()?;
            let name = words.nth(1)?;
            LABELS.contains(&name).then_some((address, name))
        })
        .collect();
    assert_eq!(labels.len(), LABELS.len());
    let ranges: Vec<_> = labels
        .keys()
        .map(|address| format!("{address:#x}+4"))
        .collect();

    // Newer versions of qemu have another name for the option.
    let help = run(Command::new("qemu-mips").arg("-help"), b"").stdout;
    let single_step = if help.contains("-one-insn-per-tb") {
        "-one-insn-per-tb"
    } else {
        "-singlestep"
    };

    for n in 4..=6 {
        // One instruction at a time, with the registers written down before those at the
        // labels.
        let log = Scratch::new("registers.log");
        let mut command = Command::new("qemu-mips");
        command
            .args([
                single_step,
                "-d",
                "cpu,nochain",
                "-dfilter",
                &ranges.join(","),
            ])
            .arg("-D")
            .arg(&log)
            .arg(&executable);
        assert_eq!(
            run(&mut command, format!("{n} 0\n").as_bytes()).status,
            Some(0)
        );

        let mut seen: Vec<Stop> = Vec::new();
        for line in std::fs::read_to_string(&log).unwrap().lines() {
            if let Some(rest) = line.strip_prefix("pc=0x") {
                let address = u32::from_str_radix(&rest[..8], 16).unwrap();
                seen.push((labels[&address].to_owned(), BTreeMap::new()));
            } else if line.starts_with("GPR") {
                let words: Vec<_> = line.split_whitespace().skip(1).collect();
                for pair in words.chunks(2) {
                    let value = u32::from_str_radix(pair[1], 16).unwrap();
                    seen.last_mut().unwrap().1.insert(pair[0].to_owned(), value);
                }
            }
        }
        compare_stops(n, &traced(n), &seen);
    }
}

fn compare_stops(n: usize, traced: &[Stop], seen: &[Stop]) {
    assert_eq!(traced.len(), seen.len(), "stops for n = {n}");
    for (at, (expected, (label, registers))) in traced.iter().zip(seen).enumerate() {
        assert_eq!(&expected.0, label, "label at stop {at} for n = {n}");
        for (name, value) in &expected.1 {
            assert_eq!(
                value, &registers[name],
                "${name} at stop {at} ({label}) for n = {n}"
            );
        }
    }
}

/// SPIM at its own prompt, in a pseudo-terminal made by script(1): with a pipe instead,
/// SPIM would take the program's input for commands.
struct SpimPrompt {
    child: Child,
}

impl SpimPrompt {
    fn start() -> SpimPrompt {
        let mut command = Command::new("script");
        command
            .args(["-qefc", "timeout --foreground 120 spim", "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut prompt = SpimPrompt {
            child: spawn(&mut command),
        };
        prompt.read_until(SpimPrompt::READY);
        prompt
    }

    const READY: &str = "(spim) ";

    fn read_until(&mut self, marker: &str) -> String {
        let stdout = self.child.stdout.as_mut().unwrap();
        let mut seen = Vec::new();
        while !seen.ends_with(marker.as_bytes()) {
            let mut byte = [0];
            let read = stdout.read(&mut byte).unwrap();
            assert_eq!(read, 1, "spim ended: {}", String::from_utf8_lossy(&seen));
            seen.push(byte[0]);
        }
        String::from_utf8(seen).unwrap().replace('\r', "")
    }

    fn say(&mut self, line: &str, then: &str) -> String {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
        self.read_until(then)
    }
}

impl Drop for SpimPrompt {
    fn drop(&mut self) {
        // `exit` lets SPIM leave by itself; a SPIM that is stuck is ended with its terminal.
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_trace_shows_the_registers_that_spim_shows() {
    let file = Scratch::holding("queens.s", PROGRAM);
    for n in 4..=6 {
        let traced = traced(n);
        let mut spim = SpimPrompt::start();
        spim.say(&format!("load \"{}\"", file.0.display()), SpimPrompt::READY);
        let mut labels = BTreeMap::new();
        for line in spim.say("print_symbols", SpimPrompt::READY).lines() {
            if let Some((name, address)) = line.trim_start_matches("g\t").split_once(" at ") {
                labels.insert(address.to_owned(), name.to_owned());
            }
        }
        for label in LABELS {
            let answer = spim.say(&format!("breakpoint {label}"), SpimPrompt::READY);
            assert!(!answer.contains("Cannot"), "{answer}");
        }
        spim.say("run", "?\r\n");

        let mut answer = spim.say(&format!("{n} 0"), SpimPrompt::READY);
        let mut seen: Vec<Stop> = Vec::new();
        while let Some((_, address)) = answer.split_once("Breakpoint encountered at ") {
            let label = labels[address.lines().next().unwrap()].clone();
            let mut registers = BTreeMap::new();
            // Only the registers that the trace names at this stop are asked for.
            for name in traced
                .get(seen.len())
                .into_iter()
                .flat_map(|stop| stop.1.keys())
            {
                let value = spim.say(&format!("print ${name}"), SpimPrompt::READY);
                let hex = value.split_once("= 0x").unwrap().1;
                let value = u32::from_str_radix(&hex[..8], 16).unwrap();
                registers.insert(name.clone(), value);
            }
            seen.push((label, registers));
            answer = spim.say("continue", SpimPrompt::READY);
        }
        assert!(answer.contains(&format!("{n}-Queens has")), "{answer}");
        compare_stops(n, &traced, &seen);
        // SPIM leaves on `exit`, and script with it.
        spim.child
            .stdin
            .as_mut()
            .unwrap()
            .write_all(b"exit\n")
            .unwrap();
        assert!(spim.child.wait().unwrap().success());
    }
}

#[test]
fn beside_the_registers_stands_the_bits_trace_of_the_same_search() {
    for n in 0..=6 {
        let printed = queens_asm(&["--trace", &n.to_string()]);
        let right: String = printed
            .lines()
            .skip(1)
            .map(|line| line.split_once(" |").unwrap().1)
            .filter(|bits| !bits.is_empty())
            .map(|bits| format!("{}\n", &bits[1..]))
            .collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_queens"));
        command.args(["trace", &n.to_string(), "--style", "bits", "--until", "all"]);
        let bits = run(&mut command, b"");
        assert_eq!(bits.status, Some(0), "{command:?}");
        assert_eq!(right, bits.stdout, "n = {n}");
    }
}

#[test]
fn each_register_holds_the_bits_that_stand_beside_it() {
    let mut compared = 0;
    for n in 4..=6 {
        for line in queens_asm(&["--trace", &n.to_string()]).lines().skip(1) {
            let Some((label, registers)) = stop(line) else {
                continue;
            };
            let names: &[_] = match &*label {
                "queens" => &[("a0", "left "), ("a1", "down "), ("a2", "right ")],
                "chosen" => &[("t0", "place ")],
                "back" => &[("s4", "possible ")],
                _ => &[],
            };
            for (register, name) in names {
                // The last call of a solution is described by `down` alone.
                let Some((_, bits)) = line.split_once(name) else {
                    assert!(line.ends_with("is all ones"), "{line}");
                    continue;
                };
                let bits = u32::from_str_radix(&bits[..n], 2).unwrap();
                assert_eq!(bits, registers[*register], "{line}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "only {compared} vectors were compared");
}

#[test]
fn the_lesson_shows_lines_that_the_program_prints() {
    let lesson = include_str!("../../../docs/mips.md");
    let registers = queens_asm(&["--trace", "4"]);
    let bits = Trace::new(4)
        .style(Style::Bits)
        .until(Until::All)
        .text()
        .unwrap();
    let (mut stops, mut rows) = (0, 0);
    for line in lesson.lines() {
        if line.contains("$a0=0x") || line.contains("$s3=0x") {
            assert!(
                registers.lines().any(|real| real == line),
                "not printed: {line}"
            );
            stops += 1;
        } else if let Some((_, vectors)) = line.split_once("down ")
            && line.contains("possible ")
            && line.starts_with("row ")
        {
            let vectors = vectors.split("  ").next().unwrap();
            assert!(bits.contains(vectors), "not in the bits trace: {line}");
            rows += 1;
        }
    }
    assert!(
        stops >= 8 && rows >= 8,
        "{stops} stops and {rows} rows were found"
    );
}

#[test]
fn a_trace_beyond_the_program_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queens"));
    let output = command.args(["asm", "--trace", "28"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "queens: the assembly program works up to n = 27, not 28\n"
    );
}
