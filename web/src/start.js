// The beginning: what the problem is, in one sentence, and a board that already moves.

import { button, el, relabel, still } from "./dom.js";
import { SearchBoard } from "./board.js";
import { Sentence } from "./panes.js";
import { Player } from "./player.js";
import { today } from "./puzzle.js";

export const title = "Start";
export const keys = [];

const CARDS = [
  ["#watch", "Watch", "Every step of the search, with the program, its memory and its tree."],
  ["#try", "Try", "Place the queens yourself. Hints tell you why."],
  ["#solutions", "Solutions", "All of them, their symmetries, and files to take away."],
  ["#count", "Count", "Engines race up the boards, from the simplest to the fastest."],
  ["#colours", "Two colours", "The idea that counts without ever filling a board."],
];

export async function enter(place, values, { clerk, origin }) {
  const board = new SearchBoard(6, origin, false);
  const sentence = new Sentence();
  const player = new Player(clerk, { n: 6, style: "tuple", origin }, {
    speed: 3,
    show: (moment, quietly, motion) => {
      board.show(moment, motion);
      sentence.show(moment, true);
    },
    changed: () => relabel(pause, player.playing ? "Pause" : "Play", player.playing ? "pause" : "play"),
  });
  const pause = button("Play", () => player.toggle(), { symbol: "play", class: "quiet" });
  place.append(
    el("div", { class: "hero" },
      el("div", { class: "hero-words" },
        el("h1", {}, "Can N queens share a board in peace?"),
        el("p", { class: "lead" }, "Put N queens on an N by N board so that no two share a row, a column or a diagonal."),
        el("p", {}, "On a board of 8 by 8 there are 92 ways. To find them, a program tries squares, runs into dead ends, and takes queens back. Here you can see it think."),
        el("div", { class: "transport" },
          el("a", { class: "button", href: "#tour?step=1" }, "Take the tour"),
          el("a", { class: "button plain", href: "#try?n=6" }, "Try it yourself"),
          el("a", { class: "button plain", href: `#try?day=${today()}` }, "Puzzle of the day"))),
      el("figure", { class: "hero-board" }, el("div", { class: "picture" }, board.node),
        el("figcaption", {}, sentence.node, pause))),
    el("ul", { class: "cards" }, CARDS.map(([href, name, words]) =>
      el("li", {}, el("a", { class: "room-card", href }, el("strong", {}, name), el("span", {}, words))))));
  await player.go(still() ? { go: "solution" } : { at: 0 });
  if (!still()) player.play();
  return () => player.end();
}
