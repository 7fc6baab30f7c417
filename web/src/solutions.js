// The room Solutions: all of them, or one per symmetry class, with images and files.
//
// The library makes the list and hands out pages of it; it also says the class of a
// solution, its eight images, and writes the files. Only PNG is made here: the browser
// paints the library's SVG on a canvas.

import { button, chooser, download, el, grouped, numberField, plural } from "./dom.js";
import { board, queenAt, thumbnail } from "./board.js";

export const title = "Solutions";

const PAGE = 24;

export function enter(place, values, { engine, hello, write, say }) {
  const state = { n: values.n ?? "8", kind: values.kind ?? "fundamental", from: values.from ?? "0" };
  let page = engine.ask("solutions", { ...state, many: PAGE });
  let chosen = values.cols ? engine.ask("images", { cols: values.cols }) : null;
  if (chosen && chosen.cols.length !== page.n) chosen = null;

  const summary = el("p", { class: "says", role: "status", "aria-live": "polite" });
  const gallery = el("ul", { class: "gallery" });
  const detail = el("section", { class: "panel detail", "aria-label": "The solution chosen" });
  const trouble = el("p", { class: "trouble", role: "alert" });
  const range = el("output", {});

  function show(change) {
    const wanted = { ...state, ...change };
    let next;
    try {
      next = engine.ask("solutions", { ...wanted, many: PAGE });
    } catch (error) {
      trouble.textContent = error.message;
      size.set(page.n);
      return;
    }
    trouble.textContent = "";
    if (next.n !== page.n) chosen = null;
    page = next;
    Object.assign(state, wanted, { n: String(page.n), from: String(page.from) });
    draw();
  }

  function choose(cols) {
    chosen = engine.ask("images", { cols: cols.join("-") });
    draw();
  }

  function pick(cols, at) {
    choose(cols);
    gallery.children[at].firstChild.focus({ preventScroll: true });
    // Where the solution is shown below the list, it is brought into sight.
    if (detail.getBoundingClientRect().top > innerHeight) detail.scrollIntoView();
  }

  function draw() {
    size.set(page.n);
    kind.set(state.kind);
    write({ n: state.n, kind: state.kind, from: page.from || undefined, cols: chosen?.cols.join("-") });
    summary.textContent = page.all === 0
      ? `There is no way to place ${page.n} queens on this board.`
      : `${plural(page.all, "solution")} in all, ${grouped(page.fundamental)} of them fundamental: one for each class of rotations and reflections.`;
    if (!chosen && page.items.length > 0) chosen = engine.ask("images", { cols: page.items[0].cols.join("-") });
    gallery.replaceChildren(...page.items.map((item, at) => {
      const name = `(${item.cols.join(", ")})`;
      const current = chosen && item.cols.join() === chosen.cols.join();
      return el("li", {}, el("button", { type: "button", class: "card", "aria-pressed": current ? "true" : "false", "aria-label": `Solution ${page.from + at}: ${name}, class of ${item.class}`, onclick: () => pick(item.cols, at) },
        thumbnail(item.cols, name),
        el("span", { "aria-hidden": "true" }, el("b", {}, grouped(page.from + at)), ` · class of ${item.class}`)));
    }));
    range.textContent = page.total ? `${grouped(page.from)} to ${grouped(page.from + page.items.length - 1)} of ${grouped(page.total)}` : "none";
    earlier.disabled = page.from === 0;
    later.disabled = page.from + page.items.length >= page.total;
    drawDetail();
  }

  function drawDetail() {
    if (!chosen) {
      detail.replaceChildren(el("p", {}, "There is nothing to show here."));
      return;
    }
    const cols = chosen.cols.join("-");
    const name = `(${chosen.cols.join(", ")})`;
    const canonical = chosen.canonical ? "It is the fundamental solution of its class." : `The fundamental solution of its class is (${chosen.fundamental.join(", ")}).`;
    const save = (format, type) => () => {
      const file = engine.ask("picture", { cols, format });
      download(file.name, file.text, type);
      say(`${file.name} is saved.`);
    };
    const csv = () => {
      const file = engine.ask("list", { n: state.n, kind: state.kind });
      download(file.name, file.text, "text/csv");
      say(`${file.name} is saved.`);
    };
    detail.replaceChildren(
      el("h2", {}, name),
      el("div", { class: "picture" }, board(page.n, `Solution ${name}`, chosen.cols.map((col, row) => queenAt(row, col)))),
      el("p", {}, el("strong", {}, `Class of ${chosen.class}. `), chosen.says, " ", canonical),
      el("div", { class: "transport", role: "group", "aria-label": "Download" },
        button("SVG", save("svg", "image/svg+xml")), button("PNG", () => png(engine, cols, say)), button("LaTeX", save("latex", "application/x-tex")), button(state.kind === "all" ? "CSV of all" : "CSV of the fundamental", csv)),
      el("h3", {}, "Its eight images"),
      el("ul", { class: "images" }, chosen.images.map((image) => el("li", { class: image.new ? "" : "again" },
        el("button", { type: "button", class: "card", "aria-label": `${image.name}: (${image.cols.join(", ")})${image.new ? "" : ", an image seen before"}`, onclick: () => choose(image.cols) },
          thumbnail(image.cols, image.name)), el("span", {}, image.new ? image.name : `${image.name} (seen)`)))));
  }

  const size = numberField("N", { min: 1, max: hello.largest, value: page.n, change: (n) => show({ n, from: "0" }) });
  const kind = chooser("Show", [["fundamental", "fundamental solutions"], ["all", "all solutions"]], state.kind, (kind) => show({ kind, from: "0" }));
  const earlier = button("Earlier", () => show({ from: String(Math.max(0, page.from - PAGE)) }));
  const later = button("Later", () => show({ from: String(page.from + PAGE) }));

  place.append(
    el("h1", {}, "All solutions"),
    el("div", { class: "controls" }, size, kind, trouble),
    summary,
    el("div", { class: "solutions-grid" },
      el("section", { "aria-label": "Solutions" },
        el("div", { class: "transport" }, earlier, later, range),
        gallery),
      detail));
  draw();
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
