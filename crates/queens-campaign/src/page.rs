//! The status of a campaign as one small HTML page.
//!
//! The page stands alone: style and picture are inside, there is no script, and nothing is loaded.
//! The picture is the plan from left to right and top to bottom, with one cell per unit or, in
//! large plans, per stretch of units. The darker a cell, the more of it is done. It is drawn as SVG
//! with one rectangle per run of equal cells.

use std::fmt::Write;

use queens::render::escape;

use crate::clock;
use crate::ledger::{Info, Progress, Recounts};

/// The most cells that are drawn.
pub const CELLS: u64 = 2_400;

/// Everything the page shows.
pub struct Page<'a> {
    /// The fixed facts.
    pub info: &'a Info,
    /// How far the campaign is.
    pub progress: &'a Progress,
    /// What the recounts say.
    pub recounts: Recounts,
    /// The share of each cell that is done.
    pub picture: &'a [f64],
    /// The time left in words.
    pub left: &'a str,
    /// The count, once it is known.
    pub result: Option<u128>,
}

impl Page<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let (info, progress) = (self.info, self.progress);
        let n = info.n;
        let share = 100.0 * progress.cost as f64 / info.cost.max(1) as f64;
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>{n} queens: {share:.1} % counted</title>\n<style>{STYLE}</style>\n</head>\n\
             <body>\n<h1>{n} queens</h1>\n"
        );
        let headline = match self.result {
            Some(count) => format!("{count} solutions"),
            None => format!("{share:.2} % of the work is done"),
        };
        let _ = writeln!(page, "<p class=\"headline\">{headline}</p>");
        self.draw(&mut page);
        let _ = writeln!(page, "<table>");
        let mut fact = |name: &str, value: &str| {
            let _ = writeln!(page, "<tr><th>{name}</th><td>{}</td></tr>", escape(value));
        };
        fact("units", &format!("{} of {}", progress.units, info.units));
        fact("time left", self.left);
        fact("recounts that agree", &self.recounts.agreeing.to_string());
        fact("units in dispute", &self.recounts.disputed.to_string());
        fact("campaign", &info.id);
        fact("algorithm", &info.algorithm);
        fact("plan", &info.plan_digest);
        fact("planned", &format!("{} by {}", info.created, info.program));
        fact("this page", &clock::now());
        page.push_str("</table>\n");
        if !progress.devices.is_empty() {
            page.push_str(
                "<table>\n<tr><th>device</th><th>units</th><th>share</th><th>hours</th></tr>\n",
            );
            for d in &progress.devices {
                let share = 100.0 * d.cost as f64 / info.cost.max(1) as f64;
                let _ = writeln!(
                    page,
                    "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{share:.2} %\
                     </td><td class=\"number\">{:.3}</td></tr>",
                    escape(&d.device),
                    d.units,
                    d.seconds / 3_600.0
                );
            }
            page.push_str("</table>\n");
        }
        page.push_str("</body>\n</html>\n");
        page
    }

    /// The picture of the finished units.
    fn draw(&self, page: &mut String) {
        const WIDE: usize = 80;
        let columns = WIDE.min(self.picture.len().max(1));
        let rows = self.picture.len().div_ceil(columns);
        let _ = writeln!(
            page,
            "<svg viewBox=\"0 0 {columns} {rows}\" shape-rendering=\"crispEdges\" role=\"img\" \
             aria-label=\"the finished units\">"
        );
        // Eleven shades: none, nine between, all.
        let shade = |share: f64| match share {
            s if s <= 0.0 => 0,
            s if s >= 1.0 => 10,
            s => 1 + (s * 9.0) as usize,
        };
        for (y, row) in self.picture.chunks(columns).enumerate() {
            let mut x = 0;
            for run in row.chunk_by(|&a, &b| shade(a) == shade(b)) {
                let (width, class) = (run.len(), shade(run[0]));
                let _ = writeln!(
                    page,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"1\" class=\"s{class}\"/>"
                );
                x += width;
            }
        }
        page.push_str("</svg>\n");
    }
}

const STYLE: &str = "
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem;
       color: #1b1b1f; background: #fdfdfb }
h1 { margin: 0; font-size: 1.6rem } .headline { font-size: 1.2rem; margin: 0 0 1rem }
svg { width: 100%; border: 1px solid #8886; display: block }
table { border-collapse: collapse; margin: 1rem 0; font-size: .9rem }
th, td { text-align: left; padding: .15rem 1rem .15rem 0; vertical-align: top; overflow-wrap: anywhere }
th { font-weight: 600; white-space: nowrap } .number { text-align: right; font-variant-numeric: tabular-nums }
rect { fill: #1d4e89 } .s0 { fill-opacity: .05 } .s1 { fill-opacity: .15 } .s2 { fill-opacity: .22 }
.s3 { fill-opacity: .3 } .s4 { fill-opacity: .38 } .s5 { fill-opacity: .46 } .s6 { fill-opacity: .54 }
.s7 { fill-opacity: .62 } .s8 { fill-opacity: .7 } .s9 { fill-opacity: .8 }
@media (prefers-color-scheme: dark) {
  body { color: #e8e8ea; background: #17181c } rect { fill: #7fb3ee } }
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::DeviceTally;

    #[test]
    fn a_page_shows_the_share_and_escapes_names() {
        let info = Info {
            id: "n8-1".to_owned(),
            n: 8,
            algorithm: "a<b".to_owned(),
            program: "queens".to_owned(),
            created: "2026-11-15T09:00:00Z".to_owned(),
            units: 4,
            cost: 400,
            engine_units: 4,
            plan_digest: "00".to_owned(),
        };
        let progress = Progress {
            units: 1,
            cost: 100,
            devices: vec![DeviceTally {
                device: "<script>".to_owned(),
                units: 1,
                cost: 100,
                seconds: 1.0,
            }],
            ..Progress::default()
        };
        let page = Page {
            info: &info,
            progress: &progress,
            recounts: Recounts::default(),
            picture: &[1.0, 0.0, 0.0, 0.5],
            left: "9 s",
            result: None,
        }
        .html();
        assert!(page.contains("25.00 %") && page.contains("&lt;script&gt;"));
        assert!(!page.contains("<script>") && page.contains("a&lt;b"));
        // Three runs of equal cells: done, two untouched, half done.
        assert_eq!(page.matches("<rect").count(), 3);
        assert!(page.contains("width=\"2\" height=\"1\" class=\"s0\""));
    }
}
