//! The explanation of the two-colour idea: splits, histograms, and where they meet.
//!
//! All numbers are from [`queens::count::two_colour::explain`]. Sets of rows and columns
//! travel as numbers whose bit `k` stands for row or column `k`.

use queens::count::two_colour::explain::{self, Bar, Colour};
use queens::json::{Object, array};

use crate::question::{Answer, Question};

/// The largest board of the explanation: beyond it a histogram has too many bars to see.
const LARGEST_N: usize = 8;

fn size(question: &Question<'_>) -> Result<usize, String> {
    question.number("n", 4, LARGEST_N, 8)
}

fn rows(question: &Question<'_>, n: usize) -> Result<u32, String> {
    question.number("rows", 0, (1 << n) - 1, 0)
}

/// Every split that contributes, and the total.
pub fn answer(question: &Question<'_>) -> Answer {
    let n = size(question)?;
    let splits = explain::splits(n);
    let total: u64 = splits.iter().map(|split| split.1).sum();
    let splits = splits
        .iter()
        .map(|(rows, solutions)| array([u64::from(*rows), *solutions]));
    Ok(Object::new()
        .set("n", n)
        .set("total", total)
        .list("splits", splits))
}

/// The two histograms of one split.
pub fn split(question: &Question<'_>) -> Answer {
    let n = size(question)?;
    let rows = rows(question, n)?;
    let bars = explain::histograms(n, rows);
    let total: u64 = bars.iter().copied().map(Bar::product).sum();
    let bars = bars.iter().map(|bar| {
        Object::new()
            .set("cols", bar.cols)
            .set("white", bar.white)
            .set("black", bar.black)
            .set("product", bar.product())
    });
    Ok(Object::new()
        .set("n", n)
        .set("rows", rows)
        .set("total", total)
        .list("bars", bars))
}

/// The placements of both colours behind one bar of a split.
pub fn meeting(question: &Question<'_>) -> Answer {
    let n = size(question)?;
    let rows = rows(question, n)?;
    let full = (1u32 << n) - 1;
    let cols = question.number("cols", 0, full, 0)?;
    let with = |rows: u32, cols: u32, colour| {
        let all = explain::placements(n, rows, colour);
        let fitting = all.into_iter().filter(move |queens| {
            queens.iter().fold(0, |set, &(_, col)| set | 1u32 << col) == cols
        });
        array(fitting.map(|queens| array(queens.iter().map(|&(row, col)| array([row, col])))))
    };
    Ok(Object::new()
        .set("white", with(rows, cols, Colour::White))
        .set("black", with(full & !rows, full & !cols, Colour::Black)))
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn the_placements_behind_a_bar_are_as_many_as_it_says() {
        let all = ask("colours?n=6");
        assert_eq!(all["total"], 4);
        for split in all["splits"].as_array().unwrap() {
            let rows = &split[0];
            let split = ask(&format!("split?n=6&rows={rows}"));
            for bar in split["bars"].as_array().unwrap() {
                let meeting = ask(&format!("meeting?n=6&rows={rows}&cols={}", bar["cols"]));
                for colour in ["white", "black"] {
                    let placements = meeting[colour].as_array().unwrap().len();
                    assert_eq!(bar[colour], placements, "{colour}");
                }
            }
        }
    }

    #[test]
    fn sets_beyond_the_board_are_refused() {
        for bad in [
            "colours?n=3",
            "colours?n=9",
            "split?n=4&rows=16",
            "meeting?n=4&cols=16",
        ] {
            assert!(ask(bad)["error"].is_string(), "{bad}");
        }
    }
}
