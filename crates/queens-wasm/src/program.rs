//! The search as a program that runs, in four languages, and the line an event happens on.
//!
//! Every style of the room *Watch* is written out in Rust, Python, C and JavaScript. A
//! program takes N and prints the count; the tests run all of them. The parts that differ
//! between styles (what is stored, the question whether a square is free, what placing and
//! undoing change) are put into one frame per language; the bit vectors need no loop over
//! squares, so they have a frame of their own.
//!
//! In the frames and parts, a letter in front of a `|` says what a line does: `E` the call,
//! `S` all rows are filled, `L` the loop, `T` the test, `P` placing, `R` the recursion, `U`
//! undoing, `V` the return.

use queens::search::Event;
use queens::search::trace::{Style, code};

/// A language of the code pane; `Words` is the library's own short listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Words,
    Rust,
    Python,
    C,
    JavaScript,
}

/// The languages by the names that links use.
pub const LANGUAGES: [(&str, Language); 5] = [
    ("python", Language::Python),
    ("rust", Language::Rust),
    ("c", Language::C),
    ("javascript", Language::JavaScript),
    ("words", Language::Words),
];

/// A line: what it does, if anything happens on it, and its text.
pub type Line = (Option<char>, String);

/// What a style puts into the frame of a language.
struct Parts {
    /// What is stored, and the functions that use it.
    store: &'static str,
    test: &'static str,
    place: &'static str,
    undo: &'static str,
}

/// The whole program.
pub fn program(style: Style, language: Language) -> Vec<Line> {
    if language == Language::Words {
        let lines = code::listing(style).iter();
        return lines.map(|line| (None, line.1.to_owned())).collect();
    }
    let frame = match (style, language) {
        (Style::Bits, Language::Python) => PYTHON_BITS,
        (Style::Bits, Language::C) => C_BITS,
        (Style::Bits, Language::JavaScript) => JAVASCRIPT_BITS,
        (Style::Bits, _) => RUST_BITS,
        (_, Language::Python) => PYTHON,
        (_, Language::C) => C,
        (_, Language::JavaScript) => JAVASCRIPT,
        _ => RUST,
    };
    let parts = parts(style, language);
    let mut lines = Vec::new();
    for line in frame.lines() {
        let (head, part) = line.split_at(line.find('@').unwrap_or(line.len()));
        let part = match part {
            "@store" => parts.store,
            "@place" => parts.place,
            "@undo" => parts.undo,
            _ => {
                lines.push(read(&line.replace("@test", parts.test)));
                continue;
            }
        };
        // A part of several lines keeps the indent, and the role, of its place.
        for text in part.trim_matches('\n').lines() {
            lines.push(read(format!("{head}{text}").trim_end()));
        }
    }
    lines
}

/// The number of the line where the search itself begins.
pub fn head(lines: &[Line]) -> usize {
    let head = lines.iter().position(|line| line.0 == Some('E'));
    head.unwrap_or(0)
}

fn read(line: &str) -> Line {
    let mut letters = line.chars();
    match (letters.next(), letters.next()) {
        (Some(role), Some('|')) if role.is_ascii_uppercase() => (Some(role), line[2..].to_owned()),
        _ => (None, line.to_owned()),
    }
}

/// The number of the line that an event happens on.
pub fn line(style: Style, language: Language, n: usize, event: Event) -> Option<usize> {
    let role = match event {
        // The vectors find the free squares of a row at once, when its call begins.
        Event::Enter { row } if style == Style::Bits && row < n => 'T',
        Event::Enter { .. } => 'E',
        Event::Solution => 'S',
        Event::Try { .. } => 'T',
        Event::Place { .. } | Event::Skip { .. } => 'P',
        Event::DeadEnd { .. } => 'L',
        Event::Undo { .. } | Event::Unskip { .. } => 'U',
        Event::Leave { row, .. } if row == n => 'S',
        Event::Leave { .. } => 'V',
    };
    if language == Language::Words {
        return Some(match event {
            Event::Enter { row } if style == Style::Bits && row < n => code::listing(style)
                .iter()
                .position(|line| line.0 == code::Role::Test)?,
            _ => code::line(style, event),
        });
    }
    let lines = program(style, language);
    lines.iter().position(|line| line.0 == Some(role))
}

const PYTHON: &str = "\
import sys

