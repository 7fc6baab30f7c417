// The page in a real browser: every room used as a person would, by mouse and by keyboard.
//
// Started by the Rust test `the_page_works_in_a_real_browser`, which serves the page from
// the binary and says where: QUEENS_URL is the page, QUEENS_BIN the command whose answers
// the page must agree with, QUEENS_SHOTS the folder for screenshots. Debian's chromium is
// driven by playwright-core; axe-core looks for what a screen reader would stumble over.
// Every page opened here is watched: an error on the console, an exception or a request to
// anywhere else fails the run.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const url = process.env.QUEENS_URL;
const queens = process.env.QUEENS_BIN;
const shots = process.env.QUEENS_SHOTS;
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const dist = new URL("../dist/", import.meta.url);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const ROOMS = ["watch", "try", "solutions", "count", "colours"];
const faults = [];
let browser;

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

/** Opens a link in a fresh context and waits for its first picture. */
async function open(link, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  page.on("console", (message) => { if (message.type() === "error") faults.push(`${link}: ${message.text()}`); });
  page.on("pageerror", (error) => faults.push(`${link}: ${error.stack}`));
  page.on("request", (request) => { if (!request.url().startsWith(options.base ?? url) && !request.url().startsWith("blob:")) faults.push(`${link}: request to ${request.url()}`); });
  if (options.script) await page.addInitScript(options.script);
  await page.goto((options.base ?? url) + link);
  if (options.ready !== false) await page.waitForSelector("html[data-ready]");
  return page;
}

const close = (page) => page.context().close();
const text = (page, selector) => page.locator(selector).first().innerText();
const count = (n, engine) => execFileSync(queens, ["count", String(n), ...(engine ? ["--engine", engine] : [])], { encoding: "utf8" }).trim();

/** All that Watch shows of a moment, as markup. */
const moment = (page) => page.evaluate(() => [".picture", ".says", ".tuple", ".stats", ".tables", ".code", ".stack", ".tree-place", ".position"]
  .map((part) => document.querySelector(part).innerHTML).join("\n"));

test("the page is small, comes from one place, and carries its security headers", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const loaded = [];
  const sizes = [];
  page.on("response", (response) => {
    loaded.push(response.url());
    sizes.push(response.body().then((body) => body.length));
  });
  const response = await page.goto(url);
  await page.waitForSelector(".board");
  await page.waitForLoadState("networkidle");
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  const policy = response.headers()["content-security-policy"];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:|\*/);
  assert.ok(loaded.every((address) => address.startsWith(url)), loaded.join("\n"));
  const onDisk = readdirSync(dist).reduce((sum, name) => sum + readFileSync(new URL(name, dist)).length, 0);
  assert.ok(bytes > 200_000 && bytes < 500_000, `${bytes} bytes loaded`);
  assert.ok(onDisk < 500_000, `${onDisk} bytes in web/dist`);
  const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  console.log(`# loaded ${bytes} bytes; first contentful paint after ${Math.round(painted)} ms`);
  await context.close();
});

test("watch: steps, plays, pauses, finds dead ends and solutions, and scrubs", async () => {
  const page = await open("#watch?n=4&style=box");
  assert.equal(await text(page, ".says"), "an empty board of 4 by 4");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  assert.equal(await text(page, ".says"), "begin row 0");
  await page.getByRole("button", { name: "Next dead end" }).click();
  assert.equal(await text(page, ".tuple"), "(0, 2)");
  assert.match(await text(page, ".says"), /^dead end/);
  assert.ok(await page.locator(".node.dead-end.now.there:not(.unknown)").isVisible());
  await page.getByRole("button", { name: "Next solution" }).click();
  assert.equal(await text(page, ".tuple"), "(1, 3, 0, 2)");
  assert.equal(await page.locator(".board .queen").count(), 4);
  assert.equal(await page.locator(".code [aria-current]").count(), 1);
  assert.deepEqual(await page.locator(".stack li").allInnerTexts(), ["find(1)", "find(2)", "find(3)", "find(4)", "find(5)"]);
  await page.keyboard.press("Home");
  const before = await text(page, ".position");
  await page.getByLabel("Speed").fill("9");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction((before) => document.querySelector(".position").innerText !== before, before);
  await page.getByRole("button", { name: "Pause" }).or(page.getByRole("button", { name: "Play" })).first().click();
  await page.keyboard.press("End");
  assert.match(await text(page, ".stats"), /solutions\s*2$/);
  const last = await page.getByLabel("Moment").getAttribute("max");
  await page.getByLabel("Moment").fill("100");
  assert.match(await text(page, ".position"), new RegExp(`^step 100 of ${last}$`));
  await close(page);
});

