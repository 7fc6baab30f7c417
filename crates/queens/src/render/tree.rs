//! The search tree as indented text, as nested JSON and as a drawing.
//!
//! The drawing is laid out here: leaves get equal room from left to right, a parent
//! stands over the middle of its children, a level is a row. A circle holds the column of
//! the queen that leads to it; a solution is a filled circle with a ring, a dead end a
//! square with a cross under it, a node where the tree was cut has three dots. Levels
//! carry their number of nodes at the left.
//!
//! With the refused squares drawn, every node has the next row below it as a strip of
//! cells: a refused square shows the number of the queen that attacks it, and the lines to
//! the children leave from the free ones.

use std::fmt::Write;

use super::{Palette, Theme, num};
use crate::json::Object;
use crate::search::tree::{Kind, Node, Tree};

pub(crate) use crate::search::trace::tuple;

/// The tree as indented lines, with the refused squares if `pruned`.
///
/// ```
/// use queens::render::tree;
/// use queens::search::tree::{Limit, Tree};
///
/// let out = tree::text(&Tree::build(4, None, Limit::LIST).unwrap(), false);
/// assert!(out.starts_with("search tree of 4-queens: 17 nodes, by level 1 4 6 4 2\n()\n├─ (0)\n"));
/// assert!(out.contains("│  ├─ (0, 2)  dead end\n"));
/// ```
pub fn text(tree: &Tree, pruned: bool) -> String {
    let levels: Vec<String> = tree.levels().iter().map(u64::to_string).collect();
    let mut out = format!(
        "search tree of {}: {} node{}, by level {}\n",
        tree.board.problem(),
        tree.nodes.len(),
        if tree.nodes.len() == 1 { "" } else { "s" },
        levels.join(" ")
    );
    text_node(&mut out, tree, 0, "", "", pruned);
    out
}

fn text_node(out: &mut String, tree: &Tree, id: usize, own: &str, below: &str, pruned: bool) {
    let node = &tree.nodes[id];
    let mark = match node.kind {
        Kind::Inner => "",
        Kind::DeadEnd => "  dead end",
        Kind::Solution => "  solution",
        Kind::Cut => "  ...",
    };
    writeln!(out, "{own}{}{mark}", tuple(&node.cols)).expect("writing to a string");
    let squares = next_row(tree, node, pruned);
    let last = squares.len().saturating_sub(1);
    for (k, square) in squares.iter().enumerate() {
        let (arm, pad) = if k == last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        match *square {
            Square::Child(child) => {
                let (own, deeper) = (format!("{below}{arm}"), format!("{below}{pad}"));
                text_node(out, tree, child, &own, &deeper, pruned);
            }
            Square::Refused { col, queen, line } => {
                writeln!(out, "{below}{arm}x col {col}: queen {queen}, {line}")
                    .expect("writing to a string");
            }
            Square::Blocked { col } => {
                writeln!(out, "{below}{arm}# col {col}: blocked").expect("writing to a string");
            }
        }
    }
}

/// A square of the row below a node.
pub(super) enum Square {
    Child(usize),
    Refused {
        col: usize,
        queen: usize,
        line: &'static str,
    },
    Blocked {
        col: usize,
    },
}

/// The squares of the row below a node that are drawn, from left to right.
pub(super) fn next_row(tree: &Tree, node: &Node, pruned: bool) -> Vec<Square> {
    let depth = node.cols.len();
    let mut squares: Vec<(Option<usize>, Square)> = node
        .children
        .iter()
        .map(|&child| (tree.nodes[child].cols[depth], Square::Child(child)))
        .collect();
    if pruned {
        squares.extend(node.refused.iter().map(|attack| {
            let (col, queen, line) = (attack.second.col, attack.queen(), attack.line.name());
            (Some(col), Square::Refused { col, queen, line })
        }));
        let blocked = node.blocked.iter();
        squares.extend(blocked.map(|&col| (Some(col), Square::Blocked { col })));
    }
    squares.sort_by_key(|&(col, _)| col);
    squares.into_iter().map(|(_, square)| square).collect()
}

