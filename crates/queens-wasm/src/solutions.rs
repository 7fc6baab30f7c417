//! The room *Solutions*: all solutions of a board, their images and their pictures.
//!
//! The list of one board is made once and kept; the largest, 14 200 solutions for n = 12,
//! is 1.6 MB. Pages of it are handed out, so that no answer is long.

use queens::format::{WriteError, Writer};
use queens::json::Object;
use queens::render::{Picture, Theme, latex, svg};
use queens::symmetry::Fundamental;
use queens::{Format, Solution, Symmetry};

use crate::question::{Answer, Question};

/// The largest page of solutions handed out.
const LARGEST_PAGE: usize = 60;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    All,
    Fundamental,
}

const KINDS: [(&str, Kind); 2] = [("fundamental", Kind::Fundamental), ("all", Kind::All)];

/// The list of one board.
#[derive(Default)]
pub struct Solutions {
    n: usize,
    all: Vec<Solution>,
    /// Which of them are fundamental, and the sizes of their classes.
    fundamental: Vec<(usize, usize)>,
}

impl Solutions {
    fn open(&mut self, n: usize) {
        if self.n == n {
            return;
        }
        *self = Solutions {
            n,
            ..Solutions::default()
        };
        let mut fundamental = Fundamental::new();
        for solution in queens::solutions(n) {
            if let Some(class) = fundamental.class_size(&solution) {
                self.fundamental.push((self.all.len(), class));
            }
            self.all.push(solution);
        }
    }

    /// One page of solutions: `many` of them, beginning with number `from`.
    pub fn answer(&mut self, question: &Question<'_>) -> Answer {
        let n = question.n(8)?;
        let kind = question.word("kind", &KINDS)?;
        let many = question.number("many", 1, LARGEST_PAGE, 24)?;
        self.open(n);
        let chosen = self.chosen(question, kind)?;
        let total = chosen.len();
        let from = question.number("from", 0, total.saturating_sub(1), 0)?;
        let items = (from..total.min(from + many)).map(|at| {
            let index = chosen[at];
            Object::new()
                .set("cols", &self.all[index])
                .set("index", index)
                .set("class", self.all[index].class_size())
        });
        Ok(Object::new()
            .set("n", n)
            .set("all", self.all.len())
            .set("fundamental", self.fundamental.len())
            .set("total", total)
            .set("from", from)
            .list("items", items))
    }

    /// The numbers of the solutions asked for: of a kind, with queens on certain squares,
    /// of a class.
    fn chosen(&self, question: &Question<'_>, kind: Kind) -> Result<Vec<usize>, String> {
        let placement = question.queens(self.n)?;
        let classes = [("any", 0), ("2", 2), ("4", 4), ("8", 8)];
        let class = question.word("class", &classes)?;
        let fits = |index: &usize| {
            let solution = &self.all[*index];
            let mut queens = placement.queens().iter();
            queens.all(|queen| solution[queen.row] == queen.col)
                && (class == 0 || solution.class_size() == class)
        };
        Ok(match kind {
            Kind::All => (0..self.all.len()).filter(fits).collect(),
            Kind::Fundamental => {
                let indices = self.fundamental.iter().map(|found| found.0);
                indices.filter(fits).collect()
            }
        })
    }

    /// The whole list as a file. Counted from 1 it is the file of `queens list`.
    pub fn list(&mut self, question: &Question<'_>) -> Answer {
        let n = question.n(8)?;
        let kind = question.word("kind", &KINDS)?;
        let origin = question.number("origin", 0, 1, 1)?;
        self.open(n);
        let classes = kind == Kind::Fundamental;
        let mut writer = Writer::new(Format::Csv, n, classes);
        let mut out = Vec::new();
        writer.begin(&mut out);
        let told = |error: WriteError| error.to_string();
        match kind {
            Kind::All => {
                for solution in &self.all {
                    writer.solution(solution, None, &mut out).map_err(told)?;
                }
            }
            Kind::Fundamental => {
                for &(index, class) in &self.fundamental {
                    let written = writer.solution(&self.all[index], Some(class), &mut out);
                    written.map_err(told)?;
                }
            }
        }
        let text = String::from_utf8(out).map_err(|_| "The list is not text.".to_owned())?;
        let name = if classes { "fundamental" } else { "all" };
        let text = if origin == 0 {
            from_zero(&text, n)
        } else {
            text
        };
        Ok(Object::new()
            .set("name", format!("queens-{n}-{name}.csv"))
            .set("text", &text))
    }
}

/// A list with its rows and columns counted from 0. The class, if there, stays as it is.
fn from_zero(text: &str, n: usize) -> String {
    let lines = text.lines().enumerate().map(|(line, text)| {
        let cells = text.split(',').enumerate().map(|(at, cell)| match line {
            0 if at < n => format!("row{at}"),
            _ if line > 0 && at < n => {
                let col: usize = cell.parse().unwrap_or(1);
                (col - 1).to_string()
            }
            _ => cell.to_owned(),
        });
        cells.collect::<Vec<_>>().join(",") + "\n"
    });
    lines.collect()
}

fn symmetry_name(symmetry: Symmetry) -> &'static str {
    match symmetry {
        Symmetry::Identity => "as it is",
        Symmetry::Quarter => "quarter turn",
        Symmetry::Half => "half turn",
        Symmetry::ThreeQuarters => "three-quarter turn",
        Symmetry::LeftRight => "mirrored left to right",
        Symmetry::TopBottom => "mirrored top to bottom",
        Symmetry::Transpose => "mirrored in the falling diagonal",
        Symmetry::AntiTranspose => "mirrored in the rising diagonal",
    }
}