test("watch: every algorithm shows its own state for every N up to 12", async () => {
  const page = await open("#watch?n=1");
  const styles = await page.getByLabel("Algorithm").locator("option").evaluateAll((options) => options.map((option) => option.value));
  for (const style of ["box", "attackers", "lines", "bits"]) assert.ok(styles.includes(style), style);
  for (let n = 1; n <= 12; n++) {
    await page.goto(`${url}#watch?n=${n}&style=${styles[n % styles.length]}&at=${n === 1 ? 1 : 9 * n}`);
    await page.waitForFunction((n) => document.querySelectorAll(".board text.figure").length === 2 * n, n);
    for (const style of styles) {
      await page.getByLabel("Algorithm").selectOption(style);
      assert.ok(await page.locator(".tables table").count() > 0, `${style} at n = ${n}`);
      assert.equal(await page.locator(".code [aria-current]").count(), 1, `${style} at n = ${n}`);
    }
    assert.ok(await page.locator(n <= 6 ? ".tree-picture" : ".slice-picture").first().isVisible());
  }
  assert.match(await text(page, ".part"), /first 3\s?000\s?000 steps/);
  await close(page);
});

test("watch: a step back shows exactly the earlier picture", async () => {
  for (const link of ["#watch?n=5&style=attackers&at=20", "#watch?n=8&style=bits&at=1990", "#watch?n=6&style=lines&until=first&at=3"]) {
    const page = await open(link);
    const seen = [await moment(page)];
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press("ArrowRight");
      seen.push(await moment(page));
    }
    assert.equal(new Set(seen).size, seen.length, "every step changes the picture");
    for (let step = 39; step >= 0; step--) {
      await page.keyboard.press("ArrowLeft");
      assert.equal(await moment(page), seen[step], `${link}: ${step}`);
    }
    await close(page);
  }
});

test("a shared link restores the moment in every room", async () => {
  const watch = await open("#watch?n=7&style=lines");
  await watch.getByRole("button", { name: "Next solution" }).click();
  await watch.keyboard.press("ArrowLeft");
  await watch.getByRole("button", { name: "Copy link" }).click();
  const link = await watch.evaluate(() => location.hash);
  const again = await open(link);
  assert.equal(await moment(again), await moment(watch));
  assert.equal(await again.getByLabel("Algorithm").inputValue(), "lines");
  await close(watch);
  await close(again);

  const attempt = await open("#try?n=6");
  await attempt.getByRole("gridcell", { name: "row 0, column 1:" }).click();
  await attempt.getByRole("gridcell", { name: "row 1, column 3:" }).click();
  await attempt.waitForFunction(() => location.hash === "#try?n=6&queens=0.1-1.3");
  const restored = await open("#try?n=6&queens=0.1-1.3");
  assert.equal(await restored.locator(".square.queen").count(), 2);
  await close(attempt);
  await close(restored);

  const solutions = await open("#solutions?n=6&kind=all");
  await solutions.locator(".gallery .card").nth(2).click();
  await solutions.waitForFunction(() => location.hash.includes("cols=3-0-4-1-5-2"));
  const chosen = await open(await solutions.evaluate(() => location.hash));
  assert.equal(await text(chosen, ".detail h2"), "(3, 0, 4, 1, 5, 2)");
  await close(solutions);
  await close(chosen);

  const colours = await open("#colours?n=6");
  await colours.locator(".handle").nth(0).press("Enter");
  await colours.waitForFunction(() => location.hash.includes("rows="));
  const split = await open(await colours.evaluate(() => location.hash));
  assert.equal(await split.locator(".handles").innerText(), await colours.locator(".handles").innerText());
  await close(colours);
  await close(split);

  const race = await open("#count?n=9&mode=one&engines=lines.mirror");
  assert.equal(await race.getByLabel("N", { exact: true }).inputValue(), "9");
  assert.equal(await race.locator(".pick input:checked").count(), 2);
  await close(race);
});

test("a link followed right after a change is not overwritten by the change", async () => {
  const page = await open("#watch?n=6");
  await page.evaluate(() => {
    const algorithm = [...document.querySelectorAll("select")].find((select) => select.querySelector('[value="bits"]'));
    algorithm.value = "bits";
    algorithm.dispatchEvent(new Event("change"));
    location.hash = "#try?n=5";
    // Long enough for the page's own, late writing of the address to be due.
    const end = performance.now() + 300;
    while (performance.now() < end);
  });
  await page.waitForSelector(".room.try");
  assert.equal(await page.evaluate(() => location.hash), "#try?n=5");
  await close(page);
});

