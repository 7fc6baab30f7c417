// The guided tour: seven steps from the rule to the bit vectors.
//
// A step is a moment of a search, a few sentences and a question. The moment is found by
// the library (“on to the next dead end”), and so is the answer: what really comes next.
// Then the search plays on to it. A teacher runs the tour with the arrow keys.

import { button, el, setOff } from "./dom.js";
import { SearchBoard } from "./board.js";
import { Memory, Sentence, Tallies } from "./panes.js";
import { Player } from "./player.js";
import { TreeView } from "./tree.js";

export const title = "Tour";
export const keys = ["step"];
export const fills = true;

const STEPS = [
  {
    name: "The rule",
    text: [
      "A queen attacks along her row, her column and both diagonals, as far as the board goes.",
      "Four queens are to stand on this board, and none may attack another. So every row holds exactly one, and we can go down row by row.",
      "The first queen takes the first square. Every square she attacks further down is hatched.",
    ],
    goes: ["place"],
    asks: "place",
    question: () => "Row by row, from left to right: where will the second queen stand?",
  },
  {
    name: "The first queens",
    text: [
      "The program tries the squares of the next row from left to right. A square that is attacked is refused; a line shows who attacks it.",
      "The first free square is taken at once. The program does not look ahead.",
    ],
    goes: ["place", "place"],
    asks: "turn",
    question: () => "Two queens stand. What happens next?",
  },
  {
    name: "The dead end",
    text: [
      "Every square of this row is attacked. No third queen fits, whatever we do below.",
      "That is a dead end: the two queens above cannot both stay where they are.",
    ],
    goes: ["dead-end"],
    asks: "turn",
    question: () => "The program is stuck. What happens next?",
  },
  {
    name: "Going back",
    text: [
      "It takes the last queen back and goes on where it left off: with the next square of her row.",
      "This is backtracking. Nothing is forgotten and nothing is tried twice.",
    ],
    goes: ["undo"],
    asks: "place",
    question: () => "Where will she stand now?",
  },
  {
    name: "The first solution",
    text: [
      "After a few more dead ends all four rows are filled, and nobody attacks anybody.",
      "The program reports the solution and goes on as if it were a dead end, because there may be more.",
    ],
    goes: ["solution"],
    side: "tree",
    asks: "turn",
    question: () => "Four queens stand in peace. What happens next?",
  },
  {
    name: "The tree",
    text: [
      "Every board that ever stood is a node; below it are the boards with one queen more. The search walks the tree from left to right.",
      "Dead ends carry a cross, solutions a ring. Click a node to go to its moment.",
    ],
    goes: ["solution", "solution"],
    side: "tree",
    asks: "turn",
    question: () => "This is the second solution for N = 4. Is there a third? What happens next?",
  },
  {
    name: "Bit vectors",
    text: [
      "A row can be one number, with a bit for every column. Three such numbers hold the attacked squares: down, left and right.",
      "One expression gives all free squares at once. For the next row, left and right move by one place: that is all the geometry there is.",
    ],
    style: "bits",
    goes: ["place", "place", "place"],
    side: "memory",
    asks: "turn",
    question: (origin) => `Look at the possible set of row ${2 + origin}. What happens next?`,
  },
];

const TURNS = [["place", "A queen is placed"], ["dead-end", "A dead end"], ["undo", "A queen is taken back"], ["solution", "A solution"]];

