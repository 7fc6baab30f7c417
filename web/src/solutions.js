// The room Solutions: all of them, or one per symmetry class, with images and files.
//
// The library makes the list, filters it and hands out pages; it also says the class of a
// solution, its eight images, and writes the files. Only PNG is made here: the browser
// paints the library's SVG on a canvas.

import { EngineError } from "./engine.js";
import { button, chooser, download, el, grouped, numberField, plural, setOff, setText } from "./dom.js";
import { board, queenAt, thumbnail } from "./board.js";
import { Grid } from "./grid.js";

export const title = "Solutions";
export const keys = ["n", "kind", "queens", "class", "from", "cols", "heat", "seed"];
export const range = [1, 12];
export const lasting = ["kind", "class", "heat", "seed"];

const PAGE = 24;

/** The squares of the filter, such as 0.3. */
const squares = ({ queens }) => (queens ?? "").split("-").filter(Boolean);

export async function enter(place, values, { engine, module, clerk, hello, write, say, origin }) {
  let state = { n: values.n, kind: values.kind, from: values.from, class: values.class, queens: values.queens };
  let chosen = values.cols ? engine.ask("images", { cols: values.cols }) : null;
  let page = await clerk.ask("solutions", { ...state, many: PAGE });
  // Loaded here, so that the page starts without it.
  const { Heat } = await import("./heat.js");
  state.n = page.n;
  if (chosen && chosen.cols.length !== page.n) throw new EngineError(`The solution in the link has ${plural(chosen.cols.length, "queen")}, and its board ${page.n} rows.`);
  // What was last asked for: a change made before the answer builds on it.
  let asked = state;
  let ticket = 0;

  const name = (cols) => `(${cols.map((col) => col + origin).join(", ")})`;
  const summary = el("p", { class: "says", role: "status", "aria-live": "polite" });
  const gallery = el("ul", { class: "gallery" });
  const detail = el("section", { class: "panel detail", "aria-label": "The solution chosen" });
  const trouble = el("p", { class: "trouble", role: "alert" });
  const showing = el("output", {});
  const filter = el("details", { class: "filter" }, el("summary", {}, "Only with queens on certain squares"));

  async function show(change) {
    const mine = ++ticket;
    asked = { ...asked, ...change };
    try {
      const next = await clerk.ask("solutions", { ...asked, many: PAGE });
      if (mine !== ticket) return;
      setText(trouble, "");
      page = next;
      state = asked = { ...asked, n: page.n };
      if (chosen && !passes(chosen)) chosen = null;
    } catch (error) {
      if (mine !== ticket) return;
      asked = state;
      setText(trouble, error.message);
    }
    draw();
  }

  const lastPage = () => Math.max(1, Math.ceil(page.total / PAGE));

  /** Turns some pages from the one on show, or from the one that was asked for and is to come. */
  function turn(number) {
    const from = asked === state ? page.from : Number(asked.from) || 0;
    show({ from: Math.max(0, Math.min(from + number * PAGE, (lastPage() - 1) * PAGE)) });
  }

  /** Whether the filter lets a solution pass. */
  function passes({ cols, class: size }) {
    const on = squares(state).map((queen) => queen.split(".").map(Number));
    return cols.length === page.n && ["any", String(size)].includes(state.class ?? "any") && on.every(([row, col]) => cols[row] === col);
  }

  function choose(cols) {
    chosen = engine.ask("images", { cols: cols.join("-") });
    draw();
  }

  function pick(cols) {
    choose(cols);
    // Where the solution is shown below the list, it is brought into sight.
    if (detail.getBoundingClientRect().top > innerHeight) detail.scrollIntoView();
  }

  const heat = new Heat(module, engine, values, () => keep());

  function keep() {
    write({ n: state.n, kind: state.kind, class: state.class === "any" ? undefined : state.class, queens: state.queens, from: page.from || undefined, cols: chosen?.cols.join("-"), ...heat.values });
  }

  function draw() {
    size.set(page.n);
    kind.set(state.kind ?? "fundamental");
    classes.set(state.class ?? "any");
    keep();
    const filtered = state.queens || (state.class ?? "any") !== "any";
    summary.textContent = page.all === 0
      ? `There is no way to place ${page.n} queens on this board so that none attacks another.`
      : `${plural(page.all, "solution")} in all, ${page.all === 1 ? "which is" : `${grouped(page.fundamental)} of them`} fundamental: one for each class of rotations and reflections.${filtered ? ` ${plural(page.total, "solution passes", "solutions pass")} the filter.` : ""}`;
    if (!chosen && page.items.length > 0) chosen = engine.ask("images", { cols: page.items[0].cols.join("-") });
    drawGallery();
    setText(showing, page.total ? `${grouped(page.from + 1)} to ${grouped(page.from + page.items.length)} of ${grouped(page.total)}` : "none");
    setOff(earlier, page.from === 0);
    setOff(later, page.from + page.items.length >= page.total);
    pages.set(Math.floor(page.from / PAGE) + 1);
    pages.querySelector("input").max = lastPage();
    setText(pages.querySelector("label"), `Page (of ${grouped(lastPage())})`);
    drawFilter();
    drawDetail();
  }

  /** Cards stay where they can, so that the focus stays with them. */
  function drawGallery() {
    const focused = gallery.contains(document.activeElement);
    while (gallery.children.length > page.items.length) gallery.lastChild.remove();
    page.items.forEach((item, at) => {
      const tuple = name(item.cols);
      const current = chosen && item.cols.join() === chosen.cols.join();
      const card = gallery.children[at]?.firstChild ?? el("button", { type: "button", class: "card" });
      if (!card.parentNode) gallery.append(el("li", {}, card));
      card.setAttribute("aria-pressed", current ? "true" : "false");
      card.setAttribute("aria-label", `Solution ${page.from + at + 1}: ${tuple}, class of ${item.class}`);
      card.onclick = () => pick(item.cols);
      if (card.dataset.cols !== item.cols.join() || card.dataset.at !== String(page.from + at)) {
        card.dataset.cols = item.cols.join();
        card.dataset.at = page.from + at;
        card.replaceChildren(thumbnail(item.cols, tuple), el("span", { "aria-hidden": "true" }, el("b", {}, grouped(page.from + at + 1)), ` · class of ${item.class}`));
      }
    });
    if (focused && !gallery.contains(document.activeElement)) (gallery.lastChild?.firstChild ?? pages.querySelector("input")).focus({ preventScroll: true });
  }

  let grid = null;

  function drawFilter() {
    const here = new Set(squares(state));
    const toggle = ([row, col]) => {
      const at = `${row}.${col}`;
      const before = squares(asked);
      // One queen per row: another square of the row replaces the first.
      const rest = before.filter((queen) => !queen.startsWith(`${row}.`));
      show({ queens: (before.includes(at) ? rest : [...rest, at]).join("-") || undefined, from: 0 });
    };
    if (grid?.n !== page.n) {
      grid = new Grid(page.n, origin, {});
      filter.replaceChildren(filter.firstChild, grid.node, button("No squares", () => show({ queens: undefined, from: 0 })));
    }
    Object.assign(grid, { press: toggle, mark: toggle, drag: () => {} });
    if (here.size) filter.open = true;
    grid.show(Array.from({ length: page.n ** 2 }, (_, at) => {
      const [row, col] = [Math.floor(at / page.n), at % page.n];
      const queen = here.has(`${row}.${col}`);
      return { kinds: `${(row + col) % 2 ? "dark" : "light"} ${queen ? "queen given" : "free"}`, words: `row ${row + origin}, column ${col + origin}: ${queen ? "has to hold a queen" : "anything"}`, number: null, share: 0 };
    }), []);
  }

  function drawDetail() {
    if (!chosen) {
      detail.replaceChildren(el("p", {}, "There is nothing to show here."));
      return;
    }
    const cols = chosen.cols.join("-");
    const focused = detail.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    const canonical = chosen.canonical ? "It is the fundamental solution of its class." : `The fundamental solution of its class is ${name(chosen.fundamental)}.`;
    const save = (format, type) => () => {
      const file = engine.ask("picture", { cols, format });
      download(file.name, file.text, type);
      say(`${file.name} is saved.`);
    };
    const csv = async () => {
      const file = await clerk.ask("list", { n: state.n, kind: state.kind, origin });
      download(file.name, file.text, "text/csv");
      say(`${file.name} is saved.`);
    };
    const watch = async () => {
      const found = await clerk.ask("solutions", { n: state.n, kind: "all", queens: chosen.cols.map((col, row) => `${row}.${col}`).join("-") });
      const { index } = found.items[0];
      try {
        await clerk.ask("watch", { n: state.n, solution: index, lane: 1 });
        location.hash = `#watch?n=${state.n}&solution=${index}`;
      } catch {
        say("Watch keeps the beginning of so long a search, and this solution comes later.");
      }
    };
    detail.replaceChildren(
      el("h2", {}, name(chosen.cols)),
      el("div", { class: "picture" }, board(page.n, `Solution ${name(chosen.cols)}`, chosen.cols.map((col, row) => queenAt(row, col)), { origin })),
      el("p", {}, el("strong", {}, `Class of ${chosen.class}. `), chosen.says, " ", canonical),
      el("div", { class: "transport", role: "group", "aria-label": "Open" },
        button("Watch it being found", watch, { class: "main", "data-name": "watch" }),
        el("a", { class: "button plain", href: `#try?n=${state.n}&queens=${chosen.cols.map((col, row) => `${row}.${col}`).join("-")}` }, "Open in Try")),
      el("h3", {}, "Save"),
      el("div", { class: "transport", role: "group", "aria-label": "Download" },
        button("SVG", save("svg", "image/svg+xml")), button("PNG", () => png(engine, cols, say)), button("LaTeX", save("latex", "application/x-tex")), button(state.kind === "all" ? "CSV of all" : "CSV of the fundamental", csv)),
      el("h3", {}, "Its eight images"),
      el("ul", { class: "images" }, chosen.images.map((image) => el("li", { class: image.new ? "" : "again" },
        el("button", { type: "button", class: "card", "data-name": image.name, "aria-label": `${image.name}: ${name(image.cols)}${image.new ? "" : ", an image seen before"}`, onclick: () => choose(image.cols) },
          thumbnail(image.cols, image.name)), el("span", {}, image.new ? image.name : `${image.name} (seen)`)))));
    if (focused) detail.querySelector(`[data-name="${focused}"]`)?.focus({ preventScroll: true });
  }

  const size = numberField("N", { min: 1, max: hello.largest, value: page.n, change: (n) => show({ n, from: 0, queens: undefined }) });
  const kind = chooser("Show", [["fundamental", "fundamental solutions"], ["all", "all solutions"]], state.kind ?? "fundamental", (kind) => show({ kind, from: 0 }));
  const classes = chooser("Class", [["any", "any"], ["8", "of 8: no symmetry"], ["4", "of 4: half turn"], ["2", "of 2: quarter turn"]], state.class ?? "any", (to) => show({ class: to, from: 0 }));
  const pages = numberField("Page", { min: 1, max: 1, value: 1, change: (to) => {
    if (/^\d+$/.test(to)) return show({ from: PAGE * Math.max(0, Math.min(Number(to), lastPage()) - 1) });
    setText(trouble, `The page has to be a whole number from 1 to ${lastPage()}, not “${to}”.`);
    pages.set(Math.floor(page.from / PAGE) + 1);
  } });
  const earlier = button("Earlier", () => turn(-1));
  const later = button("Later", () => turn(1));

  place.append(
    el("h1", {}, "All solutions"),
    el("div", { class: "controls" }, size, kind, classes, trouble),
    summary,
    heat.node,
    el("div", { class: "solutions-grid" },
      el("section", { "aria-label": "Solutions" },
        el("div", { class: "controls pager" }, pages, el("div", { class: "transport" }, earlier, later, showing)),
        filter,
        gallery),
      detail));
  draw();
  return () => heat.end();
}

/** Paints the library's SVG on a canvas and offers it as a PNG. */
async function png(engine, cols, say) {
  const file = engine.ask("picture", { cols, format: "svg", size: 1024 });
  const url = URL.createObjectURL(new Blob([file.text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = el("canvas", { width: 1024, height: 1024 });
    canvas.getContext("2d").drawImage(image, 0, 0, 1024, 1024);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    const name = file.name.replace(/svg$/, "png");
    download(name, blob);
    say(`${name} is saved.`);
  } catch {
    say("This browser could not paint the picture; the SVG holds the same.");
  } finally {
    URL.revokeObjectURL(url);
  }
}
