// The other rooms in a real browser, used as a person would.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { SIZES, barriers, close, command, dist, file, follow, hold, holding, inWindow, noFaults, open, release, says, shots, text, useBrowser } from "./harness.mjs";

useBrowser();

const square = (page, row, col) => page.getByRole("gridcell", { name: `row ${row}, column ${col}:` });

test("start: the problem in one sentence, and a board that moves unless motion is unwanted", async () => {
  const page = await open("");
  assert.match(await text(page, ".lead"), /no two share a row, a column or a diagonal/);
  const before = await text(page, ".says");
  await page.waitForFunction((before) => document.querySelector(".says").innerText !== before, before);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Play" }).waitFor();
  await page.getByRole("link", { name: "Take the tour" }).click();
  await says(page, "h1", /^The rule$/);
  await close(page);
  const still = await open("", { reducedMotion: "reduce" });
  const picture = await still.locator(".hero-board").innerHTML();
  await still.waitForTimeout(700);
  assert.equal(await still.locator(".hero-board").innerHTML(), picture);
  assert.match(await text(still, ".says"), /^Solution 1/);
  await close(still);
});

test("tour: seven steps with links, and questions that the search answers", async () => {
  const page = await open("#tour?step=1");
  const names = ["The rule", "The first queens", "The dead end", "Going back", "The first solution", "The tree", "Bit vectors"];
  for (const [at, name] of names.entries()) {
    if (at > 0) await page.keyboard.press("ArrowRight");
    await says(page, "h1", new RegExp(`^${name}$`));
    assert.ok(await inWindow(page, ".tour .board"), name);
    assert.ok(await inWindow(page, ".tour-dock"), name);
  }
  await follow(page, "#tour?step=1");
  await says(page, "h1", /^The rule$/);
  await page.getByRole("button", { name: "Column 0" }).click();
  await says(page, ".verdict", /^Not quite\. Place a queen in row 1, column 2\.$/);
  await says(page, ".says", /^Place a queen in row 1, column 2\.$/);
  // Another answer is judged, and the search stays where it is.
  await page.getByRole("button", { name: "Column 2" }).click();
  await says(page, ".verdict", /^Right/);
  await page.waitForTimeout(1200);
  assert.equal(await text(page, ".says"), "Place a queen in row 1, column 2.");
  await follow(page, "#tour?step=2");
  await says(page, "h1", /^The first queens$/);
  await page.getByRole("button", { name: "A dead end" }).click();
  await says(page, ".verdict", /^Right\. Dead end/);
  await follow(page, "#tour?step=4");
  await says(page, "h1", /^Going back$/);
  await page.getByRole("button", { name: "Column 3" }).click();
  await says(page, ".verdict", /^Right\. Place a queen in row 1, column 3\.$/);
  await close(page);
});

test("tour: the question is in sight and hides nothing, on a phone, a laptop and in a hall, in lecture mode too", async () => {
  for (const viewport of [...Object.values(SIZES), { width: 1366, height: 768 }, { width: 1024, height: 768 }]) {
    const page = await open("#tour?step=1", { viewport });
    for (const lecture of [false, true]) {
      if (lecture) await page.keyboard.press("l");
      for (let step = 1; step <= 7; step++) {
        await follow(page, `#tour?step=${step}`);
        await says(page, ".count-line", new RegExp(`^Step ${step} of`));
        const at = `step ${step} at ${viewport.width}, lecture ${lecture}`;
        const side = page.locator(".tour-side");
        // On a phone the tree or the table is above the question, and both are scrolled to.
        if (viewport === SIZES.phone && await side.count()) await page.locator(".quiz").evaluate((node) => node.scrollIntoView({ block: "end" }));
        for (const part of [".quiz h2", ".answers button:first-child", ".answers button:last-child"]) assert.ok(await inWindow(page, part), `${part} of ${at}`);
        const covered = await page.locator(".answers button").last().evaluate((node) => {
          const box = node.getBoundingClientRect();
          return !node.contains(document.elementFromPoint(box.left + box.width / 2, box.bottom - 2));
        });
        assert.ok(!covered, at);
        if (await side.count()) {
          const over = await side.evaluate((node) => node.getBoundingClientRect().bottom - document.querySelector(".quiz").getBoundingClientRect().top);
          assert.ok(over <= 0, `${over} px of what is asked about are hidden: ${at}`);
        }
      }
    }
    await close(page);
  }
});

