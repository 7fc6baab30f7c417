//! The room *Count*: the library's engines, one count per worker.
//!
//! A worker is an instance of its own, so a long count holds up nothing else. While it runs it
//! reports the share of the work done through the one import of this module. The page cancels
//! it by ending the worker.

use queens::Count;
use queens::board::Representation;
use queens::count::ENGINES;
use queens::json::{Object, Value, array};

use crate::question::{Answer, Question};

/// The largest board the room offers. It is no limit of the engines: beyond it, a browser
/// would count for hours.
pub const LARGEST_N: usize = 20;

/// The engines of the library, simplest to fastest.
pub fn engines() -> Value {
    array(ENGINES.iter().map(|engine| {
        Object::new()
            .set("name", engine.name())
            // One worker is one thread, whatever the engine could use.
            .set(
                "summary",
                engine.summary().trim_end_matches(", on all cores"),
            )
            .set("source", engine.source())
            .set("largest", engine.largest_n().min(LARGEST_N))
            .set("sensible", engine.sensible_n())
    }))
}

/// What each board of the course documents costs: a row of headings, and a row for each board.
pub fn costs() -> Value {
    let heads = [
        "board",
        "space",
        "place a queen",
        "is a square free?",
        "take her back",
        "all free squares of a row",
    ];
    let rows = Representation::ALL.into_iter().map(|board| {
        let cost = board.cost();
        [
            board.name(),
            cost.space,
            cost.place,
            cost.test,
            cost.undo,
            cost.row,
        ]
    });
    array([heads].into_iter().chain(rows).map(array))
}

/// Counts on one board with one engine.
pub fn answer(question: &Question<'_>) -> Answer {
    let n = question.number("n", 1, LARGEST_N, 8)?;
    let names: Vec<_> = ENGINES.iter().map(|&e| (e.name(), e)).collect();
    let engine = question.word("engine", &names)?;
    let count = Count::new(n)
        .engine(engine)
        .progress(progress)
        .run()
        .map_err(|error| format!("There is no count: {error}."))?;
    // A count may be larger than the whole numbers of JavaScript, so it travels as text.
    Ok(Object::new()
        .set("n", n)
        .set("engine", engine.name())
        .set("count", count.to_string()))
}

#[cfg(target_family = "wasm")]
mod host {
    // The page provides it; it takes a number and touches no memory of ours.
    #[link(wasm_import_module = "page")]
    unsafe extern "C" {
        pub safe fn progress(share: f64);
    }
}

#[cfg(not(target_family = "wasm"))]
mod host {
    pub fn progress(_share: f64) {}
}

/// Tells the page the share of a long answer that is done.
pub fn progress(share: f64) {
    host::progress(share);
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn every_engine_of_the_library_is_offered_and_counts() {
        let hello = ask("hello");
        let engines = hello["engines"].as_array().unwrap();
        assert_eq!(engines.len(), queens::count::ENGINES.len());
        for engine in engines {
            let name = engine["name"].as_str().unwrap();
            assert_eq!(
                ask(&format!("count?n=8&engine={name}"))["count"],
                "92",
                "{name}"
            );
        }
    }

    #[test]
    fn boards_out_of_range_and_unknown_engines_are_refused() {
        for bad in ["count?n=0", "count?n=21", "count?n=8&engine=magic"] {
            assert!(ask(bad)["error"].is_string(), "{bad}");
        }
        assert!(
            ask("nonsense")["error"]
                .as_str()
                .unwrap()
                .contains("no room")
        );
    }
}
