// The page: rooms, links, theme.
//
// The address holds the state: `#watch?n=8&style=bits&at=120` is a room and its values.
// A room reads them when it is entered and writes them as it changes, so the address can
// be copied at any moment and leads back to it. What a link says is judged by the library,
// through the same question that draws the picture; where it is refused, the reason is
// shown and a way out offered.

import { Engine, EngineError, load } from "./engine.js";
import { button, el } from "./dom.js";
import { installShapes } from "./board.js";
import * as watch from "./watch.js";
import * as attempt from "./try.js";
import * as solutions from "./solutions.js";
import * as count from "./count.js";
import * as colours from "./colours.js";

const ROOMS = new Map([
  ["watch", watch],
  ["try", attempt],
  ["solutions", solutions],
  ["count", count],
  ["colours", colours],
]);

const place = document.getElementById("room");
const toast = document.getElementById("toast");

/** Splits an address into a room and its values. */
function readLink(hash) {
  const text = hash.replace(/^#\/?/, "");
  if (text === "") return { room: "watch", values: {} };
  const at = text.indexOf("?");
  const room = at < 0 ? text : text.slice(0, at);
  const values = {};
  let pairs = at < 0 ? "" : text.slice(at + 1);
  try {
    pairs = decodeURIComponent(pairs);
  } catch {
    throw new EngineError("It holds a % that belongs to no character; perhaps it was cut off.");
  }
  for (const pair of pairs.split("&").filter(Boolean)) {
    const equals = pair.indexOf("=");
    if (equals < 1) throw new EngineError(`It says “${pair}”, which sets nothing.`);
    const key = pair.slice(0, equals);
    if (key in values) throw new EngineError(`It sets “${key}” twice.`);
    values[key] = pair.slice(equals + 1);
  }
  if (!ROOMS.has(room)) throw new EngineError(`There is no room called “${room}”.`);
  return { room, values };
}

export function writeLink(room, values) {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  return `#${room}${pairs.length ? "?" : ""}${pairs.map(([key, value]) => `${key}=${value}`).join("&")}`;
}

function say(text) {
  toast.textContent = text;
  toast.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => toast.classList.remove("shown"), 2500);
}

/** Fills the page with a message instead of a room. */
function notice(title, text, actions = []) {
  document.title = `${title} · Queens`;
  place.replaceChildren(el("section", { class: "notice", role: "alert" },
    el("h1", {}, title), el("p", {}, text), el("p", { class: "actions" }, actions)));
}

let leave = null;
/** The link to what is shown, and the address as it was last seen or written. */
let link = null;
let address = null;

/** Writes the link into the address bar, unless somebody has just gone elsewhere. */
function writeAddress() {
  if (location.hash !== address || link === address) return;
  history.replaceState(null, "", link);
  address = location.hash;
}

function enter(context, focus) {
  leave?.();
  leave = null;
  link = address = location.hash;
  let target;
  try {
    target = readLink(location.hash);
    showRooms(target.room);
    const room = ROOMS.get(target.room);
    document.title = `${room.title} · Queens`;
    // Links are written slowly: browsers refuse more than some changes per second.
    let pending = null;
    const write = (values) => {
      const next = writeLink(target.room, values);
      if (next === link) return;
      link = next;
      pending ??= setTimeout(() => {
        pending = null;
        writeAddress();
      }, 200);
    };
    const fresh = el("div", { class: `room ${target.room}` });
    const end = room.enter(fresh, target.values, { ...context, write, say });
    place.replaceChildren(fresh);
    leave = () => {
      clearTimeout(pending);
      end?.();
    };
  } catch (error) {
    if (!(error instanceof EngineError)) console.error(error);
    const room = ROOMS.has(target?.room) ? target.room : "watch";
    notice("This link cannot be shown", error instanceof EngineError ? error.message : "Something on this page went wrong.",
      [el("a", { class: "button", href: `#${room}` }, `Start ${ROOMS.get(room).title} afresh`)]);
  }
  if (focus) place.focus();
}

function showRooms(current) {
  document.getElementById("rooms").replaceChildren(...[...ROOMS].map(([name, room]) =>
    el("a", { href: `#${name}`, "aria-current": name === current ? "page" : undefined }, room.title)));
}

const THEMES = [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]];

/** The theme follows the system until somebody chooses; the choice is kept if it can be. */
function themes() {
  const control = document.getElementById("theme");
  let at = 0;
  const apply = () => {
    const [name, words] = THEMES[at];
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    control.textContent = words;
    control.setAttribute("aria-label", `Theme: ${words}`);
  };
  try {
    at = Math.max(0, THEMES.findIndex(([name]) => name === localStorage.getItem("queens-theme")));
  } catch { /* storage may be forbidden; the page works without it */ }
  apply();
  control.addEventListener("click", () => {
    at = (at + 1) % THEMES.length;
    apply();
    try {
      localStorage.setItem("queens-theme", THEMES[at][0]);
    } catch { /* as above */ }
  });
}

async function start() {
  themes();
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    place.focus();
  });
  document.getElementById("share").addEventListener("click", async () => {
    writeAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      say("The link to this moment is copied.");
    } catch {
      say("Copying is not allowed here; the address bar holds the link.");
    }
  });
  showRooms("watch");
  let context;
  try {
    const module = await load();
    const engine = new Engine(module);
    installShapes(engine);
    context = { engine, module, hello: engine.ask("hello") };
  } catch (error) {
    notice("The page cannot start", `${error.message} The program itself needs no browser: queens play 8 shows the same search in a terminal.`,
      [button("Try again", () => location.reload())]);
    return;
  }
  enter(context, false);
  addEventListener("hashchange", () => {
    if (location.hash !== address) enter(context, true);
  });
  document.documentElement.dataset.ready = "yes";
}

start();