n = int(sys.argv[1])
@store

E|def search(row):
S|    if row == n: return 1
    total = 0
L|    for col in range(n):
T|        if @test:
P|            @place
R|            total += search(row + 1)
U|            @undo
V|    return total

print(search(0))";

const JAVASCRIPT: &str = "\
const n = Number(process.argv[2]);
@store

E|function search(row) {
S|  if (row === n) return 1;
  let total = 0;
L|  for (let col = 0; col < n; col++) {
T|    if (@test) {
P|      @place
R|      total += search(row + 1);
U|      @undo
    }
  }
V|  return total;
}

console.log(search(0));";

const C: &str = "\
#include <stdio.h>
#include <stdlib.h>

int n;
@store

E|long search(int row) {
S|  if (row == n) return 1;
  long total = 0;
L|  for (int col = 0; col < n; col++) {
T|    if (@test) {
P|      @place
R|      total += search(row + 1);
U|      @undo
    }
  }
V|  return total;
}

int main(int argc, char **argv) {
  n = argc > 1 ? atoi(argv[1]) : 8;
  printf(\"%ld\\n\", search(0));
}";

const RUST: &str = "\
@store

impl Board {
E|  fn search(&mut self, row: usize) -> u64 {
S|    if row == self.n { return 1; }
    let mut total = 0;
L|    for col in 0..self.n {
T|      if @test {
P|        @place
R|        total += self.search(row + 1);
U|        @undo
      }
    }
V|    total
  }
}

fn main() {
  let n = std::env::args().nth(1).unwrap().parse().unwrap();
  println!(\"{}\", Board::new(n).search(0));
}";

const PYTHON_BITS: &str = "\
import sys

n = int(sys.argv[1])
mask = (1 << n) - 1

E|def search(down, left, right):
S|    if down == mask: return 1
    total = 0
T|    possible = ~(down | left | right) & mask
L|    while possible:
P|        place = possible & -possible
R|        total += search(down | place,
                        (left | place) << 1 & mask,
                        (right | place) >> 1)
U|        possible ^= place
V|    return total

print(search(0, 0, 0))";

const JAVASCRIPT_BITS: &str = "\
const n = Number(process.argv[2]);
const mask = (1 << n) - 1;

E|function search(down, left, right) {
S|  if (down === mask) return 1;
  let total = 0;
T|  let possible = ~(down | left | right) & mask;
L|  while (possible) {
P|    const place = possible & -possible;
R|    total += search(down | place,
                    (left | place) << 1 & mask,
                    (right | place) >> 1);
U|    possible ^= place;
  }
V|  return total;
}

console.log(search(0, 0, 0));";

const C_BITS: &str = "\
#include <stdio.h>
#include <stdlib.h>

unsigned mask;

E|long search(unsigned down, unsigned left, unsigned right) {
S|  if (down == mask) return 1;
  long total = 0;
T|  unsigned possible = ~(down | left | right) & mask;
L|  while (possible) {
P|    unsigned place = possible & -possible;
R|    total += search(down | place,
                    (left | place) << 1 & mask,
                    (right | place) >> 1);
U|    possible ^= place;
  }
V|  return total;
}

int main(int argc, char **argv) {
  mask = (1u << (argc > 1 ? atoi(argv[1]) : 8)) - 1;
  printf(\"%ld\\n\", search(0, 0, 0));
}";

const RUST_BITS: &str = "\
E|fn search(mask: u32, down: u32, left: u32, right: u32) -> u64 {
S|  if down == mask { return 1; }
  let mut total = 0;
T|  let mut possible = !(down | left | right) & mask;
L|  while possible != 0 {
P|    let place = possible & possible.wrapping_neg();
R|    total += search(mask, down | place,
                    (left | place) << 1 & mask,
                    (right | place) >> 1);
U|    possible ^= place;
  }
V|  total
}

fn main() {
  let n: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
  println!(\"{}\", search((1 << n) - 1, 0, 0, 0));
}";

fn parts(style: Style, language: Language) -> Parts {
    match language {
        Language::Python => python(style),
        Language::JavaScript => javascript(style),
        Language::C => c(style),
        Language::Rust | Language::Words => rust(style),
    }
}

fn python(style: Style) -> Parts {
    match style {
        Style::Tuple | Style::Steps | Style::Bits => Parts {
            store: "
queens = []

def is_free(row, col):
    return all(c != col and row - r != abs(col - c)
               for r, c in enumerate(queens))",
            test: "is_free(row, col)",
            place: "queens.append(col)",
            undo: "queens.pop()",
        },
        Style::Grid => Parts {
            store: "
board = [[0] * n for _ in range(n)]

def is_free(row, col):
    for k in range(1, row + 1):
        above = board[row - k]
        if above[col]: return False
        if col >= k and above[col - k]: return False
        if col + k < n and above[col + k]: return False
    return True",
            test: "is_free(row, col)",
            place: "board[row][col] = 1",
            undo: "board[row][col] = 0",
        },
        Style::Box => Parts {
            store: "
B = [[0] * n for _ in range(n)]

def below(row, col, change):
    for k in range(1, n - row):
        B[row + k][col] += change
        if col >= k: B[row + k][col - k] += change
        if col + k < n: B[row + k][col + k] += change",
            test: "B[row][col] == 0",
            place: "B[row][col] = 1; below(row, col, -1)",
            undo: "B[row][col] = 0; below(row, col, +1)",
        },
        Style::Attackers => Parts {
            store: "
attack = [[-1] * n for _ in range(n)]

def reach(row, col):
    for r in range(n):
        for c in range(n):
            if r == row or c == col or abs(r - row) == abs(c - col):
                yield r, c

def change(row, col, old, new):
    for r, c in reach(row, col):
        if attack[r][c] == old: attack[r][c] = new",
            test: "attack[row][col] == -1",
            place: "change(row, col, -1, row)",
            undo: "change(row, col, row, -1)",
        },
        Style::Lines => Parts {
            store: "
cols = [0] * n
diag = [0] * (2 * n - 1)
anti = [0] * (2 * n - 1)

def put(row, col, flag):
    cols[col] = diag[col - row + n - 1] = anti[col + row] = flag",
            test: "not (cols[col] or diag[col - row + n - 1] or anti[col + row])",
            place: "put(row, col, 1)",
            undo: "put(row, col, 0)",
        },
    }
}

fn javascript(style: Style) -> Parts {
    match style {
        Style::Tuple | Style::Steps | Style::Bits => Parts {
            store: "
const queens = [];

function isFree(row, col) {
  return queens.every((c, r) => c !== col && row - r !== Math.abs(col - c));
}",
            test: "isFree(row, col)",
            place: "queens.push(col);",
            undo: "queens.pop();",
        },
        Style::Grid => Parts {
            store: "
const board = Array.from({ length: n }, () => Array(n).fill(0));

function isFree(row, col) {
  for (let k = 1; k <= row; k++) {
    const above = board[row - k];
    if (above[col] || above[col - k] || above[col + k]) return false;
  }
  return true;
}",
            test: "isFree(row, col)",
            place: "board[row][col] = 1;",
            undo: "board[row][col] = 0;",
        },
        Style::Box => Parts {
            store: "
const B = Array.from({ length: n }, () => Array(n).fill(0));

function below(row, col, change) {
  for (let k = 1; row + k < n; k++) {
    for (const c of [col - k, col, col + k]) {
      if (c >= 0 && c < n) B[row + k][c] += change;
    }
  }
}",
            test: "B[row][col] === 0",
            place: "B[row][col] = 1; below(row, col, -1);",
            undo: "B[row][col] = 0; below(row, col, +1);",
        },
        Style::Attackers => Parts {
            store: "
const attack = Array.from({ length: n }, () => Array(n).fill(-1));

function change(row, col, old, now) {
  for (let r = 0; r < n; r++) {
    for (let c = 0; c < n; c++) {
      const meets = r === row || c === col || Math.abs(r - row) === Math.abs(c - col);
      if (meets && attack[r][c] === old) attack[r][c] = now;
    }
  }
}",
            test: "attack[row][col] === -1",
            place: "change(row, col, -1, row);",
            undo: "change(row, col, row, -1);",
        },
        Style::Lines => Parts {
            store: "
const cols = Array(n).fill(0);
const diag = Array(2 * n - 1).fill(0);
const anti = Array(2 * n - 1).fill(0);

function put(row, col, flag) {
  cols[col] = diag[col - row + n - 1] = anti[col + row] = flag;
}",
            test: "!(cols[col] | diag[col - row + n - 1] | anti[col + row])",
            place: "put(row, col, 1);",
            undo: "put(row, col, 0);",
        },
    }
}

fn c(style: Style) -> Parts {
    match style {
        Style::Tuple | Style::Steps | Style::Bits => Parts {
            store: "
int queens[32];

int is_free(int row, int col) {
  for (int r = 0; r < row; r++)
    if (queens[r] == col || row - r == abs(col - queens[r]))
      return 0;
  return 1;
}",
            test: "is_free(row, col)",
            place: "queens[row] = col;",
            undo: "queens[row] = -1;",
        },
        Style::Grid => Parts {
            store: "
char board[32][32];

int is_free(int row, int col) {
  for (int k = 1; k <= row; k++) {
    char *above = board[row - k];
    if (above[col]) return 0;
    if (col >= k && above[col - k]) return 0;
    if (col + k < n && above[col + k]) return 0;
  }
  return 1;
}",
            test: "is_free(row, col)",
            place: "board[row][col] = 1;",
            undo: "board[row][col] = 0;",
        },
        Style::Box => Parts {
            store: "
int B[32][32];

void below(int row, int col, int change) {
  for (int k = 1; row + k < n; k++) {
    B[row + k][col] += change;
    if (col >= k) B[row + k][col - k] += change;
    if (col + k < n) B[row + k][col + k] += change;
  }
}",
            test: "B[row][col] == 0",
            place: "B[row][col] = 1; below(row, col, -1);",
            undo: "B[row][col] = 0; below(row, col, +1);",
        },
        Style::Attackers => Parts {
            // 1 + the earliest queen, so that zeros mean nobody, as C fills its arrays.
            store: "
int attack[32][32]; /* 0: nobody, k + 1: queen k */

void change(int row, int col, int old, int now) {
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++)
      if (r == row || c == col || abs(r - row) == abs(c - col))
        if (attack[r][c] == old) attack[r][c] = now;
}",
            test: "attack[row][col] == 0",
            place: "change(row, col, 0, row + 1);",
            undo: "change(row, col, row + 1, 0);",
        },
        Style::Lines => Parts {
            store: "
int cols[32], diag[63], anti[63];

void put(int row, int col, int flag) {
  cols[col] = diag[col - row + n - 1] = anti[col + row] = flag;
}",
            test: "!(cols[col] | diag[col - row + n - 1] | anti[col + row])",
            place: "put(row, col, 1);",
            undo: "put(row, col, 0);",
        },
    }
}

fn rust(style: Style) -> Parts {
    match style {
        Style::Tuple | Style::Steps | Style::Bits => Parts {
            store: "
struct Board { n: usize, queens: Vec<usize> }

impl Board {
  fn new(n: usize) -> Self { Board { n, queens: vec![] } }

  fn is_free(&self, row: usize, col: usize) -> bool {
    let mut queens = self.queens.iter().enumerate();
    queens.all(|(r, &c)| c != col && row - r != col.abs_diff(c))
  }
}",
            test: "self.is_free(row, col)",
            place: "self.queens.push(col);",
            undo: "self.queens.pop();",
        },
        Style::Grid => Parts {
            store: "
struct Board { n: usize, grid: Vec<Vec<u8>> }

impl Board {
  fn new(n: usize) -> Self { Board { n, grid: vec![vec![0; n]; n] } }

  fn is_free(&self, row: usize, col: usize) -> bool {
    (1..=row).all(|k| {
      let above = &self.grid[row - k];
      above[col] == 0
        && (col < k || above[col - k] == 0)
        && (col + k >= self.n || above[col + k] == 0)
    })
  }
}",
            test: "self.is_free(row, col)",
            place: "self.grid[row][col] = 1;",
            undo: "self.grid[row][col] = 0;",
        },
        Style::Box => Parts {
            store: "
struct Board { n: usize, b: Vec<Vec<i32>> }

impl Board {
  fn new(n: usize) -> Self { Board { n, b: vec![vec![0; n]; n] } }

  fn below(&mut self, row: usize, col: usize, change: i32) {
    for k in 1..self.n - row {
      self.b[row + k][col] += change;
      if col >= k { self.b[row + k][col - k] += change; }
      if col + k < self.n { self.b[row + k][col + k] += change; }
    }
  }
}",
            test: "self.b[row][col] == 0",
            place: "self.b[row][col] = 1; self.below(row, col, -1);",
            undo: "self.b[row][col] = 0; self.below(row, col, 1);",
        },
        Style::Attackers => Parts {
            store: "
struct Board { n: usize, attack: Vec<Vec<i32>> }

impl Board {
  fn new(n: usize) -> Self { Board { n, attack: vec![vec![-1; n]; n] } }

  fn change(&mut self, row: usize, col: usize, old: i32, new: i32) {
    for r in 0..self.n {
      for c in 0..self.n {
        let meets = r == row || c == col || r.abs_diff(row) == c.abs_diff(col);
        if meets && self.attack[r][c] == old { self.attack[r][c] = new; }
      }
    }
  }
}",
            test: "self.attack[row][col] == -1",
            place: "self.change(row, col, -1, row as i32);",
            undo: "self.change(row, col, row as i32, -1);",
        },
        Style::Lines => Parts {
            store: "
struct Board { n: usize, cols: Vec<u8>, diag: Vec<u8>, anti: Vec<u8> }

impl Board {
  fn new(n: usize) -> Self {
    Board { n, cols: vec![0; n], diag: vec![0; 2 * n], anti: vec![0; 2 * n] }
  }

  fn taken(&self, row: usize, col: usize) -> u8 {
    self.cols[col] | self.diag[self.n + col - row] | self.anti[col + row]
  }

  fn put(&mut self, row: usize, col: usize, flag: u8) {
    self.cols[col] = flag;
    self.diag[self.n + col - row] = flag;
    self.anti[col + row] = flag;
  }
}",
            test: "self.taken(row, col) == 0",
            place: "self.put(row, col, 1);",
            undo: "self.put(row, col, 0);",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::search::trace::Trace;
    use std::ops::ControlFlow;
    use std::path::Path;
    use std::process::Command;

    #[test]
    fn every_event_has_its_line_in_every_program() {
        for style in Style::ALL {
            for (name, language) in LANGUAGES {
                let trace = Trace::new(4).style(style).run(|event| {
                    let at = line(style, language, 4, event);
                    assert!(at.is_some(), "{style:?} in {name}: {event:?}");
                    ControlFlow::Continue(())
                });
                assert!(trace.is_ok());
            }
        }
    }

    /// What a program prints for N = 6 and N = 8; `None` if the language is not installed.
    fn runs(language: Language, file: &Path) -> Option<Vec<String>> {
        let built = file.with_extension("out");
        let mut command = match language {
            Language::Python => Command::new("python3"),
            Language::JavaScript => Command::new("node"),
            _ => Command::new(&built),
        };
        let compiler = match language {
            Language::C => Some(("cc", vec!["-O1", "-Wall", "-Werror", "-o"])),
            Language::Rust => Some(("rustc", vec!["--edition", "2021", "-o"])),
            _ => None,
        };
        match compiler {
            Some((compiler, flags)) => {
                let mut compile = Command::new(compiler);
                compile.args(flags).arg(&built).arg(file);
                let output = compile.output().ok()?;
                let says = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{}: {says}", file.display());
            }
            None => {
                command.arg(file);
            }
        }
        let mut answers = Vec::new();
        for n in ["6", "8"] {
            let mut run = Command::new(command.get_program());
            let output = run.args(command.get_args()).arg(n).output().ok()?;
            answers.push(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        Some(answers)
    }

    #[test]
    fn every_program_runs_and_counts() {
        let folder = std::env::temp_dir().join(format!("queens-programs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, language) in LANGUAGES {
            let ending = match language {
                Language::Words => continue,
                Language::Rust => "rs",
                Language::Python => "py",
                Language::C => "c",
                Language::JavaScript => "js",
            };
            for style in Style::ALL {
                let file = folder.join(format!("{}.{ending}", style.name()));
                let lines = program(style, language);
                let text: Vec<_> = lines.into_iter().map(|line| line.1).collect();
                std::fs::write(&file, text.join("\n") + "\n").unwrap();
                match runs(language, &file) {
                    Some(answers) => assert_eq!(answers, ["4", "92"], "{style:?} in {name}"),
                    None => println!("skipped: {name} is not installed"),
                }
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
