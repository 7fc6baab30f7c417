//! The room *Try*: what the library says about queens that a person placed.
//!
//! `try` is quick and is asked at every move: which squares are attacked, which queens
//! attack each other. `extend` may take a while on an empty board and is asked in a
//! worker: how many solutions are left, how many go through each square, what to do next.

use queens::check::{self, Line};
use queens::extend::{Through, through};
use queens::json::{self, Object};
use queens::placement::{Placement, Square};

use crate::question::{Answer, Question};

fn squares(n: usize) -> impl Iterator<Item = Square> {
    (0..n * n).map(move |at| Square::new(at / n, at % n))
}

/// What can be seen on the board at once.
pub fn answer(question: &Question<'_>) -> Answer {
    let n = question.n(8)?;
    let placement = question.queens(n)?;
    let queens = placement.queens();
    let attackers = squares(n).map(|at| {
        let attacks = |queen: &&Square| {
            **queen != at
                && Line::ALL
                    .iter()
                    .any(|line| line.through(**queen) == line.through(at))
        };
        queens.iter().filter(attacks).count()
    });
    let pairs: Vec<_> = check::attacks(&placement).collect();
    let told = pairs.iter().map(|pair| {
        json::attack(pair.first, pair.second, pair.line.name()).set("says", pair.to_string())
    });
    Ok(Object::new()
        .set("n", n)
        .set("queens", queens)
        .list("attackers", attackers)
        .list("pairs", told)
        .set("solved", check::is_solution(&placement)))
}

/// What only a search can tell: how many solutions extend the queens, and a hint.
pub fn extend(question: &Question<'_>) -> Answer {
    let n = question.n(8)?;
    let placement = question.queens(n)?;
    let through = search(&placement)?;
    let best = through.best(&placement);
    let worst = if through.solutions == 0 {
        misplaced(&placement)?
    } else {
        None
    };
    Ok(Object::new()
        .set("solutions", through.solutions)
        .list("through", squares(n).map(|at| through.square(at)))
        .set("best", best)
        .set("misplaced", worst)
        .set("hint", hint(&placement, &through, best, worst)))
}

fn search(placement: &Placement) -> Result<Through, String> {
    through(placement).map_err(|error| format!("There is no answer: {error}."))
}

/// The queen to take away when nothing extends the placement: the one without whom the
/// most solutions are left.
fn misplaced(placement: &Placement) -> Result<Option<Square>, String> {
    let mut best = (0, None);
    for &queen in placement.queens() {
        let others = placement
            .queens()
            .iter()
            .copied()
            .filter(|&other| other != queen);
        let without = Placement::new(placement.n(), others).expect("fewer queens still fit");
        let left = search(&without)?.solutions;
        if left > best.0 {
            best = (left, Some(queen));
        }
    }
    Ok(best.1)
}

fn hint(
    placement: &Placement,
    through: &Through,
    best: Option<Square>,
    misplaced: Option<Square>,
) -> String {
    let n = placement.n();
    if check::is_solution(placement) {
        return "This is a solution.".to_owned();
    }
    if placement.queens().is_empty() && through.solutions == 0 {
        return format!("No placement of {n} queens on this board is a solution.");
    }
    let name = |at: Square| format!("row {}, column {}", at.row, at.col);
    match (best, misplaced) {
        (Some(at), _) => format!(
            "Put a queen in {}: {} of the {} solutions left have one there.",
            name(at),
            through.square(at),
            through.solutions
        ),
        (None, Some(at)) => format!(
            "Nothing extends this position. Take away the queen in {} and go on.",
            name(at)
        ),
        (None, None) => {
            "Nothing extends this position, whichever single queen is taken away. Undo a few moves."
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;
    use serde_json::{Value, json};

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
    fn hints_lead_on_or_back() {
        let open = ask("extend?n=6");
        assert_eq!(
            (&open["solutions"], &open["best"]),
            (&4.into(), &json!([0, 1]))
        );
        assert!(
            open["hint"]
                .as_str()
                .unwrap()
                .starts_with("Put a queen in row 0, column 1")
        );
        // No solution for n = 6 uses a corner; without it four are left.
        let corner = ask("extend?n=6&queens=0.0");
        assert_eq!(
            (&corner["solutions"], &corner["misplaced"]),
            (&0.into(), &json!([0, 0]))
        );
        assert!(corner["hint"].as_str().unwrap().contains("Take away"));
        let lost = ask("extend?n=6&queens=0.0-5.5-2.2");
        assert_eq!(
            (&lost["best"], &lost["misplaced"]),
            (&Value::Null, &Value::Null)
        );
        assert!(lost["hint"].as_str().unwrap().contains("Undo a few moves"));
        assert!(
            ask("extend?n=3")["hint"]
                .as_str()
                .unwrap()
                .contains("No placement of 3 queens")
        );
        assert_eq!(
            ask("extend?n=4&queens=0.1-1.3-2.0-3.2")["hint"],
            "This is a solution."
        );
    }
}
