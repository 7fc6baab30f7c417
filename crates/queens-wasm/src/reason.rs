//! The words of a hint, in three grades: where to look, why, and what to do.
//!
//! The library finds the hint and its reason; here it becomes sentences.

use queens::Square;
use queens::hint::{Hint, RowOrCol, hint};
use queens::json::Object;

use crate::question::{Answer, Question};
use crate::say::{Origin, plural};

/// The three grades of the next hint, the square, and whether its queen has to go.
pub fn answer(question: &Question<'_>) -> Answer {
    let n = question.n(8)?;
    let (board, placement) = question.board(n)?;
    let origin = Origin::of(question)?;
    let found =
        hint(&board, &placement).map_err(|error| format!("There is no answer: {error}."))?;
    let take = |at: Square| format!("Take away the queen in {}.", origin.square(at));
    let put = |at: Square| format!("Put a queen in {}.", origin.square(at));
    let named = |line: RowOrCol, capital: bool| match (line, capital) {
        (RowOrCol::Row(row), false) => format!("row {}", origin.show(row)),
        (RowOrCol::Row(row), true) => format!("Row {}", origin.show(row)),
        (RowOrCol::Column(col), false) => format!("column {}", origin.show(col)),
        (RowOrCol::Column(col), true) => format!("Column {}", origin.show(col)),
    };
    let look = |at: RowOrCol| format!("Look at {}.", named(at, false));
    let same = |says: &str| [(); 3].map(|()| says.to_owned());
    let (words, at, taken) = match found {
        Hint::Solved => (
            same("This is a solution. Nothing is left to do."),
            None,
            false,
        ),
        Hint::Hopeless if board.is_plain() => {
            let says = format!("A board of {n} by {n} has no solution. Choose another size.");
            (same(&says), None, false)
        }
        Hint::Clash { attack, take: at } => {
            let (first, second) = (origin.square(attack.first), origin.square(attack.second));
            let why = format!("Look at {first} and {second}.");
            let words = ["Two queens attack each other.".to_owned(), why, take(at)];
            (words, Some(at), true)
        }
        Hint::Lost { full, take: at } => {
            let why = match full {
                Some(full) => format!("No square of {} is free any more.", named(full, false)),
                None => "There are free squares, but no way to finish from here.".to_owned(),
            };
            let words = [
                "This position cannot be finished: a queen has to move.".to_owned(),
                why,
                at.map_or("Undo a few moves.".to_owned(), take),
            ];
            (words, at, true)
        }
        Hint::Forced { line, place } => {
            let why = format!("{} has one free square left.", named(line, true));
            ([look(line), why, put(place)], Some(place), false)
        }
        Hint::Best {
            line,
            free,
            good,
            place,
            through,
            solutions,
        } => {
            let free = plural(free as u64, "free square");
            let line_has = format!("{} has {free}", named(line, true));
            let why = if good == 1 {
                format!("{line_has}, but only one of them leads to a solution.")
            } else {
                let left = plural(solutions, "solution");
                format!("{line_has}; the best of them is in {through} of the {left} left.")
            };
            ([look(line), why, put(place)], Some(place), false)
        }
        // A question with a queen on a blocked square is refused before it comes here.
        _ => {
            let says = "The given queens and blocked squares leave no solution. Change them.";
            (same(says), None, false)
        }
    };
    let [look, why, act] = words;
    Ok(Object::new()
        .set("look", look)
        .set("why", why)
        .set("act", act)
        .set("at", at)
        .set("take", taken))
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;
    use serde_json::json;

    #[test]
    fn a_forced_square_is_given_with_its_reason() {
        // Two rows of n = 4 with one free square each.
        let hint = ask("hint?n=4&queens=0.1&origin=1");
        assert_eq!(hint["look"], "Look at row 2.");
        assert_eq!(hint["why"], "Row 2 has one free square left.");
        assert_eq!(hint["act"], "Put a queen in row 2, column 4.");
        assert_eq!(
            (&hint["at"], &hint["take"]),
            (&json!([1, 3]), &false.into())
        );
    }

    #[test]
    fn a_lost_position_says_why_and_which_queen() {
        let hint = ask("hint?n=4&queens=0.0-1.2");
        assert_eq!(hint["why"], "No square of row 2 is free any more.");
        assert_eq!(hint["take"], true);
        // No solution for n = 6 uses a corner, though every other row has free squares.
        let corner = ask("hint?n=6&queens=0.0");
        assert!(corner["why"].as_str().unwrap().contains("no way to finish"));
        assert_eq!(corner["at"], json!([0, 0]));
        let stuck = ask("hint?n=6&given=0.0");
        assert!(stuck["why"].as_str().unwrap().contains("leave no solution"));
        let given = ask("hint?n=6&given=0.1&queens=3.1");
        assert_eq!(given["at"], json!([3, 1]));
        let clash = ask("hint?n=6&queens=0.0-5.5");
        assert_eq!(clash["look"], "Two queens attack each other.");
    }

    #[test]
    fn following_every_hint_ends_in_a_solution() {
        for n in 4..=9 {
            let mut queens: Vec<String> = Vec::new();
            loop {
                let at = queens.join("-");
                if ask(&format!("try?n={n}&queens={at}"))["solved"] == true {
                    break;
                }
                let hint = ask(&format!("hint?n={n}&queens={at}"));
                assert_eq!(hint["take"], false, "n = {n}: {at}");
                queens.push(format!("{}.{}", hint["at"][0], hint["at"][1]));
                assert!(queens.len() <= n);
            }
        }
        let done = ask("hint?n=4&queens=0.1-1.3-2.0-3.2");
        assert!(
            done["look"]
                .as_str()
                .unwrap()
                .starts_with("This is a solution")
        );
        // A blocked square is not free.
        let forced = ask("hint?n=4&queens=0.2&blocked=3.2-3.3");
        assert_eq!(forced["why"], "Row 1 has one free square left.");
        let best = ask("hint?n=4&blocked=3.2-3.3");
        assert_eq!(
            best["why"],
            "Row 3 has 2 free squares, but only one of them leads to a solution."
        );
        let none = ask("hint?n=3");
        assert!(none["act"].as_str().unwrap().contains("no solution"));
        // No queen is to blame where no board of this kind can be filled.
        let none = ask("hint?n=3&queens=0.0");
        assert!(none["look"].as_str().unwrap().contains("no solution"));
        let none = ask("hint?n=4&blocked=0.1-0.2&queens=0.0");
        assert!(none["look"].as_str().unwrap().contains("leave no solution"));
    }
}
