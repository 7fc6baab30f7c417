// The room Try: place the queens yourself, on a board of the library, of a puzzle or of your own
// with given queens and blocked squares.
//
// The library says what attacks what, which queens clash, how many solutions are left, what
// to do next and why, and which queens a puzzle gives. The quick part is asked at once;
// counts and hints are asked in workers, where a new move cancels the question before it.

import { EngineError, Helper } from "./engine.js";
import { button, choice, download, el, grouped, letter, numberField, plural, setOff, setText, still, tick } from "./dom.js";
import { Grid } from "./grid.js";
import { card } from "./paint.js";
import { dayName, today } from "./puzzle.js";

export const title = "Try";
export const keys = ["n", "queens", "given", "blocked", "marks", "numbers", "puzzle", "day"];
export const range = [1, 12];
export const lasting = ["numbers"];

/** For each board and puzzle, when it was begun and how many hints it took. Times run on while
 * the visitor is in other rooms. */
const clocks = new Map();

/** The board that was last left, and its steps back, for coming back to it from another room or
 * after rows and columns begin to count from another number. */
let lastLeft = { board: "", past: [] };

/** Whether the board comes from the field for its size, which keeps the focus. */
let resized = false;

const LINES = {
  row: "in the same row",
  col: "in the same column",
  diag: "on a diagonal that falls to the right",
  anti: "on a diagonal that rises to the right",
};

const key = ([row, col]) => `${row}.${col}`;
const square = (text) => text.split(".").map(Number);
const parse = (text) => (text ? text.split("-") : []);

