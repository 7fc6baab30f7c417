// The search tree beside the board, as far as it has grown.
//
// Up to eight queens the library lays the tree out once and says at which step each node
// comes and is done; a moment is then a comparison. Where the tree is too large for one
// picture, whole branches are drawn as one mark, which a click opens. For larger boards the
// library sends a slice: every square of every row on the way down. Dead ends carry a cross
// and solutions a ring or a number, so both are told without colour.

import { button, el, plural, setOff, shape } from "./dom.js";

const DOWN = 46;

/** The largest board whose tree is drawn as a tree. */
const WHOLE = 8;

export class TreeView {
  /** `jump(raw)` goes to the step of a node that was clicked. */
  constructor(clerk, { n, origin, jump }) {
    Object.assign(this, { clerk, n, origin, jump });
    this.zoom = 1;
    this.root = [];
    this.parts = null;
    this.window = el("div", { class: "scroll tree-window", tabindex: 0, role: "group", "aria-label": "Drawing of the search tree" });
    this.way = el("p", { class: "way" });
    this.closer = button("−", () => this.scale(0.8), { "aria-label": "Zoom out", class: "quiet round" });
    this.wider = button("+", () => this.scale(1.25), { "aria-label": "Zoom in", class: "quiet round" });
    const tools = n <= WHOLE ? el("div", { class: "tree-tools" }, this.way, this.closer, this.wider) : null;
    // The levels are spread over the whole height, so a new shape needs a new layout.
    new ResizeObserver(() => {
      const shape = this.aspect();
      if (this.n > WHOLE && this.moment) this.showSlice(this.moment);
      if (!this.layout || Math.abs(shape - this.drawnFor) < 0.1) return;
      this.layOut(this.layout);
      if (this.moment) this.show(this.moment);
    }).observe(this.window);
    this.node = el("div", { class: "tree" }, tools, this.window, legend(n <= WHOLE ? ["way down", "dead end", "solution", ...(n > 6 ? ["closed"] : [])] : ["way down", "dead end", "solution", "waiting", "refused"]));
  }

  /** The width of the window divided by its height, within limits. */
  aspect() {
    const { clientWidth, clientHeight } = this.window;
    return clientHeight > 40 ? Math.max(0.8, Math.min(6, clientWidth / clientHeight)) : 2.2;
  }

  /** Asks for the layout below `root`. */
  async open(root = []) {
    if (this.n > WHOLE) return;
    this.layout = await this.clerk.ask("branches", { n: this.n, root: root.join("-") });
    this.root = this.layout.root;
    this.layOut(this.layout);
    this.paintWay();
    if (this.moment) this.show(this.moment);
  }

  paintWay() {
    const name = (cols) => (cols.length === 0 ? "Whole tree" : `(${cols.map((col) => col + this.origin).join(", ")})`);
    const parts = [];
    if (this.root.length === 0) parts.push(el("span", {}, "Whole tree"));
    else {
      parts.push(button("Whole tree", () => this.leaveBranch(), { class: "quiet" }), el("span", {}, name(this.root)));
    }
    this.way.replaceChildren(...parts);
  }

  async leaveBranch() {
    await this.open([]);
    this.window.focus({ preventScroll: true });
  }

  scale(by) {
    this.zoom = Math.max(1, Math.min(6, this.zoom * by));
    setOff(this.closer, this.zoom <= 1);
    setOff(this.wider, this.zoom >= 6);
    this.picture.style.setProperty("--zoom", this.zoom);
    this.follow();
  }

