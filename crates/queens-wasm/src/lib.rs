//! The library for the page: one WebAssembly module that answers questions.
//!
//! The page asks in the form of its own links, `watch?n=8&style=bits&at=120`, and gets
//! JSON back, `{"error":"..."}` where there is no answer. So a link is judged by the same
//! Rust code that answers it, and the whole interface is three exports over linear memory,
//! written by hand on both sides (`web/src/engine.js` is the other one):
//!
//! 1. `input(length)` gives the address where the question is to be put, as UTF-8;
//! 2. `ask()` answers it and returns the length of the answer;
//! 3. `answer()` gives the address of the answer, which stays until the next question.
//!
//! The modules, one per room, compute nothing themselves: they read a question, call the
//! library and put what it says into JSON. They call one import, `progress`, while a count or
//! a sample runs. An instance holds the state of one page or one worker; instances share nothing.

mod attempt;
mod branches;
mod colours;
mod count;
mod heat;
mod program;
mod puzzle;
mod question;
mod race;
mod reason;
mod say;
mod solutions;
mod tour;
mod tree;
mod watch;
mod why;

use std::cell::RefCell;

use queens::json::Object;
use question::Question;

/// The largest board of the rooms that show every step or every solution.
pub const LARGEST_N: usize = 12;

/// What one instance remembers from question to question: only what would be slow to make
/// again. Every question says all that its answer depends on.
#[derive(Default)]
struct Session {
    /// Two searches, which can be watched side by side.
    watch: [watch::Watch; 2],
    solutions: solutions::Solutions,
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Answers one question; the export `ask` without the linear memory.
pub fn answer_to(question: &str) -> String {
    let answer = Question::parse(question).and_then(|question| {
        SESSION.with_borrow_mut(|session| match question.verb() {
            "hello" => Ok(hello()),
            "watch" => {
                let lane = question.number("lane", 0, 1, 0)?;
                session.watch[lane].answer(&question)
            }
            "program" => watch::listing(&question),
            "branches" => branches::answer(&question),
            "puzzle" => puzzle::answer(&question),
            "hint" => reason::answer(&question),
            "race" => race::answer(&question),
            "step" => tour::answer(&question),
            "why" => why::answer(&question),
            "try" => attempt::answer(&question),
            "extend" => attempt::extend(&question),
            "solutions" => session.solutions.answer(&question),
            "images" => solutions::images(&question),
            "picture" => solutions::picture(&question),
            "list" => session.solutions.list(&question),
            "count" => count::answer(&question),
            "heat" => heat::answer(&question),
            "heat-of" => heat::judge(&question),
            "colours" => colours::answer(&question),
            "split" => colours::split(&question),
            "meeting" => colours::meeting(&question),
            other => Err(format!("There is no room called “{other}”.")),
        })
    });
    answer
        .unwrap_or_else(|error| Object::new().set("error", error))
        .end()
}

/// What the page needs to know before its first picture: the lists it offers.
fn hello() -> Object {
    Object::new()
        .set("version", env!("CARGO_PKG_VERSION"))
        .set("largest", LARGEST_N)
        .set("styles", watch::styles())
        .set("engines", count::engines())
        .set("costs", count::costs())
}

/// Where the question is to be written: `length` bytes from the address returned.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Answers the question that was written to `input`; returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    let question = INPUT.take();
    let answer = match std::str::from_utf8(&question) {
        Ok(question) => answer_to(question),
        Err(_) => Object::new().set("error", "The link is not text.").end(),
    };
    let length = answer.len();
    ANSWER.set(answer);
    length
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    /// Asks as the page does, and reads the answer with a real parser.
    pub fn ask(question: &str) -> Value {
        serde_json::from_str(&crate::answer_to(question)).unwrap()
    }

    #[test]
    fn every_question_gets_json_however_odd_it_is() {
        for odd in [
            "",
            "?",
            "watch?",
            "watch?n=",
            "watch?=4",
            "\u{0}",
            "try?queens=\"}",
            "count?n=1&n=1",
            "é?é=é",
        ] {
            assert!(ask(odd).is_object(), "{odd:?}");
        }
    }

    #[test]
    fn memory_holds_the_question_and_the_answer() {
        let address = super::input(5);
        assert!(!address.is_null());
        // Five zero bytes are text, and no question.
        let length = super::ask();
        assert!(length > 0 && !super::answer().is_null());
    }
}
