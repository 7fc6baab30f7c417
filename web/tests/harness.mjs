// What the browser tests share: a browser, opening links, watching for faults.
//
// QUEENS_URL is the page, QUEENS_BIN the command whose answers the page must agree with,
// QUEENS_SHOTS the folder for screenshots. Debian's chromium is driven by playwright-core.
// QUEENS_LATE, if it is set, makes every question to a worker wait for that many milliseconds: a
// test or a room that only works where answers come at once fails then, every time.
// Every page opened here is watched: an error on the console, an exception or a request to
// anywhere else fails the run.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

export const url = process.env.QUEENS_URL;
export const queens = process.env.QUEENS_BIN;
export const shots = process.env.QUEENS_SHOTS;
export const dist = new URL("../dist/", import.meta.url);
export const SIZES = { phone: { width: 390, height: 844 }, laptop: { width: 1280, height: 720 }, hall: { width: 1920, height: 1080 } };
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const faults = [];
const late = Number(process.env.QUEENS_LATE ?? 0);
const waits = `{
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (data) {
    if (data.verb) setTimeout(() => postMessage.call(this, data), ${late});
    else postMessage.call(this, data);
  };
}`;
export let browser;

/** Starts the browser before the tests of a file and ends it after them. */
export function useBrowser() {
  before(async () => {
    assert.ok(url && queens && shots, "started by `cargo test -p queens-cli --test web`");
    assert.ok(existsSync(browserPath), `no browser at ${browserPath}; scripts/setup-tests installs it`);
    mkdirSync(shots, { recursive: true });
    browser = await chromium.launch({
      executablePath: browserPath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
  });
  after(async () => {
    await browser?.close();
  });
}

/** The last test of a file. */
export function noFaults() {
  test("no page reported an error or asked anybody else for anything", () => {
    assert.deepEqual(faults, []);
  });
}

/** Opens a link in a fresh context and waits for its first picture. */
export async function open(link, { base = url, script, ready = true, ...options } = {}) {
  const context = await browser.newContext({ viewport: SIZES.laptop, acceptDownloads: true, serviceWorkers: "block", ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  page.on("console", (message) => { if (message.type() === "error") faults.push(`${link}: ${message.text()}`); });
  page.on("pageerror", (error) => faults.push(`${link}: ${error.stack}`));
  page.on("request", (request) => { if (!request.url().startsWith(base) && !request.url().startsWith("blob:")) faults.push(`${link}: request to ${request.url()}`); });
  if (late) await page.addInitScript(waits);
  if (script) await page.addInitScript(script);
  await page.goto(base + link);
  if (ready) await page.waitForSelector("html[data-ready]");
  return page;
}

/** Keeps questions to workers back while `held` is a list. */
export function holding() {
  globalThis.held = null;
  globalThis.answers = 0;
  globalThis.Worker = class extends Worker {
    constructor(...words) {
      super(...words);
      this.addEventListener("message", () => { answers += 1; });
    }

    postMessage(...words) {
      if (held) held.push(() => super.postMessage(...words));
      else super.postMessage(...words);
    }
  };
}

/** From here on no question of a page that was opened with `holding` is answered. */
export const hold = (page) => page.evaluate(() => { globalThis.held = []; });

/** Lets all of them go, and waits for an answer. */
export async function release(page) {
  const before = await page.evaluate(() => {
    const [before, late] = [answers, held];
    globalThis.held = null;
    for (const post of late) post();
    return before;
  });
  await page.waitForFunction((before) => answers > before, before);
}

/** Makes workers fail, as they do without memory, while `broken` is set. */
export function failing() {
  globalThis.broken = false;
  globalThis.Worker = class extends Worker {
    postMessage(...words) {
      if (broken) this.dispatchEvent(new ErrorEvent("error", { cancelable: true }));
      else super.postMessage(...words);
    }
  };
}

/** From here on the workers of a page that was opened with `failing` fail, or no longer. */
export const failFromNow = (page, broken = true) => page.evaluate((broken) => { globalThis.broken = broken; }, broken);

export const close = (page) => page.context().close();
export const text = (page, selector) => page.locator(selector).first().innerText();

/** Waits until the first element of a selector says something. */
export const says = (page, selector, pattern) => page.waitForFunction(([selector, source]) => new RegExp(source).test(document.querySelector(selector)?.innerText ?? ""), [selector, pattern.source]);

/** What the command prints. */
export const command = (...words) => execFileSync(queens, words, { encoding: "utf8" });

/** Follows a link within the page. */
export async function follow(page, link) {
  await page.evaluate((link) => { location.hash = link; }, link);
  await page.waitForSelector(`.room.${link.replace(/^#/, "").split("?")[0]}`);
}

/** What a screen reader would stumble over, in words; `rules` for some of the rules only. */
export async function barriers(page, rules) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((rules) => globalThis.axe.run(document, { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) }), rules);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`).slice(0, 3).join("; ")}`);
}

/** A file that a button makes. */
export async function file(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Whether all of an element lies within the window. */
export const inWindow = (page, selector) => page.locator(selector).first().evaluate((node) => {
  const box = node.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && box.left >= -1 && box.top >= -1 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1;
});
