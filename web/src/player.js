// Playing a search: the position in it, forward, back, and on by itself.
//
// A position is a question to the library and its answer a moment, so going back is not an
// undo made here: it is the earlier moment, asked for again. The questions go to a worker;
// while one is on its way, no second one is sent for the same frame.

import { still } from "./dom.js";

/** Steps per second to choose from. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60, 200, 1000, 5000];
export const USUAL_SPEED = 3;

/** The values without those that lead to a step only once. */
const withoutJump = ({ go, raw, solution, ...rest }) => rest;

export class Player {
  /** `show(moment, quietly, motion)` draws; `changed()` hears of playing and pausing. */
  constructor(clerk, values, { show, changed = () => {}, speed = USUAL_SPEED }) {
    Object.assign(this, { clerk, values, show, changed, speed });
    this.moment = null;
    /** What was last asked for: a change made before the answer builds on it. */
    this.asked = values;
    /** The step that was asked for and is not on show yet. */
    this.coming = null;
    /** The last step of a search beside this one, and how many steps that one is ahead. */
    this.beside = 0;
    this.ahead = 0;
    this.running = null;
    this.ticket = 0;
  }

  /** Steps per second. */
  get pace() {
    return SPEEDS[this.speed];
  }

  get playing() {
    return this.running !== null;
  }

  /** The step on show: a search that is over stays at its end while one beside it goes on. */
  get at() {
    return this.moment.at + this.ahead;
  }

  /** The step that will be on show once every question is answered, as far as that is known. */
  get heading() {
    return this.coming ?? this.at;
  }

  /** The last step of this search, or of a longer one beside it. */
  get length() {
    return Math.max(this.moment.length, this.beside);
  }

  /** The moment on show, for the same search told in another way; a search that was only asked
   * for has none yet. */
  get here() {
    return this.searches(this.asked) ? { at: undefined, raw: this.moment.raw } : {};
  }

  /** Whether these values ask for the search on show, in this style or another. */
  searches({ n, until }) {
    return this.moment !== null && n === this.values.n && until === this.values.until;
  }

  /** Asks for a moment and shows it. Answers `null` when a later question overtook it. */
  async go(change, quietly = false) {
    const ticket = ++this.ticket;
    const moves = ["at", "go", "raw", "solution"].some((name) => name in change);
    const wanted = { ...(moves ? withoutJump(this.asked) : this.asked), ...change };
    this.asked = wanted;
    if (moves) this.coming = change.at ?? null;
    const same = this.searches(wanted) && wanted.style === this.values.style;
    const own = this.moment?.length;
    const beyond = same && wanted.at > own && wanted.at <= this.length;
    if (beyond) wanted.at = own;
    let moment;
    try {
      moment = await this.clerk.ask("watch", wanted);
    } catch (error) {
      if (ticket !== this.ticket) return null;
      this.asked = this.values;
      this.coming = null;
      throw error;
    }
    if (ticket !== this.ticket) return null;
    this.coming = null;
    if (this.moment && !same) this.beside = 0;
    if (beyond) this.ahead = change.at - own;
    else if (change.at !== undefined || !same || moment.at < own) this.ahead = 0;
    const near = this.moment && moment.n === this.moment.n && Math.abs(moment.raw - this.moment.raw) <= 2;
    this.values = this.asked = { ...withoutJump(wanted), n: moment.n, at: moment.at };
    this.moment = moment;
    // Faster than eight steps a second a movement would only be a flicker.
    this.show(moment, quietly, near && !still() && !(this.playing && SPEEDS[this.speed] > 8));
    return moment;
  }

  to(at, quietly) {
    return this.go({ at: Math.max(0, Math.min(this.length, at)) }, quietly);
  }

  async play() {
    if (this.playing || !this.moment) return;
    // Each run has its own object, so that a run which was paused while it waited stays paused.
    const run = {};
    this.running = run;
    this.changed();
    const ask = async (at) => {
      try {
        await this.to(at, true);
      } catch (error) {
        this.pause();
        throw error;
      }
    };
    if (this.at === this.length) await ask(0);
    let due = 0;
    let last = performance.now();
    let asked = false;
    const frame = (now) => {
      if (this.running !== run) return;
      due = Math.min(due + (Math.min(now - last, 250) / 1000) * SPEEDS[this.speed], SPEEDS[this.speed] / 2 + 1);
      last = now;
      const steps = Math.floor(due);
      if (steps > 0 && !asked) {
        due -= steps;
        asked = true;
        ask(this.at + steps).finally(() => { asked = false; });
      }
      if (this.at >= this.length) return this.pause();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** Stops at the moment on show: an answer that is still on its way comes too late. */
  pause() {
    if (!this.playing) return;
    this.running = null;
    this.dropAnswers();
    this.changed();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Drops every answer that is still on its way. */
  dropAnswers() {
    this.ticket += 1;
    this.asked = this.values;
    this.coming = null;
  }

  end() {
    this.pause();
    this.dropAnswers();
  }
}
