// The room Watch: a search, step by step, forward and back.
//
// The library holds the search and says all there is to show of a moment: how the squares
// look, the sentence, the line of the listing, the calls in progress, the representation's
// own tables and the tree. This file draws that and moves the position, nothing more. So a
// step back is not an undo made here: it is the earlier moment, asked for again.

import { button, chooser, el, field, grouped, numberField } from "./dom.js";
import { board, cross, lineBetween, queenAt, squareAt } from "./board.js";
import { TreeView } from "./tree.js";

export const title = "Watch";

/** Steps per second by the position of the speed slider. */
const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60, 200, 1000, 5000];

export function enter(place, values, { engine, hello, write }) {
  const state = { n: values.n ?? "6", style: values.style ?? "box", until: values.until ?? "all", at: values.at ?? "0" };
  let speed = SPEEDS[values.speed] === undefined ? 3 : Number(values.speed);
  // Asked before anything is drawn, so that a bad link draws nothing.
  let moment = engine.ask("watch", state);
  let tree = null;
  let playing = null;

  const picture = el("div", { class: "picture" });
  const says = el("p", { class: "says", role: "status", "aria-live": "polite" });
  const tuple = el("p", { class: "tuple" });
  const code = el("ol", { class: "code" });
  const stack = el("ol", { class: "stack" });
  const tables = el("div", { class: "tables" });
  const treePlace = el("div", { class: "tree-place" });
  const stats = el("dl", { class: "stats" });
  const about = el("p", { class: "about" });
  const trouble = el("p", { class: "trouble", role: "alert" });
  const part = el("p", { class: "part" });

  /** Asks for a moment and shows it; a refusal is told and leaves everything as it was. */
  function show(change, quiet = false) {
    const wanted = { ...state, ...change };
    try {
      moment = engine.ask("watch", wanted);
    } catch (error) {
      trouble.textContent = error.message;
      draw(quiet);
      return;
    }
    trouble.textContent = "";
    delete wanted.go;
    Object.assign(state, wanted, { n: String(moment.n), at: String(moment.at) });
    if (change.go && !moment.moved) {
      trouble.textContent = change.go === "solution" ? "No solution follows." : "No dead end follows.";
    }
    draw(quiet);
    write({ n: state.n, style: state.style, until: state.until === "all" ? undefined : state.until, at: state.at, speed: speed === 3 ? undefined : speed });
  }

  function draw(quiet = false) {
    const style = hello.styles.find((style) => style.name === moment.style);
    size.set(moment.n);
    algorithm.set(moment.style);
    until.set(state.until);
    drawBoard();
    // While the search plays, a screen reader is not made to read every step.
    says.setAttribute("aria-live", quiet ? "off" : "polite");
    says.textContent = moment.says;
    says.dataset.event = moment.event;
    tuple.textContent = moment.tuple;
    about.replaceChildren(el("strong", {}, style.title), ` — ${style.about.replace("-k", "−k")}. From: ${style.source}.`);
    if (code.dataset.style !== style.name) {
      code.dataset.style = style.name;
      code.replaceChildren(...style.code.map((line) => el("li", {}, el("code", {}, line))));
    }
    [...code.children].forEach((line, at) => {
      if (at === moment.line) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
    stack.replaceChildren(...moment.stack.map((call) => el("li", {}, el("code", {}, call))));
    depth.textContent = String(moment.stack.length);
    drawTables();
    if (tree?.n !== moment.n) {
      tree = new TreeView(engine, moment.n);
      treePlace.replaceChildren(tree.node);
    }
    tree.show(moment);
    const counts = [["squares tried", moment.stats.tried], ["queens placed", moment.stats.placements], ["dead ends", moment.stats.deadEnds], ["queens undone", moment.stats.undos], ["solutions", moment.stats.solutions]];
    stats.replaceChildren(...counts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, grouped(value)))));
    scrub.max = moment.length;
    scrub.value = moment.at;
    scrub.setAttribute("aria-valuetext", `step ${moment.at} of ${moment.length}: ${moment.says}`);
    position.textContent = `step ${grouped(moment.at)} of ${grouped(moment.length)}`;
    part.textContent = moment.part ? `These are the first ${grouped(moment.length)} steps; the whole search is longer.` : "";
    backButton.disabled = startButton.disabled = moment.at === 0;
    stepButton.disabled = endButton.disabled = moment.at === moment.length;
  }

  function drawBoard() {
    const n = moment.n;
    const under = [];
    const over = [];
    [...moment.cells].forEach((cell, at) => {
      const [row, col] = [Math.floor(at / n), at % n];
      if (cell === "a") under.push(squareAt(row, col, "attacked"));
      if (cell === "T") under.push(squareAt(row, col, "tried", 0.06));
      if (cell === "R") {
        under.push(squareAt(row, col, "refused", 0.06));
        over.push(cross(row, col));
      }
      if (cell === "Q") over.push(queenAt(row, col));
      if (cell === "C") over.push(queenAt(row, col, "culprit"));
    });
    if (moment.event === "dead-end") under.push(...Array.from({ length: n }, (_, col) => squareAt(moment.depth, col, "dead", 0.06)));
    const line = moment.attack ? [lineBetween(moment.attack.first, moment.attack.second, "attack-edge"), lineBetween(moment.attack.first, moment.attack.second, "attack")] : [];
    const kind = moment.event === "solution" ? "solved" : "";
    picture.replaceChildren(board(n, `${n} by ${n} board with queens ${moment.tuple}. ${moment.says}.`, [under, line, over], { kind }));
  }

  function drawTables() {
    tables.replaceChildren(...moment.panel.map((table) => {
      const bits = table.rows.some((row) => row.marks.startsWith("b"));
      return el("div", {}, el("p", { class: "caption" }, table.caption), el("div", { class: "scroll", role: "group", "aria-label": table.caption, tabindex: 0 },
        el("table", { class: bits ? "bits" : "cells", "aria-label": table.caption },
          el("thead", {}, el("tr", {}, el("td", {}), table.head.map((name) => el("th", { scope: "col" }, name)))),
          el("tbody", {}, table.rows.map((row) => el("tr", {},
            el("th", { scope: "row" }, row.name),
            row.cells.map((cell, at) => el("td", { class: `mark-${row.marks[at] === "." ? "plain" : row.marks[at]}` }, bits ? bitText(cell) : cell))))))));
    }));
  }

  /** Ones stand out by weight, not by colour alone. */
  function bitText(bits) {
    return [...bits].map((bit) => (bit === "1" ? el("b", {}, "1") : bit));
  }

  function pause() {
    if (playing === null) return;
    cancelAnimationFrame(playing);
    playing = null;
    paintPlay();
  }

  function play() {
    if (moment.at === moment.length) show({ at: "0" });
    let due = 0;
    let last = performance.now();
    const frame = (now) => {
      due += (Math.min(now - last, 250) / 1000) * SPEEDS[speed];
      last = now;
      const steps = Math.floor(due);
      due -= steps;
      if (steps > 0) show({ at: String(Math.min(moment.at + steps, moment.length)) }, true);
      if (moment.at >= moment.length) return pause();
      playing = requestAnimationFrame(frame);
    };
    playing = requestAnimationFrame(frame);
    paintPlay();
  }

  function paintPlay() {
    const fresh = makePlay();
    const focused = document.activeElement === playButton;
    playButton.replaceWith(fresh);
    playButton = fresh;
    if (focused) playButton.focus();
  }

  const makePlay = () => (playing === null
    ? button("Play", play, { symbol: "play", class: "main" })
    : button("Pause", pause, { symbol: "pause", class: "main" }));

  const move = (change) => () => {
    pause();
    show(change());
  };
  const to = (at) => String(Math.max(0, Math.min(moment.length, at)));
  const forward = move(() => ({ at: to(moment.at + 1) }));
  const back = move(() => ({ at: to(moment.at - 1) }));
  const home = move(() => ({ at: "0" }));
  const last = move(() => ({ at: to(moment.length) }));
  const deadEnd = move(() => ({ go: "dead-end" }));
  const solution = move(() => ({ go: "solution" }));

  const size = numberField("N", { min: 1, max: hello.largest, value: moment.n, change: (n) => { pause(); show({ n, at: "0" }); } });
  const algorithm = chooser("Algorithm", hello.styles.map((style) => [style.name, style.title]), moment.style, (style) => { pause(); show({ style }); });
  const until = chooser("Until", [["all", "all solutions"], ["first", "the first solution"]], state.until, (until) => { pause(); show({ until, at: "0" }); });
  const scrub = el("input", { type: "range", min: 0, max: moment.length, value: moment.at, step: 1, oninput: () => { pause(); show({ at: scrub.value }, true); } });
  const speedSlider = el("input", { type: "range", min: 0, max: SPEEDS.length - 1, value: speed, step: 1, oninput: () => { speed = Number(speedSlider.value); paintSpeed(); show({}, true); } });
  const speedNote = el("output", {});
  const paintSpeed = () => {
    speedNote.textContent = `${SPEEDS[speed]} steps/s`;
    speedSlider.setAttribute("aria-valuetext", speedNote.textContent);
  };
  paintSpeed();
  const position = el("output", { class: "position" });
  const depth = el("span", {});
  const startButton = button("To the start", home, { symbol: "restart", shown: false });
  const backButton = button("Step back", back, { symbol: "back", shown: false });
  const stepButton = button("Step", forward, { symbol: "step", shown: false });
  const endButton = button("To the end", last, { symbol: "end", shown: false });
  let playButton = makePlay();

  const scrubField = field("Moment", scrub);
  scrubField.append(position);
  const speedField = field("Speed", speedSlider);
  speedField.append(speedNote);

  place.append(
    el("h1", {}, "Watch the search"),
    el("div", { class: "controls" }, size, algorithm, until, trouble),
    about,
    el("div", { class: "watch-grid" },
      el("section", { class: "stage", "aria-label": "Board" },
        picture,
        says,
        el("div", { class: "transport", role: "group", "aria-label": "Steps" }, startButton, backButton, playButton, stepButton, endButton),
        el("div", { class: "transport", role: "group", "aria-label": "Jumps" }, button("Next dead end", deadEnd), button("Next solution", solution)),
        el("div", { class: "sliders" }, scrubField, speedField),
        part),
      el("div", { class: "side" },
        el("section", { class: "panel state" }, el("h2", {}, "Tuple"), tuple, stats),
        el("section", { class: "panel remember" }, el("h2", {}, "What the program remembers"), tables),
        el("div", { class: "pair" },
          el("section", { class: "panel listing" }, el("h2", {}, "Code"), code),
          el("section", { class: "panel calls" }, el("h2", {}, "Call stack, depth ", depth), stack))),
      el("section", { class: "panel wide" }, el("h2", {}, "Search tree"), treePlace)),
    el("p", { class: "keys" }, el("kbd", {}, "Space"), " play or pause, ", el("kbd", {}, "←"), " ", el("kbd", {}, "→"), " step, ", el("kbd", {}, "D"), " next dead end, ", el("kbd", {}, "S"), " next solution, ", el("kbd", {}, "Home"), " ", el("kbd", {}, "End"), " start and end."));
  draw();

  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const tag = event.target.tagName;
    if (tag === "INPUT" || tag === "SELECT" || tag === "TEXTAREA" || event.target.closest?.(".scroll")) return;
    if (event.key === " " && (tag === "BUTTON" || tag === "A")) return;
    const action = { " ": () => (playing === null ? play() : pause()), ArrowRight: forward, ArrowLeft: back, d: deadEnd, s: solution, Home: home, End: last }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  addEventListener("keydown", keys);
  return () => {
    pause();
    removeEventListener("keydown", keys);
  };
}