/// The tree as one JSON object, with the refused squares if `pruned`.
///
/// ```
/// use queens::render::tree;
/// use queens::search::tree::{Limit, Tree};
///
/// let out = tree::json(&Tree::build(1, None, Limit::LIST).unwrap(), false);
/// assert!(out.contains("\"cols\":[0],\"kind\":\"solution\",\"solutions\":1"));
/// ```
pub fn json(tree: &Tree, pruned: bool) -> String {
    let mut object = Object::new()
        .set("schema", "queens-tree/2")
        .set("n", tree.n);
    if !tree.board.is_plain() {
        object = object.set("board", &tree.board);
    }
    object = object
        .set("depth", tree.depth)
        .set("nodes", tree.nodes.len())
        .set("levels", tree.levels())
        .set("root", json_node(tree, 0, pruned));
    object.end() + "\n"
}

fn json_node(tree: &Tree, id: usize, pruned: bool) -> Object {
    let node = &tree.nodes[id];
    // The number of solutions below a cut is unknown.
    let known = tree.depth.is_none() || node.kind == Kind::Solution;
    let mut object = Object::new()
        .set("cols", &node.cols)
        .set("kind", node.kind.name())
        .set("solutions", known.then_some(node.solutions));
    if pruned {
        object = object.list("refused", &node.refused);
        if !node.blocked.is_empty() {
            object = object.list("blocked", &node.blocked);
        }
    }
    object.list(
        "children",
        node.children.iter().map(|&id| json_node(tree, id, pruned)),
    )
}

/// The measures of a drawing, in pixels.
struct Measures {
    /// From one leaf to the next.
    leaf: f64,
    /// From one level to the next.
    level: f64,
    /// The radius of a node.
    radius: f64,
    /// The side of a cell of a strip.
    cell: f64,
    left: f64,
    top: f64,
}

/// The tree as a complete SVG document, with the refused squares if `pruned`.
///
/// The caller keeps the tree within [`crate::search::tree::Limit::DRAWING`].
///
/// ```
/// use queens::render::{Theme, tree};
/// use queens::search::tree::{Limit, Tree};
///
/// let drawn = tree::svg(&Tree::build(4, None, Limit::DRAWING).unwrap(), false, Theme::Light);
/// assert_eq!(drawn.matches("class=\"solution\"").count(), 2);
/// assert_eq!(drawn.matches("class=\"dead-end\"").count(), 4);
/// ```
pub fn svg(tree: &Tree, pruned: bool, theme: Theme) -> String {
    let colours = theme.palette();
    let cell = 17.0;
    let strip = tree.n as f64 * cell;
    let at = Measures {
        leaf: if pruned { strip + 14.0 } else { 34.0 }.max(34.0),
        level: if pruned { 112.0 } else { 74.0 },
        radius: 12.0,
        cell,
        left: 104.0,
        top: 64.0,
    };
    let xs = columns(tree, &at);
    let levels = tree.levels();
    let deepest = levels.iter().rposition(|&count| count > 0).unwrap_or(0);
    let right = xs.iter().copied().fold(0.0, f64::max) + at.leaf / 2.0 + 20.0;
    // The legend and the title need room even if the tree is a single path.
    let legend = if pruned { 590.0 } else { 460.0 };
    let width = right
        .max(legend)
        .max(28.0 + 10.0 * title(tree).len() as f64);
    let legend = at.top + deepest as f64 * at.level + if pruned { 84.0 } else { 62.0 };
    let height = legend + 34.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"0 0 {w} {h}\" role=\"img\" font-family=\"system-ui, 'DejaVu Sans', \
         Helvetica, Arial, sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n\
         <title>Search tree of {}: {} nodes, {} solutions drawn</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        tree.board.problem(),
        tree.nodes.len(),
        tree.nodes
            .iter()
            .filter(|x| x.kind == Kind::Solution)
            .count(),
        colours.page,
        w = num(width),
        h = num(height),
    );
    level_names(&mut out, tree, &levels[..=deepest], &at, width, &colours);
    for (id, node) in tree.nodes.iter().enumerate() {
        links(&mut out, tree, (id, node), &xs, &at, pruned, &colours);
    }
    for (id, node) in tree.nodes.iter().enumerate() {
        let y = at.top + node.cols.len() as f64 * at.level;
        if pruned && node.kind != Kind::Solution && node.kind != Kind::Cut {
            strip_of(&mut out, tree, node, (xs[id], y), &at, &colours);
        }
        draw_node(&mut out, node, (xs[id], y), &at, pruned, &colours);
    }
    let cut = tree.depth.is_some();
    draw_legend(&mut out, at.left - 60.0, legend, pruned, cut, &at, &colours);
    out.push_str("</svg>\n");
    out
}

