// The room Watch in a real browser: one screen, true steps, nothing that jumps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { barriers, close, command, file, follow, hold, holding, inWindow, noFaults, open, release, says, shots, SIZES, text, useBrowser } from "./harness.mjs";

useBrowser();

/** All that Watch shows of a moment, as markup. */
const moment = (page) => page.evaluate(() => [".picture", ".says", ".tuple", ".tallies", ".tables", ".code", ".stack", ".tree-window", ".position"]
  .map((part) => document.querySelector(part).innerHTML.replaceAll(/ class=""| style="--indent: \d+;"/g, "")).join("\n"));

const press = async (page, key) => {
  const before = await text(page, ".position");
  await page.keyboard.press(key);
  await page.waitForFunction((before) => document.querySelector(".position").innerText !== before, before);
};

test("it steps, plays, pauses, finds dead ends and solutions, and scrubs", async () => {
  const page = await open("#watch?n=4&style=box");
  assert.equal(await text(page, ".says"), "An empty board of 4 by 4.");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await says(page, ".says", /^Begin row 0\.$/);
  await page.getByRole("button", { name: "Next dead end" }).click();
  await says(page, ".says", /^Dead end: no square of row 2 is free\.$/);
  assert.equal(await text(page, ".tuple"), "(0, 2)");
  assert.ok(await page.locator(".node.dead-end.now.lost").isVisible());
  await page.getByRole("button", { name: "Next solution" }).click();
  await says(page, ".tuple", /^\(1, 3, 0, 2\)$/);
  assert.equal(await page.locator(".stage:not([hidden]) .board .queen:not(.leaves)").count(), 4);
  assert.equal(await page.locator(".code [aria-current]").count(), 1);
  assert.deepEqual(await page.locator(".stack li").allInnerTexts(), [0, 1, 2, 3, 4].map((row) => `search(${row})`));
  await press(page, "Home");
  await page.getByLabel("Speed").selectOption("9");
  await page.getByRole("button", { name: "Play" }).click();
  // It plays to the end and stops there by itself.
  await says(page, ".says", /^The search is over: 2 solutions\.$/);
  await page.getByRole("button", { name: "Play" }).waitFor();
  await page.getByLabel("Moment").fill("100");
  await says(page, ".position", /^step 100 of \d+$/);
  await page.getByLabel("N", { exact: true }).fill("40");
  await page.getByLabel("N", { exact: true }).press("Enter");
  await says(page, ".trouble", /N cannot be 40: here it goes from 1 to 12/);
  assert.equal(await page.locator(".stage:not([hidden]) .board text.figure").count(), 8, "the picture stays");
  // One change soon after another: both hold.
  await page.evaluate(() => {
    const [input, select] = document.querySelectorAll(".bar input, .bar > .field select");
    for (const [control, value] of [[input, "5"], [select, "lines"]]) {
      control.value = value;
      control.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
  await page.waitForFunction(() => /^#watch\?n=5&style=lines&at=0&/.test(location.hash));
  assert.equal(await text(page, ".trouble"), "");
  await close(page);
});

test("every algorithm shows its own state, and its program in every language", async () => {
  const page = await open("#watch?n=4&at=9");
  const styles = await page.getByLabel("Algorithm").locator("option").evaluateAll((options) => options.map((option) => option.value));
  assert.deepEqual(styles, ["tuple", "steps", "grid", "box", "attackers", "lines", "bits"]);
  for (const n of [1, 8, 12]) {
    for (const style of styles) {
      await page.evaluate(([n, style]) => { location.hash = `#watch?n=${n}&style=${style}&at=2`; }, [n, style]);
      await page.waitForFunction(([n, style]) => document.querySelectorAll(".stage:not([hidden]) .board text.figure").length === 2 * n && document.querySelector(".bar select").value === style, [n, style]);
      assert.ok(await page.locator(".tables table").count() > 0, `${style} at n = ${n}`);
      assert.equal(await page.locator(".code [aria-current]").count(), 1, `${style} at n = ${n}`);
      await page.locator(n <= 8 ? ".tree-picture" : ".tree-window .slice-picture").first().waitFor();
    }
  }
  await says(page, ".part", /^The first [\d\s]+ steps of a longer search/);
  for (const [language, line] of [["python", /possible = ~\(down/], ["rust", /let mut possible = !\(/], ["c", /unsigned possible/], ["javascript", /let possible = /], ["words", /possible = ~/]]) {
    await page.evaluate((language) => { location.hash = `#watch?n=6&style=bits&at=1&code=${language}`; }, language);
    await says(page, ".code [aria-current]", line);
  }
  await close(page);
});

test("the walk tells its reasons, and all of them can be read", async () => {
  const told = command("trace", "8", "--style", "steps").split("\n").find((line) => line.startsWith("Dead end"));
  for (const viewport of Object.values(SIZES)) {
    const page = await open("#watch?n=8&style=steps&at=34&origin=1", { viewport });
    const before = await page.locator(".dock").boundingBox();
    await page.keyboard.press("d");
    await page.waitForFunction(() => document.querySelector(".stage .says").dataset.event === "dead-end");
    assert.equal(await page.locator(".stage .says").first().textContent(), told, "as the command tells it");
    assert.deepEqual(await page.locator(".dock").boundingBox(), before, "nothing moves");
    // The last words are seen, at once or after scrolling.
    assert.ok(await page.locator(".stage .says").first().evaluate((node) => {
      node.scrollTop = node.scrollHeight;
      const range = document.createRange();
      range.selectNodeContents(node);
      const words = [...range.getClientRects()].at(-1);
      return words.bottom <= node.getBoundingClientRect().bottom + 1;
    }));
    assert.match(await text(page, ".tables .caption"), /^row 6: the queen that attacks each column/);
    await page.screenshot({ path: `${shots}/walk-${viewport.width}.png` });
    await close(page);
  }
});

test("the box trace has the colours of the assignment", async () => {
  const page = await open("#watch?n=4&style=box&until=first");
  const first = page.locator(".tables tbody");
  const colours = (kind) => first.locator(`.mark-${kind}`).evaluateAll((cells) => [...new Set(cells.map((cell) => `${getComputedStyle(cell).color} ${getComputedStyle(cell).backgroundColor}`))]);
  await page.keyboard.press("s");
  await page.waitForFunction(() => document.querySelector(".says").dataset.event === "solution");
  const [blue, red, green, black] = await Promise.all([0, 1, 2, 3].map(colours));
  assert.deepEqual([blue, red, green, black].map((seen) => seen.length), [1, 1, 1, 1], "a queen in each row");
  const rgb = ([seen]) => seen.match(/\d+/g).slice(0, 3).map(Number);
  assert.ok(rgb(blue)[2] > 2 * rgb(blue)[0] && rgb(red)[0] > 2 * rgb(red)[2] && rgb(green)[1] > 2 * rgb(green)[0]);
  assert.deepEqual(rgb(black), [0, 0, 0]);
  // Purple where two of them attack: the squares of −2, and no others.
  const several = await first.locator(".mark-s").allTextContents();
  assert.ok(several.length > 0 && several.every((cell) => /^−[2-9]$/.test(cell)), several.join(" "));
  assert.equal((await first.locator("td").allTextContents()).filter((cell) => /^−[2-9]$/.test(cell)).length, several.length);
  await close(page);
});

test("the bit vectors find a row's squares at once, and count differently", async () => {
  const page = await open("#watch?n=6&style=bits&at=1");
  await says(page, ".says", /^Row 0: one expression finds that columns 0, 1, 2, 3, 4 and 5 are free\.$/);
  assert.equal(await page.locator(".possible").count(), 6);
  await press(page, "End");
  assert.match(await text(page, ".tallies"), /rows looked at\s*149/);
  assert.match(await text(page, ".tables"), /left by 1/);
  // The same moment in another style: the queens stand where they stood.
  await press(page, "Home");
  await page.getByRole("button", { name: "Next solution" }).click();
  await says(page, ".tuple", /^\(1, 3, 5, 0, 2, 4\)$/);
  await page.getByLabel("Algorithm").selectOption("lines");
  await says(page, ".tallies", /squares tested/);
  assert.equal(await text(page, ".tuple"), "(1, 3, 5, 0, 2, 4)");
  await close(page);
});

test("two searches run side by side in lockstep", async () => {
  const page = await open("#watch?n=5&style=lines&beside=bits&at=30");
  await page.waitForSelector(".stage:nth-child(2) .board");
  await says(page, ".stage:nth-child(2) .lane", /^three bit vectors, all solutions$/);
  const both = () => page.locator(".stage .tuple").allInnerTexts();
  const [first, second] = await both();
  assert.notEqual(first, second, "the vectors are ahead");
  await press(page, "End");
  await says(page, ".stage:nth-child(2) .lane", /: over$/);
  await close(page);
  // The longer one goes on when the first is over, by itself, by a key and by a link.
  const longer = await open("#watch?n=5&style=bits&beside=lines&at=100");
  const lanes = (first, second) => longer.waitForFunction(([first, second]) => [...document.querySelectorAll(".stage .lane")].every((lane, at) => lane.innerText.endsWith(": over") === [first, second][at]), [first, second]);
  await lanes(false, false);
  await press(longer, "End");
  await lanes(true, true);
  await press(longer, "ArrowLeft");
  await lanes(true, false);
  const there = await text(longer, ".position");
  const step = there.match(/^step ([\d\s]+) of/)[1].replace(/\s/g, "");
  await longer.waitForFunction((step) => location.hash.includes(`at=${step}&`), step);
  await longer.reload();
  await longer.waitForSelector("html[data-ready]");
  await lanes(true, false);
  assert.equal(await text(longer, ".position"), there);
  await longer.getByRole("button", { name: "Play" }).click();
  await lanes(true, true);
  await close(longer);
  const ends = await open("#watch?n=5&style=tuple&beside=first&at=200");
  await says(ends, ".stage:nth-child(2) .lane", /^one column per row, the first solution: over$/);
  await close(ends);
});

test("a step back shows exactly the earlier picture", async () => {
  for (const link of ["#watch?n=5&style=attackers&at=20", "#watch?n=8&style=bits&at=590"]) {
    const page = await open(link, { reducedMotion: "reduce" });
    const seen = [await moment(page)];
    for (let step = 0; step < 14; step++) {
      await press(page, "ArrowRight");
      seen.push(await moment(page));
    }
    assert.equal(new Set(seen).size, seen.length, "every step changes the picture");
    for (let step = 13; step >= 0; step--) {
      await press(page, "ArrowLeft");
      assert.ok(await moment(page) === seen[step], `${link}: ${step}`);
    }
    await close(page);
  }
});

test("board, controls and panes are in one screen at every size", async () => {
  const sizes = [[320, 568], [390, 844], [844, 390], [768, 1024], [1024, 768], [1280, 720], [1920, 1080]];
  const page = await open("#watch?n=8&style=box&at=300");
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction((width) => innerWidth === width, width);
    for (const part of [".play", ".dock", ".stage .board", ".stage .says", ".beside"]) assert.ok(await inWindow(page, part), `${part} at ${width} by ${height}`);
    const over = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
    assert.ok(Math.max(...over) <= 0, `${over} at ${width} by ${height}`);
    if (width >= 1000) {
      for (const part of [".code", ".tables table", ".tree-picture", ".stack"]) assert.ok(await page.locator(part).first().isVisible(), part);
      assert.ok(await inWindow(page, ".tree-picture"));
    } else {
      await page.getByRole("tab", { name: "Code" }).click();
      assert.ok(await page.locator(".code").isVisible());
      assert.ok(!(await page.locator(".tables").isVisible()));
      await page.getByRole("tab", { name: "Tree" }).click();
    }
  }
  await close(page);
});

test("nothing jumps while it plays", async () => {
  const page = await open("#watch?n=6&style=box&speed=7");
  await page.evaluate(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifts.push(entry.sources.map(({ node }) => node?.className ?? node?.nodeName).join()); }).observe({ type: "layout-shift" });
  });
  for (const [name, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await page.waitForFunction((width) => innerWidth === width, viewport.width);
    await press(page, "ArrowRight");
    await page.waitForTimeout(600);
    const before = Number((await text(page, ".position")).match(/\d+/)[0]);
    await page.evaluate(() => { shifts.length = 0; });
    await page.getByRole("button", { name: "Play" }).click();
    await page.waitForFunction((before) => Number(document.querySelector(".position").innerText.match(/\d+/)[0]) > before + 100, before);
    await page.getByRole("button", { name: "Pause" }).click();
    assert.deepEqual(await page.evaluate(() => shifts), [], name);
  }
  await close(page);
});

test("the tree of eight queens opens branches, zooms, and leads to a moment", async () => {
  const page = await open("#watch?n=8&style=tuple&at=3000");
  await page.waitForSelector(".node.closed.there");
  const nodes = await page.locator(".tree-picture .node").count();
  await page.locator(".node.closed").nth(5).click();
  await page.getByRole("button", { name: "Whole tree" }).waitFor();
  assert.notEqual(await page.locator(".tree-picture .node").count(), nodes);
  const before = await text(page, ".position");
  await page.locator(".node.inner").nth(2).click();
  await page.waitForFunction((before) => document.querySelector(".position").innerText !== before, before);
  await page.getByRole("button", { name: "Whole tree" }).click();
  await page.waitForFunction((nodes) => document.querySelectorAll(".tree-picture .node").length === nodes, nodes);
  const wide = () => page.locator(".tree-picture").evaluate((node) => node.getBoundingClientRect().width);
  const first = await wide();
  await page.getByRole("button", { name: "Zoom in" }).click();
  assert.ok(await wide() > first * 1.1);
  // By keyboard: one stop, then the arrows.
  await page.locator('.tree-picture [tabindex="0"]').focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await says(page, ".says", /^Begin row 1/);
  await close(page);
});

test("rows and columns count from 0 or from 1 everywhere", async () => {
  const page = await open("#watch?n=4&style=attackers&origin=1");
  await page.getByRole("button", { name: "Next dead end" }).click();
  await says(page, ".says", /^Dead end: no square of row 3 is free\.$/);
  assert.equal(await text(page, ".tuple"), "(1, 3)");
  assert.deepEqual(await page.locator(".stage:not([hidden]) .figure").allTextContents(), ["1", "1", "2", "2", "3", "3", "4", "4"]);
  assert.match(await text(page, ".tables"), /1\s+2\s+3\s+4/);
  await page.getByRole("button", { name: "View" }).click();
  await page.getByLabel("Rows and columns count from").selectOption("0");
  await says(page, ".says", /no square of row 2 is free/);
  assert.equal(await text(page, ".tuple"), "(0, 2)");
  await close(page);
});

test("the keyboard is enough, the focus stays, and live regions are quiet during play", async () => {
  const page = await open("#watch?n=6&style=box&speed=6");
  const play = page.locator(".play");
  await play.focus();
  await page.keyboard.press("Enter");
  await says(page, ".play", /Pause/);
  assert.ok(await play.evaluate((node) => node === document.activeElement));
  await page.waitForFunction(() => document.querySelector(".says").getAttribute("aria-live") === "off");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".says").getAttribute("aria-live") === "polite");
  // A step button at the end of its way keeps the focus.
  await page.getByRole("button", { name: "To the end" }).focus();
  await page.keyboard.press("Enter");
  await says(page, ".says", /^The search is over/);
  assert.equal(await page.evaluate(() => document.activeElement.innerText), "To the end");
  // After a list was used with the mouse, the keys are the board's again.
  await page.evaluate(() => {
    const select = document.querySelector(".bar select");
    select.focus();
    select.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    select.value = "lines";
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await press(page, "Home");
  assert.match(await text(page, ".position"), /^step 0 of 1\s554$/);
  await close(page);
});

test("the slider leaves Space and the letters to the search, and its arrows are its own", async () => {
  const page = await open("#watch?n=6&style=tuple&speed=6");
  const slider = page.getByLabel("Moment");
  await slider.focus();
  await page.keyboard.press("d");
  await says(page, ".says", /^Dead end/);
  await page.keyboard.press("s");
  await says(page, ".says", /^Solution 1/);
  const before = Number(await slider.inputValue());
  await press(page, "ArrowRight");
  assert.equal(Number(await slider.inputValue()), before + 1);
  await page.keyboard.press("Space");
  await says(page, ".play", /Pause/);
  await page.keyboard.press("Space");
  await says(page, ".play", /Play/);
  await close(page);
});

test("a node that the search never reaches says so", async () => {
  const page = await open("#watch?n=6&style=tuple");
  const last = () => page.locator(".tree-picture .node").last().getAttribute("aria-label");
  assert.match(await last(), /Goes to this step\.$/);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByLabel("Until").selectOption("first");
  await page.waitForFunction(() => /until=first/.test(location.hash));
  assert.match(await last(), /not reached yet\. The search ends before it\.$/);
  await close(page);
});

test("a pause holds, however late the answer to the last question comes", async () => {
  const page = await open("#watch?n=6&style=box&speed=6", { script: holding });
  const seen = () => page.evaluate(() => [document.querySelector(".position").innerText, document.querySelector(".says").getAttribute("aria-live"), document.querySelector(".play").innerText.trim()]);
  for (const from of ["Home", "End"]) {
    // From the end it first goes back to the start, and that can be late as well.
    await page.keyboard.press(from);
    await says(page, ".position", from === "Home" ? /^step 0 of/ : /^step ([\d\s]+) of \1$/);
    await hold(page);
    await page.getByRole("button", { name: "Play" }).click();
    await page.waitForFunction(() => held.length > 0);
    await page.getByRole("button", { name: "Pause" }).click();
    const paused = await seen();
    assert.deepEqual(paused.slice(1), ["polite", "Play"]);
    await release(page);
    assert.deepEqual(await seen(), paused, from);
  }
  // And it plays on from there.
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => /^step [1-9]/.test(document.querySelector(".position").innerText) && document.querySelector(".says").getAttribute("aria-live") === "off");
  await close(page);
});

test("every press is a step, however late the answers come", async () => {
  const page = await open("#watch?n=6&style=box&at=10", { script: holding });
  await hold(page);
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight"]) await page.keyboard.press(key);
  assert.match(await text(page, ".position"), /^step 10 of/);
  await release(page);
  await says(page, ".position", /^step 13 of/);
  // From there on as usual.
  await page.keyboard.press("ArrowLeft");
  await says(page, ".position", /^step 12 of/);
  await close(page);
});

test("lecture mode is larger, has more contrast, and ends again", async () => {
  const page = await open("#watch?n=6&style=bits&at=100", { viewport: SIZES.hall });
  const looks = () => page.evaluate(() => [parseFloat(getComputedStyle(document.documentElement).fontSize), getComputedStyle(document.body).backgroundColor]);
  const [small, paper] = await looks();
  const pressed = () => page.getByRole("button", { name: "Lecture" }).getAttribute("aria-pressed");
  assert.equal(await pressed(), "false");
  // The key works in a field for numbers, too, which takes no letters.
  await page.getByLabel("N", { exact: true }).press("l");
  await page.waitForFunction(() => document.documentElement.dataset.lecture === "yes");
  assert.equal(await pressed(), "true");
  const [large, white] = await looks();
  assert.ok(large > small * 1.2, `${small} to ${large}`);
  assert.notEqual(paper, white);
  for (const part of [".play", ".dock", ".stage .board", ".tree-picture"]) assert.ok(await inWindow(page, part), part);
  // In a list it chooses an entry.
  await page.locator(".room select").first().press("l");
  assert.equal(await pressed(), "true");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("l");
  await page.waitForFunction(() => document.documentElement.dataset.lecture === undefined);
  assert.equal(await pressed(), "false");
  await close(page);
});

test("what is searched is in sight, and no number is cut, in lecture mode too", async () => {
  for (const [link, viewport] of [["#watch?n=8&style=box&at=500", SIZES.hall], ["#watch?n=12&style=bits&at=500", SIZES.hall], ["#watch?n=8&style=bits&at=500", SIZES.laptop]]) {
    const page = await open(link, { viewport });
    for (const lecture of [false, true]) {
      if (lecture) await page.keyboard.press("L");
      const row = (await page.locator(".stack li").count()) - 1;
      await page.waitForFunction((row) => {
        const pane = document.querySelector(".tables").getBoundingClientRect();
        const line = document.querySelector(".tables tbody").rows[row].getBoundingClientRect();
        return line.top >= pane.top - 1 && line.bottom <= pane.bottom + 1;
      }, row);
      const cut = await page.locator(".tables").evaluate((pane) => pane.scrollWidth - pane.clientWidth);
      assert.ok(cut <= 0, `${link}: ${cut} px of the tables are cut off`);
    }
    await close(page);
  }
});

test("the step counter has its place, and every part of the dock stays inside it", async () => {
  const page = await open("#watch?n=12&style=grid&at=2999990");
  for (const [width, height] of [[1366, 768], [1024, 768], [1920, 1080], [844, 390], [390, 844]]) {
    await page.setViewportSize({ width, height });
    for (let lecture = 0; lecture < 2; lecture++) {
      const faults = await page.evaluate(() => {
        const dock = document.querySelector(".dock").getBoundingClientRect();
        const parts = [...document.querySelectorAll(".dock :is(button, input, select, .position)")].filter((node) => node.checkVisibility());
        const boxes = parts.map((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return (node.matches(".position") ? range : node).getBoundingClientRect();
        });
        const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
        return parts.filter((_, at) => boxes[at].right > dock.right || boxes.some((box, other) => other !== at && meet(box, boxes[at]))).map((node) => node.innerText || node.tagName);
      });
      assert.deepEqual(faults, [], `${width} by ${height}, lecture ${lecture}`);
      await page.keyboard.press("L");
    }
  }
  await close(page);
});

test("no sentence, counter, name or line of code is cut in the windows of a projector", async () => {
  for (const [link, viewport] of [["#watch?n=6&style=box&at=73", { width: 1024, height: 768 }], ["#watch?n=6&style=box&at=73&beside=bits", { width: 1024, height: 768 }], ["#watch?n=6&style=box&at=73&beside=bits", SIZES.hall], ["#watch?n=8&style=steps&at=300", { width: 1024, height: 768 }], ["#watch?n=12&style=grid&at=500", { width: 1024, height: 768 }]]) {
    const page = await open(link, { viewport });
    for (const lecture of [false, true]) {
      if (lecture) await page.keyboard.press("L");
      for (let step = 0; step < 8; step++) {
        const cut = await page.evaluate(() => [...document.querySelectorAll(".stage .says, .listing .scroll, .tables, .calls .scroll, .tuple")]
          .filter((node) => node.checkVisibility() && (node.scrollWidth > node.clientWidth || (node.matches(".says:not([data-long=true])") && node.scrollHeight > node.clientHeight + 1)))
          .map((node) => node.innerText));
        assert.deepEqual(cut, [], `${link}, lecture ${lecture}`);
        await press(page, "ArrowRight");
      }
      const printed = await page.evaluate(() => [...document.querySelectorAll(".stage .tallies")].filter((list) => list.checkVisibility()).flatMap((list) => {
        const boxes = [...list.querySelectorAll("dt")].map((name) => name.getBoundingClientRect());
        return boxes.filter((box, at) => at > 0 && box.top === boxes[at - 1].top && box.left < boxes[at - 1].left + list.querySelectorAll("dt")[at - 1].scrollWidth);
      }));
      assert.deepEqual(printed, [], link);
    }
    await close(page);
  }
});

test("what does not fit of a sentence is scrolled with keys", async () => {
  const page = await open("#watch?n=6&style=box&at=80&beside=bits", { viewport: { width: 683, height: 384 } });
  for (let step = 0; step < 8; step++) {
    const fits = await page.locator(".stage .says").first().evaluate((node) => [node.scrollHeight <= node.clientHeight, node.tabIndex]);
    assert.deepEqual(fits, fits[0] ? [true, -1] : [false, 0]);
    await press(page, "ArrowRight");
  }
  await close(page);
});

test("the numbers of the tree of a large board can be read", async () => {
  for (const viewport of [{ width: 1366, height: 768 }, { width: 1024, height: 768 }]) {
    const page = await open("#watch?n=12&style=grid&at=2999990", { viewport });
    for (const lecture of [false, true]) {
      if (lecture) await page.keyboard.press("L");
      const letters = () => page.locator(".slice-picture .node.found text").first().evaluate((node) => parseFloat(getComputedStyle(node).fontSize) * node.getScreenCTM().a);
      assert.ok(await letters() >= 8.5, `${await letters()} px at ${viewport.width}`);
      const wider = await page.locator(".tree-window .node:is(.found, .open)").evaluateAll((nodes) => nodes.map(({ firstChild, lastChild }) => [lastChild.textContent, lastChild.getBoundingClientRect().width, firstChild.getBoundingClientRect().width]).filter(([, number, mark]) => number >= mark));
      assert.deepEqual(wider, [], "a number is inside its mark");
    }
    await close(page);
  }
});

test("every control of Watch can be reached at twice the size, and every sentence read", async () => {
  for (const viewport of [{ width: 683, height: 384 }, { width: 768, height: 432 }, SIZES.phone, { width: 320, height: 568 }]) {
    const page = await open("#watch?n=12&at=500", { viewport });
    const reachable = (node) => {
      const box = node.getBoundingClientRect();
      return box.width >= 40 && node.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
    };
    assert.deepEqual(await barriers(page, ["select-name"]), []);
    for (const part of [".more-opener", ".bar select", ".bar input", ".scrub input", ".play"]) assert.ok(await page.locator(part).first().evaluate(reachable), `${part} at ${viewport.width}`);
    await follow(page, "#watch?n=8&at=500");
    for (let step = 0; step < 12; step++) {
      const hidden = await page.locator(".stage .says").first().evaluate((node) => (getComputedStyle(node).overflowY === "auto" ? 0 : node.scrollHeight - node.clientHeight));
      assert.ok(hidden <= 0, await text(page, ".stage .says"));
      await press(page, "ArrowRight");
    }
    await close(page);
  }
});

test("a moment is saved as a picture and the next steps as a film", async () => {
  const page = await open("#watch?n=4&style=tuple&at=110&speed=8");
  await page.getByRole("button", { name: "More" }).click();
  const png = await file(page, () => page.getByRole("button", { name: "A picture" }).click());
  assert.equal(png.name, "queens-4-tuple-110.png");
  assert.deepEqual([...png.bytes.subarray(0, 4)], [137, 80, 78, 71]);
  assert.ok(png.bytes.length > 5000);
  const film = await file(page, () => page.getByRole("button", { name: "A film" }).click());
  assert.equal(film.name, "queens-4-tuple.webm");
  assert.deepEqual([...film.bytes.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
  await follow(page, "#watch?n=4&style=grid");
  assert.match(await page.locator(".about").first().textContent(), /^n x n bytes/);
  await press(page, "End");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "A film" }).click();
  await says(page, "#toast", /^No step follows/);
  await close(page);
  // A long sentence goes on in further lines and is not squeezed into one.
  const long = await open("#watch?n=12&style=steps&at=531", { script: () => {
    globalThis.painted = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, most = Infinity) {
      painted.push([text, this.measureText(text).width <= Math.min(most, 800)]);
      return fillText.call(this, text, x, y);
    };
  } });
  await long.getByRole("button", { name: "More" }).click();
  await file(long, () => long.getByRole("button", { name: "A picture" }).click());
  const painted = await long.evaluate(() => globalThis.painted);
  assert.ok(painted.every(([, fits]) => fits));
  assert.ok(painted.map(([line]) => line).join(" ").endsWith(await text(long, ".says")));
  await close(long);
});

noFaults();
