//! The search tree in Graphviz's language, for `dot -Tsvg` and its kin.
//!
//! A node is labelled with its tuple. Solutions and dead ends differ in shape as well as
//! in colour, so that the tree reads in black and white. With the refused squares drawn,
//! each is a small note on a dashed edge: the column, and the queen and line that refuse
//! it.

use std::fmt::Write;

use super::tree::{Square, next_row, tuple};
use crate::search::tree::{Kind, Tree};

/// The tree as a DOT graph, with the refused squares if `pruned`.
///
/// ```
/// use queens::render::dot;
/// use queens::search::tree::{Limit, Tree};
///
/// let tree = Tree::build(4, None, Limit::DOT).unwrap();
/// let out = dot::tree(&tree, false);
/// assert_eq!(out.matches(" -> ").count(), 16);
/// ```
pub fn tree(tree: &Tree, pruned: bool) -> String {
    let mut out = format!(
        "digraph queens {{\n  label=\"search tree of {}\"; ordering=out;\n  \
         node [shape=ellipse, fontname=\"Helvetica\", fontsize=11, margin=\"0.06,0.03\"];\n  \
         edge [arrowsize=0.5, color=\"#3c444d\"];\n",
        tree.board.problem()
    );
    for (id, node) in tree.nodes.iter().enumerate() {
        let label = tuple(&node.cols);
        let (word, looks) = match node.kind {
            Kind::Inner => ("", ""),
            Kind::DeadEnd => (
                "\\ndead end",
                ", shape=box, color=\"#d55e00\", fontcolor=\"#a34700\"",
            ),
            Kind::Solution => (
                "\\nsolution",
                ", peripheries=2, style=filled, fillcolor=\"#c8ebdf\", color=\"#00694c\"",
            ),
            Kind::Cut => ("\\n...", ", style=dashed"),
        };
        writeln!(out, "  n{id} [label=\"{label}{word}\"{looks}];").expect("writing to a string");
    }
    for (id, node) in tree.nodes.iter().enumerate() {
        for square in next_row(tree, node, pruned) {
            match square {
                Square::Child(child) => writeln!(out, "  n{id} -> n{child};"),
                Square::Blocked { col } => writeln!(
                    out,
                    "  n{id}x{col} [label=\"{col}: blocked\", shape=box, style=filled, \
                     fillcolor=\"#6b7680\", fontcolor=\"#ffffff\", fontsize=8];\n  \
                     n{id} -> n{id}x{col} [style=dashed, arrowhead=none];"
                ),
                Square::Refused { col, queen, line } => writeln!(
                    out,
                    "  n{id}x{col} [label=\"{col}: queen {queen}\\n{line}\", shape=note, \
                     fontsize=8, color=\"#6b7680\", fontcolor=\"#4a545d\"];\n  \
                     n{id} -> n{id}x{col} [style=dashed, arrowhead=none];"
                ),
            }
            .expect("writing to a string");
        }
    }
    out.push_str("}\n");
    out
}
