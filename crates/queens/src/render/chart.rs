//! Times against board sizes, as SVG, with a logarithmic axis of seconds.
//!
//! A line per series, told apart three ways: by colour (from Okabe and Ito's set), by the shape
//! of its points, and by its name at the right edge, which a thin leader ties to its last
//! point; names are pushed apart where lines end close together. A point that is only an
//! upper bound is drawn hollow. Times span many powers of ten, so every power has a line
//! across and a label in the unit a person would say.
//!
//! Unlike the boards, a chart has words. They use the viewer's sans-serif font, or are drawn as
//! strokes where there may be none, as in a PNG.

use super::{Theme, escape, letters, num};

/// One measured time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The size of the board.
    pub n: usize,
    /// The time, above 0.
    pub seconds: f64,
    /// Whether the time is only known to be at most this.
    pub at_most: bool,
}

/// A named line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name, shown at the end of the line.
    pub name: String,
    /// The points, by rising `n`.
    pub points: Vec<Point>,
    /// Whether the line is dashed: a series from elsewhere, for comparison.
    pub dashed: bool,
}

/// The colours of a chart.
struct Colours {
    page: &'static str,
    /// The title and the names of lines and axes.
    ink: &'static str,
    /// Axes and their figures.
    axis: &'static str,
    /// The lines across.
    grid: &'static str,
    lines: [&'static str; 10],
    /// Dashed lines.
    dashed: &'static str,
}

/// Okabe and Ito's colours that show on white, and four more that differ in brightness too.
const LIGHT: Colours = Colours {
    page: "#ffffff",
    ink: "#222222",
    axis: "#444444",
    grid: "#dddddd",
    lines: [
        "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666", "#5c1a33",
        "#a0a03c", "#3b3b98",
    ],
    dashed: "#000000",
};

/// The same colours, as bright as a dark page needs.
const DARK: Colours = Colours {
    page: "#14181d",
    ink: "#e6ebf0",
    axis: "#aeb8c2",
    grid: "#2b343d",
    lines: [
        "#ff8c3b", "#4da6ff", "#2fc995", "#e08fc0", "#f2c14e", "#8ad4ff", "#b0b0b0", "#d0708f",
        "#c9c96b", "#9a9aff",
    ],
    dashed: "#ffffff",
};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 560.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = WIDTH - 196.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = HEIGHT - 62.0;
/// The least distance between two names at the right edge.
const NAME_HEIGHT: f64 = 19.0;

/// Where numbers are in the picture.
struct Scale {
    n: (f64, f64),
    /// Powers of ten.
    power: (f64, f64),
}

impl Scale {
    fn new(series: &[Series]) -> Scale {
        let points = || series.iter().flat_map(|series| &series.points);
        let n = |pick: fn(f64, f64) -> f64| points().map(|p| p.n as f64).reduce(pick);
        let log = |pick: fn(f64, f64) -> f64| points().map(|p| log10(p.seconds)).reduce(pick);
        let (n_min, n_max) = (n(f64::min).unwrap_or(0.0), n(f64::max).unwrap_or(1.0));
        let low = log(f64::min).unwrap_or(0.0).floor();
        let high = log(f64::max).unwrap_or(1.0).ceil();
        Scale {
            n: (n_min, n_max.max(n_min + 1.0)),
            power: (low, high.max(low + 1.0)),
        }
    }

    fn x(&self, n: f64) -> f64 {
        LEFT + 14.0 + (n - self.n.0) / (self.n.1 - self.n.0) * (RIGHT - LEFT - 28.0)
    }

