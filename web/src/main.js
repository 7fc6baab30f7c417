// The page: rooms, links, messages.
//
// The address holds the state. A room reads it when it is entered and writes it as it
// changes, so the address can be copied at any moment and leads back to it. What a link
// says is judged by the library, through the same question that draws the picture; where
// it is refused, the reason is shown and a way out offered.

import { BrokeOff, Clerk, Engine, EngineError, load } from "./engine.js";
import { button, el } from "./dom.js";
import { installShapes } from "./board.js";
import { Memory, readLink, writeLink } from "./links.js";
import { origin, setOrigin, viewTools } from "./view.js";
import * as start from "./start.js";
import * as tour from "./tour.js";
import * as watch from "./watch.js";
import * as attempt from "./try.js";
import * as solutions from "./solutions.js";
import * as count from "./count.js";
import * as colours from "./colours.js";

const ROOMS = new Map([
  ["start", start],
  ["tour", tour],
  ["watch", watch],
  ["try", attempt],
  ["solutions", solutions],
  ["count", count],
  ["colours", colours],
]);

const place = document.getElementById("room");
const toast = document.getElementById("toast");
const root = document.documentElement;
const memory = new Memory();

function say(text) {
  toast.textContent = text;
  toast.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => toast.classList.remove("shown"), 3000);
}

/** Fills the page with a message instead of a room. */
function notice(title, text, actions = []) {
  document.title = `${title} · Queens`;
  delete root.dataset.fills;
  place.replaceChildren(el("section", { class: "notice", role: "alert" },
    el("h1", {}, title), el("p", {}, text), el("p", { class: "actions" }, actions)));
}

let leave = null;
let turn = 0;
/** The link to what is shown, and the address as it was last seen or written. */
let link = null;
let address = null;
let current = "start";

/** Writes the link into the address bar, unless somebody has just gone elsewhere. */
function writeAddress() {
  if (location.hash !== address || link === address) return;
  history.replaceState(null, "", link);
  link = address = location.hash;
  showRooms();
}

async function enter(context, focus) {
  const mine = ++turn;
  leave?.();
  leave = null;
  link = address = location.hash;
  let target;
  let pending = null;
  try {
    target = readLink(location.hash, ROOMS);
    const room = ROOMS.get(target.room);
    current = target.room;
    showRooms();
    const { origin: said, ...values } = target.values;
    if (said === "0" || said === "1") setOrigin(said);
    else if (said !== undefined) throw new EngineError(`Rows and columns count from 0 or from 1, not from “${said}”.`);
    memory.enter(target.room, room, values);
    // The first change is written at once, so that it is there when somebody comes back. Those that
    // follow are written slowly: browsers refuse more than some changes per second.
    const flush = () => {
      pending = null;
      if (mine !== turn || link === address) return;
      writeAddress();
      pending = setTimeout(flush, 200);
    };
    const write = (values) => {
      if (mine !== turn) return;
      memory.keep(target.room, values);
      const next = writeLink(target.room, { ...values, origin: origin() || undefined });
      if (next === link) return;
      link = next;
      if (pending !== null) return;
      if (leave) flush();
      else pending = setTimeout(flush, 200);
    };
    const fresh = el("div", { class: `room ${target.room}` });
    const end = await room.enter(fresh, values, { ...context, write, say, origin: origin() });
    if (mine !== turn) {
      end?.();
      return;
    }
    document.title = target.room === "start" ? "Queens" : `${room.title} · Queens`;
    if (room.fills) root.dataset.fills = "yes";
    else delete root.dataset.fills;
    place.replaceChildren(fresh);
    leave = () => {
      clearTimeout(pending);
      end?.();
    };
    scrollTo(0, 0);
    fresh.dispatchEvent(new Event("placed"));
  } catch (error) {
    if (mine !== turn) return;
    if (!(error instanceof EngineError)) console.error(error);
    const room = ROOMS.has(target?.room) ? target.room : "start";
    if (error instanceof EngineError && !(error instanceof BrokeOff)) {
      notice("This link cannot be shown", error.message,
        [el("a", { class: "button", href: `#${room}` }, room === "start" ? "To the start" : `Start ${ROOMS.get(room).title} afresh`)]);
    } else {
      notice("This room cannot be shown", error instanceof BrokeOff ? error.message : "Something on this page went wrong.",
        [button("Try again", () => enter(context, true), { class: "main" })]);
    }
    scrollTo(0, 0);
  }
  // A room may have given the focus to one of its controls.
  if (focus && !place.contains(document.activeElement)) place.focus({ preventScroll: true });
}

// A worker may fail while no room waits for its answer with words of its own.
addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof EngineError)) return;
  event.preventDefault();
  say(event.reason.message);
});

const tabs = new Map();

/** Marks the room and points every tab at what its room last showed. */
function showRooms() {
  const nav = document.getElementById("rooms");
  if (tabs.size === 0) {
    for (const [name, room] of ROOMS) {
      if (name === "start") continue;
      const tab = el("a", { href: `#${name}` }, room.title);
      tabs.set(name, tab);
      nav.append(tab);
    }
  }
  for (const [name, tab] of tabs) {
    tab.setAttribute("href", name === current ? `#${name}` : memory.link(name, ROOMS.get(name)));
    if (name !== current) tab.removeAttribute("aria-current");
    else if (tab.getAttribute("aria-current") !== "page") {
      tab.setAttribute("aria-current", "page");
      nav.scrollLeft = tab.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2;
    }
  }
}

async function share() {
  writeAddress();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link to this moment is copied.");
  } catch {
    say("Copying is not allowed here; the address bar holds the link.");
  }
}

async function begin() {
  if (new URLSearchParams(location.search).has("embed")) {
    root.dataset.embed = "yes";
    // A frame is small, so the same moment can be opened in a window.
    const out = el("a", { class: "out", target: "_blank", rel: "noopener", href: "./" }, "Open in a window");
    out.addEventListener("click", () => { out.href = `./${link ?? ""}`; });
    document.body.append(out);
  }
  let context = null;
  document.getElementById("tools").append(...viewTools({ share, again: () => {
    // A message instead of a room has no rows and columns.
    if (!context || place.querySelector(".notice")) return;
    const { room, values } = readLink(link, ROOMS);
    const plain = ROOMS.get(room).withoutSquares;
    link = writeLink(room, { ...values, origin: plain && origin() ? 1 : undefined });
    history.replaceState(null, "", link);
    address = location.hash;
    if (!plain) enter(context, false);
  } }));
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    place.focus();
  });
  // The link has a whole address, for opening it elsewhere; here the page is already loaded.
  document.getElementById("brand").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    location.hash = "#start";
  });
  // Before a link leads away, its entry in the history gets the last change.
  addEventListener("click", (event) => { if (event.target.closest?.("a")) writeAddress(); }, true);
  showRooms();
  try {
    const module = await load();
    const engine = new Engine(module, { quick: true });
    installShapes(engine);
    context = { engine, module, clerk: new Clerk(module), hello: engine.ask("hello") };
  } catch (error) {
    notice("The page cannot start", `${error.message} The program itself needs no browser: queens play 8 shows the same search in a terminal.`,
      [button("Try again", () => location.reload(), { class: "main" })]);
    return;
  }
  await enter(context, false);
  addEventListener("hashchange", () => {
    if (location.hash !== address) enter(context, true);
  });
  root.dataset.ready = "yes";
  // Keeps the page for reading without a network; where that is not possible, nothing is lost.
  if (isSecureContext && !root.dataset.embed) navigator.serviceWorker?.register("sw.js").catch(() => {});
}

begin();
