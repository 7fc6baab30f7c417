//! The guided tour: the page has its words, the library its number of steps.

use queens::json::Object;

use crate::question::{Answer, Question};

/// How many steps the tour has.
const STEPS: usize = 7;

/// The step that a link asks for.
pub fn answer(question: &Question<'_>) -> Answer {
    let step = question.number("step", 1, STEPS, 1)?;
    Ok(Object::new().set("step", step).set("steps", STEPS))
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn steps_beyond_the_tour_are_refused() {
        assert_eq!(ask("step?step=7")["step"], 7);
        for bad in ["0", "8", "x", ""] {
            let says = ask(&format!("step?step={bad}"));
            assert!(says["error"].as_str().unwrap().contains("1 to 7"), "{bad}");
        }
    }
}
