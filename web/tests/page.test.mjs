// The page as a whole: what it loads, links, faults, themes, barriers, offline, frames.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { SIZES, barriers, browser, close, dist, failFromNow, failing, follow, inWindow, noFaults, open, says, shots, text, url, useBrowser } from "./harness.mjs";

useBrowser();

const ROOMS = ["tour", "watch", "try", "solutions", "count", "colours"];

test("the page is small, comes from one place, and carries its security headers", async () => {
  const context = await browser.newContext({ serviceWorkers: "block" });
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
  assert.ok(bytes > 200_000 && bytes < 400_000, `${bytes} bytes loaded`);
  assert.ok(onDisk < 400_000, `${onDisk} bytes in web/dist`);
  const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  console.log(`# loaded ${bytes} bytes; first contentful paint after ${Math.round(painted)} ms`);
  await context.close();
});

test("a shared link restores the moment in every room", async () => {
  const page = await open("#watch?n=7&style=lines");
  await page.getByRole("button", { name: "Next solution" }).click();
  await says(page, ".says", /^Solution 1/);
  await page.getByRole("button", { name: "Copy link" }).click();
  const link = await page.evaluate(() => location.hash);
  await follow(page, "#try?n=6");
  await page.getByRole("gridcell", { name: "row 0, column 1:" }).click();
  await page.getByRole("gridcell", { name: "row 1, column 3:" }).click();
  await page.waitForFunction(() => location.hash === "#try?n=6&queens=0.1-1.3");
  await follow(page, "#solutions?n=6&kind=all");
  await page.locator(".gallery .card").nth(2).click();
  await page.waitForFunction(() => location.hash.includes("cols=3-0-4-1-5-2"));
  const solution = await page.evaluate(() => location.hash);
  await follow(page, "#colours?n=6");
  await page.waitForFunction(() => location.hash.includes("rows="));
  const begun = await page.evaluate(() => location.hash);
  await page.locator(".handle").nth(0).press("Enter");
  await page.waitForFunction((begun) => location.hash !== begun, begun);
  const split = await page.evaluate(() => location.hash);
  const handles = await page.locator(".handles").innerText();

  const again = await open(link);
  await says(again, ".says", /^Solution 1/);
  assert.equal(await again.getByLabel("Algorithm").inputValue(), "lines");
  await follow(again, "#try?n=6&queens=0.1-1.3");
  assert.equal(await again.locator(".square.queen").count(), 2);
  await follow(again, solution);
  assert.equal(await text(again, ".detail h2"), "(3, 0, 4, 1, 5, 2)");
  await follow(again, split);
  assert.equal(await again.locator(".handles").innerText(), handles);
  await follow(again, "#count?n=9&mode=one&engines=lines.mirror");
  assert.equal(await again.getByLabel("N", { exact: true }).inputValue(), "9");
  assert.equal(await again.locator(".pick input:checked").count(), 2);
  await close(page);
  await close(again);
});

test("what a room showed is there again after another room, and N goes along", async () => {
  const page = await open("#try?n=6&queens=0.1");
  const tab = (name) => page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name, exact: true });
  await page.getByRole("gridcell", { name: "row 1, column 3:" }).click();
  await page.waitForFunction(() => location.hash.endsWith("0.1-1.3"));
  await page.waitForFunction(() => document.querySelector('nav a[href="#watch?n=6"]'));
  await tab("Watch").click();
  await page.waitForSelector(".room.watch");
  assert.equal(await page.getByLabel("N", { exact: true }).inputValue(), "6");
  await page.getByRole("button", { name: "Next dead end" }).click();
  await says(page, ".says", /^Dead end/);
  await page.waitForFunction(() => /at=\d\d/.test(location.hash));
  const moment = await text(page, ".position");
  await tab("Try").click();
  await page.waitForSelector(".room.try");
  assert.equal(await page.locator(".square.queen").count(), 2, "the queens stand where they stood");
  await tab("Watch").click();
  await page.waitForSelector(".room.watch");
  assert.equal(await text(page, ".position"), moment);
  await close(page);
});

