// The room Watch: a search, step by step, forward and back, in one screen.
//
// The library holds the search and says all there is to show of a moment: how the squares
// look, the sentence, the line of the program, the calls in progress, the representation's
// own tables and the tree. This file puts the panes in their places and moves the position.
// A second search may run beside the first, in lockstep: both are at the same step.

import { EngineError } from "./engine.js";
import { button, chooser, el, field, grouped, letter, numberField, relabel, setOff, setText, sheet } from "./dom.js";
import { SearchBoard } from "./board.js";
import { Calls, Code, Memory, Sentence, Tallies, tabs } from "./panes.js";
import { Player, SPEEDS, USUAL_SPEED } from "./player.js";
import { TreeView } from "./tree.js";
import { saveFilm, savePicture } from "./paint.js";

export const title = "Watch";
export const keys = ["n", "style", "until", "code", "at", "solution", "beside", "speed"];
export const range = [1, 12];
export const lasting = ["style", "until", "beside", "code", "speed"];
export const fills = true;

const LANGUAGES = [["python", "Python"], ["rust", "Rust"], ["c", "C"], ["javascript", "JavaScript"], ["words", "plain words"]];

/** One search on show: a board, its sentence and its counters. */
class Stage {
  constructor(origin) {
    this.origin = origin;
    this.picture = el("div", { class: "picture" });
    this.sentence = new Sentence();
    this.tallies = new Tallies();
    this.name = el("h2", { class: "lane" });
    this.node = el("section", { class: "stage", "aria-label": "Board", tabindex: -1 }, this.name, this.picture, this.sentence.node, this.tallies.node);
  }

  show(moment, quietly, motion) {
    if (this.board?.n !== moment.n) {
      this.board = new SearchBoard(moment.n, this.origin);
      this.picture.replaceChildren(this.board.node);
    }
    this.board.show(moment, motion);
    this.sentence.show(moment, quietly);
    this.tallies.show(moment);
  }
}