test("tour: in a small window all can be read, and all answers be given", async () => {
  for (const viewport of [{ width: 320, height: 568 }, { width: 375, height: 667 }, { width: 683, height: 384 }]) {
    const page = await open("#tour?step=1", { viewport });
    for (const step of [1, 3, 6, 7]) {
      await follow(page, `#tour?step=${step}`);
      await says(page, ".count-line", new RegExp(`^Step ${step} of`));
      // Wherever it is scrolled to, each part can be brought into sight and is not covered there.
      const hidden = await page.locator(".tour-words > :not(.tour-side, .quiz), .tree-picture, .tables > :first-child table, .quiz h2, .answers button").evaluateAll((parts) => parts.filter((part) => {
        part.scrollIntoView({ block: "center" });
        const box = part.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + Math.min(10, box.width / 2), box.top + box.height / 2);
        return !part.contains(top) && !top?.contains(part);
      }).map((part) => part.textContent));
      assert.deepEqual(hidden, [], `step ${step} at ${viewport.width}`);
    }
    await close(page);
  }
});

test("tour: lecture mode makes no text smaller", async () => {
  for (const viewport of [{ width: 1366, height: 768 }, { width: 1024, height: 768 }, SIZES.laptop, SIZES.hall, { width: 2560, height: 1440 }]) {
    const page = await open("#tour?step=1", { viewport });
    const size = () => page.locator(".tour-words > p:not(.count-line)").first().evaluate((node) => parseFloat(getComputedStyle(node).fontSize));
    const before = await size();
    await page.keyboard.press("l");
    assert.ok(await size() >= before, `${before} to ${await size()} at ${viewport.width}`);
    await close(page);
  }
});

test("try: the clock and the hints belong to the attempt", async () => {
  const page = await open("#try?n=4");
  await page.getByRole("button", { name: "Hint" }).click();
  await page.waitForFunction(() => !/Thinking/.test(document.querySelector(".says").innerText));
  await square(page, 0, 1).click();
  await follow(page, "#watch?n=4");
  await follow(page, "#try?n=4&queens=0.1");
  for (const [row, col] of [[1, 3], [2, 0], [3, 2]]) await square(page, row, col).click();
  await says(page, ".prize", /with 1 hint/);
  await page.getByRole("button", { name: "Clear" }).click();
  await says(page, ".clock", /^0:00$/);
  await page.waitForTimeout(1200);
  assert.equal(await text(page, ".clock"), "0:00");
  await follow(page, "#try?n=5&queens=0.0-1.2-2.4-3.1-4.3");
  await says(page, ".prize", /5 queens, and none attacks another\./);
  await close(page);
});

test("try: on a phone the Tab key goes from the board down", async () => {
  const page = await open("#try?n=8", { viewport: SIZES.phone });
  await page.locator('.grid [tabindex="0"]').focus();
  const tops = [];
  for (let press = 0; press < 8; press++) {
    await page.keyboard.press("Tab");
    tops.push(await page.evaluate(() => Math.round(document.activeElement.getBoundingClientRect().top + scrollY)));
  }
  assert.deepEqual(tops, tops.toSorted((a, b) => a - b));
  await close(page);
});

test("try: the keyboard is enough, and hints give their reasons", async () => {
  const page = await open("#try?n=8");
  await page.waitForSelector('.left[data-solutions="92"]');
  await page.locator('.square[tabindex="0"]').focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector('.left[data-solutions="4"]');
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  assert.match(await text(page, ".pairs"), /falls to the right/);
  assert.equal(await page.locator(".overlay .attack").count(), 1);
  assert.equal(await page.locator(".square.clash").count(), 2);
  await page.waitForSelector('.left[data-solutions="0"]');
  await page.keyboard.press("u");
  await page.waitForSelector('.left[data-solutions="4"]');
  assert.equal(await page.locator(".pairs li").count(), 0);
  // Three grades: where, why, what.
  await page.keyboard.press("h");
  await says(page, ".says", /^Look at (row|column) \d\.$/);
  await page.keyboard.press("h");
  await says(page, ".says", /^(Row|Column) \d has /);
  for (let move = 0; move < 7; move++) {
    for (const pattern of [/^Look at/, / has /, /^Put a queen in row/].slice(move === 0 ? 2 : 0)) {
      await page.keyboard.press("h");
      await says(page, ".says", pattern);
    }
    await page.keyboard.press("h");
    await page.waitForSelector(".square.marked:focus");
    await page.keyboard.press("Enter");
  }
  await says(page, ".says", /^Solved: 8 queens/);
  assert.match(await text(page, ".prize"), /Peace at last!\s+8 queens in \d+:\d\d, with \d+ hints/);
  await page.keyboard.press("u");
  await page.waitForFunction(() => document.querySelector(".prize").hidden);
  assert.ok(await page.evaluate(() => document.activeElement !== document.body), "the focus stays");
  await close(page);
});