test("a room without boards of this size leaves the size to the others, and choices hold on every board", async () => {
  const page = await open("#watch?n=12&style=bits&at=3000");
  const go = async (name, room) => {
    await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name, exact: true }).click();
    await page.waitForSelector(`.room.${room}`);
  };
  const size = () => page.getByLabel("N", { exact: true }).inputValue();
  for (let visit = 0; visit < 2; visit++) {
    await go("Two colours", "colours");
    await page.waitForFunction(() => /n=8/.test(location.hash));
    await go("Watch", "watch");
    assert.match(await text(page, ".position"), /^step 3\s000 of/);
    assert.equal(await size(), "12");
  }
  // A size that is chosen there goes along, and with it the algorithm.
  await go("Two colours", "colours");
  await page.getByLabel("N", { exact: true }).selectOption("6");
  await page.waitForFunction(() => /n=6/.test(location.hash));
  await go("Watch", "watch");
  assert.equal(await size(), "6");
  assert.equal(await page.getByLabel("Algorithm").inputValue(), "bits");
  await follow(page, "#count?n=16&engines=lines.bitmask");
  await go("Watch", "watch");
  await go("Count", "count");
  assert.equal(await size(), "16");
  assert.equal(await page.locator(".pick input:checked").count(), 2);
  // No engine chosen is a choice, too.
  for (const name of ["lines", "bitmask"]) await page.locator(`#engine-${name}`).uncheck();
  await page.waitForFunction(() => /engines=none/.test(location.hash));
  await page.reload();
  await page.waitForSelector(".room.count");
  assert.equal(await page.locator(".pick input:checked").count(), 0);
  await close(page);
});

test("a change is in the history, however soon one leaves", async () => {
  const page = await open("#watch?n=4");
  for (const back of [true, false]) {
    await follow(page, "#try?n=6");
    await page.evaluate((back) => {
      for (const name of ["row 0, column 1:", "row 1, column 3:"]) document.querySelector(`[aria-label^="${name}"]`).click();
      if (back) history.back();
      else document.querySelector('nav a[href^="#watch"]').click();
    }, back);
    await page.waitForSelector(".room.watch");
    await page.evaluate((back) => { if (back) history.forward(); else history.back(); }, back);
    await page.waitForSelector(".room.try .square.queen");
    await page.goBack();
    await page.waitForSelector(".room.watch");
  }
  await close(page);
});

test("where a worker fails, the page says so and goes on", async () => {
  const page = await open("#try?n=6", { script: failing });
  const broke = /^The answer broke off/;
  await page.waitForSelector('.left[data-state="done"]');
  await failFromNow(page);
  await page.getByRole("button", { name: "Hint" }).click();
  await says(page, ".try .says", broke);
  await failFromNow(page, false);
  await page.getByRole("button", { name: "Hint" }).click();
  await says(page, ".try .says", /^Look at/);
  for (const [link, name, after] of [["#watch?n=6", "Play", "Play"], ["#watch?n=6&at=1554", "Play", "Play"], ["#solutions?n=6", "CSV of", "CSV of"], ["#solutions?n=6", "Watch it being", "Watch it being"], ["#tour?step=1", "Column 2", "Column 2"]]) {
    await failFromNow(page, false);
    await follow(page, link);
    await page.evaluate(() => { document.querySelector("#toast").textContent = ""; });
    await page.waitForFunction((name) => [...document.querySelectorAll("main button")].some((node) => node.innerText.trim().startsWith(name)), name);
    await failFromNow(page);
    await page.getByRole("button", { name }).first().click();
    await says(page, "#toast", broke);
    await page.getByRole("button", { name: after }).first().waitFor();
  }
  // A room that cannot begin is no fault of its link.
  await page.evaluate(() => { location.hash = "#watch?n=5"; });
  await says(page, "[role=alert] h1", /^This room cannot be shown$/);
  await failFromNow(page, false);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForSelector(".room.watch .board");
  await close(page);
});

