// A long feed: the page that shows calls as they end does not grow with them.

import { until } from "./gateway.mjs";

const TICK = 100;

/** What the page holds after everything that nobody needs is gone, in megabytes. */
async function held(session) {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { heap: value("JSHeapUsedSize") / 1e6, nodes: value("Nodes") };
}

/** Makes so many calls a second for so many seconds; gives how many were made. */
async function calls(gateway, rate, seconds) {
  const begun = performance.now();
  const open = new Set();
  let made = 0;
  for (let tick = 1; tick <= (seconds * 1000) / TICK; tick += 1) {
    for (; made < (tick * TICK * rate) / 1000 && open.size < rate; made += 1) {
      const call = gateway.call("send_note", { recipient: "anna", prose: `note ${made}`, urgent: "true" }).catch(() => {});
      open.add(call);
      call.finally(() => open.delete(call));
    }
    await new Promise((done) => setTimeout(done, Math.max(0, begun + tick * TICK - performance.now())));
  }
  await Promise.all(open);
  return made;
}

export async function examine({ browser, gateway, order, report }) {
  const page = await browser.page();
  await page.goto(`${browser.url}/live`);
  await until("a connection", async () => (await page.innerText("#live-state")).includes("appear"));
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  // What a page with a full list holds is where the growing begins.
  await calls(gateway, order.rate, 5);
  const before = await held(session);
  const begun = performance.now();
  report.seen.calls = await calls(gateway, order.rate, order.seconds);
  report.figures.callsPerSecond = report.seen.calls / ((performance.now() - begun) / 1000);
  const after = await held(session);
  report.figures.heapBeforeMb = before.heap;
  report.figures.heapAfterMb = after.heap;
  report.figures.nodesBefore = before.nodes;
  report.figures.nodesAfter = after.nodes;
  report.seen.rows = await page.locator("#feed li").count();
  report.faults.push(...page.faults);
}