test("try: keys act on the square that has the focus, and the field for N keeps it", async () => {
  const page = await open("#try?n=6");
  await square(page, 0, 1).click({ button: "right" });
  await page.keyboard.press("ArrowRight");
  assert.ok(await square(page, 0, 2).evaluate((node) => node === document.activeElement));
  await square(page, 3, 3).evaluate((node) => node.focus());
  await page.keyboard.press("x");
  assert.deepEqual(await page.locator(".square.noted").evaluateAll((nodes) => nodes.map((node) => node.dataset.square)), ["0.1", "3.3"]);
  const size = page.getByLabel("N", { exact: true });
  await size.focus();
  for (const n of [7, 8, 9]) {
    await page.keyboard.press("ArrowUp");
    await page.waitForFunction((n) => document.querySelectorAll(".square").length === n * n, n);
    assert.ok(await size.evaluate((node) => node === document.activeElement));
  }
  await follow(page, "#try?n=4");
  assert.equal(await page.evaluate(() => document.activeElement.id), "room");
  await close(page);
});

test("every press of Later is a page, however late the answers come", async () => {
  const page = await open("#solutions?n=8&kind=all", { script: holding });
  await says(page, ".pager output", /^1 to 24 of 92$/);
  await hold(page);
  for (let press = 0; press < 2; press++) await page.getByRole("button", { name: "Later" }).click();
  await release(page);
  await says(page, ".pager output", /^49 to 72 of 92$/);
  await page.getByRole("button", { name: "Later" }).click();
  await says(page, ".pager output", /^73 to 92 of 92$/);
  await close(page);
});

test("try: marks, dragging, the clock, and a solution that leads on", async () => {
  const page = await open("#try?n=5&queens=0.0-1.2-2.4-3.1");
  await square(page, 4, 0).click({ button: "right" });
  assert.match(await square(page, 4, 0).getAttribute("aria-label"), /crossed out/);
  await page.getByLabel("a cross").check();
  await square(page, 4, 2).click();
  assert.equal(await page.locator(".square.noted").count(), 2);
  await page.getByRole("button", { name: "Undo" }).click();
  assert.equal(await page.locator(".square.noted").count(), 1);
  await page.getByLabel("a queen", { exact: true }).check();
  await square(page, 4, 4).click();
  await page.waitForFunction(() => document.querySelector(".clock").innerText !== "0:00");
  await square(page, 4, 4).dragTo(square(page, 4, 3));
  await says(page, ".says", /^Solved/);
  assert.equal(await page.locator(".square.queen").count(), 5);
  assert.match(await text(page, ".prize"), /this solution makes \d/);
  const card = await file(page, () => page.getByRole("button", { name: "Share card" }).click());
  assert.equal(card.name, "queens-5-solved.png");
  assert.ok(card.bytes.length > 5000);
  await page.getByRole("link", { name: "Next: N = 6" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".square").length === 36);
  // The circles keep their scale when a queen is placed.
  await page.getByLabel("Show how many").check();
  await page.waitForSelector(".through");
  const share = (row, col) => square(page, row, col).evaluate((node) => Number(node.style.getPropertyValue("--share")));
  const before = await share(0, 1);
  await square(page, 5, 4).click();
  await page.waitForFunction(() => document.querySelector('.left[data-state="done"]')?.dataset.solutions === "1");
  assert.equal(await share(0, 1), before, "one solution through it before and after");
  await close(page);
});

