// The board of Try: a grid of buttons that stays, and changes its looks.
//
// It has one tab stop; arrows move, Enter or Space places and takes away, X marks. A queen
// can be dragged to another square. Nothing here knows a rule: what a square shows is given.

import { el, grouped, letter, shape } from "./dom.js";
import { lineBetween } from "./board.js";

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** A number short enough for its square. The words of the square have it in full. */
function short(number, n) {
  if (number >= 10_000) return `${Math.round(number / 1000)}k`;
  return number >= 1000 && n > 10 ? `${(number / 1000).toFixed(1)}k` : grouped(number);
}

export class Grid {
  /** `press`, `mark` and `drag` hear what was done to which squares. */
  constructor(n, origin, { press, mark, drag }) {
    Object.assign(this, { n, origin, press, mark, drag });
    this.focus = [0, 0];
    this.held = null;
    this.cells = [];
    this.grid = el("div", { class: "grid", role: "grid", "aria-label": "Board", "data-n": n });
    this.grid.style.setProperty("--n", n);
    for (let row = 0; row < n; row++) {
      const line = el("div", { role: "row", class: "row" });
      for (let col = 0; col < n; col++) line.append(this.cell(row, col));
      this.grid.append(line);
    }
    this.overlay = shape("svg", { class: "overlay", viewBox: `0 0 ${n} ${n}`, "aria-hidden": "true", focusable: "false" });
    const strip = (kind) => el("div", { class: `figures ${kind}`, "aria-hidden": "true" }, Array.from({ length: n }, (_, k) => el("span", {}, String(k + origin))));
    this.node = el("div", { class: "board-frame" }, strip("over"), strip("aside"), el("div", { class: "board-inner" }, this.grid, this.overlay));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    // However the focus comes to a square, the keys are for that square.
    this.grid.addEventListener("focusin", ({ target }) => this.point(target.dataset.square.split(".").map(Number)));
    this.grid.addEventListener("contextmenu", (event) => {
      const cell = this.at(event);
      if (!cell) return;
      event.preventDefault();
      this.point(cell, true);
      this.mark(cell);
    });
    this.grid.addEventListener("pointerdown", (event) => this.take(event));
    this.grid.addEventListener("pointermove", (event) => this.pull(event));
    this.grid.addEventListener("pointerup", (event) => this.drop(event));
    this.grid.addEventListener("pointercancel", () => this.release());
  }

  cell(row, col) {
    const node = el("button", { type: "button", role: "gridcell", tabindex: row + col === 0 ? 0 : -1, "data-square": `${row}.${col}` });
    node.addEventListener("click", () => {
      if (this.dragged) return;
      this.point([row, col]);
      this.press([row, col]);
    });
    this.cells.push({ node, looks: "" });
    return node;
  }

  at(event) {
    const node = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-square]");
    return node && this.grid.contains(node) ? node.dataset.square.split(".").map(Number) : null;
  }

  take(event) {
    this.dragged = false;
    const square = this.at(event);
    if (!square || event.button !== 0 || event.pointerType === "touch" && !event.isPrimary) return;
    const { node } = this.cells[square[0] * this.n + square[1]];
    if (!node.classList.contains("queen") || node.classList.contains("given")) return;
    this.held = { square, node, x: event.clientX, y: event.clientY };
  }

  pull(event) {
    if (!this.held) return;
    const [dx, dy] = [event.clientX - this.held.x, event.clientY - this.held.y];
    if (!this.dragged && Math.hypot(dx, dy) < 6) return;
    if (!this.dragged) {
      this.dragged = true;
      this.held.node.classList.add("held");
      this.grid.setPointerCapture(event.pointerId);
    }
    this.held.node.style.setProperty("--dx", `${dx}px`);
    this.held.node.style.setProperty("--dy", `${dy}px`);
  }

  drop(event) {
    const { held } = this;
    this.release();
    if (!held || !this.dragged) return;
    const to = this.at(event);
    // The click that follows is part of the drag.
    setTimeout(() => { this.dragged = false; });
    this.drag(held.square, to);
  }

  release() {
    this.held?.node.classList.remove("held");
    this.held = null;
  }

  key(event) {
    const [row, col] = this.focus;
    const last = this.n - 1;
    const jumps = { Home: [row, 0], End: [row, last], PageUp: [0, col], PageDown: [last, col] };
    if (letter(event) === "x") {
      event.preventDefault();
      this.mark(this.focus);
      return;
    }
    const move = MOVES[event.key];
    if (!move && !jumps[event.key]) return;
    event.preventDefault();
    const target = jumps[event.key] ?? [row + move[0], col + move[1]];
    this.point(target.map((at) => Math.max(0, Math.min(last, at))), true);
  }

  /** Makes a square the one that Tab reaches. */
  point(square, focus = false) {
    const node = ([row, col]) => this.cells[row * this.n + col].node;
    node(this.focus).tabIndex = -1;
    this.focus = square;
    node(square).tabIndex = 0;
    if (focus) node(square).focus({ preventScroll: true });
  }

  /** `squares` gives each square its classes, its words and a number to show. */
  show(squares, pairs) {
    squares.forEach(({ kinds, words, number, share }, at) => {
      const cell = this.cells[at];
      const looks = `${kinds} ${words} ${number} ${share}`;
      if (cell.looks === looks) return;
      cell.looks = looks;
      const { node } = cell;
      const queen = kinds.includes("queen");
      node.className = `square ${kinds}`;
      node.setAttribute("aria-label", words);
      node.setAttribute("aria-selected", queen ? "true" : "false");
      node.replaceChildren();
      if (queen) node.append(shape("svg", { viewBox: "0 0 1 1", "aria-hidden": "true", focusable: "false" }, shape("use", { href: "#queen", width: 1, height: 1, class: "queen" })));
      if (number !== null) {
        node.style.setProperty("--share", share.toFixed(3));
        node.append(el("span", { class: "through" }, short(number, this.n)));
      }
    });
    this.overlay.replaceChildren(...pairs.flatMap((pair) => [lineBetween(pair.first, pair.second, "attack-edge grows"), lineBetween(pair.first, pair.second, "attack grows")]));
  }
}