test("try: the keyboard is enough, clashes are shown, hints lead to a solution, undo goes back", async () => {
  const page = await open("#try?n=8");
  await page.waitForSelector('.left[data-solutions="92"]');
  await page.locator('.square[tabindex="0"]').focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector('.left[data-solutions="4"]');
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  assert.equal(await page.locator(".pairs li").count(), 1);
  assert.match(await text(page, ".pairs"), /falls to the right/);
  assert.equal(await page.locator(".overlay .attack").count(), 1);
  assert.equal(await page.locator(".square.clash").count(), 2);
  await page.waitForSelector('.left[data-solutions="0"]');
  await page.keyboard.press("u");
  await page.waitForSelector('.left[data-solutions="4"]');
  assert.equal(await page.locator(".pairs li").count(), 0);
  for (let move = 0; move < 7; move++) {
    await page.waitForSelector('.left[data-state="done"]');
    await page.keyboard.press("h");
    assert.match(await text(page, ".says"), /^Put a queen in row/);
    await page.keyboard.press("Enter");
  }
  assert.match(await text(page, ".says"), /^Solved/);
  await page.waitForSelector('.left[data-solutions="1"]');
  await page.keyboard.press("u");
  assert.doesNotMatch(await text(page, ".says"), /^Solved/);
  await page.getByLabel("Show how many").check();
  await page.waitForSelector(".through");
  await close(page);
});

