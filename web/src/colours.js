// The two-colour idea, on a board small enough to see.
//
// Three steps: a queen's diagonals stay on one colour; so the rows can be split between
// white and black queens, and each side counted alone, by columns; where the two
// histograms meet, the numbers multiply. Every number is the library's; this file draws
// the board, the split and the bars, and reacts to clicks on all three. A split without
// solutions keeps the last solution as a ghost and says why it fails.

import { button, chooser, el, grouped, plural, setOff, setText, shape } from "./dom.js";
import { board, cross, queenAt, squareAt } from "./board.js";

export const title = "Two colours";
export const keys = ["n", "rows", "cols"];
export const range = [4, 8];

/** The colour of a square: the first one is white. */
const colourOf = (row, col) => ((row + col) % 2 === 0 ? "white" : "black");

export async function enter(place, values, { engine, clerk, write, origin }) {
  let all = await clerk.ask("colours", { n: values.n });
  const begun = values.rows ?? fullest(all);
  let split = engine.ask("split", { n: all.n, rows: begun });
  let rows = split.rows;
  let cols = values.cols === undefined ? meetingBar(split) : Number(values.cols);
  let meeting = engine.ask("meeting", { n: all.n, rows, cols: values.cols ?? cols ?? 0 });
  let why = engine.ask("why", { n: all.n, rows, origin });
  let pair = 0;
  let held = null;
  let ghost = [];
  let ticket = 0;

  const first = el("div", { class: "picture" });
  const firstSays = el("p", { class: "says", role: "status", "aria-live": "polite" });
  const second = el("div", { class: "picture" });
  const handles = el("div", { class: "handles", role: "group", "aria-label": "Whose row each is" });
  const splitSays = el("p", { class: "says", role: "status", "aria-live": "polite" });
  const bars = el("div", { class: "bars" });
  const sum = el("p", { class: "says" });
  const overview = el("p", { class: "about" });
  const barSays = el("p", { class: "about" });
  const slider = el("input", { type: "range", min: 0, step: 1, id: "split", oninput: () => setRows(all.splits[Number(slider.value)][0]) });

  function save() {
    write({ n: all.n, rows, cols: cols ?? undefined });
  }

  async function setSize(n) {
    const mine = ++ticket;
    const next = await clerk.ask("colours", { n });
    if (mine !== ticket) return;
    all = next;
    held = null;
    ghost = [];
    handles.replaceChildren();
    setRows(fullest(all));
  }

  function setRows(next) {
    if (queens().length === all.n) ghost = queens();
    rows = next;
    split = engine.ask("split", { n: all.n, rows });
    why = engine.ask("why", { n: all.n, rows, origin });
    setCols(meetingBar(split));
  }

  function setCols(next) {
    cols = next;
    pair = 0;
    meeting = engine.ask("meeting", { n: all.n, rows, cols: cols ?? 0 });
    draw();
    save();
  }

  /** The queens on show: one white placement of the bar and one black one. */
  function queens() {
    const { black, white } = meeting;
    const one = white[Math.floor(pair / Math.max(1, black.length)) % Math.max(1, white.length)] ?? [];
    const other = black[pair % Math.max(1, black.length)] ?? [];
    return cols === null ? [] : [...one.map((at) => [...at, "white"]), ...other.map((at) => [...at, "black"])];
  }

  /** A full board: the solution on show, or the last one as a ghost. */
  function standing() {
    const now = queens();
    return now.length === all.n ? { shown: now, faded: false } : { shown: ghost, faded: true };
  }

  function drawFirst() {
    const n = all.n;
    const { shown, faded } = standing();
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
      const take = () => { if (!held || held[0] !== row || held[1] !== col) { held = [row, col]; drawFirst(); } };
      return shape("rect", { x: col, y: row, width: 1, height: 1, class: "target", tabindex: 0, role: "button", "aria-label": `Show the diagonals of the ${colour} queen in row ${row + origin}, column ${col + origin}`, "data-square": `${row}.${col}`, onpointerenter: take, onclick: take, onfocus: take });
    });
    const focused = first.contains(document.activeElement) ? document.activeElement.dataset.square : null;
    const picture = board(n, `Board with ${plural(shown.length, "queen")}`, [reach, shown.map(([row, col, colour]) => queenAt(row, col, `${colour} ${faded ? "ghost" : ""}`)), targets], { origin });
    // It holds buttons, so it is a group and not an image.
    picture.setAttribute("role", "group");
    first.replaceChildren(picture);
    if (focused) (first.querySelector(`[data-square="${focused}"]`) ?? first.querySelector(".target"))?.focus({ preventScroll: true });
    setText(firstSays, hold
      ? `The ${hold[2]} queen in row ${hold[0] + origin}, column ${hold[1] + origin}: every square of her two diagonals is ${hold[2]}. No ${hold[2] === "black" ? "white" : "black"} queen can meet her there.`
      : "Point at a queen, or move to her with the Tab key.");
  }

  function drawSplit() {
    const n = all.n;
    const { shown, faded } = standing();
    const tint = [];
    const sideOf = (row) => ((rows >> row) & 1 ? "white" : "black");
    for (let row = 0; row < n; row++) {
      for (let col = 0; col < n; col++) {
        if (colourOf(row, col) !== sideOf(row)) tint.push(squareAt(row, col, "closed"), squareAt(row, col, "closed-hatch"));
      }
    }
    const marks = shown.map(([row, col, colour]) => [
      queenAt(row, col, `${colour} ${faded ? "ghost" : ""}`),
      faded && sideOf(row) !== colour ? cross(row, col) : null,
    ]);
    second.replaceChildren(board(n, `White queens in rows ${names(rows, n)}, black queens in the others${faded ? "; the last solution is shown as a ghost" : ""}`, [tint, marks], { origin }));
    handles.style.setProperty("--n", n);
    for (let row = 0; row < n; row++) {
      const side = sideOf(row);
      const handle = handles.children[row] ?? el("button", { type: "button", "data-row": row, onclick: () => { if (!painted) flip(row); } });
      if (!handle.parentNode) handles.append(handle);
      handle.className = `handle ${side}`;
      handle.setAttribute("aria-label", `Row ${row + origin}: ${side}`);
      setText(handle, side);
    }
    setText(splitSays, `${why.says}${faded && ghost.length ? " The last solution stays as a ghost; crosses mark its queens that lost their row." : ""}`);
    splitSays.dataset.event = why.total === 0 ? "dead-end" : "solution";
    slider.max = all.splits.length - 1;
    // A split that fails has no place of its own; it stands at the one before it.
    slider.value = Math.max(0, all.splits.findLastIndex(([set]) => set <= rows));
    slider.setAttribute("aria-valuetext", `white rows ${names(rows, n)}`);
  }

  function flip(row) {
    setRows(rows ^ (1 << row));
  }

  // Dragging over the handles paints rows in one colour; a plain click is a click.
  let painting = null;
  let painted = false;
  handles.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest(".handle");
    if (!handle) return;
    painted = false;
    painting = { row: Number(handle.dataset.row), colour: ((rows >> Number(handle.dataset.row)) & 1) === 0 };
    // A finger keeps what it touched first as its target; the rows it passes would not notice.
    if (handle.hasPointerCapture?.(event.pointerId)) handle.releasePointerCapture(event.pointerId);
  });
  const paint = (event) => {
    if (painting === null) return;
    const handle = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".handle");
    if (!handle || (!painted && Number(handle.dataset.row) === painting.row)) return;
    let next = rows;
    for (const row of [painting.row, Number(handle.dataset.row)]) {
      next = painting.colour ? next | (1 << row) : next & ~(1 << row);
    }
    painted = true;
    if (next !== rows) setRows(next);
  };
  const drop = () => {
    painting = null;
    // The click that may follow belongs to the drag.
    setTimeout(() => { painted = false; });
  };
  addEventListener("pointermove", paint);
  addEventListener("pointerup", drop);
  addEventListener("pointercancel", drop);

  function drawBars() {
    const most = Math.max(1, ...split.bars.map((bar) => Math.max(bar.black, bar.white)));
    while (bars.children.length > split.bars.length) bars.lastChild.remove();
    split.bars.forEach((bar, at) => {
      const node = bars.children[at] ?? el("button", { type: "button" },
        el("span", { class: "half up" }, el("span", { class: "fill white" })),
        el("span", { class: "meet" }),
        el("span", { class: "half down" }, el("span", { class: "fill black" })));
      if (!node.parentNode) bars.append(node);
      const words = `columns ${names(bar.cols, all.n)}: ${bar.white} white times ${bar.black} black is ${bar.product}`;
      node.className = `bar ${bar.product > 0 ? "meets" : ""}`;
      node.setAttribute("aria-pressed", bar.cols === cols ? "true" : "false");
      node.setAttribute("aria-label", words);
      node.title = words;
      node.onclick = () => setCols(bar.cols);
      setText(node.querySelector(".meet"), bar.product > 0 ? String(bar.product) : "");
      for (const side of ["white", "black"]) {
        const fill = node.querySelector(`.fill.${side}`);
        fill.style.setProperty("--high", bar[side] / most);
        fill.classList.toggle("empty", bar[side] === 0);
      }
    });
    const products = split.bars.filter((bar) => bar.product > 0).map((bar) => `${bar.white}·${bar.black}`);
    setText(sum, products.length
      ? `This split: ${products.length > 8 ? `${products.slice(0, 8).join(" + ")} + …` : products.join(" + ")} = ${plural(split.total, "solution")}.`
      : "This split: the histograms do not meet anywhere, so it holds no solution.");
    setText(overview, `${plural(all.splits.length, "split")} of the rows ${all.splits.length === 1 ? "holds" : "hold"} solutions; their sums add up to ${grouped(all.total)}, all solutions for N = ${all.n}.`);
    const combinations = cols === null ? 0 : meeting.black.length * meeting.white.length;
    setText(barSays, cols === null
      ? "No bar is chosen."
      : `White columns ${names(cols, all.n)}: ${plural(meeting.white.length, "white placement")}, ${plural(meeting.black.length, "black placement")} on the other columns. ${combinations > 1 ? "Any one goes with any other." : ""}`);
    setOff(nextPair, combinations < 2);
  }

  function draw() {
    drawFirst();
    drawSplit();
    drawBars();
    size.set(String(all.n));
  }

  /** A set as people write it. */
  function names(set, n) {
    return `{${Array.from({ length: n }, (_, k) => k).filter((k) => (set >> k) & 1).map((k) => k + origin).join(", ")}}`;
  }

  const size = chooser("N", [4, 5, 6, 7, 8].map((n) => [String(n), String(n)]), String(all.n), setSize);
  const nextPair = button("Another combination", () => { pair += 1; drawFirst(); drawSplit(); });
  if (queens().length === all.n) ghost = queens();
  else {
    // The link names a split that fails: the ghost comes from the split with the most solutions.
    const best = engine.ask("split", { n: all.n, rows: fullest(all) });
    const { white, black } = engine.ask("meeting", { n: all.n, rows: best.rows, cols: meetingBar(best) });
    ghost = [...white[0].map((at) => [...at, "white"]), ...black[0].map((at) => [...at, "black"])];
  }

  place.append(
    el("h1", {}, "Counting in two colours"),
    el("div", { class: "controls" }, size, el("p", { class: "about" }, "The fastest engine here never searches a whole board. It counts the queens on white squares and the queens on black squares apart, and joins the two counts.")),
    el("div", { class: "colours-grid" },
      el("section", { class: "panel" }, el("h2", {}, "1. Diagonals keep their colour"),
        el("p", {}, "A bishop never leaves its colour, and a queen's diagonals are a bishop's moves. So a queen on a white square and one on a black square can meet in a row or a column, never on a diagonal."), first, firstSays),
      el("section", { class: "panel" }, el("h2", {}, "2. Split the rows"),
        el("p", {}, "Give each row to white or to black. Then white queens stand on white squares of white rows only, and nothing ties the two sides together but the columns: each column is used by exactly one of them."),
        el("div", { class: "split" }, second, handles),
        splitSays,
        el("div", { class: "field" }, el("label", { for: "split" }, "Drag through the splits that hold solutions"), slider),
        nextPair),
      el("section", { class: "panel wide" }, el("h2", {}, "3. Two histograms meet"),
        el("p", {}, "For every set of columns: above, in how many ways white can fill exactly these columns; below, in how many ways black can fill exactly the others. Where both are there they multiply, since any white placement goes with any black one."),
        el("div", { class: "histograms" }, el("p", { class: "sides", "aria-hidden": "true" }, el("span", {}, "white"), el("span", {}, "×"), el("span", {}, "black")), el("div", { class: "scroll", role: "group", "aria-label": "Histograms", tabindex: 0 }, bars)),
        barSays, sum, overview,
        el("p", {}, "For N = 8 a backtracker visits 2057 partial boards; here each side has a few queens on a few squares. The engine two-colour-plain adds up just this, and two-colour does it with bit planes and all eight symmetries of the board: ", el("a", { href: "#count" }, "race it"), "."))));
  draw();
  save();
  return () => {
    removeEventListener("pointermove", paint);
    removeEventListener("pointerup", drop);
    removeEventListener("pointercancel", drop);
  };
}

/** The split to begin with: the one that holds the most solutions. */
function fullest(all) {
  return all.splits.reduce((best, split) => (split[1] > best[1] ? split : best), [0, 0])[0];
}

/** The bar to begin with: the largest product, if the histograms meet at all. */
function meetingBar(split) {
  const best = split.bars.reduce((a, b) => (b.product > (a?.product ?? 0) ? b : a), null);
  return best ? best.cols : null;
}