    fn y(&self, seconds: f64) -> f64 {
        let share = (log10(seconds) - self.power.0) / (self.power.1 - self.power.0);
        BOTTOM - share * (BOTTOM - TOP)
    }
}

/// The logarithm; a time too short for the clock counts as a nanosecond.
fn log10(seconds: f64) -> f64 {
    seconds.max(1e-9).log10()
}

/// Times to draw.
///
/// ```
/// use queens::render::chart::{Chart, Point, Series};
///
/// let point = |n, seconds| Point { n, seconds, at_most: false };
/// let series = [Series {
///     name: "bitmask".to_owned(),
///     points: vec![point(8, 3e-5), point(12, 4e-3)],
///     dashed: false,
/// }];
/// let svg = Chart::new("Seconds by size", &series).svg();
/// assert!(svg.starts_with("<svg ") && svg.contains(">bitmask</text>"));
/// ```
#[derive(Clone, Debug)]
pub struct Chart<'a> {
    title: &'a str,
    series: &'a [Series],
    /// A line below the title: where and when the times were taken.
    pub note: String,
    /// The colours.
    pub theme: Theme,
    /// Whether words are strokes, for viewers without fonts.
    pub strokes: bool,
}

/// Where a text stands: the point is its beginning, its middle or its end.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

impl<'a> Chart<'a> {
    /// A light chart with the viewer's font.
    pub fn new(title: &'a str, series: &'a [Series]) -> Chart<'a> {
        Chart {
            title,
            series,
            note: String::new(),
            theme: Theme::Light,
            strokes: false,
        }
    }

    fn colours(&self) -> &'static Colours {
        match self.theme {
            Theme::Dark => &DARK,
            _ => &LIGHT,
        }
    }

    /// The drawing.
    pub fn svg(&self) -> String {
        let series = self.series;
        let drawn: Vec<&Series> = series.iter().filter(|s| !s.points.is_empty()).collect();
        let scale = Scale::new(series);
        let Colours {
            page, ink, axis, ..
        } = self.colours();
        // Strokes become pixels, and thin ones need more of them.
        let pixels = if self.strokes { 2.0 } else { 1.0 };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             width=\"{}\" height=\"{}\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{page}\"/>\n",
            WIDTH * pixels,
            HEIGHT * pixels,
            escape(self.title)
        );
        out += &self.text(self.title, (LEFT, 28.0), 17.0, Anchor::Start, ink);
        out += &self.text(&self.note, (LEFT, 48.0), 12.0, Anchor::Start, axis);
        self.axes(&scale, &mut out);
        let names = name_heights(&drawn, &scale);
        for (k, (series, name_y)) in drawn.iter().zip(names).enumerate() {
            self.line(series, k, name_y, &scale, &mut out);
        }
        out.push_str("</svg>\n");
        out
    }

    /// A text whose anchor stands at a point.
    fn text(
        &self,
        text: &str,
        (x, y): (f64, f64),
        size: f64,
        anchor: Anchor,
        fill: &str,
    ) -> String {
        if text.is_empty() {
            return String::new();
        }
        if self.strokes {
            let (path, width) = letters::path(text, size);
            let left = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - width / 2.0,
                Anchor::End => x - width,
            };
            return format!(
                "<path transform=\"translate({} {})\" d=\"{path}\" fill=\"none\" \
                 stroke=\"{fill}\" stroke-width=\"{}\" stroke-linecap=\"round\" \
                 stroke-linejoin=\"round\"/>\n",
                num(left),
                num(y),
                num(size * 0.09)
            );
        }
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{size}\"{anchor} fill=\"{fill}\">{}</text>\n",
            num(x),
            num(y),
            escape(text)
        )
    }

    fn axes(&self, scale: &Scale, out: &mut String) {
        let Colours {
            ink, axis, grid, ..
        } = self.colours();
        let mut add = |text: String| out.push_str(&text);
        let (low, high) = (scale.power.0 as i32, scale.power.1 as i32);
        for power in low..=high {
            let y = scale.y(10f64.powi(power));
            add(format!(
                "<path d=\"M{LEFT} {}H{RIGHT}\" stroke=\"{grid}\"/>\n",
                num(y)
            ));
            let label = power_of_ten(power);
            add(self.text(&label, (LEFT - 8.0, y + 4.0), 13.0, Anchor::End, axis));
        }
        let (first, last) = (scale.n.0 as usize, scale.n.1 as usize);
        // Labels need some 24 pixels each.
        let every = ((last - first) as f64 * 24.0 / (RIGHT - LEFT))
            .ceil()
            .max(1.0) as usize;
        for n in (first..=last).step_by(every) {
            let x = scale.x(n as f64);
            add(format!(
                "<path d=\"M{} {BOTTOM}v5\" stroke=\"{axis}\"/>\n",
                num(x)
            ));
            let at = (x, BOTTOM + 21.0);
            add(self.text(&n.to_string(), at, 13.0, Anchor::Middle, axis));
        }
        add(format!(
            "<path d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\" fill=\"none\" stroke=\"{axis}\"/>\n"
        ));
        let below = ((LEFT + RIGHT) / 2.0, HEIGHT - 18.0);
        add(self.text("size of the board, N", below, 13.0, Anchor::Middle, ink));
        let beside = "time for one count (logarithmic)";
        add(format!(
            "<g transform=\"translate(18 {}) rotate(-90)\">{}</g>\n",
            num((TOP + BOTTOM) / 2.0),
            self.text(beside, (0.0, 0.0), 13.0, Anchor::Middle, ink)
                .trim_end()
        ));
    }

    fn line(&self, series: &Series, k: usize, name_y: f64, scale: &Scale, out: &mut String) {
        let Colours {
            page,
            ink,
            lines,
            dashed,
            ..
        } = self.colours();
        let colour = match series.dashed {
            true => dashed,
            false => lines[k % lines.len()],
        };
        let at = |p: &Point| (scale.x(p.n as f64), scale.y(p.seconds));
        let path: Vec<String> = series
            .points
            .iter()
            .map(at)
            .map(|(x, y)| format!("{} {}", num(x), num(y)))
            .collect();
        let dashes = if series.dashed {
            " stroke-dasharray=\"6 4\""
        } else {
            ""
        };
        let mut add = |text: String| out.push_str(&text);
        add(format!(
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>\n",
            path.join("L")
        ));
        for point in &series.points {
            let (x, y) = at(point);
            add(mark(
                k,
                x,
                y,
                colour,
                if point.at_most { page } else { colour },
            ));
        }
        let (x, y) = series.points.last().map(at).unwrap_or_default();
        let name_x = RIGHT + 14.0;
        add(format!(
            "<path d=\"M{} {}L{} {}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"0.8\" \
         stroke-dasharray=\"1 2\"/>\n",
            num(x),
            num(y),
            num(name_x),
            num(name_y)
        ));
        add(mark(k, name_x + 6.0, name_y, colour, colour));
        let at = (name_x + 17.0, name_y + 4.5);
        add(self.text(&series.name, at, 13.0, Anchor::Start, ink));
    }
}

