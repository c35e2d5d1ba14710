// Every page of the menu in a light and a dark theme, narrow and wide: it shows, fits, paints soon, and does nothing odd.

import { join } from "node:path";
import { THEMES, nameOf } from "./browser.mjs";
import { fill } from "./gateway.mjs";

const WIDTHS = [320, 1280];

/** How far the page is wider than the window, and what sticks out. */
const overhang = () => {
  const width = document.documentElement.clientWidth;
  const isCut = (element) => {
    for (let up = element.parentElement; up; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== "visible") return true;
    }
    return false;
  };
  const out = [...document.querySelectorAll("body *")].filter((it) => it.getBoundingClientRect().right > width + 1 && !isCut(it));
  const excess = document.scrollingElement.scrollWidth - width;
  return { excess, out: out.slice(0, 3).map((it) => it.outerHTML.slice(0, 120)) };
};

/** When something was painted first, in milliseconds since the page was asked for. */
const firstPaint = async (page) => {
  const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
  return (await page.waitForFunction(paint, null, { timeout: 10_000 })).jsonValue();
};

export async function examine({ browser, gateway, order, report }) {
  await fill(gateway, order.models);
  const links = await browser.menu();
  report.seen.pages = links.map((link) => link.path);
  const call = await aCall(browser);
  const paths = [...report.seen.pages, call];
  const paints = [];
  for (const colorScheme of THEMES) {
    const page = await browser.page({ colorScheme });
    for (const path of paths) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const answer = await page.goto(browser.url + path);
        const words = (await page.locator("main").innerText()).trim();
        if (answer.status() !== 200 || words.length < 40) report.faults.push(`${path}: ${answer.status()} with ${words}`);
        const { excess, out } = await page.evaluate(overhang);
        if (excess > 0) report.faults.push(`${path}: ${excess} pixels too wide at ${width}: ${out}`);
        paints.push(await firstPaint(page));
      }
      const name = path === call ? "call" : nameOf(path);
      await page.screenshot({ path: join(order.screenshots, `${name}-${colorScheme}.png`), fullPage: true });
    }
    const colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    (report.seen.colours ??= []).push(colour);
    report.faults.push(...page.faults);
    await page.context().close();
  }
  paints.sort((a, b) => a - b);
  report.figures.firstPaintMedianMs = paints[Math.floor(paints.length / 2)];
  report.figures.firstPaintWorstMs = paints.at(-1);
}

/** The path of a call that was mended, or of any. */
export async function aCall(browser) {
  const page = await browser.page();
  for (const query of ["?outcome=changed", ""]) {
    await page.goto(`${browser.url}/calls${query}`);
    const link = page.locator("table.rows a").first();
    if (await link.count()) {
      const path = await link.getAttribute("href");
      await page.context().close();
      return path;
    }
  }
  throw new Error("no call is listed");
}
