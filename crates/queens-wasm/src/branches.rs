//! The search tree as a picture: laid out once, with the steps at which its nodes come and go.
//!
//! A node carries the step of its call and the step of its return, so the tree at any moment
//! of the search is drawn from one number. Trees that are too large for a picture are cut at
//! the deepest level that fits, and a node cut off says how many lie below it; asked for with
//! `root`, it becomes the root of a picture of its own.

use queens::json::Object;
use queens::search::Event;
use queens::search::trace::{Replay, Style, Until};

use crate::question::{Answer, Question};

/// The largest board whose tree is drawn; its 2057 nodes are cut to pictures of some 50.
pub const LARGEST_N: usize = 8;

/// How many nodes a whole tree or a whole branch may have; the tree of n = 6 fits.
const WHOLE: usize = 160;

/// How many nodes a picture with cut branches has at most, unless its root alone has more
/// children.
const MOST_NODES: usize = 80;

/// One node, in the order in which the search meets them.
struct Node {
    cols: Vec<usize>,
    parent: Option<usize>,
    children: Vec<usize>,
    /// The number of events up to the call and up to the return, these included.
    enter: usize,
    leave: usize,
    solutions: u64,
    /// How many nodes lie below.
    below: usize,
}

fn build(n: usize) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut cols = Vec::new();
    let mut replay = Replay::new(n, Style::Tuple, Until::All);
    while replay.step() {
        let at = replay.position();
        match replay.state().last.expect("a step was made") {
            Event::Enter { .. } => {
                let id = nodes.len();
                let parent = open.last().copied();
                if let Some(parent) = parent {
                    nodes[parent].children.push(id);
                }
                nodes.push(Node {
                    cols: cols.clone(),
                    parent,
                    children: Vec::new(),
                    enter: at,
                    leave: usize::MAX,
                    solutions: 0,
                    below: 0,
                });
                open.push(id);
            }
            Event::Leave { solutions, .. } => {
                let id = open.pop().expect("a return has its call");
                nodes[id].leave = at;
                nodes[id].solutions = solutions;
                nodes[id].below = nodes.len() - id - 1;
            }
            Event::Place { col, .. } => cols.push(col),
            Event::Undo { .. } => {
                cols.pop();
            }
            _ => {}
        }
    }
    nodes
}

/// The picture below `root`, given by its columns (`0-4`; nothing for the whole tree).
pub fn answer(question: &Question<'_>) -> Answer {
    let n = question.number("n", 1, LARGEST_N, 4)?;
    let nodes = build(n);
    let wanted = question.columns("root", n)?;
    let root = nodes
        .iter()
        .position(|node| node.cols == wanted)
        .ok_or("The search never comes to this part of the tree.")?;
    let inside = &nodes[root..=root + nodes[root].below];
    let top = wanted.len();
    let fits = |level: usize| {
        let many = inside.iter().filter(|node| node.cols.len() <= level);
        many.count() <= MOST_NODES
    };
    let reached = inside.iter().map(|node| node.cols.len()).max();
    let deepest = if inside.len() <= WHOLE {
        reached.unwrap_or(top)
    } else {
        let cut = (top + 1..=n).rev().find(|&level| fits(level));
        cut.unwrap_or(top + 1)
    };

    // The nodes in the picture are numbered within it.
    let shown: Vec<usize> = (root..=root + nodes[root].below)
        .filter(|&id| nodes[id].cols.len() <= deepest)
        .collect();
    let mut number = vec![usize::MAX; nodes.len()];
    for (place, &id) in shown.iter().enumerate() {
        number[id] = place;
    }
    let is_leaf = |id: usize| nodes[id].children.is_empty() || nodes[id].cols.len() == deepest;
    let mut x = vec![0.0; nodes.len()];
    let mut leaves = 0u32;
    for &id in &shown {
        if is_leaf(id) {
            x[id] = f64::from(leaves);
            leaves += 1;
        }
    }
    // Children come after their parents, so this goes from the last node to the first.
    for &id in shown.iter().rev().filter(|&&id| !is_leaf(id)) {
        let children = &nodes[id].children;
        x[id] = (x[children[0]] + x[children[children.len() - 1]]) / 2.0;
    }
    let drawn = shown.iter().map(|&id| {
        let node = &nodes[id];
        let kind = match (node.cols.len() == n, node.children.is_empty()) {
            (true, _) => "solution",
            (_, true) => "dead-end",
            _ => "inner",
        };
        let hidden = if is_leaf(id) { node.below } else { 0 };
        let parent = node.parent.filter(|_| id != root);
        Object::new()
            .set("x", x[id])
            .set("level", node.cols.len() - top)
            .set("parent", parent.map_or(-1, |id| number[id] as i64))
            .set("cols", &node.cols)
            .set("kind", kind)
            .set("enter", node.enter)
            .set("leave", node.leave)
            .set("solutions", node.solutions)
            .set("hidden", hidden)
    });
    Ok(Object::new()
        .set("n", n)
        .set("root", &wanted)
        .set("nodes", nodes.len())
        .set("levels", deepest - top)
        .set("leaves", leaves)
        .list("drawn", drawn))
}

#[cfg(test)]
mod tests {
    use crate::tests::ask;

    #[test]
    fn small_trees_are_whole_and_large_ones_are_cut_where_they_fit() {
        for (n, nodes) in [(1, 2), (4, 17), (6, 153), (7, 552), (8, 2057)] {
            let tree = ask(&format!("branches?n={n}"));
            assert_eq!(tree["nodes"], nodes);
            let drawn = tree["drawn"].as_array().unwrap();
            assert!(drawn.len() <= super::WHOLE);
            let hidden: u64 = drawn.iter().map(|d| d["hidden"].as_u64().unwrap()).sum();
            assert_eq!(drawn.len() as u64 + hidden, nodes);
        }
        let below = ask("branches?n=8&root=0-4");
        assert_eq!(below["drawn"][0]["cols"], serde_json::json!([0, 4]));
        assert!(ask("branches?n=8&root=0-1")["error"].is_string());
        assert!(ask("branches?n=8&root=9")["error"].is_string());
        assert!(ask("branches?n=9")["error"].is_string());
    }

    #[test]
    fn nodes_come_and_go_at_the_steps_they_say() {
        let tree = ask("branches?n=5");
        for node in tree["drawn"].as_array().unwrap() {
            let moment = ask(&format!("watch?n=5&raw={}", node["enter"]));
            assert_eq!(moment["event"], "enter");
            assert_eq!(moment["cols"], node["cols"]);
            let moment = ask(&format!("watch?n=5&raw={}", node["leave"]));
            assert_eq!(moment["event"], "leave");
        }
    }
}