test("rows and columns count from elsewhere without ending a race, and beside a bad link", async () => {
  const page = await open("#count?n=18&mode=one&engines=byte-grid");
  const countFrom = async (number) => {
    await page.getByRole("button", { name: "View" }).click();
    await page.getByLabel("Rows and columns count from").selectOption(number);
    await page.keyboard.press("Escape");
  };
  await page.getByRole("button", { name: "Start the race" }).click();
  await countFrom("1");
  await page.waitForFunction(() => /origin=1/.test(location.hash));
  await says(page, ".says", /^1 engine counts N = 18/);
  await page.getByRole("button", { name: "Cancel" }).click();
  await says(page, ".says", /^Cancelled/);
  for (const link of ["#nowhere", "#watch?n=8&n=9", "#watch?%"]) {
    await page.evaluate((link) => { location.hash = link; }, link);
    await page.waitForSelector("[role=alert] h1");
    await countFrom("0");
    await countFrom("1");
  }
  await follow(page, "#try?n=4");
  assert.equal(await text(page, ".figures"), "1\n2\n3\n4");
  await close(page);
});

test("a link followed right after a change is not overwritten by the change", async () => {
  const page = await open("#watch?n=6");
  await page.evaluate(() => {
    const algorithm = document.querySelector(".bar select");
    algorithm.value = "bits";
    algorithm.dispatchEvent(new Event("change"));
    location.hash = "#try?n=5";
    // Long enough for the page's own, late writing of the address to be due.
    const end = performance.now() + 300;
    while (performance.now() < end);
  });
  await page.waitForSelector(".room.try");
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => location.hash), "#try?n=5");
  await close(page);
});

test("bad links, numbers out of range and a browser without WebAssembly get a friendly message", async () => {
  const bad = [
    ["#watch?n=13", /N cannot be 13:/], ["#watch?n=0", /N cannot be 0:/], ["#watch?n=eight", /whole number/], ["#watch?n=", /whole number/],
    ["#watch?n=8&at=999999999", /asks for step/], ["#watch?style=magic", /cannot be/], ["#watch?code=cobol", /cannot be/], ["#watch?beside=magic", /cannot be/], ["#watch?origin=2", /from 0 or from 1/],
    ["#watch?n=4&n=5", /twice/], ["#watch?n", /sets nothing/], ["#watch?size=6", /sets “size”, but the room Watch has only n, style/], ["#start?n=8", /the room Start has nothing to set but origin/], ["#try?toString=1", /sets “toString”/], ["#watch?n=6&solution=4", /find 4 solutions/],
    ["#watch?n=%ZZ", /cut off/], ["#kitchen", /no room called/], ["#tour?step=8", /1 to 7/], ["#try?n=8&queens=9.9", /off the 8 by 8 board/], ["#try?queens=x", /look like/], ["#try?n=4&queens=0.0-0.0", /\(0, 0\) is named twice/], ["#try?n=4&given=0.0-0.1&origin=1", /\(1, 1\) and \(1, 2\)/], ["#try?n=4&marks=9.9&origin=0", /\(9, 9\) is off/], ["#try?day=20261301", /year, month, day/], ["#try?day=0", /year, month, day/], ["#try?numbers=x", /can only be/], ["#watch?speed=length", /speed has to be/], ["#watch?speed=99", /from 0 to 10/],
    ["#solutions?n=8&cols=0-1-2-3", /no solution/], ["#solutions?n=5&cols=1-3-0-2", /has 4 queens, and its board 5 rows/], ["#solutions?from=99999", /cannot be 99999:/], ["#solutions?class=3", /cannot be/], ["#solutions?heat=2", /number of queens cannot be 2:/],
    ["#count?n=0", /N cannot be 0:/], ["#count?n=25", /N cannot be 25:/], ["#count?n=", /whole number/], ["#count?mode=run", /cannot be/], ["#count?engines=magic", /cannot be/],
    ["#colours?n=9", /cannot be 9:/], ["#colours?n=4&rows=99", /cannot be 99:/], ["#colours?cols=999", /set of columns cannot be 999:/], ["#%3Cimg%20src=x%20onerror=alert(1)%3E", /no room called/],
  ];
  const page = await open("#try?n=4");
  for (const [link, pattern] of bad) {
    await page.evaluate((link) => { location.hash = link; }, link);
    await says(page, "[role=alert]", pattern);
    assert.equal(await text(page, "[role=alert] h1"), "This link cannot be shown", link);
  }
  await page.locator("[role=alert] a").click();
  await page.waitForSelector(".room");
  await follow(page, "#count?n=12");
  await page.getByLabel("N", { exact: true }).fill("");
  await page.getByLabel("N", { exact: true }).press("Enter");
  await says(page, ".trouble", /N has to be a whole number from 1 to 20/);
  assert.equal(await page.getByLabel("N", { exact: true }).inputValue(), "12");
  await close(page);

  const bare = await open("", { script: "delete globalThis.WebAssembly;", ready: false });
  await bare.waitForSelector("[role=alert]");
  assert.match(await text(bare, "[role=alert]"), /no WebAssembly/);
  await close(bare);
  const scriptless = await open("", { javaScriptEnabled: false, ready: false });
  assert.match(await scriptless.locator("noscript, main").first().innerText(), /JavaScript/);
  await close(scriptless);
});