test("try: steps back are kept when rows count from elsewhere, and in other rooms", async () => {
  const page = await open("#try?n=6");
  const queens = (many) => page.waitForFunction((many) => document.querySelectorAll(".try .square.queen").length === many, many);
  const undo = page.getByRole("button", { name: "Undo" });
  await square(page, 0, 1).click();
  await square(page, 2, 2).click({ button: "right" });
  await square(page, 1, 3).click();
  await page.getByRole("button", { name: "View" }).click();
  await page.getByLabel("Rows and columns count from").selectOption("1");
  await page.waitForSelector('.square[aria-label^="row 2, column 4: queen"]');
  await page.keyboard.press("Escape");
  await undo.click();
  await queens(1);
  // A look at another room, and back by its tab.
  await page.getByRole("link", { name: "Watch", exact: true }).click();
  await page.waitForSelector(".room.watch");
  await page.getByRole("link", { name: "Try", exact: true }).click();
  await queens(1);
  assert.equal(await page.locator(".square.noted").count(), 1);
  await undo.click();
  assert.equal(await page.locator(".square.noted").count(), 0);
  await undo.click();
  await queens(0);
  assert.equal(await undo.getAttribute("aria-disabled"), "true");
  // Another board has no past. Rows and columns count from 1 here.
  await square(page, 1, 2).click();
  await queens(1);
  await page.evaluate(() => { location.hash = "#try?n=7"; });
  await page.waitForFunction(() => document.querySelectorAll(".square").length === 49);
  assert.equal(await undo.getAttribute("aria-disabled"), "true");
  await close(page);
});

test("try: given queens and blocked squares, on a phone, a laptop and in a hall", async () => {
  const left = (page, many) => page.waitForSelector(`.left[data-state="done"][data-solutions="${many}"]`);
  for (const [name, viewport] of Object.entries(SIZES)) {
    const page = await open("#try?n=6", { viewport });
    await left(page, 4);
    await page.getByLabel("a given queen").check();
    await square(page, 0, 1).click();
    await left(page, 1);
    await square(page, 3, 1).click();
    await says(page, ".says", /^Given queens may not attack each other/);
    assert.equal(await page.locator(".square.given").count(), 1);
    await page.getByLabel("a block").check();
    await square(page, 1, 3).click();
    await left(page, 0);
    assert.equal(await square(page, 1, 3).getAttribute("aria-label"), "row 1, column 3: blocked");
    await page.getByRole("button", { name: "Hint" }).click();
    await says(page, ".says", /leave no solution/);
    await page.getByRole("button", { name: "Undo" }).click();
    await left(page, 1);
    await square(page, 5, 5).click();
    await page.getByLabel("a queen", { exact: true }).check();
    await square(page, 5, 5).click();
    await says(page, ".says", /^This square is blocked/);
    await square(page, 0, 1).click();
    await says(page, ".says", /^This queen is given and stays/);
    assert.equal(await page.locator(".square.queen").count(), 1);
    await page.waitForFunction(() => location.hash.includes("given=0.1") && location.hash.includes("blocked=5.5"));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name);
    assert.deepEqual(await barriers(page, ["color-contrast", "label", "aria-required-children"]), []);
    await page.screenshot({ path: `${shots}/board-${name}.png`, fullPage: name === "phone" });
    // The link carries it all, and the hints lead to the one answer.
    const again = await open(new URL(page.url()).hash, { viewport });
    await left(again, 1);
    for (let move = 1; move < 6; move++) {
      for (const pattern of [/^Look at/, / has /, /^Put a queen/]) {
        await again.keyboard.press("h");
        await says(again, ".says", pattern);
      }
      await again.locator(".square.marked").click();
      await again.waitForFunction((placed) => document.querySelectorAll(".square.queen").length === placed, move + 1);
    }
    await says(again, ".says", /^Solved: 6 queens/);
    assert.equal(await square(again, 5, 4).getAttribute("aria-label"), "row 5, column 4: queen");
    await again.getByRole("button", { name: "Clear" }).click();
    assert.equal(await again.locator(".square.queen").count(), 1, "the given queen stays");
    await again.getByRole("button", { name: "Clear" }).click();
    assert.equal(await again.locator(".square:is(.queen, .blocked)").count(), 0);
    await close(again);
    await close(page);
  }
  for (const [link, reason] of [["#try?n=6&given=0.0-1.1", /given queens/], ["#try?n=6&blocked=9.9", /does not fit/], ["#try?n=6&queens=0.1&blocked=0.1", /blocked square/]]) {
    const page = await open(link);
    await says(page, ".notice", reason);
    await close(page);
  }
});