  layOut(layout) {
    const wide = Math.max(layout.leaves, 5);
    const step = Math.min(34, Math.max(11, 900 / wide));
    // Where a level has room to spare, its marks are larger.
    const gaps = Array(layout.levels + 1).fill(wide / 2);
    layout.drawn.forEach((node, id) => {
      const before = layout.drawn.slice(0, id).findLast((other) => other.level === node.level);
      if (before) gaps[node.level] = Math.min(gaps[node.level], node.x - before.x);
    });
    const most = Math.max(11, (wide * step) / 34);
    this.drawnFor = this.aspect();
    const down = Math.max(DOWN / 2, ((wide * step) / this.drawnFor - 2 * most - 12) / Math.max(1, layout.levels));
    const sizes = gaps.map((gap) => Math.min(most, gap * step * 0.44, down * 0.4));
    const sizeOf = (level) => Math.min(...sizes.slice(0, level + 1));
    const at = (node) => [(node.x + 0.5 + (wide - layout.leaves) / 2) * step, most + 5 + node.level * down];
    const edges = shape("g", {});
    const marks = shape("g", {});
    this.parts = layout.drawn.map((node, id) => {
      const [x, y] = at(node);
      const radius = sizeOf(node.level);
      let edge = null;
      if (node.parent >= 0) {
        const [px, py] = at(layout.drawn[node.parent]);
        edge = shape("path", { class: "edge", d: `M${px} ${py}C${px} ${py + down / 2} ${x} ${y - down / 2} ${x} ${y}` });
        edges.append(edge);
      }
      const kind = node.hidden > 0 ? "closed" : node.kind;
      const mark = shape("g", { transform: `translate(${x} ${y})`, role: "button", tabindex: -1, "data-id": id },
        kind === "closed" ? shape("path", { class: "cone", d: `M0 ${-radius}L${radius} ${radius * 1.3}H${-radius}z` }) : shape("circle", { r: radius }),
        kind === "solution" ? shape("circle", { r: radius * 0.55, class: "core" }) : null,
        kind === "dead-end" ? shape("path", { class: "cross", d: crossPath(radius * 0.55) }) : null,
        kind === "inner" && node.cols.length > 0 && radius > 7 ? shape("text", { y: radius * 0.36, "font-size": radius * 1.1 }, String(node.cols.at(-1) + this.origin)) : null,
        kind === "closed" ? shape("text", { class: "inside", y: radius * 1.05, "font-size": radius * 0.9 }) : null);
      marks.append(mark);
      return { node, kind, edge, mark, x };
    });
    const [width, height] = [wide * step, 2 * most + 10 + layout.levels * down];
    this.width = width;
    this.picture = shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "tree-picture", role: "group", preserveAspectRatio: "xMidYMin meet" }, edges, marks);
    this.picture.style.setProperty("--zoom", this.zoom);
    this.picture.addEventListener("click", (event) => this.activate(event.target.closest("[data-id]")));
    this.picture.addEventListener("keydown", (event) => this.key(event));
    this.window.replaceChildren(this.picture);
    this.rove(0);
    setOff(this.closer, this.zoom <= 1);
  }

  /** One node is reached with Tab, the others from there with the arrows. */
  rove(id, focus = false) {
    this.parts[this.here ?? 0]?.mark.setAttribute("tabindex", -1);
    this.here = id;
    this.parts[id].mark.setAttribute("tabindex", 0);
    if (focus) this.parts[id].mark.focus();
  }

  key(event) {
    const { node } = this.parts[this.here];
    const child = this.parts.findIndex((part) => part.node.parent === this.here);
    const to = { ArrowLeft: this.here - 1, ArrowRight: this.here + 1, ArrowUp: node.parent, ArrowDown: child }[event.key];
    if (event.key === "Enter" || event.key === " ") this.activate(this.parts[this.here].mark);
    else if (to === undefined) return;
    else if (this.parts[to]) this.rove(to, true);
    event.preventDefault();
    event.stopPropagation();
  }

  async activate(mark) {
    if (!mark) return;
    const id = Number(mark.dataset.id);
    const { node, kind } = this.parts[id];
    this.rove(id);
    if (kind === "closed") {
      await this.open(node.cols);
      this.window.focus({ preventScroll: true });
    } else if (node.enter <= this.moment.last) {
      this.jump(node.enter);
    }
  }

  show(moment) {
    this.moment = moment;
    if (this.n > WHOLE) return this.showSlice(moment);
    if (!this.parts) return;
    let now = -1;
    this.parts.forEach(({ node }, id) => { if (node.enter <= moment.raw && moment.raw < node.leave) now = id; });
    this.parts.forEach((part, id) => {
      const { node, kind } = part;
      const there = node.enter <= moment.raw;
      const done = node.leave <= moment.raw;
      const known = done || (id === now && (moment.event === "dead-end" || moment.event === "solution" || moment.event === "leave"));
      const dead = kind === "dead-end" || (kind === "closed" && node.solutions === 0);
      const beyond = node.enter > moment.last;
      const looks = `node ${kind} ${beyond ? "beyond" : ""} ${there ? "there" : ""} ${there && !done ? "open" : ""} ${id === now ? "now" : ""} ${known && dead ? "lost" : ""} ${known && node.solutions > 0 && kind !== "inner" ? "found" : ""}`;
      if (part.looks === looks) return;
      part.looks = looks;
      part.mark.setAttribute("class", looks);
      part.edge?.setAttribute("class", `edge ${there ? "there" : ""} ${there && !done ? "open" : ""}`);
      const state = !there ? "not reached yet" : !done ? "in progress" : node.kind === "solution" ? "a solution" : node.solutions === 0 ? "done, no solution" : `done, ${plural(node.solutions, "solution")}`;
      const cols = node.cols.map((col) => col + this.origin).join(", ");
      part.mark.setAttribute("aria-label", `${node.cols.length ? `Column ${node.cols.at(-1) + this.origin}, queens (${cols})` : "Empty board"}: ${state}. ${kind === "closed" ? `Opens the branch of ${plural(node.hidden, "node")}.` : beyond ? "The search ends before it." : "Goes to this step."}`);
      if (kind === "closed") part.mark.lastChild.textContent = done && node.solutions > 0 ? node.solutions : "";
    });
    this.now = now;
    this.follow();
    this.picture.setAttribute("aria-label", `Search tree: ${plural(this.parts.filter((part) => part.node.enter <= moment.raw).length, "node")} so far.`);
  }

  /** Where the drawing is larger than its window, the window follows the search. */
  follow() {
    if (!this.parts || this.now < 0 || this.now === undefined || this.window.scrollWidth <= this.window.clientWidth + 1) return;
    const middle = (this.parts[this.now].x / this.width) * this.window.scrollWidth;
    if (Math.abs(middle - this.window.scrollLeft - this.window.clientWidth / 2) > this.window.clientWidth * 0.3) {
      this.window.scrollLeft = middle - this.window.clientWidth / 2;
    }
  }

  showSlice({ tree, n }) {
    const high = n * 1.05 + 0.6;
    // The rows are as high as the window allows, the columns as wide: room for larger numbers.
    const wide = Math.max(1, Math.min(3.2, (this.aspect() * high) / n));
    const size = Math.max(0.38, Math.min(0.74, (wide - 0.3) / 2.5));
    const marks = [];
    const edges = [];
    const middle = (n * wide) / 2;
    let from = [middle, 0.25];
    tree.rows.forEach((squares, row) => {
      let next = null;
      squares.forEach((square, col) => {
        const [x, y] = [(col + 0.5) * wide, row * 1.05 + 1.0];
        const open = square === "q";
        if (square !== "-") {
          edges.push(shape("path", { class: `edge there ${open ? "open" : ""}`, d: `M${from[0]} ${from[1]}C${from[0]} ${from[1] + 0.5} ${x} ${y - 0.5} ${x} ${y}` }));
        }
        if (open) next = [x, y];
        marks.push(sliceMark(square, x, y, col + this.origin, size));
      });
      from = next;
    });
    const done = tree.rows.flat().filter((square) => typeof square === "number");
    const label = `Search tree, the rows on the way down: ${plural(tree.rows.length, "row")} begun, ${plural(done.length, "branch", "branches")} done beside the way.`;
    const root = shape("circle", { cx: middle, cy: 0.25, r: 0.14, class: "root" });
    this.window.replaceChildren(shape("svg", { viewBox: `0 0 ${n * wide} ${high}`, class: "slice-picture", role: "img", "aria-label": label }, edges, root, marks));
  }
}

