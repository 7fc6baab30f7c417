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
  dead: "M5 3.5 12 10.5l7-7 1.5 1.5-7 7 7 7-1.5 1.5-7-7-7 7L3.5 19l7-7-7-7z",
  crown: "M3.5 18h17v2h-17zM4.5 16.5 2.5 6.5 7.5 11 12 4l4.5 7 5-4.5-2 10z",
  link: "M10 6.5H6.5a5.5 5.5 0 0 0 0 11H10v-2.4H6.5a3.1 3.1 0 0 1 0-6.2H10zM14 6.5h3.5a5.5 5.5 0 0 1 0 11H14v-2.4h3.5a3.1 3.1 0 0 0 0-6.2H14zM8 10.8h8v2.4H8z",
  gear: "M4 6.8h9.2a3 3 0 0 1 5.6 0H20v2.4h-1.2a3 3 0 0 1-5.6 0H4zM4 14.8h1.2a3 3 0 0 1 5.6 0H20v2.4h-9.2a3 3 0 0 1-5.6 0H4z",
  more: "M5 10h4v4H5zM10 10h4v4h-4zM15 10h4v4h-4z",
  screen: "M4 4h6v2.4H6.4V10H4zM14 4h6v6h-2.4V6.4H14zM4 14h2.4v3.6H10V20H4zM17.6 14H20v6h-6v-2.4h3.6z",
};

/** A drawn icon; the button that holds it has the words. */
function icon(name) {
  return shape("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    shape("path", { d: ICONS[name] }));
}

/** The key of an event; a letter is the same with Shift or Caps Lock. */
export const letter = ({ key }) => (key.length === 1 ? key.toLowerCase() : key);

const WITHOUT_LETTERS = ["checkbox", "number", "radio", "range"];

/** Whether the control takes letters that are typed there, so that they are no keys of the page. */
export const takesLetters = ({ tagName, type }) => tagName === "SELECT" || tagName === "TEXTAREA" || (tagName === "INPUT" && !WITHOUT_LETTERS.includes(type));

/**
 * A button with words, an icon or both. `shown: false` keeps the words for screen readers
 * and the tooltip; `shown: "wide"` shows them where there is room.
 */
export function button(label, action, { symbol, shown = true, ...rest } = {}) {
  const node = el("button", { type: "button", title: shown === true ? undefined : label, ...rest },
    symbol ? icon(symbol) : null, el("span", { class: shown === true ? "" : shown === "wide" ? "words" : "hidden" }, label));
  node.addEventListener("click", (event) => { if (node.getAttribute("aria-disabled") !== "true") action(event); });
  return node;
}

/** Switches a button off without taking the focus away from it. */
export function setOff(node, off) {
  if (off) node.setAttribute("aria-disabled", "true");
  else node.removeAttribute("aria-disabled");
}

/** Changes the words and the icon of a button and leaves the button where it is. */
export function relabel(node, label, symbol) {
  if (node.lastChild.textContent === label) return;
  node.lastChild.textContent = label;
  if (symbol) node.firstChild.replaceWith(icon(symbol));
  if (node.title) node.title = label;
}

let fields = 0;

/** A labelled control. */
export function field(label, control, kind = "") {
  control.id ||= `field-${++fields}`;
  return el("div", { class: `field ${kind}` }, el("label", { for: control.id }, label), control);
}

/** A number field; `change` judges what is typed. A number that is being typed stays: a value
 * that is set meanwhile shows once the field is left without a change. */
export function numberField(label, { min, max, value, change }) {
  let typing = false;
  let current = value;
  const input = el("input", {
    type: "number", min, max, value, step: 1, inputmode: "numeric",
    oninput: () => { typing = true; },
    onchange: () => { typing = false; change(input.value); },
    onblur: () => { if (typing) { typing = false; node.set(current); } },
  });
  const node = field(label, input);
  node.set = (to) => {
    current = to;
    if (!typing && input.value !== String(to)) input.value = to;
  };
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

/** One of some words, all visible; the first is chosen. */
export function choice(legend, options) {
  const name = `choice-${++fields}`;
  const boxes = options.map(([value], at) => el("input", { type: "radio", name, value, checked: at === 0 }));
  const node = el("fieldset", { class: "choice" }, el("legend", {}, legend),
    options.map(([, words], at) => el("label", {}, boxes[at], words)));
  return { node, value: () => boxes.find((box) => box.checked).value };
}

/** A box to tick. */
export function tick(label, on, change) {
  const box = el("input", { type: "checkbox", id: `field-${++fields}`, onchange: () => change(box.checked) });
  box.checked = on;
  const node = el("p", { class: "check" }, box, el("label", { for: box.id }, label));
  node.box = box;
  return node;
}

/** A sheet that a button opens, and that Escape or a click elsewhere closes. */
export function sheet(label, opener, children, kind = "") {
  const id = `sheet-${++fields}`;
  opener.setAttribute("popovertarget", id);
  opener.setAttribute("aria-haspopup", "dialog");
  const node = el("div", { id, popover: "auto", class: `sheet ${kind}`, role: "group", "aria-label": label }, children);
  // Under its button, as far as the window allows.
  node.addEventListener("beforetoggle", () => {
    const { left, bottom } = opener.getBoundingClientRect();
    node.style.setProperty("--left", `${Math.max(8, Math.min(left, innerWidth - 320))}px`);
    node.style.setProperty("--top", `${bottom + 6}px`);
  });
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

/** Sets a text only where it differs, so that the page is not laid out again for nothing. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Whether the visitor asked for less motion. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
