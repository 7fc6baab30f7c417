//! `queens encode`, read by real solvers: cadical, minizinc with Gecode, glpsol, and a reader
//! of exact covers of this file's own. Each must find exactly the solutions that `queens list`
//! prints, on plain boards up to N = 8 and on boards with given queens, blocked squares and
//! another number of queens.

mod support;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use support::{folder, refusal, text, tool};

/// The boards, as arguments.
const BOARDS: [&[&str]; 21] = [
    &["1"],
    &["2"],
    &["3"],
    &["4"],
    &["5"],
    &["6"],
    &["7"],
    &["8"],
    &["8", "--given", "1,4"],
    &["8", "--given", "3,5 4,7"],
    &["8", "--given", "1,1", "--blocked", "2,5 8,3 8,4"],
    &["7", "--blocked", "1,1 1,7 2,2 4,4 5,4 7,7"],
    &["6", "--blocked", "1,2 1,4 1,5"],
    &["6", "--blocked", "1,1 1,2 1,3 1,4 1,5 1,6"],
    &["4", "--queens", "3"],
    &["5", "--queens", "2", "--blocked", "1,1 3,3 5,1"],
    &["5", "--queens", "3", "--given", "1,1"],
    &["4", "--queens", "0"],
    &["0"],
    &["0", "--queens", "1"],
    &["4", "--queens", "5"],
];

/// A solution: the column of each row's queen from 1, 0 for an empty row.
type Solution = Vec<usize>;

fn encoded(board: &[&str], format: &str) -> String {
    text(&[&["encode", "--format", format], board].concat())
}

/// The solutions that `queens list` prints.
fn listed(board: &[&str]) -> BTreeSet<Solution> {
    let list = text(&[&["list", "--format", "tuple"], board].concat());
    list.lines().map(tuple).collect()
}

fn tuple(line: &str) -> Solution {
    let inside = line.trim_matches(['(', ')']);
    inside
        .split(", ")
        .filter(|col| !col.is_empty())
        .map(|col| match col {
            "-" => 0,
            number => number.parse().expect("a column"),
        })
        .collect()
}

fn size(board: &[&str]) -> usize {
    board[0].parse().expect("a size")
}

/// The rows of the squares that a solver chose.
fn solution(n: usize, squares: &[(usize, usize)]) -> Solution {
    let mut cols = vec![0; n];
    for &(row, col) in squares {
        assert_eq!(cols[row - 1], 0, "two queens in row {row}");
        cols[row - 1] = col;
    }
    cols
}

/// Runs a solver on the text again and again; each time `exclude` writes the text without the
/// solutions found so far.
fn all_by(
    n: usize,
    find: impl Fn(&str) -> Option<Vec<(usize, usize)>>,
    exclude: impl Fn(&[Vec<(usize, usize)>]) -> String,
) -> BTreeSet<Solution> {
    let mut found: Vec<Vec<(usize, usize)>> = Vec::new();
    while let Some(squares) = find(&exclude(&found)) {
        found.push(squares);
        assert!(found.len() < 1_000, "a solution comes again and again");
    }
    let solutions: BTreeSet<Solution> = found.iter().map(|squares| solution(n, squares)).collect();
    assert_eq!(solutions.len(), found.len(), "a solution comes twice");
    solutions
}

fn by_cadical(file: &Path, n: usize, cnf: &str) -> Option<Vec<(usize, usize)>> {
    std::fs::write(file, cnf).expect("a file");
    let output = tool("cadical")
        .arg("-q")
        .arg(file)
        .output()
        .expect("cadical runs");
    let said = String::from_utf8(output.stdout).expect("text");
    match output.status.code() {
        Some(10) => {}
        Some(20) => return None,
        _ => panic!("cadical: {said}{}", String::from_utf8_lossy(&output.stderr)),
    }
    let values = said.lines().filter_map(|line| line.strip_prefix("v "));
    let values = values.flat_map(str::split_whitespace);
    let literals = values.map(|value| value.parse::<i64>().expect("a literal"));
    let squares = (n * n) as i64;
    let queens = literals.filter(|&literal| 0 < literal && literal <= squares);
    Some(
        queens
            .map(|literal| literal as usize - 1)
            .map(|square| (square / n + 1, square % n + 1))
            .collect(),
    )
}

