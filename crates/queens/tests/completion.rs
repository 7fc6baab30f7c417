//! Completion problems: some queens are given, can the others be placed? `solve` against
//! counting, which knows how many ways there are.

use queens::random::Random;
use queens::solve::Method;
use queens::{Board, Count, Solve, Square};

/// A board with `given` queens drawn one by one from the squares that are still free, and `blocked`
/// squares; fewer queens if no square is left.
fn random_completion(n: usize, given: usize, blocked: usize, random: &mut Random) -> Board {
    let mut board = Board::new(n);
    for _ in 0..given {
        let free: Vec<Square> = (0..n).flat_map(|row| board.free_squares(row)).collect();
        if free.is_empty() {
            break;
        }
        let square = free[random.below(free.len() as u64) as usize];
        board = board.with_given([square]).expect("the square is free");
    }
    for _ in 0..blocked {
        let below = |random: &mut Random| random.below(n as u64) as usize;
        let square = Square::new(below(random), below(random));
        board = board.clone().with_blocked([square]).unwrap_or(board);
    }
    board
}

#[test]
fn boards_are_solvable_exactly_when_counting_finds_solutions() {
    let mut random = Random::new(18);
    let (mut solvable, mut not) = (0, 0);
    for round in 0..1_000 {
        let n = 6 + round % 8;
        let given = random.below(1 + n as u64 / 2) as usize;
        let blocked = random.below((n * n / 2) as u64) as usize;
        let mut board = random_completion(n, given, blocked, &mut random);
        if round % 10 == 0 {
            let fewer = n - 1 - random.below(2) as usize;
            board = board.clone().with_queens(fewer).unwrap_or(board);
        }
        let count = Count::on(&board).run().expect("the board is small");
        for method in [Method::Auto, Method::Exact] {
            let answer = Solve::new(&board).method(method).run().expect("an answer");
            assert_eq!(
                answer.is_some(),
                count > 0,
                "{method:?}: {}",
                board.to_json()
            );
            if let Some(answer) = answer {
                assert!(
                    board.is_answered_by(&answer),
                    "{method:?}: {}",
                    board.to_json()
                );
            }
        }
        solvable += u32::from(count > 0);
        not += u32::from(count == 0);
    }
    assert!(
        solvable > 250 && not > 250,
        "{solvable} solvable, {not} not"
    );
}
