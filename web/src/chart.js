// A chart of times by board size, on a log scale.
//
// Each engine has a colour and a shape of its own; a point is a board that was counted, a
// hollow one at the end of a dashed line is a count still running. The whole chart is redrawn
// some sixteen times a second; for a hundred shapes, that costs almost nothing.

import { el, shape } from "./dom.js";

const [LEFT, BOTTOM, TOP, RIGHT] = [58, 40, 14, 14];

/** A marker of about 10 by 10 around the origin, by number. */
const MARKERS = [
  "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
  "M-4.5-4.5h9v9h-9z",
  "M0-6 6 5H-6z",
  "M0-6.5 6.5 0 0 6.5-6.5 0z",
  "M0 6-6-5H6z",
  "M-2-6h4v4h4v4H2v4h-4V2h-4v-4h4z",
  "M0-6.5 1.9-2 6.5-1.8 2.9 1.2 4 6 0 3.3-4 6-2.9 1.2-6.5-1.8-1.9-2z",
  "M-6 0-3-5h6l3 5-3 5h-6z",
  "M-6-6h5v5h-5zM1 1h5v5h-5z",
  "M0-6.5C2-2 6.5-3 6.5 1S3 6 0 6-6.5 5-6.5 1-2-2 0-6.5z",
];

export class Chart {
  constructor(names) {
    this.names = names;
    this.picture = shape("svg", { class: "chart", role: "img" });
    this.node = el("div", {}, this.picture);
  }

  look(name) {
    return this.names.indexOf(name) % MARKERS.length;
  }

  /** A sample of an engine's marker, for the table. */
  key(name) {
    const look = this.look(name);
    return shape("svg", { viewBox: "-8 -8 16 16", class: `key series-${look}`, "aria-hidden": "true", focusable: "false" }, shape("path", { d: MARKERS[look], class: "marker" }));
  }

  clear() {
    this.draw([]);
  }

  draw(series) {
    // As wide as its place, so that the words keep their size in a narrow window.
    const width = Math.max(280, Math.min(760, this.node.clientWidth || 640));
    const height = Math.max(260, width * 0.6);
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const points = series.flatMap(({ points, running }) => (running ? [...points, running] : points));
    const sizes = points.map(([n]) => n);
    const least = Math.min(4, ...sizes);
    const most = Math.max(12, ...sizes);
    const times = points.map(([, time]) => Math.max(time, 0.001));
    const bottom = Math.floor(Math.log10(Math.min(0.1, ...times)));
    const top = Math.ceil(Math.log10(Math.max(100, ...times) * 1.05));
    const x = (n) => LEFT + ((n - least) / Math.max(1, most - least)) * (width - LEFT - RIGHT - 20) + 10;
    const y = (time) => height - BOTTOM - ((Math.log10(Math.max(time, 0.001)) - bottom) / (top - bottom)) * (height - BOTTOM - TOP);
    const parts = [];
    for (let power = bottom; power <= top; power++) {
      const at = y(10 ** power);
      parts.push(shape("line", { x1: LEFT, x2: width - RIGHT, y1: at, y2: at, class: "rule" }), shape("text", { x: LEFT - 8, y: at + 4, class: "tick end" }, unit(power)));
    }
    for (let n = least; n <= most; n++) parts.push(shape("text", { x: x(n), y: height - BOTTOM + 20, class: "tick" }, String(n)));
    parts.push(shape("text", { x: (LEFT + width) / 2, y: height - 4, class: "tick" }, "N"));
    for (const { name, points, running } of series) {
      const look = this.look(name);
      const group = shape("g", { class: `series-${look}` });
      if (points.length > 1) group.append(shape("polyline", { points: points.map(([n, time]) => `${x(n)},${y(time)}`).join(" "), class: "line" }));
      if (running) {
        const last = points.at(-1);
        if (last) group.append(shape("line", { x1: x(last[0]), y1: y(last[1]), x2: x(running[0]), y2: y(running[1]), class: "line running" }));
        group.append(shape("path", { d: MARKERS[look], class: "marker hollow", transform: `translate(${x(running[0])} ${y(running[1])})` }));
      }
      for (const [n, time] of points) group.append(shape("path", { d: MARKERS[look], class: "marker", transform: `translate(${x(n)} ${y(time)})` }));
      parts.push(group);
    }
    this.picture.replaceChildren(...parts);
    const done = series.filter(({ points }) => points.length > 0);
    this.picture.setAttribute("aria-label", done.length === 0
      ? "Chart of the time per board on a log scale, empty so far."
      : `Chart of the time per board on a log scale. ${done.map(({ name, points }) => `${name}: N = ${points.at(-1)[0]} in ${points.at(-1)[1].toPrecision(2)} milliseconds`).join("; ")}. The table holds the numbers.`);
  }
}

function unit(power) {
  if (power < 0) return `${10 ** (power + 3)} µs`;
  if (power < 3) return `${10 ** power} ms`;
  return `${10 ** (power - 3)} s`;
}