test("solutions: lists, classes, images and files are the library's", async () => {
  const page = await open("#solutions?n=8&kind=all");
  assert.match(await text(page, ".says"), /^92 solutions in all, 12 of them fundamental/);
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByRole("button", { name: "Later" }).click();
  assert.equal(await page.locator(".gallery li").count(), 20);
  assert.ok(await page.getByRole("button", { name: "Later" }).isDisabled());
  const file = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const csv = await file("CSV");
  assert.equal(csv.name, "queens-8-all.csv");
  assert.equal(csv.bytes.toString(), execFileSync(queens, ["list", "8", "--format", "csv"], { encoding: "utf8" }));
  const svg = await file("SVG");
  assert.equal(svg.bytes.toString().match(/<use /g).length, 8);
  const png = await file("PNG");
  assert.deepEqual([...png.bytes.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
  assert.ok(png.bytes.length > 5000);
  const latex = await file("LaTeX");
  assert.match(latex.bytes.toString(), /\\begin/);

  await page.getByLabel("Show").selectOption("fundamental");
  assert.equal(await page.locator(".gallery li").count(), 12);
  await page.getByRole("button", { name: /class of 4/ }).click();
  assert.match(await text(page, ".detail"), /Class of 4/);
  assert.equal(await page.locator(".images li").count(), 8);
  assert.equal(await page.locator(".images li.again").count(), 4);
  await page.getByLabel("N", { exact: true }).fill("12");
  await page.getByLabel("N", { exact: true }).press("Enter");
  await page.waitForFunction(() => document.querySelector(".says").innerText.startsWith("14"));
  await page.getByLabel("N", { exact: true }).fill("3");
  await page.getByLabel("N", { exact: true }).press("Enter");
  assert.match(await text(page, ".says"), /no way to place 3 queens/);
  await close(page);
});

test("count: the race agrees with the command, and so does every engine", async () => {
  const page = await open("#count?n=14&engines=bitmask.mirror.two-colour");
  await page.getByRole("button", { name: "Start the race" }).click();
  await page.waitForFunction(() => /^All agree/.test(document.querySelector(".says").innerText), null, { timeout: 120_000 });
  const plain = (await text(page, ".says")).replace(/\s/g, "");
  assert.ok(plain.startsWith(`Allagree:N=14has${count(14)}solutions.`), plain);
  assert.equal(await page.locator(".race tbody tr").count(), 3);
  assert.equal(await page.locator(".chart polyline").count(), 3);
  assert.equal(await page.locator(".chart .marker").count(), 3 * 11);

  // Every engine, up to where the slowest takes long; the fast ones up to 14.
  const answers = await page.evaluate(async () => {
    const { Engine, load } = await import("./engine.js");
    const engine = new Engine(await load());
    const answers = [];
    for (const { name } of engine.ask("hello").engines) {
      const most = ["bitmask", "mirror", "two-colour"].includes(name) ? 14 : 9;
      for (let n = 1; n <= most; n++) answers.push([name, n, engine.ask("count", { n, engine: name }).count]);
    }
    return answers;
  });
  const expected = new Map(Array.from({ length: 14 }, (_, n) => [n + 1, count(n + 1)]));
  assert.ok(new Set(answers.map(([name]) => name)).size >= 9);
  for (const [name, n, answer] of answers) assert.equal(answer, expected.get(n), `${name}, n = ${n}`);
  await close(page);
});

test("count: a long count leaves the page free and is cancelled at once", async () => {
  const page = await open("#count?n=18&mode=one&engines=byte-grid.lines");
  await page.getByRole("button", { name: "Start the race" }).click();
  await page.waitForFunction(() => document.querySelector(".race tbody tr td:last-child").innerText.includes("…"));
  const frames = await page.evaluate(() => new Promise((resolve) => {
    let frames = 0;
    const tick = () => { frames += 1; if (frames === 10) resolve(frames); else requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
  }));
  assert.equal(frames, 10);
  const answered = await page.evaluate(() => new Promise((resolve) => {
    const says = document.querySelector(".says");
    const button = [...document.querySelectorAll("button")].find((button) => button.innerText === "Cancel");
    const start = performance.now();
    new MutationObserver(() => resolve(performance.now() - start)).observe(says, { childList: true, characterData: true, subtree: true });
    button.click();
  }));
  assert.match(await text(page, ".says"), /^Cancelled: byte-grid, lines/);
  assert.ok(answered < 100, `answered after ${answered} ms`);
  await page.waitForFunction(() => [...document.querySelectorAll("button")].some((button) => button.innerText === "Start the race" && !button.disabled));
  const deadline = Date.now() + 20_000;
  while (page.workers().length > 0 && Date.now() < deadline) await page.waitForTimeout(50);
  assert.equal(page.workers().length, 0, "the workers are gone");
  await page.getByLabel("N", { exact: true }).fill("7");
  await page.getByLabel("N", { exact: true }).press("Enter");
  await page.getByRole("button", { name: "Start the race" }).click();
  await page.waitForFunction(() => /N = 7 has 40 solutions/.test(document.querySelector(".says").innerText));
  await close(page);
});

test("two colours: diagonals keep their colour and the splits add up to the count", async () => {
  const page = await open("#colours?n=8");
  const queensOn = page.locator(".target");
  for (let at = 0; at < 8; at++) {
    await queensOn.nth(at).hover();
    const reach = await page.locator(".reach").evaluateAll((squares) => squares.map((square) => (Number(square.getAttribute("x")) + Number(square.getAttribute("y"))) % 2));
    assert.ok(reach.length > 7 && new Set(reach).size === 1, "one colour only");
  }
  assert.match(await text(page, ".says"), /every square of her two diagonals is (black|white)/);
  const before = await page.locator(".bars").innerHTML();
  await page.locator(".handle").first().click();
  assert.notEqual(await page.locator(".bars").innerHTML(), before);
  await page.getByLabel("Drag through").fill("0");
  assert.match(await text(page, ".wide .says"), /^This split: .* = \d+ solution/);
  const [first, third] = [await page.locator(".handle").nth(0).boundingBox(), await page.locator(".handle").nth(2).boundingBox()];
  await page.mouse.move(first.x + 5, first.y + 5);
  await page.mouse.down();
  await page.mouse.move(third.x + 5, third.y + 5, { steps: 12 });
  await page.mouse.up();
  const colours = await page.locator(".handle").evaluateAll((handles) => handles.slice(0, 3).map((handle) => handle.innerText));
  assert.equal(new Set(colours).size, 1, "dragging paints rows in one colour");
  for (const n of [4, 5, 6, 7, 8]) {
    await page.getByLabel("N", { exact: true }).selectOption(String(n));
    assert.match(await page.locator(".wide").innerText(), new RegExp(`add up to ${count(n)}, all solutions for N = ${n}`));
  }
  await close(page);
});

test("bad links, numbers out of range and a browser without WebAssembly get a friendly message", async () => {
  const bad = [
    ["#watch?n=13", /N = 13 is out of range/], ["#watch?n=0", /out of range/], ["#watch?n=eight", /whole number/],
    ["#watch?n=8&at=999999999", /asks for step/], ["#watch?style=magic", /cannot be/], ["#watch?n=4&n=5", /twice/], ["#watch?n", /sets nothing/],
    ["#watch?n=%ZZ", /cut off/], ["#kitchen", /no room called/], ["#try?n=8&queens=9.9", /off the 8 by 8 board/], ["#try?queens=x", /look like/],
    ["#solutions?n=8&cols=0-1-2-3", /no solution/], ["#solutions?from=99999", /out of range/], ["#count?n=21", /out of range/], ["#count?engines=magic", /cannot be/],
    ["#colours?n=9", /out of range/], ["#colours?n=4&rows=99", /out of range/], ["#%3Cimg%20src=x%20onerror=alert(1)%3E", /no room called/],
  ];
  const page = await open("#watch");
  for (const [link, says] of bad) {
    await page.goto(`${url}${link}`);
    await page.waitForSelector("[role=alert] h1");
    assert.equal(await text(page, "[role=alert] h1"), "This link cannot be shown");
    assert.match(await text(page, "[role=alert]"), says, link);
    await page.locator("[role=alert] a").click();
    await page.waitForSelector(".room");
  }
  await page.goto(`${url}#watch?n=6`);
  await page.waitForSelector(".room");
  await page.getByLabel("N", { exact: true }).fill("40");
  await page.getByLabel("N", { exact: true }).press("Enter");
  assert.match(await text(page, ".trouble"), /N = 40 is out of range: here it goes from 1 to 12/);
  assert.equal(await page.locator(".board text.figure").count(), 12, "the picture stays");
  await close(page);

  const bare = await open("", { script: "delete globalThis.WebAssembly;", ready: false });
  await bare.waitForSelector("[role=alert]");
  assert.match(await text(bare, "[role=alert]"), /no WebAssembly/);
  await close(bare);
  const scriptless = await open("", { javaScriptEnabled: false, ready: false });
  assert.match(await scriptless.locator("noscript, main").first().innerText(), /JavaScript/);
  await close(scriptless);
});

test("axe finds nothing in any room, dark or light, and nothing is wider than the window", async () => {
  const links = { watch: ["#watch?n=6&style=box&at=300", "#watch?n=9&style=bits&at=5000"], try: ["#try?n=8&queens=0.3-1.5-4.4-5.3", "#try?n=6&queens=0.1&numbers=on"], solutions: ["#solutions?n=8&kind=all"], count: ["#count?n=10"], colours: ["#colours?n=8"], bad: ["#watch?n=99"] };
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [360, 1920]) {
      for (const [room, list] of Object.entries(links)) {
        for (const [at, link] of list.entries()) {
          const page = await open(link, { colorScheme, viewport: { width, height: width < 500 ? 740 : 1080 } });
          if (room === "count") {
            await page.getByRole("button", { name: "Start the race" }).click();
            await page.waitForFunction(() => /^All agree/.test(document.querySelector(".says").innerText));
          }
          if (room === "try") await page.waitForSelector('.left[data-state="done"]');
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
          const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`).slice(0, 3).join("; ")}`);
          assert.deepEqual(told, [], `${link} ${colorScheme} ${width}`);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${link} is ${over} pixels too wide at ${width}`);
          await page.screenshot({ path: `${shots}/${room}${at || ""}-${width}-${colorScheme}.png`, fullPage: true });
          await close(page);
        }
      }
    }
  }
});

test("the theme can be chosen, motion is reduced on request, and the keyboard reaches every room", async () => {
  const page = await open("#watch", { colorScheme: "light", reducedMotion: "reduce" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  const theme = page.getByRole("button", { name: /^Theme/ });
  await theme.click();
  assert.equal(await paper(), light);
  await theme.click();
  assert.notEqual(await paper(), light);
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  assert.notEqual(await paper(), light, "the choice is kept");
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".toast")).transitionDuration), "0s");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  for (const room of [...ROOMS.slice(1), "watch"]) {
    await page.locator(`nav a[href="#${room}"]`).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(`.room.${room}`);
    assert.equal(await page.evaluate(() => document.activeElement.id), "room");
  }
  await page.goBack();
  await page.waitForSelector(".room.colours");
  await close(page);
});

test("the folder web/dist works from any web server and any path on it", async () => {
  const types = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", gz: "application/gzip" };
  const server = createServer((request, response) => {
    const name = request.url.replace("/some/where/", "").split("?")[0] || "index.html";
    if (!request.url.startsWith("/some/where/") || !existsSync(new URL(name, dist))) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[name.split(".").pop()] }).end(readFileSync(new URL(name, dist)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}/some/where/`;
  const page = await open("#try?n=6&queens=0.1", { base });
  await page.waitForSelector('.left[data-solutions="1"]');
  await close(page);
  server.close();
});

test("no page reported an error or asked anybody else for anything", () => {
  assert.deepEqual(faults, []);
});