/// The middle of each node: leaves at equal distances, parents over their children.
fn columns(tree: &Tree, at: &Measures) -> Vec<f64> {
    let mut xs = vec![0.0; tree.nodes.len()];
    let mut leaves = 0;
    for (id, node) in tree.nodes.iter().enumerate() {
        if node.children.is_empty() {
            xs[id] = at.left + at.leaf * (f64::from(leaves) + 0.5);
            leaves += 1;
        }
    }
    // Children come after their parents, so going backwards meets them first.
    for (id, node) in tree.nodes.iter().enumerate().rev() {
        if let (Some(&first), Some(&last)) = (node.children.first(), node.children.last()) {
            xs[id] = (xs[first] + xs[last]) / 2.0;
        }
    }
    xs
}

/// The title above the picture; some ten pixels a letter.
fn title(tree: &Tree) -> String {
    format!("Search tree of {}", tree.board.problem())
}

fn level_names(
    out: &mut String,
    tree: &Tree,
    levels: &[u64],
    at: &Measures,
    width: f64,
    colours: &Palette,
) {
    writeln!(
        out,
        "<text x=\"14\" y=\"26\" font-size=\"16\" font-weight=\"600\" text-anchor=\"start\" \
         fill=\"{}\">{}</text>",
        colours.ink,
        title(tree)
    )
    .expect("writing to a string");
    for (level, count) in levels.iter().enumerate() {
        let y = at.top + level as f64 * at.level;
        let plural = if *count == 1 { "" } else { "s" };
        writeln!(
            out,
            "<path d=\"M{} {y}H{}\" stroke=\"{}\" stroke-width=\"1\"/>\n\
             <text x=\"14\" y=\"{}\" text-anchor=\"start\" fill=\"{}\">\
             {count} node{plural}</text>",
            num(at.left - 10.0),
            num(width - 10.0),
            colours.other,
            num(y + 4.5),
            colours.ink,
            y = num(y),
        )
        .expect("writing to a string");
    }
}

fn links(
    out: &mut String,
    tree: &Tree,
    (id, node): (usize, &Node),
    xs: &[f64],
    at: &Measures,
    pruned: bool,
    colours: &Palette,
) {
    let y = at.top + node.cols.len() as f64 * at.level;
    for &child in &node.children {
        let col = tree.nodes[child].cols[node.cols.len()];
        let (x0, y0) = if pruned {
            let left = xs[id] - tree.n as f64 * at.cell / 2.0;
            // A row that stays empty leaves from beside its squares.
            let square = col.map_or(-0.3, |col| col as f64 + 0.5);
            (left + square * at.cell, y + 18.0 + at.cell)
        } else {
            (xs[id], y + at.radius)
        };
        let y1 = y + at.level - at.radius;
        let middle = (y0 + y1) / 2.0;
        writeln!(
            out,
            "<path class=\"link\" d=\"M{x0} {y0}C{x0} {m} {x1} {m} {x1} {y1}\" fill=\"none\" \
             stroke=\"{}\" stroke-width=\"1.4\"/>",
            colours.ink,
            x0 = num(x0),
            y0 = num(y0),
            x1 = num(xs[child]),
            y1 = num(y1),
            m = num(middle),
        )
        .expect("writing to a string");
    }
}

