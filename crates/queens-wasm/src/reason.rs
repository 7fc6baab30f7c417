//! Hints that give a reason, in three grades: where to look, why, and what to do.
//!
//! The reasons are those a person could find: a row or a column with one free square left,
//! or with none. Where no such thing is to be seen, the count of the solutions decides, and
//! the hint says so.

use queens::extend::{Through, through};
use queens::json::Object;
use queens::{Line, Placement, Square, check};

use crate::question::{Answer, Question};
use crate::say::{Origin, plural};

/// Where to look, why, and what to do; the square, and whether its queen has to go.
struct Hint {
    look: String,
    why: String,
    act: String,
    at: Option<Square>,
    take: bool,
}

/// The three grades of the next hint.
pub fn answer(question: &Question<'_>) -> Answer {
    let n = question.n(8)?;
    let placement = question.queens(n)?;
    let origin = Origin::of(question)?;
    let through = search(&placement)?;
    let hint = hint(&placement, &through, origin)?;
    Ok(Object::new()
        .set("look", hint.look)
        .set("why", hint.why)
        .set("act", hint.act)
        .set("at", hint.at)
        .set("take", hint.take))
}

fn search(placement: &Placement) -> Result<Through, String> {
    through(placement).map_err(|error| format!("There is no answer: {error}."))
}

/// A whole row or a whole column.
#[derive(Clone, Copy)]
enum Row {
    Row(usize),
    Col(usize),
}

impl Row {
    fn squares(self, n: usize) -> impl Iterator<Item = Square> {
        (0..n).map(move |k| match self {
            Row::Row(row) => Square::new(row, k),
            Row::Col(col) => Square::new(k, col),
        })
    }

    fn name(self, origin: Origin) -> String {
        match self {
            Row::Row(row) => format!("row {}", origin.show(row)),
            Row::Col(col) => format!("column {}", origin.show(col)),
        }
    }
}

/// Whether no queen shares a line with this square.
fn is_free(placement: &Placement, at: Square) -> bool {
    let mut queens = placement.queens().iter();
    queens.all(|&queen| Line::between(queen, at).is_none())
}

fn hint(placement: &Placement, through: &Through, origin: Origin) -> Result<Hint, String> {
    let n = placement.n();
    let queens = placement.queens();
    let report = check(placement);
    if report.is_solution() {
        return Ok(nothing("This is a solution. Nothing is left to do."));
    }
    if queens.is_empty() && through.solutions == 0 {
        return Ok(nothing(&format!(
            "A board of {n} by {n} has no solution. Choose another size."
        )));
    }
    if let Some(pair) = report.attacks().next() {
        let (first, second) = (origin.square(pair.first), origin.square(pair.second));
        return Ok(Hint {
            look: "Two queens attack each other.".to_owned(),
            why: format!("Look at {first} and {second}."),
            act: format!("Take away the queen in {second}."),
            at: Some(pair.second),
            take: true,
        });
    }
    // Rows and columns without a queen, and the squares of each that are free.
    let rows = (0..n)
        .filter(|row| queens.iter().all(|queen| queen.row != *row))
        .map(Row::Row);
    let cols = (0..n)
        .filter(|col| queens.iter().all(|queen| queen.col != *col))
        .map(Row::Col);
    let lines: Vec<(Row, Vec<Square>)> = rows
        .chain(cols)
        .map(|line| {
            let free = line.squares(n).filter(|&at| is_free(placement, at));
            (line, free.collect())
        })
        .collect();

    if through.solutions == 0 {
        let lost = lines.iter().find(|(_, free)| free.is_empty());
        let why = match lost {
            Some((line, _)) => format!("No square of {} is free any more.", line.name(origin)),
            None => "There are free squares, but no way to finish from here.".to_owned(),
        };
        let wrong = misplaced(placement)?;
        return Ok(Hint {
            look: "This position cannot be finished: a queen has to move.".to_owned(),
            why,
            act: wrong.map_or("Undo a few moves.".to_owned(), |at| {
                format!("Take away the queen in {}.", origin.square(at))
            }),
            at: wrong,
            take: true,
        });
    }
    if let Some((line, free)) = lines.iter().find(|(_, free)| free.len() == 1) {
        let name = line.name(origin);
        return Ok(Hint {
            look: format!("Look at {name}."),
            why: format!("{} has one free square left.", capital(&name)),
            act: format!("Put a queen in {}.", origin.square(free[0])),
            at: Some(free[0]),
            take: false,
        });
    }
    // The line with the fewest free squares, and the best of them.
    let (line, free) = lines
        .iter()
        .min_by_key(|(_, free)| free.len())
        .ok_or("Every row has a queen.")?;
    let best = free
        .iter()
        .rev()
        .max_by_key(|at| through.square(**at))
        .ok_or("Nothing is free.")?;
    let name = line.name(origin);
    let good = free.iter().filter(|at| through.square(**at) > 0).count();
    let why = if good == 1 {
        format!(
            "{} has {}, but only one of them leads to a solution.",
            capital(&name),
            plural(free.len() as u64, "free square")
        )
    } else {
        format!(
            "{} has {}; the best of them is in {} of the {} left.",
            capital(&name),
            plural(free.len() as u64, "free square"),
            through.square(*best),
            plural(through.solutions, "solution")
        )
    };
    Ok(Hint {
        look: format!("Look at {name}."),
        why,
        act: format!("Put a queen in {}.", origin.square(*best)),
        at: Some(*best),
        take: false,
    })
}

/// The beginning of a sentence.
fn capital(words: &str) -> String {
    words[..1].to_uppercase() + &words[1..]
}

fn nothing(says: &str) -> Hint {
    Hint {
        look: says.to_owned(),
        why: says.to_owned(),
        act: says.to_owned(),
        at: None,
        take: false,
    }
}

/// The queen to take away: the one without whom the most solutions are left.
fn misplaced(placement: &Placement) -> Result<Option<Square>, String> {
    let mut best = (0, None);
    for &queen in placement.queens() {
        let others = placement.queens().iter().copied();
        let others = others.filter(|&other| other != queen);
        let without = Placement::new(placement.n(), others).map_err(|error| error.to_string())?;
        let left = search(&without)?.solutions;
        if left > best.0 {
            best = (left, Some(queen));
        }
    }
    Ok(best.1)
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
        // No solution for n = 6 uses a corner, and nothing on the board tells.
        let corner = ask("hint?n=6&queens=0.0");
        assert!(corner["why"].as_str().unwrap().contains("no way to finish"));
        assert_eq!(corner["at"], json!([0, 0]));
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
        let none = ask("hint?n=3");
        assert!(none["act"].as_str().unwrap().contains("no solution"));
    }
}
