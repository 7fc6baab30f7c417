//! The puzzle of a number, or of a day, for the room *Try*.

use queens::json::Object;
use queens::puzzle::{compose, day};

use crate::question::{Answer, Question};

/// The puzzle of a number, or of a date written like 20261116.
pub fn answer(question: &Question<'_>) -> Answer {
    let date = question.number("day", 0, 99_991_231, 0u32)?;
    let (n, seed) = if question.text("day").is_none() {
        let n = question.number("n", 4, crate::LARGEST_N, 8)?;
        (n, question.number("seed", 0, 999_999, 1u64)?)
    } else {
        day(date).ok_or_else(|| {
            format!("A day is written like 20261116: year, month, day; “{date}” is none.")
        })?
    };
    let board = compose(n, seed).ok_or_else(|| format!("N = {n} has no puzzle."))?;
    let given = board.given();
    let written = given.iter().map(|at| format!("{}.{}", at.row, at.col));
    Ok(Object::new()
        .set("n", n)
        .set("seed", seed)
        .set("day", date)
        .set("given", written.collect::<Vec<_>>().join("-"))
        .set("squares", given))
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn a_number_is_always_the_same_puzzle_and_has_one_answer() {
        let puzzle = ask("puzzle?n=8&seed=7");
        assert_eq!(puzzle, ask("puzzle?n=8&seed=7"));
        assert_ne!(puzzle["given"], ask("puzzle?n=8&seed=8")["given"]);
        let given = puzzle["given"].as_str().unwrap();
        assert_eq!(ask(&format!("extend?n=8&given={given}"))["solutions"], 1);
    }

    #[test]
    fn days_are_days_of_the_calendar() {
        assert_eq!(ask("puzzle?day=20261116")["n"], 5);
        for bad in ["20261301", "20260931", "5", "0"] {
            let says = ask(&format!("puzzle?day={bad}"));
            assert!(
                says["error"].as_str().unwrap().contains("20261116"),
                "{bad}"
            );
        }
    }
}
