// Where queens stand: a heat map of random solutions, a part of the room Solutions.
//
// The library draws the solutions, makes the picture and says what it shows. That takes a
// second or two, so it is done in a worker, and only when the part is opened. The picture is
// the library's; the style sheet gives its ground, its lines and its figures the theme.

import { Helper } from "./engine.js";
import { button, el, numberField, setText } from "./dom.js";

export class Heat {
  /** `changed` is called when the link has to change. */
  constructor(module, engine, { heat, seed }, changed) {
    this.engine = engine;
    this.helper = new Helper(module);
    // Judged here, so that a bad link draws nothing.
    this.shown = engine.ask("heat-of", { n: heat, seed });
    // What was last asked for: a change made while it is being drawn builds on it.
    this.asked = this.shown;
    this.changed = changed;
    this.size = numberField("Queens", { min: 4, max: 100, value: this.shown.n, change: (n) => this.show({ n }) });
    this.seed = numberField("Seed", { min: 0, max: 999_999, value: this.shown.seed, change: (seed) => this.show({ seed }) });
    this.trouble = el("p", { class: "trouble", role: "alert" });
    this.says = el("p", { class: "says", role: "status" }, "Drawing solutions …");
    this.bar = el("progress", { max: 1, "aria-label": "Solutions drawn" });
    this.picture = el("div", { class: "picture" });
    this.node = el("details", { class: "heat", ontoggle: () => this.toggle() },
      el("summary", {}, "Where queens stand"),
      el("div", { class: "heat-grid" }, this.picture,
        el("div", { class: "side" },
          this.says,
          el("div", { class: "controls" }, this.size, this.seed, button("Another sample", () => this.show({ seed: (Number(this.asked.seed) + 1) % 1_000_000 }))),
          this.bar, this.trouble)));
    this.node.open = heat !== undefined || seed !== undefined;
  }

  /** What the link says of this part: nothing while it is closed. */
  get values() {
    return this.node.open ? { heat: this.shown.n, seed: this.shown.seed } : {};
  }

  toggle() {
    if (!this.node.open) this.rest();
    else if (!this.picture.firstChild) this.show({});
    this.changed();
  }

  async show(change) {
    // A change that is refused leaves a drawing in progress alone.
    try {
      this.asked = this.engine.ask("heat-of", { ...this.asked, ...change });
      setText(this.trouble, "");
    } catch (error) {
      setText(this.trouble, error.message);
      return this.setFields();
    }
    this.bar.classList.remove("done");
    this.bar.value = 0;
    try {
      const { answer } = await this.helper.ask("heat", this.asked, (share) => { this.bar.value = share; });
      this.shown = { n: answer.n, seed: answer.seed };
      const svg = new DOMParser().parseFromString(answer.svg, "image/svg+xml").documentElement;
      svg.setAttribute("role", "img");
      this.picture.replaceChildren(svg);
      setText(this.says, answer.says);
      this.rest();
      this.changed();
    } catch (error) {
      this.rest();
      setText(this.trouble, error.message);
      if (!this.picture.firstChild) setText(this.says, "There is no picture.");
    }
  }

  /** Ends a drawing in progress; the fields say what is on show. */
  rest() {
    this.end();
    this.asked = this.shown;
    this.bar.classList.add("done");
    this.setFields();
  }

  setFields() {
    this.size.set(this.asked.n);
    this.seed.set(this.asked.seed);
  }

  end() {
    this.helper.end();
  }
}