/// What a class of this size means.
fn class_name(class: usize) -> &'static str {
    match class {
        1 => "The board has one square, and every symmetry leaves it as it is.",
        2 => "A quarter turn leaves it as it is, so only two of its images differ.",
        4 => "A half turn leaves it as it is, so only four of its images differ.",
        _ => "No turn and no mirror leaves it as it is: eight different images.",
    }
}

/// The eight images of a solution and its class.
pub fn images(question: &Question<'_>) -> Answer {
    let solution = question.solution()?;
    if solution.n() > crate::LARGEST_N {
        return Err(format!(
            "Solutions are shown up to N = {}.",
            crate::LARGEST_N
        ));
    }
    let mut seen: Vec<Solution> = Vec::new();
    let eight: Vec<_> = Symmetry::ALL
        .into_iter()
        .zip(solution.images())
        .map(|(symmetry, image)| {
            let new = !seen.contains(&image);
            let item = Object::new()
                .set("name", symmetry_name(symmetry))
                .set("cols", &image)
                .set("new", new);
            seen.push(image);
            item
        })
        .collect();
    Ok(Object::new()
        .set("cols", &solution)
        .set("class", solution.class_size())
        .set("says", class_name(solution.class_size()))
        .set("canonical", solution.is_fundamental())
        .set("fundamental", solution.fundamental())
        .list("images", eight))
}

/// A solution as a picture in a file.
pub fn picture(question: &Question<'_>) -> Answer {
    let solution = question.solution()?;
    let format = question.word("format", &[("svg", "svg"), ("latex", "latex")])?;
    let theme = question.word("theme", &[("light", Theme::Light), ("dark", Theme::Dark)])?;
    let picture = Picture::new(&solution);
    let mut picture = picture.map_err(|error| format!("There is no picture: {error}."))?;
    picture.theme = theme;
    picture.size = question.number("size", 64, 4096, 640)?;
    let (text, ending) = match format {
        "svg" => (svg::board(&picture), "svg"),
        _ => (latex::board(&picture), "tex"),
    };
    let name: Vec<_> = solution.iter().map(usize::to_string).collect();
    Ok(Object::new()
        .set(
            "name",
            format!("queens-{}-{}.{ending}", solution.n(), name.join("-")),
        )
        .set("text", &text))
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn pages_together_are_the_whole_list() {
        let mut seen = 0;
        let mut classes = 0;
        loop {
            let page = ask(&format!(
                "solutions?n=8&kind=fundamental&from={seen}&many=5"
            ));
            let items = page["items"].as_array().unwrap();
            classes += items
                .iter()
                .map(|item| item["class"].as_u64().unwrap())
                .sum::<u64>();
            seen += items.len();
            if seen == 12 {
                assert_eq!((&page["all"], &page["total"]), (&92.into(), &12.into()));
                break;
            }
        }
        assert_eq!(classes, 92);
    }

    #[test]
    fn boards_without_solutions_have_an_empty_page() {
        let page = ask("solutions?n=3&kind=all");
        assert_eq!(
            (&page["total"], page["items"].as_array().unwrap().len()),
            (&0.into(), 0)
        );
        assert!(ask("solutions?n=8&from=12")["error"].is_string());
        assert!(
            ask("solutions?n=13")["error"]
                .as_str()
                .unwrap()
                .contains("1 to 12")
        );
    }

    #[test]
    fn solutions_are_filtered_by_square_and_class() {
        let corner = ask("solutions?n=8&kind=all&queens=0.0");
        assert_eq!(corner["total"], 4);
        let half = ask("solutions?n=8&kind=all&class=4");
        assert_eq!(half["total"], 4);
        for item in half["items"].as_array().unwrap() {
            assert_eq!(item["class"], 4);
            let cols: Vec<_> = item["cols"]
                .as_array()
                .unwrap()
                .iter()
                .map(|c| c.to_string())
                .collect();
            let moment = ask(&format!("watch?n=8&solution={}", item["index"]));
            assert_eq!(moment["tuple"], format!("({})", cols.join(", ")));
        }
        assert_eq!(ask("solutions?n=8&queens=0.0-0.1")["total"], 0);
        assert!(ask("solutions?n=8&class=3")["error"].is_string());
    }

    #[test]
    fn a_class_has_as_many_different_images_as_its_size_says() {
        for (cols, class) in [
            ("1-3-0-2", 2),
            ("0-4-7-5-2-6-1-3", 8),
            ("2-4-1-7-0-6-3-5", 4),
            ("0", 1),
        ] {
            let answer = ask(&format!("images?cols={cols}"));
            assert_eq!(answer["class"], class);
            let images = answer["images"].as_array().unwrap();
            assert_eq!(
                images.iter().filter(|image| image["new"] == true).count(),
                class
            );
        }
        assert!(
            ask("images?cols=0-1")["error"]
                .as_str()
                .unwrap()
                .contains("no solution")
        );
    }

    #[test]
    fn files_hold_what_the_library_writes() {
        let csv = ask("list?n=4&kind=all");
        assert_eq!(csv["text"], "row1,row2,row3,row4\n2,4,1,3\n3,1,4,2\n");
        let zero = ask("list?n=4&kind=fundamental&origin=0");
        assert_eq!(zero["text"], "row0,row1,row2,row3,class_size\n1,3,0,2,2\n");
        let svg = ask("picture?cols=1-3-0-2&format=svg");
        assert_eq!(svg["name"], "queens-4-1-3-0-2.svg");
        assert_eq!(svg["text"].as_str().unwrap().matches("<use ").count(), 4);
        assert!(
            ask("picture?cols=1-3-0-2&format=latex")["text"]
                .as_str()
                .unwrap()
                .contains("\\begin")
        );
    }
}
