// Every page with scripts switched off: all that does not move can still be read and filtered.

import { follow } from "./browser.mjs";
import { fill } from "./gateway.mjs";
import { aCall } from "./pages.mjs";

export async function examine({ browser, gateway, order, report }) {
  await fill(gateway, order.models);
  const paths = (await browser.menu()).map((link) => link.path);
  const call = await aCall(browser);
  const page = await browser.page({ javaScriptEnabled: false });
  report.seen.words = {};
  for (const path of [...paths, call]) {
    await page.goto(browser.url + path);
    const words = await page.locator("main").innerText();
    report.seen.words[path === call ? "call" : path] = words;
    if (words.trim().length < 40) report.faults.push(`${path} says only: ${words}`);
  }
  // Forms work as forms.
  await page.goto(`${browser.url}/calls`);
  await page.selectOption("select[name=outcome]", "error");
  await follow(page, "form[role=search] button");
  const outcomes = await page.locator("table.rows .badge").allInnerTexts();
  if (!outcomes.length || outcomes.some((word) => !/failed|refused/.test(word))) report.faults.push(`the filter gave ${outcomes}`);
  await page.goto(`${browser.url}/playground`);
  await page.fill("#arguments", '{"path": 5}');
  await follow(page, "#try button");
  const result = await page.locator("#result").innerText();
  if (!new URL(page.url()).search || !result.includes('"5"')) report.faults.push(`the playground says ${result}`);
  report.faults.push(...page.faults);
}
