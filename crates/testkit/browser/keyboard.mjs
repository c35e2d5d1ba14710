// Everything by keys alone: Tab reaches all there is, one sees where one is, and the short ways work.

import { fill } from "./gateway.mjs";

/** Marks all that a key must reach, and gives a name for each. */
const marked = () => {
  const all = document.querySelectorAll("a[href], button:not([disabled]), input, select, textarea, summary");
  return [...all].filter((it) => it.checkVisibility()).map((it, number) => {
    it.dataset.number = number;
    return it.outerHTML.replace(/ data-number="\d+"/, "").slice(0, 90);
  });
};

/** Where the focus is: the number of what has it, and whether one can see it. */
const focused = () => {
  const it = document.activeElement;
  if (!it || it === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(it);
  const { left, top, right, bottom } = it.getBoundingClientRect();
  const isInside = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight && right > left && bottom > top;
  return {
    number: it.dataset.number === undefined ? null : Number(it.dataset.number),
    what: it.outerHTML.slice(0, 90),
    isSeen: isInside && outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
  };
};

/** The same when it has been drawn: a busy machine scrolls late. */
async function focusedInTheEnd(page) {
  let at = await page.evaluate(focused);
  for (let look = 0; at && !at.isSeen && look < 20; look += 1) {
    await page.waitForTimeout(50);
    at = await page.evaluate(focused);
  }
  return at;
}

async function walk(page, path, report) {
  await page.goto(page.root + path);
  const wanted = await page.evaluate(marked);
  const reached = new Set();
  let [first, last] = [null, null];
  for (let step = 0; step < wanted.length + 100; step += 1) {
    await page.keyboard.press("Tab");
    const at = await focusedInTheEnd(page);
    // Fields of dates have several stops inside, whose marks are the browser's own.
    if (at && at.number !== null && at.number === last) continue;
    if (!at || (at.number !== null && reached.has(at.number))) break;
    first ??= at.what;
    last = at.number;
    if (at.number !== null) reached.add(at.number);
    if (!at.isSeen) report.faults.push(`${path}: one does not see the focus on ${at.what}`);
  }
  if (!first?.includes("skip")) report.faults.push(`${path}: Tab goes first to ${first}`);
  const missed = wanted.filter((_, number) => !reached.has(number));
  if (missed.length) report.faults.push(`${path}: Tab does not reach ${missed.slice(0, 3)}`);
  report.seen.controls += wanted.length;
}

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

const leadsTo = (page, path) => page.waitForURL((url) => url.pathname === path, { timeout: 5000 }).then(() => true, () => false);

export async function examine({ browser, gateway, order, report }) {
  await fill(gateway, order.models);
  const links = await browser.menu();
  const page = await browser.page();
  page.root = browser.url;
  report.seen = { pages: links.length, controls: 0, sharedLetters: [] };
  for (const { path } of links) await walk(page, path, report);

  // The link that skips leads past the menu.
  await page.goto(`${browser.url}/calls`);
  await press(page, "Tab", "Enter", "Tab");
  if (!(await page.evaluate(() => document.activeElement.closest("main")))) report.faults.push("the skip link does not skip");

  // g and a letter.
  const letters = new Map();
  for (const { path, name } of links) {
    const letter = name[0].toLowerCase();
    if (letters.has(letter)) report.seen.sharedLetters.push(`${letters.get(letter)}, ${name}`);
    else letters.set(letter, name);
    await page.goto(`${browser.url}${path === "/about" ? "/rules" : "/about"}`);
    await press(page, "g", letter);
    const goal = links.find((link) => link.name === letters.get(letter)).path;
    if (!(await leadsTo(page, goal))) report.faults.push(`g ${letter} does not lead to ${goal}`);
  }

  // Words, rows, a call.
  await page.goto(`${browser.url}/calls`);
  await press(page, "/");
  await page.keyboard.type("milk gj");
  const typed = await page.inputValue("input[type=search]");
  if (typed !== "milk gj") report.faults.push(`/ and words give "${typed}"`);
  await page.goto(`${browser.url}/calls`);
  const row = () => page.evaluate(() => [...document.querySelectorAll("table.rows tbody tr")].findIndex((it) => it.contains(document.activeElement)));
  const rows = [];
  for (const key of ["j", "j", "k", "j"]) {
    await press(page, key);
    rows.push(await row());
  }
  if (rows.join() !== "0,1,0,1") report.faults.push(`j, j, k, j lead to the rows ${rows}`);
  const seen = await focusedInTheEnd(page);
  if (!seen?.isSeen) report.faults.push("one does not see the chosen row");
  const goal = await page.evaluate(() => document.activeElement.getAttribute("href"));
  await press(page, "Enter");
  if (!goal || !(await leadsTo(page, goal))) report.faults.push(`Enter does not open ${goal}`);
  report.faults.push(...page.faults);
}
