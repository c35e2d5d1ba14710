// Two installs on one machine: what opens one does not open the other.

import { follow } from "./browser.mjs";

export async function examine({ browser, order, report }) {
  const { second } = order;
  if (order.token === second.token) report.faults.push("both have the same token");
  const context = await browser.context();
  const page = await context.newPage();
  const isInside = async (url) => {
    await page.goto(url);
    return (await page.locator("nav a").count()) > 0;
  };
  report.seen.own = await isInside(browser.url);
  report.seen.other = await isInside(second.url);
  // The cookie under the name that the other looks for.
  const port = new URL(second.url).port;
  const [cookie] = await context.cookies(browser.url);
  await context.addCookies([{ ...cookie, name: cookie.name.replace(/\d+$/, port) }]);
  report.seen.copied = await isInside(second.url);
  const link = new URL(order.spare);
  report.seen.link = await isInside(`${second.url}${link.pathname}${link.search}`);
  const typed = async (token) => {
    await page.goto(`${second.url}/login`);
    await page.fill("#token", token);
    await follow(page, "button[type=submit]");
    return (await page.locator("nav a").count()) > 0;
  };
  report.seen.token = await typed(order.token);
  report.seen.rightToken = await typed(second.token);
  // To be in at both at once throws nobody out.
  report.seen.both = (await isInside(browser.url)) && (await isInside(second.url));
  const cookies = await context.cookies([browser.url, second.url]);
  report.seen.scriptsCannotRead = cookies.every((it) => it.httpOnly && it.sameSite === "Strict");
}