#[test]
fn cadical_finds_the_solutions_of_every_board() {
    let file = folder("encode-dimacs").join("board.cnf");
    for board in BOARDS {
        let n = size(board);
        let cnf = encoded(board, "dimacs");
        let (head, clauses) = cnf.split_once("p cnf ").expect("a head");
        let (sizes, clauses) = clauses.split_once('\n').expect("clauses");
        let (variables, number) = sizes.split_once(' ').expect("two numbers");
        let number: usize = number.parse().expect("the number of clauses");
        // A solution is excluded by a clause: another value for one of the squares.
        let exclude = |found: &[Vec<(usize, usize)>]| {
            let mut text = format!(
                "{head}p cnf {variables} {}\n{clauses}",
                number + found.len()
            );
            for squares in found {
                for (row, col) in (1..=n).flat_map(|row| (1..=n).map(move |col| (row, col))) {
                    let sign = if squares.contains(&(row, col)) {
                        "-"
                    } else {
                        ""
                    };
                    text += &format!("{sign}{} ", (row - 1) * n + col);
                }
                text += "0\n";
            }
            text
        };
        let found = all_by(n, |cnf| by_cadical(&file, n, cnf), exclude);
        assert_eq!(found, listed(board), "{board:?}");
    }
}

#[test]
fn gecode_finds_the_solutions_of_every_board() {
    let file = folder("encode-minizinc").join("board.mzn");
    for board in BOARDS {
        std::fs::write(&file, encoded(board, "minizinc")).expect("a file");
        let output = tool("minizinc")
            .args(["--solver", "gecode", "--all-solutions"])
            .arg(&file)
            .output()
            .expect("minizinc runs");
        let said = String::from_utf8(output.stdout).expect("text");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{board:?}: {said}{complaint}");
        let lines = || said.lines().filter(|line| line.starts_with('('));
        let found: BTreeSet<Solution> = lines().map(tuple).collect();
        assert_eq!(found, listed(board), "{board:?}: {said}{complaint}");
        assert_eq!(found.len(), lines().count(), "{board:?}: one comes twice");
    }
}

