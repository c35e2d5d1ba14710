// Every page in both themes with axe: whoever reads with other eyes than most finds everything.

import { THEMES } from "./browser.mjs";
import { fill } from "./gateway.mjs";
import { aCall } from "./pages.mjs";

export async function examine({ browser, gateway, order, report }) {
  await fill(gateway, order.models);
  const paths = (await browser.menu()).map((link) => link.path);
  paths.push(await aCall(browser), "/calls?q=nothing+has+these+words", "/login");
  report.seen.pages = paths;
  report.seen.checks = 0;
  for (const colorScheme of THEMES) {
    const page = await browser.page({ colorScheme });
    for (const path of paths) {
      await page.goto(browser.url + path);
      // What is folded is looked at too.
      await page.evaluate(() => document.querySelectorAll("details").forEach((it) => { it.open = true; }));
      await page.evaluate(browser.axe);
      const { violations, passes } = await page.evaluate(() => axe.run());
      report.seen.checks += passes.length;
      for (const { id, nodes } of violations) {
        const where = nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary.replaceAll("\n", " ")}`);
        report.faults.push(`${path}, ${colorScheme}: ${id}: ${where.slice(0, 3).join(" | ")}`);
      }
    }
    await page.context().close();
  }
}
