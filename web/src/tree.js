// The search tree beside the board, as far as it has grown.
//
// Up to six queens the library lays out the whole tree once and then only says how many
// of its nodes exist and which are on the way down. For larger boards it sends the slice
// that matters: every square of every row on the way down. Dead ends carry a cross and
// solutions a ring with a number, so both are told without colour.

import { el, plural, shape } from "./dom.js";

const GAP = 30;

export class TreeView {
  constructor(engine, n) {
    this.n = n;
    this.node = el("div", { class: "tree" });
    this.whole = null;
    if (n <= 6) this.layOut(engine.ask("tree", { n }));
  }

  layOut(layout) {
    const wide = Math.max(layout.leaves, 5);
    const step = Math.min(GAP, Math.max(13, 900 / wide));
    const down = 46;
    const at = (node) => [(node.x + 0.5 + (wide - layout.leaves) / 2) * step, 16 + node.level * down];
    const radius = Math.min(9, step * 0.42);
    const edges = shape("g", {});
    const marks = shape("g", {});
    this.parts = layout.nodes.map((node) => {
      const [x, y] = at(node);
      let edge = null;
      if (node.parent >= 0) {
        const [px, py] = at(layout.nodes[node.parent]);
        edge = shape("path", { class: "edge", d: `M${px} ${py}C${px} ${py + down / 2} ${x} ${y - down / 2} ${x} ${y}` });
        edges.append(edge);
      }
      const mark = shape("g", { class: `node ${node.kind}`, transform: `translate(${x} ${y})` },
        shape("circle", { r: radius }),
        node.kind === "solution" ? shape("circle", { r: radius * 0.55, class: "core" }) : null,
        node.kind === "dead-end" ? shape("path", { class: "cross", d: `M${-radius * 0.6} ${-radius * 0.6}L${radius * 0.6} ${radius * 0.6}M${radius * 0.6} ${-radius * 0.6}L${-radius * 0.6} ${radius * 0.6}` }) : null,
        node.col !== null && node.kind === "inner" && radius > 6 ? shape("text", { y: radius * 0.42 }, String(node.col)) : null);
      marks.append(mark);
      return { node, edge, mark };
    });
    const [width, height] = [wide * step, 32 + layout.n * down];
    this.picture = shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "tree-picture", role: "img" }, edges, marks);
    this.picture.style.setProperty("--natural", `${Math.round(width * 2)}px`);
    this.whole = layout;
    this.window = el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Drawing of the search tree" }, this.picture);
    this.node.append(this.window, legend(["way down", "dead end", "solution"]));
  }

  show(moment) {
    if (this.whole) this.showWhole(moment);
    else this.showSlice(moment);
  }

  showWhole({ tree, stats }) {
    const path = new Set(tree.path);
    const end = tree.path.at(-1);
    this.parts.forEach(({ edge, mark }, id) => {
      const there = id < tree.grown;
      const open = path.has(id);
      const kinds = `${there ? "there" : ""} ${open ? "open" : ""} ${id === end ? "now" : ""} ${open && !(id === end && tree.ended) ? "unknown" : ""}`;
      mark.setAttribute("class", `${mark.getAttribute("class").split(" state ")[0]} state ${kinds}`);
      edge?.setAttribute("class", `edge ${there ? "there" : ""} ${open ? "open" : ""}`);
    });
    // Where the drawing is wider than its window, the window follows the search.
    if (end !== undefined && this.window.scrollWidth > this.window.clientWidth) {
      const share = Number(this.parts[end].mark.getAttribute("transform").match(/[\d.]+/)[0]) / this.picture.viewBox.baseVal.width;
      this.window.scrollLeft = share * this.window.scrollWidth - this.window.clientWidth / 2;
    }
    this.picture.setAttribute("aria-label", `Search tree: ${plural(tree.grown, "node")} so far, ${plural(stats.deadEnds, "dead end")}, ${plural(stats.solutions, "solution")}; the way down has ${plural(Math.max(0, tree.path.length - 1), "queen")}.`);
  }

  showSlice({ tree, n }) {
    const marks = [];
    const edges = [];
    const middle = (row, col) => [col + 0.5, row * 1.05 + 1.0];
    let from = [n / 2, 0.25];
    tree.rows.forEach((squares, row) => {
      let next = null;
      squares.forEach((square, col) => {
        const [x, y] = middle(row, col);
        const open = square === "q";
        if (square !== "-") {
          edges.push(shape("path", { class: `edge there ${open ? "open" : ""}`, d: `M${from[0]} ${from[1]}C${from[0]} ${from[1] + 0.5} ${x} ${y - 0.5} ${x} ${y}` }));
        }
        if (open) next = [x, y];
        marks.push(sliceMark(square, x, y, col));
      });
      from = next;
    });
    const height = (tree.rows.length || 1) * 1.05 + 0.6;
    const done = tree.rows.flat().filter((square) => typeof square === "number");
    const label = `Search tree, the rows on the way down: ${plural(tree.rows.length, "row")} begun, ${plural(done.length, "branch", "branches")} done beside the way.`;
    const root = shape("circle", { cx: n / 2, cy: 0.25, r: 0.14, class: "root" });
    this.node.replaceChildren(
      shape("svg", { viewBox: `0 0 ${n} ${Math.max(height, n * 1.05 + 0.6)}`, class: "slice-picture", role: "img", "aria-label": label }, edges, root, marks),
      legend(["way down", "dead end", "solution", "waiting", "refused"]));
  }
}

function sliceMark(square, x, y, col) {
  const at = { transform: `translate(${x} ${y})` };
  if (square === "-") return shape("g", { ...at, class: "node refused-mark" }, shape("path", { d: "M-.12 0h.24" }));
  if (square === "w") return shape("g", { ...at, class: "node waiting there" }, shape("circle", { r: 0.2 }));
  if (square === "q") return shape("g", { ...at, class: "node there open" }, shape("circle", { r: 0.34 }), shape("text", { y: 0.14 }, String(col)));
  if (square === 0) return shape("g", { ...at, class: "node dead-end there" }, shape("circle", { r: 0.27 }), shape("path", { class: "cross", d: "M-.13-.13.13.13M.13-.13-.13.13" }));
  return shape("g", { ...at, class: "node solution there" }, shape("circle", { r: 0.38 }), shape("text", { y: 0.13 }, String(square)));
}

function legend(names) {
  const samples = {
    "way down": ["node there open", shape("circle", { r: 0.3 })],
    "dead end": ["node dead-end there", shape("circle", { r: 0.3 }), shape("path", { class: "cross", d: "M-.15-.15.15.15M.15-.15-.15.15" })],
    "solution": ["node solution there", shape("circle", { r: 0.36 }), shape("circle", { r: 0.18, class: "core" })],
    "waiting": ["node waiting there", shape("circle", { r: 0.22 })],
    "refused": ["node refused-mark", shape("path", { d: "M-.2 0h.4" })],
  };
  const words = { "dead end": "dead end (no solution below)", "solution": "solution (or how many below)" };
  return el("ul", { class: "legend" }, names.map((name) => {
    const [kind, ...shapes] = samples[name];
    return el("li", {}, shape("svg", { viewBox: "-.5 -.5 1 1", "aria-hidden": "true", class: "slice-picture sample" }, shape("g", { class: kind }, shapes)), words[name] ?? name);
  }));
}