export async function enter(place, values, { engine, clerk, hello, write, say, origin }) {
  if (values.speed !== undefined && !(/^\d+$/.test(values.speed) && SPEEDS[values.speed])) throw new EngineError(`The speed has to be a whole number from 0 to ${SPEEDS.length - 1}, not “${values.speed}”.`);
  const asked = { n: values.n, style: values.style ?? "box", until: values.until, code: values.code, origin };
  let language = values.code ?? "python";
  let beside = values.beside ?? "";
  const first = new Stage(origin);
  const second = new Stage(origin);
  second.node.setAttribute("aria-label", "Board beside it");
  const code = new Code(engine);
  const memory = new Memory();
  const calls = new Calls();
  let tree = null;
  let other = null;

  const position = el("output", { class: "position" });
  const part = el("p", { class: "part" });
  const trouble = el("p", { class: "trouble", role: "alert" });
  const about = el("p", { class: "caption about" });
  const treePlace = el("div", { class: "tree-place" });

  const player = new Player(clerk, asked, {
    speed: Number(values.speed ?? USUAL_SPEED),
    show: draw,
    changed: () => {
      if (player.playing) setText(trouble, "");
      relabel(playButton, player.playing ? "Pause" : "Play", player.playing ? "pause" : "play");
      if (!player.playing && player.moment) first.sentence.show(player.moment, false);
    },
  });

  /** Values of the second search, which a link names `beside`: a style, or `first` or `all`. */
  function otherValues() {
    const ends = ["first", "all"].includes(beside);
    return { ...player.values, lane: 1, style: ends ? player.values.style : beside, until: ends ? beside : player.values.until };
  }

  async function show(change, quietly) {
    try {
      const moment = await player.go(change, quietly);
      if (!moment) return;
      setText(trouble, change.go && !moment.moved ? (change.go === "solution" ? "No solution follows." : "No dead end follows.") : "");
    } catch (error) {
      setText(trouble, error.message);
      draw(player.moment, true, false);
    }
  }

  function draw(moment, quietly, motion) {
    const style = hello.styles.find((style) => style.name === moment.style);
    size.set(moment.n);
    algorithm.set(moment.style);
    until.set(player.values.until ?? "all");
    languages.set(language);
    first.show(moment, quietly, motion);
    code.show(moment, language);
    memory.show(moment);
    calls.show(moment);
    if (tree?.n !== moment.n) {
      tree = new TreeView(clerk, { n: moment.n, origin, jump: (raw) => { player.pause(); show({ raw }); } });
      treePlace.replaceChildren(tree.node);
      tree.open();
    }
    tree.show(moment);
    setText(about, `${style.about.replace(/^\w(?=\w)/, (first) => first.toUpperCase()).replace("-k", "−k")}. From ${style.source}.${origin === 1 ? " The program itself counts from 0." : ""}`);
    setText(first.name, beside ? laneName(moment, player.values.until) : "");
    setText(part, moment.part ? `The first ${grouped(moment.length)} steps of a longer search.` : "");
    drawPosition();
    save();
    if (beside) follow(motion);
  }

  /** Where both searches are. */
  function drawPosition() {
    const { at, length, moment } = player;
    scrub.max = length;
    scrub.value = at;
    scrub.setAttribute("aria-valuetext", `step ${at} of ${length}: ${moment.says}`);
    const step = (at) => `step ${grouped(at)} of ${grouped(length)}`;
    setText(position, step(at));
    position.dataset.last = step(length);
    for (const node of [startButton, backButton]) setOff(node, at === 0);
    for (const node of [stepButton, endButton]) setOff(node, at === length);
  }

  /** Shows the second search at the same step. */
  async function follow(motion) {
    const wanted = otherValues();
    const step = player.at;
    const late = () => !beside || player.at !== step || key(otherValues()) !== key(wanted);
    try {
      // The second search may end earlier.
      let moment = other && other.key === key(wanted) ? other : { ...(await clerk.ask("watch", { ...wanted, at: 0 })), key: key(wanted) };
      const at = Math.min(step, moment.length);
      moment = { ...(await clerk.ask("watch", { ...wanted, at })), key: key(wanted) };
      if (late()) return;
      other = moment;
      player.beside = moment.length;
      setText(second.name, laneName(moment, wanted.until));
      second.show(moment, true, motion);
      drawPosition();
    } catch (error) {
      if (!late()) setText(trouble, error.message);
    }
  }

  const key = ({ n, style, until }) => `${n} ${style} ${until}`;
  const laneName = (moment, until) => {
    const { title } = hello.styles.find((style) => style.name === moment.style);
    return `${title}, ${until === "first" ? "the first solution" : "all solutions"}${moment.at === moment.length ? ": over" : ""}`;
  };

  function save() {
    const { n, style, until } = player.values;
    write({ n, style, until: until === "first" ? until : undefined, at: player.at, beside, code: language === "python" ? undefined : language, speed: player.speed === USUAL_SPEED ? undefined : player.speed });
  }

  const move = (change) => () => {
    player.pause();
    return show(typeof change === "function" ? change() : change);
  };
  const clamp = (at) => Math.max(0, Math.min(player.length, at));
  const forward = move(() => ({ at: clamp(player.heading + 1) }));
  const back = move(() => ({ at: clamp(player.heading - 1) }));
  const home = move({ at: 0 });
  const last = move(() => ({ at: player.length }));
  const deadEnd = move({ go: "dead-end" });
  const solution = move({ go: "solution" });

  function choose(pair) {
    beside = pair;
    other = null;
    player.beside = player.ahead = 0;
    place.dataset.beside = beside ? "yes" : "no";
    second.node.hidden = !beside;
    draw(player.moment, true, false);
  }

  const size = numberField("N", { min: 1, max: hello.largest, value: values.n ?? 6, change: (n) => { player.pause(); show({ n, at: 0 }); } });
  // The same moment in another style: the number of events is the same in all styles.
  const algorithm = chooser("Algorithm", hello.styles.map((style) => [style.name, style.title]), asked.style, (style) => { player.pause(); show({ style, ...player.here }); });
  const until = chooser("Until", [["all", "all solutions"], ["first", "the first solution"]], asked.until ?? "all", (until) => { player.pause(); show({ until, at: 0 }); });
  const languages = chooser("Code in", LANGUAGES, language, (to) => { language = to; show({ code: to }); });
  const pairs = chooser("Beside it", [["", "nothing"], ...hello.styles.map((style) => [style.name, style.title]), ["first", "until the first solution"], ["all", "until all solutions"]], beside, choose);
  const speeds = chooser("Speed", SPEEDS.map((speed, at) => [String(at), `${speed === 0.5 ? "½" : grouped(speed)} ${speed <= 1 ? "step" : "steps"}/s`]), String(player.speed), (at) => { player.speed = Number(at); save(); });
  // Its label is hidden where there is no room for it.
  speeds.querySelector("select").setAttribute("aria-label", "Speed");
  const scrub = el("input", { type: "range", min: 0, max: 0, value: 0, step: 1, oninput: () => { player.pause(); show({ at: clamp(Number(scrub.value)) }, true); } });
  const startButton = button("To the start", home, { symbol: "restart", shown: false });
  const backButton = button("Step back", back, { symbol: "back", shown: false });
  const playButton = button("Play", () => player.toggle(), { symbol: "play", class: "main play" });
  const stepButton = button("Step", forward, { symbol: "step", shown: false });
  const endButton = button("To the end", last, { symbol: "end", shown: false });
  const deadButton = button("Next dead end", deadEnd, { symbol: "dead", shown: "wide" });
  const solutionButton = button("Next solution", solution, { symbol: "crown", shown: "wide" });
  const moreButton = button("More", () => {}, { symbol: "more", shown: "wide", class: "more-opener" });
  const film = button("A film", async () => {
    player.pause();
    setOff(film, true);
    try {
      await saveFilm(clerk, player, say);
    } finally {
      setOff(film, false);
    }
  });
  const more = sheet("More choices", moreButton, [until, languages, pairs,
    el("div", { class: "field save-field" }, el("span", { class: "label" }, "Save"), el("div", { class: "transport" },
      button("A picture", () => savePicture(player.moment, origin, say)), film))], "more");

  const panes = [
    ["Code", el("section", { class: "panel listing", "aria-label": "Code" }, el("h2", {}, "Code"), about, code.node)],
    ["Memory", el("section", { class: "panel remember", "aria-label": "Memory" }, el("h2", {}, "What the program remembers"), memory.node)],
    ["Tree", el("section", { class: "panel branches", "aria-label": "Tree" }, el("h2", {}, "Search tree"), treePlace)],
    ["Calls", el("section", { class: "panel calls", "aria-label": "Calls" }, el("h2", {}, "Calls in progress"), calls.node)],
  ];
  const scrubField = field("Moment", scrub, "scrub");
  scrubField.append(position);

  // Asked before anything is drawn, so that a bad link draws nothing.
  const start = { code: language, at: values.at ?? 0 };
  if (values.solution !== undefined) start.solution = values.solution;
  if (beside) {
    const { length } = await clerk.ask("watch", { ...asked, ...start, ...(["first", "all"].includes(beside) ? { until: beside } : { style: beside }), at: 0, lane: 1 });
    player.beside = length;
  }
  place.append(
    el("h1", { class: "hidden" }, "Watch the search"),
    el("div", { class: "bar" }, size, algorithm, moreButton, more, trouble, part),
    el("div", { class: "stages" }, first.node, second.node),
    el("div", { class: "beside" }, tabs(panes), panes.map(([, pane]) => pane)),
    el("div", { class: "dock", role: "group", "aria-label": "Steps" },
      el("div", { class: "transport" }, startButton, backButton, playButton, stepButton, endButton),
      scrubField,
      el("div", { class: "transport jumps" }, deadButton, solutionButton),
      speeds));
  place.dataset.beside = beside ? "yes" : "no";
  second.node.hidden = !beside;
  // The second search may be at a step that the first one does not have.
  if (beside) await player.go({ ...start, at: 0 }, true);
  await player.go(start);

  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const tag = event.target.tagName;
    // The slider has keys of its own, but no letters.
    const own = tag === "INPUT" && (event.target !== scrub || event.key.length > 1);
    if (own || tag === "SELECT" || event.target.closest?.(".sheet")) return;
    if (event.target.closest?.(".scroll") && event.key.startsWith("Arrow")) return;
    if (event.key === " " && (tag === "BUTTON" || tag === "A")) return;
    const action = { " ": () => player.toggle(), ArrowRight: forward, ArrowLeft: back, d: deadEnd, s: solution, Home: home, End: last }[letter(event)];
    if (!action) return;
    event.preventDefault();
    action();
  };
  // After a choice with the mouse, a list gives the keys back to the board.
  const pointed = (event) => { if (event.target.tagName === "SELECT") event.target.dataset.pointed = "yes"; };
  const chosen = (event) => {
    if (event.target.tagName !== "SELECT" || !event.target.dataset.pointed) return;
    delete event.target.dataset.pointed;
    if (!event.target.closest(".sheet:popover-open")) first.node.focus({ preventScroll: true });
  };
  const rest = () => {
    code.rest();
    memory.rest();
    calls.show(player.moment);
  };
  place.addEventListener("placed", rest);
  place.addEventListener("pointerdown", pointed);
  place.addEventListener("change", chosen);
  addEventListener("keydown", keys);
  const resized = () => requestAnimationFrame(rest);
  addEventListener("resize", resized);
  return () => {
    player.end();
    removeEventListener("resize", resized);
    removeEventListener("keydown", keys);
  };
}
