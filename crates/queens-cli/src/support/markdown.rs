//! A document of `docs/` as a page of HTML.
//!
//! It knows what the document uses: headings, paragraphs, lists, tables, blocks of code, and in a
//! line code, links, pictures and emphasis. Links to other documents keep their words and lose
//! their address, because the server has no other documents. Rows of tables can be linked by the
//! text of their first cell, headings by their own words, as elsewhere.

use queens::render::escape;

/// The whole page, with a way back to the rooms. `style` is the address of its style sheet.
pub fn page(markdown: &str, style: &str) -> String {
    let title = markdown.lines().find_map(|line| line.strip_prefix("# "));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<link rel=\"icon\" href=\"icon.svg\" type=\"image/svg+xml\">\n\
         <link rel=\"stylesheet\" href=\"{style}\">\n</head>\n<body>\n\
         <nav><a href=\"./\">Queens in the browser</a></nav>\n<main>\n\
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

/// The kind of a line, outside blocks of code.
fn item(line: &str) -> Option<(&'static str, &str)> {
    if let Some(text) = line.strip_prefix("- ") {
        return Some(("ul", text));
    }
    let (number, text) = line.split_once(". ")?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(("ol", text))
}

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

/// A table from its rows: names, dashes, and the rest.
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
        let id = escape(cells.first().map_or("", String::as_str));
        out.push_str(&format!("<tr id=\"{id}\">{}</tr>\n", row(cells, "td")));
    }
    out.push_str("</tbody>\n</table></div>\n");
}

/// A line with its code, links, pictures and emphasis.
fn inline(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '!', '[', '*']) {
        out.push_str(&escape(&rest[..at]));
        rest = &rest[at..];
        let done = code(rest)
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
    } else {
        format!("{words} (docs/{})", escape(address))
    };
    Some((html, after))
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
            ("[x](mips.md)", "x (docs/mips.md)"),
            (
                "[x](http://127.0.0.1:8428/#try?n=8&day=1)",
                "<a href=\"./#try?n=8&amp;day=1\">x</a>",
            ),
            (
                "![a \"b\"](c.svg)!",
                "<img src=\"c.svg\" alt=\"a &quot;b&quot;\">!",
            ),
            ("a [b] c * d ` <e>", "a [b] c * d ` &lt;e&gt;"),
        ] {
            assert_eq!(inline(text), html, "{text}");
        }
    }

    #[test]
    fn the_course_page_has_all_its_rows_and_no_link_that_leads_nowhere() {
        let page = page(include_str!("../../../../docs/course.md"), "course.css");
        assert_eq!(page.matches("<table>").count(), 5);
        for id in ["R16", "C24", "Q21", "A36", "L26"] {
            assert!(page.contains(&format!("<tr id=\"{id}\">")), "{id}");
        }
        for part in page.split("href=\"#").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(page.contains(&format!("id=\"{name}\"")), "{name}");
        }
        for tag in ["p", "table", "tr", "td", "pre", "code", "li", "main"] {
            let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
            let opened = page.matches(&format!("{open}>")).count()
                + page.matches(&format!("{open} ")).count();
            assert_eq!(opened, page.matches(&close).count(), "{tag}");
        }
    }
}
