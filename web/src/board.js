// Boards as pictures: squares, queens, lines of attack.
//
// A board is an SVG of n by n units, so every mark is given in squares: the square in row
// 2, column 3 begins at (3, 2). A class says how a square looks, and the style sheet gives
// each class a colour and a pattern, so that nothing is told by colour alone. The queen is
// the library's own drawing: it is taken out of an SVG that the library made.

import { shape } from "./dom.js";

/** Puts the library's queen and the patterns into the document, for every board to use. */
export function installShapes(engine) {
  const drawn = new DOMParser().parseFromString(engine.ask("picture", { cols: "0" }).text, "image/svg+xml");
  const queen = shape("symbol", { id: "queen", viewBox: "0 0 1 1", overflow: "visible" });
  for (const child of drawn.getElementById("queen").childNodes) queen.append(document.importNode(child, true));
  const hatch = shape("pattern", { id: "hatch", width: 0.2, height: 0.2, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    shape("rect", { width: 0.055, height: 0.2, class: "hatch-line" }));
  document.body.append(shape("svg", { class: "shapes", "aria-hidden": "true", focusable: "false", width: 0, height: 0 }, shape("defs", {}, queen, hatch)));
}

export function queenAt(row, col, kind = "") {
  return shape("use", { href: "#queen", x: col, y: row, width: 1, height: 1, class: `queen ${kind}` });
}

/** A line between the middles of two squares, drawn from the first. */
export function lineBetween([r0, c0], [r1, c1], kind) {
  return shape("line", { x1: c0 + 0.5, y1: r0 + 0.5, x2: c1 + 0.5, y2: r1 + 0.5, class: kind, pathLength: 1 });
}

export function squareAt(row, col, kind, inset = 0) {
  return shape("rect", { x: col + inset, y: row + inset, width: 1 - 2 * inset, height: 1 - 2 * inset, class: kind });
}

export function cross(row, col, size = 0.22) {
  const [x, y] = [col + 0.5, row + 0.5];
  return shape("path", { class: "cross", d: `M${x - size} ${y - size}L${x + size} ${y + size}M${x + size} ${y - size}L${x - size} ${y + size}` });
}

/** The dark squares of an n by n board as one path. */
function darkSquares(n) {
  let path = "";
  for (let row = 0; row < n; row++) {
    for (let col = (row + 1) % 2; col < n; col += 2) path += `M${col} ${row}h1v1h-1z`;
  }
  return path;
}

/**
 * A board with figures along its edges. `layers` are drawn over the squares in order;
 * `label` says in words what the picture shows.
 */
export function board(n, label, layers, { figures = true, kind = "", origin = 0 } = {}) {
  const edge = figures ? 0.55 : 0.06;
  const picture = shape("svg", {
    viewBox: `${-edge} ${-edge} ${n + edge + 0.06} ${n + edge + 0.06}`,
    class: `board ${kind}`, role: "img", "aria-label": label,
  },
  shape("rect", { width: n, height: n, class: "light" }),
  shape("path", { d: darkSquares(n), class: "dark" }));
  if (figures) {
    for (let k = 0; k < n; k++) {
      picture.append(
        shape("text", { x: k + 0.5, y: -0.17, class: "figure" }, String(k + origin)),
        shape("text", { x: -0.28, y: k + 0.63, class: "figure" }, String(k + origin)));
    }
  }
  picture.append(...layers.flat(Infinity).filter(Boolean), shape("rect", { width: n, height: n, class: "frame" }));
  return picture;
}

/** A small board with one queen per row. */
export function thumbnail(cols, label) {
  return board(cols.length, label, cols.map((col, row) => queenAt(row, col)), { figures: false, kind: "small" });
}

/**
 * A board of the search that stays and changes: queens come and go, and what a step did is
 * drawn over them. With `motion`, a queen comes down to her square and retreats from it,
 * and a line of attack grows from the attacker.
 */
export class SearchBoard {
  constructor(n, origin, figures = true) {
    this.n = n;
    this.under = shape("g", {});
    this.lines = shape("g", {});
    this.queens = shape("g", {});
    this.over = shape("g", {});
    this.node = board(n, "", [this.under, this.lines, this.queens, this.over], { origin, figures });
    this.standing = new Map();
  }

  show(moment, motion) {
    const { n } = this;
    const under = [];
    const over = [];
    const standing = new Map();
    [...moment.cells].forEach((cell, at) => {
      const [row, col] = [Math.floor(at / n), at % n];
      if (cell === "a") under.push(squareAt(row, col, "attacked"));
      if (cell === "T") under.push(squareAt(row, col, "tried", 0.06));
      if (cell === "P") under.push(squareAt(row, col, "possible", 0.09));
      if (cell === "R") {
        under.push(squareAt(row, col, "refused", 0.06));
        over.push(cross(row, col));
      }
      if (cell === "Q" || cell === "C") standing.set(`${row}.${col}`, [row, col, cell === "C" ? "culprit" : ""]);
    });
    if (moment.event === "dead-end") for (let col = 0; col < n; col++) under.push(squareAt(moment.depth, col, "dead", 0.06));
    if (moment.event === "undo") under.push(squareAt(...moment.square, "undone", 0.09));
    this.under.replaceChildren(...under);
    this.over.replaceChildren(...over);
    this.move(standing, motion);
    const { attack } = moment;
    this.lines.replaceChildren(...(attack
      ? ["attack-edge", "attack"].map((kind) => lineBetween(attack.first, attack.second, `${kind} ${motion ? "grows" : ""}`)) : []));
    this.node.setAttribute("class", `board ${moment.event === "solution" ? "solved" : ""}`);
    this.node.setAttribute("aria-label", `${n} by ${n} board with queens ${moment.tuple}. ${moment.says}`);
  }

  move(standing, motion) {
    for (const [key, queen] of this.standing) {
      if (standing.has(key)) continue;
      this.standing.delete(key);
      if (!motion) queen.remove();
      else {
        queen.classList.add("leaves");
        setTimeout(() => queen.remove(), 160);
      }
    }
    for (const [key, [row, col, kind]] of standing) {
      let queen = this.standing.get(key);
      if (!queen) {
        queen = queenAt(row, col);
        this.standing.set(key, queen);
        this.queens.append(queen);
      }
      queen.setAttribute("class", `queen ${kind}${motion && !queen.seen ? " comes" : ""}`);
      queen.seen = true;
    }
  }
}