export async function enter(place, values, { engine, clerk, module, hello, write, say, origin }) {
  if (!["on", undefined].includes(values.numbers)) throw new EngineError(`“numbers” can only be “on”, not “${values.numbers}”.`);
  // A link with a day or a number is a puzzle: its queens are given and stay.
  const puzzle = values.day !== undefined || values.puzzle !== undefined
    ? await clerk.ask("puzzle", { n: values.n, day: values.day, seed: values.puzzle }) : null;
  const n = puzzle ? puzzle.n : engine.ask("try", { n: values.n }).n;
  // All that a step back restores.
  let now = {
    mine: parse(values.queens),
    given: parse(puzzle ? puzzle.given : values.given),
    blocked: parse(puzzle ? "" : values.blocked),
    marks: new Set(parse(values.marks)),
  };
  /** The puzzle with the next number; the smallest board with puzzles is 4 by 4. */
  const another = `#try?n=${Math.max(4, n)}&puzzle=${((puzzle?.seed ?? 0) % 999_999) + 1}`;
  const clock = `${n} ${values.day ?? ""} ${values.puzzle ?? ""}`;
  const board = () => JSON.stringify([clock, now.mine, now.given, now.blocked, [...now.marks]]);
  let seen = look(now);
  // The library checks the crosses as it checks other squares.
  look({ mine: [], given: [], blocked: [...now.marks] });
  const past = lastLeft.board === board() ? lastLeft.past : [];
  let known = null;
  let most = 1;
  let hint = null;
  let grade = 0;
  let won = false;
  let numbers = values.numbers === "on";
  const counter = new Helper(module);
  const adviser = new Helper(module);

  const says = el("p", { class: "says", role: "status", "aria-live": "polite" });
  const left = el("p", { class: "left", role: "status" });
  const pairs = el("ul", { class: "pairs" });
  const trouble = el("p", { class: "trouble", role: "alert" });
  const time = el("span", { class: "clock", role: "timer", "aria-label": "Time" });
  const prize = el("section", { class: "prize", "aria-label": "Solved", hidden: true });
  const party = el("div", { class: "party", "aria-hidden": "true" });

  /** The board as the library is asked about it. */
  function question({ mine, given, blocked }) {
    return { n, given: given.join("-"), blocked: blocked.join("-"), queens: mine.join("-") };
  }

  function look(board) {
    return engine.ask("try", { ...question(board), origin });
  }

  function set(change, remember = true) {
    const next = { ...now, ...change };
    try {
      seen = look(next);
    } catch {
      // The library can refuse nothing else here.
      return setText(says, "Given queens may not attack each other.");
    }
    if (remember) past.push(now);
    now = next;
    known = null;
    hint = null;
    grade = 0;
    if (now.mine.length > 0) begin();
    else clocks.delete(clock);
    paintClock();
    draw();
    count();
    if (seen.solved && !won) celebrate();
    if (!seen.solved) forget();
  }

  /** The attempt on this board; the first queen or the first hint begins it. */
  function begin() {
    if (!clocks.has(clock)) clocks.set(clock, { since: Date.now(), hints: 0 });
    return clocks.get(clock);
  }

  const without = (list, here) => list.filter((at) => at !== here);
  const toggled = (list, here) => (list.includes(here) ? without(list, here) : [...list, here]);
  const holds = (here) => [now.given, now.mine, now.blocked].some((list) => list.includes(here));

  function press(at) {
    const here = key(at);
    const { mine, given, blocked } = now;
    const marks = new Set(without([...now.marks], here));
    if (tool.value() === "cross") mark(at);
    else if (tool.value() === "given") set({ marks, given: toggled(given, here), mine: without(mine, here), blocked: without(blocked, here) });
    else if (tool.value() === "block") set({ marks, blocked: toggled(blocked, here), mine: without(mine, here), given: without(given, here) });
    else if (given.includes(here)) setText(says, "This queen is given and stays.");
    else if (blocked.includes(here)) setText(says, "This square is blocked.");
    else set({ marks, mine: toggled(mine, here) });
  }

  function mark(at) {
    if (holds(key(at))) return;
    past.push(now);
    now = { ...now, marks: new Set(toggled([...now.marks], key(at))) };
    draw();
  }

  function drag(from, to) {
    if (to && holds(key(to))) return draw();
    // A queen dragged off the board is taken away.
    const rest = without(now.mine, key(from));
    set({ mine: to ? [...rest, key(to)] : rest });
    if (to) grid.point(to, true);
  }

  async function count() {
    setText(left, "Counting the solutions that are left …");
    left.dataset.state = "busy";
    const asked = seen;
    try {
      const { answer } = await counter.ask("extend", question(now));
      if (asked !== seen) return;
      known = answer;
      // The scale stays, so that circles shrink as queens take solutions away.
      most = Math.max(most, ...answer.through.filter((_, at) => !seen.queens.some(([row, col]) => row * n + col === at)));
      left.dataset.state = "done";
      left.dataset.solutions = answer.solutions;
      left.replaceChildren(el("strong", {}, grouped(answer.solutions)), ` ${answer.solutions === 1 ? "solution extends" : "solutions extend"} this position.`);
      if (numbers) draw();
    } catch (error) {
      setText(left, error.message);
    }
  }

  /** The first hint says where to look, the second why, the third what to do. */
  async function advise() {
    if (seen.solved) return;
    if (!hint) {
      setText(says, "Thinking …");
      const asked = seen;
      try {
        const { answer } = await adviser.ask("hint", { ...question(now), origin });
        if (asked !== seen) return;
        hint = answer;
      } catch (error) {
        if (asked === seen) setText(says, error.message);
        return;
      }
      begin().hints += 1;
    }
    grade = Math.min(3, grade + 1);
    if (grade === 3 && hint.at) grid.point(hint.at);
    draw();
    setText(says, [hint.look, hint.why, hint.act][grade - 1]);
  }

  function undo() {
    const before = past.pop();
    if (!before) return setText(says, "There is nothing to undo.");
    set(before, false);
  }

  function draw() {
    const { mine, given, blocked, marks } = now;
    const { day, seed } = puzzle ?? {};
    write({ ...question(now), ...(puzzle ? { given: "", day: day || undefined, puzzle: day ? undefined : seed } : {}), marks: [...marks].join("-"), numbers: numbers ? "on" : undefined });
    setOff(undoButton, past.length === 0);
    setOff(clearButton, mine.length + marks.size + (puzzle ? 0 : given.length + blocked.length) === 0);
    const here = new Set([...given, ...mine]);
    const clashing = new Set(seen.pairs.flatMap((pair) => [key(pair.first), key(pair.second)]));
    const squares = [];
    for (let row = 0; row < n; row++) {
      for (let col = 0; col < n; col++) {
        const at = key([row, col]);
        const queen = here.has(at);
        const attackers = seen.attackers[row * n + col];
        const closed = blocked.includes(at);
        const number = numbers && known && !queen && !closed && !attackers ? known.through[row * n + col] : null;
        const hinted = grade === 3 && hint?.at && key(hint.at) === at;
        const kinds = [(row + col) % 2 ? "dark" : "light", queen ? "queen" : closed ? "blocked" : attackers ? "attacked" : "free", given.includes(at) ? "given" : "", clashing.has(at) ? "clash" : "", hinted ? "marked" : "", marks.has(at) ? "noted" : ""];
        const words = [queen ? (given.includes(at) ? "given queen" : "queen") : closed ? "blocked" : attackers ? `attacked by ${attackers}` : "free", clashing.has(at) ? "attacked" : "", marks.has(at) ? "crossed out" : "", number === null ? "" : `${plural(number, "solution")} through it`];
        squares.push({ kinds: kinds.filter(Boolean).join(" "), words: `row ${row + origin}, column ${col + origin}: ${words.filter(Boolean).join(", ")}`, number, share: number === null ? 0 : Math.sqrt(number / most) });
      }
    }
    grid.show(squares, seen.pairs);
    const placed = here.size;
    setText(says, seen.solved
      ? `Solved: ${plural(placed, "queen")}, and none attacks another.`
      : `${plural(placed, "queen")} placed, ${Math.max(0, n - placed)} to go; ${seen.pairs.length ? `${seen.pairs.length === 1 ? "1 pair attacks" : `${seen.pairs.length} pairs attack`} each other` : "no queen attacks another"}.`);
    says.dataset.solved = seen.solved;
    const name = ([row, col]) => `row ${row + origin}, column ${col + origin}`;
    const shown = seen.pairs.slice(0, 4).map((pair) => el("li", {}, `The queens in ${name(pair.first)} and ${name(pair.second)} stand ${LINES[pair.line]}.`));
    if (seen.pairs.length > 4) shown.push(el("li", {}, `And ${plural(seen.pairs.length - 4, "more pair")}.`));
    pairs.replaceChildren(...shown);
  }

  const spent = () => {
    const running = clocks.get(clock);
    return running ? Math.floor(((running.end ?? Date.now()) - running.since) / 1000) : 0;
  };
  const clockText = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const paintClock = () => setText(time, clockText(spent()));

  /** Celebrates a solved board and offers the next one. */
  function celebrate() {
    won = true;
    const running = clocks.get(clock);
    if (running) running.end = Date.now();
    const cols = [...seen.queens].sort((a, b) => a[0] - b[0]).map(([, col]) => col).join("-");
    const family = engine.ask("images", { cols });
    // A board that came solved with a link was not solved here.
    const helped = running && (running.hints === 0 ? "without a hint" : `with ${plural(running.hints, "hint")}`);
    const next = puzzle
      ? el("a", { class: "button", href: another }, "Another puzzle")
      : el("a", { class: "button", href: `#try?n=${n >= hello.largest ? 4 : Math.max(4, n + 1)}` }, `Next: N = ${n >= hello.largest ? 4 : Math.max(4, n + 1)}`);
    prize.replaceChildren(
      el("h2", {}, "Peace at last!"),
      el("p", {}, `${plural(n, "queen")}${running ? ` in ${clockText(spent())}, ${helped}` : ", and none attacks another"}. ${n > 1 ? `Turned and mirrored, this solution makes ${family.class}.` : ""}`),
      el("div", { class: "transport" }, next,
        el("a", { class: "button plain", href: `#solutions?n=${n}&kind=all&cols=${cols}` }, "See its class"),
        button("Share card", () => shareCard(helped))));
    prize.hidden = false;
    place.classList.add("won");
    if (!still()) {
      party.replaceChildren(...Array.from({ length: 22 }, (_, at) => {
        const bit = el("span", { class: `bit bit-${at % 4}` });
        bit.style.setProperty("--x", `${(at * 37) % 100}%`);
        bit.style.setProperty("--turn", `${(at % 2 ? 1 : -1) * (180 + at * 31)}deg`);
        bit.style.setProperty("--wait", `${(at * 53) % 400}ms`);
        return bit;
      }));
      setTimeout(() => party.replaceChildren(), 2600);
    }
  }

  /** Takes away what a solved board showed, once the board is changed. */
  function forget() {
    won = false;
    const running = clocks.get(clock);
    if (running) delete running.end;
    prize.hidden = true;
    party.replaceChildren();
    place.classList.remove("won");
  }

  async function shareCard(helped) {
    // The answer of a puzzle is not given away.
    const shown = puzzle ? now.given.map(square) : seen.queens;
    const what = puzzle ? (puzzle.day ? dayName(puzzle.day) : `Puzzle ${puzzle.seed}`) : `${n} queens, no quarrel`;
    const blob = await card({ n, queens: shown, lines: ["Queens", what, ...(helped ? [`Solved in ${clockText(spent())}`, helped] : [])] });
    const name = `queens-${n}-solved.png`;
    const file = new File([blob], name, { type: "image/png" });
    try {
      if (navigator.canShare?.({ files: [file] })) return await navigator.share({ files: [file], title: "Queens" });
    } catch { /* closed without sharing; the file is offered instead */ }
    download(name, blob, "image/png");
    say(`${name} is saved.`);
  }

  const grid = new Grid(n, origin, { press, mark, drag });
  const size = numberField("N", { min: 1, max: hello.largest, value: n, change: (to) => {
    try {
      engine.ask("try", { n: to });
      resized = true;
      location.hash = `#try?n=${to}`;
    } catch (error) {
      setText(trouble, error.message);
      size.set(n);
    }
  } });
  const undoButton = button("Undo", undo);
  // The first click clears what was placed, the next one what was given.
  const clearButton = button("Clear", () => set(now.mine.length + now.marks.size > 0 || puzzle
    ? { mine: [], marks: new Set() } : { given: [], blocked: [] }));
  const tool = choice("A click sets", [["queen", "a queen"], ["cross", "a cross"], ...(puzzle ? [] : [["given", "a given queen"], ["block", "a block"]])]);
  const heat = tick("Show how many solutions go through each square", numbers, (on) => { numbers = on; draw(); });

  const keys = (event) => {
    if (event.target.tagName === "INPUT" && event.target.type === "number") return;
    const pressed = letter(event);
    if ((event.ctrlKey || event.metaKey) && pressed === "z") {
      event.preventDefault();
      undo();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && (pressed === "h" || pressed === "u")) {
      const inside = grid.grid.contains(document.activeElement);
      if (pressed === "u") undo();
      else advise().then(() => { if (inside && grade === 3) grid.point(grid.focus, true); });
    }
  };
  addEventListener("keydown", keys);
  const ticking = setInterval(paintClock, 500);

  const heading = !puzzle ? "Try it yourself" : puzzle.day ? `Puzzle of ${puzzle.day === today() ? "the day" : dayName(puzzle.day)}` : `Puzzle ${puzzle.seed}`;
  const intro = puzzle
    ? `${now.given.length === 1 ? "The queen with the ring is given and stays" : "The queens with rings are given and stay"}. Add ${plural(n - now.given.length, "queen")}: there is exactly one answer.`
    : "Put a queen in every row so that none attacks another. Hatched squares are attacked; lines join queens that clash. Given queens and blocked squares make a puzzle of your own.";
  place.append(
    el("div", { class: "try-grid" },
      el("div", { class: "try-board" }, grid.node, party),
      el("div", { class: "side" },
        el("h1", {}, heading),
        el("p", { class: "about" }, intro),
        el("div", { class: "controls" }, size, el("div", { class: "transport" }, el("a", { class: "button plain", href: `#try?day=${today()}` }, "Puzzle of the day"), el("a", { class: "button plain", href: another }, "Another puzzle")), trouble),
        el("div", { class: "try-line" }, says, time),
        prize,
        el("div", { class: "transport" }, button("Hint", advise, { class: "main" }), undoButton, clearButton),
        left,
        pairs,
        tool.node, heat,
        el("p", { class: "keys" }, el("kbd", {}, "←↑↓→"), " move, ", el("kbd", {}, "Enter"), " place or take away, ", el("kbd", {}, "X"), " or right click marks, ", el("kbd", {}, "H"), " hint, ", el("kbd", {}, "U"), " undo. Queens can be dragged."))));
  if (resized) place.addEventListener("placed", () => size.querySelector("input").focus());
  resized = false;
  paintClock();
  draw();
  count();
  if (seen.solved) celebrate();
  return () => {
    lastLeft = { board: board(), past };
    counter.end();
    adviser.end();
    clearInterval(ticking);
    removeEventListener("keydown", keys);
  };
}
