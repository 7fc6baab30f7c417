//! `queens code`: the programs of the course documents.
//!
//! The programs lie in the folder `programs/`, the assembly in `asm/mips`; the assignment in Rust
//! is `course.rs`, the program `Queens` itself. All are embedded when this command is compiled, so
//! it prints exactly what the tests compile, run and compare with the library. [`PROGRAMS`] is the
//! one list.

use std::process::ExitCode;

use queens::json::Object;

use crate::support::out::Out;

/// A program, and where it comes from.
#[derive(Debug)]
struct Program {
    /// The name to ask for.
    name: &'static str,
    /// What to call the file.
    file: &'static str,
    language: &'static str,
    /// The course document it belongs to.
    document: &'static str,
    /// The command that runs it for eight queens.
    run: &'static str,
    text: &'static str,
}

const RECITATION: &str = "recitation on bit vectors";
const CHAPTER: &str = "BACS2063 chapter 6";
const QUESTION: &str = "question on MIPS";
const ASSIGNMENT: &str = "CSE 15 assignment 2";
const LECTURE: &str = "NPTEL week 6 lecture 1";

/// A file of the folder `programs/`.
macro_rules! program {
    ($name:literal, $file:literal, $language:literal, $document:expr, $run:literal) => {
        Program {
            name: $name,
            file: $file,
            language: $language,
            document: $document,
            run: $run,
            text: include_str!(concat!("../../../../programs/", $file)),
        }
    };
}

/// Every program, in the order of the documents. The Rust of a program has its name after `rust-`.
const PROGRAMS: &[Program] = &[
    program!(
        "recitation",
        "recitation.c",
        "C",
        RECITATION,
        "cc -O2 -o recitation recitation.c && ./recitation 8"
    ),
    program!(
        "rust-recitation",
        "recitation.rs",
        "Rust",
        RECITATION,
        "rustc -O recitation.rs && ./recitation 8"
    ),
    program!(
        "chapter",
        "Chapter.java",
        "Java",
        CHAPTER,
        "java Chapter.java 8"
    ),
    program!(
        "rust-chapter",
        "chapter.rs",
        "Rust",
        CHAPTER,
        "rustc -O chapter.rs && ./chapter 8"
    ),
    program!(
        "question",
        "question.js",
        "JavaScript",
        QUESTION,
        "node question.js 8"
    ),
    program!(
        "rust-question",
        "question.rs",
        "Rust",
        QUESTION,
        "rustc -O question.rs && ./question 8"
    ),
    Program {
        name: "mips",
        file: "queens.s",
        language: "MIPS assembly",
        document: QUESTION,
        run: "echo 8 | spim -file queens.s",
        text: include_str!("../../../../asm/mips/queens.s"),
    },
    program!(
        "assignment",
        "Queens.c",
        "C",
        ASSIGNMENT,
        "make && ./Queens 8"
    ),
    program!("makefile", "Makefile", "make", ASSIGNMENT, "make memcheck"),
    Program {
        name: "rust-assignment",
        file: "assignment.rs",
        language: "Rust",
        document: ASSIGNMENT,
        run: "rustc -O -o Queens assignment.rs && ./Queens 8",
        text: include_str!("../course.rs"),
    },
    program!(
        "lecture-first",
        "lecture_first.py",
        "Python",
        LECTURE,
        "python3 lecture_first.py 8"
    ),
    program!(
        "rust-lecture-first",
        "lecture_first.rs",
        "Rust",
        LECTURE,
        "rustc -O lecture_first.rs && ./lecture_first 8"
    ),
    program!(
        "lecture-all",
        "lecture_all.py",
        "Python",
        LECTURE,
        "python3 lecture_all.py 8"
    ),
    program!(
        "rust-lecture-all",
        "lecture_all.rs",
        "Rust",
        LECTURE,
        "rustc -O lecture_all.rs && ./lecture_all 8"
    ),
];

/// Print the programs of the course documents
///
/// Without a name, lists them: the name, the language, the document, and the command that runs
/// the program once it is in a file. With a name, prints that program. Each is complete in one
/// file: it takes a number of queens and prints how many solutions there are, with -v every
/// solution too (the assembly program asks for both, and lecture-first prints the first solution,
/// with -v the way to it). The same program in Rust has its name after rust-, such as
/// rust-recitation.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens code
  queens code recitation > recitation.c; cc -O2 -o recitation recitation.c; ./recitation -v 6
  queens code assignment > Queens.c; queens code makefile > Makefile; make; ./Queens -v 4
  queens code rust-recitation > recitation.rs; rustc -O recitation.rs; ./recitation -v 6
  queens code lecture-all > lecture_all.py; python3 lecture_all.py -v 8
  queens code question --json | jq -r .run")]
pub struct Args {
    /// The program to print; all are listed without it
    #[arg(value_name = "NAME", value_parser = names())]
    name: Option<String>,

    /// Print one JSON object per program
    #[arg(long)]
    json: bool,
}

fn names() -> clap::builder::PossibleValuesParser {
    PROGRAMS.iter().map(|program| program.name).into()
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let asked = |program: &&Program| args.name.as_ref().is_none_or(|name| *name == program.name);
    let mut out = Out::stdout();
    for program in PROGRAMS.iter().filter(asked) {
        if args.json {
            let mut object = Object::new()
                .set("name", program.name)
                .set("file", program.file)
                .set("language", program.language)
                .set("document", program.document)
                .set("run", program.run);
            if args.name.is_some() {
                object = object.set("text", program.text);
            }
            out.line(&object.end())?;
        } else if args.name.is_some() {
            out.text(program.text)?;
        } else {
            out.line(&format!(
                "{:<18}  {:<13}  {:<25}  {}",
                program.name, program.language, program.document, program.run
            ))?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
