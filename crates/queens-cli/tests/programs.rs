//! The programs of the course documents, as `queens code` prints them: written to files, compiled
//! or interpreted, and compared with the library for N = 1 to 9, counts and lists.
//!
//! The assembly program has tests of its own in `mips.rs`.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::{folder, refusal, text, tool};

/// What the library answers, in the words of the programs: the tuples and the count.
fn library(n: usize) -> (String, String) {
    let tuples = text(&["list", &n.to_string()]);
    let count = format!("{n}-Queens has {} solutions\n", tuples.lines().count());
    (tuples, count)
}

/// Writes a program to its file in a folder.
fn save(name: &str, file: &str, folder: &Path) {
    let listed: serde_json::Value =
        serde_json::from_str(&text(&["code", name, "--json"])).expect("JSON");
    assert_eq!(listed["file"], file, "{name}");
    let printed = text(&["code", name]);
    assert_eq!(listed["text"], printed.as_str(), "{name}");
    std::fs::write(folder.join(file), printed).expect("the program is written");
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("the program starts");
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn printed(command: &mut Command) -> String {
    let output = run(command);
    assert!(output.stderr.is_empty(), "{command:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Saves a program in Rust, compiles it as the list says, and returns the executable.
fn compile_rust(name: &str, folder: &Path) -> PathBuf {
    let file = format!("{}.rs", name.replace('-', "_"));
    save(&format!("rust-{name}"), &file, folder);
    let executable = folder.join(format!("rust-{name}"));
    run(tool("rustc")
        .args(["-O", "-D", "warnings", "-o"])
        .arg(&executable)
        .arg(&file)
        .current_dir(folder));
    executable
}

/// A reader that has seen enough, such as `head`, is no error to complain about.
fn ends_quietly_without_a_reader(program: &mut Command) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = program
        .args(["-v", "6"])
        .stdout(writer)
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.is_empty(), "{program:?}: {said}");
}

/// Compares a program with the library, on the empty board as well.
fn compare(program: impl Fn() -> Command) {
    for n in 0..=9 {
        let (tuples, count) = library(n);
        let number = n.to_string();
        assert_eq!(printed(program().arg(&number)), count);
        assert_eq!(printed(program().args(["-v", &number])), tuples + &count);
    }
    for wrong in [
        &[][..],
        &["-v"],
        &["x"],
        &["-4"],
        &["4", "5", "6"],
        &["4", "-v"],
    ] {
        let output = program().args(wrong).output().expect("the program starts");
        assert!(!output.status.success(), "{wrong:?}");
        assert!(output.stdout.is_empty(), "{wrong:?}");
        let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
        assert!(
            said.contains("usage: ") || said.contains("number must be"),
            "{said}"
        );
    }
    ends_quietly_without_a_reader(&mut program());
}

#[test]
fn the_program_of_the_recitation_agrees_with_the_library() {
    let folder = folder("program-recitation");
    save("recitation", "recitation.c", &folder);
    let warnings = ["-Wall", "-Wextra", "-Werror"];
    run(tool("cc")
        .args(warnings)
        .args(["-O2", "-o", "recitation", "recitation.c"])
        .current_dir(&folder));
    compare(|| Command::new(folder.join("recitation")));
    let rust = compile_rust("recitation", &folder);
    compare(|| Command::new(&rust));
}

#[test]
fn the_program_of_the_chapter_agrees_with_the_library() {
    let folder = folder("program-chapter");
    save("chapter", "Chapter.java", &folder);
    run(tool("javac")
        .args(["-Xlint:all", "-Werror", "Chapter.java"])
        .current_dir(&folder));
    compare(|| {
        let mut java = tool("java");
        java.args(["-XX:TieredStopAtLevel=1", "-cp"])
            .arg(&folder)
            .arg("Chapter");
        java
    });
    let rust = compile_rust("chapter", &folder);
    compare(|| Command::new(&rust));
}

#[test]
fn the_program_of_the_question_agrees_with_the_library() {
    let folder = folder("program-question");
    save("question", "question.js", &folder);
    compare(|| {
        let mut node = tool("node");
        node.arg(folder.join("question.js"));
        node
    });
    let rust = compile_rust("question", &folder);
    compare(|| Command::new(&rust));
}

#[test]
fn the_program_of_the_assignment_agrees_with_the_library_and_frees_its_memory() {
    let folder = folder("program-assignment");
    save("assignment", "Queens.c", &folder);
    save("makefile", "Makefile", &folder);
    let make = |target: &[&str]| {
        let mut make = tool("make");
        make.args(["CFLAGS=-std=c99 -Wall -Wextra -Werror -O2"])
            .args(target)
            .current_dir(&folder);
        run(&mut make)
    };
    make(&[]);
    compare(|| Command::new(folder.join("Queens")));
    let checked = make(&["memcheck"]);
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(said.contains("no leaks are possible"), "{said}");
    make(&["clean"]);
    assert!(!folder.join("Queens").exists());
    let rust = compile_rust("assignment", &folder);
    compare(|| Command::new(&rust));
}

#[test]
fn the_assignment_in_c_and_in_rust_and_queens_print_the_same() {
    use std::os::unix::process::CommandExt;
    let folder = folder("program-both");
    let alone = compile_rust("assignment", &folder);
    save("assignment", "Queens.c", &folder);
    run(tool("cc")
        .args(["-O2", "-o", "Queens", "Queens.c"])
        .current_dir(&folder));
    for args in [
        &["-v", "6"][..],
        &["0"],
        &["1"],
        &["blah"],
        &[],
        &["8", "-v"],
    ] {
        let c = Command::new(folder.join("Queens"))
            .args(args)
            .output()
            .expect("it starts");
        let rust = Command::new(env!("CARGO_BIN_EXE_queens"))
            .arg0("Queens")
            .args(args)
            .output()
            .expect("it starts");
        let alone = Command::new(&alone).args(args).output().expect("it starts");
        assert_eq!(rust, alone, "{args:?}");
        assert_eq!((c.stdout, c.stderr), (rust.stdout, rust.stderr), "{args:?}");
    }
}

#[test]
fn the_programs_of_the_lecture_agree_with_the_library() {
    let folder = folder("program-lecture");
    save("lecture-all", "lecture_all.py", &folder);
    save("lecture-first", "lecture_first.py", &folder);
    let python = |file: &str| {
        let mut python = tool("python3");
        python.arg(folder.join(file));
        python
    };
    let first_in_rust = compile_rust("lecture-first", &folder);
    let all_in_rust = compile_rust("lecture-all", &folder);
    compare(|| python("lecture_all.py"));
    compare(|| Command::new(&all_in_rust));
    for n in 0..=9 {
        let (tuples, _) = library(n);
        let first = tuples.lines().next().map_or_else(
            || format!("{n}-Queens has no solution\n"),
            |line| format!("{line}\n"),
        );
        let number = n.to_string();
        assert_eq!(printed(python("lecture_first.py").arg(&number)), first);
        let told = printed(python("lecture_first.py").args(["-v", &number]));
        assert!(told.ends_with(&first), "{told}");
        let mut rust = Command::new(&first_in_rust);
        assert_eq!(printed(rust.arg(&number)), first);
        let mut rust = Command::new(&first_in_rust);
        assert_eq!(printed(rust.args(["-v", &number])), told);
    }
    ends_quietly_without_a_reader(&mut python("lecture_first.py"));
    ends_quietly_without_a_reader(&mut Command::new(&first_in_rust));
    // The moves of the verbose program are those of the library's search.
    let told = printed(python("lecture_first.py").args(["-v", "8"]));
    let stats = text(&["trace", "8", "--stats", "--format", "json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    let lines = |start: &str| told.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(stats["placements"], lines("queen "));
    assert_eq!(stats["undos"], lines("undo "));
}

#[test]
fn every_program_runs_by_the_command_of_the_list() {
    let folder = folder("program-list");
    let listed = text(&["code", "--json"]);
    let listed: Vec<serde_json::Value> = listed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let of = |program: &serde_json::Value, key: &str| {
        let word = program[key].as_str().expect("a string");
        word.to_owned()
    };
    for program in &listed {
        save(&of(program, "name"), &of(program, "file"), &folder);
    }
    for program in &listed {
        let (name, command) = (of(program, "name"), of(program, "run"));
        let output = run(tool("sh").args(["-c", &command]).current_dir(&folder));
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        let answer = match name.as_str() {
            "makefile" => "5-Queens has 10 solutions",
            "lecture-first" | "rust-lecture-first" => "(1, 5, 8, 6, 3, 7, 2, 4)",
            _ => "8-Queens has 92 solutions",
        };
        assert_eq!(said.lines().last(), Some(answer), "{name}: {said}");
    }
}

#[test]
fn the_list_names_every_program_and_its_document() {
    let listed = text(&["code"]);
    for document in [
        "recitation on bit vectors",
        "BACS2063 chapter 6",
        "question on MIPS",
        "CSE 15 assignment 2",
        "NPTEL week 6 lecture 1",
    ] {
        let of_it = listed.lines().filter(|line| line.contains(document));
        assert!(of_it.count() >= 2, "{document}");
    }
    for line in listed.lines() {
        let name = line.split_whitespace().next().expect("a name");
        let program = text(&["code", name]);
        assert!(program.lines().count() > 10, "{name}");
        // The assembly is the answer's algorithm, which has its Rust; make builds the C.
        if !["mips", "makefile"].contains(&name) && !name.starts_with("rust-") {
            let rust = text(&["code", &format!("rust-{name}")]);
            assert!(rust.contains("fn main()"), "{name}");
        }
    }
    assert_eq!(
        text(&["code", "--json"]).lines().count(),
        listed.lines().count()
    );
    assert_eq!(text(&["code", "mips"]), text(&["asm", "--explain"]));
    assert!(refusal(&["code", "nonsense"]).contains("recitation"));
}
