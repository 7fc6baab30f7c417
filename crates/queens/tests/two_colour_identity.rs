//! The identity behind the two-colour engine, by brute force and without a line of its code.
//!
//! `white(R, C)` and `black(R, C)` are counted by trying every assignment of the columns of
//! C to the rows of R. The sum of their products over all R and C must be the known count,
//! and the table of N = 4 in docs/algorithms.md must be what comes out.

use queens::known::known;

/// Ways to put one queen into each of `rows` and each of `cols`, on squares whose row and
/// column add up to `parity` modulo 2, no two on a diagonal.
fn ways(rows: u32, cols: u32, parity: u32, placed: &mut Vec<(i32, i32)>) -> u64 {
    if rows == 0 {
        return 1;
    }
    let row = rows.trailing_zeros();
    let mut found = 0;
    for col in (0..32).filter(|col| cols >> col & 1 == 1) {
        let (r, c) = (row as i32, col as i32);
        let attacked = placed
            .iter()
            .any(|&(row, col)| (row - r).abs() == (col - c).abs());
        if (row + col) % 2 == parity && !attacked {
            placed.push((r, c));
            found += ways(rows & (rows - 1), cols & !(1 << col), parity, placed);
            placed.pop();
        }
    }
    found
}

/// The two factors of one term.
fn term(n: u32, rows: u32, cols: u32) -> (u64, u64) {
    let all = (1 << n) - 1;
    let white = ways(rows, cols, 0, &mut Vec::new());
    let black = ways(all & !rows, all & !cols, 1, &mut Vec::new());
    (white, black)
}

#[test]
fn the_sum_over_all_row_and_column_sets_is_the_count() {
    for n in 1..=7u32 {
        let mut sum = 0;
        for rows in 0u32..1 << n {
            for cols in (0u32..1 << n).filter(|cols| cols.count_ones() == rows.count_ones()) {
                let (white, black) = term(n, rows, cols);
                sum += white * black;
            }
        }
        assert_eq!(u128::from(sum), known(n as usize).unwrap().all, "n={n}");
    }
}

#[test]
fn the_table_of_the_document_is_right() {
    let document = include_str!("../../../docs/algorithms.md");
    let table = document.split("| R \\ C |").nth(1).expect("the table");
    let set = |text: &str| -> u32 {
        let digits = text.bytes().filter(u8::is_ascii_digit);
        digits.map(|digit| 1 << (digit - b'0')).sum()
    };
    let cells = |line: &str| -> Vec<String> {
        let cells = line.trim().trim_matches('|').split('|');
        cells.map(|cell| cell.trim().replace("**", "")).collect()
    };
    let mut lines = table.lines();
    let columns: Vec<u32> = cells(lines.next().unwrap())
        .iter()
        .map(|c| set(c))
        .collect();
    assert_eq!(columns, [0b0011, 0b1001, 0b0110, 0b1100]);
    let mut checked = 0;
    for line in lines.skip(1).take(4) {
        let cells = cells(line);
        let rows = set(&cells[0]);
        for (&cols, cell) in columns.iter().zip(&cells[1..]) {
            let (white, black) = term(4, rows, cols);
            assert_eq!(*cell, format!("{white} * {black}"), "{rows:04b} {cols:04b}");
            checked += 1;
        }
    }
    assert_eq!(checked, 16);
    // The two terms above the table: nothing white, and everything white.
    assert_eq!((term(4, 0, 0), term(4, 15, 15)), ((1, 0), (0, 1)));
}
