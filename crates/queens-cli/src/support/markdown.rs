//! Chapters of `docs/` as pages of HTML.
//!
//! It knows what the chapters use: headings, paragraphs, lists, tables, blocks of code, and within
//! a line code, links, pictures and emphasis. The server has the course documents and the chapters
//! that they link to, [`CHAPTERS`]; a link to any other file keeps its words and names the file.
//! A row of a table can be linked by its number, such as `R1`, a heading by its own words, as
//! elsewhere.

use queens::render::escape;

/// The chapters that are served, by their names in the address, `docs/NAME.md` each.
pub const CHAPTERS: [(&str, &str); 3] = [
    ("course", include_str!("../../../../docs/course.md")),
    ("algorithms", include_str!("../../../../docs/algorithms.md")),
    ("mips", include_str!("../../../../docs/mips.md")),
];

/// The whole page, with a way back to the rooms. `style` is the address of its style sheet.
pub fn page(markdown: &str, style: &str) -> String {
    let title = markdown.lines().find_map(|line| line.strip_prefix("# "));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<link rel=\"icon\" href=\"icon.svg\" type=\"image/svg+xml\">\n\
         <link rel=\"stylesheet\" href=\"{style}\">\n</head>\n<body>\n\
         <nav><a href=\"./\">Queens in the browser</a> \
         <a href=\"./course\">The five course documents</a></nav>\n<main>\n\
         {}</main>\n</body>\n</html>\n",
        escape(title.unwrap_or_default()),
        body(markdown)
    )
}

/// The name by which a heading can be linked.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        ' ' | '-' => Some('-'),
        c if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

/// The kind of list and the text, if a line begins an item of a list.
fn item(line: &str) -> Option<(&'static str, &str)> {
    if let Some(text) = line.strip_prefix("- ") {
        return Some(("ul", text));
    }
    let (number, text) = line.split_once(". ")?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(("ol", text))
}

/// The indent of a line of code without a fence.
const INDENT: &str = "    ";

fn body(markdown: &str) -> String {
    let mut out = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        if line.starts_with("```") {
            let code: Vec<&str> = lines
                .by_ref()
                .take_while(|line| !line.starts_with("```"))
                .collect();
            let code = escape(&code.join("\n"));
            out.push_str(&format!(
                "<pre tabindex=\"0\"><code>{code}\n</code></pre>\n"
            ));
        } else if let Some(first) = line.strip_prefix(INDENT) {
            let mut code = first.to_owned();
            while let Some(next) =
                lines.next_if(|next| next.starts_with(INDENT) || next.trim().is_empty())
            {
                code.push('\n');
                code.push_str(next.strip_prefix(INDENT).unwrap_or_default());
            }
            let code = escape(code.trim_end());
            out.push_str(&format!(
                "<pre tabindex=\"0\"><code>{code}\n</code></pre>\n"
            ));
        } else if line.starts_with('#') {
            let text = line.trim_start_matches('#');
            let level = line.len() - text.len();
            let text = text.trim();
            let (id, text) = (slug(text), inline(text));
            out.push_str(&format!("<h{level} id=\"{id}\">{text}</h{level}>\n"));
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(next) = lines.next_if(|next| next.starts_with('|')) {
                rows.push(cells(next));
            }
            table(&rows, &mut out);
        } else if let Some((kind, text)) = item(line) {
            let mut items = vec![text.to_owned()];
            while let Some(next) = lines.next_if(|next| !next.trim().is_empty()) {
                match item(next) {
                    Some((_, text)) => items.push(text.to_owned()),
                    None => continue_line(items.last_mut().expect("a first item"), next),
                }
            }
            let items: String = items
                .iter()
                .map(|text| format!("<li>{}</li>\n", inline(text)))
                .collect();
            out.push_str(&format!("<{kind}>\n{items}</{kind}>\n"));
        } else {
            let mut text = line.to_owned();
            let goes_on = |next: &&str| {
                let other = ["```", "#", "|"]
                    .iter()
                    .any(|start| next.starts_with(start));
                !next.trim().is_empty() && !other
            };
            while let Some(next) = lines.next_if(goes_on) {
                continue_line(&mut text, next);
            }
            out.push_str(&format!("<p>{}</p>\n", inline(&text)));
        }
    }
    out
}

fn continue_line(text: &mut String, next: &str) {
    text.push(' ');
    text.push_str(next.trim());
}

