// The room Count: the engines race, each in a worker of its own.
//
// Every racer counts the same boards, one after the other, on its own thread; the chart
// shows the time each board took, on a log scale, where exponential growth is a straight
// line and a better algorithm is a flatter one. No more engines run at a time than there
// are cores, so that none slows another; the rest wait their turn. A race keeps the boards
// it was started with. The numbers come from the engines; this file holds the clock.

import { Helper } from "./engine.js";
import { button, chooser, el, grouped, numberField, plural, setOff, setText } from "./dom.js";
import { Chart } from "./chart.js";

const NONE = "Choose at least one engine.";

/** The last race, shown again in the room later: its lanes and what was said of it. */
let before = null;

export const title = "Count";
export const keys = ["n", "mode", "engines"];
export const range = [1, 20];
export const lasting = ["mode", "engines"];
/** A race goes on when rows and columns count from another number. */
export const withoutSquares = true;

export async function enter(place, values, { module, engine, hello, write }) {
  const largest = Math.max(...hello.engines.map((engine) => engine.largest));
  const cores = Math.max(1, navigator.hardwareConcurrency ?? 2);
  let wanted = engine.ask("race", { n: values.n, mode: values.mode, engines: values.engines });
  let race = null;
  let lanes = [];
  let ticking = null;

  const trouble = el("p", { class: "trouble", role: "alert" });
  const says = el("p", { class: "says", role: "status", "aria-live": "polite" }, "Choose the engines and start the race.");
  const table = el("tbody", {});
  const chart = new Chart(hello.engines.map((engine) => engine.name));
  const boxes = new Map();

  const picks = el("fieldset", { class: "picks" }, el("legend", {}, "Engines, simplest to fastest"),
    hello.engines.map(({ name, summary }) => {
      const box = el("input", { type: "checkbox", id: `engine-${name}`, onchange: () => change({}) });
      box.checked = wanted.engines.includes(name);
      boxes.set(name, box);
      return el("div", { class: "pick" }, box, el("label", { for: box.id }, el("strong", {}, name), " ", el("span", {}, summary)));
    }));

  const chosen = () => hello.engines.map(({ name }) => name).filter((name) => boxes.get(name).checked);

  /** Changes the next race, if the library agrees. */
  function change(to) {
    const engines = chosen().join(".") || "none";
    try {
      wanted = engine.ask("race", { n: wanted.n, mode: wanted.mode, ...to, engines });
      setText(trouble, wanted.engines.length ? "" : NONE);
    } catch (error) {
      setText(trouble, error.message);
    }
    size.set(wanted.n);
    save();
  }

  function save() {
    write({ n: wanted.n, mode: wanted.mode === "climb" ? undefined : wanted.mode, engines: wanted.engines.join(".") || "none" });
  }

  function start() {
    if (chosen().length === 0) return setText(trouble, NONE);
    stop(false);
    race = { ...wanted, engines: chosen() };
    lanes = race.engines.map((name) => new Lane(name, race));
    table.replaceChildren(...lanes.map((lane) => lane.row));
    const boards = race.first < race.n ? `N = ${race.first} to ${race.n}` : `N = ${race.n}`;
    const waiting = lanes.length - cores;
    says.textContent = `${plural(lanes.length, "engine counts", "engines count")} ${boards}.${waiting > 0 ? ` There ${cores === 1 ? "is 1 core" : `are ${cores} cores`} here, so ${cores === 1 ? "one runs" : `${cores} run`} at a time, the fastest first, and the others wait.` : ""}`;
    setOff(startButton, true);
    setOff(cancelButton, false);
    next();
    tick();
  }

  /** Starts waiting engines while a core is free, the fastest first: the simplest may keep a core
   * for days. */
  function next() {
    const running = lanes.filter((lane) => lane.state === "running").length;
    for (const lane of lanes.filter((lane) => lane.state === "waiting").reverse().slice(0, cores - running)) lane.run();
  }

  const busy = () => lanes.some((lane) => lane.state === "running" || lane.state === "waiting");

  function tick() {
    for (const lane of lanes) lane.paint();
    chart.draw(lanes.map((lane) => lane.series()));
    ticking = busy() ? setTimeout(tick, 100) : null;
  }

  function stop(told = true) {
    const running = lanes.filter((lane) => lane.state === "running" || lane.state === "waiting");
    for (const lane of running) lane.cancel();
    clearTimeout(ticking);
    ticking = null;
    setOff(startButton, false);
    setOff(cancelButton, true);
    if (!told) return;
    for (const lane of lanes) lane.paint();
    chart.draw(lanes.map((lane) => lane.series()));
    says.textContent = `Cancelled: ${running.map((lane) => lane.name).join(", ")} had not finished.`;
  }

  function finished() {
    next();
    if (busy()) return;
    setOff(startButton, false);
    setOff(cancelButton, true);
    for (const lane of lanes) lane.paint();
    chart.draw(lanes.map((lane) => lane.series()));
    const done = lanes.filter((lane) => lane.points.has(race.n));
    const counts = new Set(done.map((lane) => lane.count));
    if (done.length === 0) {
      says.textContent = "The race broke off.";
    } else {
      const fastest = done.reduce((a, b) => (a.points.get(race.n) < b.points.get(race.n) ? a : b));
      const agree = counts.size === 1
        ? `${done.length > 1 ? "All agree: " : ""}N = ${race.n} has ${plural(done[0].count, "solution")}.`
        : "The engines disagree, which is a fault of this program.";
      says.textContent = `${agree} ${done.length > 1 ? `Fastest: ${fastest.name}, ${time(fastest.points.get(race.n))}.` : `It took ${fastest.name} ${time(fastest.points.get(race.n))}.`}`;
    }
  }

  class Lane {
    constructor(name, race) {
      this.name = name;
      this.race = race;
      this.helper = new Helper(module);
      this.points = new Map();
      this.count = null;
      this.state = "waiting";
      this.note = "";
      this.bar = el("progress", { max: 1, value: 0, "aria-label": `Progress of ${name}` });
      this.cells = { n: el("td", {}), count: el("td", { class: "number" }), time: el("td", { class: "number" }) };
      this.row = el("tr", { "data-engine": name }, el("th", { scope: "row" }, chart.key(name), name), this.cells.n, el("td", {}, this.bar), this.cells.count, this.cells.time);
    }

    async run() {
      this.state = "running";
      try {
        for (let n = this.race.first; n <= this.race.n; n++) {
          this.n = n;
          this.since = performance.now();
          this.bar.value = 0;
          const { answer, milliseconds } = await this.helper.ask("count", { n, engine: this.name }, (share) => { this.bar.value = share; });
          this.points.set(n, milliseconds);
          this.count = answer.count;
          this.bar.value = 1;
        }
      } catch (error) {
        this.note = error.message;
      }
      this.state = "done";
      this.helper.end();
      finished();
    }

    cancel() {
      this.helper.end();
      this.state = "done";
      this.note = "cancelled";
    }

    paint() {
      const done = this.points.get(this.n);
      const running = this.state === "running" && done === undefined;
      setText(this.cells.n, String(this.n ?? ""));
      setText(this.cells.count, this.note || (this.state === "waiting" ? "waits" : running ? "…" : grouped(this.count ?? "")));
      setText(this.cells.time, done !== undefined ? time(done) : running ? `${time(performance.now() - this.since)} …` : "");
    }

    series() {
      const running = this.state !== "running" || this.points.has(this.n) ? null : [this.n, performance.now() - this.since];
      return { name: this.name, points: [...this.points], running };
    }
  }

  const size = numberField("N", { min: 1, max: largest, value: wanted.n, change: (n) => change({ n }) });
  const mode = chooser("Boards", [["climb", "climb up to N"], ["one", "N alone"]], wanted.mode, (mode) => change({ mode }));
  const startButton = button("Start the race", start, { class: "main", symbol: "play" });
  const cancelButton = button("Cancel", () => stop(), {});
  setOff(cancelButton, true);

  const [heads, ...costs] = hello.costs;
  place.append(
    el("h1", {}, "Count, and race"),
    el("p", { class: "about" }, "The engines of the command queens count, here on one thread each. On a log scale exponential growth is a straight line; two-colour counts black and white queens apart, and its line is flatter."),
    el("div", { class: "controls" }, size, mode, el("div", { class: "transport" }, startButton, cancelButton), trouble),
    says,
    el("div", { class: "count-grid" },
      el("section", { class: "panel" }, el("h2", {}, "Time per board"), chart.node),
      el("div", { class: "side" },
        el("div", { class: "scroll", role: "group", "aria-label": "Race table", tabindex: 0 }, el("table", { class: "race" },
          el("caption", {}, "The race"),
          el("thead", {}, el("tr", {}, ["engine", "N", "progress", "solutions", "time"].map((name) => el("th", { scope: "col" }, name)))),
          table)),
        picks)),
    el("details", { class: "costs" }, el("summary", {}, "What each board costs"),
      el("p", { class: "about" }, "The boards of the course documents on n by n squares. The lecture asks: n² space and O(n) time for each update, can we improve? Less space is not always less work."),
      el("div", { class: "scroll", role: "group", "aria-label": "Costs", tabindex: 0 }, el("table", {},
        el("thead", {}, el("tr", {}, heads.map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, costs.map(([name, ...cells]) => el("tr", {}, el("th", { scope: "row" }, name), cells.map((text) => el("td", {}, text)))))))));
  // The chart is drawn once it has a place, and with it a width.
  place.addEventListener("placed", () => chart.draw(lanes.map((lane) => lane.series())));
  // A race that a link describes is kept. The usual one leaves the size of other rooms as it is.
  if (Object.keys(values).length) save();
  if (before) {
    ({ race, lanes } = before);
    table.replaceChildren(...lanes.map((lane) => lane.row));
    says.textContent = before.said;
  }
  return () => {
    stop(busy());
    if (race) before = { race, lanes, said: says.textContent };
  };
}

/** A time in the unit that suits it. */
function time(milliseconds) {
  if (milliseconds < 1) return `${(milliseconds * 1000).toFixed(0)} µs`;
  if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
}
