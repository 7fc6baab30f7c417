//! Where queens stand, in the room *Solutions*: a heat map of random solutions.
//!
//! The library's Markov chain draws the solutions, the same ones for the same seed, and its
//! heat map makes the picture. A draw takes longer the larger the board is, so fewer are
//! made there: an answer takes some seconds, in a worker that reports its progress.

use queens::json::Object;
use queens::render::heat::Heat;
use queens::sample::Chain;

use crate::count::progress;
use crate::question::{Answer, Question};

/// The smallest board with more than one queen and a solution, and the largest drawn here.
const SIZES: (usize, usize) = (4, 100);

/// The most queens in all the solutions of one picture.
const MOST_QUEENS: usize = 8_000;

/// The height of the picture; the page gives it the size it has room for.
const HEIGHT: u32 = 600;

/// The board, the number of solutions and the seed of a question.
fn sample(question: &Question<'_>) -> Result<(usize, usize, u64), String> {
    let n = question.number("n", SIZES.0, SIZES.1, 50)?;
    let most = MOST_QUEENS / n;
    let number = question.number("number", 1, most, most)?;
    Ok((n, number, question.number("seed", 0, 999_999, 1u64)?))
}

/// What a picture would show; it draws nothing.
pub fn judge(question: &Question<'_>) -> Answer {
    let (n, _, seed) = sample(question)?;
    Ok(Object::new().set("n", n).set("seed", seed))
}

/// The picture for a board, a number of solutions and a seed, and a sentence about it.
pub fn answer(question: &Question<'_>) -> Answer {
    let (n, number, seed) = sample(question)?;
    let chain = Chain::new(n, seed).ok_or_else(|| format!("N = {n} has no solution."))?;
    let mut heat = Heat::new(n);
    for draw in 0..number {
        progress(draw as f64 / number as f64);
        heat.add(&chain.draw(draw as u64));
    }
    let (low, high) = heat.range();
    let (solutions, whose) = match number {
        1 => ("solution", "its"),
        _ => ("solutions", "their"),
    };
    let says = format!(
        "The queens of {number} random {solutions} for N = {n} and of {whose} images, in percent \
         of the mean: {:.0} where the picture is palest, {:.0} where it is darkest. It is \
         approximate: it shows a sample, and the Markov chain that draws it makes all solutions \
         only nearly equally likely.",
        100.0 * low,
        100.0 * high
    );
    Ok(Object::new()
        .set("n", n)
        .set("number", number)
        .set("seed", seed)
        .set("says", says)
        .set("svg", heat.svg(HEIGHT)))
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn a_picture_shows_the_sample_of_its_seed_and_says_that_it_is_one() {
        let picture = ask("heat?n=20&number=30&seed=7");
        let says = picture["says"].as_str().unwrap();
        assert!(says.contains("30 random solutions for N = 20"), "{says}");
        assert!(says.contains("approximate"), "{says}");
        let svg = picture["svg"].as_str().unwrap();
        assert_eq!(svg.matches("h1v1h-1z").count(), 20 * 20);
        assert_eq!(picture, ask("heat?n=20&number=30&seed=7"));
        assert_ne!(picture["svg"], ask("heat?n=20&number=30&seed=8")["svg"]);
        // Two images fill the squares next to the corners, and no others.
        let four = ask("heat?n=4&number=1");
        assert!(
            four["says"]
                .as_str()
                .unwrap()
                .contains("0 where the picture is palest, 200 where")
        );
    }

    #[test]
    fn a_picture_is_judged_before_it_is_drawn() {
        let usual = ask("heat-of?");
        assert_eq!((&usual["n"], &usual["seed"]), (&50.into(), &1.into()));
    }

    #[test]
    fn what_would_take_long_or_has_no_solution_is_refused_in_words() {
        for (bad, why) in [
            (
                "heat?n=3",
                "The number of queens cannot be 3: here it goes from 4 to 100.",
            ),
            ("heat?n=101", "queens cannot be 101"),
            ("heat-of?n=101", "queens cannot be 101"),
            ("heat-of?seed=x", "The seed has to be a whole number"),
            ("heat?n=eight", "whole number from 4 to 100"),
            (
                "heat?n=100&number=81",
                "The number of solutions cannot be 81: here it goes from 1 to 80.",
            ),
            ("heat?n=8&number=0", "The number of solutions cannot be 0"),
            ("heat?seed=x", "The seed has to be a whole number"),
            ("heat?seed=1000000", "The seed cannot be 1000000"),
        ] {
            let says = ask(bad)["error"].as_str().unwrap().to_owned();
            assert!(says.contains(why), "{bad}: {says}");
        }
    }
}
