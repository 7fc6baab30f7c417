// What surrounds the board in Watch: the sentence, the counters, the program, what it
// remembers, and the calls in progress. Every pane keeps its size while the search plays;
// what does not fit is scrolled inside it.

import { el, grouped, setText } from "./dom.js";

/** The sentence under a board. */
export class Sentence {
  constructor() {
    this.node = el("p", { class: "says", role: "status", "aria-live": "polite" });
    new ResizeObserver(() => this.reach()).observe(this.node);
  }

  show(moment, quietly) {
    // While the search plays, a screen reader is not made to read every step.
    this.node.setAttribute("aria-live", quietly ? "off" : "polite");
    setText(this.node, moment.says);
    this.node.dataset.long = moment.style === "steps";
    this.node.dataset.event = moment.event;
    if (!quietly) this.reach();
  }

  /** The walk gives its reasons; a visitor scrolls to what does not fit, with keys too. */
  reach() {
    const { scrollHeight, clientHeight, dataset } = this.node;
    this.node.tabIndex = dataset.long === "true" || scrollHeight > clientHeight ? 0 : -1;
  }
}

/** The tuple and the counters. */
export class Tallies {
  constructor() {
    this.tuple = el("p", { class: "tuple" });
    this.list = el("dl", { class: "tallies" });
    this.node = el("div", { class: "figures-line" }, this.list, this.tuple);
  }

  show(moment) {
    setText(this.tuple, moment.tuple);
    // The place of the longest tuple of this board, so that nothing moves while it grows.
    this.tuple.style.setProperty("--letters", 3 * moment.n + 2);
    if (this.list.children.length !== moment.stats.length) {
      this.list.replaceChildren(...moment.stats.map(() => el("div", {}, el("dt", {}), el("dd", {}))));
    }
    moment.stats.forEach(({ name, count }, at) => {
      const [term, value] = this.list.children[at].children;
      setText(term, name);
      setText(value, grouped(count));
    });
  }
}

/** The program with its line in progress. */
export class Code {
  constructor(engine) {
    this.engine = engine;
    this.list = el("ol", { class: "code" });
    this.window = el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Program" }, this.list);
    this.node = this.window;
    this.shown = "";
    this.at = null;
  }

  show(moment, language) {
    const shown = `${moment.style} ${language}`;
    if (this.shown !== shown) {
      this.shown = shown;
      const { lines, head } = this.engine.ask("program", { style: moment.style, code: language });
      this.head = head;
      this.list.replaceChildren(...lines.map((line) => {
        // A line that does not fit goes on below, a little further in.
        const indent = line.search(/\S|$/);
        const item = el("li", {}, el("code", {}, el("span", { class: "indent" }, line.slice(0, indent + 1) || " "), line.slice(indent + 1)));
        item.style.setProperty("--indent", indent);
        return item;
      }));
      this.at = null;
      this.wanted = undefined;
      this.rest();
    }
    if (this.wanted === moment.line) return;
    this.wanted = moment.line;
    this.at?.removeAttribute("aria-current");
    this.at = this.list.children[moment.line] ?? null;
    this.at?.setAttribute("aria-current", "step");
    if (this.at) bring(this.window, this.at);
  }

  /** Scrolls to the search itself; the functions that it calls are above it. */
  rest() {
    this.window.scrollTop = this.list.children[this.head].offsetTop;
    if (this.at) bring(this.window, this.at);
  }
}

/** The calls in progress, the innermost last. */
export class Calls {
  constructor() {
    this.list = el("ol", { class: "stack" });
    this.node = el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Calls in progress" }, this.list);
  }

  show(moment) {
    while (this.list.children.length > moment.stack.length) this.list.lastChild.remove();
    moment.stack.forEach((call, at) => {
      if (!this.list.children[at]) this.list.append(el("li", {}));
      const item = this.list.children[at];
      // A call that does not fit goes on below, and every number of it stays whole.
      const open = call.indexOf("(") + 1;
      if (item.textContent !== call) item.replaceChildren(call.slice(0, open), el("wbr", {}), call.slice(open));
    });
    this.node.scrollTop = this.node.scrollHeight;
  }
}