test("count: what each board costs, as the library says", async () => {
  const page = await open("#count");
  assert.equal(await page.getByRole("table").count(), 1, "closed at first");
  await page.getByText("What each board costs").click();
  const rows = await page.locator(".costs tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText)));
  assert.deepEqual(rows.map(([name]) => name), ["byte-grid", "bit-grid", "columns", "attack-count", "first-attacker", "lines", "bitmask"]);
  assert.ok(rows.every((cells) => cells.length === 6 && cells.every(Boolean)));
  assert.equal(rows[5][1], "6n - 2 flags");
  await page.setViewportSize(SIZES.phone);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls inside");
  await page.screenshot({ path: `${shots}/costs-phone.png`, fullPage: true });
  await close(page);
});

test("the course documents are linked where they are served", async () => {
  const page = await open("");
  await page.getByRole("link", { name: "The five course documents" }).click();
  await says(page, "h1", /^The five course documents$/);
  await page.getByRole("link", { name: "Queens in the browser" }).click();
  await page.getByRole("link", { name: "The five course documents" }).click();
  await page.getByRole("link", { name: "the counting grid" }).click();
  await page.waitForSelector(".room.watch .board");
  await close(page);
  const elsewhere = readFileSync(new URL("index.html", dist), "utf8");
  assert.match(elsewhere, /<span data-course hidden>/);
});

test("try: the puzzle of a day has given queens and one answer", async () => {
  const page = await open("#try?day=20261116");
  await page.waitForSelector('.left[data-solutions="1"]');
  const given = await page.locator(".square.given").count();
  assert.ok(given > 0 && given < 5);
  await page.locator(".square.given").first().click();
  assert.equal(await page.locator(".square.given").count(), given);
  assert.match(await text(page, ".says"), /given and stays/);
  for (let move = given; move < 5; move++) {
    for (const grade of [1, 2, 3]) {
      await page.getByRole("button", { name: "Hint" }).click();
      await page.waitForFunction(() => !/^Thinking|placed/.test(document.querySelector(".says").innerText));
      assert.ok(grade);
    }
    await page.locator(".square.marked").click();
  }
  await says(page, ".says", /^Solved/);
  await page.locator(".prize").getByRole("link", { name: "Another puzzle" }).click();
  await says(page, "h1", /^Puzzle \d+$/);
  await close(page);
});

test("solutions: lists, classes, filters, pages and files are the library's", async () => {
  const page = await open("#solutions?n=8&kind=all");
  await says(page, ".says", /^92 solutions in all, 12 of them fundamental/);
  const csv = await file(page, () => page.getByRole("button", { name: "CSV" }).click());
  assert.equal(csv.name, "queens-8-all.csv");
  const lines = command("list", "8", "--format", "csv").trim().split("\n");
  const shifted = lines.slice(1).map((line) => line.split(",").map((col) => col - 1).join(","));
  assert.deepEqual(csv.bytes.toString().trim().split("\n"), ["row0,row1,row2,row3,row4,row5,row6,row7", ...shifted]);
  const svg = await file(page, () => page.getByRole("button", { name: "SVG" }).click());
  assert.equal(svg.bytes.toString().match(/<use /g).length, 8);
  const png = await file(page, () => page.getByRole("button", { name: "PNG" }).click());
  assert.deepEqual([...png.bytes.subarray(0, 4)], [137, 80, 78, 71]);
  const latex = await file(page, () => page.getByRole("button", { name: "LaTeX" }).click());
  assert.match(latex.bytes.toString(), /\\begin/);

  await page.getByLabel("Page").fill("4");
  await page.getByLabel("Page").press("Enter");
  await says(page, ".pager output", /^73 to 92 of 92$/);
  // What is being typed outlasts the answer to what was typed before, and 9 means the last page.
  await page.getByLabel("Page").evaluate((input) => {
    const type = (value, ...events) => { input.value = value; for (const name of events) input.dispatchEvent(new Event(name)); };
    type("1", "input", "change");
    type("9", "input");
  });
  await says(page, ".pager output", /^1 to 24 of 92$/);
  assert.equal(await page.getByLabel("Page").inputValue(), "9");
  await page.getByLabel("Page").evaluate((input) => input.dispatchEvent(new Event("change")));
  await says(page, ".pager output", /^73 to 92 of 92$/);
  assert.equal(await page.getByLabel("Page").inputValue(), "4");
  for (const bad of ["2.5", ""]) {
    await page.getByLabel("Page").fill(bad);
    await page.getByLabel("Page").press("Enter");
    await says(page, ".controls .trouble", new RegExp(`^The page has to be a whole number from 1 to 4, not “${bad}”`));
    assert.equal(await page.getByLabel("Page").inputValue(), "4");
  }
  await page.getByLabel("Class", { exact: true }).selectOption("4");
  await says(page, ".says", /4 solutions pass the filter/);
  await says(page, ".detail", /Class of 4/);
  await page.getByLabel("Class", { exact: true }).selectOption("2");
  await says(page, ".detail", /^There is nothing to show here/);
  await page.getByLabel("Class", { exact: true }).selectOption("4");
  await says(page, ".says", /4 solutions pass the filter/);
  await page.locator(".gallery .card").nth(1).click();
  await says(page, ".detail", /Class of 4/);
  assert.equal(await page.locator(".images li.again").count(), 4);
  // One change soon after another: both hold.
  await page.locator(".filter summary").click();
  await square(page, 0, 0).focus();
  await page.getByLabel("Class", { exact: true }).evaluate((select) => {
    select.value = "any";
    select.dispatchEvent(new Event("change"));
    document.activeElement.click();
  });
  await page.waitForFunction(() => location.hash.includes("queens=0.0") && !location.hash.includes("class="));
  await says(page, ".says", /4 solutions pass the filter/);
  assert.ok(await square(page, 0, 0).evaluate((node) => node === document.activeElement));
  for (const [link, passing] of [["queens=0.0-1.4-2.7", /1 solution passes the filter/], ["queens=0.0", /4 solutions pass the filter/]]) {
    await page.evaluate(() => {
      for (const name of ["row 1, column 4:", "row 2, column 7:"]) document.querySelector(`.filter [aria-label^="${name}"]`).click();
    });
    await page.waitForFunction((link) => location.hash.split("&").includes(link), link);
    await says(page, ".says", passing);
  }
  await page.locator(".gallery .card").nth(2).click();
  const chosen = (await text(page, ".detail h2"));
  await page.getByRole("button", { name: "Watch it being found" }).click();
  await page.waitForSelector(".room.watch");
  assert.equal(await text(page, ".tuple"), chosen);
  await page.goBack();
  await page.waitForSelector(".room.solutions");
  await page.getByRole("link", { name: "Open in Try" }).click();
  await says(page, ".room.try .says", /^Solved/);
  await follow(page, "#solutions?n=12&kind=all&from=14000");
  await page.getByRole("button", { name: "Watch it being found" }).click();
  await says(page, "#toast", /comes later/);
  assert.equal(await page.locator(".room.solutions").count(), 1);
  await follow(page, "#solutions?n=3&kind=all");
  await says(page, ".room.solutions .says", /no way to place 3 queens on this board so that none attacks another\.$/);
  await follow(page, "#solutions?n=1");
  await says(page, ".room.solutions .says", /^1 solution in all, which is fundamental/);
  await close(page);
});

test("solutions: where queens stand is the command's heat map, and the link keeps it", async () => {
  const page = await open("#solutions?n=6&heat=20&seed=7", { viewport: SIZES.phone, colorScheme: "dark" });
  await page.waitForSelector(".heat .picture svg");
  assert.match(await text(page, ".heat .says"), /^The queens of 400 random solutions for N = 20 .* approximate/);
  const folder = mkdtempSync(join(tmpdir(), "queens-heat-"));
  const cells = (svg) => svg.match(/<path fill="#\w+" d="M[^"]*h1v1h-1z"/g);
  try {
    command("random", "20", "--number", "400", "--seed", "7", "--method", "chain", "--heat", join(folder, "heat.svg"));
    const shown = cells(await page.locator(".heat .picture").innerHTML());
    assert.ok(shown.length > 10);
    assert.deepEqual(shown, cells(readFileSync(join(folder, "heat.svg"), "utf8")));
  } finally {
    rmSync(folder, { recursive: true });
  }
  assert.deepEqual(await barriers(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no scrolling sideways");
  await page.screenshot({ path: `${shots}/solutions-heat-phone-dark.png` });
  await page.getByLabel("Queens", { exact: true }).fill("101");
  await page.getByLabel("Queens", { exact: true }).press("Enter");
  await says(page, ".heat .trouble", /from 4 to 100/);
  // A seed while another number of queens is being drawn: both hold.
  await page.locator(".heat").evaluate((heat) => {
    const [queens, seed] = heat.querySelectorAll("input");
    for (const [input, value] of [[queens, "21"], [seed, "3"]]) {
      input.value = value;
      input.dispatchEvent(new Event("change"));
    }
  });
  await page.waitForFunction(() => /n=6&.*heat=21&seed=3$/.test(location.hash));
  // By keyboard: another sample, and the part closed and opened again.
  await page.getByRole("button", { name: "Another sample" }).press("Enter");
  await page.waitForFunction(() => /n=6&.*heat=21&seed=4/.test(location.hash));
  assert.equal(await text(page, ".heat .trouble"), "");
  await page.locator(".heat summary").press("Enter");
  await page.waitForFunction(() => !/heat|seed/.test(location.hash));
  await page.locator(".heat summary").press("Enter");
  await page.waitForFunction(() => /heat=21&seed=4/.test(location.hash));
  await close(page);
});

test("solutions: a number that is refused leaves the drawing in progress alone", async () => {
  const page = await open("#solutions?n=6&heat=8&seed=3", { script: holding });
  await page.waitForSelector(".heat .picture svg");
  const queens = page.getByLabel("Queens", { exact: true });
  const type = async (number) => {
    await queens.fill(number);
    await queens.press("Enter");
  };
  await hold(page);
  await type("9");
  await type("2");
  await says(page, ".heat .trouble", /^The number of queens cannot be 2:/);
  assert.equal(await queens.inputValue(), "9");
  await type("10");
  assert.equal(await text(page, ".heat .trouble"), "");
  await type("2");
  await release(page);
  await says(page, ".heat .says", /N = 10 /);
  await close(page);
});

test("count: the race agrees with the command, keeps its board, and takes turns", async () => {
  const page = await open("#count?n=13&engines=bitmask.mirror.two-colour", { script: "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1 });" });
  await page.evaluate(() => {
    globalThis.long = [];
    new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) long.push(duration); }).observe({ type: "longtask" });
  });
  await page.getByRole("button", { name: "Start the race" }).click();
  await says(page, ".says", /^3 engines count N = 4 to 13\. There is 1 core here, so one runs at a time, the fastest first, and the others wait\.$/);
  assert.match(await text(page, ".race tbody"), /waits/);
  // Another board chosen meanwhile is for the next race.
  await page.getByLabel("N", { exact: true }).fill("9");
  await page.getByLabel("N", { exact: true }).press("Enter");
  await page.waitForFunction(() => /^All agree/.test(document.querySelector(".says").innerText), null, { timeout: 120_000 });
  const plain = (await text(page, ".says")).replace(/\s/g, "");
  assert.ok(plain.startsWith(`Allagree:N=13has${command("count", "13").trim()}solutions.`), plain);
  assert.equal(await page.locator(".race tbody tr").count(), 3);
  assert.equal(await page.locator(".chart polyline").count(), 3);
  assert.equal(await page.locator(".chart .marker").count(), 3 * 10);
  // A task of the page itself is short; what a busy machine adds to it is allowed for.
  assert.deepEqual((await page.evaluate(() => long)).filter((duration) => duration > 400), []);
  assert.doesNotMatch(await text(page, ".picks"), /all cores/);
  // One engine alone does not agree with anybody.
  for (const name of ["mirror", "two-colour"]) await page.locator(`#engine-${name}`).uncheck();
  await page.getByRole("button", { name: "Start the race" }).click();
  await says(page, ".says", /^N = 9 has 352 solutions\. It took bitmask/);
  // The race is there again after another room.
  await follow(page, "#try?n=5");
  await follow(page, "#count?n=9");
  await says(page, ".says", /^N = 9 has 352 solutions\. It took bitmask/);
  assert.equal(await page.locator(".race tbody tr").count(), 1);
  assert.equal(await page.locator(".chart polyline").count(), 1);
  await close(page);
});