/// The next row of a node: attackers in the refused squares, a dot in the free ones.
fn strip_of(
    out: &mut String,
    tree: &Tree,
    node: &Node,
    (x, y): (f64, f64),
    at: &Measures,
    colours: &Palette,
) {
    let left = x - tree.n as f64 * at.cell / 2.0;
    let top = y + 18.0;
    for col in 0..tree.n {
        let cell_left = left + col as f64 * at.cell;
        let refused = node.refused.iter().find(|attack| attack.second.col == col);
        let blocked = node.blocked.contains(&col);
        let fill = if blocked {
            colours.ink
        } else if refused.is_some() {
            colours.other
        } else {
            colours.page
        };
        writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{c}\" height=\"{c}\" fill=\"{fill}\" stroke=\"{}\"/>",
            num(cell_left),
            num(top),
            colours.ink,
            c = num(at.cell),
        )
        .expect("writing to a string");
        let middle = cell_left + at.cell / 2.0;
        match refused {
            None if blocked => writeln!(
                out,
                "<text class=\"blocked\" x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"{}\">#\
                 <title>col {col} is blocked</title></text>",
                num(middle),
                num(top + at.cell - 5.0),
                colours.page
            ),
            Some(attack) => writeln!(
                out,
                "<text class=\"refused\" x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"{}\">{}\
                 <title>col {col} is refused: queen {}, {}</title></text>",
                num(middle),
                num(top + at.cell - 5.0),
                colours.queen,
                attack.queen(),
                attack.queen(),
                attack.line
            ),
            None => writeln!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{}\"/>",
                num(middle),
                num(top + at.cell / 2.0),
                colours.queen
            ),
        }
        .expect("writing to a string");
    }
}

/// The green of solutions: Okabe and Ito's, a little darker on paper, lighter on black.
fn green(colours: &Palette) -> &'static str {
    if colours.page == Theme::Dark.palette().page {
        "#3ddbab"
    } else {
        "#007a59"
    }
}

