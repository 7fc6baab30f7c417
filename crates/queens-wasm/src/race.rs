//! A race before it starts: the numbers and the names of a link, judged in one place.

use queens::Engine;
use queens::count::ENGINES;
use queens::json::Object;

use crate::count::LARGEST_N;
use crate::question::{Answer, Question};

/// The engines that race if the link names none.
const USUAL: &str = "attack-count.lines.bitmask.two-colour";

/// The race that a link describes; it counts nothing.
pub fn answer(question: &Question<'_>) -> Answer {
    let n = question.number("n", 1, LARGEST_N, 12)?;
    let mode = question.word("mode", &[("climb", "climb"), ("one", "one")])?;
    let mut names = Vec::new();
    let asked = question.text("engines").unwrap_or(USUAL);
    // A choice that is not made yet has a link, too.
    for name in asked.split('.').filter(|_| asked != "none") {
        let engine = name.parse::<Engine>().map_err(|_| {
            let all: Vec<_> = ENGINES.iter().map(|engine| engine.name()).collect();
            format!(
                "An engine cannot be “{name}”; it is one of {}.",
                all.join(", ")
            )
        })?;
        if !names.contains(&engine.name()) {
            names.push(engine.name());
        }
    }
    Ok(Object::new()
        .set("n", n)
        .set("mode", mode)
        .set("first", if mode == "climb" { n.min(4) } else { n })
        .set("engines", names))
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn a_link_is_judged_as_it_stands() {
        let race = ask("race?n=9&engines=lines.mirror");
        assert_eq!((&race["n"], &race["first"]), (&9.into(), &4.into()));
        assert_eq!(race["engines"], serde_json::json!(["lines", "mirror"]));
        assert_eq!(ask("race?n=9&mode=one")["first"], 9);
        assert_eq!(ask("race?engines=none")["engines"], serde_json::json!([]));
        for (bad, why) in [
            ("race?n=0", "N cannot be 0"),
            ("race?n=25", "N cannot be 25"),
            ("race?n=x", "whole number"),
            ("race?mode=run", "climb, one"),
            ("race?engines=magic", "cannot be “magic”"),
            ("race?engines=", "cannot be"),
        ] {
            let says = ask(bad)["error"].as_str().unwrap().to_owned();
            assert!(says.contains(why), "{bad}: {says}");
        }
    }
}
