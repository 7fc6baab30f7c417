// The room Try: place the queens yourself.
//
// What attacks what, which queens clash, how many solutions are left and what to do next
// is all said by the library; the quick part at once, the count in a worker, where a new
// move cancels the question before it. The board is a grid of buttons with one tab stop:
// arrows move, Enter or Space places and takes away, so a keyboard is enough.

import { Helper } from "./engine.js";
import { button, el, grouped, numberField, plural, shape } from "./dom.js";
import { lineBetween } from "./board.js";

export const title = "Try";

export function enter(place, values, { engine, module, hello, write }) {
  let n = Number(values.n ?? 8);
  let queens = values.queens ?? "";
  let seen = engine.ask("try", { n: values.n ?? 8, queens });
  n = seen.n;
  const past = [];
  const helper = new Helper(module);
  let known = null;
  let focus = [0, 0];
  let marked = null;

  const grid = el("div", { class: "grid", role: "grid", "aria-label": "Board" });
  const says = el("p", { class: "says", role: "status", "aria-live": "polite" });
  const left = el("p", { class: "left" });
  const pairs = el("ul", { class: "pairs" });
  const trouble = el("p", { class: "trouble", role: "alert" });
  const over = el("div", { class: "figures over", "aria-hidden": "true" });
  const beside = el("div", { class: "figures beside", "aria-hidden": "true" });
  const overlay = shape("svg", { class: "overlay", "aria-hidden": "true", focusable: "false" });
  const heat = el("input", { type: "checkbox", id: "heat", onchange: () => draw() });
  if (values.numbers === "on") heat.checked = true;

  const key = ([row, col]) => `${row}.${col}`;
  const list = () => (queens === "" ? [] : queens.split("-"));

  function set(next, remember = true) {
    let answer;
    try {
      answer = engine.ask("try", next);
    } catch (error) {
      trouble.textContent = error.message;
      size.set(n);
      return;
    }
    if (remember) past.push({ n, queens });
    trouble.textContent = "";
    ({ n } = answer);
    queens = next.queens;
    seen = answer;
    known = null;
    marked = null;
    focus = focus.map((at) => Math.min(at, n - 1));
    draw();
    count();
  }

  function toggle(square) {
    const here = list();
    const at = here.indexOf(key(square));
    if (at < 0) here.push(key(square));
    else here.splice(at, 1);
    set({ n, queens: here.join("-") });
  }

  async function count() {
    left.textContent = "Counting the solutions that are left …";
    left.dataset.state = "busy";
    const asked = queens;
    const size = n;
    try {
      const { answer } = await helper.ask("extend", { n, queens });
      if (asked !== queens || size !== n) return;
      known = answer;
      left.dataset.state = "done";
      left.dataset.solutions = answer.solutions;
      left.replaceChildren(el("strong", {}, grouped(answer.solutions)), ` ${answer.solutions === 1 ? "solution extends" : "solutions extend"} this position.`);
      if (heat.checked) draw();
    } catch (error) {
      left.textContent = error.message;
    }
  }

  function hint() {
    if (!known) {
      says.textContent = "The count is still running; the hint follows from it.";
      return;
    }
    marked = known.best ?? known.misplaced;
    if (marked) focus = marked;
    draw();
    says.textContent = known.hint;
  }

  function undo() {
    const before = past.pop();
    if (before) set(before, false);
    else says.textContent = "There is nothing to undo.";
  }

  function draw() {
    write({ n, queens, numbers: heat.checked ? "on" : undefined });
    size.set(n);
    undoButton.disabled = past.length === 0;
    const here = new Set(list());
    const clashing = new Set(seen.pairs.flatMap((pair) => [key(pair.first), key(pair.second)]));
    const most = known ? Math.max(1, ...known.through) : 1;
    grid.style.setProperty("--n", n);
    grid.dataset.n = n;
    const rows = [];
    for (let row = 0; row < n; row++) {
      const cells = [];
      for (let col = 0; col < n; col++) {
        const at = key([row, col]);
        const queen = here.has(at);
        const attackers = seen.attackers[row * n + col];
        const through = heat.checked && known && !queen ? known.through[row * n + col] : null;
        const kinds = ["square", (row + col) % 2 ? "dark" : "light", queen ? "queen" : attackers ? "attacked" : "free", clashing.has(at) ? "clash" : "", marked && key(marked) === at ? "marked" : ""];
        const state = [queen ? "queen" : attackers ? `attacked by ${attackers}` : "free", clashing.has(at) ? "attacked" : "", through === null ? "" : `${plural(through, "solution")} through it`];
        const cell = el("button", {
          type: "button", role: "gridcell", class: kinds.join(" "), "aria-label": `row ${row}, column ${col}: ${state.filter(Boolean).join(", ")}`,
          "aria-selected": queen ? "true" : "false",
          tabindex: row === focus[0] && col === focus[1] ? 0 : -1,
          onclick: () => { focus = [row, col]; toggle([row, col]); refocus(); },
        },
        queen ? shape("svg", { viewBox: "0 0 1 1", "aria-hidden": "true", focusable: "false" }, shape("use", { href: "#queen", width: 1, height: 1, class: "queen" })) : null,
        through === null ? null : el("span", { class: "through" }, grouped(through)));
        if (through) cell.style.setProperty("--share", (through / most).toFixed(3));
        cells.push(cell);
      }
      rows.push(el("div", { role: "row", class: "row" }, cells));
    }
    grid.replaceChildren(...rows);
    for (const strip of [over, beside]) {
      strip.replaceChildren(...Array.from({ length: n }, (_, k) => el("span", {}, String(k))));
    }
    overlay.setAttribute("viewBox", `0 0 ${n} ${n}`);
    overlay.replaceChildren(...seen.pairs.flatMap((pair) => [lineBetween(pair.first, pair.second, "attack-edge"), lineBetween(pair.first, pair.second, "attack")]));
    const placed = here.size;
    says.textContent = seen.solved
      ? `Solved: ${plural(placed, "queen")}, none attacks another.`
      : `${plural(placed, "queen")} placed, ${Math.max(0, n - placed)} to go; ${seen.pairs.length ? `${plural(seen.pairs.length, "pair")} of queens attack each other` : "no queen attacks another"}.`;
    says.dataset.solved = seen.solved;
    const shown = seen.pairs.slice(0, 6).map((pair) => el("li", {}, `Row ${pair.first[0]}, column ${pair.first[1]} and row ${pair.second[0]}, column ${pair.second[1]}: ${LINES[pair.line]}.`));
    if (seen.pairs.length > 6) shown.push(el("li", {}, `and ${seen.pairs.length - 6} more.`));
    pairs.replaceChildren(...shown);
  }

  function refocus() {
    grid.children[focus[0]]?.children[focus[1]]?.focus();
  }

  const size = numberField("N", { min: 1, max: hello.largest, value: n, change: (to) => set({ n: to, queens: "" }) });
  const undoButton = button("Undo", undo);

  grid.addEventListener("keydown", (event) => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const jumps = { Home: [focus[0], 0], End: [focus[0], n - 1], PageUp: [0, focus[1]], PageDown: [n - 1, focus[1]] };
    const [down, right] = moves[event.key] ?? [0, 0];
    const target = jumps[event.key] ?? [focus[0] + down, focus[1] + right];
    if (!moves[event.key] && !jumps[event.key]) return;
    event.preventDefault();
    const inside = target.map((at) => Math.max(0, Math.min(n - 1, at)));
    grid.children[focus[0]].children[focus[1]].tabIndex = -1;
    focus = inside;
    grid.children[focus[0]].children[focus[1]].tabIndex = 0;
    refocus();
  });

  const keys = (event) => {
    if (event.target.tagName === "INPUT" && event.target.type === "number") return;
    if ((event.ctrlKey || event.metaKey) && event.key === "z") {
      event.preventDefault();
      undo();
      refocus();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && (event.key === "h" || event.key === "u")) {
      const inGrid = grid.contains(document.activeElement);
      if (event.key === "h") hint();
      else undo();
      if (inGrid) refocus();
    }
  };
  addEventListener("keydown", keys);

  place.append(
    el("h1", {}, "Try it yourself"),
    el("p", { class: "about" }, "Put a queen in every row so that none attacks another. Hatched squares are attacked; lines join queens that clash."),
    el("div", { class: "try-grid" },
      el("div", { class: "board-frame" }, over, beside, el("div", { class: "board-inner" }, grid, overlay)),
      el("div", { class: "side" },
        el("div", { class: "controls" }, size, trouble),
        says,
        left,
        el("div", { class: "transport" }, button("Hint", hint, { class: "main" }), undoButton, button("Clear", () => set({ n, queens: "" }))),
        el("p", { class: "check" }, heat, el("label", { for: "heat" }, "Show how many solutions go through each square")),
        pairs,
        el("p", { class: "keys" }, el("kbd", {}, "←↑↓→"), " move, ", el("kbd", {}, "Enter"), " place or take away, ", el("kbd", {}, "H"), " hint, ", el("kbd", {}, "U"), " undo."))));
  draw();
  count();
  return () => {
    helper.end();
    removeEventListener("keydown", keys);
  };
}

const LINES = {
  row: "the same row",
  col: "the same column",
  diag: "a diagonal that falls to the right",
  anti: "a diagonal that rises to the right",
};
