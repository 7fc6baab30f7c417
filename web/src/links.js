// Links: the address holds the state, and every room keeps its own.
//
// `#watch?n=8&style=bits&at=120` is a room and its values. What a room last showed is kept
// for each size of the board, so that going to another room and back finds the queens where
// they were, and a size chosen in one room is the size in the next. A room that has no boards
// of this size shows one of its own, and leaves the size to the others as it is.

import { EngineError } from "./engine.js";

/** Splits an address into a room and its values. */
export function readLink(hash, rooms) {
  const text = hash.replace(/^#\/?/, "");
  if (text === "") return { room: "start", values: {} };
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
    if (Object.hasOwn(values, key)) throw new EngineError(`It sets “${key}” twice.`);
    values[key] = pair.slice(equals + 1);
  }
  if (!rooms.has(room)) throw new EngineError(`There is no room called “${room}”.`);
  const { title, keys } = rooms.get(room);
  const unknown = Object.keys(values).find((key) => key !== "origin" && !keys.includes(key));
  if (unknown !== undefined) {
    throw new EngineError(`It sets “${unknown}”, but the room ${title} has ${keys.length ? `only ${keys.join(", ")} and origin` : "nothing to set but origin"}.`);
  }
  return { room, values };
}

export function writeLink(room, values) {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return `#${room}${pairs.length ? "?" : ""}${pairs.map(([key, value]) => `${key}=${value}`).join("&")}`;
}

const KEY = "queens-rooms";

/** What the rooms last showed. It lasts as long as the tab, reloading included. */
export class Memory {
  constructor() {
    this.n = null;
    this.rooms = {};
    /** The size of a room that cannot take the shared one; `null` until the room says it. */
    this.own = undefined;
    try {
      Object.assign(this, JSON.parse(sessionStorage.getItem(KEY) ?? "{}"));
    } catch { /* storage may be forbidden; the page works without it */ }
  }

  /** Hears of the link by which a room is entered. */
  enter(room, { range }, values) {
    const stands = range && this.n !== null && !this.fits(range) && (values.n === undefined || writeLink(room, values) === this.link(room, { range }));
    this.own = stands ? values.n ?? null : undefined;
  }

  keep(room, values) {
    if (this.own === null) this.own = values.n;
    // Once the visitor chooses another size, it is the size of all rooms.
    if (values.n !== undefined && Number(values.n) !== Number(this.own)) {
      this.n = Number(values.n);
      this.own = undefined;
    }
    this.rooms[room] = { ...this.rooms[room], [values.n ?? ""]: values, last: values };
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ n: this.n, rooms: this.rooms }));
    } catch { /* as above */ }
  }

  fits(range) {
    return this.n !== null && this.n >= range[0] && this.n <= range[1];
  }

  /** The link that leads back into a room; on a board that is new to it, with the choices that
   * hold for every board. */
  link(room, { range, lasting = [] }) {
    const { last = {}, [this.n]: here } = this.rooms[room] ?? {};
    if (!range || !this.fits(range)) return writeLink(room, last);
    return writeLink(room, here ?? { n: this.n, ...Object.fromEntries(lasting.map((key) => [key, last[key]])) });
  }
}