/// The label of `10^power` seconds.
fn power_of_ten(power: i32) -> String {
    let (below, unit) = match power {
        ..=-7 => (-9, "ns"),
        -6..=-4 => (-6, "µs"),
        -3..=-1 => (-3, "ms"),
        _ => (0, "s"),
    };
    match power - below {
        exponent @ 0..=5 => format!("{} {unit}", 10u64.pow(exponent as u32)),
        exponent => format!("1e{exponent} {unit}"),
    }
}

/// Where each name goes: beside the end of its line, or as close as the others allow.
fn name_heights(series: &[&Series], scale: &Scale) -> Vec<f64> {
    let end = |series: &Series| series.points.last().map_or(TOP, |p| scale.y(p.seconds));
    let mut order: Vec<usize> = (0..series.len()).collect();
    order.sort_by(|&a, &b| end(series[a]).total_cmp(&end(series[b])));
    let mut heights = vec![0.0; series.len()];
    // Down with each name below the one before, then up again from the lower edge.
    let mut next = TOP;
    for &k in &order {
        heights[k] = end(series[k]).max(next);
        next = heights[k] + NAME_HEIGHT;
    }
    let mut last = BOTTOM;
    for &k in order.iter().rev() {
        heights[k] = heights[k].min(last);
        last = heights[k] - NAME_HEIGHT;
    }
    heights
}

