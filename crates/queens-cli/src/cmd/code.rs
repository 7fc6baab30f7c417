//! `queens code`: the programs of the course documents.
//!
//! The programs lie in the folder `programs/`, the assembly in `asm/mips`, and the Rust is that of
//! this project; all are taken in when this command is compiled, so what is printed is what the
//! tests compile, run and compare with the library. [`PROGRAMS`] is the one list.

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

/// One of the boards of the library.
macro_rules! board {
    ($name:literal, $file:literal, $document:expr, $engine:literal) => {
        Program {
            name: $name,
            file: $file,
            language: "Rust",
            document: $document,
            run: concat!("queens count 8 --engine ", $engine),
            text: include_str!(concat!("../../../queens/src/board/", $file)),
        }
    };
}

/// Every program, in the order of the documents.
const PROGRAMS: &[Program] = &[
    Program {
        name: "recitation",
        file: "recitation.c",
        language: "C",
        document: RECITATION,
        run: "cc -O2 -o recitation recitation.c && ./recitation 8",
        text: include_str!("../../../../programs/recitation.c"),
    },
    board!("rust-byte-grid", "byte_grid.rs", RECITATION, "byte-grid"),
    board!("rust-bit-grid", "bit_grid.rs", RECITATION, "bit-grid"),
    board!("rust-bitmask", "bitmask.rs", RECITATION, "bitmask"),
    Program {
        name: "chapter",
        file: "Chapter.java",
        language: "Java",
        document: CHAPTER,
        run: "java Chapter.java 8",
        text: include_str!("../../../../programs/Chapter.java"),
    },
    board!("rust-columns", "columns.rs", CHAPTER, "columns"),
    Program {
        name: "question",
        file: "question.js",
        language: "JavaScript",
        document: QUESTION,
        run: "node question.js 8",
        text: include_str!("../../../../programs/question.js"),
    },
    Program {
        name: "mips",
        file: "queens.s",
        language: "MIPS assembly",
        document: QUESTION,
        run: "echo 8 | spim -file queens.s",
        text: include_str!("../../../../asm/mips/queens.s"),
    },
    Program {
        name: "assignment",
        file: "Queens.c",
        language: "C",
        document: ASSIGNMENT,
        run: "make && ./Queens 8",
        text: include_str!("../../../../programs/Queens.c"),
    },
    Program {
        name: "makefile",
        file: "Makefile",
        language: "make",
        document: ASSIGNMENT,
        run: "make memcheck",
        text: include_str!("../../../../programs/Makefile"),
    },
    Program {
        name: "rust-queens",
        file: "course.rs",
        language: "Rust",
        document: ASSIGNMENT,
        run: "Queens 8",
        text: include_str!("../course.rs"),
    },
    board!(
        "rust-attack-count",
        "attack_count.rs",
        ASSIGNMENT,
        "attack-count"
    ),
    Program {
        name: "lecture-first",
        file: "lecture_first.py",
        language: "Python",
        document: LECTURE,
        run: "python3 lecture_first.py 8",
        text: include_str!("../../../../programs/lecture_first.py"),
    },
    Program {
        name: "lecture-all",
        file: "lecture_all.py",
        language: "Python",
        document: LECTURE,
        run: "python3 lecture_all.py 8",
        text: include_str!("../../../../programs/lecture_all.py"),
    },
    board!(
        "rust-first-attacker",
        "first_attacker.rs",
        LECTURE,
        "first-attacker"
    ),
    board!("rust-lines", "lines.rs", LECTURE, "lines"),
];

/// Print the programs of the course documents
///
/// Without a name, lists them: the name, the language, the document, and the command that runs
/// the program once it is in a file. With a name, prints that program. Those in C, Java,
/// JavaScript, Python and assembly are complete: they take a number of queens and print how many
/// solutions there are, with -v every solution too (the assembly program asks for both, and
/// lecture-first prints the first solution). Those in Rust are files of this project, and the
/// command runs their code.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens code
  queens code recitation > recitation.c; cc -O2 -o recitation recitation.c; ./recitation -v 6
  queens code assignment > Queens.c; queens code makefile > Makefile; make; ./Queens -v 4
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
                "{:<19}  {:<13}  {:<25}  {}",
                program.name, program.language, program.document, program.run
            ))?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