fn by_glpsol(folder: &Path, lp: &str) -> Option<Vec<(usize, usize)>> {
    let (file, answer) = (folder.join("board.lp"), folder.join("answer.txt"));
    std::fs::write(&file, lp).expect("a file");
    let output = tool("glpsol")
        .arg("--lp")
        .arg(&file)
        .arg("--write")
        .arg(&answer)
        .output()
        .expect("glpsol runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    let columns: Vec<&str> = lp
        .split_once("Binaries\n")
        .expect("the variables")
        .1
        .lines()
        .filter(|line| line.starts_with(" x_"))
        .map(str::trim)
        .collect();
    // `s mip ROWS COLUMNS STATUS VALUE`, where the status is o or n, and a line for each column.
    let answer = std::fs::read_to_string(answer).expect("an answer");
    let status = answer.lines().find_map(|line| line.strip_prefix("s mip "));
    match status.and_then(|sizes| sizes.split(' ').nth(2)) {
        Some("o") => {}
        Some("n") => return None,
        // Even without whole numbers the linear program has no solution.
        Some("u") if said.contains("NO PRIMAL FEASIBLE SOLUTION") => return None,
        _ => panic!("glpsol: {said}\n{answer}"),
    }
    let is_queen = |line: &str| {
        let (column, value) = line.strip_prefix("j ")?.split_once(' ')?;
        (value == "1").then(|| column.parse::<usize>().expect("a column"))
    };
    let names = answer.lines().filter_map(is_queen).map(|j| columns[j - 1]);
    let square = |name: &str| {
        let (row, col) = name.strip_prefix("x_")?.split_once('_')?;
        Some((row.parse().ok()?, col.parse().ok()?))
    };
    Some(names.map(|name| square(name).expect("a square")).collect())
}

#[test]
fn glpsol_finds_the_solutions_of_every_board() {
    let folder = folder("encode-lp");
    for board in BOARDS {
        let n = size(board);
        let lp = encoded(board, "lp");
        let (before, after) = lp.split_once("Binaries\n").expect("binaries");
        // A solution is excluded by a sum: not all of its queens.
        let exclude = |found: &[Vec<(usize, usize)>]| {
            let mut text = before.to_owned();
            for (number, squares) in found.iter().enumerate() {
                let names = squares.iter().map(|(row, col)| format!("x_{row}_{col}"));
                let sum = names.collect::<Vec<_>>().join(" + ");
                text += &format!(" no_{number}: {sum} <= {}\n", squares.len() - 1);
            }
            text + "Binaries\n" + after
        };
        let expected = listed(board);
        if expected.len() > 12 || expected.contains(&vec![0; n]) {
            let squares = by_glpsol(&folder, &lp).expect("a solution");
            assert!(expected.contains(&solution(n, &squares)), "{board:?}");
        } else {
            let found = all_by(n, |lp| by_glpsol(&folder, lp), exclude);
            assert_eq!(found, expected, "{board:?}");
        }
    }
}

/// An exact cover problem in Knuth's format: items that must be covered, each as often as its
/// number says, items that may be covered once, and options, which cover items.
struct Cover {
    /// How often each item can be covered still.
    room: Vec<usize>,
    /// How many of the items must be covered; they come first.
    primary: usize,
    options: Vec<Vec<usize>>,
    names: Vec<String>,
}

impl Cover {
    fn read(text: &str) -> Cover {
        // A line that begins with a bar is a comment.
        let mut lines = text.lines().filter(|line| !line.starts_with('|'));
        let head = lines.next().expect("a line of items");
        // A bar between blanks separates what must be covered from what may be covered.
        let mut words: Vec<&str> = head.split(' ').filter(|word| !word.is_empty()).collect();
        let bar = words.iter().position(|&word| word == "|");
        let primary = bar.unwrap_or(words.len());
        if let Some(bar) = bar {
            words.remove(bar);
        }
        let (mut room, mut numbers, mut names) = (Vec::new(), HashMap::new(), Vec::new());
        for (number, word) in words.into_iter().enumerate() {
            let (times, name) = word.split_once('|').unwrap_or(("1", word));
            room.push(times.parse().expect("a number"));
            assert!(numbers.insert(name, number).is_none(), "{name} comes twice");
            names.push(name.to_owned());
        }
        let options = lines
            .map(|line| line.split(' ').map(|name| numbers[name]).collect())
            .collect();
        Cover {
            room,
            primary,
            options,
            names,
        }
    }

    /// Covers the first item that must be covered. If it is the same item as in the last call, only
    /// later options are tried, so that no set of options comes up in two orders.
    fn search(
        &mut self,
        last: Option<(usize, usize)>,
        chosen: &mut Vec<usize>,
        found: &mut Vec<Vec<usize>>,
    ) {
        let Some(item) = (0..self.primary).find(|&item| self.room[item] > 0) else {
            found.push(chosen.clone());
            return;
        };
        let from = match last {
            Some((before, option)) if before == item => option + 1,
            _ => 0,
        };
        for option in from..self.options.len() {
            let items = self.options[option].clone();
            if !items.contains(&item) || items.iter().any(|&item| self.room[item] == 0) {
                continue;
            }
            items.iter().for_each(|&item| self.room[item] -= 1);
            chosen.push(option);
            self.search(Some((item, option)), chosen, found);
            chosen.pop();
            items.iter().for_each(|&item| self.room[item] += 1);
        }
    }

    /// The row and the column of an option; none for the option that stands for no queen at all.
    fn square(&self, option: usize) -> Option<(usize, usize)> {
        let number = |letter: char| {
            let mut names = self.options[option].iter().map(|&item| &self.names[item]);
            names.find_map(|name| name.strip_prefix(letter)?.parse().ok())
        };
        match (number('r'), number('c')) {
            (Some(row), Some(col)) => Some((row, col)),
            (None, None) if self.options.len() == 1 => None,
            _ => panic!("an option has no square"),
        }
    }
}

#[test]
fn exact_covers_are_the_solutions_of_every_board() {
    for board in BOARDS {
        let n = size(board);
        let mut cover = Cover::read(&encoded(board, "xcc"));
        let mut found = Vec::new();
        cover.search(None, &mut Vec::new(), &mut found);
        let solutions: BTreeSet<Solution> = found
            .iter()
            .map(|options| {
                let squares = options.iter().filter_map(|&option| cover.square(option));
                solution(n, &squares.collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(solutions, listed(board), "{board:?}");
        assert_eq!(solutions.len(), found.len(), "{board:?}: one comes twice");
    }
}

#[test]
fn an_encoding_goes_into_json_as_it_is() {
    let board = ["5", "--given", "1,1", "--queens", "4"];
    for format in ["dimacs", "xcc", "minizinc", "lp"] {
        let plain = encoded(&["200"], format);
        for (board, expected) in [(&board[..], encoded(&board, format)), (&["200"], plain)] {
            let json = text(&[&["encode", "--json", "--format", format], board].concat());
            let object: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            assert_eq!(object["format"], format);
            assert!(object["text"] == expected, "{format}");
            assert_eq!(object.get("board").is_some(), board.len() > 1);
            let head = expected
                .lines()
                .find_map(|line| line.strip_prefix("p cnf "));
            let counts = [&object["variables"], &object["clauses"]];
            match head {
                Some(head) => assert_eq!(format!("{} {}", counts[0], counts[1]), head),
                None => assert!(counts.iter().all(|count| count.is_null())),
            }
        }
    }
}

#[test]
fn what_cannot_be_encoded_is_refused() {
    let line = refusal(&["encode", "8"]);
    assert!(line.contains("--format <FORMAT>"), "{line}");
    let line = refusal(&["encode", "8", "--format", "cnf"]);
    assert!(line.contains("dimacs, xcc, minizinc, lp"), "{line}");
    let line = refusal(&["encode", "1001", "--format", "dimacs"]);
    assert_eq!(
        line,
        "queens: boards up to n = 1000 can be encoded, not 1001\n"
    );
    let line = refusal(&["encode", "8", "--format", "lp", "--given", "1,1 2,2"]);
    assert!(
        line.contains("(1, 1) and (2, 2) attack each other"),
        "{line}"
    );
}
