// What moves: calls appear as they end, can be held and filtered, and the playground answers every key.

import { until } from "./gateway.mjs";

/** The milliseconds from the answer to a call until its row is on the page. */
async function rowAfter(gateway, page, words) {
  const shown = page.evaluate(
    (text) => new Promise((done) => {
      const feed = document.getElementById("feed");
      const look = () => feed.textContent.includes(text) && done(performance.timeOrigin + performance.now());
      new MutationObserver(look).observe(feed, { childList: true, subtree: true });
      look();
    }),
    words,
  );
  await gateway.call("send_note", { recipient: "anna", prose: "hello", urgent: "true", client: words }, { client: words });
  const answered = performance.timeOrigin + performance.now();
  return Math.max(0, (await shown) - answered);
}

async function feed(browser, gateway, report) {
  const page = await browser.page();
  await page.goto(`${browser.url}/live`);
  await until("a connection", async () => (await page.innerText("#live-state")).includes("appear"));
  const times = [];
  for (let number = 0; number < 10; number += 1) times.push(await rowAfter(gateway, page, `caller-${number}-`));
  times.sort((a, b) => a - b);
  report.figures.liveRowMedianMs = times[5];
  report.figures.liveRowWorstMs = times.at(-1);
  const rows = () => page.locator("#feed li").count();
  report.seen.rows = await rows();

  // A page that is held shows what came as soon as it goes on.
  await page.click("#pause");
  await gateway.call("send_note", { recipient: "anna", prose: "held" }, { client: "while-held" });
  await page.waitForTimeout(500);
  if ((await page.innerText("#feed")).includes("while-held")) report.faults.push("a page that is held goes on");
  await page.click("#pause");
  await page.getByText("while-held").first().waitFor({ timeout: 5000 });

  // Only what has the words.
  await page.fill("#filter", "wanted-one");
  await gateway.call("send_note", { recipient: "anna", prose: "x" }, { client: "other-one" });
  await gateway.call("send_note", { recipient: "anna", prose: "x" }, { client: "wanted-one" });
  await page.locator("#feed").getByText("wanted-one").first().waitFor({ timeout: 5000 });
  if ((await page.innerText("#feed")).includes("other-one")) report.faults.push("the filter lets others through");

  // The link leads to the call.
  await gateway.indexed();
  await page.locator("#feed a").first().click();
  await page.getByRole("heading", { name: "Call of" }).waitFor({ timeout: 5000 });
  report.faults.push(...page.faults);
}

async function playground(browser, report) {
  const page = await browser.page();
  await page.goto(`${browser.url}/playground`);
  await page.fill("#arguments", "");
  const times = [];
  let text = "";
  for (const key of '{"file_path":"a","lines":"7"}') {
    text += key;
    const answered = page.waitForResponse((answer) => answer.url().endsWith("/do/try") && answer.request().postDataJSON().arguments === text);
    const begin = performance.now();
    await page.locator("#arguments").press(key === " " ? "Space" : key);
    await answered;
    times.push(performance.now() - begin);
  }
  await page.locator("#result").getByText("Mended, with 2 changes").waitFor({ timeout: 5000 });
  times.sort((a, b) => a - b);
  report.seen.keys = times.length;
  report.figures.playgroundMedianMs = times[Math.floor(times.length / 2)];
  report.figures.playgroundWorstMs = times.at(-1);
  report.faults.push(...page.faults);
}

export async function examine({ browser, gateway, report }) {
  await gateway.ask("/mcp/all", "tools/list", {});
  await feed(browser, gateway, report);
  await playground(browser, report);
}
