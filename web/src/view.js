// How the page looks: theme, the origin of coordinates, lecture mode. Choices are kept
// where the browser allows it.

import { button, chooser, letter, sheet, takesLetters } from "./dom.js";

const root = document.documentElement;

function kept(name, fallback, allowed) {
  try {
    const value = localStorage.getItem(`queens-${name}`);
    return allowed.includes(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(`queens-${name}`, value);
  } catch { /* storage may be forbidden; the page works without it */ }
}

const THEMES = [["auto", "as the system"], ["light", "light"], ["dark", "dark"]];

function setTheme(name) {
  if (name === "auto") delete root.dataset.theme;
  else root.dataset.theme = name;
}

/** Whether rows and columns count from 0 or from 1. */
export const origin = () => Number(kept("origin", "0", ["0", "1"]));

/** Sets the origin that a link was written with. */
export function setOrigin(value) {
  keep("origin", String(value));
}

/** Large type, high contrast, full screen where the browser allows it. */
function lecture(on) {
  if (on) root.dataset.lecture = "yes";
  else delete root.dataset.lecture;
  lectureButton.setAttribute("aria-pressed", String(on));
  dispatchEvent(new Event("resize"));
}

const lectureButton = button("Lecture", toggleLecture, { symbol: "screen", shown: "wide", class: "quiet lecture", title: "Lecture mode: large type, full screen (L)", "aria-pressed": "false" });

async function toggleLecture() {
  const on = root.dataset.lecture === undefined;
  lecture(on);
  try {
    if (on) await root.requestFullscreen();
    else if (document.fullscreenElement) await document.exitFullscreen();
  } catch { /* the large type stays without it */ }
}

/** The buttons of the header. `again` shows the room anew after a change. */
export function viewTools({ share, again }) {
  setTheme(kept("theme", "auto", THEMES.map(([name]) => name)));
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement && root.dataset.lecture) lecture(false);
  });
  addEventListener("keydown", (event) => {
    if (letter(event) !== "l" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (takesLetters(event.target)) return;
    toggleLecture();
  });
  const opener = button("View", () => {}, { symbol: "gear", shown: "wide", class: "quiet" });
  const theme = chooser("Theme", THEMES, kept("theme", "auto", THEMES.map(([name]) => name)), (name) => { setTheme(name); keep("theme", name); });
  const first = chooser("Rows and columns count from", [["0", "0"], ["1", "1"]], String(origin()), (value) => { keep("origin", value); again(); });
  return [
    button("Copy link", share, { symbol: "link", shown: "wide", class: "quiet" }),
    lectureButton,
    opener,
    sheet("View", opener, [theme, first], "view"),
  ];
}