const crossPath = (arm) => `M${-arm} ${-arm}L${arm} ${arm}M${arm} ${-arm}L${-arm} ${arm}`;

/** A mark of the slice; one with a number is as wide as its number. */
function sliceMark(square, x, y, name, size) {
  const at = { transform: `translate(${x} ${y})` };
  if (square === "-") return shape("g", { ...at, class: "node refused-mark" }, shape("path", { d: "M-.12 0h.24" }));
  if (square === "w") return shape("g", { ...at, class: "node waiting there" }, shape("circle", { r: 0.2 }));
  if (square === 0) return shape("g", { ...at, class: "node there lost" }, shape("circle", { r: 0.27 }), shape("path", { class: "cross", d: crossPath(0.13) }));
  const open = square === "q";
  const number = String(open ? name : square);
  const high = open ? 0.34 + size * 0.12 : 0.38 + size * 0.1;
  const half = Math.max(high, size * number.length * 0.32 + 0.14);
  return shape("g", { ...at, class: `node there ${open ? "open" : "found"}` },
    shape("rect", { x: -half, y: -high, width: 2 * half, height: 2 * high, rx: high }),
    shape("text", { y: size * 0.36, "font-size": size }, number));
}

function legend(names) {
  const samples = {
    "way down": ["node there open", shape("circle", { r: 0.3 })],
    "dead end": ["node there lost", shape("circle", { r: 0.3 }), shape("path", { class: "cross", d: crossPath(0.15) })],
    "solution": ["node there found", shape("circle", { r: 0.36 }), shape("circle", { r: 0.18, class: "core" })],
    "closed": ["node there closed", shape("path", { class: "cone", d: "M0-.4.38.38H-.38z" })],
    "waiting": ["node waiting there", shape("circle", { r: 0.22 })],
    "refused": ["node refused-mark", shape("path", { d: "M-.2 0h.4" })],
  };
  const words = { closed: "branch to open" };
  return el("ul", { class: "legend" }, names.map((name) => {
    const [kind, ...shapes] = samples[name];
    return el("li", {}, shape("svg", { viewBox: "-.5 -.5 1 1", "aria-hidden": "true", class: "slice-picture sample" }, shape("g", { class: kind }, shapes)), words[name] ?? name);
  }));
}
