//! Why a split of the rows holds no solution, for the room *Two colours*.

use queens::count::two_colour::explain::{self, Colour};
use queens::json::Object;

use crate::question::{Answer, Question};
use crate::say::{Origin, plural};

fn rows_words(set: u32, n: usize, origin: Origin) -> String {
    let rows: Vec<_> = (0..n)
        .filter(|row| set >> row & 1 == 1)
        .map(|row| origin.show(row).to_string())
        .collect();
    match rows.split_last() {
        None => "no row".to_owned(),
        Some((only, [])) => format!("row {only}"),
        Some((last, rest)) => format!("rows {} and {last}", rest.join(", ")),
    }
}

/// A sentence on what becomes of a split.
pub fn answer(question: &Question<'_>) -> Answer {
    let n = question.number("n", 4, 8, 8)?;
    let full = (1u32 << n) - 1;
    let rows = question.number("rows", 0, full, 0)?;
    let origin = Origin::of(question)?;
    let sides = [
        ("White", rows, Colour::White),
        ("Black", full & !rows, Colour::Black),
    ];
    for (name, rows, colour) in sides {
        if explain::placements(n, rows, colour).is_empty() {
            let says = format!(
                "{name} queens cannot fill {} at all: on {} squares of {} some pair always meets.",
                rows_words(rows, n, origin),
                name.to_ascii_lowercase(),
                if rows.count_ones() == 1 {
                    "this row"
                } else {
                    "these rows"
                },
            );
            return Ok(Object::new().set("total", 0).set("says", says));
        }
    }
    let bars = explain::histograms(n, rows);
    let total: u64 = bars.iter().map(|bar| bar.product()).sum();
    let of =
        |count: &dyn Fn(&explain::Bar) -> u64| bars.iter().filter(|bar| count(bar) > 0).count();
    let (white, black) = (of(&|bar| bar.white), of(&|bar| bar.black));
    let says = if total == 0 {
        format!(
            "Both sides can be filled, white with {} and black with {}, but no two of them fit together: \
             every pair shares a column or leaves one empty.",
            plural(white as u64, "set") + " of columns",
            plural(black as u64, "set") + " of columns",
        )
    } else {
        format!("This split holds {}.", plural(total, "solution"))
    };
    Ok(Object::new().set("total", total).set("says", says))
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn every_split_that_fails_is_explained_and_the_others_are_counted() {
        for n in [4, 6] {
            let mut total = 0;
            for rows in 0..1 << n {
                let why = ask(&format!("why?n={n}&rows={rows}"));
                let split = ask(&format!("split?n={n}&rows={rows}"));
                assert_eq!(why["total"], split["total"], "{rows}");
                let says = why["says"].as_str().unwrap();
                let holds = says.starts_with("This split holds");
                assert_eq!(holds, why["total"] != 0, "{says}");
                total += why["total"].as_u64().unwrap();
            }
            assert_eq!(ask(&format!("colours?n={n}"))["total"], total);
        }
    }

    #[test]
    fn a_side_that_cannot_be_filled_is_named() {
        let why = ask("why?n=4&rows=15&origin=1");
        let says = why["says"].as_str().unwrap();
        assert!(
            says.starts_with("White queens cannot fill rows 1, 2, 3 and 4"),
            "{says}"
        );
    }
}