/** The processor time that the pages of our browser have used, in hundredths of a second. */
function spent() {
  const stat = (id) => readFileSync(`/proc/${id}/stat`, "utf8").split(") ").pop().split(" ");
  const ours = (id) => id > 1 && (id === process.pid || ours(Number(stat(id)[1])));
  let ticks = 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${id}/cmdline`, "utf8").includes("--type=renderer") || !ours(Number(id))) continue;
      const fields = stat(id);
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch { /* it has just ended */ }
  }
  return ticks;
}

test("count: a long count leaves the page free, and cancelling frees the cores", async () => {
  const page = await open("#count?n=18&mode=one&engines=byte-grid.lines");
  assert.ok(await page.evaluate(() => crossOriginIsolated));
  await page.getByRole("button", { name: "Start the race" }).click();
  await page.waitForFunction(() => document.querySelector(".race tbody tr td:last-child").innerText.includes("…"));
  await page.waitForTimeout(500);
  const frames = await page.evaluate(() => new Promise((resolve) => {
    let frames = 0;
    const tick = () => { frames += 1; if (frames === 10) resolve(frames); else requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
  }));
  assert.equal(frames, 10);
  assert.ok(spent() > 20, "the pages of this browser are found");
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.match(await text(page, ".says"), /^Cancelled: /);
  // Ending a busy worker takes the browser two seconds; ours end themselves. Between half
  // a second and one and a half they would have used a hundred ticks each.
  await page.waitForTimeout(500);
  const before = spent();
  await page.waitForTimeout(1000);
  const used = spent() - before;
  assert.ok(used < 40, `${used} ticks after cancelling`);
  await close(page);
});

test("two colours: diagonals keep their colour, a failing split is explained, the splits add up", async () => {
  const page = await open("#colours?n=8");
  for (let at = 0; at < 8; at++) {
    await page.locator(".target").nth(at).hover();
    const reach = await page.locator(".reach").evaluateAll((squares) => squares.map((square) => (Number(square.getAttribute("x")) + Number(square.getAttribute("y"))) % 2));
    assert.ok(reach.length > 7 && new Set(reach).size === 1, "one colour only");
  }
  assert.match(await text(page, ".says"), /every square of her two diagonals is (black|white)/);
  // What is called white is drawn light, squares and queens, and (0, 0) is white, as in the
  // engine: of its queens those with an even sum are called white.
  const bright = (selector) => page.locator(selector).first().evaluate((node) => getComputedStyle(node).fill.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0));
  assert.ok(await bright(".colours .board .light") > await bright(".colours .board .dark"));
  assert.ok(await bright(".queen.white") > await bright(".queen.black"));
  assert.ok((await page.locator(".colours .board .dark").first().getAttribute("d")).startsWith("M1 0"), "the second square is dark");
  const sums = (kind) => page.locator(`.split .queen.${kind}`).evaluateAll((queens) => queens.map((queen) => (Number(queen.getAttribute("x")) + Number(queen.getAttribute("y"))) % 2));
  assert.deepEqual([new Set(await sums("white")), new Set(await sums("black"))], [new Set([0]), new Set([1])]);
  assert.equal(await page.locator(".handle").first().evaluate((node) => node.tagName), "BUTTON");
  const colour = await text(page, ".handle");
  await page.evaluate(() => document.querySelector(".handle").click());
  assert.notEqual(await text(page, ".handle"), colour, "click() is answered");
  assert.equal(await page.locator(".split .queen.ghost").count(), 8);
  assert.match(await page.locator(".colours-grid .panel").nth(1).innerText(), /(cannot fill|no two of them fit).*ghost/s);
  await page.getByLabel("Drag through").fill("0");
  assert.equal(await page.locator(".queen.ghost").count(), 0);
  assert.match(await text(page, ".wide .says"), /^This split: .* = \d+ solution/);
  await page.locator(".split").evaluate((node) => node.scrollIntoView({ block: "center" }));
  const [first, third] = [await page.locator(".handle").nth(0).boundingBox(), await page.locator(".handle").nth(2).boundingBox()];
  await page.mouse.move(first.x + 5, first.y + 5);
  await page.mouse.down();
  await page.mouse.move(third.x + 5, third.y + 5, { steps: 12 });
  await page.mouse.up();
  const colours = await page.locator(".handle").evaluateAll((handles) => handles.slice(0, 3).map((handle) => handle.innerText));
  assert.equal(new Set(colours).size, 1, "dragging paints rows in one colour");
  // A split that fails stands beside one that does not.
  await follow(page, "#colours?n=8&rows=0");
  await page.waitForFunction(() => document.querySelector("#split").value === "0");
  for (const n of [4, 5, 6, 7, 8]) {
    await page.getByLabel("N", { exact: true }).selectOption(String(n));
    await says(page, ".wide", new RegExp(`add up to ${command("count", String(n)).trim()}, all solutions for N = ${n}`));
  }
  await close(page);
});

noFaults();
