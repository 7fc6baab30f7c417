// The room Count: the engines race, each in a worker of its own.
//
// Every racer counts the same boards, one after the other, on its own thread; the chart
// shows the time each board took, on a log scale, where exponential growth is a straight
// line and a better algorithm is a flatter one. Cancelling ends the workers themselves, so
// it is answered at once. The numbers come from the engines; this file holds the clock.

import { Helper } from "./engine.js";
import { button, chooser, el, grouped, numberField } from "./dom.js";
import { Chart } from "./chart.js";

export const title = "Count";

const FIRST = 4;
const DEFAULT = ["attack-count", "lines", "bitmask", "two-colour"];

export function enter(place, values, { module, engine, hello, write }) {
  const largest = Math.max(...hello.engines.map((engine) => engine.largest));
  // The library judges the link: the smallest board of its first racer is quick to count.
  const racers = (values.engines ?? DEFAULT.join(".")).split(".").filter(Boolean);
  for (const name of racers) engine.ask("count", { n: 1, engine: name });
  const state = { n: checked(values.n ?? "12"), mode: values.mode ?? "climb" };
  let lanes = [];
  let ticking = null;

  function checked(n) {
    // Asks the same question as a race would, but about a board that takes no time.
    if (!/^\d+$/.test(n) || Number(n) < 1 || Number(n) > largest) engine.ask("count", { n: /^\d+$/.test(n) ? Number(n) + largest : n, engine: "bitmask" });
    return Number(n);
  }

  const trouble = el("p", { class: "trouble", role: "alert" });
  const says = el("p", { class: "says", role: "status", "aria-live": "polite" }, "Choose the engines and start the race.");
  const table = el("tbody", {});
  const chart = new Chart(hello.engines.map((engine) => engine.name));
  const boxes = new Map();

  const picks = el("fieldset", { class: "picks" }, el("legend", {}, "Engines, simplest to fastest"),
    hello.engines.map((engine) => {
      const box = el("input", { type: "checkbox", id: `engine-${engine.name}`, onchange: remember });
      box.checked = racers.includes(engine.name);
      boxes.set(engine.name, box);
      return el("div", { class: "pick" }, box, el("label", { for: box.id }, el("strong", {}, engine.name), " ", el("span", {}, engine.summary)));
    }));

  const chosen = () => hello.engines.filter((engine) => boxes.get(engine.name).checked);

  function remember() {
    write({ n: state.n, mode: state.mode === "climb" ? undefined : state.mode, engines: chosen().map((engine) => engine.name).join(".") });
  }

  function start() {
    stop(false);
    const engines = chosen();
    if (engines.length === 0) {
      trouble.textContent = "Choose at least one engine.";
      return;
    }
    trouble.textContent = "";
    chart.clear();
    lanes = engines.map((engine) => new Lane(engine));
    table.replaceChildren(...lanes.map((lane) => lane.row));
    says.textContent = `${lanes.length} engines are counting, N = ${state.mode === "climb" ? `${Math.min(FIRST, state.n)} to ${state.n}` : state.n}.`;
    startButton.disabled = true;
    cancelButton.disabled = false;
    for (const lane of lanes) lane.run();
    tick();
  }

  function tick() {
    for (const lane of lanes) lane.paint();
    chart.draw(lanes.map((lane) => lane.series()));
    ticking = lanes.some((lane) => lane.since !== null) ? setTimeout(tick, 60) : null;
  }

  function stop(told = true) {
    const asked = performance.now();
    const running = lanes.filter((lane) => lane.since !== null);
    for (const lane of running) lane.cancel();
    clearTimeout(ticking);
    ticking = null;
    startButton.disabled = false;
    cancelButton.disabled = true;
    if (!told) return;
    for (const lane of lanes) lane.paint();
    chart.draw(lanes.map((lane) => lane.series()));
    says.textContent = `Cancelled: ${running.map((lane) => lane.engine.name).join(", ")} had not finished.`;
    // How long the answer took, for whoever doubts it.
    says.dataset.answered = (performance.now() - asked).toFixed(1);
  }

  function finished() {
    if (lanes.some((lane) => lane.since !== null)) return;
    startButton.disabled = false;
    const focused = document.activeElement === cancelButton;
    cancelButton.disabled = true;
    if (focused) startButton.focus();
    const last = lanes.filter((lane) => lane.points.has(state.n));
    const counts = new Set(last.map((lane) => lane.count));
    if (last.length === 0) {
      says.textContent = "The race broke off.";
    } else {
      const fastest = last.reduce((a, b) => (a.points.get(state.n) < b.points.get(state.n) ? a : b));
      says.textContent = `${counts.size === 1 ? `All agree: N = ${state.n} has ${grouped(last[0].count)} solutions.` : "The engines disagree, which is a fault of this program."} Fastest: ${fastest.engine.name}, ${time(fastest.points.get(state.n))}.`;
    }
  }

  class Lane {
    constructor(engine) {
      this.engine = engine;
      this.helper = new Helper(module);
      this.points = new Map();
      this.count = null;
      this.since = null;
      this.note = "";
      this.bar = el("progress", { max: 1, value: 0, "aria-label": `Progress of ${engine.name}` });
      this.cells = { n: el("td", {}), count: el("td", { class: "number" }), time: el("td", { class: "number" }) };
      this.row = el("tr", { "data-engine": engine.name }, el("th", { scope: "row" }, chart.key(engine.name), engine.name), this.cells.n, el("td", {}, this.bar), this.cells.count, this.cells.time);
    }

    async run() {
      const first = state.mode === "climb" ? Math.min(FIRST, state.n) : state.n;
      try {
        for (let n = first; n <= state.n; n++) {
          this.n = n;
          this.since = performance.now();
          this.bar.value = 0;
          const { answer, milliseconds } = await this.helper.ask("count", { n, engine: this.engine.name }, (share) => { this.bar.value = share; });
          this.points.set(n, milliseconds);
          this.count = answer.count;
          this.bar.value = 1;
        }
      } catch (error) {
        this.note = error.message;
      }
      this.since = null;
      this.helper.end();
      this.paint();
      finished();
    }

    cancel() {
      this.helper.cancel();
      this.since = null;
      this.note = "cancelled";
    }

    paint() {
      this.cells.n.textContent = this.n ?? "";
      const done = this.points.get(this.n);
      this.cells.count.textContent = this.note || (this.since === null || done !== undefined ? grouped(this.count ?? "") : "…");
      this.cells.time.textContent = done !== undefined ? time(done) : this.since === null ? "" : `${time(performance.now() - this.since)} …`;
    }

    series() {
      const running = this.since === null || this.points.has(this.n) ? null : [this.n, performance.now() - this.since];
      return { name: this.engine.name, points: [...this.points], running };
    }
  }

  const size = numberField("N", { min: 1, max: largest, value: state.n, change: (n) => {
    try {
      state.n = checked(n);
      trouble.textContent = "";
      remember();
    } catch (error) {
      trouble.textContent = error.message;
    }
    size.set(state.n);
  } });
  const mode = chooser("Boards", [["climb", "climb up to N"], ["one", "N alone"]], state.mode, (mode) => { state.mode = mode; remember(); });
  const startButton = button("Start the race", start, { class: "main", symbol: "play" });
  const cancelButton = button("Cancel", () => stop(), {});
  cancelButton.disabled = true;

  place.append(
    el("h1", {}, "Count, and race"),
    el("p", { class: "about" }, "The same engines as in the command queens count, here on one thread each. On a log scale exponential growth is a straight line; two-colour counts black and white queens apart, and its line is flatter."),
    el("div", { class: "controls" }, size, mode, el("div", { class: "transport" }, startButton, cancelButton), trouble),
    says,
    el("div", { class: "count-grid" },
      el("section", { class: "panel" }, el("h2", {}, "Time per board"), chart.node),
      el("div", { class: "side" },
        el("div", { class: "scroll", role: "group", "aria-label": "Race table", tabindex: 0 }, el("table", { class: "race" },
          el("caption", {}, "The race"),
          el("thead", {}, el("tr", {}, ["engine", "N", "progress", "solutions", "time"].map((name) => el("th", { scope: "col" }, name)))),
          table)),
        picks)));
  // The chart is drawn once it has a place, and with it a width.
  requestAnimationFrame(() => chart.draw(lanes.map((lane) => lane.series())));
  return () => stop(false);
}

/** A time in the unit that suits it. */
export function time(milliseconds) {
  if (milliseconds < 1) return `${(milliseconds * 1000).toFixed(0)} µs`;
  if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
}