/// A point, in the shape of series `k`; a hollow one is filled with the colour of the page.
fn mark(k: usize, x: f64, y: f64, colour: &str, fill: &str) -> String {
    const SHAPES: [&str; 7] = [
        "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
        "M-3.6 -3.6h7.2v7.2h-7.2Z",
        "M0 -5L4.6 3.4H-4.6Z",
        "M0 -5L5 0L0 5L-5 0Z",
        "M0 5L4.6 -3.4H-4.6Z",
        "M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3Z",
        "M-4.5 -2h9v4h-9Z",
    ];
    format!(
        "<path transform=\"translate({} {})\" d=\"{}\" fill=\"{fill}\" stroke=\"{colour}\"/>\n",
        num(x),
        num(y),
        SHAPES[k % SHAPES.len()]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, points: &[(usize, f64)]) -> Series {
        let points = points.iter().map(|&(n, seconds)| Point {
            n,
            seconds,
            at_most: false,
        });
        Series {
            name: name.to_owned(),
            points: points.collect(),
            dashed: false,
        }
    }

    #[test]
    fn a_time_ten_times_as_long_is_one_grid_line_higher() {
        let all = [series("a", &[(4, 1e-5), (12, 2.0)])];
        let scale = Scale::new(&all);
        let step = scale.y(1e-4) - scale.y(1e-3);
        assert!(step > 0.0);
        assert!((scale.y(1e-2) - scale.y(1e-1) - step).abs() < 1e-9);
        assert!(scale.y(2.0) >= TOP && scale.y(1e-5) <= BOTTOM);
    }

    #[test]
    fn names_never_overlap_and_stay_in_the_picture() {
        let all: Vec<Series> = (0..10)
            .map(|k| series("x", &[(8, 1e-3 + 1e-6 * k as f64)]))
            .collect();
        let drawn: Vec<&Series> = all.iter().collect();
        let mut heights = name_heights(&drawn, &Scale::new(&all));
        heights.sort_by(f64::total_cmp);
        assert!(
            heights.windows(2).all(|w| w[1] - w[0] > NAME_HEIGHT - 1e-9),
            "{heights:?}"
        );
        assert!(heights[0] >= TOP - 1e-9 && heights[9] <= BOTTOM + 1e-9);
    }

    #[test]
    fn labels_are_in_the_unit_a_person_would_say() {
        let labels = [-9, -6, -5, -3, -1, 0, 2].map(power_of_ten);
        assert_eq!(
            labels,
            ["1 ns", "1 µs", "10 µs", "1 ms", "100 ms", "1 s", "100 s"]
        );
    }

    #[test]
    fn nothing_to_draw_still_gives_a_picture() {
        assert!(Chart::new("empty", &[]).svg().ends_with("</svg>\n"));
        let one = [series("one", &[(8, 0.0)])];
        assert!(Chart::new("a < b", &one).svg().contains("a &lt; b"));
    }

    #[test]
    fn strokes_need_no_font_and_a_dark_chart_has_a_dark_page() {
        let one = [series("one", &[(8, 0.1)])];
        let mut chart = Chart::new("Seconds by size", &one);
        chart.note = "a machine, 2026-11-16".to_owned();
        assert!(chart.svg().contains(">a machine, 2026-11-16</text>"));
        chart.strokes = true;
        chart.theme = Theme::Dark;
        let svg = chart.svg();
        assert!(!svg.contains("<text"));
        assert!(svg.contains("fill=\"#14181d\"") && !svg.contains("fill=\"#ffffff\""));
    }
}
