//! The room *Try*: what the library says about queens that a person placed, on a board that may
//! have given queens and blocked squares.
//!
//! `try` is quick and is asked at every move: which squares are attacked, which queens
//! attack each other. `extend` may take a while on an empty board and is asked in a
//! worker: how many solutions are left, and how many go through each square.

use queens::extend::through_on;
use queens::json::{Object, attack};
use queens::{Line, Square, check};

use crate::question::{Answer, Question};

fn squares(n: usize) -> impl Iterator<Item = Square> {
    (0..n * n).map(move |at| Square::new(at / n, at % n))
}

/// What can be seen on the board at once.
pub fn answer(question: &Question<'_>) -> Answer {
    let n = question.n(8)?;
    let (board, placement) = question.board(n)?;
    let queens = placement.queens();
    let attackers = squares(n).map(|at| {
        let attacks = |queen: &&Square| **queen != at && Line::between(**queen, at).is_some();
        queens.iter().filter(attacks).count()
    });
    let report = check(&placement);
    let pairs: Vec<_> = report.attacks().collect();
    let told = pairs
        .iter()
        .map(|pair| attack(pair).set("says", pair.to_string()));
    Ok(Object::new()
        .set("n", n)
        .set("queens", queens)
        .list("attackers", attackers)
        .list("pairs", told)
        .set("solved", board.is_answered_by(&placement)))
}

/// What only a search can tell: how many solutions extend the queens, square by square.
pub fn extend(question: &Question<'_>) -> Answer {
    let n = question.n(8)?;
    let (board, placement) = question.board(n)?;
    let through =
        through_on(&board, &placement).map_err(|error| format!("There is no answer: {error}."))?;
    Ok(Object::new()
        .set("solutions", through.solutions)
        .list("through", squares(n).map(|at| through.square(at))))
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn clashes_and_attackers_are_told() {
        let seen = ask("try?n=4&queens=0.0-1.1-3.0");
        assert_eq!(seen["pairs"].as_array().unwrap().len(), 2);
        assert_eq!(seen["pairs"][0]["line"], "diag");
        assert_eq!(seen["attackers"][0], 2); // (0, 0): by (1, 1) and (3, 0)
        assert_eq!(seen["attackers"][2 * 4 + 3], 0);
        assert_eq!(seen["solved"], false);
        assert_eq!(ask("try?n=4&queens=0.1-1.3-2.0-3.2")["solved"], true);
    }

    #[test]
    fn solutions_are_counted_square_by_square() {
        let open = ask("extend?n=6");
        assert_eq!(
            (&open["solutions"], &open["through"][1]),
            (&4.into(), &1.into())
        );
        // No solution for n = 6 uses a corner.
        assert_eq!(open["through"][0], 0);
        assert_eq!(ask("extend?n=6&queens=0.0")["solutions"], 0);
        assert_eq!(ask("extend?n=6&blocked=0.1")["solutions"], 3);
        assert_eq!(ask("extend?n=8&given=3.0&blocked=0.1-7.7")["solutions"], 15);
        let one = ask("extend?n=4&given=0.1");
        assert_eq!(
            (&one["solutions"], &one["through"][7]),
            (&1.into(), &1.into())
        );
    }
}