fn draw_node(
    out: &mut String,
    node: &Node,
    (x, y): (f64, f64),
    at: &Measures,
    pruned: bool,
    colours: &Palette,
) {
    let r = at.radius;
    let name = match node.cols.last() {
        None => "start".to_owned(),
        Some(None) => "-".to_owned(),
        Some(Some(col)) => col.to_string(),
    };
    let (xs, ys) = (num(x), num(y));
    writeln!(
        out,
        "<g class=\"{}\"><title>{}</title>",
        node.kind.name(),
        tuple(&node.cols)
    )
    .expect("writing to a string");
    let mut ink = colours.queen;
    match node.kind {
        Kind::Solution => {
            ink = colours.page;
            write!(
                out,
                "<circle cx=\"{xs}\" cy=\"{ys}\" r=\"{}\" fill=\"{page}\" stroke=\"{green}\" \
                 stroke-width=\"2\"/><circle cx=\"{xs}\" cy=\"{ys}\" r=\"{}\" fill=\"{green}\"/>",
                num(r + 3.0),
                num(r),
                page = colours.page,
                green = green(colours),
            )
        }
        Kind::DeadEnd => {
            let below = y + r + if pruned { 33.0 } else { 11.0 };
            write!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\" rx=\"2\" \
                 fill=\"{}\" stroke=\"{c}\" stroke-width=\"2\"/><path d=\"M{l} {t}L{rt} {b}M{rt} \
                 {t}L{l} {b}\" stroke=\"{c}\" stroke-width=\"2.5\" stroke-linecap=\"round\"/>",
                num(x - r),
                num(y - r),
                colours.page,
                side = num(2.0 * r),
                c = colours.attack,
                l = num(x - 4.5),
                rt = num(x + 4.5),
                t = num(below - 4.5),
                b = num(below + 4.5),
            )
        }
        Kind::Inner | Kind::Cut if node.cols.is_empty() => write!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"46\" height=\"{}\" rx=\"{}\" fill=\"{}\" \
             stroke=\"{}\" stroke-width=\"1.5\"/>",
            num(x - 23.0),
            num(y - r),
            num(2.0 * r),
            num(r),
            colours.page,
            colours.ink
        ),
        Kind::Inner | Kind::Cut => write!(
            out,
            "<circle cx=\"{xs}\" cy=\"{ys}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" \
             stroke-width=\"1.5\"/>",
            num(r),
            colours.square,
            colours.ink
        ),
    }
    .expect("writing to a string");
    if node.kind == Kind::Cut {
        for k in [-1.0, 0.0, 1.0] {
            write!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"1.6\" fill=\"{}\"/>",
                num(x + 6.0 * k),
                num(y + r + 9.0),
                colours.ink
            )
            .expect("writing to a string");
        }
    }
    writeln!(
        out,
        "<text x=\"{xs}\" y=\"{}\" fill=\"{ink}\">{name}</text></g>",
        num(y + 4.5)
    )
    .expect("writing to a string");
}

fn draw_legend(
    out: &mut String,
    left: f64,
    y: f64,
    pruned: bool,
    cut: bool,
    at: &Measures,
    colours: &Palette,
) {
    let small = Measures {
        radius: 8.0,
        leaf: 0.0,
        level: 0.0,
        cell: at.cell,
        left: 0.0,
        top: 0.0,
    };
    let node = |kind| Node {
        cols: vec![Some(0)],
        kind,
        children: Vec::new(),
        refused: Vec::new(),
        blocked: Vec::new(),
        solutions: 0,
    };
    let mut x = left;
    let mut entries = vec![
        (Kind::Inner, "column of the queen", 174.0),
        (Kind::DeadEnd, "dead end", 104.0),
        (Kind::Solution, "solution", 92.0),
    ];
    if cut {
        entries.push((Kind::Cut, "cut here", 92.0));
    }
    let mut shapes = String::new();
    for (kind, words, width) in entries {
        // The shapes of the legend must not be counted or styled as nodes of the tree.
        let mut shape = String::new();
        draw_node(&mut shape, &node(kind), (x, y), &small, false, colours);
        let shape = shape.replacen(&format!("class=\"{}\"", kind.name()), "class=\"legend\"", 1);
        shapes.push_str(
            &shape
                .replace("<title>(0)</title>", "")
                .replace(">0</text>", "></text>"),
        );
        writeln!(
            shapes,
            "<text x=\"{}\" y=\"{}\" font-size=\"12\" text-anchor=\"start\" fill=\"{}\">{words}\
             </text>",
            num(x + 18.0),
            num(y + 4.5),
            colours.ink
        )
        .expect("writing to a string");
        x += width;
    }
    if pruned {
        writeln!(
            shapes,
            "<rect x=\"{}\" y=\"{}\" width=\"{c}\" height=\"{c}\" fill=\"{}\" stroke=\"{ink}\"/>\
             <text x=\"{}\" y=\"{}\" font-size=\"12\" text-anchor=\"start\" fill=\"{ink}\">\
             attacked by queen</text>",
            num(x - 8.0),
            num(y - at.cell / 2.0),
            colours.other,
            num(x + 18.0),
            num(y + 4.5),
            c = num(at.cell),
            ink = colours.ink,
        )
        .expect("writing to a string");
    }
    out.push_str(&shapes);
}