/** The tables of what the program remembers; cells change, tables stay. */
export class Memory {
  constructor() {
    this.node = el("div", { class: "scroll tables", tabindex: 0, role: "group", "aria-label": "What the program remembers" });
    this.shown = "";
  }

  show(moment) {
    const shape = `${moment.style} ${moment.n} ${moment.panel[0].head[0]}`;
    if (this.shown !== shape) {
      this.shown = shape;
      this.node.dataset.wide = Math.max(...moment.panel.map((table) => table.head.length)) > 9 ? "yes" : "no";
      this.node.style.setProperty("--letters", Math.max(...moment.panel.map((table) => letters(table, moment.n))));
      this.node.replaceChildren(...moment.panel.map((table) => {
        const bits = moment.style === "bits";
        const node = el("table", { class: bits ? "bits" : "cells", "aria-label": table.caption },
          el("thead", {}, el("tr", {}, el("td", {}), table.head.map((name) => el("th", { scope: "col" }, name)))),
          el("tbody", {}, table.rows.map((row) => el("tr", {},
            row.name === "" ? el("td", {}) : el("th", { scope: "row" }, row.name), row.cells.map(() => el("td", {}))))));
        // The cells of a line with its name, and the letters of the longest name of a column.
        node.style.setProperty("--columns", table.head.length + 1);
        node.style.setProperty("--longest", Math.max(...table.head.map((name) => name.length)));
        return el("div", {}, el("p", { class: "caption" }, table.caption), node);
      }));
      this.bodies = [...this.node.querySelectorAll("tbody")];
    }
    moment.panel.forEach((table, which) => {
      table.rows.forEach((row, line) => {
        const { cells } = this.bodies[which].rows[line];
        row.cells.forEach((text, at) => {
          const cell = cells[at + 1];
          const kind = row.marks[at] === "." ? "" : `mark-${row.marks[at]}`;
          if (cell.className !== kind) cell.className = kind;
          if (cell.textContent !== text) {
            if (row.marks[at] === "b") cell.replaceChildren(...[...text].map((bit) => (bit === "1" ? el("b", {}, "1") : bit)));
            else cell.textContent = text;
          }
        });
      });
    });
    // If the tables have a line for each row of the board, the line of the row that is searched.
    const { rows } = this.bodies[0];
    this.at = rows.length === moment.n ? rows[moment.stack.length - 1] : undefined;
    this.rest();
  }

  rest() {
    if (this.at) bring(this.node, this.at);
  }
}

/** How many letters the longest line of a table has, with the space between its cells. */
function letters(table, n) {
  const names = Math.max(...table.rows.map((row) => row.name.length));
  return table.head.reduce((sum, name) => sum + Math.max(name.length, n) + 1, names + 2);
}

/** Scrolls a line into its pane, and nothing but the pane. */
function bring(pane, line) {
  const top = line.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  if (top < 0 || top + line.offsetHeight > pane.clientHeight) pane.scrollTop += top - pane.clientHeight / 4;
}

/** Panes that stand beside each other where there is room and behind tabs where there is not. */
export function tabs(panes, chosen = 0) {
  const buttons = panes.map(([name, pane], at) => {
    pane.id ||= `pane-${name.toLowerCase().replace(/\W+/g, "-")}`;
    return el("button", { type: "button", role: "tab", "aria-controls": pane.id, onclick: () => choose(at) }, name);
  });
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "Beside the board" }, buttons);
  const choose = (at, focus) => {
    panes.forEach(([, pane], k) => {
      pane.classList.toggle("front", k === at);
      buttons[k].setAttribute("aria-selected", k === at ? "true" : "false");
      buttons[k].tabIndex = k === at ? 0 : -1;
    });
    if (focus) buttons[at].focus();
  };
  list.addEventListener("keydown", (event) => {
    const here = buttons.indexOf(document.activeElement);
    const to = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    choose((to + buttons.length) % buttons.length, true);
  });
  choose(chosen);
  return list;
}