test("opened as a file, it says that it needs a server", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(new URL("index.html", dist).href);
  await page.waitForFunction(() => getComputedStyle(document.querySelector(".late")).visibility === "visible");
  assert.match(await text(page, ".late"), /opened as a file it cannot work.*queens serve --open/);
  await context.close();
});

test("axe finds nothing in any room, dark or light, and nothing is wider than the window", async () => {
  const links = ["", "#tour?step=6", "#tour?step=7", "#watch?n=6&style=box&at=300", "#watch?n=8&style=bits&at=500", "#watch?n=9&style=lines&at=500&beside=bits", "#try?n=8&queens=0.3-1.5-4.4-5.3", "#try?n=6&queens=0.1&numbers=on", "#try?day=20261116", "#solutions?n=8&kind=all&queens=0.3", "#count?n=8", "#colours?n=8&rows=7", "#watch?n=99"];
  for (const [size, viewport] of Object.entries(SIZES)) {
    // In the dark only the colours differ, and on a projector only the space.
    for (const colorScheme of ["light", "dark"]) {
      if (size === "hall" && colorScheme === "dark") continue;
      const page = await open("#tour?step=1", { colorScheme, viewport, reducedMotion: "reduce" });
      for (const [at, link] of links.entries()) {
        if (colorScheme === "dark" && [2, 3, 5, 6, 12].includes(at)) continue;
        await page.goto(url + link);
        await page.waitForSelector(link.includes("n=99") ? "[role=alert] h1" : `.room.${link.slice(1).split("?")[0] || "start"}`);
        if (link.startsWith("#try")) await page.waitForSelector('.left[data-state="done"]');
        if (link.startsWith("#count")) {
          await page.getByRole("button", { name: "Start the race" }).click();
          await says(page, ".says", /^All agree/);
        }
        const told = size === "hall" ? [] : await barriers(page, colorScheme === "dark" ? ["color-contrast"] : undefined);
        assert.deepEqual(told, [], `${link} ${colorScheme} ${size}`);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${link} is ${over} pixels too wide on a ${size}`);
        await page.screenshot({ path: `${shots}/${at}-${link.slice(1).split("?")[0] || "start"}-${size}-${colorScheme}.png` });
      }
      await close(page);
    }
  }
});

test("squares, borders and forced colours keep their contrast", async () => {
  const luminance = ([r, g, b]) => [r, g, b].map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  for (const colorScheme of ["light", "dark"]) {
    const page = await open("#try?n=4", { colorScheme });
    const colours = () => page.evaluate(() => {
      const read = (selector, property) => getComputedStyle(document.querySelector(selector))[property].match(/[\d.]+/g).slice(0, 3).map(Number);
      return { light: read(".square.light", "backgroundColor"), dark: read(".square.dark", "backgroundColor"), edge: read("input[type=number]", "borderTopColor"), card: read("input[type=number]", "backgroundColor"), paper: read("body", "backgroundColor") };
    });
    const { light, dark, edge, card, paper } = await colours();
    assert.ok(contrast(light, dark) >= 2, `${colorScheme}: squares ${contrast(light, dark)}`);
    assert.ok(Math.min(contrast(edge, card), contrast(edge, paper)) >= 3, `${colorScheme}: borders ${contrast(edge, card)}, ${contrast(edge, paper)}`);
    // A node of the tree that was not reached yet is a button like any other.
    await follow(page, "#watch?n=4&style=tuple");
    await page.waitForSelector(".tree-picture .node:not(.there)");
    const node = await page.evaluate(() => {
      const looks = getComputedStyle(document.querySelector(".tree-picture .node:not(.there) circle"));
      return [looks.stroke, looks.fill].map((colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number));
    });
    assert.ok(contrast(...node) >= 3, `${colorScheme}: nodes ${contrast(...node)}`);
    await follow(page, "#try?n=4");
    await page.waitForSelector(".square.light");
    await page.emulateMedia({ forcedColors: "active" });
    const forced = await colours();
    assert.notDeepEqual(forced.light, forced.dark, "forced colours show squares");
    await close(page);
  }
});

test("the theme can be chosen, the tabs stay in sight, and the keyboard reaches every room", async () => {
  const page = await open("#watch", { colorScheme: "light", reducedMotion: "reduce", viewport: SIZES.phone });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.getByRole("button", { name: "View" }).click();
  await page.getByLabel("Theme").selectOption("dark");
  assert.notEqual(await paper(), light);
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  assert.notEqual(await paper(), light, "the choice is kept");
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".toast")).transitionDuration), "0s");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  for (const room of [...ROOMS, "watch"]) {
    await page.locator(`nav a[href^="#${room}"]`).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(`.room.${room}`);
    assert.equal(await page.evaluate(() => document.activeElement.id), "room");
    assert.ok(await inWindow(page, "#rooms a[aria-current]"), room);
  }
  await page.goBack();
  await page.waitForSelector(".room.colours");
  await close(page);
});

test("the focus never falls to the body", async () => {
  const page = await open("#tour?step=6", { reducedMotion: "reduce" });
  for (const link of ["#tour?step=6", "#watch?n=8&style=lines&at=300", "#try?n=6&queens=0.1", "#solutions?n=8&kind=all", "#count?n=6", "#colours?n=6"]) {
    await follow(page, link);
    const fallen = await page.evaluate(async () => {
      const controls = () => [...document.querySelectorAll("main button, main [role=button], main summary")].filter((node) => node.checkVisibility());
      const leads = /Watch it|film|picture|Share|SVG|PNG|CSV|LaTeX|Start the race/;
      const fallen = [];
      const every = Math.ceil(controls().length / 24);
      for (let at = 0; at < controls().length; at += every) {
        const node = controls()[at];
        const name = node.getAttribute("aria-label") ?? node.textContent;
        if (leads.test(name)) continue;
        node.focus();
        node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 60));
        for (const sheet of document.querySelectorAll(":popover-open")) sheet.hidePopover();
        if (document.activeElement === document.body) fallen.push(name);
      }
      return fallen;
    });
    assert.deepEqual(fallen, [], link);
  }
  await close(page);
});

/** A plain static server for web/dist under a path, which can be closed and can frame. */
async function elsewhere() {
  const types = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", gz: "application/gzip", webmanifest: "application/manifest+json" };
  const server = createServer((request, response) => {
    const name = request.url.replace("/some/where/", "").split("?")[0] || "index.html";
    if (name === "frame.html") {
      response.writeHead(200, { "content-type": "text/html" }).end('<!doctype html><link rel="icon" href="data:,"><iframe src="./?embed#watch?n=5" width="900" height="600"></iframe>');
    } else if (!request.url.startsWith("/some/where/") || !existsSync(new URL(name, dist))) {
      response.writeHead(404).end();
    } else {
      response.writeHead(200, { "content-type": types[name.split(".").pop()] }).end(readFileSync(new URL(name, dist)));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, base: `http://127.0.0.1:${server.address().port}/some/where/` };
}

test("web/dist works from any server and path, in a frame, and offline once it was opened", async () => {
  const { server, base } = await elsewhere();
  const framed = await open("frame.html", { base, ready: false });
  const frame = framed.frameLocator("iframe");
  await frame.locator(".room.watch .board").first().waitFor();
  assert.ok(!(await frame.locator(".top").isVisible()), "a frame has no header");
  await close(framed);

  const page = await open("#try?n=6&queens=0.1", { base, serviceWorkers: "allow" });
  await page.waitForSelector('.left[data-solutions="1"]');
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const files = readdirSync(dist).filter((name) => name !== "sw.js").length;
  await page.waitForFunction(async (files) => (await (await caches.open("queens")).keys()).length >= files, files);
  server.close();
  server.closeAllConnections();
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  await page.waitForSelector('.left[data-solutions="1"]');
  assert.ok(await page.evaluate(() => crossOriginIsolated), "isolated by its own worker");
  await close(page);
});

noFaults();
