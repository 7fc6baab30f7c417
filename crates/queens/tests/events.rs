//! What the search says about itself, checked against the rules of the game.
//!
//! The stream must be the same whatever board it is told from, it must be true (every
//! refusal names the earliest queen that attacks the square, every free square is free),
//! and it must balance. Its sums are sequences that others have published: nodes per level
//! of the tree and squares tried until the first solution. Random walks over the boards
//! compare each one's private state with its definition in the course documents.

use std::ops::ControlFlow;

use proptest::prelude::*;
use queens::board::bitmask::RowBits;
use queens::board::{
    AttackCount, BitGrid, Bitmask, ByteGrid, Columns, FirstAttacker, Lines, Representation,
    SearchBoard,
};
use queens::search::{Event, Verdict, walk, walk_on};
use queens::{Attack, Line, Square, known};

/// The first `limit` events of a search.
fn events(representation: Representation, n: usize, limit: usize) -> Vec<Event> {
    let mut events = Vec::new();
    let _end = walk_on(representation, n, |event, _| {
        events.push(event);
        if events.len() == limit {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    events
}

fn every_event(representation: Representation, n: usize) -> Vec<Event> {
    events(representation, n, usize::MAX)
}

/// The earliest attacker, from the queens' columns and the definition.
fn earliest(cols: &[usize], row: usize, col: usize) -> Option<Attack> {
    cols.iter().enumerate().take(row).find_map(|(queen, &at)| {
        let line = if at == col {
            Line::Column
        } else if at.abs_diff(col) != row - queen {
            return None;
        } else if at < col {
            Line::Diag
        } else {
            Line::Anti
        };
        Some(Attack {
            first: Square::new(queen, at),
            second: Square::new(row, col),
            line,
        })
    })
}

#[test]
fn every_board_tells_the_same_story() {
    for n in 0..=7 {
        let story = every_event(Representation::Columns, n);
        for representation in Representation::ALL {
            assert!(
                every_event(representation, n) == story,
                "{representation:?} at n = {n}"
            );
        }
    }
}

#[test]
fn the_story_is_the_same_on_the_largest_boards() {
    let story = events(Representation::Columns, 32, 20_000);
    assert_eq!(events(Representation::Bitmask, 32, 20_000), story);
    let story = events(Representation::Columns, 255, 20_000);
    assert_eq!(events(Representation::Lines, 255, 20_000), story);
    assert_eq!(events(Representation::AttackCount, 255, 20_000), story);
}

#[test]
fn the_story_of_two_queens_is_told_in_full() {
    use Event::{DeadEnd, Enter, Leave, Place, Try, Undo};
    let refused = |row, col, queen_col, line| Try {
        row,
        col,
        verdict: Verdict::Refused(Attack {
            first: Square::new(0, queen_col),
            second: Square::new(row, col),
            line,
        }),
    };
    let free = |row, col| Try {
        row,
        col,
        verdict: Verdict::Free,
    };
    let story = [
        Enter { row: 0 },
        free(0, 0),
        Place { row: 0, col: 0 },
        Enter { row: 1 },
        refused(1, 0, 0, Line::Column),
        refused(1, 1, 0, Line::Diag),
        DeadEnd { row: 1 },
        Leave {
            row: 1,
            solutions: 0,
        },
        Undo { row: 0, col: 0 },
        free(0, 1),
        Place { row: 0, col: 1 },
        Enter { row: 1 },
        refused(1, 0, 1, Line::Anti),
        refused(1, 1, 1, Line::Column),
        DeadEnd { row: 1 },
        Leave {
            row: 1,
            solutions: 0,
        },
        Undo { row: 0, col: 1 },
        Leave {
            row: 0,
            solutions: 0,
        },
    ];
    for representation in Representation::ALL {
        assert_eq!(every_event(representation, 2), story, "{representation:?}");
    }
}

#[test]
fn every_event_is_true_and_the_board_shows_it() {
    for representation in Representation::ALL {
        for n in 0..=6 {
            let mut queens: Vec<usize> = Vec::new();
            let mut open_nodes = Vec::new();
            let mut solutions = 0;
            let end = walk_on(representation, n, |event, board| {
                match event {
                    Event::Enter { row } => {
                        assert_eq!(row, queens.len());
                        open_nodes.push((row, solutions));
                    }
                    Event::Try { row, col, verdict } => {
                        let attack = earliest(&queens, row, col);
                        assert_eq!(verdict, attack.map_or(Verdict::Free, Verdict::Refused));
                    }
                    Event::Place { row, col } => {
                        assert_eq!(row, queens.len());
                        queens.push(col);
                    }
                    Event::Solution => {
                        assert_eq!(queens.len(), n);
                        let mut cols = vec![0; n];
                        board.copy_cols(&mut cols);
                        assert_eq!(cols, queens);
                        solutions += 1;
                    }
                    Event::DeadEnd { row } => {
                        assert!((0..n).all(|col| earliest(&queens, row, col).is_some()));
                    }
                    Event::Leave {
                        row,
                        solutions: below,
                    } => {
                        assert_eq!(open_nodes.pop(), Some((row, solutions - below)));
                    }
                    Event::Undo { row, col } => {
                        assert_eq!((queens.pop(), queens.len()), (Some(col), row));
                    }
                    Event::Skip { .. } | Event::Unskip { .. } => {
                        panic!("the plain board has a queen in every row")
                    }
                }
                assert_eq!(board.n(), n);
                for row in 0..n {
                    assert_eq!(board.queen(row), queens.get(row).copied(), "{event:?}");
                }
                ControlFlow::Continue(())
            });
            assert_eq!(end, ControlFlow::Continue(solutions));
            assert_eq!(u128::from(solutions), known::known(n).unwrap().all);
            assert!(queens.is_empty() && open_nodes.is_empty());
        }
    }
}

#[test]
fn the_nodes_per_level_are_the_published_ones() {
    // Rows of OEIS A319284.
    let levels: [&[usize]; 5] = [
        &[1, 4, 6, 4, 2],
        &[1, 5, 12, 14, 12, 10],
        &[1, 6, 20, 36, 46, 40, 4],
        &[1, 7, 30, 76, 140, 164, 94, 40],
        &[1, 8, 42, 140, 344, 568, 550, 312, 92],
    ];
    for expected in levels {
        let n = expected.len() - 1;
        let mut nodes = vec![0; n + 1];
        for event in every_event(Representation::Bitmask, n) {
            if let Event::Enter { row } = event {
                nodes[row] += 1;
            }
        }
        assert_eq!(nodes, expected);
    }
}

#[test]
fn the_squares_tried_until_the_first_solution_are_the_published_ones() {
    // OEIS A140450.
    for (n, expected) in [
        (1, 1),
        (4, 26),
        (5, 15),
        (6, 171),
        (7, 42),
        (8, 876),
        (9, 333),
    ] {
        for representation in Representation::ALL {
            let mut tried = 0;
            let end = walk_on(representation, n, |event, _| {
                tried += usize::from(matches!(event, Event::Try { .. }));
                if event == Event::Solution {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            assert_eq!((end, tried), (ControlFlow::Break(()), expected), "n = {n}");
        }
    }
}

/// Compares the private state of every board with its definition.
fn check_states(n: usize, queens: &[usize], boards: &Boards) {
    let taken = |row: usize, col: usize| queens.get(row) == Some(&col);
    let reaches = |queen: usize, row: usize, col: usize| {
        let at = queens[queen];
        queen == row || at == col || at.abs_diff(col) == row.abs_diff(queen)
    };
    for row in 0..n {
        for col in 0..n {
            assert_eq!(boards.byte_grid.row(row)[col] == 1, taken(row, col));
            assert_eq!(boards.bit_grid.bit(row, col), taken(row, col));
            let above = (0..queens.len().min(row)).filter(|&queen| reaches(queen, row, col));
            let count = if taken(row, col) {
                1
            } else {
                -(above.count() as i32)
            };
            assert_eq!(boards.attack_count.b(row + 1, col + 1), count);
            let first = (0..queens.len()).find(|&queen| reaches(queen, row, col));
            let first = first.map_or(-1, |queen| queen as i16);
            assert_eq!(boards.first_attacker.earliest(row, col), first);
        }
        let column = queens.get(row).map_or(0, |&col| col as i32 + 1);
        assert_eq!(boards.attack_count.b(row + 1, 0), column);
        assert_eq!(boards.lines.row()[row] == 1, row < queens.len());
        assert_eq!(boards.lines.col()[row] == 1, queens.contains(&row));
    }
    let diagonals = queens
        .iter()
        .enumerate()
        .map(|(row, &col)| (col + n - 1 - row, col + row));
    let (mut down, mut up) = (vec![0; 2 * n - 1], vec![0; 2 * n - 1]);
    for (nw_to_se, sw_to_ne) in diagonals {
        down[nw_to_se] = 1;
        up[sw_to_ne] = 1;
    }
    assert_eq!(
        (boards.lines.nw_to_se(), boards.lines.sw_to_ne()),
        (&down[..], &up[..])
    );
    assert!(
        boards
            .columns
            .queens_in_row()
            .iter()
            .map(|&c| c as usize)
            .eq(queens.iter().copied())
    );

    for row in 0..=queens.len() {
        let mut bits = RowBits::default();
        for (queen, &at) in queens[..row].iter().enumerate() {
            let (bit, away) = (1u64 << at, row - queen);
            bits.down |= bit as u32;
            bits.left |= (bit << away) as u32 & boards.bitmask.mask();
            bits.right |= (bit >> away) as u32;
        }
        assert_eq!(boards.bitmask.row(row), bits, "row {row}");
    }
}

/// One board of each representation.
#[derive(Clone, PartialEq, Debug)]
struct Boards {
    byte_grid: ByteGrid,
    bit_grid: BitGrid,
    columns: Columns,
    attack_count: AttackCount,
    first_attacker: FirstAttacker,
    lines: Lines,
    bitmask: Bitmask,
}

impl Boards {
    fn new(n: usize) -> Self {
        Boards {
            byte_grid: ByteGrid::new(n),
            bit_grid: BitGrid::new(n),
            columns: Columns::new(n),
            attack_count: AttackCount::new(n),
            first_attacker: FirstAttacker::new(n),
            lines: Lines::new(n),
            bitmask: Bitmask::new(n),
        }
    }

    fn each(&mut self) -> [&mut dyn SearchBoard; 7] {
        [
            &mut self.byte_grid,
            &mut self.bit_grid,
            &mut self.columns,
            &mut self.attack_count,
            &mut self.first_attacker,
            &mut self.lines,
            &mut self.bitmask,
        ]
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_boards_agree_on_a_random_walk(
        n in 1usize..=32,
        choices in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..48),
    ) {
        let mut boards = Boards::new(n);
        let mut queens: Vec<usize> = Vec::new();
        let mut before = Vec::new();
        for (choice, back) in choices {
            let row = queens.len();
            let free: Vec<usize> = if row == n {
                Vec::new()
            } else {
                (0..n).filter(|&col| earliest(&queens, row, col).is_none()).collect()
            };
            if row < n {
                for board in boards.each() {
                    for col in 0..n {
                        prop_assert_eq!(board.is_free(row, col), free.contains(&col));
                        prop_assert_eq!(board.attack(row, col), earliest(&queens, row, col));
                    }
                }
            }
            if free.is_empty() || (back && row > 0) {
                let Some(col) = queens.pop() else { break };
                boards.each().into_iter().for_each(|board| board.remove(queens.len(), col));
                let before = before.pop();
                prop_assert_eq!(Some(&boards), before.as_ref());
            } else {
                before.push(boards.clone());
                let col = free[choice.index(free.len())];
                boards.each().into_iter().for_each(|board| board.place(row, col));
                queens.push(col);
            }
            check_states(n, &queens, &boards);
        }
    }

    #[test]
    fn a_search_that_is_stopped_says_nothing_more(
        which in 0usize..7,
        n in 1usize..=6,
        stop_at in any::<prop::sample::Index>(),
    ) {
        let representation = Representation::ALL[which];
        let story = every_event(representation, n);
        let heard = stop_at.index(story.len()) + 1;
        prop_assert_eq!(events(representation, n, heard), &story[..heard]);
    }
}

#[test]
fn a_stopped_search_leaves_the_board_as_it_was_told() {
    let mut told = None;
    let end = walk(8, |event, board: &Lines| {
        if event == Event::Solution {
            told = Some(board.clone());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    let cols: Vec<_> = (0..8)
        .map(|row| told.as_ref().unwrap().queen(row).unwrap())
        .collect();
    assert_eq!(
        (end, cols),
        (ControlFlow::Break(()), vec![0, 4, 7, 5, 2, 6, 1, 3])
    );
}