export async function enter(place, values, { engine, clerk, write, origin }) {
  // The library judges the number, as it judges every other.
  const at = engine.ask("step", { step: values.step }).step;
  const step = STEPS[at - 1];
  const board = new SearchBoard(4, origin);
  const sentence = new Sentence();
  const tallies = new Tallies();
  const memory = new Memory();
  const tree = new TreeView(clerk, { n: 4, origin, jump: (raw) => { player.pause(); player.go({ raw }); } });
  let stop = null;
  const player = new Player(clerk, { n: 4, style: step.style ?? "tuple", origin }, {
    speed: 2,
    show: (moment, quietly, motion) => {
      board.show(moment, motion);
      sentence.show(moment, quietly);
      tallies.show(moment);
      if (step.side === "memory") memory.show(moment);
      if (step.side === "tree") tree.show(moment);
      if (stop !== null && moment.at >= stop) {
        stop = null;
        player.pause();
      }
    },
  });

  const verdict = el("p", { class: "verdict", role: "status", "aria-live": "polite" });
  const answers = el("div", { class: "answers", role: "group", "aria-label": "Your answer" });

  /** What really comes next, from the library. */
  let truth = null;

  async function judge(given, chosen) {
    for (const node of answers.children) {
      node.setAttribute("aria-pressed", node === chosen ? "true" : "false");
      node.classList.toggle("right", node === chosen && given === truth.answer);
    }
    const right = given === truth.answer;
    verdict.dataset.right = right;
    verdict.textContent = `${right ? "Right." : "Not quite."} ${truth.says}`;
    verdict.scrollIntoView({ block: "nearest" });
    // The search plays on to the answer once.
    if (player.moment.at >= truth.at) return;
    stop = truth.at;
    player.play();
  }

  async function question() {
    truth = null;
    const next = await clerk.ask("watch", { ...player.values, go: step.asks, lane: 1 });
    truth = { at: next.at, says: next.says, answer: step.asks === "place" ? next.square.join() : next.event };
    const row = step.asks === "place" ? next.square[0] : null;
    answers.replaceChildren(...(step.asks === "place"
      ? [0, 1, 2, 3].map((col) => { const node = button(`Column ${col + origin}`, () => judge(`${row},${col}`, node)); return node; })
      : TURNS.map(([event, words]) => { const node = button(words, () => judge(event, node)); return node; })));
    board.node.onclick = step.asks !== "place" ? null : (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.node.getScreenCTM().inverse());
      const [r, c] = [Math.floor(point.y), Math.floor(point.x)];
      if (r >= 0 && r < 4 && c >= 0 && c < 4) judge(`${r},${c}`, r === row ? answers.children[c] : null);
    };
  }

  await tree.open();
  await player.go({ at: 0 });
  for (const go of step.goes) await player.go({ go });
  await question();
  if (truth.answer === "dead-end" && player.moment.event === "place") truth.says = `${truth.says} Every square of the row is attacked.`;

  const link = (to) => `#tour?step=${to}`;
  const back = el("a", { class: "button plain", href: link(at - 1), "aria-label": "Step back in the tour" }, "Back");
  const on = at < STEPS.length
    ? el("a", { class: "button", href: link(at + 1) }, el("span", {}, "Next", el("span", { class: "words" }, `: ${STEPS[at].name.toLowerCase()}`)))
    : el("a", { class: "button", href: "#watch?n=6&style=bits" }, el("span", {}, "Watch", el("span", { class: "words" }, " a search")));
  place.append(
    el("div", { class: "tour-board" }, el("div", { class: "picture" }, board.node), sentence.node),
    el("div", { class: "tour-words" },
      el("p", { class: "count-line" }, `Step ${at} of ${STEPS.length}`),
      el("h1", {}, step.name),
      step.text.map((text) => el("p", {}, text)),
      step.side === "tree" ? el("div", { class: "panel tour-side" }, tree.node) : null,
      step.side === "memory" ? el("div", { class: "panel tour-side" }, memory.node) : null,
      el("section", { class: "quiz", "aria-label": "What happens next?" }, el("h2", {}, step.question(origin)), answers, verdict)),
    el("nav", { class: "dock tour-dock", "aria-label": "Tour" }, at > 1 ? back : el("span", {}),
      el("ol", { class: "dots" }, STEPS.map(({ name }, k) => el("li", {}, el("a", { href: link(k + 1), "aria-label": `Step ${k + 1}: ${name}`, "aria-current": k + 1 === at ? "step" : undefined, title: name }, String(k + 1))))),
      on));
  write({ step: at });

  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (["INPUT", "SELECT"].includes(event.target.tagName) || event.target.closest?.(".scroll")) return;
    const to = { ArrowRight: at + 1, PageDown: at + 1, ArrowLeft: at - 1, PageUp: at - 1 }[event.key];
    if (to === undefined || to < 1 || to > STEPS.length) return;
    event.preventDefault();
    location.hash = link(to);
  };
  addEventListener("keydown", keys);
  setOff(back, at === 1);
  return () => {
    player.end();
    removeEventListener("keydown", keys);
  };
}
