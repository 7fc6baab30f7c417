// The two-colour idea, on a board small enough to see.
//
// Three steps: a queen's diagonals stay on one colour; so the rows can be split between
// black and white queens, and each side counted alone, by columns; where the two
// histograms meet, the numbers multiply. Every number is the library's; this file draws
// the board, the split and the bars, and lets all three be taken hold of.

import { chooser, el, grouped, plural, shape } from "./dom.js";
import { board, queenAt, squareAt } from "./board.js";

export const title = "Two colours";

export function enter(place, values, { engine, write }) {
  let all = engine.ask("colours", { n: values.n });
  let rows = values.rows === undefined ? middle(all) : Number(values.rows);
  let split = engine.ask("split", { n: values.n, rows: values.rows ?? rows });
  let cols = values.cols === undefined ? meetingBar(split) : Number(values.cols);
  let meeting = engine.ask("meeting", { n: values.n, rows, cols: values.cols ?? cols });
  let pair = 0;
  let held = null;

  const first = el("div", { class: "picture" });
  const firstSays = el("p", { class: "says", role: "status", "aria-live": "polite" });
  const second = el("div", { class: "picture" });
  const handles = el("div", { class: "handles", role: "group", "aria-label": "Whose row each is" });
  const bars = el("div", { class: "bars" });
  const sum = el("p", { class: "says", role: "status", "aria-live": "polite" });
  const overview = el("p", { class: "about" });
  const barSays = el("p", { class: "about" });
  const slider = el("input", { type: "range", min: 0, step: 1, oninput: () => setRows(all.splits[Number(slider.value)][0]) });
  slider.id = "split";

  function save() {
    write({ n: all.n, rows, cols: cols ?? undefined });
  }

  function setSize(n) {
    all = engine.ask("colours", { n });
    held = null;
    setRows(middle(all));
  }

  function setRows(next) {
    rows = next;
    split = engine.ask("split", { n: all.n, rows });
    setCols(meetingBar(split));
  }

  function setCols(next) {
    cols = next;
    pair = 0;
    meeting = engine.ask("meeting", { n: all.n, rows, cols: cols ?? 0 });
    draw();
    save();
  }

  /** The queens on show: one black placement of the bar and one white one. */
  function queens() {
    const black = meeting.black[Math.floor(pair / Math.max(1, meeting.white.length)) % Math.max(1, meeting.black.length)] ?? [];
    const white = meeting.white[pair % Math.max(1, meeting.white.length)] ?? [];
    return [...black.map((at) => [...at, "black"]), ...white.map((at) => [...at, "white"])];
  }

  function drawFirst() {
    const n = all.n;
    const shown = queens();
    const reach = [];
    const hold = shown.find(([row, col]) => held && row === held[0] && col === held[1]);
    if (hold) {
      for (let row = 0; row < n; row++) {
        const apart = Math.abs(row - hold[0]);
        for (const col of new Set([hold[1] - apart, hold[1] + apart])) {
          if (col >= 0 && col < n) reach.push(squareAt(row, col, `reach ${hold[2]}`));
        }
      }
    }
    const targets = shown.map(([row, col, colour]) => {
      const words = `${colour} queen in row ${row}, column ${col}`;
      const take = () => { if (!held || held[0] !== row || held[1] !== col) { held = [row, col]; drawFirst(); } };
      const target = shape("rect", { x: col, y: row, width: 1, height: 1, class: "target", tabindex: 0, role: "button", "aria-label": `Show the diagonals of the ${words}`, "data-square": `${row}.${col}`, onpointerenter: take, onclick: take, onfocus: take });
      return target;
    });
    const focused = document.activeElement?.dataset?.square;
    const picture = board(n, `Board with ${shown.length} queens`, [reach, shown.map(([row, col, colour]) => queenAt(row, col, colour)), targets]);
    // It holds buttons, so it is a group and not an image.
    picture.setAttribute("role", "group");
    first.replaceChildren(picture);
    if (focused) first.querySelector(`[data-square="${focused}"]`)?.focus();
    firstSays.textContent = hold
      ? `The ${hold[2]} queen in row ${hold[0]}, column ${hold[1]}: every square of her two diagonals is ${hold[2]}. No ${hold[2] === "black" ? "white" : "black"} queen can meet her there.`
      : "Point at a queen, or move to her with the Tab key.";
  }

  function drawSplit() {
    const n = all.n;
    const tint = [];
    for (let row = 0; row < n; row++) {
      const black = (rows >> row) & 1;
      for (let col = 0; col < n; col++) {
        if (((row + col) % 2 === 0) !== (black === 1)) tint.push(squareAt(row, col, "closed"), squareAt(row, col, "closed-hatch"));
      }
    }
    const shown = queens().map(([row, col, colour]) => queenAt(row, col, colour));
    second.replaceChildren(board(n, `Black queens in rows ${names(rows, n)}, white queens in the others`, [tint, shown]));
    handles.style.setProperty("--n", n);
    handles.replaceChildren(...Array.from({ length: n }, (_, row) => {
      const black = (rows >> row) & 1;
      const handle = el("button", { type: "button", class: `handle ${black ? "black" : "white"}`, "aria-label": `Row ${row}: ${black ? "black" : "white"}`, "data-row": row, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); flip(row); } } }, black ? "black" : "white");
      return handle;
    }));
    const at = all.splits.findIndex(([set]) => set === rows);
    slider.max = all.splits.length - 1;
    if (at >= 0) slider.value = at;
    slider.setAttribute("aria-valuetext", `black rows ${names(rows, n)}`);
  }

  function flip(row) {
    setRows(rows ^ (1 << row));
    handles.children[row]?.focus();
  }

  // Dragging over the handles paints rows in one colour.
  let painting = null;
  handles.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest(".handle");
    if (!handle) return;
    event.preventDefault();
    const row = Number(handle.dataset.row);
    painting = ((rows >> row) & 1) === 0;
    setRows(rows ^ (1 << row));
  });
  const paint = (event) => {
    if (painting === null) return;
    const handle = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".handle");
    if (!handle) return;
    const bit = 1 << Number(handle.dataset.row);
    if (((rows & bit) !== 0) !== painting) setRows(rows ^ bit);
  };
  const drop = () => { painting = null; };
  addEventListener("pointermove", paint);
  addEventListener("pointerup", drop);
  addEventListener("pointercancel", drop);

  function drawBars() {
    const most = Math.max(1, ...split.bars.map((bar) => Math.max(bar.black, bar.white)));
    bars.replaceChildren(...split.bars.map((bar) => {
      const chosen = bar.cols === cols;
      const words = `columns ${names(bar.cols, all.n)}: ${bar.black} black times ${bar.white} white is ${bar.product}`;
      const node = el("button", { type: "button", class: `bar ${bar.product > 0 ? "meets" : ""}`, "aria-pressed": chosen ? "true" : "false", "aria-label": words, title: words, onclick: () => { setCols(bar.cols); bars.querySelector('[aria-pressed="true"]')?.focus(); } },
        el("span", { class: "half up" }, el("span", { class: "fill black" })),
        el("span", { class: "meet" }, bar.product > 0 ? String(bar.product) : ""),
        el("span", { class: "half down" }, el("span", { class: "fill white" })));
      node.querySelector(".fill.black").style.setProperty("--high", bar.black / most);
      node.querySelector(".fill.white").style.setProperty("--high", bar.white / most);
      return node;
    }));
    const products = split.bars.filter((bar) => bar.product > 0).map((bar) => `${bar.black}·${bar.white}`);
    sum.replaceChildren(products.length
      ? `This split: ${products.length > 8 ? `${products.slice(0, 8).join(" + ")} + …` : products.join(" + ")} = ${plural(split.total, "solution")}.`
      : "This split: the histograms do not meet anywhere, so it holds no solution.");
    overview.textContent = `${grouped(all.splits.length)} splits of the rows hold solutions; their sums add up to ${grouped(all.total)}, all solutions for N = ${all.n}.`;
    const combinations = meeting.black.length * meeting.white.length;
    barSays.textContent = cols === null
      ? "No bar is chosen."
      : `Black columns ${names(cols, all.n)}: ${plural(meeting.black.length, "black placement")}, ${plural(meeting.white.length, "white placement")} on the other columns. ${combinations > 1 ? "Any one goes with any other." : ""}`;
    nextPair.disabled = combinations < 2;
  }

  function draw() {
    drawFirst();
    drawSplit();
    drawBars();
    size.set(String(all.n));
  }

  const size = chooser("N", [4, 5, 6, 7, 8].map((n) => [String(n), String(n)]), String(all.n), (n) => setSize(n));
  const nextPair = el("button", { type: "button", onclick: () => { pair += 1; drawFirst(); drawSplit(); } }, "Another combination");

  place.append(
    el("h1", {}, "Counting in two colours"),
    el("p", { class: "about" }, "The fastest engine here never searches a whole board. It counts the queens on black squares and the queens on white squares apart, and joins the two counts."),
    el("div", { class: "controls" }, size),
    el("div", { class: "colours-grid" },
      el("section", { class: "panel" }, el("h2", {}, "1. Diagonals keep their colour"),
        el("p", {}, "A bishop never leaves its colour, and a queen's diagonals are a bishop's moves. So a queen on a black square and one on a white square can meet in a row or a column, never on a diagonal."), first, firstSays),
      el("section", { class: "panel" }, el("h2", {}, "2. Split the rows"),
        el("p", {}, "Give each row to black or to white. Then black queens stand on black squares of black rows only, and nothing ties the two sides together but the columns: each column is used by exactly one of them."),
        el("div", { class: "split" }, second, handles),
        el("div", { class: "field" }, el("label", { for: "split" }, "Drag through the splits that hold solutions"), slider),
        nextPair),
      el("section", { class: "panel wide" }, el("h2", {}, "3. Two histograms meet"),
        el("p", {}, "For every set of columns: above, in how many ways black can fill exactly these columns; below, in how many ways white can fill exactly the others. Where both are there they multiply, since any black placement goes with any white one."),
        el("div", { class: "histograms" }, el("p", { class: "sides", "aria-hidden": "true" }, el("span", {}, "black"), el("span", {}, "×"), el("span", {}, "white")), el("div", { class: "scroll", role: "group", "aria-label": "Histograms", tabindex: 0 }, bars)),
        barSays, sum, overview,
        el("p", {}, "For N = 8 a backtracker visits 2057 partial boards; here each side has a few queens on a few squares. The engine two-colour-plain adds up just this, and two-colour does it with bit planes and all eight symmetries of the board: ", el("a", { href: "#count" }, "race it"), "."))));
  draw();
  return () => {
    removeEventListener("pointermove", paint);
    removeEventListener("pointerup", drop);
    removeEventListener("pointercancel", drop);
  };
}

/** The split to begin with: the one that holds the most solutions. */
function middle(all) {
  return all.splits.reduce((best, split) => (split[1] > best[1] ? split : best), [0, 0])[0];
}

/** The bar to begin with: the largest product, if the histograms meet at all. */
function meetingBar(split) {
  const best = split.bars.reduce((a, b) => (b.product > (a?.product ?? 0) ? b : a), null);
  return best ? best.cols : null;
}

/** A set as people write it. */
function names(set, n) {
  return `{${Array.from({ length: n }, (_, k) => k).filter((k) => (set >> k) & 1).join(", ")}}`;
}
