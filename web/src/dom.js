// Making elements, and nothing else.
//
// Every picture of the page is built from `el` (HTML) and `shape` (SVG). Text always goes
// in as text, never as markup, so whatever a link says cannot become part of the page; and
// there are no style attributes, which the Content-Security-Policy would refuse.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** An HTML element. */
export function el(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An SVG element. */
export function shape(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

const ICONS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6 4.5h4v15H6zM14 4.5h4v15h-4z",
  back: "M17 4.5v15L8 12zM5 4.5h2v15H5z",
  step: "M7 4.5v15l9-7.5zM17 4.5h2v15h-2z",
  restart: "M5 4.5h2.5v15H5zM19 4.5v15L9 12z",
  end: "M5 4.5v15L15 12zM16.5 4.5H19v15h-2.5z",
};

/** A drawn icon; the button that holds it has the words. */
export function icon(name) {
  const path = ICONS[name];
  return shape("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    shape("path", { d: path }));
}

/** A button with words, an icon or both. */
export function button(label, action, { symbol, shown = true, ...rest } = {}) {
  return el("button", { type: "button", onclick: action, "aria-label": shown ? undefined : label, title: shown ? undefined : label, ...rest },
    symbol ? icon(symbol) : null, shown ? el("span", {}, label) : null);
}

let fields = 0;

/** A labelled control. */
export function field(label, control, note) {
  control.id ||= `field-${++fields}`;
  return el("div", { class: "field" }, el("label", { for: control.id }, label), control, note ? el("small", {}, note) : null);
}

/** A number field that reports whole numbers only; what it makes of others is the asker's. */
export function numberField(label, { min, max, value, change }) {
  const input = el("input", { type: "number", min, max, value, step: 1, inputmode: "numeric", onchange: () => change(input.value) });
  const node = field(label, input);
  node.set = (to) => { if (document.activeElement !== input || input.value !== String(to)) input.value = to; };
  return node;
}

/** A list to choose from: pairs of value and words. */
export function chooser(label, options, value, change) {
  const select = el("select", { onchange: () => change(select.value) },
    options.map(([name, words]) => el("option", { value: name, selected: name === value }, words)));
  const node = field(label, select);
  node.set = (to) => { select.value = to; };
  return node;
}

/** Offers a text or a blob as a file. */
export function download(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has taken the address by then; a minute is generous.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A number with thin spaces between its thousands. */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** One word or the other, by number. */
export function plural(count, one, many = `${one}s`) {
  return `${grouped(count)} ${Number(count) === 1 ? one : many}`;
}