/// The cells of a line of a table; a `|` inside a cell is written `\|`.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().replace("\\|", "\0");
    let inner = line.trim_start_matches('|').trim_end_matches('|');
    let cells = inner.split('|');
    cells.map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// Whether a first cell numbers its row: a letter and figures, such as `R1`.
fn is_row_number(cell: &str) -> bool {
    let figures = cell.strip_prefix(|c: char| c.is_ascii_uppercase());
    figures.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// A table from its rows: headings, dashes, and the rest.
fn table(rows: &[Vec<String>], out: &mut String) {
    let row = |cells: &[String], cell: &str| -> String {
        cells
            .iter()
            .map(|text| format!("<{cell}>{}</{cell}>", inline(text)))
            .collect()
    };
    out.push_str("<div class=\"table\" tabindex=\"0\"><table>\n<thead><tr>");
    out.push_str(&row(&rows[0], "th"));
    out.push_str("</tr></thead>\n<tbody>\n");
    for cells in rows.iter().skip(2) {
        let id = match cells.first().filter(|cell| is_row_number(cell)) {
            Some(number) => format!(" id=\"{number}\""),
            None => String::new(),
        };
        out.push_str(&format!("<tr{id}>{}</tr>\n", row(cells, "td")));
    }
    out.push_str("</tbody>\n</table></div>\n");
}

/// A line with its code, links, pictures and emphasis.
fn inline(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '`', '!', '[', '*']) {
        out.push_str(&escape(&rest[..at]));
        rest = &rest[at..];
        let done = sign(rest)
            .or_else(|| code(rest))
            .or_else(|| picture(rest))
            .or_else(|| link(rest))
            .or_else(|| emphasis(rest));
        match done {
            Some((html, after)) => {
                out.push_str(&html);
                rest = after;
            }
            None => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    out + &escape(rest)
}

/// A sign after a backslash, which means only itself.
fn sign(text: &str) -> Option<(String, &str)> {
    let after = text.strip_prefix('\\')?;
    let sign = after.chars().next().filter(char::is_ascii_punctuation)?;
    Some((escape(&sign.to_string()), &after[1..]))
}

fn code(text: &str) -> Option<(String, &str)> {
    let (code, after) = text.strip_prefix('`')?.split_once('`')?;
    Some((format!("<code>{}</code>", escape(code)), after))
}

fn picture(text: &str) -> Option<(String, &str)> {
    let (words, after) = text.strip_prefix("![")?.split_once("](")?;
    let (address, after) = after.split_once(')')?;
    let (words, address) = (escape(words), escape(address));
    Some((format!("<img src=\"{address}\" alt=\"{words}\">"), after))
}

fn link(text: &str) -> Option<(String, &str)> {
    let (words, after) = text.strip_prefix('[')?.split_once("](")?;
    let (address, after) = after.split_once(')')?;
    let words = inline(words);
    // A room of the page, wherever this server listens.
    let room = address.strip_prefix("http://127.0.0.1:8428/");
    let html = if let Some(room) = room {
        format!("<a href=\"./{}\">{words}</a>", escape(room))
    } else if address.starts_with('#') {
        format!("<a href=\"{}\">{words}</a>", escape(address))
    } else if let Some(chapter) = chapter(address) {
        format!("<a href=\"./{}\">{words}</a>", escape(&chapter))
    } else {
        let file = match address.strip_prefix("../") {
            Some(file) => file.to_owned(),
            None => format!("docs/{address}"),
        };
        match escape(&file) {
            file if file == words => words,
            file => format!("{words} ({file})"),
        }
    };
    Some((html, after))
}

/// The address of a served chapter and the heading in it, if the link leads to one.
fn chapter(address: &str) -> Option<String> {
    let (name, heading) = address.split_once(".md")?;
    let served = CHAPTERS.iter().any(|(chapter, _)| *chapter == name);
    served.then(|| format!("{name}{heading}"))
}

fn emphasis(text: &str) -> Option<(String, &str)> {
    let (mark, name) = if text.starts_with("**") {
        ("**", "strong")
    } else {
        ("*", "em")
    };
    let (words, after) = text.strip_prefix(mark)?.split_once(mark)?;
    let loose = words.is_empty() || words.starts_with(' ') || words.ends_with(' ');
    (!loose).then(|| (format!("<{name}>{}</{name}>", inline(words)), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_elements() {
        let text =
            "# A & B\n\nTwo\n`lines`.\n\n- one\n  more\n- two\n\n1. first\n\n```sh\na < b\n```\n";
        assert_eq!(
            body(text),
            "<h1 id=\"a--b\">A &amp; B</h1>\n<p>Two <code>lines</code>.</p>\n\
             <ul>\n<li>one more</li>\n<li>two</li>\n</ul>\n<ol>\n<li>first</li>\n</ol>\n\
             <pre tabindex=\"0\"><code>a &lt; b\n</code></pre>\n"
        );
    }

    #[test]
    fn indented_lines_are_code() {
        assert_eq!(
            body("So:\n\n    a < b\n\n      c\n\nand on\n"),
            "<p>So:</p>\n<pre tabindex=\"0\"><code>a &lt; b\n\n  c\n</code></pre>\n<p>and on</p>\n"
        );
    }

    #[test]
    fn a_table_keeps_the_bars_inside_its_cells() {
        let out = body("| # | it |\n|---|---|\n| R1 | `a \\| b` and 2 * 3 |\n");
        assert!(out.contains("<th>#</th><th>it</th>"), "{out}");
        assert!(
            out.contains("<tr id=\"R1\"><td>R1</td><td><code>a | b</code> and 2 * 3</td></tr>"),
            "{out}"
        );
    }

    #[test]
    fn lines_know_code_links_pictures_and_emphasis() {
        for (text, html) in [
            (
                "`a*b*c` *d* **e**",
                "<code>a*b*c</code> <em>d</em> <strong>e</strong>",
            ),
            ("[x](#y-z)", "<a href=\"#y-z\">x</a>"),
            ("[x](mips.md)", "<a href=\"./mips\">x</a>"),
            (
                "[x](algorithms.md#y-z)",
                "<a href=\"./algorithms#y-z\">x</a>",
            ),
            ("[x](gpu.md)", "x (docs/gpu.md)"),
            ("[a/b.s](../a/b.s)", "a/b.s"),
            (
                "[x](http://127.0.0.1:8428/#try?n=8&day=1)",
                "<a href=\"./#try?n=8&amp;day=1\">x</a>",
            ),
            (
                "![a \"b\"](c.svg)!",
                "<img src=\"c.svg\" alt=\"a &quot;b&quot;\">!",
            ),
            (
                "a\\* and b\\*, `\\*` and \\n",
                "a* and b*, <code>\\*</code> and \\n",
            ),
            ("a [b] c * d ` <e>", "a [b] c * d ` &lt;e&gt;"),
        ] {
            assert_eq!(inline(text), html, "{text}");
        }
    }

    #[test]
    fn every_chapter_is_whole_and_no_link_leads_nowhere() {
        let pages = CHAPTERS.map(|(name, text)| (name, page(text, "course.css")));
        let (_, course) = &pages[0];
        assert_eq!(course.matches("<table>").count(), 5);
        for id in ["R16", "C24", "Q21", "A36", "L26"] {
            assert!(course.contains(&format!("<tr id=\"{id}\">")), "{id}");
        }
        assert!(course.contains("<a href=\"./algorithms#what-each-board-costs\">"));
        for (name, page) in &pages {
            assert!(!page.contains("(docs/"), "{name}");
            for part in page.split("<a href=\"").skip(1) {
                let address = part.split('"').next().unwrap();
                let (file, heading) = address.split_once('#').unwrap_or((address, ""));
                let there = match file {
                    // A room of the page.
                    "./" => continue,
                    "" => page,
                    file => pages
                        .iter()
                        .find(|(name, _)| file.strip_prefix("./") == Some(name))
                        .map(|(_, page)| page)
                        .unwrap_or_else(|| panic!("{name}: {address}")),
                };
                assert!(
                    heading.is_empty() || there.contains(&format!("id=\"{heading}\"")),
                    "{name}: {address}"
                );
            }
            let mut ids: Vec<&str> = page.split(" id=\"").skip(1).collect();
            ids.iter_mut()
                .for_each(|id| *id = id.split('"').next().unwrap());
            let all = ids.len();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), all, "{name}");
            for tag in ["p", "table", "tr", "td", "pre", "code", "li", "main"] {
                let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
                let opened = page.matches(&format!("{open}>")).count()
                    + page.matches(&format!("{open} ")).count();
                assert_eq!(opened, page.matches(&close).count(), "{name}: {tag}");
            }
        }
    }
}
